print(list(filter(lambda x: x % 2, range(6))), list(filter(None, [0, 1, "", "a", [], None])), list(filter(str.isdigit, ["1", "a"])))
