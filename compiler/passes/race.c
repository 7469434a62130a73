/* race.c: looks for accesses that nothing orders where the program orders the queues
 * itself.
 *
 * Needs: a kernel that passed check. Guarantees: nothing. Warnings race, waw-no-barrier
 * and sync-overrun in scopes without automatic synchronisation (scope no_sync). Elsewhere
 * the compiler orders the queues, and before and after such a scope too, so each scope is
 * looked at by itself. Never: changes statements.
 *
 * A scope is executed as its instructions are handed out, with numbers for loop variables
 * and for registers that follow from them, and order.h says for each access which earlier
 * ones have ended. Accesses whose bytes depend on other registers are left out, and the
 * note race-unchecked says so, as it does when the budget is spent. Of a loop with many
 * iterations the first and the last ones are executed; the number that is left out is a
 * multiple of PERIOD, so that buffers and flags that alternate come out right. Accesses
 * of the first iterations are compared among each other only. A loop with bounds that are
 * known at run time only is executed a few times, with both outcomes of an open `if` in
 * two runs. Statements that are not executed but have flags, and jumps, order everything.
 * So all that is reported is about executions that exist, as far as those bounds and
 * conditions can have any value. */
#include "analysis/atomic_mode.h"
#include "analysis/site.h"
#include "passes/order.h"
#include "passes/passes.h"
#include "passes/access_log.h"
#include "passes/vars.h"

#include <string.h>

enum {
    PERIOD = 12,
    FEW = 2 * PERIOD, /* loops with at most this many iterations are executed in full */
    HEAD = 8,         /* first iterations that are executed of longer loops */
    SAMPLE = 4,       /* iterations that are executed of a loop with open bounds */
    COST = 32,        /* what an instruction costs, in comparisons */
    BUDGET = 1 << 22
};

typedef struct Race {
    Kernel *k;
    Arena scratch;
    Vars vars;
    AtomicModes modes;
    bool has_modes;
    Order order;
    AccessLog log;
    int64_t trip;    /* iteration of the innermost loop */
    int64_t *reg;    /* by RegId: its value, if it is known */
    bool *reg_known; /* by RegId */
    StmtId left_out; /* the first statement with an access that is left out; 0: none */
    int nleft_out;
    int64_t *copy;      /* by BufId: which of the copies (thread_num) is in use */
    bool outcome;       /* outcome of open conditions in this run */
    bool open;          /* there was an open condition */
    int unsure;         /* number of open conditions around the present place */
    StmtKind jump;      /* the jump that is being executed; ST_NONE: none */
    int64_t work;       /* the budget that is left, in comparisons */
    uint8_t *orders;    /* by StmtId of an `if`: the branches that order queues */
    uint16_t *reported; /* by StmtId: bits of REPORTED_ and of queues */
} Race;

enum {
    REPORTED_BARRIER = PIPE_COUNT,
    REPORTED_LEFT_OUT,
    THEN_ORDERS = 1, /* bits of orders */
    ELSE_ORDERS = 2
};

/* ---- numbers ------------------------------------------------------------- */

/* Returns false where the value depends on what only the run knows. */
static bool
eval(const Race *r, ExprId id, int64_t *out)
{
    const Expr *e = ir_expr(r->k, id);
    int64_t a = 0, b = 0;
    if ((e->flags & EXF_REG) == 0) {
        return vars_eval(&r->vars, id, out);
    }
    if (e->kind == EX_REG) {
        *out = r->reg[e->a];
        return r->reg_known[e->a];
    }
    if (!eval(r, e->a, &a) || (e->b != 0 && !eval(r, e->b, &b))) {
        return false;
    }
    Dtype from = (Dtype)ir_expr(r->k, e->a)->dtype;
    Dtype t = scalar_is_compare((ScalarOp)e->op) ? from : (Dtype)e->dtype;
    return scalar_eval((ScalarOp)e->op, t, from, a, b, out);
}

