/* gather.c: the rules of gather, scatter and compress (vector chapter 8). It is a part of
 * the checker, whose contract is rules/internal.h.
 *
 * The bytes that are accessed depend on contents of tensors. The execution of the
 * instruction checks the rules on these (check_offset, check_fits); here all bytes of the
 * operand count as accessed, and it has no bounds.
 *
 * It owns pattern-dtype, offset-dtype, base-addr-range, overlap-forbidden of vgatherb and
 * vbi, overlap-single and overlap-multi of this family. form.def and binding have
 * pattern-range, pattern-stride and rsvd-dtype. */
#include "rules/internal.h"
#include "isa/operand.h"

enum {
    OFFSET_BYTES = 4,
    BLOCKS = 8 /* blocks of a repeat */
};

static Form
form_of(const CheckInstr *in)
{
    return op_form(in->op);
}

static int64_t
size_of(const CheckInstr *in, int param)
{
    return dtype_size(in->args[param].t.dtype);
}

static bool
is_pick(Form f)
{
    return f == FORM_PICK || f == FORM_PICKBITS || f == FORM_PICK2 || f == FORM_PICK2BITS;
}

/* A repeat of vreducev2 has as many elements as its first operand says. */
static bool
is_long(Form f)
{
    return f == FORM_PICK2 || f == FORM_PICK2BITS;
}

/* ---- patterns ------------------------------------------------------------ */

void
check_pattern_lanes(int64_t pattern, int *first, int *step)
{
    *step = pattern <= 2 ? 2 : pattern <= 6 ? 4 : 1;
    *first = pattern <= 2 ? (int)pattern - 1 : pattern <= 6 ? (int)pattern - 3 : 0;
}

int64_t
check_pattern_count(int64_t pattern, int64_t n)
{
    int first, step;
    check_pattern_lanes(pattern, &first, &step);
    return n <= first ? 0 : (n - first - 1) / step + 1;
}

/* Returns the elements that a repeat goes over. */
static int64_t
pick_lanes(const CheckInstr *in)
{
    return is_long(form_of(in)) ? in->args[PICK_mask].v : check_lanes(in);
}

/* Returns the elements that the instruction goes over. */
static int64_t
pick_total(const CheckInstr *in)
{
    const CheckMask *m = check_mask(in);
    return m != NULL && m->form == MASK_COUNTER
               ? (int64_t)m->w[0]
               : sat_mul(check_repeats(in), pick_lanes(in));
}

/* Returns the elements that are kept; -1 when they are known only while running. */
static int64_t
pick_kept(const CheckInstr *in)
{
    const CheckArg *p = &in->args[PICK_src1_pattern];
    Form f = form_of(in);
    if (f == FORM_PICKBITS || f == FORM_PICK2BITS || !p->literal) {
        return -1;
    }
    return is_long(f)
               ? sat_mul(check_repeats(in), check_pattern_count(p->v, pick_lanes(in)))
               : check_pattern_count(p->v, pick_total(in));
}

static int64_t
pick_pattern_bytes(const CheckInstr *in)
{
    return (pick_lanes(in) + 7) / 8;
}

bool
check_pattern_strided(const CheckInstr *in)
{
    int reading = chosen(in->choices, CHOICE_VREDUCE_STRIDE);
    bool dense = reading == CHOSE_VREDUCE_STRIDE_DENSE ||
                 (reading == CHOSE_VREDUCE_STRIDE_DENSE_310P &&
                  soc_has(in->soc, FEATURE_PATTERN_310P));
    return is_long(form_of(in)) || !dense;
}

/* Returns the bytes from the bits of a repeat to those of the next. */
static int64_t
pick_pattern_step(const CheckInstr *in)
{
    int64_t stride = in->args[PICK_src1_rep_stride].v;
    return check_pattern_strided(in) ? sat_mul(stride, BLOCK_BYTES)
           : stride == 0             ? 0
                                     : pick_pattern_bytes(in);
}

static int64_t
pick_src_run(const CheckInstr *in)
{
    int64_t per = BLOCK_BYTES / size_of(in, PICK_src0), n = pick_lanes(in);
    int64_t last = n <= 0 ? 0 : (n - 1) / per;
    int64_t blk = sat_mul(in->args[PICK_src0_blk_stride].v, BLOCK_BYTES);
    int64_t end = sat_add(sat_mul(last, blk), (n - last * per) * size_of(in, PICK_src0));
    return last > 0 && end < BLOCK_BYTES ? BLOCK_BYTES : end;
}

