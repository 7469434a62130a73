/* spread.c: lets the iterations of a kernel's loop run on several threads although the
 * kernel has one core: makes cores of runs of iterations that depend on each other in
 * nothing.
 *
 * Needs: a checked kernel with addresses, in a copy for the host. Guarantees: the cores
 * may run in any order, and write together what the kernel writes. Never: changes a
 * kernel with cores of its own, or one whose iterations go over few bytes.
 *
 * Of a kernel
 *
 *    prologue
 *    for @i = 0 to n
 *        body
 *
 * becomes
 *
 *    for @c = 0 to cores block_num=cores
 *        prologue
 *        for @i = 0 to n / cores
 *            body, with i + c * (n / cores) for i
 *
 * The pass tries it on a copy. It holds if there
 * - no core writes global bytes that another one accesses (blocks.c);
 * - each core reads only on-core bytes that it has written itself (init.c), and no tensor
 *   is written both by the prologue and by the body, so these bytes are what the last
 *   iterations before had written;
 * - no register is read in the body that is set in it and was not set before in the same
 *   iteration.
 * The prologue is executed by each core, so it has no loops. */
#include "passes/access.h"
#include "passes/passes.h"
#include "passes/plain.h"
#include "passes/rewrite.h"
#include "passes/substitute.h"

enum {
    MOST_CORES = 16,
    MOST_ALONE = 64,       /* of iterations that have a core each */
    LEAST_BYTES = 1 << 18, /* of global memory, that are worth a second thread */
    MOST_PROLOGUE = 64     /* statements */
};

typedef struct Spread {
    Kernel *k;
    Arena scratch;
    StmtId loop, before; /* before: the last statement of the prologue; 0: none */
    int64_t trips;
    int64_t cores;
    bool *before_writes; /* by BufId: the prologue writes it */
    bool *set;           /* by RegId: it was certainly set in this iteration */
} Spread;

/* ---- the loop ------------------------------------------------------------ */

/* Returns the number of cores that the iterations are shared among; 0: they cannot be. */
static int64_t
choose_cores(int64_t trips)
{
    for (int64_t cores = MIN(trips, MOST_CORES); cores > 1; cores--) {
        if (trips % cores == 0) {
            return cores;
        }
    }
    return trips > 1 && trips <= MOST_ALONE ? trips : 0;
}

/* Finds the loop, which is the kernel's last statement. */
static bool
find_loop(Spread *s)
{
    int64_t begin, end, n = 0;
    StmtId id = s->k->body;
    for (; id != 0 && s->k->stmts.p[id].next != 0; id = s->k->stmts.p[id].next) {
        if (s->k->stmts.p[id].kind == ST_FOR || ++n > MOST_PROLOGUE) {
            return false;
        }
        s->before = id;
    }
    const Stmt *st = &s->k->stmts.p[id];
    if (id == 0 || st->kind != ST_FOR || !access_certain_loop(s->k, st, &begin, &end) ||
        begin != 0) {
        return false;
    }
    s->loop = id;
    s->trips = end;
    s->cores = choose_cores(end);
    return s->cores != 0;
}

/* Returns the bytes of global memory that a body goes over, as far as they are known. */
static int64_t
count_bytes(const Kernel *k, StmtId first)
{
    int64_t sum = 0, begin, end;
    for (StmtId id = first; id != 0; id = k->stmts.p[id].next) {
        const Stmt *st = &k->stmts.p[id];
        Access a[MAX_ACCESSES];
        int n = access_list(k, st, a);
        for (int i = 0; i < n; i++) {
            if (a[i].known && k->bufs.p[a[i].buf].scope == SC_GM) {
                sum = sat_add(sum, sat_mul(access_runs(&a[i]), a[i].fp.len));
            }
        }
        if (st->kind == ST_FOR && access_certain_loop(k, st, &begin, &end)) {
            sum = sat_add(sum, sat_mul(end - begin, count_bytes(k, st->loop.body)));
        } else if (st->kind == ST_SCOPE) {
            sum = sat_add(sum, count_bytes(k, st->scope.body));
        }
    }
    return sum;
}

