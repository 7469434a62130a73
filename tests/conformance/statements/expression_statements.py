f = [].append
f(1)
1 + 1
"text"
[print("in list")]
print("x") if True else print("y")
True and print("and")
