/* reduce.c: reductions (vector chapter 7). Sources are addressed by vector lanes
 * (emu/lane_io.c); the results of a repeat are contiguous.
 *
 * Sums are balanced trees over all lanes of a repeat, neighbours first, in which lanes
 * that are off count as +0: in each level a node moves to half its index and is rounded
 * to the type. Extremes go over the active lanes in order. Repeats are read and written
 * one after another, so that a destination in the source gives what the machine gives. */
#include "emu/emu.h"
#include "isa/operand.h"

#include <string.h>

#include "num/half.h"
#include "num/lanes.h"

enum {
    MAX_SUMMANDS = 128,
    MAX_REPEATS = 4095,
    CHUNK = 255
};

/* A reduction that runs. */
typedef struct Reduction {
    EmuRun *r;
    const EmuOp *op;
    EmuLanes c;
    Dtype t;
    int size; /* of an element */
    /* elements that a repeat writes; for a whole buffer all elements that are written */
    int results;
    int64_t step; /* elements from the results of a repeat to those of the next */
    uint8_t *dst; /* results of the present repeat */
    bool largest; /* of extremes */
    RowFind *find;
} Reduction;

/* Returns the bits of an element. */
static inline uint64_t
element_at(const uint8_t *p, int size)
{
    return size == 2   ? *(const AnyU16 *)p
           : size == 4 ? *(const AnyU32 *)p
           : size == 8 ? *(const AnyU64 *)p
                       : *p;
}

static inline void
put_element(uint8_t *p, int size, uint64_t bits)
{
    if (size == 2) {
        *(AnyU16 *)p = (uint16_t)bits;
    } else if (size == 4) {
        *(AnyU32 *)p = (uint32_t)bits;
    } else if (size == 8) {
        *(AnyU64 *)p = bits;
    } else {
        *p = (uint8_t)bits;
    }
}

/* ---- sums ---------------------------------------------------------------- */

/* The bits of elements, as they are in memory. */
typedef union Summands {
    uint8_t bytes[REPEAT_BYTES];
    uint16_t b16[MAX_SUMMANDS];
    uint32_t b32[MAX_SUMMANDS / 2];
    uint64_t b64[MAX_SUMMANDS / 4];
} Summands;

/* Splits 2n elements into even and odd ones. */
#define PART(bits)                                                                       \
    for (int i = 0; i < n; i++) {                                                        \
        even->bits[i] = x->bits[2 * i];                                                  \
        odd->bits[i] = x->bits[2 * i + 1];                                               \
    }

static void
part(const Summands *restrict x, int size, int n, Summands *restrict even,
     Summands *restrict odd)
{
    if (size == 2) {
        PART(b16)
    } else if (size == 4) {
        PART(b32)
    } else {
        PART(b64)
    }
}

/* Adds n summands in trees until `left` are left, with the additions of vadd. */
static void
add_trees(const Reduction *x, Summands *s, int n, int left)
{
    Summands even, odd;
    while (n > left) {
        n /= 2;
        part(s, x->size, n, &even, &odd);
        x->op->lanes(s->bytes, even.bytes, odd.bytes, 0, n);
    }
}

/* Reads the lanes of the present repeat. */
static void
load_summands(const Reduction *x, Summands *s)
{
    uint8_t buf[REPEAT_BYTES];
    const EmuLanes *c = &x->c;
    size_t used = (size_t)(c->run * x->size);
    const uint8_t *lanes = emu_lanes_load(&c->o[0], c->run, buf);
    if (c->holes) {
        memset(s->bytes, 0, REPEAT_BYTES);
        c->rows->masked[c->o[0].shift](s->bytes, lanes, &c->mask, c->run);
    } else {
        memcpy(s->bytes, lanes, used);
        memset(s->bytes + used, 0, REPEAT_BYTES - used);
    }
}

/* Writes sum i as element i of the destination. */
static void
store_sum(const Reduction *x, const Summands *s, int i)
{
    put_element(x->dst + i * x->size, x->size,
                element_at(s->bytes + i * x->size, x->size));
}

