/* print.c: printf of the container and debug_print of its debugger. They are recorded as
 * empty scopes, which the pass print turns into statements that note the values; where
 * nothing runs the kernel (Options.shows_prints is false) they do nothing. */
#include "tik/print.h"
#include "tik/expr.h"
#include "tik/tensor.h"

#include <string.h>

enum {
    MOST_ELEMS = 16384 /* of one value, as in passes/print.c */
};

/* ---- values -------------------------------------------------------------- */

static bool
cannot_print(Interp *in, Span span, const char *why)
{
    py_diag(in, D_ARG_TYPE, span, "%s cannot be printed", why);
    return false;
}

/* Takes the elements of a tensor: shape and steps are known at compile time. */
static bool
take_tensor(Interp *in, Tik *c, View *v, Span span, PrintArg *out)
{
    int64_t elems = 1;
    Ref r;
    if (v->lanes || dtype_size(v->dtype) > 8 || v->dtype >= DT_PLAIN ||
        v->ndim > PRINT_DIMS) {
        return cannot_print(in, span, "a tensor of this kind");
    }
    for (int i = 0; i < v->ndim; i++) {
        if (!tik_const_of(c, v->dim[i].len, &out->shape[i]) ||
            !tik_const_of(c, v->dim[i].stride, &out->step[i])) {
            return cannot_print(in, span, "a tensor whose shape only the run knows");
        }
        elems = MIN(elems, MOST_ELEMS + 1) * MIN(out->shape[i], MOST_ELEMS + 1);
    }
    if (elems > MOST_ELEMS) {
        return cannot_print(in, span, "a tensor of more than 16384 elements");
    }
    if (!tik_ref(in, v, span, &r)) {
        return false;
    }
    out->ndim = v->element ? 0 : v->ndim;
    out->buf = r.buf;
    out->off = r.off;
    out->dtype = r.dtype;
    return true;
}

/* Takes a value of the program: a tensor, a Scalar, an expression, a number. */
static bool
take_value(Interp *in, Tik *c, Value v, Span span, PrintArg *out)
{
    if (!tik_own(in, c, v, span)) {
        return false;
    }
    if (tik_is(v, &tik_tensor_class)) {
        return take_tensor(in, c, (View *)v.obj, span, out);
    }
    if (tik_is_runtime(v)) {
        return tik_read(in, c, v, span, &out->value);
    }
    return tik_number(c, v, v.kind == VAL_FLOAT ? DT_F32 : DT_S64, &out->value) ||
           cannot_print(in, span, val_type_name(v));
}

static Span
span_of(const CallArgs *args, int i)
{
    return args->pos_span ? args->pos_span[i] : args->span;
}

/* ---- recording ----------------------------------------------------------- */

static bool
record(Interp *in, Tik *c, PrintCall *call, Span span)
{
    if (!tik_emit(in, c, (Stmt){.kind = ST_SCOPE}, span, &call->at)) {
        return false;
    }
    VEC_PUSH(&c->k->arena, &c->k->print_calls, *call);
    return true;
}

static bool
is_recorded(const Interp *in, const Tik *c, const CallArgs *args)
{
    return in->u->opt.shows_prints && !tik_dropped(c) && args->npos > 0;
}

/* ---- printf -------------------------------------------------------------- */

/* Returns the length of the conversion at s, which begins with a percent sign; 0 if it is
 * none. */
static size_t
conversion(const char *s)
{
    size_t n = 1 + strspn(s + 1, "-+ #0");
    n += strspn(s + n, "0123456789.");
    n += strspn(s + n, "hl");
    return s[n] && strchr("diuxXfFeEgGs", s[n]) ? n + 1 : 0;
}

/* Splits a format into texts and the values between them. */
static bool
split_format(Interp *in, Tik *c, const char *s, const CallArgs *args, PrintCall *call)
{
    Arena *a = &c->k->arena;
    Text text;
    int next = 1;
    text_init(&text, a);
    while (*s) {
        size_t n = *s == '%' ? conversion(s) : 0;
        if (n == 0 || next >= args->npos) {
            text_putc(&text, *s);
            s += *s == '%' && s[1] == '%' ? 2 : 1;
            continue;
        }
        PrintArg arg = {.before = arena_strdup(a, text.p),
                        .spec = arena_strndup(a, s, n)};
        if (!take_value(in, c, args->pos[next], span_of(args, next), &arg)) {
            return false;
        }
        VEC_PUSH(a, &call->args, arg);
        text.n = 0;
        text.p[0] = 0;
        next++;
        s += n;
    }
    while (text.n > 0 && text.p[text.n - 1] == '\n') {
        text.p[--text.n] = 0;
    }
    call->after = arena_strdup(a, text.p);
    if (next < args->npos) {
        py_diag(in, D_ARG_TYPE, span_of(args, next),
                "the format has %d conversions, for %d values", next - 1, args->npos - 1);
    }
    return next == args->npos;
}

Value
tik_printf(Interp *in, Tik *c, const CallArgs *args)
{
    PrintCall call = {0};
    if (!is_recorded(in, c, args)) {
        return val_none();
    }
    if (args->pos[0].kind != VAL_STR) {
        py_diag(in, D_ARG_TYPE, span_of(args, 0), "printf takes a format, not %s",
                val_type_name(args->pos[0]));
        return val_fail();
    }
    return split_format(in, c, val_text_of(in, args->pos[0]), args, &call) &&
                   record(in, c, &call, args->span)
               ? val_none()
               : val_fail();
}

/* ---- debug_print --------------------------------------------------------- */

/* A text names a tensor, a part of one, or a Scalar; a text that does not is shown. */
static void
take_text(Tik *c, const char *text, PrintArg *out)
{
    Arena *a = &c->k->arena;
    const char *why;
    out->text = arena_strdup(a, text);
    out->wish = print_wish_parse(a, arena_printf(a, "%s@-:1", text), &why);
}

Value
tik_debug_print(Interp *in, Tik *c, const CallArgs *args)
{
    PrintCall call = {.after = ""};
    if (!is_recorded(in, c, args)) {
        return val_none();
    }
    for (int i = 0; i < args->npos; i++) {
        PrintArg arg = {.before = i ? " " : "", .spec = ""};
        if (args->pos[i].kind == VAL_STR) {
            take_text(c, val_text_of(in, args->pos[i]), &arg);
        } else if (!take_value(in, c, args->pos[i], span_of(args, i), &arg)) {
            return val_fail();
        }
        VEC_PUSH(&c->k->arena, &call.args, arg);
    }
    return record(in, c, &call, args->span) ? val_none() : val_fail();
}
