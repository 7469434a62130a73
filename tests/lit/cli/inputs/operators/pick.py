from tbe import tik


def pick(columns=8):
    """A row of x for each index; the launcher chooses the number of rows and how many indices there are."""
    t = tik.Tik()
    x = t.Tensor("float32", (2**31 - 1,), name="x", scope=tik.scope_gm)
    index = t.Tensor("int32", (8,), name="index", scope=tik.scope_gm)
    count = t.Tensor("int32", (8,), name="count", scope=tik.scope_gm)
    y = t.Tensor("float32", (2**31 - 1,), name="y", scope=tik.scope_gm)
    words = t.Tensor("int32", (8,), name="words", scope=tik.scope_ubuf)
    indices = t.Tensor("int32", (8,), name="indices", scope=tik.scope_ubuf)
    row = t.Tensor("float32", (columns,), name="row", scope=tik.scope_ubuf)
    t.data_move(words, count, 0, 1, 1, 0, 0)
    t.data_move(indices, index, 0, 1, 1, 0, 0)
    n, i = t.Scalar("int32", init_value=words[0]), t.Scalar("int32")
    with t.for_range(0, n) as k:
        i.set_as(indices[k])
        t.data_move(row, x[i * columns], 0, 1, 1, 0, 0)
        t.data_move(y[k * columns], row, 0, 1, 1, 0, 0)
    t.BuildCCE("pick", [x, index], [y], flowtable=[count])