static bool
lane_on(const EmuLanes *c, int64_t i)
{
    return i < c->run && (!c->holes || c->mask.on[i]);
}

/* Returns whether element i of the results is written: one of a pair of lanes must be on,
 * except on the 310B class (and, by a choice, on the oldest). */
static bool
is_written(const Reduction *x, int i)
{
    const Soc *soc = x->r->p->kernel.soc;
    bool always =
        soc_has(soc, FEATURE_CPADD_ALL_PAIRS) ||
        (soc_has(soc, FEATURE_CPADD_BY_CHOICE) &&
         emu_chosen(x->r->p, CHOICE_MASKED_BLOCK) == CHOSE_MASKED_BLOCK_ZERO_PAIRS);
    bool pair = op_table[x->op->op].sem == SEM_CPADD && !always;
    return !pair || lane_on(&x->c, 2 * i) || lane_on(&x->c, 2 * i + 1);
}

static void
sum_repeat(Reduction *x)
{
    Summands s;
    load_summands(x, &s);
    add_trees(x, &s, x->c.lanes, x->results);
    if (!x->c.holes && x->c.run == x->c.lanes) {
        memcpy(x->dst, s.bytes, (size_t)(x->results * x->size));
        return;
    }
    for (int i = 0; i < x->results; i++) {
        if (is_written(x, i)) {
            store_sum(x, &s, i);
        }
    }
}

/* ---- extremes ------------------------------------------------------------ */

/* The extreme of the lanes seen so far. */
typedef struct Extreme {
    bool any;      /* a lane was active */
    bool nan;      /* all active lanes so far were NaN */
    uint64_t bits; /* the element, or the canonical NaN */
    int64_t at;    /* its lane; for a whole buffer its element */
    int64_t count; /* number of lanes that are equal to it */
    int32_t key;   /* its order, if it is no NaN (RowExtreme) */
} Extreme;

/* Integers of 64 bits, lane by lane. */
static void
extreme_s64(Extreme *e, const uint8_t *lanes, const uint8_t *on, int64_t from, int64_t to,
            int64_t at, bool largest)
{
    const AnyS64 *x = (const AnyS64 *)lanes;
    for (int64_t i = from; i < to; i++) {
        int64_t best = (int64_t)e->bits;
        if (on != NULL && !on[i]) {
            continue;
        }
        if (!e->any || (largest ? x[i] > best : x[i] < best)) {
            *e = (Extreme){.any = true, .bits = (uint64_t)x[i], .at = at + i, .count = 1};
        } else {
            e->count += x[i] == best;
        }
    }
}

/* Adds lanes whose extreme is f to those seen so far; bits are the element there. */
static void
add_extreme(const Reduction *x, Extreme *e, const RowExtreme *f, uint64_t bits,
            int64_t at)
{
    bool nan = f->key == ROW_NAN;
    if (nan && !e->any) {
        bits = x->t == DT_F16 ? HALF_NAN : FLOAT_NAN;
        *e = (Extreme){.any = true, .nan = true, .bits = bits, .at = at};
    } else if (!nan && (!e->any || e->nan || f->key > e->key)) {
        *e = (Extreme){.any = true, .bits = bits, .at = at, .count = f->many};
        e->key = f->key;
    } else if (!nan && f->key == e->key) {
        e->count += f->many;
    }
}

static bool
seeks_largest(const Reduction *x)
{
    Sem sem = op_table[x->op->op].sem;
    return sem == SEM_CMAX || sem == SEM_CGMAX || sem == SEM_ALL_MAX;
}

