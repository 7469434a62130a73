# Functions with yield keep a state between calls; the evaluator refuses them and names the construct.
def f():
    yield 1
print(list(f()))
#| uncaught [not-supported] yield: generator functions are not evaluated
