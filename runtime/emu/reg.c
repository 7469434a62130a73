/* reg.c: vector registers: loads, stores, conversions between parts, interleaving and
 * histograms. Arithmetic on registers is that on vector lanes (emu/vector.c). Each
 * operand is copied before the result is written, element by element: a mode is a formula
 * for the place of lane i. */
#include "emu/emu.h"
#include "isa/operand.h"

#include <string.h>

#include "rules/check.h"
#include "rules/reg.h"
#include "num/conv.h"

/* ---- masks --------------------------------------------------------------- */

/* Which of n lanes are active. */
typedef struct Active {
    bool on[MAX_LANES];
    int end; /* one past the highest active lane */
} Active;

static bool
all_active(int n, Active *a)
{
    memset(a->on, 1, sizeof a->on);
    a->end = n;
    return true;
}

/* Returns false when the mask is not one of n lanes. */
static bool
read_active(const EmuRun *r, const EmuOp *op, int n, Active *a)
{
    *a = (Active){.end = 0};
    if (op->mask_form == MASK_COUNTER) {
        return false;
    }
    int64_t count = emu_num(r, op->mask[0]);
    if (op->mask_form == MASK_COUNT) {
        memset(a->on, 1, count >= 1 && count <= n ? (size_t)count : 0);
        a->end = (int)count;
        return count >= 1 && count <= n;
    }
    for (int i = 0; i < 64 * mask_words((MaskForm)op->mask_form); i++) {
        bool bit = (uint64_t)emu_num(r, op->mask[i / 64]) >> i % 64 & 1;
        if (bit && i >= n) {
            return false;
        }
        if (i < MAX_LANES) {
            a->on[i] = bit;
        }
        a->end = bit ? i + 1 : a->end;
    }
    return a->end > 0;
}

static bool
begin(EmuRun *r, const EmuOp *op, int lanes, Active *a)
{
    bool masked = form_first(op_table[op->op].form, ROLE_MASK) >= 0;
    if (op->checked && !emu_check(r, op)) {
        return false;
    }
    return (masked ? read_active(r, op, lanes, a) : all_active(lanes, a)) ||
           emu_refuse(r, op);
}

static int
size_of(const EmuRun *r, const EmuOp *op, int slot)
{
    return dtype_size(emu_slot_ref(r->p, op, slot)->dtype);
}

/* ---- loads --------------------------------------------------------------- */

/* Returns the element of UB, of size bytes, that lane i of register reg gets. */
static int
source_of(RegMode mode, int reg, int i, int size)
{
    int per_block = BLOCK_BYTES / size;
    switch (mode) {
    case REG_BRC:
        return 0;
    case REG_US:
        return i / 2;
    case REG_DS:
        return 2 * i;
    case REG_E2B:
        return i / per_block;
    case REG_BDINTLV:
        return (2 * (i / per_block) + reg) * per_block + i % per_block;
    case REG_DINTLV:
        return 2 * i + reg;
    default:
        return i;
    }
}

static void
load_register(uint8_t *to, const uint8_t *from, RegMode mode, int reg, int size)
{
    int narrow = mode == REG_UNPK ? size / 2 : size;
    memset(to, 0, REPEAT_BYTES);
    for (int i = 0; i < REPEAT_BYTES / size; i++) {
        memcpy(to + i * size, from + source_of(mode, reg, i, size) * narrow,
               (size_t)narrow);
    }
}

bool
emu_exec_reg_load(EmuRun *r, const EmuOp *op)
{
    bool two = op_table[op->op].form == FORM_RLOAD2;
    RegMode mode = (RegMode)emu_slot_attr(r->p, op, two ? RLOAD2_ld_mode : RLOAD_ld_mode);
    int size = size_of(r, op, 0);
    Active all;
    if (!begin(r, op, REPEAT_BYTES / size, &all)) {
        return false;
    }
    const uint8_t *src =
        emu_operand(r, op, two ? RLOAD2_src : RLOAD_src, reg_mode_bytes(mode, size));
    for (int reg = 0; reg < 1 + two; reg++) {
        uint8_t made[REPEAT_BYTES];
        uint8_t *dst = emu_operand(r, op, reg, REPEAT_BYTES);
        if (src == NULL || dst == NULL) {
            return emu_refuse(r, op);
        }
        load_register(made, src, mode, reg, size);
        memcpy(dst, made, REPEAT_BYTES);
    }
    return true;
}

/* ---- stores -------------------------------------------------------------- */

