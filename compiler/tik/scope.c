/* scope.c: statement scopes of a kernel (for_range, if_scope / elif_scope / else_scope,
 * new_stmt_scope) and the jumps.
 *
 * Each opener checks its arguments when it is called and opens its scope when the with
 * statement enters it. A condition known at compile time records no IF: the branch taken
 * becomes a plain block, the others are staged but dropped (language 5.2). An elif after
 * a run-time if is an IF in the else body of the one before; elements that its condition
 * loads are loaded there. Before a multi-core loop over a Scalar number of blocks, the
 * instruction blocks gives their number to the launcher. */
#include "tik/calls/sync.h"
#include "tik/expr.h"
#include "tik/methods.h"
#include "tik/scope.h"
#include "tik/tik.h"

#include <string.h>

Opener *
tik_opener(Interp *in, Tik *c, OpenerKind kind, Span span)
{
    Opener *o = c->spare_opener;
    if (o) {
        c->spare_opener = o->inner;
        memset(o, 0, sizeof *o);
    } else {
        o = py_new(in, sizeof *o);
    }
    o->base.cls = &tik_opener_class;
    o->c = c;
    o->kind = kind;
    o->span = span;
    o->chain = py_chain(in);
    o->decided = -1;
    VEC_PUSH(&in->u->arena, &c->openers, o);
    return o;
}

/* ---- branches: arguments ------------------------------------------------- */

static void
read_condition(Interp *in, Opener *o, Value v, Span span)
{
    o->decided = tik_condition(in, v, "the condition", span, &o->cond);
    if (o->decided == -2) {
        o->decided = 0;
    }
}

/* Makes the scope that is the lifetime of the elements that the condition of an
 * elif_scope loads: it ends with that branch. */
static TScope *
condition_scope(Interp *in, Tik *c)
{
    if (!c->top->work->chain.loads) {
        return NULL;
    }
    TScope *s = ARENA_NEW(&in->u->arena, TScope);
    s->parent = c->top;
    s->kind = TS_BRANCH;
    s->depth = c->top->depth + 1;
    s->open = true;
    return s;
}

static Value
branch(Interp *in, Tik *c, OpenerKind kind, const CallArgs *args)
{
    static const char *const names[] = {
        [OPEN_IF] = "if_scope", [OPEN_ELIF] = "elif_scope", [OPEN_ELSE] = "else_scope"};
    Value cond = val_bool(true);
    Span span = args->span;
    Call call = kind == OPEN_ELSE ? CALL_else_scope : CALL_if_scope;
    if (!tik_bind_like(in, names[kind], call, args, &cond, &span) ||
        !tik_not_built(in, c, args->span)) {
        return val_fail();
    }
    Opener *o = tik_opener(in, c, kind, args->span);
    read_condition(in, o, tik_own(in, c, cond, span) ? cond : val_bool(false), span);
    if (kind == OPEN_IF) {
        o->chain_in = (IfChain){0};
    } else if (c->top->work->chain.active &&
               !(kind == OPEN_ELSE && c->top->work->chain.loads)) {
        o->loads = condition_scope(in, c);
        tik_take_loads(c, o->loads);
        o->chain_in = c->top->work->chain;
    } else {
        py_diag(in, D_IF_CHAIN, args->span,
                "%s does not directly follow the scope of an if_scope or elif_scope",
                names[kind]);
        o->chain_in.decided = true;
    }
    return in->fatal ? val_fail() : val_object(&o->base);
}

Value
tik_if_scope(Interp *in, Tik *c, const CallArgs *args)
{
    return branch(in, c, OPEN_IF, args);
}

Value
tik_elif_scope(Interp *in, Tik *c, const CallArgs *args)
{
    return branch(in, c, OPEN_ELIF, args);
}

Value
tik_else_scope(Interp *in, Tik *c, const CallArgs *args)
{
    return branch(in, c, OPEN_ELSE, args);
}

Value
tik_new_stmt_scope(Interp *in, Tik *c, const CallArgs *args)
{
    Value sync;
    if (!tik_bind(in, CALL_new_stmt_scope, args, &sync, NULL) ||
        !tik_not_built(in, c, args->span)) {
        return val_fail();
    }
    bool no_sync = tik_is_set(sync);
    if (no_sync && tik_without_sync(c) && !tik_dropped(c)) {
        py_diag(in, D_SYNC_SCOPE, args->span,
                "new_stmt_scope(disable_sync=True) inside of another one");
        no_sync = false;
    }
    Opener *o = tik_opener(in, c, OPEN_BLOCK, args->span);
    o->no_sync = no_sync;
    return val_object(&o->base);
}

