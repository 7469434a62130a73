/* bytes.h: bytes of a text, eight at a time, as numbers in memory. Private to
 * compiler/syntax. */
#ifndef TIKC_SYNTAX_BYTES_H
#define TIKC_SYNTAX_BYTES_H

#include <stdint.h>
#include <string.h>

/* The bits of the first n bytes of a number in memory, n from 1 to 8. */
#define LOW_BYTES(n) ((uint64_t)-1 >> (64 - 8 * (n)))
#define FIRST_BYTES(n)                                                                   \
    (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? LOW_BYTES(n)                            \
                                               : LOW_BYTES(n) << (64 - 8 * (n)))

/* Returns the bits of the first n bytes, n from 0 to 7. */
static inline uint64_t
first_bytes(uint32_t n)
{
    static const uint64_t bits[8] = {
        0,
        FIRST_BYTES(1),
        FIRST_BYTES(2),
        FIRST_BYTES(3),
        FIRST_BYTES(4),
        FIRST_BYTES(5),
        FIRST_BYTES(6),
        FIRST_BYTES(7),
    };
    return bits[n];
}

/* Returns 8 bytes from s on as a number. */
static inline uint64_t
eight(const char *s)
{
    uint64_t w;
    memcpy(&w, s, sizeof w);
    return w;
}

#endif
