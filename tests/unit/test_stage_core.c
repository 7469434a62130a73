/* test_stage_core.c: checks the evaluator's core: big integers, texts of values, binding
 * of arguments, call chains, limits. */
#include "lib/stage.h"
#include "python/core.h"
#include "tik/tik.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct World {
    Unit u;
    Interp in;
} World;

static int
setup(void **state)
{
    static World w;
    unit_init(&w.u);
    *state = &w;
    return py_begin(&w.in, &w.u, 0) ? 0 : -1;
}

static int
teardown(void **state)
{
    unit_free(&((World *)*state)->u);
    return 0;
}

static const char *
text_of(Interp *in, Value v)
{
    Text t;
    text_init(&t, &in->u->arena);
    assert_true(format_repr(in, v, (Span){0}, &t));
    return t.p;
}

static Value
op(Interp *in, AstOp o, Value a, Value b)
{
    return op_binary(in, o, a, b, (Span){0});
}

static Value
big(Interp *in, const char *digits)
{
    return number_parse_int(in, digits, strlen(digits), 10, (Span){0});
}

static void
test_promotes_and_shrinks(void **state)
{
    Interp *in = &((World *)*state)->in;
    Value max = val_int(INT64_MAX);
    Value up = op(in, AOP_ADD, max, val_int(1));
    assert_int_equal(up.kind, VAL_BIG);
    assert_string_equal(text_of(in, up), "9223372036854775808");
    Value down = op(in, AOP_SUB, up, val_int(1));
    assert_int_equal(down.kind, VAL_INT);
    assert_true(down.i == INT64_MAX);
    Value low = op(in, AOP_MUL, up, val_int(-1));
    assert_int_equal(low.kind, VAL_INT);
    assert_true(low.i == INT64_MIN);
    assert_string_equal(text_of(in, op(in, AOP_FLOORDIV, low, val_int(-1))),
                        "9223372036854775808");
    assert_string_equal(text_of(in, op(in, AOP_MOD, low, val_int(-1))), "0");
    assert_string_equal(text_of(in, op(in, AOP_POW, val_int(3), val_int(60))),
                        "42391158275216203514294433201");
}

static void
test_size_limit(void **state)
{
    Interp *in = &((World *)*state)->in;
    Value inside = op(in, AOP_POW, val_int(2), val_int(65535));
    assert_int_equal(inside.kind, VAL_BIG);
    assert_int_equal(big_bits(inside), 65536);
    Value outside = op(in, AOP_POW, val_int(2), val_int(65536));
    assert_true(val_failed(outside));
    assert_int_equal(in->exception.inst->exc->id, D_INT_TOO_LARGE);
    in->exception = val_none();
    assert_true(val_failed(op(in, AOP_SHL, val_int(1), val_int(65536))));
    in->exception = val_none();
    assert_int_equal(op(in, AOP_SHL, val_int(1), val_int(65535)).kind, VAL_BIG);
    assert_true(val_failed(op(in, AOP_ADD, inside, inside)));
}

static void
test_reads_64_bits(void **state)
{
    Interp *in = &((World *)*state)->in;
    uint64_t bits = 0;
    int64_t i = 0;
    assert_true(val_as_uint64(big(in, "18446744073709551615"), &bits));
    assert_true(bits == UINT64_MAX);
    assert_false(val_as_uint64(big(in, "18446744073709551616"), &bits));
    assert_false(val_as_int64(big(in, "9223372036854775808"), &i));
    assert_true(val_as_int64(val_float(-4.0), &i));
    assert_true(i == -4);
    assert_false(val_as_int64(val_float(0.5), &i));
    assert_true(val_as_uint64(val_int(-1), &bits));
    assert_true(bits == UINT64_MAX);
}

static double
to_double(Interp *in, const char *digits)
{
    double f = 0;
    assert_true(val_as_double(big(in, digits), &f));
    return f;
}

static void
test_rounds_to_nearest_even(void **state)
{
    Interp *in = &((World *)*state)->in;
    assert_true(to_double(in, "9007199254740993") == 9007199254740992.0);
    assert_true(to_double(in, "9007199254740995") == 9007199254740996.0);
    assert_true(to_double(in, "36893488147419107329") == 36893488147419111424.0);
    assert_true(to_double(in, "36893488147419107328") == 36893488147419103232.0);
    assert_true(to_double(in, "100000000000000000000000000000000000000") == 1e38);
    double f = 0;
    assert_false(val_as_double(op(in, AOP_POW, val_int(10), val_int(400)), &f));
}

