/* stagerun.c: runs a file through the parser and the compile-time evaluator and prints what the program
 * printed, then the diagnostics on standard error. For the comparison with CPython and for timing.
 *   stagerun FILE [--steps N] [--depth N] [--memory N] [--call EXPR] [-D NAME=VALUE] */
#include "stage/stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *
read_file(const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    char *p = NULL;
    *len = 0;
    if (!f) {
        return NULL;
    }
    for (size_t cap = 1 << 16;; cap *= 2) {
        p = realloc(p, cap);
        if (!p) {
            break;
        }
        *len += fread(p + *len, 1, cap - *len, f);
        if (*len < cap) {
            break;
        }
    }
    fclose(f);
    return p;
}

static bool
take_option(Unit *u, const char *name, char *value)
{
    Limits *l = &u->opt.limits;
    if (strcmp(name, "--steps") == 0) {
        l->steps = atoll(value);
    } else if (strcmp(name, "--depth") == 0) {
        l->depth = atoll(value);
    } else if (strcmp(name, "--memory") == 0) {
        l->memory = atoll(value);
    } else if (strcmp(name, "--call") == 0) {
        u->opt.call = value;
    } else if (strcmp(name, "-D") == 0 && strchr(value, '=')) {
        char *eq = strchr(value, '=');
        *eq = 0;
        VEC_PUSH(&u->arena, &u->opt.defines, (Define){value, eq + 1});
    } else {
        return false;
    }
    return true;
}

int
main(int argc, char **argv)
{
    size_t len = 0;
    char *text = argc > 1 ? read_file(argv[1], &len) : NULL;
    if (!text) {
        fprintf(stderr, "usage: stagerun FILE [options]\n");
        return 2;
    }
    Unit u;
    unit_init(&u);
    for (int i = 2; i < argc; i += 2) {
        if (i + 1 == argc || !take_option(&u, argv[i], argv[i + 1])) {
            fprintf(stderr, "stagerun: bad option '%s'\n", argv[i]);
            return 2;
        }
    }
    uint32_t file = unit_add_source(&u, argv[1], text, len);
    free(text);
    Ast *module = parse_file(&u, file);
    bool ok = module && stage_run(&u, file, module);
    fwrite(u.log.p, 1, u.log.n, stdout);
    Text t;
    text_init(&t, &u.arena);
    diag_render_all(&u, DIAG_TEXT, &t);
    fwrite(t.p, 1, t.n, stderr);
    ok = ok && u.errors == 0;
    for (uint32_t i = 0; i < u.kernels.n; i++) {
        kernel_free(u.kernels.p[i]);
    }
    unit_free(&u);
    return ok ? 0 : 1;
}
