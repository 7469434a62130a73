/* lmem.h: tensor operands of four axes, in lanes or linear. Private to runtime/emu. */
#ifndef TIK_EMU_LMEM_H
#define TIK_EMU_LMEM_H

#include "emu/emu.h"
#include "layout/lmem.h"

typedef struct EmuTensor {
    uint8_t *at;  /* in lane 0 */
    LmemTensor x; /* base 0 */
    int npu;      /* lanes; 0: linear */
    int64_t lmem_pitch;
    Dtype dtype;
} EmuTensor;

/* bits: of an element; 0: those of the dtype. False: a fault is recorded. */
bool emu_tensor_open(EmuRun *r, const EmuOp *op, int slot, int bits, EmuTensor *t);
/* Where an element is: its byte, and for elements of 4 bits which half of it. */
uint8_t *emu_tensor_at(const EmuTensor *t, const int64_t at[LMEM_AXES], int *half);
/* The next element in row-major order; false behind the last. */
bool emu_tensor_next(const int64_t shape[LMEM_AXES], int64_t at[LMEM_AXES]);

/* emu/lmem_watch.c: the instruction reads a tensor; lanes lanes of bytes each; it has
 * written a tensor. */
void emu_watch_read(EmuRun *r, const EmuOp *op, int slot, const EmuTensor *t);
void emu_watch_table(EmuRun *r, const EmuOp *op, int slot, const uint8_t *at,
                     int64_t bytes, int64_t lanes);
void emu_watch_write(EmuRun *r, const EmuTensor *t);
/* The instruction begins: its banks, and those of the one before it. */
void emu_watch_banks(EmuRun *r, const EmuOp *op);

#endif
