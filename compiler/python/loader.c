/* loader.c: finds modules that are files. The dotted name a.b is the file a/b.py or
 * a/b.tik below one of the folders of search: the package root, which is the folder that
 * contains the nearest 'impl' above the main file, then the folders of -I, then the main
 * file's own folder. Files are read only through the unit's loader; without one there are
 * no such modules.
 *
 * Packages are plain folders. Their init file is never executed, since those of operator
 * packages import everything; its lines 'from .m import n' say where an attribute of the
 * package comes from. */
#include "python/core.h"

#include <string.h>

/* ---- folders ------------------------------------------------------------- */

static void
add_dir(Interp *in, const char *path, const char *name)
{
    LoaderState *l = &in->core->loader;
    for (uint32_t i = 0; i < l->dirs.n; i++) {
        if (strcmp(l->dirs.p[i].path, path) == 0 &&
            strcmp(l->dirs.p[i].name, name) == 0) {
            return;
        }
    }
    VEC_PUSH(core_arena(in), &l->dirs, ((ModuleDir){path, name}));
}

static const char *
with_slash(Interp *in, const char *dir)
{
    size_t len = strlen(dir);
    bool ends = len == 0 || dir[len - 1] == '/';
    return ends ? dir : arena_printf(core_arena(in), "%s/", dir);
}

/* Returns NAME of -I NAME=DIR. If what precedes the sign is no dotted name, the whole is
 * a folder and the name is "". */
static const char *
name_of_dir(Interp *in, const char *text)
{
    const char *eq = strchr(text, '=');
    bool start = true;
    for (const char *p = text; eq && p < eq; p++) {
        bool letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_';
        bool digit = *p >= '0' && *p <= '9';
        if (start ? !letter : !letter && !digit && *p != '.') {
            return "";
        }
        start = *p == '.';
    }
    return eq && !start ? arena_strndup(core_arena(in), text, (size_t)(eq - text)) : "";
}

/* Adds the folders with names, which come first, the longest name before the others. */
static void
add_named_dirs(Interp *in)
{
    VEC(ModuleDir) named = {0};
    for (uint32_t i = 0; i < in->u->opt.dirs.n; i++) {
        const char *text = in->u->opt.dirs.p[i];
        const char *name = name_of_dir(in, text);
        if (*name) {
            const char *path = with_slash(in, text + strlen(name) + 1);
            VEC_PUSH(core_arena(in), &named, ((ModuleDir){path, name}));
        }
    }
    for (uint32_t i = 0; i < named.n; i++) {
        uint32_t best = i;
        for (uint32_t k = i + 1; k < named.n; k++) {
            best = strlen(named.p[k].name) > strlen(named.p[best].name) ? k : best;
        }
        ModuleDir d = named.p[best];
        memmove(named.p + i + 1, named.p + i, (best - i) * sizeof d);
        named.p[i] = d;
        add_dir(in, d.path, d.name);
    }
}

/* Returns the offset of the last folder called impl in the first n bytes of a path, or
 * -1. */
static int
find_impl(const char *path, int n)
{
    int found = -1;
    for (int i = 0; i + 5 <= n; i++) {
        if ((i == 0 || path[i - 1] == '/') && memcmp(path + i, "impl/", 5) == 0) {
            found = i;
        }
    }
    return found;
}

static char *
with_dots(Interp *in, const char *path, int n)
{
    char *out = arena_strndup(core_arena(in), path, (size_t)n);
    for (int i = 0; i < n; i++) {
        out[i] = out[i] == '/' ? '.' : out[i];
    }
    return out;
}

static bool
below_dynamic(const char *path)
{
    return strncmp(path, "dynamic/", 8) == 0 || strstr(path, "/dynamic/") != NULL;
}

static void
set_mode(Interp *in, const char *path)
{
    const char *mode = in->u->opt.mode;
    in->core->loader.dynamic = mode ? strcmp(mode, "dynamic") == 0 : below_dynamic(path);
}

/* Returns the main file's path, from the root on when only that shows the folder impl. */
static const char *
main_path(Interp *in, uint32_t main_file)
{
    const char *path = in->u->sources.p[main_file].path;
    const char *cwd = in->u->opt.cwd;
    if (!cwd || path[0] == '/' || find_impl(path, (int)strlen(path)) >= 0) {
        return path;
    }
    const char *full = arena_printf(core_arena(in), "%s/%s", cwd, path);
    bool plain = strncmp(path, "..", 2) != 0 && strncmp(path, "./", 2) != 0;
    return plain && find_impl(full, (int)strlen(full)) >= 0 ? full : path;
}

