/* test_host_emu.c: compares compiled kernels with the emulator, for every instruction
 * with operands: random operands, numbers, readings and memory, on some processors. Each
 * number, offset and word of a mask is a constant or comes from an array; what is legal
 * is compiled as proved or with its checks, the rest with them. Both executions get the
 * same bytes in all memories, and leave the same or report the same fault. */
#include "host_util.h"
#include "ops_emu.h"

enum {
    SHAPES = 300, /* operands without numbers that are drawn for an instruction */
    TAKEN = 5,    /* of them that are tried, */
    DRAWS = 12,   /* with numbers drawn that often */
    RUNS = 2,     /* until this number is found */
    NUMBERS = 3 * MAX_PARAMS
};

typedef struct Item {
    Case c;
    Emu e;
    Maker m;
    BufId bufs[MAX_PARAMS]; /* by region */
    int64_t numbers[NUMBERS];
    int used;
} Item;

/* The machine that kernels are compiled for. */
typedef struct Machine {
    Unit *u;
    HostSession *session;
} Machine;

static const HostApi *host;

/* ---- kernels ------------------------------------------------------------- */

static ExprId
value(Item *x, BufId numbers, Dtype t, int64_t v, bool constant)
{
    Maker *m = &x->m;
    if (constant) {
        return ir_const(m->k, t, v);
    }
    RegId r = reg(m, "n", DT_S64);
    x->numbers[x->used] = v;
    load(m, r, numbers, DT_S64, num(m, 8 * x->used++), PROOF_PROVED);
    ExprId e = ir_reg_value(m->k, r);
    if (!dtype_is_float(t)) {
        return ir_cast(m->k, t, e);
    }
    return ir_bits(m->k, t, ir_cast(m->k, dtype_size(t) == 2 ? DT_U16 : DT_U32, e));
}

static Dtype
type_of_scalar(const Case *c, int i)
{
    int main = form_main(op_table[c->in.op].form);
    Dtype t =
        operand_type_dtype(c->p[i].of, main < 0 ? DT_NONE : c->in.args[main].t.dtype);
    return t == DT_NONE || !dtype_is_stored((int)t) ? DT_S64 : t;
}

static Arg
argument(Item *x, BufId numbers, int i)
{
    const CheckArg *a = &x->c.in.args[i];
    Role role = x->c.p[i].role;
    bool constant = a->literal;
    if (is_tensor(&x->c.p[i])) {
        return ref(&x->m, x->bufs[x->e.region_of[i]], a->t.dtype,
                   value(x, numbers, DT_S64, a->t.offset, constant));
    }
    if (role == ROLE_MASK) {
        Arg mask = {.kind = ARG_MASK, .mask_form = a->m.form};
        for (int w = 0; w < mask_words(a->m.form); w++) {
            mask.mask[w] = value(x, numbers, DT_U64, (int64_t)a->m.w[w], constant);
        }
        return mask;
    }
    if (role == ROLE_MASKMODE) {
        return (Arg){.kind = ARG_NONE};
    }
    Dtype t = role == ROLE_SCALAR ? type_of_scalar(&x->c, i) : DT_S64;
    return expr(value(x, numbers, t, a->v, constant || role == ROLE_ATTR));
}

static void
make_kernel(Machine *h, Item *x, Proof proof)
{
    Maker *m = &x->m;
    *m = (Maker){.u = h->u, .at = ir_cursor_body(0, 0)};
    assert_true(unit_set_soc(h->u, x->c.in.soc->name));
    h->u->opt.choices = x->c.choices;
    m->k = kernel_new(h->u);
    m->k->name = intern(&h->u->names, "test");
    m->k->may_read_uninit = true;
    BufId numbers = gm(m, "numbers", DT_S64, NUMBERS, BUF_IN);
    m->k->bufs.p[numbers].inside = true;
    for (uint32_t g = 0; g < x->e.k.nregions; g++) {
        const TikBlobRegion *r = &x->e.regions[g];
        m->used[r->scope] = r->base;
        x->bufs[g] = r->scope == SC_GM ? gm(m, "gm", DT_U8, ROOM, BUF_GLOBAL)
                                       : local(m, r->scope, DT_U8, r->bytes);
    }
    Arg args[MAX_PARAMS];
    for (int i = 0; i < x->c.n; i++) {
        args[i] = argument(x, numbers, i);
    }
    instr(m, x->c.in.op, args, x->c.n, proof);
}

/* ---- running ------------------------------------------------------------- */

