/* reduce.c: reductions (vector chapter 7) for compiled kernels. This file has operands,
 * masks and results; the arithmetic of a repeat is in reduce_lanes.c.
 *
 * A repeat whose lanes are all active and contiguous is used in place; others are
 * collected first, with 0 for lanes that are off. 64-bit integers, which hardly any
 * kernel reduces, take a lane at a time. Each repeat is read and written before the next
 * one. */
#include "ops/reduce.h"
#include "isa/operand.h"

#include <string.h>

#include "num/half.h"
#include "num/lanes.h"
#include "ops/ops.h"

enum {
    MAX_REPEATS = 4095,
    CHUNK = 255,
    BLOCKS = REPEAT_BYTES / BLOCK_BYTES
};

typedef struct Reduce {
    const ReduceTable *table;
    const OpCall *call;
    Sem sem;
    Dtype t;
    int size, lanes;
    int run; /* leading lanes up to the last active one */
    bool holes;
    bool full;                 /* every lane of a repeat is on */
    uint8_t on[REDUCE_MOST];   /* which lanes are on, unless full */
    const uint8_t *src;        /* the present repeat */
    int64_t blk, rep, repeats; /* strides of src in bytes */
    uint8_t *dst;
    int64_t step; /* bytes from the results of a repeat to those of the next */
    int results;  /* elements of the results of a repeat */
    bool smallest;
    bool saturates; /* sums of float16 saturate */
    uint8_t collected[REPEAT_BYTES];
} Reduce;

/* ---- operands ------------------------------------------------------------ */

static void
read_mask(Reduce *x, const CheckMask *m)
{
    int on = 0;
    x->run = 0;
    for (int i = 0; i < x->lanes; i++) {
        bool bits = m->form != MASK_COUNT;
        x->on[i] = bits ? m->w[i / 64] >> (i % 64) & 1 : i < (int64_t)m->w[0];
        x->run = x->on[i] ? i + 1 : x->run;
        on += x->on[i];
    }
    x->full = on == x->lanes;
    x->holes = on != x->run;
}

/* Returns a number by the name of its operand, or a default if the form has no such
 * operand. */
static int64_t
number(const CheckInstr *in, Role role, const char *name, int64_t missing)
{
    int slot = form_slot(op_table[in->op].form, role, name);
    return slot < 0 ? missing : in->args[slot].v;
}

static void
read_source(Reduce *x, const CheckInstr *in)
{
    int64_t unit = number(in, ROLE_ATTR, "stride_unit", 0);
    int64_t step = unit >= 2 ? x->size : BLOCK_BYTES;
    x->blk =
        number(in, ROLE_INT, "src_blk_stride", 1) * step + (unit >= 2 ? BLOCK_BYTES : 0);
    x->rep = number(in, ROLE_INT, "src_rep_stride", BLOCKS) * step;
    if (unit & 1) {
        x->rep += (BLOCKS - 1) * x->blk + BLOCK_BYTES;
    }
    x->repeats = number(in, ROLE_REPEAT, NULL, 1);
    x->src = x->call->at[REDUCE_src];
}

static int
results_of(const Reduce *x, const CheckInstr *in)
{
    switch (x->sem) {
    case SEM_CMAX:
    case SEM_CMIN:
        return 2;
    case SEM_CGADD:
    case SEM_CGMAX:
    case SEM_CGMIN:
        return BLOCKS;
    case SEM_CPADD:
        return x->lanes / 2;
    case SEM_ALL_MAX:
    case SEM_ALL_MIN:
        return in->args[ALLMAX_cal_index].v != 0 ? 2 : 1;
    default:
        return 1;
    }
}

static void
open_reduce(Reduce *x, const OpCall *c)
{
    const CheckInstr *in = &c->in;
    x->call = c;
    x->table = num_level() >= NUM_LEVEL_AVX2 ? &reduce_avx2 : &reduce_base;
    x->sem = op_table[in->op].sem;
    x->t = in->args[REDUCE_dst].t.dtype;
    x->size = dtype_size(x->t);
    x->saturates = x->t == DT_F16 && chosen(in->choices, CHOICE_FLOAT16_OVERFLOW) ==
                                         CHOSE_FLOAT16_OVERFLOW_SATURATE;
    x->lanes = REPEAT_BYTES / x->size;
    x->smallest = x->sem == SEM_CMIN || x->sem == SEM_CGMIN || x->sem == SEM_ALL_MIN;
    read_mask(x, &in->args[REDUCE_mask].m);
    read_source(x, in);
    x->results = results_of(x, in);
    x->dst = c->at[REDUCE_dst];
    x->step = number(in, ROLE_INT, "dst_rep_stride", 0) * x->results * x->size;
    memset(x->collected, 0, sizeof x->collected);
}

static void
next_repeat(Reduce *x)
{
    x->src += x->rep;
    x->dst += x->step;
}

