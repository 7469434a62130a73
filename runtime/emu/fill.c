/* fill.c: sequences, broadcasts, copies and padding of blocks. emu/lane_io.c handles
 * masks and strides, except for a copy in counter mode, whose repeats may be longer than
 * eight blocks. */
#include "emu/emu.h"

#include <string.h>

#include "num/half.h"
#include "num/seq.h"

enum {
    BLOCKS = REPEAT_BYTES / BLOCK_BYTES
};

/* ---- vci ----------------------------------------------------------------- */

static void
saturate(uint8_t *halves, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        uint16_t h;
        memcpy(&h, halves + 2 * i, sizeof h);
        h = half_finite(h);
        memcpy(halves + 2 * i, &h, sizeof h);
    }
}

bool
emu_exec_sequence(EmuRun *r, const EmuOp *op)
{
    EmuLanes c;
    uint8_t result[REPEAT_BYTES];
    int64_t start = emu_slot(r, op, op->plan.scalar);
    NumType t = (NumType)(op->dtype - 1); /* Dtype begins with DT_NONE */
    if (!emu_lanes_open(r, op, &c)) {
        return false;
    }
    bool saturates = op->dtype == DT_F16 && emu_chosen(r->p, CHOICE_FLOAT16_OVERFLOW) ==
                                                CHOSE_FLOAT16_OVERFLOW_SATURATE;
    bool restarts = emu_chosen(r->p, CHOICE_VCI_REPEATS) == CHOSE_VCI_REPEATS_RESTARTS;
    for (int64_t i = 0; i < c.repeats; i++) {
        int64_t n = i + 1 < c.repeats ? c.run : c.last;
        num_sequence(result, t, start, restarts ? 0 : i * c.lanes, n);
        if (saturates) {
            saturate(result, n);
        }
        emu_lanes_store(&c, n, result);
        emu_lanes_step(&c);
    }
    return true;
}

/* ---- vbcb ---------------------------------------------------------------- */

static void
fill_block(uint8_t *block, const uint8_t *element, int size)
{
    for (int at = 0; at < BLOCK_BYTES; at += size) {
        memcpy(block + at, element, (size_t)size);
    }
}

bool
emu_exec_broadcast(EmuRun *r, const EmuOp *op)
{
    EmuLanes c;
    uint8_t result[REPEAT_BYTES];
    if (!emu_lanes_open(r, op, &c)) {
        return false;
    }
    int slot = form_first(op_table[op->op].form, ROLE_SRC);
    int size = c.repeats > 0 ? c.o[0].size : 1;
    const uint8_t *src = emu_operand(r, op, slot, c.repeats * BLOCKS * size);
    if (src == NULL) {
        return c.repeats == 0 || emu_refuse(r, op);
    }
    for (int64_t i = 0; i < c.repeats; i++) {
        for (int b = 0; b < BLOCKS; b++) {
            fill_block(result + b * BLOCK_BYTES, src + (i * BLOCKS + b) * size, size);
        }
        emu_lanes_store(&c, c.lanes, result);
        emu_lanes_step(&c);
    }
    return true;
}

/* ---- vcopy --------------------------------------------------------------- */

/* Opens an operand of a copy of n elements in each repeat. Returns false when a stride is
 * out of its range or bytes do not exist. */
static bool
counted_operand(const EmuRun *r, const EmuOp *op, int i, int64_t n, int64_t repeats,
                EmuLane *o)
{
    const EmuLanePlan *p = &op->plan;
    int64_t blk = emu_slot(r, op, p->o[i].blk), rep = emu_slot(r, op, p->o[i].rep);
    if (blk < 0 || blk > p->o[i].blk_most || rep < 0 || rep > p->o[i].rep_most) {
        return false;
    }
    o->size = p->o[i].size;
    o->blk = (blk == 0 && p->o[i].blk0_is_1 ? 1 : blk) * BLOCK_BYTES;
    o->rep = rep * BLOCK_BYTES;
    int64_t last = (n * o->size - 1) / BLOCK_BYTES;
    int64_t end = last * o->blk + n * o->size - last * BLOCK_BYTES;
    end = last > 0 && end < BLOCK_BYTES ? BLOCK_BYTES : end;
    o->at = emu_operand(r, op, p->o[i].slot, (repeats - 1) * o->rep + end);
    return o->at != NULL;
}