Value
tik_new_scope(Interp *in, Tik *c, const CallArgs *args)
{
    if (!tik_bind(in, CALL_new_scope, args, NULL, NULL) ||
        !tik_not_built(in, c, args->span)) {
        return val_fail();
    }
    return val_object(&tik_opener(in, c, OPEN_GROUP, args->span)->base);
}

/* ---- entering and leaving ------------------------------------------------ */

static ScopeWork *
take_work(Interp *in, Tik *c)
{
    ScopeWork *m = c->spare;
    if (!m) {
        return ARENA_NEW(&in->u->arena, ScopeWork);
    }
    c->spare = m->next;
    memset(m, 0, sizeof *m);
    return m;
}

static void
close_top(Tik *c)
{
    TScope *s = c->top;
    s->open = false;
    s->work->next = c->spare;
    c->spare = s->work;
    s->work = NULL;
    c->top = s->parent;
}

static TScope *
push(Interp *in, Opener *o, TScopeKind kind, bool dropped)
{
    Tik *c = o->c;
    TScope *s = py_new(in, sizeof *s);
    s->parent = c->top;
    s->kind = kind;
    s->depth = c->top->depth + 1 + (uint32_t)o->chain_in.links;
    s->open = true;
    s->dropped = dropped || tik_dropped(c);
    s->span = o->span;
    s->work = take_work(in, c);
    c->top = s;
    o->scope = s;
    return s;
}

/* Returns the Scalar that an expression is the present value of; 0 if it is none. */
static RegId
bare_reg(const Tik *c, ExprId e)
{
    const Expr *x = ir_expr(c->k, e);
    if (x->kind == EX_OP && x->op == SOP_CAST) {
        x = ir_expr(c->k, x->a);
    }
    return x->kind == EX_REG ? x->a : 0;
}

static bool
say_blocks(Interp *in, const Opener *o)
{
    Kernel *k = o->c->k;
    Arg count = {.kind = ARG_EXPR, .expr = ir_cast(k, DT_S64, o->end)};
    Stmt s = {.kind = ST_INSTR, .instr = {.op = OP_BLOCKS, .arg = ir_args(k, &count, 1)}};
    return tik_emit(in, o->c, s, o->span, NULL);
}

/* Enters one loop of a nest, or the only one; *result is its variable. */
static bool
enter_loop(Interp *in, Opener *o, Value *result)
{
    Tik *c = o->c;
    VarId var = ir_var(c->k, o->name, o->dtype);
    TRY(o->block_num != IR_SCALAR_BLOCKS || say_blocks(in, o));
    Stmt st = {.kind = ST_FOR,
               .loop = {var, o->begin, o->end, o->block_num, o->thread_num, 0}};
    StmtId id;
    TRY(tik_emit(in, c, st, o->span, &id));
    c->k->vars.p[var].loop = id;
    TScope *s = push(in, o, TS_LOOP, false);
    s->at = ir_cursor_body(id, 0);
    s->loop = id;
    s->thread_num = o->thread_num;
    s->multicore = o->multicore;
    s->work->bounds[0] = bare_reg(c, o->begin);
    s->work->bounds[1] = bare_reg(c, o->end);
    while (c->var_scope.n <= var) {
        VEC_PUSH(&in->u->arena, &c->var_scope, s);
    }
    *result = tik_expr(in, c, ir_var_value(c->k, var));
    return !val_failed(*result);
}

/* Enters the loops of multi_for_range: the opener keeps the scope of the outermost
 * one. */
static bool
enter_loops(Interp *in, Opener *o, Value *result)
{
    Value list = o->nest ? val_list(in, NULL, 0) : val_none(), v;
    for (Opener *l = o; l; l = l->inner) {
        l->entered = true;
        if (l != o && o->c->top->depth >= TIK_MAX_NESTING) {
            py_diag(in, D_TOO_NESTED, o->span,
                    "scopes of the kernel nest more than %d deep", TIK_MAX_NESTING);
            in->fatal = true;
            return false;
        }
        TRY(enter_loop(in, l, &v) && (!o->nest || list_push(in, list, v)));
    }
    *result = o->nest ? list : v;
    return true;
}

