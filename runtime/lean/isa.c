/* isa.c: the functions of isa/isa.h and isa/choice.h that a loader for one family of
 * processors needs (isa/lean.h), on tables that tools/family-tables.c makes of the .def
 * files. It takes the place of isa/isa.c and isa/choice.c, and is freestanding. */
#include "isa/integer.h"
#include "isa/isa.h"
#include "num/scalar.h"

/* A row of the instructions or forms that the family has. A set of them tells which row
 * is whose: bits of what is there, and how many of them the words before have. Row 0 is
 * that of all others. */
typedef struct Member {
    uint32_t bits;
    uint32_t before;
} Member;

/* Instructions. */
typedef struct OpRow {
    uint8_t form, types, pipe, sem;
} OpRow;

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
    uint8_t set;
    uint8_t dst : 4, src : 4;
    uint16_t info;
} Pair;

/* The ends of a range: small numbers themselves, others as POWER plus twice an exponent
 * of two, plus one for the number before that power. */
typedef struct Range {
    int16_t lo, hi;
} Range;

enum {
    POWER = 0x4000,
    LEAST = 0x7fff /* INT64_MIN */
};

/* The number of a choice, as a letter and a number. */
typedef struct PointRow {
    uint8_t letter;
    uint8_t number : 6, readings : 2;
} PointRow;

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

static int
row_of(const Member *set, unsigned i)
{
    uint32_t bit = (uint32_t)1 << i % 32, bits = set[i / 32].bits;
    return bits & bit ? (int)set[i / 32].before + count_bits(bits & (bit - 1)) + 1 : 0;
}

static const OpRow *
op_row(Op op)
{
    return &op_rows[row_of(op_set, op)];
}

Form
op_form(Op op)
{
    return (Form)op_row(op)->form;
}

int
op_pipe(Op op)
{
    return op_row(op)->pipe;
}

Sem
op_sem(Op op)
{
    return (Sem)op_row(op)->sem;
}

bool
op_on_soc(Op op, const Soc *soc)
{
    (void)soc;
    return op != (Op)LEAN_BY_CHOICE && row_of(op_set, op) != 0;
}

bool
op_has_dtype(Op op, Dtype t, const Soc *soc)
{
    int set = op_row(op)->types;
    for (const Lack *l = set_lacks; l->set != UINT8_MAX; l++) {
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
    for (const Pair *p = set_pairs; p->set != UINT8_MAX; p++) {
        if (p->set == op_row(op)->types && p->dst == dst && p->src == src) {
            *info = p->info;
            return true;
        }
    }
    return false;
}

/* ---- forms --------------------------------------------------------------- */

static const FormRow *
form_row(Form f)
{
    return &forms[row_of(form_set, f)];
}

const ParamRow *
form_params(Form f, int *n)
{
    const FormRow *r = form_row(f);
    *n = r->n;
    return &param_rows[r->first];
}

const ParamRow *
op_params(Op op, int *n)
{
    return form_params(op_form(op), n);
}

Role
role_at(const ParamRow *rows, int i)
{
    int role = 0;
    while (rows[i] >= role_ends[role]) {
        role++;
    }
    return (Role)role;
}

static int64_t
range_end(int end)
{
    return end < POWER ? end
           : end == LEAST
               ? INT64_MIN
               : (int64_t)(((uint64_t)1 << (end - POWER) / 2) - (uint64_t)(end & 1));
}

int64_t
param_lo(const ParamInfo *p)
{
    return range_end(ranges[p->range].lo);
}

int64_t
param_hi(const ParamInfo *p)
{
    return range_end(ranges[p->range].hi);
}

Family
form_family(Form f)
{
    return (Family)form_row(f)->family;
}

Family
op_family(Op op)
{
    return form_family(op_form(op));
}

int
form_main(Form f)
{
    return form_row(f)->main;
}

int
op_main(Op op)
{
    return form_main(op_form(op));
}

int
form_slot(Form f, Role role, int key)
{
    int n;
    const ParamRow *rows = form_params(f, &n);
    for (int i = 0; i < n; i++) {
        const ParamInfo *p = param_at(rows, i);
        if (p->role == role && (key == 0 || p->key == key)) {
            return i;
        }
    }
    return -1;
}

int
op_slot(Op op, Role role, int key)
{
    return form_slot(op_form(op), role, key);
}

int
form_first(Form f, Role role)
{
    return form_slot(f, role, 0);
}

int
op_first(Op op, Role role)
{
    return form_first(op_form(op), role);
}

uint64_t
form_vector_bits(Form f)
{
    uint64_t bits = 0;
    for (int i = 0; i < form_row(f)->n; i++) {
        bits |= (uint64_t)form_is_vector(f, i) << i;
    }
    return bits;
}

static int
lanes_at(Form f, int param)
{
    int n;
    return (int)param_at(form_params(f, &n), param)->lanes;
}

bool
form_is_vector(Form f, int param)
{
    return lanes_at(f, param) != 0;
}

bool
op_is_vector(Op op, int param)
{
    return form_is_vector(op_form(op), param);
}

LaneOperand
form_lanes(Form f, int param)
{
    const LanedInfo *l = &lane_ways[lanes_at(f, param)];
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

void
choice_letters(Choice point, uint8_t out[4])
{
    const PointRow *p = &points[point];
    int n = 0;
    out[n++] = p->letter;
    if (p->number >= 10) {
        out[n++] = (uint8_t)('0' + p->number / 10);
    }
    out[n++] = (uint8_t)('0' + p->number % 10);
    while (n < 4) {
        out[n++] = 0;
    }
}

bool
choice_has_reading(Choice point, int n)
{
    return n >= 0 && n < points[point].readings;
}
