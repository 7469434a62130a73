from abc import ABCMeta, abstractmethod
class A(metaclass=ABCMeta):
    @abstractmethod
    def f(self):
        """text"""
class B(A):
    def f(self):
        return super().f() or "B"
print(B().f())
