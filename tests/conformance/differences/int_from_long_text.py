# CPython limits int() of a decimal text to 4300 digits; the evaluator has its memory limit instead.
print(len(str(int("1" * 5000))))
#| 5000
