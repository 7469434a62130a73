/* encode.c: writes the bits of all symbols and distances. A distance counts bits from its
 * own end. It is a symbol that tells its highest bit and its direction, then its other
 * bits. */
#include "compact.h"

#include <stdlib.h>

enum {
    ROUNDS = 40,
    DISTANCES = TABLES - 1
};

typedef struct Places {
    Program *p;
    int *at;     /* of each token, and of the end */
    int *kinds;  /* of each distance */
    int *labels; /* of each block */
} Places;

static int
distance_of(const Places *l, int i)
{
    return l->labels[l->p->code.at[i].value] - l->at[i + 1];
}

static int
kind_of(int distance)
{
    int n = distance >= 0 ? distance + 1 : -distance, k = 0;
    while (n >> (k + 1) != 0) {
        k++;
    }
    return 2 * k + (distance < 0);
}

static int
length_of(const Places *l, int i)
{
    const Token *t = &l->p->code.at[i];
    const Huffman *h = &l->p->tables[t->table];
    switch (t->kind) {
    case TOKEN_DISTANCE:
        return l->p->tables[DISTANCES].length[l->kinds[i]] +
               (l->kinds[i] == COMPACT_FAR ? COMPACT_FAR_BITS : l->kinds[i] / 2);
    case TOKEN_LABEL:
        return 0;
    case TOKEN_FUNCTION:
        return -l->at[i] & (COMPACT_ALIGN - 1);
    default:
        return h->length[t->symbol] + (t->symbol == ESCAPE ? COMPACT_ESCAPED : 0);
    }
}

static void
place(Places *l)
{
    const Tokens *c = &l->p->code;
    l->at[0] = 0;
    for (int i = 0; i < c->n; i++) {
        l->at[i + 1] = l->at[i] + length_of(l, i);
        if (c->at[i].kind == TOKEN_LABEL) {
            l->labels[c->at[i].value] = l->at[i];
        }
    }
}

/* Finds kinds of distances by where their ends are; returns whether one has changed. When
 * the code of kinds is `fixed`, what has no code, or still changes after many rounds, is
 * as long as any distance. */
static bool
find_kinds(Places *l, bool fixed, int round)
{
    const Tokens *c = &l->p->code;
    const int *lengths = l->p->tables[DISTANCES].length;
    bool changed = false;
    for (int i = 0; i < c->n; i++) {
        if (c->at[i].kind != TOKEN_DISTANCE || l->kinds[i] == COMPACT_FAR) {
            continue;
        }
        int kind = kind_of(distance_of(l, i));
        if (kind != l->kinds[i]) {
            bool far = fixed && (round > ROUNDS || lengths[kind] == 0);
            l->kinds[i] = far ? COMPACT_FAR : kind;
            changed = true;
        }
    }
    return changed;
}

static void
make_distance_code(Places *l)
{
    Huffman *h = &l->p->tables[DISTANCES];
    *h = (Huffman){0};
    for (int i = 0; i < l->p->code.n; i++) {
        if (l->p->code.at[i].kind == TOKEN_DISTANCE) {
            h->count[l->kinds[i]]++;
        }
    }
    h->count[COMPACT_FAR] += h->count[COMPACT_FAR] == 0;
    make_code(h);
}

static void
place_all(Places *l)
{
    for (int round = 0; round < ROUNDS; round++) {
        make_distance_code(l);
        place(l);
        find_kinds(l, false, round);
    }
    make_distance_code(l);
    place(l);
    for (int round = 0; find_kinds(l, true, round); round++) {
        place(l);
    }
}

typedef struct Bits {
    uint8_t *at;
    int n;
} Bits;

static void
put(Bits *b, unsigned value, int n)
{
    while (n-- > 0) {
        b->at[b->n / 8] |= (uint8_t)((value >> n & 1) << (7 - b->n % 8));
        b->n++;
    }
}

static void
put_distance(const Places *l, Bits *b, int i)
{
    const Huffman *h = &l->p->tables[DISTANCES];
    int kind = l->kinds[i], d = distance_of(l, i);
    put(b, h->bits[kind], h->length[kind]);
    if (kind == COMPACT_FAR) {
        put(b, (unsigned)(d + (1 << (COMPACT_FAR_BITS - 1))), COMPACT_FAR_BITS);
    } else {
        put(b, (unsigned)(d < 0 ? -d : d + 1), kind / 2);
    }
}

static void
put_all(const Places *l, Bits *b, int *starts)
{
    for (int i = 0; i < l->p->code.n; i++) {
        const Token *t = &l->p->code.at[i];
        const Huffman *h = &l->p->tables[t->table];
        if (t->kind == TOKEN_FUNCTION) {
            b->n = l->at[i + 1];
            starts[t->value] = b->n / COMPACT_ALIGN;
        } else if (t->kind == TOKEN_DISTANCE) {
            put_distance(l, b, i);
        } else if (t->kind != TOKEN_LABEL) {
            put(b, h->bits[t->symbol], h->length[t->symbol]);
            put(b, (unsigned)t->value, t->symbol == ESCAPE ? COMPACT_ESCAPED : 0);
        }
    }
}

uint8_t *
encode(Program *p, int *n, int *starts)
{
    size_t k = (size_t)p->code.n + 1;
    Places l = {p, calloc(k, sizeof(int)), calloc(k, sizeof(int)),
                calloc((size_t)p->nblocks + 1, sizeof(int))};
    for (int i = 0; i < p->code.n; i++) {
        const Token *t = &p->code.at[i];
        if (t->kind == TOKEN_CODE || t->kind == TOKEN_NUMBER) {
            p->tables[t->table].count[t->symbol]++;
        }
    }
    for (int t = 0; t < DISTANCES; t++) {
        make_code(&p->tables[t]);
    }
    place_all(&l);
    *n = (l.at[p->code.n] + 7) / 8 + 3; /* the machine reads four bytes at once */
    Bits b = {calloc((size_t)*n, 1), 0};
    put_all(&l, &b, starts);
    free(l.at);
    free(l.kinds);
    free(l.labels);
    return b.at;
}
