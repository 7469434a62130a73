/* import.c: executes the statements import and from. Relative names are resolved against
 * the package of the module that runs; module.c finds, and loader.c loads, what they
 * name. */
#include "python/resolve.h"

#include <string.h>

/* Returns a help that says where the file of a module was searched. */
static const char *
search_help(Interp *in)
{
    Text t;
    text_init(&t, core_arena(in));
    const LoaderState *l = &in->core->loader;
    for (uint32_t i = 0; in->u->load && i < l->dirs.n; i++) {
        const ModuleDir *d = &l->dirs.p[i];
        text_printf(&t, "%s '%s'", t.n ? "," : "looked for its file in",
                    *d->path ? d->path : ".");
    }
    text_put(&t, t.n ? "; -I DIR adds a folder, -I NAME=DIR one for the name"
                     : "a program without a folder has no modules of its own");
    return t.p;
}

/* Raises the error that a program awaits, or that of a misspelt name. */
static Value
import_failed(Interp *in, const char *dotted, Span span)
{
    if (!module_failed(in) && !refuse_module(in, dotted, span)) {
        ExcInfo *x = error_raise(in, "ModuleNotFoundError", span,
                                 "there is no module '%s'", dotted);
        const char *near = module_nearest(in, dotted);
        x->help = near ? arena_printf(core_arena(in), "there is a module '%s'", near)
                       : search_help(in);
    }
    return val_fail();
}

/* Returns a stand-in, unless the program awaits the error or means one of our modules.
 * missing is the part of the name that was not found. */
static Value
stand_in(Interp *in, const char *dotted, const char *missing, Span span)
{
    if (module_failed(in) || absent_is_awaited(in) || module_nearest(in, missing)) {
        return import_failed(in, missing, span);
    }
    const char *help = NULL;
    const char *why = refuse_reason(in, missing, &help);
    if (!why) {
        why = arena_printf(core_arena(in), "there is no module '%s'", missing);
        help = search_help(in);
    }
    return absent_module(in, dotted, why, help, span);
}

/* Makes a stand-in an attribute of the module above it, if that exists. */
static void
hang_below(Interp *in, const char *dotted, Value v, Span span)
{
    const char *dot = strrchr(dotted, '.');
    if (!dot) {
        return;
    }
    const char *parent = arena_strndup(core_arena(in), dotted, (size_t)(dot - dotted));
    Value m = module_find(in, parent, span);
    if (m.kind == VAL_MODULE) {
        py_module_set(in, m, dot + 1, v);
    } else if (!module_failed(in)) {
        hang_below(in, parent, absent_parent(in, v, parent), span);
    }
}

static Value
import_named(Interp *in, const char *dotted, Span span)
{
    Value m = module_find(in, dotted, span);
    if (val_failed(m)) {
        m = stand_in(in, dotted, dotted, span);
        if (!val_failed(m)) {
            hang_below(in, dotted, m, span);
        }
    }
    return m;
}

Value
import_module(Interp *in, const char *dotted, Span span)
{
    return import_named(in, dotted, span);
}

bool
exec_import(Interp *in, Ast *s)
{
    for (Ast *a = s->orelse; a; a = a->next) {
        Value m = import_named(in, a->str, a->span);
        if (val_failed(m)) {
            return false;
        }
        Sym name = a->name;
        const char *dot = strchr(a->str, '.');
        if (!name) {
            size_t n = dot ? (size_t)(dot - a->str) : strlen(a->str);
            name = intern_n(&in->u->names, a->str, n);
            m = import_named(in, sym_text(&in->u->names, name), a->span);
        }
        if (val_failed(m)) {
            return false;
        }
        eval_bind(in, a, name, m);
    }
    return true;
}

