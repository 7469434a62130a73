"""Independent model of the moves that pad, change the layout or repeat what they move, and of atomic writes to
global memory; written from the specification (data-movement 5, 7, 9, 10). Every element is placed by the
manual's formula, one after the other.

    m = State()                          registers of one core
    METHODS[name](m, mem, operands)      mem: {buffer: numpy uint8}; changes it

operands: a dict from the names of runtime/isa/form.def to Ref(buffer, byte offset, dtype) or numbers, and
'scope_dst', 'scope_src' where an instruction works in several memories. The padding value is the pattern of
an element."""
import numpy as np

SIZES = {'uint8': 1, 'int8': 1, 'uint16': 2, 'int16': 2, 'float16': 2, 'bfloat16': 2,
         'uint32': 4, 'int32': 4, 'float32': 4, 'uint64': 8, 'int64': 8}
MODES = {1: 'float32', 2: 'float16', 3: 'int16', 4: 'int32', 5: 'int8', 6: 'bfloat16'}
BLOCK = 32


class State:
    def __init__(self):
        self.atomic = None              # (operation, dtype), or None: off
        self.pad_value = b'\xff' * 8


def up(n, unit):
    return -(-n // unit) * unit


def element(pattern, size):
    return np.array([int(pattern) & (1 << 64) - 1], '<u8').view(np.uint8)[:size]


# ---- numbers ----------------------------------------------------------------------------------------------------


def to_float64(raw, dtype):
    """The exact values of elements."""
    if dtype == 'bfloat16':
        return (raw.view('<u2').astype('<u4') << 16).view('<f4').astype(np.float64)
    return raw.view(np.dtype(dtype)).astype(np.float64)


LARGEST = {'float16': 65504.0, 'bfloat16': float(np.uint32(0x7f7f0000).view(np.float32)), 'float32': np.inf}
NAN = {'float16': 0x7e00, 'bfloat16': 0x7fc0, 'float32': 0x7fc00000}
PRECISION = {'float16': (11, -24), 'bfloat16': (8, -133), 'float32': (24, -149)}


def rounded(x, dtype):
    """One rounding of a float64 to nearest even in units of the type's last place, then the type's overflow."""
    if np.isnan(x):
        return np.nan
    if np.isinf(x) or x == 0:
        return np.copysign(min(abs(x), LARGEST[dtype]), x)
    bits, least = PRECISION[dtype]
    unit = np.ldexp(1.0, max(int(np.frexp(x)[1]) - bits, least))
    y = np.round(x / unit) * unit
    most = {'float16': 65504.0, 'bfloat16': LARGEST['bfloat16'], 'float32': float(np.finfo(np.float32).max)}[dtype]
    return y if abs(y) <= most else np.copysign(LARGEST[dtype], x)


def pattern(y, dtype):
    if np.isnan(y):
        return NAN[dtype]
    if dtype == 'float16':
        return int(np.float16(y).view(np.uint16))
    bits = int(np.float32(y).view(np.uint32))
    return bits >> 16 if dtype == 'bfloat16' else bits


def combined(op, a, b, dtype):
    """Bytes of op(a, b) for the bytes of elements; a is global memory."""
    if 'float' not in dtype:
        x, y = a.view(dtype).astype(np.int64), b.view(dtype).astype(np.int64)
        r = {'add': x + y, 'max': np.maximum(x, y), 'min': np.minimum(x, y)}[op]
        return r.astype(np.dtype(dtype)).view(np.uint8)
    out = []
    for x, y in zip(to_float64(a, dtype), to_float64(b, dtype)):
        if op == 'add':
            out.append(pattern(rounded(x + y, dtype), dtype))   # exact in float64, or rounds the same way
        elif np.isnan(x) or np.isnan(y):
            out.append(pattern(y if np.isnan(x) else x, dtype))
        else:
            first = max if op == 'max' else min
            out.append(pattern(first((x, np.copysign(1, x)), (y, np.copysign(1, y)))[0], dtype))
    return np.array(out, f'<u{SIZES[dtype]}').view(np.uint8)


def write(m, mem, to, at, data):
    """A run of bytes to global memory, under the atomic mode."""
    here = mem[to][at:at + len(data)]
    if m.atomic is None:
        here[:] = data
    else:
        op, dtype = m.atomic
        here[:] = combined(op, here.copy(), np.ascontiguousarray(data), dtype)


# ---- the mode ---------------------------------------------------------------------------------------------------


def setter(op):
    def run(m, mem, o):
        dtype = o['mode'] if isinstance(o['mode'], str) else MODES.get(o['mode'])
        m.atomic = None if dtype is None else (op, dtype)
    return run


def set_atomic_none(m, mem, o):
    m.atomic = None


def set_pad_value(m, mem, o):
    raw = element(o['value'], SIZES[o['dtype']]).tobytes()
    m.pad_value = raw + m.pad_value[len(raw):]


# ---- moves ------------------------------------------------------------------------------------------------------


def data_move(m, mem, o):
    dst, src = o['dst'], o['src']
    n, length = o['nburst'], o['burst'] * BLOCK
    for i in range(n):
        s = src.offset + i * (length + o.get('src_stride', 0) * BLOCK)
        d = dst.offset + i * (length + o.get('dst_stride', 0) * BLOCK)
        if o['scope_dst'] == 'GM':
            write(m, mem, dst.buffer, d, mem[src.buffer][s:s + length].copy())
        else:
            mem[dst.buffer][d:d + length] = mem[src.buffer][s:s + length].copy()


def data_move_pad(m, mem, o):
    """fill: 0 no padding value, 1 padding_value, 2 the register."""
    dst, src, burst = o['dst'], o['src'], o['burst']
    size = SIZES[dst.dtype]
    if o['scope_dst'] == 'GM':
        for i in range(o['nburst']):
            s = src.offset + i * (up(burst, BLOCK) + o['src_gap'] * BLOCK)
            write(m, mem, dst.buffer, dst.offset + i * (burst + o['dst_gap']), mem[src.buffer][s:s + burst].copy())
        return
    left, right = o.get('left_padding', 0) * size, o.get('right_padding', 0) * size
    whole = up(left + burst + right, BLOCK)
    for i in range(o['nburst']):
        s = src.offset + i * (burst + o['src_gap'])
        data = mem[src.buffer][s:s + burst]
        if o['fill'] == 2:
            value = np.frombuffer(m.pad_value, np.uint8)[:size]
        elif left == right == 0:
            value = np.zeros(size, np.uint8)
            value[:min(size, burst)] = data[:size]
        else:
            value = element(o['padding_value'], size)
        row = np.tile(value, whole // size)
        row[left:left + burst] = data
        d = dst.offset + i * (whole + o['dst_gap'] * BLOCK)
        mem[dst.buffer][d:d + whole] = row


def data_move_multi_nd2nz(m, mem, o):
    dst, src = o['dst'], o['src']
    size = SIZES[dst.dtype]
    c0 = BLOCK // size
    for i in range(o['nd_num']):
        for r in range(o['nd_n']):
            for k in range(up(o['nd_d'], c0)):
                c, j = divmod(k, c0)
                d = (i * o['dst_nd_stride'] + c * o['dst_c0_stride'] * c0 + r * o['dst_n_stride'] * c0 + j) * size
                s = (i * o['src_nd_stride'] + r * o['src_n_stride'] + k) * size
                mem[dst.buffer][dst.offset + d:dst.offset + d + size] = (
                    mem[src.buffer][src.offset + s:src.offset + s + size] if k < o['nd_d'] else 0)


def data_copy_nz2nd(m, mem, o):
    dst, src = o['dst'], o['src']
    size = SIZES[dst.dtype]
    for i in range(o['nd_num']):
        for r in range(o['n_value']):
            for c in range(o['d_value'] // 16):
                d = (i * o['dst_nd_matrix_stride'] + r * o['dst_d_stride'] + c * 16) * size
                s = (i * o['src_nd_matrix_stride'] * 256 + c * o['src_n_stride'] * 16 + r * 16) * size
                write(m, mem, dst.buffer, dst.offset + d,
                      mem[src.buffer][src.offset + s:src.offset + s + 16 * size].copy())


def as_fractal_row(raw, src, dst):
    """16 elements in the type of the fractal; float32 to float16 saturates, and its NaN is 0."""
    if src == dst:
        return raw
    x = raw.view(src)
    if dst == 'float16':
        y = np.array([0.0 if np.isnan(v) else rounded(float(v), 'float16') for v in x], np.float16)
        return y.view(np.uint8)
    return np.array([pattern(float(v), 'float32') for v in x], np.uint32).view(np.uint8)


def spread(m, mem, o, bursts, fractals, rows):
    dst, src = o['dst'], o['src']
    from_size, to_size = SIZES[src.dtype], SIZES[dst.dtype]
    for i in range(bursts):
        for u in range(fractals):
            s = src.offset + i * (rows * 16 * from_size + o['src_gap'] * BLOCK) + (u if rows > 1 else 0) * 16 * from_size
            row = as_fractal_row(mem[src.buffer][s:s + 16 * from_size].copy(), src.dtype, dst.dtype)
            d = dst.offset + (i * (fractals + o['dst_gap']) + u) * 256 * to_size
            mem[dst.buffer][d:d + 256 * to_size] = np.tile(row, 16)


def broadcast_ub_to_l0c(m, mem, o):
    spread(m, mem, o, o['nburst'], o['burst_len'], o['burst_len'])


def mmad_broadcast(m, mem, o):
    bursts, repeat = max(o['nburst'], 1), max(o['burst_repeat'], 1)
    spread(m, mem, o, bursts, repeat, 1 if o['repeat_mode'] else repeat)


def fill(mem, o, unit, units, gap):
    dst = o['dst']
    for r in range(o['repeat_times']):
        d = dst.offset + r * (units + gap) * unit
        mem[dst.buffer][d:d + units * unit] = np.tile(element(o['value'], 2), units * unit // 2)


def tensor_padding_with_matrix(m, mem, o):
    fill(mem, o, 512, 1, 0)


def init_const_value(m, mem, o):
    fill(mem, o, BLOCK if o['scope_dst'] == 'L1' else 512, o['block_num'], o['dst_gap'])


def segments(m, mem, o):
    """data_copy with one SliceInfo on each side; from_ and to: first element and gap."""
    dst, src = o['dst'], o['src']
    size = SIZES[dst.dtype]
    for q in range(o['n']):
        s, d = (o[p][0] + q * (o['seg'] + o[p][1]) for p in ('from_', 'to'))
        write(m, mem, dst.buffer, d * size, mem[src.buffer][s * size:(s + o['seg']) * size].copy())


def acc_out(m, mem, o):
    """Fractals of equal rows, out of L0C."""
    size = SIZES[o['dst'].dtype]
    for u in range(o['length']):
        row = mem[o['src'].buffer][u * 16 * size:(u + 1) * 16 * size]
        write(m, mem, o['dst'].buffer, u * 256 * size, np.tile(row, 16))


def cores(m, mem, o):
    """Core after core, each core's writes in program order."""
    size = SIZES[o['dst'].dtype]
    m.atomic = (o['setter'][-3:], MODES[o['mode']])
    for i in range(o['cores']):
        row = mem[o['src'].buffer][i * o['row'] * size:(i + 1) * o['row'] * size]
        write(m, mem, o['dst'].buffer, i * o['step'] * size, row)
        if o['again']:
            write(m, mem, o['dst'].buffer, o['again'] * size, row[:o['bytes']])


METHODS = {
    'cores': cores,
    'segments': segments,
    'acc_out': acc_out,
    'data_move': data_move,
    'data_move_pad': data_move_pad,
    'data_move_multi_nd2nz': data_move_multi_nd2nz,
    'data_copy': data_copy_nz2nd,
    'broadcast_ub_to_l0c': broadcast_ub_to_l0c,
    'mmad_broadcast': mmad_broadcast,
    'tensor_padding_with_matrix': tensor_padding_with_matrix,
    'init_const_value': init_const_value,
    'set_atomic_add': setter('add'),
    'set_atomic_max': setter('max'),
    'set_atomic_min': setter('min'),
    'set_atomic_none': set_atomic_none,
    'set_pad_value': set_pad_value,
}


# ---- blocks of one element, masked copies (10.2, 10.5) ------------------------------------------------------------


def vbcb(m, mem, o):
    dst, src = o['dst'], o['src']
    size = SIZES[dst.dtype]
    for r in range(o['repeat_times']):
        for j in range(8):
            s = src.offset + (r * 8 + j) * size
            d = dst.offset + (r * o['dst_rep_stride'] + j * o['dst_blk_stride']) * BLOCK
            mem[dst.buffer][d:d + BLOCK] = np.tile(mem[src.buffer][s:s + size], BLOCK // size)


def vcopy(m, mem, o):
    """mask: leading lanes."""
    dst, src = o['dst'], o['src']
    size = SIZES[dst.dtype]
    for r in range(o['repeat_times']):
        for lane in range(o['mask']):
            b, at = divmod(lane * size, BLOCK)
            s = src.offset + (r * o['src_rep_stride'] + b * o['src_blk_stride']) * BLOCK + at
            d = dst.offset + (r * o['dst_rep_stride'] + b * o['dst_blk_stride']) * BLOCK + at
            mem[dst.buffer][d:d + size] = mem[src.buffer][s:s + size]


METHODS.update(vbcb=vbcb, vcopy=vcopy)
