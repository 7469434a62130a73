from tbe import tik
from te.utils.op_utils import *


def check_supported(x, y, kernel_name="check"):
    return True


def scale_compute(x, y, kernel_name="compute"):
    return x


def _inner(x, kernel_name="inner"):
    return x


def double(x, y, kernel_name="double"):
    return scale_compute(x, y)


def read(descriptions):
    return descriptions[1]["format"]


@check_op_params(REQUIRED_INPUT, DYNAMIC_INPUT, OPTION_INPUT, REQUIRED_OUTPUT, REQUIRED_ATTR_LIST_INT,
                 OPTION_ATTR_INT, KERNEL_NAME)
def scale_op(x, many, maybe, y, axes, axis=0, kernel_name="scale"):
    return x["range"]


def plain(x, xs, axis, *rest, scale=0.5, impl_mode="", kernel_name="plain"):
    if axis == 1:
        return read(xs)
    return x["shape"]
