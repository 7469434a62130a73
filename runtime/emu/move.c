/* move.c: data_move copies bursts of bytes with gaps between them, and has the pad modes
 * of moves to L1 and the conversions between UB and L0C, which isa.h describes.
 *
 * Bursts are copied in ascending order. A burst is read as a whole before it is written
 * if the two share bytes: in the same memory source and destination may overlap (the
 * warning overlap). Units come from move_units: with an L0C operand a burst counts
 * fractals of 256 elements on both sides, gaps count fractals on the L0C side and blocks
 * on the other. */
#include "emu/emu.h"

#include <string.h>

#include "num/half.h"
#include "isa/operand.h"

/* ---- element conversions ------------------------------------------------- */

typedef uint16_t AnyU16 __attribute__((aligned(1), may_alias));
typedef uint32_t AnyU32 __attribute__((aligned(1), may_alias));

/* Converts to float16: overflow and infinity saturate, NaN gives +0. */
static inline uint16_t
half_saturated(uint32_t bits)
{
    uint16_t h = half_from_float(float_of_bits(bits));
    uint16_t sat = (h & 0x7fffu) == 0x7c00u ? (uint16_t)(h - 1u) : h;
    return (bits & 0x7fffffffu) > 0x7f800000u ? 0 : sat;
}

#define CONVERT(name, To, From, value)                                                   \
    static void name(uint8_t *dst, const uint8_t *src, int64_t n)                        \
    {                                                                                    \
        To *d = (To *)dst;                                                               \
        const From *s = (const From *)src;                                               \
        for (int64_t i = 0; i < n; i++) {                                                \
            const From x = s[i];                                                         \
            d[i] = (To)(value);                                                          \
        }                                                                                \
    }

/* True if x > 0 and no NaN, for the bits of a float with this infinity. */
#define POSITIVE(x, inf) ((x) != 0 && (x) <= (inf))

CONVERT(narrow, AnyU16, AnyU32, half_saturated(x))
CONVERT(narrow_relu, AnyU16, AnyU32, POSITIVE(x, 0x7f800000u) ? half_saturated(x) : 0u)
CONVERT(widen, AnyU32, AnyU16, float_bits_canonical(half_to_float(x)))
CONVERT(relu_half, AnyU16, AnyU16, POSITIVE(x, 0x7c00u) ? x : 0u)
CONVERT(relu_float, AnyU32, AnyU32, POSITIVE(x, 0x7f800000u) ? x : 0u)
CONVERT(relu_int, AnyU32, AnyU32, x >> 31 ? 0u : x)

typedef struct Conversion {
    int code;
    Dtype src, dst;
    EmuConvert *fn;
} Conversion;

static const Conversion conversions[] = {
    {1, DT_F32, DT_F16, narrow},     {2, DT_F32, DT_F16, narrow_relu},
    {4, DT_F16, DT_F32, widen},      {5, DT_F16, DT_F16, relu_half},
    {5, DT_F32, DT_F32, relu_float}, {5, DT_S32, DT_S32, relu_int},
};

static EmuConvert *
conversion(int64_t code, Dtype src, Dtype dst)
{
    for (size_t i = 0; i < sizeof conversions / sizeof conversions[0]; i++) {
        const Conversion *c = &conversions[i];
        if (c->code == code && c->src == src && c->dst == dst) {
            return c->fn;
        }
    }
    return NULL;
}

/* ---- binding ------------------------------------------------------------- */

static bool
bind_mode(EmuMove *m, int64_t mode, const EmuRef *dst, const EmuRef *src, bool fractal)
{
    if (fractal) {
        m->convert = conversion(mode, src->dtype, dst->dtype);
        m->src_size = dtype_size(src->dtype);
        m->dst_size = dtype_size(dst->dtype);
        return m->convert != NULL || (mode == 0 && m->src_size == m->dst_size);
    }
    m->pad = (int)mode;
    return mode >= 0 && mode <= 5;
}

bool
emu_bind_move(EmuProgram *p, EmuOp *op, const char **why)
{
    const EmuRef *dst = emu_slot_ref(p, op, MOVE_dst),
                 *src = emu_slot_ref(p, op, MOVE_src);
    Scope to = p->kernel.regions[dst->region].scope;
    Scope from = p->kernel.regions[src->region].scope;
    int64_t mode = emu_slot_attr(p, op, MOVE_mode);
    EmuMove m = {.units = move_units(from, src->dtype, to, dst->dtype),
                 .from = from,
                 .to_gm = to == SC_GM};
    m.ascending = from == to && chosen(&p->kernel.choices, CHOICE_OVERLAPPING_MOVE) ==
                                    CHOSE_OVERLAPPING_MOVE_ASCENDING;
    if (!bind_mode(&m, mode, dst, src, from == SC_L0C || to == SC_L0C)) {
        *why = "the move's mode does not exist for its operands";
        return false;
    }
    *why = NULL;
    return emu_add_move(p, &m, &op->move);
}

/* ---- execution ----------------------------------------------------------- */

/* A move in bytes. */
typedef struct Bursts {
    uint8_t *dst;
    const uint8_t *src;
    int64_t n;
    int64_t dst_len, dst_pitch; /* bytes of a burst; from one to the next */
    int64_t src_len, src_pitch;
} Bursts;