static int64_t
repeated(const CheckInstr *in, int64_t step, int64_t len)
{
    int64_t n = check_repeats(in);
    return n == 0 ? 0 : sat_add(sat_mul(n - 1, step), len);
}

static int64_t
pick_extent(const CheckInstr *in, int param)
{
    int64_t kept = pick_kept(in);
    switch (param) {
    case PICK_dst:
        return kept < 0 ? 0 : sat_mul(kept, size_of(in, PICK_dst));
    case PICK_src0:
        return !is_long(form_of(in))
                   ? lanes_extent(in, param)
                   : repeated(in, sat_mul(in->args[PICK_src0_rep_stride].v, BLOCK_BYTES),
                              pick_src_run(in));
    default:
        return repeated(in, pick_pattern_step(in), pick_pattern_bytes(in));
    }
}

/* ---- extents ------------------------------------------------------------- */

/* There is an offset for every lane, without gaps. */
static int64_t
offsets_extent(const CheckInstr *in)
{
    const CheckMask *m = check_mask(in);
    int64_t n = m->form == MASK_COUNTER ? (int64_t)m->w[0]
                                        : sat_mul(check_repeats(in), check_lanes(in));
    return n < 0 ? 0 : sat_mul(n, OFFSET_BYTES);
}

static int64_t
gather_extent(const CheckInstr *in, int param)
{
    bool lanes = form_is_vector(form_of(in), param);
    return param == GATHER_src_offset ? offsets_extent(in)
           : lanes                    ? lanes_extent(in, param)
                                      : 0;
}

static int64_t
gatherb_extent(const CheckInstr *in, int param)
{
    return param == GATHERB_dst ? lanes_extent(in, param)
           : param == GATHERB_src_offsets
               ? repeated(in, BLOCKS * OFFSET_BYTES, BLOCKS * OFFSET_BYTES)
               : 0;
}

/* Returns the bytes from the start of a vertical repeat to the end of its last active
 * lane. */
static int64_t
bi_window(const CheckInstr *in)
{
    int64_t size = size_of(in, BI_dst);
    int per = (int)(BLOCK_BYTES / size), l = check_lanes(in) - 1;
    while (l >= 0 && !check_lane_active(in, 0, l)) {
        l--;
    }
    int64_t blk = sat_mul(in->args[BI_dst_blk_stride].v, BLOCK_BYTES);
    return l < 0 ? 0 : sat_add(sat_mul(l / per, blk), (l % per + 1) * size);
}

static int64_t
bi_extent(const CheckInstr *in, int param)
{
    int64_t steps = sat_mul(in->args[BI_vertical_repeat_times].v,
                            in->args[BI_horizontal_repeat_times].v);
    int64_t size = size_of(in, param);
    if (steps <= 0 || param == BI_src0) {
        return 0;
    }
    if (param == BI_dst) {
        return repeated(in, sat_mul(in->args[BI_vertical_repeat_offset].v, size),
                        bi_window(in));
    }
    bool each_block = param == BI_src0_offset || in->args[BI_repeat_mode].v != 0;
    return sat_mul(sat_mul(steps, each_block ? BLOCKS : 1), size);
}

static int64_t
family_extent(const CheckInstr *in, int param)
{
    switch (form_of(in)) {
    case FORM_GATHER:
    case FORM_SCATTER:
        return gather_extent(in, param);
    case FORM_GATHERB:
        return gatherb_extent(in, param);
    case FORM_BI:
        return bi_extent(in, param);
    default:
        return pick_extent(in, param);
    }
}

/* ---- footprints ---------------------------------------------------------- */

static Footprint
run_footprint(const CheckInstr *in, int param, int64_t len)
{
    return (Footprint){in->args[param].t.offset, 1, 0, 1, 0, len};
}

static Footprint
rows_footprint(const CheckInstr *in, int param, int64_t step, int64_t len)
{
    Footprint f = run_footprint(in, param, len);
    int64_t n = check_repeats(in);
    if (n == 0 || step == len) {
        f.len = sat_mul(n, len);
        return f;
    }
    f.count0 = step == 0 ? 1 : n;
    f.stride0 = step;
    return f;
}