/* Returns the lanes of the present repeat, with 0 for lanes that are off. Those after the
 * last active one were zeroed at the beginning. */
static const uint8_t *
lanes_of_repeat(Reduce *x)
{
    if (x->full && x->blk == BLOCK_BYTES) {
        return x->src;
    }
    int bytes = x->run * x->size;
    if (x->blk == BLOCK_BYTES) {
        memcpy(x->collected, x->src, (size_t)bytes);
    } else {
        for (int at = 0, b = 0; at < bytes; at += BLOCK_BYTES, b++) {
            int n = bytes - at < BLOCK_BYTES ? bytes - at : BLOCK_BYTES;
            memcpy(x->collected + at, x->src + b * x->blk, (size_t)n);
        }
    }
    for (int i = 0; x->holes && i < x->run; i++) {
        if (!x->on[i]) {
            memset(x->collected + i * x->size, 0, (size_t)x->size);
        }
    }
    return x->collected;
}

/* ---- sums ---------------------------------------------------------------- */

/* The sums of a repeat: floats, which are exact in float16 if that is the type, or 64-bit
 * integers. */
typedef union Sums {
    float f[REDUCE_MOST];
    uint64_t i[REPEAT_BYTES / 8];
} Sums;

static void
sum_s64(uint64_t *sums, const uint8_t *lanes, int n, int left)
{
    const AnyU64 *x = (const AnyU64 *)lanes;
    int each = n / left;
    for (int i = 0; i < left; i++) {
        sums[i] = 0;
        for (int k = 0; k < each; k++) {
            sums[i] += x[i * each + k];
        }
    }
}

static float
rounded_half(float sum, bool saturates)
{
    uint16_t h = half_from_float(sum);
    return half_to_float(saturates ? half_finite(h) : h);
}

static void
sum_saturated(float *sums, const uint8_t *lanes, int n, int left)
{
    const AnyU16 *x = (const AnyU16 *)lanes;
    for (int i = 0; i < n; i++) {
        sums[i] = half_to_float(x[i]);
    }
    for (; n > left; n /= 2) {
        for (int i = 0; i < n / 2; i++) {
            sums[i] = rounded_half(sums[2 * i] + sums[2 * i + 1], true);
        }
    }
}

static void
sum_lanes(const Reduce *x, Sums *sums, const uint8_t *lanes, int left)
{
    if (x->saturates) {
        sum_saturated(sums->f, lanes, x->lanes, left);
    } else if (x->t == DT_F16) {
        x->table->sum_f16(sums->f, lanes, left);
    } else if (x->t == DT_F32) {
        x->table->sum_f32(sums->f, lanes, left);
    } else {
        sum_s64(sums->i, lanes, x->lanes, left);
    }
}

static void
put_sum(const Reduce *x, const Sums *sums, int i)
{
    if (x->t == DT_F16) {
        ((AnyU16 *)x->dst)[i] = half_from_float(sums->f[i]);
    } else if (x->t == DT_F32) {
        ((AnyU32 *)x->dst)[i] = float_bits_canonical(sums->f[i]);
    } else {
        ((AnyU64 *)x->dst)[i] = sums->i[i];
    }
}

/* Writes the first n sums. */
static void
put_sums(const Reduce *x, const Sums *sums, int n)
{
    if (x->t == DT_F16) {
        x->table->narrow_f16(x->dst, sums->f, n);
        return;
    }
    for (int i = 0; x->t == DT_F32 && i < n; i++) {
        ((AnyU32 *)x->dst)[i] = float_bits_canonical(sums->f[i]);
    }
    if (x->t == DT_S64) {
        memcpy(x->dst, sums->i, (size_t)n * sizeof sums->i[0]);
    }
}

/* Sums of pairs without active lanes are not written, except on the 310B class (and, by a
 * choice, on the oldest). */
static void
put_pairs(const Reduce *x, const Sums *sums)
{
    const CheckInstr *in = &x->call->in;
    bool always =
        soc_has(in->soc, FEATURE_CPADD_ALL_PAIRS) ||
        (soc_has(in->soc, FEATURE_CPADD_BY_CHOICE) &&
         chosen(in->choices, CHOICE_MASKED_BLOCK) == CHOSE_MASKED_BLOCK_ZERO_PAIRS);
    if (x->full || always) {
        put_sums(x, sums, x->results);
    } else if (!x->holes) {
        put_sums(x, sums, (x->run + 1) / 2);
    } else {
        for (int i = 0; i < x->results; i++) {
            if (x->on[2 * i] || x->on[2 * i + 1]) {
                put_sum(x, sums, i);
            }
        }
    }
}

