/* test_cube.c: compares products of matrices of every combination of types, by the host's
 * function and by the emulator, with sums term by term, bit for bit; and likewise the
 * inner loops of every level of this processor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "emu_world.h"
#include "rules/load.h"
#include "layout/fractal.h"
#include "num/amx.h"
#include "num/half.h"
#include "num/lanes.h"
#include "ops/gemm.h"
#include "ops/ops.h"
#include "random.h"

static int64_t
any_number(int64_t lo, int64_t hi)
{
    return lo + (int64_t)(any_bits() % (uint64_t)(hi - lo + 1));
}

/* Returns integers of all sizes; floats of moderate size, and if wild sometimes any
 * bits. */
static uint32_t
any_element(Dtype t, bool wild)
{
    uint32_t r = any_bits();
    bool any = wild && any_bits() % 64 == 0;
    switch (t) {
    case DT_F16:
        return any ? r & 0xffffu : (r & 0x83ffu) | (0x3000u + (r >> 16 & 0x1c00u));
    case DT_BF16:
        return any ? r & 0xffffu : (r & 0x807fu) | (0x3e00u + (r >> 16 & 0x0380u));
    case DT_F32:
        return any ? r : (r & 0x807fffffu) | 0x3e000000u | (any_bits() & 0x01800000u);
    default:
        return r;
    }
}

static void
fill(uint8_t *p, Dtype t, int64_t n, bool wild)
{
    int size = dtype_size(t);
    for (int64_t i = 0; i < n; i++) {
        uint32_t v = any_element(t, wild);
        memcpy(p + i * size, &v, (size_t)size);
    }
}

static float
float_at(const uint8_t *p, int64_t i, Dtype t)
{
    uint32_t v = 0;
    memcpy(&v, p + i * dtype_size(t), (size_t)dtype_size(t));
    return t == DT_F16    ? half_to_float((uint16_t)v)
           : t == DT_BF16 ? bfloat_to_float((uint16_t)v)
                          : float_of_bits(v);
}

static int64_t
int_at(const uint8_t *p, int64_t i, Dtype t)
{
    int64_t v = 0;
    memcpy(&v, p + i * dtype_size(t), (size_t)dtype_size(t));
    return t == DT_S8 ? (int8_t)v : t == DT_S32 ? (int32_t)v : v;
}

/* ---- whole products ------------------------------------------------------ */

typedef struct Triple {
    const char *soc;
    Dtype a, b, c, bias; /* DT_NONE: no processor has a bias for it */
} Triple;

static const Triple triples[] = {
    {"Ascend910B1", DT_F32, DT_F32, DT_F32, DT_F32},
    {"Ascend910B1", DT_BF16, DT_BF16, DT_F32, DT_F16},
    {"Ascend910B1", DT_F16, DT_F16, DT_F32, DT_F16},
    {"Ascend910B1", DT_S8, DT_S8, DT_S32, DT_S32},
    {"Ascend910B1", DT_F16, DT_F16, DT_F16, DT_NONE},
    {"Ascend910B1", DT_U8, DT_S8, DT_S32, DT_S32},
    {"Ascend910B1", DT_U8, DT_U8, DT_S32, DT_S32},
    {"Ascend310P3", DT_U8, DT_U8, DT_U32, DT_NONE},
    {"Hi3796CV300ES", DT_F16, DT_F16, DT_F16, DT_NONE},
};

typedef struct Job {
    const Triple *t;
    Op op;
    int64_t m, k, n;
    bool onto; /* the product is added to what dst holds */
    bool saturate;
    uint32_t region[4]; /* dst, factors, bias */
    uint8_t *data[4];
    int64_t bytes[4];
} Job;

static bool
is_unit(const Job *j)
{
    return op_table[j->op].sem == SEM_MMAD;
}

static bool
is_biased(const Job *j)
{
    return j->op == OP_MMAD_BIAS || j->op == OP_MATMUL_BIAS;
}

static int64_t
a_index(const Job *j, int64_t m, int64_t k)
{
    int64_t c0 = fractal_c0(dtype_size(j->t->a)), rows = fractal_up(j->m, 16);
    FractalShape s = fractal_shape(j->m, j->k, 16, c0);
    return !is_unit(j) ? fractal_nz_pitch(rows, c0, m, k)
           : j->m == 1 ? k
                       : fractal_zz(s, m, k);
}

