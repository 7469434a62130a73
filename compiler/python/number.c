/* number.c: computes with int, bool and float by the rules of Python: unbounded integers,
 * floor division, exact mixed comparison, true division that is rounded once. */
#include "python/core.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Value
zero_division(Interp *in, Span span)
{
    return py_raise(in, "ZeroDivisionError", span, "division by zero");
}

bool
number_double(Interp *in, Value v, Span span, double *out)
{
    if (val_as_double(v, out)) {
        return true;
    }
    py_raise(in, "OverflowError", span, "the integer is too large for a float");
    return false;
}

static int64_t
small(Value v)
{
    return v.kind == VAL_BOOL ? v.b : v.i;
}

static bool
is_zero(Value v)
{
    return v.kind == VAL_FLOAT ? v.f == 0 : v.kind != VAL_BIG && small(v) == 0;
}

static bool
is_negative(Value v)
{
    return v.kind == VAL_BIG ? v.big->size < 0 : small(v) < 0;
}

/* ---- integers ------------------------------------------------------------ */

static Value
int_divide(Interp *in, Value a, Value b, Span span)
{
    enum {
        EXACT = 53
    };
    if (is_zero(b)) {
        return zero_division(in, span);
    }
    if (big_bits(a) <= EXACT && big_bits(b) <= EXACT) {
        return val_float((double)small(a) / (double)small(b));
    }
    double r = 0;
    int64_t m = 16 + big_bits(a) / 64;
    int64_t n = 16 + big_bits(b) / 64;
    if (!core_charge(in, m + n, span)) {
        return val_fail();
    }
    if (!big_true_divide(a, b, &r)) {
        return py_raise(in, "OverflowError", span,
                        "the quotient is too large for a float");
    }
    return val_float(r);
}

/* Computes results that fit; returns false if the general way is needed. Divisors must
 * not be zero, counts not negative. */
static bool
small_binary(AstOp op, int64_t a, int64_t b, int64_t *out)
{
    switch (op) {
    case AOP_ADD:
        return checked_add(a, b, out);
    case AOP_SUB:
        return checked_sub(a, b, out);
    case AOP_MUL:
        return checked_mul(a, b, out);
    case AOP_FLOORDIV:
        *out = b == -1 ? 0 : div_floor(a, b);
        return b != -1;
    case AOP_MOD:
        *out = b == -1 ? 0 : a % b;
        *out += *out != 0 && (*out < 0) != (b < 0) ? b : 0;
        return true;
    case AOP_AND:
        *out = a & b;
        return true;
    case AOP_OR:
        *out = a | b;
        return true;
    case AOP_XOR:
        *out = a ^ b;
        return true;
    case AOP_SHL:
        return b < 62 && checked_mul(a, (int64_t)1 << b, out);
    case AOP_SHR:
        *out = b > 63 ? -(a < 0) : a >> b;
        return true;
    default:
        return false;
    }
}

static Value
int_binary(Interp *in, AstOp op, Value a, Value b, Span span)
{
    switch (op) {
    case AOP_DIV:
        return int_divide(in, a, b, span);
    case AOP_FLOORDIV:
    case AOP_MOD:
        if (is_zero(b)) {
            return zero_division(in, span);
        }
        break;
    case AOP_SHL:
    case AOP_SHR:
        if (is_negative(b)) {
            return py_raise(in, "ValueError", span, "negative shift count");
        }
        break;
    case AOP_POW:
        return number_pow(in, a, b, span);
    case AOP_AND:
    case AOP_OR:
    case AOP_XOR:
        if (a.kind == VAL_BOOL && b.kind == VAL_BOOL) {
            return val_bool(op == AOP_AND  ? a.b & b.b
                            : op == AOP_OR ? a.b | b.b
                                           : a.b ^ b.b);
        }
        break;
    default:
        break;
    }
    int64_t r = 0;
    if (a.kind != VAL_BIG && b.kind != VAL_BIG &&
        small_binary(op, small(a), small(b), &r)) {
        return val_int(r);
    }
    int64_t m = 1 + big_bits(a) / 64;
    int64_t n = 1 + big_bits(b) / 64;
    bool product = op == AOP_MUL || op == AOP_FLOORDIV || op == AOP_MOD;
    if (!core_charge(in, 8 + m + n + (product ? m * n / 16 : 0), span)) {
        return val_fail();
    }
    return big_binary(in, op, a, b, span);
}

/* ---- floats -------------------------------------------------------------- */

static double
float_mod(double a, double b)
{
    double m = fmod(a, b);
    if (m == 0) {
        return copysign(0, b);
    }
    return (m < 0) != (b < 0) ? m + b : m;
}