/* Returns false unless a move that pads has bursts of one unit without gaps. */
static bool
read_counts(const EmuRun *r, const EmuOp *op, const EmuMove *m, Bursts *b)
{
    int64_t nburst = emu_slot(r, op, MOVE_nburst), burst = emu_slot(r, op, MOVE_burst);
    int64_t ss = emu_slot(r, op, MOVE_src_stride);
    int64_t ds = emu_slot(r, op, MOVE_dst_stride);
    b->n = nburst;
    b->src_len = burst * m->units.src_burst;
    b->dst_len = burst * m->units.dst_burst;
    if (m->pad != 0) {
        b->src_len = (int64_t)1 << (m->pad - 1);
        b->dst_len = BLOCK_BYTES;
    }
    b->src_pitch = b->src_len + ss * m->units.src_gap;
    b->dst_pitch = b->dst_len + ds * m->units.dst_gap;
    return m->pad == 0 || (burst == 1 && ss == 0);
}

static void
copy_blocks(const Bursts *b)
{
    uint8_t *dst = b->dst;
    const uint8_t *src = b->src;
    for (int64_t i = 0; i < b->n; i++) {
        uint8_t block[BLOCK_BYTES];
        memcpy(block, src, BLOCK_BYTES);
        memcpy(dst, block, BLOCK_BYTES);
        dst += b->dst_pitch;
        src += b->src_pitch;
    }
}

/* Returns whether packed bursts can be copied as one, because none is written where a
 * later one is read. */
static bool
is_one_burst(const Bursts *b)
{
    uintptr_t to = (uintptr_t)b->dst, from = (uintptr_t)b->src;
    return b->src_pitch == b->src_len && b->dst_pitch == b->dst_len &&
           (to <= from || to - from >= (uintptr_t)(b->n * b->src_len));
}

static void
copy_bursts(const Bursts *b)
{
    if (b->n == 1 || is_one_burst(b)) {
        memmove(b->dst, b->src, (size_t)(b->n * b->src_len));
    } else if (b->src_len == BLOCK_BYTES) {
        copy_blocks(b);
    } else {
        for (int64_t i = 0; i < b->n; i++) {
            memmove(b->dst + i * b->dst_pitch, b->src + i * b->src_pitch,
                    (size_t)b->src_len);
        }
    }
}

/* Mode 1 fills with the low byte of the register, the others with its low 16 bits, little
 * endian. */
static void
pad_bursts(const Bursts *b, int64_t padding, int mode)
{
    uint8_t fill[BLOCK_BYTES];
    for (int i = 0; i < BLOCK_BYTES; i++) {
        fill[i] = (uint8_t)((uint64_t)padding >> (mode == 1 ? 0 : 8 * (i & 1)));
    }
    for (int64_t i = 0; i < b->n; i++) {
        uint8_t block[BLOCK_BYTES];
        memcpy(block, fill, BLOCK_BYTES);
        memcpy(block, b->src + i * b->src_pitch, (size_t)b->src_len);
        memcpy(b->dst + i * b->dst_pitch, block, BLOCK_BYTES);
    }
}

static void
convert_bursts(const Bursts *b, const EmuMove *m)
{
    for (int64_t i = 0; i < b->n; i++) {
        m->convert(b->dst + i * b->dst_pitch, b->src + i * b->src_pitch,
                   b->src_len / m->src_size);
    }
}

/* Copies block by block, whatever bytes the operands share. */
static void
copy_ascending(const Bursts *b)
{
    for (int64_t i = 0; i < b->n; i++) {
        for (int64_t at = 0; at < b->src_len; at += BLOCK_BYTES) {
            memmove(b->dst + i * b->dst_pitch + at, b->src + i * b->src_pitch + at,
                    BLOCK_BYTES);
        }
    }
}

static void
write_bursts(const Bursts *b, const AtomicWrite *w)
{
    for (int64_t i = 0; i < b->n; i++) {
        emu_write(w, b->dst + i * b->dst_pitch, b->src + i * b->src_pitch, b->src_len);
    }
}

static bool
may_be_empty(const EmuProgram *p)
{
    return emu_chosen(p, CHOICE_MOVE_COUNT_0) == CHOSE_MOVE_COUNT_0_NOTHING;
}

bool
emu_exec_move(EmuRun *r, const EmuOp *op)
{
    const EmuMove *m = &r->p->moves[op->move];
    Bursts b;
    if (!emu_begin(r, op)) {
        return false;
    }
    if (!read_counts(r, op, m, &b)) {
        return emu_refuse(r, op);
    }
    if (b.n == 0 || b.src_len == 0) {
        return may_be_empty(r->p) || emu_refuse(r, op);
    }
    b.dst = emu_operand(r, op, MOVE_dst, (b.n - 1) * b.dst_pitch + b.dst_len);
    b.src = emu_operand(r, op, MOVE_src, (b.n - 1) * b.src_pitch + b.src_len);
    if (b.dst == NULL || b.src == NULL) {
        return emu_refuse(r, op);
    }
    AtomicWrite w = {.on = false};
    if (m->to_gm && !emu_write_mode(r, op, 0, m->from, b.src_len, &w)) {
        return false;
    }
    if (w.on) {
        write_bursts(&b, &w);
    } else if (m->ascending) {
        copy_ascending(&b);
    } else if (m->convert != NULL) {
        convert_bursts(&b, m);
    } else if (m->pad != 0) {
        pad_bursts(&b, r->padding, m->pad);
    } else {
        copy_bursts(&b);
    }
    return true;
}
