/* fuzz_verify.c: passes any bytes through loader and verifier alone, which is some twenty
 * times as fast as what fuzz_blob.c does. Most changes keep the sections where they are;
 * checksums are made right, so that inputs get past them. Only the files of loader and
 * verifier are counted; they and the rules are checked by the sanitizers. */
#include "blob_change.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    uint64_t state = (uint64_t)seed * 2 + 1;
    change_below(&state, 2);
    if (change_below(&state, 4) == 0) {
        size = LLVMFuzzerMutate(data, size, max);
    } else {
        for (uint32_t i = 1 + change_below(&state, 3); i > 0; i--) {
            change_field(data, size, &state);
        }
    }
    if (change_below(&state, 32) != 0) {
        change_repair(data, size);
    }
    return size;
}

/* Verifies one kernel. The workspace has exactly the size that was asked for; the one of
 * the call before serves if it has that size. */
static void
verify(const TikBlob *b, int kernel)
{
    static void *work;
    static uint64_t bytes;
    uint64_t need = tikblob_workspace(b, kernel);
    TikBlobProof proof;
    TikBlobDiag d;
    if (work == NULL || need != bytes) {
        free(work);
        work = malloc(need);
        bytes = need;
    }
    if (work != NULL) {
        (void)!tikblob_verify(b, kernel, work, need, &proof, &d);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    TikBlob b;
    TikBlobDiag d;
    (void)tikblob_fit(data, size, soc_find("Ascend310P3"));
    if (!tikblob_open(&b, data, size, &d)) {
        return 0;
    }
    for (int i = 0; i < b.nkernels && i < 4; i++) {
        verify(&b, i);
    }
    return 0;
}
