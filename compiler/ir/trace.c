/* trace.c: prints the trace of a kernel (--emit trace): one line per recorded statement
 * with all operands, in program order. The format is docs/trace-format.md;
 * tests/cross/tik_stub prints the same text when the same program runs under CPython, so
 * it has nothing that only this compiler knows (addresses, proofs, places). Passes
 * rewrite kernels, so BuildCCE keeps the trace when Options.trace is set; otherwise the
 * trace shows the kernel as it is now. */
#include "ir/ir.h"

typedef struct Trace {
    const Kernel *k;
    Text *out;
    uint32_t *ordinal; /* by BufId: number of its alloc line */
    uint32_t allocs;
    int depth;
} Trace;

static const char *
name_of(const Trace *t, Sym s)
{
    return sym_text(&t->k->unit->names, s);
}

/* Numbers are most of a trace, so they are put without printf. */
static void
put_u64(const Trace *t, uint64_t v)
{
    char digits[20];
    int n = 0;
    do {
        digits[sizeof digits - (size_t)++n] = (char)('0' + v % 10);
        v /= 10;
    } while (v != 0);
    text_putn(t->out, digits + sizeof digits - n, (size_t)n);
}

static void
put_i64(const Trace *t, int64_t v)
{
    if (v < 0) {
        text_putc(t->out, '-');
    }
    put_u64(t, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

static void
put_id(const Trace *t, char kind, uint32_t id)
{
    text_putc(t->out, kind);
    put_u64(t, id);
}

static void
put_const(const Trace *t, const Expr *e)
{
    Dtype type = (Dtype)e->dtype;
    if (dtype_is_float(type)) {
        text_printf(t->out, "0x%0*llx", 2 * dtype_size(type), (unsigned long long)e->imm);
    } else if (type == DT_U64) {
        put_u64(t, (uint64_t)e->imm);
    } else {
        put_i64(t, e->imm);
    }
}

/* Puts a register. That of the core's index is no Scalar of the program, so it has no
 * number. */
static void
put_reg(const Trace *t, RegId r)
{
    if (r == t->k->core) {
        text_put(t->out, "core");
    } else {
        put_id(t, 'r', r - (t->k->core && r > t->k->core));
    }
}

/* Puts an expression; IR_MAX_EXPR bounds the recursion. */
static void
put_expr(const Trace *t, ExprId id)
{
    const Expr *e = ir_expr(t->k, id);
    switch ((ExprKind)e->kind) {
    case EX_NONE:
        text_put(t->out, "none");
        return;
    case EX_CONST:
        put_const(t, e);
        return;
    case EX_REG:
        put_reg(t, e->a);
        return;
    case EX_VAR:
        put_id(t, 'v', e->a);
        return;
    case EX_OP:
        break;
    }
    ScalarOp op = (ScalarOp)e->op;
    Dtype type =
        scalar_is_compare(op) ? (Dtype)ir_expr(t->k, e->a)->dtype : (Dtype)e->dtype;
    text_put(t->out, scalar_op_table[op].name);
    text_putc(t->out, '.');
    text_put(t->out, dtype_name(type));
    text_putc(t->out, '(');
    put_expr(t, e->a);
    if (e->b) {
        text_put(t->out, ", ");
        put_expr(t, e->b);
    }
    text_putc(t->out, ')');
}

static void
put_ref(const Trace *t, const Ref *r)
{
    const Buffer *b = &t->k->bufs.p[r->buf];
    if (b->scope == SC_SREG) {
        text_put(t->out, "%sreg");
    } else if (b->scope == SC_GM) {
        text_put(t->out, name_of(t, b->name));
    } else {
        put_id(t, '%', t->ordinal[r->buf]);
    }
    text_putc(t->out, ':');
    text_put(t->out, dtype_name(r->dtype));
    text_putc(t->out, '+');
    put_expr(t, r->off);
}

static void
put_mask(const Trace *t, const Arg *m)
{
    if (m->mask_form == MASK_COUNT || m->mask_form == MASK_COUNTER) {
        text_put(t->out, m->mask_form == MASK_COUNTER ? "counter(" : "");
        put_expr(t, m->mask[0]);
        text_put(t->out, m->mask_form == MASK_COUNTER ? ")" : "");
        return;
    }
    for (int i = mask_words(m->mask_form) - 1; i >= 0; i--) {
        text_putc(t->out, i == mask_words(m->mask_form) - 1 ? '[' : ' ');
        put_expr(t, m->mask[i]);
        text_putc(t->out, i ? ',' : ']');
    }
}

static void
put_instr(const Trace *t, const Stmt *s)
{
    int n;
    const OpInfo *op = &op_table[s->instr.op];
    const ParamInfo *p = form_params(op->form, &n);
    text_put(t->out, op->name);
    for (int i = 0; i < n; i++) {
        const Arg *a = &t->k->args.p[s->instr.arg + (uint32_t)i];
        if (a->kind == ARG_NONE) {
            continue;
        }
        text_putc(t->out, ' ');
        text_put(t->out, p[i].name);
        text_putc(t->out, '=');
        if (a->kind == ARG_REF) {
            put_ref(t, &a->ref);
        } else if (a->kind == ARG_MASK) {
            put_mask(t, a);
        } else {
            put_expr(t, a->expr);
        }
    }
}

static void
put_shape(const Trace *t, const Buffer *b)
{
    text_printf(t->out, "%s %s (", name_of(t, b->name), dtype_name(b->dtype));
    for (uint32_t i = 0; i < b->shape.n; i++) {
        text_printf(t->out, "%s%lld", i ? ", " : "", (long long)b->shape.p[i]);
    }
    text_putc(t->out, ')');
}

static void
put_alloc(Trace *t, const Stmt *s)
{
    const Buffer *b = &t->k->bufs.p[s->alloc.buf];
    t->ordinal[s->alloc.buf] = ++t->allocs;
    text_printf(t->out, "alloc %%%u %s ", (unsigned)t->allocs, scope_text(b->scope));
    put_shape(t, b);
    text_printf(t->out, " copies=%d", b->copies);
}

static void
put_for(const Trace *t, const Stmt *s)
{
    const Var *v = &t->k->vars.p[s->loop.var];
    text_printf(t->out, "for v%u %s %s ", (unsigned)s->loop.var, name_of(t, v->name),
                dtype_name(v->dtype));
    put_expr(t, s->loop.begin);
    text_putc(t->out, ' ');
    put_expr(t, s->loop.end);
    text_put(t->out, " block_num=");
    if (s->loop.block_num == IR_SCALAR_BLOCKS) {
        text_putc(t->out, '*');
    } else {
        text_printf(t->out, "%d", s->loop.block_num);
    }
    text_printf(t->out, " thread_num=%d", s->loop.thread_num);
}

static void
put_assign(const Trace *t, const Stmt *s)
{
    if (s->kind == ST_STORE) {
        text_put(t->out, "store ");
        put_ref(t, &s->store.ref);
        text_put(t->out, " = ");
        put_expr(t, s->store.value);
        return;
    }
    RegId r = s->kind == ST_SET ? s->set.reg : s->load.reg;
    text_put(t->out, s->kind == ST_SET ? "set " : "load ");
    put_reg(t, r);
    text_printf(t->out, " %s = ", dtype_name(t->k->regs.p[r].dtype));
    if (s->kind == ST_SET) {
        put_expr(t, s->set.value);
    } else {
        put_ref(t, &s->load.ref);
    }
}

static void
line(const Trace *t)
{
    for (int i = 0; i < t->depth; i++) {
        text_put(t->out, "  ");
    }
}

static void
word(const Trace *t, const char *text)
{
    line(t);
    text_put(t->out, text);
    text_putc(t->out, '\n');
}

static void put_body(Trace *t, StmtId first);

/* Puts the statement's line, without its body. */
static void
put_head(Trace *t, const Stmt *s)
{
    line(t);
    switch ((StmtKind)s->kind) {
    case ST_NONE:
        break;
    case ST_INSTR:
        put_instr(t, s);
        break;
    case ST_SET:
    case ST_LOAD:
    case ST_STORE:
        put_assign(t, s);
        break;
    case ST_ALLOC:
        put_alloc(t, s);
        break;
    case ST_FOR:
        put_for(t, s);
        break;
    case ST_IF:
        text_put(t->out, "if ");
        put_expr(t, s->cond.cond);
        break;
    case ST_SCOPE:
        text_put(t->out, "scope");
        break;
    case ST_BREAK:
        text_put(t->out, "break");
        break;
    case ST_CONTINUE:
        text_put(t->out, "continue");
        break;
    case ST_RETURN:
        text_put(t->out, "return");
        break;
    }
    text_putc(t->out, '\n');
}

static void
put_inner(Trace *t, const Stmt *s)
{
    if (s->kind == ST_IF) {
        put_body(t, s->cond.then_body);
        if (s->cond.else_body) {
            word(t, "else");
            put_body(t, s->cond.else_body);
        }
    } else {
        put_body(t, s->kind == ST_FOR ? s->loop.body : s->scope.body);
    }
    word(t, "end");
}

/* Returns whether a statement belongs to the alloc before it or to the loop after it, so
 * that it has no line. Special registers have no line of an alloc, the core's index none
 * of a load. */
static bool
is_silent(const Trace *t, const Stmt *s)
{
    if (s->kind == ST_ALLOC) {
        return t->k->bufs.p[s->alloc.buf].scope == SC_SREG;
    }
    if (s->kind == ST_LOAD && s->load.reg == t->k->core) {
        return true;
    }
    return s->kind == ST_INSTR &&
           (s->instr.op == OP_RESERVE || s->instr.op == OP_BLOCKS ||
            s->instr.op == OP_LOOP_BOUNDS);
}

static void
put_body(Trace *t, StmtId first)
{
    t->depth++;
    for (StmtId id = first; id; id = t->k->stmts.p[id].next) {
        const Stmt *s = &t->k->stmts.p[id];
        if (is_silent(t, s)) {
            continue;
        }
        put_head(t, s);
        if (s->kind == ST_FOR || s->kind == ST_IF || s->kind == ST_SCOPE) {
            put_inner(t, s);
        }
    }
    t->depth--;
}

static void
put_argument(const Trace *t, const Buffer *b)
{
    text_printf(t->out, "%s ", argrole_name(ir_arg_role(b)));
    put_shape(t, b);
    if (b->preset) {
        Expr value = {.dtype = (uint8_t)b->dtype, .imm = b->preset_value};
        text_put(t->out, " preset=");
        put_const(t, &value);
    }
    text_putc(t->out, '\n');
}

static void
put_table(const Trace *t, const Buffer *b)
{
    text_put(t->out, "const ");
    put_shape(t, b);
    text_putc(t->out, ' ');
    for (int64_t i = 0; i < b->bytes; i++) {
        text_printf(t->out, "%02x", b->data[i]);
    }
    text_putc(t->out, '\n');
}

void
ir_keep_trace(Kernel *k)
{
    if (k->unit->opt.trace) {
        Text t;
        text_init(&t, &k->arena);
        ir_trace(k, &t);
        k->trace = t.p;
    }
}

void
ir_trace(const Kernel *k, Text *out)
{
    Arena scratch;
    if (k->trace) {
        text_put(out, k->trace);
        return;
    }
    arena_init(&scratch);
    Trace t = {.k = k, .out = out, .ordinal = ARENA_ARRAY(&scratch, uint32_t, k->bufs.n)};
    text_printf(out, "kernel %s\n", name_of(&t, k->name));
    for (uint32_t i = 0; i < k->params.n; i++) {
        put_argument(&t, &k->bufs.p[k->params.p[i]]);
    }
    for (BufId i = 1; i < k->bufs.n; i++) {
        if (k->bufs.p[i].role == BUF_CONST) {
            put_table(&t, &k->bufs.p[i]);
        }
    }
    put_body(&t, k->body);
    text_put(out, "end\n");
    arena_free(&scratch);
}
