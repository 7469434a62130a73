/* test_emu_blob.c: checks tik_emulate from bytes to arrays, and each kind of error that
 * it can end with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/isa.h"
#include "num/scalar.h"
#include "tikblob.h"
#include "tikrt.h"

enum {
    ELEMS = 128
};

typedef struct Made {
    uint8_t *bytes;
    size_t size;
} Made;

static TikNum
imm(int64_t v)
{
    return (TikNum){.kind = NUM_IMM, .imm = v};
}

static TikOperand
operand(uint32_t region, int64_t loop_coef)
{
    TikOperand o = {.region = region, .dtype = DT_F16};
    if (loop_coef != 0) {
        o.nterms = 1;
        o.terms[0].num = (TikNum){.kind = NUM_LOOP};
        o.terms[0].coef = loop_coef;
    }
    return o;
}

static void
emit(TikBlobWriter *w, const TikDesc *d, uint32_t line)
{
    char error[200];
    if (!tikblob_emit(w, d, "add.tik", line, 5, error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        fail();
    }
}

static void
emit_move(TikBlobWriter *w, TikOperand dst, TikOperand src, TikNum burst, uint32_t line)
{
    TikDesc d = {.kind = DESC_INSTR, .op = OP_DATA_MOVE};
    d.args[0].t = dst;
    d.args[1].t = src;
    for (int i = 2; i < 8; i++) {
        d.args[i].v = imm(i == 3);
        d.args[i].literal = true;
    }
    d.args[4].v = burst;
    d.args[4].literal = burst.kind == NUM_IMM;
    d.checked = !d.args[4].literal;
    emit(w, &d, line);
}

/* The kernel is dst = src + src in steps of 64 elements; the burst of the move out is a
 * register, loaded from the first element of n. */
static Made
make_blob(void)
{
    const TikBlobArg args[] = {
        {.name = "src",
         .dtype = DT_F16,
         .role = 0,
         .elems = ELEMS,
         .ndim = 1,
         .shape = {ELEMS}},
        {.name = "n", .dtype = DT_S32, .role = 0, .elems = 8, .ndim = 1, .shape = {8}},
        {.name = "dst",
         .dtype = DT_F16,
         .role = 1,
         .elems = ELEMS,
         .ndim = 1,
         .shape = {ELEMS}}};
    const TikBlobRegion regions[] = {
        {.name = "src", .scope = SC_GM, .dtype = DT_F16, .base = 0, .bytes = ELEMS * 2},
        {.name = "n", .scope = SC_GM, .dtype = DT_S32, .base = 1, .bytes = 32},
        {.name = "dst", .scope = SC_GM, .dtype = DT_F16, .base = 2, .bytes = ELEMS * 2},
        {.name = "ub", .scope = SC_UB, .dtype = DT_F16, .base = 0, .bytes = 128}};
    TikBlobKernelInfo info = {.name = "twice",
                              .cores = 1,
                              .args = args,
                              .nargs = 3,
                              .regions = regions,
                              .nregions = 4,
                              .nregs = 1,
                              .step_bound = 20};
    info.peak[SC_UB] = 128;
    TikBlobWriter *w = tikblob_writer_new(soc_default());
    tikblob_begin_kernel(w, &info);
    TikDesc load = {
        .kind = DESC_LOAD, .dtype = DT_S32, .operand = {.region = 1, .dtype = DT_S32}};
    emit(w, &load, 3);
    TikDesc loop = {.kind = DESC_LOOP, .a = imm(0), .b = imm(2)};
    emit(w, &loop, 4);
    emit_move(w, operand(3, 0), operand(0, 128), imm(4), 5);
    TikDesc add = {.kind = DESC_INSTR, .op = OP_VEC_ADD, .mask_form = MASK_COUNT};
    add.args[0].mask[0] = imm(64);
    for (int i = 1; i < 4; i++) {
        add.args[i].t = operand(3, 0);
    }
    for (int i = 4; i < 8; i++) {
        add.args[i].v = imm(i == 4 ? 1 : 8);
        add.args[i].literal = true;
    }
    emit(w, &add, 6);
    emit_move(w, operand(2, 128), operand(3, 0), (TikNum){.kind = NUM_REG}, 7);
    const TikBlobFrame call = {0, "out", "add.tik", 12, 1};
    tikblob_emit_frame(w, tikblob_add_frame(w, &call));
    TikDesc end = {.kind = DESC_ENDLOOP};
    emit(w, &end, 4);
    tikblob_end_kernel(w);
    Made m;
    assert_true(tikblob_finish(w, NULL, &m.bytes, &m.size));
    tikblob_writer_free(w);
    return m;
}

