# The kernel of address-list.test in numpy: what it reads and what must come out.
import sys

import numpy as np

folder = sys.argv[1] + "/"
order = np.array([0, 1, 2, 2, 1, 0, 0, 1], np.int32)
arrays = [np.arange(n, dtype=np.int32) + 1000 * i for i, n in enumerate((16, 20, 40))]
if sys.argv[2] == "make":
    np.save(folder + "order.npy", order)
    np.save(folder + "short.npy", arrays[0][:0])
    for name, wrong in (("after", 3), ("before", -1), ("huge", 2 ** 28)):
        np.save(folder + name + ".npy", np.where(np.arange(8) == 5, wrong, order).astype(np.int32))
    for i, a in enumerate(arrays):
        np.save(folder + "in%d.npy" % i, a)
else:
    y = np.zeros((8, 8), np.int32)
    for k, i in enumerate(order):
        padded = np.concatenate([arrays[i], np.zeros(-len(arrays[i]) % 8, np.int32)])
        padded[8:16] += 1
        y[k] = padded[8:16]
        arrays[i] = padded[:len(arrays[i])]
    for name in sys.argv[2:]:
        assert (np.load(folder + name + ".y.npy") == y.reshape(-1)).all(), name
        for i, a in enumerate(arrays):
            got = np.load(folder + "%s.%d.npy" % (name, i))
            assert got.dtype == a.dtype and (got == a).all(), (name, i, got, a)
