# Evaluation is hermetic: it reads no file.
print(open("x"))
#| uncaught [not-supported] open() is not evaluated: a compilation reads no file but imported modules
