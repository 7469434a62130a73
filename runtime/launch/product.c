/* product.c: products of compiled kernels whose factors are not where the instruction has
 * them, or whose sums are converted as they are made. */
#include "launch/cores.h"
#include "isa/operand.h"
#include "ops/finish.h"

int
tikrt_product(TikCore *core, const TikCheck *op, const int64_t *values,
              uint8_t *const *operands, const TikOrigin *origins)
{
    return launch_execute(core, op, values, operands, &(ProductPlan){origins, NULL});
}

/* Conversions of a product's groups; those of a move without parameters by channel are
 * one for all of its bursts. */
typedef struct Conversions {
    int n;
    NumDeq deq[FINISH_DEQS];
    int32_t move[FINISH_DEQS];
    int64_t burst[FINISH_DEQS];
} Conversions;

static const NumDeq *
find_conversion(const Conversions *c, const TikFinishGroup *g)
{
    for (int i = 0; i < c->n; i++) {
        if (c->move[i] == g->move && c->burst[i] == g->burst) {
            return &c->deq[i];
        }
    }
    return NULL;
}

/* Returns the conversion of a group; null: its parameters break a rule. */
static const NumDeq *
conversion(TikCore *core, Conversions *c, const TikFinish *f, const TikFinishGroup *g,
           uint8_t *const *places)
{
    const NumDeq *known = find_conversion(c, g);
    if (known != NULL) {
        return known;
    }
    const TikFinishMove *m = &f->move[g->move];
    BoundCall b;
    WarnSite site = {core, m->op};
    launch_bind(core, &b, m->op, m->values);
    b.call.at[ACCFLY_deqscale] = places[g->move];
    b.call.ctx = &site;
    if (!ops_finish_deq(&b.call, g->burst, &c->deq[c->n])) {
        launch_record(core, b.call.fault.rule, b.call.fault.text, m->op->place);
        return NULL;
    }
    c->move[c->n] = g->move;
    c->burst[c->n] = g->burst;
    return &c->deq[c->n++];
}

int
tikrt_finish(TikCore *core, const TikCheck *op, const int64_t *values,
             uint8_t *const *operands, const TikOrigin *origins, const TikFinish *finish,
             uint8_t *const *places)
{
    Conversions all;
    all.n = 0;
    OpFinish f; /* it is large, and few groups are used */
    f.rows = finish->rows;
    f.pitch = finish->pitch;
    f.rectify = finish->rectify != 0;
    f.groups = finish->groups;
    for (int i = 0; i < f.groups; i++) {
        const TikFinishGroup *g = &finish->group[i];
        const NumDeq *deq = conversion(core, &all, finish, g, places);
        if (deq == NULL) {
            return 1;
        }
        f.group[i].deq = deq;
        f.group[i].to = places[finish->moves + g->write] + g->off;
        f.group[i].bytes = dtype_size((Dtype)(deq->dst + 1));
    }
    ops_finish_pair(&f);
    return launch_execute(core, op, values, operands, &(ProductPlan){origins, &f});
}
