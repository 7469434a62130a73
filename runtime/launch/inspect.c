/* inspect.c: finds out, before a launch, that its cores access different bytes of each
 * argument that the kernel writes, by the kernel's inspector (TikKernel.inspector): then
 * they may run at the same time although the compiler could not prove it. */
#include "launch/cores.h"

#include <stdlib.h>
#include <string.h>

enum {
    PAGE = 4096
};

/* Bytes [lo, hi) that an argument has in memory, or that a core accesses. */
typedef struct Range {
    int64_t lo, hi;
    int64_t written;
} Range;

/* The arguments of an inspector: those of the kernel, then the rows; then all sizes. */
typedef struct Inspection {
    Launch *launch;
    int64_t (*rows)[2];
    uint8_t **args;
    uint8_t *scratch;
} Inspection;

static int
by_lo(const void *a, const void *b)
{
    int64_t x = ((const Range *)a)->lo, y = ((const Range *)b)->lo;
    return (x > y) - (x < y);
}

/* Returns whether two ranges share bytes, one of which is written. */
static bool
any_shared(Range *r, int64_t n)
{
    int64_t end = INT64_MIN, written = INT64_MIN; /* of what came so far */
    qsort(r, (size_t)n, sizeof *r, by_lo);
    for (int64_t i = 0; i < n; i++) {
        if (r[i].lo >= r[i].hi) {
            continue;
        }
        if (r[i].lo < written || (r[i].written != 0 && r[i].lo < end)) {
            return true;
        }
        end = r[i].hi > end ? r[i].hi : end;
        written = r[i].written != 0 && r[i].hi > written ? r[i].hi : written;
    }
    return false;
}

bool
launch_arguments_apart(const Launch *l)
{
    const TikKernel *k = l->kernel;
    Range *r = calloc((size_t)k->nparams + 1, sizeof *r);
    for (int32_t i = 0; r != NULL && i < k->nparams; i++) {
        uintptr_t bytes = (uintptr_t)l->args[k->nparams + i];
        r[i].lo = (int64_t)(uintptr_t)l->args[i];
        r[i].hi = r[i].lo + (int64_t)bytes;
        r[i].written = k->params[i].unwritten == 0;
    }
    bool apart = r != NULL && !any_shared(r, k->nparams);
    free(r);
    return apart;
}

/* Runs the inspector of one core. */
static bool
inspect_core(const Inspection *in, int32_t core)
{
    const TikKernel *k = in->launch->kernel;
    TikCore state;
    launch_begin(&state, in->launch, core);
    bool ok = k->inspector(in->args, core, in->scratch, &state) == 0;
    edges_forget(&state);
    return ok;
}

/* Returns whether the cores access different bytes of a tensor. */
static bool
cores_apart(const Inspection *in, int32_t tensor, Range *r)
{
    const TikKernel *k = in->launch->kernel;
    for (int32_t i = 0; i < k->cores; i++) {
        const int64_t *row = in->rows[(int64_t)i * k->inspects + tensor];
        r[i] = (Range){row[0], row[1], 1};
    }
    return !any_shared(r, k->cores);
}

static bool
inspect(const Inspection *in)
{
    const TikKernel *k = in->launch->kernel;
    for (int32_t i = 0; i < k->cores; i++) {
        if (!inspect_core(in, i)) {
            return false;
        }
    }
    Range *r = calloc((size_t)k->cores, sizeof *r);
    bool apart = r != NULL;
    for (int32_t t = 0; apart && t < k->inspects; t++) {
        apart = cores_apart(in, t, r);
    }
    free(r);
    return apart;
}

/* Gives the rows what stands for a core that cannot tell, and the inspector its
 * arguments. */
static void
begin(const Inspection *in, int64_t rows)
{
    const TikKernel *k = in->launch->kernel;
    size_t n = (size_t)k->nparams;
    for (int64_t i = 0; i < rows; i++) {
        in->rows[i][0] = INT64_MIN;
        in->rows[i][1] = INT64_MAX;
    }
    memcpy(in->args, in->launch->args, n * sizeof *in->args);
    memcpy(in->args + n + 1, in->launch->args + n, n * sizeof *in->args);
    in->args[n] = (uint8_t *)in->rows;
    in->args[2 * n + 1] = (uint8_t *)(uintptr_t)(rows * (int64_t)sizeof *in->rows);
}

bool
launch_cores_apart(Launch *l)
{
    const TikKernel *k = l->kernel;
    int64_t rows = (int64_t)k->cores * k->inspects;
    size_t scratch = ((size_t)k->scratch_bytes + PAGE - 1) / PAGE * PAGE;
    Inspection in = {.launch = l,
                     .rows = calloc((size_t)rows + 1, sizeof *in.rows),
                     .args = calloc(2 * (size_t)k->nparams + 2, sizeof *in.args),
                     .scratch = aligned_alloc(PAGE, scratch + PAGE)};
    bool apart = in.rows != NULL && in.args != NULL && in.scratch != NULL;
    if (apart) {
        begin(&in, rows);
        apart = inspect(&in);
    }
    free(in.rows);
    free(in.args);
    free(in.scratch);
    return apart;
}
