/* fusion.c: lowers fused scopes (passes/fuse.c): one loop over the elements of all their
 * instructions. An iteration takes a chunk of every operand, a vector or two, from memory
 * into registers; the instructions compute in program order; what later code may read is
 * stored at the end. Chunks of dropped buffers are never stored.
 *
 * Each instruction is lowered by its family as usual, which hands its job to
 * lower_fused_lanes instead of making a loop of its own. The loop is a helper function
 * that is made from the jobs; equal loops share one.
 *
 * Runs of unequal length are one loop over the shortest of them; what remains of each
 * instruction follows. The last elements that fill no chunk use masked loads and stores
 * or, on machines without those, memory of the helper's own. */
#include "host/lower/fusion.h"
#include "host/lower/guard.h"
#include "isa/operand.h"

#include <string.h>

/* ---- collecting ---------------------------------------------------------- */

static bool
is_dropped(const Lower *l, StmtId scope, BufId b)
{
    const Stmt *s = &l->k->stmts.p[scope];
    for (uint32_t i = 0; i < s->scope.ndrops; i++) {
        if (l->k->drops.p[s->scope.drop + i] == b) {
            return true;
        }
    }
    return false;
}

static int
operand_of(Lower *l, Fusion *f, const IterationOperand *o, int64_t pitch)
{
    for (int i = 0; i < f->noperands; i++) {
        FusedOperand *have = &f->operand[i];
        if (have->buf == o->ref.buf && have->off == o->ref.off && have->pitch == pitch &&
            have->bits == o->bits &&
            (o->bits || dtype_size(have->dtype) == dtype_size(o->ref.dtype))) {
            return i;
        }
    }
    if (f->noperands == MOST_OPERANDS) {
        ICE("statement %u has more operands than a loop", (unsigned)f->scope);
    }
    f->operand[f->noperands] = (FusedOperand){.buf = o->ref.buf,
                                              .off = o->ref.off,
                                              .dtype = o->ref.dtype,
                                              .pitch = pitch,
                                              .bits = o->bits,
                                              .blind = l->blind[o->ref.buf],
                                              .at = lower_ref(l, &o->ref)};
    return f->noperands++;
}

static void
add_member(Lower *l, Fusion *f, StmtId s, FusedMember *m)
{
    Iteration it;
    bool taken = m->result != NULL ? iteration_sink(l->k, &l->k->stmts.p[s], &it)
                                   : member_iteration(l->k, &f->now, &it);
    if (!taken || f->n == MOST_MEMBERS) {
        ICE("statement %u is no part of a loop", (unsigned)s);
    }
    m->run = f->now.run != 0;
    m->rows = it.rows;
    m->lanes = it.lanes;
    m->n = it.n;
    for (int i = 0; i < it.n; i++) {
        IterationOperand *o = &it.op[i];
        int64_t pitch = f->flat   ? 0
                        : it.flat ? f->row_lanes * dtype_size(o->ref.dtype)
                                  : o->pitch;
        m->dtype[i] = o->ref.dtype;
        m->operand[i] = operand_of(l, f, o, pitch);
        if (o->writes && !is_dropped(l, f->scope, o->ref.buf)) {
            f->operand[m->operand[i]].stored = true;
        }
    }
    f->member[f->n++] = *m;
}

void
lower_fused_lanes(Lower *l, StmtId s, const LaneJob *job)
{
    FusedMember m = {.job = *job, .scalar = job->scalar, .scalar_type = job->scalar_type};
    int n;
    const ParamInfo *params = form_params(op_table[l->k->stmts.p[s].instr.op].form, &n);
    for (int i = 0; i < n && m.scalar == NULL; i++) {
        if (params[i].role == ROLE_SCALAR) {
            ExprId e = l->k->args.p[l->k->stmts.p[s].instr.arg + (uint32_t)i].expr;
            m.scalar = lower_expr(l, e, s);
            m.scalar_type = (Dtype)ir_expr(l->k, e)->dtype;
        }
    }
    add_member(l, l->fusion, s, &m);
}

void
lower_fused_move(Lower *l, StmtId s)
{
    FusedMember m = {0};
    add_member(l, l->fusion, s, &m);
}

void
lower_fused_sink(Lower *l, StmtId s)
{
    const Stmt *st = &l->k->stmts.p[s];
    FusedMember m = {.result =
                         lower_ref(l, &l->k->args.p[st->instr.arg + ALLADD_dst].ref)};
    add_member(l, l->fusion, s, &m);
}

/* Makes chunks smaller that a short run would not fill. */
static void
shrink_chunks(const Lower *l, Fusion *f, const ScopeMember *first, int widest)
{
    Iteration it;
    (void)member_iteration(l->k, first, &it);
    int64_t count = count_known(it.lanes) ? it.lanes.times : 0;
    int lanes = f->lanes;
    while (count % lanes != 0 && lanes * widest > BLOCK_BYTES) {
        lanes /= 2;
    }
    f->lanes = count % lanes == 0 && count / lanes <= FEW_STEPS ? lanes : f->lanes;
}

