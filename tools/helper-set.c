/* helper-set.c: compiles the helper functions of a program's kernels for one level of
 * processors, as an object file (compiler/host/ready.h).
 *
 *  helper-set LEVEL PROGRAM OUT */
#include "host/host.h"
#include "pipeline.h"

#include <stdio.h>
#include <stdlib.h>

static char *
read_all(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    if (f != NULL && fseek(f, 0, SEEK_END) == 0) {
        *n = (size_t)ftell(f);
        rewind(f);
        text = malloc(*n + 1);
        if (text != NULL && fread(text, 1, *n, f) != *n) {
            free(text);
            text = NULL;
        }
    }
    if (f != NULL) {
        fclose(f);
    }
    return text;
}

static bool
make(Unit *u, char **argv)
{
    size_t n = 0;
    PassOptions passes = {0};
    char *text = read_all(argv[2], &n);
    if (text == NULL) {
        fprintf(stderr, "helper-set: %s cannot be read\n", argv[2]);
        return false;
    }
    bool ok = tikc_compile(u, argv[2], text, n, &passes);
    if (ok) {
        tikc_tile(u->kernels.p, (int)u->kernels.n, &passes);
        HostOptions opt = {.opt_level = 2, .level = argv[1]};
        ok = tikc_host_api()->emit(u, u->kernels.p, (int)u->kernels.n, HOST_HELPERS, &opt,
                                   argv[3]);
    }
    free(text);
    return ok;
}

int
main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: helper-set LEVEL PROGRAM OUT\n");
        return 2;
    }
    Unit u;
    unit_init(&u);
    bool ok = make(&u, argv);
    Text t;
    text_init(&t, &u.arena);
    diag_render_all(&u, DIAG_TEXT, &t);
    fputs(t.p, stderr);
    unit_free(&u);
    return ok ? 0 : 1;
}
