/* write.c: writes to global memory. The atomic mode of the core (rules/atomic.h), read
 * when the instruction is issued, makes a copy of elements an addition or an extreme.
 * Cores run one after another, so the writes of a core come before those of the next
 * one. */
#include "emu/emu.h"

#include <string.h>

#include "num/combine.h"

bool
emu_write_mode(EmuRun *r, const EmuOp *op, int dst, Scope from, int64_t burst,
               AtomicWrite *w)
{
    Fault fault;
    AtomicSite site = {.op = (Op)op->op,
                       .soc = r->p->kernel.soc,
                       .choices = &r->p->kernel.choices,
                       .dst = dst,
                       .dtype = emu_slot_ref(r->p, op, dst)->dtype,
                       .from = from,
                       .burst = burst,
                       .log = r->peers != NULL ? &r->log : NULL};
    return check_atomic(&site, atomic_read(r->sreg), w, &fault) ||
           emu_record(r, op, &fault);
}

void
emu_write(const AtomicWrite *w, uint8_t *dst, const uint8_t *src, int64_t n)
{
    static const NumCombine ops[] = {
        [ATOMIC_ADD] = NUM_ADD, [ATOMIC_MAX] = NUM_MAX, [ATOMIC_MIN] = NUM_MIN};
    if (w->on) {
        NumCombine how =
            w->op == ATOMIC_ADD && w->infinite ? NUM_ADD_INFINITE : ops[w->op];
        atomic_note(w, dst, src, n);
        num_combine(num_type((int)w->dtype), how, dst, src, n / dtype_size(w->dtype));
    } else {
        memmove(dst, src, (size_t)n);
    }
}
