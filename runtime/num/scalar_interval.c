/* scalar_interval.c: see scalar_interval.h. When in doubt, a function gives the set of
 * the type. Wrapping keeps a value modulo each power of two up to its width, so
 * congruences survive it as far as they are powers of two. */

/* ASSUMES divisor: the divisor is not 0. */
#include "num/scalar_interval.h"

/* ---- wrapping ------------------------------------------------------------ */

static Interval
unknown(Dtype t, bool *exact)
{
    *exact = false;
    return interval_of_type(t);
}

/* The type's values that have the same congruence, as far as it survives wrapping. */
static Interval
residues(Dtype t, int64_t m, int64_t v)
{
    int bits = 8 * dtype_size(t);
    int64_t two = bits >= 63 ? (int64_t)1 << 62 : (int64_t)1 << bits;
    Interval top = interval_of_type(t);
    return interval_stepped(top.lo, top.hi, gcd(two, m), v);
}

/* Results in 64 bits, brought into type t; valid: their ends are known. A uint64 keeps
 * its bits, whatever number they are. */
LEAN_APART static Interval
fit(Dtype t, const Interval *r, bool valid, bool *exact)
{
    if (valid && interval_inside(*r, interval_of_type(t))) {
        *exact = *exact && (t != DT_U64 || r->lo >= 0);
        return *r;
    }
    *exact = false;
    return valid && interval_is_const(*r) ? interval_const(scalar_wrap(t, r->lo))
                                          : residues(t, r->mod, r->rem);
}

Interval
scalar_interval_stepped(Dtype t, Interval a, int64_t step)
{
    int64_t size = step == INT64_MIN ? 0 : step < 0 ? -step : step;
    return residues(t, gcd(size, a.mod), a.rem);
}

bool
scalar_interval_exact(ScalarOp op, const ScalarIntervals *in, Interval *out)
{
    static const Interval zero = {0, 0, 0, 0};
    if (dtype_is_float(in->type) || in->type == DT_BOOL) {
        return false;
    }
    switch (op) {
    case SOP_ADD:
        return interval_sum(&in->a, &in->b, out);
    case SOP_SUB:
        return interval_difference(&in->a, &in->b, out);
    case SOP_MUL:
        return interval_product(&in->a, &in->b, out);
    case SOP_NEG:
        return interval_difference(&zero, &in->a, out);
    default:
        return false;
    }
}

static int64_t
least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t
most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- division and shifts ------------------------------------------------- */

static bool
plain(Dtype t, const Interval *a)
{
    return t != DT_U64 || a->lo >= 0;
}

/* Toward zero; the divisor is positive. */
LEAN_APART static Interval
divide(const ScalarIntervals *in, bool *exact)
{
    const Interval *a = &in->a, *b = &in->b;
    if (!plain(in->type, a) || b->lo <= 0) {
        return unknown(in->type, exact);
    }
    Interval r = interval_between(least(a->lo / b->lo, a->lo / b->hi),
                                  most(a->hi / b->lo, a->hi / b->hi));
    if (interval_is_const(*b) && a->mod > 0 && a->mod % b->lo == 0 &&
        a->rem % b->lo == 0) {
        r = interval_stepped(r.lo, r.hi, a->mod / b->lo, a->rem / b->lo);
    }
    return r;
}

LEAN_APART static Interval
remainder_of(const ScalarIntervals *in, bool *exact)
{
    const Interval *a = &in->a, *b = &in->b;
    if (!plain(in->type, a) || b->lo <= 0) {
        return unknown(in->type, exact);
    }
    if (a->lo >= 0 && a->hi < b->lo) {
        return *a;
    }
    Interval r = interval_between(a->lo >= 0 ? 0 : most(a->lo, 1 - b->hi),
                                  a->hi <= 0 ? 0 : least(a->hi, b->hi - 1));
    if (interval_is_const(*b)) {
        int64_t m = gcd(b->lo, a->mod);
        if (m == b->lo && (a->lo >= 0 || mod_floor(a->rem, m) == 0)) {
            return interval_const(mod_floor(a->rem, m));
        }
        r = interval_stepped(r.lo, r.hi, m, a->rem);
    }
    return r;
}

