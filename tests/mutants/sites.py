"""Places of the sources, and what stands there instead: small changes of expressions and statements."""
import hashlib
import os
import re
import subprocess

import clang.cindex as ci

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
K = ci.CursorKind
ROOMS = {'isa': 'runtime/isa', 'rules': 'runtime/rules', 'num': 'runtime/num', 'layout': 'runtime/layout', 'ops': 'runtime/ops', 'emu': 'runtime/emu',
         'blob': 'runtime/blob', 'passes': 'compiler/passes', 'analysis': 'compiler/analysis', 'lowering': 'compiler/host/lower'}
SWAPS = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '==', '+': '-', '-': '+', '*': '+', '/': '*', '%': '/', '&&': '||', '||': '&&',
         '<<': '>>', '>>': '<<', '&': '|', '|': '&', '+=': '-=', '-=': '+='}
SOURCES = {}  # the bytes of each file that was read


class Site:
    """A place and what stands there instead. parts, of two operands: the left one, the operator, the other operator, the right one."""

    def __init__(self, path, begin, end, line, old, new, form, parts, digest):
        self.path, self.begin, self.end, self.line, self.old, self.new, self.form, self.parts = path, begin, end, line, old, new, form, parts
        self.digest = digest

    def column(self):
        return self.begin - SOURCES[self.path].rfind(b'\n', 0, self.begin)

    def name(self):
        flat = lambda t: re.sub(r'\s+', ' ', t)
        return f'{self.digest} {self.path}:{self.line}:{self.column()}: {flat(self.old)} => {flat(self.new)}'

    def text(self, n):
        """The code for both. Where both operands are evaluated anyway the mutant is reached only when the values differ."""
        if self.form == 'operands':
            left, old, new, right = self.parts
            return (f'({{ __auto_type l_ = ({left}); __auto_type r_ = ({right}); __auto_type o_ = l_ {old} r_; __auto_type n_ = l_ {new} r_; '
                    f'tik_differ({n}, __builtin_memcmp(&o_, &n_, sizeof o_) != 0) ? n_ : o_; }})')
        if self.form == 'both':
            left, old, new, right = self.parts
            same = 'l_ && r_' if old == '&&' else '!l_ && !r_'
            return (f'({{ _Bool l_ = ({left}), r_ = tik_mutant == {n} ? l_ {new} ({right}) : l_ {old} ({right}); '
                    f'(void)tik_differ({n}, !({same})); r_; }})')
        if self.form == 'statement':
            return f'if (!tik_is({n})) {self.old}'
        if self.form == 'condition':
            return f'(tik_is({n}) != !!({self.old}))'
        return f'(tik_is({n}) ? ({self.new}) : ({self.old}))'


def is_field(node):
    """Whether it is a bit-field, of which no variable can have the type."""
    while node.kind in (K.UNEXPOSED_EXPR, K.PAREN_EXPR):
        node = next(node.get_children())
    return node.kind == K.MEMBER_REF_EXPR and node.referenced is not None and node.referenced.is_bitfield()


