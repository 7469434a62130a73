/* job.c: finds the kernel that a command runs, from source or blob, and its
 * parameters. */
#include "driver/job.h"
#include "driver/print.h"

#include <stdio.h>
#include <string.h>

void
job_error(TikError *err, TikErrorKind kind, const char *name, const char *text)
{
    memset(err, 0, sizeof *err);
    err->kind = kind;
    snprintf(err->name, sizeof err->name, "%s", name);
    snprintf(err->text, sizeof err->text, "%s", text);
}

/* ---- parameters ---------------------------------------------------------- */

static TikParam
param_of_buffer(const Kernel *k, const Buffer *b)
{
    TikParam p = {0};
    p.name = sym_text(&k->unit->names, b->name);
    p.dtype = b->dtype;
    p.role = (int)ir_arg_role(b);
    p.preset = b->preset;
    p.preset_value = b->preset_value;
    p.elems = b->elems;
    p.open = b->dynamic;
    p.ndim = (int)MIN(b->shape.n, 8);
    for (int i = 0; i < p.ndim; i++) {
        p.shape[i] = b->shape.p[i];
    }
    return p;
}

static void
params_of_kernel(Cmd *c, Job *job, const Kernel *k)
{
    job->nparams = (int)k->params.n;
    job->params = ARENA_ARRAY(&c->unit.arena, TikParam, job->nparams);
    job->larger = ARENA_ARRAY(&c->unit.arena, bool, job->nparams);
    for (int i = 0; i < job->nparams; i++) {
        const Buffer *b = &k->bufs.p[k->params.p[i]];
        job->params[i] = param_of_buffer(k, b);
        job->larger[i] =
            b->beyond || diag_allowed(&c->unit, D_TENSOR_OVERFLOW, b->span, b->chain);
    }
}

static void
params_of_blob(Cmd *c, Job *job, const TikBlob *b)
{
    TikBlobKernel k;
    tikblob_kernel(b, job->blob_kernel, &k);
    job->nparams = (int)k.nargs;
    job->params = ARENA_ARRAY(&c->unit.arena, TikParam, job->nparams);
    for (int i = 0; i < job->nparams; i++) {
        TikBlobArg a;
        tikblob_arg(b, &k, i, &a);
        TikParam p = {.name = a.name,
                      .dtype = a.dtype,
                      .role = a.role,
                      .elems = a.elems,
                      .ndim = a.ndim,
                      .preset = a.preset,
                      .preset_value = a.preset_value,
                      .open = a.open};
        memcpy(p.shape, a.shape, sizeof p.shape);
        job->params[i] = p;
    }
}

