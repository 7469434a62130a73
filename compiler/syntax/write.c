/* write.c: writes literals as source text. See write.h. */
#include "syntax/write.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
write_char(Text *out, char c, char quote)
{
    switch (c) {
    case '\n':
        text_put(out, "\\n");
        return;
    case '\t':
        text_put(out, "\\t");
        return;
    case '\r':
        text_put(out, "\\r");
        return;
    case '\\':
        text_put(out, "\\\\");
        return;
    default:
        if ((unsigned char)c < 0x20 || c == 0x7f) {
            text_printf(out, "\\x%02x", (unsigned)(unsigned char)c);
            return;
        }
        if (c == quote) {
            text_putc(out, '\\');
        }
        text_putc(out, c);
    }
}

void
write_escaped(Text *out, const char *s, uint32_t n, char quote, bool braces)
{
    for (uint32_t i = 0; i < n; i++) {
        if (braces && (s[i] == '{' || s[i] == '}')) {
            text_putc(out, s[i]);
        }
        write_char(out, s[i], quote);
    }
}

void
write_string(Text *out, const char *s, uint32_t n)
{
    text_putc(out, '"');
    write_escaped(out, s, n, '"', false);
    text_putc(out, '"');
}

void
write_int(Text *out, const Ast *node)
{
    if (node->op == INT_TEXT) {
        text_put(out, node->str);
    } else {
        text_printf(out, "%" PRId64, ast_int_value(node));
    }
}

void
write_float(Text *out, double number)
{
    if (isinf(number)) {
        text_put(out, "1e999");
        return;
    }
    char buf[64];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(buf, sizeof buf, "%.*g", digits, number);
        if (strtod(buf, NULL) == number) {
            break;
        }
    }
    const char *point = localeconv()->decimal_point;
    char *at = strstr(buf, point);
    if (at) {
        text_putn(out, buf, (size_t)(at - buf));
        text_putc(out, '.');
        text_put(out, at + strlen(point));
        return;
    }
    text_put(out, buf);
    if (!strchr(buf, 'e')) {
        text_put(out, ".0");
    }
}
