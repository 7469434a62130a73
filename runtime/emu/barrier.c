/* barrier.c: cores that wait for each other. Every core runs, in the order of their
 * indices, until it comes to a barrier or to its end; its state is then saved, and when
 * all cores of the loop are at a barrier, each continues from there. A barrier that some
 * core of the loop never reaches is the fault block-barrier. */
#include "emu/clock.h"
#include "emu/shadow.h"

#include <stdlib.h>
#include <string.h>

#include "support/pages.h"

/* The saved state of a core. */
typedef struct Core {
    int64_t *vals;
    EmuPlace *places;
    uint8_t *scratch;
    uint8_t *shadow; /* see shadow_swap */
    int64_t ends[TIKBLOB_MAX_LOOPS];
    int64_t padding;
    Flags flags;
    uint64_t steps;
    uint32_t pc;
    int64_t waits; /* number of cores for which it waits; 0: it has ended */
} Core;

static bool
make_core(const EmuRun *r, Core *c)
{
    const EmuProgram *p = r->p;
    c->vals = malloc(p->first_const * sizeof *c->vals);
    c->places = malloc(((size_t)p->kernel.nregions + 1) * sizeof *c->places);
    c->scratch = pages_alloc(p->scratch_bytes);
    return c->vals != NULL && c->places != NULL && c->scratch != NULL;
}

static void
free_core(const EmuRun *r, Core *c)
{
    free(c->vals);
    free(c->places);
    free(c->shadow);
    pages_free(c->scratch, r->p->scratch_bytes);
}

static void
put_aside(const EmuRun *r, Core *c)
{
    const EmuProgram *p = r->p;
    memcpy(c->vals, r->vals, p->first_const * sizeof *c->vals);
    memcpy(c->places, r->places, p->kernel.nregions * sizeof *c->places);
    memcpy(c->ends, r->ends, sizeof c->ends);
    memcpy(c->scratch, p->scratch, (size_t)p->scratch_bytes);
    c->padding = r->padding;
    c->flags = r->flags;
    c->steps = r->steps;
    c->pc = r->pc;
}

static void
take_up(EmuRun *r, const Core *c, uint32_t index)
{
    const EmuProgram *p = r->p;
    memcpy(r->vals, c->vals, p->first_const * sizeof *c->vals);
    memcpy(r->places, c->places, p->kernel.nregions * sizeof *c->places);
    memcpy(r->ends, c->ends, sizeof c->ends);
    memcpy(p->scratch, c->scratch, (size_t)p->scratch_bytes);
    r->padding = c->padding;
    r->flags = c->flags;
    r->steps = c->steps;
    r->pc = c->pc;
    r->core = index;
}

static bool
no_memory(EmuRun *r)
{
    r->res->status = EMU_NO_MEMORY;
    return false;
}

/* Runs every core from where it was to its next barrier. */
static bool
run_phase(EmuRun *r, Core *cores, bool first)
{
    for (uint32_t i = 0; i < r->p->kernel.cores; i++) {
        if (first) {
            emu_start_core(r, i);
        } else if (cores[i].waits == 0) {
            continue;
        } else {
            take_up(r, &cores[i], i);
        }
        if (!first && !shadow_swap(r, &cores[i].shadow)) {
            return no_memory(r);
        }
        if (!emu_run_core(r)) {
            return false;
        }
        cores[i].waits = r->waits;
        put_aside(r, &cores[i]);
        if (!shadow_swap(r, &cores[i].shadow)) {
            return no_memory(r);
        }
    }
    shadow_meet(r);
    clock_meet(r);
    return true;
}

/* Returns whether some core continues. *ok becomes false if one waits for a core that has
 * ended. */
static bool
some_wait(EmuRun *r, const Core *cores, bool *ok)
{
    bool some = false;
    for (uint32_t i = 0; i < r->p->kernel.cores; i++) {
        some = some || cores[i].waits != 0;
        for (uint32_t j = 0; *ok && j < r->p->kernel.cores && j < cores[i].waits; j++) {
            if (cores[j].waits == 0) {
                r->core = i;
                *ok = emu_fault(r, &r->p->ops[cores[i].pc - 1], RULE_BARRIER, j);
            }
        }
    }
    return some && *ok;
}

bool
emu_run_with_barriers(EmuRun *r)
{
    uint32_t n = r->p->kernel.cores;
    Core *cores = calloc(n, sizeof *cores);
    bool ok = cores != NULL;
    for (uint32_t i = 0; ok && i < n; i++) {
        ok = make_core(r, &cores[i]);
    }
    if (!ok) {
        r->res->status = EMU_NO_MEMORY;
    }
    bool first = true;
    do {
        ok = ok && run_phase(r, cores, first);
        first = false;
    } while (ok && some_wait(r, cores, &ok));
    for (uint32_t i = 0; cores != NULL && i < n; i++) {
        free_core(r, &cores[i]);
    }
    free(cores);
    return ok;
}
