/* sink.c: sums of whole repeats that end a fused loop (iteration_sink). A chunk of such a
 * loop is a repeat. Of each the first levels of its tree are made in registers, and the
 * quarter of the lanes that is left waits in memory; after the loop the trees of many
 * repeats are ended together (host/lower/tree.c). */
#include "host/lower/fusion.h"

enum {
    LANES = REPEAT_BYTES / 4,
    QUARTER = LANES / 4,
    QUARTER_BYTES = 4 * QUARTER
};

bool
fusion_has_sink(const Fusion *f)
{
    for (int i = 0; i < f->n; i++) {
        if (f->member[i].result != NULL) {
            return true;
        }
    }
    return false;
}

static int64_t
repeats_of(const Chunk *c, int member)
{
    return c->f->member[member].lanes.times / LANES;
}

void
sinks_begin(Lower *l, Chunk *c)
{
    for (int i = 0; i < c->f->n; i++) {
        if (c->f->member[i].result != NULL) {
            c->quarters[i] = lower_sum_room(l, DT_F32, repeats_of(c, i));
        }
    }
}

/* Conversions from float16 take the part of the machine that shuffles: where there are
 * some, shifts take a part of the trees. */
static bool
converts(const Fusion *f)
{
    for (int i = 0; i < f->n; i++) {
        const FusedMember *m = &f->member[i];
        if (m->n > 1 && m->dtype[0] == DT_F32 && m->dtype[1] == DT_F16) {
            return true;
        }
    }
    return false;
}

int64_t
sink_bytes(int64_t elems)
{
    _Static_assert(QUARTER_BYTES == LANES, "a byte of the quarters for each element");
    return elems;
}

/* The index of the first of the repeat's elements is the distance of its quarter too. */
void
sink_take(Lower *l, const Chunk *c, int member, LLVMValueRef bits)
{
    LLVMValueRef at = c->first;
    at = LLVMBuildGEP2(l->b, l->i8, c->quarters[member], &at, 1, "");
    LLVMValueRef x = lower_tree_numbers(l, DT_F32, LANES, lower_any_nan(l, bits));
    x = converts(c->f) ? lower_sum_quarter_shifted(l, x)
                       : lower_sum_quarter(l, DT_F32, LANES, x);
    LLVMBuildStore(l->b, x, at);
}

void
sinks_end(Lower *l, const Chunk *c)
{
    for (int i = 0; i < c->f->n; i++) {
        if (c->f->member[i].result != NULL) {
            LLVMValueRef sum =
                lower_sum_of_quarters(l, DT_F32, c->quarters[i], repeats_of(c, i));
            LLVMSetAlignment(LLVMBuildStore(l->b, sum, c->result[i]), 1);
        }
    }
}
