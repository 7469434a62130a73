/* segment.c: rules of slice movement (data-movement chapter 8): the lists of SliceInfo,
 * and the segments that they become. Part of the checker; rules/internal.h and segment.h
 * are the contracts.
 *
 * A list is up to 8 dimensions of equally spaced segments. Rules on its fields relate
 * several numbers, so no interval follows from them: the compiler asks them of constants,
 * the execution of data_copy.dim and data_copy.slice of everything else.
 *
 * Owns: slice-*, path of data_copy.slice. */
#include "rules/segment.h"

#ifndef TIK_LEAN
#include <stdio.h>
#endif

#include "isa/bytes.h"

#include "rules/internal.h"

/* ---- one dimension of the lists ------------------------------------------ */

static const char *
list_name(bool src)
{
    return src ? "src_slice_info" : "dst_slice_info";
}

bool
check_slice_bursts(const SliceDim *d, Fault *fault)
{
    int64_t dst = d->dst.burst_len, src = d->src.burst_len;
    FaultAt at = {RULE_SLICE_BURST_EQ, 1, src, dst, dst};
    if (src != dst) {
        return check_fail(fault, &at,
                          "burst_len of src_slice_info[%d] is %lld and that of "
                          "dst_slice_info[%d] is %lld",
                          d->dim, (long long)src, d->dim, (long long)dst);
    }
    at = (FaultAt){RULE_SLICE_BURST_1, 1, src, 1, 1};
    if (d->dim > 0) {
        return src == 1 || check_fail(fault, &at,
                                      "burst_len of src_slice_info[%d] is %lld; above "
                                      "dimension 0 it is 1",
                                      d->dim, (long long)src);
    }
    const int64_t most = (1 << 24) / BLOCK_BYTES; /* more than any memory of a core */
    at = (FaultAt){RULE_SLICE_BURST, 1, src, 1, most};
    return (src >= 1 && src <= most) ||
           check_fail(
               fault, &at,
               "burst_len of src_slice_info[0] is %lld; it is 1 to %lld blocks of 32 "
               "bytes",
               (long long)src, (long long)most);
}

#ifndef TIK_LEAN
static const char *
last_index(const SliceFields *f, char *out, size_t size)
{
    if (f->shape < INT64_MAX) {
        snprintf(out, size, "; the last index is %lld", (long long)sat_add(f->shape, -1));
    }
    return out;
}
#endif

bool
check_slice_indices(const SliceDim *d, bool src, Fault *fault)
{
    const SliceFields *f = src ? &d->src : &d->dst;
    FaultAt at = {RULE_SLICE_INDEX, src, f->end, f->start, sat_add(f->shape, -1)};
    if (f->start >= 0 && f->start <= f->end && f->end < f->shape) {
        return true;
    }
    TEXT(char last[44] = "";)
    return check_fail(fault, &at, "%s[%d] goes from start_index %lld to end_index %lld%s",
                      list_name(src), d->dim, (long long)f->start, (long long)f->end,
                      last_index(f, last, sizeof last));
}

/* Returns the elements or lines of a segment. */
static int64_t
segment_of(const SliceDim *d, bool src)
{
    const SliceFields *f = src ? &d->src : &d->dst;
    return d->dim == 0 ? f->burst_len * BLOCK_BYTES / d->size : 1;
}

/* Returns the lines after the last whole segment. */
static int64_t
rest_of(const SliceDim *d, bool src)
{
    const SliceFields *f = src ? &d->src : &d->dst;
    int64_t all = f->end - f->start + 1;
    int64_t step = sat_add(segment_of(d, src), f->stride);
    return sat_add(all, f->stride) % step;
}

bool
check_slice_fit(const SliceDim *d, bool src, Fault *fault)
{
    const SliceFields *f = src ? &d->src : &d->dst;
    int64_t all = f->end - f->start + 1;
    int64_t segment = segment_of(d, src);
    FaultAt at = {RULE_SLICE_FIT, src, f->stride, 0, INT64_MAX};
    if (f->stride < 0) {
        return check_fail(fault, &at, "stride of %s[%d] is %lld; it is 0 or more",
                          list_name(src), d->dim, (long long)f->stride);
    }
    at = (FaultAt){RULE_SLICE_FIT, src, all, segment, segment};
    bool whole = all >= segment && rest_of(d, src) == 0;
    return whole || (d->tail && d->dim > 0) ||
           check_fail(fault, &at,
                      "%s[%d] has %lld %s, which are no whole number of segments of %lld "
                      "with %lld between them",
                      list_name(src), d->dim, (long long)all,
                      d->dim == 0 ? "elements" : "lines", (long long)segment,
                      (long long)f->stride);
}

