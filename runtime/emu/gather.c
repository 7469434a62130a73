/* gather.c: gather, scatter and compress (vector chapter 8). Addresses that are elements
 * of tensors are checked one by one before a repeat writes anything. */
#include "emu/emu.h"

#include <string.h>

#include "isa/operand.h"
#include "num/half.h"

enum {
    PIECE = 256, /* lanes that are all read before they are written */
    BLOCKS = 8,
    OFFSET_BYTES = 4
};

/* ---- vreduce ------------------------------------------------------------- */

/* Which lanes of a repeat are kept, and where they go. */
typedef struct Pick {
    const uint8_t *bits; /* bits of the first repeat; null: every step-th lane from first
                            on is kept */
    int64_t bits_rep;
    int first, step;
    uint8_t *dst;
    size_t size;
    int64_t count; /* elements that were kept */
    int64_t room;  /* elements for which dst was checked */
} Pick;

/* Lanes l to l + n - 1 of a repeat. */
typedef struct PickPiece {
    int64_t repeat, l, n;
} PickPiece;

/* Returns how many of n lanes are kept. */
static int64_t
kept_of(const Pick *p, int64_t repeat, int64_t n)
{
    int64_t kept = 0;
    if (p->bits == NULL) {
        return n <= p->first ? 0 : (n - p->first - 1) / p->step + 1;
    }
    const uint8_t *bits = p->bits + repeat * p->bits_rep;
    for (int64_t i = 0; i < n / 8; i++) {
        kept += __builtin_popcount(bits[i]);
    }
    return n % 8 ? kept + __builtin_popcount(bits[n / 8] & ((1u << n % 8) - 1)) : kept;
}

/* Defines a function that copies kept lanes of one width to out, from lane l on, which
 * are contiguous at src. bits are those from lane l on. */
#define KEEP(name, T)                                                                    \
    static int64_t name(const Pick *p, const uint8_t *src, const uint8_t *bits,          \
                        int64_t n, uint8_t *to)                                          \
    {                                                                                    \
        T in[PIECE], out[PIECE + 1];                                                     \
        int64_t kept = 0;                                                                \
        memcpy(in, src, (size_t)n * sizeof(T));                                          \
        for (int64_t i = p->first; bits == NULL && i < n; i += p->step) {                \
            out[kept++] = in[i];                                                         \
        }                                                                                \
        for (int64_t i = 0; bits != NULL && i < n; i++) {                                \
            out[kept] = in[i];                                                           \
            kept += bits[i / 8] >> (i % 8) & 1;                                          \
        }                                                                                \
        memcpy(to, out, (size_t)kept * sizeof(T));                                       \
        return kept;                                                                     \
    }

KEEP(keep8, uint8_t)
KEEP(keep16, uint16_t)
KEEP(keep32, uint32_t)

/* Checks that there is room for all elements that will be kept. */
static bool
open_result(EmuRun *r, const EmuOp *op, int64_t kept, Pick *p)
{
    Fault f;
    int64_t bytes = kept * (int64_t)p->size;
    CheckTensor t = emu_tensor(r, op, PICK_dst);
    if (!check_fits((Op)op->op, PICK_dst, &t, bytes, &f)) {
        return emu_record(r, op, &f);
    }
    p->dst = emu_operand(r, op, PICK_dst, bytes);
    p->room = kept;
    return p->dst != NULL || emu_refuse(r, op);
}

/* Keeps lanes among at most PIECE ones from lane l of the repeat on, which is a multiple
 * of PIECE. Bits may lie where elements go, so that more are kept than were counted. */
static bool
keep_piece(EmuRun *r, const EmuOp *op, Pick *p, const uint8_t *src, PickPiece at)
{
    const uint8_t *bits = p->bits ? p->bits + at.repeat * p->bits_rep + at.l / 8 : NULL;
    uint8_t out[PIECE * 4];
    int64_t kept = p->size == 1   ? keep8(p, src, bits, at.n, out)
                   : p->size == 2 ? keep16(p, src, bits, at.n, out)
                                  : keep32(p, src, bits, at.n, out);
    if (p->count + kept > p->room && !open_result(r, op, p->count + kept, p)) {
        return false;
    }
    memcpy(p->dst + (size_t)p->count * p->size, out, (size_t)kept * p->size);
    p->count += kept;
    return true;
}

