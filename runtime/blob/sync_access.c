/* sync_access.c: what an instruction accesses (see sync.h). Whatever is not known makes
 * an access larger: an operand whose numbers are known only while running accesses its
 * whole region, one whose place is not known too. */
#include "blob/sync_tape.h"

#include <string.h>

enum {
    ANYWHERE_BITS = 48,
    PADDING_AT = SREG_BYTES /* the padding register, after the special registers */
};

/* Special registers that instructions access without an operand, as bytes of SC_SREG:
 * the queue V leaves results in those before OFFSETS; the others are set by the
 * dispatcher and read by every queue. */
enum {
    RESULTS_END = SREG_RPN_OFFSET16,
    STATE_END = PADDING_AT + 8
};

static SyncAccess *
new_access(Maker *m, SyncStmt *s)
{
    SyncTape *t = m->t;
    SyncAccess *a =
        sync_grow(m, &t->accesses, &t->naccesses, &t->cap_accesses, sizeof *t->accesses);
    s->n += a != NULL;
    return a;
}

static void
implied(Maker *m, SyncStmt *s, bool write, int64_t lo, int64_t hi)
{
    SyncAccess *a = new_access(m, s);
    if (a != NULL) {
        *a = (SyncAccess){
            .space = SC_SREG, .region = SYNC_NONE, .write = write, .lo = lo, .hi = hi};
    }
}

/* ---- operands ------------------------------------------------------------ */

static const TikBlobRegion *
region_of(const Maker *m, const TikOperand *o)
{
    return &m->k->regions[o->region];
}

/* Widens an access to all that its operand can reach. */
static void
whole(const Maker *m, const TikOperand *o, SyncAccess *a)
{
    const TikBlobRegion *g = region_of(m, o);
    a->at = (SyncSum){0};
    a->dense = false;
    a->lo = 0;
    a->hi = (int64_t)1 << ANYWHERE_BITS;
    if (g->scope != SC_GM && !g->open) {
        a->lo = g->base;
        a->hi = g->base + scope_granule(g->scope, false, g->bytes);
    }
}

/* Fills at with the place of the operand; false: it is not known. */
static bool
place(Maker *m, const TikOperand *o, SyncSum *at)
{
    const TikBlobRegion *g = region_of(m, o);
    *at = (SyncSum){.constant = o->offset};
    if (g->open || g->kind == TIKBLOB_LIST || g->scope == SC_LMEM) {
        return false;
    }
    if (g->scope != SC_GM) {
        at->constant += g->base;
    }
    for (int i = 0; i < o->nterms; i++) {
        SyncValue v = sync_value(m, &o->terms[i].num);
        if (!sync_sum_add(at, &v.sum, o->terms[i].coef)) {
            return false;
        }
    }
    return true;
}

static void
note_operand(Maker *m, SyncStmt *s, const TikOperand *o, const SyncAccess *like)
{
    const TikBlobRegion *g = region_of(m, o);
    if (g->kind == TIKBLOB_TABLE || (like->lo >= like->hi && like->hi >= 0)) {
        return;
    }
    SyncAccess *a = new_access(m, s);
    if (a == NULL) {
        return;
    }
    *a = *like;
    a->space = g->scope == SC_GM ? SC_COUNT + (int32_t)g->base : (int32_t)g->scope;
    a->region = (int32_t)o->region;
    if (like->hi < 0 || !place(m, o, &a->at)) {
        whole(m, o, a);
    }
}

/* ---- instructions -------------------------------------------------------- */

/* Fills the operands of an instruction; false: some number is not known. */
static bool
bind(Maker *m, const TikDesc *d, CheckInstr *in)
{
    int n;
    bool known = true;
    const ParamInfo *p = form_params(op_table[d->op].form, &n);
    check_begin(in, d->op, n);
    in->soc = m->k->soc;
    in->choices = m->k->choices;
    for (int i = 0; i < n; i++) {
        CheckArg *a = &in->args[i];
        bool tensor =
            p[i].role == ROLE_DST || p[i].role == ROLE_SRC || p[i].role == ROLE_ROOT;
        if (tensor) {
            const TikBlobRegion *g = region_of(m, &d->args[i].t);
            a->t = (CheckTensor){.buffer = d->args[i].t.region,
                                 .scope = g->scope,
                                 .dtype = d->args[i].t.dtype,
                                 .bytes = g->bytes,
                                 .read_only = g->kind == TIKBLOB_TABLE};
        } else if (p[i].role == ROLE_MASK) {
            a->m.form = d->mask_form;
            for (int w = 0; w < mask_words(d->mask_form); w++) {
                SyncValue v = sync_value(m, &d->args[i].mask[w]);
                known = known && interval_is_const(v.range);
                a->m.w[w] = (uint64_t)v.range.lo;
            }
        } else if (p[i].role != ROLE_MASKMODE) {
            SyncValue v = sync_value(m, &d->args[i].v);
            known = known && (interval_is_const(v.range) || p[i].role == ROLE_SCALAR);
            a->v = v.range.lo;
            a->literal = d->args[i].literal;
        }
    }
    return known;
}

