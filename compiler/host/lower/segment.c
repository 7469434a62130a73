/* segment.c: segments of lists of SliceInfo (data-movement chapter 8) whose numbers are
 * all known and proved: they are bursts of data_move, in loops over the dimensions that
 * are left when both sides have the same ones. The runtime library has the others. */
#include "host/lower/lower.h"
#include "rules/segment.h"

#include <string.h>

enum {
    MOST_DIMS = SEGMENT_DIMS + 1
};

static const Arg *
arg(const Lower *l, StmtId s, int i)
{
    return &l->k->args.p[l->k->stmts.p[s].instr.arg + (uint32_t)i];
}

/* False: they are known at run time only. */
static bool
read_side(const Lower *l, StmtId s, int count, int pitch, SegmentSide *side)
{
    int dims = segment_slots(l->k->stmts.p[s].instr.op).dims;
    memset(side, 0, sizeof *side);
    for (int i = 0; i < dims; i++) {
        ExprId n = arg(l, s, count + i)->expr, p = arg(l, s, pitch + i)->expr;
        if (!ir_is_const(l->k, n) || !ir_is_const(l->k, p)) {
            return false;
        }
        segment_add(side, ir_expr(l->k, n)->imm, ir_expr(l->k, p)->imm);
    }
    segment_end(side);
    return true;
}

/* Makes two dimensions of dimension i, the inner one of n segments. False: that does not
 * go. */
static bool
split(SegmentSide *s, int i, int64_t n)
{
    if (s->count[i] % n != 0 || s->dims == MOST_DIMS) {
        return false;
    }
    size_t rest = (size_t)(s->dims - i) * sizeof s->count[0];
    memmove(s->count + i + 1, s->count + i, rest);
    memmove(s->pitch + i + 1, s->pitch + i, rest);
    s->count[i] = n;
    s->count[i + 1] /= n;
    s->pitch[i + 1] *= n;
    s->dims++;
    return true;
}

/* Splits dimensions until both sides have the same numbers of segments. */
static bool
match(SegmentSide *a, SegmentSide *b)
{
    for (int i = 0; i < a->dims && i < b->dims; i++) {
        int64_t n = a->count[i], m = b->count[i];
        if ((n > m && !split(a, i, m)) || (m > n && !split(b, i, n))) {
            return false;
        }
    }
    return a->dims == b->dims;
}

/* Copies the segments; dimension 0 is that of the bursts. */
static void
copy_segments(Lower *l, CopyRuns *r, const SegmentSide *dst, const SegmentSide *src)
{
    Counted loops[MOST_DIMS];
    for (int d = dst->dims - 1; d > 0; d--) {
        loops[d] = (Counted){
            .count = lower_const(l, dst->count[d]),
            .at = {r->to, r->from},
            .step = {lower_const(l, dst->pitch[d]), lower_const(l, src->pitch[d])},
            .n = 2};
        lower_counted_begin(l, &loops[d]);
        r->to = loops[d].at[0];
        r->from = loops[d].at[1];
    }
    lower_copy_runs(l, r);
    for (int d = 1; d < dst->dims; d++) {
        lower_counted_end(l, &loops[d]);
    }
}

static bool
is_plain(const Lower *l, StmtId s)
{
    BufId dst = arg(l, s, SEGMENTS_dst)->ref.buf, src = arg(l, s, SEGMENTS_src)->ref.buf;
    bool atomic = l->sets_atomic && l->k->bufs.p[dst].scope == SC_GM;
    return l->k->stmts.p[s].proof == PROOF_PROVED && dst != src && !atomic &&
           ir_is_const(l->k, arg(l, s, SEGMENTS_len)->expr);
}

void
lower_segment(Lower *l, StmtId s)
{
    Op op = l->k->stmts.p[s].instr.op;
    SegmentSide dst, src;
    SegmentSlots at = segment_slots(op);
    if (op_table[op].form == FORM_SLICEDIM || !is_plain(l, s) ||
        !read_side(l, s, at.dst_count, at.dst_pitch, &dst) ||
        !read_side(l, s, at.src_count, at.src_pitch, &src)) {
        lower_exec(l, s);
        return;
    }
    int64_t len = ir_expr(l->k, arg(l, s, SEGMENTS_len)->expr)->imm;
    len = segment_flatten(&dst, &src, len);
    if (!match(&dst, &src)) {
        lower_exec(l, s);
        return;
    }
    const Ref *to = &arg(l, s, SEGMENTS_dst)->ref, *from = &arg(l, s, SEGMENTS_src)->ref;
    CopyRuns r = {.dst = to,
                  .src = from,
                  .to = lower_ref(l, to),
                  .from = lower_ref(l, from),
                  .n = dst.count[0],
                  .bytes = len,
                  .dst_pitch = dst.pitch[0],
                  .src_pitch = src.pitch[0]};
    copy_segments(l, &r, &dst, &src);
}
