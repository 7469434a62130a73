/* weight_reorder.c: gives packed constants the bytes that LMEM demands (lmem.md 6, 7,
 * 10.4).
 *
 * Needs: constants of pack_conv in plain order: the words of requantisation of all
 * channels, the bias of all channels, the weight as the program has it, zeros up to the
 * end. Guarantees: they are in the order of their plan and tagged so, unless the option
 * no_weight_reorder keeps them plain. A constant that is tagged stays as it is. Never:
 * changes sizes, shapes or other buffers. */
#include "ir/packed_const.h"
#include "passes/passes.h"

/* Returns the elements of a weight, each in bytes of its own. */
static const uint8_t *
elements(Kernel *k, const PackInfo *i, const uint8_t *data)
{
    if (!i->nibbles) {
        return data;
    }
    uint64_t n = (uint64_t)(i->dim[0] * i->dim[1] * i->dim[2] * i->dim[3]);
    uint8_t *apart = arena_alloc(&k->arena, (size_t)n);
    pack_nibbles_apart(data, n, apart);
    return apart;
}

static void
reorder(Kernel *k, const PackTarget *t, Buffer *b)
{
    const PackInfo *i = b->pack;
    uint8_t *out = arena_alloc(&k->arena, (size_t)b->bytes);
    const uint8_t *words = b->data;
    const uint8_t *bias =
        words + (i->requant ? 4 * (size_t)t->requant_words * (size_t)i->dim[0] : 0);
    const uint8_t *weight = bias + (i->bias ? 4 * (size_t)i->dim[0] : 0);
    PackWeight w = weight_source(i, elements(k, i, weight));
    if (i->bias || i->requant) {
        pack_rows(t, &w, words, bias, &i->plan, out);
    } else {
        pack_weight(t, &w, out);
    }
    b->data = out;
    b->packed = true;
}

bool MUST_USE
pass_weight_reorder(Kernel *k)
{
    PackTarget t;
    if (k->unit->opt.no_weight_reorder || !pack_target(k->soc, k->choices, &t)) {
        return true;
    }
    for (BufId id = 1; id < k->bufs.n; id++) {
        Buffer *b = &k->bufs.p[id];
        if (b->pack != NULL && !b->packed) {
            reorder(k, &t, b);
        }
    }
    return true;
}
