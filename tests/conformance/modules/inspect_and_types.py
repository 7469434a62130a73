import importlib
import inspect
import types


class A:
    def method(self):
        return 1


def function(x):
    return x


print(inspect.isfunction(function), inspect.isfunction(len), inspect.isfunction(A().method), inspect.ismethod(A().method))
print(inspect.isclass(A), inspect.isclass(A()), inspect.isbuiltin(len), inspect.ismodule(types), inspect.isfunction(lambda: 0))
print(isinstance(function, types.FunctionType), isinstance(function, types.LambdaType), isinstance(types, types.ModuleType))
a = A()
a.double = types.MethodType(lambda self, x: (self is a, x * 2), a)
print(a.double(4), types.SimpleNamespace(x=1, y="z"), types.SimpleNamespace(x=1) == types.SimpleNamespace(x=1))
print(importlib.import_module("math").floor(2.5), importlib.import_module("os.path").basename("a/b"), importlib.import_module("math") is importlib.import_module("math"))
