# The hash of an object without __hash__ is its address, which differs from run to run.
class A:
    pass
print(hash(A()) is None)
#| uncaught [not-supported] hash() of an object is its address and differs from run to run
