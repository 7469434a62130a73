def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)
print(depth(200))
def build(n):
    return [] if n == 0 else [build(n - 1)]
print(str(build(40)).count("["))
