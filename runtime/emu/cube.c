/* cube.c: products of matrices (cube 5 to 7): mmad, matmul, conv2d. Sums are computed for
 * some fractals at a time, with all of their terms by ascending k, before the next
 * fractals. */
#include "emu/emu.h"
#include "rules/load.h"
#include "layout/fractal.h"
#include "emu/cube.h"
#include "num/amx.h"
#include "num/lanes.h"

#include <string.h>

enum {
    SIDE = FRACTAL_SIDE
};

/* Where the rows of the first factor come from. */
typedef enum Rows {
    ROWS_ZZ,     /* L0A */
    ROWS_VECTOR, /* L0A, one row */
    ROWS_BLOCKS, /* matmul: [K1][M][K0] */
    ROWS_WINDOWS /* conv2d */
} Rows;

typedef enum Start {
    START_ZERO,
    START_DST,
    START_BIAS
} Start;

typedef struct Product {
    const uint8_t *a, *b, *bias;
    uint8_t *c;
    int64_t m, k, n;
    int64_t c0, k1; /* terms of an input fractal, number of input fractals along k */
    int64_t words;  /* that the terms of an input fractal become */
    int64_t rows, columns; /* m and n in whole fractals */
    Dtype ta, tb, tc, tbias;
    Rows layout;
    Start start;
    bool saturate;
    bool amx;         /* bytes stay bytes and are multiplied by num/amx.h */
    FractalWindows s; /* conv2d */
    int64_t out_w;
    int64_t few; /* conv2d: channels of a group if they fill no run; else 0 */
    uint8_t pad[FRACTAL_ROW];
    const CubeTable *table;
} Product;

/* ---- inputs -------------------------------------------------------------- */

/* Returns where window m has the channels of a group at a point of the kernel. Points are
 * counted through the groups. */
static const uint8_t *
window_of(const Product *p, int64_t m, int64_t point, int64_t bytes)
{
    const FractalWindows *s = &p->s;
    int64_t points = s->kh * s->kw, at = point % points;
    int64_t y = fractal_window_y(s, m / p->out_w, at / s->kw);
    int64_t x = fractal_window_x(s, m % p->out_w, at % s->kw);
    bool inside = y >= 0 && y < s->h && x >= 0 && x < s->w;
    return inside ? p->a + ((point / points * s->h + y) * s->w + x) * bytes : p->pad;
}

/* Returns term k of a run that collects points with few channels, for row m or column n.
 * After the last one there are zeros. */
static void
few_term(const Product *p, int64_t m, int64_t n, int64_t k, uint8_t *to)
{
    static const uint8_t none[4];
    int64_t size = dtype_size(p->ta), point = k / p->few, channel = k % p->few;
    const uint8_t *from = none;
    if (k < p->k && m >= 0) {
        from = window_of(p, m, point, p->few * size) + channel * size;
    } else if (k < p->k) {
        from = p->b + ((point * p->columns + n) * p->few + channel) * size;
    }
    memcpy(to, from, (size_t)size);
}

/* Makes run k1 of row m, or of column n if m is negative, that collects points with few
 * channels. */
static const uint8_t *
few_terms(const Product *p, int64_t m, int64_t n, int64_t k1, uint8_t *run)
{
    for (int64_t k = 0; k < p->c0; k++) {
        few_term(p, m, n, k1 * p->c0 + k, run + k * dtype_size(p->ta));
    }
    return run;
}

/* ---- tiles --------------------------------------------------------------- */

enum {
    TILE_ROWS = 8 * SIDE,
    TILE_COLUMNS = DOT_PIXELS,
    RUNS = 4,        /* of terms, which are added at a time */
    LINE = 64,       /* bytes that are loaded at a time from the cache */
    WORD = 4,        /* bytes */
    LEAST = 1 << 17, /* products from which on num/amx.h is worth the setting up */
    PANEL_RUNS = 32  /* of the columns, which are kept for the rows of other tiles */
};

/* Sums of some fractals, which are all floats or all integers, and the factors of some
 * runs, in the form of num/dot.h: rows are its channels, columns its pixels. A word is a
 * float, two int16, or four bytes for num/amx.h. Integers are exact in 32 bits, because
 * memory has no room for more terms. */
