/* pair.c: replaces pairs of symbols by symbols that stand for them, first the one that
 * saves most bits. No pair goes over the start of a block; one may go over the distance
 * of a branch, which is read when the branch is executed. */
#include "compact.h"

#include <math.h>
#include <stdlib.h>

/* Two symbols that follow each other, and their tables. */
typedef struct Pair {
    int a, b, table_a, table_b;
} Pair;

typedef struct Counts {
    int of[TABLES][SYMBOLS], total[TABLES];
} Counts;

static double
times_log(int n)
{
    return n > 0 ? n * log2(n) : 0;
}

static bool
is_symbol(const Token *t)
{
    return t->kind == TOKEN_CODE || t->kind == TOKEN_NUMBER;
}

/* The token after i that makes a pair with it, or -1. */
static int
second_of(const Program *p, int i)
{
    const Token *c = p->code.at;
    int k = i + 1;
    while (k < p->code.n && c[k].kind == TOKEN_DISTANCE) {
        k++;
    }
    return is_symbol(&c[i]) && c[i].symbol != ESCAPE && k < p->code.n &&
                   is_symbol(&c[k]) && c[k].symbol != ESCAPE
               ? k
               : -1;
}

static int
by_symbols(const void *x, const void *y)
{
    const int *a = x, *b = y;
    for (int i = 0; i < 4; i++) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

/* All pairs, in order; of three that are the same only two make one. */
static int
all_pairs(const Program *p, Pair *out)
{
    const Token *c = p->code.at;
    int n = 0;
    for (int i = 0, skip = -1; i < p->code.n; i++) {
        int k = i == skip ? -1 : second_of(p, i);
        if (k >= 0) {
            out[n++] = (Pair){c[i].symbol, c[k].symbol, c[i].table, c[k].table};
            skip = c[i].symbol == c[k].symbol ? k : -1;
        }
    }
    qsort(out, (size_t)n, sizeof *out, by_symbols);
    return n;
}

static void
count_symbols(const Program *p, Counts *n)
{
    *n = (Counts){0};
    for (int i = 0; i < p->code.n; i++) {
        const Token *t = &p->code.at[i];
        if (is_symbol(t)) {
            n->of[t->table][t->symbol]++;
            n->total[t->table]++;
        }
    }
}

/* The bits that a table has less if `symbol` is there n times less, a new symbol `fresh`
 * times, and `gone` symbols in all are there no more. */
static double
saved_in(const Counts *now, int table, int symbol, int n, int fresh)
{
    int had = now->of[table][symbol], total = now->total[table];
    double before = times_log(total) - times_log(had);
    double after = times_log(total - n + fresh) - times_log(had - n) - times_log(fresh);
    return before - after - (fresh > 0 ? 8 : 0);
}

/* The bits that are saved by a symbol for pairs p[0] to p[n - 1], which are the same. */
static double
saved(const Counts *now, const Pair *p, int n)
{
    int first[TABLES] = {0}, second[TABLES] = {0};
    double sum = -16;
    for (int i = 0; i < n; i++) {
        first[p[i].table_a]++;
        second[p[i].table_b]++;
    }
    for (int t = 0; t < TABLES; t++) {
        if (first[t] > 0 && second[t] > 0 && p->a != p->b) { /* both are in one table */
            int a = now->of[t][p->a], b = now->of[t][p->b], all = now->total[t];
            sum += times_log(all) - times_log(a) - times_log(b) -
                   times_log(all - second[t]) + times_log(a - first[t]) +
                   times_log(b - second[t]) + times_log(first[t]) - 8;
        } else if (first[t] > 0) {
            sum += saved_in(now, t, p->a, first[t] + second[t], first[t]);
        } else if (second[t] > 0) {
            sum += saved_in(now, t, p->b, second[t], 0);
        }
    }
    return sum;
}

static int
need_of(const Program *p, int a, int b)
{
    return 1 + p->needs[a] > p->needs[b] ? 1 + p->needs[a] : p->needs[b];
}

/* Finds the pair that saves most; false: none saves a bit. */
static bool
best_pair(const Program *p, Pair *pairs, Pair *best)
{
    static Counts now;
    int n = all_pairs(p, pairs);
    double most = 0;
    count_symbols(p, &now);
    for (int i = 0, end; i < n; i = end) {
        for (end = i; end < n && pairs[end].a == pairs[i].a && pairs[end].b == pairs[i].b;
             end++) {
        }
        double bits = need_of(p, pairs[i].a, pairs[i].b) <= COMPACT_WAITING && end - i > 2
                          ? saved(&now, pairs + i, end - i)
                          : 0;
        if (bits > most) {
            most = bits;
            *best = pairs[i];
        }
    }
    return most > 0;
}

/* Puts symbol s in the place of all pairs; distances follow it. */
static void
replace(Program *p, const Pair *pair, int s)
{
    Token *c = p->code.at;
    int n = 0;
    for (int i = 0; i < p->code.n; i++) {
        int k = second_of(p, i);
        Token t = c[i];
        if (k >= 0 && t.symbol == pair->a && c[k].symbol == pair->b) {
            t.symbol = s;
            c[n++] = t;
            while (++i < k) {
                c[n++] = c[i];
            }
        } else {
            c[n++] = t;
        }
    }
    p->code.n = n;
}

void
make_pairs(Program *p)
{
    Pair *pairs = calloc((size_t)p->code.n, sizeof *pairs), best;
    for (int s = LITERALS; s < VALUES && best_pair(p, pairs, &best); s++) {
        p->pairs[s][0] = best.a;
        p->pairs[s][1] = best.b;
        p->needs[s] = need_of(p, best.a, best.b);
        replace(p, &best, s);
    }
    free(pairs);
}
