/* origin_map.c: follows blocks of 32 bytes through moves (see passes/origin.h). Only
 * moves of whole blocks are followed: bursts, loads of fractals, also transposed ones,
 * and rows into columns of fractals. What anything else writes is forgotten. */
#include "passes/origin.h"

#include "analysis/iteration.h"
#include "isa/operand.h"
#include "layout/fractal.h"
#include "passes/access.h"
#include "passes/rewrite.h"

enum {
    MOST_BASES = 256,
    SIDE = FRACTAL_SIDE,
    FRACTAL_BLOCKS = FRACTAL_BYTES / ORIGIN_BYTES
};

/* The tensor that a move reads, from the first byte on. */
typedef struct From {
    BufId buf;
    uint16_t base; /* of a global one; 0: on the core */
    int64_t off;
} From;

static int64_t
blocks_of(const OriginMap *m, BufId b)
{
    return ir_bytes(&m->k->bufs.p[b]) / ORIGIN_BYTES;
}

static bool
is_tracked(const OriginMap *m, BufId b)
{
    const Buffer *buf = &m->k->bufs.p[b];
    return !buf->dynamic && (buf->scope == SC_L1 || buf->scope == SC_L0A ||
                             buf->scope == SC_L0B || buf->scope == SC_UB);
}

Piece
origin_piece(const OriginMap *m, BufId b, int64_t block)
{
    bool known = m->pieces[b] != NULL && block >= 0 && block < blocks_of(m, b);
    return known ? m->pieces[b][block] : (Piece){0};
}

static void
put(OriginMap *m, BufId b, int64_t block, Piece p)
{
    m->steps++;
    if (m->pieces[b] == NULL) {
        m->pieces[b] = ARENA_ARRAY(m->arena, Piece, blocks_of(m, b));
    }
    if (block >= 0 && block < blocks_of(m, b)) {
        m->pieces[b][block] = p;
    }
}

void
origin_map_forget(OriginMap *m, BufId b)
{
    for (int64_t i = 0; m->pieces[b] != NULL && i < blocks_of(m, b); i++) {
        m->pieces[b][i] = (Piece){0};
    }
}

static void
forget_writes(OriginMap *m, const Stmt *s)
{
    Access a[MAX_ACCESSES];
    int n = access_list(m->k, s, a);
    for (int i = 0; i < n; i++) {
        if (a[i].write) {
            origin_map_forget(m, a[i].buf);
        }
    }
    if (s->kind == ST_ALLOC) {
        origin_map_forget(m, s->alloc.buf);
    }
}

void
origin_map_forget_written(OriginMap *m, StmtId first)
{
    for (StmtId s = first; s != 0; s = m->k->stmts.p[s].next) {
        const Stmt *st = &m->k->stmts.p[s];
        if (st->kind == ST_FOR) {
            origin_map_forget_written(m, st->loop.body);
        } else if (st->kind == ST_SCOPE) {
            origin_map_forget_written(m, st->scope.body);
        } else if (st->kind == ST_IF) {
            origin_map_forget_written(m, st->cond.then_body);
            origin_map_forget_written(m, st->cond.else_body);
        } else {
            forget_writes(m, st);
        }
    }
}

/* ---- places -------------------------------------------------------------- */

bool
origin_number(const OriginMap *m, ExprId e, int64_t *out)
{
    Interval r = env_range(&m->env, e);
    *out = r.lo;
    return interval_is_const(r) && (ir_expr(m->k, e)->flags & EXF_REG) == 0;
}

/* Returns the number of a base, or 0 if there are too many. */
static uint16_t
base_number(OriginMap *m, const Base *b)
{
    Affine d;
    for (uint32_t i = 1; i < m->bases.n; i++) {
        if (m->bases.p[i].buf == b->buf && affine_sub(&m->bases.p[i].sum, &b->sum, &d) &&
            d.n == 0) {
            return (uint16_t)i;
        }
    }
    if (m->bases.n == MOST_BASES) {
        return 0;
    }
    VEC_PUSH(m->arena, &m->bases, *b);
    return (uint16_t)(m->bases.n - 1);
}

