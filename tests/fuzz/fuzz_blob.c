/* fuzz_blob.c: passes any bytes through loader, verifier, disassembler, assembler and
 * emulator. The custom mutator repairs checksums, so that inputs get past the container
 * checks; an accepted blob must disassemble to a text that assembles to the same bytes,
 * and must run without a fault of ours. */
#include "tikblob.h"
#include "tikrt.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

enum {
    MAX_ARGS = 16,
    MAX_ITEMS = 4,
    ITEM_BYTES = 72,
    MAX_BYTES = 1 << 20,
    MAX_STEPS = 5000
};

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    size = LLVMFuzzerMutate(data, size, max);
    if (seed % 8 != 0) {
        tikblob_update_checksums(data, size);
    }
    return size;
}

/* Makes the arrays of a list: all are the same, few and short. */
static bool
make_array(const TikBlobArg *a, TikArray *items, TikArray *out)
{
    TikError err;
    bool ok = true;
    if (a->role != (int)ARGROLE_LIST) {
        return a->elems <= MAX_BYTES / 8 &&
               tik_array_alloc(out, a->dtype, a->elems, &err);
    }
    *out = (TikArray){.dtype = a->dtype, .elems = a->elems, .items = items};
    for (int64_t i = 0; ok && i < a->elems && a->elems <= MAX_ITEMS; i++) {
        ok = tik_array_alloc(&items[i], DT_U8, ITEM_BYTES, &err);
    }
    return ok && a->elems <= MAX_ITEMS;
}

static void
free_array(TikArray *a)
{
    for (int i = 0; a->items && i < MAX_ITEMS; i++) {
        tik_array_free(&a->items[i]);
    }
    tik_array_free(a);
}

static void
emulate(const TikBlob *b, int kernel)
{
    TikBlobKernel k;
    tikblob_kernel(b, kernel, &k);
    TikArray arrays[MAX_ARGS] = {0};
    TikArray items[MAX_ARGS][MAX_ITEMS] = {0};
    TikArray *pointers[MAX_ARGS];
    TikError err;
    int n = (int)k.nargs;
    bool ok = n <= MAX_ARGS && k.cores <= 64;
    for (int i = 0; ok && i < n; i++) {
        TikBlobArg a;
        tikblob_arg(b, &k, i, &a);
        ok = make_array(&a, items[i], &arrays[i]);
        pointers[i] = &arrays[i];
    }
    if (ok) {
        (void)!tik_emulate(b->bytes, b->size, kernel, pointers, &err);
    }
    for (int i = 0; i < n && i < MAX_ARGS; i++) {
        free_array(&arrays[i]);
    }
}

static bool
verify(const TikBlob *b, int kernel)
{
    uint64_t need = tikblob_workspace(b, kernel);
    TikBlobProof proof;
    TikBlobDiag d;
    char text[400];
    void *work = malloc(need ? need : 1);
    bool ok = work && tikblob_verify(b, kernel, work, need, &proof, &d);
    free(work);
    if (!ok) {
        tikblob_explain(b, kernel, &d, text, sizeof text);
        return false;
    }
    if (proof.steps <= MAX_STEPS) {
        emulate(b, kernel);
    }
    return true;
}

static void
round_trip(const uint8_t *data, size_t size)
{
    char *text;
    uint8_t *again;
    size_t n;
    int line;
    char error[300];
    TikBlobDiag d;
    if (!tikblob_disassemble(data, size, &text, &d)) {
        return;
    }
    if (!tikblob_assemble(text, strlen(text), &again, &n, &line, error, sizeof error) ||
        n != size || memcmp(again, data, n) != 0) {
        abort();
    }
    free(again);
    free(text);
}

/* Walks the calls of each descriptor; the loader promises that parents come first. */
static void
walk_calls(const TikBlob *b)
{
    for (int i = 0; i < b->nkernels && i < 4; i++) {
        TikBlobKernel k;
        tikblob_kernel(b, i, &k);
        for (uint32_t d = 0; d <= k.ndescriptors && d < 100; d++) {
            TikBlobFrame f;
            for (uint32_t at = tikblob_frame_of(b, i, d); at != 0; at = f.parent) {
                tikblob_frame(b, at, &f);
                if (at > tikblob_frames(b) || f.parent >= at || *f.callee == 0 ||
                    strlen(f.file) >= b->size) {
                    abort();
                }
            }
        }
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    TikBlob b;
    TikBlobDiag d;
    if (!tikblob_open(&b, data, size, &d)) {
        return 0;
    }
    walk_calls(&b);
    bool all = true;
    for (int i = 0; i < b.nkernels && i < 4; i++) {
        all = verify(&b, i) && all;
    }
    if (all && tikblob_identify(&b, &d)) {
        round_trip(data, size);
    }
    return 0;
}
