/* forward_checked.c: reads global memory in place of a tile whose length is known only at
 * run time, as forward does with those whose length is known.
 *
 * Needs: a checked kernel whose buffers have addresses, in a copy for the host.
 * Guarantees: a sum or an extreme that this pass changes reads the same bytes as before,
 * and breaks the same rules in the same order. Never: changes what is written, but for
 * the tile, which nothing else reads.
 *
 * A kernel of a run-time width moves a row to a tile and reduces it. Both have rules that
 * the width may break, and these are about the tile. So they are asked where they were
 * (PROOF_ASKED); then the reduction reads the row where it is. That it reads no more than
 * the move would have brought is shown for all widths (analysis/count.h). */
#include "analysis/count.h"
#include "isa/operand.h"
#include "passes/access.h"
#include "passes/passes.h"
#include "passes/reaching.h"
#include "passes/rewrite.h"
#include "rules/shape.h"

/* Sums and extremes have these operands in the same slots. */
_Static_assert(ALLADD_dst == ALLMAX_dst && ALLADD_src == ALLMAX_src &&
                   ALLADD_work_tensor == ALLMAX_work_tensor &&
                   ALLADD_repeat_times == ALLMAX_repeat_times &&
                   ALLADD_src_rep_stride == ALLMAX_src_rep_stride,
               "one pass for both");

enum {
    MOST_READERS = 8
};

typedef struct Bypass {
    Kernel *k;
    const bool *source; /* by BufId: see rewrite_sources */
    const Reaching *reaching;
    StmtId move;
    Ref tile, from;
    Count bytes; /* their number is none that a register was set to: what it reads is */
} Bypass;

/* ---- the move ------------------------------------------------------------ */

/* Returns whether the statement fills a tile that begins where it is moved to. */
static bool
begin_move(Bypass *x, StmtId s)
{
    Iteration it;
    const Stmt *st = &x->k->stmts.p[s];
    if (st->kind != ST_INSTR || st->proof != PROOF_RUNTIME ||
        !iteration_of(x->k, st, &it) || !it.moves || !it.flat || count_known(it.lanes)) {
        return false;
    }
    const Buffer *tile = &x->k->bufs.p[it.op[0].ref.buf];
    x->move = s;
    x->tile = it.op[0].ref;
    x->from = it.op[1].ref;
    x->bytes = (Count){reaching_value(x->reaching, s, it.lanes.of),
                       it.lanes.times * dtype_size(x->tile.dtype)};
    return x->source[x->from.buf] && tile->scope == SC_UB && !tile->dynamic;
}

/* ---- who uses the tile --------------------------------------------------- */

static bool
instr_has(const Kernel *k, const Stmt *s, BufId b)
{
    int n;
    (void)form_params(op_table[s->instr.op].form, &n);
    for (int i = 0; i < n; i++) {
        const Arg *a = &k->args.p[s->instr.arg + (uint32_t)i];
        if (a->kind == ARG_REF && a->ref.buf == b) {
            return true;
        }
    }
    return false;
}

/* Returns how many statements of the kernel use the tile. */
static int
count_users(const Bypass *x)
{
    int n = 0;
    BufId tile = x->tile.buf;
    for (StmtId s = 1; s < x->k->stmts.n; s++) {
        const Stmt *st = &x->k->stmts.p[s];
        n += (st->kind == ST_INSTR && instr_has(x->k, st, tile)) ||
             (st->kind == ST_LOAD && st->load.ref.buf == tile) ||
             (st->kind == ST_STORE && st->store.ref.buf == tile);
    }
    return n;
}

/* Returns whether a read of bytes that were never written can find those of the tile. */
static bool
may_be_found(const Bypass *x)
{
    const Kernel *k = x->k;
    for (BufId b = 1; b < k->bufs.n && k->may_read_uninit; b++) {
        if (b != x->tile.buf && k->bufs.p[b].unset && !rewrite_apart(k, b, x->tile.buf)) {
            return true;
        }
    }
    return false;
}

/* ---- the reader ---------------------------------------------------------- */

static int64_t
constant_at(const Kernel *k, const Stmt *s, int slot)
{
    ExprId e = k->args.p[s->instr.arg + (uint32_t)slot].expr;
    return ir_is_const(k, e) ? ir_expr(k, e)->imm : -1;
}

/* Returns whether a sum or an extreme reads whole repeats that follow each other from the
 * tile's first byte on, and nowhere else, and all of them were moved. */
