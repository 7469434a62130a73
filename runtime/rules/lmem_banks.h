/* lmem_banks.h: which banks of LMEM an instruction uses, and where it meets itself or
 * another one there. The compiler asks with the addresses that it has given, the emulator
 * with those of the run; both report the same sentence. */
#ifndef TIK_LMEM_BANKS_H
#define TIK_LMEM_BANKS_H

#include "rules/check.h"

enum {
    BANK_OPERANDS = 4
};

/* An operand in LMEM: bytes [from, from + bytes) of each lane. */
typedef struct BankOperand {
    uint32_t buffer;
    const char *name; /* of the buffer */
    int64_t from, bytes;
} BankOperand;

typedef struct BankUser {
    Op op;
    bool computes; /* else it moves */
    int n;
    BankOperand o[BANK_OPERANDS];
} BankUser;

/* A buffer's address in the lanes, and its name. */
typedef struct BankBuffer {
    int64_t address;
    const char *name;
} BankBuffer;
typedef BankBuffer BankFind(void *ctx, uint32_t buffer);

/* What an instruction uses of LMEM; in holds an instruction of any kind, right or
 * wrong. */
BankUser bank_user(const CheckInstr *in, BankFind *find, void *ctx);
/* Whether the two, one behind the other, run at the same time: a move and arithmetic
 * without a common buffer. */
bool bank_at_once(const BankUser *a, const BankUser *b);

/* Two operands in one bank; text is the sentence of bank-conflict. */
typedef struct BankClash {
    const BankOperand *a, *b;
    char text[240];
} BankClash;

/* The first two buffers of arithmetic that share a bank; of what stands before u and u,
 * while both run. */
bool bank_clash(const LmemTarget *t, const BankUser *u, BankClash *out);
bool bank_clash_behind(const LmemTarget *t, const BankUser *before, const BankUser *u,
                       BankClash *out);

#endif
