/* cube.c: products of matrices (cube 5 to 7): mmad, matmul, conv2d. Sums are computed for
 * some fractals at a time, with all of their terms by ascending k, before the next
 * fractals. */
#include "emu/emu.h"
#include "rules/load.h"
#include "layout/fractal.h"
#include "num/dot.h"
#include "num/half.h"
#include "num/lanes.h"

#include <float.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif
#include <string.h>

enum {
    SIDE = FRACTAL_SIDE,
    MOST_DEPTH = 32 /* terms of an input fractal */
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
    int64_t rows, columns; /* m and n in whole fractals */
    Dtype ta, tb, tc, tbias;
    Rows layout;
    Start start;
    bool saturate;
    FractalWindows s; /* conv2d */
    int64_t out_w;
    int64_t few; /* conv2d: channels of a group if they fill no run; else 0 */
    uint8_t pad[FRACTAL_ROW];
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

/* Returns the c0 terms of row m from k1 * c0 on. */
static const uint8_t *
a_terms(const Product *p, int64_t m, int64_t k1)
{
    switch (p->layout) {
    case ROWS_ZZ:
        return p->a + (m / SIDE * p->k1 + k1) * FRACTAL_BYTES + m % SIDE * FRACTAL_ROW;
    case ROWS_VECTOR:
        return p->a + k1 * FRACTAL_ROW;
    case ROWS_BLOCKS:
        return p->a + (k1 * p->rows + m) * FRACTAL_ROW;
    default:
        return window_of(p, m, k1, FRACTAL_ROW);
    }
}

static const uint8_t *
b_terms(const Product *p, int64_t n, int64_t k1)
{
    return p->b + (k1 * p->columns + n) * FRACTAL_ROW;
}

/* Converts the elements of a run to numbers; there is one such function per type, for any
 * processor and for AVX2. */
typedef void Unpack(void *to, const uint8_t *run);

#define UNPACK(name, attr, T, S, n, NUMBER)                                              \
    attr static void name(void *to, const uint8_t *run)                                  \
    {                                                                                    \
        T *x = to;                                                                       \
        S s[n];                                                                          \
        memcpy(s, run, sizeof s);                                                        \
        for (int i = 0; i < (n); i++) {                                                  \
            x[i] = NUMBER(s[i]);                                                         \
        }                                                                                \
    }

#define SAME(x) (x)

#if defined(__x86_64__)
LANES_AVX2 static void
halves_by_instruction(void *to, const uint8_t *run)
{
    const __m128i *at = (const __m128i *)(const void *)run;
    _mm256_storeu_ps((float *)to, _mm256_cvtph_ps(_mm_loadu_si128(at)));
    _mm256_storeu_ps((float *)to + 8, _mm256_cvtph_ps(_mm_loadu_si128(at + 1)));
}
#endif

#define LEVEL(level, attr, half)                                                         \
    UNPACK(bfloat_##level, attr, float, uint16_t, 16, bfloat_to_float)                   \
    UNPACK(float_##level, attr, float, float, 8, SAME)                                   \
    UNPACK(signed_##level, attr, int16_t, int8_t, 32, SAME)                              \
    UNPACK(unsigned_##level, attr, int16_t, uint8_t, 32, SAME)                           \
    static Unpack *unpack_##level(Dtype t)                                               \
    {                                                                                    \
        return t == DT_F16    ? half                                                     \
               : t == DT_BF16 ? bfloat_##level                                           \
               : t == DT_F32  ? float_##level                                            \
               : t == DT_S8   ? signed_##level                                           \
                              : unsigned_##level;                                          \
    }

UNPACK(halves, , float, uint16_t, 16, half_to_float)
LEVEL(base, , halves)
#if defined(__x86_64__)
LEVEL(avx2, LANES_AVX2, halves_by_instruction)
#else
#define unpack_avx2 unpack_base
#endif

/* Returns an element of sums or of a bias. */
static float
float_at(const uint8_t *at, int64_t i, Dtype t)
{
    uint32_t u = 0;
    int size = dtype_size(t);
    memcpy(&u, at + i * size, (size_t)size);
    return t == DT_F16 ? half_to_float((uint16_t)u) : float_of_bits(u);
}

/* ---- sums ---------------------------------------------------------------- */

enum {
    TILE_ROWS = 8 * SIDE,
    TILE_COLUMNS = DOT_PIXELS,
    RUNS = 4,                       /* of terms, which are added at a time */
    MOST_TERMS = RUNS * MOST_DEPTH, /* of bytes; of floats half of them */
    MOST_FLOATS = MOST_TERMS / 2
};

/* Sums of some fractals, which are all floats or all integers, and the factors of some
 * runs, in the form of num/dot.h: rows are its channels, columns its pixels. Integers are
 * exact in 32 bits, because memory has no room for more terms. */
typedef struct Tile {
    uint32_t sum[TILE_ROWS][TILE_COLUMNS];
    union {
        int16_t ints[TILE_ROWS][MOST_TERMS];
        float floats[TILE_ROWS][MOST_FLOATS];
    } a;
    union {
        int16_t ints[MOST_TERMS / 2][TILE_COLUMNS][2];
        float floats[MOST_FLOATS][TILE_COLUMNS];
    } b;
    int64_t m, n, rows, columns; /* its place, and the rows and columns that exist */
} Tile;

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

/* Sums of floats begin with the bias or the old sum; integers get it at the end, when the
 * total is clamped. */
static void
start_floats(const Product *p, Tile *t)
{
    for (int64_t i = 0; i < t->rows; i++) {
        for (int64_t j = 0; j < t->columns; j++) {
            float v = p->start == START_ZERO ? 0
                      : p->start == START_DST
                          ? float_at(c_row(p, t->m + i, t->n + j), 0, p->tc)
                          : float_at(p->bias, t->n + j, p->tbias);
            t->sum[i][j] = float_bits(v);
        }
    }
}

/* Returns a sum in the form in which it is stored. */
static uint32_t
store_float(const Product *p, float sum)
{
    float most = p->tc == DT_F16 ? 65504.0f : FLT_MAX;
    if (p->saturate) {
        sum = sum != sum ? 0 : sum > most ? most : sum < -most ? -most : sum;
    }
    return p->tc == DT_F16 ? half_from_float(sum) : float_bits_canonical(sum);
}

static uint32_t
store_int(const Product *p, const uint8_t *at, int64_t n, uint32_t products)
{
    int64_t lo = p->tc == DT_U32 ? 0 : INT32_MIN;
    int64_t hi = p->tc == DT_U32 ? (int64_t)UINT32_MAX : INT32_MAX;
    int32_t v = 0;
    if (p->start != START_ZERO) {
        memcpy(&v, p->start == START_DST ? at : p->bias + 4 * n, 4);
    }
    int64_t sum = (p->tc == DT_U32 ? (int64_t)(uint32_t)v : v) + (int32_t)products;
    return (uint32_t)(sum < lo ? lo : sum > hi ? hi : sum);
}

/* Stores the sums of n columns of a row in a fractal. Rows and columns that do not exist
 * are 0. */
static void
finish_row(const Product *p, const uint32_t *sums, uint8_t *at, int64_t n, int64_t column)
{
    uint32_t bits[SIDE] = {0};
    if (dtype_is_float(p->tc) && !p->saturate && p->tc != DT_F16) {
        for (int64_t k = 0; k < n; k++) {
            bits[k] = float_bits_canonical(float_of_bits(sums[k]));
        }
    } else if (dtype_is_float(p->tc)) {
        for (int64_t k = 0; k < n; k++) {
            bits[k] = store_float(p, float_of_bits(sums[k]));
        }
    } else {
        for (int64_t k = 0; k < n; k++) {
            bits[k] = store_int(p, at + 4 * k, column + k, sums[k]);
        }
    }
    if (dtype_size(p->tc) == sizeof(uint16_t)) {
        uint16_t halves[SIDE];
        for (int k = 0; k < SIDE; k++) {
            halves[k] = (uint16_t)bits[k];
        }
        memcpy(at, halves, sizeof halves);
    } else {
        memcpy(at, bits, sizeof bits);
    }
}

static void
finish(const Product *p, const Tile *t)
{
    int64_t rows = least(TILE_ROWS, p->rows - t->m);
    int64_t columns = least(TILE_COLUMNS, p->columns - t->n);
    for (int64_t j = 0; j < columns; j += SIDE) {
        for (int64_t i = 0; i < rows; i++) {
            int64_t n = i < t->rows ? least(SIDE, t->columns - j) : 0;
            finish_row(p, t->sum[i] + j, c_row(p, t->m + i, t->n + j), n, t->n + j);
        }
    }
}

/* Makes the run of row m, or of column n if m is negative, that collects points with few
 * channels. */
static const uint8_t *
few_terms(const Product *p, int64_t m, int64_t n, int64_t k1, uint8_t *run)
{
    for (int64_t k = 0; k < p->c0; k++) {
        few_term(p, m, n, k1 * p->c0 + k, run + k * dtype_size(p->ta));
    }
    return run;
}

/* Converts the terms of a run of a column to numbers, in the place of the run in the
 * panel. */
static void
read_column(const Product *p, Tile *t, Unpack *unpack, const uint8_t *run, int64_t at,
            int64_t j)
{
    if (dtype_is_float(p->tc)) {
        float column[MOST_DEPTH];
        unpack(column, run);
        for (int64_t k = 0; k < p->c0; k++) {
            t->b.floats[at + k][j] = column[k];
        }
        return;
    }
    int16_t column[MOST_DEPTH];
    unpack(column, run);
    for (int64_t k = 0; k < p->c0; k += 2) {
        memcpy(t->b.ints[(at + k) / 2][j], column + k, 2 * sizeof *column);
    }
}

/* Converts the factors of run k1 to numbers, which begin at term `at` of the tile. */
static void
read_terms(const Product *p, Tile *t, int64_t k1, int64_t at, bool avx2)
{
    uint8_t run[FRACTAL_ROW];
    bool floats = dtype_is_float(p->tc);
    Unpack *a = avx2 ? unpack_avx2(p->ta) : unpack_base(p->ta);
    Unpack *b = avx2 ? unpack_avx2(p->tb) : unpack_base(p->tb);
    for (int64_t i = 0; i < t->rows; i++) {
        int64_t m = t->m + i;
        void *to = floats ? (void *)&t->a.floats[i][at] : (void *)&t->a.ints[i][at];
        a(to, p->few != 0 ? few_terms(p, m, 0, k1, run) : a_terms(p, m, k1));
    }
    for (int64_t j = 0; j < t->columns; j++) {
        int64_t n = t->n + j;
        read_column(p, t, b,
                    p->few != 0 ? few_terms(p, -1, n, k1, run) : b_terms(p, n, k1), at,
                    j);
    }
}

/* Adds the terms in the tile to all sums, in their order. Rows after the last one up to a
 * whole group of channels are added too and ignored. */
static void
add_terms(const Product *p, Tile *t, int64_t terms)
{
    const NumDotTable *dot = num_dot();
    bool floats = dtype_is_float(p->tc);
    for (int64_t i = 0; !floats && terms % 2 != 0 && i < t->rows; i++) {
        t->a.ints[i][terms] = 0;
    }
    for (int64_t i = 0; i < t->rows; i += DOT_CHANNELS) {
        if (floats) {
            dot->floats((float *)(void *)t->sum[i], t->b.floats[0], t->a.floats[i],
                        MOST_FLOATS, terms, t->columns);
        } else {
            dot->pairs((int32_t *)(void *)t->sum[i], t->b.ints[0][0], t->a.ints[i],
                       MOST_TERMS, (terms + 1) / 2, t->columns);
        }
    }
}

static void
multiply_tile(const Product *p, Tile *t, bool avx2)
{
    memset(t->sum, 0, sizeof t->sum);
    if (dtype_is_float(p->tc)) {
        start_floats(p, t);
    }
    for (int64_t k1 = 0; k1 < p->k1; k1 += RUNS) {
        int64_t runs = least(RUNS, p->k1 - k1);
        for (int64_t r = 0; r < runs; r++) {
            read_terms(p, t, k1 + r, r * p->c0, avx2);
        }
        add_terms(p, t, least(runs * p->c0, p->k - k1 * p->c0));
    }
    finish(p, t);
}

static void
multiply(const Product *p)
{
    Tile t;
    memset(&t.a, 0, sizeof t.a);
    memset(&t.b, 0, sizeof t.b);
    for (t.n = 0; t.n < p->n; t.n += TILE_COLUMNS) {
        t.columns = least(TILE_COLUMNS, p->n - t.n);
        for (t.m = 0; t.m < p->m; t.m += TILE_ROWS) {
            t.rows = least(TILE_ROWS, p->m - t.m);
            multiply_tile(p, &t, num_level() >= NUM_LEVEL_AVX2);
        }
    }
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