typedef struct Tile {
    _Alignas(LINE) uint32_t sum[TILE_ROWS][TILE_COLUMNS];
    _Alignas(LINE) uint32_t a[TILE_ROWS][RUNS * CUBE_WORDS];
    _Alignas(LINE) uint32_t b[PANEL_RUNS * CUBE_WORDS][TILE_COLUMNS];
    int64_t m, n, rows, columns; /* its place, and the rows and columns that exist */
    int64_t panel; /* the first run of the panel b of these columns; -1: it is empty */
    struct {
        int64_t y, x; /* conv2d: row and column of the results */
    } out[TILE_ROWS];
    NumAmx amx;
} Tile;

static const CubeTable *
table(void)
{
    NumLevel level = num_level();
    return level >= NUM_LEVEL_AVX512 ? &emu_cube_avx512
           : level >= NUM_LEVEL_AVX2 ? &emu_cube_avx2
                                     : &emu_cube_base;
}

static void
copy_runs(void *to, int64_t step, const uint8_t *const *runs, int64_t n)
{
    for (int64_t r = 0; r < n; r++) {
        memcpy((uint8_t *)to + r * step, runs[r], FRACTAL_ROW);
    }
}

static CubeWiden *
widen_of(const Product *p, Dtype t)
{
    if (p->amx) {
        return copy_runs;
    }
    CubeWiden *of_type = p->table->widen[t];
    return of_type != NULL ? of_type : p->table->widen[DT_U8];
}

static int64_t
least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static uint8_t *
c_row(const Product *p, int64_t m, int64_t n)
{
    return p->c + fractal_l0c(p->rows / SIDE, m, n) * dtype_size(p->tc);
}

/* The bias of a fractal of columns; those that do not exist have 0. */
static const uint8_t *
bias_of(const Product *p, int64_t n, uint32_t room[SIDE])
{
    int64_t size = dtype_size(p->tbias);
    memset(room, 0, SIDE * sizeof *room);
    memcpy(room, p->bias + n * size, (size_t)(least(SIDE, p->n - n) * size));
    return (const uint8_t *)room;
}

/* Sums of floats begin with the bias or the old sum; integers get it at the end, when the
 * total is clamped. */
static void
start_floats(const Product *p, Tile *t)
{
    uint32_t room[SIDE];
    bool onto = p->start == START_DST;
    for (int64_t j = 0; p->start != START_ZERO && j < t->columns; j += SIDE) {
        float *sums = (float *)(void *)&t->sum[0][j];
        const uint8_t *from =
            onto ? c_row(p, t->m, t->n + j) : bias_of(p, t->n + j, room);
        p->table->begin[onto ? p->tc : p->tbias](
            sums, from, onto ? SIDE * dtype_size(p->tc) : 0, t->rows);
    }
}

static CubeEnd
end_of(const Product *p)
{
    bool half = p->tc == DT_F16;
    return p->tc == DT_S32   ? CUBE_END_S32
           : p->tc == DT_U32 ? CUBE_END_U32
           : p->saturate     ? half ? CUBE_END_F16_FINITE : CUBE_END_F32_FINITE
           : half            ? CUBE_END_F16
                             : CUBE_END_F32;
}

/* Stores the sums of a fractal's columns, whose rows follow each other. Rows and columns
 * that do not exist are 0. */
static void
finish_columns(const Product *p, const Tile *t, int64_t j)
{
    static const uint32_t zeros[SIDE];
    uint32_t room[SIDE];
    int64_t size = dtype_size(p->tc), row = SIDE * size;
    uint8_t *to = c_row(p, t->m, t->n + j);
    bool onto = p->start == START_DST && !dtype_is_float(p->tc);
    bool biased = p->start == START_BIAS && !dtype_is_float(p->tc);
    const uint8_t *was = onto     ? to
                         : biased ? bias_of(p, t->n + j, room)
                                  : (const uint8_t *)zeros;
    int64_t rows = least(TILE_ROWS, p->rows - t->m), here = least(SIDE, t->columns - j);
    p->table->finish[end_of(p)](to, &t->sum[0][j], t->rows, was, onto ? row : 0);
    for (int64_t i = 0; here < SIDE && i < t->rows; i++) {
        memset(to + i * row + here * size, 0, (size_t)(row - here * size));
    }
    memset(to + t->rows * row, 0, (size_t)((rows - t->rows) * row));
}

