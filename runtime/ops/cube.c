/* cube.c: products of matrices (cube 5 to 7): mmad, matmul, conv2d. All of them are a
 * product of a first factor whose rows are runs of 32 bytes of terms, wherever these are
 * (L0A, blocks of L1, windows of an image), and a second one whose runs are ordered by k
 * and column. Blocks of both are packed for the kernels of gemm.h.
 *
 * Sums of 32 bits are kept in the destination while terms are added. Those of float16,
 * and integers that are added to old sums, are kept in a buffer until all terms are
 * added, and are then rounded, or clamped, once. */
#include "rules/load.h"
#include "layout/fractal.h"
#include "num/amx.h"
#include "num/half.h"
#include "num/lanes.h"
#include "ops/finish.h"
#include "ops/gemm.h"
#include "ops/internal.h"
#include "tikcode.h"

#include <string.h>

enum {
    BUFFER_ROWS = 128, /* rows of sums in a buffer */
    MOST_RUNS = GEMM_STEPS / 8,
    MOST_COLUMNS = 32, /* columns of a panel */
    LINE = 64,         /* bytes that are loaded at a time from the cache */
    /* rows, and products of terms, from which on tile registers are worth the setting
     * up */
    LEAST_ROWS = 16,
    LEAST_PRODUCTS = 1 << 17,
    SIDE = FRACTAL_SIDE
};

typedef enum Start {
    START_ZERO,
    START_DST,
    START_BIAS
} Start;

typedef struct Product Product;

/* Finds n runs of row m of the first factor, from run k1 on. */
typedef void FindRuns(const Product *p, int64_t m, int64_t k1, int64_t n,
                      const uint8_t **runs);

struct Product {
    const uint8_t *a, *b, *bias;
    uint8_t *c;
    int64_t m, k, n;
    int64_t terms;         /* terms of a run */
    int64_t k1;            /* runs of a row */
    int64_t part;          /* runs after which sums end; more follow in k (TikOrigin) */
    int64_t rows, columns; /* m and n in whole fractals */
    Dtype ta, tb, tc, tbias;
    Start start;
    bool saturate;
    FindRuns *find;
    int64_t a_row, a_run;    /* runs_strided: bytes from row to row, from run to run */
    int64_t b_run, b_column; /* bytes from run to run, from column to column */
    int64_t b_term, b_group; /* the same with b_rows: from term to term, group to group */
    bool b_rows;             /* each term of the second factor is a row of columns */
    FractalWindows s;        /* conv2d */
    int64_t out_w;
    uint8_t pad[FRACTAL_ROW];
    int64_t
        few; /* conv2d: bytes of the channels of a point if they fill no run; else 0 */
    uint8_t *row; /* with few: room for the runs of a row */
    GemmKind kind;
    const GemmLevel *level;
};

/* ---- rows of the first factor -------------------------------------------- */

static void
runs_fractals(const Product *p, int64_t m, int64_t k1, int64_t n, const uint8_t **runs)
{
    const uint8_t *at =
        p->a + (m / SIDE * p->k1 + k1) * FRACTAL_BYTES + m % SIDE * FRACTAL_ROW;
    for (int64_t i = 0; i < n; i++) {
        runs[i] = at + i * FRACTAL_BYTES;
    }
}

static void
runs_strided(const Product *p, int64_t m, int64_t k1, int64_t n, const uint8_t **runs)
{
    const uint8_t *at = p->a + m * p->a_row + k1 * p->a_run;
    for (int64_t i = 0; i < n; i++) {
        runs[i] = at + i * p->a_run;
    }
}

/* A point of the kernel in a group of channels. */
typedef struct Point {
    int64_t group, kh, kw;
} Point;

/* Finds the runs of a window that is inside of the image: from pixel to pixel, row to
 * row, group to group. */
static void
runs_inside(const Product *p, const uint8_t *at, Point k, int64_t n, const uint8_t **runs)
{
    const FractalWindows *s = &p->s;
    int64_t right = s->dilation_w * FRACTAL_ROW;
    int64_t down = (s->dilation_h * s->w - s->kw * s->dilation_w) * FRACTAL_ROW;
    int64_t back = (s->h - s->kh * s->dilation_h) * s->w * FRACTAL_ROW;
    for (int64_t i = 0; i < n; i++) {
        runs[i] = at;
        at += right;
        if (++k.kw == s->kw) {
            k.kw = 0;
            at += down;
            if (++k.kh == s->kh) {
                k.kh = 0;
                at += back;
            }
        }
    }
}