/* Finds out whether the loop is over rows, and of how many elements. */
static void
find_shape(const Lower *l, Fusion *f, const ScopeMember *m, int n)
{
    Iteration it;
    int widest = 1;
    bool sinks = false;
    f->flat = true;
    for (int j = 0; j < n; j++) {
        bool sink = iteration_sink(l->k, &l->k->stmts.p[m[j].stmt], &it);
        sinks = sinks || sink;
        if (!sink && !member_iteration(l->k, &m[j], &it)) {
            ICE("statement %u is no part of a loop", (unsigned)m[j].stmt);
        }
        for (int i = 0; i < it.n; i++) {
            widest = it.op[i].bits ? widest : MAX(widest, dtype_size(it.op[i].ref.dtype));
        }
        if (!it.flat) {
            f->flat = false;
            f->row_lanes = it.lanes.times;
        }
    }
    f->lanes = sinks ? REPEAT_BYTES / 4 : CHUNK_BYTES / widest;
    while (!f->flat && f->lanes / 2 >= f->row_lanes && f->lanes * widest > BLOCK_BYTES) {
        f->lanes /= 2;
    }
    if (l->loop != NULL && f->flat && !sinks) {
        shrink_chunks(l, f, m, widest);
    }
}

/* ---- one chunk ----------------------------------------------------------- */

static LLVMValueRef
element_at(Lower *l, const Chunk *c, int operand)
{
    const FusedOperand *o = &c->f->operand[operand];
    LLVMTypeRef element = o->bits ? l->i8 : lower_bits_type(l, o->dtype, 0);
    LLVMValueRef first = c->first;
    if (o->bits) {
        first = LLVMBuildLShr(l->b, first, lower_const(l, 3), "");
    }
    return LLVMBuildGEP2(l->b, element, c->at[operand], &first, 1, "");
}

static LLVMValueRef
rest_bytes(Lower *l, const Chunk *c, Dtype t)
{
    return LLVMBuildMul(l->b, c->rest, lower_const(l, dtype_size(t)), "");
}

/* Loops with bits have no chunks that are not full. */
static LLVMValueRef
load_bits(Lower *l, const Chunk *c, LLVMValueRef at)
{
    unsigned lanes = (unsigned)c->f->lanes;
    LLVMTypeRef type = LLVMVectorType(LLVMInt1TypeInContext(l->ctx), lanes);
    LLVMValueRef v = LLVMBuildLoad2(l->b, LLVMIntTypeInContext(l->ctx, lanes), at, "");
    LLVMSetAlignment(v, 1);
    return LLVMBuildBitCast(l->b, v, type, "");
}

static void
store_bits(Lower *l, const Chunk *c, LLVMValueRef at, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMIntTypeInContext(l->ctx, (unsigned)c->f->lanes);
    v = LLVMBuildBitCast(l->b, v, type, "");
    LLVMSetAlignment(LLVMBuildStore(l->b, v, at), 1);
}

static LLVMValueRef
load_chunk(Lower *l, const Chunk *c, int operand)
{
    Dtype t = c->f->operand[operand].dtype;
    LLVMTypeRef type = lower_bits_type(l, t, c->f->lanes);
    LLVMValueRef at = element_at(l, c, operand);
    if (c->f->operand[operand].bits) {
        return load_bits(l, c, at);
    }
    if (c->mask == NULL && c->f->operand[operand].ahead != 0) {
        lower_prefetch(l, at, c->f->operand[operand].ahead,
                       (int64_t)c->f->lanes * dtype_size(t), false);
    }
    if (c->mask != NULL && l->target->masked_stores) {
        LLVMTypeRef types[2] = {type, l->ptr};
        LLVMValueRef args[4] = {at, lower_const32(l, 1), c->mask, LLVMConstNull(type)};
        return lower_intrinsic(l, "llvm.masked.load", types, 2, args, 4);
    }
    if (c->mask != NULL) {
        LLVMValueRef own = lower_helper_alloca(l, type, "rest");
        LLVMBuildMemCpy(l->b, own, 1, at, 1, rest_bytes(l, c, t));
        at = own;
    }
    LLVMValueRef v = LLVMBuildLoad2(l->b, type, at, "");
    LLVMSetAlignment(v, 1);
    return v;
}

