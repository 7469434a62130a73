/* test_host_guard_reduce.c: run-time checks in machine code of reductions, whose rules
 * ask how much of a tensor comes after an offset, of sums and shifts with a scalar, and
 * of a load of fractals, whose offsets are remembered, against the rules themselves. A
 * kernel takes numbers and offsets from an array, most of them equal to those of the step
 * before, some wrong. It must fault where check_values finds the first broken rule, and
 * nowhere else. */
#include "host_util.h"
#include "rules/check.h"

enum {
    STEPS = 12,
    WORDS = 8,
    RUNS = 4000,
    DST_ELEMS = 13, /* the end of the data is not that of its granule */
    WORK_ELEMS = 37,
    SRC_ELEMS = 3000,
    FRACTALS = 6
};

/* From a word of a step to what the instruction takes. */
static const int64_t scale[WORDS] = {4, 4, 4, 1, 1, 1, 1, 256};

typedef struct Step {
    int32_t dst, src, work; /* elements */
    int32_t repeats, stride;
    int32_t scalar, shift;
    int32_t fractal; /* half fractals from the start */
} Step;

_Static_assert(sizeof(Step) == 4 * WORDS, "a step is a row of the array");

typedef struct Guarded {
    Maker m;
    BufId dst, src, work, l1, l0;
} Guarded;

/* An instruction of a step: its tensors and numbers in the order of the form. */
typedef struct Call {
    Op op;
    BufId bufs[3];
    Dtype dtype;
    int words[3];   /* of the step, that are the tensors' offsets; -1: they are 0 */
    int numbers[8]; /* below 0: of the step, -1 the first word; else themselves */
} Call;

enum {
    CALLS = 4
};

static void
calls_of(const Guarded *g, Call out[CALLS])
{
    out[0] =
        (Call){OP_VEC_REDUCE_ADD, {g->dst, g->src, g->work}, DT_F32, {0, 1, 2}, {-4, -5}};
    out[1] = (Call){OP_VEC_ADDS, {g->src, g->src}, DT_S32, {1, 1}, {-6, 1, 8, 8}};
    out[2] = (Call){OP_VSHL, {g->src, g->src}, DT_S32, {1, 1}, {-7, 1, 1, 1, 8, 8, 0}};
    out[3] = (Call){OP_LOAD2DV1, {g->l0, g->l1}, DT_F16, {-1, 7}, {0, 1, 1, 0, 0}};
}

static Arg
argument(Guarded *g, const Call *c, const ParamInfo *p, const ExprId v[WORDS],
         int *tensor, int *number)
{
    Maker *m = &g->m;
    if (p->role == ROLE_MASK) {
        return mask_count(num(m, 64));
    }
    if (p->role == ROLE_DST || p->role == ROLE_SRC) {
        int t = (*tensor)++;
        return ref(m, c->bufs[t], c->dtype, c->words[t] < 0 ? num(m, 0) : v[c->words[t]]);
    }
    int n = c->numbers[(*number)++];
    return expr(n < 0 ? v[-n - 1] : num(m, n));
}

static void
put_call(Guarded *g, const Call *c, const ExprId v[WORDS])
{
    int n, tensor = 0, number = 0;
    Arg args[MAX_PARAMS];
    const ParamInfo *p = form_params(op_table[c->op].form, &n);
    for (int i = 0; i < n; i++) {
        args[i] = argument(g, c, &p[i], v, &tensor, &number);
    }
    instr(&g->m, c->op, args, n, PROOF_RUNTIME);
}

static void
open_guarded(Guarded *g)
{
    Maker *m = &g->m;
    VarId i;
    maker_open(m, "Ascend310P3");
    BufId prog = gm(m, "prog", DT_S32, STEPS * WORDS, BUF_IN);
    m->k->bufs.p[prog].inside = true;
    g->dst = local(m, SC_UB, DT_S32, DST_ELEMS);
    g->src = local(m, SC_UB, DT_S32, SRC_ELEMS);
    g->work = local(m, SC_UB, DT_S32, WORK_ELEMS);
    g->l1 = local(m, SC_L1, DT_F16, FRACTALS * 256);
    g->l0 = local(m, SC_L0A, DT_F16, 256);
    m->k->may_read_uninit = true;
    StmtId s = loop(m, &i, DT_S32, num(m, 0), num(m, STEPS), 0);
    ExprId v[WORDS];
    for (int w = 0; w < WORDS; w++) {
        v[w] = word_of_row(m, prog, i, WORDS, w, w == 5 || w == 6 ? DT_S32 : DT_S64,
                           scale[w]);
    }
    Call calls[CALLS];
    calls_of(g, calls);
    for (int c = 0; c < CALLS; c++) {
        put_call(g, &calls[c], v);
    }
    loop_end(m, s);
}

/* ---- the model ----------------------------------------------------------- */

