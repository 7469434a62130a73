/* source.c: see source.h. */
#include "base/source.h"

#include <string.h>

static void
index_lines(Arena *a, Source *src)
{
    const char *end = src->text + src->len;
    uint32_t n = 1;
    for (const char *p = src->text; (p = memchr(p, '\n', (size_t)(end - p))); p++) {
        n++;
    }
    src->line_starts = ARENA_ARRAY(a, uint32_t, n);
    src->nlines = 1;
    for (const char *p = src->text; (p = memchr(p, '\n', (size_t)(end - p))); p++) {
        src->line_starts[src->nlines++] = (uint32_t)(p - src->text) + 1;
    }
}

LineCol
source_line_col(Arena *a, Source *src, uint32_t offset)
{
    if (src->absent) {
        return src->places.p[offset];
    }
    if (!src->line_starts) {
        index_lines(a, src);
    }
    uint32_t lo = 0;
    uint32_t hi = src->nlines;
    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (src->line_starts[mid] <= offset) {
            lo = mid;
        } else {
            hi = mid;
        }
    }
    return (LineCol){lo + 1, MIN(offset, src->len) - src->line_starts[lo] + 1};
}

const char *
source_line(Arena *a, Source *src, uint32_t line, uint32_t *len)
{
    if (!src->line_starts) {
        index_lines(a, src);
    }
    if (line == 0 || line > src->nlines) {
        *len = 0;
        return "";
    }
    const char *p = src->text + src->line_starts[line - 1];
    const char *nl = memchr(p, '\n', src->len - src->line_starts[line - 1]);
    *len = nl ? (uint32_t)(nl - p) : src->len - src->line_starts[line - 1];
    if (*len && p[*len - 1] == '\r') {
        (*len)--;
    }
    return p;
}
