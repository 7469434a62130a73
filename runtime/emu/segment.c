/* segment.c: slice movement (data-movement chapter 8). Each side counts its own
 * dimensions, the innermost first, and segments are copied one after the other. */
#include "emu/emu.h"

#include <string.h>

#include "rules/segment.h"

/* One side of the movement. */
typedef struct Side {
    uint8_t *at; /* the present segment */
    int dims;
    int64_t count[SEGMENT_DIMS], pitch[SEGMENT_DIMS];
    int64_t index[SEGMENT_DIMS];
} Side;

static void
read_side(const CheckInstr *in, int count, int pitch, Side *s)
{
    s->dims = segment_slots(in->op).dims;
    for (int i = 0; i < s->dims; i++) {
        s->count[i] = in->args[count + i].v;
        s->pitch[i] = in->args[pitch + i].v;
        s->index[i] = 0;
    }
}

/* Returns the bytes from the first to the last one that is accessed; -1 when the numbers
 * are invalid. */
static int64_t
reach_of(const Side *s, int64_t len)
{
    int64_t reach = len, last;
    for (int i = 0; i < s->dims; i++) {
        if (s->count[i] < 1 || s->pitch[i] < 0 ||
            __builtin_mul_overflow(s->count[i] - 1, s->pitch[i], &last) ||
            __builtin_add_overflow(reach, last, &reach)) {
            return -1;
        }
    }
    return reach;
}

/* Goes on to the next segment; false after the last one. */
static bool
next_segment(Side *s)
{
    for (int i = 0; i < s->dims; i++) {
        if (++s->index[i] < s->count[i]) {
            s->at += s->pitch[i];
            return true;
        }
        s->at -= (s->count[i] - 1) * s->pitch[i];
        s->index[i] = 0;
    }
    return false;
}

bool
emu_exec_segments(EmuRun *r, const EmuOp *op)
{
    CheckInstr in;
    Fault fault;
    Side dst, src;
    AtomicWrite w = {.on = false};
    if (op->checked && !emu_check(r, op)) {
        return false;
    }
    emu_instr(r, op, &in);
    SegmentSlots at = segment_slots(in.op);
    int64_t len = in.args[SEGMENTS_len].v;
    read_side(&in, at.dst_count, at.dst_pitch, &dst);
    read_side(&in, at.src_count, at.src_pitch, &src);
    int64_t to = reach_of(&dst, len), from = reach_of(&src, len);
    if (len < 1 || to < 0 || from < 0) {
        return emu_refuse(r, op);
    }
    if (!check_segments(&in, &fault)) {
        return emu_record(r, op, &fault);
    }
    dst.at = emu_operand(r, op, SEGMENTS_dst, to);
    src.at = emu_operand(r, op, SEGMENTS_src, from);
    if (dst.at == NULL || src.at == NULL) {
        return emu_refuse(r, op);
    }
    if (in.args[SEGMENTS_dst].t.scope == SC_GM &&
        !emu_write_mode(r, op, SEGMENTS_dst, in.args[SEGMENTS_src].t.scope, len, &w)) {
        return false;
    }
    do {
        emu_write(&w, dst.at, src.at, len);
    } while (next_segment(&dst) && next_segment(&src));
    return true;
}

bool
emu_exec_slice_dim(EmuRun *r, const EmuOp *op)
{
    CheckInstr in;
    Fault fault;
    emu_instr(r, op, &in);
    SliceDim d = check_slice_operands(&in);
    return check_slice_dim(&d, &fault) || emu_record(r, op, &fault);
}

bool
emu_bind_segment(EmuProgram *p, EmuOp *op, const char **why)
{
    if (op_table[op->op].sem == SEM_SLICE_DIM) {
        int64_t dim = emu_slot_attr(p, op, SLICEDIM_dim);
        int64_t block = emu_slot_attr(p, op, SLICEDIM_block_elements);
        *why = "a dimension of a slice does not exist";
        return dim >= 0 && dim < SEGMENT_DIMS && block >= 4 && block <= BLOCK_BYTES;
    }
    *why = "the sides of a slice differ in dtype";
    return emu_slot_ref(p, op, SEGMENTS_dst)->dtype ==
           emu_slot_ref(p, op, SEGMENTS_src)->dtype;
}
