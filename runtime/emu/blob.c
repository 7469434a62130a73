/* blob.c: tik_emulate runs a kernel of a blob. It opens the container, fetches the
 * kernel's tables, translates its descriptors one by one and runs them. It does not
 * verify: callers that take blobs from elsewhere call tikblob_verify first, to refuse
 * before anything runs. A fault of an unverified blob ends here as an error all the
 * same. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/emu.h"
#include "support/bind.h"
#include "support/error.h"

typedef struct Front {
    const TikBlob *blob;
    int kernel;
    TikBlobKernel info;
    TikError *err;
    const TikEmuOptions *options; /* null: none */
    uint32_t first_name, nnames;  /* the kernel's records of NAME */
} Front;

static bool
refuse(const Front *f, const TikBlobDiag *diag)
{
    char text[400];
    tikblob_explain(f->blob, f->kernel, diag, text, sizeof text);
    return launch_error(f->err, TIK_ERR_BLOB, "blob", "%s: %s", diag->code, text);
}

static void
place_text(const Front *f, uint32_t descriptor, char *out, size_t size)
{
    const char *file;
    uint32_t line, column;
    out[0] = 0;
    if (tikblob_place(f->blob, f->kernel, descriptor, &file, &line, &column)) {
        snprintf(out, size, "%s:%" PRIu32 ":%" PRIu32, file, line, column);
    }
}

static void
put_place(const Front *f, uint32_t descriptor)
{
    if (f->err != NULL) {
        place_text(f, descriptor, f->err->place, sizeof f->err->place);
        f->err->frame = tikblob_frame_of(f->blob, f->kernel, descriptor);
    }
}

static void
watched(void *ctx, uint32_t descriptor, Rule rule, const char *text)
{
    const Front *f = ctx;
    char place[200];
    place_text(f, descriptor, place, sizeof place);
    f->options->warn(f->options->ctx, rule_table[rule].name, text, place);
}

/* Makes an error of a result. It always returns false. */
static bool
report(const Front *f, const EmuResult *res)
{
    switch (res->status) {
    case EMU_OK:
        break;
    case EMU_FAULT:
        launch_error(f->err, TIK_ERR_FAULT, rule_table[res->fault.rule].name, "%s",
                     res->fault.text);
        if (f->err != NULL) {
            memcpy(f->err->where, res->where, sizeof res->where);
        }
        break;
    case EMU_MALFORMED:
        launch_error(f->err, TIK_ERR_BLOB, "blob", "%s", res->fault.text);
        break;
    case EMU_STEPS:
        launch_error(f->err, TIK_ERR_BLOB, "blob",
                     "the kernel runs more steps than the %" PRIu64 " that it declares",
                     f->info.step_bound);
        break;
    case EMU_NO_MEMORY:
        launch_error(f->err, TIK_ERR_IO, "limit-memory",
                     "not enough memory to run the kernel");
        return false;
    }
    put_place(f, res->descriptor);
    return false;
}

/* Makes the arguments that a launcher binds. */
static TikParam *
params_of(const Front *f)
{
    TikParam *params = calloc((size_t)f->info.nargs + 1, sizeof *params);
    for (uint32_t i = 0; params != NULL && i < f->info.nargs; i++) {
        TikBlobArg arg;
        tikblob_arg(f->blob, &f->info, (int)i, &arg);
        params[i] = (TikParam){.name = arg.name,
                               .dtype = arg.dtype,
                               .role = arg.role,
                               .elems = arg.elems,
                               .preset = arg.preset,
                               .preset_value = arg.preset_value,
                               .open = arg.open};
    }
    return params;
}

static bool
translate(const Front *f, EmuProgram *p, EmuResult *res)
{
    TikCursor cursor;
    TikDesc *d = calloc(1, sizeof *d);
    if (d == NULL) {
        *res = (EmuResult){.status = EMU_NO_MEMORY};
        return report(f, res);
    }
    TikBlobDiag diag;
    tikblob_cursor(&cursor, f->blob, f->kernel);
    int more;
    bool ok = true;
    while (ok && (more = tikblob_next(&cursor, d, &diag)) > 0) {
        ok = emu_add(p, d, res);
    }
    free(d);
    if (!ok) {
        return report(f, res);
    }
    if (more < 0) {
        return refuse(f, &diag);
    }
    return emu_finish(p, res) || report(f, res);
}

