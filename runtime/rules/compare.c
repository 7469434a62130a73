/* compare.c: the rules of compare and select (vector chapter 5). vector.c handles
 * operands that are addressed by vector lanes; this file handles those that are rows of
 * bits.
 *
 * It owns sel-mode of the processor, sel-dtype, sel-overflow, sel-overlap, sel-align. The
 * mode of a call, cmpmask-required, and the alignment of immediate offsets of
 * mov_tensor_to_cmpmask are checked in compiler/tik/calls/compare.c, because only the
 * source shows them. */
#include "rules/internal.h"

enum {
    MAX_BLOCKS = REPEAT_BYTES / BLOCK_BYTES,
    CMPMASK_BYTES = 16,
    MASK_WORD = 8 /* fewest bytes of a move to CMPMASK: the bits of 64 lanes */
};

static Sem
sem_of(const CheckInstr *in)
{
    return op_sem(in->op);
}

/* Returns the operand with the bits of a select; -1 when there is none. */
static int
sel_slot(Op op)
{
    return op_slot(op, ROLE_SRC, NAMED(sel));
}

static bool
compare_statics(const CheckInstr *in, Fault *fault)
{
    int sel = sel_slot(in->op);
    if (sel < 0) {
        return true;
    }
    FaultAt at = {RULE_SEL_MODE, -1, 0, 0, 0};
    if (sem_of(in) == SEM_SEL_BITS && !soc_has(in->soc, FEATURE_SEL_BITS)) {
        return check_fail(fault, &at,
                          "%s in mode 1 or 2 does not exist on %s; mode 0 does",
                          check_op_name(in), in->soc->name);
    }
    Dtype t = in->args[sel].t.dtype;
    at = (FaultAt){RULE_SEL_DTYPE, sel, (int64_t)t, 0, 0};
    return dtype_kind(t) == KIND_UINT ||
           check_fail(fault, &at, "sel is %s; it is uint8, uint16, uint32 or uint64",
                      dtype_name(t));
}

/* ---- footprints ---------------------------------------------------------- */

/* Returns the bytes up to the bit of the last active lane: of the last repeat, or in mode
 * 0 of each. A move to CMPMASK also loads bytes of the granule after them, which nothing
 * reads. */
static int64_t
sel_bytes(const CheckInstr *in)
{
    int64_t repeats = check_repeats(in);
    int64_t last = lanes_end(in);
    if (sem_of(in) == SEM_SEL_LOAD) {
        return last > 8 * CMPMASK_BYTES ? CMPMASK_BYTES : (last + 7) / 8;
    }
    if (repeats == 0 || last == 0) {
        return 0;
    }
    return sat_add(sat_add(sat_mul(repeats - 1, check_lanes(in)), last), 7) / 8;
}

/* Of an operand that is rows of bits. */
static int64_t
row_bytes(const CheckInstr *in)
{
    switch (sem_of(in)) {
    case SEM_SEL_BITS:
    case SEM_SEL_LOAD:
        return sel_bytes(in);
    case SEM_CMPMASK_SET:
        return MASK_WORD;
    case SEM_CMPMASK_GET:
        return CMPMASK_BYTES;
    default:
        return sat_mul(check_repeats(in), check_lanes(in) / 8);
    }
}

static Footprint
compare_footprint(const CheckInstr *in, int param, bool *exact)
{
    if (op_is_vector(in->op, param)) {
        return lanes_footprint(in, param, exact);
    }
    *exact = sem_of(in) != SEM_SEL_BITS || lanes_end(in) == check_lanes(in);
    return (Footprint){in->args[param].t.offset, 1, 0, 1, 0, row_bytes(in)};
}

/* The destination of a compare counts as 8 blocks in each repeat (vector 5.5). */
static int64_t
compare_overlap_extent(const CheckInstr *in, int param)
{
    Form form = op_form(in->op);
    bool bits = form == FORM_VCMPV || form == FORM_VCMPVB || form == FORM_VCMPVS;
    return bits && param == 0 ? sat_mul(check_repeats(in), REPEAT_BYTES) : 0;
}

