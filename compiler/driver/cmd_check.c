/* cmd_check.c: tikc check: everything up to the back ends, for any number of files. */
#include "driver/driver.h"
#include "passes/check.h"

#include <stdio.h>
#include <string.h>

bool
compile_file(Cmd *c, const char *path)
{
    Unit *u = &c->unit;
    if (u->opt.soc) {
        if (!unit_set_soc(u, u->opt.soc)) {
            Diag *d = diag_add(u, D_SOC_UNKNOWN, (Span){0}, 0,
                               "there is no processor '%s'", u->opt.soc);
            diag_help(u, d, "'tikc targets' lists the processors");
            return false;
        }
        u->soc_fixed = true;
    }
    char *text;
    size_t size;
    TRY(io_read(u, path, &text, &size));
    Text dump;
    text_init(&dump, &u->arena);
    PassOptions opt = {c->print_after, c->verify_each, &dump};
    bool ok =
        tikc_compile(u, strcmp(path, "-") == 0 ? "<stdin>" : path, text, size, &opt);
    return (dump.n == 0 || io_print(u, dump.p, dump.n)) && ok;
}

static void
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
    fwrite(t.p, 1, t.n, stdout);
}

/* Each file is a compilation of its own. */
static int
check_one(Cmd *c, const char *path)
{
    Cmd one = *c;
    Options opt = c->unit.opt;
    unit_init(&one.unit);
    one.unit.opt = opt;
    (void)!compile_file(&one, path);
    if (one.proofs) {
        print_proofs(&one.unit);
    }
    report_unit(&one);
    int code = report_exit_code(&one.unit);
    for (uint32_t i = 0; i < one.unit.kernels.n; i++) {
        kernel_free(one.unit.kernels.p[i]);
    }
    unit_free(&one.unit);
    return code;
}

int
cmd_check(Cmd *c)
{
    if (c->format && strcmp(c->format, "text") != 0 && strcmp(c->format, "json") != 0) {
        diag_add(&c->unit, D_USAGE, (Span){0}, 0, "--format is text or json, not '%s'",
                 c->format);
        c->format = NULL;
        report_unit(c);
        return EXIT_USAGE;
    }
    int worst = EXIT_CLEAN;
    for (uint32_t i = 0; i < c->files.n; i++) {
        int code = check_one(c, c->files.p[i]);
        worst = MAX(worst, code);
    }
    return worst;
}
