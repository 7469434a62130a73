/* float_text.c: see float_text.h. A float is m * 2^-s with m < 2^53. Times a power of ten
 * it still has less than 128 bits, so digits are cut off and rounded exactly, half to
 * even, as printf rounds them. */
#include "python/float_text.h"

#include <float.h>
#include <string.h>

typedef unsigned __int128 Wide;

enum {
    MANTISSA = DBL_MANT_DIG - 1, /* bits that are stored */
    BIAS = DBL_MAX_EXP - 1 + MANTISSA,
    MAX_POWER = 19
};

static const uint64_t power[MAX_POWER + 1] = {1,
                                              10,
                                              100,
                                              1000,
                                              10000,
                                              100000,
                                              1000000,
                                              10000000,
                                              100000000,
                                              1000000000,
                                              10000000000,
                                              100000000000,
                                              1000000000000,
                                              10000000000000,
                                              100000000000000,
                                              1000000000000000,
                                              10000000000000000,
                                              100000000000000000,
                                              1000000000000000000,
                                              10000000000000000000u};

/* A normal float: m * 2^-s. */
typedef struct Parts {
    uint64_t m;
    int s;
} Parts;

static Parts
parts_of(double f)
{
    uint64_t bits;
    memcpy(&bits, &f, sizeof bits);
    const uint64_t one = (uint64_t)1 << MANTISSA;
    return (Parts){(bits & (one - 1)) | one, BIAS - (int)(bits >> MANTISSA)};
}

/* x / 2^s as a number of the form whole + part / 2^s. */
typedef struct Cut {
    Wide x;
    int s;
    uint64_t whole;
    Wide part;
} Cut;

static Cut
cut(Wide x, int s)
{
    return (Cut){x, s, (uint64_t)(x >> s), x & (((Wide)1 << s) - 1)};
}

/* Returns whether a rest is rounded up: it is more than half, or half of an odd
 * number. */
static bool
goes_up(Wide rest, Wide half, uint64_t number)
{
    return rest > half || (rest == half && (number & 1));
}

/* The floats whose 17 digits are an integer of 64 bits after a multiplication by a power
 * of ten; a cut of them. *exp10 is the decimal exponent, *scale the power. */
static bool
seventeen(double f, Cut *out, int *exp10, uint64_t *scale)
{
    static const double least[] = {1e-3, 1e-2, 1e-1, 1e0,  1e1, 1e2, 1e3,
                                   1e4,  1e5,  1e6,  1e7,  1e8, 1e9, 1e10,
                                   1e11, 1e12, 1e13, 1e14, 1e15};
    int i = 0;
    if (!(f >= least[0] && f < least[ARRAY_LEN(least) - 1])) {
        return false;
    }
    while (f >= least[i + 1]) {
        i++;
    }
    *exp10 = i - 3;
    *scale = power[FLOAT_DIGITS - 1 - *exp10];
    Parts p = parts_of(f);
    *out = cut((Wide)p.m * *scale, p.s);
    return true;
}

/* Returns the first n of the 17 digits, rounded. */
static uint64_t
rounded(const Cut *c, int n)
{
    uint64_t unit = power[FLOAT_DIGITS - n];
    if (unit == 1) {
        return c->whole + goes_up(c->part, (Wide)1 << (c->s - 1), c->whole);
    }
    uint64_t d = c->whole / unit, rest = c->whole % unit;
    return d + goes_up((Wide)rest << 1 | (c->part != 0), unit, d);
}

static void
put_digits(uint64_t d, int n, FloatDigits *out)
{
    if (d == power[n]) { /* 9.99 was rounded to 10.0 */
        d /= 10;
        out->exp10++;
    }
    out->n = n;
    out->digit[n] = 0;
    while (n > 0) {
        out->digit[--n] = (char)('0' + d % 10);
        d /= 10;
    }
}

bool
float_shortest(double f, FloatDigits *out)
{
    Cut c;
    uint64_t scale;
    const Parts p = parts_of(f);
    /* the floats next to a power of two are not equally far from it */
    if (!seventeen(f, &c, &out->exp10, &scale) || p.m == (uint64_t)1 << MANTISSA) {
        return false;
    }
    int n = FLOAT_DIGITS - 2;
    uint64_t d;
    for (;; n++) {
        d = rounded(&c, n);
        Wide back = (Wide)(d * power[FLOAT_DIGITS - n]) << c.s;
        Wide off = (back > c.x ? back - c.x : c.x - back) << 1;
        if (n == FLOAT_DIGITS || off < scale || (off == scale && (p.m & 1) == 0)) {
            break;
        }
    }
    put_digits(d, n, out);
    return true;
}

bool
float_scientific(double f, int precision, Text *out)
{
    Cut c;
    uint64_t scale;
    FloatDigits d;
    if (precision < 0 || precision >= FLOAT_DIGITS ||
        !seventeen(f, &c, &d.exp10, &scale)) {
        return false;
    }
    put_digits(rounded(&c, precision + 1), precision + 1, &d);
    text_putc(out, d.digit[0]);
    if (precision > 0) {
        text_putc(out, '.');
        text_putn(out, d.digit + 1, (size_t)precision);
    }
    int e = d.exp10 < 0 ? -d.exp10 : d.exp10; /* below 100 */
    text_put(out, d.exp10 < 0 ? "e-" : "e+");
    text_putc(out, (char)('0' + e / 10));
    text_putc(out, (char)('0' + e % 10));
    return true;
}

bool
float_fixed(double f, int precision, Text *out)
{
    const double most = 1e18, least = 0x1p-60;
    char text[24];
    int n = sizeof text;
    uint64_t v = 0;
    if (precision < 0 || precision > 15 || f != f || f < 0 || (f > 0 && f < least) ||
        f >= most / (double)power[precision] || f >= 1e15) {
        return false;
    }
    if (f > 0) {
        Parts p = parts_of(f);
        Cut c = cut((Wide)p.m * power[precision], p.s);
        v = c.whole + goes_up(c.part, (Wide)1 << (c.s - 1), c.whole);
    }
    for (int i = 0; v > 0 || i <= precision; i++, v /= 10) {
        if (i > 0 && i == precision) {
            text[--n] = '.';
        }
        text[--n] = (char)('0' + v % 10);
    }
    text_putn(out, text + n, sizeof text - (size_t)n);
    return true;
}
