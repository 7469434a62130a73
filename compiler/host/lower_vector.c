/* lower_vector.c: elementwise instructions on lanes: arithmetic and fills. lower_lanes.c has masks,
 * repeats and strides. */
#include "host/lower.h"

static LLVMValueRef
compute(Lower *l, const LaneShape *sh, LLVMValueRef *v, LLVMValueRef scalar)
{
    Sem sem = (Sem)sh->mode;
    switch (sem) {
    case SEM_DUP:
        return scalar;
    case SEM_ADD:
    case SEM_SUB:
    case SEM_MUL:
    case SEM_MAX:
    case SEM_MIN:
    case SEM_AND:
    case SEM_OR:
        return lower_binary(l, sem, sh->dtype[0], sh->lanes, v[1],
                            scalar != NULL ? scalar : v[2]);
    case SEM_ABS:
    case SEM_RELU:
    case SEM_NOT:
        return lower_unary(l, sem, sh->dtype[0], sh->lanes, v[1]);
    default:
        ICE("no lowering for %s", sh->name);
    }
}

void
lower_vector(Lower *l, StmtId s)
{
    const OpInfo *op = &op_table[l->k->stmts.p[s].instr.op];
    LaneJob job = {.name = sem_name(op->sem),
                   .mode = (uint32_t)op->sem,
                   .compute = compute,
                   .reads_dst = false};
    lower_lanes(l, s, &job);
}
