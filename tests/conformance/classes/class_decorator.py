def tag(cls):
    cls.tag = "tagged"
    return cls
registry = []
def register(name):
    def deco(cls):
        registry.append((name, cls.__name__))
        return cls
    return deco
@tag
@register("first")
class A:
    pass
print(A.tag, registry, A().tag)
