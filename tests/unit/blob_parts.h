/* blob_parts.h: helpers of the blob tests: they make blobs of text, take a blob apart
 * into its sections and put it together again with right checksums, and expect refusals
 * by rule name. */
#ifndef BLOB_PARTS_H
#define BLOB_PARTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "blob/blob.h"

typedef struct Bin {
    uint8_t *p;
    size_t n;
} Bin;

static inline Bin
assemble(const char *text)
{
    Bin b;
    int line;
    char error[300];
    if (!tikblob_assemble(text, strlen(text), &b.p, &b.n, &line, error, sizeof error)) {
        fail_msg("line %d: %s\n%s", line, error, text);
    }
    return b;
}

/* Returns the rule by which a blob is refused when it is opened; "" when it is
 * accepted. */
static inline const char *
open_code(const Bin *b)
{
    static TikBlobDiag diag;
    TikBlob blob;
    if (tikblob_open(&blob, b->p, b->n, &diag)) {
        return "";
    }
    return diag.code;
}

/* Returns the rule by which the build id of a blob that opens is refused, or "". */
static inline const char *
identify_code(const Bin *b)
{
    static TikBlobDiag diag;
    TikBlob blob;
    return tikblob_open(&blob, b->p, b->n, &diag) && tikblob_identify(&blob, &diag)
               ? ""
               : diag.code;
}

static inline const char *
verify_diag(const Bin *b, TikBlobProof *proof, TikBlobDiag *diag)
{
    TikBlob blob;
    if (!tikblob_open(&blob, b->p, b->n, diag)) {
        return diag->code;
    }
    for (int i = 0; i < blob.nkernels; i++) {
        uint64_t n = tikblob_workspace(&blob, i);
        void *work = malloc(n);
        bool ok = tikblob_verify(&blob, i, work, n, proof, diag);
        free(work);
        if (!ok) {
            return diag->code;
        }
    }
    return "";
}

/* The same for opening and verifying. */
static inline const char *
verify_code(const Bin *b)
{
    static TikBlobDiag diag;
    TikBlobProof proof;
    return verify_diag(b, &proof, &diag);
}

/* ---- sections ------------------------------------------------------------ */

typedef struct Part {
    uint32_t fourcc, flags, align, record;
    uint8_t *p;
    size_t n;
    size_t skip; /* bytes of the gap before a section that are not part of it */
} Part;

typedef struct Parts {
    Part p[20];
    int n;
    uint32_t minor;
    uint64_t required, optional;
} Parts;

static inline uint32_t
code_of(const char *name)
{
    return get32((const uint8_t *)name);
}

static inline Parts
take_apart(const Bin *b)
{
    Parts s = {.n = (int)get32(b->p + 24), .minor = 0};
    for (int i = 0; i < s.n; i++) {
        const uint8_t *e = b->p + HEADER_BYTES + ENTRY_BYTES * i;
        Part *q = &s.p[i];
        *q = (Part){get32(e), get16(e + 4),          e[6], get32(e + 24),
                    NULL,     (size_t)get64(e + 16), 0};
        q->p = malloc(q->n + 1);
        memcpy(q->p, b->p + get64(e + 8), q->n);
    }
    return s;
}

static inline Part *
part(Parts *s, const char *name)
{
    for (int i = 0; i < s->n; i++) {
        if (s->p[i].fourcc == code_of(name)) {
            return &s->p[i];
        }
    }
    fail_msg("no section %s", name);
    return NULL;
}

static inline void
resize(Part *q, size_t n)
{
    q->p = realloc(q->p, n + 1);
    if (n > q->n) {
        memset(q->p + q->n, 0, n - q->n);
    }
    q->n = n;
}

static inline void
insert_part(Parts *s, int at, Part q)
{
    memmove(&s->p[at + 1], &s->p[at], sizeof s->p[0] * (size_t)(s->n - at));
    s->p[at] = q;
    s->n++;
}

static inline void
remove_part(Parts *s, const char *name)
{
    Part *q = part(s, name);
    free(q->p);
    memmove(q, q + 1, sizeof *q * (size_t)(&s->p[s->n] - q - 1));
    s->n--;
}

/* Lays the sections out again, corrects the checksums and frees the parts. */
static inline Bin
put_together(Parts *s)
{
    size_t size = HEADER_BYTES + ENTRY_BYTES * (size_t)s->n;
    for (int i = 0; i < s->n; i++) {
        size += s->p[i].n + s->p[i].skip + 4096;
    }
    Bin b = {calloc(1, size), HEADER_BYTES + ENTRY_BYTES * (size_t)s->n};
    static const uint8_t magic[8] = {0x89, 'T', 'K', 'B', 13, 10, 26, 10};
    memcpy(b.p, magic, 8);
    for (int i = 0; i < s->n; i++) {
        Part *q = &s->p[i];
        size_t align = (size_t)1 << q->align;
        uint8_t *e = b.p + HEADER_BYTES + ENTRY_BYTES * i;
        b.n = (b.n + align - 1) / align * align + q->skip;
        put32(e, q->fourcc);
        put16(e + 4, q->flags);
        e[6] = (uint8_t)q->align;
        put64(e + 8, b.n);
        put64(e + 16, q->n);
        put32(e + 24, q->record);
        memcpy(b.p + b.n, q->p, q->n);
        if (q->fourcc == code_of("TARG")) {
            put32(b.p + 32, get32(q->p + 24));
        }
        b.n += q->n;
        free(q->p);
    }
    put16(b.p + 8, TIKBLOB_MAJOR);
    put16(b.p + 10, s->minor);
    put32(b.p + 12, HEADER_BYTES);
    put64(b.p + 16, b.n);
    put32(b.p + 24, (uint32_t)s->n);
    put32(b.p + 28, HEADER_BYTES);
    put64(b.p + 40, s->required);
    put64(b.p + 48, s->optional);
    tikblob_update_checksums(b.p, b.n);
    return b;
}

/* Returns the bytes of a section inside a blob. */
static inline uint8_t *
section(const Bin *b, const char *name)
{
    for (uint32_t i = 0; i < get32(b->p + 24); i++) {
        const uint8_t *e = b->p + HEADER_BYTES + ENTRY_BYTES * i;
        if (get32(e) == code_of(name)) {
            return b->p + get64(e + 8);
        }
    }
    fail_msg("no section %s", name);
    return NULL;
}

/* Returns a descriptor of the first kernel by its index. */
static inline uint8_t *
descriptor(const Bin *b, int index)
{
    uint8_t *p = section(b, "CODE");
    while (index-- > 0) {
        p += SLOT_BYTES * p[0];
    }
    return p;
}

#endif