/* Returns the elements that are written, if that is known. The rules of bounds count all
 * lanes of repeats; less is kept of a mask that has not all of them. */
static int64_t
pick_written(const CheckInstr *in)
{
    const CheckMask *m = check_mask(in);
    int64_t kept = pick_kept(in);
    if (kept < 0 || m == NULL || m->form == MASK_COUNTER) {
        return kept;
    }
    int64_t pattern = in->args[PICK_src1_pattern].v;
    return sat_mul(check_repeats(in), check_pattern_count(pattern, lanes_end(in)));
}

static Footprint
pick_footprint(const CheckInstr *in, int param, bool *exact)
{
    if (param == PICK_src0 && !is_long(form_of(in))) {
        return lanes_footprint(in, param, exact);
    }
    if (param == PICK_src1_pattern) {
        return rows_footprint(in, param, pick_pattern_step(in), pick_pattern_bytes(in));
    }
    if (param == PICK_dst) {
        int64_t n = pick_written(in);
        *exact = n >= 0;
        return run_footprint(in, param,
                             sat_mul(n < 0 ? pick_total(in) : n, size_of(in, param)));
    }
    *exact = in->args[PICK_src0_blk_stride].v == 1;
    return rows_footprint(in, param,
                          sat_mul(in->args[PICK_src0_rep_stride].v, BLOCK_BYTES),
                          pick_src_run(in));
}

static bool
every_lane(const CheckInstr *in)
{
    const CheckMask *m = check_mask(in);
    return m == NULL || m->form == MASK_COUNTER ||
           (m->form == MASK_COUNT && (int64_t)m->w[0] == check_lanes(in));
}

static Footprint
family_footprint(const CheckInstr *in, int param, bool *exact)
{
    Form f = form_of(in);
    *exact = true;
    if (is_pick(f)) {
        return pick_footprint(in, param, exact);
    }
    if (form_is_vector(f, param)) {
        return lanes_footprint(in, param, exact);
    }
    int64_t extent = family_extent(in, param);
    *exact = extent > 0 && every_lane(in);
    if (f == FORM_BI && param == BI_dst) {
        *exact = *exact && in->args[BI_dst_blk_stride].v == 1;
        return rows_footprint(
            in, param,
            sat_mul(in->args[BI_vertical_repeat_offset].v, size_of(in, BI_dst)),
            bi_window(in));
    }
    bool anywhere = extent == 0 && check_repeats(in) > 0;
    return run_footprint(in, param, anywhere ? in->args[param].t.bytes : extent);
}

/* ---- types --------------------------------------------------------------- */

static bool
pattern_dtype(const CheckInstr *in, Fault *fault)
{
    Dtype t = in->args[PICK_src1_pattern].t.dtype;
    int64_t size = size_of(in, PICK_src0);
    Dtype want = size == 1 ? DT_U8 : size == 2 ? DT_U16 : DT_U32;
    FaultAt at = {RULE_PATTERN_DTYPE, PICK_src1_pattern, (int64_t)t, want, want};
    return t == want ||
           check_fail(fault, &at, "src1_pattern is %s; for elements of %s it is %s",
                      dtype_name(t), dtype_name(in->args[PICK_src0].t.dtype),
                      dtype_name(want));
}

static bool
offset_dtype(const CheckInstr *in, int param, Fault *fault)
{
    Dtype t = in->args[param].t.dtype;
    Form f = form_of(in);
    bool wide = f == FORM_GATHERB ||
                (f == FORM_GATHER && soc_has(in->soc, FEATURE_GATHER_UNSIGNED));
    FaultAt at = {RULE_OFFSET_DTYPE, param, (int64_t)t, DT_S32, DT_S32};
    return t == DT_S32 || (wide && t == DT_U32) ||
           check_fail(fault, &at, "%s is %s; %s on %s takes int32%s there",
                      check_param_name(in, param), dtype_name(t), check_op_name(in),
                      in->soc->name, wide ? " or uint32" : "");
}

