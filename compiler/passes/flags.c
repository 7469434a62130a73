/* flags.c: checks set_flag and wait_flag where it is known which flags are up
 * (rules/flag.h).
 *
 * Needs: a kernel that passed check. Guarantees: an error sync-deadlock or
 * sync-double-set for each set_flag and wait_flag that breaks its rule whenever it
 * executes, or in a loop's first iterations; both back ends check it again when it runs.
 * The warning sync-leftover for a flag that is certainly up when the kernel ends. Never:
 * changes statements.
 *
 * The walk carries, for each flag, whether it may be up and whether it may be down. Loops
 * with known bounds are walked iteration by iteration, until one neither reads its number
 * nor changes anything. Other loops, and all of them when the budget is spent, are walked
 * with a variable of unknown value until nothing changes. Both branches of an open `if`
 * are walked and joined. Queues do not matter here: each wait has its set before it in
 * program order. */
#include "rules/flag.h"
#include "passes/passes.h"
#include "passes/vars.h"

#include <string.h>

/* Sets of flags, as bits of ids. A flag in neither set: the place is not reached. */
typedef struct State {
    uint8_t up[PIPE_COUNT][PIPE_COUNT];   /* flags that may be up */
    uint8_t down[PIPE_COUNT][PIPE_COUNT]; /* flags that may be down */
} State;

/* Where the jumps of an open loop lead. */
typedef struct Jumps {
    struct Jumps *outer;
    State at_break, at_continue;
} Jumps;

typedef struct Walk {
    const Kernel *k;
    Arena scratch;
    Vars vars;
    State now, at_return;
    Jumps *jumps;
    bool *concerns; /* by StmtId: the statement contains flags */
    bool *reported; /* by StmtId: its error is reported */
    StmtId set_by[PIPE_COUNT][PIPE_COUNT]
                 [FLAG_IDS]; /* the set_flag that was walked last */
    int64_t budget;
    bool ok;
} Walk;

enum {
    BUDGET = 1
             /* after this many statements loops are no longer walked iteration by
              * iteration, */
             << 20,
    REST =
        /* and after this many nothing more is reported: open loops in open loops take
         * long */
        1 << 20
};

/* ---- states -------------------------------------------------------------- */

static void
join(State *to, const State *from)
{
    for (int i = 0; i < PIPE_COUNT; i++) {
        for (int j = 0; j < PIPE_COUNT; j++) {
            to->up[i][j] |= from->up[i][j];
            to->down[i][j] |= from->down[i][j];
        }
    }
}

