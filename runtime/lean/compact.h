/* compact.h: the verifier as byte code (make loader COMPACT=), made by tools/compact of
 * the same sources for one ABI: what the file that it makes has, and what executes it. */
#ifndef TIK_LEAN_COMPACT_H
#define TIK_LEAN_COMPACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Symbols of code below COMPACT_LITERALS are codes and operands, the others stand for two
 * symbols. An operand below COMPACT_SHORT is one symbol; the next COMPACT_ESCAPES begin
 * one of two, and the last COMPACT_LONGS one of three. */
enum {
    COMPACT_LITERALS = 64,
    COMPACT_ESCAPES = 8,
    COMPACT_LONGS = 12,
    COMPACT_SHORT = COMPACT_LITERALS - COMPACT_ESCAPES - COMPACT_LONGS,
    COMPACT_MIDDLE = COMPACT_SHORT + COMPACT_ESCAPES * COMPACT_LITERALS,
    COMPACT_LONG = COMPACT_MIDDLE + COMPACT_LONGS * COMPACT_LITERALS * COMPACT_LITERALS,
    COMPACT_WAITING = 7, /* symbols that wait while pairs are expanded, at most */
    COMPACT_DEEPEST = 24 /* operands of a function, at most */
};

/* A word of the stack, which also has the variables of which the address is taken. */
typedef int64_t CompactSlot __attribute__((may_alias));

/* The number of the function that programs call, and how many slots its calls take. */
extern const uint16_t compact_of_verify_kernel, compact_slots;
extern const uint8_t compact_code[], compact_pairs[];
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
