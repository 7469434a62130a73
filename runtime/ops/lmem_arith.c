/* lmem_arith.c: elementwise arithmetic on tensors in LMEM lanes, for compiled kernels.
 *
 * A row of the destination is computed by one loop of ops/slice_lanes.c if its elements
 * and those of the sources are contiguous; rows that are contiguous on all sides are
 * merged. Otherwise pieces are collected and spread. */
#include "ops/lmem.h"
#include "isa/operand.h"
#include "ops/slice.h"

#include <string.h>

enum {
    PIECE = 512,
    WIDEST = 4,
    MOST = 3 /* operands: dst and two sources */
};

typedef struct Arith {
    OpLmem o[MOST];
    int n;    /* tensors; other operands are a number */
    int size; /* of an element */
    SliceFn *fn;
    uint8_t value[PIECE * WIDEST];
} Arith;

/* Merges rows that are contiguous in all tensors. A tensor whose one element is repeated
 * for all of them allows it too. */
static void
join_rows(Arith *a)
{
    for (int i = 0; i < a->n; i++) {
        const OpLmem *x = &a->o[i];
        if (x->step[LMEM_H] != x->shape[LMEM_W] * x->step[LMEM_W]) {
            return;
        }
    }
    for (int i = 0; i < a->n; i++) {
        a->o[i].shape[LMEM_W] *= a->o[i].shape[LMEM_H];
        a->o[i].shape[LMEM_H] = 1;
    }
}

/* Returns elements [first, first + n) of the row of a source, in place or collected. */
static const uint8_t *
source(const Arith *a, int i, const uint8_t *row, int64_t first, int64_t n,
       uint8_t buf[PIECE * WIDEST])
{
    if (i >= a->n) {
        return a->value;
    }
    int64_t step = a->o[i].step[LMEM_W];
    if (step == a->size) {
        return row + first * step;
    }
    ops_slice_collect(buf, row + first * step, step, a->size, n);
    return buf;
}

static void
one_row(const Arith *a, uint8_t *const row[MOST])
{
    const OpLmem *d = &a->o[0];
    int64_t step = d->step[LMEM_W], len = d->shape[LMEM_W];
    bool whole = a->n == MOST && step == a->size;
    for (int i = 1; i < a->n; i++) {
        whole = whole && a->o[i].step[LMEM_W] == a->size;
    }
    int64_t most = whole ? len : PIECE;
    for (int64_t first = 0; first < len; first += most) {
        uint8_t buf[MOST][PIECE * WIDEST];
        int64_t n = len - first < most ? len - first : most;
        uint8_t *to = row[0] + first * step;
        const uint8_t *x = source(a, 1, row[1], first, n, buf[1]);
        const uint8_t *y = source(a, 2, row[2], first, n, buf[2]);
        a->fn(step == a->size ? to : buf[0], x, y, NULL, n);
        if (step != a->size) {
            ops_slice_spread(to, step, buf[0], a->size, n);
        }
    }
}

static void
one_channel(const Arith *a, int64_t n, int64_t c)
{
    uint8_t *at[MOST] = {NULL};
    for (int i = 0; i < a->n; i++) {
        at[i] = ops_channel(&a->o[i], n, c);
    }
    for (int64_t h = 0; h < a->o[0].shape[LMEM_H]; h++) {
        uint8_t *row[MOST] = {NULL};
        for (int i = 0; i < a->n; i++) {
            row[i] = at[i] + h * a->o[i].step[LMEM_H];
        }
        one_row(a, row);
    }
}

bool
ops_lmem_arith(OpCall *c)
{
    Arith a;
    const OpInfo *info = &op_table[c->in.op];
    Dtype t = c->in.args[LSCALAR_dst].t.dtype;
    a.fn = ops_slice_table()->fn[info->sem][t];
    a.size = dtype_size(t);
    a.n = info->form == FORM_LSCALAR ? 2 : MOST;
    for (int i = 0; i < a.n; i++) {
        a.o[i] = ops_lanes(c, i);
    }
    for (int i = 0; a.n < MOST && i < PIECE; i++) {
        memcpy(a.value + i * a.size, &c->in.args[LSCALAR_scalar].v, (size_t)a.size);
    }
    join_rows(&a);
    for (int64_t n = 0; n < a.o[0].shape[LMEM_N]; n++) {
        for (int64_t ch = 0; ch < a.o[0].shape[LMEM_C]; ch++) {
            one_channel(&a, n, ch);
        }
    }
    return true;
}