static bool
enter_block(Interp *in, Opener *o, TScopeKind kind)
{
    StmtId id;
    Stmt scope = {.kind = ST_SCOPE, .scope = {.no_sync = o->no_sync}};
    TRY(tik_emit(in, o->c, scope, o->span, &id));
    TScope *s = push(in, o, kind, false);
    s->at = ir_cursor_body(id, 0);
    s->no_sync = o->no_sync;
    return true;
}

/* Enters a branch whose condition is known only at run time. */
static bool
enter_if(Interp *in, Opener *o)
{
    Stmt st = {.kind = ST_IF, .cond = {o->cond, 0, 0}};
    StmtId id = 0;
    if (o->chain_in.branch) {
        Cursor at = o->chain_in.else_at;
        TRY(tik_dropped(o->c) || tik_emit_at(in, o->c, &at, st, o->span, &id));
    } else {
        TRY(tik_emit(in, o->c, st, o->span, &id));
    }
    push(in, o, TS_BRANCH, false)->at = ir_cursor_body(id, 0);
    o->chain_in.branch = id;
    o->chain_in.else_at = ir_cursor_body(id, 1);
    return true;
}

/* Opens the branch; chain_in becomes the chain for the next link. */
static bool
enter_branch(Interp *in, Opener *o)
{
    IfChain *chain = &o->chain_in;
    if (chain->decided || o->decided == 0) {
        push(in, o, TS_BRANCH, true);
    } else if (o->decided == -1) {
        TRY(enter_if(in, o));
    } else if (chain->branch) {
        push(in, o, TS_BRANCH, false)->at = chain->else_at;
        chain->decided = true;
    } else {
        TRY(enter_block(in, o, TS_BRANCH));
        chain->decided = true;
    }
    chain->links++;
    chain->active = o->kind != OPEN_ELSE;
    return true;
}

static bool
opener_enter(Interp *in, Object *self, Span span, Value *result)
{
    Opener *o = (Opener *)self;
    *result = val_none();
    if (o->entered) {
        Diag *d = py_diag(in, D_SCOPE_USE, span, "this scope was opened before");
        diag_note(in->u, d, o->span, "created here");
        diag_help(in->u, d, "make a new one for each with statement");
        in->fatal = true;
        return false;
    }
    o->entered = true;
    if (o->c->openers.p[o->c->openers.n - 1] == o) {
        o->c->openers.n--;
    }
    if (o->kind == OPEN_GROUP) {
        return true;
    }
    if (o->c->top->depth + (uint32_t)o->chain_in.links >= TIK_MAX_NESTING) {
        py_diag(in, D_TOO_NESTED, span, "scopes of the kernel nest more than %d deep",
                TIK_MAX_NESTING);
        in->fatal = true;
        return false;
    }
    bool ok = o->kind == OPEN_LOOP    ? enter_loops(in, o, result)
              : o->kind == OPEN_BLOCK ? enter_block(in, o, TS_BLOCK)
                                      : enter_branch(in, o);
    return ok;
}

/* Limits a loop with a jump to one copy of each buffer. */
static void
single_thread(Tik *c, TScope *loop)
{
    loop->thread_num = 1;
    if (loop->loop) {
        c->k->stmts.p[loop->loop].loop.thread_num = 1;
    }
    for (uint32_t i = 0; i < loop->work->bufs.n; i++) {
        Root *r = loop->work->bufs.p[i];
        c->k->bufs.p[r->buf].copies = 1;
        if (r->reserve) {
            c->k->args.p[c->k->stmts.p[r->reserve].instr.arg + 3].expr = tik_i64(c, 1);
        }
    }
}

static bool
opener_leave(Interp *in, Object *self, Span span, bool failed)
{
    (void)in;
    (void)span;
    (void)failed;
    Opener *o = (Opener *)self;
    TScope *s = o->scope;
    if (!s) {
        return true;
    }
    while (o->c->top != s) {
        close_top(o->c);
    }
    close_top(o->c);
    if (o->loads) {
        o->loads->open = false;
    }
    if (s->kind == TS_BRANCH) {
        s->parent->work->chain = o->chain_in;
    }
    return true;
}

