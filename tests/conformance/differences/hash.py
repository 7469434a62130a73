# hash is not provided: its results are an accident of an implementation, which a kernel should not see.
print(hash(1))
#| uncaught NameError: name 'hash' is not defined
