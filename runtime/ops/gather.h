/* gather.h: lanes that are fetched from anywhere, and lanes that are packed (vector
 * chapter 8). One table per level of the processor's vector unit; all compute the same
 * bits. Private to runtime/ops. */
#ifndef TIK_OPS_GATHER_H
#define TIK_OPS_GATHER_H

#include <stdbool.h>
#include <stdint.h>

enum {
    GATHER_SLACK =
        64 /* bytes behind the elements that a table writes, which may change */
};

/* The elements at at + offset, for n offsets of 32 bits. False: some offset is above
 * most, which is less than 2^31, or no multiple of the element's size. A 16-bit element
 * is read with the 2 bytes behind it. */
typedef bool GatherFetch(void *out, const uint8_t *at, const void *offsets, int64_t n,
                         uint32_t most);

/* The same for n elements that are written, in order; nothing is when the answer is
 * false. */
typedef bool GatherSpread(uint8_t *at, const void *in, const void *offsets, int64_t n,
                          uint32_t most);

/* Those of n elements whose bits are set, one behind the other; their number. out shares
 * no byte with in. */
typedef int64_t GatherPack(void *out, const void *in, const uint8_t *bits, int64_t n);

typedef struct GatherTable {
    GatherFetch *fetch16, *fetch32;
    GatherSpread *spread16, *spread32;
    GatherPack *pack8, *pack16, *pack32;
} GatherTable;

extern const GatherTable gather_base;
extern const GatherTable
    gather_avx512; /* empty where the processor family is not x86-64 */

/* That of the processor which runs this. */
const GatherTable *gather_table(void);

#endif
