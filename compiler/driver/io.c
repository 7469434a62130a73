/* io.c: files of the tool: reading whole, writing through a temporary that is renamed, so that a
 * failed command leaves nothing half-written. */
#include "driver/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
read_failed(Unit *u, const char *path)
{
    diag_add(u, D_FILE_READ, (Span){0}, 0, "cannot read '%s': %s", path, strerror(errno));
    return false;
}

/* False: not readable, or above the limit of a file's size (then with a diagnostic). */
static bool
read_stream(Unit *u, const char *path, FILE *f, char **bytes, size_t *size)
{
    Text t;
    text_init(&t, &u->arena);
    char buf[65536];
    size_t n;
    size_t limit = (size_t)MAX(u->opt.limits.file, 0);
    struct stat st;
    if (fstat(fileno(f), &st) == 0 && S_ISREG(st.st_mode)) {
        text_reserve(&t, MIN((size_t)st.st_size, limit));
    }
    while ((n = fread(buf, 1, sizeof buf, f)) > 0 && t.n + n <= limit) {
        text_putn(&t, buf, n);
    }
    *bytes = t.p;
    *size = t.n;
    if (ferror(f)) {
        return read_failed(u, path);
    }
    if (n > 0) {
        diag_add(u, D_LIMIT_FILE, (Span){0}, 0, "'%s' has more than %zu bytes", path,
                 limit);
    }
    return n == 0;
}

bool
io_read(Unit *u, const char *path, char **bytes, size_t *size)
{
    if (strcmp(path, "-") == 0) {
        return read_stream(u, "standard input", stdin, bytes, size);
    }
    FILE *f = fopen(path, "rb");
    if (!f) {
        return read_failed(u, path);
    }
    bool ok = read_stream(u, path, f, bytes, size);
    fclose(f);
    return ok;
}

/* Regular files only: a name that stands in an import never waits for a pipe or a device. */
bool
io_load(Unit *u, const char *path, const char **text, size_t *len)
{
    struct stat st;
    FILE *f = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;
    if (!f) {
        return false;
    }
    char *bytes;
    bool ok = read_stream(u, path, f, &bytes, len);
    *text = bytes;
    fclose(f);
    return ok;
}

static bool
write_failed(Unit *u, const char *path)
{
    diag_add(u, D_FILE_WRITE, (Span){0}, 0, "cannot write '%s': %s", path,
             strerror(errno));
    return false;
}

bool
io_print(Unit *u, const char *text, size_t size)
{
    if (fwrite(text, 1, size, stdout) != size || fflush(stdout) != 0) {
        return write_failed(u, "standard output");
    }
    return true;
}

static bool
write_all(int fd, const char *p, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, p, size);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return false;
        }
        p += n;
        size -= (size_t)n;
    }
    return true;
}

/* Devices and pipes are written in place. */
static bool
write_in_place(Unit *u, const char *path, const void *bytes, size_t size)
{
    int fd = open(path, O_WRONLY);
    bool ok = fd >= 0 && write_all(fd, bytes, size);
    ok = ok || write_failed(u, path);
    if (fd >= 0 && close(fd) != 0 && ok) {
        ok = write_failed(u, path);
    }
    return ok;
}

static mode_t
file_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

bool
io_can_write(Unit *u, const char *path)
{
    struct stat st;
    bool exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return write_failed(u, path);
    }
    if (exists && !S_ISREG(st.st_mode)) {
        return access(path, W_OK) == 0 || write_failed(u, path);
    }
    const char *slash = strrchr(path, '/');
    const char *folder = !slash ? "."
                         : slash == path
                             ? "/"
                             : arena_strndup(&u->arena, path, (size_t)(slash - path));
    return access(folder, W_OK | X_OK) == 0 || write_failed(u, path);
}

bool
io_is_file(const char *path)
{
    struct stat st;
    return strcmp(path, "-") != 0 && (stat(path, &st) != 0 || S_ISREG(st.st_mode));
}

bool
io_write(Unit *u, const char *path, const void *bytes, size_t size)
{
    if (strcmp(path, "-") == 0) {
        return io_print(u, bytes, size);
    }
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
        return write_in_place(u, path, bytes, size);
    }
    char *tmp = arena_printf(&u->arena, "%s.tmp-XXXXXX", path);
    int fd = mkstemp(tmp);
    if (fd < 0) {
        return write_failed(u, path);
    }
    bool ok = write_all(fd, bytes, size) && fchmod(fd, file_mode()) == 0;
    int saved = errno;
    if (close(fd) != 0 && ok) {
        ok = false;
        saved = errno;
    }
    if (ok && rename(tmp, path) != 0) {
        ok = false;
        saved = errno;
    }
    if (!ok) {
        unlink(tmp);
        errno = saved;
        return write_failed(u, path);
    }
    return true;
}

bool
io_is_blob(const char *bytes, size_t size)
{
    /* Not the whole magic: a blob that was damaged on its way is still to be refused as a blob. No
     * source text begins with the byte 0x89, which is not UTF-8. */
    return size >= 3 && memcmp(bytes, "\x89TK", 3) == 0;
}
