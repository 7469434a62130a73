"""The module tik under CPython: records what a kernel's program emits, as the text that
`tikc build --emit trace` prints (docs/trace-format.md). It checks nothing: it is run on programs that
the compiler accepts.

The instructions and their operands are read from the compiler's tables (op.def, form.def); each becomes a plain generated function, so that recording is as quick as Python is."""
import os
import re
import sys

from types import SimpleNamespace

from tik_stub_array import ScalarArray
from tik_stub_expr import (Expr, Formula, InputScalar, Scalar, Value, Variable, condition, const, number, tik_all as all,
                           given, tik_any as any, tik_negate as negate, to_type)
from tik_stub_notes import note
from tik_stub_numbers import FLOATS, SIZE
from tik_stub_struct import data_copy, provided
from tik_stub_tensor import Root, Tensor, length_of, product, row_major, source_kind

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tools"))
import isa_tables  # noqa: E402

scope_gm = "global"
scope_ubuf = "local.UB"
scope_cbuf = "local.L1"
scope_ca = "local.L0A"
scope_cb = "local.L0B"
scope_cc = "local.L0C"
scope_bt = "local.BT"
scope_cbuf_out = "local.L0C"
scope_reg = "local.REG"
scope_vreg = "local.VREG"
scope_smask = "local.SMASK"
scope_aicpu = "local.AICPU"
VECTOR_INST_BLOCK_NUM = 8
VECTOR_INST_BLOCK_WIDTH = 256
VECTOR_INST_MAX_REPEAT_TIMES = 255
BLOCK_IN = BLOCK_OUT = BLOCK_REDUCE = C0_SIZE = 16
BLOCK_REDUCE_INT8 = 32

# Older spellings of the classes.
tik_lib = SimpleNamespace(tik_expr=SimpleNamespace(Expr=Expr))
api = SimpleNamespace(tik_scalar=SimpleNamespace(Scalar=Scalar))
CAPACITY = {scope_ubuf: 262144, scope_cbuf: 1048576, scope_ca: 65536, scope_cb: 65536,
            scope_cc: 262144}

kernels = []  # traces of the kernels built so far


def is_tik_var(x):
    return isinstance(x, (Value, Tensor))


def set_product_version(text):
    pass


def unset_product_version():
    pass


class Dprofile:
    """Answers for the Ascend310P, the compiler's default processor; of pairs for the one that kernels name, the AI
    core of the v200."""

    def __init__(self, arch=None, version=None):
        note("profile.default" if arch is None else "profile.pair")
        assert arch is None or (arch, version) == ("v200", "aic"), (arch, version)
        self.cores = 8 if arch is None else 10

    def get_aicore_num(self):
        return self.cores

    def get_unified_buffer_size(self):
        return 262144

    def get_l1_buffer_size(self):
        return 1048576

    def get_l0a_buffer_size(self):
        return 65536

    get_l0b_buffer_size = get_l0a_buffer_size

    def get_l0c_buffer_size(self):
        return 262144

    def get_product_name(self):
        return "aic"

    def buffer_size_query(self, scope):
        return CAPACITY[scope]

# ---- operands of instructions ---------------------------------------------------------------------------

def _word(v):
    """An integer operand: a Scalar, an Expr or a number."""
    return v.text if isinstance(v, Value) else str(int(v))


def _mask(v, counter=False):
    if type(v) is int:
        return "counter(%d)" % v if counter else str(v)
    if isinstance(v, (list, tuple)):
        return "[" + ", ".join([_word(w) for w in v]) + "]"
    return "counter(%s)" % _word(v) if counter else _word(v)


def _scalar(v, dst):
    if isinstance(v, Value):
        return to_type(v, dst.dtype).text
    return number(dst._root.inst, dst.dtype, v).text


# ---- scopes ------------------------------------------------------------------------------------------

class _Chain:
    """Branches of one if_scope that may still be continued: how many IFs are open in the text. loads:
    elements loaded after the last branch, perhaps by the condition of an elif_scope that follows;
    moved: those of elif_scopes, which go to the head of the else body."""
    __slots__ = ("decided", "ifs", "open", "loads", "moved")

    def __init__(self):
        self.decided = False
        self.ifs = 0
        self.open = True
        self.loads = []
        self.moved = []


