/* stagerun.c: runs a file through the parser and the compile-time evaluator and prints
 * what the program printed, then the diagnostics on standard error. It is for the
 * comparison with CPython and for timing.
 *  stagerun FILE [--steps N] [--depth N] [--memory N] [--call EXPR] [-D NAME=VALUE]
 *  stagerun --many FILE...
 * With --many each file is a compilation of its own, and standard output has for each:
 * the byte 0x1e, the path and a line end, what the program printed, the byte 0x1f, and
 * the text of the exception that the program did not catch ("Class: message"), or of the
 * first diagnostic ("[name] text"), or nothing. */
#include "ir/ir.h"
#include "lib/stage.h"

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

static bool
run_text(Unit *u, const char *path, const char *text, size_t len)
{
    uint32_t file = unit_add_source(u, path, text, len);
    bool ok = stage_run(u, file);
    fwrite(u->log.p, 1, u->log.n, stdout);
    for (uint32_t i = 0; i < u->kernels.n; i++) {
        kernel_free(u->kernels.p[i]);
    }
    return ok && u->errors == 0;
}

static bool
run_one_of_many(const char *path)
{
    size_t len = 0;
    char *text = read_file(path, &len);
    if (!text) {
        fprintf(stderr, "stagerun: cannot read '%s'\n", path);
        return false;
    }
    Unit u;
    unit_init(&u);
    printf("\x1e%s\n", path);
    run_text(&u, path, text, len);
    printf("\x1f");
    if (u.errors > 0 && u.diags.n > 0) {
        const Diag *d = u.diags.p[0];
        if (d->exception) {
            printf("%s", d->exception);
        } else {
            printf("[%s] %s", diag_table[d->id].name, d->text);
        }
    }
    fflush(stdout);
    unit_free(&u);
    free(text);
    return true;
}

static int
run_many(char **paths, int n)
{
    bool ok = true;
    for (int i = 0; i < n; i++) {
        ok = run_one_of_many(paths[i]) && ok;
    }
    return ok ? 0 : 2;
}

int
main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--many") == 0) {
        return run_many(argv + 2, argc - 2);
    }
    size_t len = 0;
    char *text = argc > 1 ? read_file(argv[1], &len) : NULL;
    if (!text) {
        fprintf(stderr, "usage: stagerun FILE [options] | stagerun --many FILE...\n");
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
    bool ok = run_text(&u, argv[1], text, len);
    free(text);
    Text t;
    text_init(&t, &u.arena);
    diag_render_all(&u, DIAG_TEXT, &t);
    fwrite(t.p, 1, t.n, stderr);
    unit_free(&u);
    return ok ? 0 : 1;
}
