/* show_array.c: the text of an array as numpy's str() gives it: columns of equal width,
 * floats with at most 8 digits after the point or with exponents where sizes differ much,
 * lines of 75 characters, and "..." in arrays of more than 1000 elements. */
#include "support/show.h"
#include "isa/isa.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE = 75,
    MOST_SHOWN = 1000,
    EDGE = 3, /* elements at each end of a dimension that is not shown whole */
    PRECISION = 8
};

typedef struct Show {
    const TikArray *a;
    char *out;
    size_t size, n; /* room, and bytes that the whole text has */
    size_t blanks;  /* at its end */
    bool summary;
    /* format of floats */
    bool exponent;
    int left, right; /* characters before and after the point */
    int exp_digits;
    int width;  /* of other elements */
    bool other; /* some element is no finite number */
    double least, most;
} Show;

static void
put_char(Show *s, char c)
{
    if (s->n + 1 < s->size) {
        s->out[s->n] = c;
        s->out[s->n + 1] = 0;
    }
    s->n++;
    s->blanks = c == ' ' ? s->blanks + 1 : 0;
}

static void
put(Show *s, const char *text)
{
    for (; *text; text++) {
        put_char(s, *text);
    }
}

static void
pad(Show *s, int n)
{
    for (; n > 0; n--) {
        put_char(s, ' ');
    }
}

/* ---- which elements ------------------------------------------------------ */

static int64_t
step_of(const TikArray *a, int dim)
{
    int64_t step = 1;
    for (int i = dim + 1; i < a->ndim; i++) {
        step *= a->shape[i];
    }
    return step;
}

/* Whether the middle of a dimension is left out. */
static bool
is_cut(const Show *s, int dim)
{
    return s->summary && s->a->shape[dim] > 2 * EDGE;
}

static const uint8_t *
element(const Show *s, int64_t i)
{
    return s->a->data + i * dtype_size(s->a->dtype);
}

/* Calls a function for every element that is shown. */
static void
visit(Show *s, int dim, int64_t at, void (*each)(Show *, const uint8_t *))
{
    if (dim == s->a->ndim) {
        each(s, element(s, at));
        return;
    }
    int64_t n = s->a->shape[dim], step = step_of(s->a, dim);
    for (int64_t i = 0; i < n; i++) {
        i = is_cut(s, dim) && i == EDGE ? n - EDGE : i;
        visit(s, dim + 1, at + i * step, each);
    }
}

/* ---- formats ------------------------------------------------------------- */

static bool
is_float(const Show *s)
{
    return dtype_kind(s->a->dtype) == KIND_FLOAT;
}

static void
find_sizes(Show *s, const uint8_t *at)
{
    double v = fabs(show_float(s->a->dtype, at));
    s->other = s->other || !isfinite(v);
    if (isfinite(v) && v != 0) {
        s->least = s->least == 0 || v < s->least ? v : s->least;
        s->most = v > s->most ? v : s->most;
    }
}

/* Splits a finite number into what comes before the point and after it, and the
 * exponent. */
typedef struct Parts {
    char before[400], after[PRECISION + 4], exponent[8];
} Parts;

static void
cut_zeros(char *digits)
{
    size_t n = strlen(digits);
    while (n > 0 && digits[n - 1] == '0') {
        digits[--n] = 0;
    }
}

static void
split_text(const char *text, Parts *p)
{
    const char *point = strpbrk(text, ".,"), *e = strchr(text, 'e');
    size_t n = point ? (size_t)(point - text) : strcspn(text, "e");
    snprintf(p->before, sizeof p->before, "%.*s", (int)n, text);
    p->after[0] = 0;
    if (point) {
        size_t m = e ? (size_t)(e - point - 1) : strlen(point + 1);
        snprintf(p->after, sizeof p->after, "%.*s", (int)m, point + 1);
    }
    snprintf(p->exponent, sizeof p->exponent, "%s", e ? e : "");
    cut_zeros(p->after);
}

/* The number that digits spell. */
static double
value_of(const ShowDigits *d)
{
    char text[SHOW_BYTES];
    snprintf(text, sizeof text, "%s%.*se%d", d->negative ? "-" : "", d->n, d->digit,
             d->exp10 + 1 - d->n);
    return strtod(text, NULL);
}

/* The fewest digits that read back as the same number, but at most 8 after the point. */
static void
split_float(const Show *s, double v, Parts *p)
{
    ShowDigits d;
    char text[400];
    show_digits(s->a->dtype, v, &d);
    int digits = s->exponent ? d.n - 1 : d.n - 1 - d.exp10;
    digits = v == 0 || digits < 0 ? 0 : digits > PRECISION ? PRECISION : digits;
    v = digits < PRECISION && d.exp10 < d.n ? value_of(&d) : v;
    snprintf(text, sizeof text, s->exponent ? "%.*e" : "%.*f", digits, v);
    split_text(text, p);
}

static void
find_width(Show *s, const uint8_t *at)
{
    char text[SHOW_BYTES];
    Parts p;
    if (!is_float(s)) {
        show_element(s->a->dtype, at, text);
        int n = (int)strlen(text);
        s->width = n > s->width ? n : s->width;
        return;
    }
    double v = show_float(s->a->dtype, at);
    if (isfinite(v)) {
        split_float(s, v, &p);
        int left = (int)strlen(p.before), right = (int)strlen(p.after);
        int e = (int)strlen(p.exponent) - 2;
        s->left = left > s->left ? left : s->left;
        s->right = right > s->right ? right : s->right;
        s->exp_digits = e > s->exp_digits ? e : s->exp_digits;
    }
}

