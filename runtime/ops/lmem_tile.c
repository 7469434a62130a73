/* lmem_tile.c: convolutions on LMEM lanes that are not depthwise, as blocks of products
 * (num/dot.h).
 *
 * A tile is DOT_PIXELS results of an image, row after row. For a number of terms (input
 * channel and kernel position) its panel is gathered once and multiplied with many output
 * channels. Elements outside of the image are zeros in the panel. Integers take terms in
 * the order of the weights. */
#include "ops/lmem_conv.h"

#include <string.h>

#include "num/lanes.h"

enum {
    TERMS = 128,  /* terms at a time; even */
    CHANNELS = 64 /* output channels for one panel */
};

/* A term: an input channel at a kernel position. */
typedef struct Term {
    const uint8_t *channel; /* null: zeros */
    int64_t kh, from, to;   /* kernel row; results of a row inside of the image */
    int64_t column;         /* column of the input at result 0 */
    int64_t weight;         /* index in the elements of a slot */
} Term;

/* Results of a tile that are contiguous in a row. */
typedef struct Piece {
    int64_t oh, ow, count, at;
} Piece;

typedef struct Tile {
    const ConvCall *c;
    int64_t n, pixels;
    int npieces;
    Piece piece[DOT_PIXELS];
    int nterms;
    Term term[TERMS];
    /* the next term */
    int64_t ic, point, in_group;
    union {
        int16_t s[TERMS * DOT_PIXELS];
        float f[TERMS * DOT_PIXELS];
    } panel;
    union {
        int16_t s[CHANNELS * TERMS];
        float f[CHANNELS * TERMS];
    } w;
    Sum sums[CHANNELS * DOT_PIXELS];
} Tile;

static int64_t
points_of(const ConvCall *c)
{
    return c->k.kernel[0] * c->k.kernel[1];
}

/* ---- terms --------------------------------------------------------------- */

static void
put_term(Tile *t, int64_t ic, int64_t point)
{
    const ConvCall *c = t->c;
    Term *m = &t->term[t->nterms++];
    int64_t kw = point % c->k.kernel[1];
    m->channel = ops_channel(&c->x, t->n, ic);
    m->kh = point / c->k.kernel[1];
    m->column = kw * c->k.dilation[1] - c->k.pad[1];
    m->weight = ops_conv_weight(c, ic, point);
    ops_conv_columns(c, kw, &m->from, &m->to);
}

/* Goes on to the next term of floats: input channels, then rows and columns of the
 * kernel. */
static bool
next_floats(Tile *t)
{
    int64_t points = points_of(t->c);
    t->nterms = 0;
    while (t->nterms < TERMS && t->ic < t->c->x.shape[LMEM_C]) {
        put_term(t, t->ic, t->point);
        if (++t->point == points) {
            t->point = 0;
            t->ic++;
        }
    }
    return t->nterms > 0;
}

/* Goes on to the next term of bytes: groups of channels, positions, then channels of the
 * group. Two of them make a pair, the last one with zeros. */
static bool
next_pairs(Tile *t)
{
    int64_t all = t->c->x.shape[LMEM_C], group = t->c->k.parallel;
    t->nterms = 0;
    while (t->nterms < TERMS && t->ic < all) {
        int64_t n = all - t->ic < group ? all - t->ic : group;
        for (; t->in_group < n && t->nterms < TERMS; t->in_group += 2) {
            put_term(t, t->ic + t->in_group, t->point);
            bool pair = t->in_group + 1 < n;
            put_term(t, t->ic + t->in_group + (pair ? 1 : 0), t->point);
            if (!pair) {
                t->term[t->nterms - 1].channel = NULL;
            }
        }
        if (t->in_group >= n) {
            t->in_group = 0;
            t->point++;
        }
        if (t->point == points_of(t->c)) {
            t->point = 0;
            t->ic += n;
        }
    }
    return t->nterms > 0;
}

/* ---- the panel ----------------------------------------------------------- */

/* Finds the results of a piece that are inside of the image: where they begin in the
 * tile, their number, and the first input element. */
static int64_t
inside(const Tile *t, const Term *m, const Piece *p, int64_t *at, const uint8_t **from)
{
    const ConvCall *c = t->c;
    int64_t h = p->oh * c->k.stride[0] + m->kh * c->k.dilation[0] - c->k.pad[0];
    int64_t lo = m->from > p->ow ? m->from : p->ow;
    int64_t hi = m->to < p->ow + p->count ? m->to : p->ow + p->count;
    if (h < 0 || h >= c->x.shape[LMEM_H] || lo >= hi || m->channel == NULL) {
        return 0;
    }
    *at = p->at + lo - p->ow;
    *from = m->channel + h * c->x.step[LMEM_H] +
            (lo * c->k.stride[1] + m->column) * c->x.step[LMEM_W];
    return hi - lo;
}

static void
gather_bytes(const Tile *t, const Term *m, uint8_t *row)
{
    int64_t step = t->c->k.stride[1] * t->c->x.step[LMEM_W], at;
    const uint8_t *from;
    memset(row, 0, DOT_PIXELS);
    for (int i = 0; i < t->npieces; i++) {
        int64_t n = inside(t, m, &t->piece[i], &at, &from);
        if (step == 1 && n > 0) {
            memcpy(row + at, from, (size_t)n);
        }
        for (int64_t k = 0; step != 1 && k < n; k++) {
            row[at + k] = from[k * step];
        }
    }
}

