def f(a, b=10, *c, d=20, **e):
    return a, b, c, d, e
for args in [(1,), (1, 2), (1, 2, 3, 4)]:
    for kw in [{}, {"d": 5}, {"z": 6}, {"d": 5, "z": 6}]:
        print(f(*args, **kw))
for args, kw in [((), {}), ((1,), {"a": 2}), ((1, 2), {"b": 3}), ((), {"a": 1, "b": 2})]:
    try:
        print(f(*args, **kw))
    except TypeError:
        print("TypeError")
