/* pages.h: zeroed memory for arrays and scratch, aligned to 64 bytes. Large pieces come
 * from the system as pages that cost nothing until they are touched and that may become
 * huge pages. */
#ifndef TIK_PAGES_H
#define TIK_PAGES_H

#include <stdint.h>

/* bytes >= 0. Null: not enough memory. */
uint8_t *pages_alloc(int64_t bytes);
/* bytes: as given to pages_alloc. p may be null. */
void pages_free(uint8_t *p, int64_t bytes);

#endif
