/* bind.c: tik_bind, the binding of a call's arguments to the parameters of a C function; see
 * python/interp.h. Functions of the program are bound in call.c. */
#include "python/core.h"
#include "tik/tik.h"

#include <string.h>

typedef struct Binding {
    Interp *in;
    const char *callee;
    const CallArgs *args;
    const BindParam *params;
    int n;
    Value *out;
    Span *spans; /* or null */
} Binding;

/* What a parameter is when it is left out. */
static const char *
default_text(const Binding *b, const BindParam *p)
{
    static const struct {
        const char *callee, *param, *text;
    } rows[] = {
#define DEFAULT(callee, param, text) {callee, param, text},
#include "tik/bind_default.def"
    };
    if (!val_failed(p->dflt)) {
        return val_repr(b->in, p->dflt);
    }
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if ((!*rows[i].callee || strcmp(rows[i].callee, b->callee) == 0) &&
            strcmp(rows[i].param, p->name) == 0) {
            return rows[i].text;
        }
    }
    return "...";
}

static Diag *
bind_error(const Binding *b, Span span, const char *fmt, const char *name)
{
    Text t;
    text_init(&t, core_arena(b->in));
    text_printf(&t, "prototype: %s(", b->callee);
    for (int i = 0; i < b->n; i++) {
        const BindParam *p = &b->params[i];
        text_printf(&t, "%s%s", i ? ", " : "", p->name);
        if (!p->required) {
            text_printf(&t, "=%s", default_text(b, p));
        }
    }
    text_putc(&t, ')');
    Diag *d = py_diag(b->in, D_ARG_COUNT, span, "%s %s%s%s%s", b->callee, fmt,
                      name ? " '" : "", name ? name : "", name ? "'" : "");
    diag_note(b->in->u, d, (Span){0}, "%s", t.p);
    return d;
}

static void
put(const Binding *b, int i, Value v, const Span *span)
{
    b->out[i] = v;
    if (b->spans) {
        b->spans[i] = span ? *span : b->args->span;
    }
}

static bool
bind_positions(const Binding *b)
{
    const CallArgs *a = b->args;
    if (a->npos > b->n) {
        const char *text =
            arena_printf(core_arena(b->in), "takes at most %d argument%s; %d are given",
                         b->n, b->n == 1 ? "" : "s", a->npos + a->nkw);
        bind_error(b, a->pos_span ? a->pos_span[b->n] : a->span, text, NULL);
        return false;
    }
    for (int i = 0; i < b->n; i++) {
        bool given = i < a->npos;
        put(b, i, given ? a->pos[i] : val_fail(),
            given && a->pos_span ? &a->pos_span[i] : NULL);
    }
    return true;
}

static bool
unknown_parameter(const Binding *b, Span span, const char *name)
{
    Nearest near = {.wanted = name};
    for (int i = 0; i < b->n; i++) {
        nearest_try(&near, b->params[i].name);
    }
    Diag *d = bind_error(b, span, "has no parameter", name);
    if (near.best) {
        diag_help(b->in->u, d, "did you mean '%s'?", near.best);
    } else if (b->n == 1 && strcmp(b->params[0].name, "cond") == 0) {
        diag_help(b->in->u, d, "compare with %s == ...", name);
    }
    return false;
}

static bool
bind_keywords(const Binding *b)
{
    const CallArgs *a = b->args;
    for (int k = 0; k < a->nkw; k++) {
        const char *name = sym_text(&b->in->u->names, a->kwname[k]);
        const Span *span = a->kw_span ? &a->kw_span[k] : &a->span;
        int i = 0;
        while (i < b->n && strcmp(b->params[i].name, name) != 0) {
            i++;
        }
        if (i == b->n) {
            return unknown_parameter(b, a->kwname_span ? a->kwname_span[k] : *span, name);
        }
        if (!val_failed(b->out[i])) {
            bind_error(b, *span, "gets twice the argument", name);
            return false;
        }
        put(b, i, a->kwval[k], span);
    }
    return true;
}

bool
tik_bind(Interp *in, const char *callee, const CallArgs *args, const BindParam *params,
         int n, Value *out, Span *spans)
{
    Binding b = {in, callee, args, params, n, out, spans};
    TRY(bind_positions(&b) && bind_keywords(&b));
    for (int i = 0; i < n; i++) {
        if (val_failed(out[i]) && params[i].required) {
            bind_error(&b, args->span, "needs an argument", params[i].name);
            return false;
        }
        out[i] = val_failed(out[i]) ? params[i].dflt : out[i];
    }
    return true;
}
