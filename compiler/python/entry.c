/* entry.c: finds the functions of an operator file that --call can be meant for, and
 * shows how to call them (language 6.6).
 *
 * The entry is the function with the name of the file; else one that check_op_params,
 * check_input_type or register_operator decorates; else one with a parameter kernel_name;
 * of several it is the last one. check_supported, op_select_format, get_op_support_info,
 * names that end in _compute and names that begin with _ never are. The search is in the
 * tree, since decorators hide the functions. */
#include "python/resolve.h"

#include <string.h>

enum {
    MAX_LISTED = 5
};

#define DESCRIPTION                                                                      \
    "{\"shape\": (16, 32), \"dtype\": \"float16\", \"format\": \"ND\", "                 \
    "\"ori_shape\": (16, 32), \"ori_format\": \"ND\"}"

typedef struct Finder {
    Unit *u;
    const Ast *module;
    const char *stem; /* stem of the file's name */
    size_t stem_len;
} Finder;

static const char *
name_of(const Finder *f, Sym s)
{
    return s ? sym_text(&f->u->names, s) : "";
}

static bool
ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

/* Returns the call of a decorator, found by its last name, or null. */
static const Ast *
decorator(const Finder *f, const AstFunc *func, const char *name)
{
    for (const Ast *d = func->decorators; d; d = d->next) {
        const Ast *callee = d->kind == AST_CALL ? d->a : d;
        bool named = callee->kind == AST_NAME || callee->kind == AST_ATTR;
        if (named && strcmp(name_of(f, callee->name), name) == 0) {
            return d;
        }
    }
    return NULL;
}

