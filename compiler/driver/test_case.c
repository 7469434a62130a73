/* test_case.c: runs one test: the kernel on both back ends with the same inputs. The bits
 * of all arrays are compared with each other, and outputs with what the test expects. */
#include "driver/expect.h"
#include "driver/test.h"

#include <string.h>

/* ---- settings ------------------------------------------------------------ */

/* Texts that name files are relative to the folder of the test. */
static bool
names_file(const char *key)
{
    return strcmp(key, "in") == 0 || strcmp(key, "expect") == 0 ||
           strcmp(key, "reference") == 0;
}

static const char *
beside(Arena *a, const char *file, const char *path)
{
    const char *slash = strrchr(file, '/');
    return *path == '/' || !slash
               ? path
               : arena_printf(a, "%.*s/%s", (int)(slash - file), file, path);
}

/* Returns the text of a file name or of contents as of --in. */
static const char *
place_value(Cmd *c, const TestCase *t, const Setting *s)
{
    Fill fill;
    const char *why;
    bool path =
        fill_parse(&c->unit.arena, s->value, &fill, &why) && fill.kind == FILL_FILE;
    return path ? beside(&c->unit.arena, t->file, s->value) : s->value;
}

/* Gives the last diagnostic, about an option, the place of the setting. */
static bool
at_setting(Cmd *c, const TestCase *t, const Setting *s)
{
    Unit *u = &c->unit;
    char *text;
    size_t size;
    uint32_t n = u->diags.n;
    if (n > 0 && io_read(u, t->file, &text, &size)) {
        Diag *d = u->diags.p[n - 1];
        d->id = D_TEST_FILE;
        d->help = NULL;
        d->span = s->span;
        d->span.file = unit_add_source(u, t->file, text, size);
    }
    return false;
}

static bool
apply(Cmd *c, const TestCase *t, const Setting *s)
{
    Arena *a = &c->unit.arena;
    const char *value = s->value;
    if (value && names_file(s->key)) {
        value = place_value(c, t, s);
    }
    if (s->sub) {
        value = arena_printf(a, "%s=%s", s->sub, value ? value : "True");
    }
    return options_set(c, s->key, value) || at_setting(c, t, s);
}

static bool
apply_all(Cmd *c, const TestCase *t, const Settings *all)
{
    for (uint32_t i = 0; i < all->n; i++) {
        if (strcmp(all->p[i].key, "soc") != 0) {
            TRY(apply(c, t, &all->p[i]));
        }
    }
    return true;
}

/* ---- running ------------------------------------------------------------- */

/* Executes on both back ends, with the same inputs. */
static bool
run_both(Cmd *c, Job *job, TikError *err)
{
    const uint8_t *before = job_copy(c, job);
    if (!job_execute(c, job, true, err)) {
        c->backend = "host";
        return false;
    }
    const uint8_t *native = job_copy(c, job);
    job_put(job, before);
    if (!job_execute(c, job, false, err)) {
        c->backend = "emu";
        return false;
    }
    TikArray was;
    int at = job_differing(job, native, &was);
    if (at >= 0) {
        expect_bits(c, job->params[at].name, &was, &job->arrays[at]);
    }
    return expect_check(c, job, err);
}

static bool
run_arrays(Cmd *c, Job *job, TikError *err)
{
    const char *folder = NULL;
    TRY(job_load_arrays(c, job, err));
    bool ok = (!c->reference || test_reference(c, job, c->reference, &folder)) &&
              run_both(c, job, err);
    test_forget(job, folder);
    return ok;
}

static bool
prepare(Cmd *c, const TestCase *t, Job *job)
{
    TRY(apply_all(c, t, &t->from->all));
    TRY(!t->spec || apply_all(c, t, &t->spec->settings));
    c->unit.opt.soc = t->soc ? t->soc : c->unit.opt.soc;
    TRY(expect_options(c) && job_prepare(c, job) && job_check_names(c, job));
    return tikc_blob(&c->unit, &job->kernel, 1, &job->blob, &job->blob_size);
}

int
test_case(Cmd *c, const TestCase *t)
{
    Job job = {0};
    TikError err = {0};
    VEC_PUSH(&c->unit.arena, &c->files, t->kernel);
    c->files.p = &c->files.p[c->files.n - 1];
    c->files.n = 1;
    bool ok = prepare(c, t, &job) && run_arrays(c, &job, &err);
    job_free_arrays(&job);
    if (!ok && err.kind != TIK_OK) {
        return report_add(c, &err);
    }
    int code = report_code(&c->unit);
    return ok ? code : MAX(code, EXIT_FINDINGS);
}