/* Returns whether the bits of the repeats of vreduce follow each other without gaps. */
static bool
is_dense(const EmuRun *r)
{
    int reading = emu_chosen(r->p, CHOICE_VREDUCE_STRIDE);
    return reading == CHOSE_VREDUCE_STRIDE_DENSE ||
           (reading == CHOSE_VREDUCE_STRIDE_DENSE_310P &&
            soc_has(r->p->kernel.soc, FEATURE_PATTERN_310P));
}

/* Reads the pattern for repeats of n lanes. Returns false when there is no such
 * pattern. */
static bool
open_pattern(const EmuRun *r, const EmuOp *op, int64_t repeats, int64_t n, Pick *p)
{
    Form f = op_table[op->op].form;
    int64_t rep, number;
    p->size = (size_t)dtype_size((Dtype)op->dtype);
    if (!emu_number(r, op, PICK_src1_rep_stride, &rep)) {
        return false;
    }
    if (f == FORM_PICKBITS || f == FORM_PICK2BITS) {
        p->bits_rep =
            f == FORM_PICKBITS && is_dense(r) ? (rep > 0 ? n / 8 : 0) : rep * BLOCK_BYTES;
        p->bits = emu_operand(r, op, PICK_src1_pattern,
                              (repeats - 1) * p->bits_rep + (n + 7) / 8);
        return p->bits != NULL;
    }
    if (!emu_number(r, op, PICK_src1_pattern, &number)) {
        return false;
    }
    check_pattern_lanes(number, &p->first, &p->step);
    return true;
}

static void
note_count(EmuRun *r, const Pick *p)
{
    uint32_t n = (uint32_t)p->count;
    memcpy(r->sreg + SREG_RSVD_CNT, &n, sizeof n);
}

static bool
pick_lanes(EmuRun *r, const EmuOp *op)
{
    EmuLanes c;
    Pick p = {.bits = NULL};
    if (!emu_lanes_open(r, op, &c)) {
        return false;
    }
    if (c.repeats == 0) {
        return true;
    }
    if (!open_pattern(r, op, c.repeats, c.lanes, &p)) {
        return emu_refuse(r, op);
    }
    int64_t kept = 0;
    for (int64_t i = 0; i < c.repeats; i++) {
        kept += kept_of(&p, i, i + 1 < c.repeats ? c.run : c.last);
    }
    if (!open_result(r, op, kept, &p)) {
        return false;
    }
    for (int64_t i = 0; i < c.repeats; i++) {
        uint8_t buf[REPEAT_BYTES];
        int64_t n = i + 1 < c.repeats ? c.run : c.last;
        const uint8_t *src = emu_lanes_load(&c.o[0], n, buf);
        if (!keep_piece(r, op, &p, src, (PickPiece){i, 0, n})) {
            return false;
        }
        emu_lanes_step(&c);
    }
    note_count(r, &p);
    return true;
}

/* A source with repeats of any length, of strided blocks. */
typedef struct Long {
    const uint8_t *src;
    int64_t repeats, n, blk, rep, per_block;
} Long;

static bool
open_long(const EmuRun *r, const EmuOp *op, Long *s)
{
    int64_t size = dtype_size((Dtype)op->dtype);
    s->repeats = emu_slot(r, op, PICK_repeat_times);
    s->n = emu_slot(r, op, PICK_mask);
    s->blk = emu_slot(r, op, PICK_src0_blk_stride) * BLOCK_BYTES;
    s->rep = emu_slot(r, op, PICK_src0_rep_stride) * BLOCK_BYTES;
    s->per_block = BLOCK_BYTES / size;
    int64_t last = (s->n - 1) / s->per_block;
    int64_t end = last * s->blk + (s->n - last * s->per_block) * size;
    end = last > 0 && end < BLOCK_BYTES ? BLOCK_BYTES : end;
    s->src = emu_operand(r, op, PICK_src0,
                         s->repeats > 0 ? (s->repeats - 1) * s->rep + end : 0);
    return s->src != NULL;
}

