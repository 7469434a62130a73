# A number that runs into a word is an error, as CPython announces it will be (it warns today): 1if reads
# like a misspelt number.
print(1if 1 else 2)
#| uncaught [bad-literal] '1if' is not a number
