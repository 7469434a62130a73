/* overlap.c: overlap of sources with the destination (data-movement 2.4; vector 1.6). Part of the
 * checker. Owns overlap, overlap-single, overlap-multi, overlap-src1-accum. Presupposes operands
 * that are aligned, inside their tensor and within their ranges; holds otherwise.
 *
 * Vector operands are aligned to blocks, so two repeats can only meet in equal blocks. With the block
 * numbers D of a destination repeat and S of a source repeat, block b of the one meets block
 * b + D - S of the other. Per block the bytes from the first to the last active lane count. */
#include "isa/check_int.h"

/* Beyond this no root tensor ends; keeps the sums below exact. */
static const int64_t far_away = (int64_t)1 << 48;

/* ---- moves ------------------------------------------------------------------------------------- */

typedef struct Runs {
    int64_t start, n, pitch, len;
} Runs;

/* Whether a burst of a meets one of b; *i and *j get the first such pair. */
static bool
runs_meet(const Runs *a, const Runs *b, int64_t *i, int64_t *j)
{
    *i = 0;
    *j = 0;
    while (*i < a->n && *j < b->n) {
        int64_t at = a->start + *i * a->pitch;
        int64_t bt = b->start + *j * b->pitch;
        if (at + a->len <= bt) {
            ++*i;
        } else if (bt + b->len <= at) {
            ++*j;
        } else {
            return true;
        }
    }
    return false;
}

static Runs
move_runs(const CheckInstr *in, int param)
{
    bool exact;
    Footprint f = check_footprint(in, param, &exact);
    return (Runs){f.offset, f.count0, f.stride0, f.len};
}

static bool
move_overlap(const CheckInstr *in, Fault *fault)
{
    Runs d = move_runs(in, MV_DST);
    Runs s = move_runs(in, MV_SRC);
    bool same_shape = d.n == s.n && d.len == s.len && (d.n == 1 || d.pitch == s.pitch);
    int64_t i, j;
    if ((d.start == s.start && same_shape) || !runs_meet(&d, &s, &i, &j)) {
        return true;
    }
    int64_t dst = d.start + i * d.pitch;
    int64_t src = s.start + j * s.pitch;
    FaultAt at = {RULE_OVERLAP, MV_SRC, src, 0, 0};
    return check_fail(
        fault, &at,
        "the move writes bytes %lld to %lld and reads bytes %lld to %lld of the "
        "same tensor; they must be disjoint, or all of the move identical",
        (long long)dst, (long long)(dst + d.len - 1), (long long)src,
        (long long)(src + s.len - 1));
}

/* ---- vector -------------------------------------------------------------------------------------- */

enum {
    BLOCKS = REPEAT_BYTES / BLOCK_BYTES
};

/* Active elements of each block of a repeat, from lo up to but not including hi; hi 0: none. */
typedef struct Hulls {
    uint8_t lo[BLOCKS], hi[BLOCKS];
} Hulls;

static Hulls
hulls_of_count(int64_t n, int per_block)
{
    Hulls h = {{0}, {0}};
    for (int b = 0; b < BLOCKS; b++) {
        int64_t rest = n - (int64_t)b * per_block;
        h.hi[b] = (uint8_t)(rest < 0 ? 0 : rest > per_block ? per_block : rest);
    }
    return h;
}

static Hulls
hulls_of_bits(const CheckMask *m, int per_block)
{
    Hulls h = {{0}, {0}};
    for (int b = 0; b < BLOCKS; b++) {
        int lane = b * per_block;
        uint64_t bits =
            lane < 64 * mask_words(m->form) ? m->w[lane / 64] >> (lane % 64) : 0;
        bits &= ((uint64_t)1 << per_block) - 1;
        if (bits != 0) {
            h.lo[b] = (uint8_t)__builtin_ctzll(bits);
            h.hi[b] = (uint8_t)(64 - __builtin_clzll(bits));
        }
    }
    return h;
}

static Hulls
hulls_of_repeat(const CheckInstr *in, int64_t repeat)
{
    const CheckMask *m = &in->args[0].m;
    int per_block = BLOCK_BYTES / dtype_size(in->args[1].t.dtype);
    if (m->form == MASK_COUNT) {
        return hulls_of_count((int64_t)m->w[0], per_block);
    }
    if (m->form == MASK_COUNTER) {
        return hulls_of_count((int64_t)m->w[0] - repeat * check_lanes(in), per_block);
    }
    return hulls_of_bits(m, per_block);
}

/* Whether a repeat at block number x + distance meets one at block number x. */
static bool
hulls_meet(const Hulls *a, const Hulls *b, int64_t distance)
{
    for (int i = 0; i < BLOCKS; i++) {
        int64_t j = i + distance;
        if (j >= 0 && j < BLOCKS && a->lo[i] < b->hi[j] && b->lo[j] < a->hi[i]) {
            return true;
        }
    }
    return false;
}

typedef struct Side {
    int64_t block, stride; /* in blocks */
    int param;
} Side;

static Side
side_of(const CheckInstr *in, int param)
{
    return (Side){in->args[param].t.offset / BLOCK_BYTES, check_stride(in, param), param};
}

/* The first t in [0, pairs) at which repeat t of w and repeat t+1 of r are exactly k blocks apart;
 * -1: none. */
