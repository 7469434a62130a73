inf = float("inf")
nan = float("nan")
print(inf, -inf, nan, inf + 1, inf - inf, inf * 0, inf * -1, inf == inf, nan == nan, nan != nan, inf > 10 ** 400)
print(nan < 1, min(inf, 1), max(-inf, 1), 1 / inf, -1 / inf, 1e308 * 10, -1e308 * 10, inf // 1, 5 % inf, -5 % inf)
