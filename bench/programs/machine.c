/* machine.c: the speed of what runs blobs, on one thread: the loader in MB/s, the cursor
 * and the verifier in descriptors per second, the emulator in operations on lanes per
 * second. bench/programs/families.c compares the emulator with C loops.
 *
 *  machine [ROUNDS [TEXT]]
 * TEXT: only cases that contain it. Times are processor times, the fastest of the rounds,
 * since other work of the machine can only add to one. */
#include "blob/blob.h"
#include "pipeline.h"
#include "tikrt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"

enum {
    LANES = 4000000,  /* operations on lanes of a kernel */
    UNROLLED = 20000, /* descriptors of a kernel that is verified */
    LENGTH = 8192     /* elements of the tensors x and y */
};

static void
die(const char *what, const char *why)
{
    fprintf(stderr, "machine: %s: %s\n", what, why);
    exit(1);
}

typedef struct Blob {
    Unit unit;
    const uint8_t *bytes;
    size_t size;
} Blob;

static void
make_blob(Blob *b, const char *source)
{
    PassOptions passes = {0};
    unit_init(&b->unit);
    if (!tikc_compile(&b->unit, "machine.tik", source, strlen(source), &passes) ||
        !tikc_blob(&b->unit, b->unit.kernels.p, 1, &b->bytes, &b->size)) {
        Text t;
        text_init(&t, &b->unit.arena);
        diag_render_all(&b->unit, DIAG_TEXT, &t);
        die(source, t.p != NULL ? t.p : "");
    }
}

/* ---- loader and verifier ------------------------------------------------- */

typedef struct Program {
    const char *name,
        *body; /* body: a line of a loop over n that the front end unrolls */
} Program;

static const Program programs[] = {
    {"vec_add, constants", "t.vec_add(128, x[n % 8 * 128], y, x[1024], 4, 8, 8, 8)"},
    {"vec_add, other numbers each",
     "t.vec_add(1 + n % 113, x[n % 8 * 128], y, x[1024], 1 + n % 5, 8, 8, 8)"},
    {"vec_add, two loops", "t.vec_add(64, x[i * 128 + j * 16], y, x[1024], 1, 8, 8, 8)"},
    {"data_move", "t.data_move(x[n % 64 * 16], a[i * 256], 0, 1, 8, 0, 0)"},
    {"lists of 16", "t.vnchwconv(False, False, ys, xs, 1, 0, 0)"},
    {"scalars", "s.set_as(s + i)"},
    {"vec_muls, other numbers each",
     "t.vec_muls(1 + n % 113, x[n % 8 * 128], x[1024], n % 97, 1 + n % 5, 8, 8)"},
    {"vadd, other blocks each", "t.vadd(1 + n % 113, x[n % 8 * 128], y, x[n % 11 * 16 + "
                                "4096], 1 + n % 5, 1 + n % 3, "
                                "1 + n % 7, 1, 8, 8 + n % 9, 8)"},
    {"vec_abs, other masks each",
     "t.vec_abs([n % 113, 1 + n], x[n % 8 * 128], y, 1 + n % 5, 8, 8)"},
    {"vec_conv, other numbers each",
     "t.vec_conv(1 + n % 61, 'none', f, x[n % 8 * 64], 1 + n % 5, 8, 4 + n % 3)"},
    {"vcadd, other numbers each",
     "t.vcadd(1 + n % 113, x[n % 8 * 128], y, 1 + n % 5, 1 + n % 3, 1, 8 + n % 7)"},
    {"vec_cmpv_lt, other numbers each",
     "t.vec_cmpv_lt(w[n % 8 * 32], x[n % 7 * 128], y, 1 + n % 5, 8 + n % 11, 8 + n % 3)"},
    {"data_move, other numbers each",
     "t.data_move(x[n % 64 * 16], a[i * 256], 0, 1 + n % 3, 1 + n % 7, n % 5, n % 11)"},
    {"vnchwconv, other numbers each",
     "t.vnchwconv(False, False, ys, xs, 2 + n % 7, 16 + n % 5, 16 + n % 11)"},
    {"vec_add, numbers of Scalars",
     "t.vec_add(1 + n % 113, x[n % 8 * 128 + 16 * r], y, x[1024], r, 8 + n % 3, 8, 8)"},
    {"data_move, numbers of Scalars",
     "t.data_move(x[n % 64 * 16], a[16 * r], 0, r, 1 + n % 7, r + n % 5, n % 11)"},
    {"mmad, other numbers each", "t.mmad(lc, la[n % 3 * 256], lb[n % 5 * 256], 1 + n % "
                                 "31, 1 + n % 29, 1 + n % 16, n % 2)"},
};

