/* isa.c: the tables of isa.h, made from the .def files. */
#include "isa/isa.h"

#include <string.h>

static const struct {
    const char *name;
    int size;
    DtypeKind kind;
} dtypes[DT_COUNT] = {
    [DT_NONE] = {"none", 0, KIND_UINT},
#define DTYPE(id, name, bytes, kind) [DT_##id] = {name, bytes, KIND_##kind},
#include "isa/dtype.def"
};

const char *
dtype_name(Dtype t)
{
    return dtypes[t].name;
}

int
dtype_size(Dtype t)
{
    return dtypes[t].size;
}

DtypeKind
dtype_kind(Dtype t)
{
    return dtypes[t].kind;
}

Dtype
dtype_find(const char *name)
{
    for (int i = 1; i < DT_COUNT; i++) {
        if (strcmp(dtypes[i].name, name) == 0) {
            return (Dtype)i;
        }
    }
    return DT_NONE;
}

static const struct {
    const char *name;
    const char *text;
    int alloc, align, align32;
} scopes[SC_COUNT] = {
#define SCOPE(id, name, text, alloc, align, align32)                                     \
    [SC_##id] = {name, text, alloc, align, align32},
#include "isa/scope.def"
};

const char *
scope_name(Scope s)
{
    return scopes[s].name;
}

const char *
scope_text(Scope s)
{
    return scopes[s].text;
}

static const struct {
    const char *name, *word;
} argroles[ARGROLE_COUNT] = {
#define ARGROLE(id, name, word) [ARGROLE_##id] = {name, word},
#include "isa/argrole.def"
};

const char *
argrole_name(ArgRole r)
{
    return argroles[r].name;
}

const char *
argrole_word(ArgRole r)
{
    return argroles[r].word;
}

int
scope_alloc_unit(Scope s)
{
    return scopes[s].alloc;
}

int
scope_align(Scope s, Dtype t)
{
    return dtype_size(t) >= 4 ? scopes[s].align32 : scopes[s].align;
}

bool
scope_find(const char *text, Scope *out)
{
    for (int i = 0; i < SC_COUNT; i++) {
        if (strcmp(scopes[i].text, text) == 0) {
            *out = (Scope)i;
            return true;
        }
    }
    return false;
}

static const char *const pipes[PIPE_COUNT] = {
#define PIPE(id, name) [PIPE_##id] = name,
#include "isa/pipe.def"
};

const char *
pipe_name(Pipe p)
{
    return pipes[p];
}

static const struct {
    const char *core;
    Profile profile;
} cores[CORE_COUNT] = {
#define CORE(id, family, core, profile) [CORE_##id] = {core, PROFILE_##profile},
#include "isa/core.def"
};

const char *
core_kind_name(CoreKind c)
{
    return cores[c].core;
}

static const Soc socs[] = {
#define SOC(name, family, core, ncores, ncube, nvec, ub, l1, l0a, l0b, l0c, bt, fb, l2)  \
    {name,                                                                               \
     family,                                                                             \
     CORE_##core,                                                                        \
     ncores,                                                                             \
     ncube,                                                                              \
     nvec,                                                                               \
     {INT64_MAX, ub, l1, l0a, l0b, l0c, bt, fb},                                         \
     l2},
#include "isa/soc.def"
};

static const struct {
    const char *family;
    const char *platform;
} families[] = {
#define SOCFAMILY(name, platform) {name, platform},
#include "isa/socfamily.def"
};

int
soc_count(void)
{
    return (int)(sizeof socs / sizeof socs[0]);
}

const Soc *
soc_at(int i)
{
    return &socs[i];
}

const Soc *
soc_default(void)
{
    return soc_find("Ascend310P");
}

const Soc *
soc_find(const char *name)
{
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        if (strcmp(families[i].family, name) == 0) {
            name = families[i].platform;
            break;
        }
    }
    for (int i = 0; i < soc_count(); i++) {
        if (strcmp(socs[i].name, name) == 0) {
            return &socs[i];
        }
    }
    return NULL;
}

Profile
soc_profile(const Soc *s)
{
    return cores[s->core].profile;
}

