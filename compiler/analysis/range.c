/* range.c: arithmetic of intervals and congruences; see range.h. Everything is an
 * over-approximation: when in doubt, a function gives the range of the type. Wrapping
 * keeps a value modulo each power of two up to its width, so congruences survive it as
 * far as they are powers of two. */

/* ASSUMES divisor: the divisor is not 0. */
#include "analysis/range.h"

/* ---- helpers ------------------------------------------------------------- */

int64_t
range_add_sat(int64_t a, int64_t b)
{
    int64_t r;
    return checked_add(a, b, &r) ? r : b < 0 ? INT64_MIN : INT64_MAX;
}

int64_t
range_mul_sat(int64_t a, int64_t b)
{
    int64_t r;
    return checked_mul(a, b, &r) ? r : (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
}

int64_t
range_div_floor(int64_t a, int64_t b)
{
    if (b == -1) {
        return a == INT64_MIN ? INT64_MAX : -a;
    }
    return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

int64_t
range_div_ceil(int64_t a, int64_t b)
{
    if (b == -1) {
        return a == INT64_MIN ? INT64_MAX : -a;
    }
    return a / b + (a % b != 0 && (a % b < 0) == (b < 0));
}

static int64_t
gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t t = a % b;
        a = b;
        b = t;
    }
    return a;
}

static int64_t
mod_floor(int64_t v, int64_t m)
{
    int64_t r = v % m;
    return r < 0 ? r + m : r;
}

/* Sets the congruence; m 0 or negative: unknown. */
static Range
with_mod(Range r, int64_t m, int64_t v)
{
    if (r.lo == r.hi) {
        r.mod = 0;
        r.rem = r.lo;
    } else if (m <= 0) {
        r.mod = 1;
        r.rem = 0;
    } else {
        r.mod = m;
        r.rem = mod_floor(v, m);
    }
    return r;
}

/* Moves the ends inwards to values of the congruence. False: there is none. */
static bool
tighten(Range *r)
{
    if (r->lo == r->hi && r->mod > 0 && mod_floor(r->lo, r->mod) != r->rem) {
        return false;
    }
    if (r->lo < r->hi && r->mod > 1) {
        int64_t lo, hi;
        if (!checked_add(r->lo, mod_floor(r->rem - mod_floor(r->lo, r->mod), r->mod),
                         &lo) ||
            !checked_sub(r->hi, mod_floor(mod_floor(r->hi, r->mod) - r->rem, r->mod),
                         &hi)) {
            return true;
        }
        if (lo > hi) {
            return false;
        }
        r->lo = lo;
        r->hi = hi;
    }
    if (r->lo == r->hi) {
        r->mod = 0;
        r->rem = r->lo;
    }
    return true;
}

/* ---- lattice ------------------------------------------------------------- */

Range
range_const(int64_t v)
{
    return (Range){v, v, 0, v};
}

Range
range_interval(int64_t lo, int64_t hi)
{
    return lo == hi ? range_const(lo) : (Range){lo, hi, 1, 0};
}

Range
range_top(Dtype t)
{
    int bits = 8 * dtype_size(t);
    if (t == DT_BOOL) {
        return range_interval(0, 1);
    }
    if (bits == 64) {
        return range_interval(INT64_MIN, INT64_MAX);
    }
    if (dtype_kind(t) == KIND_SINT) {
        return range_interval(-((int64_t)1 << (bits - 1)),
                              ((int64_t)1 << (bits - 1)) - 1);
    }
    return range_interval(0, ((int64_t)1 << bits) - 1);
}

bool
range_is_const(Range r)
{
    return r.lo == r.hi;
}

bool
range_is_multiple(Range r, int64_t m)
{
    return r.mod == 0 ? r.lo % m == 0 : r.mod % m == 0 && r.rem % m == 0;
}

/* The coarsest congruence that holds for values of both: modulus of both and of their
 * difference. */
static int64_t
common_mod(Range a, Range b)
{
    uint64_t d = a.rem > b.rem ? (uint64_t)a.rem - (uint64_t)b.rem
                               : (uint64_t)b.rem - (uint64_t)a.rem;
    return d > INT64_MAX ? 1 : gcd(gcd(a.mod, b.mod), (int64_t)d);
}

Range
range_join(Range a, Range b)
{
    Range r = {MIN(a.lo, b.lo), MAX(a.hi, b.hi), 1, 0};
    return with_mod(r, common_mod(a, b), a.rem);
}

