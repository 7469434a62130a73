/* explain_names.c: pages of 'tikc explain' about names that are no instruction and no diagnostic: methods, whose
 * prototypes the evaluator itself tells; structures and their fields; parameters of instructions; words of the
 * manuals; names of Ascend C. A name counts in any manner of writing: deqScale is deq_scale. */
#include "base/nearest.h"
#include "driver/driver.h"

#include <ctype.h>
#include <string.h>

/* ---- names ------------------------------------------------------------------------------------------- */

static bool
in_names(const char *names, const char *name, Arena *a)
{
    while (*names) {
        size_t n = strcspn(names, " ");
        if (nearest_same(arena_strndup(a, names, n), name)) {
            return true;
        }
        names += n + (names[n] == ' ');
    }
    return false;
}

static bool
is_identifier(const char *s)
{
    bool ok = isalpha((unsigned char)*s) || *s == '_';
    for (; *s; s++) {
        ok = ok && (isalnum((unsigned char)*s) || *s == '_');
    }
    return ok;
}

static const char *const methods[] = {
#define METHOD(method, fn) #method,
#include "tik/method.def"
#undef METHOD
};

/* A method of the container in another manner of writing: DataCopy is data_copy; else the name. */
static const char *
method_named(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
        if (nearest_same(methods[i], name)) {
            return methods[i];
        }
    }
    return name;
}

static bool
is_method(const char *name)
{
    bool is = false;
    for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
        is = is || strcmp(methods[i], name) == 0;
    }
    return is;
}

/* Behind the last dot or colon of "tik.BlockMode" or "TPosition::VECIN". */
static const char *
last_part(const char *name)
{
    const char *part = name;
    for (const char *s = name; *s; s++) {
        part = (*s == '.' || *s == ':') && s[1] ? s + 1 : part;
    }
    return part;
}

/* ---- methods ----------------------------------------------------------------------------------------- */

/* What can be asked for an attribute, and what it is. */
static const struct {
    const char *who;
    const char *what;
} receivers[] = {{"t", "method of a tik.Tik container"},
                 {"x", "method of a Tensor"},
                 {"s", "method of a Scalar"},
                 {"c", "method of a constant (Const)"},
                 {"tik", "function of the module tik"}};

static const char setup[] =
    "from tbe import tik\n"
    "t = tik.Tik()\n"
    "x = t.Tensor('float16', (16,), name='x', scope=tik.scope_ubuf)\n"
    "s = t.Scalar('int32', name='s')\n"
    "c = t.Const('float16', (1,), 'c', [1.0])\n";

/* Calls it with a parameter that nothing has: the refusal names those that there are. The unit is scratch. */
static const Diag *
ask_prototype(Unit *u, const char *who, const char *name)
{
    const char *text = arena_printf(&u->arena, "%s%s.%s(_no_such=0)\n", setup, who, name);
    (void)!tikc_stage(u, "<explain>", text, strlen(text));
    for (uint32_t i = 0; i < u->kernels.n; i++) {
        kernel_free(u->kernels.p[i]);
    }
    for (uint32_t i = 0; i < u->diags.n; i++) {
        if (u->diags.p[i]->level == LEVEL_ERROR &&
            u->diags.p[i]->span.begin >= sizeof setup - 1) {
            return u->diags.p[i];
        }
    }
    return NULL;
}

static int
put_prototypes(const Diag *d, Text *out)
{
    static const char *const marks[] = {"prototype: ", "form: "};
    int n = 0;
    for (uint32_t i = 0; i < d->notes.n; i++) {
        for (size_t k = 0; k < ARRAY_LEN(marks); k++) {
            size_t len = strlen(marks[k]);
            if (strncmp(d->notes.p[i].text, marks[k], len) == 0) {
                text_printf(out, "%s\n", d->notes.p[i].text + len);
                n++;
            }
        }
    }
    return n;
}

/* The calls of a name as users write them. False: the name is nothing that can be called. */
bool
explain_prototype(const char *name, bool with_owner, Text *out)
{
    bool found = false;
    for (size_t i = 0; i < ARRAY_LEN(receivers) && !found && is_identifier(name); i++) {
        Unit u;
        unit_init(&u);
        const Diag *d = ask_prototype(&u, receivers[i].who, name);
        if (d && (d->id == D_NOT_SUPPORTED || put_prototypes(d, out) > 0)) {
            found = true;
            if (d->id == D_NOT_SUPPORTED) {
                text_printf(out, "%s\n", d->text);
            } else if (with_owner) {
                text_printf(out, "\n%s: %s.\n", name, receivers[i].what);
            }
        }
        unit_free(&u);
    }
    return found;
}

