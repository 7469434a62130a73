/* fuse.c: puts neighbouring instructions that go over the same elements into fused
 * scopes, so that the host back end makes one loop of them, in which values stay in
 * registers.
 *
 * Needs: a checked kernel whose buffers have addresses, in a copy for the host.
 * Guarantees: what a fused scope has inside may be executed chunk by chunk, with chunks
 * of any size: of two accesses of the same bytes, one of them a write, both belong to the
 * same element of their instructions. Statements that no member depends on, and that
 * depend on none, are moved before the scope. Never: changes an instruction.
 *
 * Arguments of a kernel are taken to share no bytes; the entry of the kernel tests that,
 * and runs the kernel as it was written where it does not hold. */

/* ASSUMES arguments-apart: global tensors of different arguments share no bytes. */
#include "analysis/count.h"
#include "analysis/member.h"
#include "isa/operand.h"
#include "passes/passes.h"
#include "passes/reaching.h"
#include "passes/rewrite.h"

/* Elements that stay outside of the common loop are at most this part of all. */
enum {
    REST_PART = 8,
    MOST_MEMBERS = 24,
    MOST_DEPTH = 4,
    MOST_ROWS = 4095,     /* the most bursts of a move; no instruction has more repeats */
    MOST_MULTIPLE = 65535 /* of the rows, that does not wrap in 32 bits */
};

_Static_assert((int64_t)MOST_ROWS *MOST_MULTIPLE <= INT32_MAX, "multiples do not wrap");

typedef struct Member {
    StmtId stmt;
    StmtId unit; /* the run that it is in (Stmt.scope.run), or itself */
    bool sink;   /* see iteration_sink: it writes after the loop */
    Iteration it;
    Count lanes; /* the same number by what its register was set to (passes/reaching.h) */
} Member;

typedef struct Group {
    int n;
    Member member[MOST_MEMBERS];
    bool flat;
    Count rows, lanes; /* of a group that is not flat */
} Group;

typedef struct Fuse {
    Kernel *k;
    Env env;
    Arena scratch;
    Reaching *reaching;
    Group group;
    VEC(StmtId) allocs;  /* allocations since the group began */
    VEC(StmtId) before;  /* statements to move before the group */
    int depth;           /* of groups among the statements that were moved */
    bool sets_registers; /* the kernel sets special registers: the atomic mode, perhaps */
} Fuse;

/* ---- which bytes --------------------------------------------------------- */

/* Returns the distance from row to row in a group. */
static int64_t
pitch_in(const Group *g, const Iteration *it, const IterationOperand *o)
{
    return g->flat || it->flat ? iteration_bytes(o, g->lanes.times) : o->pitch;
}

/* Returns whether element i of one operand is element i of the other, for all i. */
static bool
aligned(const Group *g, const Iteration *ia, const IterationOperand *a,
        const Iteration *ib, const IterationOperand *b)
{
    if (a->ref.buf != b->ref.buf || a->ref.off != b->ref.off ||
        !iteration_same_size(a, b)) {
        return false;
    }
    int64_t pitch = pitch_in(g, ia, a);
    bool one_row = g->flat || (count_known(g->rows) && g->rows.times <= 1);
    return one_row ||
           (pitch == pitch_in(g, ib, b) && pitch >= iteration_bytes(a, g->lanes.times));
}

/* Returns whether two ranges of one buffer are known to share no byte. */
static bool
ranges_apart(const Fuse *f, const Iteration *ia, const IterationOperand *a,
             const Iteration *ib, const IterationOperand *b)
{
    Affine x, y, d;
    int64_t sa = iteration_span(ia, a), sb = iteration_span(ib, b);
    if (sa < 0 || sb < 0 || !env_affine(&f->env, a->ref.off, &x) ||
        !env_affine(&f->env, b->ref.off, &y) || !affine_sub(&y, &x, &d) || d.n != 0) {
        return false;
    }
    return d.constant >= sa || -d.constant >= sb;
}

static bool
apart(const Fuse *f, const Iteration *ia, const IterationOperand *a, const Iteration *ib,
      const IterationOperand *b)
{
    if (!a->writes && !b->writes) {
        return true;
    }
    if (a->ref.buf == b->ref.buf) {
        return ranges_apart(f, ia, a, ib, b);
    }
    return rewrite_apart(f->k, a->ref.buf, b->ref.buf);
}

