/* test_host_vector.c: compares random vector instructions (masks of every form, strides,
 * repeats, operands that overlap, values known only at run time), compiled at several
 * levels, with loops over lanes that follow the definition: all reads of a repeat, then
 * its writes. */
#include "host_util.h"

#include "num/half.h"

enum {
    UB_BYTES = 24 * 1024,
    NUMBERS = 16
};

static int64_t
get(const uint8_t *p, Dtype t)
{
    int64_t v = 0;
    memcpy(&v, p, (size_t)dtype_size(t));
    return scalar_wrap(t, v);
}

static bool
is_nan(Dtype t, int64_t v)
{
    double d = dtype_is_float(t) ? scalar_to_double(t, v) : 0;
    return d != d;
}

static int64_t
canonical_nan(Dtype t)
{
    return t == DT_F16 ? 0x7e00 : t == DT_BF16 ? 0x7fc0 : 0x7fc00000;
}

static bool
less(Dtype t, int64_t a, int64_t b)
{
    int64_t r = 0;
    assert_true(scalar_eval(SOP_LT, t, t, a, b, &r));
    return r != 0;
}

/* Returns what one lane computes. */
static int64_t
lane(Sem sem, Dtype t, int64_t a, int64_t b)
{
    int64_t r = 0;
    bool nan = is_nan(t, a) || is_nan(t, b);
    switch (sem) {
    case SEM_DUP:
        return b;
    case SEM_ADD:
        assert_true(scalar_eval(SOP_ADD, t, t, a, b, &r));
        return r;
    case SEM_SUB:
        assert_true(scalar_eval(SOP_SUB, t, t, a, b, &r));
        return r;
    case SEM_MUL:
        assert_true(scalar_eval(SOP_MUL, t, t, a, b, &r));
        return r;
    case SEM_MAX:
        return nan ? canonical_nan(t) : less(t, a, b) ? b : a;
    case SEM_MIN:
        return nan ? canonical_nan(t) : less(t, b, a) ? b : a;
    case SEM_AND:
        return a & b;
    case SEM_OR:
        return a | b;
    case SEM_NOT:
        return ~a;
    case SEM_ABS:
        if (dtype_is_float(t)) {
            return a & ~((int64_t)1 << (dtype_size(t) * 8 - 1));
        }
        return a < 0 ? (int64_t)(0 - (uint64_t)a) : a;
    case SEM_RELU:
        return is_nan(t, a) ? canonical_nan(t) : less(t, 0, a) ? a : 0;
    default:
        break;
    case SEM_RESERVE:
    case SEM_BLOCKS:
    case SEM_SET_FLAG:
    case SEM_WAIT_FLAG:
    case SEM_PIPE_BARRIER:
    case SEM_BLOCK_BARRIER:
    }
    fail();
    return 0;
}

/* ---- random instructions ------------------------------------------------- */

typedef struct Case {
    CheckInstr in;
    int n;
    bool runtime[MAX_PARAMS]; /* the number comes from a register */
    Proof proof;
} Case;

static void
random_mask(Rng *r, CheckMask *m, int size, bool counter)
{
    int lanes = REPEAT_BYTES / size;
    memset(m, 0, sizeof *m);
    int kind = (int)rng_range(r, 0, counter ? 4 : 3);
    if (kind == 4) {
        m->form = MASK_COUNTER;
        m->w[0] = (uint64_t)rng_range(r, 1, lanes * 9);
        return;
    }
    if (kind < 2) {
        m->form = MASK_COUNT;
        m->w[0] = kind == 0 ? (uint64_t)lanes : (uint64_t)rng_range(r, 1, lanes);
        return;
    }
    m->form = size == 1 ? MASK_BITS4 : MASK_BITS;
    for (int i = 0; i < mask_words(m->form); i++) {
        m->w[i] = rng_next(r) & rng_next(r);
        m->w[i] = rng_next(r) % 5 == 0 ? UINT64_MAX : m->w[i];
    }
    if (lanes <= 64) {
        m->w[1] = 0;
        m->w[0] &= lanes == 64 ? UINT64_MAX : UINT32_MAX;
    }
}

static int64_t
random_scalar(Rng *r, Dtype t)
{
    uint8_t bytes[8];
    rng_bytes(r, bytes, 8);
    return get(bytes, t);
}

