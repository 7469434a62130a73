/* sync_tape.c: makes the tape of a kernel (see sync.h): it walks the descriptors with
 * what is known of each register, unrolls loops whose counters are taken modulo a small
 * number, and notes events and statements. What each statement accesses is in
 * sync_access.c. */
#include "blob/sync_tape.h"
#include "isa/operand.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_EVENTS = 1 << 16 /* of a tape with unrolled loops */
};

/* Makes room for one more element and returns it, cleared; null when memory is
 * exhausted. */
void *
sync_grow(Maker *m, void *array, uint32_t *n, uint32_t *cap, size_t size)
{
    uint8_t *old;
    memcpy(&old, array, sizeof old);
    if (*n == *cap) {
        uint32_t want = *cap == 0 ? 64 : *cap * 2;
        uint8_t *p = realloc(old, want * size);
        if (p == NULL) {
            m->failed = true;
            return NULL;
        }
        memcpy(array, &p, sizeof p);
        old = p;
        *cap = want;
    }
    memset(old + (size_t)*n * size, 0, size);
    return old + (size_t)(*n)++ * size;
}

static void
event(Maker *m, SyncEventKind kind, uint32_t index)
{
    SyncTape *t = m->t;
    SyncEvent *e =
        sync_grow(m, &t->events, &t->nevents, &t->cap_events, sizeof *t->events);
    if (e != NULL) {
        *e = (SyncEvent){.kind = kind, .index = index, .desc = m->at};
    }
}

/* ---- values -------------------------------------------------------------- */

static SyncValue
constant_value(int64_t v)
{
    return (SyncValue){{.constant = v}, interval_const(v)};
}

static SyncValue
new_number(Maker *m, Interval range)
{
    SyncTape *t = m->t;
    SyncValue v = {{0}, range};
    if (interval_is_const(range)) {
        return constant_value(range.lo);
    }
    SyncNumber *x =
        sync_grow(m, &t->numbers, &t->nnumbers, &t->cap_numbers, sizeof *t->numbers);
    if (x != NULL) {
        *x = (SyncNumber){range.lo, range.hi, m->depth};
        v.sum.n = 1;
        v.sum.terms[0] = (SyncTerm){SYNC_TERM_NUMBER, t->nnumbers - 1, 1};
    }
    return v;
}

static int
compare_terms(const SyncTerm *a, const SyncTerm *b)
{
    return a->kind != b->kind ? (int)a->kind - (int)b->kind
                              : (a->id > b->id) - (a->id < b->id);
}

/* Adds a term; false: there are too many, or the factor overflows. */
static bool
add_term(SyncSum *s, const SyncTerm *t)
{
    int i = 0;
    while (i < s->n && compare_terms(&s->terms[i], t) < 0) {
        i++;
    }
    if (i < s->n && compare_terms(&s->terms[i], t) == 0) {
        bool ok = !__builtin_add_overflow(s->terms[i].coef, t->coef, &s->terms[i].coef);
        if (s->terms[i].coef == 0) {
            s->n--;
            memmove(&s->terms[i], &s->terms[i + 1],
                    (size_t)(s->n - i) * sizeof s->terms[0]);
        }
        return ok;
    }
    if (s->n == SYNC_TERMS || t->coef == 0) {
        return t->coef == 0;
    }
    memmove(&s->terms[i + 1], &s->terms[i], (size_t)(s->n - i) * sizeof s->terms[0]);
    s->terms[i] = *t;
    s->n++;
    return true;
}

bool
sync_sum_add(SyncSum *to, const SyncSum *add, int64_t factor)
{
    int64_t c;
    if (__builtin_mul_overflow(add->constant, factor, &c) ||
        __builtin_add_overflow(to->constant, c, &to->constant)) {
        return false;
    }
    for (int i = 0; i < add->n; i++) {
        SyncTerm t = add->terms[i];
        if (__builtin_mul_overflow(t.coef, factor, &t.coef) || !add_term(to, &t)) {
            return false;
        }
    }
    return true;
}

