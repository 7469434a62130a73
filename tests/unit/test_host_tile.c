/* test_host_tile.c: the passes that make the tiled version of a kernel, on random
 * kernels: the replay of both versions is equal (passes/replay.h), for chunks of one
 * element and more; and for some of them machine code of both gives the same bytes. The
 * replay itself must find what is wrong in versions that were spoiled by hand.
 *
 * TIKC_TILE_KERNELS is the number of kernels that are replayed, TIKC_TILE_RUNS how many
 * of them run. */
#include "host_util.h"
#include "random.h"

#include "analysis/iteration.h"
#include "analysis/site.h"
#include "passes/passes.h"
#include "passes/replay.h"

enum {
    ELEMS = 4096, /* of each tensor: float16 */
    TILES = 5,
    ARRAYS = 4, /* two inputs, two outputs */
    KERNELS = 500,
    RUNS = 60
};

typedef struct Random {
    Maker m;
    uint64_t state;
    BufId gm[ARRAYS], tile[TILES], wide, total, work;
    RegId reg, factor;
    VarId var;  /* of the open loop; 0: none */
    bool shows; /* what is in the tiles goes to an output in the end */
    int fused, drops, sums, staggered, changed;
} Random;

static uint32_t
draw(Random *r, uint32_t n)
{
    return (uint32_t)random_below(&r->state, n);
}

static bool
chance(Random *r, uint32_t percent)
{
    return draw(r, 100) < percent;
}

/* ---- random instructions ------------------------------------------------- */

enum {
    ROW = 256, /* elements of a row of the loops */
    ROWS = 4
};

/* Returns an offset of elements: mostly the same few, so that operands meet. In a loop
 * most are in the row of the iteration. */
static ExprId
offset(Random *r, int size, int64_t room)
{
    Maker *m = &r->m;
    int64_t at = chance(r, 85) ? 0 : (int64_t)draw(r, 4) * 64;
    at = chance(r, 5) ? (int64_t)draw(r, 8) * 16 : at;
    at = MIN(at, room);
    if (r->var == 0 || chance(r, 15)) {
        return num(m, at * size);
    }
    at = chance(r, 85) ? 0 : at;
    ExprId row = ir_cast(m->k, DT_S64, ir_var_value(m->k, r->var));
    return ir_op2(m->k, SOP_ADD, ir_op2(m->k, SOP_MUL, row, num(m, ROW * size)),
                  num(m, at * size));
}

/* Repeats, lanes and strides of an instruction on float16. */
typedef struct Shape {
    int64_t lanes, repeats, stride;
} Shape;

static Shape
shape(Random *r)
{
    static const int64_t repeats[] = {2, 2, 2, 1, 8, 8, 8, 7};
    Shape s = {128, repeats[r->var ? draw(r, 4) : chance(r, 80) ? 4 : draw(r, 8)], 8};
    if (chance(r, 8)) {
        s.lanes = 1 + draw(r, 128);
    }
    if (chance(r, 10)) {
        s.stride = draw(r, 3) * 4;
    }
    return s;
}

static BufId
tile(Random *r)
{
    return r->tile[draw(r, chance(r, 80) ? 2 : TILES)];
}

static Arg
operand(Random *r, BufId b)
{
    return ref(&r->m, b, DT_F16, offset(r, 2, 512));
}

static Arg
number_arg(Random *r, int64_t v)
{
    return expr(num(&r->m, v));
}

static void
binary(Random *r)
{
    static const Op ops[] = {OP_VEC_ADD, OP_VEC_MUL, OP_VEC_MAX};
    Shape s = shape(r);
    int64_t other = chance(r, 10) ? 0 : s.stride;
    Arg a[8] = {mask_count(num(&r->m, s.lanes)),
                operand(r, tile(r)),
                operand(r, tile(r)),
                operand(r, tile(r)),
                number_arg(r, s.repeats),
                number_arg(r, s.stride),
                number_arg(r, s.stride),
                number_arg(r, other)};
    if (s.stride == 0 && chance(r, 70)) { /* the repeats accumulate */
        a[3] = a[1];
        a[6] = number_arg(r, 8);
        a[7] = number_arg(r, 0);
    }
    instr(&r->m, ops[draw(r, 3)], a, 8, PROOF_PROVED);
}

