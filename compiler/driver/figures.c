/* figures.c: measures kernels, and writes and reads reports. */
#include "driver/figures.h"
#include "driver/job.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

const char *const figure_names[FIGURE_COUNT] = {
#define FIGURE(id, name, what) [FIGURE_##id] = name,
#include "driver/figure.def"
};

enum {
    MOST_STEPS = 20 * 1000 * 1000, /* of a run of the model, over all cores */
    MOST_BYTES = 1 << 30           /* of its arrays */
};

/* ---- measuring ----------------------------------------------------------- */

/* Returns whether the arrays of a job have known sizes that are not too many bytes. */
static bool
small_arrays(const Job *job)
{
    int64_t sum = 0;
    for (int i = 0; i < job->nparams; i++) {
        const TikParam *p = &job->params[i];
        if (p->elems < 0 || job_is_list(p) || p->elems > MOST_BYTES) {
            return false;
        }
        sum += p->elems * 8; /* no element has more bytes */
    }
    return sum <= MOST_BYTES;
}

static bool
run_model(Cmd *c, Job *job, TikProfile *profile)
{
    TikError err = {0};
    TikEmuOptions o = {.profile = profile};
    bool ok = job_load_arrays(c, job, &err) &&
              tik_emulate_watched(job->blob, job->blob_size, job->blob_kernel,
                                  job->pointers, &o, &err);
    job_free_arrays(job);
    return ok && profile->mhz > 0;
}

/* Returns the clocks of a run on zeros; -1 where such a run is not possible, as with
 * sizes that only a run knows, or fails. */
static int64_t
clocks_of(const Cmd *c, const Kernel *k)
{
    Cmd run = *c;
    Job job = {0};
    TikProfile profile = {0};
    int64_t clocks = -1;
    unit_init(&run.unit);
    run.unit.opt = c->unit.opt;
    run.unit.opt.defines.cap = run.unit.opt.defines.n;
    run.kernel = sym_text(&k->unit->names, k->name);
    run.backend = "emu";
    if (job_prepare(&run, &job) && small_arrays(&job)) {
        clocks = run_model(&run, &job, &profile) ? (int64_t)profile.clocks : -1;
    }
    for (uint32_t i = 0; i < run.unit.kernels.n; i++) {
        kernel_free(run.unit.kernels.p[i]);
    }
    unit_free(&run.unit);
    return clocks;
}

bool
figures_measure(Cmd *c, Kernel *k, Figures *out)
{
    Unit *u = &c->unit;
    const uint8_t *bytes;
    size_t size;
    TikBlob b;
    TikBlobKernel of;
    TikBlobDiag diag;
    TikBlobProof proof;
    TRY(tikc_blob(u, &k, 1, &bytes, &size));
    if (!tikblob_open(&b, bytes, size, &diag) || !blob_verify(c, &b, 0, &proof, &diag)) {
        return blob_refused(c, NULL, 0, &diag);
    }
    uint8_t *stripped;
    size_t least;
    if (!tikblob_strip(bytes, size, &stripped, &least, &diag)) {
        return blob_refused(c, NULL, 0, &diag);
    }
    free(stripped);
    tikblob_kernel(&b, 0, &of);
    *out = (Figures){c->files.p[0], sym_text(&u->names, k->name), u->soc->name, {0}};
    static const Scope scopes[] = {SC_UB, SC_L1, SC_L0A, SC_L0B, SC_L0C, SC_LMEM};
    for (size_t i = 0; i < ARRAY_LEN(scopes); i++) {
        out->v[FIGURE_UB + i] = k->peak[scopes[i]];
    }
    out->v[FIGURE_BLOB] = (int64_t)least;
    out->v[FIGURE_DESCRIPTORS] = of.ndescriptors;
    out->v[FIGURE_STEPS] = (int64_t)MIN(proof.steps, (uint64_t)INT64_MAX);
    bool few = proof.steps <= MOST_STEPS / MAX(of.cores, 1);
    out->v[FIGURE_CLOCKS] = few ? clocks_of(c, k) : -1;
    return true;
}

/* ---- writing ------------------------------------------------------------- */

void
figures_json(const Figures *f, Text *out)
{
    json_open(out, NULL, '{');
    json_text(out, "file", f->file);
    json_text(out, "kernel", f->kernel);
    json_text(out, "processor", f->soc);
    for (int i = 0; i < FIGURE_COUNT; i++) {
        if (f->v[i] >= 0) {
            json_number(out, figure_names[i], f->v[i]);
        }
    }
    json_close(out, '}');
}

void
figures_report(const char *entries, Text *out)
{
    text_printf(out, "{\"version\":1,\"kernels\":[%s%s", *entries ? "\n" : "", entries);
    text_put(out, "\n]}\n");
}

/* ---- reading ------------------------------------------------------------- */

