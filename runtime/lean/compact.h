/* compact.h: the verifier as byte code (make loader COMPACT=), made by tools/compact of
 * the same sources for one ABI: what the file that it makes has, and what executes it. */
#ifndef TIK_LEAN_COMPACT_H
#define TIK_LEAN_COMPACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The code is a sequence of bits, the highest bit of a byte first. A symbol is read by
 * the table of its place: that of what the last code takes as operand, or, where a code
 * is expected, that of the last code and of how many operands are on the stack. Symbols
 * below COMPACT_LITERALS are codes and operands, the next ones stand for two symbols,
 * others for operands in compact_values; after COMPACT_ESCAPE an operand of
 * COMPACT_ESCAPED bits follows. */
enum {
    COMPACT_LITERALS = 128,
    COMPACT_VALUES = 192,
    COMPACT_ESCAPE = 255,
    COMPACT_ESCAPED = 16,
    COMPACT_WAITING = 3,  /* symbols that wait while pairs are expanded, at most */
    COMPACT_LONGEST = 14, /* bits of a symbol, at most */
    COMPACT_TABLES = 16,  /* of codes; as many of operands follow */
    COMPACT_NESTED = 3,   /* operands on the stack that tell tables apart, at most */
    COMPACT_FAR = 63,     /* a distance of COMPACT_FAR_BITS bits */
    COMPACT_FAR_BITS = 20,
    COMPACT_ALIGN = 4,   /* bits, of the beginning of functions */
    COMPACT_DEEPEST = 24 /* operands of a function, at most */
};

/* A word of the stack, which also has the variables of which the address is taken. */
typedef int64_t CompactSlot __attribute__((may_alias));

/* The number of the function that programs call, and how many slots its calls take. */
extern const uint16_t compact_of_verify_kernel, compact_slots;
extern const uint8_t compact_code[], compact_pairs[];
extern const uint16_t compact_values[];
/* Where each table begins in the bytes: how many symbols have a code of 1, 2, .. bits,
 * then the symbols, the shortest code first. */
extern const uint16_t compact_tables[];
extern const uint8_t compact_symbols[];
/* Of each code, from the lowest four bits on: the table of its operand, and those of the
 * code after it where there are 1, 2, more operands on the stack. Where there are none it
 * is table 0. */
extern const uint16_t compact_next[];
extern const uint16_t compact_starts[];
extern const int64_t compact_pool[];
extern const void *const compact_globals[];

/* Calls function n of C with the operands below top; returns the new top. */
CompactSlot *compact_native(unsigned n, CompactSlot *top);

/* Executes a function of byte code. The first n slots of the stack have its arguments;
 * its result, if it has one, is put into the first. Returns false when the stack is too
 * small; what the function has done until then is done. */
bool compact_run(unsigned function, CompactSlot *stack, unsigned n, unsigned slots);

#endif
