/* job_arrays.c: checks which tensors --in, --out and --expect name, makes the arrays of a
 * kernel, and writes those that are wanted. */
#include "base/nearest.h"
#include "driver/cluster.h"
#include "driver/fill.h"
#include "driver/job.h"

#include <string.h>

static bool
no_tensor(Cmd *c, const Job *job, const char *option, const char *name)
{
    Diag *d =
        diag_add(&c->unit, D_NO_TENSOR, (Span){0}, 0,
                 "%s names '%s'; the kernel has no such global tensor", option, name);
    Text t;
    Nearest near = {name};
    text_init(&t, &c->unit.arena);
    for (int i = 0; i < job->nparams; i++) {
        const char *has = job->params[i].name;
        if (strcmp(has, IR_PRINT_LOG) != 0) { /* --print adds it */
            nearest_try(&near, has);
            text_printf(&t, "%s'%s'", t.n ? ", " : "", has);
        }
    }
    const char *ask =
        near.best ? arena_printf(&c->unit.arena, "did you mean '%s'? ", near.best) : "";
    diag_help(&c->unit, d, "%sits tensors: %s", ask, t.p);
    return false;
}

static const TikParam *
param_named(const Job *job, const char *name)
{
    return &job->params[job_find_param(job, name)];
}

bool
job_is_list(const TikParam *p)
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
                !job_is_list(param_named(job, c->ins.p[i].tensor))) {
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

/* Returns the index-th binding of a tensor, or null. */
static const Binding *
find_binding(const Bindings *all, const char *name, int64_t index)
{
    for (uint32_t i = 0; i < all->n; i++) {
        if (strcmp(all->p[i].tensor, name) == 0 && index-- == 0) {
            return &all->p[i];
        }
    }
    return NULL;
}

const Binding *
job_find_in(const Cmd *c, const char *name, int64_t index)
{
    return find_binding(&c->ins, name, index);
}

/* Returns the number of elements of a shape; INT64_MAX if there are too many. */
static int64_t
shape_elems(const int64_t *dim, int ndim)
{
    int64_t elems = 1;
    for (int i = 0; i < ndim; i++) {
        elems = checked_mul(elems, dim[i], &elems) ? elems : INT64_MAX;
    }
    return elems;
}

/* Checks the shape that --out gives; b may be null. A declared tensor may be written in
 * another shape of the same size. */
static bool
check_shape(Cmd *c, const TikParam *p, const Binding *b, bool given)
{
    Arena *a = &c->unit.arena;
    if (!b || b->ndim == 0) {
        return true;
    }
    if (p->open && given) {
        return options_wrong(c, arena_printf(a, "--in gives '%s' its shape", p->name));
    }
    int64_t elems = shape_elems(b->dim, b->ndim);
    return p->open || elems == p->elems ||
           options_wrong(c, arena_printf(a,
                                         "'%s' has %lld elements; the shape of --out has "
                                         "%lld",
                                         p->name, (long long)p->elems, (long long)elems));
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
        if (job_is_list(p) && (in != p->elems || out > p->elems)) {
            return options_wrong(
                c, arena_printf(
                       a,
                       "'%s' is a list of %lld arrays; --in is given %lld times, "
                       "--out %lld times",
                       p->name, (long long)p->elems, (long long)in, (long long)out));
        }
        TRY(check_shape(c, p, find_binding(&c->outs, p->name, 0), in > 0));
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

/* Finds out what the texts of --in or --expect are. */
static bool
parse_fills(Cmd *c, const Job *job, const char *option, Bindings *all)
{
    Arena *a = &c->unit.arena;
    for (uint32_t i = 0; i < all->n; i++) {
        Binding *b = &all->p[i];
        const char *why = "";
        Fill *f = ARENA_NEW(a, Fill);
        b->fill = f;
        if (!fill_parse(a, b->path, f, &why)) {
            return options_wrong(
                c, arena_printf(a, "%s %s=%s: %s", option, b->tensor, b->path, why));
        }
        if (f->kind != FILL_FILE && job_is_list(param_named(job, b->tensor))) {
            return options_wrong(
                c, arena_printf(a,
                                "%s: '%s' is a list of arrays, whose types and shapes "
                                "only files give",
                                option, b->tensor));
        }
    }
    return true;
}

/* Checks names, before anything runs. */
bool
job_check_names(Cmd *c, const Job *job)
{
    for (uint32_t i = 0; i < c->ins.n; i++) {
        if (job_find_param(job, c->ins.p[i].tensor) < 0) {
            return no_tensor(c, job, "--in", c->ins.p[i].tensor);
        }
    }
    for (uint32_t i = 0; i < c->outs.n; i++) {
        if (job_find_param(job, c->outs.p[i].tensor) < 0) {
            return no_tensor(c, job, "--out", c->outs.p[i].tensor);
        }
    }
    for (uint32_t i = 0; i < c->expects.n; i++) {
        if (job_find_param(job, c->expects.p[i].tensor) < 0) {
            return no_tensor(c, job, "--expect", c->expects.p[i].tensor);
        }
    }
    return check_twice(c, job) && check_counts(c, job) && check_lanes_options(c, job) &&
           parse_fills(c, job, "--in", &c->ins) &&
           parse_fills(c, job, "--expect", &c->expects);
}

static bool
can_output(Cmd *c, const char *path)
{
    return io_can_write(&c->unit, path) && options_spare(c, path);
}

/* The same for a file that may be standard output, or is not asked for. */
static bool
can_show(Cmd *c, const char *path)
{
    return !path || strcmp(path, "-") == 0 || can_output(c, path);
}

bool
job_check_outputs(Cmd *c)
{
    for (uint32_t i = 0; i < c->outs.n; i++) {
        TRY(can_output(c, c->outs.p[i].path));
    }
    if (c->trace && c->html &&
        (strcmp(c->trace, c->html) == 0 || io_same_file(c->trace, c->html))) {
        return options_wrong(c, "--trace and --html name one file");
    }
    return can_show(c, c->trace) && can_show(c, c->html);
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
        job_error(
            err, TIK_ERR_USAGE, "usage",
            arena_printf(&c->unit.arena,
                         "--in gives '%s' other contents than its preset, 0x%llx in "
                         "every element",
                         p->name, (unsigned long long)p->preset_value));
    }
    return same;
}

/* Makes an array of a shape. */
static bool
make_shaped(const TikParam *p, const int64_t *dim, int ndim, TikArray *a, TikError *err)
{
    if (!tik_array_alloc(a, p->dtype, shape_elems(dim, ndim), err)) {
        return false;
    }
    a->ndim = ndim;
    memcpy(a->shape, dim, sizeof a->shape);
    return true;
}

static bool
no_shape(Cmd *c, const TikParam *p, const char *give, TikError *err)
{
    job_error(err, TIK_ERR_USAGE, "usage",
              arena_printf(&c->unit.arena,
                           "the size of '%s' is known only at run time: give %s", p->name,
                           give));
    return false;
}

/* Makes an output of the size that a file has with which it is compared. */
static bool
make_expected(const TikParam *p, const Binding *b, TikArray *a, TikError *err)
{
    TikArray want;
    TRY(tik_npy_read(b->path, DT_NONE, -1, &want, err));
    bool ok = make_shaped(p, want.shape, want.ndim, a, err);
    tik_array_free(&want);
    return ok;
}

/* Makes the array of a tensor whose size is not declared and which --in does not name. It
 * has the size that --out gives, or that of a file of --expect; without both it has no
 * elements. */
static bool
load_unnamed(Cmd *c, const TikParam *p, TikArray *a, TikError *err)
{
    const Binding *out = find_binding(&c->outs, p->name, 0);
    const Binding *expect = find_binding(&c->expects, p->name, 0);
    if (out && out->ndim > 0) {
        return make_shaped(p, out->dim, out->ndim, a, err);
    }
    if (expect && expect->fill->kind == FILL_FILE) {
        return make_expected(p, expect, a, err);
    }
    if (expect && expect->fill->ndim > 0) {
        return make_shaped(p, expect->fill->dim, expect->fill->ndim, a, err);
    }
    if (out) {
        return no_shape(
            c, p,
            arena_printf(&c->unit.arena, "%s--out %s=%s:SHAPE, as %s:16x32",
                         p->preset ? ""
                                   : "its first contents with --in, or its shape with ",
                         p->name, out->path, out->path),
            err);
    }
    return tik_array_alloc(a, p->dtype, 0, err);
}

/* Makes an array with the contents that --in describes. */
static bool
load_filled(Cmd *c, const TikParam *p, const Binding *b, TikArray *a, TikError *err)
{
    Arena *arena = &c->unit.arena;
    const Fill *f = b->fill;
    const char *why = NULL;
    if (p->open && f->ndim == 0) {
        return no_shape(
            c, p, arena_printf(arena, "its shape, as --in %s=%s:16x32", p->name, f->text),
            err);
    }
    int64_t elems = f->ndim > 0 ? shape_elems(f->dim, f->ndim) : p->elems;
    if (!p->open && elems != p->elems) {
        why = arena_printf(arena, "its shape has %lld elements; the tensor has %lld",
                           (long long)elems, (long long)p->elems);
    } else {
        TRY(p->open ? make_shaped(p, f->dim, f->ndim, a, err)
                    : make_shaped(p, p->shape, p->ndim, a, err));
        if (fill_array(arena, f, a, &why)) {
            return true;
        }
    }
    job_error(err, TIK_ERR_USAGE, "usage",
              arena_printf(arena, "--in %s=%s: %s", p->name, f->text, why));
    return false;
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
load_array(Cmd *c, const TikParam *p, bool larger, TikArray *a, TikError *err)
{
    const Binding *b = job_find_in(c, p->name, 0);
    if (b && b->fill->kind != FILL_FILE) {
        return load_filled(c, p, b, a, err);
    }
    if (!p->open) {
        return load_declared(p, b, larger, a, err);
    }
    return b ? tik_npy_read(b->path, p->dtype, -1, a, err) : load_unnamed(c, p, a, err);
}

static bool
load_list(Cmd *c, const TikParam *p, TikArray *a, TikError *err)
{
    *a = (TikArray){.dtype = p->dtype, .elems = p->elems};
    a->items = ARENA_ARRAY(&c->unit.arena, TikArray, p->elems);
    for (int64_t i = 0; i < p->elems; i++) {
        TRY(tik_npy_read(job_find_in(c, p->name, i)->path, DT_NONE, -1, &a->items[i],
                         err));
    }
    return true;
}

bool
job_load_arrays(Cmd *c, Job *job, TikError *err)
{
    job->arrays = ARENA_ARRAY(&c->unit.arena, TikArray, job->nparams);
    job->pointers = ARENA_ARRAY(&c->unit.arena, TikArray *, job->nparams);
    for (int i = 0; i < job->nparams; i++) {
        const TikParam *p = &job->params[i];
        TikArray *a = &job->arrays[i];
        job->pointers[i] = a;
        if (job_is_list(p)) {
            TRY(load_list(c, p, a, err));
            continue;
        }
        TRY(load_array(c, p, job->larger && job->larger[i], a, err));
        TRY(!p->preset || !job_find_in(c, p->name, 0) || is_preset(c, p, a, err));
    }
    return true;
}

/* Gives the others an array with its contents. Their arrays are made here; a list has the
 * number of arrays that its parameter says. */
static bool
share_array(Cmd *c, TikArray *a, TikError *err)
{
    bool first = cluster_first(c), ok = true;
    TikArray head = *a;
    void *bytes = &head;
    size_t n = sizeof head;
    TRY(cluster_share(c, &bytes, &n));
    if (!first) {
        memcpy(&head, bytes, sizeof head);
        ok = tik_array_alloc(a, head.dtype, head.elems, err);
        a->ndim = head.ndim;
        memcpy(a->shape, head.shape, sizeof a->shape);
    }
    return cluster_agree(c, ok, err) && cluster_share_into(c, a->data, (size_t)a->bytes);
}

/* Makes the arrays of lists on the ranks that have read none. */
static void
begin_arrays(Cmd *c, Job *job)
{
    job->arrays = ARENA_ARRAY(&c->unit.arena, TikArray, job->nparams);
    job->pointers = ARENA_ARRAY(&c->unit.arena, TikArray *, job->nparams);
    for (int i = 0; i < job->nparams; i++) {
        const TikParam *p = &job->params[i];
        TikArray *a = job->pointers[i] = &job->arrays[i];
        if (job_is_list(p)) {
            *a = (TikArray){.dtype = p->dtype, .elems = p->elems};
            a->items = ARENA_ARRAY(&c->unit.arena, TikArray, p->elems);
        }
    }
}

bool
job_share_arrays(Cmd *c, Job *job, TikError *err)
{
    bool ok = true;
    if (cluster_first(c)) {
        ok = job_load_arrays(c, job, err);
    } else {
        begin_arrays(c, job);
    }
    TRY(cluster_agree(c, ok, err));
    for (int i = 0; i < job->nparams && cluster_peers(c); i++) {
        TikArray *a = &job->arrays[i];
        for (int64_t j = 0; a->items && j < a->elems; j++) {
            TRY(share_array(c, &a->items[j], err));
        }
        TRY(a->items || share_array(c, a, err));
    }
    return true;
}

bool
job_write_arrays(Cmd *c, const Job *job, TikError *err)
{
    int64_t *written = ARENA_ARRAY(&c->unit.arena, int64_t, job->nparams);
    for (uint32_t i = 0; i < c->outs.n; i++) {
        int p = job_find_param(job, c->outs.p[i].tensor);
        const TikArray *a = &job->arrays[p];
        TikArray out = a->items ? a->items[written[p]++] : *a;
        if (c->outs.p[i].ndim > 0) {
            out.ndim = c->outs.p[i].ndim;
            memcpy(out.shape, c->outs.p[i].dim, sizeof out.shape);
        }
        TRY(tik_npy_write(c->outs.p[i].path, &out, err));
    }
    return true;
}

void
job_free_arrays(Job *job)
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

/* ---- copies -------------------------------------------------------------- */

/* Returns the n-th of all arrays: of an address list those that it has. Null at the
 * end. */
static TikArray *
nth_array(const Job *job, int64_t n, int *param)
{
    for (int i = 0; i < job->nparams; i++) {
        TikArray *a = &job->arrays[i];
        int64_t count = a->items ? a->elems : 1;
        if (n < count) {
            *param = i;
            return a->items ? &a->items[n] : a;
        }
        n -= count;
    }
    return NULL;
}

uint8_t *
job_copy(Cmd *c, const Job *job)
{
    size_t all = 0;
    int param;
    const TikArray *a;
    for (int64_t i = 0; (a = nth_array(job, i, &param)); i++) {
        all += (size_t)a->bytes;
    }
    uint8_t *copy = arena_alloc(&c->unit.arena, all), *at = copy;
    for (int64_t i = 0; (a = nth_array(job, i, &param)); i++) {
        memcpy(at, a->data, (size_t)a->bytes);
        at += a->bytes;
    }
    return copy;
}

void
job_put(const Job *job, const uint8_t *copy)
{
    int param;
    const TikArray *a;
    for (int64_t i = 0; (a = nth_array(job, i, &param)); i++) {
        memcpy(a->data, copy, (size_t)a->bytes);
        copy += a->bytes;
    }
}

int
job_differing(const Job *job, const uint8_t *copy, TikArray *was)
{
    int param;
    const TikArray *a;
    for (int64_t i = 0; (a = nth_array(job, i, &param)); i++) {
        if (memcmp(a->data, copy, (size_t)a->bytes) != 0) {
            *was = *a;
            was->data = (uint8_t *)(uintptr_t)copy;
            return param;
        }
        copy += a->bytes;
    }
    return -1;
}