LEAN_APART static Interval
shift_left(const ScalarIntervals *in, bool *exact)
{
    const Interval *a = &in->a, *b = &in->b;
    int bits = 8 * dtype_size(in->type);
    if (!interval_is_const(*b) || b->lo < 0 || b->lo > 62) {
        return unknown(in->type, exact);
    }
    if (b->lo >= bits) {
        *exact = false;
        return interval_const(0);
    }
    Interval r;
    Interval power = interval_const((int64_t)1 << b->lo);
    bool valid = interval_product(a, &power, &r);
    return fit(in->type, &r, valid, exact);
}

LEAN_APART static Interval
shift_right(const ScalarIntervals *in, bool *exact)
{
    const Interval *a = &in->a, *b = &in->b;
    int bits = 8 * dtype_size(in->type);
    if (!interval_is_const(*b) || b->lo < 0 || b->lo >= bits || !plain(in->type, a)) {
        return unknown(in->type, exact);
    }
    int k = (int)b->lo;
    Interval r = interval_between(a->lo >> k, a->hi >> k);
    if (a->mod > 0 && k < 62 && a->mod % ((int64_t)1 << k) == 0) {
        r = interval_stepped(r.lo, r.hi, a->mod >> k, a->rem >> k);
    }
    return r;
}

/* ---- bits ---------------------------------------------------------------- */

/* The smallest 2^k - 1 that is not below v >= 0. */
static int64_t
all_ones(int64_t v)
{
    return v == 0 ? 0 : (int64_t)(UINT64_MAX >> __builtin_clzll((uint64_t)v));
}

LEAN_APART static Interval
and_const(Dtype t, const Interval *a, int64_t c)
{
    if (c == 0) {
        return interval_const(0);
    }
    if (c > 0) {
        bool low = (c & (int64_t)((uint64_t)c + 1)) == 0; /* c = 2^k - 1 */
        if (low && a->lo >= 0 && a->hi <= c) {
            return *a;
        }
        Interval r = interval_between(0, a->lo >= 0 ? least(a->hi, c) : c);
        if (low && c < ((int64_t)1 << 61)) {
            int64_t m = gcd(c + 1, a->mod);
            return m == c + 1 ? interval_const(mod_floor(a->rem, m))
                              : interval_stepped(r.lo, r.hi, m, a->rem);
        }
        return interval_stepped(r.lo, r.hi, c & -c, 0);
    }
    if (c != INT64_MIN && ((-c) & (-c - 1)) == 0) { /* c = -2^k: down to a multiple */
        return interval_stepped(a->lo & c, a->hi & c, -c, 0);
    }
    return interval_of_type(t);
}

LEAN_APART static Interval
bitwise(ScalarOp op, const ScalarIntervals *in)
{
    const Interval *a = &in->a, *b = &in->b;
    if (interval_is_const(*a) && interval_is_const(*b)) {
        return interval_const(op == SOP_AND  ? a->lo & b->lo
                              : op == SOP_OR ? a->lo | b->lo
                                             : a->lo ^ b->lo);
    }
    if (op == SOP_AND && (interval_is_const(*a) || interval_is_const(*b))) {
        return interval_is_const(*b) ? and_const(in->type, a, b->lo)
                                     : and_const(in->type, b, a->lo);
    }
    if (a->lo < 0 || b->lo < 0) {
        return interval_of_type(in->type);
    }
    if (op == SOP_AND) {
        return interval_between(0, least(a->hi, b->hi));
    }
    return interval_between(op == SOP_OR ? most(a->lo, b->lo) : 0,
                            all_ones(most(a->hi, b->hi)));
}

/* ---- comparisons --------------------------------------------------------- */

static bool
never_equal(const Interval *a, const Interval *b)
{
    Interval r;
    return !interval_meet(*a, *b, &r);
}

/* 1: holds for all values, 0: for none, -1: unknown. */
static int
decide(ScalarOp op, const Interval *a, const Interval *b)
{
    switch (op) {
    case SOP_EQ:
        return interval_is_const(*a) && interval_is_const(*b) && a->lo == b->lo ? 1
               : never_equal(a, b)                                              ? 0
                                                                                : -1;
    case SOP_NE:
        return interval_is_const(*a) && interval_is_const(*b) && a->lo == b->lo ? 0
               : never_equal(a, b)                                              ? 1
                                                                                : -1;
    case SOP_LT:
        return a->hi < b->lo ? 1 : a->lo >= b->hi ? 0 : -1;
    case SOP_LE:
        return a->hi <= b->lo ? 1 : a->lo > b->hi ? 0 : -1;
    case SOP_GT:
        return a->lo > b->hi ? 1 : a->hi <= b->lo ? 0 : -1;
    case SOP_GE:
        return a->lo >= b->hi ? 1 : a->hi < b->lo ? 0 : -1;
    default:
        return -1;
    }
}

