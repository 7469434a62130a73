/* convert.c: conversions between types on vector lanes (vector chapter 3). The arithmetic
 * is that of runtime/num; this file handles operands of different widths, each with its
 * own strides, and results that fill halves of blocks. */
#include "emu/emu.h"

#include <string.h>

#include "rules/check.h"
#include "num/conv.h"

static const NumRound rounds[ROUND_COUNT] = {
    [ROUND_NONE] = NUM_NEAREST, [ROUND_NEAREST] = NUM_NEAREST, [ROUND_FLOOR] = NUM_FLOOR,
    [ROUND_CEIL] = NUM_CEIL,    [ROUND_AWAY] = NUM_AWAY,       [ROUND_ZERO] = NUM_TO_ZERO,
    [ROUND_ODD] = NUM_ODD,
};

/* The conversion of the lanes of an instruction. */
typedef struct Conversion {
    bool scaled, twice;
    uint16_t scale;
    NumConv conv; /* valid unless scaled */
} Conversion;

static void
apply(const Conversion *v, uint8_t *dst, const uint8_t *src, int64_t n)
{
    if (v->scaled) {
        num_conv_scaled(dst, src, v->scale, v->twice, n);
    } else {
        num_conv(&v->conv, dst, src, n);
    }
}

static uint32_t
register32(const EmuRun *r, int offset)
{
    uint32_t v;
    memcpy(&v, r->sreg + offset, sizeof v);
    return v;
}

NumConv
emu_conversion(const EmuRun *r, const EmuOp *op)
{
    int round = form_slot(op_table[op->op].form, ROLE_ATTR, "round_mode");
    bool to_float = dtype_is_float((Dtype)op->dtype);
    NumConv v = {.dst = num_type(op->dtype), .src = num_type(op->from)};
    v.round = round < 0 ? NUM_NEAREST : rounds[emu_slot_attr(r->p, op, round)];
    if (v.round == NUM_AWAY &&
        emu_chosen(r->p, CHOICE_AWAY_ZERO) == CHOSE_AWAY_ZERO_DIRECTED) {
        v.round = NUM_OUTWARD;
    }
    v.keep = register32(r, to_float ? SREG_FP2FP : SREG_FP2INT) & 1;
    if (v.src == NUM_S16 && v.dst == NUM_U32 &&
        emu_chosen(r->p, CHOICE_NEGATIVE_TO_UNSIGNED) ==
            CHOSE_NEGATIVE_TO_UNSIGNED_EXTENDED) {
        v.keep = true;
    }
    return v;
}

static Conversion
conversion(const EmuRun *r, const EmuOp *op)
{
    Conversion v = {.scaled = op_table[op->op].sem == SEM_CONV_SCALED};
    if (v.scaled) {
        v.twice =
            emu_chosen(r->p, CHOICE_INT32_TO_FLOAT16) == CHOSE_INT32_TO_FLOAT16_FLOAT32;
        v.scale = (uint16_t)emu_slot(r, op, op->plan.scalar);
    } else {
        v.conv = emu_conversion(r, op);
    }
    return v;
}

/* ---- lanes to lanes ------------------------------------------------------ */

static bool
separate(const uint8_t *a, int64_t alen, const uint8_t *b, int64_t blen)
{
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return x + (uintptr_t)alen <= y || y + (uintptr_t)blen <= x;
}

/* Returns whether n lanes may be converted in place. */
static bool
in_one_go(const EmuLanes *c, int64_t n)
{
    const EmuLane *d = &c->o[0], *s = &c->o[1];
    return !c->holes && d->dense && s->dense &&
           ((d->at == s->at && d->size == s->size) ||
            separate(d->at, n * d->size, s->at, n * s->size));
}

static bool
one_run(const EmuLanes *c, const Conversion *v)
{
    int64_t n = (c->repeats - 1) * c->run + c->last;
    for (int i = 0; i < c->n; i++) {
        if (c->repeats > 1 && c->o[i].rep != c->run * c->o[i].size) {
            return false;
        }
    }
    if (!in_one_go(c, n)) {
        return false;
    }
    apply(v, c->o[0].at, c->o[1].at, n);
    return true;
}

static void
each_repeat(EmuLanes *c, const Conversion *v)
{
    uint8_t result[REPEAT_BYTES], buf[REPEAT_BYTES];
    for (int64_t i = 0; i < c->repeats; i++) {
        int64_t n = i + 1 < c->repeats ? c->run : c->last;
        const uint8_t *src = emu_lanes_load(&c->o[1], n, buf);
        if (in_one_go(c, n)) {
            apply(v, c->o[0].at, src, n);
        } else {
            apply(v, result, src, n);
            emu_lanes_store(c, n, result);
        }
        emu_lanes_step(c);
    }
}

