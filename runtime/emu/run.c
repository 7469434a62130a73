/* run.c: runs a program. It executes control, scalar operations and accesses to elements,
 * and calls the semantic functions of instructions. Cores run one after another in the
 * order of their index, each from fresh registers; the first fault ends the run. */
#include "emu/clock.h"
#include "emu/race.h"
#include "emu/shadow.h"
#include "isa/operand.h"

#include <stdlib.h>
#include <string.h>

bool
emu_exec_set_padding(EmuRun *r, const EmuOp *op)
{
    if (op->checked && !emu_check(r, op)) {
        return false;
    }
    r->padding = emu_slot(r, op, SETREG_value);
    return true;
}

static bool
run_alu(EmuRun *r, const EmuOp *op)
{
    int64_t b = scalar_op_table[op->op].arity < 2 ? 0 : emu_num(r, op->b);
    return scalar_eval((ScalarOp)op->op, (Dtype)op->dtype, (Dtype)op->from,
                       emu_num(r, op->a), b, &r->vals[op->reg]) ||
           emu_fault(r, op, RULE_DIV_ZERO, 0);
}

/* Returns the element of a LOAD or STORE; null when it recorded a fault. */
static uint8_t *
element(EmuRun *r, const EmuOp *op, int size)
{
    if (op->checked && !emu_check_element(r, op)) {
        return NULL;
    }
    uint8_t *at = emu_at(r, op->ref, size);
    if (at == NULL) {
        emu_refuse(r, op);
    }
    return at;
}

/* Elements are little endian, as everywhere in tensors. */
static bool
run_load(EmuRun *r, const EmuOp *op)
{
    int size = dtype_size((Dtype)op->dtype);
    const uint8_t *at = element(r, op, size);
    if (at == NULL) {
        return false;
    }
    uint64_t v = 0;
    for (int i = 0; i < size; i++) {
        v |= (uint64_t)at[i] << (8 * i);
    }
    r->vals[op->reg] = scalar_wrap((Dtype)op->dtype, (int64_t)v);
    return true;
}

static bool
run_store(EmuRun *r, const EmuOp *op)
{
    int size = dtype_size((Dtype)op->dtype);
    uint8_t *at = element(r, op, size);
    if (at == NULL) {
        return false;
    }
    uint64_t v = (uint64_t)emu_num(r, op->a);
    for (int i = 0; i < size; i++) {
        at[i] = (uint8_t)(v >> (8 * i));
    }
    return true;
}

/* Returns the index of the next op. */
static uint32_t
enter_loop(EmuRun *r, const EmuOp *op, uint32_t pc)
{
    int64_t begin = emu_num(r, op->a), end = emu_num(r, op->b);
    r->vals[op->reg] = begin;
    r->ends[op->depth] = end;
    return begin < end ? pc + 1 : op->target;
}

/* The counter belongs to the loop, unless an unverified body has a loop with the same
 * slot; the step limit ends loops that would not end by themselves. */
static uint32_t
next_iteration(EmuRun *r, const EmuOp *op, uint32_t pc)
{
    int64_t *counter = &r->vals[op->reg];
    if (*counter >= r->ends[op->depth] - 1) {
        return pc + 1;
    }
    ++*counter;
    return op->target;
}

static bool
out_of_steps(EmuRun *r, const EmuOp *op)
{
    *r->res = (EmuResult){.status = EMU_STEPS, .descriptor = op->index, .core = r->core};
    return false;
}

/* The mode check looks at what is about to be executed. */
static void
look_at(EmuRun *r, const EmuOp *op)
{
    if (r->races != NULL && op->kind >= DESC_LOAD) {
        race_step(r, op);
    }
    if (op->kind >= DESC_IF && op->kind < DESC_INSTR) {
        shadow_scalar(r, op);
    }
}

bool
emu_run_core(EmuRun *r)
{
    const EmuOp *ops = r->p->ops;
    uint32_t pc = r->pc;
    r->waits = 0;
    for (;;) {
        const EmuOp *op = &ops[pc];
        bool ok = true;
        if (r->steps++ >= r->step_limit) {
            return out_of_steps(r, op);
        }
        if (r->clock != NULL) {
            clock_step(r, op);
        }
        if (r->shadow != NULL) {
            look_at(r, op);
        }
        switch ((TikDescKind)op->kind) {
        case DESC_INSTR:
            if (r->shadow != NULL) {
                shadow_before(r, op);
            }
            ok = r->queues != NULL ? emu_queues_dispatch(r, op) : op->exec(r, op);
            if (r->shadow != NULL && ok) {
                shadow_after(r, op);
            }
            r->before = op;
            if (r->warned != NULL && ok) {
                emu_warn_numbers(r, op);
            }
            pc++;
            if (op->op == OP_BLOCK_BARRIER && ok) {
                r->waits = emu_slot(r, op, BARRIER_blocks);
                r->pc = pc;
                return true;
            }
            break;
        case DESC_ENDLOOP:
            pc = next_iteration(r, op, pc);
            break;
        case DESC_LOOP:
            if (r->shadow != NULL) {
                shadow_loop(r, op);
            }
            pc = enter_loop(r, op, pc);
            break;
        case DESC_IF:
            pc = emu_num(r, op->a) != 0 ? pc + 1 : op->target;
            break;
        case DESC_ELSE:
        case DESC_BREAK:
        case DESC_CONTINUE:
            pc = op->target;
            break;
        case DESC_ENDIF:
            pc++;
            break;
        case DESC_ALU:
            ok = run_alu(r, op);
            pc++;
            break;
        case DESC_LOAD:
            ok = run_load(r, op);
            pc++;
            break;
        case DESC_STORE:
            ok = run_store(r, op);
            pc++;
            break;
        case DESC_RETURN:
            if (r->queues != NULL) {
                return emu_queues_end(r, op);
            }
            emu_end_flags(r);
            return true;
        }
        if (!ok) {
            return false;
        }
    }
}

