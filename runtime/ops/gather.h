/* gather.h: fetches vector lanes from offsets and packs lanes (vector chapter 8). There
 * is a table for each level of the processor's vector unit; all compute the same bits. It
 * is private to runtime/ops. */
#ifndef TIK_OPS_GATHER_H
#define TIK_OPS_GATHER_H

#include <stdbool.h>
#include <stdint.h>

enum {
    GATHER_SLACK =
        64 /* bytes after the elements that a table writes, which it may change */
};

/* Reads the elements at at + offset, for n offsets of 32 bits. Returns false when some
 * offset is above most, which is less than 2^31, or no multiple of the size of an
 * element. A 16-bit element is read with the 2 bytes after it. */
typedef bool GatherFetch(void *out, const uint8_t *at, const void *offsets, int64_t n,
                         uint32_t most);

/* Does the same for n elements that are written, in order; nothing is written when it
 * returns false. */
typedef bool GatherSpread(uint8_t *at, const void *in, const void *offsets, int64_t n,
                          uint32_t most);

/* Packs those of n elements whose bits are set, and returns their number. out shares no
 * byte with in. */
typedef int64_t GatherPack(void *out, const void *in, const uint8_t *bits, int64_t n);

typedef struct GatherTable {
    GatherFetch *fetch16, *fetch32;
    GatherSpread *spread16, *spread32;
    GatherPack *pack8, *pack16, *pack32;
} GatherTable;

extern const GatherTable gather_base;
extern const GatherTable
    gather_avx512; /* empty where the processor family is not x86-64 */

/* Returns the table for the processor that runs this. */
const GatherTable *gather_table(void);

#endif
