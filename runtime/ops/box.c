/* box.c: areas of boxes, sums of all pairs, and the suppression of candidates (vector
 * 9.2, 9.4) for compiled kernels. Boxes of a group are split into rows of corners, so
 * that every step is a loop over many numbers. */
#include "ops/internal.h"
#include "isa/operand.h"

#include <string.h>

#include "rules/sort.h"
#include "num/half.h"
#include "num/conv.h"

enum {
    CORNERS = 4, /* x1 y1 x2 y2 */
    AXES = 2,
    PAIRS = SORT_GROUP * SORT_GROUP,
    MOST = AXES * PAIRS /* numbers that are computed at once */
};

typedef struct Boxes {
    float corner[CORNERS][SORT_GROUP];
} Boxes;

static void
widen(float *to, const uint16_t *from, int n)
{
    static const NumConv conv = {NUM_F32, NUM_F16, NUM_NEAREST, true};
    num_conv(&conv, to, from, n);
}

static void
narrow(uint16_t *to, const float *from, int n, bool saturates)
{
    static const NumConv conv = {NUM_F16, NUM_F32, NUM_NEAREST, true};
    num_conv(&conv, to, from, n);
    for (int i = 0; saturates && i < n; i++) {
        to[i] = half_finite(to[i]);
    }
}

static void
load(float *to, const uint8_t *at, bool half)
{
    uint16_t h[SORT_GROUP];
    if (half) {
        memcpy(h, at, sizeof h);
        widen(to, h, SORT_GROUP);
    } else {
        memcpy(to, at, SORT_GROUP * sizeof *to);
    }
}

static void
load_boxes(Boxes *b, const uint8_t *at, bool half)
{
    if (!half) {
        float rows[SORT_GROUP][PROPOSAL_ELEMS];
        memcpy(rows, at, sizeof rows);
        for (int k = 0; k < CORNERS * SORT_GROUP; k++) {
            b->corner[k / SORT_GROUP][k % SORT_GROUP] =
                rows[k % SORT_GROUP][k / SORT_GROUP];
        }
        return;
    }
    uint16_t rows[SORT_GROUP][PROPOSAL_ELEMS], h[CORNERS][SORT_GROUP];
    memcpy(rows, at, sizeof rows);
    for (int k = 0; k < CORNERS * SORT_GROUP; k++) {
        h[k / SORT_GROUP][k % SORT_GROUP] = rows[k % SORT_GROUP][k / SORT_GROUP];
    }
    widen(b->corner[0], h[0], CORNERS * SORT_GROUP);
}

/* once: results are rounded only when they are stored. */
typedef struct Step {
    float offset;
    bool half, once, saturates;
} Step;

static void
store(uint8_t *at, const float *from, int n, const Step *step)
{
    if (step->half) {
        uint16_t h[PAIRS];
        narrow(h, from, n, step->saturates);
        memcpy(at, h, (size_t)n * sizeof *h);
        return;
    }
    uint32_t s[PAIRS];
    for (int i = 0; i < n; i++) {
        s[i] = float_bits_canonical(from[i]);
    }
    memcpy(at, s, (size_t)n * sizeof *s);
}

static void
round_all(float *v, int n, const Step *s)
{
    uint16_t h[MOST];
    if (s->half && !s->once) {
        narrow(h, v, n, s->saturates);
        widen(v, h, n);
    }
}

static bool
is_half(const OpCall *c)
{
    return c->in.args[OUTER_dst].t.dtype == DT_F16;
}

static Step
step_of(const OpCall *c)
{
    uint16_t half;
    float single;
    memcpy(&half, c->sreg + SREG_RPN_OFFSET16, sizeof half);
    memcpy(&single, c->sreg + SREG_RPN_OFFSET32, sizeof single);
    return (Step){.offset = is_half(c) ? half_to_float(half) : single,
                  .half = is_half(c),
                  .once = chosen(c->in.choices, CHOICE_PROPOSAL_ROUNDING) ==
                          CHOSE_PROPOSAL_ROUNDING_ONCE,
                  .saturates = chosen(c->in.choices, CHOICE_FLOAT16_OVERFLOW) ==
                               CHOSE_FLOAT16_OVERFLOW_SATURATE};
}

/* Computes high = high - low + offset, with each step rounded. */
static void
sides(float *restrict high, const float *restrict low, int n, const Step *s)
{
    for (int i = 0; i < n; i++) {
        high[i] -= low[i];
    }
    round_all(high, n, s);
    for (int i = 0; i < n; i++) {
        high[i] += s->offset;
    }
    round_all(high, n, s);
}

static void
multiply(float *restrict a, const float *restrict b, int n)
{
    for (int i = 0; i < n; i++) {
        a[i] *= b[i];
    }
}

bool
ops_vrpac(OpCall *c)
{
    bool half = is_half(c);
    int64_t values = SORT_GROUP * (half ? 2 : 4);
    Step step = step_of(c);
    for (int64_t r = 0; r < c->in.args[FIELD_repeat_times].v; r++) {
        Boxes b;
        load_boxes(&b, c->at[RECORDS_src] + r * values * PROPOSAL_ELEMS, half);
        sides(b.corner[2], b.corner[0], AXES * SORT_GROUP, &step);
        multiply(b.corner[2], b.corner[3], SORT_GROUP);
        store(c->at[RECORDS_dst] + r * values, b.corner[2], SORT_GROUP, &step);
    }
    return true;
}

