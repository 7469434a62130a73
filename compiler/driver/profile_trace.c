/* profile_trace.c: writes a run in the mode time in Chrome's trace event format: a
 * process for each core, a thread for each queue, a complete event for each instruction,
 * and a pair of flow events for each flag, or where queues have none, for each wait.
 *
 * Viewers want events of a thread apart or nested, and count nanoseconds: so begin and
 * end are whole nanoseconds, and events that do not overlap in clocks do not overlap in
 * the file. Viewers keep process 0 and thread 0 for the system; numbers begin with 1. */
#include "driver/profile.h"

#include <stdio.h>

enum {
    MOST_EVENTS = 500000 /* the rest is left out, and that is said */
};

struct ProfileTrace {
    Text text;
    uint64_t events; /* instructions that were executed */
    uint64_t flows;
    /* pairs of flags whose queue has executed nothing since it waited: an arrow ends at
     * an instruction, and after the last waits there is none */
    VEC(TikProfileFlag) open;
};

/* Begins an event; its arguments and its end follow. */
static void
open_event(Text *t, const char *name, const char *phase, uint32_t core, int queue)
{
    json_open(t, NULL, '{');
    json_text(t, "name", name);
    json_text(t, "ph", phase);
    json_count(t, "pid", (uint64_t)core + 1);
    json_number(t, "tid", queue + 1);
}

static uint64_t
nanoseconds(const ProfileView *v, uint64_t clocks)
{
    uint64_t mhz = v->profile.mhz > 0 ? (uint64_t)v->profile.mhz : 1;
    return clocks / mhz * 1000 + (clocks % mhz * 1000 + mhz / 2) / mhz;
}

/* Puts nanoseconds in microseconds. */
static void
put_time(Text *t, const char *key, uint64_t ns)
{
    json_key(t, key);
    text_printf(t, "%llu.%03llu", (unsigned long long)(ns / 1000),
                (unsigned long long)(ns % 1000));
}

/* Puts the two ends of an arrow, which are where instructions begin. */
static void
put_flow(const ProfileView *v, const char *name, uint32_t core, int from, int to,
         uint64_t begin, uint64_t end)
{
    Text *t = &v->trace->text;
    uint64_t id = ++v->trace->flows;
    for (int i = 0; i < 2; i++) {
        open_event(t, name, i ? "f" : "s", core, i ? to : from);
        json_text(t, "cat", "wait");
        json_count(t, "id", id);
        if (i) {
            json_text(t, "bp", "e"); /* it ends in the instruction around it */
        }
        put_time(t, "ts", nanoseconds(v, i ? end : begin));
        json_close(t, '}');
    }
}

/* Viewers add up begin and duration as floating-point numbers: an end that is a tenth of
 * a nanosecond early does not come out after the begin of the next event. */
static void
put_duration(Text *t, uint64_t ns)
{
    uint64_t tenths = ns > 0 ? 10 * ns - 1 : 0;
    json_key(t, "dur");
    text_printf(t, "%llu.%04llu", (unsigned long long)(tenths / 10000),
                (unsigned long long)(tenths % 10000));
}

static void
put_arguments(const ProfileView *v, const TikProfileEvent *e)
{
    Text *t = &v->trace->text;
    const ProfilePlace *p = &v->places[e->descriptor];
    json_open(t, "args", '{');
    json_count(t, "descriptor", e->descriptor);
    if (p->file) {
        json_text(t, "file", p->file);
        json_count(t, "line", p->line);
    }
    json_count(t, "begin", e->begin);
    json_count(t, "clocks", e->end - e->begin);
    if (e->bytes > 0) {
        json_count(t, "bytes", e->bytes);
    }
    if (e->waited > 0) {
        json_count(t, "waited", e->waited);
        json_text(t, "waited for", profile_wait_name(e->waited_for));
    }
    json_close(t, '}');
}

/* A descriptor for which the dispatcher waited is shown for as long as it waited. */
static void
put_event(const ProfileView *v, const TikProfileEvent *e)
{
    Text *t = &v->trace->text;
    uint64_t begin = e->begin == e->end ? e->begin - e->waited : e->begin;
    uint64_t ns = nanoseconds(v, begin);
    open_event(t, v->names[e->descriptor], "X", e->core, e->queue);
    json_text(t, "cat", begin == e->begin ? "instruction" : "wait");
    put_time(t, "ts", ns);
    put_duration(t, nanoseconds(v, e->end) - ns);
    put_arguments(v, e);
    json_close(t, '}');
}

/* Puts the arrows of the flags for which the instruction has waited. Returns whether one
 * is from the queue for which it waited longest. */
static bool
put_flags(const ProfileView *v, const TikProfileEvent *e)
{
    ProfileTrace *t = v->trace;
    bool cause = false;
    uint32_t left = 0;
    for (uint32_t i = 0; i < t->open.n; i++) {
        TikProfileFlag f = t->open.p[i];
        if (f.core != e->core || f.to != e->queue) {
            t->open.p[left++] = f;
            continue;
        }
        char name[40];
        snprintf(name, sizeof name, "flag %u", f.id);
        put_flow(v, name, f.core, f.from, f.to, f.since, e->begin);
        cause = cause || f.from == e->waited_for;
    }
    t->open.n = left;
    return cause;
}

void
profile_trace_event(const ProfileView *v, const TikProfileEvent *e)
{
    if (v->trace->events++ >= MOST_EVENTS) {
        return;
    }
    put_event(v, e);
    bool waits = e->waited > 0 && e->waited_for < TIK_QUEUES && e->since > 0;
    if (!put_flags(v, e) && waits && e->end > e->begin) {
        put_flow(v, "wait", e->core, e->waited_for, e->queue, e->since, e->begin);
    }
}

/* A flag that a queue set before its first instruction has no place to begin at, nor has
 * one of the dispatcher. */
void
profile_trace_flag(const ProfileView *v, const TikProfileFlag *f)
{
    if (v->trace->events < MOST_EVENTS && f->since > 0 && f->from != 0 && f->to != 0) {
        VEC_PUSH(v->trace->text.arena, &v->trace->open, *f);
    }
}

/* Names a process or thread, as the format does. */
static void
put_title(Text *t, const char *what, uint32_t core, int queue, const char *name)
{
    open_event(t, what, "M", core, queue);
    json_open(t, "args", '{');
    json_text(t, "name", name);
    json_close(t, '}');
    json_close(t, '}');
}

static void
put_titles(const ProfileView *v)
{
    char name[40];
    for (uint32_t core = 0; core < v->profile.cores; core++) {
        snprintf(name, sizeof name, "core %u", core);
        put_title(&v->trace->text, "process_name", core, 0, name);
        for (int q = 0; q < TIK_QUEUES; q++) {
            put_title(&v->trace->text, "thread_name", core, q, tikrt_queue_name(q));
        }
    }
}

ProfileTrace *
profile_trace_begin(Arena *a)
{
    ProfileTrace *trace = ARENA_NEW(a, ProfileTrace);
    text_init(&trace->text, a);
    text_put(&trace->text, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    return trace;
}

bool
profile_trace_end(const Cmd *c, const ProfileView *v, IoBatch *out)
{
    ProfileTrace *trace = v->trace;
    put_titles(v);
    text_put(&trace->text, "]}\n");
    if (trace->events > MOST_EVENTS) {
        fprintf(stderr, "tikc: note: the trace has the first %d of %llu instructions\n",
                MOST_EVENTS, (unsigned long long)trace->events);
    }
    return io_add(out, c->trace, trace->text.p, trace->text.n);
}
