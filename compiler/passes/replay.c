/* replay.c: executes kernels with terms in place of bytes (see passes/replay.h). */
#include "passes/replay.h"

#include "analysis/member.h"
#include "analysis/site.h"
#include "isa/operand.h"
#include "layout/fractal.h"
#include "passes/origin.h"

#include <string.h>

enum {
    PAGE = 1024,          /* bytes whose terms are kept together */
    MOST_STEPS = 4 << 20, /* terms that are read or written, with a few iterations */
    ALL_STEPS = 16 << 20, /* the same with all */
    FEW_TRIPS = 8,        /* all iterations are executed */
    FIRST_TRIPS = 3,      /* of more, these and the last one */
    VECTOR_LANES = 16,    /* iterations that are executed side by side */
    MOST_CORES = 3,
    MOST_FUSED = MOST_SCOPE_MEMBERS
};

typedef struct Page {
    struct Page *next;
    uint64_t space;
    int64_t number;
    uint64_t term[PAGE];
} Page;

enum {
    PAGE_SLOTS = 4096,
    RECENT = 16 /* pages that are found without a walk */
};

typedef enum Flow {
    FLOW_ON,
    FLOW_BREAK,
    FLOW_CONTINUE,
    FLOW_RETURN, /* of this core: it has ended, or a rule was broken */
    FLOW_STOP    /* too many steps */
} Flow;

typedef struct Machine {
    const Kernel *k;
    Arena *arena;
    Page **slots;
    Page *recent[RECENT]; /* each by the lowest bits of its space and number; or null */
    int64_t *vars, *regs;
    int64_t core;
    int64_t steps, most;
    uint64_t outside; /* see term_at */
    bool samples;     /* it executes a few iterations of a loop */
    bool sampled;     /* it left some out */
    bool broke;       /* a rule: that core has ended */
    int chunk;
    int64_t part; /* of a product with several */
} Machine;

static Flow
breaks(Machine *m)
{
    m->broke = true;
    return FLOW_RETURN;
}

/* ---- terms --------------------------------------------------------------- */

