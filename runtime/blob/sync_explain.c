/* sync_explain.c: says of accesses, flags and loops of a tape (see sync.h) what a reader
 * of the source calls them. */
#include "blob/sync_explain.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
sync_say(SyncText *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = t->n < t->size ? vsnprintf(t->p + t->n, t->size - t->n, fmt, ap) : 0;
    va_end(ap);
    t->n += n > 0 ? (size_t)n : 0;
}

void
sync_say_place(SyncText *t, const SyncNames *of, uint32_t desc)
{
    const char *file;
    uint32_t line, column;
    if (tikblob_place(of->blob, of->kernel, desc, &file, &line, &column) &&
        file[0] != 0) {
        sync_say(t, "%s:%u:%u", file, line, column);
    } else {
        sync_say(t, "descriptor %u", desc);
    }
}

void
sync_say_bytes(SyncText *t, const SyncNames *of, const SyncAccess *a)
{
    if (a->region == SYNC_NONE) {
        sync_say(t, "special registers");
        return;
    }
    const TikBlobRegion *g = &of->regions[a->region];
    int64_t base = g->scope == SC_GM ? 0 : g->base;
    int64_t lo = a->at.constant + a->lo - base, hi = a->at.constant + a->hi - base;
    if (hi - lo > g->bytes) {
        sync_say(t, "'%s'", g->name);
    } else {
        sync_say(t, "bytes %lld to %lld of '%s'%s", (long long)lo, (long long)hi - 1,
                 g->name, a->at.n > 0 ? " (in the first iteration)" : "");
    }
}

void
sync_say_distance(SyncText *t, const SyncNames *of, int32_t loop, int64_t rounds)
{
    if (loop == SYNC_NONE) {
        return;
    }
    const SyncLoop *l = &of->tape->loops[loop];
    int64_t n = rounds * l->copies;
    if (rounds == 0) {
        sync_say(t, " in the same iteration");
    } else {
        sync_say(t, " %lld iteration%s before", (long long)n, n == 1 ? "" : "s");
    }
    sync_say(t, " of the loop at ");
    sync_say_place(t, of, l->desc);
}

/* Returns the loop of a level around a statement; SYNC_NONE: level 0. */
int32_t
sync_loop_at(const SyncTape *t, const SyncStmt *s, int level)
{
    int32_t i = s->loop;
    while (i != SYNC_NONE && t->loops[i].level > level) {
        i = t->loops[i].outer;
    }
    return i;
}

const char *
sync_counter_name(const SyncNames *of, uint32_t desc)
{
    uint32_t first, n;
    TikBlobName name;
    tikblob_names(of->blob, of->kernel, &first, &n);
    for (uint32_t i = first; i < first + n; i++) {
        tikblob_name(of->blob, of->kernel, i, &name);
        if (name.descriptor == desc && name.num.kind == NUM_LOOP) {
            return name.name;
        }
    }
    return NULL;
}

/* Says a loop's counter, or its iteration where the first value is computed. */
static void
say_counter(SyncText *x, const SyncNames *of, const SyncLoop *l, int64_t iteration)
{
    const TikNum *begin = &of->descs[l->desc]->a;
    const char *name = sync_counter_name(of, l->desc);
    if (name == NULL || begin->kind != NUM_IMM) {
        sync_say(x, "iteration %lld of the loop at ", (long long)iteration);
        sync_say_place(x, of, l->desc);
    } else {
        sync_say(x, "%s = %lld", name, (long long)sat_add(begin->imm, iteration));
    }
}

/* Says in which iterations an event is executed; loop: the innermost one around it. */
static void
say_iterations(SyncText *x, const SyncNames *of, int32_t loop, const SyncIteration *at)
{
    const SyncTape *t = of->tape;
    int depth = loop == SYNC_NONE ? 0 : t->loops[loop].level;
    for (int level = 1; level <= depth; level++) {
        int32_t i = loop;
        while (t->loops[i].level > level) {
            i = t->loops[i].outer;
        }
        sync_say(x, level == 1 ? " (" : ", ");
        say_counter(x, of, &t->loops[i], at->of[level - 1]);
    }
    sync_say(x, depth > 0 ? ")" : "");
}

/* Returns the innermost loop around an event. */
static int32_t
loop_around(const SyncTape *t, uint32_t event)
{
    int closed = 0;
    for (uint32_t i = event; i-- > 0;) {
        SyncEventKind k = t->events[i].kind;
        if (k == SYNC_END) {
            closed++;
        } else if (k == SYNC_LOOP && closed-- == 0) {
            return (int32_t)t->events[i].index;
        }
    }
    return SYNC_NONE;
}

static void
say_certain_race(SyncText *x, const SyncNames *of, const SyncWitness *w)
{
    const SyncTape *t = of->tape;
    const SyncStmt *a = &t->stmts[t->events[w->first].index];
    const SyncStmt *b = &t->stmts[t->events[w->later].index];
    const SyncAccess *p = &t->accesses[w->meet.a], *q = &t->accesses[w->meet.b];
    SyncAccess both = {.region = q->region, .lo = w->lo, .hi = w->hi};
    sync_say(x, "PIPE_%s %s ", pipe_name(b->pipe), q->write ? "writes" : "reads");
    sync_say_bytes(x, of, &both);
    sync_say(x, " at ");
    sync_say_place(x, of, b->desc);
    say_iterations(x, of, b->loop, &w->later_at);
    sync_say(x, ", PIPE_%s %s them at ", pipe_name(a->pipe),
             p->write ? "writes" : "reads");
    sync_say_place(x, of, a->desc);
    say_iterations(x, of, a->loop, &w->first_at);
    sync_say(x, ", and nothing makes the later one wait for the earlier one");
}

