/* order.c: keeps track of which instructions have ended (see order.h). */
#include "passes/order.h"
#include "base/base.h"

static void
join(OrderTime *to, const OrderTime *from)
{
    for (int p = 0; p < PIPE_COUNT; p++) {
        to->ended[p] = MAX(to->ended[p], from->ended[p]);
    }
}

/* The scalar unit hands out later instructions only when it has come this far. */
static void
hold(Order *o, Pipe p)
{
    for (int q = 0; p == PIPE_S && q < PIPE_COUNT; q++) {
        join(&o->known[q], &o->known[PIPE_S]);
    }
}

int32_t
order_instr(Order *o, Pipe p)
{
    return ++o->handed.ended[p];
}

bool
order_set(Order *o, Pipe from, Pipe to, int id)
{
    /* PIPE_S hands out the set_flag itself. */
    bool came_by = to == PIPE_S || order_ended(o, to, o->flag[from][to][id].waited, from);
    OrderTime at = o->known[from];
    at.ended[from] = o->handed.ended[from];
    (void)order_instr(o, from);
    o->flag[from][to][id].up = true;
    o->flag[from][to][id].at = at;
    return came_by;
}

void
order_wait(Order *o, Pipe from, Pipe to, int id)
{
    bool up = o->flag[from][to][id].up;
    join(&o->known[to], up ? &o->flag[from][to][id].at : &o->handed);
    o->flag[from][to][id].up = false;
    o->flag[from][to][id].waited = order_instr(o, to);
    hold(o, to);
}

void
order_barrier(Order *o, int p)
{
    if (p == PIPE_COUNT) {
        order_all(o);
    } else if (p != PIPE_S) {
        o->known[p].ended[p] = o->handed.ended[p];
    }
}

void
order_all(Order *o)
{
    for (int q = 0; q < PIPE_COUNT; q++) {
        o->known[q] = o->handed;
    }
}