static void
program_source(const Program *p, char *text, size_t size)
{
    snprintf(text, size,
             "from tbe import tik\n"
             "t = tik.Tik(tik.Dprofile('v200', 'aic'))\n"
             "a = t.Tensor('float16', (%d,), name='a', scope=tik.scope_gm)\n"
             "x = t.Tensor('float16', (%d,), name='x', scope=tik.scope_ubuf)\n"
             "y = t.Tensor('float16', (%d,), name='y', scope=tik.scope_ubuf)\n"
             "f = t.Tensor('float32', (4096,), name='f', scope=tik.scope_ubuf)\n"
             "w = t.Tensor('uint8', (1024,), name='w', scope=tik.scope_ubuf)\n"
             "la = t.Tensor('float16', (4096,), name='la', scope=tik.scope_ca)\n"
             "lb = t.Tensor('float16', (4096,), name='lb', scope=tik.scope_cb)\n"
             "lc = t.Tensor('float32', (4096,), name='lc', scope=tik.scope_cc)\n"
             "xs, ys = [x[16 * k] for k in range(16)], [y[16 * k] for k in range(16)]\n"
             "s = t.Scalar('int32', init_value=0)\n"
             "r = t.Scalar('int32')\n"
             "r.set_as(a.reinterpret_cast_to('int32')[0])\n"
             "t.data_move(x, a, 0, 1, %d, 0, 0)\n"
             "t.vec_dup(128, y, 0.0, 64, 8)\n"
             "with t.for_range(0, 4) as i:\n"
             "    with t.for_range(0, 4) as j:\n"
             "        for n in range(%d):\n"
             "            %s\n"
             "t.data_move(a, x, 0, 1, %d, 0, 0)\n"
             "t.BuildCCE(kernel_name='k', inputs=[], outputs=[a])\n",
             LENGTH, LENGTH, LENGTH, LENGTH / 16, UNROLLED, p->body, LENGTH / 16);
}

static double
walk(const TikBlob *b)
{
    static TikDesc d;
    double t0 = processor_seconds();
    TikCursor c;
    tikblob_cursor(&c, b, 0);
    while (tikblob_next(&c, &d, NULL) > 0) {
    }
    return processor_seconds() - t0;
}

static double
verify(const TikBlob *b)
{
    TikBlobProof proof;
    TikBlobDiag diag;
    uint64_t room = tikblob_workspace(b, 0);
    void *workspace = aligned_alloc(16, (room + 15) / 16 * 16);
    double t0 = processor_seconds();
    if (!tikblob_verify(b, 0, workspace, room, &proof, &diag)) {
        die("verifier", diag.code);
    }
    double t = processor_seconds() - t0;
    free(workspace);
    return t;
}

static double
load(TikBlob *b, const Blob *of)
{
    TikBlobDiag diag;
    double t0 = processor_seconds();
    if (!tikblob_open(b, of->bytes, of->size, &diag)) {
        die("loader", diag.code);
    }
    return processor_seconds() - t0;
}

static double
least(double a, double b)
{
    return a < b ? a : b;
}

static void
measure_program(const Program *p, int rounds)
{
    char source[4096];
    Blob blob;
    TikBlob b;
    TikBlobKernel k;
    double opened = 1e9, walked = 1e9, verified = 1e9;
    program_source(p, source, sizeof source);
    make_blob(&blob, source);
    for (int r = 0; r < rounds; r++) {
        opened = least(opened, load(&b, &blob));
        walked = least(walked, walk(&b));
        verified = least(verified, verify(&b));
    }
    tikblob_kernel(&b, 0, &k);
    double n = k.ndescriptors * 1e-6, mega = (double)blob.size * 1e-6;
    printf("  %-36s %6.2f MB %8.0f MB/s %8.2f %8.2f M/s\n", p->name, mega, mega / opened,
           n / walked, n / verified);
    unit_free(&blob.unit);
}

