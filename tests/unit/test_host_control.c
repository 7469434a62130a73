/* test_host_control.c: checks loops, branches, jumps, cores, run-time checks and their
 * faults in native code, and what is written ahead of time. */
#include "host_util.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    N = 64
};

static ExprId
s64(Maker *m, RegId r)
{
    return ir_reg_value(m->k, r);
}

/* The kernel sets out[i] = 3 * i for i < 10 except 4, and nothing after 7: loops with
 * continue and break. */
static void
breaks_and_continues(void **state)
{
    (void)state;
    Maker m;
    maker_open(&m, "Ascend310P3");
    BufId out = gm(&m, "out", DT_S32, N, BUF_OUT);
    VarId i;
    StmtId s =
        loop(&m, &i, DT_S32, ir_const(m.k, DT_S32, 0), ir_const(m.k, DT_S32, 10), 1);
    ExprId iv = ir_var_value(m.k, i);
    ExprId is4 = ir_op2(m.k, SOP_EQ, iv, ir_const(m.k, DT_S32, 4));
    ExprId over = ir_op2(m.k, SOP_GT, iv, ir_const(m.k, DT_S32, 7));
    StmtId branch = put(&m, (Stmt){.kind = ST_IF, .cond = {is4, 0, 0}});
    Cursor in = ir_cursor_body(branch, 0);
    ir_append(m.k, &in, &(Stmt){.kind = ST_CONTINUE});
    Cursor no = ir_cursor_body(branch, 1);
    StmtId inner = ir_append(m.k, &no, &(Stmt){.kind = ST_IF, .cond = {over, 0, 0}});
    in = ir_cursor_body(inner, 0);
    ir_append(m.k, &in, &(Stmt){.kind = ST_BREAK});
    ExprId off = ir_op2(m.k, SOP_MUL, ir_cast(m.k, DT_S64, iv), num(&m, 4));
    store(&m, out, DT_S32, off, ir_op2(m.k, SOP_MUL, iv, ir_const(m.k, DT_S32, 3)),
          PROOF_PROVED);
    loop_end(&m, s);
    for (int level = 0; level < 4; level++) {
        int32_t have[N] = {0};
        uint8_t *arrays[1] = {(uint8_t *)have};
        TikError err = {0};
        assert_true(run_at(&m, level, NULL, arrays, &err));
        for (int n = 0; n < N; n++) {
            assert_int_equal(have[n], n < 8 && n != 4 ? 3 * n : 0);
        }
    }
    maker_close(&m);
}

/* Each of 5 cores writes its own element; a second loop has 3 blocks; everything else
 * runs on all cores. */
static void
cores_run_their_block(void **state)
{
    (void)state;
    Maker m;
    maker_open(&m, "Ascend310P3");
    BufId out = gm(&m, "out", DT_S64, N, BUF_OUT);
    RegId count = reg(&m, "count", DT_S64);
    for (int pass = 0; pass < 2; pass++) {
        int blocks = pass == 0 ? 5 : 3;
        VarId i;
        StmtId s = loop(&m, &i, DT_S64, num(&m, 0), num(&m, blocks), blocks);
        set(&m, count, ir_op2(m.k, SOP_ADD, s64(&m, count), num(&m, 1)));
        ExprId v = ir_op2(m.k, SOP_ADD, ir_var_value(m.k, i),
                          ir_op2(m.k, SOP_MUL, s64(&m, count), num(&m, 100)));
        ExprId at = ir_op2(m.k, SOP_ADD, ir_var_value(m.k, i), num(&m, pass * 8));
        store(&m, out, DT_S64, ir_op2(m.k, SOP_MUL, at, num(&m, 8)), v, PROOF_PROVED);
        loop_end(&m, s);
    }
    int64_t have[N] = {0};
    uint8_t *arrays[1] = {(uint8_t *)have};
    TikError err = {0};
    assert_true(run_at(&m, 2, NULL, arrays, &err));
    for (int i = 0; i < 16; i++) {
        assert_int_equal(have[i], i < 5 ? 100 + i : i >= 8 && i < 11 ? 200 + i - 8 : 0);
    }
    maker_close(&m);
}

static void
returns_end_the_core(void **state)
{
    (void)state;
    Maker m;
    maker_open(&m, "Ascend310P3");
    BufId out = gm(&m, "out", DT_S64, N, BUF_OUT);
    store(&m, out, DT_S64, num(&m, 0), num(&m, 7), PROOF_PROVED);
    put(&m, (Stmt){.kind = ST_RETURN});
    store(&m, out, DT_S64, num(&m, 8), num(&m, 9), PROOF_PROVED);
    int64_t have[N] = {0};
    uint8_t *arrays[1] = {(uint8_t *)have};
    TikError err = {0};
    assert_true(run_at(&m, 0, NULL, arrays, &err));
    assert_int_equal(have[0], 7);
    assert_int_equal(have[1], 0);
    maker_close(&m);
}

/* ---- faults -------------------------------------------------------------- */

typedef void Fill(Maker *m, BufId in, BufId out, RegId r);

