/* call.c: the calls of the source's functions that led to descriptors, section CALL. A
 * frame is a call and the frame that it was made from. Descriptors of all kernels share
 * frames; runs say which frame each descriptor belongs to.
 *
 *   n       u32
 *   frames  n records: depth, parent (number from 1; 0: the top level), callee, file,
 *           line, column; u32 each
 *   runs    varints as in LINE, kernel by kernel: number of descriptors, number of
 *           their frame or 0
 *
 * Frames are sorted by these six fields and differ. So a parent comes before its
 * children, there are no cycles, and equal programs have equal tables; the depth bounds
 * every walk.
 *
 * It is freestanding and owns the rules call-frame and call-run. */
#include "blob/blob.h"

/* The following functions read the table of frames. */
static uint32_t
frame_count(const TikBlob *b)
{
    const TikBlobSection *s = blob_section(b, SEC_CALL);
    return s == NULL ? 0 : get32(b->bytes + s->offset);
}

static const uint8_t *
frame_at(const TikBlob *b, uint32_t number)
{
    return b->bytes + blob_section(b, SEC_CALL)->offset + CALL_HEAD +
           (uint64_t)(number - 1) * FRAME_BYTES;
}

static bool
comes_before(const uint8_t *a, const uint8_t *b)
{
    for (int i = 0; i < FRAME_BYTES; i += 4) {
        if (get32(a + i) != get32(b + i)) {
            return get32(a + i) < get32(b + i);
        }
    }
    return false;
}

static const uint8_t *
text_of(const TikBlob *b, uint32_t at)
{
    const TikBlobSection *s = blob_section(b, SEC_STRS);
    const uint8_t *p = b->bytes + s->offset;
    return at < s->size && (at == 0 || p[at - 1] == 0) ? p + at : NULL;
}

static bool
is_frame(const TikBlob *b, uint32_t number)
{
    const uint8_t *p = frame_at(b, number);
    uint32_t depth = get32(p);
    uint32_t parent = get32(p + 4);
    const uint8_t *callee = text_of(b, get32(p + 8));
    const uint8_t *file = text_of(b, get32(p + 12));
    uint32_t below = parent > 0 && parent < number ? get32(frame_at(b, parent)) : 0;
    return parent < number && depth == below + 1 && depth <= TIKBLOB_MAX_CALLS &&
           callee != NULL && *callee != 0 && file != NULL &&
           (*file != 0 || (get32(p + 16) == 0 && get32(p + 20) == 0)) &&
           (number == 1 || comes_before(frame_at(b, number - 1), p));
}

static bool
check_frames(const TikBlob *b, TikBlobDiag *diag)
{
    const TikBlobSection *s = blob_section(b, SEC_CALL);
    if (s->size < CALL_HEAD || frame_count(b) == 0 ||
        (uint64_t)frame_count(b) * FRAME_BYTES > s->size - CALL_HEAD) {
        return blob_bad(diag, BLOB_CALL_FRAME, SEC_CALL, s->offset);
    }
    for (uint32_t i = 1; i <= frame_count(b); i++) {
        if (!is_frame(b, i)) {
            uint64_t where = (uint64_t)(frame_at(b, i) - b->bytes);
            return blob_bad(diag, BLOB_CALL_FRAME, SEC_CALL, where);
        }
    }
    return true;
}

/* ---- runs ---------------------------------------------------------------- */

RunReader
blob_runs(const TikBlob *b)
{
    const TikBlobSection *s = blob_section(b, SEC_CALL);
    if (s == NULL) {
        return (RunReader){.p = b->bytes, .end = b->bytes};
    }
    return (RunReader){.p = frame_at(b, frame_count(b) + 1),
                       .end = b->bytes + s->offset + s->size};
}

bool
blob_run_next(RunReader *r)
{
    uint64_t frame;
    if (!blob_varint(&r->p, r->end, &r->n) || !blob_varint(&r->p, r->end, &frame) ||
        frame > UINT32_MAX) {
        return false;
    }
    r->frame = (uint32_t)frame;
    return true;
}

/* Checks that runs cover the kernel's descriptors and that each is as long as
 * possible. */