/* Does the same for a window with pixels that are padding. */
static void
runs_edge(const Product *p, int64_t y0, int64_t x0, Point k, int64_t n,
          const uint8_t **runs)
{
    const FractalWindows *s = &p->s;
    for (int64_t i = 0; i < n; i++) {
        int64_t y = y0 + k.kh * s->dilation_h, x = x0 + k.kw * s->dilation_w;
        bool inside = y >= 0 && y < s->h && x >= 0 && x < s->w;
        runs[i] =
            inside ? p->a + ((k.group * s->h + y) * s->w + x) * FRACTAL_ROW : p->pad;
        if (++k.kw == s->kw) {
            k.kw = 0;
            if (++k.kh == s->kh) {
                k.kh = 0;
                k.group++;
            }
        }
    }
}

/* Finds runs that are a pixel's group of channels at a point of the kernel. */
static void
runs_windows(const Product *p, int64_t m, int64_t k1, int64_t n, const uint8_t **runs)
{
    const FractalWindows *s = &p->s;
    Point k = {k1 / (s->kw * s->kh), k1 / s->kw % s->kh, k1 % s->kw};
    int64_t y0 = m / p->out_w * s->stride_h - s->top;
    int64_t x0 = m % p->out_w * s->stride_w - s->left;
    bool inside = y0 >= 0 && y0 + (s->kh - 1) * s->dilation_h < s->h && x0 >= 0 &&
                  x0 + (s->kw - 1) * s->dilation_w < s->w;
    if (inside) {
        int64_t y = y0 + k.kh * s->dilation_h, x = x0 + k.kw * s->dilation_w;
        runs_inside(p, p->a + ((k.group * s->h + y) * s->w + x) * FRACTAL_ROW, k, n,
                    runs);
    } else {
        runs_edge(p, y0, x0, k, n, runs);
    }
}

/* Makes runs that collect points with few channels; after the last point there are
 * zeros. */
static void
runs_few(const Product *p, int64_t m, int64_t k1, int64_t n, const uint8_t **runs)
{
    const FractalWindows *s = &p->s;
    int64_t points = p->k / FRACTAL_FEW, per = FRACTAL_ROW / p->few;
    int64_t y0 = m / p->out_w * s->stride_h - s->top;
    int64_t x0 = m % p->out_w * s->stride_w - s->left;
    memset(p->row, 0, (size_t)(n * FRACTAL_ROW));
    for (int64_t i = 0; i < n; i++) {
        runs[i] = p->row + i * FRACTAL_ROW;
    }
    for (int64_t i = k1 * per; i < (k1 + n) * per && i < points; i++) {
        int64_t y = y0 + i / s->kw % s->kh * s->dilation_h;
        int64_t x = x0 + i % s->kw * s->dilation_w, group = i / (s->kw * s->kh);
        bool inside = y >= 0 && y < s->h && x >= 0 && x < s->w;
        memcpy(p->row + (i - k1 * per) * p->few,
               inside ? p->a + ((group * s->h + y) * s->w + x) * p->few : p->pad,
               (size_t)p->few);
    }
}

/* ---- blocks -------------------------------------------------------------- */

static int64_t
least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Sums of the rows from m0 on, of all columns of a block: group g of 16 columns is at at
 * + g * pitch words. */
typedef struct Sums {
    uint32_t *at;
    int64_t pitch;
    int64_t m0, rows;
    int64_t n0, columns;
    bool first;   /* sums begin with 0 */
    GemmEnd end;  /* of sums that are complete, or those of a part are */
    int64_t kept; /* words from block to block of runs that stay packed; 0: none does */
    bool packed;  /* they are packed already */
} Sums;

typedef struct Blocks {
    _Alignas(LINE) uint32_t b[GEMM_COLUMNS * GEMM_STEPS];
    _Alignas(LINE) uint32_t a[GEMM_ROWS * GEMM_PITCH];
    /* room for sums of columns that do not exist */
    _Alignas(LINE) uint32_t beside[GEMM_ROWS * GEMM_GROUP];
    int32_t start[GEMM_ROWS];
    NumAmx amx;
    uint8_t row[MOST_RUNS * FRACTAL_ROW];                  /* collected runs of a row */
    uint8_t panel[MOST_RUNS * MOST_COLUMNS * FRACTAL_ROW]; /* collected runs of a panel */
} Blocks;

