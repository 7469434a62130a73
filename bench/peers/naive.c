/* naive.c: the loops that a user writes first: no intrinsics, no threads, no blocks. */
#include "peer.h"
#include <math.h>
#include <string.h>

typedef _Float16 Half;

#define KERNEL(name)                                                                     \
    PEER_EXPORT int k_##name(const PeerArgs *a);                                         \
    PEER_EXPORT int k_##name(const PeerArgs *a)

PEER_EXPORT const char *peer_version(void);
PEER_EXPORT const char *
peer_version(void)
{
    return __VERSION__;
}

KERNEL(add_f16)
{
    const Half *restrict x = a->in[0], *restrict y = a->in[1];
    Half *restrict z = a->out[0];
    for (int64_t i = 0; i < a->n[0]; i++) {
        z[i] = x[i] + y[i];
    }
    return 0;
}

KERNEL(add_f32)
{
    const float *restrict x = a->in[0], *restrict y = a->in[1];
    float *restrict z = a->out[0];
    for (int64_t i = 0; i < a->n[0]; i++) {
        z[i] = x[i] + y[i];
    }
    return 0;
}

KERNEL(axpb_relu_f16)
{
    const Half *restrict x = a->in[0];
    Half *restrict z = a->out[0];
    const float scale = (float)a->f[0], offset = (float)a->f[1];
    for (int64_t i = 0; i < a->n[0]; i++) {
        float v = scale * (float)x[i] + offset;
        z[i] = (Half)(v > 0 ? v : 0);
    }
    return 0;
}

KERNEL(softmax_f32)
{
    const int64_t n = a->n[1];
    for (int64_t i = 0; i < a->n[0]; i++) {
        const float *restrict p = (const float *)a->in[0] + i * n;
        float *restrict q = (float *)a->out[0] + i * n, max = p[0], sum = 0;
        for (int64_t j = 1; j < n; j++) {
            max = p[j] > max ? p[j] : max;
        }
        for (int64_t j = 0; j < n; j++) {
            q[j] = expf(p[j] - max);
            sum += q[j];
        }
        for (int64_t j = 0; j < n; j++) {
            q[j] /= sum;
        }
    }
    return 0;
}

KERNEL(layernorm_f16)
{
    const int64_t n = a->n[1];
    const Half *restrict gamma = a->in[1], *restrict beta = a->in[2];
    for (int64_t i = 0; i < a->n[0]; i++) {
        const Half *restrict p = (const Half *)a->in[0] + i * n;
        Half *restrict q = (Half *)a->out[0] + i * n;
        float mean = 0, square = 0;
        for (int64_t j = 0; j < n; j++) {
            mean += (float)p[j];
        }
        mean /= (float)n;
        for (int64_t j = 0; j < n; j++) {
            float d = (float)p[j] - mean;
            square += d * d;
        }
        float scale = 1 / sqrtf(square / (float)n + (float)a->f[0]);
        for (int64_t j = 0; j < n; j++) {
            q[j] =
                (Half)(((float)p[j] - mean) * scale * (float)gamma[j] + (float)beta[j]);
        }
    }
    return 0;
}

KERNEL(rowsum_f32)
{
    const int64_t n = a->n[1];
    for (int64_t i = 0; i < a->n[0]; i++) {
        const float *restrict p = (const float *)a->in[0] + i * n;
        float sum = 0;
        for (int64_t j = 0; j < n; j++) {
            sum += p[j];
        }
        ((float *)a->out[0])[i] = sum;
    }
    return 0;
}

KERNEL(rowmax_f32)
{
    const int64_t n = a->n[1];
    for (int64_t i = 0; i < a->n[0]; i++) {
        const float *restrict p = (const float *)a->in[0] + i * n;
        float max = p[0];
        for (int64_t j = 1; j < n; j++) {
            max = p[j] > max ? p[j] : max;
        }
        ((float *)a->out[0])[i] = max;
    }
    return 0;
}

KERNEL(transpose_f16)
{
    const int64_t rows = a->n[0], columns = a->n[1];
    const uint16_t *restrict x = a->in[0];
    uint16_t *restrict z = a->out[0];
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) {
            z[j * rows + i] = x[i * columns + j];
        }
    }
    return 0;
}

