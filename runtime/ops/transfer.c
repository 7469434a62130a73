/* transfer.c: moves that pad, reorder or repeat what they move (data-movement 5, 7, 10),
 * for compiled kernels. Rows are copied in pieces of constant length, which become vector
 * moves. */
#include <string.h>

#include "rules/transfer.h"
#include "num/half.h"
#include "ops/internal.h"

static int64_t
number(const OpCall *c, int slot)
{
    return c->in.args[slot].v;
}

static int64_t
size_of(const OpCall *c, int slot)
{
    return dtype_size(c->in.args[slot].t.dtype);
}

/* ---- data_move_pad ------------------------------------------------------- */

/* A block, which may repeat one element. */
typedef struct Block {
    uint8_t bytes[BLOCK_BYTES];
} Block;

static Block
block_of(const void *element, int64_t size)
{
    Block b;
    for (int64_t i = 0; i < BLOCK_BYTES; i += size) {
        memcpy(b.bytes + i, element, (size_t)size);
    }
    return b;
}

typedef struct PadIn {
    int64_t n, burst, left,
        blocks; /* n bursts; sizes in bytes; blocks of a burst with its padding */
    int64_t dst_pitch, src_pitch, size;
    bool first; /* the rest of a block is filled with the first element of the burst */
    Block fill;
} PadIn;

static PadIn
pad_in_of(const OpCall *c)
{
    int64_t fill = number(c, PADMOVE_fill), value = number(c, PADMOVE_padding_value);
    int64_t padding = number(c, PADMOVE_left_padding) + number(c, PADMOVE_right_padding);
    PadIn m = {.n = number(c, PADMOVE_nburst),
               .burst = number(c, PADMOVE_burst),
               .size = size_of(c, PADMOVE_dst)};
    m.left = number(c, PADMOVE_left_padding) * m.size;
    m.blocks =
        (m.burst + padding * m.size + BLOCK_BYTES - 1) & ~(int64_t)(BLOCK_BYTES - 1);
    m.dst_pitch = m.blocks + number(c, PADMOVE_dst_gap) * BLOCK_BYTES;
    m.src_pitch = m.burst + number(c, PADMOVE_src_gap);
    m.first = fill != PAD_REGISTER && padding == 0;
    m.fill = fill == PAD_REGISTER ? block_of(c->sreg + SREG_PAD_VALUE, m.size)
                                  : block_of(&value, m.size);
    return m;
}

/* Makes the block of the first element; bytes of it that the burst does not have are
 * 0. */
static Block
first_of(const PadIn *m, const uint8_t *src)
{
    uint8_t element[8] = {0};
    memcpy(element, src, (size_t)(m->burst < m->size ? m->burst : m->size));
    return block_of(element, m->size);
}

/* Only the first and the last two blocks have bytes that are no data. */
static void
pad_burst(const PadIn *m, uint8_t *dst, const uint8_t *src)
{
    Block fill = m->first ? first_of(m, src) : m->fill;
    if (m->left > 0) {
        memcpy(dst, fill.bytes, BLOCK_BYTES);
    }
    if (m->blocks >= 2 * BLOCK_BYTES) {
        memcpy(dst + m->blocks - 2 * BLOCK_BYTES, fill.bytes, BLOCK_BYTES);
    }
    memcpy(dst + m->blocks - BLOCK_BYTES, fill.bytes, BLOCK_BYTES);
    memcpy(dst + m->left, src, (size_t)m->burst);
}

static void
pad_in(const OpCall *c)
{
    PadIn m = pad_in_of(c);
    uint8_t *dst = c->at[PADMOVE_dst];
    const uint8_t *src = c->at[PADMOVE_src];
    for (int64_t i = 0; i < m.n; i++, dst += m.dst_pitch, src += m.src_pitch) {
        pad_burst(&m, dst, src);
    }
}

static bool
pad_out(OpCall *c)
{
    AtomicWrite w;
    int64_t burst = number(c, PADMOVE_burst);
    OpRuns r = {.dst = c->at[PADMOVE_dst],
                .src = c->at[PADMOVE_src],
                .n = number(c, PADMOVE_nburst),
                .len = burst};
    r.dst_pitch = burst + number(c, PADMOVE_dst_gap);
    r.src_pitch = ((burst + BLOCK_BYTES - 1) / BLOCK_BYTES + number(c, PADMOVE_src_gap)) *
                  BLOCK_BYTES;
    if (!ops_write_mode(c, PADMOVE_dst, c->in.args[PADMOVE_src].t.scope, burst, &w)) {
        return false;
    }
    ops_write_runs(&w, &r);
    return true;
}

