/* depfile.c: which files an output depends on, as rules that make and ninja read. */
#include "driver/driver.h"

#include <string.h>

/* Puts a name as make reads it. */
static void
put_name(const char *s, Text *out)
{
    for (; *s; s++) {
        if (*s == ' ' || *s == '#' || *s == '\\') {
            text_putc(out, '\\');
        } else if (*s == '$') {
            text_putc(out, '$');
        }
        text_putc(out, *s);
    }
}

void
depfile_put(const Unit *u, const char *target, const char *source, Text *out)
{
    put_name(target, out);
    text_put(out, ": ");
    put_name(source, out);
    for (uint32_t i = 0; i < u->loaded.n; i++) {
        text_put(out, " \\\n  ");
        put_name(u->loaded.p[i], out);
    }
    text_putc(out, '\n');
}
