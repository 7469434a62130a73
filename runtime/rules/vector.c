/* vector.c: operands that are addressed by vector lanes (vector 1.1 to 1.6): geometry,
 * extents, footprints, overlap. It is a part of the checker, whose contract is
 * rules/internal.h. Families that address some of their operands by vector lanes use
 * these functions for them.
 *
 * It owns overlap-single, overlap-multi, overlap-src1-accum. Sums saturate, so all values
 * are safe; results are meaningful only for values within their ranges. */
#include "rules/internal.h"
#include "isa/operand.h"

enum {
    MAX_BLOCKS = REPEAT_BYTES / BLOCK_BYTES
};

/* ---- masks and repeats --------------------------------------------------- */

const CheckMask *
check_mask(const CheckInstr *in)
{
    int slot = op_first(in->op, ROLE_MASK);
    return slot < 0 ? NULL : &in->args[slot].m;
}

Dtype
check_widest(const CheckInstr *in)
{
    Dtype widest = DT_NONE;
    Form form = op_form(in->op);
    for (uint64_t rest = form_vector_bits(form); rest != 0; rest &= rest - 1) {
        Dtype t = in->args[__builtin_ctzll(rest)].t.dtype;
        widest = dtype_size(t) > dtype_size(widest) ? t : widest;
    }
    if (widest == DT_NONE && form_main(form) >= 0) {
        widest = in->args[form_main(form)].t.dtype;
    }
    return widest;
}

int
check_lanes(const CheckInstr *in)
{
    int size = dtype_size(check_widest(in)); /* a power of two, or 0 */
    return size == 0 ? REPEAT_BYTES : REPEAT_BYTES >> __builtin_ctz((unsigned)size);
}

static int64_t
counter_elems(const CheckMask *m)
{
    int64_t n = (int64_t)m->w[0];
    return n < 0 ? 0 : n;
}

bool
check_counts_per_repeat(const CheckInstr *in)
{
    const CheckMask *m = check_mask(in);
    return op_form(in->op) == FORM_VCOPYB && m->form == MASK_COUNTER;
}

int64_t
check_repeats(const CheckInstr *in)
{
    const CheckMask *m = check_mask(in);
    if (m != NULL && m->form == MASK_COUNTER && !check_counts_per_repeat(in)) {
        int64_t n = counter_elems(m);
        int lanes = check_lanes(in);
        return n / lanes + (n % lanes != 0);
    }
    int slot = op_first(in->op, ROLE_REPEAT);
    int64_t n = slot < 0 ? 1 : in->args[slot].v;
    return n < 0 ? 0 : n;
}

/* Returns one past the highest active lane; in counter mode that of a full repeat. */
static int
lane_end(const CheckInstr *in, int lanes)
{
    const CheckMask *m = check_mask(in);
    if (m == NULL) {
        return lanes;
    }
    if (m->form == MASK_COUNT || m->form == MASK_COUNTER) {
        int64_t n = (int64_t)m->w[0];
        return n < 0 ? 0 : n > lanes ? lanes : (int)n;
    }
    for (int i = mask_words(m->form) - 1; i >= 0; i--) {
        if (m->w[i] != 0) {
            int end = 64 * i + 64 - __builtin_clzll(m->w[i]);
            return end > lanes ? lanes : end;
        }
    }
    return 0;
}

int
lanes_end(const CheckInstr *in)
{
    return lane_end(in, check_lanes(in));
}

bool
check_lane_active(const CheckInstr *in, int64_t repeat, int lane)
{
    const CheckMask *m = check_mask(in);
    int lanes = check_lanes(in);
    if (lane < 0 || lane >= lanes) {
        return false;
    }
    if (m == NULL) {
        return true;
    }
    switch (m->form) {
    case MASK_COUNT:
        return lane < (int64_t)m->w[0];
    case MASK_COUNTER:
        return sat_add(sat_mul(repeat, lanes), lane) < counter_elems(m);
    case MASK_BITS:
    case MASK_BITS4:
        return lane < 64 * mask_words(m->form) && (m->w[lane / 64] >> (lane % 64) & 1);
    }
    return false;
}

