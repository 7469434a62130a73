/* error.c: makes diagnostics and exceptions. A Python exception is a pending instance in
 * the Interp until a try statement takes it or py_program reports it; a diagnostic
 * (py_diag) is final. */
#include "python/core.h"

#include <stdlib.h>
#include <string.h>

bool
py_allowable(Interp *in, DiagId id, Span span, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = arena_vprintf(core_arena(in), fmt, ap);
    va_end(ap);
    Diag *d = diag_allowable(in->u, id, span, py_chain(in), "%s", text);
    explain_calls(in, d->args, DIAG_ARGS);
    return d->level != LEVEL_ERROR;
}

static Diag *
add_diag(Interp *in, DiagId id, Span span, const char *text)
{
    Diag *d = diag_add(in->u, id, span, py_chain(in), "%s", text);
    explain_calls(in, d->args, DIAG_ARGS);
    return d;
}

Diag *
py_diag(Interp *in, DiagId id, Span span, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = arena_vprintf(core_arena(in), fmt, ap);
    va_end(ap);
    return add_diag(in, id, span, text);
}

Value
error_set(Interp *in, Value exception, Span span)
{
    in->exception = exception;
    in->exception_span = span;
    in->exception_chain = py_chain(in);
    return val_fail();
}

/* Returns whether to collect values for an exception: programs that use exceptions as
 * control flow raise many that nobody sees. */
static bool
worth_explaining(Interp *in)
{
    enum {
        MOST_EXPLAINED = 200
    };
    return in->core->guards == 0 || in->core->explained++ < MOST_EXPLAINED;
}

Value
error_new(Interp *in, Value exception, Span span)
{
    error_set(in, exception, span);
    in->args_chain = CHAIN_UNKNOWN;
    if (worth_explaining(in)) {
        explain_calls(in, in->exception_args, DIAG_ARGS);
        in->args_chain = in->exception_chain;
    }
    return val_fail();
}

/* Makes "an 'int'" of "a 'int'". */
static const char *
with_articles(Interp *in, const char *text)
{
    Text t;
    text_init(&t, core_arena(in));
    for (const char *p = text; *p; p++) {
        bool article = p[0] == 'a' && p[1] == ' ' && p[2] == '\'' && p[3] &&
                       strchr("aeiouAEIOU", p[3]) && (p == text || p[-1] == ' ');
        text_put(&t, article ? "an" : (char[2]){*p, 0});
    }
    return t.p;
}

static ExcInfo *
raise_text(Interp *in, const char *cls, Span span, const char *fmt, const char *text)
{
    enum {
        RAISE_STEPS = 400 /* cost of making an exception */
    };
    core_owe(in, RAISE_STEPS);
    Value c = attrs_get(&in->core->builtins->attrs, intern(&in->u->names, cls));
    if (c.kind != VAL_CLASS) {
        ICE("no exception class '%s'", cls);
    }
    Value e = class_instance(in, c.klass);
    const char *plain = message_for_program(in, cls, fmt, text);
    Value message = val_str(in, plain ? plain : "");
    e.inst->args = val_tuple(in, &message, plain ? 1 : 0);
    e.inst->exc = ARENA_NEW(core_arena(in), ExcInfo);
    e.inst->exc->id = c.klass->diag;
    e.inst->exc->text = strstr(text, "a '") ? with_articles(in, text) : text;
    error_new(in, e, span);
    bool named = e.inst->exc->id == D_NAME || e.inst->exc->id == D_ATTRIBUTE ||
                 e.inst->exc->id == D_IMPORT || e.inst->exc->id == D_ARG_COUNT;
    bool explained = in->args_chain == in->exception_chain;
    e.inst->exc->values = named || !explained ? NULL : explain_names(in, span);
    return e.inst->exc;
}

Value
py_raise(Interp *in, const char *cls, Span span, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = arena_vprintf(core_arena(in), fmt, ap);
    va_end(ap);
    raise_text(in, cls, span, fmt, text);
    return val_fail();
}

ExcInfo *
error_raise(Interp *in, const char *cls, Span span, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = arena_vprintf(core_arena(in), fmt, ap);
    va_end(ap);
    return raise_text(in, cls, span, fmt, text);
}

Value
error_not_supported(Interp *in, Span span, const char *what, const char *help)
{
    Diag *d = py_diag(in, D_NOT_SUPPORTED, span, "%s", what);
    diag_help(in->u, d, "%s", help);
    in->fatal = true;
    return val_fail();
}

