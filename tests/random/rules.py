#!/usr/bin/python3
"""Bounds, alignment, ranges and overlap of random small instructions, byte by byte, against the checker of
runtime/isa (through tests/tools/checkrun.c). The model here is written from the definition: it lists the
bytes of every lane and every burst, without any of the checker's arithmetic. Prints its seed; ends with
'N passed, N failed'."""
import os
import random
import subprocess
import sys
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import BUILD  # noqa

COUNT = int(os.environ.get('RULES_COUNT', '6000'))
SEED = int(os.environ.get('RULES_SEED', '20240611'))

SIZE = {'uint8': 1, 'int16': 2, 'uint16': 2, 'float16': 2, 'float32': 4, 'int32': 4, 'int64': 8}
COUNT_FORM, BITS, BITS4, COUNTER = range(4)
BINARY = {'vec_add': 'float16 float32 int32 int16', 'vec_sub': 'float16 float32 int32',
          'vec_max': 'float16 int32', 'vec_and': 'int16 uint16'}
UNARY = {'vec_abs': 'float16 float32', 'vec_not': 'uint16 int16', 'vec_relu': 'float16 int32'}
SCALAR = {'vec_adds': 'float16 float32 int32', 'vec_muls': 'float16 int16'}
ACCUMULATES = {'vec_add', 'vec_sub', 'vec_mul', 'vec_max', 'vec_min', 'vec_and', 'vec_or'}
ACC_TYPES = {'float16', 'float32', 'int32'}


class Tensor:
    def __init__(self, buffer, scope, dtype, offset, size, stride=0):
        self.buffer, self.scope, self.dtype = buffer, scope, dtype
        self.offset, self.size, self.stride = offset, size, stride

    def __str__(self):
        return f'{self.buffer}:{self.scope}:{self.dtype}:{self.offset}:{self.size}'