bool
ops_pad_move(OpCall *c)
{
    if (c->in.args[PADMOVE_dst].t.scope == SC_GM) {
        return pad_out(c);
    }
    pad_in(c);
    return true;
}

/* ---- rows to fractals and back ------------------------------------------- */

/* Copies n blocks. The last one of `from` may be shorter, of tail bytes. */
static void
scatter_row(uint8_t *to, int64_t step, const uint8_t *from, int64_t whole, int64_t tail)
{
    for (int64_t i = 0; i < whole; i++, to += step, from += BLOCK_BYTES) {
        memcpy(to, from, BLOCK_BYTES);
    }
    if (tail > 0) {
        uint8_t block[BLOCK_BYTES] = {0};
        memcpy(block, from, (size_t)tail);
        memcpy(to, block, BLOCK_BYTES);
    }
}

bool
ops_nd2nz(OpCall *c)
{
    int64_t size = size_of(c, PADMOVE_dst), row = number(c, ND2NZ_nd_d) * size;
    int64_t c0 = number(c, ND2NZ_dst_c0_stride) * BLOCK_BYTES;
    for (int64_t i = 0; i < number(c, ND2NZ_nd_num); i++) {
        uint8_t *dst = c->at[PADMOVE_dst] + i * number(c, ND2NZ_dst_nd_stride) * size;
        const uint8_t *src =
            c->at[PADMOVE_src] + i * number(c, ND2NZ_src_nd_stride) * size;
        for (int64_t r = 0; r < number(c, ND2NZ_nd_n); r++) {
            scatter_row(dst, c0, src, row / BLOCK_BYTES, row % BLOCK_BYTES);
            dst += number(c, ND2NZ_dst_n_stride) * BLOCK_BYTES;
            src += number(c, ND2NZ_src_n_stride) * size;
        }
    }
    return true;
}

/* Goes over the columns of fractals; the rows of each go to one column of dst. */
bool
ops_nz2nd(OpCall *c)
{
    AtomicWrite w;
    int64_t size = size_of(c, PADMOVE_dst), len = FRACTAL_COLS * size;
    int64_t src_nd = number(c, NZ2ND_src_nd_matrix_stride) * FRACTAL_ELEMS * size;
    OpRuns r = {.n = number(c, ND2NZ_nd_n), .len = len, .src_pitch = len};
    r.dst_pitch = number(c, NZ2ND_dst_d_stride) * size;
    if (number(c, ND2NZ_nd_num) > 0 &&
        !ops_write_mode(c, PADMOVE_dst, c->in.args[PADMOVE_src].t.scope, len, &w)) {
        return false;
    }
    for (int64_t i = 0; i < number(c, ND2NZ_nd_num); i++) {
        uint8_t *dst =
            c->at[PADMOVE_dst] + i * number(c, NZ2ND_dst_nd_matrix_stride) * size;
        for (int64_t g = 0; g < number(c, ND2NZ_nd_d) / FRACTAL_COLS; g++) {
            r.dst = dst + g * len;
            r.src =
                c->at[PADMOVE_src] + i * src_nd + g * number(c, NZ2ND_src_n_stride) * len;
            ops_write_runs(&w, &r);
        }
    }
    return true;
}

/* ---- rows to all rows of fractals ---------------------------------------- */

typedef struct Spread {
    int64_t n, fractals;
    int64_t row_step; /* 0: all fractals of a burst take the same row */
    int64_t src_pitch, dst_pitch;
} Spread;

static int64_t
or_1(int64_t n)
{
    return n > 0 ? n : 1;
}

static Spread
spread_of(const OpCall *c)
{
    bool modes = op_table[c->in.op].form == FORM_SPREADMODE;
    bool one_row = modes && number(c, SPREADMODE_repeat_mode) == 1;
    int64_t row = FRACTAL_COLS * size_of(c, PADMOVE_src);
    int64_t fractal = FRACTAL_ELEMS * size_of(c, PADMOVE_dst);
    int64_t src_gap = number(c, modes ? SPREADMODE_src_gap : SPREAD_src_gap);
    int64_t dst_gap = number(c, modes ? SPREADMODE_dst_gap : SPREAD_dst_gap);
    Spread m = {.n = or_1(number(c, modes ? SPREADMODE_nburst : SPREAD_nburst)),
                .fractals =
                    or_1(number(c, modes ? SPREADMODE_burst_repeat : SPREAD_burst_len)),
                .row_step = one_row ? 0 : row};
    m.src_pitch = (one_row ? row : m.fractals * row) + src_gap * BLOCK_BYTES;
    m.dst_pitch = (m.fractals + dst_gap) * fractal;
    return m;
}