static void
gather_floats(const Tile *t, const Term *m, float *row)
{
    int64_t step = t->c->k.stride[1] * t->c->x.step[LMEM_W], at;
    const uint8_t *from;
    memset(row, 0, DOT_PIXELS * sizeof *row);
    for (int i = 0; i < t->npieces; i++) {
        int64_t n = inside(t, m, &t->piece[i], &at, &from);
        if (step == sizeof *row && n > 0) {
            memcpy(row + at, from, (size_t)n * sizeof *row);
        }
        for (int64_t k = 0; step != sizeof *row && k < n; k++) {
            row[at + k] = *(const AnyF32 *)(const void *)(from + k * step);
        }
    }
}

static void
fill_panel(Tile *t)
{
    if (t->c->in == DT_F32) {
        for (int i = 0; i < t->nterms; i++) {
            gather_floats(t, &t->term[i], t->panel.f + i * DOT_PIXELS);
        }
        return;
    }
    for (int i = 0; i < t->nterms; i += 2) {
        uint8_t a[DOT_PIXELS], b[DOT_PIXELS];
        gather_bytes(t, &t->term[i], a);
        gather_bytes(t, &t->term[i + 1], b);
        t->c->dot->zip(t->panel.s + i * DOT_PIXELS, a, b, t->c->in == DT_S8);
    }
}

/* ---- weights ------------------------------------------------------------- */

/* Returns how many terms from i on have contiguous weights. */
static int
run_from(const Tile *t, int i)
{
    int n = 1;
    while (i + n < t->nterms && t->term[i + n].weight == t->term[i].weight + n) {
        n++;
    }
    return n;
}

static void
fill_weights(Tile *t, int64_t first, int64_t n)
{
    const ConvCall *c = t->c;
    for (int i = 0, run; i < t->nterms; i += run) {
        run = run_from(t, i);
        for (int64_t k = 0; k < n; k++) {
            Row row = ops_conv_row(c, t->n, first + k);
            const uint8_t *w =
                row.lane + c->k.weight_offset + row.slot * c->k.weight_pitch;
            if (c->in == DT_F32) {
                memcpy(t->w.f + k * TERMS + i, w + 4 * t->term[i].weight,
                       (size_t)run * sizeof(float));
            } else {
                t->c->dot->widen(t->w.s + k * TERMS + i,
                                 (const int8_t *)w + t->term[i].weight, run);
            }
        }
    }
}

/* ---- tiles --------------------------------------------------------------- */

static void
multiply(Tile *t, int64_t channels)
{
    for (int64_t k = 0; k < channels; k += DOT_CHANNELS) {
        Sum *sums = t->sums + k * DOT_PIXELS;
        if (t->c->in == DT_F32) {
            t->c->dot->floats(&sums->f, t->panel.f, t->w.f + k * TERMS, TERMS, t->nterms,
                              t->pixels);
        } else {
            t->c->dot->pairs((int32_t *)&sums->u, t->panel.s, t->w.s + k * TERMS, TERMS,
                             t->nterms / 2, t->pixels);
        }
    }
}

/* Computes some output channels of the tile. */
static void
do_channels(Tile *t, int64_t first, int64_t n)
{
    const ConvCall *c = t->c;
    memset(t->sums, 0, sizeof t->sums);
    t->ic = t->point = t->in_group = 0;
    while (c->in == DT_F32 ? next_floats(t) : next_pairs(t)) {
        fill_panel(t);
        fill_weights(t, first, n);
        multiply(t, n);
    }
    for (int64_t k = 0; k < n; k++) {
        Row row = ops_conv_row(c, t->n, first + k);
        for (int i = 0; i < t->npieces; i++) {
            row.oh = t->piece[i].oh;
            row.first = t->piece[i].ow;
            row.count = t->piece[i].count;
            ops_conv_store(c, &row, t->sums + k * DOT_PIXELS + t->piece[i].at);
        }
    }
}

/* Makes the tile that begins with a result of the image, counted row by row. */
static void
cut_pieces(Tile *t, int64_t first)
{
    int64_t width = t->c->d.shape[LMEM_W], all = width * t->c->d.shape[LMEM_H];
    t->pixels = all - first < DOT_PIXELS ? all - first : DOT_PIXELS;
    t->npieces = 0;
    for (int64_t at = 0; at < t->pixels;) {
        Piece *p = &t->piece[t->npieces++];
        *p = (Piece){(first + at) / width, (first + at) % width, 0, at};
        p->count = width - p->ow < t->pixels - at ? width - p->ow : t->pixels - at;
        at += p->count;
    }
}

static void
one_tile(Tile *t)
{
    int64_t all = t->c->d.shape[LMEM_C];
    for (int64_t oc = 0; oc < all; oc += CHANNELS) {
        do_channels(t, oc, all - oc < CHANNELS ? all - oc : CHANNELS);
    }
}

void
ops_conv_tiles(const ConvCall *c)
{
    Tile t = {.c = c};
    int64_t all = c->d.shape[LMEM_H] * c->d.shape[LMEM_W];
    for (t.n = 0; t.n < c->d.shape[LMEM_N]; t.n++) {
        for (int64_t first = 0; first < all; first += DOT_PIXELS) {
            cut_pieces(&t, first);
            one_tile(&t);
        }
    }
}
