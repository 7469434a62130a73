# The kernel of address-slices.test in numpy: what it reads and what must come out.
import sys

import numpy as np

folder = sys.argv[1] + "/"
arrays = [(np.arange(160) + 1000 * i).astype(np.float32).reshape(4, 40) for i in range(2)]
if sys.argv[2] == "make":
    for i, a in enumerate(arrays):
        np.save(folder + "in%d.npy" % i, a)
    np.save(folder + "short.npy", arrays[1][:3])
else:
    y = np.concatenate([a[1::2, 4:20] for a in arrays])
    arrays[1].reshape(-1)[3:11] = y.reshape(-1)[:8]
    for name in sys.argv[2:]:
        assert (np.load(folder + name + ".y.npy") == y).all(), name
        for i, a in enumerate(arrays):
            assert (np.load(folder + "%s.%d.npy" % (name, i)) == a).all(), (name, i)
