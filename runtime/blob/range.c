/* range.c: intervals with a step, see range.h. Every result contains every value that
 * scalar_eval can give for operands in the sets; what cannot be bounded is the range of
 * the type. Integer arithmetic that may leave its type may wrap, so it gives up to the
 * type's range too. */
#include "blob/range.h"

static uint64_t
gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t t = a % b;
        a = b;
        b = t;
    }
    return a;
}

static BlobRange
make(int64_t lo, int64_t hi, uint64_t step)
{
    return (BlobRange){lo, hi, lo == hi ? 0 : step == 0 ? 1 : step};
}

BlobRange
blob_range_between(int64_t lo, int64_t hi)
{
    return make(lo, hi, 1);
}

BlobRange
blob_range_of_type(Dtype t)
{
    int bits = dtype_size(t) * 8;
    if (t == DT_BOOL) {
        return blob_range_between(0, 1);
    }
    if (bits == 64 || bits == 0) {
        return blob_range_between(INT64_MIN, INT64_MAX);
    }
    if (dtype_kind(t) == KIND_SINT) {
        return blob_range_between(-((int64_t)1 << (bits - 1)),
                                  ((int64_t)1 << (bits - 1)) - 1);
    }
    return blob_range_between(0, ((int64_t)1 << bits) - 1);
}

static bool
inside(BlobRange a, BlobRange outer)
{
    return a.lo >= outer.lo && a.hi <= outer.hi;
}

