/* init.c: finds reads of bytes that were never written.
 *
 * Needs: a kernel that passed check. Guarantees:
 * - k->may_read_uninit, and unset of a buffer, are false only if every read of on-core
 * memory, by moves too, is proved to be of bytes that were written since the buffer's
 * alloc;
 * - warning uninit where an instruction computes with bytes, or a scalar is loaded from
 *   bytes, that nothing can have written when it executes for the first time. There is
 *   one for each buffer.
 *
 * Never: changes statements.
 *
 * Two forward analyses run in one walk in program order:
 *
 * Written for certain. For each buffer these are sets of byte offsets relative to a sum
 * of loop variables (its key; the empty key holds absolute offsets). Inside a loop the
 * state before it holds, since sets only grow while a buffer lives; after a loop that
 * certainly runs, what its last iteration has written is stretched over all values of its
 * variable. A loop whose body asks for its first iteration is walked through that one
 * before. At the end of a branch the two states are joined. A read is proved if for
 * some key the bytes that it can access, relative to that key, are all in the set; if
 * they depend on one variable with few values, those of each value are looked at alone.
 *
 * Written possibly. For each buffer this is one set of absolute offsets that only an
 * alloc empties; writes at places that vary count wherever they can be. This set is for
 * the warning, which looks at the first execution: loop variables have their first
 * values, and a read whose first execution need not be in the first iteration of the
 * plain loops around it is not checked. */

/* ASSUMES scratch-written: scratch that is read was written. */
#include "ir/wording.h"
#include "passes/access.h"
#include "passes/interval_set.h"
#include "passes/reg_affine.h"
#include "passes/passes.h"

#include <string.h>

enum {
    MAX_KEY = 4,
    MAX_GROUPS = 8,
    MAX_RUNS = 64,
    MAX_FIRSTS = 2 /* loops inside of each other whose first iteration is walked alone */
};

/* Runs of len bytes at lo, lo + stride, ..., with gaps between them. */
typedef struct Stripes {
    int64_t lo, stride, len, count;
} Stripes;

/* A sum of terms, sorted by atom. */
typedef struct Key {
    int n;
    ExprId atom[MAX_KEY];
    int64_t factor[MAX_KEY];
} Key;

static const Key no_terms = {0};

/* The bytes at key + an offset of the set. Too many runs for the set wait beside it for
 * those that fill their gaps. Nearly all groups have neither terms nor stripes, and there
 * are many. */
typedef struct Group {
    const Key *key;
    ByteSet set;
    const Stripes *stripes; /* or null */
} Group;

/* State of a buffer: it is never changed, only replaced. Null: nothing is written. */
typedef struct Written {
    int n;
    Group groups[MAX_GROUPS];
} Written;

typedef struct Change {
    BufId buf;
    const Written *old;
} Change;

typedef struct Branch {
    uint32_t n;
    BufId *buf;
    const Written **state;
} Branch;

typedef struct Init {
    Kernel *k;
    Arena scratch;
    RegAffine regs;
    AccessMemo *accesses;
    const Written **written; /* by BufId */
    ByteSet *possible;       /* by BufId */
    bool *warned;            /* by BufId */
    uint32_t *stamp;         /* by BufId: number of the branch that changed it last */
    uint32_t stamps;
    VEC(Change) trail;
    int64_t *vars;   /* by VarId: value in the first iteration */
    int plain_loops; /* open loops that one core runs through */
    int branches;    /* open branches */
    int firsts;      /* open loops of which this is the first iteration */
    int muted;       /* > 0: no warnings are given here */
    bool jumped;     /* a break or continue of the innermost loop was seen */
    bool returned;   /* a return was seen: nothing after it need ever execute */
} Init;

/* ---- states -------------------------------------------------------------- */

static void
set_written(Init *in, BufId buf, const Written *w)
{
    VEC_PUSH(&in->scratch, &in->trail, (Change){buf, in->written[buf]});
    in->written[buf] = w;
}

/* Takes back all changes since the mark and returns what had been reached for each
 * buffer. */
