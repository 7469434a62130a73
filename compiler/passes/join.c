/* join.c: makes one run of the parts in which kernels compute with a number of elements.
 *
 * Needs: a checked kernel, in a copy for the host. Guarantees: a scope that is a run
 * (Stmt.scope.run) executes what it did before. Never: changes an instruction.
 *
 * The parts are the most repeats that an instruction may have, in a loop, the whole
 * repeats that are left, and the lanes that are left then, or some of these:
 *
 *   for i = 0 to n / 16320 { vec_add mask=64 at i * 16320 .. repeat_times=255 }
 *   if (n % 16320 / 64 > 0) { vec_add mask=64 at n / 16320 * 16320 ..
 *                             repeat_times=n % 16320 / 64 }
 *   if (n % 64 > 0) { vec_add mask=n % 64 at n / 64 * 64 .. repeat_times=1 }
 *
 * Branches may be missing, since what the rules allow of repeats and lanes is not below
 * 0. If n is, a rule is broken or no part executes. If a sum of parts wraps, its offset
 * is below 0 and a rule is broken. So offsets are compared as sums that do not wrap. */
#include "passes/join_sum.h"

#include "isa/operand.h"
#include "passes/passes.h"
#include "passes/rewrite.h"
#include "passes/substitute.h"

enum {
    MOST_INSTRS = 8 /* of a part that is no body of its own */
};

/* Some instructions on neighbouring elements, each on as many: the last statements of a
 * list, a loop, a branch, or a loop in a branch. */
typedef struct Part {
    StmtId head;  /* the first of these statements */
    StmtId instr; /* the first instruction */
    int n;
    Count count;
    VarId var; /* of the loop; 0: there is none */
    ExprId cond;
} Part;

typedef struct Join {
    Kernel *k;
    Arena scratch;
    PartSum sum;
    Substitution substitution;
} Join;

/* ---- one part ------------------------------------------------------------ */

/* Returns how many instructions a body has that has nothing else; 0: it has. */
static int
instrs_in(const Kernel *k, StmtId first)
{
    int n = 0;
    for (StmtId s = first; s != 0; s = k->stmts.p[s].next, n++) {
        if (k->stmts.p[s].kind != ST_INSTR) {
            return 0;
        }
    }
    return n;
}

static bool
is_branch(const Stmt *s)
{
    return s->kind == ST_IF && s->cond.else_body == 0;
}

static bool
is_zero(const Kernel *k, ExprId e)
{
    return ir_is_const(k, e) && ir_expr(k, e)->imm == 0;
}

/* Takes the number of elements from the part's instructions: all have the same. */
static bool
take_count(const Join *j, Part *p)
{
    Iteration it;
    StmtId s = p->instr;
    for (int i = 0; i < p->n; i++, s = j->k->stmts.p[s].next) {
        if (!iteration_of(j->k, &j->k->stmts.p[s], &it) || it.moves || !it.flat ||
            iteration_has_bits(&it) || (i > 0 && !count_same(it.lanes, p->count))) {
            return false;
        }
        p->count = it.lanes;
    }
    return p->n > 0;
}

/* Makes the number of the part that of all iterations. */
static bool
take_loop(const Join *j, Part *p, const Stmt *loop)
{
    ExprId end = loop->loop.end;
    if (!is_zero(j->k, loop->loop.begin) || ir_is_multicore(loop) ||
        !count_known(p->count)) {
        return false;
    }
    p->var = loop->loop.var;
    if (!ir_is_const(j->k, end)) {
        p->count.of = end;
        return true;
    }
    return checked_mul(p->count.times, ir_expr(j->k, end)->imm, &p->count.times);
}

/* Describes a loop or a branch. */
static bool
part_inside(const Join *j, StmtId s, Part *p)
{
    const Kernel *k = j->k;
    const Stmt *st = &k->stmts.p[s];
    *p = (Part){.head = s};
    if (is_branch(st)) {
        p->cond = st->cond.cond;
        p->instr = st->cond.then_body;
        st = &k->stmts.p[p->instr];
    }
    bool loop = st->kind == ST_FOR && (p->cond == 0 || st->next == 0);
    p->instr = loop ? st->loop.body : p->instr;
    p->n = p->instr == 0 ? 0 : instrs_in(k, p->instr);
    return (loop || p->cond != 0) && take_count(j, p) && (!loop || take_loop(j, p, st));
}

