# Cases as unit tests of operators declare them: right, wrong in fewer and in more elements than may be, with an output that the kernel declares larger, with what
# is not installed, and with a call that does not compile.
import numpy as np
import tensorflow as tf
from op_test_frame.common import precision_info
from op_test_frame.ut import OpUT

ut_case = OpUT("Twice", "impl.twice", "twice")


def description(kind, **more):
    return dict({"dtype": "float32", "format": "ND", "ori_format": "ND", "shape": (1024,), "ori_shape": (1024,), "param_type": kind}, **more)


def right(x, y):
    return 2 * x["value"]


def off_in(n):
    def wrong(x, y):
        result = right(x, y)
        result[-n:] *= 2
        return [result]
    return wrong


def not_here(x, y):
    return tf.multiply(x["value"], 2)


def case(reference, **more):
    ut_case.add_precision_case("all", {"params": [description("input", value_range=[-10, 10]), description("output", **more)], "calc_expect_func": reference,
                                       "precision_standard": precision_info.PrecisionStandard(0.002, 0.001)})


case(right)
case(off_in(2))
case(off_in(3))
case(right, more=64)
case(not_here)
case(right, more=-64)
