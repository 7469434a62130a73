/* prove.h: proofs of single rules on single operands from what is known at a point. */
#ifndef TIKC_PROVE_H
#define TIKC_PROVE_H

#include "analysis/env.h"
#include "analysis/site.h"

/* Whether a step of the checker holds for all values that the environment allows, given
 * that all steps before it hold. False: not known. */
bool prove_step(const Env *env, const Site *s, CheckStep step);

/* Whether a step fails for all values that the environment allows, of a rule that allows
 * an interval or a multiple; *fault then says so for one of them. */
bool refute_step(const Env *env, const Site *s, CheckStep step, Fault *fault);

/* One past the furthest byte that a tensor operand touches for values that the
 * environment allows; counts at their largest legal value. False: it touches none. */
bool prove_end(const Env *env, const Site *s, int param, int64_t *end);

#endif