static bool
convert_lanes(EmuRun *r, const EmuOp *op)
{
    EmuLanes c;
    if (!emu_lanes_open(r, op, &c)) {
        return false;
    }
    Conversion v = conversion(r, op);
    if (c.repeats > 0 && !one_run(&c, &v)) {
        each_repeat(&c, &v);
    }
    return true;
}

/* ---- int16 to halves of blocks ------------------------------------------- */

enum {
    PACKS = 16,
    HALF = BLOCK_BYTES / 2, /* bytes, and lanes, of half a block */
    BLOCKS = REPEAT_BYTES / BLOCK_BYTES
};

/* Opens the destination, whose blocks are where those of 16-bit elements would be. */
static bool
open_halves(const EmuRun *r, const EmuOp *op, const EmuLanes *c, EmuLane *d)
{
    Form form = op_table[op->op].form;
    int slot = form_first(form, ROLE_DST);
    LaneOperand l = form_lanes(form, slot);
    int high = form_slot(form, ROLE_ATTR, "ldst_high_half");
    int64_t unit = op->plan.unit < 0 ? 0 : emu_slot(r, op, op->plan.unit);
    int64_t blk = 1, rep;
    if ((l.blk >= 0 && !emu_number(r, op, l.blk, &blk)) ||
        !emu_number(r, op, l.rep, &rep)) {
        return false;
    }
    blk = blk == 0 && unit < 2 ? 1 : blk;
    d->blk = unit < 2 ? blk * BLOCK_BYTES : BLOCK_BYTES + 2 * blk;
    d->rep = unit < 2 ? rep * BLOCK_BYTES : 2 * rep;
    d->rep += unit & 1 ? (BLOCKS - 1) * d->blk + BLOCK_BYTES : 0;
    int64_t first = emu_slot_attr(r->p, op, high) != 0 ? HALF : 0;
    int64_t last = (c->run - 1) / HALF;
    int64_t end = last * d->blk + first + c->run - last * HALF;
    d->at = emu_operand(r, op, slot, (c->repeats - 1) * d->rep + end);
    d->at = d->at == NULL ? NULL : d->at + first;
    return d->at != NULL;
}

/* Reads one parameter word for all lanes, or 16. */
static bool
read_packs(const EmuRun *r, const EmuOp *op, uint64_t pack[PACKS])
{
    if (op->plan.scalar >= 0) {
        pack[0] = (uint64_t)emu_slot(r, op, op->plan.scalar);
        return true;
    }
    int slot = form_slot(op_table[op->op].form, ROLE_SRC, "deqscale");
    const uint8_t *at = emu_operand(r, op, slot, PACKS * 8);
    if (at != NULL) {
        memcpy(pack, at, PACKS * sizeof *pack);
    }
    return at != NULL;
}

static bool
signs_fit(EmuRun *r, const EmuOp *op, const uint64_t *pack, int n)
{
    Fault f;
    for (int i = 0; i < n; i++) {
        if (!check_pack_sign(pack[i], (Dtype)op->dtype, &f)) {
            return emu_record(r, op, &f);
        }
    }
    return true;
}

static void
halves(EmuLanes *c, EmuLane *d, const uint64_t *pack, int packs)
{
    uint8_t result[REPEAT_BYTES / 2], buf[REPEAT_BYTES];
    for (int64_t i = 0; i < c->repeats; i++) {
        num_conv_packed(result, emu_lanes_load(&c->o[0], c->run, buf), pack, packs,
                        c->run);
        for (int64_t lane = 0; lane < c->run; lane++) {
            if (!c->holes || c->mask.on[lane]) {
                d->at[lane / HALF * d->blk + lane % HALF] = result[lane];
            }
        }
        d->at += d->rep;
        emu_lanes_step(c);
    }
}

static bool
convert_packed(EmuRun *r, const EmuOp *op)
{
    EmuLanes c;
    EmuLane d;
    uint64_t pack[PACKS];
    int packs = op->plan.scalar >= 0 ? 1 : PACKS;
    if (!emu_lanes_open(r, op, &c)) {
        return false;
    }
    if (c.repeats == 0) {
        return true;
    }
    if (!open_halves(r, op, &c, &d) || !read_packs(r, op, pack)) {
        return emu_refuse(r, op);
    }
    if (!signs_fit(r, op, pack, packs)) {
        return false;
    }
    halves(&c, &d, pack, packs);
    return true;
}

/* ---- float16 to int4 ----------------------------------------------------- */

