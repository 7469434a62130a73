"""elements.py make|length|spoil|check FOLDER [N]: arrays for elements.tik, their length, an index beyond the tensor, and what is expected."""
import sys

import numpy as np

what, folder = sys.argv[1:3]


def load(name):
    return np.load(f'{folder}/{name}.npy')


if what == 'make':
    r = np.random.default_rng(5)
    for name, dtype in (('x', np.float32), ('h', np.float16), ('b', np.uint8)):
        np.save(f'{folder}/{name}', r.permutation(128).astype(dtype))
    np.save(f'{folder}/idx', r.integers(0, 128, 128).astype(np.int32))
elif what == 'length':
    np.save(f'{folder}/n', np.array([int(sys.argv[3])], np.int32))
elif what == 'spoil':
    idx = load('idx')
    idx[[37, 39]] = 300, -1
    np.save(f'{folder}/idx', idx)
else:
    x, h, b, idx, n = (load(name) for name in ('x', 'h', 'b', 'idx', 'n'))
    n = int(n[0])
    k = int(idx[n - 1]) if n else 5
    y, p, q, s = x.copy(), h.copy(), b.copy(), idx.copy()
    y[:n] = x[idx[:n]]
    for i in range(n):
        p[idx[i]] = h[127 - i]
    q[128 - n:] = b[:n][::-1]
    s[:n] = np.arange(n) * 3 + k
    for name, want in (('y', y), ('p', p), ('q', q), ('s', s), ('last', np.array([k] + [7] * 7, np.int32))):
        assert (load(name) == want).all(), (name, n)
