print("a\tb\nc\\d\'e\"f")
print(repr("\a\b\f\n\r\t\v\0"))
print("\x41\u0042\U00000043\101")
print(len("\
"))
print("one \
two")
