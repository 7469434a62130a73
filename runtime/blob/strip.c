/* strip.c: tikblob_strip writes a blob again without the sections that a device does not
 * need: LINE, NAME, CALL and META. Since the strings of these sections leave STRS too,
 * and references are offsets in STRS, the blob is walked with the cursor and goes through
 * the writer; what a kernel executes stays the same. It is hosted. */
#include "blob/writer.h"

#include <stdlib.h>

/* Everything of one kernel that the writer takes. */
typedef struct Parts {
    TikBlobArg *args;
    TikBlobRegion *regions;
    TikDesc *desc;
} Parts;

static bool
parts_new(Parts *p, const TikBlobKernel *k)
{
    p->args = calloc((size_t)k->nargs + 1, sizeof *p->args);
    p->regions = calloc((size_t)k->nregions + 1, sizeof *p->regions);
    p->desc = calloc(1, sizeof *p->desc);
    return p->args != NULL && p->regions != NULL && p->desc != NULL;
}

static void
parts_free(Parts *p)
{
    free(p->args);
    free(p->regions);
    free(p->desc);
}

static bool
copy_code(TikBlobWriter *w, const TikBlob *b, int kernel, TikDesc *d, TikBlobDiag *diag)
{
    TikCursor c;
    char error[200];
    int more;
    tikblob_cursor(&c, b, kernel);
    while ((more = tikblob_next(&c, d, diag)) > 0) {
        if (!tikblob_emit(w, d, NULL, 0, 0, error, sizeof error)) {
            return blob_bad(diag, BLOB_DESC_FIELD, SEC_CODE, d->offset);
        }
    }
    return more == 0;
}

static bool
copy_kernel(TikBlobWriter *w, const TikBlob *b, int kernel, TikBlobDiag *diag)
{
    TikBlobKernel k;
    Parts p;
    tikblob_kernel(b, kernel, &k);
    bool ok = parts_new(&p, &k);
    if (ok) {
        for (uint32_t i = 0; i < k.nargs; i++) {
            tikblob_arg(b, &k, (int)i, &p.args[i]);
        }
        for (uint32_t i = 0; i < k.nregions; i++) {
            tikblob_region(b, &k, (int)i, &p.regions[i]);
        }
        TikBlobKernelInfo info = {.name = k.name,
                                  .cores = k.cores,
                                  .flags = k.flags,
                                  .args = p.args,
                                  .nargs = (int)k.nargs,
                                  .regions = p.regions,
                                  .nregions = (int)k.nregions,
                                  .step_bound = k.step_bound};
        for (int i = 0; i < SC_COUNT; i++) {
            info.peak[i] = k.peak[i];
        }
        tikblob_begin_kernel(w, &info);
        ok = copy_code(w, b, kernel, p.desc, diag);
        tikblob_end_kernel(w);
    }
    parts_free(&p);
    return ok;
}

bool
tikblob_strip(const uint8_t *bytes, size_t size, uint8_t **out, size_t *out_size,
              TikBlobDiag *diag)
{
    TikBlob b;
    *out = NULL;
    if (!tikblob_open(&b, bytes, size, diag) || !tikblob_identify(&b, diag) ||
        !blob_is_plain(&b, diag)) {
        return false;
    }
    blob_no_memory(diag);
    TikBlobWriter *w = tikblob_writer_new(b.soc);
    bool ok = w != NULL;
    if (ok) {
        tikblob_choices(w, &b.choices);
    }
    for (int i = 0; i < b.nkernels && ok; i++) {
        ok = copy_kernel(w, &b, i, diag);
    }
    ok = ok && tikblob_finish(w, NULL, out, out_size);
    tikblob_writer_free(w);
    return ok;
}
