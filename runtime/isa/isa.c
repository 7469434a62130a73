/* isa.c: the tables of isa.h, made from the .def files; machine.c has what is computed of
 * them. */
#include "isa/isa.h"
#include "isa/operand.h"

#include <string.h>

static const char *const dtype_names[DT_COUNT] = {
    [DT_NONE] = "none",
#define DTYPE(id, name, bytes, kind) [DT_##id] = name,
#include "isa/dtype.def"
};

const DtypeInfo dtype_table[DT_COUNT] = {
    [DT_NONE] = {0, KIND_UINT},
#define DTYPE(id, name, bytes, kind) [DT_##id] = {bytes, KIND_##kind},
#include "isa/dtype.def"
};

const char *
dtype_name(Dtype t)
{
    return dtype_names[t];
}

Dtype
dtype_find_operand(const char *name)
{
    for (int i = 1; i < DT_COUNT; i++) {
        /* most differ in the first letter */
        if (dtype_names[i][0] == name[0] && strcmp(dtype_names[i], name) == 0) {
            return (Dtype)i;
        }
    }
    return DT_NONE;
}

Dtype
dtype_find(const char *name)
{
    Dtype t = dtype_find_operand(name);
    return t < DT_PLAIN ? t : DT_NONE;
}

Dtype
dtype_find_stored(const char *name)
{
    Dtype t = dtype_find_operand(name);
    return dtype_is_stored((int)t) ? t : DT_NONE;
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
    CoreKind like;
} cores[CORE_COUNT] = {
#define CORE(id, family, core, profile, like)                                            \
    [CORE_##id] = {core, PROFILE_##profile, CORE_##like},
#include "isa/core.def"
};

const char *
core_kind_name(CoreKind c)
{
    return cores[c].core;
}

static const LmemTarget lmem_targets[] = {
#define LMEM_SOC(id, name, core, ncores, npu, eu, bytes, banks, icp8, icp16, icp32,      \
                 unit, requant, requant_aligned, dw_aligned, smem, dim_max)              \
    {npu,         eu,      bytes,           banks,      {icp8, icp16, icp32},            \
     UNIT_##unit, requant, requant_aligned, dw_aligned, smem,                            \
     dim_max},
#include "isa/lmem_soc.def"
};

typedef enum LmemSocId {
#define LMEM_SOC(id, ...) LMEM_SOC_##id,
#include "isa/lmem_soc.def"
    LMEM_SOC_COUNT
} LmemSocId;