static Branch
leave(Init *in, uint32_t mark)
{
    Branch b = {0};
    uint32_t n = in->trail.n - mark;
    b.buf = ARENA_ARRAY(&in->scratch, BufId, n);
    b.state = ARENA_ARRAY(&in->scratch, const Written *, n);
    in->stamps++;
    while (in->trail.n > mark) {
        Change c = in->trail.p[--in->trail.n];
        if (in->stamp[c.buf] != in->stamps) {
            in->stamp[c.buf] = in->stamps;
            b.buf[b.n] = c.buf;
            b.state[b.n++] = in->written[c.buf];
        }
        in->written[c.buf] = c.old;
    }
    return b;
}

static bool
same_key(const Key *x, const Key *y)
{
    bool same = x->n == y->n;
    for (int i = 0; same && i < x->n; i++) {
        same = x->atom[i] == y->atom[i] && x->factor[i] == y->factor[i];
    }
    return same;
}

static const Group *
find_group(const Written *w, const Key *key)
{
    for (int i = 0; w && i < w->n; i++) {
        if (same_key(w->groups[i].key, key)) {
            return &w->groups[i];
        }
    }
    return NULL;
}

static bool
same_stripes(const Stripes *x, const Stripes *y)
{
    return x == y || (x && y && memcmp(x, y, sizeof *x) == 0);
}

/* Returns a key that lives as long as the states. */
static const Key *
keep_key(Init *in, const Key *key)
{
    return key->n ? arena_copy(&in->scratch, key, sizeof *key) : &no_terms;
}

/* Returns w with the set of a key replaced, or with one group more if there is room. */
static const Written *
with_group(Init *in, const Written *w, const Group *g)
{
    int n = w ? w->n : 0;
    const Group *old = find_group(w, g->key);
    int index = old ? (int)(old - w->groups) : n;
    if (index == MAX_GROUPS || (old && old->set.p == g->set.p && old->set.n == g->set.n &&
                                same_stripes(old->stripes, g->stripes))) {
        return w;
    }
    int total = MAX(n, index + 1);
    Written *made = arena_alloc(&in->scratch, offsetof(Written, groups) +
                                                  (size_t)total * sizeof(Group));
    made->n = total;
    if (n) {
        memcpy(made->groups, w->groups, (size_t)n * sizeof(Group));
    }
    made->groups[index] = *g;
    made->groups[index].key = old ? old->key : keep_key(in, g->key);
    return made;
}

static const Written *
meet(Init *in, const Written *x, const Written *y)
{
    const Written *both = NULL;
    for (int i = 0; x && i < x->n; i++) {
        const Group *other = find_group(y, x->groups[i].key);
        if (other) {
            Group g = x->groups[i];
            g.stripes = NULL;
            g.set = byteset_meet(&in->scratch, g.set, other->set);
            both = g.set.n ? with_group(in, both, &g) : both;
        }
    }
    return both;
}

/* Joins the states after two branches. What only one branch changed has grown there, so
 * the state before the branch, which still holds, is what both have in common. */
static void
join(Init *in, const Branch *a, const Branch *b)
{
    const Written **of_a = ARENA_ARRAY(&in->scratch, const Written *, a->n);
    in->stamps++;
    for (uint32_t i = 0; i < a->n; i++) {
        in->stamp[a->buf[i]] = in->stamps;
        of_a[i] = in->written[a->buf[i]];
        in->written[a->buf[i]] = a->state[i]; /* the loop over b reads it */
    }
    for (uint32_t i = 0; i < b->n; i++) {
        if (in->stamp[b->buf[i]] == in->stamps) {
            in->stamp[b->buf[i]] = 0;
            in->written[b->buf[i]] = meet(in, in->written[b->buf[i]], b->state[i]);
        }
    }
    for (uint32_t i = 0; i < a->n; i++) {
        const Written *w = in->stamp[a->buf[i]] == 0 ? in->written[a->buf[i]] : of_a[i];
        in->written[a->buf[i]] = of_a[i];
        if (w != of_a[i]) {
            set_written(in, a->buf[i], w);
        }
    }
}

static void
apply(Init *in, const Branch *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        set_written(in, b->buf[i], b->state[i]);
    }
}

