/* explain.c: finds the values that diagnostics of the evaluator show: the arguments of
 * the functions that are being called, and the values of the names of an expression that
 * failed. No code of the program runs here: instances show their class only. */
#include "python/resolve.h"

#include <ctype.h>
#include <string.h>

enum {
    MOST_VALUES = 4, /* limit of names of an expression, and of arguments of a call */
    MOST_ITEMS = 6,  /* limit of items of a list */
    MOST_BYTES = 32, /* limit of the bytes of one value's text */
    MOST_TEXT = 400  /* limit of the bytes of an expression that are searched for names */
};

/* ---- values -------------------------------------------------------------- */

static bool short_value(Interp *in, Value v, int depth, Text *out);

static bool
short_items(Interp *in, Value v, int depth, Text *out)
{
    const List *l = v.list;
    bool list = v.kind == VAL_LIST;
    if (l->cls || depth > 1) {
        return false;
    }
    text_putc(out, list ? '[' : '(');
    for (uint32_t i = 0; i < l->n && i < MOST_ITEMS; i++) {
        text_put(out, i ? ", " : "");
        TRY(short_value(in, l->p[i], depth + 1, out));
    }
    text_put(out, l->n > MOST_ITEMS ? ", ..." : l->n == 1 && !list ? "," : "");
    text_putc(out, list ? ']' : ')');
    return true;
}

/* Puts a short text of a value; returns false if it has none. */
static bool
short_value(Interp *in, Value v, int depth, Text *out)
{
    switch ((ValueKind)v.kind) {
    case VAL_NONE:
    case VAL_BOOL:
    case VAL_INT:
    case VAL_FLOAT:
    case VAL_STR:
    case VAL_RANGE:
        return format_repr(in, v, in->here, out);
    case VAL_BIG:
        text_printf(out, "an int of %lld bits", (long long)big_bits(v));
        return true;
    case VAL_LIST:
    case VAL_TUPLE:
        return short_items(in, v, depth, out);
    case VAL_DICT:
    case VAL_SET:
        text_printf(out, "a %s of %u", val_type_name(v), v.dict->live);
        return true;
    case VAL_INSTANCE:
        text_printf(out, "a '%s'", val_type_name(v));
        return true;
    case VAL_OBJECT:
        if (is_poison(v) || !v.obj->cls->repr || v.obj->cls == &iter_class ||
            v.obj->cls == &view_class) {
            return false;
        }
        v.obj->cls->repr(in, v.obj, out);
        return true;
    case VAL_FAIL:
    case VAL_SLICE:
    case VAL_FUNC:
    case VAL_BUILTIN:
    case VAL_BOUND:
    case VAL_CLASS:
    case VAL_MODULE:
        return false;
    }
    return false;
}

/* Returns whether texts of values can be made without reaching a limit: the report may be
 * about one. */
static bool
has_room(const Interp *in)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return !in->core->explaining && !in->fatal && in->steps > 1000 &&
           in->core->stack_base - here < in->core->stack_room / 8 * 7 &&
           in->u->arena.used < in->u->opt.limits.memory / 8 * 7;
}

/* Puts "name = value"; *n counts what was put. */
static void
put_value(Interp *in, const char *name, Value v, int *n, Text *out)
{
    Text t;
    text_init(&t, core_arena(in));
    if (*n >= MOST_VALUES || !has_room(in)) {
        return;
    }
    in->core->explaining = true;
    bool ok = short_value(in, v, 0, &t);
    in->core->explaining = false;
    if (!ok) {
        return;
    }
    bool cut = t.n > MOST_BYTES * 2;
    size_t end = cut ? MOST_BYTES : t.n;
    while (cut && end > 0 && ((unsigned char)t.p[end] & 0xc0) == 0x80) {
        end--;
    }
    text_printf(out, "%s%s = %.*s%s", (*n)++ ? ", " : "", name, (int)end, t.p,
                cut ? "..." : "");
}