/* Packs a panel of two groups of which only the first exists. */
static void
pack_single(const Product *p, GemmPanel panel)
{
    uint8_t pair[2 * GEMM_GROUP * GEMM_RUN] = {0};
    GemmPanel one = panel;
    int words = p->level->words[p->kind];
    one.runs = 1;
    one.b = pair;
    one.column = GEMM_RUN;
    for (int64_t r = 0; r < panel.runs; r++) {
        for (int i = 0; i < GEMM_GROUP; i++) {
            memcpy(pair + (ptrdiff_t)i * GEMM_RUN,
                   panel.b + r * panel.pitch + i * panel.column, GEMM_RUN);
        }
        one.terms = panel.terms - r * p->terms;
        one.out = (uint32_t *)panel.out + r * words * p->level->columns;
        p->level->pack_panel[p->kind](&one);
    }
}

/* Packs columns from n on of a block whose terms are rows. */
static void
pack_terms(const Product *p, uint32_t *out, const Sums *c, int64_t n, int64_t k1,
           int64_t runs)
{
    int64_t group = (c->n0 + n) / GEMM_GROUP, first = k1 * p->terms;
    GemmRows rows = {.b = p->b + group * p->b_group + first * p->b_term,
                     .pitch = p->b_term,
                     .group = p->b_group,
                     .terms = least(runs * p->terms, p->k - first),
                     .groups = (int)((c->columns - n) / GEMM_GROUP),
                     .out = out};
    p->level->pack_terms[p->kind](&rows);
}

/* Collects the runs from k1 on of the columns from n on of a weight with few channels, in
 * the form of a plain panel. */
static void
collect_panel(const Product *p, uint8_t *out, int64_t n, int64_t columns, int64_t k1,
              int64_t runs)
{
    int64_t points = p->k / FRACTAL_FEW, per = FRACTAL_ROW / p->few;
    memset(out, 0, (size_t)(runs * columns * FRACTAL_ROW));
    for (int64_t i = k1 * per; i < (k1 + runs) * per && i < points; i++) {
        const uint8_t *from = p->b + (i * p->columns + n) * p->few;
        int64_t run = i / per - k1;
        uint8_t *to = out + run * columns * FRACTAL_ROW + i % per * p->few;
        for (int64_t j = 0; j < columns; j++) {
            memcpy(to + j * FRACTAL_ROW, from + j * p->few, (size_t)p->few);
        }
    }
}

/* Packs the second factor's columns from n0 on and runs from k1 on. */
static void
pack_columns(const Product *p, Blocks *w, uint32_t *out, const Sums *c, int64_t k1,
             int64_t runs)
{
    const GemmLevel *l = p->level;
    for (int64_t n = 0; n < c->columns; n += l->columns) {
        if (p->b_rows) {
            pack_terms(p, out + n * GEMM_STEPS, c, n, k1, runs);
            continue;
        }
        GemmPanel panel = {.b = p->b + k1 * p->b_run + (c->n0 + n) * p->b_column,
                           .pitch = p->b_run,
                           .column = p->b_column,
                           .runs = runs,
                           .terms = p->k - k1 * p->terms,
                           .a_sign = p->ta == DT_S8,
                           .b_sign = p->tb == DT_S8,
                           .out = out + n * GEMM_STEPS};
        if (p->few != 0) {
            int64_t columns = least(l->columns, c->columns - n);
            collect_panel(p, w->panel, c->n0 + n, columns, k1, runs);
            panel.b = w->panel;
            panel.pitch = columns * FRACTAL_ROW;
            panel.column = FRACTAL_ROW;
        }
        if (c->columns - n < l->columns) {
            pack_single(p, panel);
        } else {
            l->pack_panel[p->kind](&panel);
        }
    }
}

