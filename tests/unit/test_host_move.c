/* test_host_move.c: compares random data moves on every path (strides, pad modes,
 * conversions to and from L0C, values known only at run time), compiled at two levels,
 * with byte loops that follow the definition. */
#include "host_util.h"

#include "num/half.h"

enum {
    BYTES = 32 * 1024,
    NUMBERS = 8
};
enum {
    DST,
    SRC,
    SID,
    NBURST,
    BURST,
    SRC_STRIDE,
    DST_STRIDE,
    MODE
};

typedef struct Case {
    CheckInstr in;
    bool runtime[MAX_PARAMS];
    Proof proof;
    int64_t padding;
} Case;

static void
random_case(Rng *r, Case *c, const Soc *soc)
{
    static const Scope scopes[] = {SC_GM, SC_UB, SC_L1, SC_L0C};
    Fault fault;
    do {
        memset(c, 0, sizeof *c);
        c->in.op = OP_DATA_MOVE;
        c->in.soc = soc;
        c->proof = rng_next(r) % 3 ? PROOF_PROVED : PROOF_RUNTIME;
        c->padding = (int64_t)rng_next(r) >> 20;
        Dtype t = (Dtype)rng_range(r, 1, DT_COUNT - 1);
        /* Moves that convert are rare among random operands. */
        bool fractal = rng_next(r) % 2;
        if (fractal) {
            t = rng_next(r) % 2 ? DT_F32 : DT_F16;
        }
        Scope ends[2] = {scopes[rng_range(r, 0, 3)], scopes[rng_range(r, 0, 3)]};
        if (fractal) {
            ends[0] = rng_next(r) % 2 ? SC_UB : SC_L0C;
            ends[1] = ends[0] == SC_UB ? SC_L0C : SC_UB;
        }
        for (int i = DST; i <= SRC; i++) {
            Scope s = ends[i];
            int64_t unit = s == SC_GM ? 1 : s == SC_L0C ? 1024 : 32;
            int64_t off = rng_range(r, 0, BYTES / unit - 1) * unit;
            uint32_t buffer = s == SC_GM ? 100 + (uint32_t)i : (uint32_t)s;
            c->in.args[i].t = (CheckTensor){buffer, s, t, off, BYTES};
        }
        if (rng_next(r) % 2 == 0) {
            c->in.args[SRC].t.dtype = rng_next(r) % 2 ? DT_F32 : DT_F16;
        }
        bool small = rng_next(r) % 2;
        c->in.args[NBURST].v = rng_next(r) % 3 == 0 ? 1 : rng_range(r, 1, 12);
        c->in.args[BURST].v = rng_range(r, 1, small ? 4 : 80);
        c->in.args[SRC_STRIDE].v = rng_next(r) % 2 ? 0 : rng_range(r, 0, 9);
        c->in.args[DST_STRIDE].v = rng_next(r) % 2 ? 0 : rng_range(r, 0, 9);
        c->in.args[MODE].v = rng_next(r) % 3 == 0 ? 0 : rng_range(r, 0, 5);
        if (rng_next(r) % 2) {
            c->in.args[BURST].v = 1;
            c->in.args[SRC_STRIDE].v = 0;
        }
        for (int i = 0; i < MODE; i++) {
            c->runtime[i] = rng_next(r) % 4 == 0;
            c->in.args[i].literal = !c->runtime[i];
        }
    } while (!check_static(&c->in, &fault) || !check_values(&c->in, &fault));
}

static void
convert(int mode, Dtype from, Dtype to, uint8_t *d, const uint8_t *s)
{
    uint32_t x = 0;
    memcpy(&x, s, (size_t)dtype_size(from));
    if (from == DT_S32) {
        x = x >> 31 ? 0 : x;
        memcpy(d, &x, 4);
        return;
    }
    float f = from == DT_F16 ? half_to_float((uint16_t)x) : float_of_bits(x);
    if (mode == 2 || mode == 5) {
        f = f > 0 ? f : 0;
    }
    if (to == DT_F32) {
        x = float_bits_canonical(f);
        memcpy(d, &x, 4);
        return;
    }
    uint16_t h = half_from_float(f);
    if (mode != 5) {
        h = f != f ? 0 : (h & 0x7fff) == 0x7c00 ? (uint16_t)(h - 1) : h;
    }
    memcpy(d, &h, 2);
}

static void
reference(const Case *c, uint8_t *dst, const uint8_t *src)
{
    const CheckArg *a = c->in.args;
    Dtype from = a[SRC].t.dtype, to = a[DST].t.dtype;
    Scope fs = a[SRC].t.scope, ts = a[DST].t.scope;
    MoveUnits u = move_units(fs, from, ts, to);
    bool fractal = fs == SC_L0C || ts == SC_L0C;
    int mode = (int)a[MODE].v;
    int64_t taken = !fractal && mode > 0 ? 1 << (mode - 1) : a[BURST].v * u.src_burst;
    for (int64_t i = 0; i < a[NBURST].v; i++) {
        const uint8_t *s =
            src + a[SRC].t.offset + i * (taken + a[SRC_STRIDE].v * u.src_gap);
        uint8_t *d = dst + a[DST].t.offset +
                     i * (a[BURST].v * u.dst_burst + a[DST_STRIDE].v * u.dst_gap);
        if (mode == 0) {
            memmove(d, s, (size_t)taken);
        } else if (fractal) {
            for (int64_t e = 0; e < a[BURST].v * 256; e++) {
                convert(mode, from, to, d + e * dtype_size(to), s + e * dtype_size(from));
            }
        } else {
            for (int64_t b = 0; b < 32; b++) {
                int64_t high = mode == 1 ? 0 : (b & 1) * 8;
                d[b] = b < taken ? s[b] : (uint8_t)(c->padding >> high);
            }
        }
    }
}

