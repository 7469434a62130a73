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
    int32_t written;
    int32_t of; /* number of the argument, or of the core */
} Range;

/* The runs that an inspector wrote about a tensor on a core. */
typedef struct Row {
    int64_t n; /* runs; -1: not told */
    int64_t run[TIK_INSPECT_RUNS][2];
} Row;

_Static_assert(sizeof(Row) == TIK_INSPECT_WORDS * sizeof(int64_t), "as tikrt.h says");

/* The arguments of an inspector: those of the kernel, then the rows; then all sizes. */
typedef struct Inspection {
    Launch *launch;
    Row *rows;
    uint8_t **args;
    uint8_t *scratch;
} Inspection;

static int
by_lo(const void *a, const void *b)
{
    int64_t x = ((const Range *)a)->lo, y = ((const Range *)b)->lo;
    return (x > y) - (x < y);
}

/* The ends of the ranges so far: the last one, and the last one of the others. */
typedef struct Ends {
    int64_t end, other;
    int32_t of; /* whose range has the last end */
} Ends;

static void
add_end(Ends *e, const Range *r)
{
    if (r->of == e->of) {
        e->end = r->hi > e->end ? r->hi : e->end;
    } else if (r->hi > e->end) {
        *e = (Ends){r->hi, e->end, r->of};
    } else {
        e->other = r->hi > e->other ? r->hi : e->other;
    }
}

static int64_t
end_of_others(const Ends *e, int32_t of)
{
    return of == e->of ? e->other : e->end;
}

/* Returns whether ranges of two arguments, or of two cores, share bytes, one of which is
 * written. */
static bool
any_shared(Range *r, int64_t n)
{
    Ends all = {INT64_MIN, INT64_MIN, -1}, written = all;
    qsort(r, (size_t)n, sizeof *r, by_lo);
    for (int64_t i = 0; i < n; i++) {
        if (r[i].lo >= r[i].hi) {
            continue;
        }
        if (r[i].lo < end_of_others(&written, r[i].of) ||
            (r[i].written != 0 && r[i].lo < end_of_others(&all, r[i].of))) {
            return true;
        }
        add_end(&all, &r[i]);
        if (r[i].written != 0) {
            add_end(&written, &r[i]);
        }
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
        r[i].of = i;
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

static Row *
row_of(const Inspection *in, int32_t core, int32_t tensor)
{
    return &in->rows[(int64_t)core * in->launch->kernel->inspects + tensor];
}

/* Returns how many runs the cores have of a tensor; -1: one cannot tell. */
static int64_t
runs_of(const Inspection *in, int32_t tensor)
{
    int64_t n = 0;
    for (int32_t i = 0; n >= 0 && i < in->launch->kernel->cores; i++) {
        int64_t some = row_of(in, i, tensor)->n;
        n = some < 0 ? -1 : n + some;
    }
    return n;
}

/* Returns whether the cores access different bytes of a tensor. */
static bool
cores_apart(const Inspection *in, int32_t tensor)
{
    int64_t runs = runs_of(in, tensor), n = 0;
    Range *r = runs < 0 ? NULL : calloc((size_t)runs + 1, sizeof *r);
    for (int32_t i = 0; r != NULL && i < in->launch->kernel->cores; i++) {
        const Row *row = row_of(in, i, tensor);
        for (int64_t k = 0; k < row->n; k++) {
            r[n++] = (Range){row->run[k][0], row->run[k][1], 1, i};
        }
    }
    bool apart = r != NULL && !any_shared(r, n);
    free(r);
    return apart;
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
    bool apart = true;
    for (int32_t t = 0; apart && t < k->inspects; t++) {
        apart = cores_apart(in, t);
    }
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
        in->rows[i].n = -1;
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
                     .rows = malloc((size_t)(rows + 1) * sizeof *in.rows),
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
