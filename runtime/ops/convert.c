/* convert.c: conversions between types for compiled kernels: tikrt_convert for vector
 * lanes whose addresses compiled code knows, the scaled conversions to halves of blocks,
 * and those to 4 bits. */
#include <string.h>

#include "num/conv.h"
#include "ops/internal.h"
#include "tikcode.h"

/* ---- lanes --------------------------------------------------------------- */

static void
convert(const TikConvert *c, uint8_t *dst, const uint8_t *src, int64_t n, uint32_t value)
{
    static const NumRound rounds[ROUND_COUNT + 1] = {
        NUM_NEAREST, NUM_NEAREST, NUM_FLOOR, NUM_CEIL,
        NUM_AWAY,    NUM_TO_ZERO, NUM_ODD,   NUM_OUTWARD};
    NumConv v = {.dst = num_type(c->dst),
                 .src = num_type(c->src),
                 .round = rounds[c->round],
                 .keep = value & 1};
    if (c->scaled) {
        num_conv_scaled(dst, src, (uint16_t)value, false, n);
    } else {
        num_conv(&v, dst, src, n);
    }
}

/* Returns whether n results may be written while elements are read. */
static bool
separate(const TikConvert *c, const uint8_t *dst, const uint8_t *src, int64_t n)
{
    uintptr_t d = (uintptr_t)dst, s = (uintptr_t)src;
    uintptr_t d_end = d + (uintptr_t)(n * dtype_size((Dtype)c->dst));
    uintptr_t s_end = s + (uintptr_t)(n * dtype_size((Dtype)c->src));
    bool one_size = dtype_size((Dtype)c->dst) == dtype_size((Dtype)c->src);
    return (d == s && one_size) || d_end <= s || s_end <= d;
}

void
tikrt_convert(const TikConvert *c, uint8_t *dst, const uint8_t *src, int64_t repeats,
              int64_t dst_step, int64_t src_step, uint32_t value)
{
    int64_t dst_bytes = (int64_t)c->lanes * dtype_size((Dtype)c->dst);
    int64_t src_bytes = (int64_t)c->lanes * dtype_size((Dtype)c->src);
    bool follow = repeats == 1 || (dst_step == dst_bytes && src_step == src_bytes);
    if (follow && separate(c, dst, src, repeats * c->lanes)) {
        convert(c, dst, src, repeats * c->lanes, value);
        return;
    }
    uint8_t copy[REPEAT_BYTES];
    for (int64_t r = 0; r < repeats; r++) {
        const uint8_t *from = src + r * src_step;
        if (!separate(c, dst + r * dst_step, from, c->lanes)) {
            memcpy(copy, from, (size_t)src_bytes);
            from = copy;
        }
        convert(c, dst + r * dst_step, from, c->lanes, value);
    }
}

/* ---- int16 to halves of blocks ------------------------------------------- */

enum {
    LANES = REPEAT_BYTES / 2,
    PER_BLOCK = BLOCK_BYTES / 2,
    PACKS = 16
};

static int64_t
number(const OpCall *c, Role role, const char *name, int64_t missing)
{
    int slot = form_slot(op_table[c->in.op].form, role, name);
    return slot < 0 ? missing : c->in.args[slot].v;
}

/* Gives the bytes from block to block and from repeat to repeat, which the instruction
 * counts in 16-bit elements or blocks. */
static void
strides(const OpCall *c, bool dst, int64_t *blk, int64_t *rep)
{
    int64_t unit = number(c, ROLE_ATTR, "stride_unit", 0);
    *blk = number(c, ROLE_INT, dst ? "dst_blk_stride" : "src_blk_stride", 1);
    *rep = number(c, ROLE_INT, dst ? "dst_rep_stride" : "src_rep_stride", 0);
    *blk = dst && *blk == 0 && unit < 2 ? 1 : *blk;
    *blk = unit < 2 ? *blk * BLOCK_BYTES : BLOCK_BYTES + *blk * 2;
    *rep *= unit < 2 ? BLOCK_BYTES : 2;
    *rep += unit & 1 ? (LANES / PER_BLOCK - 1) * *blk + BLOCK_BYTES : 0;
}

/* Reads the parameter words of the instruction and returns their number; 0 when one of
 * them is not for the destination. */
static int
read_packs(OpCall *c, uint64_t pack[PACKS])
{
    Form form = op_table[c->in.op].form;
    Dtype dst = c->in.args[form_first(form, ROLE_DST)].t.dtype;
    int slot = form_first(form, ROLE_SCALAR);
    int n = slot < 0 ? PACKS : 1;
    if (slot < 0) {
        memcpy(pack, c->at[form_slot(form, ROLE_SRC, "deqscale")], PACKS * sizeof *pack);
    } else {
        pack[0] = (uint64_t)c->in.args[slot].v;
    }
    for (int i = 0; i < n; i++) {
        if (!check_pack_sign(pack[i], dst, &c->fault)) {
            return 0;
        }
    }
    return n;
}

