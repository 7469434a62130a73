/* gather.c: gather, scatter and compress (vector chapter 8). The addresses of a repeat
 * are tested together; only when one is wrong they are tested one by one, to find the
 * fault. */
#include <string.h>

#include "isa/operand.h"
#include "num/half.h"
#include "ops/gather.h"
#include "num/lanes.h"
#include "ops/internal.h"

typedef uint16_t Any16 __attribute__((aligned(1), may_alias));
typedef uint32_t Any32 __attribute__((aligned(1), may_alias));

enum {
    PIECE = 256, /* lanes that are all read before they are written */
    BLOCKS = 8
};

/* ---- lanes of an operand ------------------------------------------------- */

typedef struct Rows {
    uint8_t *at;
    int64_t blk, rep; /* bytes */
    int64_t repeats, run, last;
    int64_t lanes, per_block, size;
    bool holes;
    uint8_t on[MAX_LANES];
} Rows;

static int64_t
number(const OpCall *c, int slot, int64_t missing)
{
    return slot < 0 ? missing : c->in.args[slot].v;
}

static void
rows_mask(const OpCall *c, Rows *w)
{
    int slot = form_first(op_table[c->in.op].form, ROLE_MASK);
    const CheckMask *m = slot < 0 ? NULL : &c->in.args[slot].m;
    w->run = w->last = w->lanes;
    if (m == NULL) {
        return;
    }
    if (m->form == MASK_COUNT) {
        w->run = w->last = (int64_t)m->w[0];
    } else if (m->form == MASK_COUNTER) {
        w->last = (int64_t)m->w[0] - (w->repeats - 1) * w->lanes;
    } else {
        w->run = 0;
        for (int l = 0; l < w->lanes; l++) {
            w->on[l] = check_lane_active(&c->in, 0, l);
            w->run = w->on[l] ? l + 1 : w->run;
            w->holes |= !w->on[l];
        }
        w->last = w->run;
    }
}

static Rows
rows_of(const OpCall *c, int param)
{
    Form f = op_table[c->in.op].form;
    LaneOperand l = form_lanes(f, param);
    Rows w = {.at = c->at[param],
              .repeats = check_repeats(&c->in),
              .lanes = check_lanes(&c->in),
              .size = dtype_size(c->in.args[param].t.dtype)};
    w.per_block = BLOCK_BYTES / w.size;
    int64_t unit = number(c, form_slot(f, ROLE_ATTR, "stride_unit"), 0);
    int64_t scale = unit < 2 ? BLOCK_BYTES : w.size;
    int64_t blk = number(c, l.blk, 1);
    blk = blk == 0 && l.blk0_is_1 ? 1 : blk;
    w.blk = blk * scale + (unit < 2 ? 0 : BLOCK_BYTES);
    w.rep = number(c, l.rep, BLOCKS) * scale;
    w.rep += unit & 1 ? (BLOCKS - 1) * w.blk + BLOCK_BYTES : 0;
    rows_mask(c, &w);
    return w;
}

static int64_t
rows_run(const Rows *w, int64_t repeat)
{
    return repeat + 1 < w->repeats ? w->run : w->last;
}

/* Collects the n leading lanes of a repeat in buf. */
static void
rows_load(const Rows *w, int64_t repeat, int64_t n, uint8_t *buf)
{
    const uint8_t *from = w->at + repeat * w->rep;
    if (w->blk == BLOCK_BYTES) {
        memcpy(buf, from, (size_t)(n * w->size));
        return;
    }
    for (int64_t l = 0; l < n; l += w->per_block) {
        int64_t most = n - l < w->per_block ? n - l : w->per_block;
        memcpy(buf + l * w->size, from + l / w->per_block * w->blk,
               (size_t)(most * w->size));
    }
}

