/* lmem.c: layouts of tensors in LMEM lanes; see lmem.h. */
#include "layout/lmem.h"

#include "isa/bytes.h"

enum {
    WORD_BITS = 32,
    BYTE_BITS = 8
};

static const char *const layouts[LMEM_LAYOUTS] = {
    [LMEM_ALIGNED] = "aligned",
    [LMEM_COMPACT] = "compact",
    [LMEM_ROW_ALIGNED] = "row_aligned",
    [LMEM_FREE] = "free",
    [LMEM_CELLS] = "cells",
};

#ifndef TIK_LEAN
const char *
lmem_layout_name(LmemLayout l)
{
    return layouts[l];
}

bool
lmem_layout_find(const char *name, LmemLayout *out)
{
    for (int i = 0; i < LMEM_LAYOUTS; i++) {
        if (strcmp(layouts[i], name) == 0) {
            *out = (LmemLayout)i;
            return true;
        }
    }
    return false;
}
#endif

/* Shapes and strides come from the program, so sums and products saturate at 2^48. */
static int64_t
times(int64_t a, int64_t b)
{
    int64_t r;
    return __builtin_mul_overflow(a, b, &r) || r > FAR_AWAY ? FAR_AWAY : r;
}

static int64_t
plus(int64_t a, int64_t b)
{
    return a + b > FAR_AWAY ? FAR_AWAY : a + b;
}

void
lmem_strides(const LmemTarget *t, LmemLayout layout, LmemTensor *x)
{
    int64_t units = lmem_units(t, x->bits);
    int64_t *s = x->stride;
    if (layout == LMEM_CELLS) {
        LmemTensor cells = lmem_cells(t, x);
        for (int i = 0; i < LMEM_AXES; i++) {
            s[i] = times(cells.stride[i], lmem_cell_items(x->bits));
        }
    }
    if (layout == LMEM_FREE || layout == LMEM_CELLS) {
        return;
    }
    bool rows = layout == LMEM_ROW_ALIGNED;
    s[LMEM_W] = 1;
    s[LMEM_H] = rows ? round_up(x->shape[LMEM_W], units) : x->shape[LMEM_W];
    s[LMEM_C] = times(x->shape[LMEM_H], s[LMEM_H]);
    s[LMEM_C] = layout == LMEM_ALIGNED ? round_up(s[LMEM_C], units) : s[LMEM_C];
    s[LMEM_N] = times(lmem_slots(t, x->lane, x->shape[LMEM_C]), s[LMEM_C]);
}

int64_t
lmem_extent(const LmemTarget *t, const LmemTensor *x)
{
    int64_t slots = lmem_slots(t, x->lane, x->shape[LMEM_C]);
    int64_t sum = 1;
    for (int i = 0; i < LMEM_AXES; i++) {
        int64_t n = i == LMEM_C ? slots : x->shape[i];
        sum = plus(sum, times(n - 1, x->stride[i]));
    }
    return sum;
}

int64_t
lmem_bytes(const LmemTarget *t, LmemLayout layout, const LmemTensor *x)
{
    int64_t items = layout == LMEM_CELLS ? lmem_cell_items(x->bits) : 1;
    int64_t elems = layout == LMEM_FREE
                        ? lmem_extent(t, x)
                        : times(div_ceil(x->shape[LMEM_N], items), x->stride[LMEM_N]);
    return elems >= FAR_AWAY ? -1 : div_ceil(elems * x->bits, BYTE_BITS);
}

uint64_t
lmem_lanes(const LmemTarget *t, int lane, int64_t channels)
{
    uint64_t all = t->npu == 64 ? UINT64_MAX : ((uint64_t)1 << t->npu) - 1;
    if (channels >= t->npu) {
        return all;
    }
    uint64_t run = ((uint64_t)1 << channels) - 1;
    uint64_t wrapped = lane > 0 ? run >> (t->npu - lane) : 0;
    return (run << lane | wrapped) & all;
}

/* ---- elements that share an address -------------------------------------- */

/* An axis of a tensor inside of one LMEM lane: the number of elements and their
 * distance. */
typedef struct Axis {
    int64_t n, step;
} Axis;

/* Collects the axes of more than one element, by falling step; returns their number. */
static int
axes_of(const LmemTarget *t, const LmemTensor *x, Axis out[LMEM_AXES])
{
    int n = 0;
    for (int i = 0; i < LMEM_AXES; i++) {
        Axis a = {x->shape[i], x->stride[i]};
        /* Channels that share a lane are npu apart, whichever slot is the first. */
        a.n = i == LMEM_C ? div_ceil(a.n, t->npu) : a.n;
        int at = n;
        for (; a.n > 1 && at > 0 && out[at - 1].step < a.step; at--) {
            out[at] = out[at - 1];
        }
        if (a.n > 1) {
            out[at] = a;
            n++;
        }
    }
    return n;
}

enum {
    MOST_SEEN = 1 << 16
};