bool
ops_reduce_sum(OpCall *c)
{
    Reduce x;
    Sums sums;
    open_reduce(&x, c);
    for (int64_t r = 0; r < x.repeats; r++) {
        sum_lanes(&x, &sums, lanes_of_repeat(&x), x.results);
        if (x.sem == SEM_CPADD) {
            put_pairs(&x, &sums);
        } else {
            put_sums(&x, &sums, x.results);
        }
        next_repeat(&x);
    }
    return true;
}

/* Replaces n values by the sums of groups of as many values as a repeat has lanes, and
 * returns the number of groups. */
static int64_t
sum_groups(const Reduce *x, float *values, int64_t n)
{
    int64_t groups = 0;
    for (int64_t at = 0; at < n; at += x->lanes, groups++) {
        uint16_t half[REDUCE_MOST] = {0};
        float group[REDUCE_MOST] = {0};
        int64_t have = n - at < x->lanes ? n - at : x->lanes;
        memcpy(group, values + at, (size_t)have * sizeof group[0]);
        for (int i = 0; x->t == DT_F16 && i < have; i++) {
            half[i] = half_from_float(group[i]);
        }
        Sums sum;
        const void *lanes = x->t == DT_F16 ? (const void *)half : (const void *)group;
        sum_lanes(x, &sum, lanes, 1);
        values[groups] = sum.f[0];
    }
    return groups;
}

/* Makes the sums of chunks of 255 repeats, each one after the other, and returns their
 * number. */
static int64_t
sum_chunks(const Reduce *x, float *values, int64_t n)
{
    int64_t chunks = 0;
    for (int64_t at = 0; at < n; chunks++) {
        float sum = values[at++];
        for (int64_t i = 1; i < CHUNK && at < n; i++) {
            sum += values[at++];
            sum = x->t == DT_F16 ? rounded_half(sum, x->saturates) : sum;
        }
        values[chunks] = sum;
    }
    return chunks;
}

bool
ops_reduce_sum_all(OpCall *c)
{
    Reduce x;
    Sums sums;
    float values[MAX_REPEATS];
    open_reduce(&x, c);
    for (int64_t r = 0; r < x.repeats; r++) {
        sum_lanes(&x, &sums, lanes_of_repeat(&x), 1);
        values[r] = sums.f[0];
        x.src += x.rep;
    }
    bool chip =
        soc_has(c->in.soc, FEATURE_REDUCE_CHUNKS) &&
        chosen(c->in.choices, CHOICE_SUMMATION_ORDER) == CHOSE_SUMMATION_ORDER_CHIP;
    for (int64_t n = chip ? sum_chunks(&x, values, x.repeats) : x.repeats; n > 1;) {
        n = sum_groups(&x, values, n);
    }
    if (x.repeats > 0) {
        sums.f[0] = values[0];
        put_sum(&x, &sums, 0);
    }
    return true;
}

/* ---- extremes ------------------------------------------------------------ */

/* The greatest key of the lanes seen so far, and where it was first. */
typedef struct Best {
    int64_t key; /* INT64_MIN: no lane was active so far */
    bool any;
    uint64_t bits; /* the element */
    int64_t at;
    int64_t count;
} Best;

static void
keys_of(const Reduce *x, int32_t *keys, const uint8_t *lanes)
{
    int32_t sign = x->smallest ? -1 : 1;
    if (x->t == DT_F16) {
        x->table->keys_f16(keys, lanes, sign);
    } else if (x->t == DT_F32) {
        x->table->keys_f32(keys, lanes, sign);
    } else {
        x->table->keys_s16(keys, lanes, sign);
    }
    for (int i = 0; x->holes && i < x->run; i++) {
        keys[i] = x->on[i] ? keys[i] : KEY_OFF;
    }
    for (int i = x->run; i < x->lanes; i++) {
        keys[i] = KEY_OFF;
    }
}

static uint64_t
nan_of(Dtype t)
{
    return t == DT_F16 ? HALF_NAN : FLOAT_NAN;
}

static uint64_t
element(const Reduce *x, const uint8_t *lanes, int i)
{
    uint64_t bits = 0;
    memcpy(&bits, lanes + i * x->size, (size_t)x->size);
    return bits;
}

static void
best_of_s64(const Reduce *x, Best *best, const uint8_t *lanes, int first, int n,
            int64_t at)
{
    for (int i = first; i < first + n; i++) {
        int64_t value = (int64_t)element(x, lanes, i);
        int64_t key = x->smallest ? ~value : value;
        if (!x->full && !x->on[i]) {
            continue;
        }
        if (!best->any || key > best->key) {
            *best = (Best){key, true, (uint64_t)value, at + i, 1};
        } else {
            best->count += key == best->key;
        }
    }
}

/* Takes a repeat into account. at is the index of its lane 0; counted: the number of
 * equal lanes is needed. */