/* The characters after the last one before the point. */
static int
right_width(const Show *s)
{
    return s->exponent ? s->right + s->exp_digits + 2 : s->right;
}

static void
find_other_width(Show *s, const uint8_t *at)
{
    double v = show_float(s->a->dtype, at);
    if (!isfinite(v)) {
        int n = (v == v && v < 0 ? 4 : 3) - (right_width(s) + 1);
        s->left = n > s->left ? n : s->left;
    }
}

static void
find_format(Show *s)
{
    if (is_float(s)) {
        visit(s, 0, 0, find_sizes);
        s->exponent = s->most != 0 &&
                      (s->most >= 1e8 || s->least < 1e-4 || s->most / s->least > 1000.0);
    }
    visit(s, 0, 0, find_width);
    if (s->other) {
        visit(s, 0, 0, find_other_width);
    }
}

/* ---- elements ------------------------------------------------------------ */

static int
element_width(const Show *s)
{
    return is_float(s) ? s->left + 1 + right_width(s) : s->width;
}

/* With exponents all have as many digits as the longest of them, each its own. */
static void
put_scientific(Show *s, double v)
{
    char text[SHOW_BYTES];
    Parts p;
    snprintf(text, sizeof text, "%.*e", s->right, v);
    split_text(text, &p);
    pad(s, s->left - (int)strlen(p.before));
    put(s, p.before);
    put_char(s, '.');
    put(s, p.after);
    for (int i = (int)strlen(p.after); i < s->right; i++) {
        put_char(s, '0');
    }
    put_char(s, 'e');
    put_char(s, p.exponent[1]);
    for (int i = (int)strlen(p.exponent) - 2; i < s->exp_digits; i++) {
        put_char(s, '0');
    }
    put(s, p.exponent + 2);
}

static void
put_plain(Show *s, double v)
{
    Parts p;
    split_float(s, v, &p);
    pad(s, s->left - (int)strlen(p.before));
    put(s, p.before);
    put_char(s, '.');
    put(s, p.after);
    pad(s, s->right - (int)strlen(p.after));
}

static void
put_element(Show *s, const uint8_t *at)
{
    char text[SHOW_BYTES];
    if (is_float(s) && isfinite(show_float(s->a->dtype, at))) {
        (s->exponent ? put_scientific : put_plain)(s, show_float(s->a->dtype, at));
        return;
    }
    show_element(s->a->dtype, at, text);
    pad(s, element_width(s) - (int)strlen(text));
    put(s, text);
}

/* ---- rows ---------------------------------------------------------------- */

/* Where a line of a row is, as numpy counts: with a blank after each element. */
typedef struct Row {
    int indent, width, at;
    bool blank; /* comes before the next element, unless a line ends */
} Row;

static void
next_word(Show *s, Row *r, int width)
{
    if (r->at + width > r->width && r->at > r->indent) {
        s->n -= s->blanks;
        put_char(s, '\n');
        pad(s, r->indent);
        r->at = r->indent;
    } else if (r->blank) {
        put_char(s, ' ');
    }
    r->at += width + 1;
    r->blank = true;
}

static void
put_row(Show *s, int dim, int64_t at)
{
    Row r = {dim + 1, LINE - dim - 1, dim + 1, false};
    int64_t n = s->a->shape[dim];
    put_char(s, '[');
    for (int64_t i = 0; i < n; i++) {
        if (is_cut(s, dim) && i == EDGE) {
            next_word(s, &r, 3);
            put(s, "...");
            i = n - EDGE;
        }
        next_word(s, &r, element_width(s));
        put_element(s, element(s, at + i));
    }
    put_char(s, ']');
}

static void
put_separator(Show *s, int dim)
{
    for (int i = dim; i < s->a->ndim - 1; i++) {
        put_char(s, '\n');
    }
    pad(s, dim + 1);
}

static void
put_dimension(Show *s, int dim, int64_t at)
{
    if (dim == s->a->ndim - 1) {
        put_row(s, dim, at);
        return;
    }
    int64_t n = s->a->shape[dim], step = step_of(s->a, dim);
    put_char(s, '[');
    for (int64_t i = 0; i < n; i++) {
        if (is_cut(s, dim) && i == EDGE) {
            put_separator(s, dim);
            put(s, "...");
            i = n - EDGE;
        }
        if (i > 0) {
            put_separator(s, dim);
        }
        put_dimension(s, dim + 1, at + i * step);
    }
    put_char(s, ']');
}

size_t
tik_array_text(const TikArray *a, char *out, size_t size)
{
    Show s = {.a = a, .out = out, .size = size, .summary = a->elems > MOST_SHOWN};
    char text[SHOW_BYTES];
    if (size > 0) {
        out[0] = 0;
    }
    if (a->elems == 0) {
        put(&s, "[]");
    } else if (a->ndim == 0) {
        show_element(a->dtype, a->data, text);
        put(&s, text);
    } else {
        find_format(&s);
        put_dimension(&s, 0, 0);
    }
    return s.n;
}