/* The memory of a core of the kernel that runs, before and after. */
static struct {
    TikEntry entry;
    const Item *x;
    uint8_t *scratch; /* in the order of the emulator's */
} now;

static int64_t
bytes_of_scope(const Item *x, int s)
{
    return s == SC_SREG ? SREG_BYTES : x->m.k->peak[s];
}

static void
exchange(uint8_t *core, bool to_core)
{
    int64_t at = 0;
    for (int s = SC_UB; s < SC_COUNT; s++) {
        int64_t n = bytes_of_scope(now.x, s);
        uint8_t *mine = now.scratch + now.x->e.program->scope_at[s];
        memcpy(to_core ? core + at : mine, to_core ? mine : core + at, (size_t)n);
        at += round_up(n, 64);
    }
}

static int
entry(uint8_t *const *args, int32_t core_index, uint8_t *scratch, TikCore *core)
{
    exchange(scratch, true);
    int fault = now.entry(args, core_index, scratch, core);
    exchange(scratch, false);
    return fault;
}

/* What a kernel leaves. */
typedef struct Left {
    uint8_t *scratch, *gm;
    bool ok;
    TikError err;
} Left;

static void
run_native(Item *x, const TikKernel *k, Left *r)
{
    TikKernel mine = *k;
    TikArray arrays[1 + MAX_PARAMS], *list[1 + MAX_PARAMS];
    now.entry = k->entry;
    now.x = x;
    now.scratch = r->scratch;
    mine.entry = entry;
    for (int i = 0; i < k->nparams; i++) {
        const TikParam *p = &k->params[i];
        arrays[i] =
            (TikArray){.dtype = p->dtype,
                       .elems = p->elems,
                       .data = i == 0 ? (uint8_t *)x->numbers : r->gm + (i - 1) * ROOM,
                       .bytes = p->elems * dtype_size(p->dtype)};
        list[i] = &arrays[i];
    }
    r->ok = tik_launch(&mine, list, 1, &r->err);
}

static const char *
difference(Item *x, const Left *r)
{
    Emu *e = &x->e;
    bool ok = emu_run(e->program, &e->result);
    if (ok != r->ok) {
        return ok ? "the kernel faults" : "the emulator faults";
    }
    if (!ok) {
        return strcmp(e->result.fault.text, r->err.text) == 0 ? NULL : "other faults";
    }
    for (uint32_t i = 0; i < e->k.nargs; i++) {
        if (memcmp(e->arrays[i].data, r->gm + i * ROOM, ROOM) != 0) {
            return "other bytes in global memory";
        }
    }
    return memcmp(e->program->scratch, r->scratch, (size_t)e->program->scratch_bytes) == 0
               ? NULL
               : "other bytes";
}

static bool
run_item(Item *x, const TikKernel *k)
{
    Emu *e = &x->e;
    size_t bytes = (size_t)e->program->scratch_bytes;
    Left r = {.scratch = malloc(bytes), .gm = malloc(MAX_PARAMS * ROOM)};
    assert_true(r.scratch != NULL && r.gm != NULL);
    for (uint32_t g = 0; g < e->k.nregions; g++) {
        fill_region(e, g);
    }
    sreg_reset(e->program->scratch + e->program->scope_at[SC_SREG], 0);
    memcpy(r.scratch, e->program->scratch, bytes);
    for (uint32_t i = 0; i < e->k.nargs; i++) {
        memcpy(r.gm + i * ROOM, e->arrays[i].data, ROOM);
    }
    run_native(x, k, &r);
    const char *text = difference(x, &r);
    if (text != NULL) {
        printf("%s on %s: %s: %s, %s\n", op_table[x->c.in.op].name, x->c.in.soc->name,
               text, r.err.text, e->result.fault.text);
        show(&x->c);
    }
    free(r.scratch);
    free(r.gm);
    return text == NULL;
}

/* Compiles the kernels together and runs each. Returns how many are right. */
static int
run_items(Machine *h, Item *x, int n)
{
    Kernel *kernels[TAKEN * RUNS];
    TikKernel entries[TAKEN * RUNS];
    void *handle = NULL;
    int right = 0;
    for (int i = 0; i < n; i++) {
        kernels[i] = x[i].m.k;
    }
    if (n > 0) {
        memset(entries, 0, sizeof entries);
        bool ok = host->jit(h->session, kernels, n, false, entries, &handle);
        if (!ok) {
            show_diags(h->u);
        }
        assert_true(ok);
        for (int i = 0; i < n; i++) {
            right += run_item(&x[i], &entries[i]);
        }
        host->release(handle);
    }
    for (int i = 0; i < n; i++) {
        kernel_free(kernels[i]);
        end(&x[i].e);
    }
    return right;
}