/* Runs with n[0] = burst; *dst is freed by the caller. */
static bool
run(const Made *m, int kernel, int32_t burst, Dtype src_dtype, TikArray *dst,
    TikError *err)
{
    TikArray src, n, *args[] = {&src, &n, dst};
    memset(err, 0, sizeof *err);
    assert_true(tik_array_alloc(&src, src_dtype, ELEMS, err));
    assert_true(tik_array_alloc(&n, DT_S32, 8, err));
    assert_true(tik_array_alloc(dst, DT_F16, ELEMS, err));
    memcpy(n.data, &burst, sizeof burst);
    for (int i = 0; i < ELEMS; i++) {
        uint16_t h = (uint16_t)scalar_from_double(DT_F16, i);
        memcpy(src.data + 2 * i, &h, 2);
    }
    bool ok = tik_emulate(m->bytes, m->size, kernel, args, err);
    tik_array_free(&src);
    tik_array_free(&n);
    return ok;
}

static void
a_kernel_runs(void **state)
{
    (void)state;
    Made m = make_blob();
    TikArray dst;
    TikError err;
    if (!run(&m, 0, 4, DT_F16, &dst, &err)) {
        fprintf(stderr, "%s\n", err.text);
        fail();
    }
    for (int i = 0; i < ELEMS; i++) {
        uint16_t h;
        memcpy(&h, dst.data + 2 * i, 2);
        assert_int_equal(h, scalar_from_double(DT_F16, 2 * i));
    }
    tik_array_free(&dst);
    free(m.bytes);
}

static void
a_fault_has_its_rule_and_place(void **state)
{
    (void)state;
    static const int32_t bursts[] = {0, 5};
    static const char *const names[] = {"range-burst", "tensor-overflow"};
    Made m = make_blob();
    for (int i = 0; i < 2; i++) {
        TikArray dst;
        TikError err;
        assert_false(run(&m, 0, bursts[i], DT_F16, &dst, &err));
        assert_int_equal(err.kind, TIK_ERR_FAULT);
        assert_string_equal(err.name, names[i]);
        assert_string_equal(err.place, "add.tik:7:5");
        assert_int_equal(err.frame, 1);
        assert_true(err.text[0] != '\0');
        tik_array_free(&dst);
    }
    free(m.bytes);
}

static void
wrong_uses(void **state)
{
    (void)state;
    Made m = make_blob();
    TikArray dst;
    TikError err;
    assert_false(run(&m, 1, 4, DT_F16, &dst, &err));
    assert_int_equal(err.kind, TIK_ERR_USAGE);
    tik_array_free(&dst);
    assert_false(run(&m, 0, 4, DT_F32, &dst, &err));
    assert_int_equal(err.kind, TIK_ERR_USAGE);
    assert_non_null(strstr(err.text, "'src'"));
    tik_array_free(&dst);
    free(m.bytes);
}

/* A blob with right checksums over wrong contents may open; whatever it says then, the
 * run has one of the outcomes and accesses nothing else. */
static void
broken_blobs_end(void **state)
{
    (void)state;
    Made m = make_blob();
    uint8_t *copy = malloc(m.size);
    int refused = 0;
    for (size_t i = 0; i < m.size; i++) {
        for (int bit = 0; bit < 8; bit += 3) {
            memcpy(copy, m.bytes, m.size);
            copy[i] ^= (uint8_t)(1u << bit);
            Made broken = {copy, m.size};
            TikArray dst;
            TikError err;
            bool id =
                i >= m.size - 32; /* the build id, which the emulator does not use */
            assert_int_equal(run(&broken, 0, 4, DT_F16, &dst, &err), id);
            assert_true(id || err.kind == TIK_ERR_BLOB);
            tik_array_free(&dst);
            tikblob_update_checksums(copy, m.size);
            refused += !run(&broken, 0, 4, DT_F16, &dst, &err);
            tik_array_free(&dst);
        }
    }
    assert_true(refused > 0);
    free(copy);
    free(m.bytes);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_runs),
        cmocka_unit_test(a_fault_has_its_rule_and_place),
        cmocka_unit_test(wrong_uses),
        cmocka_unit_test(broken_blobs_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