static int64_t
b_index(const Job *j, int64_t k, int64_t n)
{
    return fractal_zn(fractal_count(j->n, 16), fractal_c0(dtype_size(j->t->b)), k, n);
}

/* Returns one sum, computed term by term. */
static uint32_t
float_sum(const Job *j, int64_t m, int64_t n, int64_t at, const uint8_t *before)
{
    const Triple *t = j->t;
    float sum = is_biased(j) ? float_at(j->data[3], n, t->bias)
                : j->onto    ? float_at(before, at, t->c)
                             : 0;
    for (int64_t k = 0; k < j->k; k++) {
        volatile float product = float_at(j->data[1], a_index(j, m, k), t->a) *
                                 float_at(j->data[2], b_index(j, k, n), t->b);
        volatile float next = sum + product;
        sum = next;
    }
    float most = t->c == DT_F16 ? 65504.0f : 3.40282347e38f;
    if (j->saturate) {
        sum = sum != sum ? 0 : sum > most ? most : sum < -most ? -most : sum;
    }
    return t->c == DT_F16 ? half_from_float(sum) : float_bits_canonical(sum);
}

static uint32_t
int_sum(const Job *j, int64_t m, int64_t n, int64_t at, const uint8_t *before)
{
    const Triple *t = j->t;
    int64_t sum = is_biased(j) ? int_at(j->data[3], n, t->bias)
                  : j->onto    ? int_at(before, at, t->c)
                               : 0;
    for (int64_t k = 0; k < j->k; k++) {
        sum += int_at(j->data[1], a_index(j, m, k), t->a) *
               int_at(j->data[2], b_index(j, k, n), t->b);
    }
    int64_t lo = t->c == DT_U32 ? 0 : INT32_MIN,
            hi = t->c == DT_U32 ? UINT32_MAX : INT32_MAX;
    return (uint32_t)(sum < lo ? lo : sum > hi ? hi : sum);
}

static void
expect_sums(const Job *j, const uint8_t *got, const uint8_t *before, const char *who)
{
    int64_t rows = fractal_up(j->m, 16), columns = fractal_up(j->n, 16);
    size_t size = (size_t)dtype_size(j->t->c);
    for (int64_t m = 0; m < rows; m++) {
        for (int64_t n = 0; n < columns; n++) {
            int64_t at = fractal_l0c(rows / 16, m, n);
            uint32_t want = 0, have = 0;
            if (m < j->m && n < j->n) {
                want = dtype_is_float(j->t->c) ? float_sum(j, m, n, at, before)
                                               : int_sum(j, m, n, at, before);
            }
            memcpy(&have, got + (size_t)at * size, size);
            if (have != want) {
                fail_msg("%s, %s, %s x %s, %d x %d x %d: (%d, %d) is %x, not %x", who,
                         op_table[j->op].name, dtype_name(j->t->a), dtype_name(j->t->b),
                         (int)j->m, (int)j->k, (int)j->n, (int)m, (int)n, have, want);
            }
        }
    }
}

static World *
make_world(Job *j)
{
    const Triple *t = j->t;
    World *w = world_new(t->soc);
    int64_t c0 = fractal_c0(dtype_size(t->a));
    int64_t m = fractal_up(j->m, 16), k = fractal_up(j->k, c0), n = fractal_up(j->n, 16);
    const Dtype types[] = {t->c, t->a, t->b, is_biased(j) ? t->bias : DT_S32};
    const int64_t elems[] = {m * n, m * k, k * n, j->n};
    for (int i = 0; i < 4; i++) {
        j->region[i] = world_gm(w, types[i], elems[i]);
        j->data[i] = world_data(w, j->region[i]);
        j->bytes[i] = elems[i] * dtype_size(types[i]);
        fill(j->data[i], types[i], elems[i], true);
    }
    return w;
}

static void
run_emulator(World *w, const Job *j)
{
    TikDesc *d = world_instr(w, j->op);
    for (int i = 0; i < 3; i++) {
        d->args[i].t = at(w, j->region[i], 0);
    }
    d->args[MATMUL_m].v = imm(j->m);
    d->args[MATMUL_k].v = imm(j->k);
    d->args[MATMUL_n].v = imm(j->n);
    if (is_biased(j)) {
        d->args[MATMUL_init_l1out].t = at(w, j->region[3], 0);
    } else {
        d->args[MATMUL_init_l1out].v = imm(j->onto == is_unit(j));
    }
    assert_true(world_run(w));
}

