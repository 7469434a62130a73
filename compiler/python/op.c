/* op.c: implements operators over all kinds of values: dispatch by kind, sequences, sets,
 * comparison, truth. Numbers are in number.c; C objects and instances of user classes
 * have hooks. */
#include "python/core.h"

#include <string.h>

/* The special methods of the operators, for instances of user classes: that of the left
 * side and that of the right one. */
static const struct {
    const char *name, *reflected;
} op_methods[AOP_COUNT] = {
#define BINARY(name) {"__" name "__", "__r" name "__"}
    [AOP_ADD] = BINARY("add"),           [AOP_SUB] = BINARY("sub"),
    [AOP_MUL] = BINARY("mul"),           [AOP_DIV] = BINARY("truediv"),
    [AOP_FLOORDIV] = BINARY("floordiv"), [AOP_MOD] = BINARY("mod"),
    [AOP_POW] = BINARY("pow"),           [AOP_MATMUL] = BINARY("matmul"),
    [AOP_SHL] = BINARY("lshift"),        [AOP_SHR] = BINARY("rshift"),
    [AOP_AND] = BINARY("and"),           [AOP_OR] = BINARY("or"),
    [AOP_XOR] = BINARY("xor"),           [AOP_NEG] = {"__neg__", NULL},
    [AOP_POS] = {"__pos__", NULL},       [AOP_INVERT] = {"__invert__", NULL},
    [AOP_EQ] = {"__eq__", NULL},         [AOP_NE] = {"__ne__", NULL},
    [AOP_LT] = {"__lt__", NULL},         [AOP_LE] = {"__le__", NULL},
    [AOP_GT] = {"__gt__", NULL},         [AOP_GE] = {"__ge__", NULL},
#undef BINARY
};

static bool
user_instance(Value v)
{
    return (v.kind == VAL_INSTANCE && v.inst->cls->user) ||
           (v.kind == VAL_DICT && v.dict->cls);
}

static bool
call_op_method(Interp *in, Value self, AstOp op, bool reflected, const Value *other,
               Span span, Value *out)
{
    enum {
        METHOD_STEPS = 6 /* cost of finding a method by its name */
    };
    const char *name = reflected ? op_methods[op].reflected : op_methods[op].name;
    if (!user_instance(self) || !name) {
        return false;
    }
    core_owe(in, METHOD_STEPS);
    Sym sym = intern(&in->u->names, name);
    return attr_special(in, self, sym, CALL_ARGS(other, other ? 1 : 0, span), out);
}

static Value
unsupported(Interp *in, AstOp op, Value a, Value b, Span span)
{
    ExcInfo *x =
        error_raise(in, "TypeError", span, "unsupported operands of %s: '%s' and '%s'",
                    ast_op_text(op), val_type_name(a), val_type_name(b));
    bool number = val_is_number(a) || val_is_number(b);
    if (a.kind == VAL_NONE || b.kind == VAL_NONE) {
        x->help = "a function without a return statement gives None";
    } else if (number && (a.kind == VAL_STR || b.kind == VAL_STR)) {
        x->help = "make a text of the number with str(...), or a number of the text with "
                  "int(...)";
    } else if (a.kind == VAL_LIST || b.kind == VAL_LIST) {
        x->help = "make it a list with list(...); [x for x in ...] works on each item";
    }
    return val_fail();
}

/* ---- sequences and sets -------------------------------------------------- */

/* Returns the storage of text a when a ends where it does and n bytes more fit, else
 * null. */
static GrowingText *
room_after(struct Core *c, const Str *a, size_t n)
{
    for (size_t i = 0; i < ARRAY_LEN(c->growing); i++) {
        GrowingText *g = &c->growing[i];
        if (g->p == a->p && g->n == a->len && g->cap - g->n > n) {
            return g;
        }
    }
    return NULL;
}

static char *
new_text(Interp *in, const Str *a, size_t n)
{
    enum {
        SHORT = 256 /* shorter texts are copied: they stay zero-ended, see value.h */
    };
    struct Core *c = in->core;
    size_t cap = n < SHORT ? n + 1 : n + n / 2;
    char *p = arena_alloc(core_arena(in), cap);
    memcpy(p, a->p, a->len);
    if (n >= SHORT) {
        c->growing[c->next_growing] = (GrowingText){p, n, cap};
        c->next_growing = (c->next_growing + 1) % (int)ARRAY_LEN(c->growing);
    }
    return p;
}

