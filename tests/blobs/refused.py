"""The refused blobs: the number of the rule, a name, and what makes the blob: a change of the sections of base.txt, or a text.
Those that break rules of instructions are in instructions.tsv."""
import re
import struct

from container import MUST, Section

# ---- changes of base.txt, whose descriptors are: 0 loop, 1 move, 2 rem, 3 mul, 4 vec_add, 5 if, 6 load, 7 else, 8 store, 9 break,
# 10 endif, 11 endloop, 12 set_padding, 13 move


def each(*changes):
    return lambda p: [c(p) for c in changes]


def put(section, at, data, width=4):
    return lambda p: p.put(section, at, data, width)


def code(index, at, data, width=1):
    return lambda p: p.code(index, at, data, width)


def size(section, n):
    """n below 0: that many bytes less; a text: more."""
    return lambda p: p.resize(section, len(p[section].data) + int(n) if isinstance(n, str) or n < 0 else n)


def field(section, **values):
    return lambda p: vars(p[section]).update(values)


def insert(at, flags, name='XYZW', align=0, data=bytes(5)):
    return lambda p: p.list.insert(at if at >= 0 else len(p.list) + 1 + at, Section(name, flags, align, 1, data))


def later(*changes):
    """In a later minor version."""
    return each(lambda p: setattr(p, 'minor', 1), *changes)


def cut(n):
    """The file has n bytes, and says so; n below 0: that many less than it had, a text: more."""
    return lambda p: setattr(p, 'cut', n if not isinstance(n, str) and n > 0 else len(p.blob()) + int(n))


def with_zeros(section, record):
    """Records as long as two, of which the second one is zero."""
    def change(p):
        s = p[section]
        parts = [s.data[i:i + s.record] for i in range(0, len(s.data), s.record)]
        s.data, s.record = bytearray(b''.join(part + bytes(record - s.record) for part in parts)), record
    return change


def data(section, raw):
    return lambda p: setattr(p[section], 'data', bytearray(raw))


def second_table(p):
    """Says of a second section that it is TARG."""
    p.list.insert(1, Section('TARG', 1, p['TARG'].align, 128, p['TARG'].data))


def fill(n):
    return lambda p: [insert(1, 0)(p) for _ in range(n - len(p.list))]


def swap(a, b):
    def change(p):
        i, j = p.index(a), p.index(b)
        p.list[i], p.list[j] = p.list[j], p.list[i]
    return change


def header(at, fmt, *values):
    return lambda p: p.header.append((at, struct.pack('<' + fmt, *values)))


def after(at, raw):
    """Changes the finished file without its checksums; at: an offset, or the name of a section."""
    def change(p):
        p.file.append((at, raw))
    return change


def same_rows(p):
    p.put('AFFN', 4, bytes(p['AFFN'].data[52:53]))


def moved_row(p):
    at = p.descriptor(1)
    p.code(13, 8, bytes(p['CODE'].data[at + 16:at + 19]))


def region_of_row(p):
    row = p['CODE'].data[p.descriptor(4) + 12]
    p.put('AFFN', 16 * row + 4, 4)


def link(p):
    p.put('AFFN', 12, p['AFFN'].data[12] ^ 1, 1)


def twice(name):
    return lambda p: p.list.insert(len(p.list) - 1, Section(name, 2, 0, 1, b'x'))



def record_of(region):
    """One more record of PACK, like the last one but for its region."""
    return lambda p: p['PACK'].data.extend(struct.pack('<I', region) + p['PACK'].data[-92:])


VARINT_33 = b'\x80\x80\x80\x80\x10'  # 2^32

