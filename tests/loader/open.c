/* open.c: a loader that opens a blob and walks over its descriptors; its size is
 * measured. */
#include "tikblob.h"

int run(TikBlob *b, const uint8_t *bytes, TikCursor *c, TikDesc *d, TikBlobDiag *diag);

int
run(TikBlob *b, const uint8_t *bytes, TikCursor *c, TikDesc *d, TikBlobDiag *diag)
{
    if (!tikblob_open(b, bytes, 4096, diag)) {
        return -1;
    }
    tikblob_cursor(c, b, 0);
    return tikblob_next(c, d, diag);
}
