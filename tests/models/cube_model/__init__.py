"""The matrix unit in numpy, written from the manual (cube chapters 2 to 7), not from the C code.

Operands are one-dimensional uint8 arrays that begin at the operand's first byte; what is written is written in
place. Numbers have the names of the manual. Results that the manual leaves open are 0: rows and columns of sums
after the last one, rows of windows that do not exist (docs/decisions.md)."""
import numpy as np

METHODS = {'load2dv1', 'load2dv2', 'load2dv3', 'load_data_with_transpose', 'load3dv1', 'load3dv2', 'col2img', 'mmad', 'matmul', 'conv2d'}
NUMPY = {'uint8': np.uint8, 'int8': np.int8, 'uint16': np.uint16, 'int16': np.int16, 'float16': np.float16,
         'bfloat16': np.uint16, 'uint32': np.uint32, 'int32': np.int32, 'float32': np.float32}
SIZES = {t: np.dtype(n).itemsize for t, n in NUMPY.items()}
FRACTAL = 512


def up(a, b):
    return -(-a // b) * b


def view(raw, dtype, n=None):
    size = SIZES[dtype]
    n = len(raw) // size if n is None else n
    return raw[:n * size].view(NUMPY[dtype])


def numbers(values, dtype):
    """Stored elements as numbers that can be computed with."""
    if dtype == 'bfloat16':
        return (values.astype(np.uint32) << 16).view(np.float32)
    return values


# ---- layouts -------------------------------------------------------------------------------------------------


def zz(matrix, k0):
    """(rows, columns) as L0A has it, padded with zeros."""
    m, k = matrix.shape
    out = np.zeros((up(m, 16), up(k, k0)), matrix.dtype)
    out[:m, :k] = matrix
    return out.reshape(out.shape[0] // 16, 16, out.shape[1] // k0, k0).transpose(0, 2, 1, 3).reshape(-1)


def zn(matrix, k0):
    """B[k][n] as L0B has it."""
    k, n = matrix.shape
    out = np.zeros((up(k, k0), up(n, 16)), matrix.dtype)
    out[:k, :n] = matrix
    return out.reshape(out.shape[0] // k0, k0, out.shape[1] // 16, 16).transpose(0, 2, 3, 1).reshape(-1)


def nz(matrix):
    """C[m][n] as L0C has it."""
    m, n = matrix.shape
    out = np.zeros((up(m, 16), up(n, 16)), matrix.dtype)
    out[:m, :n] = matrix
    return out.reshape(out.shape[0], out.shape[1] // 16, 16).transpose(1, 0, 2).reshape(-1)


def from_zz(flat, m, k, k0):
    rows, columns = up(m, 16), up(k, k0)
    x = flat[:rows * columns].reshape(rows // 16, columns // k0, 16, k0)
    return x.transpose(0, 2, 1, 3).reshape(rows, columns)[:m, :k]


def from_zn(flat, k, n, k0):
    rows, columns = up(k, k0), up(n, 16)
    x = flat[:rows * columns].reshape(rows // k0, columns // 16, 16, k0)
    return x.transpose(0, 3, 1, 2).reshape(rows, columns)[:k, :n]


def from_nz(flat, m, n):
    rows, columns = up(m, 16), up(n, 16)
    return flat[:rows * columns].reshape(columns // 16, rows, 16).transpose(1, 0, 2).reshape(rows, columns)[:m, :n]


# ---- fractals ------------------------------------------------------------------------------------------------


def turned(fractal):
    return fractal.copy().view(np.uint16).reshape(16, 16).T.copy().view(np.uint8).reshape(-1)


def load2d(dst, src, index, repeat_times, dst_gap, src_stride, if_transpose=False, dec=False):
    sign = -1 if dec else 1
    for i in range(repeat_times):
        s = (index + sign * i * src_stride) * FRACTAL
        d = i * (dst_gap + 1) * FRACTAL
        fractal = src[s:s + FRACTAL].copy()
        dst[d:d + FRACTAL] = turned(fractal) if if_transpose else fractal


def load2d_box(dst, src, m_start, k_start, src_stride, dst_stride, m_step, k_step, transpose=False):
    for k in range(k_step):
        for m in range(m_step):
            s = ((k_start + k) * src_stride + m_start + m) * FRACTAL
            d = (k * dst_stride + m) * FRACTAL
            fractal = src[s:s + FRACTAL].copy()
            dst[d:d + FRACTAL] = turned(fractal) if transpose else fractal


def load2d_square(dst, src, dtype, index, repeat_times, dst_gap, dst_frac_gap, src_stride, dec=False):
    """load_data_with_transpose of 8-bit and 32-bit elements: two fractals are a square matrix."""
    size = SIZES[dtype]
    sign = -1 if dec else 1
    for i in range(repeat_times):
        s = (index + sign * i * src_stride) * 2 * FRACTAL
        first, second = (src[s + h * FRACTAL:s + (h + 1) * FRACTAL].view(NUMPY[dtype]).reshape(16, 32 // size)
                         for h in (0, 1))
        axis = 0 if size == 1 else 1
        matrix = np.concatenate([first, second], axis).T
        for h, half in enumerate(np.split(matrix, 2, axis)):
            d = (i * (dst_gap + 1) + h * (dst_frac_gap + 1)) * FRACTAL
            dst[d:d + FRACTAL] = np.ascontiguousarray(half).reshape(-1).view(np.uint8)


# ---- windows -------------------------------------------------------------------------------------------------


class Windows:
    """An image (C1, H, W, C0) under a kernel; pad is [left, right, top, bottom]."""

    def __init__(self, h, w, pad, stride_w, stride_h, filter_w, filter_h, dilation_w, dilation_h):
        self.h, self.w, self.pad = h, w, pad
        self.sw, self.sh, self.kw, self.kh, self.dw, self.dh = \
            stride_w, stride_h, filter_w, filter_h, dilation_w, dilation_h
        left, right, top, bottom = pad
        # A kernel that is larger than the padded image has one window all the same.
        self.fits = h + top + bottom > dilation_h * (filter_h - 1) and w + left + right > dilation_w * (filter_w - 1)
        self.ho = max((h + top + bottom - dilation_h * (filter_h - 1) - 1) // stride_h, 0) + 1
        self.wo = max((w + left + right - dilation_w * (filter_w - 1) - 1) // stride_w, 0) + 1

    def place(self, m, kh, kw):
        """(y, x) of a window's pixel at a point of the kernel."""
        ho, wo = divmod(m, self.wo)
        return ho * self.sh - self.pad[2] + kh * self.dh, wo * self.sw - self.pad[0] + kw * self.dw

    def column(self, image, m, point, pad_value):
        """The C0 elements of window m at a point; points count on through the groups of channels."""
        c1, rest = divmod(point, self.kh * self.kw)
        y, x = self.place(m, *divmod(rest, self.kw))
        if 0 <= y < self.h and 0 <= x < self.w:
            return image[c1, y, x]
        return np.full(image.shape[3], pad_value, image.dtype)

    def matrix(self, image, pad_value):
        points = image.shape[0] * self.kh * self.kw
        return np.array([np.concatenate([self.column(image, m, p, pad_value) for p in range(points)])
                         for m in range(self.ho * self.wo)])


def image_of(src, groups, win, dtype):
    c0 = 32 // SIZES[dtype]
    return view(src, dtype, groups * win.h * win.w * c0).reshape(groups, win.h, win.w, c0)


def bits_of(value, dtype):
    """A number as an element of the type, stored."""
    if dtype == 'bfloat16':
        return np.float32(value).view(np.uint32) >> 16
    return NUMPY[dtype](value)


def load3dv1_few(dst, src, dtype, win, fetch_w, fetch_h, left_top_w, left_top_h, jump_offset, repeat_mode, repeat_time,
                 pad_value=0):
    """load3dv1 with _csize 1: an image of 4 channels, of which four points of the kernel are a row."""
    image = view(src, dtype, win.h * win.w * 4).reshape(1, win.h, win.w, 4)
    matrix = win.matrix(image, bits_of(pad_value, dtype)) if win.ho * win.wo else np.zeros((0, 0))
    padded = np.zeros((win.ho * win.wo + 16 * (repeat_time + 1), matrix.shape[1] + 16 * (repeat_time + 1)), image.dtype)
    padded[:matrix.shape[0], :matrix.shape[1]] = matrix
    m = (left_top_h + win.pad[2]) // win.sh * win.wo + (left_top_w + win.pad[0]) // win.sw
    k = (fetch_h * win.kw + fetch_w) * 4
    for j in range(repeat_time):
        m0, k0 = (m + 16 * j, k) if repeat_mode else (m, k + 16 * j)
        at = j * jump_offset * FRACTAL
        dst[at:at + FRACTAL] = np.ascontiguousarray(padded[m0:m0 + 16, k0:k0 + 16]).reshape(-1).view(np.uint8)


def load3dv1(dst, src, dtype, win, c1_index, fetch_w, fetch_h, left_top_w, left_top_h, jump_offset, repeat_mode,
             repeat_time, pad_value=0):
    points = win.kh * win.kw
    point = (c1_index * win.kh + fetch_h) * win.kw + fetch_w
    last = point + (repeat_time - 1 if repeat_mode == 0 else 0)
    image = image_of(src, last // points + 1, win, dtype)
    first = (left_top_h + win.pad[2]) // win.sh * win.wo + (left_top_w + win.pad[0]) // win.sw
    for j in range(repeat_time):
        fractal = np.zeros((16, image.shape[3]), image.dtype)
        for i in range(16):
            m = first + i + (16 * j if repeat_mode else 0)
            if m < win.ho * win.wo:
                fractal[i] = win.column(image, m, point + (0 if repeat_mode else j), bits_of(pad_value, dtype))
        at = j * jump_offset * FRACTAL
        dst[at:at + FRACTAL] = fractal.reshape(-1).view(np.uint8)


def load3dv2(dst, src, dtype, win, channel_size, k_extension, m_extension, k_start, m_start, scope, en_transpose=False,
             pad_value=0):
    c0 = 32 // SIZES[dtype]
    groups = -(-channel_size // c0)
    image = image_of(src, groups, win, dtype)
    col = win.matrix(image, bits_of(pad_value, dtype))
    channel = np.arange(col.shape[1]) // (win.kh * win.kw * c0) * c0 + np.arange(col.shape[1]) % c0
    col[:, channel >= channel_size] = 0
    part = np.zeros((up(m_extension, 16), up(k_extension, c0)), col.dtype)
    part[:m_extension, :] = col[m_start:m_start + m_extension, k_start:k_start + part.shape[1]]
    tiles = part.reshape(part.shape[0] // 16, 16, part.shape[1] // c0, c0)
    if scope == 'L0B':
        out = tiles.transpose(0, 2, 3, 1)
    elif en_transpose:
        out = tiles.transpose(2, 0, 3, 1)
    else:
        out = tiles.transpose(0, 2, 1, 3)
    raw = np.ascontiguousarray(out).reshape(-1).view(np.uint8)
    dst[:len(raw)] = raw


def col2img(dst, src, dtype, win, fetch_w, fetch_h, left_top_w, left_top_h, repeat_time):
    n = win.h * win.w * 16
    image = view(dst, dtype, n).reshape(win.h, win.w, 16)
    blocks = view(src, dtype, repeat_time * 256).reshape(-1, 16)
    first = (left_top_h + win.pad[2]) // win.sh * win.wo + (left_top_w + win.pad[0]) // win.sw
    with np.errstate(all='ignore'):
        for i in range(repeat_time * 16):
            if first + i >= win.ho * win.wo:
                continue
            y, x = win.place(first + i, fetch_h, fetch_w)
            if 0 <= y < win.h and 0 <= x < win.w:
                total = image[y, x] + blocks[i]
                quiet = {'float16': np.uint16(0x7e00), 'float32': np.uint32(0x7fc00000)}[dtype]
                total.view(quiet.dtype)[np.isnan(total)] = quiet
                image[y, x] = total


def bias_move(dst, src, dtype, src_dtype, nburst, burst, src_stride, dst_stride, unit=64):
    """data_move from L1 to the bias table: bursts of units of source bytes, gaps of 32 bytes and of units."""
    per, wide = burst * unit // SIZES[src_dtype], burst * unit // SIZES[src_dtype] * SIZES[dtype]
    for i in range(nburst):
        s, d = i * (burst * unit + src_stride * 32), i * (wide + dst_stride * unit)
        part = view(src[s:s + burst * unit], src_dtype, per)
        dst[d:d + wide] = part.astype(NUMPY[dtype]).view(np.uint8)


# ---- products ------------------------------------------------------------------------------------------------


def sums(a, b, start, dtype, saturate=True):
    """start + a x b with k ascending, stored as dtype. start: (m, n) numbers."""
    if dtype in ('int32', 'uint32'):
        total = start.astype(np.int64) + a.astype(np.int64) @ b.astype(np.int64)
        info = np.iinfo(NUMPY[dtype])
        return np.clip(total, info.min, info.max).astype(NUMPY[dtype])
    a, b, acc = a.astype(np.float32), b.astype(np.float32), start.astype(np.float32)
    with np.errstate(all='ignore'):
        for k in range(a.shape[1]):
            acc = acc + a[:, k:k + 1] * b[k:k + 1, :]
        if dtype == 'float16':
            acc = acc.astype(np.float16)
    if saturate:
        most = np.finfo(acc.dtype).max
        return np.nan_to_num(acc, nan=0.0, posinf=most, neginf=-most)
    quiet = np.uint16(0x7e00) if dtype == 'float16' else np.uint32(0x7fc00000)
    acc.view(quiet.dtype)[np.isnan(acc)] = quiet
    return acc


def start_of(dst, dtype, m, n, accumulate, bias, bias_dtype):
    if bias is not None:
        return np.broadcast_to(numbers(view(bias, bias_dtype, n), bias_dtype).astype(
            np.int64 if dtype == 'int32' else np.float32), (m, n))
    if accumulate:
        return from_nz(view(dst, dtype), m, n)
    return np.zeros((m, n), np.int64 if 'int' in dtype else np.float32)


def store(dst, c):
    raw = nz(c).view(np.uint8)
    dst[:len(raw)] = raw


def mmad(dst, a, b, types, m, k, n, accumulate=False, bias=None, bias_dtype=None, saturate=True):
    """types: of a, b and dst."""
    if 0 in (m, k, n):
        return
    ta, tb, tc = types
    k0 = 32 // SIZES[ta]
    left = view(a, ta)[:k].reshape(1, k) if m == 1 else from_zz(view(a, ta), m, k, k0)
    right = from_zn(view(b, tb), k, n, k0)
    start = start_of(dst, tc, m, n, accumulate, bias, bias_dtype)
    store(dst, sums(numbers(left, ta), numbers(right, tb), start, tc, saturate))


def matmul(dst, a, b, types, m, k, n, init=True, bias=None, bias_dtype=None, saturate=True):
    ta, tb, tc = types
    k0 = 32 // SIZES[ta]
    k1, rows, columns = up(k, k0) // k0, up(m, 16), up(n, 16)
    left = view(a, ta, k1 * rows * k0).reshape(k1, rows, k0).transpose(1, 0, 2).reshape(rows, -1)[:m, :k]
    right = view(b, tb, k1 * columns * k0).reshape(k1, columns, k0).transpose(0, 2, 1).reshape(-1, columns)[:k, :n]
    start = start_of(dst, tc, m, n, not init, bias, bias_dtype)
    store(dst, sums(numbers(left, ta), numbers(right, tb), start, tc, saturate))


def conv2d(dst, fm, weight, types, fm_shape, kernel_shape, stride, pad, dilation, pad_value=0, init=True, bias=None,
           bias_dtype=None, saturate=True):
    ta, tb, tc = types
    c1, h, w, c0 = fm_shape
    _, kh, kw, cout, _ = kernel_shape
    win = Windows(h, w, pad, stride[1], stride[0], kw, kh, dilation[1], dilation[0])
    image = view(fm, ta, c1 * h * w * c0).reshape(c1, h, w, c0)
    left = win.matrix(image, bits_of(pad_value, ta))
    right = view(weight, tb, c1 * kh * kw * cout * c0).reshape(c1, kh, kw, cout, c0)
    right = right.transpose(0, 1, 2, 4, 3).reshape(-1, cout)
    start = start_of(dst, tc, left.shape[0], cout, not init, bias, bias_dtype)
    store(dst, sums(numbers(left, ta), numbers(right, tb), start, tc, saturate))
