/* reg.c: the rules of vector registers: their loads and stores, conversions between
 * parts, interleaving and histograms. It is a part of the checker, whose contract is
 * rules/internal.h. Arithmetic on registers is that on vector lanes (vector.c). A
 * register is an operand of 256 bytes. Sources are read before anything is written, so
 * only two destinations must not overlap.
 *
 * It owns reg-mode, reg-part, scope-register (checked in check.c); overlap-forbidden,
 * dtype-mismatch and dtype-unsupported of these instructions. */
#include "rules/reg.h"
#include "isa/operand.h"
#include "rules/internal.h"

#include "isa/bytes.h"

/* ---- modes --------------------------------------------------------------- */

enum {
    LOAD = 1,
    LOAD2 = 2,
    STORE = 4,
    STORE2 = 8,
    ELEMENT = 1 << 16 /* marks bytes of REGMODE that count elements */
};

#define S ELEMENT

static const struct {
    TEXT(const char *name;)
    int use, widths, bytes;
} modes[REG_MODES] = {
#define REGMODE(id, name, use, widths, bytes, what) {TEXT(name, ) use, widths, bytes},
#include "isa/reg.def"
};

#undef S

static int
use_of(Form f)
{
    return f == FORM_RLOAD     ? LOAD
           : f == FORM_RLOAD2  ? LOAD2
           : f == FORM_RSTORE  ? STORE
           : f == FORM_RSTORE2 ? STORE2
                               : 0;
}

#ifndef TIK_LEAN
bool
reg_mode_find(const char *name, RegMode *out)
{
    for (int m = 0; m < REG_MODES; m++) {
        if (strcmp(modes[m].name, name) == 0) {
            *out = (RegMode)m;
            return true;
        }
    }
    return false;
}

const char *
reg_mode_name(RegMode m)
{
    return modes[m].name;
}
#endif

bool
reg_mode_is_for(Form f, RegMode m)
{
    return (modes[m].use & use_of(f)) != 0;
}

#ifndef TIK_LEAN
const char *
reg_mode_list(Form f, char *buf, size_t size)
{
    buf[0] = 0;
    for (int m = 0; m < REG_MODES; m++) {
        if (reg_mode_is_for(f, (RegMode)m)) {
            check_list_add(buf, size, modes[m].name);
        }
    }
    return buf;
}
#endif

bool
reg_mode_takes(RegMode m, int size)
{
    return (modes[m].widths & size) != 0;
}

bool
reg_mode_narrow(RegMode m)
{
    return m == REG_UNPK || m == REG_PK;
}

int64_t
reg_mode_bytes(RegMode m, int size)
{
    int bytes = modes[m].bytes;
    return bytes >= ELEMENT ? (int64_t)(bytes / ELEMENT) * size : bytes;
}

/* ---- where operands are -------------------------------------------------- */

bool
reg_form(Form f)
{
    return form_family(f) == FAM_REG || f == FORM_RDUP || f == FORM_RBIN ||
           f == FORM_RSCALAR || f == FORM_RUN;
}

bool
reg_operand(Form f, int param)
{
    switch (f) {
    case FORM_RLOAD:
        return param != RLOAD_src;
    case FORM_RLOAD2:
        return param != RLOAD2_src;
    case FORM_RSTORE:
    case FORM_RSTORE2:
        return param != RSTORE_dst;
    default:
        return reg_form(f);
    }
}

/* ---- static rules -------------------------------------------------------- */

static Form
form_of(const CheckInstr *in)
{
    return op_form(in->op);
}

static int
size_at(const CheckInstr *in, int param)
{
    return dtype_size(in->args[param].t.dtype);
}

/* The following functions return slots of a load or a store: its tensor in UB, its
 * mode. */
static int
memory_of(Form f)
{
    return f == FORM_RLOAD ? RLOAD_src : f == FORM_RLOAD2 ? RLOAD2_src : RSTORE_dst;
}

