/* fixpipe.c: results of the matrix unit from L0C to memory (cube-quant 8 and 12) for
 * compiled kernels, by pieces of many rows of 16 channels. */
#include <stdio.h>
#include <string.h>

#include "rules/l0c_move.h"
#include "rules/fixpipe.h"
#include "num/deq.h"
#include "ops/internal.h"

enum {
    CHANNELS = DEQ_CHANNELS,
    PIECE_ROWS = 64,
    PIECE_BYTES = PIECE_ROWS * CHANNELS * 4
};

static int64_t
value(const OpCall *c, int slot)
{
    return c->in.args[slot].v;
}

static Dtype
dtype(const OpCall *c, int slot)
{
    return c->in.args[slot].t.dtype;
}

static int64_t
least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Gives how results are written, in runs of whole elements. Returns false with the fault
 * filled. */
static bool
writes(OpCall *c, int64_t run, AtomicWrite *w)
{
    *w = (AtomicWrite){.on = false};
    return c->in.args[FIXA_dst].t.scope != SC_GM ||
           ops_write_mode(c, FIXA_dst, SC_L0C, run, w);
}

static inline void
put(const AtomicWrite *w, uint8_t *dst, const uint8_t *src, int64_t n)
{
    OpRuns run = {.dst = dst, .src = src, .n = 1, .len = n};
    if (w->on) {
        ops_write_runs(w, &run);
    } else {
        memcpy(dst, src, (size_t)n);
    }
}

/* ---- by blocks ----------------------------------------------------------- */

typedef struct Blocks {
    NumDeq deq;
    int64_t row_in, row_out; /* bytes */
    int add;
    bool relu;
    AtomicWrite write;
} Blocks;

/* Sets the multipliers of block j: one number for all, 16 float16 for all blocks, or 16
 * numbers for each block. */
static void
multipliers(const OpCall *c, NumDeq *deq, bool vector, int64_t j)
{
    uint64_t words[CHANNELS];
    uint16_t halves[CHANNELS];
    uint32_t floats[CHANNELS];
    const uint8_t *at = vector ? c->at[FIXA_mode_param] : NULL;
    if (!vector) {
        words[0] = (uint64_t)value(c, FIXA_mode_param) & 0xffffffffu;
        num_deq_words(deq, words, 1, false);
    } else if (dtype(c, FIXA_mode_param) == DT_F16) {
        memcpy(halves, at, sizeof halves);
        num_deq_halves(deq, halves, CHANNELS);
    } else if (dtype(c, FIXA_mode_param) == DT_F32) {
        memcpy(floats, at + 64 * j, sizeof floats);
        for (int i = 0; i < CHANNELS; i++) {
            words[i] = floats[i];
        }
        num_deq_words(deq, words, CHANNELS, false);
    } else {
        memcpy(words, at + 128 * j, sizeof words);
        num_deq_words(deq, words, CHANNELS, true);
    }
}

/* Converts rows of a block. other is the bias of the block, or the elements that are
 * added. */
static void
piece(const Blocks *b, uint8_t *dst, const uint8_t *src, const uint8_t *other,
      int64_t rows)
{
    uint8_t in[PIECE_BYTES], out[PIECE_BYTES], last[PIECE_BYTES];
    NumDeq relu = {
        .src = b->deq.dst, .dst = b->deq.dst, .relu = true, .keep = b->deq.keep};
    if (b->add == 1) {
        memcpy(in, src, (size_t)(rows * b->row_in));
        for (int64_t q = 0; q < rows; q++) {
            num_deq_add(b->deq.src, false, b->deq.keep, in + q * b->row_in, other,
                        CHANNELS);
        }
        src = in;
    }
    uint8_t *end = b->write.on ? last : dst;
    uint8_t *to = b->relu ? out : end;
    num_deq(&b->deq, to, src, rows * CHANNELS);
    if (b->add == 2) {
        num_deq_add(b->deq.dst, false, b->deq.keep, to, other, rows * CHANNELS);
    }
    if (b->relu) {
        num_deq(&relu, end, out, rows * CHANNELS);
    }
    if (b->write.on) {
        put(&b->write, dst, last, rows * b->row_out);
    }
}

