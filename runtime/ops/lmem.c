/* lmem.c: moves of tensors of which either side may be in LMEM lanes, for compiled
 * kernels.
 *
 * Elements of a row (axis w) that are contiguous on both sides are copied at once, and so
 * are contiguous rows; other rows are copied element by element. If the sides have
 * different shapes, both are walked at once. */
#include "ops/lmem.h"
#include "isa/operand.h"

#include <string.h>

#include "num/lanes.h"

enum {
    DST,
    SRC,
    SIDES
};

OpLmem
ops_lanes(const OpCall *c, int param)
{
    const LmemOperand *o = form_lmem(op_table[c->in.op].form, param);
    const CheckTensor *t = &c->in.args[param].t;
    bool lanes = t->scope == SC_LMEM;
    OpLmem x = {.at = c->at[param],
                .size = dtype_size(t->dtype),
                .npu = lanes ? c->in.soc->lmem->npu : INT32_MAX,
                .lane = (int)c->in.args[o->lane].v};
    for (int i = 0; i < LMEM_AXES; i++) {
        x.shape[i] = c->in.args[o->shape + i].v;
        x.step[i] = c->in.args[o->stride + i].v * x.size;
    }
    x.pitch = lanes ? c->lmem_pitch : x.step[LMEM_C];
    return x;
}

/* ---- rows ---------------------------------------------------------------- */

#define STEPS(T)                                                                         \
    for (int64_t i = 0; i < n; i++) {                                                    \
        *(T *)(void *)(to + i * tstep) = *(const T *)(const void *)(from + i * fstep);   \
    }

static void
copy_row(uint8_t *to, int64_t tstep, const uint8_t *from, int64_t fstep, int size,
         int64_t n)
{
    if (tstep == size && fstep == size) {
        memcpy(to, from, (size_t)(n * size));
    } else if (size == 1) {
        STEPS(uint8_t)
    } else if (size == 2) {
        STEPS(AnyU16)
    } else {
        STEPS(AnyU32)
    }
}

typedef struct Move {
    OpLmem s[SIDES];
    uint64_t mask; /* LMEM lanes that take part, as bits */
} Move;

/* Returns whether the LMEM lane of the channel takes part. */
static bool
masked_off(const Move *m, int side, int64_t c)
{
    const OpLmem *x = &m->s[side];
    return x->npu <= LMEM_MAX_LANES && !(m->mask >> ((x->lane + c) % x->npu) & 1);
}

/* Merges the rows of an image that are contiguous on both sides. */
static void
join_rows(Move *m)
{
    for (int i = 0; i < SIDES; i++) {
        const OpLmem *x = &m->s[i];
        if (x->step[LMEM_H] != x->shape[LMEM_W] * x->step[LMEM_W]) {
            return;
        }
    }
    for (int i = 0; i < SIDES; i++) {
        OpLmem *x = &m->s[i];
        x->shape[LMEM_W] *= x->shape[LMEM_H];
        x->shape[LMEM_H] = 1;
    }
}

/* Copies a channel of the source to channel c of the destination. */
static void
copy_channel(const Move *m, const int64_t at[SIDES][2])
{
    const OpLmem *d = &m->s[DST], *s = &m->s[SRC];
    uint8_t *to = ops_channel(d, at[DST][0], at[DST][1]);
    const uint8_t *from = ops_channel(s, at[SRC][0], at[SRC][1]);
    if (masked_off(m, DST, at[DST][1]) || masked_off(m, SRC, at[SRC][1])) {
        return;
    }
    for (int64_t h = 0; h < d->shape[LMEM_H]; h++) {
        copy_row(to + h * d->step[LMEM_H], d->step[LMEM_W], from + h * s->step[LMEM_H],
                 s->step[LMEM_W], d->size, d->shape[LMEM_W]);
    }
}

/* Does copies, transposes of n and c, and broadcasts, by whole channels. */
static void
move_channels(Move *m, LmemFunc func)
{
    join_rows(m);
    for (int64_t n = 0; n < m->s[DST].shape[LMEM_N]; n++) {
        for (int64_t c = 0; c < m->s[DST].shape[LMEM_C]; c++) {
            const int64_t at[SIDES][2] = {{n, c},
                                          {func == LMEM_NC ? c : n, func == LMEM_NC ? n
                                                                    : func == LMEM_BCAST
                                                                        ? 0
                                                                        : c}};
            copy_channel(m, at);
        }
    }
}

/* Does dst(n, c, h, w) = src(n, w, h, c): channel w of the source is column w of every
 * row. */
static void
transpose_cw(const Move *m)
{
    const OpLmem *d = &m->s[DST], *s = &m->s[SRC];
    for (int64_t n = 0; n < d->shape[LMEM_N]; n++) {
        for (int64_t c = 0; c < d->shape[LMEM_C]; c++) {
            uint8_t *to = ops_channel(d, n, c);
            for (int64_t w = 0; w < d->shape[LMEM_W]; w++) {
                if (masked_off(m, DST, c) || masked_off(m, SRC, w)) {
                    continue;
                }
                copy_row(to + w * d->step[LMEM_W], d->step[LMEM_H],
                         ops_channel(s, n, w) + c * s->step[LMEM_W], s->step[LMEM_H],
                         d->size, d->shape[LMEM_H]);
            }
        }
    }
}