/* What a loader computes over the bytes. */
static void
measure_digests(int rounds)
{
    const size_t n = 4 << 20;
    uint8_t *bytes = malloc(n), id[32];
    double crc = 1e9, sha = 1e9;
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        bytes[i] = (uint8_t)(i * 2654435761U >> 13);
    }
    for (int r = 0; r < rounds; r++) {
        Sha256 s;
        double t0 = processor_seconds();
        sum ^= blob_crc32c(bytes, n);
        double t1 = processor_seconds();
        blob_sha256_init(&s);
        blob_sha256_add(&s, bytes, n);
        blob_sha256_end(&s, id);
        crc = least(crc, t1 - t0);
        sha = least(sha, processor_seconds() - t1);
    }
    printf("  CRC-32C %.0f MB/s, SHA-256 %.0f MB/s (%08x)\n", (double)n * 1e-6 / crc,
           (double)n * 1e-6 / sha, sum ^ id[0]);
    free(bytes);
}

/* ---- emulator ------------------------------------------------------------ */

/* One call of an instruction that goes over `lanes` active lanes. */
typedef struct Case {
    const char *name, *call, *dtype;
    int lanes;
} Case;

#define MASK  "[0x5555555555555555, 0x5555555555555555]"
#define MASKS "[0, 0x5555555555555555]"
static const Case cases[] = {
    {"vec_add f16", "vec_add(128, z, x, y, 64, 8, 8, 8)", "float16", 8192},
    {"vec_add f32", "vec_add(64, z, x, y, 64, 8, 8, 8)", "float32", 4096},
    {"vec_add f16, one repeat", "vec_add(128, z, x, y, 1, 8, 8, 8)", "float16", 128},
    {"vec_add f16, 16 lanes", "vec_add(16, z, x, y, 1, 8, 8, 8)", "float16", 16},
    {"vec_add f16, half of the lanes off", "vec_add(" MASK ", z, x, y, 64, 8, 8, 8)",
     "float16", 4096},
    {"vec_add f32, half of the lanes off", "vec_add(" MASKS ", z, x, y, 64, 8, 8, 8)",
     "float32", 2048},
    {"vec_muls f16, half of the lanes off", "vec_muls(" MASK ", z, x, 2.0, 64, 8, 8)",
     "float16", 4096},
    {"vadd f16, second blocks", "vadd(128, z, x, y, 32, 2, 2, 2, 16, 16, 16)", "float16",
     4096},
    {"vadd f32, second blocks", "vadd(64, z, x, y, 32, 2, 2, 2, 16, 16, 16)", "float32",
     2048},
    {"vec_cmpv_lt f16", "vec_cmpv_lt(w, x, y, 64, 8, 8)", "float16", 8192},
    {"vec_cmpv_lt f32", "vec_cmpv_lt(w, x, y, 64, 8, 8)", "float32", 4096},
    {"vcmpvs_gt f16", "vcmpvs_gt(w, x, 1.25, 64, 1, 8)", "float16", 8192},
    {"vec_sel f16", "vec_sel(128, 1, z, w, x, 1.5, 64, 8, 8)", "float16", 8192},
    {"vcadd f16", "vcadd(128, z, x, 64, 1, 1, 8)", "float16", 8192},
    {"vcadd f32", "vcadd(64, z, x, 64, 1, 1, 8)", "float32", 4096},
    {"vcadd f16, half of the lanes off", "vcadd(" MASK ", z, x, 64, 1, 1, 8)", "float16",
     4096},
    {"vcmax f16", "vcmax(128, z, x, 64, 1, 1, 8)", "float16", 8192},
    {"vcmax f32", "vcmax(64, z, x, 64, 1, 1, 8)", "float32", 4096},
    {"vcmin f16, half of the lanes off", "vcmin(" MASK ", z, x, 64, 1, 1, 8)", "float16",
     4096},
    {"vcgadd f16", "vcgadd(128, z, x, 64, 1, 1, 8)", "float16", 8192},
    {"vcgmax f16", "vcgmax(128, z, x, 64, 1, 1, 8)", "float16", 8192},
    {"vcgmax f32", "vcgmax(64, z, x, 64, 1, 1, 8)", "float32", 4096},
    {"vcpadd f16", "vcpadd(128, z, x, 64, 1, 1, 8)", "float16", 8192},
    {"vcpadd f32", "vcpadd(64, z, x, 64, 1, 1, 8)", "float32", 4096},
    {"vec_reduce_add f16", "vec_reduce_add(128, z, x, y, 64, 8)", "float16", 8192},
    {"vec_reduce_add f32", "vec_reduce_add(64, z, x, y, 64, 8)", "float32", 4096},
    {"vec_reduce_max f16", "vec_reduce_max(128, z, x, y, 64, 8)", "float16", 8192},
    {"vec_reduce_max f32", "vec_reduce_max(64, z, x, y, 64, 8)", "float32", 4096},
    {"data_move f16, bursts of 32 bytes", "data_move(z, x, 0, 256, 1, 0, 0)", "float16",
     4096},
    {"data_move f16, gaps", "data_move(z, x, 0, 256, 1, 1, 1)", "float16", 4096},
    {"data_move f16, gaps of one side", "data_move(z, x, 0, 256, 1, 1, 0)", "float16",
     4096},
};

