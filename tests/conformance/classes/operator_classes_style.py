class Base(object):
    def __init__(self, input_dict, kernel_name="op"):
        self.shape = list(input_dict.get("shape"))
        self.dtype = input_dict.get("dtype").lower()
        self.kernel_name = kernel_name
        self.data_size = {"float16": 2, "float32": 4, "int8": 1}[self.dtype]
        self.block = 32 // self.data_size
        self._check()
    def _check(self):
        if len(self.shape) < 1 or any(not isinstance(i, int) or i <= 0 for i in self.shape):
            raise RuntimeError({"errCode": "E1"}, "the shape is %s" % self.shape)
    def count(self):
        total = 1
        for i in self.shape:
            total *= i
        return total
class Tiled(Base):
    def tiling(self, cores=8):
        blocks = (self.count() + self.block - 1) // self.block
        per = -(-blocks // cores)
        used = (blocks + per - 1) // per
        return {"cores": used, "per": per * self.block, "last": self.count() - (used - 1) * per * self.block}
print(Tiled({"shape": (3, 1000), "dtype": "Float16"}).tiling())
print(Tiled({"shape": (7,), "dtype": "int8"}, kernel_name="k").tiling(2))
try:
    Tiled({"shape": (0,), "dtype": "int8"})
except RuntimeError as e:
    print(e.args[0]["errCode"], e.args[1])
