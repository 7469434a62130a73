def f(e):
    try:
        raise e
    except ZeroDivisionError:
        return "zero"
    except (KeyError, IndexError):
        return "lookup"
    except LookupError:
        return "other lookup"
    except ArithmeticError:
        return "arithmetic"
    except Exception as x:
        return "exception " + type(x).__name__
print(f(ZeroDivisionError()), f(KeyError("k")), f(IndexError()), f(LookupError()), f(OverflowError()), f(RuntimeError("r")), f(TypeError()))