/* Returns whether nested axes have steps that are too small for the axes inside, so that
 * elements may share an address. These are then counted. */
static bool
may_overlap(const Axis *a, int n, int64_t *span)
{
    *span = 1;
    for (int i = n - 1; i >= 0; i--) {
        if (a[i].step < *span) {
            return true;
        }
        *span = plus(*span, times(a[i].n - 1, a[i].step));
    }
    return false;
}

/* Returns the position of element k of the axes, counted row by row. */
static int64_t
element_at(const Axis *a, int n, int64_t k)
{
    int64_t at = 0;
    for (int i = n - 1; i >= 0; i--) {
        at += k % a[i].n * a[i].step;
        k /= a[i].n;
    }
    return at;
}

/* Returns whether two elements of interleaving axes overlap. Every element is marked in
 * an array of bits if they are few enough; else they count as overlapping. */
static bool
overlaps_counted(const Axis *a, int n)
{
    uint8_t seen[MOST_SEEN / BYTE_BITS];
    int64_t all = 1, span = 1;
    for (int i = 0; i < n; i++) {
        all = times(all, a[i].n);
        span = plus(span, times(a[i].n - 1, a[i].step));
    }
    if (all > span || span > MOST_SEEN) {
        return true;
    }
    memset(seen, 0, sizeof seen);
    for (int64_t k = 0; k < all; k++) {
        int64_t at = element_at(a, n, k);
        if (seen[at / BYTE_BITS] >> (at % BYTE_BITS) & 1) {
            return true;
        }
        seen[at / BYTE_BITS] |= (uint8_t)(1 << (at % BYTE_BITS));
    }
    return false;
}

bool
lmem_repeats(const LmemTarget *t, const LmemTensor *x)
{
    Axis a[LMEM_AXES];
    int64_t span;
    int n = axes_of(t, x, a);
    return may_overlap(a, n, &span) && overlaps_counted(a, n);
}

/* The bits that a tensor occupies in an LMEM lane: a run that is repeated along axes, by
 * rising step. */
typedef struct Places {
    int64_t at, run;
    Axis axis[LMEM_AXES];
    int n;
} Places;

/* Inserts an axis in the order of steps. An axis of one element or of step 0 adds
 * nothing. */
static void
places_add(Places *p, int64_t n, int64_t step)
{
    int at = p->n;
    if (n <= 1 || step == 0) {
        return;
    }
    for (; at > 0 && p->axis[at - 1].step > step; at--) {
        p->axis[at] = p->axis[at - 1];
    }
    p->axis[at] = (Axis){n, step};
    p->n++;
}

/* Merges runs without gaps between them into one. */
static void
places_join(Places *p)
{
    int joined = 0;
    while (joined < p->n && p->axis[joined].step <= p->run) {
        p->run = plus(p->run, times(p->axis[joined].n - 1, p->axis[joined].step));
        joined++;
    }
    p->n -= joined;
    memmove(p->axis, p->axis + joined, (size_t)p->n * sizeof p->axis[0]);
}

/* Begins the runs early enough for them to meet where they share a byte, as elements of
 * less than a byte do with their neighbours. */
static void
places_widen(Places *p)
{
    bool whole = true;
    for (int i = 0; i < p->n; i++) {
        whole = whole && p->axis[i].step % BYTE_BITS == 0;
    }
    int64_t before = whole ? p->at % BYTE_BITS : BYTE_BITS - 1;
    p->at -= before;
    p->run = plus(p->run, before);
}

/* Returns false when no element is in the lane. */
static bool
places_of(const LmemTarget *t, const LmemTensor *x, int lane, Places *p)
{
    int64_t first = lane < x->lane, channels = x->shape[LMEM_C];
    /* channels from the one in slot 0 of the lane to the last one */
    int64_t rest = x->lane + channels - 1 - lane;
    int64_t last = rest < 0 ? -1 : rest / t->npu;
    int64_t slot = times(x->stride[LMEM_C], x->bits);
    *p = (Places){.at = plus(x->base * BYTE_BITS, times(first, slot)), .run = x->bits};
    for (int i = 0; i < LMEM_AXES; i++) {
        int64_t n = i == LMEM_C ? last - first + 1 : x->shape[i];
        places_add(p, n, times(x->stride[i], x->bits));
    }
    places_join(p);
    if (x->bits % BYTE_BITS != 0) {
        places_widen(p);
    }
    return first <= last;
}

static bool
places_same(const Places *a, const Places *b)
{
    return a->at == b->at && a->run == b->run && a->n == b->n &&
           memcmp(a->axis, b->axis, (size_t)a->n * sizeof a->axis[0]) == 0;
}

static int64_t
places_length(const Places *p)
{
    int64_t sum = p->run;
    for (int i = 0; i < p->n; i++) {
        sum = plus(sum, times(p->axis[i].n - 1, p->axis[i].step));
    }
    return sum;
}

