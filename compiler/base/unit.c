/* unit.c: see unit.h. */
#include "base/unit.h"

#include <string.h>

static const Limits default_limits = {
    .steps = 64000000,
    .depth = 900,
    .memory = (int64_t)400 << 20, /* with the rest of the process less than 512 MiB */
    .file = 64 << 20,
    .statements = 2000000,
    .errors = 200,
};

void
unit_init(Unit *u)
{
    memset(u, 0, sizeof *u);
    u->tree.raw = true; /* nodes are cleared one by one, where they are written */
    intern_init(&u->names, &u->arena);
    text_init(&u->log, &u->arena);
    u->opt.limits = default_limits;
    VEC_PUSH(&u->arena, &u->sources, (Source){.path = "<tikc>", .text = ""});
    VEC_PUSH(&u->arena, &u->chains, (CallStep){0});
    u->soc = soc_default();
}

void
unit_free(Unit *u)
{
    arena_free(&u->tree);
    arena_free(&u->values);
    arena_free(&u->brief);
    arena_free(&u->arena);
    memset(u, 0, sizeof *u);
}

uint32_t
unit_add_source(Unit *u, const char *path, const char *text, size_t len)
{
    Source s = {0};
    s.path = arena_strdup(&u->arena, path);
    bool lent = text == u->lent, lasts = lent || arena_holds(&u->arena, text);
    u->arena.used += lent ? (int64_t)len + 1 : 0;
    s.text = lasts ? text : arena_strndup(&u->arena, text, len);
    s.len = (uint32_t)len;
    VEC_PUSH(&u->arena, &u->sources, s);
    return u->sources.n - 1;
}

static uint32_t
find_source(const Unit *u, const char *path, bool absent)
{
    for (uint32_t i = 1; i < u->sources.n; i++) {
        const Source *src = &u->sources.p[i];
        if (src->absent == absent && strcmp(src->path, path) == 0) {
            return i;
        }
    }
    return 0;
}

static Span
absent_place(Unit *u, const char *path, LineCol at)
{
    uint32_t file = find_source(u, path, true);
    if (!file) {
        file = unit_add_source(u, path, "", 0);
        u->sources.p[file].absent = true;
    }
    Source *src = &u->sources.p[file];
    uint32_t begin = src->places.n;
    VEC_PUSH(&u->arena, &src->places, at);
    VEC_PUSH(&u->arena, &src->places, at.line ? (LineCol){at.line, at.column + 1} : at);
    return (Span){file, begin, begin + 1};
}

Span
unit_place(Unit *u, const char *path, LineCol at)
{
    uint32_t file = find_source(u, path, false);
    if (!file || at.line == 0 || at.column == 0) {
        return absent_place(u, path, at);
    }
    uint32_t len;
    Source *src = &u->sources.p[file];
    const char *line = source_line(&u->arena, src, at.line, &len);
    if (at.line > src->nlines) {
        return absent_place(u, path, at);
    }
    uint32_t begin = (uint32_t)(line - src->text) + MIN(at.column - 1, len);
    return (Span){file, begin, begin + 1};
}

uint32_t
unit_new_calls(const Unit *u, uint32_t chain, const uint32_t *done, Arena *arena,
               uint32_t **steps)
{
    uint32_t n = 0;
    for (uint32_t c = chain; c && !done[c]; c = u->chains.p[c].parent) {
        n++;
    }
    *steps = n ? ARENA_ARRAY(arena, uint32_t, n) : NULL;
    for (uint32_t i = n, c = chain; i > 0; c = u->chains.p[c].parent) {
        (*steps)[--i] = c;
    }
    return n;
}

bool
unit_set_soc(Unit *u, const char *name)
{
    const Soc *s = soc_find(name);
    if (s) {
        u->soc = s;
    }
    return s != NULL;
}
