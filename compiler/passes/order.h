/* order.h: finds which instructions of the queues of a core have certainly ended when
 * another instruction begins.
 *
 * The model (data-movement 12.2): instructions are handed to their queues in program
 * order. A queue begins its instructions in that order, but one may begin before the
 * previous one has ended. set_flag takes effect when all earlier instructions of its
 * queue have ended, and delays nothing; wait_flag delays its queue until then.
 * pipe_barrier makes a queue wait for itself. A wait of PIPE_S delays everything that
 * comes later, since the scalar unit hands out the instructions. */
#ifndef TIKC_ORDER_H
#define TIKC_ORDER_H

#include "rules/flag.h"

/* A point in time, as the number of instructions of each queue that have ended by
 * then. */
typedef struct OrderTime {
    int32_t ended[PIPE_COUNT];
} OrderTime;

typedef struct Order {
    OrderTime handed; /* instructions handed out so far */
    /* what has certainly ended when the queue begins its next instruction */
    OrderTime known[PIPE_COUNT];
    struct {
        bool up;
        OrderTime at;   /* when the last set_flag took effect */
        int32_t waited; /* number of the last wait_flag in its queue; 0: there was none */
    } flag[PIPE_COUNT][PIPE_COUNT][FLAG_IDS];
} Order;

/* Hands an instruction to a queue and returns its number there, counted from 1. known[p]
 * says what has ended before it begins. */
int32_t order_instr(Order *o, Pipe p);
/* False: the flag may still be up from before, since nothing proves that its last
 * wait_flag has been passed. */
bool order_set(Order *o, Pipe from, Pipe to, int id);
/* If the flag is not up, an instruction that this order does not know sets it: the queue
 * then waits for everything. */
void order_wait(Order *o, Pipe from, Pipe to, int id);
/* p: the queue, or PIPE_COUNT for all queues. */
void order_barrier(Order *o, int p);
/* Everything so far ends before anything later begins. */
void order_all(Order *o);

/* True if instruction number n of queue p has ended when queue q begins its next one. */
static inline bool
order_ended(const Order *o, Pipe p, int32_t n, Pipe q)
{
    return o->known[q].ended[p] >= n;
}

#endif
