/* compare.c: compare and select (vector chapter 5). emu/lane_io.c handles operands that
 * are addressed by vector lanes; this file has rows of bits and CMPMASK.
 *
 * In each repeat all sources are read, bits as one byte for each lane, and then the
 * result is written. CMPMASK has 128 bits; 8-bit lanes from 128 on have none and read
 * 0. */
#include "emu/emu.h"
#include "isa/operand.h"

#include <string.h>

enum {
    CMPMASK_BITS = 128,
    CMPMASK_BYTES = CMPMASK_BITS / 8
};

static RowCondition
condition(Sem sem)
{
    switch (sem) {
    case SEM_CMP_LT:
        return ROW_LT;
    case SEM_CMP_GT:
        return ROW_GT;
    case SEM_CMP_GE:
        return ROW_GE;
    case SEM_CMP_EQ:
        return ROW_EQ;
    case SEM_CMP_NE:
        return ROW_NE;
    default:
        return ROW_LE;
    }
}

/* Fills every lane of a repeat with the scalar. */
static void
fill_scalar(uint8_t *buf, int size, int64_t scalar)
{
    for (int i = 0; i < REPEAT_BYTES; i += size) {
        memcpy(buf + i, &scalar,
               (size_t)size); /* little endian, as in all of the emulator */
    }
}

/* ---- instructions -------------------------------------------------------- */

/* Compares the n leading lanes of the present repeat. */
static void
compare_repeat(const EmuOp *op, const EmuLanes *c, const uint8_t *scalar, int64_t n,
               uint8_t *on)
{
    uint8_t buf[2][REPEAT_BYTES];
    const uint8_t *a = emu_lanes_load(&c->o[0], n, buf[0]);
    const uint8_t *b = c->n > 1 ? emu_lanes_load(&c->o[1], n, buf[1]) : scalar;
    c->rows->relate[op->dtype][condition(op_table[op->op].sem)](on, a, b, n);
}

static bool
compare_to_memory(EmuRun *r, const EmuOp *op)
{
    EmuLanes c;
    uint8_t on[MAX_LANES], scalar[REPEAT_BYTES];
    if (!emu_lanes_open(r, op, &c)) {
        return false;
    }
    int64_t row = c.lanes / 8;
    uint8_t *dst = emu_operand(r, op, VCMPV_dst, c.repeats * row);
    if (dst == NULL) {
        return emu_refuse(r, op);
    }
    if (op->plan.scalar >= 0 && c.repeats > 0) {
        fill_scalar(scalar, c.o[0].size, emu_slot(r, op, op->plan.scalar));
    }
    for (int64_t i = 0; i < c.repeats; i++) {
        compare_repeat(op, &c, scalar, c.lanes, on);
        c.rows->pack(dst + i * row, on, c.lanes);
        emu_lanes_step(&c);
    }
    return true;
}

static bool
compare_to_mask(EmuRun *r, const EmuOp *op)
{
    EmuLanes c;
    uint8_t on[MAX_LANES] = {0};
    if (!emu_lanes_open(r, op, &c)) {
        return false;
    }
    uint8_t old[MAX_LANES];
    bool keep = emu_chosen(r->p, CHOICE_VCMP_MASKED_OFF) == CHOSE_VCMP_MASKED_OFF_KEPT;
    c.rows->unpack(old, r->sreg + SREG_CMPMASK, CMPMASK_BITS);
    compare_repeat(op, &c, NULL, c.run, on);
    for (int64_t i = 0; i < c.lanes && i < CMPMASK_BITS; i++) {
        bool off = i >= c.run || (c.holes && !c.mask.on[i]);
        on[i] = !off ? on[i] : keep ? old[i] : 0;
    }
    c.rows->pack(r->sreg + SREG_CMPMASK, on, CMPMASK_BITS);
    return true;
}

bool
emu_exec_compare(EmuRun *r, const EmuOp *op)
{
    return op_table[op->op].form == FORM_VCMP ? compare_to_mask(r, op)
                                              : compare_to_memory(r, op);
}

/* Loads 16 bytes into CMPMASK; those after the tensor's last granule count as 0. Returns
 * false when the operand does not exist. */