/* Computes where the overlap of box i of a with each box of b begins and ends along an
 * axis. */
static void
common(float *restrict first, float *restrict last, const Boxes *a, const Boxes *b, int i,
       int axis)
{
    float al = a->corner[axis][i], ah = a->corner[axis + AXES][i];
    const float *bl = b->corner[axis], *bh = b->corner[axis + AXES];
    for (int j = 0; j < SORT_GROUP; j++) {
        /* NaN wins; the first of equal numbers wins. */
        float low = bl[j] > al ? bl[j] : al;
        float high = bh[j] < ah ? bh[j] : ah;
        first[j] = bl[j] == bl[j] ? low : bl[j];
        last[j] = bh[j] == bh[j] ? high : bh[j];
    }
}

bool
ops_viou(OpCall *c)
{
    bool half = is_half(c);
    int64_t values = SORT_GROUP * (half ? 2 : 4);
    Step step = step_of(c);
    for (int64_t r = 0; r < c->in.args[OUTER_repeat_times].v; r++) {
        Boxes a, b;
        float first[MOST], last[MOST];
        load_boxes(&a, c->at[OUTER_src0] + r * values * PROPOSAL_ELEMS, half);
        load_boxes(&b, c->at[OUTER_src1], half);
        for (int i = 0; i < MOST / SORT_GROUP; i++) {
            common(first + i * SORT_GROUP, last + i * SORT_GROUP, &a, &b, i % SORT_GROUP,
                   i / SORT_GROUP);
        }
        sides(last, first, MOST, &step);
        for (int i = 0; i < MOST; i++) {
            last[i] = last[i] <= 0 ? 0 : last[i];
        }
        multiply(last, last + PAIRS, PAIRS);
        store(c->at[OUTER_dst] + r * SORT_GROUP * values, last, PAIRS, &step);
    }
    return true;
}

bool
ops_vaadd(OpCall *c)
{
    bool half = is_half(c);
    Step step = step_of(c);
    int64_t values = SORT_GROUP * (half ? 2 : 4);
    for (int64_t r = 0; r < c->in.args[OUTER_repeat_times].v; r++) {
        float a[SORT_GROUP], b[SORT_GROUP], sum[PAIRS];
        load(a, c->at[OUTER_src0] + r * values, half);
        load(b, c->at[OUTER_src1], half);
        for (int i = 0; i < PAIRS; i++) {
            sum[i] = a[i / SORT_GROUP] + b[i % SORT_GROUP];
        }
        store(c->at[OUTER_dst] + r * SORT_GROUP * values, sum, PAIRS, &step);
    }
    return true;
}

/* ---- suppression --------------------------------------------------------- */

bool
ops_rpn_cor(OpCall *c)
{
    uint16_t seen[SORT_GROUP] = {0};
    bool zero_kept =
        chosen(c->in.choices, CHOICE_SUPPRESSION) == CHOSE_SUPPRESSION_ZERO_KEPT;
    uint32_t ir;
    memcpy(&ir, c->sreg + SREG_RPN_COR_IR, sizeof ir);
    for (int64_t r = 0; r < c->in.args[SUPPRESS_repeat_times].v; r++) {
        uint16_t rows[SORT_GROUP], entries[SORT_GROUP];
        memcpy(rows,
               c->at[SUPPRESS_src0] +
                   r * c->in.args[SUPPRESS_src0_rep_stride].v * BLOCK_BYTES,
               sizeof rows);
        memcpy(entries,
               c->at[SUPPRESS_src1] +
                   r * c->in.args[SUPPRESS_src1_rep_stride].v * BLOCK_BYTES,
               sizeof entries);
        for (int i = 0; i < SORT_GROUP; i++) {
            seen[i] |= (entries[i] == 0) == zero_kept ? rows[i] : 0;
        }
    }
    for (int i = 0; i < SORT_GROUP; i++) {
        ir |= seen[i];
    }
    memcpy(c->sreg + SREG_RPN_COR_IR, &ir, sizeof ir);
    return true;
}

/* Goes over the candidates in order. One that is kept adds its row to the removed
 * ones. */
bool
ops_rpn_cor_diag(OpCall *c)
{
    uint16_t rows[SORT_GROUP], out[SORT_GROUP];
    uint32_t removed;
    bool zero_kept =
        chosen(c->in.choices, CHOICE_SUPPRESSION) == CHOSE_SUPPRESSION_ZERO_KEPT;
    memcpy(&removed, c->sreg + SREG_RPN_COR_IR, sizeof removed);
    memcpy(rows, c->at[DIAGONAL_src], sizeof rows);
    for (int j = 0; j < SORT_GROUP; j++) {
        bool keep = (removed >> j & 1) == 0;
        out[j] = keep == zero_kept ? 0 : 1;
        removed |= keep ? rows[j] : 0;
    }
    memcpy(c->at[DIAGONAL_dst], out, sizeof out);
    return true;
}
