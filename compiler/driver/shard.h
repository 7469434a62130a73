/* shard.h: parts of the files or tests of a command (--shard). */
#ifndef TIKC_SHARD_H
#define TIKC_SHARD_H

#include "driver/driver.h"

/* Part k of n, counted from 1. */
typedef struct Shard {
    long k, n;
} Shard;

/* Reads --shard; without it there is one part. Returns false after a usage error. */
bool MUST_USE shard_parse(Cmd *c, Shard *out);

/* Returns whether the part has item i of the list. */
static inline bool
shard_has(const Shard *s, uint32_t i)
{
    return (long)i % s->n == s->k - 1;
}

/* Keeps of a list (VEC) the items that the part has. */
#define SHARD_KEEP(shard, list)                                                          \
    do {                                                                                 \
        uint32_t kept_ = 0;                                                              \
        for (uint32_t i_ = 0; i_ < (list)->n; i_++) {                                    \
            if (shard_has(shard, i_)) {                                                  \
                (list)->p[kept_++] = (list)->p[i_];                                      \
            }                                                                            \
        }                                                                                \
        (list)->n = kept_;                                                               \
    } while (0)

#endif
