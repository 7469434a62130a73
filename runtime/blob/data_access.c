/* data_access.c: which bytes instructions and accesses to elements read and write (see
 * data.h): footprints of the checker (rules/check.h), lane by lane where a mask has
 * holes. What is not known makes reads larger, and writes uncertain. */
#include "blob/data.h"

#include "rules/internal.h"

#include <string.h>

enum {
    FAR = 1 << 30 /* places beyond are not followed */
};

/* An operand: its region, where it begins, and the bytes from there on. */
typedef struct Operand {
    const TikOperand *t;
    Interval at;
    Footprint f;
    bool reads, writes;
    bool forgets; /* what is there afterwards has no meaning */
    bool exact;   /* the footprint is what is accessed */
    bool lanes;   /* if not: lane by lane it is */
    bool known;   /* there is a footprint */
} Operand;

typedef struct Instr {
    DataWalk *w;
    const TikDesc *d;
    CheckInstr in;
    Operand of[MAX_PARAMS];
    int n;
    bool known; /* all numbers that shape accesses have one value */
    bool fixed; /* so have all others, and the places */
} Instr;

/* ---- operands ------------------------------------------------------------ */

/* The place of an operand; all of 64 bits when it is not known. */
static Interval
place(DataWalk *w, const TikOperand *o)
{
    Interval sum = interval_const(o->offset);
    for (int i = 0; i < o->nterms; i++) {
        Interval v = data_number(w, &o->terms[i].num), part;
        if (!interval_mul(v, interval_const(o->terms[i].coef), &part) ||
            !interval_add(sum, part, &sum)) {
            return interval_of_type(DT_S64);
        }
    }
    return sum;
}

static void
bind_number(Instr *x, int i, Role role)
{
    Interval v = data_number(x->w, &x->d->args[i].v);
    bool fixed = interval_is_const(v);
    x->known = x->known && (fixed || role == ROLE_SCALAR);
    x->fixed = x->fixed && fixed;
    x->in.args[i].v = v.lo;
    x->in.args[i].literal = x->d->args[i].literal;
}

static void
bind_mask(Instr *x, int i)
{
    CheckMask *m = &x->in.args[i].m;
    m->form = x->d->mask_form;
    for (int w = 0; w < mask_words(m->form); w++) {
        Interval v = data_number(x->w, &x->d->args[i].mask[w]);
        x->known = x->known && interval_is_const(v);
        m->w[w] = (uint64_t)v.lo;
    }
}

static void
bind_tensor(Instr *x, int i, Role role)
{
    const TikOperand *o = &x->d->args[i].t;
    const TikBlobRegion *g = &x->w->k->regions[o->region];
    Operand *to = &x->of[i];
    *to = (Operand){.t = o,
                    .at = place(x->w, o),
                    .reads = role == ROLE_SRC,
                    .writes = role == ROLE_DST};
    x->fixed = x->fixed && interval_is_const(to->at) && !g->open;
    x->in.args[i].t = (CheckTensor){.buffer = o->region,
                                    .scope = g->scope,
                                    .dtype = o->dtype,
                                    .offset = interval_is_const(to->at) ? to->at.lo : 0,
                                    .bytes = g->bytes,
                                    .read_only = g->kind == TIKBLOB_TABLE};
}

static void
bind(Instr *x)
{
    const ParamInfo *p = form_params(op_table[x->d->op].form, &x->n);
    check_begin(&x->in, x->d->op, x->n);
    x->in.soc = x->w->k->soc;
    x->in.choices = x->w->k->choices;
    x->known = x->fixed = true;
    for (int i = 0; i < x->n; i++) {
        x->of[i].t = NULL;
        if (p[i].role == ROLE_DST || p[i].role == ROLE_SRC) {
            bind_tensor(x, i, p[i].role);
            x->of[i].forgets = strcmp(p[i].name, "work_tensor") == 0;
        } else if (p[i].role == ROLE_MASK) {
            bind_mask(x, i);
        } else if (p[i].role != ROLE_MASKMODE) {
            bind_number(x, i, p[i].role);
        }
    }
}

static bool
has_lanes(Op op)
{
    Family family = form_family(op_table[op].form);
    return family == FAM_LANES || family == FAM_CONVERT;
}