static bool
load_mask(const EmuRun *r, const EmuOp *op, int slot)
{
    const CheckTensor t = emu_tensor(r, op, slot);
    const uint8_t *from = emu_operand(r, op, slot, 1);
    int64_t most = (t.bytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES - t.offset;
    if (from == NULL) {
        return false;
    }
    memset(r->sreg + SREG_CMPMASK, 0, CMPMASK_BYTES);
    memcpy(r->sreg + SREG_CMPMASK, from,
           (size_t)(most < CMPMASK_BYTES ? most : CMPMASK_BYTES));
    return true;
}

/* Returns the bits of the first repeat, and in *step the bytes from repeat to repeat;
 * null when they do not exist. */
static const uint8_t *
select_bits(const EmuRun *r, const EmuOp *op, const EmuLanes *c, int64_t *step)
{
    Sem sem = op_table[op->op].sem;
    int sel = form_slot(op_table[op->op].form, ROLE_SRC, "sel");
    *step = 0;
    if (sem == SEM_SEL) {
        return r->sreg + SREG_CMPMASK;
    }
    if (sem == SEM_SEL_LOAD) {
        return load_mask(r, op, sel) ? r->sreg + SREG_CMPMASK : NULL;
    }
    *step = c->lanes / 8;
    int64_t bits = c->repeats > 0 ? (c->repeats - 1) * c->lanes + c->run : 0;
    return emu_operand(r, op, sel, (bits + 7) / 8);
}

static void
select_repeat(const EmuLanes *c, const uint8_t *bits, bool of_mask, const uint8_t *scalar)
{
    uint8_t buf[2][REPEAT_BYTES], result[REPEAT_BYTES], all[MAX_LANES / 8] = {0};
    const uint8_t *a = emu_lanes_load(&c->o[1], c->run, buf[0]);
    const uint8_t *b = c->n > 2 ? emu_lanes_load(&c->o[2], c->run, buf[1]) : scalar;
    if (of_mask && c->run > CMPMASK_BITS) {
        memcpy(all, bits, CMPMASK_BYTES);
        bits = all;
    }
    c->rows->choose[c->o[0].shift](result, bits, a, b, c->run);
    emu_lanes_store(c, c->run, result);
}

bool
emu_exec_select(EmuRun *r, const EmuOp *op)
{
    EmuLanes c;
    int64_t step;
    uint8_t scalar[REPEAT_BYTES];
    if (!emu_lanes_open(r, op, &c)) {
        return false;
    }
    const uint8_t *bits = select_bits(r, op, &c, &step);
    if (bits == NULL) {
        return emu_refuse(r, op);
    }
    if (op->plan.scalar >= 0 && c.repeats > 0) {
        fill_scalar(scalar, c.o[0].size, emu_slot(r, op, op->plan.scalar));
    }
    for (int64_t i = 0; i < c.repeats; i++) {
        select_repeat(&c, bits + i * step, step == 0, scalar);
        emu_lanes_step(&c);
    }
    if (step != 0) {
        memset(r->sreg + SREG_CMPMASK, 0, CMPMASK_BYTES);
    }
    return true;
}

bool
emu_exec_move_mask(EmuRun *r, const EmuOp *op)
{
    uint8_t *mask = r->sreg + SREG_CMPMASK;
    if (op->checked && !emu_check(r, op)) {
        return false;
    }
    if (op_table[op->op].sem == SEM_CMPMASK_SET) {
        return load_mask(r, op, 0) || emu_refuse(r, op);
    }
    uint8_t *at = emu_operand(r, op, 0, CMPMASK_BYTES);
    if (at == NULL) {
        return emu_refuse(r, op);
    }
    memcpy(at, mask, CMPMASK_BYTES);
    return true;
}

/* ---- binding ------------------------------------------------------------- */

bool
emu_bind_compare(EmuProgram *p, EmuOp *op, const char **why)
{
    int n;
    Form form = op_table[op->op].form;
    Dtype t = emu_slot_ref(p, op, form_main(form))->dtype;
    (void)form_params(form, &n);
    for (int i = 0; i < n; i++) {
        if (form_is_vector(form, i) && emu_slot_ref(p, op, i)->dtype != t) {
            *why = "operands of a vector instruction differ in dtype";
            return false;
        }
    }
    emu_lanes_plan(p, op);
    op->dtype = (uint8_t)t;
    *why = "the vector instruction does not exist for its dtype";
    bool compares = op->exec == emu_exec_compare;
    return dtype_size(t) > 0 && t != DT_BOOL &&
           (!compares || emu_rows()->relate[t][ROW_LT] != NULL);
}
