/* record_value.c: see record_value.h. Containers are copied, at most DEEPEST levels of
 * them: what is deeper, or contains itself, goes out as an object. */
#include "lib/record_value.h"

#include <string.h>

enum {
    DEEPEST = 32
};

/* ---- from the program ---------------------------------------------------- */

static Value
list_in(Record *r, const TikcValue *v, ValueKind kind)
{
    Value list = val_items(&r->in, kind, v->n);
    for (uint32_t i = 0; i < v->n; i++) {
        list.list->p[i] = record_in(r, &v->items[i]);
        if (val_failed(list.list->p[i])) {
            return val_fail();
        }
    }
    return list;
}

static Value
dict_in(Record *r, const TikcValue *v)
{
    Value dict = val_dict(&r->in);
    for (uint32_t i = 0; i + 1 < v->n; i += 2) {
        Value key = record_in(r, &v->items[i]);
        Value item = val_failed(key) ? key : record_in(r, &v->items[i + 1]);
        if (val_failed(item) || !dict_set(&r->in, dict, key, item, r->in.here)) {
            return val_fail();
        }
    }
    return dict;
}

static Value
set_in(Record *r, const TikcValue *v)
{
    Value set = dict_new(&r->in, VAL_SET);
    for (uint32_t i = 0; i < v->n; i++) {
        Value key = record_in(r, &v->items[i]);
        if (val_failed(key) || !dict_put(&r->in, set.dict, key, val_none(), r->in.here)) {
            return val_fail();
        }
    }
    return set;
}

static Value
slice_in(Record *r, const TikcValue *v)
{
    SliceVal *s = ARENA_NEW(core_arena(&r->in), SliceVal);
    s->start = record_in(r, &v->items[0]);
    s->stop = record_in(r, &v->items[1]);
    s->step = record_in(r, &v->items[2]);
    bool ok = !val_failed(s->start) && !val_failed(s->stop) && !val_failed(s->step);
    return ok ? (Value){.kind = VAL_SLICE, .slice = s} : val_fail();
}

static Value
object_in(const TikcValue *v)
{
    return (Value){.kind = (uint8_t)(v->kind == TIKC_MODULE ? VAL_MODULE : v->n),
                   .obj = (Object *)(uintptr_t)v->ref};
}

Value
record_in(Record *r, const TikcValue *v)
{
    Interp *in = &r->in;
    switch ((TikcKind)v->kind) {
    case TIKC_NONE:
        return val_none();
    case TIKC_BOOL:
        return val_bool(v->i != 0);
    case TIKC_INT:
        return val_int(v->i);
    case TIKC_BIG:
        return big_parse(in, v->text, 10, in->here);
    case TIKC_FLOAT:
        return val_float(v->f);
    case TIKC_STR:
        return val_str_n(in, v->text, v->n);
    case TIKC_TUPLE:
        return list_in(r, v, VAL_TUPLE);
    case TIKC_LIST:
        return list_in(r, v, VAL_LIST);
    case TIKC_DICT:
        return dict_in(r, v);
    case TIKC_SET:
        return set_in(r, v);
    case TIKC_SLICE:
        return slice_in(r, v);
    case TIKC_MODULE:
    case TIKC_OBJECT:
        return object_in(v);
    case TIKC_FOREIGN:
        return foreign_value(in, &r->host, v->i);
    case TIKC_ELLIPSIS:
        return in->core->ellipsis;
    }
    return py_raise(in, "TypeError", in->here, "there is no kind of value %d", v->kind);
}

