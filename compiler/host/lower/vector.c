/* vector.c: elementwise instructions on lanes: arithmetic, functions and fills.
 * host/lower/lanes.c handles masks, repeats and strides. Functions that are more than a
 * few operations are one call of the runtime library (tikrt_map) where the whole
 * instruction is one run. */
#include "host/lower/lower.h"

enum {
    FEW_LANES = 32 /* whose function takes less time to compile than calls would take */
};

/* ---- functions of the runtime library ------------------------------------ */

bool
lower_is_map(Sem sem)
{
    return sem == SEM_EXP || sem == SEM_EXPM1 || sem == SEM_LN || sem == SEM_RSQRT;
}

static void
call_map(Lower *l, const LaneShape *sh, const Counted *c, LLVMValueRef scalar)
{
    (void)scalar;
    lower_function_run(l, (Sem)sh->mode, sh->dtype[0], sh->lanes, c);
}

/* ---- arithmetic ---------------------------------------------------------- */

/* Returns the sum or difference, rounded, and 0 where that is not above 0. */
static LLVMValueRef
with_relu(Lower *l, Sem sem, const LaneShape *sh, LLVMValueRef *v)
{
    LLVMValueRef r = lower_binary(l, sem, sh->dtype[0], sh->lanes, v[1], v[2]);
    return lower_unary(l, SEM_RELU, sh->dtype[0], sh->lanes, r);
}

/* Returns src where it is not less than 0 and no NaN, else the product. -0 is not less
 * than 0. */
static LLVMValueRef
leaky(Lower *l, const LaneShape *sh, LLVMValueRef src, LLVMValueRef scalar)
{
    Dtype t = sh->dtype[0];
    uint64_t inf = t == DT_F16 ? 0x7c00 : 0x7f800000;
    uint64_t sign = t == DT_F16 ? 0x8000 : 0x80000000U;
    LLVMValueRef product = lower_binary(l, SEM_MUL, t, sh->lanes, src, scalar);
    LLVMValueRef keep = LLVMBuildOr(
        l->b,
        LLVMBuildICmp(l->b, LLVMIntULE, src, lower_bits_const(l, t, sh->lanes, inf), ""),
        LLVMBuildICmp(l->b, LLVMIntEQ, src, lower_bits_const(l, t, sh->lanes, sign), ""),
        "");
    return LLVMBuildSelect(l->b, keep, src, product, "");
}

static LLVMValueRef
result(Lower *l, const LaneShape *sh, LLVMValueRef *v, LLVMValueRef scalar)
{
    Sem sem = (Sem)sh->mode;
    switch (sem) {
    case SEM_DUP:
        return scalar;
    case SEM_ADD:
    case SEM_SUB:
    case SEM_MUL:
    case SEM_DIV:
    case SEM_MAX:
    case SEM_MIN:
    case SEM_AND:
    case SEM_OR:
        return lower_binary(l, sem, sh->dtype[0], sh->lanes, v[1],
                            scalar != NULL ? scalar : v[2]);
    case SEM_ADDRELU:
        return with_relu(l, SEM_ADD, sh, v);
    case SEM_SUBRELU:
        return with_relu(l, SEM_SUB, sh, v);
    case SEM_LRELU:
        return leaky(l, sh, v[1], scalar);
    case SEM_ABS:
    case SEM_RELU:
    case SEM_NOT:
        return lower_unary(l, sem, sh->dtype[0], sh->lanes, v[1]);
    case SEM_SQRT:
    case SEM_REC:
        return lower_function(l, sem, sh->dtype[0], sh->lanes, v[1]);
    case SEM_EXP:
    case SEM_EXPM1:
    case SEM_LN:
    case SEM_RSQRT:
        return l->in_chunk || sh->lanes <= FEW_LANES
                   ? lower_function(l, sem, sh->dtype[0], sh->lanes, v[1])
                   : lower_function_called(l, sem, sh->dtype[0], sh->lanes, v[1]);
    default:
        return lower_fused(l, sh, v, scalar);
    }
}

static bool
saturates_half(const Lower *l)
{
    return lower_chosen(l, CHOICE_FLOAT16_OVERFLOW) == CHOSE_FLOAT16_OVERFLOW_SATURATE;
}

LLVMValueRef
lower_vector_compute(Lower *l, const LaneShape *sh, LLVMValueRef *v, LLVMValueRef scalar)
{
    l->saturates_half = saturates_half(l);
    l->saturates_int =
        lower_chosen(l, CHOICE_INTEGER_OVERFLOW) == CHOSE_INTEGER_OVERFLOW_SATURATE;
    LLVMValueRef r = result(l, sh, v, scalar);
    l->saturates_half = l->saturates_int = false;
    return r;
}

void
lower_vector(Lower *l, StmtId s)
{
    const OpInfo *op = &op_table[l->k->stmts.p[s].instr.op];
    int round = form_slot(op->form, ROLE_ATTR, "round_en");
    LaneJob job = {.name = sem_name(op->sem),
                   .mode = (uint32_t)op->sem,
                   .compute = lower_vector_compute,
                   .whole = lower_is_map(op->sem) && !saturates_half(l) ? call_map : NULL,
                   .reads_dst = sem_reads_dst(op->sem)};
    if (round >= 0) {
        const Arg *a = &l->k->args.p[l->k->stmts.p[s].instr.arg + (uint32_t)round];
        job.variant = (uint32_t)ir_expr(l->k, a->expr)->imm;
    }
    lower_lanes(l, s, &job);
}