SyncValue
sync_value(Maker *m, const TikNum *n)
{
    switch (n->kind) {
    case NUM_IMM:
        return constant_value(n->imm);
    case NUM_REG:
        return m->regs[n->index];
    case NUM_LOOP:
        return m->counters[n->index % TIKBLOB_MAX_LOOPS];
    case NUM_CORE:
        break;
    }
    SyncValue core = {{.n = 1, .terms = {{SYNC_TERM_CORE, 0, 1}}},
                      interval_between(0, (int64_t)m->k->cores - 1)};
    return m->k->cores == 1 ? constant_value(0) : core;
}

/* The quotient or remainder of a sum whose factors are all multiples of c > 0. */
static bool
divide(const SyncValue *a, int64_t c, bool quotient, SyncSum *out)
{
    if (a->range.lo < 0 || a->sum.constant < 0) {
        return false;
    }
    for (int i = 0; i < a->sum.n; i++) {
        if (a->sum.terms[i].coef % c != 0) {
            return false;
        }
    }
    *out = (SyncSum){.constant = a->sum.constant % c};
    if (quotient) {
        *out = a->sum;
        out->constant /= c;
        for (int i = 0; i < out->n; i++) {
            out->terms[i].coef /= c;
        }
    }
    return true;
}

/* The sum that an exact operation gives; false: it gives none. */
static bool
sum_of(const TikDesc *d, const SyncValue *a, const SyncValue *b, SyncSum *out)
{
    bool fixed = interval_is_const(b->range);
    *out = (SyncSum){0};
    switch (d->alu_op) {
    case SOP_ADD:
    case SOP_SUB:
        *out = a->sum;
        return sync_sum_add(out, &b->sum, d->alu_op == SOP_ADD ? 1 : -1);
    case SOP_MUL:
        return fixed ? sync_sum_add(out, &a->sum, b->range.lo)
                     : interval_is_const(a->range) &&
                           sync_sum_add(out, &b->sum, a->range.lo);
    case SOP_SHL: /* an exact one is by a number that is known */
        return sync_sum_add(out, &a->sum, (int64_t)1 << b->range.lo);
    case SOP_CAST:
        *out = a->sum;
        return true;
    case SOP_DIV:
    case SOP_REM:
        return fixed && divide(a, b->range.lo, d->alu_op == SOP_DIV, out);
    case SOP_AND:
        return fixed && b->range.lo >= 0 && b->range.lo < INT64_MAX &&
               (b->range.lo & (b->range.lo + 1)) == 0 &&
               divide(a, b->range.lo + 1, false, out);
    default:
        return false;
    }
}

static void
alu(Maker *m, const TikDesc *d)
{
    SyncSum sum;
    bool exact = false;
    SyncValue a = sync_value(m, &d->a), b = constant_value(0);
    if (scalar_op_table[d->alu_op].arity > 1) {
        b = sync_value(m, &d->b);
    }
    ScalarIntervals in = {d->dtype, d->from, a.range, b.range};
    Interval range = scalar_interval_untyped(d->alu_op, &in, &exact);
    if (exact && sum_of(d, &a, &b, &sum)) {
        m->regs[d->reg] =
            sum.n == 0 ? constant_value(sum.constant) : (SyncValue){sum, range};
        return;
    }
    m->regs[d->reg] = new_number(m, range);
}

void
sync_any(const SyncKernel *k, Interval *any)
{
    for (uint32_t i = 0; i < k->nregs; i++) {
        any[i] = interval_const(0);
    }
    for (uint32_t i = 0; i < k->ndescs; i++) {
        const TikDesc *d = k->descs[i];
        if (d->kind == DESC_ALU) {
            Dtype t = scalar_interval_type(d->alu_op, d->dtype);
            any[d->reg] = interval_join(any[d->reg], interval_of_type(t));
        } else if (d->kind == DESC_LOAD) {
            any[d->reg] = interval_join(any[d->reg], interval_of_type(d->dtype));
        }
    }
}