bool
range_meet(Range a, Range b, Range *out)
{
    Range r = {MAX(a.lo, b.lo), MIN(a.hi, b.hi), 1, 0};
    *out = a;
    if (r.lo > r.hi) {
        return false;
    }
    if (a.mod == 0 || b.mod == 0) {
        Range c = a.mod == 0 ? a : b;
        Range o = a.mod == 0 ? b : a;
        if (o.mod > 0 && mod_floor(c.lo, o.mod) != o.rem) {
            return false;
        }
        *out = c;
        return true;
    }
    int64_t g = gcd(a.mod, b.mod);
    if (a.rem % g != b.rem % g) {
        return false;
    }
    Range finer = a.mod >= b.mod ? a : b;
    r.mod = finer.mod;
    r.rem = finer.rem;
    if (!tighten(&r)) {
        return false;
    }
    *out = r;
    return true;
}

/* ---- wrapping ------------------------------------------------------------ */

/* The range of a type in which no wrapping has taken place. */
static Range
plain_range(Dtype t)
{
    return t == DT_U64 ? range_interval(0, INT64_MAX) : range_top(t);
}

/* Values computed exactly in int64 (valid), brought into type t. Else only the congruence
 * (m, v) is known, modulo a power of two. */
static Range
fit(Dtype t, Range r, bool valid, bool *exact)
{
    Range p = plain_range(t);
    if (valid && r.lo >= p.lo && r.hi <= p.hi) {
        return r;
    }
    if (exact) {
        *exact = false;
    }
    if (valid && range_is_const(r)) {
        return range_const(scalar_wrap(t, r.lo));
    }
    int bits = 8 * dtype_size(t);
    int64_t two = bits >= 63 ? (int64_t)1 << 62 : (int64_t)1 << bits;
    return with_mod(range_top(t), gcd(two, r.mod ? r.mod : two), r.rem);
}

Range
range_stepped(Dtype t, Range a, int64_t step)
{
    int bits = 8 * dtype_size(t);
    int64_t two = bits >= 63 ? (int64_t)1 << 62 : (int64_t)1 << bits;
    int64_t size = step == INT64_MIN ? two : step < 0 ? -step : step;
    return with_mod(range_top(t), gcd(gcd(two, size), a.mod), a.rem);
}

static Range
unknown(Dtype t, bool *exact)
{
    if (exact) {
        *exact = false;
    }
    return range_top(t);
}

/* ---- sums and products --------------------------------------------------- */

static Range
add(Dtype t, Range a, Range b, bool *exact)
{
    Range r = {0, 0, 1, 0};
    bool valid = checked_add(a.lo, b.lo, &r.lo);
    valid = checked_add(a.hi, b.hi, &r.hi) && valid;
    int64_t m = gcd(a.mod, b.mod);
    if (m > 0) {
        r.rem = mod_floor(mod_floor(a.rem, m) - m + mod_floor(b.rem, m), m);
        r.mod = m;
    } else {
        r.rem = (int64_t)((uint64_t)a.rem + (uint64_t)b.rem);
        r.mod = 0;
    }
    return fit(t, r, valid, exact);
}

static Range
negate(Range a, bool *valid)
{
    *valid = a.lo != INT64_MIN;
    Range r = {*valid ? -a.hi : INT64_MIN, *valid ? -a.lo : INT64_MAX, a.mod, 0};
    r.rem = a.mod ? mod_floor(-a.rem, a.mod) : (int64_t)(0 - (uint64_t)a.rem);
    return r;
}

static Range
sub(Dtype t, Range a, Range b, bool *exact)
{
    bool valid;
    Range n = negate(b, &valid);
    if (valid) {
        return add(t, a, n, exact);
    }
    return unknown(t, exact);
}

static int64_t
min4(const int64_t v[4])
{
    return MIN(MIN(v[0], v[1]), MIN(v[2], v[3]));
}

static int64_t
max4(const int64_t v[4])
{
    return MAX(MAX(v[0], v[1]), MAX(v[2], v[3]));
}

/* (m q + r) (n p + s) = r s modulo gcd(m n, m s, n r). */
static int64_t
product_mod(Range a, Range b, int64_t *rem)
{
    int64_t mn, ms, nr;
    if (!checked_mul(a.mod, b.mod, &mn) || !checked_mul(a.mod, b.rem, &ms) ||
        !checked_mul(b.mod, a.rem, &nr) || !checked_mul(a.rem, b.rem, rem) ||
        ms == INT64_MIN || nr == INT64_MIN) {
        return 1;
    }
    int64_t m = gcd(gcd(mn, ms < 0 ? -ms : ms), nr < 0 ? -nr : nr);
    return m == 0 ? 1 : m;
}

