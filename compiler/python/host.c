/* host.c: values that only the host has: what the test part of a script makes of random
 * numbers, clocks, files and the results of runs. They can be made, computed with,
 * printed and passed on; the result is again such a value. Nothing reads their content:
 * code that needs it calls host_used, which reports the error host-value.
 *
 * After the last kernel there is nothing left for which the content could matter: the
 * evaluation ends there with the warning host-end, and the kernels before that place are
 * compiled.
 *
 * This file owns the diagnostics host-value and host-end. */
#include "python/core.h"

#include <string.h>

typedef struct Host {
    Object base;
    const char *origin; /* the call with which it began: numpy.random.rand(...) */
    bool called;        /* the origin ends in a call */
    bool derived;       /* the value was computed from one with that origin */
    Span made;
} Host;

bool
is_host(Value v)
{
    return v.kind == VAL_OBJECT && v.obj->cls == &host_class;
}

static Value
new_host(Interp *in, const char *origin, bool derived, Span made)
{
    Host *h = ARENA_NEW(core_arena(in), Host);
    h->base.cls = &host_class;
    h->origin = origin;
    h->called = strchr(origin, '(') != NULL;
    h->derived = derived;
    h->made = made;
    return val_object(&h->base);
}

Value
host_value(Interp *in, const char *origin, Span span)
{
    return new_host(in, origin, false, span);
}

static Value
derive(Interp *in, const Object *from, Span span)
{
    const Host *h = (const Host *)from;
    return core_step(in, span) ? new_host(in, h->origin, true, h->made) : val_fail();
}

Value
host_derived(Interp *in, Value v, Span span)
{
    return derive(in, v.obj, span);
}

/* what is the predicate of the message: "decides a condition". */
bool
host_used(Interp *in, Value v, const char *what, Span span)
{
    const Host *h = (const Host *)v.obj;
    const char *of = h->derived ? "a value made from " : "";
    (void)py_chain(in);
    span = error_outside_library(in, span);
    if (in->embedding && in->embedding->complete(in)) {
        Diag *d = py_diag(in, D_HOST_END, span,
                          "the program is followed up to here: %s'%s' %s, and only "
                          "the host has it",
                          of, h->origin, what);
        diag_note(in->u, d, h->made, "made here");
        in->core->ended = true;
        in->fatal = true;
        return false;
    }
    Diag *d = py_diag(in, D_HOST_VALUE, span, "%s'%s' %s, but only the host has it", of,
                      h->origin, what);
    diag_note(in->u, d, h->made, "made here");
    in->fatal = true;
    return false;
}

bool
hidden_used(Interp *in, Value v, const char *what, Span span)
{
    if (is_absent(v)) {
        absent_used(in, v, what, span);
        return true;
    }
    if (is_host(v)) {
        host_used(in, v, what, span);
        return true;
    }
    return false;
}

bool
py_plain(Interp *in, Value *v, Span span)
{
    bool found = false;
    if (is_host(*v)) {
        return host_used(in, *v, "is an initial value", span);
    }
    if (v->kind != VAL_INSTANCE) {
        return true;
    }
    Sym name = intern(&in->u->names, "tolist");
    Value list = attr_try(in, *v, name, span, &found);
    if (found && !val_failed(list)) {
        *v = list = call_values(in, list, NULL, 0, span);
    }
    return !val_failed(list) || !module_failed(in);
}

const char *
py_hidden_name(Interp *in, Value v)
{
    if (is_host(v)) {
        const Host *h = (const Host *)v.obj;
        return arena_printf(core_arena(in), "%s'%s', which only the host has",
                            h->derived ? "a value made from " : "", h->origin);
    }
    return is_absent(v) ? val_repr(in, v) : NULL;
}

/* ---- hooks that stand-ins for modules have too --------------------------- */

/* Ignores the attribute: what is set there changes nothing that the program can see. */
bool
hidden_set_attr(Interp *in, Object *self, Sym name, Value v, Span span)
{
    (void)in;
    (void)self;
    (void)name;
    (void)v;
    (void)span;
    return true;
}

bool
hidden_truth(Interp *in, Object *self, Span span, bool *out)
{
    *out = true;
    return !hidden_used(in, val_object(self), "decides a condition", span);
}

