d = {"a": 1}
for k in ["z", 5, None, (1, 2)]:
    try:
        d[k]
    except KeyError as e:
        print("KeyError", e.args, e)
try:
    del d["q"]
except KeyError as e:
    print(repr(e))
