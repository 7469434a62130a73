"""Runs a trace (docs/trace-format.md) on numpy arrays with the reference model of the instructions: what
a kernel computes, without the compiler.

    run(trace, soc, arrays)   trace of one kernel; arrays {name of a global tensor: array}
                              gives {name: array} of all global tensors afterwards

The cores of a kernel run one after the other."""
import itertools
import os
import re
import sys

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import paths  # noqa
import vector_model  # noqa: E402
from ref_model import Bits, Buffer, Fault, Machine, Ref, UINT, numpy_type  # noqa: E402
from tik_stub_numbers import FLOATS, SIZE, bits, cast, evaluate, wrap  # noqa: E402

SCOPES = {"local.UB": "UB", "local.L1": "L1", "local.L0A": "L0A", "local.L0B": "L0B", "local.L0C": "L0C"}
COMPARES = ("eq", "ne", "lt", "le", "gt", "ge")


# Instructions that only vector_model has.
SELECT = re.compile(r"(vec_)?v?cmp|v(ec_)?sel|mov_.*cmpmask")
SELECT_MODES = {"": 0, "scalar": 1, "bits": 2}


class Jump(Exception):
    """break, continue or return: args[0]."""


def parse(lines):
    """Nested statements: [line] or [line, body] or [line, body, else body]."""
    body, stack = [], []
    for line in lines:
        word = line.split(" ", 1)[0]
        if word == "end":
            body = stack.pop()
        elif word == "else":
            inner = []
            stack[-1][-1].append(inner)
            body = inner
        else:
            statement = [line]
            body.append(statement)
            if word in ("for", "if", "scope"):
                inner = []
                statement.append(inner)
                stack.append(body)
                body = inner
    return body


def heads(head):
    """[(role, name, dtype, shape, what follows)] of a kernel's first lines."""
    found = [re.match(r"(input|output|workspace|global|list|const) (\w+) (\w+) \(([\d, ]*)\)(.*)$", line)
             for line in head]
    return [(m[1], m[2], m[3], tuple(map(int, m[4].split(", "))), m[5]) for m in found if m]


def arguments(head):
    """[(role, name, dtype, shape)] of the kernel's arguments."""
    return [h[:4] for h in heads(head) if h[0] != "const"]


def contents(role, dtype, shape, rest):
    """What a tensor holds before the kernel runs, when its caller gives nothing."""
    if role == "const":
        raw = bytes.fromhex(rest)
    else:
        value = int(rest.split("=")[1], 0) if rest else 0
        raw = (value & (1 << 8 * SIZE[dtype]) - 1).to_bytes(SIZE[dtype], "little") * \
            int(np.prod(shape, dtype=object))
    return np.frombuffer(raw, numpy_type(dtype)).reshape(shape)


# Instructions execute in program order and cores one after another, so that a core may use after a barrier what
# cores of smaller index wrote before it.
SYNCHRONISE = ("set_flag", "wait_flag", "pipe_barrier", "block_barrier")


def fits(dtype, value):
    return wrap(dtype, value) == value


