/* fold.c: replaces registers that hold one constant, drops branches on constants.
 *
 * Needs: a kernel as it was staged. Guarantees: the same effects; afterwards
 * - a register that is set once, to a constant, before every read of it is not read any
 *   more, and its set is gone; except that repeat_times, nburst and burst from a register
 *   that is 0 stay so, since only a literal 0 is wrong there. "Before": the set comes
 *   earlier in the body that contains the read, or in one around it, so that it has
 *   executed whenever the read does;
 * - no `if` has a constant condition: the body that is taken becomes a scope, the other
 *   is dropped;
 * - no loop has constant bounds without an iteration.
 *
 * Never: moves or reorders statements, or changes what buffers do. It goes over a kernel
 * twice, since what the first round leaves could be folded further, and the text of a
 * kernel (`folded`) is to become the same code as its source.
 *
 * Registers come first, so that the conditions that they decide are constant; registers
 * that become constant only through a dropped branch are left. */

/* ASSUMES set-before: a register that is read has been set before, once. */
/* ASSUMES literal-zero: as a number of repeats, only a literal 0 is wrong. */
#include "passes/passes.h"

#include <string.h>

typedef struct RegFacts {
    uint32_t sets;   /* number of statements that assign it */
    ExprId constant; /* the value of the last assignment found, if it is constant */
    bool visible;    /* its set has executed at the present place of the walk */
    bool early;      /* it is read where the set may not have executed */
} RegFacts;

typedef struct Fold {
    Kernel *k;
    Arena scratch;
    RegFacts *regs; /* by RegId */
    /* by ExprId, for the expressions that existed before: 0 = not looked at */
    ExprId *replaced;
    uint32_t nreplaced;
    bool any;          /* some register is folded */
    bool drops;        /* some statement never executes */
    uint32_t *scanned; /* by ExprId: number of the scan of reads; counting up resets it */
    uint32_t scan;
} Fold;

/* ---- which registers ----------------------------------------------------- */

/* An expression is walked only once between two changes of what is visible. */
static void
scan_reads(Fold *f, ExprId id)
{
    const Expr *e = ir_expr(f->k, id);
    if (!(e->flags & EXF_REG) || f->scanned[id] == f->scan) {
        return;
    }
    f->scanned[id] = f->scan;
    if (e->kind == EX_REG) {
        f->regs[e->a].early |= !f->regs[e->a].visible;
        return;
    }
    scan_reads(f, e->a);
    scan_reads(f, e->b);
}

/* Calls visit for each expression that a statement itself uses. */
static void
each_expr(Fold *f, Stmt *s, void (*visit)(Fold *, ExprId *))
{
    int n;
    switch ((StmtKind)s->kind) {
    case ST_INSTR:
        (void)form_params(op_table[s->instr.op].form, &n);
        for (int i = 0; i < n; i++) {
            Arg *a = &f->k->args.p[s->instr.arg + (uint32_t)i];
            if (a->kind == ARG_REF) {
                visit(f, &a->ref.off);
            } else if (a->kind == ARG_EXPR) {
                visit(f, &a->expr);
            } else if (a->kind == ARG_MASK) {
                for (int w = 0; w < mask_words(a->mask_form); w++) {
                    visit(f, &a->mask[w]);
                }
            }
        }
        return;
    case ST_SET:
        visit(f, &s->set.value);
        return;
    case ST_LOAD:
        visit(f, &s->load.ref.off);
        return;
    case ST_STORE:
        visit(f, &s->store.ref.off);
        visit(f, &s->store.value);
        return;
    case ST_FOR:
        visit(f, &s->loop.begin);
        visit(f, &s->loop.end);
        return;
    case ST_IF:
        visit(f, &s->cond.cond);
        return;
    case ST_NONE:
    case ST_ALLOC:
    case ST_SCOPE:
    case ST_BREAK:
    case ST_CONTINUE:
    case ST_RETURN:
        return;
    }
}

static void
visit_read(Fold *f, ExprId *e)
{
    scan_reads(f, *e);
}

/* Keeps the registers that are 0 and that e reads. */
static void
keep_zeros(Fold *f, ExprId id)
{
    const Expr *e = ir_expr(f->k, id);
    if (e->kind == EX_REG) {
        RegFacts *r = &f->regs[e->a];
        r->early |= r->constant && ir_expr(f->k, r->constant)->imm == 0;
    } else if (e->kind == EX_OP && (e->flags & EXF_REG)) {
        keep_zeros(f, e->a);
        if (e->b) {
            keep_zeros(f, e->b);
        }
    }
}

/* True for operands of which only a literal 0 is certainly wrong: a Scalar may be 0 where
 * the instruction does not execute. */