static void
with_scalar(Random *r)
{
    Shape s = shape(r);
    Maker *m = &r->m;
    ExprId v =
        chance(r, 50) ? ir_const(m->k, DT_F16, 0x3e00) : ir_reg_value(m->k, r->reg);
    Arg a[7] = {
        mask_count(num(m, s.lanes)), operand(r, tile(r)), operand(r, tile(r)),    expr(v),
        number_arg(r, s.repeats),    number_arg(r, 8),    number_arg(r, s.stride)};
    instr(m, chance(r, 50) ? OP_VEC_ADDS : OP_VEC_MULS, a, 7, PROOF_PROVED);
}

static void
unary(Random *r)
{
    Shape s = shape(r);
    Arg a[6] = {
        mask_count(num(&r->m, s.lanes)), operand(r, tile(r)), operand(r, tile(r)),
        number_arg(r, s.repeats),        number_arg(r, 8),    number_arg(r, s.stride)};
    instr(&r->m, chance(r, 50) ? OP_VEC_ABS : OP_VEC_RELU, a, 6, PROOF_PROVED);
}

/* To float32 and back, 64 lanes a repeat. */
static void
convert(Random *r)
{
    Maker *m = &r->m;
    bool widen = chance(r, 50);
    int64_t repeats = r->var ? 4 : 16;
    Arg half = operand(r, tile(r)), wide = ref(m, r->wide, DT_F32, offset(r, 4, 512));
    Arg a[7] = {mask_count(num(m, 64)),      number_arg(r, 0),
                widen ? wide : half,         widen ? half : wide,
                number_arg(r, repeats),      number_arg(r, widen ? 8 : 4),
                number_arg(r, widen ? 4 : 8)};
    instr(m, OP_VEC_CONV, a, 7, PROOF_PROVED);
}

static void
reduce(Random *r)
{
    Arg a[8] = {mask_count(num(&r->m, 128)),
                operand(r, r->tile[4]),
                operand(r, tile(r)),
                number_arg(r, 1 + draw(r, 2)),
                number_arg(r, 16),
                number_arg(r, 1),
                number_arg(r, 8),
                number_arg(r, 0)};
    instr(&r->m, OP_VCADD, a, 8, PROOF_PROVED);
}

/* The sum of what is mostly the float32 result of a conversion before. */
static void
sum_wide(Random *r)
{
    Maker *m = &r->m;
    Arg a[6] = {mask_count(num(m, 64)),
                ref(m, r->total, DT_F32, num(m, chance(r, 90) ? 0 : 32)),
                ref(m, r->wide, DT_F32, offset(r, 4, 512)),
                ref(m, r->work, DT_F32, num(m, 0)),
                number_arg(r, r->var          ? 4
                              : chance(r, 80) ? 16
                                              : 5),
                number_arg(r, chance(r, 90) ? 8 : 7)};
    instr(m, OP_VEC_REDUCE_ADD, a, 6, PROOF_PROVED);
}

static void
random_move(Random *r)
{
    Maker *m = &r->m;
    bool in = chance(r, 50);
    BufId g = r->gm[in ? draw(r, chance(r, 80) ? 2 : ARRAYS) : 2 + draw(r, 2)];
    BufId t = tile(r);
    int64_t bursts = chance(r, 80) ? 1 : 2, gap = chance(r, 80) ? 0 : draw(r, 3);
    int64_t units = r->var ? 16 : chance(r, 70) ? 64 : 60;
    Arg dst = operand(r, in ? t : g), src = operand(r, in ? g : t);
    Arg a[8] = {dst,
                src,
                number_arg(r, 0),
                number_arg(r, bursts),
                number_arg(r, units / bursts),
                number_arg(r, gap),
                number_arg(r, chance(r, 80) ? 0 : gap),
                number_arg(r, 0)};
    instr(m, OP_DATA_MOVE, a, 8, PROOF_PROVED);
}

static void
scalars(Random *r)
{
    Maker *m = &r->m;
    if (chance(r, 50)) {
        load(m, r->reg, tile(r), DT_F16, num(m, draw(r, 4) * 2), PROOF_PROVED);
    } else {
        store(m, tile(r), DT_F16, num(m, draw(r, 4) * 2), ir_const(m->k, DT_F16, 0x4200),
              PROOF_PROVED);
    }
}

