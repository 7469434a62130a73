/* refuse.c: has the built-in names and modules of Python that are not part of the
 * language (refuse.def). They exist so that the refusal names the construct and what to
 * write instead; a program may read the names. */
#include "python/core.h"

#include <string.h>

typedef struct Refused {
    const char *name;
    const char *why;
    const char *help;
} Refused;

static const Refused calls[] = {
#define REFUSED_CALL(name, why, help) {name, why, help},
#include "python/refuse.def"
};

static const Refused types[] = {
#define REFUSED_TYPE(name, why, help) {name, why, help},
#include "python/refuse.def"
};

static const Refused modules[] = {
#define REFUSED_MODULE(name, why, help) {name, why, help},
#include "python/refuse.def"
};

static const Refused placeholders[] = {
#define REFUSED_PLACEHOLDER(name, why, help) {name, why, help},
#include "python/refuse.def"
};

static const Refused *
find(const Refused *rows, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

static Value
refuse(Interp *in, const Refused *r, Span span)
{
    const char *text =
        arena_printf(core_arena(in), "%s() is not evaluated: %s", r->name, r->why);
    return error_not_supported(in, span, text, r->help);
}

/* self is the name. */
static Value
refused_call(Interp *in, Value self, const CallArgs *args)
{
    return refuse(in, find(calls, ARRAY_LEN(calls), self.str->p), args->span);
}

/* self is the class. */
static Value
refused_type(Interp *in, Value self, const CallArgs *args)
{
    return refuse(in, find(types, ARRAY_LEN(types), self.klass->name), args->span);
}

void
refuse_install(Interp *in)
{
    Attrs *into = &in->core->builtins->attrs;
    for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
        Value f =
            val_builtin(in, calls[i].name, refused_call, val_str(in, calls[i].name));
        attrs_set(core_arena(in), into, intern(&in->u->names, calls[i].name), f);
    }
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        ClassVal *c = class_new(in, types[i].name, NULL);
        c->kind = VAL_OBJECT;
        c->construct = refused_type;
        attrs_set(core_arena(in), into, intern(&in->u->names, c->name),
                  (Value){.kind = VAL_CLASS, .klass = c});
    }
}

static const char *
top_of(Interp *in, const char *dotted)
{
    const char *dot = strchr(dotted, '.');
    return dot ? arena_strndup(core_arena(in), dotted, (size_t)(dot - dotted)) : dotted;
}

const char *
refuse_placeholder(Interp *in, const char *dotted)
{
    const Refused *r = find(placeholders, ARRAY_LEN(placeholders), top_of(in, dotted));
    return r ? arena_printf(core_arena(in), "%s; %s", r->why, r->help) : NULL;
}

const char *
refuse_reason(Interp *in, const char *dotted, const char **help)
{
    const char *top = top_of(in, dotted);
    const Refused *r = find(modules, ARRAY_LEN(modules), top);
    *help = r ? r->help : NULL;
    return r ? arena_printf(core_arena(in),
                            "the module '%s' is not part of the language: %s", top,
                            r->why)
             : NULL;
}

bool
refuse_module(Interp *in, const char *dotted, Span span)
{
    const char *top = top_of(in, dotted);
    const Refused *r = find(modules, ARRAY_LEN(modules), top);
    if (r) {
        ExcInfo *x =
            error_raise(in, "ModuleNotFoundError", span,
                        "the module '%s' is not part of the language: %s", top, r->why);
        x->help = r->help;
    }
    return r != NULL;
}
