/* lmem_conv.c: checks where the operands of a convolution on LMEM lanes begin: at
 * multiples of the bytes of the arithmetic units, except images with strides of their own
 * and weights that are not grouped. The emulator calls it with addresses, and so does the
 * compiler if it has them or knows their alignment. It owns eu-misaligned of operands. */
#include "rules/lmem_conv.h"

#include "rules/internal.h"

/* Returns the alignment of the operand's first byte in an LMEM lane. */
static int64_t
unit_of(const LmemTarget *t, int param, const LaneConvOperands *o)
{
    bool alone = !o->has_words && !o->has_bias;
    bool plain = o->dtype == DT_F32 || (o->depthwise && alone);
    bool any = (param == LCONV_src && !o->depthwise) || (param == LCONV_weight && plain);
    return any ? dtype_size(o->dtype) : t->eu_bytes;
}

bool
lane_conv_aligned(const LmemTarget *t, int param, const LaneConvOperands *o, int64_t at,
                  Fault *fault)
{
    int n;
    int64_t unit = unit_of(t, param, o);
    FaultAt where = {RULE_EU_MISALIGNED, param, at, unit, unit};
    return at % unit == 0 ||
           check_fail(
               fault, &where,
               "%s begins at byte %lld of a lane; %s takes multiples of %lld there",
               form_params(FORM_LCONV, &n)[param].name, (long long)at,
               op_table[OP_LANE_CONV2D].name, (long long)unit);
}
