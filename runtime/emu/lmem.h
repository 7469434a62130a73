/* lmem.h: tensor operands of four axes, in LMEM lanes or linear memory. It is private to
 * runtime/emu. */
#ifndef TIK_EMU_LMEM_H
#define TIK_EMU_LMEM_H

#include "emu/emu.h"
#include "layout/lmem.h"

typedef struct EmuTensor {
    uint8_t *at;  /* first byte, in lane 0 */
    LmemTensor x; /* with base 0 */
    int npu;      /* LMEM lanes; 0: linear */
    int64_t lmem_pitch;
    Dtype dtype;
} EmuTensor;

/* Opens an operand whose elements have `bits` bits; 0: those of the dtype. Returns false
 * when it recorded a fault. */
bool emu_tensor_open(EmuRun *r, const EmuOp *op, int slot, int bits, EmuTensor *t);
/* Returns the byte of an element, and in *half which half of it an element of 4 bits
 * has. */
uint8_t *emu_tensor_at(const EmuTensor *t, const int64_t at[LMEM_AXES], int *half);
/* Goes on to the next element in row-major order; false after the last one. */
bool emu_tensor_next(const int64_t shape[LMEM_AXES], int64_t at[LMEM_AXES]);

/* emu/lmem_watch.c: notes that the instruction reads a tensor, reads bytes of some LMEM
 * lanes, or has written a tensor. */
void emu_watch_read(EmuRun *r, const EmuOp *op, int slot, const EmuTensor *t);
void emu_watch_table(EmuRun *r, const EmuOp *op, int slot, const uint8_t *at,
                     int64_t bytes, int64_t lanes);
void emu_watch_write(EmuRun *r, const EmuTensor *t);
/* Checks the banks of an instruction that begins, and those of the one before it. */
void emu_watch_banks(EmuRun *r, const EmuOp *op);

#endif
