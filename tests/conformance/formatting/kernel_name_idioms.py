kernel, dtype, shape = "vec_add", "float16", (3, 4)
print(kernel + "_" + dtype, "%s_%s_%d" % (kernel, dtype, shape[0]), "{}_{}".format(kernel, "_".join(str(s) for s in shape)), "ub_" + str(7).zfill(3))
print("shape must be %s, but is %s" % ([1, 2], list(shape)), "the %s of %s" % ("x", dict(a=1)))