static Rule
compare_bounds_rule(Op op, int param)
{
    return param == sel_slot(op) ? RULE_SEL_OVERFLOW : RULE_TENSOR_OVERFLOW;
}

static Rule
compare_overlap_rule(Op op, int param)
{
    return param == sel_slot(op) ? RULE_SEL_OVERLAP : RULE_OVERLAP_MULTI;
}

/* ---- overlap ------------------------------------------------------------- */

/* A tensor that has len bytes from offset + t * step on in repeat t, for comparison with
 * an operand that is addressed by vector lanes. */
typedef struct Row {
    int param;
    int64_t offset, step, len;
} Row;

/* The bytes of the active lanes in the blocks of a repeat, from the start of each; with
 * len 0 there are none. */
typedef struct Blocks {
    int64_t offset, rep, blk;
    uint8_t start[MAX_BLOCKS], len[MAX_BLOCKS];
} Blocks;

static Blocks
blocks_of(const CheckInstr *in, int param)
{
    LaneGeometry g = check_geometry(in, param);
    Blocks b = {.offset = in->args[param].t.offset, .rep = g.rep, .blk = g.blk};
    int first = 0;
    for (int lane = 0; lane < g.lanes; lane++) {
        int k = lane / g.per_block, in_block = lane % g.per_block * g.size;
        if (check_lane_active(in, 0, lane)) {
            first = b.len[k] == 0 ? in_block : first;
            b.start[k] = (uint8_t)first;
            b.len[k] = (uint8_t)(in_block + g.size - first);
        }
    }
    return b;
}

/* Returns whether repeat t of the row and repeat u of the blocks share a byte. */
static bool
overlaps(const Row *r, int64_t t, const Blocks *b, int64_t u)
{
    int64_t from = sat_add(b->offset, sat_mul(u, b->rep));
    for (int k = 0; k < MAX_BLOCKS; k++) {
        if (bytes_overlap(sat_add(r->offset, sat_mul(t, r->step)), r->len,
                          sat_add(from, sat_add(sat_mul(k, b->blk), b->start[k])),
                          b->len[k])) {
            return true;
        }
    }
    return false;
}

static bool
fail_single(const CheckInstr *in, Rule rule, int dst, int src, Fault *fault)
{
    int64_t to = in->args[dst].t.offset, from = in->args[src].t.offset;
    FaultAt at = {rule, src, from, 0, 0};
    return check_fail(fault, &at,
                      "%s starts at byte %lld and %s at byte %lld of the same tensor and "
                      "they share bytes; they must start together or share none",
                      check_param_name(in, dst), (long long)to, check_param_name(in, src),
                      (long long)from);
}

static bool
fail_multi(const CheckInstr *in, Rule rule, int dst, int src, int64_t t, Fault *fault)
{
    FaultAt at = {rule, src, t, 0, 0};
    return check_fail(fault, &at,
                      "%s of repeat %lld shares bytes with %s of repeat %lld of the same "
                      "tensor",
                      check_param_name(in, dst), (long long)t, check_param_name(in, src),
                      (long long)(t + 1));
}

static bool
bits_overlap(const CheckInstr *in, int param, Fault *fault)
{
    const CheckTensor *d = &in->args[0].t;
    const CheckTensor *s = &in->args[param].t;
    Row row = {0, d->offset, REPEAT_BYTES, REPEAT_BYTES};
    Blocks b = blocks_of(in, param);
    int64_t repeats = check_repeats(in);
    bool together =
        d->offset / dtype_size(d->dtype) == s->offset / dtype_size(s->dtype) &&
        b.blk == BLOCK_BYTES;
    if (repeats == 1) {
        return together || !overlaps(&row, 0, &b, 0) ||
               fail_single(in, RULE_OVERLAP_SINGLE, 0, param, fault);
    }
    for (int64_t t = 0; t + 1 < repeats; t++) {
        if (overlaps(&row, t, &b, t + 1)) {
            return fail_multi(in, RULE_OVERLAP_MULTI, 0, param, t, fault);
        }
    }
    return true;
}

