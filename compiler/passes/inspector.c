/* inspector.c: makes the inspector of a kernel whose cores may access the same global
 * bytes as far as the compiler knows (Kernel.blocks_ordered): where lengths are known
 * only at run time, for the most part. An inspector is a kernel with one more argument:
 * it does what the kernel does, but instead of accessing a global tensor that the kernel
 * writes it notes the range of bytes. The launcher runs it for all cores first, and the
 * cores on several threads if their ranges are apart (inspector and executor).
 *
 * Needs: a checked kernel with addresses. Guarantees: the inspector writes no argument
 * but the last one, which has a row for each core: for each global tensor that the kernel
 * writes, in the order of the tensors, the first byte and the byte after the last one
 * that the core accesses, relative to the tensor; first > last: none. A core that does
 * not come to its end leaves its row. Never: changes the kernel.
 *
 * What is left of the kernel are accesses of such tensors, as notes, and all that their
 * places and their execution depend on: loops, branches, Scalars, and moves of the tiling
 * data that Scalars are loaded from. There is none where that would be computations or
 * values that the kernel itself writes to global memory, nor for kernels with address
 * lists, barriers of the cores, a number of blocks in a Scalar, or a log of prints. */
#include "isa/operand.h"
#include "passes/access.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

enum {
    MOST_STEPS = 1 << 20, /* iterations of loops after which a core gives up */
    WORD = 8              /* bytes of a number in the rows */
};

/* The registers that hold the range of a tensor. */
typedef struct Noted {
    RegId lo, hi; /* 0: the kernel does not write it */
} Noted;

typedef struct Inspector {
    Kernel *k; /* the copy */
    Arena scratch;
    Noted *noted;    /* by BufId */
    bool *needs_reg; /* by RegId: what is noted depends on its value */
    bool *needs_buf; /* by BufId: the same of bytes of the buffer */
    bool *live;      /* by StmtId: it stays, as it is or as notes */
    RegId steps;     /* iterations of loops so far */
    int cores;
    bool changed; /* a need was found in this round */
    bool ok;
} Inspector;

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

