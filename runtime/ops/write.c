/* write.c: writes of compiled kernels to global memory under the atomic mode of the core
 * (rules/atomic.h), and data_move in kernels that set it. launch/core_order.c orders the
 * writes of different cores. */
#include <string.h>

#include "num/combine.h"
#include "ops/internal.h"
#include "isa/operand.h"

bool
ops_write_mode(OpCall *c, int dst, Scope from, int64_t burst, AtomicWrite *w)
{
    AtomicSite site = {.op = c->in.op,
                       .soc = c->in.soc,
                       .choices = c->in.choices,
                       .dst = dst,
                       .dtype = c->in.args[dst].t.dtype,
                       .from = from,
                       .burst = burst,
                       .log = c->log};
    return check_atomic(&site, atomic_read(c->sreg), w, &c->fault);
}

static NumCombine
combine_of(const AtomicWrite *w)
{
    return w->op == ATOMIC_MAX   ? NUM_MAX
           : w->op == ATOMIC_MIN ? NUM_MIN
           : w->infinite         ? NUM_ADD_INFINITE
                                 : NUM_ADD;
}

void
ops_write_runs(const AtomicWrite *w, const OpRuns *r)
{
    bool one = r->n == 1 || (r->dst_pitch == r->len && r->src_pitch == r->len);
    int64_t runs = one ? r->n != 0 : r->n, len = one ? r->n * r->len : r->len;
    for (int64_t i = 0; i < runs; i++) {
        uint8_t *to = r->dst + i * r->dst_pitch;
        const uint8_t *from = r->src + i * r->src_pitch;
        if (w->on) {
            atomic_note(w, to, from, len);
            num_combine(num_type((int)w->dtype), combine_of(w), to, from,
                        len / dtype_size(w->dtype));
        } else {
            memcpy(to, from, (size_t)len);
        }
    }
}

/* Copies in one memory, where source and destination may overlap, by blocks of 32 bytes
 * (choice D12). */
static void
copy_ascending(const OpRuns *r)
{
    for (int64_t i = 0; i < r->n; i++) {
        for (int64_t at = 0; at < r->len; at += BLOCK_BYTES) {
            uint8_t block[BLOCK_BYTES];
            memcpy(block, r->src + i * r->src_pitch + at, BLOCK_BYTES);
            memcpy(r->dst + i * r->dst_pitch + at, block, BLOCK_BYTES);
        }
    }
}

bool
ops_move(OpCall *c)
{
    const CheckArg *a = c->in.args;
    AtomicWrite w;
    OpRuns r = {.dst = c->at[MOVE_dst], .src = c->at[MOVE_src], .n = a[MOVE_nburst].v};
    r.len = a[MOVE_burst].v * BLOCK_BYTES;
    r.dst_pitch = r.len + a[MOVE_dst_stride].v * BLOCK_BYTES;
    r.src_pitch = r.len + a[MOVE_src_stride].v * BLOCK_BYTES;
    if (r.n == 0 || r.len == 0) { /* an empty move, see choice D10 */
        return true;
    }
    if (a[MOVE_dst].t.scope != SC_GM) {
        copy_ascending(&r);
        return true;
    }
    if (!ops_write_mode(c, MOVE_dst, a[MOVE_src].t.scope, r.len, &w)) {
        return false;
    }
    ops_write_runs(&w, &r);
    return true;
}
