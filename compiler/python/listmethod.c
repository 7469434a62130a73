/* listmethod.c: has the methods of lists and tuples. */
#include "python/core.h"

#include <string.h>

static Value
list_append(Interp *in, Value self, const CallArgs *args)
{
    list_push(in, self, args->pos[0]);
    return val_none();
}

static Value
list_extend(Interp *in, Value self, const CallArgs *args)
{
    return val_failed(op_inplace(in, AOP_ADD, self, args->pos[0], args->span))
               ? val_fail()
               : val_none();
}

static bool
item_index(Interp *in, const CallArgs *args, int i, int64_t *out)
{
    if (!val_is_int(args->pos[i]) || !val_as_int64(args->pos[i], out)) {
        py_raise(in, "TypeError", args->span, "an index is an integer, not '%s'",
                 val_type_name(args->pos[i]));
        return false;
    }
    return true;
}

static void
remove_at(List *l, int64_t i)
{
    memmove(l->p + i, l->p + i + 1, (size_t)(l->n - 1 - i) * sizeof *l->p);
    l->n--;
}

static Value
list_pop(Interp *in, Value self, const CallArgs *args)
{
    List *l = self.list;
    int64_t i = -1;
    if (args->npos && !item_index(in, args, 0, &i)) {
        return val_fail();
    }
    i = i < 0 ? i + l->n : i;
    if (i < 0 || i >= l->n) {
        return py_raise(
            in, "IndexError", args->span,
            l->n ? "pop outside of a list of %u items" : "pop from an empty list", l->n);
    }
    Value v = l->p[i];
    if (!core_charge(in, (l->n - i) / 8, args->span)) {
        return val_fail();
    }
    remove_at(l, i);
    return v;
}

static Value
list_insert(Interp *in, Value self, const CallArgs *args)
{
    List *l = self.list;
    int64_t i = 0;
    if (!item_index(in, args, 0, &i) || !core_charge(in, l->n / 8, args->span)) {
        return val_fail();
    }
    i = i < 0 ? MAX(i + l->n, 0) : MIN(i, l->n);
    list_push(in, self, val_none());
    memmove(l->p + i + 1, l->p + i, (size_t)(l->n - 1 - i) * sizeof *l->p);
    l->p[i] = args->pos[1];
    return val_none();
}

/* Returns the position of a value, -1 if there is none, -2 after a failure. */
static int64_t
find_item(Interp *in, Value self, const CallArgs *args)
{
    int64_t p[4];
    SliceVal s = {args->npos > 1 ? args->pos[1] : val_none(),
                  args->npos > 2 ? args->pos[2] : val_none(), val_none()};
    if (!index_slice(in, &s, self.list->n, args->span, p)) {
        return -2;
    }
    for (int64_t i = p[0]; i < p[0] + p[2] && i < self.list->n; i++) {
        bool same = false;
        if (!core_step(in, args->span) ||
            !op_equal(in, self.list->p[i], args->pos[0], args->span, &same)) {
            return -2;
        }
        if (same) {
            return i;
        }
    }
    return -1;
}

static Value
list_index(Interp *in, Value self, const CallArgs *args)
{
    int64_t i = find_item(in, self, args);
    if (i == -1) {
        return py_raise(in, "ValueError", args->span, "%s is not in the %s",
                        val_repr(in, args->pos[0]), val_type_name(self));
    }
    return i < 0 ? val_fail() : val_int(i);
}

static Value
list_remove(Interp *in, Value self, const CallArgs *args)
{
    int64_t i = find_item(in, self, args);
    if (i == -1) {
        return py_raise(in, "ValueError", args->span, "%s is not in the list",
                        val_repr(in, args->pos[0]));
    }
    if (i < 0 || !core_charge(in, self.list->n / 8, args->span)) {
        return val_fail();
    }
    remove_at(self.list, i);
    return val_none();
}

static Value
list_count(Interp *in, Value self, const CallArgs *args)
{
    int64_t n = 0;
    for (uint32_t i = 0; i < self.list->n; i++) {
        bool same = false;
        if (!core_step(in, args->span) ||
            !op_equal(in, self.list->p[i], args->pos[0], args->span, &same)) {
            return val_fail();
        }
        n += same;
    }
    return val_int(n);
}