/* Forgets the registers that a body sets. */
static void
forget_registers(Race *r, StmtId first)
{
    for (StmtId id = first; id; id = r->k->stmts.p[id].next) {
        const Stmt *s = &r->k->stmts.p[id];
        if (s->kind == ST_SET) {
            r->reg_known[s->set.reg] = false;
        } else if (s->kind == ST_LOAD) {
            r->reg_known[s->load.reg] = false;
        } else if (s->kind == ST_FOR) {
            forget_registers(r, s->loop.body);
        } else if (s->kind == ST_SCOPE) {
            forget_registers(r, s->scope.body);
        } else if (s->kind == ST_IF) {
            forget_registers(r, s->cond.then_body);
            forget_registers(r, s->cond.else_body);
        }
    }
}

/* ---- accesses ------------------------------------------------------------ */

/* Fills the operands that are known now; false: the shape of the accesses is not known.
 * unknown[i]: operand i is a tensor whose place is not known. */
static bool
operands(const Race *r, Site *s, bool unknown[MAX_PARAMS])
{
    for (int p = 0; p < s->nparams; p++) {
        unknown[p] = false;
        bool tensor =
            s->element || s->params[p].role == ROLE_DST || s->params[p].role == ROLE_SRC;
        for (int i = 0; i < site_exprs(s, p); i++) {
            int64_t v;
            if (eval(r, site_expr(s, p, i), &v)) {
                site_put(s, &s->in, p, i, v);
            } else if (tensor) {
                unknown[p] = true;
            } else if (s->params[p].role != ROLE_SCALAR) {
                return false;
            }
        }
    }
    return true;
}

/* True for a product that adds to so few blocks of L0C that the next one would come too
 * early. */
static bool
is_short_product(const CheckInstr *in)
{
    Form form = op_table[in->op].form;
    int m = form_slot(form, ROLE_INT, "matrix_m"),
        n = form_slot(form, ROLE_INT, "matrix_n");
    return op_table[in->op].sem == SEM_MMAD && check_reads_dst(in) && m >= 0 && n >= 0 &&
           div_ceil(in->args[m].v, 16) * div_ceil(in->args[n].v, 16) < 10;
}

static bool
leaves_l0c(const Site *s)
{
    int src = form_first(op_table[s->in.op].form, ROLE_SRC);
    return src >= 0 && s->in.args[src].t.scope == SC_L0C;
}

/* Returns the bits for pairs in the same queue that need a barrier (data-movement
 * 12.2). */
static uint8_t
hazards(const Race *r, const Site *s, Pipe pipe, bool write)
{
    if (s->element) {
        return 0;
    }
    bool atomic = r->has_modes && r->modes.before[s->stmt] != 0;
    bool move = pipe == PIPE_MTE2 || pipe == PIPE_MTE3;
    uint8_t bits = write && move && !atomic ? HAZARD_MOVE | HAZARD_AFTER_MOVE : 0;
    if (pipe == PIPE_V) {
        bits |=
            write && leaves_l0c(s) ? HAZARD_MOVE | HAZARD_AFTER_MOVE : HAZARD_AFTER_MOVE;
    }
    if (pipe == PIPE_M && write && op_table[s->in.op].sem == SEM_MMAD) {
        bits |= HAZARD_MOVE | (is_short_product(&s->in) ? HAZARD_AFTER_MOVE : 0);
    }
    return bits;
}

static void
report_barrier(const Race *r, const LoggedAccess *a, const LoggedAccess *b, int64_t lo,
               int64_t hi)
{
    Unit *u = r->k->unit;
    const Stmt *sa = &r->k->stmts.p[a->stmt], *sb = &r->k->stmts.p[b->stmt];
    const char *pipe = pipe_name(b->pipe);
    Diag *d = diag_add(u, D_WAW_NO_BARRIER, ir_arg_span(r->k, sb, b->param), sb->chain,
                       "%sPIPE_%s %s bytes %lld to %lld of '%s' while an instruction "
                       "before it in the queue may still write them",
                       vars_where(&r->vars, &u->arena), pipe,
                       b->write ? "writes" : "reads", (long long)lo, (long long)hi - 1,
                       sym_text(&u->names, r->k->bufs.p[b->buf].name));
    diag_note(u, d, ir_arg_span(r->k, sa, a->param), "that one is here");
    diag_help(u, d, "put pipe_barrier(\"PIPE_%s\") between them", pipe);
}

