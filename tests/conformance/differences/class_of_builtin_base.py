# A class cannot be derived from a built-in container: no operator does, and the refusal names the construct.
class Stack(list):
    pass
#| uncaught [not-supported] a class derived from the built-in type 'list' is not evaluated
