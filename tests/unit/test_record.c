/* test_record.c: checks tikrecord.h from C: a kernel that is recorded call by call is the
 * kernel of the same text; exceptions, diagnostics with places, kernel after kernel. */
#include "tikrecord.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static const char program[] =
    "from tbe import tik\n"
    "t = tik.Tik()\n"
    "x = t.Tensor('float32', (64,), name='x', scope=tik.scope_gm)\n"
    "u = t.Tensor('float32', (64,), name='u', scope=tik.scope_ubuf)\n"
    "with t.for_range(0, 2) as i:\n"
    "    t.data_move(u[i * 32], x[i * 32], 0, 1, 4, 0, 0)\n"
    "t.data_move(x, u, 0, 1, 8, 0, 0)\n"
    "t.BuildCCE(kernel_name='k', inputs=[], outputs=[x])\n";

static TikcValue
number(int64_t i)
{
    return (TikcValue){.kind = TIKC_INT, .i = i};
}

static TikcValue
text(const char *s)
{
    return (TikcValue){.kind = TIKC_STR, .n = (uint32_t)strlen(s), .text = s};
}

static TikcPlace
line(uint32_t n)
{
    return (TikcPlace){2, n, 1, n, 2};
}

typedef struct World {
    Tikc *t;
    TikcValue tik, c, x, u;
} World;

static bool
call(World *w, const char *method, const TikcValue *args, int n, TikcValue *out)
{
    TikcArgs a = {.pos = args, .npos = n};
    return tikc_record_call(w->t, &w->c, method, &a, out);
}

static TikcValue
tensor(World *w, const char *name, const char *scope)
{
    TikcValue length = number(64), out;
    TikcValue args[] = {text("float32"),
                        {.kind = TIKC_TUPLE, .n = 1, .items = &length},
                        text(name),
                        {.kind = TIKC_NONE}};
    const char *names[] = {"name", "scope"};
    assert_true(tikc_record_get(w->t, &w->tik, scope, &args[3]));
    TikcArgs a = {.pos = args, .npos = 2, .named = args + 2, .names = names, .nnamed = 2};
    assert_true(tikc_record_call(w->t, &w->c, "Tensor", &a, &out));
    return out;
}

static void
begin_kernel(World *w)
{
    assert_true(tikc_record_call(w->t, &w->tik, "Tik", NULL, &w->c));
    w->x = tensor(w, "x", "scope_gm");
    w->u = tensor(w, "u", "scope_ubuf");
}

static World
begin(void)
{
    World w = {.t = tikc_new()};
    assert_true(tikc_record_begin(w.t, "k.tik", NULL, NULL));
    assert_int_equal(tikc_record_source(w.t, "k.tik", program, sizeof program - 1), 2);
    assert_true(tikc_record_import(w.t, "tbe.tik", &w.tik));
    assert_int_equal(w.tik.kind, TIKC_MODULE);
    begin_kernel(&w);
    return w;
}

static bool
move(World *w, TikcValue dst, TikcValue src, int64_t blocks)
{
    TikcValue out;
    TikcValue args[] = {dst,       src,      number(0), number(1), number(blocks),
                        number(0), number(0)};
    return call(w, "data_move", args, 7, &out);
}

static bool
build(World *w, const char *name)
{
    TikcValue out;
    TikcValue args[] = {
        text(name), {.kind = TIKC_LIST}, {.kind = TIKC_LIST, .n = 1, .items = &w->x}};
    return call(w, "BuildCCE", args, 3, &out) && tikc_record_build(w->t);
}

static TikcValue
element(World *w, const TikcValue *tensor_, const TikcValue *i)
{
    TikcValue by = number(32), at, out;
    assert_true(tikc_record_operator(w->t, "*", i, &by, &at));
    assert_true(tikc_record_get_item(w->t, tensor_, &at, &out));
    return out;
}

static void
loop(World *w)
{
    TikcValue bounds[] = {number(0), number(2)}, scope, i;
    assert_true(call(w, "for_range", bounds, 2, &scope));
    assert_true(tikc_record_enter(w->t, &scope, "i", &i));
    assert_int_equal(i.kind, TIKC_OBJECT);
    assert_true(move(w, element(w, &w->u, &i), element(w, &w->x, &i), 4));
    assert_true(tikc_record_leave(w->t, &scope, false));
    assert_true(move(w, w->x, w->u, 8));
}

static void
same_kernel_as_of_the_text(void **state)
{
    (void)state;
    const void *ours, *theirs;
    size_t n, m;
    World w = begin();
    loop(&w);
    assert_true(build(&w, "k"));
    assert_true(tikc_make(w.t, 0, TIKC_TRACE, &ours, &n));
    Tikc *t = tikc_new();
    assert_true(tikc_compile_text(t, "k.tik", program, sizeof program - 1));
    assert_true(tikc_make(t, 0, TIKC_TRACE, &theirs, &m));
    assert_int_equal(n, m);
    assert_memory_equal(ours, theirs, n);
    tikc_free(t);
    tikc_free(w.t);
}

