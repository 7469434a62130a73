/* baseline.c: has plain loops. The compiler is kept from replacing the copies by memcpy,
 * which is measured by itself. */
#include "baseline.h"

void
baseline_add_f32(float *restrict c, const float *a, const float *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        c[i] = a[i] + b[i];
    }
}

void
baseline_scale_f32(float *restrict c, const float *a, float s, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        c[i] = a[i] * s;
    }
}

#ifdef __clang__
#define COPY_LOOP __attribute__((no_builtin("memcpy")))
#else
#define COPY_LOOP __attribute__((optimize("no-tree-loop-distribute-patterns")))
#endif

COPY_LOOP void
baseline_copy_f32(float *restrict c, const float *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        c[i] = a[i];
    }
}

void
baseline_add_f16(uint16_t *restrict c, const uint16_t *a, const uint16_t *b, int64_t n)
{
    const _Float16 *x = (const _Float16 *)a;
    const _Float16 *y = (const _Float16 *)b;
    _Float16 *z = (_Float16 *)c;
    for (int64_t i = 0; i < n; i++) {
        z[i] = x[i] + y[i];
    }
}

void
baseline_scale_f16(uint16_t *restrict c, const uint16_t *a, float s, int64_t n)
{
    const _Float16 *x = (const _Float16 *)a;
    _Float16 *z = (_Float16 *)c;
    _Float16 by = (_Float16)s;
    for (int64_t i = 0; i < n; i++) {
        z[i] = x[i] * by;
    }
}

COPY_LOOP void
baseline_copy_f16(uint16_t *restrict c, const uint16_t *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        c[i] = a[i];
    }
}
