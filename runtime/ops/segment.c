/* segment.c: slice movement (data-movement chapter 8) for compiled kernels.
 *
 * The dimensions of each side are merged first: dimensions of one segment vanish,
 * contiguous ones become one, and segments that are contiguous on both sides become
 * longer ones. The rest is copied in planes: runs of segments that are equally spaced on
 * both sides, and rows of such runs if both sides have them. */
#include <string.h>

#include "rules/segment.h"
#include "ops/internal.h"

typedef struct Side {
    uint8_t *at; /* the next run */
    SegmentSide of;
    int64_t index[SEGMENT_DIMS + 1];
} Side;

/* Equally spaced rows of equally spaced segments. */
typedef struct Plane {
    int64_t len, n, rows;
    int64_t to, from;         /* bytes from segment to segment */
    int64_t to_row, from_row; /* bytes from row to row */
    AtomicWrite w;            /* to global memory */
} Plane;

/* ---- sides --------------------------------------------------------------- */

static void
read_side(const OpCall *c, int slot, int count, int pitch, Side *s)
{
    *s = (Side){.at = c->at[slot]};
    for (int i = 0; i < segment_slots(c->in.op).dims; i++) {
        segment_add(&s->of, c->in.args[count + i].v, c->in.args[pitch + i].v);
    }
    segment_end(&s->of);
}

/* Goes on by n in dimension i. */
static void
advance(Side *s, int i, int64_t n)
{
    s->at += n * s->of.pitch[i];
    s->index[i] += n;
    while (i < s->of.dims && s->index[i] == s->of.count[i]) {
        s->at -= s->of.count[i] * s->of.pitch[i];
        s->index[i++] = 0;
        if (i < s->of.dims) {
            s->at += s->of.pitch[i];
            s->index[i]++;
        }
    }
}

/* ---- planes -------------------------------------------------------------- */

static inline void
copy_fixed(uint8_t *dst, const uint8_t *src, const Plane *p, size_t len)
{
    for (int64_t y = 0; y < p->rows; y++) {
        uint8_t *d = dst + y * p->to_row;
        const uint8_t *s = src + y * p->from_row;
        for (int64_t i = 0; i < p->n; i++) {
            memcpy(d, s, len);
            d += p->to;
            s += p->from;
        }
    }
}

static void
combine_plane(uint8_t *dst, const uint8_t *src, const Plane *p)
{
    for (int64_t y = 0; y < p->rows; y++) {
        const OpRuns row = {
            dst + y * p->to_row, src + y * p->from_row, p->n, p->len, p->to, p->from};
        ops_write_runs(&p->w, &row);
    }
}

/* Segments of a few blocks are copied without a call. */
static void
copy_plane(uint8_t *dst, const uint8_t *src, const Plane *p)
{
    if (p->w.on) {
        combine_plane(dst, src, p);
        return;
    }
    switch (p->len) {
    case 32:
        copy_fixed(dst, src, p, 32);
        return;
    case 64:
        copy_fixed(dst, src, p, 64);
        return;
    case 96:
        copy_fixed(dst, src, p, 96);
        return;
    case 128:
        copy_fixed(dst, src, p, 128);
        return;
    default:
        copy_fixed(dst, src, p, (size_t)p->len);
    }
}

static int64_t
least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void
copy_sides(Side *dst, Side *src, int64_t len, const AtomicWrite *w)
{
    int64_t left = 1;
    for (int i = 0; i < dst->of.dims; i++) {
        left *= dst->of.count[i];
    }
    bool rows =
        dst->of.count[0] == src->of.count[0] && dst->of.dims > 1 && src->of.dims > 1;
    Plane p = {
        .len = len, .rows = 1, .to = dst->of.pitch[0], .from = src->of.pitch[0], .w = *w};
    p.to_row = rows ? dst->of.pitch[1] : 0;
    p.from_row = rows ? src->of.pitch[1] : 0;
    while (left > 0) {
        p.n = least(dst->of.count[0] - dst->index[0], src->of.count[0] - src->index[0]);
        if (rows) {
            p.rows =
                least(dst->of.count[1] - dst->index[1], src->of.count[1] - src->index[1]);
        }
        copy_plane(dst->at, src->at, &p);
        advance(dst, rows, rows ? p.rows : p.n);
        advance(src, rows, rows ? p.rows : p.n);
        left -= p.n * p.rows;
    }
}

bool
ops_segments(OpCall *c)
{
    if (!check_segments(&c->in, &c->fault)) {
        return false;
    }
    SegmentSlots at = segment_slots(c->in.op);
    Side dst, src;
    AtomicWrite w = {.on = false};
    if (c->in.args[SEGMENTS_dst].t.scope == SC_GM &&
        !ops_write_mode(c, SEGMENTS_dst, c->in.args[SEGMENTS_src].t.scope,
                        c->in.args[SEGMENTS_len].v, &w)) {
        return false;
    }
    read_side(c, SEGMENTS_dst, at.dst_count, at.dst_pitch, &dst);
    read_side(c, SEGMENTS_src, at.src_count, at.src_pitch, &src);
    int64_t len = segment_flatten(&dst.of, &src.of, c->in.args[SEGMENTS_len].v);
    copy_sides(&dst, &src, len, &w);
    return true;
}

bool
ops_slice_dim(OpCall *c)
{
    SliceDim d = check_slice_operands(&c->in);
    return check_slice_dim(&d, &c->fault);
}
