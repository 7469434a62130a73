/* interval.c: see interval.h. Everything is an over-approximation. */
#include "isa/interval.h"

static Interval
one_of(int64_t lo, int64_t hi)
{
    return (Interval){lo, hi, lo == hi ? 0 : 1, lo == hi ? lo : 0};
}

/* The remainder of a modulo m >= 1. Most moduli are powers of two, and a division is
 * slow. */
static int64_t
remainder_of(int64_t a, int64_t m)
{
    return (m & (m - 1)) == 0 ? a & (m - 1) : mod_floor(a, m);
}

/* Moves the ends inwards to values of the congruence. False: there is none. */
static bool
tighten(Interval *r)
{
    int64_t lo = r->lo, hi = r->hi;
    if (r->mod > 1 &&
        (__builtin_add_overflow(
             lo, remainder_of(r->rem - remainder_of(lo, r->mod), r->mod), &lo) ||
         __builtin_sub_overflow(
             hi, remainder_of(remainder_of(hi, r->mod) - r->rem, r->mod), &hi) ||
         lo > hi)) {
        return false;
    }
    *r = lo == hi ? interval_const(lo) : (Interval){lo, hi, r->mod, r->rem};
    return true;
}

Interval
interval_between(int64_t lo, int64_t hi)
{
    return one_of(lo, hi);
}

Interval
interval_stepped(int64_t lo, int64_t hi, int64_t m, int64_t v)
{
    Interval r = {lo, hi, m, 0};
    if (lo == hi || m <= 0) {
        return one_of(lo, hi);
    }
    r.rem = remainder_of(v, m);
    return tighten(&r) ? r : one_of(lo, hi);
}

Interval
interval_of_type(Dtype t)
{
    int bits = 8 * dtype_size(t);
    if (t == DT_BOOL) {
        return one_of(0, 1);
    }
    if (bits == 64 || bits == 0) {
        return one_of(INT64_MIN, INT64_MAX);
    }
    if (dtype_kind(t) == KIND_SINT) {
        return one_of(-((int64_t)1 << (bits - 1)), ((int64_t)1 << (bits - 1)) - 1);
    }
    return one_of(0, ((int64_t)1 << bits) - 1);
}

bool
interval_inside(Interval a, Interval b)
{
    return a.lo >= b.lo && a.hi <= b.hi;
}

/* ---- lattice ------------------------------------------------------------- */

/* The coarsest congruence that holds for values of both: modulus of both and of their
 * difference. */
static int64_t
common_mod(Interval a, Interval b)
{
    uint64_t d = a.rem > b.rem ? (uint64_t)a.rem - (uint64_t)b.rem
                               : (uint64_t)b.rem - (uint64_t)a.rem;
    return d > INT64_MAX ? 1 : gcd(gcd(a.mod, b.mod), (int64_t)d);
}

Interval
interval_join(Interval a, Interval b)
{
    return interval_stepped(a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi,
                            common_mod(a, b), a.rem);
}

static bool
has(Interval r, int64_t v)
{
    return v >= r.lo && v <= r.hi && (r.mod == 0 || mod_floor(v, r.mod) == r.rem);
}

bool
interval_meet(Interval a, Interval b, Interval *out)
{
    *out = a;
    if (a.mod == 0 || b.mod == 0) {
        Interval c = a.mod == 0 ? a : b;
        if (!has(a.mod == 0 ? b : a, c.lo)) {
            return false;
        }
        *out = c;
        return true;
    }
    int64_t g = gcd(a.mod, b.mod);
    Interval finer = a.mod >= b.mod ? a : b;
    Interval r = {a.lo > b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi, finer.mod,
                  finer.rem};
    if (r.lo > r.hi || a.rem % g != b.rem % g || !tighten(&r)) {
        return false;
    }
    *out = r;
    return true;
}

/* ---- sums and products --------------------------------------------------- */

/* What is left of results whose ends overflow; of one of them that is 64 bits, of which
 * 62 are kept. */
static Interval
wrapped(int64_t m, int64_t v)
{
    return interval_stepped(INT64_MIN, INT64_MAX, m != 0 ? m : (int64_t)1 << 62, v);
}

bool
interval_sum(const Interval *a, const Interval *b, Interval *out)
{
    int64_t lo, hi, m = gcd(a->mod, b->mod);
    int64_t rem = m > 0 ? mod_floor(mod_floor(a->rem, m) - m + mod_floor(b->rem, m), m)
                        : (int64_t)((uint64_t)a->rem + (uint64_t)b->rem);
    if (__builtin_add_overflow(a->lo, b->lo, &lo) ||
        __builtin_add_overflow(a->hi, b->hi, &hi)) {
        *out = wrapped(m, rem);
        return false;
    }
    *out = interval_stepped(lo, hi, m, rem);
    return true;
}

bool
interval_difference(const Interval *a, const Interval *b, Interval *out)
{
    if (b->lo == INT64_MIN) {
        *out = one_of(INT64_MIN, INT64_MAX);
        return false;
    }
    int64_t rem = b->mod != 0 ? mod_floor(-b->rem, b->mod) : -b->lo;
    Interval negative = {-b->hi, -b->lo, b->mod, rem};
    return interval_sum(a, &negative, out);
}

/* (m q + r) (n p + s) = r s modulo gcd(m n, m s, n r). */
LEAN_APART static int64_t
product_mod(const Interval *a, const Interval *b, int64_t *rem)
{
    int64_t mn, ms, nr;
    if (mul_overflow(a->mod, b->mod, &mn) || mul_overflow(a->mod, b->rem, &ms) ||
        mul_overflow(b->mod, a->rem, &nr) || mul_overflow(a->rem, b->rem, rem) ||
        ms == INT64_MIN || nr == INT64_MIN) {
        *rem = 0;
        return 1;
    }
    int64_t m = gcd(gcd(mn, ms < 0 ? -ms : ms), nr < 0 ? -nr : nr);
    return m == 0 ? 1 : m;
}

bool
interval_product(const Interval *a, const Interval *b, Interval *out)
{
    int64_t rem, m = product_mod(a, b, &rem), lo = INT64_MAX, hi = INT64_MIN;
    for (int i = 0; i < 4; i++) {
        int64_t v;
        if (mul_overflow(i & 1 ? a->hi : a->lo, i & 2 ? b->hi : b->lo, &v)) {
            *out = wrapped(m, rem);
            return false;
        }
        lo = v < lo ? v : lo;
        hi = v > hi ? v : hi;
    }
    *out = interval_stepped(lo, hi, m, rem);
    return true;
}
