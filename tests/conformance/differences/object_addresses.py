# What repr shows of a function has no address: the output of a program is the same in every run.
print(lambda: 0)
#| <function <lambda>>