Span
record_span(Unit *u, TikcPlace place)
{
    if (place.source == 0 || place.source >= u->sources.n || place.line == 0) {
        return (Span){place.source < u->sources.n ? place.source : 0, 0, 0};
    }
    Source *src = &u->sources.p[place.source];
    uint32_t len;
    uint32_t first = MAX(place.column, 1) - 1, last = MAX(place.end_column, 1) - 1;
    const char *begin = source_line(&u->arena, src, place.line, &len);
    uint32_t from = *begin || len ? (uint32_t)(begin - src->text) + MIN(first, len) : 0;
    const char *end = source_line(&u->arena, src, place.end_line, &len);
    uint32_t to = *end || len ? (uint32_t)(end - src->text) + MIN(last, len) : from;
    return (Span){place.source, MIN(from, src->len), MIN(MAX(from, to), src->len)};
}

static const Span *
spans_in(Record *r, const TikcArgs *given, Span usual)
{
    size_t n = (size_t)given->npos + (size_t)given->nnamed;
    Span *spans = ARENA_ARRAY(core_arena(&r->in), Span, n + 1);
    for (size_t i = 0; i < n; i++) {
        bool known = given->places[i].line != 0;
        spans[i] = known ? record_span(r->in.u, given->places[i]) : usual;
    }
    return spans;
}

bool
record_args(Record *r, const TikcArgs *given, Span span, CallArgs *out)
{
    Arena *arena = core_arena(&r->in);
    *out = (CallArgs){.span = span};
    if (!given) {
        return true;
    }
    Value *pos = ARENA_ARRAY(arena, Value, (size_t)given->npos + 1);
    Value *named = ARENA_ARRAY(arena, Value, (size_t)given->nnamed + 1);
    Sym *names = ARENA_ARRAY(arena, Sym, (size_t)given->nnamed + 1);
    bool ok = true;
    for (int i = 0; i < given->npos; i++) {
        pos[i] = record_in(r, &given->pos[i]);
        ok = ok && !val_failed(pos[i]);
    }
    for (int i = 0; i < given->nnamed; i++) {
        named[i] = record_in(r, &given->named[i]);
        names[i] = intern(&r->in.u->names, given->names[i]);
        ok = ok && !val_failed(named[i]);
    }
    const Span *spans = given->places ? spans_in(r, given, span) : NULL;
    *out = (CallArgs){.pos = pos,
                      .npos = given->npos,
                      .kwname = names,
                      .kwval = named,
                      .nkw = given->nnamed,
                      .span = span,
                      .pos_span = spans,
                      .kw_span = spans ? spans + given->npos : NULL};
    return ok;
}

/* ---- to the program ------------------------------------------------------ */

static bool out_at(Record *r, Value v, int depth, TikcValue *out);

static bool
items_out(Record *r, const Value *v, uint32_t n, int depth, TikcValue *out)
{
    TikcValue *items = ARENA_ARRAY(core_arena(&r->in), TikcValue, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) {
        TRY(out_at(r, v[i], depth + 1, &items[i]));
    }
    out->n = n;
    out->items = items;
    return true;
}

static bool
dict_out(Record *r, Value v, int depth, TikcValue *out)
{
    bool set = v.kind == VAL_SET;
    uint32_t at = 0, n = 0;
    Value *flat = ARENA_ARRAY(core_arena(&r->in), Value, (size_t)v.dict->live * 2 + 1);
    Value key, item;
    while (dict_next(v, &at, &key, &item)) {
        flat[n++] = key;
        if (!set) {
            flat[n++] = item;
        }
    }
    out->kind = set ? TIKC_SET : TIKC_DICT;
    return items_out(r, flat, n, depth, out);
}

static void
text_out(TikcKind kind, const char *text, size_t n, TikcValue *out)
{
    out->kind = kind;
    out->n = (uint32_t)n;
    out->text = text;
}

static bool
big_out(Record *r, Value v, TikcValue *out)
{
    Text t;
    text_init(&t, core_arena(&r->in));
    big_text(&r->in, v, 10, &t);
    text_out(TIKC_BIG, t.p, t.n, out);
    return true;
}

