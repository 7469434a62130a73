/* verify.c: as open.c, with a verifier. */
#include "tikblob.h"

int run(TikBlob *b, const uint8_t *bytes, TikCursor *c, TikDesc *d, void *workspace);

int
run(TikBlob *b, const uint8_t *bytes, TikCursor *c, TikDesc *d, void *workspace)
{
    TikBlobDiag diag;
    TikBlobProof proof;
    if (!tikblob_open(b, bytes, 4096, &diag) ||
        !tikblob_verify(b, 0, workspace, tikblob_workspace(b, 0), &proof, &diag)) {
        return -1;
    }
    tikblob_cursor(c, b, 0);
    return tikblob_next(c, d, &diag);
}
