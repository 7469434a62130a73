/* footprint.c: which bytes an instruction touches (data-movement 2.3, 3.4, 4; vector 1.1 to 1.4):
 * extents, footprints, lanes and repeats. Part of the checker; check.h is the contract. Sums are
 * saturating, so that any values are safe; they mean something only for values within their ranges. */
#include "isa/check_int.h"

int
check_pad_width(int64_t mode)
{
    return mode >= 1 && mode <= 5 ? 1 << (mode - 1) : 0;
}

bool
check_is_pad_move(const CheckInstr *in)
{
    return in->op == OP_DATA_MOVE && in->args[MV_SRC].t.scope == SC_GM &&
           in->args[MV_DST].t.scope == SC_L1 && check_pad_width(in->args[MV_MODE].v) != 0;
}

int
check_repeat_index(Op op)
{
    static const int index[FORM_COUNT] = {
        [FORM_VDUP] = 3, [FORM_VBIN] = 4, [FORM_VSCALAR] = 4, [FORM_VUN] = 3};
    return index[op_table[op].form];
}

int64_t
check_limit(const CheckTensor *t)
{
    int64_t bytes = t->bytes < 0 ? 0 : t->bytes;
    if (t->scope != SC_GM || bytes % BLOCK_BYTES == 0) {
        return bytes;
    }
    return sat_add(bytes - bytes % BLOCK_BYTES, BLOCK_BYTES);
}

/* ---- vector geometry -------------------------------------------------------------------------- */

static const CheckMask *
mask_of(const CheckInstr *in)
{
    return &in->args[0].m;
}

int
check_lanes(const CheckInstr *in)
{
    return lanes_of(in->args[1].t.dtype);
}

static int64_t
counter_elems(const CheckInstr *in)
{
    int64_t n = (int64_t)mask_of(in)->w[0];
    return n < 0 ? 0 : n;
}

int64_t
check_repeats(const CheckInstr *in)
{
    if (mask_of(in)->form == MASK_COUNTER) {
        int64_t n = counter_elems(in);
        int lanes = check_lanes(in);
        return n / lanes + (n % lanes != 0);
    }
    int64_t n = in->args[check_repeat_index(in->op)].v;
    return n < 0 ? 0 : n;
}

/* One past the highest active lane; counter mode: of a full repeat. */
static int
lane_end(const CheckInstr *in)
{
    const CheckMask *m = mask_of(in);
    int lanes = check_lanes(in);
    if (m->form == MASK_COUNT || m->form == MASK_COUNTER) {
        int64_t n = (int64_t)m->w[0];
        return n < 0 ? 0 : n > lanes ? lanes : (int)n;
    }
    for (int i = mask_words(m->form) - 1; i >= 0; i--) {
        if (m->w[i] != 0) {
            int end = 64 * i + 64 - __builtin_clzll(m->w[i]);
            return end > lanes ? lanes : end;
        }
    }
    return 0;
}

bool
check_lane_active(const CheckInstr *in, int64_t repeat, int lane)
{
    const CheckMask *m = mask_of(in);
    int lanes = check_lanes(in);
    if (lane < 0 || lane >= lanes) {
        return false;
    }
    switch (m->form) {
    case MASK_COUNT:
        return lane < (int64_t)m->w[0];
    case MASK_COUNTER:
        return sat_add(sat_mul(repeat, lanes), lane) < counter_elems(in);
    case MASK_BITS:
    case MASK_BITS4:
        return lane < 64 * mask_words(m->form) && (m->w[lane / 64] >> (lane % 64) & 1);
    }
    return false;
}

static int64_t
vector_extent(const CheckInstr *in, int param)
{
    int64_t repeats = check_repeats(in);
    int64_t run = (int64_t)lane_end(in) * dtype_size(in->args[param].t.dtype);
    int64_t pitch = sat_mul(check_stride(in, param), BLOCK_BYTES);
    if (repeats == 0 || run == 0) {
        return 0;
    }
    if (mask_of(in)->form != MASK_COUNTER || repeats == 1) {
        return sat_add(sat_mul(repeats - 1, pitch), run);
    }
    int64_t rest = counter_elems(in) - (repeats - 1) * check_lanes(in);
    int64_t last =
        sat_add(sat_mul(repeats - 1, pitch), rest * dtype_size(in->args[param].t.dtype));
    int64_t before = sat_add(sat_mul(repeats - 2, pitch), run);
    return last > before ? last : before;
}

