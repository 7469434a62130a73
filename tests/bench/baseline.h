/* baseline.h: declares what a C programmer would write instead of the kernels of the
 * benchmark. It is compiled with -O3 -march=native. */
#ifndef BENCH_BASELINE_H
#define BENCH_BASELINE_H

#include <stdint.h>

void baseline_add_f32(float *restrict c, const float *a, const float *b, int64_t n);
void baseline_scale_f32(float *restrict c, const float *a, float s, int64_t n);
void baseline_copy_f32(float *restrict c, const float *a, int64_t n);

/* The arguments are bits of float16 numbers. */
void baseline_add_f16(uint16_t *restrict c, const uint16_t *a, const uint16_t *b,
                      int64_t n);
void baseline_scale_f16(uint16_t *restrict c, const uint16_t *a, float s, int64_t n);
void baseline_copy_f16(uint16_t *restrict c, const uint16_t *a, int64_t n);

#endif