static const Soc socs[] = {
#define SOC(name, family, core, ncores, ncube, nvec, ub, l1, l0a, l0b, l0c, bt, fb, l2,  \
            own)                                                                         \
    {name,                                                                               \
     family,                                                                             \
     CORE_##core,                                                                        \
     ncores,                                                                             \
     ncube,                                                                              \
     nvec,                                                                               \
     {INT64_MAX, ub, l1, l0a, l0b, l0c, bt, fb, SREG_BYTES, 0, 0,                        \
      ON_##core & ON_VREG ? REG_COUNT * REPEAT_BYTES : 0},                               \
     l2,                                                                                 \
     FEATURE_##own,                                                                      \
     NULL},
#include "isa/soc.def"
#define LMEM_SOC(id, name, core, ncores, npu, eu, lane_bytes, banks, icp8, icp16, icp32, \
                 unit, requant, requant_aligned, dw_aligned, smem, dim_max)              \
    {name,                                                                               \
     name,                                                                               \
     CORE_##core,                                                                        \
     ncores,                                                                             \
     0,                                                                                  \
     0,                                                                                  \
     {[SC_GM] = INT64_MAX,                                                               \
      [SC_SREG] = SREG_BYTES,                                                            \
      [SC_LMEM] = lane_bytes,                                                            \
      [SC_SMEM] = smem},                                                                 \
     smem,                                                                               \
     FEATURE_NONE,                                                                       \
     &lmem_targets[LMEM_SOC_##id]},
#include "isa/lmem_soc.def"
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

static bool
is_first_of_family(int i)
{
    int k = 0;
    while (strcmp(socs[k].family, socs[i].family) != 0) {
        k++;
    }
    return k == i;
}

void
soc_families(SocHas *has, const void *ctx, char *buf, size_t size)
{
    size_t n = 0;
    buf[0] = 0;
    for (int i = 0; i < soc_count(); i++) {
        size_t len = strlen(socs[i].family);
        if (!is_first_of_family(i) || !has(ctx, &socs[i]) || n + len + 3 > size) {
            continue;
        }
        memcpy(buf + n, ", ", 2);
        n += n > 0 ? 2 : 0;
        memcpy(buf + n, socs[i].family, len + 1);
        n += len;
    }
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

bool
soc_on(const Soc *s, CoreSet set)
{
    return set >> cores[s->core].like & 1;
}

bool
soc_has(const Soc *s, Feature f)
{
    static const CoreSet features[FEATURE_COUNT] = {
#define FEATURE(id, cores, meaning) [FEATURE_##id] = (CoreSet)(cores),
#include "isa/feature.def"
    };
    return soc_on(s, features[f]) || (s->own == f && f != FEATURE_NONE);
}

const OpInfo op_table[OP_COUNT] = {
#define PIPE_PATH OP_PIPE_PATH
#define OP(id, name, form, types, pipe, sem, meaning)                                    \
    [OP_##id] = {name, FORM_##form, TYPESET_##types, PIPE_##pipe, SEM_##sem, meaning},
#include "isa/op.def"
#undef PIPE_PATH
};

const char *
sem_name(Sem s)
{
    static const char *const names[SEM_COUNT] = {
#define SEM(id, ops, emu) #id,
#include "isa/sem.def"
    };
    return names[s];
}

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

const char *
op_method(Op op)
{
    const char *name = op_table[op].name;
    size_t n = strcspn(name, ".");
    for (int i = 0; name[n] != 0 && i < OP_COUNT; i++) {
        if (strncmp(op_table[i].name, name, n) == 0 && op_table[i].name[n] == 0) {
            return op_table[i].name;
        }
    }
    return name;
}

/* EACH(cell, set, cores, types...) expands to cell(set, cores, type) for each of up to 12
 * types. */
#define EACH_PICK(a, b, c, d, e, f, g, h, i, j, k, l, name, ...) name
#define EACH(cell, s, c, ...)                                                            \
    EACH_PICK(__VA_ARGS__, EACH12, EACH11, EACH10, EACH9, EACH8, EACH7, EACH6, EACH5,    \
              EACH4, EACH3, EACH2, EACH1, )                                              \
    (cell, s, c, __VA_ARGS__)
#define EACH1(cell, s, c, t)       cell(s, c, t)
#define EACH2(cell, s, c, t, ...)  cell(s, c, t) EACH1(cell, s, c, __VA_ARGS__)
#define EACH3(cell, s, c, t, ...)  cell(s, c, t) EACH2(cell, s, c, __VA_ARGS__)
#define EACH4(cell, s, c, t, ...)  cell(s, c, t) EACH3(cell, s, c, __VA_ARGS__)
#define EACH5(cell, s, c, t, ...)  cell(s, c, t) EACH4(cell, s, c, __VA_ARGS__)
#define EACH6(cell, s, c, t, ...)  cell(s, c, t) EACH5(cell, s, c, __VA_ARGS__)
#define EACH7(cell, s, c, t, ...)  cell(s, c, t) EACH6(cell, s, c, __VA_ARGS__)
#define EACH8(cell, s, c, t, ...)  cell(s, c, t) EACH7(cell, s, c, __VA_ARGS__)
#define EACH9(cell, s, c, t, ...)  cell(s, c, t) EACH8(cell, s, c, __VA_ARGS__)
#define EACH10(cell, s, c, t, ...) cell(s, c, t) EACH9(cell, s, c, __VA_ARGS__)
#define EACH11(cell, s, c, t, ...) cell(s, c, t) EACH10(cell, s, c, __VA_ARGS__)
#define EACH12(cell, s, c, t, ...) cell(s, c, t) EACH11(cell, s, c, __VA_ARGS__)
#define TYPE_CELL(set, cores, t)   [TYPESET_##set][DT_##t] = cores,

static const CoreSet set_types[TYPESET_COUNT][DT_COUNT] = {
#define TYPES(set, cores, ...) EACH(TYPE_CELL, set, cores, __VA_ARGS__)
#include "isa/typeset.def"
};

/* For conversions the column info of PAIR holds their rounding modes as bits. */
enum {
    RM_NONE = 1 << ROUND_NONE,
    RM_NEAREST = 1 << ROUND_NEAREST,
    RM_FLOOR = 1 << ROUND_FLOOR,
    RM_CEIL = 1 << ROUND_CEIL,
    RM_AWAY = 1 << ROUND_AWAY,
    RM_ZERO = 1 << ROUND_ZERO,
    RM_ODD = 1 << ROUND_ODD,
    RM_FIVE = RM_NEAREST | RM_FLOOR | RM_CEIL | RM_AWAY | RM_ZERO
};

/* For products the column info of PAIR holds the type of the second factor as a bit. */
#define OF_TYPE(t) (1u << DT_##t)

typedef struct TypePair {
    TypeSet set;
    Dtype dst, src;
    uint32_t info;
    CoreSet cores;
} TypePair;

static const TypePair set_pairs[] = {
#define PAIR(set, dst, src, info, cores) {TYPESET_##set, DT_##dst, DT_##src, info, cores},
#include "isa/typeset.def"
};

static const struct {
    TypeSet set;
    Dtype dtype;
    const char *processor;
} set_lacks[] = {
#define LACKS(set, dtype, processor) {TYPESET_##set, DT_##dtype, processor},
#include "isa/typeset.def"
};

enum {
    PAIRS = sizeof set_pairs / sizeof set_pairs[0],
    LACKED = sizeof set_lacks / sizeof set_lacks[0]
};

static bool
lacks(TypeSet set, Dtype t, const Soc *soc)
{
    for (int i = 0; i < LACKED; i++) {
        if (set_lacks[i].set == set && set_lacks[i].dtype == t && soc->name != NULL &&
            strcmp(set_lacks[i].processor, soc->name) == 0) {
            return true;
        }
    }
    return false;
}

bool
op_has_dtype(Op op, Dtype t, const Soc *soc)
{
    TypeSet set = op_table[op].types;
    return soc_on(soc, set_types[set][t]) && !lacks(set, t, soc);
}

bool
op_has_pair(Op op, Dtype dst, Dtype src, const Soc *soc, uint32_t *info)
{
    bool found = false;
    *info = 0;
    for (int i = 0; i < PAIRS; i++) {
        const TypePair *p = &set_pairs[i];
        if (p->set == op_table[op].types && p->dst == dst && p->src == src &&
            soc_on(soc, p->cores)) {
            *info |= p->info;
            found = true;
        }
    }
    return found;
}

bool
op_on_soc(Op op, const Soc *soc)
{
    if (form_main(op_table[op].form) < 0) {
        return true;
    }
    for (int t = 1; t < DT_COUNT; t++) {
        if (op_has_dtype(op, (Dtype)t, soc)) {
            return true;
        }
    }
    for (int i = 0; i < PAIRS; i++) {
        if (set_pairs[i].set == op_table[op].types && soc_on(soc, set_pairs[i].cores)) {
            return true;
        }
    }
    return false;
}

/* Each rule with a number has a row, so no item of the table is left empty. */
enum {
#define RULE(id, name, level, aliases, rule, help) ROW_OF_RULE_##id,
#include "isa/rule.def"
    RULE_ROWS
};
#define RULE_NUMBER(number, id)                                                          \
    _Static_assert(ROW_OF_RULE_##id < RULE_ROWS, "rule.def has a row for the number");
#include "isa/rule_number.def"

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

const ParamInfo param_table[] = {
#define FORM(id, name, family, main)
#define PARAM(form, name, role, of, lo, hi, unit, rule, dflt)                            \
    {#name, ROLE_##role, OF_##of, lo, hi, unit, RULE_##rule, dflt, 0, 0},
#define ITEM(form, name, item, items, role, of, lo, hi, unit, rule, dflt)                \
    {#name "[" #item "]", ROLE_##role, OF_##of, lo,   hi, unit,                          \
     RULE_##rule,         dflt,        item,    items},
#include "isa/form.def"
};

const FormInfo form_table[FORM_COUNT + 1] = {
#define FORM(id, name, family, main)                                                     \
    [FORM_##id] = {name, FAM_##family, id##_##main, FIRST_##id},
#include "isa/form.def"
    [FORM_COUNT] = {"", FAM_COUNT, -1, OPERAND_ROWS},
};

#define ROLE_BIT(a, b, slot) | (uint64_t)(ROLE_##a == ROLE_##b) << (slot)

const uint64_t form_roles[ROLES][FORM_COUNT + 1] = {
    [ROLE_DST] =
        {
#define SUM(slot, role, name) ROLE_BIT(role, DST, slot)
#include "isa/form_sum.def"
        },
    [ROLE_SRC] =
        {
#define SUM(slot, role, name) ROLE_BIT(role, SRC, slot)
#include "isa/form_sum.def"
        },
    [ROLE_MASK] =
        {
#define SUM(slot, role, name) ROLE_BIT(role, MASK, slot)
#include "isa/form_sum.def"
        },
    [ROLE_MASKMODE] =
        {
#define SUM(slot, role, name) ROLE_BIT(role, MASKMODE, slot)
#include "isa/form_sum.def"
        },
    [ROLE_REPEAT] =
        {
#define SUM(slot, role, name) ROLE_BIT(role, REPEAT, slot)
#include "isa/form_sum.def"
        },
    [ROLE_INT] =
        {
#define SUM(slot, role, name) ROLE_BIT(role, INT, slot)
#include "isa/form_sum.def"
        },
    [ROLE_SCALAR] =
        {
#define SUM(slot, role, name) ROLE_BIT(role, SCALAR, slot)
#include "isa/form_sum.def"
        },
    [ROLE_ATTR] =
        {
#define SUM(slot, role, name) ROLE_BIT(role, ATTR, slot)
#include "isa/form_sum.def"
        },
    [ROLE_PIPE] =
        {
#define SUM(slot, role, name) ROLE_BIT(role, PIPE, slot)
#include "isa/form_sum.def"
        },
    [ROLE_ROOT] =
        {
#define SUM(slot, role, name) ROLE_BIT(role, ROOT, slot)
#include "isa/form_sum.def"
        },
};

const uint64_t form_vectors[FORM_COUNT + 1] = {[FORM_COUNT] = 0
#define FORM(id, name, family, main) , [FORM_##id] = 0
#define LANED(form, tensor)          | (uint64_t)1 << form##_##tensor
#include "isa/form.def"
};

const char *
round_mode_name(RoundMode m)
{
    static const char *const names[ROUND_COUNT] = {
        [ROUND_NONE] = "none", [ROUND_NEAREST] = "round",  [ROUND_FLOOR] = "floor",
        [ROUND_CEIL] = "ceil", [ROUND_AWAY] = "away-zero", [ROUND_ZERO] = "to-zero",
        [ROUND_ODD] = "odd"};
    return names[m];
}

const char *
form_name(Form f)
{
    return form_table[f].name;
}

/* The slots of the strides of operands that are addressed by lanes. Slot 0 is never a
 * stride, so 0 means that there is none. */
static const struct {
    int8_t slot;
    bool zero_is_1;
} blk_strides[OPERAND_ROWS] = {
#define FORM(id, name, family, main)
#define BLK_OF(form, tensor, stride, zero)                                               \
    [ROW_##form##_##tensor] = {form##_##stride, zero},
#include "isa/form.def"
};

static const int8_t rep_strides[OPERAND_ROWS] = {
#define FORM(id, name, family, main)
#define REP_OF(form, tensor, stride) [ROW_##form##_##tensor] = form##_##stride,
#include "isa/form.def"
};

LaneOperand
form_lanes(Form f, int param)
{
    int row = form_table[f].first + param;
    int blk = blk_strides[row].slot, rep = rep_strides[row];
    return (LaneOperand){blk > 0 ? blk : -1, rep > 0 ? rep : -1,
                         blk_strides[row].zero_is_1};
}

static const struct {
    int row;
    LmemOperand lmem;
} lmem_rows[] = {
#define FORM(id, name, family, main)
#define IN_LMEM(form, tensor, lane, shape, stride)                                       \
    {ROW_##form##_##tensor, {form##_##lane, form##_##shape, form##_##stride}},
#include "isa/form.def"
};

const LmemOperand *
form_lmem(Form f, int param)
{
    for (size_t i = 0; i < sizeof lmem_rows / sizeof lmem_rows[0]; i++) {
        if (lmem_rows[i].row == form_table[f].first + param) {
            return &lmem_rows[i].lmem;
        }
    }
    return NULL;
}

static const SliceOperand slices[OPERAND_ROWS] = {
#define FORM(id, name, family, main)
#define SLICED(form, tensor, length, dims, stride)                                       \
    [ROW_##form##_##tensor] = {form##_##length, dims, form##_##stride},
#include "isa/form.def"
};

const SliceOperand *
form_slice(Form f, int param)
{
    const SliceOperand *s = &slices[form_table[f].first + param];
    return s->dims > 0 ? s : NULL;
}

/* Most names differ in the first character, which costs no call. */
static bool
is_name(const char *a, const char *b)
{
    return a[0] == b[0] && strcmp(a, b) == 0;
}

int
form_slot(Form f, Role role, const char *name)
{
    int n;
    const ParamInfo *p = form_params(f, &n);
    for (uint64_t rest = form_roles[role][f]; rest != 0; rest &= rest - 1) {
        int i = __builtin_ctzll(rest);
        if (name == NULL || is_name(p[i].name, name)) {
            return i;
        }
    }
    return -1;
}

void
sreg_reset(uint8_t *sreg, uint32_t core)
{
    static const uint16_t one16 = 0x3c00;
    static const uint32_t one32 = 0x3f800000;
    memset(sreg, 0, SREG_BYTES);
    memcpy(sreg + SREG_RPN_OFFSET16, &one16, sizeof one16);
    memcpy(sreg + SREG_RPN_OFFSET32, &one32, sizeof one32);
    memcpy(sreg + SREG_BLOCK, &core, sizeof core);
    memset(sreg + SREG_PAD_VALUE, 0xff, 8);
}
