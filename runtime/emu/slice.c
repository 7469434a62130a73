/* slice.c: instructions on slices of tensors (vector chapter 13), element by element;
 * reductions are in emu/slice_reduce.c.
 *
 * Every operand is a walk over its elements. Rows (the innermost dimension) are computed
 * in pieces: sources whose elements have gaps are collected first, such results are
 * spread afterwards, and in between contiguous arithmetic runs, that of emu_lanes if it
 * has the operation. A scalar is a piece of equal elements. */
#include "emu/emu.h"
#include "isa/operand.h"

#include <string.h>

#include "rules/check.h"
#include "num/half.h"
#include "num/conv.h"
#include "num/fn.h"

enum {
    PIECE = 256, /* elements */
    SOURCES = 3,
    WIDEST = 8,
    PACKS = 16
};

/* ---- operands ------------------------------------------------------------ */

static bool
converts(Form form)
{
    return form == FORM_HCAST || form == FORM_HQUANT || form == FORM_HPACK ||
           form == FORM_HPACKS || form == FORM_HSCATTER;
}

/* Returns whether types are those of the form, which a blob may violate. */
static bool
types_fit(const EmuProgram *p, const EmuOp *op)
{
    int n;
    Form form = op_table[op->op].form;
    Dtype main = (Dtype)op->dtype;
    const ParamInfo *params = form_params(form, &n);
    if (converts(form)) {
        return emu_has_conversion(p, op);
    }
    bool ok = op_has_dtype((Op)op->op, main, p->kernel.soc);
    for (int i = 0; i < n; i++) {
        if (params[i].role == ROLE_DST || params[i].role == ROLE_SRC) {
            Dtype t = emu_slot_ref(p, op, i)->dtype;
            Dtype want =
                params[i].of == OF_ANY ? DT_BOOL : operand_type_dtype(params[i].of, main);
            ok = ok && t == want;
        }
    }
    return ok;
}

bool
emu_slice_open(EmuRun *r, const EmuOp *op, int slot, EmuSlice *s)
{
    const SliceOperand *o = form_slice(op_table[op->op].form, slot);
    int64_t elements = 0;
    s->size = dtype_size(emu_slot_ref(r->p, op, slot)->dtype);
    s->dims = o->dims;
    s->empty = false;
    for (int i = 0; i < o->dims; i++) {
        s->len[i] = emu_slot(r, op, o->len + i);
        s->step[i] = emu_slot(r, op, o->stride + i);
        s->empty = s->empty || s->len[i] == 0;
        elements += s->len[i] > 0 ? (s->len[i] - 1) * s->step[i] : 0;
        if (elements > INT64_MAX / 16) {
            return emu_refuse(r, op);
        }
        s->step[i] *= s->size;
    }
    s->at = emu_operand(r, op, slot, s->empty ? 0 : (elements + 1) * s->size);
    return s->at != NULL || emu_refuse(r, op);
}

#define EACH_SIZE(size, body)                                                            \
    switch (size) {                                                                      \
    case 1: {                                                                            \
        typedef uint8_t T;                                                               \
        body;                                                                            \
        break;                                                                           \
    }                                                                                    \
    case 2: {                                                                            \
        typedef AnyU16 T;                                                                \
        body;                                                                            \
        break;                                                                           \
    }                                                                                    \
    case 4: {                                                                            \
        typedef AnyU32 T;                                                                \
        body;                                                                            \
        break;                                                                           \
    }                                                                                    \
    default: {                                                                           \
        typedef AnyU64 T;                                                                \
        body;                                                                            \
        break;                                                                           \
    }                                                                                    \
    }

static void
collect(uint8_t *to, const uint8_t *from, int64_t step, int size, int64_t n)
{
    EACH_SIZE(
        size, for (int64_t i = 0; i < n; i++) {
            ((T *)(void *)to)[i] = *(const T *)(const void *)(from + i * step);
        })
}