static bool
check_kernel(const TikBlob *b, int kernel, RunReader *r, TikBlobDiag *diag)
{
    uint64_t left = get32(blob_record(b, SEC_KERN, (uint64_t)kernel) + 12);
    uint64_t last = UINT64_MAX;
    while (left > 0) {
        uint64_t where = (uint64_t)(r->p - b->bytes);
        if (!blob_run_next(r) || r->n == 0 || r->n > left || r->frame > frame_count(b) ||
            r->frame == last) {
            return blob_bad(diag, BLOB_CALL_RUN, SEC_CALL, where);
        }
        left -= r->n;
        last = r->frame;
    }
    return true;
}

/* ---- every frame is used ------------------------------------------------- */

enum {
/* frames that a walk over the uses covers; a lean loader has less stack */
#ifdef TIK_LEAN
    WINDOW = 1024
#else
    WINDOW = 1 << 17
#endif
};

static void
mark(uint8_t seen[WINDOW / 8], uint32_t first, uint32_t number)
{
    if (number >= first && number - first < WINDOW) {
        seen[(number - first) / 8] |= (uint8_t)(1 << ((number - first) % 8));
    }
}

/* Marks the frames from first on that a run or another frame uses. */
static void
mark_uses(const TikBlob *b, uint8_t seen[WINDOW / 8], uint32_t first)
{
    for (uint32_t i = 1; i <= frame_count(b); i++) {
        mark(seen, first, get32(frame_at(b, i) + 4));
    }
    for (RunReader r = blob_runs(b); r.p < r.end && blob_run_next(&r);) {
        mark(seen, first, r.frame);
    }
}

static bool
check_used(const TikBlob *b, TikBlobDiag *diag)
{
    uint32_t n = frame_count(b);
    for (uint64_t first = 1; first <= n; first += WINDOW) {
        uint8_t seen[WINDOW / 8] = {0};
        mark_uses(b, seen, (uint32_t)first);
        for (uint64_t i = first; i <= n && i - first < WINDOW; i++) {
            if (!(seen[(i - first) / 8] >> ((i - first) % 8) & 1)) {
                uint64_t where = (uint64_t)(frame_at(b, (uint32_t)i) - b->bytes);
                return blob_bad(diag, BLOB_CALL_FRAME, SEC_CALL, where);
            }
        }
    }
    return true;
}

bool
blob_check_calls(const TikBlob *b, TikBlobDiag *diag)
{
    if (blob_section(b, SEC_CALL) == NULL) {
        return true;
    }
    if (!check_frames(b, diag)) {
        return false;
    }
    RunReader r = blob_runs(b);
    for (int k = 0; k < b->nkernels; k++) {
        if (!check_kernel(b, k, &r, diag)) {
            return false;
        }
    }
    if (r.p != r.end) {
        return blob_bad(diag, BLOB_CALL_RUN, SEC_CALL, (uint64_t)(r.p - b->bytes));
    }
    return check_used(b, diag);
}

/* ---- readers ------------------------------------------------------------- */

uint32_t
tikblob_frames(const TikBlob *b)
{
    return frame_count(b);
}

void
tikblob_frame(const TikBlob *b, uint32_t number, TikBlobFrame *out)
{
    const uint8_t *p = frame_at(b, number);
    const char *texts = (const char *)blob_bytes(b, SEC_STRS);
    *out = (TikBlobFrame){.parent = get32(p + 4),
                          .callee = texts + get32(p + 8),
                          .file = texts + get32(p + 12),
                          .line = get32(p + 16),
                          .column = get32(p + 20)};
}

uint32_t
tikblob_frame_of(const TikBlob *b, int kernel, uint32_t descriptor)
{
    uint64_t at = descriptor; /* index over all kernels */
    for (int k = 0; k < kernel; k++) {
        at += get32(blob_record(b, SEC_KERN, (uint64_t)k) + 12);
    }
    for (RunReader r = blob_runs(b); blob_run_next(&r); at -= r.n) {
        if (at < r.n) {
            return r.frame;
        }
    }
    return 0;
}
