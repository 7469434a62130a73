/* onednn.cpp: oneDNN on the processor. It has no float16 without AVX512-FP16, so that
 * product widens with F16C and runs in float32. ONEDNN_PACKED=1 keeps the second factor
 * packed across calls, as weights are. */
#include "peer.h"
#include <cstdio>
#include <cstdlib>
#include <dnnl.hpp>
#include <functional>
#include <immintrin.h>
#include <unordered_map>

using namespace dnnl;
using Tag = memory::format_tag;
using Type = memory::data_type;
using Desc = memory::desc;
using Arguments = std::unordered_map<int, memory>;
using Call = std::function<void()>;

static struct {
    engine *cpu;
    stream *order;
    bool packed;
    Call call; /* of the kernel whose arrays are loaded */
    float *x, *y, *z;
} peer;

PEER_EXPORT void
peer_reset(void)
{
    peer.call = nullptr;
    free(peer.x);
    free(peer.y);
    free(peer.z);
    peer.x = peer.y = peer.z = nullptr;
}

PEER_EXPORT const char *
peer_version(void)
{
    static char text[64];
    const dnnl_version_t *v = dnnl_version();
    snprintf(text, sizeof text, "oneDNN %d.%d.%d isa %d", v->major, v->minor, v->patch,
             (int)get_effective_cpu_isa());
    return text;
}

PEER_EXPORT int
peer_init(int)
{
    const char *packed = getenv("ONEDNN_PACKED");
    peer.packed = packed != nullptr && *packed == '1';
    peer.cpu = new engine(engine::kind::cpu, 0);
    peer.order = new stream(*peer.cpu);
    return 0;
}

static memory
array(const Desc &d, const void *p)
{
    return memory(d, *peer.cpu, const_cast<void *>(p));
}

static Call
bound(primitive p, Arguments a)
{
    return [=]() { p.execute(*peer.order, a); };
}

/* Runs what make returns; a kernel that this version has not got is not this peer's. */
template <class Make>
static int
run(Make make)
{
    if (!peer.call) {
        try {
            peer.call = make();
        } catch (error &e) {
            return 1;
        }
    }
    peer.call();
    peer.order->wait();
    return 0;
}

static Call
product(const PeerArgs *a, Type in, Type out, const void *x, const void *y, void *z,
        const primitive_attr &attributes)
{
    const Desc dx({a->n[0], a->n[2]}, in, Tag::ab), rows({a->n[2], a->n[1]}, in, Tag::ab);
    const Desc dz({a->n[0], a->n[1]}, out, Tag::ab);
    const Desc dy = peer.packed ? Desc({a->n[2], a->n[1]}, in, Tag::any) : rows;
    matmul::primitive_desc pd(matmul::desc(dx, dy, dz), attributes, *peer.cpu);
    memory factor = array(rows, y);
    if (pd.weights_desc() != rows) {
        memory packed(pd.weights_desc(), *peer.cpu);
        reorder(factor, packed).execute(*peer.order, factor, packed);
        peer.order->wait();
        factor = packed;
    }
    return bound(matmul(pd), {{DNNL_ARG_SRC, array(dx, x)},
                              {DNNL_ARG_WEIGHTS, factor},
                              {DNNL_ARG_DST, array(dz, z)}});
}

PEER_EXPORT int
k_matmul_i8(const PeerArgs *a)
{
    return run([&] {
        primitive_attr attributes;
        post_ops after;
        attributes.set_output_scales(0, {(float)a->f[0]});
        after.append_eltwise(1, algorithm::eltwise_linear, 1, (float)a->f[1]);
        after.append_eltwise(1, algorithm::eltwise_relu, 0, 0);
        attributes.set_post_ops(after);
        return product(a, Type::s8, Type::s8, a->in[0], a->in[1], a->out[0], attributes);
    });
}

