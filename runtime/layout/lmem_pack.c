/* lmem_pack.c: see lmem_pack.h. A weight is rewritten channel by channel: each output channel is one run
 * of bytes in the source and one in the result, so a set of any size streams through the caches once. */
#include "layout/lmem_pack.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define MAX_BYTES ((uint64_t)1 << 48)

static uint64_t
ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static uint64_t
round_up(uint64_t a, uint64_t b)
{
    return ceil_div(a, b) * b;
}

/* ---- the processor ------------------------------------------------------------------------------------- */

static PackOrder
order_of(StrideUnit unit)
{
    return unit == UNIT_CELL32 ? PACK_CELLS
           : unit == UNIT_BYTE ? PACK_PLAIN
                               : PACK_BLOCKED;
}

bool
pack_target(const Soc *soc, PackTarget *out)
{
    const LaneTarget *l = soc->lane;
    if (l == NULL) {
        return false;
    }
    *out = (PackTarget){
        .order = order_of(l->unit),
        .lanes = (unsigned)l->npu,
        .eu_bytes = (unsigned)l->eu_bytes,
        .icp8 = (unsigned)l->icp[0],
        .icp16 = (unsigned)l->icp[1],
        .icp32 = (unsigned)l->icp[2],
        .int32_weights = l->icp[2] * 4 == l->icp[0],
        .requant_words = (unsigned)l->requant_words,
        .requant_aligned = l->requant_aligned,
        .depthwise_aligned = l->dw_aligned,
    };
    return true;
}

/* ---- geometry of a weight ----------------------------------------------------------------------------- */

static unsigned
parallel_of_cells(unsigned bits, bool is_float)
{
    return bits == 8 && !is_float ? 4 : bits == 32 && is_float ? 2 : bits == 16 ? 1 : 0;
}

unsigned
pack_parallel(const PackTarget *t, const PackWeight *w)
{
    switch (t->order) {
    case PACK_CELLS:
        return parallel_of_cells(w->bits, w->is_float);
    case PACK_PLAIN:
        return w->bits == 8 || w->is_bfloat ? 1 : 0;
    case PACK_BLOCKED:
        break;
    }
    switch (w->bits) {
    case 4:
        return 2 * t->icp8;
    case 8:
        return t->icp8;
    case 16:
        return t->icp16;
    default:
        return w->is_float || t->int32_weights ? t->icp32 : 0;
    }
}

/* How the elements of one output channel are laid out: groups of points of lanes channels. */
typedef struct Grid {
    uint64_t channels; /* of the source, after merging */
    uint64_t points;   /* kernel points that are left */
    uint64_t inner;    /* channels that lie side by side in the result */
    uint64_t groups;   /* of inner channels */
    uint64_t
        per_block; /* merging kw: channels that lie side by side in the source; else 0 */
    uint64_t block_step; /* and the distance of such blocks */
    unsigned elem_bytes; /* in the source */
    bool nibbles;        /* two elements make one byte of the result */
} Grid;

static void
merge(Grid *g, const PackWeight *w)
{
    g->channels = w->ic;
    g->points = w->kh * w->kw;
    switch (w->merge) {
    case PACK_MERGE_NONE:
        break;
    case PACK_MERGE_KH:
        g->channels = w->ic * w->kh;
        g->points = w->kw;
        break;
    case PACK_MERGE_KW:
        g->channels = w->ic * w->kw;
        g->points = w->kh;
        g->per_block = w->kw;
        g->block_step = w->kh * w->kw;
        break;
    case PACK_MERGE_KHKW:
        g->channels = w->ic * w->kh * w->kw;
        g->points = 1;
        break;
    }
}

static bool
in_range(const PackWeight *w)
{
    uint64_t room = MAX_BYTES / 4096; /* of padding and of the element's size */
    uint64_t n[] = {w->oc, w->ic, w->kh, w->kw};
    for (int i = 0; i < 4; i++) {
        if (n[i] == 0 || n[i] > room) {
            return false;
        }
        room /= n[i];
    }
    return true;
}

