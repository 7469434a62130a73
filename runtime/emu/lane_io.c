/* lane_io.c: operands that are addressed by vector lanes: masks, repeats, block and
 * repeat strides (vector 1.1 to 1.5). The file of each family computes on the lanes. */

/* ASSUMES mask-words: a mask has no bits of lanes that do not exist. */
#include "emu/emu.h"

#include <string.h>

/* ---- masks --------------------------------------------------------------- */

/* Reads a mask of bits; the run of lanes goes up to the highest bit. */
static bool
read_bits(const EmuRun *r, const EmuOp *op, EmuLanes *c)
{
    uint64_t w[MAX_LANES / 64] = {0};
    int words = mask_words((MaskForm)op->mask_form);
    int64_t highest = -1, on = 0;
    for (int i = 0; i < words; i++) {
        w[i] = (uint64_t)emu_num(r, op->mask[i]);
        on += __builtin_popcountll(w[i]);
        highest = w[i] != 0 ? 64 * i + 63 - __builtin_clzll(w[i]) : highest;
    }
    c->run = c->last = highest + 1;
    c->holes = on != c->run;
    if (highest < 0 || c->run > c->lanes) {
        return false;
    }
    if (c->holes) { /* little endian, as in all of the emulator */
        c->rows->unpack(c->mask.on, (const uint8_t *)w, c->lanes);
        memcpy(c->mask.bits, w, sizeof w);
        c->mask.lanes = c->lanes;
    }
    return true;
}

/* Reads the lanes, and in counter mode the repeats. Returns false when a number is out of
 * its range. */
static bool
read_mask(const EmuRun *r, const EmuOp *op, EmuLanes *c)
{
    int64_t full = c->lanes;
    int64_t count = emu_num(r, op->mask[0]);
    switch ((MaskForm)op->mask_form) {
    case MASK_COUNT:
        c->run = c->last = count;
        return count >= 1 && count <= full;
    case MASK_BITS:
    case MASK_BITS4:
        return read_bits(r, op, c);
    case MASK_COUNTER:
        if (count < 1 || count > UINT32_MAX) {
            return false;
        }
        c->repeats = (count + full - 1) / full;
        c->last = count - (c->repeats - 1) * full;
        c->run = c->repeats > 1 ? full : c->last;
        return true;
    }
    return false;
}

/* ---- operands ------------------------------------------------------------ */

/* Returns the bytes from the start of a repeat to the end of its n leading lanes. */
static int64_t
run_bytes(const EmuLane *o, int64_t n)
{
    uint64_t last = (uint64_t)((n - 1) << o->shift) / BLOCK_BYTES;
    int64_t end = (int64_t)last * o->blk + (n << o->shift) - (int64_t)last * BLOCK_BYTES;
    return last > 0 && end < BLOCK_BYTES ? BLOCK_BYTES : end;
}

static int64_t
extent(const EmuLanes *c, const EmuLane *o)
{
    int64_t end = (c->repeats - 1) * o->rep + run_bytes(o, c->last);
    int64_t before =
        c->repeats > 1 ? (c->repeats - 2) * o->rep + run_bytes(o, c->run) : 0;
    return end > before ? end : before;
}

/* Gives strides in bytes; false when they are out of their ranges. */
static bool
read_strides(const EmuRun *r, const EmuOp *op, int i, const EmuLanes *c, EmuLane *o)
{
    const EmuLanePlan *p = &op->plan;
    int64_t blocks = (int64_t)((uint64_t)c->lanes << o->shift) / BLOCK_BYTES;
    int64_t blk = p->o[i].blk < 0 ? 1 : emu_slot(r, op, p->o[i].blk);
    int64_t rep = p->o[i].rep < 0 ? blocks : emu_slot(r, op, p->o[i].rep);
    int64_t unit = p->unit < 0 ? 0 : emu_slot(r, op, p->unit);
    if (blk < 0 || blk > p->o[i].blk_most || rep < 0 || rep > p->o[i].rep_most ||
        unit < 0 || unit > 3) {
        return false;
    }
    blk = blk == 0 && p->o[i].blk0_is_1 && unit < 2 ? 1 : blk;
    o->blk = unit < 2 ? blk * BLOCK_BYTES : BLOCK_BYTES + blk * o->size;
    o->rep = unit < 2 ? rep * BLOCK_BYTES : rep << o->shift;
    if (unit & 1) {
        o->rep += (blocks - 1) * o->blk + BLOCK_BYTES;
    }
    o->dense = o->blk == BLOCK_BYTES || c->run << o->shift <= BLOCK_BYTES;
    return true;
}

static bool
read_operands(const EmuRun *r, const EmuOp *op, EmuLanes *c)
{
    c->n = op->plan.n;
    for (int i = 0; i < c->n; i++) {
        EmuLane *o = &c->o[i];
        o->size = op->plan.o[i].size;
        o->shift = op->plan.o[i].shift;
        if (!read_strides(r, op, i, c, o)) {
            return false;
        }
        o->at = emu_operand(r, op, op->plan.o[i].slot, extent(c, o));
        if (o->at == NULL) {
            return false;
        }
    }
    return true;
}