/* Goes over lanes from..to-1 in order. at is the index of lane 0. */
static void
extreme_of(const Reduction *x, Extreme *e, const uint8_t *lanes, int64_t from, int64_t to,
           int64_t at)
{
    const uint8_t *on = x->c.holes ? x->c.mask.on : NULL;
    RowExtreme f;
    to = to < x->c.run ? to : x->c.run;
    if (x->find == NULL) {
        extreme_s64(e, lanes, on, from, to, at, x->largest);
    } else if (from < to) {
        lanes += from * x->size;
        x->find(&f, lanes, on != NULL ? on + from : NULL, to - from, x->largest);
        if (f.key != INT32_MIN) {
            add_extreme(x, e, &f, element_at(lanes + f.at * x->size, x->size),
                        at + from + f.at);
        }
    }
}

static void
store_bits(const Reduction *x, int i, uint64_t bits)
{
    put_element(x->dst + i * x->size, x->size, bits);
}

/* Returns the result of a block without active lanes. */
static uint64_t
identity(const Reduction *x)
{
    bool largest = x->largest;
    switch (x->t) {
    case DT_F16:
        return largest ? 0xfbff : 0x7bff; /* 65504 */
    case DT_F32:
        return largest ? 0xff800000 : 0x7f800000; /* infinity */
    default:
        return (uint64_t)(largest ? INT64_MIN : INT64_MAX);
    }
}

static void
extreme_blocks(Reduction *x)
{
    uint8_t buf[REPEAT_BYTES];
    const uint8_t *lanes = emu_lanes_load(&x->c.o[0], x->c.run, buf);
    uint64_t bits[REPEAT_BYTES / BLOCK_BYTES];
    int per_block = BLOCK_BYTES / x->size;
    for (int b = 0; b < x->results; b++) {
        Extreme e = {.any = false};
        extreme_of(x, &e, lanes, b * per_block, (b + 1) * per_block, 0);
        bits[b] = e.any ? e.bits : identity(x);
    }
    for (int b = 0; b < x->results; b++) {
        store_bits(x, b, bits[b]);
    }
}

/* Writes value and index of a repeat. */
static void
extreme_repeat(Reduction *x)
{
    uint8_t buf[REPEAT_BYTES];
    Extreme e = {.any = false};
    const uint8_t *lanes = emu_lanes_load(&x->c.o[0], x->c.run, buf);
    int index = emu_slot_attr(x->r->p, x->op, VCMAX_index_low) != 0 ? 0 : 1;
    extreme_of(x, &e, lanes, 0, x->c.lanes, 0);
    store_bits(x, index, (uint64_t)e.at);
    store_bits(x, 1 - index, e.bits);
}

/* ---- special registers: the extreme of all repeats ----------------------- */

static void
note_extreme(const Reduction *x, const Extreme *e)
{
    uint8_t *sreg = x->r->sreg;
    uint32_t count = (uint16_t)e->count, at = (uint16_t)e->at;
    memcpy(sreg + SREG_MAX_MIN, &e->bits, sizeof e->bits);
    memcpy(sreg + SREG_MAX_MIN_CNT, &count, sizeof count);
    memcpy(sreg + SREG_MAX_MIN_INDEX, &at, sizeof at);
}

/* ---- instructions -------------------------------------------------------- */

static int
results_of(const Reduction *x)
{
    switch (op_table[x->op->op].sem) {
    case SEM_CADD:
    case SEM_ALL_ADD:
        return 1;
    case SEM_CMAX:
    case SEM_CMIN:
        return 2;
    case SEM_CPADD:
        return x->c.lanes / 2;
    case SEM_ALL_MAX:
    case SEM_ALL_MIN:
        return emu_slot_attr(x->r->p, x->op, ALLMAX_cal_index) != 0 ? 2 : 1;
    default:
        return REPEAT_BYTES / BLOCK_BYTES;
    }
}

/* Opens and checks the operands. Without repeats there is nothing to do. */
static bool
open_reduction(EmuRun *r, const EmuOp *op, bool whole, Reduction *x)
{
    x->r = r;
    x->op = op;
    x->t = (Dtype)op->dtype;
    x->size = dtype_size(x->t);
    if (!emu_lanes_open(r, op, &x->c)) {
        return false;
    }
    if (x->c.repeats == 0) {
        return true;
    }
    x->results = results_of(x);
    x->largest = seeks_largest(x);
    x->find = x->c.rows->find[x->t];
    x->step = 0;
    if (!whole && !emu_number(r, op, REDUCE_dst_rep_stride, &x->step)) {
        return emu_refuse(r, op);
    }
    x->step *= x->results * x->size;
    x->dst = emu_operand(r, op, REDUCE_dst,
                         (x->c.repeats - 1) * x->step + x->results * x->size);
    return x->dst != NULL || emu_refuse(r, op);
}

