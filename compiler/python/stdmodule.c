/* stdmodule.c: has the part of the standard library that kernels use and that is written
 * in C: copy, enum, abc, typing, warnings, and what stdlib/ takes from modules with an
 * underscore for functools, operator, collections and itertools. math is in
 * mathmodule.c. */
#include "python/core.h"

#include <string.h>

static void
add_rows(Interp *in, const char *module, const BuiltinRow *rows, size_t n)
{
    Value m = py_module(in, module);
    builtin_add_rows(in, &m.module->attrs, rows, n, NULL);
}

/* ---- functools ----------------------------------------------------------- */

static Value
fn_reduce(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Iter it;
    Value total = args->npos > 2 ? args->pos[2] : val_fail();
    if (!iter_begin(in, args->pos[1], args->span, &it)) {
        return val_fail();
    }
    for (;;) {
        Value two[2] = {total, val_none()};
        int more = iter_next(in, &it, args->span, &two[1]);
        if (more < 0 || !core_item(in, args->span)) {
            return val_fail();
        }
        if (more == 0) {
            break;
        }
        total = val_failed(total) ? two[1]
                                  : call_values(in, args->pos[0], two, 2, args->span);
        if (val_failed(total)) {
            return total;
        }
    }
    return val_failed(total) ? py_raise(in, "TypeError", args->span,
                                        "reduce of nothing without a start")
                             : total;
}

static const BuiltinRow functools_rows[] = {
    {"reduce", fn_reduce, 2, 3, NULL, COST_INSIDE},
};

/* ---- operator ------------------------------------------------------------ */

#define OPERATOR(name, op)                                                               \
    static Value name(Interp *in, Value self, const CallArgs *args)                      \
    {                                                                                    \
        (void)self;                                                                      \
        return op >= AOP_EQ ? op_compare(in, op, args->pos[0], args->pos[1], args->span) \
                            : op_binary(in, op, args->pos[0], args->pos[1], args->span); \
    }
OPERATOR(op_add_fn, AOP_ADD)
OPERATOR(op_sub_fn, AOP_SUB)
OPERATOR(op_mul_fn, AOP_MUL)
OPERATOR(op_div_fn, AOP_DIV)
OPERATOR(op_floordiv_fn, AOP_FLOORDIV)
OPERATOR(op_mod_fn, AOP_MOD)
OPERATOR(op_pow_fn, AOP_POW)
OPERATOR(op_and_fn, AOP_AND)
OPERATOR(op_or_fn, AOP_OR)
OPERATOR(op_xor_fn, AOP_XOR)
OPERATOR(op_eq_fn, AOP_EQ)
OPERATOR(op_ne_fn, AOP_NE)
OPERATOR(op_lt_fn, AOP_LT)
OPERATOR(op_le_fn, AOP_LE)
OPERATOR(op_gt_fn, AOP_GT)
OPERATOR(op_ge_fn, AOP_GE)
OPERATOR(op_is_fn, AOP_IS)

static Value
op_neg_fn(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return op_unary(in, AOP_NEG, args->pos[0], args->span);
}

static Value
op_getitem_fn(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return index_get(in, args->pos[0], args->pos[1], args->span);
}

static Value
call_itemgetter(Interp *in, Value self, const CallArgs *args)
{
    const List *keys = self.list;
    Value out = val_items(in, VAL_TUPLE, keys->n);
    for (uint32_t i = 0; i < keys->n; i++) {
        out.list->p[i] = index_get(in, args->pos[0], keys->p[i], args->span);
        if (val_failed(out.list->p[i])) {
            return val_fail();
        }
    }
    return keys->n == 1 ? out.list->p[0] : out;
}

static Value
fn_itemgetter(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value keys = val_tuple(in, args->pos, (uint32_t)args->npos);
    Value f = val_builtin(in, "itemgetter", call_itemgetter, keys);
    f.builtin->checked = true;
    f.builtin->min = 1;
    f.builtin->max = 1;
    return f;
}

