/* test_check_sound.c: compares the passes loops, fold and check with execution. Random
 * kernels are executed as they were written, on numbers, by a small interpreter of the
 * language's loops (bounds are expressions in the integers), with random contents of what
 * they load. Where the check pass, which runs after the others, has proved a site, no
 * rule may ever be broken; where it gives a witness, each execution that comes that far
 * breaks the rule there. What a pass dropped never executes, and a loop variable that
 * leaves its dtype is one that loop_bounds checks. Bounds are constants, registers that
 * fold, registers that bodies assign, and variables of other loops, of all types, also
 * negative and too large ones. */
#include "passes/check_walk.h"
#include "passes/passes.h"
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

enum {
    KERNELS = 500,
    RUNS = 4,
    STEPS = 2000
};

static uint64_t state_of_random = 20240611;

static int
rnd(int n)
{
    return (int)random_below(&state_of_random, n);
}

/* ---- random kernels ------------------------------------------------------ */

typedef struct Gen {
    Unit u;
    Kernel *k;
    BufId gm, ub, vb, ib;
    RegId regs[3];
    RegId fixed[4]; /* registers that are set once, to constants: they fold */
    VarId vars[8];  /* variables of the open loops */
    int nvars;
    int loops;
} Gen;

static BufId
buffer(Gen *g, const char *name, Scope scope, Dtype t, int64_t elems)
{
    Buffer b = {
        .name = intern(&g->u.names, name), .scope = scope, .dtype = t, .elems = elems};
    b.role = scope == SC_GM ? BUF_IN : BUF_LOCAL;
    b.bytes = elems * dtype_size(t);
    b.address = -1;
    b.copies = 1;
    return ir_buffer(g->k, &b);
}

static ExprId
int32(Gen *g, int64_t v)
{
    return ir_const(g->k, DT_S32, v);
}

static ExprId
atom(Gen *g)
{
    int pick = rnd(7);
    if (pick < 3 && g->nvars > 0) {
        return ir_cast(g->k, DT_S32, ir_var_value(g->k, g->vars[rnd(g->nvars)]));
    }
    if (pick < 5) {
        return ir_reg_value(g->k, g->regs[rnd(3)]);
    }
    if (pick == 5) {
        return ir_cast(g->k, DT_S32, ir_reg_value(g->k, g->fixed[rnd(4)]));
    }
    return int32(g, rnd(40) - 4);
}

static ExprId
number(Gen *g, int depth)
{
    static const ScalarOp ops[] = {SOP_ADD, SOP_SUB, SOP_MUL, SOP_DIV, SOP_REM,
                                   SOP_SHL, SOP_SHR, SOP_AND, SOP_OR,  SOP_XOR};
    static const int64_t factors[] = {2, 3, 7, 8, 16, 32, 64, 48, 1 << 20};
    if (depth == 0) {
        return atom(g);
    }
    ExprId a = number(g, depth - 1);
    ScalarOp op = ops[rnd(rnd(2) ? 3 : 10)];
    ExprId b = rnd(3) ? int32(g, factors[rnd(9)]) : number(g, depth - 1);
    if (op == SOP_SHL || op == SOP_SHR) {
        b = int32(g, rnd(8));
    }
    if (rnd(12) == 0) {
        return ir_cast(g->k, DT_S32, ir_cast(g->k, rnd(2) ? DT_U8 : DT_S16, a));
    }
    return ir_op2(g->k, op, a, b);
}

static ExprId
condition(Gen *g, int depth)
{
    if (depth > 0 && rnd(3) == 0) {
        return ir_op2(g->k, rnd(2) ? SOP_AND : SOP_OR, condition(g, depth - 1),
                      condition(g, depth - 1));
    }
    if (depth > 0 && rnd(5) == 0) {
        return ir_op1(g->k, SOP_NOT, condition(g, depth - 1));
    }
    ScalarOp op = (ScalarOp)(SOP_EQ + rnd(6));
    ExprId a = rnd(4) ? atom(g) : ir_op2(g->k, SOP_REM, atom(g), int32(g, 2 + rnd(30)));
    return ir_op2(g->k, op, a, int32(g, rnd(4) ? rnd(300) - 10 : rnd(4) * 16));
}

