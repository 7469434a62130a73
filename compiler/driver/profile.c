/* profile.c: what 'tikc profile' and 'run --mode time' show of a run on the emulator's
 * model of the queues, as one screen or as JSON. */
#include "driver/profile.h"
#include "driver/profile_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HOT = 8 /* lines that are shown */
};

const char *
profile_wait_name(int by)
{
    return by < TIK_QUEUES             ? tikrt_queue_name(by)
           : by == TIK_WAIT_DISPATCHER ? "dispatcher"
                                       : "other cores";
}

/* ---- what is collected --------------------------------------------------- */

static void
on_event(void *ctx, const TikProfileEvent *e)
{
    ProfileView *v = ctx;
    v->busy[e->descriptor] += e->end - e->begin;
    v->queue[e->descriptor] = (uint8_t)e->queue;
    if (v->trace) {
        profile_trace_event(v, e);
    }
    if (v->record) {
        profile_record_event(v, e);
    }
}

static void
on_flag(void *ctx, const TikProfileFlag *f)
{
    ProfileView *v = ctx;
    if (v->trace) {
        profile_trace_flag(v, f);
    }
    if (v->record) {
        profile_record_flag(v, f);
    }
}

static const char *
name_of(const TikDesc *d)
{
    return d->kind == DESC_INSTR   ? tikblob_op_name(d->op)
           : d->kind == DESC_LOAD  ? "load"
           : d->kind == DESC_STORE ? "store"
                                   : "";
}

static void
set_place(void *to, uint32_t descriptor, const char *file, uint32_t line, uint32_t column)
{
    ProfileView *v = to;
    v->places[descriptor] = (ProfilePlace){file, line, column};
}

/* Gives each descriptor its name and its place. */
static void
fill_names(ProfileView *v, Arena *a)
{
    TikCursor c;
    TikDesc *d = ARENA_NEW(a, TikDesc);
    v->names = ARENA_ARRAY(a, const char *, v->kernel.ndescriptors + 1);
    v->places = ARENA_ARRAY(a, ProfilePlace, v->kernel.ndescriptors + 1);
    tikblob_cursor(&c, &v->blob, v->index);
    while (tikblob_next(&c, d, NULL) > 0) {
        v->names[d->index] = name_of(d);
    }
    tikblob_places(&v->blob, v->index, set_place, v);
}

bool
profile_begin(Cmd *c, ProfileView *v, const uint8_t *blob, size_t size, int kernel)
{
    Arena *a = &c->unit.arena;
    *v = (ProfileView){.index = kernel};
    TikBlobDiag diag;
    if (!tikblob_open(&v->blob, blob, size, &diag)) {
        return blob_refused(c, NULL, 0, &diag);
    }
    tikblob_kernel(&v->blob, kernel, &v->kernel);
    v->busy = ARENA_ARRAY(a, uint64_t, v->kernel.ndescriptors + 1);
    v->queue = ARENA_ARRAY(a, uint8_t, v->kernel.ndescriptors + 1);
    fill_names(v, a);
    v->profile.event = on_event;
    v->profile.flag = on_flag;
    v->profile.ctx = v;
    v->trace = c->trace ? profile_trace_begin(a) : NULL;
    v->record = c->html ? profile_record_begin(a, &v->kernel) : NULL;
    return true;
}

/* ---- the screen ---------------------------------------------------------- */

/* Puts the source place of a descriptor, or its number. */
static void
put_place(const ProfileView *v, uint32_t descriptor, Text *out)
{
    const ProfilePlace *p = &v->places[descriptor];
    if (p->file) {
        text_printf(out, "%s:%u:%u", p->file, p->line, p->column);
    } else {
        text_printf(out, "descriptor %u", descriptor);
    }
}

