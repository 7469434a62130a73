# A program text inside a program cannot be checked or pointed at.
print(eval("1 + 1"))
#| uncaught NameError: name 'eval' is not defined
