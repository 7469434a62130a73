/* amx.h: products of matrices of bytes on the tile registers of a processor (AMX), for
 * compiled kernels and for the emulator. Sums are integers that wrap, so they are the
 * same however they are made.
 *
 * A block is up to 32 rows times any number of groups of 16 columns. The first factor has
 * rows of bytes. The second one has words of four bytes, [step][column] for each pair of
 * groups: word (s, n) is the four terms of column n that the four bytes from 4 * s on of
 * each row are multiplied by. */
#ifndef TIK_NUM_AMX_H
#define TIK_NUM_AMX_H

#include <stdbool.h>
#include <stdint.h>

enum {
    NUM_AMX_ROWS = 32,
    NUM_AMX_COLUMNS = 32, /* of a pair of groups */
    NUM_AMX_GROUP = 16,   /* columns whose sums follow each other */
    NUM_AMX_STEPS = 16    /* of a register; other numbers of them are slower */
};

/* Returns whether this process may multiply so. Linux keeps the large tile registers for
 * those that have asked for them, once in their life; what it knows of that is the only
 * state, so this asks each time, which takes a tenth of a microsecond. */
bool num_amx_allowed(void);

/* How the tile registers of this thread are set up; zeros: they are not. */
typedef struct NumAmx {
    int rows;
    int64_t steps;
} NumAmx;

typedef struct NumAmxBlock {
    const void *a;
    int64_t a_pitch; /* bytes from row to row */
    const void *b;
    int64_t b_step;  /* bytes from step to step */
    int64_t b_pair;  /* bytes from one pair of groups to the next */
    void *c;         /* sums, [group][row][16] */
    int64_t c_group; /* bytes from group to group */
    int64_t c_row;   /* bytes from row to row */
    int64_t steps;
    int rows;    /* 1 to NUM_AMX_ROWS */
    int groups;  /* of columns */
    bool first;  /* sums begin with 0, not with those that are there */
    bool a_sign; /* of the bytes of the first factor */
    bool b_sign;
} NumAmxBlock;

/* Adds the products of a block to its sums. Only if num_amx_allowed(). */
void num_amx_multiply(NumAmx *s, const NumAmxBlock *b);
/* Gives the tile registers back. */
void num_amx_close(NumAmx *s);

#endif