/* Collects a piece of whole blocks, one block after the other. */
static bool
keep_repeat(EmuRun *r, const EmuOp *op, Pick *p, const Long *s, int64_t repeat)
{
    for (int64_t l = 0; l < s->n; l += PIECE) {
        uint8_t buf[PIECE * 4 + BLOCK_BYTES];
        int64_t n = s->n - l < PIECE ? s->n - l : PIECE;
        const uint8_t *from = s->src + repeat * s->rep;
        for (int64_t i = 0; i < n; i += s->per_block) {
            int64_t most = n - i < s->per_block ? n - i : s->per_block;
            memcpy(buf + (size_t)i * p->size, from + (l + i) / s->per_block * s->blk,
                   (size_t)most * p->size);
        }
        if (!keep_piece(r, op, p, buf, (PickPiece){repeat, l, n})) {
            return false;
        }
    }
    return true;
}

static bool
pick_long(EmuRun *r, const EmuOp *op)
{
    Long s;
    Pick p = {.bits = NULL};
    if (!emu_begin(r, op)) {
        return false;
    }
    if (!open_long(r, op, &s)) {
        return emu_refuse(r, op);
    }
    if (s.repeats == 0) {
        return true;
    }
    if (!open_pattern(r, op, s.repeats, s.n, &p)) {
        return emu_refuse(r, op);
    }
    int64_t kept = 0;
    for (int64_t i = 0; i < s.repeats; i++) {
        kept += kept_of(&p, i, s.n);
    }
    if (!open_result(r, op, kept, &p)) {
        return false;
    }
    for (int64_t i = 0; i < s.repeats; i++) {
        if (!keep_repeat(r, op, &p, &s, i)) {
            return false;
        }
    }
    note_count(r, &p);
    return true;
}

bool
emu_exec_pick(EmuRun *r, const EmuOp *op)
{
    Form f = op_table[op->op].form;
    return f == FORM_PICK || f == FORM_PICKBITS ? pick_lanes(r, op) : pick_long(r, op);
}

/* ---- vgather, vscatter --------------------------------------------------- */

/* A tensor that is accessed at any offset. */
typedef struct Field {
    CheckTensor t;
    uint8_t *root;
    const uint8_t *offsets;
    bool is_signed;
    int64_t base;
    int param, to;
    int64_t size, unit;
} Field;

static bool
open_field(const EmuRun *r, const EmuOp *op, int64_t entries, Field *f)
{
    f->t = emu_tensor(r, op, f->to);
    uint8_t *start = emu_operand(r, op, f->to, 0);
    f->offsets = emu_operand(r, op, f->param, entries * OFFSET_BYTES);
    f->is_signed = emu_slot_ref(r->p, op, f->param)->dtype == DT_S32;
    f->root = start == NULL ? NULL : start - f->t.offset;
    return f->root != NULL && f->offsets != NULL;
}

/* Returns the address that an entry leads to; null when it recorded a fault. */
static uint8_t *
field_at(EmuRun *r, const EmuOp *op, const Field *f, int64_t entry)
{
    uint32_t bits;
    Fault fault;
    memcpy(&bits, f->offsets + entry * OFFSET_BYTES, sizeof bits);
    int64_t value = f->is_signed ? (int32_t)bits : (int64_t)bits;
    int64_t at = f->t.offset + f->base + value;
    if ((value & (f->unit - 1)) == 0 && at >= 0 && at <= f->t.bytes - f->size) {
        return f->root + at;
    }
    CheckOffset o = {.param = f->param,
                     .to = f->to,
                     .entry = entry,
                     .value = value,
                     .at = at,
                     .size = f->size,
                     .unit = f->unit,
                     .limit = check_limit(&f->t)};
    if (!check_offset((Op)op->op, &o, &fault)) {
        (void)emu_record(r, op, &fault);
    }
    return NULL;
}

static bool
open_gather(EmuRun *r, const EmuOp *op, const EmuLanes *c, Field *f)
{
    Fault fault;
    int64_t entries = op->mask_form == MASK_COUNTER
                          ? (c->repeats - 1) * c->lanes + c->last
                          : c->repeats * c->lanes;
    f->param = GATHER_src_offset;
    f->size = f->unit = c->o[0].size;
    if (!emu_number(r, op, GATHER_base_addr, &f->base) ||
        !open_field(r, op, entries, f)) {
        return emu_refuse(r, op);
    }
    CheckMultiple m = {RULE_BASE_ADDR, GATHER_base_addr, f->base, f->unit};
    return check_multiple((Op)op->op, &m, &fault) || emu_record(r, op, &fault);
}

