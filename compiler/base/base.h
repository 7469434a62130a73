/* base.h: what every file of the compiler relies on: fixed-width types, attributes,
 * checked arithmetic and the one place where our own faults end the process.
 *
 * Sizes and offsets in the machine are int64_t; unsigned is for bits. Arithmetic on
 * numbers that a user controls goes through the checked helpers: they return false on
 * overflow and leave *out unspecified. */
#ifndef TIKC_BASE_H
#define TIKC_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/integer.h"

#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define MUST_USE               __attribute__((warn_unused_result))
#define NORETURN               __attribute__((noreturn))
#define NOINLINE               __attribute__((noinline))
#define ARRAY_LEN(a)           (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b)              ((a) < (b) ? (a) : (b))
#define MAX(a, b)              ((a) > (b) ? (a) : (b))

/* Reports an internal fault of ours: prints file, line and text to standard error and
 * aborts. User input must never lead here. */
#define ICE(...) base_ice(__FILE__, __LINE__, __VA_ARGS__)
void base_ice(const char *file, int line, const char *fmt, ...) NORETURN
    PRINTF_LIKE(3, 4);

/* Ends the process when memory runs out; nothing else does. */
void base_out_of_memory(size_t wanted) NORETURN;

/* This belongs after an exhaustive switch over an enum. */
#define UNREACHABLE() ICE("unreachable")

/* Returns early from a function that returns bool: false means that a diagnostic was
 * added. */
#define TRY(call)                                                                        \
    do {                                                                                 \
        if (!(call)) {                                                                   \
            return false;                                                                \
        }                                                                                \
    } while (0)

static inline bool MUST_USE
checked_add(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

static inline bool MUST_USE
checked_sub(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_sub_overflow(a, b, out);
}

static inline bool MUST_USE
checked_mul(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

#endif
