/* lmem_banks.h: which banks of LMEM an instruction uses, and in which it conflicts with
 * itself or another one. The compiler calls this with the addresses that it has given,
 * the emulator with those of the run; both report the same sentence. */
#ifndef TIK_LMEM_BANKS_H
#define TIK_LMEM_BANKS_H

#include "rules/check.h"

enum {
    BANK_OPERANDS = 4
};

/* An operand in LMEM: bytes [from, from + bytes) of each lane. */
typedef struct BankOperand {
    uint32_t buffer;
    const char *name; /* name of the buffer */
    int64_t from, bytes;
} BankOperand;

typedef struct BankUser {
    Op op;
    bool computes; /* it is arithmetic, else a move */
    int n;
    BankOperand o[BANK_OPERANDS];
} BankUser;

/* Finds the address of a buffer in LMEM, and its name. */
typedef struct BankBuffer {
    int64_t address;
    const char *name;
} BankBuffer;
typedef BankBuffer BankFind(void *ctx, uint32_t buffer);

/* Returns what an instruction uses of LMEM. in may be any instruction, right or wrong. */
BankUser bank_user(const CheckInstr *in, BankFind *find, void *ctx);
/* Returns whether two instructions that follow each other run at the same time: a move
 * and arithmetic without a common buffer. */
bool bank_at_once(const BankUser *a, const BankUser *b);

/* Two operands that share a bank; text is the sentence of bank-conflict. */
typedef struct BankClash {
    const BankOperand *a, *b;
    char text[240];
} BankClash;

/* These find the first two buffers that share a bank: of arithmetic u; of u and the
 * instruction before it, if both run at the same time. */
bool bank_clash(const LmemTarget *t, const BankUser *u, BankClash *out);
bool bank_clash_after(const LmemTarget *t, const BankUser *before, const BankUser *u,
                      BankClash *out);

#endif
