/* astprint.c: shows what the front end makes of a file, for tests/oracle/syntax_vs_python.py.
 *   astprint FILE          the program printed from its tree
 *   astprint --dump FILE   the tree
 *   astprint --spans FILE  KIND BEGIN END of every expression node
 *   astprint --time N FILE parses N times and prints the seconds of the fastest run
 * Errors go to standard output, exit code 1. */
#include "syntax/ast.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char *
read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        return NULL;
    }
    char *buf = NULL;
    size_t cap = 0;
    *n = 0;
    for (;;) {
        if (*n == cap) {
            cap = cap ? cap * 2 : 1 << 16;
            char *grown = realloc(buf, cap);
            if (!grown) {
                abort();
            }
            buf = grown;
        }
        size_t got = fread(buf + *n, 1, cap - *n, f);
        if (got == 0) {
            break;
        }
        *n += got;
    }
    fclose(f);
    return buf;
}

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void
time_parse(const char *path, const char *text, size_t n, int runs)
{
    double best = 1e9;
    for (int i = 0; i < runs; i++) {
        Unit u;
        unit_init(&u);
        uint32_t file = unit_add_source(&u, path, text, n);
        double start = now();
        const Ast *tree = parse_file(&u, file);
        double took = now() - start;
        best = tree && took < best ? took : best;
        unit_free(&u);
    }
    printf("%.6f\n", best);
}

int
main(int argc, char **argv)
{
    const char *mode = argc > 2 ? argv[1] : "--print";
    size_t n = 0;
    char *text = argc > 1 ? read_file(argv[argc - 1], &n) : NULL;
    if (!text) {
        fprintf(stderr, "usage: astprint [--dump | --time N] FILE\n");
        return 2;
    }
    if (strcmp(mode, "--time") == 0) {
        time_parse(argv[argc - 1], text, n, atoi(argv[2]));
        free(text);
        return 0;
    }
    Unit u;
    unit_init(&u);
    const Ast *tree = parse_file(&u, unit_add_source(&u, argv[argc - 1], text, n));
    Text out;
    text_init(&out, &u.arena);
    if (!tree) {
        diag_render_all(&u, DIAG_TEXT, &out);
    } else if (strcmp(mode, "--dump") == 0) {
        ast_dump(&u, tree, &out);
        text_putc(&out, '\n');
    } else {
        ast_print(&u, tree, &out);
    }
    fwrite(out.p, 1, out.n, stdout);
    unit_free(&u);
    free(text);
    return tree ? 0 : 1;
}
