/* check_walk.c: the check pass as an abstract interpreter of the structured body. It
 * carries what is known of registers and loop variables (analysis/env.h) through branches
 * and loops, and answers each step of the numeric checker (rules/check.h) at each site:
 *
 *  proved    operands are constant and the rule holds; or it follows from what is
 *            known; or all iterations were tried; or the place is never reached
 *  refuted   constant operands break the rule (also where it is not certain that
 *            the place is reached); or a certain iteration breaks it
 *  run time  neither
 *
 * In a loop nothing is known of the registers that its body assigns, except that those
 * that are only stepped by constants keep their value modulo the steps, and stay as near
 * to it as the number of iterations allows. */

/* ASSUMES loop-range: begin <= variable < end, of any sign. */
/* ASSUMES loop-fixed: the body of a loop does not change its bounds. */
/* ASSUMES value-alone: a rule on one number depends on no other number, and holds between
 * two numbers at which it holds. */
#include "passes/check_walk.h"
#include "rules/obligation.h"

#include "analysis/prove.h"

/* ---- what loops assign --------------------------------------------------- */

typedef struct Scan {
    bool exits; /* exits of the innermost loop */
    bool returns;
    VarId loop;
} Scan;

static void scan_body(CheckWalk *w, StmtId body, Scan *scan);

static int64_t
trips_of(const Kernel *k, const Stmt *s)
{
    int64_t begin, end, n;
    if (!ir_loop_bounds(k, s, &begin, &end) || !checked_sub(end, begin, &n)) {
        return INT64_MAX;
    }
    return MAX(n, 0);
}

static void
scan_loop(CheckWalk *w, const Stmt *s, Scan *scan)
{
    CheckLoop *loop = &w->loops[s->loop.var];
    Scan inner = {.loop = s->loop.var};
    loop->parent = scan->loop;
    loop->trips = trips_of(w->k, s);
    loop->first = w->assigns.n;
    scan_body(w, s->loop.body, &inner);
    loop->last = w->assigns.n;
    loop->exits = inner.exits || inner.returns;
    scan->returns = scan->returns || inner.returns;
}

static void
scan_body(CheckWalk *w, StmtId id, Scan *scan)
{
    for (; id; id = w->k->stmts.p[id].next) {
        const Stmt *s = &w->k->stmts.p[id];
        switch ((StmtKind)s->kind) {
        case ST_SET:
            VEC_PUSH(&w->scratch, &w->assigns,
                     (CheckAssign){s->set.reg, s->set.value, scan->loop});
            break;
        case ST_LOAD:
            VEC_PUSH(&w->scratch, &w->assigns, (CheckAssign){s->load.reg, 0, scan->loop});
            break;
        case ST_FOR:
            scan_loop(w, s, scan);
            break;
        case ST_IF:
            scan_body(w, s->cond.then_body, scan);
            scan_body(w, s->cond.else_body, scan);
            break;
        case ST_SCOPE:
            scan_body(w, s->scope.body, scan);
            break;
        case ST_BREAK:
        case ST_CONTINUE:
            scan->exits = true;
            break;
        case ST_RETURN:
            scan->returns = true;
            break;
        case ST_NONE:
        case ST_INSTR:
        case ST_STORE:
        case ST_ALLOC:
            break;
        }
    }
}

/* Recognises reg = reg + c and reg - c; *step is the distance. */
static bool
is_step(const Kernel *k, const CheckAssign *a, int64_t *step)
{
    const Expr *e = ir_expr(k, a->value);
    if (a->value == 0 || e->kind != EX_OP || (e->op != SOP_ADD && e->op != SOP_SUB) ||
        dtype_is_float((Dtype)e->dtype)) {
        return false;
    }
    const Expr *x = ir_expr(k, e->a);
    const Expr *y = ir_expr(k, e->b);
    if (e->op == SOP_ADD && x->kind == EX_CONST) {
        const Expr *t = x;
        x = y;
        y = t;
    }
    if (x->kind != EX_REG || x->a != a->reg || y->kind != EX_CONST) {
        return false;
    }
    *step = e->op == SOP_ADD || y->imm == INT64_MIN ? y->imm : -y->imm;
    return true;
}

/* Returns how often an assignment executes at most in that many iterations of a loop
 * around it; deeper nests are not followed. */
static int64_t
times_in(const CheckWalk *w, const CheckAssign *a, VarId loop, int64_t iterations)
{
    int64_t n = iterations;
    int depth = 0;
    for (VarId v = a->loop; v != loop; v = w->loops[v].parent) {
        if (++depth > 8) {
            return INT64_MAX;
        }
        n = sat_mul(n, w->loops[v].trips);
    }
    return n;
}