/* ---- factors of a tile --------------------------------------------------- */

/* Gives run k1 of each row of the tile; room is for runs that are made. */
static void
rows_of_run(const Product *p, const Tile *t, int64_t k1, const uint8_t **runs,
            uint8_t room[][FRACTAL_ROW])
{
    bool one = p->layout == ROWS_VECTOR;
    for (int64_t i = 0; i < t->rows; i++) {
        int64_t m = t->m + i;
        if (p->few != 0) {
            runs[i] = few_terms(p, m, 0, k1, room[i]);
        } else if (p->layout == ROWS_ZZ) {
            runs[i] =
                p->a + (m / SIDE * p->k1 + k1) * FRACTAL_BYTES + m % SIDE * FRACTAL_ROW;
        } else {
            runs[i] = p->a + (one ? k1 : k1 * p->rows + m) * FRACTAL_ROW;
        }
    }
}

/* Gives the channels of group and point k1 that each window of the tile reads. */
static void
windows_of_run(const Product *p, const Tile *t, int64_t k1, const uint8_t **runs)
{
    const FractalWindows *s = &p->s;
    int64_t group = k1 / (s->kh * s->kw), point = k1 % (s->kh * s->kw);
    int64_t kh = point / s->kw, kw = point % s->kw;
    const uint8_t *image = p->a + group * s->h * s->w * FRACTAL_ROW;
    for (int64_t i = 0; i < t->rows; i++) {
        int64_t y = fractal_window_y(s, t->out[i].y, kh);
        int64_t x = fractal_window_x(s, t->out[i].x, kw);
        bool inside = y >= 0 && y < s->h && x >= 0 && x < s->w;
        runs[i] = inside ? image + (y * s->w + x) * FRACTAL_ROW : p->pad;
    }
}

/* Makes numbers of run k1 of the rows, which begin at a word of the tile. */
static void
read_rows(const Product *p, Tile *t, int64_t k1, int64_t word)
{
    const uint8_t *runs[TILE_ROWS];
    uint8_t room[TILE_ROWS][FRACTAL_ROW];
    if (p->layout == ROWS_WINDOWS && p->few == 0) {
        windows_of_run(p, t, k1, runs);
    } else {
        rows_of_run(p, t, k1, runs, room);
    }
    widen_of(p, p->ta)(&t->a[0][word], sizeof t->a[0], runs, t->rows);
}

/* Makes a panel of the columns, of the runs from k1 on. */
static void
read_panel(const Product *p, Tile *t, int64_t k1)
{
    uint32_t words[TILE_COLUMNS][CUBE_WORDS] = {{0}};
    const uint8_t *runs[TILE_COLUMNS];
    uint8_t room[TILE_COLUMNS][FRACTAL_ROW];
    for (int64_t r = 0; r < PANEL_RUNS && k1 + r < p->k1; r++) {
        for (int64_t j = 0; j < t->columns; j++) {
            int64_t n = t->n + j;
            runs[j] = p->few != 0 ? few_terms(p, -1, n, k1 + r, room[j])
                                  : p->b + ((k1 + r) * p->columns + n) * FRACTAL_ROW;
        }
        widen_of(p, p->tb)(words, sizeof words[0], runs, t->columns);
        p->table->turn(t->b[r * p->words], words[0], p->words);
    }
    t->panel = k1;
}

/* ---- the product --------------------------------------------------------- */