static int
mode_slot(Form f)
{
    return f == FORM_RLOAD2 || f == FORM_RSTORE2 ? RLOAD2_ld_mode : RLOAD_ld_mode;
}

/* Returns the mode, or NORM when there is no such mode. */
static RegMode
mode_of(const CheckInstr *in)
{
    int64_t v = in->args[mode_slot(form_of(in))].v;
    return v < 0 || v >= REG_MODES ? REG_NORM : (RegMode)v;
}

/* Checks that a tensor whose elements have half the width of the register's has
 * integers. */
static bool
memory_type(const CheckInstr *in, Fault *fault)
{
    Form f = form_of(in);
    int memory = memory_of(f), main = form_main(f);
    Dtype t = in->args[memory].t.dtype, r = in->args[main].t.dtype;
    if (!reg_mode_narrow(mode_of(in))) {
        return check_same_dtype(in, memory, fault);
    }
    FaultAt at = {RULE_DTYPE_MISMATCH, memory, (int64_t)t, 0, 0};
    return (!dtype_is_float(t) && 2 * dtype_size(t) == dtype_size(r)) ||
           check_fail(fault, &at,
                      "%s is %s and %s is %s; mode %s takes an integer tensor of half "
                      "the width",
                      check_param_name(in, memory), dtype_name(t),
                      check_param_name(in, main), dtype_name(r),
                      reg_mode_name(mode_of(in)));
}

static bool
mode_ok(const CheckInstr *in, Fault *fault)
{
    TEXT(char list[120];)
    Form f = form_of(in);
    int slot = mode_slot(f), main = form_main(f);
    int64_t v = in->args[slot].v;
    FaultAt at = {RULE_REG_MODE, slot, v, 0, REG_MODES - 1};
    if (!reg_mode_is_for(f, (RegMode)v)) {
        TEXT(bool two = f == FORM_RLOAD2 || f == FORM_RSTORE2;)
        return check_fail(fault, &at, "the mode is %s; %s of %s takes %s",
                          reg_mode_name((RegMode)v), check_op_name(in),
                          two ? "two registers" : "one register",
                          reg_mode_list(f, list, sizeof list));
    }
    return reg_mode_takes((RegMode)v, size_at(in, main)) ||
           check_fail(fault, &at, "mode %s is not for elements of %s",
                      reg_mode_name((RegMode)v), dtype_name(in->args[main].t.dtype));
}

static bool
part_ok(const CheckInstr *in, Fault *fault)
{
    int dst = size_at(in, RCAST_dst), src = size_at(in, RCAST_src);
    int parts = dst > src ? dst / src : src / dst;
    int64_t v = in->args[RCAST_part_indicator].v;
    FaultAt at = {RULE_REG_PART, RCAST_part_indicator, v, 0, parts - 1};
    return v < parts || check_fail(fault, &at, "part %lld of %s to %s; there are %d",
                                   (long long)v, dtype_name(in->args[RCAST_src].t.dtype),
                                   dtype_name(in->args[RCAST_dst].t.dtype), parts);
}

static bool
reg_statics(const CheckInstr *in, Fault *fault)
{
    switch (form_of(in)) {
    case FORM_RCAST:
        return check_conversion(in, fault) && part_ok(in, fault);
    case FORM_RLACE:
    case FORM_RHIST:
        return true;
    default:
        return mode_ok(in, fault) && memory_type(in, fault);
    }
}

/* ---- what operands cover ------------------------------------------------- */

/* Returns the bytes of a tensor in UB, up to the last active lane. */
static int64_t
memory_bytes(const CheckInstr *in)
{
    int64_t lanes = check_lanes(in), n = lanes_end(in);
    RegMode m = mode_of(in);
    int64_t bytes = reg_mode_bytes(m, size_at(in, form_main(form_of(in))));
    if (m == REG_ONEPT) {
        return check_lane_active(in, 0, 0) ? bytes : 0;
    }
    return m == REG_NORM || m == REG_PK || m == REG_INTLV ? bytes / lanes * n : bytes;
}

