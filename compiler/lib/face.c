/* face.c: implements tikc.h over a unit. The possible values of a setting are those of
 * the tool's options, and decided in the same functions. */
#include "lib/face.h"

#include "base/product.h"

#include <stdlib.h>
#include <string.h>

const char *
tikc_version(void)
{
    return TIKC_VERSION;
}

Tikc *
tikc_new(void)
{
    Tikc *t = calloc(1, sizeof *t);
    if (!t) {
        base_out_of_memory(sizeof *t);
    }
    unit_init(&t->unit);
    t->unit.opt.trace = true;
    return t;
}

void
tikc_free(Tikc *t)
{
    if (!t) {
        return;
    }
    if (t->end_native) {
        t->end_native(t);
    }
    if (t->end_record) {
        t->end_record(t);
    }
    for (uint32_t i = 0; i < t->unit.kernels.n; i++) {
        kernel_free(t->unit.kernels.p[i]);
    }
    unit_free(&t->unit);
    free(t);
}

static bool
wrong(Tikc *t, const char *text, const char *value)
{
    diag_add(&t->unit, D_USAGE, (Span){0}, 0, "%s '%s'", text, value);
    return false;
}

static const char *
copy(Tikc *t, const char *text)
{
    return arena_strdup(&t->unit.arena, text);
}

/* ---- settings ------------------------------------------------------------ */

bool
tikc_set_soc(Tikc *t, const char *name)
{
    return product_fix_soc(&t->unit, name);
}

void
tikc_set_call(Tikc *t, const char *expression)
{
    t->unit.opt.call = copy(t, expression);
}

bool
tikc_define(Tikc *t, const char *name, const char *expression)
{
    if (!intern_is_identifier(name)) {
        return wrong(t, "no name can be defined that is", name);
    }
    Define d = {copy(t, name), copy(t, expression)};
    VEC_PUSH(&t->unit.arena, &t->unit.opt.defines, d);
    return true;
}

bool
tikc_choose(Tikc *t, const char *point, const char *reading)
{
    Choice found;
    return (choice_find(point, &found) ||
            wrong(t, "docs/choices.md has no point", point)) &&
           (choice_find_reading(found, reading, &t->unit.opt.choices.v[found]) ||
            wrong(t, "the point has no reading", reading));
}

void
tikc_set_env(Tikc *t, const char *name, const char *value)
{
    Define d = {copy(t, name), copy(t, value)};
    VEC_PUSH(&t->unit.arena, &t->unit.opt.env, d);
}

void
tikc_add_folder(Tikc *t, const char *folder)
{
    const char *text = copy(t, folder);
    VEC_PUSH(&t->unit.arena, &t->unit.opt.dirs, text);
}

static bool
load(Unit *u, const char *path, const char **text, size_t *len)
{
    Tikc *t = (Tikc *)(void *)u;
    if (!t->load(t->ctx, path, text, len)) {
        return false;
    }
    if (*len > (size_t)MAX(u->opt.limits.file, 0)) {
        diag_add(u, D_LIMIT_FILE, (Span){0}, 0, "'%s' has more than %lld bytes", path,
                 (long long)u->opt.limits.file);
        return false;
    }
    *text = arena_strndup(&u->arena, *text, *len);
    return true;
}

void
tikc_set_loader(Tikc *t, TikcLoad *function, void *ctx)
{
    t->load = function;
    t->ctx = ctx;
    t->unit.load = function ? load : NULL;
}

/* ---- compiling ----------------------------------------------------------- */

bool
tikc_compile_text(Tikc *t, const char *path, const char *text, size_t size)
{
    if (t->used) {
        return wrong(t,
                     "each program needs a Tikc of its own; this one has another:", path);
    }
    t->used = true;
    t->good = t->unit.errors == 0 && tikc_compile(&t->unit, path, text, size, NULL);
    return t->good;
}

int
tikc_kernels(const Tikc *t)
{
    return (int)t->unit.kernels.n;
}

const char *
tikc_kernel_name(const Tikc *t, int kernel)
{
    return sym_text(&t->unit.names, t->unit.kernels.p[kernel]->name);
}

static const char *
make_text(Kernel **kernels, int n, TikcForm form, size_t *size)
{
    Text text;
    text_init(&text, &kernels[0]->unit->arena);
    for (int i = 0; i < n; i++) {
        switch (form) {
        case TIKC_IR:
            ir_print(kernels[i], &text);
            break;
        case TIKC_TRACE:
            tikc_trace(kernels[i], &text);
            break;
        case TIKC_FACTS:
            tikc_facts(kernels[i], sym_text(&kernels[i]->unit->names, kernels[i]->name),
                       ".tkb", &text);
            break;
        case TIKC_BLOB:
            UNREACHABLE();
        }
    }
    *size = text.n;
    return text.p;
}

bool
tikc_make(Tikc *t, int kernel, TikcForm form, const void **bytes, size_t *size)
{
    if (!t->good) {
        diag_add(&t->unit, D_USAGE, (Span){0}, 0, "no program has been compiled");
        return false;
    }
    Kernel **kernels = t->unit.kernels.p;
    int n = tikc_kernels(t);
    if (kernel >= 0) {
        kernels += kernel;
        n = 1;
    }
    if (form == TIKC_BLOB) {
        const uint8_t *blob;
        bool ok = tikc_blob(&t->unit, kernels, n, &blob, size);
        *bytes = ok ? blob : NULL;
        return ok;
    }
    *bytes = make_text(kernels, n, form, size);
    return true;
}

/* ---- findings ------------------------------------------------------------ */

const char *
tikc_diagnostics(Tikc *t, TikcFindings form)
{
    Text text;
    text_init(&text, &t->unit.arena);
    diag_render_all(&t->unit, form == TIKC_JSON ? DIAG_JSON : DIAG_TEXT, &text);
    return text.n ? text.p : "";
}

int64_t
tikc_errors(const Tikc *t)
{
    return t->unit.errors;
}

int64_t
tikc_warnings(const Tikc *t)
{
    return t->unit.warnings;
}

const char *
tikc_output(const Tikc *t)
{
    return t->unit.log.n ? t->unit.log.p : "";
}