static void
run_host(const Job *j, uint8_t *dst, uint8_t *sreg)
{
    OpCall c = {.in = {.op = j->op, .soc = soc_find(j->t->soc)}, .sreg = sreg};
    const Dtype types[] = {j->t->c, j->t->a, j->t->b};
    for (int i = 0; i < 3; i++) {
        c.in.args[i].t.dtype = types[i];
        c.at[i] = i == 0 ? dst : j->data[i];
    }
    c.in.args[MATMUL_m].v = j->m;
    c.in.args[MATMUL_k].v = j->k;
    c.in.args[MATMUL_n].v = j->n;
    c.in.args[MATMUL_init_l1out].v = j->onto == is_unit(j);
    if (is_biased(j)) {
        c.in.args[MATMUL_init_l1out].t.dtype = j->t->bias;
        c.at[MATMUL_init_l1out] = j->data[3];
    }
    assert_true(ops_find(op_table[j->op].sem)(&c));
}

/* The emulator's core has its registers as they are at the start: conversions
 * saturate. */
static void
one_product(Job *j)
{
    World *w = make_world(j);
    uint8_t *before = malloc((size_t)j->bytes[0]), *host = malloc((size_t)j->bytes[0]);
    uint8_t sreg[SREG_BYTES];
    sreg_reset(sreg, 0);
    memcpy(before, j->data[0], (size_t)j->bytes[0]);
    for (int keep = 0; keep < 2; keep++) {
        sreg[SREG_FP2FP] = (uint8_t)keep;
        j->saturate = !keep;
        memcpy(host, before, (size_t)j->bytes[0]);
        run_host(j, host, sreg);
        expect_sums(j, host, before, keep ? "host, keeping" : "host");
    }
    j->saturate = true;
    run_emulator(w, j);
    expect_sums(j, j->data[0], before, "emulator");
    free(before);
    free(host);
    world_free(w);
}

static void
products(void **s)
{
    static const Op ops[] = {OP_MMAD, OP_MMAD_BIAS, OP_MATMUL, OP_MATMUL_BIAS};
    (void)s;
    for (int i = 0; i < 180; i++) {
        const Triple *t = &triples[i % (int)(sizeof triples / sizeof triples[0])];
        Job j = {.t = t,
                 .op = ops[any_number(0, 3)],
                 .m = any_number(0, 3) == 0 ? 1 : any_number(1, 50),
                 .k = any_number(0, 3) == 0 ? any_number(250, 600) : any_number(1, 70),
                 .n = any_number(1, 50),
                 .onto = any_number(0, 1) == 1};
        if (is_biased(&j) && t->bias == DT_NONE) {
            j.op = OP_MMAD;
        }
        one_product(&j);
    }
}

/* The matrices have more rows and columns than one block, and a second block of terms. */
static void
large_products(void **s)
{
    (void)s;
    for (int i = 0; i < (int)(sizeof triples / sizeof triples[0]); i++) {
        if (i % 3 != 0 && dtype_size(triples[i].a) != 1) {
            continue;
        }
        Job j = {.t = &triples[i],
                 .op = OP_MATMUL,
                 .m = 140,
                 .k = dtype_size(triples[i].a) == 1 ? 1110 : 270,
                 .n = 280,
                 .onto = i % 2};
        one_product(&j);
    }
}

/* ---- levels -------------------------------------------------------------- */

enum {
    LEVELS = 5
};

static int
levels(const GemmLevel *out[LEVELS])
{
    int n = 0;
    out[n++] = &gemm_base;
#if defined(__x86_64__)
    if (num_level() >= NUM_LEVEL_AVX2 && __builtin_cpu_supports("fma")) {
        out[n++] = &gemm_avx2;
    }
    if (num_level() >= NUM_LEVEL_AVX512 && __builtin_cpu_supports("fma")) {
        out[n++] = &gemm_avx512;
        if (__builtin_cpu_supports("avx512vnni")) {
            out[n++] = &gemm_vnni;
        }
        if (num_amx_allowed()) {
            out[n++] = &gemm_amx;
        }
    }
#endif
    return n;
}

enum {
    RUNS = 6,
    MOST_COLUMNS = 32
};

/* The factors in runs: of row i and run r of the first one; of run r and column n of the
 * second one. */
typedef struct Factors {
    Dtype ta, tb;
    uint8_t a[GEMM_ROWS][RUNS][GEMM_RUN];
    uint8_t b[RUNS][MOST_COLUMNS][GEMM_RUN];
    uint32_t sums[2][GEMM_ROWS * GEMM_GROUP];
} Factors;

