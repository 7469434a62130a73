/* compile_info.c: what operators report to the host with add_compile_info, as JSON.
 * Dictionaries are sorted by key, so that the text does not depend on the order of the
 * calls. */
#include "python/core.h"
#include "tik/compile_info.h"
#include "tik/tik.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_NEST = 64
};

typedef struct Writer {
    Interp *in;
    Text out;
    Span span;
    const char *bad; /* description of a value that JSON cannot hold */
} Writer;

static bool put_value(Writer *w, Value v, int depth);

static bool
refuse(Writer *w, const char *what)
{
    w->bad = what;
    return false;
}

static bool
put_text(Writer *w, Value v)
{
    if (strlen(v.str->p) != v.str->len) {
        return refuse(w, "a text with a zero byte");
    }
    diag_put_json(&w->out, v.str->p);
    return true;
}

static bool
put_float(Writer *w, double f)
{
    if (!isfinite(f)) {
        return refuse(w, "a float that is not finite");
    }
    format_double(f, &w->out);
    return true;
}

static bool
put_items(Writer *w, const List *l, int depth)
{
    text_putc(&w->out, '[');
    for (uint32_t i = 0; i < l->n; i++) {
        text_put(&w->out, i ? ", " : "");
        TRY(put_value(w, l->p[i], depth + 1));
    }
    text_putc(&w->out, ']');
    return true;
}

/* ---- dictionaries -------------------------------------------------------- */

typedef struct Pair {
    const char *key;
    Value v;
} Pair;

static int
by_key(const void *a, const void *b)
{
    return strcmp(((const Pair *)a)->key, ((const Pair *)b)->key);
}

/* Returns the text of a key; null if it cannot be one. */
static const char *
key_text(Writer *w, Value key)
{
    if (key.kind == VAL_STR) {
        return strlen(key.str->p) == key.str->len ? key.str->p : NULL;
    }
    bool plain = key.kind == VAL_INT || key.kind == VAL_BIG || key.kind == VAL_BOOL ||
                 key.kind == VAL_NONE;
    if (!plain) {
        return NULL;
    }
    Writer sub = {.in = w->in, .span = w->span};
    text_init(&sub.out, core_arena(w->in));
    return put_value(&sub, key, 0) ? sub.out.p : NULL;
}

static bool
put_dict(Writer *w, const Dict *d, int depth)
{
    Pair *entries = ARENA_ARRAY(core_arena(w->in), Pair, d->n + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->n; i++) {
        if (val_failed(d->p[i].key)) {
            continue;
        }
        const char *key = key_text(w, d->p[i].key);
        if (!key) {
            return refuse(w, arena_printf(core_arena(w->in), "a key that is %s",
                                          val_repr(w->in, d->p[i].key)));
        }
        entries[n++] = (Pair){key, d->p[i].v};
    }
    qsort(entries, n, sizeof *entries, by_key);
    text_putc(&w->out, '{');
    for (uint32_t i = 0; i < n; i++) {
        text_put(&w->out, i ? ", " : "");
        diag_put_json(&w->out, entries[i].key);
        text_put(&w->out, ": ");
        TRY(put_value(w, entries[i].v, depth + 1));
    }
    text_putc(&w->out, '}');
    return true;
}

static bool
put_value(Writer *w, Value v, int depth)
{
    if (depth > MAX_NEST) {
        return refuse(w, "a value that is nested more than 64 deep");
    }
    TRY(core_charge(w->in, 1, w->span));
    switch ((ValueKind)v.kind) {
    case VAL_NONE:
        text_put(&w->out, "null");
        return true;
    case VAL_BOOL:
        text_put(&w->out, v.b ? "true" : "false");
        return true;
    case VAL_INT:
        text_printf(&w->out, "%lld", (long long)v.i);
        return true;
    case VAL_BIG:
        big_text(w->in, v, 10, &w->out);
        return true;
    case VAL_FLOAT:
        return put_float(w, v.f);
    case VAL_STR:
        return put_text(w, v);
    case VAL_LIST:
    case VAL_TUPLE:
        return put_items(w, v.list, depth);
    case VAL_DICT:
        return put_dict(w, v.dict, depth);
    default:
        return refuse(w, val_repr(w->in, v));
    }
}

bool
compile_info_text(Interp *in, Value v, Span span, const char **text, const char **bad)
{
    Writer w = {.in = in, .span = span};
    text_init(&w.out, core_arena(in));
    bool ok = put_value(&w, v, 0);
    *text = w.out.p;
    *bad = w.bad;
    return ok;
}

/* ---- at the end of the program ------------------------------------------- */

static bool
collect(Interp *in, const char *name, Span span, const char **out)
{
    const char *bad;
    Value m = module_registered(in, "<stdlib>._context");
    Value dict = m.kind == VAL_MODULE
                     ? attrs_get(&m.module->attrs, intern(&in->u->names, name))
                     : val_none();
    *out = "{}";
    if (dict.kind != VAL_DICT || compile_info_text(in, dict, span, out, &bad)) {
        return true;
    }
    if (bad) {
        py_diag(in, D_COMPILE_INFO, span, "the compile info holds %s", bad);
    }
    return false;
}

bool
compile_info_finish(Interp *in, Span span)
{
    return collect(in, "_compile_info", span, &in->u->compile_info) &&
           collect(in, "_build_results", span, &in->u->build_results);
}
