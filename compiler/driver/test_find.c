/* test_find.c: finds the kernels that have a test beside them. */
#define _XOPEN_SOURCE 700
#include "driver/test.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEST_ENDS ".test.toml"

typedef VEC(const char *) Paths;

static const char *const kernel_ends[] = {".tik", ".py", ".ir"};

static bool
ends_in(const char *path, const char *ends)
{
    size_t n = strlen(path), m = strlen(ends);
    return n > m && strcmp(path + n - m, ends) == 0;
}

static bool
is_kernel(const char *path)
{
    bool is = false;
    for (size_t i = 0; i < ARRAY_LEN(kernel_ends); i++) {
        is = is || ends_in(path, kernel_ends[i]);
    }
    return is;
}

/* ---- reading ------------------------------------------------------------- */

/* Each file has a unit of its own while it is read, so that its faults are its own. */
typedef struct Reading {
    Cmd *c;
    Unit *u;
    TestList *out;
    const char *kernel, *toml; /* toml: null if there is none */
    TestFile *file;
} Reading;

static bool
add_source(Reading *r, const char *path, uint32_t *id)
{
    char *text;
    size_t size;
    TRY(io_read(r->u, path, &text, &size));
    *id = unit_add_source(r->u, path, text, size);
    return true;
}

static bool
read_tests(Reading *r)
{
    uint32_t id;
    if (!r->kernel) {
        diag_add(r->u, D_TEST_FILE, (Span){0}, 0,
                 "'%s' has no kernel: neither .tik, .py nor .ir is beside it", r->toml);
        return false;
    }
    TRY(add_source(r, r->kernel, &id) && setting_read_comments(r->u, id, r->file));
    return !r->toml ||
           (add_source(r, r->toml, &id) && setting_read_toml(r->u, id, r->file));
}

static void
add_broken(Reading *r)
{
    Arena *a = &r->c->unit.arena;
    const char *file = r->toml ? r->toml : r->kernel;
    TestCase t = {.kernel = r->kernel ? r->kernel : file,
                  .file = file,
                  .title = file,
                  .code = EXIT_USAGE};
    Text text, json;
    text_init(&text, a);
    text_init(&json, a);
    diag_render_all(r->u, DIAG_TEXT, &text);
    diag_render_all(r->u, DIAG_JSON, &json);
    t.text = text.p;
    t.json = json.p;
    t.found = ""; /* its text says it */
    VEC_PUSH(a, &r->out->cases, t);
}

/* Returns the processors of a test: of its own, else those of the file. */
static const Settings *
soc_settings(const TestFile *f, const TestSpec *spec)
{
    const Settings *of = spec ? &spec->settings : &f->all;
    for (uint32_t i = 0; i < of->n; i++) {
        if (strcmp(of->p[i].key, "soc") == 0) {
            return of;
        }
    }
    return &f->all;
}

/* Each value of soc may be several names with commas. */
static void
list_socs(Arena *a, const Settings *all, Names *out)
{
    for (uint32_t i = 0; i < all->n; i++) {
        if (strcmp(all->p[i].key, "soc") == 0 && all->p[i].value) {
            settings_split_socs(a, all->p[i].value, out);
        }
    }
}

static void
add_case(Reading *r, const TestSpec *spec, const char *soc, bool several)
{
    Arena *a = &r->c->unit.arena;
    TestCase t = {.kernel = r->kernel,
                  .file = r->toml ? r->toml : r->kernel,
                  .soc = soc,
                  .from = r->file,
                  .spec = spec};
    Text title;
    text_init(&title, a);
    text_put(&title, r->kernel);
    if (spec && spec->name) {
        text_printf(&title, ": %s", spec->name);
    } else if (spec && r->file->tests.n > 1) {
        text_printf(&title, ": %d", (int)(spec - r->file->tests.p) + 1);
    }
    if (several) {
        text_printf(&title, " [%s]", soc);
    }
    t.title = title.p;
    VEC_PUSH(a, &r->out->cases, t);
}

static void
add_cases(Reading *r, const TestSpec *spec)
{
    Names socs = {0};
    list_socs(&r->c->unit.arena, soc_settings(r->file, spec), &socs);
    for (uint32_t i = 0; i < socs.n; i++) {
        add_case(r, spec, socs.p[i], socs.n > 1);
    }
    if (socs.n == 0) {
        add_case(r, spec, NULL, false);
    }
}

