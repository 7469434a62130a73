/* prove.h: proves single rules on single operands from what is known at a point. */
#ifndef TIKC_PROVE_H
#define TIKC_PROVE_H

#include "analysis/env.h"
#include "analysis/site.h"

/* True if a step of the checker holds for all values that the environment allows, given
 * that all steps before it hold. False: not known. */
bool prove_step(const Env *env, const Site *s, CheckStep step);

/* True if a step fails for all values that the environment allows, for a rule that allows
 * an interval or a multiple; *fault then describes it for one of them. */
bool refute_step(const Env *env, const Site *s, CheckStep step, Fault *fault);

/* Finds the offset one past the furthest byte that a tensor operand accesses for values
 * that the environment allows, with counts at their largest legal value. False: it
 * accesses none. */
bool prove_end(const Env *env, const Site *s, int param, int64_t *end);

#endif