static void
one_repeat(Reduction *x)
{
    switch (op_table[x->op->op].sem) {
    case SEM_CMAX:
    case SEM_CMIN:
        extreme_repeat(x);
        return;
    case SEM_CGMAX:
    case SEM_CGMIN:
        extreme_blocks(x);
        return;
    default:
        sum_repeat(x);
        return;
    }
}

/* ---- many repeats at a time ---------------------------------------------- */

enum {
    MANY = 16 /* repeats */
};

/* Returns whether all lanes of all repeats are on. */
static bool
is_whole(const Reduction *x)
{
    return !x->c.holes && x->c.run == x->c.lanes;
}

/* Returns whether no result is written where lanes are still read. */
static bool
is_apart(const Reduction *x)
{
    const EmuLane *o = &x->c.o[0];
    int64_t last = REPEAT_BYTES / BLOCK_BYTES - 1, repeats = x->c.repeats - 1;
    int64_t end = repeats * o->rep + (o->dense ? last * BLOCK_BYTES : last * o->blk);
    uintptr_t from = (uintptr_t)o->at, to = (uintptr_t)x->dst;
    uintptr_t from_end = from + (uintptr_t)end + BLOCK_BYTES;
    uintptr_t to_end = to + (uintptr_t)(repeats * x->step + x->results * x->size);
    return to_end <= from || from_end <= to;
}

/* Returns whether the lanes of all repeats follow each other in memory. */
static bool
is_dense(const Reduction *x)
{
    return x->c.o[0].dense && x->c.o[0].rep == REPEAT_BYTES;
}

/* Gives the lanes of the next n repeats, which follow each other, and goes on after
 * them. */
static const uint8_t *
next_repeats(Reduction *x, int64_t n, uint8_t room[MANY * REPEAT_BYTES])
{
    const EmuLane *o = &x->c.o[0];
    const uint8_t *first = o->at;
    bool direct = is_whole(x) && is_dense(x), masked = x->c.holes && is_dense(x);
    if (masked) {
        x->c.rows->kept[o->shift](room, first, &x->c.mask,
                                  (n - 1) * x->c.lanes + x->c.run);
        memset(room + ((n - 1) * x->c.lanes + x->c.run) * x->size, 0,
               (size_t)((x->c.lanes - x->c.run) * x->size));
    }
    if (direct || masked) {
        emu_lanes_skip(&x->c, n);
        return direct ? first : room;
    }
    for (int64_t i = 0; i < n; i++) {
        load_summands(x, (Summands *)(void *)(room + i * REPEAT_BYTES));
        emu_lanes_step(&x->c);
    }
    return room;
}

/* Makes the sums of the next n repeats, x->results of each, in level after level of all
 * trees. */
static void
sum_repeats(Reduction *x, int64_t n, uint8_t *sums)
{
    _Alignas(Summands) uint8_t room[MANY * REPEAT_BYTES];
    uint8_t level[2][MANY * REPEAT_BYTES / 2];
    const uint8_t *from = next_repeats(x, n, room);
    int64_t left = n * x->c.lanes;
    for (int now = 0; left > n * x->results; now = !now) {
        left /= 2;
        x->c.rows->pairs[x->t](level[now], from, left);
        from = level[now];
    }
    memcpy(sums, from, (size_t)(left * x->size));
}

/* The extremes of blocks of the next n repeats. */
static void
extreme_repeats(Reduction *x, int64_t n, uint8_t *found)
{
    _Alignas(Summands) uint8_t room[MANY * REPEAT_BYTES];
    const uint8_t *from = next_repeats(x, n, room);
    x->c.rows->blocks[x->t](found, from, n * x->results, x->largest);
}

