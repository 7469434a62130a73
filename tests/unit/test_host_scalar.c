/* test_host_scalar.c: compares every scalar operation and conversion on every type,
 * compiled at two levels, with scalar_eval. */
#include "host_util.h"

enum {
    N = 400
};

static int64_t
get(const uint8_t *p, Dtype t)
{
    int64_t v = 0;
    memcpy(&v, p, (size_t)dtype_size(t));
    return scalar_wrap(t, v);
}

static uint8_t *
operands(Rng *r, Dtype t)
{
    int size = dtype_size(t);
    uint8_t *p = calloc(N, 8);
    rng_bytes(r, p, N * 8);
    for (int i = 0; i < N; i++) {
        int64_t v = rng_range(r, -3, 40);
        if (rng_next(r) % 3 == 0 &&
            !dtype_is_float(t)) { /* small numbers, as counts and divisors are */
            memcpy(p + i * size, &v, (size_t)size);
        }
        if (t == DT_BOOL) {
            p[i] &= 1;
        }
    }
    return p;
}

static bool
has_op(ScalarOp op, Dtype t)
{
    bool bits = op == SOP_SHL || op == SOP_SHR || op == SOP_AND || op == SOP_OR ||
                op == SOP_XOR || op == SOP_NOT;
    return !(bits && dtype_is_float(t)) && op != SOP_CAST && op != SOP_BITS;
}

/* Compiles one kernel with all operations of a type in a loop over the operands. */
static void
check_ops(Dtype t, int level)
{
    Maker m;
    maker_open(&m, "Ascend310P3");
    BufId a = gm(&m, "a", t, N, BUF_IN);
    BufId b = gm(&m, "b", t, N, BUF_IN);
    ScalarOp ops[SOP_COUNT];
    BufId out[SOP_COUNT];
    int nops = 0;
    for (int op = 0; op < SOP_COUNT; op++) {
        if (has_op((ScalarOp)op, t)) {
            ops[nops] = (ScalarOp)op;
            Dtype rt = scalar_is_compare((ScalarOp)op) ? DT_BOOL : t;
            out[nops++] = gm(&m, arena_printf(&m.u->arena, "o%d", op), rt, N, BUF_OUT);
        }
    }
    RegId ra = reg(&m, "ra", t), rb = reg(&m, "rb", t);
    VarId i;
    StmtId s = loop(&m, &i, DT_S64, num(&m, 0), num(&m, N), 1);
    ExprId iv = ir_var_value(m.k, i);
    ExprId off = ir_op2(m.k, SOP_MUL, iv, num(&m, dtype_size(t)));
    load(&m, ra, a, t, off, PROOF_PROVED);
    load(&m, rb, b, t, off, PROOF_PROVED);
    for (int j = 0; j < nops; j++) {
        ExprId x = ir_reg_value(m.k, ra), y = ir_reg_value(m.k, rb);
        bool divides = (ops[j] == SOP_DIV || ops[j] == SOP_REM) && !dtype_is_float(t);
        StmtId branch = 0;
        if (divides) {
            ExprId zero = ir_const(m.k, t, 0);
            branch = put(
                &m, (Stmt){.kind = ST_IF, .cond = {ir_op2(m.k, SOP_NE, y, zero), 0, 0}});
            m.at = ir_cursor_body(branch, 0);
        }
        ExprId v = scalar_op_table[ops[j]].arity == 1 ? ir_op1(m.k, ops[j], x)
                                                      : ir_op2(m.k, ops[j], x, y);
        bool cmp = scalar_is_compare(ops[j]);
        store(&m, out[j], cmp ? DT_BOOL : t, cmp ? iv : off, v, PROOF_PROVED);
        if (divides) {
            m.at = (Cursor){branch, 2};
        }
    }
    loop_end(&m, s);
    Rng r = {0x1234567 + (uint64_t)t};
    uint8_t *arrays[SOP_COUNT + 2] = {operands(&r, t), operands(&r, t)};
    for (int j = 0; j < nops; j++) {
        arrays[2 + j] = calloc(N, 8);
    }
    TikError err = {0};
    assert_true(run_at(&m, level, NULL, arrays, &err));
    for (int j = 0; j < nops; j++) {
        bool cmp = scalar_is_compare(ops[j]);
        for (int n = 0; n < N; n++) {
            int64_t x = get(arrays[0] + n * dtype_size(t), t);
            int64_t y = get(arrays[1] + n * dtype_size(t), t);
            int64_t want = 0;
            if (!scalar_eval(ops[j], t, t, x, y, &want)) {
                want = 0;
            }
            int64_t have =
                cmp ? arrays[2 + j][n] : get(arrays[2 + j] + n * dtype_size(t), t);
            if (have != want) {
                fail_msg("%s %s(%llx, %llx): %llx, not %llx", dtype_name(t),
                         scalar_op_table[ops[j]].name, (long long)x, (long long)y,
                         (long long)have, (long long)want);
            }
        }
    }
    for (int j = 0; j < nops + 2; j++) {
        free(arrays[j]);
    }
    maker_close(&m);
}