/* Makes the tile's rows from row m on: packs them, or takes them where they are. */
static void
take_rows(const Product *p, Blocks *w, GemmTile *t, int64_t m, int64_t k1, int64_t n)
{
    const uint8_t *runs[MOST_RUNS];
    bool quads = p->kind == GEMM_BYTES && p->level->quads;
    t->a = w->a;
    t->pitch = GEMM_PITCH * (int64_t)sizeof *w->a;
    if (quads && p->find == runs_strided && p->a_run == FRACTAL_ROW) {
        t->a = p->a + m * p->a_row + k1 * FRACTAL_ROW;
        t->pitch = p->a_row;
    } else if (p->find == runs_strided && p->level->pack_block[p->kind] != NULL) {
        const GemmBlock b = {.a = p->a + m * p->a_row + k1 * p->a_run,
                             .row = p->a_row,
                             .run = p->a_run,
                             .rows = t->rows,
                             .runs = n,
                             .out = w->a};
        p->level->pack_block[p->kind](&b);
    } else {
        for (int64_t i = 0; i < t->rows; i++) {
            p->find(p, m + i, k1, n, runs);
            p->level->pack_row[p->kind](w->a + i * GEMM_PITCH, runs, n, p->ta == DT_S8);
        }
    }
    t->start = NULL;
    if (quads && !p->level->amx && p->ta == DT_S8) {
        p->level->row_start(w->start, t);
        t->start = w->start;
    }
}

/* Adds the products of some rows and all columns of a block on tile registers. */
static void
add_tiles(const Product *p, Blocks *w, const Sums *c, const GemmTile *t, int64_t i)
{
    enum {
        WORD = sizeof(uint32_t)
    };
    const NumAmxBlock b = {.a = t->a,
                           .a_pitch = t->pitch,
                           .b = t->b,
                           .b_step = NUM_AMX_COLUMNS * WORD,
                           .b_pair = (int64_t)NUM_AMX_COLUMNS * GEMM_STEPS * WORD,
                           .c = c->at + i * GEMM_GROUP,
                           .c_group = c->pitch * WORD,
                           .c_row = GEMM_GROUP * WORD,
                           .steps = t->steps,
                           .rows = t->rows,
                           .groups = (int)(c->columns / GEMM_GROUP),
                           .first = t->first,
                           .a_sign = p->ta == DT_S8,
                           .b_sign = p->tb == DT_S8};
    num_amx_multiply(&w->amx, &b);
}

/* A block of runs of the second factor. */
typedef struct Runs {
    int64_t k1, n;
    const uint32_t *packed;
    bool first; /* sums begin with 0 */
    GemmEnd end;
} Runs;

/* Adds the terms of a block of runs to the sums of some rows. */
static void
add_rows(const Product *p, Blocks *w, const Sums *c, int64_t i, const Runs *runs)
{
    const GemmLevel *l = p->level;
    GemmTile t = {.b = runs->packed,
                  .steps = runs->n * l->words[p->kind],
                  .rows = (int)least(l->rows, c->rows - i),
                  .first = runs->first,
                  .end = runs->end,
                  .every = p->part * l->words[p->kind]};
    if (p->kind != GEMM_BYTES) {
        t.steps = least(t.steps, p->k - runs->k1 * p->terms);
    }
    take_rows(p, w, &t, c->m0 + i, runs->k1, runs->n);
    if (l->amx) {
        add_tiles(p, w, c, &t, i);
        return;
    }
    for (int64_t n = 0; n < c->columns; n += l->columns) {
        t.b = runs->packed + n * GEMM_STEPS;
        for (int g = 0; g < l->columns / GEMM_GROUP; g++) {
            int64_t group = n / GEMM_GROUP + g;
            t.c[g] = group * GEMM_GROUP < c->columns
                         ? c->at + group * c->pitch + i * GEMM_GROUP
                         : w->beside;
        }
        l->kernel[p->kind](&t);
    }
}

/* Returns how many runs from k1 on are a block: at most some, of whole parts if there is
 * room for one, else up to the end of a part. */
static int64_t
block_runs(const Product *p, int64_t k1, int64_t most)
{
    int64_t in = k1 % p->part;
    return in != 0 || p->part > most ? least(most, p->part - in)
                                     : least(most / p->part * p->part, p->k1 - k1);
}

/* Packs all blocks of runs of some columns, which stay. */
static void
pack_all(const Product *p, Blocks *w, const Sums *c)
{
    int64_t most = GEMM_STEPS / p->level->words[p->kind], runs;
    uint32_t *to = w->b;
    for (int64_t k1 = 0; k1 < p->k1; k1 += runs, to += c->kept) {
        runs = block_runs(p, k1, most);
        pack_columns(p, w, to, c, k1, runs);
    }
}

