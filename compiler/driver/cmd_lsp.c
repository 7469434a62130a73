/* cmd_lsp.c: implements tikc lsp: the language server (lsp/lsp.h) on standard input and
 * output. Texts are compiled as 'tikc check' compiles files, with the options of the
 * command line. */
#define _XOPEN_SOURCE 700
#include "driver/check_files.h"
#include "lsp/lsp.h"
#include "tik/describe.h"

#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A compilation that the server keeps. */
typedef struct Compiled {
    Cmd cmd;
    const char *path;
    const LspTexts *open;
} Compiled;

static Compiled *
compiled_of(Unit *u)
{
    return (Compiled *)(void *)((char *)u - offsetof(Compiled, cmd.unit));
}

/* Loads imported files: texts that are open come before those on disk (a UnitLoader). */
static bool
load(Unit *u, const char *path, const char **text, size_t *len)
{
    const LspTexts *open = compiled_of(u)->open;
    const char *found;
    if (!open->find(open->ctx, path, &found, len)) {
        return io_load(u, path, text, len);
    }
    char *copy = arena_alloc(&u->arena, *len + 1);
    memcpy(copy, found, *len);
    *text = copy;
    VEC_PUSH(&u->arena, &u->loaded, arena_strdup(&u->arena, path));
    return true;
}

static void
release(void *ctx, Unit *u)
{
    (void)ctx;
    check_one_end(&compiled_of(u)->cmd);
    free(compiled_of(u));
}

static Unit *
compile(void *ctx, const char *path, const char *text, size_t size, int nth,
        const LspTexts *open)
{
    const Cmd *c = ctx;
    Compiled *m = calloc(1, sizeof *m);
    if (!m) {
        base_out_of_memory(sizeof *m);
    }
    m->open = open;
    m->path = path;
    check_one_begin(c, &m->path, &m->cmd);
    Unit *u = &m->cmd.unit;
    if (!check_combine(c, &m->cmd, path, text, size, nth)) {
        release(ctx, u);
        return NULL;
    }
    u->facts = ARENA_NEW(&u->arena, NameFacts);
    m->cmd.load = load;
    (void)!compile_text(&m->cmd, path, text, size);
    return u;
}

/* Returns the path of the page that explains diagnostics: beside the build in the tree,
 * or where an installed tool has it; null if it is in neither. */
static const char *
find_docs(Arena *a)
{
    static const char *const places[] = {"../docs/diagnostics.md",
                                         "../share/doc/tikc/docs/diagnostics.md",
                                         "../share/doc/tikc/diagnostics.md"};
    char tool[PATH_MAX], found[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", tool, sizeof tool - 1);
    tool[MAX(n, 0)] = 0;
    char *slash = strrchr(tool, '/');
    for (size_t i = 0; slash && i < ARRAY_LEN(places); i++) {
        slash[1] = 0;
        if (realpath(arena_printf(a, "%s%s", tool, places[i]), found)) {
            return arena_strdup(a, found);
        }
    }
    return NULL;
}

int
cmd_lsp(Cmd *c)
{
    LspHost host = {c, TIKC_VERSION, find_docs(&c->unit.arena), compile, release};
    signal(SIGPIPE, SIG_IGN);
    return lsp_run(&host, STDIN_FILENO, STDOUT_FILENO) ? EXIT_CLEAN : EXIT_FINDINGS;
}
