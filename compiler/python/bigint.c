/* bigint.c: computes with integers beyond int64_t, on GMP. A BigInt's limbs are allocated
 * in the arena; mpz temporaries are cleared before the return. Results that fit become
 * VAL_INT, results above 65536 bits the exception int-too-large. */
#include "python/core.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    MAX_BITS = 65536
};

_Static_assert(sizeof(mp_limb_t) == 8, "limbs have 64 bits");

static void
load_int64(mpz_ptr z, int64_t i)
{
    uint64_t magnitude = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
    mpz_set_ui(z, magnitude);
    if (i < 0) {
        mpz_neg(z, z);
    }
}

void
big_load(mpz_ptr z, Value v)
{
    if (v.kind == VAL_BIG) {
        mpz_t view;
        mpz_set(z, mpz_roinit_n(view, v.big->limb, v.big->size));
    } else {
        load_int64(z, v.kind == VAL_BOOL ? v.b : v.i);
    }
}

/* Returns an integer as GMP reads it, without a copy: z must not be cleared and lives as
 * long as limb and v. */
static mpz_srcptr
view(mpz_ptr z, mp_limb_t *limb, Value v)
{
    if (v.kind == VAL_BIG) {
        return mpz_roinit_n(z, v.big->limb, v.big->size);
    }
    int64_t i = v.kind == VAL_BOOL ? v.b : v.i;
    *limb = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
    return mpz_roinit_n(z, limb, (i > 0) - (i < 0));
}

static Value
too_large(Interp *in, Span span)
{
    return py_raise(in, "OverflowError", span, "the integer needs more than %d bits",
                    MAX_BITS);
}

Value
big_from_mpz(Interp *in, mpz_srcptr z, Span span)
{
    size_t n = mpz_size(z);
    if (n == 0) {
        return val_int(0);
    }
    uint64_t low = mpz_getlimbn(z, 0);
    bool negative = mpz_sgn(z) < 0;
    if (n == 1 && low <= (uint64_t)INT64_MAX + negative) {
        return val_int(negative ? (int64_t)(0 - low) : (int64_t)low);
    }
    if (n >= MAX_BITS / GMP_NUMB_BITS && mpz_sizeinbase(z, 2) > MAX_BITS) {
        return too_large(in, span);
    }
    BigInt *b = arena_alloc(core_arena(in), sizeof *b + n * sizeof(mp_limb_t));
    b->size = negative ? -(int32_t)n : (int32_t)n;
    memcpy(b->limb, mpz_limbs_read(z), n * sizeof(mp_limb_t));
    return (Value){.kind = VAL_BIG, .big = b};
}

int64_t
big_bits(Value v)
{
    if (v.kind == VAL_BIG) {
        int64_t n = v.big->size < 0 ? -(int64_t)v.big->size : v.big->size;
        return n * GMP_NUMB_BITS - __builtin_clzll(v.big->limb[n - 1]);
    }
    int64_t i = v.kind == VAL_BOOL ? v.b : v.i;
    uint64_t m = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
    return m ? 64 - __builtin_clzll(m) : 0;
}

static bool
shift(mpz_ptr r, AstOp op, mpz_srcptr x, mpz_srcptr y)
{
    bool big = !mpz_fits_ulong_p(y);
    unsigned long n = mpz_get_ui(y);
    if (op == AOP_SHR) {
        mpz_fdiv_q_2exp(r, x, big || n > 2 * MAX_BITS ? 2 * MAX_BITS : n);
        return true;
    }
    if (mpz_sgn(x) == 0) {
        mpz_set_ui(r, 0);
        return true;
    }
    if (big || n > MAX_BITS) {
        return false;
    }
    mpz_mul_2exp(r, x, n);
    return true;
}

