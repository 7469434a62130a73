/* expect.c: compares arrays with what --expect says, within a tolerance, and reports the
 * first element that differs. */
#include "driver/expect.h"
#include "num/scalar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
read_tolerance(Cmd *c, const char *option, const char *text, double *out)
{
    char *end = NULL;
    *out = text ? strtod(text, &end) : 0;
    return !text || (*text && *end == 0 && *out >= 0) ||
           options_wrong(c, arena_printf(&c->unit.arena,
                                         "%s takes a number that is not negative, not "
                                         "'%s'",
                                         option, text));
}

bool
expect_options(Cmd *c)
{
    if ((c->rtol || c->atol) && c->expects.n == 0 && !c->reference) {
        return options_wrong(c, "--rtol and --atol are for --expect");
    }
    return read_tolerance(c, "--rtol", c->rtol, &c->tolerance[0]) &&
           read_tolerance(c, "--atol", c->atol, &c->tolerance[1]);
}

/* ---- elements ------------------------------------------------------------ */

typedef struct Element {
    bool real, wide; /* a float; an uint64 that no int64 is */
    double d;
    int64_t i; /* of integers */
} Element;

static Element
element(const TikArray *a, int64_t i)
{
    int size = tikrt_dtype_size(a->dtype);
    Element e = {.real = dtype_kind(a->dtype) == KIND_FLOAT};
    uint64_t bits = 0;
    memcpy(&bits, a->data + i * size, (size_t)size);
    if (a->dtype == DT_F64) {
        memcpy(&e.d, &bits, sizeof e.d);
    } else if (e.real) {
        e.d = scalar_to_double(a->dtype, (int64_t)bits);
    } else {
        e.i = a->dtype == DT_BOOL ? (int64_t)bits : scalar_wrap(a->dtype, (int64_t)bits);
        e.wide = a->dtype == DT_U64 && e.i < 0;
        e.d = e.wide ? (double)bits : (double)e.i;
    }
    return e;
}

static bool
is_equal(const Element *got, const Element *want)
{
    if (!got->real && !want->real) {
        return got->i == want->i && got->wide == want->wide;
    }
    return got->d == want->d || (got->d != got->d && want->d != want->d);
}

/* Integers of 64 bits that are near each other are subtracted as integers. */
static double
distance(const Element *got, const Element *want)
{
    int64_t d;
    if (!got->real && !want->real && got->wide == want->wide &&
        !__builtin_sub_overflow(got->i, want->i, &d)) {
        return (double)d;
    }
    return got->d - want->d;
}

static bool
is_close(const Cmd *c, const Element *got, const Element *want)
{
    if (is_equal(got, want)) {
        return true;
    }
    double limit = c->tolerance[1] + c->tolerance[0] * fabs(want->d);
    return isfinite(want->d) && fabs(distance(got, want)) <= limit;
}

/* ---- arrays -------------------------------------------------------------- */

/* Puts the index of an element in every dimension. */
static void
put_index(const TikArray *a, int64_t at, Text *out)
{
    int64_t index[8] = {at};
    int n = MAX(a->ndim, 1);
    for (int i = n - 1; i > 0; i--) {
        index[i] = at % a->shape[i];
        at /= a->shape[i];
    }
    index[0] = at;
    for (int i = 0; i < n; i++) {
        text_printf(out, "%s%lld", i ? ", " : "[", (long long)index[i]);
    }
    text_putc(out, ']');
}