static ExprId
offset(Gen *g)
{
    ExprId e = ir_cast(g->k, DT_S64, number(g, rnd(3)));
    static const int64_t units[] = {1, 2, 32, 32, 32, 64};
    return ir_op2(g->k, SOP_MUL, e, ir_const(g->k, DT_S64, units[rnd(6)]));
}

static Arg
ref(Gen *g, BufId b)
{
    (void)g;
    return (Arg){.kind = ARG_REF, .ref = {b, DT_F16, offset(g)}};
}

static Arg
operand(Gen *g, const ParamInfo *p, int *shared)
{
    int64_t value = p->role == ROLE_REPEAT ? 1 + rnd(4) : p->lo + rnd(3);
    Arg a = {.kind = ARG_EXPR};
    switch (p->role) {
    case ROLE_DST:
    case ROLE_SRC:
    case ROLE_ROOT:
        return ref(g, rnd(3) ? g->ub : (*shared)++ % 2 ? g->vb : g->ub);
    case ROLE_MASK:
        a = (Arg){.kind = ARG_MASK, .mask_form = rnd(4) ? MASK_COUNT : MASK_BITS};
        a.mask[0] = rnd(2) ? ir_const(g->k, DT_S64, 1 + rnd(128)) : number(g, 1);
        a.mask[1] = ir_const(g->k, DT_U64, rnd(3));
        return a;
    case ROLE_MASKMODE:
        return (Arg){.kind = ARG_NONE};
    case ROLE_SCALAR:
        a.expr = ir_float(g->k, DT_F16, 1.0);
        return a;
    case ROLE_ATTR:
    case ROLE_PIPE:
        a.expr = ir_const(g->k, DT_S64, 0);
        return a;
    case ROLE_REPEAT:
    case ROLE_INT:
        a.expr = rnd(4) ? ir_const(g->k, DT_S64, value)
                        : ir_cast(g->k, DT_S64, number(g, rnd(2)));
        return a;
    }
    return a;
}

static void
instruction(Gen *g, Cursor *c)
{
    static const Op ops[] = {OP_DATA_MOVE, OP_VEC_ADD, OP_VEC_ABS, OP_VEC_ADDS,
                             OP_VEC_DUP};
    Arg args[MAX_PARAMS];
    int n, shared = 0;
    Stmt s = {.kind = ST_INSTR};
    s.instr.op = ops[rnd(5)];
    const ParamInfo *p = form_params(op_table[s.instr.op].form, &n);
    for (int i = 0; i < n; i++) {
        args[i] = operand(g, &p[i], &shared);
    }
    if (s.instr.op == OP_DATA_MOVE && rnd(2)) {
        args[1] = ref(g, g->gm);
    }
    s.instr.arg = ir_args(g->k, args, n);
    ir_append(g->k, c, &s);
}

static void body(Gen *g, Cursor *c, int depth, int length);

/* Makes a bound of any integer type. */
static ExprId
bound(Gen *g, bool end)
{
    static const Dtype types[] = {DT_S8, DT_U8, DT_S32, DT_U32, DT_S64, DT_U64};
    static const int64_t far[] = {INT64_MIN, -(INT64_C(1) << 31), -129,      127, 128,
                                  255,       INT64_C(1) << 31,    INT64_MAX, 256};
    int pick = rnd(16);
    if (pick < 6) {
        return int32(g, end ? rnd(40) : 0);
    }
    if (pick == 6) {
        return int32(g, end ? 300 : -rnd(9));
    }
    if (pick == 7) {
        int64_t v = far[rnd(9)];
        Dtype t = v >= 0 && rnd(2) ? DT_U64 : DT_S64;
        return ir_const(g->k, t, v);
    }
    if (pick == 8) {
        return ir_reg_value(g->k, g->fixed[rnd(4)]);
    }
    if (pick < 12) {
        return ir_reg_value(g->k, g->regs[rnd(3)]);
    }
    ExprId e = rnd(2) ? atom(g) : ir_op2(g->k, SOP_ADD, atom(g), int32(g, rnd(9) - 4));
    return ir_cast(g->k, types[rnd(6)], e);
}

