/* job_run.c: runs a kernel on its arrays, on either back end, with what is watched
 * meanwhile: warnings, orders of queues, the model of time. */
#include "driver/cluster.h"
#include "driver/job.h"
#include "driver/profile.h"
#include "host/host.h"
#include "tikblob.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Returns the bit of --sanitize that a finding belongs to, or 0. */
static unsigned
sanitizer_of(DiagId id)
{
    bool uninit = id == D_UNINIT || id == D_UNINIT_READ || id == D_PAD_READ;
    bool race = id == D_CORE_COLLISION || id == D_RACE || id == D_WAW_NO_BARRIER ||
                id == D_SYNC_OVERRUN;
    return uninit ? SANITIZE_UNINIT : race ? SANITIZE_RACE : 0;
}

/* Returns whether a warning is what the mode check looks for. */
static bool
is_check_finding(const Cmd *c, DiagId id)
{
    return wants_check(c) && sanitizer_of(id) != 0;
}

/* Returns whether --sanitize leaves a finding out. */
static bool
is_unwanted(const Cmd *c, DiagId id)
{
    unsigned bit = sanitizer_of(id);
    return c->sanitizers && bit && !(c->sanitizers & bit);
}

/* With --sanitize, what the compiler has found of queues counts like what the run
 * finds. */
static void
count_races(Cmd *c)
{
    for (uint32_t i = 0; i < c->unit.diags.n; i++) {
        bool race = c->unit.diags.p[i]->id == D_RACE;
        c->found = c->found || (race && (c->sanitizers & SANITIZE_RACE));
    }
}

