/* lmem_pack.h: packs constants of convolutions in the order that LMEM needs: weights with
 * their input channels in runs, preceded by the parameters of each channel, one row of
 * bytes per LMEM lane, so that one move loads everything that an instruction reads
 * (docs/lmem.md, "Packed constants").
 *
 * The functions depend on nothing but their arguments, so they give the same bytes every
 * time. Nothing is allocated; sizes come from the plan. Multi-byte values are little
 * endian. */
#ifndef TIKRT_LAYOUT_LMEM_PACK_H
#define TIKRT_LAYOUT_LMEM_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/choice.h"
#include "isa/isa.h"
#include "layout/pack_plan.h"

/* The order of the elements of a weight. */
typedef enum PackOrder {
    /* runs of parallel input channels, then kernel points, then groups of channels */
    PACK_BLOCKED,
    PACK_CELLS, /* kernel points, then all input channels, padded to cells of 32 bits */
    PACK_PLAIN  /* kernel points, then input channels; a lone odd channel is made even */
} PackOrder;

typedef struct PackTarget {
    PackOrder order;
    unsigned lanes;
    unsigned eu_bytes;
    /* input channels that 8-bit weights run in parallel; 4-bit: twice as many */
    unsigned icp8;
    unsigned icp16;         /* those of 16-bit weights */
    unsigned icp32;         /* those of 32-bit weights */
    bool int32_weights;     /* the target has 32-bit integer weights */
    unsigned requant_words; /* 32-bit words of a channel's requantisation, 0: not known */
    bool requant_aligned;   /* a slot of them begins at a multiple of eu_bytes */
    bool depthwise_aligned; /* so does a depthwise weight after parameters */
} PackTarget;

/* Fills *out for a processor; choices may be null. Returns false when it has no LMEM. */
bool pack_target(const Soc *soc, const Choices *choices, PackTarget *out);

/* The largest extent of an axis of a move. */
enum {
    PACK_MAX_DIM = 65535
};

/* Which kernel positions become channels, when there are few input channels. */
typedef enum PackMerge {
    PACK_MERGE_NONE,
    PACK_MERGE_KH,
    PACK_MERGE_KW,
    PACK_MERGE_KHKW
} PackMerge;

/* A weight of oc x ic x kh x kw elements. ic is the channels of one group, 1 for a
 * depthwise one. */
typedef struct PackWeight {
    /* a 4-bit element has a byte of its own, whose upper half is ignored */
    const void *data;
    unsigned bits; /* 4, 8, 16, 32 */
    bool is_float;
    bool is_bfloat; /* bfloat16, with bits 16 */
    uint64_t oc, ic, kh, kw;
    bool depthwise;
    PackMerge merge;
} PackWeight;

/* The requantisation of each output channel: result = input * mul, shifted right by
 * shift, plus zp. Each is an array of int32 that needs no alignment. */
typedef struct PackRequant {
    const void *mul;
    const void *shift; /* to the right, not negative */
    const void *zp;    /* one for each channel, or one in all (zp_step 0) */
    size_t zp_step;
} PackRequant;

typedef enum PackResult {
    PACK_OK,
    /* the target has no rule for such a weight, or for these parts together */
    PACK_BAD_TYPE,
    PACK_ROW_LIMIT, /* a row has no split into axes of at most PACK_MAX_DIM */
    PACK_TOO_LARGE  /* sizes beyond 2^48 bytes */
} PackResult;

/* Returns the input channels that are adjacent; 0 when the target has no such weights. */
unsigned pack_parallel(const PackTarget *t, const PackWeight *w);

/* Returns what the public compiler merges (which it does for 8-bit weights of one
 * group). */
PackMerge pack_auto_merge(const PackTarget *t, const PackWeight *w);

/* Gives the shape of the weight alone, in elements as stored (4-bit ones in bytes), and
 * its bytes. Channel c begins at c times bytes / oc. */
PackResult pack_weight_shape(const PackTarget *t, const PackWeight *w, uint64_t shape[4],
                             uint64_t *bytes);
/* Packs the weight. out has the bytes of pack_weight_shape, which returned PACK_OK. */
void pack_weight(const PackTarget *t, const PackWeight *w, void *out);

/* Plans rows of requantisation, bias and weight; each of the first two may be missing. */
PackResult pack_plan(const PackTarget *t, const PackWeight *w, bool requant, bool bias,
                     PackPlan *plan);
/* Plans what pack_conv makes: rows as pack_plan does, or a weight alone with a row for
 * each output channel. shape is then that of pack_weight_shape, in elements. */
PackResult pack_constant(const PackTarget *t, const PackWeight *w, bool requant,
                         bool bias, PackPlan *plan);
/* Gives the axes of rows of bytes. parallel is that of the weight; slots is given for a
 * depthwise weight, else 0. */
PackResult pack_row_shape(uint64_t rows, uint64_t row_bytes, uint64_t parallel,
                          uint64_t slots, uint64_t shape[4]);
/* Writes the requantisation words of all channels, one channel after the other: 4 *
 * requant_words * oc bytes. */
void pack_requant_words(const PackTarget *t, uint64_t oc, const PackRequant *requant,
                        void *out);
/* Packs the rows of a plan. words are those of pack_requant_words, bias is a 32-bit word
 * for each channel; null where the plan has none. out has plan->total bytes, all zero. */
void pack_rows(const PackTarget *t, const PackWeight *w, const void *words,
               const void *bias, const PackPlan *plan, void *out);

/* Packs the parameters of 8-bit weights for PACK_PLAIN targets: bias (or null),
 * multiplier and shift of each channel, in 9 or 5 bytes. */
void pack_channel_bytes(uint64_t oc, const void *bias, const PackRequant *requant,
                        uint8_t *out);
/* Packs the bias of bfloat16 weights for PACK_PLAIN targets: the upper halves of all
 * words, then the lower ones. */
void pack_bias_planes(uint64_t oc, const void *bias, uint8_t *out);

/* Packs elements of 4 bits, the lower halves of n bytes, two to a byte with the first in
 * the lower half; unpacks them. */
void pack_nibbles(const uint8_t *src, uint64_t n, uint8_t *out);
void pack_nibbles_apart(const uint8_t *src, uint64_t n, uint8_t *out);

/* Copies an array to the leading box of a larger one, of rank 1 or more. The extents `to`
 * are at least those of `from`; out has the zeroed bytes of the larger array. */
void pack_resize(const void *src, const uint64_t *from, const uint64_t *to, int rank,
                 size_t elem_bytes, void *out);

#endif
