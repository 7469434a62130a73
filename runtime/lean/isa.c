/* isa.c: the functions of isa/isa.h and isa/choice.h that a loader for one family of
 * processors needs (isa/lean.h), on tables that tools/family-tables.c makes of the .def
 * files. It takes the place of isa/isa.c and isa/choice.c, and is freestanding. */
#include "isa/isa.h"
#include "num/scalar.h"

/* The operands of a form are rows from first on. Forms share rows. */
typedef struct FormRow {
    uint16_t first : 11, family : 5;
    uint8_t n;
    int8_t main;
} FormRow;

typedef struct LanedInfo {
    int8_t blk, rep;
    uint8_t blk0_is_1;
} LanedInfo;

typedef struct SliceRow {
    uint8_t form, param;
    SliceOperand slice;
} SliceRow;

typedef struct LmemRow {
    uint8_t form, param;
    LmemOperand lmem;
} LmemRow;

typedef struct Lack {
    uint8_t set, dtype, soc;
} Lack;

typedef struct Pair {
    uint8_t set, dst, src;
    uint32_t info;
} Pair;

_Static_assert(FORM_COUNT < 256 && TYPESET_COUNT < 256 && RULE_COUNT < 256 &&
                   SEM_COUNT < 256 && FAM_COUNT <= 32 && DT_COUNT <= 16 && OF_COUNT <= 16,
               "the numbers of rows fit their fields");

#include "family.inc"

/* ---- element types and memories ------------------------------------------ */

const DtypeInfo dtype_table[DT_COUNT] = {
#define DTYPE(id, name, bytes, kind) [DT_##id] = {bytes, KIND_##kind},
#include "isa/dtype.def"
};

static const struct {
    uint16_t alloc, align, align32;
} scopes[SC_COUNT] = {
#define SCOPE(id, name, text, alloc, align, align32) [SC_##id] = {alloc, align, align32},
#include "isa/scope.def"
};

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

const ScalarOpInfo scalar_op_table[SOP_COUNT] = {
#define SCALAR_OP(id, name, arity, symbol) [SOP_##id] = {arity},
#include "isa/scalar.def"
};

/* ---- processors ---------------------------------------------------------- */

static bool
same_name(const char *a, const char *b)
{
    while (*a != 0 && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

const Soc *
soc_find(const char *name)
{
    for (size_t i = 0; i < sizeof socs / sizeof socs[0]; i++) {
        if (same_name(socs[i].name, name)) {
            return &socs[i];
        }
    }
    return NULL;
}

/* ---- instructions -------------------------------------------------------- */

bool
op_on_soc(Op op, const Soc *soc)
{
    (void)soc;
    return on_soc[op / 8] >> (op % 8) & 1;
}

bool
op_has_dtype(Op op, Dtype t, const Soc *soc)
{
    TypeSet set = (TypeSet)op_table[op].types;
    for (const Lack *l = set_lacks; l->set != TYPESET_COUNT; l++) {
        if (l->set == set && l->dtype == t && soc == &socs[l->soc]) {
            return false;
        }
    }
    return set_types[set] >> t & 1;
}

bool
op_has_pair(Op op, Dtype dst, Dtype src, const Soc *soc, uint32_t *info)
{
    (void)soc;
    *info = 0;
    for (const Pair *p = set_pairs; p->set != TYPESET_COUNT; p++) {
        if (p->set == op_table[op].types && p->dst == dst && p->src == src) {
            *info = p->info;
            return true;
        }
    }
    return false;
}

/* ---- forms --------------------------------------------------------------- */

const ParamInfo *
form_params(Form f, int *n)
{
    *n = forms[f].n;
    return &param_infos[forms[f].first];
}

const uint8_t *
form_role_rows(Form f, int *n)
{
    *n = forms[f].n;
    return &param_roles[forms[f].first];
}

int64_t
param_lo(const ParamInfo *p)
{
    return ranges[p->range][0];
}

int64_t
param_hi(const ParamInfo *p)
{
    return ranges[p->range][1];
}

Family
form_family(Form f)
{
    return (Family)forms[f].family;
}

int
form_main(Form f)
{
    return forms[f].main;
}

int
form_slot_of(Form f, Role role, int key)
{
    int n;
    const ParamInfo *p = form_params(f, &n);
    for (int i = 0; i < n; i++) {
        if (p[i].role == role && (key == 0 || p[i].key == key)) {
            return i;
        }
    }
    return -1;
}

int
form_first(Form f, Role role)
{
    return form_slot_of(f, role, 0);
}

uint64_t
form_vector_bits(Form f)
{
    uint64_t bits = 0;
    for (int i = 0; i < forms[f].n; i++) {
        bits |= (uint64_t)form_is_vector(f, i) << i;
    }
    return bits;
}

bool
form_is_vector(Form f, int param)
{
    return param_infos[forms[f].first + param].lanes != 0;
}

LaneOperand
form_lanes(Form f, int param)
{
    const LanedInfo *l = &lane_ways[param_infos[forms[f].first + param].lanes];
    return (LaneOperand){l->blk, l->rep, l->blk0_is_1};
}

const SliceOperand *
form_slice(Form f, int param)
{
    for (const SliceRow *s = slices; s->form != FORM_COUNT; s++) {
        if (s->form == f && s->param == param) {
            return &s->slice;
        }
    }
    return NULL;
}

const LmemOperand *
form_lmem(Form f, int param)
{
    for (const LmemRow *l = lmem_rows; l->form != FORM_COUNT; l++) {
        if (l->form == f && l->param == param) {
            return &l->lmem;
        }
    }
    return NULL;
}

/* ---- choices ------------------------------------------------------------- */

const char *
choice_number(Choice point)
{
    return points[point].number;
}

bool
choice_has_reading(Choice point, int n)
{
    return n >= 0 && n < points[point].readings;
}
