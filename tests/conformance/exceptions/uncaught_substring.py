"abc".index("z")
