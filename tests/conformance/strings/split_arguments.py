for sep in [1, "", [], 1.5]:
    try:
        print("a b".split(sep))
    except (TypeError, ValueError) as e:
        print(type(e).__name__)
print("a b".split(None), "a b".split(sep="b"), "a,b,c".split(",", maxsplit=1), "a,b,c".split(",", -1), "a,b".split(",", 0))
