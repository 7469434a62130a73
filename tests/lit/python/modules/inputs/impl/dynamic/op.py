import impl.add
import impl.constant_util as cu
from impl import add, constant_util, plus
from impl.dynamic import helper
from impl.dynamic.op import __name__ as own_name
from impl.util.platform_adapter import tbe_context, tik
from .numbers import SEVEN
from . import other

print(add(1), plus(2), impl.add(3), constant_util.BLOCK_SIZE, cu.BLOCK_SIZE, helper(), SEVEN, other.helper())
print(tbe_context.get_context().get_op_mode())


def op(x, kernel_name="op"):
    print("op", x, __name__, own_name)
    t = tik.Tik()
    gm = t.Tensor("float16", (16,), name="gm", scope=tik.scope_gm)
    ub = t.Tensor("float16", (16,), name="ub", scope=tik.scope_ubuf)
    t.vec_dup(16, ub, x, 1, 8)
    t.data_move(gm, ub, 0, 1, 1, 0, 0)
    t.BuildCCE(kernel_name=kernel_name, inputs=[], outputs=[gm])