static bool
equal(const State *a, const State *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static bool
is_reached(const State *s)
{
    return (s->up[0][0] | s->down[0][0]) != 0;
}

/* ---- set_flag and wait_flag ---------------------------------------------- */

static const Arg *
args_of(const Walk *w, StmtId id)
{
    return &w->k->args.p[w->k->stmts.p[id].instr.arg];
}

static bool
is_flag(const Stmt *s, Sem sem)
{
    return s->kind == ST_INSTR && op_table[s->instr.op].sem == sem;
}

/* Finds a set_flag of the same queues and id anywhere else in the kernel; 0: there is
 * none. */
static StmtId
other_set(const Walk *w, StmtId wait)
{
    const Arg *a = args_of(w, wait);
    for (StmtId id = 1; id < w->k->stmts.n; id++) {
        if (is_flag(&w->k->stmts.p[id], SEM_SET_FLAG)) {
            const Arg *b = args_of(w, id);
            if (a[0].expr == b[0].expr && a[1].expr == b[1].expr &&
                a[2].expr == b[2].expr) {
                return id;
            }
        }
    }
    return 0;
}

static void
report(Walk *w, StmtId id, const CheckInstr *in, const Fault *f)
{
    Unit *u = w->k->unit;
    const Stmt *s = &w->k->stmts.p[id];
    bool set = f->rule == RULE_SYNC_DOUBLE_SET;
    w->ok = false;
    if (w->reported[id]) {
        return;
    }
    w->reported[id] = true;
    Diag *d = diag_add(u, diag_of_rule(f->rule), s->span, s->chain, "%s%s",
                       vars_where(&w->vars, &u->arena), f->text);
    StmtId other =
        set ? w->set_by[in->args[0].v][in->args[1].v][in->args[2].v] : other_set(w, id);
    if (other) {
        const char *text =
            !set ? "this set_flag of it is not before the wait_flag, or was waited for "
                   "already"
            : other == id ? "it was set by the same statement, in an iteration before"
                          : "it was set here";
        diag_note(u, d, w->k->stmts.p[other].span, "%s", text);
    }
}

/* The instruction uses one of several flags. */
static void
step_unknown(State *s, Pipe from, Pipe to, bool set)
{
    uint8_t any = s->up[from][to] | s->down[from][to];
    *(set ? &s->up[from][to] : &s->down[from][to]) |= any;
}

static void
step(Walk *w, StmtId id)
{
    const Arg *a = args_of(w, id);
    CheckInstr in = {.op = w->k->stmts.p[id].instr.op, .soc = w->k->soc};
    bool set = op_table[in.op].sem == SEM_SET_FLAG;
    in.args[0].v = ir_expr(w->k, a[0].expr)->imm;
    in.args[1].v = ir_expr(w->k, a[1].expr)->imm;
    Pipe from = (Pipe)in.args[0].v, to = (Pipe)in.args[1].v;
    int64_t n;
    if (!vars_eval(&w->vars, a[2].expr, &n) || n < 0 || n >= FLAG_IDS) {
        step_unknown(&w->now, from, to, set);
        return;
    }
    uint8_t bit = (uint8_t)(1 << n);
    uint8_t *up = &w->now.up[from][to], *down = &w->now.down[from][to];
    bool is_up = (*up & bit) != 0, known = is_up != ((*down & bit) != 0);
    Fault fault;
    in.args[2].v = n;
    if (known && !flag_step_known(&is_up, &in, &fault)) {
        report(w, id, &in, &fault);
    }
    *up = (uint8_t)(set ? *up | bit : *up & ~bit);
    *down = (uint8_t)(set ? *down & ~bit : *down | bit);
    if (set) {
        w->set_by[from][to][n] = id;
    }
}

/* ---- the walk ------------------------------------------------------------ */

static void walk_body(Walk *w, StmtId first);

static void
walk_iteration(Walk *w, const Stmt *s, Jumps *jumps)
{
    jumps->at_continue = (State){0};
    w->jumps = jumps;
    walk_body(w, s->loop.body);
    w->jumps = jumps->outer;
    join(&w->now, &jumps->at_continue);
}

/* Walks the iterations from first on with a variable of unknown value, until the state
 * contains all that may hold at the head of any iteration. */
static void
walk_any(Walk *w, const Stmt *s, Jumps *jumps)
{
    State head;
    do {
        head = w->now;
        vars_forget(&w->vars, s->loop.var);
        walk_iteration(w, s, jumps);
        join(&w->now, &head);
    } while (!equal(&w->now, &head));
}

/* Walks the iterations [begin, end) one by one. */
static void
walk_each(Walk *w, const Stmt *s, int64_t begin, int64_t end, Jumps *jumps)
{
    VarId v = s->loop.var;
    for (int64_t i = begin; i < end && is_reached(&w->now); i++) {
        State before = w->now;
        if (w->budget <= 0) {
            walk_any(w, s, jumps);
            return;
        }
        vars_set(&w->vars, v, i);
        walk_iteration(w, s, jumps);
        if (!w->vars.read[v] && equal(&before, &w->now)) {
            return;
        }
    }
}

static void
walk_loop(Walk *w, const Stmt *s)
{
    int64_t begin, end;
    Jumps jumps = {.outer = w->jumps};
    State before = w->now;
    bool first = vars_eval(&w->vars, s->loop.begin, &begin);
    bool bounds = first && vars_eval(&w->vars, s->loop.end, &end);
    vars_forget(&w->vars, s->loop.var);
    if (ir_is_multicore(s)) {
        walk_iteration(w, s, &jumps);
        if (s->loop.block_num == IR_SCALAR_BLOCKS) {
            join(&w->now, &before);
        }
    } else if (bounds) {
        walk_each(w, s, begin, end, &jumps);
    } else {
        if (first) {
            vars_set(&w->vars, s->loop.var, begin);
        }
        walk_iteration(w, s, &jumps);
        join(&w->now, &before);
        walk_any(w, s, &jumps);
    }
    join(&w->now, &jumps.at_break);
    if (!ir_is_multicore(s)) {
        vars_forget(&w->vars, s->loop.var);
    }
}

static void
walk_if(Walk *w, const Stmt *s)
{
    int64_t taken;
    State before = w->now;
    if (vars_eval(&w->vars, s->cond.cond, &taken)) {
        walk_body(w, taken ? s->cond.then_body : s->cond.else_body);
        return;
    }
    walk_body(w, s->cond.then_body);
    State then = w->now;
    w->now = before;
    walk_body(w, s->cond.else_body);
    join(&w->now, &then);
}

static void
jump(Walk *w, State *to)
{
    join(to, &w->now);
    w->now = (State){0};
}

static void
walk_stmt(Walk *w, StmtId id)
{
    const Stmt *s = &w->k->stmts.p[id];
    switch ((StmtKind)s->kind) {
    case ST_INSTR:
        if (w->concerns[id]) {
            step(w, id);
        }
        return;
    case ST_FOR:
        if (w->concerns[id]) {
            walk_loop(w, s);
        }
        return;
    case ST_IF:
        if (w->concerns[id]) {
            walk_if(w, s);
        }
        return;
    case ST_SCOPE:
        if (w->concerns[id]) {
            walk_body(w, s->scope.body);
        }
        return;
    case ST_BREAK:
        jump(w, &w->jumps->at_break);
        return;
    case ST_CONTINUE:
        jump(w, &w->jumps->at_continue);
        return;
    case ST_RETURN:
        jump(w, &w->at_return);
        return;
    case ST_NONE:
    case ST_SET:
    case ST_LOAD:
    case ST_STORE:
    case ST_ALLOC:
        return;
    }
}

static void
walk_body(Walk *w, StmtId first)
{
    for (StmtId id = first; id && is_reached(&w->now) && w->budget > -REST;
         id = w->k->stmts.p[id].next) {
        w->budget--;
        walk_stmt(w, id);
    }
}

/* ---- the whole kernel ---------------------------------------------------- */

/* Fills concerns; jumps count as flags, since they can skip some. */
static bool
mark_body(Walk *w, StmtId first)
{
    bool any = false;
    for (StmtId id = first; id; id = w->k->stmts.p[id].next) {
        const Stmt *s = &w->k->stmts.p[id];
        bool here = is_flag(s, SEM_SET_FLAG) || is_flag(s, SEM_WAIT_FLAG) ||
                    s->kind == ST_BREAK || s->kind == ST_CONTINUE || s->kind == ST_RETURN;
        if (s->kind == ST_FOR) {
            here = mark_body(w, s->loop.body);
        } else if (s->kind == ST_SCOPE) {
            here = mark_body(w, s->scope.body);
        } else if (s->kind == ST_IF) {
            here = mark_body(w, s->cond.then_body);
            here = mark_body(w, s->cond.else_body) || here;
        }
        w->concerns[id] = here;
        any = any || here;
    }
    return any;
}

static void
warn_left_up(const Walk *w)
{
    for (int i = 0; i < PIPE_COUNT * PIPE_COUNT * FLAG_IDS; i++) {
        int id = i % FLAG_IDS, to = i / FLAG_IDS % PIPE_COUNT;
        int from = i / FLAG_IDS / PIPE_COUNT;
        unsigned certain = w->now.up[from][to] & ~(unsigned)w->now.down[from][to];
        if (certain >> id & 1) {
            const Stmt *s = &w->k->stmts.p[w->set_by[from][to][id]];
            Fault fault;
            flag_leftover((Pipe)from, (Pipe)to, id, &fault);
            diag_add(w->k->unit, D_SYNC_LEFTOVER, s->span, s->chain, "%s", fault.text);
        }
    }
}

static bool
has_flags(const Kernel *k)
{
    for (StmtId id = 1; id < k->stmts.n; id++) {
        const Stmt *s = &k->stmts.p[id];
        if (s->kind == ST_INSTR && op_table[s->instr.op].form == FORM_FLAG) {
            return true;
        }
    }
    return false;
}

static bool
check_flags(Kernel *k)
{
    Walk w = {.k = k, .budget = BUDGET, .ok = true};
    arena_init(&w.scratch);
    vars_init(&w.vars, k, &w.scratch);
    w.concerns = ARENA_ARRAY(&w.scratch, bool, k->stmts.n);
    w.reported = ARENA_ARRAY(&w.scratch, bool, k->stmts.n);
    memset(w.now.down, 0xff, sizeof w.now.down);
    mark_body(&w, k->body);
    walk_body(&w, k->body);
    join(&w.now, &w.at_return);
    if (w.budget > -REST) {
        warn_left_up(&w);
    }
    arena_free(&w.scratch);
    return w.ok;
}

bool
pass_flags(Kernel *k)
{
    return !has_flags(k) || check_flags(k);
}
