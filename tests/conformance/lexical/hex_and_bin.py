print(0x10, 0XfF, 0xdeadBEEF)
print(0b101, 0B11, 0o17, 0O7)
print(0xFFFFFFFFFFFFFFFF, 0x0)
print(0b11111111 & 0x0f)
