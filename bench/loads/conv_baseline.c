/* conv_baseline.c: has convolutions as one would write them by hand in C, for conv.py.
 * They have plain arrays (n = 1; channels, rows, columns) and padding of zeros. The
 * compiler gets all options for this machine; a row of results is summed at a time, so
 * that the innermost loop is over elements that follow each other. */
#include <stdint.h>
#include <string.h>

typedef struct Shape {
    int ic, h, w, oc, k, stride, pad, oh, ow, depthwise;
} Shape;

enum {
    WIDEST = 4096
};

#define ROW(NAME, IN, ACC)                                                               \
    static void NAME(const Shape *s, const IN *x, const IN *weight, ACC *sums, int oc,   \
                     int oh)                                                             \
    {                                                                                    \
        int channels = s->depthwise ? 1 : s->ic;                                         \
        memset(sums, 0, (size_t)s->ow * sizeof *sums);                                   \
        for (int c = 0; c < channels; c++) {                                             \
            const IN *plane = x + (int64_t)(s->depthwise ? oc : c) * s->h * s->w;        \
            for (int kh = 0; kh < s->k; kh++) {                                          \
                int h = oh * s->stride + kh - s->pad;                                    \
                for (int kw = 0; kw < s->k && h >= 0 && h < s->h; kw++) {                \
                    ACC v =                                                              \
                        weight[((int64_t)(oc * channels + c) * s->k + kh) * s->k + kw];  \
                    int first = kw - s->pad;                                             \
                    int lo = first < 0 ? (-first + s->stride - 1) / s->stride : 0;       \
                    int hi = (s->w - first + s->stride - 1) / s->stride;                 \
                    hi = hi < s->ow ? hi : s->ow;                                        \
                    const IN *row = plane + (int64_t)h * s->w + first;                   \
                    if (s->stride == 1) {                                                \
                        for (int i = lo; i < hi; i++) {                                  \
                            sums[i] += v * row[i];                                       \
                        }                                                                \
                    } else {                                                             \
                        for (int i = lo; i < hi; i++) {                                  \
                            sums[i] += v * row[i * s->stride];                           \
                        }                                                                \
                    }                                                                    \
                }                                                                        \
            }                                                                            \
        }                                                                                \
    }
ROW(row_bytes, int8_t, int32_t)
ROW(row_floats, float, float)

static int8_t
requantised(int64_t v, int64_t mul, int shift, int zero)
{
    int64_t r = ((v * mul + ((int64_t)1 << (shift - 1))) >> shift) + zero;
    return (int8_t)(r < -128 ? -128 : r > 127 ? 127 : r);
}

/* Requantises to the nearest; ties go up. */
void
conv_bytes(const Shape *s, const int8_t *x, const int8_t *weight, const int32_t *bias,
           const int32_t *mul, const int32_t *shift, int zero, int8_t *out)
{
    int32_t sums[WIDEST];
    for (int oc = 0; oc < s->oc; oc++) {
        for (int oh = 0; oh < s->oh; oh++, out += s->ow) {
            row_bytes(s, x, weight, sums, oc, oh);
            for (int i = 0; i < s->ow; i++) {
                out[i] = requantised(sums[i] + bias[oc], mul[oc], shift[oc], zero);
            }
        }
    }
}

void
conv_floats(const Shape *s, const float *x, const float *weight, float *out)
{
    for (int oc = 0; oc < s->oc; oc++) {
        for (int oh = 0; oh < s->oh; oh++, out += s->ow) {
            row_floats(s, x, weight, out, oc, oh);
        }
    }
}