static Value
concat_texts(Interp *in, const Str *a, const Str *b, Span span)
{
    size_t n = (size_t)a->len + b->len;
    GrowingText *g = a->len ? room_after(in->core, a, b->len) : NULL;
    if (!core_reserve(in, g ? b->len + 32.0 : (double)n * 1.5 + 32, span)) {
        return val_fail();
    }
    if (n > INT32_MAX) {
        return py_raise(in, "OverflowError", span, "the text would have %zu bytes", n);
    }
    char *p = g ? g->p : new_text(in, a, n);
    memcpy(p + a->len, b->p, b->len);
    if (g) {
        g->n = n;
    }
    return val_str_ref(in, p, n);
}

static Value
concat(Interp *in, Value a, Value b, Span span)
{
    if (a.kind == VAL_STR) {
        return concat_texts(in, a.str, b.str, span);
    }
    double n = (double)a.list->n + b.list->n;
    if (!core_reserve(in, n * sizeof(Value), span)) {
        return val_fail();
    }
    Value v = val_items(in, a.kind, a.list->n + b.list->n);
    if (a.list->n) {
        memcpy(v.list->p, a.list->p, a.list->n * sizeof(Value));
    }
    if (b.list->n) {
        memcpy(v.list->p + a.list->n, b.list->p, b.list->n * sizeof(Value));
    }
    return v;
}

/* Repeats unit bytes until there are total: each copy doubles the bytes that are
 * there. */
static void
fill(void *to, const void *from, size_t unit, size_t total)
{
    char *p = to;
    size_t done = MIN(unit, total);
    if (done) {
        memcpy(p, from, done);
    }
    while (done < total) {
        size_t more = MIN(done, total - done);
        memcpy(p + done, p, more);
        done += more;
    }
}

static Value
repeat(Interp *in, Value seq, Value count, Span span)
{
    enum {
        MAX_ITEMS = INT32_MAX
    };
    size_t n = seq.kind == VAL_STR ? seq.str->len : seq.list->n;
    size_t unit = seq.kind == VAL_STR ? 1 : sizeof(Value);
    int64_t times = count.kind == VAL_BIG    ? (count.big->size < 0 ? 0 : INT64_MAX)
                    : count.kind == VAL_BOOL ? count.b
                                             : count.i;
    times = MAX(times, 0);
    double total = (double)n * (double)times;
    if (!core_reserve(in, total * (double)unit + 64, span)) {
        return val_fail();
    }
    if (total > MAX_ITEMS) {
        return py_raise(in, "OverflowError", span, "the sequence would have %.0f items",
                        total);
    }
    if (seq.kind == VAL_STR) {
        char *p = arena_alloc(core_arena(in), (size_t)total + 1);
        fill(p, seq.str->p, n, (size_t)total);
        return val_str_ref(in, p, (size_t)total);
    }
    Value v = val_items(in, seq.kind, (uint32_t)total);
    fill(v.list->p, seq.list->p, n * sizeof(Value), (size_t)total * sizeof(Value));
    return v;
}

static Value
set_binary(Interp *in, AstOp op, Value a, Value b, Span span)
{
    Value r = dict_new(in, VAL_SET);
    r.dict->frozen = a.dict->frozen;
    const Dict *both[2] = {a.dict, b.dict};
    for (int side = 0; side < 2; side++) {
        if (side == 1 && (op == AOP_AND || op == AOP_SUB)) {
            break;
        }
        if (!core_charge(in, both[side]->n * (int64_t)8, span)) {
            return val_fail();
        }
        for (uint32_t i = 0; i < both[side]->n; i++) {
            Value key = both[side]->p[i].key;
            int there = val_failed(key) ? -1 : dict_find(in, both[!side], key, span);
            if (there == -2) {
                return val_fail();
            }
            bool keep = op == AOP_OR || (op == AOP_AND) == (there >= 0);
            if (!val_failed(key) && keep &&
                !dict_put(in, r.dict, key, val_none(), span)) {
                return val_fail();
            }
        }
    }
    return r;
}

