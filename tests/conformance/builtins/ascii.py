print(ascii("a\u00e9\u4e2d\U0001f600'\n"), ascii([1, "é"]), "{!a:>10}".format("é"), f"{'é'!a}", "%a" % ("é",))
