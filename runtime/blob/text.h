/* text.h: what disassembly, differences and JSON share: texts that grow, and descriptors
 * as the text of blobs has them (docs/blob-format.md, Text). It is hosted and private to
 * runtime/blob. */
#ifndef TIK_BLOB_TEXT_H
#define TIK_BLOB_TEXT_H

#include "blob/blob.h"

/* A text that grows. A text full of zero bytes is empty; the owner frees p. failed is set
 * when memory is exhausted, and stays. */
typedef struct BlobText {
    char *p;
    size_t n, cap;
    bool failed;
    /* null: operands have the numbers of their regions, as the assembler reads them; else
     * their names */
    const TikBlob *named;
    const TikBlobKernel *kernel;
} BlobText;

/* Puts at most 200 bytes. */
void blob_put(BlobText *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void blob_put_quoted(BlobText *o, const char *text, size_t n);
void blob_put_desc(BlobText *o, const TikDesc *d);

#endif