/* ---- reads and writes ---------------------------------------------------- */

/* Returns the key of an offset: its terms, by atom. False: a term's value may change
 * between statements, or there are too many terms. */
static bool
key_of(const Init *in, const Affine *off, Key *key)
{
    key->n = off->n;
    if (off->n > MAX_KEY) {
        return false;
    }
    for (int i = 0; i < off->n; i++) {
        if (ir_expr(in->k, off->atom[i])->flags & EXF_REG) {
            return false;
        }
        int at = i;
        for (; at > 0 && key->atom[at - 1] > off->atom[i]; at--) {
            key->atom[at] = key->atom[at - 1];
            key->factor[at] = key->factor[at - 1];
        }
        key->atom[at] = off->atom[i];
        key->factor[at] = off->factor[i];
    }
    return true;
}

/* Returns run i of an access at an offset. */
static ByteRange
run_at(const Access *a, int64_t i, int64_t off)
{
    ByteRange r;
    access_run(a, i, &r.lo, &r.hi);
    return (ByteRange){sat_add(r.lo, off), sat_add(r.hi, off)};
}

/* Adds runs with gaps to a group. If they fill the gaps of those that wait there, all
 * bytes from the first to the last run are written; else they wait. */
static void
write_stripes(Init *in, const Access *a, int64_t off, Group *g)
{
    ByteRange first = run_at(a, 0, off);
    int64_t stride = a->fp.count0 == 1 ? a->fp.stride1 : a->fp.stride0;
    Stripes s = {first.lo, stride, a->fp.len, access_runs(a)};
    Stripes w = g->stripes ? *g->stripes : (Stripes){0};
    int64_t lo = MIN(s.lo, w.lo), hi;
    bool fills = w.count == s.count && w.stride == s.stride &&
                 s.len + w.len == s.stride &&
                 (s.lo == sat_add(w.lo, w.len) || w.lo == sat_add(s.lo, s.len)) &&
                 checked_mul(s.count, s.stride, &hi) && checked_add(lo, hi, &hi);
    if (fills) {
        g->set = byteset_add(&in->scratch, g->set, (ByteRange){lo, hi}, BYTESET_DROP);
    } else {
        g->stripes = arena_copy(&in->scratch, &s, sizeof s);
    }
}

static void
write_certain(Init *in, const Access *a, const Affine *off)
{
    Key key;
    bool stripes = access_runs(a) > MAX_RUNS;
    if (!a->known || !a->exact || (stripes && a->fp.count0 != 1 && a->fp.count1 != 1) ||
        !key_of(in, off, &key)) {
        return;
    }
    const Group *old = find_group(in->written[a->buf], &key);
    Group g = old ? *old : (Group){.key = &key};
    if (stripes) {
        write_stripes(in, a, off->constant, &g);
    }
    for (int64_t i = 0; i < access_runs(a) && !stripes; i++) {
        g.set =
            byteset_add(&in->scratch, g.set, run_at(a, i, off->constant), BYTESET_DROP);
    }
    const Written *w = with_group(in, in->written[a->buf], &g);
    if (w != in->written[a->buf]) {
        set_written(in, a->buf, w);
    }
}

/* Returns the range in which the bytes of an access lie. */
static ByteRange
reach(const Init *in, const Access *a, const Affine *off)
{
    ByteRange whole = {0, ir_room(&in->k->bufs.p[a->buf])};
    if (!a->known) {
        return whole;
    }
    Interval at = env_affine_range(&in->regs.env, off);
    ByteRange r = {at.lo, sat_add(at.hi, access_end(a))};
    r.lo = MAX(r.lo, 0);
    r.hi = MIN(r.hi, whole.hi);
    return r.lo < r.hi ? r : whole;
}

static void
write_possible(Init *in, const Access *a, const Affine *off)
{
    ByteSet set = in->possible[a->buf];
    if (a->known && off->n == 0 && access_runs(a) <= MAX_RUNS) {
        for (int64_t i = 0; i < access_runs(a); i++) {
            set =
                byteset_add(&in->scratch, set, run_at(a, i, off->constant), BYTESET_FILL);
        }
    } else {
        set = byteset_add(&in->scratch, set, reach(in, a, off), BYTESET_FILL);
    }
    in->possible[a->buf] = set;
}

