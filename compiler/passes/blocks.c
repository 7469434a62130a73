/* blocks.c: finds out whether the cores of a multi-core loop access disjoint global
 * bytes.
 *
 * Needs: a kernel that passed check. Guarantees: k->blocks_ordered is false only if no
 * core writes a global byte that another core reads or writes, so that cores may run at
 * the same time in any order; or, with k->blocks_atomics_ordered, if such bytes are only
 * the target of atomic writes: then cores may run at the same time up to their first
 * atomic write, and go on from there in core order. Warning multicore-overlap where two
 * cores certainly write the same bytes without a block_barrier between the writes. Never:
 * changes statements.
 *
 * A core runs the iteration of its index b of every multi-core loop, and everything
 * outside of them. So a write outside, or any access outside of a buffer that is written
 * inside, demands that the cores run in order. Inside, an access reaches the bytes
 *
 *    f*b + r + m*M      lo <= r < hi, m any integer
 *
 * where f is the factor of the block index in the offset. Loop terms and strides that are
 * at least f*blocks far apart are taken as multiples of M; all other terms widen [lo,
 * hi). If all accesses of a buffer have one f, their common [LO, HI) is at most |f| wide,
 * and |f|*(blocks-1) + (HI-LO) <= M, then accesses of different cores never overlap:
 * f*(b1-b2) + (r1-r2) is neither 0 nor a multiple of M. Where that does not say so, the
 * cores are compared one by one (passes/cores_apart.h). */

/* ASSUMES cores-65535: the variable of a loop over cores is below 65535. */
/* ASSUMES cores-apart: writes of different cores are apart. */
#include "analysis/atomic_mode.h"
#include "passes/access.h"
#include "passes/cores_apart.h"
#include "passes/interval_set.h"
#include "passes/reg_affine.h"
#include "passes/passes.h"

enum {
    MOST_PLACES = 512,       /* accesses that are compared core by core */
    APART_WORK = 4 * 1000000 /* steps for one buffer */
};

/* An access of a global buffer inside a multi-core loop. */
typedef struct GmAccess {
    uint32_t next; /* index + 1 of the next access of the same buffer */
    StmtId stmt;
    bool write;
    bool atomic;    /* it is a write, and certainly an atomic one */
    bool regular;   /* it has the form of the head comment */
    int64_t factor; /* f */
    int64_t lo, hi;
    int64_t period; /* gcd of what M divides; 0: there is nothing */
    int phase;      /* number of barriers of the cores before it in the program */
    bool repeats;   /* a loop around it has such barriers, too */
    bool certain;   /* a write that executes in every core, at known places */
    /* offsets in cores 0 and 1, with inner loops in their first and last iteration */
    int64_t at[2][2];
    const CorePlaces *places; /* null: not known */
    Access a;
} GmAccess;

typedef struct GmBuffer {
    uint32_t first; /* index + 1 of the buffer's first access */
    bool written, used_outside;
    bool other; /* accessed by something else than atomic writes */
} GmBuffer;

typedef struct Blocks {
    Kernel *k;
    Arena scratch;
    RegAffine regs;
    AtomicModes modes;
    bool has_modes; /* modes is filled */
    VEC(GmAccess) accesses;
    GmBuffer *bufs; /* by BufId */
    int64_t *first; /* by VarId: values in the first and last iterations */
    int64_t *last;
    int64_t *vars;          /* by VarId: values, for core_places */
    const CoreGuard *guard; /* the branches around, in the open multi-core loop */
    VarId block_var;        /* variable of the open multi-core loop, or 0 */
    int64_t blocks;         /* the most iterations that a multi-core loop has */
    int phase;              /* number of barriers of the cores so far */
    bool has_barriers;      /* the kernel has barriers of the cores */
    int repeats;            /* > 0: inside of a loop that has such barriers */
    int uncertain; /* > 0: what follows need not execute, or not at known places */
    bool jumps;    /* the kernel has jumps: nothing is certain */
} Blocks;

/* ---- collecting ---------------------------------------------------------- */

static int64_t
magnitude(int64_t v)
{
    return v == INT64_MIN ? INT64_MAX : v < 0 ? -v : v;
}

/* Strides of runs that are far apart join the period, others widen the access. */
static void
add_stride(GmAccess *g, int64_t count, int64_t stride, int64_t far)
{
    if (count <= 1) {
        return;
    }
    if (far > 0 && stride >= far) {
        g->period = gcd(g->period, stride);
    } else {
        g->hi = sat_add(g->hi, sat_mul(count - 1, stride));
    }
}