/* Distance of two values, which may exceed int64. */
static uint64_t
distance(int64_t a, int64_t b)
{
    return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

BlobRange
blob_range_join(BlobRange a, BlobRange b)
{
    uint64_t step = gcd(gcd(a.step, b.step), distance(a.lo, b.lo));
    return make(a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi, step);
}

bool
blob_range_add(BlobRange a, BlobRange b, BlobRange *out)
{
    int64_t lo, hi;
    if (__builtin_add_overflow(a.lo, b.lo, &lo) ||
        __builtin_add_overflow(a.hi, b.hi, &hi)) {
        return false;
    }
    *out = make(lo, hi, gcd(a.step, b.step));
    return true;
}

static uint64_t
magnitude(int64_t v)
{
    return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

/* Step of a product: values are (la + i*sa)*(lb + j*sb). 1 when a factor leaves 64
 * bits. */
static uint64_t
product_step(BlobRange a, BlobRange b)
{
    uint64_t x, y, z;
    if (__builtin_mul_overflow(magnitude(a.lo), b.step, &x) ||
        __builtin_mul_overflow(magnitude(b.lo), a.step, &y) ||
        __builtin_mul_overflow(a.step, b.step, &z)) {
        return 1;
    }
    return gcd(gcd(x, y), z);
}

bool
blob_range_mul(BlobRange a, BlobRange b, BlobRange *out)
{
    int64_t corner[4];
    if (__builtin_mul_overflow(a.lo, b.lo, &corner[0]) ||
        __builtin_mul_overflow(a.lo, b.hi, &corner[1]) ||
        __builtin_mul_overflow(a.hi, b.lo, &corner[2]) ||
        __builtin_mul_overflow(a.hi, b.hi, &corner[3])) {
        return false;
    }
    int64_t lo = corner[0];
    int64_t hi = corner[0];
    for (int i = 1; i < 4; i++) {
        lo = corner[i] < lo ? corner[i] : lo;
        hi = corner[i] > hi ? corner[i] : hi;
    }
    *out = make(lo, hi, product_step(a, b));
    return true;
}

/* ---- operations ---------------------------------------------------------- */

static bool
negate(BlobRange a, BlobRange *out)
{
    if (a.lo == INT64_MIN) {
        return false;
    }
    *out = make(-a.hi, -a.lo, a.step);
    return true;
}

bool
blob_range_exact(ScalarOp op, const RangeArgs *in, BlobRange *out)
{
    BlobRange b;
    if (dtype_is_float(in->type) || in->type == DT_BOOL) {
        return false;
    }
    switch (op) {
    case SOP_ADD:
        return blob_range_add(in->a, in->b, out);
    case SOP_SUB:
        return negate(in->b, &b) && blob_range_add(in->a, b, out);
    case SOP_MUL:
        return blob_range_mul(in->a, in->b, out);
    case SOP_NEG:
        return negate(in->a, out);
    default:
        return false;
    }
}

/* Division by a positive constant. Truncation is monotone. */
static BlobRange
divide(BlobRange a, int64_t c)
{
    uint64_t u = (uint64_t)c;
    bool even = a.lo % c == 0 && a.step % u == 0;
    return make(a.lo / c, a.hi / c, even ? a.step / u : 1);
}

/* Remainder by a positive constant; it keeps the residue modulo the gcd of step and
 * divisor. */
static BlobRange
remainder_of(BlobRange a, int64_t c)
{
    int64_t g = (int64_t)gcd(a.step, (uint64_t)c);
    if (a.lo >= 0 && a.hi < c) {
        return a;
    }
    if (a.lo < 0) {
        return a.hi <= 0 ? blob_range_between(-(c - 1), 0)
                         : blob_range_between(-(c - 1), c - 1);
    }
    int64_t first = a.lo % g;
    return make(first, c - g + first, (uint64_t)g);
}

static BlobRange
bits_and(BlobRange a, int64_t c, BlobRange whole)
{
    if (c < 0) {
        return whole;
    }
    if (((uint64_t)c & ((uint64_t)c + 1)) == 0 && c < INT64_MAX && a.lo >= 0) {
        return remainder_of(a, c + 1);
    }
    return make(0, c, c == 0 ? 0 : (uint64_t)c & (0 - (uint64_t)c));
}

/* Bits that the larger of two non-negative values can have. */
static BlobRange
bits_or(BlobRange a, BlobRange b, BlobRange whole)
{
    if (a.lo < 0 || b.lo < 0) {
        return whole;
    }
    uint64_t m = (uint64_t)(a.hi | b.hi);
    for (int s = 1; s < 64; s *= 2) {
        m |= m >> s;
    }
    return make(0, (int64_t)m, 1);
}

static BlobRange
shift(ScalarOp op, const RangeArgs *in, BlobRange whole)
{
    int64_t n = in->b.lo;
    BlobRange out;
    if (!blob_range_is_value(&in->b) || n < 0 || n >= dtype_size(in->type) * 8 ||
        n > 62) {
        return whole;
    }
    int64_t c = (int64_t)1 << n;
    if (op == SOP_SHL) {
        return blob_range_mul(in->a, blob_range_value(c), &out) && inside(out, whole)
                   ? out
                   : whole;
    }
    return in->a.lo >= 0 ? divide(in->a, c) : whole;
}

static BlobRange
with_constant(ScalarOp op, const RangeArgs *in, BlobRange whole)
{
    bool signs_ok = in->type != DT_U64 || in->a.lo >= 0;
    int64_t c = in->b.lo;
    if (op == SOP_AND && blob_range_is_value(&in->a)) {
        return bits_and(in->b, in->a.lo, whole);
    }
    if (!blob_range_is_value(&in->b) || !signs_ok) {
        return whole;
    }
    if (op == SOP_AND) {
        return bits_and(in->a, c, whole);
    }
    if (c <= 0) {
        return whole;
    }
    return op == SOP_DIV ? divide(in->a, c) : remainder_of(in->a, c);
}

static BlobRange
convert(const RangeArgs *in, BlobRange whole)
{
    bool ints = !dtype_is_float(in->type) && !dtype_is_float(in->from);
    bool sign_kept = in->from != DT_U64 && in->type != DT_U64;
    if (in->type == DT_BOOL || !ints || !inside(in->a, whole)) {
        return whole;
    }
    return sign_kept || in->a.lo >= 0 ? in->a : whole;
}

/* Whether the operands are values of the operation's type. Registers have no type, so a
 * hostile program can bring others; scalar_eval still gives a value of the result's
 * type. */
static bool
operands_fit(ScalarOp op, const RangeArgs *in)
{
    bool other = op == SOP_CAST || op == SOP_BITS;
    BlobRange want = blob_range_of_type(other ? in->from : in->type);
    return inside(in->a, want) && (scalar_op_table[op].arity == 1 || inside(in->b, want));
}

BlobRange
blob_range_alu(ScalarOp op, const RangeArgs *in)
{
    BlobRange whole = blob_range_of_type(scalar_is_compare(op) ? DT_BOOL : in->type);
    BlobRange out;
    bool integer = !dtype_is_float(in->type) && in->type != DT_BOOL;
    if (!operands_fit(op, in)) {
        return whole;
    }
    switch (op) {
    case SOP_ADD:
    case SOP_SUB:
    case SOP_MUL:
    case SOP_NEG:
        return blob_range_exact(op, in, &out) && inside(out, whole) ? out : whole;
    case SOP_DIV:
    case SOP_REM:
    case SOP_AND:
        return integer ? with_constant(op, in, whole) : whole;
    case SOP_SHL:
    case SOP_SHR:
        return integer ? shift(op, in, whole) : whole;
    case SOP_OR:
    case SOP_XOR:
        return integer ? bits_or(in->a, in->b, whole) : whole;
    case SOP_CAST:
        return convert(in, whole);
    case SOP_BITS:
        return in->type == in->from ? in->a : whole;
    case SOP_NOT:
    case SOP_SQRT:
    case SOP_EQ:
    case SOP_NE:
    case SOP_LT:
    case SOP_LE:
    case SOP_GT:
    case SOP_GE:
    case SOP_COUNT:
        break;
    }
    return whole;
}
