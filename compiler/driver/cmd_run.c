/* cmd_run.c: implements tikc run: it runs a kernel on arrays. The steps are: find the
 * kernel and its parameters (from source or blob), load the inputs, run on one back end,
 * write the outputs. Nothing is written unless the run succeeds. */
#include "driver/profile.h"
#include "host/host.h"
#include "tikblob.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A kernel that is to be run: its parameters, and one of its two forms. */
typedef struct Job {
    TikParam *params;
    int nparams;
    Kernel *kernel; /* for the host back end */
    const uint8_t *blob;
    size_t blob_size;
    int blob_kernel;
    /* by parameter: accesses beyond it are allowed, so an array with room for them is
     * allowed, too */
    bool *larger;
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
    params_of_kernel(c, job, k);
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

/* The first bytes of a file decide whether it is a blob. */
static bool
prepare(Cmd *c, Job *job)
{
    const char *backend = c->backend;
    if (backend && strcmp(backend, "host") != 0 && strcmp(backend, "emu") != 0) {
        return options_wrong(c, "--backend is host or emu");
    }
    const char *path = c->files.p[0];
    bool watched = c->run_mode && strcmp(c->run_mode, "fast") != 0;
    if (watched && backend && strcmp(backend, "host") == 0) {
        return options_wrong(c, arena_printf(&c->unit.arena,
                                             "--mode %s is for the emulator: leave "
                                             "--backend out",
                                             c->run_mode));
    }
    TRY(check_explore(c));
    bool emulate = watched || (backend && strcmp(backend, "emu") == 0);
    char *bytes;
    size_t size;
    TRY(io_read(&c->unit, path, &bytes, &size));
    if (!io_is_blob(bytes, size)) {
        return prepare_source(c, job, bytes, size, emulate);
    }
    if (backend && !emulate) {
        return options_wrong(c, "a blob runs on the emulator: --backend emu");
    }
    const Options *o = &c->unit.opt;
    if (o->soc || o->call || o->defines.n || choices_or_null(&o->choices) ||
        c->print_after) {
        return options_wrong(c, "a blob is compiled: --soc, --call, --choice, -D and "
                                "--print-after are for sources");
    }
    job->blob = (uint8_t *)bytes;
    job->blob_size = size;
    return open_blob(c, job);
}

/* ---- arrays -------------------------------------------------------------- */

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

static const TikParam *
param_named(const Job *job, const char *name)
{
    return &job->params[find_param(job, name)];
}

static bool
is_list(const TikParam *p)
{
    return p->role == (int)ARGROLE_LIST;
}

/* Reports a file that is given for two tensors, and two files for one tensor. Each file
 * of an address list gives one array. */
static bool
check_twice(Cmd *c, const Job *job)
{
    const char *what = NULL;
    for (uint32_t i = 0; i < c->ins.n; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (strcmp(c->ins.p[i].tensor, c->ins.p[j].tensor) == 0 &&
                !is_list(param_named(job, c->ins.p[i].tensor))) {
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

static int64_t
count_of(const Bindings *all, const char *name)
{
    int64_t n = 0;
    for (uint32_t i = 0; i < all->n; i++) {
        n += strcmp(all->p[i].tensor, name) == 0;
    }
    return n;
}

static const Binding *
find_out(const Cmd *c, const char *name)
{
    for (uint32_t i = 0; i < c->outs.n; i++) {
        if (strcmp(c->outs.p[i].tensor, name) == 0) {
            return &c->outs.p[i];
        }
    }
    return NULL;
}

/* Checks that an address list gets all its arrays, in order. */
static bool
check_counts(Cmd *c, const Job *job)
{
    Arena *a = &c->unit.arena;
    for (int i = 0; i < job->nparams; i++) {
        const TikParam *p = &job->params[i];
        int64_t in = count_of(&c->ins, p->name);
        int64_t out = count_of(&c->outs, p->name);
        if (is_list(p) && (in != p->elems || out > p->elems)) {
            return options_wrong(
                c, arena_printf(
                       a,
                       "'%s' is a list of %lld arrays; --in is given %lld times, "
                       "--out %lld times",
                       p->name, (long long)p->elems, (long long)in, (long long)out));
        }
        const Binding *shaped = find_out(c, p->name);
        if (shaped && shaped->ndim > 0 && (!p->open || in > 0)) {
            return options_wrong(
                c,
                arena_printf(a,
                             in > 0 ? "--in gives '%s' its shape"
                                    : "the shape of '%s' is declared; --out takes none",
                             p->name));
        }
    }
    return true;
}

static bool
check_lanes_options(Cmd *c, const Job *job)
{
    const char *given = c->lmem_dump   ? "--lmem-dump"
                        : c->lmem_fill ? "--lmem-fill"
                                       : NULL;
    return !job->kernel || !given ||
           options_wrong(c, arena_printf(&c->unit.arena,
                                         "%s is for the emulator: give --backend emu",
                                         given));
}

/* Checks names, before anything runs. */
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
    return check_twice(c, job) && check_counts(c, job) && check_lanes_options(c, job);
}

/* Checks as far as possible, before the run, that the outputs can be written: a kernel
 * may run for long, and all outputs are written or none. */
static bool
check_outputs(Cmd *c)
{
    for (uint32_t i = 0; i < c->outs.n; i++) {
        TRY(io_can_write(&c->unit, c->outs.p[i].path) &&
            options_spare(c, c->outs.p[i].path));
    }
    return true;
}

/* Returns the index-th file for a tensor, or null. */
static const Binding *
find_in(const Cmd *c, const char *name, int64_t index)
{
    for (uint32_t i = 0; i < c->ins.n; i++) {
        if (strcmp(c->ins.p[i].tensor, name) == 0 && index-- == 0) {
            return &c->ins.p[i];
        }
    }
    return NULL;
}

/* Reports a file whose elements differ from those that the launcher sets in a preset
 * tensor: they would be overwritten. */
static bool
is_preset(Cmd *c, const TikParam *p, const TikArray *a, TikError *err)
{
    size_t size = (size_t)dtype_size(p->dtype);
    bool same = true;
    for (int64_t i = 0; i < a->bytes; i++) {
        uint64_t value = (uint64_t)p->preset_value >> (8 * ((size_t)i % size));
        same = same && a->data[i] == (uint8_t)value;
    }
    if (!same) {
        set_error(
            err, TIK_ERR_USAGE, "usage",
            arena_printf(&c->unit.arena,
                         "--in gives '%s' other contents than its preset, 0x%llx in "
                         "every element",
                         p->name, (unsigned long long)p->preset_value));
    }
    return same;
}

/* Makes an array of the shape that --out gives. */
static bool
make_shaped(const TikParam *p, const Binding *b, TikArray *a, TikError *err)
{
    int64_t elems = 1;
    for (int i = 0; i < b->ndim; i++) {
        elems = checked_mul(elems, b->dim[i], &elems) ? elems : INT64_MAX;
    }
    if (!tik_array_alloc(a, p->dtype, elems, err)) {
        return false;
    }
    a->ndim = b->ndim;
    memcpy(a->shape, b->dim, sizeof a->shape);
    return true;
}

/* Makes the array of a tensor whose size is not declared. It has the size of the file, or
 * the one that --out gives; without both it has no elements. */
static bool
load_open(Cmd *c, const TikParam *p, const Binding *b, TikArray *a, TikError *err)
{
    if (b) {
        return tik_npy_read(b->path, p->dtype, -1, a, err);
    }
    const Binding *out = find_out(c, p->name);
    if (out && out->ndim > 0) {
        return make_shaped(p, out, a, err);
    }
    if (out) {
        set_error(err, TIK_ERR_USAGE, "usage",
                  arena_printf(
                      &c->unit.arena,
                      "the size of '%s' is known only at run time: give %s"
                      "--out %s=%s:SHAPE, as %s:16x32",
                      p->name,
                      p->preset ? "" : "its first contents with --in, or its shape with ",
                      p->name, out->path, out->path));
        return false;
    }
    return tik_array_alloc(a, p->dtype, 0, err);
}

static bool
load_declared(const TikParam *p, const Binding *b, bool larger, TikArray *a,
              TikError *err)
{
    TRY(b ? tik_npy_read(b->path, p->dtype, larger ? -1 : p->elems, a, err)
          : tik_array_alloc(a, p->dtype, p->elems, err));
    if (a->elems > p->elems) {
        return true;
    }
    if (a->elems < p->elems) {
        tik_array_free(a);
        /* fails with the reason */
        return tik_npy_read(b->path, p->dtype, p->elems, a, err);
    }
    a->ndim = p->ndim;
    memcpy(a->shape, p->shape, sizeof a->shape);
    return true;
}

static bool
load_list(Cmd *c, const TikParam *p, TikArray *a, TikError *err)
{
    *a = (TikArray){.dtype = p->dtype, .elems = p->elems};
    a->items = ARENA_ARRAY(&c->unit.arena, TikArray, p->elems);
    for (int64_t i = 0; i < p->elems; i++) {
        TRY(tik_npy_read(find_in(c, p->name, i)->path, DT_NONE, -1, &a->items[i], err));
    }
    return true;
}

static bool
load_arrays(Cmd *c, Job *job, TikError *err)
{
    job->arrays = ARENA_ARRAY(&c->unit.arena, TikArray, job->nparams);
    job->pointers = ARENA_ARRAY(&c->unit.arena, TikArray *, job->nparams);
    for (int i = 0; i < job->nparams; i++) {
        const TikParam *p = &job->params[i];
        const Binding *b = find_in(c, p->name, 0);
        TikArray *a = &job->arrays[i];
        job->pointers[i] = a;
        if (is_list(p)) {
            TRY(load_list(c, p, a, err));
            continue;
        }
        bool larger = job->larger && job->larger[i];
        TRY(p->open ? load_open(c, p, b, a, err) : load_declared(p, b, larger, a, err));
        TRY(!p->preset || !b || is_preset(c, p, a, err));
    }
    return true;
}

static bool
write_arrays(Cmd *c, const Job *job, TikError *err)
{
    int64_t *written = ARENA_ARRAY(&c->unit.arena, int64_t, job->nparams);
    for (uint32_t i = 0; i < c->outs.n; i++) {
        int p = find_param(job, c->outs.p[i].tensor);
        const TikArray *a = &job->arrays[p];
        a = a->items ? &a->items[written[p]++] : a;
        TRY(tik_npy_write(c->outs.p[i].path, a, err));
    }
    return true;
}

static void
free_arrays(Job *job)
{
    for (int i = 0; job->arrays && i < job->nparams; i++) {
        TikArray *a = &job->arrays[i];
        for (int64_t j = 0; a->items && j < a->elems; j++) {
            tik_array_free(&a->items[j]);
        }
        if (!a->items) {
            tik_array_free(a);
        }
    }
}

/* ---- running ------------------------------------------------------------- */

static bool
says(const Diag *d, DiagId id, const char *text)
{
    return d->id == id && strcmp(d->text, text) == 0;
}

/* Returns whether the compiler reported the same of the same bytes, or the user silenced
 * it. */
static bool
is_reported(const Unit *u, DiagId id, const char *text)
{
    bool reported = false;
    for (uint32_t i = 0; i < u->diags.n; i++) {
        reported = reported || says(u->diags.p[i], id, text);
    }
    for (uint32_t i = 0; i < u->silent.n; i++) {
        reported = reported || says(u->silent.p[i], id, text);
    }
    return reported;
}

static bool
wants_check(const Cmd *c)
{
    return c->run_mode && strcmp(c->run_mode, "check") == 0;
}

/* Returns whether a warning is what the mode check looks for. */
static bool
is_check_finding(const Cmd *c, DiagId id)
{
    return wants_check(c) && (id == D_UNINIT || id == D_UNINIT_READ || id == D_PAD_READ ||
                              id == D_CORE_COLLISION);
}

static void
warn_while_running(void *ctx, const char *name, const char *text, const char *place)
{
    Cmd *c = ctx;
    DiagId id = diag_find(name);
    Span span;
    bool known = report_place(&c->unit, place, &span);
    bool silent = known && severity_decide(&c->unit, id, span, 0, false, true).silent;
    if (!silent && !is_reported(&c->unit, id, text)) {
        c->found = c->found || is_check_finding(c, id);
        if (known) {
            diag_add(&c->unit, id, span, 0, "%s", text);
            return;
        }
        diag_add(&c->unit, id, (Span){0}, 0, "%s%s%s", place, *place ? ": " : "", text);
    }
}

/* Finds the calls that led to a fault, from TikKernel.frames. */
static uint32_t
chain_of_kernel(Unit *u, const TikKernel *k, uint32_t frame)
{
    uint32_t n = 0, chain = 0;
    uint32_t *calls = ARENA_ARRAY(&u->arena, uint32_t, k->nframes + 1);
    for (uint32_t f = frame; f; f = k->frames[f - 1].parent) {
        calls[n++] = f;
    }
    while (n > 0) {
        chain = report_call(u, chain, &k->frames[calls[--n] - 1]);
    }
    return chain;
}

/* Finds the calls that led to a fault in a blob, which was verified. */
static uint32_t
chain_of_blob(Unit *u, const Job *job, uint32_t frame)
{
    TikBlob b;
    if (!tikblob_open(&b, job->blob, job->blob_size, NULL)) {
        return 0;
    }
    uint32_t n = tikblob_frames(&b);
    TikFrame *frames = ARENA_ARRAY(&u->arena, TikFrame, n + 1);
    for (uint32_t i = 1; i <= n; i++) {
        TikBlobFrame f;
        tikblob_frame(&b, i, &f);
        frames[i - 1] = (TikFrame){f.callee, f.file, f.line, f.column, f.parent};
    }
    TikKernel k = {.nframes = (int32_t)n, .frames = frames};
    return chain_of_kernel(u, &k, frame);
}

static bool
run_entry(Cmd *c, Job *job, const TikKernel *entry, TikError *err)
{
    bool ok = tik_launch_watched(entry, job->pointers, (int)c->threads,
                                 warn_while_running, c, err);
    c->fault_chain = ok ? 0 : chain_of_kernel(&c->unit, entry, err->frame);
    return ok;
}

static bool
run_host(Cmd *c, Job *job, TikError *err)
{
    const HostApi *host = host_open(&c->unit);
    HostOptions opt = {.opt_level = (int)c->opt_level, .cpu = c->cpu};
    bool ready = cpu_check_runs(c) && host && tile_kernels(c, &job->kernel, 1);
    HostSession *s = ready ? host->open(&c->unit, &opt) : NULL;
    TikKernel entry;
    void *handle = NULL;
    bool ok = false;
    if (s != NULL && host->jit(s, &job->kernel, 1, true, &entry, &handle)) {
        ok = run_entry(c, job, &entry, err);
        host->release(handle);
    } else {
        set_error(err, TIK_OK, "", ""); /* the unit has the diagnostic */
    }
    if (s != NULL) {
        host->close(s);
    }
    return ok;
}

static bool
read_fill(Cmd *c, uint8_t *out)
{
    char *end = NULL;
    long v = c->lmem_fill ? strtol(c->lmem_fill, &end, 0) : 0;
    *out = (uint8_t)v;
    return !c->lmem_fill || (*c->lmem_fill && *end == 0 && v >= 0 && v <= 255) ||
           options_wrong(c, "--lmem-fill is a byte, 0 to 255");
}

/* ---- schedules ----------------------------------------------------------- */

/* Copies the bytes of all arrays, or puts such copies back. */
static uint8_t *
copy_arrays(Cmd *c, const Job *job)
{
    size_t all = 0;
    for (int i = 0; i < job->nparams; i++) {
        all += (size_t)job->arrays[i].bytes;
    }
    uint8_t *copy = arena_alloc(&c->unit.arena, all), *at = copy;
    for (int i = 0; i < job->nparams; i++) {
        memcpy(at, job->arrays[i].data, (size_t)job->arrays[i].bytes);
        at += job->arrays[i].bytes;
    }
    return copy;
}

static void
put_arrays(const Job *job, const uint8_t *copy)
{
    for (int i = 0; i < job->nparams; i++) {
        memcpy(job->arrays[i].data, copy, (size_t)job->arrays[i].bytes);
        copy += job->arrays[i].bytes;
    }
}

/* Returns the first parameter of which the arrays differ from a copy; -1: none. */
static int
differing_array(const Job *job, const uint8_t *copy)
{
    for (int i = 0; i < job->nparams; i++) {
        if (memcmp(job->arrays[i].data, copy, (size_t)job->arrays[i].bytes) != 0) {
            return i;
        }
        copy += job->arrays[i].bytes;
    }
    return -1;
}

static void
note_seed(TikError *err, int64_t seed)
{
    size_t n = strlen(err->text);
    snprintf(err->text + n, sizeof err->text - n,
             " (--mode explore --schedules 1 --seed %lld)", (long long)seed);
}

/* Runs the blob by --schedules orders of its queues, and last in the program's order;
 * all of them must give the same. */
static bool
run_schedules(Cmd *c, Job *job, const TikEmuOptions *last, TikError *err)
{
    const uint8_t *before = copy_arrays(c, job), *results = NULL;
    int64_t first = c->seed > 0 ? c->seed : 1;
    for (int64_t i = 0; i <= c->schedules; i++) {
        bool by_queues = i < c->schedules;
        TikEmuOptions o = {.lmem_fill = last->lmem_fill,
                           .schedule = (uint64_t)first + (uint64_t)i};
        put_arrays(job, before);
        if (!tik_emulate_watched(job->blob, job->blob_size, job->blob_kernel,
                                 job->pointers, by_queues ? &o : last, err)) {
            if (by_queues) {
                note_seed(err, first + i);
            }
            return false;
        }
        results = results == NULL ? copy_arrays(c, job) : results;
        int at = differing_array(job, results);
        if (at >= 0) {
            set_error(err, TIK_ERR_FAULT, "race",
                      arena_printf(&c->unit.arena,
                                   "'%s' differs between two orders of the queues",
                                   job->params[at].name));
            note_seed(err, by_queues ? first + i : first);
            return false;
        }
    }
    return true;
}

static bool
can_schedule(Cmd *c, const Job *job)
{
    TikBlob b;
    TikBlobKernel k;
    TikBlobDiag diag;
    if (c->schedules < 1) {
        return true;
    }
    for (int i = 0; i < job->nparams; i++) {
        if (is_list(&job->params[i])) {
            return options_wrong(c,
                                 "--mode explore is for kernels without address lists");
        }
    }
    bool opened = tikblob_open(&b, job->blob, job->blob_size, &diag);
    if (opened) {
        tikblob_kernel(&b, job->blob_kernel, &k);
    }
    return (opened && (k.flags & TIKBLOB_QUEUES) != 0) ||
           options_wrong(c, "--mode explore is for kernels that queues execute, which "
                            "--sync auto builds");
}

/* For each parameter: a kernel may read its array. Those that only the kernel gives
 * contents are outputs and workspaces without a file and without a preset. */
static bool *
defined_args(Cmd *c, const Job *job)
{
    bool *defined = ARENA_ARRAY(&c->unit.arena, bool, job->nparams);
    for (int i = 0; i < job->nparams; i++) {
        const TikParam *p = &job->params[i];
        bool made = p->role == (int)ARGROLE_OUTPUT || p->role == (int)ARGROLE_WORKSPACE;
        defined[i] = !made || p->preset || find_in(c, p->name, 0) != NULL;
    }
    return defined;
}

static bool
wants_time(const Cmd *c)
{
    return c->run_mode && strcmp(c->run_mode, "time") == 0;
}

static bool
run_emulator(Cmd *c, Job *job, TikError *err)
{
    TikArray lmem = {0};
    ProfileView *view = wants_time(c) ? ARENA_NEW(&c->unit.arena, ProfileView) : NULL;
    TikEmuOptions o = {.lmem = c->lmem_dump ? &lmem : NULL,
                       .warn = warn_while_running,
                       .ctx = c,
                       .check = wants_check(c),
                       .defined = defined_args(c, job),
                       .profile = view ? &view->profile : NULL};
    TRY(read_fill(c, &o.lmem_fill) && can_schedule(c, job));
    TRY(!view || profile_begin(c, view, job->blob, job->blob_size, job->blob_kernel));
    bool ok = (c->schedules > 0
                   ? run_schedules(c, job, &o, err)
                   : tik_emulate_watched(job->blob, job->blob_size, job->blob_kernel,
                                         job->pointers, &o, err)) &&
              (!c->lmem_dump || tik_npy_write(c->lmem_dump, &lmem, err));
    c->fault_chain = ok ? 0 : chain_of_blob(&c->unit, job, err->frame);
    tik_array_free(&lmem);
    return ok && (!view || profile_end(c, view));
}

static bool
run_job(Cmd *c, Job *job, TikError *err)
{
    TRY(load_arrays(c, job, err));
    TRY(job->kernel ? run_host(c, job, err) : run_emulator(c, job, err));
    /* the user may have made a warning of the run an error */
    TRY(c->unit.errors == 0);
    return write_arrays(c, job, err);
}

int
cmd_run(Cmd *c)
{
    Job job = {0};
    if (!report_format(c) || !prepare(c, &job) || !check_names(c, &job) ||
        !check_outputs(c)) {
        int code = report_unit(c);
        return MAX(code, EXIT_FINDINGS);
    }
    TikError err = {0};
    bool ok = run_job(c, &job, &err);
    free_arrays(&job);
    int code;
    if (!ok && err.kind != TIK_OK && report_into(c, &err, &code)) {
        return code;
    }
    code = report_unit(c);
    if (!ok && err.kind != TIK_OK) {
        return report_error(c, &err);
    }
    code = ok && c->found ? MAX(code, EXIT_FAULT) : code;
    return ok ? code : MAX(code, EXIT_FINDINGS);
}