static void
errors_have_places_and_end_with_the_kernel(void **state)
{
    (void)state;
    World w = begin();
    tikc_record_at(w.t, tikc_record_frame(w.t, 0, line(2), "f"), line(7));
    assert_true(move(&w, w.x, w.u, 100000));
    assert_false(build(&w, "k"));
    const char *found = tikc_diagnostics(w.t, TIKC_TEXT);
    assert_non_null(strstr(found, "k.tik:7:1: error:"));
    assert_non_null(strstr(found, "k.tik:2:1: note: "));
    tikc_record_next(w.t);
    assert_string_equal(tikc_diagnostics(w.t, TIKC_TEXT), "");
    begin_kernel(&w);
    loop(&w);
    assert_true(build(&w, "k"));
    tikc_free(w.t);
}

static void
forgotten_errors_still_count(void **state)
{
    (void)state;
    TikcValue out;
    World w = begin();
    assert_true(call(&w, "data_move", &w.x, 1, &out));
    assert_int_equal(tikc_errors(w.t), 1);
    tikc_record_next(w.t);
    assert_true(move(&w, w.x, w.u, 8));
    assert_false(build(&w, "k"));
    assert_non_null(
        strstr(tikc_diagnostics(w.t, TIKC_TEXT), "while kernel 'k' was recorded"));
    tikc_free(w.t);
}

static void
exceptions_are_taken(void **state)
{
    (void)state;
    const char *name, *help;
    TikcValue out, args;
    World w = begin();
    assert_false(tikc_record_get(w.t, &w.c, "data_mov", &out));
    assert_true(tikc_record_exception(w.t, &name, &args, &help));
    assert_string_equal(name, "AttributeError");
    assert_int_equal(args.kind, TIKC_TUPLE);
    assert_false(tikc_record_exception(w.t, &name, &args, &help));
    assert_false(tikc_record_import(w.t, "no.such", &out));
    assert_true(tikc_record_exception(w.t, &name, &args, &help));
    assert_string_equal(name, "ModuleNotFoundError");
    loop(&w);
    assert_true(build(&w, "k"));
    tikc_free(w.t);
}

static bool
foreign(void *ctx, int64_t object, const char *attribute, const TikcArgs *args,
        TikcValue *out)
{
    *out = number(object + args->npos);
    ++*(int *)ctx;
    return attribute == NULL;
}

static void
foreign_objects_are_called(void **state)
{
    (void)state;
    int calls = 0;
    Tikc *t = tikc_new();
    TikcValue functools, numbers[] = {number(1), number(2), number(3)}, out;
    TikcValue args[] = {{.kind = TIKC_FOREIGN, .i = 40},
                        {.kind = TIKC_LIST, .n = 3, .items = numbers}};
    assert_true(tikc_record_begin(t, "k.py", foreign, &calls));
    assert_true(tikc_record_import(t, "functools", &functools));
    TikcArgs a = {.pos = args, .npos = 2};
    assert_true(tikc_record_call(t, &functools, "reduce", &a, &out));
    assert_int_equal(out.kind, TIKC_INT);
    assert_int_equal(out.i, 42);
    assert_int_equal(calls, 2);
    tikc_free(t);
}

static void
values_come_back(void **state)
{
    (void)state;
    Tikc *t = tikc_new();
    TikcValue json, out;
    TikcValue big = {.kind = TIKC_BIG, .n = 30, .text = "123456789012345678901234567890"};
    TikcValue inner[] = {text("a"), {.kind = TIKC_FLOAT, .f = 0.5}, text("b"), big};
    TikcValue dict = {.kind = TIKC_DICT, .n = 4, .items = inner};
    assert_true(tikc_record_begin(t, "k.py", NULL, NULL));
    assert_true(tikc_record_import(t, "copy", &json));
    TikcArgs a = {.pos = &dict, .npos = 1};
    assert_true(tikc_record_call(t, &json, "deepcopy", &a, &out));
    assert_int_equal(out.kind, TIKC_DICT);
    assert_int_equal(out.n, 4);
    assert_string_equal(out.items[3].text, big.text);
    assert_true(out.items[1].f == 0.5);
    assert_true(tikc_record_text(t, &dict, false, &out));
    assert_string_equal(out.text, "{'a': 0.5, 'b': 123456789012345678901234567890}");
    tikc_free(t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_kernel_as_of_the_text),
        cmocka_unit_test(errors_have_places_and_end_with_the_kernel),
        cmocka_unit_test(forgotten_errors_still_count),
        cmocka_unit_test(exceptions_are_taken),
        cmocka_unit_test(foreign_objects_are_called),
        cmocka_unit_test(values_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
