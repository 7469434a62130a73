/* cpu.c: knows the processors that --cpu names: the levels of x86-64 that the psABI
 * defines, which LLVM and the C compilers know by the same names. */
#define _GNU_SOURCE
#include "driver/driver.h"

#include <sched.h>
#include <string.h>

#ifdef __x86_64__
enum {
    LEVELS = 4
};
static const char *const levels[LEVELS] = {"x86-64", "x86-64-v2", "x86-64-v3",
                                           "x86-64-v4"};

/* Returns the highest level that this machine has. */
static int
own_level(void)
{
    return __builtin_cpu_supports("x86-64-v4")   ? 3
           : __builtin_cpu_supports("x86-64-v3") ? 2
           : __builtin_cpu_supports("x86-64-v2") ? 1
                                                 : 0;
}
#else
enum {
    LEVELS = 0
};
static const char *const levels[1] = {NULL};

static int
own_level(void)
{
    return -1;
}
#endif

static int
level_of(const char *name)
{
    int i = 0;
    while (i < LEVELS && strcmp(levels[i], name) != 0) {
        i++;
    }
    return i;
}

bool
cpu_check(Cmd *c)
{
    return !c->cpu || level_of(c->cpu) < LEVELS ||
           options_wrong(c, arena_printf(&c->unit.arena,
                                         "--cpu is x86-64, x86-64-v2, x86-64-v3 or "
                                         "x86-64-v4, on such machines, not '%s'",
                                         c->cpu));
}

bool
cpu_check_runs(Cmd *c)
{
    return !c->cpu || level_of(c->cpu) <= own_level() ||
           options_wrong(c, arena_printf(&c->unit.arena,
                                         "this machine cannot run code for %s", c->cpu));
}

int
cpu_count(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}
