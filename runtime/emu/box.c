/* box.c: areas of boxes, sums of all pairs, and the suppression of candidates
 * (vector 9.2, 9.4). Every step of an area is rounded to the element type. */
#include "emu/emu.h"
#include "isa/operand.h"

#include "rules/sort.h"
#include "num/half.h"

enum {
    X1,
    Y1,
    X2,
    Y2
};

/* Arithmetic in one of the two element types, on float. */
typedef struct Arith {
    bool half, once; /* once: rounded only when a result is written */
    bool saturates;
    int size;
    float offset; /* RPN_OFFSET */
} Arith;

static uint16_t
narrowed(const Arith *a, float x)
{
    uint16_t h = half_from_float(x);
    return a->saturates ? half_finite(h) : h;
}

static float
rounded(const Arith *a, float x)
{
    return a->half && !a->once ? half_to_float(narrowed(a, x)) : x;
}

static float
read_number(const Arith *a, const uint8_t *at)
{
    uint16_t half;
    float single;
    if (a->half) {
        memcpy(&half, at, sizeof half);
        return half_to_float(half);
    }
    memcpy(&single, at, sizeof single);
    return single;
}

static void
write_number(const Arith *a, uint8_t *at, float x)
{
    uint16_t half = narrowed(a, x);
    uint32_t single = float_bits_canonical(x);
    if (a->half) {
        memcpy(at, &half, sizeof half);
    } else {
        memcpy(at, &single, sizeof single);
    }
}

static Arith
arith_of(const EmuRun *r, const EmuOp *op)
{
    Dtype t = emu_slot_ref(r->p, op, OUTER_dst)->dtype;
    Arith a = {.half = t == DT_F16, .size = dtype_size(t)};
    a.saturates =
        emu_chosen(r->p, CHOICE_FLOAT16_OVERFLOW) == CHOSE_FLOAT16_OVERFLOW_SATURATE;
    a.once = emu_chosen(r->p, CHOICE_PROPOSAL_ROUNDING) == CHOSE_PROPOSAL_ROUNDING_ONCE;
    a.offset =
        read_number(&a, r->sreg + (a.half ? SREG_RPN_OFFSET16 : SREG_RPN_OFFSET32));
    return a;
}

static float
corner(const Arith *a, const uint8_t *box, int field)
{
    return read_number(a, box + field * a->size);
}

/* ---- areas --------------------------------------------------------------- */

static float
side(const Arith *a, float low, float high)
{
    return rounded(a, rounded(a, high - low) + a->offset);
}

bool
emu_exec_rpac(EmuRun *r, const EmuOp *op)
{
    int64_t n = -1;
    if (!emu_sort_repeats(r, op, FIELD_repeat_times, &n) || n == 0) {
        return n == 0;
    }
    Arith a = arith_of(r, op);
    const int box = PROPOSAL_ELEMS * a.size;
    uint8_t *dst = emu_operand(r, op, RECORDS_dst, n * SORT_GROUP * a.size);
    const uint8_t *src = emu_operand(r, op, RECORDS_src, n * SORT_GROUP * box);
    if (dst == NULL || src == NULL) {
        return emu_refuse(r, op);
    }
    for (int64_t i = 0; i < n * SORT_GROUP; i += SORT_GROUP) {
        uint8_t area[SORT_GROUP * 4];
        for (int k = 0; k < SORT_GROUP; k++) {
            const uint8_t *b = src + (i + k) * box;
            float w = side(&a, corner(&a, b, X1), corner(&a, b, X2));
            float h = side(&a, corner(&a, b, Y1), corner(&a, b, Y2));
            write_number(&a, area + k * a.size, w * h);
        }
        memcpy(dst + i * a.size, area, (size_t)(SORT_GROUP * a.size));
    }
    return true;
}

/* NaN wins; the first of equal numbers wins. */
static float
larger(float a, float b)
{
    return a != a ? a : b != b || b > a ? b : a;
}

static float
smaller(float a, float b)
{
    return a != a ? a : b != b || b < a ? b : a;
}

static float
common(const Arith *a, const uint8_t *p, const uint8_t *q, int low, int high)
{
    float from = larger(corner(a, p, low), corner(a, q, low));
    float to = smaller(corner(a, p, high), corner(a, q, high));
    float length = side(a, from, to);
    return length > 0 || length != length ? length : 0;
}

/* Computes a result for an element of a group of src0 and one of src1. */
typedef void PairFn(const Arith *a, const uint8_t *p, const uint8_t *q, uint8_t *out);

static void
pair_area(const Arith *a, const uint8_t *p, const uint8_t *q, uint8_t *out)
{
    write_number(a, out, common(a, p, q, X1, X2) * common(a, p, q, Y1, Y2));
}

