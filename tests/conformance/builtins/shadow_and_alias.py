i = int
print(i("5"), list(map(i, ["1", "2"])), {"f": float}["f"]("2"), (str if True else repr)(3))
