/* test_launch.c: checks cores of a compiled kernel over threads, their scratch, and the
 * faults that they record. The kernels are C functions of the form that the host back end
 * makes. */
#define _DEFAULT_SOURCE /* usleep */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "isa/isa.h"
#include "tikcode.h"

enum {
    CORES = 37
};

static const TikPlace places[] = {{"a.tik", 3, 5, 2}, {"a.tik", 9, 13, 0}};

static TikKernel
kernel(TikEntry entry, const TikParam *params, int n)
{
    return (TikKernel){.abi = TIKRT_ABI,
                       .name = "k",
                       .soc = "Ascend310P3",
                       .entry = entry,
                       .cores = CORES,
                       .scratch_bytes = 4096,
                       .nparams = n,
                       .params = params,
                       .nplaces = 2,
                       .places = places};
}

static const TikParam out_param = {.name = "out", .dtype = DT_S32, .elems = CORES};

static int
write_index(uint8_t *const *args, int32_t core, uint8_t *scratch, TikCore *c)
{
    (void)c;
    int32_t v = core + 1;
    memset(scratch, core, 4096);
    memcpy(args[0] + 4 * core, &v, 4);
    return 0;
}

/* What another version made is not looked at any further. */
static void
other_versions_are_refused(void **state)
{
    (void)state;
    TikError err = {0};
    TikKernel k = {.abi = TIKRT_ABI + 1};
    assert_false(tik_launch(&k, NULL, 1, &err));
    assert_int_equal(err.kind, TIK_ERR_USAGE);
    assert_non_null(strstr(err.text, "another version of libtikrt"));
}

static void
every_core_runs_once(void **state)
{
    (void)state;
    TikError err;
    for (int threads = 0; threads < 5; threads++) {
        TikArray a, *args[] = {&a};
        assert_true(tik_array_alloc(&a, DT_S32, CORES, &err));
        TikKernel k = kernel(write_index, &out_param, 1);
        assert_true(tik_launch(&k, args, threads, &err));
        for (int32_t i = 0; i < CORES; i++) {
            int32_t v;
            memcpy(&v, a.data + 4 * i, 4);
            assert_int_equal(v, i + 1);
        }
        tik_array_free(&a);
    }
}

/* Sets out[i] = number of cores that ran before; scratch starts as 0xff. */
static int
in_turn(uint8_t *const *args, int32_t core, uint8_t *scratch, TikCore *c)
{
    (void)c;
    int32_t before = 0, one = 1;
    for (int32_t i = 0; i < CORES; i++) {
        int32_t v;
        memcpy(&v, args[0] + 4 * i, 4);
        before += v != 0;
    }
    if (before == core && scratch[0] == 0xff && scratch[4095] == 0xff) {
        memcpy(args[0] + 4 * core, &one, 4);
    }
    memset(scratch, 0, 4096);
    return 0;
}

/* Launches a kernel of in_turn, all arguments of which (two at most) are one array. */
static void
expect_turns(const TikKernel *k)
{
    TikError err;
    TikArray a, *args[] = {&a, &a};
    assert_true(tik_array_alloc(&a, DT_S32, CORES, &err));
    assert_true(tik_launch(k, args, 4, &err));
    for (int32_t i = 0; i < CORES; i++) {
        int32_t v;
        memcpy(&v, a.data + 4 * i, 4);
        assert_int_equal(v, 1);
    }
    tik_array_free(&a);
}

static void
ordered_cores_run_in_turn_with_fresh_scratch(void **state)
{
    (void)state;
    TikKernel k = kernel(in_turn, &out_param, 1);
    k.ordered = k.fill_scratch = 1;
    expect_turns(&k);
}

/* ---- inspectors ---------------------------------------------------------- */

/* Adds a run of one tensor to the row of a core. */
static void
tell(uint8_t *rows, int32_t core, int64_t lo, int64_t hi)
{
    int64_t *row = (int64_t *)(void *)rows + core * (int64_t)TIK_INSPECT_WORDS;
    row[0] = row[0] < 0 ? 0 : row[0];
    row[1 + 2 * row[0]] = lo;
    row[2 + 2 * row[0]] = hi;
    row[0]++;
}

/* Rows of one tensor: four bytes of each core, which are its own, are the same for all,
 * or are not told. */
static int
own_bytes(uint8_t *const *args, int32_t core, uint8_t *scratch, TikCore *c)
{
    (void)scratch;
    (void)c;
    tell(args[1], core, 4 * core, 4 * core + 4);
    return 0;
}

