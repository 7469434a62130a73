/* compare.c: compare and select. host/lower/lanes.c handles masks, repeats and strides,
 * and the rows of bits; this file computes with them, and has the moves of CMPMASK, which
 * is 16 bytes of the special registers. */
#include "host/lower/lower.h"

static LLVMValueRef
cmpmask(Lower *l)
{
    LLVMValueRef off = lower_const(l, SREG_CMPMASK);
    return LLVMBuildGEP2(l->b, l->i8, lower_sreg(l), &off, 1, "");
}

/* ---- compare ------------------------------------------------------------- */

static LLVMRealPredicate
float_predicate(Sem sem)
{
    switch (sem) {
    case SEM_CMP_LT:
        return LLVMRealOLT;
    case SEM_CMP_GT:
        return LLVMRealOGT;
    case SEM_CMP_GE:
        return LLVMRealOGE;
    case SEM_CMP_EQ:
        return LLVMRealOEQ;
    case SEM_CMP_NE:
        return LLVMRealUNE;
    case SEM_CMP_LE:
        return LLVMRealOLE;
    default:
        UNREACHABLE();
    }
}

static LLVMIntPredicate
int_predicate(Sem sem, bool is_signed)
{
    switch (sem) {
    case SEM_CMP_LT:
        return is_signed ? LLVMIntSLT : LLVMIntULT;
    case SEM_CMP_GT:
        return is_signed ? LLVMIntSGT : LLVMIntUGT;
    case SEM_CMP_GE:
        return is_signed ? LLVMIntSGE : LLVMIntUGE;
    case SEM_CMP_EQ:
        return LLVMIntEQ;
    case SEM_CMP_NE:
        return LLVMIntNE;
    case SEM_CMP_LE:
        return is_signed ? LLVMIntSLE : LLVMIntULE;
    default:
        UNREACHABLE();
    }
}

static LLVMValueRef
compare(Lower *l, const LaneShape *sh, LLVMValueRef *v, LLVMValueRef scalar)
{
    Sem sem = (Sem)sh->mode;
    Dtype t = sh->dtype[0];
    LLVMValueRef other = scalar != NULL ? scalar : v[1];
    if (dtype_is_float(t)) {
        return lower_float_compare(l, float_predicate(sem), t, sh->lanes, v[0], other);
    }
    return LLVMBuildICmp(l->b, int_predicate(sem, dtype_kind(t) == KIND_SINT), v[0],
                         other, "");
}

static void
lower_comparison(Lower *l, StmtId s, const Arg *args)
{
    const OpInfo *op = &op_table[l->k->stmts.p[s].instr.op];
    bool to_mask = op->form == FORM_VCMP;
    LaneJob job = {.name = sem_name(op->sem),
                   .mode = (uint32_t)op->sem,
                   .compute = compare,
                   .reads_dst = true,
                   .bits = to_mask ? BITS_WRITE_MASK : BITS_WRITE};
    job.bits_at = to_mask ? cmpmask(l) : lower_ref(l, &args[0].ref);
    lower_lanes(l, s, &job);
}

/* ---- select -------------------------------------------------------------- */

static LLVMValueRef
choose(Lower *l, const LaneShape *sh, LLVMValueRef *v, LLVMValueRef scalar)
{
    return LLVMBuildSelect(l->b, v[sh->n], v[1], scalar != NULL ? scalar : v[2], "");
}

static LLVMTypeRef
cmpmask_type(Lower *l)
{
    return LLVMVectorType(l->i64, 2);
}

static void
copy_cmpmask(Lower *l, LLVMValueRef to, LLVMValueRef from)
{
    LLVMValueRef v = LLVMBuildLoad2(l->b, cmpmask_type(l), from, "");
    LLVMSetAlignment(v, 1);
    LLVMSetAlignment(LLVMBuildStore(l->b, v, to), 1);
}

/* Loads 16 bytes of a tensor. An offset that is no multiple of 16 reaches bytes past the
 * last granule; those are not read: the upper half is then 0. */
static void
load_cmpmask(Lower *l, const Ref *ref)
{
    enum {
        WORD = 8,
        GRANULE = 32
    };
    LLVMValueRef from = lower_ref(l, ref), rest = lower_const(l, WORD);
    LLVMValueRef end = lower_bytes(l, ref->buf);
    end = LLVMBuildAnd(l->b, LLVMBuildAdd(l->b, end, lower_const(l, GRANULE - 1), ""),
                       lower_const(l, -GRANULE), "");
    LLVMValueRef off = lower_number(l, ref->off, 0);
    LLVMValueRef last = LLVMBuildSub(l->b, end, lower_const(l, 2 * WORD), "");
    LLVMValueRef whole = LLVMBuildICmp(l->b, LLVMIntSLE, off, last, "");
    rest = LLVMBuildSelect(l->b, whole, rest, lower_const(l, 0), "");
    LLVMValueRef at[2] = {from, LLVMBuildGEP2(l->b, l->i8, from, &rest, 1, "")};
    LLVMValueRef v = LLVMConstNull(cmpmask_type(l));
    for (int i = 0; i < 2; i++) {
        LLVMValueRef word = LLVMBuildLoad2(l->b, l->i64, at[i], "");
        LLVMSetAlignment(word, 1);
        word = i == 0 ? word : LLVMBuildSelect(l->b, whole, word, lower_const(l, 0), "");
        v = LLVMBuildInsertElement(l->b, v, word, lower_const32(l, i), "");
    }
    LLVMSetAlignment(LLVMBuildStore(l->b, v, cmpmask(l)), 1);
}

static void
lower_select(Lower *l, StmtId s, const Arg *args)
{
    const OpInfo *op = &op_table[l->k->stmts.p[s].instr.op];
    int sel = form_slot(op->form, ROLE_SRC, "sel");
    LaneJob job = {.name = "SEL", .compute = choose, .bits_at = cmpmask(l)};
    job.bits = op->sem == SEM_SEL_BITS ? BITS_READ : BITS_READ_MASK;
    if (op->sem == SEM_SEL_BITS) {
        LLVMValueRef zero = LLVMConstNull(cmpmask_type(l));
        LLVMSetAlignment(LLVMBuildStore(l->b, zero, job.bits_at), 1);
        job.bits_at = lower_ref(l, &args[sel].ref);
    } else if (op->sem == SEM_SEL_LOAD) {
        load_cmpmask(l, &args[sel].ref);
    }
    lower_lanes(l, s, &job);
}

void
lower_compare(Lower *l, StmtId s)
{
    const Stmt *st = &l->k->stmts.p[s];
    const Arg *args = &l->k->args.p[st->instr.arg];
    switch (op_table[st->instr.op].sem) {
    case SEM_SEL:
    case SEM_SEL_LOAD:
    case SEM_SEL_BITS:
        lower_select(l, s, args);
        return;
    case SEM_CMPMASK_SET:
        load_cmpmask(l, &args[0].ref);
        return;
    case SEM_CMPMASK_GET:
        copy_cmpmask(l, lower_ref(l, &args[0].ref), cmpmask(l));
        return;
    default:
        lower_comparison(l, s, args);
        return;
    }
}