static const BuiltinRow operator_rows[] = {
    {"add", op_add_fn, 2, 2, NULL, COST_INSIDE},
    {"sub", op_sub_fn, 2, 2, NULL, COST_INSIDE},
    {"mul", op_mul_fn, 2, 2, NULL, COST_INSIDE},
    {"truediv", op_div_fn, 2, 2, NULL},
    {"floordiv", op_floordiv_fn, 2, 2, NULL},
    {"mod", op_mod_fn, 2, 2, NULL, COST_INSIDE},
    {"pow", op_pow_fn, 2, 2, NULL},
    {"and_", op_and_fn, 2, 2, NULL, COST_INSIDE},
    {"or_", op_or_fn, 2, 2, NULL, COST_INSIDE},
    {"xor", op_xor_fn, 2, 2, NULL, COST_INSIDE},
    {"eq", op_eq_fn, 2, 2, NULL, COST_INSIDE},
    {"ne", op_ne_fn, 2, 2, NULL, COST_INSIDE},
    {"lt", op_lt_fn, 2, 2, NULL, COST_INSIDE},
    {"le", op_le_fn, 2, 2, NULL, COST_INSIDE},
    {"gt", op_gt_fn, 2, 2, NULL, COST_INSIDE},
    {"ge", op_ge_fn, 2, 2, NULL, COST_INSIDE},
    {"is_", op_is_fn, 2, 2, NULL, COST_INSIDE},
    {"neg", op_neg_fn, 1, 1, NULL},
    {"getitem", op_getitem_fn, 2, 2, NULL, COST_INSIDE},
    {"itemgetter", fn_itemgetter, 1, 255, NULL},
};

/* ---- copy ---------------------------------------------------------------- */

static Value
shallow(Interp *in, Value v, Span span)
{
    switch (v.kind) {
    case VAL_LIST:
        return iter_collect(in, VAL_LIST, v, span);
    case VAL_DICT:
    case VAL_SET:
        return dict_copy(in, v);
    case VAL_INSTANCE: {
        if (v.inst->cls->is_enum) {
            return v;
        }
        Value c = class_instance(in, v.inst->cls);
        c.inst->args = v.inst->args;
        for (uint32_t i = 0; i < v.inst->attrs.n; i++) {
            attrs_set(core_arena(in), &c.inst->attrs, v.inst->attrs.p[i].name,
                      v.inst->attrs.p[i].v);
        }
        return c;
    }
    default:
        return v;
    }
}

/* Copies deeply. memo has the copies by the identity of their originals, so that shared
 * and cyclic structure stays. */
static Value deep(Interp *in, Value v, Dict *memo, Span span);

/* Returns a key that identifies the container itself: C objects are compared by
 * identity. */
static Value
identity(Value v)
{
    return (Value){.kind = VAL_OBJECT, .obj = v.obj};
}

