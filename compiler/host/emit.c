/* emit.c: writes ahead-of-time output: object code, a shared library, LLVM IR or assembly
 * of kernels, with a TikKernel descriptor for each. Output gets a temporary name in the
 * same folder and is renamed when it is complete, so that nobody sees a half-written
 * file; a path that is no ordinary file (a device, a pipe, - for standard output) is
 * written directly. The C compiler of the system links the shared library, and its
 * messages become notes of the diagnostic. */
#ifndef _GNU_SOURCE /* the flags of LLVM define it on most systems */
#define _GNU_SOURCE
#endif
#include "host/ready.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Output {
    Unit *u;
    const char *path;
    const char *shown; /* its name in messages */
    char *temp;        /* path that is written first; equal to path for devices */
} Output;

static bool
is_stdout(const char *path)
{
    return strcmp(path, "-") == 0;
}

static bool
cannot_write(const Output *o)
{
    diag_add(o->u, D_FILE_WRITE, (Span){0}, 0, "cannot write '%s': %s",
             is_stdout(o->path) ? "standard output" : o->shown, strerror(errno));
    return false;
}

static void
output_begin(Output *o, Unit *u, const HostOptions *opt, const char *path)
{
    struct stat st;
    bool special = is_stdout(path) || (stat(path, &st) == 0 && !S_ISREG(st.st_mode));
    o->u = u;
    o->path = path;
    o->shown = opt->shown ? opt->shown : path;
    o->temp = special ? arena_strdup(&u->arena, path)
                      : arena_printf(&u->arena, "%s.%ld.tmp", path, (long)getpid());
}

static bool
is_direct(const Output *o)
{
    return strcmp(o->temp, o->path) == 0;
}

static void
output_abandon(const Output *o)
{
    if (!is_direct(o)) {
        unlink(o->temp);
    }
}

static bool
output_commit(const Output *o)
{
    if (is_direct(o) || rename(o->temp, o->path) == 0) {
        return true;
    }
    cannot_write(o);
    output_abandon(o);
    return false;
}

static bool
write_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t done = write(fd, bytes, n);
        if (done < 0 && errno != EINTR) {
            return false;
        }
        if (done > 0) {
            bytes += done;
            n -= (size_t)done;
        }
    }
    return true;
}

static bool
output_write(const Output *o, const char *bytes, size_t n)
{
    bool to_stdout = is_stdout(o->temp);
    int fd = to_stdout ? dup(1)
                       : open(o->temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        return cannot_write(o);
    }
    bool ok = write_all(fd, bytes, n);
    ok = close(fd) == 0 && ok;
    if (!ok) {
        cannot_write(o);
        output_abandon(o);
    }
    return ok;
}

/* ---- shared libraries ---------------------------------------------------- */

extern char **environ;

static bool
start_linker(char **argv, const int *pipe_fd, pid_t *pid, Text *log)
{
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, pipe_fd[1], 1);
    posix_spawn_file_actions_adddup2(&files, pipe_fd[1], 2);
    posix_spawn_file_actions_addclose(&files, pipe_fd[0]);
    posix_spawn_file_actions_addclose(&files, pipe_fd[1]);
    /* This process blocks signals until its files are in their places; they must still be
     * able to end the linker. */
    posix_spawnattr_t attr;
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
    int error = posix_spawnp(pid, argv[0], &files, &attr, argv, environ);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&files);
    if (error != 0) {
        text_put(log, strerror(error));
    }
    return error == 0;
}

static void
read_all(int fd, Text *log)
{
    char buf[512];
    for (;;) {
        ssize_t n = read(fd, buf, sizeof buf);
        if (n > 0) {
            text_putn(log, buf, (size_t)n);
        } else if (n == 0 || errno != EINTR) {
            return;
        }
    }
}

/* Returns the folder of libtikrt.so: that of this library in a build tree, the one above
 * where they are installed. Null if the system does not know where this library is. */
static char *
runtime_folder(Arena *a)
{
    char *folder = host_folder(a);
    char *slash = folder != NULL ? strrchr(folder, '/') : NULL;
    if (slash != NULL && access(arena_printf(a, "%s/" RUNTIME_NAME, folder), R_OK) != 0) {
        *slash = '\0';
    }
    return folder;
}

/* Runs the linker; log gets what it prints. Returns its exit status, or -1. The library
 * names libtikrt.so and where it is, so that a program need not have loaded it. */