static Value
list_reverse(Interp *in, Value self, const CallArgs *args)
{
    List *l = self.list;
    if (!core_charge(in, l->n / 8, args->span)) {
        return val_fail();
    }
    for (uint32_t i = 0; i < l->n / 2; i++) {
        Value v = l->p[i];
        l->p[i] = l->p[l->n - 1 - i];
        l->p[l->n - 1 - i] = v;
    }
    return val_none();
}

static Value
list_copy(Interp *in, Value self, const CallArgs *args)
{
    return iter_collect(in, VAL_LIST, self, args->span);
}

static Value
list_clear(Interp *in, Value self, const CallArgs *args)
{
    (void)in;
    (void)args;
    self.list->n = 0;
    return val_none();
}

static Value
list_sort_method(Interp *in, Value self, const CallArgs *args)
{
    const CoreSyms *sym = &in->core->sym;
    Value reverse = builtin_keyword(args, sym->reverse);
    bool down = false;
    if ((!val_failed(reverse) && !op_truth(in, reverse, args->span, &down)) ||
        !list_sort(in, self.list, builtin_keyword(args, sym->key), down, args->span)) {
        return val_fail();
    }
    return val_none();
}

/* ---- special methods as plain calls -------------------------------------- */

static Value
any_contains(Interp *in, Value self, const CallArgs *args)
{
    bool yes = false;
    return op_contains(in, self, args->pos[0], args->span, &yes) ? val_bool(yes)
                                                                 : val_fail();
}

static Value
any_getitem(Interp *in, Value self, const CallArgs *args)
{
    return index_get(in, self, args->pos[0], args->span);
}

static Value
any_setitem(Interp *in, Value self, const CallArgs *args)
{
    return index_set(in, self, args->pos[0], args->pos[1], args->span) ? val_none()
                                                                       : val_fail();
}

static Value
any_len(Interp *in, Value self, const CallArgs *args)
{
    int64_t n = 0;
    return op_length(in, self, args->span, &n) ? val_int(n) : val_fail();
}

static const BuiltinRow special_rows[] = {
    {"__contains__", any_contains, 1, 1, NULL, COST_INSIDE},
    {"__getitem__", any_getitem, 1, 1, NULL, COST_INSIDE},
    {"__setitem__", any_setitem, 2, 2, NULL, COST_INSIDE},
    {"__len__", any_len, 0, 0, NULL, COST_ONE},
};

static const BuiltinRow list_rows[] = {
    {"append", list_append, 1, 1, NULL, COST_ONE},
    {"extend", list_extend, 1, 1, NULL, COST_INSIDE},
    {"pop", list_pop, 0, 1, NULL, COST_INSIDE},
    {"insert", list_insert, 2, 2, NULL, COST_INSIDE},
    {"index", list_index, 1, 3, NULL, COST_INSIDE},
    {"remove", list_remove, 1, 1, NULL},
    {"count", list_count, 1, 1, NULL},
    {"reverse", list_reverse, 0, 0, NULL},
    {"copy", list_copy, 0, 0, NULL},
    {"clear", list_clear, 0, 0, NULL, COST_ONE},
    {"sort", list_sort_method, 0, 0, "key reverse"},
};

static const BuiltinRow tuple_rows[] = {
    {"index", list_index, 1, 3, NULL, COST_INSIDE},
    {"count", list_count, 1, 1, NULL},
};

void
listmethod_install(Interp *in)
{
    static const ValueKind special[] = {VAL_LIST, VAL_TUPLE, VAL_DICT,
                                        VAL_SET,  VAL_STR,   VAL_RANGE};
    ClassVal **types = in->core->types;
    builtin_add_rows(in, &types[VAL_LIST]->attrs, list_rows, ARRAY_LEN(list_rows),
                     types[VAL_LIST]);
    builtin_add_rows(in, &types[VAL_TUPLE]->attrs, tuple_rows, ARRAY_LEN(tuple_rows),
                     types[VAL_TUPLE]);
    for (size_t i = 0; i < ARRAY_LEN(special); i++) {
        ClassVal *c = types[special[i]];
        builtin_add_rows(in, &c->attrs, special_rows, ARRAY_LEN(special_rows), c);
    }
}
