/* atomic.h: the register of the atomic mode (SREG_ATOMIC), and what it means for a write
 * to global memory. For every write there from UB, and on some processors from L1 and
 * L0C, check_atomic is called when it is issued: by the compiler if the mode is known, by
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

/* Returns the present value of the register. */
uint32_t atomic_read(const uint8_t *sreg);
/* Returns the number of the mode of an element type; 0 when it has none. */
uint32_t atomic_mode_of(Dtype t);
PURE bool atomic_exists(uint32_t reg, const Soc *soc);
/* Returns a text like "atomic addition in float32", which is in buf. */
const char *atomic_text(uint32_t reg, char *buf, size_t size);
/* Returns whether writes from this memory to global memory respect the mode. */
PURE bool atomic_applies(const Soc *soc, Scope from);

/* The operation that a write does on each element instead of copying it. */
typedef struct AtomicWrite {
    bool on;
    Dtype dtype;
    AtomicOp op;
    bool infinite; /* sums of 16-bit floats beyond the largest number become infinite
                      (choice D5) */
    const struct AtomicLog *log; /* gets the write too; null: nobody does */
} AtomicWrite;

/* Where atomic writes are noted. */
typedef struct AtomicLog {
    /* n bytes are combined with those at dst */
    void (*note)(void *ctx, const AtomicWrite *w, const uint8_t *dst, const uint8_t *src,
                 int64_t n);
    void *ctx;
} AtomicLog;

/* Notes a write that is on, if it has a log. */
static inline void
atomic_note(const AtomicWrite *w, const uint8_t *dst, const uint8_t *src, int64_t n)
{
    if (w->log != NULL) {
        w->log->note(w->log->ctx, w, dst, src, n);
    }
}

/* A write to global memory from a memory of the core. */
typedef struct AtomicSite {
    Op op;
    const Soc *soc;
    const Choices *choices;
    int dst;     /* slot of the operand that is written */
    Dtype dtype; /* dtype of that operand */
    Scope from;
    int64_t burst; /* bytes of each run that is written, which are whole elements */
    const struct AtomicLog *log; /* for AtomicWrite */
} AtomicSite;

/* Checks atomic-soc, atomic-dtype and pad-burst, and gives the operation in *out. */
bool check_atomic(const AtomicSite *s, uint32_t reg, AtomicWrite *out, Fault *fault);

#endif
