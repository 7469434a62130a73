/* test_syntax.c: checks trees of accepted programs: shape, values, places, printing. */
#include "syntax_util.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Row {
    const char *text;
    const char *dump;
} Row;

static void
check_expressions(const Row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        Parsed x;
        parse_text(&x, rows[i].text);
        require_tree(&x, rows[i].text);
        assert_int_equal(x.tree->body->kind, AST_EXPR);
        assert_string_equal(dump_of(&x, x.tree->body->a), rows[i].dump);
        parsed_free(&x);
    }
}

static void
check_statements(const Row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        Parsed x;
        parse_text(&x, rows[i].text);
        require_tree(&x, rows[i].text);
        assert_string_equal(dump_of(&x, x.tree->body), rows[i].dump);
        assert_null(x.tree->body->next);
        parsed_free(&x);
    }
}

static void
operators_bind(void **state)
{
    (void)state;
    static const Row rows[] = {
        {"a + b * c", "(binary + (name a) (binary * (name b) (name c)))"},
        {"a - b - c", "(binary - (binary - (name a) (name b)) (name c))"},
        {"a ** b ** c", "(binary ** (name a) (binary ** (name b) (name c)))"},
        {"-a ** -b", "(unary - (binary ** (name a) (unary - (name b))))"},
        {"a | b ^ c & d << e",
         "(binary | (name a) (binary ^ (name b) (binary & (name c) (binary << (name d) "
         "(name e)))))"},
        {"not a == b", "(unary not (compare (name a) [(part == (name b))]))"},
        {"a or not b and c", "(or (name a) (and (unary not (name b)) (name c)))"},
        {"a < b not in c is not d", "(compare (name a) [(part < (name b)) (part not in "
                                    "(name c)) (part is not (name d))])"},
        {"(a < b) < c",
         "(compare (compare (name a) [(part < (name b))]) [(part < (name c))])"},
        {"a < f(x < y) < b", "(compare (name a) [(part < (call (name f) [(compare (name "
                             "x) [(part < (name y))])])) "
                             "(part < (name b))])"},
        {"a if b else c if d else e",
         "(cond (name a) (name b) (cond (name c) (name d) (name e)))"},
        {"await a ** b", "(binary ** (await (name a)) (name b))"},
        {"lambda: a if b else c",
         "(lambda - [] [] - [(cond (name a) (name b) (name c))])"},
        {"[x for x in a or b if c if d]", "(comp [ (name x) [(comp-for (name x) (or "
                                          "(name a) (name b)) [(name c) (name d)])])"},
        {"a[i in b:c]",
         "(index (name a) (slice (compare (name i) [(part in (name b))]) (name c) -))"},
    };
    check_expressions(rows, ARRAY_LEN(rows));
}

static void
displays_and_calls(void **state)
{
    (void)state;
    static const Row rows[] = {
        {"()", "(tuple [])"},
        {"(a)", "(name a)"},
        {"(a,)", "(tuple [(name a)])"},
        {"*a, b", "(tuple [(starred (name a)) (name b)])"},
        {"{}", "(dict [])"},
        {"{a: b, **c}", "(dict [(pair (name a) (name b)) (pair - (name c))])"},
        {"{a}", "(set [(name a)])"},
        {"{a: b for a in c}",
         "(comp : (pair (name a) (name b)) [(comp-for (name a) (name c) [])])"},
        {"f(a, *b, c=1, **d)",
         "(call (name f) [(name a) (starred (name b)) (keyword c (int 1)) "
         "(keyword - (name d))])"},
        {"f(x for x in y)",
         "(call (name f) [(comp ( (name x) [(comp-for (name x) (name y) [])])])"},
        {"a.b[c, ::d]",
         "(index (attr (name a) b) (tuple [(name c) (slice - - (name d))]))"},
        {"a[b,]", "(index (name a) (tuple [(name b)]))"},
        {"f(x := 1)", "(call (name f) [(walrus x (int 1))])"},
        {"match + case + print",
         "(binary + (binary + (name match) (name case)) (name print))"},
        {"lambda a, /, b=1, *c, d, **e: 0",
         "(lambda - [(posonly a - -) (posonly - - -) (plain b - (int 1)) (star c - -) "
         "(kwonly d - -) (starstar e - -)] [] - [(int 0)])"},
    };
    check_expressions(rows, ARRAY_LEN(rows));
}