static void
do_write(Init *in, const Access *a)
{
    Affine off;
    reg_affine_of(&in->regs, a->off, &off);
    write_possible(in, a, &off);
    write_certain(in, a, &off);
}

/* Returns whether all runs of an access at an offset are in the set. */
static bool
runs_in(const ByteSet *set, const Access *a, int64_t off)
{
    bool ok = true;
    for (int64_t i = 0; ok && i < access_runs(a); i++) {
        ok = byteset_covers(*set, run_at(a, i, off));
    }
    return ok;
}

/* Returns whether the runs of an access at d are in the set, for each of the few values
 * of the one term of d: rows of which a loop wrote a part, read by another loop. */
static bool
rows_in(const Init *in, const ByteSet *set, const Access *a, const Affine *d)
{
    if (d->n > 1 || access_runs(a) > MAX_RUNS) {
        return false;
    }
    if (d->n == 0) {
        return runs_in(set, a, d->constant);
    }
    Interval v = env_range(&in->regs.env, d->atom[0]);
    int64_t values, off;
    bool ok = checked_sub(v.hi, v.lo, &values) && values < MAX_RUNS;
    for (int64_t i = v.lo; ok && i <= v.hi; i++) {
        ok = checked_mul(d->factor[0], i, &off) && checked_add(off, d->constant, &off) &&
             runs_in(set, a, off);
    }
    return ok;
}

/* Returns whether the bytes of an access at the places of a range are in the set. */
static bool
range_in(const Init *in, const ByteSet *set, const Access *a, Interval at, bool absolute)
{
    ByteRange all = {at.lo, sat_add(at.hi, access_end(a))};
    if (absolute) { /* a checked access stays in its buffer */
        all.lo = MAX(all.lo, 0);
        all.hi = MIN(all.hi, ir_room(&in->k->bufs.p[a->buf]));
    }
    return byteset_covers(*set, all);
}

/* True if all bytes are in the set of one group. */
static bool
in_group(const Init *in, const Access *a, const Affine *off, const Group *g)
{
    bool absolute = g->key->n == 0;
    if (absolute && off->n == 0) {
        return range_in(in, &g->set, a, interval_const(off->constant), true) ||
               (access_runs(a) <= MAX_RUNS && runs_in(&g->set, a, off->constant));
    }
    Affine key = {.n = g->key->n};
    Affine d;
    memcpy(key.atom, g->key->atom, sizeof g->key->atom);
    memcpy(key.factor, g->key->factor, sizeof g->key->factor);
    if (!affine_sub(off, &key, &d)) {
        return false;
    }
    return range_in(in, &g->set, a, env_affine_range(&in->regs.env, &d), absolute) ||
           rows_in(in, &g->set, a, &d);
}

static bool
is_written(const Init *in, const Access *a)
{
    const Written *w = in->written[a->buf];
    Affine off;
    reg_affine_of(&in->regs, a->off, &off);
    if (!a->known) { /* then the whole buffer must be written */
        const Group *g = find_group(w, &no_terms);
        return g &&
               byteset_covers(g->set, (ByteRange){0, ir_room(&in->k->bufs.p[a->buf])});
    }
    for (int i = 0; w && i < w->n; i++) {
        if (in_group(in, a, &off, &w->groups[i])) {
            return true;
        }
    }
    return false;
}

static const char *
reader(const Stmt *s)
{
    return s->kind == ST_INSTR ? op_method(s->instr.op) : "the load of a scalar";
}

static void
warn(Init *in, const Stmt *s, const Access *a, ByteRange gap)
{
    Unit *u = in->k->unit;
    const Buffer *b = &in->k->bufs.p[a->buf];
    const char *name = sym_text(&u->names, b->name);
    int size = dtype_size(b->dtype);
    in->warned[a->buf] = true;
    Diag *d = diag_add(u, D_UNINIT, ir_arg_span(in->k, s, a->param), s->chain,
                       "%s reads bytes %lld to %lld of '%s', which nothing has written "
                       "before (%s elements %lld to %lld)",
                       wording_of_call(in->k, s, reader(s)), (long long)gap.lo,
                       (long long)gap.hi - 1, name, dtype_name(b->dtype),
                       (long long)(gap.lo / size), (long long)((gap.hi - 1) / size));
    diag_note(u, d, b->span, "'%s' is declared here", name);
}

