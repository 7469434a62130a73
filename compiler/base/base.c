/* base.c: see base.h. */
#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void
base_ice(const char *file, int line, const char *fmt, ...)
{
    va_list ap;
    fprintf(stderr, "tikc: internal error: %s:%d: ", file, line);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    abort();
}

void
base_out_of_memory(size_t wanted)
{
    fprintf(stderr, "tikc: out of memory (%zu bytes wanted)\n", wanted);
    abort();
}
