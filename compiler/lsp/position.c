/* position.c: see position.h. */
#include "lsp/position.h"

#include <string.h>

/* Returns the bytes of the character at s, which is not at the end. */
static size_t
char_bytes(const char *s, const char *end)
{
    unsigned char c = (unsigned char)*s;
    size_t n = c < 0x80 ? 1 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
    return MIN(n, (size_t)(end - s));
}

/* Returns the code units of a character of that many bytes. */
static int64_t
char_units(size_t bytes, Encoding e)
{
    return e == ENCODING_UTF8 ? (int64_t)bytes : bytes == 4 ? 2 : 1;
}

size_t
position_offset(const char *text, size_t size, int64_t line, int64_t character,
                Encoding e)
{
    const char *s = text, *end = text + size;
    for (; line > 0 && s < end; line--) {
        const char *next = memchr(s, '\n', (size_t)(end - s));
        s = next ? next + 1 : end;
    }
    if (line > 0) {
        return size;
    }
    for (int64_t at = 0; s < end && *s != '\n';) {
        size_t n = char_bytes(s, end);
        at += char_units(n, e);
        if (at > character || (*s == '\r' && s + 1 < end && s[1] == '\n')) {
            break;
        }
        s += n;
    }
    return (size_t)(s - text);
}

json_t *
position_json(const char *text, size_t size, size_t offset, Encoding e)
{
    int64_t line = 0, character = 0;
    const char *s = text, *at = text + MIN(offset, size);
    for (const char *next; (next = memchr(s, '\n', (size_t)(at - s))); s = next + 1) {
        line++;
    }
    while (s < at) {
        size_t n = char_bytes(s, at);
        character += char_units(n, e);
        s += n;
    }
    return json_pack("{s:I,s:I}", "line", (json_int_t)line, "character",
                     (json_int_t)character);
}

json_t *
position_range(const char *text, size_t size, size_t begin, size_t end, Encoding e)
{
    return json_pack("{s:o,s:o}", "start", position_json(text, size, begin, e), "end",
                     position_json(text, size, MAX(begin, end), e));
}

json_t *
position_span(const Unit *u, Span span, Encoding e)
{
    const Source *src = &u->sources.p[span.file];
    return position_range(src->text, src->len, span.begin, span.end, e);
}

bool
position_read(const json_t *position, int64_t *line, int64_t *character)
{
    const json_t *l = json_object_get(position, "line");
    const json_t *c = json_object_get(position, "character");
    *line = json_integer_value(l);
    *character = json_integer_value(c);
    return json_is_integer(l) && json_is_integer(c) && *line >= 0 && *character >= 0;
}