static bool
run_kernel(const Front *f, const TikBlobRegion *regions, TikArray *const *args,
           const Bound *bound, const TikBlobName *names)
{
    EmuKernel k = {.soc = f->blob->soc,
                   .choices = f->blob->choices,
                   .regions = regions,
                   .nregions = f->info.nregions,
                   .args = args,
                   .bound = bound->args,
                   .nargs = f->info.nargs,
                   .nregs = f->info.nregs,
                   .nloops = f->info.nloops,
                   .cores = f->info.cores,
                   .flags = f->info.flags,
                   .step_bound = f->info.step_bound,
                   .names = names,
                   .nnames = f->nnames};
    EmuWatch watch = {.fill = 0};
    if (f->options != NULL) {
        watch = (EmuWatch){.fill = f->options->lmem_fill,
                           .lmem = f->options->lmem,
                           .warn = f->options->warn != NULL ? watched : NULL,
                           .ctx = (void *)(uintptr_t)f,
                           .schedule = f->options->schedule,
                           .shadow = f->options->check,
                           .defined = f->options->defined,
                           .profile = f->options->profile};
        k.watch = &watch;
    }
    EmuResult res;
    EmuProgram *p = emu_new(&k, &res);
    if (p == NULL) {
        return report(f, &res);
    }
    bool ok = translate(f, p, &res) && (emu_run(p, &res) || report(f, &res));
    emu_free(p);
    return ok;
}

static bool
run_regions(const Front *f, TikArray *const *args, const Bound *bound)
{
    TikBlobRegion *regions = calloc((size_t)f->info.nregions + 1, sizeof *regions);
    TikBlobName *names = calloc((size_t)f->nnames + 1, sizeof *names);
    if (regions == NULL || names == NULL) {
        free(regions);
        free(names);
        return launch_error(f->err, TIK_ERR_IO, "limit-memory",
                            "not enough memory to run the kernel");
    }
    for (uint32_t i = 0; i < f->info.nregions; i++) {
        tikblob_region(f->blob, &f->info, (int)i, &regions[i]);
    }
    for (uint32_t i = 0; i < f->nnames; i++) {
        tikblob_name(f->blob, f->kernel, f->first_name + i, &names[i]);
    }
    bool ok = run_kernel(f, regions, args, bound, names);
    free(names);
    free(regions);
    return ok;
}

static bool
run_bound(const Front *f, TikArray *const *args)
{
    Bound bound;
    TikParam *params = params_of(f);
    if (params == NULL) {
        return launch_error(f->err, TIK_ERR_IO, "limit-memory",
                            "not enough memory to run the kernel");
    }
    bool ok = bound_init(&bound, params, (int)f->info.nargs, args, f->err) &&
              run_regions(f, bound.arrays, &bound);
    bound_end(&bound);
    free(params);
    return ok;
}

_Static_assert((int)TIK_QUEUES == (int)PIPE_COUNT, "pipe.def has other rows");
_Static_assert((int)TIK_MEMORIES == (int)SC_COUNT, "scope.def has other rows");

const char *
tikrt_queue_name(int queue)
{
    return queue >= 0 && queue < PIPE_COUNT ? pipe_name((Pipe)queue) : NULL;
}

const char *
tikrt_memory_name(int memory)
{
    return memory >= 0 && memory < SC_COUNT ? scope_name((Scope)memory) : NULL;
}

bool
tik_emulate(const uint8_t *bytes, size_t size, int kernel, TikArray *const *args,
            TikError *err)
{
    return tik_emulate_watched(bytes, size, kernel, args, NULL, err);
}

bool
tik_emulate_watched(const uint8_t *bytes, size_t size, int kernel, TikArray *const *args,
                    const TikEmuOptions *options, TikError *err)
{
    TikBlob blob;
    TikBlobDiag diag;
    Front f = {.blob = &blob, .kernel = kernel, .err = err, .options = options};
    if (!tikblob_open(&blob, bytes, size, &diag)) {
        return launch_error(err, TIK_ERR_BLOB, "blob",
                            "the blob is refused: %s at byte %" PRIu64, diag.code,
                            diag.offset);
    }
    if (kernel < 0 || kernel >= blob.nkernels) {
        return launch_error(err, TIK_ERR_USAGE, "usage", "the blob has no kernel %d",
                            kernel);
    }
    tikblob_kernel(&blob, kernel, &f.info);
    tikblob_names(&blob, kernel, &f.first_name, &f.nnames);
    return run_bound(&f, args);
}