int
job_find_param(const Job *job, const char *name)
{
    for (int i = 0; i < job->nparams; i++) {
        if (strcmp(job->params[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* ---- finding the kernel -------------------------------------------------- */

static bool
pick_blob_kernel(Cmd *c, const TikBlob *b, int *out)
{
    for (int i = 0; i < b->nkernels; i++) {
        TikBlobKernel k;
        tikblob_kernel(b, i, &k);
        if (c->kernel ? strcmp(k.name, c->kernel) == 0 : b->nkernels == 1) {
            *out = i;
            return true;
        }
    }
    Diag *d;
    if (c->kernel) {
        d = diag_add(&c->unit, D_KERNEL_CHOICE, (Span){0}, 0, "there is no kernel '%s'",
                     c->kernel);
    } else {
        d = diag_add(&c->unit, D_KERNEL_CHOICE, (Span){0}, 0, "the blob holds %d kernels",
                     b->nkernels);
    }
    for (int i = 0; i < b->nkernels; i++) {
        TikBlobKernel k;
        tikblob_kernel(b, i, &k);
        diag_note(&c->unit, d, (Span){0}, "kernel '%s'", k.name);
    }
    return false;
}

static bool
open_blob(Cmd *c, Job *job)
{
    TikBlob b;
    TikBlobDiag diag;
    if (!tikblob_open(&b, job->blob, job->blob_size, &diag)) {
        return blob_refused(c, NULL, 0, &diag);
    }
    TRY(pick_blob_kernel(c, &b, &job->blob_kernel));
    params_of_blob(c, job, &b);
    /* The emulator runs only what the verifier accepts. */
    TikBlobProof proof;
    return blob_verify(c, &b, job->blob_kernel, &proof, &diag) ||
           blob_refused(c, &b, job->blob_kernel, &diag);
}

static bool
prepare_source(Cmd *c, Job *job, const char *text, size_t size, bool emulate)
{
    TRY(compile_text(c, c->files.p[0], text, size));
    Kernel *k = tikc_pick_kernel(&c->unit, c->kernel);
    TRY(k != NULL);
    job->kernel = k;
    job->prints = k->prints.n ? k : NULL;
    params_of_kernel(c, job, k);
    TRY(print_check(c));
    if (emulate) {
        TRY(tikc_blob(&c->unit, &k, 1, &job->blob, &job->blob_size));
        job->kernel = NULL;
    }
    return true;
}

enum {
    SCHEDULES = 64 /* of --mode explore without --schedules */
};

/* Checks the options of --mode explore. A program is compiled for its queues then. */
static bool
check_explore(Cmd *c)
{
    bool explore = c->run_mode && strcmp(c->run_mode, "explore") == 0;
    if (!explore) {
        return (c->schedules == 0 && c->seed == 0) ||
               options_wrong(c, "--schedules and --seed are for --mode explore");
    }
    c->schedules = c->schedules > 0 ? c->schedules : SCHEDULES;
    c->unit.opt.sync = c->unit.opt.sync ? c->unit.opt.sync : "auto";
    return true;
}

/* Reads --sanitize, which is a run of mode check. */
static bool
check_sanitize(Cmd *c)
{
    static const struct {
        const char *name;
        unsigned bit;
    } known[] = {{"uninit", SANITIZE_UNINIT}, {"race", SANITIZE_RACE}};
    const char *s = c->sanitize ? c->sanitize : "";
    while (*s) {
        size_t n = strcspn(s, ",");
        unsigned bit = 0;
        for (size_t i = 0; i < ARRAY_LEN(known); i++) {
            bool is = strlen(known[i].name) == n && strncmp(s, known[i].name, n) == 0;
            bit = is ? known[i].bit : bit;
        }
        if (bit == 0) {
            return options_wrong(c, arena_printf(&c->unit.arena,
                                                 "--sanitize takes uninit and race, not "
                                                 "'%.*s'",
                                                 (int)n, s));
        }
        c->sanitizers |= bit;
        s += n + (s[n] == ',');
    }
    if (c->sanitizers && c->run_mode && strcmp(c->run_mode, "check") != 0) {
        return options_wrong(c, "--sanitize is a part of --mode check: leave --mode out");
    }
    c->run_mode = c->sanitizers ? "check" : c->run_mode;
    return true;
}

/* The first bytes of a file decide whether it is a blob. */
bool
job_prepare(Cmd *c, Job *job)
{
    const char *backend = c->backend;
    if (backend && strcmp(backend, "host") != 0 && strcmp(backend, "emu") != 0) {
        return options_wrong(c, "--backend is host or emu");
    }
    TRY(check_sanitize(c));
    const char *path = c->files.p[0];
    bool watched = c->run_mode && strcmp(c->run_mode, "fast") != 0;
    if (watched && backend && strcmp(backend, "host") == 0) {
        return options_wrong(
            c, c->sanitize
                   ? "--sanitize needs the emulator, which has a shadow of each byte: "
                     "leave --backend out"
                   : arena_printf(&c->unit.arena,
                                  "--mode %s is for the emulator: leave --backend out",
                                  c->run_mode));
    }
    TRY(check_explore(c));
    if (c->stats && backend && strcmp(backend, "host") == 0) {
        return options_wrong(c, "--stats counts on the emulator: leave --backend out");
    }
    if (c->debug && (watched || c->stats || (backend && strcmp(backend, "emu") == 0))) {
        return options_wrong(c, "--debug is for native code: --backend host");
    }
    bool emulate = watched || c->stats || (backend && strcmp(backend, "emu") == 0);
    char *bytes;
    size_t size;
    TRY(io_read(&c->unit, path, &bytes, &size));
    if (!io_is_blob(bytes, size)) {
        return prepare_source(c, job, bytes, size, emulate);
    }
    if ((backend && !emulate) || c->debug) {
        return options_wrong(c, "a blob runs on the emulator: --backend emu");
    }
    const Options *o = &c->unit.opt;
    if (o->prints.n) {
        return options_wrong(c, "a blob is compiled: --print is for sources");
    }
    if (o->soc || o->call || o->defines.n || choices_or_null(&o->choices) ||
        c->print_after) {
        return options_wrong(c, "a blob is compiled: --soc, --call, --choice, -D and "
                                "--print-after are for sources");
    }
    job->blob = (uint8_t *)bytes;
    job->blob_size = size;
    return open_blob(c, job);
}
