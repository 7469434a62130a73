/* vector.c: elementwise instructions on vector lanes: arithmetic, functions, fills.
 * emu/lane_io.c handles the operands, emu/vector_lanes.c the arithmetic.
 *
 * In the common case of a leading mask and contiguous blocks and repeats the whole
 * instruction is one long run. In all others each repeat reads all lanes and then writes
 * the active ones. */
#include "emu/emu.h"

#include <string.h>

enum {
    MAX_SRCS = 2
};

/* Gives the type of the sources; DT_NONE when there are none. Returns false when they
 * differ. */
static bool
source_type(const EmuProgram *p, const EmuOp *op, Dtype *t)
{
    const EmuLanePlan *plan = &op->plan;
    *t = DT_NONE;
    for (int i = 1; i < plan->n; i++) {
        Dtype s = emu_slot_ref(p, op, plan->o[i].slot)->dtype;
        if (*t != DT_NONE && s != *t) {
            return false;
        }
        *t = s;
    }
    return true;
}

static bool
is_rounded(const EmuProgram *p, const EmuOp *op)
{
    int slot = form_slot(op_table[op->op].form, ROLE_ATTR, "round_en");
    return slot >= 0 && emu_slot_attr(p, op, slot) != 0;
}

bool
emu_bind_vector(EmuProgram *p, EmuOp *op, const char **why)
{
    Sem sem = op_table[op->op].sem;
    emu_lanes_plan(p, op);
    Dtype t = emu_slot_ref(p, op, op->plan.o[0].slot)->dtype, src;
    *why = "operands of a vector instruction differ in dtype";
    if (!source_type(p, op, &src)) {
        return false;
    }
    if (sem != SEM_SHL && sem != SEM_SHR) {
        bool scalar = form_first(op_table[op->op].form, ROLE_SCALAR) >= 0;
        op->lanes = emu_lane_fn(&p->kernel.choices, (LaneWork){sem, scalar}, t, src);
    } else if (t == src) {
        op->lanes = emu_lane_shift(sem, t, is_rounded(p, op));
    }
    bool all = emu_chosen(p, CHOICE_SIGNED_VSHL) == CHOSE_SIGNED_VSHL_ALL_BITS;
    if (all && sem == SEM_SHL && op->lanes != NULL && dtype_kind(t) == KIND_SINT) {
        op->lanes = emu_lane_shift_all(t);
    }
    op->dtype = (uint8_t)t;
    *why = "the vector instruction does not exist for its dtype";
    return op->lanes != NULL;
}

/* ---- execution ----------------------------------------------------------- */

/* Returns whether n elements of a source may be read while those of dst are written,
 * because they are the same run or share no byte. */
static bool
separate(const EmuLane *dst, const EmuLane *src, int64_t n)
{
    uintptr_t d = (uintptr_t)dst->at, s = (uintptr_t)src->at;
    return (d == s && dst->size == src->size) || d + (uintptr_t)(n * dst->size) <= s ||
           s + (uintptr_t)(n * src->size) <= d;
}

static bool
run_is_safe(const EmuLanes *c, int64_t n)
{
    for (int i = 1; i < c->n; i++) {
        if (!c->o[i].dense || !separate(&c->o[0], &c->o[i], n)) {
            return false;
        }
    }
    return !c->holes && c->o[0].dense;
}