bool
emu_exec_reg_store(EmuRun *r, const EmuOp *op)
{
    bool two = op_table[op->op].form == FORM_RSTORE2;
    RegMode mode =
        (RegMode)emu_slot_attr(r->p, op, two ? RSTORE2_st_mode : RSTORE_st_mode);
    int size = size_of(r, op, RSTORE_src), lanes = REPEAT_BYTES / size;
    int width = mode == REG_PK ? size / 2 : size;
    Active a;
    if (!begin(r, op, lanes, &a)) {
        return false;
    }
    int end = mode == REG_ONEPT ? a.on[0] : a.end;
    uint8_t *dst = emu_operand(r, op, RSTORE_dst, (int64_t)end * width * (1 + two));
    for (int reg = 0; reg < 1 + two; reg++) {
        const uint8_t *src = emu_operand(r, op, RSTORE_src + reg, (int64_t)a.end * size);
        if (src == NULL || (dst == NULL && end > 0)) {
            return emu_refuse(r, op);
        }
        for (int i = 0; i < end; i++) {
            if (a.on[i]) {
                memcpy(dst + (i * (1 + two) + reg) * width, src + i * size,
                       (size_t)width);
            }
        }
    }
    return true;
}

/* ---- between registers --------------------------------------------------- */

/* Interleaves the elements k of src0 and src1. */
bool
emu_exec_reg_interleave(EmuRun *r, const EmuOp *op)
{
    uint8_t both[2][REPEAT_BYTES], made[2][REPEAT_BYTES];
    int size = size_of(r, op, RLACE_dst0), n = REPEAT_BYTES / size;
    bool apart = op_table[op->op].sem == SEM_REG_DINTLV;
    Active all;
    if (!begin(r, op, n, &all)) {
        return false;
    }
    for (int k = 0; k < 2; k++) {
        const uint8_t *src = emu_operand(r, op, RLACE_src0 + k, REPEAT_BYTES);
        if (src == NULL || emu_operand(r, op, k, REPEAT_BYTES) == NULL) {
            return emu_refuse(r, op);
        }
        memcpy(both[k], src, REPEAT_BYTES);
    }
    for (int k = 0; k < 2 * n; k++) {
        int from = apart ? k : k / 2 + k % 2 * n;
        int to = apart ? k / 2 + k % 2 * n : k;
        memcpy(made[to / n] + to % n * size, both[from / n] + from % n * size,
               (size_t)size);
    }
    memcpy(emu_operand(r, op, RLACE_dst0, REPEAT_BYTES), made[0], REPEAT_BYTES);
    memcpy(emu_operand(r, op, RLACE_dst1, REPEAT_BYTES), made[1], REPEAT_BYTES);
    return true;
}

static NumConv
conversion(const EmuRun *r, const EmuOp *op)
{
    static const NumRound rounds[ROUND_COUNT] = {
        [ROUND_NONE] = NUM_NEAREST, [ROUND_NEAREST] = NUM_NEAREST,
        [ROUND_FLOOR] = NUM_FLOOR,  [ROUND_CEIL] = NUM_CEIL,
        [ROUND_AWAY] = NUM_AWAY,    [ROUND_ZERO] = NUM_TO_ZERO,
        [ROUND_ODD] = NUM_ODD};
    NumConv v = {.dst = num_type(emu_slot_ref(r->p, op, RCAST_dst)->dtype),
                 .src = num_type(emu_slot_ref(r->p, op, RCAST_src)->dtype),
                 .round = rounds[emu_slot_attr(r->p, op, RCAST_round_mode)],
                 .keep = emu_slot_attr(r->p, op, RCAST_saturate_flag) == 0};
    if (v.round == NUM_AWAY &&
        emu_chosen(r->p, CHOICE_AWAY_ZERO) == CHOSE_AWAY_ZERO_DIRECTED) {
        v.round = NUM_OUTWARD;
    }
    return v;
}

bool
emu_exec_reg_cast(EmuRun *r, const EmuOp *op)
{
    int dst = size_of(r, op, RCAST_dst), src = size_of(r, op, RCAST_src);
    int wide = dst > src ? dst : src;
    int part = (int)emu_slot_attr(r->p, op, RCAST_part_indicator);
    uint8_t read[REPEAT_BYTES];
    Active a;
    if (!begin(r, op, REPEAT_BYTES / wide, &a)) {
        return false;
    }
    uint8_t *to = emu_operand(r, op, RCAST_dst, REPEAT_BYTES);
    const uint8_t *from = emu_operand(r, op, RCAST_src, REPEAT_BYTES);
    if (to == NULL || from == NULL) {
        return emu_refuse(r, op);
    }
    NumConv v = conversion(r, op);
    memcpy(read, from, REPEAT_BYTES);
    for (int i = 0; i < a.end; i++) {
        uint8_t element[8];
        int in = i * wide + (src < wide ? part * src : 0);
        int out = i * wide + (dst < wide ? part * dst : 0);
        if (a.on[i]) {
            num_conv(&v, element, read + in, 1);
            memcpy(to + out, element, (size_t)dst);
        }
    }
    return true;
}