LEAN_APART static Interval
compare(ScalarOp op, Dtype t, const Interval *a, const Interval *b)
{
    bool ordered = dtype_kind(t) != KIND_FLOAT && plain(t, a) && plain(t, b);
    int d = ordered ? decide(op, a, b) : -1;
    return d < 0 ? interval_between(0, 1) : interval_const(d);
}

/* ---- operations ---------------------------------------------------------- */

LEAN_APART static Interval
cast(const ScalarIntervals *in, bool *exact)
{
    static const Interval zero = {0, 0, 0, 0};
    Dtype t = in->type, from = in->from;
    if (dtype_is_float(from) || dtype_is_float(t)) {
        return unknown(t, exact);
    }
    if (t == DT_BOOL) {
        *exact = false; /* whether it is 0, not the number */
        return interval_is_const(in->a) ? interval_const(in->a.lo != 0)
                                        : compare(SOP_NE, DT_S64, &in->a, &zero);
    }
    if (from == DT_U64 && in->a.lo < 0) { /* the bits stay, the number does not */
        *exact = false;
        return t == DT_S64 || t == DT_U64 ? in->a : fit(t, &in->a, false, exact);
    }
    return fit(t, &in->a, true, exact);
}

static Interval
invert(Dtype t, const Interval *a, bool *exact)
{
    if (t == DT_BOOL) {
        return interval_stepped(1 - a->hi, 1 - a->lo, a->mod, 1 - a->rem);
    }
    return dtype_kind(t) == KIND_SINT ? interval_stepped(~a->hi, ~a->lo, a->mod, ~a->rem)
                                      : unknown(t, exact);
}

/* Sums, products and negations. */
LEAN_APART static Interval
arithmetic(ScalarOp op, const ScalarIntervals *in, bool *exact)
{
    Interval r;
    bool valid = scalar_interval_exact(op, in, &r);
    return fit(in->type, &r, valid, exact);
}

static Interval
of_integers(ScalarOp op, const ScalarIntervals *in, bool *exact)
{
    bool logic = op == SOP_AND || op == SOP_OR || op == SOP_XOR || op == SOP_NOT;
    if (in->type == DT_BOOL && !logic) {
        return unknown(in->type, exact);
    }
    switch (op) {
    case SOP_ADD:
    case SOP_SUB:
    case SOP_MUL:
    case SOP_NEG:
        return arithmetic(op, in, exact);
    case SOP_DIV:
        return divide(in, exact);
    case SOP_REM:
        return remainder_of(in, exact);
    case SOP_SHL:
        return shift_left(in, exact);
    case SOP_SHR:
        return shift_right(in, exact);
    case SOP_AND:
    case SOP_OR:
    case SOP_XOR:
        return bitwise(op, in);
    case SOP_NOT:
        return invert(in->type, &in->a, exact);
    default:
        return unknown(in->type, exact);
    }
}

Interval
scalar_interval(ScalarOp op, const ScalarIntervals *in, bool *exact)
{
    bool ignored;
    exact = exact != NULL ? exact : &ignored;
    *exact = true;
    if (scalar_is_compare(op)) {
        return compare(op, in->type, &in->a, &in->b);
    }
    if (op == SOP_CAST) {
        return cast(in, exact);
    }
    if (dtype_is_float(in->type) || (op == SOP_BITS && dtype_is_float(in->from))) {
        return op == SOP_BITS && in->type == in->from ? in->a : unknown(in->type, exact);
    }
    return op == SOP_BITS ? fit(in->type, &in->a, true, exact)
                          : of_integers(op, in, exact);
}

Dtype
scalar_interval_type(ScalarOp op, Dtype type)
{
    return scalar_is_compare(op) ? DT_BOOL : type;
}

static bool
operands_fit(ScalarOp op, const ScalarIntervals *in)
{
    bool other = op == SOP_CAST || op == SOP_BITS;
    Interval want = interval_of_type(other ? in->from : in->type);
    return interval_inside(in->a, want) &&
           (scalar_op_table[op].arity == 1 || interval_inside(in->b, want));
}

Interval
scalar_interval_untyped(ScalarOp op, const ScalarIntervals *in, bool *exact)
{
    bool ignored;
    exact = exact != NULL ? exact : &ignored;
    return operands_fit(op, in) ? scalar_interval(op, in, exact)
                                : unknown(scalar_interval_type(op, in->type), exact);
}
