/* tikc.c: our kernels as a peer: each is a shared library that `tikc build --emit shared`
 * made, launched through the public interface of libtikrt.
 *
 *   TIKC_KERNELS  folder of <kernel>[.<variant>].so
 *   TIKC_RUNTIME  the libtikrt.so that launches them
 *   TIKC_VARIANT  another spelling of a kernel; kernels without it are not this peer's
 *   TIKC_PACKED   not empty: second factors of products are packed once, not in each call
 */
#include "peer.h"
#include "tikrt.h"
#include <dlfcn.h>
#if defined(__AVX512BW__)
#include <immintrin.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATH_BYTES = 1024,
    MOST_FACTOR = 1 << 20
};

typedef bool Launch(const TikKernel *k, TikArray *const *args, int threads,
                    TikError *err);

static struct {
    int threads;
    Launch *launch;
    int (*size)(Dtype);
    int64_t (*room)(int64_t);
    const TikKernel *kernel;
    bool packed;
} peer;

static const char *
setting(const char *name)
{
    const char *s = getenv(name);
    return s != NULL ? s : "";
}

PEER_EXPORT int peer_init(int threads);
PEER_EXPORT int
peer_init(int threads)
{
    void *runtime = dlopen(setting("TIKC_RUNTIME"), RTLD_NOW | RTLD_GLOBAL);
    if (runtime == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    peer.threads = threads;
    *(void **)&peer.launch = dlsym(runtime, "tik_launch");
    *(void **)&peer.size = dlsym(runtime, "tikrt_dtype_size");
    *(void **)&peer.room = dlsym(runtime, "tik_array_room");
    return peer.launch == NULL || peer.size == NULL || peer.room == NULL;
}

PEER_EXPORT void peer_reset(void);
PEER_EXPORT void
peer_reset(void)
{
    peer.packed = false;
}

enum {
    SIDE = 16
};

/* Does a round of a transpose: the two halves of a tile are interleaved. */
#define ROUND(to, from)                                                                  \
    for (int i_ = 0; i_ < SIDE * SIDE / 2; i_++) {                                       \
        (to)[2 * i_] = (from)[i_];                                                       \
        (to)[2 * i_ + 1] = (from)[i_ + SIDE * SIDE / 2];                                 \
    }

/* Rows (k, n) become (k / c, n, c), by tiles of 16 x 16 that four rounds transpose. */
#define PACK(name, type)                                                                 \
    static void name(type *to, const type *from, int64_t k, int64_t n, int64_t c)        \
    {                                                                                    \
        for (int64_t i = 0; i < k; i += SIDE) {                                          \
            for (int64_t j = 0; j < n; j += SIDE) {                                      \
                type x[SIDE * SIDE], y[SIDE * SIDE];                                     \
                for (int r = 0; r < SIDE; r++) {                                         \
                    memcpy(x + r * SIDE, from + (i + r) * n + j, sizeof(type) * SIDE);   \
                }                                                                        \
                ROUND(y, x)                                                              \
                ROUND(x, y)                                                              \
                ROUND(y, x)                                                              \
                ROUND(x, y)                                                              \
                type *d = to + (i / c * n + j) * c + i % c;                              \
                for (int r = 0; r < SIDE; r++) {                                         \
                    memcpy(d + r * c, x + r * SIDE, sizeof(type) * SIDE);                \
                }                                                                        \
            }                                                                            \
        }                                                                                \
    }
#if defined(__AVX512BW__)
/* The same for bytes, four tiles at a time in the four parts of vectors. */
static void
pack_bytes(uint8_t *to, const uint8_t *from, int64_t k, int64_t n, int64_t c)
{
    for (int64_t i = 0; i < k; i += SIDE) {
        for (int64_t j = 0; j < n; j += 4 * SIDE) {
            __m512i x[SIDE], y[SIDE];
            for (int r = 0; r < SIDE; r++) {
                x[r] = _mm512_loadu_si512(from + (i + r) * n + j);
            }
            for (int round = 0; round < 4; round++) {
                for (int r = 0; r < SIDE / 2; r++) {
                    y[2 * r] = _mm512_unpacklo_epi8(x[r], x[r + SIDE / 2]);
                    y[2 * r + 1] = _mm512_unpackhi_epi8(x[r], x[r + SIDE / 2]);
                }
                memcpy(x, y, sizeof x);
            }
            uint8_t *d = to + (i / c * n + j) * c + i % c;
            for (int r = 0; r < SIDE; r++, d += c) {
                _mm_storeu_si128((__m128i *)d, _mm512_castsi512_si128(x[r]));
                _mm_storeu_si128((__m128i *)(d + SIDE * c),
                                 _mm512_extracti32x4_epi32(x[r], 1));
                _mm_storeu_si128((__m128i *)(d + 2 * SIDE * c),
                                 _mm512_extracti32x4_epi32(x[r], 2));
                _mm_storeu_si128((__m128i *)(d + 3 * SIDE * c),
                                 _mm512_extracti32x4_epi32(x[r], 3));
            }
        }
    }
}
#else
PACK(pack_bytes, uint8_t)
#endif
PACK(pack_halves, uint16_t)

/* Returns the second factor as the kernel wants it: its parameter has the rows of k / c.
 */
static const void *
packed_factor(const TikParam *p, const void *rows)
{
    static uint8_t factor[2 * MOST_FACTOR] __attribute__((aligned(64)));
    const int64_t c = p->shape[2], n = p->shape[1], k = p->shape[0] * c;
    if (peer.packed && *setting("TIKC_PACKED") != '\0') {
        return factor;
    }
    if (p->dtype == DT_S8) {
        pack_bytes(factor, rows, k, n, c);
    } else {
        pack_halves((uint16_t *)factor, rows, k, n, c);
    }
    peer.packed = true;
    return factor;
}

static int
call(const PeerArgs *a)
{
    TikArray arrays[PEER_ARRAYS], *list[PEER_ARRAYS];
    TikError err;
    int nin = 0, nout = 0;
    for (int i = 0; i < peer.kernel->nparams; i++) {
        const TikParam *p = &peer.kernel->params[i];
        const void *data = p->role == ARGROLE_OUTPUT ? a->out[nout++] : a->in[nin++];
        if (i == 1 && p->ndim == 3) {
            data = packed_factor(p, data);
        }
        arrays[i] = (TikArray){.dtype = p->dtype, .elems = p->elems, .ndim = p->ndim};
        memcpy(arrays[i].shape, p->shape, sizeof p->shape);
        arrays[i].data = (uint8_t *)data;
        arrays[i].bytes = p->elems * peer.size(p->dtype);
        arrays[i].room = peer.room(arrays[i].bytes);
        list[i] = &arrays[i];
    }
    if (!peer.launch(peer.kernel, list, peer.threads, &err)) {
        fprintf(stderr, "%s: %s %s\n", peer.kernel->name, err.name, err.text);
        return 1;
    }
    return 0;
}

PEER_EXPORT PeerCall *peer_find(const char *kernel);
PEER_EXPORT PeerCall *
peer_find(const char *kernel)
{
    char path[PATH_BYTES], symbol[128];
    const char *variant = setting("TIKC_VARIANT");
    snprintf(path, sizeof path, "%s/%s%s%s.so", setting("TIKC_KERNELS"), kernel,
             *variant != '\0' ? "." : "", variant);
    void *library = dlopen(path, RTLD_NOW);
    if (library == NULL) {
        return NULL;
    }
    snprintf(symbol, sizeof symbol, "tik_kernel_%s", kernel);
    peer.kernel = dlsym(library, symbol);
    return peer.kernel != NULL ? call : NULL;
}
