/* dict.c: implements dictionaries and sets: insertion ordered entries with an
 * open-addressing index. Deleted entries keep their place until the table grows. Keys
 * hash by value; C objects, functions and instances hash by identity. */
#include "python/core.h"

#include <string.h>

Value
dict_new(Interp *in, ValueKind kind)
{
    Dict *d = ARENA_NEW(core_arena(in), Dict);
    return (Value){.kind = (uint8_t)kind, .dict = d};
}

static uint64_t
mix(uint64_t x)
{
    x = (x ^ (x >> 32)) * 0x9e3779b97f4a7c15u;
    return x ^ (x >> 29);
}

/* Returns the hash of a text, which keeps it. */
static uint32_t
str_hash(Interp *in, Str *s)
{
    if (!s->hash) {
        core_owe(in, s->len / WORK_BYTES);
        uint32_t h = 2166136261u;
        for (uint32_t i = 0; i < s->len; i++) {
            h = (h ^ (unsigned char)s->p[i]) * 16777619u;
        }
        s->hash = h ? h : 1;
    }
    return s->hash;
}

static bool
list_hash(Interp *in, const List *l, Span span, uint64_t *out)
{
    uint64_t h = l->n + 11;
    if (!core_stack(in, span) || !core_charge(in, 2 + 2 * (int64_t)l->n, span)) {
        return false;
    }
    for (uint32_t i = 0; i < l->n; i++) {
        uint64_t item = 0;
        TRY(dict_hash(in, l->p[i], span, &item));
        h = mix(h * 31 + item);
    }
    *out = h;
    return true;
}

static bool
instance_hash(Interp *in, Value key, Span span, uint64_t *out)
{
    Value r = val_none();
    *out = mix((uint64_t)(uintptr_t)key.inst);
    if (!key.inst->cls->user ||
        val_failed(class_lookup(key.inst->cls, in->core->sym.hash))) {
        return true;
    }
    /* a member that is equal to its value must be found by the value */
    if (key.inst->cls->is_enum) {
        return dict_hash(in, attrs_get(&key.inst->attrs, in->core->sym.value), span, out);
    }
    if (!attr_special(in, key, in->core->sym.hash, CALL_ARGS(NULL, 0, span), &r) ||
        val_failed(r)) {
        return false;
    }
    if (val_is_int(r)) {
        *out = number_hash(r);
        return true;
    }
    py_raise(in, "TypeError", span, "__hash__ gives an integer");
    return false;
}

/* Hashes a frozenset: the result is the same for every order of the items. */
static bool
set_hash(Interp *in, const Dict *d, Span span, uint64_t *out)
{
    TRY(core_charge(in, d->n / 4, span));
    *out = d->live + 5;
    for (uint32_t i = 0; i < d->n; i++) {
        *out += val_failed(d->p[i].key) ? 0 : mix(d->p[i].hash);
    }
    return true;
}

/* Hashes a range: ranges are equal when their elements are. */
static uint64_t
range_hash(const RangeVal *r)
{
    uint64_t first = r->n > 0 ? (uint64_t)r->start : 0;
    uint64_t step = r->n > 1 ? (uint64_t)r->step : 0;
    return mix(first * 7 + (uint64_t)r->n * 3 + step);
}

