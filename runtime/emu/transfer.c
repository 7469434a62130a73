/* transfer.c: moves that pad, reorder or repeat what they move. Each has a function that
 * computes the place of every element as the manual describes it; addresses are checked
 * before. */
#include "emu/emu.h"

#include <string.h>

#include "rules/transfer.h"
#include "num/half.h"

static Scope
scope_of(const EmuRun *r, const EmuOp *op, int slot)
{
    return r->p->kernel.regions[emu_slot_ref(r->p, op, slot)->region].scope;
}

static int
size_of(const EmuRun *r, const EmuOp *op, int slot)
{
    return dtype_size(emu_slot_ref(r->p, op, slot)->dtype);
}

/* Returns the bytes of n steps of pitch, the last of which has len bytes. */
static int64_t
spanned(int64_t n, int64_t pitch, int64_t len)
{
    return n == 0 ? 0 : (n - 1) * pitch + len;
}

/* ---- data_move_pad ------------------------------------------------------- */

typedef struct Padded {
    int64_t n, burst, left, right; /* n bursts; sizes in bytes */
    int64_t blocks;                /* blocks of a burst in UB or L1 */
    int64_t gm_pitch, pitch;
    int size, fill;
    uint8_t value[8];
} Padded;

static Padded
padded_of(const EmuRun *r, const EmuOp *op, bool out)
{
    Padded m = {.n = emu_slot(r, op, PADMOVE_nburst),
                .burst = emu_slot(r, op, PADMOVE_burst)};
    m.size = size_of(r, op, PADMOVE_dst);
    m.left = emu_slot(r, op, PADMOVE_left_padding) * m.size;
    m.right = emu_slot(r, op, PADMOVE_right_padding) * m.size;
    m.fill = (int)emu_slot_attr(r->p, op, PADMOVE_fill);
    int64_t bytes = m.burst + m.left + m.right;
    m.blocks = (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
    m.gm_pitch = m.burst + emu_slot(r, op, out ? PADMOVE_dst_gap : PADMOVE_src_gap);
    m.pitch =
        m.blocks + emu_slot(r, op, out ? PADMOVE_src_gap : PADMOVE_dst_gap) * BLOCK_BYTES;
    if (m.fill == PAD_REGISTER) {
        memcpy(m.value, r->sreg + SREG_PAD_VALUE, sizeof m.value);
    } else {
        int64_t v = emu_slot(r, op, PADMOVE_padding_value);
        memcpy(m.value, &v, sizeof m.value);
    }
    return m;
}

/* Writes a burst to its blocks, whose byte i is padding, data, or the rest of the last
 * block. */
static void
put_burst(const Padded *m, uint8_t *blocks, const uint8_t *data)
{
    bool first =
        m->fill == PAD_FIRST || (m->fill == PAD_GIVEN && m->left == 0 && m->right == 0);
    const uint8_t *value = first ? data : m->value;
    for (int64_t i = 0; i < m->left; i++) {
        blocks[i] = value[i % m->size];
    }
    memcpy(blocks + m->left, data, (size_t)m->burst);
    for (int64_t i = m->left + m->burst; i < m->blocks; i++) {
        int64_t of = i % m->size; /* blocks begin with an element */
        blocks[i] = first && of >= m->burst ? 0 : value[of];
    }
}

static bool
pad_in(EmuRun *r, const EmuOp *op)
{
    Padded m = padded_of(r, op, false);
    uint8_t *dst = emu_operand(r, op, PADMOVE_dst, spanned(m.n, m.pitch, m.blocks));
    const uint8_t *src =
        emu_operand(r, op, PADMOVE_src, spanned(m.n, m.gm_pitch, m.burst));
    if (dst == NULL || src == NULL) {
        return emu_refuse(r, op);
    }
    for (int64_t i = 0; i < m.n; i++) {
        put_burst(&m, dst + i * m.pitch, src + i * m.gm_pitch);
    }
    return true;
}

static bool
pad_out(EmuRun *r, const EmuOp *op)
{
    AtomicWrite w;
    Padded m = padded_of(r, op, true);
    uint8_t *dst = emu_operand(r, op, PADMOVE_dst, spanned(m.n, m.gm_pitch, m.burst));
    const uint8_t *src = emu_operand(r, op, PADMOVE_src, spanned(m.n, m.pitch, m.burst));
    if (dst == NULL || src == NULL) {
        return emu_refuse(r, op);
    }
    if (!emu_write_mode(r, op, PADMOVE_dst, scope_of(r, op, PADMOVE_src), m.burst, &w)) {
        return false;
    }
    for (int64_t i = 0; i < m.n; i++) {
        emu_write(&w, dst + i * m.gm_pitch, src + i * m.pitch, m.burst);
    }
    return true;
}

bool
emu_exec_pad_move(EmuRun *r, const EmuOp *op)
{
    if (!emu_begin(r, op)) {
        return false;
    }
    int64_t left = emu_slot(r, op, PADMOVE_left_padding),
            right = emu_slot(r, op, PADMOVE_right_padding);
    int most = BLOCK_BYTES / size_of(r, op, PADMOVE_dst);
    bool padded = left != 0 || right != 0;
    bool out = scope_of(r, op, PADMOVE_dst) == SC_GM;
    if (left > most || right > most ||
        (padded && (out || emu_slot_attr(r->p, op, PADMOVE_fill) != PAD_GIVEN))) {
        return emu_refuse(r, op);
    }
    return out ? pad_out(r, op) : pad_in(r, op);
}

/* ---- rows to fractals and back ------------------------------------------- */

bool
emu_exec_nd2nz(EmuRun *r, const EmuOp *op)
{
    if (!emu_begin(r, op)) {
        return false;
    }
    int64_t num = emu_slot(r, op, ND2NZ_nd_num), n = emu_slot(r, op, ND2NZ_nd_n);
    int64_t d = emu_slot(r, op, ND2NZ_nd_d), s = size_of(r, op, PADMOVE_dst);
    int64_t c0 = BLOCK_BYTES / s, groups = (d + c0 - 1) / c0;
    if (num == 0 || n == 0 || d == 0) {
        return true;
    }
    int64_t src_nd = emu_slot(r, op, ND2NZ_src_nd_stride) * s;
    int64_t src_n = emu_slot(r, op, ND2NZ_src_n_stride) * s;
    int64_t dst_c0 = emu_slot(r, op, ND2NZ_dst_c0_stride) * BLOCK_BYTES;
    int64_t dst_n = emu_slot(r, op, ND2NZ_dst_n_stride) * BLOCK_BYTES;
    int64_t dst_nd = emu_slot(r, op, ND2NZ_dst_nd_stride) * s;
    uint8_t *dst = emu_operand(r, op, PADMOVE_dst,
                               (num - 1) * dst_nd + (groups - 1) * dst_c0 +
                                   (n - 1) * dst_n + BLOCK_BYTES);
    const uint8_t *src =
        emu_operand(r, op, PADMOVE_src, (num - 1) * src_nd + (n - 1) * src_n + d * s);
    if (dst == NULL || src == NULL) {
        return emu_refuse(r, op);
    }
    for (int64_t i = 0; i < num; i++) {
        for (int64_t row = 0; row < n; row++) {
            for (int64_t c = 0; c < groups; c++) {
                int64_t left = d - c * c0 < c0 ? d - c * c0 : c0;
                uint8_t *to = dst + i * dst_nd + c * dst_c0 + row * dst_n;
                memset(to, 0, BLOCK_BYTES);
                memcpy(to, src + i * src_nd + row * src_n + c * BLOCK_BYTES,
                       (size_t)(left * s));
            }
        }
    }
    return true;
}

bool
emu_exec_nz2nd(EmuRun *r, const EmuOp *op)
{
    AtomicWrite w;
    if (!emu_begin(r, op)) {
        return false;
    }
    int64_t num = emu_slot(r, op, ND2NZ_nd_num), n = emu_slot(r, op, ND2NZ_nd_n);
    int64_t d = emu_slot(r, op, ND2NZ_nd_d), s = size_of(r, op, PADMOVE_dst);
    int64_t row_bytes = FRACTAL_COLS * s;
    int64_t src_nd = emu_slot(r, op, NZ2ND_src_nd_matrix_stride) * FRACTAL_ELEMS * s;
    int64_t src_n = emu_slot(r, op, NZ2ND_src_n_stride) * row_bytes;
    int64_t dst_d = emu_slot(r, op, NZ2ND_dst_d_stride) * s;
    int64_t dst_nd = emu_slot(r, op, NZ2ND_dst_nd_matrix_stride) * s;
    if (num == 0) {
        return true;
    }
    uint8_t *dst =
        emu_operand(r, op, PADMOVE_dst, (num - 1) * dst_nd + (n - 1) * dst_d + d * s);
    const uint8_t *src =
        emu_operand(r, op, PADMOVE_src,
                    (num - 1) * src_nd + (d / FRACTAL_COLS - 1) * src_n + n * row_bytes);
    if (dst == NULL || src == NULL || d % FRACTAL_COLS != 0) {
        return emu_refuse(r, op);
    }
    if (!emu_write_mode(r, op, PADMOVE_dst, scope_of(r, op, PADMOVE_src), row_bytes,
                        &w)) {
        return false;
    }
    for (int64_t i = 0; i < num; i++) {
        for (int64_t row = 0; row < n; row++) {
            for (int64_t c = 0; c < d / FRACTAL_COLS; c++) {
                emu_write(&w, dst + i * dst_nd + row * dst_d + c * row_bytes,
                          src + i * src_nd + c * src_n + row * row_bytes, row_bytes);
            }
        }
    }
    return true;
}

/* ---- rows to all rows of fractals ---------------------------------------- */

typedef struct Spread {
    int64_t n, units, rows; /* bursts, fractals and source rows of each */
    int64_t src_pitch, dst_pitch;
} Spread;

static Spread
spread_of(const EmuRun *r, const EmuOp *op, int64_t from, int64_t to)
{
    Spread m;
    if (op_table[op->op].form == FORM_SPREADMODE) {
        int64_t n = emu_slot(r, op, SPREADMODE_nburst);
        int64_t len = emu_slot(r, op, SPREADMODE_burst_repeat);
        m.n = n == 0 ? 1 : n;
        m.units = len == 0 ? 1 : len;
        m.rows = emu_slot_attr(r->p, op, SPREADMODE_repeat_mode) == 1 ? 1 : m.units;
        m.src_pitch = emu_slot(r, op, SPREADMODE_src_gap) * BLOCK_BYTES;
        m.dst_pitch = emu_slot(r, op, SPREADMODE_dst_gap) * FRACTAL_ELEMS * to;
    } else {
        m.n = emu_slot(r, op, SPREAD_nburst);
        m.units = m.rows = emu_slot(r, op, SPREAD_burst_len);
        m.src_pitch = emu_slot(r, op, SPREAD_src_gap) * BLOCK_BYTES;
        m.dst_pitch = emu_slot(r, op, SPREAD_dst_gap) * FRACTAL_ELEMS * to;
    }
    m.src_pitch += m.rows * FRACTAL_COLS * from;
    m.dst_pitch += m.units * FRACTAL_ELEMS * to;
    return m;
}

/* Converts a row to the type of the fractal: between float16 and float32 by the codes 1
 * and 4 of data_move. */
static void
convert_row(uint8_t *row, int64_t to, const uint8_t *src, int64_t from)
{
    for (int i = 0; i < FRACTAL_COLS; i++) {
        uint32_t x = 0;
        memcpy(&x, src + i * from, (size_t)from);
        if (to < from) {
            uint16_t h = half_from_float(float_of_bits(x));
            h = (h & 0x7fffu) == 0x7c00u ? (uint16_t)(h - 1u) : h;
            x = (h & 0x7fffu) > 0x7c00u ? 0 : h;
        } else if (to > from) {
            x = float_bits_canonical(half_to_float((uint16_t)x));
        }
        memcpy(row + i * to, &x, (size_t)to);
    }
}

bool
emu_exec_spread(EmuRun *r, const EmuOp *op)
{
    if (!emu_begin(r, op)) {
        return false;
    }
    int64_t from = size_of(r, op, PADMOVE_src), to = size_of(r, op, PADMOVE_dst);
    Spread m = spread_of(r, op, from, to);
    uint8_t *dst = emu_operand(r, op, PADMOVE_dst,
                               spanned(m.n, m.dst_pitch, m.units * FRACTAL_ELEMS * to));
    const uint8_t *src = emu_operand(
        r, op, PADMOVE_src, spanned(m.n, m.src_pitch, m.rows * FRACTAL_COLS * from));
    if (dst == NULL || src == NULL) {
        return emu_refuse(r, op);
    }
    for (int64_t i = 0; i < m.n; i++) {
        for (int64_t u = 0; u < m.units; u++) {
            uint8_t row[FRACTAL_COLS * 4];
            int64_t of = m.rows == 1 ? 0 : u;
            convert_row(row, to, src + i * m.src_pitch + of * FRACTAL_COLS * from, from);
            uint8_t *fractal = dst + i * m.dst_pitch + u * FRACTAL_ELEMS * to;
            for (int64_t k = 0; k < FRACTAL_ROWS; k++) {
                memcpy(fractal + k * FRACTAL_COLS * to, row, (size_t)(FRACTAL_COLS * to));
            }
        }
    }
    return true;
}

/* ---- biases to their table ----------------------------------------------- */

bool
emu_exec_bias_move(EmuRun *r, const EmuOp *op)
{
    if (!emu_begin(r, op)) {
        return false;
    }
    int64_t n = emu_slot(r, op, BIASMOVE_nburst),
            unit = transfer_bias_unit(r->p->kernel.soc);
    int64_t from = size_of(r, op, PADMOVE_src), to = size_of(r, op, PADMOVE_dst);
    if (n == 0 || emu_slot(r, op, BIASMOVE_burst) == 0) {
        return true;
    }
    int64_t elems = emu_slot(r, op, BIASMOVE_burst) * unit / from;
    int64_t src_pitch = elems * from + emu_slot(r, op, BIASMOVE_src_stride) * BLOCK_BYTES;
    int64_t dst_pitch = elems * to + emu_slot(r, op, BIASMOVE_dst_stride) * unit;
    uint8_t *dst = emu_operand(r, op, PADMOVE_dst, spanned(n, dst_pitch, elems * to));
    const uint8_t *src =
        emu_operand(r, op, PADMOVE_src, spanned(n, src_pitch, elems * from));
    if (dst == NULL || src == NULL) {
        return emu_refuse(r, op);
    }
    for (int64_t i = 0; i < n * elems; i++) {
        const uint8_t *at = src + i / elems * src_pitch + i % elems * from;
        uint8_t *out = dst + i / elems * dst_pitch + i % elems * to;
        uint16_t half;
        memcpy(&half, at, sizeof half);
        uint32_t wide = float_bits_canonical(half_to_float(half));
        memcpy(out, from == to ? at : (const uint8_t *)&wide, (size_t)to);
    }
    return true;
}

/* ---- fills --------------------------------------------------------------- */

bool
emu_exec_fill_units(EmuRun *r, const EmuOp *op)
{
    if (!emu_begin(r, op)) {
        return false;
    }
    bool fractals = op_table[op->op].form == FORM_FILLFRACTALS;
    int64_t unit =
        scope_of(r, op, PADMOVE_dst) == SC_L1 && !fractals ? BLOCK_BYTES : FRACTAL_BYTES;
    int64_t n = emu_slot(r, op, FILLBLOCKS_repeat_times);
    int64_t len = fractals ? unit : emu_slot(r, op, FILLBLOCKS_block_num) * unit;
    int64_t pitch = fractals ? unit : len + emu_slot(r, op, FILLBLOCKS_dst_gap) * unit;
    int64_t value = emu_slot(r, op, fractals ? FILLFRACTALS_value : FILLBLOCKS_value);
    if (n == 0 || len == 0) {
        return true;
    }
    uint8_t *dst = emu_operand(r, op, PADMOVE_dst, spanned(n, pitch, len));
    if (dst == NULL) {
        return emu_refuse(r, op);
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t at = 0; at < len; at += 2) {
            memcpy(dst + i * pitch + at, &value, 2);
        }
    }
    return true;
}

/* ---- binding ------------------------------------------------------------- */

/* Checks what the functions above rely on in addition to addresses. */
static bool
types_ok(const EmuProgram *p, const EmuOp *op)
{
    Form form = op_table[op->op].form;
    Dtype dst = emu_slot_ref(p, op, PADMOVE_dst)->dtype;
    if (form == FORM_FILLFRACTALS || form == FORM_FILLBLOCKS) {
        return dtype_size(dst) == 2;
    }
    Dtype src = emu_slot_ref(p, op, PADMOVE_src)->dtype;
    if (form == FORM_BIASMOVE) {
        return dtype_size(dst) == 4 && (src == dst || (src == DT_F16 && dst == DT_F32));
    }
    if (form == FORM_SPREADMODE && dst != src) {
        return (dst == DT_F16 && src == DT_F32) || (dst == DT_F32 && src == DT_F16);
    }
    bool spread = form == FORM_SPREAD || form == FORM_SPREADMODE;
    return dst == src && (!spread || dtype_size(dst) == 2 || dtype_size(dst) == 4);
}

bool
emu_bind_transfer(EmuProgram *p, EmuOp *op, const char **why)
{
    *why = "the operands' types do not fit";
    return types_ok(p, op);
}
