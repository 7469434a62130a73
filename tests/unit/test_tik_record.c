/* test_tik_record.c: checks what the TIK objects put into the kernel: places of
 * statements and operands, call chains, argument order, sizes, shape of branches. Texts
 * of diagnostics are tested in tests/lit/tik. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pipeline.h"

static const char head[] =
    "from tbe import tik\n"
    "t = tik.Tik()\n"
    "def gm(name, n=64, **more):\n"
    "    return t.Tensor('float16', (n,), tik.scope_gm, name, **more)\n"
    "def ub(name):\n"
    "    return t.Tensor('float16', (64,), tik.scope_ubuf, name)\n";

static void
stage(Unit *u, const char *program)
{
    unit_init(u);
    char *text = arena_printf(&u->arena, "%s%s", head, program);
    bool ok = tikc_stage(u, "k.tik", text, strlen(text));
    if (!ok) {
        Text out;
        text_init(&out, &u->arena);
        diag_render_all(u, DIAG_TEXT, &out);
        print_error("%s", out.p);
    }
    assert_true(ok);
}

static Kernel *
only_kernel(Unit *u)
{
    assert_int_equal(u->kernels.n, 1);
    Kernel *k = u->kernels.p[0];
    ir_verify(k, "stage");
    return k;
}

static void
done(Unit *u)
{
    for (uint32_t i = 0; i < u->kernels.n; i++) {
        kernel_free(u->kernels.p[i]);
    }
    unit_free(u);
}

static void
check_text(Unit *u, Span s, const char *expected)
{
    assert_int_equal(s.end - s.begin, strlen(expected));
    assert_memory_equal(u->sources.p[s.file].text + s.begin, expected, strlen(expected));
}

static const Stmt *
first_of(const Kernel *k, StmtKind kind)
{
    for (StmtId i = 1; i < k->stmts.n; i++) {
        if (k->stmts.p[i].kind == kind) {
            return &k->stmts.p[i];
        }
    }
    fail();
    return NULL;
}

static void
places_of_operands(void **state)
{
    (void)state;
    Unit u;
    stage(&u, "a, b = gm('a'), ub('b')\n"
              "t.data_move(b[0], a, 0, 1, nburst_x if False else 4, dst_stride=0, "
              "src_stride=0)\n"
              "t.BuildCCE('k', [a], [])\n");
    Kernel *k = only_kernel(&u);
    const Stmt *s = first_of(k, ST_INSTR);
    check_text(&u, ir_arg_span(k, s, 0), "b[0]");
    check_text(&u, ir_arg_span(k, s, 1), "a");
    check_text(&u, ir_arg_span(k, s, 4), "nburst_x if False else 4");
    const char *text = u.sources.p[s->span.file].text;
    assert_memory_equal(text + s->span.begin, "t.data_move(", 12);
    assert_int_equal(text[s->span.end - 1], ')');
    /* An argument that is not given has the place of the call. */
    assert_int_equal(ir_arg_span(k, s, 7).begin, s->span.begin);
    assert_int_equal(ir_arg_span(k, s, -1).begin, s->span.begin);
    done(&u);
}

static void
chains_of_calls(void **state)
{
    (void)state;
    Unit u;
    stage(&u, "def inner(x):\n"
              "    t.vec_dup(64, x, 0, 1, 8)\n"
              "def outer(x):\n"
              "    inner(x)\n"
              "a, b = gm('a'), ub('b')\n"
              "outer(b)\n"
              "t.vec_dup(64, b, 0, 1, 8)\n"
              "t.BuildCCE('k', [a], [])\n");
    Kernel *k = only_kernel(&u);
    const Stmt *s = first_of(k, ST_INSTR);
    const CallStep *step = &u.chains.p[s->chain];
    assert_string_equal(step->callee, "inner");
    check_text(&u, step->call, "inner(x)");
    step = &u.chains.p[step->parent];
    assert_string_equal(step->callee, "outer");
    assert_int_equal(step->parent, 0);
    assert_int_equal(k->stmts.p[s->next].chain, 0);
    done(&u);
}

