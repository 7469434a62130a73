/* test_ir_oracle.c: compares the passes about memory with plain execution. Random kernels
 * run statement by statement on byte maps, once per core and for several values of the
 * registers:
 * - may_read_uninit is false: no run reads a byte that was not written;
 * - a warning uninit: when the statement executes first, it reads such a byte, in core 0;
 * - blocks_ordered is false: what a core writes no other core reads or writes;
 * - a warning multicore-overlap: cores 0 and 1 write a common byte;
 * - fold does not change which bytes are accessed;
 * - the inspector's ranges have all that a core accesses of tensors that the kernel
 *   writes, and nothing more where no access has gaps.
 *
 * The seed of a round that fails is printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "passes/passes.h"
#include "random.h"
#include "tikrt.h"

enum {
    ROUNDS = 500,
    RUNS = 4,
    CORES = 4,
    LOCAL_BYTES = 4096,
    GM_BYTES = 4096,
    MAX_BUFS = 64,
    MAX_REGS = 16,
    MAX_VARS = 512,
    MAX_LINES = 4096
};

/* ---- random kernels ------------------------------------------------------ */

typedef struct Gen {
    uint64_t seed;
    Unit *u;
    Kernel *k;
    BufId gm[2];
    RegId regs[2];
    VarId vars[8]; /* variables of the open loops */
    int nvars;
    BufId local[MAX_BUFS]; /* on-core buffers that are visible */
    int nlocal;
    int depth;
    int loops; /* open loops that a break can leave */
    bool multicore;
    uint32_t line; /* each statement has a span of its own */
} Gen;

static uint32_t
pick(Gen *g, uint32_t below)
{
    return (uint32_t)random_below(&g->seed, below);
}

static StmtId
append(Gen *g, Cursor *at, Stmt s)
{
    g->line++;
    s.span = (Span){1, g->line, g->line + 1};
    return ir_append(g->k, at, &s);
}

static ExprId
int64_const(Gen *g, int64_t v)
{
    return ir_const(g->k, DT_S64, v);
}

static ExprId
random_variable(Gen *g)
{
    return ir_var_value(g->k, g->vars[pick(g, (uint32_t)g->nvars)]);
}

/* A quotient or a remainder of variables, at most 3: rows and columns of cores. */
static ExprId
random_share(Gen *g)
{
    ExprId x = random_variable(g);
    if (pick(g, 2)) {
        ExprId by = ir_const(g->k, DT_S32, 1 + pick(g, 2));
        x = ir_op2(g->k, SOP_MUL, x, by);
        x = ir_op2(g->k, SOP_ADD, x, random_variable(g));
    }
    bool rest = pick(g, 2);
    ExprId by = ir_const(g->k, DT_S32, rest ? 2 + pick(g, 3) : 3 + pick(g, 2));
    return ir_op2(g->k, rest ? SOP_REM : SOP_DIV, x, by);
}

/* Makes an offset of 512 to 768 bytes, plus up to two loop terms of at most 3 * 128
 * bytes, and sometimes a register. */
static ExprId
random_offset(Gen *g)
{
    static const int factors[] = {32, 64, 128, 96, -32, -64, 128, 64};
    ExprId e = int64_const(g, 512 + 32 * (int64_t)pick(g, 8));
    for (int i = 0; i < 2 && g->nvars; i++) {
        if (pick(g, 4)) {
            ExprId x = pick(g, 3) ? random_variable(g) : random_share(g);
            x = ir_cast(g->k, DT_S64, x);
            x = ir_op2(g->k, SOP_MUL, x, int64_const(g, factors[pick(g, 8)]));
            e = ir_op2(g->k, SOP_ADD, e, x);
        }
    }
    if (pick(g, 8) == 0) {
        ExprId x = ir_cast(g->k, DT_S64, ir_reg_value(g->k, g->regs[pick(g, 2)]));
        x = ir_op2(g->k, SOP_MUL, x, int64_const(g, pick(g, 2) ? 32 : 128));
        e = ir_op2(g->k, SOP_ADD, e, x);
    }
    return e;
}

static Arg
ref_arg(Gen *g, BufId buf)
{
    Arg a = {.kind = ARG_REF};
    a.ref = (Ref){buf, DT_F16, random_offset(g)};
    return a;
}

