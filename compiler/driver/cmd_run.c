/* cmd_run.c: implements tikc run: it runs a kernel on arrays. The steps are: find the
 * kernel and its parameters (from source or blob), load the inputs, run on one back end,
 * compare and write the outputs. Nothing is written unless the run succeeds. */
#include "driver/cluster.h"
#include "driver/expect.h"
#include "driver/print.h"

#include <string.h>

static bool
run_job(Cmd *c, Job *job, TikError *err)
{
    TRY(job_share_arrays(c, job, err));
    bool ok = job_execute(c, job, job->kernel != NULL, err);
    if (!cluster_first(c)) {
        return true; /* rank 0 has the results */
    }
    /* what was noted before a fault is what one looks for */
    TRY(print_show(c, job) && ok);
    /* the user may have made a warning of the run an error */
    TRY(c->unit.errors == 0);
    /* an output that is not what was expected is written: it is what one looks at */
    return expect_check(c, job, err) && job_write_arrays(c, job, err);
}

/* Where it is counted or timed what a kernel executes, its prints are left out. */
static bool
wants_prints(const Cmd *c)
{
    return !c->stats && !(c->run_mode && strcmp(c->run_mode, "time") == 0);
}

static bool
prepare(Cmd *c, Job *job)
{
    TRY(report_format(c) && expect_options(c) && cluster_share_input(c));
    TRY(job_prepare(c, job) && job_check_names(c, job));
    for (uint32_t i = 1; i < c->unit.sources.n; i++) {
        const Source *src = &c->unit.sources.p[i];
        cluster_same(c, src->absent ? "" : src->text, src->absent ? 0 : src->len);
    }
    cluster_same(c, job->blob, job->blob_size);
    return !cluster_first(c) || job_check_outputs(c);
}

int
cmd_run(Cmd *c)
{
    Job job = {0};
    c->unit.opt.shows_prints = wants_prints(c);
    if (!cluster_agree(c, prepare(c, &job), NULL)) {
        int code = report_unit(c);
        return MAX(code, EXIT_FINDINGS);
    }
    TikError err = {0};
    bool ok = run_job(c, &job, &err);
    job_free_arrays(&job);
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