static CheckArg
value(const Guarded *g, const Call *c, const ParamInfo *p, const int32_t words[WORDS],
      int *tensor, int *number)
{
    CheckArg a = {0};
    if (p->role == ROLE_MASK) {
        a.m = (CheckMask){MASK_COUNT, {64}};
    } else if (p->role == ROLE_DST || p->role == ROLE_SRC) {
        int t = (*tensor)++, w = c->words[t];
        const Buffer *buf = &g->m.k->bufs.p[c->bufs[t]];
        a.t = (CheckTensor){.buffer = c->bufs[t],
                            .scope = buf->scope,
                            .dtype = c->dtype,
                            .offset = w < 0 ? 0 : words[w] * scale[w],
                            .bytes = buf->bytes};
    } else {
        int n = c->numbers[(*number)++];
        a.v = n < 0 ? words[-n - 1] : n;
    }
    return a;
}

/* Returns the first rule that a step breaks. */
static Rule
broken(const Guarded *g, const Call *c, const Step *s)
{
    int n, tensor = 0, number = 0;
    int32_t words[WORDS];
    CheckInstr in = {.op = c->op, .soc = g->m.u->soc};
    Fault fault;
    memcpy(words, s, sizeof words);
    const ParamInfo *p = form_params(op_table[c->op].form, &n);
    for (int i = 0; i < n; i++) {
        in.args[i] = value(g, c, &p[i], words, &tensor, &number);
    }
    return check_values(&in, &fault) ? RULE_NONE : fault.rule;
}

static Rule
model(const Guarded *g, const Step *steps)
{
    Call calls[CALLS];
    Rule rule = RULE_NONE;
    calls_of(g, calls);
    for (int i = 0; i < STEPS * CALLS && rule == RULE_NONE; i++) {
        rule = broken(g, &calls[i % CALLS], &steps[i / CALLS]);
    }
    return rule;
}

/* ---- the comparison ------------------------------------------------------ */

static void
spoil(Rng *r, Step *s)
{
    switch (rng_range(r, 0, 100)) {
    case 0:
        s->dst = (int32_t)rng_range(r, DST_ELEMS - 2, DST_ELEMS + 4);
        break;
    case 1:
        s->work = (int32_t)rng_range(r, 0, 5) * 8;
        break;
    case 2:
        s->src = (int32_t)rng_range(r, SRC_ELEMS - 70, SRC_ELEMS - 50);
        break;
    case 3:
        s->shift = (int32_t)rng_range(r, -2, 34);
        break;
    case 4:
        s->fractal = (int32_t)rng_range(r, 0, 2 * FRACTALS);
        break;
    case 5:
        s->repeats = (int32_t)rng_range(r, -1, 40);
        break;
    default:
        break;
    }
}

static void
make_steps(Rng *r, Step steps[STEPS])
{
    Step s = {.repeats = 4, .stride = 8, .shift = 1};
    for (int i = 0; i < STEPS; i++) {
        s.scalar = (int32_t)rng_next(r);
        if (rng_range(r, 0, 2) == 0) {
            s.dst = 8 * (int32_t)rng_range(r, 0, 1);
            s.src = 8 * (int32_t)rng_range(r, 0, 200);
            s.fractal = 2 * (int32_t)rng_range(r, 0, FRACTALS - 1);
            s.shift = (int32_t)rng_range(r, 0, 32);
        }
        if (rng_range(r, 0, 4) == 0) {
            s.repeats = (int32_t)rng_range(r, 1, 12);
            s.stride = (int32_t)rng_range(r, 1, 9);
        }
        spoil(r, &s);
        steps[i] = s;
    }
}

static void
run_once(const Guarded *g, const TikKernel *tk, Rng *r, int counts[RULE_COUNT])
{
    Step steps[STEPS];
    TikError err;
    make_steps(r, steps);
    TikArray a = {.dtype = tk->params[0].dtype,
                  .elems = tk->params[0].elems,
                  .data = (uint8_t *)steps,
                  .bytes = sizeof steps};
    TikArray *list[1] = {&a};
    Rule rule = model(g, steps);
    assert_int_equal(tik_launch(tk, list, 1, &err), rule == RULE_NONE);
    if (rule != RULE_NONE) {
        assert_string_equal(err.name, rule_table[rule].name);
    }
    counts[rule]++;
}

static void
checks_are_those_of_the_rules(void **state)
{
    (void)state;
    static const Rule all[] = {RULE_NONE,        RULE_TENSOR_OVERFLOW, RULE_WORK_SIZE,
                               RULE_DST_SIZE,    RULE_ADDRESS_ALIGN,   RULE_SHIFT_RANGE,
                               RULE_REPEAT_RANGE};
    Guarded g;
    HostOptions opt = {.opt_level = 2};
    TikKernel tk = {0};
    void *handle = NULL;
    int counts[RULE_COUNT] = {0};
    open_guarded(&g);
    HostSession *session = tikc_host_api()->open(g.m.u, &opt);
    assert_non_null(session);
    assert_true(tikc_host_api()->jit(session, &g.m.k, 1, false, &tk, &handle));
    for (int i = 0; i < RUNS; i++) {
        Rng r = {.s = 1 + (uint64_t)i};
        run_once(&g, &tk, &r, counts);
    }
    tikc_host_api()->release(handle);
    tikc_host_api()->close(session);
    maker_close(&g.m);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        print_message("%s: %d\n", rule_table[all[i]].name, counts[all[i]]);
        assert_true(counts[all[i]] > 5);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks_are_those_of_the_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
