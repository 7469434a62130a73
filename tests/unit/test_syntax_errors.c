/* test_syntax_errors.c: checks what is reported about programs that do not parse: where,
 * under which name, in which words, and that one fault is one report. Limits are tested
 * on both sides. */
#include "syntax_util.h"

#include <stdio.h>

/* A text and its faults, one line each: "line:column-column name: text". */
typedef struct Row {
    const char *text;
    const char *faults;
} Row;

static const char *
faults_of(Parsed *x)
{
    Text t;
    text_init(&t, &x->u.arena);
    for (uint32_t i = 0; i < x->u.diags.n; i++) {
        const Diag *d = x->u.diags.p[i];
        Source *src = &x->u.sources.p[d->span.file];
        LineCol at = source_line_col(&x->u.arena, src, d->span.begin);
        uint32_t last = at.column + (d->span.end - d->span.begin);
        text_printf(&t, "%s%u:%u-%u %s: %s", i ? "\n" : "", at.line, at.column, last,
                    diag_table[d->id].name, d->text);
    }
    return t.p;
}

static void
check(const Row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        Parsed x;
        parse_text(&x, rows[i].text);
        assert_null(x.tree);
        if (strcmp(faults_of(&x), rows[i].faults) != 0) {
            fail_msg("for:\n%s\nexpected:\n%s\nreported:\n%s", rows[i].text,
                     rows[i].faults, faults_of(&x));
        }
        parsed_free(&x);
    }
}

static void
statements(void **state)
{
    (void)state;
    static const Row rows[] = {
        {"if x == 3\n    y\nelse\n    z\n",
         "1:10-10 syntax: expected ':' after the condition of 'if', found the end of the "
         "line\n"
         "3:5-5 syntax: expected ':' after 'else', found the end of the line"},
        {"with t.for_range(0, 8) as i\n    f(i)\n",
         "1:28-28 syntax: expected ':' after the items of 'with', found the end of the "
         "line"},
        {"if x = 3:\n    y\nelse:\n    z z\n",
         "1:6-7 syntax: expected ':' after the condition of 'if', found '='\n"
         "4:7-8 syntax: expected the end of the statement, found 'z'"},
        {"for i range(3):\n    a b\n    c\n",
         "1:7-12 syntax: expected 'in' of the 'for' after 'i', found 'range'\n"
         "2:7-8 syntax: expected the end of the statement, found 'b'"},
        {"x = 1 +\n",
         "1:8-8 syntax: expected an expression after '+', found the end of the "
         "line"},
        {"print \"a\"\n",
         "1:7-10 syntax: expected '(' after 'print', found the string \"a\""},
        {"else:\n    x\n",
         "1:1-5 syntax: 'else' does not follow an 'if', 'for', 'while' or "
         "'try' block of the same indentation"},
        {"if a: b\nelse if c: d\n",
         "2:6-8 syntax: expected ':' after 'else', found 'if'"},
        {"try:\n    x\ny\n", "1:1-4 syntax: 'try' has neither 'except' nor 'finally'"},
        {"try: x\nexcept A, B: y\n",
         "2:9-10 syntax: expected ':' after 'except', found ','"},
        {"class = 3\n", "1:1-6 syntax: 'class' is a keyword and cannot be assigned to"},
        {"def if(): pass\n", "1:5-7 syntax: expected a name, found the keyword 'if'"},
        {"@a\nb\n",
         "2:1-2 syntax: expected 'def' or 'class' after a decorator, found 'b'"},
        {"@a\n", "1:1-2 syntax: a decorator is followed by 'def' or 'class'"},
        {"a := 1\n", "1:3-5 syntax: ':=' is allowed inside brackets only"},
        {"f() = 1\n", "1:1-4 syntax: cannot assign to a call"},
        {"a, 1 = b\n", "1:4-5 syntax: cannot assign to a number"},
        {"del a + b\n", "1:5-10 syntax: cannot delete an expression"},
        {"x = (a as b)\n", "1:6-12 syntax: 'as' cannot stand in an expression"},
        {"def f(a, b=1, c): pass\n",
         "1:15-16 syntax: the parameter 'c' has no default but "
         "follows one that has"},
        {"def f(a, a): pass\n", "1:10-11 syntax: the parameter 'a' is given twice"},
    };
    check(rows, ARRAY_LEN(rows));
}

