/* response.c: response files. @FILE stands for the words of a file: blanks and line ends
 * separate them, quotes of both kinds hold blanks, a backslash takes the next character
 * as it is. They may name further files. As with other compilers, @FILE is a word of its
 * own where there is no such file. */
#include "driver/driver.h"

#include <string.h>
#include <unistd.h>

enum {
    MOST_NESTED = 10
};

static bool expand(Cmd *c, const char *word, int depth, Names *out);

/* Reads one word at *s, and moves *s past it; returns false at the end. */
static bool
next_word(const char **s, Text *out)
{
    char quote = 0;
    const char *p = *s + strspn(*s, " \t\r\n\v\f");
    if (!*p) {
        return false;
    }
    for (; *p && (quote || !strchr(" \t\r\n\v\f", *p)); p++) {
        if (quote ? *p == quote : *p == '"' || *p == '\'') {
            quote = quote ? 0 : *p;
        } else {
            p += *p == '\\' && p[1];
            text_putc(out, *p);
        }
    }
    *s = p;
    return true;
}

static bool
expand_file(Cmd *c, const char *path, int depth, Names *out)
{
    char *bytes;
    size_t size;
    TRY(io_read(&c->unit, path, &bytes, &size));
    if (depth == MOST_NESTED) {
        return options_wrong(c, arena_printf(&c->unit.arena,
                                             "response files nest more than %d deep at "
                                             "'%s'",
                                             MOST_NESTED, path));
    }
    if (strlen(bytes) != size) {
        return options_wrong(
            c,
            arena_printf(&c->unit.arena, "the response file '%s' has a zero byte", path));
    }
    Text t;
    for (const char *s = bytes; text_init(&t, &c->unit.arena), next_word(&s, &t);) {
        TRY(expand(c, arena_strdup(&c->unit.arena, t.n ? t.p : ""), depth + 1, out));
    }
    return true;
}

static bool
expand(Cmd *c, const char *word, int depth, Names *out)
{
    if (word[0] == '@' && word[1] && access(word + 1, F_OK) == 0) {
        return expand_file(c, word + 1, depth, out);
    }
    VEC_PUSH(&c->unit.arena, out, word);
    return true;
}

bool
response_expand(Cmd *c, int argc, char **argv, Names *out)
{
    for (int i = 0; i < argc; i++) {
        TRY(expand(c, argv[i], 0, out));
    }
    return true;
}
