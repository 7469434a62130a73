/* dictmethod.c: has the methods of dictionaries and sets, and the views of a
 * dictionary. */
#include "python/core.h"

/* ---- views --------------------------------------------------------------- */

static bool
view_length(Interp *in, Object *self, Span span, int64_t *out)
{
    return op_length(in, ((DictView *)self)->dict, span, out);
}

static Value
view_items(Interp *in, Value v, Span span)
{
    bool view = v.kind == VAL_OBJECT && v.obj->cls == &view_class;
    if (!view && v.kind != VAL_SET) {
        return py_raise(in, "TypeError", span, "a view does not combine with '%s'",
                        val_type_name(v));
    }
    Value set = dict_new(in, VAL_SET);
    return dict_add_items(in, set.dict, v, span) ? set : val_fail();
}

/* Combines keys() and items(), which have the operators of sets. */
static Value
view_binary(Interp *in, AstOp op, Value a, Value b, Span span)
{
    bool compare = op >= AOP_EQ;
    bool other = b.kind == VAL_SET || (b.kind == VAL_OBJECT && b.obj->cls == &view_class);
    bool first = a.kind == VAL_SET || (a.kind == VAL_OBJECT && a.obj->cls == &view_class);
    if (compare && !(other && first)) {
        return val_bool(op == AOP_NE);
    }
    a = view_items(in, a, span);
    b = val_failed(a) ? a : view_items(in, b, span);
    if (val_failed(b)) {
        return b;
    }
    return compare ? op_compare(in, op, a, b, span) : op_binary(in, op, a, b, span);
}

static void
view_repr(Interp *in, Object *self, Text *out)
{
    static const char *const names[] = {[ITER_DICT] = "dict_keys",
                                        [ITER_ITEMS] = "dict_items",
                                        [ITER_VALUES] = "dict_values"};
    text_printf(out, "%s(", names[((DictView *)self)->kind]);
    Value items = iter_collect(in, VAL_LIST, val_object(self), in->here);
    if (!val_failed(items) && format_repr(in, items, in->here, out)) {
        text_putc(out, ')');
    }
}

const ObjectClass view_class = {
    .name = "dict_view", .length = view_length, .binary = view_binary, .repr = view_repr};

static Value
make_view(Interp *in, Value dict, IterKind kind)
{
    DictView *v = ARENA_NEW(core_arena(in), DictView);
    v->base.cls = &view_class;
    v->kind = kind;
    v->dict = dict;
    return val_object(&v->base);
}

static Value
dict_keys(Interp *in, Value self, const CallArgs *args)
{
    (void)args;
    return make_view(in, self, ITER_DICT);
}

static Value
dict_values(Interp *in, Value self, const CallArgs *args)
{
    (void)args;
    return make_view(in, self, ITER_VALUES);
}

static Value
dict_items(Interp *in, Value self, const CallArgs *args)
{
    (void)args;
    return make_view(in, self, ITER_ITEMS);
}

/* ---- dictionaries -------------------------------------------------------- */

static Value
dict_get_method(Interp *in, Value self, const CallArgs *args)
{
    Value dflt =
        args->npos > 1 ? args->pos[1] : builtin_keyword(args, in->core->sym.dflt);
    int i = dict_find(in, self.dict, args->pos[0], args->span);
    if (i >= 0) {
        return self.dict->p[i].v;
    }
    return i == -2 ? val_fail() : val_failed(dflt) ? val_none() : dflt;
}

static Value
dict_pop(Interp *in, Value self, const CallArgs *args)
{
    bool found = false;
    Value v = val_none();
    if (!dict_remove(in, self.dict, args->pos[0], args->span, &found, &v)) {
        return val_fail();
    }
    if (found) {
        return v;
    }
    return args->npos > 1 ? args->pos[1] : index_get(in, self, args->pos[0], args->span);
}

static Value
dict_popitem(Interp *in, Value self, const CallArgs *args)
{
    Dict *d = self.dict;
    uint32_t i = d->n - d->tail;
    while (i > 0 && val_failed(d->p[i - 1].key)) {
        i--;
    }
    d->tail = d->n - i;
    if (i == 0) {
        return py_raise(in, "KeyError", args->span, "the dictionary is empty");
    }
    bool found = false;
    Value pair[2] = {d->p[i - 1].key, d->p[i - 1].v};
    Value old = val_none();
    return dict_remove(in, d, pair[0], args->span, &found, &old) ? val_tuple(in, pair, 2)
                                                                 : val_fail();
}