static void
random_args(Rng *r, Case *c, Op op, Dtype t)
{
    const ParamInfo *params = form_params(op_table[op].form, &c->n);
    bool wide = rng_next(r) % 8 == 0;
    for (int i = 0; i < c->n; i++) {
        CheckArg *a = &c->in.args[i];
        memset(a, 0, sizeof *a);
        c->runtime[i] = rng_next(r) % 4 == 0;
        switch (params[i].role) {
        case ROLE_DST:
        case ROLE_SRC:
            a->t = (CheckTensor){1, SC_UB, t, rng_range(r, 0, UB_BYTES / 32 - 1) * 32,
                                 UB_BYTES};
            if (i > 1 && rng_next(r) % 3 == 0) {
                a->t.offset = c->in.args[1].t.offset;
            }
            break;
        case ROLE_MASK:
            random_mask(r, &a->m, dtype_size(t), op_table[op].form == FORM_VSCALAR);
            break;
        case ROLE_REPEAT:
            a->v = rng_next(r) % 2 ? 1 : rng_range(r, 0, 12);
            c->runtime[i] = c->runtime[i] || a->v == 0;
            break;
        case ROLE_INT:
            a->v = rng_next(r) % 3 ? 8 : rng_range(r, 0, wide ? 40 : 9);
            break;
        case ROLE_SCALAR:
            a->v = random_scalar(r, t);
            break;
        case ROLE_MASKMODE:
        case ROLE_ATTR:
        case ROLE_PIPE:
        case ROLE_ROOT:
            break;
        }
        a->literal = !c->runtime[i];
    }
}

static void
random_case(Rng *r, Case *c, const Soc *soc)
{
    Fault fault;
    do {
        memset(c, 0, sizeof *c);
        Op op = (Op)rng_range(r, OP_VEC_DUP, OP_VEC_NOT);
        Dtype t = (Dtype)rng_range(r, 1, DT_COUNT - 1);
        c->in.op = op;
        c->in.soc = soc;
        c->proof = rng_next(r) % 3 ? PROOF_PROVED : PROOF_RUNTIME;
        if (op_has_dtype(op, t, soc)) {
            random_args(r, c, op, t);
        }
    } while (c->n == 0 || !check_static(&c->in, &fault) || !check_values(&c->in, &fault));
}

static void
reference(const Case *c, uint8_t *ub)
{
    const CheckArg *a = c->in.args;
    Form form = op_table[c->in.op].form;
    int nsrc = form == FORM_VDUP ? 0 : form == FORM_VBIN ? 2 : 1;
    bool scalar = form == FORM_VDUP || form == FORM_VSCALAR;
    int first = 2 + nsrc + scalar + 1; /* strides */
    int lanes = check_lanes(&c->in);
    Dtype t = a[1].t.dtype;
    int size = dtype_size(t);
    int64_t value = scalar ? a[2 + nsrc].v : 0;
    for (int64_t rep = 0; rep < check_repeats(&c->in); rep++) {
        int64_t out[MAX_LANES];
        for (int i = 0; i < lanes; i++) {
            int64_t x[2] = {0, value};
            for (int s = 0; s < nsrc && check_lane_active(&c->in, rep, i); s++) {
                x[s] = get(
                    ub + a[2 + s].t.offset + rep * a[first + 1 + s].v * 32 + i * size, t);
            }
            out[i] = lane(op_table[c->in.op].sem, t, x[0], x[1]);
        }
        for (int i = 0; i < lanes; i++) {
            if (check_lane_active(&c->in, rep, i)) {
                memcpy(ub + a[1].t.offset + rep * a[first].v * 32 + i * size, &out[i],
                       (size_t)size);
            }
        }
    }
}

/* ---- kernels ------------------------------------------------------------- */

/* Returns a number as a constant, or through a register that is loaded from the array of
 * numbers. */
static ExprId
value_expr(Maker *m, BufId numbers, int64_t *values, int *used, Dtype t, int64_t v,
           bool runtime)
{
    if (!runtime || *used == NUMBERS) {
        return ir_const(m->k, t, v);
    }
    RegId r = reg(m, "n", DT_S64);
    values[*used] = v;
    load(m, r, numbers, DT_S64, num(m, *used * 8), PROOF_PROVED);
    *used += 1;
    ExprId e = ir_reg_value(m->k, r);
    if (dtype_is_float(t)) {
        Dtype bits = dtype_size(t) == 2 ? DT_U16 : DT_U32;
        return ir_bits(m->k, t, ir_cast(m->k, bits, e));
    }
    return ir_cast(m->k, t, e);
}