static bool
may_be_zero(const ParamInfo *p)
{
    return p->role == ROLE_REPEAT ||
           (p->role == ROLE_INT &&
            (strcmp(p->name, "nburst") == 0 || strcmp(p->name, "burst") == 0));
}

static void
keep_zero_counts(Fold *f, const Stmt *s)
{
    int n = 0;
    const ParamInfo *p =
        s->kind == ST_INSTR ? form_params(op_table[s->instr.op].form, &n) : NULL;
    for (int i = 0; i < n; i++) {
        const Arg *a = &f->k->args.p[s->instr.arg + (uint32_t)i];
        bool reads = a->kind == ARG_EXPR && (ir_expr(f->k, a->expr)->flags & EXF_REG);
        if (reads && may_be_zero(&p[i])) {
            keep_zeros(f, a->expr);
        }
    }
}

static void
note_assignment(Fold *f, const Stmt *s)
{
    RegFacts *r = &f->regs[s->kind == ST_SET ? s->set.reg : s->load.reg];
    r->sets++;
    r->constant = s->kind == ST_SET && ir_is_const(f->k, s->set.value) ? s->set.value : 0;
    r->visible = true;
}

/* True if no iteration ever happens. */
static bool
is_empty_loop(const Kernel *k, const Stmt *s)
{
    int64_t begin, end;
    return ir_loop_bounds(k, s, &begin, &end) && begin >= end;
}

/* Counts the assignments of a body, and finds out whether some of its statements never
 * execute. */
static void
count_sets(Fold *f, StmtId first)
{
    for (StmtId id = first; id; id = f->k->stmts.p[id].next) {
        const Stmt *s = &f->k->stmts.p[id];
        if (s->kind == ST_SET || s->kind == ST_LOAD) {
            note_assignment(f, s);
        } else if (s->kind == ST_FOR) {
            f->drops = f->drops || is_empty_loop(f->k, s);
            count_sets(f, s->loop.body);
        } else if (s->kind == ST_SCOPE) {
            count_sets(f, s->scope.body);
        } else if (s->kind == ST_IF) {
            f->drops = f->drops || ir_is_const(f->k, s->cond.cond);
            count_sets(f, s->cond.then_body);
            count_sets(f, s->cond.else_body);
        }
    }
}

static void
scan_body(Fold *f, StmtId first)
{
    Kernel *k = f->k;
    for (StmtId id = first; id; id = k->stmts.p[id].next) {
        Stmt *s = &k->stmts.p[id];
        each_expr(f, s, visit_read);
        keep_zero_counts(f, s);
        if (s->kind == ST_SET || s->kind == ST_LOAD) {
            note_assignment(f, s);
        } else if (s->kind == ST_FOR) {
            scan_body(f, s->loop.body);
        } else if (s->kind == ST_SCOPE) {
            scan_body(f, s->scope.body);
        } else if (s->kind == ST_IF) {
            scan_body(f, s->cond.then_body);
            scan_body(f, s->cond.else_body);
        }
    }
    for (StmtId id = first; id; id = k->stmts.p[id].next) {
        const Stmt *s = &k->stmts.p[id];
        if (s->kind == ST_SET || s->kind == ST_LOAD) {
            f->regs[s->kind == ST_SET ? s->set.reg : s->load.reg].visible = false;
            f->scan++;
        }
    }
}

static bool
is_folded(const Fold *f, RegId r)
{
    const RegFacts *facts = &f->regs[r];
    return facts->sets == 1 && facts->constant && !facts->early;
}

/* ---- rewriting ----------------------------------------------------------- */

static ExprId
rebuild(Fold *f, const Expr *e, ExprId a, ExprId b)
{
    if (a == e->a && b == e->b) {
        return 0;
    }
    if (e->op == SOP_CAST) {
        return ir_cast(f->k, (Dtype)e->dtype, a);
    }
    if (e->op == SOP_BITS) {
        return ir_bits(f->k, (Dtype)e->dtype, a);
    }
    return b ? ir_op2(f->k, (ScalarOp)e->op, a, b) : ir_op1(f->k, (ScalarOp)e->op, a);
}

static ExprId
replace(Fold *f, ExprId id)
{
    if (id >= f->nreplaced || !(ir_expr(f->k, id)->flags & EXF_REG)) {
        return id;
    }
    if (f->replaced[id] == 0) {
        Expr e = *ir_expr(f->k, id); /* the table moves when it grows */
        ExprId made = 0;
        if (e.kind == EX_REG) {
            made = is_folded(f, e.a) ? f->regs[e.a].constant : 0;
        } else {
            ExprId a = replace(f, e.a);
            ExprId b = e.b ? replace(f, e.b) : 0;
            made = rebuild(f, &e, a, b);
        }
        f->replaced[id] = made ? made : id;
    }
    return f->replaced[id];
}