static void
order_of_arguments(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        BufRole role;
    } expected[] = {{"in1", BUF_IN},       {"in0", BUF_IN},       {"out", BUF_OUT},
                    {"w1", BUF_WORKSPACE}, {"w0", BUF_WORKSPACE}, {"tiling", BUF_IN}};
    Unit u;
    stage(&u, "tiling, w1, out, unused = gm('tiling'), gm('w1', is_workspace=True), "
              "gm('out'), gm('u')\n"
              "in0, w0, in1 = gm('in0'), gm('w0', is_workspace=True), gm('in1')\n"
              "t.BuildCCE('k', inputs=[in1, in0], outputs=out, flowtable=(tiling,))\n");
    Kernel *k = only_kernel(&u);
    assert_string_equal(sym_text(&u.names, k->name), "k");
    assert_int_equal(k->params.n, ARRAY_LEN(expected));
    for (uint32_t i = 0; i < k->params.n; i++) {
        const Buffer *b = &k->bufs.p[k->params.p[i]];
        assert_string_equal(sym_text(&u.names, b->name), expected[i].name);
        assert_int_equal(b->role, expected[i].role);
    }
    assert_int_equal(k->bufs.n,
                     1 + ARRAY_LEN(expected)); /* the unused tensor is not there */
    done(&u);
}

static void
sizes_of_64_bits(void **state)
{
    (void)state;
    Unit u;
    stage(&u, "x = t.Tensor('int64', (2**31 - 1, 3), tik.scope_gm, 'x')\n"
              "b = ub('b').reinterpret_cast_to('int64')\n"
              "t.data_move(b, x[2**31 - 2, 1], 0, 1, 1, 0, 0)\n"
              "t.BuildCCE('k', [x], [])\n");
    Kernel *k = only_kernel(&u);
    const Buffer *x = &k->bufs.p[k->params.p[0]];
    assert_int_equal(x->elems, INT64_C(2147483647) * 3);
    assert_int_equal(x->bytes, INT64_C(2147483647) * 24);
    const Ref *src = &k->args.p[first_of(k, ST_INSTR)->instr.arg + 1].ref;
    assert_int_equal(ir_expr(k, src->off)->imm, (INT64_C(2147483646) * 3 + 1) * 8);
    done(&u);
}

static void
else_if_nests(void **state)
{
    (void)state;
    Unit u;
    stage(&u, "s = t.Scalar('int32', 's', 1)\n"
              "with t.if_scope(s > 1):\n"
              "    s.set_as(10)\n"
              "with t.elif_scope(s > 2):\n"
              "    s.set_as(20)\n"
              "with t.else_scope():\n"
              "    s.set_as(30)\n"
              "t.BuildCCE('k', [], [])\n");
    Kernel *k = only_kernel(&u);
    const Stmt *outer = first_of(k, ST_IF);
    const Stmt *inner = &k->stmts.p[outer->cond.else_body];
    assert_int_equal(inner->kind, ST_IF);
    assert_int_equal(inner->next, 0);
    const Stmt *last = &k->stmts.p[inner->cond.else_body];
    assert_int_equal(last->kind, ST_SET);
    assert_int_equal(ir_expr(k, last->set.value)->imm, 30);
    done(&u);
}

static void
trace_of_text_form(void **state)
{
    (void)state;
    Unit u;
    stage(&u, "a, b = gm('a'), ub('b')\n"
              "with t.for_range(0, 4, thread_num=2) as i:\n"
              "    with t.if_scope(i > 1):\n"
              "        t.data_move(b, a[i], 0, 1, 1, 0, 0)\n"
              "t.BuildCCE('k', [a], [])\n");
    Text before, form, after;
    text_init(&before, &u.arena);
    text_init(&form, &u.arena);
    text_init(&after, &u.arena);
    tikc_trace(only_kernel(&u), &before);
    ir_print(u.kernels.p[0], &form);
    Kernel *again = ir_parse(&u, unit_add_source(&u, "k.ir", form.p, form.n));
    assert_non_null(again);
    tikc_trace(again, &after);
    assert_string_equal(before.p, after.p);
    kernel_free(again);
    done(&u);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_of_operands), cmocka_unit_test(chains_of_calls),
        cmocka_unit_test(order_of_arguments), cmocka_unit_test(sizes_of_64_bits),
        cmocka_unit_test(else_if_nests),      cmocka_unit_test(trace_of_text_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