static void
test_true_division(void **state)
{
    Interp *in = &((World *)*state)->in;
    Value a = op(in, AOP_POW, val_int(2), val_int(1074));
    Value tiny = op(in, AOP_DIV, val_int(1), a);
    assert_true(tiny.f == 4.9406564584124654e-324);
    Value half = op(in, AOP_DIV, val_int(1), op(in, AOP_MUL, a, val_int(2)));
    assert_true(half.f == 0);
    Value three = op(in, AOP_DIV, val_int(3), op(in, AOP_MUL, a, val_int(2)));
    assert_true(three.f == 2 * 4.9406564584124654e-324);
    Value third = op(in, AOP_DIV, val_int(-1), val_int(3));
    assert_true(third.f == -1.0 / 3.0);
}

static void
test_compares_exactly(void **state)
{
    Interp *in = &((World *)*state)->in;
    Value above = big(in, "9007199254740993");
    assert_int_equal(number_compare(above, val_float(9007199254740992.0)), 1);
    assert_int_equal(number_compare(val_int(INT64_MAX), val_float(9223372036854775808.0)),
                     -1);
    assert_int_equal(number_compare(val_int(1), val_float(NAN)), 2);
}

static void
test_float_text(void **state)
{
    static const struct {
        double f;
        const char *text;
    } rows[] = {
        {0.1, "0.1"},
        {-0.0, "-0.0"},
        {1e16, "1e+16"},
        {1e15, "1000000000000000.0"},
        {0.0001, "0.0001"},
        {0.00001, "1e-05"},
        {1.0 / 3, "0.3333333333333333"},
        {5e-324, "5e-324"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {5.684341886080802e-14, "5.684341886080802e-14"},
        {9007199254740993.0, "9007199254740992.0"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
        {NAN, "nan"},
    };
    Interp *in = &((World *)*state)->in;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_string_equal(text_of(in, val_float(rows[i].f)), rows[i].text);
    }
}

static void
test_containers_text(void **state)
{
    Interp *in = &((World *)*state)->in;
    Value two[2] = {val_int(1), val_str(in, "a'b")};
    assert_string_equal(text_of(in, val_list(in, two, 2)), "[1, \"a'b\"]");
    assert_string_equal(text_of(in, val_tuple(in, two, 1)), "(1,)");
    Value d = val_dict(in);
    assert_true(dict_set(in, d, val_str(in, "k"), val_tuple(in, NULL, 0), (Span){0}));
    assert_true(dict_set(in, d, val_float(1.0), val_none(), (Span){0}));
    assert_string_equal(text_of(in, d), "{'k': (), 1.0: None}");
    Value v = val_none();
    assert_true(dict_get(in, d, val_bool(true), &v));
    assert_false(dict_get(in, d, val_int(2), &v));
    assert_false(dict_set(in, d, val_list(in, NULL, 0), v, (Span){0}));
}

static const CallArg params[] = {
    {.name = "dst", .dflt = DFLT_REQUIRED, .of = ""},
    {.name = "src", .dflt = DFLT_REQUIRED, .of = ""},
    {.name = "sid", .dflt = DFLT_INT, .value = {.kind = VAL_INT, .i = 7}, .of = ""},
    {.name = "opt", .dflt = DFLT_OWN, .text = "0", .of = ""},
};
static const Signature signature = {.name = "data_move", .args = params, .n = 4};

static void
test_binds(void **state)
{
    Interp *in = &((World *)*state)->in;
    Value pos[1] = {val_int(1)};
    Sym names[1] = {intern(&in->u->names, "src")};
    Value kw[1] = {val_int(2)};
    Span kw_span = {0, 5, 6};
    Value out[4];
    Span spans[4];
    CallArgs args = {.pos = pos,
                     .npos = 1,
                     .kwname = names,
                     .kwval = kw,
                     .nkw = 1,
                     .kw_span = &kw_span};
    assert_true(call_bind(in, &signature, &args, out, spans));
    assert_true(out[0].i == 1 && out[1].i == 2 && out[2].i == 7 && val_failed(out[3]));
    assert_int_equal(spans[1].begin, 5);
    assert_int_equal(in->u->errors, 0);
}

static void
expect_bind_error(Interp *in, const CallArgs *args, const char *text)
{
    Value out[4];
    int64_t before = in->u->errors;
    assert_false(call_bind(in, &signature, args, out, NULL));
    assert_int_equal(in->u->errors, before + 1);
    const Diag *d = in->u->diags.p[in->u->diags.n - 1];
    assert_int_equal(d->id, D_ARG_COUNT);
    assert_string_equal(d->text, text);
    assert_string_equal(d->notes.p[0].text,
                        "prototype: data_move(dst, src, sid=7, opt=0)");
}

static void
test_bind_errors(void **state)
{
    Interp *in = &((World *)*state)->in;
    Value pos[5] = {val_int(1), val_int(2), val_int(3), val_int(4), val_int(5)};
    Sym names[1] = {intern(&in->u->names, "src")};
    Sym wrong[1] = {intern(&in->u->names, "sri")};
    expect_bind_error(in, &(CallArgs){.pos = pos, .npos = 1, .span = {0, 1, 2}},
                      "data_move needs an argument 'src'");
    expect_bind_error(in, &(CallArgs){.pos = pos, .npos = 5, .span = {0, 2, 3}},
                      "data_move takes at most 4 arguments; 5 are given");
    expect_bind_error(in,
                      &(CallArgs){.pos = pos,
                                  .npos = 2,
                                  .kwname = names,
                                  .kwval = pos,
                                  .nkw = 1,
                                  .span = {0, 3, 4}},
                      "data_move gets the argument 'src' twice");
    expect_bind_error(in,
                      &(CallArgs){.pos = pos,
                                  .npos = 2,
                                  .kwname = wrong,
                                  .kwval = pos,
                                  .nkw = 1,
                                  .span = {0, 4, 5}},
                      "data_move has no parameter 'sri'");
}

static Unit *
run(World *w, const char *text)
{
    uint32_t file = unit_add_source(&w->u, "t.tik", text, strlen(text));
    (void)!stage_run(&w->u, file);
    return &w->u;
}

static const Diag *
only_diag(const Unit *u)
{
    assert_int_equal(u->diags.n, 1);
    return u->diags.p[0];
}

static void
test_call_chain(void **state)
{
    Unit *u =
        run(*state, "def g(a):\n    return a.zz\ndef f(a):\n    return g(a)\nf(1)\n");
    const Diag *d = only_diag(u);
    assert_int_equal(d->id, D_ATTRIBUTE);
    assert_string_equal(u->chains.p[d->chain].callee, "g");
    assert_string_equal(u->chains.p[u->chains.p[d->chain].parent].callee, "f");
}

static void
test_chains_are_shared(void **state)
{
    Unit *u =
        run(*state, "def g():\n    try:\n        {}[0]\n    except KeyError:\n"
                    "        pass\ndef f():\n    g()\nfor i in range(100):\n    f()\n");
    assert_int_equal(u->errors, 0);
    assert_int_equal(u->chains.n, 3);
}

static void
test_chains_are_made_when_asked_for(void **state)
{
    Unit *u = run(*state, "def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\n"
                          "f(15)\n");
    assert_int_equal(u->errors, 0);
    assert_int_equal(u->chains.n, 1);
}

/* A text keeps its characters when another one continues where it ends. */
static void
test_texts_share_storage(void **state)
{
    Unit *u = run(*state, "a = 'x' * 200 + 'y' * 200\nb = a + 'b'\nc = a + 'cc'\n"
                          "b += 'd'\na += 'e'\n"
                          "print(a[398:], b[398:], c[398:], len(a), len(b), len(c))\n");
    assert_string_equal(u->log.p, "yye yybd yycc 401 402 402\n");
}

static void
test_defines_and_call(void **state)
{
    World *w = *state;
    VEC_PUSH(&w->u.arena, &w->u.opt.defines, (Define){"N", "2 ** 3"});
    w->u.opt.call = "show({'k': N})";
    Unit *u = run(w, "def show(d):\n    print(d, N + 1, __name__)\n");
    assert_int_equal(u->errors, 0);
    assert_string_equal(u->log.p, "{'k': 8} 9 __main__\n");
}

static void
test_depth_limit(void **state)
{
    World *w = *state;
    const char *text = "def f(n):\n    return 0 if n == 0 else f(n - 1)\nf(49)\n";
    w->u.opt.limits.depth = 50;
    assert_int_equal(run(w, text)->errors, 0);
    w->u.opt.limits.depth = 49;
    assert_int_equal(only_diag(run(w, text))->id, D_LIMIT_DEPTH);
}

static void
test_deep_stack_is_safe(void **state)
{
    World *w = *state;
    w->u.opt.limits.depth = 1000000;
    const Diag *d = only_diag(run(w, "def f(n):\n    return [[[[f(n + 1)]]]]\nf(0)\n"));
    assert_int_equal(d->id, D_LIMIT_DEPTH);
}

static void
test_step_limit(void **state)
{
    World *w = *state;
    w->u.opt.limits.steps = 1000;
    assert_int_equal(only_diag(run(w, "while True:\n    pass\n"))->id, D_LIMIT_STEPS);
}

static void
test_limits_are_not_caught(void **state)
{
    World *w = *state;
    w->u.opt.limits.steps = 1000;
    const Diag *d =
        only_diag(run(w, "try:\n    while True:\n        pass\nexcept BaseException:\n   "
                         " print('caught')\nfinally:\n    print('finally')\n"));
    assert_int_equal(d->id, D_LIMIT_STEPS);
    assert_string_equal(w->u.log.p ? w->u.log.p : "", "");
}

static void
test_memory_limit(void **state)
{
    static const char *const programs[] = {
        "x = [0] * 10**12\n",
        "x = 'a' * 10**10\n",
        "x = list(range(10**12))\n",
        "x = '%10000000d' % 1\n",
        "x = 'a'.ljust(10**12)\n",
        "x = 'aaaa'.replace('a', 'b' * 10**8)\n",
        "x = (1, 2) * 10**11\n",
        "s = 'a'\nwhile True:\n    s += s\n",
        "l = [1]\nwhile True:\n    l = l + l\n",
        "l = [1]\nwhile True:\n    l[0:0] = l\n",
        "d = {}\nfor i in range(10**12):\n    d[i] = i\n",
    };
    for (size_t i = 0; i < ARRAY_LEN(programs); i++) {
        World w;
        unit_init(&w.u);
        w.u.opt.limits.memory = 64 << 20;
        DiagId id = only_diag(run(&w, programs[i]))->id;
        if (id != D_LIMIT_MEMORY && id != D_VALUE_ERROR && id != D_TYPE_ERROR) {
            fail_msg("program %zu ends with %s", i, diag_table[id].name);
        }
        unit_free(&w.u);
    }
    (void)state;
}

static void
test_first_error_ends(void **state)
{
    World *w = *state;
    Unit *u = run(w, "print(1)\nnope\nprint(2)\nnope2\n");
    assert_int_equal(only_diag(u)->id, D_NAME);
    assert_string_equal(u->log.p, "1\n");
}

static void
test_nearest_name(void **state)
{
    const Diag *d = only_diag(run(*state, "data_move = 1\nprint(data_mov)\n"));
    assert_string_equal(d->help, "did you mean 'data_move'?");
}

/* Puts statements whose tree has n parts that are executed while the text is read. */
static void
put_parts(Text *t, int n)
{
    enum {
        PLAIN = 1000 /* as many statements have a larger tree than a part has */
    };
    for (int k = 0; k < n * PLAIN; k++) {
        text_put(t, k % 3 == 0   ? "if x >= 0:\n    x = x + (1 if x else 2) - 1\n"
                    : k % 3 == 1 ? "for i in [0, 1]: x += i * 2\n"
                                 : "else_ = {'a': [x, 1], 'b': (2, 3)}\n");
    }
}

/* The tree of a long program goes while it is read; functions, classes and generators
 * keep theirs, wherever they are. */
static void
test_tree_goes(void **state)
{
    World *w = *state;
    enum {
        FORMS = 12
    };
    Text t;
    Arena a = {0};
    text_init(&t, &a);
    text_put(&t, "x = 0\nkept = []\n");
    for (int i = 0; i < FORMS; i++) {
        static const char *const forms[] = {
            "def f%d(a):\n    return a + %d\nkept.append(f%d)\n",
            "kept.append(lambda a: a + %d - 0 * %d * %d)\n",
            "class C%d:\n    def f(self, a):\n        return a + "
            "%d\nkept.append(C%d().f)\n",
            "def g(a, n=%d):\n    return sum(n for _ in [1]) + a\nkept.append(g)\ndel "
            "g\n",
        };
        text_printf(&t, forms[i % 4], i, i, i);
        put_parts(&t, 12);
    }
    text_put(&t, "print(x, sum(f(0) for f in kept))\n");
    Unit *u = run(w, t.p);
    assert_int_equal(u->diags.n, 0);
    assert_true(u->tree.used > (int64_t)64 << 20);
    assert_true(arena_bytes(&u->tree) < (size_t)16 << 20);
    assert_string_equal(u->log.p, "96001 66\n");
    arena_free(&a);
}

/* A part does not end where the line after it was read, as it is after 'if', where 'else'
 * may follow. */
static void
test_lines_after_parts(void **state)
{
    static const struct {
        const char *text, *log;
    } rows[] = {
        {"if n < 0:\n    n = 5\nn = n + 1\nm = m + 2\n", "20000 40000\n"},
        {"while n < 0:\n    n = 5\nn = n + 1\nm = m + 2\n", "20000 40000\n"},
        {"for m in [n]:\n    n = m + 1\nif m < 0:\n    m = 5\n", "20000 19999\n"},
        {"try:\n    n = n + 1\nexcept A: pass\nm = m + n - n\n", "20000 0\n"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        World w;
        Arena a = {0};
        Text t;
        unit_init(&w.u);
        text_init(&t, &a);
        text_put(&t, "n = m = 0\n");
        for (int k = 0; k < 20000; k++) {
            text_put(&t, rows[i].text);
        }
        text_put(&t, "print(n, m)\n");
        Unit *u = run(&w, t.p);
        assert_int_equal(u->diags.n, 0);
        assert_string_equal(u->log.p, rows[i].log);
        arena_free(&a);
        unit_free(u);
    }
}

/* Lines of one shape are resolved once where they are the module's; elsewhere each is one
 * of its own, and names are variables of the module from the line on that binds them. */
static void
test_lines_of_a_shape(void **state)
{
    static const char text[] = "x = y + 1\n"
                               "late = f(y, name='n', k=2)\n"
                               "if x > 2:\n    x = 0\n"
                               "for y in late:\n    x = y\n"
                               "z = (x, 'a', not None, l[0].real)\n";
    static const char line[] = "6 8 2 2 (2, 'a', True, 4) [9]\n";
    World *w = *state;
    Text t;
    Text log;
    text_init(&t, &w->u.arena);
    text_init(&log, &w->u.arena);
    text_put(&t, "l = [4]\ny = 1\ndef f(*a, **b):\n    return [a[0], b['k']]\n");
    for (int i = 0; i < 2000; i++) {
        text_put(&t, text);
        if (i % 500 == 0) {
            text_put(&t, "def g(y):\n    x = y + 1\n    return x\n"
                         "class C:\n    y = 7\n    x = y + 1\n"
                         "print(g(5), C.x, x, y, z, [(lambda: y + 1)() for y in [8]])\n");
            text_put(&log, line);
        }
        if (i == 1500) {
            text_put(&t, "y = 3\ndel x\n");
        }
    }
    text_put(&t, "def h():\n    global x\n    y = 20\n    x = y + 1\nh()\nprint(x, y)\n");
    text_put(&log, "21 2\n");
    Unit *u = run(w, t.p);
    assert_int_equal(u->diags.n, 0);
    assert_string_equal(u->log.p, log.p);
}

/* An error of the text, or of a name's place, counts before anything is executed, however
 * far down it is: what was executed until then is forgotten. */
static void
test_late_errors(void **state)
{
    static const struct {
        const char *first, *last;
        uint32_t diags;
        DiagId id;
        const char *log;
    } rows[] = {
        {"print('x')\n", "x +=\n", 1, D_SYNTAX, ""},
        {"print('x')\n", "y = f'{1 +}'\n", 1, D_SYNTAX, ""},
        {"print('x')\n", "x = 0\nbreak\n", 1, D_SYNTAX, ""},
        {"a = []\na.nothing\n", "x +=\n", 1, D_SYNTAX, ""},
        {"a = []\na.nothing\n", "continue\n", 1, D_SYNTAX, ""},
        {"import sys\nsys.exit(0)\n", "break\n", 1, D_SYNTAX, ""},
        {"a = []\na.nothing\n", "print(2)\n", 1, D_ATTRIBUTE, ""},
        {"import sys\nprint(1)\nsys.exit(0)\n", "print(2)\n", 0, D_SYNTAX, "1\n"},
        {"print(1)\n", "print(x > 0)\n", 0, D_SYNTAX, "1\nTrue\n"},
        /* the first of two is no reason to leave out the second */
        {"print(1)\nbreak\n", "continue\n", 2, D_SYNTAX, ""},
        {"print(1)\nbreak\n", "x +=\n", 1, D_SYNTAX, ""},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        World w;
        Arena a = {0};
        Text t;
        unit_init(&w.u);
        text_init(&t, &a);
        text_printf(&t, "x = 0\n%s", rows[i].first);
        put_parts(&t, 3);
        text_put(&t, rows[i].last);
        put_parts(&t, 3);
        Unit *u = run(&w, t.p);
        assert_int_equal(u->diags.n, rows[i].diags);
        assert_int_equal(u->errors, rows[i].diags);
        assert_true(u->diags.n == 0 || u->diags.p[0]->id == rows[i].id);
        assert_string_equal(u->log.n ? u->log.p : "", rows[i].log);
        arena_free(&a);
        unit_free(u);
    }
}

/* Equal literals are one string, as often as they stand in the text. */
static void
test_literals_are_shared(void **state)
{
    World *w = *state;
    Text t;
    text_init(&t, &w->u.arena);
    for (int i = 0; i < 10000; i++) {
        text_put(&t, "x = 'a text of 23 characters'\n");
    }
    text_put(&t, "print(x is 'a text of ' '23 characters', x is not 'another')\n");
    Unit *u = run(w, t.p);
    assert_string_equal(u->log.p, "True True\n");
    assert_true(arena_bytes(&u->values) < 64 << 10);
}

/* A comment of the text that is wrong is reported although what was executed is
 * forgotten. */
static void
test_late_errors_leave_comments(void **state)
{
    World *w = *state;
    Arena a = {0};
    Text t;
    text_init(&t, &a);
    text_put(&t, "x = 0\n");
    put_parts(&t, 3);
    text_put(&t, "x = 1 # tikc: allow(no-such-name): a reason\n");
    put_parts(&t, 3);
    text_put(&t, "x.nothing\n");
    put_parts(&t, 3);
    text_put(&t, "x +=\n");
    Unit *u = run(w, t.p);
    assert_int_equal(u->diags.n, 2);
    assert_int_equal(u->warnings, 1);
    assert_int_equal(u->errors, 1);
    assert_int_equal(u->diags.p[0]->id, D_ALLOW_NAME);
    assert_int_equal(u->diags.p[1]->id, D_SYNTAX);
    arena_free(&a);
}

/* What evaluation takes counts beside what reading takes, although they take turns. */
static void
test_turns_are_charged(void **state)
{
    (void)state;
    Arena a = {0};
    Text t;
    text_init(&t, &a);
    text_put(&t, "x = 0\n");
    put_parts(&t, 4);
    Unit read;
    unit_init(&read);
    uint32_t file = unit_add_source(&read, "t.tik", t.p, t.n);
    assert_non_null(parse_file(&read, file));
    for (int i = 0; i < 2; i++) {
        World w;
        unit_init(&w.u);
        w.u.opt.limits.steps = i ? read.work * 3 : read.work + read.work / 20;
        Unit *u = run(&w, t.p);
        assert_int_equal(u->limit_hit, !i);
        assert_true(i ? u->diags.n == 0 : only_diag(u)->id == D_LIMIT_STEPS);
        unit_free(u);
    }
    unit_free(&read);
    arena_free(&a);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_promotes_and_shrinks),
        TEST(test_size_limit),
        TEST(test_reads_64_bits),
        TEST(test_rounds_to_nearest_even),
        TEST(test_true_division),
        TEST(test_compares_exactly),
        TEST(test_float_text),
        TEST(test_containers_text),
        TEST(test_binds),
        TEST(test_bind_errors),
        TEST(test_call_chain),
        TEST(test_chains_are_shared),
        TEST(test_chains_are_made_when_asked_for),
        TEST(test_texts_share_storage),
        TEST(test_defines_and_call),
        TEST(test_depth_limit),
        TEST(test_deep_stack_is_safe),
        TEST(test_step_limit),
        TEST(test_limits_are_not_caught),
        TEST(test_memory_limit),
        TEST(test_first_error_ends),
        TEST(test_nearest_name),
        TEST(test_tree_goes),
        TEST(test_late_errors),
        TEST(test_late_errors_leave_comments),
        TEST(test_turns_are_charged),
        TEST(test_lines_after_parts),
        TEST(test_lines_of_a_shape),
        TEST(test_literals_are_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
