/* forward.c: reads global memory in place of a tile that has its bytes.
 *
 * Needs: a checked kernel, in a copy for the host. Guarantees: an instruction whose
 * operand this pass changes reads the same bytes as before. Never: changes what is
 * written.
 *
 * After a move of bytes of a global tensor into a tile, each of them is a copy until
 * something writes it. The tensor must be one that the kernel never writes. Only
 * instructions that read no byte beyond their elements are changed: those on whole
 * vectors or rows of them, and transposes. What a move scatters or collects, burst by
 * burst, are rows of the tile; then an operand is changed that lies in one row, and the
 * repeats of a transpose may go from row to row. How many rows there are may be known
 * only at run time: then the number of the row has to be the variable of a loop over as
 * many. A move that is checked stays where it is, with its check. A run
 * (Stmt.scope.run) reads its tile, since its instructions stand for each other. */
#include "isa/operand.h"
#include "passes/access.h"
#include "passes/passes.h"
#include "passes/rewrite.h"
#include "passes/whole_reads.h"
#include "rules/shape.h"

enum {
    MOST_LOOPS = 8,
    NCHW_ROWS = 16
};

/* Bytes of the tile, from where the move began: first to end - 1. */
typedef struct Bytes {
    int64_t first, end;
} Bytes;

typedef struct Forward {
    Kernel *k;
    Env env;
    Arena scratch;
    const bool *source; /* by BufId: see rewrite_sources */
    /* the move */
    Ref tile, from;
    int64_t bytes; /* of a row */
    Count rows;
    int64_t tile_pitch, from_pitch;
    Bytes written; /* since the move, and perhaps some between them */
    /* of the present instruction: what it writes; where it reads elements before it
     * writes them, 0: nowhere */
    Bytes own;
    ExprId in_place;
    /* the loops around the reader, as far as the move is outside of them */
    int nloops;
    StmtId loop[MOST_LOOPS];
} Forward;

/* Where an operand begins in the rows of the move, and the bytes of the tile from repeat
 * to repeat, if those are rows apart. */
typedef struct Place {
    Affine row, column;
    int64_t step;
} Place;

/* ---- the move ------------------------------------------------------------ */

static bool
has_one_row(const Forward *f)
{
    return count_known(f->rows) && f->rows.times == 1;
}

/* Returns whether the statement fills a tile that can be read elsewhere. */
static bool
begin_move(Forward *f, const Stmt *s)
{
    Iteration it;
    if (s->kind != ST_INSTR || !iteration_of(f->k, s, &it) || !it.moves ||
        !count_known(it.lanes) || (!count_known(it.rows) && it.rows.times != 1)) {
        return false;
    }
    const Buffer *tile = &f->k->bufs.p[it.op[0].ref.buf];
    f->tile = it.op[0].ref;
    f->from = it.op[1].ref;
    f->bytes = it.lanes.times * dtype_size(f->tile.dtype);
    f->rows = it.rows;
    f->tile_pitch = it.op[0].pitch;
    f->from_pitch = it.op[1].pitch;
    f->written = (Bytes){0, 0};
    return f->source[f->from.buf] && tile->scope == SC_UB && !tile->dynamic &&
           (has_one_row(f) || f->tile_pitch >= f->bytes);
}

static bool writes_tile(const Forward *f, StmtId s);

static bool
body_writes_tile(const Forward *f, StmtId first)
{
    for (StmtId s = first; s != 0; s = f->k->stmts.p[s].next) {
        if (writes_tile(f, s)) {
            return true;
        }
    }
    return false;
}

/* Returns whether the statement, or what is inside of it, writes the tile or changes a
 * place that the move was at. */
static bool
writes_tile(const Forward *f, StmtId s)
{
    const Stmt *st = &f->k->stmts.p[s];
    Access a[MAX_ACCESSES];
    switch ((StmtKind)st->kind) {
    case ST_FOR:
        return body_writes_tile(f, st->loop.body);
    case ST_SCOPE:
        return body_writes_tile(f, st->scope.body);
    case ST_IF:
        return body_writes_tile(f, st->cond.then_body) ||
               body_writes_tile(f, st->cond.else_body);
    case ST_SET:
    case ST_LOAD:
        return rewrite_stmt_changes(f->k, s, f->tile.off) ||
               rewrite_stmt_changes(f->k, s, f->from.off) ||
               (f->rows.of != 0 && rewrite_stmt_changes(f->k, s, f->rows.of));
    default:
        break;
    }
    int n = access_list(f->k, st, a);
    for (int i = 0; i < n; i++) {
        if (a[i].buf == f->tile.buf && a[i].write) {
            return true;
        }
    }
    return st->kind == ST_ALLOC && st->alloc.buf == f->tile.buf;
}