bool
dict_hash(Interp *in, Value key, Span span, uint64_t *out)
{
    switch ((ValueKind)key.kind) {
    case VAL_STR:
        *out = str_hash(in, key.str);
        return true;
    case VAL_INT:
        *out = (uint64_t)key.i; /* as number_hash */
        return true;
    case VAL_BOOL:
    case VAL_BIG:
    case VAL_FLOAT:
        core_owe(in, meter_size(key));
        *out = number_hash(key);
        return true;
    case VAL_TUPLE:
        return list_hash(in, key.list, span, out);
    case VAL_NONE:
        *out = 17;
        return true;
    case VAL_RANGE:
        *out = range_hash(key.range);
        return true;
    case VAL_INSTANCE:
        return instance_hash(in, key, span, out);
    case VAL_FUNC:
    case VAL_BUILTIN:
    case VAL_CLASS:
    case VAL_MODULE:
    case VAL_OBJECT:
        *out = mix((uint64_t)(uintptr_t)key.obj);
        return true;
    case VAL_BOUND:
        *out = mix((uint64_t)(uintptr_t)key.bound->self.obj);
        return true;
    case VAL_SET:
        if (key.dict->frozen) {
            return set_hash(in, key.dict, span, out);
        }
        /* fall through */
    case VAL_LIST:
    case VAL_DICT:
    case VAL_SLICE:
        py_raise(in, "TypeError", span, "a '%s' can change and cannot be a key",
                 val_type_name(key));
        return false;
    case VAL_FAIL:
        break;
    }
    return false;
}

/* Compares keys. C objects are compared by identity, so that looking a key up never
 * records a statement. */
static bool
same_key(Interp *in, Value a, Value b, Span span, bool *out)
{
    if (a.kind == VAL_INT && b.kind == VAL_INT) {
        *out = a.i == b.i;
        return true;
    }
    if (a.kind == VAL_STR && b.kind == VAL_STR) {
        core_owe(in, a.str->len / 64);
        *out = a.str->len == b.str->len && memcmp(a.str->p, b.str->p, a.str->len) == 0;
        return true;
    }
    if (a.kind == VAL_FLOAT && b.kind == VAL_FLOAT && a.f != a.f) {
        /* in Python a NaN is found again because it is the same object */
        *out = b.f != b.f;
        return true;
    }
    if (a.kind == VAL_OBJECT || b.kind == VAL_OBJECT) {
        *out = a.kind == b.kind && a.obj == b.obj;
        return true;
    }
    return op_equal(in, a, b, span, out);
}

enum {
    FEW_ENTRIES = 8, /* a table of at most this size has no index */
    LARGE_TABLE = 1024,
    /* probes beyond these are charged, so keys that collide on purpose use up the
     * steps */
    FREE_PROBES = 16,
    FAR_PLACES = 1 << 14, /* an index of at least this size is not in the cache */
    /* cost of a look into such an index and at the entry that it names */
    FAR_STEPS = 12
};

/* An integer is its own hash, and neighbours have neighbouring places, in the order in
 * which programs usually look them up. After a collision the next place is far away and
 * depends on all bits. */
static inline uint32_t
first_place(const Dict *d, uint64_t hash)
{
    return (uint32_t)hash & (d->nindex - 1);
}

static inline uint32_t
next_place(const Dict *d, uint64_t hash, uint32_t h)
{
    return (h + ((uint32_t)(mix(hash) >> 16) | 1)) & (d->nindex - 1);
}

static int
find_few(Interp *in, const Dict *d, Value key, uint64_t hash, Span span)
{
    for (uint32_t i = 0; i < d->n; i++) {
        const DictEntry *e = &d->p[i];
        bool same = false;
        if (e->hash != hash || val_failed(e->key)) {
            continue;
        }
        if (!same_key(in, e->key, key, span, &same)) {
            return -2;
        }
        if (same) {
            return (int)i;
        }
    }
    return -1;
}

static int
find_hashed(Interp *in, const Dict *d, Value key, uint64_t hash, Span span)
{
    if (!d->nindex) {
        return find_few(in, d, key, hash, span);
    }
    uint32_t probes = 0;
    uint32_t h = first_place(d, hash);
    core_owe(in, d->nindex >= FAR_PLACES ? FAR_STEPS : 0);
    for (; d->index[h]; h = next_place(d, hash, h)) {
        uint32_t i = d->index[h] - 1;
        const DictEntry *e = &d->p[i];
        bool same = false;
        if (++probes > FREE_PROBES && !core_charge(in, 2, span)) {
            return -2;
        }
        if (val_failed(e->key) || e->hash != hash) {
            continue;
        }
        if (!same_key(in, e->key, key, span, &same)) {
            return -2;
        }
        if (same) {
            return (int)i;
        }
    }
    return -1;
}

