/* show.c: the text of an element, as numpy writes a scalar: the fewest digits that read
 * back as the same number, with an exponent below 1e-4 and from 1e16 on. */
#include "support/show.h"
#include "isa/bytes.h"
#include "num/half.h"
#include "num/scalar.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double
show_float(Dtype t, const uint8_t *at)
{
    uint64_t bits = 0;
    memcpy(&bits, at, (size_t)dtype_size(t));
    return t == DT_F64 ? double_of_bits(bits) : scalar_to_double(t, (int64_t)bits);
}

static double
rounded(Dtype t, double v)
{
    return t == DT_F64 ? v : scalar_to_double(t, scalar_from_double(t, v));
}

void
show_digits(Dtype t, double v, ShowDigits *out)
{
    char text[SHOW_BYTES] = "";
    double magnitude = fabs(v);
    *out = (ShowDigits){.negative = signbit(v) != 0};
    /* digits in the middle of two are rounded up as well as to the even one: above a
     * power of two there is more room than below */
    double up = nextafter(magnitude, INFINITY);
    for (int i = 0; i < 2 * 17; i++) {
        snprintf(text, sizeof text, "%.*e", i / 2, i % 2 == 0 ? magnitude : up);
        if (rounded(t, strtod(text, NULL)) == magnitude) {
            break;
        }
    }
    char *e = strchr(text, 'e');
    out->exp10 = (int)strtol(e + 1, NULL, 10);
    for (char *p = text; p < e; p++) {
        if (*p >= '0' && *p <= '9') {
            out->digit[out->n++] = *p;
        }
    }
    while (out->n > 1 && out->digit[out->n - 1] == '0') {
        out->n--;
    }
}

/* Writes d.dde-05. */
static void
put_exponent(const ShowDigits *d, char *out)
{
    int at = snprintf(out, SHOW_BYTES, "%s%c", d->negative ? "-" : "", d->digit[0]);
    if (d->n > 1) {
        at += snprintf(out + at, (size_t)(SHOW_BYTES - at), ".%.*s", d->n - 1,
                       d->digit + 1);
    }
    snprintf(out + at, (size_t)(SHOW_BYTES - at), "e%c%02d", d->exp10 < 0 ? '-' : '+',
             abs(d->exp10));
}

/* Writes ddd.dd, with a digit on either side of the point. */
static void
put_plain(const ShowDigits *d, char *out)
{
    int at = snprintf(out, SHOW_BYTES, "%s", d->negative ? "-" : "");
    int last = d->exp10 - d->n + 1; /* the power of ten of the last digit */
    int first = d->exp10 > 0 ? d->exp10 : 0;
    for (int p = first; p >= (last < -1 ? last : -1); p--) {
        int i = d->exp10 - p;
        if (p == -1) {
            out[at++] = '.';
        }
        out[at++] = i >= 0 && i < d->n ? d->digit[i] : '0';
    }
    out[at] = 0;
}

static void
put_float(Dtype t, double v, char *out)
{
    ShowDigits d;
    if (!isfinite(v)) {
        snprintf(out, SHOW_BYTES, "%s", v != v ? "nan" : v < 0 ? "-inf" : "inf");
        return;
    }
    show_digits(t, v, &d);
    if (v != 0 && (d.exp10 < -4 || d.exp10 >= 16)) {
        put_exponent(&d, out);
    } else {
        put_plain(&d, out);
    }
}

void
show_element(Dtype t, const uint8_t *at, char out[SHOW_BYTES])
{
    uint64_t bits = 0;
    if (dtype_kind(t) == KIND_FLOAT) {
        put_float(t, show_float(t, at), out);
        return;
    }
    memcpy(&bits, at, (size_t)dtype_size(t));
    if (dtype_kind(t) == KIND_BOOL) {
        snprintf(out, SHOW_BYTES, "%s", bits ? "True" : "False");
    } else if (dtype_kind(t) == KIND_UINT) {
        snprintf(out, SHOW_BYTES, "%" PRIu64, bits);
    } else {
        snprintf(out, SHOW_BYTES, "%" PRId64, scalar_wrap(t, (int64_t)bits));
    }
}
