# frozenset is not provided: no operator uses it; a tuple can be a key instead.
print(frozenset([1]))
#| uncaught NameError: name 'frozenset' is not defined