/* Splits a place in global memory into its base and its constant part. */
static bool
locate(OriginMap *m, const Ref *r, From *out)
{
    Affine a;
    Base base = {.buf = r->buf};
    if (!m->source[r->buf] || (ir_expr(m->k, r->off)->flags & EXF_REG) != 0 ||
        !env_affine(&m->env, r->off, &a)) {
        return false;
    }
    *out = (From){.buf = r->buf, .off = a.constant};
    for (int i = 0; i < a.n; i++) {
        int64_t v, part;
        if (origin_number(m, a.atom[i], &v)) {
            if (!checked_mul(a.factor[i], v, &part) ||
                !checked_add(out->off, part, &out->off)) {
                return false;
            }
        } else if (ir_expr(m->k, a.atom[i])->kind == EX_VAR) {
            base.sum.atom[base.sum.n] = a.atom[i];
            base.sum.factor[base.sum.n++] = a.factor[i];
        } else {
            return false;
        }
    }
    out->base = base_number(m, &base);
    return out->base != 0;
}

static bool
find_source(OriginMap *m, const Ref *r, From *out)
{
    if (m->k->bufs.p[r->buf].scope == SC_GM) {
        return locate(m, r, out);
    }
    *out = (From){.buf = r->buf};
    return is_tracked(m, r->buf) && origin_number(m, r->off, &out->off);
}

static Piece
read_piece(const OriginMap *m, const From *s, int64_t byte)
{
    if (s->base != 0) {
        return (Piece){s->base, ORIGIN_PLAIN, s->off + byte, 0};
    }
    int64_t at = s->off + byte;
    return at % ORIGIN_BYTES == 0 ? origin_piece(m, s->buf, at / ORIGIN_BYTES)
                                  : (Piece){0};
}

/* ---- moves --------------------------------------------------------------- */

/* Rows of blocks, whose places are bytes. */
typedef struct Rows {
    BufId buf;
    int64_t to, to_row, to_block;
    int64_t row; /* of the source, whose blocks follow each other */
    int64_t rows, blocks;
} Rows;

/* Returns whether a destination has whole blocks, and how many blocks fit. */
static bool
move_rows(OriginMap *m, const From *from, const Rows *r)
{
    if (r->to % ORIGIN_BYTES != 0 || r->to_row % ORIGIN_BYTES != 0 ||
        r->to_block % ORIGIN_BYTES != 0 || r->rows > blocks_of(m, r->buf) ||
        r->blocks > blocks_of(m, r->buf)) {
        return false;
    }
    for (int64_t i = 0; i < r->rows; i++) {
        for (int64_t j = 0; j < r->blocks; j++) {
            put(m, r->buf, (r->to + i * r->to_row + j * r->to_block) / ORIGIN_BYTES,
                read_piece(m, from, i * r->row + j * ORIGIN_BYTES));
        }
    }
    return true;
}

static bool
move_bursts(OriginMap *m, const Stmt *s)
{
    Iteration it;
    From from;
    if (!iteration_of(m->k, s, &it) || !it.moves || !count_known(it.rows) ||
        !count_known(it.lanes)) {
        return false;
    }
    int64_t bytes = it.lanes.times * dtype_size(it.op[0].ref.dtype);
    Rows r = {.buf = it.op[0].ref.buf,
              .to_row = it.op[0].pitch,
              .to_block = ORIGIN_BYTES,
              .row = it.op[1].pitch,
              .rows = it.rows.times,
              .blocks = bytes / ORIGIN_BYTES};
    return bytes % ORIGIN_BYTES == 0 && origin_number(m, it.op[0].ref.off, &r.to) &&
           find_source(m, &it.op[1].ref, &from) && move_rows(m, &from, &r);
}