static Footprint
vector_footprint(const CheckInstr *in, int param, bool *exact)
{
    int64_t size = dtype_size(in->args[param].t.dtype);
    const CheckMask *m = mask_of(in);
    int64_t pitch = sat_mul(check_stride(in, param), BLOCK_BYTES);
    int end = lane_end(in);
    Footprint f = {in->args[param].t.offset, check_repeats(in), pitch, 1, 0, end * size};
    *exact = true;
    if (m->form == MASK_COUNTER && pitch == check_lanes(in) * size) {
        f.count0 = f.count0 != 0;
        f.len = sat_mul(counter_elems(in), size);
    } else if (m->form == MASK_COUNTER) {
        *exact = counter_elems(in) % check_lanes(in) == 0 || f.count0 == 1;
    } else if (m->form != MASK_COUNT) {
        for (int lane = 0; lane < end && *exact; lane++) {
            *exact = check_lane_active(in, 0, lane);
        }
    }
    if (f.stride0 == f.len && f.count0 > 1) {
        f.len = sat_mul(f.len, f.count0);
        f.count0 = 1;
    }
    return f;
}

/* ---- moves -------------------------------------------------------------------------------------- */

typedef struct Bursts {
    int64_t n, len, gap; /* bytes */
} Bursts;

static Bursts
bursts_of(const CheckInstr *in, int param)
{
    const CheckTensor *src = &in->args[MV_SRC].t;
    const CheckTensor *dst = &in->args[MV_DST].t;
    MoveUnits u = move_units(src->scope, src->dtype, dst->scope, dst->dtype);
    bool is_dst = param == MV_DST;
    Bursts b = {in->args[MV_NBURST].v,
                sat_mul(in->args[MV_BURST].v, is_dst ? u.dst_burst : u.src_burst),
                sat_mul(in->args[is_dst ? MV_DST_STRIDE : MV_SRC_STRIDE].v,
                        is_dst ? u.dst_gap : u.src_gap)};
    if (!is_dst && check_is_pad_move(in)) {
        b.len = check_pad_width(in->args[MV_MODE].v);
        b.gap = 0;
    }
    return b;
}

static int64_t
move_extent(const CheckInstr *in, int param)
{
    Bursts b = bursts_of(in, param);
    if (b.n <= 0 || b.len <= 0) {
        return 0;
    }
    return sat_add(sat_mul(b.n, b.len), sat_mul(b.n - 1, b.gap));
}

static Footprint
move_footprint(const CheckInstr *in, int param)
{
    Bursts b = bursts_of(in, param);
    Footprint f = {in->args[param].t.offset, b.n, sat_add(b.len, b.gap), 1, 0, b.len};
    if (b.gap == 0 && b.n > 0) {
        f.count0 = 1;
        f.len = sat_mul(b.len, b.n);
    }
    return f;
}

/* ---- both ---------------------------------------------------------------------------------------- */

int64_t
check_extent(const CheckInstr *in, int param)
{
    return op_table[in->op].form == FORM_MOVE ? move_extent(in, param)
                                              : vector_extent(in, param);
}

Footprint
check_footprint(const CheckInstr *in, int param, bool *exact)
{
    *exact = true;
    return op_table[in->op].form == FORM_MOVE ? move_footprint(in, param)
                                              : vector_footprint(in, param, exact);
}

int64_t
footprint_end(const Footprint *f)
{
    if (f->count0 <= 0 || f->count1 <= 0 || f->len <= 0) {
        return f->offset;
    }
    int64_t last =
        sat_add(sat_mul(f->count0 - 1, f->stride0), sat_mul(f->count1 - 1, f->stride1));
    return sat_add(f->offset, sat_add(last, f->len));
}