static bool
wrong(Unit *u, const char *path, const char *text)
{
    diag_add(u, D_REPORT_FILE, (Span){0}, 0, "'%s': %s", path, text);
    return false;
}

static bool
read_member(Unit *u, const char *path, const char *key, const json_t *value, Figures *out)
{
    const char **text = strcmp(key, "file") == 0        ? &out->file
                        : strcmp(key, "kernel") == 0    ? &out->kernel
                        : strcmp(key, "processor") == 0 ? &out->soc
                                                        : NULL;
    if (text) {
        *text = json_is_string(value) ? arena_strdup(&u->arena, json_string_value(value))
                                      : NULL;
        return *text || wrong(u, path, arena_printf(&u->arena, "'%s' is a text", key));
    }
    for (int i = 0; i < FIGURE_COUNT; i++) {
        if (strcmp(key, figure_names[i]) == 0) {
            out->v[i] = json_is_integer(value) ? json_integer_value(value) : -1;
            return out->v[i] >= 0 ||
                   wrong(u, path,
                         arena_printf(&u->arena, "'%s' is a number from 0 on", key));
        }
    }
    return wrong(u, path, arena_printf(&u->arena, "there is no figure '%s'", key));
}

static bool
read_entry(Unit *u, const char *path, json_t *entry, FigureList *out)
{
    Figures f = {0};
    const char *key;
    json_t *value;
    memset(f.v, 0xff, sizeof f.v); /* -1 each */
    json_object_foreach(entry, key, value)
    {
        TRY(read_member(u, path, key, value, &f));
    }
    if (!f.file || !f.kernel) {
        return wrong(u, path, "an entry names its 'file' and 'kernel', or '*'");
    }
    VEC_PUSH(&u->arena, out, f);
    return true;
}

static bool
read_root(Unit *u, const char *path, json_t *root, FigureList *out)
{
    json_t *kernels = json_object_get(root, "kernels");
    if (json_integer_value(json_object_get(root, "version")) != 1 ||
        !json_is_array(kernels)) {
        return wrong(u, path,
                     "a report has the members 'version', which is 1, and "
                     "'kernels', an array");
    }
    for (size_t i = 0; i < json_array_size(kernels); i++) {
        TRY(read_entry(u, path, json_array_get(kernels, i), out));
    }
    return true;
}

bool
figures_read(Unit *u, const char *path, FigureList *out)
{
    char *text;
    size_t size;
    json_error_t err;
    TRY(io_read(u, path, &text, &size));
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &err);
    if (!root) {
        return wrong(u, path,
                     arena_printf(&u->arena, "line %d, column %d: %s", err.line,
                                  err.column, err.text));
    }
    bool ok = read_root(u, path, root, out);
    json_decref(root);
    return ok;
}

/* ---- budgets ------------------------------------------------------------- */

static const char *
plain_path(const char *path)
{
    while (path[0] == '.' && path[1] == '/') {
        path += 2;
    }
    return path;
}

/* Returns how exactly an entry names the kernel; 0: it names another one. */
static int
fits(const Figures *entry, const Figures *of)
{
    bool any_file = strcmp(entry->file, "*") == 0;
    bool any_kernel = strcmp(entry->kernel, "*") == 0;
    bool file = any_file || strcmp(plain_path(entry->file), plain_path(of->file)) == 0;
    bool kernel = any_kernel || strcmp(entry->kernel, of->kernel) == 0;
    bool soc = !entry->soc || strcmp(entry->soc, of->soc) == 0;
    return file && kernel && soc ? 1 + 4 * !any_file + 2 * !any_kernel + !!entry->soc : 0;
}

const Figures *
figures_find(const FigureList *budget, const Figures *of)
{
    const Figures *best = NULL;
    int exact = 0;
    for (uint32_t i = 0; i < budget->n; i++) {
        int n = fits(&budget->p[i], of);
        if (n > exact) {
            exact = n;
            best = &budget->p[i];
        }
    }
    return best;
}

void
figures_check(Unit *u, Span kernel, const FigureList *budget, const Figures *of,
              const char *path)
{
    const Figures *limit = figures_find(budget, of);
    Text t;
    text_init(&t, &u->arena);
    for (int i = 0; limit && i < FIGURE_COUNT; i++) {
        if (limit->v[i] >= 0 && of->v[i] > limit->v[i]) {
            text_printf(&t, "%s%s %lld, budget %lld", t.n ? "; " : "", figure_names[i],
                        (long long)of->v[i], (long long)limit->v[i]);
        }
    }
    if (t.n) {
        Diag *d = diag_add(u, D_BUDGET, kernel, 0,
                           "kernel '%s' on %s takes more than its budget: %s", of->kernel,
                           of->soc, t.p);
        diag_help(u, d, "make it less, or raise the number in '%s'", path);
    }
}