static void
loop(Gen *g, Cursor *c, int depth)
{
    static const Dtype types[] = {DT_S32, DT_S32, DT_S32, DT_S32, DT_S8,
                                  DT_U8,  DT_U32, DT_S64, DT_U64};
    char name[8];
    snprintf(name, sizeof name, "i%d", g->loops++);
    VarId v = ir_var(g->k, intern(&g->u.names, name), types[rnd(9)]);
    ExprId begin = bound(g, false), end = bound(g, true);
    Stmt s = {.kind = ST_FOR, .loop = {v, begin, end, 1, 1, 0}};
    StmtId id = ir_append(g->k, c, &s);
    Cursor in = ir_cursor_body(id, 0);
    g->vars[g->nvars++] = v;
    body(g, &in, depth - 1, 2 + rnd(2));
    g->nvars--;
}

static void
branch(Gen *g, Cursor *c, int depth)
{
    Stmt s = {.kind = ST_IF};
    s.cond.cond = condition(g, 2);
    StmtId id = ir_append(g->k, c, &s);
    for (int side = 0; side < 1 + rnd(2); side++) {
        Cursor in = ir_cursor_body(id, side);
        body(g, &in, depth - 1, 1 + rnd(2));
    }
}

static void
simple(Gen *g, Cursor *c)
{
    Stmt s = {.kind = ST_SET};
    int pick = rnd(5);
    RegId r = g->regs[rnd(3)];
    if (pick == 0) {
        s.kind = rnd(2) ? ST_LOAD : ST_STORE;
        Ref e = {g->ib, DT_S32, offset(g)};
        if (s.kind == ST_LOAD) {
            s.load.reg = r;
            s.load.ref = e;
        } else {
            s.store.ref = e;
            s.store.value = int32(g, 1);
        }
    } else if (pick < 3) {
        s.set.reg = r;
        s.set.value = ir_op2(g->k, rnd(2) ? SOP_ADD : SOP_SUB, ir_reg_value(g->k, r),
                             int32(g, 16 * rnd(3)));
    } else {
        s.set.reg = r;
        s.set.value = rnd(2) ? int32(g, 32 * rnd(4)) : number(g, 2);
    }
    ir_append(g->k, c, &s);
}

static void
body(Gen *g, Cursor *c, int depth, int length)
{
    for (int i = 0; i < length; i++) {
        int pick = rnd(10);
        if (pick < 3 && depth > 0) {
            loop(g, c, depth);
        } else if (pick < 6 && depth > 0) {
            branch(g, c, depth);
        } else if (pick == 6 && g->nvars > 0 && depth == 0) {
            Stmt s = {.kind = rnd(3) == 0 ? ST_RETURN : rnd(2) ? ST_BREAK : ST_CONTINUE};
            ir_append(g->k, c, &s);
        } else if (pick == 7) {
            simple(g, c);
        } else {
            instruction(g, c);
        }
    }
}

static void
generate(Gen *g)
{
    *g = (Gen){0};
    unit_init(&g->u);
    g->k = kernel_new(&g->u);
    g->k->name = intern(&g->u.names, "k");
    g->gm = buffer(g, "gm", SC_GM, DT_F16, 8000);
    g->ub = buffer(g, "ub", SC_UB, DT_F16, 4096);
    g->vb = buffer(g, "vb", SC_UB, DT_F16, 2048);
    g->ib = buffer(g, "ib", SC_UB, DT_S32, 8);
    VEC_PUSH(&g->k->arena, &g->k->params, g->gm);
    Cursor c = ir_cursor_body(0, 0);
    BufId locals[] = {g->ub, g->vb, g->ib};
    for (int i = 0; i < 3; i++) {
        ir_append(g->k, &c, &(Stmt){.kind = ST_ALLOC, .alloc = {locals[i]}});
    }
    for (int i = 0; i < 3; i++) {
        char name[4] = {'r', (char)('0' + i), 0};
        g->regs[i] = ir_reg(g->k, intern(&g->u.names, name), DT_S32, (Span){0});
        Ref e = {g->ib, DT_S32, ir_const(g->k, DT_S64, 4 * i)};
        Stmt s = {.kind = rnd(2) ? ST_LOAD : ST_SET};
        if (s.kind == ST_LOAD) {
            s.load.reg = g->regs[i];
            s.load.ref = e;
        } else {
            s.set.reg = g->regs[i];
            s.set.value = int32(g, 32 * rnd(60));
        }
        ir_append(g->k, &c, &s);
    }
    static const Dtype types[] = {DT_S32, DT_S64, DT_U8, DT_S32};
    for (int i = 0; i < 4; i++) {
        char name[4] = {'f', (char)('0' + i), 0};
        int64_t v = rnd(4) ? rnd(40) : i == 1 ? (int64_t)rnd(99) << 28 : rnd(200);
        g->fixed[i] = ir_reg(g->k, intern(&g->u.names, name), types[i], (Span){0});
        v = i == 2 || rnd(2) ? v : -v;
        Stmt s = {.kind = ST_SET, .set = {g->fixed[i], ir_const(g->k, types[i], v)}};
        ir_append(g->k, &c, &s);
    }
    body(g, &c, 3, 3 + rnd(3));
}