static bool
three_buffers(const CheckInstr *in, Fault *fault)
{
    for (int a = GATHERB_dst; a <= GATHERB_src_offsets; a++) {
        for (int b = a + 1; b <= GATHERB_src_offsets; b++) {
            FaultAt at = {RULE_OVERLAP_FORBIDDEN, b, 0, 0, 0};
            if (in->args[a].t.buffer == in->args[b].t.buffer) {
                return check_fail(fault, &at,
                                  "%s and %s are in the same tensor; %s takes three "
                                  "different ones",
                                  check_param_name(in, a), check_param_name(in, b),
                                  check_op_name(in));
            }
        }
    }
    return true;
}

static bool
family_statics(const CheckInstr *in, Fault *fault)
{
    switch (form_of(in)) {
    case FORM_PICKBITS:
    case FORM_PICK2BITS:
        return pattern_dtype(in, fault);
    case FORM_GATHER:
    case FORM_SCATTER:
        return offset_dtype(in, GATHER_src_offset, fault);
    case FORM_GATHERB:
        return offset_dtype(in, GATHERB_src_offsets, fault) && three_buffers(in, fault);
    case FORM_BI:
        return offset_dtype(in, BI_src0_offset, fault);
    default:
        return true;
    }
}

/* ---- values -------------------------------------------------------------- */

int64_t
check_bi_unit(const Soc *soc, Dtype t)
{
    return soc_has(soc, FEATURE_BI_BYTES_8) ? 8 / dtype_size(t) : 1;
}

/* ---- overlap ------------------------------------------------------------- */

static bool
share_root(const CheckTensor *a, const CheckTensor *b)
{
    return a->buffer == b->buffer && a->offset >= 0 && a->offset < FAR_AWAY &&
           b->offset >= 0 && b->offset < FAR_AWAY;
}

/* Returns where repeats write the elements that they keep, if none before kept fewer than
 * it can. */
static int64_t
pick_window(const CheckInstr *in)
{
    const CheckArg *p = &in->args[PICK_src1_pattern];
    Form f = form_of(in);
    bool number = f == FORM_PICK || f == FORM_PICK2;
    int64_t n = pick_lanes(in);
    return sat_mul(number ? check_pattern_count(p->v, n) : n, size_of(in, PICK_dst));
}

/* What src0 is taken to read where overlap is asked: in each repeat n runs of len bytes,
 * blk from start to start, which are whole blocks. */
typedef struct PickReads {
    int64_t rep, n, blk, len;
} PickReads;

static PickReads
pick_reads(const CheckInstr *in)
{
    bool lanes = !is_long(form_of(in));
    LaneGeometry g = lanes ? check_geometry(in, PICK_src0) : (LaneGeometry){0};
    int64_t per = BLOCK_BYTES / size_of(in, PICK_src0);
    int64_t blocks = (pick_lanes(in) + per - 1) / per;
    PickReads r = {
        .rep = lanes ? g.rep : sat_mul(in->args[PICK_src0_rep_stride].v, BLOCK_BYTES),
        .blk = lanes ? g.blk : sat_mul(in->args[PICK_src0_blk_stride].v, BLOCK_BYTES),
        .n = blocks,
        .len = BLOCK_BYTES};
    if (r.blk <= BLOCK_BYTES) {
        r.len = r.blk == 0 ? BLOCK_BYTES : sat_mul(blocks, BLOCK_BYTES);
        r.n = 1;
    }
    return r;
}

/* All windows, and all that is taken to be read: never less than what is accessed. */
static int64_t
pick_overlap_extent(const CheckInstr *in, int param)
{
    if (param == PICK_dst) {
        return sat_mul(check_repeats(in), pick_window(in));
    }
    PickReads r = pick_reads(in);
    return param == PICK_src0
               ? repeated(in, r.rep, sat_add(sat_mul(r.n - 1, r.blk), r.len))
               : 0;
}

/* Returns the first repeat whose window overlaps the bytes that the next repeat reads; -1
 * when there is none. */
