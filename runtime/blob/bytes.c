/* bytes.c: the four functions that a C compiler calls by itself (isa/bytes.h), for
 * programs without a C library. In the archive of a loader they are taken only where
 * nothing else defines them. */
#include "isa/bytes.h"

#if !__STDC_HOSTED__
/* The compiler must not make calls of these functions out of their own loops. */
#ifdef __clang__
#define PLAIN __attribute__((no_builtin))
#else
#define PLAIN __attribute__((optimize("no-tree-loop-distribute-patterns")))
#endif

PLAIN void *
memcpy(void *to, const void *from, size_t n)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    for (size_t i = 0; i < n; i++) {
        t[i] = f[i];
    }
    return to;
}

PLAIN void *
memmove(void *to, const void *from, size_t n)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    if (t <= f) {
        return memcpy(to, from, n);
    }
    for (size_t i = n; i > 0; i--) {
        t[i - 1] = f[i - 1];
    }
    return to;
}

PLAIN void *
memset(void *to, int byte, size_t n)
{
    unsigned char *t = to;
    for (size_t i = 0; i < n; i++) {
        t[i] = (unsigned char)byte;
    }
    return to;
}

PLAIN int
memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *x = a, *y = b;
    for (size_t i = 0; i < n; i++) {
        if (x[i] != y[i]) {
            return x[i] < y[i] ? -1 : 1;
        }
    }
    return 0;
}
#endif