/* ---- geometry ------------------------------------------------------------ */

/* These return the slots of the operands by which lanes fill a half of each block, and
 * of the unit of strides; -1: the form has none. */
#ifdef TIK_LEAN
#define high_slot(form) form_slot(form, ROLE_ATTR, NAMED(ldst_high_half))
#define unit_slot(form) form_slot(form, ROLE_ATTR, NAMED(stride_unit))
#else
/* Sums of one: the slot plus one of the operand that is named so, of each form. */
#define SECOND(a, b, ...)         b
#define IS(...)                   SECOND(__VA_ARGS__, 0, 0)
#define UNIT_NAMED_stride_unit    ~, 1
#define HIGH_NAMED_ldst_high_half ~, 1

static const uint8_t units[FORM_COUNT + 1] = {
#define SUM(slot, role, name)     +((slot) + 1) * IS(UNIT_NAMED_##name)
#include "isa/form_sum.def"
};

static const uint8_t highs[FORM_COUNT + 1] = {
#define SUM(slot, role, name) +((slot) + 1) * IS(HIGH_NAMED_##name)
#include "isa/form_sum.def"
};

static int
high_slot(Form form)
{
    return highs[form] - 1;
}

static int
unit_slot(Form form)
{
    return units[form] - 1;
}
#endif

static int64_t
slot_value(const CheckInstr *in, int slot, int64_t missing)
{
    return slot < 0 ? missing : in->args[slot].v;
}

/* All sizes are powers of two. Scaled 8-bit results (vector 3.5) fill a half of each
 * block; blocks are where those of 16-bit elements would be. */
LaneGeometry
check_geometry(const CheckInstr *in, int param)
{
    Form form = op_form(in->op);
    LaneOperand l = form_lanes(form, param);
    LaneGeometry g = {.lanes = check_lanes(in),
                      .size = dtype_size(in->args[param].t.dtype)};
    g.share = dtype_is_half_byte(in->args[param].t.dtype) ? 2 : 1;
    int high = high_slot(form);
    int half = high >= 0 && param == form_first(form, ROLE_DST);
    g.per_block = (BLOCK_BYTES >> __builtin_ctz((unsigned)g.size)) * g.share >> half;
    g.first = half && in->args[high].v != 0 ? BLOCK_BYTES / 2 : 0;
    g.blocks = (g.lanes + g.per_block - 1) >> __builtin_ctz((unsigned)g.per_block);
    int64_t unit = slot_value(in, unit_slot(form), 0);
    int64_t blk = slot_value(in, l.blk, 1);
    int64_t rep = slot_value(in, l.rep, g.blocks);
    blk = blk == 0 && unit < 2 && form_blk0_is_1(form, param, in->choices) ? 1 : blk;
    int64_t step = unit >= 2 ? BLOCK_BYTES / g.per_block : BLOCK_BYTES;
    g.blk = sat_add(sat_mul(blk, step), unit >= 2 ? BLOCK_BYTES : 0);
    g.rep = sat_mul(rep, step);
    if (unit & 1) { /* the gap after the last block */
        g.rep = sat_add(g.rep, sat_add(sat_mul(g.blocks - 1, g.blk), BLOCK_BYTES));
    }
    return g;
}

/* Returns the bytes of contiguous elements. */
static int64_t
bytes_of(const LaneGeometry *g, int64_t lanes)
{
    return sat_mul(sat_add(lanes, g->share - 1) / g->share, g->size);
}

/* Returns the bytes from the start of a repeat to one past its first `lanes` lanes. */
static int64_t
run_of(const LaneGeometry *g, int64_t lanes)
{
    if (lanes <= 0) {
        return 0;
    }
    int64_t last = (lanes - 1) / g->per_block;
    int64_t end = sat_add(sat_mul(last, g->blk),
                          g->first + bytes_of(g, lanes - last * g->per_block));
    return last > 0 && end < BLOCK_BYTES ? BLOCK_BYTES : end;
}

