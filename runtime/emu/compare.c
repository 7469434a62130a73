/* compare.c: compare and select (vector chapter 5). emu/lane_io.c handles operands that
 * are addressed by vector lanes; this file has rows of bits and CMPMASK.
 *
 * In each repeat all sources are read, bits as one byte for each lane, and then the
 * result is written. CMPMASK has 128 bits; 8-bit lanes from 128 on have none and read
 * 0. */
#include "emu/emu.h"
#include "isa/operand.h"
#include "num/lanes.h"

#include <string.h>

enum {
    CMPMASK_BITS = 128,
    CMPMASK_BYTES = CMPMASK_BITS / 8
};

/* How a relates to b, as bits; a condition accepts some of them. */
enum {
    LESS = 1,
    EQUAL = 2,
    GREATER = 4,
    UNORDERED = 8
};

static uint8_t
accepted(Sem sem)
{
    switch (sem) {
    case SEM_CMP_LT:
        return LESS;
    case SEM_CMP_GT:
        return GREATER;
    case SEM_CMP_GE:
        return GREATER | EQUAL;
    case SEM_CMP_EQ:
        return EQUAL;
    case SEM_CMP_NE:
        return LESS | GREATER | UNORDERED;
    case SEM_CMP_LE:
        return LESS | EQUAL;
    default:
        return 0;
    }
}

/* ---- lanes --------------------------------------------------------------- */

typedef float AnyF32 LANES_ANY;

/* Sets on[i] to 1 if want accepts how a[i] relates to b[i], else to 0. */
typedef void RelateFn(uint8_t *on, const uint8_t *a, const uint8_t *b, uint8_t want,
                      int64_t n);

#define RELATE(name, T)                                                                  \
    static void name(uint8_t *on, const uint8_t *a, const uint8_t *b, uint8_t want,      \
                     int64_t n)                                                          \
    {                                                                                    \
        const T *x = (const T *)a, *y = (const T *)b;                                    \
        for (int64_t i = 0; i < n; i++) {                                                \
            uint8_t lt = x[i] < y[i], eq = x[i] == y[i], gt = x[i] > y[i];               \
            uint8_t un = !(lt | eq | gt);                                                \
            uint8_t rel =                                                                \
                (uint8_t)(lt * LESS | eq * EQUAL | gt * GREATER | un * UNORDERED);       \
            on[i] = (rel & want) != 0;                                                   \
        }                                                                                \
    }
RELATE(relate_s8, AnyS8)
RELATE(relate_u8, AnyU8)
RELATE(relate_s16, AnyS16)
RELATE(relate_s32, AnyS32)
RELATE(relate_s64, AnyS64)
RELATE(relate_f32, AnyF32)

/* Returns an integer that has the order of the float16; both zeros give 0. */
static int16_t
half_key(uint16_t h)
{
    int16_t magnitude = (int16_t)(h & 0x7fff), sign = (int16_t)-(h >> 15);
    return (int16_t)((magnitude ^ sign) - sign);
}

static void
relate_f16(uint8_t *on, const uint8_t *a, const uint8_t *b, uint8_t want, int64_t n)
{
    const AnyU16 *x = (const AnyU16 *)a, *y = (const AnyU16 *)b;
    for (int64_t i = 0; i < n; i++) {
        int16_t p = half_key(x[i]), q = half_key(y[i]);
        uint16_t rel = p < q ? LESS : p == q ? EQUAL : GREATER;
        rel = (x[i] & 0x7fff) > 0x7c00 ? UNORDERED : rel;
        rel = (y[i] & 0x7fff) > 0x7c00 ? UNORDERED : rel;
        on[i] = (uint8_t)((rel & want) != 0);
    }
}

static RelateFn *
relate_of(Dtype t)
{
    static RelateFn *const fns[DT_COUNT] = {
        [DT_S8] = relate_s8,   [DT_U8] = relate_u8,   [DT_S16] = relate_s16,
        [DT_S32] = relate_s32, [DT_S64] = relate_s64, [DT_F16] = relate_f16,
        [DT_F32] = relate_f32,
    };
    return fns[t];
}

#define SELECT(name, T)                                                                  \
    static void name(uint8_t *dst, const uint8_t *on, const uint8_t *a,                  \
                     const uint8_t *b, int64_t n)                                        \
    {                                                                                    \
        T *d = (T *)dst;                                                                 \
        const T *x = (const T *)a, *y = (const T *)b;                                    \
        for (int64_t i = 0; i < n; i++) {                                                \
            d[i] = on[i] ? x[i] : y[i];                                                  \
        }                                                                                \
    }