/* Adds all terms of the sums, block by block. Nothing is copied that was just written:
 * that would wait until the sums before are stored. */
static void
add_terms(const Product *p, Blocks *w, const Sums *c)
{
    int64_t most = GEMM_STEPS / p->level->words[p->kind];
    Runs b = {.packed = w->b, .first = c->first};
    for (; b.k1 < p->k1; b.k1 += b.n, b.packed += c->kept) {
        b.n = block_runs(p, b.k1, most);
        if (!c->packed) {
            pack_columns(p, w, w->b, c, b.k1, b.n);
        }
        b.end = (b.k1 + b.n) % p->part == 0 ? c->end : GEMM_END_NONE;
        for (int64_t i = 0; i < c->rows; i += p->level->rows) {
            add_rows(p, w, c, i, &b);
        }
        b.first = false;
    }
}

/* ---- sums that begin with something -------------------------------------- */

static float
bias_at(const Product *p, int64_t n)
{
    uint16_t h;
    uint32_t u;
    if (n >= p->n) {
        return 0;
    }
    if (p->tbias == DT_F16) {
        memcpy(&h, p->bias + 2 * n, 2);
        return half_to_float(h);
    }
    memcpy(&u, p->bias + 4 * n, 4);
    return float_of_bits(u);
}

/* Returns the place in the destination of row m of the group of column n. */
static uint8_t *
dst_at(const Product *p, int64_t m, int64_t n)
{
    return p->c + fractal_l0c(p->rows / SIDE, m, n) * dtype_size(p->tc);
}

static void
start_floats(const Product *p, const Sums *c)
{
    for (int64_t n = 0; n < c->columns; n += GEMM_GROUP) {
        uint32_t *to = c->at + n / GEMM_GROUP * c->pitch, row[GEMM_GROUP];
        for (int64_t j = 0; j < GEMM_GROUP && p->start == START_BIAS; j++) {
            row[j] = float_bits(bias_at(p, c->n0 + n + j));
        }
        for (int64_t i = 0; i < c->rows; i++) {
            if (p->start == START_BIAS) {
                memcpy(to + i * GEMM_GROUP, row, sizeof row);
            } else if (p->tc == DT_F16) {
                uint16_t h[GEMM_GROUP];
                memcpy(h, dst_at(p, c->m0 + i, c->n0 + n), sizeof h);
                for (int j = 0; j < GEMM_GROUP; j++) {
                    to[i * GEMM_GROUP + j] = float_bits(half_to_float(h[j]));
                }
            }
        }
    }
}

/* ---- results ------------------------------------------------------------- */

/* Makes sums ready to be stored as float16: without infinity and NaN, or with canonical
 * NaN. */
static void
clamp(const Product *p, uint32_t *x, int64_t n)
{
    const float most = 65504.0f;
    for (int64_t i = 0; p->saturate && i < n; i++) {
        float f = float_of_bits(x[i]);
        float g = f > most ? most : f < -most ? -most : f;
        x[i] = f == f ? float_bits(g) : 0;
    }
    for (int64_t i = 0; !p->saturate && i < n; i++) {
        float f = float_of_bits(x[i]);
        x[i] = f == f ? x[i] : FLOAT_NAN;
    }
}

/* Zeroes the elements after the last row and column of a block. */
static void
clear_padding(const Product *p, const Sums *c)
{
    size_t size = (size_t)dtype_size(p->tc);
    int64_t missing = p->m - c->m0 - c->rows <= 0 ? p->rows - p->m : 0;
    for (int64_t n = 0; n < c->columns; n += GEMM_GROUP) {
        int64_t have = p->n - c->n0 - n;
        if (missing > 0) {
            memset(dst_at(p, p->m, c->n0 + n), 0, (size_t)(missing * GEMM_GROUP) * size);
        }
        for (int64_t i = 0; i < c->rows && have < GEMM_GROUP; i++) {
            memset(dst_at(p, c->m0 + i, c->n0 + n) + (size_t)have * size, 0,
                   (size_t)(GEMM_GROUP - have) * size);
        }
    }
}

static void
finish_halves(const Product *p, const Sums *c)
{
    for (int64_t n = 0; n < c->columns; n += GEMM_GROUP) {
        uint32_t *from = c->at + n / GEMM_GROUP * c->pitch;
        uint8_t *to = dst_at(p, c->m0, c->n0 + n);
        clamp(p, from, c->rows * GEMM_GROUP);
        for (int64_t i = 0; i < c->rows * GEMM_GROUP; i++) {
            uint16_t h = half_from_float(float_of_bits(from[i]));
            memcpy(to + 2 * i, &h, 2);
        }
    }
}

