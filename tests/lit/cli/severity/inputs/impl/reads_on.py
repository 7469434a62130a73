"""An operator of a package that reads a whole tile although its array is shorter."""
from tbe import tik


def reads_on(kernel_name="reads_on"):
    t = tik.Tik()
    x = t.Tensor("float16", (100,), name="x", scope=tik.scope_gm)
    y = t.Tensor("float16", (100,), name="y", scope=tik.scope_gm)
    ub = t.Tensor("float16", (256,), name="ub", scope=tik.scope_ubuf)
    t.data_move(ub, x, 0, 1, 16, 0, 0)
    t.data_move(y, ub, 0, 1, 7, 0, 0)
    t.BuildCCE(kernel_name=kernel_name, inputs=[x], outputs=[y])
    return t