/* Whether numbers are those of an instruction that may be correct. */
static bool
is_shape(const Footprint *f)
{
    const int64_t n[] = {f->count0, f->count1, f->len, f->offset};
    for (size_t i = 0; i < sizeof n / sizeof n[0]; i++) {
        if (n[i] < 0 || n[i] >= FAR) {
            return false;
        }
    }
    const int64_t s[] = {f->stride0, f->stride1};
    for (size_t i = 0; i < sizeof s / sizeof s[0]; i++) {
        if (s[i] <= -FAR || s[i] >= FAR) {
            return false;
        }
    }
    return true;
}

/* Finds the footprints. An instruction that is not correct accesses nothing. */
static bool
measure(Instr *x)
{
    bool correct = !x->fixed || !x->known || check_values(&x->in, NULL);
    for (int i = 0; correct && i < x->n; i++) {
        Operand *o = &x->of[i];
        if (o->t == NULL) {
            continue;
        }
        if (x->known) {
            o->f = check_footprint(&x->in, i, &o->exact);
            o->f.offset -= x->in.args[i].t.offset;
            o->lanes = !o->exact && has_lanes(x->d->op);
            o->known = is_shape(&o->f) && (o->exact || !sync_roams(x->d->op));
        }
    }
    return correct;
}

/* ---- runs ---------------------------------------------------------------- */

typedef void RunFn(DataWalk *w, const DataRun *r);

/* Returns, of an operand of which the place or the shape is not known, all bytes that it
 * may access. Its bounds are proved, or checked before it is executed. */
static DataRun
hull(const Instr *x, const Operand *o)
{
    const TikBlobRegion *g = &x->w->k->regions[o->t->region];
    int64_t most = scope_granule(g->scope, g->kind == TIKBLOB_TABLE, g->bytes);
    DataRun r = {o->t->region, 0, most, true};
    if (!o->known || g->kind == TIKBLOB_LIST) {
        return r;
    }
    int64_t extent = footprint_end(&o->f), lo = o->at.lo, hi = o->at.hi;
    int64_t step = o->at.mod > 0 ? o->at.mod : 1;
    hi = hi < most - extent ? hi : most - extent;
    lo = lo > 0 ? lo : 0;
    hi -= ((hi - o->at.rem) % step + step) % step; /* a place that it can have */
    r.at = lo + o->f.offset;
    r.n = hi + extent - r.at;
    return r;
}

static void
on_hull(Instr *x, const Operand *o, RunFn *fn)
{
    DataRun r = hull(x, o);
    if (r.n > 0) {
        fn(x->w, &r);
    }
}

/* Returns the bytes of a block of lanes that are active, a bit each. */
static uint32_t
active(const CheckInstr *in, const LaneGeometry *g, int64_t repeat, int block)
{
    uint32_t mask = 0, element = (uint32_t)(((uint64_t)1 << g->size) - 1);
    int first = block * g->per_block;
    for (int i = 0; i < g->per_block && first + i < g->lanes; i++) {
        if (check_lane_active(in, repeat, first + i)) {
            mask |= element << (i / g->share * g->size);
        }
    }
    return mask;
}

static void
on_mask(Instr *x, const Operand *o, int64_t at, uint32_t mask, RunFn *fn)
{
    while (mask != 0) {
        int first = __builtin_ctz(mask);
        uint32_t rest = ~(mask >> first);
        int n = rest == 0 ? 32 - first : __builtin_ctz(rest);
        DataRun r = {o->t->region, at + first, n, false};
        fn(x->w, &r);
        mask = first + n >= 32 ? 0 : mask >> (first + n) << (first + n);
    }
}

static void
on_lanes(Instr *x, int param, RunFn *fn)
{
    const Operand *o = &x->of[param];
    LaneGeometry g = check_geometry(&x->in, param);
    int blocks = (g.lanes + g.per_block - 1) / g.per_block;
    int64_t repeats = check_repeats(&x->in);
    for (int64_t rep = 0; rep < repeats; rep++) {
        for (int b = 0; b < blocks; b++) {
            on_mask(x, o, o->at.lo + g.first + rep * g.rep + b * g.blk,
                    active(&x->in, &g, rep, b), fn);
        }
    }
}