def room(t):
    return -(-t.size // 32) * 32 + (32 if t.scope == 'GM' else 0)


def outside(t, accessed):
    return any(b < 0 or b >= room(t) for b in accessed)


# ---- moves -----------------------------------------------------------------------------------------------

def burst_bytes(start, n, length, gap):
    return [set(range(start + i * (length + gap), start + i * (length + gap) + length)) for i in range(n)]


def judge_move(dst, src, sid, nburst, burst, src_stride, dst_stride, mode):
    broken = set()
    for i, t in ((0, dst), (1, src)):
        if t.scope != 'GM' and t.offset % 32:
            broken.add(('address-align', i))
    for name, i, v, lo, hi in (('range-sid', 2, sid, 0, 15), ('range-nburst', 3, nburst, 1, 4095),
                               ('range-burst', 4, burst, 1, 65535), ('range-stride', 5, src_stride, 0, 65535),
                               ('range-stride', 6, dst_stride, 0, 65535)):
        if not lo <= v <= hi:
            broken.add((name, i))
    if mode and burst != 1:
        broken.add(('pad-mode-burst', 4))
    if mode and src_stride != 0:
        broken.add(('pad-mode-stride', 5))
    if any(name != 'address-align' for name, _ in broken):
        return broken
    written = burst_bytes(dst.offset, nburst, burst * 32, dst_stride * 32)
    width = 2 ** (mode - 1) if mode else burst * 32
    read = burst_bytes(src.offset, nburst, width, 0 if mode else src_stride * 32)
    for i, t, sets in ((0, dst, written), (1, src, read)):
        if outside(t, set().union(*sets)):
            broken.add(('tensor-overflow', i))
    return broken


# ---- vector ------------------------------------------------------------------------------------------------

def lanes(dtype):
    return 256 // SIZE[dtype]


def repeats_of(mask, repeat, dtype):
    form, words = mask
    if form == COUNTER:
        return -(-words[0] // lanes(dtype))
    return repeat


def active(mask, dtype, r, lane):
    form, words = mask
    if form == COUNT_FORM:
        return lane < words[0]
    if form == COUNTER:
        return r * lanes(dtype) + lane < words[0]
    return bool(words[lane // 64] >> lane % 64 & 1)


def intervals(t, mask, r):
    """One interval per block that holds an active lane, and every byte of an active lane."""
    size = SIZE[t.dtype]
    blocks, accessed = {}, set()
    for lane in range(lanes(t.dtype)):
        if active(mask, t.dtype, r, lane):
            at = t.offset + r * t.stride * 32 + lane * size
            accessed |= set(range(at, at + size))
            lo, hi = blocks.get(lane * size // 32, (at, at))
            blocks[lane * size // 32] = (min(lo, at), max(hi, at + size))
    return set().union(*[set(range(*b)) for b in blocks.values()]) if blocks else set(), accessed


def judge_vector(op, mask, tensors, repeat, literal):
    """tensors: dst, then the sources."""
    broken = set()
    dst = tensors[0]
    form, words = mask
    n = lanes(dst.dtype)
    for i, t in enumerate(tensors):
        if t.offset % 32:
            broken.add(('address-align', i + 1))
    if form == COUNT_FORM and not 1 <= words[0] <= n:
        broken.add(('mask-range', 0))
    if form == BITS:
        if any(words[lane // 64] >> lane % 64 & 1 for lane in range(n, 128)):
            broken.add(('mask-high-nonzero', 0))
        elif not words[0] and not words[1]:
            broken.add(('mask-zero', 0))
    where = {'vec_dup': 3}.get(op, 4 if op in BINARY or op in SCALAR else 3)
    if form != COUNTER and not (1 if literal else 0) <= repeat <= 255:
        broken.add(('repeat-range', where))
    for i, t in enumerate(tensors):
        if not 0 <= t.stride <= 255:
            broken.add(('repeat-stride-range', where + 1 + i))
    if any(name != 'address-align' for name, _ in broken):
        return broken
    count = repeats_of(mask, repeat, dst.dtype)
    spans = [[intervals(t, mask, r) for r in range(count)] for t in tensors]
    for i, t in enumerate(tensors):
        if outside(t, set().union(*[accessed for _, accessed in spans[i]])):
            broken.add(('tensor-overflow', i + 1))
    for i in range(1, len(tensors)):
        if dst.offset % 32 or tensors[i].offset % 32:
            continue  # overlap is asked of aligned operands only
        rule = judge_overlap(op, tensors, spans, i, count)
        if rule:
            broken.add((rule, i + 1))
    return broken


def meets_next(a, b, count):
    return any(a[r][0] & b[r + 1][0] for r in range(count - 1))


def judge_overlap(op, tensors, spans, i, count):
    dst, src = tensors[0], tensors[i]
    if dst.buffer != src.buffer or count == 0:
        return None
    if count == 1:
        same = dst.offset == src.offset
        return 'overlap-single' if not same and spans[0][0][0] & spans[i][0][0] else None
    accumulates = (op in ACCUMULATES and dst.dtype in ACC_TYPES and dst.buffer == tensors[-1].buffer and
                   dst.offset == tensors[-1].offset and dst.stride == 0 and tensors[-1].stride == 0)
    if not (accumulates and i == 2) and meets_next(spans[0], spans[i], count):
        return 'overlap-multi'
    if accumulates and i == 1 and (meets_next(spans[1], spans[2], count) or meets_next(spans[2], spans[1], count)):
        return 'overlap-src1-accum'
    return None


# ---- random instructions --------------------------------------------------------------------------------------

def number(rnd, lo, hi, low, high):
    """Mostly small, sometimes at a limit or past it."""
    return rnd.choice([low - 1, low, high, high + 1]) if rnd.random() < 0.02 else rnd.randint(lo, hi)


def offset(rnd, aligned):
    v = rnd.randint(0, 12) * 32
    return v + rnd.choice([0, 2, 4, 14]) if not aligned or rnd.random() < 0.03 else v


def random_move(rnd):
    src, dst = rnd.choice([('GM', 'UB'), ('UB', 'GM'), ('UB', 'UB'), ('UB', 'UB'), ('GM', 'L1')])
    dtype = rnd.choice(sorted(SIZE))
    same = src == dst and rnd.random() < 0.8
    size = rnd.randint(1, 40) * 16
    d = Tensor(1, dst, dtype, offset(rnd, dst != 'GM'), size)
    s = Tensor(1 if same else 2, src, dtype, offset(rnd, src != 'GM'), size if same else rnd.randint(1, 40) * 16)
    mode = rnd.randint(0, 5) if dst == 'L1' else 0
    numbers = [number(rnd, 0, 15, 0, 15), number(rnd, 1, 4, 1, 4095), number(rnd, 1, 4, 1, 65535),
               number(rnd, 0, 4, 0, 65535), number(rnd, 0, 4, 0, 65535)]
    if mode and rnd.random() < 0.9:
        numbers[2], numbers[3] = 1, 0
    if numbers[1] > 4000 or numbers[2] > 60000 or max(numbers[3:]) > 60000:
        numbers[1] = min(numbers[1], 2) if numbers[1] <= 4095 else numbers[1]
    line = f'data_move Ascend310P {d} {s} ' + ' '.join(map(str, numbers + [mode]))
    return line, judge_move(d, s, *numbers, mode)


def random_mask(rnd, dtype, op):
    n = lanes(dtype)
    form = rnd.choice([COUNT_FORM, COUNT_FORM, BITS, COUNTER if op in SCALAR else BITS])
    if form == COUNT_FORM:
        return form, [number(rnd, 1, n, 1, n), 0, 0, 0]
    if form == COUNTER:
        return form, [rnd.randint(1, 3 * n), 0, 0, 0]
    bits = 0
    for _ in range(rnd.randint(0, 6)):
        lo = rnd.randint(0, n - 1)
        bits |= ((1 << rnd.randint(1, 20)) - 1) << lo
    if rnd.random() < 0.95:
        bits &= (1 << n) - 1
    bits &= (1 << 128) - 1
    return form, [bits & (2 ** 64 - 1), bits >> 64, 0, 0]


def random_vector(rnd):
    family = rnd.choice([BINARY, BINARY, UNARY, SCALAR, {'vec_dup': 'float16 float32 int32'}])
    op = rnd.choice(sorted(family))
    dtype = rnd.choice(family[op].split())
    mask = random_mask(rnd, dtype, op)
    n = {id(BINARY): 3, id(UNARY): 2, id(SCALAR): 2}.get(id(family), 1)
    size = rnd.randint(1, 100) * 32
    sizes = {b: rnd.randint(20, 120) * 32 - rnd.choice([0, 0, 0, 6]) for b in (1, 2, 3)}
    tensors = []
    for i in range(n):
        b = rnd.choice([1, 1, i + 1])
        tensors.append(Tensor(b, 'UB', dtype, offset(rnd, True), sizes[b],
                              number(rnd, 0, 10, 0, 255) if rnd.random() < 0.7 else rnd.choice([0, 8])))
    if n == 3 and rnd.random() < 0.3:
        tensors[2].buffer, tensors[2].size, tensors[2].offset = 1, sizes[1], tensors[0].offset
        tensors[0].buffer, tensors[0].size = 1, sizes[1]
        tensors[0].stride = tensors[2].stride = rnd.choice([0, 0, 8])
    if rnd.random() < 0.3:
        tensors[-1].offset = tensors[0].offset
    literal = rnd.random() < 0.7
    repeat = rnd.choice([1, 1, 2, 3, 4, number(rnd, 0 if not literal else 1, 9, 1, 255)])
    words = ':'.join(map(str, [mask[0]] + mask[1]))
    parts = [op, 'Ascend310P', words] + [str(t) for t in tensors]
    if family is SCALAR or op == 'vec_dup':
        parts.append('3')
    parts.append(('' if literal else '~') + str(repeat))
    parts += [str(t.stride) for t in tensors]
    return ' '.join(parts), judge_vector(op, mask, tensors, repeat, literal)


def main():
    rnd = random.Random(SEED)
    print('seed', SEED)
    cases = [random_move(rnd) if i % 3 == 0 else random_vector(rnd) for i in range(COUNT)]
    tool = os.path.join(BUILD, 'tools', 'checkrun')
    p = subprocess.run([tool], input='\n'.join(c[0] for c in cases) + '\n', stdout=subprocess.PIPE, text=True,
                       check=True)
    answers = p.stdout.splitlines()
    failed, seen = 0, {}
    for (line, want), got in zip(cases, answers):
        text = ' '.join(sorted(f'{r}@{i}' for r, i in want)) or 'ok'
        for rule, _ in want or [('ok', 0)]:
            seen[rule] = seen.get(rule, 0) + 1
        if ' '.join(sorted(got.split())) != text:
            failed += 1
            if failed <= 10:
                print(f'{line}\n  model   {text}\n  checker {got}')
    print('cases by rule:', ', '.join(f'{k} {v}' for k, v in sorted(seen.items())))
    thin = [r for r in ('ok', 'overlap-single', 'overlap-multi', 'overlap-src1-accum', 'tensor-overflow',
                        'address-align') if seen.get(r, 0) < COUNT // 1000]
    if thin or len(answers) != len(cases):
        print('too few cases of', thin, 'or answers missing')
        failed += 1
    print(f'{len(cases) - failed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