/* Checks the bits of a select against its destination. */
static bool
sel_overlap(const CheckInstr *in, int param, Fault *fault)
{
    int dst = op_first(in->op, ROLE_DST);
    int64_t from = in->args[param].t.offset;
    Row row = {param, from, check_lanes(in) / 8, (lanes_end(in) + 7) / 8};
    Blocks b = blocks_of(in, dst);
    int64_t repeats = check_repeats(in);
    if (repeats == 1) {
        bool together = b.offset == from && b.blk == BLOCK_BYTES;
        return together || !overlaps(&row, 0, &b, 0) ||
               fail_single(in, RULE_SEL_OVERLAP, dst, param, fault);
    }
    for (int64_t t = 0; t + 1 < repeats; t++) {
        if (overlaps(&row, t + 1, &b, t)) {
            return fail_multi(in, RULE_SEL_OVERLAP, dst, param, t, fault);
        }
    }
    return true;
}

/* Mode 0 of vec_sel reads its bits before everything else. */
static bool
compare_overlap(const CheckInstr *in, int param, Fault *fault)
{
    Form form = op_form(in->op);
    int dst = form_first(form, ROLE_DST);
    bool by_lanes = form_is_vector(form, param);
    if (in->args[dst].t.buffer != in->args[param].t.buffer || check_repeats(in) == 0 ||
        check_repeats(in) > UINT8_MAX || (!by_lanes && sem_of(in) == SEM_SEL_LOAD)) {
        return true;
    }
    if (!form_is_vector(form, dst)) {
        return bits_overlap(in, param, fault);
    }
    return by_lanes ? lanes_overlap(in, dst, param, fault)
                    : sel_overlap(in, param, fault);
}

/* CMPMASK has 16 bytes, and published operators go through rows of bits in steps of 16
 * bytes; moves to CMPMASK, that of vec_sel in mode 0 too, in steps of the bits of 64
 * lanes. Bits of all repeats may begin anywhere. Of both there is a warning. */
static int
compare_align(const CheckInstr *in, int param)
{
    Form form = op_form(in->op);
    const CheckTensor *t = &in->args[param].t;
    if (param == sel_slot(in->op)) {
        return sem_of(in) == SEM_SEL_LOAD ? MASK_WORD : dtype_size(t->dtype);
    }
    return form == FORM_MASKIN    ? MASK_WORD
           : form == FORM_MASKOUT ? CMPMASK_BYTES
                                  : scope_align(t->scope, t->dtype);
}

/* Warns of offsets that are literals. */
static void
compare_warnings(const CheckInstr *in, void (*report)(void *ctx, const Fault *),
                 void *ctx)
{
    int sel = sel_slot(in->op);
    if (sel < 0 || !in->args[sel].literal || in->args[sel].t.offset % BLOCK_BYTES == 0) {
        return;
    }
    Fault fault;
    int64_t offset = in->args[sel].t.offset;
    FaultAt at = {RULE_SEL_ALIGN, sel, offset, BLOCK_BYTES, BLOCK_BYTES};
    check_fail(&fault, &at,
               "sel starts at byte %lld of its tensor, which is no multiple of 32",
               (long long)offset);
    report(ctx, &fault);
}

const FamilyRules rules_compare = {.statics = compare_statics,
                                   .footprint = compare_footprint,
                                   .overlap = compare_overlap,
                                   .overlap_extent = compare_overlap_extent,
                                   .bounds_rule = compare_bounds_rule,
                                   .align = compare_align,
                                   NOT_LEAN(.placeless = true,
                                            .overlap_rule = compare_overlap_rule,
                                            .warnings = compare_warnings)};