SELECT(select_8, AnyU8)
SELECT(select_16, AnyU16)
SELECT(select_32, AnyU32)
SELECT(select_64, AnyU64)

static void
select_lanes(int size, uint8_t *dst, const uint8_t *on, const uint8_t *a,
             const uint8_t *b, int64_t n)
{
    switch (size) {
    case 1:
        select_8(dst, on, a, b, n);
        return;
    case 2:
        select_16(dst, on, a, b, n);
        return;
    case 4:
        select_32(dst, on, a, b, n);
        return;
    default:
        select_64(dst, on, a, b, n);
        return;
    }
}

/* Fills every lane of a repeat with the scalar. */
static void
fill_scalar(uint8_t *buf, int size, int64_t scalar)
{
    for (int i = 0; i < REPEAT_BYTES; i += size) {
        memcpy(buf + i, &scalar,
               (size_t)size); /* little endian, as in all of the emulator */
    }
}

/* Packs eight lanes into a byte, with lane 0 in the lowest bit. n is a multiple of 8, and
 * on has n bytes. */
static void
pack(uint8_t *bits, const uint8_t *on, int64_t n)
{
    for (int64_t i = 0; i < n / 8; i++) {
        uint64_t eight;
        memcpy(&eight, on + 8 * i, sizeof eight);
        bits[i] = (uint8_t)(eight * 0x0102040810204080U >> 56);
    }
}

/* Does the reverse of pack for at least n lanes: each byte is copied to eight lanes,
 * which keep one bit each. */
static void
unpack(uint8_t *on, const uint8_t *bits, int64_t n)
{
    const uint64_t ones = 0x0101010101010101U;
    for (int64_t i = 0; i < (n + 7) / 8; i++) {
        uint64_t eight = bits[i] * ones & 0x8040201008040201U;
        eight = (eight + 0x7f * ones) >> 7 & ones;
        memcpy(on + 8 * i, &eight, sizeof eight);
    }
}

/* ---- instructions -------------------------------------------------------- */

/* Compares the n leading lanes of the present repeat. */
static void
compare_repeat(const EmuOp *op, const EmuLanes *c, const uint8_t *scalar, int64_t n,
               uint8_t *on)
{
    uint8_t buf[2][REPEAT_BYTES];
    const uint8_t *a = emu_lanes_load(&c->o[0], n, buf[0]);
    const uint8_t *b = c->n > 1 ? emu_lanes_load(&c->o[1], n, buf[1]) : scalar;
    relate_of((Dtype)op->dtype)(on, a, b, accepted(op_table[op->op].sem), n);
}

static bool
compare_to_memory(EmuRun *r, const EmuOp *op)
{
    EmuLanes c;
    uint8_t on[MAX_LANES], scalar[REPEAT_BYTES];
    if (!emu_lanes_open(r, op, &c)) {
        return false;
    }
    int64_t row = c.lanes / 8;
    uint8_t *dst = emu_operand(r, op, VCMPV_dst, c.repeats * row);
    if (dst == NULL) {
        return emu_refuse(r, op);
    }
    if (op->plan.scalar >= 0 && c.repeats > 0) {
        fill_scalar(scalar, c.o[0].size, emu_slot(r, op, op->plan.scalar));
    }
    for (int64_t i = 0; i < c.repeats; i++) {
        compare_repeat(op, &c, scalar, c.lanes, on);
        pack(dst + i * row, on, c.lanes);
        emu_lanes_step(&c);
    }
    return true;
}

static bool
compare_to_mask(EmuRun *r, const EmuOp *op)
{
    EmuLanes c;
    uint8_t on[MAX_LANES] = {0};
    if (!emu_lanes_open(r, op, &c)) {
        return false;
    }
    uint8_t old[MAX_LANES];
    bool keep = emu_chosen(r->p, CHOICE_VCMP_MASKED_OFF) == CHOSE_VCMP_MASKED_OFF_KEPT;
    unpack(old, r->sreg + SREG_CMPMASK, CMPMASK_BITS);
    compare_repeat(op, &c, NULL, c.run, on);
    for (int64_t i = 0; i < c.lanes && i < CMPMASK_BITS; i++) {
        bool off = i >= c.run || (c.holes && !c.on[i]);
        on[i] = !off ? on[i] : keep ? old[i] : 0;
    }
    pack(r->sreg + SREG_CMPMASK, on, CMPMASK_BITS);
    return true;
}

bool
emu_exec_compare(EmuRun *r, const EmuOp *op)
{
    return op_table[op->op].form == FORM_VCMP ? compare_to_mask(r, op)
                                              : compare_to_memory(r, op);
}

