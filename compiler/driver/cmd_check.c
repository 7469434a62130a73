/* cmd_check.c: implements tikc check: everything up to the back ends, for any number of
 * files. */
#include "base/product.h"
#include "driver/driver.h"
#include "driver/memory_map.h"
#include "passes/check.h"

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
    TRY(check_options(c));
    char cwd[4096];
    u->load = io_load;
    u->inside = io_inside;
    u->opt.cwd = getcwd(cwd, sizeof cwd) ? arena_strdup(&u->arena, cwd) : NULL;
    Text dump;
    text_init(&dump, &u->arena);
    PassOptions opt = {.print_after = c->print_after,
                       .verify_each = c->verify_each,
                       .out = &dump,
                       .only = c->passes ? &c->only : NULL};
    bool ok =
        tikc_compile(u, strcmp(path, "-") == 0 ? "<stdin>" : path, text, size, &opt);
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
    return check_options(c) && io_read(&c->unit, path, &text, &size) &&
           compile_text(c, path, text, size);
}

static bool
print_proofs(Unit *u)
{
    Text t;
    text_init(&t, &u->arena);
    for (uint32_t i = 0; i < u->kernels.n; i++) {
        const Kernel *k = u->kernels.p[i];
        text_printf(&t, "%s: %lld proved, %lld refuted, %lld checked at run time\n",
                    sym_text(&u->names, k->name), (long long)k->proofs[0],
                    (long long)k->proofs[1], (long long)k->proofs[2]);
        check_explain(k, &t);
    }
    return io_print(u, t.p, t.n);
}

/* Shows the memories of the kernels, as text or JSON and as a picture. */
static bool
show_memory(Cmd *c)
{
    Unit *u = &c->unit;
    Text t, picture;
    text_init(&t, &u->arena);
    text_init(&picture, &u->arena);
    for (uint32_t i = 0; c->memory && i < u->kernels.n; i++) {
        (report_json(c) ? memory_map_json : memory_map_text)(u->kernels.p[i], &t);
    }
    TRY(t.n == 0 || io_print(u, t.p, t.n));
    if (!c->memory_svg) {
        return true;
    }
    memory_map_svg(u->kernels.p, u->kernels.n, &picture);
    return options_spare(c, c->memory_svg) &&
           io_write(u, c->memory_svg, picture.p, picture.n);
}

/* Checks one file; each is a compilation of its own. */
static int
check_one(Cmd *c, const char *path)
{
    Cmd one = *c;
    Options opt = c->unit.opt;
    unit_init(&one.unit);
    one.unit.opt = opt;
    bool ok = compile_file(&one, path) && one.unit.errors == 0;
    (void)!(ok && show_memory(&one));
    if (one.proofs) {
        (void)!print_proofs(&one.unit);
    }
    int code = report_unit(&one);
    for (uint32_t i = 0; i < one.unit.kernels.n; i++) {
        kernel_free(one.unit.kernels.p[i]);
    }
    unit_free(&one.unit);
    return code;
}

int
cmd_check(Cmd *c)
{
    if (!report_format(c)) {
        return report_unit(c);
    }
    if (c->memory_svg && c->files.n > 1) {
        (void)!options_wrong(c, "--memory-svg is for one file");
        return report_unit(c);
    }
    int worst = EXIT_CLEAN;
    c->unit.opt.severity.several = c->files.n > 1;
    for (uint32_t i = 0; i < c->files.n; i++) {
        int code = check_one(c, c->files.p[i]);
        worst = MAX(worst, code);
    }
    return worst;
}