/* Returns whether the runs of each fit into the gaps of the other, wherever the axes
 * end. */
static bool
places_alternate(const Places *a, const Places *b)
{
    int64_t unit = 0;
    for (int i = 0; i < a->n; i++) {
        unit = gcd(unit, a->axis[i].step);
    }
    for (int i = 0; i < b->n; i++) {
        unit = gcd(unit, b->axis[i].step);
    }
    if (unit == 0) {
        return false;
    }
    int64_t gap = ((b->at - a->at) % unit + unit) %
                  unit; /* distance from a run of a to the next one of b */
    return gap >= a->run && gap + b->run <= unit;
}

/* Returns whether they share a bit; true also when *work is used up. The longer one is
 * cut along its widest axis into the parts that can reach the other. */
static bool
places_overlap(const Places *a, const Places *b, int64_t *work)
{
    int64_t alen = places_length(a), blen = places_length(b);
    if (--*work < 0 || alen >= FAR_AWAY || blen >= FAR_AWAY) {
        return true;
    }
    if (a->at >= b->at + blen || b->at >= a->at + alen) {
        return false;
    }
    if (a->n + b->n == 0) {
        return true;
    }
    if (a->n == 0 || (b->n > 0 && blen > alen)) {
        return places_overlap(b, a, work);
    }
    Places part = *a;
    Axis axis = part.axis[--part.n];
    int64_t len = places_length(&part), before = b->at - a->at - len;
    int64_t i = before < 0 ? 0 : before / axis.step + 1;
    for (; i < axis.n && a->at + i * axis.step < b->at + blen; i++) {
        part.at = a->at + i * axis.step;
        if (places_overlap(&part, b, work)) {
            return true;
        }
    }
    return false;
}

bool
lmem_apart(const LmemTarget *t, const LmemTensor *a, const LmemTensor *b)
{
    int64_t work = MOST_SEEN;
    uint64_t both = lmem_lanes(t, a->lane, a->shape[LMEM_C]) &
                    lmem_lanes(t, b->lane, b->shape[LMEM_C]);
    Places x, y, x0 = {.run = 0}, y0 = {.run = 0};
    for (int lane = 0; lane < t->npu; lane++) {
        if (!(both >> lane & 1) || !places_of(t, a, lane, &x) ||
            !places_of(t, b, lane, &y)) {
            continue;
        }
        /* Most lanes equal the one before. */
        bool again = places_same(&x, &x0) && places_same(&y, &y0);
        if (!again && !places_alternate(&x, &y) && places_overlap(&x, &y, &work)) {
            return false;
        }
        x0 = x;
        y0 = y;
    }
    return true;
}

/* ---- views --------------------------------------------------------------- */

LmemTensor
lmem_view(const LmemTarget *t, const LmemTensor *x, const int64_t lo[LMEM_AXES],
          const int64_t hi[LMEM_AXES])
{
    LmemTensor v = *x;
    v.base = x->base + lmem_offset(t, x, lo) * x->bits / BYTE_BITS;
    v.lane = lmem_lane(t, x->lane, lo[LMEM_C]);
    for (int i = 0; i < LMEM_AXES; i++) {
        v.shape[i] = hi[i] - lo[i];
    }
    return v;
}

int64_t
lmem_base_unit(const LmemTarget *t, LmemLayout layout, int bits)
{
    bool units =
        layout == LMEM_ALIGNED || layout == LMEM_ROW_ALIGNED || layout == LMEM_CELLS;
    return units ? t->eu_bytes : div_ceil(bits, BYTE_BITS);
}

bool
lmem_has_layout(const LmemTarget *t, LmemLayout layout, const LmemTensor *x)
{
    LmemTensor y = *x;
    lmem_strides(t, layout, &y);
    return memcmp(x->stride, y.stride, sizeof y.stride) == 0 &&
           x->base % lmem_base_unit(t, layout, x->bits) == 0;
}

uint32_t
lmem_banks(const LmemTarget *t, int64_t from, int64_t bytes)
{
    uint32_t banks = 0;
    int64_t size = t->lane_bytes / t->banks;
    for (int64_t b = from / size; bytes > 0 && b <= (from + bytes - 1) / size; b++) {
        banks |= b < t->banks ? (uint32_t)1 << b : 0;
    }
    return banks;
}

void
lmem_matrix(int64_t rows, int64_t columns, int64_t per, int64_t shape[LMEM_AXES])
{
    shape[LMEM_N] = rows;
    shape[LMEM_C] = div_ceil(columns, per);
    shape[LMEM_H] = 1;
    shape[LMEM_W] = per;
}

LmemTensor
lmem_cells(const LmemTarget *t, const LmemTensor *x)
{
    LmemTensor cells = *x;
    cells.bits = WORD_BITS;
    cells.shape[LMEM_N] = div_ceil(x->shape[LMEM_N], WORD_BITS / x->bits);
    lmem_strides(t, LMEM_ALIGNED, &cells);
    return cells;
}