static void
check_casts(Dtype from, int level)
{
    Maker m;
    maker_open(&m, "Ascend310P3");
    BufId a = gm(&m, "a", from, N, BUF_IN);
    BufId out[DT_COUNT];
    for (int t = 1; t < DT_PLAIN; t++) {
        out[t] = gm(&m, dtype_name((Dtype)t), (Dtype)t, N, BUF_OUT);
    }
    RegId ra = reg(&m, "ra", from);
    VarId i;
    StmtId s = loop(&m, &i, DT_S64, num(&m, 0), num(&m, N), 1);
    ExprId iv = ir_var_value(m.k, i);
    load(&m, ra, a, from, ir_op2(m.k, SOP_MUL, iv, num(&m, dtype_size(from))),
         PROOF_PROVED);
    for (int t = 1; t < DT_PLAIN; t++) {
        ExprId off = ir_op2(m.k, SOP_MUL, iv, num(&m, dtype_size((Dtype)t)));
        store(&m, out[t], (Dtype)t, off, ir_cast(m.k, (Dtype)t, ir_reg_value(m.k, ra)),
              PROOF_PROVED);
    }
    loop_end(&m, s);
    Rng r = {0x777 + (uint64_t)from};
    uint8_t *arrays[DT_COUNT] = {operands(&r, from)};
    for (int t = 1; t < DT_PLAIN; t++) {
        arrays[t] = calloc(N, 8);
    }
    TikError err = {0};
    assert_true(run_at(&m, level, NULL, arrays, &err));
    for (int t = 1; t < DT_PLAIN; t++) {
        for (int n = 0; n < N; n++) {
            int64_t x = get(arrays[0] + n * dtype_size(from), from);
            int64_t want = 0;
            assert_true(scalar_eval(SOP_CAST, (Dtype)t, from, x, 0, &want));
            int64_t have = get(arrays[t] + n * dtype_size((Dtype)t), (Dtype)t);
            if (have != want) {
                fail_msg("%s to %s of %llx: %llx, not %llx", dtype_name(from),
                         dtype_name((Dtype)t), (long long)x, (long long)have,
                         (long long)want);
            }
        }
    }
    for (int t = 0; t < DT_PLAIN; t++) {
        free(arrays[t]);
    }
    maker_close(&m);
}

static void
operations_equal_scalar_eval(void **state)
{
    (void)state;
    for (int t = 1; t < DT_PLAIN; t++) {
        check_ops((Dtype)t, 0);
        check_ops((Dtype)t, 2);
    }
}

static void
casts_equal_scalar_eval(void **state)
{
    (void)state;
    for (int t = 1; t < DT_PLAIN; t++) {
        check_casts((Dtype)t, 0);
        check_casts((Dtype)t, 2);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_equal_scalar_eval),
        cmocka_unit_test(casts_equal_scalar_eval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
