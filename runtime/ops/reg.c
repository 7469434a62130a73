/* reg.c: vector registers for compiled kernels: loads, stores, conversions between parts,
 * interleaving and histograms. A register is 256 bytes of the core's memory. All operands
 * are copied before anything is written, so they may be the same register. */
#include <string.h>

#include "rules/reg.h"
#include "isa/operand.h"
#include "num/conv.h"
#include "ops/internal.h"

/* The bytes of one or two registers. */
typedef struct Bytes {
    uint8_t b[2 * REPEAT_BYTES];
} Bytes;

static int
size_of(const OpCall *c, int slot)
{
    return dtype_size(c->in.args[slot].t.dtype);
}

/* ---- lanes --------------------------------------------------------------- */

/* Does to[i] = from[index(i)] for n elements of one width. */
#define SPREAD(T, n, index)                                                              \
    for (int i = 0; i < (n); i++) {                                                      \
        memcpy(to + (size_t)i * sizeof(T), from + (size_t)(index) * sizeof(T),           \
               sizeof(T));                                                               \
    }

#define SPREAD_FN(name, index)                                                           \
    static void name(uint8_t *to, const uint8_t *from, int n, int size)                  \
    {                                                                                    \
        const int per_block = BLOCK_BYTES / size;                                        \
        (void)per_block;                                                                 \
        if (size == 1) {                                                                 \
            SPREAD(uint8_t, n, index)                                                    \
        } else if (size == 2) {                                                          \
            SPREAD(uint16_t, n, index)                                                   \
        } else {                                                                         \
            SPREAD(uint32_t, n, index)                                                   \
        }                                                                                \
    }

SPREAD_FN(one_to_all, 0)
SPREAD_FN(doubled, i / 2)
SPREAD_FN(even_ones, 2 * i)
SPREAD_FN(odd_ones, 2 * i + 1)
SPREAD_FN(one_per_block, i / per_block)

/* Interleaves n elements of a and b. */
static void
interleave(uint8_t *to, const uint8_t *a, const uint8_t *b, int n, int size)
{
    for (int i = 0; i < n; i++) {
        memcpy(to + 2 * i * size, a + i * size, (size_t)size);
        memcpy(to + (2 * i + 1) * size, b + i * size, (size_t)size);
    }
}

/* Writes the elements whose lanes are active. Each lane has size bytes. */
static void
write_active(const OpCall *c, uint8_t *to, const uint8_t *from, int size, int per_lane)
{
    int lanes = check_lanes(&c->in), bytes = size * per_lane;
    const CheckMask *m = NULL;
    int n;
    const ParamInfo *p = form_params(op_table[c->in.op].form, &n);
    for (int i = 0; i < n; i++) {
        m = p[i].role == ROLE_MASK ? &c->in.args[i].m : m;
    }
    if (m == NULL || m->form == MASK_COUNT) {
        int run = m == NULL ? lanes : (int)m->w[0];
        memcpy(to, from, (size_t)run * (size_t)bytes);
        return;
    }
    for (int i = 0; i < lanes; i++) {
        if (check_lane_active(&c->in, 0, i)) {
            memcpy(to + i * bytes, from + i * bytes, (size_t)bytes);
        }
    }
}

/* ---- loads and stores ---------------------------------------------------- */

/* Widens elements: those of half the width become the low halves. */
static void
widen(uint8_t *to, const uint8_t *from, int n, int narrow)
{
    memset(to, 0, REPEAT_BYTES);
    for (int i = 0; i < n; i++) {
        memcpy(to + 2 * i * narrow, from + i * narrow, (size_t)narrow);
    }
}

static bool
load_one(const OpCall *c, RegMode mode)
{
    uint8_t *to = c->at[RLOAD_dst];
    const uint8_t *from = c->at[RLOAD_src];
    int size = size_of(c, RLOAD_dst), n = REPEAT_BYTES / size;
    switch (mode) {
    case REG_BRC:
        one_to_all(to, from, n, size);
        return true;
    case REG_US:
        doubled(to, from, n, size);
        return true;
    case REG_DS:
        even_ones(to, from, n, size);
        return true;
    case REG_UNPK:
        widen(to, from, n, size / 2);
        return true;
    case REG_E2B:
        one_per_block(to, from, n, size);
        return true;
    default:
        memcpy(to, from, REPEAT_BYTES);
        return true;
    }
}

/* Separates even and odd elements, or blocks. */
static void
take_apart(uint8_t *even, uint8_t *odd, const uint8_t *from, int size)
{
    int n = REPEAT_BYTES / size;
    if (size == BLOCK_BYTES) {
        for (int i = 0; i < n; i++) {
            memcpy(even + i * BLOCK_BYTES, from + 2 * i * BLOCK_BYTES, BLOCK_BYTES);
            memcpy(odd + i * BLOCK_BYTES, from + (2 * i + 1) * BLOCK_BYTES, BLOCK_BYTES);
        }
        return;
    }
    even_ones(even, from, n, size);
    odd_ones(odd, from, n, size);
}

