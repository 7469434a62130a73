/* page.c: puts pages of HTML: a template with a title, a text and data. Names and texts
 * of a program can be anything, so none of it is ever markup: texts are escaped, and in
 * the data, which is JSON, a '<' is a number, so that no text ends the element. */
#include "driver/page.h"

#include "driver/findings.h"

#include <string.h>

enum {
    MOST_SOURCE = 1 << 20 /* bytes of a text that is shown */
};

/* Outside of texts JSON has no '<'. */
static void
put_data(Text *out, const Text *json)
{
    text_reserve(out, json->n);
    for (size_t i = 0; i < json->n; i++) {
        if (json->p[i] == '<') {
            text_put(out, "\\u003c");
        } else {
            text_putc(out, json->p[i]);
        }
    }
}

static const Source *
source_of(const Unit *u, const char *path)
{
    for (uint32_t i = 1; i < u->sources.n; i++) {
        const Source *s = &u->sources.p[i];
        if (strcmp(s->path, path) == 0 && !s->absent) {
            return s;
        }
    }
    return NULL;
}

void
page_files(const Unit *u, const char *const *files, uint32_t n, Text *out)
{
    json_open(out, "files", '[');
    for (uint32_t i = 0; i < n; i++) {
        const Source *s = source_of(u, files[i]);
        json_open(out, NULL, '{');
        json_text(out, "path", files[i]);
        if (s != NULL) {
            json_count(out, "bytes", s->len);
        }
        if (s != NULL && s->len <= MOST_SOURCE) {
            json_text(out, "text", s->text);
        }
        json_close(out, '}');
    }
    json_close(out, ']');
}

void
page_put(const PagePart *template, const PageContent *content, Text *out)
{
    for (const PagePart *part = template;; part++) {
        text_putn(out, part->text, part->n);
        switch (part->then) {
        case SLOT_END:
            return;
        case SLOT_TITLE:
            format_put_xml(content->title, out);
            break;
        case SLOT_TEXT:
            format_put_xml(content->text, out);
            break;
        case SLOT_DATA:
            put_data(out, content->json);
            break;
        }
    }
}