/* ---- execution ----------------------------------------------------------- */

typedef enum Flow {
    GO,
    BREAK,
    CONTINUE,
    STOP
} Flow;

typedef __int128 Wide;

/* Counts what the loops that ran were like. */
typedef struct Census {
    int64_t folding;  /* a bound is a register that holds one constant */
    int64_t negative; /* the variable is negative */
    int64_t wrapping; /* it leaves its dtype */
    int64_t assigned; /* a body changed the number of iterations */
} Census;

typedef struct Exec {
    Census *census;
    const Kernel *k;
    const Kernel *after; /* the same kernel after the passes */
    /* values of registers; iterations of the open loops, by VarId */
    int64_t *regs, *trips;
    int64_t *spans;        /* low bits of end - begin at their last tests */
    const bool *fixed;     /* by RegId: set once, to a constant */
    const uint8_t *proved; /* by StmtId */
    bool *broke;           /* by StmtId: a rule was broken there */
    bool faulted;          /* the execution ended with a run-time fault */
    int steps;
} Exec;

static bool
eval(Exec *x, ExprId id, int64_t *out)
{
    const Expr *e = ir_expr(x->k, id);
    int64_t a, b = 0;
    switch ((ExprKind)e->kind) {
    case EX_NONE:
        return false;
    case EX_CONST:
        *out = e->imm;
        return true;
    case EX_REG:
        *out = x->regs[e->a];
        return true;
    case EX_VAR: /* an expression */
        if (!eval(x, x->k->stmts.p[x->k->vars.p[e->a].loop].loop.begin, out)) {
            return false;
        }
        *out = scalar_wrap((Dtype)e->dtype,
                           (int64_t)((uint64_t)*out + (uint64_t)x->trips[e->a]));
        return true;
    case EX_OP:
        break;
    }
    Dtype from = ir_expr(x->k, e->a)->dtype;
    Dtype t = scalar_is_compare((ScalarOp)e->op) ? from : (Dtype)e->dtype;
    bool ok = eval(x, e->a, &a) && (!e->b || eval(x, e->b, &b)) &&
              scalar_eval((ScalarOp)e->op, t, from, a, b, out);
    x->faulted = x->faulted || !ok;
    return ok;
}

static void
failed(const Exec *x, StmtId id, const char *what)
{
    Text t;
    Arena a = {0};
    text_init(&t, &a);
    ir_print(x->k, &t);
    text_put(&t, "after the passes:\n");
    ir_print(x->after, &t);
    fail_msg("statement %u: %s\n%s", id, what, t.p);
}

static Flow
run_site(Exec *x, StmtId id)
{
    Site s;
    if (x->after->stmts.p[id].kind == ST_NONE) {
        failed(x, id, "dropped, and it runs");
    }
    assert_true(site_init(&s, x->k, id));
    CheckInstr in = s.in;
    for (int p = 0; p < s.nparams; p++) {
        for (int i = 0; i < site_exprs(&s, p); i++) {
            int64_t v;
            if (!eval(x, site_expr(&s, p, i), &v)) {
                return STOP;
            }
            site_put(&s, &in, p, i, v);
        }
    }
    Fault f;
    bool ok = s.element ? check_element(&in.args[0].t, &f) : check_values(&in, &f);
    if (!ok && x->proved[id]) {
        failed(x, id, f.text);
    }
    if (!ok) {
        /* execution continues as if run-time checks were off, to see further places */
        x->broke[id] = true;
    }
    return GO;
}

static Flow run_body(Exec *x, StmtId id);

/* True if the statement is a loop_bounds of the loop: before it, or at the start of its
 * body. */
