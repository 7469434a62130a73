class Base:
    def run(self):
        raise NotImplementedError("run of " + type(self).__name__)
class A(Base):
    pass
try:
    A().run()
except NotImplementedError as e:
    print(e)
