log = []
def a():
    try:
        b()
    finally:
        log.append("a")
def b():
    try:
        c()
    finally:
        log.append("b")
def c():
    raise ValueError("deep")
try:
    a()
except ValueError as e:
    log.append(str(e))
print(log)