static bool
is_check_of(const Kernel *k, StmtId id, StmtId loop)
{
    const Stmt *s = &k->stmts.p[id], *l = &k->stmts.p[loop];
    StmtId second = l->loop.body ? k->stmts.p[l->loop.body].next : 0;
    return s->kind == ST_INSTR && s->instr.op == OP_LOOP_BOUNDS && l->kind == ST_FOR &&
           (s->next == loop || id == l->loop.body || id == second);
}

/* The variable leaves its dtype, so some statement must check that. */
static void
left_type(Exec *x, StmtId loop)
{
    bool checked = false;
    for (StmtId id = x->k->stmts.n; id < x->after->stmts.n; id++) {
        checked = checked || (is_check_of(x->after, id, loop) && !x->proved[id]);
    }
    if (!checked) {
        failed(x, loop, "its variable leaves its dtype, and nothing checks that");
    }
    x->faulted = true;
}

/* Evaluates a bound as an integer. */
static bool
eval_bound(Exec *x, ExprId e, Wide *out)
{
    int64_t v;
    if (!eval(x, e, &v)) {
        return false;
    }
    *out = ir_expr(x->k, e)->dtype == DT_U64 ? (Wide)(uint64_t)v : (Wide)v;
    return true;
}

/* 1: another iteration follows, 0: none; -1: the loop faults. */
static int
test_loop(Exec *x, StmtId id, int64_t trip)
{
    const Stmt *s = &x->k->stmts.p[id];
    Wide begin, end;
    int64_t lo, hi;
    bool full;
    if (!eval_bound(x, s->loop.begin, &begin) || !eval_bound(x, s->loop.end, &end)) {
        return -1;
    }
    scalar_range(x->k->vars.p[s->loop.var].dtype, &lo, &hi, &full);
    bool wide = begin > INT64_MAX || end > INT64_MAX;
    x->census->negative += trip < end - begin && begin + trip < 0;
    x->census->assigned += trip > 0 && (int64_t)(end - begin) != x->spans[s->loop.var];
    x->spans[s->loop.var] = (int64_t)(end - begin);
    if (wide || (trip < end - begin && (begin + trip < lo || end - 1 > hi))) {
        x->census->wrapping++;
        left_type(x, id);
        return -1;
    }
    return trip < end - begin;
}

/* True for a register that is read as it is and is assigned only once. */
static bool
is_folding(const Exec *x, ExprId id)
{
    const Expr *e = ir_expr(x->k, id);
    return e->kind == EX_REG && e->a != 0 && x->fixed[e->a];
}

static Flow
run_loop(Exec *x, StmtId id)
{
    const Stmt *s = &x->k->stmts.p[id];
    x->census->folding += is_folding(x, s->loop.begin) || is_folding(x, s->loop.end);
    for (int64_t trip = 0;; trip++) {
        int more = test_loop(x, id, trip);
        if (more <= 0) {
            return more < 0 ? STOP : GO;
        }
        x->trips[s->loop.var] = trip;
        Flow f = run_body(x, s->loop.body);
        if (f == STOP || x->steps > STEPS) {
            return STOP;
        }
        if (f == BREAK) {
            return GO;
        }
    }
}

static Flow
run_stmt(Exec *x, StmtId id)
{
    const Stmt *s = &x->k->stmts.p[id];
    int64_t v;
    switch ((StmtKind)s->kind) {
    case ST_NONE:
    case ST_ALLOC:
        return GO;
    case ST_INSTR:
    case ST_STORE:
        return run_site(x, id);
    case ST_LOAD:
        if (run_site(x, id) == STOP) {
            return STOP;
        }
        x->regs[s->load.reg] = rnd(3) ? rnd(300) - 8 : rnd(5) * 16;
        return GO;
    case ST_SET:
        if (!eval(x, s->set.value, &v)) {
            return STOP;
        }
        x->regs[s->set.reg] = v;
        return GO;
    case ST_FOR:
        return run_loop(x, id);
    case ST_IF:
        if (!eval(x, s->cond.cond, &v)) {
            return STOP;
        }
        return run_body(x, v ? s->cond.then_body : s->cond.else_body);
    case ST_SCOPE:
        return run_body(x, s->scope.body);
    case ST_BREAK:
        return BREAK;
    case ST_CONTINUE:
        return CONTINUE;
    case ST_RETURN:
        return STOP;
    }
    return GO;
}