static void
rows_store(const Rows *w, int64_t repeat, int64_t n, const uint8_t *buf)
{
    uint8_t *to = w->at + repeat * w->rep;
    if (w->blk == BLOCK_BYTES && !w->holes) {
        memcpy(to, buf, (size_t)(n * w->size));
        return;
    }
    for (int64_t l = 0; l < n; l++) {
        if (!w->holes || w->on[l]) {
            memcpy(to + l / w->per_block * w->blk + l % w->per_block * w->size,
                   buf + l * w->size, (size_t)w->size);
        }
    }
}

/* ---- vreduce ------------------------------------------------------------- */

typedef struct Pick {
    const GatherTable *table;
    const uint8_t *bits; /* null: lanes first, first + step, ... are kept */
    int64_t bits_rep;
    int first, step, size;
} Pick;

static int64_t
count_bits(const uint8_t *bits, int64_t n)
{
    int64_t count = 0, i = 0;
    for (; i + 64 <= n; i += 64) {
        uint64_t word;
        memcpy(&word, bits + i / 8, sizeof word);
        count += __builtin_popcountll(word);
    }
    for (; i < n; i++) {
        count += bits[i / 8] >> (i % 8) & 1;
    }
    return count;
}

/* Defines a function that keeps lanes first, first + step, ... of n; in and out share no
 * byte. */
#define THIN(name, T)                                                                    \
    static int64_t name(T *restrict out, const T *restrict in, const Pick *p, int64_t n) \
    {                                                                                    \
        int64_t most = n <= p->first ? 0 : (n - p->first - 1) / p->step + 1;             \
        const T *from = in + p->first;                                                   \
        if (p->step == 2) {                                                              \
            for (int64_t k = 0; k < most; k++) {                                         \
                out[k] = from[2 * k];                                                    \
            }                                                                            \
        } else if (p->step == 4) {                                                       \
            for (int64_t k = 0; k < most; k++) {                                         \
                out[k] = from[4 * k];                                                    \
            }                                                                            \
        } else {                                                                         \
            memcpy(out, from, (size_t)most * sizeof(T));                                 \
        }                                                                                \
        return most;                                                                     \
    }

THIN(thin8, uint8_t)
THIN(thin16, Any16)
THIN(thin32, Any32)

static int64_t
pack(uint8_t *out, const uint8_t *in, const Pick *p, const uint8_t *bits, int64_t n)
{
    void *to = out;
    const void *from = in;
    switch (p->size) {
    case 1:
        return bits != NULL ? p->table->pack8(to, from, bits, n) : thin8(to, from, p, n);
    case 2:
        return bits != NULL ? p->table->pack16(to, from, bits, n)
                            : thin16(to, from, p, n);
    default:
        return bits != NULL ? p->table->pack32(to, from, bits, n)
                            : thin32(to, from, p, n);
    }
}

/* Repeats of n lanes (the last one has `last`), read from src by blocks. */
typedef struct Source {
    const uint8_t *at;
    int64_t repeats, n, last, blk, rep, per_block;
} Source;

static Source
source_of(const OpCall *c)
{
    const CheckArg *a = c->in.args;
    Form f = op_table[c->in.op].form;
    int64_t per = BLOCK_BYTES / dtype_size(a[PICK_src0].t.dtype);
    if (f == FORM_PICK2 || f == FORM_PICK2BITS) {
        int64_t n = a[PICK_mask].v;
        return (Source){c->at[PICK_src0],
                        a[PICK_repeat_times].v,
                        n,
                        n,
                        a[PICK_src0_blk_stride].v * BLOCK_BYTES,
                        a[PICK_src0_rep_stride].v * BLOCK_BYTES,
                        per};
    }
    Rows w = rows_of(c, PICK_src0);
    return (Source){w.at, w.repeats, w.run, w.last, w.blk, w.rep, per};
}

