/* index.c: implements items and slices of sequences and mappings: reading, writing,
 * deleting. Texts are UTF-8 and are indexed by character. */
#include "python/core.h"

#include <string.h>

/* ---- characters of texts ------------------------------------------------- */

static bool
begins_char(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

int64_t
str_count(Value str)
{
    Str *s = str.str;
    if (!s->chars) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < s->len; i++) {
            n += begins_char(s->p[i]);
        }
        s->chars = n + 1;
    }
    return s->chars - 1;
}

/* Returns the byte offset of the i-th character after the byte offset from. */
static uint32_t
char_offset(const Str *s, uint32_t from, int64_t i)
{
    while (from < s->len && i > 0) {
        from++;
        while (from < s->len && !begins_char(s->p[from])) {
            from++;
        }
        i--;
    }
    return from;
}

/* Returns the byte offset of the i-th character. The search begins at the character of
 * the last search, since programs go through texts in order. */
static uint32_t
char_at(Interp *in, Value str, int64_t i)
{
    Str *s = str.str;
    if (str_count(str) == s->len) {
        return (uint32_t)MIN(i, s->len);
    }
    bool after = i >= s->near_char;
    /* the caller's next step checks the limit */
    core_owe(in, (after ? i - s->near_char : i) / 2);
    s->near_byte = char_offset(s, after ? s->near_byte : 0, after ? i - s->near_char : i);
    s->near_char = (uint32_t)i;
    return s->near_byte;
}

Value
str_char(Interp *in, Value str, int64_t i)
{
    uint32_t at = char_at(in, str, i);
    return val_str_n(in, str.str->p + at, char_offset(str.str, at, 1) - at);
}

Value
str_slice(Interp *in, Value str, int64_t start, int64_t step, int64_t count)
{
    const Str *s = str.str;
    if (count <= 0) {
        return val_str_n(in, "", 0);
    }
    if (step == 1) {
        uint32_t at = char_at(in, str, start);
        bool ascii = str_count(str) == s->len;
        return val_str_n(in, s->p + at,
                         ascii ? (size_t)MIN(count, s->len - at)
                               : char_offset(s, at, count) - at);
    }
    bool ascii = str_count(str) == s->len;
    if (!core_charge(in, 2 * count + (ascii ? 0 : count * s->len / 8), in->here)) {
        return val_fail();
    }
    Text t;
    text_init(&t, core_arena(in));
    for (int64_t k = 0; k < count; k++) {
        int64_t i = start + k * step;
        if (ascii) {
            text_putc(&t, s->p[i]);
        } else {
            Value c = str_char(in, str, i);
            text_putn(&t, c.str->p, c.str->len);
        }
    }
    return val_text(in, &t);
}

/* ---- positions ----------------------------------------------------------- */

static Value
out_of_range(Interp *in, Value container, int64_t i, int64_t n, Span span)
{
    return py_raise(in, "IndexError", span, "index %lld is outside a '%s' of %lld item%s",
                    (long long)i, val_type_name(container), (long long)n,
                    n == 1 ? "" : "s");
}

static bool
position(Interp *in, Value container, Value key, int64_t n, Span span, int64_t *out)
{
    if (key.kind != VAL_INT && key.kind != VAL_BOOL) {
        if (key.kind == VAL_BIG) {
            py_raise(in, "IndexError", span, "the index %s is too large",
                     val_repr(in, key));
        } else {
            py_raise(in, "TypeError", span, "an index of a '%s' is an integer, not '%s'",
                     val_type_name(container), val_type_name(key));
        }
        return false;
    }
    int64_t i = key.kind == VAL_BOOL ? key.b : key.i;
    *out = i < 0 ? i + n : i;
    if (*out < 0 || *out >= n) {
        out_of_range(in, container, i, n, span);
        return false;
    }
    return true;
}

static bool
slice_part(Interp *in, Value v, int64_t dflt, Span span, int64_t *out)
{
    *out = dflt;
    if (v.kind == VAL_NONE) {
        return true;
    }
    if (v.kind == VAL_BIG) {
        *out = v.big->size < 0 ? INT64_MIN : INT64_MAX;
        return true;
    }
    if (!val_is_int(v)) {
        py_raise(in, "TypeError", span, "a slice is made of integers, not '%s'",
                 val_type_name(v));
        return false;
    }
    return val_as_int64(v, out);
}

