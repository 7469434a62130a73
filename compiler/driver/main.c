/* main.c: the tikc tool: it finds the command, runs it and ends the process. No other
 * file exits. */
#include "base/nearest.h"
#include "driver/cluster.h"
#include "driver/commands.h"
#include "driver/driver.h"
#include "host/host.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const Command commands[] = {
#define COMMAND(id, word, name, lo, hi, synopsis, what)                                  \
    {word, CMD_##id, lo, hi, synopsis, what, cmd_##name},
#include "driver/command.def"
};

/* Where a process whose output is kept (cluster.h) prints that it ends; for the handler
 * of a signal, which nothing else reaches. */
static volatile sig_atomic_t crash_output = STDERR_FILENO;

/* Shows what the process has printed and nobody has seen. */
static void
show_kept(void)
{
    char part[512];
    ssize_t n = lseek(STDERR_FILENO, 0, SEEK_SET) == 0 ? 1 : 0;
    while (n > 0 && (n = read(STDERR_FILENO, part, sizeof part)) > 0) {
        (void)!write(crash_output, part, (size_t)n);
    }
}

/* Ends the tool after a fault of ours, which has printed itself (ICE) or is a crash; both
 * have the documented exit code. */
static void
on_crash(int sig)
{
    static const char text[] =
        "tikc: internal error: this is a fault of tikc, please report it\n";
    if (crash_output != STDERR_FILENO) {
        show_kept();
    }
    (void)!write(crash_output, text, sizeof text - 1);
    (void)sig;
    _exit(EXIT_INTERNAL);
}

static int
print_and_exit(const char *text)
{
    fputs(text, stdout);
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return EXIT_CLEAN;
    }
    fputs("tikc: error: cannot write standard output [file-write]\n", stderr);
    return EXIT_IO;
}

/* Prints what a report of a fault has to say: the versions of the tool and of what it is
 * made with, and for how many processors it compiles. */
static int
print_version(void)
{
    Unit u;
    Text t;
    int lanes = 0;
    unit_init(&u);
    text_init(&t, &u.arena);
    for (int i = 0; i < soc_count(); i++) {
        lanes += soc_at(i)->lmem != NULL;
    }
    const HostApi *host = host_open(&u);
    text_printf(&t, "tikc %s\nblob format %d.%d\n", TIKC_VERSION, TIKBLOB_MAJOR,
                TIKBLOB_MINOR);
    text_printf(&t, "%s%s\n", host ? "LLVM " : "no LLVM: the host back end is not there",
                host ? host->llvm : "");
    text_printf(&t, "%d processors with a unified buffer, %d with lanes (tikc targets)\n",
                soc_count() - lanes, lanes);
    int code = print_and_exit(t.p);
    unit_free(&u);
    return code;
}

static bool
wants_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            return true;
        }
    }
    return false;
}

static int
run_command(const Command *cmd, int argc, char **argv)
{
    Cmd c;
    memset(&c, 0, sizeof c);
    unit_init(&c.unit);
    c.opt_level = 2;
    c.command = cmd;
    int code;
    if (wants_help(argc, argv)) {
        Text t;
        text_init(&t, &c.unit.arena);
        options_command_help(cmd, &t);
        code = print_and_exit(t.p);
    } else if (!options_parse(&c, cmd, argc, argv) || !cluster_option(&c)) {
        code = cluster_is_other() ? EXIT_CLEAN : report_unit(&c);
    } else {
        bool joined = cluster_join(&c, argc, argv);
        crash_output = cluster_errors(&c);
        code = cluster_leave(&c, joined ? cmd->run(&c) : report_unit(&c));
    }
    for (uint32_t i = 0; i < c.unit.kernels.n; i++) {
        kernel_free(c.unit.kernels.p[i]);
    }
    unit_free(&c.unit);
    return code;
}

enum {
    STACK = 8 << 20 /* deep programs need it; this is the usual limit */
};

typedef struct Run {
    const Command *cmd;
    int argc;
    char **argv;
    int code;
} Run;

static void *
run_thread(void *of)
{
    Run *r = of;
    r->code = run_command(r->cmd, r->argc, r->argv);
    return NULL;
}

/* Runs the command in a thread with a stack of the usual size where the limit of the
 * stack is low. */
static int
run_with_room(const Command *cmd, int argc, char **argv)
{
    struct rlimit lim;
    pthread_attr_t attr;
    pthread_t thread;
    Run r = {cmd, argc, argv, EXIT_INTERNAL};
    if (getrlimit(RLIMIT_STACK, &lim) != 0 || lim.rlim_cur >= STACK ||
        pthread_attr_init(&attr) != 0) {
        return run_command(cmd, argc, argv);
    }
    bool started = pthread_attr_setstacksize(&attr, STACK) == 0 &&
                   pthread_create(&thread, &attr, run_thread, &r) == 0;
    pthread_attr_destroy(&attr);
    if (!started) {
        return run_command(cmd, argc, argv);
    }
    pthread_join(thread, NULL);
    return r.code;
}

static int
usage(const char *word)
{
    Nearest near = {word};
    if (!word) {
        fprintf(stderr, "tikc: error: a command is missing [usage]\n");
    } else if (access(word, F_OK) == 0) {
        fprintf(stderr,
                "tikc: error: a command is missing before '%s' [usage]\n"
                "help: 'tikc check %s' checks it; 'tikc --help' lists the commands\n",
                word, word);
        return EXIT_USAGE;
    } else {
        fprintf(stderr, "tikc: error: unknown command '%s' [usage]\n", word);
        for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
            nearest_try(&near, commands[i].name);
        }
    }
    fprintf(stderr, near.best ? "help: did you mean '%s'? " : "help: ", near.best);
    fprintf(stderr, "'tikc --help' lists the commands\n");
    return EXIT_USAGE;
}

int
main(int argc, char **argv)
{
    signal(SIGABRT, on_crash);
    /* writing beyond the limit of a file's size then fails and does not end the tool */
    signal(SIGXFSZ, SIG_IGN);
    const char *word = argc > 1 ? argv[1] : NULL;
    if (!word) {
        return usage(NULL);
    }
    if (strcmp(word, "--version") == 0) {
        return print_version();
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
        strcmp(word, "help") == 0) {
        Arena a = {0};
        Text t;
        text_init(&t, &a);
        options_help(commands, ARRAY_LEN(commands), &t);
        int code = print_and_exit(t.p);
        arena_free(&a);
        return code;
    }
    for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
        if (strcmp(commands[i].name, word) == 0) {
            return run_with_room(&commands[i], argc - 2, argv + 2);
        }
    }
    return usage(word);
}