static Pick
pick_of(const OpCall *c)
{
    const CheckArg *a = c->in.args;
    Form f = op_table[c->in.op].form;
    Pick p = {.table = gather_table(), .size = dtype_size(a[PICK_dst].t.dtype)};
    if (f == FORM_PICKBITS || f == FORM_PICK2BITS) {
        p.bits = c->at[PICK_src1_pattern];
        p.bits_rep = a[PICK_src1_rep_stride].v * BLOCK_BYTES;
        if (p.bits_rep > 0 && !check_pattern_strided(&c->in)) {
            p.bits_rep = check_lanes(&c->in) / 8;
        }
    } else {
        check_pattern_lanes(a[PICK_src1_pattern].v, &p.first, &p.step);
    }
    return p;
}

static int64_t
kept_of(const OpCall *c, const Source *s, const Pick *p)
{
    int64_t kept = 0,
            number_kept = check_pattern_count(c->in.args[PICK_src1_pattern].v, s->n);
    for (int64_t r = 0; r < s->repeats; r++) {
        int64_t n = r + 1 < s->repeats ? s->n : s->last;
        kept += p->bits != NULL ? count_bits(p->bits + r * p->bits_rep, n)
                : n == s->n     ? number_kept
                                : check_pattern_count(c->in.args[PICK_src1_pattern].v, n);
    }
    return kept;
}

/* Returns a piece of whole blocks, contiguous. */
static const uint8_t *
piece_of(const Source *s, int64_t repeat, int64_t l, int64_t n, int64_t size,
         uint8_t *buf)
{
    const uint8_t *from = s->at + repeat * s->rep + l / s->per_block * s->blk;
    if (s->blk == BLOCK_BYTES) {
        return from;
    }
    for (int64_t i = 0; i < n; i += s->per_block) {
        int64_t most = n - i < s->per_block ? n - i : s->per_block;
        memcpy(buf + i * size, from + i / s->per_block * s->blk, (size_t)(most * size));
    }
    return buf;
}

/* Returns whether all lanes are contiguous and share no byte with the destination. */
static bool
is_one_run(const OpCall *c, const Source *s, const Pick *p, int64_t kept)
{
    int64_t total = ((s->repeats - 1) * s->n + s->last) * p->size;
    uintptr_t d = (uintptr_t)c->at[PICK_dst], a = (uintptr_t)s->at;
    return p->bits == NULL && s->blk == BLOCK_BYTES && s->n % 4 == 0 &&
           (s->repeats == 1 || s->rep == s->n * p->size) &&
           (d + (uintptr_t)(kept * p->size) <= a || a + (uintptr_t)total <= d);
}

/* Bits may lie where elements go, so that more are kept than were counted. */
static bool
pick_pieces(OpCall *c, const Source *s, const Pick *p, int64_t *kept)
{
    *kept = 0;
    for (int64_t r = 0; r < s->repeats; r++) {
        int64_t all = r + 1 < s->repeats ? s->n : s->last;
        for (int64_t l = 0; l < all; l += PIECE) {
            uint8_t in[PIECE * 4], out[PIECE * 4 + GATHER_SLACK];
            int64_t n = all - l < PIECE ? all - l : PIECE;
            const uint8_t *bits = p->bits ? p->bits + r * p->bits_rep + l / 8 : NULL;
            int64_t k = pack(out, piece_of(s, r, l, n, p->size, in), p, bits, n);
            if (!check_fits(c->in.op, PICK_dst, &c->in.args[PICK_dst].t,
                            (*kept + k) * p->size, &c->fault)) {
                return false;
            }
            memcpy(c->at[PICK_dst] + *kept * p->size, out, (size_t)(k * p->size));
            *kept += k;
        }
    }
    return true;
}

