/* fill.c: contents of arrays that need no file: random:7, zeros, ones, arange, numbers.
 * docs/running.md defines every element, so that a program in another language can make
 * the same ones. */
#include "driver/fill.h"
#include "num/scalar.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts --------------------------------------------------------------- */

int
fill_shape(const char *text, int64_t dim[8])
{
    int n = 0;
    for (const char *p = text; *p >= '0' && *p <= '9' && n < 8;) {
        int64_t v = 0;
        for (; *p >= '0' && *p <= '9'; p++) {
            if (!checked_mul(v, 10, &v) || !checked_add(v, *p - '0', &v)) {
                return 0;
            }
        }
        dim[n++] = v;
        if (*p == 0) {
            return n;
        }
        if (*p++ != 'x') {
            return 0;
        }
    }
    return 0;
}

/* Takes what comes before the next colon, and moves *text past it; null at the end. */
static const char *
next_part(Arena *a, const char **text)
{
    const char *from = *text;
    if (from == NULL) {
        return NULL;
    }
    size_t n = strcspn(from, ":");
    *text = from[n] ? from + n + 1 : NULL;
    return arena_strndup(a, from, n);
}

static bool
is_number(const char *text)
{
    char *end;
    strtod(text, &end);
    return *text && *end == 0 && *text != ' ';
}

/* Reads LO..HI. */
static bool
read_range(Arena *a, const char *text, Fill *f)
{
    const char *dots = strstr(text, "..");
    const char *lo = dots ? arena_strndup(a, text, (size_t)(dots - text)) : "";
    if (!is_number(lo) || !is_number(dots + 2)) {
        return false;
    }
    f->lo = strtod(lo, NULL);
    f->hi = strtod(dots + 2, NULL);
    f->ranged = true;
    return isfinite(f->lo) && isfinite(f->hi) && f->lo <= f->hi;
}

/* Reads SEED[:LO..HI] and leaves the rest. */
static bool
read_random(Arena *a, const char **rest, Fill *f)
{
    char *end = NULL;
    const char *seed = next_part(a, rest);
    errno = 0;
    f->seed = seed ? strtoll(seed, &end, 10) : 0;
    if (!seed || !*seed || *end || errno || f->seed < 0) {
        return false;
    }
    if (*rest && strstr(*rest, "..")) {
        return read_range(a, next_part(a, rest), f);
    }
    return true;
}

static bool
read_words(Arena *a, const char *word, const char **rest, Fill *f, const char **why)
{
    if (strcmp(word, "random") == 0) {
        f->kind = FILL_RANDOM;
        *why = "random takes a seed, and perhaps a range: random:7, random:7:0..99";
        return read_random(a, rest, f);
    }
    f->kind = strcmp(word, "arange") == 0 ? FILL_ARANGE : FILL_VALUE;
    f->number = strcmp(word, "zeros") == 0 ? "0" : strcmp(word, "ones") == 0 ? "1" : word;
    return true;
}

bool
fill_parse(Arena *a, const char *text, Fill *out, const char **why)
{
    static const char *const words[] = {"random", "zeros", "ones", "arange"};
    const char *rest = text, *word = next_part(a, &rest);
    *out = (Fill){.kind = FILL_FILE, .text = text};
    bool known = is_number(word);
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        known = known || strcmp(word, words[i]) == 0;
    }
    if (!known) {
        return true;
    }
    TRY(read_words(a, word, &rest, out, why));
    *why = "what follows is a shape, as 16x32";
    out->ndim = rest ? fill_shape(rest, out->dim) : 0;
    return rest == NULL || out->ndim > 0;
}

/* ---- elements ------------------------------------------------------------ */

static void
put_element(TikArray *to, int64_t i, uint64_t bits)
{
    int size = dtype_size(to->dtype);
    for (int b = 0; b < size; b++) {
        to->data[i * size + b] = (uint8_t)(bits >> (8 * b));
    }
}

static uint64_t
bits_of_float(Dtype t, double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return t == DT_F64 ? bits : (uint64_t)scalar_from_double(t, d);
}