/* ---- readers ------------------------------------------------------------- */

static bool
can_read_elsewhere(const Forward *f, const Stmt *s)
{
    Iteration it;
    Family family = form_family(op_table[s->instr.op].form);
    bool rows = op_table[s->instr.op].form == FORM_HREDUCE && reads_whole_rows(f->k, s);
    if (s->proof != PROOF_PROVED ||
        (family != FAM_LAYOUT && !rows && !reads_whole_vectors(f->k, s))) {
        return false;
    }
    /* The end of an array without room is read as a copy, but not by all instructions
     * (host/lower/guard.c). */
    if (!f->k->bufs.p[f->from.buf].inside && !shape_can_move(s->instr.op, ROLE_SRC)) {
        return false;
    }
    return family == FAM_REDUCE || family == FAM_LAYOUT || rows ||
           (iteration_of(f->k, s, &it) && !it.moves);
}

static void
add_term(Affine *a, ExprId atom, int64_t factor)
{
    a->atom[a->n] = atom;
    a->factor[a->n++] = factor;
}

/* Takes a distance from the tile's first byte apart. */
static void
split(const Forward *f, const Affine *d, Place *p)
{
    int64_t pitch = has_one_row(f) ? INT64_MAX : f->tile_pitch;
    *p = (Place){0};
    for (int i = 0; i < d->n; i++) {
        bool rows = d->factor[i] % pitch == 0;
        add_term(rows ? &p->row : &p->column, d->atom[i],
                 rows ? d->factor[i] / pitch : d->factor[i]);
    }
    int64_t rest = d->constant % pitch;
    rest += rest < 0 && !has_one_row(f) ? pitch : 0;
    p->column.constant = rest;
    p->row.constant = (d->constant - rest) / pitch;
}

static bool
is_between(const Forward *f, const Affine *a, int64_t first, int64_t last, int64_t most)
{
    Interval at = env_affine_range(&f->env, a);
    int64_t lo, hi;
    return checked_add(at.lo, first, &lo) && lo >= 0 && checked_add(at.hi, last, &hi) &&
           hi <= most;
}

/* Returns whether the number of a row is, perhaps less a constant, the variable of a loop
 * over all rows of the move. */
static bool
is_row_of_loop(const Forward *f, const Affine *row)
{
    for (int i = 0; i < f->nloops && row->n == 1; i++) {
        const Stmt *st = &f->k->stmts.p[f->loop[i]];
        if (row->atom[0] == ir_var_value(f->k, st->loop.var) && row->factor[0] == 1 &&
            st->loop.end == f->rows.of) {
            return row->constant <= 0 && env_affine_range(&f->env, row).lo >= 0;
        }
    }
    return false;
}

/* Finds where in the tile an access begins, from where the move began. */
static bool
find_distance(const Forward *f, const Access *a, Affine *d)
{
    Affine x, y;
    return a->known && env_affine(&f->env, a->off, &x) &&
           env_affine(&f->env, f->tile.off, &y) && affine_sub(&x, &y, d);
}

static bool
is_apart(Bytes read, Bytes written)
{
    return written.first == written.end || read.first >= written.end ||
           read.end <= written.first;
}

/* Returns the bytes of the tile that an access at that distance may have; all if the sums
 * are too large. */
static Bytes
bytes_at(const Forward *f, const Access *a, const Affine *d)
{
    Bytes b;
    Interval at = env_affine_range(&f->env, d);
    bool known = checked_add(at.lo, a->fp.offset, &b.first) &&
                 checked_add(at.hi, access_end(a), &b.end);
    return known ? b : (Bytes){INT64_MIN, INT64_MAX};
}

/* Returns whether nobody has written what an access reads at that distance since the
 * move. */
static bool
is_as_moved(const Forward *f, const Access *a, const Affine *d)
{
    Bytes read = bytes_at(f, a, d);
    return is_apart(read, f->written) &&
           (a->off == f->in_place || is_apart(read, f->own));
}

