# All divisions by zero have one message; CPython's differ by operator and by release.
print(1 // 0)
#| uncaught ZeroDivisionError: division by zero
