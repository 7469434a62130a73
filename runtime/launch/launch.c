/* launch.c: runs the cores of a compiled kernel on threads, and what compiled code calls when it must
 * check an instruction while running.
 *
 * Each thread has one scratch, used by its cores one after another. Cores of one kernel are
 * independent (the kernel says so, or asks for order), so every schedule gives the same bytes; of
 * several faults that of the lowest core is reported. A core that faults stops; the others may have
 * run or not. */
#include "launch/bind.h"
#include "launch/error.h"
#include "launch/pages.h"

#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

struct TikCore {
    const TikKernel *kernel;
    uint8_t *const *args;
    int32_t index;
    bool faulted;
    TikError fault;
};

static void
record(TikCore *core, Rule rule, const char *text, int32_t place)
{
    if (core->faulted) {
        return;
    }
    core->faulted = true;
    launch_error(&core->fault, TIK_ERR_FAULT, rule_table[rule].name, "%s", text);
    if (place >= 0 && place < core->kernel->nplaces) {
        const TikPlace *p = &core->kernel->places[place];
        snprintf(core->fault.place, sizeof core->fault.place, "%s:%" PRIu32 ":%" PRIu32,
                 p->file, p->line, p->column);
    }
}

int
tikrt_fault(TikCore *core, int32_t rule, int64_t value, int32_t place)
{
    char text[240];
    error_rule_text((Rule)rule, value, text, sizeof text);
    record(core, (Rule)rule, text, place);
    return 1;
}

static CheckTensor
tensor(const TikCore *core, const TikCheckArg *arg, int64_t offset)
{
    CheckTensor t = {.buffer = arg->buffer,
                     .scope = (Scope)arg->scope,
                     .dtype = (Dtype)arg->dtype,
                     .offset = offset,
                     .bytes = arg->bytes};
    if (arg->list > 0) {
        t.items = (int32_t)core->kernel->params[arg->list - 1].elems;
        t.item = (const ListItem *)(const void *)core->args[arg->list - 1];
    }
    return t;
}

/* Fills one operand from the constant part and the values; gives how many values it took. */
static int
fill_arg(const TikCore *core, CheckArg *out, Role role, const TikCheckArg *arg,
         const int64_t *values)
{
    switch (role) {
    case ROLE_DST:
    case ROLE_SRC:
        out->t = tensor(core, arg, values[0]);
        return 1;
    case ROLE_MASK:
        out->m.form = (MaskForm)arg->mask_form;
        for (int i = 0; i < 4; i++) {
            out->m.w[i] = (uint64_t)values[i];
        }
        return 4;
    case ROLE_MASKMODE:
        return 0;
    case ROLE_REPEAT:
    case ROLE_INT:
    case ROLE_SCALAR:
    case ROLE_ATTR:
        out->v = values[0];
        out->literal = arg->literal != 0;
        return 1;
    }
    return 0;
}

int
tikrt_check(TikCore *core, const TikCheck *check, const int64_t *values)
{
    CheckInstr in = {.op = (Op)check->op, .soc = soc_find(check->soc)};
    Fault fault;
    if (check->op == OP_COUNT) { /* an access to one element */
        fill_arg(core, &in.args[0], ROLE_DST, &check->args[0], values);
        if (check_element(&in.args[0].t, &fault)) {
            return 0;
        }
        record(core, fault.rule, fault.text, check->place);
        return 1;
    }
    int n;
    const ParamInfo *params = form_params(op_table[in.op].form, &n);
    for (int i = 0; i < n; i++) {
        values += fill_arg(core, &in.args[i], params[i].role, &check->args[i], values);
    }
    if (check_values(&in, &fault)) {
        return 0;
    }
    record(core, fault.rule, fault.text, check->place);
    return 1;
}

/* ---- cores over threads --------------------------------------------------------------------------- */

/* One launch; threads share it. lowest and error are written in a critical section only. */
typedef struct Launch {
    const TikKernel *kernel;
    uint8_t *const *args;
    int32_t lowest; /* core of error */
    TikError error;
} Launch;

static void
note_error(Launch *l, int32_t core, const TikError *e)
{
#pragma omp critical(tik_launch_error)
    if (core < l->lowest) {
#pragma omp atomic write
        l->lowest = core;
        l->error = *e;
    }
}

static bool
hopeless(Launch *l, int32_t core)
{
    int32_t lowest;
#pragma omp atomic read
    lowest = l->lowest;
    return core > lowest;
}

static void
run_core(Launch *l, int32_t index, uint8_t *scratch)
{
    const TikKernel *k = l->kernel;
    TikCore core = {.kernel = k, .args = l->args, .index = index};
    if (hopeless(l, index)) {
        return;
    }
    if (k->fill_scratch) {
        memset(scratch, 0xff, (size_t)k->scratch_bytes);
    }
    if (k->entry(l->args, index, scratch, &core) != 0) {
        note_error(l, index, &core.fault);
    }
}

static void
run_thread(Launch *l)
{
    const TikKernel *k = l->kernel;
    uint8_t *scratch = pages_alloc(k->scratch_bytes);
    if (scratch == NULL) {
        TikError e;
        launch_error(&e, TIK_ERR_IO, "limit-memory",
                     "not enough memory for %" PRId64 " bytes of scratch",
                     k->scratch_bytes);
        note_error(l, -1, &e);
    }
    /* Every thread reaches the loop, or the others would wait for it. */
#pragma omp for schedule(dynamic, 1)
    for (int32_t i = 0; i < k->cores; i++) {
        if (scratch != NULL) {
            run_core(l, i, scratch);
        }
    }
    pages_free(scratch, k->scratch_bytes);
}

static int
thread_count(const TikKernel *k, int threads)
{
    if (k->ordered) {
        return 1;
    }
    int n = threads > 0 ? threads : omp_get_max_threads();
    return n < k->cores ? n : k->cores;
}

enum {
    MAX_ARGS = 4096
};

static bool
run(const TikKernel *k, uint8_t *const *args, int threads, TikError *err)
{
    Launch l = {.kernel = k, .args = args, .lowest = INT32_MAX};
    int n = thread_count(k, threads);
#pragma omp parallel num_threads(n)
    run_thread(&l);
    if (l.lowest == INT32_MAX) {
        return true;
    }
    if (err != NULL) {
        *err = l.error;
    }
    return false;
}

bool
tik_launch(const TikKernel *k, TikArray *const *arrays, int threads, TikError *err)
{
    if (k->nparams < 0 || k->nparams > MAX_ARGS || k->cores < 1 || k->scratch_bytes < 0 ||
        soc_find(k->soc) == NULL) {
        return launch_error(err, TIK_ERR_USAGE, "usage",
                            "'%s' is not a kernel of this library", k->name);
    }
    Bound bound;
    bool ok = bound_init(&bound, k->params, k->nparams, arrays, err) &&
              run(k, bound.args, threads, err);
    bound_free(&bound);
    return ok;
}