static bool
has_parameter(const Finder *f, const AstFunc *func, const char *name)
{
    for (const AstParam *p = func->params; p; p = p->next) {
        if (strcmp(name_of(f, p->name), name) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns how likely a function is the entry; 0 if it never is. */
static int
rank(const Finder *f, const Ast *s)
{
    static const char *const never[] = {"check_supported", "op_select_format",
                                        "get_op_support_info"};
    if (s->kind != AST_DEF) {
        return 0;
    }
    const char *name = name_of(f, s->func->name);
    if (strlen(name) == f->stem_len && memcmp(name, f->stem, f->stem_len) == 0) {
        return 4;
    }
    for (size_t i = 0; i < ARRAY_LEN(never); i++) {
        if (strcmp(name, never[i]) == 0) {
            return 0;
        }
    }
    if (name[0] == '_' || ends_with(name, "_compute")) {
        return 0;
    }
    bool kernel = has_parameter(f, s->func, "kernel_name");
    bool decorated = decorator(f, s->func, "check_op_params") ||
                     decorator(f, s->func, "check_input_type") ||
                     decorator(f, s->func, "register_operator");
    return decorated ? 2 + kernel : kernel;
}

static Finder
finder(Unit *u, uint32_t file, const Ast *module)
{
    const char *path = u->sources.p[file].path;
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    const char *dot = strrchr(base, '.');
    return (Finder){u, module, base, dot ? (size_t)(dot - base) : strlen(base)};
}

static const Ast *
find_entry(const Finder *f)
{
    const Ast *best = NULL;
    int best_rank = 1;
    for (const Ast *s = f->module->body; s; s = s->next) {
        int r = rank(f, s);
        if (r >= best_rank) {
            best_rank = r;
            best = s;
        }
    }
    return best;
}

/* ---- how to call it ------------------------------------------------------ */

static void
put_source(const Unit *u, Span span, Text *out)
{
    const char *text = u->sources.p[span.file].text;
    for (uint32_t i = span.begin; i < span.end; i++) {
        text_putc(out, text[i] == '\n' ? ' ' : text[i]);
    }
}

static const char *
signature(const Finder *f, const AstFunc *func)
{
    Text t;
    text_init(&t, &f->u->arena);
    text_printf(&t, "%s(", name_of(f, func->name));
    for (const AstParam *p = func->params; p; p = p->next) {
        text_put(&t, p == func->params ? "" : ", ");
        text_put(&t, p->kind == PARAM_STAR || !p->name ? "*"
                     : p->kind == PARAM_STARSTAR       ? "**"
                                                       : "");
        text_put(&t, name_of(f, p->name));
        if (p->dflt) {
            text_putc(&t, '=');
            put_source(f->u, p->dflt->span, &t);
        }
    }
    text_putc(&t, ')');
    return t.p;
}

/* Returns a value of the kind that check_op_params names, or of the type that
 * check_input_type names. */
static const char *
example_of(const char *kind)
{
    static const struct {
        const char *kind;
        const char *value;
    } rows[] = {
        {"REQUIRED_INPUT", DESCRIPTION},
        {"REQUIRED_OUTPUT", DESCRIPTION},
        {"DYNAMIC_INPUT", "[" DESCRIPTION "]"},
        {"DYNAMIC_OUTPUT", "[" DESCRIPTION "]"},
        {"OPTION_INPUT", "None"},
        {"OPTION_OUTPUT", "None"},
        {"REQUIRED_ATTR_INT", "1"},
        {"REQUIRED_ATTR_FLOAT", "1.0"},
        {"REQUIRED_ATTR_BOOL", "True"},
        {"REQUIRED_ATTR_STR", "\"text\""},
        {"REQUIRED_ATTR_TYPE", "\"float16\""},
        {"REQUIRED_ATTR_LIST_INT", "(1,)"},
        {"REQUIRED_ATTR_LIST_FLOAT", "(1.0,)"},
        {"REQUIRED_ATTR_LIST_BOOL", "(True,)"},
        {"REQUIRED_ATTR_LIST_LIST_INT", "((1,),)"},
        {"int", "1"},
        {"float", "1.0"},
        {"bool", "True"},
        {"str", "\"text\""},
        {"list", "(1,)"},
        {"tuple", "(1,)"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (strcmp(rows[i].kind, kind) == 0) {
            return rows[i].value;
        }
    }
    return DESCRIPTION;
}

/* Returns the index-th argument of the decorator that has the kinds of parameters; for a
 * tuple of alternatives, as in (list, tuple), its last one. */
static const char *
kind_at(const Finder *f, const AstFunc *func, int index)
{
    const Ast *d = decorator(f, func, "check_op_params");
    d = d ? d : decorator(f, func, "check_input_type");
    const Ast *arg = d && d->kind == AST_CALL ? d->list : NULL;
    for (int i = 0; arg && i < index; i++) {
        arg = arg->next;
    }
    for (const Ast *x = arg && arg->kind == AST_TUPLE ? arg->list : NULL; x;
         x = x->next) {
        arg = x;
    }
    bool named = arg && (arg->kind == AST_NAME || arg->kind == AST_ATTR);
    return named ? name_of(f, arg->name) : "";
}

/* Returns an example of a call. It leaves out parameters with a default, other than the
 * kernel's name. */
static const char *
example(const Finder *f, const AstFunc *func)
{
    Text t;
    text_init(&t, &f->u->arena);
    text_printf(&t, "%s(", name_of(f, func->name));
    int i = 0, given = 0;
    bool skipped = false;
    for (const AstParam *p = func->params; p; p = p->next, i++) {
        bool kernel = strcmp(name_of(f, p->name), "kernel_name") == 0;
        bool variable = p->kind == PARAM_STAR || p->kind == PARAM_STARSTAR || !p->name;
        if (variable || (p->dflt && !kernel)) {
            skipped = true;
            continue;
        }
        text_put(&t, given++ ? ", " : "");
        if (kernel || skipped) {
            text_printf(&t, "%s=", name_of(f, p->name));
        }
        if (kernel) {
            text_printf(&t, "\"%s\"", name_of(f, func->name));
        } else {
            text_put(&t, example_of(kind_at(f, func, i)));
        }
    }
    text_putc(&t, ')');
    return t.p;
}

/* ---- what the user sees -------------------------------------------------- */

static Span
first_line(const Unit *u, Span span)
{
    const char *text = u->sources.p[span.file].text;
    const char *end = memchr(text + span.begin, '\n', span.end - span.begin);
    return end ? (Span){span.file, span.begin, (uint32_t)(end - text)} : span;
}

void
entry_remember(Unit *u, uint32_t file, const Ast *module)
{
    Finder f = finder(u, file, module);
    const Ast *s = find_entry(&f);
    if (s) {
        u->entry.span = first_line(u, s->span);
        u->entry.signature = signature(&f, s->func);
        u->entry.call = example(&f, s->func);
    }
}

static bool
defines(const Finder *f, Sym name)
{
    for (const Ast *s = f->module->body; s; s = s->next) {
        if (s->kind == AST_DEF && s->func->name == name) {
            return true;
        }
    }
    return false;
}

/* Notes the functions that may be meant, the entry first. */
static void
note_candidates(const Finder *f, Diag *d)
{
    const Ast *entry = find_entry(f);
    int n = 0;
    if (entry) {
        diag_note(f->u, d, first_line(f->u, entry->span), "the operator is %s",
                  signature(f, entry->func));
    }
    for (const Ast *s = f->module->body; s && n < MAX_LISTED; s = s->next) {
        if (s != entry && rank(f, s) > 0) {
            diag_note(f->u, d, first_line(f->u, s->span), "another function is %s",
                      signature(f, s->func));
            n++;
        }
    }
}

bool
entry_check_call(Interp *in, uint32_t file, const Ast *module, const ModuleVal *m,
                 const Ast *call)
{
    Unit *u = in->u;
    const Ast *callee = call->kind == AST_CALL ? call->a : NULL;
    if (!callee || callee->kind != AST_NAME ||
        !val_failed(attrs_get(&m->attrs, callee->name)) ||
        !val_failed(attrs_get(&in->core->builtins->attrs, callee->name))) {
        return true;
    }
    Finder f = finder(u, file, module);
    const char *name = sym_text(&u->names, callee->name);
    Diag *d = py_diag(
        in, D_NAME, callee->span, "'%s' is not defined%s", name,
        defines(&f, callee->name)
            ? ": the program defines it and takes it away again, or never gets there"
            : "");
    Nearest near = {.wanted = name};
    for (const Ast *s = module->body; s; s = s->next) {
        if (s->kind == AST_DEF) {
            nearest_try(&near, sym_text(&u->names, s->func->name));
        }
    }
    diag_suggest(u, d, callee->span, &near);
    note_candidates(&f, d);
    return false;
}

/* ---- arguments ----------------------------------------------------------- */

static Value
parameter_value(const Frame *fr, const ParamSlot *p)
{
    return p->in_cell ? fr->cells[p->slot]->v : fr->slots[p->slot];
}

/* Returns "x" when v is d, "x[1]" when it is a list with d in it, else null. */
static const char *
operand_name(Interp *in, const char *name, Value v, const Dict *d)
{
    if (v.kind == VAL_DICT && v.dict == d) {
        return name;
    }
    for (uint32_t i = 0; (v.kind == VAL_LIST || v.kind == VAL_TUPLE) && i < v.list->n;
         i++) {
        if (v.list->p[i].kind == VAL_DICT && v.list->p[i].dict == d) {
            return arena_printf(core_arena(in), "%s[%u]", name, i);
        }
    }
    return NULL;
}

static const char *
in_frame(Interp *in, const Frame *fr, const Dict *d)
{
    const Locals *loc = fr->func ? fr->func->loc : NULL;
    for (int i = 0; loc && i < loc->nparams; i++) {
        const ParamSlot *p = &loc->params[i];
        const char *name = p->kind == PARAM_STAR || p->kind == PARAM_STARSTAR
                               ? NULL
                               : operand_name(in, sym_text(&in->u->names, p->name),
                                              parameter_value(fr, p), d);
        if (name) {
            return arena_printf(core_arena(in), "'%s' of %s()", name, fr->func->name);
        }
    }
    return NULL;
}

const char *
entry_operand(Interp *in, const Dict *d)
{
    const char *outermost = NULL;
    for (const Frame *fr = in->frame; fr; fr = fr->caller) {
        const char *name = in_frame(in, fr, d);
        outermost = name ? name : outermost;
    }
    return outermost;
}