/* Returns whether an access is inside of what was moved; *p is where. */
static bool
is_inside(const Forward *f, const Access *a, Place *p)
{
    Affine d;
    if (!find_distance(f, a, &d) || !is_as_moved(f, a, &d)) {
        return false;
    }
    split(f, &d, p);
    int64_t end = access_end(a), rows = 0;
    if (!has_one_row(f) && a->fp.count0 > 1 && a->fp.count1 == 1 && a->fp.stride0 > 0 &&
        a->fp.stride0 % f->tile_pitch == 0) {
        p->step = a->fp.stride0;
        rows = (a->fp.count0 - 1) * (p->step / f->tile_pitch);
        end = a->fp.offset + a->fp.len;
    }
    return is_between(f, &p->column, a->fp.offset, end, f->bytes) &&
           (count_known(f->rows) ? is_between(f, &p->row, 0, rows, f->rows.times - 1)
                                 : rows == 0 && is_row_of_loop(f, &p->row));
}

/* Returns e + by * a. */
static ExprId
plus(Kernel *k, ExprId e, const Affine *a, int64_t by)
{
    e = ir_op2(k, SOP_ADD, e, ir_const(k, DT_S64, a->constant * by));
    for (int i = 0; i < a->n; i++) {
        ExprId factor = ir_const(k, DT_S64, a->factor[i] * by);
        ExprId term = ir_op2(k, SOP_MUL, ir_cast(k, DT_S64, a->atom[i]), factor);
        e = ir_op2(k, SOP_ADD, e, term);
    }
    return e;
}

static ExprId
elsewhere(const Forward *f, ExprId off, const Place *p)
{
    Kernel *k = f->k;
    if (has_one_row(f)) {
        return ir_op2(k, SOP_ADD, f->from.off, ir_op2(k, SOP_SUB, off, f->tile.off));
    }
    return plus(k, plus(k, f->from.off, &p->row, f->from_pitch), &p->column, 1);
}

static void
read_elsewhere(Forward *f, const Stmt *s)
{
    Kernel *k = f->k;
    Access a[MAX_ACCESSES];
    int n = access_list(k, s, a);
    uint32_t first = s->instr.arg;
    for (int i = 0; i < n; i++) {
        Place p;
        if (a[i].buf != f->tile.buf || a[i].write || !is_inside(f, &a[i], &p) ||
            p.step != 0) {
            continue;
        }
        Arg *arg = &k->args.p[first + (uint32_t)a[i].param];
        int params;
        Role role = form_params(op_table[s->instr.op].form, &params)[a[i].param].role;
        if (role == ROLE_SRC) {
            arg->ref.off = elsewhere(f, arg->ref.off, &p);
            arg->ref.buf = f->from.buf;
        }
    }
}

/* ---- transposes of blocks ------------------------------------------------ */

/* Changes all sixteen rows of tiles, and the step from tile to tile, or nothing. */
static void
read_blocks_elsewhere(Forward *f, const Stmt *s)
{
    Kernel *k = f->k;
    Access a[MAX_ACCESSES];
    Place p[MAX_ACCESSES];
    Arg *arg = &k->args.p[s->instr.arg];
    int n = access_list(k, s, a), rows = 0;
    int64_t step = 0;
    for (int i = 0; i < n; i++) {
        bool here = a[i].buf == f->tile.buf;
        if (here && (a[i].write || !is_inside(f, &a[i], &p[i]) ||
                     (rows > 0 && p[i].step != step))) {
            return;
        }
        step = here ? p[i].step : step;
        rows += here;
    }
    step = step / f->tile_pitch * f->from_pitch;
    if (rows != NCHW_ROWS || step % BLOCK_BYTES != 0) {
        return;
    }
    for (int i = 0; i < n; i++) {
        if (a[i].buf == f->tile.buf) {
            Ref *r = &arg[a[i].param].ref;
            *r = (Ref){f->from.buf, r->dtype, elsewhere(f, r->off, &p[i])};
        }
    }
    if (step != 0) {
        arg[NCHW_src_rep_stride].expr = ir_const(k, DT_S64, step / BLOCK_BYTES);
    }
}

static void
change(Forward *f, const Stmt *s)
{
    if (op_table[s->instr.op].form == FORM_NCHW) {
        read_blocks_elsewhere(f, s);
    } else {
        read_elsewhere(f, s);
    }
}

static void forward_loop(Forward *f, StmtId s);

