from tbe import tik
import te.lang.dynamic
from impl.util.platform_adapter import add_compile_info, tbe_context
from tbe.common.context import get_context


def op(x, y, bad=None, fail=False, kernel_name="op"):
    t = tik.Tik()
    n = t.Tensor("float16", (x["shape"][0],), name="x", scope=tik.scope_gm)
    m = t.Tensor("float32", (4, 16), name="y", scope=tik.scope_gm, is_atomic_add=True)
    t.Tensor("int32", (40,), name="ws", scope=tik.scope_gm, is_workspace=True)
    tiling = t.Tensor("int64", (4,), name="tiling_gm", scope=tik.scope_gm)
    count = t.InputScalar("int32", "count")
    ub = t.Tensor("float16", (128,), name="ub", scope=tik.scope_ubuf)
    with t.for_range(0, 8, block_num=8):
        t.data_move(ub, n, 0, 1, 8, 0, 0)
    info = {"ub_size": 1000, "core_num": 8, 3: (1.5, None, True), "big": [2 ** 70]}
    te.op.add_compile_info("vars", info)
    tbe_context.get_context().add_compile_info("is_tik", True)
    add_compile_info("late", "none")
    get_context().add_compile_info("late", "tab\t\"quoted\"")
    get_context().add_build_json_result("tile", [4, 4])
    info["core_num"] = 9
    if bad is not None:
        add_compile_info("bad", {"inner": [bad]})
    if fail:
        t.data_move(ub, n, 0, 0, 8, 0, 0)
    t.BuildCCE(kernel_name=kernel_name, inputs=[n, count], outputs=[m], flowtable=[tiling])


def two(x, y, kernel_name="two"):
    op(x, y, kernel_name=kernel_name + "_a")
    op(x, y, kernel_name=kernel_name + "_b")
    op(x, y, kernel_name=kernel_name + "_c")