static void
statements(void **state)
{
    (void)state;
    static const Row rows[] = {
        {"a = b, c = d\n", "(assign [(name a) (tuple [(name b) (name c)])] (name d))"},
        {"a @= b\n", "(augassign @ (name a) (name b))"},
        {"a: b = c\n", "(annassign (name a) (name b) (name c))"},
        {"if a: b\nelif c: d\nelse: e\n",
         "(if (name a) [(expr (name b))] [(if (name c) [(expr (name d))] "
         "[(expr (name e))])])"},
        {"for i, j in a, b:\n c\nelse:\n d\n",
         "(for (tuple [(name i) (name j)]) (tuple [(name a) (name b)]) [(expr (name c))] "
         "[(expr (name d))])"},
        {"while a: break\n", "(while (name a) [(break)] [])"},
        {"with a as b, c: pass\n",
         "(with [(item (name a) (name b)) (item (name c) -)] [(pass)])"},
        {"with (a as b, c): pass\n",
         "(with [(item (name a) (name b)) (item (name c) -)] [(pass)])"},
        {"with (a, b) as c: pass\n",
         "(with [(item (tuple [(name a) (name b)]) (name c))] [(pass)])"},
        {"with ((a, b)): pass\n",
         "(with [(item (tuple [(name a) (name b)]) -)] [(pass)])"},
        {"try: a\nexcept B as c: d\nexcept: e\nelse: f\nfinally: g\n",
         "(try [(expr (name a))] [(except (name B) c [(expr (name d))]) (except - - "
         "[(expr (name e))])] [(expr (name f))] [(expr (name g))])"},
        {"import a . b as c, d\n", "(import [(alias a.b c) (alias d -)])"},
        {"from ... a import b as c\n", "(from 3 a [(alias b c)])"},
        {"from a import *\n", "(from 0 a [])"},
        {"@a\n@b.c\ndef f(x: int = 1) -> y: return\n",
         "(def f [(plain x (name int) (int 1))] [(name a) (attr (name b) c)] (name y) "
         "[(return -)])"},
        {"class A(B, m=C):\n  x = 1\n",
         "(class A [(name B) (keyword m (name C))] [] [(assign [(name x)] (int 1))])"},
        {"async def f(): await x\n",
         "(def async f async [] [] - [(expr (await (name x)))])"},
        {"raise a from b\n", "(raise (name a) (name b))"},
        {"del a, b[c]\n", "(del [(name a) (index (name b) (name c))])"},
        {"x = yield from y\n", "(assign [(name x)] (yield from (name y)))"},
        {"assert a, b\n", "(assert (name a) (name b))"},
        {"global a, b\n", "(global [(name a) (name b)])"},
    };
    check_statements(rows, ARRAY_LEN(rows));
}

static void
strings(void **state)
{
    (void)state;
    static const Row rows[] = {
        {"'a' \"b\" '''c'''", "(string \"abc\")"},
        {"'\\n\\x41\\101\\u00e9\\\\\\q'", "(string \"\\nAA\xc3\xa9\\\\\\\\q\")"},
        {"r'\\n\\''", "(string \"\\\\n\\\\'\")"},
        {"'''a\r\nb\\\r\nc'''", "(string \"a\\nbc\")"},
        {"u'a'", "(string \"a\")"},
        {"f'a{b}c'", "(fstring [(string \"a\") (field - (name b) - -) (string \"c\")])"},
        {"f'{{{a}}}'",
         "(fstring [(string \"{\") (field - (name a) - -) (string \"}\")])"},
        {"f'{a!r:>{w}}'", "(fstring [(field r (name a) - (fstring [(string \">\") (field "
                          "- (name w) - -)]))])"},
        {"f'{a:04d}'", "(fstring [(field - (name a) 04d -)])"},
        {"f'{a = }'", "(fstring [(string \"a = \") (field r (name a) - -)])"},
        {"'x' f'{a[\"}\"]}' '{y}'",
         "(fstring [(string \"x\") (field - (index (name a) (string \"}\")) - -) "
         "(string \"{y}\")])"},
        {"f\"{f'{a}'}\"", "(fstring [(field - (fstring [(field - (name a) - -)]) - -)])"},
    };
    check_expressions(rows, ARRAY_LEN(rows));
}