static void
warn_while_running(void *ctx, const char *name, const char *text, const char *place)
{
    Cmd *c = ctx;
    DiagId id = diag_find(name);
    Span span;
    bool known = report_place(&c->unit, place, &span);
    bool silent = known && severity_decide(&c->unit, id, span, 0, false, true).silent;
    c->found = c->found || (!silent && c->sanitizers && !is_unwanted(c, id) &&
                            is_check_finding(c, id));
    if (!silent && !is_unwanted(c, id) && !is_reported(&c->unit, id, text)) {
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

/* Says why the other processes were of no use. */
static void
note_alone(Cmd *c, const char *kernel)
{
    const TikPeers *peers = cluster_peers(c);
    if (peers && peers->alone) {
        diag_add(&c->unit, D_NOT_SPREAD, (Span){0}, 0, "'%s' ran on rank 0 alone: %s",
                 kernel, peers->alone);
    }
}

static bool
run_entry(Cmd *c, Job *job, const TikKernel *entry, TikError *err)
{
    TikPeers *peers = cluster_peers(c);
    bool ok = peers ? tik_launch_among(peers, entry, job->pointers, (int)c->threads,
                                       warn_while_running, c, err)
                    : tik_launch_watched(entry, job->pointers, (int)c->threads,
                                         warn_while_running, c, err);
    note_alone(c, entry->name);
    c->fault_chain = ok ? 0 : chain_of_kernel(&c->unit, entry, err->frame);
    return ok;
}

static bool
run_host(Cmd *c, Job *job, TikError *err)
{
    const HostApi *host = host_open(&c->unit);
    c->opt_level = c->debug ? 0 : c->opt_level;
    HostOptions opt = {.opt_level = (int)c->opt_level, .cpu = c->cpu, .debug = c->debug};
    bool ready = cpu_check_runs(c) && host && tile_kernels(c, &job->kernel, 1);
    HostSession *s = ready ? host->open(&c->unit, &opt) : NULL;
    TikKernel entry;
    void *handle = NULL;
    bool ok = false;
    bool made = s != NULL && host->jit(s, &job->kernel, 1, true, &entry, &handle);
    if (cluster_agree(c, made, NULL)) {
        ok = run_entry(c, job, &entry, err);
    } else {
        job_error(err, TIK_OK, "", ""); /* the unit has the diagnostic */
    }
    if (made) {
        host->release(handle);
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
    const uint8_t *before = job_copy(c, job), *results = NULL;
    int64_t first = c->seed > 0 ? c->seed : 1;
    for (int64_t i = 0; i <= c->schedules; i++) {
        bool by_queues = i < c->schedules;
        TikEmuOptions o = {.lmem_fill = last->lmem_fill,
                           .schedule = (uint64_t)first + (uint64_t)i};
        job_put(job, before);
        if (!tik_emulate_watched(job->blob, job->blob_size, job->blob_kernel,
                                 job->pointers, by_queues ? &o : last, err)) {
            if (by_queues) {
                note_seed(err, first + i);
            }
            return false;
        }
        results = results == NULL ? job_copy(c, job) : results;
        TikArray was;
        int at = job_differing(job, results, &was);
        if (at >= 0) {
            job_error(err, TIK_ERR_FAULT, "race",
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
        defined[i] = !made || p->preset || job_find_in(c, p->name, 0) != NULL;
    }
    return defined;
}

static bool
wants_time(const Cmd *c)
{
    return c->run_mode && strcmp(c->run_mode, "time") == 0;
}

/* Runs the blob in the mode of the command line. */
static bool
emulate(Cmd *c, Job *job, const TikEmuOptions *o, TikError *err)
{
    const TikArray *lanes = o->lmem;
    bool ok = c->schedules > 0
                  ? run_schedules(c, job, o, err)
                  : tik_emulate_watched(job->blob, job->blob_size, job->blob_kernel,
                                        job->pointers, o, err);
    return ok && (!lanes || tik_npy_write(c->lmem_dump, lanes, err));
}

/* Returns the name of the blob's kernel. */
static const char *
blob_kernel_name(Cmd *c, const Job *job)
{
    TikBlob b;
    TikBlobKernel k = {.name = ""};
    if (tikblob_open(&b, job->blob, job->blob_size, NULL)) {
        tikblob_kernel(&b, job->blob_kernel, &k);
    }
    return arena_strdup(&c->unit.arena, k.name);
}

/* Makes what collects the counts of a run. Those of several processes are added up, and
 * they have no single instructions. */
static bool
begin_view(Cmd *c, const Job *job, ProfileView **out)
{
    *out = NULL;
    if (!wants_time(c) && !c->stats) {
        return true;
    }
    ProfileView *view = *out = ARENA_NEW(&c->unit.arena, ProfileView);
    TRY(profile_begin(c, view, job->blob, job->blob_size, job->blob_kernel));
    if (cluster_peers(c) && !wants_time(c)) {
        view->profile.event = NULL;
    }
    return true;
}

static bool
run_emulator(Cmd *c, Job *job, TikError *err)
{
    TikArray lmem = {0};
    ProfileView *view = NULL;
    TikEmuOptions o = {.lmem = c->lmem_dump ? &lmem : NULL,
                       .warn = warn_while_running,
                       .ctx = c,
                       .check = wants_check(c),
                       .defined = defined_args(c, job)};
    bool ready =
        read_fill(c, &o.lmem_fill) && can_schedule(c, job) && begin_view(c, job, &view);
    TRY(cluster_agree(c, ready, NULL));
    o.profile = view ? &view->profile : NULL;
    o.peers = cluster_peers(c);
    bool looks = c->schedules > 0 || (wants_time(c) && o.peers);
    if (looks && o.peers) {
        o.peers->alone = "the mode looks at all cores";
        o.peers = NULL;
    }
    bool runs = cluster_first(c) || o.peers;
    bool ok = !runs || emulate(c, job, &o, err);
    note_alone(c, blob_kernel_name(c, job));
    c->fault_chain = ok ? 0 : chain_of_blob(&c->unit, job, err->frame);
    tik_array_free(&lmem);
    TRY(ok && (!c->stats || profile_stats(c, view)));
    return !wants_time(c) || profile_end(c, view);
}

bool
job_execute(Cmd *c, Job *job, bool host, TikError *err)
{
    count_races(c);
    return host ? run_host(c, job, err) : run_emulator(c, job, err);
}