static void
store_chunk(Lower *l, const Chunk *c, int operand, LLVMValueRef v)
{
    const FusedOperand *o = &c->f->operand[operand];
    LLVMValueRef at = element_at(l, c, operand);
    if (o->bits) {
        store_bits(l, c, at, v);
        return;
    }
    if (c->f->streams && o->staged) {
        stage_store(l, c, o, v);
        return;
    }
    if (l->trusts_fit && v == l->fits.canonical) {
        fit_store(l, c, at);
        return;
    }
    if (c->mask != NULL && l->target->masked_stores) {
        LLVMTypeRef types[2] = {LLVMTypeOf(v), l->ptr};
        LLVMValueRef args[4] = {v, at, lower_const32(l, 1), c->mask};
        lower_intrinsic(l, "llvm.masked.store", types, 2, args, 4);
        return;
    }
    if (c->mask != NULL) {
        LLVMValueRef own = lower_helper_alloca(l, LLVMTypeOf(v), "rest");
        LLVMSetAlignment(LLVMBuildStore(l->b, v, own), 1);
        LLVMBuildMemCpy(l->b, at, 1, own, 1, rest_bytes(l, c, o->dtype));
        return;
    }
    LLVMValueRef st = LLVMBuildStore(l->b, v, at);
    bool lines = c->f->lanes * dtype_size(o->dtype) % CACHE_LINE == 0;
    LLVMSetAlignment(st, o->streams && c->f->streams && lines ? CACHE_LINE : 1);
    if (o->streams && c->f->streams && lines) {
        unsigned kind = LLVMGetMDKindIDInContext(l->ctx, "nontemporal", 11);
        LLVMSetMetadata(st, kind, l->nontemporal);
    }
}

static LLVMValueRef
value_of(Lower *l, Chunk *c, int operand)
{
    if (c->value[operand] == NULL) {
        c->value[operand] = load_chunk(l, c, operand);
    }
    return c->value[operand];
}

static void
compute_member(Lower *l, Chunk *c, int i)
{
    const FusedMember *m = &c->f->member[i];
    LLVMValueRef v[LANE_OPERANDS + 1] = {NULL};
    if (m->result != NULL) {
        sink_take(l, c, i, value_of(l, c, m->operand[0]));
        return;
    }
    if (m->job.compute == NULL) {
        c->value[m->operand[0]] = value_of(l, c, m->operand[1]);
        return;
    }
    LaneShape sh = {.name = m->job.name,
                    .mode = m->job.mode,
                    .variant = m->job.variant,
                    .lanes = c->f->lanes,
                    .mask = LANES_FULL,
                    .n = m->n,
                    .scalar = m->scalar_type};
    /* A comparison has no lanes that it writes; what selects comes after the lanes. */
    int skip = m->job.bits == BITS_WRITE;
    sh.n = m->n - (m->job.bits != BITS_NONE);
    for (int j = skip; j < m->n; j++) {
        if (j - skip < sh.n) {
            sh.dtype[j - skip] = m->dtype[j];
        }
        if (j > 0 || m->job.reads_dst) {
            v[j - skip] = value_of(l, c, m->operand[j]);
        }
    }
    LLVMValueRef scalar =
        m->scalar == NULL ? NULL : lower_splat(l, c->scalar[i], c->f->lanes);
    c->value[m->operand[0]] = m->job.compute(l, &sh, v, scalar);
}

/* ---- NaNs of a chunk ----------------------------------------------------- */

enum {
    TESTED_LANES = 16 /* of float32 that are tested at a time */
};

typedef struct NanTest {
    LLVMValueRef left, any; /* lanes that wait for others; (vector of i1) the answer */
} NanTest;

static void
test_pair(Lower *l, NanTest *t, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef nan = LLVMBuildFCmp(l->b, LLVMRealUNO, a, b, "");
    t->any = t->any == NULL ? nan : LLVMBuildOr(l->b, t->any, nan, "");
}

/* One comparison finds a NaN in either of two numbers. */
static void
test_numbers(Lower *l, NanTest *t, LLVMValueRef numbers, int lanes)
{
    int n = MIN(lanes, TESTED_LANES);
    for (int i = 0; i < lanes; i += n) {
        LLVMValueRef v = lower_part(l, numbers, i, n);
        if (t->left == NULL) {
            t->left = v;
        } else {
            test_pair(l, t, t->left, v);
            t->left = NULL;
        }
    }
}

/* Makes the NaNs of what the chunk stores canonical: usually there are none, so one
 * branch takes the place of a select for each value. */