static void
numbers(void **state)
{
    (void)state;
    static const Row rows[] = {
        {"9223372036854775807", "(int 9223372036854775807)"},
        {"9223372036854775808", "(int 9223372036854775808)"},
        {"1_000", "(int 1000)"},
        {"0x_ffff", "(int 65535)"},
        {"0o17", "(int 15)"},
        {"0b101", "(int 5)"},
        {"0xffff_ffff_ffff_ffff", "(int 0xffffffffffffffff)"},
        {"0o7777777777777777777777", "(int 0x3ffffffffffffffff)"},
        {"0b1000000000000000000000000000000000000000000000000000000000000000",
         "(int 0x8000000000000000)"},
        {"0x00000000000000000000000001", "(int 1)"},
        {"1e22", "(float 1e+22)"},
        {"1_0.5", "(float 10.5)"},
        {".1", "(float 0.1)"},
        {"1e999", "(float 1e999)"},
        {"1.", "(float 1.0)"},
    };
    check_expressions(rows, ARRAY_LEN(rows));
    Parsed x;
    parse_text(&x, "5e-324\n18446744073709551616\n'a\\0b'\n");
    require_tree(&x, "numbers");
    assert_true(x.tree->body->a->number == nextafter(0.0, 1.0));
    assert_string_equal(x.tree->body->next->a->str, "18446744073709551616");
    assert_int_equal(x.tree->body->next->next->a->len, 3);
    parsed_free(&x);
}

/* Covers the indentation of lines, of blocks and of the whole text. */
static void
indentation(void **state)
{
    (void)state;
    static const char *const same[] = {
        "if a:\n    b\n    c\nd\n",
        "if a:\r\n    b\r\n    c\r\nd\r\n",
        "\xef\xbb\xbfif a:\n\tb\n\tc\nd",
        "if a:\n\n    b\n  # x\n\n    c # y\n# z\nd",
        "    if a:\n        b\n        c\n    d\n",
        "\tif a:\n\t  b\n\t  c\n\td\n",
        "if a: b; c;\nd;\n",
        "if \\\n  a:\n b\n c\nd\n",
        "if (a\n):\n  (b\n) # x\n  c\nd",
        "\n\nif a:\n\f    b\n    c\nd\n",
        "if a: b;c\rd\r",
    };
    for (size_t i = 0; i < ARRAY_LEN(same); i++) {
        Parsed x;
        parse_text(&x, same[i]);
        require_tree(&x, same[i]);
        assert_string_equal(dump_of(&x, x.tree),
                            "(module [(if (name a) [(expr (name b)) (expr (name c))] []) "
                            "(expr (name d))])");
        parsed_free(&x);
    }
}

static void
strip_reaches_into_strings(void **state)
{
    (void)state;
    Parsed x;
    parse_text(&x, "    a = '''x\n      y\n    z\n  w'''\n");
    require_tree(&x, "strip");
    assert_string_equal(dump_of(&x, x.tree->body->b), "(string \"x\\n  y\\nz\\nw\")");
    parsed_free(&x);
}

static void
empty_texts(void **state)
{
    (void)state;
    static const char *const texts[] = {"",         "\n",   "# a",
                                        "  \n\t\n", "\\\n", "\xef\xbb\xbf"};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        Parsed x;
        parse_text(&x, texts[i]);
        require_tree(&x, texts[i]);
        assert_null(x.tree->body);
        parsed_free(&x);
    }
}

/* ---- places -------------------------------------------------------------- */

static void
assert_place(Parsed *x, const Ast *node, const char *text)
{
    const Source *src = &x->u.sources.p[x->file];
    assert_int_equal(node->span.file, x->file);
    assert_int_equal(node->span.end - node->span.begin, strlen(text));
    assert_memory_equal(src->text + node->span.begin, text, strlen(text));
}

static void
places(void **state)
{
    (void)state;
    Parsed x;
    parse_text(&x, "\xef\xbb\xbfwith t.for_range(0, (n + 1)) as i:  # c\r\n"
                   "    t.add(u[i * 2], k=f'{ v }')\r\n\r\nd\r\n");
    require_tree(&x, "places");
    const Ast *with = x.tree->body;
    assert_place(&x, with->next, "d");
    assert_place(&x, with->list, "t.for_range(0, (n + 1)) as i");
    assert_place(&x, with->list->a, "t.for_range(0, (n + 1))");
    assert_place(&x, with->list->a->list->next, "n + 1");
    const Ast *call = with->body->a;
    assert_place(&x, call, "t.add(u[i * 2], k=f'{ v }')");
    assert_place(&x, call->list, "u[i * 2]");
    assert_place(&x, call->list->b, "i * 2");
    assert_place(&x, call->list->next, "k=f'{ v }'");
    assert_place(&x, call->list->next->a->list, "{ v }");
    assert_place(&x, call->list->next->a->list->a, "v");
    assert_int_equal(with->span.end, with->body->span.end);
    parsed_free(&x);
}

/* ---- printing ------------------------------------------------------------ */

