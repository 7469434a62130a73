print("reduce" in dir(__builtins__), "len" in dir(__builtins__), "range" not in dir(__builtins__))
