/* io.c: reads files whole and writes them in batches, whose files are moved to their
 * places when all of them are written, so that a failed command leaves nothing. */
#define _XOPEN_SOURCE 700
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

/* Returns false if the file cannot be read, or is larger than the limit (then with a
 * diagnostic). */
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
        size_t whole = MIN((size_t)st.st_size, limit);
        text_reserve(&t, whole);
        t.n = fread(t.p, 1, whole, f);
        t.p[t.n] = 0;
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

/* Reads regular files only, so a name in an import never waits for a pipe or a device. */
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
    VEC_PUSH(&u->arena, &u->loaded, arena_strdup(&u->arena, path));
    return ok;
}

/* A file that does not exist counts as inside: reading it reports that. */
bool
io_inside(const char *folder, const char *path)
{
    char *base = realpath(*folder ? folder : ".", NULL);
    char *file = realpath(path, NULL);
    size_t n = base ? strlen(base) : 0;
    n -= n == 1; /* the root ends in its slash */
    bool in = !file || (base && strncmp(file, base, n) == 0 && file[n] == '/');
    free(base);
    free(file);
    return in;
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
    if (fwrite(text, 1, size, stdout) != size || fflush(stdout) != 0 || ferror(stdout)) {
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

/* Returns whether a file can be made in the folder of its place. */
static bool
can_make(const OutPlace *p)
{
    char *slash = strrchr(p->path, '/');
    if (!slash) {
        return access(".", W_OK | X_OK) == 0;
    }
    slash[slash == p->path] = 0;
    return access(p->path, W_OK | X_OK) == 0;
}

bool
io_can_write(Unit *u, const char *path)
{
    if (!io_is_file(path)) {
        return access(path, W_OK) == 0 || write_failed(u, path);
    }
    OutPlace p;
    errno = outfile_find(&p, path);
    bool ok = errno == 0 && can_make(&p);
    int saved = errno;
    outfile_forget(&p);
    errno = saved;
    return ok || write_failed(u, path);
}

bool
io_is_file(const char *path)
{
    struct stat st;
    return strcmp(path, "-") != 0 &&
           (stat(path, &st) != 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

/* ---- batches ------------------------------------------------------------- */

void
io_begin(IoBatch *b, Unit *u)
{
    *b = (IoBatch){.u = u};
    outfile_begin(&b->before);
}

const char *
io_reserve(IoBatch *b, const char *path)
{
    if (!io_is_file(path)) {
        return path;
    }
    IoFile f = {.path = path};
    errno = outfile_find(&f.place, path);
    if (errno != 0) {
        outfile_forget(&f.place);
        (void)!write_failed(b->u, path);
        return NULL;
    }
    VEC_PUSH(&b->u->arena, &b->files, f);
    return f.place.temp;
}

bool
io_add(IoBatch *b, const char *path, const void *bytes, size_t size)
{
    if (strcmp(path, "-") == 0) {
        return io_print(b->u, bytes, size);
    }
    const char *temp = io_reserve(b, path);
    if (!temp || temp == path) {
        return temp && write_in_place(b->u, path, bytes, size);
    }
    int fd = outfile_open(&b->files.p[b->files.n - 1].place);
    bool ok = fd >= 0 && write_all(fd, bytes, size);
    int saved = errno;
    if (fd >= 0 && close(fd) != 0 && ok) {
        ok = false;
        saved = errno;
    }
    errno = saved;
    return ok || write_failed(b->u, path);
}

bool
io_end(IoBatch *b, bool ok)
{
    for (uint32_t i = 0; i < b->files.n; i++) {
        IoFile *f = &b->files.p[i];
        if (!ok) {
            outfile_drop(&f->place);
            continue;
        }
        errno = !f->place.existed || chmod(f->place.temp, f->place.mode) == 0 ? 0 : errno;
        errno = errno ? errno : outfile_put(&f->place);
        if (errno != 0) {
            outfile_drop(&f->place);
            ok = write_failed(b->u, f->path);
        }
    }
    for (uint32_t i = 0; i < b->files.n; i++) {
        outfile_forget(&b->files.p[i].place);
    }
    outfile_end(&b->before);
    return ok;
}

bool
io_write(Unit *u, const char *path, const void *bytes, size_t size)
{
    IoBatch b;
    io_begin(&b, u);
    return io_end(&b, io_add(&b, path, bytes, size));
}

bool
io_same_file(const char *a, const char *b)
{
    struct stat x;
    struct stat y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) &&
           x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool
io_is_blob(const char *bytes, size_t size)
{
    /* The test is not for the whole magic: a blob that was damaged on its way is still to
     * be refused as a blob. No source text begins with the byte 0x89, which is not UTF-8.
     */
    return size >= 3 && memcmp(bytes, "\x89TK", 3) == 0;
}