const OpInfo op_table[OP_COUNT] = {
#define PIPE_PATH OP_PIPE_PATH
#define OP(id, name, form, pipe, sem, meaning)                                           \
    [OP_##id] = {name, FORM_##form, PIPE_##pipe, SEM_##sem, meaning},
#include "isa/op.def"
#undef PIPE_PATH
};

bool
op_find(const char *name, Op *out)
{
    for (int i = 0; i < OP_COUNT; i++) {
        if (strcmp(op_table[i].name, name) == 0) {
            *out = (Op)i;
            return true;
        }
    }
    return false;
}

static const uint32_t op_types[OP_COUNT][DT_COUNT] = {
#define OPTYPE(op, dtype, mask) [OP_##op][DT_##dtype] = mask,
#include "isa/optype.def"
};

bool
op_has_dtype(Op op, Dtype t, const Soc *soc)
{
    return op_types[op][t] >> soc->core & 1;
}

bool
form_is_control(Form f)
{
    return f == FORM_SETREG || f == FORM_RESERVE || f == FORM_FLAG || f == FORM_PIPE ||
           f == FORM_MEET || f == FORM_BLOCKS;
}

bool
op_on_soc(Op op, const Soc *soc)
{
    if (form_is_control(op_table[op].form)) {
        return true;
    }
    for (int t = 1; t < DT_COUNT; t++) {
        if (op_has_dtype(op, (Dtype)t, soc)) {
            return true;
        }
    }
    return false;
}

const RuleInfo rule_table[RULE_COUNT] = {
    [RULE_NONE] = {"none", false, ""},
#define LEVEL_ERROR   false
#define LEVEL_WARNING true
#define RULE(id, name, level, aliases, rule, help)                                       \
    [RULE_##id] = {name, LEVEL_##level, rule},
#include "isa/rule.def"
#undef LEVEL_ERROR
#undef LEVEL_WARNING
};

Rule
rule_find(const char *name)
{
    for (int i = 1; i < RULE_COUNT; i++) {
        if (strcmp(rule_table[i].name, name) == 0) {
            return (Rule)i;
        }
    }
    return RULE_NONE;
}

#define REQUIRED PARAM_REQUIRED

static const unsigned char param_forms[] = {
#define PARAM(form, name, role, lo, hi, unit, rule, dflt) FORM_##form,
#include "isa/param.def"
};

static const ParamInfo param_infos[] = {
#define PARAM(form, name, role, lo, hi, unit, rule, dflt)                                \
    {name, ROLE_##role, lo, hi, unit, RULE_##rule, dflt},
#include "isa/param.def"
};

const ParamInfo *
form_params(Form f, int *n)
{
    size_t total = sizeof param_forms;
    size_t first = 0;
    while (first < total && param_forms[first] != f) {
        first++;
    }
    size_t end = first;
    while (end < total && param_forms[end] == f) {
        end++;
    }
    *n = (int)(end - first);
    return &param_infos[first];
}

const char *
form_name(Form f)
{
    static const char *const names[FORM_COUNT] = {"move",    "setreg", "vdup",    "vbin",
                                                  "vscalar", "vun",    "reserve", "flag",
                                                  "pipe",    "meet",   "blocks"};
    return names[f];
}

static const PathInfo paths[] = {
#define PATH(src, dst, pipe, mask, warned)                                               \
    {SC_##src, SC_##dst, PIPE_##pipe, mask, warned},
#include "isa/path.def"
};

const PathInfo *
path_find(Scope src, Scope dst)
{
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        if (paths[i].src == src && paths[i].dst == dst) {
            return &paths[i];
        }
    }
    return NULL;
}

MoveUnits
move_units(Scope src, Dtype src_dt, Scope dst, Dtype dst_dt)
{
    MoveUnits u = {BLOCK_BYTES, BLOCK_BYTES, BLOCK_BYTES, BLOCK_BYTES};
    if (src == SC_L0C || dst == SC_L0C) {
        u.src_burst = 256 * dtype_size(src_dt);
        u.dst_burst = 256 * dtype_size(dst_dt);
        u.src_gap = src == SC_L0C ? u.src_burst : BLOCK_BYTES;
        u.dst_gap = dst == SC_L0C ? u.dst_burst : BLOCK_BYTES;
    }
    return u;
}

int
mask_words(MaskForm f)
{
    return f == MASK_BITS ? 2 : f == MASK_BITS4 ? 4 : 1;
}