static void
spread(uint8_t *to, int64_t step, const uint8_t *from, int size, int64_t n)
{
    EACH_SIZE(
        size, for (int64_t i = 0; i < n; i++) {
            *(T *)(void *)(to + i * step) = ((const T *)(const void *)from)[i];
        })
}

/* ---- arithmetic of one piece --------------------------------------------- */

/* The work that is done to a piece. */
typedef struct Work {
    const EmuOp *op;
    Sem sem;
    Dtype type;            /* of the sources */
    int mode;              /* h_cmpv */
    NumConv conv;          /* h_cast */
    uint64_t factor;       /* h_quant: the scale, or the parameter word */
    uint64_t packs[PACKS]; /* h_quant: a table of parameter words */
    int64_t first; /* number of the first element of the row among those of the operand */
    bool twice;    /* h_quant: rounds to float32 first */
    bool saturates; /* float16 arithmetic saturates */
    AtomicWrite w;  /* h_data_move to global memory */
} Work;

static NumFnLanes *
wave(Sem sem, Dtype t)
{
    return num_fn(sem == SEM_SIN ? NUM_SIN : NUM_COS, t == DT_F16 ? NUM_F16 : NUM_F32);
}

/* The conditions in the order of the numbers of h_cmpv. */
static void
compare_piece(int mode, Dtype t, uint8_t *dst, const uint8_t *const *src, int64_t n)
{
    static const RowCondition conditions[] = {ROW_LT, ROW_LE, ROW_GT,
                                              ROW_GE, ROW_EQ, ROW_NE};
    emu_rows()->relate[t][conditions[mode]](dst, src[0], src[1], n);
}

static void
select_piece(uint8_t *dst, const uint8_t *const *src, int size, int64_t n)
{
    emu_rows()->select[__builtin_ctz((unsigned)size)](dst, src[2], src[0], src[1], n);
}

/* Converts element i with parameter word (first + i) % 16. */
static void
by_table(const Work *w, uint8_t *dst, const uint8_t *src, int64_t n)
{
    uint64_t rotated[PACKS];
    for (int i = 0; i < PACKS; i++) {
        rotated[i] = w->packs[(w->first + i) % PACKS];
    }
    num_conv_packed(dst, src, rotated, PACKS, n);
}

static void
compute(const Work *w, uint8_t *dst, const uint8_t *const *src, int size, int64_t n)
{
    switch (w->sem) {
    case SEM_SIN:
    case SEM_COS:
        wave(w->sem, w->type)(dst, src[0], n);
        for (int64_t i = 0; w->saturates && i < n; i++) {
            ((AnyU16 *)(void *)dst)[i] = half_finite(((AnyU16 *)(void *)dst)[i]);
        }
        return;
    case SEM_DUP:
        memmove(dst, src[0], (size_t)(n * size));
        return;
    case SEM_MOVE:
        emu_write(&w->w, dst, src[0], n * size);
        return;
    case SEM_CONV:
        num_conv(&w->conv, dst, src[0], n);
        return;
    case SEM_CONV_SCALED:
        num_conv_scaled(dst, src[0], (uint16_t)w->factor, w->twice, n);
        return;
    case SEM_CONV_PACK:
        num_conv_packed(dst, src[0], &w->factor, 1, n);
        return;
    case SEM_CONV_PACKS:
        by_table(w, dst, src[0], n);
        return;
    case SEM_SLICE_CMP:
        compare_piece(w->mode, w->type, dst, src, n);
        return;
    case SEM_SLICE_SEL:
        select_piece(dst, src, size, n);
        return;
    default:
        w->op->lanes(dst, src[0], src[1], 0, n);
        return;
    }
}

/* ---- rows ---------------------------------------------------------------- */

typedef struct Row {
    EmuSlice dst, src[SOURCES];
    bool given[SOURCES]; /* the source is a slice; else it is the scalar */
    int n;
    uint8_t scalar[PIECE * WIDEST];
} Row;

