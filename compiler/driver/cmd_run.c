/* cmd_run.c: tikc run: a kernel on arrays. The steps: find the kernel and its parameters (from source
 * or blob), load the inputs, run on one back end, write the outputs. Nothing is written unless the
 * run succeeds. */
#include "driver/driver.h"
#include "host/host.h"
#include "tikblob.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What runs: parameters of the kernel, and one of the two forms. */
typedef struct Job {
    TikParam *params;
    int nparams;
    Kernel *kernel; /* host back end */
    const uint8_t *blob;
    size_t blob_size;
    int blob_kernel;
    TikArray *arrays; /* by parameter */
    TikArray **pointers;
} Job;

static void
set_error(TikError *err, TikErrorKind kind, const char *name, const char *text)
{
    memset(err, 0, sizeof *err);
    err->kind = kind;
    snprintf(err->name, sizeof err->name, "%s", name);
    snprintf(err->text, sizeof err->text, "%s", text);
}

/* ---- parameters ---- */

static TikParam
param_of_buffer(const Kernel *k, const Buffer *b)
{
    TikParam p = {0};
    p.name = sym_text(&k->unit->names, b->name);
    p.dtype = b->dtype;
    p.role = b->role == BUF_IN ? 0 : b->role == BUF_OUT ? 1 : 2;
    p.elems = b->elems;
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
    for (int i = 0; i < job->nparams; i++) {
        job->params[i] = param_of_buffer(k, &k->bufs.p[k->params.p[i]]);
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
        TikParam p = {a.name, a.dtype, a.role, a.elems, a.ndim, {0}};
        memcpy(p.shape, a.shape, sizeof p.shape);
        job->params[i] = p;
    }
}

