/* l0c_move.c: moves out of and into L0C (data-movement 6, cube-quant 9 and 10) for
 * compiled kernels.
 *
 * A burst is converted in pieces of many rows of 16 channels: in place if results are as
 * contiguous as elements, else through a small buffer. */
#include <string.h>

#include "rules/l0c_move.h"
#include "num/deq.h"
#include "ops/finish.h"
#include "ops/internal.h"

enum {
    CHANNELS = DEQ_CHANNELS,
    PIECE_ROWS = 128,
    PIECE = PIECE_ROWS * CHANNELS
};

typedef struct Move {
    const CheckArg *args;
    BlockMode mode;
    AccScale scale;
    Dtype from, to;
    int64_t rows;   /* rows of a burst */
    int fly;        /* 0, 1 add, 2 subtract */
    bool scattered; /* rows of results have gaps between them */
    bool gathered;  /* rows of L0C are not contiguous */
    bool high;      /* 8-bit results go to the second half of blocks */
    NumDeq deq;
    AtomicWrite w; /* to global memory */
} Move;

static int64_t
operand(const Move *m, int slot)
{
    return m->args[slot].v;
}

/* ---- parameters ---------------------------------------------------------- */

/* Warns of words that were no literals. */
static bool
words_good(OpCall *c, const AccUse *use, const uint64_t *words, int n, int64_t first)
{
    if (!check_acc_words(use, words, n, first, &c->fault)) {
        return false;
    }
    if (c->warn != NULL && (n > 1 || !c->in.args[ACCFLY_deqscale].literal)) {
        check_acc_word_warnings(use, words, n, first, c->warn, c->ctx);
    }
    return true;
}

/* Sets the words of burst i. */
static bool
load_words(OpCall *c, Move *m, int64_t i)
{
    const AccUse use = {m->scale, m->to, operand(m, ACCFLY_relu) != 0};
    uint64_t words[CHANNELS];
    if (!acc_scale_is_vector(m->scale)) {
        words[0] = (uint64_t)operand(m, ACCFLY_deqscale);
        m->deq.relu = use.relu || words[0] >> 47 & 1;
        num_deq_words(&m->deq, words, 1, true);
        return words_good(c, &use, words, 1, 0);
    }
    memcpy(words, c->at[ACCFLY_deqscale] + 128 * i, sizeof words);
    num_deq_words(&m->deq, words, m->mode == BLOCK_SC ? 4 : CHANNELS, true);
    return words_good(c, &use, words, CHANNELS, CHANNELS * i);
}

static bool
load_parameters(OpCall *c, Move *m, int64_t i)
{
    uint16_t halves[CHANNELS];
    if (m->scale == SCALE_NONE) {
        return true;
    }
    if (m->scale == SCALE_DEQ) {
        halves[0] = (uint16_t)operand(m, ACCFLY_deqscale);
        num_deq_halves(&m->deq, halves, 1);
        return true;
    }
    if (m->scale == SCALE_VDEQ) {
        memcpy(halves,
               c->at[ACCFLY_deqscale] + acc_vector_step(m->scale, c->in.choices) * i,
               sizeof halves);
        num_deq_halves(&m->deq, halves, m->mode == BLOCK_SC ? 4 : CHANNELS);
        return true;
    }
    return load_words(c, m, i);
}

/* ---- pieces -------------------------------------------------------------- */

/* Collects row 0 of fractals. */
static const uint8_t *
gather_rows(const Move *m, uint8_t *buf, const uint8_t *src, int64_t rows)
{
    const int64_t row = (int64_t)CHANNELS * dtype_size(m->from);
    for (int64_t q = 0; q < rows; q++) {
        memcpy(buf + q * row, src + q * CHANNELS * row, (size_t)row);
    }
    return buf;
}

/* Writes the rows from first on in block mode dp: halves of rows go to halves of the
 * destination. */
static void
split_rows(const Move *m, uint8_t *burst, const uint8_t *rows, int64_t first, int64_t n)
{
    const int64_t half = (int64_t)CHANNELS / 2 * dtype_size(m->to);
    uint8_t *low = burst + first * half;
    uint8_t *high = low + m->rows * half + operand(m, ACCFLY_dst_stride) * BLOCK_BYTES;
    for (int64_t q = 0; q < n; q++) {
        memcpy(low + q * half, rows + 2 * q * half, (size_t)half);
        memcpy(high + q * half, rows + (2 * q + 1) * half, (size_t)half);
    }
}

/* Writes rows of 8-bit results to one half of each block. */
static void
half_blocks(const Move *m, uint8_t *burst, const uint8_t *rows, int64_t first, int64_t n)
{
    uint8_t *to = burst + first * BLOCK_BYTES;
    to += m->high ? CHANNELS : 0;
    for (int64_t q = 0; q < n; q++) {
        memcpy(to + q * BLOCK_BYTES, rows + q * CHANNELS, CHANNELS);
    }
}

static void
out_piece(const Move *m, uint8_t *burst, const uint8_t *src, const uint8_t *other,
          int64_t first, int64_t n)
{
    uint8_t in[PIECE * 4], result[PIECE * 4];
    const int64_t row_from = (int64_t)CHANNELS * dtype_size(m->from);
    const int64_t row_to = (int64_t)CHANNELS * dtype_size(m->to);
    bool aside = m->scattered || m->w.on;
    uint8_t *to = aside ? result : burst + first * row_to;
    src += first * row_from * (m->gathered ? CHANNELS : 1);
    if (m->gathered) {
        src = gather_rows(m, in, src, n);
    }
    num_deq(&m->deq, to, src, n * CHANNELS);
    if (m->fly != 0) {
        num_deq_add(m->deq.dst, m->fly == 2, m->deq.keep, to, other + first * row_to,
                    n * CHANNELS);
    }
    if (m->scattered && m->mode == BLOCK_DP) {
        split_rows(m, burst, result, first, n);
    } else if (m->scattered) {
        half_blocks(m, burst, result, first, n);
    } else if (m->w.on) {
        const OpRuns run = {burst + first * row_to, result, 1, n * row_to, 0, 0};
        ops_write_runs(&m->w, &run);
    }
}

