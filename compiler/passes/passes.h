/* passes.h: passes over kernel IR. One file per pass, one signature; the head comment of each says
 * what it needs, what it guarantees and what it never does. */
#ifndef TIKC_PASSES_H
#define TIKC_PASSES_H

#include "ir/ir.h"

#define PASS(id, name, what) bool MUST_USE pass_##id(Kernel *k);
#include "passes/pass.def"

typedef struct PassInfo {
    const char *name;
    bool (*run)(Kernel *k);
    const char *what;
} PassInfo;

enum {
    MAX_PASSES = 16
};
extern const PassInfo pass_table[];
extern const int pass_count;

/* What the driver wants to see on the way. */
typedef struct PassOptions {
    const char *print_after; /* name of a pass or null */
    bool verify_each;        /* ir_verify between passes */
    Text *out;               /* where print_after goes */
} PassOptions;

/* Runs all passes until one fails; also runs the later ones that do not depend on it, so that many
 * errors are found in one run. False: errors were added. */
bool MUST_USE passes_run(Kernel *k, const PassOptions *opt);

/* Warns of arguments and Scalars that a recorded kernel leaves unset; for kernels of a program without errors (notice.c). */
void passes_notice(Kernel *k);

#endif