/* Forgets the registers that descriptors write. */
static void
forget(Maker *m, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        const TikDesc *d = m->k->descs[i];
        if (d->kind == DESC_ALU || d->kind == DESC_LOAD) {
            m->regs[d->reg] = new_number(m, m->any[d->reg]);
        }
    }
}

/* ---- loops --------------------------------------------------------------- */

static int64_t
least_common(int64_t a, int64_t b)
{
    return a / gcd(a, b) * b;
}

/* Loops on whose counters a number depends, as bits of slots. */
static uint32_t
slots_of(const Maker *m, const TikNum *n)
{
    return n->kind == NUM_LOOP  ? 1u << (n->index % TIKBLOB_MAX_LOOPS)
           : n->kind == NUM_REG ? m->slots[n->index]
                                : 0;
}

/* Multiplies the copies of the open loops with these slots. */
static void
want_copies(Maker *m, uint32_t slots, const uint32_t *open, int64_t times)
{
    for (int s = 0; s < TIKBLOB_MAX_LOOPS; s++) {
        if ((slots >> s & 1) != 0 && times > 1) {
            int64_t all = least_common(m->copies[open[s]], times);
            m->copies[open[s]] = all <= SYNC_COPIES ? (uint8_t)all : m->copies[open[s]];
        }
    }
}

static void
survey_alu(Maker *m, const TikDesc *d, const uint32_t *open)
{
    uint32_t a = slots_of(m, &d->a);
    bool two = scalar_op_table[d->alu_op].arity > 1;
    m->slots[d->reg] = a | (two ? slots_of(m, &d->b) : 0);
    if (two && d->b.kind == NUM_IMM && d->b.imm > 0 && d->b.imm <= SYNC_COPIES) {
        bool mask = d->alu_op == SOP_AND && (d->b.imm & (d->b.imm + 1)) == 0;
        want_copies(m, a, open,
                    d->alu_op == SOP_REM ? d->b.imm
                    : mask               ? d->b.imm + 1
                                         : 1);
        /* what is left depends on the counters no more */
        m->slots[d->reg] = d->alu_op == SOP_REM || mask ? 0 : m->slots[d->reg];
    }
}

/* Finds how many copies each loop gets. */
static void
survey(Maker *m)
{
    uint32_t open[TIKBLOB_MAX_LOOPS] = {0};
    for (uint32_t i = 0; i < m->k->ndescs; i++) {
        const TikDesc *d = m->k->descs[i];
        m->copies[i] = 1;
        if (d->kind == DESC_LOOP) {
            open[d->slot % TIKBLOB_MAX_LOOPS] = i;
        } else if (d->kind == DESC_ALU) {
            survey_alu(m, d, open);
        } else if (d->kind == DESC_LOAD) {
            m->slots[d->reg] = 0;
        } else if (d->kind == DESC_INSTR && op_table[d->op].form == FORM_FLAG) {
            uint32_t slots = slots_of(m, &d->args[FLAG_event_id].v);
            for (int s = 0; s < TIKBLOB_MAX_LOOPS; s++) {
                const TikDesc *l = m->k->descs[open[s]];
                int64_t trips;
                bool fixed = (slots >> s & 1) != 0 && l->a.kind == NUM_IMM &&
                             l->b.kind == NUM_IMM &&
                             !__builtin_sub_overflow(l->b.imm, l->a.imm, &trips) &&
                             trips > 0 && trips <= SYNC_COPIES;
                want_copies(m, fixed ? 1u << s : 0, open, fixed ? trips : 1);
            }
        }
    }
    if (m->plain) {
        memset(m->copies, 1, m->k->ndescs);
    }
}

static void walk(Maker *m, uint32_t from, uint32_t to);