/* Describes n neighbouring instructions. */
static bool
part_of_instrs(const Join *j, StmtId s, int n, Part *p)
{
    *p = (Part){.head = s, .instr = s, .n = n};
    for (int i = 0; i < n; i++, s = j->k->stmts.p[s].next) {
        if (s == 0 || j->k->stmts.p[s].kind != ST_INSTR) {
            return false;
        }
    }
    return take_count(j, p);
}

/* ---- two parts ----------------------------------------------------------- */

/* Returns whether the operands that are no tensors, masks or distances are the same. */
static bool
same_numbers(const Kernel *k, const Stmt *a, const Stmt *b)
{
    int n;
    const ParamInfo *params = form_params(op_table[a->instr.op].form, &n);
    for (int i = 0; i < n; i++) {
        const Arg *p = &k->args.p[a->instr.arg + (uint32_t)i];
        const Arg *q = &k->args.p[b->instr.arg + (uint32_t)i];
        if ((params[i].role == ROLE_SCALAR || params[i].role == ROLE_ATTR) &&
            p->expr != q->expr) {
            return false;
        }
    }
    return true;
}

/* Returns whether the second operand begins where the parts so far of the first one
 * end. */
static bool
goes_on(const Join *j, const Part *first, const Part *next, const Ref *a, const Ref *b)
{
    Affine x, y;
    return a->buf == b->buf && a->dtype == b->dtype &&
           j->k->bufs.p[a->buf].scope != SC_GM &&
           sum_of(&j->sum, first->head, a->off, &x) &&
           sum_of(&j->sum, next->head, b->off, &y) && affine_add(&y, &x, -1) &&
           sum_reaches(&j->sum, next->head, &y, dtype_size(a->dtype), next->count);
}

/* Returns whether the instructions of a part do what others do, each from the place on
 * where the parts so far end. first: the others are those of this part, or copies. */
static bool
follows(const Join *j, const Part *first, StmtId s, const Part *next)
{
    Iteration a, b;
    const Kernel *k = j->k;
    StmtId t = next->instr;
    for (int i = 0; i < next->n; i++, s = k->stmts.p[s].next, t = k->stmts.p[t].next) {
        const Stmt *x = &k->stmts.p[s], *y = &k->stmts.p[t];
        if (!iteration_of(k, x, &a) || !iteration_of(k, y, &b) || a.n != b.n ||
            !same_numbers(k, x, y)) {
            return false;
        }
        for (int o = 0; o < a.n; o++) {
            if (!goes_on(j, first, next, &a.op[o].ref, &b.op[o].ref)) {
                return false;
            }
        }
    }
    return true;
}

static bool
is_asked(const Join *j, const Part *p)
{
    return p->cond == 0 || sum_is_asked(&j->sum, p->head, p->cond, p->count);
}

static bool
same_ops(const Kernel *k, const Part *a, const Part *b)
{
    StmtId s = a->instr, t = b->instr;
    for (int i = 0; i < a->n; i++, s = k->stmts.p[s].next, t = k->stmts.p[t].next) {
        if (k->stmts.p[s].instr.op != k->stmts.p[t].instr.op) {
            return false;
        }
    }
    return true;
}

/* ---- runs ---------------------------------------------------------------- */

/* Returns a copy of the part's instructions, for the first iteration. */
static StmtId
copy_instrs(Join *j, const Part *p)
{
    Kernel *k = j->k;
    StmtId first = 0, last = 0, s = p->instr;
    for (int i = 0; i < p->n; i++, s = k->stmts.p[s].next) {
        int n;
        Stmt copy = k->stmts.p[s];
        (void)form_params(op_table[copy.instr.op].form, &n);
        uint32_t from = copy.instr.arg;
        copy.instr.arg = k->args.n;
        copy.next = 0;
        for (int a = 0; a < n; a++) {
            Arg arg = k->args.p[from + (uint32_t)a];
            VEC_PUSH(&k->arena, &k->args, arg);
        }
        VEC_PUSH(&k->arena, &k->stmts, copy);
        if (first == 0) {
            first = k->stmts.n - 1;
        } else {
            k->stmts.p[last].next = k->stmts.n - 1;
        }
        last = k->stmts.n - 1;
    }
    if (p->var != 0) {
        ExprId zero = ir_const(k, k->vars.p[p->var].dtype, 0);
        substitute_in(&j->substitution, p->var, zero, first);
    }
    return first;
}