static void
report_race(const Race *r, const LoggedAccess *a, const LoggedAccess *b, int64_t lo,
            int64_t hi)
{
    Unit *u = r->k->unit;
    const Stmt *sa = &r->k->stmts.p[a->stmt], *sb = &r->k->stmts.p[b->stmt];
    const char *from = pipe_name(a->pipe), *to = pipe_name(b->pipe);
    Diag *d = diag_add(
        u, D_RACE, ir_arg_span(r->k, sb, b->param), sb->chain,
        "%sPIPE_%s %s bytes %lld to %lld of '%s' while PIPE_%s may still %s them",
        vars_where(&r->vars, &u->arena), to, b->write ? "writes" : "reads", (long long)lo,
        (long long)hi - 1, sym_text(&u->names, r->k->bufs.p[b->buf].name), from,
        a->write ? "write" : "read");
    const char *at = vars_text(r->k, a->at, &u->arena);
    diag_note(u, d, ir_arg_span(r->k, sa, a->param), "PIPE_%s %s them here%s%s", from,
              a->write ? "writes" : "reads", at[0] ? ", at " : "", at);
    diag_help(u, d,
              "put set_flag(\"PIPE_%s\", \"PIPE_%s\", id) after the one and "
              "wait_flag(\"PIPE_%s\", \"PIPE_%s\", id) before the other",
              from, to, from, to);
}

/* Compares an access with an earlier one of the same buffer; at least one of the two is a
 * write. */
static void
compare(Race *r, const LoggedAccess *a, const LoggedAccess *b)
{
    int64_t lo, hi;
    bool same = a->pipe == b->pipe;
    int bit = same ? REPORTED_BARRIER : (int)a->pipe;
    bool hazard =
        (a->hazards & HAZARD_MOVE) != 0 && (b->hazards & HAZARD_AFTER_MOVE) != 0;
    if ((r->reported[b->stmt] >> bit & 1) != 0 || (same && !hazard) ||
        order_ended(&r->order, a->pipe, a->number, b->pipe) ||
        !access_log_share_part(&r->log, a, b)) {
        return;
    }
    r->work -= access_log_cost(a, b);
    if (!access_log_overlap(a, b, &lo, &hi)) {
        return;
    }
    r->reported[b->stmt] |= (uint16_t)(1 << bit);
    int64_t shift = r->copy[b->buf] * ir_room(&r->k->bufs.p[b->buf]);
    (same ? report_barrier : report_race)(r, a, b, lo - shift, hi - shift);
}

/* True if all later instructions begin after the access has ended. */
static bool
is_past(const Race *r, const LoggedAccess *t)
{
    bool past = true;
    for (int q = 0; q < PIPE_COUNT; q++) {
        past = past && order_ended(&r->order, t->pipe, t->number, (Pipe)q);
    }
    return past;
}

static void
note_touch(Race *r, const LoggedAccess *t)
{
    for (uint32_t *link = &r->log.of[t->buf]; *link;) {
        const LoggedAccess *a = &r->log.all.p[*link - 1];
        if (is_past(r, a)) {
            *link = a->next;
            continue;
        }
        if (a->write || t->write) {
            compare(r, a, t);
        }
        link = &r->log.all.p[*link - 1].next;
        r->work--;
    }
    access_log_add(&r->log, t);
}

/* What the scalar unit reads, it has read before it hands out the next instruction. */
static bool
is_lasting(const LoggedAccess *t)
{
    return t->pipe != PIPE_S || t->write;
}

static void
note_operand(Race *r, Site *s, int param, LoggedAccess *t)
{
    const Ref *ref = site_ref(s, param);
    const Buffer *b = &r->k->bufs.p[ref->buf];
    bool exact = true;
    Footprint element = {s->in.args[0].t.offset, 1, 0, 1, 0, dtype_size(ref->dtype)};
    t->fp = s->element ? element : check_footprint(&s->in, param, &exact);
    if (!exact || !access_log_is_shape(&t->fp) || b->scope == SC_SREG) {
        return;
    }
    t->fp.offset += r->copy[ref->buf] * ir_room(b);
    t->buf = ref->buf;
    t->param = param;
    t->hazards = hazards(r, s, t->pipe, t->write);
    uint32_t before = r->log.all.n;
    note_touch(r, t);
    if (!is_lasting(t)) {
        access_log_drop(&r->log, t->buf, before);
    }
}

