/* outfile.c: files that are written as a whole; see outfile.h. */
#define _DEFAULT_SOURCE
#include "launch/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MOST_LINKS = 40 /* that lead to each other, as in the kernel */
};

/* Returns the path that a link names, relative to the folder of the link; the caller
 * frees it. Null when path is no link, or with errno. */
static char *
link_target(const char *path)
{
    char to[PATH_MAX];
    ssize_t n = readlink(path, to, sizeof to - 1);
    const char *slash = strrchr(path, '/');
    if (n < 0) {
        return NULL;
    }
    to[n] = 0;
    size_t folder = to[0] == '/' || slash == NULL ? 0 : (size_t)(slash - path) + 1;
    char *out = malloc(folder + (size_t)n + 1);
    if (out != NULL) {
        memcpy(out, path, folder);
        memcpy(out + folder, to, (size_t)n + 1);
    }
    return out;
}

/* Returns a copy that no program takes for an option. */
static char *
plain(const char *path)
{
    size_t n = strlen(path);
    size_t more = *path == '-' ? 2 : 0;
    char *out = malloc(n + more + 1);
    if (out != NULL) {
        memcpy(out, "./", more);
        memcpy(out + more, path, n + 1);
    }
    return out;
}

/* Follows the links at the end of path, which may lead to nothing. The caller frees the
 * result; null with errno. */
static char *
follow(const char *path)
{
    char *at = plain(path);
    for (int i = 0; at != NULL; i++) {
        struct stat st;
        if (lstat(at, &st) != 0 || !S_ISLNK(st.st_mode)) {
            return at;
        }
        char *next = link_target(at);
        free(at);
        at = next;
        if (i == MOST_LINKS) {
            free(at);
            errno = ELOOP;
            return NULL;
        }
    }
    return NULL;
}

static mode_t
new_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

int
outfile_find(OutPlace *p, const char *path)
{
    struct stat st;
    *p = (OutPlace){.path = follow(path), .mode = new_mode()};
    size_t size = p->path != NULL ? strlen(p->path) + 32 : 0;
    p->temp = p->path != NULL ? malloc(size) : NULL;
    if (p->temp == NULL) {
        return errno;
    }
    snprintf(p->temp, size, "%s.tmp-%ld", p->path, (long)getpid());
    p->existed = stat(p->path, &st) == 0;
    if (!p->existed) {
        return errno == ENOENT ? 0 : errno;
    }
    p->mode = st.st_mode & 07777;
    return S_ISDIR(st.st_mode) ? EISDIR : access(p->path, W_OK) == 0 ? 0 : errno;
}

int
outfile_open(const OutPlace *p)
{
    /* A process with our number that was killed left a file of that name. */
    unlink(p->temp);
    int fd = open(p->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0 && fchmod(fd, p->mode) != 0) {
        int e = errno;
        close(fd);
        outfile_drop(p);
        errno = e;
        return -1;
    }
    return fd;
}

int
outfile_put(const OutPlace *p)
{
    int e = rename(p->temp, p->path) == 0 ? 0 : errno;
    if (e != 0) {
        outfile_drop(p);
    }
    return e;
}

void
outfile_drop(const OutPlace *p)
{
    if (p->temp != NULL) {
        unlink(p->temp);
    }
}

void
outfile_forget(OutPlace *p)
{
    free(p->path);
    free(p->temp);
    *p = (OutPlace){0};
}

void
outfile_begin(sigset_t *before)
{
    static const int ending[] = {SIGHUP,  SIGINT,  SIGTERM, SIGQUIT,
                                 SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU};
    sigset_t all;
    sigemptyset(&all);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        sigaddset(&all, ending[i]);
    }
    pthread_sigmask(SIG_BLOCK, &all, before);
}

void
outfile_end(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}