static double
float_floor_div(double a, double b)
{
    double m = fmod(a, b);
    double d = (a - m) / b;
    if (m != 0 && (m < 0) != (b < 0)) {
        d -= 1;
    }
    if (d == 0) {
        return copysign(0, a / b);
    }
    double f = floor(d);
    return d - f > 0.5 ? f + 1 : f;
}

static Value
float_pow(Interp *in, double a, double b, Span span)
{
    if (a == 0 && b < 0) {
        return py_raise(in, "ZeroDivisionError", span, "zero to a negative power");
    }
    if (a < 0 && isfinite(a) && isfinite(b) && b != floor(b)) {
        return py_raise(in, "ValueError", span,
                        "a negative number to a fractional power is not a real number");
    }
    core_owe(in, 8);
    double r = pow(a, b);
    if (isinf(r) && isfinite(a) && isfinite(b)) {
        return py_raise(in, "OverflowError", span, "the power is too large for a float");
    }
    return val_float(r);
}

static Value
float_binary(Interp *in, AstOp op, double a, double b, Span span)
{
    switch (op) {
    case AOP_ADD:
        return val_float(a + b);
    case AOP_SUB:
        return val_float(a - b);
    case AOP_MUL:
        return val_float(a * b);
    case AOP_POW:
        return float_pow(in, a, b, span);
    default:
        break;
    }
    if (b == 0) {
        return zero_division(in, span);
    }
    return val_float(op == AOP_DIV   ? a / b
                     : op == AOP_MOD ? float_mod(a, b)
                                     : float_floor_div(a, b));
}

static bool
float_has(AstOp op)
{
    return (op >= AOP_ADD && op <= AOP_POW);
}

/* Needs two numbers. A VAL_FAIL always comes with an exception: wrong operators raise. */
Value
number_binary(Interp *in, AstOp op, Value a, Value b, Span span)
{
    if (a.kind != VAL_FLOAT && b.kind != VAL_FLOAT && op != AOP_MATMUL) {
        return int_binary(in, op, a, b, span);
    }
    if (!float_has(op)) {
        return py_raise(in, "TypeError", span,
                        "unsupported operands of %s: '%s' and '%s'", ast_op_text(op),
                        val_type_name(a), val_type_name(b));
    }
    double x = 0;
    double y = 0;
    if (!number_double(in, a, span, &x) || !number_double(in, b, span, &y)) {
        return val_fail();
    }
    return float_binary(in, op, x, y, span);
}

/* Computes a power if it fits; returns false if it does not. */
static bool
small_power(int64_t base, int64_t exponent, int64_t *out)
{
    *out = 1;
    for (; exponent > 0; exponent >>= 1) {
        if ((exponent & 1) && !checked_mul(*out, base, out)) {
            return false;
        }
        if (exponent > 1 && !checked_mul(base, base, &base)) {
            return false;
        }
    }
    return true;
}

Value
number_pow(Interp *in, Value a, Value b, Span span)
{
    enum {
        BIG_LIMBS = 1024 /* a power with more limbs is not made */
    };
    int64_t r = 0;
    if (a.kind == VAL_INT && b.kind == VAL_INT && b.i >= 0 && small_power(a.i, b.i, &r)) {
        return val_int(r);
    }
    if (a.kind == VAL_FLOAT || b.kind == VAL_FLOAT || is_negative(b)) {
        double x = 0;
        double y = 0;
        if (!number_double(in, a, span, &x) || !number_double(in, b, span, &y)) {
            return val_fail();
        }
        return float_pow(in, x, y, span);
    }
    double bits = (double)big_bits(a) * (b.kind == VAL_INT ? (double)b.i : 1);
    int64_t limbs = 1 + (int64_t)(MIN(bits, BIG_LIMBS * 64.0) / 64);
    return core_charge(in, 8 + limbs + limbs * limbs / 64, span)
               ? big_binary(in, AOP_POW, a, b, span)
               : val_fail();
}

Value
number_unary(Interp *in, AstOp op, Value a, Span span)
{
    if (a.kind == VAL_FLOAT && op != AOP_INVERT) {
        return val_float(op == AOP_NEG ? -a.f : a.f);
    }
    if (a.kind == VAL_FLOAT) {
        return py_raise(in, "TypeError", span, "~ does not apply to 'float'");
    }
    switch (op) {
    case AOP_NEG:
        return int_binary(in, AOP_SUB, val_int(0), a, span);
    case AOP_INVERT:
        return int_binary(in, AOP_SUB, val_int(-1), a, span);
    default:
        return a.kind == VAL_BOOL ? val_int(a.b) : a;
    }
}

