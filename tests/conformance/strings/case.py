print("aBc".lower(), "aBc".upper(), "hello world".title(), "hello World".capitalize(), "aBc".swapcase(), "".upper(), "FLOAT16".lower())
print("abc".islower(), "ABC".isupper(), "aBc".islower(), "".islower(), "1".isupper(), "a1".islower())