static void
leave_out(Race *r, StmtId id)
{
    bool first = (r->reported[id] >> REPORTED_LEFT_OUT & 1) == 0;
    r->reported[id] |= (uint16_t)(1 << REPORTED_LEFT_OUT);
    r->left_out = r->left_out ? r->left_out : id;
    r->nleft_out += first;
}

static void
note_instr(Race *r, StmtId id)
{
    Site s;
    bool unknown[MAX_PARAMS];
    const Stmt *st = &r->k->stmts.p[id];
    if (!site_init(&s, r->k, id)) {
        return;
    }
    LoggedAccess t = {.stmt = id, .part = r->log.part};
    t.pipe = s.element ? PIPE_S : flag_pipe(&s.in);
    t.number = order_instr(&r->order, t.pipe);
    if (!operands(r, &s, unknown)) {
        leave_out(r, id);
        return;
    }
    r->work -= r->vars.open.n;
    t.at = vars_shot(&r->vars, &r->scratch);
    for (int pass = 0; pass < 2; pass++) {
        for (int p = 0; p < s.nparams; p++) {
            bool dst = s.element ? st->kind == ST_STORE : s.params[p].role == ROLE_DST;
            bool src = s.element ? st->kind == ST_LOAD : s.params[p].role == ROLE_SRC;
            t.write = pass == 1;
            if ((t.write ? dst : src) && unknown[p]) {
                leave_out(r, id);
            } else if (t.write ? dst : src) {
                note_operand(r, &s, p, &t);
            }
        }
    }
}

/* ---- synchronisation ----------------------------------------------------- */

static void
overrun(Race *r, StmtId id, Pipe from, Pipe to, int flag)
{
    Unit *u = r->k->unit;
    const Stmt *s = &r->k->stmts.p[id];
    if ((r->reported[id] & 1) == 0) {
        r->reported[id] |= 1;
        diag_add(
            u, D_SYNC_OVERRUN, s->span, s->chain,
            "%sPIPE_%s may set flag %d again before PIPE_%s has come to the wait_flag "
            "before it",
            vars_where(&r->vars, &u->arena), pipe_name(from), flag, pipe_name(to));
    }
}

static void
note_flag(Race *r, StmtId id, bool set)
{
    const Arg *a = &r->k->args.p[r->k->stmts.p[id].instr.arg];
    Pipe from = (Pipe)ir_expr(r->k, a[0].expr)->imm;
    Pipe to = (Pipe)ir_expr(r->k, a[1].expr)->imm;
    int64_t flag;
    if (!eval(r, a[2].expr, &flag) || flag < 0 || flag >= FLAG_IDS) {
        order_all(&r->order);
    } else if (!set) {
        order_wait(&r->order, from, to, (int)flag);
    } else if (!order_set(&r->order, from, to, (int)flag)) {
        overrun(r, id, from, to, (int)flag);
    }
}

static void
run_instr(Race *r, StmtId id)
{
    const Stmt *s = &r->k->stmts.p[id];
    r->work -= COST;
    switch (op_table[s->instr.op].sem) {
    case SEM_SET_FLAG:
    case SEM_WAIT_FLAG:
        note_flag(r, id, op_table[s->instr.op].sem == SEM_SET_FLAG);
        return;
    case SEM_PIPE_BARRIER:
        order_barrier(&r->order,
                      (int)ir_expr(r->k, r->k->args.p[s->instr.arg].expr)->imm);
        return;
    default:
        note_instr(r, id);
        return;
    }
}

/* ---- the walk inside of a scope ------------------------------------------ */

static void run_body(Race *r, StmtId first);

/* Executes one iteration; false: the loop ends with it. */
static bool
run_iteration(Race *r, const Stmt *s, int64_t trip)
{
    int64_t outer = r->trip;
    r->work--;
    r->trip = trip;
    run_body(r, s->loop.body);
    r->trip = outer;
    bool on = r->jump != ST_BREAK && r->jump != ST_RETURN;
    r->jump = r->jump == ST_RETURN ? ST_RETURN : ST_NONE;
    return on && r->work > 0;
}

/* Executes the iterations [from, to) of a loop; its variable starts at begin. */
static bool
run_some(Race *r, const Stmt *s, int64_t begin, int64_t from, int64_t to)
{
    bool on = true;
    for (int64_t i = from; on && i < to; i++) {
        vars_set(&r->vars, s->loop.var, begin + i);
        on = run_iteration(r, s, i);
    }
    return on;
}

