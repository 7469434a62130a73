/* atomic.h: the register of the atomic mode (SREG_ATOMIC), and what it means for a write
 * to global memory. Whatever writes there from UB, and where the processor says so from
 * L1 and L0C, asks check_atomic when it is issued: the compiler where the mode is known,
 * both back ends always. */
#ifndef TIK_ATOMIC_H
#define TIK_ATOMIC_H

#include "rules/check.h"

typedef enum AtomicOp {
    ATOMIC_ADD,
    ATOMIC_MAX,
    ATOMIC_MIN,
    ATOMIC_OPS
} AtomicOp;

enum {
    ATOMIC_OP_SHIFT =
        8,           /* the register: number of the mode, then the operation; 0: off */
    ATOMIC_MODES = 7 /* the numbers are 0 to 6 */
};

static inline uint32_t
atomic_register(uint32_t mode, AtomicOp op)
{
    return mode == 0 ? 0 : mode | (uint32_t)op << ATOMIC_OP_SHIFT;
}

/* The register as it is now. */
uint32_t atomic_read(const uint8_t *sreg);
/* The number of an element type's mode; 0: it has none. The name: of a dtype. */
uint32_t atomic_mode_of(Dtype t);
bool atomic_exists(uint32_t reg, const Soc *soc);
/* "atomic addition in float32"; in buf. */
const char *atomic_text(uint32_t reg, char *buf, size_t size);
/* Whether writes from this memory to global memory heed the mode. */
bool atomic_applies(const Soc *soc, Scope from);

/* An operation on each element instead of a copy. */
typedef struct AtomicWrite {
    bool on;
    Dtype dtype;
    AtomicOp op;
    bool infinite; /* sums of 16-bit floats beyond the largest number (choice D5) */
} AtomicWrite;

/* A write to global memory from a memory of the core. */
typedef struct AtomicSite {
    Op op;
    const Soc *soc;
    const Choices *choices;
    int dst;     /* its operand */
    Dtype dtype; /* of that */
    Scope from;
    int64_t burst; /* bytes that are written in one run: whole elements */
} AtomicSite;

/* atomic-soc, atomic-dtype, pad-burst. */
bool check_atomic(const AtomicSite *s, uint32_t reg, AtomicWrite *out, Fault *fault);

#endif
