/* allocate_lanes.h: places buffers in the LMEM lanes of a SOPHON processor. They are
 * placed in the order of their declarations, each at the lowest address that is free in
 * every LMEM lane while it lives. Addresses and sizes are those of one LMEM lane. */
#ifndef TIKC_ALLOCATE_LANES_H
#define TIKC_ALLOCATE_LANES_H

#include "ir/ir.h"

typedef struct LaneLife {
    BufId buf;
    uint32_t begin, end; /* the buffer lives between these statement positions */
    /* bytes in each LMEM lane, rounded up to the next place where a buffer may begin */
    int64_t size;
    /* the given address of a fixed buffer; of others -1 until they are placed */
    int64_t address;
    bool fixed;
} LaneLife;

/* Places all buffers; lives are in the order of declarations. If the kernel's option
 * demands it, buffers of one instruction, and buffers that are moved while others are
 * computed on, get different banks as long as there is room. A buffer that does not fit
 * keeps address -1, and the result is then false. */
bool lanes_place(const Kernel *k, Arena *scratch, LaneLife *lives, uint32_t n);
/* Reports the warning bank-conflict for every instruction whose buffers have addresses in
 * one bank. */
void lanes_warn_banks(const Kernel *k);

#endif
