/* test_blob_memory.c: the hosted functions on blobs without memory: each allocation of
 * tikblob_order, tikblob_properties, tikblob_assemble, tikblob_disassemble and
 * tikblob_strip fails in turn. Nothing is then said to be proved, or made, nothing is
 * lost, and nothing crashes. The linker leads calls of malloc, calloc and
 * realloc here (Makefile). */
#include "blob_parts.h"

#include "tikproof.h"

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void __real_free(void *p);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void __wrap_free(void *p);

/* Calls that allocate until one fails, as all after it; -1: none does. And
 * how many blocks are allocated. */
static long left = -1, live;
static bool once; /* only that one fails, and left is -2 then */

static bool
is_refused(void)
{
    left -= left > 0;
    bool now = left == 0;
    left = now && once ? -2 : left;
    return now;
}

void *
__wrap_malloc(size_t n)
{
    void *p = is_refused() ? NULL : __real_malloc(n);
    live += p != NULL;
    return p;
}

void *
__wrap_calloc(size_t n, size_t size)
{
    void *p = is_refused() ? NULL : __real_calloc(n, size);
    live += p != NULL;
    return p;
}

void *
__wrap_realloc(void *old, size_t n)
{
    void *p = is_refused() ? NULL : __real_realloc(old, n);
    live += p != NULL && old == NULL;
    return p;
}

void
__wrap_free(void *p)
{
    live -= p != NULL;
    __real_free(p);
}

#define HEAD                                                                             \
    "peak UB 8192\n"                                                                     \
    "arg \"x\" input int32 (65536)\n"                                                    \
    "arg \"y\" output int32 (4096)\n"                                                    \
    "arg \"w\" workspace int64 (64) preset 0\n"                                          \
    "region 0 \"x\" GM int32 arg 0\n"                                                    \
    "region 1 \"y\" GM int32 arg 1\n"                                                    \
    "region 2 \"u\" UB int32 at 0 bytes 4096\n"                                          \
    "region 3 \"v\" UB int32 at 4064 bytes 4096\n"                                       \
    "region 4 \"w\" GM int64 arg 2\n"                                                    \
    "code\n"
#define LOAD(r) r " = load int32[2, 0]\n"
#define STORE   "store int32[1, 0, 8192*core, 8*s0] s0\n"
#define DUP                                                                              \
    "vec_dup mask=count(8) dst=int32[2, 0] scalar=0 repeat_times=1 dst_rep_stride=8\n"
#define BARRIER "pipe_barrier pipe=7\n"
#define FLAG(id)                                                                         \
    "set_flag pipe=4 trigger_pipe=1 event_id=" id                                        \
    "\nwait_flag pipe=4 trigger_pipe=1 event_id=" id "\n"

/* Everything that is allocated for: loops of known and unknown bounds with jumps,
 * branches, flags, cores that meet, regions that share bytes, writes with gaps. %s: more
 * of the body of a loop that is copied. */
static const char text[] =
    "blob 1.0 Ascend310P3\n"
    "kernel \"t\" cores 2 steps 0 queues\n" HEAD "store int32[2, 0] 1\n" LOAD("r0")
        LOAD("r1") "r0 = and int32 r0 3\nr1 = and int32 r1 3\n"
                   "if r0\nelse\nendif\n" FLAG("0") FLAG(
                       "1") "loop s0 = 0 200\n" STORE "endloop s0\n"
                            "block_barrier workspace=int64[4, 0] blocks=2\n"
                            "loop s0 = 0 r0\nif r0\nbreak\nendif\nloop s1 = 0 2\nif "
                            "r1\ncontinue\nelse\n" LOAD(
                                "r2") "endif\nendloop s1\nendloop s0\n"
                                      "if r0\n" LOAD("r3") "else\n" LOAD(
                                          "r3") "endif\n"
                                                "loop s0 = 0 4\nr5 = rem int32 s0 2\n";

static const char loop_first[] =
    "blob 1.0 Ascend310P3\n"
    "kernel \"t\" cores 1 steps 0 queues\n" HEAD "loop s0 = 0 4\nr5 = rem int32 s0 2\n";

/* A text with `times` more instructions in its last loop, so that what grows does so at
 * any of them. */
static Bin
program(const char *first, int times)
{
    static const char filled[] = DUP BARRIER;
    size_t room = strlen(first) + (size_t)times * sizeof filled + 64;
    char *all = malloc(room);
    int n = snprintf(all, room, "%s", first);
    for (int i = 0; i < times; i++) {
        n += snprintf(all + n, room - (size_t)n, "%s", i % 2 == 0 ? filled : LOAD("r4"));
    }
    snprintf(all + n, room - (size_t)n, "%sendloop s0\nend\n", BARRIER);
    Bin b = assemble(all);
    free(all);
    return b;
}

