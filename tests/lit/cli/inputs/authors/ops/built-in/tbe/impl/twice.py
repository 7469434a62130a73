from te import tik


def twice(x, y, kernel_name="twice"):
    t = tik.Tik()
    n = x["shape"][0]
    gm = t.Tensor("float32", (n,), name="gm", scope=tik.scope_gm)
    out = t.Tensor("float32", (n + y.get("more", 0),), name="out", scope=tik.scope_gm)
    ub = t.Tensor("float32", (n,), name="ub", scope=tik.scope_ubuf)
    t.data_move(ub, gm, 0, 1, n // 8, 0, 0)
    t.vec_muls(64, ub, ub, 2.0, n // 64, 8, 8)
    t.data_move(out, ub, 0, 1, n // 8, 0, 0)
    t.BuildCCE(kernel_name=kernel_name, inputs=[gm], outputs=[out])