static int64_t
clamp(int64_t i, int64_t n, int64_t low, int64_t high)
{
    if (i < 0) {
        i = i < -n ? -1 : i + n;
    }
    return i < low ? low : i > high ? high : i;
}

bool
index_slice(Interp *in, const SliceVal *s, int64_t n, Span span, int64_t out[4])
{
    int64_t step = 1;
    TRY(slice_part(in, s->step, 1, span, &step));
    if (step == 0) {
        py_raise(in, "ValueError", span, "the step of a slice is not zero");
        return false;
    }
    step = MAX(step, -INT64_MAX);
    int64_t low = step > 0 ? 0 : -1;
    int64_t high = step > 0 ? n : n - 1;
    int64_t start = step > 0 ? low : high;
    int64_t stop = step > 0 ? high : low;
    if (s->start.kind != VAL_NONE) {
        TRY(slice_part(in, s->start, 0, span, &start));
        start = clamp(start, n, low, high);
    }
    if (s->stop.kind != VAL_NONE) {
        TRY(slice_part(in, s->stop, 0, span, &stop));
        stop = clamp(stop, n, low, high);
    }
    int64_t distance = step > 0 ? stop - start : start - stop;
    int64_t size = step > 0 ? step : -step;
    out[0] = start;
    out[1] = step;
    out[3] = stop;
    out[2] = distance > 0 ? (distance - 1) / size + 1 : 0;
    return true;
}

/* ---- reading ------------------------------------------------------------- */

static Value
list_slice(Interp *in, Value list, const SliceVal *s, Span span)
{
    int64_t p[4];
    if (!index_slice(in, s, list.list->n, span, p) ||
        !core_reserve(in, (double)p[2] * sizeof(Value), span)) {
        return val_fail();
    }
    Value v = val_items(in, list.kind, (uint32_t)p[2]);
    for (int64_t i = 0; i < p[2]; i++) {
        v.list->p[i] = list.list->p[p[0] + i * p[1]];
    }
    return v;
}

static Value
range_slice(Interp *in, const RangeVal *r, const SliceVal *s, Span span)
{
    int64_t p[4];
    if (!index_slice(in, s, r->n, span, p)) {
        return val_fail();
    }
    RangeVal *out = ARENA_NEW(core_arena(in), RangeVal);
    if (!checked_mul(p[0], r->step, &out->start) ||
        !checked_add(out->start, r->start, &out->start) ||
        !checked_mul(p[1], r->step, &out->step) ||
        !checked_mul(p[3], r->step, &out->stop) ||
        !checked_add(out->stop, r->start, &out->stop)) {
        return py_raise(in, "OverflowError", span, "the range needs more than 64 bits");
    }
    out->n = p[2];
    return (Value){.kind = VAL_RANGE, .range = out};
}

static Value
get_slice(Interp *in, Value v, const SliceVal *s, Span span)
{
    int64_t p[4];
    switch (v.kind) {
    case VAL_LIST:
    case VAL_TUPLE:
        return list_slice(in, v, s, span);
    case VAL_STR:
        if (!index_slice(in, s, str_count(v), span, p)) {
            return val_fail();
        }
        return str_slice(in, v, p[0], p[1], p[2]);
    case VAL_RANGE:
        return range_slice(in, v.range, s, span);
    default:
        return py_raise(in, "TypeError", span, "a '%s' has no slices", val_type_name(v));
    }
}

/* Returns a few of the keys: "'shape', 'dtype'". */
static const char *
key_list(Interp *in, const Dict *d)
{
    enum {
        MOST = 12
    };
    Text t;
    text_init(&t, core_arena(in));
    text_put(&t, d->live ? "" : "none");
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->n && n <= MOST; i++) {
        if (!val_failed(d->p[i].key)) {
            text_put(&t, n ? ", " : "");
            text_put(&t, n < MOST ? val_repr(in, d->p[i].key) : "...");
            n++;
        }
    }
    return t.p;
}

/* Adds a help. A description of an operator's tensor is best named as the operand that it
 * is. */
static void
explain_key(Interp *in, ExcInfo *x, const Dict *d)
{
    const char *operand = entry_operand(in, d);
    if (operand) {
        x->note = arena_printf(core_arena(in), "the dictionary is %s; its keys are: %s",
                               operand, key_list(in, d));
    }
}

