/* cmd_build.c: implements tikc build: one program becomes a blob, native code or a text
 * form. Binary forms go to <stem>.<suffix> in the working directory unless -o says
 * otherwise; text forms go to standard output. A binary file has, in its folder or that
 * of --facts, KERNEL.json for each kernel in it. */
#include "driver/listing.h"
#include "host/host.h"

#include <stdlib.h>
#include <string.h>

typedef enum Emit {
    EMIT_BLOB,
    EMIT_OBJECT,
    EMIT_SHARED,
    EMIT_LLVM,
    EMIT_ASM,
    EMIT_IR,
    EMIT_HOST_IR,
    EMIT_TRACE,
    EMIT_HTML,
    EMIT_COUNT
} Emit;

static const struct {
    const char *name;
    const char *suffix; /* null for a text form, which goes to standard output */
} emits[EMIT_COUNT] = {
    [EMIT_BLOB] = {"blob", "tkb"},      [EMIT_OBJECT] = {"object", "o"},
    [EMIT_SHARED] = {"shared", "so"},   [EMIT_LLVM] = {"llvm", NULL},
    [EMIT_ASM] = {"asm", NULL},         [EMIT_IR] = {"ir", NULL},
    [EMIT_HOST_IR] = {"host-ir", NULL}, [EMIT_TRACE] = {"trace", NULL},
    [EMIT_HTML] = {"html", NULL},
};

static bool
find_emit(Cmd *c, Emit *out)
{
    const char *name = c->emit ? c->emit : "blob";
    for (int i = 0; i < EMIT_COUNT; i++) {
        if (strcmp(emits[i].name, name) == 0) {
            *out = (Emit)i;
            return true;
        }
    }
    diag_add(
        &c->unit, D_USAGE, (Span){0}, 0,
        "--emit is blob, object, shared, llvm, asm, ir, host-ir, trace or html, not '%s'",
        name);
    return false;
}

/* Returns the default name: the stem of "dir/add.tik" is "add". */
static const char *
default_output(Cmd *c, const char *path, const char *suffix)
{
    if (!suffix) {
        return "-";
    }
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    base = strcmp(base, "-") == 0 ? "kernel" : base;
    const char *dot = strrchr(base, '.');
    int n = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
    return arena_printf(&c->unit.arena, "%.*s.%s", n, base, suffix);
}

static HostEmit
host_kind(Emit e)
{
    return e == EMIT_OBJECT   ? HOST_OBJECT
           : e == EMIT_SHARED ? HOST_SHARED
           : e == EMIT_LLVM   ? HOST_LLVM
                              : HOST_ASM;
}

static bool
add_text(Cmd *c, IoBatch *out, Emit e, Kernel **kernels, int n)
{
    Text t;
    text_init(&t, &c->unit.arena);
    for (int i = 0; i < n; i++) {
        const Kernel *tiled = kernels[i]->tiled;
        if (e == EMIT_IR || e == EMIT_HOST_IR) {
            ir_print(e == EMIT_HOST_IR && tiled ? tiled : kernels[i], &t);
        } else {
            tikc_trace(kernels[i], &t);
        }
    }
    return io_add(out, c->out, t.p, t.n);
}

static bool
add_output(Cmd *c, IoBatch *out, Emit e, Kernel **kernels, int n)
{
    Unit *u = &c->unit;
    const uint8_t *bytes;
    size_t size;
    switch (e) {
    case EMIT_IR:
    case EMIT_HOST_IR:
    case EMIT_TRACE:
        return add_text(c, out, e, kernels, n);
    case EMIT_BLOB:
        return tikc_blob(u, kernels, n, &bytes, &size) &&
               io_add(out, c->out, bytes, size);
    case EMIT_OBJECT:
    case EMIT_SHARED:
    case EMIT_LLVM:
    case EMIT_ASM: {
        const HostApi *host = host_open(u);
        HostOptions opt = {
            .opt_level = (int)c->opt_level, .cpu = c->cpu, .shown = c->out};
        const char *temp = host ? io_reserve(out, c->out) : NULL;
        return temp && host->emit(u, kernels, n, host_kind(e), &opt, temp);
    }
    case EMIT_HTML:
        return listing_add(c, out, kernels, n);
    case EMIT_COUNT:
        break;
    }
    UNREACHABLE();
}

/* ---- facts --------------------------------------------------------------- */

