/* callee.c: see callee.h. */
#include "lsp/callee.h"

#include <string.h>

void
callee_find(Server *s, const Document *d, const LspCursor *c, CallTexts *out)
{
    if (!c->call) {
        return;
    }
    const char *name =
        arena_strndup(&s->scratch, d->text + c->callee.begin, slice_size(c->callee));
    CallTexts all = {0};
    CallOwner owner = OWNER_MODULE;
    size_t n = slice_size(c->callee_receiver);
    bool known = n > 0 && facts_owner(d, d->text + c->callee_receiver.begin, n,
                                      c->callee.begin, &owner);
    if (n == 0 || (!known && d->unit && d->unit->facts->all.n > 0)) {
        return;
    }
    call_texts(&s->scratch, name, &all);
    for (uint32_t i = 0; i < all.n; i++) {
        if (!known || all.p[i].owner == owner) {
            VEC_PUSH(&s->scratch, out, all.p[i]);
        }
    }
}

static bool
is_named(const char *name, const char *word, size_t n)
{
    return name && strlen(name) == n && memcmp(name, word, n) == 0;
}

int
callee_argument(const Document *d, const LspCursor *c, const Signature *sig)
{
    size_t n = slice_size(c->keyword);
    if (n == 0) {
        return c->arg < sig->n ? c->arg : -1;
    }
    for (int i = 0; i < sig->n; i++) {
        const char *word = d->text + c->keyword.begin;
        if (is_named(sig->args[i].name, word, n) ||
            is_named(sig->args[i].other, word, n)) {
            return i;
        }
    }
    return -1;
}
