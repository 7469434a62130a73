from . import numbers
from ..util.platform_adapter import para_check


def helper():
    return numbers.SEVEN, para_check.KERNEL_NAME
