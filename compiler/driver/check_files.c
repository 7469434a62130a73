/* check_files.c: checks many files, each for the processors and with the calls that the
 * command line or its settings name. Files are compiled by several threads; what was
 * found is printed in the order of the files, so that every run prints the same. Of
 * several processes (cluster.h) each checks every so-manieth file, and rank 0 prints. */
#include "driver/check_files.h"
#include "driver/cluster.h"
#include "driver/figures.h"
#include "driver/memory_map.h"
#include "driver/report_bytes.h"
#include "driver/setting.h"
#include "passes/check.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    STACK = 8 << 20,                /* of a thread: deep programs need it */
    PROGRESS_NS = 100 * 1000 * 1000 /* between two lines of progress */
};

typedef struct Job {
    SourceFile src;
    Report report;
    bool done;
} Job;

typedef struct Work {
    const Cmd *c;
    Job *jobs;
    uint32_t n, next;
    pthread_mutex_t lock;
    pthread_cond_t finished;
} Work;

/* ---- one file ------------------------------------------------------------ */

static void
put_proofs(Unit *u, Text *t)
{
    for (uint32_t i = 0; i < u->kernels.n; i++) {
        const Kernel *k = u->kernels.p[i];
        text_printf(t, "%s: %lld proved, %lld refuted, %lld checked at run time\n",
                    sym_text(&u->names, k->name), (long long)k->proofs[0],
                    (long long)k->proofs[1], (long long)k->proofs[2]);
        check_explain(k, t);
    }
}

/* Says why a file that a folder has is skipped: nothing is wrong but that it builds no
 * kernel. */
static Skip
skip_of(const Unit *u)
{
    if (u->errors != 1 || u->diags.n == 0) {
        return SKIP_NOT;
    }
    for (uint32_t i = 0; i < u->diags.n; i++) {
        if (u->diags.p[i]->id == D_NO_KERNEL) {
            return u->entry.call ? SKIP_CALL : SKIP_MODULE;
        }
    }
    return SKIP_NOT;
}

void
check_one_begin(const Cmd *c, const char *const *path, Cmd *one)
{
    *one = *c;
    unit_init(&one->unit);
    one->unit.opt = c->unit.opt;
    one->unit.opt.defines.cap = one->unit.opt.defines.n;
    one->files.p = (const char **)path;
    one->files.n = 1;
}

void
check_one_end(Cmd *one)
{
    for (uint32_t i = 0; i < one->unit.kernels.n; i++) {
        kernel_free(one->unit.kernels.p[i]);
    }
    unit_free(&one->unit);
}

typedef struct Combination {
    const char *call, *soc; /* null: those of the options */
    bool several;           /* the file is checked for several processors */
} Combination;

/* Shows the memories of the kernels, as text or JSON and as a picture. */
static void
show_memory(Cmd *one, Text *out)
{
    Unit *u = &one->unit;
    for (uint32_t i = 0; one->memory && i < u->kernels.n; i++) {
        (report_json(one) ? memory_map_json : memory_map_text)(u->kernels.p[i], out);
    }
    if (one->memory_svg && options_spare(one, one->memory_svg)) {
        Text picture;
        text_init(&picture, &u->arena);
        memory_map_svg(u->kernels.p, u->kernels.n, &picture);
        (void)!io_write(u, one->memory_svg, picture.p, picture.n);
    }
}

/* Measures the kernels for --report and --budget. */
static void
measure(Cmd *one, Report *r)
{
    Unit *u = &one->unit;
    for (uint32_t i = 0; (one->report || one->limits) && i < u->kernels.n; i++) {
        Figures f;
        if (!figures_measure(one, u->kernels.p[i], &f)) {
            return;
        }
        text_put(&r->figures, r->figures.n ? ",\n" : "");
        Text entry;
        text_init(&entry, &u->arena);
        figures_json(&f, &entry);
        text_put(&r->figures, entry.p);
        if (one->limits) {
            figures_check(u, u->kernels.p[i]->span, one->limits, &f, one->budget);
        }
    }
}

