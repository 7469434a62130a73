/* test_host_guard.c: run-time checks in machine code against the rules themselves. A
 * kernel takes the numbers and offsets of its instructions from an array, most of them
 * equal to those of the step before, some wrong. It must fault where check_values finds
 * the first broken rule, and else leave the bytes that a model leaves, which has arrays
 * with the granule's room after them; the caller's arrays have none. */
#include "host_util.h"
#include "random.h"
#include "num/half.h"
#include "passes/passes.h"
#include "rules/check.h"

enum {
    STEPS = 12,
    WORDS = 8,
    RUNS = 4000,
    IN_ELEMS = 2005, /* odd, so that the last block has no data at its end */
    OUT_ELEMS = 1003,
    UB_ELEMS = 2048,
    ROOM = 64,
    BAD = 0x5a
};

/* A step's numbers, in the order of the array. */
typedef struct Step {
    int32_t from, nburst, burst, gap; /* a move of the input, from an element */
    int32_t dst, src;                 /* elements of an addition in place */
    int32_t to, element;              /* of the move to the output, and of a store */
} Step;

_Static_assert(sizeof(Step) == 4 * WORDS, "a step is a row of the array");

static uint64_t random_state;

static int
draw(int n)
{
    return (int)random_below(&random_state, n);
}

/* ---- the kernel ---------------------------------------------------------- */

typedef struct Guarded {
    Maker m;
    BufId in, out, ub;
} Guarded;

static void
open_guarded(Guarded *g)
{
    Maker *m = &g->m;
    VarId i;
    maker_open(m, "Ascend310P3");
    BufId prog = gm(m, "prog", DT_S32, STEPS * WORDS, BUF_IN);
    m->k->bufs.p[prog].inside = true;
    g->in = gm(m, "in", DT_F16, IN_ELEMS, BUF_IN);
    g->out = gm(m, "out", DT_F16, OUT_ELEMS, BUF_OUT);
    g->ub = local(m, SC_UB, DT_F16, UB_ELEMS);
    m->k->may_read_uninit = true;
    StmtId s = loop(m, &i, DT_S32, num(m, 0), num(m, STEPS), 0);
    ExprId v[WORDS];
    for (int w = 0; w < WORDS; w++) {
        static const int scale[WORDS] = {2, 1, 1, 1, 2, 2, 2, 2};
        v[w] = word_of_row(m, prog, i, WORDS, w, DT_S64, scale[w]);
    }
    Arg get[8] = {ref(m, g->ub, DT_F16, num(m, 0)),
                  ref(m, g->in, DT_F16, v[0]),
                  expr(num(m, 0)),
                  expr(v[1]),
                  expr(v[2]),
                  expr(v[3]),
                  expr(num(m, 0)),
                  expr(num(m, 0))};
    instr(m, OP_DATA_MOVE, get, 8, PROOF_RUNTIME);
    Arg add[8] = {mask_count(num(m, 128)),
                  ref(m, g->ub, DT_F16, v[4]),
                  ref(m, g->ub, DT_F16, v[5]),
                  ref(m, g->ub, DT_F16, v[5]),
                  expr(num(m, 2)),
                  expr(num(m, 8)),
                  expr(num(m, 8)),
                  expr(num(m, 8))};
    instr(m, OP_VEC_ADD, add, 8, PROOF_RUNTIME);
    Arg give[8] = {ref(m, g->out, DT_F16, v[6]),
                   ref(m, g->ub, DT_F16, num(m, 64)),
                   expr(num(m, 0)),
                   expr(num(m, 1)),
                   expr(v[2]),
                   expr(num(m, 0)),
                   expr(num(m, 0)),
                   expr(num(m, 0))};
    instr(m, OP_DATA_MOVE, give, 8, PROOF_RUNTIME);
    store(m, g->out, DT_F16, v[7], ir_const(m->k, DT_F16, 0x3c00), PROOF_RUNTIME);
    loop_end(m, s);
}

/* ---- the model ----------------------------------------------------------- */

typedef struct Model {
    uint8_t in[2 * IN_ELEMS + ROOM], out[2 * OUT_ELEMS + ROOM], ub[2 * UB_ELEMS];
    Rule rule; /* that was broken */
} Model;

static CheckTensor
tensor(const Guarded *g, BufId b, int64_t offset)
{
    const Buffer *buf = &g->m.k->bufs.p[b];
    return (CheckTensor){.buffer = b,
                         .scope = buf->scope,
                         .dtype = DT_F16,
                         .offset = offset,
                         .bytes = buf->bytes};
}