/* Executes the whole instruction as one run. Returns false when it is not one. */
static bool
one_run(const EmuLanes *c, LaneFn *lanes, int64_t scalar)
{
    for (int i = 0; i < c->n; i++) {
        if (c->repeats > 1 && c->o[i].rep != c->run * c->o[i].size) {
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

enum {
    MANY = 16 /* repeats at a time */
};

/* Returns whether the lanes of all repeats follow each other. */
static bool
follows(const EmuLanes *c, const EmuLane *o)
{
    return o->dense && o->rep == (int64_t)c->lanes << o->shift;
}

/* Returns the bytes from the first block of a repeat to the end of its last one. */
static int64_t
span(const EmuLanes *c, const EmuLane *o)
{
    int64_t blocks = ((int64_t)c->lanes << o->shift) / BLOCK_BYTES;
    return (blocks - 1) * o->blk + BLOCK_BYTES;
}

/* Returns whether all repeats of an operand may be read before one is written: it shares
 * no byte with the destination, or it is the destination and no repeat shares bytes with
 * another. */
static bool
may_read_first(const EmuLanes *c, const EmuLane *src)
{
    const EmuLane *dst = &c->o[0];
    bool same = dst->at == src->at && dst->size == src->size && dst->blk == src->blk &&
                dst->rep == src->rep && dst->rep >= span(c, dst);
    const uint8_t *dst_end = dst->at + (c->repeats - 1) * dst->rep + span(c, dst);
    const uint8_t *src_end = src->at + (c->repeats - 1) * src->rep + span(c, src);
    return same || (uintptr_t)dst_end <= (uintptr_t)src->at ||
           (uintptr_t)src_end <= (uintptr_t)dst->at;
}

/* Returns where the lanes are, of repeats that are not shorter than the others. */
static RowStrides
strides(const EmuLanes *c, const EmuLane *o)
{
    return (RowStrides){o->blk, o->rep, c->run << o->shift,
                        (int64_t)c->lanes << o->shift};
}

/* Returns how many of the next repeats have the same number of lanes: all but a last one
 * that is shorter. */
static int64_t
alike(const EmuLanes *c, int64_t some, int64_t last)
{
    return last == c->run ? some : some - 1;
}

/* Returns the lanes of the next repeats: in place, or as if they followed each other. */
static const uint8_t *
some_repeats(const EmuLanes *c, const EmuLane *o, int64_t some, int64_t last,
             uint8_t *buf)
{
    if (follows(c, o)) {
        return o->at;
    }
    RowStrides s = strides(c, o);
    int64_t like = alike(c, some, last);
    c->rows->gather(buf, o->at, &s, like);
    if (like < some) {
        s.each = last << o->shift;
        c->rows->gather(buf + like * s.dense, o->at + like * s.rep, &s, 1);
    }
    return buf;
}

/* Writes the active lanes of the next repeats, and goes on after them. */
static void
write_repeats(EmuLanes *c, int64_t some, int64_t last, const uint8_t *result)
{
    const EmuLane *o = &c->o[0];
    int64_t done = 0;
    if (c->holes && follows(c, o)) {
        c->rows->masked[o->shift](o->at, result, &c->mask, (some - 1) * c->lanes + last);
        done = some;
    } else if (!c->holes) {
        RowStrides s = strides(c, o);
        done = alike(c, some, last);
        c->rows->scatter(o->at, result, &s, done);
    }
    emu_lanes_skip(c, done);
    for (; done < some; done++) {
        int64_t n = done + 1 < some ? c->run : last;
        emu_lanes_store(c, n, result + (done * c->lanes << o->shift));
        emu_lanes_step(c);
    }
}

/* Executes an instruction whose lanes do not all follow each other for many repeats at a
 * time, through buffers. Returns false when repeats must go one by one. */
static bool
in_groups(EmuLanes *c, const EmuOp *op, int64_t scalar)
{
    _Alignas(64) uint8_t buf[MAX_SRCS][MANY * REPEAT_BYTES];
    _Alignas(64) uint8_t result[MANY * REPEAT_BYTES];
    bool reads = sem_reads_dst(op_table[op->op].sem);
    bool may = c->repeats > 1 && (c->run == c->lanes || c->holes);
    for (int i = reads ? 0 : 1; may && i < c->n; i++) {
        may = may_read_first(c, &c->o[i]);
    }
    if (!may) {
        return false;
    }
    for (int64_t at = 0; at < c->repeats; at += MANY) {
        int64_t some = c->repeats - at < MANY ? c->repeats - at : MANY;
        int64_t last = at + some < c->repeats ? c->run : c->last;
        const uint8_t *src[MAX_SRCS] = {NULL, NULL};
        for (int s = 1; s < c->n; s++) {
            src[s - 1] = some_repeats(c, &c->o[s], some, last, buf[s - 1]);
        }
        int64_t n = (some - 1) * c->lanes + last;
        if (reads) {
            const uint8_t *old = some_repeats(c, &c->o[0], some, last, result);
            memmove(result, old, (size_t)(n << c->o[0].shift));
        }
        bool place = !reads && src[0] == buf[0] && c->o[1].size == c->o[0].size;
        uint8_t *to = place ? buf[0] : result;
        op->lanes(to, src[0], src[1], scalar, n);
        write_repeats(c, some, last, to);
    }
    return true;
}

/* Computes to a buffer, then writes the active lanes. */
static void
one_repeat(const EmuLanes *c, const EmuOp *op, const uint8_t *const *src, int64_t scalar,
           int64_t n)
{
    uint8_t result[REPEAT_BYTES];
    if (sem_reads_dst(op_table[op->op].sem)) {
        const uint8_t *old = emu_lanes_load(&c->o[0], n, result);
        memmove(result, old, (size_t)(n * c->o[0].size));
    }
    op->lanes(result, src[0], src[1], scalar, n);
    emu_lanes_store(c, n, result);
}

static void
each_repeat(EmuLanes *c, const EmuOp *op, int64_t scalar)
{
    uint8_t buf[MAX_SRCS][REPEAT_BYTES];
    for (int64_t i = 0; i < c->repeats; i++) {
        int64_t n = i + 1 < c->repeats ? c->run : c->last;
        const uint8_t *src[MAX_SRCS] = {NULL, NULL};
        for (int s = 1; s < c->n; s++) {
            src[s - 1] = emu_lanes_load(&c->o[s], n, buf[s - 1]);
        }
        if (run_is_safe(c, n)) {
            op->lanes(c->o[0].at, src[0], src[1], scalar, n);
        } else {
            one_repeat(c, op, src, scalar, n);
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
    if (c.repeats > 0 && !one_run(&c, op->lanes, scalar) && !in_groups(&c, op, scalar)) {
        each_repeat(&c, op, scalar);
    }
    return true;
}
