/* print_wish.h: what a user wants to see while a kernel runs: "ub[0:8]@k.tik:10,core=2",
 * as --print has it. docs/debugging.md defines the form. */
#ifndef TIKC_PRINT_WISH_H
#define TIKC_PRINT_WISH_H

#include "base/arena.h"

enum {
    PRINT_DIMS = 8
};

typedef struct PrintWish {
    const char *text; /* as the user gave it */
    const char *name; /* of a tensor, a Scalar or a loop variable */
    const char *file;
    uint32_t line;
    int64_t core; /* -1: every one */
    int64_t time; /* the n-th time on a core, from 1; 0: each time */
    int ndim;     /* number of dimensions that have bounds in brackets */
    int64_t lo[PRINT_DIMS], hi[PRINT_DIMS]; /* hi -1: up to the end */
    bool single[PRINT_DIMS];                /* an index, which takes the dimension out */
    bool matched;    /* some kernel has what it names at that line */
    const char *why; /* what a kernel lacks that has statements at that line; or null */
} PrintWish;

/* Reads a wish. Returns null with *why if the text is none. */
PrintWish *print_wish_parse(Arena *a, const char *text, const char **why);

#endif
