/* resolve.h: decides where the names of a program live. Resolution runs once per module,
 * before evaluation, and marks every node that reads or binds a name (Ast.op = NamePlace,
 * Ast.slot), so that evaluation reads arrays. A function (and the module itself) is a
 * holder of slots; comprehensions and class bodies run inside their holder's frame.
 * Variables that inner functions read live in cells. */
#ifndef TIKC_PYTHON_RESOLVE_H
#define TIKC_PYTHON_RESOLVE_H

#include "python/core.h"

typedef enum NamePlace {
    PLACE_GLOBAL, /* module attribute number slot; built-in functions follow */
    PLACE_LOCAL,  /* frame slot */
    PLACE_CELL,   /* frame cell */
    /* the names of the class body, found by name, then as the rest of the name says */
    PLACE_CLASS_GLOBAL,
    PLACE_CLASS_LOCAL,
    PLACE_CLASS_CELL
} NamePlace;

typedef struct ParamSlot {
    Sym name;
    ParamKind kind;
    bool in_cell;
    uint32_t slot; /* index of a frame slot or cell */
    Ast *dflt;     /* or null */
} ParamSlot;

/* The variables of one function or module. */
typedef struct Locals {
    const char *name; /* name of the function, for messages */
    Span span;        /* span of its head */
    uint32_t nslots;
    Sym *slot_names; /* 0 for variables of comprehensions */
    uint32_t ncells;
    /* number of cells that each call makes; the others come from the enclosing frame */
    uint32_t nown;
    Sym *cell_names;
    uint32_t *outer;   /* for cell nown + i: its index in the enclosing frame's cells */
    ParamSlot *params; /* the parameters, without bare * and / */
    int nparams;
    int npos; /* the first npos parameters may be given by position */
    int npos_only;
    int star; /* index of *args and **kwargs in params, or -1 */
    int starstar;
    bool plain;      /* npos == nparams and no parameter lives in a cell */
    bool expression; /* true for a lambda: the body is an expression */
    Ast *body;
} Locals;

/* Cells that a comprehension makes anew each time it is entered (Ast.cache of AST_COMP);
 * may be null. */
typedef struct CompFacts {
    uint32_t n;
    uint32_t cell[];
} CompFacts;

/* Resolves a module's tree, or one expression evaluated in the module; returns the slots
 * of its top-level frame, or null after diagnostics. */
Locals *resolve_tree(Interp *in, struct ModuleVal *module, Ast *tree);

/* Resolves one node as a part of the module, without those below it. Returns false if its
 * name is no variable of the module yet, or its kind has rules of its own. */
bool resolve_node(Interp *in, const struct ModuleVal *module, Ast *n);

#endif
