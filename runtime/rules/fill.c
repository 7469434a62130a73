/* fill.c: sequences, broadcasts, copies and padding of blocks (vector 4 and 10). It is a
 * part of the checker, whose contract is rules/internal.h. Operands that are addressed by
 * vector lanes follow vector.c, but vpadding reads whole source blocks, vbcb reads 8
 * elements per repeat, and a copy in counter mode has repeats of any length.
 *
 * It owns overlap-forbidden of vbcb and of vcopy in counter mode; stride-0. */
#include "rules/internal.h"
#include "isa/operand.h"

enum {
    BLOCKS = REPEAT_BYTES / BLOCK_BYTES
};

static Form
form_of(const CheckInstr *in)
{
    return op_form(in->op);
}

static bool
is_source(const CheckInstr *in, int param)
{
    return param == form_first(form_of(in), ROLE_SRC);
}

/* ---- what operands cover ------------------------------------------------- */

/* Returns all blocks of all repeats. */
static Footprint
whole_blocks(const CheckInstr *in, int param)
{
    LaneGeometry g = check_geometry(in, param);
    return (Footprint){in->args[param].t.offset, g.blocks, g.blk,
                       check_repeats(in),        g.rep,    BLOCK_BYTES};
}

/* Returns the blocks that the elements of a repeat fill or begin, for a copy in counter
 * mode. */
static Footprint
counted_blocks(const CheckInstr *in, int param)
{
    LaneGeometry g = check_geometry(in, param);
    int64_t n = (int64_t)check_mask(in)->w[0];
    int64_t blocks = n <= 0 ? 0 : (n + g.per_block - 1) / g.per_block;
    Footprint f = {in->args[param].t.offset, blocks, g.blk,
                   check_repeats(in),        g.rep,  BLOCK_BYTES};
    if (blocks == 1) {
        f.len = n * g.size;
    }
    return f;
}

static int64_t
end_of(const Footprint *f)
{
    bool none = f->count0 == 0 || f->count1 == 0;
    return none ? 0
                : sat_add(sat_add(sat_mul(f->count0 - 1, f->stride0),
                                  sat_mul(f->count1 - 1, f->stride1)),
                          f->len);
}

/* Returns the bytes of the elements that vbcb copies to a block each. */
static int64_t
broadcast_bytes(const CheckInstr *in, int param)
{
    int64_t size = dtype_size(in->args[param].t.dtype);
    return sat_mul(check_repeats(in), BLOCKS * size);
}

static int64_t
fill_extent(const CheckInstr *in, int param)
{
    if (form_of(in) == FORM_VBCB && is_source(in, param)) {
        return broadcast_bytes(in, param);
    }
    if (form_of(in) == FORM_VPADB && is_source(in, param)) {
        Footprint f = whole_blocks(in, param);
        return end_of(&f);
    }
    if (!check_counts_per_repeat(in)) {
        return lanes_extent(in, param);
    }
    Footprint f = counted_blocks(in, param);
    int64_t per_block = BLOCK_BYTES / dtype_size(in->args[param].t.dtype);
    int64_t rest = (int64_t)check_mask(in)->w[0] % per_block;
    int64_t unused = rest == 0 || f.count0 == 1 ? 0 : per_block - rest;
    /* With a block stride of 0 an earlier block reaches as far. */
    unused = f.stride0 == 0 ? 0 : unused;
    return end_of(&f) - unused * dtype_size(in->args[param].t.dtype);
}

static Footprint
fill_footprint(const CheckInstr *in, int param, bool *exact)
{
    *exact = false;
    if (form_of(in) == FORM_VBCB && is_source(in, param)) {
        *exact = true;
        return (Footprint){in->args[param].t.offset,  1, 0, 1, 0,
                           broadcast_bytes(in, param)};
    }
    if (form_of(in) == FORM_VPADB && is_source(in, param)) {
        return whole_blocks(in, param);
    }
    if (!check_counts_per_repeat(in)) {
        return lanes_footprint(in, param, exact);
    }
    Footprint f = counted_blocks(in, param);
    int64_t n = (int64_t)check_mask(in)->w[0];
    int64_t size = dtype_size(in->args[param].t.dtype);
    *exact = n * size % BLOCK_BYTES == 0 || f.count0 == 1;
    if (f.stride0 == BLOCK_BYTES) {
        f.count0 = f.count0 != 0;
        f.len = sat_mul(n, size);
        *exact = true;
    }
    return f;
}

/* ---- overlap ------------------------------------------------------------- */

/* Returns whether the copy is in place, so that each element is copied to itself. */
LEAN_APART static bool
in_place(const CheckInstr *in, int dst, int param)
{
    LaneGeometry d = check_geometry(in, dst), s = check_geometry(in, param);
    return in->args[dst].t.offset == in->args[param].t.offset && d.blk == s.blk &&
           d.rep == s.rep;
}

static bool
fill_overlap(const CheckInstr *in, int param, Fault *fault)
{
    int dst = form_first(form_of(in), ROLE_DST);
    if (form_of(in) == FORM_VBCB) {
        return check_apart(in, RULE_OVERLAP_FORBIDDEN, dst, param, fault);
    }
    return check_counts_per_repeat(in)
               ? in_place(in, dst, param) ||
                     check_apart(in, RULE_OVERLAP_FORBIDDEN, dst, param, fault)
               : lanes_overlap(in, dst, param, fault);
}

static Rule
fill_overlap_rule(Op op, int param)
{
    (void)param;
    return op_form(op) == FORM_VBCB ? RULE_OVERLAP_FORBIDDEN : RULE_OVERLAP_MULTI;
}

/* Warns of literals if known, else of the others. */
static void
stride_warning(const CheckInstr *in, bool known, void (*report)(void *ctx, const Fault *),
               void *ctx)
{
    const CheckArg *stride = &in->args[VBCB_dst_blk_stride];
    FaultAt at = {RULE_STRIDE_0, VBCB_dst_blk_stride, 0, 1, 255};
    Fault fault;
    if (form_of(in) == FORM_VBCB && stride->literal == known && stride->v == 0) {
        check_fail(&fault, &at, "dst_blk_stride of vbcb is 0; it counts as 1");
        report(ctx, &fault);
    }
}

static void
fill_warnings(const CheckInstr *in, void (*report)(void *ctx, const Fault *), void *ctx)
{
    stride_warning(in, true, report, ctx);
}

static void
fill_run_warnings(const CheckInstr *in, void (*report)(void *ctx, const Fault *),
                  void *ctx)
{
    stride_warning(in, false, report, ctx);
}

const FamilyRules rules_fill = {
    .extent = fill_extent,
    .footprint = fill_footprint,
    .overlap = fill_overlap,
    NOT_LEAN(.placeless = true, .overlap_rule = fill_overlap_rule,
             .warnings = fill_warnings, .run_warnings = fill_run_warnings)};
