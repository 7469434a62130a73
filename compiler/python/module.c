/* module.c: the registry of modules. It looks a dotted name up in this order: a module
 * that was registered or loaded before, a module of stdlib/, a place in the tree of
 * provided modules, a file of the program's package (loader.c).
 *
 * All provided modules have the same content, the public names of stdlib/_provided.tik,
 * since operators take one name from many places. Any other attribute of them is a
 * placeholder: a capitalised name is an empty class, a name that starts with raise_
 * raises an error with its arguments, anything else is again a module of this kind, which
 * cannot be called. */
#include "python/core.h"
#include "python/embed.h"

#include <string.h>

enum {
    /* limit of the length of a module's name, which also bounds the recursion */
    LONGEST = 200
};

/* ---- names --------------------------------------------------------------- */

static const char adapter[] = "impl.util.platform_adapter";

/* Trees of names whose modules exist without being written down. */
static const struct {
    const char *root;
    ModuleKind kind;
} roots[] = {
    {"te", MODULE_PROVIDED},     {"tbe", MODULE_PROVIDED},
    {"topi", MODULE_PROVIDED},   {"mindspore", MODULE_PROVIDED},
    {adapter, MODULE_PROVIDED},  {"impl", MODULE_PACKAGE},
    {"distutils", MODULE_LAZY},  {"importlib", MODULE_LAZY},
    {"mimetypes", MODULE_LAZY},  {"ms_interface", MODULE_LAZY},
    {"os", MODULE_LAZY},         {"platform", MODULE_LAZY},
    {"re", MODULE_LAZY},         {"shutil", MODULE_LAZY},
    {"subprocess", MODULE_LAZY}, {"sys", MODULE_LAZY},
    {"timeit", MODULE_LAZY},     {"traceback", MODULE_LAZY},
};

static bool
is_below(const char *dotted, const char *root)
{
    size_t n = strlen(root);
    return strncmp(dotted, root, n) == 0 && (dotted[n] == '.' || dotted[n] == '\0');
}

/* Returns the tree that a name belongs to; packages are not trees, only themselves. */
static ModuleKind
kind_of(const char *dotted)
{
    for (size_t i = 0; i < ARRAY_LEN(roots); i++) {
        if (roots[i].kind != MODULE_PACKAGE && is_below(dotted, roots[i].root)) {
            return roots[i].kind;
        }
    }
    bool package = strcmp(dotted, "impl") == 0 || strcmp(dotted, "impl.util") == 0;
    return package ? MODULE_PACKAGE : MODULE_PLAIN;
}

static bool
is_root(const char *dotted)
{
    for (size_t i = 0; i < ARRAY_LEN(roots); i++) {
        if (strcmp(roots[i].root, dotted) == 0) {
            return true;
        }
    }
    return kind_of(dotted) == MODULE_PACKAGE;
}

/* Returns the known name of the platform adapter for its last name, in whichever package
 * it is. */
static const char *
known_name(Interp *in, const char *dotted)
{
    const char *last = strrchr(adapter, '.') + 1;
    size_t n = strlen(last);
    for (const char *p = dotted; (p = strstr(p, last)); p += n) {
        bool whole = (p == dotted || p[-1] == '.') && (p[n] == '.' || p[n] == '\0');
        if (whole) {
            return arena_printf(core_arena(in), "%s%s", adapter, p + n);
        }
    }
    return dotted;
}

/* ---- the registry -------------------------------------------------------- */

Value
module_registered(Interp *in, const char *dotted)
{
    core_owe(in, in->core->modules.n);
    for (uint32_t i = 0; i < in->core->modules.n; i++) {
        if (strcmp(in->core->modules.p[i].dotted, dotted) == 0) {
            return in->core->modules.p[i].module;
        }
    }
    return val_fail();
}