/* Finds all addresses of a repeat. Returns false when it recorded a fault. */
static bool
find_lanes(EmuRun *r, const EmuOp *op, const EmuLanes *c, const Field *f, int64_t repeat,
           int64_t n, uint8_t **at)
{
    for (int64_t l = 0; l < n; l++) {
        at[l] = NULL;
        if (!c->holes || c->mask.on[l]) {
            at[l] = field_at(r, op, f, repeat * c->lanes + l);
            if (at[l] == NULL) {
                return false;
            }
        }
    }
    return true;
}

/* Lanes without an address are off. */
static void
fetch(uint8_t *const *at, int64_t n, int64_t size, uint8_t *out)
{
    for (int64_t l = 0; size == 2 && l < n; l++) {
        if (at[l] != NULL) {
            memcpy(out + 2 * l, at[l], 2);
        }
    }
    for (int64_t l = 0; size == 4 && l < n; l++) {
        if (at[l] != NULL) {
            memcpy(out + 4 * l, at[l], 4);
        }
    }
}

static void
put(uint8_t *const *at, int64_t n, int64_t size, const uint8_t *in)
{
    for (int64_t l = 0; size == 2 && l < n; l++) {
        if (at[l] != NULL) {
            memcpy(at[l], in + 2 * l, 2);
        }
    }
    for (int64_t l = 0; size == 4 && l < n; l++) {
        if (at[l] != NULL) {
            memcpy(at[l], in + 4 * l, 4);
        }
    }
}

bool
emu_exec_gather(EmuRun *r, const EmuOp *op)
{
    EmuLanes c;
    Field f = {.to = GATHER_src};
    if (!emu_lanes_open(r, op, &c)) {
        return false;
    }
    if (c.repeats == 0) {
        return true;
    }
    if (!open_gather(r, op, &c, &f)) {
        return false;
    }
    for (int64_t i = 0; i < c.repeats; i++) {
        int64_t n = i + 1 < c.repeats ? c.run : c.last;
        uint8_t *at[MAX_LANES], out[REPEAT_BYTES];
        if (!find_lanes(r, op, &c, &f, i, n, at)) {
            return false;
        }
        fetch(at, n, f.size, out);
        emu_lanes_store(&c, n, out);
        emu_lanes_step(&c);
    }
    return true;
}

bool
emu_exec_scatter(EmuRun *r, const EmuOp *op)
{
    EmuLanes c;
    Field f = {.to = GATHER_dst};
    if (!emu_lanes_open(r, op, &c)) {
        return false;
    }
    if (c.repeats == 0) {
        return true;
    }
    if (!open_gather(r, op, &c, &f)) {
        return false;
    }
    for (int64_t i = 0; i < c.repeats; i++) {
        int64_t n = i + 1 < c.repeats ? c.run : c.last;
        uint8_t *at[MAX_LANES], buf[REPEAT_BYTES], in[REPEAT_BYTES];
        if (!find_lanes(r, op, &c, &f, i, n, at)) {
            return false;
        }
        memcpy(in, emu_lanes_load(&c.o[0], n, buf), (size_t)(n * f.size));
        put(at, n, f.size, in);
        emu_lanes_step(&c);
    }
    return true;
}

/* ---- vgatherb ------------------------------------------------------------ */

bool
emu_exec_gatherb(EmuRun *r, const EmuOp *op)
{
    EmuLanes c;
    Field f = {.param = GATHERB_src_offsets,
               .to = GATHERB_src,
               .size = BLOCK_BYTES,
               .unit = BLOCK_BYTES};
    if (!emu_lanes_open(r, op, &c)) {
        return false;
    }
    if (c.repeats > 0 && !open_field(r, op, BLOCKS * c.repeats, &f)) {
        return emu_refuse(r, op);
    }
    for (int64_t i = 0; i < c.repeats; i++) {
        uint8_t out[REPEAT_BYTES];
        for (int64_t b = 0; b < BLOCKS; b++) {
            const uint8_t *at = field_at(r, op, &f, BLOCKS * i + b);
            if (at == NULL) {
                return false;
            }
            memcpy(out + b * BLOCK_BYTES, at, BLOCK_BYTES);
        }
        emu_lanes_store(&c, c.lanes, out);
        emu_lanes_step(&c);
    }
    return true;
}