int64_t
lanes_extent(const CheckInstr *in, int param)
{
    LaneGeometry g = check_geometry(in, param);
    const CheckMask *m = check_mask(in);
    int64_t repeats = check_repeats(in);
    int64_t run = run_of(&g, lane_end(in, g.lanes));
    if (repeats == 0 || run == 0) {
        return 0;
    }
    if (m == NULL || m->form != MASK_COUNTER || repeats == 1) {
        return sat_add(sat_mul(repeats - 1, g.rep), run);
    }
    int64_t rest = counter_elems(m) - (repeats - 1) * g.lanes;
    int64_t last = sat_add(sat_mul(repeats - 1, g.rep), run_of(&g, rest));
    int64_t before = sat_add(sat_mul(repeats - 2, g.rep), run);
    return last > before ? last : before;
}

/* Returns whether a mask of bits leaves out lanes below its highest. */
static bool
has_holes(const CheckMask *m, int end)
{
    int on = 0;
    for (int i = 0; i < mask_words(m->form); i++) {
        on += __builtin_popcountll(m->w[i]);
    }
    return on != end;
}

/* Merges contiguous blocks into one run. */
static void
contiguous(const CheckInstr *in, const LaneGeometry *g, int end, Footprint *f,
           bool *exact)
{
    const CheckMask *m = check_mask(in);
    f->count0 = check_repeats(in);
    f->stride0 = g->rep;
    f->len = bytes_of(g, end);
    if (m != NULL && m->form == MASK_COUNTER && g->rep == bytes_of(g, g->lanes)) {
        f->count0 = f->count0 != 0;
        f->len = bytes_of(g, counter_elems(m));
    } else if (m != NULL && m->form == MASK_COUNTER) {
        *exact = counter_elems(m) % g->lanes == 0 || f->count0 == 1;
    }
    if (f->stride0 == f->len && f->count0 > 1) {
        f->len = sat_mul(f->len, f->count0);
        f->count0 = 1;
    }
}

Footprint
lanes_footprint(const CheckInstr *in, int param, bool *exact)
{
    LaneGeometry g = check_geometry(in, param);
    const CheckMask *m = check_mask(in);
    int end = lane_end(in, g.lanes);
    Footprint f = {in->args[param].t.offset + g.first, 1, 0, 1, 0, 0};
    int64_t block = bytes_of(&g, g.per_block); /* bytes of a block that are used */
    bool bits = m != NULL && (m->form == MASK_BITS || m->form == MASK_BITS4);
    *exact = !bits || !has_holes(m, end);
    if (g.blk == block || end <= g.per_block) {
        contiguous(in, &g, end, &f, exact);
        return f;
    }
    f.count0 = (end + g.per_block - 1) / g.per_block;
    f.stride0 = g.blk;
    f.count1 = check_repeats(in);
    f.stride1 = g.rep;
    f.len = block;
    *exact = *exact && end % g.per_block == 0 &&
             (m == NULL || m->form != MASK_COUNTER || counter_elems(m) % g.lanes == 0);
    if (g.blk == 0) {
        f.count0 = 1;
    }
    return f;
}

/* ---- overlap ------------------------------------------------------------- */

/* The bytes of the blocks of a repeat, in each from the first to the last active lane.
 * Those that follow each other without a gap are one run. */
typedef struct Hulls {
    int32_t start[MAX_BLOCKS]; /* from the operand on */
    int16_t len[MAX_BLOCKS];
    int16_t n;
} Hulls;

/* An operand that is followed through the repeats. */
typedef struct Side {
    int param;
    int64_t offset, rep, blk;
    Hulls hulls; /* of the first repeat, or of the last one */
} Side;

/* Gives the first and one past the last active lane of block b in a repeat; they are
 * equal when there is none. */