static int
run_linker(Arena *a, const char *object, const char *library, Text *log)
{
    char *folder = runtime_folder(a);
    if (folder == NULL) {
        text_put(log, "the folder of libtikc-host.so is not known");
        return -1;
    }
    char *named[] = {"-Wl,--no-as-needed", arena_printf(a, "%s/" RUNTIME_NAME, folder)};
    char *argv[] = {"cc",           "-shared",  "-o",     (char *)library,
                    (char *)object, named[0],   named[1], "-Xlinker",
                    "-rpath",       "-Xlinker", folder,   NULL};
    int pipe_fd[2];
    if (pipe(pipe_fd) != 0) {
        text_put(log, strerror(errno));
        return -1;
    }
    pid_t pid = 0;
    bool started = start_linker(argv, pipe_fd, &pid, log);
    close(pipe_fd[1]);
    if (started) {
        read_all(pipe_fd[0], log);
    }
    close(pipe_fd[0]);
    int status = -1;
    while (started && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return started && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool
link_shared(const Output *o, const char *object)
{
    Text log;
    text_init(&log, &o->u->arena);
    int status = run_linker(&o->u->arena, object, o->temp, &log);
    if (status == 0) {
        return true;
    }
    output_abandon(o);
    while (log.n > 0 && log.p[log.n - 1] == '\n') {
        log.p[--log.n] = 0;
    }
    Diag *d = diag_add(o->u, D_BACKEND, (Span){0}, 0,
                       "the linker failed on '%s' (exit status %d)", o->shown, status);
    if (log.n > 0) {
        diag_note(o->u, d, (Span){0}, "cc: %s", log.p);
    }
    return false;
}

static bool
write_shared(const Output *o, const char *bytes, size_t n)
{
    Output object = {o->u, o->path, o->shown,
                     arena_printf(&o->u->arena, "%s.o", o->temp)};
    if (is_direct(o)) {
        diag_add(o->u, D_FILE_WRITE, (Span){0}, 0,
                 "a shared library needs an ordinary file; '%s' is none", o->shown);
        return false;
    }
    TRY(output_write(&object, bytes, n));
    bool ok = link_shared(o, object.temp);
    unlink(object.temp);
    return ok && output_commit(o);
}

/* ---- entry --------------------------------------------------------------- */

static bool
write_text(const Output *o, LLVMModuleRef mod)
{
    char *text = LLVMPrintModuleToString(mod);
    bool ok = output_write(o, text, strlen(text)) && output_commit(o);
    LLVMDisposeMessage(text);
    return ok;
}

static bool
write_code(const Output *o, Lower *l, HostEmit what)
{
    LLVMCodeGenFileType type = what == HOST_ASM ? LLVMAssemblyFile : LLVMObjectFile;
    char *error = NULL;
    LLVMMemoryBufferRef code = NULL;
    if (LLVMTargetMachineEmitToMemoryBuffer(l->target->machine, l->mod, type, &error,
                                            &code)) {
        diag_add(o->u, D_BACKEND, (Span){0}, 0, "LLVM cannot make code: %s", error);
        LLVMDisposeMessage(error);
        return false;
    }
    const char *bytes = LLVMGetBufferStart(code);
    size_t n = LLVMGetBufferSize(code);
    bool ok = what == HOST_SHARED ? write_shared(o, bytes, n)
                                  : output_write(o, bytes, n) && output_commit(o);
    LLVMDisposeMemoryBuffer(code);
    return ok;
}

static bool
has_none(void *helpers, const char *name)
{
    (void)helpers;
    (void)name;
    return false;
}

/* Leaves the helpers of all versions of the kernels. */
static bool
emit_helpers(Lower *l, Kernel *const *kernels, int n, const HostOptions *opt,
             const char *path)
{
    l->store = (HelperStore){has_none, NULL};
    for (int i = 0; i < n; i++) {
        lower_kernel(l, kernels[i], false);
    }
    char *error = NULL;
    if (!ready_keep_helpers(l->mod, l->target, &error) ||
        !host_target_optimise(l->target, l->mod, true, &error)) {
        diag_add(l->u, D_BACKEND, (Span){0}, 0, "LLVM cannot make the helpers: %s",
                 error);
        LLVMDisposeMessage(error);
        return false;
    }
    Output o;
    output_begin(&o, l->u, opt, path);
    return write_code(&o, l, HOST_HELPERS);
}

static bool
emit_module(Lower *l, Kernel *const *kernels, int n, HostEmit what,
            const HostOptions *opt, const char *path)
{
    debug_open(l);
    for (int i = 0; i < n; i++) {
        LLVMValueRef entry = lower_kernel(l, kernels[i], false);
        descriptor_emit(l, kernels[i], entry, lower_inspector(l, kernels[i]));
    }
    debug_close(l);
    char *error = NULL;
    if (!host_target_optimise(l->target, l->mod, l->has_slots, &error)) {
        diag_add(l->u, D_BACKEND, (Span){0}, 0, "LLVM cannot optimise the code: %s",
                 error);
        LLVMDisposeMessage(error);
        return false;
    }
    Output o;
    output_begin(&o, l->u, opt, path);
    return what == HOST_LLVM ? write_text(&o, l->mod) : write_code(&o, l, what);
}

bool
host_emit(Unit *u, Kernel *const *kernels, int n, HostEmit what, const HostOptions *opt,
          const char *path)
{
    HostTarget t;
    char *error = NULL;
    if (!host_target_open(&t, opt, &error)) {
        diag_add(u, D_BACKEND, (Span){0}, 0, "LLVM has no code for this machine: %s",
                 error);
        LLVMDisposeMessage(error);
        return false;
    }
    Arena scratch;
    arena_init(&scratch);
    Lower l;
    lower_open(&l, u, &scratch, &t, "tikc");
    bool ok = what == HOST_HELPERS ? emit_helpers(&l, kernels, n, opt, path)
                                   : emit_module(&l, kernels, n, what, opt, path);
    lower_close(&l);
    arena_free(&scratch);
    host_target_close(&t);
    return ok;
}