static Range
mul(Dtype t, Range a, Range b, bool *exact)
{
    int64_t v[4];
    bool valid = checked_mul(a.lo, b.lo, &v[0]);
    valid = checked_mul(a.lo, b.hi, &v[1]) && valid;
    valid = checked_mul(a.hi, b.lo, &v[2]) && valid;
    valid = checked_mul(a.hi, b.hi, &v[3]) && valid;
    if (valid && range_is_const(a) && range_is_const(b)) {
        return fit(t, range_const(v[0]), true, exact);
    }
    int64_t rem = 0;
    int64_t m = product_mod(a, b, &rem);
    Range r = {valid ? min4(v) : 0, valid ? max4(v) : 0, m, mod_floor(rem, m)};
    if (valid) {
        r = with_mod(r, m, rem);
    }
    return fit(t, r, valid, exact);
}

/* ---- division and shifts ------------------------------------------------- */

static bool
plain(Dtype t, Range a)
{
    return t != DT_U64 || a.lo >= 0;
}

/* Toward zero; the divisor is positive. */
static Range
divide(Dtype t, Range a, Range b, bool *exact)
{
    if (!plain(t, a) || b.lo <= 0) {
        return unknown(t, exact);
    }
    int64_t v[4] = {a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi};
    Range r = range_interval(min4(v), max4(v));
    if (range_is_const(b) && a.mod > 0 && a.mod % b.lo == 0 && a.rem % b.lo == 0) {
        r = with_mod(r, a.mod / b.lo, a.rem / b.lo);
    }
    return r;
}

static Range
remainder_of(Dtype t, Range a, Range b, bool *exact)
{
    if (!plain(t, a) || b.lo <= 0) {
        return unknown(t, exact);
    }
    if (a.lo >= 0 && a.hi < b.lo) {
        return a;
    }
    Range r = range_interval(a.lo >= 0 ? 0 : MAX(a.lo, 1 - b.hi),
                             a.hi <= 0 ? 0 : MIN(a.hi, b.hi - 1));
    if (range_is_const(b)) {
        int64_t m = gcd(b.lo, a.mod);
        if (m == b.lo && (a.lo >= 0 || mod_floor(a.rem, m) == 0)) {
            return range_const(mod_floor(a.rem, m));
        }
        r = with_mod(r, m, a.rem);
    }
    return r;
}

static Range
shift_left(Dtype t, Range a, Range b, bool *exact)
{
    int bits = 8 * dtype_size(t);
    if (!range_is_const(b) || b.lo < 0 || b.lo > 62) {
        return unknown(t, exact);
    }
    if (b.lo >= bits) {
        if (exact) {
            *exact = false;
        }
        return range_const(0);
    }
    return mul(t, a, range_const((int64_t)1 << b.lo), exact);
}

