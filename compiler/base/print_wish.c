/* print_wish.c: reads NAME[SLICES]@FILE:LINE[,core=N][,time=N]. */
#include "base/print_wish.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool
read_number(const char **s, int64_t *out)
{
    char *end;
    if (**s < '0' || **s > '9') {
        return false;
    }
    errno = 0;
    *out = strtoll(*s, &end, 10);
    *s = end;
    return errno == 0;
}

static void
skip_blanks(const char **s)
{
    *s += strspn(*s, " ");
}

/* Reads "3", "2:5", "2:", ":5" or ":". */
static bool
read_bounds(const char **s, PrintWish *w)
{
    int d = w->ndim++;
    skip_blanks(s);
    bool low = read_number(s, &w->lo[d]);
    skip_blanks(s);
    if (**s != ':') {
        w->single[d] = true;
        w->hi[d] = w->lo[d] + 1;
        return low;
    }
    ++*s;
    skip_blanks(s);
    if (!read_number(s, &w->hi[d])) {
        w->hi[d] = -1;
    }
    skip_blanks(s);
    return w->hi[d] < 0 || w->lo[d] < w->hi[d];
}

static bool
read_slices(const char **s, PrintWish *w)
{
    if (**s != '[') {
        return true;
    }
    do {
        ++*s;
        if (w->ndim == PRINT_DIMS || !read_bounds(s, w)) {
            return false;
        }
    } while (**s == ',');
    return *(*s)++ == ']';
}

static bool
read_settings(const char *s, PrintWish *w)
{
    while (*s == ',') {
        s++;
        skip_blanks(&s);
        bool core = strncmp(s, "core=", 5) == 0;
        if (!core && strncmp(s, "time=", 5) != 0) {
            return false;
        }
        s += 5;
        if (!read_number(&s, core ? &w->core : &w->time) || (!core && w->time == 0)) {
            return false;
        }
    }
    return *s == 0;
}

/* Reads FILE:LINE and what follows. */
static bool
read_place(Arena *a, const char *s, PrintWish *w)
{
    const char *end = s + strcspn(s, ",");
    const char *place = arena_strndup(a, s, (size_t)(end - s));
    const char *colon = strrchr(place, ':');
    const char *digits = colon ? colon + 1 : "";
    int64_t line = 0;
    if (!read_number(&digits, &line) || *digits || line < 1 || line > UINT32_MAX ||
        colon == place) {
        return false;
    }
    w->file = arena_strndup(a, place, (size_t)(colon - place));
    w->line = (uint32_t)line;
    return read_settings(end, w);
}

PrintWish *
print_wish_parse(Arena *a, const char *text, const char **why)
{
    PrintWish *w = ARENA_NEW(a, PrintWish);
    *w = (PrintWish){.text = text, .core = -1};
    size_t n = strcspn(text, "[@");
    const char *s = text + n;
    w->name = arena_strndup(a, text, n);
    *why = "it is NAME@FILE:LINE, as 'ub@k.tik:10' or 'x[2, 0:8]@k.tik:10,core=1,time=3'";
    if (n == 0) {
        return NULL;
    }
    bool ok = read_slices(&s, w) && *s == '@' && read_place(a, s + 1, w);
    return ok ? w : NULL;
}
