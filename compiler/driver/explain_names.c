/* explain_names.c: makes the pages of 'tikc explain' about names that are no diagnostic:
 * calls, from the table that binds them (tik/call.def) and the operands of instructions;
 * structures and their fields; parameters of instructions; words of the manuals; names of
 * Ascend C. All spellings of a name are equal: deqScale is deq_scale. */
#include "base/nearest.h"
#include "driver/driver.h"
#include "tik/call_text.h"

#include <ctype.h>
#include <string.h>

/* ---- names --------------------------------------------------------------- */

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

/* Returns the method whose other spelling the name is, as DataCopy is one of data_copy,
 * or else the name. */
static const char *
method_named(const char *name)
{
    for (int call = 0; call < CALL_COUNT; call++) {
        const char *method = call_signature((Call)call).name;
        if (nearest_same(method, name)) {
            return method;
        }
    }
    return name;
}

/* Returns what follows the last dot or colon of "tik.BlockMode" or "TPosition::VECIN". */
static const char *
last_part(const char *name)
{
    const char *part = name;
    for (const char *s = name; *s; s++) {
        part = (*s == '.' || *s == ':') && s[1] ? s + 1 : part;
    }
    return part;
}

/* ---- methods and functions ----------------------------------------------- */

static void
put_signature(const CallText *call, Text *out)
{
    const Signature *s = &call->signature;
    call_prototype(s, out);
    text_put(out, s->n ? "\n\n" : "\n");
    for (int i = 0; i < s->n; i++) {
        text_printf(out, "  %-18s ", s->args[i].name);
        call_argument_text(call, &s->args[i], out);
        text_putc(out, '\n');
    }
}

/* Puts the calls of a name as users write them. Returns false if the name is nothing that
 * can be called. */
bool
explain_signatures(Arena *a, const char *name, Text *out)
{
    CallTexts calls = {0};
    call_texts(a, name, &calls);
    for (uint32_t i = 0; i < calls.n; i++) {
        const CallText *call = &calls.p[i];
        text_put(out, i ? "\n" : "");
        put_signature(call, out);
        text_printf(out, "\n%s: %s.\n", call_owner_text(call->owner), call->meaning);
    }
    return calls.n > 0;
}

/* Explains a method that is known and refused. */
static bool
explain_refused(const char *name, Text *out)
{
    const char *reason, *help;
    if (!call_is_refused(name, &reason, &help)) {
        return false;
    }
    text_printf(out, "'%s' is a TIK method that this version does not compile%s%s.\n",
                name, *reason ? ": " : "", reason);
    if (*help) {
        text_printf(out, "Help: %s.\n", help);
    }
    return true;
}

/* ---- structures ---------------------------------------------------------- */

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
field_default(const char *kind, const char *dflt)
{
    return strcmp(kind, "BOOL") == 0   ? (strcmp(dflt, "0") == 0 ? "False" : "True")
           : strcmp(kind, "LIST") == 0 ? "None"
                                       : dflt;
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

/* Puts "SliceInfo(start_index=0, ...)". */
static void
put_constructor(const char *name, Text *out)
{
    int n = 0;
#define STRUCT(title)                                                                    \
    if (nearest_same(#title, name)) {                                                    \
        text_put(out, #title "(");                                                       \
    }
#define FIELD(of, field, dflt, kind)                                                     \
    if (nearest_same(#of, name)) {                                                       \
        text_printf(out, "%s%s=%s", n++ ? ", " : "", #field,                             \
                    field_default(#kind, #dflt));                                        \
    }
#include "tik/struct.def"
#undef FIELD
#undef STRUCT
    text_put(out, ")\n");
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
    put_constructor(name, out);
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

/* ---- parameters ---------------------------------------------------------- */

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

/* Explains a parameter, once for each range that instructions have for it. */
static bool
explain_param(const char *name, Text *out)
{
    bool found = false;
    for (int op = 0; op < OP_COUNT; op++) {
        const ParamInfo *p = param_of((Op)op, name);
        bool listed = !p || strchr(op_table[op].name, '.');
        for (int before = 0; before < op && !listed; before++) {
            const ParamInfo *q = param_of((Op)before, name);
            listed = q && same_range(p, q) && !strchr(op_table[before].name, '.');
        }
        if (!listed) {
            found = true;
            text_printf(out, "%s, a parameter: ", p->name);
            call_role_text(p, out);
            text_put(out, ", of ");
            put_users(p, name, out);
        }
    }
    return found;
}

/* ---- words --------------------------------------------------------------- */

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
    const char *method = method_named(part);
    bool found = explain_signatures(a, part, out);
    if (strcmp(method, part) != 0) {
        found = explain_signatures(a, method, out) || found;
    }
    found = found || explain_refused(part, out);
    found = explain_struct(part, out) || found;
    found = explain_enum(part, out) || found;
    found = explain_field(part, out) || found;
    found = explain_param(part, out) || found;
    found = explain_topic(a, part, out) || found;
    found = explain_ascendc(a, part, out) || found;
    found = explain_dtype(part, out) || found;
    return explain_soc(part, out) || found;
}