/* Costs of finding and writing an entry, which in a large dictionary is not in the
 * cache. */
enum {
    FIND_STEPS = 4,
    PUT_STEPS = 6
};

int
dict_find(Interp *in, const Dict *d, Value key, Span span)
{
    uint64_t hash = 0;
    core_owe(in, FIND_STEPS);
    if (!dict_hash(in, key, span, &hash)) {
        return -2;
    }
    return find_hashed(in, d, key, hash, span);
}

static void
put_index(Dict *d, uint64_t hash, uint32_t entry)
{
    if (d->nindex) {
        uint32_t h = first_place(d, hash);
        while (d->index[h]) {
            h = next_place(d, hash, h);
        }
        d->index[h] = entry + 1;
    }
}

/* Doubles a large table, in place where the arena can, so that the old one takes no
 * room. */
static void
enlarge(Interp *in, Dict *d)
{
    d->p = arena_double(core_arena(in), d->p, &d->cap, sizeof *d->p);
    d->index = arena_double(core_arena(in), d->index, &d->nindex, sizeof *d->index);
    memset(d->index, 0, d->nindex * sizeof *d->index);
    for (uint32_t i = 0; i < d->n; i++) {
        put_index(d, d->p[i].hash, i);
    }
}

static void
rebuild(Interp *in, Dict *d)
{
    uint32_t cap = FEW_ENTRIES / 2;
    while (cap < d->live * 2) {
        cap *= 2;
    }
    DictEntry *p = ARENA_ARRAY(core_arena(in), DictEntry, cap);
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->n; i++) {
        if (!val_failed(d->p[i].key)) {
            p[n++] = d->p[i];
        }
    }
    d->p = p;
    d->n = n;
    d->first = 0;
    d->tail = 0;
    d->cap = cap;
    d->nindex = cap > FEW_ENTRIES ? cap * 2 : 0;
    d->index = d->nindex ? ARENA_ARRAY(core_arena(in), uint32_t, d->nindex) : NULL;
    for (uint32_t i = 0; i < n; i++) {
        put_index(d, p[i].hash, i);
    }
}

bool
dict_put(Interp *in, Dict *d, Value key, Value v, Span span)
{
    uint64_t hash = 0;
    core_owe(in, PUT_STEPS - 1);
    TRY(core_step(in, span) && dict_hash(in, key, span, &hash));
    int i = find_hashed(in, d, key, hash, span);
    if (i == -2) {
        return false;
    }
    if (d->mirror && key.kind == VAL_STR) {
        in->core->late_properties = in->core->late_properties || is_property(v);
        attrs_set(core_arena(in), d->mirror, val_sym(in, key), v);
    }
    if (i >= 0) {
        d->p[i].v = v;
        return true;
    }
    if (d->n == d->cap) {
        TRY(core_reserve(in, (double)d->live * 2 * (sizeof(DictEntry) + 8), span));
        if (d->cap >= LARGE_TABLE && d->live == d->n) {
            enlarge(in, d);
        } else {
            rebuild(in, d);
        }
    }
    put_index(d, hash, d->n);
    d->p[d->n++] = (DictEntry){key, v, hash};
    d->tail = 0;
    d->order = NULL;
    d->live++;
    return true;
}

/* Numbers of a range need no list. */
static bool
add_range(Interp *in, Dict *set, const RangeVal *r, Span span)
{
    for (int64_t i = 0; i < r->n; i++) {
        Value v = val_int(r->start + i * r->step);
        TRY(core_item(in, span) && dict_put(in, set, v, val_none(), span));
    }
    return true;
}

bool
dict_add_items(Interp *in, Dict *set, Value v, Span span)
{
    if (v.kind == VAL_RANGE) {
        return add_range(in, set, v.range, span);
    }
    bool ready = v.kind == VAL_LIST || v.kind == VAL_TUPLE;
    Value items = ready ? v : iter_collect(in, VAL_LIST, v, span);
    if (val_failed(items)) {
        return false;
    }
    for (uint32_t i = 0; i < items.list->n; i++) {
        TRY(dict_put(in, set, items.list->p[i], val_none(), span));
    }
    return true;
}