/* Finds where the bytes of results go; pairs of lanes share one. */
static bool
open_bytes(const EmuRun *r, const EmuOp *op, const EmuLanes *c, EmuLane *d)
{
    Form form = op_table[op->op].form;
    int slot = form_first(form, ROLE_DST);
    LaneOperand l = form_lanes(form, slot);
    int64_t gap = op->plan.unit < 0 ? 0 : emu_slot(r, op, op->plan.unit);
    int64_t blk = 1, rep;
    if ((l.blk >= 0 && !emu_number(r, op, l.blk, &blk)) ||
        !emu_number(r, op, l.rep, &rep) || gap < 0 || gap > 1 || c->run % 2 != 0) {
        return false;
    }
    blk = blk == 0 ? 1 : blk;
    d->blk = blk * BLOCK_BYTES;
    d->rep = rep * BLOCK_BYTES + (gap != 0 ? d->blk + BLOCK_BYTES : 0);
    int64_t last = (c->run / 2 - 1) / BLOCK_BYTES;
    int64_t end = last * d->blk + c->run / 2 - last * BLOCK_BYTES;
    d->at = emu_operand(r, op, slot, (c->repeats - 1) * d->rep + end);
    return d->at != NULL;
}

static bool
in_pairs(const EmuLanes *c)
{
    bool ok = true;
    for (int64_t i = 0; c->holes && i + 1 < c->run; i += 2) {
        ok = ok && c->mask.on[i] == c->mask.on[i + 1];
    }
    return ok;
}

static bool
convert_4_bits(EmuRun *r, const EmuOp *op)
{
    EmuLanes c;
    EmuLane d;
    uint8_t result[REPEAT_BYTES / 4], buf[REPEAT_BYTES];
    if (!emu_lanes_open(r, op, &c)) {
        return false;
    }
    if (c.repeats == 0) {
        return true;
    }
    if (!in_pairs(&c) || !open_bytes(r, op, &c, &d)) {
        return emu_refuse(r, op);
    }
    NumConv conv = emu_conversion(r, op);
    int shift = emu_chosen(r->p, CHOICE_INT4_ORDER) == CHOSE_INT4_ORDER_HIGH ? 4 : 0;
    for (int64_t i = 0; i < c.repeats; i++) {
        num_conv(&conv, result, emu_lanes_load(&c.o[0], c.run, buf), c.run);
        for (int64_t k = 0; k < c.run / 2; k++) {
            if (!c.holes || c.mask.on[2 * k]) {
                d.at[k / BLOCK_BYTES * d.blk + k % BLOCK_BYTES] =
                    (uint8_t)(result[k] << shift | result[k] >> shift);
            }
        }
        d.at += d.rep;
        emu_lanes_step(&c);
    }
    return true;
}

/* ---- binding ------------------------------------------------------------- */

bool
emu_has_conversion(const EmuProgram *p, const EmuOp *op)
{
    uint32_t modes;
    int round = form_slot(op_table[op->op].form, ROLE_ATTR, "round_mode");
    uint64_t mode = round < 0 ? 0 : (uint64_t)emu_slot_attr(p, op, round);
    return mode < ROUND_COUNT &&
           op_has_pair((Op)op->op, (Dtype)op->dtype, (Dtype)op->from, p->kernel.soc,
                       &modes) &&
           (round < 0 || (modes >> mode & 1));
}

static bool
is_packed(Sem sem)
{
    return sem == SEM_CONV_PACK || sem == SEM_CONV_PACKS;
}

bool
emu_exec_convert(EmuRun *r, const EmuOp *op)
{
    return is_packed(op_table[op->op].sem)        ? convert_packed(r, op)
           : dtype_is_half_byte((Dtype)op->dtype) ? convert_4_bits(r, op)
                                                  : convert_lanes(r, op);
}

bool
emu_bind_convert(EmuProgram *p, EmuOp *op, const char **why)
{
    Form form = op_table[op->op].form;
    Sem sem = op_table[op->op].sem;
    bool packed = is_packed(sem);
    op->dtype = (uint8_t)emu_slot_ref(p, op, form_first(form, ROLE_DST))->dtype;
    op->from = (uint8_t)emu_slot_ref(p, op, form_first(form, ROLE_SRC))->dtype;
    *why = "the conversion does not exist for its dtypes";
    emu_lanes_plan(p, op);
    bool small = dtype_is_half_byte((Dtype)op->dtype);
    if (packed || small) { /* the lanes are those of the source */
        op->plan.o[0] = op->plan.o[1];
        op->plan.n = 1;
    }
    return emu_has_conversion(p, op);
}
