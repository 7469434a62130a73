print(1 < 2, 2 <= 2, 3 > 4, 4 >= 4, 1 == 1.0, 1 != 2)
print("a" < "b", "a" < "B", "abc" < "abd", "ab" < "abc", "" < "a")
print([1, 2] < [1, 3], [1] < [1, 0], (2,) > (1, 9), [] == [])
print(True == 1, False == 0, True > False, None == None, None == 0)
