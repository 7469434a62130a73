/* job.h: a kernel that commands run on arrays. */
#ifndef TIKC_JOB_H
#define TIKC_JOB_H

#include "driver/driver.h"

/* A kernel that is to be run: its parameters, and one of its two forms. */
typedef struct Job {
    const Kernel *prints; /* kernel with a log of prints; null: there is none */
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

/* ---- job.c --------------------------------------------------------------- */

void job_error(TikError *err, TikErrorKind kind, const char *name, const char *text);
/* Returns the index of the parameter of that name, or -1. */
int job_find_param(const Job *job, const char *name);
/* Returns whether a parameter is an address list. */
bool job_is_list(const TikParam *p);
/* Finds the kernel of the command's file: a source is compiled, a blob verified. Returns
 * false after a diagnostic. */
bool MUST_USE job_prepare(Cmd *c, Job *job);

/* ---- job_arrays.c -------------------------------------------------------- */

/* Checks, before anything runs, the tensors that --in and --out name. */
bool MUST_USE job_check_names(Cmd *c, const Job *job);
/* Checks as far as possible, before the run, that the outputs can be written: a kernel
 * may run for long, and all outputs are written or none. */
bool MUST_USE job_check_outputs(Cmd *c);
/* Returns the index-th file for a tensor, or null. */
const Binding *job_find_in(const Cmd *c, const char *name, int64_t index);
/* Return false with *err. */
bool MUST_USE job_load_arrays(Cmd *c, Job *job, TikError *err);
/* Does so on rank 0, whose arrays the other processes of a cluster get. */
bool MUST_USE job_share_arrays(Cmd *c, Job *job, TikError *err);
bool MUST_USE job_write_arrays(Cmd *c, const Job *job, TikError *err);
void job_free_arrays(Job *job);

/* Copies the bytes of all arrays, and puts such copies back. */
uint8_t *job_copy(Cmd *c, const Job *job);
void job_put(const Job *job, const uint8_t *copy);
/* Returns the first parameter of which the arrays differ from a copy, -1 if none does.
 * *was is then the array as it was copied. */
int job_differing(const Job *job, const uint8_t *copy, TikArray *was);

/* ---- job_run.c ----------------------------------------------------------- */

/* Runs the kernel (host) or the blob of a job. Returns false with *err; its kind is
 * TIK_OK if the unit has the diagnostic. */
bool MUST_USE job_execute(Cmd *c, Job *job, bool host, TikError *err);

#endif
