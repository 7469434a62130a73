/* check_memo.h: remembers sites of which every rule was proved and nothing was said, so
 * that equal ones need no second proof: kernels execute few different instructions many
 * times. It is private to the check pass.
 *
 * The key of a site has all that an answer may depend on: the instruction, its literals,
 * what is known of its other numbers, and its tensors without their identity. */
#ifndef TIKC_CHECK_MEMO_H
#define TIKC_CHECK_MEMO_H

#include "passes/check_walk.h"

enum {
    MEMO_SLOTS = 2048, /* a power of two */
    MEMO_WAYS = 2,     /* slots of a hash, so that two keys do not drive each other out */
    MEMO_MAX_WORDS = 128, /* longer keys are not kept */
    MEMO_TREE = 12,       /* nodes; of larger expressions the range is taken */
    /* words of an operand: what is known of each node, and of a tensor */
    MEMO_OPERAND = 8 * (MEMO_TREE + 1)
};

typedef struct MemoEntry {
    uint32_t n, cap;  /* words of the key, and room for them */
    int steps;        /* number of rules that were proved */
    uint64_t outside; /* operands that may reach beyond the data of their tensor */
    uint64_t key[];
} MemoEntry;

typedef struct CheckMemo {
    Arena *arena;
    MemoEntry **slots; /* by hash of the key, MEMO_WAYS each */
    uint32_t n;        /* words of the present key; 0: the present site has none */
    uint32_t hash;
    uint64_t key[MEMO_MAX_WORDS + MEMO_OPERAND]; /* room to find that it is too long */
} CheckMemo;

void memo_init(CheckMemo *m, Arena *arena);

/* Makes the key of a statement the present one. Returns the entry of an equal site, or
 * null. */
const MemoEntry *memo_find(CheckMemo *m, const CheckWalk *w, StmtId id);

/* Remembers the present site, if it has a key. */
void memo_keep(CheckMemo *m, int steps, uint64_t outside);

#endif