static int
same_bytes(uint8_t *const *args, int32_t core, uint8_t *scratch, TikCore *c)
{
    (void)scratch;
    (void)c;
    tell(args[1], core, core == 20 ? 0 : 4 * core, 4 * core + 4);
    return 0;
}

/* Bytes in turns: each core has those between the others', or one has another one's. */
static int
bytes_in_turn(uint8_t *const *args, int32_t core, uint8_t *scratch, TikCore *c)
{
    (void)scratch;
    (void)c;
    for (int i = 3; i >= 0; i--) {
        tell(args[1], core, CORES * i + core, CORES * i + core + 1);
        tell(args[1], core, CORES * i + core, CORES * i + core + 1);
    }
    return 0;
}

static int
one_byte_twice(uint8_t *const *args, int32_t core, uint8_t *scratch, TikCore *c)
{
    if (core == 20) {
        tell(args[1], core, CORES + 21, CORES + 22);
    }
    return bytes_in_turn(args, core, scratch, c);
}

static int
one_untold(uint8_t *const *args, int32_t core, uint8_t *scratch, TikCore *c)
{
    return core == 20 ? 0 : own_bytes(args, core, scratch, c);
}

static int
one_fails(uint8_t *const *args, int32_t core, uint8_t *scratch, TikCore *c)
{
    (void)own_bytes(args, core, scratch, c);
    return core == 20 ? tikrt_fault(c, RULE_DIV_ZERO, 0, 1) : 0;
}

static void
cores_that_overlap_run_in_turn(void **state)
{
    (void)state;
    static const TikEntry inspectors[] = {same_bytes, one_untold, one_fails,
                                          one_byte_twice};
    for (int n = 0; n < 4; n++) {
        TikKernel k = kernel(in_turn, &out_param, 1);
        k.ordered = k.fill_scratch = 1;
        k.inspector = inspectors[n];
        k.inspects = 1;
        expect_turns(&k);
    }
}

/* Core 0 ends when core 1 has begun; a core that came after it would never begin. */
static int
meet(uint8_t *const *args, int32_t core, uint8_t *scratch, TikCore *c)
{
    (void)scratch;
    (void)c;
    _Atomic int32_t *out = (_Atomic int32_t *)(void *)args[0];
    atomic_store(&out[core], core + 1);
    for (int i = 0; core == 0 && atomic_load(&out[1]) == 0 && i < 20000; i++) {
        usleep(1000);
    }
    if (core == 0) {
        atomic_store(&out[0], atomic_load(&out[1]));
    }
    return 0;
}

static void
cores_that_are_apart_run_at_once(void **state)
{
    (void)state;
    TikError err;
    TikArray a, *args[] = {&a};
    assert_true(tik_array_alloc(&a, DT_S32, CORES, &err));
    static const TikEntry inspectors[] = {own_bytes, bytes_in_turn};
    for (int n = 0; n < 2; n++) {
        TikKernel k = kernel(meet, &out_param, 1);
        int32_t v;
        memset(a.data, 0, 4 * CORES);
        k.ordered = 1;
        k.cores = 2;
        k.inspector = inspectors[n];
        k.inspects = 1;
        assert_true(tik_launch(&k, args, 2, &err));
        memcpy(&v, a.data, 4);
        assert_int_equal(v, 2);
    }
    tik_array_free(&a);
}

/* Two arguments are one array, so what a core writes another one may read. */
static void
cores_of_arrays_that_share_bytes_run_in_turn(void **state)
{
    (void)state;
    const TikParam params[2] = {out_param, out_param};
    TikKernel k = kernel(in_turn, params, 2);
    k.fill_scratch = 1;
    expect_turns(&k);
}

static int
fault_from_5(uint8_t *const *args, int32_t core, uint8_t *scratch, TikCore *c)
{
    (void)args;
    (void)scratch;
    if (core == 5) {
        return tikrt_fault(c, RULE_LOOP_BOUNDS, -4, 0);
    }
    return core > 5 ? tikrt_fault(c, RULE_DIV_ZERO, 0, 1) : 0;
}

static void
the_lowest_core_reports(void **state)
{
    (void)state;
    TikKernel k = kernel(fault_from_5, NULL, 0);
    for (int i = 0; i < 50; i++) {
        TikError err;
        assert_false(tik_launch(&k, NULL, 4, &err));
        assert_int_equal(err.kind, TIK_ERR_FAULT);
        assert_string_equal(err.name, "loop-bounds");
        assert_string_equal(err.place, "a.tik:3:5");
        assert_int_equal(err.frame, 2);
        assert_non_null(strstr(err.text, "-4"));
    }
}