static bool
holds(const Guarded *g, Model *model, Op op, const CheckTensor *t, int nt,
      const int64_t *numbers)
{
    int n, next = 0;
    CheckInstr in;
    Fault fault;
    memset(&in, 0, sizeof in);
    in.op = op;
    in.soc = g->m.u->soc;
    const ParamInfo *p = form_params(op_table[op].form, &n);
    for (int i = 0; i < n; i++) {
        if (p[i].role == ROLE_MASK) {
            in.args[i].m = (CheckMask){MASK_COUNT, {128}};
        } else if (p[i].role == ROLE_DST || p[i].role == ROLE_SRC) {
            assert_true(next < nt);
            in.args[i].t = t[next++];
        } else {
            in.args[i].v = *numbers++;
        }
    }
    if (check_values(&in, &fault)) {
        return true;
    }
    model->rule = fault.rule;
    return false;
}

static bool
model_get(const Guarded *g, Model *x, const Step *s)
{
    CheckTensor t[2] = {tensor(g, g->ub, 0), tensor(g, g->in, 2 * (int64_t)s->from)};
    const int64_t numbers[] = {0, s->nburst, s->burst, s->gap, 0, 0};
    if (!holds(g, x, OP_DATA_MOVE, t, 2, numbers)) {
        return false;
    }
    for (int i = 0; i < s->nburst; i++) {
        memcpy(x->ub + 32 * i * s->burst,
               x->in + t[1].offset + 32 * i * (s->burst + s->gap), 32 * (size_t)s->burst);
    }
    return true;
}

static bool
model_add(const Guarded *g, Model *x, const Step *s)
{
    CheckTensor t[3] = {tensor(g, g->ub, 2 * (int64_t)s->dst),
                        tensor(g, g->ub, 2 * (int64_t)s->src),
                        tensor(g, g->ub, 2 * (int64_t)s->src)};
    const int64_t numbers[] = {2, 8, 8, 8};
    if (!holds(g, x, OP_VEC_ADD, t, 3, numbers)) {
        return false;
    }
    for (int64_t r = 0; r < 2; r++) {
        uint16_t v[128];
        memcpy(v, x->ub + t[1].offset + 256 * r, sizeof v);
        for (int i = 0; i < 128; i++) {
            float f = half_to_float(v[i]);
            v[i] = half_from_float(f + f);
        }
        memcpy(x->ub + t[0].offset + 256 * r, v, sizeof v);
    }
    return true;
}

static bool
model_give(const Guarded *g, Model *x, const Step *s)
{
    CheckTensor t[2] = {tensor(g, g->out, 2 * (int64_t)s->to), tensor(g, g->ub, 64)};
    CheckTensor e = tensor(g, g->out, 2 * (int64_t)s->element);
    const int64_t numbers[] = {0, 1, s->burst, 0, 0, 0};
    Fault fault;
    if (!holds(g, x, OP_DATA_MOVE, t, 2, numbers)) {
        return false;
    }
    memcpy(x->out + t[0].offset, x->ub + 64, 32 * (size_t)s->burst);
    if (!check_element(&e, &fault)) {
        x->rule = fault.rule;
        return false;
    }
    memcpy(x->out + e.offset, &(uint16_t){0x3c00}, 2);
    return true;
}

static bool
model_run(const Guarded *g, Model *x, const Step *steps)
{
    memset(x->ub, 0xff, sizeof x->ub);
    for (int i = 0; i < STEPS; i++) {
        if (!model_get(g, x, &steps[i]) || !model_add(g, x, &steps[i]) ||
            !model_give(g, x, &steps[i])) {
            return false;
        }
    }
    return true;
}

/* ---- the comparison ------------------------------------------------------ */

static Step
other_step(const Step *last)
{
    Step s = *last;
    switch (draw(8)) {
    case 0:
        s.nburst = 1 + draw(4);
        s.burst = 1 + draw(20);
        s.gap = draw(3);
        break;
    case 1:
        s.dst = 256 * draw(4) + (draw(3) == 0 ? 16 * draw(8) : 0);
        s.src = draw(2) ? s.dst : 256 * draw(4);
        break;
    default:
        break;
    }
    int reach = 16 * (s.nburst * (s.burst + s.gap) - s.gap);
    s.from = draw(4) == 0 ? IN_ELEMS - reach + draw(20) : draw(IN_ELEMS - reach);
    s.to = draw(4) == 0 ? OUT_ELEMS - 16 * s.burst + draw(20)
                        : draw(OUT_ELEMS - 16 * s.burst);
    s.element = draw(5) == 0 ? OUT_ELEMS - 2 + draw(24) : draw(OUT_ELEMS);
    switch (draw(150)) {
    case 0:
        s.from = -draw(4);
        break;
    case 1:
        s.burst = draw(3) - 1;
        break;
    case 2:
        s.element = OUT_ELEMS + draw(60);
        break;
    case 3:
        s.dst = 1600 + 16 * draw(40);
        break;
    case 4:
        s.dst += 1 + draw(15);
        s.src = s.dst;
        break;
    default:
        break;
    }
    return s;
}

