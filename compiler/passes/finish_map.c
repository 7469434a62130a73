/* finish_map.c: executes the instructions after a product while compiling, on maps that
 * say for each 16 bytes of an on-core buffer which row of 16 sums they are the results of
 * (passes/finish.h). Followed are moves out of L0C, whose conversions are the same for
 * all elements; relu of bytes that are float16 for it, and bytes again; and moves to
 * global memory. */
#include "isa/operand.h"
#include "layout/fractal.h"
#include "passes/finish.h"
#include "passes/origin.h"
#include "passes/rewrite.h"
#include "rules/l0c_move.h"

enum {
    SIDE = FRACTAL_SIDE,
    UNIT = 16,          /* bytes */
    SUM_ROW = SIDE * 4, /* bytes of a row of sums */
    SUM_FRACTAL = SIDE * SUM_ROW,
    MOST_ROWS = 1 << 16,
    MOST_UNITS = 1 << 18
};

static const Arg *
arg_of(const Kernel *k, StmtId s, int i)
{
    return &k->args.p[k->stmts.p[s].instr.arg + (uint32_t)i];
}

static bool
number_of(const Kernel *k, StmtId s, int i, int64_t *out)
{
    const Arg *a = arg_of(k, s, i);
    *out = ir_expr(k, a->expr)->imm;
    return ir_is_const(k, a->expr);
}

/* ---- places -------------------------------------------------------------- */

/* Returns the number of a buffer's home and the constant part of a place in it; -1: the
 * distance from other places is not known. */
static int
home_of(FinishMap *m, const Ref *r, int64_t *off)
{
    Affine a, d;
    const Buffer *b = &m->k->bufs.p[r->buf];
    if (b->dynamic || b->role == BUF_LIST || !env_affine(m->env, r->off, &a)) {
        return -1;
    }
    for (int i = 0; i < m->nhomes; i++) {
        if (m->home[i].buf == r->buf) {
            bool ok = affine_sub(&a, &m->home[i].base, &d) && d.n == 0;
            *off = d.constant;
            return ok ? i : -1;
        }
    }
    if (m->nhomes == FINISH_HOMES) {
        return -1;
    }
    FinishHome *h = &m->home[m->nhomes];
    *h = (FinishHome){.buf = r->buf, .base = a, .units = ir_bytes(b) / UNIT};
    h->base.constant = 0;
    if (b->scope == SC_UB) {
        if (h->units > MOST_UNITS) {
            return -1;
        }
        h->unit = ARENA_ARRAY(m->arena, FinishUnit, h->units);
    }
    *off = a.constant;
    return m->nhomes++;
}

/* Returns 16 bytes of a buffer that is followed; null: there are none. */
static FinishUnit *
unit_at(const FinishMap *m, int home, int64_t off)
{
    const FinishHome *h = &m->home[home];
    bool inside = off >= 0 && off % UNIT == 0 && off / UNIT < h->units;
    return inside && h->unit != NULL ? &h->unit[off / UNIT] : NULL;
}

/* Notes that results of a row are at a place. */
static bool
note_result(FinishMap *m, const FinishUnit *u, StmtId write, int home, int64_t off)
{
    FinishRow *r = &m->row[u->row - 1];
    int64_t first = off - (int64_t)u->part * UNIT;
    if (r->parts == 0) {
        *r = (FinishRow){*u, write, home, first, 1};
        return true;
    }
    const FinishUnit *v = &r->from;
    r->parts++;
    return v->move == u->move && v->burst == u->burst && v->rectify == u->rectify &&
           r->write == write && r->home == home && r->off == first && r->parts <= u->size;
}

/* ---- moves out of L0C ---------------------------------------------------- */

typedef struct OutMove {
    StmtId s;
    const Ref *dst, *src;
    int64_t bursts, fractals;     /* fractals of a burst */
    int64_t src_pitch, dst_pitch; /* bytes from burst to burst */
    int64_t row, first;           /* bytes from row to row, and before the first one */
} OutMove;