static const uint8_t *
source_piece(const Row *w, int i, int64_t off, int64_t first, int64_t n,
             uint8_t buf[PIECE * WIDEST])
{
    const EmuSlice *s = &w->src[i];
    if (!w->given[i]) {
        return w->scalar;
    }
    const uint8_t *at = s->at + off + first * s->step[2];
    if (s->step[2] == s->size) {
        return at;
    }
    collect(buf, at, s->step[2], s->size, n);
    return buf;
}

static void
one_row(const Work *w, const Row *row, int64_t i, int64_t j)
{
    uint8_t bufs[SOURCES + 1][PIECE * WIDEST];
    const EmuSlice *d = &row->dst;
    uint8_t *at = d->at + i * d->step[0] + j * d->step[1];
    bool dense = d->step[2] == d->size;
    for (int64_t first = 0; first < d->len[2]; first += PIECE) {
        int64_t n = d->len[2] - first < PIECE ? d->len[2] - first : PIECE;
        const uint8_t *src[SOURCES] = {NULL, NULL, NULL};
        for (int k = 0; k < row->n; k++) {
            int64_t off =
                row->given[k] ? i * row->src[k].step[0] + j * row->src[k].step[1] : 0;
            src[k] = source_piece(row, k, off, first, n, bufs[k]);
        }
        uint8_t *out = dense ? at + first * d->size : bufs[SOURCES];
        if (w->w.on && !dense) {
            collect(out, at + first * d->step[2], d->step[2], d->size, n);
        }
        compute(w, out, src, d->size, n);
        if (!dense) {
            spread(at + first * d->step[2], d->step[2], out, d->size, n);
        }
    }
}

/* Orders the sources: the slices as in the form, with the scalar at the place that side
 * names. */
static bool
open_sources(EmuRun *r, const EmuOp *op, Row *row)
{
    Form form = op_table[op->op].form;
    int n, side = form_slot(form, ROLE_ATTR, "side");
    bool scalar = form == FORM_HDUP || side >= 0;
    int at = side >= 0 && emu_slot_attr(r->p, op, side) == 1 ? 1 : 0;
    const ParamInfo *params = form_params(form, &n);
    for (int i = 0; i < n; i++) {
        if (scalar && row->n == at) {
            row->n++;
        }
        if (params[i].role == ROLE_SRC && form_slice(form, i) != NULL) {
            if (!emu_slice_open(r, op, i, &row->src[row->n])) {
                return false;
            }
            row->given[row->n++] = true;
        }
    }
    return true;
}

static void
fill_scalar(EmuRun *r, const EmuOp *op, Row *row, Dtype t)
{
    int slot = form_slot(op_table[op->op].form, ROLE_SCALAR, "scalar");
    if (slot >= 0) {
        int64_t v = emu_slot(r, op, slot);
        EACH_SIZE(
            dtype_size(t),
            for (int i = 0; i < PIECE; i++) { ((T *)(void *)row->scalar)[i] = (T)v; })
    }
}

/* Reads the parameter words of an instruction that has elements, and the number of the
 * first one. */
static bool
read_packs(EmuRun *r, const EmuOp *op, Work *w)
{
    Form form = op_table[op->op].form;
    Fault f;
    const uint8_t *at =
        emu_operand(r, op, form_slot(form, ROLE_SRC, "deqscale"), sizeof w->packs);
    w->first = emu_slot(r, op, form_slot(form, ROLE_INT, "first"));
    if (at == NULL || w->first < 0 || w->first >= PACKS) {
        return emu_refuse(r, op);
    }
    memcpy(w->packs, at, sizeof w->packs);
    for (int i = 0; i < PACKS; i++) {
        if (!check_pack_sign(w->packs[i], w->type, &f)) {
            return emu_record(r, op, &f);
        }
    }
    return true;
}