Value
py_module(Interp *in, const char *dotted_name)
{
    Value m = module_registered(in, dotted_name);
    if (val_failed(m)) {
        ModuleVal *made = ARENA_NEW(core_arena(in), ModuleVal);
        made->name = arena_strdup(core_arena(in), dotted_name);
        made->kind = kind_of(dotted_name);
        m = (Value){.kind = VAL_MODULE, .module = made};
        VEC_PUSH(core_arena(in), &in->core->modules, (ModuleName){made->name, m});
    }
    return m;
}

void
py_module_set(Interp *in, Value module, const char *name, Value v)
{
    attrs_set(core_arena(in), &module.module->attrs, intern(&in->u->names, name), v);
}

void
module_forget(Interp *in, const ModuleVal *m)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < in->core->modules.n; i++) {
        if (in->core->modules.p[i].module.module != m) {
            in->core->modules.p[kept++] = in->core->modules.p[i];
        }
    }
    in->core->modules.n = kept;
}

bool
module_failed(const Interp *in)
{
    return in->fatal || in->exception.kind == VAL_INSTANCE;
}

/* ---- execution ----------------------------------------------------------- */

bool
module_run(Interp *in, ModuleVal *m, uint32_t source, Span span)
{
    if (!call_enter(in, span)) {
        return false;
    }
    Ast *tree = meter_parse(in, source, false);
    if (!tree) {
        in->fatal = true; /* the diagnostics were added */
        return false;
    }
    Value out = val_none();
    uint32_t chain = py_chain(in);
    Span here = in->here;
    in->chain = call_chain(in, span, m->name);
    in->depth++;
    /* an error ends the import: what follows it would not be defined */
    in->core->guards++;
    m->loading = true;
    attrs_set(core_arena(in), &m->attrs, in->core->sym.name, val_str(in, m->name));
    bool ok = py_execute(in, m, tree, &out);
    m->loading = false;
    in->core->guards--;
    in->depth--;
    in->here = here;
    in->chain = chain;
    in->fatal = in->fatal || (!ok && in->exception.kind != VAL_INSTANCE);
    return ok;
}

static const EmbeddedModule *
find_embedded(const char *name)
{
    for (size_t i = 0; i < embedded_module_count; i++) {
        if (strcmp(embedded_modules[i].name, name) == 0) {
            return &embedded_modules[i];
        }
    }
    return NULL;
}

/* Returns the name under which a private module of stdlib/ is registered: one that no
 * program can write. */
static const char *
library_name(Interp *in, const char *name)
{
    return name[0] == '_' ? arena_printf(core_arena(in), "<stdlib>.%s", name) : name;
}

static Value
load_embedded(Interp *in, const EmbeddedModule *e, Span span)
{
    Value m = py_module(in, library_name(in, e->name));
    uint32_t file = unit_add_source(in->u, e->path, e->text, e->len);
    m.module->path = e->path;
    if (!module_run(in, m.module, file, span)) {
        module_forget(in, m.module);
        return val_fail();
    }
    return m;
}

bool
module_is_known(Interp *in, const char *name)
{
    return name[0] != '_' &&
           (find_embedded(name) || !val_failed(module_registered(in, name))) &&
           strcmp(name, "posixpath") != 0;
}

/* Only the first part of a name is compared; what the program registered below its own
 * names does not count. */
const char *
module_nearest(Interp *in, const char *dotted)
{
    const char *dot = strchr(dotted, '.');
    size_t len = dot ? (size_t)(dot - dotted) : strlen(dotted);
    Nearest n = {.wanted = arena_strndup(core_arena(in), dotted, len)};
    const char *help;
    if (refuse_reason(in, dotted, &help)) {
        return NULL;
    }
    for (size_t i = 0; i < embedded_module_count; i++) {
        if (embedded_modules[i].name[0] != '_') {
            nearest_try(&n, embedded_modules[i].name);
        }
    }
    for (size_t i = 0; i < ARRAY_LEN(roots); i++) {
        nearest_try(&n, roots[i].root);
    }
    for (uint32_t i = 0; i < in->core->modules.n; i++) {
        const ModuleName *m = &in->core->modules.p[i];
        bool ours = !m->module.module->path && !strchr(m->dotted, '.');
        if (ours && m->dotted[0] != '_' && m->dotted[0] != '<') {
            nearest_try(&n, m->dotted);
        }
    }
    return n.best;
}