/* Does what add_terms does for bytes. */
static void
add_bytes(const Product *p, Tile *t, int64_t word, int64_t terms)
{
    int64_t steps = (terms + WORD - 1) / WORD, row = sizeof t->a[0];
    NumAmxBlock b = {.a_pitch = row,
                     .b = t->b[word],
                     .b_step = sizeof t->b[0],
                     .b_pair = (int64_t)NUM_AMX_COLUMNS * WORD,
                     .c_group = (int64_t)SIDE * WORD,
                     .c_row = sizeof t->sum[0],
                     .steps = steps,
                     .groups = (int)fractal_count(t->columns, SIDE),
                     .a_sign = p->ta == DT_S8,
                     .b_sign = p->tb == DT_S8};
    for (int64_t i = 0; terms % WORD != 0 && i < t->rows; i++) {
        memset((uint8_t *)t->a[i] + terms, 0, (size_t)(steps * WORD - terms));
    }
    for (int64_t i = 0; i < t->rows; i += NUM_AMX_ROWS) {
        b.a = t->a[i];
        b.c = t->sum[i];
        b.rows = t->rows - i > SIDE ? NUM_AMX_ROWS : SIDE;
        num_amx_multiply(&t->amx, &b);
    }
}

/* Adds terms from a word of the panel on to all sums, in their order. Rows after the last
 * one up to a whole group of channels are added too and ignored. */
static void
add_terms(const Product *p, Tile *t, int64_t word, int64_t terms)
{
    enum {
        WORDS = RUNS * CUBE_WORDS
    };
    const NumDotTable *dot = num_dot();
    bool floats = dtype_is_float(p->tc), exact = p->ta == DT_F16 && p->tb == DT_F16;
    for (int64_t i = 0; !floats && terms % 2 != 0 && i < t->rows; i++) {
        ((int16_t *)(void *)t->a[i])[terms] = 0;
    }
    for (int64_t i = 0; i < t->rows; i += DOT_CHANNELS) {
        if (floats) {
            (exact ? dot->exact : dot->floats)(
                (float *)(void *)t->sum[i], (const float *)(const void *)t->b[word],
                (const float *)(const void *)t->a[i], WORDS, terms, t->columns);
        } else {
            dot->pairs((int32_t *)(void *)t->sum[i],
                       (const int16_t *)(const void *)t->b[word],
                       (const int16_t *)(const void *)t->a[i], 2 * WORDS, (terms + 1) / 2,
                       t->columns);
        }
    }
}

static void
multiply_tile(const Product *p, Tile *t)
{
    memset(t->sum, 0, sizeof t->sum);
    if (dtype_is_float(p->tc)) {
        start_floats(p, t);
    }
    for (int64_t k1 = 0; k1 < p->k1; k1 += RUNS) {
        int64_t runs = least(RUNS, p->k1 - k1), in = k1 % PANEL_RUNS;
        if (t->panel != k1 - in) {
            read_panel(p, t, k1 - in);
        }
        for (int64_t r = 0; r < runs; r++) {
            read_rows(p, t, k1 + r, r * p->words);
        }
        (p->amx ? add_bytes : add_terms)(p, t, in * p->words,
                                         least(runs * p->c0, p->k - k1 * p->c0));
    }
    for (int64_t j = 0; j < least(TILE_COLUMNS, p->columns - t->n); j += SIDE) {
        finish_columns(p, t, j);
    }
}

static void
place_windows(const Product *p, Tile *t)
{
    for (int64_t i = 0; p->layout == ROWS_WINDOWS && i < t->rows; i++) {
        t->out[i].y = (t->m + i) / p->out_w;
        t->out[i].x = (t->m + i) % p->out_w;
    }
}

static void
multiply(const Product *p)
{
    Tile t;
    t.amx = (NumAmx){0};
    memset(&t.a, 0, sizeof t.a);
    for (t.n = 0; t.n < p->n; t.n += TILE_COLUMNS) {
        t.columns = least(TILE_COLUMNS, p->n - t.n);
        t.panel = -1;
        for (t.m = 0; t.m < p->m; t.m += TILE_ROWS) {
            t.rows = least(TILE_ROWS, p->m - t.m);
            place_windows(p, &t);
            multiply_tile(p, &t);
        }
    }
    num_amx_close(&t.amx);
}

/* ---- operands ------------------------------------------------------------ */