/* Imports from a package the names that its init file takes from its modules. */
static bool
import_star_package(Interp *in, ModuleVal *package, Span span)
{
    ModuleVal *to = in->frame->module;
    Value names = loader_exports(in, package, span);
    for (uint32_t i = 0; !val_failed(names) && i < names.list->n; i++) {
        const char *name = val_text_of(in, names.list->p[i]);
        Value v = loader_member(in, package, name, span);
        if (val_failed(v)) {
            return import_failed(in, name, span), false;
        }
        attrs_set(core_arena(in), &to->attrs, intern(&in->u->names, name), v);
    }
    return !val_failed(names);
}

/* Imports the names of __all__. */
static bool
import_all(Interp *in, Value m, Value all, Span span)
{
    Value names = iter_collect(in, VAL_LIST, all, span);
    for (uint32_t i = 0; !val_failed(names) && i < names.list->n; i++) {
        if (names.list->p[i].kind != VAL_STR) {
            py_raise(in, "TypeError", span, "an item of __all__ is a text, not '%s'",
                     val_type_name(names.list->p[i]));
            return false;
        }
        Sym name = val_sym(in, names.list->p[i]);
        Value v = attr_get(in, m, name, span);
        if (val_failed(v)) {
            return false;
        }
        attrs_set(core_arena(in), &in->frame->module->attrs, name, v);
    }
    return !val_failed(names);
}

static bool
import_star(Interp *in, Value m, Span span)
{
    ModuleVal *to = in->frame->module;
    if (m.module->kind == MODULE_PACKAGE) {
        return import_star_package(in, m.module, span);
    }
    if (m.module->kind == MODULE_PROVIDED) {
        m = module_provided(in, span);
        if (val_failed(m)) {
            return false;
        }
    }
    Value all = attrs_get(&m.module->attrs, intern(&in->u->names, "__all__"));
    if (!val_failed(all)) {
        return import_all(in, m, all, span);
    }
    core_owe(in, 4 * (int64_t)m.module->attrs.n);
    for (uint32_t i = 0; i < m.module->attrs.n; i++) {
        Attr a = m.module->attrs.p[i];
        if (!val_failed(a.v) && sym_text(&in->u->names, a.name)[0] != '_') {
            attrs_set(core_arena(in), &to->attrs, a.name, a.v);
        }
    }
    return true;
}

static bool
no_member(Interp *in, const ModuleVal *m, const Ast *a)
{
    if (module_failed(in)) {
        return false;
    }
    if (m->loading) {
        const char *by = in->frame->module->path;
        ExcInfo *x = error_raise(
            in, "ImportError", a->span,
            "the module '%s' has no '%s' yet: it is still being loaded", m->name, a->str);
        x->help =
            arena_printf(core_arena(in),
                         "'%s' and '%s' import each other; import the name where it "
                         "is used, inside of a function",
                         m->path ? m->path : m->name, by ? by : "the program");
        return false;
    }
    const char *name = m->name;
    ExcInfo *x = error_raise(in, "ImportError", a->span, "the module '%s' has no '%s'",
                             name, a->str);
    Nearest n = {.wanted = a->str};
    nearest_attrs(in, &n, &m->attrs);
    (void)nearest_suggest(in, &n, x);
    return false;
}

/* Returns whether a name is nearly one of the module's own, such as tik; then it is no
 * placeholder. */
static bool
is_misspelt(Interp *in, const ModuleVal *m, Sym member)
{
    Nearest n = {.wanted = sym_text(&in->u->names, member)};
    Value own = attrs_get(&m->attrs, intern(&in->u->names, "tik"));
    if (m->kind == MODULE_PROVIDED && !val_failed(own) &&
        val_failed(attrs_get(&m->attrs, member))) {
        nearest_try(&n, "tik");
    }
    return n.best != NULL;
}

/* Returns a stand-in for a name of the standard library that we do not have, as for a
 * module. */
