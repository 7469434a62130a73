/* ops_box.c: areas of boxes, sums of all pairs, and the suppression of candidates (vector 9.2, 9.4) for
 * compiled kernels. Boxes of a group are taken apart into rows of corners, so that every step is one loop
 * over 16 numbers. */
#include "ops/ops_int.h"

#include <string.h>

#include "isa/sort.h"
#include "num/half.h"

enum {
    CORNERS = 4 /* x1 y1 x2 y2 */
};

typedef struct Row {
    float v[SORT_GROUP];
} Row;

typedef struct Boxes {
    Row corner[CORNERS];
} Boxes;

/* n elements, step elements from one to the next. */
static void
load(float *to, const uint8_t *at, bool half, int step)
{
    if (half) {
        for (int i = 0; i < SORT_GROUP; i++) {
            uint16_t h;
            memcpy(&h, at + 2 * i * step, sizeof h);
            to[i] = half_to_float(h);
        }
        return;
    }
    for (int i = 0; i < SORT_GROUP; i++) {
        memcpy(&to[i], at + 4 * i * step, sizeof to[i]);
    }
}

static void
store(uint8_t *at, const float *from, bool half)
{
    if (half) {
        uint16_t h[SORT_GROUP];
        for (int i = 0; i < SORT_GROUP; i++) {
            h[i] = half_from_float(from[i]);
        }
        memcpy(at, h, sizeof h);
        return;
    }
    uint32_t s[SORT_GROUP];
    for (int i = 0; i < SORT_GROUP; i++) {
        s[i] = float_bits_canonical(from[i]);
    }
    memcpy(at, s, sizeof s);
}

static void
round_row(float *v, bool half)
{
    for (int i = 0; half && i < SORT_GROUP; i++) {
        v[i] = half_to_float(half_from_float(v[i]));
    }
}

static void
load_boxes(Boxes *b, const uint8_t *at, bool half)
{
    for (int f = 0; f < CORNERS; f++) {
        load(b->corner[f].v, at + f * (half ? 2 : 4), half, PROPOSAL_ELEMS);
    }
}

static bool
is_half(const OpCall *c)
{
    return c->in.args[0].t.dtype == DT_F16;
}

static float
offset_of(const OpCall *c)
{
    uint16_t half;
    float single;
    memcpy(&half, c->sreg + SREG_RPN_OFFSET16, sizeof half);
    memcpy(&single, c->sreg + SREG_RPN_OFFSET32, sizeof single);
    return is_half(c) ? half_to_float(half) : single;
}

/* high = high - low + offset, each step rounded. */
static void
sides(float *high, const float *low, float offset, bool half)
{
    for (int i = 0; i < SORT_GROUP; i++) {
        high[i] -= low[i];
    }
    round_row(high, half);
    for (int i = 0; i < SORT_GROUP; i++) {
        high[i] += offset;
    }
    round_row(high, half);
}

static void
multiply(float *a, const float *b)
{
    for (int i = 0; i < SORT_GROUP; i++) {
        a[i] *= b[i];
    }
}

bool
ops_vrpac(OpCall *c)
{
    bool half = is_half(c);
    int64_t values = SORT_GROUP * (half ? 2 : 4);
    float offset = offset_of(c);
    for (int64_t r = 0; r < c->in.args[FIELD_REPEAT].v; r++) {
        Boxes b;
        load_boxes(&b, c->at[1] + r * values * PROPOSAL_ELEMS, half);
        sides(b.corner[2].v, b.corner[0].v, offset, half);
        sides(b.corner[3].v, b.corner[1].v, offset, half);
        multiply(b.corner[2].v, b.corner[3].v);
        store(c->at[0] + r * values, b.corner[2].v, half);
    }
    return true;
}