static int64_t
repeat_at_distance(const Side *w, const Side *r, int64_t pairs, int64_t k)
{
    int64_t first = w->block - r->block - r->stride;
    int64_t step = w->stride - r->stride;
    if (step == 0) {
        return first == k && pairs > 0 ? 0 : -1;
    }
    int64_t t = (k - first) / step;
    return (k - first) % step == 0 && t >= 0 && t < pairs ? t : -1;
}

/* The first t at which repeat t of w meets repeat t+1 of r; -1: none. */
static int64_t
repeats_meet(const CheckInstr *in, const Side *w, const Side *r)
{
    int64_t pairs = check_repeats(in) - 1;
    Hulls full = hulls_of_repeat(in, 0);
    Hulls last = hulls_of_repeat(in, pairs);
    int64_t found = -1;
    for (int64_t k = 1 - BLOCKS; k < BLOCKS; k++) {
        if (hulls_meet(&full, &full, k)) {
            int64_t t = repeat_at_distance(w, r, pairs - 1, k);
            found = t >= 0 && (found < 0 || t < found) ? t : found;
        }
    }
    int64_t t = pairs - 1;
    int64_t apart = w->block + t * w->stride - r->block - (t + 1) * r->stride;
    return found < 0 && hulls_meet(&full, &last, apart) ? t : found;
}

static bool
single_overlap(const CheckInstr *in, int param, Fault *fault)
{
    Side d = side_of(in, 1);
    Side s = side_of(in, param);
    Hulls h = hulls_of_repeat(in, 0);
    if (d.block == s.block || !hulls_meet(&h, &h, d.block - s.block)) {
        return true;
    }
    int n;
    const char *name = form_params(op_table[in->op].form, &n)[param].name;
    FaultAt at = {RULE_OVERLAP_SINGLE, param, in->args[param].t.offset, 0, 0};
    return check_fail(
        fault, &at,
        "dst starts at byte %lld and %s at byte %lld of the same tensor and they "
        "share bytes; they must start together or share none",
        (long long)in->args[1].t.offset, name, (long long)in->args[param].t.offset);
}

static bool
report_repeats(const CheckInstr *in, Rule rule, const Side *w, const Side *r,
               Fault *fault)
{
    int64_t t = repeats_meet(in, w, r);
    if (t < 0) {
        return true;
    }
    int n;
    const ParamInfo *p = form_params(op_table[in->op].form, &n);
    FaultAt at = {rule, w->param == 1 ? r->param : 2, t, 0, 0};
    return check_fail(
        fault, &at,
        "%s of repeat %lld (from byte %lld) shares bytes with %s of repeat %lld "
        "(from byte %lld) of the same tensor",
        p[w->param].name, (long long)t,
        (long long)((w->block + t * w->stride) * BLOCK_BYTES), p[r->param].name,
        (long long)(t + 1), (long long)((r->block + (t + 1) * r->stride) * BLOCK_BYTES));
}

/* Accumulating form: dst is src1 and both stay in place while src0 goes on. */
static bool
accumulates(const CheckInstr *in)
{
    const CheckTensor *dst = &in->args[1].t;
    const CheckTensor *src1 = &in->args[3].t;
    Sem sem = op_table[in->op].sem;
    bool op_ok = sem == SEM_ADD || sem == SEM_SUB || sem == SEM_MUL || sem == SEM_MAX ||
                 sem == SEM_MIN || sem == SEM_AND || sem == SEM_OR;
    bool dtype_ok = dst->dtype == DT_F16 || dst->dtype == DT_F32 || dst->dtype == DT_S32;
    return op_table[in->op].form == FORM_VBIN && op_ok && dtype_ok &&
           dst->buffer == src1->buffer && dst->offset == src1->offset &&
           check_stride(in, 1) == 0 && check_stride(in, 3) == 0;
}

static bool
vector_overlap(const CheckInstr *in, int param, Fault *fault)
{
    int64_t repeats = check_repeats(in);
    if (repeats <= 1) {
        return repeats == 0 || single_overlap(in, param, fault);
    }
    if (accumulates(in) && param == 3) {
        return true;
    }
    Side d = side_of(in, 1);
    Side s = side_of(in, param);
    return report_repeats(in, RULE_OVERLAP_MULTI, &d, &s, fault);
}

/* src0 against src1 where the form accumulates in src1. */
static bool
accumulate_overlap(const CheckInstr *in, Fault *fault)
{
    Side src0 = side_of(in, 2);
    Side src1 = side_of(in, 3);
    return report_repeats(in, RULE_OVERLAP_SRC1, &src0, &src1, fault) &&
           report_repeats(in, RULE_OVERLAP_SRC1, &src1, &src0, fault);
}

bool
check_overlap(const CheckInstr *in, int param, Fault *fault)
{
    bool move = op_table[in->op].form == FORM_MOVE;
    const CheckTensor *dst = &in->args[move ? MV_DST : 1].t;
    const CheckTensor *src = &in->args[param].t;
    bool near = dst->offset >= 0 && dst->offset < far_away && src->offset >= 0 &&
                src->offset < far_away;
    if (dst->buffer != src->buffer || !near) {
        return true;
    }
    if (move) {
        return move_overlap(in, fault);
    }
    if (dst->offset % BLOCK_BYTES != 0 || src->offset % BLOCK_BYTES != 0) {
        return true;
    }
    if (!vector_overlap(in, param, fault)) {
        return false;
    }
    return param != 2 || !accumulates(in) || check_repeats(in) < 2 ||
           accumulate_overlap(in, fault);
}
