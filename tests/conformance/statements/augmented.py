x = 5
x += 2
x -= 1
x *= 3
x //= 4
x **= 2
x %= 7
x <<= 3
x >>= 1
x |= 3
x &= 6
x ^= 1
print(x)
y = 7
y /= 2
print(y)
s = "a"
s += "b"
s *= 2
print(s)