enum {
    GROWN = 2 * CORES,
    FAULTY = GROWN - 9
};

static _Atomic int ran[GROWN];

/* Reports more blocks than there are cores, each core another number, and breaks a rule
 * meanwhile. */
static int
fault_and_grow(uint8_t *const *args, int32_t core, uint8_t *scratch, TikCore *c)
{
    (void)args;
    (void)scratch;
    atomic_fetch_add(&ran[core], 1);
    if (tikrt_blocks(c, core < CORES ? CORES + 1 + core : 0, 1) != 0) {
        return 1;
    }
    return core >= FAULTY ? tikrt_fault(c, RULE_LOOP_BOUNDS, core, 0) : 0;
}

static void
cores_are_added_while_others_fault(void **state)
{
    (void)state;
    TikKernel k = kernel(fault_and_grow, NULL, 0);
    for (int i = 0; i < 50; i++) {
        TikError err = {0};
        memset(ran, 0, sizeof ran);
        assert_false(tik_launch(&k, NULL, 4, &err));
        assert_string_equal(err.name, "loop-bounds");
        assert_string_equal(err.where, "core 65");
        for (int core = 0; core <= FAULTY; core++) {
            assert_int_equal(ran[core], 1);
        }
    }
}

/* Is a checked data_move whose burst comes from args[0]. */
static int
checked_move(uint8_t *const *args, int32_t core, uint8_t *scratch, TikCore *c)
{
    static const TikCheck check = {
        .op = OP_DATA_MOVE,
        .place = 1,
        .soc = "Ascend310P3",
        .args = {{.scope = SC_UB, .dtype = DT_F16, .buffer = 1, .bytes = 128},
                 {.scope = SC_GM, .dtype = DT_F16, .buffer = 0, .bytes = 1024},
                 {.literal = 1},
                 [7] = {0}}};
    (void)core;
    (void)scratch;
    int32_t burst;
    memcpy(&burst, args[0], 4);
    const int64_t values[] = {0, 0, 0, 1, burst, 0, 0, 0};
    TikSpan spans[2];
    return tikrt_check(c, &check, values, spans);
}

/* Is a checked vec_adds with a list mask from args[0]: four words, then the operands
 * after it. */
static int
checked_vector(uint8_t *const *args, int32_t core, uint8_t *scratch, TikCore *c)
{
    static const TikCheck check = {
        .op = OP_VEC_ADDS,
        .place = 0,
        .soc = "Ascend310P3",
        .args = {{.mask_form = MASK_BITS},
                 {.scope = SC_UB, .dtype = DT_F16, .buffer = 1, .bytes = 512},
                 {.scope = SC_UB, .dtype = DT_F16, .buffer = 2, .bytes = 512},
                 [7] = {0}}};
    (void)core;
    (void)scratch;
    int32_t word;
    memcpy(&word, args[0], 4);
    const int64_t values[] = {word, 0, 0, 0, 0, 0, 0x3c00, 2, 8, 8};
    TikSpan spans[2];
    return tikrt_check(c, &check, values, spans);
}

static void
expect(TikEntry entry, int32_t value, const char *name, const char *place)
{
    TikArray a, *args[] = {&a};
    TikError err = {0};
    assert_true(tik_array_alloc(&a, DT_S32, CORES, &err));
    memcpy(a.data, &value, 4);
    TikKernel k = kernel(entry, &out_param, 1);
    assert_int_equal(tik_launch(&k, args, 2, &err), name == NULL);
    if (name != NULL) {
        assert_int_equal(err.kind, TIK_ERR_FAULT);
        assert_string_equal(err.name, name);
        assert_string_equal(err.place, place);
        assert_true(err.text[0] != '\0');
    }
    tik_array_free(&a);
}

static void
checks_run_with_actual_values(void **state)
{
    (void)state;
    expect(checked_move, 4, NULL, NULL);
    expect(checked_move, 5, "tensor-overflow", "a.tik:9:13");
    expect(checked_move, 0, "range-burst", "a.tik:9:13");
    expect(checked_vector, 1, NULL, NULL);
    expect(checked_vector, 0, "mask-zero", "a.tik:3:5");
}

