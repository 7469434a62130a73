/* halide.c: the kernels that halide_make compiled, with the interface of a peer. */
#include "peer.h"
#include <HalideRuntime.h>
#include "halide_target.h"
#include "h_add_f16.h"
#include "h_add_f32.h"
#include "h_axpb_relu_f16.h"
#include "h_copy.h"
#include "h_gelu_f32.h"
#include "h_layernorm_f16.h"
#include "h_matmul_f16.h"
#include "h_matmul_i8.h"
#include "h_rowmax_f32.h"
#include "h_rowsum_f32.h"
#include "h_slice_f16.h"
#include "h_softmax_f32.h"
#include "h_transpose_f16.h"

PEER_EXPORT const char *peer_version(void);
PEER_EXPORT const char *
peer_version(void)
{
    return HALIDE_TARGET;
}

PEER_EXPORT int peer_init(int threads);
PEER_EXPORT int
peer_init(int threads)
{
    halide_set_num_threads(threads);
    return 0;
}

typedef struct Image {
    halide_dimension_t dim[2];
    halide_buffer_t buffer;
} Image;

/* Makes an array of rows; height 0: of one dimension. */
static halide_buffer_t *
image(Image *m, const void *p, halide_type_code_t code, int bits, int64_t width,
      int64_t height)
{
    m->dim[0] = (halide_dimension_t){0, (int32_t)width, 1, 0};
    m->dim[1] = (halide_dimension_t){0, (int32_t)height, (int32_t)width, 0};
    m->buffer = (halide_buffer_t){.host = (uint8_t *)p,
                                  .type = {(uint8_t)code, (uint8_t)bits, 1},
                                  .dimensions = height == 0 ? 1 : 2,
                                  .dim = m->dim};
    return &m->buffer;
}

#define FLOAT                            halide_type_float
#define UINT                             halide_type_uint
#define INT                              halide_type_int
#define IN(i, code, bits, width, height) image(&x[i], a->in[i], code, bits, width, height)
#define OUT(code, bits, width, height)   image(&z, a->out[0], code, bits, width, height)
#define KERNEL(name, call)                                                               \
    PEER_EXPORT int k_##name(const PeerArgs *a);                                         \
    PEER_EXPORT int k_##name(const PeerArgs *a)                                          \
    {                                                                                    \
        Image x[3], z;                                                                   \
        const int64_t n = a->n[0], m = a->n[1];                                          \
        (void)m;                                                                         \
        return h_##name call;                                                            \
    }

KERNEL(add_f16, (IN(0, FLOAT, 16, n, 0), IN(1, FLOAT, 16, n, 0), OUT(FLOAT, 16, n, 0)))
KERNEL(add_f32, (IN(0, FLOAT, 32, n, 0), IN(1, FLOAT, 32, n, 0), OUT(FLOAT, 32, n, 0)))
KERNEL(axpb_relu_f16,
       (IN(0, FLOAT, 16, n, 0), (float)a->f[0], (float)a->f[1], OUT(FLOAT, 16, n, 0)))
KERNEL(gelu_f32, (IN(0, FLOAT, 32, n, 0), OUT(FLOAT, 32, n, 0)))
KERNEL(copy, (IN(0, UINT, 32, n / 4, 0), OUT(UINT, 32, n / 4, 0)))
KERNEL(softmax_f32, (IN(0, FLOAT, 32, m, n), OUT(FLOAT, 32, m, n)))
KERNEL(layernorm_f16, (IN(0, FLOAT, 16, m, n), IN(1, FLOAT, 16, m, 0),
                       IN(2, FLOAT, 16, m, 0), (float)a->f[0], OUT(FLOAT, 16, m, n)))
KERNEL(rowsum_f32, (IN(0, FLOAT, 32, m, n), OUT(FLOAT, 32, n, 0)))
KERNEL(rowmax_f32, (IN(0, FLOAT, 32, m, n), OUT(FLOAT, 32, n, 0)))
KERNEL(transpose_f16, (IN(0, UINT, 16, m, n), OUT(UINT, 16, n, m)))
KERNEL(slice_f16, (IN(0, UINT, 16, m, n), (int)a->n[2], OUT(UINT, 16, a->n[3], n)))
KERNEL(matmul_f16, (IN(0, FLOAT, 16, n, n), IN(1, FLOAT, 16, n, n), OUT(FLOAT, 16, n, n)))
KERNEL(matmul_i8, (IN(0, INT, 8, n, n), IN(1, INT, 8, n, n), (float)a->f[0],
                   (float)a->f[1], OUT(INT, 8, n, n)))