/* Adds integers to the numbers with which sums begin, clamped. */
static void
finish_ints(const Product *p, const Sums *c)
{
    bool plain = p->tc == DT_S32;
    int64_t lo = plain ? INT32_MIN : 0, hi = plain ? INT32_MAX : (int64_t)UINT32_MAX;
    for (int64_t n = 0; n < c->columns; n += GEMM_GROUP) {
        const uint32_t *from = c->at + n / GEMM_GROUP * c->pitch;
        uint8_t *to = dst_at(p, c->m0, c->n0 + n);
        for (int64_t i = 0; i < c->rows * GEMM_GROUP; i++) {
            uint32_t start = 0;
            int64_t j = c->n0 + n + i % GEMM_GROUP;
            if (p->start == START_DST) {
                memcpy(&start, to + 4 * i, 4);
            } else if (j < p->n) {
                memcpy(&start, p->bias + 4 * j, 4);
            }
            int64_t sum =
                (plain ? (int64_t)(int32_t)start : (int64_t)start) + (int32_t)from[i];
            sum = sum < lo ? lo : sum > hi ? hi : sum;
            memcpy(to + 4 * i, &sum, 4);
        }
    }
}

/* ---- driver -------------------------------------------------------------- */

/* Computes the columns from n0 on with their sums in the destination. */
static void
block_in_place(const Product *p, Blocks *w, int64_t n0)
{
    Sums c = {.at = (uint32_t *)(void *)dst_at(p, 0, n0),
              .pitch = p->rows * GEMM_GROUP,
              .rows = p->m,
              .n0 = n0,
              .columns = least(GEMM_COLUMNS, p->columns - n0),
              .first = p->start == START_ZERO,
              .end = p->saturate ? GEMM_END_FINITE : GEMM_END_CANONICAL};
    if (p->start == START_BIAS) {
        start_floats(p, &c);
    }
    add_terms(p, w, &c);
    clear_padding(p, &c);
}

/* Does the same with the sums in a buffer. */
static void
block_beside(const Product *p, Blocks *w, int64_t n0)
{
    _Alignas(LINE) uint32_t buffer[BUFFER_ROWS * GEMM_COLUMNS];
    bool floats = p->kind != GEMM_BYTES;
    for (int64_t m = 0; m < p->m; m += BUFFER_ROWS) {
        Sums c = {.at = buffer,
                  .pitch = (int64_t)BUFFER_ROWS * GEMM_GROUP,
                  .m0 = m,
                  .rows = least(BUFFER_ROWS, p->m - m),
                  .n0 = n0,
                  .columns = least(GEMM_COLUMNS, p->columns - n0),
                  .first = !floats || p->start == START_ZERO};
        if (!c.first) {
            start_floats(p, &c);
        }
        add_terms(p, w, &c);
        (floats ? finish_halves : finish_ints)(p, &c);
        clear_padding(p, &c);
    }
}

/* Returns how many columns all of whose terms there is room for, packed; 0: not for those
 * of one kernel. */
static int64_t
columns_kept(const Product *p, int64_t *blocks)
{
    int64_t most = GEMM_STEPS / p->level->words[p->kind], n = 0;
    for (int64_t k1 = 0; k1 < p->k1; k1 += block_runs(p, k1, most)) {
        n++;
    }
    *blocks = n;
    return GEMM_COLUMNS / n / p->level->columns * p->level->columns;
}

/* Does the same for sums that are converted and stored as they are made. The second
 * factor is packed once if there is room for it, else for each of more rows. */