/* Looks for bytes that the read certainly accesses when it first executes, and that
 * nothing can have written. */
static void
check_read(Init *in, const Stmt *s, const Access *a)
{
    int64_t at;
    bool varies = ir_expr(in->k, a->off)->flags & EXF_VAR;
    if (!a->computes || !a->known || !a->exact || in->returned || in->muted ||
        in->warned[a->buf] || (in->branches && varies) ||
        !ir_eval(in->k, a->off, in->vars, &at)) {
        return;
    }
    int64_t runs = MIN(access_runs(a), MAX_RUNS);
    for (int64_t i = 0; i < runs; i++) {
        ByteRange gap;
        ByteRange r = run_at(a, i, at);
        /* after the buffer's end there are no elements */
        r.hi = MIN(r.hi, in->k->bufs.p[a->buf].bytes);
        if (r.lo >= 0 && r.lo < r.hi && byteset_gap(in->possible[a->buf], r, &gap)) {
            warn(in, s, a, gap);
            return;
        }
    }
}

static void
do_accesses(Init *in, const Stmt *s)
{
    Access list[MAX_ACCESSES];
    int n = access_list_kept(in->accesses, in->k, s, list);
    for (int i = 0; i < n; i++) {
        Scope scope = in->k->bufs.p[list[i].buf].scope;
        if (scope == SC_GM || scope == SC_SREG || scope == SC_LMEM) {
            /* the caller writes these bytes; registers and lanes are set when a core
             * starts */
            continue;
        }
        if (list[i].write) {
            do_write(in, &list[i]);
        } else if (!is_written(in, &list[i])) {
            in->k->may_read_uninit = in->k->bufs.p[list[i].buf].unset = true;
            check_read(in, s, &list[i]);
        }
    }
}

/* ---- loops --------------------------------------------------------------- */

/* Returns the key without the term of variable v; *factor gets that term's factor. False:
 * the key depends on loop variables in another way. */
static bool
without_var(const Init *in, const Key *from, VarId v, Key *key, int64_t *factor)
{
    key->n = 0;
    *factor = 0;
    for (int i = 0; i < from->n; i++) {
        const Expr *e = ir_expr(in->k, from->atom[i]);
        if (e->kind != EX_VAR) {
            return false;
        }
        if (e->a == v) {
            *factor = from->factor[i];
        } else {
            key->atom[key->n] = from->atom[i];
            key->factor[key->n++] = from->factor[i];
        }
    }
    return true;
}

/* Extends one interval of an iteration over all iterations. */
static ByteSet
stretch(Init *in, ByteSet set, ByteRange r, int64_t factor, const int64_t bounds[2])
{
    int64_t trips = bounds[1] - bounds[0];
    int64_t a, b;
    if (!checked_mul(factor, bounds[0], &a) || !checked_mul(factor, bounds[1] - 1, &b)) {
        return set;
    }
    int64_t step = factor < 0 ? -factor : factor;
    if (r.hi - r.lo >= step || trips == 1) {
        ByteRange all = {sat_add(r.lo, MIN(a, b)), sat_add(r.hi, MAX(a, b))};
        return byteset_add(&in->scratch, set, all, BYTESET_DROP);
    }
    for (int64_t i = 0; trips <= MAX_RUNS && i < trips; i++) {
        ByteRange one = {sat_add(r.lo, a + i * factor), sat_add(r.hi, a + i * factor)};
        set = byteset_add(&in->scratch, set, one, BYTESET_DROP);
    }
    return set;
}

