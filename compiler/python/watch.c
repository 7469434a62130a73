/* watch.c: see watch.h. */
#include "python/watch.h"
#include "python/resolve.h"

#include <string.h>

static uint32_t
hash_place(Span at, Sym name)
{
    uint64_t h = (at.begin ^ (uint64_t)at.file << 32) * 0x9e3779b97f4a7c15u;
    return (uint32_t)((h ^ name) * 0x9e3779b97f4a7c15u >> 32);
}

static void
grow(NameWatch *w)
{
    w->nindex = w->nindex ? w->nindex * 2 : 256;
    w->index = ARENA_ARRAY(&w->arena, uint32_t, w->nindex);
    for (uint32_t i = 0; i < w->entries.n; i++) {
        const WatchEntry *e = &w->entries.p[i];
        uint32_t h = hash_place(e->at, e->name) & (w->nindex - 1);
        while (w->index[h]) {
            h = (h + 1) & (w->nindex - 1);
        }
        w->index[h] = i + 1;
    }
}

void
watch_note(NameWatch *w, Span at, Sym name, bool attribute, Value v)
{
    if (w->entries.n * 2 >= w->nindex) {
        grow(w);
    }
    uint32_t h = hash_place(at, name) & (w->nindex - 1);
    for (; w->index[h]; h = (h + 1) & (w->nindex - 1)) {
        WatchEntry *e = &w->entries.p[w->index[h] - 1];
        if (e->at.file == at.file && e->at.begin == at.begin && e->name == name) {
            e->v = v;
            e->times++;
            return;
        }
    }
    WatchEntry e = {at, name, attribute, 1, v};
    VEC_PUSH(&w->arena, &w->entries, e);
    w->index[h] = w->entries.n;
}

void
watch_free(NameWatch *w)
{
    arena_free(&w->arena);
    *w = (NameWatch){0};
}

static Span
file_of(const Unit *u, const char *path)
{
    for (uint32_t i = 1; path && i < u->sources.n; i++) {
        if (strcmp(u->sources.p[i].path, path) == 0) {
            return (Span){i, 0, 0};
        }
    }
    return (Span){0};
}

/* Returns where a class was bound first, which is its statement. */
static Span
class_of(const NameWatch *w, const ClassVal *c)
{
    for (uint32_t i = 0; i < w->entries.n; i++) {
        const WatchEntry *e = &w->entries.p[i];
        if (e->v.kind == VAL_CLASS && e->v.klass == c) {
            return e->at;
        }
    }
    return (Span){0};
}

Span
watch_definition(const NameWatch *w, const Unit *u, Value v)
{
    switch ((ValueKind)v.kind) {
    case VAL_FUNC:
        return v.func->loc->span;
    case VAL_MODULE:
        return file_of(u, v.module->path);
    case VAL_CLASS:
        return v.klass->user ? class_of(w, v.klass) : (Span){0};
    case VAL_BOUND:
        return watch_definition(w, u, v.bound->func);
    default:
        return (Span){0};
    }
}