/* ---- vbi ----------------------------------------------------------------- */

typedef struct Bilinear {
    Field src;
    uint8_t *dst;
    const uint8_t *weights;
    int64_t down, across, blk, step; /* blk, step in bytes */
    bool each_block;                 /* there is a weight for every block */
    bool half;
    int lanes, lane_end;
    uint8_t on[MAX_LANES];
    bool saturates; /* float16 arithmetic saturates */
} Bilinear;

/* Returns false when no lane is active, or one that does not exist. */
static bool
read_lanes(const EmuRun *r, const EmuOp *op, Bilinear *b)
{
    int64_t count = emu_num(r, op->mask[0]);
    b->lane_end = 0;
    if (op->mask_form != MASK_COUNT && op->mask_form != MASK_BITS) {
        return false;
    }
    for (int l = 0; l < 2 * 64; l++) {
        bool on = op->mask_form == MASK_COUNT
                      ? l < count
                      : (uint64_t)emu_num(r, op->mask[l / 64]) >> (l % 64) & 1;
        if (on && l >= b->lanes) {
            return op->mask_form == MASK_COUNT && count == b->lanes;
        }
        b->on[l] = on;
        b->lane_end = on ? l + 1 : b->lane_end;
    }
    return b->lane_end > 0 && (op->mask_form != MASK_COUNT || count <= b->lanes);
}

static int64_t
bi_window(const Bilinear *b, int64_t size)
{
    int64_t per = BLOCK_BYTES / size, last = b->lane_end - 1;
    return last / per * b->blk + (last % per + 1) * size;
}

static void
read_numbers(const EmuRun *r, const EmuOp *op, Bilinear *b)
{
    int64_t size = dtype_size((Dtype)op->dtype);
    b->down = emu_slot(r, op, BI_vertical_repeat_times);
    b->across = emu_slot(r, op, BI_horizontal_repeat_times);
    b->each_block = emu_slot(r, op, BI_repeat_mode) != 0;
    b->half = size == 2;
    b->lanes = (int)(REPEAT_BYTES / size);
    b->blk = emu_slot(r, op, BI_dst_blk_stride) * BLOCK_BYTES;
    b->step = emu_slot(r, op, BI_vertical_repeat_offset) * size;
    b->saturates =
        emu_chosen(r->p, CHOICE_FLOAT16_OVERFLOW) == CHOSE_FLOAT16_OVERFLOW_SATURATE;
}

static bool
find_operands(EmuRun *r, const EmuOp *op, Bilinear *b)
{
    int64_t size = dtype_size((Dtype)op->dtype);
    int64_t steps = b->down * b->across;
    b->src = (Field){
        .param = BI_src0_offset, .to = BI_src0, .size = BLOCK_BYTES, .unit = BLOCK_BYTES};
    b->dst = emu_operand(r, op, BI_dst, (b->down - 1) * b->step + bi_window(b, size));
    b->weights = emu_operand(r, op, BI_src1, steps * (b->each_block ? BLOCKS : 1) * size);
    return b->dst != NULL && b->weights != NULL &&
           open_field(r, op, steps * BLOCKS, &b->src);
}

/* Checks numbers that are checked before the run only if they are literals. */
static bool
multiples(EmuRun *r, const EmuOp *op, const Bilinear *b)
{
    Fault f;
    Dtype t = (Dtype)op->dtype;
    CheckMultiple step = {RULE_REPEAT_STRIDE, BI_vertical_repeat_offset,
                          b->step / dtype_size(t), BLOCK_BYTES / dtype_size(t)};
    CheckMultiple across = {RULE_REPEAT_RANGE, BI_horizontal_repeat_times, b->across,
                            check_bi_unit(r->p->kernel.soc, t)};
    int64_t window = bi_window(b, dtype_size(t));
    bool ok = check_multiple((Op)op->op, &across, &f) &&
              check_multiple((Op)op->op, &step, &f) &&
              (b->down <= 1 || check_bi_windows(window, b->step, &f));
    return ok || emu_record(r, op, &f);
}

