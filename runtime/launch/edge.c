/* edge.c: instructions that access bytes after the data of an array. A kernel may access
 * the whole granule of a global tensor (scope_granule): bytes after the data, which are
 * zero at first and are dropped at the end. The caller's array ends with its data. So an
 * instruction that goes further, which is rare, is executed on a copy of the bytes that
 * it accesses; after it, those that it changed are put back, the ones after the data into
 * a room that the cores of the launch share. */
#include "launch/cores.h"

#include <stdlib.h>
#include <string.h>

struct Edge {
    Edge *next;
    int32_t argument;
    int64_t off, bytes;
    uint8_t *now, *before; /* one allocation */
};

static int64_t
data_bytes(const TikCore *core, int32_t argument)
{
    return (int64_t)(uintptr_t)core->args[core->kernel->nparams + argument];
}

/* Returns how many of the edge's bytes are data. */
static int64_t
inside(const TikCore *core, const Edge *e)
{
    int64_t n = data_bytes(core, e->argument) - e->off;
    return n < 0 ? 0 : n < e->bytes ? n : e->bytes;
}

/* Returns where the edge's bytes after the data are. */
static uint8_t *
room_of(const TikCore *core, const Edge *e)
{
    int64_t after = e->off - data_bytes(core, e->argument);
    return core->launch->rooms[e->argument].bytes + (after > 0 ? after : 0);
}

static void
fill(const TikCore *core, Edge *e)
{
    int64_t n = inside(core, e);
    if (n > 0) {
        memcpy(e->now, core->args[e->argument] + e->off, (size_t)n);
    }
    memcpy(e->now + n, room_of(core, e), (size_t)(e->bytes - n));
    memcpy(e->before, e->now, (size_t)e->bytes);
}

static Edge *
find(const TikCore *core, int32_t argument, int64_t off)
{
    Edge *e = core->edges;
    while (e != NULL && (e->argument != argument || e->off != off)) {
        e = e->next;
    }
    return e;
}

static bool
has_rooms(Launch *l)
{
    pthread_mutex_lock(&l->lock);
    if (l->rooms == NULL) {
        l->rooms = calloc((size_t)l->kernel->nparams, sizeof *l->rooms);
    }
    bool have = l->rooms != NULL;
    pthread_mutex_unlock(&l->lock);
    return have;
}

bool
edge_open(TikCore *core, int32_t argument, int64_t off, int64_t end)
{
    Edge *e = find(core, argument, off);
    if (!has_rooms(core->launch) || end <= off) {
        return end <= off;
    }
    if (e == NULL) {
        e = calloc(1, sizeof *e);
        if (e == NULL) {
            return false;
        }
        *e = (Edge){.next = core->edges, .argument = argument, .off = off};
        core->edges = e;
    }
    if (end - off > e->bytes) {
        uint8_t *now = malloc(2 * (size_t)(end - off));
        if (now == NULL) {
            return false;
        }
        free(e->now);
        e->now = now;
        e->bytes = end - off;
        e->before = now + e->bytes;
    }
    pthread_mutex_lock(&core->launch->lock);
    fill(core, e);
    pthread_mutex_unlock(&core->launch->lock);
    return true;
}

bool
edges_find(const TikCore *core, const uint8_t *at, int32_t *argument, int64_t *off)
{
    const Edge *e = core->edges;
    while (e != NULL && (at < e->now || at >= e->now + e->bytes)) {
        e = e->next;
    }
    if (e != NULL) {
        *argument = e->argument;
        *off = e->off + (at - e->now);
    }
    return e != NULL;
}

uint8_t *
tikrt_edge(TikCore *core, int32_t argument, int64_t offset)
{
    const Edge *e = find(core, argument, offset);
    return e != NULL ? e->now : core->args[argument] + offset;
}

/* Puts back what changed and nothing else: other cores may write the bytes between. */
static void
put_back(const TikCore *core, const Edge *e)
{
    int64_t n = inside(core, e);
    uint8_t *data = core->args[e->argument] + e->off;
    uint8_t *room = room_of(core, e);
    for (int64_t i = 0; i < e->bytes; i++) {
        if (e->now[i] != e->before[i]) {
            *(i < n ? &data[i] : &room[i - n]) = e->now[i];
        }
    }
}

void
edges_renew(TikCore *core)
{
    pthread_mutex_lock(&core->launch->lock);
    for (Edge *e = core->edges; e != NULL; e = e->next) {
        int64_t n = inside(core, e);
        const uint8_t *data = core->args[e->argument] + e->off;
        const uint8_t *room = room_of(core, e);
        for (int64_t i = 0; i < e->bytes; i++) {
            if (e->now[i] == e->before[i]) {
                e->now[i] = e->before[i] = i < n ? data[i] : room[i - n];
            }
        }
    }
    pthread_mutex_unlock(&core->launch->lock);
}

void
tikrt_edges_end(TikCore *core)
{
    pthread_mutex_lock(&core->launch->lock);
    for (const Edge *e = core->edges; e != NULL; e = e->next) {
        put_back(core, e);
    }
    pthread_mutex_unlock(&core->launch->lock);
    edges_forget(core);
}

void
edges_forget(TikCore *core)
{
    while (core->edges != NULL) {
        Edge *e = core->edges;
        core->edges = e->next;
        free(e->now);
        free(e);
    }
}
