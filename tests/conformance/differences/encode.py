# The language has no bytes: texts stay texts.
print("abc".encode())
#| uncaught [not-supported] str.encode is not evaluated: the language has no bytes
