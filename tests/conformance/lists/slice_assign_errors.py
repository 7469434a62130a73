a = [1, 2, 3, 4]
try:
    a[::2] = [1, 2, 3]
except ValueError:
    print("ValueError")
a[1:3] = "xyz"
print(a)
a[::-1] = list(a)
print(a)
a[2:0] = ["in"]
print(a)
