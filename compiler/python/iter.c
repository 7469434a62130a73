/* iter.c: implements iteration. An Iter walks any iterable lazily; iterator objects (zip,
 * enumerate, map, reversed, iter and generator expressions) contain one, so that they are
 * used up once as in Python. */
#include "python/core.h"

#include <string.h>

static IterVal *
as_iterator(Value v)
{
    return v.kind == VAL_OBJECT && v.obj->cls == &iter_class ? (IterVal *)v.obj : NULL;
}

static void
iter_repr(Interp *in, Object *self, Text *out)
{
    (void)in;
    text_printf(out, "<%s object>", ((IterVal *)self)->name);
}

static Value
call_next(Interp *in, Value self, const CallArgs *args)
{
    Value out = val_none();
    int more = iter_next(in, &as_iterator(self)->it, args->span, &out);
    return more > 0    ? out
           : more == 0 ? py_raise(in, "StopIteration", args->span,
                                  "the iterator has no more items")
                       : val_fail();
}

static Value
call_iter(Interp *in, Value self, const CallArgs *args)
{
    (void)in;
    (void)args;
    return self;
}

static Value
iter_attr(Interp *in, Object *self, Sym name, Span span, bool *found)
{
    (void)span;
    bool next = name == in->core->sym.next;
    *found = next || name == in->core->sym.iter;
    if (!*found) {
        return val_fail();
    }
    Value f = val_builtin(in, next ? "__next__" : "__iter__",
                          next ? call_next : call_iter, val_object(self));
    f.builtin->checked = true;
    return f;
}

const ObjectClass iter_class = {
    .name = "iterator", .repr = iter_repr, .get_attr = iter_attr};

Value
iter_object(Interp *in, const char *name, const Iter *it)
{
    IterVal *v = ARENA_NEW(core_arena(in), IterVal);
    v->base.cls = &iter_class;
    v->it = *it;
    v->name = name;
    return val_object(&v->base);
}

static bool
begin_other(Interp *in, Value v, Span span, Iter *it)
{
    Value r = val_none();
    if (v.kind == VAL_OBJECT && v.obj->cls == &view_class) {
        const DictView *view = (const DictView *)v.obj;
        it->kind = view->kind;
        it->src = view->dict;
        it->n = view->dict.dict->live;
        return true;
    }
    if (v.kind == VAL_OBJECT && v.obj->cls->length && v.obj->cls->get_item) {
        it->kind = ITER_OBJECT;
        return v.obj->cls->length(in, v.obj, span, &it->n);
    }
    if (v.kind == VAL_CLASS && v.klass->is_enum) {
        Value members = attrs_get(&v.klass->attrs, in->core->sym.members);
        it->kind = ITER_VALUES;
        it->src = members;
        it->n = members.dict->live;
        return members.kind == VAL_DICT;
    }
    if (v.kind == VAL_INSTANCE) {
        if (!attr_special(in, v, in->core->sym.iter, CALL_ARGS(NULL, 0, span), &r)) {
            r = v;
        } else if (val_failed(r)) {
            return false;
        }
        if (r.kind == VAL_INSTANCE &&
            !val_failed(class_lookup(r.inst->cls, in->core->sym.next))) {
            it->kind = ITER_USER;
            it->src = r;
            return true;
        }
        if (r.kind != VAL_INSTANCE) {
            return iter_begin(in, r, span, it);
        }
    }
    ExcInfo *x =
        error_raise(in, "TypeError", span, "a '%s' cannot be iterated", val_type_name(v));
    if (v.kind == VAL_OBJECT && v.obj->cls->enter) {
        x->help = "it is opened by a with statement: with ... as name:";
    }
    return false;
}

bool
iter_begin(Interp *in, Value v, Span span, Iter *it)
{
    *it = (Iter){.src = v};
    switch (v.kind) {
    case VAL_LIST:
    case VAL_TUPLE:
        it->kind = ITER_LIST;
        return true;
    case VAL_RANGE:
        it->kind = ITER_RANGE;
        it->n = v.range->n;
        return true;
    case VAL_STR:
        it->kind = ITER_STR;
        return true;
    case VAL_DICT:
        it->kind = ITER_DICT;
        it->n = v.dict->live;
        return true;
    case VAL_SET:
        it->kind = ITER_SET;
        it->n = v.dict->live;
        it->fn = set_order(in, v.dict, span);
        return !val_failed(it->fn);
    default:
        break;
    }
    if (as_iterator(v)) {
        it->kind = ITER_SHARED;
        return true;
    }
    return begin_other(in, v, span, it);
}

