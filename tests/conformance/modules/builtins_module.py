import builtins
print(builtins.len([1]), builtins.range(2), builtins.int("3"))