static Value
dict_item(Interp *in, Value v, Value key, Span span)
{
    int i = dict_find(in, v.dict, key, span);
    if (i >= 0) {
        return v.dict->p[i].v;
    }
    Value r = val_none();
    if (i == -1 &&
        attr_special(in, v, in->core->sym.missing, CALL_ARGS(&key, 1, span), &r)) {
        return r;
    }
    if (i == -1) {
        ExcInfo *x = error_raise(in, "KeyError", span, "the dictionary has no key %s",
                                 val_repr(in, key));
        if (key.kind == VAL_STR) {
            Nearest n = {.wanted = key.str->p};
            core_owe(in, v.dict->n / 4);
            for (uint32_t k = 0; k < v.dict->n; k++) {
                if (v.dict->p[k].key.kind == VAL_STR) {
                    nearest_try(&n, v.dict->p[k].key.str->p);
                }
            }
            const char *best = nearest_best(in, &n);
            x->help = best ? arena_printf(core_arena(in), "it has '%s'", best) : NULL;
        }
        explain_key(in, x, v.dict);
        in->exception.inst->args = val_tuple(in, &key, 1);
    }
    return val_fail();
}

static Value
class_item(Interp *in, Value v, Value key, Span span)
{
    if (v.klass->is_enum && key.kind == VAL_STR) {
        Value members = attrs_get(&v.klass->attrs, in->core->sym.members);
        if (members.kind == VAL_DICT) {
            return dict_item(in, members, key, span);
        }
    }
    return py_raise(in, "TypeError", span, "the class '%s' has no items", v.klass->name);
}

Value
index_get(Interp *in, Value container, Value key, Span span)
{
    int64_t i = 0;
    Value r = val_none();
    if (container.kind == VAL_OBJECT) {
        if (container.obj->cls->get_item) {
            Value plain = op_plain(in, key, span);
            return val_failed(plain)
                       ? plain
                       : container.obj->cls->get_item(in, container.obj, plain, span);
        }
    } else if (container.kind == VAL_DICT) {
        return dict_item(in, container, key, span);
    } else if (container.kind == VAL_INSTANCE) {
        if (attr_special(in, container, in->core->sym.getitem, CALL_ARGS(&key, 1, span),
                         &r)) {
            return r;
        }
    } else if (container.kind == VAL_CLASS) {
        return class_item(in, container, key, span);
    } else if (key.kind == VAL_SLICE) {
        return get_slice(in, container, key.slice, span);
    }
    key = op_index(in, key, span);
    if (val_failed(key) || hidden_used(in, key, "is an index", span)) {
        return val_fail();
    }
    switch (container.kind) {
    case VAL_LIST:
    case VAL_TUPLE:
        return position(in, container, key, container.list->n, span, &i)
                   ? container.list->p[i]
                   : val_fail();
    case VAL_STR:
        return position(in, container, key, str_count(container), span, &i)
                   ? str_char(in, container, i)
                   : val_fail();
    case VAL_RANGE:
        return position(in, container, key, container.range->n, span, &i)
                   ? val_int(container.range->start + i * container.range->step)
                   : val_fail();
    default:
        return py_raise(in, "TypeError", span, "a '%s' has no items",
                        val_type_name(container));
    }
}

/* ---- writing and deleting ------------------------------------------------ */

static bool
no_items(Interp *in, Value v, Span span, const char *what)
{
    py_raise(in, "TypeError", span, "items of a '%s' cannot be %s", val_type_name(v),
             what);
    return false;
}

/* Removes count items from start on. */
static bool
erase(Interp *in, List *l, int64_t start, int64_t count, Span span)
{
    TRY(core_charge(in, (l->n - start) / 8, span));
    memmove(l->p + start, l->p + start + count,
            (size_t)(l->n - start - count) * sizeof *l->p);
    l->n -= (uint32_t)count;
    return true;
}

