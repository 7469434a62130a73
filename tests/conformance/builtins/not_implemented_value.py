print(NotImplementedError("x").args, NotImplementedError.__name__)