/* Transposes a fractal whose rows are a fixed distance apart. */
static void
transpose_piece(Piece p[FRACTAL_BLOCKS])
{
    Piece first = p[0];
    int64_t pitch = p[1].off - first.off;
    bool even = first.base != 0;
    for (int i = 0; i < SIDE; i++) {
        even = even && p[i].base == first.base && p[i].lane == ORIGIN_PLAIN &&
               p[i].off == first.off + i * pitch;
    }
    for (int i = 0; i < SIDE; i++) {
        p[i] = even ? (Piece){first.base, (uint8_t)i, first.off, pitch} : (Piece){0};
    }
}

/* Fractals that are steps of bytes apart. */
typedef struct Fractals {
    int64_t to, to_step, from, from_step, n;
    bool transposed;
} Fractals;

static bool
move_fractals(OriginMap *m, const Arg *args, const Fractals *f)
{
    From from;
    int64_t to;
    BufId dst = args[LOAD2D_dst].ref.buf;
    if (!origin_number(m, args[LOAD2D_dst].ref.off, &to) || to % ORIGIN_BYTES != 0 ||
        !find_source(m, &args[LOAD2D_src].ref, &from) ||
        (f->transposed && dtype_size(args[LOAD2D_dst].ref.dtype) != 2)) {
        return false;
    }
    for (int64_t i = 0; i < f->n; i++) {
        Piece p[FRACTAL_BLOCKS];
        for (int j = 0; j < FRACTAL_BLOCKS; j++) {
            p[j] = read_piece(m, &from, f->from + i * f->from_step + j * ORIGIN_BYTES);
        }
        if (f->transposed) {
            transpose_piece(p);
        }
        for (int j = 0; j < FRACTAL_BLOCKS; j++) {
            put(m, dst, (to + f->to + i * f->to_step) / ORIGIN_BYTES + j, p[j]);
        }
    }
    return true;
}

/* Gets the numbers of n operands from slot on. */
static bool
numbers(const OriginMap *m, const Arg *args, int slot, int n, int64_t *out)
{
    for (int i = 0; i < n; i++) {
        if (!origin_number(m, args[slot + i].expr, &out[i])) {
            return false;
        }
    }
    return true;
}

static bool
load_fractals(OriginMap *m, const Stmt *s, const Arg *args)
{
    int64_t v[LOAD2D_addr_mode + 1];
    bool one = op_table[s->instr.op].form == FORM_LOAD2D1;
    int last = one ? LOAD2D1_addr_mode : LOAD2D_addr_mode;
    if (!numbers(m, args, LOAD2D_start_index, last - LOAD2D_start_index + 1,
                 v + LOAD2D_start_index)) {
        return false;
    }
    int64_t step = v[one ? LOAD2D1_src_stride : LOAD2D_src_stride] * FRACTAL_BYTES;
    Fractals f = {.to_step =
                      one ? FRACTAL_BYTES : (v[LOAD2D_dst_gap] + 1) * FRACTAL_BYTES,
                  .from = v[LOAD2D_start_index] * FRACTAL_BYTES,
                  .from_step = v[last] != 0 ? -step : step,
                  .n = v[LOAD2D_repeat_times],
                  .transposed = v[one ? LOAD2D1_if_transpose : LOAD2D_if_transpose] != 0};
    return move_fractals(m, args, &f);
}

static bool
load_box(OriginMap *m, const Arg *args)
{
    int64_t v[LOAD2DBOX_en_transpose + 1];
    bool ok = numbers(m, args, LOAD2DBOX_m_start_pt,
                      LOAD2DBOX_en_transpose - LOAD2DBOX_m_start_pt + 1,
                      v + LOAD2DBOX_m_start_pt);
    for (int64_t k = 0; ok && k < v[LOAD2DBOX_k_step]; k++) {
        int64_t from = (v[LOAD2DBOX_k_start_pt] + k) * v[LOAD2DBOX_src_stride] +
                       v[LOAD2DBOX_m_start_pt];
        Fractals f = {.to = k * v[LOAD2DBOX_dst_stride] * FRACTAL_BYTES,
                      .to_step = FRACTAL_BYTES,
                      .from = from * FRACTAL_BYTES,
                      .from_step = FRACTAL_BYTES,
                      .n = v[LOAD2DBOX_m_step],
                      .transposed = v[LOAD2DBOX_en_transpose] != 0};
        ok = move_fractals(m, args, &f);
    }
    return ok;
}