static void
walk_copies(Maker *m, const TikDesc *d, int32_t loop, const SyncValue *begin,
            Interval counter)
{
    int copies = m->t->loops[loop].copies;
    for (int c = 0; c < copies && !m->failed; c++) {
        SyncTerm round = {SYNC_TERM_LOOP, (uint32_t)m->depth, copies};
        SyncValue v = {begin->sum, counter};
        v.sum.constant += c;
        if (m->t->loops[loop].rounds == 1) {
            round.coef = 0; /* the only round is number 0 */
        }
        if (v.sum.n == SYNC_TERMS) {
            v = new_number(m, counter);
        } else {
            (void)add_term(&v.sum, &round);
        }
        if (v.sum.n == 0) {
            v.range = interval_const(v.sum.constant);
        }
        m->counters[d->slot % TIKBLOB_MAX_LOOPS] = v;
        if (c > 0 && m->t->loops[loop].jumps) {
            forget(m, d->index + 1,
                   d->match); /* the copy before may have left some out */
        }
        walk(m, d->index + 1, d->match);
        m->at = d->match;
        event(m, c == copies - 1 ? SYNC_END : SYNC_COPY, (uint32_t)loop);
        if (!m->failed) {
            m->t->events[m->t->nevents - 1].copy = c;
        }
    }
}

static bool
has_jumps(const SyncKernel *k, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        TikDescKind kind = k->descs[i]->kind;
        if (kind == DESC_BREAK || kind == DESC_CONTINUE || kind == DESC_RETURN) {
            return true;
        }
    }
    return false;
}

static void
walk_loop(Maker *m, const TikDesc *d)
{
    SyncTape *t = m->t;
    SyncValue begin = sync_value(m, &d->a), end = sync_value(m, &d->b);
    int64_t most =
        sat_add(end.range.hi, begin.range.lo == INT64_MIN ? INT64_MAX : -begin.range.lo);
    if (most <= 0) {
        return; /* it has no iteration */
    }
    SyncLoop *l = sync_grow(m, &t->loops, &t->nloops, &t->cap_loops, sizeof *t->loops);
    if (l == NULL) {
        return;
    }
    int32_t loop = (int32_t)t->nloops - 1;
    bool fixed = interval_is_const(begin.range) && interval_is_const(end.range);
    int64_t copies = m->copies[d->index];
    copies = most < copies ? most : copies;
    *l = (SyncLoop){.desc = d->index,
                    .outer = m->loop,
                    .level = ++m->depth,
                    .copies = (int)copies,
                    .trips = fixed ? most : SYNC_NONE,
                    .rounds = div_ceil(most, copies),
                    .jumps = has_jumps(m->k, d->index + 1, d->match)};
    int32_t outer = m->loop;
    Interval counter = interval_between(begin.range.lo, sat_add(end.range.hi, -1));
    m->loop = loop;
    event(m, SYNC_LOOP, (uint32_t)loop);
    forget(m, d->index + 1, d->match);
    walk_copies(m, d, loop, &begin, counter);
    m->loop = outer;
    m->depth--;
    forget(m, d->index + 1, d->match);
}

/* ---- the walk ------------------------------------------------------------ */

static uint32_t
walk_if(Maker *m, const TikDesc *d)
{
    const TikDesc *other = m->k->descs[d->match];
    bool two = other->kind == DESC_ELSE;
    uint32_t end = two ? other->match : d->match;
    event(m, SYNC_IF, 0);
    walk(m, d->index + 1, d->match);
    if (two) {
        forget(m, d->index + 1, d->match);
        m->at = d->match;
        event(m, SYNC_ELSE, 0);
        walk(m, d->match + 1, end);
    }
    forget(m, d->index + 1, end);
    m->at = end;
    event(m, SYNC_ENDIF, 0);
    return end;
}