static uint64_t
mix(uint64_t a, uint64_t b)
{
    uint64_t h =
        (a ^ (b + 0x9e3779b97f4a7c15U + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdU;
    h = (h ^ (h >> 32)) * 0xc4ceb9fe1a85ec53U;
    return h ^ (h >> 29);
}

/* On-core buffers of one memory share bytes; a global tensor is a space of its own. */
static uint64_t
space_of(const Kernel *k, BufId b)
{
    const Buffer *buf = &k->bufs.p[b];
    return buf->scope == SC_GM ? (uint64_t)SC_COUNT + b : (uint64_t)buf->scope;
}

static int64_t
place_of(const Kernel *k, BufId b, int64_t off)
{
    const Buffer *buf = &k->bufs.p[b];
    return buf->scope == SC_GM || buf->address < 0 ? off : buf->address + off;
}

static Page *
find_page(Machine *m, uint64_t space, int64_t number)
{
    uint64_t slot = mix(space, (uint64_t)number) % PAGE_SLOTS;
    for (Page *p = m->slots[slot]; p != NULL; p = p->next) {
        if (p->space == space && p->number == number) {
            return p;
        }
    }
    Page *p = ARENA_NEW(m->arena, Page);
    p->space = space;
    p->number = number;
    for (int i = 0; i < PAGE; i++) {
        p->term[i] = mix(mix(0x626567696e, space), (uint64_t)(number * PAGE + i));
    }
    p->next = m->slots[slot];
    m->slots[slot] = p;
    return p;
}

static Page *
page_of(Machine *m, uint64_t space, int64_t number)
{
    Page **p = &m->recent[(space * 5 + (uint64_t)number) % RECENT];
    if (*p == NULL || (*p)->space != space || (*p)->number != number) {
        *p = find_page(m, space, number);
    }
    return *p;
}

/* An access of bytes that an on-core buffer does not have ends the run with a fault; here
 * it goes on, and must not reach other buffers: what is read there is nothing, and what
 * is written is lost. */
static uint64_t *
term_at(Machine *m, BufId b, int64_t off)
{
    const Buffer *buf = &m->k->bufs.p[b];
    if (buf->scope != SC_GM && !buf->dynamic && (off < 0 || off >= ir_room(buf))) {
        m->outside = 0;
        m->steps++;
        return &m->outside;
    }
    int64_t at = place_of(m->k, b, off);
    int64_t number = at >= 0 ? at / PAGE : -((-at + PAGE - 1) / PAGE);
    m->steps++;
    return &page_of(m, space_of(m->k, b), number)->term[at - number * PAGE];
}

/* ---- numbers ------------------------------------------------------------- */

/* Computes an expression with the registers' present values; false: it divides by
 * zero. */
static bool
eval(const Machine *m, ExprId id, int64_t *out)
{
    const Expr *e = ir_expr(m->k, id);
    int64_t a = 0, b = 0;
    switch ((ExprKind)e->kind) {
    case EX_NONE:
        return false;
    case EX_CONST:
        *out = e->imm;
        return true;
    case EX_VAR:
        *out = m->vars[e->a];
        return true;
    case EX_REG:
        *out = m->regs[e->a];
        return true;
    case EX_OP:
        break;
    }
    if (!eval(m, e->a, &a) || (e->b && !eval(m, e->b, &b))) {
        return false;
    }
    Dtype from = (Dtype)ir_expr(m->k, e->a)->dtype;
    Dtype t = scalar_is_compare((ScalarOp)e->op) ? from : (Dtype)e->dtype;
    return scalar_eval((ScalarOp)e->op, t, from, a, b, out);
}

/* Returns a number for a term: a small integer, or a float that says something of it. */
static int64_t
invent(Dtype t, uint64_t term)
{
    switch (t) {
    case DT_F32:
        return scalar_wrap(t, (int64_t)(0x3f000000 | (term & 0x007fffff)));
    case DT_F16:
        return scalar_wrap(t, (int64_t)(0x3800 | (term & 0x3ff)));
    case DT_BF16:
        return scalar_wrap(t, (int64_t)(0x3f00 | (term & 0x7f)));
    case DT_BOOL:
        return (int64_t)(term & 1);
    default:
        return (int64_t)(term % 5);
    }
}

static bool
count_value(const Machine *m, Count c, int64_t *out)
{
    int64_t v = 1;
    bool ok = c.of == 0 || eval(m, c.of, &v);
    *out = v * c.times;
    return ok;
}

/* ---- instructions element by element ------------------------------------- */

/* Returns a term for what an instruction does with its elements, apart from where they
 * are: the operation and the numbers that it computes with. */
static bool
operation(const Machine *m, const Stmt *s, uint64_t *out)
{
    int n;
    const ParamInfo *params = form_params(op_table[s->instr.op].form, &n);
    uint64_t h = mix(0x6f70, s->instr.op);
    for (int i = 0; i < n; i++) {
        const Arg *a = &m->k->args.p[s->instr.arg + (uint32_t)i];
        int64_t v;
        if (params[i].role == ROLE_DST || params[i].role == ROLE_SRC) {
            h = mix(h, a->ref.dtype);
        } else if (params[i].role == ROLE_SCALAR || params[i].role == ROLE_ATTR) {
            if (!eval(m, a->expr, &v)) {
                return false;
            }
            h = mix(h, (uint64_t)v);
        }
    }
    *out = h;
    return true;
}

/* An operand of an instruction, at a known place. */
typedef struct Place {
    BufId buf;
    int64_t off, pitch;
    int size;
    bool reads, writes, bits;
} Place;

typedef struct Step {
    uint64_t operation;
    bool moves;
    int64_t rows, lanes;
    int n;
    Place place[ITERATION_OPERANDS];
} Step;

static bool
step_of(const Machine *m, const Stmt *s, const Iteration *it, Step *out)
{
    bool ok = operation(m, s, &out->operation) && count_value(m, it->rows, &out->rows) &&
              count_value(m, it->lanes, &out->lanes);
    out->moves = it->moves;
    out->n = it->n;
    for (int i = 0; i < it->n && ok; i++) {
        const IterationOperand *o = &it->op[i];
        out->place[i] = (Place){.buf = o->ref.buf,
                                .pitch = o->pitch,
                                .size = o->bits ? 1 : dtype_size(o->ref.dtype),
                                .reads = o->reads,
                                .writes = o->writes,
                                .bits = o->bits};
        ok = eval(m, o->ref.off, &out->place[i].off);
    }
    return ok;
}

static int64_t
element_at(const Place *p, int64_t row, int64_t lane)
{
    return p->off + row * p->pitch + (p->bits ? lane / 8 : lane * p->size);
}

/* Computes one element; term[i] has the terms of the bytes of operand i. A byte of bits
 * is made of the terms of its bits, one after the other. */
static void
compute(const Step *x, int64_t lane, uint64_t term[ITERATION_OPERANDS][8])
{
    if (x->moves) {
        memcpy(term[0], term[1], sizeof term[0]);
        return;
    }
    uint64_t h = x->operation;
    for (int i = 0; i < x->n; i++) {
        for (int b = 0; x->place[i].reads && b < x->place[i].size; b++) {
            h = mix(h, term[i][b]);
        }
        h = x->place[i].reads && x->place[i].bits ? mix(h, (uint64_t)(lane % 8)) : h;
    }
    if (x->place[0].bits) {
        term[0][0] = lane % 8 == 0 ? h : mix(term[0][0], h);
        return;
    }
    for (int b = 0; b < x->place[0].size; b++) {
        term[0][b] = mix(h, (uint64_t)b);
    }
}

static void
execute_element(Machine *m, const Step *x, int64_t row, int64_t lane)
{
    uint64_t term[ITERATION_OPERANDS][8] = {{0}};
    for (int i = 0; i < x->n; i++) {
        const Place *p = &x->place[i];
        for (int b = 0; (p->reads || p->bits) && b < p->size; b++) {
            term[i][b] = *term_at(m, p->buf, element_at(p, row, lane) + b);
        }
    }
    compute(x, lane, term);
    for (int b = 0; b < x->place[0].size; b++) {
        const Place *p = &x->place[0];
        *term_at(m, p->buf, element_at(p, row, lane) + b) = term[0][b];
    }
}

/* Executes elements `from` on of each row, in order. */
static void
execute_step(Machine *m, const Step *x, int64_t from)
{
    for (int64_t r = 0; r < x->rows && m->steps < m->most; r++) {
        for (int64_t l = from; l < x->lanes && m->steps < m->most; l++) {
            execute_element(m, x, r, l);
        }
    }
}

static int64_t
end_of(const Step *x, const Place *p)
{
    return element_at(p, x->rows - 1, x->lanes - 1) + p->size;
}

/* A repeat is read whole before it is written, so what overlaps inside of one is executed
 * as a whole: see execute_whole. */
static bool
overlaps_itself(const Step *x)
{
    const Place *d = &x->place[0];
    for (int i = 1; i < x->n; i++) {
        const Place *p = &x->place[i];
        bool same = p->off == d->off && p->size == d->size && p->bits == d->bits &&
                    (p->pitch == d->pitch || x->rows <= 1);
        if (p->buf == d->buf && !same && p->off < end_of(x, d) && d->off < end_of(x, p)) {
            return true;
        }
    }
    return false;
}

/* ---- other instructions -------------------------------------------------- */

/* The bytes that an operand accesses; the footprint begins at the buffer. */
typedef struct Run {
    Footprint fp;
    BufId buf;
} Run;

static bool
fill_site(const Machine *m, Site *site)
{
    for (int p = 0; p < site->nparams; p++) {
        for (int i = 0; i < site_exprs(site, p); i++) {
            int64_t v;
            if (!eval(m, site_expr(site, p, i), &v)) {
                return false;
            }
            site_put(site, &site->in, p, i, v);
        }
    }
    return true;
}

static uint64_t
read_run(Machine *m, uint64_t h, const Run *r)
{
    for (int64_t i = 0; i < r->fp.count1 && m->steps < m->most; i++) {
        for (int64_t j = 0; j < r->fp.count0 && m->steps < m->most; j++) {
            for (int64_t b = 0; b < r->fp.len; b++) {
                int64_t at = r->fp.offset + i * r->fp.stride1 + j * r->fp.stride0 + b;
                h = mix(h, *term_at(m, r->buf, at));
            }
        }
    }
    return h;
}

/* Returns how many times a product is executed. */
static int64_t
parts_of(const Machine *m, StmtId s)
{
    const Stmt *st = &m->k->stmts.p[s];
    const Origins *o = &m->k->origins.p[origin_is_product(st) ? st->instr.origin : 0];
    return MAX(1, o->parts);
}

/* Reads the blocks that a product reads of a factor, wherever they are. */
static uint64_t
read_factor(Machine *m, uint64_t h, const Origin *o, const OriginShape *s, const Ref *r,
            int64_t off)
{
    for (int64_t i = 0; i < s->nouter && m->steps < m->most; i++) {
        for (int64_t j = 0; j < s->ninner && m->steps < m->most; j++) {
            for (int b = 0; b < ORIGIN_BYTES; b++) {
                int64_t at = origin_block(s, i, j) * ORIGIN_BYTES + b;
                if (o->transposed) { /* element b / 2 is in the row of its term */
                    at = (i * FRACTAL_SIDE + b / 2) * o->outer +
                         j / FRACTAL_SIDE * o->inner + j % FRACTAL_SIDE * 2 + b % 2;
                } else if (o->ref.buf != 0) {
                    at = i * o->outer + j * o->inner + b;
                }
                h = mix(h, *term_at(m, r->buf, off + at));
            }
        }
    }
    return h;
}

static bool
read_product(Machine *m, const Site *site, int param, uint64_t *h)
{
    const Stmt *s = &m->k->stmts.p[site->stmt];
    const Origin *o = &m->k->origins.p[s->instr.origin].of[param - MATMUL_a];
    const Ref *r = o->ref.buf != 0 ? &o->ref : site_ref(site, param);
    OriginShape shape;
    int64_t off;
    if (!origin_shape(&site->in, param - MATMUL_a, &shape) || !eval(m, r->off, &off)) {
        return false;
    }
    if (m->part != 0) {
        int64_t rows = shape.nouter * (o->transposed ? FRACTAL_SIDE : 1);
        off += m->part * (param == MATMUL_a ? shape.ninner * o->inner : rows * o->outer);
    }
    *h = read_factor(m, *h, o, &shape, r, off);
    return true;
}

/* Reads an operand. */
static uint64_t
read_operand(Machine *m, const Site *site, int param, uint64_t h)
{
    bool factor = param >= MATMUL_a && param < MATMUL_a + ORIGIN_FACTORS;
    if (factor && origin_is_product(&m->k->stmts.p[site->stmt]) &&
        read_product(m, site, param, &h)) {
        return h;
    }
    Run r = {.fp = check_footprint(&site->in, param, &(bool){false}),
             .buf = site_ref(site, param)->buf};
    return read_run(m, h, &r);
}

/* kept: what was there is a part of the result, since it is read, or not all of it is
 * written. */
static void
write_run(Machine *m, uint64_t h, const Run *r, bool kept)
{
    int64_t n = 0;
    for (int64_t i = 0; i < r->fp.count1 && m->steps < m->most; i++) {
        for (int64_t j = 0; j < r->fp.count0 && m->steps < m->most; j++) {
            for (int64_t b = 0; b < r->fp.len; b++) {
                int64_t at = r->fp.offset + i * r->fp.stride1 + j * r->fp.stride0 + b;
                uint64_t *term = term_at(m, r->buf, at);
                *term = mix(kept ? mix(h, *term) : h, (uint64_t)n++);
            }
        }
    }
}

/* ---- fractals ------------------------------------------------------------ */

/* Where a load of fractals reads and writes, in bytes. */
typedef struct Load {
    BufId dst, src;
    int64_t to, from;
} Load;

/* Copies a fractal, or its transpose of elements of 16 bits. */
static void
copy_fractal(Machine *m, const Load *at, bool transposed)
{
    uint64_t term[FRACTAL_BYTES];
    for (int i = 0; i < FRACTAL_BYTES; i++) {
        term[i] = *term_at(m, at->src, at->from + i);
    }
    for (int i = 0; i < FRACTAL_BYTES; i++) {
        int row = i / FRACTAL_ROW, column = i % FRACTAL_ROW / 2;
        int other = column * FRACTAL_ROW + row * 2 + i % 2;
        *term_at(m, at->dst, at->to + i) = term[transposed ? other : i];
    }
}

static void
execute_load2d(Machine *m, const CheckInstr *in, Load at)
{
    const CheckArg *a = in->args;
    bool one = op_table[in->op].form == FORM_LOAD2D1;
    int64_t step = a[one ? LOAD2D1_src_stride : LOAD2D_src_stride].v * FRACTAL_BYTES;
    bool down = a[one ? LOAD2D1_addr_mode : LOAD2D_addr_mode].v != 0;
    int64_t pitch = one ? FRACTAL_BYTES : (a[LOAD2D_dst_gap].v + 1) * FRACTAL_BYTES;
    at.from += a[LOAD2D_start_index].v * FRACTAL_BYTES;
    for (int64_t i = 0; i < a[LOAD2D_repeat_times].v && m->steps < m->most; i++) {
        copy_fractal(m, &at, a[one ? LOAD2D1_if_transpose : LOAD2D_if_transpose].v != 0);
        at.to += pitch;
        at.from += down ? -step : step;
    }
}

static void
execute_box(Machine *m, const CheckInstr *in, Load at)
{
    const CheckArg *a = in->args;
    Load place = at;
    for (int64_t k = 0; k < a[LOAD2DBOX_k_step].v && m->steps < m->most; k++) {
        int64_t from = (a[LOAD2DBOX_k_start_pt].v + k) * a[LOAD2DBOX_src_stride].v +
                       a[LOAD2DBOX_m_start_pt].v;
        for (int64_t i = 0; i < a[LOAD2DBOX_m_step].v; i++) {
            place.from = at.from + (from + i) * FRACTAL_BYTES;
            place.to = at.to + (k * a[LOAD2DBOX_dst_stride].v + i) * FRACTAL_BYTES;
            copy_fractal(m, &place, a[LOAD2DBOX_en_transpose].v != 0);
        }
    }
}

/* Copies rows of whole blocks to columns of fractals. */
static void
execute_nd2nz(Machine *m, const CheckInstr *in, Load at)
{
    const CheckArg *a = in->args;
    int64_t size = dtype_size(a[ND2NZ_dst].t.dtype), row = a[ND2NZ_nd_d].v * size;
    int64_t rows = a[ND2NZ_nd_n].v;
    for (int64_t i = 0; i < a[ND2NZ_nd_num].v * rows && m->steps < m->most; i++) {
        int64_t to = at.to + i / rows * a[ND2NZ_dst_nd_stride].v * size +
                     i % rows * a[ND2NZ_dst_n_stride].v * BLOCK_BYTES;
        int64_t from = at.from + i / rows * a[ND2NZ_src_nd_stride].v * size +
                       i % rows * a[ND2NZ_src_n_stride].v * size;
        for (int64_t b = 0; b < row; b++) {
            int64_t column = b / BLOCK_BYTES * a[ND2NZ_dst_c0_stride].v * BLOCK_BYTES;
            *term_at(m, at.dst, to + column + b % BLOCK_BYTES) =
                *term_at(m, at.src, from + b);
        }
    }
}

static bool
is_transposed(const CheckInstr *in)
{
    Form form = op_table[in->op].form;
    return in->args[form == FORM_LOAD2D1  ? LOAD2D1_if_transpose
                    : form == FORM_LOAD2D ? LOAD2D_if_transpose
                                          : LOAD2DBOX_en_transpose]
               .v != 0;
}

/* Executes moves of fractals byte by byte, so that their bytes are those of the source.
 * False: it is none of whole ones. */
static bool
execute_fractals(Machine *m, const Site *site)
{
    const CheckInstr *in = &site->in;
    Sem sem = op_table[in->op].sem;
    bool load = sem == SEM_LOAD2D || sem == SEM_LOAD2D_BOX;
    if (!load && sem != SEM_ND2NZ) {
        return false;
    }
    const Ref *dst = site_ref(site, LOAD2D_dst), *src = site_ref(site, LOAD2D_src);
    int64_t size = dtype_size(dst->dtype);
    Load at = {.dst = dst->buf, .src = src->buf};
    if (dst->buf == src->buf || dtype_is_half_byte(dst->dtype) ||
        (load ? size != 2 && is_transposed(in)
              : in->args[ND2NZ_nd_d].v * size % BLOCK_BYTES != 0) ||
        !eval(m, dst->off, &at.to) || !eval(m, src->off, &at.from)) {
        return false;
    }
    (sem == SEM_LOAD2D       ? execute_load2d
     : sem == SEM_LOAD2D_BOX ? execute_box
                             : execute_nd2nz)(m, in, at);
    return true;
}

/* ---- whole instructions -------------------------------------------------- */

/* Executes an instruction as one function of all that it reads, and of what was where it
 * writes. */
static void
execute_site(Machine *m, const Site *site)
{
    uint64_t h = mix(0x77686f6c65, site->in.op);
    for (int p = 0; p < site->nparams; p++) {
        Role role = site->params[p].role;
        if (role == ROLE_SRC) {
            h = mix(read_operand(m, site, p, mix(h, site_ref(site, p)->dtype)),
                    (uint64_t)p);
        } else if (role == ROLE_MASK) {
            for (int i = 0; i < 4; i++) {
                h = mix(h, site->in.args[p].m.w[i]);
            }
        } else if (role != ROLE_DST && role != ROLE_ROOT && role != ROLE_MASKMODE) {
            h = mix(h, (uint64_t)site->in.args[p].v);
        }
    }
    for (int p = 0; p < site->nparams; p++) {
        if (site->params[p].role == ROLE_DST) {
            bool exact;
            Run r = {.fp = check_footprint(&site->in, p, &exact),
                     .buf = site_ref(site, p)->buf};
            write_run(m, mix(h, (uint64_t)p), &r, !exact || check_reads_dst(&site->in));
        }
    }
}

/* Returns whether the rules hold. A source in global memory may have taken the place of a
 * tile, which was aligned. */
static bool
has_legal_values(Site *site)
{
    Fault fault;
    int64_t off[MAX_PARAMS] = {0};
    for (int p = 0; p < site->nparams; p++) {
        CheckTensor *t = &site->in.args[p].t;
        if (site->params[p].role == ROLE_SRC && t->scope == SC_GM) {
            off[p] = t->offset % BLOCK_BYTES;
            t->offset -= off[p];
        }
    }
    bool legal = check_values(&site->in, &fault);
    for (int p = 0; p < site->nparams; p++) {
        if (off[p] != 0) {
            site->in.args[p].t.offset += off[p];
        }
    }
    return legal;
}

static bool
is_asked(const Machine *m, StmtId s)
{
    return m->k->stmts.p[s].proof == PROOF_ASKED;
}

/* Parts of a product after the first one are added to the sums. */
static Flow
execute_whole(Machine *m, StmtId s)
{
    Site site;
    if (!site_init(&site, m->k, s)) {
        return FLOW_ON;
    }
    if (!fill_site(m, &site) || !has_legal_values(&site)) {
        return breaks(m);
    }
    if (is_asked(m, s)) {
        return FLOW_ON;
    }
    if (execute_fractals(m, &site)) {
        return m->steps < m->most ? FLOW_ON : FLOW_STOP;
    }
    const int64_t parts = parts_of(m, s);
    for (m->part = 0; m->part < parts && m->steps < m->most; m->part++) {
        if (m->part == 1) {
            site.in.args[MATMUL_init_l1out].v = op_table[site.in.op].sem == SEM_MMAD;
        }
        execute_site(m, &site);
    }
    m->part = 0;
    return m->steps < m->most ? FLOW_ON : FLOW_STOP;
}

/* An instruction that is only asked for its rules breaks those that it would break here
 * if it was executed: rules of moves and of elements one by one are not looked at. */
static Flow
execute_instr(Machine *m, StmtId s)
{
    Iteration it;
    Step x;
    Stmt st = m->k->stmts.p[s];
    st.proof = is_asked(m, s) ? PROOF_RUNTIME : st.proof;
    if (!iteration_of(m->k, &st, &it)) {
        return execute_whole(m, s);
    }
    if (!step_of(m, &st, &it, &x)) {
        return breaks(m);
    }
    if (overlaps_itself(&x)) {
        return execute_whole(m, s);
    }
    if (!is_asked(m, s)) {
        execute_step(m, &x, 0);
    }
    return m->steps < m->most ? FLOW_ON : FLOW_STOP;
}

/* ---- fused scopes -------------------------------------------------------- */

/* The registers of one operand in a chunk. */
typedef struct Register {
    Place place;
    bool loaded, stored;
    uint64_t term[REPLAY_CHUNK][8];
} Register;

typedef struct Fused {
    const Stmt *scope;
    int n, nregs;
    Step step[MOST_FUSED];
    bool flat[MOST_FUSED];
    StmtId sink[MOST_FUSED];    /* see iteration_sink; else 0 */
    uint64_t *read[MOST_FUSED]; /* the bytes that the sink read */
    int reg[MOST_FUSED][ITERATION_OPERANDS];
    Register regs[2 * MOST_FUSED];
    int64_t rows, lanes;
    bool bits; /* chunks are whole bytes of these */
} Fused;

static bool
is_dropped(const Kernel *k, const Stmt *scope, BufId b)
{
    for (uint32_t i = 0; i < scope->scope.ndrops; i++) {
        if (k->drops.p[scope->scope.drop + i] == b) {
            return true;
        }
    }
    return false;
}

static int
register_of(Fused *f, const Place *p)
{
    for (int i = 0; i < f->nregs; i++) {
        const Place *q = &f->regs[i].place;
        if (q->buf == p->buf && q->off == p->off && q->pitch == p->pitch &&
            q->size == p->size && q->bits == p->bits) {
            return i;
        }
    }
    f->regs[f->nregs].place = *p;
    return f->nregs++;
}

static bool
collect(Machine *m, Fused *f)
{
    bool flat = true;
    ScopeMember member[MOST_SCOPE_MEMBERS];
    int n = scope_members(m->k, f->scope->scope.body, member);
    for (int i = 0; i < n; i++) {
        Iteration it;
        const Stmt *s = &m->k->stmts.p[member[i].stmt];
        bool sink = iteration_sink(m->k, s, &it);
        if ((!sink && !member_iteration(m->k, &member[i], &it)) ||
            !step_of(m, s, &it, &f->step[f->n])) {
            return false;
        }
        f->step[f->n].lanes = MAX(f->step[f->n].lanes, 0);
        f->flat[f->n] = it.flat;
        f->sink[f->n] = sink ? member[i].stmt : 0;
        flat = flat && it.flat;
        f->rows = it.flat ? f->rows : f->step[f->n].rows;
        f->lanes = it.flat ? f->lanes : f->step[f->n].lanes;
        f->n++;
    }
    for (int i = 0; i < f->n && flat; i++) {
        f->rows = 1;
        f->lanes = i == 0 ? f->step[i].lanes : MIN(f->lanes, f->step[i].lanes);
    }
    for (int i = 0; i < f->n; i++) {
        for (int j = 0; j < f->step[i].n; j++) {
            Place *p = &f->step[i].place[j];
            p->pitch = flat ? 0 : f->flat[i] ? f->lanes * p->size : p->pitch;
            f->bits = f->bits || p->bits;
            f->reg[i][j] = register_of(f, p);
        }
    }
    return n >= 0;
}

static void
load_register(Machine *m, Register *r, int64_t row, int64_t first, int n)
{
    for (int i = 0; i < n && !r->loaded; i++) {
        for (int b = 0; b < r->place.size; b++) {
            int64_t at = element_at(&r->place, row, first + i) + b;
            r->term[i][b] = *term_at(m, r->place.buf, at);
        }
    }
    r->loaded = true;
}

static void
store_register(Machine *m, const Register *r, int64_t row, int64_t first, int n)
{
    for (int i = 0; i < n; i++) {
        for (int b = 0; b < r->place.size; b++) {
            int64_t at = element_at(&r->place, row, first + i) + b;
            *term_at(m, r->place.buf, at) = r->term[i][b];
        }
    }
}

static void
execute_member(Machine *m, Fused *f, int i, int64_t row, int64_t first, int n)
{
    const Step *x = &f->step[i];
    for (int j = 0; j < x->n; j++) {
        if (x->place[j].reads) {
            load_register(m, &f->regs[f->reg[i][j]], row, first, n);
        }
    }
    if (f->sink[i] != 0) {
        const Register *r = &f->regs[f->reg[i][0]];
        for (int e = 0; e < n; e++) {
            memcpy(&f->read[i][(first + e) * r->place.size], r->term[e],
                   (size_t)r->place.size * sizeof r->term[e][0]);
        }
        return;
    }
    Register *to = &f->regs[f->reg[i][0]];
    for (int e = 0; e < n; e++) {
        uint64_t term[ITERATION_OPERANDS][8] = {{0}};
        for (int j = 0; j < x->n; j++) {
            memcpy(term[j], f->regs[f->reg[i][j]].term[e], sizeof term[j]);
        }
        if (to->place.bits && e > 0) {
            term[0][0] = to->term[e - 1][0];
        }
        compute(x, first + e, term);
        memcpy(to->term[e], term[0], sizeof term[0]);
    }
    for (int e = n - 1; to->place.bits && e >= 0;
         e--) { /* all bits are of a whole byte */
        to->term[e][0] = to->term[MIN(e / 8 * 8 + 7, n - 1)][0];
    }
    to->loaded = true;
    to->stored = !is_dropped(m->k, f->scope, x->place[0].buf);
}

static void
execute_chunk(Machine *m, Fused *f, int64_t row, int64_t first, int n)
{
    for (int i = 0; i < f->nregs; i++) {
        f->regs[i].loaded = f->regs[i].stored = false;
    }
    for (int i = 0; i < f->n; i++) {
        execute_member(m, f, i, row, first, n);
    }
    for (int i = 0; i < f->nregs; i++) {
        if (f->regs[i].stored) {
            store_register(m, &f->regs[i], row, first, n);
        }
    }
}

/* Exchanges what the sink read with what is in memory there. */
static void
swap_read(Machine *m, const Fused *f, int i)
{
    const Place *p = &f->step[i].place[0];
    for (int64_t b = 0; b < f->lanes * p->size; b++) {
        uint64_t *term = term_at(m, p->buf, p->off + b);
        uint64_t other = f->read[i][b];
        f->read[i][b] = *term;
        *term = other;
    }
}

/* Executes the sinks: they read what was there when their turn was in the loop. */
static Flow
execute_sinks(Machine *m, const Fused *f)
{
    Flow flow = FLOW_ON;
    for (int i = 0; i < f->n && flow == FLOW_ON; i++) {
        if (f->sink[i] != 0) {
            swap_read(m, f, i);
            flow = execute_whole(m, f->sink[i]);
            swap_read(m, f, i);
        }
    }
    return flow;
}

static Flow
execute_fused(Machine *m, StmtId s)
{
    Arena scratch;
    arena_init(&scratch);
    Fused *f = ARENA_NEW(&scratch, Fused);
    f->scope = &m->k->stmts.p[s];
    bool ok = collect(m, f);
    for (int i = 0; ok && i < f->n; i++) {
        int64_t bytes = f->sink[i] != 0 ? f->lanes * f->step[i].place[0].size : 0;
        f->read[i] = ARENA_ARRAY(&scratch, uint64_t, bytes);
    }
    int chunk = f->bits ? (m->chunk + 7) / 8 * 8 : m->chunk;
    for (int64_t r = 0; ok && r < f->rows; r++) {
        for (int64_t l = 0; l < f->lanes && m->steps < m->most; l += chunk) {
            execute_chunk(m, f, r, l, (int)MIN(chunk, f->lanes - l));
        }
    }
    Flow sinks = ok && m->steps < m->most ? execute_sinks(m, f) : FLOW_ON;
    for (int i = 0; ok && !f->scope->scope.trimmed && f->rows == 1 && i < f->n; i++) {
        if (f->flat[i] && f->sink[i] == 0) {
            execute_step(m, &f->step[i], f->lanes);
        }
    }
    arena_free(&scratch);
    return !ok ? breaks(m) : m->steps < m->most ? sinks : FLOW_STOP;
}

/* ---- statements ---------------------------------------------------------- */

static Flow execute_body(Machine *m, StmtId first);
static Flow execute(Machine *m, StmtId id);

/* The buffers of a finishing scope's list have no bytes that anybody may read after
 * it. */
static void
lose(Machine *m, const Stmt *scope)
{
    for (uint32_t i = 0; i < scope->scope.ndrops; i++) {
        BufId b = m->k->drops.p[scope->scope.drop + i];
        for (int64_t at = 0; at < ir_bytes(&m->k->bufs.p[b]); at++) {
            *term_at(m, b, at) = mix(0x6c6f7374, (uint64_t)at);
        }
    }
}

static Flow
execute_scope(Machine *m, StmtId s)
{
    const Stmt *st = &m->k->stmts.p[s];
    if (st->scope.fused) {
        return execute_fused(m, s);
    }
    Flow f = execute_body(m, st->scope.body);
    if (st->scope.finish != 0) {
        lose(m, st);
    }
    return f;
}

/* Returns the iteration that is executed after the i-th one of a loop. */
static int64_t
next_iteration(bool all, int64_t begin, int64_t end, int64_t i)
{
    return all || i + 1 != begin + FIRST_TRIPS ? i + 1 : MAX(i + 1, end - 1);
}

/* Executes each statement of a body for n iterations, each with registers of its own. */
static Flow
execute_lanes(Machine *m, const Stmt *loop, const int64_t *iteration, int n)
{
    int64_t *regs = m->regs, *lane[VECTOR_LANES];
    size_t bytes = m->k->regs.n * sizeof *regs;
    Arena scratch;
    Flow f = FLOW_ON;
    arena_init(&scratch);
    for (int i = 0; i < n; i++) {
        lane[i] = memcpy(ARENA_ARRAY(&scratch, int64_t, m->k->regs.n), regs, bytes);
    }
    for (StmtId s = loop->loop.body; s != 0; s = m->k->stmts.p[s].next) {
        for (int i = 0; i < n && f == FLOW_ON; i++) {
            m->vars[loop->loop.var] = iteration[i];
            m->regs = lane[i];
            f = execute(m, s);
        }
    }
    m->regs = memcpy(regs, lane[n - 1], bytes);
    arena_free(&scratch);
    return f;
}

static Flow
execute_vectors(Machine *m, const Stmt *s, bool all, int64_t begin, int64_t end)
{
    int64_t iteration[VECTOR_LANES];
    Flow f = FLOW_ON;
    for (int64_t i = begin; i < end && f == FLOW_ON;) {
        int n = 0;
        while (n < VECTOR_LANES && i < end) {
            iteration[n++] = i;
            i = next_iteration(all, begin, end, i);
        }
        f = execute_lanes(m, s, iteration, n);
    }
    return f;
}

static Flow
execute_loop(Machine *m, const Stmt *s)
{
    int64_t begin, end;
    if (!eval(m, s->loop.begin, &begin) || !eval(m, s->loop.end, &end)) {
        return breaks(m);
    }
    if (ir_is_multicore(s)) {
        m->vars[s->loop.var] = m->core;
        return m->core < end ? execute_body(m, s->loop.body) : FLOW_ON;
    }
    bool all = !m->samples || end - begin <= FEW_TRIPS;
    m->sampled = m->sampled || !all;
    if (s->loop.vectorized) {
        return execute_vectors(m, s, all, begin, end);
    }
    for (int64_t i = begin; i < end; i = next_iteration(all, begin, end, i)) {
        m->vars[s->loop.var] = i;
        Flow f = execute_body(m, s->loop.body);
        if (f == FLOW_BREAK) {
            break;
        }
        if (f == FLOW_RETURN || f == FLOW_STOP) {
            return f;
        }
    }
    return FLOW_ON;
}

static Flow
execute_load(Machine *m, const Stmt *s)
{
    int64_t off;
    uint64_t h = 0;
    if (!eval(m, s->load.ref.off, &off)) {
        return breaks(m);
    }
    for (int b = 0; b < dtype_size(s->load.ref.dtype); b++) {
        h = mix(h, *term_at(m, s->load.ref.buf, off + b));
    }
    m->regs[s->load.reg] = invent(s->load.ref.dtype, h);
    return FLOW_ON;
}

static Flow
execute_store(Machine *m, const Stmt *s)
{
    int64_t off, v;
    if (!eval(m, s->store.ref.off, &off) || !eval(m, s->store.value, &v)) {
        return breaks(m);
    }
    for (int b = 0; b < dtype_size(s->store.ref.dtype); b++) {
        *term_at(m, s->store.ref.buf, off + b) =
            mix(mix(0x73746f7265, (uint64_t)v), (uint64_t)b);
    }
    return FLOW_ON;
}

static Flow
execute(Machine *m, StmtId id)
{
    const Stmt *s = &m->k->stmts.p[id];
    int64_t v;
    switch ((StmtKind)s->kind) {
    case ST_INSTR:
        return execute_instr(m, id);
    case ST_SET:
        if (!eval(m, s->set.value, &v)) {
            return breaks(m);
        }
        m->regs[s->set.reg] = v;
        return FLOW_ON;
    case ST_LOAD:
        return execute_load(m, s);
    case ST_STORE:
        return execute_store(m, s);
    case ST_FOR:
        return execute_loop(m, s);
    case ST_IF:
        if (!eval(m, s->cond.cond, &v)) {
            return breaks(m);
        }
        return execute_body(m, v ? s->cond.then_body : s->cond.else_body);
    case ST_SCOPE:
        return execute_scope(m, id);
    case ST_BREAK:
        return FLOW_BREAK;
    case ST_CONTINUE:
        return FLOW_CONTINUE;
    case ST_RETURN:
        return FLOW_RETURN;
    case ST_NONE:
    case ST_ALLOC:
        return FLOW_ON;
    }
    UNREACHABLE();
}

static Flow
execute_body(Machine *m, StmtId first)
{
    for (StmtId s = first; s != 0; s = m->k->stmts.p[s].next) {
        Flow f = execute(m, s);
        if (f != FLOW_ON) {
            return f;
        }
    }
    return FLOW_ON;
}

/* ---- kernels ------------------------------------------------------------- */

/* Memory on the core is what it was before any core ran. */
static void
forget_core(Machine *m)
{
    memset(m->recent, 0, sizeof m->recent);
    for (int slot = 0; slot < PAGE_SLOTS; slot++) {
        for (Page **p = &m->slots[slot]; *p != NULL;) {
            if ((*p)->space < SC_COUNT) {
                *p = (*p)->next;
            } else {
                p = &(*p)->next;
            }
        }
    }
}

/* cores: how many are executed. */
static bool
run(Machine *m, const Kernel *k, int cores, Arena *arena, int chunk)
{
    m->k = k;
    m->arena = arena;
    m->chunk = chunk;
    m->most = m->samples ? MOST_STEPS : ALL_STEPS;
    m->slots = ARENA_ARRAY(arena, Page *, PAGE_SLOTS);
    for (m->core = 0; m->core < cores; m->core++) {
        forget_core(m);
        m->vars = ARENA_ARRAY(arena, int64_t, k->vars.n);
        m->regs = ARENA_ARRAY(arena, int64_t, k->regs.n);
        if (k->core != 0) {
            m->regs[k->core] = m->core;
        }
        if (execute_body(m, k->body) == FLOW_STOP) {
            return false;
        }
    }
    return true;
}

/* Compares the pages of global memory of one machine with those of the other. */
static bool
same_pages(Machine *a, Machine *b, Text *why)
{
    for (int slot = 0; slot < PAGE_SLOTS; slot++) {
        for (Page *p = a->slots[slot]; p != NULL; p = p->next) {
            if (p->space < SC_COUNT) {
                continue;
            }
            const Page *q = page_of(b, p->space, p->number);
            for (int i = 0; i < PAGE; i++) {
                if (p->term[i] != q->term[i]) {
                    BufId id = (BufId)(p->space - SC_COUNT);
                    text_printf(why, "byte %lld of '%s'",
                                (long long)(p->number * PAGE + i),
                                sym_text(&a->k->unit->names, a->k->bufs.p[id].name));
                    return false;
                }
            }
        }
    }
    return true;
}

/* sampled: set if iterations were left out. After a fault memory may have any bytes, so
 * where both break a rule a difference says nothing. */
static Replay
compare(const Kernel *before, const Kernel *after, int chunk, bool *sampled, Text *why)
{
    Arena scratch;
    arena_init(&scratch);
    Machine a = {.samples = *sampled}, b = {.samples = *sampled};
    Replay r = REPLAY_TOO_LARGE;
    int na = ir_cores(before), nb = ir_cores(after);
    if (na == nb) {
        na = nb = MIN(na, MOST_CORES);
    }
    if (run(&a, before, na, &scratch, chunk) && run(&b, after, nb, &scratch, chunk)) {
        bool same = same_pages(&a, &b, why) && same_pages(&b, &a, why);
        r = same || (a.broke && b.broke) ? REPLAY_SAME : REPLAY_DIFFERENT;
    }
    *sampled = a.sampled || b.sampled;
    arena_free(&scratch);
    return r;
}

/* An instruction after a loop that is moved into it, row by row, does in a few iterations
 * less than it did as a whole: so only all of them can show a difference. */
Replay
replay_compare(const Kernel *before, const Kernel *after, int chunk, Text *why)
{
    bool sampled = true;
    Replay r = compare(before, after, chunk, &sampled, why);
    if (r == REPLAY_DIFFERENT && sampled) {
        sampled = false;
        why->n = 0;
        r = compare(before, after, chunk, &sampled, why);
    }
    return r;
}
