"""Executes kernels as docs/meaning.md says, core after core. What it does not execute it says by numbers.Unsupported, before it writes anything."""
import re

import numpy as np

import document as doc
import arithmetic as N
from blob import Address
from families import More

NAMES = {'dup': 'vec_dup vector_dup', 'add': 'vec_add vadd vec_adds vadds h_add', 'sub': 'vec_sub vsub h_sub', 'mul': 'vec_mul vmul vec_muls vmuls h_mul', 'div': 'vdiv h_div',
         'max': 'vec_max vmax vmaxs h_max', 'min': 'vec_min vmin vmins h_min', 'and': 'vec_and vand h_and', 'or': 'vec_or vor h_or', 'not': 'vec_not vnot h_not', 'abs': 'vec_abs vabs h_abs',
         'relu': 'vec_relu vrelu h_relu', 'addrelu': 'vaddrelu', 'subrelu': 'vsubrelu', 'lrelu': 'vlrelu', 'exp': 'vec_exp vexp h_exp', 'sqrt': 'vsqrt', 'mla': 'vmla vec_axpy vaxpy',
         'ln': 'vec_ln vln h_ln vec_ln_high_preci', 'rec': 'vec_rec vrec h_rec vec_rec_high_preci', 'rsqrt': 'vec_rsqrt vrsqrt h_rsqrt vec_rsqrt_high_preci', 'expm1': 'vec_expm1_high_preci',
         'madd': 'vmadd', 'maddrelu': 'vmaddrelu', 'mulconv': 'vmulconv', 'shl': 'vshl', 'shr': 'vshr', 'sin': 'h_sin', 'cos': 'h_cos'}
MEANING = {name: key for key, names in NAMES.items() for name in names.split()}
MEANING.update({f'vector_v{k}{s}': k for k in ('dup', 'add', 'sub', 'mul', 'div', 'max', 'min', 'and', 'or', 'not', 'abs', 'relu', 'exp', 'ln', 'sqrt', 'rec', 'rsqrt') for s in ('', 's')})
EXISTENCE = {'Q19', 'U6'}   # readings that say which instructions there are, and nothing of what they compute
FILL = 0   # what memories of a core hold when nothing says it
RELATIONS = {'lt': np.less, 'gt': np.greater, 'ge': np.greater_equal, 'eq': np.equal, 'ne': np.not_equal, 'le': np.less_equal}


class Fault(Exception):
    """The run ends; rule: the name of what it broke."""

    def __init__(self, rule):
        super().__init__(rule)
        self.rule = rule


class Ref:
    """An operand now: bytes low to high of buf may be accessed, at is its first one."""

    def __init__(self, buf, at, low, high, dtype, scope):
        self.buf, self.at, self.low, self.high, self.dtype, self.scope = buf, at, low, high, dtype, scope
        self.size = N.BYTES[dtype]

    def places(self, offsets, size):
        at = self.at + np.asarray(offsets, np.int64)
        if at.size and (at.min() < self.low or at.max() + size > self.high):
            raise Fault('tensor-overflow')
        return at[..., None] + np.arange(size)

    def get(self, offsets, size=None):
        size = size or self.size
        return np.ascontiguousarray(self.buf[self.places(offsets, size)]).view(N.UINT[size])[..., 0]

    def put(self, offsets, bits):
        bits = np.ascontiguousarray(bits)
        self.buf[self.places(offsets, bits.itemsize)] = bits[..., None].view(np.uint8)

    def run(self, offset, n):
        return self.buf[self.places(np.arange(offset, offset + n), 1)[:, 0]].copy()


