# Integers are bounded by the memory limit; CPython would try.
x = 10 ** 10 ** 3
print(len(str(x)) if x < 0 else "ok")
y = 10 ** 10 ** 6
print("made")
#| ok
#| made
#| uncaught OverflowError: the integer needs more than 65536 bits
