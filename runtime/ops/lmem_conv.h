/* lmem_conv.h: a convolution on LMEM lanes, for the two ways of computing it. It is
 * private to runtime/ops. */
#ifndef TIK_OPS_LMEM_CONV_H
#define TIK_OPS_LMEM_CONV_H

#include "rules/lmem_conv.h"
#include "num/dot.h"
#include "ops/lmem.h"

typedef struct ConvCall {
    OpLmem d, x;
    LaneConv k;
    Dtype in, out;
    const uint8_t *weight; /* first byte, in lane 0 */
    int64_t pitch;         /* distance of LMEM lanes in bytes */
    const NumDotTable *dot;
} ConvCall;

/* The constant parts of a row of results. */
typedef struct Row {
    int64_t n, oc, oh;
    int64_t first, count; /* results of the row that are computed now */
    const uint8_t *lane;  /* LMEM lane of the output channel */
    int64_t slot;
} Row;

static inline Row
ops_conv_row(const ConvCall *c, int64_t n, int64_t oc)
{
    Row row = {.n = n, .oc = oc, .slot = oc / c->d.npu};
    row.lane = c->weight + oc % c->d.npu * c->pitch;
    return row;
}

typedef union Sum {
    uint32_t u; /* int32 that wraps */
    float f;
} Sum;

/* Finds the results [*from, *to) of a row whose input column at a kernel column is in the
 * image; the range may be empty. */
void ops_conv_columns(const ConvCall *c, int64_t kw, int64_t *from, int64_t *to);
/* Returns the index of a weight of an output channel, in the elements of its slot. */
int64_t ops_conv_weight(const ConvCall *c, int64_t ic, int64_t position);
/* Writes row.count results, made of their sums. */
void ops_conv_store(const ConvCall *c, const Row *row, const Sum *sums);

/* ops/lmem_tile.c: does a whole convolution that is not depthwise, as blocks of
 * products. */
void ops_conv_tiles(const ConvCall *c);

#endif
