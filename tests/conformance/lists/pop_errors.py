for f in [lambda: [].pop(), lambda: [1].pop(5), lambda: [1].remove(2), lambda: [1].index(2), lambda: [1].insert("a", 1)]:
    try:
        f()
    except Exception as e:
        print(type(e).__name__)