/* ---- comparison, hash ---------------------------------------------------- */

static int
compare_int_double(Value a, double f)
{
    if (isnan(f)) {
        return 2;
    }
    if (isinf(f)) {
        return f > 0 ? -1 : 1;
    }
    if (a.kind == VAL_BIG || fabs(f) >= 9007199254740992.0) {
        return big_compare_double(a, f);
    }
    /* this is exact enough: |f| < 2^53 <= |d| keeps its order when rounded */
    double d = (double)small(a);
    return (d > f) - (d < f);
}

int
number_compare(Value a, Value b)
{
    if (a.kind == VAL_FLOAT && b.kind == VAL_FLOAT) {
        return isnan(a.f) || isnan(b.f) ? 2 : (a.f > b.f) - (a.f < b.f);
    }
    if (b.kind == VAL_FLOAT) {
        return compare_int_double(a, b.f);
    }
    if (a.kind == VAL_FLOAT) {
        int c = compare_int_double(b, a.f);
        return c == 2 ? 2 : -c;
    }
    if (a.kind == VAL_BIG || b.kind == VAL_BIG) {
        return big_compare(a, b);
    }
    int64_t x = small(a);
    int64_t y = small(b);
    return (x > y) - (x < y);
}

static uint64_t
mix(uint64_t x)
{
    x = (x ^ (x >> 32)) * 0x9e3779b97f4a7c15u;
    return x ^ (x >> 29);
}

/* Equal numbers have equal hashes whatever their type. Large integral floats hash by
 * their limbs. */
uint64_t
number_hash(Value v)
{
    int64_t i = 0;
    if (val_as_int64(v, &i)) {
        return (uint64_t)i;
    }
    if (v.kind == VAL_BIG) {
        return big_hash(v);
    }
    if (!isfinite(v.f) || v.f != trunc(v.f)) {
        uint64_t bits = 0;
        memcpy(&bits, &v.f, sizeof bits);
        return mix(bits);
    }
    mpz_t z;
    mpz_init(z);
    mpz_set_d(z, v.f);
    union {
        BigInt big;
        char room[sizeof(BigInt) + 20 * sizeof(mp_limb_t)];
    } tmp;
    size_t n = mpz_size(z);
    tmp.big.size = mpz_sgn(z) < 0 ? -(int32_t)n : (int32_t)n;
    memcpy(tmp.big.limb, mpz_limbs_read(z), n * sizeof(mp_limb_t));
    mpz_clear(z);
    return big_hash((Value){.kind = VAL_BIG, .big = &tmp.big});
}

/* ---- conversions --------------------------------------------------------- */

Value
val_double_int(Interp *in, double f, Span span)
{
    if (isnan(f)) {
        return py_raise(in, "ValueError", span, "a NaN cannot be made an integer");
    }
    if (isinf(f)) {
        return py_raise(in, "OverflowError", span,
                        "an infinity cannot be made an integer");
    }
    if (fabs(f) < 9.2e18) {
        return val_int((int64_t)f);
    }
    return big_of_double(in, f, span);
}

static int
digit_of(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c |= 0x20;
    return c >= 'a' && c <= 'z' ? c - 'a' + 10 : INT_MAX;
}

/* Takes a prefix 0x, 0o or 0b, moves *p past it and returns the base; base 0 means that
 * of the prefix. */
static int
take_prefix(const char **p, const char *end, int base)
{
    const char *s = *p;
    int found = 0;
    if (end - s >= 2 && s[0] == '0') {
        char c = (char)(s[1] | 0x20);
        found = c == 'x' ? 16 : c == 'o' ? 8 : c == 'b' ? 2 : 0;
    }
    if (found && (base == 0 || base == found)) {
        *p = s + 2;
        return found;
    }
    return base ? base : 10;
}

/* Parses an integer; fails without an exception (VAL_FAIL) when the text is none. */
static Value
parse_digits(Interp *in, const char *p, const char *end, int base, Span span)
{
    const char *text = p;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) {
        p++;
    }
    base = take_prefix(&p, end, base);
    const char *start = p > text && p[-1] != '-' && p[-1] != '+' ? NULL : p;
    if (!core_reserve(in, (double)(end - p) + 2, span)) {
        return val_fail();
    }
    char *digits = arena_alloc(core_arena(in), (size_t)(end - p) + 2);
    size_t n = 0;
    if (negative) {
        digits[n++] = '-';
    }
    size_t first = n;
    for (; p < end; p++) {
        if (*p == '_' && (p + 1 == end || p[1] == '_' || p == start)) {
            return val_fail();
        }
        if (*p != '_') {
            if (digit_of(*p) >= base) {
                return val_fail();
            }
            digits[n++] = *p;
        }
    }
    if (n == first) {
        return val_fail();
    }
    if (n < 18 && base == 10) {
        return val_int(strtoll(digits, NULL, 10));
    }
    return big_parse(in, digits, base, span);
}