static bool
object_out(Record *r, Value v, TikcValue *out)
{
    if (foreign_number(v, &out->i)) {
        out->kind = TIKC_FOREIGN;
    } else if (v.kind == VAL_OBJECT && v.obj == r->in.core->ellipsis.obj) {
        out->kind = TIKC_ELLIPSIS;
    } else if (is_poison(v)) {
        return !val_failed(error_poisoned(&r->in, r->in.here));
    } else {
        out->kind = v.kind == VAL_MODULE ? TIKC_MODULE : TIKC_OBJECT;
        out->n = v.kind;
        out->ref = v.obj;
    }
    return true;
}

static bool
slice_out(Record *r, Value v, int depth, TikcValue *out)
{
    Value parts[3] = {v.slice->start, v.slice->stop, v.slice->step};
    out->kind = TIKC_SLICE;
    return items_out(r, parts, 3, depth, out);
}

static bool
out_at(Record *r, Value v, int depth, TikcValue *out)
{
    *out = (TikcValue){.kind = TIKC_NONE};
    bool deep = depth >= DEEPEST;
    switch ((ValueKind)v.kind) {
    case VAL_FAIL:
        return false;
    case VAL_NONE:
        return true;
    case VAL_BOOL:
        *out = (TikcValue){.kind = TIKC_BOOL, .i = v.b};
        return true;
    case VAL_INT:
        *out = (TikcValue){.kind = TIKC_INT, .i = v.i};
        return true;
    case VAL_FLOAT:
        *out = (TikcValue){.kind = TIKC_FLOAT, .f = v.f};
        return true;
    case VAL_BIG:
        return big_out(r, v, out);
    case VAL_STR:
        text_out(TIKC_STR, val_text_of(&r->in, v), v.str->len, out);
        return true;
    case VAL_TUPLE:
    case VAL_LIST:
        out->kind = v.kind == VAL_TUPLE ? TIKC_TUPLE : TIKC_LIST;
        return deep || v.list->cls ? object_out(r, v, out)
                                   : items_out(r, v.list->p, v.list->n, depth, out);
    case VAL_DICT:
    case VAL_SET:
        return deep || v.dict->cls ? object_out(r, v, out) : dict_out(r, v, depth, out);
    case VAL_SLICE:
        return slice_out(r, v, depth, out);
    case VAL_RANGE:
    case VAL_FUNC:
    case VAL_BUILTIN:
    case VAL_BOUND:
    case VAL_CLASS:
    case VAL_INSTANCE:
    case VAL_MODULE:
    case VAL_OBJECT:
        return object_out(r, v, out);
    }
    UNREACHABLE();
}

bool
record_out(Record *r, Value v, TikcValue *out)
{
    return out_at(r, v, 0, out);
}

/* ---- foreign objects ----------------------------------------------------- */

static bool
call_out(Record *r, const CallArgs *args, TikcArgs *out)
{
    TikcValue pos, named;
    TRY(items_out(r, args->pos, (uint32_t)args->npos, 0, &pos) &&
        items_out(r, args->kwval, (uint32_t)args->nkw, 0, &named));
    const char **names =
        ARENA_ARRAY(core_arena(&r->in), const char *, (size_t)args->nkw + 1);
    for (int i = 0; i < args->nkw; i++) {
        names[i] = sym_text(&r->in.u->names, args->kwname[i]);
    }
    *out = (TikcArgs){.pos = pos.items,
                      .npos = args->npos,
                      .named = named.items,
                      .names = names,
                      .nnamed = args->nkw};
    return true;
}

Value
record_foreign(void *ctx, int64_t number, Sym name, const CallArgs *args)
{
    Record *r = ctx;
    TikcArgs given;
    TikcValue out;
    Interp *in = &r->in;
    Span here = in->here;
    uint32_t chain = py_chain(in);
    const char *attribute = name ? sym_text(&in->u->names, name) : NULL;
    bool ok = r->foreign && call_out(r, args, &given) &&
              r->foreign(r->ctx, number, attribute, &given, &out);
    in->here = here; /* the program was elsewhere */
    in->chain = chain;
    return ok ? record_in(r, &out) : val_fail();
}