static void
brackets(void **state)
{
    (void)state;
    static const Row rows[] = {
        {"t.vec_add(128, dst src0)\ny\n",
         "1:20-24 syntax: expected ',' or ')', found 'src0'"},
        {"t.vec_add(128,, 4)\n",
         "1:15-16 syntax: expected an expression after ',', found ','"},
        {"f(a]\n", "1:4-5 syntax: ']' does not close '('"},
        {"f(a))\n", "1:5-6 syntax: ')' closes nothing: no bracket is open"},
        {"x = [1, 2\n", "1:5-6 syntax: '[' is never closed"},
        {"x = foo(1,\n        2\ny = 3\nz = 4 4\n",
         "3:1-2 syntax: expected ')' before 'y'\n"
         "4:7-8 syntax: expected the end of the statement, found '4'"},
        {"if a:\n    x = foo(1\n    y = 2\nz z\n",
         "3:5-6 syntax: expected ')' before 'y'\n"
         "4:3-4 syntax: expected the end of the statement, found 'z'"},
        {"x = [1, 2\n     3]\n", "2:6-7 syntax: expected ',' or ']', found '3'"},
        {"x = {1: 2, 3}\n",
         "1:13-14 syntax: expected ':' and a value after the key of a dict, found '}'"},
        {"f(a=1, 2)\n", "1:8-9 syntax: a positional argument follows a keyword argument"},
        {"f(a=1, a=2)\n", "1:8-11 syntax: the argument 'a' is given twice"},
        {"f(x for x in y, 1)\n",
         "1:3-15 syntax: a generator beside other arguments needs brackets here"},
        {"f(a.b=1)\n", "1:6-7 syntax: unexpected '=' inside brackets"},
        {"x = a + not b\n", "1:9-14 syntax: a 'not' expression needs brackets here"},
    };
    check(rows, ARRAY_LEN(rows));
    Parsed x;
    parse_text(&x, "x = (1, [2, 3)\n");
    assert_int_equal(x.u.diags.n, 1);
    assert_int_equal(x.u.diags.p[0]->notes.n, 1);
    assert_int_equal(x.u.diags.p[0]->notes.p[0].span.begin, 8);
    assert_string_equal(x.u.diags.p[0]->notes.p[0].text, "'[' is opened here");
    parsed_free(&x);
}

static void
indentation(void **state)
{
    (void)state;
    static const Row rows[] = {
        {"def f():\nreturn 1\n", "2:1-7 indent: expected an indented block after 'def'"},
        {"if a:\n", "1:5-6 indent: expected an indented block after 'if'"},
        {"a\n    b\n    c c\nd\n",
         "2:1-5 indent: unexpected indentation: no block is opened by the line above\n"
         "3:7-8 syntax: expected the end of the statement, found 'c'"},
        {"if a:\n    b\n  c\nd\n",
         "3:1-3 indent: the line is indented by 2 columns, which is no enclosing block's "
         "indentation (the nearest are 0 and 4)"},
        {"if a:\n    b\n\tc\n",
         "3:1-2 indent: tabs and spaces are mixed so that the indentation depends on the "
         "width of a tab"},
        {"if a:\n        b\n\tc\n",
         "3:1-2 indent: tabs and spaces are mixed so that the indentation depends on the "
         "width of a tab"},
        {"    a\n  b\n",
         "2:1-3 indent: the line is indented less than the first line of the "
         "program"},
    };
    check(rows, ARRAY_LEN(rows));
}