bool
ops_reg_load(OpCall *c)
{
    if (op_table[c->in.op].form == FORM_RLOAD) {
        return load_one(c, (RegMode)c->in.args[RLOAD_ld_mode].v);
    }
    bool blocks = c->in.args[RLOAD2_ld_mode].v == REG_BDINTLV;
    take_apart(c->at[RLOAD2_dst0], c->at[RLOAD2_dst1], c->at[RLOAD2_src],
               blocks ? BLOCK_BYTES : size_of(c, RLOAD2_dst0));
    return true;
}

bool
ops_reg_store(OpCall *c)
{
    Bytes made;
    uint8_t *to = c->at[RSTORE_dst];
    const uint8_t *from = c->at[RSTORE_src];
    int size = size_of(c, RSTORE_src), n = REPEAT_BYTES / size;
    if (op_table[c->in.op].form == FORM_RSTORE2) {
        interleave(made.b, from, c->at[RSTORE2_src1], n, size);
        write_active(c, to, made.b, size, 2);
        return true;
    }
    switch ((RegMode)c->in.args[RSTORE_st_mode].v) {
    case REG_ONEPT:
        if (check_lane_active(&c->in, 0, 0)) {
            memcpy(to, from, (size_t)size);
        }
        return true;
    case REG_PK:
        even_ones(made.b, from, n, size / 2);
        write_active(c, to, made.b, size / 2, 1);
        return true;
    default:
        write_active(c, to, from, size, 1);
        return true;
    }
}

/* ---- between registers --------------------------------------------------- */

bool
ops_reg_interleave(OpCall *c)
{
    Bytes read, made;
    int size = size_of(c, RLACE_dst0), n = REPEAT_BYTES / size;
    memcpy(read.b, c->at[RLACE_src0], REPEAT_BYTES);
    memcpy(read.b + REPEAT_BYTES, c->at[RLACE_src1], REPEAT_BYTES);
    if (op_table[c->in.op].sem == SEM_REG_INTLV) {
        interleave(made.b, read.b, read.b + REPEAT_BYTES, n, size);
    } else {
        take_apart(made.b, made.b + REPEAT_BYTES, read.b, size);
    }
    memcpy(c->at[RLACE_dst0], made.b, REPEAT_BYTES);
    memcpy(c->at[RLACE_dst1], made.b + REPEAT_BYTES, REPEAT_BYTES);
    return true;
}

static NumRound
round_of(const OpCall *c)
{
    static const NumRound rounds[ROUND_COUNT] = {
        NUM_NEAREST, NUM_NEAREST, NUM_FLOOR, NUM_CEIL, NUM_AWAY, NUM_TO_ZERO, NUM_ODD};
    NumRound r = rounds[c->in.args[RCAST_round_mode].v];
    bool directed = chosen(c->in.choices, CHOICE_AWAY_ZERO) == CHOSE_AWAY_ZERO_DIRECTED;
    return r == NUM_AWAY && directed ? NUM_OUTWARD : r;
}

/* Collects n elements that are pitch elements apart, from element first on. */
static void
collect(uint8_t *to, const uint8_t *from, int n, int size, int pitch, int first)
{
    for (int i = 0; i < n; i++) {
        memcpy(to + i * size, from + (i * pitch + first) * size, (size_t)size);
    }
}

bool
ops_reg_cast(OpCall *c)
{
    Bytes read, made;
    int dst = size_of(c, RCAST_dst), src = size_of(c, RCAST_src);
    int n = check_lanes(&c->in), part = (int)c->in.args[RCAST_part_indicator].v;
    NumConv v = {.dst = num_type(c->in.args[RCAST_dst].t.dtype),
                 .src = num_type(c->in.args[RCAST_src].t.dtype),
                 .round = round_of(c),
                 .keep = c->in.args[RCAST_saturate_flag].v == 0};
    collect(read.b, c->at[RCAST_src], n, src, dst > src ? dst / src : 1,
            dst > src ? part : 0);
    num_conv(&v, made.b, read.b, n);
    int pitch = src > dst ? src / dst : 1;
    for (int i = 0; i < n; i++) {
        if (check_lane_active(&c->in, 0, i)) {
            int64_t to = (int64_t)(i * pitch + (src > dst ? part : 0)) * dst;
            memcpy(c->at[RCAST_dst] + to, made.b + i * dst, (size_t)dst);
        }
    }
    return true;
}

bool
ops_reg_histogram(OpCall *c)
{
    uint16_t bins[2][RHIST_BINS];
    memcpy(bins[0], c->at[RHIST_dst0], sizeof bins[0]);
    memcpy(bins[1], c->at[RHIST_dst1], sizeof bins[1]);
    const uint8_t *src = c->at[RHIST_src];
    for (int i = 0; i < REPEAT_BYTES; i++) {
        if (check_lane_active(&c->in, 0, i)) {
            bins[src[i] / RHIST_BINS][src[i] % RHIST_BINS]++;
        }
    }
    memcpy(c->at[RHIST_dst0], bins[0], sizeof bins[0]);
    memcpy(c->at[RHIST_dst1], bins[1], sizeof bins[1]);
    return true;
}
