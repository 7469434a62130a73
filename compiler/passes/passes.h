/* passes.h: passes over kernel IR. There is one file for each pass, and one signature.
 * pass.def lists the order of the passes and what each needs and gives; the head comment
 * of each file states that in full, and what the pass never does. */
#ifndef TIKC_PASSES_H
#define TIKC_PASSES_H

#include "ir/ir.h"

#define PASS(id, name, needs, gives, what) bool MUST_USE pass_##id(Kernel *k);
#include "passes/pass.def"

enum {
#define FACT(id, name, what) FACT_INDEX_##id,
#include "passes/pass.def"
    FACT_COUNT
};

/* Facts about a kernel, as bits of a set. */
typedef enum Fact {
#define FACT(id, name, what) FACT_##id = 1 << FACT_INDEX_##id,
#include "passes/pass.def"
    FACT_LAST = 1 << FACT_COUNT
} Fact;

typedef struct FactInfo {
    const char *name;
    const char *what;
} FactInfo;

extern const FactInfo fact_table[FACT_COUNT];

typedef struct PassInfo {
    const char *name;
    unsigned needs; /* the facts that it needs */
    unsigned gives;
    bool (*run)(Kernel *k);
    const char *what;
} PassInfo;

extern const PassInfo pass_table[];
extern const int pass_count;

/* Returns the pass of that name, or null. */
const PassInfo *pass_find(const char *name);

/* Passes in the order in which they run. */
typedef VEC(const PassInfo *) PassList;

/* Returns all passes in the order of pass.def. The list is allocated in the arena. */
PassList passes_all(Arena *arena);
/* Returns a fact that a pass of the list needs and that no earlier pass gives, and that
 * pass in *which; 0 if there is no such fact. The fact sound comes with the kernel. */
unsigned passes_missing(const PassList *list, const PassInfo **which);
/* Puts the shortest list that ends with the pass and lacks no fact, as names separated by
 * commas. */
void passes_put_closure(const PassInfo *last, Text *out);

/* The passes to run, and what the driver prints between them. */
typedef struct PassOptions {
    const char *print_after; /* name of a pass, or null */
    bool verify_each;        /* ir_verify between passes */
    Text *out;               /* where print_after goes */
    const PassList *only;    /* null: all passes */
    const PassList *without; /* passes that are left out; null: none */
    /* called with each kernel before its first pass; may be null */
    void (*begin)(void *to, const Kernel *k);
    void *to;
} PassOptions;

/* Runs the passes. A pass whose facts are missing because another pass failed is left
 * out; the others run, so that one run finds as many errors as possible. False: errors
 * were added. */
bool MUST_USE passes_run(Kernel *k, const PassOptions *opt);

/* Runs the passes of the host back end over a copy of a kernel that all others accepted,
 * and returns the copy, which the caller frees; null: they changed nothing. */
Kernel *passes_host(const Kernel *k, const PassOptions *opt);

/* Returns the inspector of a kernel that all passes accepted, which the caller frees;
 * null: it has none (inspector.c). */
Kernel *passes_inspector(const Kernel *k);

#endif