static int
find_param(const Job *job, const char *name)
{
    for (int i = 0; i < job->nparams; i++) {
        if (strcmp(job->params[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* ---- finding the kernel ---- */

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
    return blob_verify(c, &b, job->blob_kernel, &proof);
}

static bool
prepare_source(Cmd *c, Job *job, const char *text, size_t size, bool emulate)
{
    TRY(compile_text(c, c->files.p[0], text, size));
    Kernel *k = tikc_pick_kernel(&c->unit, c->kernel);
    TRY(k != NULL);
    job->kernel = k;
    params_of_kernel(c, job, k);
    if (emulate) {
        TRY(tikc_blob(&c->unit, &k, 1, &job->blob, &job->blob_size));
        job->kernel = NULL;
    }
    return true;
}

/* The first bytes decide whether the file is a blob. */
static bool
prepare(Cmd *c, Job *job)
{
    const char *backend = c->backend;
    if (backend && strcmp(backend, "host") != 0 && strcmp(backend, "emu") != 0) {
        return options_wrong(c, "--backend is host or emu");
    }
    const char *path = c->files.p[0];
    bool emulate = backend && strcmp(backend, "emu") == 0;
    char *bytes;
    size_t size;
    TRY(io_read(&c->unit, path, &bytes, &size));
    if (!io_is_blob(bytes, size)) {
        return prepare_source(c, job, bytes, size, emulate);
    }
    if (backend && !emulate) {
        return options_wrong(c, "a blob runs on the emulator: --backend emu");
    }
    if (c->unit.opt.soc || c->unit.opt.call || c->unit.opt.defines.n || c->print_after) {
        return options_wrong(
            c, "a blob is compiled: --soc, --call, -D and --print-after are for sources");
    }
    job->blob = (uint8_t *)bytes;
    job->blob_size = size;
    return open_blob(c, job);
}

/* ---- arrays ---- */

static bool
no_tensor(Cmd *c, const Job *job, const char *option, const char *name)
{
    Diag *d =
        diag_add(&c->unit, D_NO_TENSOR, (Span){0}, 0,
                 "%s names '%s'; the kernel has no such global tensor", option, name);
    Text t;
    text_init(&t, &c->unit.arena);
    for (int i = 0; i < job->nparams; i++) {
        text_printf(&t, "%s'%s'", i ? ", " : "", job->params[i].name);
    }
    diag_help(&c->unit, d, "its tensors: %s", t.p);
    return false;
}

/* Names are checked before anything runs. */
/* Two files cannot be one tensor's contents, nor two tensors one file's. */
static bool
check_twice(Cmd *c)
{
    const char *what = NULL;
    for (uint32_t i = 0; i < c->ins.n; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (strcmp(c->ins.p[i].tensor, c->ins.p[j].tensor) == 0) {
                what = arena_printf(&c->unit.arena, "--in gives tensor '%s' twice",
                                    c->ins.p[i].tensor);
            }
        }
    }
    for (uint32_t i = 0; i < c->outs.n; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (strcmp(c->outs.p[i].path, c->outs.p[j].path) == 0) {
                what = arena_printf(&c->unit.arena, "--out writes '%s' twice",
                                    c->outs.p[i].path);
            }
        }
    }
    return !what || options_wrong(c, what);
}

static bool
check_names(Cmd *c, const Job *job)
{
    for (uint32_t i = 0; i < c->ins.n; i++) {
        if (find_param(job, c->ins.p[i].tensor) < 0) {
            return no_tensor(c, job, "--in", c->ins.p[i].tensor);
        }
    }
    for (uint32_t i = 0; i < c->outs.n; i++) {
        if (find_param(job, c->outs.p[i].tensor) < 0) {
            return no_tensor(c, job, "--out", c->outs.p[i].tensor);
        }
    }
    return check_twice(c);
}

/* A kernel may run for long, and all outputs are written or none: what can be known is looked at
 * before. */
static bool
check_outputs(Cmd *c)
{
    for (uint32_t i = 0; i < c->outs.n; i++) {
        TRY(io_can_write(&c->unit, c->outs.p[i].path));
    }
    return true;
}

static const Binding *
find_in(const Cmd *c, const char *name)
{
    for (uint32_t i = 0; i < c->ins.n; i++) {
        if (strcmp(c->ins.p[i].tensor, name) == 0) {
            return &c->ins.p[i];
        }
    }
    return NULL;
}

static bool
load_arrays(Cmd *c, Job *job, TikError *err)
{
    job->arrays = ARENA_ARRAY(&c->unit.arena, TikArray, job->nparams);
    job->pointers = ARENA_ARRAY(&c->unit.arena, TikArray *, job->nparams);
    for (int i = 0; i < job->nparams; i++) {
        const TikParam *p = &job->params[i];
        const Binding *b = find_in(c, p->name);
        TikArray *a = &job->arrays[i];
        job->pointers[i] = a;
        TRY(b ? tik_npy_read(b->path, p->dtype, p->elems, a, err)
              : tik_array_alloc(a, p->dtype, p->elems, err));
        a->ndim = p->ndim;
        memcpy(a->shape, p->shape, sizeof a->shape);
    }
    return true;
}

static bool
write_arrays(Cmd *c, const Job *job, TikError *err)
{
    for (uint32_t i = 0; i < c->outs.n; i++) {
        int p = find_param(job, c->outs.p[i].tensor);
        TRY(tik_npy_write(c->outs.p[i].path, &job->arrays[p], err));
    }
    return true;
}

static void
free_arrays(Job *job)
{
    for (int i = 0; job->arrays && i < job->nparams; i++) {
        tik_array_free(&job->arrays[i]);
    }
}

/* ---- running ---- */

static bool
run_host(Cmd *c, Job *job, TikError *err)
{
    const HostApi *host = host_open(&c->unit);
    HostOptions opt = {(int)c->opt_level, NULL};
    TikKernel entry;
    void *handle;
    if (!host || !host->jit(job->kernel, &opt, &entry, &handle)) {
        set_error(err, TIK_OK, "", "");
        return false; /* the unit has the diagnostic */
    }
    bool ok = tik_launch(&entry, job->pointers, (int)c->threads, err);
    host->release(handle);
    return ok;
}

static bool
run_job(Cmd *c, Job *job, TikError *err)
{
    TRY(load_arrays(c, job, err));
    TRY(job->kernel ? run_host(c, job, err)
                    : tik_emulate(job->blob, job->blob_size, job->blob_kernel,
                                  job->pointers, err));
    return write_arrays(c, job, err);
}

int
cmd_run(Cmd *c)
{
    Job job = {0};
    if (!prepare(c, &job) || !check_names(c, &job) || !check_outputs(c)) {
        int code = report_unit(c);
        return MAX(code, EXIT_FINDINGS);
    }
    TikError err = {0};
    bool ok = run_job(c, &job, &err);
    free_arrays(&job);
    int code = report_unit(c);
    if (!ok && err.kind != TIK_OK) {
        return report_error(c, &err);
    }
    return ok ? code : MAX(code, EXIT_FINDINGS);
}
