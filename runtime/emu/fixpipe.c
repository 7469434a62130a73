/* fixpipe.c: results of the matrix unit from L0C to memory (cube-quant 8 and 12), row by
 * row of 16 channels. runtime/num/deq.h converts the elements of a row. */
#include "emu/emu.h"
#include "isa/operand.h"

#include <stdio.h>
#include <string.h>

#include "rules/l0c_move.h"
#include "rules/fixpipe.h"
#include "num/deq.h"

enum {
    ROW = DEQ_CHANNELS,
    ROW_BYTES = ROW * 4
};

static Dtype
dtype_of(const EmuRun *r, const EmuOp *op, int slot)
{
    return emu_slot_ref(r->p, op, slot)->dtype;
}

/* Returns whether infinity and NaN stay in float16. */
static bool
keeps(const EmuRun *r)
{
    return chosen(&r->p->kernel.choices, CHOICE_ACC_OVERFLOW) == CHOSE_ACC_OVERFLOW_KEEP;
}

/* Gives how results are written, in runs of whole elements. Returns false when it
 * recorded a fault. */
static bool
writes(EmuRun *r, const EmuOp *op, int64_t run, AtomicWrite *w)
{
    const EmuRef *dst = emu_slot_ref(r->p, op, FIXA_dst);
    *w = (AtomicWrite){.on = false};
    return r->p->kernel.regions[dst->region].scope != SC_GM ||
           emu_write_mode(r, op, FIXA_dst, SC_L0C, run, w);
}

/* ---- by blocks ----------------------------------------------------------- */

typedef struct Blocks {
    int64_t n, rows, src_pitch, dst_pitch; /* bytes from block to block */
    int src_row, dst_row;                  /* bytes of a row */
    int add;
    uint8_t *dst;
    const uint8_t *src, *scale, *other;
    bool relu;
    NumDeq deq;
    AtomicWrite write;
} Blocks;

static void
blocks_numbers(const EmuRun *r, const EmuOp *op, Blocks *b)
{
    Dtype from = dtype_of(r, op, FIXA_src), to = dtype_of(r, op, FIXA_dst);
    Form form = op_table[op->op].form;
    int64_t len = emu_slot(r, op, FIXA_burst_len);
    int64_t dst_stride = emu_slot(r, op, FIXA_dst_stride);
    int64_t src_stride = emu_slot(r, op, FIXA_src_stride);
    b->n = emu_slot(r, op, FIXA_cburst_num);
    b->rows = fix_rows(len, from);
    b->src_row = ROW * dtype_size(from);
    b->dst_row = ROW * dtype_size(to);
    b->src_pitch = ((b->rows + ROW - 1) / ROW + src_stride) * ROW * b->src_row;
    b->dst_pitch = b->rows * b->dst_row + dst_stride * BLOCK_BYTES;
    b->relu = emu_slot_attr(r->p, op, FIXA_relu) != 0;
    b->add = form == FORM_FIXA || form == FORM_FIXVA
                 ? (int)emu_slot_attr(r->p, op, FIXA_add)
                 : 0;
    b->deq = (NumDeq){.dst = num_type(to),
                      .src = num_type(from),
                      .scale = emu_slot_attr(r->p, op, FIXA_quantize) == 2,
                      .keep = keeps(r)};
}

static bool
blocks_tensors(const EmuRun *r, const EmuOp *op, Blocks *b)
{
    Form form = op_table[op->op].form;
    int64_t rows = b->rows * b->dst_row;
    b->src =
        emu_operand(r, op, FIXA_src, (b->n - 1) * b->src_pitch + b->rows * b->src_row);
    b->dst = emu_operand(r, op, FIXA_dst, (b->n - 1) * b->dst_pitch + rows);
    bool ok = b->src != NULL && b->dst != NULL;
    if (form == FORM_FIXV || form == FORM_FIXVA) {
        int64_t size = dtype_size(dtype_of(r, op, FIXA_mode_param));
        b->scale = emu_operand(r, op, FIXA_mode_param,
                               size == 2 ? ROW * size : b->n * ROW * size);
        ok = ok && b->scale != NULL;
    }
    if (b->add != 0) {
        int64_t bytes = b->add == 1 ? b->n * b->src_row : b->n * rows;
        b->other = emu_operand(r, op, FIXA_other, bytes);
        ok = ok && b->other != NULL;
    }
    return ok;
}

