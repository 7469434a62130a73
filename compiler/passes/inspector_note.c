/* inspector_note.c: the notes of an inspector: which runs of bytes a core accesses of
 * each global tensor that the kernel writes.
 *
 * A run is widened while accesses overlap it or are next to it; one that is apart puts
 * it into the core's row and begins the next run. When the row is full the last run is
 * widened by all that follows, so that a row has all bytes that are accessed, and
 * perhaps more. A row begins with the number of its runs, which is written last: the
 * launcher's -1 tells that the core did not come to its end.
 */
#include "passes/inspector.h"

#include "isa/operand.h"

enum {
    WORD = 8 /* bytes of a number in the rows */
};

#define ROW_BYTES ((int64_t)IR_INSPECT_WORDS * WORD)

ExprId
inspector_number(Inspector *in, int64_t v)
{
    return ir_const(in->k, DT_S64, v);
}

ExprId
inspector_op(Inspector *in, ScalarOp o, ExprId a, ExprId b)
{
    return ir_op2(in->k, o, a, b);
}

RegId
inspector_reg(Inspector *in, const char *name)
{
    return ir_reg(in->k, intern(&in->k->unit->names, name), DT_S64, in->k->span);
}

StmtId
inspector_add(Inspector *in, Cursor *c, Stmt s, StmtId like)
{
    s.span = in->k->stmts.p[like].span;
    s.chain = in->k->stmts.p[like].chain;
    return ir_append(in->k, c, &s);
}

void
inspector_set(Inspector *in, Cursor *c, RegId r, ExprId value, StmtId like)
{
    (void)inspector_add(in, c, (Stmt){.kind = ST_SET, .set = {r, value}}, like);
}

void
inspector_find_noted(Inspector *in, const Kernel *k)
{
    in->nbufs = k->bufs.n;
    in->tensors = 0;
    for (BufId b = 1; b < k->bufs.n; b++) {
        if (k->bufs.p[b].scope == SC_GM && ir_may_write(k, b)) {
            in->noted[b] = (Noted){inspector_reg(in, "lo"), inspector_reg(in, "hi"),
                                   inspector_reg(in, "runs"), in->tensors * ROW_BYTES};
            in->tensors++;
        }
    }
}

/* ---- ranges of accesses -------------------------------------------------- */

bool
inspector_is_plain_move(const Kernel *k, const Stmt *s)
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

/* Returns an operand of an instruction in bytes. */
static ExprId
bytes_of(Inspector *in, const Arg *a, int64_t unit)
{
    return inspector_op(in, SOP_MUL, ir_cast(in->k, DT_S64, a->expr),
                        inspector_number(in, unit));
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
    ExprId pitch = inspector_op(in, SOP_ADD, bytes_of(in, &args[len], unit), between);
    ExprId all = inspector_op(in, SOP_MUL, bytes_of(in, &args[n], 1), pitch);
    return inspector_op(in, SOP_SUB, all, between);
}

/* ---- runs ---------------------------------------------------------------- */

static Cursor
when(Inspector *in, Cursor *c, ScalarOp compare, ExprId a, ExprId b, StmtId like)
{
    ExprId cond = inspector_op(in, compare, a, b);
    StmtId branch =
        inspector_add(in, c, (Stmt){.kind = ST_IF, .cond = {cond, 0, 0}}, like);
    return ir_cursor_body(branch, 0);
}

/* Sets a register to a value if that is less, or greater. */
static void
widen(Inspector *in, Cursor *c, RegId r, ScalarOp compare, ExprId value, StmtId like)
{
    Cursor body = when(in, c, compare, value, ir_reg_value(in->k, r), like);
    inspector_set(in, &body, r, value, like);
}

static void
empty_run(Inspector *in, Cursor *c, const Noted *r, StmtId like)
{
    inspector_set(in, c, r->lo, inspector_number(in, INT64_MAX), like);
    inspector_set(in, c, r->hi, inspector_number(in, INT64_MIN), like);
}

/* Writes a register to a word of the row. */
static void
store(Inspector *in, Cursor *c, ExprId off, RegId r, StmtId like)
{
    Stmt s = {.kind = ST_STORE, .proof = PROOF_PROVED};
    s.store.ref = (Ref){in->rows, DT_S64, off};
    s.store.value = ir_reg_value(in->k, r);
    (void)inspector_add(in, c, s, like);
}

/* Puts the present run into the row, if it is not empty. */
static void
put_run(Inspector *in, Cursor *c, const Noted *r, StmtId like)
{
    ExprId lo = ir_reg_value(in->k, r->lo), hi = ir_reg_value(in->k, r->hi);
    Cursor body = when(in, c, SOP_LT, lo, hi, like);
    ExprId at = inspector_op(in, SOP_MUL, ir_reg_value(in->k, r->n),
                             inspector_number(in, 2 * WORD));
    at = inspector_op(in, SOP_ADD, at, ir_reg_value(in->k, in->row));
    for (int i = 0; i < 2; i++) {
        ExprId off =
            inspector_op(in, SOP_ADD, at, inspector_number(in, r->at + (i + 1) * WORD));
        store(in, &body, off, i == 0 ? r->lo : r->hi, like);
    }
    ExprId n =
        inspector_op(in, SOP_ADD, ir_reg_value(in->k, r->n), inspector_number(in, 1));
    inspector_set(in, &body, r->n, n, like);
}

