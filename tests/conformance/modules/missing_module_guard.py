try:
    import a_fast_version as impl
except ImportError:
    impl = None
print(impl)
if "reduce" not in dir(__builtins__):
    from functools import reduce
print(reduce(lambda a, b: a + b, [1, 2, 3]))
