/* sync_overlap.c: whether accesses of two statements may share bytes (see sync.h): it
 * bounds the distance of their addresses over all pairs of iterations in question. */
#include "blob/sync.h"

#include "isa/integer.h"

/* Bounds of a number. */
typedef struct Bounds {
    int64_t lo, hi;
} Bounds;

static void
add(Bounds *b, int64_t factor, int64_t lo, int64_t hi)
{
    int64_t x = sat_mul(factor, lo), y = sat_mul(factor, hi);
    b->lo = sat_add(b->lo, x < y ? x : y);
    b->hi = sat_add(b->hi, x < y ? y : x);
}

static const SyncLoop *
loop_at(const SyncTape *t, const SyncStmt *s, int level)
{
    int32_t i = s->loop;
    while (i != SYNC_NONE && t->loops[i].level > level) {
        i = t->loops[i].outer;
    }
    return i == SYNC_NONE ? NULL : &t->loops[i];
}

int
sync_common(const SyncTape *t, const SyncStmt *a, const SyncStmt *b)
{
    int32_t x = a->loop, y = b->loop;
    while (x != y) {
        int lx = x == SYNC_NONE ? 0 : t->loops[x].level;
        int ly = y == SYNC_NONE ? 0 : t->loops[y].level;
        if (lx >= ly) {
            x = t->loops[x].outer;
        }
        if (ly >= lx) {
            y = t->loops[y].outer;
        }
    }
    return x == SYNC_NONE ? 0 : t->loops[x].level;
}

typedef struct Pair {
    const SyncTape *t;
    const SyncStmt *a, *b;
    const SyncApart *apart;
    int common;
} Pair;

/* Whether a term has the same value in both executions. */
static bool
is_same(const Pair *p, const SyncTerm *term)
{
    const SyncApart *apart = p->apart;
    bool same_round = apart->level > 0 && apart->most == 0;
    int inner = apart->same ? p->common : apart->level;
    int fixed = same_round || apart->same ? inner : apart->level - 1;
    switch (term->kind) {
    case SYNC_TERM_CORE:
        return true;
    case SYNC_TERM_LOOP:
        return (int)term->id <= fixed;
    case SYNC_TERM_NUMBER:
        return p->t->numbers[term->id].depth <= (fixed > 0 ? fixed : 0);
    }
    return false;
}

static Bounds
values(const Pair *p, const SyncStmt *s, const SyncTerm *term)
{
    switch (term->kind) {
    case SYNC_TERM_CORE:
        return (Bounds){0, (int64_t)p->t->cores - 1};
    case SYNC_TERM_LOOP: {
        const SyncLoop *l = loop_at(p->t, s, (int)term->id);
        return (Bounds){0, l == NULL ? INT64_MAX : l->rounds - 1};
    }
    case SYNC_TERM_NUMBER:
        return (Bounds){p->t->numbers[term->id].lo, p->t->numbers[term->id].hi};
    }
    return (Bounds){INT64_MIN, INT64_MAX};
}

static bool
same_term(const SyncTerm *a, const SyncTerm *b)
{
    return a->kind == b->kind && a->id == b->id;
}

static int64_t
factor_of(const SyncSum *s, const SyncTerm *term)
{
    for (int i = 0; i < s->n; i++) {
        if (same_term(&s->terms[i], term)) {
            return s->terms[i].coef;
        }
    }
    return 0;
}

static int64_t
minus(int64_t v)
{
    return v == INT64_MIN ? INT64_MAX : -v;
}

/* Adds what a term of the later address, of the earlier one or of both contributes. */
static void
add_term(const Pair *p, const SyncTerm *term, int64_t fa, int64_t fb, Bounds *d)
{
    const SyncApart *apart = p->apart;
    Bounds of_a = values(p, p->a, term), of_b = values(p, p->b, term);
    bool carried = term->kind == SYNC_TERM_LOOP && (int)term->id == apart->level;
    if (is_same(p, term)) {
        add(d, sat_add(fb, minus(fa)), of_b.lo, of_b.hi);
    } else if (carried) {
        int64_t most = apart->most < of_b.hi ? apart->most : of_b.hi;
        add(d, sat_add(fb, minus(fa)), of_b.lo, of_b.hi);
        add(d, fa, apart->least, most);
    } else {
        add(d, fb, of_b.lo, of_b.hi);
        add(d, minus(fa), of_a.lo, of_a.hi);
    }
}

/* The bytes from the place of an access of a to that of a later one of b. */
static Bounds
distance(const Pair *p, const SyncSum *a, const SyncSum *b)
{
    Bounds d = {sat_add(b->constant, minus(a->constant)), 0};
    d.hi = d.lo;
    for (int i = 0; i < a->n; i++) {
        add_term(p, &a->terms[i], a->terms[i].coef, factor_of(b, &a->terms[i]), &d);
    }
    for (int i = 0; i < b->n; i++) {
        if (factor_of(a, &b->terms[i]) == 0) {
            add_term(p, &b->terms[i], 0, b->terms[i].coef, &d);
        }
    }
    return d;
}

static bool
meets(const Pair *p, const SyncAccess *x, const SyncAccess *y)
{
    if (x->space != y->space || (!x->write && !y->write)) {
        return false;
    }
    if (p->a->pipe == p->b->pipe &&
        ((x->pairs & SYNC_FIRST) == 0 || (y->pairs & SYNC_LATER) == 0)) {
        return false;
    }
    Bounds d = distance(p, &x->at, &y->at);
    return d.lo < sat_add(x->hi, minus(y->lo)) && d.hi > sat_add(x->lo, minus(y->hi));
}

bool
sync_may_meet(const SyncTape *t, const SyncStmt *a, const SyncStmt *b,
              const SyncApart *apart, SyncMeet *of)
{
    Pair p = {t, a, b, apart, sync_common(t, a, b)};
    for (uint32_t i = a->first; i < a->first + a->n; i++) {
        for (uint32_t j = b->first; j < b->first + b->n; j++) {
            if (meets(&p, &t->accesses[i], &t->accesses[j])) {
                *of = (SyncMeet){i, j};
                return true;
            }
        }
    }
    return false;
}
