# A class has at most one base that counts: no operator uses several, and the refusal names the construct.
class A:
    pass
class B:
    pass
class C(A, B):
    pass
#| uncaught [not-supported] a class with several bases is not evaluated
