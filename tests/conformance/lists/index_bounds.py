a = [1, 2, 1, 3]
print(a.index(1), a.index(1, 1), a.count(1), a.count(9))
try:
    a.index(1, 3)
except ValueError:
    print("ValueError")
for i in (4, -5):
    try:
        a[i]
    except IndexError:
        print("IndexError", i)