static void
pair_sum(const Arith *a, const uint8_t *p, const uint8_t *q, uint8_t *out)
{
    write_number(a, out, read_number(a, p) + read_number(a, q));
}

static bool
exec_pairs(EmuRun *r, const EmuOp *op, int elems, PairFn *fn)
{
    int64_t n = -1;
    if (!emu_sort_repeats(r, op, OUTER_repeat_times, &n) || n == 0) {
        return n == 0;
    }
    Arith a = arith_of(r, op);
    const int unit = elems * a.size, group = SORT_GROUP * unit;
    const int64_t results = (int64_t)SORT_GROUP * SORT_GROUP * a.size;
    uint8_t *dst = emu_operand(r, op, OUTER_dst, n * results);
    const uint8_t *src0 = emu_operand(r, op, OUTER_src0, n * group);
    const uint8_t *src1 = emu_operand(r, op, OUTER_src1, group);
    if (dst == NULL || src0 == NULL || src1 == NULL) {
        return emu_refuse(r, op);
    }
    for (int64_t i = 0; i < n; i++) {
        uint8_t out[SORT_GROUP * SORT_GROUP * 4];
        for (int k = 0; k < SORT_GROUP * SORT_GROUP; k++) {
            fn(&a, src0 + i * group + k / SORT_GROUP * unit, src1 + k % SORT_GROUP * unit,
               out + k * a.size);
        }
        memcpy(dst + i * results, out, (size_t)results);
    }
    return true;
}

bool
emu_exec_iou(EmuRun *r, const EmuOp *op)
{
    return exec_pairs(r, op, PROPOSAL_ELEMS, pair_area);
}

bool
emu_exec_aadd(EmuRun *r, const EmuOp *op)
{
    return exec_pairs(r, op, 1, pair_sum);
}

/* ---- suppression --------------------------------------------------------- */

static bool
open_rows(EmuRun *r, const EmuOp *op, int slot, int64_t n, const uint8_t **at,
          int64_t *step)
{
    *step = emu_slot(r, op, slot + SUPPRESS_src0_rep_stride) * BLOCK_BYTES;
    *at = emu_operand(r, op, slot, (n - 1) * *step + BLOCK_BYTES);
    return *at != NULL;
}

bool
emu_exec_rpn_cor(EmuRun *r, const EmuOp *op)
{
    const uint8_t *matrix, *vector;
    int64_t n = -1, matrix_step, vector_step;
    uint32_t ir;
    if (!emu_sort_repeats(r, op, SUPPRESS_repeat_times, &n) || n == 0) {
        return n == 0;
    }
    if (!open_rows(r, op, 0, n, &matrix, &matrix_step) ||
        !open_rows(r, op, 1, n, &vector, &vector_step)) {
        return emu_refuse(r, op);
    }
    bool zero_kept = emu_chosen(r->p, CHOICE_SUPPRESSION) == CHOSE_SUPPRESSION_ZERO_KEPT;
    memcpy(&ir, r->sreg + SREG_RPN_COR_IR, sizeof ir);
    for (int64_t k = 0; k < n; k++) {
        for (int i = 0; i < SORT_GROUP; i++) {
            uint16_t row, entry;
            memcpy(&row, matrix + k * matrix_step + 2 * i, sizeof row);
            memcpy(&entry, vector + k * vector_step + 2 * i, sizeof entry);
            if ((entry == 0) == zero_kept) {
                ir |= row;
            }
        }
    }
    memcpy(r->sreg + SREG_RPN_COR_IR, &ir, sizeof ir);
    return true;
}

bool
emu_exec_rpn_cor_diag(EmuRun *r, const EmuOp *op)
{
    uint16_t row[SORT_GROUP], out[SORT_GROUP];
    uint32_t ir;
    uint16_t kept =
        emu_chosen(r->p, CHOICE_SUPPRESSION) == CHOSE_SUPPRESSION_ZERO_KEPT ? 0 : 1;
    if (op->checked && !emu_check(r, op)) {
        return false;
    }
    uint8_t *dst = emu_operand(r, op, DIAGONAL_dst, sizeof out);
    const uint8_t *src = emu_operand(r, op, DIAGONAL_src, sizeof row);
    if (dst == NULL || src == NULL) {
        return emu_refuse(r, op);
    }
    memcpy(row, src, sizeof row);
    memcpy(&ir, r->sreg + SREG_RPN_COR_IR, sizeof ir);
    for (int j = 0; j < SORT_GROUP; j++) {
        bool removed = (ir >> j & 1) != 0;
        for (int i = 0; i < j; i++) {
            removed = removed || (out[i] == kept && (row[i] >> j & 1));
        }
        out[j] = removed ? 1 - kept : kept;
    }
    memcpy(dst, out, sizeof out);
    return true;
}