/* Sets the multipliers of block j. */
static void
blocks_scale(const EmuRun *r, const EmuOp *op, Blocks *b, int64_t j)
{
    uint64_t word[ROW] = {0};
    if (b->scale == NULL) {
        word[0] = (uint64_t)emu_slot(r, op, FIXA_mode_param) & UINT32_MAX;
        num_deq_words(&b->deq, word, 1, false);
        return;
    }
    uint16_t half[ROW];
    uint32_t single[ROW];
    switch (dtype_of(r, op, FIXA_mode_param)) {
    case DT_F16:
        memcpy(half, b->scale, sizeof half);
        num_deq_halves(&b->deq, half, ROW);
        return;
    case DT_F32:
        memcpy(single, b->scale + j * (int64_t)sizeof single, sizeof single);
        for (int c = 0; c < ROW; c++) {
            word[c] = single[c];
        }
        num_deq_words(&b->deq, word, ROW, false);
        return;
    default:
        memcpy(word, b->scale + j * (int64_t)sizeof word, sizeof word);
        num_deq_words(&b->deq, word, ROW, true);
        return;
    }
}

static void
blocks_row(const Blocks *b, int64_t j, int64_t row)
{
    uint8_t in[ROW_BYTES], out[ROW_BYTES], rectified[ROW_BYTES];
    NumDeq relu = {
        .dst = b->deq.dst, .src = b->deq.dst, .relu = true, .keep = b->deq.keep};
    memcpy(in, b->src + j * b->src_pitch + row * b->src_row, (size_t)b->src_row);
    if (b->add == 1) {
        num_deq_add(b->deq.src, false, b->deq.keep, in, b->other + j * b->src_row, ROW);
    }
    num_deq(&b->deq, out, in, ROW);
    if (b->add == 2) {
        num_deq_add(b->deq.dst, false, b->deq.keep, out,
                    b->other + (j * b->rows + row) * b->dst_row, ROW);
    }
    if (b->relu) {
        num_deq(&relu, rectified, out, ROW);
        memcpy(out, rectified, sizeof out);
    }
    emu_write(&b->write, b->dst + j * b->dst_pitch + row * b->dst_row, out, b->dst_row);
}

bool
emu_exec_fix_blocks(EmuRun *r, const EmuOp *op)
{
    Blocks b = {.n = 0};
    Fault f;
    if (!emu_begin(r, op)) {
        return false;
    }
    blocks_numbers(r, op, &b);
    if (!check_fix_burst(dtype_of(r, op, FIXA_src), emu_slot(r, op, FIXA_burst_len),
                         &f)) {
        return emu_record(r, op, &f);
    }
    if (!blocks_tensors(r, op, &b)) {
        return emu_refuse(r, op);
    }
    if (!writes(r, op, b.dst_row, &b.write)) {
        return false;
    }
    for (int64_t j = 0; j < b.n; j++) {
        if (b.deq.scale) {
            blocks_scale(r, op, &b, j);
        }
        for (int64_t row = 0; row < b.rows; row++) {
            blocks_row(&b, j, row);
        }
    }
    return true;
}

/* ---- by columns ---------------------------------------------------------- */

typedef struct Columns {
    int64_t n, m, src_stride, dst_stride, nd_num, nd_src, nd_dst;
    int from, to; /* bytes of an element */
    bool nd, split, relu;
    FixMode mode;
    uint8_t *dst;
    const uint8_t *src, *words;
    NumDeq deq;
    AtomicWrite write;
} Columns;

