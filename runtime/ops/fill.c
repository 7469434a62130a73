/* fill.c: sequences, broadcasts, copies and padding of blocks (vector 4 and 10) for
 * compiled kernels. A repeat is made in a buffer and then written block by block. */
#include <string.h>

#include "num/half.h"
#include "num/seq.h"
#include "isa/operand.h"
#include "ops/internal.h"

enum {
    BLOCKS = REPEAT_BYTES / BLOCK_BYTES
};

/* An operand that is addressed by vector lanes, with steps in bytes. */
typedef struct Walk {
    uint8_t *at;
    int64_t blk, rep;
    int size;
} Walk;

static Walk
walk_of(const OpCall *c, int slot)
{
    Form form = op_table[c->in.op].form;
    LaneOperand o = form_lanes(form, slot);
    int unit_slot = form_slot(form, ROLE_ATTR, "stride_unit");
    int64_t unit = unit_slot < 0 ? 0 : c->in.args[unit_slot].v;
    int64_t blk = c->in.args[o.blk].v, rep = c->in.args[o.rep].v;
    Walk w = {.at = c->at[slot], .size = dtype_size(c->in.args[slot].t.dtype)};
    if (unit >= 2) {
        w.blk = BLOCK_BYTES + blk * w.size;
        w.rep = rep * w.size;
    } else {
        w.blk = (blk == 0 && o.blk0_is_1 ? 1 : blk) * BLOCK_BYTES;
        w.rep = rep * BLOCK_BYTES;
    }
    if (unit & 1) {
        w.rep += (BLOCKS - 1) * w.blk + BLOCK_BYTES;
    }
    return w;
}

/* Writes those bytes of a repeat whose lanes are active. */
static void
store(const OpCall *c, const Walk *d, int64_t repeat, const uint8_t *bytes)
{
    int per_block = BLOCK_BYTES / d->size, lanes = check_lanes(&c->in);
    for (int i = 0; i < lanes; i++) {
        if (check_lane_active(&c->in, repeat, i)) {
            int64_t to =
                repeat * d->rep + i / per_block * d->blk + i % per_block * d->size;
            memcpy(d->at + to, bytes + i * d->size, (size_t)d->size);
        }
    }
}

static void
saturate(uint8_t *bytes, int n)
{
    uint16_t h[REPEAT_BYTES / 2];
    memcpy(h, bytes, (size_t)n * sizeof *h);
    for (int i = 0; i < n; i++) {
        h[i] = half_finite(h[i]);
    }
    memcpy(bytes, h, (size_t)n * sizeof *h);
}

bool
ops_sequence(OpCall *c)
{
    uint8_t made[REPEAT_BYTES];
    Walk d = walk_of(c, VCIB_dst_index);
    int lanes = check_lanes(&c->in);
    NumType t =
        (NumType)(c->in.args[VCIB_dst_index].t.dtype - 1); /* Dtype begins with DT_NONE */
    bool saturates = t == NUM_F16 && chosen(c->in.choices, CHOICE_FLOAT16_OVERFLOW) ==
                                         CHOSE_FLOAT16_OVERFLOW_SATURATE;
    bool restarts =
        chosen(c->in.choices, CHOICE_VCI_REPEATS) == CHOSE_VCI_REPEATS_RESTARTS;
    for (int64_t r = 0, n = check_repeats(&c->in); r < n; r++) {
        num_sequence(made, t, c->in.args[VCIB_start_point].v, restarts ? 0 : r * lanes,
                     lanes);
        if (saturates) {
            saturate(made, lanes);
        }
        store(c, &d, r, made);
    }
    return true;
}

bool
ops_broadcast(OpCall *c)
{
    Walk d = walk_of(c, VBCB_dst);
    const uint8_t *src = c->at[VBCB_src];
    for (int64_t r = 0, n = check_repeats(&c->in); r < n; r++) {
        for (int b = 0; b < BLOCKS; b++, src += d.size) {
            uint8_t *block = d.at + r * d.rep + b * d.blk;
            for (int i = 0; i < BLOCK_BYTES; i += d.size) {
                memcpy(block + i, src, (size_t)d.size);
            }
        }
    }
    return true;
}

/* Copies n bytes in blocks. The operands share none, or are the same. */
static void
copy_blocks(const Walk *d, const Walk *s, int64_t repeat, int64_t n)
{
    uint8_t *to = d->at + repeat * d->rep;
    const uint8_t *from = s->at + repeat * s->rep;
    for (; n > 0; n -= BLOCK_BYTES, to += d->blk, from += s->blk) {
        memmove(to, from, n < BLOCK_BYTES ? (size_t)n : BLOCK_BYTES);
    }
}

/* All reads of a repeat come before its writes. */
static void
copy_repeat(const OpCall *c, const Walk *d, const Walk *s, int64_t repeat, int64_t run)
{
    uint8_t read[REPEAT_BYTES];
    Walk aside = {.at = read, .blk = BLOCK_BYTES, .rep = 0, .size = s->size};
    copy_blocks(&aside, s, repeat, run * s->size);
    if (c->in.args[VCOPYB_mask].m.form == MASK_COUNT) {
        copy_blocks(d, &aside, repeat, run * d->size);
    } else {
        store(c, d, repeat, read);
    }
}

bool
ops_copy(OpCall *c)
{
    const CheckMask *m = &c->in.args[VCOPYB_mask].m;
    Walk d = walk_of(c, VCOPYB_dst), s = walk_of(c, VCOPYB_src);
    int64_t run = m->form == MASK_COUNT || m->form == MASK_COUNTER ? (int64_t)m->w[0]
                                                                   : check_lanes(&c->in);
    while (m->form == MASK_BITS && run > 0 &&
           !check_lane_active(&c->in, 0, (int)run - 1)) {
        run--; /* no bytes need exist after the highest lane */
    }
    for (int64_t r = 0; r < c->in.args[VCOPYB_repeat_times].v; r++) {
        if (m->form == MASK_COUNTER) {
            copy_blocks(&d, &s, r, run * d.size);
        } else {
            copy_repeat(c, &d, &s, r, run);
        }
    }
    return true;
}

/* Makes the block next to the source block: its nearest edge repeated, or the block
 * mirrored with its edge or without, which leaves a 0 at the far end. */
static void
pad_block(uint8_t *block, const uint8_t *src, int size, int64_t mode, bool right)
{
    int n = BLOCK_BYTES / size;
    int skip = mode == 2 ? (right ? 1 : -1) : 0;
    for (int i = 0; i < n; i++) {
        int from = mode == 0 ? (right ? n - 1 : 0) : n - 1 - i - skip;
        if (from < 0 || from >= n) {
            memset(block + i * size, 0, (size_t)size);
        } else {
            memcpy(block + i * size, src + from * size, (size_t)size);
        }
    }
}

bool
ops_padding(OpCall *c)
{
    uint8_t made[REPEAT_BYTES];
    Walk d = walk_of(c, VPADB_dst), s = walk_of(c, VPADB_src);
    bool right = c->in.args[VPADB_pad_side].v != 0;
    for (int64_t r = 0, n = check_repeats(&c->in); r < n; r++) {
        for (int b = 0; b < BLOCKS; b++) {
            pad_block(made + b * BLOCK_BYTES, s.at + r * s.rep + b * s.blk, s.size,
                      c->in.args[VPADB_pad_mode].v, right);
        }
        store(c, &d, r, made);
    }
    return true;
}