static bool
reads_moved(const Bypass *x, StmtId id)
{
    const Kernel *k = x->k;
    const Stmt *s = &k->stmts.p[id];
    const Arg *a = &k->args.p[s->instr.arg];
    Sem sem = op_table[s->instr.op].sem;
    if (sem != SEM_ALL_ADD && sem != SEM_ALL_MAX && sem != SEM_ALL_MIN) {
        return false;
    }
    const Ref *src = &a[ALLADD_src].ref;
    const Arg *mask = &a[form_first(op_table[s->instr.op].form, ROLE_MASK)];
    int64_t lanes = REPEAT_BYTES / dtype_size(src->dtype);
    ExprId repeats = reaching_value(x->reaching, id, a[ALLADD_repeat_times].expr);
    Count read = {repeats, REPEAT_BYTES};
    return src->buf == x->tile.buf && src->off == x->tile.off &&
           a[ALLADD_dst].ref.buf != x->tile.buf &&
           a[ALLADD_work_tensor].ref.buf != x->tile.buf &&
           mask->mask_form == MASK_COUNT && ir_is_const(k, mask->mask[0]) &&
           ir_expr(k, mask->mask[0])->imm == lanes &&
           constant_at(k, s, ALLADD_src_rep_stride) == REPEAT_BYTES / BLOCK_BYTES &&
           !ir_is_const(k, repeats) && count_at_least(k, x->bytes, read);
}

/* The end of an array without room is read as a copy, but not by all instructions
 * (host/lower/guard.c). */
static bool
can_read_there(const Bypass *x, const Stmt *s)
{
    return x->k->bufs.p[x->from.buf].inside || shape_can_move(s->instr.op, ROLE_SRC);
}

/* Puts a copy of the reader, of which only the rules are asked, between it and the
 * statement before it. */
static void
read_there(Bypass *x, StmtId before)
{
    Kernel *k = x->k;
    int n;
    StmtId reader = k->stmts.p[before].next, asked = k->stmts.n;
    Stmt copy = k->stmts.p[reader];
    uint32_t from = copy.instr.arg;
    (void)form_params(op_table[copy.instr.op].form, &n);
    copy.instr.arg = k->args.n;
    copy.proof = PROOF_ASKED;
    for (int i = 0; i < n; i++) {
        Arg a = k->args.p[from + (uint32_t)i];
        VEC_PUSH(&k->arena, &k->args, a);
    }
    VEC_PUSH(&k->arena, &k->stmts, copy);
    k->stmts.p[asked].next = reader;
    k->stmts.p[before].next = asked;
    k->stmts.p[reader].proof = PROOF_PROVED;
    Ref *src = &k->args.p[from + ALLADD_src].ref;
    *src = (Ref){x->from.buf, src->dtype, x->from.off};
}

/* Returns whether a statement changes a number that says what is moved, or where. */
static bool
changes_move(const Bypass *x, StmtId s)
{
    return rewrite_stmt_changes(x->k, s, x->from.off) ||
           rewrite_stmt_changes(x->k, s, x->tile.off) ||
           rewrite_stmt_changes(x->k, s, x->bytes.of);
}

/* Finds the readers among the statements after the move, in the same body, each by the
 * statement before it. Returns their number. */
static int
find_readers(const Bypass *x, StmtId *before)
{
    const Kernel *k = x->k;
    int n = 0;
    for (StmtId s = x->move; k->stmts.p[s].next != 0 && n < MOST_READERS;
         s = k->stmts.p[s].next) {
        StmtId next = k->stmts.p[s].next;
        const Stmt *st = &k->stmts.p[next];
        if (st->kind == ST_INSTR && instr_has(k, st, x->tile.buf)) {
            if (st->proof != PROOF_RUNTIME || !reads_moved(x, next) ||
                !can_read_there(x, st)) {
                break;
            }
            before[n++] = s;
        } else if (changes_move(x, next)) {
            break;
        }
    }
    return n;
}

/* Lets all that read the tile read elsewhere, or nothing. The last one comes first, since
 * the statement before it may be a reader, too. */
static void
bypass_tile(Bypass *x)
{
    StmtId before[MOST_READERS];
    int n = find_readers(x, before);
    if (n == 0 || count_users(x) != n + 1 || may_be_found(x)) {
        return;
    }
    while (n > 0) {
        read_there(x, before[--n]);
    }
    x->k->stmts.p[x->move].proof = PROOF_ASKED;
}

static void
bypass_body(Bypass *x, StmtId first)
{
    for (StmtId s = first; s != 0; s = x->k->stmts.p[s].next) {
        const Stmt *st = &x->k->stmts.p[s];
        if (st->kind == ST_FOR) {
            bypass_body(x, st->loop.body);
        } else if (st->kind == ST_SCOPE && st->scope.run == 0) {
            bypass_body(x, st->scope.body);
        } else if (st->kind == ST_IF) {
            bypass_body(x, st->cond.then_body);
            bypass_body(x, st->cond.else_body);
        } else if (begin_move(x, s)) {
            bypass_tile(x);
        }
    }
}

bool
pass_forward_checked(Kernel *k)
{
    Arena scratch;
    arena_init(&scratch);
    Bypass x = {.k = k,
                .source = rewrite_sources(k, &scratch),
                .reaching = reaching_find(k, &scratch)};
    bypass_body(&x, k->body);
    arena_free(&scratch);
    return true;
}
