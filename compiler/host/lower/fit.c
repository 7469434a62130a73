/* fit.c: fused loops that convert to float16 as if all results fitted.
 *
 * What does not fit becomes infinity, and NaN stays, where results saturate and NaN is 0.
 * To look for both in each chunk costs more than to convert it. So the loop only
 * converts, another one looks at what it wrote, and if there is something the loop is
 * executed again, with care: it reads nothing that it writes. */
#include "host/lower/fusion.h"

enum {
    NUMBERS = 16, /* that the machine converts at once */
    AT_ONCE = 4   /* chunks that are looked at */
};

/* Returns whether the operand is written by one conversion only, perhaps through a
 * move, and never read. */
static bool
is_converted(const Fusion *f, int operand)
{
    int conversions = 0;
    for (int i = 0; i < f->n; i++) {
        const FusedMember *m = &f->member[i];
        if (m->job.reads_dst && m->operand[0] == operand) {
            return false;
        }
        for (int j = 1; j < m->n; j++) {
            if (m->operand[j] == operand) {
                return false;
            }
        }
        if (m->dtype[0] == DT_F16 && m->job.compute != NULL) {
            conversions++;
            if (!lower_saturates_to_half(&m->job, m->dtype[1])) {
                return false;
            }
        }
    }
    return conversions == 1;
}

/* Returns the one operand that is stored, or -1. What is read is in other memory. */
static int
only_stored(const Fusion *f)
{
    int found = -1;
    for (int i = 0; i < f->noperands; i++) {
        if (f->operand[i].stored) {
            if (found >= 0) {
                return -1;
            }
            found = i;
        }
    }
    return found;
}

void
fusion_find_fit(const Lower *l, Fusion *f, int64_t count)
{
    int s = only_stored(f);
    f->fit = -1;
    if (!l->target->half_arithmetic || !f->flat || count == 0 || f->streams ||
        fusion_has_sink(f) || s < 0 || f->operand[s].dtype != DT_F16 ||
        f->operand[s].bits || f->lanes % NUMBERS != 0 || !is_converted(f, s)) {
        return;
    }
    for (int i = 0; i < f->noperands; i++) {
        Scope here = l->k->bufs.p[f->operand[i].buf].scope;
        if (i != s && here == l->k->bufs.p[f->operand[s].buf].scope) {
            return;
        }
    }
    f->fit = s;
    f->fit_lanes = f->lanes * (count % (AT_ONCE * f->lanes) == 0 ? AT_ONCE : 1);
}

/* Stores a chunk from the numbers themselves: the machine converts while it stores. */
void
fit_store(Lower *l, const Chunk *c, LLVMValueRef at)
{
    LLVMTypeRef type = lower_bits_type(l, DT_F16, NUMBERS);
    for (int i = 0; i < c->f->lanes; i += NUMBERS) {
        LLVMValueRef off = lower_const(l, (int64_t)i * dtype_size(DT_F16));
        LLVMValueRef args[4] = {lower_part(l, l->fits.numbers, i, NUMBERS),
                                lower_const32(l, 4), LLVMConstNull(type),
                                LLVMConstAllOnes(l->i16)};
        LLVMValueRef v =
            lower_intrinsic(l, "llvm.x86.avx512.mask.vcvtps2ph.512", NULL, 0, args, 4);
        LLVMValueRef to = LLVMBuildGEP2(l->b, l->i8, at, &off, 1, "");
        LLVMSetAlignment(LLVMBuildStore(l->b, v, to), 1);
    }
}

/* Returns (a vector of i1) whether something that was written is infinite or NaN: zero
 * times that is NaN, which stays in a sum. */
LLVMValueRef
fit_any_unfit(Lower *l, const Chunk *c, LLVMValueRef elems)
{
    int lanes = c->f->fit_lanes;
    LLVMTypeRef type = LLVMVectorType(l->f16, (unsigned)lanes);
    LLVMValueRef zero = LLVMConstNull(type);
    Counted t = {.count = LLVMBuildUDiv(l->b, elems, lower_const(l, lanes), ""),
                 .at = {c->at[c->f->fit]},
                 .step = {lower_const(l, (int64_t)lanes * dtype_size(DT_F16))},
                 .n = 1};
    lower_counted_begin(l, &t);
    LLVMValueRef sum = lower_counted_value(l, &t, zero);
    LLVMValueRef v = LLVMBuildLoad2(l->b, type, t.at[0], "");
    LLVMSetAlignment(v, 1);
    LLVMValueRef args[3] = {v, zero, sum};
    lower_counted_next(l, sum, lower_intrinsic(l, "llvm.fma", &type, 1, args, 3));
    lower_counted_end(l, &t);
    return LLVMBuildFCmp(l->b, LLVMRealUNO, sum, sum, "");
}
