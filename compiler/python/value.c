/* value.c: has the constructors of values, namespaces, the value stack and the limits;
 * see value.h and core.h. */
#include "python/core.h"

#include <math.h>
#include <string.h>

/* ---- namespaces ---------------------------------------------------------- */

enum {
    LINEAR_ATTRS = 8
};

static void
index_attrs(Arena *arena, Attrs *a)
{
    uint32_t size = a->nindex ? a->nindex * 2 : 32;
    while (size < a->n * 2) {
        size *= 2;
    }
    a->index = ARENA_ARRAY(arena, uint32_t, size);
    a->nindex = size;
    for (uint32_t i = 0; i < a->n; i++) {
        uint32_t h = a->p[i].name * 2654435761u & (size - 1);
        while (a->index[h]) {
            h = (h + 1) & (size - 1);
        }
        a->index[h] = i + 1;
    }
}

Attr *
attrs_entry(const Attrs *a, Sym name)
{
    if (!a->index) {
        for (uint32_t i = 0; i < a->n; i++) {
            if (a->p[i].name == name) {
                return &a->p[i];
            }
        }
        return NULL;
    }
    uint32_t h = name * 2654435761u & (a->nindex - 1);
    for (; a->index[h]; h = (h + 1) & (a->nindex - 1)) {
        Attr *e = &a->p[a->index[h] - 1];
        if (e->name == name) {
            return e;
        }
    }
    return NULL;
}

Value
attrs_get(const Attrs *a, Sym name)
{
    const Attr *e = attrs_entry(a, name);
    return e ? e->v : val_fail();
}

uint32_t
attrs_slot(Arena *arena, Attrs *a, Sym name)
{
    const Attr *e = attrs_entry(a, name);
    if (e) {
        return (uint32_t)(e - a->p);
    }
    if (a->n == a->cap) {
        a->p = arena_grow(arena, a->p, &a->cap, sizeof *a->p);
    }
    a->p[a->n++] = (Attr){.name = name};
    if (a->n > LINEAR_ATTRS && a->n * 2 > a->nindex) {
        index_attrs(arena, a);
    } else if (a->index) {
        uint32_t h = name * 2654435761u & (a->nindex - 1);
        while (a->index[h]) {
            h = (h + 1) & (a->nindex - 1);
        }
        a->index[h] = a->n;
    }
    return a->n - 1;
}

void
attrs_set(Arena *arena, Attrs *a, Sym name, Value v)
{
    uint32_t i = attrs_slot(arena, a, name);
    a->p[i].v = v;
}

/* ---- constructors -------------------------------------------------------- */

void *
py_new(Interp *in, size_t bytes)
{
    in->u->arena.used += (int64_t)bytes;
    return arena_alloc_word(&in->u->values, bytes);
}

Value
val_str_ref(Interp *in, const char *p, size_t n)
{
    Str *s = py_new(in, sizeof *s);
    s->p = p;
    s->len = (uint32_t)n;
    return (Value){.kind = VAL_STR, .str = s};
}

void *
py_object(Interp *in, size_t bytes)
{
    if (!in->brief) {
        return py_new(in, bytes);
    }
    in->u->arena.used += (int64_t)bytes;
    return arena_alloc_word(in->brief, bytes);
}

const char *
val_text_of(Interp *in, Value str)
{
    const Str *s = str.str;
    return s->p[s->len] == '\0' ? s->p : arena_strndup(core_arena(in), s->p, s->len);
}

Value
val_str_n(Interp *in, const char *p, size_t n)
{
    struct Core *c = in->core;
    if (n == 0) {
        if (!c->empty) {
            c->empty = val_str_ref(in, "", 0).str;
        }
        return (Value){.kind = VAL_STR, .str = c->empty};
    }
    if (n == 1 && (unsigned char)p[0] < 128) {
        Str **one = &c->ascii[(unsigned char)p[0]];
        if (!*one) {
            *one = val_str_ref(in, arena_strndup(core_arena(in), p, 1), 1).str;
        }
        return (Value){.kind = VAL_STR, .str = *one};
    }
    return val_str_ref(in, arena_strndup(core_arena(in), p, n), n);
}

