/* scalar.c: the meaning of scalar expressions. See scalar.h. Integers compute on 64-bit
 * patterns and are wrapped into their type at the end; float types compute in float32 and
 * round once. */
#include "num/scalar.h"

#include <math.h>
#include <string.h>

#include "num/half.h"
#include "num/int.h"

const ScalarOpInfo scalar_op_table[SOP_COUNT] = {
#define SCALAR_OP(id, name, arity, symbol) [SOP_##id] = {name, arity, symbol},
#include "isa/scalar.def"
};

bool
scalar_op_find(const char *name, ScalarOp *out)
{
    for (int i = 0; i < SOP_COUNT; i++) {
        if (strcmp(scalar_op_table[i].name, name) == 0) {
            *out = (ScalarOp)i;
            return true;
        }
    }
    return false;
}

int64_t
scalar_from_double(Dtype t, double d)
{
    switch (t) {
    case DT_F16:
        return half_from_double(d);
    case DT_BF16:
        return bfloat_from_double(d);
    default:
        return float_bits_canonical((float)d);
    }
}

static float
to_float(Dtype t, int64_t v)
{
    switch (t) {
    case DT_F16:
        return half_to_float((uint16_t)v);
    case DT_BF16:
        return bfloat_to_float((uint16_t)v);
    default:
        return float_of_bits((uint32_t)v);
    }
}

static int64_t
from_float(Dtype t, float f)
{
    switch (t) {
    case DT_F16:
        return half_from_float(f);
    case DT_BF16:
        return bfloat_from_float(f);
    default:
        return float_bits_canonical(f);
    }
}

double
scalar_to_double(Dtype t, int64_t v)
{
    return to_float(t, v);
}

/* Truncates toward zero and saturates at the range of t; NaN gives 0. Float bounds of
 * integer types are powers of two, so the comparisons are exact. */
static int64_t
float_to_int(Dtype t, float f)
{
    if (f != f) {
        return 0;
    }
    if (t == DT_U64) {
        if (f >= 0x1p64f) {
            return -1;
        }
        return f <= 0 ? 0 : (int64_t)(uint64_t)f;
    }
    int64_t lo, hi;
    bool full;
    scalar_range(t, &lo, &hi, &full);
    /* (float)hi may be hi + 1; in both cases everything from there on saturates. */
    if (f >= (float)hi) {
        return hi;
    }
    return f <= (float)lo ? lo : (int64_t)f;
}

/* Converts to a float type. With 16 bits all results are finite: numbers beyond them
 * become the largest one, NaN becomes 0. */
static int64_t
narrowed(Dtype t, float f)
{
    if (t != DT_F16 && t != DT_BF16) {
        return from_float(t, f);
    }
    int64_t most = t == DT_F16 ? HALF_MAX : BFLOAT_MAX;
    int64_t bits = f == f ? from_float(t, f) : 0;
    return (bits & 0x7fff) > most ? (bits & 0x8000) | most : bits;
}

static int64_t
eval_cast(Dtype t, Dtype from, int64_t a)
{
    if (dtype_is_float(from)) {
        float f = to_float(from, a);
        if (t == DT_BOOL) {
            return f != 0;
        }
        return dtype_is_float(t) ? narrowed(t, f) : float_to_int(t, f);
    }
    if (dtype_is_float(t)) {
        return narrowed(t, from == DT_U64 ? (float)(uint64_t)a : (float)a);
    }
    return scalar_wrap(t, a);
}

static bool
eval_float(ScalarOp op, Dtype t, int64_t a, int64_t b, int64_t *out)
{
    float x = to_float(t, a);
    float y = to_float(t, b);
    switch (op) {
    case SOP_ADD:
        *out = from_float(t, x + y);
        return true;
    case SOP_SUB:
        *out = from_float(t, x - y);
        return true;
    case SOP_MUL:
        *out = from_float(t, x * y);
        return true;
    case SOP_DIV:
        *out = from_float(t, x / y);
        return true;
    case SOP_REM:
        *out = from_float(t, fmodf(x, y));
        return true;
    case SOP_NEG:
        *out = from_float(t, -x);
        return true;
    case SOP_SQRT:
        *out = from_float(t, sqrtf(fabsf(x)));
        return true;
    case SOP_EQ:
        *out = x == y;
        return true;
    case SOP_NE:
        *out = x != y;
        return true;
    case SOP_LT:
        *out = x < y;
        return true;
    case SOP_LE:
        *out = x <= y;
        return true;
    case SOP_GT:
        *out = x > y;
        return true;
    case SOP_GE:
        *out = x >= y;
        return true;
    default:
        return false; /* bit operations do not exist for float types */
    }
}

