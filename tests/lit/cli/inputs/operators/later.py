from tbe import tik


def later():
    t = tik.Tik()
    ub = t.Tensor("float16", (64,), name="ub", scope=tik.scope_ubuf)
    t.winograd_conv(ub)
    t.winograd_conv(ub)
    t.BuildCCE("k", [], [])
