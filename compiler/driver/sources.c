/* sources.c: finds the programs in folders. Hidden folders, and those that Python makes,
 * are left out, and links are not followed. */
#define _DEFAULT_SOURCE
#include "driver/driver.h"

#include <errno.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>

static int
by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool
ends_in(const char *name, const char *suffix)
{
    size_t n = strlen(name), m = strlen(suffix);
    return n > m && strcmp(name + n - m, suffix) == 0;
}

static bool
left_out(const FTSENT *e)
{
    return e->fts_level > 0 &&
           (e->fts_name[0] == '.' || strcmp(e->fts_name, "__pycache__") == 0);
}

static bool
failed(Cmd *c, const char *path, int error)
{
    diag_add(&c->unit, D_FILE_READ, (Span){0}, 0, "cannot read '%s': %s", path,
             strerror(error));
    return false;
}

/* Adds what one entry of the walk is. */
static bool
add_entry(Cmd *c, FTS *walk, FTSENT *e, SourceFiles *out)
{
    switch (e->fts_info) {
    case FTS_D:
        if (left_out(e)) {
            fts_set(walk, e, FTS_SKIP);
        }
        return true;
    case FTS_F:
        if (e->fts_name[0] != '.' &&
            (ends_in(e->fts_name, ".tik") || ends_in(e->fts_name, ".py"))) {
            VEC_PUSH(&c->unit.arena, out,
                     ((SourceFile){arena_strdup(&c->unit.arena, e->fts_path), true}));
        }
        return true;
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
        return failed(c, e->fts_path, e->fts_errno);
    default:
        return true;
    }
}

static bool
walk_folder(Cmd *c, const char *path, SourceFiles *out)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/') {
        n--;
    }
    char *roots[] = {arena_strndup(&c->unit.arena, path, n), NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    if (!walk) {
        return failed(c, path, errno);
    }
    bool ok = true;
    uint32_t before = out->n;
    FTSENT *e;
    errno = 0;
    while (ok && (e = fts_read(walk))) {
        ok = add_entry(c, walk, e, out);
        errno = 0;
    }
    if (ok && errno) {
        ok = failed(c, path, errno);
    }
    fts_close(walk);
    if (ok && out->n == before) {
        diag_add(&c->unit, D_FILE_READ, (Span){0}, 0,
                 "folder '%s' has no .tik or .py file", path);
        return false;
    }
    return ok;
}

bool
sources_find(Cmd *c, SourceFiles *out)
{
    bool ok = true;
    for (uint32_t i = 0; i < c->files.n && ok; i++) {
        struct stat st;
        const char *path = c->files.p[i];
        if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
            ok = walk_folder(c, path, out);
        } else {
            VEC_PUSH(&c->unit.arena, out, ((SourceFile){path, false}));
        }
    }
    return ok;
}

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_';
}

/* Returns whether a line has a word. */
static bool
has_word(const char *line, size_t n, const char *word)
{
    size_t m = strlen(word);
    for (size_t i = 0; i + m <= n; i++) {
        bool begins = i == 0 || !is_letter(line[i - 1]);
        bool ends = i + m == n || !is_letter(line[i + m]);
        if (begins && ends && memcmp(line + i, word, m) == 0) {
            return true;
        }
    }
    return false;
}

static bool
begins_with(const char *line, size_t n, const char *word)
{
    size_t m = strlen(word);
    return n >= m && memcmp(line, word, m) == 0;
}

bool
sources_wanted(const char *path, const char *text, size_t size)
{
    const char *end = text + size;
    bool wanted = !ends_in(path, ".py");
    for (const char *line = text; line < end && !wanted;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        size_t n = (size_t)((stop ? stop : end) - line);
        bool imports = begins_with(line, n, "from ") || begins_with(line, n, "import ");
        wanted = (imports && has_word(line, n, "tik")) ||
                 (begins_with(line, n, "# tikc:") && has_word(line, n, "call"));
        line += n + 1;
    }
    return wanted;
}
