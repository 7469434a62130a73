try:
    import a_module_that_is_not_there
except ImportError as e:
    print("ImportError")
try:
    from math import nothing_like_it
except ImportError:
    print("ImportError")