static void
settle_nans(Lower *l, Chunk *c)
{
    const RawValue *raw[MOST_OPERANDS] = {NULL};
    NanTest t = {NULL, NULL};
    for (int i = 0; i < c->f->noperands; i++) {
        const RawValue *r = c->f->operand[i].stored && c->mask == NULL
                                ? lower_raw_value(l, c->value[i])
                                : NULL;
        if (r != NULL && c->f->operand[i].blind) {
            c->value[i] = r->raw;
        } else if (r != NULL && r->numbers != NULL) {
            raw[i] = r;
            test_numbers(l, &t, r->numbers, c->f->lanes);
        }
    }
    if (t.left != NULL) {
        test_pair(l, &t, t.left, t.left);
    }
    if (t.any == NULL) {
        return;
    }
    Rare rare;
    lower_rare_begin(l, &rare, t.any, NULL);
    LLVMBasicBlockRef fix = LLVMGetInsertBlock(l->b);
    LLVMBuildBr(l->b, rare.done);
    LLVMPositionBuilderAtEnd(l->b, rare.done);
    for (int i = 0; i < c->f->noperands; i++) {
        if (raw[i] != NULL) {
            LLVMValueRef v = LLVMBuildPhi(l->b, LLVMTypeOf(raw[i]->raw), "");
            LLVMValueRef usual = raw[i]->raw, canonical = raw[i]->canonical;
            LLVMAddIncoming(v, &usual, &rare.from, 1);
            LLVMAddIncoming(v, &canonical, &fix, 1);
            c->value[i] = v;
        }
    }
}

/* rest: the number of elements of a chunk that is not full; null: it is full. */
static void
build_chunk(Lower *l, Chunk *c, LLVMValueRef first, LLVMValueRef rest)
{
    c->first = first;
    c->rest = rest;
    c->mask = rest == NULL ? NULL : lower_count_mask(l, c->f->lanes, rest);
    memset(c->value, 0, sizeof c->value);
    l->raw.n = 0;
    fusion_build_hints(l, c);
    for (int i = 0; i < c->f->n; i++) {
        compute_member(l, c, i);
    }
    settle_nans(l, c);
    for (int i = 0; i < c->f->noperands; i++) {
        if (c->f->operand[i].stored) {
            store_chunk(l, c, i, c->value[i]);
        }
    }
}

/* ---- loops --------------------------------------------------------------- */

typedef struct Loop {
    LLVMBasicBlockRef body, exit;
    LLVMValueRef index, end;
    int64_t step;
} Loop;

/* Begins a loop of the index from 0 to end, a multiple of step. */
static void
loop_begin(Lower *l, Loop *p)
{
    LLVMBasicBlockRef from = LLVMGetInsertBlock(l->b);
    LLVMValueRef zero = lower_const(l, 0);
    p->body = lower_block(l, "body");
    p->exit = lower_block(l, "exit");
    LLVMValueRef any = LLVMBuildICmp(l->b, LLVMIntSGT, p->end, zero, "");
    LLVMBuildCondBr(l->b, any, p->body, p->exit);
    LLVMPositionBuilderAtEnd(l->b, p->body);
    p->index = LLVMBuildPhi(l->b, l->i64, "i");
    LLVMAddIncoming(p->index, &zero, &from, 1);
}

static void
loop_end(Lower *l, Loop *p)
{
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(l->b);
    LLVMValueRef next = LLVMBuildAdd(l->b, p->index, lower_const(l, p->step), "");
    LLVMAddIncoming(p->index, &next, &latch, 1);
    LLVMValueRef more = LLVMBuildICmp(l->b, LLVMIntSLT, next, p->end, "");
    LLVMBuildCondBr(l->b, more, p->body, p->exit);
    LLVMPositionBuilderAtEnd(l->b, p->exit);
}

/* Builds a run of chunks, some of them in each iteration of a loop. */
static void
build_unrolled_run(Lower *l, Chunk *c, LLVMValueRef elems)
{
    Walks w;
    LLVMBasicBlockRef from = LLVMGetInsertBlock(l->b);
    Loop p = {.end = elems, .step = (int64_t)c->f->unrolled * c->f->lanes};
    loop_begin(l, &p);
    walks_begin(l, &w, c, p.step, from);
    for (int i = 0; i < c->f->unrolled; i++) {
        build_chunk(l, c, lower_const(l, (int64_t)i * c->f->lanes), NULL);
    }
    walks_end(l, &w);
    loop_end(l, &p);
}

/* Builds the chunks of a run of elements that is known only at run time. */
static void
build_run(Lower *l, Chunk *c, LLVMValueRef elems)
{
    if (c->f->unrolled > 0) {
        build_unrolled_run(l, c, elems);
        return;
    }
    LLVMValueRef low = lower_const(l, c->f->whole ? 0 : c->f->lanes - 1);
    LLVMValueRef rest = LLVMBuildAnd(l->b, elems, low, "");
    Loop p = {.end = LLVMBuildSub(l->b, elems, rest, ""), .step = c->f->lanes};
    loop_begin(l, &p);
    build_chunk(l, c, p.index, NULL);
    loop_end(l, &p);
    if (c->f->whole) {
        return;
    }
    LLVMBasicBlockRef some = lower_block(l, "rest");
    LLVMBasicBlockRef done = lower_block(l, "done");
    LLVMValueRef any = LLVMBuildICmp(l->b, LLVMIntSGT, rest, lower_const(l, 0), "");
    LLVMBuildCondBr(l->b, any, some, done);
    LLVMPositionBuilderAtEnd(l->b, some);
    build_chunk(l, c, p.end, rest);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, done);
}

