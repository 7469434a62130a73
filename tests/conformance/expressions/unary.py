print(-5, --5, +5, -+-5, ~5, ~-1, ~~7, ~0)
print(-True, +True, ~True, -0.0, +1.5, -(2 ** 64))
print(not 5, not 0, not not 5, not "", not [0])
