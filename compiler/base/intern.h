/* intern.h: represents names by small ids. Equal texts have equal Syms; SYM_NONE (0) is
 * "no name". */
#ifndef TIKC_INTERN_H
#define TIKC_INTERN_H

#include "base/arena.h"

typedef uint32_t Sym;
enum {
    SYM_NONE = 0
};

typedef struct InternEntry {
    const char *text; /* zero-ended, in the arena */
    uint32_t len;
    uint32_t hash;
} InternEntry;

typedef struct Interner {
    Arena *arena;
    InternEntry *entries; /* by Sym; entry 0 is the empty "no name" */
    uint32_t n;
    uint32_t cap;
    uint32_t *slots; /* open addressing, power of two, 0 = empty */
    uint32_t nslots;
} Interner;

/* The arena must outlive the interner. */
void intern_init(Interner *in, Arena *arena);
Sym intern(Interner *in, const char *text);
Sym intern_n(Interner *in, const char *text, size_t n);
/* Returns the zero-ended text of a symbol; it lives as long as the arena. */
const char *sym_text(const Interner *in, Sym s);
uint32_t sym_len(const Interner *in, Sym s);
/* Returns whether a text is a name of the language, in ASCII. */
bool intern_is_identifier(const char *text);

#endif