/* Returns whether two instructions access no common byte that one of them writes. */
static bool
independent(const Fuse *f, const Iteration *a, const Iteration *b)
{
    for (int i = 0; i < a->n; i++) {
        for (int j = 0; j < b->n; j++) {
            if (!apart(f, a, &a->op[i], b, &b->op[j])) {
                return false;
            }
        }
    }
    return true;
}

static bool
in_lockstep(const Fuse *f, const Group *g, const Iteration *a, const Iteration *b)
{
    for (int i = 0; i < a->n; i++) {
        for (int j = 0; j < b->n; j++) {
            if (!apart(f, a, &a->op[i], b, &b->op[j]) &&
                !aligned(g, a, &a->op[i], b, &b->op[j])) {
                return false;
            }
        }
    }
    return true;
}

/* ---- groups -------------------------------------------------------------- */

/* Returns whether two runs of elements may be one loop over the shorter run. */
static bool
similar(Count a, Count b)
{
    if (!count_known(a) || !count_known(b)) {
        return !count_known(a) && !count_known(b);
    }
    int64_t least = MIN(a.times, b.times), most = MAX(a.times, b.times);
    return most - least <= most / REST_PART;
}

static bool
has_sink(const Group *g)
{
    for (int i = 0; i < g->n; i++) {
        if (g->member[i].sink) {
            return true;
        }
    }
    return false;
}

static bool
has_bits(const Group *g)
{
    for (int i = 0; i < g->n; i++) {
        if (iteration_has_bits(&g->member[i].it)) {
            return true;
        }
    }
    return false;
}

static bool
has_run(const Group *g)
{
    for (int i = 0; i < g->n; i++) {
        if (g->member[i].unit != g->member[i].stmt) {
            return true;
        }
    }
    return false;
}

/* Returns whether all members are as long as this iteration. */
static bool
has_length(const Group *g, const Iteration *it)
{
    for (int i = 0; i < g->n; i++) {
        if (!count_same(g->member[i].it.lanes, it->lanes)) {
            return false;
        }
    }
    return g->n == 0 || (g->flat && it->flat);
}

/* Returns whether with this iteration one member seems to have the fewest elements, known
 * only at run time: what registers were set to may have changed by then, so pass drop
 * asks again, and decides whether the others are needed. */
static bool
has_least(const Fuse *f, const Group *g, const Iteration *it, Count lanes)
{
    Count c[MOST_MEMBERS], set[MOST_MEMBERS];
    for (int i = 0; i < g->n; i++) {
        c[i] = g->member[i].it.lanes;
        set[i] = g->member[i].lanes;
    }
    c[g->n] = it->lanes;
    set[g->n] = lanes;
    return g->flat && it->flat && !has_sink(g) && !count_known(it->lanes) &&
           (count_least(f->k, c, g->n + 1) >= 0 || count_least(f->k, set, g->n + 1) >= 0);
}

/* Returns whether as many elements as all rows have are those of a flat run, whose number
 * may be a multiple of the number of rows. No instruction has more than MOST_ROWS rows,
 * and all members are checked before one executes, so that multiple does not wrap. */
static bool
rows_make(const Kernel *k, Count rows, Count run)
{
    const Expr *x = count_known(run) ? NULL : ir_expr(k, run.of);
    if (x == NULL || x->kind != EX_OP || x->op != SOP_MUL ||
        dtype_size((Dtype)x->dtype) < 4 || rows.of == 0) {
        return count_same(rows, run);
    }
    bool right = ir_is_const(k, x->b);
    int64_t by =
        ir_is_const(k, right ? x->b : x->a) ? ir_expr(k, right ? x->b : x->a)->imm : 0;
    bool multiple = (right ? x->a : x->b) == rows.of && by > 0 && by <= MOST_MULTIPLE &&
                    run.times * by == rows.times;
    return multiple || count_same(rows, run);
}

/* Gives the group the shape that it has with one more member; false: the shapes differ.
 * What a sink reads has as many elements as it reads, and bits have whole chunks, or no
 * memory. */
