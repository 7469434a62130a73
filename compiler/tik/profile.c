/* profile.c: Dprofile, the processor profile object (language 4.10).
 *
 * An architecture and version pair selects the processor that is compiled for. A
 * processor that the command line names has precedence, with a warning when they differ.
 * A profile without a pair describes the processor that is compiled for. */
#include "tik/install.h"
#include "tik/tik.h"

#include <string.h>

typedef struct Pair {
    const char *arch;
    const char *version;
    const char *soc;
    bool vector; /* the pair means its vector cores */
} Pair;

static const Pair pairs[] = {
    {"v100", "mini", "Ascend310", false},
    {"v100", "cloud", "Ascend910", false},
    {"v200", "aic", "Ascend310P1", false},
    {"v200", "hisi-es", "Hi3796CV300ES", false},
    {"v200", "hisi-cs", "Hi3796CV300CS", false},
    {"v200", "hisi-sd3403", "SD3403", false},
    {"v200", "sd3403", "SD3403", false},
    {"v200", "vec", "Ascend610", true},
    {"v210", "aiv", "BS9SX1AA", true},
    {"v210", "aic", "BS9SX1AA", false},
    {"v300", "aiv", "Ascend310B1", true},
};

static const Soc *
profile_soc(Interp *in, const ProfileObj *p)
{
    return p->soc ? p->soc : in->u->soc;
}

static const Pair *
find_pair(const char *arch, const char *version)
{
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
        if (strcmp(pairs[i].arch, arch) == 0 && strcmp(pairs[i].version, version) == 0) {
            return &pairs[i];
        }
    }
    return NULL;
}

/* Returns the list of known pairs for a help. */
static const char *
pair_list(Interp *in)
{
    Text t;
    text_init(&t, &in->u->arena);
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
        text_printf(&t, "%s(\"%s\", \"%s\")", i ? ", " : "", pairs[i].arch,
                    pairs[i].version);
    }
    return t.p;
}

/* Compiles for the profile's processor, unless the command line named one. given is the
 * profile as the program writes it. */
static void
select_soc(Interp *in, ProfileObj *p, const Soc *soc, const char *given, Span span)
{
    if (!in->u->soc_fixed) {
        in->u->soc = soc;
        p->soc = soc;
    } else if (strcmp(soc->family, in->u->soc->family) != 0) {
        py_diag(in, D_SOC_CONFLICT, span,
                "the profile (%s) means %s; the command line says %s", given, soc->family,
                in->u->soc->name);
        p->product = NULL;
    }
}

static void
select_pair(Interp *in, ProfileObj *p, const Pair *pair, Span span)
{
    const char *given =
        arena_printf(&in->u->arena, "\"%s\", \"%s\"", pair->arch, pair->version);
    p->product = pair->version;
    p->vector = pair->vector;
    select_soc(in, p, soc_find(pair->soc), given, span);
}

