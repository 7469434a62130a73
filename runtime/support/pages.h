/* pages.h: zeroed memory for arrays and scratch, aligned to 64 bytes. Large pieces come
 * from the system as pages that cost nothing until they are accessed and that may become
 * huge pages. */
#ifndef TIK_PAGES_H
#define TIK_PAGES_H

#include <stdint.h>

/* bytes is not negative. Returns null when memory is exhausted. */
uint8_t *pages_alloc(int64_t bytes);
/* bytes is what pages_alloc was called with. p may be null. */
void pages_free(uint8_t *p, int64_t bytes);

#endif