class Runner:
    def __init__(self, machine, core):
        self.m = machine
        self.core = core
        self.vector = vector_model.Machine()
        self.vector.memory = machine.mem   # one memory for both models
        self.values = {}  # registers: (dtype, canonical value)
        self.loops = {}   # loop variables: (dtype, text of both bounds, trip)

    # -- expressions: (dtype, canonical value)

    def expr(self, text, wanted):
        value, rest = self.term(text, wanted)
        assert not rest, text
        return value

    def term(self, text, wanted):
        m = re.match(r"(\w+)\.(\w+)\(", text)
        if m:
            return self.operation(m[1], m[2], text[m.end():])
        m = re.match(r"-?\w+", text)
        rest = text[m.end():]
        if m[0] == "core":
            return ("int32", self.core), rest
        if m[0][0] == "v":  # the formula begin + trip
            dtype, bounds, trip = self.loops[m[0]]
            return (dtype, wrap(dtype, self.term(bounds, dtype)[0][1] + trip)), rest
        if m[0][0] == "r":
            return self.values.get(m[0], ("int64", 0)), rest  # not set yet: zero of any type
        return (wanted, int(m[0], 0)), rest

    def operation(self, op, dtype, text):
        (source, x), rest = self.term(text, dtype)
        if op == "cast":
            return (dtype, cast(dtype, source, x)), rest[1:]
        if op == "bits":
            return (dtype, bits(dtype, source, x)), rest[1:]
        if op == "not":
            return (dtype, 1 - x if dtype == "bool" else wrap(dtype, ~x)), rest[1:]
        if op == "neg":
            minus = x ^ 1 << 8 * SIZE[dtype] - 1 if dtype in FLOATS else wrap(dtype, -x)
            return (dtype, minus), rest[1:]
        (_, y), rest = self.term(rest[2:], dtype)
        value = evaluate(op, dtype, x, y)
        if value is None:
            raise Fault("division-by-zero")
        return ("bool" if op in COMPARES else dtype, value), rest[1:]

    def int(self, text, wanted="int64"):
        return self.expr(text, wanted)[1]

    def ref(self, text):
        label, dtype, offset = re.match(r"([%\w]+):(\w+)\+(.*)$", text).groups()
        return Ref(label, self.int(offset), dtype)

    # -- statements

    def body(self, statements):
        for statement in statements:
            line = statement[0]
            word = line.split(" ", 1)[0]
            method = getattr(self, "do_" + word, None)
            if method:
                method(line, *statement[1:])
            else:
                self.instruction(word, line[len(word):])

    def do_scope(self, _, body):
        self.body(body)

    def do_if(self, line, body, other=()):
        self.body(body if self.int(line[3:]) else other)

    def do_for(self, line, body):
        m = re.match(r"for (\w+) \w+ (\w+) (.*) block_num=(\d+|\*) thread_num=\d+$", line)
        var, dtype, bounds = m[1], m[2], m[3]
        blocks = 1 if m[4] == "*" else int(m[4])  # one core for all blocks: they are independent
        for trip in itertools.count() if blocks == 1 else (self.core,):
            (_, begin), rest = self.term(bounds, dtype)
            end = self.int(rest[1:], dtype)
            if blocks == 1 and trip >= end - begin:  # formulas, read at each test
                break
            if blocks == 1 and (fits(dtype, begin + trip), fits(dtype, end - 1)) != (True, True):
                raise Fault("loop-bounds")
            self.loops[var] = (dtype, bounds, trip)
            try:
                self.body(body)
            except Jump as jump:
                if jump.args[0] == "return":
                    raise
                if jump.args[0] == "break":
                    break

    def do_break(self, line):
        raise Jump(line)

    do_continue = do_return = do_break

    def do_alloc(self, line):
        m = re.match(r"alloc (%\d+) (\S+) \w+ (\w+) \((.*)\) copies", line)
        size = int(np.prod([int(n) for n in m[4].split(", ")], dtype=object))
        self.m.buffers[m[1]] = Buffer(SCOPES[m[2]], m[3], size)
        self.m.mem[m[1]] = Machine.make(self.m.buffers[m[1]])

    def do_set(self, line):
        _, reg, dtype, _, text = line.split(" ", 4)
        self.values[reg] = (dtype, self.int(text, dtype))

    def do_load(self, line):
        _, reg, dtype, _, text = line.split(" ", 4)
        self.m.step("load", {"src": self.ref(text)})
        self.values[reg] = (dtype, self.m.loaded if dtype in FLOATS else wrap(dtype, self.m.loaded))

    def do_store(self, line):
        place, text = line[6:].split(" = ")
        ref = self.ref(place)
        self.m.step("store", {"dst": ref, "value": Bits(self.int(text, ref.dtype))})

    def select(self, name, text):
        """Compare and select, on the model of vector instructions."""
        operands = {}
        for key, value in re.findall(r" (\w+)=(.*?)(?= \w+=|$)", text):
            if re.match(r"[%\w]+:\w+\+", value):
                ref = self.ref(value)
                operands[key] = vector_model.View(ref.buffer, ref.offset, ref.dtype, ())
            elif key in ("scalar", "src1"):
                dtype = operands.get("src0", operands.get("src")).dtype
                operands[key] = vector_model.Scalar(dtype, self.int(value, dtype))
            else:
                operands[key] = self.words(value[1:-1]) if value.startswith("[") else self.int(value)
        method, _, variant = name.partition(".")
        if method.endswith("sel"):
            operands["mode"] = SELECT_MODES[variant]
            operands.setdefault("sel", "cmpmask")
        vector_model.METHODS[method](self.vector, **operands)

    def instruction(self, name, text):
        if SELECT.match(name):
            self.select(name, text)
            return
        if name in SYNCHRONISE:
            return
        operands = {}
        for key, value in re.findall(r" ([\w\[\]]+)=(.*?)(?= [\w\[\]]+=|$)", text):
            if key in ("dst", "src", "src0", "src1"):
                operands[key] = self.ref(value)
            elif key == "scalar":
                operands[key] = Bits(self.int(value, operands["dst"].dtype))
            elif value.startswith("counter("):
                operands[key] = self.int(value[8:-1])
                operands["mask_mode"] = "counter"
            elif value.startswith("["):
                operands[key] = self.words(value[1:-1])
            else:
                operands[key] = self.int(value)
        self.m.step(name, operands)

    def words(self, text):
        found = []
        while text:
            (_, value), text = self.term(text, "uint64")
            found.append(value)
            text = text[2:]
        return found


def run(trace, soc, arrays):
    lines = [line.strip() for line in trace.splitlines()[1:-1]]
    args = heads(lines)
    statements = parse(lines[len(args):])
    cores = max([int(n) for n in re.findall(r" block_num=(\d+) thread_num", trace)] + [1])
    buffers = {}
    for role, name, dtype, shape, rest in args:
        data = arrays.get(name)
        if data is None:
            data = contents(role, dtype, shape, rest)
        buffers[name] = Buffer("GM", dtype, np.ascontiguousarray(data))
    machine = Machine(soc, buffers)
    for core in range(cores):
        try:
            Runner(machine, core).body(statements)
        except Jump:
            pass
    return {name: machine.array(name) for _, name, _, _, _ in args}