/* Returns whether allocation number n, from 1, was made. */
static bool
order_without(const TikBlob *b, long n)
{
    TikBlobOrder order;
    long before = live;
    left = n;
    bool ok = tikblob_order(b, 0, &order);
    bool failed = left == 0 || left == -2;
    left = -1;
    assert_int_equal(live, before);
    assert_true(!failed || (!ok && strcmp(order.name, "sync-budget") == 0));
    return failed;
}

static bool
properties_without(const TikBlob *b, const TikBlobProof *proof, long n)
{
    TikBlobProperty of[TIKBLOB_PROPERTIES];
    long before = live;
    left = n;
    bool ok = tikblob_properties(b, 0, proof, 0, of);
    bool failed = left == 0 || left == -2;
    left = -1;
    assert_int_equal(live, before);
    assert_true(!failed || !ok || of[TIKBLOB_RACES].verdict == TIKBLOB_NOT_PROVED);
    return failed;
}

/* Ends a call that could not allocate, or could do without: then the bytes are the same
 * as ever. */
static bool
end_call(bool ok, long before, uint8_t *made, size_t size, const Bin *want)
{
    bool failed = left == 0 || left == -2;
    left = -1;
    if (ok) {
        assert_true(size == want->n && memcmp(made, want->p, size) == 0);
        free(made);
    }
    assert_true(ok || failed);
    assert_int_equal(live, before);
    return failed;
}

static bool
assemble_without(const char *source, const Bin *want, long n)
{
    Bin got = {NULL, 0};
    int line;
    char error[300];
    long before = live;
    left = n;
    bool ok = tikblob_assemble(source, strlen(source), &got.p, &got.n, &line, error,
                               sizeof error);
    return end_call(ok, before, got.p, got.n, want);
}

static bool
disassemble_without(const Bin *b, const Bin *want, long n)
{
    char *made = NULL;
    TikBlobDiag diag;
    long before = live;
    left = n;
    bool ok = tikblob_disassemble(b->p, b->n, &made, &diag);
    return end_call(ok, before, (uint8_t *)made, ok ? strlen(made) : 0, want);
}

static bool
strip_without(const Bin *b, const Bin *want, long n)
{
    Bin got = {NULL, 0};
    TikBlobDiag diag;
    long before = live;
    left = n;
    bool ok = tikblob_strip(b->p, b->n, &got.p, &got.n, &diag);
    return end_call(ok, before, got.p, got.n, want);
}

/* Makes a blob of its text, the text of the blob, and one without places. */
static void
each_tool_fails(void **state)
{
    (void)state;
    Bin b = program(text, 300), without;
    char *shown;
    TikBlobDiag diag;
    assert_true(tikblob_disassemble(b.p, b.n, &shown, &diag));
    assert_true(tikblob_strip(b.p, b.n, &without.p, &without.n, &diag));
    const Bin source = {(uint8_t *)shown, strlen(shown)};
    for (int i = 0; i < 2; i++) {
        long n[3] = {1, 1, 1};
        once = i == 0;
        while (assemble_without(shown, &b, n[0])) {
            n[0]++;
        }
        while (disassemble_without(&b, &source, n[1])) {
            n[1]++;
        }
        while (strip_without(&b, &without, n[2])) {
            n[2]++;
        }
        assert_true(n[0] > 20 && n[1] > 5 && n[2] > 5);
    }
    free(without.p);
    free(shown);
    free(b.p);
}

static void
try_program(const char *first, int times)
{
    Bin bin = program(first, times);
    TikBlob b;
    TikBlobDiag diag;
    TikBlobProof proof;
    TikBlobOrder order;
    assert_string_equal(verify_diag(&bin, &proof, &diag), "");
    assert_true(tikblob_open(&b, bin.p, bin.n, &diag));
    if (!tikblob_order(&b, 0, &order)) {
        fail_msg("%s: %s", order.name, order.text);
    }
    long n = 1;
    while (order_without(&b, n)) {
        n++;
    }
    assert_true(n > 10);
    for (n = 1; properties_without(&b, &proof, n);) {
        n++;
    }
    assert_true(n > 20);
    free(bin.p);
}

static void
each_allocation_fails(void **state)
{
    (void)state;
    for (int times = 0; times < 6; times++) {
        once = times % 2 == 0;
        try_program(text, times);
        try_program(loop_first, 60 + times);
        try_program(loop_first, 128 + times);
        try_program(text, 60 + times);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_allocation_fails),
        cmocka_unit_test(each_tool_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