/* Whether it is known which bytes an operand of a copy accesses. */
static bool
is_certain(const Operand *o)
{
    return o->known && interval_is_const(o->at);
}

static void
on_operand(Instr *x, int param, RunFn *fn)
{
    const Operand *o = &x->of[param];
    if (!o->known || !interval_is_const(o->at)) {
        on_hull(x, o, fn);
        return;
    }
    if (o->lanes) {
        on_lanes(x, param, fn);
        return;
    }
    DataRun r = {.region = o->t->region, .n = o->f.len, .may = !o->exact};
    for (int64_t j = 0; j < o->f.count1; j++) {
        for (int64_t i = 0; i < o->f.count0; i++) {
            r.at = o->at.lo + o->f.offset + i * o->f.stride0 + j * o->f.stride1;
            fn(x->w, &r);
        }
    }
}

/* A term of an address: the counter takes all values from lo to hi. */
typedef struct Span {
    int64_t coef, lo, hi;
} Span;

/* Gives the least place of an operand, and the terms of it that open loops change, by
 * ascending coefficient. Returns their number; -1: they do not take all values, or go
 * down. */
static int
spans(DataWalk *w, const TikOperand *o, Span *out, int64_t *least)
{
    int n = 0;
    *least = o->offset;
    for (int i = 0; i < o->nterms; i++) {
        const TikNum *num = &o->terms[i].num;
        Interval v = data_number(w, num);
        int64_t coef = o->terms[i].coef;
        bool full = num->kind == NUM_LOOP && w->full[num->index % TIKBLOB_MAX_LOOPS];
        if (!interval_is_const(v) && (!full || coef < 0)) {
            return -1;
        }
        *least = sat_add(*least, sat_mul(coef, v.lo));
        if (!interval_is_const(v)) {
            int j = n++;
            for (; j > 0 && out[j - 1].coef > coef; j--) {
                out[j] = out[j - 1];
            }
            out[j] = (Span){coef, v.lo, v.hi};
        }
    }
    return n;
}

/* Notes what the iterations of open loops write together, if that has no gaps. */
static void
write_together(Instr *x, const Operand *o)
{
    Span s[TIKBLOB_MAX_TERMS + TIKBLOB_MAX_REGS];
    DataRun r = {.region = o->t->region, .n = o->f.len};
    bool one = o->known && o->exact && o->f.count0 * o->f.count1 == 1;
    int n = one && !interval_is_const(o->at) ? spans(x->w, o->t, s, &r.at) : -1;
    r.at += o->f.offset;
    for (int i = 0; i < n; i++) {
        if (s[i].coef > r.n) {
            return;
        }
        r.n = sat_add(r.n, sat_mul(s[i].coef, s[i].hi - s[i].lo));
    }
    if (n > 0) {
        data_write_late(x->w, &r);
    }
}

/* ---- copies -------------------------------------------------------------- */

/* Goes over the runs of a footprint. */
typedef struct Cursor {
    const Operand *o;
    int64_t i, j, done;
} Cursor;

static bool
cursor_run(const Cursor *c, DataRun *r)
{
    const Footprint *f = &c->o->f;
    *r = (DataRun){.region = c->o->t->region,
                   .at = c->o->at.lo + f->offset + c->i * f->stride0 + c->j * f->stride1 +
                         c->done,
                   .n = f->len - c->done};
    return c->j < f->count1 && f->count0 > 0 && f->len > 0;
}

static void
cursor_step(Cursor *c, int64_t n)
{
    c->done += n;
    if (c->done == c->o->f.len) {
        c->done = 0;
        c->i++;
    }
    if (c->i == c->o->f.count0) {
        c->i = 0;
        c->j++;
    }
}

static int64_t
bytes_of(const Footprint *f)
{
    return f->count0 * f->count1 * f->len;
}

/* Finds the operands of an instruction that copies bytes in their order. */
static bool
is_copy(const Instr *x, int *dst, int *src)
{
    *dst = *src = -1;
    for (int i = x->n - 1; i >= 0; i--) {
        *dst = x->of[i].t != NULL && x->of[i].writes ? i : *dst;
        *src = x->of[i].t != NULL && x->of[i].reads ? i : *src;
    }
    return form_family(op_table[x->d->op].form) == FAM_MOVE &&
           (!x->known || bytes_of(&x->of[*dst].f) == bytes_of(&x->of[*src].f));
}