static void
report_difference(Cmd *c, const Binding *b, const TikArray *got, const TikArray *want,
                  int64_t first, int64_t count)
{
    char is[64], should[64];
    Element x = element(got, first), y = element(want, first);
    double d = distance(&x, &y);
    Text t;
    text_init(&t, &c->unit.arena);
    tik_element_text(got, first, is, sizeof is);
    tik_element_text(want, first, should, sizeof should);
    text_printf(&t, "'%s' differs from '%s' at ", b->tensor, b->fill->text);
    put_index(got, first, &t);
    text_printf(&t, ": it is %s, expected %s", is, should);
    if (isfinite(d)) {
        text_printf(&t, ", a difference of %.6g", d);
    }
    text_printf(&t, "; %lld of %lld element%s differ%s", (long long)count,
                (long long)got->elems, got->elems == 1 ? "" : "s", count == 1 ? "s" : "");
    if (c->tolerance[0] > 0 || c->tolerance[1] > 0) {
        text_printf(&t, " by more than %g + %g * |expected|", c->tolerance[1],
                    c->tolerance[0]);
    }
    diag_add(&c->unit, D_OUTPUT_MISMATCH, (Span){0}, 0, "%s", t.p);
}

static void
compare(Cmd *c, const Binding *b, const TikArray *got, const TikArray *want)
{
    int64_t first = -1, count = 0;
    for (int64_t i = 0; i < got->elems; i++) {
        Element x = element(got, i), y = element(want, i);
        if (!is_close(c, &x, &y)) {
            first = first < 0 ? i : first;
            count++;
        }
    }
    if (count > 0) {
        report_difference(c, b, got, want, first, count);
    }
}

/* A file may have another type than the output, such as float64: values are compared. */
static bool
read_expected(const Binding *b, const TikArray *got, TikArray *want, TikError *err)
{
    TRY(tik_npy_read(b->path, DT_NONE, got->elems, want, err));
    if (got->dtype == DT_BF16 && want->dtype == DT_U16) {
        want->dtype = DT_BF16;
    }
    return true;
}

static bool
make_expected(Cmd *c, const Binding *b, const TikArray *got, TikArray *want,
              TikError *err)
{
    const char *why = "";
    TRY(tik_array_alloc(want, got->dtype, got->elems, err));
    if (fill_array(&c->unit.arena, b->fill, want, &why)) {
        return true;
    }
    tik_array_free(want);
    job_error(
        err, TIK_ERR_USAGE, "usage",
        arena_printf(&c->unit.arena, "--expect %s=%s: %s", b->tensor, b->path, why));
    return false;
}

bool
expect_check(Cmd *c, const Job *job, TikError *err)
{
    int64_t *seen = ARENA_ARRAY(&c->unit.arena, int64_t, job->nparams);
    for (uint32_t i = 0; i < c->expects.n; i++) {
        const Binding *b = &c->expects.p[i];
        int p = job_find_param(job, b->tensor);
        const TikArray *got = &job->arrays[p];
        TikArray want;
        got = got->items ? &got->items[seen[p]++ % got->elems] : got;
        TRY(b->fill->kind == FILL_FILE ? read_expected(b, got, &want, err)
                                       : make_expected(c, b, got, &want, err));
        compare(c, b, got, &want);
        tik_array_free(&want);
    }
    return true;
}

void
expect_bits(Cmd *c, const char *tensor, const TikArray *native, const TikArray *emulated)
{
    int64_t size = tikrt_dtype_size(native->dtype), first = -1, count = 0;
    for (int64_t i = 0; i < native->elems; i++) {
        if (memcmp(native->data + i * size, emulated->data + i * size, (size_t)size)) {
            first = first < 0 ? i : first;
            count++;
        }
    }
    char is[64], other[64];
    Text t;
    text_init(&t, &c->unit.arena);
    tik_element_text(native, MAX(first, 0), is, sizeof is);
    tik_element_text(emulated, MAX(first, 0), other, sizeof other);
    text_printf(&t, "the back ends differ in '%s' at ", tensor);
    put_index(native, MAX(first, 0), &t);
    text_printf(&t,
                ": native code gives %s, the emulator %s; %lld of %lld elements "
                "have other bits",
                is, other, (long long)count, (long long)native->elems);
    diag_add(&c->unit, D_OUTPUT_MISMATCH, (Span){0}, 0, "%s", t.p);
}
