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
    PeerRun *peers;               /* what shares the cores; null: nobody does */
} Front;

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
watched(void *ctx, uint32_t core, uint32_t descriptor, Rule rule, const char *text)
{
    const Front *f = ctx;
    char place[200];
    place_text(f, descriptor, place, sizeof place);
    if (f->peers != NULL) {
        peers_warn(f->peers, core, rule_table[rule].name, text, place);
        return;
    }
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
    bool ok = true;
    tikblob_cursor(&cursor, f->blob, f->kernel);
    /* a blob that has been opened has well-formed descriptors only */
    while (ok && tikblob_next(&cursor, d, &diag) > 0) {
        ok = emu_add(p, d, res);
    }
    free(d);
    return (ok && emu_finish(p, res)) || report(f, res);
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
                           .peers = f->peers,
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

/* ---- several processes --------------------------------------------------- */

/* Returns the barrier of cores in a kernel, if it has one. */
static bool
has_barrier(const Front *f)
{
    TikCursor cursor;
    TikBlobDiag diag;
    TikDesc *d = calloc(1, sizeof *d);
    bool found = false;
    tikblob_cursor(&cursor, f->blob, f->kernel);
    while (d != NULL && !found && tikblob_next(&cursor, d, &diag) > 0) {
        found = d->kind == DESC_INSTR && d->op == OP_BLOCK_BARRIER;
    }
    found = found || d == NULL;
    free(d);
    return found;
}

/* Returns why the cores cannot be shared; null if they can. */
static const char *
why_alone(const Front *f)
{
    const TikEmuOptions *o = f->options;
    return o->check || o->lmem != NULL || o->schedule != 0 ? "the mode looks at all cores"
           : o->profile != NULL && o->profile->event != NULL
               ? "the mode looks at each instruction"
           : (f->info.flags & TIKBLOB_ORDERED) != 0
               ? "its cores may access the same bytes"
           : has_barrier(f) ? "its cores wait for each other"
                            : NULL;
}

/* Forgets what was counted. */
static void
clear_profile(TikProfile *p)
{
    if (p != NULL) {
        *p = (TikProfile){.event = p->event, .ctx = p->ctx, .mhz = p->mhz};
    }
}

/* Runs the cores of this process, and on rank 0 all of them if some process failed. */
static bool
run_shared(Front *f, const TikParam *params, const Bound *bound)
{
    const TikEmuOptions *o = f->options;
    TikPeers *peers = o->peers;
    f->peers = peers_begin(peers, bound, params, (int)f->info.nargs);
    if (f->peers == NULL) {
        peers_fail(peers);
        return peers->rank != 0 || run_regions(f, bound->arrays, bound);
    }
    peers_profile(f->peers, o->profile);
    bool ok = run_regions(f, bound->arrays, bound);
    bool again = peers_end(f->peers, ok, o->warn, o->ctx) == PEERS_AGAIN;
    peers_free(f->peers);
    f->peers = NULL;
    if (again) {
        clear_profile(o->profile);
    }
    if (again && !run_regions(f, bound->arrays, bound)) {
        return false;
    }
    peers->alone = again ? peers_again : NULL;
    return true;
}

/* Runs the kernel as one of several processes. Only rank 0 has an error. */
static bool
run_among(Front *f, const TikParam *params, TikArray *const *args, Bound *bound)
{
    TikError *err = f->err, dropped;
    TikPeers *peers = f->options->peers;
    f->err = peers->rank == 0 ? err : &dropped;
    peers->alone = why_alone(f);
    if (peers->alone != NULL && peers->rank != 0) {
        return true;
    }
    bool ok = bound_init(bound, params, (int)f->info.nargs, args, f->err);
    if (peers->alone != NULL) {
        return ok && run_regions(f, bound->arrays, bound);
    }
    if (!ok) {
        peers_fail(peers);
    }
    return (ok && run_shared(f, params, bound)) || peers->rank != 0;
}

static bool
run_bound(Front *f, TikArray *const *args)
{
    Bound bound = {NULL};
    TikParam *params = params_of(f);
    bool among =
        f->options != NULL && f->options->peers != NULL && f->options->peers->ranks > 1;
    if (params == NULL) {
        if (among) {
            peers_fail(f->options->peers);
        }
        return launch_error(f->err, TIK_ERR_IO, "limit-memory",
                            "not enough memory to run the kernel");
    }
    bool ok = among ? run_among(f, params, args, &bound)
                    : bound_init(&bound, params, (int)f->info.nargs, args, f->err) &&
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