static float *
floats(int64_t n)
{
    void *p;
    if (posix_memalign(&p, 2 << 20, n * sizeof(float) + (2 << 20)) != 0) {
        abort();
    }
    return (float *)p;
}

static void
widen(float *to, const void *from, int64_t n)
{
    for (int64_t i = 0; i < n; i += 8) {
        const __m128i *p = (const __m128i *)((const uint16_t *)from + i);
        _mm256_store_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(p)));
    }
}

PEER_EXPORT int
k_matmul_f16(const PeerArgs *a)
{
    const int64_t m = a->n[0], n = a->n[1], k = a->n[2];
    uint16_t *to = (uint16_t *)a->out[0];
    bool first = peer.x == nullptr;
    if (first) {
        peer.x = floats(m * k);
        peer.y = floats(k * n);
        peer.z = floats(m * n);
    }
    if (first || !peer.packed) {
        widen(peer.y, a->in[1], k * n);
    }
    widen(peer.x, a->in[0], m * k);
    int failed = run([&] {
        return product(a, Type::f32, Type::f32, peer.x, peer.y, peer.z, primitive_attr());
    });
    for (int64_t i = 0; failed == 0 && i < m * n; i += 8) {
        __m128i v = _mm256_cvtps_ph(_mm256_load_ps(peer.z + i), 0);
        _mm_storeu_si128((__m128i *)(to + i), v);
    }
    return failed;
}

PEER_EXPORT int
k_add_f32(const PeerArgs *a)
{
    return peer.packed || run([&] {
               Desc d({a->n[0]}, Type::f32, Tag::a);
               binary::desc add(algorithm::binary_add, d, d, d);
               return bound(binary(binary::primitive_desc(add, *peer.cpu)),
                            {{DNNL_ARG_SRC_0, array(d, a->in[0])},
                             {DNNL_ARG_SRC_1, array(d, a->in[1])},
                             {DNNL_ARG_DST, array(d, a->out[0])}});
           });
}

PEER_EXPORT int
k_gelu_f32(const PeerArgs *a)
{
    return peer.packed || run([&] {
               Desc d({a->n[0] / 1024, 1024}, Type::f32, Tag::ab);
               eltwise_forward::desc gelu(prop_kind::forward_inference,
                                          algorithm::eltwise_gelu_tanh, d, 0, 0);
               return bound(
                   eltwise_forward(eltwise_forward::primitive_desc(gelu, *peer.cpu)),
                   {{DNNL_ARG_SRC, array(d, a->in[0])},
                    {DNNL_ARG_DST, array(d, a->out[0])}});
           });
}

PEER_EXPORT int
k_softmax_f32(const PeerArgs *a)
{
    return peer.packed || run([&] {
               Desc d({a->n[0], a->n[1]}, Type::f32, Tag::ab);
               softmax_forward::desc rows(prop_kind::forward_inference, d, 1);
               return bound(
                   softmax_forward(softmax_forward::primitive_desc(rows, *peer.cpu)),
                   {{DNNL_ARG_SRC, array(d, a->in[0])},
                    {DNNL_ARG_DST, array(d, a->out[0])}});
           });
}

static int
reduce_rows(const PeerArgs *a, algorithm how)
{
    return peer.packed || run([&] {
               Desc x({a->n[0], a->n[1]}, Type::f32, Tag::ab);
               Desc z({a->n[0], 1}, Type::f32, Tag::ab);
               reduction::desc d(how, x, z, 0, 0);
               return bound(reduction(reduction::primitive_desc(d, *peer.cpu)),
                            {{DNNL_ARG_SRC, array(x, a->in[0])},
                             {DNNL_ARG_DST, array(z, a->out[0])}});
           });
}

PEER_EXPORT int
k_rowsum_f32(const PeerArgs *a)
{
    return reduce_rows(a, algorithm::reduction_sum);
}

PEER_EXPORT int
k_rowmax_f32(const PeerArgs *a)
{
    return reduce_rows(a, algorithm::reduction_max);
}
