from impl import constant_util as constant

print("add is loaded as", __name__)


def add(a):
    return a + constant.BLOCK_SIZE