static bool
is_sequence(Value v)
{
    return v.kind == VAL_STR || v.kind == VAL_LIST || v.kind == VAL_TUPLE;
}

static bool
is_set_op(AstOp op)
{
    return op == AOP_AND || op == AOP_OR || op == AOP_SUB || op == AOP_XOR;
}

static Value
other_binary(Interp *in, AstOp op, Value a, Value b, Span span)
{
    if (op == AOP_ADD && a.kind == b.kind && is_sequence(a)) {
        return concat(in, a, b, span);
    }
    if (op == AOP_MUL && is_sequence(a) && val_is_int(b)) {
        return repeat(in, a, b, span);
    }
    if (op == AOP_MUL && is_sequence(b) && val_is_int(a)) {
        return repeat(in, b, a, span);
    }
    if (a.kind == VAL_SET && b.kind == VAL_SET && is_set_op(op)) {
        return set_binary(in, op, a, b, span);
    }
    if (a.kind == VAL_DICT && b.kind == VAL_DICT && op == AOP_OR) {
        Value r = dict_copy(in, a);
        return !val_failed(r) && dict_merge(in, r.dict, b, span) ? r : val_fail();
    }
    return unsupported(in, op, a, b, span);
}

static bool
has_binary(Value v)
{
    return v.kind == VAL_OBJECT && v.obj->cls->binary;
}

/* Calls the operator of a C object, which comes before any class of the program. */
static Value
hook_binary(Interp *in, AstOp op, Value a, Value b, Span span)
{
    const ObjectClass *c = has_binary(a) ? a.obj->cls : b.obj->cls;
    Value l = op_plain(in, a, span);
    Value r = val_failed(l) ? l : op_plain(in, b, span);
    return val_failed(r) ? r : c->binary(in, op, l, r, span);
}

Value
op_binary(Interp *in, AstOp op, Value a, Value b, Span span)
{
    Value r = val_none();
    if (val_is_number(a) && val_is_number(b)) {
        return number_binary(in, op, a, b, span);
    }
    if (a.kind == VAL_STR && op == AOP_MOD) {
        return format_percent(in, a, b, span);
    }
    if (has_binary(a) || has_binary(b)) {
        return hook_binary(in, op, a, b, span);
    }
    if (call_op_method(in, a, op, false, &b, span, &r) ||
        call_op_method(in, b, op, true, &a, span, &r)) {
        return r;
    }
    return other_binary(in, op, a, b, span);
}

static Value
merge_into(Interp *in, Value a, Value b, Span span)
{
    for (uint32_t i = 0; i < b.dict->n; i++) {
        const DictEntry *e = &b.dict->p[i];
        if (!val_failed(e->key) && !dict_put(in, a.dict, e->key, e->v, span)) {
            return val_fail();
        }
    }
    return a;
}

/* Computes a op= b: lists and sets change in place. */
Value
op_inplace(Interp *in, AstOp op, Value a, Value b, Span span)
{
    if (a.kind == VAL_LIST && op == AOP_ADD) {
        Value more = iter_collect(in, VAL_LIST, b, span);
        if (val_failed(more)) {
            return more;
        }
        for (uint32_t i = 0; i < more.list->n; i++) {
            list_push(in, a, more.list->p[i]);
        }
        return a;
    }
    if (a.kind == VAL_LIST && op == AOP_MUL) {
        Value all = op_binary(in, op, a, b, span);
        if (all.kind != VAL_LIST) {
            return all;
        }
        a.list->n = 0;
        for (uint32_t i = 0; i < all.list->n; i++) {
            list_push(in, a, all.list->p[i]);
        }
        return a;
    }
    if (op == AOP_OR && a.kind == b.kind &&
        (a.kind == VAL_DICT || (a.kind == VAL_SET && !a.dict->frozen))) {
        return merge_into(in, a, b, span);
    }
    Value r = op_binary(in, op, a, b, span);
    if (a.kind == VAL_SET && r.kind == VAL_SET && !a.dict->frozen && is_set_op(op)) {
        *a.dict = *r.dict;
        return a;
    }
    return r;
}