/* Lengths that box i of a has in common with all of b, along the axis whose low corner is the given one. */
static void
common(float *out, const Boxes *a, const Boxes *b, int i, int low, float offset,
       bool half)
{
    float first[SORT_GROUP];
    float al = a->corner[low].v[i], ah = a->corner[low + 2].v[i];
    const float *bl = b->corner[low].v, *bh = b->corner[low + 2].v;
    for (int j = 0; j < SORT_GROUP; j++) {
        /* NaN wins; of equal numbers the first. */
        first[j] = bl[j] > al ? bl[j] : al;
        first[j] = bl[j] == bl[j] ? first[j] : bl[j];
        out[j] = bh[j] < ah ? bh[j] : ah;
        out[j] = bh[j] == bh[j] ? out[j] : bh[j];
    }
    sides(out, first, offset, half);
    for (int j = 0; j < SORT_GROUP; j++) {
        out[j] = out[j] <= 0 ? 0 : out[j];
    }
}

bool
ops_viou(OpCall *c)
{
    bool half = is_half(c);
    int64_t values = SORT_GROUP * (half ? 2 : 4);
    float offset = offset_of(c);
    for (int64_t r = 0; r < c->in.args[OUTER_REPEAT].v; r++) {
        Boxes a, b;
        load_boxes(&a, c->at[1] + r * values * PROPOSAL_ELEMS, half);
        load_boxes(&b, c->at[2], half);
        for (int i = 0; i < SORT_GROUP; i++) {
            float w[SORT_GROUP], h[SORT_GROUP];
            common(w, &a, &b, i, 0, offset, half);
            common(h, &a, &b, i, 1, offset, half);
            multiply(w, h);
            store(c->at[0] + (r * SORT_GROUP + i) * values, w, half);
        }
    }
    return true;
}

bool
ops_vaadd(OpCall *c)
{
    bool half = is_half(c);
    int64_t values = SORT_GROUP * (half ? 2 : 4);
    for (int64_t r = 0; r < c->in.args[OUTER_REPEAT].v; r++) {
        Row a, b;
        load(a.v, c->at[1] + r * values, half, 1);
        load(b.v, c->at[2], half, 1);
        for (int i = 0; i < SORT_GROUP; i++) {
            Row sum;
            for (int j = 0; j < SORT_GROUP; j++) {
                sum.v[j] = a.v[i] + b.v[j];
            }
            store(c->at[0] + (r * SORT_GROUP + i) * values, sum.v, half);
        }
    }
    return true;
}

/* ---- suppression ------------------------------------------------------------------------------------ */

bool
ops_rpn_cor(OpCall *c)
{
    uint16_t seen[SORT_GROUP] = {0};
    uint32_t ir;
    memcpy(&ir, c->sreg + SREG_RPN_COR_IR, sizeof ir);
    for (int64_t r = 0; r < c->in.args[SUPPRESS_REPEAT].v; r++) {
        uint16_t rows[SORT_GROUP], entries[SORT_GROUP];
        memcpy(rows, c->at[0] + r * c->in.args[SUPPRESS_STRIDE0].v * BLOCK_BYTES,
               sizeof rows);
        memcpy(entries, c->at[1] + r * c->in.args[SUPPRESS_STRIDE1].v * BLOCK_BYTES,
               sizeof entries);
        for (int i = 0; i < SORT_GROUP; i++) {
            seen[i] |= entries[i] == 0 ? rows[i] : 0;
        }
    }
    for (int i = 0; i < SORT_GROUP; i++) {
        ir |= seen[i];
    }
    memcpy(c->sreg + SREG_RPN_COR_IR, &ir, sizeof ir);
    return true;
}

/* Candidates in order: one that is kept adds its row to what is removed. */
bool
ops_rpn_cor_diag(OpCall *c)
{
    uint16_t rows[SORT_GROUP], out[SORT_GROUP];
    uint32_t removed;
    memcpy(&removed, c->sreg + SREG_RPN_COR_IR, sizeof removed);
    memcpy(rows, c->at[1], sizeof rows);
    for (int j = 0; j < SORT_GROUP; j++) {
        out[j] = removed >> j & 1;
        removed |= out[j] == 0 ? rows[j] : 0;
    }
    memcpy(c->at[0], out, sizeof out);
    return true;
}
