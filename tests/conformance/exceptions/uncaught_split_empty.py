"abc".split("")