/* Reports an architecture without a version, which selects nothing. */
static bool
is_architecture(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
        if (strcmp(pairs[i].arch, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Selects a processor with LMEM lanes, which a profile names directly. False with a
 * diagnostic if name is none. */
static bool
select_lanes(Interp *in, ProfileObj *p, const char *name, Span span)
{
    const Soc *soc = soc_find(name);
    if (!soc || !soc->lmem) {
        Diag *d = py_diag(in, D_VALUE_ERROR, span,
                          "'%s' is neither the architecture of a profile nor a processor "
                          "with lanes",
                          name);
        diag_help(in->u, d, "the profiles are %s; 'tikc targets' lists the processors",
                  pair_list(in));
        return false;
    }
    select_soc(in, p, soc, arena_printf(&in->u->arena, "\"%s\"", name), span);
    return true;
}

Value
tik_profile_new(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value got[MOST_ARGS];
    enum {
        PROFILE_STEPS = 256 /* cost of reading the arguments */
    };
    const char *arch, *version;
    CallArgs call = *args;
    core_owe(in, PROFILE_STEPS);
    Sym *names =
        arena_copy(&in->u->arena, args->kwname, (size_t)args->nkw * sizeof *names);
    for (int i = 0; i < args->nkw; i++) { /* the older spelling of the keywords */
        const char *text = tik_sym(in, names[i]);
        if (strcmp(text, "ai_core_arch") == 0 || strcmp(text, "ai_core_version") == 0) {
            names[i] = intern(&in->u->names, text + strlen("ai_core_"));
        }
    }
    call.kwname = names;
    if (!tik_bind(in, CALL_Dprofile, &call, got, NULL)) {
        return val_fail();
    }
    ProfileObj *p = ARENA_NEW(&in->u->arena, ProfileObj);
    p->base.cls = &tik_profile_class;
    if (got[P_Dprofile_arch].kind == VAL_NONE &&
        got[P_Dprofile_version].kind == VAL_NONE) {
        return val_object(&p->base);
    }
    if (!tik_text(in, got[P_Dprofile_arch], "arch", args->span, &arch)) {
        return val_fail();
    }
    if (got[P_Dprofile_version].kind == VAL_NONE && is_architecture(arch)) {
        return val_object(&p->base);
    }
    if (got[P_Dprofile_version].kind == VAL_NONE) {
        return select_lanes(in, p, arch, args->span) ? val_object(&p->base) : val_fail();
    }
    if (!tik_text(in, got[P_Dprofile_version], "version", args->span, &version)) {
        return val_fail();
    }
    const Pair *pair = find_pair(arch, version);
    if (!pair) {
        Diag *d = py_diag(in, D_VALUE_ERROR, args->span,
                          "no profile has the architecture '%s' and version '%s'", arch,
                          version);
        diag_help(in->u, d, "the profiles are %s", pair_list(in));
        return val_fail();
    }
    select_pair(in, p, pair, args->span);
    return val_object(&p->base);
}

/* ---- queries ------------------------------------------------------------- */

static const char *
product_name(Interp *in, const ProfileObj *p)
{
    const Soc *soc = profile_soc(in, p);
    if (p->product) {
        return p->product;
    }
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
        const Soc *of_pair = soc_find(pairs[i].soc);
        if (strcmp(of_pair->family, soc->family) == 0) {
            return pairs[i].version;
        }
    }
    return "aic";
}

static Value
q_cores(Interp *in, Value self, const CallArgs *args)
{
    (void)args;
    const ProfileObj *p = (ProfileObj *)self.obj;
    const Soc *soc = profile_soc(in, p);
    return val_int(p->vector && p->soc ? soc->vector_cores : soc->cores);
}

static Value
q_product(Interp *in, Value self, const CallArgs *args)
{
    (void)args;
    return val_str(in, product_name(in, (ProfileObj *)self.obj));
}

static Value
capacity(Interp *in, Value self, Scope mem)
{
    return val_int(profile_soc(in, (ProfileObj *)self.obj)->bytes[mem]);
}

static Value
q_ub(Interp *in, Value self, const CallArgs *args)
{
    (void)args;
    return capacity(in, self, SC_UB);
}

static Value
q_l1(Interp *in, Value self, const CallArgs *args)
{
    (void)args;
    return capacity(in, self, SC_L1);
}

static Value
q_l0a(Interp *in, Value self, const CallArgs *args)
{
    (void)args;
    return capacity(in, self, SC_L0A);
}

static Value
q_l0b(Interp *in, Value self, const CallArgs *args)
{
    (void)args;
    return capacity(in, self, SC_L0B);
}

static Value
q_l0c(Interp *in, Value self, const CallArgs *args)
{
    (void)args;
    return capacity(in, self, SC_L0C);
}

/* Returns the sizes of all memories by scope. */
static Value
all_sizes(Interp *in, Value self, Span span)
{
    static const Scope mems[] = {SC_UB, SC_L1, SC_L0A, SC_L0B, SC_L0C};
    Value d = val_dict(in);
    for (size_t i = 0; i < ARRAY_LEN(mems); i++) {
        Value key =
            val_str(in, arena_printf(&in->u->arena, "local.%s", scope_name(mems[i])));
        if (!dict_set(in, d, key, capacity(in, self, mems[i]), span)) {
            return val_fail();
        }
    }
    return d;
}

static Value
q_scope(Interp *in, Value self, const CallArgs *args)
{
    Value v;
    const char *text;
    Scope mem;
    if (!tik_bind(in, CALL_buffer_size_query, args, &v, NULL)) {
        return val_fail();
    }
    if (v.kind == VAL_NONE) {
        return all_sizes(in, self, args->span);
    }
    if (!tik_text(in, v, "buffer_scope", args->span, &text)) {
        return val_fail();
    }
    if (!scope_find(text, &mem) || mem == SC_GM) {
        py_diag(in, D_TENSOR_SCOPE, args->span, "'%s' is not a scope of on-core tensors",
                text);
        return val_fail();
    }
    return capacity(in, self, mem);
}

static const struct {
    const char *name;
    BuiltinFn fn;
} queries[] = {
    {"get_aicore_num", q_cores},     {"get_unified_buffer_size", q_ub},
    {"get_l1_buffer_size", q_l1},    {"get_l0a_buffer_size", q_l0a},
    {"get_l0b_buffer_size", q_l0b},  {"get_l0c_buffer_size", q_l0c},
    {"get_product_name", q_product}, {"buffer_size_query", q_scope},
};

static Value
profile_attr(Interp *in, Object *self, Sym name, Span span, bool *found)
{
    (void)span;
    const char *text = tik_sym(in, name);
    *found = true;
    for (size_t i = 0; i < ARRAY_LEN(queries); i++) {
        if (strcmp(text, queries[i].name) == 0) {
            return val_builtin(in, queries[i].name, queries[i].fn, val_object(self));
        }
    }
    *found = false;
    return val_none();
}

static const char *
profile_name(int index)
{
    return index < (int)ARRAY_LEN(queries) ? queries[index].name : NULL;
}

const ObjectClass tik_profile_class = {
    .name = "Dprofile",
    .get_attr = profile_attr,
    .attr_name = profile_name,
};