bool
check_slice_dim(const SliceDim *d, Fault *fault)
{
    return check_slice_bursts(d, fault) && check_slice_indices(d, true, fault) &&
           check_slice_indices(d, false, fault) && check_slice_fit(d, true, fault) &&
           check_slice_fit(d, false, fault);
}

int64_t
slice_count(const SliceDim *d, bool src)
{
    const SliceFields *f = src ? &d->src : &d->dst;
    int64_t step = sat_add(segment_of(d, src), f->stride);
    return sat_add(f->end - f->start + 1, f->stride) / step;
}

bool
slice_has_tail(const SliceDim *d, bool src)
{
    return d->dim > 0 && rest_of(d, src) != 0;
}

bool
check_slice_total(int64_t dst, int64_t src, Fault *fault)
{
    FaultAt at = {RULE_SLICE_TOTAL, 1, src, dst, dst};
    return dst == src ||
           check_fail(
               fault, &at,
               "segments selected by src_slice_info: %lld, by dst_slice_info: %lld",
               (long long)src, (long long)dst);
}

bool
check_slice_pitch(bool src, int dim, int64_t pitch, Fault *fault)
{
    FaultAt at = {RULE_ADDRESS_ALIGN, src, pitch, BLOCK_BYTES, BLOCK_BYTES};
    return pitch % BLOCK_BYTES == 0 ||
           check_fail(
               fault, &at,
               "segments along %s[%d] start %lld bytes apart; 32-byte alignment is "
               "required in UB",
               list_name(src), dim, (long long)pitch);
}

/* ---- instructions -------------------------------------------------------- */

static int64_t
total_of(const CheckInstr *in, int count)
{
    int64_t n = 1;
    for (int i = 0; i < segment_slots(in->op).dims; i++) {
        n = sat_mul(n, in->args[count + i].v);
    }
    return n;
}

/* Checks that the segments of a slice share no bytes, which also bounds the work by the
 * size of memory. */
static bool
room_ok(const CheckInstr *in, int param, int count, Fault *fault)
{
    int64_t bytes = sat_mul(total_of(in, count), in->args[SEGMENTS_len].v);
    int64_t room = check_extent(in, param);
    FaultAt at = {RULE_SLICE_INDEX, param, bytes, 0, room};
    return bytes <= room ||
           check_fail(fault, &at,
                      "segments of %s meet: %lld bytes of segments stand in %lld bytes",
                      check_param_name(in, param), (long long)bytes, (long long)room);
}

void
segment_add(SegmentSide *s, int64_t count, int64_t pitch)
{
    int last = s->dims - 1;
    if (count == 1) {
        return;
    }
    if (last >= 0 && pitch == s->count[last] * s->pitch[last]) {
        s->count[last] *= count;
    } else {
        s->count[s->dims] = count;
        s->pitch[s->dims++] = pitch;
    }
}

void
segment_end(SegmentSide *s)
{
    if (s->dims == 0) {
        s->count[0] = 1;
        s->dims = 1;
    }
}

/* Merges each k segments of the first dimension. */
static void
lengthen(SegmentSide *s, int64_t k)
{
    s->count[0] /= k;
    s->pitch[0] *= k;
    if (s->count[0] == 1 && s->dims > 1) {
        s->dims--;
        memmove(s->count, s->count + 1, (size_t)s->dims * sizeof s->count[0]);
        memmove(s->pitch, s->pitch + 1, (size_t)s->dims * sizeof s->pitch[0]);
    }
}

int64_t
segment_flatten(SegmentSide *dst, SegmentSide *src, int64_t len)
{
    while (dst->pitch[0] == len && src->pitch[0] == len) {
        int64_t k = gcd(dst->count[0], src->count[0]);
        if (k == 1) {
            break;
        }
        lengthen(dst, k);
        lengthen(src, k);
        len *= k;
    }
    return len;
}

bool
check_segments(const CheckInstr *in, Fault *fault)
{
    SegmentSlots at = segment_slots(in->op);
    bool src = in->args[SEGMENTS_src].t.scope == SC_UB;
    const CheckArg *pitch = &in->args[src ? at.src_pitch : at.dst_pitch];
    const CheckArg *count = &in->args[src ? at.src_count : at.dst_count];
    for (int i = 0; i < at.dims; i++) {
        if (count[i].v > 1 && !check_slice_pitch(src, i, pitch[i].v, fault)) {
            return false;
        }
    }
    return check_slice_total(total_of(in, at.dst_count), total_of(in, at.src_count),
                             fault) &&
           room_ok(in, SEGMENTS_dst, at.dst_count, fault) &&
           room_ok(in, SEGMENTS_src, at.src_count, fault);
}