bool
ops_pick(OpCall *c)
{
    Source s = source_of(c);
    Pick p = pick_of(c);
    if (s.repeats == 0) {
        return true;
    }
    int64_t kept = kept_of(c, &s, &p);
    if (!check_fits(c->in.op, PICK_dst, &c->in.args[PICK_dst].t, kept * p.size,
                    &c->fault)) {
        return false;
    }
    if (is_one_run(c, &s, &p, kept)) {
        pack(c->at[PICK_dst], s.at, &p, NULL, (s.repeats - 1) * s.n + s.last);
    } else if (!pick_pieces(c, &s, &p, &kept)) {
        return false;
    }
    uint32_t count = (uint32_t)kept;
    memcpy(c->sreg + SREG_RSVD_CNT, &count, sizeof count);
    return true;
}

/* ---- vgather, vscatter --------------------------------------------------- */

/* A tensor that is accessed at offsets, and these offsets. */
typedef struct Field {
    uint8_t *root;
    const Any32 *offsets;
    bool is_signed;
    int64_t start, limit, size, unit;
    int param, to;
} Field;

static Field
field_of(const OpCall *c, int param, int to, int64_t base)
{
    const CheckTensor *t = &c->in.args[to].t;
    return (Field){.root = c->at[to] - t->offset,
                   .offsets = (const Any32 *)(const void *)c->at[param],
                   .is_signed = c->in.args[param].t.dtype == DT_S32,
                   .start = t->offset + base,
                   .limit = check_limit(t),
                   .size = dtype_size(t->dtype),
                   .unit = dtype_size(t->dtype),
                   .param = param,
                   .to = to};
}

static int64_t
entry_value(const Field *f, int64_t entry)
{
    uint32_t bits = f->offsets[entry];
    return f->is_signed ? (int32_t)bits : (int64_t)bits;
}

/* Checks the rules of an entry. */
static bool
entry_ok(OpCall *c, const Field *f, int64_t entry, int64_t base)
{
    int64_t value = entry_value(f, entry);
    CheckOffset o = {.param = f->param,
                     .to = f->to,
                     .entry = entry,
                     .value = value,
                     .at = base + value,
                     .size = f->size,
                     .unit = f->unit,
                     .limit = f->limit};
    return check_offset(c->in.op, &o, &c->fault);
}

/* Gives the addresses of n entries from the first on, as bytes from the root. */
static bool
find_lanes(OpCall *c, const Field *f, const Rows *w, int64_t first, int64_t n,
           int64_t *at)
{
    uint64_t bad = 0, most = (uint64_t)(f->limit - f->size);
    const Any32 *entry = f->offsets + first;
    for (int64_t l = 0; l < n; l++) {
        int64_t value = f->is_signed ? (int32_t)entry[l] : (int64_t)entry[l];
        at[l] = f->start + value;
        bad |= (uint64_t)((uint64_t)at[l] > most) |
               ((uint64_t)value & (uint64_t)(f->unit - 1));
    }
    for (int64_t l = 0; (bad != 0 || f->limit < f->size) && l < n; l++) {
        if ((!w->holes || w->on[l]) && !entry_ok(c, f, first + l, f->start)) {
            return false;
        }
    }
    return true;
}

#define FETCH(name, T)                                                                   \
    static void name(T *restrict out, const uint8_t *root, const int64_t *at, int64_t n) \
    {                                                                                    \
        for (int64_t l = 0; l < n; l++) {                                                \
            out[l] = *(const T *)(const void *)(root + at[l]);                           \
        }                                                                                \
    }
FETCH(fetch16, Any16)
FETCH(fetch32, Any32)

/* Removes addresses that belong to no lane. */
static void
fetch(const Field *f, const Rows *w, const int64_t *at, int64_t n, uint8_t *out)
{
    void *to = out;
    for (int64_t l = 0; w->holes && l < n; l++) {
        if (w->on[l]) {
            memcpy(out + l * f->size, f->root + at[l], (size_t)f->size);
        }
    }
    if (!w->holes && f->size == 2) {
        fetch16(to, f->root, at, n);
    } else if (!w->holes) {
        fetch32(to, f->root, at, n);
    }
}

/* Gives the address of offset 0, and the largest offset. Returns false when the tables
 * cannot be used for the tensor. */
