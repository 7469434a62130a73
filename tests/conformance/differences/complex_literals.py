# Complex numbers: kernels have no use for them.
print(2j)
#| uncaught [bad-literal] '2j' is a complex number, which the language has not