/* Builds a run that converts to float16 as if all fitted, and again if it did not. */
static void
build_fitting_run(Lower *l, Chunk *c, LLVMValueRef elems)
{
    Rare rare;
    l->trusts_fit = true;
    build_run(l, c, elems);
    l->trusts_fit = false;
    lower_rare_begin(l, &rare, fit_any_unfit(l, c, elems), NULL);
    build_run(l, c, elems);
    LLVMBuildBr(l->b, rare.done);
    LLVMPositionBuilderAtEnd(l->b, rare.done);
}

static void
build_rows(Lower *l, Chunk *c, LLVMValueRef rows, LLVMValueRef *start)
{
    int64_t rest = c->f->row_lanes % c->f->lanes, whole = c->f->row_lanes - rest;
    Loop p = {.end = rows, .step = 1};
    int staged = fusion_staged(c->f);
    if (staged >= 0) {
        stage_begin(l, c, start[staged]);
    }
    loop_begin(l, &p);
    for (int i = 0; i < c->f->noperands; i++) {
        LLVMValueRef off =
            LLVMBuildMul(l->b, p.index, lower_const(l, c->f->operand[i].pitch), "");
        c->at[i] = LLVMBuildGEP2(l->b, l->i8, start[i], &off, 1, "");
    }
    if (whole == c->f->lanes) {
        build_chunk(l, c, lower_const(l, 0), NULL);
    } else if (whole > 0) {
        Loop q = {.end = lower_const(l, whole), .step = c->f->lanes};
        loop_begin(l, &q);
        build_chunk(l, c, q.index, NULL);
        loop_end(l, &q);
    }
    if (rest > 0) {
        build_chunk(l, c, lower_const(l, whole), lower_const(l, rest));
    }
    if (staged >= 0) {
        stage_end_row(l, c, c->f->operand[staged].pitch);
    }
    loop_end(l, &p);
    if (staged >= 0) {
        stage_end(l, c);
    }
}

/* ---- helpers ------------------------------------------------------------- */

/* Returns text that is equal for loops that have the same code. */
static const char *
key_of(Lower *l, const Fusion *f)
{
    Text t;
    text_init(&t, l->arena);
    text_printf(&t, "%d %d %d %lld %d %d %d %d", f->flat, f->whole, f->unrolled,
                (long long)f->row_lanes, f->lanes, f->streams, f->fit,
                f->fit < 0 ? 0 : f->fit_lanes);
    for (int i = 0; i < f->noperands; i++) {
        const FusedOperand *o = &f->operand[i];
        text_printf(&t, ";%d %lld %d %d %lld", (int)o->dtype, (long long)o->pitch,
                    o->stored, o->streams + 2 * o->staged + 4 * o->bits + 8 * o->blind,
                    (long long)o->ahead);
    }
    for (int i = 0; i < f->nhints; i++) {
        const FusedHint *h = &f->hint[i];
        text_printf(&t, ";ahead %d %d", h->bytes, h->writes);
        if (h->row != 0) {
            text_printf(&t, " %lld %lld %lld", (long long)h->row, (long long)h->pitch,
                        (long long)h->from);
        }
    }
    for (int i = 0; i < f->n; i++) {
        const FusedMember *m = &f->member[i];
        if (m->result != NULL) {
            text_printf(&t, ";sum %lld", (long long)m->lanes.times);
        }
        text_printf(&t, ";%s %u %u %d %d", m->job.compute ? m->job.name : "move",
                    m->job.mode, m->job.variant, (int)m->scalar_type, m->job.reads_dst);
        for (int j = 0; j < m->n; j++) {
            text_printf(&t, " %d:%d", m->operand[j], (int)m->dtype[j]);
        }
    }
    return t.p;
}

/* Returns the number of the loop with that code; a new one has the next number. */
static uint32_t
loop_number(Lower *l, const char *key)
{
    for (uint32_t i = 0; i < l->loops.n; i++) {
        if (strcmp(l->loops.p[i], key) == 0) {
            return i;
        }
    }
    VEC_PUSH(l->arena, &l->loops, key);
    return l->loops.n - 1;
}

static const char *
loop_name(Lower *l, const Fusion *f)
{
    const char *key = key_of(l, f);
    return l->store.has != NULL
               ? arena_printf(l->arena, "tik.loop %s", key)
               : arena_printf(l->arena, "tik.loop.%u", loop_number(l, key));
}

static int
params_of(Lower *l, const Fusion *f, LLVMTypeRef *types)
{
    int n = 0;
    types[n++] = l->i64;
    for (int i = 0; i < f->noperands; i++) {
        types[n++] = l->ptr;
    }
    for (int i = 0; i < f->n; i++) {
        if (f->member[i].scalar != NULL) {
            types[n++] = lower_bits_type(l, f->member[i].scalar_type, 0);
        }
        if (f->member[i].result != NULL) {
            types[n++] = l->ptr;
        }
    }
    for (int i = 0; i < f->nhints; i++) {
        types[n++] = l->ptr;
    }
    return n;
}

