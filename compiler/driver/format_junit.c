/* format_junit.c: findings as one JUnit document: a test case for each file, which fails
 * if the file has errors. */
#include "driver/driver.h"

#include <string.h>

/* Puts a text as XML, in an attribute or between tags. Characters that XML does not have
 * become '?'. */
void
format_put_xml(const char *s, Text *out)
{
    for (; *s; s++) {
        switch (*s) {
        case '<':
            text_put(out, "&lt;");
            break;
        case '>':
            text_put(out, "&gt;");
            break;
        case '&':
            text_put(out, "&amp;");
            break;
        case '"':
            text_put(out, "&quot;");
            break;
        case '\n':
            text_put(out, "&#10;");
            break;
        default:
            text_putc(out,
                      ((unsigned char)*s < 32 && *s != '\t') || *s == 127 ? '?' : *s);
        }
    }
}

static bool
failed(const Report *r)
{
    return r->code != EXIT_CLEAN;
}

/* The first error says what failed; the texts of all findings follow it. */
static void
put_failure(const Report *r, Text *out)
{
    const Finding *first = NULL;
    for (uint32_t i = 0; i < r->list.n && !first; i++) {
        first = r->list.p[i].level == LEVEL_ERROR ? &r->list.p[i] : NULL;
    }
    const char *tag =
        r->code == EXIT_FINDINGS || r->code == EXIT_REFUSED ? "failure" : "error";
    text_printf(out, "    <%s type=\"%s\" message=\"", tag,
                first ? diag_table[first->id].name : "exit");
    format_put_xml(first ? first->message : "the command failed", out);
    text_put(out, "\">");
    for (uint32_t i = 0; i < r->list.n; i++) {
        format_put_xml(r->list.p[i].text.p, out);
    }
    text_printf(out, "</%s>\n", tag);
}

static void
put_case(const Findings *f, const Report *r, Text *out)
{
    text_put(out, "  <testcase classname=\"tikc.");
    text_put(out, f->command);
    text_put(out, "\" name=\"");
    format_put_xml(r->path, out);
    text_put(out, "\">\n");
    if (r->skip) {
        text_printf(out, "    <skipped message=\"%s\"/>\n",
                    r->skip == SKIP_MODULE ? "the file builds no kernel"
                                           : "nothing says how to call the operator");
    } else if (failed(r)) {
        put_failure(r, out);
    } else if (r->list.n) {
        text_put(out, "    <system-out>");
        for (uint32_t i = 0; i < r->list.n; i++) {
            format_put_xml(r->list.p[i].text.p, out);
        }
        text_put(out, "</system-out>\n");
    }
    text_put(out, "  </testcase>\n");
}

void
format_junit_document(const Findings *f, Text *out)
{
    int failures = 0, errors = 0, skipped = 0;
    for (uint32_t i = 0; i < f->reports.n; i++) {
        const Report *r = f->reports.p[i];
        bool failure = r->code == EXIT_FINDINGS || r->code == EXIT_REFUSED;
        failures += failure;
        errors += failed(r) && !failure;
        skipped += r->skip != SKIP_NOT;
    }
    text_put(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    text_printf(out,
                "<testsuite name=\"tikc %s\" tests=\"%u\" failures=\"%d\" errors=\"%d\" "
                "skipped=\"%d\">\n",
                f->command, f->reports.n, failures, errors, skipped);
    for (uint32_t i = 0; i < f->reports.n; i++) {
        put_case(f, f->reports.p[i], out);
    }
    text_put(out, "</testsuite>\n</testsuites>\n");
}
