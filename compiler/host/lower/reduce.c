/* reduce.c: reductions of repeats (vector chapter 7): sums of the floats of each repeat,
 * of its blocks or of its pairs, the extremes of its blocks, and the sum of all repeats.
 * Extremes of whole repeats are in host/lower/extreme.c, the trees in host/lower/tree.c;
 * host/lower/lanes.c handles masks, repeats and strides. The runtime library has what is
 * rare: 64-bit integers, sums that saturate, and those of the 910B class in another
 * order. */
#include "host/lower/fusion.h"

enum {
    BLOCKS = REPEAT_BYTES / BLOCK_BYTES,
    MAX_REPEATS = 4095
};

/* For variant: sums of pairs of which no lane is on are written too; the results of
 * repeats follow each other, in another tensor than the source. */
enum {
    ALL_PAIRS = 1,
    TOGETHER = 2,
    WHOLE = 1 << 16, /* the number of repeats is a multiple of SUMS_TOGETHER */
};

static const Arg *
named(const Lower *l, StmtId s, Role role, const char *name)
{
    const Stmt *st = &l->k->stmts.p[s];
    int slot = form_slot(op_table[st->instr.op].form, role, name);
    return slot < 0 ? NULL : &l->k->args.p[st->instr.arg + (uint32_t)slot];
}

static const LaneBlocks dense = {.stride = NULL};

/* ---- results of each repeat ---------------------------------------------- */

/* Lanes that are off count as 0 in sums, and as NaN in extremes. */
static LLVMValueRef
lanes_of_repeat(Lower *l, const LaneShape *sh, const LaneSource *src, LLVMValueRef at)
{
    Dtype t = sh->dtype[0];
    bool extreme = (Sem)sh->mode == SEM_CGMAX || (Sem)sh->mode == SEM_CGMIN;
    uint64_t off = !extreme ? 0 : t == DT_F16 ? 0x7e00 : 0x7fc00000;
    LLVMValueRef x = lower_lanes_load(l, t, sh->lanes, at, &src->blk);
    if ((sh->variant & REDUCE_FAR) != 0) {
        lower_prefetch(l, at, AHEAD, REPEAT_BYTES, false);
    }
    if (src->mask == NULL) {
        return x;
    }
    return LLVMBuildSelect(l->b, src->mask, x, lower_bits_const(l, t, sh->lanes, off),
                           "");
}

/* Returns for each of n neighbouring sets of lanes whether one of them is on. */
static LLVMValueRef
any_on(Lower *l, LLVMValueRef mask, int lanes, int n)
{
    LLVMTypeRef sets =
        LLVMVectorType(LLVMIntTypeInContext(l->ctx, (unsigned)(lanes / n)), (unsigned)n);
    mask = LLVMBuildBitCast(l->b, mask, sets, "");
    return LLVMBuildICmp(l->b, LLVMIntNE, mask, LLVMConstNull(sets), "");
}

/* Returns the extremes of blocks of which no lane is on. */
static LLVMValueRef
identity(Lower *l, const LaneShape *sh)
{
    bool least = (Sem)sh->mode == SEM_CGMIN;
    uint64_t bits = sh->dtype[0] == DT_F16 ? (least ? 0x7bff : 0xfbff)
                                           : (least ? 0x7f800000 : 0xff800000);
    return lower_bits_const(l, sh->dtype[0], BLOCKS, bits);
}

static void
results_each(Lower *l, const LaneShape *sh, const LaneSource *src)
{
    Sem sem = (Sem)sh->mode;
    Counted c = src->c;
    LLVMValueRef on = NULL, written = NULL;
    if (src->mask != NULL && (sem == SEM_CGMAX || sem == SEM_CGMIN)) {
        on = any_on(l, src->mask, sh->lanes, BLOCKS);
    }
    if (src->mask != NULL && sem == SEM_CPADD && (sh->variant & ALL_PAIRS) == 0) {
        written = any_on(l, src->mask, sh->lanes, sh->results);
    }
    lower_counted_begin(l, &c);
    LLVMValueRef x = lanes_of_repeat(l, sh, src, c.at[0]);
    x = lower_reduce_tree(l, sem, sh->dtype[0], sh->lanes, x);
    if (on != NULL) {
        x = LLVMBuildSelect(l->b, on, x, identity(l, sh), "");
    }
    lower_lanes_store(l, sh->dtype[0], sh->results, x, written, c.at[1], &dense);
    lower_counted_end(l, &c);
}

/* Writes the sums of as many repeats at once as is good, those that remain one by one.
 * The results follow each other. */