bool
ops_fix_blocks(OpCall *c)
{
    Form form = op_table[c->in.op].form;
    bool vector = form == FORM_FIXV || form == FORM_FIXVA;
    Dtype from = dtype(c, FIXA_src), to = dtype(c, FIXA_dst);
    int64_t rows = fix_rows(value(c, FIXA_burst_len), from);
    Blocks b = {.deq = {.src = num_type(from),
                        .dst = num_type(to),
                        .scale = value(c, FIXA_quantize) == 2,
                        .keep = chosen(c->in.choices, CHOICE_ACC_OVERFLOW) ==
                                CHOSE_ACC_OVERFLOW_KEEP},
                .row_in = (int64_t)CHANNELS * dtype_size(from),
                .row_out = (int64_t)CHANNELS * dtype_size(to),
                .relu = value(c, FIXA_relu) != 0};
    b.add = form == FORM_FIXA || form == FORM_FIXVA ? (int)value(c, FIXA_add) : 0;
    if (!check_fix_burst(from, value(c, FIXA_burst_len), &c->fault) ||
        !writes(c, b.row_out, &b.write)) {
        return false;
    }
    int64_t src_rows = (rows + 15) / 16 * 16 + 16 * value(c, FIXA_src_stride);
    for (int64_t j = 0; j < value(c, FIXA_cburst_num); j++) {
        const uint8_t *src = c->at[FIXA_src] + j * src_rows * b.row_in;
        uint8_t *dst = c->at[FIXA_dst] +
                       j * (rows * b.row_out + value(c, FIXA_dst_stride) * BLOCK_BYTES);
        if (b.deq.scale) {
            multipliers(c, &b.deq, vector, j);
        }
        for (int64_t q = 0; q < rows; q += PIECE_ROWS) {
            const uint8_t *other = NULL;
            if (b.add != 0) {
                other = c->at[FIXA_other] +
                        (b.add == 1 ? j * b.row_in : (j * rows + q) * b.row_out);
            }
            piece(&b, dst + q * b.row_out, src + q * b.row_in, other,
                  least(rows - q, PIECE_ROWS));
        }
    }
    return true;
}

/* ---- by columns ---------------------------------------------------------- */

typedef struct Columns {
    const OpCall *c;
    NumDeq deq;
    int64_t size; /* bytes of a result */
    AtomicWrite write;
    bool vector;
} Columns;

/* Warns deq-reserved of words from column first on that were no literals. */
static void
warn_words(OpCall *c, const Columns *x, const uint64_t *words, int n, int64_t first)
{
    char name[32] = "deq_scalar";
    Fault fault;
    if (c->warn == NULL || (!x->vector && c->in.args[FIXC_deq].literal)) {
        return;
    }
    for (int i = 0; i < n; i++) {
        if (x->vector) {
            snprintf(name, sizeof name, "deq[%lld]", (long long)(first + i));
        }
        if (!check_word_reserved(words[i], FIXC_deq, name, &fault)) {
            c->warn(c->ctx, &fault);
            return;
        }
    }
}

/* Sets the words of column block k. The last block may have fewer columns. */
static bool
column_words(OpCall *c, Columns *x, int64_t k)
{
    uint64_t words[CHANNELS];
    int n = x->vector ? (int)least(value(c, FIXC_n_size) - k * CHANNELS, CHANNELS) : 1;
    if (x->vector) {
        memcpy(words, c->at[FIXC_deq] + k * CHANNELS * 8, (size_t)n * 8);
    } else {
        words[0] = (uint64_t)value(c, FIXC_deq);
    }
    for (int i = 0; x->size == 1 && i < n; i++) {
        if (!check_pack_sign(words[i], dtype(c, FIXC_dst), &c->fault)) {
            return false;
        }
    }
    warn_words(c, x, words, n, k * CHANNELS);
    for (int i = n; i < CHANNELS; i++) {
        words[i] = words[n - 1];
    }
    num_deq_words(&x->deq, words, CHANNELS, false);
    x->deq.shift = x->deq.shift && x->size == 1 && dtype(c, FIXC_src) == DT_S32;
    return true;
}