static Arg
int_arg(Gen *g, int64_t v)
{
    Arg a = {.kind = ARG_EXPR};
    a.expr = int64_const(g, v);
    return a;
}

static BufId
any_local(Gen *g)
{
    return g->local[pick(g, (uint32_t)g->nlocal)];
}

static void
gen_move(Gen *g, Cursor *at)
{
    BufId dst = any_local(g);
    BufId src = g->gm[pick(g, 2)];
    if (pick(g, 2)) {
        src = any_local(g);
        dst = pick(g, 3) ? g->gm[pick(g, 2)] : any_local(g);
    }
    Arg args[8] = {ref_arg(g, dst),
                   ref_arg(g, src),
                   int_arg(g, 0),
                   int_arg(g, 1 + pick(g, 3)),
                   int_arg(g, 1 + pick(g, 4)),
                   int_arg(g, pick(g, 3) ? 0 : pick(g, 3)),
                   int_arg(g, pick(g, 3) ? 0 : pick(g, 3)),
                   int_arg(g, 0)};
    Stmt s = {.kind = ST_INSTR};
    s.instr.op = OP_DATA_MOVE;
    s.instr.arg = ir_args(g->k, args, 8);
    append(g, at, s);
}

static Arg
mask_arg(Gen *g)
{
    Arg a = {.kind = ARG_MASK};
    if (pick(g, 8) == 0) {
        a.mask_form = MASK_BITS;
        a.mask[0] = ir_const(g->k, DT_U64, 0xf0f0f);
        a.mask[1] = ir_const(g->k, DT_U64, 0);
        return a;
    }
    a.mask_form = MASK_COUNT;
    a.mask[0] = int64_const(g, 16 * (1 + (int64_t)pick(g, 8)));
    if (pick(g, 15) == 0) {
        a.mask[0] = ir_reg_value(g->k, g->regs[0]);
    }
    return a;
}

static void
gen_vector(Gen *g, Cursor *at)
{
    Stmt s = {.kind = ST_INSTR};
    Arg scalar = {.kind = ARG_EXPR};
    scalar.expr = ir_const(g->k, DT_F16, 0);
    Arg repeat = int_arg(g, 1 + pick(g, 2));
    if (pick(g, 2)) {
        Arg dup[5] = {mask_arg(g), ref_arg(g, any_local(g)), scalar, repeat,
                      int_arg(g, pick(g, 9))};
        s.instr.op = OP_VEC_DUP;
        s.instr.arg = ir_args(g->k, dup, 5);
    } else {
        Arg abs[6] = {mask_arg(g), ref_arg(g, any_local(g)), ref_arg(g, any_local(g)),
                      repeat,      int_arg(g, pick(g, 9)),   int_arg(g, pick(g, 9))};
        s.instr.op = OP_VEC_ABS;
        s.instr.arg = ir_args(g->k, abs, 6);
    }
    append(g, at, s);
}

static void
gen_scalar(Gen *g, Cursor *at)
{
    Stmt s = {.kind = ST_SET};
    BufId buf = pick(g, 2) ? any_local(g) : g->gm[pick(g, 2)];
    Ref ref = {buf, DT_S32, random_offset(g)};
    RegId r = g->regs[pick(g, 2)];
    switch (pick(g, 4)) {
    case 0:
        s.kind = ST_STORE;
        s.store.ref = ref;
        s.store.value = ir_const(g->k, DT_S32, 1);
        break;
    case 1:
        s.kind = ST_LOAD;
        s.load.ref = ref;
        s.load.reg = r;
        break;
    default: /* 1 to 3, as loads give */
        s.set.reg = r;
        s.set.value = ir_const(g->k, DT_S32, 1 + pick(g, 3));
        if (g->nvars && pick(g, 3)) {
            ExprId one = ir_const(g->k, DT_S32, 1);
            s.set.value = ir_op2(g->k, SOP_ADD, random_variable(g), one);
        }
    }
    append(g, at, s);
}

