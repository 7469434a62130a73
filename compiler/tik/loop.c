/* loop.c: the arguments of for_range.
 *
 * Each rule is checked when for_range is called (loop-bounds, thread-num, block-num); a
 * loop with wrong arguments is staged as an empty one, so that errors of its body are
 * reported, too. */
#include "tik/expr.h"
#include "tik/methods.h"
#include "tik/scope.h"
#include "tik/tik.h"

#include <math.h>
#include <string.h>

typedef struct ForArgs {
    Interp *in;
    Tik *c;
    Opener *o;
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
} ForArgs;

static bool
loop_dtype(ForArgs *f)
{
    const char *text = "int32";
    if (!val_failed(f->got[P_for_range_dtype])) {
        TRY(tik_text(f->in, f->got[P_for_range_dtype], "dtype",
                     f->span[P_for_range_dtype], &text));
    }
    f->o->dtype = dtype_find(text);
    if (f->o->dtype == DT_NONE || f->o->dtype == DT_BOOL || dtype_is_float(f->o->dtype)) {
        py_diag(f->in, D_LOOP_BOUNDS, f->span[P_for_range_dtype],
                "the loop variable's dtype is '%s'; it is an integer type", text);
        return false;
    }
    return true;
}

/* Warns of a float end with a fraction. It is truncated, as published operators that
 * divide with / expect. */
static void
warn_fraction(ForArgs *f, double end, int which)
{
    if (end != trunc(end)) {
        py_diag(f->in, D_LOOP_FRACTION, f->span[which],
                "endt is %s; the loop ends at %lld", val_repr(f->in, val_float(end)),
                (long long)end);
    }
}

/* Reads a compile-time bound that fits the loop variable. */
static bool
immediate_bound(ForArgs *f, Value v, int which, ExprId *out)
{
    const char *name = which == P_for_range_begint ? "begint" : "endt";
    int64_t i, lo, hi;
    bool full;
    if (v.kind == VAL_FLOAT && fabs(v.f) < 9e18 &&
        (which == P_for_range_endt || v.f == trunc(v.f))) {
        warn_fraction(f, v.f, which);
        v = val_int((int64_t)v.f);
    }
    if (v.kind == VAL_FLOAT || !val_as_int64(v, &i)) {
        py_diag(f->in, D_LOOP_BOUNDS, f->span[which],
                "%s is %s; it takes an int of 64 bits, a Scalar or an Expr", name,
                v.kind == VAL_BIG || v.kind == VAL_FLOAT ? val_repr(f->in, v)
                                                         : tik_a(f->in, v));
        return false;
    }
    scalar_range(f->o->dtype, &lo, &hi, &full);
    if (i < 0 || i > hi) {
        py_diag(f->in, D_LOOP_BOUNDS, f->span[which],
                "%s is %lld; for a loop variable of %s it is 0 to %lld", name,
                (long long)i, dtype_name(f->o->dtype), (long long)hi);
        return false;
    }
    *out = ir_const(f->c->k, f->o->dtype, i);
    return true;
}

static bool
bound(ForArgs *f, int which, ExprId *out)
{
    Value v = f->got[which];
    if (!tik_is_runtime(v)) {
        return immediate_bound(f, v, which, out);
    }
    TRY(tik_read(f->in, f->c, v, f->span[which], out));
    Dtype t = ir_expr(f->c->k, *out)->dtype;
    if (dtype_is_float(t) || t == DT_BOOL) {
        py_diag(f->in, D_LOOP_BOUNDS, f->span[which],
                "a bound of the loop has dtype %s; it takes an integer", dtype_name(t));
        return false;
    }
    return true;
}

static bool
bounds(ForArgs *f)
{
    Opener *o = f->o;
    int64_t b, e;
    TRY(bound(f, P_for_range_begint, &o->begin));
    TRY(bound(f, P_for_range_endt, &o->end));
    if (tik_const_of(f->c, o->begin, &b) && tik_const_of(f->c, o->end, &e) && b > e) {
        Diag *d = py_diag(f->in, D_LOOP_BOUNDS, o->span,
                          "the loop runs from %lld to %lld, and loops count up",
                          (long long)b, (long long)e);
        diag_help(f->in->u, d, "for_range(%lld, %lld) as i, and %lld - i to count down",
                  (long long)e, (long long)b, (long long)(b - 1));
        return false;
    }
    return true;
}