static void
best_of(const Reduce *x, Best *best, const uint8_t *lanes, int64_t at, bool counted)
{
    int32_t keys[REDUCE_MOST];
    if (x->t == DT_S64) {
        best_of_s64(x, best, lanes, 0, x->lanes, at);
        return;
    }
    keys_of(x, keys, lanes);
    int32_t key = x->table->greatest(keys, x->lanes);
    int64_t count = counted && key != KEY_NAN ? x->table->count(keys, x->lanes, key) : 0;
    if (!best->any || key > best->key) {
        int i = x->table->find(keys, x->lanes, key);
        uint64_t bits = key == KEY_NAN ? nan_of(x->t) : element(x, lanes, i);
        *best = (Best){key, true, bits, at + i, count};
    } else {
        best->count += key == best->key ? count : 0;
    }
}

static void
put_bits(const Reduce *x, int i, uint64_t bits)
{
    memcpy(x->dst + i * x->size, &bits, (size_t)x->size);
}

static void
fill_registers(const Reduce *x, const Best *best)
{
    uint8_t *sreg = x->call->sreg;
    uint32_t rest[2] = {(uint16_t)best->count, (uint16_t)best->at};
    memcpy(sreg + SREG_MAX_MIN, &best->bits, sizeof best->bits);
    memcpy(sreg + SREG_MAX_MIN_CNT, &rest[0], sizeof rest[0]);
    memcpy(sreg + SREG_MAX_MIN_INDEX, &rest[1], sizeof rest[1]);
}

bool
ops_reduce_extreme(OpCall *c)
{
    Reduce x;
    Best all = {.any = false};
    open_reduce(&x, c);
    bool listed = c->in.args[VCMAX_max_cnt_index].v != 0;
    int index = c->in.args[VCMAX_index_low].v != 0 ? 0 : 1;
    for (int64_t r = 0; r < x.repeats; r++) {
        Best best = {.any = false};
        const uint8_t *lanes = lanes_of_repeat(&x);
        best_of(&x, &best, lanes, 0, false);
        if (listed) {
            best_of(&x, &all, lanes, r * x.lanes, true);
        }
        put_bits(&x, index, (uint64_t)best.at);
        put_bits(&x, 1 - index, best.bits);
        next_repeat(&x);
    }
    if (listed && x.repeats > 0) {
        fill_registers(&x, &all);
    }
    return true;
}

bool
ops_reduce_extreme_all(OpCall *c)
{
    Reduce x;
    Best best = {.any = false};
    open_reduce(&x, c);
    for (int64_t r = 0; r < x.repeats; r++) {
        best_of(&x, &best, lanes_of_repeat(&x), r * (x.rep / x.size), false);
        x.src += x.rep;
    }
    if (best.any) {
        put_bits(&x, 0, best.bits);
    }
    if (best.any && x.results > 1) {
        put_bits(&x, 1, (uint64_t)best.at);
    }
    return true;
}

/* ---- extremes of blocks -------------------------------------------------- */

/* Returns the result of a block without active lanes. */
static uint64_t
identity(const Reduce *x)
{
    if (x->t == DT_F16) {
        return x->smallest ? 0x7bff : 0xfbff;
    }
    if (x->t == DT_F32) {
        return x->smallest ? 0x7f800000 : 0xff800000;
    }
    return (uint64_t)(x->smallest ? INT64_MAX : INT64_MIN);
}

static void
blocks_of_s64(const Reduce *x, uint64_t *bits, const uint8_t *lanes)
{
    int each = x->lanes / BLOCKS;
    for (int b = 0; b < BLOCKS; b++) {
        Best best = {.bits = identity(x)};
        best_of_s64(x, &best, lanes, b * each, each, 0);
        bits[b] = best.bits;
    }
}

static void
blocks_of(const Reduce *x, uint64_t *bits, const uint8_t *lanes)
{
    int32_t keys[REDUCE_MOST], greatest[BLOCKS], at[BLOCKS];
    keys_of(x, keys, lanes);
    x->table->find_groups(at, greatest, keys, x->lanes);
    for (int b = 0; b < BLOCKS; b++) {
        bits[b] = greatest[b] == KEY_OFF   ? identity(x)
                  : greatest[b] == KEY_NAN ? nan_of(x->t)
                                           : element(x, lanes, at[b]);
    }
}

bool
ops_reduce_blocks(OpCall *c)
{
    Reduce x;
    open_reduce(&x, c);
    for (int64_t r = 0; r < x.repeats; r++) {
        uint64_t bits[BLOCKS];
        const uint8_t *lanes = lanes_of_repeat(&x);
        if (x.t == DT_S64) {
            blocks_of_s64(&x, bits, lanes);
        } else {
            blocks_of(&x, bits, lanes);
        }
        for (int b = 0; b < BLOCKS; b++) {
            put_bits(&x, b, bits[b]);
        }
        next_repeat(&x);
    }
    return true;
}