static bool
counted_copy(EmuRun *r, const EmuOp *op)
{
    EmuLane d, s;
    int64_t n = emu_num(r, op->mask[0]);
    int64_t repeats = emu_slot(r, op, op->plan.repeat);
    if (op->checked && !emu_check(r, op)) {
        return false;
    }
    if (repeats == 0) {
        return true;
    }
    if (repeats < 0 || repeats > op->plan.repeat_most || n < 1 || n > UINT32_MAX ||
        !counted_operand(r, op, 0, n, repeats, &d) ||
        !counted_operand(r, op, 1, n, repeats, &s)) {
        return emu_refuse(r, op);
    }
    int64_t bytes = n * d.size;
    for (int64_t i = 0; i < repeats; i++, d.at += d.rep, s.at += s.rep) {
        for (int64_t at = 0, b = 0; at < bytes; at += BLOCK_BYTES, b++) {
            int64_t len = bytes - at < BLOCK_BYTES ? bytes - at : BLOCK_BYTES;
            memmove(d.at + b * d.blk, s.at + b * s.blk, (size_t)len);
        }
    }
    return true;
}

bool
emu_exec_copy(EmuRun *r, const EmuOp *op)
{
    EmuLanes c;
    uint8_t buf[REPEAT_BYTES], result[REPEAT_BYTES];
    if (op->mask_form == MASK_COUNTER) {
        return counted_copy(r, op);
    }
    if (!emu_lanes_open(r, op, &c)) {
        return false;
    }
    for (int64_t i = 0; i < c.repeats; i++) {
        memcpy(result, emu_lanes_load(&c.o[1], c.run, buf),
               (size_t)(c.run * c.o[1].size));
        emu_lanes_store(&c, c.run, result);
        emu_lanes_step(&c);
    }
    return true;
}

/* ---- vpadding ------------------------------------------------------------ */

/* Returns the element of the source block that element i of n gets; -1 for zero. */
static int
padded_from(int mode, bool right, int i, int n)
{
    switch (mode) {
    case 0:
        return right ? n - 1 : 0;
    case 1:
        return n - 1 - i;
    default:
        return right ? (i == n - 1 ? -1 : n - 2 - i) : (i == 0 ? -1 : n - i);
    }
}

static void
pad_block(uint8_t *block, const uint8_t *src, int size, int mode, bool right)
{
    int n = BLOCK_BYTES / size;
    memset(block, 0, BLOCK_BYTES);
    for (int i = 0; i < n; i++) {
        int from = padded_from(mode, right, i, n);
        if (from >= 0) {
            memcpy(block + i * size, src + from * size, (size_t)size);
        }
    }
}

/* Whole source blocks are read, whatever the mask is. */
static bool
has_whole_blocks(const EmuRun *r, const EmuOp *op, const EmuLanes *c)
{
    const EmuLane *s = &c->o[1];
    int64_t end = (c->repeats - 1) * s->rep + (BLOCKS - 1) * s->blk + BLOCK_BYTES;
    return emu_operand(r, op, op->plan.o[1].slot, end) != NULL;
}

bool
emu_exec_padding(EmuRun *r, const EmuOp *op)
{
    EmuLanes c;
    uint8_t result[REPEAT_BYTES];
    int slot = form_slot(op_table[op->op].form, ROLE_ATTR, "pad_mode");
    int mode = (int)emu_slot_attr(r->p, op, slot);
    bool right = emu_slot_attr(r->p, op, slot + 1) != 0;
    if (!emu_lanes_open(r, op, &c)) {
        return false;
    }
    if (c.repeats > 0 && !has_whole_blocks(r, op, &c)) {
        return emu_refuse(r, op);
    }
    for (int64_t i = 0; i < c.repeats; i++) {
        for (int b = 0; b < BLOCKS; b++) {
            pad_block(result + b * BLOCK_BYTES, c.o[1].at + b * c.o[1].blk, c.o[1].size,
                      mode, right);
        }
        emu_lanes_store(&c, i + 1 < c.repeats ? c.run : c.last, result);
        emu_lanes_step(&c);
    }
    return true;
}

bool
emu_bind_fill(EmuProgram *p, EmuOp *op, const char **why)
{
    Form form = op_table[op->op].form;
    int src = form_first(form, ROLE_SRC);
    Dtype t = emu_slot_ref(p, op, form_main(form))->dtype;
    emu_lanes_plan(p, op);
    op->dtype = (uint8_t)t;
    *why = "operands of a vector instruction differ in dtype";
    return src < 0 || emu_slot_ref(p, op, src)->dtype == t;
}
