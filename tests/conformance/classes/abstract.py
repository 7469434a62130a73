from abc import ABCMeta, abstractmethod
class Base(metaclass=ABCMeta):
    @abstractmethod
    def run(self):
        pass
    def twice(self):
        return self.run() * 2
class Impl(Base):
    def run(self):
        return 21
print(Impl().twice(), isinstance(Impl(), Base))