/* Returns whether an iteration of the part's loop goes on where the one before ends. */
static bool
iterations_follow(const Join *j, const Part *p, StmtId copies)
{
    Iteration first, any;
    Affine x, y, step = {.n = 1, .atom[0] = ir_var_value(j->k, p->var)};
    StmtId s = p->instr;
    for (int i = 0; i < p->n;
         i++, s = j->k->stmts.p[s].next, copies = j->k->stmts.p[copies].next) {
        (void)iteration_of(j->k, &j->k->stmts.p[copies], &first);
        (void)iteration_of(j->k, &j->k->stmts.p[s], &any);
        for (int o = 0; o < any.n; o++) {
            int64_t bytes = any.lanes.times * dtype_size(any.op[o].ref.dtype);
            step.factor[0] = bytes;
            if (!sum_of(&j->sum, p->head, first.op[o].ref.off, &x) ||
                !sum_of(&j->sum, p->head, any.op[o].ref.off, &y) ||
                !affine_add(&y, &x, -1) || !sum_same(&y, &step)) {
                return false;
            }
        }
    }
    return true;
}

static StmtId
new_run(Join *j, StmtId first, StmtId last, StmtId instrs)
{
    Kernel *k = j->k;
    const Stmt *head = &k->stmts.p[first];
    ExprId run = sum_expr(&j->sum, k);
    Stmt scope = {.kind = ST_SCOPE,
                  .span = head->span,
                  .chain = head->chain,
                  .scope = {.body = first, .run = run, .instrs = instrs}};
    k->stmts.p[last].next = 0;
    VEC_PUSH(&k->arena, &k->stmts, scope);
    return k->stmts.n - 1;
}

/* Makes a run of two parts. Returns its scope, or 0: they are no run. */
static StmtId
join_parts(Join *j, const Part *first, const Part *next, StmtId last)
{
    if (first->n != next->n || next->var != 0 || !same_ops(j->k, first, next) ||
        !sum_begin(&j->sum, first->head, first->count) || !is_asked(j, first)) {
        return 0;
    }
    StmtId instrs = copy_instrs(j, first);
    if ((first->var != 0 && !iterations_follow(j, first, instrs)) ||
        !follows(j, first, instrs, next) || !is_asked(j, next) ||
        !sum_next(&j->sum, next->head, next->count)) {
        rewrite_forget(j->k, instrs);
        return 0;
    }
    return new_run(j, first->head, last, instrs);
}

/* Describes the part of a run that begins with a statement. */
static bool
part_at(const Join *j, StmtId s, int n, Part *p)
{
    return part_inside(j, s, p) || part_of_instrs(j, s, n, p);
}

/* Makes the next part one of the run. */
static bool
extend_run(Join *j, StmtId run, const Part *next, StmtId last)
{
    Part p = {0}, first = {0};
    Kernel *k = j->k;
    StmtId end = 0;
    for (StmtId s = k->stmts.p[run].scope.body; s != 0;) {
        bool begins = first.head == 0;
        if (!part_at(j, s, next->n, &p) ||
            !(begins ? sum_begin(&j->sum, s, p.count) : sum_next(&j->sum, s, p.count))) {
            return false;
        }
        first = begins ? p : first;
        for (int i = 0; i < (p.head == p.instr ? p.n : 1); i++) {
            end = s;
            s = k->stmts.p[s].next;
        }
    }
    if (first.n != next->n || next->var != 0 || !same_ops(k, &first, next) ||
        !follows(j, &first, k->stmts.p[run].scope.instrs, next) || !is_asked(j, next) ||
        !sum_next(&j->sum, next->head, next->count)) {
        return false;
    }
    k->stmts.p[end].next = next->head;
    k->stmts.p[last].next = 0;
    ExprId e = sum_expr(&j->sum, k);
    k->stmts.p[run].scope.run = e;
    return true;
}

/* ---- bodies -------------------------------------------------------------- */

