/* warn.c: warnings of compiled kernels while running. Each rule is reported once for each
 * instruction, for the lowest core that broke it, in the order of the cores. So they are
 * the same as the emulator's, in whatever order the threads ran. */
#include "launch/cores.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Warning {
    const TikCheck *op;
    Rule rule;
    int32_t core;
    /* counts warnings in order of arrival; for a single core this is program order */
    int64_t number;
    char text[sizeof((Fault *)NULL)->text];
} Warning;

struct Warnings {
    Warning *rows;
    int64_t n, cap, next;
};

Warnings *
warnings_new(void)
{
    return calloc(1, sizeof(Warnings));
}

void
warnings_free(Warnings *w)
{
    if (w != NULL) {
        free(w->rows);
        free(w);
    }
}

/* Finds the row of a rule of an instruction. A new one has core INT32_MAX. Returns null
 * when memory is exhausted. */
static Warning *
row_of(Warnings *w, const TikCheck *op, Rule rule)
{
    for (int64_t i = 0; i < w->n; i++) {
        if (w->rows[i].op == op && w->rows[i].rule == rule) {
            return &w->rows[i];
        }
    }
    if (w->n == w->cap) {
        int64_t cap = w->cap * 2 + 16;
        Warning *rows = realloc(w->rows, (size_t)cap * sizeof *rows);
        if (rows == NULL) {
            return NULL;
        }
        w->rows = rows;
        w->cap = cap;
    }
    w->rows[w->n] = (Warning){.op = op, .rule = rule, .core = INT32_MAX};
    return &w->rows[w->n++];
}

static bool
note(Warnings *w, const TikCheck *op, int32_t core, const Fault *f)
{
    Warning *row = row_of(w, op, f->rule);
    if (row != NULL && core < row->core) {
        row->core = core;
        row->number = w->next++;
        snprintf(row->text, sizeof row->text, "%s", f->text);
    }
    return row != NULL;
}

void
warnings_note(void *site, const Fault *f)
{
    const WarnSite *s = site;
    Launch *l = s->core->launch;
    pthread_mutex_lock(&l->lock);
    bool ok = note(l->warnings, s->op, s->core->index, f);
    pthread_mutex_unlock(&l->lock);
    if (!ok) {
        launch_no_memory(l);
    }
}

static int
in_order(const void *a, const void *b)
{
    const Warning *x = a, *y = b;
    return x->core != y->core ? (x->core > y->core) - (x->core < y->core)
                              : (x->number > y->number) - (x->number < y->number);
}

void
warnings_report(const Launch *l, TikWarn *warn, void *ctx)
{
    Warnings *w = l->warnings;
    if (w->n > 0) {
        qsort(w->rows, (size_t)w->n, sizeof *w->rows, in_order);
    }
    /* The emulator would not have run the cores after one that failed. */
    for (int64_t i = 0; i < w->n && w->rows[i].core <= l->lowest; i++) {
        char place[200] = "";
        const TikPlace *p = l->kernel->places;
        int32_t at = w->rows[i].op->place;
        if (at >= 0 && at < l->kernel->nplaces) {
            snprintf(place, sizeof place, "%s:%" PRIu32 ":%" PRIu32, p[at].file,
                     p[at].line, p[at].column);
        }
        const char *name = rule_table[w->rows[i].rule].name;
        if (l->peers != NULL) {
            peers_warn(l->peers, w->rows[i].core, name, w->rows[i].text, place);
        } else {
            warn(ctx, name, w->rows[i].text, place);
        }
    }
}