/* Converts a row. float32 to float16 stays finite, and NaN gives 0; float16 to float32 is
 * exact. */
static void
row_of(const OpCall *c, const uint8_t *src, uint8_t *row)
{
    Dtype from = c->in.args[PADMOVE_src].t.dtype, to = c->in.args[PADMOVE_dst].t.dtype;
    if (from == to) {
        memcpy(row, src, (size_t)(FRACTAL_COLS * dtype_size(to)));
        return;
    }
    for (int i = 0; i < FRACTAL_COLS; i++) {
        if (to == DT_F16) {
            float x;
            memcpy(&x, src + 4 * i, sizeof x);
            x = x > 65504.0f ? 65504.0f : x < -65504.0f ? -65504.0f : x;
            uint16_t h = x != x ? 0 : half_from_float(x);
            memcpy(row + 2 * i, &h, sizeof h);
        } else {
            uint16_t h;
            memcpy(&h, src + 2 * i, sizeof h);
            uint32_t x = float_bits_canonical(half_to_float(h));
            memcpy(row + 4 * i, &x, sizeof x);
        }
    }
}

bool
ops_spread(OpCall *c)
{
    Spread m = spread_of(c);
    int64_t len = FRACTAL_COLS * size_of(c, PADMOVE_dst);
    for (int64_t i = 0; i < m.n; i++) {
        const uint8_t *src = c->at[PADMOVE_src] + i * m.src_pitch;
        uint8_t *dst = c->at[PADMOVE_dst] + i * m.dst_pitch;
        for (int64_t f = 0; f < m.fractals; f++, src += m.row_step) {
            uint8_t row[FRACTAL_COLS * 4];
            row_of(c, src, row);
            for (int k = 0; k < FRACTAL_ROWS; k++, dst += len) {
                memcpy(dst, row, (size_t)len);
            }
        }
    }
    return true;
}

/* ---- biases to their table ----------------------------------------------- */

static void
widen(uint8_t *dst, const uint8_t *src, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        uint16_t h;
        memcpy(&h, src + 2 * i, sizeof h);
        uint32_t x = float_bits_canonical(half_to_float(h));
        memcpy(dst + 4 * i, &x, sizeof x);
    }
}

bool
ops_bias_move(OpCall *c)
{
    bool wide = size_of(c, PADMOVE_src) == 2;
    int64_t unit = transfer_bias_unit(c->in.soc), len = number(c, BIASMOVE_burst) * unit;
    int64_t to = wide ? 2 * len : len;
    const uint8_t *src = c->at[PADMOVE_src];
    uint8_t *dst = c->at[PADMOVE_dst];
    for (int64_t i = 0; i < number(c, BIASMOVE_nburst); i++) {
        if (wide) {
            widen(dst, src, len / 2);
        } else {
            memcpy(dst, src, (size_t)len);
        }
        src += len + number(c, BIASMOVE_src_stride) * BLOCK_BYTES;
        dst += to + number(c, BIASMOVE_dst_stride) * unit;
    }
    return true;
}

/* ---- fills --------------------------------------------------------------- */

bool
ops_fill_units(OpCall *c)
{
    bool blocks = op_table[c->in.op].form == FORM_FILLBLOCKS;
    bool small = blocks && c->in.args[PADMOVE_dst].t.scope == SC_L1;
    int64_t unit = small ? BLOCK_BYTES : FRACTAL_BYTES;
    int64_t units = blocks ? number(c, FILLBLOCKS_block_num) : 1;
    int64_t gap = blocks ? number(c, FILLBLOCKS_dst_gap) : 0;
    uint16_t value = (uint16_t)number(c, blocks ? FILLBLOCKS_value : FILLFRACTALS_value);
    Block fill = block_of(&value, sizeof value);
    uint8_t *at = c->at[PADMOVE_dst];
    for (int64_t i = 0; i < number(c, FILLBLOCKS_repeat_times); i++, at += gap * unit) {
        for (int64_t b = 0; b < units * unit / BLOCK_BYTES; b++, at += BLOCK_BYTES) {
            memcpy(at, fill.bytes, BLOCK_BYTES);
        }
    }
    return true;
}