static ExprId
random_condition(Gen *g)
{
    ExprId x = ir_reg_value(g->k, g->regs[pick(g, 2)]);
    if (g->nvars && pick(g, 3)) {
        x = random_variable(g);
    }
    ScalarOp op = (ScalarOp)(SOP_EQ + pick(g, 6));
    return ir_op2(g->k, op, x, ir_const(g->k, DT_S32, pick(g, CORES)));
}

static void gen_body(Gen *g, StmtId owner, int slot, int n);

static void
gen_for(Gen *g, Cursor *at)
{
    Stmt s = {.kind = ST_FOR};
    int outer = g->loops;
    bool multicore = !g->multicore && pick(g, 2) == 0;
    s.loop.var = ir_var(g->k, SYM_NONE, DT_S32);
    s.loop.begin = ir_const(g->k, DT_S32, multicore ? 0 : pick(g, 2));
    s.loop.end = ir_const(g->k, DT_S32, multicore ? CORES : pick(g, 4));
    if (!multicore && pick(g, 6) == 0) {
        s.loop.end = ir_reg_value(g->k, g->regs[0]); /* at most 3 */
    } else if (!multicore && g->nvars && pick(g, 6) == 0) {
        s.loop.end = random_variable(g);
    }
    s.loop.block_num = multicore ? CORES : 1;
    s.loop.thread_num = 1;
    StmtId id = append(g, at, s);
    g->multicore = g->multicore || multicore;
    g->loops = multicore ? 0 : outer + 1;
    g->vars[g->nvars++] = s.loop.var;
    gen_body(g, id, 0, 1 + (int)pick(g, 5));
    g->nvars--;
    g->loops = outer;
    g->multicore = g->multicore && !multicore;
}

static void
gen_block(Gen *g, Cursor *at)
{
    Stmt s = {.kind = ST_SCOPE};
    if (pick(g, 3) == 0) {
        gen_body(g, append(g, at, s), 0, 1 + (int)pick(g, 3));
        return;
    }
    if (pick(g, 2)) {
        gen_for(g, at);
        return;
    }
    s.kind = ST_IF;
    s.cond.cond = random_condition(g);
    StmtId id = append(g, at, s);
    gen_body(g, id, 0, (int)pick(g, 4));
    gen_body(g, id, 1, (int)pick(g, 3));
}

static void
gen_alloc(Gen *g, Cursor *at)
{
    Buffer b = {
        .scope = SC_UB, .dtype = DT_F16, .elems = LOCAL_BYTES / 2, .bytes = LOCAL_BYTES};
    b.address = -1;
    b.copies = 1;
    Stmt s = {.kind = ST_ALLOC};
    s.alloc.buf = ir_buffer(g->k, &b);
    append(g, at, s);
    g->local[g->nlocal++] = s.alloc.buf;
}

/* Adds a write of all of a new buffer. */
static void
gen_clear(Gen *g, Cursor *at)
{
    Arg scalar = {.kind = ARG_EXPR};
    scalar.expr = ir_const(g->k, DT_F16, 0);
    Arg mask = {.kind = ARG_MASK};
    mask.mask_form = MASK_COUNT;
    mask.mask[0] = int64_const(g, 128);
    Arg dst = {.kind = ARG_REF};
    dst.ref = (Ref){g->local[g->nlocal - 1], DT_F16, int64_const(g, 0)};
    Arg dup[5] = {mask, dst, scalar, int_arg(g, LOCAL_BYTES / 256), int_arg(g, 8)};
    Stmt s = {.kind = ST_INSTR};
    s.instr.op = OP_VEC_DUP;
    s.instr.arg = ir_args(g->k, dup, 5);
    append(g, at, s);
}

static void
gen_body(Gen *g, StmtId owner, int slot, int n)
{
    Cursor at = ir_cursor_body(owner, slot);
    int nlocal = g->nlocal;
    g->depth++;
    if (owner == 0 || (pick(g, 4) == 0 && g->k->bufs.n < MAX_BUFS - 1)) {
        gen_alloc(g, &at);
        if (pick(g, 4)) {
            gen_clear(g, &at);
        }
    }
    for (int i = 0; i < n; i++) {
        uint32_t what = pick(g, 16);
        if (what < 5 && g->depth < 5) {
            gen_block(g, &at);
        } else if (what < 9) {
            gen_vector(g, &at);
        } else if (what < 13) {
            gen_move(g, &at);
        } else if (what < 15) {
            gen_scalar(g, &at);
        } else if (g->depth > 2 && pick(g, 2)) {
            Stmt s = {.kind = ST_RETURN};
            s.kind = g->loops && pick(g, 4) ? ST_BREAK + pick(g, 2) : ST_RETURN;
            append(g, &at, s);
        }
    }
    g->nlocal = nlocal;
    g->depth--;
}

