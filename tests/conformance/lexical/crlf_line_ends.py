a = 1
b = [
    a,
    2,
]
text = """one
two"""
print(b, repr(text))