static Value
dict_setdefault(Interp *in, Value self, const CallArgs *args)
{
    Value dflt = args->npos > 1 ? args->pos[1] : val_none();
    int i = dict_find(in, self.dict, args->pos[0], args->span);
    if (i >= 0) {
        return self.dict->p[i].v;
    }
    return i == -1 && dict_put(in, self.dict, args->pos[0], dflt, args->span)
               ? dflt
               : val_fail();
}

static Value
dict_update(Interp *in, Value self, const CallArgs *args)
{
    if (args->npos && !dict_merge(in, self.dict, args->pos[0], args->span)) {
        return val_fail();
    }
    for (int i = 0; i < args->nkw; i++) {
        if (!dict_put(in, self.dict, val_str_sym(in, args->kwname[i]), args->kwval[i],
                      args->span)) {
            return val_fail();
        }
    }
    return val_none();
}

static Value
any_copy(Interp *in, Value self, const CallArgs *args)
{
    (void)args;
    return dict_copy(in, self);
}

static Value
any_clear(Interp *in, Value self, const CallArgs *args)
{
    (void)in;
    (void)args;
    dict_clear(self.dict);
    return val_none();
}

/* ---- sets ---------------------------------------------------------------- */

static Value
as_set(Interp *in, Value v, Span span)
{
    if (v.kind == VAL_SET) {
        return v;
    }
    Value s = dict_new(in, VAL_SET);
    return dict_add_items(in, s.dict, v, span) ? s : val_fail();
}

static Value
set_add(Interp *in, Value self, const CallArgs *args)
{
    return dict_put(in, self.dict, args->pos[0], val_none(), args->span) ? val_none()
                                                                         : val_fail();
}

static Value
set_discard(Interp *in, Value self, const CallArgs *args)
{
    bool found = false;
    Value old = val_none();
    return dict_remove(in, self.dict, args->pos[0], args->span, &found, &old)
               ? val_none()
               : val_fail();
}

static Value
set_remove(Interp *in, Value self, const CallArgs *args)
{
    bool found = false;
    Value old = val_none();
    if (!dict_remove(in, self.dict, args->pos[0], args->span, &found, &old)) {
        return val_fail();
    }
    if (!found) {
        error_raise(in, "KeyError", args->span, "the set has no %s",
                    val_repr(in, args->pos[0]));
        in->exception.inst->args = val_tuple(in, args->pos, 1);
        return val_fail();
    }
    return val_none();
}

static void
reverse(List *l)
{
    for (uint32_t i = 0; i < l->n / 2; i++) {
        Value v = l->p[i];
        l->p[i] = l->p[l->n - 1 - i];
        l->p[l->n - 1 - i] = v;
    }
}

static Value
set_pop(Interp *in, Value self, const CallArgs *args)
{
    Dict *d = self.dict;
    bool found = false;
    Value old = val_none();
    if (d->live == 0) {
        return py_raise(in, "KeyError", args->span, "the set is empty");
    }
    List *order = d->order;
    if (!order) {
        Value keys = set_order(in, d, args->span);
        if (val_failed(keys)) {
            return keys;
        }
        order = keys.list;
        reverse(order);
    }
    Value v = order->p[--order->n];
    if (!dict_remove(in, d, v, args->span, &found, &old)) {
        return val_fail();
    }
    d->order = order;
    return v;
}

static Value
combine(Interp *in, Value self, const CallArgs *args, AstOp op)
{
    Value r = dict_copy(in, self);
    for (int i = 0; i < args->npos && !val_failed(r); i++) {
        Value other = as_set(in, args->pos[i], args->span);
        r = val_failed(other) ? other : op_binary(in, op, r, other, args->span);
    }
    return r;
}

static Value
set_union(Interp *in, Value self, const CallArgs *args)
{
    return combine(in, self, args, AOP_OR);
}

static Value
set_intersection(Interp *in, Value self, const CallArgs *args)
{
    return combine(in, self, args, AOP_AND);
}

static Value
set_difference(Interp *in, Value self, const CallArgs *args)
{
    return combine(in, self, args, AOP_SUB);
}

static Value
set_symmetric(Interp *in, Value self, const CallArgs *args)
{
    return combine(in, self, args, AOP_XOR);
}

static Value
set_update(Interp *in, Value self, const CallArgs *args)
{
    for (int i = 0; i < args->npos; i++) {
        if (!dict_add_items(in, self.dict, args->pos[i], args->span)) {
            return val_fail();
        }
    }
    return val_none();
}

static Value
set_relation(Interp *in, Value self, const CallArgs *args, AstOp op)
{
    Value other = as_set(in, args->pos[0], args->span);
    return val_failed(other) ? other : op_compare(in, op, self, other, args->span);
}

static Value
set_issubset(Interp *in, Value self, const CallArgs *args)
{
    return set_relation(in, self, args, AOP_LE);
}