/* Loads 16 bytes into CMPMASK; those after the tensor's last granule count as 0. Returns
 * false when the operand does not exist. */
static bool
load_mask(const EmuRun *r, const EmuOp *op, int slot)
{
    const CheckTensor t = emu_tensor(r, op, slot);
    const uint8_t *from = emu_operand(r, op, slot, 1);
    int64_t most = (t.bytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES - t.offset;
    if (from == NULL) {
        return false;
    }
    memset(r->sreg + SREG_CMPMASK, 0, CMPMASK_BYTES);
    memcpy(r->sreg + SREG_CMPMASK, from,
           (size_t)(most < CMPMASK_BYTES ? most : CMPMASK_BYTES));
    return true;
}

/* Returns the bits of the first repeat, and in *step the bytes from repeat to repeat;
 * null when they do not exist. */
static const uint8_t *
select_bits(const EmuRun *r, const EmuOp *op, const EmuLanes *c, int64_t *step)
{
    Sem sem = op_table[op->op].sem;
    int sel = form_slot(op_table[op->op].form, ROLE_SRC, "sel");
    *step = 0;
    if (sem == SEM_SEL) {
        return r->sreg + SREG_CMPMASK;
    }
    if (sem == SEM_SEL_LOAD) {
        return load_mask(r, op, sel) ? r->sreg + SREG_CMPMASK : NULL;
    }
    *step = c->lanes / 8;
    int64_t bits = c->repeats > 0 ? (c->repeats - 1) * c->lanes + c->run : 0;
    return emu_operand(r, op, sel, (bits + 7) / 8);
}

static void
select_repeat(const EmuLanes *c, const uint8_t *bits, bool of_mask, const uint8_t *scalar)
{
    uint8_t buf[2][REPEAT_BYTES], result[REPEAT_BYTES], on[MAX_LANES] = {0};
    unpack(on, bits, of_mask && c->run > CMPMASK_BITS ? CMPMASK_BITS : c->run);
    const uint8_t *a = emu_lanes_load(&c->o[1], c->run, buf[0]);
    const uint8_t *b = c->n > 2 ? emu_lanes_load(&c->o[2], c->run, buf[1]) : scalar;
    select_lanes(c->o[0].size, result, on, a, b, c->run);
    emu_lanes_store(c, c->run, result);
}

bool
emu_exec_select(EmuRun *r, const EmuOp *op)
{
    EmuLanes c;
    int64_t step;
    uint8_t scalar[REPEAT_BYTES];
    if (!emu_lanes_open(r, op, &c)) {
        return false;
    }
    const uint8_t *bits = select_bits(r, op, &c, &step);
    if (bits == NULL) {
        return emu_refuse(r, op);
    }
    if (op->plan.scalar >= 0 && c.repeats > 0) {
        fill_scalar(scalar, c.o[0].size, emu_slot(r, op, op->plan.scalar));
    }
    for (int64_t i = 0; i < c.repeats; i++) {
        select_repeat(&c, bits + i * step, step == 0, scalar);
        emu_lanes_step(&c);
    }
    if (step != 0) {
        memset(r->sreg + SREG_CMPMASK, 0, CMPMASK_BYTES);
    }
    return true;
}

bool
emu_exec_move_mask(EmuRun *r, const EmuOp *op)
{
    uint8_t *mask = r->sreg + SREG_CMPMASK;
    if (op->checked && !emu_check(r, op)) {
        return false;
    }
    if (op_table[op->op].sem == SEM_CMPMASK_SET) {
        return load_mask(r, op, 0) || emu_refuse(r, op);
    }
    uint8_t *at = emu_operand(r, op, 0, CMPMASK_BYTES);
    if (at == NULL) {
        return emu_refuse(r, op);
    }
    memcpy(at, mask, CMPMASK_BYTES);
    return true;
}

/* ---- binding ------------------------------------------------------------- */

bool
emu_bind_compare(EmuProgram *p, EmuOp *op, const char **why)
{
    int n;
    Form form = op_table[op->op].form;
    Dtype t = emu_slot_ref(p, op, form_main(form))->dtype;
    (void)form_params(form, &n);
    for (int i = 0; i < n; i++) {
        if (form_is_vector(form, i) && emu_slot_ref(p, op, i)->dtype != t) {
            *why = "operands of a vector instruction differ in dtype";
            return false;
        }
    }
    emu_lanes_plan(p, op);
    op->dtype = (uint8_t)t;
    *why = "the vector instruction does not exist for its dtype";
    bool compares = op->exec == emu_exec_compare;
    return dtype_size(t) > 0 && t != DT_BOOL && (!compares || relate_of(t) != NULL);
}
