from tbe import tik
from tbe.common.context import get_context


def good(n=1):
    if get_context().get_op_mode() == "dynamic":
        raise RuntimeError("not in this mode")
    t = tik.Tik()
    x = t.Tensor("float16", (64,), name="x", scope=tik.scope_gm)
    ub = t.Tensor("float16", (64,), name="ub", scope=tik.scope_ubuf)
    t.data_move(ub, x, 0, n, 1, 0, 0)
    t.BuildCCE("k", [x], [])