/* The extremes of the next n repeats, which are dense, and their lanes, as elements; both
 * are 0 where no lane is on. */
static void
find_repeats(Reduction *x, int64_t n, uint8_t *found)
{
    const uint8_t *from = x->c.o[0].at, *on = x->c.holes ? x->c.mask.on : NULL;
    int index = emu_slot_attr(x->r->p, x->op, VCMAX_index_low) != 0 ? 0 : 1;
    for (int64_t i = 0; i < n; i++, from += REPEAT_BYTES, found += 2 * x->size) {
        Extreme e = {.any = false};
        RowExtreme f;
        x->find(&f, from, on, x->c.run, x->largest);
        if (f.key != INT32_MIN) {
            add_extreme(x, &e, &f, element_at(from + f.at * x->size, x->size), f.at);
        }
        put_element(found + index * x->size, x->size, (uint64_t)e.at);
        put_element(found + (1 - index) * x->size, x->size, e.bits);
    }
    emu_lanes_skip(&x->c, n);
}

/* Returns whether the additions are those of pairs of neighbours by the usual reading. */
static bool
has_pairs(const Reduction *x)
{
    return x->c.rows->pairs[x->t] != NULL &&
           x->op->lanes == emu_lane_fn(NULL, (LaneWork){SEM_ADD, false}, x->t, x->t);
}

/* Executes the instruction in groups of repeats; false: it must go one by one. listed:
 * it also sets Scalars. */
static bool
each_group(Reduction *x, bool listed)
{
    uint8_t results[MANY * REPEAT_BYTES / 2];
    Sem sem = op_table[x->op->op].sem;
    bool sums = sem == SEM_CADD || sem == SEM_CGADD || sem == SEM_CPADD;
    bool blocks = sem == SEM_CGMAX || sem == SEM_CGMIN;
    int64_t bytes = (int64_t)x->results * x->size;
    bool fits = sums     ? has_pairs(x) && (sem == SEM_CADD || is_whole(x))
                : blocks ? x->c.rows->blocks[x->t] != NULL && is_whole(x)
                         : x->find != NULL && !listed && is_dense(x);
    if (!fits || !is_apart(x)) {
        return false;
    }
    for (int64_t at = 0; at < x->c.repeats; at += MANY) {
        int64_t n = x->c.repeats - at < MANY ? x->c.repeats - at : MANY;
        (sums ? sum_repeats : blocks ? extreme_repeats : find_repeats)(x, n, results);
        for (int64_t i = 0; i < n; i++, x->dst += x->step) {
            memcpy(x->dst, results + i * bytes, (size_t)bytes);
        }
    }
    return true;
}

bool
emu_exec_reduce(EmuRun *r, const EmuOp *op)
{
    Reduction x;
    if (!open_reduction(r, op, false, &x)) {
        return false;
    }
    Sem sem = op_table[op->op].sem;
    bool listed = (sem == SEM_CMAX || sem == SEM_CMIN) &&
                  emu_slot_attr(r->p, op, VCMAX_max_cnt_index) != 0;
    if (x.c.repeats == 0 || each_group(&x, listed)) {
        return true;
    }
    Extreme all = {.any = false};
    for (int64_t i = 0; i < x.c.repeats; i++) {
        if (listed) {
            uint8_t buf[REPEAT_BYTES];
            extreme_of(&x, &all, emu_lanes_load(&x.c.o[0], x.c.run, buf), 0, x.c.lanes,
                       i * x.c.lanes);
        }
        one_repeat(&x);
        x.dst += x.step;
        emu_lanes_step(&x.c);
    }
    if (listed) {
        note_extreme(&x, &all);
    }
    return true;
}

