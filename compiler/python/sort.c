/* sort.c: implements the order of list.sort, sorted and heaps of pairs: a stable merge
 * sort that leaves runs in order as they are. Keys and items are parallel arrays. Numbers
 * and short texts are compared here; comparing anything else may run the program's own
 * methods, so then the list itself is only written at the end. */
#include "python/core.h"

#include <string.h>

enum {
    FEW = 8,         /* length up to which insertion is used */
    SHORT_TEXT = 64, /* op_less charges longer texts */
    ORDER_STEPS = 5, /* cost of comparing two values */
    SHORT_TUPLE = 8  /* limit of equal first items that are compared here */
};

typedef struct Sort {
    Interp *in;
    Span span;
    bool reverse;
    Value *key;
    Value *item; /* null if the keys are the items */
    Value *spare_key;
    Value *spare_item;
} Sort;

/* Returns the sign of a - b for values whose order needs no method, or 2 if it needs
 * one. */
static inline int
plain_order(Value a, Value b)
{
    if (a.kind != b.kind) {
        return 2;
    }
    if (a.kind == VAL_INT) {
        return (a.i > b.i) - (a.i < b.i);
    }
    if (a.kind == VAL_FLOAT) {
        return a.f == b.f ? 0 : a.f < b.f ? -1 : a.f > b.f ? 1 : 2;
    }
    if (a.kind == VAL_STR && a.str->len < SHORT_TEXT && b.str->len < SHORT_TEXT) {
        int c = memcmp(a.str->p, b.str->p, MIN(a.str->len, b.str->len));
        return c ? (c > 0) - (c < 0)
                 : (a.str->len > b.str->len) - (a.str->len < b.str->len);
    }
    return 2;
}

static int
tuple_order(const List *a, const List *b)
{
    uint32_t n = MIN(a->n, b->n);
    for (uint32_t i = 0; i < n; i++) {
        int c = i < SHORT_TUPLE ? plain_order(a->p[i], b->p[i]) : 2;
        if (c) {
            return c;
        }
    }
    return (a->n > b->n) - (a->n < b->n);
}

static bool
less(Sort *s, Value a, Value b, bool *out)
{
    int c = plain_order(a, b);
    if (c == 2 && a.kind == VAL_TUPLE && b.kind == VAL_TUPLE) {
        c = tuple_order(a.list, b.list);
    }
    core_owe(s->in, ORDER_STEPS - 1);
    TRY(core_step(s->in, s->span));
    if (c == 2) {
        return op_less(s->in, a, b, s->span, out);
    }
    *out = c < 0;
    return true;
}

/* Finds whether b, which comes after a, goes before it. */
static inline bool
swapped(Sort *s, Value a, Value b, bool *out)
{
    return s->reverse ? less(s, a, b, out) : less(s, b, a, out);
}

static inline void
move_to(Value *key, Value *item, uint32_t to, const Value *from_key,
        const Value *from_item, uint32_t from)
{
    key[to] = from_key[from];
    if (item) {
        item[to] = from_item[from];
    }
}

static bool
insertion(Sort *s, Value *key, Value *item, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        Value k = key[i];
        Value v = item ? item[i] : k;
        uint32_t j = i;
        for (bool before = true; j > 0; j--) {
            TRY(swapped(s, key[j - 1], k, &before));
            if (!before) {
                break;
            }
            move_to(key, item, j, key, item, j - 1);
        }
        key[j] = k;
        if (item) {
            item[j] = v;
        }
    }
    return true;
}

static bool
merge(Sort *s, Value *key, Value *item, uint32_t half, uint32_t n)
{
    memcpy(s->spare_key, key, half * sizeof *key);
    if (item) {
        memcpy(s->spare_item, item, half * sizeof *item);
    }
    uint32_t i = 0;
    uint32_t j = half;
    uint32_t k = 0;
    while (i < half && j < n) {
        bool right = false;
        TRY(swapped(s, s->spare_key[i], key[j], &right));
        if (right) {
            move_to(key, item, k++, key, item, j++);
        } else {
            move_to(key, item, k++, s->spare_key, s->spare_item, i++);
        }
    }
    while (i < half) {
        move_to(key, item, k++, s->spare_key, s->spare_item, i++);
    }
    return true;
}

static bool
sort_part(Sort *s, Value *key, Value *item, uint32_t n)
{
    if (n <= FEW) {
        return insertion(s, key, item, n);
    }
    uint32_t half = n / 2;
    bool before = false;
    TRY(sort_part(s, key, item, half));
    TRY(sort_part(s, key + half, item ? item + half : NULL, n - half));
    TRY(swapped(s, key[half - 1], key[half], &before));
    return !before || merge(s, key, item, half, n);
}

/* Returns whether all keys are numbers or texts of one kind: comparing them runs nothing
 * of the program. */
static bool
plain(const Value *key, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (key[i].kind != key[0].kind) {
            return false;
        }
    }
    return n == 0 || key[0].kind == VAL_INT || key[0].kind == VAL_FLOAT ||
           key[0].kind == VAL_STR;
}

/* Returns the keys of a list's items, or null after an error. */
static Value *
make_keys(Interp *in, const List *l, Value key, Span span)
{
    uint32_t n = l->n;
    Value *out = ARENA_ARRAY(core_arena(in), Value, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) {
        out[i] = call_values(in, key, &l->p[i], 1, span);
        if (val_failed(out[i])) {
            return NULL;
        }
        if (l->n != n) {
            py_raise(in, "ValueError", span, "list modified during sort");
            return NULL;
        }
    }
    return out;
}

static Value *
copied(Interp *in, const Value *p, uint32_t n)
{
    return arena_copy(core_arena(in), p, n * sizeof *p);
}

bool
list_sort(Interp *in, List *l, Value key, bool reverse, Span span)
{
    uint32_t n = l->n;
    bool keyed = !val_failed(key) && key.kind != VAL_NONE;
    TRY(core_reserve(in, (double)n * 3 * sizeof(Value), span));
    Sort s = {.in = in, .span = span, .reverse = reverse, .key = l->p};
    if (keyed) {
        s.key = make_keys(in, l, key, span);
        TRY(s.key != NULL);
        s.item = l->p;
    }
    bool direct = plain(s.key, n);
    if (!direct) {
        s.key = keyed ? s.key : copied(in, l->p, n);
        s.item = keyed ? copied(in, l->p, n) : NULL;
    }
    s.spare_key = ARENA_ARRAY(core_arena(in), Value, n / 2 + 1);
    s.spare_item = keyed ? ARENA_ARRAY(core_arena(in), Value, n / 2 + 1) : NULL;
    TRY(sort_part(&s, s.key, s.item, n));
    const Value *sorted = keyed ? s.item : s.key;
    for (uint32_t i = 0; !direct && i < n && i < l->n; i++) {
        l->p[i] = sorted[i];
    }
    return true;
}