static void
say_race(SyncText *x, const SyncNames *of, const SyncVerdict *v)
{
    const SyncTape *t = of->tape;
    const SyncStmt *a = &t->stmts[v->first], *b = &t->stmts[v->later];
    const SyncAccess *p = &t->accesses[v->meet.a], *q = &t->accesses[v->meet.b];
    sync_say(x, "PIPE_%s %s ", pipe_name(b->pipe), q->write ? "writes" : "reads");
    sync_say_bytes(x, of, q);
    sync_say(x, " at ");
    sync_say_place(x, of, b->desc);
    sync_say(x, " while PIPE_%s may still %s them at ", pipe_name(a->pipe),
             p->write ? "write" : "read");
    sync_say_place(x, of, a->desc);
    if (v->level > 0) {
        sync_say(x, ",");
        sync_say_distance(x, of, sync_loop_at(t, a, v->level), v->rounds);
    }
}

static const char *
name_of(SyncFinding f)
{
    static const char *const names[] = {"",
                                        "race",
                                        "sync-deadlock",
                                        "sync-double-set",
                                        "sync-overrun",
                                        "sync-leftover",
                                        "sync-unknown",
                                        "sync-budget"};
    return names[f];
}

static void
say_flag(SyncText *x, const SyncNames *of, const SyncVerdict *v)
{
    static const char *const what[] = {
        [SYNC_DEADLOCK] = "may be down where it is waited for",
        [SYNC_DOUBLE] = "may be up where it is set",
        [SYNC_OVERRUN] = "may be set before the wait_flag before it was executed",
        [SYNC_LEFTOVER] = "may be up when the kernel ends"};
    const SyncFlag *f = &of->tape->flags[v->flag];
    sync_say(x, "flag %d from PIPE_%s to PIPE_%s %s", f->id, pipe_name(f->from),
             pipe_name(f->to), what[v->finding]);
    if (v->finding != SYNC_LEFTOVER) {
        sync_say(x, ": ");
        sync_say_place(x, of, of->tape->events[v->later].desc);
    }
}

static void
say_certain_flag(SyncText *x, const SyncNames *of, const SyncWitness *w)
{
    static const char *const what[] = {
        [SYNC_DEADLOCK] = "is down where it is waited for, and nothing raises it",
        [SYNC_DOUBLE] = "is up where it is set",
        [SYNC_OVERRUN] =
            "is set, and nothing makes that wait for the wait_flag before it",
        [SYNC_LEFTOVER] = "is up when the kernel ends"};
    const SyncFlag *f = &of->tape->flags[w->flag];
    sync_say(x, "flag %d from PIPE_%s to PIPE_%s %s: ", f->id, pipe_name(f->from),
             pipe_name(f->to), what[w->finding]);
    sync_say_place(x, of, of->tape->events[w->later].desc);
    say_iterations(x, of, loop_around(of->tape, w->later), &w->later_at);
}

void
sync_explain_witness(const SyncNames *of, const SyncWitness *w, TikBlobOrder *out)
{
    const SyncTape *t = of->tape;
    SyncText x = {out->text, 0, sizeof out->text};
    bool race = w->finding == SYNC_RACE;
    *out = (TikBlobOrder){.certain = true,
                          .first = race ? t->events[w->first].desc : 0,
                          .later = t->events[w->later].desc};
    (void)snprintf(out->name, sizeof out->name, "%s", name_of(w->finding));
    if (race) {
        say_certain_race(&x, of, w);
    } else {
        say_certain_flag(&x, of, w);
    }
}

void
sync_explain(const SyncNames *of, const SyncVerdict *v, TikBlobOrder *out)
{
    const SyncTape *t = of->tape;
    SyncText x = {out->text, 0, sizeof out->text};
    *out = (TikBlobOrder){.first = 0};
    (void)snprintf(out->name, sizeof out->name, "%s", name_of(v->finding));
    switch (v->finding) {
    case SYNC_ORDERED:
        break;
    case SYNC_RACE:
        out->first = t->stmts[v->first].desc;
        out->later = t->stmts[v->later].desc;
        say_race(&x, of, v);
        break;
    case SYNC_UNKNOWN:
        out->later = t->events[v->later].desc;
        sync_say(&x, "a flag has an id that is known only while running: ");
        sync_say_place(&x, of, out->later);
        break;
    case SYNC_BUDGET:
        sync_say(&x, "the kernel is too large for the proof");
        break;
    case SYNC_DEADLOCK:
    case SYNC_DOUBLE:
    case SYNC_OVERRUN:
    case SYNC_LEFTOVER:
        out->later = v->finding == SYNC_LEFTOVER ? 0 : t->events[v->later].desc;
        say_flag(&x, of, v);
        break;
    }
}

/* Says what the proof could not order, or better what is wrong in each execution. */
static void
explain(const SyncNames *of, const SyncVerdict *v, TikBlobOrder *out)
{
    SyncWitness w;
    if (v->finding != SYNC_ORDERED && of->tape->nevents > 0 && sync_run(of->tape, &w)) {
        sync_explain_witness(of, &w, out);
    } else {
        sync_explain(of, v, out);
    }
}

bool
tikblob_order(const TikBlob *b, int kernel, TikBlobOrder *out)
{
    SyncVerdict v = {.finding = SYNC_BUDGET};
    SyncTape tape = {0};
    SyncKernel *k = sync_kernel_new(b, kernel);
    bool made = k != NULL && sync_tape_make(&tape, k);
    bool ok = made && sync_check(&tape, &v);
    SyncNames names = {.blob = b, .kernel = kernel, .tape = &tape};
    if (k != NULL) {
        names.regions = k->regions;
        names.descs = k->descs;
    }
    explain(&names, &v, out);
    sync_tape_free(&tape);
    sync_kernel_free(k);
    return ok;
}
