# Evaluation is hermetic: it asks nobody.
print(input())
#| uncaught [not-supported] input() is not evaluated: a compilation asks nobody