bool
sync_roams(Op op)
{
    switch (form_family(op_table[op].form)) {
    case FAM_GATHER:
    case FAM_IMAGE:
    case FAM_LMEM:
    case FAM_SORT:
        return true;
    default:
        return false;
    }
}

/* Whether numbers are those of an instruction that may be correct. */
static bool
is_shape(const Footprint *f)
{
    const int64_t n[] = {f->count0, f->count1, f->len, f->stride0, f->stride1, f->offset};
    for (size_t i = 0; i < sizeof n / sizeof n[0]; i++) {
        if (n[i] < 0 || n[i] >= (int64_t)1 << 40) {
            return false;
        }
    }
    return true;
}

/* Fills lo, hi of an operand that begins at byte 0; hi -1: not known. */
static void
bytes_of(const CheckInstr *in, int param, bool known, SyncAccess *a)
{
    bool exact;
    a->hi = -1;
    a->dense = false;
    if (!known || sync_roams(in->op)) {
        return;
    }
    Footprint f = check_footprint(in, param, &exact);
    if (!is_shape(&f)) {
        return;
    }
    int64_t end = footprint_end(&f);
    const int64_t ends[] = {check_extent(in, param), check_overlap_end(in, param)};
    a->lo = f.offset;
    a->hi = end;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        a->hi = ends[i] > a->hi ? ends[i] : a->hi;
    }
    a->dense =
        exact && a->hi == end && f.count1 == 1 && (f.count0 == 1 || f.stride0 == f.len);
}

/* A product that adds to so few blocks of L0C that the next one would come too early;
 * yes if its numbers are not known. */
static bool
is_short_product(const CheckInstr *in, bool known)
{
    Form form = op_table[in->op].form;
    int m = form_slot(form, ROLE_INT, "matrix_m");
    int n = form_slot(form, ROLE_INT, "matrix_n");
    return !known || (check_reads_dst(in) &&
                      div_ceil(in->args[m].v, 16) * div_ceil(in->args[n].v, 16) < 10);
}

/* The sides of the pairs of isa/queue.def on which an access is. An atomic mode is not
 * known here: moves are taken for ones that overwrite. */
static uint8_t
pairs_of(const CheckInstr *in, Pipe pipe, bool write, bool known)
{
    int src = form_slot(op_table[in->op].form, ROLE_SRC, NULL);
    if ((pipe == PIPE_MTE2 || pipe == PIPE_MTE3) && write) {
        return SYNC_FIRST | SYNC_LATER;
    }
    if (pipe == PIPE_V) {
        bool leaves = write && src >= 0 && in->args[src].t.scope == SC_L0C;
        return (uint8_t)(SYNC_LATER | (leaves ? SYNC_FIRST : 0));
    }
    if (pipe == PIPE_M && write && op_table[in->op].sem == SEM_MMAD) {
        return (uint8_t)(SYNC_FIRST | (is_short_product(in, known) ? SYNC_LATER : 0));
    }
    return 0;
}

static SyncStmt *
new_stmt(Maker *m, Pipe pipe)
{
    SyncTape *t = m->t;
    SyncStmt *s = sync_grow(m, &t->stmts, &t->nstmts, &t->cap_stmts, sizeof *t->stmts);
    if (s != NULL) {
        *s = (SyncStmt){.desc = m->at,
                        .pipe = pipe,
                        .loop = m->loop,
                        .at = t->nevents - 1,
                        .first = t->naccesses};
    }
    return s;
}

static void
note_registers(Maker *m, SyncStmt *s, const TikDesc *d)
{
    Sem sem = op_table[d->op].sem;
    if (s->pipe != PIPE_S) {
        implied(m, s, false, RESULTS_END, STATE_END);
    } else if (sem == SEM_SET_PADDING) {
        implied(m, s, true, PADDING_AT, STATE_END);
    }
    if (s->pipe == PIPE_V) {
        implied(m, s, true, 0, RESULTS_END);
    }
}

void
sync_note_instr(Maker *m, const TikDesc *d)
{
    int n;
    CheckInstr in;
    const ParamInfo *p = form_params(op_table[d->op].form, &n);
    bool known = bind(m, d, &in);
    SyncStmt *s = new_stmt(m, flag_pipe(&in));
    if (s == NULL) {
        return;
    }
    for (int i = 0; i < n; i++) {
        SyncAccess a = {.write = p[i].role == ROLE_DST};
        if (p[i].role == ROLE_DST || p[i].role == ROLE_SRC) {
            bytes_of(&in, i, known, &a);
            a.pairs = pairs_of(&in, s->pipe, a.write, known);
            note_operand(m, s, &d->args[i].t, &a);
        }
    }
    note_registers(m, s, d);
}

void
sync_note_element(Maker *m, const TikDesc *d)
{
    SyncStmt *s = new_stmt(m, PIPE_S);
    SyncAccess a = {
        .write = d->kind == DESC_STORE, .dense = true, .hi = dtype_size(d->dtype)};
    if (s != NULL) {
        note_operand(m, s, &d->operand, &a);
    }
}
