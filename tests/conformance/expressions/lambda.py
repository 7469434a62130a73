add = lambda a, b: a + b
print(add(1, 2), (lambda: 5)(), (lambda x: x * x)(4))
print((lambda *a: a)(1, 2, 3), (lambda **k: k)(a=1))
print((lambda a, b=2: a + b)(1), (lambda x: (lambda y: x + y))(1)(2))
print([f(3) for f in [lambda x: x + 1, lambda x: x * 2]])