/* Returns a buffer's state after a loop that ran from bounds[0] to bounds[1]. */
static const Written *
after_loop(Init *in, const Written *before, const Written *last, VarId v,
           const int64_t bounds[2])
{
    const Written *w = before;
    for (int i = 0; last && i < last->n; i++) {
        const Group *g = &last->groups[i];
        Key key;
        int64_t factor;
        if (!without_var(in, g->key, v, &key, &factor)) {
            continue;
        }
        const Group *old = find_group(w, &key);
        Group sum = {.key = &key, .set = old ? old->set : (ByteSet){0}};
        for (int r = 0; r < g->set.n; r++) {
            sum.set = factor
                          ? stretch(in, sum.set, g->set.p[r], factor, bounds)
                          : byteset_add(&in->scratch, sum.set, g->set.p[r], BYTESET_DROP);
        }
        w = sum.set.n ? with_group(in, w, &sum) : w;
    }
    return w;
}

static bool walk_body(Init *in, StmtId first);

/* Sets the values of the first iteration; true if a read in the body can be checked with
 * them. */
static bool
first_iteration(Init *in, const Stmt *s)
{
    int64_t begin, end;
    if (!ir_eval(in->k, s->loop.begin, in->vars, &begin)) {
        return false;
    }
    in->vars[s->loop.var] = begin;
    if (!ir_eval(in->k, s->loop.end, in->vars, &end)) {
        /* its first execution is then in its first iteration */
        return in->plain_loops == 0;
    }
    return begin < end;
}

/* Returns whether a body asks whether it is executed for the first time. */
static bool
asks_for_first(const Kernel *k, const Stmt *loop, StmtId first)
{
    for (StmtId id = first; id != 0; id = k->stmts.p[id].next) {
        const Stmt *s = &k->stmts.p[id];
        if (s->kind == ST_SCOPE && asks_for_first(k, loop, s->scope.body)) {
            return true;
        }
        const Expr *c = ir_expr(k, s->kind == ST_IF ? s->cond.cond : 0);
        const Expr *a = ir_expr(k, c->a);
        if (c->kind == EX_OP && a->kind == EX_VAR && a->a == loop->loop.var &&
            ir_is_const(k, c->b)) {
            return true;
        }
    }
    return false;
}

/* Adds what a loop has written when its variable was from bounds[0] to bounds[1]. */
static void
add_iterations(Init *in, const Stmt *s, const Branch *last, const int64_t bounds[2])
{
    for (uint32_t i = 0; i < last->n; i++) {
        const Written *before = in->written[last->buf[i]];
        const Written *w = after_loop(in, before, last->state[i], s->loop.var, bounds);
        if (w != before) {
            set_written(in, last->buf[i], w);
        }
    }
}

/* Goes through the first iteration of a loop alone, with the branches that are taken in
 * it. What it writes is written in all others. It gives no warnings: the walk over all
 * iterations does. */
static void
walk_first(Init *in, const Stmt *s, int64_t begin)
{
    const int64_t bounds[2] = {begin, begin + 1};
    uint32_t mark = in->trail.n;
    bool returned = in->returned;
    size_t size = in->k->bufs.n * sizeof *in->possible;
    ByteSet *possible = arena_copy(&in->scratch, in->possible, size);
    in->muted++;
    in->firsts++;
    in->jumped = false;
    reg_affine_forget(&in->regs, s->loop.body);
    env_set_var(&in->regs.env, s->loop.var, interval_const(begin));
    bool ends = walk_body(in, s->loop.body) && !in->jumped;
    reg_affine_forget(&in->regs, s->loop.body);
    Branch last = leave(in, mark);
    if (ends) {
        add_iterations(in, s, &last, bounds);
    }
    in->firsts--;
    in->muted--;
    in->returned = returned;
    memcpy(in->possible, possible, size);
}

