/* control.c: instructions that compute nothing: flags and barriers of queues, the
 * reservation of buffers whose size is known only while running, the number of blocks,
 * and barriers of cores. */
#include "emu/emu.h"
#include "isa/operand.h"

static int64_t
rounded(int64_t v, int64_t unit)
{
    return (v + unit - 1) / unit * unit;
}

/* Places a region after the one before it, at the next address with its alignment. */
bool
emu_exec_reserve(EmuRun *r, const EmuOp *op)
{
    const EmuRef *ref = emu_slot_ref(r->p, op, RESERVE_buffer);
    const TikBlobRegion *g = &r->p->kernel.regions[ref->region];
    EmuPlace *place = &r->places[ref->region];
    const EmuPlace *before = &r->places[emu_slot_ref(r->p, op, RESERVE_after)->region];
    int64_t unit = scope_alloc_unit(g->scope), align = scope_align(g->scope, g->dtype);
    int64_t capacity = r->p->kernel.soc->bytes[g->scope];
    int64_t bytes = emu_slot(r, op, RESERVE_bytes);
    bytes = bytes < 0 ? 0 : bytes;
    if (bytes > capacity) {
        return emu_fault(r, op, RULE_CAPACITY, bytes);
    }
    int64_t at =
        rounded(before == place ? g->base : before->end, unit > align ? unit : align);
    int64_t end = at + rounded(bytes, unit) * emu_slot(r, op, RESERVE_copies);
    if (end > capacity) {
        return emu_fault(r, op, RULE_CAPACITY, bytes);
    }
    *place = (EmuPlace){at, bytes, end, scope_granule(g->scope, false, bytes)};
    return true;
}

/* When there are more blocks than cores were started, the cores after the last one run
 * too. Cores that wait for each other all exist from the beginning, so their number
 * cannot grow. */
bool
emu_exec_blocks(EmuRun *r, const EmuOp *op)
{
    if (op->checked && !emu_check(r, op)) {
        return false;
    }
    int64_t n = emu_slot(r, op, BLOCKS_count);
    int64_t most = r->p->barriers ? r->p->kernel.cores : TIKBLOB_MAX_CORES;
    if (n < 0 || n > most) {
        return emu_fault(r, op, RULE_BLOCK_COUNT, n);
    }
    r->cores = n > r->cores ? (uint32_t)n : r->cores;
    return true;
}

bool
emu_exec_nothing(EmuRun *r, const EmuOp *op)
{
    return !op->checked || emu_check(r, op);
}

bool
emu_exec_flag(EmuRun *r, const EmuOp *op)
{
    CheckInstr in;
    Fault fault;
    emu_instr(r, op, &in);
    return flag_step(&r->flags, &in, op, &fault) || emu_record(r, op, &fault);
}

static void
report_leftover(void *run, const void *op, const Fault *f)
{
    EmuSite site = {run, op};
    emu_warn(&site, f);
}

void
emu_end_flags(EmuRun *r)
{
    if (r->warned != NULL) {
        flag_leftovers(&r->flags, report_leftover, r);
    }
}

bool
emu_bind_control(EmuProgram *p, EmuOp *op, const char **why)
{
    *why = "a reservation is not of an open region";
    p->barriers = p->barriers || op_table[op->op].sem == SEM_BLOCK_BARRIER;
    return op_table[op->op].sem != SEM_RESERVE ||
           (emu_slot_ref(p, op, RESERVE_buffer)->open &&
            emu_slot_ref(p, op, RESERVE_after)->open);
}