static Kernel *
random_kernel(Unit *u, uint64_t seed)
{
    Gen g = {.seed = seed * UINT64_C(0x9e3779b97f4a7c15), .u = u, .k = kernel_new(u)};
    g.k->name = intern(&u->names, "k");
    for (int i = 0; i < 2; i++) {
        Buffer b = {
            .scope = SC_GM, .dtype = DT_F16, .elems = GM_BYTES / 2, .bytes = GM_BYTES};
        b.role = i ? BUF_OUT : BUF_IN;
        b.name = intern(&u->names, i ? "o" : "g");
        b.address = -1;
        b.copies = 1;
        g.gm[i] = ir_buffer(g.k, &b);
        VEC_PUSH(&g.k->arena, &g.k->params, g.gm[i]);
        g.regs[i] = ir_reg(g.k, intern(&u->names, i ? "s" : "r"), DT_S32, (Span){0});
    }
    gen_body(&g, 0, 0, 3 + (int)pick(&g, 10));
    return g.k;
}

/* ---- execution ----------------------------------------------------------- */

/* The effects of one core. */
typedef struct Core {
    uint8_t gm_read[2][GM_BYTES], gm_written[2][GM_BYTES];
    bool read_uninit;
    uint64_t digest;                   /* a digest of all accesses in order */
    int64_t row[2][TIK_INSPECT_WORDS]; /* what an inspector writes: its last argument */
} Core;

typedef enum Flow {
    FLOW_ON,
    FLOW_BREAK,
    FLOW_CONTINUE,
    FLOW_RETURN
} Flow;

typedef struct Exec {
    const Kernel *k;
    int core;
    uint64_t seed;        /* of what loads give */
    int loads[MAX_LINES]; /* by span: how often the load was executed */
    int64_t vars[MAX_VARS], regs[MAX_REGS];
    uint8_t written[MAX_BUFS][LOCAL_BYTES];
    bool done[MAX_LINES];  /* by span: the statement was executed before */
    bool clean[MAX_LINES]; /* its first execution read no unwritten byte */
    Core *out;
} Exec;

static int64_t
value(Exec *x, ExprId id)
{
    const Expr *e = ir_expr(x->k, id);
    int64_t out = 0;
    switch ((ExprKind)e->kind) {
    case EX_CONST:
        return e->imm;
    case EX_REG:
        return x->regs[e->a];
    case EX_VAR:
        return x->vars[e->a];
    default:
        break;
    }
    int64_t a = value(x, e->a);
    int64_t b = e->b ? value(x, e->b) : 0;
    Dtype from = (Dtype)ir_expr(x->k, e->a)->dtype;
    Dtype t = scalar_is_compare((ScalarOp)e->op) ? from : (Dtype)e->dtype;
    assert_true(scalar_eval((ScalarOp)e->op, t, from, a, b, &out));
    return out;
}

static void
access_byte(Exec *x, const Stmt *s, BufId buf, bool write, int64_t byte)
{
    const Buffer *b = &x->k->bufs.p[buf];
    assert_true(byte >= 0 && byte < b->bytes);
    x->out->digest = (x->out->digest ^ (uint64_t)(byte * 128 + buf * 2 + write)) *
                     UINT64_C(0x100000001b3);
    if (b->scope == SC_GM) {
        (write ? x->out->gm_written : x->out->gm_read)[buf - 1][byte] = 1;
    } else if (write) {
        x->written[buf][byte] = 1;
    } else if (!x->written[buf][byte]) {
        x->out->read_uninit = true;
        x->clean[s->span.begin] = x->clean[s->span.begin] && x->done[s->span.begin];
    }
}

