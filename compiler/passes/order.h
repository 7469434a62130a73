/* order.h: which instructions of the queues of a core have certainly ended when another
 * one begins.
 *
 * The model (data-movement 12.2): instructions are handed to their queues in program
 * order; a queue begins them in that order, but one may begin before the one before it
 * has ended. set_flag takes effect when all before it in its queue have ended, and holds
 * nothing up; wait_flag holds its queue until then, pipe_barrier makes a queue wait for
 * itself, and a wait of PIPE_S holds everything that comes later, since the scalar unit
 * hands out the instructions. */
#ifndef TIKC_ORDER_H
#define TIKC_ORDER_H

#include "rules/flag.h"

/* A point of time, as the number of instructions of each queue that have ended by
 * then. */
typedef struct OrderTime {
    int32_t ended[PIPE_COUNT];
} OrderTime;

typedef struct Order {
    OrderTime handed; /* instructions handed out */
    /* what has ended when the queue begins its next instruction */
    OrderTime known[PIPE_COUNT];
    struct {
        bool up;
        OrderTime at;   /* of the last set_flag */
        int32_t waited; /* number of the last wait_flag in its queue; 0: there was none */
    } flag[PIPE_COUNT][PIPE_COUNT][FLAG_IDS];
} Order;

/* Hands an instruction to a queue: gives its number there, from 1 on. What ended before
 * it begins is known[p]. */
int32_t order_instr(Order *o, Pipe p);
/* False: the flag may still be up from before, since nothing says that its last wait_flag
 * came by. */
bool order_set(Order *o, Pipe from, Pipe to, int id);
/* Of a flag that is not up, set by what this order does not know: the queue waits for
 * everything. */
void order_wait(Order *o, Pipe from, Pipe to, int id);
/* PIPE_COUNT: all queues. */
void order_barrier(Order *o, int p);
/* Everything so far ends before anything later begins. */
void order_all(Order *o);

/* Whether instruction number n of queue p has ended when queue q begins its next one. */
static inline bool
order_ended(const Order *o, Pipe p, int32_t n, Pipe q)
{
    return o->known[q].ended[p] >= n;
}

#endif
