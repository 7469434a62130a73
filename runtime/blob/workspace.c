/* workspace.c: the verifier's functions for programs: which memory and work a proof
 * takes, and the proof (verify.c), which gets its part of the caller's workspace. Where
 * the verifier is byte code (lean/compact.h), its stack is the first part. */
#include "blob/verify.h"

#ifdef TIK_COMPACT
#include "lean/compact.h"

#define STACK_BYTES (((uint64_t)compact_slots * sizeof(CompactSlot) + 15) / 16 * 16)

/* A stack that is too small cannot come about, as far as tools/compact can tell; if it
 * does, the kernel is refused as for any other memory that is too small. */
bool
verify_kernel(const TikBlob *b, int kernel, const TikBlobVerify *with,
              TikBlobProof *proof, TikBlobDiag *diag)
{
    CompactSlot *stack = with->workspace;
    TikBlobVerify rest = *with;
    rest.workspace = (uint8_t *)with->workspace + STACK_BYTES;
    stack[0] = (intptr_t)b;
    stack[1] = kernel;
    stack[2] = (intptr_t)&rest;
    stack[3] = (intptr_t)proof;
    stack[4] = (intptr_t)diag;
    if (!compact_run(compact_of_verify_kernel, stack, 5, compact_slots)) {
        return blob_bad(diag, BLOB_WORKSPACE, SEC_COUNT, 0);
    }
    return stack[0] != 0;
}
#else
#define STACK_BYTES 0
#endif

uint64_t
tikblob_workspace(const TikBlob *b, int kernel)
{
    uint64_t nregs = get32(blob_record(b, SEC_KERN, (uint64_t)kernel) + 32);
    return STACK_BYTES + VERIFIER_BYTES + nregs * sizeof(RegFact);
}

uint64_t
tikblob_work(const TikBlob *b, int kernel)
{
    const uint8_t *k = blob_record(b, SEC_KERN, (uint64_t)kernel);
    return (uint64_t)get32(k + 8) * WORK_OF_SLOT;
}

bool
tikblob_unproved(const TikBlob *b, int kernel, const TikBlobVerify *with,
                 TikBlobProof *proof, TikBlobDiag *diag)
{
    if (with->bytes < tikblob_workspace(b, kernel) ||
        (uintptr_t)with->workspace % 16 != 0) {
        return blob_bad_value(diag, BLOB_WORKSPACE, SEC_COUNT, 0,
                              (BlobSeen){(int64_t)with->bytes,
                                         (int64_t)tikblob_workspace(b, kernel),
                                         INT64_MAX});
    }
    return verify_kernel(b, kernel, with, proof, diag);
}

bool
tikblob_verify(const TikBlob *b, int kernel, void *workspace, uint64_t bytes,
               TikBlobProof *proof, TikBlobDiag *diag)
{
    TikBlobVerify with = {.workspace = workspace, .bytes = bytes, .unproved = NULL};
    return tikblob_unproved(b, kernel, &with, proof, diag);
}
