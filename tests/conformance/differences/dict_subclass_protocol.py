# A class derived from dict may define __missing__, __repr__ and operators; the evaluator reads the items of a
# dictionary itself, so that __getitem__ and the like would never be asked. It says so.
class Loud(dict):
    def __getitem__(self, key):
        return "loud"
print(Loud(a=1)["a"])
#| uncaught [not-supported] __getitem__ in a class derived from dict is not evaluated