/* Adds to counts, which wrap around. */
bool
emu_exec_reg_histogram(EmuRun *r, const EmuOp *op)
{
    Active a;
    if (!begin(r, op, REPEAT_BYTES, &a)) {
        return false;
    }
    uint8_t *dst[2] = {emu_operand(r, op, RHIST_dst0, REPEAT_BYTES),
                       emu_operand(r, op, RHIST_dst1, REPEAT_BYTES)};
    const uint8_t *src = emu_operand(r, op, RHIST_src, a.end);
    if (dst[0] == NULL || dst[1] == NULL || src == NULL) {
        return emu_refuse(r, op);
    }
    uint8_t values[REPEAT_BYTES];
    memcpy(values, src, (size_t)a.end);
    for (int i = 0; i < a.end; i++) {
        uint8_t *bin = dst[values[i] >> 7] + 2 * (values[i] & 127);
        uint16_t count;
        memcpy(&count, bin, sizeof count);
        count += a.on[i];
        memcpy(bin, &count, sizeof count);
    }
    return true;
}

/* ---- binding ------------------------------------------------------------- */

static Dtype
type_of(const EmuProgram *p, const EmuOp *op, int slot)
{
    return emu_slot_ref(p, op, slot)->dtype;
}

static bool
is_known_type(Dtype t)
{
    return t != DT_NONE && dtype_size(t) <= 4;
}

/* Checks mode and widths of a load or a store with the register in operand reg and the
 * tensor in operand memory. */
static bool
mode_fits(const EmuProgram *p, const EmuOp *op, int reg, int memory, int slot)
{
    int64_t mode = emu_slot_attr(p, op, slot);
    Dtype t = type_of(p, op, reg);
    if (mode < 0 || mode >= REG_MODES || !is_known_type(t)) {
        return false;
    }
    int narrow = reg_mode_narrow((RegMode)mode) ? 2 : 1;
    return reg_mode_is_for(op_table[op->op].form, (RegMode)mode) &&
           reg_mode_takes((RegMode)mode, dtype_size(t)) &&
           narrow * dtype_size(type_of(p, op, memory)) == dtype_size(t);
}

static bool
same_types(const EmuProgram *p, const EmuOp *op, int a, int b)
{
    return is_known_type(type_of(p, op, a)) &&
           dtype_size(type_of(p, op, a)) == dtype_size(type_of(p, op, b));
}

static bool
cast_fits(const EmuProgram *p, const EmuOp *op)
{
    Dtype dst = type_of(p, op, RCAST_dst), src = type_of(p, op, RCAST_src);
    int64_t part = emu_slot_attr(p, op, RCAST_part_indicator);
    int64_t round = emu_slot_attr(p, op, RCAST_round_mode);
    if (!is_known_type(dst) || !is_known_type(src) || round < 0 || round >= ROUND_COUNT) {
        return false;
    }
    int d = dtype_size(dst), s = dtype_size(src);
    uint32_t modes;
    return part >= 0 && part < (d > s ? d / s : s / d) &&
           op_has_pair((Op)op->op, dst, src, p->kernel.soc, &modes) &&
           (modes >> round & 1);
}

static bool
operands_fit(const EmuProgram *p, const EmuOp *op)
{
    switch (op_table[op->op].form) {
    case FORM_RLOAD:
        return mode_fits(p, op, RLOAD_dst, RLOAD_src, RLOAD_ld_mode);
    case FORM_RLOAD2:
        return mode_fits(p, op, RLOAD2_dst0, RLOAD2_src, RLOAD2_ld_mode) &&
               same_types(p, op, RLOAD2_dst0, RLOAD2_dst1);
    case FORM_RSTORE:
        return mode_fits(p, op, RSTORE_src, RSTORE_dst, RSTORE_st_mode);
    case FORM_RSTORE2:
        return mode_fits(p, op, RSTORE2_src0, RSTORE2_dst, RSTORE2_st_mode) &&
               same_types(p, op, RSTORE2_src0, RSTORE2_src1);
    case FORM_RCAST:
        return cast_fits(p, op);
    case FORM_RHIST:
        return type_of(p, op, RHIST_src) == DT_U8;
    default:
        return same_types(p, op, RLACE_dst0, RLACE_dst1) &&
               same_types(p, op, RLACE_dst0, RLACE_src0) &&
               same_types(p, op, RLACE_dst0, RLACE_src1);
    }
}

bool
emu_bind_reg(EmuProgram *p, EmuOp *op, const char **why)
{
    *why = "the registers' types or modes do not fit";
    return operands_fit(p, op);
}