static void
access_range(Exec *x, const Stmt *s, const Ref *r, bool write, int64_t lo, int64_t n)
{
    for (int64_t b = lo; b < lo + n; b++) {
        access_byte(x, s, r->buf, write, value(x, r->off) + b);
    }
}

static void
exec_move(Exec *x, const Stmt *s, const Arg *a)
{
    int64_t n = value(x, a[3].expr);
    int64_t burst = value(x, a[4].expr) * 32;
    for (int write = 0; write < 2; write++) {
        int64_t gap = value(x, a[write ? 6 : 5].expr) * 32;
        for (int64_t i = 0; i < n; i++) {
            access_range(x, s, &a[!write].ref, write, i * (burst + gap), burst);
        }
    }
}

static bool
lane_is_on(Exec *x, const Arg *m, int lane)
{
    if (m->mask_form == MASK_COUNT) {
        return lane < value(x, m->mask[0]);
    }
    return value(x, m->mask[lane / 64]) >> (lane % 64) & 1;
}

static void
exec_vector(Exec *x, const Stmt *s, const Arg *a)
{
    bool dup = s->instr.op == OP_VEC_DUP;
    for (int write = dup; write < 2; write++) {
        const Ref *r = &a[write ? 1 : 2].ref;
        int64_t stride = value(x, a[write ? 4 : 5].expr) * 32;
        for (int64_t i = 0; i < value(x, a[3].expr); i++) {
            for (int lane = 0; lane < 128; lane++) {
                if (lane_is_on(x, &a[0], lane)) {
                    access_range(x, s, r, write, i * stride + lane * 2, 2);
                }
            }
        }
    }
}

/* Returns what a load gives the n-th time, whatever other loads there are. */
static int64_t
loaded(const Exec *x, uint32_t line, int n)
{
    uint64_t h =
        x->seed * UINT64_C(0x9e3779b97f4a7c15) + line * UINT64_C(1000003) + (uint64_t)n;
    return 1 + random_below(&h, 3);
}

static void
exec_store(Exec *x, const Stmt *s)
{
    if (x->k->bufs.p[s->store.ref.buf].role == BUF_WORKSPACE) {
        int64_t words = x->k->inspects * (int64_t)TIK_INSPECT_WORDS;
        int64_t word = value(x, s->store.ref.off) / 8 - x->core * words;
        assert_true(word >= 0 && word < words);
        x->out->row[word / TIK_INSPECT_WORDS][word % TIK_INSPECT_WORDS] =
            value(x, s->store.value);
        return;
    }
    access_range(x, s, &s->store.ref, true, 0, 4);
}

static Flow exec_body(Exec *x, StmtId first);

static Flow
exec_for(Exec *x, const Stmt *s)
{
    int64_t end = value(x, s->loop.end);
    for (int64_t i = value(x, s->loop.begin); i < end; i++) {
        if (s->loop.block_num > 1 && i != x->core) {
            continue;
        }
        x->vars[s->loop.var] = i;
        Flow f = exec_body(x, s->loop.body);
        if (f == FLOW_RETURN) {
            return f;
        }
        if (f == FLOW_BREAK) {
            break;
        }
    }
    return FLOW_ON;
}

static Flow
exec_stmt(Exec *x, const Stmt *s)
{
    const Arg *args = &x->k->args.p[s->instr.arg];
    switch ((StmtKind)s->kind) {
    case ST_INSTR:
        (s->instr.op == OP_DATA_MOVE ? exec_move : exec_vector)(x, s, args);
        return FLOW_ON;
    case ST_SET:
        x->regs[s->set.reg] = value(x, s->set.value);
        return FLOW_ON;
    case ST_LOAD:
        access_range(x, s, &s->load.ref, false, 0, 4);
        x->regs[s->load.reg] = loaded(x, s->span.begin, x->loads[s->span.begin]++);
        return FLOW_ON;
    case ST_STORE:
        exec_store(x, s);
        return FLOW_ON;
    case ST_ALLOC:
        memset(x->written[s->alloc.buf], 0, LOCAL_BYTES);
        return FLOW_ON;
    case ST_FOR:
        return exec_for(x, s);
    case ST_IF:
        return exec_body(x,
                         value(x, s->cond.cond) ? s->cond.then_body : s->cond.else_body);
    case ST_SCOPE:
        return exec_body(x, s->scope.body);
    case ST_BREAK:
        return FLOW_BREAK;
    case ST_CONTINUE:
        return FLOW_CONTINUE;
    case ST_RETURN:
        return FLOW_RETURN;
    case ST_NONE:
        break;
    }
    fail();
    return FLOW_ON;
}