static void
literals(void **state)
{
    (void)state;
    static const Row rows[] = {
        {"x = 'abc\ny = 1 1\n",
         "1:5-9 unterminated-string: the string does not end on its line\n"
         "2:7-8 syntax: expected the end of the statement, found '1'"},
        {"x = \"\"\"abc\ny\n",
         "1:5-8 unterminated-string: the string that starts here has no closing triple "
         "quote"},
        {"x = 012\n", "1:5-8 bad-literal: '012' has leading zeros"},
        {"x = 0xg\n", "1:5-8 bad-literal: '0xg' is not a number"},
        {"x = 1__0\n", "1:5-9 bad-literal: '1__0' is not a number"},
        {"x = 3j\n",
         "1:5-7 bad-literal: '3j' is a complex number, which the language has "
         "not"},
        {"x = b'a'\n", "1:5-9 bad-literal: the language has no bytes, only text"},
        {"x = '\\x4'\n",
         "1:6-9 bad-literal: the escape '\\x' needs 2 hexadecimal digits"},
        {"x = '\\ud800'\n", "1:6-12 bad-literal: U+D800 is not a character"},
        {"x = '\\N{DASH}'\n", "1:6-8 bad-literal: characters cannot be written by name"},
        {"x = f'{a b}'\n", "1:10-11 syntax: expected the end of the field, found 'b'"},
        {"x = f'{}'\n", "1:7-9 bad-literal: a field of an f-string is empty"},
        {"x = f'{a'\n", "1:7-8 bad-literal: the field that starts here has no '}'"},
        {"x = f'a}'\n", "1:8-9 bad-literal: a single '}' is in an f-string"},
        {"x = f'{a!x}'\n", "1:9-11 bad-literal: a conversion is !r, !s or !a"},
        {"x = f'{a:{b:{c}}}'\n",
         "1:13-14 bad-literal: fields of an f-string nest too deeply here"},
        {"x = f'{\"\\n\"}'\n",
         "1:9-10 bad-literal: a field of an f-string holds no backslash"},
    };
    check(rows, ARRAY_LEN(rows));
}

static void
characters(void **state)
{
    (void)state;
    static const Row rows[] = {
        {"gr\xc3\xb6\xc3\x9f"
         "e = 1 1\n",
         "1:3-5 encoding: U+00F6 '\xc3\xb6' is outside of strings and comments"},
        {"x = \xe2\x80\x9c"
         "a\n",
         "1:5-8 encoding: U+201C '\xe2\x80\x9c' is outside of strings and comments"},
        {"# \xff\nx x\n", "1:3-4 encoding: the byte 0xff is not UTF-8 text"},
        {"'\xed\xa0\x80'\n", "1:2-3 encoding: the byte 0xed is not UTF-8 text"},
        {"'\xc0\xaf'\n", "1:2-3 encoding: the byte 0xc0 is not UTF-8 text"},
        {"x = $a\ny = 1 1\n",
         "1:5-6 syntax: unexpected character '$'\n"
         "2:7-8 syntax: expected the end of the statement, found '1'"},
        {"x = \x01\n", "1:5-6 syntax: unexpected byte 0x01"},
        {"x = 3 \\ \ny\n", "1:7-8 syntax: unexpected character after a backslash"},
        {"x = a && b\n", "1:8-9 syntax: '&&' is not an operator"},
        {"x = a || b\n", "1:8-9 syntax: '||' is not an operator"},
        {"x = a <> b\n", "1:8-9 syntax: '<>' is not an operator"},
        {"x++\n", "1:4-4 syntax: expected an expression, found the end of the line"},
    };
    check(rows, ARRAY_LEN(rows));
    Parsed x;
    parse_bytes(&x, "a\0b\n", 4);
    assert_null(x.tree);
    assert_string_equal(faults_of(&x), "1:2-3 encoding: the byte 0x00 is not UTF-8 text");
    parsed_free(&x);
}

/* ---- limits -------------------------------------------------------------- */

