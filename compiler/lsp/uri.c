/* uri.c: see uri.h. */
#include "lsp/uri.h"

#include <string.h>

static int
hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

char *
uri_path(Arena *a, const char *uri)
{
    if (strncmp(uri, "file://", 7) != 0) {
        return NULL;
    }
    uri += 7 + strcspn(uri + 7, "/"); /* after the name of the machine */
    char *path = arena_alloc(a, strlen(uri) + 1), *to = path;
    for (; *uri; uri++) {
        int high = *uri == '%' ? hex_digit(uri[1]) : -1;
        int low = high >= 0 ? hex_digit(uri[2]) : -1;
        if (low >= 0 && high * 16 + low == 0) {
            return NULL;
        }
        *to++ = low >= 0 ? (char)(high * 16 + low) : *uri;
        uri += low >= 0 ? 2 : 0;
    }
    return *path ? path : NULL;
}

char *
uri_of(Arena *a, const char *path)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789-._~/";
    Text t;
    text_init(&t, a);
    text_put(&t, "file://");
    for (; *path; path++) {
        if (strchr(plain, *path)) {
            text_putc(&t, *path);
        } else {
            text_printf(&t, "%%%02X", (unsigned char)*path);
        }
    }
    return t.p;
}
