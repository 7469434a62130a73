"""Contents of operands: patterns that make arithmetic interesting."""
import numpy as np

from vector_model.core import SIZES, UINT

SPECIAL = {
    'float16': [0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x83ff, 0x3c00, 0xbc00, 0x3bff, 0x3c01, 0x3800, 0xb800,
                0x3e00, 0x4100, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xfe55, 0x6800, 0x77ff, 0x7800, 0x5bf8,
                0x5800, 0xd800, 0x57f8],
    'float32': [0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x807fffff, 0x3f800000,
                0xbf800000, 0x3f7fffff, 0x3f800001, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000, 0x7f7fffff,
                0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345, 0x477fe000, 0x477ff000,
                0x33800000, 0x33000000, 0x33000001, 0x387fc000, 0x387fe000, 0x4b800000, 0x4f000000, 0xcf000000,
                0x4effffff, 0x5f000000, 0xdf000000, 0x3f801000, 0x3f803000, 0x3f808000, 0x3f818000],
    'bfloat16': [0x0000, 0x8000, 0x0001, 0x007f, 0x0080, 0x3f80, 0xbf80, 0x3f00, 0x3fc0, 0x4020, 0x7f7f, 0xff7f,
                 0x7f80, 0xff80, 0x7fc0, 0x7f81, 0x4f00, 0xcf00],
}
FLOATS = tuple(SPECIAL)


def integers_near_edges(rng, dtype, n):
    width = 8 * SIZES[dtype]
    edges = np.array([0, 1, 2, 3, 2**width - 1, 2**width - 2, 2**(width - 1), 2**(width - 1) - 1, 2**(width - 1) + 1,
                      2**(width // 2), 2**(width // 2) - 1], np.uint64)
    return rng.choice(edges, n).astype(UINT[SIZES[dtype]])


def random_bits(rng, dtype, n):
    size = SIZES[dtype]
    return np.frombuffer(rng.bytes(n * size), UINT[size]).copy()


def ordinary(rng, dtype, n):
    """Numbers of everyday sizes."""
    size = SIZES[dtype]
    if dtype not in FLOATS:
        x = rng.integers(0 if dtype[0] in 'ub' else -100, 100, n)
        return x.astype(np.int64).astype(np.uint64).astype(UINT[size])
    x = rng.standard_normal(n) * 10.0 ** rng.integers(-2, 3)
    if rng.random() < 0.3:
        x = np.round(x * 2) / 2   # ties of roundings to integers
    x = x.astype(np.float32)
    if dtype == 'bfloat16':
        return (x.view(np.uint32) >> np.uint32(16)).astype(np.uint16)
    return x.astype(dtype).view(UINT[size])


def few(rng, dtype, n):
    """A handful of values, many times: equal elements."""
    return rng.choice(mixed(rng, dtype, 4), n)


def special(rng, dtype, n):
    if dtype not in FLOATS:
        return integers_near_edges(rng, dtype, n)
    return rng.choice(np.array(SPECIAL[dtype], UINT[SIZES[dtype]]), n)


def mixed(rng, dtype, n):
    which = rng.integers(0, 3, n)
    return np.where(which == 0, random_bits(rng, dtype, n),
                    np.where(which == 1, ordinary(rng, dtype, n), special(rng, dtype, n)))


def contents(rng, dtype, n):
    """Patterns of n elements; each call picks one kind of contents."""
    if dtype == 'bool':
        return rng.integers(0, 2, n).astype(np.uint8)
    kind = rng.random()
    if kind < 0.35:
        return ordinary(rng, dtype, n)
    if kind < 0.55:
        return random_bits(rng, dtype, n)
    if kind < 0.7:
        return special(rng, dtype, n)
    return few(rng, dtype, n) if kind < 0.8 else mixed(rng, dtype, n)


def finite_literal(rng, dtype):
    """A number that may stand in a program as an operand of this dtype."""
    if dtype in FLOATS:
        x = float(rng.choice([0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 0.1, 0.3, -3.75, 65504.0, 1e-7]))
        return x if rng.random() < 0.5 else float(np.float16(rng.standard_normal() * 10.0 ** rng.integers(-3, 4)))
    width = 8 * SIZES[dtype]
    low = 0 if dtype[0] == 'u' else -2**(width - 1)
    high = low + 2**width - 1
    if rng.random() < 0.4:
        return int(rng.choice(np.array([low, high, 0, 1], object)))
    return int(rng.integers(max(low, -100), min(high, 100) + 1))
