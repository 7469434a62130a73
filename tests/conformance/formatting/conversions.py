print("{!r} {!s} {!r:>5}|{k!r:5}|".format("q", "q", "w", k="z"))
for f in ["{!z}", "{!}", "{!rr}", "{!r", "{!r!s}"]:
    try:
        print(f.format("q"))
    except ValueError:
        print("ValueError", f)