static double
percent(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

static void
put_head(const ProfileView *v, Text *out)
{
    const TikProfile *p = &v->profile;
    text_printf(out, "%s: %llu clocks, %.2f us at %lld MHz, on %u core%s of %s\n",
                v->kernel.name, (unsigned long long)p->clocks,
                (double)p->clocks / (double)p->mhz, (long long)p->mhz, p->cores,
                p->cores == 1 ? "" : "s", tikblob_soc_name(v->blob.soc));
}

static void
put_queue(const ProfileView *v, int q, Text *out)
{
    const TikProfile *p = &v->profile;
    if (p->queue[q].busy == 0) {
        return;
    }
    text_printf(out, "%-5s %5.1f %% busy, %llu instructions", tikrt_queue_name(q),
                percent(p->queue[q].busy, p->core_clocks),
                (unsigned long long)p->queue[q].instructions);
    const char *before = "; waits for ";
    for (int by = 0; by < TIK_WAITS; by++) {
        double share = percent(p->queue[q].wait[by], p->core_clocks);
        if (share >= 0.1) {
            text_printf(out, "%s%s%s %.1f %%", before, by < TIK_QUEUES ? "" : "the ",
                        profile_wait_name(by), share);
            before = ", ";
        }
    }
    text_putc(out, '\n');
}

static void
put_moved(const ProfileView *v, Text *out)
{
    for (int from = 0; from < TIK_MEMORIES; from++) {
        for (int to = 0; to < TIK_MEMORIES; to++) {
            uint64_t n = v->profile.moved[from][to];
            if (n > 0) {
                text_printf(out, "moved %s to %s: %llu bytes, %.2f a clock\n",
                            tikrt_memory_name(from), tikrt_memory_name(to),
                            (unsigned long long)n,
                            (double)n / (double)v->profile.core_clocks);
            }
        }
    }
}

static int
by_place(const void *a, const void *b)
{
    const TikBlobRegion *x = a, *y = b;
    int64_t n =
        x->scope != y->scope ? (int64_t)x->scope - (int64_t)y->scope : x->base - y->base;
    return n < 0 ? -1 : n > 0;
}

/* Puts the buffers of each memory of a core by address. */
static void
put_map(Cmd *c, const ProfileView *v, Text *out)
{
    const TikBlobKernel *k = &v->kernel;
    TikBlobRegion *r = ARENA_ARRAY(&c->unit.arena, TikBlobRegion, k->nregions + 1);
    for (uint32_t i = 0; i < k->nregions; i++) {
        tikblob_region(&v->blob, k, (int)i, &r[i]);
    }
    qsort(r, k->nregions, sizeof *r, by_place);
    for (uint32_t i = 0; i < k->nregions; i++) {
        if (r[i].scope == SC_GM || r[i].scope == SC_SREG) {
            continue;
        }
        if (i == 0 || r[i - 1].scope != r[i].scope) {
            int64_t room = v->blob.soc->bytes[r[i].scope];
            text_printf(out, "%s: %lld of %lld bytes (%.1f %%)\n",
                        tikblob_scope_name(r[i].scope), (long long)k->peak[r[i].scope],
                        (long long)room,
                        percent((uint64_t)k->peak[r[i].scope], (uint64_t)room));
        }
        text_printf(out, "  %8lld to %8lld  %s\n", (long long)r[i].base,
                    (long long)(r[i].base + r[i].bytes - 1), r[i].name);
    }
}

/* Returns the descriptor that keeps its queue busy longest of those after `after` in that
 * order, or of all of them. */
static uint32_t
next_hot(const ProfileView *v, const uint32_t *after)
{
    uint32_t most = UINT32_MAX;
    for (uint32_t d = 0; d < v->kernel.ndescriptors; d++) {
        bool open = after == NULL || v->busy[d] < v->busy[*after] ||
                    (v->busy[d] == v->busy[*after] && d > *after);
        if (open && v->busy[d] > 0 &&
            (most == UINT32_MAX || v->busy[d] > v->busy[most])) {
            most = d;
        }
    }
    return most;
}

/* Puts the instructions that keep queues busy longest. */
static void
put_hot(const ProfileView *v, Text *out)
{
    uint32_t most = 0;
    for (int i = 0; i < HOT; i++) {
        most = next_hot(v, i > 0 ? &most : NULL);
        if (most == UINT32_MAX) {
            return;
        }
        text_printf(out, "%5.1f %% of %-4s  ",
                    percent(v->busy[most], v->profile.core_clocks),
                    tikrt_queue_name(v->queue[most]));
        put_place(v, most, out);
        text_printf(out, "  %s\n", v->names[most]);
    }
}

/* ---- JSON ---------------------------------------------------------------- */

static void
json_queues(const TikProfile *p, Text *out)
{
    json_open(out, "queues", '{');
    for (int q = 0; q < TIK_QUEUES; q++) {
        json_open(out, tikrt_queue_name(q), '{');
        json_count(out, "busy", p->queue[q].busy);
        json_count(out, "instructions", p->queue[q].instructions);
        json_open(out, "waits", '{');
        for (int by = 0; by < TIK_WAITS; by++) {
            if (p->queue[q].wait[by] > 0) {
                json_count(out, profile_wait_name(by), p->queue[q].wait[by]);
            }
        }
        json_close(out, '}');
        json_close(out, '}');
    }
    json_close(out, '}');
}

static void
json_moved(const TikProfile *p, Text *out)
{
    json_open(out, "moved", '[');
    for (int from = 0; from < TIK_MEMORIES; from++) {
        for (int to = 0; to < TIK_MEMORIES; to++) {
            if (p->moved[from][to] > 0) {
                json_open(out, NULL, '{');
                json_text(out, "from", tikrt_memory_name(from));
                json_text(out, "to", tikrt_memory_name(to));
                json_count(out, "bytes", p->moved[from][to]);
                json_close(out, '}');
            }
        }
    }
    json_close(out, ']');
}

/* Puts the object of --format json, without the end of its line. */
static void
put_json(Cmd *c, const ProfileView *v, Text *out)
{
    const TikProfile *p = &v->profile;
    json_begin(c, out);
    json_text(out, "kernel", v->kernel.name);
    json_text(out, "target", tikblob_soc_name(v->blob.soc));
    json_count(out, "clocks", p->clocks);
    json_number(out, "mhz", p->mhz);
    json_count(out, "cores", p->cores);
    json_count(out, "core_clocks", p->core_clocks);
    json_count(out, "descriptors", p->descriptors);
    json_queues(p, out);
    json_moved(p, out);
    text_putc(out, '}');
}

/* ---- the end ------------------------------------------------------------- */

static void
put_screen(Cmd *c, const ProfileView *v, Text *out)
{
    put_head(v, out);
    for (int q = 0; q < TIK_QUEUES; q++) {
        put_queue(v, q, out);
    }
    put_moved(v, out);
    put_map(c, v, out);
    put_hot(v, out);
}

/* Writes the files that were asked for, all or none. */
static bool
write_files(Cmd *c, const ProfileView *v, const ProfileForms *forms)
{
    IoBatch out;
    io_begin(&out, &c->unit);
    bool ok = (!v->trace || profile_trace_end(c, v, &out)) &&
              (!v->record || profile_page(c, v, forms, &out));
    return io_end(&out, ok);
}

static bool
on_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

bool
profile_end(Cmd *c, ProfileView *v)
{
    if (v->profile.mhz == 0) {
        return options_wrong(c, arena_printf(&c->unit.arena,
                                             "the rates of the queues of %s are not "
                                             "known: mode time has no model of it",
                                             tikblob_soc_name(v->blob.soc)));
    }
    Text screen, json, head;
    text_init(&screen, &c->unit.arena);
    text_init(&head, &c->unit.arena);
    put_screen(c, v, &screen);
    put_json(c, v, &json);
    put_head(v, &head);
    TRY(write_files(c, v, &(ProfileForms){screen.p, json.p}));
    if (on_stdout(c->trace) || on_stdout(c->html)) {
        return true;
    }
    text_putc(&json, '\n');
    const Text *shown = report_json(c) ? &json : c->screen ? &screen : &head;
    return io_print(&c->unit, shown->p, shown->n);
}

/* ---- counts -------------------------------------------------------------- */

static void
stats_text(const ProfileView *v, Text *out)
{
    const TikProfile *p = &v->profile;
    text_printf(out, "%s: %llu descriptors executed on %u core%s of %s\n", v->kernel.name,
                (unsigned long long)p->descriptors, p->cores, p->cores == 1 ? "" : "s",
                tikblob_soc_name(v->blob.soc));
    for (int q = 0; q < TIK_QUEUES; q++) {
        if (p->queue[q].instructions > 0) {
            text_printf(out, "  %-5s %12llu instructions\n", tikrt_queue_name(q),
                        (unsigned long long)p->queue[q].instructions);
        }
    }
    for (int from = 0; from < TIK_MEMORIES; from++) {
        for (int to = 0; to < TIK_MEMORIES; to++) {
            if (p->moved[from][to] > 0) {
                text_printf(out, "  %-5s %12llu bytes to %s\n", tikrt_memory_name(from),
                            (unsigned long long)p->moved[from][to],
                            tikrt_memory_name(to));
            }
        }
    }
    for (int s = 0; s < SC_COUNT; s++) {
        if (v->kernel.peak[s] > 0 && s != SC_SREG) {
            text_printf(out, "  %-5s %12lld of %lld bytes in use%s\n",
                        tikblob_scope_name((Scope)s), (long long)v->kernel.peak[s],
                        (long long)v->blob.soc->bytes[s],
                        s == SC_LMEM ? " in each lane" : "");
        }
    }
}

static void
json_peaks(const ProfileView *v, Text *out)
{
    json_open(out, "peak", '{');
    for (int s = 0; s < SC_COUNT; s++) {
        if (v->kernel.peak[s] > 0 && s != SC_SREG) {
            json_number(out, tikblob_scope_name((Scope)s), v->kernel.peak[s]);
        }
    }
    json_close(out, '}');
}

static void
json_instructions(const TikProfile *p, Text *out)
{
    json_open(out, "instructions", '{');
    for (int q = 0; q < TIK_QUEUES; q++) {
        if (p->queue[q].instructions > 0) {
            json_count(out, tikrt_queue_name(q), p->queue[q].instructions);
        }
    }
    json_close(out, '}');
}

bool
profile_stats(Cmd *c, const ProfileView *v)
{
    Text out;
    if (!report_json(c)) {
        text_init(&out, &c->unit.arena);
        stats_text(v, &out);
        return io_print(&c->unit, out.p, out.n);
    }
    json_begin(c, &out);
    json_text(&out, "kernel", v->kernel.name);
    json_text(&out, "target", tikblob_soc_name(v->blob.soc));
    json_count(&out, "cores", v->profile.cores);
    json_count(&out, "descriptors", v->profile.descriptors);
    json_instructions(&v->profile, &out);
    json_moved(&v->profile, &out);
    json_peaks(v, &out);
    return json_end(c, &out);
}

int
cmd_profile(Cmd *c)
{
    c->run_mode = "time";
    c->screen = true;
    return cmd_run(c);
}
