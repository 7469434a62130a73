/* setorder.c: computes the order in which a set gives its items. Programs see it in
 * list(set(axes)). For sets of integers CPython's order is the same in every run, because
 * an integer is its own hash: the keys are put, in the order of insertion, into a table
 * of the same size and with the same probing. Other sets keep the order of insertion. */
#include "python/core.h"

#include <string.h>

enum {
    FIRST_MASK = 7,
    LINEAR_PROBES = 9,
    PERTURB_SHIFT = 5,
    LARGE = 50000 /* larger tables grow by two, smaller ones by four */
};

typedef struct Table {
    uint32_t *slot; /* entry number + 1 */
    const int64_t *hash;
    uint64_t mask;
    uint32_t used;
} Table;

/* Returns false unless v is an integer whose hash is known to be itself. */
static bool
int_hash(Value v, int64_t *out)
{
    enum {
        PRIME_BITS = 61
    };
    if (v.kind != VAL_INT && v.kind != VAL_BOOL) {
        return false;
    }
    int64_t i = v.kind == VAL_BOOL ? v.b : v.i;
    int64_t limit = ((int64_t)1 << PRIME_BITS) - 1;
    *out = i == -1 ? -2 : i;
    return i > -limit && i < limit;
}

static void
put(Table *t, uint32_t entry)
{
    uint64_t perturb = (uint64_t)t->hash[entry];
    uint64_t i = perturb & t->mask;
    for (;;) {
        uint64_t last = i + LINEAR_PROBES <= t->mask ? i + LINEAR_PROBES : i;
        for (uint64_t k = i; k <= last; k++) {
            if (!t->slot[k]) {
                t->slot[k] = entry + 1;
                t->used++;
                return;
            }
        }
        perturb >>= PERTURB_SHIFT;
        i = (i * 5 + 1 + perturb) & t->mask;
    }
}

static void
grow(Arena *a, Table *t)
{
    uint64_t wanted = t->used > LARGE ? (uint64_t)t->used * 2 : (uint64_t)t->used * 4;
    uint64_t size = FIRST_MASK + 1;
    while (size <= wanted) {
        size *= 2;
    }
    Table old = *t;
    t->slot = ARENA_ARRAY(a, uint32_t, size);
    t->mask = size - 1;
    t->used = 0;
    for (uint64_t k = 0; k <= old.mask; k++) {
        if (old.slot[k]) {
            put(t, old.slot[k] - 1);
        }
    }
}

Value
set_order(Interp *in, const Dict *d, Span span)
{
    Arena scratch = {0};
    Value out = val_items(in, VAL_TUPLE, 0);
    if (!core_charge(in, (int64_t)d->n * 8, span) ||
        !core_reserve(in, (double)d->live * (sizeof(Value) + 32), span)) {
        return val_fail();
    }
    int64_t *hash = ARENA_ARRAY(&scratch, int64_t, d->n);
    bool ints = true;
    for (uint32_t i = 0; ints && i < d->n; i++) {
        ints = val_failed(d->p[i].key) || int_hash(d->p[i].key, &hash[i]);
    }
    Table t = {ARENA_ARRAY(&scratch, uint32_t, FIRST_MASK + 1), hash, FIRST_MASK, 0};
    for (uint32_t i = 0; i < d->n; i++) {
        if (val_failed(d->p[i].key)) {
            continue;
        }
        if (!ints) {
            list_push(in, out, d->p[i].key);
            continue;
        }
        put(&t, i);
        if ((uint64_t)t.used * 5 >= t.mask * 3) {
            grow(&scratch, &t);
        }
    }
    for (uint64_t k = 0; ints && k <= t.mask; k++) {
        if (t.slot[k]) {
            list_push(in, out, d->p[t.slot[k] - 1].key);
        }
    }
    arena_free(&scratch);
    return out;
}