static float
number_at(const uint8_t *at, bool half)
{
    uint16_t h;
    uint32_t w;
    if (half) {
        memcpy(&h, at, sizeof h);
        return half_to_float(h);
    }
    memcpy(&w, at, sizeof w);
    return float_of_bits(w);
}

static float
rounded(const Bilinear *b, float x)
{
    uint16_t h = half_from_float(x);
    return b->half ? half_to_float(b->saturates ? half_finite(h) : h) : x;
}

static void
put_number(uint8_t *at, float x, bool half)
{
    uint16_t h = half_from_float(x);
    uint32_t w = float_bits_canonical(x);
    if (half) {
        memcpy(at, &h, sizeof h);
    } else {
        memcpy(at, &w, sizeof w);
    }
}

/* Computes the sums of a vertical repeat. */
static bool
interpolate(EmuRun *r, const EmuOp *op, const Bilinear *b, int64_t v, float *sum)
{
    int size = b->half ? 2 : 4, per = BLOCK_BYTES / size;
    for (int l = 0; l < b->lane_end; l++) {
        sum[l] = 0;
    }
    for (int64_t t = v * b->across; t < (v + 1) * b->across; t++) {
        const uint8_t *block[BLOCKS] = {NULL};
        for (int l = 0; l < b->lane_end; l++) {
            int64_t at = BLOCKS * t + l / per;
            if (!b->on[l]) {
                continue;
            }
            if (block[l / per] == NULL &&
                (block[l / per] = field_at(r, op, &b->src, at)) == NULL) {
                return false;
            }
            float x = number_at(block[l / per] + l % per * size, b->half);
            float w = number_at(b->weights + (b->each_block ? at : t) * size, b->half);
            sum[l] = rounded(b, rounded(b, x * w) + sum[l]);
        }
    }
    return true;
}

bool
emu_exec_bi(EmuRun *r, const EmuOp *op)
{
    Bilinear b;
    if (!emu_begin(r, op)) {
        return false;
    }
    read_numbers(r, op, &b);
    if (!read_lanes(r, op, &b)) {
        return emu_refuse(r, op);
    }
    if (b.down == 0) {
        return true;
    }
    if (!multiples(r, op, &b)) {
        return false;
    }
    if (!find_operands(r, op, &b)) {
        return emu_refuse(r, op);
    }
    int size = b.half ? 2 : 4, per = BLOCK_BYTES / size;
    for (int64_t v = 0; v < b.down; v++) {
        float sum[MAX_LANES];
        if (!interpolate(r, op, &b, v, sum)) {
            return false;
        }
        for (int l = 0; l < b.lane_end; l++) {
            if (b.on[l]) {
                put_number(b.dst + v * b.step + l / per * b.blk + l % per * size, sum[l],
                           b.half);
            }
        }
    }
    return true;
}

/* ---- binding ------------------------------------------------------------- */

/* Elements of patterns and offsets are read as they are in memory. */
static bool
is_other(Form f, int param)
{
    return param == (f == FORM_GATHERB ? GATHERB_src_offsets
                     : f == FORM_BI    ? BI_src0_offset
                                       : GATHER_src_offset);
}

bool
emu_bind_gather(EmuProgram *p, EmuOp *op, const char **why)
{
    int n;
    Form f = op_table[op->op].form;
    const ParamInfo *params = form_params(f, &n);
    Dtype t = emu_slot_ref(p, op, form_main(f))->dtype;
    for (int i = 0; i < n; i++) {
        bool tensor = params[i].role == ROLE_DST || params[i].role == ROLE_SRC;
        if (tensor && !is_other(f, i) && emu_slot_ref(p, op, i)->dtype != t) {
            *why = "operands of a gather differ in dtype";
            return false;
        }
    }
    emu_lanes_plan(p, op);
    op->dtype = (uint8_t)t;
    *why = "the gather does not exist for its dtype";
    return dtype_size(t) <= 4 && (f != FORM_BI || t == DT_F16 || t == DT_F32);
}