static void
statement(Random *r)
{
    switch (draw(r, 15)) {
    case 0:
    case 1:
    case 2:
        random_move(r);
        return;
    case 3:
    case 4:
    case 5:
        binary(r);
        return;
    case 6:
    case 7:
        with_scalar(r);
        return;
    case 8:
        unary(r);
        return;
    case 9:
    case 10:
    case 11:
        convert(r);
        return;
    case 12:
        sum_wide(r);
        return;
    case 13:
        reduce(r);
        return;
    default:
        scalars(r);
        return;
    }
}

/* A factor of float32 from the total, or from a row that was computed before. */
static void
take_factor(Random *r)
{
    Maker *m = &r->m;
    BufId from = chance(r, 85) ? r->total : r->wide;
    load(m, r->factor, from, DT_F32, num(m, 0), PROOF_PROVED);
}

/* Multiplies the row, mostly, of the iteration by the factor. */
static void
scale_wide(Random *r)
{
    Maker *m = &r->m;
    ExprId at = offset(r, 4, 512);
    Arg a[7] = {mask_count(num(m, 64)),
                ref(m, r->wide, DT_F32, at),
                ref(m, r->wide, DT_F32, chance(r, 90) ? at : offset(r, 4, 512)),
                expr(ir_reg_value(m->k, r->factor)),
                number_arg(r, r->var ? 4 : 16),
                number_arg(r, 8),
                number_arg(r, 8)};
    instr(m, OP_VEC_MULS, a, 7, PROOF_PROVED);
}

/* Only numbers that no rule looks at are in registers. */
static void
fill_site(Site *site, const int64_t *vars)
{
    for (int p = 0; p < site->nparams; p++) {
        for (int i = 0; i < site_exprs(site, p); i++) {
            int64_t v = 0;
            (void)!ir_eval(site->k, site_expr(site, p, i), vars, &v);
            site_put(site, &site->in, p, i, v);
        }
    }
}

/* Returns whether an instruction keeps the rules, in every iteration of the open loop. */
static bool
is_legal(Random *r, StmtId id)
{
    Site site;
    int64_t vars[8] = {0};
    if (!site_init(&site, r->m.k, id)) {
        return true;
    }
    for (int64_t i = 0; i < (r->var ? ROWS : 1) && !site.element; i++) {
        Fault fault;
        vars[r->var] = i;
        fill_site(&site, vars);
        if (!check_values(&site.in, &fault)) {
            return false;
        }
    }
    return true;
}

static void
statements(Random *r, int n)
{
    while (n > 0) {
        Cursor before = r->m.at;
        statement(r);
        if (is_legal(r, r->m.at.owner)) {
            n--;
        } else {
            r->m.at = before;
            *ir_body(r->m.k, before.owner, before.slot) = 0;
        }
    }
}

static void
legal(Random *r, void make(Random *r))
{
    do {
        Cursor before = r->m.at;
        make(r);
        if (is_legal(r, r->m.at.owner)) {
            return;
        }
        r->m.at = before;
        *ir_body(r->m.k, before.owner, before.slot) = 0;
    } while (true);
}

/* Sums of a row that the rest of the row waits for, once or twice. */
static void
normalise(Random *r)
{
    if (chance(r, 70)) {
        legal(r, convert);
    }
    for (uint32_t i = 1 + draw(r, 2); i > 0; i--) {
        legal(r, sum_wide);
        take_factor(r);
        legal(r, scale_wide);
    }
    if (chance(r, 70)) {
        legal(r, convert);
    }
}

/* Every tile is written once, since what a kernel reads without that is not the passes'
 * concern. */
static void
fill_tiles(Random *r)
{
    for (int i = 0; i < TILES; i++) {
        move(&r->m, r->tile[i], 0, r->gm[i % 2], 0, DT_F16, ELEMS * 2);
    }
    move(&r->m, r->total, 0, r->gm[0], 0, DT_F32, 256);
    move(&r->m, r->wide, 0, r->gm[0], 0, DT_F32, ELEMS * 2);
    move(&r->m, r->wide, ELEMS * 2, r->gm[1], 0, DT_F32, ELEMS * 2);
}

