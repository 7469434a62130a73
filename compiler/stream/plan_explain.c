/* plan_explain.c: says what the flags and barriers of a plan are for (plan.h). */
#include "stream/plan.h"

#include "blob/sync_explain.h"

#include <stdlib.h>

typedef struct Saying {
    const Plan *p;
    uint32_t *number; /* by sync: what it is called; 0: it is left out */
    SyncNames names;
    SyncText t;
} Saying;

static void
say_queues(SyncText *t, const PlanSync *s)
{
    if (s->kind == PLAN_BARRIER) {
        sync_say(t, "pipe_barrier(%s)",
                 s->from == s->to && !s->fallback ? pipe_name(s->to) : "ALL");
        return;
    }
    sync_say(t, "flag %s -> %s, id %d", pipe_name(s->from), pipe_name(s->to), s->id);
    if (s->turns > 1) {
        sync_say(t, " to %d in turn", s->id + s->turns - 1);
    }
}

static void
say_access(Saying *x, Pipe pipe, const SyncAccess *a, uint32_t desc)
{
    sync_say(&x->t, "%s %s ", pipe_name(pipe), a->write ? "writes" : "reads");
    sync_say_bytes(&x->t, &x->names, a);
    sync_say(&x->t, " at ");
    sync_say_place(&x->t, &x->names, desc);
}

static void
say_hazard(Saying *x, const PlanSync *s)
{
    const PlanHazard *h = &s->why;
    bool back = s->guard; /* a guard's queues are those of the hazard, exchanged */
    sync_say(&x->t, "    %s: ",
             h->a.write && h->b.write ? "write after write"
             : h->a.write             ? "read after write"
                                      : "write after read");
    if (s->kind == PLAN_BARRIER && s->to >= PIPE_COUNT) {
        sync_say_place(&x->t, &x->names, h->first);
        sync_say(&x->t, " and ");
        sync_say_place(&x->t, &x->names, h->later);
    } else {
        say_access(x, back ? s->to : s->from, &h->a, h->first);
        sync_say(&x->t, ", then ");
        say_access(x, back ? s->from : s->to, &h->b, h->later);
    }
    if (h->loop != SYNC_NONE) {
        if (h->iterations == 0) {
            sync_say(&x->t, " in the same iteration");
        } else {
            sync_say(&x->t, " %s%lld iteration%s later",
                     s->kind == PLAN_FLAG || h->iterations > 1 ? "at least " : "",
                     (long long)h->iterations, h->iterations == 1 ? "" : "s");
        }
        sync_say(&x->t, " of the loop at ");
        sync_say_place(&x->t, &x->names, (uint32_t)h->loop);
    }
    sync_say(&x->t, "\n");
}

static void
say_sync(Saying *x, uint32_t i)
{
    const PlanSync *s = &x->p->syncs.p[i];
    sync_say(&x->t, "  %u: ", x->number[i]);
    say_queues(&x->t, s);
    if (s->guard) {
        sync_say(&x->t,
                 ", so that the flag the other way is not set before it was waited "
                 "for; that one is for");
    } else if (s->fallback) {
        sync_say(&x->t, ", as no flag can do it or none is left");
    }
    sync_say(&x->t, "\n");
    say_hazard(x, s);
}

static void
say_left_out(Saying *x, uint32_t i)
{
    const PlanSync *s = &x->p->syncs.p[i];
    int32_t by = s->covered;
    while (by != SYNC_NONE && x->p->syncs.p[by].covered != SYNC_NONE) {
        by = x->p->syncs.p[by].covered;
    }
    sync_say(&x->t, "  left out: %s -> %s, which ", pipe_name(s->from),
             s->to < PIPE_COUNT ? pipe_name(s->to) : "ALL");
    if (by != SYNC_NONE && !x->p->syncs.p[by].needless) {
        sync_say(&x->t, "%u implies\n", x->number[by]);
    } else {
        sync_say(&x->t, "a chain of the others implies\n");
    }
    say_hazard(x, s);
}

static void
say_verdict(Saying *x, const char *name, const TikBlobOrder *order)
{
    const Plan *p = x->p;
    uint32_t flags = 0, barriers = 0;
    for (uint32_t i = 0; i < p->syncs.n; i++) {
        const PlanSync *s = &p->syncs.p[i];
        bool used = s->covered == SYNC_NONE && !s->needless;
        flags += used && s->kind != PLAN_BARRIER;
        barriers += used && s->kind == PLAN_BARRIER;
    }
    if (p->own) {
        sync_say(&x->t, "kernel '%s' orders its queues itself: %s%s%s\n", name,
                 p->ordered ? "proved" : order->name, p->ordered ? "" : ": ",
                 p->ordered ? "" : order->text);
    } else if (p->ordered) {
        sync_say(&x->t, "kernel '%s': %u flags and %u barriers order %lld hazards\n",
                 name, flags, barriers, (long long)p->hazards);
    } else {
        sync_say(&x->t,
                 "kernel '%s' is executed in its order: no flags were found that "
                 "are proved to order its queues\n",
                 name);
    }
}

void
plan_explain(const Plan *p, const TikBlob *b, int kernel, Text *out)
{
    TikBlobKernel info;
    TikBlobOrder order;
    enum {
        LINE = 2000
    };
    char line[LINE];
    SyncKernel *k = sync_kernel_new(b, kernel);
    Saying x = {p,
                ARENA_ARRAY(out->arena, uint32_t, p->syncs.n),
                {b, kernel, k == NULL ? NULL : k->regions, NULL},
                {line, 0, LINE}};
    for (uint32_t i = 0, n = 0; i < p->syncs.n; i++) {
        const PlanSync *s = &p->syncs.p[i];
        x.number[i] = s->covered == SYNC_NONE && !s->needless ? ++n : 0;
    }
    tikblob_kernel(b, kernel, &info);
    if (p->own && !p->ordered) {
        (void)tikblob_order(b, kernel, &order);
    }
    say_verdict(&x, info.name, &order);
    text_printf(out, "%s", line);
    for (int pass = 0; pass < 2 && k != NULL; pass++) {
        for (uint32_t i = 0; p->ordered && i < p->syncs.n; i++) {
            const PlanSync *s = &p->syncs.p[i];
            bool used = x.number[i] > 0;
            x.t.n = 0;
            line[0] = 0;
            if (used && pass == 0) {
                say_sync(&x, i);
            } else if (!used && pass == 1 && !s->guard) {
                say_left_out(&x, i);
            }
            text_printf(out, "%s", line);
        }
    }
    sync_kernel_free(k);
}