static void
walk_loop(Init *in, const Stmt *s)
{
    int64_t bounds[2];
    bool multicore = ir_is_multicore(s);
    bool certain = !multicore && access_certain_loop(in->k, s, &bounds[0], &bounds[1]);
    bool outer_jumped = in->jumped;
    if (certain && in->firsts < MAX_FIRSTS && asks_for_first(in->k, s, s->loop.body)) {
        walk_first(in, s, bounds[0]);
    }
    uint32_t mark = in->trail.n;
    int muted = in->muted;
    in->muted += !first_iteration(in, s);
    in->plain_loops += !multicore;
    in->jumped = false;
    reg_affine_forget(&in->regs, s->loop.body);
    access_enter_loop(&in->regs.env, s);
    bool ends = walk_body(in, s->loop.body);
    reg_affine_forget(&in->regs, s->loop.body);
    Branch last = leave(in, mark);
    if (ends && certain && !in->jumped) {
        add_iterations(in, s, &last, bounds);
    }
    in->jumped = outer_jumped;
    in->plain_loops -= !multicore;
    in->muted = muted;
}

/* ---- the walk ------------------------------------------------------------ */

static bool
walk_if(Init *in, const Stmt *s)
{
    Interval cond = in->firsts > 0 ? env_range(&in->regs.env, s->cond.cond)
                                   : interval_of_type(DT_BOOL);
    if (interval_is_const(cond)) {
        return walk_body(in, cond.lo != 0 ? s->cond.then_body : s->cond.else_body);
    }
    uint32_t mark = in->trail.n;
    int muted = in->muted;
    in->branches++;
    in->muted += in->plain_loops > 0;
    bool then_ends = walk_body(in, s->cond.then_body);
    reg_affine_forget(&in->regs, s->cond.then_body);
    Branch a = leave(in, mark);
    bool else_ends = walk_body(in, s->cond.else_body);
    reg_affine_forget(&in->regs, s->cond.else_body);
    Branch b = leave(in, mark);
    in->branches--;
    /* After a jump, a loop's statements need not execute in its first iteration. */
    in->muted = muted + (in->plain_loops > 0 && in->jumped);
    if (then_ends && else_ends) {
        join(in, &a, &b);
    } else if (then_ends || else_ends) {
        apply(in, then_ends ? &a : &b);
    }
    return then_ends || else_ends;
}

/* False: what follows in the body is not reached. */
static bool
walk_stmt(Init *in, const Stmt *s)
{
    switch ((StmtKind)s->kind) {
    case ST_INSTR:
    case ST_STORE:
        do_accesses(in, s);
        return true;
    case ST_LOAD:
        do_accesses(in, s);
        reg_affine_assign(&in->regs, s);
        return true;
    case ST_SET:
        reg_affine_assign(&in->regs, s);
        return true;
    case ST_ALLOC:
        set_written(in, s->alloc.buf, NULL);
        in->possible[s->alloc.buf] = (ByteSet){0};
        return true;
    case ST_FOR:
        walk_loop(in, s);
        return true;
    case ST_IF:
        return walk_if(in, s);
    case ST_SCOPE:
        return walk_body(in, s->scope.body);
    case ST_BREAK:
    case ST_CONTINUE:
        in->jumped = true;
        return false;
    case ST_RETURN:
        in->returned = true;
        return false;
    case ST_NONE:
        return true;
    }
    UNREACHABLE();
}

static bool
walk_body(Init *in, StmtId first)
{
    const Kernel *k = in->k;
    for (StmtId id = first; id; id = k->stmts.p[id].next) {
        if (!walk_stmt(in, &k->stmts.p[id])) {
            return false;
        }
    }
    return true;
}

bool
pass_init(Kernel *k)
{
    Init in = {.k = k, .muted = k->incomplete};
    arena_init(&in.scratch);
    in.written = ARENA_ARRAY(&in.scratch, const Written *, k->bufs.n);
    in.possible = ARENA_ARRAY(&in.scratch, ByteSet, k->bufs.n);
    in.warned = ARENA_ARRAY(&in.scratch, bool, k->bufs.n);
    in.stamp = ARENA_ARRAY(&in.scratch, uint32_t, k->bufs.n);
    in.vars = ARENA_ARRAY(&in.scratch, int64_t, k->vars.n);
    reg_affine_init(&in.regs, k, &in.scratch);
    in.accesses = access_memo_new(&in.scratch);
    k->may_read_uninit = false;
    for (BufId i = 0; i < k->bufs.n; i++) {
        k->bufs.p[i].unset = false;
    }
    (void)walk_body(&in, k->body);
    arena_free(&in.scratch);
    return true;
}
