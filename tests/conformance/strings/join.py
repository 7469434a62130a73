print(",".join(["a", "b"]), "".join("abc"), "-".join([]), ", ".join(("x",)), "--".join(str(i) for i in range(3)), ".".join({"k": 1}))
