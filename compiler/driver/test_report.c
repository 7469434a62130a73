/* test_report.c: what 'tikc test' prints: a line for each test with what was found below
 * it, JSON with an object in a line, or JUnit's XML. */
#include "driver/test.h"

#include <string.h>

static const char *
status(const TestCase *t)
{
    return t->code == EXIT_CLEAN      ? "passed"
           : t->code == EXIT_MISMATCH ? "failed"
                                      : "error";
}

static int64_t
count(const TestList *all, const char *what)
{
    int64_t n = 0;
    for (uint32_t i = 0; i < all->cases.n; i++) {
        n += strcmp(status(&all->cases.p[i]), what) == 0;
    }
    return n;
}

/* ---- text ---------------------------------------------------------------- */

static void
case_text(const TestCase *t, Text *out)
{
    text_printf(out, "%-6s  %s\n", status(t), t->title);
    for (const char *s = t->code == EXIT_CLEAN ? "" : t->text; *s;) {
        size_t n = strcspn(s, "\n");
        text_printf(out, "        %.*s\n", (int)n, s);
        s += n + (s[n] == '\n');
    }
}

static void
end_text(const TestList *all, Text *out)
{
    text_printf(out, "%u test%s: %lld passed", all->cases.n, all->cases.n == 1 ? "" : "s",
                (long long)count(all, "passed"));
    if (count(all, "failed") > 0) {
        text_printf(out, ", %lld failed", (long long)count(all, "failed"));
    }
    if (count(all, "error") > 0) {
        text_printf(out, ", %lld could not run", (long long)count(all, "error"));
    }
    if (all->without > 0) {
        text_printf(out, "; %lld file%s without a test", (long long)all->without,
                    all->without == 1 ? "" : "s");
    }
    text_putc(out, '\n');
}

/* ---- JSON ---------------------------------------------------------------- */

static void
case_json(const TestCase *t, Text *out)
{
    text_putc(out, '{');
    json_number(out, "version", 1);
    json_text(out, "test", t->title);
    json_text(out, "file", t->kernel);
    json_text(out, "status", status(t));
    json_number(out, "code", t->code);
    json_key(out, "seconds");
    text_printf(out, "%.3f", t->seconds);
    json_open(out, "diagnostics", '[');
    for (const char *s = t->json; *s;) {
        size_t n = strcspn(s, "\n");
        json_key(out, NULL);
        text_putn(out, s, n);
        s += n + (s[n] == '\n');
    }
    json_close(out, ']');
    json_close(out, '}');
    text_putc(out, '\n');
}

static void
end_json(const TestList *all, Text *out)
{
    text_putc(out, '{');
    json_number(out, "version", 1);
    json_count(out, "tests", all->cases.n);
    json_number(out, "passed", count(all, "passed"));
    json_number(out, "failed", count(all, "failed"));
    json_number(out, "errors", count(all, "error"));
    json_number(out, "without", all->without);
    json_close(out, '}');
    text_putc(out, '\n');
}

/* ---- JUnit --------------------------------------------------------------- */

static void
put_attribute(const char *name, const char *value, Text *out)
{
    text_printf(out, " %s=\"", name);
    format_put_xml(value, out);
    text_putc(out, '"');
}

static void
first_line(const char *text, Text *out)
{
    Arena a = {0};
    put_attribute("message", arena_strndup(&a, text, strcspn(text, "\n")), out);
    arena_free(&a);
}

static void
case_junit(const TestCase *t, Text *out)
{
    text_put(out, "    <testcase");
    put_attribute("classname", t->kernel, out);
    put_attribute("name", t->title, out);
    put_attribute("file", t->kernel, out);
    text_printf(out, " time=\"%.3f\"", t->seconds);
    if (t->code == EXIT_CLEAN) {
        text_put(out, "/>\n");
        return;
    }
    const char *what = t->code == EXIT_MISMATCH ? "failure" : "error";
    text_printf(out, ">\n      <%s", what);
    first_line(t->text, out);
    text_printf(out, " type=\"exit code %d\">", t->code);
    format_put_xml(t->text, out);
    text_printf(out, "</%s>\n    </testcase>\n", what);
}

static void
end_junit(const TestList *all, Text *out)
{
    Text cases;
    double seconds = 0;
    text_init(&cases, out->arena);
    for (uint32_t i = 0; i < all->cases.n; i++) {
        case_junit(&all->cases.p[i], &cases);
        seconds += all->cases.p[i].seconds;
    }
    text_put(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    text_printf(out,
                "  <testsuite name=\"tikc\" tests=\"%u\" failures=\"%lld\" "
                "errors=\"%lld\" skipped=\"0\" time=\"%.3f\">\n",
                all->cases.n, (long long)count(all, "failed"),
                (long long)count(all, "error"), seconds);
    text_put(out, cases.p);
    text_put(out, "  </testsuite>\n</testsuites>\n");
}

/* ---- all ----------------------------------------------------------------- */

void
test_report_case(const TestCase *t, TestFormat format, Text *out)
{
    switch (format) {
    case TEST_TEXT:
        case_text(t, out);
        return;
    case TEST_JSON:
        case_json(t, out);
        return;
    case TEST_JUNIT:
    case TEST_SARIF:
    case TEST_GITHUB:
        return; /* they are documents: all of it comes at the end */
    }
    UNREACHABLE();
}

void
test_report_end(const Cmd *c, const TestList *all, TestFormat format, Text *out)
{
    switch (format) {
    case TEST_TEXT:
        end_text(all, out);
        return;
    case TEST_JSON:
        end_json(all, out);
        return;
    case TEST_JUNIT:
        end_junit(all, out);
        return;
    case TEST_SARIF:
        test_found_end(c, all, FORMAT_SARIF, out);
        return;
    case TEST_GITHUB:
        test_found_end(c, all, FORMAT_GITHUB, out);
        return;
    }
    UNREACHABLE();
}
