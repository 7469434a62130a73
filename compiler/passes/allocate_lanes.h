/* allocate_lanes.h: places of buffers in the lanes of LMEM: in the order of their
 * declarations, each at the lowest address that is free in every lane while it lives.
 * Addresses and sizes are those of one lane. */
#ifndef TIKC_ALLOCATE_LANES_H
#define TIKC_ALLOCATE_LANES_H

#include "ir/ir.h"

typedef struct LaneLife {
    BufId buf;
    uint32_t begin, end; /* statement positions of its life */
    int64_t size;    /* bytes of each lane, up to the next place where one may begin */
    int64_t address; /* given when fixed; -1 otherwise, until it is placed */
    bool fixed;
} LaneLife;

/* Places all of them; lives stand in the order of declarations. With the option for it,
 * buffers of one instruction, and those that are moved while others are computed on, get
 * different banks as long as there is room. What does not fit keeps -1: false. */
bool lanes_place(const Kernel *k, Arena *scratch, LaneLife *lives, uint32_t n);
/* bank-conflict of every instruction, by the addresses that buffers have. */
void lanes_warn_banks(const Kernel *k);

#endif
