/* atomic_mode.c: finds the atomic mode at each statement (see atomic_mode.h). One walk
 * from the inside out finds how each loop and branch changes the register, a second one
 * from the outside in finds its value at each statement. */
#include "analysis/atomic_mode.h"

#include "rules/atomic.h"
#include "rules/check.h"

enum {
    NOT_SET = -2
};

/* The register after a piece of program: its value before, if the piece may keep that, or
 * value: a constant, ATOMIC_UNKNOWN, or NOT_SET. */
typedef struct Effect {
    bool keeps;
    bool jumps; /* there are breaks, continues or returns inside */
    int64_t value;
} Effect;

typedef struct Modes {
    const Kernel *k;
    /* by StmtId: the effects of bodies of loops, of branches and scopes */
    Effect *effects;
    int64_t *before;
    StmtId last_set;
} Modes;

static int64_t
join(int64_t a, int64_t b)
{
    return a == NOT_SET ? b : b == NOT_SET || a == b ? a : ATOMIC_UNKNOWN;
}

static Effect
either(Effect a, Effect b)
{
    return (Effect){a.keeps || b.keeps, a.jumps || b.jumps, join(a.value, b.value)};
}

static Effect
then(Effect a, Effect b)
{
    bool jumps = a.jumps || b.jumps;
    return b.keeps ? (Effect){a.keeps, jumps, join(a.value, b.value)}
                   : (Effect){false, jumps, b.value};
}

static int64_t
after(Effect e, int64_t before)
{
    return e.keeps ? join(before, e.value) : e.value;
}

static bool
sets(const Kernel *k, const Stmt *s)
{
    if (s->kind != ST_STORE || k->bufs.p[s->store.ref.buf].scope != SC_SREG) {
        return false;
    }
    const Expr *off = ir_expr(k, s->store.ref.off);
    return off->kind != EX_CONST || off->imm == SREG_ATOMIC;
}

static Effect
effect_of_store(const Kernel *k, const Stmt *s)
{
    const Expr *value = ir_expr(k, s->store.value);
    bool fixed = value->kind == EX_CONST && ir_is_const(k, s->store.ref.off) &&
                 dtype_size(s->store.ref.dtype) == 4;
    return (Effect){false, false, fixed ? (int64_t)(uint32_t)value->imm : ATOMIC_UNKNOWN};
}

static Effect effect_of_body(Modes *m, StmtId first);

/* A loop that jumps may be left between any two of its statements. */
static Effect
effect_of_loop(const Kernel *k, const Stmt *s, Effect body)
{
    const Expr *begin = ir_expr(k, s->loop.begin), *end = ir_expr(k, s->loop.end);
    bool runs = begin->kind == EX_CONST && end->kind == EX_CONST && begin->imm < end->imm;
    if (body.jumps && body.value != NOT_SET) {
        return (Effect){true, true, ATOMIC_UNKNOWN};
    }
    return (Effect){body.keeps || !runs, body.jumps, body.value};
}

static Effect
effect_of(Modes *m, StmtId id)
{
    const Stmt *s = &m->k->stmts.p[id];
    Effect *e = &m->effects[id];
    *e = (Effect){true, false, NOT_SET};
    switch ((StmtKind)s->kind) {
    case ST_STORE:
        if (sets(m->k, s)) {
            m->last_set = id;
            *e = effect_of_store(m->k, s);
        }
        return *e;
    case ST_FOR:
        *e = effect_of_body(m, s->loop.body);
        return effect_of_loop(m->k, s, *e);
    case ST_IF:
        *e = either(effect_of_body(m, s->cond.then_body),
                    effect_of_body(m, s->cond.else_body));
        return *e;
    case ST_SCOPE:
        *e = effect_of_body(m, s->scope.body);
        return *e;
    case ST_BREAK:
    case ST_CONTINUE:
    case ST_RETURN:
        e->jumps = true;
        return *e;
    default:
        return *e;
    }
}

static Effect
effect_of_body(Modes *m, StmtId first)
{
    Effect e = {true, false, NOT_SET};
    for (StmtId id = first; id; id = m->k->stmts.p[id].next) {
        e = then(e, effect_of(m, id));
    }
    return e;
}

/* Returns the register's value when an iteration begins. */
static int64_t
at_head(const Stmt *s, Effect body, int64_t before)
{
    if (ir_is_multicore(s)) {
        return before;
    }
    if (body.jumps && body.value != NOT_SET) {
        return ATOMIC_UNKNOWN;
    }
    return join(before, after(body, before));
}

/* Fills in the values inside a body and returns what the register holds after it. */
static int64_t
spread(Modes *m, StmtId first, int64_t mode)
{
    for (StmtId id = first; id; id = m->k->stmts.p[id].next) {
        const Stmt *s = &m->k->stmts.p[id];
        Effect e = m->effects[id];
        m->before[id] = mode;
        if (s->kind == ST_FOR) {
            (void)spread(m, s->loop.body, at_head(s, e, mode));
            e = effect_of_loop(m->k, s, e);
        } else if (s->kind == ST_IF) {
            (void)spread(m, s->cond.then_body, mode);
            (void)spread(m, s->cond.else_body, mode);
        } else if (s->kind == ST_SCOPE) {
            (void)spread(m, s->scope.body, mode);
        }
        mode = after(e, mode);
    }
    return mode;
}

bool
atomic_modes(const Kernel *k, Arena *scratch, AtomicModes *out)
{
    Modes m = {.k = k};
    bool any = false;
    for (StmtId id = 1; id < k->stmts.n; id++) {
        any = any || sets(k, &k->stmts.p[id]);
    }
    if (!any) {
        return false;
    }
    m.effects = ARENA_ARRAY(scratch, Effect, k->stmts.n);
    m.before = ARENA_ARRAY(scratch, int64_t, k->stmts.n);
    (void)effect_of_body(&m, k->body);
    out->end = spread(&m, k->body, 0);
    out->before = m.before;
    out->last_set = m.last_set;
    return true;
}

bool
atomic_follows(const Kernel *k, const Stmt *s, Scope *src)
{
    if (s->kind != ST_INSTR) {
        return false;
    }
    Form form = op_table[s->instr.op].form;
    Family f = form_family(form);
    int dst = form_first(form, ROLE_DST), from = form_first(form, ROLE_SRC);
    bool moves = f == FAM_MOVE || f == FAM_TRANSFER || f == FAM_SEGMENT || f == FAM_ACC ||
                 f == FAM_FIXBLOCKS || f == FAM_FIXCOLUMNS ||
                 (f == FAM_SLICE && op_table[s->instr.op].sem == SEM_MOVE);
    if (!moves || from < 0) {
        return false;
    }
    const Arg *args = &k->args.p[s->instr.arg];
    *src = k->bufs.p[args[from].ref.buf].scope;
    return k->bufs.p[args[dst].ref.buf].scope == SC_GM && atomic_applies(k->soc, *src);
}
