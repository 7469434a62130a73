print(bin(0), bin(5), bin(-5), bin(255), bin(True), bin(2 ** 65))
print(hex(0), hex(255), hex(-255), hex(2 ** 64), oct(8), oct(-64), oct(0))
print(bin(10)[2:].count("1"), int(bin(77), 2), int(hex(77)[2:], 16))