static bool
field_range(const Field *f, uint8_t **at, uint32_t *most)
{
    int64_t last = f->limit - f->size - f->start;
    *at = f->root + f->start;
    *most = (uint32_t)last;
    return f->start >= 0 && last >= 0 && last <= INT32_MAX;
}

/* Executes n lanes, of a repeat or of several, as vectors. Returns false when they must
 * be done one by one. */
static bool
fetch_lanes(const Field *f, const GatherTable *table, int64_t first, int64_t n, void *out)
{
    uint8_t *at;
    uint32_t most;
    GatherFetch *fn = f->size == 2 ? table->fetch16 : table->fetch32;
    return field_range(f, &at, &most) && fn(out, at, f->offsets + first, n, most);
}

static bool
spread_lanes(const Field *f, const GatherTable *table, int64_t first, int64_t n,
             const void *in)
{
    uint8_t *at;
    uint32_t most;
    GatherSpread *fn = f->size == 2 ? table->spread16 : table->spread32;
    return field_range(f, &at, &most) && fn(at, in, f->offsets + first, n, most);
}

static bool
fetch_repeat(const Field *f, const Rows *w, const GatherTable *table, int64_t r,
             int64_t n)
{
    uint8_t out[REPEAT_BYTES];
    if (w->holes || !fetch_lanes(f, table, r * w->lanes, n, out)) {
        return false;
    }
    rows_store(w, r, n, out);
    return true;
}

static bool
is_apart(const uint8_t *a, int64_t na, const uint8_t *b, int64_t nb)
{
    return (uintptr_t)a + (uintptr_t)na <= (uintptr_t)b ||
           (uintptr_t)b + (uintptr_t)nb <= (uintptr_t)a;
}

/* Returns whether all repeats can be done as one, because they are contiguous and share
 * no byte with the tensor and the offsets. */
static bool
is_one_repeat(const Field *f, const Rows *w, int64_t n)
{
    bool dense =
        w->blk == BLOCK_BYTES && !w->holes &&
        (w->repeats == 1 || (w->run == w->lanes && w->rep == w->lanes * w->size));
    return w->repeats > 0 && dense && is_apart(w->at, n * w->size, f->root, f->limit) &&
           is_apart(w->at, n * w->size, (const uint8_t *)f->offsets, 4 * n);
}

static bool
fetch_all(const Field *f, const Rows *w, const GatherTable *table)
{
    int64_t n = (w->repeats - 1) * w->lanes + w->last;
    return is_one_repeat(f, w, n) && fetch_lanes(f, table, 0, n, w->at);
}

/* Offsets that are in the tensor that is written are tested and used one by one. */
static bool
can_spread(const Field *f, const Rows *w)
{
    int64_t n = (w->repeats - 1) * w->lanes + w->last;
    return w->repeats > 0 && !w->holes &&
           is_apart((const uint8_t *)f->offsets, 4 * n, f->root, f->limit);
}

static bool
spread_all(const Field *f, const Rows *w, const GatherTable *table)
{
    int64_t n = (w->repeats - 1) * w->lanes + w->last;
    return is_one_repeat(f, w, n) && spread_lanes(f, table, 0, n, w->at);
}

static bool
base_ok(OpCall *c, const Field *f)
{
    CheckMultiple m = {RULE_BASE_ADDR, GATHER_base_addr, c->in.args[GATHER_base_addr].v,
                       f->unit};
    return check_multiple(c->in.op, &m, &c->fault);
}

bool
ops_gather(OpCall *c)
{
    Rows w = rows_of(c, GATHER_dst);
    const GatherTable *table = gather_table();
    Field f = field_of(c, GATHER_src_offset, GATHER_src, c->in.args[GATHER_base_addr].v);
    if (w.repeats > 0 && !base_ok(c, &f)) {
        return false;
    }
    if (fetch_all(&f, &w, table)) {
        return true;
    }
    for (int64_t r = 0; r < w.repeats; r++) {
        int64_t at[MAX_LANES], n = rows_run(&w, r);
        uint8_t out[REPEAT_BYTES];
        if (fetch_repeat(&f, &w, table, r, n)) {
            continue;
        }
        if (!find_lanes(c, &f, &w, r * w.lanes, n, at)) {
            return false;
        }
        fetch(&f, &w, at, n, out);
        rows_store(&w, r, n, out);
    }
    return true;
}

