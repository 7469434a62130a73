/* message.c: makes the message of a built-in exception that the program reads. The
 * evaluator's own texts are written for diagnostics; programs that look at str(e) expect
 * CPython's words (message.def). */
#include "python/core.h"

#include <string.h>

typedef struct Message {
    const char *cls;
    const char *fmt;
    const char *begin;
    const char *python;
} Message;

static const Message messages[] = {
#define MESSAGE(cls, fmt, begin, python) {cls, fmt, begin, python},
#include "python/message.def"
#undef MESSAGE
};

/* Puts the n-th quoted piece of a text (from 1). */
static void
put_quoted(Text *out, const char *text, int n)
{
    const char *open = strchr(text, '\'');
    const char *end = open ? strchr(open + 1, '\'') : NULL;
    for (int i = 1; i < n && end; i++) {
        open = strchr(end + 1, '\'');
        end = open ? strchr(open + 1, '\'') : NULL;
    }
    if (end) {
        text_printf(out, "%.*s", (int)(end - open - 1), open + 1);
    }
}

static const char *
fill_in(Interp *in, const Message *m, const char *text)
{
    Text out;
    text_init(&out, core_arena(in));
    for (const char *p = m->python; *p; p++) {
        if (p[0] == '$' && (p[1] == '1' || p[1] == '2')) {
            p++;
            put_quoted(&out, text, *p - '0');
        } else {
            text_printf(&out, "%c", *p);
        }
    }
    /* CPython calls two of the kinds of sequences by another name. */
    if (strncmp(out.p, "str ind", 7) == 0) {
        return arena_printf(core_arena(in), "string%s", out.p + 3);
    }
    if (strncmp(out.p, "range index", 11) == 0) {
        return arena_printf(core_arena(in), "range object%s", out.p + 5);
    }
    return out.p;
}

/* Returns the first row of a format. Programs that raise much raise the same again and
 * again, so it is remembered. */
static size_t
first_row(Interp *in, const char *fmt)
{
    KnownMessage *k = &in->core->messages[(uintptr_t)fmt / 8 % KNOWN_MESSAGES];
    if (k->fmt != fmt) {
        k->fmt = fmt;
        k->row = 0;
        while (k->row < ARRAY_LEN(messages) && strcmp(messages[k->row].fmt, fmt) != 0) {
            k->row++;
        }
    }
    return k->row;
}

const char *
message_for_program(Interp *in, const char *cls, const char *fmt, const char *text)
{
    for (size_t i = first_row(in, fmt); i < ARRAY_LEN(messages); i++) {
        const Message *m = &messages[i];
        if (strcmp(m->fmt, fmt) == 0 && strcmp(m->cls, cls) == 0 &&
            strncmp(text, m->begin, strlen(m->begin)) == 0) {
            return m->python[0] ? fill_in(in, m, text) : NULL;
        }
    }
    return text;
}