/* A copy of which not all is known. */
static void
copy_hull(Instr *x, int dst, int src)
{
    const Operand *d = &x->of[dst];
    DataRun from = hull(x, &x->of[src]), to = hull(x, d);
    if (!is_certain(d)) {
        data_copy(x->w, &to, &from);
        return;
    }
    Cursor c = {.o = d};
    while (cursor_run(&c, &to)) {
        data_copy(x->w, &to, &from);
        cursor_step(&c, to.n);
    }
}

static void
copy(Instr *x, int dst, int src)
{
    Cursor to = {.o = &x->of[dst]}, from = {.o = &x->of[src]};
    DataRun r, q;
    while (cursor_run(&to, &r)) {
        (void)cursor_run(&from, &q); /* both have as many bytes */
        int64_t n = r.n < q.n ? r.n : q.n;
        r.n = q.n = n;
        data_copy(x->w, &r, &q);
        cursor_step(&to, n);
        cursor_step(&from, n);
    }
}

/* ---- instructions -------------------------------------------------------- */

/* Returns whether an instruction may add to its destination: where numbers are not known
 * it may. */
static bool
adds(const Instr *x)
{
    CheckInstr in = x->in;
    for (int i = 0; i < x->n; i++) {
        in.args[i].literal = x->known;
    }
    return check_reads_dst(&in);
}

void
data_instr(DataWalk *w, const TikDesc *d)
{
    Instr x;
    x.w = w;
    x.d = d;
    int dst, src;
    if (form_is_control(op_table[d->op].form)) {
        return;
    }
    bind(&x);
    if (!measure(&x)) {
        return;
    }
    for (int i = 0; w->unknown > 0 && i < x.n; i++) {
        if (x.of[i].t != NULL && x.of[i].writes) {
            write_together(&x, &x.of[i]);
        }
    }
    if (is_copy(&x, &dst, &src)) {
        bool certain = is_certain(&x.of[dst]) && is_certain(&x.of[src]);
        (certain ? copy : copy_hull)(&x, dst, src);
        return;
    }
    bool added = adds(&x);
    for (int i = 0; i < x.n; i++) {
        if (x.of[i].t != NULL && (x.of[i].reads || added)) {
            on_operand(&x, i, data_read);
        }
    }
    for (int i = 0; i < x.n; i++) {
        if (x.of[i].t != NULL && x.of[i].forgets) {
            on_operand(&x, i, data_forget);
        }
    }
    for (int i = 0; i < x.n; i++) {
        if (x.of[i].t != NULL && x.of[i].writes && !x.of[i].forgets) {
            on_operand(&x, i, data_write);
        }
    }
}

/* ---- elements ------------------------------------------------------------ */

/* A store may change the atomic mode. */
static void
set_mode(DataWalk *w, const TikDesc *d, Interval at)
{
    Interval v = data_number(w, &d->a);
    bool here = at.lo <= SREG_ATOMIC && at.hi >= SREG_ATOMIC;
    if (here) {
        bool known = interval_is_const(at) && interval_is_const(v);
        w->now.atomic = known ? v.lo != 0 : -1;
    }
}

void
data_element(DataWalk *w, const TikDesc *d)
{
    const TikBlobRegion *g = &w->k->regions[d->operand.region];
    Interval at = place(w, &d->operand);
    int64_t most = scope_granule(g->scope, g->kind == TIKBLOB_TABLE, g->bytes);
    bool sure = interval_is_const(at);
    DataRun r = {d->operand.region, at.lo, dtype_size(d->dtype), !sure};
    if (g->scope == SC_SREG && d->kind == DESC_STORE) {
        set_mode(w, d, at);
        return;
    }
    if (!sure) {
        r.at = at.lo > 0 ? at.lo : 0;
        r.n = (at.hi < most - r.n ? at.hi + r.n : most) - r.at;
    }
    if (r.n <= 0) {
        return;
    }
    if (d->kind == DESC_LOAD) {
        data_read(w, &r);
    } else {
        data_write(w, &r);
    }
}
