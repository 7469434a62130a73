/* foreign.c: recognises texts in another language. A user who pastes C++ from the pages
 * of Ascend C gets one sentence that says so instead of an error for each line. Only
 * texts that did not parse are examined. */
#include "syntax/parser.h"

#include <string.h>

/* These words are in kernels of Ascend C and, outside of strings and comments, in no
 * program of ours. */
static const char *const signs[] = {"AscendC::",    "LocalTensor<", "GlobalTensor<",
                                    "__aicore__",   "__global__",   "__gm__",
                                    "GM_ADDR",      "TPipe ",       "TQue<",
                                    "TBuf<",        "namespace ",   "template <",
                                    "template<",    "extern \"C",   "constexpr ",
                                    "static_cast<", "std::",        "#include <",
                                    "#include \"",  "TPosition::",  "QuePosition::"};

/* Before another word, these begin a declaration in C and no statement of ours. */
static const char *const types[] = {"int",
                                    "float",
                                    "half",
                                    "bool",
                                    "void",
                                    "auto",
                                    "const",
                                    "uint8_t",
                                    "int8_t",
                                    "uint16_t",
                                    "int16_t",
                                    "uint32_t",
                                    "int32_t",
                                    "uint64_t",
                                    "int64_t",
                                    "struct",
                                    "unsigned",
                                    "DataCopyParams",
                                    "DataCopyEnhancedParams",
                                    "SliceInfo"};

static bool
begins_with(const char *s, const char *end, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(end - s) >= n && memcmp(s, word, n) == 0;
}

static bool
is_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
}

/* Returns whether a line is a comment of ours, which may quote C++, and not a line of the
 * C preprocessor. */
static bool
is_comment(const char *s, const char *end)
{
    return s < end && *s == '#' && !begins_with(s, end, "#include <") &&
           !begins_with(s, end, "#include \"");
}

static bool
declares(const char *s, const char *end)
{
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        const char *t = s + strlen(types[i]);
        if (begins_with(s, end, types[i]) && t < end && *t == ' ') {
            while (t < end && (*t == ' ' || *t == '*' || *t == '&')) {
                t++;
            }
            return t < end && is_word(*t);
        }
    }
    return false;
}

/* The bytes at which a sign or a declaration may begin, or which end the code of a line.
 * They make the search fast, since texts are long. */
typedef struct Stops {
    bool sign[256];
    bool type[256];
} Stops;

static Stops
find_stops(void)
{
    Stops stops = {.sign = {['"'] = true, ['\''] = true, ['#'] = true}};
    for (size_t i = 0; i < ARRAY_LEN(signs); i++) {
        stops.sign[(unsigned char)signs[i][0]] = true;
    }
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        stops.type[(unsigned char)types[i][0]] = true;
    }
    return stops;
}

static bool
is_sign(const char *s, const char *end)
{
    for (size_t i = 0; i < ARRAY_LEN(signs); i++) {
        if (signs[i][0] == *s && begins_with(s, end, signs[i])) {
            return true;
        }
    }
    return false;
}

static bool
is_foreign_line(const Stops *stops, const char *s, const char *end)
{
    if (begins_with(s, end, "//") || begins_with(s, end, "/*") ||
        (s < end && stops->type[(unsigned char)*s] && declares(s, end))) {
        return true;
    }
    for (; s < end; s++) {
        if (!stops->sign[(unsigned char)*s]) {
            continue;
        }
        if (*s == '"' || *s == '\'' || is_comment(s, end)) {
            return false;
        }
        if (is_sign(s, end)) {
            return true;
        }
    }
    return false;
}

bool
foreign_line(const char *text, uint32_t len, Loc *at)
{
    const Stops stops = find_stops();
    const char *end = text + len;
    for (const char *line = text; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        const char *s = line;
        while (s < stop && (*s == ' ' || *s == '\t')) {
            s++;
        }
        const char *last = stop > s && stop[-1] == '\r' ? stop - 1 : stop;
        if (is_foreign_line(&stops, s, last)) {
            *at = (Loc){(uint32_t)(s - text), (uint32_t)(last - text)};
            return true;
        }
        line = stop + 1;
    }
    return false;
}
