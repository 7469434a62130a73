def f(a1, a2, a3, a4, a5, a6, a7, a8, a9, b1, b2, b3, b4, b5, b6, b7, b8, b9,
      c1, c2, c3, c4, c5, c6, c7, c8, c9, d1, d2, d3, d4, d5, d6, d7, d8, d9,
      e1=1, e2=2, e3=3, e4=4, e5=5, e6=6, e7=7, e8=8, e9=9, g1=10, g2=11):
    return a1, b1, c1, d1, e1, d9, g2
print(f(*range(36)))
print(f(*range(36), g2="x", e1="y"))
