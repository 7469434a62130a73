/* ops.h: instructions that compiled kernels call instead of having code of their own:
 * those whose work is not lane arithmetic (layouts, reductions, sorting, ...). The
 * emulator has its own implementations of the same instructions (runtime/emu); neither
 * calls the other, so that they check each other. */
#ifndef TIK_OPS_H
#define TIK_OPS_H

#include "rules/flag.h"

/* One instruction with its operands as they are now. Every rule of check.h holds, except
 * those that depend on the contents of tensors. */
typedef struct OpCall {
    CheckInstr in;           /* numbers, masks, sizes of tensors */
    uint8_t *at[MAX_PARAMS]; /* first byte of each tensor operand */
    uint8_t *sreg;           /* special registers, SREG_BYTES */
    int64_t lmem_pitch;      /* from lane to lane of LMEM */
    Flags *flags;            /* between the queues of the core */
    const void *instr;       /* which instruction of the kernel it is */
    Fault fault;
    /* Told of warnings on contents; null: nobody listens. */
    void (*warn)(void *ctx, const Fault *f);
    void *ctx;
} OpCall;

/* Executes the instruction; false: fault is filled (a rule on the contents of a
 * tensor). */
typedef bool OpFn(OpCall *c);

/* By meaning (sem.def). ops_none refuses: the instruction has code of its own. */
OpFn *ops_find(Sem sem);
#define SEM(id, ops, emu) OpFn ops_##ops;
#include "isa/sem.def"
/* What goes over the elements of instructions of a family (family.def). */
#define FAMILY(id, rules, lower, bind, ops, emu) OpFn ops_##ops;
#include "isa/family.def"

#endif
