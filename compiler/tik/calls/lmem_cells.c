/* lmem_cells.c: moves of tensors in cells of 32 bits (lmem.md 4.6).
 *
 * The batch items of a cell are adjacent, so the items with one remainder form a tensor
 * of four strides: a move becomes one move for each remainder. Owns: layout-mismatch of
 * sides with cells. */
#include "tik/lmem.h"
#include "tik/expr.h"

#include <string.h>

bool
tik_lanes_in_cells(const Side *s)
{
    return s->v->lanes && s->v->lanes->layout == LMEM_CELLS;
}

/* Returns the side's view moved by that many bytes. */
static Value
moved_on(LanesCall *x, const Side *s, int64_t bytes)
{
    View *w = ARENA_NEW(&x->in->u->arena, View);
    *w = *s->v;
    w->off = ir_op2(x->c->k, SOP_ADD, w->off, tik_i64(x->c, bytes));
    return val_object(&w->base);
}

/* Reduces a side to the batch items first, first + items and so on, and returns its
 * view. */
static Value
remainder_of(LanesCall *x, Side *s, int64_t first, int64_t items)
{
    bool cells = tik_lanes_in_cells(s);
    int64_t size = s->bits / 8;
    int64_t step = cells ? size : s->stride[LMEM_N] * size;
    Value v = moved_on(x, s, first * step);
    s->shape[LMEM_N] = div_ceil(s->shape[LMEM_N] - first, items);
    s->stride[LMEM_N] *= cells ? 1 : items;
    return v;
}

void
tik_lanes_move_cells(LanesCall *x, const Side *d, const Side *s, const Span *span)
{
    int64_t items = lmem_cell_items(d->bits);
    if (memcmp(d->shape, s->shape, sizeof d->shape) != 0) {
        py_diag(x->in, D_LAYOUT_MISMATCH, s->span,
                "dst has the shape (%lld, %lld, %lld, %lld) and src (%lld, %lld, %lld, "
                "%lld); a move of cells takes one shape",
                (long long)d->shape[0], (long long)d->shape[1], (long long)d->shape[2],
                (long long)d->shape[3], (long long)s->shape[0], (long long)s->shape[1],
                (long long)s->shape[2], (long long)s->shape[3]);
        return;
    }
    for (int64_t i = 0; i < MIN(items, d->shape[LMEM_N]); i++) {
        Side to = *d, from = *s;
        Value dst = remainder_of(x, &to, i, items),
              src = remainder_of(x, &from, i, items);
        tik_lanes_record_move(x, dst, src, &to, &from, LMEM_COPY, span);
    }
}