/* Returns false with a fault when a parameter word is for another type. */
static bool
open_work(EmuRun *r, const EmuOp *op, Work *w)
{
    Form form = op_table[op->op].form;
    int mode = form_slot(form, ROLE_ATTR, "mode");
    int factor = form_slot(form, ROLE_SCALAR, "deqscale");
    Fault f;
    *w = (Work){.op = op, .sem = op_table[op->op].sem, .type = (Dtype)op->dtype};
    w->mode = mode >= 0 ? (int)emu_slot_attr(r->p, op, mode) : 0;
    w->factor = factor >= 0 ? (uint64_t)emu_slot(r, op, factor) : 0;
    w->saturates = w->type == DT_F16 && emu_chosen(r->p, CHOICE_FLOAT16_OVERFLOW) ==
                                            CHOSE_FLOAT16_OVERFLOW_SATURATE;
    w->twice =
        emu_chosen(r->p, CHOICE_INT32_TO_FLOAT16) == CHOSE_INT32_TO_FLOAT16_FLOAT32;
    if (w->sem == SEM_CONV) {
        w->conv = emu_conversion(r, op);
    }
    return w->sem != SEM_CONV_PACK || check_pack_sign(w->factor, w->type, &f) ||
           emu_record(r, op, &f);
}

static bool
open_write(EmuRun *r, const EmuOp *op, Work *w)
{
    const EmuRef *dst = emu_slot_ref(r->p, op, HMOVE_dst),
                 *src = emu_slot_ref(r->p, op, HMOVE_src);
    const TikBlobRegion *regions = r->p->kernel.regions;
    return w->sem != SEM_MOVE || regions[dst->region].scope != SC_GM ||
           emu_write_mode(r, op, 0, regions[src->region].scope, dtype_size(w->type),
                          &w->w);
}

bool
emu_exec_slice(EmuRun *r, const EmuOp *op)
{
    Work w;
    Row row;
    memset(row.given, 0, sizeof row.given);
    row.n = 0;
    if (!emu_begin(r, op) || !open_work(r, op, &w) || !open_write(r, op, &w) ||
        !emu_slice_open(r, op, 0, &row.dst) || !open_sources(r, op, &row)) {
        return false;
    }
    if (w.sem == SEM_CONV_PACKS && !row.dst.empty && !read_packs(r, op, &w)) {
        return false;
    }
    int64_t first = w.first;
    fill_scalar(r, op, &row, w.type);
    for (int64_t i = 0; i < row.dst.len[0] && !row.dst.empty; i++) {
        for (int64_t j = 0; j < row.dst.len[1]; j++) {
            w.first = (first + (i * row.dst.len[1] + j) * row.dst.len[2]) % PACKS;
            one_row(&w, &row, i, j);
        }
    }
    return true;
}

/* ---- binding ------------------------------------------------------------- */

/* Returns whether pieces of the meaning are computed here, not by lane functions. */
static bool
is_own(Sem sem)
{
    switch (sem) {
    case SEM_SIN:
    case SEM_COS:
    case SEM_DUP:
    case SEM_MOVE:
    case SEM_CONV:
    case SEM_CONV_SCALED:
    case SEM_CONV_PACK:
    case SEM_CONV_PACKS:
    case SEM_SLICE_CMP:
    case SEM_SLICE_SEL:
        return true;
    default:
        return false;
    }
}

bool
emu_bind_slice(EmuProgram *p, EmuOp *op, const char **why)
{
    Form form = op_table[op->op].form;
    Dtype t = emu_slot_ref(p, op, form_main(form))->dtype;
    Sem sem = op_table[op->op].sem;
    op->dtype = (uint8_t)t;
    op->from = converts(form) ? (uint8_t)emu_slot_ref(p, op, HCAST_src)->dtype : op->from;
    op->lanes = emu_lane_fn(&p->kernel.choices, (LaneWork){sem, false}, t, t);
    *why = "the instruction does not exist for its dtypes";
    return types_fit(p, op) &&
           (op->lanes != NULL || is_own(sem) || op->exec == emu_exec_slice_reduce);
}
