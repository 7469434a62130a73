/* numbermethod.c: has the attributes and methods of numbers, ranges and slices. */
#include "python/core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- attributes ---------------------------------------------------------- */

static Value
number_member(Interp *in, Value v, const char *name, Span span)
{
    bool whole = val_is_int(v);
    if (strcmp(name, "real") == 0 || (whole && strcmp(name, "numerator") == 0)) {
        return whole ? number_unary(in, AOP_POS, v, span) : v;
    }
    if (strcmp(name, "imag") == 0) {
        return whole ? val_int(0) : val_float(0);
    }
    return whole && strcmp(name, "denominator") == 0 ? val_int(1) : val_fail();
}

static Value
range_member(const RangeVal *r, const char *name)
{
    return strcmp(name, "start") == 0  ? val_int(r->start)
           : strcmp(name, "stop") == 0 ? val_int(r->stop)
           : strcmp(name, "step") == 0 ? val_int(r->step)
                                       : val_fail();
}

static Value
slice_member(const SliceVal *s, const char *name)
{
    return strcmp(name, "start") == 0  ? s->start
           : strcmp(name, "stop") == 0 ? s->stop
           : strcmp(name, "step") == 0 ? s->step
                                       : val_fail();
}

Value
number_attr(Interp *in, Value v, Sym name, Span span)
{
    const char *text = sym_text(&in->u->names, name);
    switch (v.kind) {
    case VAL_BOOL:
    case VAL_INT:
    case VAL_BIG:
    case VAL_FLOAT:
        return number_member(in, v, text, span);
    case VAL_RANGE:
        return range_member(v.range, text);
    case VAL_SLICE:
        return slice_member(v.slice, text);
    default:
        return val_fail();
    }
}

/* ---- integers ------------------------------------------------------------ */

static Value
int_bit_length(Interp *in, Value self, const CallArgs *args)
{
    (void)in;
    (void)args;
    return val_int(big_bits(self));
}

static Value
int_bit_count(Interp *in, Value self, const CallArgs *args)
{
    (void)in;
    (void)args;
    mpz_t z;
    mpz_init(z);
    big_load(z, self);
    mpz_abs(z, z);
    int64_t n = (int64_t)mpz_popcount(z);
    mpz_clear(z);
    return val_int(n);
}

static Value
int_ratio(Interp *in, Value self, const CallArgs *args)
{
    Value two[2] = {number_unary(in, AOP_POS, self, args->span), val_int(1)};
    return val_tuple(in, two, 2);
}

static Value
int_itself(Interp *in, Value self, const CallArgs *args)
{
    return number_unary(in, AOP_POS, self, args->span);
}

static Value
int_to_bytes(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return error_not_supported(in, args->span,
                               "int.to_bytes is not evaluated: the language has no bytes",
                               "take the bytes apart with >> and & 0xff");
}

static Value
int_from_bytes(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return error_not_supported(
        in, args->span, "int.from_bytes is not evaluated: the language has no bytes",
        "put the bytes together with << and |");
}

static const BuiltinRow int_methods[] = {
    {"bit_length", int_bit_length, 0, 0, NULL, COST_ONE},
    {"bit_count", int_bit_count, 0, 0, NULL},
    {"as_integer_ratio", int_ratio, 0, 0, NULL},
    {"conjugate", int_itself, 0, 0, NULL},
    {"to_bytes", int_to_bytes, 0, 255, "*"},
};
static const BuiltinRow int_statics[] = {{"from_bytes", int_from_bytes, 0, 255, "*"}};

/* ---- floats -------------------------------------------------------------- */

static Value
float_is_integer(Interp *in, Value self, const CallArgs *args)
{
    (void)in;
    (void)args;
    return val_bool(isfinite(self.f) && self.f == trunc(self.f));
}

static Value
float_itself(Interp *in, Value self, const CallArgs *args)
{
    (void)in;
    (void)args;
    return self;
}

enum {
    FLOAT_STEPS = 64 /* cost of taking a float apart */
};

static Value
float_ratio(Interp *in, Value self, const CallArgs *args)
{
    if (!isfinite(self.f)) {
        return py_raise(in, isnan(self.f) ? "ValueError" : "OverflowError", args->span,
                        "cannot convert %s to integer ratio",
                        isnan(self.f) ? "NaN" : "Infinity");
    }
    mpq_t q;
    core_owe(in, FLOAT_STEPS);
    mpq_init(q);
    mpq_set_d(q, self.f);
    Value two[2] = {big_from_mpz(in, mpq_numref(q), args->span),
                    big_from_mpz(in, mpq_denref(q), args->span)};
    mpq_clear(q);
    return val_failed(two[0]) || val_failed(two[1]) ? val_fail() : val_tuple(in, two, 2);
}

