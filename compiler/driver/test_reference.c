/* test_reference.c: computes with a script of the user what outputs a test expects. The
 * script gets a folder with the inputs, NAME.npy for each global tensor, and the kernel's
 * name; it writes NAME.expect.npy there for each output that it knows. */
#define _XOPEN_SOURCE 700
#include "driver/fill.h"
#include "driver/job.h"
#include "driver/test.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool
failed(Cmd *c, const char *script, const char *why)
{
    diag_add(&c->unit, D_TEST_FILE, (Span){0}, 0, "the reference '%s' %s", script, why);
    return false;
}

static const char *
file_of(Arena *a, const char *folder, const TikParam *p, const char *ends)
{
    return arena_printf(a, "%s/%s%s", folder, p->name, ends);
}

static bool
write_inputs(Cmd *c, const Job *job, const char *script, const char *folder)
{
    Arena *a = &c->unit.arena;
    TikError err;
    for (int i = 0; i < job->nparams; i++) {
        if (job_is_list(&job->params[i])) {
            return failed(c, script, "is for kernels without address lists");
        }
        if (!tik_npy_write(file_of(a, folder, &job->params[i], ".npy"), &job->arrays[i],
                           &err)) {
            return failed(c, script, err.text);
        }
    }
    return true;
}

/* Runs PYTHON SCRIPT FOLDER KERNEL. What it prints goes to standard error, since standard
 * output is the report. */
static bool
run_script(Cmd *c, const Job *job, const char *script, const char *folder)
{
    const char *python = getenv("PYTHON");
    const char *name = sym_text(&c->unit.names, job->kernel->name);
    char *argv[] = {(char *)(uintptr_t)(python && *python ? python : "python3"),
                    (char *)(uintptr_t)script, (char *)(uintptr_t)folder,
                    (char *)(uintptr_t)name, NULL};
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGPIPE, SIG_DFL);
        if (dup2(STDERR_FILENO, STDOUT_FILENO) >= 0) {
            execvp(argv[0], argv);
        }
        _exit(127);
    }
    int status = 0;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (pid < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 127)) {
        return failed(c, script,
                      arena_printf(&c->unit.arena, "cannot be run with '%s'", argv[0]));
    }
    return (WIFEXITED(status) && WEXITSTATUS(status) == 0) ||
           failed(
               c, script,
               arena_printf(&c->unit.arena, "ended with %s %d",
                            WIFEXITED(status) ? "exit code" : "signal",
                            WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status)));
}

static bool
take_expected(Cmd *c, const Job *job, const char *script, const char *folder)
{
    Arena *a = &c->unit.arena;
    uint32_t before = c->expects.n;
    for (int i = 0; i < job->nparams; i++) {
        const char *path = file_of(a, folder, &job->params[i], ".expect.npy");
        if (access(path, F_OK) != 0) {
            continue;
        }
        Fill *fill = ARENA_NEW(a, Fill);
        *fill = (Fill){.kind = FILL_FILE, .text = script};
        Binding b = {.tensor = job->params[i].name, .path = path, .fill = fill};
        VEC_PUSH(a, &c->expects, b);
    }
    return c->expects.n > before ||
           failed(c, script, "wrote no TENSOR.expect.npy into its folder");
}

bool
test_reference(Cmd *c, const Job *job, const char *script, const char **folder)
{
    const char *base = getenv("TMPDIR");
    char *made = arena_printf(&c->unit.arena, "%s/tikc-test-XXXXXX",
                              base && *base ? base : "/tmp");
    *folder = mkdtemp(made);
    if (!*folder) {
        diag_add(&c->unit, D_FILE_WRITE, (Span){0}, 0, "cannot write '%s': %s", made,
                 strerror(errno));
        return false;
    }
    return write_inputs(c, job, script, *folder) && run_script(c, job, script, *folder) &&
           take_expected(c, job, script, *folder);
}

void
test_forget(const Job *job, const char *folder)
{
    Arena a = {0};
    for (int i = 0; folder && i < job->nparams; i++) {
        unlink(file_of(&a, folder, &job->params[i], ".npy"));
        unlink(file_of(&a, folder, &job->params[i], ".expect.npy"));
    }
    if (folder) {
        rmdir(folder);
    }
    arena_free(&a);
}
