print((5).bit_length(), 5 .bit_length())
print(1.5.is_integer(), 2.0.is_integer())