static void
make_steps(Step steps[STEPS])
{
    Step s = {.nburst = 2, .burst = 8, .gap = 1};
    for (int i = 0; i < STEPS; i++) {
        s = steps[i] = other_step(&s);
    }
}

/* An array that ends with its last byte; the bytes after it are watched. */
static uint8_t *
bare_array(const uint8_t *bytes, int64_t n)
{
    uint8_t *p = malloc((size_t)n + ROOM);
    memcpy(p, bytes, (size_t)n);
    memset(p + n, BAD, ROOM);
    return p;
}

static void
nothing_after(const uint8_t *p, int64_t n)
{
    for (int i = 0; i < ROOM; i++) {
        assert_int_equal(p[n + i], BAD);
    }
}

typedef struct Counts {
    int good, faults, rules[RULE_COUNT];
} Counts;

static void
run_once(const Guarded *g, const TikKernel *tk, Model *x, Counts *counts)
{
    Step steps[STEPS];
    TikError err;
    make_steps(steps);
    memset(x, 0, sizeof *x);
    for (int i = 0; i < IN_ELEMS; i++) {
        uint16_t v = (uint16_t)(0x2c00 + draw(0x2000));
        memcpy(x->in + 2 * i, &v, 2);
    }
    uint8_t *data[3] = {(uint8_t *)steps, bare_array(x->in, 2 * IN_ELEMS),
                        bare_array(x->out, 2 * OUT_ELEMS)};
    static const int64_t bytes[3] = {sizeof steps, 2 * IN_ELEMS, 2 * OUT_ELEMS};
    TikArray a[3], *list[3];
    for (int i = 0; i < 3; i++) {
        a[i] = (TikArray){.dtype = tk->params[i].dtype,
                          .elems = tk->params[i].elems,
                          .data = data[i],
                          .bytes = bytes[i]};
        list[i] = &a[i];
    }
    bool want = model_run(g, x, steps);
    bool got = tik_launch(tk, list, 1, &err);
    assert_int_equal(got, want);
    if (got) {
        assert_memory_equal(data[2], x->out, 2 * OUT_ELEMS);
        counts->good++;
    } else {
        assert_string_equal(err.name, rule_table[x->rule].name);
        counts->faults++;
        counts->rules[x->rule]++;
    }
    nothing_after(data[1], 2 * IN_ELEMS);
    nothing_after(data[2], 2 * OUT_ELEMS);
    free(data[1]);
    free(data[2]);
}

static void
compare(bool tiled)
{
    Guarded g;
    HostOptions opt = {.opt_level = 2};
    TikKernel tk = {0};
    void *handle = NULL;
    Counts counts = {0};
    open_guarded(&g);
    g.m.k->tiled = tiled ? passes_host(g.m.k, NULL) : NULL;
    HostSession *session = tikc_host_api()->open(g.m.u, &opt);
    assert_non_null(session);
    assert_true(tikc_host_api()->jit(session, &g.m.k, 1, false, &tk, &handle));
    assert_true(tk.params[1].inside && tk.params[2].inside && tk.params[1].unwritten);
    Model *x = malloc(sizeof *x);
    for (int i = 0; i < RUNS; i++) {
        random_state = (uint64_t)i;
        run_once(&g, &tk, x, &counts);
    }
    free(x);
    tikc_host_api()->release(handle);
    tikc_host_api()->close(session);
    maker_close(&g.m);
    print_message("%d runs to the end, %d faults\n", counts.good, counts.faults);
    assert_true(counts.good > RUNS / 10 && counts.faults > RUNS / 10);
    assert_true(counts.rules[RULE_TENSOR_OVERFLOW] > 0 &&
                counts.rules[RULE_RANGE_BURST] > 0 &&
                counts.rules[RULE_ADDRESS_ALIGN] > 0);
}

static void
checks_are_those_of_the_rules(void **state)
{
    (void)state;
    compare(false);
}

static void
also_in_the_tiled_version(void **state)
{
    (void)state;
    compare(true);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks_are_those_of_the_rules),
        cmocka_unit_test(also_in_the_tiled_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
