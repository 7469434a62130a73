# Bytes: kernels have no use for them.
print(b"abc")
#| uncaught [bad-literal] the language has no bytes, only text