static void
emit_case(Maker *m, const Case *c, BufId ub, BufId numbers, int64_t *values, int *used)
{
    const ParamInfo *params = form_params(op_table[c->in.op].form, &(int){0});
    Arg args[MAX_PARAMS] = {0};
    for (int i = 0; i < c->n; i++) {
        const CheckArg *a = &c->in.args[i];
        bool rt = c->runtime[i];
        switch (params[i].role) {
        case ROLE_DST:
        case ROLE_SRC:
            args[i] = ref(m, ub, a->t.dtype,
                          value_expr(m, numbers, values, used, DT_S64, a->t.offset, rt));
            break;
        case ROLE_MASK:
            args[i] = (Arg){.kind = ARG_MASK, .mask_form = a->m.form};
            for (int w = 0; w < mask_words(a->m.form); w++) {
                args[i].mask[w] =
                    value_expr(m, numbers, values, used, DT_U64, (int64_t)a->m.w[w], rt);
            }
            break;
        case ROLE_SCALAR:
            args[i] = expr(
                value_expr(m, numbers, values, used, c->in.args[1].t.dtype, a->v, rt));
            break;
        case ROLE_REPEAT:
        case ROLE_INT:
        case ROLE_ATTR:
            args[i] = expr(value_expr(m, numbers, values, used, DT_S64, a->v, rt));
            break;
        case ROLE_MASKMODE:
        case ROLE_PIPE:
        case ROLE_ROOT:
            break;
        }
    }
    instr(m, c->in.op, args, c->n, c->proof);
}

static void
describe(const Case *c)
{
    fprintf(stderr, "%s %s %s\n", op_table[c->in.op].name,
            dtype_name(c->in.args[1].t.dtype), c->in.soc->name);
    for (int i = 0; i < c->n; i++) {
        const CheckArg *a = &c->in.args[i];
        fprintf(stderr, "  %d%s: offset %lld value %lld mask %d %llx %llx\n", i,
                c->runtime[i] ? " (run time)" : "", (long long)a->t.offset,
                (long long)a->v, (int)a->m.form, (unsigned long long)a->m.w[0],
                (unsigned long long)a->m.w[1]);
    }
}

static void
run_on(const Case *c, uint8_t *data, uint64_t seed, int level, const char *cpu)
{
    Maker m;
    maker_open(&m, c->in.soc->name);
    BufId in = gm(&m, "in", DT_U8, UB_BYTES, BUF_IN);
    BufId numbers = gm(&m, "numbers", DT_S64, NUMBERS, BUF_IN);
    BufId out = gm(&m, "out", DT_U8, UB_BYTES, BUF_OUT);
    BufId ub = local(&m, SC_UB, DT_U8, UB_BYTES);
    int64_t values[NUMBERS] = {0};
    int used = 0;
    move(&m, ub, 0, in, 0, DT_U8, UB_BYTES);
    emit_case(&m, c, ub, numbers, values, &used);
    move(&m, out, 0, ub, 0, DT_U8, UB_BYTES);
    static uint8_t want[UB_BYTES], have[UB_BYTES];
    memcpy(want, data, UB_BYTES);
    reference(c, want);
    TikError err = {0};
    uint8_t *arrays[3] = {data, (uint8_t *)values, have};
    if (!run_at(&m, level, cpu, arrays, &err)) {
        describe(c);
        fail_msg("%s: %s", err.name, err.text);
    }
    for (int i = 0; i < UB_BYTES; i++) {
        if (want[i] != have[i]) {
            describe(c);
            fail_msg("seed %llx level %d: byte %d is %02x, not %02x",
                     (unsigned long long)seed, level, i, have[i], want[i]);
        }
    }
    maker_close(&m);
}

static void
run_case(const Case *c, uint64_t seed, int level, const char *cpu)
{
    static uint8_t data[UB_BYTES];
    Rng r = {seed};
    rng_bytes(&r, data, UB_BYTES);
    run_on(c, data, seed, level, cpu);
}