bool
dict_remove(Interp *in, Dict *d, Value key, Span span, bool *found, Value *old)
{
    int i = dict_find(in, d, key, span);
    *found = i >= 0;
    if (i >= 0) {
        *old = d->p[i].v;
        d->p[i].key = val_fail();
        d->live--;
        d->order = NULL;
        if (d->mirror && key.kind == VAL_STR) {
            attrs_set(core_arena(in), d->mirror, val_sym(in, key), val_fail());
        }
    }
    return i != -2;
}

void
dict_clear(Dict *d)
{
    for (uint32_t i = 0; d->mirror && i < d->mirror->n; i++) {
        d->mirror->p[i].v = val_fail();
    }
    *d = (Dict){.mirror = d->mirror, .cls = d->cls, .attrs = d->attrs};
}

static bool
merge_pairs(Interp *in, Dict *into, Value from, Span span)
{
    Iter it;
    TRY(iter_begin(in, from, span, &it));
    for (;;) {
        Value pair = val_none();
        int more = iter_next(in, &it, span, &pair);
        if (more <= 0) {
            return more == 0;
        }
        Value two = iter_collect(in, VAL_TUPLE, pair, span);
        if (val_failed(two)) {
            return false;
        }
        if (two.list->n != 2) {
            py_raise(in, "ValueError", span,
                     "a dictionary is made of pairs; one has %u items", two.list->n);
            return false;
        }
        TRY(dict_put(in, into, two.list->p[0], two.list->p[1], span));
    }
}

bool
dict_merge(Interp *in, Dict *into, Value from, Span span)
{
    if (from.kind != VAL_DICT) {
        return merge_pairs(in, into, from, span);
    }
    const Dict *d = from.dict;
    for (uint32_t i = 0; i < d->n; i++) {
        if (!val_failed(d->p[i].key)) {
            TRY(dict_put(in, into, d->p[i].key, d->p[i].v, span));
        }
    }
    return true;
}

Value
dict_copy(Interp *in, Value v)
{
    Value copy = dict_new(in, v.kind);
    const Dict *d = v.dict;
    copy.dict->frozen = d->frozen;
    copy.dict->cls = d->cls;
    if (d->attrs) {
        copy.dict->attrs = ARENA_NEW(core_arena(in), Attrs);
        for (uint32_t i = 0; i < d->attrs->n; i++) {
            attrs_set(core_arena(in), copy.dict->attrs, d->attrs->p[i].name,
                      d->attrs->p[i].v);
        }
    }
    if (!core_reserve(in, (double)d->live * (sizeof(DictEntry) + 8), in->here)) {
        return val_fail();
    }
    for (uint32_t i = 0; i < d->n; i++) {
        if (!val_failed(d->p[i].key) &&
            !dict_put(in, copy.dict, d->p[i].key, d->p[i].v, in->here)) {
            return val_fail();
        }
    }
    return copy;
}

bool
dict_set(Interp *in, Value dict, Value key, Value v, Span span)
{
    return dict_put(in, dict.dict, key, v, span);
}

bool
dict_next(Value dict, uint32_t *at, Value *key, Value *v)
{
    const Dict *d = dict.dict;
    while (*at < d->n) {
        const DictEntry *e = &d->p[(*at)++];
        if (!val_failed(e->key)) {
            *key = e->key;
            *v = e->v;
            return true;
        }
    }
    return false;
}

bool
dict_get(Interp *in, Value dict, Value key, Value *out)
{
    int i = dict_find(in, dict.dict, key, in->here);
    if (i < 0) {
        in->exception = i == -2 && !in->fatal ? val_none() : in->exception;
        return false;
    }
    *out = dict.dict->p[i].v;
    return true;
}
