import math
for f in [lambda: math.sqrt(-1), lambda: math.log(0), lambda: math.ceil(float("nan")), lambda: math.floor(float("inf")), lambda: math.pow(0, -1), lambda: math.sqrt("x"), lambda: math.exp(1e5)]:
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__)
