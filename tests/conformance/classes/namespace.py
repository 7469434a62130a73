class Constant:
    SIZE = 32
    BLOCK = SIZE // 2
    TABLE = {"a": SIZE, "b": BLOCK}
    LIST = [i for i in range(3)]
    @staticmethod
    def ceil(a, b):
        return (a + b - 1) // b
print(Constant.SIZE, Constant.BLOCK, Constant.TABLE, Constant.LIST, Constant.ceil(100, Constant.SIZE))
