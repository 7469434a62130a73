# upper() and lower() change ASCII letters only: names of tensors and kernels are ASCII, and the evaluator
# carries no table of the other alphabets.
print("größe A".upper())
#| GRößE A
