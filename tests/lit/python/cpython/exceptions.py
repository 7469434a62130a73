# Exceptions.
def f(x):
    if x == 0:
        raise ValueError("zero")
    if x == 1:
        raise RuntimeError({"errCode": "E1"}, "text %d" % x)
    if x == 2:
        return 1 // 0
    if x == 3:
        return [][5]
    if x == 4:
        return {}["k"]
    if x == 5:
        return None.attr
    if x == 6:
        return undefined_name
    if x == 7:
        return 1 + "a"
    if x == 8:
        assert False, "msg"
    if x == 9:
        raise KeyError
    if x == 10:
        return int("x")
    if x == 11:
        f()
    if x == 12:
        a, b = 1, 2, 3
    if x == 13:
        try:
            import no_such_module
        except ImportError:
            raise
    return x
for i in range(15):
    try:
        print("value", f(i))
    except ValueError as e:
        print("ValueError", i)
    except (KeyError, IndexError) as e:
        print(type(e).__name__, isinstance(e, LookupError))
    except RuntimeError as e:
        print("RuntimeError", e.args, str(e))
    except ZeroDivisionError:
        print("ZeroDivisionError")
    except AssertionError as e:
        print("Assertion", e)
    except Exception as e:
        print("Exception", type(e).__name__)
    else:
        print("else", i)
    finally:
        print("finally", i)
class MyError(Exception):
    pass
class Detailed(MyError):
    def __init__(self, code, msg):
        super().__init__(msg)
        self.code = code
    def __str__(self):
        return "[%d] %s" % (self.code, self.args[0])
try:
    raise Detailed(7, "boom")
except MyError as e:
    print(type(e).__name__, e, e.code, e.args, isinstance(e, Exception))
try:
    try:
        raise MyError("inner")
    except MyError:
        raise
except MyError as e:
    print("reraised", e)
try:
    try:
        1 / 0
    except ZeroDivisionError as z:
        raise ValueError("from") from z
except ValueError as e:
    print(e)
def fin():
    try:
        return "try"
    finally:
        print("cleanup")
def fin2():
    for i in range(3):
        try:
            continue
        finally:
            print("f", i)
    while True:
        try:
            break
        finally:
            print("brk")
    try:
        return 1
    finally:
        return 2
print(fin(), fin2())
try:
    raise MyError
except MyError as e:
    print(repr(e), str(e) == "", e.args)
print(repr(ValueError("a")), repr(ValueError("a", 1)), str(ValueError("a", 1)), str(KeyError("k")) != "", ValueError("x").args)
try:
    for v in [1, 2]:
        if v == 2:
            raise StopIteration("s")
except StopIteration as e:
    print("stop", e)
def nested():
    try:
        try:
            raise ValueError("1")
        finally:
            print("inner finally")
    except ValueError as e:
        print("outer", e)
        try:
            raise TypeError("2")
        except TypeError:
            print("type")
    print("after")
nested()
try:
    x = {}
    x["a"]["b"]
except KeyError:
    print("key")
try:
    (lambda: 1)(2)
except TypeError:
    print("argument count")
try:
    raise BaseException("base")
except BaseException as e:
    print("base", e)
try:
    d = {1: 1}
    for k in d:
        d[k + 1] = 1
except RuntimeError:
    print("changed")
try:
    [1, 2].remove(5)
except ValueError:
    print("remove")
def recurse(n):
    try:
        if n == 0:
            raise ValueError("deep")
        recurse(n - 1)
    finally:
        trail.append(n)
trail = []
try:
    recurse(5)
except ValueError as e:
    print(e, trail)
try:
    del undefined_thing
except NameError:
    print("del name")
try:
    "a".nope
except AttributeError:
    print("attr")
try:
    None()
except TypeError:
    print("not callable")
for bad in ("a.b", "5 5", ""):
    try:
        float(bad)
    except ValueError:
        print("float", repr(bad))
print("end")
