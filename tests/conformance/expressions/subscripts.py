a = [[1, 2], [3, 4]]
d = {"k": [10, {"z": 5}], (1, 2): "pair", None: "none"}
print(a[0][1], a[-1][-2], d["k"][1]["z"], d[(1, 2)], d[1, 2], d[None])
print("abc"[1], "abc"[-1], (1, 2, 3)[True], [5, 6][False], range(10)[3])