static void
active_in_block(const CheckMask *m, const LaneGeometry *g, int64_t repeat, int b, int *lo,
                int *hi)
{
    int first = b * g->per_block;
    *lo = 0;
    *hi = g->per_block;
    if (m != NULL && (m->form == MASK_BITS || m->form == MASK_BITS4)) {
        uint64_t bits =
            first < 64 * mask_words(m->form) ? m->w[first / 64] >> (first % 64) : 0;
        bits &= g->per_block < 64 ? ((uint64_t)1 << g->per_block) - 1 : UINT64_MAX;
        *lo = bits ? __builtin_ctzll(bits) : 0;
        *hi = bits ? 64 - __builtin_clzll(bits) : 0;
    } else if (m != NULL) {
        int64_t before = m->form == MASK_COUNTER ? sat_mul(repeat, g->lanes) : 0;
        int64_t rest = sat_add(counter_elems(m), -before) - first;
        *hi = rest <= 0 ? 0 : rest < g->per_block ? (int)rest : g->per_block;
    }
}

/* The starts of legal strides have at most 24 bits, and repeats have 256 bytes. */
static void
add_hull(Hulls *h, int64_t start, int64_t len)
{
    int last = h->n - 1;
    if (last >= 0 && (int64_t)h->start[last] + h->len[last] == start) {
        h->len[last] = (int16_t)(h->len[last] + len);
    } else if (len > 0) {
        h->start[h->n] = (int32_t)(start < INT32_MAX ? start : INT32_MAX);
        h->len[h->n++] = (int16_t)len;
    }
}

static void
hulls_of(const CheckInstr *in, const LaneGeometry *g, int64_t repeat, Hulls *h)
{
    const CheckMask *m = check_mask(in);
    h->n = 0;
    for (int b = 0; b < g->blocks; b++) {
        int lo, hi;
        active_in_block(m, g, repeat, b, &lo, &hi);
        int64_t before = lo / g->share * g->size;
        add_hull(h, sat_add(g->first + before, sat_mul(b, g->blk)),
                 bytes_of(g, hi) - before);
    }
}

static void
side_of(const CheckInstr *in, int param, Side *s)
{
    LaneGeometry g = check_geometry(in, param);
    s->param = param;
    s->offset = in->args[param].t.offset;
    s->rep = g.rep;
    s->blk = g.blk;
    hulls_of(in, &g, 0, &s->hulls);
}

/* The same in the last repeat, of which counter mode may leave out lanes. */
static void
last_side(const CheckInstr *in, Side *s)
{
    const CheckMask *m = check_mask(in);
    if (m != NULL && m->form == MASK_COUNTER) {
        LaneGeometry g = check_geometry(in, s->param);
        hulls_of(in, &g, check_repeats(in) - 1, &s->hulls);
    }
}

static bool
hulls_overlap(const Side *a, const Side *b)
{
    for (int i = 0; i < a->hulls.n; i++) {
        for (int j = 0; j < b->hulls.n; j++) {
            if (bytes_overlap(a->offset + a->hulls.start[i], a->hulls.len[i],
                              b->offset + b->hulls.start[j], b->hulls.len[j])) {
                return true;
            }
        }
    }
    return false;
}

int64_t
check_first_overlap(int64_t x, int64_t step, int64_t wlen, int64_t rlen, int64_t n)
{
    int64_t lo = 0, hi = n - 1;
    if (step == 0 || n <= 1) { /* the first tells */
        return x > -wlen && x < rlen && n > 0 ? 0 : -1;
    }
    int64_t up = step > 0 ? rlen - 1 - x : -wlen + 1 - x;
    int64_t down = step > 0 ? -wlen + 1 - x : rlen - 1 - x;
    int64_t most = div_floor(up, step);
    int64_t least = div_ceil(down, step);
    lo = least > lo ? least : lo;
    hi = most < hi ? most : hi;
    return lo <= hi ? lo : -1;
}