static uint32_t
wanted(const Factors *f, bool floats, int i, int n, int terms, uint32_t start)
{
    int per = GEMM_RUN / dtype_size(f->ta);
    float sum = float_of_bits(start);
    uint32_t total = start;
    for (int k = 0; k < terms; k++) {
        const uint8_t *a = f->a[i][k / per], *b = f->b[k / per][n];
        if (floats) {
            volatile float product =
                float_at(a, k % per, f->ta) * float_at(b, k % per, f->tb);
            volatile float next = sum + product;
            sum = next;
        } else {
            total += (uint32_t)(int_at(a, k % per, f->ta) * int_at(b, k % per, f->tb));
        }
    }
    return floats ? float_bits(sum) : total;
}

/* Factors that are packed from other places become the same words: rows of the first one
 * together, columns of the second one with gaps between them, terms that are rows. */
static void
other_places(const GemmLevel *l, GemmKind kind, const Factors *f, int rows,
             const GemmPanel *p, const uint32_t *a)
{
    enum {
        APART = 48
    };
    static uint32_t words[GEMM_STEPS * MOST_COLUMNS];
    static uint8_t apart[RUNS][MOST_COLUMNS][APART];
    static uint16_t terms[RUNS * GEMM_RUN / 2][MOST_COLUMNS];
    size_t run = (size_t)l->words[kind] * sizeof *words;
    if (l->pack_block[kind] != NULL) {
        const GemmBlock b = {f->a[0][0], sizeof f->a[0], GEMM_RUN, rows, p->runs, words};
        l->pack_block[kind](&b);
        for (int i = 0; i < rows; i++) {
            assert_memory_equal(words + i * GEMM_PITCH, a + i * GEMM_PITCH,
                                (size_t)p->runs * run);
        }
    }
    for (int i = 0; i < RUNS * MOST_COLUMNS; i++) {
        memcpy(apart[i / MOST_COLUMNS][i % MOST_COLUMNS],
               f->b[i / MOST_COLUMNS][i % MOST_COLUMNS], GEMM_RUN);
    }
    GemmPanel other = *p;
    other.b = apart[0][0];
    other.pitch = sizeof apart[0];
    other.column = APART;
    other.out = words;
    l->pack_panel[kind](&other);
    assert_memory_equal(words, p->out, (size_t)(p->runs * l->columns) * run);
    if (l->pack_terms[kind] == NULL) {
        return;
    }
    for (int k = 0; k < p->terms; k++) {
        for (int n = 0; n < MOST_COLUMNS; n++) {
            memcpy(&terms[k][n], &f->b[k / 16][n][k % 16 * 2], 2);
        }
    }
    const GemmRows r = {(const uint8_t *)terms,  sizeof terms[0],
                        2 * GEMM_GROUP,          p->terms,
                        l->columns / GEMM_GROUP, words};
    l->pack_terms[kind](&r);
    assert_memory_equal(words, p->out, (size_t)(p->terms * l->columns) * sizeof *words);
}

/* Returns whether this thread's tile registers hold anything, which would be saved
 * whenever it is interrupted (XTILEDATA of XINUSE). */
static bool
tiles_in_use(void)
{
#ifdef __x86_64__
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
    return (low >> 18 & 1) != 0;
#else
    return false;
#endif
}

/* Tile registers take all columns at once; with one group there is no second one. */
static void
on_tiles(const Factors *f, const GemmTile *t, int groups)
{
    NumAmx s = {0};
    const NumAmxBlock b = {.a = t->a,
                           .a_pitch = t->pitch,
                           .b = t->b,
                           .b_step = NUM_AMX_COLUMNS * 4,
                           .c = t->c[0],
                           .c_group = (uint8_t *)t->c[1] - (uint8_t *)t->c[0],
                           .c_row = GEMM_GROUP * 4,
                           .steps = t->steps,
                           .rows = t->rows,
                           .groups = groups,
                           .first = t->first,
                           .a_sign = f->ta == DT_S8,
                           .b_sign = f->tb == DT_S8};
    num_amx_multiply(&s, &b);
    num_amx_close(&s);
    assert_false(tiles_in_use());
}