/* Writes the rows of a piece, from row j of column block k on. */
static void
put_rows(const Columns *x, uint8_t *dst, const uint8_t *rows, int64_t k, int64_t j,
         int64_t n)
{
    const int64_t pitch = value(x->c, FIXC_dst_stride), size = x->size;
    const int64_t columns = least(value(x->c, FIXC_n_size) - k * CHANNELS, CHANNELS);
    for (int64_t q = 0; q < n; q++) {
        const uint8_t *row = rows + q * CHANNELS * size;
        if (value(x->c, FIXC_nd)) {
            put(&x->write, dst + ((j + q) * pitch + k * CHANNELS) * size, row,
                columns * size);
        } else if (value(x->c, FIXC_split)) {
            uint8_t *at = dst + 2 * k * pitch * BLOCK_BYTES + (j + q) * BLOCK_BYTES;
            put(&x->write, at, row, BLOCK_BYTES);
            if (columns > 8) {
                put(&x->write, at + pitch * BLOCK_BYTES, row + BLOCK_BYTES, BLOCK_BYTES);
            }
        } else if (size == 1) {
            put(&x->write, dst + (k / 2 * pitch + j + q) * BLOCK_BYTES + k % 2 * CHANNELS,
                row, CHANNELS);
        } else {
            put(&x->write, dst + k * pitch * BLOCK_BYTES + (j + q) * CHANNELS * size, row,
                CHANNELS * size);
        }
    }
}

static void
column_block(const Columns *x, uint8_t *dst, const uint8_t *src, int64_t k)
{
    uint8_t rows[PIECE_BYTES];
    const int64_t m = value(x->c, FIXC_m_size);
    src += k * value(x->c, FIXC_src_stride) * CHANNELS * 4;
    for (int64_t j = 0; j < m; j += PIECE_ROWS) {
        int64_t n = least(m - j, PIECE_ROWS);
        num_deq(&x->deq, rows, src + j * CHANNELS * 4, n * CHANNELS);
        put_rows(x, dst, rows, k, j, n);
    }
}

bool
ops_fix_columns(OpCall *c)
{
    FixMode mode = (FixMode)value(c, FIXC_quant_pre);
    bool scale = fix_mode_scales(mode), relu = value(c, FIXC_relu) != 0;
    bool nd = value(c, FIXC_nd) != 0;
    Columns x = {.c = c,
                 .deq = {.src = num_type(dtype(c, FIXC_src)),
                         .dst = num_type(dtype(c, FIXC_dst)),
                         .scale = scale,
                         .gate = scale && relu,
                         .relu = !scale && relu,
                         .keep = chosen(c->in.choices, CHOICE_ACC_OVERFLOW) ==
                                 CHOSE_ACC_OVERFLOW_KEEP},
                 .size = dtype_size(dtype(c, FIXC_dst)),
                 .vector = fix_mode_is_vector(mode)};
    if (!check_fix_columns(nd, value(c, FIXC_split) != 0, value(c, FIXC_n_size),
                           value(c, FIXC_src_stride), &c->fault) ||
        !writes(c, x.size, &x.write)) {
        return false;
    }
    for (int64_t i = 0; i < (nd ? value(c, FIXC_nd_num) : 1); i++) {
        const uint8_t *src = c->at[FIXC_src] + i * value(c, FIXC_src_nd_stride) * 1024;
        uint8_t *dst = c->at[FIXC_dst] + i * value(c, FIXC_dst_nd_stride) * x.size;
        for (int64_t k = 0; k * CHANNELS < value(c, FIXC_n_size); k++) {
            if (scale && !column_words(c, &x, k)) {
                return false;
            }
            column_block(&x, dst, src, k);
        }
    }
    return true;
}
