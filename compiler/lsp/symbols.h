/* symbols.h: which names of a text are the same variable, by the rules of Python: a
 * function has variables of its own, the body of a class is seen only by itself. */
#ifndef TIKC_LSP_SYMBOLS_H
#define TIKC_LSP_SYMBOLS_H

#include "syntax/ast.h"

typedef struct Occurrence {
    Span at; /* the name itself */
    uint32_t variable;
    bool binds;
} Occurrence;

typedef struct Variable {
    Sym name;
    bool bound;     /* the text binds it; otherwise it is a built-in one, or unknown */
    bool parameter; /* of a function */
    bool attribute; /* of the body of a class */
} Variable;

typedef struct Symbols {
    VEC(Occurrence) all;
    VEC(Variable) variables;
} Symbols;

/* Collects the names of a parsed file of a unit, in the arena. */
void symbols_collect(const Unit *u, const Ast *module, Arena *a, Symbols *out);
/* Returns the occurrence at an offset, or null. */
const Occurrence *symbols_at(const Symbols *s, size_t offset);
/* Returns where a name stands as a word in a span, from an offset on; an empty span at
 * its beginning if it does not. */
Span symbols_word(const Unit *u, Span in, uint32_t from, const char *name);

#endif