/* ---- what iterations hand on --------------------------------------------- */

static bool
is_special(const Buffer *b)
{
    return b->role == BUF_LIST || b->scope == SC_SREG || b->scope == SC_LMEM ||
           (b->dynamic && b->scope != SC_GM);
}

static bool
suits(const Kernel *k)
{
    bool ok = !k->may_read_uninit && k->core == 0 && k->prints.n == 0;
    for (BufId b = 1; b < k->bufs.n; b++) {
        ok = ok && !is_special(&k->bufs.p[b]);
    }
    return ok && ir_cores(k) == 1 && plain_body(k, k->body);
}

static void
note_written(Spread *s, const Stmt *st)
{
    Access a[MAX_ACCESSES];
    int n = access_list(s->k, st, a);
    for (int i = 0; i < n; i++) {
        s->before_writes[a[i].buf] |= a[i].write;
    }
}

/* Notes what the statements up to the last one of the prologue write. */
static void
note_prologue(Spread *s, StmtId first)
{
    for (StmtId id = first; id != 0 && id != s->loop; id = s->k->stmts.p[id].next) {
        const Stmt *st = &s->k->stmts.p[id];
        note_written(s, st);
        if (st->kind == ST_SCOPE) {
            note_prologue(s, st->scope.body);
        } else if (st->kind == ST_IF) {
            note_prologue(s, st->cond.then_body);
            note_prologue(s, st->cond.else_body);
        } else if (st->kind == ST_FOR) {
            note_prologue(s, st->loop.body);
        }
    }
}

/* Returns whether an expression reads a register that the body sets, but has not set yet
 * in this iteration. */
static bool
hands_on(const Spread *s, ExprId e)
{
    const Expr *x = ir_expr(s->k, e);
    if ((x->flags & EXF_REG) == 0) {
        return false;
    }
    if (x->kind == EX_REG) {
        StmtId body = s->k->stmts.p[s->loop].loop.body;
        return !s->set[x->a] && rewrite_body_sets(s->k, body, x->a);
    }
    return hands_on(s, x->a) || (x->b != 0 && hands_on(s, x->b));
}

static bool
instr_hands_on(const Spread *s, const Stmt *st)
{
    int n;
    (void)form_params(op_table[st->instr.op].form, &n);
    for (int i = 0; i < n; i++) {
        const Arg *a = &s->k->args.p[st->instr.arg + (uint32_t)i];
        if ((a->kind == ARG_EXPR && hands_on(s, a->expr)) ||
            (a->kind == ARG_REF && hands_on(s, a->ref.off))) {
            return true;
        }
        for (int w = 0; a->kind == ARG_MASK && w < mask_words(a->mask_form); w++) {
            if (hands_on(s, a->mask[w])) {
                return true;
            }
        }
    }
    return false;
}

static bool writes_before(const Spread *s, const Stmt *st);
static bool body_hands_on(Spread *s, StmtId first);

/* What is set inside of a loop or a branch need not be set after it. */
static bool
inner_hands_on(Spread *s, StmtId first)
{
    bool *outer = arena_copy(&s->scratch, s->set, s->k->regs.n * sizeof *s->set);
    bool found = body_hands_on(s, first);
    s->set = outer;
    return found;
}

static bool
stmt_hands_on(Spread *s, const Stmt *st)
{
    bool found;
    switch ((StmtKind)st->kind) {
    case ST_INSTR:
        return instr_hands_on(s, st) || writes_before(s, st);
    case ST_SET:
        found = hands_on(s, st->set.value);
        s->set[st->set.reg] = true;
        return found;
    case ST_LOAD:
        found = hands_on(s, st->load.ref.off);
        s->set[st->load.reg] = true;
        return found;
    case ST_STORE:
        return hands_on(s, st->store.ref.off) || hands_on(s, st->store.value) ||
               writes_before(s, st);
    case ST_FOR:
        return hands_on(s, st->loop.begin) || hands_on(s, st->loop.end) ||
               inner_hands_on(s, st->loop.body);
    case ST_IF:
        return hands_on(s, st->cond.cond) || inner_hands_on(s, st->cond.then_body) ||
               inner_hands_on(s, st->cond.else_body);
    case ST_SCOPE:
        return body_hands_on(s, st->scope.body);
    default:
        return false;
    }
}

