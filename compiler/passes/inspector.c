/* inspector.c: makes the inspector of a kernel whose cores may access the same global
 * bytes as far as the compiler knows (Kernel.blocks_ordered): where lengths are known
 * only at run time, for the most part. An inspector is a kernel with one more argument:
 * it does what the kernel does, but instead of accessing a global tensor that the kernel
 * writes it notes the range of bytes. The launcher runs it for all cores first, and the
 * cores on several threads if their bytes are apart (inspector and executor).
 *
 * Needs: a checked kernel with addresses. Guarantees: the inspector writes no argument
 * but the last one, which has a row for each core: for each global tensor that the kernel
 * writes, in the order of the tensors, runs of bytes that have all bytes which the core
 * accesses (inspector_note.c). A core that does not come to its end leaves the launcher's
 * mark. Never: changes the kernel.
 *
 * What is left of the kernel are accesses of such tensors, as notes, and all that their
 * places and their execution depend on: loops, branches, Scalars, and moves of the tiling
 * data that Scalars are loaded from. There is none where that would be computations or
 * values that the kernel itself writes to global memory, nor for kernels with address
 * lists, barriers of the cores, a number of blocks in a Scalar, or a log of prints. */
#include "passes/inspector.h"

#include "isa/operand.h"
#include "passes/rewrite.h"

enum {
    MOST_STEPS = 1 << 20 /* iterations of loops after which a core gives up */
};

/* ---- kernels that have an inspector -------------------------------------- */

static bool
suits(const Kernel *k)
{
    bool ok = k->blocks_ordered && k->prints.n == 0;
    for (BufId b = 1; b < k->bufs.n; b++) {
        const Buffer *buf = &k->bufs.p[b];
        ok = ok && buf->role != BUF_LIST && (buf->scope == SC_GM || !buf->dynamic);
    }
    for (StmtId s = 1; s < k->stmts.n; s++) {
        const Stmt *st = &k->stmts.p[s];
        bool scalar = st->kind == ST_FOR && st->loop.block_num == IR_SCALAR_BLOCKS;
        bool barrier =
            st->kind == ST_INSTR && op_table[st->instr.op].sem == SEM_BLOCK_BARRIER;
        ok = ok && !scalar && !barrier && st->kind != ST_RETURN;
    }
    return ok;
}

/* ---- what is needed ------------------------------------------------------ */

static void
need_expr(Inspector *in, ExprId e)
{
    const Expr *x = ir_expr(in->k, e);
    if (x->kind == EX_REG && !in->needs_reg[x->a]) {
        in->needs_reg[x->a] = true;
        in->changed = true;
    } else if (x->kind == EX_OP && (x->flags & EXF_REG) != 0) {
        need_expr(in, x->a);
        if (x->b != 0) {
            need_expr(in, x->b);
        }
    }
}

/* Special registers are not known, but for the index of the core; nor are bytes that were
 * perhaps never written, which may be what instructions left that do not stay. */
static void
need_buf(Inspector *in, BufId b)
{
    const Buffer *buf = &in->k->bufs.p[b];
    in->ok = in->ok && buf->scope != SC_SREG && buf->scope != SC_LMEM && !buf->unset &&
             in->noted[b].lo == 0;
    in->changed = in->changed || !in->needs_buf[b];
    in->needs_buf[b] = true;
}

/* Marks what the numbers of an instruction depend on; sources: the bytes that it reads,
 * too. */
static void
need_args(Inspector *in, const Stmt *s, bool sources)
{
    int n;
    const ParamInfo *params = form_params(op_table[s->instr.op].form, &n);
    for (int i = 0; i < n; i++) {
        const Arg *a = &in->k->args.p[s->instr.arg + (uint32_t)i];
        if (a->kind == ARG_EXPR) {
            need_expr(in, a->expr);
        } else if (a->kind == ARG_REF) {
            need_expr(in, a->ref.off);
            if (sources && params[i].role == ROLE_SRC) {
                need_buf(in, a->ref.buf);
            }
        }
    }
}

static bool
keep_instr(Inspector *in, const Stmt *s)
{
    Access a[MAX_ACCESSES];
    bool feeds = false, noted = false, known = true;
    int n = access_list(in->k, s, a);
    for (int i = 0; i < n; i++) {
        feeds = feeds || (a[i].write && in->needs_buf[a[i].buf]);
        if (in->noted[a[i].buf].lo != 0) {
            noted = true;
            known = known && a[i].known;
            need_expr(in, a[i].off);
        }
    }
    if (feeds || (noted && !known)) {
        in->ok = in->ok && inspector_is_plain_move(in->k, s) && !(feeds && noted);
        need_args(in, s, feeds);
    }
    return feeds || noted;
}

static bool
keep_load(Inspector *in, const Stmt *s)
{
    bool noted = in->noted[s->load.ref.buf].lo != 0;
    bool needed = in->needs_reg[s->load.reg];
    if (needed || noted) {
        need_expr(in, s->load.ref.off);
    }
    if (needed && s->load.reg != in->k->core) {
        need_buf(in, s->load.ref.buf);
    }
    return needed || noted;
}

static bool
keep_store(Inspector *in, const Stmt *s)
{
    bool feeds = in->needs_buf[s->store.ref.buf];
    if (feeds) {
        need_expr(in, s->store.value);
    }
    if (feeds || in->noted[s->store.ref.buf].lo != 0) {
        need_expr(in, s->store.ref.off);
        return true;
    }
    return false;
}

static bool keep_body(Inspector *in, StmtId first);