static void
run_many(Race *r, const Stmt *s, int64_t begin, int64_t n)
{
    int64_t rest = FEW - HEAD + (n - FEW) % PERIOD;
    access_log_open_part(&r->log, &r->scratch);
    bool on = run_some(r, s, begin, 0, HEAD);
    access_log_close_part(&r->log);
    forget_registers(r, s->loop.body);
    if (on) {
        run_some(r, s, begin, n - rest, n);
    }
}

static void
run_loop(Race *r, const Stmt *s)
{
    int64_t begin, end;
    bool first = eval(r, s->loop.begin, &begin);
    if (ir_is_multicore(s)) { /* this is core 0 */
        vars_set(&r->vars, s->loop.var, 0);
        run_iteration(r, s, 0);
    } else if (first && eval(r, s->loop.end, &end)) {
        int64_t n = end > begin ? (int64_t)((uint64_t)end - (uint64_t)begin) : 0;
        if (n < 0 || n > FEW) {
            run_many(r, s, begin, n < 0 ? INT64_MAX : n);
        } else {
            run_some(r, s, begin, 0, n);
        }
    } else if (first && begin < INT64_MAX - SAMPLE) {
        run_some(r, s, begin, 0, SAMPLE);
        forget_registers(r, s->loop.body);
    } else {
        for (int i = 0; i < SAMPLE && run_iteration(r, s, i); i++) {
        }
        forget_registers(r, s->loop.body);
    }
    if (!ir_is_multicore(s)) {
        vars_forget(&r->vars, s->loop.var);
    }
}

static void
run_if(Race *r, StmtId id)
{
    int64_t taken;
    const Stmt *s = &r->k->stmts.p[id];
    if (eval(r, s->cond.cond, &taken)) {
        run_body(r, taken ? s->cond.then_body : s->cond.else_body);
        return;
    }
    r->open = true;
    r->unsure++;
    run_body(r, r->outcome ? s->cond.then_body : s->cond.else_body);
    if ((r->orders[id] & (r->outcome ? ELSE_ORDERS : THEN_ORDERS)) != 0) {
        order_all(&r->order);
    }
    r->jump = ST_NONE;
    r->unsure--;
}

static void
run_stmt(Race *r, StmtId id)
{
    const Stmt *s = &r->k->stmts.p[id];
    switch ((StmtKind)s->kind) {
    case ST_INSTR:
        run_instr(r, id);
        return;
    case ST_LOAD:
        r->reg_known[s->load.reg] = false;
        r->work -= COST;
        note_instr(r, id);
        return;
    case ST_STORE:
        r->work -= COST;
        note_instr(r, id);
        return;
    case ST_ALLOC: {
        int copies = r->k->bufs.p[s->alloc.buf].copies;
        r->copy[s->alloc.buf] = copies > 1 ? r->trip % copies : 0;
        return;
    }
    case ST_FOR:
        run_loop(r, s);
        return;
    case ST_IF:
        run_if(r, id);
        return;
    case ST_SCOPE:
        run_body(r, s->scope.body);
        return;
    case ST_BREAK:
    case ST_CONTINUE:
    case ST_RETURN:
        order_all(&r->order);
        r->jump = (StmtKind)s->kind;
        return;
    case ST_SET:
        r->reg_known[s->set.reg] = eval(r, s->set.value, &r->reg[s->set.reg]);
        return;
    case ST_NONE:
        return;
    }
}

static void
run_body(Race *r, StmtId first)
{
    for (StmtId id = first; id && r->jump == ST_NONE && r->work > 0;
         id = r->k->stmts.p[id].next) {
        run_stmt(r, id);
    }
}

/* ---- the scopes of a kernel ---------------------------------------------- */

/* Says what was not looked at in a scope. */
static void
report_unchecked(Race *r, const Stmt *scope)
{
    Unit *u = r->k->unit;
    if (r->work <= 0) {
        diag_add(u, D_RACE_UNCHECKED, scope->span, scope->chain,
                 "races are looked for in the first part of this scope only: it executes "
                 "too many instructions");
    } else if (r->left_out) {
        const Stmt *s = &r->k->stmts.p[r->left_out];
        diag_add(u, D_RACE_UNCHECKED, s->span, s->chain,
                 "%d statement%s of this scope %s not compared with others: the bytes "
                 "depend on Scalars that are known only while running",
                 r->nleft_out, r->nleft_out == 1 ? "" : "s",
                 r->nleft_out == 1 ? "is" : "are");
    }
}

