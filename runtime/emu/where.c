/* where.c: describes where a fault is: its core, the counters of the loops around it, the
 * Scalars that it reads. */
#include "emu/emu.h"

#include <string.h>

#include "support/error.h"

/* Appends the names and values at a descriptor. */
static void
say(EmuRun *r, uint32_t descriptor)
{
    const EmuKernel *k = &r->p->kernel;
    for (uint32_t i = 0; i < k->nnames && k->names[i].descriptor <= descriptor; i++) {
        const TikBlobName *name = &k->names[i];
        if (name->descriptor == descriptor) {
            uint32_t at = name->num.index + 1; /* after the core's index */
            at += name->num.kind == NUM_REG ? k->nloops : 0;
            where_value(r->res->where, name->name, name->dtype, r->vals[at]);
        }
    }
}

void
emu_where(EmuRun *r, const EmuOp *op)
{
    uint32_t open[TIKBLOB_MAX_LOOPS];
    int depth = 0;
    where_core(r->res->where, r->core, r->cores);
    if (r->res->fault.rule == RULE_BARRIER) {
        return; /* the fault was found when all cores had stopped */
    }
    for (const EmuOp *at = r->p->ops; at < op; at++) {
        if (at->kind == DESC_LOOP && depth < TIKBLOB_MAX_LOOPS) {
            open[depth++] = at->index;
        } else if (at->kind == DESC_ENDLOOP) {
            depth--;
        }
    }
    for (int i = 0; i < depth; i++) {
        say(r, open[i]);
    }
    if (op->kind != DESC_LOOP) {
        say(r, op->index);
    }
}
