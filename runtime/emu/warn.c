/* warn.c: reports warnings while running, each rule once for each instruction. */
#include "emu/emu.h"

#include <stdlib.h>

/* Returns the bit of a rule whose warnings are reported while running. */
static uint8_t
bit_of(Rule rule)
{
    switch (rule) {
    case RULE_UNINIT_READ:
    case RULE_UNINIT:
    case RULE_PAD_READ:
        return 1;
    case RULE_CORE_COLLISION:
        return 64;
    case RULE_RACE:
    case RULE_WAW_NO_BARRIER:
    case RULE_SYNC_OVERRUN:
        return 128;
    case RULE_DEQ_RESERVED:
        return 2;
    case RULE_SIGN_FORCED:
        return 4;
    case RULE_RELU_MISMATCH:
        return 8;
    case RULE_BANK_CONFLICT:
        return 16;
    default:
        return 32;
    }
}

bool
emu_warn_begin(EmuRun *r)
{
    const EmuWatch *w = r->p->kernel.watch;
    r->warned = NULL;
    if (w == NULL || w->warn == NULL) {
        return true;
    }
    r->warned = calloc((size_t)r->p->nops + 1, sizeof *r->warned);
    return r->warned != NULL;
}

void
emu_warn_end(EmuRun *r)
{
    free(r->warned);
}

bool
emu_warns(const EmuRun *r, const EmuOp *op, Rule rule)
{
    return r->warned != NULL && !(r->warned[op - r->p->ops] & bit_of(rule));
}

void
emu_warn(void *site, const Fault *f)
{
    const EmuSite *s = site;
    const EmuWatch *w = s->r->p->kernel.watch;
    if (emu_warns(s->r, s->op, f->rule)) {
        s->r->warned[s->op - s->r->p->ops] |= bit_of(f->rule);
        w->warn(w->ctx, s->r->core, s->op->index, f->rule, f->text);
    }
}

void
emu_warn_numbers(EmuRun *r, const EmuOp *op)
{
    EmuSite site = {r, op};
    CheckInstr in;
    if (check_has_run_warnings((Op)op->op)) {
        emu_instr(r, op, &in);
        check_run_warnings(&in, emu_warn, &site);
    }
}