static void
run_scope(Race *r, const Stmt *s)
{
    r->left_out = 0;
    r->nleft_out = 0;
    r->open = false;
    for (int run = 0; run < 2 && (run == 0 || r->open); run++) {
        r->order = (Order){0};
        access_log_clear(&r->log, r->k);
        r->outcome = run == 0;
        r->jump = ST_NONE;
        memset(r->reg_known, 0, r->k->regs.n * sizeof *r->reg_known);
        run_body(r, s->scope.body);
    }
    r->jump = ST_NONE;
    report_unchecked(r, s);
}

/* Outside of such scopes one iteration represents all: the first one, and core 0. */
static void
find_scopes(Race *r, StmtId first)
{
    for (StmtId id = first; id; id = r->k->stmts.p[id].next) {
        const Stmt *s = &r->k->stmts.p[id];
        int64_t begin;
        if (s->kind == ST_SCOPE && s->scope.no_sync) {
            run_scope(r, s);
        } else if (s->kind == ST_SCOPE) {
            find_scopes(r, s->scope.body);
        } else if (s->kind == ST_IF) {
            find_scopes(r, s->cond.then_body);
            find_scopes(r, s->cond.else_body);
        } else if (s->kind == ST_FOR) {
            if (vars_eval(&r->vars, s->loop.begin, &begin)) {
                vars_set(&r->vars, s->loop.var, begin);
            }
            r->trip = 0;
            find_scopes(r, s->loop.body);
            if (!ir_is_multicore(s)) {
                vars_forget(&r->vars, s->loop.var);
            }
        }
    }
}

/* True if a body orders queues; fills orders. */
static bool
mark_orders(Race *r, StmtId first)
{
    const Kernel *k = r->k;
    bool any = false;
    for (StmtId id = first; id; id = k->stmts.p[id].next) {
        const Stmt *s = &k->stmts.p[id];
        Form form = s->kind == ST_INSTR ? op_table[s->instr.op].form : FORM_COUNT;
        bool here = form == FORM_FLAG || form == FORM_PIPE;
        if (s->kind == ST_FOR) {
            here = mark_orders(r, s->loop.body);
        } else if (s->kind == ST_SCOPE) {
            here = mark_orders(r, s->scope.body);
        } else if (s->kind == ST_IF) {
            r->orders[id] = mark_orders(r, s->cond.then_body) ? THEN_ORDERS : 0;
            r->orders[id] |= mark_orders(r, s->cond.else_body) ? ELSE_ORDERS : 0;
            here = r->orders[id] != 0;
        }
        any = any || here;
    }
    return any;
}

static bool
has_scopes(const Kernel *k)
{
    for (StmtId id = 1; id < k->stmts.n; id++) {
        const Stmt *s = &k->stmts.p[id];
        if (s->kind == ST_SCOPE && s->scope.no_sync) {
            return true;
        }
    }
    return false;
}

bool
pass_race(Kernel *k)
{
    if (!has_scopes(k)) {
        return true;
    }
    Race r = {.k = k, .work = BUDGET};
    arena_init(&r.scratch);
    vars_init(&r.vars, k, &r.scratch);
    access_log_init(&r.log, k, &r.scratch);
    r.copy = ARENA_ARRAY(&r.scratch, int64_t, k->bufs.n);
    r.orders = ARENA_ARRAY(&r.scratch, uint8_t, k->stmts.n);
    r.reported = ARENA_ARRAY(&r.scratch, uint16_t, k->stmts.n);
    r.reg = ARENA_ARRAY(&r.scratch, int64_t, k->regs.n);
    r.reg_known = ARENA_ARRAY(&r.scratch, bool, k->regs.n);
    r.has_modes = atomic_modes(k, &r.scratch, &r.modes);
    mark_orders(&r, k->body);
    find_scopes(&r, k->body);
    arena_free(&r.scratch);
    return true;
}