static void
block_finish(const Product *p, Blocks *w, const OpFinish *f, int64_t n0, int64_t columns)
{
    _Alignas(LINE) uint32_t buffer[BUFFER_ROWS * GEMM_COLUMNS];
    int64_t blocks, most = columns_kept(p, &blocks);
    int64_t step = most != 0 ? p->level->rows : BUFFER_ROWS;
    Sums c = {.at = buffer,
              .pitch = step * GEMM_GROUP,
              .n0 = n0,
              .columns = columns,
              .first = true,
              .kept = most != 0 ? GEMM_COLUMNS / blocks * GEMM_STEPS : 0,
              .end = p->saturate ? GEMM_END_FINITE : GEMM_END_CANONICAL};
    FinishSums s = {.at = buffer,
                    .pitch = c.pitch,
                    .group = (int)(n0 / GEMM_GROUP),
                    .groups = (int)(columns / GEMM_GROUP)};
    if (most != 0) {
        pack_all(p, w, &c);
        c.packed = true;
    }
    for (c.m0 = 0; c.m0 < f->rows; c.m0 += step) {
        c.rows = least(step, f->rows - c.m0);
        add_terms(p, w, &c);
        s.row = c.m0;
        s.rows = c.rows;
        ops_finish_rows(f, &s);
    }
}

/* Returns whether the rows of the first factor are multiplied where they are. */
static bool
rows_in_place(const Product *p)
{
    return p->kind == GEMM_BYTES && p->level->quads && p->find == runs_strided &&
           p->a_run == FRACTAL_ROW;
}

static void
finish_product(const Product *p, Blocks *w, const OpFinish *f)
{
    int64_t blocks, most = columns_kept(p, &blocks);
    most = most != 0 ? most : GEMM_COLUMNS;
    if (p->level->amx && rows_in_place(p)) {
        most = least(most, NUM_AMX_COLUMNS); /* a panel stays in the first cache */
    }
    for (int64_t n = 0; n < p->columns; n += most) {
        block_finish(p, w, f, n, least(most, p->columns - n));
    }
}

/* Returns whether tile registers multiply the factors faster than vectors do. */
static bool
suits_tiles(const Product *p)
{
    return p->kind == GEMM_BYTES && p->m >= LEAST_ROWS &&
           p->rows * p->columns * p->k >= LEAST_PRODUCTS && num_amx_allowed();
}

static const GemmLevel *
level_of(const Product *p)
{
#if defined(__x86_64__)
    bool fma = __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
    switch (num_level()) {
    case NUM_LEVEL_AVX512:
        if (fma) {
            bool quads = __builtin_cpu_supports("avx512vnni") && p->tb == DT_S8;
            return suits_tiles(p) ? &gemm_amx : quads ? &gemm_vnni : &gemm_avx512;
        }
        break;
    case NUM_LEVEL_AVX2:
        if (fma) {
            return &gemm_avx2;
        }
        break;
    default:
        break;
    }
#endif
    (void)p;
    (void)suits_tiles;
    return &gemm_base;
}

/* Describes the layout of the factors: that of the instruction, or where they are. */
static void
find_factors(Product *p, const TikOrigin *origins)
{
    p->b_run = p->columns * FRACTAL_ROW;
    p->b_column = FRACTAL_ROW;
    if (origins == NULL) {
        return;
    }
    if (origins[0].used && p->find != runs_windows) {
        p->find = runs_strided;
        p->a_row = origins[0].outer;
        p->a_run = origins[0].inner;
    }
    if (origins[1].used && origins[1].transposed) {
        p->b_rows = true;
        p->b_term = origins[1].outer;
        p->b_group = origins[1].inner;
    } else if (origins[1].used) {
        p->b_run = origins[1].outer;
        p->b_column = origins[1].inner;
    }
}

static bool
multiply(Product *p, const OpCall *c, int bias)
{
    Blocks w;
    w.amx = (NumAmx){0};
    uint32_t mode;
    const CheckArg *a = c->in.args;
    memcpy(&mode, c->sreg + SREG_FP2FP, sizeof mode);
    p->saturate = mode == 0;
    p->row = w.row;
    p->a = c->at[MATMUL_a];
    p->b = c->at[MATMUL_b];
    p->c = c->at[MATMUL_dst];
    p->bias = bias < 0 ? NULL : c->at[bias];
    p->tbias = bias < 0 ? DT_NONE : a[bias].t.dtype;
    p->start = bias >= 0 ? START_BIAS : p->start;
    p->kind = p->ta == DT_F16    ? GEMM_HALF
              : p->ta == DT_BF16 ? GEMM_BFLOAT
              : p->ta == DT_F32  ? GEMM_FLOAT
                                 : GEMM_BYTES;
    int64_t parts = c->origins != NULL ? c->origins->parts : 1;
    p->k *= parts;
    p->k1 = fractal_count(p->k, p->terms);
    /* Integers that do not saturate have parts of no consequence. */
    p->part = p->kind == GEMM_BYTES ? p->k1 : p->k1 / parts;
    p->rows = fractal_up(p->m, SIDE);
    p->columns = fractal_up(p->n, SIDE);
    p->level = level_of(p);
    find_factors(p, c->origins);
    if (c->finish != NULL) {
        finish_product(p, &w, c->finish);
        num_amx_close(&w.amx);
        return true;
    }
    bool beside = p->tc == DT_F16 || (p->kind == GEMM_BYTES && p->start != START_ZERO);
    for (int64_t n = 0; n < p->columns; n += GEMM_COLUMNS) {
        (beside ? block_beside : block_in_place)(p, &w, n);
    }
    num_amx_close(&w.amx);
    return true;
}