static void
sums_each(Lower *l, const LaneShape *sh, const LaneSource *src)
{
    LLVMValueRef together = lower_const(l, SUMS_TOGETHER);
    LLVMValueRef whole = LLVMBuildUDiv(l->b, src->c.count, together, "");
    Counted c = src->c;
    c.count = whole;
    for (int i = 0; i < c.n; i++) {
        c.step[i] = LLVMBuildMul(l->b, c.step[i], together, "");
    }
    lower_counted_begin(l, &c);
    LLVMValueRef v[SUMS_TOGETHER];
    for (int i = 0; i < SUMS_TOGETHER; i++) {
        LLVMValueRef off = LLVMBuildMul(l->b, src->c.step[0], lower_const(l, i), "");
        LLVMValueRef at = LLVMBuildGEP2(l->b, l->i8, c.at[0], &off, 1, "");
        v[i] = lanes_of_repeat(l, sh, src, at);
    }
    LLVMValueRef sums = lower_sum_trees(l, sh->dtype[0], sh->lanes, v);
    lower_lanes_store(l, sh->dtype[0], SUMS_TOGETHER, sums, NULL, c.at[1], &dense);
    lower_counted_end(l, &c);
    if ((sh->variant & WHOLE) != 0) {
        return;
    }
    LaneSource rest = *src;
    rest.c.count = LLVMBuildURem(l->b, src->c.count, together, "");
    for (int i = 0; i < c.n; i++) {
        rest.c.at[i] = c.at[i];
    }
    results_each(l, sh, &rest);
}

/* ---- the sum of all repeats ---------------------------------------------- */

/* The sums of repeats are summands again, in groups of as many as a repeat has lanes,
 * until one is left; those that a group lacks are 0. variant: the number of sums where it
 * is known and they are one group; else 0. */

static LLVMValueRef
sum_address(Lower *l, const LaneShape *sh, LLVMValueRef sums, LLVMValueRef n)
{
    LLVMValueRef off =
        LLVMBuildMul(l->b, n, lower_const(l, dtype_size(sh->dtype[0])), "");
    return LLVMBuildGEP2(l->b, l->i8, sums, &off, 1, "");
}

static void
clear(Lower *l, const LaneShape *sh, LLVMValueRef at, int n)
{
    LLVMValueRef zero = lower_bits_const(l, sh->dtype[0], n, 0);
    lower_lanes_store(l, sh->dtype[0], n, zero, NULL, at, &dense);
}

/* Writes the sum of n neighbouring elements. */
static void
sum_to(Lower *l, const LaneShape *sh, LLVMValueRef dst, LLVMValueRef at, int n)
{
    Dtype t = sh->dtype[0];
    LLVMValueRef x = lower_lanes_load(l, t, n, at, &dense);
    x = lower_reduce_tree(l, SEM_CADD, t, n, x);
    lower_lanes_store(l, t, 1, x, NULL, dst, &dense);
}

/* Replaces n sums by those of groups, and returns their number. */
static LLVMValueRef
sum_groups(Lower *l, const LaneShape *sh, LLVMValueRef sums, LLVMValueRef n)
{
    int64_t size = dtype_size(sh->dtype[0]);
    clear(l, sh, sum_address(l, sh, sums, n), sh->lanes);
    n = LLVMBuildAdd(l->b, n, lower_const(l, sh->lanes - 1), "");
    n = LLVMBuildUDiv(l->b, n, lower_const(l, sh->lanes), "");
    Counted c = {.count = n,
                 .at = {sums, sums},
                 .step = {lower_const(l, sh->lanes * size), lower_const(l, size)},
                 .n = 2};
    lower_counted_begin(l, &c);
    sum_to(l, sh, c.at[1], c.at[0], sh->lanes);
    lower_counted_end(l, &c);
    return n;
}

/* Reduces n sums to one. */
static void
sum_of_sums(Lower *l, const LaneShape *sh, LLVMValueRef sums, LLVMValueRef n)
{
    LLVMBasicBlockRef from = LLVMGetInsertBlock(l->b);
    LLVMBasicBlockRef head = lower_block(l, "sums"), more = lower_block(l, "groups"),
                      one = lower_block(l, "one");
    LLVMBuildBr(l->b, head);
    LLVMPositionBuilderAtEnd(l->b, head);
    LLVMValueRef left = LLVMBuildPhi(l->b, l->i64, "");
    LLVMAddIncoming(left, &n, &from, 1);
    LLVMValueRef several = LLVMBuildICmp(l->b, LLVMIntUGT, left, lower_const(l, 1), "");
    LLVMBuildCondBr(l->b, several, more, one);
    LLVMPositionBuilderAtEnd(l->b, more);
    n = sum_groups(l, sh, sums, left);
    from = LLVMGetInsertBlock(l->b);
    LLVMAddIncoming(left, &n, &from, 1);
    LLVMBuildBr(l->b, head);
    LLVMPositionBuilderAtEnd(l->b, one);
}