KERNEL(matmul_i8)
{
    const int64_t n = a->n[1], k = a->n[2];
    const int8_t *restrict x = a->in[0], *restrict y = a->in[1];
    int8_t *restrict z = a->out[0];
    for (int64_t i = 0; i < a->n[0]; i++) {
        for (int64_t j = 0; j < n; j++) {
            int32_t sum = 0;
            for (int64_t l = 0; l < k; l++) {
                sum += (int32_t)x[i * k + l] * y[l * n + j];
            }
            float v = (float)sum * (float)a->f[0] + (float)a->f[1];
            v = v > 0 ? v : 0;
            z[i * n + j] = (int8_t)rintf(v < 127 ? v : 127);
        }
    }
    return 0;
}

KERNEL(matmul_f16)
{
    const int64_t n = a->n[1], k = a->n[2];
    const Half *restrict x = a->in[0], *restrict y = a->in[1];
    Half *restrict z = a->out[0];
    for (int64_t i = 0; i < a->n[0]; i++) {
        for (int64_t j = 0; j < n; j++) {
            float sum = 0;
            for (int64_t l = 0; l < k; l++) {
                sum += (float)x[i * k + l] * (float)y[l * n + j];
            }
            z[i * n + j] = (Half)sum;
        }
    }
    return 0;
}

KERNEL(slice_f16)
{
    const int64_t pitch = a->n[1], first = a->n[2], length = a->n[3];
    const uint16_t *restrict x = a->in[0];
    uint16_t *restrict z = a->out[0];
    for (int64_t i = 0; i < a->n[0]; i++) {
        for (int64_t j = 0; j < length; j++) {
            z[i * length + j] = x[i * pitch + first + j];
        }
    }
    return 0;
}

KERNEL(gelu_f32)
{
    const float *restrict x = a->in[0];
    float *restrict z = a->out[0];
    for (int64_t i = 0; i < a->n[0]; i++) {
        float v = x[i];
        z[i] = 0.5f * v * (1 + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
    }
    return 0;
}

KERNEL(copy)
{
    memcpy(a->out[0], a->in[0], (size_t)a->n[0]);
    return 0;
}

static int
scaled(const PeerArgs *a, int64_t n)
{
    const float *restrict x = a->in[0], scale = (float)a->f[0], offset = (float)a->f[1];
    float *restrict z = a->out[0];
    for (int64_t i = 0; i < n; i++) {
        float v = scale * x[i] + offset;
        z[i] = v > 0 ? v : 0;
    }
    return 0;
}

KERNEL(tail_f32)
{
    return scaled(a, a->n[0]);
}

KERNEL(dynamic_f32)
{
    return scaled(a, *(const int32_t *)a->in[1]);
}

KERNEL(gather_f16)
{
    const size_t bytes = 2 * (size_t)a->n[1];
    const int32_t *index = a->in[1];
    for (int64_t i = 0; i < a->n[0]; i++) {
        memcpy((char *)a->out[0] + (size_t)i * bytes,
               (const char *)a->in[0] + (size_t)index[i] * bytes, bytes);
    }
    return 0;
}

KERNEL(concat_f16)
{
    const size_t left = 2 * (size_t)a->n[1], right = 2 * (size_t)a->n[2];
    for (int64_t i = 0; i < a->n[0]; i++) {
        char *z = (char *)a->out[0] + (size_t)i * (left + right);
        memcpy(z, (const char *)a->in[0] + (size_t)i * left, left);
        memcpy(z + left, (const char *)a->in[1] + (size_t)i * right, right);
    }
    return 0;
}

KERNEL(select_f32)
{
    const float *restrict x = a->in[0], *restrict y = a->in[1], slope = (float)a->f[0];
    float *restrict z = a->out[0];
    for (int64_t i = 0; i < a->n[0]; i++) {
        z[i] = x[i] > y[i] ? x[i] : y[i] * slope;
    }
    return 0;
}

KERNEL(chain_i8)
{
    const int8_t *restrict x = a->in[0];
    float *restrict z = a->out[0];
    const Half scale = (Half)a->f[0];
    const float offset = (float)a->f[1];
    for (int64_t i = 0; i < a->n[0]; i++) {
        z[i] = (float)(Half)((Half)x[i] * scale) + offset;
    }
    return 0;
}