/* Rows go to columns of fractals, matrix by matrix. */
static bool
move_matrices(OriginMap *m, const Arg *args)
{
    int64_t v[ND2NZ_dst_nd_stride + 1], to;
    From from;
    int64_t size = dtype_size(args[ND2NZ_dst].ref.dtype);
    bool ok = numbers(m, args, ND2NZ_nd_num, ND2NZ_dst_nd_stride - ND2NZ_nd_num + 1,
                      v + ND2NZ_nd_num) &&
              v[ND2NZ_nd_d] * size % ORIGIN_BYTES == 0 &&
              !dtype_is_half_byte(args[ND2NZ_dst].ref.dtype) &&
              origin_number(m, args[ND2NZ_dst].ref.off, &to) &&
              find_source(m, &args[ND2NZ_src].ref, &from);
    for (int64_t i = 0; ok && i < v[ND2NZ_nd_num]; i++) {
        Rows r = {.buf = args[ND2NZ_dst].ref.buf,
                  .to = to + i * v[ND2NZ_dst_nd_stride] * size,
                  .to_row = v[ND2NZ_dst_n_stride] * BLOCK_BYTES,
                  .to_block = v[ND2NZ_dst_c0_stride] * BLOCK_BYTES,
                  .row = v[ND2NZ_src_n_stride] * size,
                  .rows = v[ND2NZ_nd_n],
                  .blocks = v[ND2NZ_nd_d] * size / ORIGIN_BYTES};
        ok = move_rows(m, &from, &r);
        from.off += v[ND2NZ_src_nd_stride] * size;
    }
    return ok;
}

bool
origin_is_move(const Kernel *k, const Stmt *s)
{
    Iteration it;
    if (s->kind != ST_INSTR || s->proof != PROOF_PROVED) {
        return false;
    }
    Sem sem = op_table[s->instr.op].sem;
    return sem == SEM_LOAD2D || sem == SEM_LOAD2D_BOX || sem == SEM_ND2NZ ||
           (iteration_of(k, s, &it) && it.moves);
}

static bool
follow(OriginMap *m, const Stmt *s)
{
    const Arg *args = &m->k->args.p[s->instr.arg];
    Sem sem = op_table[s->instr.op].sem;
    if (!origin_is_move(m->k, s) || !is_tracked(m, args[LOAD2D_dst].ref.buf) ||
        args[LOAD2D_dst].ref.buf == args[LOAD2D_src].ref.buf) {
        return false;
    }
    return sem == SEM_LOAD2D       ? load_fractals(m, s, args)
           : sem == SEM_LOAD2D_BOX ? load_box(m, args)
           : sem == SEM_ND2NZ      ? move_matrices(m, args)
                                   : move_bursts(m, s);
}

void
origin_map_execute(OriginMap *m, const Stmt *s)
{
    m->steps++;
    if (s->kind != ST_INSTR || !follow(m, s)) {
        forget_writes(m, s);
    }
}

void
origin_map_init(OriginMap *m, const Kernel *k, Arena *arena)
{
    *m = (OriginMap){.k = k, .arena = arena};
    env_init(&m->env, k, arena);
    rewrite_enter_loops(&m->env, k, k->body);
    m->source = rewrite_sources(k, arena);
    m->pieces = ARENA_ARRAY(arena, Piece *, k->bufs.n);
    VEC_PUSH(arena, &m->bases, (Base){0});
    for (BufId b = 1; b < k->bufs.n; b++) {
        m->source[b] = m->source[b] && k->bufs.p[b].inside;
    }
}