class File:
    """The sites of a file."""

    def __init__(self, path, flags):
        self.path, self.sites, self.names, self.function = path, [], {}, ''
        with open(os.path.join(ROOT, path), 'rb') as f:
            self.bytes = SOURCES.setdefault(path, f.read())
        unit = ci.Index.create().parse(os.path.join(ROOT, path), args=flags)
        for c in unit.cursor.get_children():
            if c.kind == K.FUNCTION_DECL and c.is_definition() and c.location.file and c.location.file.name == os.path.join(ROOT, path):
                self.function = c.spelling
                self.walk(c, None, False)

    def of(self, node):
        e = node.extent
        return self.bytes[e.start.offset:e.end.offset].decode()

    def add(self, node, new, form='expression', parts=None):
        e, old = node.extent, self.of(node)
        whole = e.start.file and e.start.file.name.endswith(self.path) and 'assert' not in old.lower() and '#' not in old
        if whole and old and old != new and '"' not in old:
            self.sites.append(Site(self.path, e.start.offset, e.end.offset, e.start.line, old, new, form, parts, self.digest(old, new)))

    def digest(self, old, new):
        """Names a site by its function, what stands there and how often that came before: the same while other functions change."""
        words = f'{self.path} {self.function} {old} => {new}'
        self.names[words] = self.names.get(words, 0) + 1
        return hashlib.sha256(f'{words} {self.names[words]}'.encode()).hexdigest()[:12]

    def between(self, left, right):
        """The operator between two operands, and the text with another one."""
        a, b = left.extent.end.offset, right.extent.start.offset
        gap = self.bytes[a:b].decode()
        m = re.fullmatch(r'([\s)]*)(\S+?)([\s(]*)', gap)
        return (m[2], m) if m else (None, None)

    def walk(self, node, parent, fixed):
        """fixed: the value must be a constant, or is one that a macro has."""
        children = list(node.get_children())
        static = node.kind == K.VAR_DECL and node.storage_class == ci.StorageClass.STATIC
        fixed = fixed or static or node.kind in (K.ENUM_DECL, K.STATIC_ASSERT) if hasattr(K, 'STATIC_ASSERT') else fixed or static
        if not fixed:
            self.note(node, parent, children)
        for i, c in enumerate(children):
            label = node.kind == K.CASE_STMT and i == 0
            size = node.kind in (K.VAR_DECL, K.PARM_DECL) and c.kind == K.INTEGER_LITERAL and '[' in node.type.spelling
            self.walk(c, node, fixed or label or size or node.kind == K.INIT_LIST_EXPR and c.kind == K.INTEGER_LITERAL)

    def note(self, node, parent, children):
        text = self.of(node)
        if node.kind in (K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR) and len(children) == 2:
            self.note_binary(node, parent, children)
        elif node.kind == K.UNARY_OPERATOR and children:
            if text.startswith('!'):
                self.add(node, '!!' + text[1:])
            for a, b in (('++', '--'), ('--', '++')):
                if text.startswith(a) or text.endswith(a):
                    self.add(node, text.replace(a, b, 1) if text.startswith(a) else text[:-2] + b)
        elif node.kind == K.INTEGER_LITERAL:
            other = {'true': 'false', 'false': 'true'}.get(text)
            if other or re.fullmatch(r'\d+', text):
                self.add(node, other or str(int(text) + 1))
        elif node.kind == K.IF_STMT and children:
            self.add(children[0], f'!({self.of(children[0])})', 'condition')
        elif node.kind == K.CALL_EXPR and parent and parent.kind == K.COMPOUND_STMT and 'free' not in text and not re.match('[A-Z]', text):
            self.add(node, '', 'statement')

    def note_binary(self, node, parent, children):
        op, m = self.between(*children)
        if op == '=' and parent and parent.kind == K.COMPOUND_STMT:
            self.add(node, '', 'statement')
        pointers = any(c.type.get_canonical().kind == ci.TypeKind.POINTER for c in children)
        if op not in SWAPS or op in ('*', '&', '|', '/', '%') and pointers:
            return
        left, right = children
        a, b, s = left.extent.end.offset, right.extent.start.offset, node.extent.start.offset
        text = self.bytes[s:a] + (m[1] + SWAPS[op] + m[3]).encode() + self.bytes[b:node.extent.end.offset]
        if not (pointers and op == '-' and all(c.type.get_canonical().kind == ci.TypeKind.POINTER for c in children)):
            parts = (self.bytes[s:a].decode(), op, SWAPS[op], self.bytes[b:node.extent.end.offset].decode())
            whole = node.kind == K.BINARY_OPERATOR and not (m[1] + m[3]).strip() and not any(is_field(c) for c in children)
            form = 'both' if op in ('&&', '||') else 'operands'
            self.add(node, text.decode(), form if whole else 'expression', parts)


def flags():
    llvm = subprocess.run(['llvm-config-19', '--includedir'], capture_output=True, text=True, check=True).stdout.strip()
    return [f'-I{ROOT}/{d}' for d in ('compiler', 'compiler/include', 'runtime', 'runtime/include', 'build/gen')] + [
        f'-I{llvm}', '-std=c11', '-D_POSIX_C_SOURCE=200809L', '-DLANES_AT_avx2', '-mavx2', '-mfma', '-mf16c']


def all_sites(room):
    names = subprocess.run(['git', 'ls-files', ROOMS[room]], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    for name in sorted(n for n in names if n.endswith('.c')):
        yield from File(name, flags()).sites


def named(names, rooms):
    """The sites with these names."""
    return [(room, site) for room in rooms for site in all_sites(room) if site.digest in names]


def rank(*words):
    return hashlib.sha256(' '.join(map(str, words)).encode()).digest()


def draw(seed, count, rooms):
    """Sites in the order of their numbers, those of a room after each other; no two overlap. Lines come in the order of a hash of what is in
    them, so a change of other lines, or of the count, leaves most of them."""
    all_of, per = [], -(-count // len(rooms))
    for room in rooms:
        lines, chosen = {}, []
        for site in all_sites(room):
            lines.setdefault((site.path, site.line), []).append(site)
        drawn = (min(sites, key=lambda s: rank(seed, s.digest)) for sites in lines.values())
        for site in sorted(drawn, key=lambda s: rank(s.digest, seed)):
            if len(chosen) < per and not any(c.path == site.path and c.begin < site.end and site.begin < c.end for c in chosen):
                chosen.append(site)
        all_of += [(room, s) for s in chosen]
    return all_of