static bool
take_shape(const Fuse *f, Group *g, const Iteration *it, Count lanes)
{
    Count all = {g->rows.of, g->rows.times * g->lanes.times};
    if ((has_sink(g) || has_bits(g) || iteration_has_bits(it)) && !has_length(g, it) &&
        (has_run(g) || !has_least(f, g, it, lanes))) {
        return false;
    }
    if (g->n == 0) {
        g->flat = it->flat;
        g->rows = it->rows;
        g->lanes = it->lanes;
        return true;
    }
    if (g->flat && it->flat) {
        return similar(g->lanes, it->lanes);
    }
    if (!g->flat && !it->flat) {
        return count_same(g->rows, it->rows) && count_same(g->lanes, it->lanes);
    }
    if (!g->flat) {
        return rows_make(f->k, all, it->lanes);
    }
    Count rows = it->rows;
    for (int i = 0; i < g->n; i++) {
        Count want = {rows.of, rows.times * it->lanes.times};
        if (!rows_make(f->k, want, g->member[i].it.lanes)) {
            return false;
        }
    }
    g->flat = false;
    g->rows = rows;
    g->lanes = it->lanes;
    return true;
}

/* Returns whether one of the tensors that an instruction writes may share bytes with a
 * reference. */
static bool
writes_near(const Fuse *f, StmtId s, const Ref *r)
{
    int n;
    const Stmt *st = &f->k->stmts.p[s];
    const ParamInfo *p = form_params(op_table[st->instr.op].form, &n);
    for (int i = 0; i < n; i++) {
        const Arg *a = &f->k->args.p[st->instr.arg + (uint32_t)i];
        if (p[i].role == ROLE_DST &&
            (a->ref.buf == r->buf || !rewrite_apart(f->k, a->ref.buf, r->buf))) {
            return true;
        }
    }
    return false;
}

/* Returns whether a sink writes what the elements of another member are. */
static bool
sink_disturbs(const Fuse *f, StmtId sink, const Iteration *it)
{
    for (int i = 0; i < it->n; i++) {
        if (writes_near(f, sink, &it->op[i].ref)) {
            return true;
        }
    }
    return false;
}

static bool
joins(const Fuse *f, const Iteration *it, Count lanes, Group *with)
{
    if (with->n == MOST_MEMBERS || !take_shape(f, with, it, lanes) ||
        !in_lockstep(f, with, it, it)) {
        return false;
    }
    for (int i = 0; i < with->n; i++) {
        const Member *m = &with->member[i];
        if (!in_lockstep(f, with, &m->it, it) ||
            (m->sink && sink_disturbs(f, m->stmt, it))) {
            return false;
        }
    }
    return true;
}

static bool
add_member(Fuse *f, StmtId s, StmtId unit, const Iteration *it)
{
    Group *g = &f->group;
    bool flat = g->flat;
    Count rows = g->rows, lanes = g->lanes;
    Iteration set = *it;
    reaching_counts(f->reaching, unit, &set);
    if (!joins(f, it, set.lanes, g)) {
        g->flat = flat;
        g->rows = rows;
        g->lanes = lanes;
        return false;
    }
    g->member[g->n++] = (Member){.stmt = s, .unit = unit, .it = *it, .lanes = set.lanes};
    return true;
}

/* Adds all members of a run, or none. */
static bool
add_run(Fuse *f, StmtId run)
{
    ScopeMember m[MOST_SCOPE_MEMBERS];
    Group *g = &f->group, before = *g;
    Iteration it;
    int n = has_bits(g) ? -1 : run_members(f->k, run, m);
    for (int i = 0; i < n; i++) {
        if (!member_iteration(f->k, &m[i], &it) || !add_member(f, m[i].stmt, run, &it)) {
            *g = before;
            return false;
        }
    }
    return n > 0;
}

/* ---- statements that move before a group --------------------------------- */

static bool
group_reads_register(const Fuse *f, RegId r)
{
    for (int i = 0; i < f->group.n; i++) {
        if (rewrite_stmt_reads(f->k, f->group.member[i].unit, r)) {
            return true;
        }
    }
    return false;
}

/* Returns whether an access of one element is independent of the group. */
static bool
element_independent(const Fuse *f, const Ref *r, bool writes)
{
    Iteration one = {.flat = true, .rows = {0, 1}, .lanes = {0, 1}, .n = 1};
    one.op[0] = (IterationOperand){.ref = *r, .reads = !writes, .writes = writes};
    for (int i = 0; i < f->group.n; i++) {
        const Member *m = &f->group.member[i];
        if (!independent(f, &m->it, &one) || (m->sink && writes_near(f, m->stmt, r))) {
            return false;
        }
    }
    return true;
}