typedef struct Halves {
    uint8_t *dst;
    const uint8_t *src;
    int64_t dst_blk, dst_rep, src_blk, src_rep;
    bool on[LANES];
    int blocks;   /* leading blocks that have active lanes */
    bool swapped; /* with 4 bits even lanes have the high half of a byte */
} Halves;

static void
one_repeat(Halves *h, const uint64_t *pack, int packs)
{
    uint8_t in[REPEAT_BYTES] = {0}, out[LANES];
    for (int b = 0; b < h->blocks; b++) {
        int active = PER_BLOCK; /* the last block may end within its tensor */
        while (!h->on[b * PER_BLOCK + active - 1] && active > 1) {
            active--;
        }
        memcpy(in + b * BLOCK_BYTES, h->src + b * h->src_blk, (size_t)active * 2);
    }
    num_conv_packed(out, in, pack, packs, (int64_t)h->blocks * PER_BLOCK);
    for (int i = 0; i < h->blocks * PER_BLOCK; i++) {
        if (h->on[i]) {
            h->dst[i / PER_BLOCK * h->dst_blk + i % PER_BLOCK] = out[i];
        }
    }
}

static bool
convert_packed(OpCall *c)
{
    Form form = op_table[c->in.op].form;
    uint64_t pack[PACKS];
    int64_t repeats = number(c, ROLE_REPEAT, NULL, 1);
    Halves h = {.dst = c->at[form_first(form, ROLE_DST)],
                .src = c->at[form_slot(form, ROLE_SRC, "src")]};
    int packs = repeats == 0 ? PACKS : read_packs(c, pack);
    h.dst += number(c, ROLE_ATTR, "ldst_high_half", 0) != 0 ? PER_BLOCK : 0;
    strides(c, true, &h.dst_blk, &h.dst_rep);
    strides(c, false, &h.src_blk, &h.src_rep);
    for (int i = 0; i < LANES; i++) {
        h.on[i] = check_lane_active(&c->in, 0, i);
        h.blocks = h.on[i] ? i / PER_BLOCK + 1 : h.blocks;
    }
    for (int64_t r = 0; r < repeats && packs > 0; r++) {
        one_repeat(&h, pack, packs);
        h.dst += h.dst_rep;
        h.src += h.src_rep;
    }
    return packs > 0;
}

/* ---- float16 to int4 ----------------------------------------------------- */

/* Converts a repeat. Lanes whose results share a byte are both on or off. */
static void
one_repeat_of_4_bits(const Halves *h, const NumConv *conv)
{
    uint8_t in[REPEAT_BYTES] = {0}, out[LANES / 2];
    int bytes = h->blocks * PER_BLOCK / 2;
    for (int b = 0; b < h->blocks; b++) {
        int active = PER_BLOCK;
        while (!h->on[b * PER_BLOCK + active - 1] && active > 1) {
            active--;
        }
        memcpy(in + b * BLOCK_BYTES, h->src + b * h->src_blk, (size_t)active * 2);
    }
    num_conv(conv, out, in, (int64_t)h->blocks * PER_BLOCK);
    for (int i = 0; i < bytes; i++) {
        if (h->on[2 * i]) {
            h->dst[i / BLOCK_BYTES * h->dst_blk + i % BLOCK_BYTES] =
                h->swapped ? (uint8_t)(out[i] << 4 | out[i] >> 4) : out[i];
        }
    }
}

static bool
convert_4_bits(OpCall *c)
{
    Form form = op_table[c->in.op].form;
    uint32_t keep;
    int64_t repeats = number(c, ROLE_REPEAT, NULL, 1);
    Halves h = {.dst = c->at[form_first(form, ROLE_DST)],
                .src = c->at[form_slot(form, ROLE_SRC, "src")]};
    h.swapped = chosen(c->in.choices, CHOICE_INT4_ORDER) == CHOSE_INT4_ORDER_HIGH;
    memcpy(&keep, c->sreg + SREG_FP2INT, sizeof keep);
    const NumConv conv = {
        .dst = NUM_S4, .src = NUM_F16, .round = NUM_NEAREST, .keep = keep & 1};
    strides(c, true, &h.dst_blk, &h.dst_rep);
    strides(c, false, &h.src_blk, &h.src_rep);
    if (number(c, ROLE_ATTR, "stride_unit", 0) &
        1) { /* the gap follows two blocks, not eight */
        h.dst_rep -= (LANES / PER_BLOCK - 2) * h.dst_blk;
    }
    for (int i = 0; i < LANES; i++) {
        h.on[i] = check_lane_active(&c->in, 0, i);
        h.blocks = h.on[i] ? i / PER_BLOCK + 1 : h.blocks;
    }
    for (int64_t r = 0; r < repeats; r++) {
        one_repeat_of_4_bits(&h, &conv);
        h.dst += h.dst_rep;
        h.src += h.src_rep;
    }
    return true;
}

/* Lanes of whole bytes are compiled, except those with parameter words. */
bool
ops_convert(OpCall *c)
{
    Sem sem = op_table[c->in.op].sem;
    return sem == SEM_CONV_PACK || sem == SEM_CONV_PACKS ? convert_packed(c)
                                                         : convert_4_bits(c);
}
