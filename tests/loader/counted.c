/* counted.c: opens and verifies blobs with a loader that was compiled with
 * -fsanitize-coverage=trace-pc, which calls the function below in each block of its code:
 * how many blocks were executed is the same on every run. This file is compiled without.
 *
 *   counted BLOB...   prints for each: its name, its bytes, blocks of tikblob_open, and
 * of all kernels together slots, TikBlobProof.work, blocks of tikblob_verify; 0 where it
 * was refused */
#include "tikblob.h"

#include <stdio.h>

enum {
    MOST_BYTES = 1 << 26,
    MOST_WORKSPACE = 1 << 23
};

void __sanitizer_cov_trace_pc(void);

static uint64_t blocks;
static uint8_t bytes[MOST_BYTES];
static uint8_t workspace[MOST_WORKSPACE] __attribute__((aligned(16)));

void
__sanitizer_cov_trace_pc(void)
{
    blocks++;
}

static void
verify(const TikBlob *b, uint64_t *slots, uint64_t *work)
{
    for (int i = 0; i < b->nkernels; i++) {
        TikBlobKernel k;
        TikBlobProof proof;
        TikBlobDiag diag;
        (void)tikblob_verify(b, i, workspace, sizeof workspace, &proof, &diag);
        tikblob_kernel(b, i, &k);
        *slots += k.code_slots;
        *work += proof.work;
    }
}

int
main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        TikBlob b;
        TikBlobDiag diag;
        uint64_t slots = 0, work = 0, opening;
        FILE *f = fopen(argv[i], "rb");
        size_t n = f == NULL ? 0 : fread(bytes, 1, sizeof bytes, f);
        if (f == NULL || fclose(f) != 0 || n == sizeof bytes) {
            return 2;
        }
        blocks = 0;
        bool ok = tikblob_open(&b, bytes, n, &diag);
        opening = blocks;
        blocks = 0;
        if (ok) {
            verify(&b, &slots, &work);
        }
        printf("%s %zu %llu %llu %llu %llu\n", argv[i], n, (unsigned long long)opening,
               (unsigned long long)slots, (unsigned long long)work,
               (unsigned long long)(ok ? blocks : 0));
    }
    return 0;
}
