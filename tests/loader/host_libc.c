/* host_libc.c: host.h by the C library. */
#include "host.h"

#include <stdbool.h>
#include <stdio.h>

long
host_read(const char *path, uint8_t *room, size_t size)
{
    FILE *f = fopen(path, "rb");
    size_t n = f == NULL ? 0 : fread(room, 1, size, f);
    bool whole = f != NULL && fgetc(f) == EOF && !ferror(f);
    if (f != NULL) {
        fclose(f);
    }
    return whole ? (long)n : -1;
}

void
host_write(const char *text, size_t n)
{
    fwrite(text, 1, n, stdout);
}

int
main(int argc, char **argv)
{
    return host_main(argc, argv);
}
