print("%s and %d" % ("x", 5), "%s" % 5, "%d%%" % 50, "%s" % [1, 2])
print("%s %s" % (None, True), "%s" % (1,), "%s" % ((1, 2),))
print("no fields" % (), "%r" % "q", "%s" % {"a": 1})
