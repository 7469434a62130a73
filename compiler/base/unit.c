/* unit.c: see unit.h. */
#include "base/unit.h"

#include <string.h>

static const Limits default_limits = {
    .steps = 64000000,
    .depth = 900,
    .memory =
        (int64_t)400 << 20, /* with what the process has beside it less than 512 MiB */
    .file = 64 << 20,
    .statements = 2000000,
    .errors = 200,
};

void
unit_init(Unit *u)
{
    memset(u, 0, sizeof *u);
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
    arena_free(&u->arena);
    memset(u, 0, sizeof *u);
}

uint32_t
unit_add_source(Unit *u, const char *path, const char *text, size_t len)
{
    Source s = {0};
    s.path = arena_strdup(&u->arena, path);
    s.text = arena_strndup(&u->arena, text, len);
    s.len = (uint32_t)len;
    VEC_PUSH(&u->arena, &u->sources, s);
    return u->sources.n - 1;
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