/* Returns the first of n repeats t, from first on, in which w overlaps r of repeat t+1;
 * -1 when there is none. */
LEAN_APART static int64_t
repeats_overlap(const Side *w, const Side *r, int64_t first, int64_t n)
{
    int64_t found = -1, step = w->rep - r->rep;
    int64_t apart = w->offset - r->offset - r->rep + first * step;
    for (int i = 0; i < w->hulls.n; i++) {
        for (int j = 0; j < r->hulls.n; j++) {
            int64_t x = apart + w->hulls.start[i] - r->hulls.start[j];
            int64_t t = check_first_overlap(x, step, w->hulls.len[i], r->hulls.len[j], n);
            found = t >= 0 && (found < 0 || t < found) ? t : found;
        }
    }
    return found < 0 ? -1 : first + found;
}

static bool
report_single(const CheckInstr *in, const Side *d, const Side *s, bool together,
              Fault *fault)
{
    if (together || !hulls_overlap(d, s)) {
        return true;
    }
    FaultAt at = {RULE_OVERLAP_SINGLE, s->param, s->offset, 0, 0};
    return check_fail(
        fault, &at,
        "%s starts at byte %lld and %s at byte %lld of the same tensor and they "
        "share bytes; they must start together or share none",
        check_param_name(in, d->param), (long long)d->offset,
        check_param_name(in, s->param), (long long)s->offset);
}

LEAN_APART static bool
single_overlap(const CheckInstr *in, int dst, int param, Fault *fault)
{
    Side d, s;
    side_of(in, dst, &d);
    side_of(in, param, &s);
    int dsize = dtype_size(in->args[dst].t.dtype);
    int ssize = dtype_size(in->args[param].t.dtype);
    int share = dtype_is_half_byte(in->args[dst].t.dtype) ? 2 : 1;
    bool together = d.offset / dsize * share == s.offset / ssize && d.blk == s.blk;
    return report_single(in, &d, &s, together, fault);
}

LEAN_APART static bool
report_repeats(const CheckInstr *in, Rule rule, const Side *w, Side *r, Fault *fault)
{
    int64_t last = check_repeats(in) - 2, t = repeats_overlap(w, r, 0, last);
    if (t < 0) {
        last_side(in, r);
        t = repeats_overlap(w, r, last, 1);
    }
    if (t < 0) {
        return true;
    }
    FaultAt at = {rule, rule == RULE_OVERLAP_SRC1 ? 2 : r->param, t, 0, 0};
    return check_fail(
        fault, &at,
        "%s of repeat %lld (from byte %lld) shares bytes with %s of repeat %lld "
        "(from byte %lld) of the same tensor",
        check_param_name(in, w->param), (long long)t, (long long)(w->offset + t * w->rep),
        check_param_name(in, r->param), (long long)(t + 1),
        (long long)(r->offset + (t + 1) * r->rep));
}

bool
check_overlap_is_regular(Form f, int param)
{
    int dst = form_first(f, ROLE_DST);
    return form_family(f) == FAM_MOVE ||
           (dst >= 0 && form_is_vector(f, dst) && form_is_vector(f, param));
}

/* Returns whether an instruction with two sources accumulates: dst is src1 and both stay
 * in place while src0 goes on. dst and src1 have the same bytes then, so a src0 that is
 * apart from the one is apart from the other; the proofs rely on that. */
LEAN_APART static bool
accumulates(const CheckInstr *in)
{
    Form form = op_form(in->op);
    const CheckTensor *dst = &in->args[VBIN_dst].t;
    const CheckTensor *src1 = &in->args[VBIN_src1].t;
    Sem sem = op_sem(in->op);
    bool op_ok = sem == SEM_ADD || sem == SEM_SUB || sem == SEM_MUL || sem == SEM_MAX ||
                 sem == SEM_MIN || sem == SEM_AND || sem == SEM_OR;
    bool dtype_ok = dst->dtype == DT_F16 || dst->dtype == DT_F32 || dst->dtype == DT_S32;
    if ((form != FORM_VBIN && form != FORM_VBINB) || !op_ok || !dtype_ok ||
        dst->buffer != src1->buffer || dst->offset != src1->offset) {
        return false;
    }
    LaneGeometry d = check_geometry(in, VBIN_dst);
    LaneGeometry s = check_geometry(in, VBIN_src1);
    return d.rep == 0 && s.rep == 0 && d.blk == s.blk;
}

