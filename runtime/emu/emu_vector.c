/* emu_vector.c: elementwise instructions on lanes: arithmetic, fills. Operands are emu_lane_io.c's business,
 * arithmetic that of emu_lanes*.c.
 *
 * The common case, a leading mask whose blocks and repeats touch each other, is one long run for the
 * whole instruction. Everything else goes repeat by repeat: read all lanes, then write the active ones. */
#include "emu/emu.h"

#include <string.h>

enum {
    MAX_SRCS = 2
};

bool
emu_bind_vector(EmuProgram *p, EmuOp *op, const char **why)
{
    int n;
    Form form = op_table[op->op].form;
    Dtype t = emu_slot_ref(p, op, form_main(form))->dtype;
    (void)form_params(form, &n);
    for (int i = 0; i < n; i++) {
        if (form_lanes(form, i) != NULL && emu_slot_ref(p, op, i)->dtype != t) {
            *why = "operands of a vector instruction differ in dtype";
            return false;
        }
    }
    emu_lanes_plan(p, op);
    op->lanes = emu_lane_fn((Op)op->op, t);
    op->dtype = (uint8_t)t;
    op->exec = emu_exec_vector;
    *why = "the vector instruction does not exist for its dtype";
    return op->lanes != NULL;
}

/* ---- execution -------------------------------------------------------------------------------------------- */

/* A source that a run may read while it writes dst: the same run, or no shared byte. */
static bool
separate(const uint8_t *dst, const uint8_t *src, int64_t bytes)
{
    uintptr_t d = (uintptr_t)dst, s = (uintptr_t)src;
    return d == s || d + (uintptr_t)bytes <= s || s + (uintptr_t)bytes <= d;
}

static bool
run_is_safe(const EmuLanes *c, int64_t n)
{
    for (int i = 1; i < c->n; i++) {
        if (!c->o[i].dense || !separate(c->o[0].at, c->o[i].at, n * c->o[0].size)) {
            return false;
        }
    }
    return !c->holes && c->o[0].dense;
}

/* The whole instruction as one run. False: it is not one. */
static bool
one_run(const EmuLanes *c, LaneFn *lanes, int64_t scalar)
{
    int64_t bytes = c->run * c->o[0].size;
    for (int i = 0; i < c->n; i++) {
        if (c->repeats > 1 && c->o[i].rep != bytes) {
            return false;
        }
    }
    int64_t n = (c->repeats - 1) * c->run + c->last;
    if (!run_is_safe(c, n)) {
        return false;
    }
    lanes(c->o[0].at, c->n > 1 ? c->o[1].at : NULL, c->n > 2 ? c->o[2].at : NULL, scalar,
          n);
    return true;
}

static void
each_repeat(EmuLanes *c, LaneFn *lanes, int64_t scalar)
{
    uint8_t result[REPEAT_BYTES];
    uint8_t buf[MAX_SRCS][REPEAT_BYTES];
    for (int64_t i = 0; i < c->repeats; i++) {
        int64_t n = i + 1 < c->repeats ? c->run : c->last;
        const uint8_t *src[MAX_SRCS] = {NULL, NULL};
        for (int s = 1; s < c->n; s++) {
            src[s - 1] = emu_lanes_load(&c->o[s], n, buf[s - 1]);
        }
        if (run_is_safe(c, n)) {
            lanes(c->o[0].at, src[0], src[1], scalar, n);
        } else {
            lanes(result, src[0], src[1], scalar, n);
            emu_lanes_store(c, n, result);
        }
        emu_lanes_step(c);
    }
}

bool
emu_exec_vector(EmuRun *r, const EmuOp *op)
{
    EmuLanes c;
    int64_t scalar = op->plan.scalar < 0 ? 0 : emu_slot(r, op, op->plan.scalar);
    if (!emu_lanes_open(r, op, &c)) {
        return false;
    }
    if (c.repeats > 0 && !one_run(&c, op->lanes, scalar)) {
        each_repeat(&c, op->lanes, scalar);
    }
    return true;
}