/* Loads in[0] into a register, lets fill add statements, and expects the fault (null:
 * none). */
static void
expect_fault(Fill *fill, int64_t value, const char *name)
{
    for (int level = 0; level <= 2; level += 2) {
        Maker m;
        maker_open(&m, "Ascend310P3");
        BufId in = gm(&m, "in", DT_S64, N, BUF_IN);
        BufId out = gm(&m, "out", DT_S64, N, BUF_OUT);
        RegId r = reg(&m, "r", DT_S64);
        load(&m, r, in, DT_S64, num(&m, 0), PROOF_PROVED);
        fill(&m, in, out, r);
        static int64_t a[N], b[N];
        a[0] = value;
        uint8_t *arrays[2] = {(uint8_t *)a, (uint8_t *)b};
        TikError err = {0};
        bool ok = run_at(&m, level, NULL, arrays, &err);
        assert_int_equal(ok, name == NULL);
        if (name != NULL) {
            assert_int_equal(err.kind, TIK_ERR_FAULT);
            assert_string_equal(err.name, name);
        }
        maker_close(&m);
    }
}

static void
divide(Maker *m, BufId in, BufId out, RegId r)
{
    (void)in;
    store(m, out, DT_S64, num(m, 0), ir_op2(m->k, SOP_DIV, num(m, 7), s64(m, r)),
          PROOF_PROVED);
}

static void
count_to(Maker *m, BufId in, BufId out, RegId r)
{
    (void)in;
    VarId i;
    StmtId s = loop(m, &i, DT_S64, num(m, 0), s64(m, r), 1);
    store(m, out, DT_S64, num(m, 0), ir_var_value(m->k, i), PROOF_PROVED);
    loop_end(m, s);
}

static void
count_from(Maker *m, BufId in, BufId out, RegId r)
{
    (void)in;
    VarId i;
    StmtId s = loop(m, &i, DT_S64, s64(m, r), num(m, 5), 1);
    store(m, out, DT_S64, num(m, 0), ir_var_value(m->k, i), PROOF_PROVED);
    loop_end(m, s);
}

static void
fits_int8(Maker *m, BufId in, BufId out, RegId r)
{
    (void)in;
    (void)out;
    Arg a[4] = {expr(num(m, -128)), expr(s64(m, r)), expr(num(m, DT_S8)),
                expr(num(m, 0))};
    instr(m, OP_LOOP_BOUNDS, a, 4, PROOF_RUNTIME);
}

static void
element(Maker *m, BufId in, BufId out, RegId r)
{
    RegId x = reg(m, "x", DT_S64);
    load(m, x, in, DT_S64, s64(m, r), PROOF_RUNTIME);
    store(m, out, DT_S64, s64(m, r), s64(m, x), PROOF_RUNTIME);
}

static void
dup_repeats(Maker *m, BufId in, BufId out, RegId r)
{
    (void)in;
    (void)out;
    BufId ub = local(m, SC_UB, DT_F16, 4096);
    Arg a[5] = {mask_count(num(m, 128)), ref(m, ub, DT_F16, num(m, 0)),
                expr(ir_const(m->k, DT_F16, 0)), expr(s64(m, r)), expr(num(m, 8))};
    instr(m, OP_VEC_DUP, a, 5, PROOF_RUNTIME);
}

static void
dup_mask(Maker *m, BufId in, BufId out, RegId r)
{
    (void)in;
    (void)out;
    BufId ub = local(m, SC_UB, DT_F16, 4096);
    Arg a[5] = {mask_count(s64(m, r)), ref(m, ub, DT_F16, num(m, 0)),
                expr(ir_const(m->k, DT_F16, 0)), expr(num(m, 1)), expr(num(m, 8))};
    instr(m, OP_VEC_DUP, a, 5, PROOF_RUNTIME);
}

static void
run_time_faults(void **state)
{
    (void)state;
    expect_fault(divide, 2, NULL);
    expect_fault(divide, 0, "run-time-zero-division");
    expect_fault(count_to, 3, NULL);
    expect_fault(count_to, 0, NULL);
    expect_fault(count_to, -1, NULL);
    expect_fault(count_from, 0, NULL);
    expect_fault(count_from, 5, NULL);
    expect_fault(count_from, 6, NULL);
    expect_fault(count_from, -1, NULL);
    expect_fault(fits_int8, 128, NULL);
    expect_fault(fits_int8, 129, "loop-bounds");
    expect_fault(fits_int8, -200, NULL);
    expect_fault(element, (N - 1) * 8, NULL);
    expect_fault(element, N * 8 + 24, NULL); /* the block after the data */
    expect_fault(element, N * 8 + 32, "tensor-overflow");
    expect_fault(element, -8, "tensor-overflow");
    expect_fault(element, 4, "address-align");
    expect_fault(dup_repeats, 32, NULL);
    expect_fault(dup_repeats, 0, NULL);
    expect_fault(dup_repeats, 33, "tensor-overflow");
    expect_fault(dup_repeats, 256, "repeat-range");
    expect_fault(dup_mask, 1, NULL);
    expect_fault(dup_mask, 0, "mask-range");
    expect_fault(dup_mask, 129, "mask-range");
}