static PackResult
grid(const PackTarget *t, const PackWeight *w, Grid *g)
{
    unsigned parallel = pack_parallel(t, w);
    *g = (Grid){.elem_bytes = w->bits < 8 ? 1 : w->bits / 8, .nibbles = w->bits == 4};
    if (parallel == 0 || (w->depthwise && (w->ic != 1 || w->bits == 4)) ||
        (w->merge != PACK_MERGE_NONE && (w->depthwise || t->order != PACK_BLOCKED))) {
        return PACK_BAD_TYPE;
    }
    if (!in_range(w)) {
        return PACK_TOO_LARGE;
    }
    merge(g, w);
    bool odd = t->order == PACK_PLAIN && w->bits == 8 && w->ic > 1 && w->ic % 2 == 1;
    /* of one channel in parallel the order stays, whatever the number of points */
    g->inner = w->depthwise               ? 1
               : t->order == PACK_BLOCKED ? parallel
                                          : round_up(w->ic + odd, parallel);
    g->groups = ceil_div(g->channels, g->inner);
    return PACK_OK;
}

static uint64_t
channel_elems(const Grid *g)
{
    return g->groups * g->points * g->inner;
}

static uint64_t
channel_bytes(const Grid *g)
{
    return g->nibbles ? ceil_div(channel_elems(g), 2) : channel_elems(g) * g->elem_bytes;
}

PackMerge
pack_auto_merge(const PackTarget *t, const PackWeight *w)
{
    uint64_t p = pack_parallel(t, w);
    if (w->bits != 8 || w->depthwise || t->order != PACK_BLOCKED) {
        return PACK_MERGE_NONE;
    }
    if (w->ic * w->kh * w->kw <= p && w->kh > 1 && w->kw > 1) {
        return PACK_MERGE_KHKW;
    }
    if (w->ic * w->kw <= p && w->kw > 1 && (w->kh < w->kw || w->ic * w->kh > p)) {
        return PACK_MERGE_KW;
    }
    return w->ic * w->kh <= p && w->kh > 1 ? PACK_MERGE_KH : PACK_MERGE_NONE;
}

/* ---- one channel ----------------------------------------------------------------------------------------- */

/* points x inner from channels x points; channels that are missing stay zero. */
#define TRANSPOSE(T)                                                                     \
    static void transpose_##T(const T *restrict src, T *restrict out, uint64_t points,   \
                              uint64_t n, uint64_t inner)                                \
    {                                                                                    \
        for (uint64_t k = 0; k < points; k++) {                                          \
            for (uint64_t p = 0; p < n; p++) {                                           \
                out[k * inner + p] = src[p * points + k];                                \
            }                                                                            \
        }                                                                                \
    }
TRANSPOSE(uint16_t)
TRANSPOSE(uint32_t)
#undef TRANSPOSE

#ifdef __SSE2__
/* 16 x 16 bytes: neighbours in a column come together in four rounds of interleaving halves. */
static void
transpose_16(__m128i row[16])
{
    for (int round = 0; round < 4; round++) {
        __m128i next[16];
        for (int i = 0; i < 8; i++) {
            next[2 * i] = _mm_unpacklo_epi8(row[i], row[i + 8]);
            next[2 * i + 1] = _mm_unpackhi_epi8(row[i], row[i + 8]);
        }
        memcpy(row, next, sizeof next);
    }
}

/* 16 channels at kernel points from first on, 16 of them at most. Reads 16 bytes in each channel. */
static void
transpose_block(const uint8_t *src, uint8_t *out, uint64_t points, uint64_t rows,
                uint64_t inner)
{
    __m128i row[16];
    for (uint64_t i = 0; i < 16; i++) {
        row[i] = _mm_loadu_si128((const void *)(src + i * points));
    }
    transpose_16(row);
    for (uint64_t k = 0; k < rows; k++) {
        _mm_storeu_si128((void *)(out + k * inner), row[k]);
    }
}

/* Whole blocks of 16 channels; the last one, where a load would leave the n * points bytes, from a copy.
 * Returns the channels done. */
static uint64_t
transpose_blocks(const uint8_t *src, uint8_t *out, uint64_t points, uint64_t first,
                 uint64_t n, uint64_t inner)
{
    enum {
        MOST_POINTS = 64 /* of a copy: 8 x 8 kernels */
    };
    uint8_t copy[16 * MOST_POINTS + 16];
    uint64_t p = 0;
    uint64_t rows = points - first < 16 ? points - first : 16;
    for (; p + 16 <= n; p += 16) {
        const uint8_t *from = src + p * points + first;
        if ((p + 15) * points + first + 16 > n * points) {
            if (points > MOST_POINTS) {
                break;
            }
            memcpy(copy, from, 16 * points - first);
            from = copy;
        }
        transpose_block(from, out + first * inner + p, points, rows, inner);
    }
    return p;
}
#else
static uint64_t
transpose_blocks(const uint8_t *src, uint8_t *out, uint64_t points, uint64_t first,
                 uint64_t n, uint64_t inner)
{
    (void)src, (void)out, (void)points, (void)first, (void)n, (void)inner;
    return 0;
}
#endif

