/* lmem_pack.c: shapes and rows of packed constants; see lmem_pack.h. */
#include "layout/lmem_pack.h"

#include "isa/bytes.h"

#include "layout/lmem_channel.h"

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

/* ---- the processor ------------------------------------------------------- */

static PackOrder
order_of(StrideUnit unit)
{
    return unit == UNIT_CELL32 ? PACK_CELLS
           : unit == UNIT_BYTE ? PACK_PLAIN
                               : PACK_BLOCKED;
}

/* Returns the input channels of a float32 weight that are adjacent (choice W1). */
static unsigned
float_channels(const LmemTarget *l, const Choices *choices)
{
    bool runs = order_of(l->unit) == PACK_BLOCKED &&
                chosen(choices, CHOICE_LANE_FLOATS) == CHOSE_LANE_FLOATS_RUNS;
    return (unsigned)(runs ? l->icp[0] / 4 : l->icp[2]);
}

bool
pack_target(const Soc *soc, const Choices *choices, PackTarget *out)
{
    const LmemTarget *l = soc->lmem;
    if (l == NULL) {
        return false;
    }
    *out = (PackTarget){
        .order = order_of(l->unit),
        .lanes = (unsigned)l->npu,
        .eu_bytes = (unsigned)l->eu_bytes,
        .icp8 = (unsigned)l->icp[0],
        .icp16 = (unsigned)l->icp[1],
        .icp32 = float_channels(l, choices),
        .int32_weights = l->icp[2] * 4 == l->icp[0],
        .requant_words = (unsigned)l->requant_words,
        .requant_aligned = l->requant_aligned,
        .depthwise_aligned = l->dw_aligned,
    };
    return true;
}

/* ---- geometry of a weight ------------------------------------------------ */

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
    uint64_t room =
        MAX_BYTES / 4096; /* leaves a factor for padding and the size of elements */
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
    /* with one channel in parallel the order stays, whatever the number of points */
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

/* ---- a weight by itself -------------------------------------------------- */

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
        pack_channel((const uint8_t *)w->data + c * source_bytes(w, &g), &g,
                     (uint8_t *)out + c * channel_bytes(&g));
    }
}

/* ---- rows of a lane ------------------------------------------------------ */

static PackPart *
add_part(PackPlan *p, PackKind kind, uint64_t offset, uint64_t slot, uint64_t pitch)
{
    PackPart *part = &p->part[p->nparts++];
    *part = (PackPart){kind, offset, slot, pitch};
    return part;
}

/* Returns where the part ends. The last slot has no padding. */
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

/* Returns whether parameters can be packed before the weight, which must have up to 8
 * bits, or be of integers. */
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
        part_end(plan, add_part(plan, PACK_WEIGHT, round_up(end, align), slot, slot));
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
                pack_channel((const uint8_t *)w->data + c * source_bytes(w, &g), &g, p);
                break;
            }
        }
    }
}