static void
check_once(const Cmd *c, const SourceFile *src, const char *text, size_t size,
           Combination with, Report *r)
{
    Cmd one;
    check_one_begin(c, &src->path, &one);
    one.unit.opt.call = with.call ? with.call : one.unit.opt.call;
    one.unit.opt.soc = with.soc ? with.soc : one.unit.opt.soc;
    one.unit.opt.lives = c->memory || c->memory_svg;
    one.unit.lent = text;
    text_init(&r->out, &r->arena);
    text_init(&r->figures, &r->arena);
    if (compile_text(&one, src->path, text, size) && one.unit.errors == 0) {
        show_memory(&one, &r->out);
        measure(&one, r);
    }
    r->skip = src->found && !with.call ? skip_of(&one.unit) : SKIP_NOT;
    if (r->skip) {
        r->path = src->path;
    } else {
        (void)report_collect(&one, r, with.several ? with.soc : NULL);
        if (one.proofs) {
            put_proofs(&one.unit, &r->out);
        }
    }
    check_one_end(&one);
}

/* Finds what a file is checked for; null stands for what the options say. */
static void
find_combinations(const Cmd *c, const TestFile *f, Arena *a, Names *calls, Names *socs)
{
    const char *soc = c->unit.opt.soc ? c->unit.opt.soc : settings_soc(f);
    if (!c->unit.opt.call) {
        settings_calls(a, f, calls);
    }
    if (calls->n == 0) {
        VEC_PUSH(a, calls, NULL);
    }
    if (soc) {
        settings_split_socs(a, soc, socs);
    } else {
        VEC_PUSH(a, socs, NULL);
    }
}

bool
check_combine(const Cmd *c, Cmd *one, const char *path, const char *text, size_t size,
              int nth)
{
    TestFile settings = {0};
    Names calls = {0}, socs = {0};
    Unit u;
    unit_init(&u);
    (void)!settings_read(&u, path, text, size, &settings);
    find_combinations(c, &settings, &u.arena, &calls, &socs);
    bool there = (uint32_t)nth < calls.n * socs.n;
    if (there) {
        const char *call = calls.p[(uint32_t)nth / socs.n];
        const char *soc = socs.p[(uint32_t)nth % socs.n];
        Options *opt = &one->unit.opt;
        opt->call = call ? arena_strdup(&one->unit.arena, call) : opt->call;
        opt->soc = soc ? arena_strdup(&one->unit.arena, soc) : opt->soc;
    }
    unit_free(&u);
    return there;
}

static void
check_all(const Cmd *c, const SourceFile *src, Unit *u, const char *text, size_t size,
          Report *r)
{
    TestFile settings = {0};
    Names calls = {0}, socs = {0};
    (void)!settings_read(u, src->path, text, size, &settings); /* reported below, too */
    find_combinations(c, &settings, &u->arena, &calls, &socs);
    for (uint32_t i = 0; i < calls.n * socs.n; i++) {
        Combination with = {calls.p[i / socs.n], socs.p[i % socs.n], socs.n > 1};
        Report part = {0};
        check_once(c, src, text, size, with, i ? &part : r);
        if (i) {
            report_merge(r, &part);
            report_free(&part);
        }
    }
}

static void
check_file(const Cmd *c, const SourceFile *src, Report *r)
{
    Cmd one;
    char *text;
    size_t size;
    check_one_begin(c, &src->path, &one);
    if (!io_read(&one.unit, src->path, &text, &size)) {
        (void)report_collect(&one, r, NULL);
    } else if (src->found && !sources_wanted(src->path, text, size)) {
        r->path = src->path;
        r->skip = SKIP_MODULE;
    } else {
        check_all(c, src, &one.unit, text, size, r);
    }
    check_one_end(&one);
}

/* ---- many files ---------------------------------------------------------- */

/* Returns the rank that checks a file; dumps of passes are printed by the one rank that
 * prints. */
static int32_t
rank_of(const Cmd *c, uint32_t file)
{
    return c->print_after ? 0 : (int32_t)(file % (uint32_t)cluster_ranks(c));
}

static bool
is_here(const Cmd *c, uint32_t file)
{
    return rank_of(c, file) == cluster_rank(c);
}

