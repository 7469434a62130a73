assert True
assert 1 + 1 == 2, "math"
try:
    assert False
except AssertionError as e:
    print("failed", e.args)
try:
    assert [], "empty list"
except AssertionError as e:
    print(e)
try:
    assert 0, ("a", 1)
except AssertionError as e:
    print(e.args)
