/* cmd_compare.c: implements tikc compare: what became more from one report to another. */
#include "driver/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Comparison {
    Cmd *c;
    double threshold; /* per cent */
    Text out;
    bool worse;
} Comparison;

static bool
same_kernel(const Figures *a, const Figures *b)
{
    return strcmp(a->file, b->file) == 0 && strcmp(a->kernel, b->kernel) == 0 &&
           strcmp(a->soc ? a->soc : "", b->soc ? b->soc : "") == 0;
}

static const Figures *
find(const FigureList *all, const Figures *f)
{
    for (uint32_t i = 0; i < all->n; i++) {
        if (same_kernel(&all->p[i], f)) {
            return &all->p[i];
        }
    }
    return NULL;
}

static void
put_name(Comparison *k, const Figures *f)
{
    text_printf(&k->out, "%s: %s%s%s", f->file, f->kernel, f->soc ? " on " : "",
                f->soc ? f->soc : "");
}

static void
compare_figure(Comparison *k, const Figures *old, const Figures *new, int i)
{
    int64_t a = old->v[i], b = new->v[i];
    if (a < 0 || b < 0 || a == b) {
        return;
    }
    double change = a ? 100.0 * ((double)b - (double)a) / (double)a : INFINITY;
    bool worse = change > k->threshold;
    k->worse = k->worse || worse;
    put_name(k, new);
    text_printf(&k->out, ": %s %lld, was %lld (%+.1f %%)%s\n", figure_names[i],
                (long long)b, (long long)a, change, worse ? "  worse" : "");
}

static void
compare(Comparison *k, const FigureList *old, const FigureList *new)
{
    for (uint32_t i = 0; i < new->n; i++) {
        const Figures *was = find(old, &new->p[i]);
        for (int f = 0; was && f < FIGURE_COUNT; f++) {
            compare_figure(k, was, &new->p[i], f);
        }
        if (!was) {
            put_name(k, &new->p[i]);
            text_put(&k->out, ": new\n");
        }
    }
    for (uint32_t i = 0; i < old->n; i++) {
        if (!find(new, &old->p[i])) {
            put_name(k, &old->p[i]);
            text_put(&k->out, ": no longer there\n");
        }
    }
}

static bool
read_threshold(Cmd *c, double *out)
{
    char *end = NULL;
    *out = c->threshold ? strtod(c->threshold, &end) : 0;
    return !c->threshold || (*c->threshold && !*end && *out >= 0) ||
           options_wrong(c, arena_printf(&c->unit.arena,
                                         "--threshold is a number from 0 on, not '%s'",
                                         c->threshold));
}

int
cmd_compare(Cmd *c)
{
    FigureList old = {0}, new = {0};
    Comparison k = {.c = c};
    text_init(&k.out, &c->unit.arena);
    bool ok = read_threshold(c, &k.threshold) &&
              figures_read(&c->unit, c->files.p[0], &old) &&
              figures_read(&c->unit, c->files.p[1], &new);
    if (ok) {
        compare(&k, &old, &new);
        (void)!io_print(&c->unit, k.out.p, k.out.n);
    }
    int code = report_unit(c);
    return code == EXIT_CLEAN && k.worse ? EXIT_FINDINGS : code;
}
