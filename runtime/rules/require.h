/* require.h: rules on one number of an instruction, which are rows of require.def. They
 * are a part of the checker's steps. */
#ifndef TIK_REQUIRE_H
#define TIK_REQUIRE_H

#include "rules/check.h"

/* Returns the rule that names the step of the operand; RULE_NONE when it has no row. */
PURE Rule require_rule(Op op, int param);
/* Returns whether all rows of the operand hold; if not, *fault gets the first that does
 * not. */
bool require_holds(const CheckInstr *in, int param, Fault *fault);
/* Returns how the legal values of the operand depend on other numbers. */
PURE Direction require_direction(Op op, int param);
/* Returns the unit of which the operand must be a multiple by a row with the direction
 * STEPS; 1 for other directions. */
PURE int64_t require_unit(const CheckInstr *in, int param);

#endif
