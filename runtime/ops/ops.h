/* ops.h: the instructions that compiled kernels call instead of having code of their own:
 * those that are no arithmetic on vector lanes (layouts, reductions, sorting, ...). The
 * emulator has its own implementations of the same instructions (runtime/emu); neither
 * calls the other, so that they check each other. */
#ifndef TIK_OPS_H
#define TIK_OPS_H

#include "rules/flag.h"

/* An instruction with its present operands. Every rule of check.h holds, except those
 * that depend on the contents of tensors. */
typedef struct OpCall {
    CheckInstr in;           /* numbers, masks, sizes of tensors */
    uint8_t *at[MAX_PARAMS]; /* first byte of each tensor operand */
    uint8_t *sreg;           /* special registers, SREG_BYTES */
    int64_t lmem_pitch;      /* distance of LMEM lanes in bytes */
    Flags *flags;            /* flags between the queues of the core */
    const void *instr;       /* identity of the instruction in the kernel */
    /* products: where the factors are (tikcode.h); null: in the layout of the
     * instruction */
    const struct TikOrigin *origins;
    /* the same: what becomes of the sums (ops/finish.h); null: they are the result */
    const struct OpFinish *finish;
    const struct AtomicLog *log; /* gets atomic writes too; null: nobody does */
    Fault fault;
    /* Gets warnings on contents of tensors; null: warnings are dropped. */
    void (*warn)(void *ctx, const Fault *f);
    void *ctx;
} OpCall;

/* Executes the instruction. Returns false with fault filled when it breaks a rule on the
 * contents of a tensor. */
typedef bool OpFn(OpCall *c);

/* Returns the function of a meaning (sem.def). ops_none always fails: its instructions
 * have code of their own. */
OpFn *ops_find(Sem sem);
#define SEM(id, ops, emu) OpFn ops_##ops;
#include "isa/sem.def"
/* The functions that go over the elements of the instructions of a family
 * (family.def). */
#define FAMILY(id, rules, lower, bind, ops, emu) OpFn ops_##ops;
#include "isa/family.def"

#endif