static void
add_drift(CheckWalk *w, const CheckAssign *a, VarId loop, int64_t iterations)
{
    CheckDrift *d = &w->drifts[a->reg];
    if (d->stamp != w->drift_stamp) {
        *d = (CheckDrift){w->drift_stamp, true, w->env.cells[a->reg], 0, 0};
    }
    int64_t step;
    d->steps = d->steps && is_step(w->k, a, &step);
    if (d->steps) {
        int64_t way = sat_mul(step, times_in(w, a, loop, iterations));
        d->value = scalar_interval_stepped(w->k->regs.p[a->reg].dtype, d->value, step);
        d->down = sat_add(d->down, MIN(way, 0));
        d->up = sat_add(d->up, MAX(way, 0));
    }
}

/* Returns what a register can hold after the steps; now is its range before the loop. */
static Interval
drifted(const CheckDrift *d, Dtype t, Interval now)
{
    Interval top = interval_of_type(t);
    int64_t lo = sat_add(now.lo, d->down);
    int64_t hi = sat_add(now.hi, d->up);
    Interval r = d->value;
    bool bounded = d->down != INT64_MIN && d->up != INT64_MAX && lo != INT64_MIN &&
                   hi != INT64_MAX && lo >= (t == DT_U64 ? 0 : top.lo) && hi <= top.hi;
    if (bounded) { /* it never wraps */
        (void)!interval_meet(r, interval_between(lo, hi), &r);
    }
    return r;
}

/* Forgets what the loop's body may change in any number of iterations, up to the one
 * given. */
static void
forget_assigned(CheckWalk *w, VarId var, int64_t iterations)
{
    const CheckLoop *loop = &w->loops[var];
    w->drift_stamp++;
    for (uint32_t i = loop->first; i < loop->last; i++) {
        add_drift(w, &w->assigns.p[i], var, iterations);
    }
    for (uint32_t i = loop->first; i < loop->last; i++) {
        RegId r = w->assigns.p[i].reg;
        CheckDrift *d = &w->drifts[r];
        Dtype t = w->k->regs.p[r].dtype;
        if (d->stamp == w->drift_stamp) {
            d->stamp = 0;
            env_set_reg(&w->env, r,
                        d->steps ? drifted(d, t, w->env.cells[r]) : interval_of_type(t));
        }
    }
}

/* ---- sites --------------------------------------------------------------- */

static bool
param_is_constant(const Site *s, int param)
{
    for (int i = 0; i < site_exprs(s, param); i++) {
        if (!ir_is_const(s->k, site_expr(s, param, i))) {
            return false;
        }
    }
    return true;
}

/* True if the step depends on constants only. */
static bool
step_is_constant(const Site *s, CheckStep step)
{
    bool relates = obligation_relates(&s->in, step);
    if (s->element ||
        (!relates && step.kind != CHECK_BOUNDS && step.kind != CHECK_OVERLAP)) {
        return param_is_constant(s, step.param);
    }
    for (int p = 0; p < s->nparams; p++) {
        Role role = s->params[p].role;
        bool tensor = role == ROLE_DST || role == ROLE_SRC;
        bool needed = step.kind == CHECK_OVERLAP || !tensor || p == step.param;
        if (needed && role != ROLE_SCALAR && !param_is_constant(s, p)) {
            return false;
        }
    }
    return true;
}

static Answer
answer_of(Verdict v)
{
    return v == VERDICT_HOLDS    ? ANSWER_PROVED
           : v == VERDICT_BROKEN ? ANSWER_REFUTED
                                 : ANSWER_RUNTIME;
}

/* What never executes accesses no bytes; a fault of its operands alone can be seen in the
 * text and is reported all the same. The check stays in the code, since a verifier may
 * not see that the place is never reached. So does the check of an access under a
 * condition that is known at run time; that is a warning. */
static Answer
answer_constant(const CheckWalk *w, const Site *s, CheckStep step, Witness *wit)
{
    bool access = step.kind == CHECK_BOUNDS || step.kind == CHECK_OVERLAP;
    if (check_step(&s->in, step, &wit->fault)) {
        return ANSWER_PROVED;
    }
    wit->doomed = access && !w->env.dead && w->branches > 0;
    return access && (w->env.dead || wit->doomed) ? ANSWER_RUNTIME : ANSWER_REFUTED;
}

/* The operands are wrong for all values, but the access perhaps never executes. */
static Answer
answer_refuted(const CheckWalk *w, Witness *wit)
{
    bool certain = w->unsure == 0 && !w->returned && w->branches == 0 && w->maybe == 0;
    wit->doomed = !certain;
    return certain ? ANSWER_REFUTED : ANSWER_RUNTIME;
}

