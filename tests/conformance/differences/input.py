# Evaluation is hermetic: it asks nobody.
print(input())
#| uncaught NameError: name 'input' is not defined