static bool
may_divide_by_zero(const Kernel *k, ExprId e)
{
    const Expr *x = ir_expr(k, e);
    if (x->kind != EX_OP) {
        return false;
    }
    bool divides = (x->op == SOP_DIV || x->op == SOP_REM) && !ir_is_const(k, x->b);
    return divides || may_divide_by_zero(k, x->a) ||
           (x->b != 0 && may_divide_by_zero(k, x->b));
}

static bool
group_is_proved(const Fuse *f)
{
    for (int i = 0; i < f->group.n; i++) {
        const Member *m = &f->group.member[i];
        if (m->unit != m->stmt || f->k->stmts.p[m->stmt].proof != PROOF_PROVED) {
            return false;
        }
    }
    return true;
}

/* Flags are only checked and barriers of queues do nothing, where instructions execute in
 * program order. */
static bool
is_order(const Stmt *s)
{
    Sem sem = op_table[s->instr.op].sem;
    return sem == SEM_PIPE_BARRIER || sem == SEM_SET_FLAG || sem == SEM_WAIT_FLAG;
}

/* Of two statements that may fault, the first one stays the first. */
static bool
moves_before(const Fuse *f, const Stmt *s)
{
    switch ((StmtKind)s->kind) {
    case ST_SET:
        return !group_reads_register(f, s->set.reg) &&
               (group_is_proved(f) || !may_divide_by_zero(f->k, s->set.value));
    case ST_LOAD:
        return s->proof == PROOF_PROVED && !group_reads_register(f, s->load.reg) &&
               element_independent(f, &s->load.ref, false);
    case ST_INSTR:
        return is_order(s) && group_is_proved(f);
    default:
        return false;
    }
}

static bool
instr_moves_before(const Fuse *f, const Iteration *it)
{
    for (int i = 0; i < f->group.n; i++) {
        const Member *m = &f->group.member[i];
        if (!independent(f, &m->it, it) || (m->sink && sink_disturbs(f, m->stmt, it))) {
            return false;
        }
    }
    return true;
}

/* ---- bodies -------------------------------------------------------------- */

static void fuse_body(Fuse *f, StmtId owner, int slot);

/* A list of statements under construction. */
typedef struct Chain {
    StmtId first, last;
} Chain;

static void
append(Kernel *k, Chain *c, StmtId s)
{
    if (c->first == 0) {
        c->first = s;
    } else {
        k->stmts.p[c->last].next = s;
    }
    k->stmts.p[s].next = 0;
    c->last = s;
}

static void take(Fuse *f, Chain *c, StmtId s);

/* Returns whether two members access bytes of one buffer, and one of them writes there:
 * only then a common loop saves something. */
static bool
share_values(const Iteration *a, const Iteration *b)
{
    for (int i = 0; i < a->n; i++) {
        for (int j = 0; j < b->n; j++) {
            if ((a->op[i].writes || b->op[j].writes) &&
                a->op[i].ref.buf == b->op[j].ref.buf &&
                a->op[i].ref.off == b->op[j].ref.off) {
                return true;
            }
        }
    }
    return false;
}

/* Returns whether a sink writes nothing that members access, and reads what one of them
 * computes. */
static bool
ends_group(const Fuse *f, StmtId s, const Iteration *it)
{
    const Group *g = &f->group;
    const Ref *dst = &f->k->args.p[f->k->stmts.p[s].instr.arg + ALLADD_dst].ref;
    bool follows = false;
    for (int i = 0; i < g->n; i++) {
        const Member *m = &g->member[i];
        follows = follows || share_values(&m->it, it);
        if (!count_same(m->it.lanes, it->lanes) || !in_lockstep(f, g, &m->it, it) ||
            sink_disturbs(f, s, &m->it) || (m->sink && writes_near(f, m->stmt, dst))) {
            return false;
        }
    }
    return follows && !sink_disturbs(f, s, it);
}

/* Adds a sink to a group that has the elements which it reads. */
static bool
add_sink(Fuse *f, StmtId s, const Iteration *it)
{
    Group *g = &f->group;
    if (g->n == 0 || g->n == MOST_MEMBERS || !g->flat || !ends_group(f, s, it)) {
        return false;
    }
    g->member[g->n++] = (Member){.stmt = s, .unit = s, .sink = true, .it = *it};
    return true;
}

/* Returns whether two members have to be in one part. */
static bool
belong_together(const Member *a, const Member *b)
{
    return a->unit == b->unit || share_values(&a->it, &b->it);
}

