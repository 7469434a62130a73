n = 2 ** 500
print(n, len(str(n)), sum(int(c) for c in str(n)), str(-n)[:10])
