print(type(1).__name__, type(1.0).__name__, type("").__name__, type(None).__name__, type([]).__name__, type(()).__name__, type({}).__name__, type(set()).__name__, type(True).__name__, type(range(1)).__name__)
print(type(1) == int, type(1) is type(2), type("a") in (int, str), type(1), type(None), type([1]), type(ValueError("a")).__name__)