bool
hidden_length(Interp *in, Object *self, Span span, int64_t *out)
{
    *out = 0;
    return !hidden_used(in, val_object(self), "is asked for its length or its items",
                        span);
}

/* ---- hooks --------------------------------------------------------------- */

/* Makes numpy.linalg, then numpy.linalg.norm, then numpy.linalg.norm(...); all that is
 * made from that is derived. */
static Value
extend(Interp *in, const Object *self, const char *dot, const char *more, Span span)
{
    enum {
        LONGEST = 120
    };
    const Host *h = (const Host *)self;
    if (h->called || strlen(h->origin) + strlen(more) > LONGEST) {
        return derive(in, self, span);
    }
    if (!core_step(in, span)) {
        return val_fail();
    }
    Value v = new_host(in, arena_printf(core_arena(in), "%s%s%s", h->origin, dot, more),
                       false, span);
    ((Host *)v.obj)->called = *dot == 0;
    return v;
}

static Value
host_attr(Interp *in, Object *self, Sym name, Span span, bool *found)
{
    const char *text = sym_text(&in->u->names, name);
    *found = strncmp(text, "__", 2) != 0;
    return *found ? extend(in, self, ".", text, span) : val_fail();
}

static Value
host_item(Interp *in, Object *self, Value key, Span span)
{
    (void)key;
    return derive(in, self, span);
}

static bool
host_set_item(Interp *in, Object *self, Value key, Value v, Span span)
{
    (void)in;
    (void)self;
    (void)key;
    (void)v;
    (void)span;
    return true;
}

static Value
host_call(Interp *in, Object *self, const CallArgs *args)
{
    return extend(in, self, "", "(...)", args->span);
}

static Value
host_binary(Interp *in, AstOp op, Value left, Value right, Span span)
{
    (void)op;
    return derive(in, is_host(left) ? left.obj : right.obj, span);
}

static Value
host_unary(Interp *in, AstOp op, Object *self, Span span)
{
    (void)op;
    return derive(in, self, span);
}

static bool
host_enter(Interp *in, Object *self, Span span, Value *result)
{
    *result = derive(in, self, span);
    return !val_failed(*result);
}

static bool
host_leave(Interp *in, Object *self, Span span, bool failed)
{
    (void)in;
    (void)self;
    (void)span;
    (void)failed;
    return true;
}

static void
host_repr(Interp *in, Object *self, Text *out)
{
    (void)in;
    const Host *h = (const Host *)self;
    text_printf(out, "<%s%s>", h->derived ? "made from " : "", h->origin);
}

const ObjectClass host_class = {
    .name = "value that only the host has",
    .get_attr = host_attr,
    .set_attr = hidden_set_attr,
    .get_item = host_item,
    .set_item = host_set_item,
    .call = host_call,
    .binary = host_binary,
    .unary = host_unary,
    .truth = hidden_truth,
    .enter = host_enter,
    .leave = host_leave,
    .length = hidden_length,
    .repr = host_repr,
};

/* ---- statements that only report ----------------------------------------- */

/* Returns whether a statement only reports: print(...), logging.info(...), sys.exit(...),
 * raise, assert and pass. Whichever of them run, the kernels are the same. */
static bool
is_report(Interp *in, const Ast *s)
{
    static const char *const functions[] = {"print",   "exit",  "info", "debug",
                                            "warning", "error", "quit"};
    if (s->kind == AST_PASS || s->kind == AST_RAISE || s->kind == AST_ASSERT) {
        return true;
    }
    if (s->kind != AST_EXPR || s->a->kind != AST_CALL) {
        return false;
    }
    const Ast *f = s->a->a;
    bool named = f->kind == AST_NAME || f->kind == AST_ATTR;
    const char *name = named ? sym_text(&in->u->names, f->name) : "";
    for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
        if (strcmp(functions[i], name) == 0) {
            return true;
        }
    }
    return false;
}

bool
host_only_reports(Interp *in, const Ast *body)
{
    for (const Ast *s = body; s; s = s->next) {
        bool fine = s->kind == AST_IF ? host_only_reports(in, s->body) &&
                                            host_only_reports(in, s->orelse)
                                      : is_report(in, s);
        if (!fine) {
            return false;
        }
    }
    return true;
}