static Product
product_of(const OpCall *c)
{
    const CheckArg *a = c->in.args;
    return (Product){.ta = a[MATMUL_a].t.dtype,
                     .tb = a[MATMUL_b].t.dtype,
                     .tc = a[MATMUL_dst].t.dtype,
                     .terms = fractal_c0(dtype_size(a[MATMUL_a].t.dtype))};
}

bool
ops_mmad(OpCall *c)
{
    const CheckArg *a = c->in.args;
    bool biased = op_table[c->in.op].form == FORM_MMADBIAS;
    Product p = product_of(c);
    p.m = a[MATMUL_m].v;
    p.k = a[MATMUL_k].v;
    p.n = a[MATMUL_n].v;
    p.find = p.m == 1 ? runs_strided : runs_fractals;
    p.a_run = FRACTAL_ROW;
    p.start = !biased && a[MATMUL_init_l1out].v != 0 ? START_DST : START_ZERO;
    return p.m == 0 || p.k == 0 || p.n == 0 ||
           multiply(&p, c, biased ? MATMUL_init_l1out : -1);
}

bool
ops_matmul(OpCall *c)
{
    const CheckArg *a = c->in.args;
    bool biased = op_table[c->in.op].form == FORM_MATMULBIAS;
    Product p = product_of(c);
    p.m = a[MATMUL_m].v;
    p.k = a[MATMUL_k].v;
    p.n = a[MATMUL_n].v;
    p.find = runs_strided;
    p.a_row = FRACTAL_ROW;
    p.a_run = fractal_up(p.m, SIDE) * FRACTAL_ROW;
    p.start = !biased && a[MATMUL_init_l1out].v == 0 ? START_DST : START_ZERO;
    return multiply(&p, c, biased ? MATMUL_init_l1out : -1);
}

bool
ops_conv2d(OpCall *c)
{
    const CheckArg *a = c->in.args;
    bool biased = op_table[c->in.op].form == FORM_CONV2DBIAS;
    Product p = product_of(c);
    p.s = (FractalWindows){.h = a[CONV2D_fm_h].v,
                           .w = a[CONV2D_fm_w].v,
                           .left = a[CONV2D_pad_left].v,
                           .right = a[CONV2D_pad_right].v,
                           .top = a[CONV2D_pad_top].v,
                           .bottom = a[CONV2D_pad_bottom].v,
                           .stride_h = a[CONV2D_stride_h].v,
                           .stride_w = a[CONV2D_stride_w].v,
                           .kh = a[CONV2D_kernel_h].v,
                           .kw = a[CONV2D_kernel_w].v,
                           .dilation_h = a[CONV2D_dilation_h].v,
                           .dilation_w = a[CONV2D_dilation_w].v};
    p.out_w = fractal_windows_w(&p.s);
    p.m = fractal_windows_h(&p.s) * p.out_w;
    p.k = a[CONV2D_fm_c1].v * a[CONV2D_fm_c0].v * p.s.kh * p.s.kw;
    p.n = a[CONV2D_kernel_cout].v;
    p.few = a[CONV2D_fm_c0].v == p.terms ? 0 : FRACTAL_FEW * dtype_size(p.ta);
    p.find = p.few != 0 ? runs_few : runs_windows;
    p.start = !biased && a[CONV2D_init_l1out].v == 0 ? START_DST : START_ZERO;
    int64_t size = dtype_size(p.ta);
    for (int64_t i = 0; i < FRACTAL_ROW; i += size) {
        memcpy(p.pad + i, &a[CONV2D_pad_value].v, (size_t)size);
    }
    return multiply(&p, c, biased ? CONV2D_init_l1out : -1);
}
