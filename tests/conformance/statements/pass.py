def f():
    pass
class A:
    pass
for i in range(2):
    pass
if True:
    pass
else:
    pass
print(f(), i)