/* Answers what needs no search; *open becomes true if some step is still open. */
static void
answer_directly(CheckWalk *w, const Site *s, Answer *answers, bool *open, Witness *wits)
{
    for (int i = 0; i < s->nsteps; i++) {
        CheckStep step = s->steps[i];
        wits[i].values = NULL;
        wits[i].doomed = false;
        open[i] = false;
        if (step_is_constant(s, step)) {
            answers[i] = answer_constant(w, s, step, &wits[i]);
        } else if (w->env.dead || prove_step(&w->env, s, step)) {
            answers[i] = ANSWER_PROVED;
        } else {
            answers[i] = ANSWER_RUNTIME;
            open[i] = true;
        }
    }
}

Nest
check_walk_nest(const CheckWalk *w)
{
    return (Nest){w->frames.p, (int)w->frames.n, w->unsure == 0 && !w->returned, w->vars};
}

static void
answer_by_search(CheckWalk *w, const Site *s, Answer *answers, const bool *open,
                 Witness *wits)
{
    Nest nest = check_walk_nest(w);
    w->searched = true;
    witness_find(&w->env, s, &nest, open, wits, &w->budget);
    for (int i = 0; i < s->nsteps; i++) {
        if (open[i]) {
            answers[i] = answer_of(wits[i].verdict);
        }
        if (open[i] && answers[i] == ANSWER_RUNTIME &&
            refute_step(&w->env, s, s->steps[i], &wits[i].fault)) {
            wits[i].values = NULL;
            answers[i] = answer_refuted(w, &wits[i]);
        }
    }
}

/* True for a step that no constant proves: bounds in an address list, whose arrays are
 * known at run time. */
static bool
is_open(const Site *s, CheckStep step)
{
    return step.kind == CHECK_BOUNDS && check_is_open(&s->in.args[step.param].t);
}

static bool
has_open_bounds(const Site *s)
{
    bool any = false;
    for (int i = 0; i < s->nsteps; i++) {
        any = any || is_open(s, s->steps[i]);
    }
    return any;
}

static void
answer_site(CheckWalk *w, const Site *s)
{
    Answer answers[MAX_CHECK_STEPS];
    bool open[MAX_CHECK_STEPS];
    Witness wits[MAX_CHECK_STEPS];
    answer_directly(w, s, answers, open, wits);
    bool search = false;
    for (int i = 0; i < s->nsteps; i++) {
        search = search || open[i];
    }
    if (search) {
        answer_by_search(w, s, answers, open, wits);
    }
    bool proved = true;
    for (int i = 0; i < s->nsteps; i++) {
        if (answers[i] == ANSWER_PROVED && is_open(s, s->steps[i])) {
            answers[i] = ANSWER_RUNTIME;
        }
        w->events->answered(w->events->ctx, w, s, i, answers[i], &wits[i]);
        proved = proved && answers[i] == ANSWER_PROVED;
    }
    w->events->done(w->events->ctx, w, s, proved);
}

static void
visit_site(CheckWalk *w, StmtId id)
{
    Site s;
    Fault fault;
    w->searched = false;
    if (w->events->known && w->events->known(w->events->ctx, w, id)) {
        return;
    }
    if (!site_init(&s, w->k, id)) {
        return;
    }
    bool store = w->k->stmts.p[id].kind == ST_STORE;
    if (!s.element ? !check_static(&s.in, &fault)
                   : store && !check_store(&s.in.args[0].t, &fault)) {
        w->events->broken(w->events->ctx, w, &s, &fault);
        return;
    }
    if (s.constant && !s.element && !has_open_bounds(&s) && check_values(&s.in, &fault)) {
        for (int i = 0; i < s.nsteps; i++) {
            w->events->answered(w->events->ctx, w, &s, i, ANSWER_PROVED, NULL);
        }
        w->events->done(w->events->ctx, w, &s, true);
        return;
    }
    answer_site(w, &s);
}

/* ---- statements ---------------------------------------------------------- */

static void walk_body(CheckWalk *w, StmtId body);

/* Returns the range of a bound as a number of 64 bits; one of uint64 is below 2^63 here,
 * since loop_bounds before the loop has checked it. */
static Interval
bound_range(const CheckWalk *w, ExprId e)
{
    Interval r = env_range(&w->env, e);
    if (ir_expr(w->k, e)->dtype == DT_U64) {
        (void)!interval_meet(r, interval_between(0, INT64_MAX), &r);
    }
    return r;
}

/* In the body begin <= variable < end holds, and the variable is in its dtype:
 * loop_bounds checks that where the bounds' types do not say so (pass loops). */