/* Names a main file in the folder of a name as a module of that package. */
static void
name_main_below(Interp *in, const char *path, int n)
{
    LoaderState *l = &in->core->loader;
    for (uint32_t i = 0; i < l->dirs.n; i++) {
        const ModuleDir *d = &l->dirs.p[i];
        int len = (int)strlen(d->path);
        if (*d->name && len <= n && strncmp(path, d->path, (size_t)len) == 0) {
            const char *below = with_dots(in, path + len, MAX(n - len - 1, 0));
            l->package =
                *below ? arena_printf(core_arena(in), "%s.%s", d->name, below) : d->name;
            return;
        }
    }
}

void
loader_note_file(Interp *in, const char *path)
{
    if (find_impl(path, (int)strlen(path)) >= 0) {
        in->u->operator_package = true;
        in->core->loader.dynamic = below_dynamic(path);
    }
}

void
loader_init(Interp *in, uint32_t main_file)
{
    LoaderState *l = &in->core->loader;
    const char *path = main_path(in, main_file);
    const char *slash = strrchr(path, '/');
    int n = slash ? (int)(slash - path) + 1 : 0; /* length of the folder with its slash */
    int impl = find_impl(path, n);
    l->package = "";
    set_mode(in, path);
    add_named_dirs(in);
    if (impl >= 0) {
        add_dir(in, arena_strndup(core_arena(in), path, (size_t)impl), "");
        l->package = with_dots(in, path + impl, n - impl - 1);
    }
    name_main_below(in, path, n);
    if (*l->package) {
        const char *dot = strrchr(path + n, '.');
        int stem = dot ? (int)(dot - path) - n : (int)strlen(path + n);
        l->main_name =
            arena_printf(core_arena(in), "%s.%.*s", l->package, stem, path + n);
        in->u->operator_package =
            strcmp(l->package, "impl") == 0 || strncmp(l->package, "impl.", 5) == 0;
    }
    for (uint32_t i = 0; i < in->u->opt.dirs.n; i++) {
        if (!*name_of_dir(in, in->u->opt.dirs.p[i])) {
            add_dir(in, with_slash(in, in->u->opt.dirs.p[i]), "");
        }
    }
    add_dir(in, arena_strndup(core_arena(in), path, (size_t)n), "");
}

/* ---- files --------------------------------------------------------------- */

/* Reads a file as a source of the unit. Returns 0 if there is none, or a limit was
 * hit. */
static uint32_t
read_source(Interp *in, const char *path, Span span)
{
    enum {
        OPENING = 1000 /* cost of looking for a file, in steps */
    };
    const char *text;
    size_t len;
    if (!core_charge(in, OPENING, span) || !in->u->load(in->u, path, &text, &len) ||
        len > UINT32_MAX / 2 || !core_charge(in, (int64_t)len, span)) {
        return 0;
    }
    return unit_add_source(in->u, path, text, len);
}

/* Returns the path of a module in a folder, or null if the folder holds the modules of
 * another name. The module of the name itself is the folder: only an end that begins with
 * a slash makes a path of it. */
static char *
file_path(Interp *in, const ModuleDir *dir, const char *dotted, const char *end)
{
    size_t n = strlen(dir->name);
    bool below = n == 0 || (strncmp(dotted, dir->name, n) == 0 &&
                            (dotted[n] == '.' || (!dotted[n] && *end == '/')));
    if (!below) {
        return NULL;
    }
    const char *rest = dotted + n + (n && dotted[n]);
    end += !*rest && *end == '/';
    char *path = arena_printf(core_arena(in), "%s%s%s", dir->path, rest, end);
    for (size_t i = strlen(dir->path); i < strlen(dir->path) + strlen(rest); i++) {
        path[i] = path[i] == '.' ? '/' : path[i];
    }
    return path;
}

static const char *
parent_name(Interp *in, const char *dotted)
{
    const char *dot = strrchr(dotted, '.');
    return dot ? arena_strndup(core_arena(in), dotted, (size_t)(dot - dotted)) : "";
}

