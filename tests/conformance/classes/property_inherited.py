class A:
    @property
    def name(self):
        return "A"
    @property
    def text(self):
        return "<" + self.name + ">"
class B(A):
    @property
    def name(self):
        return "B" + super().name
print(A().text, B().text)
