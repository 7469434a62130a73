"""Reads and checks a blob: each rule of P1, and of P2 to P4 what needs no ranges of registers. A rule is named by its number."""
import hashlib
import struct

import document as doc

SECTIONS = {'TARG': (1, 3, 128, True), 'CHCE': (1, 2, 8, False), 'STRS': (1, 0, 1, True), 'KERN': (1, 3, 96, True), 'ARGS': (1, 3, 88, True), 'REGN': (1, 3, 24, True),
            'AFFN': (1, 3, 16, True), 'CODE': (1, 4, 16, True), 'CNST': (1, 12, 1, False), 'PACK': (1, 3, 96, False), 'LINE': (2, 0, 1, False), 'NAME': (2, 2, 16, False),
            'CALL': (2, 2, 1, False), 'META': (2, 0, 1, False), 'IDNT': (1, 3, 32, True)}   # flags, alignment, record, required
GROWING = ('KERN', 'ARGS', 'REGN', 'CHCE', 'PACK')   # records that a later minor may lengthen
CORE, NONE = 0xffffffff, 2 ** 32
CLASSES = (None, 'loop', 'endloop', 'if', 'else', 'endif', 'break', 'continue', 'return', 'alu', 'load', 'store', 'instr')
CRC = []
for _i in range(256):
    for _ in range(8):
        _i = _i >> 1 ^ (0x82f63b78 if _i & 1 else 0)
    CRC.append(_i)


class Refused(Exception):
    """number: that of the rule, or the name of a rule on instructions."""

    def __init__(self, number, text=''):
        super().__init__(f'{number} {text}'.strip())
        self.number = number


def need(ok, number, text=''):
    if not ok:
        raise Refused(number, text)


def crc32c(data):
    c = 0xffffffff
    for b in data:
        c = CRC[(c ^ b) & 255] ^ c >> 8
    return c ^ 0xffffffff


def u(data, at, width=4):
    return int.from_bytes(data[at:at + width], 'little')


def s(data, at, width=4):
    return int.from_bytes(data[at:at + width], 'little', signed=True)