static void
add_term(const Blocks *b, GmAccess *g, const Affine *off, int i, int64_t far)
{
    int64_t f = off->factor[i];
    Interval r = env_expr(&b->regs.env, off->atom[i]);
    if (far > 0 && magnitude(f) >= far && !interval_is_const(r)) {
        g->period = gcd(g->period, magnitude(f));
        return;
    }
    int64_t x = sat_mul(f, r.lo);
    int64_t y = sat_mul(f, r.hi);
    g->lo = sat_add(g->lo, MIN(x, y));
    g->hi = sat_add(g->hi, MAX(x, y));
}

/* Returns the number of iterations of a loop that gives each core one iteration. */
static int64_t
most_blocks(const Stmt *loop)
{
    return loop->loop.block_num == IR_SCALAR_BLOCKS ? IR_MAX_BLOCKS
                                                    : loop->loop.block_num;
}

/* Brings an access into the form of the head comment. */
static void
shape_access(const Blocks *b, GmAccess *g)
{
    Affine off;
    reg_affine_of(&b->regs, g->a.off, &off);
    int block_term = -1;
    for (int i = 0; i < off.n; i++) {
        const Expr *e = ir_expr(b->k, off.atom[i]);
        if (e->kind == EX_VAR && e->a == b->block_var) {
            block_term = i;
        }
    }
    if (!g->a.known || block_term < 0) {
        return;
    }
    g->regular = true;
    g->factor = off.factor[block_term];
    const Stmt *loop = &b->k->stmts.p[b->k->vars.p[b->block_var].loop];
    int64_t far = sat_mul(magnitude(g->factor), most_blocks(loop));
    g->lo = sat_add(off.constant, g->a.fp.offset);
    g->hi = sat_add(g->lo, g->a.fp.len);
    add_stride(g, g->a.fp.count0, g->a.fp.stride0, far);
    add_stride(g, g->a.fp.count1, g->a.fp.stride1, far);
    for (int i = 0; i < off.n; i++) {
        if (i != block_term) {
            add_term(b, g, &off, i, far);
        }
    }
}

/* Records where a write is in two cores, if that is certain. */
static bool
place_write(const Blocks *b, GmAccess *g)
{
    bool known = g->write && g->a.known && g->a.exact && b->uncertain == 0;
    for (int core = 0; core < 2 && known; core++) {
        b->first[b->block_var] = core;
        b->last[b->block_var] = core;
        known = ir_eval(b->k, g->a.off, b->first, &g->at[core][0]) &&
                ir_eval(b->k, g->a.off, b->last, &g->at[core][1]);
    }
    return known;
}

static bool
is_atomic(const Blocks *b, StmtId stmt)
{
    Scope src;
    return b->has_modes && b->modes.before[stmt] > 0 &&
           atomic_follows(b->k, &b->k->stmts.p[stmt], &src);
}

static void
note_access(Blocks *b, StmtId stmt, const Access *a)
{
    GmBuffer *buf = &b->bufs[a->buf];
    bool atomic = a->write && is_atomic(b, stmt);
    buf->other = buf->other || !atomic;
    if (b->block_var == 0) {
        buf->used_outside = true;
        return;
    }
    GmAccess g = {.next = buf->first,
                  .stmt = stmt,
                  .write = a->write,
                  .phase = b->phase,
                  .repeats = b->repeats > 0,
                  .a = *a};
    g.atomic = atomic;
    shape_access(b, &g);
    g.certain = place_write(b, &g);
    if (b->accesses.n < MOST_PLACES) {
        g.places = core_places(&b->scratch, &b->regs, a, b->block_var, b->guard, b->vars);
    }
    VEC_PUSH(&b->scratch, &b->accesses, g);
    buf->first = b->accesses.n;
}

/* True if a statement accesses a global buffer that any statement writes; others cannot
 * matter. */
static bool
matters(const Blocks *b, const Stmt *s)
{
    int n;
    if (s->kind == ST_LOAD || s->kind == ST_STORE) {
        return b->bufs[s->kind == ST_LOAD ? s->load.ref.buf : s->store.ref.buf].written;
    }
    (void)form_params(op_table[s->instr.op].form, &n);
    const Arg *args = &b->k->args.p[s->instr.arg];
    bool any = false;
    for (int i = 0; i < n; i++) {
        any = any || (args[i].kind == ARG_REF && b->bufs[args[i].ref.buf].written);
    }
    return any;
}

