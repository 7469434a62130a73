import enum
@enum.unique
class Mode(enum.Enum):
    A = 0
    B = 1
    def text(self):
        return "mode " + self.name
print(Mode.A.value, Mode.B.text(), Mode.A != Mode.B, len(list(Mode)))