/* Returns whether a statement writes a tensor that the prologue writes, too. */
static bool
writes_before(const Spread *s, const Stmt *st)
{
    Access a[MAX_ACCESSES];
    bool any = false;
    int n = access_list(s->k, st, a);
    for (int i = 0; i < n; i++) {
        any = any || (a[i].write && s->before_writes[a[i].buf]);
    }
    return any;
}

static bool
body_hands_on(Spread *s, StmtId first)
{
    for (StmtId id = first; id != 0; id = s->k->stmts.p[id].next) {
        if (stmt_hands_on(s, &s->k->stmts.p[id])) {
            return true;
        }
    }
    return false;
}

/* ---- the cores ----------------------------------------------------------- */

/* Makes the cores of a kernel, which is the one that was looked at or a copy. */
static void
make_cores(const Spread *s, Kernel *k, Arena *scratch)
{
    Stmt *inner = &k->stmts.p[s->loop];
    VarId var = inner->loop.var;
    Dtype t = k->vars.p[var].dtype;
    StmtId body = inner->loop.body, first = k->body;
    int64_t share = s->trips / s->cores;
    Stmt outer = {.kind = ST_FOR, .span = inner->span, .chain = inner->chain};
    outer.loop.var = ir_var(k, intern(&k->unit->names, "run"), t);
    outer.loop.begin = ir_const(k, t, 0);
    outer.loop.end = ir_const(k, t, s->cores);
    outer.loop.block_num = (int32_t)s->cores;
    outer.loop.thread_num = 1;
    k->body = 0;
    Cursor at = ir_cursor_body(0, 0);
    StmtId cores = ir_append(k, &at, &outer);
    k->stmts.p[cores].loop.body = first;
    ExprId run =
        ir_op2(k, SOP_MUL, ir_var_value(k, outer.loop.var), ir_const(k, t, share));
    Substitution sub = {.k = k, .arena = scratch};
    substitute_in(&sub, var, ir_op2(k, SOP_ADD, ir_var_value(k, var), run), body);
    k->stmts.p[s->loop].loop.end =
        ir_const(k, (Dtype)ir_expr(k, k->stmts.p[s->loop].loop.end)->dtype, share);
}

/* Tries it on a copy, for which nothing is reported. */
static bool
cores_are_apart(Spread *s)
{
    Kernel *copy = kernel_clone(s->k);
    copy->incomplete = true;
    make_cores(s, copy, &s->scratch);
    bool ok = pass_blocks(copy) && pass_init(copy) && !copy->may_read_uninit &&
              !copy->blocks_ordered && !copy->blocks_atomics_ordered;
    kernel_free(copy);
    return ok;
}

bool
pass_spread(Kernel *k)
{
    Spread s = {.k = k};
    if (!suits(k) || !find_loop(&s)) {
        return true;
    }
    arena_init(&s.scratch);
    s.before_writes = ARENA_ARRAY(&s.scratch, bool, k->bufs.n);
    s.set = ARENA_ARRAY(&s.scratch, bool, k->regs.n);
    note_prologue(&s, k->body);
    StmtId body = k->stmts.p[s.loop].loop.body;
    if (sat_mul(s.trips, count_bytes(k, body)) >= LEAST_BYTES &&
        !body_hands_on(&s, body) && cores_are_apart(&s)) {
        make_cores(&s, k, &s.scratch);
    }
    arena_free(&s.scratch);
    return true;
}
