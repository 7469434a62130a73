/* share.c: helper functions that the kernels of one session share. A helper is known by
 * its key, the name that lowering gives it: that says all that its code depends on, so
 * the code of a known helper is not even made. Keys may be long, and a helper may be
 * compiled again after it was forgotten, so in the code helpers have numbers.
 *
 * The session keeps code that has helpers, up to a number of bytes, after its kernels
 * were released; then the oldest is forgotten. Code that others call stays until they
 * are released. */
#include "host/share.h"

#include <inttypes.h>
#include <string.h>

enum {
    KEPT_BYTES = 16 << 20
};

/* ---- code ---------------------------------------------------------------- */

Code *
code_new(void)
{
    Arena arena;
    arena_init(&arena);
    Code *c = ARENA_NEW(&arena, Code);
    c->arena = arena;
    c->holders = 1;
    return c;
}

void
code_drop(Code *c)
{
    if (--c->holders > 0) {
        return;
    }
    if (c->gdb != NULL) {
        gdb_forget(c->gdb);
    }
    if (c->tracker != NULL) {
        LLVMErrorRef error = LLVMOrcResourceTrackerRemove(c->tracker);
        if (error != NULL) {
            LLVMConsumeError(error);
        }
        LLVMOrcReleaseResourceTracker(c->tracker);
    }
    for (uint32_t i = 0; i < c->calls.n; i++) {
        code_drop(c->calls.p[i]);
    }
    Arena arena = c->arena; /* *c itself is allocated in it */
    arena_free(&arena);
}

static void
hold(Code *c, Code *called)
{
    for (uint32_t i = 0; i < c->calls.n; i++) {
        if (c->calls.p[i] == called) {
            return;
        }
    }
    VEC_PUSH(&c->arena, &c->calls, called);
    called->holders++;
}

/* ---- keys ---------------------------------------------------------------- */

static uint64_t
hash_of(const char *p)
{
    uint64_t hash = 14695981039346656037u;
    for (; *p != '\0'; p++) {
        hash = (hash ^ (uint8_t)*p) * 1099511628211u;
    }
    return hash;
}

static const KnownHelper *
find(const Helpers *h, const char *key)
{
    uint64_t hash = hash_of(key);
    for (uint32_t i = 0; i < h->known.n; i++) {
        const KnownHelper *k = &h->known.p[i];
        if (k->hash == hash && strcmp(k->key, key) == 0) {
            return k;
        }
    }
    return NULL;
}

static bool
take_ready(Helpers *h, const char *key)
{
    void *code = ready_find(&h->ready, key);
    if (code == NULL) {
        return false;
    }
    KnownHelper k = {.hash = hash_of(key),
                     .key = arena_strdup(&h->arena, key),
                     .symbol = arena_printf(&h->arena, HELPER_PREFIX "ready.%" PRIi64,
                                            h->count.ready++),
                     .address = (uintptr_t)code};
    VEC_PUSH(&h->arena, &h->known, k);
    return true;
}

bool
helpers_has(void *helpers, const char *key)
{
    return find(helpers, key) != NULL || take_ready(helpers, key);
}

/* ---- sharing ------------------------------------------------------------- */

static void
name(LLVMValueRef fn, const char *symbol)
{
    LLVMSetValueName2(fn, symbol, strlen(symbol));
}

/* The function is declared, since it was known. */
static void
use(Helpers *h, LLVMValueRef fn, const char *key, Code *c)
{
    const KnownHelper *k = find(h, key);
    if (k->owner != c) {
        h->count.shared++;
        if (k->owner != NULL) {
            hold(c, k->owner);
        }
    }
    name(fn, k->symbol);
}

static void
give(Helpers *h, LLVMValueRef fn, const char *key, Code *c)
{
    key = arena_strdup(&c->arena, key);
    const char *symbol =
        arena_printf(&c->arena, HELPER_PREFIX "%" PRIi64, h->count.made++);
    name(fn, symbol);
    LLVMSetLinkage(fn, LLVMExternalLinkage);
    c->has_helpers = true;
    c->bytes += (int64_t)strlen(key);
    KnownHelper k = {hash_of(key), key, symbol, .owner = c};
    VEC_PUSH(&h->arena, &h->known, k);
}

void
helpers_share(Helpers *h, LLVMModuleRef mod, Code *c)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(mod); fn != NULL;
         fn = LLVMGetNextFunction(fn)) {
        size_t n;
        const char *key = LLVMGetValueName2(fn, &n);
        if (strncmp(key, HELPER_PREFIX, strlen(HELPER_PREFIX)) == 0) {
            (LLVMIsDeclaration(fn) ? use : give)(h, fn, key, c);
        }
    }
}

/* ---- what is kept -------------------------------------------------------- */

void
helpers_forget(Helpers *h, const Code *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < h->known.n; i++) {
        if (h->known.p[i].owner != c) {
            h->known.p[n++] = h->known.p[i];
        }
    }
    h->known.n = n;
}

static void
drop_oldest(Helpers *h)
{
    Code *c = h->oldest;
    h->oldest = c->next;
    h->kept -= c->bytes;
    helpers_forget(h, c);
    code_drop(c);
}

void
helpers_keep(Helpers *h, Code *c)
{
    if (!c->has_helpers) {
        return;
    }
    c->holders++;
    if (h->oldest == NULL) {
        h->oldest = c;
    } else {
        h->newest->next = c;
    }
    h->newest = c;
    h->kept += c->bytes;
    while (h->kept > KEPT_BYTES && h->oldest != c) {
        drop_oldest(h);
    }
}

void
helpers_close(Helpers *h)
{
    while (h->oldest != NULL) {
        drop_oldest(h);
    }
    ready_close(&h->ready);
    arena_free(&h->arena);
}
