/* facts.c: what is known of a name that stands in a text, from the evaluation of the
 * text or of an earlier one. */
#include "lsp/server.h"
#include "tik/call.h"

#include <string.h>

/* Returns how well a fact answers for a name that is read at an offset: the last place
 * before it in the same file is best. */
static int64_t
worth(const Document *d, const NameFact *f, size_t offset)
{
    const Source *src = &d->unit->sources.p[f->at.file];
    if (strcmp(src->path, d->path) != 0) {
        return 0;
    }
    bool before = f->at.begin <= offset;
    return before ? (int64_t)UINT32_MAX + f->at.begin
                  : (int64_t)(UINT32_MAX - f->at.begin);
}

const NameFact *
facts_find(const Document *d, const char *name, size_t n, bool attribute, size_t offset)
{
    const NameFact *best = NULL;
    const NameFacts *facts = d->unit ? d->unit->facts : NULL;
    for (uint32_t i = 0; facts && i < facts->all.n; i++) {
        const NameFact *f = &facts->all.p[i];
        const char *text = sym_text(&d->unit->names, f->name);
        if (f->attribute != attribute || strlen(text) != n ||
            memcmp(text, name, n) != 0) {
            continue;
        }
        if (!best || worth(d, f, offset) > worth(d, best, offset)) {
            best = f;
        }
    }
    return best;
}

bool
facts_owner(const Document *d, const char *name, size_t n, size_t offset,
            CallOwner *owner)
{
    const NameFact *f = facts_find(d, name, n, false, offset);
    f = f ? f : facts_find(d, name, n, true, offset);
    if (!f) {
        return false;
    }
    switch (f->kind) {
    case FACT_CONTAINER:
        *owner = OWNER_CONTAINER;
        return true;
    case FACT_TIK:
        *owner = OWNER_MODULE;
        return true;
    case FACT_TENSOR:
        *owner = OWNER_TENSOR;
        return true;
    case FACT_SCALAR:
    case FACT_EXPR:
        *owner = OWNER_SCALAR;
        return true;
    case FACT_VALUE:
    case FACT_OTHER:
        break;
    }
    return false;
}