void
emu_start_core(EmuRun *r, uint32_t core)
{
    const EmuProgram *p = r->p;
    memset(r->vals, 0, p->first_const * sizeof *r->vals);
    r->vals[0] = core;
    r->core = core;
    memset(r->places, 0, p->kernel.nregions * sizeof *r->places);
    r->padding = 0;
    r->flags = (Flags){0};
    r->pc = 0;
    r->before = NULL;
    r->steps = 0;
    if ((p->kernel.flags & TIKBLOB_FILL_SCRATCH) != 0) {
        memset(p->scratch, 0xff, (size_t)p->scratch_bytes);
    }
    if (p->lmem_pitch > 0) {
        emu_lmem_reset(r);
    }
    shadow_core(r);
    race_core(r);
    clock_core(r);
    r->sreg = p->scratch + p->scope_at[SC_SREG];
    sreg_reset(r->sreg, core);
}

/* The bound counts descriptors only; ends, and a return per core, are steps here too. */
static uint64_t
step_limit(uint64_t bound)
{
    return bound == 0 || bound > UINT64_MAX / 8 ? UINT64_MAX : bound * 4 + 64;
}

/* Makes the queues of a run by a schedule. */
static bool
open_queues(EmuRun *r)
{
    const EmuKernel *k = &r->p->kernel;
    uint64_t seed = k->watch != NULL ? k->watch->schedule : 0;
    if (seed == 0 || (k->flags & TIKBLOB_QUEUES) == 0) {
        return true;
    }
    r->queues = emu_queues_new(seed);
    if (r->queues == NULL) {
        r->res->status = EMU_NO_MEMORY;
    }
    return r->queues != NULL;
}

static void
note_atomic(void *run, const AtomicWrite *w, const uint8_t *dst, const uint8_t *src,
            int64_t n)
{
    const EmuRun *r = run;
    peers_log_at(r->peers, r->core, dst, w, src, n);
}

/* Runs the cores of this process, one after another. */
static bool
run_cores(EmuRun *r)
{
    bool ok = true;
    uint32_t next = 0;
    int64_t cores;
    do {
        for (; next < r->cores && ok; next++) {
            if (!peers_has(r->peers, next)) {
                continue;
            }
            emu_start_core(r, next);
            ok = emu_run_core(r);
            if (ok && next == 0 && !emu_watch_dump(r)) {
                r->res->status = EMU_NO_MEMORY;
                ok = false;
            }
        }
        cores = r->cores;
        bool more = peers_agree(r->peers, ok, &cores);
        r->cores = (uint32_t)cores;
        if (!more) {
            return ok;
        }
    } while (true);
}

/* Ends the modes. Returns false if one of them had too little memory to look at all. */
static bool
whole(EmuRun *r)
{
    bool clock = clock_end(r);
    race_end(r);
    return shadow_end(r) && clock;
}

bool
emu_run(EmuProgram *p, EmuResult *res)
{
    *res = (EmuResult){.status = EMU_OK};
    EmuRun r = {.p = p, .res = res, .step_limit = step_limit(p->kernel.step_bound)};
    r.vals = malloc(((size_t)p->first_const + p->nconsts) * sizeof *r.vals);
    r.places = calloc((size_t)p->kernel.nregions + 1, sizeof *r.places);
    r.cores = p->kernel.cores;
    r.peers = p->kernel.watch != NULL ? p->kernel.watch->peers : NULL;
    r.log = (AtomicLog){note_atomic, &r};
    if (r.vals == NULL || r.places == NULL || !emu_warn_begin(&r) ||
        !emu_watch_begin(&r) || !shadow_begin(&r) || !race_begin(&r) ||
        !clock_begin(&r)) {
        (void)whole(&r);
        emu_watch_end(&r);
        emu_warn_end(&r);
        free(r.vals);
        free(r.places);
        res->status = EMU_NO_MEMORY;
        return false;
    }
    if (p->nconsts > 0) {
        memcpy(r.vals + p->first_const, p->consts, p->nconsts * sizeof *r.vals);
    }
    bool ok =
        open_queues(&r) && (p->barriers ? emu_run_with_barriers(&r) : run_cores(&r));
    if (!whole(&r) && ok) {
        res->status = EMU_NO_MEMORY;
        ok = false;
    }
    emu_queues_free(r.queues);
    emu_watch_end(&r);
    emu_warn_end(&r);
    free(r.places);
    free(r.vals);
    return ok;
}

bool
emu_run_program(const EmuKernel *k, const TikDesc *descs, uint32_t n, EmuResult *res)
{
    EmuProgram *p = emu_new(k, res);
    if (p == NULL) {
        return false;
    }
    bool ok = true;
    for (uint32_t i = 0; ok && i < n; i++) {
        ok = emu_add(p, &descs[i], res);
    }
    ok = ok && emu_finish(p, res) && emu_run(p, res);
    emu_free(p);
    return ok;
}
