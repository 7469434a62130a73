# Nothing runs beside a program that is evaluated: async is refused.
async def f():
    pass
#| uncaught [not-supported] async def: asynchronous functions are not evaluated