static void
case_source(const Case *c, char *text, size_t size)
{
    snprintf(text, size,
             "from tbe import tik\n"
             "t = tik.Tik(tik.Dprofile('v200', 'aic'))\n"
             "a = t.Tensor('%s', (%d,), name='a', scope=tik.scope_gm)\n"
             "x = t.Tensor('%s', (%d,), name='x', scope=tik.scope_ubuf)\n"
             "y = t.Tensor('%s', (%d,), name='y', scope=tik.scope_ubuf)\n"
             "z = t.Tensor('%s', (%d,), name='z', scope=tik.scope_ubuf)\n"
             "w = t.Tensor('uint8', (%d,), name='w', scope=tik.scope_ubuf)\n"
             "n = %d * %d // 32\n"
             "t.data_move(x, a, 0, 1, n, 0, 0)\n"
             "t.data_move(y, a, 0, 1, n, 0, 0)\n"
             "t.data_move(z, a, 0, 1, n, 0, 0)\n"
             "t.vec_dup(128, w.reinterpret_cast_to('uint16'), 21845, %d // 256, 8)\n"
             "with t.for_range(0, %d) as i:\n"
             "    t.%s\n"
             "t.data_move(a, z, 0, 1, n, 0, 0)\n"
             "t.BuildCCE(kernel_name='k', inputs=[], outputs=[a])\n",
             c->dtype, LENGTH, c->dtype, LENGTH, c->dtype, LENGTH, c->dtype, LENGTH,
             LENGTH / 4, LENGTH, c->dtype[5] == '1' ? 2 : 4, LENGTH / 4, LANES / c->lanes,
             c->call);
}

/* Fills with numbers from 1 to 2 of both signs. */
static void
fill(TikArray *a)
{
    uint32_t seed = 1;
    for (int64_t i = 0; i < a->elems; i++) {
        seed = seed * 1664525 + 1013904223;
        if (a->dtype == DT_F16) {
            ((uint16_t *)a->data)[i] = (uint16_t)(0x3c00 | (seed >> 16 & 0x83ff));
        } else {
            ((uint32_t *)a->data)[i] = 0x3f800000 | (seed & 0x807fffff);
        }
    }
}

static double
emulate(const Blob *blob, TikArray *a)
{
    TikError err = {0};
    fill(a);
    double t0 = processor_seconds();
    if (!tik_emulate(blob->bytes, blob->size, 0, &a, &err)) {
        die(err.name, err.text);
    }
    return processor_seconds() - t0;
}

static void
measure_case(const Case *c, int rounds)
{
    char source[2048];
    Blob blob;
    TikArray a;
    TikError err = {0};
    double t = 1e9;
    case_source(c, source, sizeof source);
    make_blob(&blob, source);
    if (!tik_array_alloc(&a, dtype_find(c->dtype), LENGTH, &err)) {
        die(err.name, err.text);
    }
    for (int r = 0; r < rounds; r++) {
        t = least(t, emulate(&blob, &a));
    }
    printf("  %-36s %8.2f\n", c->name, LANES / t * 1e-9);
    tik_array_free(&a);
    unit_free(&blob.unit);
}

int
main(int argc, char **argv)
{
    int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 15;
    const char *text = argc > 2 ? argv[2] : "";
    if (rounds < 1) {
        die("usage", "machine [ROUNDS [TEXT]]");
    }
    printf("\nblobs of %d descriptors: loader, cursor and verifier, one thread\n",
           UNROLLED);
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        if (strstr(programs[i].name, text) != NULL) {
            measure_program(&programs[i], rounds);
        }
    }
    if (*text == 0) {
        measure_digests(rounds);
    }
    printf("\nemulator, G operations on lanes per second, one thread\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (strstr(cases[i].name, text) != NULL) {
            measure_case(&cases[i], rounds);
            fflush(stdout);
        }
    }
    return 0;
}
