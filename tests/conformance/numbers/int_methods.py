print((5).bit_length(), (0).bit_length(), (2 ** 70).bit_length(), (-8).bit_length(), (1.5).is_integer(), (4.0).is_integer())