/* Begins a run if bytes a to b - 1 are apart from the present one and the row has
 * room for another one, which the last one does not need. */
static void
begin_run(Inspector *in, Cursor *c, const Noted *r, ExprId a, ExprId b, StmtId like)
{
    ExprId after = inspector_op(in, SOP_GT, a, ir_reg_value(in->k, r->hi));
    ExprId before = inspector_op(in, SOP_LT, b, ir_reg_value(in->k, r->lo));
    Stmt apart = {.kind = ST_IF};
    apart.cond.cond = inspector_op(in, SOP_OR, after, before);
    Cursor body = ir_cursor_body(inspector_add(in, c, apart, like), 0);
    body = when(in, &body, SOP_LT, ir_reg_value(in->k, r->n),
                inspector_number(in, IR_INSPECT_RUNS - 1), like);
    put_run(in, &body, r, like);
    empty_run(in, &body, r, like);
}

bool
inspector_note(Inspector *in, Cursor *c, StmtId s)
{
    Access a[MAX_ACCESSES];
    bool any = false;
    const Stmt st = in->k->stmts.p[s];
    int n = access_list(in->k, &st, a);
    for (int i = 0; i < n; i++) {
        const Noted r = in->noted[a[i].buf];
        if (r.lo == 0) {
            continue;
        }
        int64_t first = a[i].known ? a[i].fp.offset : 0;
        ExprId lo = inspector_op(in, SOP_ADD, a[i].off, inspector_number(in, first));
        ExprId len = a[i].known ? inspector_number(in, access_end(&a[i]) - first)
                                : move_bytes(in, &st, a[i].write);
        ExprId hi = inspector_op(in, SOP_ADD, lo, len);
        begin_run(in, c, &r, lo, hi, s);
        widen(in, c, r.lo, SOP_LT, lo, s);
        widen(in, c, r.hi, SOP_GT, hi, s);
        any = true;
    }
    return any;
}

/* ---- rows ---------------------------------------------------------------- */

static void
add_rows(Inspector *in)
{
    Kernel *k = in->k;
    int64_t bytes = in->cores * in->tensors * ROW_BYTES;
    Buffer b = {.name = intern(&k->unit->names, "tikc_ranges"),
                .scope = SC_GM,
                .dtype = DT_S64,
                .role = BUF_WORKSPACE,
                .elems = bytes / WORD,
                .bytes = bytes,
                .address = -1,
                .copies = 1,
                .span = k->span};
    VEC_PUSH(&in->scratch, &b.shape, b.elems);
    in->rows = ir_buffer(k, &b);
    VEC_PUSH(&k->arena, &k->params, in->rows);
}

/* Adds a loop over the cores. Returns its body, and its variable. */
static Cursor
each_core(Inspector *in, Cursor *c, StmtId like, ExprId *core)
{
    Stmt loop = {.kind = ST_FOR};
    loop.loop.var = ir_var(in->k, intern(&in->k->unit->names, "core"), DT_S64);
    loop.loop.begin = inspector_number(in, 0);
    loop.loop.end = inspector_number(in, in->cores);
    loop.loop.block_num = in->cores;
    loop.loop.thread_num = 1;
    *core = ir_var_value(in->k, loop.loop.var);
    return ir_cursor_body(inspector_add(in, c, loop, like), 0);
}

void
inspector_begin(Inspector *in, Cursor *c, StmtId like)
{
    ExprId core;
    add_rows(in);
    in->steps = inspector_reg(in, "steps");
    in->row = inspector_reg(in, "row");
    inspector_set(in, c, in->steps, inspector_number(in, 0), like);
    for (BufId b = 1; b < in->nbufs; b++) {
        if (in->noted[b].lo != 0) {
            empty_run(in, c, &in->noted[b], like);
            inspector_set(in, c, in->noted[b].n, inspector_number(in, 0), like);
        }
    }
    Cursor body = each_core(in, c, like, &core);
    inspector_set(
        in, &body, in->row,
        inspector_op(in, SOP_MUL, core, inspector_number(in, in->tensors * ROW_BYTES)),
        like);
}

void
inspector_end(Inspector *in, Cursor *c, StmtId like)
{
    for (BufId b = 1; b < in->nbufs; b++) {
        const Noted *r = &in->noted[b];
        if (r->lo != 0) {
            put_run(in, c, r, like);
            store(in, c,
                  inspector_op(in, SOP_ADD, ir_reg_value(in->k, in->row),
                               inspector_number(in, r->at)),
                  r->n, like);
        }
    }
}