typedef VEC(StmtId) Statements;

/* Joins the last statements of the list, which are a part of n instructions, to what is
 * before them. */
static bool
join_last(Join *j, Statements *list, const Part *next, uint32_t size)
{
    Part first;
    if (list->n <= size) {
        return false;
    }
    uint32_t at = list->n - size - 1;
    StmtId before = list->p[at], last = list->p[list->n - 1];
    const Stmt *st = &j->k->stmts.p[before];
    if (st->kind == ST_SCOPE && st->scope.run != 0) {
        if (!extend_run(j, before, next, last)) {
            return false;
        }
        list->n = at + 1;
        return true;
    }
    if (!part_inside(j, before, &first)) {
        at = list->n < size + (uint32_t)next->n ? 0 : list->n - size - (uint32_t)next->n;
        if (list->n < size + (uint32_t)next->n ||
            !part_of_instrs(j, list->p[at], next->n, &first)) {
            return false;
        }
    }
    StmtId run = join_parts(j, &first, next, last);
    if (run != 0) {
        list->n = at + 1;
        list->p[at] = run;
    }
    return run != 0;
}

/* Joins what the list ends with. */
static void
join_end(Join *j, Statements *list)
{
    Part next;
    StmtId last = list->p[list->n - 1];
    if (j->k->stmts.p[last].kind != ST_INSTR) {
        if (part_inside(j, last, &next)) {
            (void)join_last(j, list, &next, 1);
        }
        return;
    }
    for (uint32_t n = 1; n <= MOST_INSTRS && n < list->n; n++) {
        if (!part_of_instrs(j, list->p[list->n - n], (int)n, &next)) {
            return;
        }
        if (join_last(j, list, &next, n)) {
            return;
        }
    }
}

static void join_body(Join *j, StmtId owner, int slot);

static void
join_inside(Join *j, StmtId s)
{
    switch ((StmtKind)j->k->stmts.p[s].kind) {
    case ST_IF:
        join_body(j, s, 0);
        join_body(j, s, 1);
        return;
    case ST_FOR:
    case ST_SCOPE:
        join_body(j, s, 0);
        return;
    default:
        return;
    }
}

/* Returns whether a scope is nothing but its statements: no buffer begins to live in it,
 * and the order of queues does not matter here. Branches on constants become such
 * scopes. */
static bool
is_open(const Kernel *k, const Stmt *scope)
{
    if (scope->kind != ST_SCOPE || scope->scope.fused || scope->scope.finish != 0) {
        return false;
    }
    for (StmtId s = scope->scope.body; s != 0; s = k->stmts.p[s].next) {
        if (k->stmts.p[s].kind == ST_ALLOC) {
            return false;
        }
    }
    return true;
}

/* Adds the statements of a body to the list. */
static void
join_list(Join *j, StmtId first, Statements *list)
{
    Kernel *k = j->k;
    StmtId next;
    for (StmtId s = first; s != 0; s = next) {
        next = k->stmts.p[s].next;
        if (is_open(k, &k->stmts.p[s])) {
            join_list(j, k->stmts.p[s].scope.body, list);
            k->stmts.p[s].kind = ST_NONE;
            continue;
        }
        join_inside(j, s);
        if (list->n > 0) {
            k->stmts.p[list->p[list->n - 1]].next = s;
        }
        k->stmts.p[s].next = 0;
        VEC_PUSH(&j->scratch, list, s);
        join_end(j, list);
    }
}

static void
join_body(Join *j, StmtId owner, int slot)
{
    Kernel *k = j->k;
    Statements list = {0};
    join_list(j, *ir_body(k, owner, slot), &list);
    StmtId after = 0;
    for (uint32_t i = list.n; i > 0; i--) {
        k->stmts.p[list.p[i - 1]].next = after;
        after = list.p[i - 1];
    }
    *ir_body(k, owner, slot) = after;
}

bool
pass_join(Kernel *k)
{
    Join j = {.k = k};
    arena_init(&j.scratch);
    j.sum.k = k;
    j.sum.reaching = reaching_find(k, &j.scratch);
    j.substitution = (Substitution){.k = k, .arena = &j.scratch};
    join_body(&j, 0, 0);
    arena_free(&j.scratch);
    return true;
}
