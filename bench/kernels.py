"""The kernels that peers are compared on: inputs, sizes, bytes that must move, references in float64 and tolerances.

An input is a tile that is repeated until the array is full (worker.c does that), so that files stay small while arrays are
larger than any cache. Where rows or elements do not know of each other, the output repeats too, and only its first period is
compared. `bytes` counts each input and output once: no reads for ownership, no temporaries. `ops` is given where arithmetic
is the limit."""
from dataclasses import dataclass, field
from typing import Callable

import numpy as np

TILE = 1 << 20                               # elements of a tile of an input
N = 1 << 24
ROWS, COLS = 4096, 1024
MANY = 65536                                 # rows of the reductions
SQUARE = 4096
D = 512
SLICE = dict(rows=32768, pitch=4096, first=528, length=1040)
COPY = 1 << 27
A, B = 1.25, -0.5
SCALE, OFFSET = 0.00025, 3.0                 # of the requantisation
TAIL = (1 << 24) + 1237
TABLE, GATHERED, WIDTH = 16384, 1 << 18, 128
LEFT, RIGHT, PAIRS = 768, 352, 16384
SLOPE = 0.125
CHAIN_SCALE, CHAIN_OFFSET = 0.0078125 * 1.25, 0.5


@dataclass
class Kernel:
    name: str
    what: str
    inputs: list                             # of (elements, function that makes a tile)
    output: tuple                            # (elements, dtype)
    reference: Callable                      # of the tiles
    check: Callable                          # of (got, reference): (is right, message)
    sizes: list
    factors: list = field(default_factory=list)
    bytes: int = 0
    ops: int = 0
    extra: bool = False                      # not one of the thirteen

    def arrays(self):
        return [make() for _, make in self.inputs]


def half(shape, seed, low=-4.0, high=4.0):
    return lambda: single(shape, seed, low, high)().astype(np.float16)


def single(shape, seed, low=-4.0, high=4.0):
    return lambda: np.random.default_rng(seed).uniform(low, high, shape).astype(np.float32)


def integers(shape, seed, low=-128, high=128, dtype=np.int8):
    return lambda: np.random.default_rng(seed).integers(low, high, shape, dtype=dtype)


# ---- references ------------------------------------------------------------------------------------

def added(x, y):
    return (x.astype(np.float64) + y).astype(x.dtype)


def scaled(x, *_):
    return np.maximum(A * x.astype(np.float64) + B, 0).astype(x.dtype)


def softmax(x):
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    return (e / e.sum(1, keepdims=True)).astype(np.float32)


def layernorm(x, gamma, beta):
    a = x.astype(np.float64)
    d = a - a.mean(1, keepdims=True)
    v = d / np.sqrt((d ** 2).mean(1, keepdims=True) + 1e-5)
    return (v * gamma.astype(np.float64) + beta.astype(np.float64)).astype(np.float16)


def matmul_i8(x, y):
    sums = (x.astype(np.float64) @ y.astype(np.float64)).astype(np.float32)   # exact: less than 2^24
    v = np.maximum(sums * np.float32(SCALE) + np.float32(OFFSET), 0)
    return np.clip(np.rint(v), -128, 127).astype(np.int8)


def matmul_f16(x, y):
    return (x.astype(np.float64) @ y.astype(np.float64)).astype(np.float16)


def gelu(x):
    a = x.astype(np.float64)
    return (0.5 * a * (1 + np.tanh(np.sqrt(2 / np.pi) * (a + 0.044715 * a ** 3)))).astype(np.float32)


def selected(x, y):
    return np.where(x > y, x, y * np.float32(SLOPE))


def chain(x):
    return (x.astype(np.float16) * np.float16(CHAIN_SCALE)).astype(np.float32) + np.float32(CHAIN_OFFSET)


# ---- tolerances ------------------------------------------------------------------------------------

def within(relative, absolute):
    def check(got, reference):
        g, r = got.astype(np.float64), reference.astype(np.float64)
        if not np.all(np.isfinite(g)):
            return False, 'not finite'
        e = np.abs(g - r)
        wrong = int((e > relative * np.abs(r) + absolute).sum())
        return wrong == 0, 'largest error %.3g, %d out of tolerance' % (e.max(), wrong)
    return check


def exact(got, reference):
    n = int((got.view(np.uint8) != reference.view(np.uint8)).sum())
    return n == 0, '%d bytes differ' % n


def off_by_one(got, reference):
    """Ties may go either way: one in a thousand elements."""
    d = np.abs(got.astype(np.int32) - reference.astype(np.int32))
    far, near = int((d > 1).sum()), int((d == 1).sum())
    return far == 0 and near <= d.size // 1000, '%d off by one, %d worse' % (near, far)


ONE_ROUNDING = within(2 ** -10, 2 ** -12)    # a unit of the last place of float16
ROUNDINGS = within(2 ** -9, 2 ** -9)         # several of them

