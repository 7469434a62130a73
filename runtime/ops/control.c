/* control.c: flags between the queues of a core, for compiled kernels. */
#include "ops/internal.h"

bool
ops_flag(OpCall *c)
{
    return flag_step(c->flags, &c->in, c->instr, &c->fault);
}