static Value
missing_member(Interp *in, const ModuleVal *m, const Ast *a)
{
    Nearest n = {.wanted = a->str};
    nearest_attrs(in, &n, &m->attrs);
    bool ours = m->kind == MODULE_PLAIN && !m->loading && module_is_standard(in, m);
    if (!ours || n.best || module_failed(in) || absent_is_awaited(in)) {
        return val_fail();
    }
    const char *name = arena_printf(core_arena(in), "%s.%s", m->name, a->str);
    const char *why =
        arena_printf(core_arena(in), "the module '%s' has no '%s' here", m->name, a->str);
    return absent_module(in, name, why, NULL, a->span);
}

static bool
import_member(Interp *in, Value m, Ast *a)
{
    enum {
        MEMBER_STEPS = 12 /* cost of finding a name of a module, and binding it */
    };
    bool found = false;
    core_owe(in, MEMBER_STEPS);
    Sym member = intern(&in->u->names, a->str);
    Value v = val_fail();
    if (!is_misspelt(in, m.module, member)) {
        v = attr_try(in, m, member, a->span, &found);
        if (!found && !module_failed(in)) {
            const char *name =
                arena_printf(core_arena(in), "%s.%s", m.module->name, a->str);
            v = module_find(in, name, a->span);
        }
    }
    if (val_failed(v)) {
        v = missing_member(in, m.module, a);
    }
    if (val_failed(v)) {
        return no_member(in, m.module, a);
    }
    return eval_bind(in, a, a->name ? a->name : member, v);
}

/* Imports names of a folder that has no file of its own: each is a module. If there is
 * none, the folder is missing. */
static bool
import_files(Interp *in, const char *folder, Ast *s)
{
    bool any = !*folder;
    for (Ast *a = s->orelse; a; a = a->next) {
        const char *dotted =
            *folder ? arena_printf(core_arena(in), "%s.%s", folder, a->str) : a->str;
        Value m = module_find(in, dotted, a->span);
        if (val_failed(m)) {
            m = stand_in(in, dotted, any ? dotted : folder, a->span);
        } else {
            any = true;
        }
        if (val_failed(m)) {
            return false;
        }
        eval_bind(in, a, a->name ? a->name : intern(&in->u->names, a->str), m);
    }
    return true;
}

/* Imports the unknown names of a stand-in: a name that is not defined may be one of
 * them. */
static bool
import_star_absent(Interp *in, const char *name, Span span)
{
    Value v = stand_in(in, name, name, span);
    if (!val_failed(v)) {
        in->frame->module->unknown_names = v;
    }
    return !val_failed(v);
}

/* Returns the dotted name that a from statement means, or null after an error. */
static const char *
absolute_name(Interp *in, const Ast *s)
{
    const char *package = in->frame->module->package;
    if (s->value == 0) {
        return s->str;
    }
    size_t n = package ? strlen(package) : 0;
    bool ok = package != NULL;
    for (int64_t level = s->value; ok && level > 1; level--) {
        ok = n > 0;
        while (n > 0 && package[n - 1] != '.') {
            n--;
        }
        n -= n > 0;
    }
    if (!ok) {
        ExcInfo *x = error_raise(in, "ImportError", s->span,
                                 "the relative import goes beyond the package '%s'",
                                 package ? package : "");
        x->help =
            "relative imports begin at the file's folder; each further dot goes one "
            "folder up, as far as the folder 'impl'";
        return NULL;
    }
    return arena_printf(core_arena(in), "%.*s%s%s", (int)n, package,
                        n && *s->str ? "." : "", s->str);
}

bool
exec_from(Interp *in, Ast *s)
{
    if (s->value == 0 && strcmp(s->str, "__future__") == 0) {
        return true;
    }
    const char *name = absolute_name(in, s);
    if (!name) {
        return false;
    }
    Value m = *name ? module_find(in, name, s->span) : val_fail();
    if (val_failed(m)) {
        if (module_failed(in)) {
            return false;
        }
        return s->orelse ? import_files(in, name, s)
                         : import_star_absent(in, name, s->span);
    }
    if (!s->orelse) {
        return import_star(in, m, s->span);
    }
    for (Ast *a = s->orelse; a; a = a->next) {
        TRY(import_member(in, m, a));
    }
    return true;
}
