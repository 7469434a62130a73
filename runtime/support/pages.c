/* pages.c: zeroed memory; see pages.h. Small pieces come from the heap, where sanitizers
 * detect accesses past their ends. */
#define _DEFAULT_SOURCE
#include "support/pages.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    MAPPED_FROM = 1 << 20,
    HUGE_PAGE = 2 << 20,
    LINE = 64
};

static size_t
mapped_size(int64_t bytes)
{
    uint64_t unit = bytes >= HUGE_PAGE ? HUGE_PAGE : 4096;
    return ((uint64_t)bytes + unit - 1) / unit * unit;
}

static uint8_t *
heap_alloc(int64_t bytes)
{
    size_t size = ((size_t)bytes + LINE) / LINE * LINE;
    void *p = NULL;
    if (posix_memalign(&p, LINE, size) != 0) {
        return NULL;
    }
    memset(p, 0, size);
    return p;
}

uint8_t *
pages_alloc(int64_t bytes)
{
    if (bytes < MAPPED_FROM) {
        return heap_alloc(bytes);
    }
    if (bytes > INT64_MAX - HUGE_PAGE) {
        return NULL;
    }
    size_t size = mapped_size(bytes);
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
        return NULL;
    }
#ifdef MADV_HUGEPAGE
    (void)madvise(p, size, MADV_HUGEPAGE);
#endif
    return p;
}

void
pages_free(uint8_t *p, int64_t bytes)
{
    if (p == NULL) {
        return;
    }
    if (bytes < MAPPED_FROM) {
        free(p);
    } else {
        (void)munmap(p, mapped_size(bytes));
    }
}
