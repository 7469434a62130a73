/* lmem_conv.c: where the operands of a convolution on lanes begin: with the arithmetic
 * units of a lane, except images with strides of their own and weights that are not taken
 * in groups. Asked with addresses: by the compiler where it has them or knows that they
 * are multiples, by the emulator. Owns: eu-misaligned of operands. */
#include "rules/lmem_conv.h"

#include "rules/internal.h"

/* The multiple that the operand's first byte in a lane is of. */
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
