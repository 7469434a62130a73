print("-" * 20, "ab" * 2 + "c", "=" * 0 + "end", 3 * "x")
name = "tensor" + "_" + str(5) + "_ub"
print(name, name.split("_")[1], name[:6] + name[-2:])
