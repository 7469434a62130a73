/* fuzz_source.c: any text through parser, evaluator, passes and the stream back end; what is accepted
 * must verify and must run on the emulator without a fault of ours. */
#include "stage/stage.h"
#include "tikblob.h"
#include "tikc.h"
#include "tikrt.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    MAX_PARAMS_RUN = 16,
    MAX_BYTES = 1 << 20
};

static void
emulate(const Kernel *k, const uint8_t *blob, size_t size)
{
    TikArray arrays[MAX_PARAMS_RUN] = {0};
    TikArray *pointers[MAX_PARAMS_RUN];
    TikError err;
    int n = (int)k->params.n;
    bool ok = n <= MAX_PARAMS_RUN;
    for (int i = 0; ok && i < n; i++) {
        const Buffer *b = &k->bufs.p[k->params.p[i]];
        ok = b->bytes <= MAX_BYTES &&
             tik_array_alloc(&arrays[i], b->dtype, b->elems, &err);
        pointers[i] = &arrays[i];
    }
    if (ok) {
        (void)!tik_emulate(blob, size, 0, pointers, &err);
    }
    for (int i = 0; i < n && i < MAX_PARAMS_RUN; i++) {
        tik_array_free(&arrays[i]);
    }
}

static void
check_blob(Unit *u, Kernel *k)
{
    const uint8_t *blob;
    size_t size;
    if (!tikc_blob(u, &k, 1, &blob, &size)) {
        return;
    }
    TikBlob b;
    TikBlobDiag d;
    TikBlobProof proof;
    if (!tikblob_open(&b, blob, size, &d)) {
        abort();
    }
    uint64_t need = tikblob_workspace(&b, 0);
    void *work = malloc(need ? need : 1);
    if (!work || !tikblob_verify(&b, 0, work, need, &proof, &d)) {
        abort();
    }
    free(work);
    if (proof.steps < 20000) {
        emulate(k, blob, size);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Unit u;
    unit_init(&u);
    u.opt.limits.steps = 20000;
    u.opt.limits.depth = 60;
    u.opt.limits.memory = 64 << 20;
    u.opt.limits.statements = 2000;
    PassOptions opt = {NULL, true, NULL};
    char *text = malloc(size + 1);
    if (!text) {
        abort();
    }
    memcpy(text, data, size);
    text[size] = 0;
    if (tikc_compile(&u, "fuzz.tik", text, size, &opt)) {
        for (uint32_t i = 0; i < u.kernels.n; i++) {
            check_blob(&u, u.kernels.p[i]);
        }
    }
    Text out;
    text_init(&out, &u.arena);
    diag_render_all(&u, size % 4 ? DIAG_TEXT : DIAG_JSON, &out);
    for (uint32_t i = 0; i < u.kernels.n; i++) {
        kernel_free(u.kernels.p[i]);
    }
    unit_free(&u);
    free(text);
    return 0;
}