static bool
threads(ForArgs *f)
{
    int64_t n = 1;
    if (!val_failed(f->got[P_for_range_thread_num]) &&
        (f->got[P_for_range_thread_num].kind == VAL_FLOAT ||
         !val_as_int64(f->got[P_for_range_thread_num], &n) || n < 0 || n > 4)) {
        py_diag(f->in, D_THREAD_NUM, f->span[P_for_range_thread_num],
                "thread_num is %s; it is 0 to 4",
                val_repr(f->in, f->got[P_for_range_thread_num]));
        return false;
    }
    f->o->thread_num = n > 1 ? (int)n : 1;
    return true;
}

static TScope *
open_multicore(const Tik *c)
{
    for (TScope *s = c->top; s; s = s->parent) {
        if (s->kind == TS_LOOP && s->multicore) {
            return s;
        }
    }
    return NULL;
}

/* Reads a block_num that is a Scalar: the end must be that Scalar. */
static bool
scalar_blocks(ForArgs *f)
{
    Value b = f->got[P_for_range_block_num], e = f->got[P_for_range_endt];
    int64_t begin;
    if (!tik_is(b, &tik_scalar_class) || e.kind != VAL_OBJECT || e.obj != b.obj ||
        !tik_const_of(f->c, f->o->begin, &begin) || begin != 0) {
        py_diag(
            f->in, D_BLOCK_NUM, f->span[P_for_range_block_num],
            "block_num is known only at run time; then the loop runs from 0 to that same "
            "Scalar");
        return false;
    }
    return true;
}

/* Checks what holds for every loop over cores: it is the only one and has one copy of its
 * buffers. */
static bool
multicore(ForArgs *f)
{
    Opener *o = f->o;
    TScope *outer = open_multicore(f->c);
    if (o->thread_num > 1) {
        py_diag(f->in, D_BLOCK_NUM, o->span,
                "block_num %s is combined with thread_num %d",
                val_repr(f->in, f->got[P_for_range_block_num]), o->thread_num);
        return false;
    }
    if (outer) {
        Diag *d = py_diag(f->in, D_BLOCK_NUM, o->span,
                          "a multi-core loop inside a multi-core loop");
        diag_note(f->in->u, d, outer->span, "the outer loop");
        return false;
    }
    o->multicore = true;
    return true;
}

static bool
check_blocks(ForArgs *f, int64_t n)
{
    Opener *o = f->o;
    int64_t b, e;
    if (n < 1 || n > 65535) {
        py_diag(f->in, D_BLOCK_NUM, f->span[P_for_range_block_num],
                "block_num is %lld; it is 1 to 65535", (long long)n);
        return false;
    }
    if (n == 1) {
        return true;
    }
    if (!tik_const_of(f->c, o->begin, &b) || !tik_const_of(f->c, o->end, &e) || b != 0 ||
        e != n) {
        Diag *d = py_diag(f->in, D_BLOCK_NUM, o->span,
                          "a loop with block_num %lld runs from 0 to %lld, nothing else",
                          (long long)n, (long long)n);
        diag_help(f->in->u, d, "write for_range(0, %lld, block_num=%lld)", (long long)n,
                  (long long)n);
        return false;
    }
    return true;
}

static bool
blocks(ForArgs *f)
{
    int64_t n = 1;
    Value v = f->got[P_for_range_block_num];
    f->o->block_num = 1;
    if (tik_is_runtime(v)) {
        f->o->block_num = IR_SCALAR_BLOCKS;
        return scalar_blocks(f) && multicore(f);
    }
    if (!val_failed(v) && (v.kind == VAL_FLOAT || !val_as_int64(v, &n))) {
        py_diag(f->in, D_BLOCK_NUM, f->span[P_for_range_block_num],
                "block_num is %s; it takes an int", tik_a(f->in, v));
        return false;
    }
    if (!check_blocks(f, n) || (n > 1 && !multicore(f))) {
        return false;
    }
    f->o->block_num = (int)n;
    return true;
}