bool
module_is_standard(const Interp *in, const ModuleVal *m)
{
    static const char *const in_c[] = {"math",     "copy",     "abc",      "typing",
                                       "warnings", "builtins", "importlib"};
    for (size_t i = 0; i < ARRAY_LEN(in_c); i++) {
        if (strcmp(in_c[i], m->name) == 0) {
            return true;
        }
    }
    const EmbeddedModule *e = find_embedded(m->name);
    return e && m->path && strcmp(e->path, m->path) == 0 && in->core;
}

bool
module_is_library(const Interp *in, Span span)
{
    const char *path = in->u->sources.p[span.file].path;
    for (size_t i = 0; i < embedded_module_count; i++) {
        if (strcmp(embedded_modules[i].path, path) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- provided modules ---------------------------------------------------- */

static const char provided_name[] = "_provided";

Value
module_provided(Interp *in, Span span)
{
    Value *m = &in->core->provided;
    if (m->kind != VAL_MODULE) {
        Value loaded = module_registered(in, library_name(in, provided_name));
        *m = val_failed(loaded) ? load_embedded(in, find_embedded(provided_name), span)
                                : loaded;
    }
    return *m;
}

/* Returns the exception function of that name, which _raiser(name) of stdlib/ makes. */
static Value
raiser(Interp *in, const ModuleVal *flat, const char *name, Span span)
{
    Value make = attrs_get(&flat->attrs, intern(&in->u->names, "_raiser"));
    Value arg = val_str(in, name);
    return val_failed(make) ? make : call_values(in, make, &arg, 1, span);
}

static Value
placeholder(Interp *in, const ModuleVal *m, const char *name, Span span)
{
    if (strlen(m->name) + strlen(name) >= LONGEST) {
        return py_raise(in, "AttributeError", span,
                        "the name of a placeholder has more than %d characters", LONGEST);
    }
    if (!core_charge(in, in->core->modules.n, span)) {
        return val_fail();
    }
    if (name[0] >= 'A' && name[0] <= 'Z') {
        return (Value){.kind = VAL_CLASS, .klass = class_new(in, name, NULL)};
    }
    return py_module(in, arena_printf(core_arena(in), "%s.%s", m->name, name));
}

static Value
provided_member(Interp *in, ModuleVal *m, Sym sym, Span span)
{
    const char *name = sym_text(&in->u->names, sym);
    Value flat = module_provided(in, span);
    if (val_failed(flat)) {
        return flat;
    }
    Value v = name[0] == '_' ? val_fail() : attrs_get(&flat.module->attrs, sym);
    if (!val_failed(v)) {
        return v;
    }
    bool raises = strncmp(name, "raise_", 6) == 0;
    v = raises ? raiser(in, flat.module, name, span) : placeholder(in, m, name, span);
    if (!val_failed(v)) {
        attrs_set(core_arena(in), &m->attrs, sym, v);
    }
    return v;
}

bool
module_leaves_to_host(Interp *in, const ModuleVal *m, Sym sym)
{
    Value names = attrs_get(&m->attrs, intern(&in->u->names, "_host_names"));
    const char *name = sym_text(&in->u->names, sym);
    size_t n = strlen(name);
    for (const char *p = names.kind == VAL_STR ? val_text_of(in, names) : NULL; p;) {
        p += strspn(p, " \n");
        size_t len = strcspn(p, " \n");
        if (len == n && memcmp(p, name, n) == 0) {
            return true;
        }
        p = p[len] ? p + len : NULL;
    }
    return false;
}

Value
module_member(Interp *in, ModuleVal *m, Sym sym, Span span, bool *found)
{
    const char *name = sym_text(&in->u->names, sym);
    Value v = val_fail();
    *found = false;
    if (strncmp(name, "__", 2) == 0 || !core_stack(in, span)) {
        return v;
    }
    switch (m->kind) {
    case MODULE_PLAIN:
        return v;
    case MODULE_PROVIDED:
        v = provided_member(in, m, sym, span);
        break;
    case MODULE_LAZY:
        v = placeholder(in, m, name, span);
        if (!val_failed(v)) {
            attrs_set(core_arena(in), &m->attrs, sym, v);
        }
        break;
    case MODULE_PACKAGE:
        v = loader_member(in, m, name, span);
        break;
    }
    *found = !val_failed(v) || module_failed(in);
    return v;
}

Value
module_call(Interp *in, const ModuleVal *m, Span span)
{
    if (m->kind != MODULE_PROVIDED && m->kind != MODULE_LAZY) {
        return py_raise(in, "TypeError", span, "a 'module' cannot be called");
    }
    ExcInfo *x = error_raise(in, "RuntimeError", span,
                             "'%s' is a placeholder and cannot be called", m->name);
    x->help = refuse_placeholder(in, m->name);
    if (!x->help) {
        x->help =
            "the module is accepted so that files load; only the names that kernels "
            "use are provided";
    }
    return val_fail();
}

/* ---- look-up ------------------------------------------------------------- */

/* Returns a package that exists only as the first part of dotted names. It is made at the
 * first use. */
static Value
prefix_module(Interp *in, const char *name)
{
    size_t n = strlen(name);
    for (uint32_t i = 0; i < in->core->modules.n; i++) {
        const char *dotted = in->core->modules.p[i].dotted;
        if (strncmp(dotted, name, n) == 0 && dotted[n] == '.') {
            return py_module(in, name);
        }
    }
    return val_fail();
}

/* Returns an attribute of the module before the last dot, if it is a module. Below
 * provided modules every name is one, also that of a function: op_info_register is in a
 * module op_info_register. */
static Value
attribute_module(Interp *in, const char *dotted, Span span)
{
    const char *dot = strrchr(dotted, '.');
    if (!dot) {
        return val_fail();
    }
    bool found = false;
    Value m = module_find(
        in, arena_strndup(core_arena(in), dotted, (size_t)(dot - dotted)), span);
    if (m.kind != VAL_MODULE || m.module->kind == MODULE_PACKAGE) {
        return val_fail();
    }
    Value v = attr_try(in, m, intern(&in->u->names, dot + 1), span, &found);
    if (found && v.kind == VAL_MODULE) {
        return v;
    }
    bool any = m.module->kind == MODULE_PROVIDED || m.module->kind == MODULE_LAZY;
    return any && !module_failed(in) ? py_module(in, dotted) : val_fail();
}

Value
module_find(Interp *in, const char *dotted, Span span)
{
    bool private = dotted[0] == '_' && module_is_library(in, span);
    const EmbeddedModule *e = dotted[0] != '_' || private ? find_embedded(dotted) : NULL;
    dotted = private ? library_name(in, dotted) : known_name(in, dotted);
    Value m = module_registered(in, dotted);
    if (!val_failed(m) || strlen(dotted) > LONGEST) {
        return m;
    }
    if (!private && loader_is_named(in, dotted)) {
        return loader_find(in, dotted, span);
    }
    if (e) {
        return load_embedded(in, e, span);
    }
    if (is_root(dotted)) {
        return py_module(in, dotted);
    }
    m = attribute_module(in, dotted, span);
    if (val_failed(m) && !module_failed(in)) {
        m = loader_find(in, dotted, span);
    }
    return val_failed(m) && !module_failed(in) ? prefix_module(in, dotted) : m;
}
