for w in range(0, 6):
    print("%*d|%-*d|" % (w, 7, w, 7), "x".rjust(w) + "|", "{:>{}}|".format("y", w), f"{'z':{w}}|")
print("{:05}|{:02}|{:0>5}|{:03d}".format("ab", "xyz", "q", 7))