KERNELS = [
    Kernel('add_f16', 'f16 add, 2^24', [(N, half(TILE, 1)), (N, half(TILE, 2))], (N, np.float16), added, ONE_ROUNDING,
           [N], bytes=6 * N),
    Kernel('add_f32', 'f32 add, 2^24', [(N, single(TILE, 3)), (N, single(TILE, 4))], (N, np.float32), added,
           within(1e-7, 0), [N], bytes=12 * N),
    Kernel('axpb_relu_f16', 'f16 relu(ax+b), 2^24', [(N, half(TILE, 5))], (N, np.float16), scaled, ROUNDINGS, [N], [A, B],
           bytes=4 * N),
    Kernel('softmax_f32', 'f32 softmax, 4096 x 1024', [(ROWS * COLS, single((TILE // COLS, COLS), 6, -8, 8))],
           (ROWS * COLS, np.float32), softmax, within(2e-5, 1e-9), [ROWS, COLS], bytes=8 * ROWS * COLS),
    Kernel('layernorm_f16', 'f16 layernorm, 4096 x 1024',
           [(ROWS * COLS, half((TILE // COLS, COLS), 7)), (COLS, half(COLS, 8, 0.5, 1.5)), (COLS, half(COLS, 9, -1, 1))],
           (ROWS * COLS, np.float16), layernorm, ROUNDINGS, [ROWS, COLS], [1e-5], bytes=4 * ROWS * COLS),
    Kernel('rowsum_f32', 'f32 row sum, 65536 x 1024', [(MANY * COLS, single((TILE // COLS, COLS), 10))],
           (MANY, np.float32), lambda x: x.astype(np.float64).sum(1).astype(np.float32), within(1e-5, 2e-3),
           [MANY, COLS], bytes=4 * MANY * COLS + 4 * MANY),
    Kernel('rowmax_f32', 'f32 row max, 65536 x 1024', [(MANY * COLS, single((TILE // COLS, COLS), 10))],
           (MANY, np.float32), lambda x: x.max(1), exact, [MANY, COLS], bytes=4 * MANY * COLS + 4 * MANY),
    Kernel('transpose_f16', 'f16 transpose, 4096 x 4096', [(SQUARE * SQUARE, half((SQUARE, SQUARE), 11))],
           (SQUARE * SQUARE, np.float16), lambda x: np.ascontiguousarray(x.T), exact, [SQUARE, SQUARE],
           bytes=4 * SQUARE * SQUARE),
    Kernel('matmul_i8', 'i8 matmul 512^3, requantised', [(D * D, integers((D, D), 12)), (D * D, integers((D, D), 13))],
           (D * D, np.int8), matmul_i8, off_by_one, [D, D, D], [SCALE, OFFSET], bytes=3 * D * D, ops=2 * D ** 3),
    Kernel('matmul_f16', 'f16 matmul 512^3, f32 sums', [(D * D, half((D, D), 14, -1, 1)), (D * D, half((D, D), 15, -1, 1))],
           (D * D, np.float16), matmul_f16, within(2 ** -9, 1e-3), [D, D, D], bytes=6 * D * D, ops=2 * D ** 3),
    Kernel('slice_f16', 'strided slice, 32768 x 2080 of 8192 bytes',
           [(SLICE['rows'] * SLICE['pitch'], half((TILE // SLICE['pitch'], SLICE['pitch']), 16))],
           (SLICE['rows'] * SLICE['length'], np.float16),
           lambda x: np.ascontiguousarray(x[:, SLICE['first']:SLICE['first'] + SLICE['length']]), exact,
           list(SLICE.values()), bytes=4 * SLICE['rows'] * SLICE['length']),
    Kernel('gelu_f32', 'f32 GELU (tanh), 2^24', [(N, single(TILE, 17, -6, 6))], (N, np.float32), gelu, within(1e-5, 2e-6),
           [N], bytes=8 * N),
    Kernel('copy', 'copy, 2^27 bytes', [(COPY, integers(4 * TILE, 18, 0, 256, np.uint8))], (COPY, np.uint8),
           lambda x: x, exact, [COPY], bytes=2 * COPY),
    # Others, unlike these.
    Kernel('tail_f32', 'f32 relu(ax+b), 2^24 + 1237', [(TAIL, single(TILE, 19))], (TAIL, np.float32), scaled,
           within(1e-6, 1e-6), [TAIL], [A, B], bytes=8 * TAIL, extra=True),
    Kernel('dynamic_f32', 'the same, length at run time', [(TAIL, single(TILE, 19)), (1, integers(1, 0, TAIL, TAIL + 1, np.int32))],
           (TAIL, np.float32), scaled, within(1e-6, 1e-6), [TAIL], [A, B], bytes=8 * TAIL, extra=True),
    Kernel('gather_f16', 'gather of 2^18 rows of 256 bytes by index',
           [(TABLE * WIDTH, half((TABLE, WIDTH), 20)), (GATHERED, integers(1 << 16, 21, 0, TABLE, np.int32))],
           (GATHERED * WIDTH, np.float16), lambda x, i: x[i], exact, [GATHERED, WIDTH, TABLE],
           bytes=2 * GATHERED * WIDTH + 4 * GATHERED + 2 * TABLE * WIDTH, extra=True),
    Kernel('concat_f16', 'columns of two matrices, 16384 x (768 + 352) f16',
           [(PAIRS * LEFT, half((1024, LEFT), 22)), (PAIRS * RIGHT, half((1024, RIGHT), 23))],
           (PAIRS * (LEFT + RIGHT), np.float16), lambda x, y: np.concatenate((x, y), 1), exact, [PAIRS, LEFT, RIGHT],
           bytes=4 * PAIRS * (LEFT + RIGHT), extra=True),
    Kernel('select_f32', 'f32 x > y ? x : y/8, 2^24', [(N, single(TILE, 24)), (N, single(TILE, 25))], (N, np.float32),
           selected, exact, [N], [SLOPE], bytes=12 * N, extra=True),
    Kernel('chain_i8', 'i8 to f16, times a, to f32, plus b, 2^24', [(N, integers(4 * TILE, 26))], (N, np.float32), chain,
           within(1e-3, 1e-6), [N], [CHAIN_SCALE, CHAIN_OFFSET], bytes=5 * N, extra=True),
]