static void
one_block(const GemmLevel *l, GemmKind kind, Factors *f, int rows, int terms, bool first)
{
    static uint32_t a[GEMM_ROWS * GEMM_PITCH], b[GEMM_STEPS * MOST_COLUMNS];
    int32_t start[GEMM_ROWS];
    int per = GEMM_RUN / dtype_size(f->ta), runs = (terms + per - 1) / per;
    bool floats = kind != GEMM_BYTES;
    for (int i = 0; i < rows; i++) {
        const uint8_t *at[RUNS];
        for (int r = 0; r < runs; r++) {
            at[r] = f->a[i][r];
        }
        l->pack_row[kind](a + i * GEMM_PITCH, at, runs, f->ta == DT_S8);
    }
    GemmPanel p = {.b = f->b[0][0],
                   .pitch = sizeof f->b[0],
                   .column = GEMM_RUN,
                   .runs = runs,
                   .terms = terms,
                   .a_sign = f->ta == DT_S8,
                   .b_sign = f->tb == DT_S8,
                   .out = b};
    l->pack_panel[kind](&p);
    other_places(l, kind, f, rows, &p, a);
    uint32_t before[2][GEMM_ROWS * GEMM_GROUP];
    memcpy(before, f->sums, sizeof before);
    GemmTile t = {.a = a,
                  .pitch = GEMM_PITCH * (int64_t)sizeof *a,
                  .b = b,
                  .c = {f->sums[0], f->sums[1]},
                  .steps = floats ? terms : runs * l->words[kind],
                  .rows = rows,
                  .first = first};
    int columns = l->columns;
    if (kind == GEMM_BYTES && l->quads && !l->amx && f->ta == DT_S8) {
        l->row_start(start, &t);
        t.start = start;
    }
    if (l->amx) {
        columns -= any_number(0, 1) == 0 ? GEMM_GROUP : 0;
        on_tiles(f, &t, columns / GEMM_GROUP);
    } else {
        l->kernel[kind](&t);
    }
    for (int i = 0; i < GEMM_ROWS; i++) {
        for (int n = 0; n < l->columns && (i >= rows || n >= columns); n++) {
            int at = i * GEMM_GROUP + n % GEMM_GROUP;
            assert_int_equal(f->sums[n / GEMM_GROUP][at], before[n / GEMM_GROUP][at]);
        }
    }
    for (int i = 0; i < rows; i++) {
        for (int n = 0; n < columns; n++) {
            int at = i * GEMM_GROUP + n % GEMM_GROUP;
            uint32_t old = first ? 0 : before[n / GEMM_GROUP][at];
            assert_int_equal(f->sums[n / GEMM_GROUP][at],
                             wanted(f, floats, i, n, terms, old));
        }
    }
}

static void
every_level(void **s)
{
    static const struct {
        GemmKind kind;
        Dtype a, b;
    } kinds[] = {{GEMM_HALF, DT_F16, DT_F16},  {GEMM_BFLOAT, DT_BF16, DT_BF16},
                 {GEMM_FLOAT, DT_F32, DT_F32}, {GEMM_BYTES, DT_S8, DT_S8},
                 {GEMM_BYTES, DT_U8, DT_S8},   {GEMM_BYTES, DT_U8, DT_U8}};
    static Factors f;
    const GemmLevel *all[LEVELS];
    int n = levels(all);
    (void)s;
    for (int i = 0; i < n * 6 * 20; i++) {
        const GemmLevel *l = all[i % n];
        int kind = i / n % 6;
        f.ta = kinds[kind].a;
        f.tb = kinds[kind].b;
        if (l == &gemm_vnni && f.tb == DT_U8) {
            continue; /* its products take signed bytes there */
        }
        if (l->amx && kinds[kind].kind != GEMM_BYTES) {
            continue;
        }
        int per = GEMM_RUN / dtype_size(f.ta);
        fill(f.a[0][0], f.ta, (int64_t)sizeof f.a / dtype_size(f.ta), false);
        fill(f.b[0][0], f.tb, (int64_t)sizeof f.b / dtype_size(f.tb), false);
        fill((uint8_t *)f.sums, DT_F32, sizeof f.sums / 4, false);
        one_block(l, kinds[kind].kind, &f, (int)any_number(1, l->rows),
                  (int)any_number(1, RUNS * per), any_number(0, 1) == 1);
    }
}

/* Without steps sums keep what they begin with, so the end of a kernel is seen alone.
 * Every class of numbers meets every end, in all rows and columns. */