/* Describes a move with a block mode. */
static bool
describe_acc(const FinishMap *m, OutMove *x)
{
    const Kernel *k = m->k;
    int64_t mode, gap, src_gap, sid;
    Form form = op_table[k->stmts.p[x->s].instr.op].form;
    if ((form != FORM_ACC && form != FORM_ACCV) ||
        !number_of(k, x->s, ACC_block_mode, &mode) || mode != BLOCK_M ||
        !number_of(k, x->s, ACC_nburst, &x->bursts) ||
        !number_of(k, x->s, ACC_burst_len, &x->fractals) ||
        !number_of(k, x->s, ACC_dst_stride, &gap) ||
        !number_of(k, x->s, ACC_src_stride, &src_gap) ||
        !number_of(k, x->s, ACC_sid_store_mode, &sid)) {
        return false;
    }
    AccUnits u = acc_units(BLOCK_M, x->src->dtype, x->dst->dtype, sid, false);
    bool halves = dtype_size(x->dst->dtype) == 1 && sid != 2;
    x->src_pitch = x->fractals * u.acc + src_gap * u.gap;
    x->dst_pitch = x->fractals * u.out + gap * BLOCK_BYTES;
    x->row = u.out / SIDE;
    x->first = halves && acc_high_half(sid, k->choices) ? UNIT : 0;
    return true;
}

/* Describes a move with a conversion code. */
static bool
describe_move(const FinishMap *m, OutMove *x)
{
    const Kernel *k = m->k;
    int64_t dst_gap, src_gap;
    if (!number_of(k, x->s, MOVE_nburst, &x->bursts) ||
        !number_of(k, x->s, MOVE_burst, &x->fractals) ||
        !number_of(k, x->s, MOVE_dst_stride, &dst_gap) ||
        !number_of(k, x->s, MOVE_src_stride, &src_gap)) {
        return false;
    }
    MoveUnits u = move_units(SC_L0C, x->src->dtype, SC_UB, x->dst->dtype);
    x->src_pitch = x->fractals * u.src_burst + src_gap * u.src_gap;
    x->dst_pitch = x->fractals * u.dst_burst + dst_gap * u.dst_gap;
    x->row = u.dst_burst / SIDE;
    return u.src_burst == SUM_FRACTAL;
}

/* Parameters by channel are read before anything is written, and their rules may be
 * broken: so nothing is in global memory by then. */
static bool
allows_scale(FinishMap *m, StmtId s)
{
    int64_t word;
    switch (op_table[m->k->stmts.p[s].instr.op].form) {
    case FORM_ACC:
        return number_of(m->k, s, ACC_deqscale, &word);
    case FORM_ACCV:
        if (m->nscales == FINISH_HOMES || m->out) {
            return false;
        }
        m->scale[m->nscales++] = arg_of(m->k, s, ACCV_deqscale)->ref.buf;
        return true;
    default:
        return true;
    }
}

/* Writes the results of a row of sums, at the first of their bytes. */
static bool
put_row(FinishMap *m, const OutMove *x, int64_t burst, int64_t row, int home, int64_t at)
{
    FinishUnit u = {.row = (int32_t)row + 1,
                    .move = (int32_t)x->s,
                    .burst = (int32_t)burst,
                    .size = (uint8_t)dtype_size(x->dst->dtype)};
    for (int part = 0; part < u.size; part++) {
        FinishUnit *to = unit_at(m, home, at + part * UNIT);
        if (to == NULL) {
            return false;
        }
        u.part = (uint8_t)part;
        *to = u;
        if (!m->out && !note_result(m, &u, x->s, home, at + part * UNIT)) {
            return false;
        }
    }
    return true;
}

