/* require.h: rules on one number of an instruction, as rows of require.def; part of the
 * checker's steps. */
#ifndef TIK_REQUIRE_H
#define TIK_REQUIRE_H

#include "rules/check.h"

/* The rule that the step of the operand is named by; RULE_NONE: there is no row. */
Rule require_rule(Op op, int param);
/* Whether all rows of the operand hold; false fills *fault with the first that does not.
 */
bool require_holds(const CheckInstr *in, int param, Fault *fault);
/* How other numbers move what the operand may be. */
Direction require_direction(Op op, int param);
/* The unit that the operand is a multiple of by a row in the direction STEPS, wherever
 * that is asked; of other directions it is 1. */
int64_t require_unit(const CheckInstr *in, int param);

#endif