static int
next_char(Interp *in, Iter *it, Value *out)
{
    const Str *s = it->src.str;
    if (it->i >= s->len) {
        return 0;
    }
    int64_t end = it->i + 1;
    while (end < s->len && ((unsigned char)s->p[end] & 0xc0) == 0x80) {
        end++;
    }
    *out = val_str_n(in, s->p + it->i, (size_t)(end - it->i));
    it->i = end;
    return 1;
}

static int
next_entry(Interp *in, Iter *it, Span span, Value *out)
{
    Dict *d = it->src.dict;
    if (d->live != it->n) {
        py_raise(in, "RuntimeError", span,
                 "the dictionary changed its size during iteration");
        return -1;
    }
    it->i = MAX(it->i, d->first);
    bool front = it->i == d->first;
    for (; it->i < d->n && val_failed(d->p[it->i].key); it->i++) {
        core_owe(in, 1);
    }
    d->first = front ? (uint32_t)it->i : d->first;
    if (it->i >= d->n) {
        return 0;
    }
    const DictEntry *e = &d->p[it->i++];
    if (it->kind == ITER_ITEMS) {
        *out = val_tuple(in, (Value[]){e->key, e->v}, 2);
    } else {
        *out = it->kind == ITER_DICT ? e->key : e->v;
    }
    return 1;
}

static int
next_of_set(Interp *in, Iter *it, Span span, Value *out)
{
    if (it->src.dict->live != it->n) {
        py_raise(in, "RuntimeError", span, "the set changed its size during iteration");
        return -1;
    }
    if (it->i >= it->fn.list->n) {
        return 0;
    }
    *out = it->fn.list->p[it->i++];
    return 1;
}

static int
next_user(Interp *in, Iter *it, Span span, Value *out)
{
    Value r = val_none();
    if (!attr_special(in, it->src, in->core->sym.next, CALL_ARGS(NULL, 0, span), &r)) {
        return 0;
    }
    if (val_failed(r)) {
        Value e = in->exception;
        if (e.kind == VAL_INSTANCE && !in->fatal &&
            strcmp(e.inst->cls->name, "StopIteration") == 0) {
            in->exception = val_none();
            return 0;
        }
        return -1;
    }
    *out = r;
    return 1;
}

/* Checks for zip(strict=True) that all end together. */
static int
check_strict(Interp *in, Iter *it, uint32_t ended, Span span)
{
    Value v = val_none();
    const char *longer = NULL;
    uint32_t other = ended;
    if (ended > 0) {
        longer = "shorter";
    }
    for (uint32_t k = ended + 1; !longer && k < it->nsub; k++) {
        int more = iter_next(in, &it->sub[k], span, &v);
        if (more < 0) {
            return more;
        }
        longer = more ? "longer" : NULL;
        other = k;
    }
    if (longer) {
        py_raise(in, "ValueError", span, "zip() argument %u is %s than argument%s1%s",
                 other + 1, longer, other > 1 ? "s " : " ",
                 other > 1 ? arena_printf(core_arena(in), "-%u", other) : "");
        return -1;
    }
    return 0;
}

static int
next_zip(Interp *in, Iter *it, Span span, Value *out)
{
    Value t = val_items(in, VAL_TUPLE, it->nsub);
    for (uint32_t k = 0; k < it->nsub; k++) {
        int more = iter_next(in, &it->sub[k], span, &t.list->p[k]);
        if (more == 0 && it->strict) {
            return check_strict(in, it, k, span);
        }
        if (more <= 0) {
            return more;
        }
    }
    *out = t;
    return it->nsub > 0;
}

/* Calls fn() until the result is the given value. */
static int
next_call(Interp *in, Iter *it, Span span, Value *out)
{
    bool end = false;
    *out = call_values(in, it->fn, NULL, 0, span);
    if (val_failed(*out) || !op_equal(in, *out, it->src, span, &end)) {
        return -1;
    }
    return !end;
}