class Core:
    def __init__(self, machine, index):
        self.m, self.index, self.k, self.blob = machine, index, machine.kernel, machine.blob
        self.reg, self.loop, self.padding, self.flags, self.place = [0] * self.k.nregs, [0] * 17, 0, set(), {}
        room = dict(machine.blob.memory, SREG=192, VREG=8192)
        self.memory = {s: np.zeros(n * machine.blob.lanes, np.uint8) if s == 'LMEM' else np.full(n, 255 if self.k.flags & 1 else FILL, np.uint8) for s, n in room.items() if any(r['scope'] == s for r in self.k.regions) or s == 'SREG'}
        self.memory['SREG'][:] = 0
        for name, (at, start) in doc.REGISTERS.items():
            if start not in ('0', '') and name != 'BLOCK':
                self.memory['SREG'][at:at + len(start) // 2] = list(bytes.fromhex(start)[::-1])
        self.register('BLOCK', index)

    def register(self, name, value=None, width=4):
        at, s = doc.REGISTERS[name][0], self.memory['SREG']
        if value is not None:
            s[at:at + width] = list((int(value) & (1 << 8 * width) - 1).to_bytes(width, 'little'))
        return int.from_bytes(bytes(s[at:at + width]), 'little')

    def number(self, n):
        return n.value if n.kind == 'imm' else self.index if n.kind == 'core' else self.loop[n.value] if n.kind == 'loop' else self.reg[n.value]

    def ref(self, a):
        r = self.k.regions[a.region]
        at = (a.offset + sum(c * self.number(n) for c, n in a.terms) + 2 ** 63) % 2 ** 64 - 2 ** 63
        if r['scope'] == 'GM':
            buf, size, low = self.m.global_memory(r, at)
            at -= low
            return Ref(buf, at, 0, size, a.dtype, 'GM')
        base, size = self.place.get(a.region, (0, 0))[:2] if r['open'] else (r['base'], r['bytes'])
        size = -(-size // 32) * 32 if r['scope'] in ('UB', 'L1') else size
        return Ref(self.memory[r['scope']], base + at, base, base + size, a.dtype, r['scope'])

    # ---- the program

    def run(self):
        """Yields the number of cores that it waits for."""
        code, pc, opened, steps = self.k.code_list, 0, [], 0
        jump = self.m.jump
        while pc < len(code):
            d, go = code[pc], pc + 1
            steps += 1
            if d.kind == 'loop':
                begin, end = (self.number(n) for n in d.numbers)
                self.loop[d.slot] = begin
                opened.append(end)
                if begin >= end:
                    opened.pop()
                    go = jump[pc] + 1
            elif d.kind == 'endloop':
                slot = code[jump[pc]].slot
                if self.loop[slot] + 1 < opened[-1]:
                    self.loop[slot] += 1
                    go = jump[pc] + 1
                else:
                    opened.pop()
            elif d.kind == 'if':
                go = pc + 1 if self.number(d.numbers[0]) else jump[pc] + 1
            elif d.kind == 'else':
                go = jump[pc]
            elif d.kind == 'break':
                opened.pop()
                go = jump[pc] + 1
            elif d.kind == 'continue':
                go = jump[pc]
            elif d.kind == 'return':
                return
            elif d.kind == 'alu':
                a, b = (d.numbers + d.numbers)[:2]
                r = N.scalar(d.op, d.dtype, d.source, self.number(a), self.number(b))
                if r is None:
                    raise Fault('run-time-zero-division')
                self.reg[d.reg] = (r + 2 ** 63) % 2 ** 64 - 2 ** 63 if d.dtype != 'uint64' or d.op in ('eq', 'ne', 'lt', 'le', 'gt', 'ge') else r
            elif d.kind == 'load':
                self.reg[d.reg] = N.wrap(int(self.ref(d.address).get([0])[0]), d.dtype)
            elif d.kind == 'store':
                ref = self.ref(d.address)
                ref.put([0], np.array([self.number(d.numbers[0]) & (1 << 8 * ref.size) - 1], N.UINT[ref.size]))
            elif d.kind == 'instr':
                wait = Instr(self, d).execute()
                if wait:
                    yield wait
            pc = go

    def atomic(self, ref, source, burst):
        """The operation of writes of this operand from a memory: None, or (name, dtype)."""
        reg = self.register('ATOMIC')
        if not reg or ref.scope != 'GM' or not (source == 'UB' or 'ATOMIC_FROM_CUBE' in self.blob.features and source in ('L1', 'L0C')):
            return None
        t, add, extreme = doc.ATOMICS.get(reg & 255, (None, (), ()))
        for ok, rule in ((self.blob.core_kind in (add, extreme, extreme)[min(reg >> 8, 2)] and reg >> 8 <= 2, 'atomic-soc'), (t == ref.dtype, 'atomic-dtype'), (burst % ref.size == 0, 'pad-burst')):
            if not ok:
                raise Fault(rule)
        return ('add', 'max', 'min')[reg >> 8], t

    def write(self, mode, ref, offset, raw):
        """Writes bytes, or combines them."""
        places = ref.places(np.arange(offset, offset + len(raw)), 1)[:, 0]
        if mode:
            op, t = mode
            old, new = (np.ascontiguousarray(x).view(N.UINT[ref.size]) for x in (ref.buf[places], raw))
            x, y = N.value(old, t), N.value(new, t)
            if op == 'add':
                r = N.bits_of(x + y, t)
                r = np.where(np.isinf(N.value(r, t)), r - 1, r) if t in ('float16', 'bfloat16') else r
            else:
                zero = np.where(x == y, np.where(np.signbit(x.astype(np.float64)) == (op == 'min'), old, new), 0) if t in N.FLOATS else old
                better = (x > y) if op == 'max' else (x < y)
                r = np.where(x == y, zero, np.where(better, old, new)) if t not in N.FLOATS else \
                    np.where(np.isnan(x) & np.isnan(y), np.array(N.FLOATS[t][3], old.dtype), np.where(np.isnan(x), new, np.where(np.isnan(y), old, np.where(x == y, zero, np.where(better, old, new)))))
            raw = np.ascontiguousarray(r.astype(old.dtype)).view(np.uint8)
        ref.buf[places] = raw


class Instr(More):
    """One execution of an instruction: v has its numbers by name (lists as lists), t its tensors."""

    def __init__(self, core, d):
        self.c, self.d, self.op = core, d, d.op
        self.v, self.t, at = {}, {}, 0
        for o in d.op.operands:
            if o.kind.startswith('mask mode'):
                continue
            args = d.args[at:at + o.count]
            at += o.count
            made = [core.ref(a) if isinstance(a, Address) and o.kind != 'names' else a if isinstance(a, Address) else [core.number(n) for n in a] if isinstance(a, list) else core.number(a)
                    for a in args]
            (self.t if o.is_tensor else self.v)[o.name] = made[0] if o.count == 1 else made
            if d.checked and o.range and o.kind in ('number', 'repeats') and o.rule:
                for n in made:
                    if not (0 if o.kind == 'repeats' else o.range[0]) <= n <= o.range[1]:
                        raise Fault(o.rule)
        self.main = next((self.t[o.name] for o in d.op.operands if 'the main operand' in o.note), None)

    def execute(self):
        family = getattr(self, {'LOAD': 'load_'}.get(self.op.family, self.op.family.lower()), None)
        if not family:
            raise N.Unsupported(f'the family {self.op.family} ({self.op.name})')
        return family()

    def unsupported(self):
        raise N.Unsupported(self.op.name)

    def move(self):
        v, dst, src = self.v, self.t['dst'], self.t['src']
        fractal, mode, n, units = 'L0C' in (dst.scope, src.scope), v['mode'], v['nburst'], v['burst']
        if n == 0 or units == 0:
            raise Fault('range-nburst' if n == 0 else 'range-burst')
        unit = [256 * r.size if fractal else 32 for r in (dst, src)]
        gap = [256 * r.size if r.scope == 'L0C' else 32 for r in (dst, src)]
        lens = [units * x for x in unit] if fractal or not mode else [32, 1 << mode - 1]
        pitch = [lens[0] + v['dst_stride'] * gap[0], lens[1] + v['src_stride'] * gap[1]]
        dst.places([(n - 1) * pitch[0]], lens[0]), src.places([(n - 1) * pitch[1]], lens[1])
        atomic = self.c.atomic(dst, src.scope, lens[1])
        for i in range(n):
            raw = src.run(i * pitch[1], lens[1])
            if mode and not fractal:
                fill = self.c.padding & 0xffff
                raw = np.concatenate([raw, np.array([fill >> (0 if mode == 1 else 8 * (k & 1)) & 255 for k in range(lens[1], 32)], np.uint8)])
            elif mode:
                bits = raw.view(N.UINT[src.size])
                x = N.value(bits, src.dtype)
                bits = np.where(x > 0, bits, bits & 0) if mode in (2, 5) else bits
                raw = (bits if mode == 5 else N.finite(N.bits_of(N.value(bits, src.dtype), 'float16'), 'float16') if mode in (1, 2) else N.bits_of(x, 'float32')).view(np.uint8)
            self.c.write(atomic, dst, i * pitch[0], raw)

    # `set_padding` and control

    def register(self):
        self.c.padding = self.v['value']

    def control(self):
        c, v, name = self.c, self.v, self.op.name
        if name == 'block_barrier':
            return v['blocks']
        if name == 'blocks':
            if not 1 <= v['count'] <= (c.k.cores if c.m.barriers else 65535):
                raise Fault('block-count')
            c.m.cores = max(c.m.cores, v['count'])
        if name in ('set_flag', 'wait_flag'):
            flag = (v['pipe'], v['trigger_pipe'], v['event_id'])
            if (flag in c.flags) == (name == 'set_flag'):
                raise Fault('sync-double-set' if name == 'set_flag' else 'sync-deadlock')
            c.flags ^= {flag}
        if name == 'reserve':
            region, after = (self.t[n].region for n in ('buffer', 'after'))
            r = c.k.regions[region]
            _, unit, narrow, wide = doc.SCOPES[r['scope']]
            unit_up = lambda n, u: -(-n // u) * u
            size, room = max(0, v['bytes']), c.blob.memory[r['scope']]
            at = unit_up(r['base'] if after == region else c.place.get(after, (0, 0, 0))[2], max(unit, wide if N.BYTES[r['dtype']] >= 4 else narrow))
            end = at + unit_up(size, unit) * v['copies']
            if size > room or end > room:
                raise Fault('capacity')
            c.place[region] = (at, size, end)

    # ---- vector lanes (3)

    def lanes_open(self):
        """Sets L, repeats, active (by repeat: numbers of lanes up to the highest active one, and which are on) and off, the offsets of lanes by operand."""
        v, notes, form = self.v, {o.name: o.note for o in self.op.operands}, self.d.form
        vec = [n for n, note in notes.items() if 'vector lanes' in note]
        self.L = L = 256 // max(self.t[n].size for n in vec)
        words = v.get('mask') if self.op.masked else None
        self.repeats = v.get('repeat_times', 1)
        on, last = np.ones(L, bool), None
        if words and form == 3:
            self.repeats = -(-words[0] // L)
            last = words[0] - (self.repeats - 1) * L
        elif words:
            on = np.array([i < words[0] if form == 0 else bool(words[i // 64] >> i % 64 & 1) if i // 64 < len(words) else False for i in range(L)])
            if not on.any() or form == 0 and words[0] > L:
                raise Fault('mask-zero' if not on.any() else 'mask-range')
        self.on = [on if last is None or r < self.repeats - 1 else np.arange(L) < last for r in range(self.repeats)]
        self.n = [int(x.nonzero()[0][-1]) + 1 for x in self.on]
        self.off = {n: self.offsets(n, self.t[n].size, L) for n in vec}

    def offsets(self, name, size, L):
        notes, v, unit = {o.name: o.note for o in self.op.operands}, self.v, self.v.get('stride_unit', 0)
        blk_name = next((o for o, note in notes.items() if f'block stride of {name}' in note.replace(',', ' ') + ' ' and re.search(rf'block stride of {name}\b', note)), None)
        rep_name = next((o for o, note in notes.items() if re.search(rf'repeat stride of {name}\b', note)), None)
        blocks = L * size // 32
        blk = v[blk_name] if blk_name else 1
        if blk_name and blk == 0 and unit < 2 and 'counts as 1' in notes[blk_name]:
            blk = 1
        rep = v[rep_name] if rep_name else blocks
        B = 32 + blk * size if unit >= 2 else 32 * blk
        R = (rep * size if unit >= 2 else 32 * rep) + ((blocks - 1) * B + 32 if unit & 1 else 0)
        byte = np.arange(L) * size
        return np.arange(self.repeats)[:, None] * R + (byte // 32 * B + byte % 32)[None, :]

    def load(self, name, r):
        return self.t[name].get(self.off[name][r][:self.n[r]])

    def store(self, name, r, bits):
        on = self.on[r][:self.n[r]]
        self.t[name].put(self.off[name][r][:self.n[r]][on], bits[on].astype(N.UINT[self.t[name].size]))

    def check_extents(self):
        for name, off in self.off.items():
            for r in range(self.repeats):
                self.t[name].places(off[r][:self.n[r]], self.t[name].size)

    def scalar(self, name='scalar', t=None, n=256):
        size = N.BYTES[t or self.main.dtype]
        return np.full(n, self.v[name] & (1 << 8 * size) - 1, np.uint64).astype(N.UINT[size])

    def lanes(self):
        key = MEANING.get(self.op.name)
        if self.op.name == 'vadddeqrelu':
            key = 'adddeqrelu'
        key or self.unsupported()
        self.lanes_open()
        self.check_extents()
        key = 'shr.round' if key == 'shr' and self.v['round_en'] else key
        t, sources = self.t['dst'].dtype, [n for n in ('src', 'src0', 'src1') if n in self.off]
        s = self.t[sources[0]].dtype if sources else t
        for r in range(self.repeats):
            x = [self.load(n, r) for n in sources]
            if 'scalar' in self.v:
                x.append(self.scalar(t=s, n=self.n[r]))
            old = self.load('dst', r)
            if key == 'adddeqrelu':
                total = N.value((x[0] + x[1]).astype(np.uint32), 'int32').astype(np.float64)
                p = total * float(N.value(self.scalar('deqscale', 'float16', 1), 'float16')[0])
                self.store('dst', r, N.to_float(np.minimum(np.where(p > 0, p, 0), 65504), 'float16'))
            else:
                self.store('dst', r, N.lanes(key, x[0], x[1] if len(x) > 1 else None, old, t, s, self.c.blob.readings))

    arith = lanes

    def compare(self):
        c, name, kind = self.c, self.op.name, self.op.name.split('_')[-1]
        mask = c.memory['SREG'][:16]
        if name == 'mov_cmpmask_to_tensor':
            return self.t['dst'].put(np.arange(16), mask)
        def fill(ref):
            have = min(16, ref.high - ref.at)
            mask[:] = 0
            mask[:have] = ref.run(0, have)
        if name == 'mov_tensor_to_cmpmask':
            return fill(self.t['src'])
        self.lanes_open()
        self.check_extents()
        if kind in RELATIONS:
            names, t = list(self.off), self.main.dtype
            for r in range(self.repeats):
                x = [N.value(self.load(n, r), t) for n in names] + ([N.value(self.scalar(), t)[:self.L]] if 'scalar' in self.v else [])
                bit = RELATIONS[kind](x[0], x[1])
                if name.startswith('vcmp_'):
                    bit = np.concatenate([bit & self.on[r][:len(bit)], np.zeros(128, bool)])[:128]
                    mask[:] = np.packbits(bit, bitorder='little')
                else:
                    self.t['dst'].put(r * self.L // 8 + np.arange(self.L // 8), np.packbits(bit, bitorder='little'))
            return
        if name == 'vec_sel':
            fill(self.t['sel'])
        for r in range(self.repeats):
            n = self.n[r]
            if name in ('vsel', 'vec_sel'):
                bit = np.concatenate([np.unpackbits(mask, bitorder='little'), np.zeros(128, np.uint8)])[:n]
            else:
                at = r * self.L + np.arange(n)
                bit = self.t['sel'].get(at // 8, 1) >> (at % 8).astype(np.uint8) & 1
            other = self.load('src1', r) if 'src1' in self.off else self.scalar('src1')[:n]
            self.store('dst', r, np.where(bit, self.load('src0', r), other))
        if '.' in name:
            mask[:] = 0

    def extreme(self, bits, on, largest, t):
        """The extreme of active lanes: (bits, lane, how many are equal); None of none."""
        lanes = on.nonzero()[0]
        if not len(lanes):
            return None
        x = N.value(bits, t)[lanes]
        numbers = ~np.isnan(x) if t in N.FLOATS else np.ones(len(x), bool)
        if not numbers.any():
            return N.FLOATS[t][3], int(lanes[0]), 0
        best = x[numbers].max() if largest else x[numbers].min()
        return int(bits[lanes[(x == best).nonzero()[0][0]]]), int(lanes[(x == best).nonzero()[0][0]]), int((x == best).sum())

    def reduce(self):
        name, v, src, dst = self.op.name, self.v, self.t['src'], self.t['dst']
        self.lanes_open()
        t, L, size, largest = src.dtype, self.L, src.size, 'max' in name
        add = lambda a, b: N.lanes('add', a, b, None, t)
        def summands(r):
            x = np.zeros(L, N.UINT[size])
            x[:self.n[r]] = np.where(self.on[r][:self.n[r]], self.load('src', r), 0)
            return x
        if not self.repeats:
            return
        if name.startswith('vec_reduce'):
            self.off = {'src': self.off['src']}
            if name.endswith('add'):
                sums = np.array([N.tree(add, summands(r)) for r in range(self.repeats)])
                if 'REDUCE_CHUNKS' in self.c.blob.features:
                    chunks = [sums[i:i + 255] for i in range(0, len(sums), 255)]
                    for k, chunk in enumerate(chunks):
                        for x in chunk[1:]:
                            chunk[0:1] = add(chunk[0:1], np.array([x]))
                        chunks[k] = chunk[0]
                    sums = np.array(chunks)
                while len(sums) > 1:
                    sums = np.array([N.tree(add, np.concatenate([sums[i:i + L], np.zeros(max(0, L - len(sums) + i), sums.dtype)])) for i in range(0, len(sums), L)])
                return dst.put([0], sums[:1])
            step = int(self.off['src'][1][0]) // size if self.repeats > 1 else 0
            all_lanes = np.concatenate([np.concatenate([self.load('src', r), np.zeros(L - self.n[r], N.UINT[size])]) for r in range(self.repeats)])
            bits, at, _ = self.extreme(all_lanes, np.concatenate(self.on), largest, t)
            out = [bits] + ([at // L * step + at % L] if v['cal_index'] else [])
            return dst.put(np.arange(len(out)) * size, np.array(out).astype(N.UINT[size]))
        N_ = {'vcadd': 1, 'vcmax': 2, 'vcmin': 2, 'vcpadd': L // 2, 'vec_cpadd': L // 2}.get(name, 8)
        listed = v.get('max_cnt_index', v.get('min_cnt_index', 0))
        seen = []
        for r in range(self.repeats):
            place = (r * v['dst_rep_stride'] * N_ + np.arange(N_)) * size
            if name in ('vcmax', 'vcmin'):
                lanes = self.load('src', r)
                seen.append(np.concatenate([lanes, np.zeros(L - len(lanes), lanes.dtype)]))
                bits, at, _ = self.extreme(lanes, self.on[r][:self.n[r]], largest, t)
                out = [at, bits] if v['index_low'] else [bits, at]
            elif name in ('vcgmax', 'vcgmin'):
                lanes, on, per = np.zeros(L, N.UINT[size]), np.zeros(L, bool), 32 // size
                lanes[:self.n[r]], on[:self.n[r]] = self.load('src', r), self.on[r][:self.n[r]]
                none = {'float16': (0x7bff, 0xfbff), 'float32': (0x7f800000, 0xff800000), 'int64': (2 ** 63 - 1, 2 ** 63)}[t][largest]
                found = [self.extreme(lanes[b * per:(b + 1) * per], on[b * per:(b + 1) * per], largest, t) for b in range(8)]
                out = [f[0] if f else none for f in found]
            else:
                out = summands(r)
                while len(out) > N_:
                    out = add(out[0::2], out[1::2])
                if 'cpadd' in name and 'CPADD_ALL_PAIRS' not in self.c.blob.features:
                    some = self.on[r][0::2] | self.on[r][1::2]
                    place, out = place[some], out[some]
            dst.put(place, np.array(out, dtype=np.uint64).astype(N.UINT[size]))
        if listed:
            bits, at, count = self.extreme(np.concatenate(seen), np.concatenate(self.on), largest, t)
            self.c.register('MAX_MIN', bits, 8), self.c.register('MAX_MIN_CNT', count & 0xffff), self.c.register('MAX_MIN_INDEX', at & 0xffff)

    def fill(self):
        name, v = self.op.name, self.v
        counted = name == 'vcopy' and self.d.form == 3
        if counted:
            return self.counted_copy()
        self.lanes_open()
        t = self.main.dtype
        for r in range(self.repeats):
            n = self.n[r]
            if name == 'vci':
                k = r * self.L + np.arange(n)
                x = self.scalar('start_point', t, n)
                out = N.to_float(N.value(x, t).astype(np.longdouble) + k, t) if t in N.FLOATS else (x + k.astype(x.dtype)).astype(x.dtype)
            elif name == 'vpadding':
                out = self.padded(r)[:n]
            elif name == 'vbcb':
                size = self.t['src'].size
                out = np.repeat(self.t['src'].get((8 * r + np.arange(8)) * size), 32 // size)
            else:
                out = self.load('src', r)
            self.store('dst' if 'dst' in self.off else 'dst_index', r, out)

    def convert(self):
        name, v, src, dst = self.op.name, self.v, self.t['src'], self.t['dst']
        pack = '.pack' in name
        self.lanes_open()
        if dst.dtype == 'int4':
            return self.four_bits()
        if pack:
            words = [v['deqscale']] * 16 if '.packs' not in name else [int(w) for w in self.t['deqscale'].get(np.arange(16) * 8, 8)]
            if any((w >> 46 & 1) != (dst.dtype == 'int8') for w in words):
                raise Fault('deq-sign-bit')
            half = self.offsets('dst', 2, self.L)
            lane = np.arange(self.L)
            self.off['dst'] = half[:, :1] + (half[0] - half[0, 0])[lane // 16 * 16] + lane % 16 + (16 if v['ldst_high_half'] else 0)
        keep = bool(self.c.register('FP2FP' if dst.dtype in N.FLOATS else 'FP2INT') & 1)
        for r in range(self.repeats):
            x = self.load('src', r)
            if pack:
                out = N.packed(x, [words[i % 16] & 2 ** 64 - 1 for i in range(len(x))])
            elif name.endswith('.deq'):
                out = N.scaled(x, v['deqscale'] & 0xffff)
            else:
                out = N.convert(x, src.dtype, dst.dtype, v.get('round_mode', 0), keep)
            self.store('dst', r, out)

    def four_bits(self):
        v, dst = self.v, self.t['dst']
        B = 32 * (v.get('dst_blk_stride', 1) or 1)
        R = 32 * v['dst_rep_stride'] + (B + 32 if v.get('stride_unit', 0) == 1 else 0)
        for r in range(self.repeats):
            x = N.convert(self.load('src', r), self.t['src'].dtype, 'int4', v['round_mode'], bool(self.c.register('FP2INT') & 1)) & 15
            pairs, k = x[0::2] | x[1::2] << 4, np.arange(len(x) // 2)
            on = self.on[r][:len(x)][0::2]
            dst.put((r * R + k // 32 * B + k % 32)[on], pairs[on])

    def gather(self):
        name, v, dst = self.op.name, self.v, self.t['dst']
        if name == 'vbi' or name.startswith('vreducev2'):
            return self.bilinear() if name == 'vbi' else self.pick_long()
        self.lanes_open()
        if name.startswith('vreduce'):
            at, size = 0, dst.size
            dense = 'PATTERN_310P' in self.c.blob.features
            for r in range(self.repeats):
                n, lane = self.n[r], np.arange(self.n[r])
                if 'src1_pattern' in self.t:
                    start = (r * self.L // 8 if v['src1_rep_stride'] else 0) if dense else r * 32 * v['src1_rep_stride']
                    keep = self.t['src1_pattern'].get(start + lane // 8, 1) >> (lane % 8).astype(np.uint8) & 1 != 0
                else:
                    p = v['src1_pattern']
                    keep = lane % 2 == p - 1 if p < 3 else lane % 4 == p - 3 if p < 7 else lane >= 0
                kept = self.load('src0', r)[keep & self.on[r][:n]]
                dst.put((at + np.arange(len(kept))) * size, kept)
                at += len(kept)
            if self.repeats:
                self.c.register('RSVD_CNT', at)
            return
        other = 'dst' if name == 'vscatter' else 'src'
        field = self.t[other]
        index = self.t[{'vscatter': 'dst_offset', 'vgatherb': 'src_offsets'}.get(name, 'src_offset')]
        for r in range(self.repeats):
            n, on = self.n[r], self.on[r][:self.n[r]]
            if name == 'vgatherb':
                offs = index.get((8 * r + np.arange(8)) * 4, 4).astype(np.int64)
                out = np.concatenate([field.run(int(o), 32) for o in offs]).view(N.UINT[dst.size])
                self.store('dst', r, out)
                continue
            lane = np.arange(n)[on]
            offs = v['base_addr'] + N.value(index.get((r * self.L + lane) * 4, 4), index.dtype).astype(np.int64)
            if name == 'vgather':
                out = np.zeros(n, N.UINT[dst.size])
                out[on] = field.get(offs)
                self.store('dst', r, out)
            else:
                field.put(offs, self.load('src', r)[on])

    # ---- other families

    def segment(self):
        v, dst, src = self.v, self.t.get('dst'), self.t.get('src')
        if self.op.name == 'data_copy.dim':
            return
        def starts(side):
            at = np.zeros(1, np.int64)
            for count, pitch in zip(v[f'{side}_count'], v[f'{side}_pitch']):
                at = (np.arange(count)[:, None] * pitch + at[None, :]).reshape(-1)
            return at
        to, source = starts('dst'), starts('src')
        if len(to) != len(source):
            raise Fault('slice-total')
        mode = self.c.atomic(dst, src.scope, v['len'])
        for a, b in zip(to.tolist(), source.tolist()):
            self.c.write(mode, dst, a, src.run(b, v['len']))

    def layout(self):
        v, name, t = self.v, self.op.name, self.main[0] if isinstance(self.main, list) else self.main
        if name in ('vnchwconv', 'vec_trans_scatter'):
            n = {1: 16, 2: 16, 4: 8}[t.size]
            high = [16 if t.size == 1 and v[k] else 0 for k in ('dst_high_half', 'src_high_half')]
            for r in range(v['repeat_times']):
                x = np.array([s.get(high[1] + r * 32 * v['src_rep_stride'] + np.arange(n) * t.size) for s in self.t['src_list']])
                y = x.T if t.size < 4 else np.array([x[(e % 2) * 8:(e % 2) * 8 + 8, e // 2] for e in range(16)])
                for e in range(16):
                    self.t['dst_list'][e].put(high[0] + r * 32 * v['dst_rep_stride'] + np.arange(y.shape[1]) * t.size, y[e])
        elif name in ('vec_trans', 'vtranspose'):
            for r in range(v.get('repeat_times', 1)):
                x = self.t['src'].get(512 * r * v.get('src_rep_stride', 0) + np.arange(256) * 2).reshape(16, 16)
                self.t['dst'].put(512 * r * v.get('dst_rep_stride', 0) + np.arange(256) * 2, x.T.reshape(-1))
        elif name == 'v4dtrans':
            shape = (v['channels'], v['m_len']) if v['chw2hwc'] else (v['m_len'], v['channels'])
            at = np.arange(shape[0] * shape[1]) * t.size
            self.t['dst'].put(at, self.t['src'].get(at).reshape(shape).T.reshape(-1))
        else:
            group = 16 if t.size > 1 else 32
            for r in range(v['repeat_times']):
                at = (np.arange(8)[:, None] * group + np.arange(4)[None, :]).reshape(-1) + r * 8 * group
                self.t['dst'].put((r * 32 + np.arange(32)) * t.size, self.t['src'].get(at * t.size))

    def slice(self):
        v, name = self.v, self.op.name.split('.')[0]
        if name.startswith('h_reduce'):
            return self.slice_reduce()
        lens = [v[f'len{i}'] for i in range(3)]
        if 0 in lens:
            return
        i, j, k = np.meshgrid(*(np.arange(n) for n in lens), indexing='ij')
        at = lambda n: ((i * v[f'{n}_stride0'] + j * v[f'{n}_stride1'] + k * v[f'{n}_stride2']) * self.t[n].size).reshape(-1)
        dst = 'mask_tensor' if name == 'h_cmpv' else 'dst'
        sources = [n for n in ('src', 'src0', 'src1') if f'{n}_stride0' in v]
        t = self.t[sources[0]].dtype if sources else self.t['dst'].dtype
        x = [self.t[n].get(at(n)) for n in sources]
        if 'scalar' in v:
            x.insert(1 if sources and v.get('side') else 0, np.full(i.size, self.scalar('scalar', t, 1)[0]))
        to = self.t['dst' if dst == 'dst' else 'mask_tensor']
        if any(to.buf is self.t[n].buf and to.at != self.t[n].at and abs(to.at - self.t[n].at) < 2 ** 20 and self.overlap(at(dst), to, at(n), self.t[n]) for n in sources):
            self.unsupported()
        if name == 'h_data_move':
            mode = self.c.atomic(to, self.t['src'].scope, to.size)
            for a, b in zip(at('dst').tolist(), x[0]):
                self.c.write(mode, to, a, np.array([b]).view(np.uint8))
            return
        if name == 'h_cmpv':
            y = [N.value(b, t) for b in x]
            out = list(RELATIONS.values())[(0, 5, 1, 2, 3, 4)[v['mode']]](*y)
        elif name == 'h_sel':
            out = np.where(self.t['mask_tensor'].get(at('mask_tensor'), 1) != 0, x[0], x[1])
        elif name in ('h_cast', 'scatter_vconv'):
            out = N.convert(x[0], t, to.dtype, v['round_mode'], bool(self.c.register('FP2FP' if to.dtype in N.FLOATS else 'FP2INT') & 1))
        elif name == 'h_quant':
            words = [int(w) for w in self.t['deqscale'].get(np.arange(16) * 8, 8)] if 'deqscale' in self.t else [v['deqscale'] & 2 ** 64 - 1] * 16
            out = N.packed(x[0], [words[(v.get('first', 0) + k) % 16] for k in range(len(x[0]))]) if '.pack' in self.op.name else N.scaled(x[0], v['deqscale'] & 0xffff)
        elif name == 'h_duplicate':
            out = x[0]
        else:
            out = N.lanes(MEANING[name], x[0], x[1] if len(x) > 1 else None, None, t)
        to.put(at(dst), out.astype(N.UINT[to.size]))

    def overlap(self, a, to, b, src):
        return to.at + a.min() < src.at + b.max() + src.size and src.at + b.min() < to.at + a.max() + to.size

    def transfer(self):
        v, name, dst, src = self.v, self.op.name, self.t['dst'], self.t.get('src')
        if name == 'data_move_multi_nd2nz':
            n, C = dst.size, 32 // dst.size
            for i in range(v['nd_num']):
                for r in range(v['nd_n']):
                    row = src.run((i * v['src_nd_stride'] + r * v['src_n_stride']) * n, v['nd_d'] * n)
                    row = np.concatenate([row, np.zeros(-len(row) % 32, np.uint8)])
                    for c in range(len(row) // 32):
                        self.c.write(None, dst, i * v['dst_nd_stride'] * n + (c * v['dst_c0_stride'] + r * v['dst_n_stride']) * 32, row[32 * c:32 * c + 32])
        elif name == 'data_copy.nz2nd':
            n, mode = dst.size, self.c.atomic(dst, src.scope, 16 * dst.size)
            for i in range(v['nd_num']):
                for r in range(v['n_value']):
                    for c in range(v['d_value'] // 16):
                        self.c.write(mode, dst, (i * v['dst_nd_matrix_stride'] + r * v['dst_d_stride'] + 16 * c) * n,
                                     src.run((i * v['src_nd_matrix_stride'] * 256 + c * v['src_n_stride'] * 16 + r * 16) * n, 16 * n))
        elif name.startswith('data_move_pad'):
            self.pad_move(v, dst, src)
        else:
            {'broadcast_ub_to_l0c': self.spread, 'mmad_broadcast': self.spread, 'data_move.bias': self.bias_move}.get(name, self.fill_units)()

    def pad_move(self, v, dst, src):
        n, burst, size = v['nburst'], v['burst'], dst.size
        if dst.scope == 'GM':
            mode = self.c.atomic(dst, src.scope, burst)
            for i in range(n):
                self.c.write(mode, dst, i * (burst + v['dst_gap']), src.run(i * (-(-burst // 32) * 32 + 32 * v['src_gap']), burst))
            return
        left, right = v['left_padding'] * size, v['right_padding'] * size
        blocks = -(-(left + burst + right) // 32) * 32
        for i in range(n):
            data = src.run(i * (burst + v['src_gap']), burst)
            first = v['fill'] == 0 or v['fill'] == 1 and not left and not right
            value = np.concatenate([data, np.zeros(8, np.uint8)])[:size] if first else \
                np.array(list((self.c.register('PAD_VALUE', None, 8) if v['fill'] == 2 else v['padding_value'] & 2 ** 64 - 1).to_bytes(8, 'little')), np.uint8)[:size]
            out = np.tile(value, blocks // size)
            out[left:left + burst] = data
            self.c.write(None, dst, i * (blocks + 32 * v['dst_gap']), out)

    # ---- the matrix unit (7)

    def load_(self):
        v, name, dst, src = self.v, self.op.name, self.t['dst'], self.t['src']
        other = {'load3dv1': self.load3dv1, 'load3dv2': self.load3dv2, 'col2img': self.col2img, 'load_data_with_transpose': self.load_square}.get(name)
        if other:
            return other()
        pairs = []
        if name in ('load2dv1', 'load2dv2'):
            first, turn = v.get('index', v.get('start_index')), v['if_transpose']
            for i in range(v['repeat_times']):
                pairs.append((i * (1 + v.get('dst_gap', 0)), first + (-i if v['addr_mode'] else i) * v['src_stride']))
        elif name == 'load2dv3':
            turn = v['en_transpose']
            pairs = [(j * v['dst_stride'] + i, (v['k_start_pt'] + j) * v['src_stride'] + v['m_start_pt'] + i) for j in range(v['k_step']) for i in range(v['m_step'])]
        for to, at in pairs:
            x = src.run(512 * at, 512)
            x = np.ascontiguousarray(x.view(np.uint16).reshape(16, 16).T).reshape(-1).view(np.uint8) if turn else x
            self.c.write(None, dst, 512 * to, x)

    def cube(self):
        name, v = self.op.name.split('.')[0], self.v
        if name == 'conv2d':
            A, B = self.convolution()
            return self.product(self.t['dst'], A, B, self.t.get('bias'), not self.t.get('bias') and v['init_l1out'] == 0)
        c, a, b = (self.t[n] for n in (('dst_fm', 'src_fm', 'src_filter') if name == 'mmad' else ('dst', 'a', 'b')))
        M, K, Nn = (v[n] for n in (('matrix_m', 'matrix_k', 'matrix_n') if name == 'mmad' else ('m', 'k', 'n')))
        if not (M and K and Nn):
            return
        bias = self.t.get('bias_tensor', self.t.get('bias'))
        onto = not bias and (v['is_bias'] != 0 if name == 'mmad' else v['init_l1out'] == 0)
        up, size, c0 = lambda n: -(-n // 16) * 16, a.size, 32 // a.size
        m, k, n = np.arange(M)[:, None], np.arange(K)[None, :], np.arange(Nn)[:, None]
        K1 = -(-K // c0)
        at = (k // c0 * 32 + k % c0 * size + m * 0) if name == 'mmad' and M == 1 else (m // 16 * K1 + k // c0) * 512 + m % 16 * 32 + k % c0 * size if name == 'mmad' else \
            (k // c0 * up(M) + m) * 32 + k % c0 * size
        A, B = N.value(a.get(at), a.dtype), N.value(b.get((k // c0 * up(Nn) + n) * 32 + k % c0 * size), b.dtype)
        self.product(c, A, B, bias, onto)

    def product(self, c, A, B, bias, onto):
        (M, K), Nn, up = A.shape, len(B), lambda n: -(-n // 16) * 16
        mm, nn = np.arange(up(M))[:, None], np.arange(up(Nn))[None, :]
        place = (nn // 16 * (up(M) // 16) + mm // 16) * 256 + mm % 16 * 16 + nn % 16
        old = N.value(c.get(place * c.size), c.dtype)[:M, :Nn]
        start = N.value(bias.get(np.arange(Nn) * bias.size), bias.dtype)[None, :] if bias else old if onto else np.zeros(1)
        out = np.zeros((up(M), up(Nn)), N.UINT[c.size])
        if c.dtype in ('int32', 'uint32'):
            total = A.astype(np.int64) @ B.astype(np.int64).T + start.astype(np.int64)
            out[:M, :Nn] = N.bits_of(np.clip(total, *N.limits(c.dtype)), 'int32')
        else:
            total = np.zeros((M, Nn), np.float32) + start.astype(np.float32)
            for i in range(K):
                total = total + A[:, i:i + 1].astype(np.float32) * B[None, :, i].astype(np.float32)
            saturate = not self.c.register('FP2FP')
            bits = N.bits_of(total, c.dtype)
            out[:M, :Nn] = N.finite(bits, c.dtype) if saturate else bits
        c.put(place * c.size, out)

    def add_rows(self, x, y, t, subtract=False):
        a, b = N.value(x, t), N.value(y, t)
        r = N.bits_of(a - b if subtract else a + b, t)
        return N.finite(r, t) if t == 'float16' else r

    def acc(self):
        v, dst, src = self.v, self.t['dst'], self.t['src']
        mode, scale, out = v['block_mode'], v['deq_mode'], src.scope == 'L0C'
        acc, far = (src, dst) if out else (dst, src)
        elems = (256, 16, 64, 256)[mode]
        unit, gap = (256 if mode == 1 else elems) * acc.size, (256 if mode == 1 else elems) * acc.size
        far_unit = elems * far.size * (2 if far.size == 1 and v['sid_store_mode'] != 2 else 1)
        acc_gap, far_gap = (v['src_stride'], v['dst_stride']) if out else (v['dst_stride'], v['src_stride'])
        if mode == 3 and v['nburst'] != 1:
            raise Fault('range-nburst')
        atomic = self.c.atomic(dst, 'L0C', 8 * dst.size) if self.op.name == 'tensor_mov.out' else None
        for burst in range(v['nburst']):
            par, relu = self.acc_words(burst, scale, mode, dst.dtype)
            for q in range(v['burst_len'] * elems // 16):
                rows = elems // 16
                inside = burst * (v['burst_len'] * unit + acc_gap * gap) + q // rows * unit + q % rows * 16 * acc.size
                base = burst * (v['burst_len'] * far_unit + far_gap * 32)
                dense = base + q * 16 * far.size
                bits = src.get((inside if out else dense) + np.arange(16) * src.size)
                r = N.deq(bits, src.dtype, dst.dtype, scale > 0 and dst.dtype != 'int16', relu, **par)
                if not out:
                    dst.put(inside + np.arange(16) * dst.size, r)
                    continue
                if v.get('onthefly_mode'):
                    other = self.t['src_onthefly']
                    r = self.add_rows(r, other.get((burst * v['burst_len'] * far_unit // far.size + q * 16 + np.arange(16)) * far.size), dst.dtype, v['onthefly_mode'] == 2)
                at = [dense, dense + 8 * far.size]
                if mode == 3:
                    at = [q * 8 * far.size, q * 8 * far.size + v['burst_len'] * far_unit // 2 + v['dst_stride'] * 32]
                elif far.size == 1 and v['sid_store_mode'] != 2:
                    at = [base + 32 * q + 16 * v['sid_store_mode'], base + 32 * q + 16 * v['sid_store_mode'] + 8]
                raw = np.ascontiguousarray(r.astype(N.UINT[dst.size])).view(np.uint8)
                for h in (0, 1):
                    self.c.write(atomic, dst, at[h], raw[h * 8 * dst.size:(h + 1) * 8 * dst.size])

    def acc_words(self, burst, scale, mode, to):
        relu = bool(self.v['relu'])
        if scale in (1, 2):
            half = np.full(16, self.v['deqscale'] & 0xffff, np.uint16) if scale == 1 else self.t['deqscale'].get(np.arange(16) * 2, 2)
            return dict(m=N.value(half[np.arange(16) % (4 if mode == 2 else 16)], 'float16'), n=1, o=0), relu
        if scale == 0:
            return dict(n=1), relu
        if scale in (4, 6):
            words = [int(w) for w in self.t['deqscale'].get(burst * 128 + np.arange(16) * 8, 8)]
        else:
            words = [self.v['deqscale'] & 2 ** 64 - 1] * 16
            relu = relu or bool(words[0] >> 47 & 1)
        if scale in (3, 4) and any((w >> 46 & 1) != (to == 'int8') for w in words):
            raise Fault('deq-sign-bit')
        return N.words_of([words[i % (4 if mode == 2 else 16)] for i in range(16)], False), relu

    def fixblocks(self):
        v, dst, src = self.v, self.t['dst'], self.t['src']
        rows, add, scale = v['burst_len'] * 32 // (16 * src.size), v.get('add', 0), v['quantize'] == 2
        mode = self.c.atomic(dst, 'L0C', 16 * dst.size)
        for j in range(v['cburst_num']):
            par = {}
            if scale and 'mode_param' in self.v:
                par = N.words_of([v['mode_param'] & 0xffffffff] * 16, True)
            elif scale:
                p = self.t['mode_param']
                raw = p.get((np.arange(16) + (0 if p.size == 2 else 16 * j)) * p.size)
                par = dict(m=N.value(raw, 'float16'), n=1, o=0) if p.size == 2 else N.words_of([int(w) for w in raw], p.size == 4)
            for row in range(rows):
                x = src.get(((-(-rows // 16) + v['src_stride']) * 16 * j + row) * 16 * src.size + np.arange(16) * src.size)
                if add == 1:
                    x = self.add_rows(x, self.t['other'].get((16 * j + np.arange(16)) * src.size), src.dtype)
                x = N.deq(x, src.dtype, dst.dtype, scale, **par)
                if add == 2:
                    x = self.add_rows(x, self.t['other'].get(((j * rows + row) * 16 + np.arange(16)) * dst.size), dst.dtype)
                x = np.where(N.value(x, dst.dtype) > 0, x, x & 0) if v['relu'] else x
                self.c.write(mode, dst, j * (rows * 16 * dst.size + 32 * v['dst_stride']) + row * 16 * dst.size, np.ascontiguousarray(x).view(np.uint8))

    def fixcolumns(self):
        v, dst, src, quant = self.v, self.t['dst'], self.t['src'], self.v['quant_pre']
        scale, size = quant >= 3, dst.size
        mode = self.c.atomic(dst, 'L0C', size)
        for nd in range(v['nd_num'] if v['nd'] else 1):
            for k in range(0, v['n_size'], 16):
                par, columns = {}, min(16, v['n_size'] - k)
                if scale:
                    at = np.minimum(k + np.arange(16), v['n_size'] - 1)
                    words = [int(w) for w in self.t['deq'].get(at * 8, 8)] if 'deq' in self.t else [v['deq'] & 2 ** 64 - 1] * 16
                    if size == 1 and any((w >> 46 & 1) != (dst.dtype == 'int8') for w in words):
                        raise Fault('deq-sign-bit')
                    par = N.words_of(words, True)
                    par['shift'] = par['shift'] and size == 1 and src.dtype == 'int32'
                for j in range(v['m_size']):
                    x = src.get((nd * v['src_nd_stride'] * 256 + (k // 16 * v['src_stride'] + j) * 16 + np.arange(16)) * src.size)
                    x = np.ascontiguousarray(N.deq(x, src.dtype, dst.dtype, scale, bool(v['relu']) and not scale, bool(v['relu']) and scale, **par))
                    if v['split'] and not v['nd']:
                        for h in range(0, columns, 8):
                            self.c.write(mode, dst, (k + h) // 8 * v['dst_stride'] * 32 + 32 * j, x[h:h + 8].view(np.uint8))
                        continue
                    to = (nd * v['dst_nd_stride'] + j * v['dst_stride'] + k) * size if v['nd'] else \
                        k // 32 * v['dst_stride'] * 32 + 32 * j + k // 16 % 2 * 16 if size == 1 else k // 16 * v['dst_stride'] * 32 + j * 16 * size
                    self.c.write(mode, dst, to, x[:columns].view(np.uint8))




class Machine:
    """A kernel with its arrays; arrays: bytes before the run, b'' for zeros or the preset; a list has several."""

    def __init__(self, blob, kernel, arrays):
        self.blob, self.kernel, self.arrays, self.cores = blob, kernel, [], kernel.cores
        lanes_only = all(d.kind != 'instr' or d.op.family in ('LANES', 'ARITH', 'MOVE', 'CONTROL', 'REGISTER') for d in kernel.code_list)
        if set(blob.readings) - EXISTENCE - ({'U2', 'U7'} if lanes_only else set()):
            raise N.Unsupported('other readings than the usual ones: ' + ' '.join(blob.readings))
        arrays = list(arrays)
        for a in kernel.args:
            given = [arrays.pop(0) for _ in range(a['elements'] if a['group'] == 'list' else 1)]
            made = []
            for raw in given:
                size = len(raw) if a['open'] or a['group'] == 'list' else a['bytes']
                buf = np.zeros(-(-size // 32) * 32 + 32, np.uint8)
                fill = N.UINT[N.BYTES[a['dtype']]]
                start = np.full(size // N.BYTES[a['dtype']], a['preset'] & (1 << 8 * N.BYTES[a['dtype']]) - 1, fill).view(np.uint8) if a['preset'] is not None else np.zeros(size, np.uint8)
                buf[:size] = np.frombuffer(raw, np.uint8) if raw else start
                made.append((buf, size))
            self.arrays.append(made)
        self.barriers = any(d.kind == 'instr' and d.op.name == 'block_barrier' for d in kernel.code_list)
        self.tables, self.jump = {}, self.targets(kernel.code_list)

    def targets(self, code):
        """By descriptor: LOOP its end, ENDLOOP its loop, IF and ELSE where they lead, BREAK and CONTINUE the end of their loop."""
        jump, opened, leave = {}, [], []
        for i, d in enumerate(code):
            if d.kind in ('loop', 'if'):
                opened.append(i)
            elif d.kind == 'else':
                jump[opened.pop()] = i
                opened.append(i)
            elif d.kind in ('endloop', 'endif'):
                start = opened.pop()
                jump[start] = i
                jump[i] = start
            elif d.kind in ('break', 'continue'):
                leave.append((i, next(j for j in reversed(opened) if code[j].kind == 'loop')))
        jump.update((i, jump[loop]) for i, loop in leave)
        return jump

    def global_memory(self, r, at):
        """(bytes, how many may be accessed, what is taken from the offset)"""
        if r['kind'] == 'table':
            if r['base'] not in self.tables:
                self.tables[r['base']] = np.frombuffer(self.blob['CNST'][r['base']:r['base'] + -(-r['bytes'] // 32) * 32], np.uint8).copy()
            return self.tables[r['base']], len(self.tables[r['base']]), 0
        if r['kind'] == 'list':
            item = at + 2 ** 35 >> 36
            if not 0 <= item < len(self.arrays[r['base']]):
                raise Fault('list-index')
            buf, size = self.arrays[r['base']][item]
            return buf, len(buf), item << 36
        buf, size = self.arrays[r['base']][0]
        return buf, len(buf), 0

    def run(self):
        cores, waits = {}, {}
        index = 0
        while index < self.cores:
            cores[index] = Core(self, index).run()
            waits[index] = next(cores[index], 0)
            index += 1
        while any(waits.values()):
            if any(waits[i] == 0 for w in waits.values() for i in range(w) if w):
                raise Fault('block-barrier')
            for i in [i for i, w in waits.items() if w]:
                waits[i] = next(cores[i], 0)

    def outputs(self):
        return [bytes(made[0][0][:made[0][1]]) for a, made in zip(self.kernel.args, self.arrays) if a['group'] == 'output']