static bool
deep_children(Interp *in, Value c, Dict *memo, Span span)
{
    for (uint32_t i = 0; (c.kind == VAL_LIST || c.kind == VAL_TUPLE) && i < c.list->n;
         i++) {
        c.list->p[i] = deep(in, c.list->p[i], memo, span);
        if (val_failed(c.list->p[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; c.kind == VAL_DICT && i < c.dict->n; i++) {
        if (!val_failed(c.dict->p[i].key)) {
            c.dict->p[i].v = deep(in, c.dict->p[i].v, memo, span);
            TRY(!val_failed(c.dict->p[i].v));
        }
    }
    for (uint32_t i = 0; c.kind == VAL_INSTANCE && i < c.inst->attrs.n; i++) {
        Value *v = &c.inst->attrs.p[i].v;
        if (!val_failed(*v)) {
            *v = deep(in, *v, memo, span);
            TRY(!val_failed(*v));
        }
    }
    return true;
}

static Value
deep(Interp *in, Value v, Dict *memo, Span span)
{
    bool holds = v.kind == VAL_LIST || v.kind == VAL_TUPLE || v.kind == VAL_DICT ||
                 v.kind == VAL_SET || (v.kind == VAL_INSTANCE && !v.inst->cls->is_enum);
    if (!holds) {
        return v;
    }
    if (!core_stack(in, span) || !core_step(in, span)) {
        return val_fail();
    }
    int known = dict_find(in, memo, identity(v), span);
    if (known >= 0) {
        return memo->p[known].v;
    }
    Value c =
        v.kind == VAL_TUPLE ? val_tuple(in, v.list->p, v.list->n) : shallow(in, v, span);
    if (val_failed(c)) {
        return c;
    }
    if (v.kind == VAL_TUPLE) {
        c.list->cls = v.list->cls;
    }
    if (!dict_put(in, memo, identity(v), c, span)) {
        return val_fail();
    }
    return deep_children(in, c, memo, span) ? c : val_fail();
}

static Value
fn_copy(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return shallow(in, args->pos[0], args->span);
}

static Value
fn_deepcopy(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Dict memo = {0};
    return deep(in, args->pos[0], &memo, args->span);
}

static const BuiltinRow copy_rows[] = {
    {"copy", fn_copy, 1, 1, NULL},
    {"deepcopy", fn_deepcopy, 1, 1, NULL},
};

/* ---- itertools ----------------------------------------------------------- */

static Value
fn_chain(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value all = val_items(in, VAL_LIST, 0);
    Iter it;
    for (int i = 0; i < args->npos; i++) {
        if (val_failed(op_inplace(in, AOP_ADD, all, args->pos[i], args->span))) {
            return val_fail();
        }
    }
    return iter_begin(in, all, args->span, &it) ? iter_object(in, "chain", &it)
                                                : val_fail();
}

static Value
as_iterator(Interp *in, Value list, const char *name, Span span)
{
    Iter it;
    return iter_begin(in, list, span, &it) ? iter_object(in, name, &it) : val_fail();
}

static Value
fn_product(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value all = val_items(in, VAL_LIST, 0);
    list_push(in, all, val_items(in, VAL_TUPLE, 0));
    for (int i = 0; i < args->npos; i++) {
        Value pool = iter_collect(in, VAL_LIST, args->pos[i], args->span);
        Value next = val_items(in, VAL_LIST, 0);
        for (uint32_t k = 0; !val_failed(pool) && k < all.list->n; k++) {
            for (uint32_t j = 0; j < pool.list->n; j++) {
                Value one = val_tuple(in, &pool.list->p[j], 1);
                Value t = op_binary(in, AOP_ADD, all.list->p[k], one, args->span);
                if (val_failed(t) || !core_step(in, args->span)) {
                    return val_fail();
                }
                list_push(in, next, t);
            }
        }
        if (val_failed(pool)) {
            return pool;
        }
        all = next;
    }
    return as_iterator(in, all, "product", args->span);
}

typedef struct Pick {
    const List *pool;
    uint32_t r;
    bool ordered; /* true for permutations */
    uint32_t *at; /* indices of the items chosen so far */
    Value out;
    Span span;
} Pick;

static bool
pick(Interp *in, Pick *p, uint32_t depth)
{
    if (depth == p->r) {
        Value t = val_items(in, VAL_TUPLE, p->r);
        for (uint32_t i = 0; i < p->r; i++) {
            t.list->p[i] = p->pool->p[p->at[i]];
        }
        return core_charge(in, 8 + p->r, p->span) && list_push(in, p->out, t);
    }
    TRY(core_stack(in, p->span));
    uint32_t first = !p->ordered && depth ? p->at[depth - 1] + 1 : 0;
    for (uint32_t i = first; i < p->pool->n; i++) {
        bool used = false;
        for (uint32_t k = 0; p->ordered && k < depth; k++) {
            used = used || p->at[k] == i;
        }
        p->at[depth] = i;
        core_owe(in, p->ordered ? depth : 0);
        TRY(core_step(in, p->span) && (used || pick(in, p, depth + 1)));
    }
    return true;
}

static Value
picks(Interp *in, const CallArgs *args, bool ordered, const char *name)
{
    Value pool = iter_collect(in, VAL_LIST, args->pos[0], args->span);
    int64_t r = val_failed(pool) ? 0 : pool.list->n;
    if (val_failed(pool)) {
        return pool;
    }
    if (args->npos > 1 && (!val_as_int64(args->pos[1], &r) || r < 0)) {
        return py_raise(in, "ValueError", args->span, "%s takes a number of items", name);
    }
    Pick p = {pool.list, (uint32_t)MIN(r, UINT16_MAX), ordered,
              NULL,      val_items(in, VAL_LIST, 0),   args->span};
    p.at = ARENA_ARRAY(core_arena(in), uint32_t, p.r + 1);
    if (p.r <= pool.list->n && !pick(in, &p, 0)) {
        return val_fail();
    }
    return as_iterator(in, p.out, name, args->span);
}

static Value
fn_permutations(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return picks(in, args, true, "permutations");
}

static Value
fn_combinations(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return picks(in, args, false, "combinations");
}

static const BuiltinRow itertools_rows[] = {
    {"chain", fn_chain, 0, 255, NULL},
    {"product", fn_product, 0, 255, NULL},
    {"permutations", fn_permutations, 1, 2, NULL},
    {"combinations", fn_combinations, 2, 2, NULL},
};

/* ---- the others ---------------------------------------------------------- */

static Value
fn_same(Interp *in, Value self, const CallArgs *args)
{
    (void)in;
    (void)self;
    return args->pos[0];
}

static Value
fn_ignore(Interp *in, Value self, const CallArgs *args)
{
    (void)in;
    (void)self;
    (void)args;
    return val_none();
}

static Value
fn_warn(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    text_put(&in->u->log, "warning: ");
    if (!format_str(in, args->pos[0], args->span, &in->u->log)) {
        return val_fail();
    }
    text_putc(&in->u->log, '\n');
    return val_none();
}

/* ---- types, importlib ---------------------------------------------------- */

/* Implements bind(f, x): f with x as its first argument. */
static Value
fn_bind(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    BoundVal *b = ARENA_NEW(core_arena(in), BoundVal);
    b->func = args->pos[0];
    b->self = args->pos[1];
    return (Value){.kind = VAL_BOUND, .bound = b};
}

/* Implements import_module(name): the module of that name, as the statement import finds
 * it. */
static Value
fn_import_module(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    if (args->pos[0].kind != VAL_STR || args->pos[0].str->len == 0 ||
        args->pos[0].str->p[0] == '.') {
        return py_raise(in, "TypeError", args->span,
                        "import_module takes the full name of a module as a text");
    }
    return import_module(in, val_text_of(in, args->pos[0]), args->span);
}

/* Implements TypeVar("T") and NewType("N", int): names that only annotations use. */
static Value
fn_type_name(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    const char *name =
        args->pos[0].kind == VAL_STR ? val_text_of(in, args->pos[0]) : "type";
    return args->npos > 1 && args->pos[1].kind == VAL_CLASS
               ? args->pos[1]
               : (Value){.kind = VAL_CLASS, .klass = class_new(in, name, NULL)};
}

/* Implements cast(type, x): returns x. */
static Value
fn_second(Interp *in, Value self, const CallArgs *args)
{
    (void)in;
    (void)self;
    return args->pos[1];
}

static const BuiltinRow typing_rows[] = {
    {"TypeVar", fn_type_name, 1, 255, "*"}, {"NewType", fn_type_name, 2, 2, NULL},
    {"cast", fn_second, 2, 2, NULL},        {"overload", fn_same, 1, 1, NULL},
    {"final", fn_same, 1, 1, NULL},         {"no_type_check", fn_same, 1, 1, NULL}};
static const BuiltinRow importlib_rows[] = {
    {"import_module", fn_import_module, 1, 2, "package"},
    {"reload", fn_same, 1, 1, NULL}};
static const BuiltinRow types_rows[] = {{"bind", fn_bind, 2, 2, NULL}};
static const BuiltinRow collections_rows[] = {
    {"namedtuple", class_named_tuple, 2, 2, "defaults rename module"}};
static const BuiltinRow enum_rows[] = {{"unique", fn_same, 1, 1, NULL, COST_ONE}};
static const BuiltinRow abc_rows[] = {{"abstractmethod", fn_same, 1, 1, NULL, COST_ONE}};
static const BuiltinRow warnings_rows[] = {
    {"warn", fn_warn, 1, 3, "*"},
    {"simplefilter", fn_ignore, 1, 255, "*", COST_ONE},
    {"filterwarnings", fn_ignore, 1, 255, "*", COST_ONE}};

static const char *const typing_names[] = {
    "AbstractSet", "Any",      "AnyStr",   "Callable",  "ClassVar", "Collection",
    "Deque",       "Dict",     "Final",    "FrozenSet", "Generic",  "Hashable",
    "Iterable",    "Iterator", "List",     "Literal",   "Mapping",  "MutableMapping",
    "NoReturn",    "Optional", "Protocol", "Sequence",  "Set",      "Text",
    "Tuple",       "Type",     "Union"};

static void
add_class(Interp *in, const char *module, const char *name, bool is_enum)
{
    ClassVal *c = class_new(in, name, NULL);
    c->is_enum = is_enum;
    py_module_set(in, py_module(in, module), name,
                  (Value){.kind = VAL_CLASS, .klass = c});
}

void
module_install(Interp *in)
{
    mathmodule_install(in);
    add_rows(in, "<stdlib>._functools", functools_rows, ARRAY_LEN(functools_rows));
    add_rows(in, "<stdlib>._operator", operator_rows, ARRAY_LEN(operator_rows));
    add_rows(in, "copy", copy_rows, ARRAY_LEN(copy_rows));
    add_rows(in, "<stdlib>._itertools", itertools_rows, ARRAY_LEN(itertools_rows));
    add_rows(in, "<stdlib>._collections", collections_rows, ARRAY_LEN(collections_rows));
    add_rows(in, "<stdlib>._enum", enum_rows, ARRAY_LEN(enum_rows));
    add_class(in, "<stdlib>._enum", "Enum", true);
    add_rows(in, "<stdlib>._types", types_rows, ARRAY_LEN(types_rows));
    add_rows(in, "importlib", importlib_rows, ARRAY_LEN(importlib_rows));
    add_rows(in, "abc", abc_rows, ARRAY_LEN(abc_rows));
    add_class(in, "abc", "ABC", false);
    add_class(in, "abc", "ABCMeta", false);
    add_rows(in, "warnings", warnings_rows, ARRAY_LEN(warnings_rows));
    add_rows(in, "typing", typing_rows, ARRAY_LEN(typing_rows));
    py_module_set(in, py_module(in, "typing"), "TYPE_CHECKING", val_bool(false));
    for (size_t i = 0; i < ARRAY_LEN(typing_names); i++) {
        add_class(in, "typing", typing_names[i], false);
    }
    Value builtins = {.kind = VAL_MODULE, .module = in->core->builtins};
    VEC_PUSH(core_arena(in), &in->core->modules, (ModuleName){"builtins", builtins});
}