static ExprId
value_expr(Maker *m, BufId numbers, int64_t *values, int *used, int64_t v, bool runtime)
{
    if (!runtime) {
        return num(m, v);
    }
    RegId r = reg(m, "n", DT_S64);
    values[*used] = v;
    load(m, r, numbers, DT_S64, num(m, *used * 8), PROOF_PROVED);
    *used += 1;
    return ir_reg_value(m->k, r);
}

/* Returns a buffer of the scope, filled from the global tensor; for global memory the
 * tensor itself. UB is the way into L1 and L0C here, by bytes, as the kernel is not
 * checked. */
static BufId
place(Maker *m, Scope s, BufId from)
{
    if (s == SC_GM) {
        return from;
    }
    BufId b = local(m, s, DT_F32, BYTES / 4);
    move(m, b, 0, from, 0, DT_U8, BYTES);
    return b;
}

static void
run_case(const Case *c, uint64_t seed, int level)
{
    Maker m;
    maker_open(&m, c->in.soc->name);
    BufId numbers = gm(&m, "numbers", DT_S64, NUMBERS, BUF_IN);
    BufId src_gm = gm(&m, "src", DT_U8, BYTES, BUF_IN);
    BufId dst_gm = gm(&m, "dst", DT_U8, BYTES, BUF_OUT);
    BufId result = gm(&m, "result", DT_U8, BYTES, BUF_OUT);
    const CheckArg *a = c->in.args;
    BufId src = place(&m, a[SRC].t.scope, src_gm);
    bool same = a[SRC].t.scope == a[DST].t.scope;
    BufId dst = same ? src : place(&m, a[DST].t.scope, dst_gm);
    int64_t values[NUMBERS] = {0};
    int used = 0;
    Arg padding = expr(value_expr(&m, numbers, values, &used, c->padding, true));
    instr(&m, OP_SET_PADDING, &padding, 1, PROOF_PROVED);
    Arg args[8];
    for (int i = 0; i < 8; i++) {
        int64_t v = i <= SRC ? a[i].t.offset : a[i].v;
        ExprId e =
            value_expr(&m, numbers, values, &used, v, c->runtime[i] && used < NUMBERS);
        args[i] = i <= SRC ? ref(&m, i == DST ? dst : src, a[i].t.dtype, e) : expr(e);
    }
    instr(&m, OP_DATA_MOVE, args, 8, c->proof);
    if (a[DST].t.scope != SC_GM) {
        move(&m, result, 0, dst, 0, DT_U8, BYTES);
    }
    static uint8_t data[2][BYTES], want[BYTES], out[BYTES];
    Rng r = {seed};
    rng_bytes(&r, data[0], BYTES);
    rng_bytes(&r, data[1], BYTES);
    memcpy(want, data[same ? 0 : 1], BYTES);
    reference(c, want, same ? want : data[0]);
    TikError err = {0};
    uint8_t *arrays[4] = {(uint8_t *)values, data[0], data[1], out};
    assert_true(run_at(&m, level, NULL, arrays, &err));
    const uint8_t *have = a[DST].t.scope == SC_GM ? data[1] : out;
    for (int i = 0; i < BYTES; i++) {
        if (have[i] != want[i]) {
            for (int p = 0; p < 8; p++) {
                fprintf(stderr, "  %d%s: %s %s %lld\n", p,
                        c->runtime[p] ? " (run time)" : "",
                        p <= SRC ? scope_name(a[p].t.scope) : "",
                        p <= SRC ? dtype_name(a[p].t.dtype) : "",
                        (long long)(p <= SRC ? a[p].t.offset : a[p].v));
            }
            fail_msg("seed %llx level %d: byte %d is %02x, not %02x",
                     (unsigned long long)seed, level, i, have[i], want[i]);
        }
    }
    maker_close(&m);
}

static void
random_moves(void **state)
{
    (void)state;
    static const char *const socs[] = {"Ascend310P3", "Ascend310", "Ascend310B1",
                                       "Ascend910B1"};
    Rng r = {0x2545f4914f6cdd1d};
    int converted[6] = {0}, padded = 0;
    for (int i = 0; i < 400; i++) {
        Case c;
        random_case(&r, &c, soc_find(socs[i % 4]));
        bool fractal =
            c.in.args[SRC].t.scope == SC_L0C || c.in.args[DST].t.scope == SC_L0C;
        converted[fractal ? c.in.args[MODE].v : 0]++;
        padded += !fractal && c.in.args[MODE].v != 0;
        run_case(&c, rng_next(&r) | 1, i % 2 ? 2 : 0);
    }
    assert_true(converted[1] && converted[2] && converted[4] && converted[5] &&
                padded > 10);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_moves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
