/* reduce.c: sums of the floats of each repeat, of its blocks, or of its pairs, and the
 * extremes of its blocks (vector chapter 7). A result is a balanced tree, neighbours
 * first: each level joins the even lanes with the odd ones. host/lower/lanes.c handles
 * masks, repeats and strides; the runtime library has all other reductions. */
#include "host/lower/lower.h"

enum {
    BLOCKS = REPEAT_BYTES / BLOCK_BYTES
};

static const Arg *
named(const Lower *l, StmtId s, Role role, const char *name)
{
    const Stmt *st = &l->k->stmts.p[s];
    int slot = form_slot(op_table[st->instr.op].form, role, name);
    return slot < 0 ? NULL : &l->k->args.p[st->instr.arg + (uint32_t)slot];
}

/* Returns n of the lanes: first, first + 2, ... */
static LLVMValueRef
every_other(Lower *l, LLVMValueRef v, int first, int n)
{
    LLVMValueRef index[MAX_LANES];
    for (int i = 0; i < n; i++) {
        index[i] = lower_const32(l, first + 2 * i);
    }
    return LLVMBuildShuffleVector(l->b, v, LLVMGetPoison(LLVMTypeOf(v)),
                                  LLVMConstVector(index, (unsigned)n), "");
}

/* A NaN is made canonical once, in the sum. */
static LLVMValueRef
trees(Lower *l, const LaneShape *sh, LLVMValueRef *v, LLVMValueRef scalar)
{
    (void)scalar;
    Dtype t = sh->dtype[0];
    LLVMTypeRef type = LLVMVectorType(t == DT_F16 ? l->f16 : l->f32, (unsigned)sh->lanes);
    LLVMValueRef x = LLVMBuildBitCast(l->b, v[0], type, "");
    for (int n = sh->lanes / 2; n >= sh->results; n /= 2) {
        x = LLVMBuildFAdd(l->b, every_other(l, x, 0, n), every_other(l, x, 1, n), "");
    }
    x = LLVMBuildBitCast(l->b, x, lower_bits_type(l, t, sh->results), "");
    return lower_canonical(l, t, sh->results, x);
}

/* Of equal lanes the first one wins, of NaN and a number the number. Machines without
 * instructions for float16 compare in float32, which has the same numbers. */
static LLVMValueRef
extremes(Lower *l, const LaneShape *sh, LLVMValueRef *v, LLVMValueRef scalar)
{
    (void)scalar;
    Dtype t = sh->dtype[0];
    LLVMTypeRef half = LLVMVectorType(l->f16, (unsigned)sh->lanes);
    bool is_half = t == DT_F16 && l->target->half_arithmetic;
    LLVMRealPredicate better = (Sem)sh->mode == SEM_CGMAX ? LLVMRealOGT : LLVMRealOLT;
    LLVMValueRef x = is_half ? LLVMBuildBitCast(l->b, v[0], half, "")
                             : lower_to_f32(l, v[0], t, sh->lanes);
    for (int n = sh->lanes / 2; n >= sh->results; n /= 2) {
        LLVMValueRef a = every_other(l, x, 0, n), b = every_other(l, x, 1, n);
        LLVMValueRef second = LLVMBuildFCmp(l->b, better, b, a, "");
        LLVMValueRef nan = LLVMBuildFCmp(l->b, LLVMRealUNO, a, a, "");
        x = LLVMBuildSelect(l->b, LLVMBuildOr(l->b, second, nan, ""), b, a, "");
    }
    if (!is_half) {
        return lower_from_f32(l, x, t, sh->results);
    }
    x = LLVMBuildBitCast(l->b, x, lower_bits_type(l, t, sh->results), "");
    return lower_canonical(l, t, sh->results, x);
}

static bool
has_all_lanes(const Lower *l, const MaskArg *m, int lanes)
{
    return m->form == MASK_COUNT && ir_is_const(l->k, m->w[0]) &&
           ir_expr(l->k, m->w[0])->imm == lanes;
}

/* Returns the number of results of a repeat; 0: the library has the instruction. Pairs of
 * which no lane is on may stay as they are, and an extreme of no lanes is a number of its
 * own. */
static int
results_of(const Lower *l, StmtId s, Dtype t)
{
    const OpInfo *op = &op_table[l->k->stmts.p[s].instr.op];
    int lanes = REPEAT_BYTES / dtype_size(t);
    bool all = has_all_lanes(l, &named(l, s, ROLE_MASK, NULL)->mask, lanes);
    bool saturates =
        lower_chosen(l, CHOICE_FLOAT16_OVERFLOW) == CHOSE_FLOAT16_OVERFLOW_SATURATE;
    if (op->form != FORM_REDUCE || (t != DT_F32 && (t != DT_F16 || saturates))) {
        return 0;
    }
    switch (op->sem) {
    case SEM_CADD:
        return 1;
    case SEM_CGADD:
        return BLOCKS;
    case SEM_CPADD:
        return all ? lanes / 2 : 0;
    case SEM_CGMAX:
    case SEM_CGMIN:
        return all ? BLOCKS : 0;
    default:
        return 0;
    }
}

void
lower_reduce(Lower *l, StmtId s)
{
    const Ref *dst = &named(l, s, ROLE_DST, NULL)->ref;
    Sem sem = op_table[l->k->stmts.p[s].instr.op].sem;
    int results = results_of(l, s, dst->dtype);
    if (results == 0) {
        lower_exec(l, s);
        return;
    }
    LLVMValueRef stride =
        lower_number(l, named(l, s, ROLE_INT, "dst_rep_stride")->expr, s);
    LLVMValueRef bytes = lower_const(l, (int64_t)results * dtype_size(dst->dtype));
    LaneJob job = {.name = sem_name(sem),
                   .mode = (uint32_t)sem,
                   .compute = sem == SEM_CGMAX || sem == SEM_CGMIN ? extremes : trees,
                   .results = results,
                   .results_at = lower_ref(l, dst),
                   .results_step = LLVMBuildMul(l->b, stride, bytes, "")};
    lower_lanes(l, s, &job);
}