/* ---- ahead of time ------------------------------------------------------- */

static char *
read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *p = calloc(1, 1 << 20);
    *n = fread(p, 1, (1 << 20) - 1, f);
    fclose(f);
    return p;
}

static void
add_kernel(Maker *m)
{
    BufId in = gm(m, "in", DT_F16, 4096, BUF_IN);
    BufId out = gm(m, "out", DT_F16, 4096, BUF_OUT);
    BufId ub = local(m, SC_UB, DT_F16, 4096);
    m->k->bufs.p[in].inside = m->k->bufs.p[out].inside = true;
    move(m, ub, 0, in, 0, DT_F16, 8192);
    Arg a[8] = {mask_count(num(m, 128)),
                ref(m, ub, DT_F16, num(m, 0)),
                ref(m, ub, DT_F16, num(m, 0)),
                ref(m, ub, DT_F16, num(m, 0)),
                expr(num(m, 32)),
                expr(num(m, 8)),
                expr(num(m, 8)),
                expr(num(m, 8))};
    instr(m, OP_VEC_ADD, a, 8, PROOF_PROVED);
    move(m, out, 0, ub, 0, DT_F16, 8192);
}

static void
run_shared(const char *path)
{
    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(lib);
    const TikKernel *k = dlsym(lib, "tik_kernel_test");
    assert_non_null(k);
    assert_string_equal(k->name, "test");
    assert_string_equal(k->soc, "Ascend310P3");
    assert_int_equal(k->nparams, 2);
    assert_string_equal(k->params[1].name, "out");
    assert_int_equal(k->params[1].role, 1);
    assert_int_equal(k->params[1].elems, 4096);
    assert_int_equal(k->params[1].shape[0], 4096);
    TikArray in, out;
    TikArray *list[2] = {&in, &out};
    TikError err = {0};
    assert_true(tik_array_alloc(&in, DT_F16, 4096, &err));
    assert_true(tik_array_alloc(&out, DT_F16, 4096, &err));
    for (int i = 0; i < 4096; i++) {
        ((uint16_t *)in.data)[i] = 0x3c00; /* 1.0 */
    }
    assert_true(tik_launch(k, list, 1, &err));
    for (int i = 0; i < 4096; i++) {
        assert_int_equal(((uint16_t *)out.data)[i], 0x4000);
    }
    tik_array_free(&in);
    tik_array_free(&out);
    dlclose(lib);
}

static void
writes_files(void **state)
{
    (void)state;
    char dir[] = "/tmp/tikc-host-XXXXXX";
    assert_non_null(mkdtemp(dir));
    Maker m;
    maker_open(&m, "Ascend310P3");
    add_kernel(&m);
    HostOptions opt = {.opt_level = 2};
    static const char *const names[] = {"k.o", "k.so", "k.ll", "k.s"};
    char path[4][64];
    size_t n;
    for (int what = HOST_OBJECT; what <= HOST_ASM; what++) {
        snprintf(path[what], sizeof path[what], "%s/%s", dir, names[what]);
        bool ok = tikc_host_api()->emit(m.u, &m.k, 1, (HostEmit)what, &opt, path[what]);
        show_diags(m.u);
        assert_true(ok);
    }
    char *text = read_file(path[HOST_OBJECT], &n);
    assert_memory_equal(text, "\177ELF", 4);
    free(text);
    text = read_file(path[HOST_LLVM], &n);
    assert_non_null(strstr(text, "@tik_kernel_test = "));
    assert_non_null(strstr(text, "define i32 @tik_entry_test("));
    assert_null(strstr(text, " fast "));
    free(text);
    text = read_file(path[HOST_ASM], &n);
    assert_non_null(strstr(text, "tik_entry_test:"));
    free(text);
    run_shared(path[HOST_SHARED]);
    for (int what = 0; what < 4; what++) {
        unlink(path[what]);
    }
    assert_int_equal(rmdir(dir), 0); /* no other file was left */
    maker_close(&m);
}

static void
reports_what_it_cannot_write(void **state)
{
    (void)state;
    Maker m;
    maker_open(&m, "Ascend310P3");
    add_kernel(&m);
    HostOptions opt = {.opt_level = 0};
    for (int what = HOST_OBJECT; what <= HOST_ASM; what++) {
        assert_false(tikc_host_api()->emit(m.u, &m.k, 1, (HostEmit)what, &opt,
                                           "/nonexistent/dir/k.out"));
    }
    assert_true(m.u->diags.n >= 1);
    assert_int_equal(m.u->diags.p[0]->id, D_FILE_WRITE);
    maker_close(&m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(breaks_and_continues),
        cmocka_unit_test(cores_run_their_block),
        cmocka_unit_test(returns_end_the_core),
        cmocka_unit_test(run_time_faults),
        cmocka_unit_test(writes_files),
        cmocka_unit_test(reports_what_it_cannot_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
