/* barrier.c: cores that wait for each other. Each core is a coroutine with a stack and a
 * scratch of its own; it runs until it comes to a barrier or to its end. A phase resumes
 * all cores that have not ended, on threads, or in the order of their index when the
 * kernel asks for order; between phases everything that the cores wrote is in memory. So
 * no schedule can deadlock: a barrier that some core of its loop never reaches is seen at
 * the end of a phase, and is the fault block-barrier. */
#include "launch/cores.h"
#include "launch/pool.h"
#include "support/pages.h"

#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum {
    STACK_BYTES = 1 << 20
};

typedef struct Fiber {
    ucontext_t here,
        back; /* the state of the core, and that of the thread that resumed it */
    TikCore core;
    uint8_t *stack, *scratch;
    int64_t waits; /* number of cores for which it waits; 0: it has ended */
    int32_t place;
} Fiber;

static void
run_fiber(unsigned high, unsigned low)
{
    Fiber *f = (Fiber *)(uintptr_t)((uint64_t)high << 32 | low);
    Launch *l = f->core.launch;
    if (l->kernel->fill_scratch) {
        memset(f->scratch, 0xff, (size_t)l->kernel->scratch_bytes);
    }
    launch_enter(&f->core, f->scratch);
    f->waits = 0;
    swapcontext(&f->here, &f->back);
}

static bool
make_fiber(Launch *l, Fiber *f, int32_t index)
{
    uint64_t self = (uint64_t)(uintptr_t)f;
    f->core = (TikCore){.kernel = l->kernel,
                        .soc = soc_find(l->kernel->soc),
                        .launch = l,
                        .args = l->args,
                        .index = index,
                        .fiber = f};
    f->stack = pages_alloc(STACK_BYTES);
    f->scratch = pages_alloc(l->kernel->scratch_bytes);
    f->waits = 1;
    if (f->stack == NULL || f->scratch == NULL || getcontext(&f->here) != 0) {
        return false;
    }
    f->here.uc_stack.ss_sp = f->stack;
    f->here.uc_stack.ss_size = STACK_BYTES;
    f->here.uc_link = NULL;
    makecontext(&f->here, (void (*)(void))run_fiber, 2, (unsigned)(self >> 32),
                (unsigned)self);
    return true;
}

int
tikrt_barrier(TikCore *core, int64_t blocks, int32_t place)
{
    Fiber *f = core->fiber;
    f->waits = blocks;
    f->place = place;
    swapcontext(&f->here, &f->back);
    return 0;
}

typedef struct Phase {
    Fiber *fibers;
    int32_t n;
    _Atomic int32_t next;
} Phase;

static void
run_some(void *phase, Seat *seat)
{
    Phase *p = phase;
    (void)seat;
    for (int32_t i; (i = atomic_fetch_add(&p->next, 1)) < p->n;) {
        if (p->fibers[i].waits != 0) {
            swapcontext(&p->fibers[i].back, &p->fibers[i].here);
        }
    }
}

static void
run_phase(Launch *l, Fiber *fibers)
{
    Phase p = {.fibers = fibers, .n = l->cores};
    pool_run(l->threads, run_some, &p);
}

/* Returns a core that waits for one that has ended (*gone), or null. *some is set if any
 * core waits. */
static Fiber *
stuck(const Launch *l, Fiber *fibers, int32_t *gone, bool *some)
{
    *some = false;
    for (int32_t i = 0; i < l->cores; i++) {
        *some = *some || fibers[i].waits != 0;
        for (int32_t j = 0; j < l->cores && j < fibers[i].waits; j++) {
            if (fibers[j].waits == 0) {
                *gone = j;
                return &fibers[i];
            }
        }
    }
    return NULL;
}

static void
run_phases(Launch *l, Fiber *fibers)
{
    bool some = true;
    while (some && l->lowest == INT32_MAX) {
        int32_t gone;
        run_phase(l, fibers);
        Fiber *f = stuck(l, fibers, &gone, &some);
        if (f != NULL && l->lowest == INT32_MAX) {
            (void)tikrt_fault(&f->core, RULE_BARRIER, gone, f->place);
            launch_note_error(l, f->core.index, &f->core.fault);
        }
    }
}

void
launch_with_barriers(Launch *l)
{
    Fiber *fibers = calloc((size_t)l->cores, sizeof *fibers);
    bool ok = fibers != NULL;
    for (int32_t i = 0; ok && i < l->cores; i++) {
        ok = make_fiber(l, &fibers[i], i);
    }
    if (ok) {
        run_phases(l, fibers);
    } else {
        launch_no_scratch(l);
    }
    for (int32_t i = 0; fibers != NULL && i < l->cores; i++) {
        pages_free(fibers[i].stack, STACK_BYTES);
        pages_free(fibers[i].scratch, l->kernel->scratch_bytes);
    }
    free(fibers);
}