/* Bytes, 16 kernel points at a time: what blocks leave over one by one. */
static void
transpose_bytes(const uint8_t *src, uint8_t *out, uint64_t points, uint64_t n,
                uint64_t inner)
{
    for (uint64_t first = 0; first < points; first += 16) {
        uint64_t end = first + 16 < points ? first + 16 : points;
        uint64_t done = transpose_blocks(src, out, points, first, n, inner);
        for (uint64_t p = done; p < n; p++) {
            for (uint64_t k = first; k < end; k++) {
                out[k * inner + p] = src[p * points + k];
            }
        }
    }
}

static void
transpose(const uint8_t *src, uint8_t *out, const Grid *g, uint64_t n)
{
    const void *from = src;
    void *to = out;
    if (g->points == 1 || g->inner == 1) {
        memcpy(to, from, n * g->points * g->elem_bytes);
    } else if (g->elem_bytes == 1) {
        transpose_bytes(from, to, g->points, n, g->inner);
    } else if (g->elem_bytes == 2) {
        transpose_uint16_t(from, to, g->points, n, g->inner);
    } else {
        transpose_uint32_t(from, to, g->points, n, g->inner);
    }
}

/* kw merged: channel i * kw + x is column x of the kernels of channel i. */
static void
gather_columns(const uint8_t *src, uint8_t *out, const Grid *g, uint64_t first,
               uint64_t n)
{
    size_t size = g->elem_bytes;
    for (uint64_t k = 0; k < g->points; k++) {
        for (uint64_t p = 0; p < n; p++) {
            uint64_t c = first + p;
            uint64_t at =
                c / g->per_block * g->block_step + k * g->per_block + c % g->per_block;
            memcpy(out + (k * g->inner + p) * size, src + at * size, size);
        }
    }
}

static void
nibbles_together(const uint8_t *src, uint64_t n, uint8_t *out)
{
    for (uint64_t i = 0; i < n; i += 2) {
        uint8_t high = i + 1 < n ? src[i + 1] : 0;
        out[i / 2] = (uint8_t)((src[i] & 15) | (high & 15) << 4);
    }
}

/* One group of inner channels; inner is at most 128 of 4-bit elements. */
static void
nibble_group(const uint8_t *src, uint8_t *out, const Grid *g, uint64_t first, uint64_t n)
{
    for (uint64_t k = 0; k < g->points; k++) {
        uint8_t row[1024] = {0};
        for (uint64_t p = 0; p < n; p++) {
            uint64_t c = first + p;
            uint64_t at = g->per_block == 0 ? c * g->points + k
                                            : c / g->per_block * g->block_step +
                                                  k * g->per_block + c % g->per_block;
            row[p] = src[at];
        }
        nibbles_together(row, g->inner, out + k * g->inner / 2);
    }
}

/* out is zero where no element goes. */
static void
channel(const uint8_t *src, const Grid *g, uint8_t *out)
{
    uint64_t step = g->inner * g->points;
    if (g->inner == 1) {
        memcpy(out, src, g->channels * g->points * g->elem_bytes);
        return;
    }
    for (uint64_t i = 0; i < g->groups; i++) {
        uint64_t first = i * g->inner;
        uint64_t n = g->channels - first < g->inner ? g->channels - first : g->inner;
        if (g->nibbles) {
            nibble_group(src, out + i * step / 2, g, first, n);
        } else if (g->per_block > 0) {
            gather_columns(src, out + i * step * g->elem_bytes, g, first, n);
        } else {
            transpose(src + first * g->points * g->elem_bytes,
                      out + i * step * g->elem_bytes, g, n);
        }
    }
}

/* ---- a weight by itself ------------------------------------------------------------------------------------ */

static void
stored_shape(const PackTarget *t, const PackWeight *w, const Grid *g, uint64_t s[4])
{
    uint64_t run = g->points * g->inner;
    s[0] = 1;
    s[1] = w->oc;
    s[2] = 1;
    s[3] = g->nibbles ? channel_bytes(g) : channel_elems(g);
    if (w->depthwise) {
        s[2] = t->order == PACK_PLAIN ? w->kh : 1;
        s[3] = t->order == PACK_PLAIN ? w->kw : s[3];
    } else if (t->order != PACK_BLOCKED) {
        s[2] = g->points;
        s[3] = g->inner;
    } else if (g->inner == 1) {
        s[2] = g->channels;
        s[3] = g->points;
    } else if (s[3] > PACK_MAX_DIM) {
        s[2] = g->groups;
        s[3] = g->nibbles ? run / 2 : run;
    }
}

