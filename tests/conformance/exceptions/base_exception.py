try:
    raise BaseException("base")
except Exception:
    print("wrong")
except BaseException as e:
    print("base", e)
print(issubclass(Exception, BaseException), issubclass(KeyError, LookupError), issubclass(ImportError, Exception), issubclass(NotImplementedError, RuntimeError), issubclass(ZeroDivisionError, ArithmeticError), issubclass(UnboundLocalError, NameError), issubclass(ModuleNotFoundError, ImportError), issubclass(RecursionError, RuntimeError))