/* Adds the tests of one kernel. */
static void
read_file(Cmd *c, const char *kernel, const char *toml, TestList *out)
{
    /* settings and their texts live as long as the command */
    Unit *u = ARENA_NEW(&c->unit.arena, Unit);
    unit_init(u);
    Reading r = {c, u, out, kernel, toml, ARENA_NEW(&c->unit.arena, TestFile)};
    if (!read_tests(&r)) {
        add_broken(&r);
    } else if (!r.file->wanted) {
        out->without++;
    }
    for (uint32_t i = 0; u->errors == 0 && i < r.file->tests.n; i++) {
        add_cases(&r, &r.file->tests.p[i]);
    }
    if (u->errors == 0 && r.file->wanted && r.file->tests.n == 0) {
        add_cases(&r, NULL);
    }
    VEC_PUSH(&c->unit.arena, &c->units, u);
}

/* ---- files and folders --------------------------------------------------- */

static bool
exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Returns the description beside a kernel, or null. */
static const char *
toml_of(Arena *a, const char *kernel)
{
    const char *dot = strrchr(kernel, '.');
    const char *path = arena_printf(a, "%.*s" TEST_ENDS, (int)(dot - kernel), kernel);
    return exists(path) ? path : NULL;
}

/* Returns the kernel beside a description, or null. */
static const char *
kernel_of(Arena *a, const char *toml)
{
    int stem = (int)(strlen(toml) - strlen(TEST_ENDS));
    for (size_t i = 0; i < ARRAY_LEN(kernel_ends); i++) {
        const char *path = arena_printf(a, "%.*s%s", stem, toml, kernel_ends[i]);
        if (exists(path)) {
            return path;
        }
    }
    return NULL;
}

static bool
cannot_read(Cmd *c, const char *path)
{
    diag_add(&c->unit, D_FILE_READ, (Span){0}, 0, "cannot read '%s': %s", path,
             strerror(errno));
    return false;
}

/* Collects the kernels of a folder, and the descriptions that have none. Hidden folders,
 * and folders that links lead to, are not entered. */
static bool
walk(Cmd *c, const char *folder, Paths *out)
{
    Arena *a = &c->unit.arena;
    DIR *dir = opendir(folder);
    struct dirent *e;
    struct stat st;
    bool ok = dir != NULL || cannot_read(c, folder);
    size_t n = strlen(folder);
    while (ok && (e = readdir(dir)) != NULL) {
        const char *path =
            arena_printf(a, "%s%s%s", folder, folder[n - 1] == '/' ? "" : "/", e->d_name);
        if (e->d_name[0] == '.' || lstat(path, &st) != 0) {
            continue;
        }
        if (S_ISDIR(st.st_mode)) {
            ok = walk(c, path, out);
        } else if (is_kernel(path) || (ends_in(path, TEST_ENDS) && !kernel_of(a, path))) {
            VEC_PUSH(a, out, path);
        }
    }
    if (dir) {
        closedir(dir);
    }
    return ok;
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool
find_folder(Cmd *c, const char *folder, TestList *out)
{
    Paths paths = {0};
    TRY(walk(c, folder, &paths));
    if (paths.n > 0) {
        qsort(paths.p, paths.n, sizeof *paths.p, by_name);
    }
    for (uint32_t i = 0; i < paths.n; i++) {
        const char *path = paths.p[i];
        bool kernel = is_kernel(path);
        read_file(c, kernel ? path : NULL, kernel ? toml_of(&c->unit.arena, path) : path,
                  out);
    }
    return true;
}

static bool
find_file(Cmd *c, const char *path, TestList *out)
{
    Arena *a = &c->unit.arena;
    int64_t without = out->without;
    if (ends_in(path, TEST_ENDS)) {
        read_file(c, kernel_of(a, path), path, out);
        return true;
    }
    if (!is_kernel(path)) {
        return options_wrong(
            c, arena_printf(a, "'%s' is no folder, kernel or " TEST_ENDS, path));
    }
    read_file(c, path, toml_of(a, path), out);
    return out->without == without ||
           options_wrong(c, arena_printf(a,
                                         "'%s' has no test: no " TEST_ENDS
                                         " beside it, and no '# tikc: in.TENSOR=...'",
                                         path));
}

bool
test_find(Cmd *c, TestList *out)
{
    struct stat st;
    for (uint32_t i = 0; i < c->files.n; i++) {
        const char *path = c->files.p[i];
        if (stat(path, &st) != 0) {
            return cannot_read(c, path);
        }
        TRY(S_ISDIR(st.st_mode) ? find_folder(c, path, out) : find_file(c, path, out));
    }
    return out->cases.n > 0 || options_wrong(c, "no kernel has a test beside it");
}