static void
build_helper(Lower *l, const Fusion *f, Helper *h)
{
    Chunk c = {.f = f};
    LLVMValueRef start[MOST_OPERANDS];
    unsigned p = 1;
    for (int i = 0; i < f->noperands; i++) {
        start[i] = c.at[i] = LLVMGetParam(h->fn, p++);
    }
    for (int i = 0; i < f->n; i++) {
        c.scalar[i] = f->member[i].scalar != NULL ? LLVMGetParam(h->fn, p++) : NULL;
        c.result[i] = f->member[i].result != NULL ? LLVMGetParam(h->fn, p++) : NULL;
    }
    for (int i = 0; i < f->nhints; i++) {
        c.hint[i] = LLVMGetParam(h->fn, p++);
    }
    sinks_begin(l, &c);
    l->in_chunk = true;
    if (f->fit >= 0) {
        build_fitting_run(l, &c, LLVMGetParam(h->fn, 0));
    } else if (f->flat) {
        build_run(l, &c, LLVMGetParam(h->fn, 0));
    } else {
        build_rows(l, &c, LLVMGetParam(h->fn, 0), start);
    }
    l->in_chunk = false;
    sinks_end(l, &c);
    lower_helper_end(l, h);
}

/* Returns whether the number of elements fills all chunks: then a loop needs no code for
 * a rest, which is as much as that for the chunks. */
static bool
fills_chunks(const Fusion *f, LLVMValueRef count)
{
    bool known = LLVMIsAConstantInt(count) != NULL;
    return f->flat &&
           (known ? LLVMConstIntGetSExtValue(count) % f->lanes == 0 : f->multiples);
}

static int64_t
known_count(LLVMValueRef count)
{
    return LLVMIsAConstantInt(count) != NULL ? LLVMConstIntGetSExtValue(count) : 0;
}

/* A call, its arguments and the test of the loop cost more than a few chunks do, so in a
 * loop of the program these are written where they are needed. Elsewhere code is compiled
 * in less time if equal loops share it. */
static bool
is_short(const Lower *l, const Fusion *f, int64_t count)
{
    return l->loop != NULL && count > 0 && f->fit < 0 && !fusion_has_sink(f) &&
           count / f->lanes * f->n <= FEW_STEPS;
}

static void
build_here(Lower *l, const Fusion *f, int64_t count)
{
    Chunk c = {.f = f};
    for (int i = 0; i < f->noperands; i++) {
        c.at[i] = f->operand[i].at;
    }
    for (int i = 0; i < f->n; i++) {
        c.scalar[i] = f->member[i].scalar;
    }
    for (int i = 0; i < f->nhints; i++) {
        c.hint[i] = f->hint[i].at;
    }
    l->in_chunk = true;
    for (int64_t first = 0; first < count; first += f->lanes) {
        build_chunk(l, &c, lower_const(l, first), NULL);
    }
    l->in_chunk = false;
}

bool
fusion_has_function(const Fusion *f)
{
    for (int i = 0; i < f->n; i++) {
        const LaneJob *job = &f->member[i].job;
        if (job->compute == lower_vector_compute && lower_is_map((Sem)job->mode)) {
            return true;
        }
    }
    return false;
}

/* Returns how many chunks an iteration of a loop over that many elements has, 0: unknown.
 * Loops over rows, with a sum or a conversion to float16, follow each other, and a
 * machine that looks ahead from one into the next looks further where these are shorter.
 */
static int
chunks_at_once(const Fusion *f, int64_t elems)
{
    bool row = (fusion_has_sink(f) || f->fit >= 0) && !fusion_has_function(f);
    if (elems == 0 || !row) {
        return 0;
    }
    return elems % ((int64_t)UNROLLED * f->lanes) == 0 ? UNROLLED : 1;
}

static void
call_loop(Lower *l, Fusion *f, LLVMValueRef count)
{
    LLVMTypeRef types[MOST_PARAMS];
    LLVMValueRef args[MOST_PARAMS];
    int nparams = params_of(l, f, types);
    Helper h;
    f->whole = fills_chunks(f, count);
    int64_t known = f->whole ? known_count(count) : 0;
    fusion_find_fit(l, f, known);
    if (is_short(l, f, known)) {
        build_here(l, f, known);
        return;
    }
    f->unrolled = chunks_at_once(f, known);
    if (lower_helper_begin(l, &h, loop_name(l, f), types, nparams)) {
        build_helper(l, f, &h);
    }
    int n = 0;
    args[n++] = count;
    for (int i = 0; i < f->noperands; i++) {
        args[n++] = f->operand[i].at;
    }
    for (int i = 0; i < f->n; i++) {
        if (f->member[i].scalar != NULL) {
            args[n++] = f->member[i].scalar;
        }
        if (f->member[i].result != NULL) {
            args[n++] = f->member[i].result;
        }
    }
    for (int i = 0; i < f->nhints; i++) {
        args[n++] = f->hint[i].at;
    }
    lower_helper_call(l, &h, args, n);
}

