/* native.c: machine code of a Tikc's kernels in this process (tikc_native). It is part of
 * the shared library only, since it opens libtikc-host.so, which a static program cannot
 * do. See tikc.h. */
#include "host/host.h"
#include "lib/face.h"

enum {
    OPT_LEVEL = 2 /* of the tool, too */
};

typedef struct Code {
    Kernel *kernel;
    TikKernel entry;
    void *handle;
} Code;

struct Native {
    const HostApi *api;
    HostSession *session;
    VEC(Code *) codes;
};

static void
end_native(Tikc *t)
{
    struct Native *n = t->native;
    for (uint32_t i = 0; i < n->codes.n; i++) {
        n->api->release(n->codes.p[i]->handle);
    }
    if (n->session) {
        n->api->close(n->session);
    }
}

static bool
begin(Tikc *t)
{
    if (t->native) {
        return true;
    }
    const HostApi *api = host_open(&t->unit);
    HostSession *s =
        api ? api->open(&t->unit, &(HostOptions){.opt_level = OPT_LEVEL}) : NULL;
    if (!s) {
        return false;
    }
    t->native = ARENA_NEW(&t->unit.arena, struct Native);
    t->native->api = api;
    t->native->session = s;
    t->end_native = end_native;
    return true;
}

static Code *
find(const struct Native *n, const Kernel *k)
{
    for (uint32_t i = 0; i < n->codes.n; i++) {
        if (n->codes.p[i]->kernel == k) {
            return n->codes.p[i];
        }
    }
    return NULL;
}

static bool
compile(Tikc *t, Kernel *k)
{
    Code *c = ARENA_NEW(&t->unit.arena, Code);
    c->kernel = k;
    tikc_tile(&k, 1, NULL);
    if (!t->native->api->jit(t->native->session, &k, 1, false, &c->entry, &c->handle)) {
        return false;
    }
    VEC_PUSH(&t->unit.arena, &t->native->codes, c);
    return true;
}

bool
tikc_native(Tikc *t, int kernel, const TikKernel **entry)
{
    Unit *u = &t->unit;
    if (!t->good || kernel < 0 || kernel >= tikc_kernels(t)) {
        diag_add(u, D_USAGE, (Span){0}, 0, "there is no compiled kernel %d", kernel);
        return false;
    }
    Kernel *k = u->kernels.p[kernel];
    if (!begin(t) || (!find(t->native, k) && !compile(t, k))) {
        return false;
    }
    *entry = &find(t->native, k)->entry;
    return true;
}