Value
number_parse_int(Interp *in, const char *p, size_t n, int base, Span span)
{
    const char *end = p + n;
    if (!core_charge(in, (int64_t)n / 4, span)) {
        return val_fail();
    }
    while (p < end && strchr(" \t\n\r\f\v", *p)) {
        p++;
    }
    while (p < end && strchr(" \t\n\r\f\v", end[-1])) {
        end--;
    }
    Value v = parse_digits(in, p, end, base, span);
    if (val_failed(v) && !in->fatal && in->exception.kind == VAL_NONE) {
        return py_raise(in, "ValueError", span, "'%.*s' is not an integer of base %d",
                        (int)MIN(n, 60), p, base);
    }
    return v;
}

enum {
    FLOAT_STEPS = 48 /* cost of reading a float */
};

Value
number_parse_literal(Interp *in, const char *text, Span span)
{
    return number_parse_int(in, text, strlen(text), 0, span);
}

bool
number_parse_float(Interp *in, const char *p, size_t n, double *out)
{
    core_owe(in, FLOAT_STEPS + (int64_t)n / 2);
    char text[400];
    size_t k = 0;
    while (n && strchr(" \t\n\r\f\v", *p)) {
        p++;
        n--;
    }
    while (n && strchr(" \t\n\r\f\v", p[n - 1])) {
        n--;
    }
    for (size_t i = 0; i < n; i++) {
        if (p[i] == '_') {
            continue;
        }
        if (k + 1 == sizeof text || strchr("xXpP(", p[i])) {
            return false;
        }
        text[k++] = p[i];
    }
    text[k] = 0;
    char *end = NULL;
    *out = strtod(text, &end);
    return k && !*end;
}

enum {
    MOST_DIGITS = 19728 /* a larger power of ten is wider than an integer can be */
};

static Value
round_digits(Interp *in, Value v, int64_t digits, Span span)
{
    if (v.kind != VAL_FLOAT) {
        if (digits >= 0) {
            return v.kind == VAL_BOOL ? val_int(v.b) : v;
        }
        if (digits < -MOST_DIGITS) {
            return val_int(0);
        }
        Value unit = number_pow(in, val_int(10), val_int(-digits), span);
        Value half = val_failed(unit)
                         ? unit
                         : int_binary(in, AOP_FLOORDIV, unit, val_int(2), span);
        Value sum = val_failed(half) ? half : int_binary(in, AOP_ADD, v, half, span);
        Value rest = val_failed(sum) ? sum : int_binary(in, AOP_MOD, sum, unit, span);
        Value r = val_failed(rest) ? rest : int_binary(in, AOP_SUB, sum, rest, span);
        if (!val_failed(r) && is_zero(rest)) {
            Value q = int_binary(in, AOP_FLOORDIV, r, unit, span);
            Value odd = val_failed(q) ? q : int_binary(in, AOP_AND, q, val_int(1), span);
            return val_failed(odd) || is_zero(odd)
                       ? r
                       : int_binary(in, AOP_SUB, r, unit, span);
        }
        return r;
    }
    if (!isfinite(v.f) || digits > 323) {
        return v;
    }
    char text[700];
    if (digits < 0) {
        double scale = pow(10, (double)-MAX(digits, -400));
        return val_float(isinf(scale) ? copysign(0, v.f)
                                      : nearbyint(v.f / scale) * scale);
    }
    core_owe(in, FLOAT_STEPS + (int64_t)MIN(digits, 64) * 4);
    snprintf(text, sizeof text, "%.*f", (int)digits, v.f);
    return val_float(strtod(text, NULL));
}

Value
number_round(Interp *in, Value v, Value digits, Span span)
{
    int64_t n = 0;
    if (digits.kind != VAL_NONE && !val_failed(digits)) {
        if (digits.kind == VAL_FLOAT || !val_as_int64(digits, &n)) {
            return py_raise(in, "TypeError", span,
                            "round takes an integer number of digits");
        }
        return round_digits(in, v, n, span);
    }
    if (v.kind != VAL_FLOAT) {
        return v.kind == VAL_BOOL ? val_int(v.b) : v;
    }
    return val_double_int(in, nearbyint(v.f), span);
}
