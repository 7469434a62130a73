# The depth of calls is a limit of the compiler that no handler may swallow; CPython raises RecursionError.
def f(n):
    return f(n + 1)
try:
    f(0)
except RecursionError:
    print("caught")
#| uncaught [limit-depth] calls nest deeper than 900