static void
open_types(const EmuRun *r, const EmuOp *op, int bias, Product *p)
{
    uint32_t mode;
    memcpy(&mode, r->sreg + SREG_FP2FP, sizeof mode);
    p->saturate = mode == 0;
    p->ta = emu_slot_ref(r->p, op, MATMUL_a)->dtype;
    p->tb = emu_slot_ref(r->p, op, MATMUL_b)->dtype;
    p->tc = emu_slot_ref(r->p, op, MATMUL_dst)->dtype;
    p->tbias = bias < 0 ? DT_NONE : emu_slot_ref(r->p, op, bias)->dtype;
    p->c0 = fractal_c0(dtype_size(p->ta));
    p->words = dtype_is_float(p->ta) ? p->c0 : p->c0 / 2;
    p->table = table();
}

/* Returns the bytes of the first factor. */
static int64_t
a_bytes(const Product *p, int64_t groups)
{
    switch (p->layout) {
    case ROWS_VECTOR:
        return p->k1 * FRACTAL_ROW;
    case ROWS_WINDOWS:
        return groups * p->s.h * p->s.w *
               (p->few != 0 ? p->few * dtype_size(p->ta) : FRACTAL_ROW);
    default:
        return p->rows * p->k1 * FRACTAL_ROW;
    }
}

/* Finds the operands, whose sizes are known, and multiplies. */
static bool
run_product(EmuRun *r, const EmuOp *op, int bias, int64_t groups, Product *p)
{
    p->k1 = fractal_count(p->k, p->c0);
    p->rows = fractal_up(p->m, SIDE);
    p->columns = fractal_up(p->n, SIDE);
    p->amx = !dtype_is_float(p->ta) && p->m >= SIDE &&
             p->rows * p->columns * p->k >= LEAST && num_amx_allowed();
    p->words = p->amx ? p->c0 / WORD : p->words;
    p->a = emu_operand(r, op, MATMUL_a, a_bytes(p, groups));
    int64_t column = p->few != 0 ? p->k * dtype_size(p->tb) : p->k1 * FRACTAL_ROW;
    p->b = emu_operand(r, op, MATMUL_b, column * p->columns);
    p->c = emu_operand(r, op, MATMUL_dst, p->rows * p->columns * dtype_size(p->tc));
    p->bias = bias < 0 ? p->a : emu_operand(r, op, bias, p->n * dtype_size(p->tbias));
    if (p->a == NULL || p->b == NULL || p->c == NULL || p->bias == NULL) {
        return emu_refuse(r, op);
    }
    multiply(p);
    return true;
}

bool
emu_exec_product(EmuRun *r, const EmuOp *op)
{
    bool unit = op_table[op->op].sem == SEM_MMAD;
    Form form = op_table[op->op].form;
    bool biased = form == FORM_MMADBIAS || form == FORM_MATMULBIAS;
    Product p = {.m = 0};
    open_types(r, op, biased ? MATMUL_init_l1out : -1, &p);
    if (op->checked && !emu_check(r, op)) {
        return false;
    }
    if (!emu_number(r, op, MATMUL_m, &p.m) || !emu_number(r, op, MATMUL_k, &p.k) ||
        !emu_number(r, op, MATMUL_n, &p.n)) {
        return emu_refuse(r, op);
    }
    if (p.m == 0 || p.k == 0 || p.n == 0) {
        return true;
    }
    bool onto = !biased && (emu_slot(r, op, MATMUL_init_l1out) != 0) == unit;
    p.start = biased ? START_BIAS : onto ? START_DST : START_ZERO;
    p.layout = !unit ? ROWS_BLOCKS : p.m == 1 ? ROWS_VECTOR : ROWS_ZZ;
    return run_product(r, op, biased ? MATMUL_init_l1out : -1, 0, &p);
}