/* Returns whether an access is that of a move whose range follows from its numbers. */
static bool
is_plain_move(const Kernel *k, const Stmt *s)
{
    Sem sem = op_table[s->instr.op].sem;
    const Arg *args = &k->args.p[s->instr.arg];
    if (sem != SEM_MOVE) {
        return sem == SEM_PAD_MOVE;
    }
    for (int i = MOVE_dst; i <= MOVE_src; i++) {
        Scope at = k->bufs.p[args[i].ref.buf].scope;
        if (at != SC_GM && at != SC_UB && at != SC_L1) {
            return false;
        }
    }
    const Expr *mode = ir_expr(k, args[MOVE_mode].expr);
    return mode->kind == EX_CONST && mode->imm == 0;
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
        in->ok = in->ok && is_plain_move(in->k, s) && !(feeds && noted);
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

/* ---- ranges -------------------------------------------------------------- */

static ExprId
number(Inspector *in, int64_t v)
{
    return ir_const(in->k, DT_S64, v);
}

static ExprId
op(Inspector *in, ScalarOp o, ExprId a, ExprId b)
{
    return ir_op2(in->k, o, a, b);
}

/* Returns an operand of an instruction in bytes. */
static ExprId
bytes_of(Inspector *in, const Arg *a, int64_t unit)
{
    return op(in, SOP_MUL, ir_cast(in->k, DT_S64, a->expr), number(in, unit));
}

/* Returns how many bytes of global memory a plain move goes over. */
static ExprId
move_bytes(Inspector *in, const Stmt *s, bool write)
{
    const Arg *args = &in->k->args.p[s->instr.arg];
    bool pad = op_table[s->instr.op].sem == SEM_PAD_MOVE;
    int64_t unit = pad ? 1 : BLOCK_BYTES;
    int n = pad ? PADMOVE_nburst : MOVE_nburst, len = pad ? PADMOVE_burst : MOVE_burst;
    int gap = pad     ? (write ? PADMOVE_dst_gap : PADMOVE_src_gap)
              : write ? MOVE_dst_stride
                      : MOVE_src_stride;
    ExprId between = bytes_of(in, &args[gap], unit);
    ExprId pitch = op(in, SOP_ADD, bytes_of(in, &args[len], unit), between);
    return op(in, SOP_SUB, op(in, SOP_MUL, bytes_of(in, &args[n], 1), pitch), between);
}

/* ---- statements ---------------------------------------------------------- */

static StmtId
add(Inspector *in, Cursor *c, Stmt s, StmtId like)
{
    s.span = in->k->stmts.p[like].span;
    s.chain = in->k->stmts.p[like].chain;
    return ir_append(in->k, c, &s);
}

static void
set(Inspector *in, Cursor *c, RegId r, ExprId value, StmtId like)
{
    (void)add(in, c, (Stmt){.kind = ST_SET, .set = {r, value}}, like);
}

/* Sets a register to a value if that is less, or greater. */
static void
widen(Inspector *in, Cursor *c, RegId r, ScalarOp compare, ExprId value, StmtId like)
{
    ExprId cond = op(in, compare, value, ir_reg_value(in->k, r));
    StmtId branch = add(in, c, (Stmt){.kind = ST_IF, .cond = {cond, 0, 0}}, like);
    Cursor body = ir_cursor_body(branch, 0);
    set(in, &body, r, value, like);
}

/* Notes the accesses of tensors that the kernel writes. Returns whether there are any. */
static bool
note(Inspector *in, Cursor *c, StmtId s)
{
    Access a[MAX_ACCESSES];
    bool any = false;
    const Stmt st = in->k->stmts.p[s];
    int n = access_list(in->k, &st, a);
    for (int i = 0; i < n; i++) {
        Noted r = in->noted[a[i].buf];
        if (r.lo == 0) {
            continue;
        }
        int64_t first = a[i].known ? a[i].fp.offset : 0;
        ExprId lo = op(in, SOP_ADD, a[i].off, number(in, first));
        ExprId len = a[i].known ? number(in, access_end(&a[i]) - first)
                                : move_bytes(in, &st, a[i].write);
        widen(in, c, r.lo, SOP_LT, lo, s);
        widen(in, c, r.hi, SOP_GT, op(in, SOP_ADD, lo, len), s);
        any = true;
    }
    return any;
}

/* A core that goes round for too long leaves its row as it is. */
static void
count_step(Inspector *in, Cursor *c, StmtId loop)
{
    ExprId steps = op(in, SOP_ADD, ir_reg_value(in->k, in->steps), number(in, 1));
    set(in, c, in->steps, steps, loop);
    ExprId cond = op(in, SOP_GT, ir_reg_value(in->k, in->steps), number(in, MOST_STEPS));
    StmtId branch = add(in, c, (Stmt){.kind = ST_IF, .cond = {cond, 0, 0}}, loop);
    Cursor body = ir_cursor_body(branch, 0);
    (void)add(in, &body, (Stmt){.kind = ST_RETURN}, loop);
}

static void rewrite_body(Inspector *in, Cursor to, StmtId first);

static void
rewrite_stmt(Inspector *in, Cursor *to, StmtId id)
{
    Stmt s = in->k->stmts.p[id];
    bool alloc = s.kind == ST_ALLOC && (in->needs_buf[s.alloc.buf] ||
                                        in->k->bufs.p[s.alloc.buf].scope == SC_SREG);
    if (!alloc && (!in->live[id] || note(in, to, id))) {
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

static RegId
new_reg(Inspector *in, const char *name)
{
    return ir_reg(in->k, intern(&in->k->unit->names, name), DT_S64, in->k->span);
}

/* Gives each global tensor that the kernel writes its registers. Returns their number. */
static int64_t
find_noted(Inspector *in, const Kernel *k)
{
    int64_t n = 0;
    for (BufId b = 1; b < k->bufs.n; b++) {
        if (k->bufs.p[b].scope == SC_GM && ir_may_write(k, b)) {
            in->noted[b] = (Noted){new_reg(in, "lo"), new_reg(in, "hi")};
            n++;
        }
    }
    return n;
}

/* Adds the argument that has a row for each core. */
static BufId
add_rows(Inspector *in, int64_t tensors)
{
    Kernel *k = in->k;
    Buffer b = {.name = intern(&k->unit->names, "tikc_ranges"),
                .scope = SC_GM,
                .dtype = DT_S64,
                .role = BUF_WORKSPACE,
                .elems = in->cores * tensors * 2,
                .bytes = in->cores * tensors * 2 * WORD,
                .address = -1,
                .copies = 1,
                .span = k->span};
    VEC_PUSH(&in->scratch, &b.shape, b.elems);
    BufId rows = ir_buffer(k, &b);
    VEC_PUSH(&k->arena, &k->params, rows);
    return rows;
}

static void
store(Inspector *in, Cursor *c, BufId rows, ExprId off, RegId r)
{
    Stmt s = {.kind = ST_STORE, .proof = PROOF_PROVED, .span = in->k->span};
    s.store.ref = (Ref){rows, DT_S64, off};
    s.store.value = ir_reg_value(in->k, r);
    (void)ir_append(in->k, c, &s);
}

/* Adds the loop over the cores that writes the rows. */
static void
write_rows(Inspector *in, Cursor *c, uint32_t nbufs, int64_t tensors)
{
    Kernel *k = in->k;
    BufId rows = add_rows(in, tensors);
    Stmt loop = {.kind = ST_FOR, .span = k->span};
    loop.loop.var = ir_var(k, intern(&k->unit->names, "core"), DT_S64);
    loop.loop.begin = number(in, 0);
    loop.loop.end = number(in, in->cores);
    loop.loop.block_num = in->cores;
    loop.loop.thread_num = 1;
    Cursor body = ir_cursor_body(ir_append(k, c, &loop), 0);
    ExprId row =
        op(in, SOP_MUL, ir_var_value(k, loop.loop.var), number(in, tensors * 2 * WORD));
    int64_t at = 0;
    for (BufId b = 1; b < nbufs; b++) {
        if (in->noted[b].lo != 0) {
            store(in, &body, rows, op(in, SOP_ADD, row, number(in, at)), in->noted[b].lo);
            at += WORD;
            store(in, &body, rows, op(in, SOP_ADD, row, number(in, at)), in->noted[b].hi);
            at += WORD;
        }
    }
}

static void
begin_ranges(Inspector *in, Cursor *c, uint32_t nbufs, StmtId like)
{
    set(in, c, in->steps, number(in, 0), like);
    for (BufId b = 1; b < nbufs; b++) {
        if (in->noted[b].lo != 0) {
            set(in, c, in->noted[b].lo, number(in, INT64_MAX), like);
            set(in, c, in->noted[b].hi, number(in, INT64_MIN), like);
        }
    }
}

static void
rewrite(Inspector *in, int64_t tensors)
{
    StmtId first = in->k->body;
    uint32_t nbufs = in->k->bufs.n;
    Cursor c = ir_cursor_body(0, 0);
    in->k->body = 0;
    in->steps = new_reg(in, "steps");
    begin_ranges(in, &c, nbufs, first);
    rewrite_body(in, c, first);
    while (*ir_body(in->k, c.owner, c.slot) != 0) {
        c = (Cursor){*ir_body(in->k, c.owner, c.slot), 2};
    }
    write_rows(in, &c, nbufs, tensors);
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
    int64_t tensors = find_noted(&in, k);
    in.needs_reg = ARENA_ARRAY(&in.scratch, bool, in.k->regs.n);
    find_live(&in);
    if (in.ok) {
        rewrite(&in, tensors);
        in.k->inspects = tensors;
        in.k->blocks_ordered = false;
    }
    arena_free(&in.scratch);
    if (!in.ok) {
        kernel_free(in.k);
        return NULL;
    }
    return in.k;
}