/* Needs y >= 0. */
static bool
power(mpz_ptr r, mpz_srcptr x, mpz_srcptr y)
{
    if (mpz_cmpabs_ui(x, 1) <= 0) {
        bool odd = mpz_odd_p(y);
        mpz_set_si(r, mpz_sgn(y) == 0 ? 1
                      : odd           ? mpz_get_si(x)
                                      : mpz_get_si(x) * mpz_get_si(x));
        return true;
    }
    if (!mpz_fits_ulong_p(y)) {
        return false;
    }
    unsigned long n = mpz_get_ui(y);
    if (n > MAX_BITS || (double)(mpz_sizeinbase(x, 2) - 1) * (double)n > MAX_BITS) {
        return false;
    }
    mpz_pow_ui(r, x, n);
    return true;
}

static bool
compute(mpz_ptr r, AstOp op, mpz_srcptr x, mpz_srcptr y)
{
    switch (op) {
    case AOP_ADD:
        mpz_add(r, x, y);
        return true;
    case AOP_SUB:
        mpz_sub(r, x, y);
        return true;
    case AOP_MUL:
        mpz_mul(r, x, y);
        return true;
    case AOP_FLOORDIV:
        mpz_fdiv_q(r, x, y);
        return true;
    case AOP_MOD:
        mpz_fdiv_r(r, x, y);
        return true;
    case AOP_AND:
        mpz_and(r, x, y);
        return true;
    case AOP_OR:
        mpz_ior(r, x, y);
        return true;
    case AOP_XOR:
        mpz_xor(r, x, y);
        return true;
    case AOP_SHL:
    case AOP_SHR:
        return shift(r, op, x, y);
    case AOP_POW:
        return power(r, x, y);
    default:
        ICE("integer operator %d", op);
    }
}

/* The caller makes sure that divisors are not zero, and shift counts and exponents not
 * negative. */
Value
big_binary(Interp *in, AstOp op, Value a, Value b, Span span)
{
    mpz_t x, y, r;
    mp_limb_t limbs[2];
    mpz_init(r);
    bool fits = compute(r, op, view(x, &limbs[0], a), view(y, &limbs[1], b));
    Value v = fits ? big_from_mpz(in, r, span) : too_large(in, span);
    mpz_clear(r);
    return v;
}

int
big_compare(Value a, Value b)
{
    mpz_t x, y;
    mp_limb_t limbs[2];
    int c = mpz_cmp(view(x, &limbs[0], a), view(y, &limbs[1], b));
    return (c > 0) - (c < 0);
}

int
big_compare_double(Value a, double f)
{
    mpz_t x;
    mpz_init(x);
    big_load(x, a);
    int c = mpz_cmp_d(x, f);
    mpz_clear(x);
    return (c > 0) - (c < 0);
}

/* Computes q * 2^exp for q > 0, correctly rounded to nearest even; sticky says that the
 * true value is a little above q. Returns false on overflow. q is destroyed. Subnormal
 * results are rounded once, at their own last place. */
static bool
round_scaled(mpz_ptr q, bool sticky, int64_t exp, double *out)
{
    int64_t bits = (int64_t)mpz_sizeinbase(q, 2);
    int64_t top = bits + exp; /* the value is below 2^top */
    int64_t keep = top > DBL_MIN_EXP ? DBL_MANT_DIG : DBL_MANT_DIG - (DBL_MIN_EXP - top);
    if (keep < 0) {
        *out = 0;
        return true;
    }
    int64_t drop = bits - keep;
    if (drop > 0) {
        bool half = mpz_tstbit(q, (mp_bitcnt_t)drop - 1);
        bool below = sticky || mpz_scan1(q, 0) < (mp_bitcnt_t)drop - 1;
        mpz_fdiv_q_2exp(q, q, (mp_bitcnt_t)drop);
        if (half && (below || mpz_odd_p(q))) {
            mpz_add_ui(q, q, 1);
        }
        exp += drop;
    }
    if (exp > DBL_MAX_EXP) {
        return false;
    }
    *out = ldexp(mpz_get_d(q), (int)exp);
    return isfinite(*out);
}