/* ---- sides of different shapes ------------------------------------------- */

/* A place in a side, which goes on row by row. */
typedef struct Walk {
    const OpLmem *x;
    int64_t n, c, h, w;
} Walk;

static uint8_t *
walk_at(const Walk *k)
{
    return ops_channel(k->x, k->n, k->c) + k->h * k->x->step[LMEM_H] +
           k->w * k->x->step[LMEM_W];
}

static void
walk_on(Walk *k, int64_t elems)
{
    k->w += elems;
    if (k->w < k->x->shape[LMEM_W]) {
        return;
    }
    k->w = 0;
    if (++k->h < k->x->shape[LMEM_H]) {
        return;
    }
    k->h = 0;
    if (++k->c < k->x->shape[LMEM_C]) {
        return;
    }
    k->c = 0;
    k->n++;
}

static void
move_general(const Move *m)
{
    Walk d = {.x = &m->s[DST]}, s = {.x = &m->s[SRC]};
    while (d.n < d.x->shape[LMEM_N]) {
        int64_t left = d.x->shape[LMEM_W] - d.w, have = s.x->shape[LMEM_W] - s.w;
        int64_t run = left < have ? left : have;
        if (!masked_off(m, DST, d.c) && !masked_off(m, SRC, s.c)) {
            copy_row(walk_at(&d), d.x->step[LMEM_W], walk_at(&s), s.x->step[LMEM_W],
                     d.x->size, run);
        }
        walk_on(&d, run);
        walk_on(&s, run);
    }
}

/* ---- elements of 4 bits -------------------------------------------------- */

/* Returns where an element is. Strides count elements, two of which share a byte. */
static int64_t
nibble_at(const OpLmem *x, const int64_t at[LMEM_AXES])
{
    int64_t slot = (x->lane + at[LMEM_C]) / x->npu,
            lane = (x->lane + at[LMEM_C]) % x->npu;
    bool lanes = x->npu <= LMEM_MAX_LANES;
    int64_t off = at[LMEM_N] * x->step[LMEM_N] + at[LMEM_H] * x->step[LMEM_H] +
                  at[LMEM_W] * x->step[LMEM_W];
    return lanes ? 2 * lane * x->pitch + off + slot * x->step[LMEM_C]
                 : off + at[LMEM_C] * x->step[LMEM_C];
}

static void
copy_nibble(const Move *m, const int64_t to[LMEM_AXES], const int64_t from[LMEM_AXES])
{
    int64_t d = nibble_at(&m->s[DST], to), s = nibble_at(&m->s[SRC], from);
    uint8_t *p = m->s[DST].at + d / 2;
    uint8_t v = (uint8_t)(m->s[SRC].at[s / 2] >> (4 * (s % 2)) & 15);
    if (!masked_off(m, DST, to[LMEM_C]) && !masked_off(m, SRC, from[LMEM_C])) {
        *p = (uint8_t)(d % 2 ? (*p & 15) | v << 4 : (*p & 240) | v);
    }
}

/* Gives the indices of element i of a shape, in row-major order. */
static void
split(const int64_t shape[LMEM_AXES], int64_t i, int64_t at[LMEM_AXES])
{
    for (int k = LMEM_AXES - 1; k >= 0; k--) {
        at[k] = i % shape[k];
        i /= shape[k];
    }
}

static void
move_nibbles(const Move *m, LmemFunc func)
{
    const OpLmem *d = &m->s[DST];
    int64_t elems = d->shape[0] * d->shape[1] * d->shape[2] * d->shape[3];
    for (int64_t i = 0; i < elems; i++) {
        int64_t to[LMEM_AXES], from[LMEM_AXES];
        split(d->shape, i, to);
        if (func == LMEM_COPY) {
            split(m->s[SRC].shape, i, from);
        } else {
            memcpy(from, to, sizeof from);
            from[LMEM_C] = func == LMEM_NC   ? to[LMEM_N]
                           : func == LMEM_CW ? to[LMEM_W]
                                             : 0;
            from[LMEM_N] = func == LMEM_NC ? to[LMEM_C] : to[LMEM_N];
            from[LMEM_W] = func == LMEM_CW ? to[LMEM_C] : to[LMEM_W];
        }
        copy_nibble(m, to, from);
    }
}

bool
ops_lmem_move(OpCall *c)
{
    LmemFunc func = (LmemFunc)c->in.args[LMOVE_func].v;
    Move m = {.s = {ops_lanes(c, DST), ops_lanes(c, SRC)},
              .mask = (uint64_t)c->in.args[LMOVE_lane_mask].v};
    bool same = memcmp(m.s[DST].shape, m.s[SRC].shape, sizeof m.s[DST].shape) == 0;
    if (c->in.args[LMOVE_bits].v < 8) {
        move_nibbles(&m, func);
    } else if (func == LMEM_CW) {
        transpose_cw(&m);
    } else if (func == LMEM_COPY && !same) {
        move_general(&m);
    } else {
        move_channels(&m, func);
    }
    return true;
}