static Range
shift_right(Dtype t, Range a, Range b, bool *exact)
{
    int bits = 8 * dtype_size(t);
    if (!range_is_const(b) || b.lo < 0 || b.lo >= bits || !plain(t, a)) {
        return unknown(t, exact);
    }
    int k = (int)b.lo;
    Range r = range_interval(a.lo >> k, a.hi >> k);
    if (a.mod > 0 && k < 62 && a.mod % ((int64_t)1 << k) == 0) {
        r = with_mod(r, a.mod >> k, a.rem >> k);
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

static Range
and_const(Dtype t, Range a, int64_t c)
{
    if (c == 0) {
        return range_const(0);
    }
    if (c > 0) {
        bool low = (c & (c + 1)) == 0; /* c = 2^k - 1 */
        if (low && a.lo >= 0 && a.hi <= c) {
            return a;
        }
        Range r = range_interval(0, a.lo >= 0 ? MIN(a.hi, c) : c);
        if (low && c < ((int64_t)1 << 61)) {
            int64_t m = gcd(c + 1, a.mod);
            return m == c + 1 ? range_const(mod_floor(a.rem, m)) : with_mod(r, m, a.rem);
        }
        return with_mod(r, c & -c, 0);
    }
    if (c != INT64_MIN && ((-c) & (-c - 1)) == 0) { /* c = -2^k: down to a multiple */
        return with_mod(range_interval(a.lo & c, a.hi & c), -c, 0);
    }
    return range_top(t);
}

static Range
bitwise(ScalarOp op, Dtype t, Range a, Range b)
{
    if (range_is_const(a) && range_is_const(b)) {
        int64_t v = 0;
        return scalar_eval(op, t, t, a.lo, b.lo, &v) ? range_const(v) : range_top(t);
    }
    if (op == SOP_AND && (range_is_const(a) || range_is_const(b))) {
        return range_is_const(b) ? and_const(t, a, b.lo) : and_const(t, b, a.lo);
    }
    if (a.lo < 0 || b.lo < 0) {
        return range_top(t);
    }
    if (op == SOP_AND) {
        return range_interval(0, MIN(a.hi, b.hi));
    }
    return range_interval(op == SOP_OR ? MAX(a.lo, b.lo) : 0, all_ones(MAX(a.hi, b.hi)));
}

/* ---- comparisons --------------------------------------------------------- */

static bool
never_equal(Range a, Range b)
{
    Range r;
    return !range_meet(a, b, &r);
}

/* 1: holds for all values, 0: for none, -1: unknown. */
static int
decide(ScalarOp op, Range a, Range b)
{
    switch (op) {
    case SOP_EQ:
        return range_is_const(a) && range_is_const(b) && a.lo == b.lo ? 1
               : never_equal(a, b)                                    ? 0
                                                                      : -1;
    case SOP_NE:
        return range_is_const(a) && range_is_const(b) && a.lo == b.lo ? 0
               : never_equal(a, b)                                    ? 1
                                                                      : -1;
    case SOP_LT:
        return a.hi < b.lo ? 1 : a.lo >= b.hi ? 0 : -1;
    case SOP_LE:
        return a.hi <= b.lo ? 1 : a.lo > b.hi ? 0 : -1;
    case SOP_GT:
        return a.lo > b.hi ? 1 : a.hi <= b.lo ? 0 : -1;
    case SOP_GE:
        return a.lo >= b.hi ? 1 : a.hi < b.lo ? 0 : -1;
    default:
        return -1;
    }
}

static Range
compare(ScalarOp op, Dtype t, Range a, Range b)
{
    bool ordered = dtype_kind(t) != KIND_FLOAT && plain(t, a) && plain(t, b);
    int d = ordered ? decide(op, a, b) : -1;
    return d < 0 ? range_interval(0, 1) : range_const(d);
}

/* ---- entry points -------------------------------------------------------- */

Range
range_binary(ScalarOp op, Dtype t, Range a, Range b, bool *exact)
{
    if (exact) {
        *exact = true;
    }
    if (scalar_is_compare(op)) {
        return compare(op, t, a, b);
    }
    if (dtype_kind(t) == KIND_FLOAT) {
        return unknown(t, exact);
    }
    switch (op) {
    case SOP_ADD:
        return add(t, a, b, exact);
    case SOP_SUB:
        return sub(t, a, b, exact);
    case SOP_MUL:
        return mul(t, a, b, exact);
    case SOP_DIV:
        return divide(t, a, b, exact);
    case SOP_REM:
        return remainder_of(t, a, b, exact);
    case SOP_SHL:
        return shift_left(t, a, b, exact);
    case SOP_SHR:
        return shift_right(t, a, b, exact);
    case SOP_AND:
    case SOP_OR:
    case SOP_XOR:
        return bitwise(op, t, a, b);
    default:
        return unknown(t, exact);
    }
}

static Range
cast(Dtype t, Dtype from, Range a, bool *exact)
{
    if (dtype_kind(from) == KIND_FLOAT || dtype_kind(t) == KIND_FLOAT) {
        return unknown(t, exact);
    }
    if (t == DT_BOOL) {
        Range zero = range_const(0);
        return range_is_const(a) ? range_const(a.lo != 0)
                                 : compare(SOP_NE, DT_S64, a, zero);
    }
    if (from == DT_U64 && a.lo < 0) { /* the bits stay, the number does not */
        if (exact) {
            *exact = false;
        }
        return t == DT_S64 || t == DT_U64 ? a : fit(t, a, false, exact);
    }
    return fit(t, a, true, exact);
}

Range
range_unary(ScalarOp op, Dtype t, Dtype from, Range a, bool *exact)
{
    bool valid;
    if (exact) {
        *exact = true;
    }
    switch (op) {
    case SOP_NOT:
        if (t == DT_BOOL) {
            return (Range){1 - a.hi, 1 - a.lo, a.mod,
                           a.mod ? mod_floor(1 - a.rem, a.mod) : 1 - a.rem};
        }
        if (dtype_kind(t) == KIND_SINT) {
            Range r = {~a.hi, ~a.lo, a.mod, a.mod ? mod_floor(~a.rem, a.mod) : ~a.rem};
            return r;
        }
        return unknown(t, exact);
    case SOP_NEG: {
        Range r = negate(a, &valid);
        return dtype_kind(t) == KIND_FLOAT || !valid ? unknown(t, exact)
                                                     : fit(t, r, true, exact);
    }
    case SOP_CAST:
        return cast(t, from, a, exact);
    case SOP_BITS:
        if (dtype_kind(from) == KIND_FLOAT || dtype_kind(t) == KIND_FLOAT) {
            return unknown(t, exact);
        }
        return fit(t, a, true, exact);
    default:
        return unknown(t, exact);
    }
}