bool
big_to_double(Value v, double *out)
{
    mpz_t x;
    mpz_init(x);
    big_load(x, v);
    int sign = mpz_sgn(x);
    mpz_abs(x, x);
    *out = 0;
    bool ok = sign == 0 || round_scaled(x, false, 0, out);
    if (sign < 0) {
        *out = -*out;
    }
    mpz_clear(x);
    return ok;
}

bool
big_true_divide(Value a, Value b, double *out)
{
    enum {
        QUOTIENT_BITS = 66
    };
    mpz_t x, y, r;
    mpz_inits(x, y, r, NULL);
    big_load(x, a);
    big_load(y, b);
    bool negative = (mpz_sgn(x) < 0) != (mpz_sgn(y) < 0);
    bool ok = true;
    *out = 0;
    if (mpz_sgn(x) != 0) {
        mpz_abs(x, x);
        mpz_abs(y, y);
        int64_t up =
            QUOTIENT_BITS + (int64_t)mpz_sizeinbase(y, 2) - (int64_t)mpz_sizeinbase(x, 2);
        if (up > 0) {
            mpz_mul_2exp(x, x, (mp_bitcnt_t)up);
        } else {
            mpz_mul_2exp(y, y, (mp_bitcnt_t)-up);
        }
        mpz_tdiv_qr(x, r, x, y);
        ok = round_scaled(x, mpz_sgn(r) != 0, -up, out);
    }
    if (negative) {
        *out = -*out;
    }
    mpz_clears(x, y, r, NULL);
    return ok;
}

uint64_t
big_hash(Value v)
{
    uint64_t h = v.big->size < 0 ? 7 : 3;
    for (int32_t i = 0; i < (v.big->size < 0 ? -v.big->size : v.big->size); i++) {
        h = (h ^ v.big->limb[i]) * 0x9e3779b97f4a7c15u;
    }
    return h;
}

static void
put_int64(int64_t i, int base, Text *out)
{
    char digits[66];
    char *end = digits + sizeof digits;
    char *p = end;
    uint64_t m = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
    if (base == 10) {
        for (; m >= 10; m /= 10) {
            *--p = (char)('0' + m % 10);
        }
    }
    int shift = base == 16 ? 4 : base == 8 ? 3 : 1;
    for (; base != 10 && m >= (uint64_t)base; m >>= shift) {
        *--p = "0123456789abcdef"[m & (uint64_t)(base - 1)];
    }
    *--p = "0123456789abcdef"[m];
    if (i < 0) {
        *--p = '-';
    }
    text_putn(out, p, (size_t)(end - p));
}

void
big_text(Interp *in, Value v, int base, Text *out)
{
    if (v.kind != VAL_BIG) {
        put_int64(v.kind == VAL_BOOL ? v.b : v.i, base, out);
        return;
    }
    int64_t n = 1 + big_bits(v) / 64;
    core_owe(in, n + n * n / 32); /* the caller's next step checks the limit */
    mpz_t x;
    mpz_init(x);
    big_load(x, v);
    size_t room = mpz_sizeinbase(x, base) + 2;
    char *p = arena_alloc(out->arena, room);
    text_put(out, mpz_get_str(p, base, x));
    mpz_clear(x);
}

Value
big_parse(Interp *in, const char *digits, int base, Span span)
{
    size_t n = strlen(digits);
    int64_t words = 1 + (int64_t)n / 16;
    if (n > MAX_BITS) {
        return too_large(in, span);
    }
    if (!core_charge(in, words + words * words / 32, span)) {
        return val_fail();
    }
    mpz_t x;
    mpz_init(x);
    if (mpz_set_str(x, digits, base) != 0) {
        ICE("bad digits '%s'", digits);
    }
    Value v = big_from_mpz(in, x, span);
    mpz_clear(x);
    return v;
}

Value
big_of_double(Interp *in, double f, Span span)
{
    mpz_t x;
    mpz_init(x);
    mpz_set_d(x, f);
    Value v = big_from_mpz(in, x, span);
    mpz_clear(x);
    return v;
}