static void
unite(int *part, int n, int a, int b)
{
    int low = MIN(part[a], part[b]), high = MAX(part[a], part[b]);
    for (int i = 0; i < n; i++) {
        part[i] = part[i] == high ? low : part[i];
    }
}

/* Unites parts with checks that would come in another order: what is reported is the
 * first rule that the program breaks. */
static bool
unite_checks(const Kernel *k, const Group *g, int *part)
{
    for (int i = 0; i < g->n; i++) {
        for (int j = 0; j < i; j++) {
            if (part[j] > part[i] &&
                k->stmts.p[g->member[j].stmt].proof == PROOF_RUNTIME &&
                k->stmts.p[g->member[i].stmt].proof == PROOF_RUNTIME) {
                unite(part, g->n, i, j);
                return true;
            }
        }
    }
    return false;
}

/* Numbers the parts of a group by their first members: those that share values,
 * themselves or through others, have one number. Members of different parts are
 * independent. */
static void
find_parts(const Kernel *k, const Group *g, int *part)
{
    for (int i = 0; i < g->n; i++) {
        part[i] = i;
        for (int j = 0; j < i; j++) {
            if (part[j] != part[i] && belong_together(&g->member[j], &g->member[i])) {
                unite(part, i + 1, i, j);
            }
        }
    }
    while (unite_checks(k, g, part)) {
    }
}

/* An instruction that computes with what it reads in global memory is worth a loop of its
 * own, which reads ahead. */
static bool
computes_from_global(const Kernel *k, const Iteration *it)
{
    for (int i = 0; i < it->n && !it->moves && it->flat; i++) {
        if (it->op[i].reads && k->bufs.p[it->op[i].ref.buf].scope == SC_GM) {
            return true;
        }
    }
    return false;
}

/* Returns whether a part, the members with that number, has bits and members of different
 * lengths. */
static bool
is_uneven(const Group *g, const int *part, int number)
{
    bool bits = false, same = true;
    for (int i = number; i < g->n; i++) {
        if (part[i] == number) {
            bits = bits || iteration_has_bits(&g->member[i].it);
            same = same && count_same(g->member[i].it.lanes, g->member[number].it.lanes);
        }
    }
    return bits && !same;
}

static void append_group(Fuse *f, const Group *g, Chain *c);

static StmtId
new_scope(Kernel *k, StmtId body, bool fused)
{
    const Stmt *head = &k->stmts.p[body];
    Stmt scope = {.kind = ST_SCOPE,
                  .span = head->span,
                  .chain = head->chain,
                  .scope = {.body = body, .fused = fused, .uneven = !fused}};
    VEC_PUSH(&k->arena, &k->stmts, scope);
    return k->stmts.n - 1;
}

/* Adds an uneven part: a scope with groups of members that are equally long. */
static void
append_uneven(Fuse *f, const Group *g, const int *part, int number, Chain *c)
{
    Chain inside = {0};
    Group *even = ARENA_NEW(&f->scratch, Group);
    for (int i = number; i < g->n; i++) {
        if (part[i] != number) {
            continue;
        }
        const Member *m = &g->member[i];
        if (even->n > 0 && !count_same(even->lanes, m->it.lanes)) {
            append_group(f, even, &inside);
            even->n = 0;
        }
        even->flat = true;
        even->rows = m->it.rows;
        even->lanes = m->it.lanes;
        even->member[even->n++] = *m;
    }
    append_group(f, even, &inside);
    append(f->k, c, new_scope(f->k, inside.first, false));
}

/* Adds the members of a part to the chain: as a fused scope if there are several. */
static void
append_part(Fuse *f, const Group *g, const int *part, int number, Chain *c)
{
    Kernel *k = f->k;
    Chain inside = {0};
    int n = 0;
    for (int i = 0; i < g->n; i++) {
        n += part[i] == number;
    }
    StmtId last = 0;
    for (int i = 0; i < g->n; i++) {
        if (part[i] == number && g->member[i].unit != last) {
            bool alone = n == 1 && !computes_from_global(k, &g->member[i].it);
            last = g->member[i].unit;
            append(k, alone ? c : &inside, last);
        }
    }
    if (inside.first != 0) {
        append(k, c, new_scope(k, inside.first, true));
    }
}

