import math
print(math.sqrt(16), math.sqrt(2), math.pow(2, 3), math.pow(2, 0.5), math.log(8, 2), math.log(1), math.log2(1024), math.log10(1000), math.exp(0))
print(math.gcd(12, 18), math.gcd(0, 5), math.gcd(-4, 6), math.gcd(2 ** 70, 2 ** 65), math.fabs(-2), math.pi, math.e, math.inf, math.isnan(math.nan))
print(math.isclose(1.0, 1.0 + 1e-10), math.isclose(1.0, 1.1), math.isclose(1.0, 1.05, rel_tol=0.1), math.isclose(0, 1e-12), math.isclose(0, 1e-12, abs_tol=1e-9))