/* ---- streams ------------------------------------------------------------- */

/* Calls the loop for the elements before the first whole line, as usual, and for the
 * others past the caches. */
static void
call_from_line(Lower *l, const Fusion *all, LLVMValueRef head, LLVMValueRef count)
{
    LLVMBasicBlockRef some = lower_block(l, "head");
    LLVMBasicBlockRef line = lower_block(l, "line");
    Fusion *f = arena_copy(l->arena, all, sizeof *all);
    LLVMValueRef less = LLVMBuildICmp(l->b, LLVMIntSLT, head, count, "");
    head = LLVMBuildSelect(l->b, less, head, count, "");
    LLVMValueRef any = LLVMBuildICmp(l->b, LLVMIntSGT, head, lower_const(l, 0), "");
    LLVMBuildCondBr(l->b, any, some, line);
    LLVMPositionBuilderAtEnd(l->b, some);
    f->multiples = false;
    fusion_forget_streams(f);
    call_loop(l, f, head);
    LLVMBuildBr(l->b, line);
    LLVMPositionBuilderAtEnd(l->b, line);
    *f = *all;
    f->multiples = false;
    f->streams = true;
    for (int i = 0; i < f->noperands; i++) {
        LLVMValueRef size = lower_const(l, dtype_size(f->operand[i].dtype));
        LLVMValueRef skip = LLVMBuildMul(l->b, head, size, "");
        f->operand[i].at = LLVMBuildGEP2(l->b, l->i8, f->operand[i].at, &skip, 1, "");
    }
    call_loop(l, f, LLVMBuildSub(l->b, count, head, ""));
}

static void
call_streaming(Lower *l, Fusion *f, LLVMValueRef count)
{
    LLVMBasicBlockRef past = lower_block(l, "past");
    LLVMBasicBlockRef plain = lower_block(l, "plain");
    LLVMBasicBlockRef done = lower_block(l, "streamed");
    LLVMValueRef head = fusion_before_line(l, f);
    LLVMBuildCondBr(l->b, fusion_begins_at_lines(l, f, head), past, plain);
    LLVMPositionBuilderAtEnd(l->b, past);
    if (head != NULL) {
        call_from_line(l, f, head, count);
    } else {
        f->streams = true;
        call_loop(l, f, count);
    }
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, plain);
    f->streams = false;
    fusion_forget_streams(f);
    call_loop(l, f, count);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, done);
}

/* ---- lengths ------------------------------------------------------------- */

static LLVMValueRef
number_of(Lower *l, Count c, StmtId s)
{
    return c.of == 0 ? lower_const(l, c.times)
                     : LLVMBuildMul(l->b, lower_number(l, c.of, s),
                                    lower_const(l, c.times), "");
}

/* Returns whether all instructions have whole chunks, however many. */
static bool
has_multiples(const Fusion *f)
{
    for (int i = 0; i < f->n; i++) {
        if (f->member[i].lanes.times % f->lanes != 0) {
            return false;
        }
    }
    return true;
}

static LLVMValueRef
at_least_none(Lower *l, LLVMValueRef elems)
{
    LLVMValueRef none = lower_const(l, 0);
    LLVMValueRef any = LLVMBuildICmp(l->b, LLVMIntSGT, elems, none, "");
    return LLVMBuildSelect(l->b, any, elems, none, "");
}

/* Returns the least number of elements; *equal: all instructions have that many. */
static LLVMValueRef
least_elems(Lower *l, Fusion *f, bool *equal)
{
    LLVMValueRef least = NULL;
    *equal = true;
    for (int i = 0; i < f->n; i++) {
        FusedMember *m = &f->member[i];
        m->elems = number_of(l, m->lanes, f->scope);
        if (m->run) {
            m->elems = at_least_none(l, m->elems);
        }
        *equal = *equal && count_same(m->lanes, f->member[0].lanes);
        if (least == NULL || i == 0) {
            least = m->elems;
            continue;
        }
        LLVMValueRef less = LLVMBuildICmp(l->b, LLVMIntSLT, m->elems, least, "");
        least = LLVMBuildSelect(l->b, less, m->elems, least, "");
    }
    return least;
}