static Flow
exec_body(Exec *x, StmtId first)
{
    for (StmtId id = first; id; id = x->k->stmts.p[id].next) {
        const Stmt *s = &x->k->stmts.p[id];
        uint32_t line = s->span.begin;
        assert_true(line < MAX_LINES);
        x->clean[line] = x->clean[line] || !x->done[line];
        Flow f = exec_stmt(x, s);
        x->done[line] = true;
        if (f != FLOW_ON) {
            return f;
        }
    }
    return FLOW_ON;
}

/* ---- the comparison ------------------------------------------------------ */

typedef struct Totals {
    int proved, unproved, clean; /* clean: unproved, but no run found an unwritten byte */
    int warned, disjoint, ordered, overlaps;
    int inspected, exact; /* ranges of inspectors; exact: no byte more than needed */
} Totals;

static bool
cores_overlap(const Core *a, const Core *b, bool writes_only)
{
    for (int buf = 0; buf < 2; buf++) {
        for (int i = 0; i < GM_BYTES; i++) {
            if (a->gm_written[buf][i] &&
                (b->gm_written[buf][i] || (!writes_only && b->gm_read[buf][i]))) {
                return true;
            }
        }
    }
    return false;
}

/* Asserts a fact; the message names the round. */
static void
holds(bool fact, const char *what, uint64_t seed)
{
    if (!fact) {
        fail_msg("seed %d: %s", (int)seed, what);
    }
}

/* Runs all cores. What the uninit warnings say is checked where their statement
 * executed. */
static void
run_cores(const Kernel *k, uint64_t seed, Core cores[CORES])
{
    Exec *x = malloc(sizeof *x);
    for (int core = 0; core < CORES; core++) {
        memset(x, 0, sizeof *x);
        memset(&cores[core], 0, sizeof *cores);
        x->k = k;
        x->core = core;
        x->seed = seed;
        x->out = &cores[core];
        for (int r = 1; r < MAX_REGS; r++) {
            x->regs[r] = r < 3 ? loaded(x, 0, r) : 0;
        }
        (void)exec_body(x, k->body);
        for (uint32_t i = 0; core == 0 && i < k->unit->diags.n; i++) {
            const Diag *d = k->unit->diags.p[i];
            if (d->id == D_UNINIT && x->done[d->span.begin]) {
                holds(!x->clean[d->span.begin], "warns about a clean read", seed);
            }
        }
    }
    free(x);
}

static bool
is_multicore(const Kernel *k)
{
    bool any = false;
    for (StmtId id = 1; id < k->stmts.n; id++) {
        any = any || (k->stmts.p[id].kind == ST_FOR && k->stmts.p[id].loop.block_num > 1);
    }
    return any;
}

/* Compares what an inspector says of a tensor with what the core accesses. */
static void
compare_row(const Core *core, int buf, const int64_t *row, uint64_t seed, Totals *t)
{
    bool told[GM_BYTES] = {false}, exact = true;
    holds(row[0] >= 0 && row[0] < TIK_INSPECT_RUNS, "the inspector does not tell", seed);
    for (int64_t k = 0; k < row[0]; k++) {
        int64_t lo = row[1 + 2 * k], hi = row[2 + 2 * k];
        holds(lo >= 0 && lo < hi && hi <= GM_BYTES, "no run of the tensor", seed);
        memset(told + lo, 1, (size_t)(hi - lo));
    }
    for (int i = 0; i < GM_BYTES; i++) {
        bool accessed = core->gm_read[buf][i] || core->gm_written[buf][i];
        holds(told[i] || !accessed, "the inspector misses an access", seed);
        exact = exact && told[i] == accessed;
    }
    t->inspected++;
    t->exact += exact;
}

