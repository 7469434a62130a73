from impl.util.util_common import BLOCK


def make():
    return BLOCK