/* ---- structures -------------------------------------------------------------------------------------- */

static void
put_enumerators(const char *of, Text *out)
{
    int n = 0;
#define ENUMERATOR(owner, value, number)                                                 \
    if (strcmp(#owner, of) == 0) {                                                       \
        text_printf(out, "%s%s", n++ ? ", " : "", #value);                               \
    }
#include "tik/struct.def"
#undef ENUMERATOR
}

static bool
explain_enum(const char *name, Text *out)
{
    bool found = false;
#define ENUM(title)                                                                      \
    if (nearest_same(#title, name)) {                                                    \
        found = true;                                                                    \
        text_put(out, "tik." #title ", an enumeration: ");                               \
        put_enumerators(#title, out);                                                    \
        text_put(out, ".\n");                                                            \
    }
#define ENUMERATOR(owner, value, number)                                                 \
    if (nearest_same(#value, name)) {                                                    \
        found = true;                                                                    \
        text_put(out, "tik." #owner "." #value ", number " #number ".\n");               \
    }
#define SPELLING(owner, other, value)                                                    \
    if (nearest_same(#other, name)) {                                                    \
        found = true;                                                                    \
        text_put(out, "tik." #owner "." #other ", the same as " #value ".\n");           \
    }
#include "tik/struct.def"
#undef SPELLING
#undef ENUMERATOR
#undef ENUM
    return found;
}

static const char *
field_kind(const char *kind)
{
    return strcmp(kind, "INT") == 0       ? "an int, a Scalar or an Expr"
           : strcmp(kind, "BOOL") == 0    ? "True or False"
           : strcmp(kind, "NUMBER") == 0  ? "a number, a Scalar or an Expr"
           : strcmp(kind, "ADDRESS") == 0 ? "a tensor, or 0"
           : strcmp(kind, "LIST") == 0    ? "a list, or None"
           : strcmp(kind, "LIST4") == 0   ? "a list of 4 numbers"
                                          : kind;
}

static bool
explain_struct(const char *name, Text *out)
{
    bool found = false;
#define STRUCT(title) found = found || nearest_same(#title, name);
#include "tik/struct.def"
#undef STRUCT
    if (!found) {
        return false;
    }
    text_put(out, "\nIts fields, by position or name:\n");
#define FIELD(of, field, dflt, kind)                                                     \
    if (nearest_same(#of, name)) {                                                       \
        text_printf(out, "  %-22s %s\n", #field, field_kind(#kind));                     \
    }
#define ALIAS(of, other, field)                                                          \
    if (nearest_same(#of, name)) {                                                       \
        text_printf(out, "  %-22s another name of %s\n", #other, #field);                \
    }
#include "tik/struct.def"
#undef ALIAS
#undef FIELD
    return true;
}

static bool
explain_field(const char *name, Text *out)
{
    bool found = false;
#define FIELD(of, field, dflt, kind)                                                     \
    if (nearest_same(#field, name)) {                                                    \
        found = true;                                                                    \
        text_printf(out, "%s, a field of tik." #of ": %s; default %s.\n", #field,        \
                    field_kind(#kind), #dflt);                                           \
    }
#define ALIAS(of, other, field)                                                          \
    if (nearest_same(#other, name)) {                                                    \
        found = true;                                                                    \
        text_put(out,                                                                    \
                 #other ", another name of the field " #field " of tik." #of ".\n");     \
    }
#include "tik/struct.def"
#undef ALIAS
#undef FIELD
    return found;
}

/* ---- parameters -------------------------------------------------------------------------------------- */

static const ParamInfo *
param_of(Op op, const char *name)
{
    int n;
    const ParamInfo *p = form_params(op_table[op].form, &n);
    for (int i = 0; i < n; i++) {
        if (nearest_same(p[i].name, name)) {
            return &p[i];
        }
    }
    return NULL;
}

static bool
same_range(const ParamInfo *a, const ParamInfo *b)
{
    return a->role == b->role && a->lo == b->lo && a->hi == b->hi && a->rule == b->rule &&
           strcmp(a->unit, b->unit) == 0;
}

static void
put_users(const ParamInfo *p, const char *name, Text *out)
{
    enum {
        MOST = 12
    };
    int n = 0;
    for (int op = 0; op < OP_COUNT; op++) {
        const ParamInfo *q = param_of((Op)op, name);
        if (q && same_range(p, q) && !strchr(op_table[op].name, '.') && n++ < MOST) {
            text_printf(out, "%s%s", n > 1 ? ", " : "", op_method((Op)op));
        }
    }
    text_printf(out, n > MOST ? " and %d more.\n" : ".\n", n - MOST);
}

/* A parameter, once for each range that instructions have for it. */
static bool
explain_param(const char *name, Text *out)
{
    bool found = false;
    for (int op = 0; op < OP_COUNT; op++) {
        const ParamInfo *p = param_of((Op)op, name);
        bool told = !p || strchr(op_table[op].name, '.');
        for (int before = 0; before < op && !told; before++) {
            const ParamInfo *q = param_of((Op)before, name);
            told = q && same_range(p, q) && !strchr(op_table[before].name, '.');
        }
        if (!told) {
            found = true;
            text_printf(out, "%s, a parameter: ", p->name);
            explain_role(p, out);
            text_put(out, ", of ");
            put_users(p, name, out);
        }
    }
    return found;
}

/* ---- words ------------------------------------------------------------------------------------------- */

static bool
explain_topic(Arena *a, const char *name, Text *out)
{
    static const struct {
        const char *names;
        const char *text;
    } topics[] = {
#define TOPIC(names, text) {names, text},
#include "driver/topic.def"
    };
    bool found = false;
    for (size_t i = 0; i < ARRAY_LEN(topics); i++) {
        if (in_names(topics[i].names, name, a)) {
            text_printf(out, "%s: %s\n", name, topics[i].text);
            found = true;
        }
    }
    return found;
}

static bool
explain_ascendc(Arena *a, const char *name, Text *out)
{
    static const struct {
        const char *names;
        const char *ours;
        const char *note;
    } rows[] = {
#define ASCENDC_TITLE(title)
#define ASCENDC(names, ours, note) {names, ours, note},
#include "driver/ascendc.def"
    };
    bool found = false;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (in_names(rows[i].names, name, a)) {
            text_printf(out, "%s of Ascend C is here %s%s%s.\n", name, rows[i].ours,
                        *rows[i].note ? ": " : "", rows[i].note);
            found = true;
        }
    }
    return found;
}

static bool
explain_dtype(const char *name, Text *out)
{
    for (int t = 1; t < DT_COUNT; t++) {
        if (strcmp(dtype_name((Dtype)t), name) == 0) {
            text_printf(out, "%s, an element type: %d byte%s.\n", name,
                        dtype_size((Dtype)t), dtype_size((Dtype)t) == 1 ? "" : "s");
            return true;
        }
    }
    return false;
}

static bool
explain_soc(const char *name, Text *out)
{
    const Soc *s = soc_find(name);
    if (s) {
        text_printf(out,
                    "%s, a processor of the family %s with %d core%s; see 'tikc "
                    "targets'.\n",
                    s->name, s->family, s->cores, s->cores == 1 ? "" : "s");
    }
    return s != NULL;
}

bool
explain_name(Arena *a, const char *name, Text *out)
{
    const char *part = last_part(name);
    bool found = explain_prototype(part, true, out);
    const char *method = method_named(part);
    if (strcmp(method, part) != 0) {
        found = explain_prototype(method, true, out) || found;
    }
    if (!found &&
        is_method(method)) { /* its arguments are looked at by itself, or not at all */
        text_printf(out,
                    "%s(...): method of a tik.Tik container; see docs/language.md.\n",
                    method);
        found = true;
    }
    found = explain_struct(part, out) || found;
    found = explain_enum(part, out) || found;
    found = explain_field(part, out) || found;
    found = explain_param(part, out) || found;
    found = explain_topic(a, part, out) || found;
    found = explain_ascendc(a, part, out) || found;
    found = explain_dtype(part, out) || found;
    return explain_soc(part, out) || found;
}