/* Returns the largest legal value of a number. Without a slot any default is legal. */
static uint16_t
most(const ParamInfo *params, int slot)
{
    return slot < 0 || params[slot].hi > UINT16_MAX ? UINT16_MAX
                                                    : (uint16_t)params[slot].hi;
}

void
emu_lanes_plan(const EmuProgram *p, EmuOp *op)
{
    int n, widest = 1;
    Form form = op_table[op->op].form;
    EmuLanePlan *plan = &op->plan;
    const ParamInfo *params = form_params(form, &n);
    plan->n = 0;
    plan->repeat = (int8_t)form_first(form, ROLE_REPEAT);
    plan->unit = (int8_t)form_slot(form, ROLE_ATTR, "stride_unit");
    plan->scalar = (int8_t)form_first(form, ROLE_SCALAR);
    plan->repeat_most = most(params, plan->repeat);
    plan->masked = form_first(form, ROLE_MASK) >= 0;
    for (int i = 0; i < n; i++) {
        if (form_is_vector(form, i)) {
            LaneOperand l = form_lanes(form, i);
            int size = dtype_size(emu_slot_ref(p, op, i)->dtype);
            plan->o[plan->n].slot = (int8_t)i;
            plan->o[plan->n].blk = (int8_t)l.blk;
            plan->o[plan->n].rep = (int8_t)l.rep;
            plan->o[plan->n].blk_most = most(params, l.blk);
            plan->o[plan->n].rep_most = most(params, l.rep);
            plan->o[plan->n].blk0_is_1 = form_blk0_is_1(form, i, &p->kernel.choices);
            plan->o[plan->n].shift = (uint8_t)__builtin_ctz((unsigned)size);
            plan->o[plan->n++].size = (uint8_t)size;
            widest = size > widest ? size : widest;
        }
    }
    plan->lanes = (uint16_t)(REPEAT_BYTES / widest);
}

bool
emu_lanes_open(EmuRun *r, const EmuOp *op, EmuLanes *c)
{
    const EmuLanePlan *plan = &op->plan;
    c->rows = r->p->rows;
    c->lanes = plan->lanes;
    c->run = c->last = c->lanes;
    c->holes = false;
    c->repeats = plan->repeat < 0 ? 1 : emu_slot(r, op, plan->repeat);
    if (op->checked && !emu_check(r, op)) {
        return false;
    }
    if (!plan->masked || op->mask_form != MASK_COUNTER) {
        if (c->repeats < 0 || c->repeats > plan->repeat_most) {
            return emu_refuse(r, op);
        }
        if (c->repeats == 0) {
            return true;
        }
    }
    return ((!plan->masked || read_mask(r, op, c)) && read_operands(r, op, c)) ||
           emu_refuse(r, op);
}

/* ---- one repeat ---------------------------------------------------------- */

/* Copies bytes in blocks; steps are the distances of blocks. */
static inline void
copy_blocks(uint8_t *to, int64_t to_step, const uint8_t *from, int64_t from_step,
            int64_t bytes)
{
    for (; bytes >= BLOCK_BYTES; bytes -= BLOCK_BYTES, to += to_step, from += from_step) {
        memcpy(to, from, BLOCK_BYTES);
    }
    if (bytes > 0) {
        memcpy(to, from, (size_t)bytes);
    }
}

/* Collects n lanes whose first block is at `from`. */
static void
gather(const EmuLane *o, const uint8_t *from, int64_t n, uint8_t *to)
{
    copy_blocks(to, BLOCK_BYTES, from, o->blk, n << o->shift);
}

void
emu_lanes_scatter(const EmuLane *o, uint8_t *to, int64_t n, const uint8_t *result)
{
    copy_blocks(to, o->blk, result, BLOCK_BYTES, n << o->shift);
}

const uint8_t *
emu_lanes_load(const EmuLane *o, int64_t n, uint8_t buf[REPEAT_BYTES])
{
    if (o->dense) {
        return o->at;
    }
    gather(o, o->at, n, buf);
    return buf;
}

/* Stores the active ones of n lanes in blocks that do not follow each other. */
static void
store_active(const EmuLanes *c, int64_t n, const uint8_t *result)
{
    const EmuLane *o = &c->o[0];
    RowSelect *select = c->rows->select[o->shift];
    int64_t each = BLOCK_BYTES >> o->shift;
    uint8_t *to = o->at;
    for (int64_t i = 0; i < n; i += each, to += o->blk) {
        select(to, c->mask.on + i, result + (i << o->shift), to,
               n - i < each ? n - i : each);
    }
}

void
emu_lanes_store(const EmuLanes *c, int64_t n, const uint8_t *result)
{
    const EmuLane *o = &c->o[0];
    if (c->holes && o->dense) {
        c->rows->masked[o->shift](o->at, result, &c->mask, n);
    } else if (c->holes) {
        store_active(c, n, result);
    } else if (o->dense) {
        memcpy(o->at, result, (size_t)(n * o->size));
    } else {
        emu_lanes_scatter(o, o->at, n, result);
    }
}

void
emu_lanes_skip(EmuLanes *c, int64_t n)
{
    for (int i = 0; i < c->n; i++) {
        c->o[i].at += n * c->o[i].rep;
    }
}
