print(chr(65), chr(97), ord("A"), ord("é"), chr(233), ord("漢"), chr(ord("a") + 1), [ord(c) for c in "az09 "])
print("".join(chr(ord("a") + i) for i in range(26)))
for v in ["a", None, 1.5]:
    try:
        chr(v)
    except TypeError as e:
        print(e)
