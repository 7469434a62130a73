for x in [0, 1, -1, 255, 2 ** 31, 2 ** 63, -2 ** 63, 10 ** 20]:
    assert int(str(x)) == x and int(hex(x), 16) == x and int(bin(x), 2) == x
for x in [0.1, 1 / 3, 1e-7, 123.456, 1e22]:
    assert float(str(x)) == x
print("ok")