static void
columns_numbers(const EmuRun *r, const EmuOp *op, Columns *c)
{
    Dtype from = dtype_of(r, op, FIXC_src), to = dtype_of(r, op, FIXC_dst);
    c->n = emu_slot(r, op, FIXC_n_size);
    c->m = emu_slot(r, op, FIXC_m_size);
    c->src_stride = emu_slot(r, op, FIXC_src_stride);
    c->dst_stride = emu_slot(r, op, FIXC_dst_stride);
    c->nd_num = emu_slot(r, op, FIXC_nd_num);
    c->nd_src = emu_slot(r, op, FIXC_src_nd_stride);
    c->nd_dst = emu_slot(r, op, FIXC_dst_nd_stride);
    c->nd = emu_slot_attr(r->p, op, FIXC_nd) != 0;
    c->split = emu_slot_attr(r->p, op, FIXC_split) != 0;
    c->relu = emu_slot_attr(r->p, op, FIXC_relu) != 0;
    c->mode = (FixMode)emu_slot_attr(r->p, op, FIXC_quant_pre);
    c->from = dtype_size(from);
    c->to = dtype_size(to);
    c->nd_num = c->nd ? c->nd_num : 1;
    c->deq = (NumDeq){.dst = num_type(to),
                      .src = num_type(from),
                      .scale = fix_mode_scales(c->mode),
                      .gate = fix_mode_scales(c->mode) && c->relu,
                      .relu = !fix_mode_scales(c->mode) && c->relu,
                      .keep = keeps(r)};
}

/* Returns where the 8 or 16 results of row j from column k on begin. */
static int64_t
columns_at(const Columns *c, int64_t nd, int64_t j, int64_t k)
{
    int64_t block = k / ROW;
    if (c->nd) {
        return (nd * c->nd_dst + j * c->dst_stride + k) * c->to;
    }
    if (c->split) {
        return k / 8 * c->dst_stride * BLOCK_BYTES + j * BLOCK_BYTES;
    }
    if (c->to == 1) {
        return block / 2 * c->dst_stride * BLOCK_BYTES + j * BLOCK_BYTES +
               block % 2 * ROW;
    }
    return block * c->dst_stride * BLOCK_BYTES + j * ROW * c->to;
}

static bool
columns_tensors(const EmuRun *r, const EmuOp *op, Columns *c)
{
    int64_t last = (c->n - 1) / ROW, row = ROW * (int64_t)c->from;
    int64_t step = c->split ? 8 : ROW;
    int64_t first = (c->n - 1) / step * step;
    int64_t results = c->nd ? c->n - first : step;
    int64_t end = columns_at(c, c->nd_num - 1, c->m - 1, first) + results * c->to;
    int64_t before = c->to == 1 && !c->nd && first >= 2 * ROW && first % (2 * ROW) == 0
                         ? columns_at(c, 0, c->m - 1, first - ROW) + ROW
                         : 0;
    c->src = emu_operand(r, op, FIXC_src,
                         (c->nd_num - 1) * c->nd_src * ROW * row +
                             (last * c->src_stride + c->m) * row);
    c->dst = emu_operand(r, op, FIXC_dst, end > before ? end : before);
    c->words = NULL;
    if (op_table[op->op].form == FORM_FIXCV) {
        c->words = emu_operand(r, op, FIXC_deq, c->n * 8);
        return c->src != NULL && c->dst != NULL && c->words != NULL;
    }
    return c->src != NULL && c->dst != NULL;
}

/* Sets the word of column i. */
static void
warn_word(EmuRun *r, const EmuOp *op, const Columns *c, int64_t i, uint64_t word)
{
    EmuSite site = {r, op};
    char name[32] = "deq_scalar";
    Fault f;
    if (r->warned == NULL || (c->words == NULL && (op->literals >> FIXC_deq & 1))) {
        return;
    }
    if (c->words != NULL) {
        snprintf(name, sizeof name, "deq[%lld]", (long long)i);
    }
    if (!check_word_reserved(word, FIXC_deq, name, &f)) {
        emu_warn(&site, &f);
    }
}