Value
op_unary(Interp *in, AstOp op, Value a, Span span)
{
    Value r = val_none();
    if (val_is_number(a)) {
        return number_unary(in, op, a, span);
    }
    if (a.kind == VAL_OBJECT && a.obj->cls->unary) {
        return a.obj->cls->unary(in, op, a.obj, span);
    }
    if (call_op_method(in, a, op, false, NULL, span, &r)) {
        return r;
    }
    return py_raise(in, "TypeError", span, "%s does not apply to '%s'",
                    op == AOP_INVERT ? "~"
                    : op == AOP_NEG  ? "-"
                                     : "+",
                    val_type_name(a));
}

/* ---- comparison ---------------------------------------------------------- */

bool
op_identical(Value a, Value b)
{
    if (a.kind != b.kind) {
        return false;
    }
    switch ((ValueKind)a.kind) {
    case VAL_FAIL:
    case VAL_NONE:
        return true;
    case VAL_BOOL:
        return a.b == b.b;
    case VAL_INT:
        return a.i == b.i;
    case VAL_FLOAT:
        return memcmp(&a.f, &b.f, sizeof a.f) == 0;
    case VAL_STR:
        return a.str == b.str ||
               (a.str->len == b.str->len && memcmp(a.str->p, b.str->p, a.str->len) == 0);
    case VAL_BIG:
        return big_compare(a, b) == 0;
    case VAL_TUPLE:
        return a.list == b.list || (a.list->n == 0 && b.list->n == 0);
    case VAL_BOUND:
        return op_identical(a.bound->self, b.bound->self) &&
               op_identical(a.bound->func, b.bound->func);
    default:
        return a.obj == b.obj;
    }
}

static bool
equal_lists(Interp *in, const List *a, const List *b, Span span, bool *out)
{
    *out = a->n == b->n;
    for (uint32_t i = 0; *out && i < a->n && i < b->n; i++) {
        core_owe(in, 2);
        TRY(op_equal(in, a->p[i], b->p[i], span, out));
    }
    return true;
}

/* Returns whether every key of a is in b, with an equal value if they are
 * dictionaries. */
static bool
dict_within(Interp *in, Value a, Value b, Span span, bool *out)
{
    const Dict *d = a.dict;
    *out = d->live <= b.dict->live;
    for (uint32_t i = 0; *out && i < d->n; i++) {
        core_owe(in, 4);
        if (val_failed(d->p[i].key)) {
            continue;
        }
        int there = dict_find(in, b.dict, d->p[i].key, span);
        if (there == -2) {
            return false;
        }
        *out = there >= 0;
        if (*out && a.kind == VAL_DICT) {
            TRY(op_equal(in, d->p[i].v, b.dict->p[there].v, span, out));
        }
    }
    return true;
}

static bool
equal_hook(Interp *in, Value a, Value b, Span span, bool *out)
{
    Value r = val_none();
    core_owe(in, 4); /* a method is looked up in two classes */
    if (has_binary(a) || has_binary(b)) {
        r = hook_binary(in, AOP_EQ, a, b, span);
        return !val_failed(r) && op_truth(in, r, span, out);
    }
    if (call_op_method(in, a, AOP_EQ, false, &b, span, &r) ||
        call_op_method(in, b, AOP_EQ, false, &a, span, &r)) {
        return !val_failed(r) && op_truth(in, r, span, out);
    }
    *out = false;
    return true;
}

/* Charges the work of comparing values of any size. */
static inline bool
charge_compare(Interp *in, Value a, Span span)
{
    if (a.kind == VAL_BIG) {
        return core_charge(in, 8 + big_bits(a) / 64, span);
    }
    return a.kind != VAL_STR || core_charge(in, 2 + a.str->len / 32, span);
}