/* Gives 64 random bits of a seed and an index: the step of splitmix64. */
static uint64_t
random_bits(int64_t seed, int64_t i)
{
    uint64_t z = (uint64_t)seed + ((uint64_t)i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void
random_floats(const Fill *f, TikArray *to)
{
    double lo = f->ranged ? f->lo : -1, hi = f->ranged ? f->hi : 1;
    for (int64_t i = 0; i < to->elems; i++) {
        double part = (double)(random_bits(f->seed, i) >> 11) * 0x1p-53;
        put_element(to, i, bits_of_float(to->dtype, lo + part * (hi - lo)));
    }
}

/* Gives the integers of a type as doubles; those of 64 bits up to 2^63 - 1. */
static void
range_of(Dtype t, double *lo, double *hi)
{
    int64_t least = 0, most = 1;
    bool full;
    if (t != DT_BOOL) {
        scalar_range(t, &least, &most, &full);
    }
    *lo = (double)least;
    *hi = (double)most;
}

static bool
random_integers(Arena *a, const Fill *f, TikArray *to, const char **why)
{
    double lo, hi;
    range_of(to->dtype, &lo, &hi);
    double from = f->ranged ? f->lo : fmax(lo, lo < 0 ? -128 : 0);
    double end = f->ranged ? f->hi : fmin(hi, lo < 0 ? 127 : 255);
    if (from < lo || end > hi || end - from >= 0x1p53 || from != floor(from) ||
        end != floor(end)) {
        *why = arena_printf(a, "%.17g to %.17g is no range of %s", from, end,
                            tikrt_dtype_name(to->dtype));
        return false;
    }
    uint64_t n = (uint64_t)(end - from) + 1;
    for (int64_t i = 0; i < to->elems; i++) {
        uint64_t part = (random_bits(f->seed, i) >> 11) % n;
        put_element(to, i, (uint64_t)(int64_t)from + part);
    }
    return true;
}

static bool
is_float(Dtype t)
{
    return dtype_kind(t) == KIND_FLOAT;
}

/* Reads a number as an integer, also one that is spelt as a float. uint64 has those that
 * strtoull reads. */
static bool
read_integer(const char *text, Dtype t, uint64_t *out)
{
    char *end;
    errno = 0;
    *out = t == DT_U64 && *text != '-' ? strtoull(text, &end, 0)
                                       : (uint64_t)strtoll(text, &end, 0);
    if (*end == 0 && errno == 0) {
        return true;
    }
    double d = strtod(text, NULL);
    if (*end == 0 || d != floor(d) || fabs(d) > 0x1p53) {
        return false;
    }
    *out = (uint64_t)(int64_t)d;
    return true;
}

static bool
number_bits(const char *text, Dtype t, uint64_t *out)
{
    if (is_float(t)) {
        *out = bits_of_float(t, strtod(text, NULL));
        return true;
    }
    TRY(read_integer(text, t, out));
    if (t == DT_BOOL) {
        return *out <= 1;
    }
    return t == DT_U64 ? *text != '-' || *out == 0
                       : (uint64_t)scalar_wrap(t, (int64_t)*out) == *out;
}

static bool
fill_value(Arena *a, const Fill *f, TikArray *to, const char **why)
{
    uint64_t bits;
    if (!number_bits(f->number, to->dtype, &bits)) {
        *why = arena_printf(a, "%s is no %s", f->number, tikrt_dtype_name(to->dtype));
        return false;
    }
    for (int64_t i = 0; i < to->elems; i++) {
        put_element(to, i, bits);
    }
    return true;
}

bool
fill_array(Arena *a, const Fill *f, TikArray *to, const char **why)
{
    bool real = is_float(to->dtype);
    switch (f->kind) {
    case FILL_FILE:
        return true;
    case FILL_VALUE:
        return fill_value(a, f, to, why);
    case FILL_RANDOM:
        if (!real) {
            return random_integers(a, f, to, why);
        }
        random_floats(f, to);
        return true;
    case FILL_ARANGE:
        for (int64_t i = 0; i < to->elems; i++) {
            uint64_t v = to->dtype == DT_BOOL ? (uint64_t)i & 1 : (uint64_t)i;
            put_element(to, i, real ? bits_of_float(to->dtype, (double)i) : v);
        }
        return true;
    }
    UNREACHABLE();
}