static void
ends_of_sums(const GemmLevel *l, GemmKind kind, int rows, GemmEnd end)
{
    static const uint32_t in[] = {0,          0x80000000, 1,          0x80000001,
                                  0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff,
                                  0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000,
                                  0x7f800001, 0xffffffff, 0x7fabcdef};
    enum {
        N = sizeof in / sizeof *in,
        GROUP = GEMM_ROWS * GEMM_GROUP
    };
    static uint32_t a[GEMM_ROWS * GEMM_PITCH], b[MOST_COLUMNS], sums[2 * GROUP];
    for (int i = 0; i < 2 * GROUP; i++) {
        sums[i] = in[i % N];
    }
    GemmTile t = {
        .a = a, .b = b, .c = {sums, sums + GROUP}, .steps = 0, .rows = rows, .end = end};
    l->kernel[kind](&t);
    for (int i = 0; i < l->columns / GEMM_GROUP * GROUP; i++) {
        uint32_t x = in[i % N], size = x & 0x7fffffff, want = x;
        if (end == GEMM_END_FINITE) {
            want = size > 0x7f800000 ? 0 : size == 0x7f800000 ? x - 1 : x;
        } else if (end == GEMM_END_CANONICAL) {
            want = size > 0x7f800000 ? FLOAT_NAN : x;
        }
        bool done = i % GROUP < rows * GEMM_GROUP;
        assert_int_equal(sums[i], done ? want : x);
    }
}

static void
every_end(void **s)
{
    const GemmLevel *all[LEVELS];
    (void)s;
    for (int i = 0, n = levels(all); i < n; i++) {
        for (int rows = 1; rows <= all[i]->rows && !all[i]->amx; rows++) {
            for (GemmEnd end = GEMM_END_NONE; end <= GEMM_END_CANONICAL; end++) {
                ends_of_sums(all[i], GEMM_HALF, rows, end);
                ends_of_sums(all[i], GEMM_FLOAT, rows, end);
            }
        }
    }
}

/* Sums that end every few steps are those of as many calls, which each begin with the
 * sums that the previous one has stored. */
static void
ends_every(const GemmLevel *l, Factors *f, int rows, int every, GemmEnd end)
{
    static uint32_t a[GEMM_ROWS * GEMM_PITCH], b[GEMM_STEPS * MOST_COLUMNS];
    static uint32_t once[2][GEMM_ROWS * GEMM_GROUP], parts[2][GEMM_ROWS * GEMM_GROUP];
    const int steps = RUNS * l->words[GEMM_HALF];
    for (int i = 0; i < rows; i++) {
        const uint8_t *at[RUNS];
        for (int r = 0; r < RUNS; r++) {
            at[r] = f->a[i][r];
        }
        l->pack_row[GEMM_HALF](a + i * GEMM_PITCH, at, RUNS, false);
    }
    const GemmPanel p = {f->b[0][0], sizeof f->b[0], GEMM_RUN, RUNS, steps, 0, 0, b};
    l->pack_panel[GEMM_HALF](&p);
    GemmTile t = {.a = a,
                  .pitch = GEMM_PITCH * (int64_t)sizeof *a,
                  .b = b,
                  .c = {once[0], once[1]},
                  .steps = steps,
                  .rows = rows,
                  .first = true,
                  .every = every,
                  .end = end};
    memset(once, 0, sizeof once);
    memset(parts, 0, sizeof parts);
    l->kernel[GEMM_HALF](&t);
    t.c[0] = parts[0];
    t.c[1] = parts[1];
    t.every = 0;
    for (int k = 0; k < steps; k += every) {
        t.a = a + k;
        t.b = b + k * l->columns;
        t.steps = steps - k < every ? steps - k : every;
        t.first = k == 0;
        l->kernel[GEMM_HALF](&t);
    }
    assert_memory_equal(once, parts, sizeof once);
}

static void
every_part(void **s)
{
    static Factors f;
    const GemmLevel *all[LEVELS];
    (void)s;
    f.ta = f.tb = DT_F16;
    for (int i = 0, n = levels(all); i < n * 60; i++) {
        const GemmLevel *l = all[i % n];
        fill(f.a[0][0], DT_F16, (int64_t)sizeof f.a / 2, true);
        fill(f.b[0][0], DT_F16, (int64_t)sizeof f.b / 2, true);
        if (!l->amx) {
            ends_every(l, &f, (int)any_number(1, l->rows), (int)any_number(1, 40),
                       i / n % 2 ? GEMM_END_FINITE : GEMM_END_CANONICAL);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),    cmocka_unit_test(large_products),
        cmocka_unit_test(every_level), cmocka_unit_test(every_end),
        cmocka_unit_test(every_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
