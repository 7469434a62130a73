/* prove.c: proves rules by what is known at a point (see prove.h). What is known of
 * numbers comes from the environment; what follows from it for a rule is decided in
 * rules/obligation.c. */
#include "analysis/prove.h"
#include "rules/obligation.h"

typedef struct Question {
    const Env *env;
    const Site *s;
} Question;

static Interval
values(const void *ctx, int param, int i)
{
    const Question *q = ctx;
    return env_range(q->env, site_expr(q->s, param, i));
}

/* Returns the difference of two offsets, if it has no terms. */
static bool
distance(const void *ctx, int a, int b, int64_t *out)
{
    const Question *q = ctx;
    Affine x, y, d;
    if (!env_affine(q->env, site_expr(q->s, a, 0), &x) ||
        !env_affine(q->env, site_expr(q->s, b, 0), &y) || !affine_sub(&x, &y, &d) ||
        d.n != 0) {
        return false;
    }
    *out = d.constant;
    return true;
}

/* True if a number of the scalar's own type is always in its range. */
static bool
fits_by_type(const Site *s, CheckStep step)
{
    return step.kind == CHECK_SCALAR &&
           ir_expr(s->k, site_expr(s, step.param, 0))->dtype ==
               check_scalar_dtype(&s->in, step.param);
}

static Standing
stands(const Env *env, const Site *s, CheckStep step, Fault *fault)
{
    CheckInstr most, least, at;
    Question q = {env, s};
    Known k = {.in = &s->in,
               .values = values,
               .distance = distance,
               .ctx = &q,
               .most = &most,
               .least = &least,
               .at = &at};
    return fits_by_type(s, step) ? STANDS_PROVED : obligation_stands(&k, step, fault);
}

bool
prove_step(const Env *env, const Site *s, CheckStep step)
{
    Fault ignored;
    return stands(env, s, step, &ignored) == STANDS_PROVED;
}

bool
refute_step(const Env *env, const Site *s, CheckStep step, Fault *fault)
{
    return stands(env, s, step, fault) == STANDS_REFUTED;
}

bool
prove_end(const Env *env, const Site *s, int param, int64_t *end)
{
    CheckInstr most;
    Question q = {env, s};
    Known k = {.in = &s->in, .values = values, .ctx = &q, .most = &most};
    return obligation_end(&k, param, end);
}