static void *
run_jobs(void *of)
{
    Work *w = of;
    pthread_mutex_lock(&w->lock);
    while (w->next < w->n) {
        Job *job = &w->jobs[w->next++];
        if (!is_here(w->c, (uint32_t)(job - w->jobs))) {
            continue;
        }
        pthread_mutex_unlock(&w->lock);
        check_file(w->c, &job->src, &job->report);
        pthread_mutex_lock(&w->lock);
        job->done = true;
        pthread_cond_signal(&w->finished);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* Shows how far the work is, now and then, on a terminal; the next thing that is printed
 * overwrites it. */
static void
show_progress(const Work *w, uint32_t done, struct timespec *last)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t ns =
        (int64_t)(now.tv_sec - last->tv_sec) * 1000000000 + now.tv_nsec - last->tv_nsec;
    if (ns >= PROGRESS_NS && done < w->n) {
        fprintf(stderr, "\r%u of %u files checked\r", done, w->n);
        fflush(stderr);
        *last = now;
    }
}

/* Receives the report of a file that another rank checks. */
static void
take_report(Cmd *c, Job *job, int32_t from)
{
    char *bytes;
    size_t n;
    job->report.path = job->src.path;
    if (!cluster_take(c, from, &bytes, &n) || !report_decode(&job->report, bytes, n)) {
        job->report.code = EXIT_IO;
    }
}

/* Brings the report of a file to rank 0. Returns whether it is here. */
static bool
bring(Cmd *c, Work *w, uint32_t i)
{
    Job *job = &w->jobs[i];
    if (cluster_first(c)) {
        if (!is_here(c, i)) {
            take_report(c, job, rank_of(c, i));
        }
        return true;
    }
    if (is_here(c, i)) {
        Text t;
        text_init(&t, &job->report.arena);
        report_encode(&job->report, &t);
        (void)!cluster_give(c, t.p, t.n);
        report_free(&job->report);
    }
    return false;
}

/* Prints the reports in their order as they come. */
static void
collect(Cmd *c, Work *w, Findings *f, bool progress)
{
    struct timespec last = {0};
    for (uint32_t i = 0; i < w->n; i++) {
        pthread_mutex_lock(&w->lock);
        while (is_here(c, i) && !w->jobs[i].done) {
            pthread_cond_wait(&w->finished, &w->lock);
        }
        pthread_mutex_unlock(&w->lock);
        if (!bring(c, w, i)) {
            continue;
        }
        bool quiet = w->jobs[i].report.list.n == 0 && w->jobs[i].report.log.n == 0;
        if (progress && !quiet) {
            fputs("\033[K", stderr); /* the line of progress */
        }
        findings_add(f, &w->jobs[i].report);
        if (progress) {
            show_progress(w, i + 1, &last);
        }
    }
    if (progress) {
        fputs("\033[K", stderr);
    }
}

static int
thread_count(const Cmd *c, uint32_t files)
{
    int64_t n = c->jobs ? c->jobs : cpu_count();
    return c->print_after ? 1 : (int)MIN(n, (int64_t)files);
}

/* Checks the files with n threads beside this one, as many as can be had. */
static void
run_threads(Cmd *c, Work *w, int n, Findings *f, bool progress)
{
    enum {
        MOST = 256
    };
    pthread_t threads[MOST];
    pthread_attr_t attr;
    int started = 0;
    bool room =
        pthread_attr_init(&attr) == 0 && pthread_attr_setstacksize(&attr, STACK) == 0;
    while (room && started < MIN(n, MOST) &&
           pthread_create(&threads[started], &attr, run_jobs, w) == 0) {
        started++;
    }
    pthread_attr_destroy(&attr);
    if (started == 0) {
        (void)run_jobs(w);
    }
    collect(c, w, f, progress);
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
}

void
check_files(Cmd *c, const SourceFiles *files, Findings *f)
{
    Work w = {.c = c, .n = files->n};
    w.jobs = ARENA_ARRAY(&c->unit.arena, Job, files->n + 1);
    for (uint32_t i = 0; i < files->n; i++) {
        w.jobs[i].src = files->p[i];
    }
    int threads = thread_count(c, files->n);
    bool progress = threads > 1 && report_text(c) && isatty(STDERR_FILENO);
    pthread_mutex_init(&w.lock, NULL);
    pthread_cond_init(&w.finished, NULL);
    if (threads > 1) {
        run_threads(c, &w, threads, f, progress);
    } else {
        for (uint32_t i = 0; i < w.n; i++) {
            if (is_here(c, i)) {
                check_file(c, &w.jobs[i].src, &w.jobs[i].report);
            }
            if (bring(c, &w, i)) {
                findings_add(f, &w.jobs[i].report);
            }
        }
    }
    pthread_cond_destroy(&w.finished);
    pthread_mutex_destroy(&w.lock);
}
