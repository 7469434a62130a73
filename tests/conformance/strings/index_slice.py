s = "abcdef"
print(s[0], s[-1], s[2:4], s[:2], s[-2:], s[::-1], s[::2], s[5:1:-2], s[10:], s[:-10] == "")
try:
    s[6]
except IndexError:
    print("IndexError")
