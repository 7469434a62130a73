# id gives addresses, which differ from run to run: 'is' compares objects.
print(id(1) == id(1))
#| uncaught [not-supported] id() is not evaluated: addresses differ from run to run