/* Returns whether the offsets of operands follow the rules of alignment and bounds. */
static bool
is_near(const CheckTensor *t)
{
    return t->offset >= 0 && t->offset < FAR_AWAY;
}

LEAN_APART static bool
repeats_apart(const CheckInstr *in, Rule rule, int dst, int param, Fault *fault)
{
    Side w, r;
    side_of(in, dst, &w);
    side_of(in, param, &r);
    return report_repeats(in, rule, &w, &r, fault);
}

bool
lanes_overlap(const CheckInstr *in, int dst, int param, Fault *fault)
{
    const CheckTensor *d = &in->args[dst].t;
    const CheckTensor *s = &in->args[param].t;
    int64_t repeats = check_repeats(in);
    if (d->buffer != s->buffer || !is_near(d) || !is_near(s) || repeats == 0 ||
        d->offset % BLOCK_BYTES != 0 || s->offset % BLOCK_BYTES != 0) {
        return true;
    }
    if (repeats == 1) {
        return single_overlap(in, dst, param, fault);
    }
    bool accum = accumulates(in);
    if ((!accum || param != 3) &&
        !repeats_apart(in, RULE_OVERLAP_MULTI, dst, param, fault)) {
        return false;
    }
    /* A form that accumulates in src1 reads it between its writes: so is src0. */
    return param != 2 || !accum ||
           (repeats_apart(in, RULE_OVERLAP_SRC1, 2, 3, fault) &&
            repeats_apart(in, RULE_OVERLAP_SRC1, 3, 2, fault));
}

bool
lanes_overlap_run(const CheckInstr *in, int dst, int64_t len, int64_t step, int param,
                  Fault *fault)
{
    const CheckTensor *d = &in->args[dst].t;
    const CheckTensor *s = &in->args[param].t;
    int64_t repeats = check_repeats(in);
    if (d->buffer != s->buffer || !is_near(d) || !is_near(s) || repeats == 0) {
        return true;
    }
    Side r, w = {.param = dst, .offset = d->offset, .rep = step};
    add_hull(&w.hulls, 0, len);
    side_of(in, param, &r);
    return repeats == 1 ? report_single(in, &w, &r, d->offset == s->offset, fault)
                        : report_repeats(in, RULE_OVERLAP_MULTI, &w, &r, fault);
}

bool
check_apart(const CheckInstr *in, Rule rule, int other, int param, Fault *fault)
{
    const CheckTensor *a = &in->args[other].t;
    const CheckTensor *b = &in->args[param].t;
    int64_t alen = check_extent(in, other), blen = check_extent(in, param);
    FaultAt at = {rule, param, b->offset, 0, 0};
    return a->buffer != b->buffer || !bytes_overlap(a->offset, alen, b->offset, blen) ||
           check_fail(fault, &at,
                      "%s has bytes %lld to %lld and %s has bytes %lld to %lld of the "
                      "same tensor; they must share none",
                      check_param_name(in, other), (long long)a->offset,
                      (long long)sat_add(a->offset, alen - 1),
                      check_param_name(in, param), (long long)b->offset,
                      (long long)sat_add(b->offset, blen - 1));
}

static bool
lanes_family_overlap(const CheckInstr *in, int param, Fault *fault)
{
    return lanes_overlap(in, 1, param, fault);
}

const FamilyRules rules_lanes = {.footprint = lanes_footprint,
                                 .overlap = lanes_family_overlap,
                                 NOT_LEAN(.placeless = true)};