static void
forward_inside(Forward *f, StmtId first)
{
    for (StmtId s = first; s != 0; s = f->k->stmts.p[s].next) {
        const Stmt *st = &f->k->stmts.p[s];
        if (st->kind == ST_INSTR && can_read_elsewhere(f, st)) {
            change(f, st);
        } else if (st->kind == ST_FOR) {
            forward_loop(f, s);
        } else if (st->kind == ST_SCOPE && st->scope.run == 0) {
            forward_inside(f, st->scope.body);
        } else if (st->kind == ST_IF) {
            forward_inside(f, st->cond.then_body);
            forward_inside(f, st->cond.else_body);
        }
    }
}

static void
forward_loop(Forward *f, StmtId s)
{
    bool known = f->nloops < MOST_LOOPS;
    if (known) {
        f->loop[f->nloops++] = s;
    }
    forward_inside(f, f->k->stmts.p[s].loop.body);
    f->nloops -= known;
}

/* ---- instructions that write the tile ------------------------------------ */

static Bytes
join_bytes(Bytes a, Bytes b)
{
    return a.first == a.end   ? b
           : b.first == b.end ? a
                              : (Bytes){MIN(a.first, b.first), MAX(a.end, b.end)};
}

static Bytes
written_by(const Forward *f, const Stmt *s)
{
    Access a[MAX_ACCESSES];
    Bytes sum = {0, 0};
    int n = access_list(f->k, s, a);
    for (int i = 0; i < n; i++) {
        Affine d;
        if (a[i].buf == f->tile.buf && a[i].write) {
            bool known = find_distance(f, &a[i], &d);
            sum = join_bytes(sum, known ? bytes_at(f, &a[i], &d)
                                        : (Bytes){INT64_MIN, INT64_MAX});
        }
    }
    return sum;
}

/* Returns the offset at which an instruction reads each element of the tile once, where
 * it writes it; 0: there is none. */
static ExprId
read_in_place(const Forward *f, const Stmt *s)
{
    Iteration it;
    ExprId off = 0;
    if (!iteration_of(f->k, s, &it) || !it.flat) {
        return 0;
    }
    for (int i = 0; i < it.n; i++) {
        if (it.op[i].writes && it.op[i].ref.buf == f->tile.buf) {
            if (off != 0) {
                return 0;
            }
            off = it.op[i].ref.off;
        }
    }
    return off;
}

/* Changes an instruction that writes the tile. */
static void
change_writer(Forward *f, const Stmt *s)
{
    f->own = written_by(f, s);
    f->in_place = read_in_place(f, s);
    if (can_read_elsewhere(f, s)) {
        change(f, s);
    }
    f->written = join_bytes(f->written, f->own);
    f->own = (Bytes){0, 0};
    f->in_place = 0;
}

/* Changes the instructions after the move, up to the first that writes the tile nobody
 * knows where, or changes a number that says where the move was. */
static void
forward_after(Forward *f, StmtId move)
{
    for (StmtId s = f->k->stmts.p[move].next; s != 0 && f->written.first != INT64_MIN;
         s = f->k->stmts.p[s].next) {
        const Stmt *st = &f->k->stmts.p[s];
        bool writes = writes_tile(f, s);
        if (st->kind == ST_INSTR && writes) {
            change_writer(f, st);
        } else if (writes) {
            return;
        } else if (st->kind == ST_INSTR && can_read_elsewhere(f, st)) {
            change(f, st);
        } else if (st->kind == ST_FOR) {
            forward_loop(f, s);
        } else if (st->kind == ST_SCOPE && st->scope.run == 0) {
            forward_inside(f, st->scope.body);
        } else if (st->kind == ST_IF) {
            forward_inside(f, st->cond.then_body);
            forward_inside(f, st->cond.else_body);
        }
    }
}

static void
forward_body(Forward *f, StmtId first)
{
    for (StmtId s = first; s != 0; s = f->k->stmts.p[s].next) {
        const Stmt *st = &f->k->stmts.p[s];
        if (st->kind == ST_FOR) {
            forward_body(f, st->loop.body);
        } else if (st->kind == ST_SCOPE) {
            forward_body(f, st->scope.body);
        } else if (st->kind == ST_IF) {
            forward_body(f, st->cond.then_body);
            forward_body(f, st->cond.else_body);
        } else if (begin_move(f, st)) {
            forward_after(f, s);
        }
    }
}

bool
pass_forward(Kernel *k)
{
    Forward f = {.k = k};
    arena_init(&f.scratch);
    env_init(&f.env, k, &f.scratch);
    rewrite_enter_loops(&f.env, k, k->body);
    f.source = rewrite_sources(k, &f.scratch);
    forward_body(&f, k->body);
    arena_free(&f.scratch);
    return true;
}
