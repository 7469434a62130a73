def constant(f):
    return f()
@constant
def five():
    return 5
print(five)
registry = {}
def register(name):
    def deco(f):
        registry[name] = f
        return f
    return deco
@register("a")
def fa():
    return "A"
@register("b")
def fb():
    return "B"
print(sorted(registry), registry["a"](), fb())