static Value
float_hex(Interp *in, Value self, const CallArgs *args)
{
    (void)args;
    core_owe(in, FLOAT_STEPS);
    if (self.f == 0 || !isfinite(self.f)) {
        const char *text = isnan(self.f) ? "nan" : self.f == 0 ? "0x0.0p+0" : "inf";
        bool minus = signbit(self.f) && !isnan(self.f);
        return val_str(in, arena_printf(core_arena(in), "%s%s", minus ? "-" : "", text));
    }
    return val_str(in, arena_printf(core_arena(in), "%.13a", self.f));
}

static Value
float_fromhex(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value v = args->pos[0];
    if (v.kind != VAL_STR) {
        return py_raise(in, "TypeError", args->span, "a text is needed, not '%s'",
                        val_type_name(v));
    }
    const char *p = val_text_of(in, v);
    while (*p == ' ') {
        p++;
    }
    bool prefix = strncmp(p + (*p == '-' || *p == '+'), "0x", 2) == 0;
    bool minus = *p == '-';
    const char *digits = p + (minus || *p == '+');
    char *end = NULL;
    Text t;
    text_init(&t, core_arena(in));
    text_put(&t, prefix ? "" : "0x");
    text_put(&t, digits);
    double f = strtod(t.p, &end);
    bool word = strncmp(digits, "inf", 3) == 0 || strncmp(digits, "nan", 3) == 0;
    f = word ? strtod(digits, &end) : f;
    while (*end == ' ') {
        end++;
    }
    return *end || *digits == '\0'
               ? py_raise(in, "ValueError", args->span, "%s is not a hexadecimal number",
                          val_repr(in, v))
               : val_float(minus ? -f : f);
}

static const BuiltinRow float_methods[] = {
    {"is_integer", float_is_integer, 0, 0, NULL, COST_ONE},
    {"as_integer_ratio", float_ratio, 0, 0, NULL, COST_ONE},
    {"conjugate", float_itself, 0, 0, NULL, COST_ONE},
    {"hex", float_hex, 0, 0, NULL, COST_ONE},
};
static const BuiltinRow float_statics[] = {{"fromhex", float_fromhex, 1, 1, NULL}};

/* ---- ranges and slices --------------------------------------------------- */

/* Returns the position of a value in a range, or -1. */
static int64_t
range_position(const RangeVal *r, Value v)
{
    int64_t i = 0;
    double whole = v.kind == VAL_FLOAT ? trunc(v.f) : 0;
    if (!val_is_number(v) || (v.kind == VAL_FLOAT && whole != v.f) ||
        !val_as_int64(v, &i)) {
        return -1;
    }
    __int128 distance = (__int128)i - r->start;
    __int128 at = distance / r->step;
    return distance % r->step == 0 && at >= 0 && at < r->n ? (int64_t)at : -1;
}

static Value
range_index(Interp *in, Value self, const CallArgs *args)
{
    int64_t i = range_position(self.range, args->pos[0]);
    return i >= 0 ? val_int(i)
                  : py_raise(in, "ValueError", args->span, "%s is not in range",
                             val_repr(in, args->pos[0]));
}

static Value
range_count(Interp *in, Value self, const CallArgs *args)
{
    (void)in;
    return val_int(range_position(self.range, args->pos[0]) >= 0);
}

static Value
slice_indices(Interp *in, Value self, const CallArgs *args)
{
    int64_t n = 0;
    int64_t p[4];
    if (!val_is_int(args->pos[0]) || !val_as_int64(args->pos[0], &n) || n < 0) {
        return py_raise(in, "ValueError", args->span, "length should not be negative");
    }
    if (!index_slice(in, self.slice, n, args->span, p)) {
        return val_fail();
    }
    Value three[3] = {val_int(p[0]), val_int(p[3]), val_int(p[1])};
    return val_tuple(in, three, 3);
}

static const BuiltinRow range_methods[] = {{"index", range_index, 1, 1, NULL, COST_ONE},
                                           {"count", range_count, 1, 1, NULL, COST_ONE}};
static const BuiltinRow slice_methods[] = {
    {"indices", slice_indices, 1, 1, NULL, COST_ONE}};

/* ---- installation -------------------------------------------------------- */

void
numbermethod_install(Interp *in)
{
    ClassVal **t = in->core->types;
    builtin_add_rows(in, &t[VAL_INT]->attrs, int_methods, ARRAY_LEN(int_methods),
                     t[VAL_INT]);
    builtin_add_static(in, t[VAL_INT], int_statics, ARRAY_LEN(int_statics));
    builtin_add_rows(in, &t[VAL_FLOAT]->attrs, float_methods, ARRAY_LEN(float_methods),
                     t[VAL_FLOAT]);
    builtin_add_static(in, t[VAL_FLOAT], float_statics, ARRAY_LEN(float_statics));
    builtin_add_rows(in, &t[VAL_RANGE]->attrs, range_methods, ARRAY_LEN(range_methods),
                     t[VAL_RANGE]);
    builtin_add_rows(in, &t[VAL_SLICE]->attrs, slice_methods, ARRAY_LEN(slice_methods),
                     t[VAL_SLICE]);
}