static void
note_stmt(Blocks *b, StmtId id)
{
    Access list[MAX_ACCESSES];
    const Stmt *s = &b->k->stmts.p[id];
    if (!matters(b, s)) {
        return;
    }
    int n = access_list(b->k, s, list);
    for (int i = 0; i < n; i++) {
        if (b->bufs[list[i].buf].written) {
            note_access(b, id, &list[i]);
        }
    }
}

static bool
is_barrier(const Stmt *s)
{
    return s->kind == ST_INSTR && op_table[s->instr.op].sem == SEM_BLOCK_BARRIER;
}

/* Marks the global buffers that some statement writes, and finds the number of cores. */
static void
look_through(Blocks *b)
{
    const Kernel *k = b->k;
    for (StmtId id = 1; id < k->stmts.n; id++) {
        const Stmt *s = &k->stmts.p[id];
        int n = 0;
        BufId buf = s->kind == ST_STORE ? s->store.ref.buf : 0;
        const ParamInfo *params = NULL;
        if (s->kind == ST_FOR) {
            b->blocks = MAX(b->blocks, most_blocks(s));
        }
        b->has_barriers = b->has_barriers || is_barrier(s);
        if (s->kind == ST_INSTR) {
            params = form_params(op_table[s->instr.op].form, &n);
        }
        for (int i = 0; i < n; i++) {
            if (params[i].role == ROLE_DST) {
                buf = k->args.p[s->instr.arg + (uint32_t)i].ref.buf;
            }
        }
        b->bufs[buf].written |= k->bufs.p[buf].scope == SC_GM && buf != 0;
    }
}

static void walk_body(Blocks *b, StmtId first);

static bool
contains_barrier(const Kernel *k, StmtId first)
{
    bool any = false;
    for (StmtId id = first; id && !any; id = k->stmts.p[id].next) {
        const Stmt *s = &k->stmts.p[id];
        any = is_barrier(s) || (s->kind == ST_FOR && contains_barrier(k, s->loop.body)) ||
              (s->kind == ST_SCOPE && contains_barrier(k, s->scope.body)) ||
              (s->kind == ST_IF && (contains_barrier(k, s->cond.then_body) ||
                                    contains_barrier(k, s->cond.else_body)));
    }
    return any;
}

static void
walk_multicore(Blocks *b, const Stmt *s)
{
    VarId outer = b->block_var;
    int uncertain = b->uncertain;
    b->block_var = s->loop.var;
    /* perhaps one core runs it, or none */
    b->uncertain += s->loop.block_num == IR_SCALAR_BLOCKS;
    access_enter_loop(&b->regs.env, s);
    walk_body(b, s->loop.body);
    b->uncertain = uncertain;
    b->block_var = outer;
}

static void
walk_loop(Blocks *b, const Stmt *s)
{
    int64_t begin, end;
    int uncertain = b->uncertain, repeats = b->repeats;
    bool certain = access_certain_loop(b->k, s, &begin, &end);
    b->uncertain += !certain;
    b->repeats += b->has_barriers && contains_barrier(b->k, s->loop.body);
    b->first[s->loop.var] = certain ? begin : 0;
    b->last[s->loop.var] = certain ? end - 1 : 0;
    access_enter_loop(&b->regs.env, s);
    walk_body(b, s->loop.body);
    b->uncertain = uncertain;
    b->repeats = repeats;
}

static void
walk_branch(Blocks *b, const Stmt *s, bool outcome)
{
    StmtId body = outcome ? s->cond.then_body : s->cond.else_body;
    CoreGuard guard = {b->guard, s->cond.cond, outcome};
    b->guard = &guard;
    walk_body(b, body);
    b->guard = guard.outer;
    reg_affine_forget(&b->regs, body);
}

static void
walk_stmt(Blocks *b, StmtId id)
{
    const Stmt *s = &b->k->stmts.p[id];
    switch ((StmtKind)s->kind) {
    case ST_INSTR:
    case ST_STORE:
        b->phase += is_barrier(s);
        note_stmt(b, id);
        return;
    case ST_LOAD:
        note_stmt(b, id);
        reg_affine_assign(&b->regs, s);
        return;
    case ST_SET:
        reg_affine_assign(&b->regs, s);
        return;
    case ST_FOR:
        reg_affine_forget(&b->regs, s->loop.body);
        if (ir_is_multicore(s)) {
            walk_multicore(b, s);
        } else {
            walk_loop(b, s);
        }
        reg_affine_forget(&b->regs, s->loop.body);
        return;
    case ST_IF:
        b->uncertain++;
        walk_branch(b, s, true);
        walk_branch(b, s, false);
        b->uncertain--;
        return;
    case ST_SCOPE:
        walk_body(b, s->scope.body);
        return;
    case ST_BREAK:
    case ST_CONTINUE:
    case ST_RETURN:
        b->jumps = true;
        return;
    case ST_NONE:
    case ST_ALLOC:
        return;
    }
}