/* Registers the folders above a module that was found, which are packages. */
static void
add_parents(Interp *in, const char *dotted)
{
    for (const char *p = parent_name(in, dotted); *p; p = parent_name(in, p)) {
        Value m = py_module(in, p);
        if (m.module->kind == MODULE_PLAIN && !m.module->path) {
            m.module->kind = MODULE_PACKAGE;
            m.module->package = m.module->name;
        }
    }
}

static Value
load_file(Interp *in, const char *dotted, const ModuleDir *dir, Span span)
{
    static const char *const ends[] = {".py", ".tik"};
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        const char *path = file_path(in, dir, dotted, ends[i]);
        uint32_t file = path ? read_source(in, path, span) : 0;
        if (!file) {
            continue;
        }
        Value m = py_module(in, dotted);
        m.module->path = path;
        py_module_set(in, m, "__file__", val_str(in, path));
        m.module->package = parent_name(in, dotted);
        add_parents(in, dotted);
        if (!module_run(in, m.module, file, span)) {
            module_forget(in, m.module);
            return val_fail();
        }
        return m;
    }
    return val_fail();
}

/* Reads the init file of a package, once; a package without one has no tree. */
static bool
read_init(Interp *in, ModuleVal *m, Span span)
{
    if (m->path) {
        return true;
    }
    m->path = "";
    const LoaderState *l = &in->core->loader;
    for (uint32_t i = 0; in->u->load && i < l->dirs.n; i++) {
        const char *path = file_path(in, &l->dirs.p[i], m->name, "/__init__.py");
        uint32_t file = path ? read_source(in, path, span) : 0;
        if (file) {
            m->path = path;
            m->init = meter_parse(in, file, false);
            in->fatal = in->fatal || !m->init;
            return m->init != NULL;
        }
    }
    return !in->fatal;
}

/* Registers the folder of a name as a package, with or without an init file. */
static Value
load_package(Interp *in, const char *dotted, const ModuleDir *dir)
{
    const char *path = file_path(in, dir, dotted, "/__init__.py");
    const char *text;
    size_t len;
    bool named = *dir->name && strcmp(dir->name, dotted) == 0;
    if (!path || (!named && !in->u->load(in->u, path, &text, &len))) {
        return val_fail();
    }
    add_parents(in, dotted);
    Value m = py_module(in, dotted);
    m.module->kind = MODULE_PACKAGE;
    m.module->package = m.module->name;
    return m;
}

/* Loads a helper module before others. It takes part in an import cycle of operator
 * packages, which ends well only when it comes first. */
static bool
load_common(Interp *in, const char *dotted, Span span)
{
    static const char common[] = "impl.util.util_common";
    LoaderState *l = &in->core->loader;
    if (l->common_first || strncmp(dotted, "impl.util.", 10) != 0) {
        return true;
    }
    l->common_first = true;
    (void)loader_find(in, common, span);
    return !module_failed(in);
}

/* Returns the main file under its own name, without executing it a second time. */
static Value
main_module(Interp *in, const char *dotted)
{
    const LoaderState *l = &in->core->loader;
    bool same = l->main_name && strcmp(l->main_name, dotted) == 0;
    return same ? py_module(in, "__main__") : val_fail();
}

Value
loader_find(Interp *in, const char *dotted, Span span)
{
    const LoaderState *l = &in->core->loader;
    if (!in->u->load || !load_common(in, dotted, span)) {
        return val_fail();
    }
    Value m = main_module(in, dotted);
    for (uint32_t i = 0; val_failed(m) && i < l->dirs.n && !module_failed(in); i++) {
        m = load_package(in, dotted, &l->dirs.p[i]);
        if (val_failed(m)) {
            m = load_file(in, dotted, &l->dirs.p[i], span);
        }
    }
    return m;
}

bool
loader_is_named(const Interp *in, const char *dotted)
{
    const LoaderState *l = &in->core->loader;
    for (uint32_t i = 0; i < l->dirs.n; i++) {
        const char *name = l->dirs.p[i].name;
        size_t n = strlen(name);
        if (n && strncmp(dotted, name, n) == 0 && (dotted[n] == '.' || !dotted[n])) {
            return true;
        }
    }
    return false;
}

/* ---- attributes of packages ---------------------------------------------- */

