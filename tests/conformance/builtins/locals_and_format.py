def f(name, size):
    text = "%(name)s has %(size)d" % locals()
    other = "{name}:{size}".format(**locals())
    return text, other
print(f("ub", 32))
