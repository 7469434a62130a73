"""What operations of scalar expressions mean, as z3 terms: scalar_eval of runtime/num/scalar.c, which defines it, for each operation
and integer type. Values are bit-vectors of 64 bits in the canonical form that scalar.h describes."""
import functools
import math

from terms import TRAPS, compile_c
from isa_tables import rows
import z3

# The square root has a loop, so it is a function of which only values for constants are known.
ISQRT = z3.Function('isqrt', z3.BitVecSort(64), z3.BitVecSort(32))


def isqrt(a):
    a = z3.simplify(a)
    return z3.BitVecVal(math.isqrt(a.as_long()), 32) if z3.is_bv_value(a) else ISQRT(a)


OPS = {row[0]: (int(row[2]), row[3]) for row in rows('runtime/isa/scalar.def', 'SCALAR_OP')}
# Integer types of Scalars: id -> (name, bits, signed). Types of half bytes are not among them.
TYPES = {id: (name, 1 if kind == 'BOOL' else 8 * int(size), kind == 'SINT')
         for id, name, size, kind in rows('runtime/isa/dtype.def', 'DTYPE') if kind != 'FLOAT' and id not in ('S4', 'U4')}
BY_NAME = {name: id for id, (name, _, _) in TYPES.items()}
COMPARES = ('EQ', 'NE', 'LT', 'LE', 'GT', 'GE')
CONVERSIONS = ('CAST', 'BITS')

HEAD = '#include "isa/isa.c"\n#include "num/scalar_type.c"\n#include "num/scalar.c"\n'
FUNCTION = '''
int64_t value_{op}_{t}_{f}(int64_t a, int64_t b)
{{ int64_t r = 0; (void)scalar_eval(SOP_{op}, DT_{t}, DT_{f}, a, b, &r); return r; }}
int64_t defined_{op}_{t}_{f}(int64_t a, int64_t b)
{{ int64_t r = 0; return scalar_eval(SOP_{op}, DT_{t}, DT_{f}, a, b, &r); }}
'''


def forms():
    """Each operation with its type and that of its operand."""
    for op in OPS:
        for t in TYPES:
            for f in TYPES if op in CONVERSIONS else (t,):
                yield op, t, f


@functools.lru_cache(None)
def module():
    return compile_c(HEAD + ''.join(FUNCTION.format(op=op, t=t, f=f) for op, t, f in forms()), {'num_isqrt': isqrt}, TRAPS)


A, B = z3.BitVec('a', 64), z3.BitVec('b', 64)


@functools.lru_cache(None)
def general(op, t, f):
    """(value, is defined, executes what C leaves undefined) for the operands A and B."""
    value = module().call('value_%s_%s_%s' % (op, t, f), A, B)
    defined = module().call('defined_%s_%s_%s' % (op, t, f), A, B)
    return value.value, z3.simplify(defined.value != 0), value.trap


def meaning(op, t, f, a, b=None):
    """(value, is defined) of an operation on terms; defined: it does not end the program."""
    value, defined, _ = general(op, t, f)
    pairs = [(A, a), (B, b if b is not None else z3.BitVecVal(0, 64))]
    if op == 'SQRT' and z3.is_bv_value(a):  # for a constant operand the root is a constant too
        return module().call('value_SQRT_%s_%s' % (t, f), a, a).value, z3.BoolVal(True)
    return z3.substitute(value, *pairs), defined if z3.is_true(defined) else z3.substitute(defined, *pairs)


def wrap(t, v):
    """The canonical form of a number in Python, as a signed one."""
    _, n, signed = TYPES[t]
    v = int(v != 0) if t == 'BOOL' else v % (1 << n)
    return v - (1 << n) if n > 1 and v >> (n - 1) and (signed or n == 64) else v


def free(name, t):
    """A value of the type that may be any."""
    _, n, signed = TYPES[t]
    v = z3.BitVec(name, n)
    return v if n == 64 else (z3.SignExt if signed else z3.ZeroExt)(64 - n, v)


def borders(t):
    """Constants at which a rule could be wrong."""
    _, n, signed = TYPES[t]
    return sorted({wrap(t, v) for v in (0, 1, 2, -1, -2, n - 1, n, 1 << (n - 1), (1 << (n - 1)) - 1)})