/* Keeps an opener that this call has made for the next one. Those of a nest stay. */
static void
opener_over(Object *self, Span call)
{
    Opener *o = (Opener *)self;
    if (!o->inner && o->span.file == call.file && o->span.begin == call.begin &&
        o->span.end == call.end) {
        o->inner = o->c->spare_opener;
        o->c->spare_opener = o;
    }
}

static void
opener_repr(Interp *in, Object *self, Text *out)
{
    (void)in;
    static const char *const names[] = {"for_range",  "if_scope",       "elif_scope",
                                        "else_scope", "new_stmt_scope", "new_scope"};
    text_printf(out, "<%s>", names[((Opener *)self)->kind]);
}

static void
opener_named(Object *self, Sym name)
{
    const Opener *o = (const Opener *)self;
    if (o->scope && o->scope->loop) {
        Kernel *k = o->c->k;
        k->vars.p[k->stmts.p[o->scope->loop].loop.var].bound = name;
    }
}

const ObjectClass tik_opener_class = {
    .name = "scope",
    .enter = opener_enter,
    .named = opener_named,
    .leave = opener_leave,
    .over = opener_over,
    .repr = opener_repr,
};

/* ---- jumps and queries --------------------------------------------------- */

static Value
jump(Interp *in, Tik *c, const CallArgs *args, StmtKind kind)
{
    const char *name = kind == ST_BREAK      ? "tik_break"
                       : kind == ST_CONTINUE ? "tik_continue"
                                             : "tik_return";
    TScope *loop = tik_innermost_loop(c);
    if (!tik_bind_like(in, name, CALL_tik_break, args, NULL, NULL)) {
        return val_fail();
    }
    if (tik_dropped(c) || !tik_not_built(in, c, args->span)) {
        return val_none();
    }
    if (kind != ST_RETURN && !loop) {
        Diag *d = py_diag(in, D_SCOPE_USE, args->span, "%s outside of a for_range", name);
        diag_help(in->u, d,
                  "call it in the block of: with %s.for_range(begin, end) as i:",
                  tik_container_name(in));
        return val_none();
    }
    if (kind != ST_RETURN && loop->multicore) {
        py_diag(in, D_BLOCK_NUM, args->span, "%s in a multi-core loop", name);
        return val_none();
    }
    if (kind != ST_RETURN) {
        single_thread(c, loop);
    }
    if (!tik_emit(in, c, (Stmt){.kind = (uint8_t)kind}, args->span, NULL)) {
        return val_fail();
    }
    c->top->ended = true;
    return val_none();
}

Value
tik_break(Interp *in, Tik *c, const CallArgs *args)
{
    return jump(in, c, args, ST_BREAK);
}

Value
tik_continue(Interp *in, Tik *c, const CallArgs *args)
{
    return jump(in, c, args, ST_CONTINUE);
}

Value
tik_return(Interp *in, Tik *c, const CallArgs *args)
{
    return jump(in, c, args, ST_RETURN);
}

static Value
left_bytes(Interp *in, Tik *c, const CallArgs *args, Call call)
{
    Signature sig = call_signature(call);
    Value v;
    const char *text;
    Scope mem;
    if (!call_bind(in, &sig, args, &v, NULL) ||
        !tik_text(in, v, sig.args[0].name, args->span, &text)) {
        return val_fail();
    }
    if (!scope_find(text, &mem)) {
        py_diag(in, D_TENSOR_SCOPE, args->span, "'%s' is not a scope of tensors", text);
        return val_fail();
    }
    int64_t left = c->k->soc->bytes[mem];
    for (TScope *s = c->top; s; s = s->parent) {
        left -= MIN(s->work->live[mem], left);
    }
    return val_int(left);
}

Value
tik_left_bytes(Interp *in, Tik *c, const CallArgs *args)
{
    return left_bytes(in, c, args, CALL_get_left_buffer_size);
}

Value
tik_available_bytes(Interp *in, Tik *c, const CallArgs *args)
{
    return left_bytes(in, c, args, CALL_get_available_buffer_size);
}

Value
tik_ignore(Interp *in, Tik *c, const CallArgs *args)
{
    (void)in;
    (void)c;
    (void)args;
    return val_none();
}