static void
whole_kernel(Random *r)
{
    Maker *m = &r->m;
    StmtId outer = 0;
    VarId v;
    r->shows = chance(r, 30);
    fill_tiles(r);
    if (chance(r, 50)) { /* the tiles are written again in each iteration */
        outer = loop(m, &v, DT_S32, num(m, 0), num(m, 2), 0);
    }
    statements(r, 3 + (int)draw(r, 6));
    for (uint32_t i = draw(r, 3); i > 0; i--) {
        StmtId rows = loop(m, &r->var, DT_S32, num(m, 0), num(m, ROWS), 0);
        if (chance(r, 40)) {
            normalise(r);
        } else {
            statements(r, 1 + (int)draw(r, 4));
        }
        r->var = 0;
        loop_end(m, rows);
        statements(r, (int)draw(r, 3));
    }
    if (outer != 0) {
        loop_end(m, outer);
    }
    move(m, r->gm[2], 0, r->tile[0], 0, DT_F16, 2048);
    move(m, r->gm[3], 4096, r->total, 0, DT_F32, 128);
    for (int i = 1; i < TILES && r->shows; i++) {
        move(m, r->gm[2], 1536 * i, r->tile[i], 0, DT_F16, 1536);
    }
}

/* Leaves out what no correct kernel has: a place beyond a tensor. All offsets and extents
 * here are far below the tensors' sizes. */
static void
random_open(Random *r, uint64_t seed)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    *r = (Random){.state = seed * 0x9e3779b97f4a7c15U + 1};
    maker_open(&r->m, "Ascend310");
    for (int i = 0; i < ARRAYS; i++) {
        r->gm[i] = gm(&r->m, names[i], DT_F16, ELEMS, i < 2 ? BUF_IN : BUF_OUT);
    }
    for (int i = 0; i < TILES; i++) {
        r->tile[i] = local(&r->m, SC_UB, DT_F16, ELEMS);
    }
    r->wide = local(&r->m, SC_UB, DT_F32, ELEMS);
    r->total = local(&r->m, SC_UB, DT_F32, 64);
    r->work = local(&r->m, SC_UB, DT_F32, 64);
    r->reg = reg(&r->m, "s", DT_F16);
    r->factor = reg(&r->m, "f", DT_F32);
    for (BufId b = r->tile[0]; b <= r->work; b++) {
        put(&r->m, (Stmt){.kind = ST_ALLOC, .alloc = {b}});
    }
    whole_kernel(r);
}

/* ---- replay -------------------------------------------------------------- */

static void
count_scopes(Random *r, const Kernel *k)
{
    for (StmtId s = 1; s < k->stmts.n; s++) {
        if (k->stmts.p[s].kind == ST_SCOPE && k->stmts.p[s].scope.fused) {
            r->fused++;
            r->drops += (int)k->stmts.p[s].scope.ndrops;
            for (StmtId m = k->stmts.p[s].scope.body; m != 0; m = k->stmts.p[m].next) {
                r->sums += k->stmts.p[m].instr.op == OP_VEC_REDUCE_ADD;
            }
        }
        /* Only a loop that was staggered becomes such a scope. */
        r->staggered += k->stmts.p[s].kind == ST_SCOPE && !k->stmts.p[s].scope.fused;
    }
}

static int
number_from(const char *name, int usual)
{
    const char *text = getenv(name);
    return text != NULL ? (int)strtol(text, NULL, 10) : usual;
}

static void
complain(const Kernel *k, uint64_t seed, const char *why)
{
    Text t;
    text_init(&t, &k->unit->arena);
    ir_print(k, &t);
    if (k->tiled != NULL) {
        ir_print(k->tiled, &t);
    }
    fprintf(stderr, "%s\nseed %llu: %s\n", t.p, (unsigned long long)seed, why);
}

static void
tiled_kernels_replay_the_same(void **state)
{
    (void)state;
    int n = number_from("TIKC_TILE_KERNELS", KERNELS), fused = 0, drops = 0, sums = 0;
    int changed = 0, staggered = 0;
    for (int seed = 0; seed < n; seed++) {
        Random r;
        random_open(&r, (uint64_t)seed);
        r.m.k->tiled = passes_host(r.m.k, NULL);
        for (int chunk = 1; r.m.k->tiled != NULL && chunk <= REPLAY_CHUNK; chunk += 63) {
            Text why;
            text_init(&why, &r.m.u->arena);
            Replay same = replay_compare(r.m.k, r.m.k->tiled, chunk, &why);
            if (same != REPLAY_SAME) {
                complain(r.m.k, (uint64_t)seed, why.p);
            }
            assert_int_equal(same, REPLAY_SAME);
        }
        if (r.m.k->tiled != NULL) {
            count_scopes(&r, r.m.k->tiled);
            changed++;
        }
        fused += r.fused;
        drops += r.drops;
        sums += r.sums;
        staggered += r.staggered;
        maker_close(&r.m);
    }
    print_message(
        "%d kernels, %d changed: %d fused scopes, %d dropped tiles, %d sums, %d loops "
        "staggered\n",
        n, changed, fused, drops, sums, staggered);
    assert_true(changed > n / 2 && fused > n / 2 && drops > n / 50 && sums > n / 50 &&
                staggered > n / 50);
}