void
error_message(Interp *in, Value exception, Text *out)
{
    Value args = exception.inst->args;
    if (args.kind != VAL_TUPLE || args.list->n == 0) {
        return;
    }
    bool ok = args.list->n > 1 ? format_repr(in, args, in->here, out)
              : exception.inst->cls->diag == D_KEY_ERROR
                  ? format_repr(in, args.list->p[0], in->here, out)
                  : format_str(in, args.list->p[0], in->here, out);
    if (!ok) {
        text_put(out, "(its text cannot be made)");
    }
}

/* Returns the last line of a Python traceback: the class and the message as the program
 * sees it. */
static const char *
exception_line(Interp *in, Value e)
{
    Text t;
    text_init(&t, core_arena(in));
    text_printf(&t, "%s: ", e.inst->cls->name);
    error_message(in, e, &t);
    in->exception = val_none(); /* making the text may have raised another exception */
    return t.p;
}

const ObjectClass poison_class = {.name = "value that an error kept from being made"};

Value
error_poison(Interp *in)
{
    Object *o = ARENA_NEW(core_arena(in), Object);
    o->cls = &poison_class;
    return val_object(o);
}

Value
error_poisoned(Interp *in, Span span)
{
    error_raise(in, "RuntimeError", span, "the value was not made")->silent = true;
    /* Handlers of the program would act on an error that the program does not have. */
    in->fatal = in->fatal || in->core->guards > 0;
    return val_fail();
}

/* Returns the place of the call from outside, which is at fault for an exception of
 * stdlib/, and cuts the present chain there. */
Span
error_outside_library(Interp *in, Span span)
{
    while (in->chain && module_is_library(in, span)) {
        span = in->u->chains.p[in->chain].call;
        in->chain = in->u->chains.p[in->chain].parent;
    }
    return span;
}

void
error_report(Interp *in)
{
    Value e = in->exception;
    if (e.kind != VAL_INSTANCE) {
        return;
    }
    in->exception = val_none();
    if (e.inst->exc && e.inst->exc->silent) {
        return;
    }
    Text t;
    text_init(&t, core_arena(in));
    const ClassVal *c = e.inst->cls;
    const ExcInfo *x = e.inst->exc;
    DiagId id = x ? x->id : c->diag;
    if (x) {
        text_put(&t, x->text);
    } else {
        text_printf(&t, "%s: ", c->name);
        size_t before = t.n;
        error_message(in, e, &t);
        text_put(&t, t.n == before ? "raised without a text" : "");
    }
    in->exception = val_none(); /* the text of the exception may have raised another */
    in->chain = in->exception_chain;
    Span place = error_outside_library(in, in->exception_span);
    Diag *d = add_diag(in, id, place, t.p);
    bool inside = place.file == in->exception_span.file;
    memcpy(d->args, in->exception_args, sizeof d->args);
    if (!inside || in->args_chain != in->exception_chain) {
        memset(d->args, 0,
               /* they belong to the library's calls, or to another exception */
               sizeof d->args);
    }
    if (x && x->values && inside) {
        diag_note(in->u, d, (Span){0}, "%s", x->values);
    }
    if (x && x->help) {
        diag_help(in->u, d, "%s", x->help);
    }
    if (x) {
        diag_suggest(in->u, d, in->exception_span, &x->near);
    }
    if (place.file != in->exception_span.file) {
        diag_note(in->u, d, in->exception_span, "raised here");
    }
    if (x && x->note) {
        diag_note(in->u, d, x->note_span, "%s", x->note);
    }
    d->exception = exception_line(in, e);
}

/* ---- nearest name -------------------------------------------------------- */

void
nearest_attrs(Interp *in, Nearest *n, const Attrs *a)
{
    core_owe(in, a->n / 8);
    for (uint32_t i = 0; i < a->n; i++) {
        if (!val_failed(a->p[i].v)) {
            nearest_try(n, sym_text(&in->u->names, a->p[i].name));
        }
    }
}

const char *
nearest_best(Interp *in, const Nearest *n)
{
    core_owe(in, n->work / 8);
    return n->best;
}

bool
nearest_suggest(Interp *in, const Nearest *n, ExcInfo *x)
{
    x->near = *n;
    return nearest_best(in, n) != NULL;
}
