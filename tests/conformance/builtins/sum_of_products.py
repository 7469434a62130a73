shape = (2, 3, 4)
total = 1
for d in shape:
    total *= d
strides = []
for i in range(len(shape)):
    p = 1
    for d in shape[i + 1:]:
        p *= d
    strides.append(p)
print(total, strides, sum(s * i for s, i in zip(strides, (1, 2, 3))))
