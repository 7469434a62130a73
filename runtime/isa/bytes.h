/* bytes.h: copying, filling and comparing bytes. A freestanding C compiler calls these
 * four functions by itself, so every program has them, also where it has no <string.h>
 * (blob/bytes.c has them for programs without a C library). */
#ifndef TIK_ISA_BYTES_H
#define TIK_ISA_BYTES_H

#include <stddef.h>

#if __STDC_HOSTED__
#include <string.h>
#else
void *memcpy(void *to, const void *from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int byte, size_t n);
int memcmp(const void *a, const void *b, size_t n);
#endif

#endif