static int
next_map(Interp *in, Iter *it, Span span, Value *out)
{
    Value t = val_none();
    int more = next_zip(in, it, span, &t);
    if (more <= 0) {
        return more;
    }
    *out = call_values(in, it->fn, t.list->p, (int)t.list->n, span);
    return val_failed(*out) ? -1 : 1;
}

static int
next_filter(Interp *in, Iter *it, Span span, Value *out)
{
    for (;;) {
        bool yes = false;
        int more = iter_next(in, it->sub, span, out);
        if (more <= 0) {
            return more;
        }
        Value r = it->fn.kind == VAL_NONE ? *out : call_values(in, it->fn, out, 1, span);
        if (val_failed(r) || !op_truth(in, r, span, &yes) || !core_item(in, span)) {
            return -1;
        }
        if (yes) {
            return 1;
        }
    }
}

static int
next_any(Interp *in, Iter *it, Span span, Value *out)
{
    int more = 0;
    switch (it->kind) {
    case ITER_LIST:
        if (it->i >= it->src.list->n) {
            return 0;
        }
        *out = it->src.list->p[it->i++];
        return 1;
    case ITER_RANGE:
        if (it->i >= it->n) {
            return 0;
        }
        *out = val_int(it->src.range->start + it->i++ * it->src.range->step);
        return 1;
    case ITER_STR:
        return next_char(in, it, out);
    case ITER_DICT:
    case ITER_ITEMS:
    case ITER_VALUES:
        return next_entry(in, it, span, out);
    case ITER_SET:
        return next_of_set(in, it, span, out);
    case ITER_OBJECT:
        if (it->i >= it->n) {
            return 0;
        }
        *out = index_get(in, it->src, val_int(it->i++), span);
        return val_failed(*out) ? -1 : 1;
    case ITER_USER:
        return next_user(in, it, span, out);
    case ITER_ENUMERATE:
        core_owe(in, ITEM_STEPS);
        more = iter_next(in, it->sub, span, out);
        if (more > 0) {
            *out = val_tuple(in, (Value[]){val_int(it->i++), *out}, 2);
        }
        return more;
    case ITER_ZIP:
        core_owe(in, ITEM_STEPS);
        return next_zip(in, it, span, out);
    case ITER_MAP:
        core_owe(in, 3 * ITEM_STEPS);
        return next_map(in, it, span, out);
    case ITER_FILTER:
        core_owe(in, ITEM_STEPS);
        return next_filter(in, it, span, out);
    case ITER_REVERSED:
        if (it->n <= 0) {
            return 0;
        }
        *out = index_get(in, it->src, val_int(--it->n), span);
        return val_failed(*out) ? -1 : 1;
    case ITER_CALL:
        return next_call(in, it, span, out);
    case ITER_GENERATOR:
        return eval_generator(in, it, span, out);
    case ITER_SHARED:
        return iter_next(in, &as_iterator(it->src)->it, span, out);
    }
    UNREACHABLE();
}

int
iter_next(Interp *in, Iter *it, Span span, Value *out)
{
    if (it->done || !core_stack(in, span)) {
        return it->done ? 0 : -1;
    }
    int more = next_any(in, it, span, out);
    it->done = it->done || more == 0;
    return more;
}

Value
iter_collect(Interp *in, ValueKind kind, Value v, Span span)
{
    if (v.kind == VAL_LIST || v.kind == VAL_TUPLE) {
        if (!core_reserve(in, (double)v.list->n * sizeof(Value), span)) {
            return val_fail();
        }
        Value copy = val_list(in, v.list->p, v.list->n);
        copy.kind = (uint8_t)kind;
        return copy;
    }
    if (v.kind == VAL_RANGE &&
        !core_reserve(in, (double)v.range->n * sizeof(Value), span)) {
        return val_fail();
    }
    Iter it;
    Value list = val_items(in, VAL_LIST, 0);
    if (!iter_begin(in, v, span, &it)) {
        return val_fail();
    }
    for (;;) {
        Value item = val_none();
        int more = iter_next(in, &it, span, &item);
        if (more < 0 || !core_item(in, span)) {
            return val_fail();
        }
        if (more == 0) {
            list.kind = (uint8_t)kind;
            return list;
        }
        list_push(in, list, item);
    }
}

Value
py_list(Interp *in, Value v, Span span)
{
    return iter_collect(in, VAL_LIST, v, span);
}