static void
repeat(Text *t, const char *part, int n)
{
    for (int i = 0; i < n; i++) {
        text_put(t, part);
    }
}

/* Parses the text and returns how many faults were reported; all must be too-nested. */
static uint32_t
nesting_faults(const Text *t)
{
    Parsed x;
    parse_bytes(&x, t->p, t->n);
    uint32_t n = x.u.diags.n;
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(x.u.diags.p[i]->id, D_TOO_NESTED);
    }
    assert_true((x.tree == NULL) == (n > 0));
    if (x.tree) { /* a recursive walk gets through it */
        print_of(&x, x.tree);
        dump_of(&x, x.tree);
    }
    parsed_free(&x);
    return n;
}

static void
limit(const char *open, const char *middle, const char *close, int good)
{
    for (int over = 0; over < 2; over++) {
        Arena a = {0};
        Text t;
        text_init(&t, &a);
        repeat(&t, open, good + over);
        text_put(&t, middle);
        repeat(&t, close, good + over);
        text_put(&t, "\n");
        assert_int_equal(nesting_faults(&t), over);
        arena_free(&a);
    }
}

static void
limits_of_expressions(void **state)
{
    (void)state;
    limit("(", "a", ")", 200);
    limit("[", "a", "]", 200);
    limit("", "a", "+a", 2000);
    limit("", "a", ".b", 2000);
    limit("", "a", "()", 2000);
    limit("", "a", "[0]", 2000);
    limit("-", "a", "", 2000);
    limit("not ", "a", "", 2000);
    limit("a ** ", "a", "", 2000);
    limit("a if b else ", "a", "", 2000);
    limit("lambda: ", "a", "", 2000);
}

static void
limits_of_blocks(void **state)
{
    (void)state;
    for (int n = 200; n <= 202; n++) {
        Arena a = {0};
        Text t;
        text_init(&t, &a);
        for (int i = 0; i < n; i++) {
            repeat(&t, " ", i);
            text_put(&t, "if a:\n");
        }
        repeat(&t, " ", n);
        text_put(&t, "b\n");
        assert_int_equal(nesting_faults(&t), n > 200);
        arena_free(&a);
    }
}

static void
limits_of_elif(void **state)
{
    (void)state;
    limit("", "if a: b\n", "elif a: b\n", 2000);
}

/* The depth never ends: the parser gives up, it does not crash. */
static void
bottomless(void **state)
{
    (void)state;
    static const char *const parts[] = {
        "(",        "[",    "{",    "-",    "not ",   "a ** ", "a if b else ",
        "lambda: ", "a[",   "f(",   "{a: ", "await ", "*",     "f'{",
        "if a:\n",  "@a\n", "a = ", "a, ",  "\"a\" "};
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        Arena a = {0};
        Text t;
        text_init(&t, &a);
        repeat(&t, parts[i], 50000);
        Parsed x;
        parse_bytes(&x, t.p, t.n);
        assert_true((x.tree == NULL) == (x.u.errors > 0));
        parsed_free(&x);
        arena_free(&a);
    }
}

static void
many_faults_are_all_found(void **state)
{
    (void)state;
    Arena a = {0};
    Text t;
    text_init(&t, &a);
    for (int i = 0; i < 50; i++) {
        text_put(&t, "def f():\n    x y\n    if z\n        g(1,\n          2\n    "
                     "h(]\n\nk = 'a\n");
    }
    Parsed x;
    parse_bytes(&x, t.p, t.n);
    assert_int_equal(x.u.errors, 50 * 4);
    parsed_free(&x);
    arena_free(&a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements),       cmocka_unit_test(brackets),
        cmocka_unit_test(indentation),      cmocka_unit_test(literals),
        cmocka_unit_test(characters),       cmocka_unit_test(limits_of_expressions),
        cmocka_unit_test(limits_of_blocks), cmocka_unit_test(limits_of_elif),
        cmocka_unit_test(bottomless),       cmocka_unit_test(many_faults_are_all_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