static bool
loop_name(ForArgs *f)
{
    const char *text = "i";
    Value given = f->got[P_for_range_name];
    if (given.kind == VAL_INT || tik_is_runtime(given)) {
        Diag *d =
            py_diag(f->in, D_ARG_TYPE, f->span[P_for_range_name],
                    "for_range has no step: its third argument is the loop's name, "
                    "a text, not %s",
                    given.kind == VAL_INT ? val_repr(f->in, given) : tik_a(f->in, given));
        diag_help(
            f->in->u, d,
            "count the trips, and multiply: with for_range(0, (end - begin) // step) "
            "as i: at = begin + i * step");
        return false;
    }
    if (!val_failed(given)) {
        TRY(tik_text(f->in, f->got[P_for_range_name], "name", f->span[P_for_range_name],
                     &text));
    }
    f->o->name = intern(&f->in->u->names, text);
    Value t = f->got[P_for_range_for_type];
    if (t.kind == VAL_STR && strcmp(val_text_of(f->in, t), "serial") != 0) {
        py_diag(f->in, D_NOT_SUPPORTED, f->span[P_for_range_for_type], "for_type '%s'",
                t.str->p);
        return false;
    }
    return true;
}

/* Returns the opener of one loop; with wrong arguments it is an empty loop. */
static Opener *
loop_of(ForArgs *f, Span span)
{
    Opener *o = tik_opener(f->in, f->c, OPEN_LOOP, span);
    f->o = o;
    if (!loop_name(f) || !loop_dtype(f) || !threads(f) || !bounds(f) || !blocks(f)) {
        o->name = o->name ? o->name : intern(&f->in->u->names, "i");
        o->dtype = DT_S32; /* the body is still staged, for its own errors */
        o->begin = o->end = ir_const(f->c->k, DT_S32, 0);
        o->block_num = o->thread_num = 1;
        o->multicore = false;
    }
    return o;
}

Value
tik_for_range(Interp *in, Tik *c, const CallArgs *args)
{
    ForArgs f = {.in = in, .c = c};
    if (!tik_bind(in, CALL_for_range, args, f.got, f.span) ||
        !tik_not_built(in, c, args->span)) {
        return val_fail();
    }
    Opener *o = loop_of(&f, args->span);
    return in->fatal ? val_fail() : val_object(&o->base);
}

static bool
is_list(Value v)
{
    return v.kind == VAL_LIST || v.kind == VAL_TUPLE;
}

/* Returns one opener for the nest; it yields the list of the variables. */
Value
tik_multi_for_range(Interp *in, Tik *c, const CallArgs *args)
{
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    Opener *first = NULL, **link = &first;
    if (!tik_bind(in, CALL_multi_for_range, args, got, span) ||
        !tik_not_built(in, c, args->span)) {
        return val_fail();
    }
    if (!is_list(got[P_multi_for_range_begint]) ||
        !is_list(got[P_multi_for_range_endt]) ||
        got[P_multi_for_range_begint].list->n != got[P_multi_for_range_endt].list->n ||
        got[P_multi_for_range_begint].list->n == 0) {
        py_diag(
            in, D_LOOP_BOUNDS, args->span,
            "begint and endt of multi_for_range are two lists of one length, which is "
            "the number of loops");
        in->fatal = true;
        return val_fail();
    }
    for (uint32_t i = 0; i < got[P_multi_for_range_begint].list->n; i++) {
        ForArgs f = {.in = in, .c = c};
        call_defaults(in, CALL_for_range, f.got);
        for (int p = 0; p < MOST_ARGS; p++) {
            f.span[p] = args->span;
        }
        f.got[P_for_range_begint] = got[P_multi_for_range_begint].list->p[i];
        f.got[P_for_range_endt] = got[P_multi_for_range_endt].list->p[i];
        f.got[P_for_range_name] = is_list(got[P_multi_for_range_name]) &&
                                          i < got[P_multi_for_range_name].list->n
                                      ? got[P_multi_for_range_name].list->p[i]
                                      : got[P_multi_for_range_name];
        f.got[P_for_range_dtype] = got[P_multi_for_range_dtype];
        *link = loop_of(&f, args->span);
        (*link)->nest = true;
        link = &(*link)->inner;
    }
    return in->fatal ? val_fail() : val_object(&first->base);
}