static void
random_instructions(void **state)
{
    (void)state;
    static const char *const socs[] = {"Ascend310P3", "Ascend310B1", "Ascend910B1"};
    Rng r = {0x9e3779b97f4a7c15};
    for (int i = 0; i < 400; i++) {
        Case c;
        random_case(&r, &c, soc_find(socs[i % 3]));
        uint64_t seed = rng_next(&r) | 1;
        run_case(&c, seed, i % 2 ? 2 : 0, NULL);
        if (i % 8 == 0) { /* a processor without masked stores gives the same bits */
            run_case(&c, seed, 2, "x86-64-v3");
            run_case(&c, seed, 2, "x86-64"); /* nor does one without float16 at all */
        }
    }
}

/* Tries every pair of operation and type once with a full mask at each level. */
static void
every_type(void **state)
{
    (void)state;
    Rng r = {0xabcdef};
    const Soc *soc = soc_find("Ascend310B1");
    for (int op = OP_VEC_DUP; op <= OP_VEC_NOT; op++) {
        for (int t = 1; t < DT_COUNT; t++) {
            Fault fault;
            Case c = {.in = {.op = (Op)op, .soc = soc}, .proof = PROOF_PROVED};
            if (!op_has_dtype((Op)op, (Dtype)t, soc)) {
                continue;
            }
            do {
                random_args(&r, &c, (Op)op, (Dtype)t);
                c.in.args[0].m = (CheckMask){MASK_COUNT, {(uint64_t)lanes_of((Dtype)t)}};
            } while (!check_values(&c.in, &fault) || check_repeats(&c.in) == 0);
            run_case(&c, 77, 1 + op % 3, NULL);
        }
    }
}

/* Tries all pairs of zeros of both signs, infinities, NaNs with payloads, subnormals and
 * ties. */
static void
special_pairs(void **state)
{
    (void)state;
    static const uint32_t half[16] = {0x0000, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0xfe01,
                                      0x7c01, 0x0001, 0x8001, 0x03ff, 0x7bff, 0xfbff,
                                      0x3c00, 0xbc00, 0x3c01, 0x1400};
    static const uint32_t single[16] = {0x00000000, 0x80000000, 0x7f800000, 0xff800000,
                                        0x7fc00000, 0xffc00001, 0x7f800001, 0x00000001,
                                        0x80000001, 0x007fffff, 0x7f7fffff, 0xff7fffff,
                                        0x3f800000, 0xbf800000, 0x3f800001, 0x33800000};
    static uint8_t data[UB_BYTES];
    const Soc *soc = soc_find("Ascend310P3");
    for (int f = 0; f < 2; f++) {
        Dtype t = f == 0 ? DT_F16 : DT_F32;
        const uint32_t *special = f == 0 ? half : single;
        int size = dtype_size(t);
        for (int i = 0; i < 256; i++) {
            memcpy(data + i * size, &special[i / 16], (size_t)size);
            memcpy(data + 4096 + i * size, &special[i % 16], (size_t)size);
        }
        for (int op = OP_VEC_ADD; op <= OP_VEC_NOT; op++) {
            Form form = op_table[op].form;
            if (!op_has_dtype((Op)op, t, soc) || form == FORM_VSCALAR) {
                continue;
            }
            Case c = {.in = {.op = (Op)op, .soc = soc}, .proof = PROOF_PROVED};
            form_params(form, &c.n);
            int nsrc = form == FORM_VBIN ? 2 : 1;
            c.in.args[0].m = (CheckMask){MASK_COUNT, {(uint64_t)lanes_of(t)}};
            for (int i = 0; i <= nsrc; i++) {
                int64_t at = i == 0 ? 8192 : i == 1 ? 0 : 4096;
                c.in.args[1 + i].t = (CheckTensor){1, SC_UB, t, at, UB_BYTES};
                c.in.args[3 + nsrc + i].v = 8;
            }
            c.in.args[2 + nsrc].v = 256 / lanes_of(t);
            run_on(&c, data, 0, 2, NULL);
            run_on(&c, data, 0, 0, NULL);
            /* this processor has no arithmetic on float16 */
            run_on(&c, data, 0, 2, "x86-64-v3");
            run_on(&c, data, 0, 2, "x86-64"); /* nor conversions of it */
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type),
        cmocka_unit_test(special_pairs),
        cmocka_unit_test(random_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
