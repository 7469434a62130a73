# A program text inside a program cannot be checked or pointed at.
print(eval("1 + 1"))
#| uncaught [not-supported] eval() is not evaluated: a program text inside a program cannot be checked or pointed at
