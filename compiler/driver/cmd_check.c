/* cmd_check.c: compiles programs up to the back ends, and implements tikc check, which
 * does so for any number of files and folders. */
#include "base/product.h"
#include "driver/check_files.h"
#include "driver/cluster.h"
#include "driver/figures.h"
#include "driver/listing.h"
#include "driver/shard.h"

#include <string.h>
#include <unistd.h>

/* Checks --lmem-alloc. */
static bool
check_places(Cmd *c)
{
    Unit *u = &c->unit;
    const char *places = u->opt.lmem_alloc;
    u->opt.lmem_banked = places && strcmp(places, "banked") == 0;
    return !places || u->opt.lmem_banked || strcmp(places, "first-fit") == 0 ||
           options_wrong(c, arena_printf(&u->arena,
                                         "--lmem-alloc is first-fit or banked, not '%s'",
                                         places));
}

/* Checks --sync. */
static bool
check_sync(Cmd *c)
{
    Unit *u = &c->unit;
    const char *sync = u->opt.sync;
    u->opt.sync_auto = sync && strcmp(sync, "auto") == 0;
    return !sync || u->opt.sync_auto || strcmp(sync, "none") == 0 ||
           options_wrong(
               c, arena_printf(&u->arena, "--sync is auto or none, not '%s'", sync));
}

static bool
check_options(Cmd *c)
{
    Unit *u = &c->unit;
    if (c->opt_level > 3) {
        return options_wrong(c, "the optimisation level is 0 to 3");
    }
    TRY(cpu_check(c));
    if (u->opt.call && !*u->opt.call) {
        return options_wrong(c, "--call takes an expression");
    }
    TRY(check_places(c) && check_sync(c));
    if (u->opt.mode && strcmp(u->opt.mode, "static") != 0 &&
        strcmp(u->opt.mode, "dynamic") != 0) {
        return options_wrong(c, arena_printf(&u->arena,
                                             "--mode is static or dynamic, not '%s'",
                                             u->opt.mode));
    }
    for (uint32_t i = 0; i < u->opt.defines.n; i++) {
        const char *name = u->opt.defines.p[i].name;
        if (!intern_is_identifier(name)) {
            return options_wrong(
                c, arena_printf(&u->arena, "-D takes NAME=VALUE; '%s' is no name", name));
        }
    }
    TRY(!u->opt.soc || product_fix_soc(u, u->opt.soc));
    return pass_options_check(c);
}

bool
compile_text(Cmd *c, const char *path, const char *text, size_t size)
{
    Unit *u = &c->unit;
    const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    if (io_is_blob(text, size)) {
        return options_wrong(
            c,
            arena_printf(&u->arena,
                         "'%s' is a blob, not a program: 'tikc verify' checks it", name));
    }
    TRY(settings_apply(c, name, text, size) && check_options(c));
    char cwd[4096];
    u->load = c->load ? c->load : io_load;
    u->inside = io_inside;
    u->opt.cwd = getcwd(cwd, sizeof cwd) ? arena_strdup(&u->arena, cwd) : NULL;
    Text dump;
    text_init(&dump, &u->arena);
    PassOptions opt = {.print_after = c->print_after,
                       .verify_each = c->verify_each,
                       .out = &dump,
                       .only = c->passes ? &c->only : NULL,
                       .begin = c->listing ? listing_staged : NULL,
                       .to = c->listing};
    bool ok = tikc_compile(u, name, text, size, &opt);
    return (dump.n == 0 || io_print(u, dump.p, dump.n)) && ok;
}

bool
tile_kernels(Cmd *c, Kernel *const *kernels, int n)
{
    Text dump;
    text_init(&dump, &c->unit.arena);
    PassOptions opt = {.print_after = c->print_after,
                       .verify_each = c->verify_each,
                       .out = &dump,
                       .only = c->passes ? &c->only : NULL,
                       .without = &c->without};
    if (c->opt_level > 0) {
        tikc_tile(kernels, n, &opt);
    }
    return dump.n == 0 || io_print(&c->unit, dump.p, dump.n);
}

bool
compile_file(Cmd *c, const char *path)
{
    char *text;
    size_t size;
    return io_read(&c->unit, path, &text, &size) && compile_text(c, path, text, size);
}

/* Writes the report of all files; their entries are in the order of the files. */
static void
write_report(Cmd *c, const Findings *f)
{
    Text all, out;
    text_init(&all, &c->unit.arena);
    text_init(&out, &c->unit.arena);
    for (uint32_t i = 0; i < f->reports.n; i++) {
        const Text *t = &f->reports.p[i]->figures;
        text_put(&all, all.n && t->n ? ",\n" : "");
        text_putn(&all, t->n ? t->p : "", t->n);
    }
    figures_report(all.p, &out);
    (void)!io_write(&c->unit, c->report, out.p, out.n);
}

/* Finds the files, and reads what the options name. *summary: a text ends with a sum. */
static bool
begin_check(Cmd *c, SourceFiles *files, FigureList *limits, bool *summary)
{
    Shard shard;
    TRY(report_format(c) && report_colour(c) && shard_parse(c, &shard) &&
        cluster_share_input(c) && sources_find(c, files));
    bool folder = c->files.n != files->n || (files->n && files->p[0].found);
    if (c->memory_svg && (files->n != 1 || files->p[0].found)) {
        return options_wrong(c, "--memory-svg is for one file");
    }
    TRY(!c->budget || figures_read(&c->unit, c->budget, limits));
    TRY(!c->report || !cluster_first(c) || io_can_write(&c->unit, c->report));
    *summary = folder || files->n > 1;
    c->unit.opt.severity.several = files->n > 1;
    SHARD_KEEP(&shard, files);
    for (uint32_t i = 0; i < files->n; i++) {
        cluster_same(c, files->p[i].path, strlen(files->p[i].path) + 1);
    }
    return true;
}

int
cmd_check(Cmd *c)
{
    FigureList limits = {0};
    SourceFiles files = {0};
    bool summary = false;
    if (!cluster_agree(c, begin_check(c, &files, &limits, &summary), NULL)) {
        return report_unit(c);
    }
    c->limits = c->budget ? &limits : NULL;
    Findings f;
    report_begin(c, &f);
    check_files(c, &files, &f);
    if (c->report && cluster_first(c)) {
        write_report(c, &f);
    }
    int code = findings_end(&f, summary);
    /* of writing the report, and of ranks that were lost */
    int own = c->unit.errors ? report_unit(c) : EXIT_CLEAN;
    return MAX(code, own);
}