Value
val_str(Interp *in, const char *zero_ended)
{
    return val_str_n(in, zero_ended, strlen(zero_ended));
}

Value
val_str_sym(Interp *in, Sym name)
{
    return val_str_ref(in, sym_text(&in->u->names, name), sym_len(&in->u->names, name));
}

Value
val_text(Interp *in, const Text *t)
{
    return t->p == t->lent ? val_str_n(in, t->p, t->n) : val_str_ref(in, t->p, t->n);
}

Value
val_of_list(ValueKind kind, List *l)
{
    return (Value){.kind = (uint8_t)kind, .list = l};
}

Value
val_items(Interp *in, ValueKind kind, uint32_t n)
{
    List *l = py_new(in, sizeof *l);
    l->p = n ? py_new(in, n * sizeof *l->p) : NULL;
    l->n = n;
    l->cap = n;
    return val_of_list(kind, l);
}

Value
val_list(Interp *in, const Value *items, uint32_t n)
{
    Value v = val_items(in, VAL_LIST, n);
    if (n) {
        memcpy(v.list->p, items, n * sizeof *items);
    }
    return v;
}

Value
val_tuple(Interp *in, const Value *items, uint32_t n)
{
    Value v = val_list(in, items, n);
    v.kind = VAL_TUPLE;
    return v;
}

Value
val_builtin(Interp *in, const char *name, BuiltinFn fn, Value self)
{
    BuiltinVal *b = ARENA_NEW(core_arena(in), BuiltinVal);
    b->name = name;
    b->fn = fn;
    b->self = self;
    return (Value){.kind = VAL_BUILTIN, .builtin = b};
}

Value
val_dict(Interp *in)
{
    return dict_new(in, VAL_DICT);
}

bool
list_push(Interp *in, Value list, Value item)
{
    core_owe(in, 1);
    VEC_PUSH(core_arena(in), list.list, item);
    return true;
}

/* ---- facts --------------------------------------------------------------- */

static const char *const kind_names[] = {
    [VAL_FAIL] = "error",
    [VAL_NONE] = "NoneType",
    [VAL_BOOL] = "bool",
    [VAL_INT] = "int",
    [VAL_BIG] = "int",
    [VAL_FLOAT] = "float",
    [VAL_STR] = "str",
    [VAL_TUPLE] = "tuple",
    [VAL_LIST] = "list",
    [VAL_DICT] = "dict",
    [VAL_SET] = "set",
    [VAL_RANGE] = "range",
    [VAL_SLICE] = "slice",
    [VAL_FUNC] = "function",
    [VAL_BUILTIN] = "builtin_function_or_method",
    [VAL_BOUND] = "method",
    [VAL_CLASS] = "type",
    [VAL_INSTANCE] = "object",
    [VAL_MODULE] = "module",
    [VAL_OBJECT] = "object",
};

const char *
val_type_name(Value v)
{
    switch (v.kind) {
    case VAL_SET:
        return v.dict->frozen ? "frozenset" : "set";
    case VAL_DICT:
        return v.dict->cls ? v.dict->cls->name : "dict";
    case VAL_OBJECT:
        return v.obj->cls == &iter_class ? ((IterVal *)v.obj)->name : v.obj->cls->name;
    case VAL_INSTANCE:
        return v.inst->cls->name;
    case VAL_TUPLE:
        return v.list->cls ? v.list->cls->name : "tuple";
    default:
        return kind_names[v.kind];
    }
}

