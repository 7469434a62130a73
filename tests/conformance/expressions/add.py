print(1 + 2, 1 + 2.5, 1.5 + 1, 1.5 + 2.5)
print("a" + "b", [1] + [2, 3], (1,) + (2,))
print(True + True, True + 1, False + 1.5)
print([] + [], () + (), "" + "")