const char *
explain_value(Interp *in, const char *name, Value v)
{
    Text t;
    int n = 0;
    text_init(&t, core_arena(in));
    put_value(in, name, v, &n, &t);
    return n ? t.p : NULL;
}

/* ---- arguments of calls -------------------------------------------------- */

static const char *
arguments_of(Interp *in, const Frame *f)
{
    Text t;
    int n = 0;
    text_init(&t, core_arena(in));
    for (int i = 0; i < f->loc->nparams; i++) {
        const ParamSlot *p = &f->loc->params[i];
        const char *name = sym_text(&in->u->names, p->name);
        Value v = p->in_cell ? f->cells[p->slot]->v : f->slots[p->slot];
        if (i > 0 || strcmp(name, "self") != 0) {
            put_value(in, name, v, &n, &t);
        }
    }
    return n ? t.p : NULL;
}

void
explain_calls(Interp *in, const char **out, int most)
{
    int n = 0;
    uint32_t c = py_chain(in);
    memset(out, 0, (size_t)most * sizeof *out);
    for (const Frame *f = in->frame; f && c && n < most; f = f->caller) {
        bool call = f->func && f->func->loc == f->loc;
        if (call && f->func->name == in->u->chains.p[c].callee) {
            out[n] = arguments_of(in, f);
        }
        if (call) {
            n++;
            c = in->u->chains.p[c].parent;
        }
    }
}

/* ---- names of an expression ---------------------------------------------- */

static Value
find_name(const Interp *in, Sym name)
{
    const Frame *f = in->frame;
    for (uint32_t i = 0; f->func && i < f->loc->nslots; i++) {
        if (f->loc->slot_names[i] == name) {
            return f->slots[i];
        }
    }
    for (uint32_t i = 0; f->func && i < f->loc->ncells; i++) {
        if (f->loc->cell_names[i] == name) {
            return f->cells[i]->v;
        }
    }
    return attrs_get(&f->module->attrs, name);
}

/* Returns the end of a name, or of a name and one attribute of an instance. */
static const char *
take_name(const char *p, const char *end)
{
    while (p < end && (isalnum((unsigned char)*p) || *p == '_')) {
        p++;
    }
    return p;
}

static const char *
skip_text(const char *p, const char *end)
{
    const char *q = memchr(p + 1, *p, (size_t)(end - p - 1));
    return q ? q + 1 : end;
}

static void
put_name(Interp *in, const char *p, const char *end, const char *limit, int *n, Text *out)
{
    Interner *names = &in->u->names;
    Value v = find_name(in, intern_n(names, p, (size_t)(end - p)));
    const char *last = end;
    if (v.kind == VAL_INSTANCE && end < limit && *end == '.') {
        last = take_name(end + 1, limit);
        Sym attr = intern_n(names, end + 1, (size_t)(last - end - 1));
        v = attrs_get(&v.inst->attrs, attr);
    }
    if (last < limit && *last == '(') {
        return;
    }
    const char *name = arena_strndup(core_arena(in), p, (size_t)(last - p));
    const char *known = strstr(out->p, arena_printf(core_arena(in), "%s = ", name));
    if (!known || (known != out->p && known[-1] != ' ')) {
        put_value(in, name, v, n, out);
    }
}

const char *
explain_names(Interp *in, Span span)
{
    const Source *src = &in->u->sources.p[span.file];
    const char *p = src->text + span.begin;
    const char *end = src->text + span.end;
    int n = 0;
    if (!in->frame || span.end > src->len || span.end <= span.begin ||
        span.end - span.begin > MOST_TEXT) {
        return NULL;
    }
    Text t;
    text_init(&t, core_arena(in));
    while (p < end) {
        const char *q = p + 1;
        if (*p == '"' || *p == '\'') {
            q = skip_text(p, end);
        } else if (isalpha((unsigned char)*p) || *p == '_') {
            q = take_name(p, end);
            put_name(in, p, q, end, &n, &t);
        } else if (*p == '.' || isdigit((unsigned char)*p)) {
            q = take_name(p + 1, end);
        }
        p = q;
    }
    return n ? t.p : NULL;
}
