class MyError(Exception):
    def __init__(self, code, text):
        Exception.__init__(self, text)
        self.code = code
class Sub(MyError):
    pass
try:
    raise Sub(5, "five")
except MyError as e:
    print(e.code, e, e.args, type(e).__name__, isinstance(e, Exception))
class Plain(ValueError):
    def __str__(self):
        return "plain text"
try:
    raise Plain("x")
except ValueError as e:
    print(e, e.args)
