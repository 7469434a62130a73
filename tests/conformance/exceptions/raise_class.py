try:
    raise ValueError
except ValueError as e:
    print(repr(str(e)), e.args)
class E(Exception):
    pass
try:
    raise E
except E as e:
    print(type(e).__name__, e.args)
