/* host.h: the few things that the test programs of the loader ask of a system, so that
 * they are the same for every processor: host_linux.c has them without a C library,
 * host_libc.c with one. */
#ifndef TEST_LOADER_HOST_H
#define TEST_LOADER_HOST_H

#include <stddef.h>
#include <stdint.h>

int host_main(int argc, char **argv);
/* Reads a whole file into room; returns its bytes, or -1. */
long host_read(const char *path, uint8_t *room, size_t size);
void host_write(const char *text, size_t n);

#endif