def up(n, unit):
    return -(-n // unit) * unit


def is_utf8(data):
    try:
        data.decode('utf-8')
    except UnicodeDecodeError:
        return False
    return True


class Number:
    """kind: 'imm', 'loop', 'core' or 'reg'; value: the immediate or the index."""

    def __init__(self, kind, value):
        self.kind, self.value = kind, value


class Address:
    """An operand: region, offset, [(coefficient, Number)], dtype."""

    def __init__(self, region, offset, terms, dtype):
        self.region, self.offset, self.terms, self.dtype = region, offset, terms, dtype


class Descriptor:
    def __init__(self, kind):
        self.kind, self.checked, self.numbers, self.address, self.reg, self.slot = kind, False, [], None, None, None
        self.op = self.dtype = self.source = self.form = None
        self.args = []      # of an instruction: Address, Number or, of a mask, a list of Numbers; a list operand is spread out

    def arg(self, name):
        """The first argument of an operand, and its place."""
        at = 0
        for o in self.op.operands:
            if o.name == name:
                return self.args[at]
            at += 0 if o.kind.startswith('mask mode') else o.count
        return None


class Kernel:
    pass


class Blob:
    def __init__(self, data):
        self.data = data
        self.unjudged = set()
        self.header()
        self.sections()
        self.target()
        self.strings()
        self.kernels()
        self.arguments()
        self.regions()
        self.packs()
        self.rows()
        self.meta()
        self.code()
        self.places()
        self.names()
        self.calls()
        need(self.used == set(self.string_at), 406)

    def __getitem__(self, name):
        return self.part[name][1]

    def records(self, name):
        if name not in self.part:
            return []
        record, data = self.part[name]
        return [data[i:i + record] for i in range(0, len(data), record)]

    # ---- header and sections

    def header(self):
        d = self.data
        need(len(d) >= 64, 101)
        need(d[:8] == b'\x89TKB\r\n\x1a\n', 102)
        need(u(d, 60) == crc32c(d[:60]), 103)
        self.minor = u(d, 10, 2)
        need(u(d, 8, 2) == 1, 104)
        need(u(d, 12) == u(d, 28) == 64, 105)
        need(u(d, 16, 8) == len(d), 106)
        need(u(d, 40, 8) == 0, 107)
        need(self.minor > 0 or u(d, 48, 8) == 0, 108)

    def sections(self):
        d, n = self.data, u(self.data, 24)
        need(1 <= n <= 16, 201)
        end = 64 + 32 * n
        need(len(d) >= end, 101)
        need(u(d, 56) == crc32c(d[64:end]), 202)
        self.part, order = {}, []
        for at in range(64, end, 32):
            code, flags, align, zero, offset, size, record, crc = struct.unpack_from('<4sHBBQQII', d, at)
            name = code.decode('latin-1')
            known = SECTIONS.get(name)
            need(known or not flags & 1, 203)
            need(flags <= 3 and align <= 12 and zero == 0 and (not known or (flags, align) == known[:2]), 204)
            need(offset == up(end, 1 << align) and offset <= len(d), 207)
            need(size <= len(d) - offset, 206)
            need(not any(d[end:offset]), 208)
            end, body = offset + size, d[offset:offset + size]
            need(crc == (0 if name == 'IDNT' else crc32c(body)), 211)
            order.append(name)
            if known:
                later = self.minor > 0 and name in GROWING
                need(record == known[2] or later and known[2] < record <= 4096, 205)
                need(size % record == 0, 206)
                need(not any(any(body[i + known[2]:i + record]) for i in range(0, size, record)), 205)
                need(name not in self.part, 209)
                self.part[name] = (record, body)
        need(end == len(d), 106)
        mine = [name for name in order if name in SECTIONS]
        need(mine == [name for name in SECTIONS if name in mine], 209)
        need(all(name in mine for name, known in SECTIONS.items() if known[3]), 210)
        need(order[-1] == 'IDNT', 209)
        need(len(self['IDNT']) == 32 and len(self['TARG']) == 128, 206)
        self.identity = self['IDNT'] == hashlib.sha256(d[:-32]).digest()

    def target(self):
        t = self['TARG']
        name = t[:24].split(b'\0')[0].decode('latin-1')
        need(name in doc.PROCESSORS and t[23] == 0, 301)
        record, self.memory, own = doc.PROCESSORS[name]
        need(t == record, 302)
        need(self.data[32:36] == t[24:28] and u(self.data, 36) == crc32c(t), 303)
        self.processor, self.core_kind = name, u(t, 24)
        self.features = {f for f, cores in doc.FEATURES.items() if self.core_kind in cores} | {own}
        self.lanes, self.readings, last, points = u(t, 44), {}, -1, list(doc.READINGS)
        for r in self.records('CHCE'):
            point, reading = r[:4].rstrip(b'\0').decode('latin-1'), u(r, 4)
            need(point in points and reading > 0 and any(n == reading for n, _ in doc.READINGS[point]), 304)
            need(points.index(point) > last, 305)
            last = points.index(point)
            self.readings[point] = reading
        need('CHCE' not in self.part or self.readings, 304)

    # ---- tables

    def strings(self):
        d = self['STRS']
        need(len(d) <= 4 << 20, 401)
        need(d[-1:] == b'\0', 402)
        need(is_utf8(d), 403)
        found, at, self.string_at = d[:-1].split(b'\0'), 0, {}
        need(all(a < b for a, b in zip(found, found[1:])), 404)
        for text in found:
            self.string_at[at] = text.decode()
            at += len(text) + 1
        self.used = set()

    def string(self, ref):
        need(ref in self.string_at, 405)
        self.used.add(ref)
        return self.string_at[ref]

    def kernels(self):
        self.kernel, code, arg, region = [], 0, 0, 0
        need(1 <= len(self.records('KERN')) <= 65535, 501)
        for r in self.records('KERN'):
            k = Kernel()
            k.name = self.string(u(r, 0))
            (k.code, k.slots, k.descriptors, k.arg, k.nargs, k.region, k.nregions, k.nregs, k.nloops, k.cores, k.flags) = struct.unpack_from('<11I', r, 4)
            k.steps = u(r, 48, 8)
            need(k.name, 502)
            need(1 <= k.cores <= 65535 and k.nregs <= 65536 and k.nloops <= 16, 504)
            need(k.flags <= 15 and not any(r[84:88]), 505)
            need(k.steps, 506)
            need((k.code, k.arg, k.region) == (code, arg, region), 503)
            code, arg, region = code + k.slots, arg + k.nargs, region + k.nregions
            need(code <= len(self.records('CODE')) and arg <= len(self.records('ARGS')) and region <= len(self.records('REGN')), 503)
            k.peak = dict(zip(('UB', 'L1', 'L0A', 'L0B', 'L0C', 'BT', 'FB', None, 'LMEM', 'SMEM'), struct.unpack_from('<10I', r, 56)))
            need(all(peak <= self.memory.get(m, 0) for m, peak in k.peak.items()), 507)
            self.kernel.append(k)
        need((code, arg, region) == tuple(len(self.records(n)) for n in ('CODE', 'ARGS', 'REGN')), 503)

    def arguments(self):
        found = []
        for r in self.records('ARGS'):
            name, (dtype, group, dims, flags), n, preset = self.string(u(r, 0)), r[4:8], u(r, 8, 8), u(r, 80, 8)
            t, a_list, is_open = doc.DTYPES.get(dtype), group == 4, bool(flags & 2)
            need(name and t and not t[0].endswith('int4') and group <= 4 and dims <= 8 and flags <= 3 and not (is_open and a_list), 510)
            if flags & 1:
                bits = 8 * t[1]
                low = preset & (1 << bits) - 1
                form = int(preset != 0) if t[0] == 'bool' else low - (1 << bits) if t[2] == 'sint' and low >> bits - 1 else low
                need(group not in (0, 4) and form & 2 ** 64 - 1 == preset, 510)
            else:
                need(preset == 0 and (not a_list or t[0] == 'int64'), 510)
            need(not any(r[16 + 8 * dims:80]), 510)
            product = 1
            for i in range(dims):
                product *= s(r, 16 + 8 * i, 8)
                need(s(r, 16 + 8 * i, 8) >= 1, 511)
            need(product == n and product * t[1] < 2 ** 63 - 32 and not (a_list and n > 4096), 511)
            found.append(dict(name=name, dtype=t[0], group=('input', 'output', 'workspace', 'global', 'list')[group], elements=n, bytes=n * t[1], open=is_open,
                              preset=preset if flags & 1 else None))
        for k in self.kernel:
            k.args = found[k.arg:k.arg + k.nargs]

    def regions(self):
        after, constants = 0, self.part.get('CNST', (1, b''))[1]
        self.packed = [u(r, 0) for r in self.records('PACK')]
        for k in self.kernel:
            k.regions = []
            for i in range(k.region, k.region + k.nregions):
                r = self.records('REGN')[i]
                name, (memory, dtype, kind, is_open), base, size = self.string(u(r, 0)), r[4:8], u(r, 8, 8), u(r, 16, 8)
                t, scope = doc.DTYPES.get(dtype), doc.SCOPE_NAMES.get(memory)
                need(scope and t and not t[0].endswith('int4') and kind <= (2 if scope == 'GM' else 0) and is_open <= (kind == 0), 512)
                if kind == 1:
                    start = up(after, 4096) if i in self.packed else after
                    need(base == start and base <= len(constants), 515)
                    need(1 <= size and base + up(size, 32) <= len(constants) and size % t[1] == 0, 514)
                    need(not any(constants[after:base]) and not any(constants[base + size:base + up(size, 32)]), 515)
                    after = base + up(size, 32)
                elif scope == 'GM':
                    need(base < k.nargs, 513)
                    a = k.args[base]
                    need((a['group'] == 'list') == (kind == 2), 513)
                    need(a['open'] == bool(is_open), 512)
                    need(size == (a['elements'] << 36 if kind == 2 else a['bytes']), 514)
                else:
                    room = {'SREG': 192, 'VREG': 8192 if 'VREG' in self.family_cores() else 0}.get(scope, self.memory.get(scope, 0))
                    need(base <= room and base % doc.SCOPES[scope][1] == 0, 513)
                    need(1 <= size <= room - base, 514)
                    need(scope in ('SREG', 'VREG') or base + size <= k.peak[scope], 507)
                k.regions.append(dict(name=name, scope=scope, dtype=t[0], kind=('tensor', 'table', 'list')[kind], base=base, bytes=size, open=bool(is_open)))
        need('CNST' not in self.part or constants and after == len(constants), 515)

    def family_cores(self):
        return {'VREG'} if self.core_kind in (7, 12, 13, 14, 15, 17, 18, 19, 20) else set()

    def packs(self):
        need('PACK' not in self.part or self.packed, 516)
        need(all(a < b for a, b in zip(self.packed, self.packed[1:])), 516)
        tables = {k.region + i for k in self.kernel for i, r in enumerate(k.regions) if r['kind'] == 'table'}
        for r in self.records('PACK'):
            parts = [r[48 + 16 * i:64 + 16 * i] for i in range(3)]
            need(u(r, 0) in tables and r[4] < 32 and r[7] == 0 and 'LMEM' in self.memory and r[5] <= 3 and all(p[0] <= 2 and not any(p[1:4]) for p in parts), 516)
            need(not any(any(p) for p in parts[r[5]:]), 516)
            self.unjudged.add('the parts of PACK')

    def rows(self):
        rows, at, self.row = self.records('AFFN'), 0, {}
        while at < len(rows):
            r = rows[at]
            need(r[0] == 1 and r[1] <= 10 and not any(r[2:4]) and r[1] < len(rows) - at, 517)
            terms = rows[at + 1:at + 1 + r[1]]
            keys = [(t[1], u(t, 4)) for t in terms]
            need(all(t[0] == 2 and t[1] in (1, 2) and not any(t[2:4]) and u(t, 8, 8) for t in terms) and all(a < b for a, b in zip(keys, keys[1:]))
                 and sum(k[0] == 1 for k in keys) <= 8 and sum(k[0] == 2 for k in keys) <= 2, 518)
            self.row[at] = (r, terms)
            at += 1 + r[1]
        where, falls = 0, 0
        for _ in self.row:
            after = u(self.row[where][0], 12)
            need(after in self.row, 519)
            key = [r[:12] + b''.join(t) for r, t in (self.row[where], self.row[after])]
            falls += key[0] >= key[1]
            where = after
        need(not self.row or where == 0 and falls == 1, 519)

    def meta(self):
        text = self.part.get('META', (1, b'x'))[1]
        need(text and b'\0' not in text, 705)
        need(is_utf8(text), 403)

    # ---- descriptors

    def code(self):
        self.next_row = 0
        for k in self.kernel:
            at, end, k.code_list = 16 * k.code, 16 * (k.code + k.slots), []
            k.seen_regs, depth, deepest = 0, 0, 0
            while at < end:
                d, size = self.descriptor(k, at, end)
                k.code_list.append(d)
                at += size
                depth += (d.kind == 'loop') - (d.kind == 'endloop')
                deepest = max(deepest, depth)
            need(len(k.code_list) == k.descriptors, 503)
            need(k.seen_regs == k.nregs, 508)
            need(deepest == k.nloops, 509)
        need(self.next_row == len(self.records('AFFN')), 520)

    def number(self, k, tag, field, wide, rule=606):
        if tag == 0:
            return Number('imm', field - (field >> 31 << 32))
        if tag == 3:
            need(field == len(wide[1]), 607)
            value = s(wide[0], 8 * field, 8)
            need(not -2 ** 31 <= value < 2 ** 31, 608)
            wide[1].append(value)
            return Number('imm', value)
        if tag == 1 and field == CORE:
            return Number('core', 0)
        need(field < (k.nloops if tag == 1 else k.nregs), rule)
        if tag == 2:
            k.seen_regs = max(k.seen_regs, field + 1)
        return Number('loop' if tag == 1 else 'reg', field)

    def address(self, k, raw):
        row, dtype = u(raw, 0, 3), raw[3]
        need(dtype in doc.DTYPES, 604)
        need(row in self.row and row <= self.next_row, 609)
        head, terms = self.row[row]
        self.next_row += 1 + len(terms) if row == self.next_row else 0
        need(u(head, 4) < k.nregions, 610)
        offset = (s(head, 8) << 32) + s(raw, 4)
        found = [(s(t, 8, 8), self.number(k, t[1], u(t, 4), None, 610)) for t in terms]
        need(-2 ** 63 <= offset < 2 ** 63, 611)
        return Address(u(head, 4), offset, found, doc.DTYPES[dtype][0])

    def layout(self, kind, p):
        """The fields of a descriptor: 'n' a number, 'a' an address, in order; and where they begin."""
        if kind != 'instr':
            arity = doc.OPERATIONS.get(p[2], ('', 2))[1]
            return {'loop': 'nn', 'if': 'n', 'alu': 'n' * arity, 'load': 'a', 'store': 'an'}.get(kind, ''), 8
        word = u(p, 2, 2)
        op, form, fields = doc.INSTRUCTIONS.get(word & 0xfff), word >> 13 & 3, ''
        need(op, 605)
        for o in op.operands:
            fields += 'a' * o.count if o.is_tensor else '' if o.kind.startswith('mask mode') else 'n' * ((1, 2, 4, 1)[form] if o.kind == 'mask' else o.count)
        return fields, 8 + 4 * (max(fields.count('n') - 1, 0) // 16)

    def descriptor(self, k, at, end):
        p = self['CODE'][at:]
        need(1 <= p[1] <= 12, 601)
        kind = CLASSES[p[1]]
        fields, start = self.layout(kind, p)
        n, size = fields.count('n'), start + 4 * fields.count('n') + 8 * fields.count('a')
        size = size if kind == 'instr' else max(size, 16)
        need(at + up(start, 16) <= end, 602)
        words = [u(p, 4)] + [u(p, 8 + 4 * i) for i in range((start - 8) // 4)] if kind == 'instr' else [p[5]]
        tags = [words[i // 16] >> 2 * (i % 16) & 3 for i in range(n)]
        need(not words[-1] >> 2 * (n - 16 * (len(words) - 1)), 603)
        used = size + 8 * tags.count(3)
        need(p[0] == up(used, 16) // 16 and at + 16 * p[0] <= end, 602)
        need(not any(p[used:16 * p[0]]), 603)
        d, wide, values, place = Descriptor(kind), (p[size:used], []), [], start
        self.fixed(k, d, p)
        for f in fields:
            if f == 'a':
                values.append(self.address(k, p[place:place + 8]))
            else:
                values.append(self.number(k, tags[sum(isinstance(v, Number) for v in values)], u(p, place), wide))
            place += 8 if f == 'a' else 4
        need(not any(p[place:size]), 603)
        self.spread(d, values)
        return d, 16 * p[0]

    def fixed(self, k, d, p):
        """The bytes before the fields."""
        zero = {'loop': (3, 4, 6, 7), 'endloop': (3, 4, 5, 6, 7), 'if': (2, 3, 4, 6, 7), 'alu': (), 'load': (3, 4, 5), 'store': (3, 4, 6, 7), 'instr': ()}.get(d.kind, (2, 3, 4, 5, 6, 7))
        need(not any(p[i] for i in zero), 603)
        if d.kind in ('loop', 'endloop'):
            need(p[2] < k.nloops, 604)
            d.slot = p[2]
        if d.kind == 'alu':
            need(p[2] in doc.OPERATIONS and 1 <= p[3] <= 12, 604)
            d.op, d.dtype = doc.OPERATIONS[p[2]][0], doc.DTYPES[p[3]][0]
            need(1 <= p[4] <= 12 if d.op in ('cast', 'bits') else True, 604)
            need(d.op in ('cast', 'bits') or p[4] == 0, 603)
            d.source = doc.DTYPES[p[4]][0] if p[4] else None
        if d.kind in ('alu', 'load'):
            d.reg = u(p, 6, 2)
            need(d.reg < k.nregs, 604)
            k.seen_regs = max(k.seen_regs, d.reg + 1)
        if d.kind in ('load', 'store'):
            need(p[2] <= 1, 603)
            d.checked = bool(p[2])
        if d.kind == 'instr':
            word = u(p, 2, 2)
            d.op, d.checked, d.form = doc.INSTRUCTIONS[word & 0xfff], bool(word >> 12 & 1), word >> 13 & 3
            need(not word >> 15 and (d.op.masked or d.form == 0), 603)

    def spread(self, d, values):
        if d.kind == 'instr':
            for o in d.op.operands:
                for _ in range(0 if o.kind.startswith('mask mode') else o.count):
                    d.args.append([values.pop(0) for _ in range((1, 2, 4, 1)[d.form])] if o.kind == 'mask' else values.pop(0))
        elif d.kind in ('load', 'store'):
            d.address = values.pop(0)
            need(d.address.dtype in [t[0] for n, t in doc.DTYPES.items() if n <= 12], 604)
            d.dtype = d.address.dtype
        d.numbers = values

    # ---- places, names, calls

    def varints(self, data, rule):
        at = 0
        while at < len(data):
            value = shift = 0
            while True:
                need(at < len(data) and shift < 42, rule)
                b = data[at]
                value |= (b & 127) << shift
                at, shift = at + 1, shift + 7
                if b < 128:
                    break
            need(b or shift == 7, rule)
            yield value

    def places(self):
        if 'LINE' not in self.part:
            return
        flow, some = self.varints(self['LINE'], 701), False
        for k in self.kernel:
            file = line = column = 0
            for _ in range(k.descriptors):
                v = next(flow, None)
                need(v is not None, 701)
                line += (v >> 2) ^ -(v >> 1 & 1)
                if v & 1:
                    new = next(flow, None)
                    need(new is not None and new != file, 701)
                    file = new
                c = next(flow, None)
                need(c is not None, 701)
                column += (c >> 1) ^ -(c & 1)
                need(0 <= line < NONE and 0 <= column < NONE, 701)
                need(file in self.string_at, 701)
                named = bool(self.string(file))
                need(named or not (line or column), 701)
                some |= named
        need(next(flow, None) is None and some, 701)

    def names(self):
        need('NAME' not in self.part or self.records('NAME'), 702)
        last, total = 0, sum(k.descriptors for k in self.kernel)
        for r in self.records('NAME'):
            at = u(r, 0)
            need(last <= at < total and u(r, 4) in self.string_at and self.string_at[u(r, 4)] and r[12] in (1, 2) and 1 <= r[13] <= 12 and not any(r[14:16]), 702)
            first = 0
            for k in self.kernel:
                if first <= at < first + k.descriptors:
                    need(u(r, 8) < (k.nloops if r[12] == 1 else k.nregs), 702)
                first += k.descriptors
            self.string(u(r, 4))
            last = at

    def calls(self):
        if 'CALL' not in self.part:
            return
        d = self['CALL']
        need(len(d) >= 4, 703)
        n = u(d, 0)
        need(n >= 1 and 4 + 24 * n <= len(d), 703)
        frames = [struct.unpack_from('<6I', d, 4 + 24 * i) for i in range(n)]
        need(all(a < b for a, b in zip(frames, frames[1:])), 703)
        for i, (depth, parent, function, file, line, column) in enumerate(frames):
            need(parent <= i and depth <= 65535 and depth == (frames[parent - 1][0] if parent else 0) + 1, 703)
            need(self.string_at.get(function) and file in self.string_at and (self.string_at[file] or not line and not column), 703)
            self.used |= {function, file}
        flow, used = self.varints(d[4 + 24 * n:], 704), {f[1] for f in frames}
        for k in self.kernel:
            left, before = k.descriptors, None
            while left:
                count, frame = next(flow, 0), next(flow, None)
                need(1 <= count <= left and frame is not None and frame <= n and frame != before, 704)
                left, before = left - count, frame
                used.add(frame)
        need(next(flow, None) is None, 704)
        need(used >= set(range(1, n + 1)), 703)


# ---- P2 to P4

def verify(blob, k):
    """Raises Refused; returns what could not be decided."""
    open_blocks, unknown, loops, sums = [], set(), [], [1]
    for d in k.code_list:
        used = d.numbers + [n for a in d.args + [d.address] if isinstance(a, Address) for _, n in a.terms] + [n for a in d.args for n in (a if isinstance(a, list) else [a])]
        for n in used:
            need(not isinstance(n, Number) or n.kind != 'loop' or n.value < len(loops), 809)
        if d.kind not in ('loop', 'endloop'):
            sums[-1] += 1
        if d.kind == 'loop':
            need(len(loops) < 16, 807)
            need(d.slot == len(loops), 809)
            low, high = (bounds(n, loops, k) for n in d.numbers)
            if not low or not high:
                unknown.add('the steps of loops whose bounds are registers')
            trips = max(0, high[1] - low[0]) if low and high else 0
            sums[-1] += 1
            loops.append((low[0], high[1] - 1) if trips else None)
            sums.append(0)
            open_blocks.append(('loop', trips))
        elif d.kind == 'endloop':
            need(open_blocks and open_blocks[-1][0] == 'loop', 806)
            need(d.slot == len(loops) - 1, 809)
            steps = sums.pop()
            sums[-1] += open_blocks.pop()[1] * (steps + 1)
            loops.pop()
        elif d.kind == 'if':
            need(sum(b[0] != 'loop' for b in open_blocks) < 512, 808)
            open_blocks.append(('if', 0))
        elif d.kind in ('else', 'endif'):
            need(open_blocks and open_blocks[-1][0] in (('if',) if d.kind == 'else' else ('if', 'else')), 806)
            open_blocks.pop()
            open_blocks += [('else', 0)] if d.kind == 'else' else []
        elif d.kind in ('break', 'continue'):
            need(loops, 810)
        elif d.kind == 'alu':
            need(not (d.op in ('shl', 'shr', 'and', 'or', 'xor', 'not') and d.dtype in ('float16', 'bfloat16', 'float32')), 805)
            need(d.op != 'bits' or doc.SIZE[d.dtype] == doc.SIZE[d.source], 805)
            need(d.op != 'cast' or d.dtype != d.source, 805)
        elif d.kind == 'instr':
            instruction(k, d, bool(open_blocks))
    need(not open_blocks, 806)
    need(unknown or sums[0] <= k.steps, 811)
    return unknown | {'ranges of registers, bounds and rules on instructions (P5, P6)'}


def bounds(n, loops, k):
    return {'imm': (n.value, n.value), 'core': (0, 65534 if k.flags & 4 else k.cores - 1), 'loop': loops[n.value] if n.kind == 'loop' else None, 'reg': None}[n.kind]


def instruction(k, d, nested):
    """Attributes, reservations, and literals out of their ranges where they are surely met and not left to run time."""
    at = 0
    for o in d.op.operands:
        for _ in range(0 if o.kind.startswith('mask mode') else o.count):
            a = d.args[at]
            at += 1
            need(o.kind not in ('attribute', 'queue') or a.kind == 'imm', 804)
            if isinstance(a, Number) and a.kind == 'imm' and o.range and o.kind in ('number', 'repeats') and not (d.checked or nested or o.kind == 'repeats' and d.form == 3):
                need(o.range[0] <= a.value <= o.range[1], o.rule, o.name)
    if d.op.name == 'reserve':
        a, b = (k.regions[x.region] for x in d.args[:2])
        need(a['open'] and b['open'] and a['scope'] == b['scope'] != 'GM' and 1 <= d.args[3].value <= 4, 802)
    need(d.op.name != 'blocks' or k.flags & 4, 803)
