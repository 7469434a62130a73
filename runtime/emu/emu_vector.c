/* emu_vector.c: vector instructions: masks, repeats, repeat strides. Arithmetic is in emu_lanes*.c.
 *
 * Blocks of one repeat are contiguous (block stride 1), so a repeat's operand is one run of lanes. The
 * common case, a leading mask whose repeats touch each other, is one long run for the whole
 * instruction. Everything else goes repeat by repeat: read all lanes, then write the active ones. */
#include "emu/emu.h"

#include <string.h>

enum {
    MAX_SRCS = EMU_REFS - 1
};

/* One instruction with its numbers; sizes and strides in bytes. */
typedef struct Call {
    LaneFn *lanes_fn;
    int nsrcs;
    int size; /* of an element */
    int64_t repeats;
    int64_t lanes; /* run of every repeat: up to the highest active lane */
    int64_t last;  /* counter mode: run of the last repeat; else as lanes */
    uint8_t *dst;
    const uint8_t *src[MAX_SRCS];
    int64_t dst_stride;
    int64_t src_stride[MAX_SRCS];
    int64_t scalar;
    bool holes;                 /* lanes below the highest one are off */
    uint8_t keep[REPEAT_BYTES]; /* with holes: 0xff for bytes of lanes that are off */
} Call;

bool
emu_bind_vector(EmuProgram *p, EmuOp *op, const char **why)
{
    const OpInfo *info = &op_table[op->op];
    Dtype t = p->refs[op->refs[0]].dtype;
    int n;
    const ParamInfo *params = form_params(info->form, &n);
    int refs = 0;
    for (int i = 0; i < n; i++) {
        if (params[i].role == ROLE_SRC || params[i].role == ROLE_DST) {
            if (p->refs[op->refs[refs++]].dtype != t) {
                *why = "operands of a vector instruction differ in dtype";
                return false;
            }
        }
    }
    op->lanes = emu_lane_fn((Op)op->op, t);
    op->dtype = (uint8_t)t;
    op->exec = emu_exec_vector;
    *why = "the vector instruction does not exist for its dtype";
    return op->lanes != NULL;
}

/* ---- masks --------------------------------------------------------------------------------------------- */

static bool
lane_on(const uint64_t *w, int64_t lane)
{
    return (w[lane / 64] >> (lane % 64) & 1) != 0;
}

/* Bitwise mask: the run up to the highest bit; bytes of lanes that are off are kept. */
static bool
read_bits(const EmuRun *r, const EmuOp *op, Call *c)
{
    uint64_t w[4] = {0};
    int words = mask_words((MaskForm)op->mask_form);
    int64_t highest = -1, on = 0;
    for (int i = 0; i < words; i++) {
        w[i] = (uint64_t)emu_num(r, op->mask[i]);
        on += __builtin_popcountll(w[i]);
        highest = w[i] != 0 ? 64 * i + 63 - __builtin_clzll(w[i]) : highest;
    }
    c->lanes = c->last = highest + 1;
    c->holes = on != c->lanes;
    if (highest < 0 || c->lanes * c->size > REPEAT_BYTES) {
        return false;
    }
    for (int64_t i = 0; c->holes && i < c->lanes; i++) {
        memset(c->keep + i * c->size, lane_on(w, i) ? 0 : 0xff, (size_t)c->size);
    }
    return true;
}

/* Repeats and lanes; false: a number is out of its range. */
static bool
read_mask(const EmuRun *r, const EmuOp *op, Call *c)
{
    int64_t full = REPEAT_BYTES / c->size;
    int64_t count = emu_num(r, op->mask[0]);
    c->holes = false;
    switch ((MaskForm)op->mask_form) {
    case MASK_COUNT:
        c->lanes = c->last = count;
        return count >= 1 && count <= full;
    case MASK_BITS:
    case MASK_BITS4:
        return read_bits(r, op, c);
    case MASK_COUNTER:
        if (count < 1 || count > UINT32_MAX) {
            return false;
        }
        c->repeats = (count + full - 1) / full;
        c->last = count - (c->repeats - 1) * full;
        c->lanes = c->repeats > 1 ? full : c->last;
        return true;
    }
    return false;
}

/* ---- operands -------------------------------------------------------------------------------------------- */

/* Bytes from the first to behind the last that an operand with this stride touches. */
static int64_t
extent(const Call *c, int64_t stride)
{
    int64_t end = (c->repeats - 1) * stride + c->last * c->size;
    int64_t before = c->repeats > 1 ? (c->repeats - 2) * stride + c->lanes * c->size : 0;
    return end > before ? end : before;
}