ClassVal *
val_class(Interp *in, Value v)
{
    struct Core *c = in->core;
    if (v.kind == VAL_INSTANCE) {
        return v.inst->cls;
    }
    if (v.kind == VAL_TUPLE && v.list->cls) {
        return v.list->cls;
    }
    if (v.kind == VAL_SET && v.dict->frozen) {
        return c->frozenset_type;
    }
    if (v.kind == VAL_DICT && v.dict->cls) {
        return v.dict->cls;
    }
    if (v.kind == VAL_OBJECT) {
        for (uint32_t i = 0; i < c->object_types.n; i++) {
            ClassVal *k = c->object_types.p[i].klass;
            if (k->objects == v.obj->cls) {
                return k;
            }
        }
        return c->object_type;
    }
    return c->types[v.kind == VAL_BIG ? VAL_INT : v.kind];
}

bool
val_is_int(Value v)
{
    return v.kind == VAL_INT || v.kind == VAL_BIG || v.kind == VAL_BOOL;
}

bool
val_is_number(Value v)
{
    return val_is_int(v) || v.kind == VAL_FLOAT;
}

bool
val_str_is(Value v, const char *text)
{
    return v.kind == VAL_STR && v.str->len == strlen(text) &&
           memcmp(v.str->p, text, v.str->len) == 0;
}

Sym
val_sym(Interp *in, Value str)
{
    enum {
        NEW_STEPS = 48 /* cost of a name that nothing had before */
    };
    uint32_t before = in->u->names.n;
    Sym name = intern_n(&in->u->names, str.str->p, str.str->len);
    core_owe(in,
             2 + str.str->len / WORK_BYTES + (in->u->names.n > before ? NEW_STEPS : 0));
    return name;
}

bool
val_as_int64(Value v, int64_t *out)
{
    switch (v.kind) {
    case VAL_BOOL:
        *out = v.b;
        return true;
    case VAL_INT:
        *out = v.i;
        return true;
    case VAL_FLOAT:
        if (!(v.f >= -9223372036854775808.0 && v.f < 9223372036854775808.0) ||
            v.f != trunc(v.f)) {
            return false;
        }
        *out = (int64_t)v.f;
        return true;
    default:
        return false;
    }
}

bool
val_as_uint64(Value v, uint64_t *out)
{
    int64_t i = 0;
    if (val_as_int64(v, &i)) {
        *out = (uint64_t)i;
        return true;
    }
    if (v.kind == VAL_BIG && v.big->size == 1) {
        *out = v.big->limb[0];
        return true;
    }
    if (v.kind == VAL_FLOAT && v.f >= 9223372036854775808.0 &&
        v.f < 18446744073709551616.0) {
        *out = (uint64_t)v.f;
        return true;
    }
    return false;
}

bool
val_as_double(Value v, double *out)
{
    switch (v.kind) {
    case VAL_BOOL:
        *out = v.b;
        return true;
    case VAL_INT:
        *out = (double)v.i;
        return true;
    case VAL_BIG:
        return big_to_double(v, out);
    case VAL_FLOAT:
        *out = v.f;
        return true;
    default:
        return false;
    }
}

/* ---- the two stacks ------------------------------------------------------ */

bool
core_deep(Interp *in, Span span)
{
    in->fatal = true;
    Diag *d = py_diag(
        in, D_LIMIT_DEPTH, span,
        "calls and values nest too deep for the evaluator's stack (%d calls deep)",
        in->depth);
    diag_help(in->u, d, "nest less deep");
    return false;
}

enum {
    CHUNK_VALUES = 1 << 14
};

Value *
stack_grow(Interp *in, uint32_t n)
{
    struct Core *c = in->core;
    StackChunk *next = c->chunk ? c->chunk->next : NULL;
    if (!next || (size_t)(next->end - next->p) < n) {
        uint32_t size = MAX(n, CHUNK_VALUES);
        StackChunk *made =
            arena_alloc(core_arena(in), sizeof *made + (size_t)size * sizeof(Value));
        made->end = made->p + size;
        made->next = next;
        if (c->chunk) {
            c->chunk->next = made;
        }
        next = made;
    }
    c->chunk = next;
    c->top = next->p + n;
    return next->p;
}