static void
spread(const Field *f, const Rows *w, const int64_t *at, int64_t n, const uint8_t *in)
{
    for (int64_t l = 0; l < n; l++) {
        if (!w->holes || w->on[l]) {
            memcpy(f->root + at[l], in + l * f->size, (size_t)f->size);
        }
    }
}

bool
ops_scatter(OpCall *c)
{
    Rows w = rows_of(c, GATHER_src);
    const GatherTable *table = gather_table();
    Field f = field_of(c, GATHER_src_offset, GATHER_dst, c->in.args[GATHER_base_addr].v);
    if (w.repeats > 0 && !base_ok(c, &f)) {
        return false;
    }
    bool vectors = can_spread(&f, &w);
    if (vectors && spread_all(&f, &w, table)) {
        return true;
    }
    for (int64_t r = 0; r < w.repeats; r++) {
        int64_t at[MAX_LANES], n = rows_run(&w, r);
        uint8_t in[REPEAT_BYTES];
        rows_load(&w, r, n, in);
        if (vectors && spread_lanes(&f, table, r * w.lanes, n, in)) {
            continue;
        }
        if (!find_lanes(c, &f, &w, r * w.lanes, n, at)) {
            return false;
        }
        spread(&f, &w, at, n, in);
    }
    return true;
}

/* ---- vgatherb ------------------------------------------------------------ */

bool
ops_gatherb(OpCall *c)
{
    Rows w = rows_of(c, 0);
    Field f = field_of(c, 2, 1, 0);
    Rows all = {.holes = false};
    f.size = f.unit = BLOCK_BYTES;
    for (int64_t r = 0; r < w.repeats; r++) {
        int64_t at[BLOCKS];
        uint8_t out[REPEAT_BYTES];
        if (!find_lanes(c, &f, &all, r * BLOCKS, BLOCKS, at)) {
            return false;
        }
        for (int b = 0; b < BLOCKS; b++) {
            memcpy(out + b * BLOCK_BYTES, f.root + at[b], BLOCK_BYTES);
        }
        rows_store(&w, r, w.lanes, out);
    }
    return true;
}

/* ---- vbi ----------------------------------------------------------------- */

typedef struct Bilinear {
    Rows w; /* lanes of dst, whose repeats are the vertical ones */
    Field f;
    const uint8_t *weights;
    int64_t across;
    bool each_block;
} Bilinear;

static Bilinear
bilinear_of(const OpCall *c)
{
    const CheckArg *a = c->in.args;
    int64_t size = dtype_size(a[BI_dst].t.dtype);
    Bilinear b = {.f = field_of(c, BI_src0_offset, BI_src0, 0),
                  .weights = c->at[BI_src1],
                  .across = a[BI_horizontal_repeat_times].v,
                  .each_block = a[BI_repeat_mode].v != 0};
    b.f.size = b.f.unit = BLOCK_BYTES;
    b.w = (Rows){.at = c->at[BI_dst],
                 .blk = a[BI_dst_blk_stride].v * BLOCK_BYTES,
                 .rep = a[BI_vertical_repeat_offset].v * size,
                 .repeats = a[BI_vertical_repeat_times].v,
                 .lanes = check_lanes(&c->in),
                 .per_block = BLOCK_BYTES / size,
                 .size = size};
    rows_mask(c, &b.w);
    return b;
}

