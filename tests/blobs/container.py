"""Takes blobs apart into sections and puts them together again with right checksums, for the refused blobs."""
import hashlib
import struct

HEADER, ENTRY = 64, 32
MUST = 1
TABLE = []
for _i in range(256):
    for _ in range(8):
        _i = _i >> 1 ^ (0x82f63b78 if _i & 1 else 0)
    TABLE.append(_i)


def crc32c(data):
    c = 0xffffffff
    for b in data:
        c = TABLE[(c ^ b) & 255] ^ c >> 8
    return c ^ 0xffffffff


class Section:
    def __init__(self, name, flags, align, record, data, skip=0):
        self.name, self.flags, self.align, self.record, self.data = name, flags, align, record, bytearray(data)
        self.skip = skip   # bytes before the section that belong to no gap


class Parts:
    """The sections of a blob. edits of the finished file: .header before the checksums, .file after them; .cut: its size, if it is cut."""

    def __init__(self, blob):
        self.list = []
        self.minor = self.required = self.optional = 0
        self.header, self.file = [], []
        self.cut = None
        for i in range(struct.unpack_from('<I', blob, 24)[0]):
            name, flags, align, _, at, size, record, _ = struct.unpack_from('<4sHBBQQII', blob, HEADER + ENTRY * i)
            self.list.append(Section(name.decode(), flags, align, record, blob[at:at + size]))

    def __getitem__(self, name):
        return next(s for s in self.list if s.name == name)

    def index(self, name):
        return [s.name for s in self.list].index(name)

    def drop(self, name):
        del self.list[self.index(name)]

    def put(self, name, at, data, width=4):
        """Writes a number, or bytes."""
        raw = data if isinstance(data, bytes) else (data & (1 << 8 * width) - 1).to_bytes(width, 'little')
        d = self[name].data
        at += len(d) if at < 0 else 0
        d[at:at + len(raw)] = raw

    def resize(self, name, size):
        d = self[name].data
        self[name].data = d[:size] + bytes(max(0, size - len(d)))

    def descriptor(self, index):
        """The offset in CODE."""
        at = 0
        for _ in range(index):
            at += 16 * self['CODE'].data[at]
        return at

    def code(self, index, at, data, width=1):
        self.put('CODE', self.descriptor(index) + at, data, width)

    def blob(self):
        out = bytearray(HEADER + ENTRY * len(self.list))
        entries = []
        for s in self.list:
            out += bytes(-len(out) % (1 << s.align) + s.skip)
            entries.append([s, len(out)])
            out += s.data
        target = bytes(self['TARG'].data) if any(s.name == 'TARG' for s in self.list) else bytes(128)
        struct.pack_into('<8sHHIQIIIIQQ', out, 0, b'\x89TKB\r\n\x1a\n', 1, self.minor, HEADER, len(out), len(self.list), HEADER,
                         struct.unpack_from('<I', target, 24)[0], crc32c(target), self.required, self.optional)
        for at, raw in self.header:
            out[at:at + len(raw)] = raw
        return finish(out, entries, self.file, self.cut)


def finish(out, entries, edits, cut):
    """The table, the build id and the checksums."""
    if cut is not None:
        out += bytes(max(0, cut - len(out)))
        struct.pack_into('<Q', out, 16, cut)
    for i, (s, at) in enumerate(entries):
        crc = 0 if s.name == 'IDNT' else crc32c(out[at:at + len(s.data)])
        struct.pack_into('<4sHBBQQII', out, HEADER + ENTRY * i, s.name.encode(), s.flags, s.align, 0, at, len(s.data), s.record, crc)
    end = HEADER + ENTRY * len(entries)
    struct.pack_into('<I', out, 56, crc32c(out[HEADER:end]))
    struct.pack_into('<I', out, 60, crc32c(out[:60]))
    for s, at in entries:
        if s.name == 'IDNT' and len(s.data) == 32:
            out[at:at + 32] = hashlib.sha256(out[:at]).digest()
    for at, raw in edits:
        out[at:at + len(raw)] = raw
    return bytes(out[:cut])