static void
walk_body(Blocks *b, StmtId first)
{
    const Kernel *k = b->k;
    for (StmtId id = first; id; id = k->stmts.p[id].next) {
        walk_stmt(b, id);
    }
}

/* ---- deciding ------------------------------------------------------------ */

/* Moves v by a multiple of m to where it is nearest to ref; *ok becomes false if the
 * numbers are too large. */
static int64_t
nearest(int64_t v, int64_t ref, int64_t m, bool *ok)
{
    int64_t d;
    if (!checked_sub(v, ref, &d) || !checked_add(d, m / 2, &d)) {
        *ok = false;
        return v;
    }
    return v - div_floor(d, m) * m;
}

static int64_t
common_period(const Blocks *b, const GmBuffer *buf)
{
    int64_t period = 0;
    for (uint32_t i = buf->first; i; i = b->accesses.p[i - 1].next) {
        period = gcd(period, b->accesses.p[i - 1].period);
    }
    return period;
}

/* Widens [*lo, *hi) by an access, moved near ref. False: it has not the common form. */
static bool
widen(const GmAccess *g, const GmAccess *ref, int64_t m, ByteRange *all)
{
    bool ok = true;
    int64_t width, end;
    if (!g->regular || g->factor != ref->factor || !checked_sub(g->hi, g->lo, &width)) {
        return false;
    }
    int64_t at = nearest(g->lo, ref->lo, m, &ok);
    if (!ok || !checked_add(at, width, &end)) {
        return false;
    }
    all->lo = MIN(all->lo, at);
    all->hi = MAX(all->hi, end);
    return true;
}

static bool
is_disjoint(const Blocks *b, const GmBuffer *buf)
{
    const GmAccess *ref = &b->accesses.p[buf->first - 1];
    int64_t f = magnitude(ref->factor);
    int64_t m = common_period(b, buf);
    m = m ? m : sat_mul(f, b->blocks);
    ByteRange all = {ref->lo, ref->lo};
    if (!ref->regular || f == 0 || m > INT64_MAX / 4) {
        return false;
    }
    for (uint32_t i = buf->first; i; i = b->accesses.p[i - 1].next) {
        if (!widen(&b->accesses.p[i - 1], ref, m, &all)) {
            return false;
        }
    }
    int64_t spread;
    return checked_sub(all.hi, all.lo, &spread) && spread <= f &&
           sat_add(sat_mul(f, b->blocks - 1), spread) <= m;
}

/* Compares each write with each access, in all pairs of cores. */
static bool
is_apart(const Blocks *b, const GmBuffer *buf)
{
    int64_t work = APART_WORK;
    for (uint32_t i = buf->first; i; i = b->accesses.p[i - 1].next) {
        const GmAccess *g = &b->accesses.p[i - 1];
        if (g->places == NULL) {
            return false;
        }
        for (uint32_t j = i; j; j = b->accesses.p[j - 1].next) {
            const GmAccess *h = &b->accesses.p[j - 1];
            if ((g->write || h->write) &&
                (h->places == NULL || !core_places_apart(g->places, h->places, &work))) {
                return false;
            }
        }
    }
    return true;
}

/* The runs of certain writes in one core. */
typedef struct WriteRun {
    ByteRange bytes;
    StmtId stmt;
    int param;
    bool atomic;
    int phase;
    /* in loops with barriers: 1 in the first iteration, 2 in the last one; else 0 */
    int end;
} WriteRun;

enum {
    MAX_WRITE_RUNS = 64,
    RUNS_PER_WRITE = 8
};

typedef struct WriteRuns {
    int n;
    WriteRun p[MAX_WRITE_RUNS];
} WriteRuns;

static void
add_runs(WriteRuns *w, const GmAccess *g, int64_t at, int end)
{
    for (int64_t i = 0; i < access_runs(&g->a) && i < RUNS_PER_WRITE; i++) {
        ByteRange r;
        access_run(&g->a, i, &r.lo, &r.hi);
        if (w->n == MAX_WRITE_RUNS || !checked_add(r.lo, at, &r.lo) ||
            !checked_add(r.hi, at, &r.hi)) {
            return;
        }
        w->p[w->n++] =
            (WriteRun){r, g->stmt, g->a.param, g->atomic, g->phase, g->repeats ? end : 0};
    }
}

