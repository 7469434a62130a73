print(set(), sorted(set([3, 1, 3])), sorted(set("hello")), len(set(range(5))), set((7,)), sorted(set({"b": 1, "a": 2})))
