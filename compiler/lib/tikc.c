/* tikc.c: runs the compiler, see pipeline.h. The whole pipeline is visible here: parse,
 * stage, passes; the back ends take the kernels from there. A text of kernel IR needs no
 * stage. */
#include "pipeline.h"

#include "lib/ir_input.h"
#include "lib/stage.h"

#include <string.h>

bool
tikc_stage(Unit *u, const char *path, const char *text, size_t len)
{
    if (len > UINT32_MAX / 2) {
        diag_add(u, D_FILE_READ, (Span){0}, 0,
                 "'%s' has %zu bytes; a source has at most %u", path, len,
                 UINT32_MAX / 2);
        return false;
    }
    uint32_t file = unit_add_source(u, path, text, len);
    if (ir_input_is(u, file)) {
        return ir_input_read(u, file);
    }
    bool ok = stage_run(u, file) && u->errors == 0;
    arena_free(&u->tree); /* what is left of the trees */
    if (!u->facts) {      /* which name values */
        arena_free(&u->values);
        arena_free(&u->brief);
    }
    return ok;
}

void
tikc_trace(const Kernel *k, Text *out)
{
    ir_trace(k, out);
}

/* Checks what was staged of a kernel before an error, so that one run reports many
 * errors. */
static void
check_partial(Unit *u, const PassList *only)
{
    PassOptions opt = {.only = only};
    for (uint32_t i = 0; i < u->partial.n; i++) {
        (void)!passes_run(u->partial.p[i], &opt);
        kernel_free(u->partial.p[i]);
    }
    u->partial.n = 0;
}

static bool
no_kernel(Unit *u, uint32_t file, const char *path)
{
    Diag *d =
        diag_add(u, D_NO_KERNEL, (Span){file, 0, 0}, 0, "'%s' builds no kernel", path);
    if (u->entry.call) {
        diag_note(u, d, u->entry.span, "the operator is %s", u->entry.signature);
        diag_help(u, d, "call it with --call '%s'", u->entry.call);
    }
    return false;
}

bool
tikc_compile(Unit *u, const char *path, const char *text, size_t len,
             const PassOptions *opt)
{
    uint32_t file = u->sources.n; /* the file that tikc_stage adds first */
    u->want_partial = true;
    bool ok = tikc_stage(u, path, text, len);
    for (uint32_t i = 0; i < u->kernels.n; i++) {
        ok = passes_run(u->kernels.p[i], opt) && ok;
    }
    check_partial(u, opt ? opt->only : NULL);
    if (ok && u->kernels.n == 0) {
        return no_kernel(u, file, path);
    }
    /* some passes need no allowance, so a list of passes proves none unused */
    if (ok && u->errors == 0 && !(opt && opt->only)) {
        severity_finish(u);
    }
    return ok && u->errors == 0;
}

void
tikc_tile(Kernel *const *kernels, int n, const PassOptions *opt)
{
    for (int i = 0; i < n; i++) {
        if (!kernels[i]->tiled) {
            kernels[i]->tiled = passes_host(kernels[i], opt);
        }
        if (!kernels[i]->inspector) {
            kernels[i]->inspector = passes_inspector(kernels[i]);
        }
    }
}

static void
list_kernels(Unit *u, Diag *d)
{
    for (uint32_t i = 0; i < u->kernels.n; i++) {
        Kernel *k = u->kernels.p[i];
        diag_note(u, d, k->span, "kernel '%s'", sym_text(&u->names, k->name));
    }
}

Kernel *
tikc_pick_kernel(Unit *u, const char *name)
{
    if (!name && u->kernels.n == 1) {
        return u->kernels.p[0];
    }
    for (uint32_t i = 0; name && i < u->kernels.n; i++) {
        if (strcmp(sym_text(&u->names, u->kernels.p[i]->name), name) == 0) {
            return u->kernels.p[i];
        }
    }
    Diag *d;
    if (name) {
        d = diag_add(u, D_KERNEL_CHOICE, (Span){0}, 0, "there is no kernel '%s'", name);
    } else {
        d = diag_add(u, D_KERNEL_CHOICE, (Span){0}, 0, "the program builds %u kernels",
                     u->kernels.n);
    }
    list_kernels(u, d);
    return NULL;
}
