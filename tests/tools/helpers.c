/* helpers.c: says of each file how many helper functions its kernels have the host back
 * end compile, and how many of theirs are in the set that was compiled with the library
 * (host/ready.h).
 *
 * usage: helpers [--soc NAME] FILE...
 *
 * A file is compiled in a session of its own, as programs of users are,
 * and gives a line '<compiled> <of the set> <file>'. Exit code 1: a file is refused. */
#include "host/host.h"
#include "pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *
read_text(Arena *a, const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    Text t;
    char part[4096];
    text_init(&t, a);
    for (size_t n; f && (n = fread(part, 1, sizeof part, f)) > 0;) {
        text_putn(&t, part, n);
    }
    if (f) {
        fclose(f);
    }
    *len = t.n;
    return f ? t.p : NULL;
}

/* Compiles the kernels of a unit in a session of their own. */
static bool
count_helpers(const HostApi *api, Unit *u, HostCount *count)
{
    PassOptions opt = {0};
    void *handle = NULL;
    int n = (int)u->kernels.n;
    TikKernel *entries = calloc((size_t)n, sizeof *entries);
    HostSession *s = api->open(u, &(HostOptions){.opt_level = 2});
    tikc_tile(u->kernels.p, n, &opt);
    bool ok = s && entries && api->jit(s, u->kernels.p, n, true, entries, &handle);
    if (ok) {
        *count = api->count(s);
        api->release(handle);
    }
    if (s) {
        api->close(s);
    }
    free(entries);
    return ok;
}

static bool
report(const HostApi *api, const char *soc, const char *path)
{
    Unit u;
    PassOptions opt = {0};
    HostCount count;
    size_t len;
    unit_init(&u);
    u.soc_fixed = soc != NULL;
    const char *text = read_text(&u.arena, path, &len);
    bool ok = text && (!soc || unit_set_soc(&u, soc)) &&
              tikc_compile(&u, path, text, len, &opt) && count_helpers(api, &u, &count);
    if (ok) {
        printf("%d %d %s\n", (int)count.made, (int)count.ready, path);
    } else {
        fprintf(stderr, "helpers: %s: %s\n", path,
                u.diags.n ? u.diags.p[0]->text : "cannot be read");
    }
    for (uint32_t i = 0; i < u.kernels.n; i++) {
        kernel_free(u.kernels.p[i]);
    }
    unit_free(&u);
    return ok;
}

int
main(int argc, char **argv)
{
    Unit u;
    unit_init(&u);
    const HostApi *api = host_open(&u);
    const char *soc = argc > 2 && strcmp(argv[1], "--soc") == 0 ? argv[2] : NULL;
    bool ok = api != NULL;
    for (int i = soc ? 3 : 1; ok && i < argc; i++) {
        ok = report(api, soc, argv[i]);
    }
    unit_free(&u);
    return ok ? 0 : 1;
}