static void
visit_replace(Fold *f, ExprId *e)
{
    *e = replace(f, *e);
}

/* Statements that are dropped become ST_NONE in the table, so that what looks at the
 * whole table (for the number of cores, say) sees only what can execute. */
static void drop_body(Kernel *k, StmtId first);

static StmtId
drop_stmt(Kernel *k, StmtId id)
{
    Stmt *s = &k->stmts.p[id];
    if (s->kind == ST_FOR) {
        drop_body(k, s->loop.body);
    } else if (s->kind == ST_SCOPE) {
        drop_body(k, s->scope.body);
    } else if (s->kind == ST_IF) {
        drop_body(k, s->cond.then_body);
        drop_body(k, s->cond.else_body);
    }
    s->kind = ST_NONE;
    return 0;
}

static void
drop_body(Kernel *k, StmtId first)
{
    for (StmtId id = first; id; id = k->stmts.p[id].next) {
        (void)drop_stmt(k, id);
    }
}

static StmtId fold_body(Fold *f, StmtId first);

/* Folds an `if` on a constant: the body that is taken becomes a scope. */
static StmtId
fold_branch(Fold *f, StmtId id)
{
    Stmt *s = &f->k->stmts.p[id];
    bool taken = ir_expr(f->k, s->cond.cond)->imm != 0;
    StmtId body = taken ? s->cond.then_body : s->cond.else_body;
    drop_body(f->k, taken ? s->cond.else_body : s->cond.then_body);
    s->kind = ST_SCOPE;
    body = fold_body(f, body);
    s = &f->k->stmts.p[id];
    memset(&s->scope, 0, sizeof s->scope);
    s->scope.body = body;
    return body ? id : drop_stmt(f->k, id);
}

/* Returns what remains of a statement: itself (perhaps changed) or 0. */
static StmtId
fold_stmt(Fold *f, StmtId id)
{
    Kernel *k = f->k;
    Stmt *s = &k->stmts.p[id];
    if (f->any) {
        each_expr(f, s, visit_replace);
    }
    switch ((StmtKind)s->kind) {
    case ST_SET:
        return is_folded(f, s->set.reg) ? drop_stmt(k, id) : id;
    case ST_FOR:
        if (is_empty_loop(k, s)) {
            return drop_stmt(k, id);
        }
        s->loop.body = fold_body(f, s->loop.body);
        return id;
    case ST_SCOPE:
        s->scope.body = fold_body(f, s->scope.body);
        return id;
    case ST_IF:
        if (ir_is_const(k, s->cond.cond)) {
            return fold_branch(f, id);
        }
        s->cond.then_body = fold_body(f, s->cond.then_body);
        s->cond.else_body = fold_body(f, s->cond.else_body);
        return id;
    default:
        return id;
    }
}

static StmtId
fold_body(Fold *f, StmtId first)
{
    Kernel *k = f->k;
    StmtId head = 0;
    StmtId last = 0;
    for (StmtId id = first, next; id; id = next) {
        next = k->stmts.p[id].next;
        if (fold_stmt(f, id) == 0) {
            continue;
        }
        *(last ? &k->stmts.p[last].next : &head) = id;
        last = id;
        k->stmts.p[id].next = 0;
    }
    return head;
}

/* Returns whether some register may be folded, or is. */
static bool
any_folded(const Fold *f)
{
    for (RegId r = 1; r < f->k->regs.n; r++) {
        if (is_folded(f, r)) {
            return true;
        }
    }
    return false;
}

/* Finds the registers that are folded. In most kernels no register is set only once and
 * to a constant, so reads are looked at only then. */
static void
find_folded(Fold *f)
{
    Kernel *k = f->k;
    f->regs = ARENA_ARRAY(&f->scratch, RegFacts, k->regs.n);
    count_sets(f, k->body);
    if (any_folded(f)) {
        memset(f->regs, 0, k->regs.n * sizeof *f->regs);
        f->nreplaced = k->exprs.n;
        f->replaced = ARENA_ARRAY(&f->scratch, ExprId, k->exprs.n);
        f->scanned = ARENA_ARRAY(&f->scratch, uint32_t, k->exprs.n);
        scan_body(f, k->body);
        f->any = any_folded(f);
    }
}

bool
pass_fold(Kernel *k)
{
    if (k->folded) {
        return true;
    }
    Fold f = {.k = k, .scan = 1};
    arena_init(&f.scratch);
    find_folded(&f);
    if (f.any || f.drops) {
        k->body = fold_body(&f, k->body);
    }
    arena_free(&f.scratch);
    k->folded = true;
    return true;
}
