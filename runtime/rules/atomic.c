/* atomic.c: the mode of atomic writes; see atomic.h. It owns atomic-soc and
 * atomic-dtype. */
#include "rules/atomic.h"
#include "rules/internal.h"

#ifndef TIK_LEAN
#include <stdio.h>
#endif
#include "isa/bytes.h"

static const struct {
    Dtype dtype;
    CoreSet add, extreme;
} modes[ATOMIC_MODES] = {
#define ATOMIC(mode, dtype, add, extreme) [mode] = {DT_##dtype, add, extreme},
#include "isa/atomic.def"
};

uint32_t
atomic_read(const uint8_t *sreg)
{
    uint32_t reg;
    memcpy(&reg, sreg + SREG_ATOMIC, sizeof reg);
    return reg;
}

uint32_t
atomic_mode_of(Dtype t)
{
    for (uint32_t i = 1; i < ATOMIC_MODES; i++) {
        if (modes[i].dtype == t) {
            return i;
        }
    }
    return 0;
}

static uint32_t
mode_of(uint32_t reg)
{
    return reg & ((1u << ATOMIC_OP_SHIFT) - 1);
}

bool
atomic_exists(uint32_t reg, const Soc *soc)
{
    uint32_t mode = mode_of(reg), op = reg >> ATOMIC_OP_SHIFT;
    if (reg == 0) {
        return true;
    }
    if (mode == 0 || mode >= ATOMIC_MODES || op >= ATOMIC_OPS) {
        return false;
    }
    return soc_on(soc, op == ATOMIC_ADD ? modes[mode].add : modes[mode].extreme);
}

#ifndef TIK_LEAN
const char *
atomic_text(uint32_t reg, char *buf, size_t size)
{
    static const char *const ops[] = {"addition", "maximum", "minimum"};
    uint32_t mode = mode_of(reg), op = reg >> ATOMIC_OP_SHIFT;
    if (reg == 0) {
        snprintf(buf, size, "no atomic mode");
    } else if (mode == 0 || mode >= ATOMIC_MODES || op >= ATOMIC_OPS) {
        snprintf(buf, size, "atomic mode %u", (unsigned)mode);
    } else {
        snprintf(buf, size, "atomic %s in %s", ops[op], dtype_name(modes[mode].dtype));
    }
    return buf;
}
#endif

bool
atomic_applies(const Soc *soc, Scope from)
{
    bool cube = (from == SC_L1 && !soc_has(soc, FEATURE_PATHS_950)) || from == SC_L0C;
    return from == SC_UB || (cube && soc_has(soc, FEATURE_ATOMIC_FROM_CUBE));
}

static bool
atomic_fits(const AtomicSite *s, uint32_t reg, Fault *fault)
{
    TEXT(char text[64];)
    uint32_t mode = mode_of(reg);
    FaultAt at = {RULE_ATOMIC_SOC, s->dst, (int64_t)reg, 0, 0};
    if (!atomic_exists(reg, s->soc)) {
        return check_fail(fault, &at, "%s is on, which %s does not have",
                          atomic_text(reg, text, sizeof text), s->soc->name);
    }
    at = (FaultAt){RULE_ATOMIC_DTYPE, s->dst, (int64_t)s->dtype, 0, 0};
    if (s->dtype != modes[mode].dtype) {
        return check_fail(fault, &at, "dst is %s while %s is on", dtype_name(s->dtype),
                          atomic_text(reg, text, sizeof text));
    }
    int64_t size = dtype_size(s->dtype);
    at = (FaultAt){RULE_PAD_BURST, s->dst, s->burst, size, size};
    return s->burst % size == 0 ||
           check_fail(fault, &at,
                      "a burst of %lld bytes is written while %s is on; it is a "
                      "multiple of %lld, the size of an element",
                      (long long)s->burst, atomic_text(reg, text, sizeof text),
                      (long long)size);
}

bool
check_atomic(const AtomicSite *s, uint32_t reg, AtomicWrite *out, Fault *fault)
{
    *out = (AtomicWrite){.on = false};
    if (reg == 0 || !atomic_applies(s->soc, s->from)) {
        return true;
    }
    bool infinite =
        chosen(s->choices, CHOICE_ATOMIC_OVERFLOW) == CHOSE_ATOMIC_OVERFLOW_INFINITE;
    *out = (AtomicWrite){.on = true,
                         .dtype = s->dtype,
                         .op = (AtomicOp)(reg >> ATOMIC_OP_SHIFT),
                         .infinite = infinite,
                         .log = s->log};
    return atomic_fits(s, reg, fault);
}