static void
round_trip(const char *text)
{
    Parsed x;
    parse_text(&x, text);
    require_tree(&x, text);
    const char *printed = print_of(&x, x.tree);
    uint32_t file = unit_add_source(&x.u, "printed", printed, strlen(printed));
    const Ast *again = parse_file(&x.u, file);
    if (!again) {
        fail_msg("printed text is refused:\n%s\n%s", printed, errors_of(&x));
    }
    assert_string_equal(dump_of(&x, again), dump_of(&x, x.tree));
    assert_string_equal(print_of(&x, again), printed);
    parsed_free(&x);
}

static void
printing_round_trips(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "x = 1 if a else -b ** 2, *c\n",
        "def f(a, /, b: int = 1, *c, d=2, **e) -> g:\n  'doc'\n  if a: return\n  elif b: "
        "pass\n",
        "async def f():\n  async for x in y: pass\n  async with a as b: return [i async "
        "for i in c]\n",
        "@d\nclass A(B, metaclass=C):\n  x: int\n  (y): int = 3\n",
        "try: a\nexcept (A, B) as e: raise\nexcept: raise X from Y\nelse: b\nfinally: "
        "del a[1:2, ::3]\n",
        "with a as b, c as (d, e), f: pass\nwith ((a, b)): pass\nwith (a := 1, b): "
        "pass\n",
        "while a:\n  break\nelse:\n  continue\nfor *a, b in c, d: pass\n",
        "import a.b as c, d\nfrom ..e import f as g, h\nfrom . import i\nfrom j import "
        "*\n",
        "x = f\"{a!r:>{w}.{p}}{{}}\\n{'s'}\" 't'\n",
        "x = f'''{f\"{f'{a}'}\" 'q'}'''\n",
        "x = {**a, b: {c}, d: {e: f for e in g if h for i in j}}\n",
        "x = (yield); y = yield from z; (lambda *, a: (yield))\n",
        "x = (1).real + 1.5.real + ... + 0xffffffffffffffffff + 1e999\n",
        "x = '\\0\\x7f\\\\\\'\"\\t\\r\\n\xc3\xa9'\n",
        "global a, b\nx = a[b, c:d:e, ...][f,][()]\nx @= await y\nassert a, b\n",
        "x = f(*a, b=c, **d)(e for e in f)[g](h := i)\n",
    };
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        round_trip(texts[i]);
    }
}

static void
printing_is_canonical(void **state)
{
    (void)state;
    Parsed x;
    parse_text(&x, "if a+b*c :x=  [1,2 ,]; f( a,k = 3 )\nelif d: pass\nelse: return\n");
    require_tree(&x, "canonical");
    assert_string_equal(print_of(&x, x.tree),
                        "if (a + (b * c)):\n    x = [1, 2]\n    f(a, k=3)\n"
                        "elif d:\n    pass\nelse:\n    return\n");
    parsed_free(&x);
}

static void
expressions_alone(void **state)
{
    (void)state;
    Unit u;
    unit_init(&u);
    const char *good = " op({'shape': (32,\n 128)}, 'float16')\n ";
    Ast *tree = parse_expression(&u, unit_add_source(&u, "<call>", good, strlen(good)));
    assert_non_null(tree);
    assert_int_equal(tree->kind, AST_CALL);
    static const char *const bad[] = {"",   "a = 1", "a b", "a; b",
                                      "f(", "pass",  "*a",  "a\nb"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        int64_t before = u.errors;
        uint32_t file = unit_add_source(&u, "<call>", bad[i], strlen(bad[i]));
        assert_null(parse_expression(&u, file));
        assert_int_equal(u.errors, before + 1);
    }
    unit_free(&u);
}

static void
operators_have_text(void **state)
{
    (void)state;
    assert_string_equal(ast_op_text(AOP_FLOORDIV), "//");
    assert_string_equal(ast_op_text(AOP_NOT_IN), "not in");
    for (int op = AOP_NONE + 1; op < AOP_COUNT; op++) {
        assert_true(ast_op_text((AstOp)op)[0] != 0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_bind),
        cmocka_unit_test(displays_and_calls),
        cmocka_unit_test(statements),
        cmocka_unit_test(strings),
        cmocka_unit_test(numbers),
        cmocka_unit_test(indentation),
        cmocka_unit_test(strip_reaches_into_strings),
        cmocka_unit_test(empty_texts),
        cmocka_unit_test(places),
        cmocka_unit_test(printing_round_trips),
        cmocka_unit_test(printing_is_canonical),
        cmocka_unit_test(expressions_alone),
        cmocka_unit_test(operators_have_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