/* Replaces count items from start by the given ones. */
static bool
splice(Interp *in, List *l, int64_t start, int64_t count, const List *with, Span span)
{
    uint32_t n = (uint32_t)(l->n - count) + with->n;
    if (n <= l->cap && l->n) {
        uint32_t after = (uint32_t)(l->n - start - count);
        TRY(core_charge(in, (with->n + after) / 16, span));
        memmove(l->p + start + with->n, l->p + start + count, after * sizeof *l->p);
        if (with->n) {
            memcpy(l->p + start, with->p, with->n * sizeof *l->p);
        }
        l->n = n;
        return true;
    }
    TRY(core_reserve(in, (double)n * sizeof(Value), span));
    Value *p = ARENA_ARRAY(core_arena(in), Value, MAX(n, 1));
    if (start) {
        memcpy(p, l->p, (size_t)start * sizeof *p);
    }
    if (with->n) {
        memcpy(p + start, with->p, with->n * sizeof *p);
    }
    uint32_t rest = (uint32_t)(l->n - start - count);
    if (rest) {
        memcpy(p + start + with->n, l->p + start + count, rest * sizeof *p);
    }
    l->p = p;
    l->n = n;
    l->cap = MAX(n, 1);
    return true;
}

static bool
set_slice(Interp *in, Value list, const SliceVal *s, Value v, Span span)
{
    int64_t p[4];
    Value items = iter_collect(in, VAL_LIST, v, span);
    if (val_failed(items)) {
        return false;
    }
    TRY(index_slice(in, s, list.list->n, span, p));
    if (p[1] == 1) {
        return splice(in, list.list, p[0], p[2], items.list, span);
    }
    if (items.list->n != p[2]) {
        py_raise(in, "ValueError", span, "%u items cannot replace a slice of %lld",
                 items.list->n, (long long)p[2]);
        return false;
    }
    TRY(core_charge(in, p[2] / 4, span));
    for (int64_t i = 0; i < p[2]; i++) {
        list.list->p[p[0] + i * p[1]] = items.list->p[i];
    }
    return true;
}

bool
index_set(Interp *in, Value container, Value key, Value v, Span span)
{
    int64_t i = 0;
    Value r = val_none();
    Value args[2] = {key, v};
    switch (container.kind) {
    case VAL_OBJECT:
        if (container.obj->cls->set_item) {
            key = op_plain(in, key, span);
            v = op_plain(in, v, span);
            return !val_failed(key) && !val_failed(v) &&
                   container.obj->cls->set_item(in, container.obj, key, v, span);
        }
        break;
    case VAL_DICT:
        return dict_put(in, container.dict, key, v, span);
    case VAL_LIST:
        if (key.kind == VAL_SLICE) {
            return set_slice(in, container, key.slice, v, span);
        }
        TRY(position(in, container, key, container.list->n, span, &i));
        container.list->p[i] = v;
        return true;
    case VAL_INSTANCE:
        if (attr_special(in, container, in->core->sym.setitem, CALL_ARGS(args, 2, span),
                         &r)) {
            return !val_failed(r);
        }
        break;
    default:
        break;
    }
    return no_items(in, container, span, "assigned");
}

static bool
del_slice(Interp *in, List *l, const SliceVal *s, Span span)
{
    int64_t p[4];
    TRY(index_slice(in, s, l->n, span, p));
    if (p[2] == 0) {
        return true;
    }
    if (p[1] == 1) {
        return erase(in, l, p[0], p[2], span);
    }
    int64_t first = p[1] > 0 ? p[0] : p[0] + (p[2] - 1) * p[1];
    int64_t step = p[1] > 0 ? p[1] : -p[1];
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        int64_t k = (int64_t)i - first;
        bool gone = k >= 0 && k % step == 0 && k / step < p[2];
        if (!gone) {
            l->p[n++] = l->p[i];
        }
    }
    l->n = n;
    return true;
}

bool
index_del(Interp *in, Value container, Value key, Span span)
{
    int64_t i = 0;
    bool found = false;
    Value r = val_none();
    switch (container.kind) {
    case VAL_DICT:
        TRY(dict_remove(in, container.dict, key, span, &found, &r));
        if (!found) {
            dict_item(in, container, key, span);
        }
        return found;
    case VAL_LIST:
        if (key.kind == VAL_SLICE) {
            return del_slice(in, container.list, key.slice, span);
        }
        TRY(position(in, container, key, container.list->n, span, &i));
        return erase(in, container.list, i, 1, span);
    case VAL_INSTANCE:
        if (attr_special(in, container, in->core->sym.delitem, CALL_ARGS(&key, 1, span),
                         &r)) {
            return !val_failed(r);
        }
        break;
    default:
        break;
    }
    return no_items(in, container, span, "deleted");
}