class _Top:
    """An open lifetime scope."""
    __slots__ = ("parent", "kind", "dropped", "thread_num", "head", "allocs", "chain", "open",
                 "bytes", "blocks", "end")

    def __init__(self, parent, kind, dropped):
        self.parent = parent
        self.kind = kind
        self.dropped = dropped
        self.thread_num = 1
        self.head = None
        self.allocs = []
        self.chain = None
        self.open = True
        self.bytes = {}  # by memory: what the tensors created here take
        self.blocks = False  # of the loop over cores


class _With:
    """What for_range, if_scope ... return."""
    __slots__ = ("inst", "enter", "leave")

    def __init__(self, inst, enter, leave):
        self.inst = inst
        self.enter = enter
        self.leave = leave

    def __enter__(self):
        return self.enter()

    def __exit__(self, *exc):
        self.leave()


class Tik:
    def __init__(self, profiling=None, disable_debug=True, err_msg_level=0, block_size=32):
        note("container.no_profile" if profiling is None else
             "container.class" if isinstance(profiling, type) else "container.profile")
        self.d_profiling = profiling if isinstance(profiling, Dprofile) else Dprofile()
        self.tikdb = _Debugger()
        self._lines = []
        self._indent = "  "
        self._regs = 0
        self._vars = 0
        self._allocs = 0
        self._globals = []
        self._top = _Top(None, "top", False)

    # -- recording

    def _emit(self, text):
        if self._top.chain is not None:
            self._end_chain()
        self._lines.append(self._indent + text)

    def _emit_if_live(self, form, reg, view):
        if self._top.dropped:
            return
        text = form % (reg.text, reg.dtype, view._ref())
        if self._top.chain is not None and self._top.chain.open:
            self._top.chain.loads.append(text)
        else:
            self._emit(text)

    def _end_chain(self):
        """Closes the IFs that an elif or else could have continued."""
        chain, self._top.chain = self._top.chain, None
        self._else(chain)
        for i in range(chain.ifs - 1, -1, -1):
            self._lines.append(self._indent + "  " * i + "end")
        self._lines += [self._indent + text for text in chain.loads]

    def _else(self, chain):
        """Begins the innermost else body with the loads that moved there, if any."""
        if chain.moved:
            self._lines.append(self._indent + "  " * (chain.ifs - 1) + "else")
            self._lines += [self._indent + "  " * chain.ifs + text for text in chain.moved]
            chain.moved = []
            return True
        return False

    def _take_loads(self, chain):
        """An elif_scope continues the chain: what its condition loaded."""
        if not chain.decided and chain.ifs:
            chain.moved += chain.loads
        elif not chain.decided:
            self._lines += [self._indent + text for text in chain.loads]
        chain.loads = []

    def _open(self, kind, dropped=False, deeper=1):
        top = _Top(self._top, kind, dropped or self._top.dropped)
        self._top = top
        self._indent += "  " * deeper
        return top

    def _close(self, deeper=1):
        if self._top.chain is not None:
            self._end_chain()
        if self._top.bytes:
            note("lifetime." + self._top.kind)
        self._top.open = False
        self._top = self._top.parent
        self._indent = self._indent[:len(self._indent) - 2 * deeper]

    def _loop(self):
        top = self._top
        while top is not None and top.kind != "for":
            top = top.parent
        return top

    def _register(self, name, dtype):
        self._regs += 1
        reg = Scalar(self, dtype, "r%d" % self._regs)
        reg.name = name
        reg.scope = self._top
        return reg

    def _set(self, reg, value):
        if self._top.dropped:
            return
        note("scalar.set_as." + source_kind(value))
        if isinstance(value, Tensor):
            if value.dtype == reg.dtype:
                self._emit("load %s %s = %s" % (reg.text, reg.dtype, value._ref()))
                return
            value = value._bits(reg.dtype)
        value = given(self, reg.dtype, value)
        self._emit("set %s %s = %s" % (reg.text, reg.dtype, value.text))

    # -- objects

    def Scalar(self, dtype="int64", name="reg_buf", init_value=None):
        reg = self._register(name, dtype)
        if init_value is not None:
            self._set(reg, init_value)
        return reg

    def global_scalar(self, dtype="int64", name="reg_buf", init_value=None):
        reg = self.Scalar(dtype, name, init_value)
        reg.scope = None
        return reg

    def ScalarArray(self, dtype="int64", length=None, name="scalar_array", init_value=None):
        array = ScalarArray(self, dtype, length, name)
        if init_value is not None:
            array.set_as(init_value)
        return array

    def InputScalar(self, dtype="int64", name="input_scalar"):
        root = self._root(name, scope_gm, dtype, (1,))
        root.label = name
        self._globals.append(root)
        reg = self._register(name, dtype)
        if not self._top.dropped:
            block = self._root(name, scope_ubuf, dtype, (32 // SIZE[dtype],))
            self._emit("scope")
            self._open("scope")
            self._alloc(block)
            self._emit("data_move dst=%s:uint8+0 src=%s:uint8+0 sid=0 nburst=1 burst=1 "
                       "src_stride=0 dst_stride=0 mode=0" % (block.label, name))
            self._emit("load %s %s = %s:%s+0" % (reg.text, dtype, block.label, dtype))
            self._close()
            self._lines.append(self._indent + "end")
        reg.scope = None
        value = InputScalar(self, dtype, reg.text)
        value.name = name
        value._root = root
        return value

    def _root(self, name, scope, dtype, shape):
        root = Root()
        root.inst = self
        root.name = name
        root.scope = scope
        root.dtype = dtype
        root.shape = shape
        root.nbytes = product(self, shape) * SIZE[dtype]
        root.role = None
        root.preset = root.table = None
        root.top = self._top
        return root

    def Tensor(self, dtype, shape, scope, name, enable_buffer_reuse=False, no_reuse_list=None,
               reuse_list=None, is_workspace=False, is_atomic_add=False, max_mem_size=None,
               init_value=None, is_global_tensor=False, start_addr=None):
        lens = tuple([length_of(self, n) for n in shape])
        elems = product(self, lens)
        if type(elems) is not int:
            note("tensor.run_time_shape." + scope)
        fixed = lens if type(elems) is int else (max_mem_size // SIZE[dtype],)
        root = self._root(name, scope, dtype, fixed)
        root.role = "workspace" if is_workspace else "global" if is_global_tensor else None
        if is_atomic_add:
            root.preset = number(self, dtype, init_value or 0).text
        elif init_value is not None:
            root.role = "const"
            root.table = _table(self, dtype, elems, init_value)
        note("dtype." + dtype)
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            raise ValueError("the name %r" % (name,))
        if scope == scope_gm:
            if self._top.parent is not None:
                raise ValueError("global tensor %s in a scope" % name)
            root.label = name
            self._globals.append(root)
        elif not self._top.dropped:
            self._alloc(root)
        else:
            note("dropped.create")
        if type(elems) is int and elems == 2 ** 31 - 1:
            note("dynamic.size_2**31-1")
        return Tensor(root, dtype, lens, row_major(self, lens), 0, elems)

    def _alloc(self, root):
        loop = self._loop()
        copies = loop.thread_num if loop else 1
        self._allocs += 1
        root.label = "%%%d" % self._allocs
        self._emit("alloc %s %s %s copies=%d" % (root.label, root.scope, _shape(root), copies))
        if copies > 1:
            loop.allocs.append(len(self._lines) - 1)
        taken = self._top.bytes
        taken[root.scope] = taken.get(root.scope, 0) + root.nbytes * copies
        left = self.get_available_buffer_size(root.scope)
        if left < 0:
            raise MemoryError("%s lacks %d bytes for %s" % (root.scope, -left, root.name))
        if left == 0:
            note("storage.full")

    def get_available_buffer_size(self, buffer_scope):
        return self.get_left_buffer_size(buffer_scope)

    def get_left_buffer_size(self, scope):
        used, top = 0, self._top
        while top is not None:
            used += top.bytes.get(scope, 0)
            top = top.parent
        return CAPACITY[scope] - used

    # -- scopes

    def for_range(self, begint, endt, name="i", thread_num=1, thread_type="whole", block_num=1,
                  dtype="int32", for_type="serial"):
        _note_bounds(begint, endt, thread_num, block_num)
        begin = begint if isinstance(begint, Value) else const(self, dtype, int(begint))
        end = endt if isinstance(endt, Value) else const(self, dtype, int(endt))
        blocks = 1 if isinstance(block_num, Value) else int(block_num)
        threads = max(int(thread_num), 1)

        def enter():
            self._vars += 1
            var = Variable(self, dtype, "v%d" % self._vars)
            var.scope = None  # of the loop, once it is open
            live = not self._top.dropped
            if live:
                self._emit("for %s %s %s %s %s block_num=%s thread_num=%d" %
                           (var.text, name, dtype, begin.text, end.text,
                            "*" if isinstance(block_num, Value) else blocks, threads))
            top = self._open("for")
            var.scope = top
            top.thread_num = threads
            top.head = len(self._lines) - 1 if live else None
            top.blocks = blocks > 1 or isinstance(block_num, Value)
            top.end = end
            if top.blocks and self._blocks(top.parent):
                raise ValueError("a loop over cores inside another")
            return var

        def leave():
            self._close()
            if not self._top.dropped:
                self._lines.append(self._indent + "end")
        return _With(self, enter, leave)

    def _blocks(self, top):
        """Whether a scope lies in the loop over cores."""
        while top is not None and not top.blocks:
            top = top.parent
        return top is not None

    def new_stmt_scope(self, disable_sync=False):
        def enter():
            if not self._top.dropped:
                self._emit("scope")
            self._open("scope")

        def leave():
            self._close()
            if not self._top.dropped:
                self._lines.append(self._indent + "end")
        return _With(self, enter, leave)

    def new_scope(self):
        return _With(self, lambda: None, lambda: None)

    def _branch(self, cond, continued, last=False):
        """One link of an if chain."""
        if not last:
            _note_condition(cond, "elif" if continued else "if")
        cond = condition(cond)
        chain = self._top.chain if continued else None
        if continued and not self._top.dropped and (chain is None or not chain.open):
            raise SyntaxError("a branch that continues no if_scope")
        state = {}
        if chain is not None:
            self._take_loads(chain)

        def enter():
            nonlocal chain
            if not continued:
                if self._top.chain is not None:
                    self._end_chain()
                chain = _Chain()
            state.update({"deeper": 1, "end": None, "else": None})
            if chain.decided:
                note("dropped.taken_before")
            if self._top.dropped or chain.decided or cond is False:
                self._open("branch", True)
            elif cond is True and chain.ifs:
                self._begin_else(chain, state)
                chain.decided = True
            elif cond is True:
                self._top.chain = None
                self._emit("scope")
                state["end"] = "end"
                self._open("branch")
                chain.decided = True
            else:
                self._begin_if(chain, state, cond)

        def leave():
            self._close(state["deeper"])
            if state["end"]:
                self._lines.append(self._indent + state["end"])
            if state["else"] == len(self._lines) - 1:
                self._lines.pop()
            self._top.chain = chain
            chain.open = not last
        return _With(self, enter, leave)

    def _begin_if(self, chain, state, cond):
        self._top.chain = None
        deeper = chain.ifs
        if deeper and not self._else(chain):
            self._lines.append(self._indent + "  " * (deeper - 1) + "else")
        self._lines.append(self._indent + "  " * deeper + "if " + cond.text)
        chain.ifs += 1
        state["deeper"] = chain.ifs
        self._open("branch", False, chain.ifs)

    def _begin_else(self, chain, state):
        self._top.chain = None
        if not self._else(chain):
            self._lines.append(self._indent + "  " * (chain.ifs - 1) + "else")
            state["else"] = len(self._lines) - 1
        state["deeper"] = chain.ifs
        self._open("branch", False, chain.ifs)

    def if_scope(self, cond):
        return self._branch(cond, False)

    def elif_scope(self, cond):
        return self._branch(cond, True)

    def else_scope(self):
        return self._branch(True, True, True)

    # -- jumps

    def _jump(self, text):
        if self._top.dropped:
            return
        loop = self._loop()
        note("jump." + text)
        if text != "return" and loop is None:
            raise SyntaxError("a jump outside of loops")
        if text != "return" and loop.thread_num > 1:
            self._single_thread(loop)
        self._emit(text)
        self._top.dropped = True

    def _single_thread(self, loop):
        loop.thread_num = 1
        lines = self._lines
        lines[loop.head] = re.sub(r"thread_num=\d+$", "thread_num=1", lines[loop.head])
        for i in loop.allocs:
            lines[i] = re.sub(r"copies=\d+$", "copies=1", lines[i])

    def tik_break(self):
        self._jump("break")

    def tik_continue(self):
        self._jump("continue")

    def tik_return(self):
        self._jump("return")

    def printf(self, *args, **kwargs):
        pass

    StartProfiling = gen_cfg = set_printf_params = set_tiling_params = printf

    # -- the end

    def BuildCCE(self, kernel_name, inputs, outputs, output_files_path=None, enable_l2=False,
                 config=None, flowtable=None, evaluates=None, extend_params=None):
        for key in config or ():
            note("config." + key)
        if self._top.chain is not None:
            self._end_chain()
        head = ["kernel " + kernel_name]
        lists = [_listed(inputs), _listed(outputs), _listed(flowtable)]
        tensors = [[t._root for t in l if isinstance(t, Tensor)] for l in lists]
        scalars = [[t._root for t in l if isinstance(t, InputScalar)] for l in lists]
        unlisted = [r for r in self._globals if r.role in ("workspace", "global")]
        for role, roots in (("input", tensors[0] + scalars[0]), ("output", tensors[1]),
                            ("workspace", [r for r in unlisted if r.role == "workspace"]),
                            ("global", [r for r in unlisted if r.role == "global"]),
                            ("input", tensors[2] + scalars[1] + scalars[2])):
            head += [_argument(role, r) for r in roots]
        head += ["const %s %s" % (_shape(r), r.table) for r in self._globals if r.table]
        names = [r.name for r in unlisted] + \
            [r.name for group in tensors + scalars for r in group]
        if len(set(names)) < len(names):
            raise ValueError("names of arguments repeat: %s" % names)
        _note_lists(inputs, outputs, flowtable)
        self.tikdb._outputs = len(tensors[1])
        kernels.append("\n".join(head + _behind_loops(self._lines) + ["end", ""]))


def _behind_loops(lines):
    """The lines with the core's index in the place of variables of ended loops over cores."""
    done, ended, loops, names = [], set(), [], {}
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if loops and loops[-1][0] == indent and line.strip() == "end":
            ended.add(loops.pop()[1])
        loop = re.match(r" *for (v\d+) \w+ (\w+) .* block_num=(\d+|\*) ", line)
        if loop and loop[3] != "1":
            loops.append((indent, loop[1]))
            names[loop[1]] = "core" if loop[2] == "int32" else "cast.%s(core)" % loop[2]
        done.append(re.sub(r"\bv\d+\b", lambda v: names[v[0]] if v[0] in ended else v[0], line))
    return done


def _listed(items):
    return [] if items is None else items if isinstance(items, (list, tuple)) else [items]


def _note_lists(*lists):
    for kind, items in zip(("inputs", "outputs", "flowtable"), lists):
        if items is not None:
            form = type(items).__name__
            note("build.%s.%s" % (kind, form if form in ("list", "tuple") else "tensor"))
            note("build.%s.of_%d" % (kind, len(_listed(items))))
            if len(_listed(items)) and isinstance(_listed(items)[-1], InputScalar):
                note("build.%s.input_scalar" % kind)


def _note_bounds(begin, end, threads, blocks):
    for kind, v in (("begin", begin), ("end", end)):
        note("loop.%s.%s" % (kind, source_kind(v) if isinstance(v, Value) else type(v).__name__))
    floats = FLOATS | {"bool"}
    if isinstance(begin, float) or [v for v in (begin, end) if isinstance(v, Value) and v.dtype in floats]:
        raise TypeError("a loop from %r to %r" % (begin, end))
    if type(begin) is type(end) is int:
        if not 0 <= begin <= end:
            raise ValueError("a loop from %d to %d" % (begin, end))
        note("loop.empty" if begin == end else "loop.constant")
    note("loop.thread_num.%s" % threads)
    if isinstance(blocks, Value):
        note("loop.block_num.scalar")
        if blocks is not end:
            raise ValueError("block_num and the end are different Scalars")
    else:
        note("loop.block_num.int" if blocks > 1 else "loop.block_num.1")
        if blocks > 1 and (begin != 0 or end != blocks or threads > 1):
            raise ValueError("a loop over %d cores from %s to %s" % (blocks, begin, end))


def _note_condition(cond, link):
    if isinstance(cond, Scalar):
        note("branch.%s.scalar" % link)
    elif isinstance(cond, Value) and cond.value is not None:
        note("branch.%s.folded" % link)
    else:
        run_time = isinstance(cond, (Value, Tensor))
        note("branch.%s.%s" % (link, "run_time" if run_time else "python"))


class _Debugger:
    """The debugger runs nothing here: every output is None."""
    _outputs = 0

    def debug_print(self, text):
        pass

    def start_debug(self, feed_dict=None, interactive=False):
        return [None] * self._outputs


def _argument(role, root):
    preset = root.preset is not None and role != "input"
    return "%s %s%s" % (role, _shape(root), " preset=" + root.preset if preset else "")


def _flat(v):
    """The numbers of nested lists."""
    return [n for item in v for n in _flat(item)] if isinstance(v, (list, tuple)) else [v]


def _table(inst, dtype, elems, value):
    """Bytes of a constant table, in hexadecimal."""
    values = _flat(value)
    if not isinstance(value, (list, tuple)):
        values *= elems
    if len(values) != elems:
        raise ValueError("a table of %d values has %d" % (elems, len(values)))
    mask = (1 << 8 * SIZE[dtype]) - 1
    return b"".join([(int(number(inst, dtype, v).text, 0) & mask).to_bytes(SIZE[dtype], "little")
                     for v in values]).hex()


def _shape(root):
    return "%s %s (%s)" % (root.name, root.dtype, ", ".join([str(n) for n in root.shape]))


# ---- instructions --------------------------------------------------------------------------------------

def _tables():
    with open(os.path.join(isa_tables.ISA, "op.def")) as f:
        ops = re.findall(r'^OP\((\w+), "([\w.]+)", (\w+),', f.read(), re.M)
    rows = isa_tables.forms()
    forms, main = {}, {form: isa_tables.main_slot(row) for form, row in rows.items()}
    for form, row in rows.items():
        for count, name, role, of, *_, default in row[3]:
            if role == "ATTR" and form == "MOVE":
                role = "EXTENDED"
            elif of == "ROUND":
                role = "ROUND"
            elif count > 1:
                role = ("REFS" if role in ("DST", "SRC") else "WORDS") + str(count)
            forms.setdefault(form, []).append((name, role, default))
    return [(name, forms[form], main[form]) for _, name, form in ops]


def _slots(name, role):
    """The operands in the trace that an operand of a call is."""
    count = re.match(r"(?:REFS|WORDS)(\d+)", role)
    if count:
        return ["%s[%d]" % (name, i) for i in range(int(count[1]))]
    return [] if role == "MASKMODE" else [name]


def _generate(name, params, main):
    """Python source of a method that records one instruction."""
    signature, parts = ["self"], []
    for p, role, default in params:
        if role == "MASKMODE":
            signature.append(p + '="normal"')
        elif role == "EXTENDED":
            signature += ["*extended", "PadMode=0", "ConvReluMode=0"]
        else:
            # CPython has no required parameter after one with a default.
            after = [q for q in signature if "=" in q]
            signature.append(p if default == "REQUIRED" and not after else
                             "%s=%s" % (p, "None" if default == "REQUIRED" else default))
    counter = ', mask_mode == "counter"' if any_mask_mode(params) else ""
    for p, role, _ in params:
        if role in ("DST", "SRC"):
            parts.append("%s._ref()" % p)
        elif role == "MASK":
            parts.append("_mask(%s%s)" % (p, counter))
        elif role == "SCALAR":
            parts.append("_scalar(%s, %s)" % (p, params[main][0]))
        elif role == "EXTENDED":
            parts.append("int(extended[0] if extended else PadMode or ConvReluMode)")
        elif role == "PIPE":
            parts.append("PIPES.index(%s)" % p)
        elif role == "ROUND":
            parts.append("ROUNDS[%s]" % p)
        elif role.startswith("REFS"):
            parts += ["%s[%d]._ref()" % (p, i) for i in range(int(role[4:]))]
        elif role.startswith("WORDS"):
            parts += ["_word(%s[%d])" % (p, i) for i in range(int(role[5:]))]
        elif role != "MASKMODE":
            parts.append("_word(%s)" % p)
    form = name + "".join([" %s=%%s" % p for p, role, _ in params for p in _slots(p, role)])
    return ("def call({1}):\n    if self._top.dropped:\n        note('dropped.call')\n        return\n"
            "    note('instr.{0}')\n"
            "    self._emit('{2}' % ({3},))\n{4}").format(name, ", ".join(signature), form, ", ".join(parts),
                                                         "    return CMPMASK\n" if name in MASK_WRITERS else "")


PIPES = ["PIPE_" + name for name in ("S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX", "ALL")]
# Words for rounding modes; their numbers are the rows of RoundMode in isa.h.
ROUNDS = {"": 0, "none": 0, "round": 1, "floor": 2, "ceil": 3, "ceiling": 3, "away-zero": 4, "to-zero": 5, "odd": 6}
CMPMASK = "the handle of CMPMASK"
RPN_COR = "the handle of RPN_COR_IR"
RPN_COR_WORD = 56  # where RPN_COR_IR lies among the special registers
MASK_WRITERS = ["vcmp_" + op for op in ("lt", "gt", "ge", "eq", "ne", "le")] + ["mov_tensor_to_cmpmask"]


def _select(name):
    """A select: each mode is an instruction of its own."""
    modes = [getattr(Tik, name + variant) for variant in ("", ".scalar", ".bits")]

    def call(self, mask, mode, dst, sel, *operands, **more):
        bits = [] if sel is CMPMASK else [sel]
        modes[mode](self, mask, dst, *bits, *operands, **more)
    return call


def any_mask_mode(params):
    return len([p for p in params if p[1] == "MASKMODE"]) > 0


def _block_barrier(self, sync_workspace):
    if self._top.dropped:
        return
    top = self._top
    while not top.blocks:
        top = top.parent
    self._emit("block_barrier workspace=%s blocks=%s" % (
        sync_workspace._ref(), to_type(top.end, "int64").text))


def _set_rpn_cor_ir(self, number):
    if not self._top.dropped:
        self._emit("store %%sreg:uint32+%d = %s" % (RPN_COR_WORD, _word(number)))
    return RPN_COR


def _suppression():
    """Calls that take or give a handle of RPN_COR_IR."""
    update, diagonal = Tik.rpn_cor, Tik.rpn_cor_diag

    def rpn_cor(self, *operands):
        update(self, *operands)
        return RPN_COR
    Tik.set_rpn_cor_ir, Tik.rpn_cor = _set_rpn_cor_ir, rpn_cor
    Tik.rpn_cor_diag = lambda self, dst, src, src_register: diagonal(self, dst, src)


def _scalar_sqrt(self, dst, src):
    """A Scalar becomes the root of the size of one."""
    if not self._top.dropped:
        dst.set_as(Formula(self, dst.dtype, "sqrt.%s(%s)" % (dst.dtype, src.text)))


def _install():
    for name, params, main in _tables():
        scope = {"_mask": _mask, "_word": _word, "_scalar": _scalar, "note": note, "CMPMASK": CMPMASK,
                 "PIPES": PIPES, "ROUNDS": ROUNDS}
        exec(_generate(name, params, main), scope)
        setattr(Tik, name, scope["call"])
    for name in ("vsel", "vec_sel"):
        setattr(Tik, name, _select(name))
    Tik.data_copy = data_copy
    Tik.block_barrier = _block_barrier
    Tik.scalar_sqrt = _scalar_sqrt
    _suppression()
    globals().update(provided())
    store = Tik.mov_cmpmask_to_tensor
    Tik.mov_cmpmask_to_tensor = lambda self, dst, src_cmpmask: store(self, dst)


_install()