static void
set_loop_range(CheckWalk *w, const Stmt *s)
{
    int64_t lo, hi;
    bool full;
    scalar_range(w->k->vars.p[s->loop.var].dtype, &lo, &hi, &full);
    lo = MAX(bound_range(w, s->loop.begin).lo, lo);
    env_assume_least(&w->env, s->loop.end, sat_add(lo, 1));
    int64_t end = bound_range(w, s->loop.end).hi;
    if (end <= lo) {
        w->env.dead = true;
        return;
    }
    hi = MIN(hi, ir_is_multicore(s) ? MIN(end, IR_MAX_BLOCKS) - 1 : end - 1);
    env_set_var(&w->env, s->loop.var, interval_between(lo, MAX(lo, hi)));
}

/* True if the loop has an iteration whatever its bounds are here. */
static bool
runs_once(const CheckWalk *w, const Stmt *s)
{
    return ir_is_multicore(s) ||
           bound_range(w, s->loop.begin).hi < bound_range(w, s->loop.end).lo;
}

static void
walk_loop(CheckWalk *w, const Stmt *s)
{
    const CheckLoop *loop = &w->loops[s->loop.var];
    int64_t before_last = loop->trips - (loop->trips > 0 && loop->trips < INT64_MAX);
    EnvMark mark = env_mark(&w->env);
    Frame f = {.var = s->loop.var, .begin = s->loop.begin, .end = s->loop.end};
    bool maybe = !runs_once(w, s);
    set_loop_range(w, s);
    forget_assigned(w, s->loop.var, before_last);
    w->maybe += maybe;
    w->unsure += loop->exits;
    VEC_PUSH(&w->scratch, &w->frames, f);
    walk_body(w, s->loop.body);
    w->frames.n--;
    w->unsure -= loop->exits;
    w->maybe -= maybe;
    (void)env_leave(&w->env, mark);
    forget_assigned(w, s->loop.var, loop->trips);
}

/* Walks one side of a branch with what its condition implies. */
static EnvState
walk_branch(CheckWalk *w, ExprId cond, bool outcome, StmtId body)
{
    bool decided = body == 0 || interval_is_const(env_expr(&w->env, cond));
    EnvMark mark = env_mark(&w->env);
    env_assume(&w->env, cond, outcome);
    if (!decided) {
        VEC_PUSH(&w->scratch, &w->frames, (Frame){.cond = cond, .outcome = outcome});
    }
    w->branches += !decided;
    walk_body(w, body);
    w->branches -= !decided;
    w->frames.n -= !decided;
    return env_leave(&w->env, mark);
}

static void
walk_if(CheckWalk *w, const Stmt *s)
{
    EnvState then_state = walk_branch(w, s->cond.cond, true, s->cond.then_body);
    EnvState else_state = walk_branch(w, s->cond.cond, false, s->cond.else_body);
    env_join(&w->env, &then_state, &else_state);
    if (then_state.dead && !else_state.dead && s->cond.else_body == 0) {
        env_assume(&w->env, s->cond.cond, false);
    }
}

static void
walk_stmt(CheckWalk *w, StmtId id)
{
    const Stmt *s = &w->k->stmts.p[id];
    switch ((StmtKind)s->kind) {
    case ST_NONE:
    case ST_ALLOC:
        break;
    case ST_INSTR:
    case ST_STORE:
        visit_site(w, id);
        break;
    case ST_SET:
        env_set_reg(&w->env, s->set.reg, env_range(&w->env, s->set.value));
        break;
    case ST_LOAD:
        visit_site(w, id);
        env_set_reg(&w->env, s->load.reg,
                    interval_of_type(w->k->regs.p[s->load.reg].dtype));
        break;
    case ST_FOR:
        walk_loop(w, s);
        break;
    case ST_IF:
        walk_if(w, s);
        break;
    case ST_SCOPE:
        walk_body(w, s->scope.body);
        break;
    case ST_RETURN:
        w->returned = true;
        w->env.dead = true;
        break;
    case ST_BREAK:
    case ST_CONTINUE:
        w->env.dead = true;
        break;
    }
}

static void
walk_body(CheckWalk *w, StmtId id)
{
    for (; id; id = w->k->stmts.p[id].next) {
        walk_stmt(w, id);
    }
}

/* The number of iterations that all searches of a kernel try together; it takes less than
 * a second. */
enum {
    WALK_BUDGET = 2000000
};

void
check_walk(const Kernel *k, const CheckEvents *events)
{
    CheckWalk w = {.k = k, .events = events, .budget = WALK_BUDGET};
    Scan scan = {0};
    arena_init(&w.scratch);
    env_init(&w.env, k, &w.scratch);
    w.loops = ARENA_ARRAY(&w.scratch, CheckLoop, k->vars.n);
    w.drifts = ARENA_ARRAY(&w.scratch, CheckDrift, k->regs.n);
    w.vars = ARENA_ARRAY(&w.scratch, int64_t, k->vars.n);
    scan_body(&w, k->body, &scan);
    walk_body(&w, k->body);
    arena_free(&w.scratch);
}
