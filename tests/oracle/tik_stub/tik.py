"""The module tik under CPython: records what a kernel's program emits, as the text that
`tikc build --emit trace` prints (docs/trace-format.md). It checks nothing: it is run on programs that
the compiler accepts.

The instructions and their parameters are read from the compiler's tables (op.def, param.def) when they
are found; each becomes a plain generated function, so that recording is as quick as Python is."""
import os
import re

from tik_stub_expr import (Expr, InputScalar, Scalar, Value, add_compares, condition, const, number, op2, read,
                           tik_all as all, tik_any as any, tik_negate as negate, to_type)
from tik_stub_numbers import SIZE

scope_gm = "global"
scope_ubuf = "local.UB"
scope_cbuf = "local.L1"
scope_ca = "local.L0A"
scope_cb = "local.L0B"
scope_cc = "local.L0C"
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

kernels = []  # traces of the kernels built so far


def is_tik_var(x):
    return isinstance(x, (Value, Tensor))


def set_product_version(text):
    pass


def unset_product_version():
    pass


class Dprofile:
    """Answers for the Ascend310P, the compiler's default processor."""

    def __init__(self, *args, **kwargs):
        pass

    def get_aicore_num(self):
        return 8

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
        return {scope_ubuf: 262144, scope_cbuf: 1048576, scope_cc: 262144}.get(scope, 65536)


# ---- int64 arithmetic on offsets: ints while constant, else Exprs -----------------------------------

def _i64(v, inst):
    return v if isinstance(v, Value) else const(inst, "int64", v)


def _plain(e):
    return e.value if e.value is not None else e


def _calc(inst, op, a, b):
    if type(a) is int and type(b) is int:
        if op == "add":
            return a + b
        if op == "sub":
            return a - b
        if op == "mul":
            return a * b
    return _plain(op2(op, _i64(a, inst), _i64(b, inst)))


def _text(v):
    return v.text if isinstance(v, Value) else str(v)


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


class _Root:
    __slots__ = ("inst", "name", "scope", "dtype", "nbytes", "label", "shape", "workspace", "used")


class Tensor:
    """A view: byte offset from the root, lengths and strides in elements."""
    __slots__ = ("_root", "dtype", "_lens", "_strides", "_off", "_flat", "_element", "_sliced")

    def __init__(self, root, dtype, lens, strides, off, flat, element=False, sliced=False):
        self._root = root
        self.dtype = dtype
        self._lens = lens
        self._strides = strides
        self._off = off
        self._flat = flat
        self._element = element
        self._sliced = sliced

    @property
    def shape(self):
        return list(self._lens)

    @property
    def scope(self):
        return self._root.scope

    @property
    def name(self):
        return self._root.name

    @property
    def buffer_size(self):
        return self._root.nbytes

    @property
    def size(self):
        return _product(self._root.inst, self._lens)

    @property
    def offset(self):
        inst = self._root.inst
        return _calc(inst, "div", self._off, SIZE[self.dtype])

    def _ref(self):
        root = self._root
        root.used = True
        off = self._off
        return "%s:%s+%s" % (root.label, self.dtype, off if type(off) is int else off.text)

    def _load(self):
        inst = self._root.inst
        reg = inst._register("element", self.dtype)
        inst._emit_if_live("load %s %s = %s", reg, self)
        return reg

    def __getitem__(self, key):
        inst = self._root.inst
        if inst._top.dropped or self._element:
            return self
        keys = key if type(key) is tuple else (key,)
        lens, strides, off = self._lens, self._strides, self._off
        if len(keys) == 1 and len(lens) > 1:
            lens, strides, off = (self._flat,), (1,), 0
        size = SIZE[self.dtype]
        element = True
        new_lens, new_strides = [], []
        for k, length, stride in zip(keys, lens, strides):
            if type(k) is slice:
                element = False
                start, n, step = _slice(inst, k, length)
                off = _advance(inst, off, start, stride, size)
                new_lens.append(n)
                new_strides.append(stride if step == 1 else _calc(inst, "mul", stride, step))
            else:
                off = _advance(inst, off, _index(inst, k, length), stride, size)
                new_lens.append(1)
                new_strides.append(stride)
        return Tensor(self._root, self.dtype, tuple(new_lens), tuple(new_strides), off, self._flat,
                      element, True)

    __call__ = __getitem__

    def __setitem__(self, key, value):
        self[key].set_as(value)

    def set_as(self, value, dst_offset=0, src_offset=None):
        inst = self._root.inst
        if inst._top.dropped:
            return
        value = read(value)
        value = to_type(value, self.dtype) if isinstance(value, Value) else \
            number(inst, self.dtype, value)
        inst._emit("store %s = %s" % (self._ref(), value.text))

    def reshape(self, new_shape):
        inst = self._root.inst
        if inst._top.dropped:
            return self
        lens = tuple([_length(inst, n) for n in new_shape])
        return Tensor(self._root, self.dtype, lens, _strides(inst, lens), self._off,
                      _product(inst, lens), self._element)

    def flatten(self):
        return self.reshape((self.size,))

    def reinterpret_cast_to(self, dtype):
        inst = self._root.inst
        if inst._top.dropped:
            return self
        old, new = SIZE[self.dtype], SIZE[dtype]
        lens, strides, flat = self._lens, self._strides, self._flat
        element = False
        if old > new:
            ratio = old // new
            lens = lens + (ratio,)
            strides = tuple([_calc(inst, "mul", s, ratio) for s in strides]) + (1,)
            flat = _calc(inst, "mul", flat, ratio)
        elif old < new:
            ratio = new // old
            strides = tuple([_shrink(inst, s, ratio) for s in strides])
            lens = lens[:-1] + (_shrink(inst, lens[-1], ratio),)
            flat = _shrink(inst, flat, ratio)
        else:
            element = self._element
        return Tensor(self._root, dtype, lens, strides, self._off, flat, element, self._sliced)

    __hash__ = object.__hash__


