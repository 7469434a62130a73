/* lmem_pack.h: constants of convolutions in the order in which lane-local memory wants
 * them: weights with their input channels in runs, parameters per channel in front of
 * them, one row of bytes per lane, so that one move loads everything an instruction reads
 * (docs/lmem.md, "Packed constants").
 *
 * Pure functions of their arguments: the same bytes every time. Nothing is allocated;
 * sizes come from the plan. Multi-byte values are little endian. */
#ifndef TIKRT_LAYOUT_LMEM_PACK_H
#define TIKRT_LAYOUT_LMEM_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/choice.h"
#include "isa/isa.h"
#include "layout/pack_plan.h"

/* What packing has to know of a target. */
typedef enum PackOrder {
    /* runs of parallel input channels, then kernel points, then groups of channels */
    PACK_BLOCKED,
    PACK_CELLS, /* kernel points, then all input channels, up to whole cells of 32 bits */
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
    bool int32_weights;     /* there are 32-bit integer weights */
    unsigned requant_words; /* 32-bit words of a channel's requantisation, 0: not known */
    bool requant_aligned;   /* a slot of them begins at a multiple of eu_bytes */
    bool depthwise_aligned; /* so does a merged depthwise weight */
} PackTarget;

/* What packing has to know of the processor; choices may be null. False: it has no
 * lanes. */
bool pack_target(const Soc *soc, const Choices *choices, PackTarget *out);

/* Largest extent of an axis of a move. */
enum {
    PACK_MAX_DIM = 65535
};

/* Kernel positions that become channels, for few input channels. */
typedef enum PackMerge {
    PACK_MERGE_NONE,
    PACK_MERGE_KH,
    PACK_MERGE_KW,
    PACK_MERGE_KHKW
} PackMerge;

/* A weight: oc x ic x kh x kw elements, ic the channels of one group, 1 of a depthwise
 * one. */
typedef struct PackWeight {
    /* 4-bit: one nibble in each byte, the upper half of the byte is ignored */
    const void *data;
    unsigned bits; /* 4, 8, 16, 32 */
    bool is_float;
    bool is_bfloat; /* of 16 bits */
    uint64_t oc, ic, kh, kw;
    bool depthwise;
    PackMerge merge;
} PackWeight;

/* Requantisation of each output channel: result = input * mul, shifted right by shift,
 * plus zp. Each is an array of int32 at any address. */
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

/* Input channels that lie side by side; 0: the target has no such weights. */
unsigned pack_parallel(const PackTarget *t, const PackWeight *w);

/* What the public compiler would merge (it does for 8-bit weights of one group). */
PackMerge pack_auto_merge(const PackTarget *t, const PackWeight *w);

/* The weight by itself: shape in elements as stored (4-bit: in bytes), and its bytes;
 * channel c begins at c times bytes / oc. */
PackResult pack_weight_shape(const PackTarget *t, const PackWeight *w, uint64_t shape[4],
                             uint64_t *bytes);
/* out: the bytes of pack_weight_shape, which returned PACK_OK. */
void pack_weight(const PackTarget *t, const PackWeight *w, void *out);

/* Rows of requantisation, bias and weight; each of the first two may be missing. */
PackResult pack_plan(const PackTarget *t, const PackWeight *w, bool requant, bool bias,
                     PackPlan *plan);
/* What pack_conv makes: rows as above, or a weight by itself, one row for each output
 * channel. shape is then that of pack_weight_shape, in elements. */
PackResult pack_constant(const PackTarget *t, const PackWeight *w, bool requant,
                         bool bias, PackPlan *plan);
/* The axes of a row of bytes; parallel as of the weight, slots for a depthwise one, else
 * 0. */
PackResult pack_row_shape(uint64_t rows, uint64_t row_bytes, uint64_t parallel,
                          uint64_t slots, uint64_t shape[4]);
/* The words of every channel, one channel after the other: 4 * requant_words * oc
 * bytes. */
void pack_requant_words(const PackTarget *t, uint64_t oc, const PackRequant *requant,
                        void *out);
/* words as pack_requant_words made them, bias: 32-bit words of the channels; null where
 * the plan has none. out: plan->total bytes, all zero. */
void pack_rows(const PackTarget *t, const PackWeight *w, const void *words,
               const void *bias, const PackPlan *plan, void *out);

/* PACK_PLAIN targets, parameters of 8-bit weights: bias (or null), multiplier, shift of
 * each channel: 9 or 5 bytes each. */
void pack_channel_bytes(uint64_t oc, const void *bias, const PackRequant *requant,
                        uint8_t *out);
/* PACK_PLAIN targets, bias of bfloat16 weights: the upper halves of all words, then the
 * lower. */
void pack_bias_planes(uint64_t oc, const void *bias, uint8_t *out);

/* Elements of 4 bits, the lower half of each of n bytes, two to a byte, the first in the
 * lower half; and back. */
void pack_nibbles(const uint8_t *src, uint64_t n, uint8_t *out);
void pack_nibbles_apart(const uint8_t *src, uint64_t n, uint8_t *out);

/* The leading box of a new array is the old one, the rest is zero. Extents of to are at
 * least those of from; out: zero bytes, as many as to says. */
void pack_resize(const void *src, const uint64_t *from, const uint64_t *to, int rank,
                 size_t elem_bytes, void *out);

#endif