SliceDim
check_slice_operands(const CheckInstr *in)
{
    const CheckArg *a = in->args;
    int64_t block = a[SLICEDIM_block_elements].v;
    SliceDim d = {.dim = (int)a[SLICEDIM_dim].v,
                  .size =
                      block >= 4 && block <= BLOCK_BYTES ? (int)(BLOCK_BYTES / block) : 1,
                  .tail = slice_drops_tail(in->choices)};
    SliceFields *to[] = {&d.dst, &d.src};
    for (int i = 0; i < 2; i++) {
        const CheckArg *f =
            &a[i == 0 ? SLICEDIM_dst_start_index : SLICEDIM_src_start_index];
        *to[i] = (SliceFields){f[0].v, f[1].v, f[2].v, f[3].v, f[4].v};
    }
    return d;
}

static bool
segment_statics(const CheckInstr *in, Fault *fault)
{
    if (op_form(in->op) == FORM_SLICEDIM) {
        return true;
    }
    Scope dst = in->args[SEGMENTS_dst].t.scope, src = in->args[SEGMENTS_src].t.scope;
    FaultAt at = {RULE_PATH, SEGMENTS_dst, (int64_t)dst, 0, 0};
    return (dst == SC_GM && src == SC_UB) || (dst == SC_UB && src == SC_GM) ||
           check_fail(fault, &at,
                      "%s goes from %s to %s; it copies between global memory and UB",
                      check_op_name(in), scope_name(src), scope_name(dst));
}

static int64_t
segment_extent(const CheckInstr *in, int param)
{
    SegmentSlots at = segment_slots(in->op);
    const CheckArg *count =
        &in->args[param == SEGMENTS_dst ? at.dst_count : at.src_count];
    const CheckArg *pitch =
        &in->args[param == SEGMENTS_dst ? at.dst_pitch : at.src_pitch];
    int64_t extent = in->args[SEGMENTS_len].v;
    for (int i = 0; i < at.dims; i++) {
        if (count[i].v <= 0) {
            return 0;
        }
        extent = sat_add(extent, sat_mul(count[i].v - 1, pitch[i].v));
    }
    return extent;
}

/* Contiguous dimensions are merged; the result is exact if at most two are left. */
static Footprint
segment_footprint(const CheckInstr *in, int param, bool *exact)
{
    SegmentSlots at = segment_slots(in->op);
    const CheckArg *count =
        &in->args[param == SEGMENTS_dst ? at.dst_count : at.src_count];
    const CheckArg *pitch =
        &in->args[param == SEGMENTS_dst ? at.dst_pitch : at.src_pitch];
    Footprint hull = {in->args[param].t.offset, 1, 0, 1, 0, segment_extent(in, param)};
    Footprint f = {hull.offset, 1, 0, 1, 0, in->args[SEGMENTS_len].v};
    for (int i = 0; i < at.dims && hull.len > 0; i++) {
        int64_t n = count[i].v, p = pitch[i].v;
        if (n == 1) {
            continue;
        }
        if (f.count0 == 1 && p == f.len) {
            f.len = sat_mul(f.len, n);
        } else if (f.count0 == 1) {
            f.count0 = n;
            f.stride0 = p;
        } else if (f.count1 == 1 && p == sat_mul(f.count0, f.stride0)) {
            f.count0 = sat_mul(f.count0, n);
        } else if (f.count1 == 1) {
            f.count1 = n;
            f.stride1 = p;
        } else {
            *exact = false;
            return hull;
        }
    }
    return hull.len > 0 ? f : hull;
}

/* The rules of a dimension relate all of its numbers, as do those of segments; they are
 * asked of an operand that is always more than 1. */
bool
check_slice_info(const CheckInstr *in, int param, Fault *fault)
{
    SliceDim d = check_slice_operands(in);
    (void)param;
    bool holds = check_slice_dim(&d, fault);
#ifndef TIK_LEAN
    if (!holds && fault != NULL) {
        fault->param = fault->param ? SLICEDIM_src_start_index : SLICEDIM_dst_start_index;
    }
#endif
    return holds;
}

/* Numbers outside of their ranges have rules of their own, which are asked later. */
bool
check_slice_lists(const CheckInstr *in, int param, Fault *fault)
{
    SegmentSlots at = segment_slots(in->op);
    for (int i = param; i < at.src_pitch + at.dims; i++) {
        if (!check_in_row(in, i)) {
            return true;
        }
    }
    return check_segments(in, fault);
}

const FamilyRules rules_segment = {.statics = segment_statics,
                                   .footprint = segment_footprint,
                                   NOT_LEAN(.warnings = check_move_warnings)};