/* Returns the part of the narrower operand of a conversion that is accessed. Offsets
 * count from the operand's start. */
static Footprint
cast_footprint(const CheckInstr *in, int param)
{
    int dst = size_at(in, RCAST_dst), src = size_at(in, RCAST_src);
    int wide = dst > src ? dst : src, size = size_at(in, param);
    int64_t part = in->args[RCAST_part_indicator].v;
    if (size == wide) {
        return (Footprint){0, 1, 0, 1, 0, (int64_t)lanes_end(in) * size};
    }
    part = part < 0 || part >= REG_PARTS ? 0 : part;
    return (Footprint){part * size, lanes_end(in), wide, 1, 0, size};
}

/* Returns the bytes of a register that is accessed up to its last active lane, or as a
 * whole. */
static int64_t
register_bytes(const CheckInstr *in, int param)
{
    Form f = form_of(in);
    bool some =
        f == FORM_RSTORE || f == FORM_RSTORE2 || (f == FORM_RHIST && param == RHIST_src);
    return some ? (int64_t)lanes_end(in) * size_at(in, param) : REPEAT_BYTES;
}

static bool
has_holes(const CheckInstr *in)
{
    const CheckMask *m = check_mask(in);
    return m != NULL && m->form != MASK_COUNT;
}

/* Offsets count from the operand's start. */
static Footprint
covered(const CheckInstr *in, int param)
{
    if (form_of(in) == FORM_RCAST) {
        return cast_footprint(in, param);
    }
    int64_t bytes =
        reg_operand(form_of(in), param) ? register_bytes(in, param) : memory_bytes(in);
    return (Footprint){0, 1, 0, 1, 0, bytes};
}

static Footprint
reg_footprint(const CheckInstr *in, int param, bool *exact)
{
    *exact = !has_holes(in);
    Footprint f = covered(in, param);
    f.offset = sat_add(f.offset, in->args[param].t.offset);
    return f;
}

/* The alignment in UB is a block, or the bytes that are accessed if they are fewer. */
static int
reg_align(const CheckInstr *in, int param)
{
    const CheckTensor *t = &in->args[param].t;
    if (reg_operand(form_of(in), param)) {
        return scope_align(t->scope, t->dtype);
    }
    int64_t bytes = reg_mode_bytes(mode_of(in), size_at(in, form_main(form_of(in))));
    return bytes < BLOCK_BYTES ? (int)bytes : BLOCK_BYTES;
}

/* ---- two destinations ---------------------------------------------------- */

static bool
reg_has_overlap(Op op, int param)
{
    Form f = op_form(op);
    return (f == FORM_RLOAD2 && param == RLOAD2_dst1) ||
           (f == FORM_RLACE && param == RLACE_dst1) ||
           (f == FORM_RHIST && param == RHIST_dst1);
}

static bool
reg_overlap(const CheckInstr *in, int param, Fault *fault)
{
    int dst = form_first(form_of(in), ROLE_DST);
    return check_apart(in, RULE_OVERLAP_FORBIDDEN, dst, param, fault);
}

static Rule
reg_overlap_rule(Op op, int param)
{
    (void)op;
    (void)param;
    return RULE_OVERLAP_FORBIDDEN;
}

/* Histograms add to both destinations. */
static bool
reg_reads_dst(const CheckInstr *in)
{
    return form_of(in) == FORM_RHIST;
}

const FamilyRules rules_reg = {
    .statics = reg_statics,
    .footprint = reg_footprint,
    .overlap = reg_overlap,
    .has_overlap = reg_has_overlap,
    .align = reg_align,
    NOT_LEAN(.overlap_rule = reg_overlap_rule, .reads_dst = reg_reads_dst)};