CHANGES = [
    (101, 'table', cut(64 + 32)),
    (102, 'ascii', after(4, b'\n')),
    (103, 'flip', after(40, b'\x01')),
    (104, 'major-2', header(8, 'H', 2)),
    (104, 'major-0', header(8, 'HH', 0, 1)),
    (105, 'size-72', header(12, 'I', 72)),
    (105, 'table-72', header(28, 'I', 72)),
    (106, 'one-more', header(16, 'Q', 1)),
    (106, 'after-end', cut('8')),
    (107, 'bit-0', lambda p: setattr(p, 'required', 1)),
    (107, 'bit-63', each(lambda p: setattr(p, 'required', 1 << 63), lambda p: setattr(p, 'minor', 1))),
    (108, 'bit-0', lambda p: setattr(p, 'optional', 1)),
    (201, 'none', lambda p: p.list.clear()),
    (201, 'seventeen', fill(17)),
    (202, 'flip', after(70, b'\xff')),
    (203, 'unknown', insert(2, MUST)),
    (204, 'flags', field('LINE', flags=MUST)),
    (204, 'alignment', field('CODE', align=5)),
    (204, 'unknown-flags', insert(2, 4)),
    (204, 'unknown-alignment', insert(2, 0, align=13)),
    (205, 'longer', field('KERN', record=104)),
    (205, 'tail', each(field('KERN', record=104), size('KERN', 104), put('KERN', 103, 1, 1), lambda p: setattr(p, 'minor', 1))),
    (205, 'shorter-later', later(field('KERN', record=88))),
    (205, 'longest-later', later(field('KERN', record=4104), size('KERN', 4104))),
    (205, 'text-later', later(with_zeros('META', 2))),
    (205, 'code-later', later(with_zeros('CODE', 32))),
    (205, 'id-later', later(field('IDNT', record=64), size('IDNT', 64))),
    (205, 'target-later', later(field('TARG', record=256), size('TARG', 256))),
    (206, 'cut', size('REGN', -8)),
    (206, 'past-end', cut(-1)),
    (206, 'target', size('TARG', 256)),
    (206, 'id', size('IDNT', 64)),
    (207, 'gap', field('CODE', skip=16)),
    (207, 'past-end', each(insert(-1, 0, align=12, data=b''), lambda p: setattr(p, 'cut', len(p.blob()) // 4096 * 4096 - 1))),
    (208, 'gap', 'gap'),
    (209, 'swapped', swap('ARGS', 'REGN')),
    (209, 'twice', twice('META')),
    (209, 'after-id', insert(-1, 0)),
    (209, 'target-twice', second_table),
    (210, 'rows', lambda p: p.drop('AFFN')),
    (211, 'flip', 'crc'),
    (212, 'flip', 'id'),
    (301, 'name', put('TARG', 0, b'B')),
    (302, 'bytes', put('TARG', 46, 1, 1)),
    (303, 'core', header(32, 'I', 1)),
    (303, 'record', header(36, 'I', 0)),
    (401, 'large', size('STRS', (4 << 20) + 1)),
    (402, 'open', put('STRS', -1, b'x')),
    (402, 'none', size('STRS', 0)),
    (403, 'latin', put('STRS', 1, b'\xe9')),
    (403, 'meta', put('META', 0, b'\xff')),
    (404, 'order', put('STRS', 1, b'z')),
    (405, 'inside', lambda p: p.put('KERN', 0, p['KERN'].data[0] + 1)),
    (405, 'past-end', lambda p: p.put('KERN', 0, len(p['STRS'].data))),
    (406, 'more', each(size('STRS', '3'), put('STRS', -3, b'zz\0'))),
    (406, 'files', lambda p: p.drop('LINE')),
    (501, 'none', size('KERN', 0)),
    (502, 'empty', put('KERN', 0, 0)),
    (503, 'less', lambda p: p.put('KERN', 8, p['KERN'].data[8] - 4)),
    (503, 'more', lambda p: p.put('KERN', 8, p['KERN'].data[8] + 1)),
    (503, 'more-arguments', put('KERN', 20, 3)),
    (503, 'more-regions', put('KERN', 28, 5)),
    (503, 'regions', put('KERN', 28, 3)),
    (503, 'count', put('KERN', 12, 13)),
    (503, 'arguments', put('KERN', 20, 1)),
    (503, 'first', put('KERN', 24, 1)),
    (504, 'cores-0', put('KERN', 40, 0)),
    (504, 'cores-65536', put('KERN', 40, 65536)),
    (504, 'registers', put('KERN', 32, 65537)),
    (504, 'loops', put('KERN', 36, 17)),
    (505, 'bit-4', put('KERN', 44, 16)),
    (505, 'tail', put('KERN', 87, 1, 1)),
    (506, 'zero', put('KERN', 48, 0, 8)),
    (507, 'over', put('KERN', 56, 262145)),
    (507, 'under', put('KERN', 56, 4095)),
    (508, 'more', put('KERN', 32, 4)),
    (509, 'sixteen', put('KERN', 36, 16)),
    (510, 'group', put('ARGS', 5, 5, 1)),
    (510, 'dtype', put('ARGS', 4, 13, 1)),
    (510, 'dimensions', put('ARGS', 6, 9, 1)),
    (510, 'flags', put('ARGS', 7, 4, 1)),
    (510, 'tail', put('ARGS', 79, 1, 1)),
    (510, 'preset-of-input', put('ARGS', 7, 1, 1)),
    (511, 'elements', put('ARGS', 8, 2049, 8)),
    (511, 'dimension-0', put('ARGS', 16, 0, 8)),
    (511, 'none', each(put('ARGS', 16, 0, 8), put('ARGS', 8, 0, 8))),
    (511, 'negative', each(put('ARGS', 16, -2, 8), put('ARGS', 24, -1024, 8))),
    (511, 'huge', put('ARGS', 16, 1 << 60, 8)),
    (511, 'product', each(put('ARGS', 16, 1 << 62, 8), put('ARGS', 24, 4, 8), put('ARGS', 8, 0, 8))),
    (511, 'bytes', each(put('ARGS', 16, 1 << 62, 8), put('ARGS', 24, 1, 8), put('ARGS', 8, 1 << 62, 8))),
    (511, 'last-block', each(put('ARGS', 4, 2, 1), put('ARGS', 16, (1 << 63) - 1, 8), put('ARGS', 24, 1, 8), put('ARGS', 8, (1 << 63) - 1, 8))),
    (510, 'unnamed', put('ARGS', 0, 0)),
    (512, 'memory', put('REGN', 52, 12, 1)),
    (512, 'dtype', put('REGN', 53, 0, 1)),
    (512, 'kind', put('REGN', 54, 2, 1)),
    (512, 'open', put('REGN', 7, 1, 1)),
    (513, 'odd', put('REGN', 56, 16, 8)),
    (513, 'past-memory', put('REGN', 56, 262144 + 32, 8)),
    (513, 'negative', put('REGN', 56, -32, 8)),
    (513, 'argument', put('REGN', 8, 2, 8)),
    (514, 'empty', put('REGN', 64, 0, 8)),
    (514, 'large', put('REGN', 64, 262145, 8)),
    (514, 'of-argument', put('REGN', 16, 4095, 8)),
    (517, 'mark', put('AFFN', 0, 3, 1)),
    (517, 'terms', put('AFFN', 1, 9, 1)),
    (517, 'reserved', put('AFFN', 2, 1, 1)),
    (518, 'zero', put('AFFN', 40, 0, 8)),
    (518, 'kind', put('AFFN', 33, 0, 1)),
    (519, 'link', link),
    (519, 'same', same_rows),
    (520, 'unused', moved_row),
    (601, 'zero', code(0, 1, 0)),
    (601, 'thirteen', code(0, 1, 13)),
    (602, 'slots', code(0, 0, 2)),
    (602, 'end', code(13, 0, 4)),
    (603, 'loop', code(0, 3, 1)),
    (603, 'tags', code(0, 5, 0x11)),
    (603, 'if', code(5, 12, 1)),
    (603, 'tail', code(8, 31, 1)),
    (604, 'dtype', code(2, 3, 0)),
    (604, 'operation', code(2, 2, 21)),
    (604, 'register', code(2, 6, 3, 2)),
    (604, 'slot', code(0, 2, 1)),
    (604, 'four-bits', code(6, 11, 13)),
    (604, 'operand', code(6, 11, 16)),
    (605, 'last', code(12, 2, 0xfff, 2)),
    (606, 'first-bound', each(code(0, 5, 2), code(0, 8, 99, 4))),
    (606, 'register', code(5, 8, 3, 4)),
    (606, 'slot', code(2, 8, 1, 4)),
    (607, 'one', code(12, 8, 1, 4)),
    (608, 'small', code(12, 12, 0x7fffffff, 8)),
    (609, 'ahead', code(1, 8, 3)),
    (609, 'inside', code(13, 8, 2)),
    (610, 'region', region_of_row),
    (611, 'under', each(put('AFFN', 8, 0x80000000), code(1, 12, -1, 4))),
    (701, 'short', size('LINE', -1)),
    (701, 'long', size('LINE', '1')),
    (701, 'endless', data('LINE', b'\x80' * 7)),
    (701, 'no-file', data('LINE', b'\x01')),
    (701, 'file-wide', data('LINE', b'\x01\x81' + VARINT_33[1:] + b'\0' * 27)),
    (701, 'line-wide', data('LINE', b'\x81\x80\x80\x80\x40\x01' + b'\0' * 27)),
    (701, 'line-under', data('LINE', b'\3\1' + b'\0' * 27)),
    (701, 'file-inside', data('LINE', b'\x01\x02' + b'\0' * 28)),
    (701, 'line-of-none', data('LINE', b'\x04' + b'\0' * 27)),
    (701, 'column-of-none', data('LINE', b'\0\2' + b'\0' * 26)),
    (701, 'no-places', data('LINE', bytes(28))),
    (701, 'empty', size('LINE', 0)),
    (702, 'register', put('NAME', 16 + 8, 3)),
    (702, 'no-text', put('NAME', 4, 0)),
    (702, 'empty', size('NAME', 0)),
    (702, 'past-end', put('NAME', 16, 14)),
    (702, 'slot', put('NAME', 8, 1)),
    (702, 'kind', put('NAME', 12, 3, 1)),
    (702, 'dtype', put('NAME', 13, 13, 1)),
    (703, 'line', each(put('CALL', 16, 0), put('CALL', 24, 0))),
    (703, 'column', each(put('CALL', 16, 0), put('CALL', 20, 0))),
    (703, 'empty', size('CALL', 0)),
    (703, 'none', put('CALL', 0, 0)),
    (703, 'itself', put('CALL', 8, 1)),
    (703, 'depth', put('CALL', 52, 3)),
    (703, 'unnamed', put('CALL', 12, 0)),
    (704, 'nothing', lambda p: p['CALL'].data.__setitem__(slice(78, 78), b'\0\1')),
    (704, 'frame-wide', lambda p: p['CALL'].data.__setitem__(slice(-1, None), VARINT_33)),
    (704, 'empty-run', put('CALL', 76, 0, 1)),
    (704, 'more', put('CALL', 84, 9, 1)),
    (704, 'less', put('CALL', 84, 7, 1)),
    (704, 'same', put('CALL', 83, 3, 1)),
    (705, 'empty', size('META', 0)),
    (705, 'zero', put('META', 3, 0, 1)),
]

# The nearest changes that are still legal, by the rule that they keep.
INSIDE = [
    (108, 'later-minor', each(lambda p: setattr(p, 'optional', 1), lambda p: setattr(p, 'minor', 1))),
    (201, 'sixteen', fill(16)),
    (203, 'skipped', insert(2, 0)),
    (203, 'strippable', insert(11, 2)),
    (205, 'later-minor', each(field('KERN', record=104), size('KERN', 104), lambda p: setattr(p, 'minor', 1))),
    (403, 'two-bytes', lambda p: p.put('STRS', -3, '\u00e9'.encode())),
    (504, 'one-core', put('KERN', 40, 1)),
    (504, 'most-cores', put('KERN', 40, 65535)),
    (505, 'all-flags', put('KERN', 44, 15)),
    (507, 'whole-memory', put('KERN', 56, 262144)),
    (510, 'workspace', put('ARGS', 5, 2, 1)),
    (513, 'next-block', put('REGN', 56, 32, 8)),
    (518, 'one', put('AFFN', 40, 1, 8)),
    (604, 'last-dtype', each(code(2, 3, 12), code(3, 3, 12))),
    (606, 'core', code(2, 8, -1, 4)),
    (608, 'least', code(12, 12, 0x80000000, 8)),
    (611, 'least', put('AFFN', 8, 0x80000000)),
    (702, 'last-descriptor', put('NAME', 16, 13)),
    (702, 'last-dtype', put('NAME', 13, 12, 1)),
    (703, 'no-place', each(put('CALL', 16, 0), put('CALL', 20, 0, 8))),
    (703, 'deeper', each(put('CALL', 56, 2), put('CALL', 52, 3))),
]

# Changes of the texts of accepted blobs that are still legal to a loader.
INSIDE_TEXTS = [
    (602, 'longest', 'lanes-conv-54', lambda text: re.sub(r'^  lane_conv2d .*$', lambda m: re.sub(r'=\d+\b', '=5000000000', m[0]), text, flags=re.M)),
]

# Changes of other accepted blobs.
OF_OTHERS = [
    (304, 'reading-0', 'choices', put('CHCE', 4, 0)),
    (304, 'unknown', 'choices', put('CHCE', 0, b'Z9\0\0')),
    (304, 'second-unknown', 'choices', put('CHCE', 8, b'Z9\0\0')),
    (304, 'reading-257', 'choices', put('CHCE', 4, 257)),
    (304, 'reading-99', 'choices', put('CHCE', 4, 99)),
    (304, 'none', 'choices', size('CHCE', 0)),
    (305, 'twice', 'choices', lambda p: p.put('CHCE', 8, bytes(p['CHCE'].data[:8]))),
    (515, 'base', 'data', put('REGN', 8, 32, 8)),
    (515, 'tail', 'data', put('CNST', -1, 1, 1)),
    (515, 'longer', 'data', size('CNST', '32')),
    (510, 'preset-wide', 'data', put('ARGS', 88 + 80, 65536, 8)),
    (510, 'list-open', 'data', put('ARGS', 2 * 88 + 7, 2, 1)),
    (514, 'table-room', 'data', size('CNST', -1)),
    (515, 'empty', 'base', lambda p: p.list.insert(p.index('CODE') + 1, Section('CNST', 1, 12, 1, b''))),
    (510, 'list-dtype', 'data', put('ARGS', 2 * 88 + 4, 8, 1)),
    (511, 'list-length', 'data', lambda p: (p.put('ARGS', 2 * 88 + 8, 4097, 8), p.put('ARGS', 2 * 88 + 16, 4097, 8))),
    (513, 'list-of-tensor', 'data', put('REGN', 3 * 24 + 6, 2, 1)),
    (514, 'list-bytes', 'data', put('REGN', 4 * 24 + 16, 1 << 36, 8)),
    (518, 'equal', 'terms', put('AFFN', 16 * 2 + 4, 0)),
    (518, 'order', 'terms', each(put('AFFN', 16 * 8 + 1, 2, 1), put('AFFN', 16 * 8 + 4, 3), put('AFFN', 16 * 9 + 1, 1, 1), put('AFFN', 16 * 9 + 4, 8))),
    (517, 'eleven', 'terms', put('AFFN', 1, 11, 1)),
    (518, 'nine-loops', 'terms', each(put('AFFN', 16 * 9 + 1, 1, 1), put('AFFN', 16 * 9 + 4, 8))),
    (518, 'three-registers', 'terms', each(put('AFFN', 16 * 8 + 1, 2, 1), put('AFFN', 16 * 8 + 4, 0))),
    (518, 'tail', 'terms', put('AFFN', 16 * 2 + 2, 1, 2)),
    (518, 'head', 'terms', put('AFFN', 16 * 2, 1, 1)),
    (702, 'past-end-of-all', 'two-kernels', put('NAME', 16, 7)),
    (702, 'other-kernel', 'two-kernels', put('NAME', 0, 1)),
    (703, 'later-kernel', 'two-kernels', put('CALL', 4 + 24 + 4, 2)),
    # tables are regions 1, 4, 7, 10, 13 and 16 of 18, the first one with 384 bytes
    (516, 'empty', 'lanes-conv-54', size('PACK', 0)),
    (516, 'twice', 'packs', lambda p: p['PACK'].data.__setitem__(slice(0, 0), p['PACK'].data[:96])),
    (609, 'past-end', 'program-workspace', code(16, 16, 11)),
    (516, 'past-end', 'packs', each(record_of(18), lambda p: p.put('AFFN', 4, bytes(p['REGN'].data[16 * 24 + 4:17 * 24])))),
    (516, 'bit-5', 'packs', put('PACK', 4, 33, 1)),
    (516, 'dtype-0', 'packs', put('PACK', 6, 0, 1)),
    (516, 'dtype-13', 'packs', put('PACK', 3 * 96 + 6, 13, 1)),
    (516, 'of-tensor', 'packs', record_of(17)),
    (516, 'no-channels', 'packs', put('PACK', 32, 0)),
    (516, 'too-large', 'packs', put('PACK', 32, 0x7fffffff)),
    (516, 'four-gib', 'packs', each(put('PACK', 32, 65535), put('PACK', 36, 65535))),
    (516, 'more-channels', 'packs', put('PACK', 32, 200)),
    (516, 'nibbles-of-float', 'packs', put('PACK', 96 + 4, 17, 1)),
    (516, 'shorter-table', 'packs', put('REGN', 24 + 16, 352, 8)),
    (516, 'table-dtype', 'packs', put('REGN', 24 + 5, 3, 1)),
    (516, 'no-lanes', 'data', lambda p: p.list.insert(p.index('CNST') + 1, Section('PACK', 1, 3, 96, bytes(6) + b'\3' + bytes(89)))),
    (515, 'page', 'packs', put('REGN', 4 * 24 + 8, 384, 8)),
    (515, 'past-end', 'packs', size('CNST', 4000)),
    (515, 'gap', 'packs', put('CNST', 4000, 1, 1)),
    (516, 'rows', 'lanes-conv-54', put('PACK', 8, 99)),
    (516, 'kind', 'lanes-conv-54', put('PACK', 48, 3, 1)),
]

HEAD = '''blob 1.0 Ascend310P3
kernel "k" cores 4 steps 9999
peak UB 8192
arg "x" input float16 (4096)
arg "y" output float16 (4100)
region 0 "x" GM float16 arg 0
region 1 "y" GM float16 arg 1
region 2 "a" UB float16 at 0 bytes 4096
region 3 "b" UB float16 at 4096 bytes 4096
code
'''
MOVE = 'data_move{0} dst=float16[2, {1}] src=float16[0, {2}] sid=0 nburst={3} burst={4} src_stride=0 dst_stride=0 mode=0\n'
ADD = ('vec_add mask={0} dst={1}[{2}] src0={1}[2, 0] src1={1}[3, 0] repeat_times={3} dst_rep_stride=8 src0_rep_stride=8 '
       'src1_rep_stride=8\n')


def nest(n, opened, closed):
    return ''.join(opened % i for i in range(n)) + ''.join(closed % i if '%' in closed else closed for i in reversed(range(n)))


ONE = 'loop s0 = 0 1\nendloop s0\n'
TWO = 'loop s0 = 0 1\nloop s1 = 0 1\nendloop s1\nendloop s0\n'

TEXTS = [
    (804, 'core', MOVE.format('', 0, 0, 1, 1).replace('mode=0', 'mode=core')),
    (805, 'shl', 'r0 = shl float32 1 2\n'),
    (805, 'bits', 'r0 = bits int32 float16 7\n'),
    (805, 'cast', 'r0 = cast int32 int32 7\n'),
    (806, 'open', 'if 1\n'),
    (806, 'closed', 'endif\n'),
    (806, 'else-twice', 'if 1\nelse\nelse\nendif\n'),
    (806, 'crossed', 'loop s0 = 0 1\nif 1\nendloop s0\nendif\n'),
    (808, 'depth-513', nest(513, 'if %d\n', 'endif\n')),
    (809, 'again', 'loop s0 = 0 1\nloop s0 = 0 2\nendloop s0\nendloop s0\n'),
    (809, 'outside', 'loop s0 = 0 1\nendloop s0\nr0 = add int32 s0 1\n'),
    (806, 'closed-loop', ONE + 'endloop s0\n'),
    (806, 'else', 'else\nendif\n'),
    (809, 'end', 'loop s0 = 0 1\nloop s1 = 0 1\nendloop s0\nendloop s1\n'),
    (809, 'first-bound', TWO + 'loop s0 = s1 4\nendloop s0\n'),
    (809, 'second-bound', TWO + 'loop s0 = 0 s1\nendloop s0\n'),
    (809, 'branch', ONE + 'if s0\nendif\n'),
    (809, 'second-number', ONE + 'r0 = add int32 1 s0\n'),
    (809, 'operand', ONE + MOVE.format('', 0, '0, 32*s0', 1, 1)),
    (809, 'mask', ONE + ADD.format('count(s0)', 'float16', '2, 0', 1)),
    (809, 'repeats', ONE + ADD.format('count(128)', 'float16', '2, 0', 's0')),
    (809, 'access', ONE + 'store float16[2, 0, 2*s0] 1\n'),
    (809, 'value', ONE + 'store float16[2, 0] s0\n'),
    (810, 'break', 'break\n'),
    (810, 'continue', 'if 1\ncontinue\nendif\n'),
    (812, 'offset', 'r0 = load int16[2, 0]\n' + MOVE.format('', 0, '0, 2*r0', 1, 1)),
]

# Whole texts.
# Regions whose size is known only while running.
OPEN = '''blob 1.0 Ascend310P3
kernel "k" cores 4 steps 9999
peak UB 4096
peak L1 4096
region 0 "a" UB float16 at 0 bytes 4096 open
region 1 "b" UB float16 at 0 bytes 4096 open
region 2 "c" L1 float16 at 0 bytes 4096 open
region 3 "d" UB float16 at 0 bytes 4096
code
reserve buffer=float16[{0}, 0] after=float16[{1}, 0] bytes=32 copies={2}
end
'''

WHOLE = [
    (802, 'after-closed', OPEN.format(0, 3, 1)),
    (802, 'other-memory', OPEN.format(0, 2, 1)),
    (802, 'no-copies', OPEN.format(0, 1, 0)),
    (802, 'five-copies', OPEN.format(0, 1, 5)),
    (802, 'global', OPEN.format(0, 1, 1).replace('peak', 'arg "x" output float16 (16) open\npeak', 1).replace('UB float16 at 0 bytes 4096 open', 'GM float16 arg 0')),
    (811, 'branches', HEAD.replace('steps 9999', 'steps 7') + 'r0 = add int32 core 0\nif r0\nr0 = add int32 r0 1\nr0 = add int32 r0 1\nelse\nr0 = add int32 r0 1\nendif\nend\n'),
    (811, 'less', HEAD.replace('steps 9999', 'steps 3') + 'loop s0 = 0 2\nr0 = add int32 1 2\nendloop s0\nend\n'),
    (802, 'closed', HEAD + 'reserve buffer=float16[2, 0] after=float16[2, 0] bytes=32 copies=1\nend\n'),
    (803, 'blocks', HEAD + 'blocks count=5\nend\n'),
]