static uint32_t
flag_index(Maker *m, Pipe from, Pipe to, int id)
{
    SyncTape *t = m->t;
    for (uint32_t i = 0; i < t->nflags; i++) {
        const SyncFlag *f = &t->flags[i];
        if (f->from == from && f->to == to && f->id == id) {
            return i;
        }
    }
    SyncFlag *f = sync_grow(m, &t->flags, &t->nflags, &t->cap_flags, sizeof *t->flags);
    if (f == NULL) {
        return 0;
    }
    *f = (SyncFlag){from, to, id};
    return t->nflags - 1;
}

static void
flag(Maker *m, const TikDesc *d, SyncEventKind kind)
{
    SyncValue id = sync_value(m, &d->args[FLAG_event_id].v);
    if (!interval_is_const(id.range) || id.range.lo < 0 || id.range.lo >= FLAG_IDS) {
        event(m, SYNC_ANY, 0);
        return;
    }
    event(m, kind,
          flag_index(m, (Pipe)d->args[FLAG_pipe].v.imm,
                     (Pipe)d->args[FLAG_trigger_pipe].v.imm, (int)id.range.lo));
}

static void
instr(Maker *m, const TikDesc *d)
{
    switch (op_table[d->op].sem) {
    case SEM_SET_FLAG:
        flag(m, d, SYNC_SET);
        return;
    case SEM_WAIT_FLAG:
        flag(m, d, SYNC_WAIT);
        return;
    case SEM_PIPE_BARRIER: {
        int64_t p = d->args[0].v.imm;
        event(m, p == PIPE_COUNT ? SYNC_ALL : SYNC_BARRIER, (uint32_t)p);
        return;
    }
    case SEM_BLOCK_BARRIER:
        event(m, SYNC_ALL, 0);
        return;
    default:
        event(m, SYNC_STMT, m->t->nstmts);
        sync_note_instr(m, d);
        return;
    }
}

static uint32_t
step(Maker *m, const TikDesc *d)
{
    m->at = d->index;
    switch (d->kind) {
    case DESC_LOOP:
        walk_loop(m, d);
        return d->match;
    case DESC_IF:
        return walk_if(m, d);
    case DESC_ALU:
        alu(m, d);
        break;
    case DESC_LOAD:
    case DESC_STORE:
        event(m, SYNC_STMT, m->t->nstmts);
        sync_note_element(m, d);
        if (d->kind == DESC_LOAD) {
            m->regs[d->reg] = new_number(m, interval_of_type(d->dtype));
        }
        break;
    case DESC_INSTR:
        instr(m, d);
        break;
    case DESC_BREAK:
        event(m, SYNC_BREAK, 0);
        break;
    case DESC_CONTINUE:
        event(m, SYNC_CONTINUE, 0);
        break;
    default: /* RETURN; to the ends of blocks their beginnings lead */
        event(m, SYNC_RETURN, 0);
        break;
    }
    return d->index;
}

static void
walk(Maker *m, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to && !m->failed; i++) {
        if (!m->plain && m->t->nevents > MOST_EVENTS) {
            return;
        }
        i = step(m, m->k->descs[i]);
    }
}

static bool
make(SyncTape *t, const SyncKernel *k, bool plain)
{
    Maker m = {.t = t, .k = k, .plain = plain, .loop = SYNC_NONE};
    *t = (SyncTape){.soc = k->soc, .cores = k->cores};
    m.regs = malloc(((size_t)k->nregs + 1) * sizeof *m.regs);
    m.any = malloc(((size_t)k->nregs + 1) * sizeof *m.any);
    m.slots = calloc((size_t)k->nregs + 1, sizeof *m.slots);
    m.copies = calloc((size_t)k->ndescs + 1, 1);
    m.failed = m.regs == NULL || m.any == NULL || m.slots == NULL || m.copies == NULL;
    for (uint32_t i = 0; !m.failed && i < k->nregs; i++) {
        m.regs[i] = constant_value(0);
    }
    if (!m.failed) {
        sync_any(k, m.any);
        survey(&m);
        walk(&m, 0, k->ndescs);
    }
    free(m.regs);
    free(m.any);
    free(m.slots);
    free(m.copies);
    if (m.failed) {
        sync_tape_free(t);
    }
    return !m.failed;
}