PackResult
pack_weight_shape(const PackTarget *t, const PackWeight *w, uint64_t shape[4],
                  uint64_t *bytes)
{
    Grid g;
    PackResult r = grid(t, w, &g);
    if (r != PACK_OK) {
        return r;
    }
    stored_shape(t, w, &g, shape);
    *bytes = w->oc * channel_bytes(&g);
    for (int i = 0; i < 4; i++) {
        if (shape[i] > PACK_MAX_DIM) {
            return PACK_ROW_LIMIT;
        }
    }
    return *bytes > MAX_BYTES ? PACK_TOO_LARGE : PACK_OK;
}

static uint64_t
source_bytes(const PackWeight *w, const Grid *g)
{
    return w->ic * w->kh * w->kw * g->elem_bytes;
}

void
pack_weight(const PackTarget *t, const PackWeight *w, void *out)
{
    Grid g;
    if (grid(t, w, &g) != PACK_OK) {
        return;
    }
    for (uint64_t c = 0; c < w->oc; c++) {
        channel((const uint8_t *)w->data + c * source_bytes(w, &g), &g,
                (uint8_t *)out + c * channel_bytes(&g));
    }
}

/* ---- rows of a lane ------------------------------------------------------------------------------------------ */

static PackPart *
add_part(PackPlan *p, PackKind kind, uint64_t offset, uint64_t slot, uint64_t pitch)
{
    PackPart *part = &p->part[p->nparts++];
    *part = (PackPart){kind, offset, slot, pitch};
    return part;
}

/* Where the part ends: the last slot has no padding. */
static uint64_t
part_end(const PackPlan *p, const PackPart *part)
{
    return part->offset + (p->slots - 1) * part->pitch + part->slot_bytes;
}

PackResult
pack_row_shape(uint64_t rows, uint64_t row_bytes, uint64_t parallel, uint64_t slots,
               uint64_t shape[4])
{
    uint64_t d = 1;
    if (row_bytes > PACK_MAX_DIM && slots > 0) {
        d = slots;
    } else if (row_bytes > PACK_MAX_DIM) {
        for (d = parallel; row_bytes % d != 0;) {
            d--;
        }
    }
    shape[0] = 1;
    shape[1] = rows;
    shape[2] = d;
    shape[3] = row_bytes / d;
    bool fits = row_bytes % d == 0 && shape[3] <= PACK_MAX_DIM && d <= PACK_MAX_DIM;
    return fits ? PACK_OK : PACK_ROW_LIMIT;
}

/* Parameters stand in front of weights of up to 8 bits, and of integers. */
static bool
can_merge(const PackTarget *t, const PackWeight *w, bool requant)
{
    return t->order == PACK_BLOCKED && !w->is_float && w->merge == PACK_MERGE_NONE &&
           (w->bits <= 8 || (w->bits == 32 && t->int32_weights)) &&
           (!requant || t->requant_words > 0);
}

PackResult
pack_plan(const PackTarget *t, const PackWeight *w, bool requant, bool bias,
          PackPlan *plan)
{
    Grid g;
    PackResult r = grid(t, w, &g);
    *plan = (PackPlan){0};
    if (r != PACK_OK) {
        return r;
    }
    if ((requant || bias) && !can_merge(t, w, requant)) {
        return PACK_BAD_TYPE;
    }
    uint64_t end = 0;
    plan->rows = w->oc < t->lanes ? w->oc : t->lanes;
    plan->slots = ceil_div(w->oc, t->lanes);
    if (requant) {
        uint64_t slot = 4 * (uint64_t)t->requant_words;
        uint64_t pitch = t->requant_aligned ? round_up(slot, t->eu_bytes) : slot;
        end = part_end(plan, add_part(plan, PACK_REQUANT, 0, slot, pitch));
    }
    if (bias) {
        end = part_end(plan, add_part(plan, PACK_BIAS, end, 4, 4));
    }
    uint64_t align = w->depthwise && !t->depthwise_aligned ? 1 : t->eu_bytes;
    uint64_t slot = channel_bytes(&g);
    plan->row_bytes =
        part_end(plan, add_part(plan, PACK_WEIGHT, round_up(end, end > 0 ? align : 1),
                                slot, slot));
    plan->total = plan->rows * plan->row_bytes;
    if (plan->total > MAX_BYTES) {
        return PACK_TOO_LARGE;
    }
    return pack_row_shape(plan->rows, plan->row_bytes, g.inner,
                          w->depthwise ? plan->slots : 0, plan->shape);
}