static Value
set_issuperset(Interp *in, Value self, const CallArgs *args)
{
    return set_relation(in, self, args, AOP_GE);
}

static Value
set_isdisjoint(Interp *in, Value self, const CallArgs *args)
{
    Value both = combine(in, self, args, AOP_AND);
    return val_failed(both) ? both : val_bool(both.dict->live == 0);
}

/* Implements the set methods that change it: self becomes self op other. */
static Value
combine_into(Interp *in, Value self, const CallArgs *args, AstOp op)
{
    Value r = combine(in, self, args, op);
    if (val_failed(r)) {
        return r;
    }
    Dict *d = self.dict;
    *d = *r.dict;
    return val_none();
}

static Value
set_intersection_update(Interp *in, Value self, const CallArgs *args)
{
    return combine_into(in, self, args, AOP_AND);
}

static Value
set_difference_update(Interp *in, Value self, const CallArgs *args)
{
    return combine_into(in, self, args, AOP_SUB);
}

static Value
set_symmetric_update(Interp *in, Value self, const CallArgs *args)
{
    return combine_into(in, self, args, AOP_XOR);
}

static Value
dict_fromkeys(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value d = val_dict(in);
    Value keys = iter_collect(in, VAL_LIST, args->pos[0], args->span);
    Value v = args->npos > 1 ? args->pos[1] : val_none();
    for (uint32_t i = 0; !val_failed(keys) && i < keys.list->n; i++) {
        if (!dict_put(in, d.dict, keys.list->p[i], v, args->span)) {
            return val_fail();
        }
    }
    return val_failed(keys) ? keys : d;
}

static const BuiltinRow dict_statics[] = {{"fromkeys", dict_fromkeys, 1, 2, NULL}};

static const BuiltinRow dict_rows[] = {
    {"__init__", dict_update, 0, 1, "*", COST_INSIDE},
    {"keys", dict_keys, 0, 0, NULL, COST_ONE},
    {"values", dict_values, 0, 0, NULL, COST_ONE},
    {"items", dict_items, 0, 0, NULL, COST_ONE},
    {"get", dict_get_method, 1, 2, NULL, COST_INSIDE},
    {"pop", dict_pop, 1, 2, NULL, COST_INSIDE},
    {"popitem", dict_popitem, 0, 0, NULL, COST_ONE},
    {"setdefault", dict_setdefault, 1, 2, NULL, COST_INSIDE},
    {"update", dict_update, 0, 1, "*", COST_INSIDE},
    {"copy", any_copy, 0, 0, NULL},
    {"clear", any_clear, 0, 0, NULL, COST_ONE},
};

static const BuiltinRow set_rows[] = {
    {"add", set_add, 1, 1, NULL, COST_INSIDE},
    {"discard", set_discard, 1, 1, NULL, COST_INSIDE},
    {"remove", set_remove, 1, 1, NULL, COST_INSIDE},
    {"pop", set_pop, 0, 0, NULL, COST_INSIDE},
    {"update", set_update, 0, 255, NULL, COST_INSIDE},
    {"intersection_update", set_intersection_update, 0, 255, NULL},
    {"difference_update", set_difference_update, 0, 255, NULL},
    {"symmetric_difference_update", set_symmetric_update, 1, 1, NULL},
    {"clear", any_clear, 0, 0, NULL, COST_ONE},
};

/* Frozensets have these, too. */
static const BuiltinRow set_questions[] = {
    {"union", set_union, 0, 255, NULL},
    {"intersection", set_intersection, 0, 255, NULL},
    {"difference", set_difference, 0, 255, NULL},
    {"symmetric_difference", set_symmetric, 1, 1, NULL},
    {"issubset", set_issubset, 1, 1, NULL},
    {"issuperset", set_issuperset, 1, 1, NULL},
    {"isdisjoint", set_isdisjoint, 1, 1, NULL},
    {"copy", any_copy, 0, 0, NULL},
};

void
dictmethod_install(Interp *in)
{
    ClassVal **types = in->core->types;
    builtin_add_rows(in, &types[VAL_DICT]->attrs, dict_rows, ARRAY_LEN(dict_rows),
                     types[VAL_DICT]);
    builtin_add_rows(in, &types[VAL_SET]->attrs, set_rows, ARRAY_LEN(set_rows),
                     types[VAL_SET]);
    builtin_add_static(in, types[VAL_DICT], dict_statics, ARRAY_LEN(dict_statics));
    ClassVal *both[2] = {types[VAL_SET], in->core->frozenset_type};
    for (int i = 0; i < 2; i++) {
        builtin_add_rows(in, &both[i]->attrs, set_questions, ARRAY_LEN(set_questions),
                         both[i]);
    }
}
