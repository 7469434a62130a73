# Messages about arguments name a method without its class; the diagnostic points at the definition.
class A:
    def __init__(self, x):
        self.x = x
A()
#| uncaught TypeError: __init__() needs an argument 'x'