bool
op_equal(Interp *in, Value a, Value b, Span span, bool *out)
{
    TRY(charge_compare(in, a, span));
    if (val_is_number(a) && val_is_number(b)) {
        *out = number_compare(a, b) == 0;
        return true;
    }
    if (op_identical(a, b)) {
        *out = true;
        return true;
    }
    if (a.kind == VAL_OBJECT || b.kind == VAL_OBJECT || a.kind == VAL_INSTANCE ||
        b.kind == VAL_INSTANCE) {
        return equal_hook(in, a, b, span, out);
    }
    *out = false;
    if (a.kind != b.kind || !core_stack(in, span) || !core_step(in, span)) {
        return !in->fatal;
    }
    switch (a.kind) {
    case VAL_TUPLE:
    case VAL_LIST:
        return equal_lists(in, a.list, b.list, span, out);
    case VAL_DICT:
    case VAL_SET:
        return a.dict->live != b.dict->live || dict_within(in, a, b, span, out);
    case VAL_RANGE:
        core_owe(in, 4);
        *out = a.range->n == b.range->n &&
               (a.range->n == 0 || (a.range->start == b.range->start &&
                                    (a.range->n == 1 || a.range->step == b.range->step)));
        return true;
    default:
        return true;
    }
}

static int
str_order(const Str *a, const Str *b)
{
    int c = memcmp(a->p, b->p, MIN(a->len, b->len));
    return c ? c : (a->len > b->len) - (a->len < b->len);
}

static bool
ordered(AstOp op, int c)
{
    switch (op) {
    case AOP_LT:
        return c < 0;
    case AOP_LE:
        return c <= 0;
    case AOP_GT:
        return c > 0;
    default:
        return c >= 0;
    }
}

/* Compares lexicographically: the first items that differ decide. */
static Value
order_lists(Interp *in, AstOp op, Value a, Value b, Span span)
{
    const List *x = a.list;
    const List *y = b.list;
    if (!core_stack(in, span) || !core_step(in, span)) {
        return val_fail();
    }
    for (uint32_t i = 0; i < x->n && i < y->n; i++) {
        bool same = false;
        core_owe(in, 2);
        if (!op_equal(in, x->p[i], y->p[i], span, &same)) {
            return val_fail();
        }
        if (!same) {
            return op_compare(in, op, x->p[i], y->p[i], span);
        }
    }
    return val_bool(ordered(op, (x->n > y->n) - (x->n < y->n)));
}

static Value
order_sets(Interp *in, AstOp op, Value a, Value b, Span span)
{
    bool within = false;
    bool up = op == AOP_LT || op == AOP_LE;
    if (!dict_within(in, up ? a : b, up ? b : a, span, &within)) {
        return val_fail();
    }
    bool strict = op == AOP_LT || op == AOP_GT;
    return val_bool(within && !(strict && a.dict->live == b.dict->live));
}

static Value
order(Interp *in, AstOp op, Value a, Value b, Span span)
{
    Value r = val_none();
    if (!charge_compare(in, a, span)) {
        return val_fail();
    }
    if (val_is_number(a) && val_is_number(b)) {
        int c = number_compare(a, b);
        return val_bool(c != 2 && ordered(op, c));
    }
    if (a.kind == VAL_STR && b.kind == VAL_STR) {
        int c = str_order(a.str, b.str);
        return val_bool(ordered(op, (c > 0) - (c < 0)));
    }
    if (a.kind == b.kind && (a.kind == VAL_LIST || a.kind == VAL_TUPLE)) {
        return order_lists(in, op, a, b, span);
    }
    if (a.kind == VAL_SET && b.kind == VAL_SET) {
        return order_sets(in, op, a, b, span);
    }
    AstOp swapped = op == AOP_LT   ? AOP_GT
                    : op == AOP_LE ? AOP_GE
                    : op == AOP_GT ? AOP_LT
                                   : AOP_LE;
    if (call_op_method(in, a, op, false, &b, span, &r) ||
        call_op_method(in, b, swapped, false, &a, span, &r)) {
        return r;
    }
    return py_raise(in, "TypeError", span, "%s does not compare '%s' and '%s'",
                    ast_op_text(op), val_type_name(a), val_type_name(b));
}

static Value
not_equal(Interp *in, Value a, Value b, Span span)
{
    Value r = val_none();
    bool same = false;
    if (call_op_method(in, a, AOP_NE, false, &b, span, &r)) {
        return r;
    }
    return op_equal(in, a, b, span, &same) ? val_bool(!same) : val_fail();
}