/* Executes what remains of one instruction after the common elements. */
static void
call_rest(Lower *l, const Fusion *f, int i, LLVMValueRef done)
{
    Fusion one = {.scope = f->scope,
                  .n = 1,
                  .flat = true,
                  .multiples = f->multiples,
                  .lanes = f->lanes};
    FusedMember *m = &one.member[0];
    *m = f->member[i];
    for (int j = 0; j < m->n; j++) {
        FusedOperand o = f->operand[m->operand[j]];
        LLVMValueRef skip =
            LLVMBuildMul(l->b, done, lower_const(l, dtype_size(o.dtype)), "");
        o.at = LLVMBuildGEP2(l->b, l->i8, o.at, &skip, 1, "");
        o.stored = o.streams = o.staged = false;
        int k = 0;
        while (k < j && m->operand[k] != f->member[i].operand[j]) {
            k++;
        }
        one.operand[one.noperands] = o;
        m->operand[j] = one.noperands++;
        for (k = 0; k < j; k++) {
            if (f->member[i].operand[k] == f->member[i].operand[j]) {
                m->operand[j] = m->operand[k];
                one.noperands--;
                break;
            }
        }
    }
    one.operand[m->operand[0]].stored = true;
    call_loop(l, &one, LLVMBuildSub(l->b, m->elems, done, ""));
}

static void
call_rests(Lower *l, const Fusion *f, LLVMValueRef done)
{
    LLVMBasicBlockRef rests = lower_block(l, "rests");
    LLVMBasicBlockRef exit = lower_block(l, "fused");
    LLVMValueRef all = lower_const(l, 0);
    for (int i = 0; i < f->n; i++) {
        LLVMValueRef more = LLVMBuildSub(l->b, f->member[i].elems, done, "");
        all = LLVMBuildOr(l->b, all, more, "");
    }
    LLVMValueRef any = LLVMBuildICmp(l->b, LLVMIntNE, all, lower_const(l, 0), "");
    LLVMBuildCondBr(l->b, any, rests, exit);
    LLVMPositionBuilderAtEnd(l->b, rests);
    for (int i = 0; i < f->n; i++) {
        call_rest(l, f, i, done);
    }
    LLVMBuildBr(l->b, exit);
    LLVMPositionBuilderAtEnd(l->b, exit);
}

/* ---- scopes -------------------------------------------------------------- */

/* Checks the instructions of a body, and those of the parts of a run. */
static void
guard_body(Lower *l, StmtId first)
{
    for (StmtId s = first; s != 0; s = l->k->stmts.p[s].next) {
        const Stmt *st = &l->k->stmts.p[s];
        if (st->kind == ST_INSTR) {
            guard_instr(l, s);
        } else if (st->kind == ST_SCOPE) {
            guard_body(l, st->scope.body);
        } else {
            lower_checks(l, s);
        }
    }
}

static void
collect(Lower *l, Fusion *f, const ScopeMember *m, int n)
{
    guard_body(l, l->k->stmts.p[f->scope].scope.body);
    guard_enter(l);
    l->fusion = f;
    for (int i = 0; i < n; i++) {
        f->now = m[i];
        lower_member(l, m[i].stmt);
    }
    l->fusion = NULL;
    if (n != f->n) {
        ICE("statement %u is not lowered as a part of a loop", (unsigned)f->scope);
    }
}

/* Returns the number of rows: that of an instruction that has rows. */
static LLVMValueRef
rows_of(Lower *l, const Fusion *f)
{
    for (int i = 0; i < f->n; i++) {
        const FusedMember *m = &f->member[i];
        bool flat = count_known(m->rows) && m->rows.times == 1 &&
                    !(count_known(m->lanes) && m->lanes.times == f->row_lanes);
        if (!flat) {
            return number_of(l, m->rows, f->scope);
        }
    }
    UNREACHABLE();
}

/* Returns whether anything leaves the registers. */
static bool
has_results(const Fusion *f)
{
    bool any = fusion_has_sink(f);
    for (int i = 0; i < f->noperands; i++) {
        any = any || f->operand[i].stored;
    }
    return any;
}

void
lower_fused_scope(Lower *l, StmtId s)
{
    Fusion *f = ARENA_NEW(l->arena, Fusion);
    ScopeMember m[MOST_SCOPE_MEMBERS];
    int n = scope_members(l->k, l->k->stmts.p[s].scope.body, m);
    f->scope = s;
    find_shape(l, f, m, n);
    collect(l, f, m, n);
    if (!has_results(f)) { /* but for checks, and CMPMASK */
        guard_leave(l);
        return;
    }
    f->multiples = has_multiples(f);
    bool equal = true;
    LLVMValueRef count = f->flat ? least_elems(l, f, &equal) : rows_of(l, f);
    bool streams = fusion_find_streams(l, f);
    fusion_look_ahead(l, f, count);
    if (streams) {
        call_streaming(l, f, count);
    } else {
        call_loop(l, f, count);
    }
    if (!equal && !l->k->stmts.p[s].scope.trimmed) {
        call_rests(l, f, count);
    }
    guard_leave(l);
}