static bool
keep_inside(Inspector *in, const Stmt *s)
{
    bool any = false;
    switch ((StmtKind)s->kind) {
    case ST_FOR:
        any = keep_body(in, s->loop.body);
        if (any) {
            need_expr(in, s->loop.begin);
            need_expr(in, s->loop.end);
        }
        return any;
    case ST_IF:
        any = keep_body(in, s->cond.then_body);
        any = keep_body(in, s->cond.else_body) || any;
        if (any) {
            need_expr(in, s->cond.cond);
        }
        return any;
    case ST_SCOPE:
        return keep_body(in, s->scope.body);
    default:
        return s->kind == ST_BREAK || s->kind == ST_CONTINUE;
    }
}

static bool
keep_stmt(Inspector *in, const Stmt *s)
{
    switch ((StmtKind)s->kind) {
    case ST_INSTR:
        return keep_instr(in, s);
    case ST_LOAD:
        return keep_load(in, s);
    case ST_STORE:
        return keep_store(in, s);
    case ST_SET:
        if (in->needs_reg[s->set.reg]) {
            need_expr(in, s->set.value);
        }
        return in->needs_reg[s->set.reg];
    default:
        return keep_inside(in, s);
    }
}

/* Returns whether anything of a body stays. Allocations stay for what stays beside
 * them. */
static bool
keep_body(Inspector *in, StmtId first)
{
    bool any = false;
    for (StmtId s = first; s != 0; s = in->k->stmts.p[s].next) {
        in->live[s] = keep_stmt(in, &in->k->stmts.p[s]);
        any = any || in->live[s];
    }
    return any;
}

static void
find_live(Inspector *in)
{
    do {
        in->changed = false;
        (void)keep_body(in, in->k->body);
    } while (in->changed && in->ok);
}

/* ---- statements ---------------------------------------------------------- */

/* A core that goes round for too long leaves its row as it is. */
static void
count_step(Inspector *in, Cursor *c, StmtId loop)
{
    ExprId steps = inspector_op(in, SOP_ADD, ir_reg_value(in->k, in->steps),
                                inspector_number(in, 1));
    inspector_set(in, c, in->steps, steps, loop);
    ExprId cond = inspector_op(in, SOP_GT, ir_reg_value(in->k, in->steps),
                               inspector_number(in, MOST_STEPS));
    StmtId branch =
        inspector_add(in, c, (Stmt){.kind = ST_IF, .cond = {cond, 0, 0}}, loop);
    Cursor body = ir_cursor_body(branch, 0);
    (void)inspector_add(in, &body, (Stmt){.kind = ST_RETURN}, loop);
}

static void rewrite_body(Inspector *in, Cursor to, StmtId first);

static void
rewrite_stmt(Inspector *in, Cursor *to, StmtId id)
{
    Stmt s = in->k->stmts.p[id];
    bool alloc = s.kind == ST_ALLOC && (in->needs_buf[s.alloc.buf] ||
                                        in->k->bufs.p[s.alloc.buf].scope == SC_SREG);
    if (!alloc && (!in->live[id] || inspector_note(in, to, id))) {
        return;
    }
    StmtId body = 0, other = 0;
    if (s.kind == ST_FOR) {
        body = s.loop.body;
        s.loop.body = 0;
    } else if (s.kind == ST_SCOPE) {
        body = s.scope.body;
        s.scope.body = 0;
    } else if (s.kind == ST_IF) {
        body = s.cond.then_body;
        other = s.cond.else_body;
        s.cond.then_body = s.cond.else_body = 0;
    }
    s.next = 0;
    StmtId copy = ir_append(in->k, to, &s);
    if (s.kind == ST_FOR) {
        in->k->vars.p[s.loop.var].loop = copy;
        Cursor inside = ir_cursor_body(copy, 0);
        count_step(in, &inside, copy);
        rewrite_body(in, inside, body);
        return;
    }
    rewrite_body(in, ir_cursor_body(copy, 0), body);
    rewrite_body(in, ir_cursor_body(copy, 1), other);
}

static void
rewrite_body(Inspector *in, Cursor to, StmtId first)
{
    for (StmtId s = first; s != 0; s = in->k->stmts.p[s].next) {
        rewrite_stmt(in, &to, s);
    }
}

/* ---- the inspector ------------------------------------------------------- */

static void
rewrite(Inspector *in)
{
    StmtId first = in->k->body;
    Cursor c = ir_cursor_body(0, 0);
    in->k->body = 0;
    inspector_begin(in, &c, first);
    rewrite_body(in, c, first);
    while (*ir_body(in->k, c.owner, c.slot) != 0) {
        c = (Cursor){*ir_body(in->k, c.owner, c.slot), 2};
    }
    inspector_end(in, &c, first);
}

Kernel *
passes_inspector(const Kernel *k)
{
    if (!suits(k)) {
        return NULL;
    }
    Inspector in = {.k = kernel_clone(k), .cores = ir_cores(k), .ok = true};
    arena_init(&in.scratch);
    in.noted = ARENA_ARRAY(&in.scratch, Noted, k->bufs.n);
    in.needs_buf = ARENA_ARRAY(&in.scratch, bool, k->bufs.n);
    in.live = ARENA_ARRAY(&in.scratch, bool, k->stmts.n);
    inspector_find_noted(&in, k);
    in.needs_reg = ARENA_ARRAY(&in.scratch, bool, in.k->regs.n);
    find_live(&in);
    if (in.ok) {
        rewrite(&in);
        in.k->inspects = in.tensors;
        in.k->blocks_ordered = false;
    }
    arena_free(&in.scratch);
    if (!in.ok) {
        kernel_free(in.k);
        return NULL;
    }
    return in.k;
}
