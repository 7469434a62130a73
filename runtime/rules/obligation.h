/* obligation.h: what can be said of a rule of an instruction when its numbers are known
 * as intervals. The compiler's check pass and the verifier of blobs ask the same
 * questions here; each brings what it knows of numbers.
 *
 * No rule is written down a second time: they are asked of the numeric checker at the
 * ends of intervals, where a rule's direction makes these answer for all values between.
 */
#ifndef TIK_OBLIGATION_H
#define TIK_OBLIGATION_H

#include "isa/interval.h"
#include "rules/check.h"

/* One instruction, or with op OP_COUNT one element (check_element). */
typedef struct Known {
    const CheckInstr *in; /* types, scopes, attributes, mask forms, literals */
    /* The values of a tensor's offset, of word i of a mask, of a number. */
    Interval (*values)(const void *ctx, int param, int i);
    /* The constant distance from tensor b to tensor a of one root. False: it varies. */
    bool (*distance)(const void *ctx, int a, int b, int64_t *out);
    const void *ctx;
    CheckInstr *most, *least, *at; /* room for the instruction at certain values */
} Known;

typedef enum Standing {
    STANDS_OPEN,
    STANDS_PROVED,  /* it holds for all values, given that all steps before it hold */
    STANDS_BROKEN,  /* it breaks where the step's operand is at an end of its values,
                       whatever else varies */
    STANDS_REFUTED, /* it holds for no value */
} Standing;

/* Where the step stands. *fault tells of what is broken or refuted. Of a tensor whose
 * size is not known (check_is_open), proved means that the bounds hold for the most that
 * it can be. */
Standing obligation_stands(Known *k, CheckStep step, Fault *fault);

/* One past the furthest byte that a tensor operand touches; counts at their largest legal
 * value. False: it touches none. */
bool obligation_end(Known *k, int param, int64_t *end);

/* Whether the step asks for other numbers than its operand's, beside those of attributes.
 */
bool obligation_relates(const CheckInstr *in, CheckStep step);

#endif