/* Spoils a version: a fused scope drops what its first instruction writes, although it is
 * read later. Returns false if there is no such scope. */
static bool
spoil(Kernel *t)
{
    for (StmtId s = 1; s < t->stmts.n; s++) {
        Stmt *st = &t->stmts.p[s];
        if (st->kind != ST_SCOPE || !st->scope.fused || st->scope.ndrops > 0) {
            continue;
        }
        Iteration it;
        assert_true(iteration_of(t, &t->stmts.p[st->scope.body], &it));
        if (t->bufs.p[it.op[0].ref.buf].scope == SC_UB) {
            st->scope.drop = t->drops.n;
            st->scope.ndrops = 1;
            VEC_PUSH(&t->arena, &t->drops, it.op[0].ref.buf);
            return true;
        }
    }
    return false;
}

/* Most of what is dropped wrongly reaches an output; some is never looked at again. */
static void
the_replay_finds_faults(void **state)
{
    (void)state;
    int spoiled = 0, found = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        Random r;
        random_open(&r, seed);
        Kernel *t = passes_host(r.m.k, NULL);
        if (t != NULL && spoil(t)) {
            Text why;
            text_init(&why, &r.m.u->arena);
            spoiled++;
            found += replay_compare(r.m.k, t, 16, &why) == REPLAY_DIFFERENT;
        }
        kernel_free(t);
        maker_close(&r.m);
    }
    print_message("%d versions spoiled, %d found\n", spoiled, found);
    assert_true(spoiled > 100 && found > spoiled / 4);
}

/* ---- machine code -------------------------------------------------------- */

static void
fill(Random *r, uint16_t array[ARRAYS][ELEMS])
{
    for (int i = 0; i < ARRAYS; i++) {
        for (int j = 0; j < ELEMS; j++) {
            array[i][j] = (uint16_t)(draw(r, 50) == 0 ? draw(r, 0x10000)
                                                      : 0x3000 + draw(r, 0x1400));
        }
    }
}

static void
run_kernel(Random *r, bool shared, uint16_t array[ARRAYS][ELEMS])
{
    TikError err;
    uint8_t *list[ARRAYS];
    for (int i = 0; i < ARRAYS; i++) {
        list[i] = (uint8_t *)array[i];
    }
    if (shared) { /* the output begins in the middle of an input */
        list[2] = (uint8_t *)&array[0][64];
    }
    assert_true(run_at(&r->m, 2, NULL, list, &err));
}

static void
tiled_kernels_give_the_same_bytes(void **state)
{
    (void)state;
    int n = number_from("TIKC_TILE_RUNS", RUNS);
    uint16_t(*a)[ELEMS] = malloc(sizeof(uint16_t[ARRAYS][2 * ELEMS]));
    uint16_t(*b)[ELEMS] = malloc(sizeof(uint16_t[ARRAYS][2 * ELEMS]));
    for (int seed = 0; seed < n; seed++) {
        Random r;
        bool shared = seed % 4 == 3;
        random_open(&r, (uint64_t)seed);
        fill(&r, a);
        memcpy(b, a, sizeof(uint16_t[ARRAYS][ELEMS]));
        run_kernel(&r, shared, a);
        r.m.k->tiled = passes_host(r.m.k, NULL);
        run_kernel(&r, shared, b);
        if (memcmp(a, b, sizeof(uint16_t[ARRAYS][ELEMS])) != 0) {
            complain(r.m.k, (uint64_t)seed, "the bytes differ");
        }
        assert_memory_equal(a, b, sizeof(uint16_t[ARRAYS][ELEMS]));
        maker_close(&r.m);
    }
    free(a);
    free(b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiled_kernels_replay_the_same),
        cmocka_unit_test(the_replay_finds_faults),
        cmocka_unit_test(tiled_kernels_give_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
