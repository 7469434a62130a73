/* l0c_move.c: moves out of and into L0C (data-movement 6, cube-quant 9 and 10), row by
 * row of 16 channels. runtime/num/deq.h converts the elements of a row. */
#include "emu/emu.h"

#include <string.h>

#include "rules/l0c_move.h"
#include "num/deq.h"

enum {
    ROW = DEQ_CHANNELS, /* elements; in block mode sc a row has four rows of four */
    ROW_BYTES = ROW * 4
};

/* A move with its present operands. */
typedef struct Acc {
    BlockMode mode;
    AccScale scale;
    Dtype from, to;
    bool out, vector, high; /* high: 8-bit results go to the second half of blocks */
    int64_t n, len, src_stride, dst_stride, sid, fly;
    AccUnits u;
    uint8_t *dst;
    const uint8_t *src, *words, *other;
    uint64_t word;
    bool relu;
    NumDeq deq;
    AtomicWrite w; /* to global memory */
} Acc;

/* Returns false when the mode has one burst only and there are several. */
static bool
read_numbers(const EmuRun *r, const EmuOp *op, Acc *a)
{
    Form form = op_table[op->op].form;
    a->vector = form == FORM_ACCV || form == FORM_ACCVFLY;
    a->mode = (BlockMode)emu_slot_attr(r->p, op, ACCFLY_block_mode);
    a->scale = (AccScale)emu_slot_attr(r->p, op, ACCFLY_deq_mode);
    a->sid = emu_slot_attr(r->p, op, ACCFLY_sid_store_mode);
    a->relu = emu_slot_attr(r->p, op, ACCFLY_relu) != 0;
    a->high = acc_high_half(a->sid, &r->p->kernel.choices);
    a->n = emu_slot(r, op, ACCFLY_nburst);
    a->len = emu_slot(r, op, ACCFLY_burst_len);
    a->src_stride = emu_slot(r, op, ACCFLY_src_stride);
    a->dst_stride = emu_slot(r, op, ACCFLY_dst_stride);
    if (form == FORM_ACCFLY || form == FORM_ACCVFLY) {
        a->fly = emu_slot_attr(r->p, op, ACCFLY_onthefly_mode);
    }
    if (!a->vector) {
        a->word = (uint64_t)emu_slot(r, op, ACCFLY_deqscale);
    }
    return a->mode != BLOCK_DP || a->n == 1;
}

/* Returns the bytes of an operand, with the gaps between bursts. */
static int64_t
bytes_of(const Acc *a, bool acc_side, int64_t stride)
{
    int64_t unit = acc_side ? a->u.acc : a->u.out;
    int64_t gap = acc_side ? a->u.gap : BLOCK_BYTES;
    int64_t gaps = a->mode == BLOCK_DP && !acc_side ? 1 : a->n - 1;
    return a->n * a->len * unit + gaps * stride * gap;
}

static bool
read_tensors(const EmuRun *r, const EmuOp *op, Acc *a)
{
    const EmuRef *dst = emu_slot_ref(r->p, op, ACCFLY_dst);
    const EmuRef *src = emu_slot_ref(r->p, op, ACCFLY_src);
    a->from = src->dtype;
    a->to = dst->dtype;
    a->out = r->p->kernel.regions[src->region].scope == SC_L0C;
    bool packed =
        chosen(&r->p->kernel.choices, CHOICE_VECTOR_ROWS) == CHOSE_VECTOR_ROWS_PACKED;
    a->u = acc_units(a->mode, a->out ? a->from : a->to, a->out ? a->to : a->from, a->sid,
                     packed);
    a->src = emu_operand(r, op, ACCFLY_src, bytes_of(a, a->out, a->src_stride));
    a->dst = emu_operand(r, op, ACCFLY_dst, bytes_of(a, !a->out, a->dst_stride));
    bool ok = a->src != NULL && a->dst != NULL;
    if (a->vector) {
        a->words = emu_operand(r, op, ACCFLY_deqscale,
                               acc_vector_bytes(a->scale, a->n, &r->p->kernel.choices));
        ok = ok && a->words != NULL;
    }
    if (a->fly != 0) {
        a->other = emu_operand(r, op, ACCFLY_src_onthefly, a->n * a->len * a->u.out);
        ok = ok && a->other != NULL;
    }
    return ok;
}

/* ---- parameters of a burst ----------------------------------------------- */

static bool
read_words(EmuRun *r, const EmuOp *op, Acc *a, int64_t burst)
{
    uint64_t word[DEQ_CHANNELS] = {a->word};
    int n = 1;
    Fault f;
    if (a->vector) {
        n = DEQ_CHANNELS;
        memcpy(word, a->words + burst * (int64_t)sizeof word, sizeof word);
    }
    AccUse use = {a->scale, a->to, a->relu};
    if (!check_acc_words(&use, word, n, burst * n, &f)) {
        return emu_record(r, op, &f);
    }
    if (r->warned != NULL && (a->vector || !(op->literals >> ACCFLY_deqscale & 1))) {
        EmuSite site = {r, op};
        check_acc_word_warnings(&use, word, n, burst * n, emu_warn, &site);
    }
    num_deq_words(&a->deq, word, a->mode == BLOCK_SC && n > 1 ? 4 : n, true);
    a->deq.relu = a->relu || (!a->vector && (word[0] >> 47 & 1));
    return true;
}

/* Sets the conversion of the elements of a burst. Returns false when it recorded a
 * fault. */