bool
emu_exec_conv2d(EmuRun *r, const EmuOp *op)
{
    bool biased = op_table[op->op].form == FORM_CONV2DBIAS;
    int64_t v[CONV2D_init_l1out];
    for (int i = CONV2D_fm_c1; i < CONV2D_init_l1out; i++) {
        v[i] = emu_slot(r, op, i);
    }
    Product p = {.s = {.h = v[CONV2D_fm_h],
                       .w = v[CONV2D_fm_w],
                       .left = v[CONV2D_pad_left],
                       .right = v[CONV2D_pad_right],
                       .top = v[CONV2D_pad_top],
                       .bottom = v[CONV2D_pad_bottom],
                       .stride_h = v[CONV2D_stride_h],
                       .stride_w = v[CONV2D_stride_w],
                       .kh = v[CONV2D_kernel_h],
                       .kw = v[CONV2D_kernel_w],
                       .dilation_h = v[CONV2D_dilation_h],
                       .dilation_w = v[CONV2D_dilation_w]},
                 .n = v[CONV2D_kernel_cout],
                 .layout = ROWS_WINDOWS};
    open_types(r, op, biased ? CONV2D_init_l1out : -1, &p);
    if (op->checked && !emu_check(r, op)) {
        return false;
    }
    p.out_w = fractal_windows_w(&p.s);
    p.m = fractal_windows_h(&p.s) * p.out_w;
    p.few = v[CONV2D_fm_c0] == p.c0 ? 0 : FRACTAL_FEW;
    p.k = v[CONV2D_fm_c1] * v[CONV2D_fm_c0] * p.s.kh * p.s.kw;
    if (p.m <= 0 || p.k <= 0 || p.n <= 0) {
        return emu_refuse(r, op);
    }
    for (int i = 0; i < FRACTAL_ROW; i += dtype_size(p.ta)) {
        memcpy(p.pad + i, &v[CONV2D_pad_value], (size_t)dtype_size(p.ta));
    }
    bool onto = !biased && emu_slot_attr(r->p, op, CONV2D_init_l1out) == 0;
    p.start = biased ? START_BIAS : onto ? START_DST : START_ZERO;
    return run_product(r, op, biased ? CONV2D_init_l1out : -1, v[CONV2D_fm_c1], &p);
}

/* ---- binding ------------------------------------------------------------- */

/* The numbers of conv2d are constants, so they are checked once. */
static bool
conv_numbers(const EmuProgram *p, const EmuOp *op)
{
    for (int i = CONV2D_fm_c1; i < CONV2D_pad_value; i++) {
        if (!emu_allows(op, i, emu_slot_attr(p, op, i))) {
            return false;
        }
    }
    int64_t c0 = emu_slot_attr(p, op, CONV2D_fm_c0);
    Dtype t = emu_slot_ref(p, op, MATMUL_a)->dtype;
    return c0 == FRACTAL_FEW || c0 == fractal_c0(dtype_size(t));
}

static bool
types_fit(Dtype a, Dtype b, Dtype c)
{
    bool bytes = dtype_size(a) == 1 && dtype_size(b) == 1;
    switch (c) {
    case DT_S32:
    case DT_U32:
        return bytes;
    case DT_F16:
        return a == DT_F16 && b == DT_F16;
    case DT_F32:
        return a == b && dtype_is_float(a);
    default:
        return false;
    }
}

bool
emu_bind_cube(EmuProgram *p, EmuOp *op, const char **why)
{
    Form form = op_table[op->op].form;
    bool conv = op_table[op->op].sem == SEM_CONV2D;
    bool biased =
        form == FORM_MMADBIAS || form == FORM_MATMULBIAS || form == FORM_CONV2DBIAS;
    Dtype c = emu_slot_ref(p, op, MATMUL_dst)->dtype;
    *why = "the product does not exist for its dtypes";
    if (!types_fit(emu_slot_ref(p, op, MATMUL_a)->dtype,
                   emu_slot_ref(p, op, MATMUL_b)->dtype, c)) {
        return false;
    }
    if (biased) {
        Dtype t =
            emu_slot_ref(p, op, conv ? CONV2D_init_l1out : MATMUL_init_l1out)->dtype;
        if (t != c && !(c == DT_F32 && t == DT_F16)) {
            return false;
        }
    }
    *why = "the shape of a convolution is out of range";
    return !conv || conv_numbers(p, op);
}
