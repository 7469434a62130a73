m = map(lambda x: x + 1, [1, 2])
print(list(m), list(m))
z = zip("ab", "cd")
print(dict(z), dict(z))