/* Checks numbers that are checked before the run only if they are literals. */
static bool
bilinear_ok(OpCall *c, const Bilinear *b)
{
    const CheckArg *a = c->in.args;
    const Rows *w = &b->w;
    CheckMultiple step = {RULE_REPEAT_STRIDE, BI_vertical_repeat_offset,
                          a[BI_vertical_repeat_offset].v, w->per_block};
    CheckMultiple across = {RULE_REPEAT_RANGE, BI_horizontal_repeat_times, b->across,
                            check_bi_unit(c->in.soc, a[BI_dst].t.dtype)};
    int64_t last = w->run - 1;
    int64_t window = last / w->per_block * w->blk + (last % w->per_block + 1) * w->size;
    return check_multiple(c->in.op, &across, &c->fault) &&
           check_multiple(c->in.op, &step, &c->fault) &&
           (w->repeats <= 1 || check_bi_windows(window, w->rep, &c->fault));
}

static float
number_at(const uint8_t *at, int64_t size)
{
    return size == 2 ? half_to_float(*(const Any16 *)(const void *)at)
                     : float_of_bits(*(const Any32 *)(const void *)at);
}

static float
rounded(float x, int64_t size, bool saturates)
{
    uint16_t h = half_from_float(x);
    return size == 2 ? half_to_float(saturates ? half_finite(h) : h) : x;
}

/* Does one step, which adds the products of a block. */
static void
add_block(const Rows *w, int64_t first, int64_t n, const uint8_t *block, float weight,
          bool saturates, float *sum)
{
    for (int64_t l = first; l < first + n; l++) {
        float x = number_at(block + (l - first) * w->size, w->size);
        float product = rounded(x * weight, w->size, saturates);
        sum[l] = rounded(product + sum[l], w->size, saturates);
    }
}

static bool
block_has_lanes(const Rows *w, int64_t first, int64_t n)
{
    bool any = !w->holes;
    for (int64_t l = first; w->holes && l < first + n; l++) {
        any = any || w->on[l];
    }
    return any;
}

static bool
bilinear_row(OpCall *c, const Bilinear *b, int64_t v, float *sum)
{
    bool saturates =
        chosen(c->in.choices, CHOICE_FLOAT16_OVERFLOW) == CHOSE_FLOAT16_OVERFLOW_SATURATE;
    const Rows *w = &b->w;
    for (int64_t t = v * b->across; t < (v + 1) * b->across; t++) {
        for (int64_t l = 0; l < w->run; l += w->per_block) {
            int64_t n = w->run - l < w->per_block ? w->run - l : w->per_block;
            int64_t entry = BLOCKS * t + l / w->per_block;
            if (!block_has_lanes(w, l, n)) {
                continue;
            }
            if (!entry_ok(c, &b->f, entry, b->f.start)) {
                return false;
            }
            const uint8_t *block = b->f.root + b->f.start + entry_value(&b->f, entry);
            float weight =
                number_at(b->weights + (b->each_block ? entry : t) * w->size, w->size);
            add_block(w, l, n, block, weight, saturates, sum);
        }
    }
    return true;
}

bool
ops_bi(OpCall *c)
{
    Bilinear b = bilinear_of(c);
    if (b.w.repeats > 0 && !bilinear_ok(c, &b)) {
        return false;
    }
    for (int64_t v = 0; v < b.w.repeats; v++) {
        float sum[MAX_LANES] = {0};
        uint16_t half[MAX_LANES];
        uint32_t full[MAX_LANES];
        if (!bilinear_row(c, &b, v, sum)) {
            return false;
        }
        for (int64_t l = 0; l < b.w.run; l++) {
            half[l] = half_from_float(sum[l]);
            full[l] = float_bits_canonical(sum[l]);
        }
        rows_store(&b.w, v, b.w.run,
                   b.w.size == 2 ? (const uint8_t *)half : (const uint8_t *)full);
    }
    return true;
}

const GatherTable *
gather_table(void)
{
    return num_level() >= NUM_LEVEL_AVX512 ? &gather_avx512 : &gather_base;
}