PackResult
pack_constant(const PackTarget *t, const PackWeight *w, bool requant, bool bias,
              PackPlan *plan)
{
    if (requant || bias) {
        return pack_plan(t, w, requant, bias, plan);
    }
    *plan = (PackPlan){.rows = w->oc, .slots = 1, .nparts = 1};
    PackResult r = pack_weight_shape(t, w, plan->shape, &plan->total);
    if (r == PACK_OK) {
        plan->row_bytes = plan->total / w->oc;
        plan->part[0] = (PackPart){PACK_WEIGHT, 0, plan->row_bytes, plan->row_bytes};
    }
    return r;
}

static void
put32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++) {
        p[i] = (uint8_t)(v >> (8 * i));
    }
}

static uint32_t
word(const void *p, uint64_t i)
{
    const uint8_t *b = (const uint8_t *)p + 4 * i;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

void
pack_requant_words(const PackTarget *t, uint64_t oc, const PackRequant *requant,
                   void *out)
{
    uint8_t *p = out;
    for (uint64_t c = 0; c < oc; c++, p += 4 * (size_t)t->requant_words) {
        uint32_t zp = word(requant->zp, c * requant->zp_step);
        uint32_t back = 0U - word(requant->shift, c); /* to the left in the words */
        put32(p, word(requant->mul, c));
        if (t->requant_words == 3) {
            put32(p + 4, back);
            put32(p + 8, zp);
        } else {
            put32(p + 4, (back & 0xff) + ((zp & 0xffff) << 16));
        }
    }
}

void
pack_rows(const PackTarget *t, const PackWeight *w, const void *words, const void *bias,
          const PackPlan *plan, void *out)
{
    Grid g;
    if (grid(t, w, &g) != PACK_OK) {
        return;
    }
    for (uint64_t c = 0; c < w->oc; c++) {
        uint8_t *row = (uint8_t *)out + c % t->lanes * plan->row_bytes;
        for (int i = 0; i < plan->nparts; i++) {
            const PackPart *part = &plan->part[i];
            uint8_t *p = row + part->offset + c / t->lanes * part->pitch;
            switch (part->kind) {
            case PACK_REQUANT:
                memcpy(p, (const uint8_t *)words + c * part->slot_bytes,
                       part->slot_bytes);
                break;
            case PACK_BIAS:
                memcpy(p, (const uint8_t *)bias + 4 * c, 4);
                break;
            case PACK_WEIGHT:
                channel((const uint8_t *)w->data + c * source_bytes(w, &g), &g, p);
                break;
            }
        }
    }
}

/* ---- parameters of PACK_PLAIN targets ------------------------------------------------------------------------- */

void
pack_channel_bytes(uint64_t oc, const void *bias, const PackRequant *requant,
                   uint8_t *out)
{
    for (uint64_t c = 0; c < oc; c++) {
        if (bias != NULL) {
            put32(out, word(bias, c));
            out += 4;
        }
        put32(out, word(requant->mul, c));
        out[4] = (uint8_t)word(requant->shift, c);
        out += 5;
    }
}

void
pack_bias_planes(uint64_t oc, const void *bias, uint8_t *out)
{
    const uint8_t *words = bias;
    for (uint64_t c = 0; c < oc; c++) {
        memcpy(out + 2 * c, words + 4 * c + 2, 2);
        memcpy(out + 2 * (oc + c), words + 4 * c, 2);
    }
}

/* ---- resize ------------------------------------------------------------------------------------------------------ */

void
pack_resize(const void *src, const uint64_t *from, const uint64_t *to, int rank,
            size_t elem_bytes, void *out)
{
    if (rank == 0) {
        memcpy(out, src, elem_bytes);
        return;
    }
    uint64_t below_from = 1;
    uint64_t below_to = 1;
    for (int i = 1; i < rank; i++) {
        below_from *= from[i];
        below_to *= to[i];
    }
    if (rank == 1) {
        memcpy(out, src, from[0] * elem_bytes);
        return;
    }
    for (uint64_t i = 0; i < from[0]; i++) {
        pack_resize((const uint8_t *)src + i * below_from * elem_bytes, from + 1, to + 1,
                    rank - 1, elem_bytes, (uint8_t *)out + i * below_to * elem_bytes);
    }
}
