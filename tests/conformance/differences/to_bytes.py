# The language has no bytes: an integer is taken apart with shifts.
print((258).to_bytes(2, "big"))
#| uncaught [not-supported] int.to_bytes is not evaluated: the language has no bytes
