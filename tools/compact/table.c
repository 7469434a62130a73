/* table.c: decides by which table the symbol of each token is read. There is a table for
 * each code's operands, and one for the codes that follow each code where there are as
 * many operands on the stack; the most alike are made one until few are left, each of
 * which costs less than it saves. */
#include "compact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- symbols ------------------------------------------------------------- */

/* Labels to which nothing goes part nothing. */
static void
drop_labels(Program *p)
{
    bool *used = calloc((size_t)p->nblocks + 1, 1);
    Tokens *c = &p->code;
    int n = 0;
    for (int i = 0; i < c->n; i++) {
        if (c->at[i].kind == TOKEN_DISTANCE) {
            used[c->at[i].value] = true;
        }
    }
    for (int i = 0; i < c->n; i++) {
        if (c->at[i].kind != TOKEN_LABEL || used[c->at[i].value]) {
            c->at[n++] = c->at[i];
        }
    }
    c->n = n;
    free(used);
}

/* The most frequent operands that are no literals get symbols. */
static void
choose_values(Program *p)
{
    int *count = calloc(LARGEST + 1, sizeof *count);
    for (int i = 0; i < p->code.n; i++) {
        const Token *t = &p->code.at[i];
        if (t->kind == TOKEN_NUMBER && t->value >= LITERALS) {
            count[t->value]++;
        }
    }
    for (int most = 2; p->nvalues < ESCAPE - VALUES && most > 1; p->nvalues++) {
        int best = 0;
        for (int v = LITERALS; v <= LARGEST; v++) {
            best = count[v] > count[best] ? v : best;
        }
        most = count[best];
        p->values[p->nvalues] = best;
        count[best] = 0;
    }
    free(count);
}

static int
symbol_of(const Program *p, const Token *t)
{
    if (t->value < LITERALS) {
        return t->value;
    }
    for (int i = 0; i < p->nvalues; i++) {
        if (p->values[i] == t->value) {
            return VALUES + i;
        }
    }
    return ESCAPE;
}

/* ---- groups of places ---------------------------------------------------- */

typedef struct Group {
    int count[SYMBOLS];
    int in; /* the group that it has become part of, or itself */
    double cost;
} Group;

enum {
    CODE_PLACES = CODE_COUNT * COMPACT_NESTED,
    PLACES = CODE_PLACES + CODE_COUNT
};

static double
times_log(int n)
{
    return n > 0 ? n * log2(n) : 0;
}

/* The bits of all its symbols, and of a table with them. */
static double
cost_of(const int *a, const int *b)
{
    double sum = 0;
    int n = 0, symbols = 0;
    for (int i = 0; i < SYMBOLS; i++) {
        int k = a[i] + (b != NULL ? b[i] : 0);
        sum += times_log(k);
        n += k;
        symbols += k > 0;
    }
    return times_log(n) - sum + (symbols > 0 ? 8 * (symbols + 9) : 0);
}

static double
cost_together(const Group *g, int a, int b)
{
    return cost_of(g[a].count, g[b].count) - g[a].cost - g[b].cost;
}

static void
join(Group *g, int a, int b)
{
    for (int i = 0; i < SYMBOLS; i++) {
        g[a].count[i] += g[b].count[i];
    }
    g[b].in = a;
    g[a].cost = cost_of(g[a].count, NULL);
}

/* Joins the two groups of places first to end - 1 that lose least. */
static void
join_all(Group *g, int first, int end, int most)
{
    static double loss[PLACES][PLACES];
    int left = 0;
    for (int a = first; a < end; a++) {
        left += g[a].in == a;
        for (int b = a + 1; b < end && g[a].in == a; b++) {
            loss[a][b] = g[b].in == b ? cost_together(g, a, b) : 0;
        }
    }
    for (;;) {
        int x = -1, y = -1;
        for (int a = first; a < end; a++) {
            for (int b = a + 1; b < end && g[a].in == a; b++) {
                if (g[b].in == b && (x < 0 || loss[a][b] < loss[x][y])) {
                    x = a;
                    y = b;
                }
            }
        }
        if (x < 0 || (left <= most && loss[x][y] >= 0)) {
            return;
        }
        join(g, x, y);
        left--;
        for (int k = first; k < end; k++) {
            if (k != x && g[k].in == k) {
                loss[k < x ? k : x][k < x ? x : k] =
                    cost_together(g, k < x ? k : x, k < x ? x : k);
            }
        }
    }
}

/* Numbers the groups from first_number on. */
static void
number_groups(const Group *g, int first, int end, int first_number, int *tables)
{
    int number = first_number;
    for (int i = first; i < end; i++) {
        if (g[i].in == i) {
            tables[i] = g[i].cost == 0 ? first_number : number++;
        }
    }
    for (int i = first; i < end; i++) {
        int k = i;
        while (g[k].in != k) {
            k = g[k].in;
        }
        tables[i] = tables[k];
    }
}

/* ---- tokens -------------------------------------------------------------- */

/* The place of a token; -1: it is a code with no operands on the stack. */
static int
place_of(const Token *t, Code last)
{
    int depth = t->depth < COMPACT_NESTED ? t->depth : COMPACT_NESTED;
    if (t->kind == TOKEN_NUMBER) {
        return CODE_PLACES + (int)t->code;
    }
    return depth == 0 ? -1 : (int)last * COMPACT_NESTED + depth - 1;
}

/* Goes over all symbols: counts them, or gives them the tables of their places. */
static void
go_over(Program *p, Group *g, const int *tables)
{
    Code last = C_LEAVE;
    for (int i = 0; i < p->code.n; i++) {
        Token *t = &p->code.at[i];
        if (t->kind != TOKEN_CODE && t->kind != TOKEN_NUMBER) {
            continue;
        }
        int place = place_of(t, last);
        t->symbol = symbol_of(p, t);
        t->table = tables != NULL && place >= 0 ? tables[place] : 0;
        if (place >= 0) {
            g[place].count[t->symbol]++;
        }
        if (t->kind == TOKEN_CODE) { /* a call through a pointer returns as others do */
            last = t->value == C_CALL_VALUE ? C_CALL : (Code)t->value;
        }
    }
}

void
make_tables(Program *p)
{
    static Group g[PLACES];
    static int tables[PLACES];
    drop_labels(p);
    choose_values(p);
    go_over(p, g, NULL);
    for (int i = 0; i < PLACES; i++) {
        g[i].in = i;
        g[i].cost = cost_of(g[i].count, NULL);
    }
    join_all(g, 0, CODE_PLACES, COMPACT_TABLES - 1);
    join_all(g, CODE_PLACES, PLACES, COMPACT_TABLES - 1);
    number_groups(g, 0, CODE_PLACES, 1, tables);
    number_groups(g, CODE_PLACES, PLACES, COMPACT_TABLES, tables);
    tables[CODE_PLACES + C_DISTANCE] = TABLES - 1;
    go_over(p, g, tables);
    for (int c = 0; c < CODE_COUNT; c++) {
        p->next[c][0] = tables[CODE_PLACES + c];
        memcpy(&p->next[c][1], &tables[c * COMPACT_NESTED], COMPACT_NESTED * sizeof(int));
    }
}