/* Moves into row 0 of fractals, or into whole ones. */
static void
into_burst(const Move *m, uint8_t *dst, const uint8_t *src)
{
    const int64_t row_from = (int64_t)CHANNELS * dtype_size(m->from);
    const int64_t row_to = (int64_t)CHANNELS * dtype_size(m->to);
    if (!m->gathered) {
        num_deq(&m->deq, dst, src, m->rows * CHANNELS);
        return;
    }
    for (int64_t q = 0; q < m->rows; q++) {
        num_deq(&m->deq, dst + q * CHANNELS * row_to, src + q * row_from, CHANNELS);
    }
}

static void
out_burst(const Move *m, uint8_t *dst, const uint8_t *src, const uint8_t *other)
{
    for (int64_t q = 0; q < m->rows; q += PIECE_ROWS) {
        int64_t n = m->rows - q < PIECE_ROWS ? m->rows - q : PIECE_ROWS;
        out_piece(m, dst, src, other, q, n);
    }
}

/* ---- the instruction ----------------------------------------------------- */

static Move
move_of(const OpCall *c)
{
    Form form = op_table[c->in.op].form;
    Move m = {.args = c->in.args,
              .mode = (BlockMode)c->in.args[ACCFLY_block_mode].v,
              .scale = (AccScale)c->in.args[ACCFLY_deq_mode].v,
              .from = c->in.args[ACCFLY_src].t.dtype,
              .to = c->in.args[ACCFLY_dst].t.dtype};
    bool fly = form == FORM_ACCFLY || form == FORM_ACCVFLY;
    m.fly = fly ? (int)operand(&m, ACCFLY_onthefly_mode) : 0;
    m.gathered = m.mode == BLOCK_V &&
                 chosen(c->in.choices, CHOICE_VECTOR_ROWS) == CHOSE_VECTOR_ROWS_FRACTALS;
    m.high = acc_high_half(operand(&m, ACCFLY_sid_store_mode), c->in.choices);
    m.scattered = m.mode == BLOCK_DP ||
                  (dtype_size(m.to) == 1 && operand(&m, ACCFLY_sid_store_mode) != 2);
    m.deq = (NumDeq){.dst = num_type(m.to),
                     .src = num_type(m.from),
                     .scale = m.scale != SCALE_NONE && m.to != DT_S16,
                     .relu = operand(&m, ACCFLY_relu) != 0};
    num_deq_choose(&m.deq, c->in.choices);
    return m;
}

bool
ops_acc_move(OpCall *c)
{
    Move m = move_of(c);
    bool out = c->in.args[ACCFLY_src].t.scope == SC_L0C;
    int64_t len = operand(&m, ACCFLY_burst_len), sid = operand(&m, ACCFLY_sid_store_mode);
    AccUnits u = acc_units(m.mode, out ? m.from : m.to, out ? m.to : m.from, sid,
                           m.mode == BLOCK_V && !m.gathered);
    int64_t src_gap = operand(&m, ACCFLY_src_stride) * (out ? u.gap : BLOCK_BYTES);
    int64_t dst_gap = operand(&m, ACCFLY_dst_stride) * (out ? BLOCK_BYTES : u.gap);
    int64_t src_pitch = len * (out ? u.acc : u.out) + src_gap;
    int64_t dst_pitch = len * (out ? u.out : u.acc) + dst_gap;
    m.rows = len * u.elems / CHANNELS;
    if (!check_acc_lengths(m.mode, m.to, sid, operand(&m, ACCFLY_nburst), len,
                           &c->fault)) {
        return false;
    }
    if (c->in.op == OP_TENSOR_MOV_OUT &&
        !ops_write_mode(c, ACCFLY_dst, SC_L0C, dtype_size(m.to), &m.w)) {
        return false;
    }
    for (int64_t i = 0; i < operand(&m, ACCFLY_nburst); i++) {
        uint8_t *dst = c->at[ACCFLY_dst] + i * dst_pitch;
        const uint8_t *src = c->at[ACCFLY_src] + i * src_pitch;
        if (!load_parameters(c, &m, i)) {
            return false;
        }
        if (out) {
            out_burst(&m, dst, src,
                      m.fly ? c->at[ACCFLY_src_onthefly] + i * len * u.out : NULL);
        } else {
            into_burst(&m, dst, src);
        }
    }
    return true;
}

/* Of moves by conversion code: 0 keeps the bits, 1 narrows, 2 and 5 are these with relu
 * (isa.h). */
static NumDeq
deq_of_code(const CheckArg *a)
{
    return (NumDeq){.dst = num_type(a[MOVE_dst].t.dtype),
                    .src = num_type(a[MOVE_src].t.dtype),
                    .relu = a[MOVE_mode].v == 2 || a[MOVE_mode].v == 5};
}

bool
ops_finish_deq(OpCall *c, int64_t burst, NumDeq *out)
{
    if (op_table[c->in.op].sem != SEM_ACC_MOVE) {
        *out = deq_of_code(c->in.args);
        return true;
    }
    Move m = move_of(c);
    bool ok = load_parameters(c, &m, burst);
    *out = m.deq;
    return ok;
}
