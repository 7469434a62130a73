from impl.broken_helper import f

f(0)
