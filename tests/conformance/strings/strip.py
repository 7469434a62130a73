print(repr("  a b ".strip()), repr("  a ".lstrip()), repr(" a  ".rstrip()), "xxaxx".strip("x"), "abcba".strip("ab"), "xa".lstrip("x"), "ax".rstrip("x"), repr("\n\ta\r".strip()))
print("prefix_x".removeprefix("prefix_"), "a.py".removesuffix(".py"), "".strip())
