import traceback
try:
    raise ValueError("x")
except ValueError:
    print("handled")
print("end")