static void
sums_of_repeats(Lower *l, const LaneShape *sh, const LaneSource *src, LLVMValueRef sums)
{
    LaneSource each = *src;
    each.c.n = 2;
    each.c.at[1] = sums;
    each.c.step[1] = lower_const(l, dtype_size(sh->dtype[0]));
    LaneShape shape = *sh;
    shape.mode = SEM_CADD;
    (lower_has_trees(l, sh->dtype[0]) ? sums_each : results_each)(l, &shape, &each);
}

/* Leaves a quarter of each repeat, and makes one tree of these. */
static void
sum_known(Lower *l, const LaneShape *sh, const LaneSource *src, int n)
{
    Dtype t = sh->dtype[0];
    Counted c = src->c;
    LLVMValueRef room = lower_sum_room(l, t, n), result = src->c.at[1];
    c.n = 2;
    c.at[1] = room;
    c.step[1] = lower_const(l, lower_sum_step(l, t));
    lower_counted_begin(l, &c);
    LLVMValueRef x = lanes_of_repeat(l, sh, src, c.at[0]);
    x = lower_sum_quarter(l, t, sh->lanes, lower_tree_numbers(l, t, sh->lanes, x));
    LLVMBuildStore(l->b, x, c.at[1]);
    lower_counted_end(l, &c);
    LLVMValueRef sum = lower_sum_of_quarters(l, t, room, n);
    lower_lanes_store(l, t, 1, sum, NULL, result, &dense);
}

/* Without repeats nothing is written. */
static void
sum_all(Lower *l, const LaneShape *sh, const LaneSource *src)
{
    Dtype t = sh->dtype[0];
    int known = (int)(sh->variant % WHOLE);
    if (known != 0) {
        sum_known(l, sh, src, known);
        return;
    }
    unsigned room = (unsigned)(MAX_REPEATS + sh->lanes);
    LLVMTypeRef type = LLVMArrayType2(lower_bits_type(l, t, 0), room);
    LLVMValueRef sums = lower_helper_alloca(l, type, "sums");
    sums_of_repeats(l, sh, src, sums);
    LLVMBasicBlockRef write = lower_block(l, "write"), end = lower_block(l, "end");
    sum_of_sums(l, sh, sums, src->c.count);
    LLVMValueRef any =
        LLVMBuildICmp(l->b, LLVMIntNE, src->c.count, lower_const(l, 0), "");
    LLVMBuildCondBr(l->b, any, write, end);
    LLVMPositionBuilderAtEnd(l->b, write);
    LLVMValueRef sum = lower_lanes_load(l, t, 1, sums, &dense);
    lower_lanes_store(l, t, 1, sum, NULL, src->c.at[1], &dense);
    LLVMBuildBr(l->b, end);
    LLVMPositionBuilderAtEnd(l->b, end);
}

/* Returns the number of repeats if it is known and makes one tree of sums, else 0. */
static uint32_t
one_tree(const Lower *l, StmtId s, Dtype t)
{
    ExprId repeats = named(l, s, ROLE_REPEAT, NULL)->expr;
    int64_t n = ir_is_const(l->k, repeats) ? ir_expr(l->k, repeats)->imm : 0;
    int64_t lanes = REPEAT_BYTES / dtype_size(t);
    return n < 1 || n > lanes || !lower_has_trees(l, t) ? 0 : (uint32_t)n;
}

static uint32_t
whole_groups(const Lower *l, StmtId s)
{
    ExprId repeats = named(l, s, ROLE_REPEAT, NULL)->expr;
    bool known = ir_is_const(l->k, repeats);
    return known && ir_expr(l->k, repeats)->imm % SUMS_TOGETHER == 0 ? WHOLE : 0;
}

/* ---- the instruction ----------------------------------------------------- */

static bool
makes_sums_in_chunks(const Lower *l)
{
    return soc_has(l->k->soc, FEATURE_REDUCE_CHUNKS) &&
           lower_chosen(l, CHOICE_SUMMATION_ORDER) == CHOSE_SUMMATION_ORDER_CHIP;
}

static bool
writes_all_pairs(const Lower *l)
{
    return soc_has(l->k->soc, FEATURE_CPADD_ALL_PAIRS) ||
           (soc_has(l->k->soc, FEATURE_CPADD_BY_CHOICE) &&
            lower_chosen(l, CHOICE_MASKED_BLOCK) == CHOSE_MASKED_BLOCK_ZERO_PAIRS);
}

