/* loaded.c: blobs by handle (tik_load), for callers without the structs of tikblob.h:
 * programs in other languages. A loaded blob is a copy of the bytes whose kernels were
 * all verified, with a description of each as for compiled kernels. */
#include <stdlib.h>
#include <string.h>

#include "support/error.h"
#include "tikblob.h"
#include "tikrt.h"

struct TikLoaded {
    uint8_t *bytes;
    TikBlob blob;
    TikKernel *kernels;
    TikBlobProof *proofs;
};

static bool
refused(const TikLoaded *b, int kernel, const TikBlobDiag *diag, TikError *err)
{
    char text[300];
    tikblob_explain(kernel < 0 ? NULL : &b->blob, kernel < 0 ? 0 : kernel, diag, text,
                    sizeof text);
    return launch_error(err, TIK_ERR_BLOB, "blob", "%s: %s", diag->code, text);
}

static bool
no_memory(TikError *err)
{
    return launch_error(err, TIK_ERR_IO, "limit-memory",
                        "not enough memory for the blob");
}

static TikParam
param_of(const TikBlobArg *a)
{
    TikParam p = {.name = a->name,
                  .dtype = a->dtype,
                  .role = a->role,
                  .elems = a->elems,
                  .ndim = a->ndim,
                  .preset = a->preset,
                  .preset_value = a->preset_value,
                  .open = a->open};
    memcpy(p.shape, a->shape, sizeof p.shape);
    return p;
}

/* Describes a kernel as for compiled ones; there is no entry. */
static bool
describe(TikLoaded *b, int kernel, TikError *err)
{
    TikBlobKernel k;
    tikblob_kernel(&b->blob, kernel, &k);
    TikParam *params = calloc(k.nargs + 1, sizeof *params);
    if (params == NULL) {
        return no_memory(err);
    }
    for (uint32_t i = 0; i < k.nargs; i++) {
        TikBlobArg a;
        tikblob_arg(&b->blob, &k, (int)i, &a);
        params[i] = param_of(&a);
    }
    b->kernels[kernel] = (TikKernel){.abi = TIKRT_ABI,
                                     .name = k.name,
                                     .soc = tikblob_soc_name(b->blob.soc),
                                     .cores = (int32_t)k.cores,
                                     .nparams = (int32_t)k.nargs,
                                     .params = params};
    return true;
}

static bool
verify(TikLoaded *b, int kernel, TikError *err)
{
    TikBlobDiag diag;
    uint64_t size = tikblob_workspace(&b->blob, kernel);
    void *workspace = malloc(size);
    if (workspace == NULL) {
        return no_memory(err);
    }
    bool ok =
        tikblob_verify(&b->blob, kernel, workspace, size, &b->proofs[kernel], &diag);
    free(workspace);
    return ok || refused(b, kernel, &diag, err);
}

static bool
open_copy(TikLoaded *b, const void *bytes, size_t size, TikError *err)
{
    TikBlobDiag diag;
    b->bytes = malloc(size + 1);
    if (b->bytes == NULL) {
        return no_memory(err);
    }
    memcpy(b->bytes, bytes, size);
    if (!tikblob_open(&b->blob, b->bytes, size, &diag) ||
        !tikblob_identify(&b->blob, &diag)) {
        b->blob.nkernels = 0;
        return refused(b, -1, &diag, err);
    }
    size_t n = (size_t)b->blob.nkernels + 1;
    b->kernels = calloc(n, sizeof *b->kernels);
    b->proofs = calloc(n, sizeof *b->proofs);
    return (b->kernels != NULL && b->proofs != NULL) || no_memory(err);
}

TikLoaded *
tik_load(const void *bytes, size_t size, TikError *err)
{
    TikLoaded *b = calloc(1, sizeof *b);
    if (b == NULL) {
        no_memory(err);
        return NULL;
    }
    bool ok = open_copy(b, bytes, size, err);
    for (int i = 0; ok && i < b->blob.nkernels; i++) {
        ok = describe(b, i, err) && verify(b, i, err);
    }
    if (!ok) {
        tik_unload(b);
        return NULL;
    }
    return b;
}

void
tik_unload(TikLoaded *b)
{
    if (b == NULL) {
        return;
    }
    for (int i = 0; b->kernels != NULL && i < b->blob.nkernels; i++) {
        free((void *)(uintptr_t)b->kernels[i].params);
    }
    free(b->kernels);
    free(b->proofs);
    free(b->bytes);
    free(b);
}

int
tik_loaded_kernels(const TikLoaded *b)
{
    return b->blob.nkernels;
}

const TikKernel *
tik_loaded_kernel(const TikLoaded *b, int kernel)
{
    return &b->kernels[kernel];
}

void
tik_loaded_proof(const TikLoaded *b, int kernel, int64_t *proved, int64_t *checked)
{
    *proved = b->proofs[kernel].proved;
    *checked = b->proofs[kernel].checked;
}

bool
tik_loaded_run(const TikLoaded *b, int kernel, TikArray *const *args,
               const TikEmuOptions *options, TikError *err)
{
    return tik_emulate_watched(b->bytes, b->blob.size, kernel, args, options, err);
}