static Flow
run_body(Exec *x, StmtId id)
{
    for (; id; id = x->k->stmts.p[id].next) {
        if (++x->steps > STEPS) {
            return STOP;
        }
        Flow f = run_stmt(x, id);
        if (f != GO) {
            return f;
        }
    }
    return GO;
}

/* ---- comparison ---------------------------------------------------------- */

typedef struct Claims {
    uint8_t *proved;
    /* refuted by a witness, outside of branches that the pass could not decide */
    bool *certain;
    int64_t counts[3];
    Census census;
} Claims;

static void
on_broken(void *ctx, const CheckWalk *w, const Site *s, const Fault *f)
{
    (void)ctx;
    (void)w;
    (void)s;
    (void)f;
}

static void
on_answered(void *ctx, const CheckWalk *w, const Site *s, int step, Answer a,
            const Witness *wit)
{
    Claims *c = ctx;
    (void)w;
    (void)step;
    c->counts[a]++;
    if (a == ANSWER_REFUTED && wit->values) {
        c->certain[s->stmt] = true;
    }
}

static void
on_done(void *ctx, const CheckWalk *w, const Site *s, bool proved)
{
    Claims *c = ctx;
    (void)w;
    c->proved[s->stmt] = proved;
}

/* first: the kernel as it was written; second: the same kernel, for the passes. */
static void
compare(Gen *first, Gen *second, Claims *total)
{
    const Kernel *k = first->k, *after = second->k;
    Arena a = {0};
    assert_true(pass_loops(second->k));
    ir_verify(after, "loops");
    assert_true(pass_fold(second->k));
    ir_verify(after, "fold");
    Claims c = {ARENA_ARRAY(&a, uint8_t, after->stmts.n),
                ARENA_ARRAY(&a, bool, after->stmts.n),
                {0},
                {0}};
    bool *fixed = ARENA_ARRAY(&a, bool, k->regs.n);
    for (int i = 0; i < 4; i++) {
        fixed[first->fixed[i]] = true;
    }
    CheckEvents events = {
        .ctx = &c, .broken = on_broken, .answered = on_answered, .done = on_done};
    check_walk(after, &events);
    for (int i = 0; i < RUNS; i++) {
        Exec x = {.k = k, .after = after, .proved = c.proved};
        x.regs = ARENA_ARRAY(&a, int64_t, k->regs.n);
        x.census = &total->census;
        x.fixed = fixed;
        x.spans = ARENA_ARRAY(&a, int64_t, k->vars.n);
        x.trips = ARENA_ARRAY(&a, int64_t, k->vars.n);
        x.broke = ARENA_ARRAY(&a, bool, k->stmts.n);
        (void)run_body(&x, k->body);
        for (StmtId s = 1; s < k->stmts.n && !x.faulted && x.steps <= STEPS; s++) {
            if (c.certain[s] && !x.broke[s]) {
                failed(&x, s, "said to break a rule, and does not");
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        total->counts[i] += c.counts[i];
    }
    arena_free(&a);
}

static void
random_kernels(void **state)
{
    (void)state;
    Claims total = {0};
    /* a larger number makes long runs by hand */
    const char *wanted = getenv("SOUND_KERNELS");
    int kernels = wanted ? (int)strtol(wanted, NULL, 10) : KERNELS;
    printf("seed %llu, %d kernels\n", (unsigned long long)state_of_random, kernels);
    for (int i = 0; i < kernels; i++) {
        Gen first, second;
        uint64_t before = state_of_random;
        generate(&first);
        state_of_random = before;
        generate(&second);
        ir_verify(first.k, "generate");
        compare(&first, &second, &total);
        kernel_free(first.k);
        unit_free(&first.u);
        kernel_free(second.k);
        unit_free(&second.u);
    }
    printf("%lld proved, %lld refuted, %lld at run time\n", (long long)total.counts[0],
           (long long)total.counts[1], (long long)total.counts[2]);
    Census *c = &total.census;
    printf("loops: %lld of bounds that fold, %lld trips of negative variables, %lld of "
           "variables that leave their dtype, %lld bounds changed by bodies\n",
           (long long)c->folding, (long long)c->negative, (long long)c->wrapping,
           (long long)c->assigned);
    for (int i = 0; i < 3; i++) {
        assert_true(total.counts[i] > 500);
    }
    assert_true(MIN(MIN(c->folding, c->negative), MIN(c->wrapping, c->assigned)) > 40);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