static bool
follow_out(FinishMap *m, StmtId s)
{
    OutMove x = {.s = s,
                 .dst = &arg_of(m->k, s, MOVE_dst)->ref,
                 .src = &arg_of(m->k, s, MOVE_src)->ref};
    bool acc = op_table[m->k->stmts.p[s].instr.op].sem == SEM_ACC_MOVE;
    int64_t from, to;
    if (m->k->bufs.p[x.dst->buf].scope != SC_UB || x.src->dtype != m->type ||
        !(acc ? describe_acc : describe_move)(m, &x) || !allows_scale(m, s) ||
        x.fractals * x.bursts * SIDE > MOST_ROWS) {
        return false;
    }
    int source = home_of(m, x.src, &from), home = home_of(m, x.dst, &to);
    if (source != 0 || home < 0 || (from - m->sums) % SUM_ROW != 0) {
        return false;
    }
    m->home[home].written = true;
    for (int64_t b = 0; b < x.bursts; b++) {
        for (int64_t r = 0; r < x.fractals * SIDE; r++) {
            int64_t row = (from - m->sums + b * x.src_pitch) / SUM_ROW + r;
            if (row < 0 || row >= m->groups * m->rows ||
                !put_row(m, &x, b, row, home,
                         to + b * x.dst_pitch + r * x.row + x.first)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- relu of bytes ------------------------------------------------------- */

/* Where an instruction on 16 elements at a time reads and writes. */
typedef struct Lanes {
    int to, from;
    int64_t at, source, n; /* n: in 16 elements */
} Lanes;

/* Bytes become float16: each 16 of them two units. */
static bool
widen(FinishMap *m, const Lanes *x)
{
    for (int64_t i = 0; i < x->n; i++) {
        const FinishUnit *u = unit_at(m, x->from, x->source + i * UNIT);
        FinishUnit *to[2] = {unit_at(m, x->to, x->at + 2 * i * UNIT),
                             unit_at(m, x->to, x->at + (2 * i + 1) * UNIT)};
        if (u == NULL || to[0] == NULL || to[1] == NULL || u->row == 0 || u->size != 1) {
            return false;
        }
        FinishUnit v = *u;
        v.wide = true;
        for (int part = 0; part < 2; part++) {
            v.part = (uint8_t)part;
            *to[part] = v;
        }
    }
    return true;
}

static bool
narrow(FinishMap *m, const Lanes *x)
{
    for (int64_t i = 0; i < x->n; i++) {
        const FinishUnit *u = unit_at(m, x->from, x->source + 2 * i * UNIT);
        const FinishUnit *v = unit_at(m, x->from, x->source + (2 * i + 1) * UNIT);
        FinishUnit *to = unit_at(m, x->to, x->at + i * UNIT);
        if (u == NULL || v == NULL || to == NULL || !u->wide || !v->wide ||
            u->row != v->row || u->part != 0 || v->part != 1 ||
            u->rectify != v->rectify || u->move != v->move || u->burst != v->burst) {
            return false;
        }
        FinishUnit w = *u;
        w.wide = false;
        *to = w;
    }
    return true;
}

static bool
rectify(FinishMap *m, const Lanes *x)
{
    for (int64_t i = 0; i < 2 * x->n; i++) {
        const FinishUnit *u = unit_at(m, x->from, x->source + i * UNIT);
        FinishUnit *to = unit_at(m, x->to, x->at + i * UNIT);
        if (u == NULL || to == NULL || !u->wide) {
            return false;
        }
        *to = *u;
        to->rectify = true;
    }
    return true;
}

/* All bytes are float16 exactly, with and without sign, so conversions change nothing. A
 * byte that becomes one of the other type might. */
static bool
follow_lanes(FinishMap *m, StmtId s, const Iteration *it)
{
    Lanes x;
    Sem sem = op_table[m->k->stmts.p[s].instr.op].sem;
    if (it->n != 2 || !it->flat || !count_known(it->lanes) ||
        it->lanes.times % UNIT != 0 || iteration_has_bits(it) || !it->op[0].writes ||
        it->op[0].reads) {
        return false;
    }
    Dtype to = it->op[0].ref.dtype, from = it->op[1].ref.dtype;
    x.to = home_of(m, &it->op[0].ref, &x.at);
    x.from = home_of(m, &it->op[1].ref, &x.source);
    x.n = it->lanes.times / UNIT;
    if (x.to < 0 || x.from < 0 || (x.to == x.from && to != from)) {
        return false;
    }
    m->changed = true;
    m->home[x.to].written = true;
    return sem == SEM_CONV && from == DT_S8 && to == DT_F16    ? widen(m, &x)
           : sem == SEM_CONV && from == DT_F16 && to == DT_S8  ? narrow(m, &x)
           : sem == SEM_RELU && from == DT_F16 && to == DT_F16 ? rectify(m, &x)
                                                               : false;
}

/* ---- moves to global memory ---------------------------------------------- */

/* The first one ends what the moves out of L0C noted. */
static void
begin_out(FinishMap *m)
{
    for (int64_t i = 0; i < m->groups * m->rows && !m->out; i++) {
        m->row[i] = (FinishRow){0};
    }
    m->out = true;
}

static bool
follow_write(FinishMap *m, StmtId s, const Iteration *it)
{
    int64_t at, source;
    int to = home_of(m, &it->op[0].ref, &at), from = home_of(m, &it->op[1].ref, &source);
    if (to < 0 || from < 0 || !count_known(it->rows) || !count_known(it->lanes) ||
        m->home[from].unit == NULL) {
        return false;
    }
    int64_t bytes = it->lanes.times * dtype_size(it->op[0].ref.dtype);
    if (bytes % UNIT != 0 || bytes / UNIT * it->rows.times > MOST_UNITS) {
        return false;
    }
    begin_out(m);
    m->home[to].written = true;
    for (int64_t i = 0; i < it->rows.times; i++) {
        for (int64_t b = 0; b < bytes; b += UNIT) {
            const FinishUnit *u = unit_at(m, from, source + i * it->op[1].pitch + b);
            if (u == NULL || u->row == 0 || u->wide ||
                !note_result(m, u, s, to, at + i * it->op[0].pitch + b)) {
                return false;
            }
        }
    }
    return true;
}

bool
finish_follow(FinishMap *m, StmtId s)
{
    const Stmt *st = &m->k->stmts.p[s];
    Iteration it;
    if (st->kind != ST_INSTR || st->proof != PROOF_PROVED) {
        return false;
    }
    Sem sem = op_table[st->instr.op].sem;
    if (sem == SEM_ACC_MOVE ||
        (op_table[st->instr.op].form == FORM_MOVE &&
         m->k->bufs.p[arg_of(m->k, s, MOVE_src)->ref.buf].scope == SC_L0C)) {
        return follow_out(m, s);
    }
    if (!iteration_of(m->k, st, &it)) {
        return false;
    }
    bool out = it.moves && m->k->bufs.p[it.op[0].ref.buf].scope == SC_GM;
    return out ? follow_write(m, s, &it) : !it.moves && follow_lanes(m, s, &it);
}

/* ---- all results --------------------------------------------------------- */

/* Returns how many rows of a group are somewhere, from the first one on; -1: later ones
 * are, too. */
static int64_t
rows_of(const FinishMap *m, int group)
{
    const FinishRow *r = &m->row[group * m->rows];
    int64_t n = 0;
    while (n < m->rows && r[n].parts != 0) {
        n++;
    }
    for (int64_t i = n; i < m->rows; i++) {
        if (r[i].parts != 0) {
            return -1;
        }
    }
    return n;
}

/* Returns whether a group's rows are made in one way, a fixed distance apart. */
static bool
is_regular(const FinishMap *m, const Finish *f, int group)
{
    const FinishRow *r = &m->row[group * m->rows], *first = &m->row[0];
    for (int64_t i = 0; i < f->rows; i++) {
        const FinishRow *x = &r[i];
        if (x->parts != x->from.size || x->off != r->off + i * f->pitch ||
            x->write != r->write || x->home != first->home ||
            x->from.move != r->from.move || x->from.burst != r->from.burst ||
            x->from.rectify != first->from.rectify || x->from.size != first->from.size) {
            return false;
        }
    }
    return true;
}

/* Returns whether the rows of two groups share no bytes. */
static bool
are_apart(const Finish *f, int64_t bytes, int64_t a, int64_t b)
{
    int64_t d = b > a ? b - a : a - b, all = (f->rows - 1) * f->pitch + bytes;
    int64_t in = f->pitch > 0 ? d % f->pitch : 0;
    return d >= all || (f->pitch > 0 && in >= bytes && f->pitch - in >= bytes);
}

static bool
all_apart(const FinishMap *m, const Finish *f)
{
    int64_t bytes = (int64_t)UNIT * m->row[0].from.size;
    if (f->rows > 1 && f->pitch < bytes) {
        return false;
    }
    for (int i = 0; i < f->groups; i++) {
        for (int j = 0; j < i; j++) {
            if (!are_apart(f, bytes, m->row[i * m->rows].off, m->row[j * m->rows].off)) {
                return false;
            }
        }
    }
    return true;
}

/* Parameters stay as they are until all results are made. */
static bool
scales_stay(const FinishMap *m)
{
    for (int i = 0; i < m->nscales; i++) {
        for (int j = 0; j < m->nhomes; j++) {
            if (m->home[j].written && !rewrite_apart(m->k, m->scale[i], m->home[j].buf)) {
                return false;
            }
        }
    }
    return true;
}

/* Returns the constant part of the place that an instruction writes. */
static int64_t
place_of_write(const FinishMap *m, StmtId s)
{
    Affine a;
    (void)env_affine(m->env, arg_of(m->k, s, MOVE_dst)->ref.off, &a);
    return a.constant;
}

/* Returns whether two moves with one scale for all channels convert in the same way. */
static bool
convert_alike(const Kernel *k, StmtId a, StmtId b)
{
    static const int acc[] = {ACC_deqscale, ACC_deq_mode, ACC_relu}, move[] = {MOVE_mode};
    Form form = op_table[k->stmts.p[a].instr.op].form;
    if (k->stmts.p[a].instr.op != k->stmts.p[b].instr.op || form == FORM_ACCV) {
        return a == b;
    }
    bool is_acc = form == FORM_ACC;
    bool alike = arg_of(k, a, MOVE_dst)->ref.dtype == arg_of(k, b, MOVE_dst)->ref.dtype;
    for (size_t i = 0; i < (is_acc ? ARRAY_LEN(acc) : ARRAY_LEN(move)); i++) {
        int slot = is_acc ? acc[i] : move[i];
        alike = alike && arg_of(k, a, slot)->expr == arg_of(k, b, slot)->expr;
    }
    return alike;
}

/* Names the conversion of a group by the first of those that are alike. */
static void
name_conversion(const Kernel *k, Finish *f, int group)
{
    FinishGroup *g = &f->group[group];
    bool vector = op_table[k->stmts.p[g->move].instr.op].form == FORM_ACCV;
    g->burst = vector ? g->burst : 0;
    for (int i = 0; i < group && !vector; i++) {
        if (convert_alike(k, f->group[i].move, g->move)) {
            g->move = f->group[i].move;
            return;
        }
    }
}

bool
finish_end(const FinishMap *m, Finish *out)
{
    *out = (Finish){.rows = rows_of(m, 0), .groups = m->groups};
    if (out->rows <= 0 || out->rows > m->m || (m->changed && !m->out) ||
        !scales_stay(m)) {
        return false;
    }
    out->pitch = out->rows > 1 ? m->row[1].off - m->row[0].off : 0;
    out->rectify = m->row[0].from.rectify;
    for (int g = 0; g < m->groups; g++) {
        const FinishRow *r = &m->row[g * m->rows];
        if (rows_of(m, g) != out->rows || !is_regular(m, out, g)) {
            return false;
        }
        out->group[g] = (FinishGroup){.move = (StmtId)r->from.move,
                                      .burst = r->from.burst,
                                      .write = r->write,
                                      .off = r->off - place_of_write(m, r->write)};
        name_conversion(m->k, out, g);
    }
    return all_apart(m, out);
}

/* ---- products ------------------------------------------------------------ */

/* Returns whether a product begins its sums with 0, and has sums of 32 bits. */
static bool
suits(const Kernel *k, StmtId s, int64_t *rows, int64_t *columns)
{
    const Stmt *st = &k->stmts.p[s];
    int64_t init, depth;
    if (st->kind != ST_INSTR || st->proof != PROOF_PROVED) {
        return false;
    }
    Form form = op_table[st->instr.op].form;
    return (form == FORM_MMAD || form == FORM_MATMUL) &&
           dtype_size(arg_of(k, s, MATMUL_dst)->ref.dtype) == 4 &&
           !dtype_is_half_byte(arg_of(k, s, MATMUL_a)->ref.dtype) &&
           number_of(k, s, MATMUL_init_l1out, &init) &&
           (init != 0) == (form == FORM_MATMUL) && number_of(k, s, MATMUL_m, rows) &&
           number_of(k, s, MATMUL_n, columns) && number_of(k, s, MATMUL_k, &depth) &&
           depth > 0 && *rows > 0 && *columns > 0;
}

bool
finish_begin(FinishMap *m, const Kernel *k, const Env *env, Arena *arena, StmtId product)
{
    int64_t columns;
    *m = (FinishMap){.k = k, .env = env, .arena = arena};
    if (!suits(k, product, &m->m, &columns) || columns % SIDE != 0 ||
        columns / SIDE > FINISH_GROUPS) {
        return false;
    }
    const Ref *dst = &arg_of(k, product, MATMUL_dst)->ref;
    m->type = dst->dtype;
    m->rows = fractal_up(m->m, SIDE);
    m->groups = (int)(columns / SIDE);
    if (k->bufs.p[dst->buf].scope != SC_L0C || m->rows * m->groups > MOST_ROWS ||
        home_of(m, dst, &m->sums) != 0) {
        return false;
    }
    m->home[0].written = true;
    m->row = ARENA_ARRAY(arena, FinishRow, m->rows * m->groups);
    return true;
}
