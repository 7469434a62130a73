# Evaluation is hermetic: it reads no file.
print(open("x"))
#| uncaught NameError: name 'open' is not defined