static int64_t
attribute(const Lower *l, StmtId s, const char *name)
{
    return ir_expr(l->k, named(l, s, ROLE_ATTR, name)->expr)->imm;
}

/* True if the extreme of all repeats goes to special registers. */
static bool
fills_registers(const Lower *l, StmtId s)
{
    bool least = op_table[l->k->stmts.p[s].instr.op].sem == SEM_CMIN;
    return attribute(l, s, least ? "min_cnt_index" : "max_cnt_index") != 0;
}

/* Sums of float16 may saturate. */
static bool
has_sum(const Lower *l, Dtype t)
{
    bool saturates =
        lower_chosen(l, CHOICE_FLOAT16_OVERFLOW) == CHOSE_FLOAT16_OVERFLOW_SATURATE;
    return t == DT_F32 || (t == DT_F16 && !saturates);
}

/* True if results follow each other, in another tensor than the source. */
static bool
is_row(const Lower *l, StmtId s)
{
    ExprId step = named(l, s, ROLE_INT, "dst_rep_stride")->expr;
    return ir_is_const(l->k, step) && ir_expr(l->k, step)->imm == 1 &&
           named(l, s, ROLE_DST, NULL)->ref.buf != named(l, s, ROLE_SRC, NULL)->ref.buf;
}

/* False: the library has the instruction. */
static bool
set_job(const Lower *l, StmtId s, Dtype t, LaneJob *job)
{
    int lanes = REPEAT_BYTES / dtype_size(t);
    bool known = t == DT_F16 || t == DT_F32 || t == DT_S16;
    job->fewer = results_each;
    job->results = 1;
    switch ((Sem)job->mode) {
    case SEM_CADD:
        if (is_row(l, s) && lower_has_trees(l, t)) {
            job->fewer = sums_each;
            job->variant = TOGETHER | whole_groups(l, s);
        }
        return has_sum(l, t);
    case SEM_CGADD:
        job->results = BLOCKS;
        return has_sum(l, t);
    case SEM_CPADD:
        job->results = lanes / 2;
        job->variant = writes_all_pairs(l) ? ALL_PAIRS : 0;
        return has_sum(l, t);
    case SEM_CGMAX:
    case SEM_CGMIN:
        job->results = BLOCKS;
        return t == DT_F16 || t == DT_F32;
    case SEM_CMAX:
    case SEM_CMIN:
        job->fewer = lower_extreme_each;
        job->results = 2;
        job->variant = attribute(l, s, "index_low") != 0;
        return known && !fills_registers(l, s);
    case SEM_ALL_MAX:
    case SEM_ALL_MIN:
        job->fewer = lower_extreme_all;
        job->variant = attribute(l, s, "cal_index") != 0;
        return known;
    case SEM_ALL_ADD:
        job->fewer = sum_all;
        job->variant = one_tree(l, s, t) | whole_groups(l, s);
        return has_sum(l, t) && !makes_sums_in_chunks(l);
    default:
        return false;
    }
}

/* Returns the bytes from the results of a repeat to those of the next. */
static LLVMValueRef
results_step(Lower *l, StmtId s, const LaneJob *job, Dtype t)
{
    const Arg *stride = named(l, s, ROLE_INT, "dst_rep_stride");
    LLVMValueRef bytes = lower_const(l, (int64_t)job->results * dtype_size(t));
    return stride == NULL
               ? lower_const(l, 0)
               : LLVMBuildMul(l->b, lower_number(l, stride->expr, s), bytes, "");
}

void
lower_reduce(Lower *l, StmtId s)
{
    if (l->fusion != NULL) {
        lower_fused_sink(l, s);
        return;
    }
    const Ref *dst = &named(l, s, ROLE_DST, NULL)->ref;
    Sem sem = op_table[l->k->stmts.p[s].instr.op].sem;
    LaneJob job = {.name = sem_name(sem), .mode = (uint32_t)sem};
    if (!set_job(l, s, dst->dtype, &job)) {
        lower_exec(l, s);
        return;
    }
    bool far = l->k->bufs.p[named(l, s, ROLE_SRC, NULL)->ref.buf].scope == SC_GM;
    job.variant |= l->has_far && far && !fusion_looks_ahead(l) ? REDUCE_FAR : 0;
    job.results_at = lower_ref(l, dst);
    job.results_step = results_step(l, s, &job, dst->dtype);
    lower_lanes(l, s, &job);
}