/* Sets the words of the columns from k on; those after the last one are equal to it. */
static bool
columns_words(EmuRun *r, const EmuOp *op, Columns *c, int64_t k)
{
    uint64_t word[ROW];
    bool narrow = c->to == 1;
    Fault f;
    for (int i = 0; i < ROW; i++) {
        int64_t at = k + i < c->n ? k + i : c->n - 1;
        if (c->words != NULL) {
            memcpy(&word[i], c->words + at * 8, sizeof word[i]);
        } else {
            word[i] = (uint64_t)emu_slot(r, op, FIXC_deq);
        }
        if (narrow && !check_pack_sign(word[i], dtype_of(r, op, FIXC_dst), &f)) {
            return emu_record(r, op, &f);
        }
        warn_word(r, op, c, at, word[i]);
    }
    num_deq_words(&c->deq, word, ROW, false);
    c->deq.shift = c->deq.shift && narrow && dtype_of(r, op, FIXC_src) == DT_S32;
    return true;
}

static void
columns_row(const Columns *c, int64_t nd, int64_t j, int64_t k)
{
    uint8_t row[ROW_BYTES];
    int64_t element = nd * c->nd_src * 256 + (k / ROW * c->src_stride + j) * ROW;
    int64_t n = c->n - k < ROW ? c->n - k : ROW;
    num_deq(&c->deq, row, c->src + element * c->from, ROW);
    if (c->split) {
        for (int64_t i = 0; i < n; i += 8) {
            emu_write(&c->write, c->dst + columns_at(c, nd, j, k + i), row + i * c->to,
                      BLOCK_BYTES);
        }
        return;
    }
    emu_write(&c->write, c->dst + columns_at(c, nd, j, k), row, n * c->to);
}

bool
emu_exec_fix_columns(EmuRun *r, const EmuOp *op)
{
    Columns c;
    Fault f;
    if (!emu_begin(r, op)) {
        return false;
    }
    columns_numbers(r, op, &c);
    if (!columns_tensors(r, op, &c)) {
        return emu_refuse(r, op);
    }
    if (!check_fix_columns(c.nd, c.split, c.n, c.src_stride, &f)) {
        return emu_record(r, op, &f);
    }
    if (!writes(r, op, c.to, &c.write)) {
        return false;
    }
    for (int64_t nd = 0; nd < c.nd_num; nd++) {
        for (int64_t k = 0; k < c.n; k += ROW) {
            if (c.deq.scale && !columns_words(r, op, &c, k)) {
                return false;
            }
            for (int64_t j = 0; j < c.m; j++) {
                columns_row(&c, nd, j, k);
            }
        }
    }
    return true;
}

/* ---- binding ------------------------------------------------------------- */

/* Refuses conversions that do not exist, which a blob may have that was not verified. */
static bool
converts(const EmuProgram *p, const EmuOp *op, bool scale)
{
    NumDeq d = {.dst = num_type(emu_slot_ref(p, op, FIXA_dst)->dtype),
                .src = num_type(emu_slot_ref(p, op, FIXA_src)->dtype),
                .scale = scale};
    return num_deq_exists(&d);
}

bool
emu_bind_fixblocks(EmuProgram *p, EmuOp *op, const char **why)
{
    *why = "fixpipe has no such conversion";
    Dtype to = emu_slot_ref(p, op, FIXA_dst)->dtype;
    return converts(p, op, emu_slot_attr(p, op, FIXA_quantize) == 2) &&
           (to == DT_F32 || to == DT_S32 || to == DT_F16);
}

bool
emu_bind_fixcolumns(EmuProgram *p, EmuOp *op, const char **why)
{
    int64_t mode = emu_slot_attr(p, op, FIXC_quant_pre);
    bool vector = op_table[op->op].form == FORM_FIXCV;
    Dtype from = emu_slot_ref(p, op, FIXC_src)->dtype,
          to = emu_slot_ref(p, op, FIXC_dst)->dtype;
    *why = "fixpipe has no such conversion";
    return mode >= 0 && mode < FIX_MODES && vector == fix_mode_is_vector((FixMode)mode) &&
           converts(p, op, fix_mode_scales((FixMode)mode)) && dtype_size(from) == 4 &&
           to != DT_U32 && to != DT_S16 &&
           (emu_slot_attr(p, op, FIXC_split) == 0 || dtype_size(to) == 4);
}
