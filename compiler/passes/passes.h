/* passes.h: passes over kernel IR. One file per pass, one signature; pass.def has their
 * order and what each needs and gives, the head comment of each file says it in full,
 * with what the pass never does. */
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
    unsigned needs; /* facts */
    unsigned gives;
    bool (*run)(Kernel *k);
    const char *what;
} PassInfo;

extern const PassInfo pass_table[];
extern const int pass_count;

/* The pass of that name, or null. */
const PassInfo *pass_find(const char *name);

/* Passes in the order in which they run. */
typedef VEC(const PassInfo *) PassList;

/* All of them, in the order of pass.def. The list lies in the arena. */
PassList passes_all(Arena *arena);
/* A fact that a pass of the list needs and that none before it gives; the pass is then in
 * *which. 0: there is none. The fact sound comes with the kernel. */
unsigned passes_missing(const PassList *list, const PassInfo **which);
/* The shortest list that ends with the pass and lacks no fact, as names with commas
 * between them. */
void passes_put_closure(const PassInfo *last, Text *out);

/* What is to run, and what the driver wants to see on the way. */
typedef struct PassOptions {
    const char *print_after; /* name of a pass or null */
    bool verify_each;        /* ir_verify between passes */
    Text *out;               /* where print_after goes */
    const PassList *only;    /* null: all passes */
} PassOptions;

/* Runs the passes. One whose facts are missing because another failed is left out; the
 * others run, so that many errors are found at once. False: errors were added. */
bool MUST_USE passes_run(Kernel *k, const PassOptions *opt);

#endif