/* Returns the folder for the facts with its slash, or null if none are written. */
static const char *
facts_folder(Cmd *c, Emit e)
{
    Arena *a = &c->unit.arena;
    if (c->facts) {
        size_t n = strlen(c->facts);
        bool ends = n > 0 && c->facts[n - 1] == '/';
        return ends ? c->facts : arena_printf(a, "%s/", c->facts);
    }
    if (!emits[e].suffix || !io_is_file(c->out)) {
        return NULL;
    }
    const char *slash = strrchr(c->out, '/');
    return slash ? arena_strndup(a, c->out, (size_t)(slash - c->out) + 1) : "";
}

static const char *
facts_path(const Kernel *k, const char *folder)
{
    return arena_printf(&k->unit->arena, "%s%s.json", folder,
                        sym_text(&k->unit->names, k->name));
}

/* Checks, before anything is written, that all of it can be. */
static bool
can_write_facts(Cmd *c, const char *folder, Kernel **kernels, int n)
{
    for (int i = 0; folder && i < n; i++) {
        const char *path = facts_path(kernels[i], folder);
        if (strcmp(path, c->out) == 0 || io_same_file(path, c->out) ||
            strcmp(path, c->files.p[0]) == 0 || io_same_file(path, c->files.p[0])) {
            return options_wrong(
                c, arena_printf(
                       &c->unit.arena,
                       "the facts of kernel '%s' go to '%s' too; give another -o, or "
                       "--facts DIR",
                       sym_text(&c->unit.names, kernels[i]->name), path));
        }
        TRY(io_can_write(&c->unit, path));
    }
    return true;
}

static bool
add_facts(Cmd *c, IoBatch *out, const char *folder, Kernel **kernels, int n)
{
    const char *base = strrchr(c->out, '/') ? strrchr(c->out, '/') + 1 : c->out;
    const char *dot = strrchr(base, '.');
    size_t stem = dot && dot > base ? (size_t)(dot - base) : strlen(base);
    bool ok = true;
    for (int i = 0; folder && ok && i < n; i++) {
        Text t;
        text_init(&t, &c->unit.arena);
        tikc_facts(kernels[i], arena_strndup(&c->unit.arena, base, stem), base + stem,
                   &t);
        ok = io_add(out, facts_path(kernels[i], folder), t.p, t.n);
    }
    return ok;
}

static bool
add_depfile(Cmd *c, IoBatch *out)
{
    Text t;
    text_init(&t, &c->unit.arena);
    if (c->depfile) {
        depfile_put(&c->unit, c->out, c->files.p[0], &t);
    }
    return !c->depfile || io_add(out, c->depfile, t.p, t.n);
}

static bool
build(Cmd *c)
{
    Unit *u = &c->unit;
    Emit e;
    TRY(find_emit(c, &e));
    if (c->passes && e != EMIT_IR && e != EMIT_HOST_IR) {
        return options_wrong(c, "--passes is for --emit ir and host-ir; all other "
                                "outputs need all passes");
    }
    if (!c->out) {
        c->out = default_output(c, c->files.p[0], emits[e].suffix);
    }
    TRY(strcmp(c->out, "-") == 0 ||
        (io_can_write(u, c->out) && options_spare(c, c->out)));
    TRY(!c->depfile || (io_can_write(u, c->depfile) && options_spare(c, c->depfile)));
    c->output_on_stdout = strcmp(c->out, "-") == 0 || c->print_after;
    u->opt.trace = e == EMIT_TRACE;
    c->listing = e == EMIT_HTML ? listing_begin(c) : NULL;
    TRY(compile_file(c, c->files.p[0]));
    Kernel **kernels = u->kernels.p;
    int n = (int)u->kernels.n;
    Kernel *one;
    if (c->kernel) {
        one = tikc_pick_kernel(u, c->kernel);
        kernels = &one;
        n = 1;
        TRY(one != NULL);
    }
    bool native = e != EMIT_BLOB && e != EMIT_IR && e != EMIT_TRACE && e != EMIT_HTML;
    TRY(!native || tile_kernels(c, kernels, n));
    const char *folder = facts_folder(c, e);
    TRY(can_write_facts(c, folder, kernels, n));
    IoBatch out;
    io_begin(&out, u);
    return io_end(&out, add_output(c, &out, e, kernels, n) &&
                            add_facts(c, &out, folder, kernels, n) &&
                            add_depfile(c, &out));
}

int
cmd_build(Cmd *c)
{
    bool ok = build(c);
    int code = report_unit(c);
    return !ok && code == EXIT_CLEAN ? EXIT_FINDINGS : code;
}