/* Adds the sums of n repeats in trees over groups of L until one is left. */
static void
sum_groups(const Reduction *x, Summands *group, uint8_t *sums, int64_t n)
{
    const int64_t lanes = x->c.lanes, size = x->size;
    while (n > 1) {
        int64_t made = 0;
        for (int64_t at = 0; at < n; at += lanes, made++) {
            size_t used = (size_t)((n - at < lanes ? n - at : lanes) * size);
            memcpy(group->bytes, sums + at * size, used);
            memset(group->bytes + used, 0, REPEAT_BYTES - used);
            add_trees(x, group, (int)lanes, 1);
            memcpy(sums + made * size, group->bytes, (size_t)size);
        }
        n = made;
    }
}

/* Makes the sums of chunks of 255 repeats, each one after the other, and returns their
 * number. */
static int64_t
sum_chunks(const Reduction *x, uint8_t *sums, int64_t n)
{
    int64_t made = 0;
    for (int64_t at = 0; at < n; at += CHUNK, made++) {
        uint8_t *first = sums + at * x->size;
        for (int64_t i = 1; i < CHUNK && at + i < n; i++) {
            x->op->lanes(first, first, first + i * x->size, 0, 1);
        }
        memmove(sums + made * x->size, first, (size_t)x->size);
    }
    return made;
}

static void
sum_buffer(Reduction *x)
{
    uint8_t sums[MAX_REPEATS * sizeof(float)];
    Summands s;
    bool many = has_pairs(x);
    for (int64_t i = 0, n; i < x->c.repeats; i += n) {
        n = !many ? 1 : x->c.repeats - i < MANY ? x->c.repeats - i : MANY;
        if (many) {
            sum_repeats(x, n, sums + i * x->size);
            continue;
        }
        load_summands(x, &s);
        add_trees(x, &s, x->c.lanes, 1);
        memcpy(sums + i * x->size, s.bytes, (size_t)x->size);
        emu_lanes_step(&x->c);
    }
    bool chip = soc_has(x->r->p->kernel.soc, FEATURE_REDUCE_CHUNKS) &&
                emu_chosen(x->r->p, CHOICE_SUMMATION_ORDER) == CHOSE_SUMMATION_ORDER_CHIP;
    sum_groups(x, &s, sums, chip ? sum_chunks(x, sums, x->c.repeats) : x->c.repeats);
    memcpy(x->dst, sums, (size_t)x->size);
}

/* The index counts elements from the start of src, including gaps. */
static void
extreme_buffer(Reduction *x)
{
    uint8_t buf[REPEAT_BYTES];
    Extreme e = {.any = false};
    int64_t pitch = x->c.o[0].rep / x->size;
    for (int64_t i = 0; i < x->c.repeats; i++) {
        const uint8_t *lanes = emu_lanes_load(&x->c.o[0], x->c.run, buf);
        extreme_of(x, &e, lanes, 0, x->c.lanes, i * pitch);
        emu_lanes_step(&x->c);
    }
    store_bits(x, 0, e.bits);
    if (x->results > 1) {
        store_bits(x, 1, (uint64_t)e.at);
    }
}

bool
emu_exec_reduce_all(EmuRun *r, const EmuOp *op)
{
    Reduction x;
    if (!open_reduction(r, op, true, &x)) {
        return false;
    }
    if (x.c.repeats == 0) {
        return true;
    }
    if (op_table[op->op].sem == SEM_ALL_ADD) {
        sum_buffer(&x);
    } else {
        extreme_buffer(&x);
    }
    return true;
}

bool
emu_bind_reduce(EmuProgram *p, EmuOp *op, const char **why)
{
    Dtype t = emu_slot_ref(p, op, REDUCE_dst)->dtype;
    op->dtype = (uint8_t)t;
    op->lanes = emu_lane_fn(dtype_is_float(t) ? &p->kernel.choices : NULL,
                            (LaneWork){SEM_ADD, false}, t, t);
    emu_lanes_plan(p, op);
    *why = "the reduction does not exist for its dtypes";
    return emu_slot_ref(p, op, REDUCE_dst + 1)->dtype == t &&
           op_has_dtype((Op)op->op, t, p->kernel.soc);
}
