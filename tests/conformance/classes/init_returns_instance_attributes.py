class A:
    def __init__(self, d):
        self.shape = d.get("shape")
        self.dtype = d.get("dtype").lower()
        self.size = 1
        for i in self.shape:
            self.size *= i
        self.tiling()
    def tiling(self):
        self.blocks, self.tail = self.size // 16, self.size % 16
a = A({"shape": (3, 7), "dtype": "FLOAT16"})
print(a.size, a.blocks, a.tail, a.dtype)
