/* test_cores_apart.c: random layouts of what cores write, in rows and columns of cores,
 * loops, bursts and branches, mostly without gaps, against the bytes that each core
 * writes: where blocks says that cores are apart no byte is written by two, and it says
 * so of nearly all layouts of which it is true. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "passes/passes.h"
#include "random.h"

enum {
    ROUNDS = 4000,
    BYTES = 1 << 17,
    MOST_CORES = 12,
    BLOCK = 32
};

/* A part of the place: quotient or remainder of core * times + i, or of the core alone; a
 * loop variable; or the bursts of the move. */
typedef enum Part {
    PART_ROW,
    PART_COLUMN,
    PART_I,
    PART_J,
    PART_BURST,
    PARTS
} Part;

/* What an access writes in a core: places of all iterations. */
typedef struct Layout {
    int cores, columns, times; /* times: 0, i has no part in rows and columns */
    int count[PARTS];
    int64_t stride[PARTS];
    int64_t base, burst; /* bytes */
} Layout;

static uint64_t seed;

static int
below(int n)
{
    return (int)random_below(&seed, n);
}

/* Gives the parts their strides, in a random order, with a gap or an overlap sometimes.
 */
static void
draw_strides(Layout *l)
{
    int order[PARTS] = {0, 1, 2, 3, 4};
    int64_t stride = l->burst;
    for (int i = PARTS - 1; i > 0; i--) {
        int j = below(i + 1), keep = order[i];
        order[i] = order[j], order[j] = keep;
    }
    for (int i = 0; i < PARTS; i++) {
        l->stride[order[i]] = stride;
        stride *= l->count[order[i]];
        stride += below(8) == 0 ? BLOCK : 0;
        stride -= below(12) == 0 && stride > BLOCK ? BLOCK : 0;
    }
}

static Layout
draw(int cores)
{
    Layout l = {.cores = cores, .columns = 1 + below(5)};
    l.burst = BLOCK * (1 + below(2));
    l.count[PART_I] = 1 + below(3);
    l.count[PART_J] = 1 + below(3);
    l.count[PART_BURST] = 1 + below(3);
    l.times = below(3) == 0 ? l.count[PART_I] : 0;
    int most = (cores - 1) * MAX(l.times, 1) + (l.times ? l.count[PART_I] - 1 : 0);
    l.count[PART_ROW] = most / l.columns + 1;
    l.count[PART_COLUMN] = l.columns;
    if (l.times) {
        l.count[PART_I] = 1;
    }
    draw_strides(&l);
    if (l.times) {
        l.count[PART_I] = l.times;
        l.stride[PART_I] = 0;
    }
    l.stride[PART_BURST] = MAX(l.stride[PART_BURST], l.burst);
    return l;
}

/* Prints the statement and the loops around it. */
static void
print(Text *t, const Layout *l, const char *core)
{
    char x[64];
    snprintf(x, sizeof x, l->times ? "((%s * %d) + @i)" : "%s", core, l->times);
    text_printf(t, "for @i: int32 = 0 to %d {\nfor @j: int32 = 0 to %d {\n",
                l->count[PART_I], l->count[PART_J]);
    text_printf(t, "data_move dst=%%o+(((%lld + (int64((%s / %d)) * %lld)) + ",
                (long long)l->base, x, l->columns, (long long)l->stride[PART_ROW]);
    text_printf(t, "((int64((%s %% %d)) * %lld) + (int64(@i) * %lld))) + ", x, l->columns,
                (long long)l->stride[PART_COLUMN], (long long)l->stride[PART_I]);
    text_printf(t, "(int64(@j) * %lld)):float16 src=%%a+0:float16 sid=0 nburst=%d ",
                (long long)l->stride[PART_J], l->count[PART_BURST]);
    text_printf(t, "burst=%lld src_stride=0 dst_stride=%lld mode=0\n}\n}\n",
                (long long)(l->burst / BLOCK),
                (long long)((l->stride[PART_BURST] - l->burst) / BLOCK));
}

/* Marks the blocks of a core; false: one is another core's. */
static bool
mark(uint8_t *owner, const Layout *l, int core)
{
    bool apart = true;
    for (int n = 0; n < l->count[PART_I] * l->count[PART_J] * l->count[PART_BURST]; n++) {
        int i = n % l->count[PART_I], rest = n / l->count[PART_I];
        int x = l->times ? core * l->times + i : core;
        int64_t at = l->base + x / l->columns * l->stride[PART_ROW] +
                     x % l->columns * l->stride[PART_COLUMN] + i * l->stride[PART_I] +
                     rest % l->count[PART_J] * l->stride[PART_J] +
                     rest / l->count[PART_J] * l->stride[PART_BURST];
        for (int64_t b = at; b < at + l->burst; b += BLOCK) {
            assert_true(b + BLOCK <= BYTES);
            apart = apart && (owner[b / BLOCK] == 0 || owner[b / BLOCK] == core + 1);
            owner[b / BLOCK] = (uint8_t)(core + 1);
        }
    }
    return apart;
}

/* Returns whether blocks says that the cores of the kernel are apart. */
static bool
says_apart(const Text *t)
{
    Unit *u = malloc(sizeof *u);
    unit_init(u);
    Kernel *k = ir_parse(u, unit_add_source(u, "t.ir", t->p, t->n));
    assert_non_null(k);
    assert_true(pass_blocks(k));
    bool apart = !k->blocks_ordered;
    kernel_free(k);
    unit_free(u);
    free(u);
    return apart;
}

/* A kernel of one layout, or of one for the first cores and one for the others. */
static void
one(int *apart, int *said)
{
    static uint8_t owner[BYTES / BLOCK];
    Arena arena;
    Text t;
    arena_init(&arena);
    text_init(&t, &arena);
    int cores = 2 + below(MOST_CORES - 1);
    bool branch = below(3) == 0;
    int first = branch ? 1 + below(cores - 1) : cores;
    Layout l = draw(cores), other = l;
    other.base = BLOCK * (int64_t)(below(3) == 0 ? below(64) : 0);
    text_printf(&t, "kernel k soc=Ascend310P3 {\nout %%o: float16[%d]\n", BYTES / 2);
    text_printf(&t, "alloc %%a: float16[1024] UB\n");
    text_printf(&t, "for @b: int32 = 0 to %d block_num=%d {\n", cores, cores);
    text_printf(&t, branch ? "if (@b < %d) {\n" : "", first);
    print(&t, &l, "@b");
    if (branch) {
        text_printf(&t, "} else {\n");
        print(&t, &other, "@b");
    }
    text_printf(&t, branch ? "}\n}\n}\n" : "}\n}\n");
    memset(owner, 0, sizeof owner);
    bool truly = true;
    for (int core = 0; core < cores; core++) {
        truly = mark(owner, core < first ? &l : &other, core) && truly;
    }
    bool says = says_apart(&t);
    if (says && !truly) {
        fail_msg("not apart:\n%.*s", (int)t.n, t.p);
    }
    *apart += truly;
    *said += says;
    arena_free(&arena);
}

static void
cores_are_apart(void **state)
{
    (void)state;
    int apart = 0, said = 0;
    for (int i = 0; i < ROUNDS; i++) {
        seed = (uint64_t)i + 1;
        one(&apart, &said);
    }
    print_message("%d of %d layouts are apart, and %d are said to be\n", apart, ROUNDS,
                  said);
    assert_true(apart > ROUNDS / 4 && apart < ROUNDS - ROUNDS / 8);
    assert_true(said > apart - apart / 20);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cores_are_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