Value
op_compare(Interp *in, AstOp op, Value a, Value b, Span span)
{
    bool yes = false;
    switch (op) {
    case AOP_IS:
    case AOP_IS_NOT:
        return charge_compare(in, a, span)
                   ? val_bool(op_identical(a, b) == (op == AOP_IS))
                   : val_fail();
    case AOP_IN:
    case AOP_NOT_IN:
        if (!op_contains(in, b, a, span, &yes)) {
            return val_fail();
        }
        return val_bool(yes == (op == AOP_IN));
    default:
        break;
    }
    if (has_binary(a) || has_binary(b)) {
        return hook_binary(in, op, a, b, span);
    }
    Value r = val_none();
    bool asks = op == AOP_EQ || op == AOP_NE;
    if (asks && (call_op_method(in, a, op, false, &b, span, &r) ||
                 (!user_instance(a) && call_op_method(in, b, op, false, &a, span, &r)))) {
        return r; /* the result for arrays has no truth value */
    }
    if (op == AOP_EQ) {
        return op_equal(in, a, b, span, &yes) ? val_bool(yes) : val_fail();
    }
    return op == AOP_NE ? not_equal(in, a, b, span) : order(in, op, a, b, span);
}

bool
op_less(Interp *in, Value a, Value b, Span span, bool *out)
{
    if (a.kind == VAL_INT && b.kind == VAL_INT) {
        *out = a.i < b.i;
        return true;
    }
    Value r = op_compare(in, AOP_LT, a, b, span);
    return !val_failed(r) && op_truth(in, r, span, out);
}

/* ---- membership, truth, length ------------------------------------------- */

static bool
text_contains(Interp *in, Value text, Value part, Span span, bool *out)
{
    if (part.kind != VAL_STR) {
        py_raise(in, "TypeError", span, "a text can contain only texts, not '%s'",
                 val_type_name(part));
        return false;
    }
    size_t n = part.str->len;
    TRY(core_charge(in, text.str->len / 8 * (1 + (int64_t)n / 32), span));
    *out = n == 0;
    const char *end = text.str->p + text.str->len;
    for (const char *p = text.str->p; !*out && (size_t)(end - p) >= n; p++) {
        p = memchr(p, part.str->p[0], (size_t)(end - p) - n + 1);
        if (!p) {
            break;
        }
        *out = memcmp(p, part.str->p, n) == 0;
    }
    return true;
}

static bool
range_contains(const RangeVal *r, Value item, bool *out)
{
    int64_t i = 0;
    *out = false;
    if (val_is_number(item) && val_as_int64(item, &i)) {
        bool inside =
            r->step > 0 ? i >= r->start && i < r->stop : i <= r->start && i > r->stop;
        uint64_t a = r->step > 0 ? (uint64_t)i - (uint64_t)r->start
                                 : (uint64_t)r->start - (uint64_t)i;
        uint64_t step = r->step > 0 ? (uint64_t)r->step : 0 - (uint64_t)r->step;
        *out = inside && a % step == 0;
    }
    return true;
}

static bool
list_contains(Interp *in, const List *l, Value item, Span span, bool *out)
{
    *out = false;
    for (uint32_t i = 0; i < l->n && !*out; i++) {
        Value v = l->p[i];
        TRY(core_step(in, span));
        if (v.kind == VAL_INT && item.kind == VAL_INT) {
            *out = v.i == item.i;
        } else {
            TRY(op_equal(in, v, item, span, out));
        }
    }
    return true;
}

static bool
walk_contains(Interp *in, Value container, Value item, Span span, bool *out)
{
    Iter it;
    *out = false;
    TRY(iter_begin(in, container, span, &it));
    while (!*out) {
        Value v = val_none();
        int more = iter_next(in, &it, span, &v);
        if (more <= 0) {
            return more == 0;
        }
        TRY(core_step(in, span) && op_equal(in, v, item, span, out));
    }
    return true;
}

bool
op_contains(Interp *in, Value container, Value item, Span span, bool *out)
{
    Value r = val_none();
    int i = 0;
    switch (container.kind) {
    case VAL_STR:
        return text_contains(in, container, item, span, out);
    case VAL_RANGE:
        if (item.kind == VAL_OBJECT) {
            return walk_contains(in, container, item, span, out);
        }
        return range_contains(container.range, item, out);
    case VAL_LIST:
    case VAL_TUPLE:
        return list_contains(in, container.list, item, span, out);
    case VAL_DICT:
    case VAL_SET:
        i = dict_find(in, container.dict, item, span);
        *out = i >= 0;
        return i != -2;
    case VAL_INSTANCE:
        if (attr_special(in, container, in->core->sym.contains, CALL_ARGS(&item, 1, span),
                         &r)) {
            return !val_failed(r) && op_truth(in, r, span, out);
        }
        return walk_contains(in, container, item, span, out);
    default:
        return walk_contains(in, container, item, span, out);
    }
}

