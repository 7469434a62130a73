count = 0
def bump():
    global count
    count += 1
def make():
    global made, other
    made = "m"
    other = "o"
bump()
bump()
make()
print(count, made, other)
