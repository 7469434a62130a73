/* peak.c: runs a command, discards its output, and prints its wall time, its processor
 * time and its peak memory. It is a program of its own because a process starts with the
 * peak of the one that made it: this one is small.
 *
 *  peak COMMAND...        prints: SECONDS PROCESSOR_SECONDS KILOBYTES EXIT_STATUS */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double
seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double
processor_seconds(const struct rusage *use)
{
    return (double)(use->ru_utime.tv_sec + use->ru_stime.tv_sec) +
           (double)(use->ru_utime.tv_usec + use->ru_stime.tv_usec) * 1e-6;
}

int
main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: peak COMMAND...\n");
        return 2;
    }
    double start = seconds();
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 1);
        execvp(argv[1], argv + 1);
        perror(argv[1]);
        _exit(127);
    }
    int status = 1;
    if (pid < 0 || waitpid(pid, &status, 0) < 0) {
        perror("peak");
        return 1;
    }
    double end = seconds();
    struct rusage use;
    getrusage(RUSAGE_CHILDREN, &use);
    printf("%.6f %.6f %ld %d\n", end - start, processor_seconds(&use), use.ru_maxrss,
           WIFEXITED(status) ? WEXITSTATUS(status) : 128);
    return 0;
}