static int64_t
pick_overlaps(const CheckInstr *in, int64_t window, const PickReads *r)
{
    const CheckTensor *d = &in->args[PICK_dst].t, *s = &in->args[PICK_src0].t;
    int64_t found = -1;
    for (int64_t b = 0; b < r->n && b * r->blk < FAR_AWAY; b++) {
        int64_t x = d->offset - s->offset - r->rep - b * r->blk;
        int64_t t = check_first_overlap(x, window - r->rep, window, r->len,
                                        check_repeats(in) - 1);
        found = t >= 0 && (found < 0 || t < found) ? t : found;
    }
    return found;
}

static bool
pick_overlap(const CheckInstr *in, Fault *fault)
{
    const CheckTensor *d = &in->args[PICK_dst].t, *s = &in->args[PICK_src0].t;
    int64_t repeats = check_repeats(in), window = pick_window(in);
    PickReads r = pick_reads(in);
    if (!share_root(d, s) || repeats == 0) {
        return true;
    }
    FaultAt at = {RULE_OVERLAP_SINGLE, PICK_src0, s->offset, 0, 0};
    if (repeats == 1) {
        bool together = d->offset == s->offset && r.blk == BLOCK_BYTES;
        return together ||
               !bytes_overlap(d->offset, window, s->offset, pick_extent(in, PICK_src0)) ||
               check_fail(
                   fault, &at,
                   "dst starts at byte %lld and src0 at byte %lld of the same "
                   "tensor and they share bytes; they must start together or share "
                   "none",
                   (long long)d->offset, (long long)s->offset);
    }
    int64_t t = pick_overlaps(in, window, &r);
    at = (FaultAt){RULE_OVERLAP_MULTI, PICK_src0, t, 0, 0};
    return t < 0 ||
           check_fail(fault, &at,
                      "dst of repeat %lld (from byte %lld) shares bytes with src0 of "
                      "repeat %lld (from byte %lld) of the same tensor",
                      (long long)t, (long long)(d->offset + t * window),
                      (long long)(t + 1), (long long)(s->offset + (t + 1) * r.rep));
}

/* The start of src0 counts, because it is read at any offset. Windows of dst must not
 * overlap. */
static bool
bi_overlap(const CheckInstr *in, int param, Fault *fault)
{
    FaultAt at = {RULE_OVERLAP_FORBIDDEN, param, 0, 0, 0};
    const CheckTensor *b = &in->args[param].t;
    int64_t len = param == BI_src0 ? BLOCK_BYTES : bi_extent(in, param);
    for (int a = BI_dst; a < param; a++) {
        const CheckTensor *t = &in->args[a].t;
        int64_t alen = a == BI_src0 ? BLOCK_BYTES : bi_extent(in, a);
        if (share_root(t, b) && bytes_overlap(t->offset, alen, b->offset, len)) {
            return check_fail(fault, &at,
                              "%s (from byte %lld) and %s (from byte %lld) of one tensor "
                              "share bytes",
                              check_param_name(in, a), (long long)t->offset,
                              check_param_name(in, param), (long long)b->offset);
        }
    }
    int64_t step = sat_mul(in->args[BI_vertical_repeat_offset].v, size_of(in, BI_dst));
    return param != BI_src0 || check_repeats(in) <= 1 ||
           check_bi_windows(bi_window(in), step, fault);
}

bool
check_bi_windows(int64_t window, int64_t step, Fault *fault)
{
    FaultAt at = {RULE_OVERLAP_FORBIDDEN, BI_dst, step, 0, 0};
    return step >= window ||
           check_fail(fault, &at,
                      "dst of one vertical repeat covers %lld bytes; the next one starts "
                      "%lld bytes after its start",
                      (long long)window, (long long)step);
}

static bool
family_has_overlap(Op op, int param)
{
    Form f = op_form(op);
    return f == FORM_BI || (is_pick(f) && param == PICK_src0);
}

static int64_t
family_overlap_extent(const CheckInstr *in, int param)
{
    return is_pick(form_of(in)) ? pick_overlap_extent(in, param) : 0;
}

static bool
family_overlap(const CheckInstr *in, int param, Fault *fault)
{
    return form_of(in) == FORM_BI ? bi_overlap(in, param, fault)
                                  : pick_overlap(in, fault);
}

const FamilyRules rules_gather = {
    .statics = family_statics,
    .extent = family_extent,
    .footprint = family_footprint,
    .overlap = family_overlap,
    .overlap_extent = family_overlap_extent,
    .has_overlap = family_has_overlap,
};