static void
compare_inspector(const Kernel *k, uint64_t seed, const Core *cores, Totals *t)
{
    Kernel *inspector = passes_inspector(k);
    Core *says = malloc(CORES * sizeof *says);
    if (inspector) {
        ir_verify(inspector, "inspector");
        run_cores(inspector, seed, says);
    }
    for (int i = 0; inspector && i < CORES; i++) {
        int n = 0;
        for (int buf = 0; buf < 2; buf++) {
            holds(memchr(says[i].gm_written[buf], 1, GM_BYTES) == NULL,
                  "the inspector writes", seed);
            if (ir_may_write(k, (BufId)buf + 1)) {
                compare_row(&cores[i], buf, says[i].row[n++], seed, t);
            }
        }
    }
    free(says);
    kernel_free(inspector);
}

static void
compare(const Kernel *k, uint64_t seed, Totals *t)
{
    Core *cores = malloc(CORES * sizeof *cores);
    int overlaps = 0;
    bool multicore = is_multicore(k);
    for (uint32_t i = 0; i < k->unit->diags.n; i++) {
        overlaps += k->unit->diags.p[i]->id == D_MULTICORE_OVERLAP;
        t->warned += k->unit->diags.p[i]->id == D_UNINIT;
    }
    bool uninit = false;
    for (int run = 0; run < RUNS; run++) {
        run_cores(k, seed * RUNS + (uint64_t)run, cores);
        compare_inspector(k, seed * RUNS + (uint64_t)run, cores, t);
        for (int i = 0; i < CORES; i++) {
            uninit = uninit || cores[i].read_uninit;
            holds(k->may_read_uninit || !cores[i].read_uninit, "reads unwritten bytes",
                  seed);
            for (int j = 0; j < CORES && multicore && !k->blocks_ordered; j++) {
                holds(i == j || !cores_overlap(&cores[i], &cores[j], false),
                      "cores overlap", seed);
            }
        }
        holds(!overlaps || cores_overlap(&cores[0], &cores[1], true), "no overlap", seed);
    }
    t->overlaps += overlaps;
    t->clean += k->may_read_uninit && !uninit;
    *(k->may_read_uninit ? &t->unproved : &t->proved) += 1;
    *(k->blocks_ordered ? &t->ordered : &t->disjoint) += multicore;
    free(cores);
}

static bool
passes_keep(const Kernel *k, Kernel *changed, bool (*pass)(Kernel *), uint64_t seed)
{
    bool same = true;
    Core *cores = malloc(2 * CORES * sizeof *cores);
    run_cores(k, seed, cores);
    assert_true(pass(changed));
    ir_verify(changed, "test");
    run_cores(changed, seed, cores + CORES);
    for (int i = 0; i < CORES; i++) {
        same = same && cores[i].digest == cores[CORES + i].digest;
    }
    free(cores);
    return same;
}

static void
random_kernels(void **state)
{
    (void)state;
    Totals t = {0};
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        Unit *u = malloc(sizeof *u);
        unit_init(u);
        unit_add_source(u, "t", "", 0);
        Kernel *k = random_kernel(u, seed);
        Kernel *again = random_kernel(u, seed);
        ir_verify(k, "generator");
        if (!passes_keep(k, again, pass_fold, seed)) {
            fail_msg("fold changes the kernel of seed %d", (int)seed);
        }
        assert_true(pass_blocks(again) && pass_init(again));
        compare(again, seed, &t);
        kernel_free(again);
        kernel_free(k);
        unit_free(u);
        free(u);
    }
    print_message("proved %d, unproved %d (%d clean), warned %d\n", t.proved, t.unproved,
                  t.clean, t.warned);
    print_message("disjoint %d, ordered %d, overlaps %d\n", t.disjoint, t.ordered,
                  t.overlaps);
    print_message("inspected %d, exact %d\n", t.inspected, t.exact);
    assert_true(t.inspected > ROUNDS && t.exact > t.inspected / 2);
    assert_true(t.proved > ROUNDS / 3 && t.unproved > ROUNDS / 10 &&
                t.warned > ROUNDS / 50);
    assert_true(t.disjoint > ROUNDS / 50 && t.ordered > ROUNDS / 50 &&
                t.overlaps > ROUNDS / 20);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_kernels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