add_compares(Tensor)


def _shrink(inst, v, ratio):
    return max(v // ratio, 1) if type(v) is int else _calc(inst, "div", v, ratio)


def _advance(inst, off, index, stride, size):
    if type(off) is int and type(index) is int and type(stride) is int:
        return off + index * stride * size
    step = _calc(inst, "mul", stride, size)
    return _calc(inst, "add", off, _calc(inst, "mul", index, step))


def _index(inst, k, length):
    if isinstance(k, Value):
        return _plain(to_type(k, "int64"))
    k = int(k)
    return k if k >= 0 else _calc(inst, "add", length, k)


def _slice(inst, s, length):
    start = 0 if s.start is None else _index(inst, s.start, length)
    stop = length if s.stop is None else _index(inst, s.stop, length)
    step = 1 if s.step is None else s.step
    n = _calc(inst, "sub", stop, start)
    if step > 1:
        n = _calc(inst, "add", n, step - 1)
        n = n // step if type(n) is int else _calc(inst, "div", n, step)
    return start, n, step


def _length(inst, n):
    return _plain(to_type(n, "int64")) if isinstance(n, Value) else int(n)


def _product(inst, lens):
    n = 1
    for v in lens:
        n = _calc(inst, "mul", n, v)
    return n


def _strides(inst, lens):
    strides, stride = [], 1
    for n in reversed(lens):
        strides.append(stride)
        stride = _calc(inst, "mul", stride, n)
    return tuple(reversed(strides))


class _Found(Scalar):
    """The element of a ScalarArray that an index chooses at run time."""
    __slots__ = ("array", "index")

    def set_as(self, value, src_offset=None):
        inst = self.inst
        if inst._top.dropped:
            return
        index = inst._register("index", "int64")
        chosen = inst._register("value", self.dtype)
        inst._set(index, self.index)
        inst._set(chosen, value)
        for i, item in enumerate(self.array._items):
            inst._emit("if " + op2("eq", index, const(inst, "int64", i)).text)
            inst._indent += "  "
            inst._set(item, chosen)
            inst._indent = inst._indent[:-2]
            inst._lines.append(inst._indent + "end")


class _ScalarArray:
    def __init__(self, inst, dtype, length, name):
        self.dtype = dtype
        self.name = name
        self.length = length
        self._items = [inst._register(name, dtype) for _ in range(length)]

    def __len__(self):
        return self.length

    def __getitem__(self, key):
        if not isinstance(key, Value):
            return self._items[key]
        key = to_type(key, "int64")
        if key.value is not None:
            return self._items[key.value]
        found = _Found(key.inst, self.dtype, self._search(key).text)
        found.name = self.name
        found.array = self
        found.index = key
        return found

    def _search(self, index):
        carrier = {"float16": "uint16", "bfloat16": "uint16", "float32": "uint32"}.get(
            self.dtype, self.dtype)
        total = const(index.inst, carrier, 0)
        for i, item in enumerate(self._items):
            hit = op2("eq", index, const(index.inst, "int64", i))
            total = op2("add", total, op2("mul", to_type(hit, carrier),
                                          item.reinterpret_cast_to(carrier)))
        return total.reinterpret_cast_to(self.dtype)

    def __setitem__(self, key, value):
        self[key].set_as(value)

    def set_as(self, value):
        values = value if isinstance(value, (list, tuple)) else [value] * self.length
        for item, v in zip(self._items, values):
            item.set_as(v)


# ---- scopes ------------------------------------------------------------------------------------------

class _Chain:
    """Branches of one if_scope that may still be continued: how many IFs are open in the text. loads:
    elements loaded behind the last branch, perhaps by the condition of an elif_scope that follows;
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
    __slots__ = ("parent", "kind", "dropped", "thread_num", "head", "allocs", "chain")

    def __init__(self, parent, kind, dropped):
        self.parent = parent
        self.kind = kind
        self.dropped = dropped
        self.thread_num = 1
        self.head = None
        self.allocs = []
        self.chain = None


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
        return reg

    def _set(self, reg, value):
        if self._top.dropped:
            return
        if isinstance(value, Tensor):
            if value.dtype == reg.dtype:
                self._emit("load %s %s = %s" % (reg.text, reg.dtype, value._ref()))
                return
            value = value._load()
        value = to_type(value, reg.dtype) if isinstance(value, Value) else \
            number(self, reg.dtype, value)
        self._emit("set %s %s = %s" % (reg.text, reg.dtype, value.text))

    # -- objects

    def Scalar(self, dtype="int64", name="reg_buf", init_value=None):
        reg = self._register(name, dtype)
        if init_value is not None:
            self._set(reg, init_value)
        return reg

    global_scalar = Scalar

    def ScalarArray(self, dtype="int64", length=None, name="scalar_array", init_value=None):
        array = _ScalarArray(self, dtype, length, name)
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
        value = InputScalar(self, dtype, reg.text)
        value.name = name
        value._root = root
        return value

    def _root(self, name, scope, dtype, shape):
        root = _Root()
        root.inst = self
        root.name = name
        root.scope = scope
        root.dtype = dtype
        root.shape = shape
        root.workspace = False
        root.used = False
        return root

    def Tensor(self, dtype, shape, scope, name, enable_buffer_reuse=False, no_reuse_list=None,
               reuse_list=None, is_workspace=False, is_atomic_add=False, max_mem_size=None,
               init_value=None, is_global_tensor=False, start_addr=None):
        root = _Root()
        root.inst = self
        root.name = name
        root.scope = scope
        root.dtype = dtype
        root.workspace = is_workspace
        root.used = False
        lens = tuple([_length(self, n) for n in shape])
        elems = _product(self, lens)
        if type(elems) is int:
            root.shape = lens
            root.nbytes = elems * SIZE[dtype]
        else:
            root.shape = (max_mem_size // SIZE[dtype],)
            root.nbytes = max_mem_size
        if scope == scope_gm:
            root.label = name
            self._globals.append(root)
        elif not self._top.dropped:
            self._alloc(root)
        return Tensor(root, dtype, lens, _strides(self, lens), 0, elems)

    def _alloc(self, root):
        loop = self._loop()
        copies = loop.thread_num if loop else 1
        self._allocs += 1
        root.label = "%%%d" % self._allocs
        self._emit("alloc %s %s %s copies=%d" % (root.label, root.scope, _shape(root), copies))
        if copies > 1:
            loop.allocs.append(len(self._lines) - 1)

    # -- scopes

    def for_range(self, begint, endt, name="i", thread_num=1, thread_type="whole", block_num=1,
                  dtype="int32", for_type="serial"):
        begin = to_type(begint, dtype) if isinstance(begint, Value) else \
            const(self, dtype, int(begint))
        end = to_type(endt, dtype) if isinstance(endt, Value) else const(self, dtype, int(endt))
        blocks = 1 if isinstance(block_num, Value) else int(block_num)
        threads = max(int(thread_num), 1)

        def enter():
            self._vars += 1
            var = Expr(self, dtype, "v%d" % self._vars)
            live = not self._top.dropped
            if live:
                self._emit("for %s %s %s %s %s block_num=%d thread_num=%d" %
                           (var.text, name, dtype, begin.text, end.text, blocks, threads))
            top = self._open("for")
            top.thread_num = threads
            top.head = len(self._lines) - 1 if live else None
            return var

        def leave():
            self._close()
            if not self._top.dropped:
                self._lines.append(self._indent + "end")
        return _With(self, enter, leave)

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

    def _branch(self, cond, continued, last=False):
        """One link of an if chain."""
        cond = condition(cond)
        chain = self._top.chain if continued else None
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
        if self._top.chain is not None:
            self._end_chain()
        head = ["kernel " + kernel_name]
        lists = [_listed(inputs), _listed(outputs), _listed(flowtable)]
        tensors = [[t._root for t in l if isinstance(t, Tensor)] for l in lists]
        scalars = [[t._root for t in l if isinstance(t, InputScalar)] for l in lists]
        workspaces = [r for r in self._globals if r.workspace]
        for role, roots in (("input", tensors[0] + scalars[0]), ("output", tensors[1]),
                            ("workspace", workspaces),
                            ("input", tensors[2] + scalars[1] + scalars[2])):
            head += ["%s %s" % (role, _shape(r)) for r in roots]
        self.tikdb._outputs = len(tensors[1])
        kernels.append("\n".join(head + self._lines + ["end", ""]))


def _listed(items):
    return [] if items is None else items if isinstance(items, (list, tuple)) else [items]


class _Debugger:
    """The debugger runs nothing here: every output is None."""
    _outputs = 0

    def debug_print(self, text):
        pass

    def start_debug(self, feed_dict=None, interactive=False):
        return [None] * self._outputs


def _shape(root):
    return "%s %s (%s)" % (root.name, root.dtype, ", ".join([str(n) for n in root.shape]))


# ---- instructions --------------------------------------------------------------------------------------

def _tables():
    isa = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "runtime",
                       "isa")
    with open(os.path.join(isa, "op.def")) as f:
        ops = re.findall(r'^OP\((\w+), "(\w+)", (\w+),', f.read(), re.M)
    with open(os.path.join(isa, "param.def")) as f:
        rows = re.findall(r'^PARAM\((\w+), "(\w+)", (\w+), .*, (\w+)\)$', f.read(), re.M)
    forms = {}
    for form, name, role, default in rows:
        forms.setdefault(form, []).append((name, role, default))
    return [(name, forms[form]) for _, name, form in ops]


def _generate(name, params):
    """Python source of a method that records one instruction."""
    signature, parts = ["self"], []
    for p, role, default in params:
        if role == "MASKMODE":
            signature.append(p + '="normal"')
        elif role == "ATTR":
            signature += ["*extended", "PadMode=0", "ConvReluMode=0"]
        else:
            signature.append(p if default == "REQUIRED" else "%s=%s" % (p, default))
    counter = ', mask_mode == "counter"' if any_mask_mode(params) else ""
    for p, role, _ in params:
        if role in ("DST", "SRC"):
            parts.append("%s._ref()" % p)
        elif role == "MASK":
            parts.append("_mask(%s%s)" % (p, counter))
        elif role == "SCALAR":
            parts.append("_scalar(%s, dst)" % p)
        elif role == "ATTR":
            parts.append("int(extended[0] if extended else PadMode or ConvReluMode)")
        elif role != "MASKMODE":
            parts.append("_word(%s)" % p)
    form = name + "".join([" %s=%%s" % p for p, role, _ in params if role != "MASKMODE"])
    return ("def {0}({1}):\n    if self._top.dropped:\n        return\n"
            "    self._emit('{2}' % ({3},))\n").format(name, ", ".join(signature), form,
                                                       ", ".join(parts))


def any_mask_mode(params):
    return len([p for p in params if p[1] == "MASKMODE"]) > 0


def _install():
    for name, params in _tables():
        scope = {"_mask": _mask, "_word": _word, "_scalar": _scalar}
        exec(_generate(name, params), scope)
        setattr(Tik, name, scope[name])


_install()