bool
sync_tape_make(SyncTape *t, const SyncKernel *k)
{
    if (!make(t, k, false)) {
        return false;
    }
    if (t->nevents <= MOST_EVENTS) {
        return true;
    }
    sync_tape_free(t);
    return make(t, k, true);
}

void
sync_tape_free(SyncTape *t)
{
    free(t->events);
    free(t->stmts);
    free(t->accesses);
    free(t->loops);
    free(t->numbers);
    free(t->flags);
    *t = (SyncTape){.soc = t->soc};
}

/* ---- kernels of blobs ---------------------------------------------------- */

void
sync_match(TikDesc **descs, uint32_t n)
{
    uint32_t open[TIKBLOB_MAX_LOOPS + TIKBLOB_MAX_IFS + 1];
    uint32_t depth = 0;
    for (uint32_t i = 0; i < n; i++) {
        TikDescKind kind = descs[i]->kind;
        bool closes = kind == DESC_ENDLOOP || kind == DESC_ELSE || kind == DESC_ENDIF;
        if (closes) {
            uint32_t from = open[--depth];
            descs[from]->match = i;
            descs[i]->match = from;
        }
        if (kind == DESC_LOOP || kind == DESC_IF || kind == DESC_ELSE) {
            open[depth++] = i;
        }
    }
}

static bool
read_descs(SyncKernel *k, const TikBlob *b, int kernel)
{
    TikCursor c;
    TikBlobDiag diag;
    TikDesc *d = malloc(sizeof *d);
    tikblob_cursor(&c, b, kernel);
    int more = d == NULL ? -1 : 1;
    while (more > 0 && (more = tikblob_next(&c, d, &diag)) > 0) {
        size_t args = d->kind == DESC_INSTR ? (size_t)tikblob_params(d->op) : 0;
        size_t size = offsetof(TikDesc, args) + args * sizeof d->args[0];
        TikDesc *copy = malloc(size);
        if (copy == NULL) {
            more = -1;
            break;
        }
        memcpy(copy, d, size);
        k->descs[k->ndescs++] = copy;
    }
    free(d);
    return more == 0;
}

SyncKernel *
sync_kernel_new(const TikBlob *b, int kernel)
{
    TikBlobKernel info;
    SyncKernel *k = calloc(1, sizeof *k);
    tikblob_kernel(b, kernel, &info);
    if (k == NULL) {
        return NULL;
    }
    TikBlobRegion *regions = calloc((size_t)info.nregions + 1, sizeof *regions);
    k->soc = b->soc;
    k->choices = &b->choices;
    k->regions = regions;
    k->nregions = info.nregions;
    k->nregs = info.nregs;
    k->cores = (info.flags & TIKBLOB_ANY_CORES) != 0 ? TIKBLOB_MAX_CORES : info.cores;
    k->descs = calloc((size_t)info.ndescriptors + 1, sizeof *k->descs);
    bool ok = regions != NULL && k->descs != NULL;
    for (uint32_t i = 0; ok && i < info.nregions; i++) {
        tikblob_region(b, &info, (int)i, &regions[i]);
    }
    if (!ok || !read_descs(k, b, kernel)) {
        sync_kernel_free(k);
        return NULL;
    }
    sync_match(k->descs, k->ndescs);
    return k;
}

void
sync_kernel_free(SyncKernel *k)
{
    for (uint32_t i = 0; k != NULL && i < k->ndescs; i++) {
        free(k->descs[i]);
    }
    if (k != NULL) {
        free(k->descs);
        free((void *)(uintptr_t)k->regions);
    }
    free(k);
}