/* ---- drawing ------------------------------------------------------------- */

/* A number that is 0 is none that the program spells out. */
static void
draw_constants(Case *c)
{
    for (int i = 0; i < c->n; i++) {
        CheckArg *a = &c->in.args[i];
        Role role = c->p[i].role;
        a->literal = rnd(3) != 0 && (role != ROLE_REPEAT || a->v != 0);
        if (role == ROLE_SCALAR) {
            a->v = scalar_wrap(type_of_scalar(c, i), a->v);
        }
    }
}

static bool
uses(const Case *c, Scope s)
{
    bool any = false;
    for (int i = 0; i < c->n; i++) {
        any = any || (is_tensor(&c->p[i]) && c->in.args[i].t.scope == s);
    }
    return any;
}

/* Draws numbers for operands, and makes a kernel. */
static bool
take(Machine *h, Item *x, const Case *shape, bool mended)
{
    memset(x, 0, sizeof *x);
    x->c = *shape;
    x->c.in.choices = choices_or_null(&x->c.choices);
    if (mended) {
        numbers_mended(&x->c);
    } else {
        draw_numbers(&x->c);
    }
    draw_constants(&x->c);
    bool legal = check_values(&x->c.in, NULL);
    if (!legal && rnd(4)) {
        return false;
    }
    for (int i = 0; i < x->c.n && !legal; i++) {
        x->c.in.args[i].literal = x->c.p[i].role == ROLE_ATTR;
    }
    bool proved = legal && rnd(2);
    bool made = begin(&x->e, &x->c, !proved);
    if (made) {
        make_kernel(h, x, proved ? PROOF_PROVED : PROOF_RUNTIME);
    } else {
        end(&x->e);
    }
    return made;
}

static int
try_op(Machine *h, Op op, int *wrong)
{
    static Item items[TAKEN * RUNS];
    int n = 0, taken = 0;
    Case c = {.n = 0};
    for (int i = 0; i < SHAPES && taken < TAKEN; i++) {
        memset(&c.choices, 0, sizeof c.choices);
        for (int k = 0; k < CHOICE_COUNT && i % 4 > 1; k++) {
            int reading = (int)rnd(3);
            c.choices.v[k] =
                choice_has_reading((Choice)k, reading) ? (uint8_t)reading : 0;
        }
        bool ok = i % 2 ? draw_mended(&c, op) : draw_shape(&c, op);
        int runs = 0;
        for (int j = 0; ok && !uses(&c, SC_LMEM) && j < DRAWS && runs < RUNS; j++) {
            bool made = take(h, &items[n], &c, i % 2 != 0);
            runs += made;
            n += made;
        }
        taken += runs > 0;
    }
    *wrong += n - run_items(h, items, n);
    return n;
}

/* Instructions with tensors; flags and barriers have none. */
static bool
has_tensors(Op op)
{
    int n;
    const ParamInfo *p = form_params(op_table[op].form, &n);
    bool any = false, root = false;
    for (int i = 0; i < n; i++) {
        any = any || is_tensor(&p[i]);
        root = root || p[i].role == ROLE_ROOT;
    }
    return any && !root;
}

static void
all_instructions(void **state)
{
    (void)state;
    static const char *const cpus[] = {NULL, "x86-64-v3", "x86-64"};
    Unit *u = malloc(sizeof *u);
    Machine h[3];
    int ops = 0, all = 0, wrong = 0;
    host = tikc_host_api();
    unit_init(u);
    for (int i = 0; i < 3; i++) {
        HostOptions opt = {.opt_level = 0, .cpu = cpus[i]};
        h[i] = (Machine){u, host->open(u, &opt)};
        assert_non_null(h[i].session);
    }
    for (Op op = 0; op < OP_COUNT; op++) {
        int runs = has_tensors(op) ? try_op(&h[rnd(6) % 5 % 3], op, &wrong) : 0;
        ops += runs > 0;
        all += runs;
    }
    for (int i = 0; i < 3; i++) {
        host->close(h[i].session);
    }
    unit_free(u);
    free(u);
    printf("%d instructions, %d kernels\n", ops, all);
    assert_int_equal(wrong, 0);
    assert_true(ops >= 225 && all >= 2000);
}

/* An argument is another seed. */
int
main(int argc, char **argv)
{
    state_of_random = argc > 1 ? strtoull(argv[1], NULL, 10) : state_of_random;
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_instructions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