static int64_t
eval_shift(ScalarOp op, Dtype t, int64_t a, int64_t b)
{
    int bits = dtype_size(t) * 8;
    bool inside = b >= 0 && b < bits;
    if (op == SOP_SHL) {
        return inside ? (int64_t)((uint64_t)a << b) : 0;
    }
    if (dtype_kind(t) == KIND_SINT) {
        int n = inside ? (int)b : 63;
        return a < 0 ? ~(~a >> n) : a >> n;
    }
    return inside ? (int64_t)((uint64_t)a >> b) : 0;
}

static int64_t
eval_division(ScalarOp op, Dtype t, int64_t a, int64_t b)
{
    if (t == DT_U64) {
        uint64_t x = (uint64_t)a;
        uint64_t y = (uint64_t)b;
        return (int64_t)(op == SOP_DIV ? x / y : x % y);
    }
    if (b == -1) { /* the one quotient that overflows wraps */
        return op == SOP_DIV ? (int64_t)(0 - (uint64_t)a) : 0;
    }
    return op == SOP_DIV ? a / b : a % b;
}

static bool
less(Dtype t, int64_t a, int64_t b)
{
    return t == DT_U64 ? (uint64_t)a < (uint64_t)b : a < b;
}

static bool
eval_int(ScalarOp op, Dtype t, int64_t a, int64_t b, int64_t *out)
{
    uint64_t x = (uint64_t)a;
    uint64_t y = (uint64_t)b;
    int64_t r = 0;
    switch (op) {
    case SOP_ADD:
        r = (int64_t)(x + y);
        break;
    case SOP_SUB:
        r = (int64_t)(x - y);
        break;
    case SOP_MUL:
        r = (int64_t)(x * y);
        break;
    case SOP_DIV:
    case SOP_REM:
        if (b == 0) {
            return false;
        }
        r = eval_division(op, t, a, b);
        break;
    case SOP_SHL:
    case SOP_SHR:
        r = eval_shift(op, t, a, b);
        break;
    case SOP_AND:
        r = a & b;
        break;
    case SOP_OR:
        r = a | b;
        break;
    case SOP_XOR:
        r = a ^ b;
        break;
    case SOP_NOT:
        r = t == DT_BOOL ? !a : ~a;
        break;
    case SOP_NEG:
        r = (int64_t)(0 - x);
        break;
    case SOP_SQRT:
        r = (int64_t)num_isqrt(t != DT_U64 && a < 0 ? 0 - x : x);
        break;
    case SOP_EQ:
        *out = a == b;
        return true;
    case SOP_NE:
        *out = a != b;
        return true;
    case SOP_LT:
        *out = less(t, a, b);
        return true;
    case SOP_LE:
        *out = !less(t, b, a);
        return true;
    case SOP_GT:
        *out = less(t, b, a);
        return true;
    case SOP_GE:
        *out = !less(t, a, b);
        return true;
    case SOP_CAST:
    case SOP_BITS:
    case SOP_COUNT:
        return false;
    }
    *out = scalar_wrap(t, r);
    return true;
}

bool
scalar_eval(ScalarOp op, Dtype t, Dtype from, int64_t a, int64_t b, int64_t *out)
{
    if (op == SOP_CAST) {
        *out = t == from ? a : eval_cast(t, from, a);
        return true;
    }
    if (op == SOP_BITS) {
        *out = scalar_wrap(t, a);
        return true;
    }
    if (dtype_is_float(t)) {
        return eval_float(op, t, a, b, out);
    }
    return eval_int(op, t, a, b, out);
}