static void
wrong_arrays_are_refused(void **state)
{
    (void)state;
    TikArray a, *args[] = {&a};
    TikError err;
    TikKernel k = kernel(write_index, &out_param, 1);
    assert_true(tik_array_alloc(&a, DT_U32, CORES, &err));
    assert_false(tik_launch(&k, args, 0, &err));
    assert_int_equal(err.kind, TIK_ERR_USAGE);
    tik_array_free(&a);
    assert_true(tik_array_alloc(&a, DT_S32, CORES - 1, &err));
    assert_false(tik_launch(&k, args, 0, &err));
    assert_non_null(strstr(err.text, "'out'"));
    tik_array_free(&a);
    k.soc = "Ascend0";
    assert_false(tik_launch(&k, args, 0, &err));
    assert_int_equal(err.kind, TIK_ERR_USAGE);
}

/* ---- bytes past the data ------------------------------------------------- */

enum {
    ODD = 9 /* 36 bytes, with 28 and 32 more after them */
};

/* Adds what is past the data to its first element, and writes there. */
static int
reach_past_end(uint8_t *const *args, int32_t core, uint8_t *scratch, TikCore *c)
{
    (void)scratch;
    (void)c;
    int32_t sum = 0, v;
    for (int i = 0; core == 0 && i < ODD + 15; i++) {
        memcpy(&v, args[0] + 4 * i, 4);
        sum += v;
    }
    for (int i = ODD; core == 0 && i < ODD + 15; i++) {
        v = 1000;
        memcpy(args[0] + 4 * i, &v, 4);
    }
    if (core == 0) {
        memcpy(args[0], &sum, 4);
    }
    return 0;
}

/* What a kernel finds past an array is 0 in each launch, and the caller's bytes stay. */
static void
bytes_past_an_array_are_the_runs_own(void **state)
{
    (void)state;
    const TikParam param = {.name = "x", .dtype = DT_S32, .elems = ODD};
    for (int room = 0; room < 2; room++) {
        _Alignas(64) int32_t data[64];
        for (int i = 0; i < 64; i++) {
            data[i] = 5;
        }
        TikArray a = {.dtype = DT_S32,
                      .elems = ODD,
                      .data = (uint8_t *)data,
                      .bytes = 4 * ODD,
                      .room = room ? 4 * (ODD + 15) : 0};
        TikArray *args[] = {&a};
        TikKernel k = kernel(reach_past_end, &param, 1);
        assert_true(tik_launch(&k, args, 1, NULL));
        assert_int_equal(data[0], 5 * ODD);
        data[0] = 5;
        assert_true(tik_launch(&k, args, 1, NULL));
        assert_int_equal(data[0], 5 * ODD);
        assert_int_equal(data[ODD], room ? 1000 : 5);
        assert_int_equal(data[ODD + 15], 5);
    }
}

static int
note_address(uint8_t *const *args, int32_t core, uint8_t *scratch, TikCore *c)
{
    (void)core;
    (void)scratch;
    (void)c;
    uintptr_t at = (uintptr_t)args[0];
    memcpy(args[1], &at, sizeof at);
    return 0;
}

/* An argument beyond which no access goes is where the caller has it. */
static void
arrays_that_are_not_left_stay_in_place(void **state)
{
    (void)state;
    for (int inside = 0; inside < 2; inside++) {
        const TikParam params[] = {
            {.name = "x", .dtype = DT_S32, .elems = ODD, .inside = inside},
            {.name = "at", .dtype = DT_S64, .elems = 1, .inside = 1}};
        int32_t x[ODD] = {0};
        uintptr_t at[1] = {0};
        TikArray a = {DT_S32, ODD, 1, {ODD}, (uint8_t *)x, sizeof x};
        TikArray b = {DT_S64, 1, 1, {1}, (uint8_t *)at, sizeof at};
        TikArray *args[] = {&a, &b};
        TikKernel k = kernel(note_address, params, 2);
        assert_true(tik_launch(&k, args, 1, NULL));
        assert_int_equal(at[0] == (uintptr_t)x, inside);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_versions_are_refused),
        cmocka_unit_test(every_core_runs_once),
        cmocka_unit_test(ordered_cores_run_in_turn_with_fresh_scratch),
        cmocka_unit_test(cores_that_overlap_run_in_turn),
        cmocka_unit_test(cores_that_are_apart_run_at_once),
        cmocka_unit_test(cores_of_arrays_that_share_bytes_run_in_turn),
        cmocka_unit_test(the_lowest_core_reports),
        cmocka_unit_test(cores_are_added_while_others_fault),
        cmocka_unit_test(checks_run_with_actual_values),
        cmocka_unit_test(wrong_arrays_are_refused),
        cmocka_unit_test(bytes_past_an_array_are_the_runs_own),
        cmocka_unit_test(arrays_that_are_not_left_stay_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