static bool
object_truth(Interp *in, Object *o, Span span, bool *out)
{
    int64_t n = 1;
    if (o->cls->truth) {
        return o->cls->truth(in, o, span, out);
    }
    TRY(!o->cls->length || o->cls->length(in, o, span, &n));
    *out = n != 0;
    return true;
}

static bool
instance_truth(Interp *in, Value v, Span span, bool *out)
{
    Value r = val_none();
    *out = true;
    if (v.inst->cls->user &&
        attr_special(in, v, in->core->sym.bool_, CALL_ARGS(NULL, 0, span), &r)) {
        return !val_failed(r) && r.kind != VAL_INSTANCE && op_truth(in, r, span, out);
    }
    if (v.inst->cls->user &&
        attr_special(in, v, in->core->sym.len, CALL_ARGS(NULL, 0, span), &r)) {
        return !val_failed(r) && r.kind != VAL_INSTANCE && op_truth(in, r, span, out);
    }
    return true;
}

bool
op_truth(Interp *in, Value v, Span span, bool *out)
{
    *out = true;
    switch ((ValueKind)v.kind) {
    case VAL_FAIL:
        return false;
    case VAL_NONE:
        *out = false;
        return true;
    case VAL_BOOL:
        *out = v.b;
        return true;
    case VAL_INT:
        *out = v.i != 0;
        return true;
    case VAL_FLOAT:
        *out = v.f != 0;
        return true;
    case VAL_STR:
        *out = v.str->len != 0;
        return true;
    case VAL_TUPLE:
    case VAL_LIST:
        *out = v.list->n != 0;
        return true;
    case VAL_DICT:
    case VAL_SET:
        *out = v.dict->live != 0;
        return true;
    case VAL_RANGE:
        *out = v.range->n != 0;
        return true;
    case VAL_OBJECT:
        return object_truth(in, v.obj, span, out);
    case VAL_INSTANCE:
        return instance_truth(in, v, span, out);
    case VAL_BIG:
    case VAL_SLICE:
    case VAL_FUNC:
    case VAL_BUILTIN:
    case VAL_BOUND:
    case VAL_CLASS:
    case VAL_MODULE:
        return true;
    }
    return true;
}

Value
op_index(Interp *in, Value v, Span span)
{
    Value r = v;
    return v.kind == VAL_INSTANCE &&
                   attr_special(in, v, in->core->sym.index, CALL_ARGS(NULL, 0, span), &r)
               ? r
               : v;
}

bool
op_length(Interp *in, Value v, Span span, int64_t *out)
{
    Value r = val_none();
    switch (v.kind) {
    case VAL_STR:
        *out = str_count(v);
        return true;
    case VAL_TUPLE:
    case VAL_LIST:
        *out = v.list->n;
        return true;
    case VAL_DICT:
    case VAL_SET:
        *out = v.dict->live;
        return true;
    case VAL_RANGE:
        *out = v.range->n;
        return true;
    case VAL_OBJECT:
        if (v.obj->cls->length) {
            return v.obj->cls->length(in, v.obj, span, out);
        }
        break;
    case VAL_CLASS:
        if (v.klass->is_enum) {
            Value members = attrs_get(&v.klass->attrs, in->core->sym.members);
            *out = members.kind == VAL_DICT ? members.dict->live : 0;
            return true;
        }
        break;
    case VAL_INSTANCE:
        if (attr_special(in, v, in->core->sym.len, CALL_ARGS(NULL, 0, span), &r)) {
            if (!val_failed(r) && (!val_is_int(r) || !val_as_int64(r, out) || *out < 0)) {
                py_raise(in, "TypeError", span, "__len__ gives a number of items");
                return false;
            }
            return !val_failed(r);
        }
        break;
    default:
        break;
    }
    py_raise(in, "TypeError", span, "'%s' has no length", val_type_name(v));
    return false;
}