/* Returns the alias of an init file that defines the name, or null; *from gets its
 * statement. */
static const Ast *
find_export(const ModuleVal *m, const char *name, Interp *in, const Ast **from)
{
    for (const Ast *s = m->init ? m->init->body : NULL; s; s = s->next) {
        for (const Ast *a = s->kind == AST_FROM ? s->orelse : NULL; a; a = a->next) {
            const char *as = a->name ? sym_text(&in->u->names, a->name) : a->str;
            if (strcmp(as, name) == 0) {
                *from = s;
                return a;
            }
        }
    }
    return NULL;
}

/* Returns the module that 'from .m import' of an init file names; one dot is the package
 * itself. */
static const char *
export_module(Interp *in, const ModuleVal *m, const Ast *from)
{
    const char *base = from->value ? m->name : "";
    for (int64_t level = from->value; level > 1; level--) {
        base = parent_name(in, base);
    }
    return arena_printf(core_arena(in), "%s%s%s", base, *base && *from->str ? "." : "",
                        from->str);
}

static Value
exported(Interp *in, const char *source, const char *name, Span span)
{
    bool found = false;
    Value m = module_find(in, source, span);
    if (m.kind != VAL_MODULE) {
        return val_fail();
    }
    Value v = attr_try(in, m, intern(&in->u->names, name), span, &found);
    if (!found) {
        py_raise(in, "ImportError", span, "the module '%s' has no '%s'%s", source, name,
                 m.module->loading ? " yet: it is still being loaded" : "");
    }
    return found ? v : val_fail();
}

Value
loader_member(Interp *in, ModuleVal *package, const char *name, Span span)
{
    const Ast *from = NULL;
    if (!read_init(in, package, span)) {
        return val_fail();
    }
    const Ast *a = find_export(package, name, in, &from);
    const char *source = a ? export_module(in, package, from) : NULL;
    if (a && *source && strcmp(source, package->name) != 0) {
        return exported(in, source, a->str, span);
    }
    const char *dotted =
        arena_printf(core_arena(in), "%s.%s", package->name, a ? a->str : name);
    return module_find(in, dotted, span);
}

Value
loader_exports(Interp *in, ModuleVal *package, Span span)
{
    Value names = val_items(in, VAL_LIST, 0);
    if (!read_init(in, package, span)) {
        return val_fail();
    }
    for (const Ast *s = package->init ? package->init->body : NULL; s; s = s->next) {
        for (const Ast *a = s->kind == AST_FROM ? s->orelse : NULL; a; a = a->next) {
            const char *name = a->name ? sym_text(&in->u->names, a->name) : a->str;
            if (name[0] != '_') {
                list_push(in, names, val_str(in, name));
            }
        }
    }
    return names;
}

/* ---- data ---------------------------------------------------------------- */

/* Returns whether a path goes downwards from a folder: no program reads what it was not
 * given. */
static bool
goes_down(const char *name)
{
    if (*name == 0 || *name == '/') {
        return false;
    }
    for (const char *p = name; p != NULL; p = strchr(p, '/')) {
        p += *p == '/';
        if (strncmp(p, "..", 2) == 0 && (p[2] == '/' || p[2] == 0)) {
            return false;
        }
    }
    return true;
}

bool
py_data_file(Interp *in, const char *name, Span span, const char **path,
             const char **bytes, size_t *len)
{
    const char *file = in->u->sources.p[span.file].path;
    const char *slash = strrchr(file, '/');
    int folder = slash ? (int)(slash - file) + 1 : 0;
    *path = arena_printf(core_arena(in), "%.*s%s", folder, file, name);
    if (!goes_down(name)) {
        py_diag(in, D_CONST_FILE, span,
                "'%s' leaves the folder of the source; constants are read from files "
                "below it",
                name);
        return false;
    }
    if (in->u->inside &&
        !in->u->inside(arena_strndup(core_arena(in), file, (size_t)folder), *path)) {
        py_diag(in, D_CONST_FILE, span,
                "'%s' is a link out of the folder of the source; constants are read "
                "from files below it",
                *path);
        return false;
    }
    if (!in->u->load || !in->u->load(in->u, *path, bytes, len)) {
        py_diag(in, D_CONST_FILE, span, "there is no file '%s' that can be read", *path);
        return false;
    }
    return true;
}
