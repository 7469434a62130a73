/* share.c: helper functions that the kernels of one session share. A helper is known by
 * its text, as LLVM prints it before it is optimised; in place of its name, of numbers
 * that are the module's, and of names of private constants, the text has nothing, nothing
 * and their values. All functions of a session have the same attributes, so those need
 * not be compared; metadata only says what is likely and what is not read again soon.
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

#define PREFIX "tik."     /* names of helpers begin with it, those of kernels do not */
#define OWN    "tik.self" /* the name of a helper while its text is made */

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

/* ---- texts --------------------------------------------------------------- */

static bool
is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '.' || c == '_' || c == '$' || c == '-';
}

static size_t
name_length(const char *at)
{
    size_t n = 0;
    while (is_name_char(at[n])) {
        n++;
    }
    return n;
}

/* Adds what a global name stands for. Functions of the runtime library and of LLVM are
 * named for the whole session. False: something that cannot be shared. */
static bool
add_global(Text *out, LLVMModuleRef mod, const char *name, size_t n)
{
    char *copy = arena_strndup(out->arena, name, n);
    LLVMValueRef constant = LLVMGetNamedGlobal(mod, copy);
    if (constant == NULL) {
        text_putn(out, name, n);
        return n > 0 && (strcmp(copy, OWN) == 0 || strncmp(copy, PREFIX, strlen(PREFIX)));
    }
    if (LLVMGetLinkage(constant) != LLVMPrivateLinkage ||
        !LLVMIsGlobalConstant(constant)) {
        return false;
    }
    char *value = LLVMPrintValueToString(LLVMGetInitializer(constant));
    bool plain = strchr(value, '@') == NULL;
    text_printf(out, "{%s align %u}", value, LLVMGetAlignment(constant));
    LLVMDisposeMessage(value);
    return plain;
}

/* Returns whether the function can be shared; its text goes to out. */
static bool
make_text(Text *out, LLVMModuleRef mod, const char *printed)
{
    const char *at = strstr(printed, "define ");
    if (at == NULL) {
        return false;
    }
    for (;;) {
        size_t n = strcspn(at, "@#!\"");
        text_putn(out, at, n);
        at += n;
        if (*at == '\0') {
            return true;
        }
        if (*at == '"') {
            return false; /* a name that is not plain */
        }
        if (*at == '@') {
            n = name_length(at + 1);
            if (!add_global(out, mod, at + 1, n)) {
                return false;
            }
            at += 1 + n;
        } else {
            text_putc(out, *at++);
            at += strspn(at, "0123456789");
        }
    }
}

static bool
text_of(LLVMModuleRef mod, LLVMValueRef fn, Text *out)
{
    LLVMSetValueName2(fn, OWN, strlen(OWN));
    char *printed = LLVMPrintValueToString(fn);
    bool ok = make_text(out, mod, printed);
    LLVMDisposeMessage(printed);
    return ok;
}

static uint64_t
hash_of(const char *p, size_t n)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ (uint8_t)p[i]) * 1099511628211u;
    }
    return hash;
}

/* ---- sharing ------------------------------------------------------------- */

static const KnownHelper *
find(const Helpers *h, uint64_t hash, const char *text)
{
    for (uint32_t i = 0; i < h->known.n; i++) {
        const KnownHelper *k = &h->known.p[i];
        if (k->hash == hash && strcmp(k->text, text) == 0) {
            return k;
        }
    }
    return NULL;
}

static void
replace(LLVMModuleRef mod, LLVMValueRef fn, const KnownHelper *k)
{
    LLVMValueRef known = LLVMGetNamedFunction(mod, k->symbol);
    if (known == NULL) {
        known = LLVMAddFunction(mod, k->symbol, LLVMGlobalGetValueType(fn));
    }
    LLVMReplaceAllUsesWith(fn, known);
    LLVMDeleteFunction(fn);
}

static void
share(Helpers *h, LLVMModuleRef mod, LLVMValueRef fn, Code *c)
{
    Arena scratch;
    arena_init(&scratch);
    Text text;
    text_init(&text, &scratch);
    bool ok = text_of(mod, fn, &text);
    uint64_t hash = hash_of(text.p, text.n);
    const KnownHelper *k = ok ? find(h, hash, text.p) : NULL;
    if (k != NULL) {
        h->count.shared++;
        if (k->owner != c) {
            hold(c, k->owner);
        }
        replace(mod, fn, k);
    } else {
        const char *symbol = arena_printf(&c->arena, PREFIX "%" PRIi64, h->count.made++);
        LLVMSetValueName2(fn, symbol, strlen(symbol));
        if (ok) {
            LLVMSetLinkage(fn, LLVMExternalLinkage);
            c->has_helpers = true;
            c->bytes += (int64_t)text.n;
            KnownHelper new = {hash, arena_strndup(&c->arena, text.p, text.n), symbol, c};
            VEC_PUSH(&h->arena, &h->known, new);
        }
    }
    arena_free(&scratch);
}

static bool
is_helper(LLVMValueRef fn)
{
    size_t n;
    return LLVMGetLinkage(fn) == LLVMInternalLinkage &&
           strncmp(LLVMGetValueName2(fn, &n), PREFIX, strlen(PREFIX)) == 0;
}

/* Private constants of helpers that are elsewhere now would stay in the object. */
static void
drop_constants(LLVMModuleRef mod)
{
    LLVMValueRef next;
    for (LLVMValueRef g = LLVMGetFirstGlobal(mod); g != NULL; g = next) {
        next = LLVMGetNextGlobal(g);
        if (LLVMGetLinkage(g) == LLVMPrivateLinkage && LLVMGetFirstUse(g) == NULL) {
            LLVMDeleteGlobal(g);
        }
    }
}

void
helpers_share(Helpers *h, LLVMModuleRef mod, Code *c)
{
    LLVMValueRef next;
    for (LLVMValueRef fn = LLVMGetFirstFunction(mod); fn != NULL; fn = next) {
        next = LLVMGetNextFunction(fn);
        if (is_helper(fn)) {
            share(h, mod, fn, c);
        }
    }
    drop_constants(mod);
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
    arena_free(&h->arena);
}