static void
collect_runs(const Blocks *b, const GmBuffer *buf, int core, WriteRuns *w)
{
    w->n = 0;
    for (uint32_t i = buf->first; i; i = b->accesses.p[i - 1].next) {
        const GmAccess *g = &b->accesses.p[i - 1];
        if (g->certain) {
            add_runs(w, g, g->at[core][0], 1);
            if (g->at[core][1] != g->at[core][0]) {
                add_runs(w, g, g->at[core][1], 2);
            }
        }
    }
}

static void
warn(const Blocks *b, BufId buf, const WriteRun *of0, const WriteRun *of1)
{
    Unit *u = b->k->unit;
    const Stmt *s0 = &b->k->stmts.p[of0->stmt];
    const Stmt *s1 = &b->k->stmts.p[of1->stmt];
    int64_t lo = MAX(of0->bytes.lo, of1->bytes.lo);
    int64_t hi = MIN(of0->bytes.hi, of1->bytes.hi);
    Diag *d =
        diag_add(u, D_MULTICORE_OVERLAP, ir_arg_span(b->k, s1, of1->param), s1->chain,
                 "blocks 0 and 1 both write bytes %lld to %lld of '%s'", (long long)lo,
                 (long long)hi - 1, sym_text(&u->names, b->k->bufs.p[buf].name));
    if (s0 != s1) {
        diag_note(u, d, ir_arg_span(b->k, s0, of0->param), "block 0 writes them here");
    }
}

/* Looks for bytes that both core 0 and core 1 certainly write. */
static void
find_overlap(const Blocks *b, BufId buf)
{
    WriteRuns w0, w1;
    collect_runs(b, &b->bufs[buf], 0, &w0);
    collect_runs(b, &b->bufs[buf], 1, &w1);
    for (int i = 0; i < w0.n; i++) {
        for (int j = 0; j < w1.n; j++) {
            bool atomic = w0.p[i].atomic && w1.p[j].atomic;
            bool together = w0.p[i].phase == w1.p[j].phase && w0.p[i].end == w1.p[j].end;
            if (!atomic && together && w0.p[i].bytes.lo < w1.p[j].bytes.hi &&
                w1.p[j].bytes.lo < w0.p[i].bytes.hi) {
                warn(b, buf, &w0.p[i], &w1.p[j]);
                return;
            }
        }
    }
}

static void
decide(Blocks *b)
{
    for (BufId id = 1; id < b->k->bufs.n; id++) {
        const GmBuffer *buf = &b->bufs[id];
        if (!buf->written ||
            (!buf->used_outside && (is_disjoint(b, buf) || is_apart(b, buf)))) {
            continue;
        }
        if (buf->other) {
            b->k->blocks_ordered = true;
        } else {
            b->k->blocks_atomics_ordered = true;
        }
        if (!b->jumps && !b->k->incomplete && buf->first) {
            find_overlap(b, id);
        }
    }
    b->k->blocks_atomics_ordered = b->k->blocks_atomics_ordered && !b->k->blocks_ordered;
}

/* Returns whether a loop has several cores; few kernels of many statements do. */
static bool
has_cores(const Kernel *k)
{
    for (StmtId id = 1; id < k->stmts.n; id++) {
        const Stmt *s = &k->stmts.p[id];
        if (s->kind == ST_FOR && most_blocks(s) > 1) {
            return true;
        }
    }
    return false;
}

bool
pass_blocks(Kernel *k)
{
    k->blocks_ordered = k->blocks_atomics_ordered = false;
    if (!has_cores(k)) {
        return true;
    }
    Blocks b = {.k = k};
    arena_init(&b.scratch);
    b.bufs = ARENA_ARRAY(&b.scratch, GmBuffer, k->bufs.n);
    b.first = ARENA_ARRAY(&b.scratch, int64_t, k->vars.n);
    b.last = ARENA_ARRAY(&b.scratch, int64_t, k->vars.n);
    b.vars = ARENA_ARRAY(&b.scratch, int64_t, k->vars.n);
    reg_affine_init(&b.regs, k, &b.scratch);
    b.has_modes = atomic_modes(k, &b.scratch, &b.modes);
    look_through(&b);
    walk_body(&b, k->body);
    decide(&b);
    arena_free(&b.scratch);
    return true;
}