static void
append_group(Fuse *f, const Group *g, Chain *c)
{
    int part[MOST_MEMBERS];
    find_parts(f->k, g, part);
    for (int i = 0; i < g->n; i++) {
        if (is_uneven(g, part, i)) {
            append_uneven(f, g, part, i, c);
        } else {
            append_part(f, g, part, i, c);
        }
    }
}

/* Adds what was collected to the chain, and begins anew. Statements that moved before the
 * group may be groups of their own. */
static void
close_group(Fuse *f, Chain *c)
{
    Kernel *k = f->k;
    for (uint32_t i = 0; i < f->allocs.n; i++) {
        append(k, c, f->allocs.p[i]);
    }
    uint32_t n = f->before.n;
    Group *g = arena_copy(&f->scratch, &f->group, n ? sizeof f->group : 0);
    StmtId *moved = arena_copy(&f->scratch, f->before.p, n * sizeof *f->before.p);
    f->allocs.n = f->before.n = 0;
    if (n > 0) {
        f->group.n = 0;
        f->depth++;
        for (uint32_t i = 0; i < n; i++) {
            take(f, c, moved[i]);
        }
        close_group(f, c);
        f->depth--;
    }
    append_group(f, n > 0 ? g : &f->group, c);
    f->group.n = 0;
}

/* Atomic writes have an order of their own. */
static bool
is_loop(const Fuse *f, const Stmt *s, Iteration *it)
{
    if (f->depth >= MOST_DEPTH || !iteration_of(f->k, s, it)) {
        return false;
    }
    for (int i = 0; f->sets_registers && i < it->n; i++) {
        if (it->op[i].writes && f->k->bufs.p[it->op[i].ref.buf].scope == SC_GM) {
            return false;
        }
    }
    return true;
}

static void
take(Fuse *f, Chain *c, StmtId s)
{
    const Stmt *st = &f->k->stmts.p[s];
    Iteration it;
    bool loop = is_loop(f, st, &it);
    bool run = st->kind == ST_SCOPE && st->scope.run != 0 && f->depth < MOST_DEPTH;
    if (run ? add_run(f, s) : loop && add_member(f, s, s, &it)) {
        return;
    }
    if (!loop && iteration_sink(f->k, st, &it) && add_sink(f, s, &it)) {
        return;
    }
    if (f->group.n > 0) {
        if (st->kind == ST_ALLOC) {
            VEC_PUSH(&f->scratch, &f->allocs, s);
            return;
        }
        if (loop ? instr_moves_before(f, &it) && st->proof == PROOF_PROVED
                 : moves_before(f, st)) {
            VEC_PUSH(&f->scratch, &f->before, s);
            return;
        }
        close_group(f, c);
        if (run ? add_run(f, s) : loop && add_member(f, s, s, &it)) {
            return;
        }
    }
    append(f->k, c, s);
}

static void
fuse_inside(Fuse *f, StmtId s)
{
    switch ((StmtKind)f->k->stmts.p[s].kind) {
    case ST_IF:
        fuse_body(f, s, 0);
        fuse_body(f, s, 1);
        return;
    case ST_FOR:
    case ST_SCOPE:
        fuse_body(f, s, 0);
        return;
    default:
        return;
    }
}

static void
fuse_body(Fuse *f, StmtId owner, int slot)
{
    Chain c = {0};
    StmtId next;
    for (StmtId s = *ir_body(f->k, owner, slot); s != 0; s = next) {
        next = f->k->stmts.p[s].next;
        take(f, &c, s);
    }
    close_group(f, &c);
    *ir_body(f->k, owner, slot) = c.first;
    for (StmtId s = c.first; s != 0; s = f->k->stmts.p[s].next) {
        const Stmt *st = &f->k->stmts.p[s];
        if (st->kind != ST_SCOPE ||
            (!st->scope.fused && !st->scope.uneven && st->scope.finish == 0)) {
            fuse_inside(f, s);
        }
    }
}

bool
pass_fuse(Kernel *k)
{
    Fuse f = {.k = k};
    arena_init(&f.scratch);
    env_init(&f.env, k, &f.scratch);
    rewrite_unify_offsets(k, &f.scratch);
    f.reaching = reaching_find(k, &f.scratch);
    for (BufId i = 1; i < k->bufs.n; i++) {
        f.sets_registers = f.sets_registers || k->bufs.p[i].scope == SC_SREG;
    }
    fuse_body(&f, 0, 0);
    arena_free(&f.scratch);
    return true;
}