static bool
read_operands(const EmuRun *r, const EmuOp *op, Call *c)
{
    for (int i = 0; i <= c->nsrcs; i++) {
        int64_t blocks = emu_num(r, op->ints[i]);
        if (blocks < 0 || blocks > 255) {
            return false;
        }
        int64_t stride = blocks * BLOCK_BYTES;
        uint8_t *at = emu_at(r, op->refs[i], extent(c, stride));
        if (at == NULL) {
            return false;
        }
        if (i == 0) {
            c->dst = at;
            c->dst_stride = stride;
        } else {
            c->src[i - 1] = at;
            c->src_stride[i - 1] = stride;
        }
    }
    return true;
}

static int
source_count(Form f)
{
    return f == FORM_VDUP ? 0 : f == FORM_VBIN ? 2 : 1;
}

static bool
has_scalar(Form f)
{
    return f == FORM_VDUP || f == FORM_VSCALAR;
}

/* ---- execution -------------------------------------------------------------------------------------------- */

/* A source that a run may read while it writes dst: the same run, or no shared byte. */
static bool
separate(const uint8_t *dst, const uint8_t *src, int64_t bytes)
{
    uintptr_t d = (uintptr_t)dst, s = (uintptr_t)src;
    return d == s || d + (uintptr_t)bytes <= s || s + (uintptr_t)bytes <= d;
}

static bool
run_is_safe(const Call *c, const uint8_t *dst, const uint8_t *const src[MAX_SRCS],
            int64_t n)
{
    for (int i = 0; i < c->nsrcs; i++) {
        if (!separate(dst, src[i], n * c->size)) {
            return false;
        }
    }
    return true;
}

/* The whole instruction as one run. False: it is not one. */
static bool
one_run(const Call *c)
{
    int64_t bytes = c->lanes * c->size;
    bool touching = c->repeats == 1 || c->dst_stride == bytes;
    for (int i = 0; i < c->nsrcs; i++) {
        touching = touching && (c->repeats == 1 || c->src_stride[i] == bytes);
    }
    int64_t n = (c->repeats - 1) * c->lanes + c->last;
    if (c->holes || !touching || !run_is_safe(c, c->dst, c->src, n)) {
        return false;
    }
    c->lanes_fn(c->dst, c->src[0], c->src[1], c->scalar, n);
    return true;
}

/* Puts the bytes of lanes that are off back into the result, which is the same as not writing them. */
static void
restore_kept(uint8_t *result, const uint8_t *dst, const uint8_t *keep, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        result[i] = (uint8_t)((result[i] & ~keep[i]) | (dst[i] & keep[i]));
    }
}

/* Results that must not be written while sources are read go through a buffer. */
static void
buffered_repeat(const Call *c, uint8_t *dst, const uint8_t *const src[MAX_SRCS],
                int64_t n)
{
    uint8_t result[REPEAT_BYTES];
    c->lanes_fn(result, src[0], src[1], c->scalar, n);
    size_t bytes = (size_t)(n * c->size);
    if (c->holes) {
        restore_kept(result, dst, c->keep, bytes);
    }
    memcpy(dst, result, bytes);
}

static void
each_repeat(const Call *c)
{
    uint8_t *dst = c->dst;
    const uint8_t *src[MAX_SRCS] = {c->src[0], c->src[1]};
    for (int64_t i = 0; i < c->repeats; i++) {
        int64_t n = i + 1 < c->repeats ? c->lanes : c->last;
        if (!c->holes && run_is_safe(c, dst, src, n)) {
            c->lanes_fn(dst, src[0], src[1], c->scalar, n);
        } else {
            buffered_repeat(c, dst, src, n);
        }
        dst += c->dst_stride;
        for (int s = 0; s < c->nsrcs; s++) {
            src[s] += c->src_stride[s];
        }
    }
}

bool
emu_exec_vector(EmuRun *r, const EmuOp *op)
{
    Form form = op_table[op->op].form;
    Call c;
    c.lanes_fn = op->lanes;
    c.nsrcs = source_count(form);
    c.size = dtype_size((Dtype)op->dtype);
    c.repeats = emu_num(r, op->repeat);
    c.src[0] = c.src[1] = NULL;
    c.scalar = has_scalar(form) ? emu_num(r, op->scalar) : 0;
    if (op->checked && !emu_check(r, op)) {
        return false;
    }
    if (op->mask_form != MASK_COUNTER) {
        if (c.repeats < 0 || c.repeats > 255) {
            return emu_refuse(r, op);
        }
        if (c.repeats == 0) {
            return true;
        }
    }
    if (!read_mask(r, op, &c) || !read_operands(r, op, &c)) {
        return emu_refuse(r, op);
    }
    if (!one_run(&c)) {
        each_repeat(&c);
    }
    return true;
}
