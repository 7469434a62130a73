/* pack_plan.h: where the parts of a packed constant are (lmem_pack.h). It has types
 * only. */
#ifndef TIKRT_LAYOUT_PACK_PLAN_H
#define TIKRT_LAYOUT_PACK_PLAN_H

#include <stdint.h>

typedef enum PackKind {
    PACK_REQUANT,
    PACK_BIAS,
    PACK_WEIGHT
} PackKind;

enum {
    PACK_MAX_PARTS = 3
};

/* A part of the row of every LMEM lane, in bytes. Channel c is in lane c mod lanes at
 * offset + (c div lanes) * pitch and is slot_bytes long. */
typedef struct PackPart {
    PackKind kind;
    uint64_t offset;
    uint64_t slot_bytes;
    uint64_t pitch;
} PackPart;

typedef struct PackPlan {
    uint64_t rows;      /* LMEM lanes that hold anything */
    uint64_t slots;     /* channels of the fullest lane */
    uint64_t row_bytes; /* bytes of each row */
    uint64_t total;     /* rows * row_bytes */
    uint64_t shape[4];  /* in bytes: (1, rows, d, row_bytes / d) */
    int nparts;
    PackPart part[PACK_MAX_PARTS]; /* in order of offset */
} PackPlan;

#endif