static bool
read_parameters(EmuRun *r, const EmuOp *op, Acc *a, int64_t burst)
{
    uint16_t half[DEQ_CHANNELS] = {(uint16_t)a->word};
    a->deq.dst = num_type(a->to);
    a->deq.src = num_type(a->from);
    a->deq.relu = a->relu;
    num_deq_choose(&a->deq, &r->p->kernel.choices);
    a->deq.scale = a->scale != SCALE_NONE && a->to != DT_S16;
    switch (a->scale) {
    case SCALE_VDEQ:
        memcpy(half, a->words + burst * acc_vector_step(a->scale, &r->p->kernel.choices),
               sizeof half);
        num_deq_halves(&a->deq, half, a->mode == BLOCK_SC ? 4 : DEQ_CHANNELS);
        return true;
    case SCALE_DEQ:
        num_deq_halves(&a->deq, half, 1);
        return true;
    case SCALE_DEQ8:
    case SCALE_VDEQ8:
    case SCALE_DEQ16:
    case SCALE_VDEQ16:
        return read_words(r, op, a, burst);
    default:
        return true;
    }
}

/* ---- rows ---------------------------------------------------------------- */

/* Finds where channels 0 to 7 and 8 to 15 of row q of a burst are outside of L0C. */
static void
row_place(const Acc *a, int64_t q, int size, int64_t at[2])
{
    int64_t half = a->len * a->u.out / 2;
    if (a->mode == BLOCK_DP) {
        at[0] = q * 8 * size;
        at[1] = at[0] + half + a->dst_stride * BLOCK_BYTES;
        return;
    }
    at[0] =
        size > 1 || a->sid == 2 ? q * ROW * size : q * BLOCK_BYTES + (a->high ? ROW : 0);
    at[1] = at[0] + 8 * size;
}

/* Moves row q of a burst to UB, from the row of L0C at `from`. */
static void
row_out(const Acc *a, uint8_t *to, const uint8_t *from, const uint8_t *other, int64_t q)
{
    uint8_t row[ROW_BYTES];
    int size = dtype_size(a->to);
    int64_t at[2];
    num_deq(&a->deq, row, from, ROW);
    if (a->fly != 0) {
        num_deq_add(a->deq.dst, a->fly == 2, a->deq.keep, row, other + q * ROW * size,
                    ROW);
    }
    row_place(a, q, size, at);
    emu_write(&a->w, to + at[0], row, 8 * size);
    emu_write(&a->w, to + at[1], row + 8 * size, 8 * size);
}

static void
burst_of(const Acc *a, int64_t burst)
{
    int64_t acc_pitch =
        a->len * a->u.acc + (a->out ? a->src_stride : a->dst_stride) * a->u.gap;
    int64_t out_stride = a->out ? a->dst_stride : a->src_stride;
    int64_t out_pitch = a->len * a->u.out + out_stride * BLOCK_BYTES;
    const uint8_t *from = a->src + burst * (a->out ? acc_pitch : out_pitch);
    uint8_t *to = a->dst + burst * (a->out ? out_pitch : acc_pitch);
    int64_t rows = a->u.elems / ROW;
    int64_t row = ROW * dtype_size(a->out ? a->from : a->to);
    for (int64_t q = 0; q < a->len * rows; q++) {
        int64_t acc = q / rows * a->u.acc + q % rows * row;
        if (a->out) {
            const uint8_t *other =
                a->fly != 0 ? a->other + burst * a->len * a->u.out : NULL;
            row_out(a, to, from + acc, other, q);
        } else {
            num_deq(&a->deq, to + acc, from + q * ROW * dtype_size(a->from), ROW);
        }
    }
}

bool
emu_exec_acc_move(EmuRun *r, const EmuOp *op)
{
    Acc a = {.fly = 0};
    Fault f;
    if (!emu_begin(r, op)) {
        return false;
    }
    if (!read_numbers(r, op, &a) || !read_tensors(r, op, &a)) {
        return emu_refuse(r, op);
    }
    if (!check_acc_lengths(a.mode, a.to, a.sid, a.n, a.len, &f)) {
        return emu_record(r, op, &f);
    }
    if (op->op == OP_TENSOR_MOV_OUT &&
        !emu_write_mode(r, op, ACCFLY_dst, SC_L0C, 8 * dtype_size(a.to), &a.w)) {
        return false;
    }
    for (int64_t i = 0; i < a.n; i++) {
        if (!read_parameters(r, op, &a, i)) {
            return false;
        }
        burst_of(&a, i);
    }
    return true;
}

/* A blob that was not verified may break the rules about kinds of operands, so they are
 * checked here. */
bool
emu_bind_acc(EmuProgram *p, EmuOp *op, const char **why)
{
    const EmuRef *dst = emu_slot_ref(p, op, ACCFLY_dst),
                 *src = emu_slot_ref(p, op, ACCFLY_src);
    int64_t mode = emu_slot_attr(p, op, ACCFLY_block_mode),
            scale = emu_slot_attr(p, op, ACCFLY_deq_mode);
    int64_t sid = emu_slot_attr(p, op, ACCFLY_sid_store_mode);
    Form form = op_table[op->op].form;
    bool vector = form == FORM_ACCV || form == FORM_ACCVFLY;
    const AccPair *pair = NULL;
    *why = "the move's mode does not exist for its operands";
    if (mode >= 0 && mode < BLOCK_MODES && scale >= 0 && scale < SCALE_COUNT &&
        sid >= 0 && sid <= 2 && vector == acc_scale_is_vector((AccScale)scale)) {
        pair = acc_pair(p->kernel.regions[src->region].scope,
                        p->kernel.regions[dst->region].scope, (BlockMode)mode, src->dtype,
                        dst->dtype, (AccScale)scale);
    }
    return pair != NULL &&
           (emu_slot_attr(p, op, ACCFLY_relu) == 0 || pair->relu_code >= 0);
}
