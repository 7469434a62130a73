"""Families of docs/meaning.md beside moves, vector lanes and products: sorting, slices' reductions, windows of images, LMEM, registers, load_image."""
import numpy as np

import arithmetic as N
import document as doc

EXTREMES = ('max', 'min')


class Windows:
    """7.1: the windows of an image; groups of c0 channels are 32 bytes."""

    def __init__(self, src, size, h, w, pad, stride, kernel, dilation, value):
        self.src, self.size, self.h, self.w = src, size, h, w
        self.left, self.right, self.top, self.bottom = pad
        (self.sh, self.sw), (self.kh, self.kw), (self.dh, self.dw) = stride, kernel, dilation
        rows = lambda n, a, b, d, k, s: max(0, n + a + b - d * (k - 1) - 1) // s + 1
        self.oh, self.ow = rows(h, self.top, self.bottom, self.dh, self.kh, self.sh), rows(w, self.left, self.right, self.dw, self.kw, self.sw)
        self.padding = np.frombuffer((value & (1 << 8 * size) - 1).to_bytes(size, 'little') * (32 // size), np.uint8)

    def place(self, m, fy, fx):
        """(y, x), or None outside of the image."""
        y, x = m // self.ow * self.sh - self.top + fy * self.dh, m % self.ow * self.sw - self.left + fx * self.dw
        return (y, x) if 0 <= y < self.h and 0 <= x < self.w else None

    def row(self, m, q, channels=None):
        if m >= self.oh * self.ow:
            return np.zeros(32, np.uint8)
        group, point = divmod(q, self.kh * self.kw)
        at = self.place(m, *divmod(point, self.kw))
        out = self.padding.copy() if at is None else self.src.run(((group * self.h + at[0]) * self.w + at[1]) * 32, 32)
        if channels is not None:
            out[max(0, channels * self.size - group * 32):] = 0
        return out

    def few(self, m, q):
        """A row of four points of four channels of 16 bits."""
        parts = []
        for p in range(q, q + 4):
            at = self.place(m, *divmod(p, self.kw))
            none = m >= self.oh * self.ow or p >= self.kh * self.kw
            parts.append(np.zeros(8, np.uint8) if none else self.padding[:8] if at is None else self.src.run((at[0] * self.w + at[1]) * 8, 8))
        return np.concatenate(parts)


def before(a, b):
    return a > b or (b != b and a == a)


def stable(scores):
    """Numbers of scores in descending order, NaN last, equal ones in their order."""
    return sorted(range(len(scores)), key=lambda i: (scores[i] != scores[i], -scores[i] if scores[i] == scores[i] else 0))


class More:
    """Methods of machine.Instr."""

    def windows(self, pad, value=0):
        v = self.v
        return Windows(self.t['src'], self.main.size, v['l1_h'], v['l1_w'], pad, (v['stride_h'], v['stride_w']), (v['filter_h'], v['filter_w']),
                       (v['dilation_filter_h'], v['dilation_filter_w']), value)

    def load3dv1(self):
        v = self.v
        w = self.windows(v['pad'], v['pad_value'])
        m0 = (v['left_top_h'] + w.top) // w.sh * w.ow + (v['left_top_w'] + w.left) // w.sw
        q0 = (v['c1_index'] * w.kh + v['fetch_filter_h']) * w.kw + v['fetch_filter_w']
        for j in range(v['repeat_time']):
            for i in range(16):
                m, q = (m0 + i + 16 * j, q0) if v['repeat_mode'] else (m0 + i, q0 + j * (4 if v['_csize'] else 1))
                self.c.write(None, self.t['dst'], 512 * j * v['jump_offset'] + 32 * i, w.few(m, q) if v['_csize'] else w.row(m, q))

    def load3dv2(self):
        v, dst = self.v, self.t['dst']
        w, c0 = self.windows(v['pad_list'], v['pad_value']), 32 // dst.size
        m1, k1 = -(-v['m_extension'] // 16), -(-v['k_extension'] // c0)
        for i in range(m1):
            for j in range(k1):
                rows = [w.row(v['m_start_pt'] + 16 * i + r, v['k_start_pt'] // c0 + j, v['channel_size']) if 16 * i + r < v['m_extension'] else np.zeros(32, np.uint8) for r in range(16)]
                x = np.concatenate(rows)
                if v['en_transpose'] or dst.scope == 'L0B':
                    x = np.ascontiguousarray(x.view(np.uint16).reshape(16, 16).T).reshape(-1).view(np.uint8)
                self.c.write(None, dst, 512 * (j * m1 + i if v['en_transpose'] else i * k1 + j), x)

    def col2img(self):
        v, dst, src = self.v, self.t['dst'], self.t['src']
        w = self.windows(v['pad'])
        m0 = (v['left_top_h'] + w.top) // w.sh * w.ow + (v['left_top_w'] + w.left) // w.sw
        lane = np.arange(16) * dst.size
        for i in range(16 * v['repeat_time']):
            at = w.place(m0 + i, v['fetch_filter_h'], v['fetch_filter_w']) if m0 + i < w.oh * w.ow else None
            if at:
                place = (at[0] * w.w + at[1]) * 16 * dst.size + lane
                x = N.value(dst.get(place), dst.dtype) + N.value(src.get(i * 16 * src.size + lane), src.dtype)
                dst.put(place, N.bits_of(x, dst.dtype))

    def load_square(self):
        v, dst, src = self.v, self.t['dst'], self.t['src']
        side, columns = (32, 32) if dst.size == 1 else (16, 8)
        r, c = np.meshgrid(np.arange(side), np.arange(side), indexing='ij')
        place = lambda r, c, pitch: (r // 16 if dst.size == 1 else c // columns) * pitch + r % 16 * 32 + c % columns * dst.size
        for i in range(v['repeat_times']):
            x = src.get(1024 * (v['start_index'] + (-i if v['addr_mode'] else i) * v['src_stride']) + place(c, r, 512))
            dst.put(512 * i * (1 + v['dst_gap']) + place(r, c, 512 * (1 + v['dst_frac_gap'])), x)

    def convolution(self):
        """The factors of conv2d, and the numbers of rows and columns."""
        v, a, b = self.v, self.t['feature_map'], self.t['weight']
        w = Windows(a, a.size, v['fm_h'], v['fm_w'], [v[f'pad_{s}'] for s in ('left', 'right', 'top', 'bottom')], (v['stride_h'], v['stride_w']), (v['kernel_h'], v['kernel_w']),
                    (v['dilation_h'], v['dilation_w']), v['pad_value'])
        c0, points = 32 // a.size, v['fm_c1'] * w.kh * w.kw
        few, nn = v['fm_c0'] == 4 and c0 != 4, -(-v['kernel_cout'] // 16) * 16
        m = w.oh * w.ow
        if few:
            w.few_bytes = 4 * a.size
            rows = []
            for i in range(m):
                row = []
                for q in range(points):
                    group, p = divmod(q, w.kh * w.kw)
                    at = w.place(i, *divmod(p, w.kw))
                    row.append(w.padding[:w.few_bytes] if at is None else a.run(((group * w.h + at[0]) * w.w + at[1]) * w.few_bytes, w.few_bytes))
                rows.append(np.concatenate(row))
        else:
            rows = [np.concatenate([w.row(i, q) for q in range(points)]) for i in range(m)]
        A = N.value(np.ascontiguousarray(np.array(rows)).view(N.UINT[a.size]), a.dtype)
        k, n, width = np.arange(A.shape[1])[None, :], np.arange(v['kernel_cout'])[:, None], 4 if few else c0
        B = N.value(b.get(((k // width * nn + n) * width + k % width) * b.size), b.dtype)
        return A, B

    # ---- sorting and boxes (5)

    def sort(self):
        getattr(self, 'sort_' + {'vconcat': 'fields', 'vextract': 'fields', 'viou': 'pairs', 'vaadd': 'pairs', 'vmrgsort4': 'merge', 'vmrgsort': 'merge'}.get(self.op.name, self.op.name))()

    def sort_fields(self):
        i = np.arange(16 * self.v['repeat_times'])
        size, field = self.main.size, 8 * i + self.v['mode_number']
        a, b = (field, i) if self.op.name == 'vconcat' else (i, field)
        self.t['dst'].put(a * size, self.t['src'].get(b * size))

    def sort_vrpsort16(self):
        t = self.main
        for r in range(self.v['repeat_times']):
            x = self.t['src'].get((r * 128 + np.arange(128)) * t.size).reshape(16, 8)
            order = stable(N.value(x[:, 4].copy(), t.dtype).tolist())
            self.t['dst'].put((r * 128 + np.arange(128)) * t.size, x[order].reshape(-1))

    def sort_vsort32(self):
        t = self.main
        for r in range(self.v['repeat_times']):
            scores, index = self.t['src0'].get((r * 32 + np.arange(32)) * t.size), self.t['src1'].get((r * 32 + np.arange(32)) * 4)
            order = stable(N.value(scores, t.dtype).tolist())
            out = np.array([[scores[i], index[i]] for i in order], np.uint32).reshape(-1)
            self.t['dst'].put((r * 64 + np.arange(64)) * 4, out)

    def sort_merge(self):
        v, t, pairs = self.v, self.main, self.op.name == 'vmrgsort'
        record, at_score = (8, 0) if pairs else (8 * t.size, 4 * t.size)
        n = next(k for k, bit in ((4, 8), (3, 4), (2, 2), (1, 0)) if v['valid_bit'] & bit or k == 1)
        lens = v['element_count_list' if pairs else 'element_lengths'][:n]
        for r in range(v['repeat_times']):
            lists = [[self.t['src_list'][i].run((4 * r * lens[i] + k) * record, record) for k in range(lens[i])] for i in range(n)]
            score = lambda raw: float(N.value(np.ascontiguousarray(raw[at_score:at_score + t.size]).view(N.UINT[t.size]), t.dtype)[0])
            taken, to = [0] * 4, r * sum(lens) * record
            while True:
                left = [i for i in range(n) if taken[i] < lens[i]]
                if not left or v['if_exhausted_suspension'] and len(left) < n:
                    break
                best = left[0]
                for i in left[1:]:
                    best = i if before(score(lists[i][taken[i]]), score(lists[best][taken[best]])) else best
                self.c.write(None, self.t['dst'], to, lists[best][taken[best]])
                taken[best] += 1
                to += record
            for i in range(4):
                at = doc.REGISTERS['VMS4'][0] + 4 * i
                self.c.memory['SREG'][at:at + 4] = list(taken[i].to_bytes(4, 'little'))

    def box_numbers(self):
        t = self.main.dtype
        name, width = ('RPN_OFFSET16', 2) if t == 'float16' else ('RPN_OFFSET32', 4)
        o = N.value(np.array([self.c.register(name, None, width)], N.UINT[width]), t)[0]
        rounded = lambda x: N.value(N.bits_of(x, t), t)
        return t, o, rounded, lambda low, high: rounded(rounded(high - low) + o)

    def sort_vrpac(self):
        t, _, rounded, side = self.box_numbers()
        n, size = 16 * self.v['repeat_times'], self.main.size
        x = N.value(self.t['src'].get(np.arange(8 * n) * size), t).reshape(n, 8)
        self.t['dst'].put(np.arange(n) * size, N.bits_of(side(x[:, 0], x[:, 2]) * side(x[:, 1], x[:, 3]), t))

    def sort_pairs(self):
        t, _, rounded, side = self.box_numbers()
        width, size = 8 if self.op.name == 'viou' else 1, self.main.size
        q = N.value(self.t['src1'].get(np.arange(16 * width) * size), t).reshape(16, width)
        for r in range(self.v['repeat_times']):
            p = N.value(self.t['src0'].get((r * 16 * width + np.arange(16 * width)) * size), t).reshape(16, width)
            both = lambda k: np.broadcast_arrays(p[:, None, k], q[None, :, k])
            if width == 1:
                out = p[:, None, 0] + q[None, :, 0]
            else:
                lengths = []
                for low, high in ((0, 2), (1, 3)):
                    (a, b), (c, d) = both(low), both(high)
                    start = np.where(np.isnan(a) | np.isnan(b), np.float32(np.nan), np.where(b > a, b, a))
                    end = np.where(np.isnan(c) | np.isnan(d), np.float32(np.nan), np.where(d < c, d, c))
                    n = side(start, end)
                    lengths.append(np.where((n > 0) | np.isnan(n), n, np.float32(0)))
                out = lengths[0] * lengths[1]
            self.t['dst'].put((r * 256 + np.arange(256)) * size, N.bits_of(out.reshape(-1), t))

    def sort_rpn_cor(self):
        v, ir = self.v, self.c.register('RPN_COR_IR')
        for r in range(v['repeat_times']):
            rows, entries = (self.t[n].get(32 * r * v[f'{n}_rep_stride'] + np.arange(16) * 2) for n in ('src0', 'src1'))
            for row, entry in zip(rows.tolist(), entries.tolist()):
                ir |= row if entry == 0 else 0
        self.c.register('RPN_COR_IR', ir)

    def sort_rpn_cor_diag(self):
        ir, rows, out = self.c.register('RPN_COR_IR'), self.t['src'].get(np.arange(16) * 2).tolist(), []
        for j in range(16):
            out.append(int(ir >> j & 1 or any(out[i] == 0 and rows[i] >> j & 1 for i in range(j))))
        self.t['dst'].put(np.arange(16) * 2, np.array(out, np.uint16))

    # ---- slices (6)

    def slice_reduce(self):
        v, dst, src = self.v, self.t['dst'], self.t['src']
        axes = [range(v[f'axis{q}']) for q in range(4)]
        kind, t = self.op.name.split('_')[-1], src.dtype
        inner = np.array([sum(a * v[f'src_stride{2 + q}'] for q, a in enumerate(at)) for at in np.ndindex(*(len(a) for a in axes))], np.int64)
        for i in range(v['len0']):
            for j in range(v['len1']):
                bits = src.get((i * v['src_stride0'] + j * v['src_stride1'] + inner) * src.size)
                if kind == 'sum':
                    full = 1 << (len(bits) - 1).bit_length()
                    out = N.tree(lambda a, b: N.lanes('add', a, b, None, t), np.concatenate([bits, np.zeros(full - len(bits), bits.dtype)]))
                else:
                    found, at, _ = self.extreme(bits, np.ones(len(bits), bool), 'max' in kind, t)
                    out = at if kind.startswith('arg') else found
                dst.put([(i * v['dst_stride0'] + j * v['dst_stride1']) * dst.size], np.array([out], N.UINT[dst.size]))

    # ---- transfers (4.3)

    def spread(self):
        v, dst, src = self.v, self.t['dst'], self.t['src']
        moded = self.op.name == 'mmad_broadcast'
        n, units = (v['nburst'] or 1, v['burst_repeat'] or 1) if moded else (v['nburst'], v['burst_len'])
        rows = 1 if moded and v['repeat_mode'] == 1 else units
        for i in range(n):
            for u in range(units):
                bits = src.get(i * (rows * 16 * src.size + 32 * v['src_gap']) + ((u if rows > 1 else 0) * 16 + np.arange(16)) * src.size)
                if dst.size != src.size:
                    x = N.value(bits, src.dtype)
                    bits = N.finite(N.bits_of(x, 'float16'), 'float16') if dst.size == 2 else N.bits_of(x, 'float32')
                self.c.write(None, dst, (i * (units + v['dst_gap']) + u) * 256 * dst.size, np.tile(bits, 16).view(np.uint8))

    def fill_units(self):
        v, dst = self.v, self.t['dst']
        fractals = 'block_num' not in v
        unit = 512 if fractals or dst.scope != 'L1' else 32
        run = 1 if fractals else v['block_num']
        value = np.array([v['value'] & 0xffff], np.uint16)
        for i in range(v['repeat_times']):
            self.c.write(None, dst, i * (run + v.get('dst_gap', 0)) * unit, np.tile(value, run * unit // 2).view(np.uint8))

    def bias_move(self):
        v, dst, src = self.v, self.t['dst'], self.t['src']
        unit = 32 if 'BIAS_UNIT_32' in self.c.blob.features else 64
        n = v['burst'] * unit // src.size
        for i in range(v['nburst'] if v['burst'] else 0):
            bits = src.get(i * (n * src.size + 32 * v['src_stride']) + np.arange(n) * src.size)
            out = bits if src.size == dst.size else N.bits_of(N.value(bits, src.dtype), 'float32')
            dst.put(i * (n * dst.size + v['dst_stride'] * unit) + np.arange(n) * dst.size, out)

    # ---- gathers and fills

    def pick_long(self):
        v, dst, src, at = self.v, self.t['dst'], self.t['src0'], 0
        n, per = v['mask'], 32 // dst.size
        lane = np.arange(n)
        for r in range(v['repeat_times']):
            if 'src1_pattern' in self.t:
                keep = self.t['src1_pattern'].get(32 * r * v['src1_rep_stride'] + lane // 8, 1) >> (lane % 8).astype(np.uint8) & 1 != 0
            else:
                p = v['src1_pattern']
                keep = lane % 2 == p - 1 if p < 3 else lane % 4 == p - 3 if p < 7 else lane >= 0
            kept = src.get(32 * r * v['src0_rep_stride'] + lane // per * 32 * v['src0_blk_stride'] + lane % per * dst.size)[keep]
            dst.put((at + np.arange(len(kept))) * dst.size, kept)
            at += len(kept)
        if v['repeat_times']:
            self.c.register('RSVD_CNT', at)

    def bilinear(self):
        v, dst, src, t = self.v, self.t['dst'], self.t['src0'], self.main.dtype
        size, per, words = dst.size, 32 // dst.size, v['mask']
        on = np.array([i < words[0] if self.d.form == 0 else bool(words[i // 64] >> i % 64 & 1) for i in range(256 // size if self.d.form == 0 else 128)])[:256 // size].nonzero()[0]
        number = lambda bits: N.value(bits, t)
        for r in range(v['vertical_repeat_times']):
            total = np.zeros(len(on), np.float32)
            for k in range(r * v['horizontal_repeat_times'], (r + 1) * v['horizontal_repeat_times']):
                at = N.value(self.t['src0_offset'].get((8 * k + on // per) * 4, 4), self.t['src0_offset'].dtype).astype(np.int64)
                x = number(src.get(at + on % per * size))
                w = number(self.t['src1'].get((8 * k + on // per if v['repeat_mode'] else k + 0 * on) * size))
                total = number(N.bits_of(number(N.bits_of(x * w, t)) + total, t))
            dst.put(r * v['vertical_repeat_offset'] * size + on // per * 32 * v['dst_blk_stride'] + on % per * size, N.bits_of(total, t))

    def counted_copy(self):
        v, dst, src, n = self.v, self.t['dst'], self.t['src'], self.v['mask'][0]
        byte = np.arange(n) * dst.size
        stride = lambda name: 1 if v[f'{name}_blk_stride'] == 0 and 'counts as 1' in next(o.note for o in self.op.operands if o.name == f'{name}_blk_stride') else v[f'{name}_blk_stride']
        for r in range(v['repeat_times']):
            x = src.get(32 * r * v['src_rep_stride'] + byte // 32 * 32 * stride('src') + byte % 32)
            dst.put(32 * r * v['dst_rep_stride'] + byte // 32 * 32 * stride('dst') + byte % 32, x)

    def padded(self, r):
        """The lanes of a repeat of vpadding."""
        v, src = self.v, self.t['src']
        n, mode, right = 32 // src.size, v['pad_mode'], v['pad_side']
        x = src.get(self.off['src'][r]).reshape(8, n)
        i = np.arange(n)
        if mode == 0:
            return np.repeat(x[:, n - 1 if right else 0], n)
        if mode == 1:
            return x[:, ::-1].reshape(-1)
        out = np.where(i[None, :] == (n - 1 if right else 0), 0, x[:, (n - 2 - i if right else n - i) % n])
        return out.reshape(-1).astype(x.dtype)

    # ---- vector registers (9)

    def active(self, lanes):
        words, form = self.v['mask'], self.d.form
        return np.array([i < words[0] if form == 0 else bool(words[i // 64] >> i % 64 & 1) if i // 64 < len(words) else False for i in range(lanes)])

    def reg(self):
        name, v = self.op.name, self.v
        getattr(self, 'reg_' + name.replace('vector_', '').replace('.two', '').replace('vdintlv', 'vintlv'))()

    def reg_load(self):
        two = 'dst1' in self.t
        regs, mode, src = [self.t['dst0'], self.t['dst1']] if two else [self.t['dst']], self.v['ld_mode'], self.t['src']
        size = regs[0].size
        i, per = np.arange(256 // size), 32 // size
        made = []
        for k in range(len(regs)):
            at = {1: 0 * i, 2: i // 2, 3: 2 * i, 5: i // per, 8: (2 * (i // per) + k) * per + i % per, 9: 2 * i + k}.get(mode, i)
            width = size // 2 if mode == 4 else size
            made.append(src.get(at * width, width).astype(N.UINT[size]))
        for reg, bits in zip(regs, made):
            reg.put(i * size, bits)

    def reg_store(self):
        regs, mode, dst = [self.t[n] for n in ('src', 'src0', 'src1') if n in self.t], self.v['st_mode'], self.t['dst']
        size = regs[0].size
        on = self.active(256 // size).nonzero()[0]
        on = on[on == 0] if mode == 6 else on
        width = size // 2 if mode == 7 else size
        for k, reg in enumerate(regs):
            dst.put((on * len(regs) + k) * width, reg.get(on * size).astype(N.UINT[width]))

    def reg_cast(self):
        v, dst, src = self.v, self.t['dst'], self.t['src']
        wide = max(dst.size, src.size)
        on = self.active(256 // wide).nonzero()[0]
        part = lambda r: on * wide + (v['part_indicator'] * r.size if r.size < wide else 0)
        dst.put(part(dst), N.convert(src.get(part(src)), src.dtype, dst.dtype, v['round_mode'], v['saturate_flag'] == 0))

    def reg_vintlv(self):
        size = self.t['dst0'].size
        at = np.arange(256 // size) * size
        a, b = self.t['src0'].get(at), self.t['src1'].get(at)
        both = np.concatenate([a, b]) if self.op.name == 'vector_vdintlv' else np.stack([a, b], 1).reshape(-1)
        x, y = (both[0::2], both[1::2]) if self.op.name == 'vector_vdintlv' else (both[:len(a)], both[len(a):])
        self.t['dst0'].put(at, x), self.t['dst1'].put(at, y)

    def reg_vdhistv2(self):
        values = self.t['src'].get(self.active(256).nonzero()[0])
        for k in range(2):
            at = np.arange(128) * 2
            counts = np.bincount(values[values // 128 == k] % 128, minlength=128)
            self.t[f'dst{k}'].put(at, (self.t[f'dst{k}'].get(at) + counts).astype(np.uint16))

    # ---- lanes of LMEM (8)

    def tensor(self, name, shape, stride, bits):
        """For elements n, c, h, w of a tensor: (places of bytes in its memory, lanes, halves of bytes)."""
        ref, first = self.t[name], self.v[f'{name}_lane']
        n, c, h, w = (x.reshape(-1) for x in np.meshgrid(*(np.arange(k) for k in shape), indexing='ij'))
        lanes = self.c.blob.lanes if ref.scope == 'LMEM' else 0
        lane, slot = ((first + c) % lanes, (first + c) // lanes) if lanes else (0 * c, c)
        off = n * stride[0] + slot * stride[1] + h * stride[2] + w * stride[3]
        return lane * self.c.blob.memory.get('LMEM', 0) + off * bits // 8, lane, off % 2 if bits == 4 else 0 * off

    def lmem_get(self, name, places, lane):
        ref = self.t[name]
        ref.high = ref.high + int(lane.max()) * self.c.blob.memory.get('LMEM', 0) if ref.scope == 'LMEM' else ref.high
        return ref

    def lmem(self):
        name, v = self.op.name, self.v
        if name == 'data_move.tensor':
            return self.lmem_move()
        if name == 'lane_conv2d':
            return self.lmem_conv()
        t, size = self.main.dtype, self.main.size
        at = {}
        for n in ('dst', 'src0', 'src1'):
            if n in self.t:
                places, lane, _ = self.tensor(n, v['shape'], v[f'{n}_stride'], 8 * size)
                self.lmem_get(n, places, lane)
                at[n] = places
        a = self.t['src0'].get(at['src0'])
        b = self.t['src1'].get(at['src1']) if 'src1' in at else self.scalar('scalar', t, len(a))
        self.t['dst'].put(at['dst'], N.lanes(name.split('.')[0][5:], a, b, None, t))

    def lmem_move(self):
        v, bits, func = self.v, self.v['bits'], self.v['func']
        d, s = v['dst_shape'], v['src_shape']
        to, to_lane, to_half = self.tensor('dst', d, v['dst_stride'], bits)
        at, at_lane, at_half = self.tensor('src', s, v['src_stride'], bits)
        number = np.arange(int(np.prod(s))).reshape(s)
        if func:
            number = {1: lambda: number.transpose(1, 0, 2, 3), 2: lambda: number.transpose(0, 3, 2, 1), 3: lambda: np.broadcast_to(number[:, :1], d)}[func]()
            number = number[:d[0], :d[1], :d[2], :d[3]]
        number = number.reshape(-1)
        mask = v['lane_mask'] & 2 ** 64 - 1
        enabled = lambda name, lane: np.array([self.t[name].scope != 'LMEM' or bool(mask >> int(x) & 1) for x in lane])
        on = enabled('dst', to_lane) & enabled('src', at_lane[number])
        self.lmem_get('dst', to, to_lane), self.lmem_get('src', at, at_lane)
        to, number, to_half = to[on], number[on], to_half[on]
        size = max(1, bits // 8)
        if bits > 4:
            return self.t['dst'].put(to, self.t['src'].get(at[number], size))
        for a, h, k in zip(to.tolist(), to_half.tolist(), number.tolist()):
            x = int(self.t['src'].get([at[k]], 1)[0]) >> 4 * int(at_half[k]) & 15
            old = int(self.t['dst'].get([a], 1)[0])
            self.t['dst'].put([a], np.array([old & 15 | x << 4 if h else old & 240 | x], np.uint8))

    def lmem_conv(self):
        v, dst, src, weight = self.v, self.t['dst'], self.t['src'], self.t['weight']
        lanes, room = self.c.blob.lanes, self.c.blob.memory['LMEM']
        (n, oc, oh, ow), (_, ic, h, w) = v['dst_shape'], v['src_shape']
        places, lane, _ = self.tensor('src', v['src_shape'], v['src_stride'], 8 * src.size)
        self.lmem_get('src', places, lane)
        x = N.value(src.get(places), src.dtype).reshape(n, ic, h, w)
        places, lane, _ = self.tensor('dst', v['dst_shape'], v['dst_stride'], 8 * dst.size)
        self.lmem_get('dst', places, lane)
        weight.high += (lanes - 1) * room
        kind = 'float32' if src.dtype == 'float32' else 'int8'
        kh, kw, P = v['kernel_h'], v['kernel_w'], v['parallel']
        floats, out = dst.dtype == 'float32', np.zeros((n, oc, oh, ow), N.UINT[dst.size])
        for o in range(oc):
            base, slot = o % lanes * room, o // lanes
            total = np.zeros((n, oh, ow), np.float32 if floats else np.int64)
            for i in ([o] if v['depthwise'] else range(ic)):
                for fy in range(kh):
                    for fx in range(kw):
                        g = fy * kw + fx if v['depthwise'] else (i // P * kh * kw + fy * kw + fx) * P + i % P
                        one = N.value(weight.get([base + v['weight_offset'] + slot * v['weight_pitch'] + g * N.BYTES[kind]], N.BYTES[kind]), kind)[0]
                        y, c = np.arange(oh) * v['stride_h'] - v['pad_h'] + fy * v['dilation_h'], np.arange(ow) * v['stride_w'] - v['pad_w'] + fx * v['dilation_w']
                        inside = ((y >= 0) & (y < h))[:, None] & ((c >= 0) & (c < w))[None, :]
                        pixel = np.where(inside, x[:, i][:, np.clip(y, 0, h - 1)][:, :, np.clip(c, 0, w - 1)], 0).astype(total.dtype)
                        total = total + pixel * total.dtype.type(one)
            if floats:
                out[:, o] = N.bits_of(total, 'float32')
                continue
            word = lambda at: int(N.value(weight.get([base + at], 4), 'int32')[0])
            total = total + (word(v['bias_offset'] + 4 * slot) if v['bias_offset'] >= 0 else 0)
            total = (total + 2 ** 31) % 2 ** 32 - 2 ** 31
            if v['requant_words']:
                a = [word(slot * v['requant_pitch'] + 4 * k) for k in range(v['requant_words'])]
                M, shift, zero = (a[0], -a[1], a[2]) if len(a) == 3 else (a[0], -((a[1] & 255 ^ 128) - 128), a[1] >> 16)
                low, high = N.limits(dst.dtype)
                out[:, o] = np.array([min(max((t * M + (1 << shift >> 1) >> shift if shift > 0 else t * M) + zero, low), high) & 255 for t in total.reshape(-1).tolist()]).reshape(total.shape)
            else:
                out[:, o] = N.bits_of(total, 'int32')
        dst.put(places, out.reshape(-1))

    # ---- images (10)

    def image(self):
        v, dst, s = self.v, self.t['dst'], self.c.memory['SREG']
        f, W, H = v['function_switch'], v['src_horizontal_size'], v['src_vertical_size']
        base = doc.REGISTERS['IMAGE'][0]
        half = lambda at, t: float(N.value(np.ascontiguousarray(s[at:at + 2]).view(np.uint16), t)[0])
        x0, y0, w, h = (v['crop_horizontal_start'], v['crop_vertical_start'], v['dst_horizontal_size'], 1 if v['single_line_enable'] == 1 else v['dst_vertical_size']) if f & 1 else (0, 0, W, H)
        top, bottom, left, right = [v[n] if f & 256 else 0 for n in ('top_pad_rows', 'botton_pad_rows', 'left_pad_cols', 'right_pad_cols')]
        fmt, channels = v['input_format'], 4 if f & 512 and v['channel_pad_mode'] == 2 else 32 // dst.size
        pair_of = (self.t['src1'], 0) if v['planes'] == 2 else (self.t['src0'], W * H)
        swap = lambda n: f & 4 and v[n]
        fixed = {1: ([298, 0, 409, 298, -100, -208, 298, 516, 0], [0] * 3, [16, 128, 128]), 3: ([256] + [0] * 8, [0] * 3, [0] * 3),
                 4: ([66, 129, 25, -38, -74, 112, 112, -94, -18], [16, 128, 128], [0] * 3), 6: ([76, 150, 30] + [0] * 6, [0] * 3, [0] * 3)}
        turn = lambda k, rows: (sum((fixed[k][0][3 * r:3 * r + 3] for r in rows), []),) + fixed[k][1:]
        fixed.update({2: turn(1, (2, 1, 0)), 5: turn(4, (0, 2, 1))})
        fixed.update({7: fixed[4], 8: fixed[5], 9: fixed[6],
                      0: ([int(k) for k in np.ascontiguousarray(s[base:base + 18]).view(np.int16)], s[base + 18:base + 21].tolist(), s[base + 21:base + 24].tolist())})
        matrix, out_bias, in_bias = fixed[v['format_convert']]

        def colours(x, y):
            if fmt in (0, 9):
                c = [int(self.t['src0'].get([y * W + x], 1)[0])]
                if fmt == 0:
                    pair = pair_of[0].get(pair_of[1] + y // 2 * W + x // 2 * 2 + np.arange(2), 1).tolist()
                    c += pair[::-1] if swap('uv_swap') else pair
            else:
                n = 4 if fmt == 1 else 3
                c = self.t['src0'].get((y * W + x) * n + np.arange(n), 1).tolist()
                if swap('rb_swap'):
                    c[n - 3], c[n - 1] = c[n - 1], c[n - 3]
                c = c[1:] if n == 4 and swap('ax_swap') else c[:3]
            if f & 8:
                c = [min(max((sum(matrix[3 * k + i] * (c[i] - in_bias[i]) for i in range(3)) >> 8) + out_bias[k], 0), 255) for k in range(3)]
            return c

        def element(x, k):
            mean, float_mean = half(base + 24 + 2 * k, 'int16' if v['dtc_mean_type'] == 0 else 'float16'), v['dtc_mean_type'] != 0
            rounded = lambda z: float(N.value(N.to_float(np.array([z]), 'float16'), 'float16')[0])
            if dst.dtype == 'float16':
                z = rounded(rounded(rounded(x - mean) - half(base + 32 + 2 * k, 'float16')) * half(base + 40 + 2 * k, 'float16')) if f & 64 else float(x)
                return int(N.to_float(np.array([z]), 'float16')[0])
            if not f & 64:
                return x & 255
            z = rounded(x - mean) if float_mean else x - mean
            return 0 if z != z else int(min(max(np.rint(z), -128), 127)) & 255

        def place(i, n, first, last):
            at, mode = i - first, v['area_pad_mode']
            if 0 <= at < n:
                return at
            return (None, 0 if at < 0 else n - 1, i if at < 0 else at - last, first - 1 - i if at < 0 else n - 1 - (at - n))[mode]

        register = lambda at: int(s[at]) | int(s[at + 1]) << 8
        count, out = 1 if fmt == 9 else 3, []
        for j in range(top + h + bottom):
            for i in range(left + w + right):
                x, y = place(i, w, left, right), place(j, h, top, bottom)
                c = None if x is None or y is None else colours(x0 + x, y0 + y)
                out += [register(base + 48 + 2 * k) if c is None else element(c[k], k) for k in range(count)] + [register(base + 56) if f & 512 else 0] * (channels - count)
        dst.put(np.arange(len(out)) * dst.size, np.array(out, np.uint16).astype(N.UINT[dst.size]))
