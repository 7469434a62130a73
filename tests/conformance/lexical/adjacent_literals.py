s = ("one "
     'two '
     "three")
print(s)
print("a" "b" 'c', len("x" "" "y"))
v = 3
print("v=" f"{v}" r"\n" "\n" "end")
