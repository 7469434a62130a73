/* layout.c: the rules of transposes and other new orders of elements (vector chapter 6).
 * Part of the checker; rules/internal.h is the contract.
 *
 * Every operand is a row of runs at a fixed step: blocks or halves of blocks, tiles, or
 * all of a plane.
 *
 * Owns: mlen-align, overlap-forbidden of v4dtrans; overlap-single and overlap-multi of
 * this family. list-length and half-type are binding's. */
#include "rules/internal.h"
#include "isa/operand.h"

enum {
    ENTRIES = 16,
    TILE_BYTES = 512,
    IN_PLACE_BYTES = 256, /* bytes that v4dtrans may transpose in place */
    CHANNELS_OUT = 32     /* elements that a repeat of vmrgch keeps */
};

/* n runs of len bytes, step bytes apart, the first of which is start bytes after the
 * operand's first byte. */
typedef struct Runs {
    int64_t start, n, step, len;
} Runs;

static Form
form_of(const CheckInstr *in)
{
    return op_form(in->op);
}

static Runs
nchw_runs(const CheckInstr *in, int param)
{
    bool dst = param < NCHW_src_list;
    bool half = dtype_size(in->args[param].t.dtype) == 1;
    bool high = in->args[dst ? NCHW_dst_high_half : NCHW_src_high_half].v != 0;
    int64_t step = in->args[dst ? NCHW_dst_rep_stride : NCHW_src_rep_stride].v;
    return (Runs){.start = half && high ? BLOCK_BYTES / 2 : 0,
                  .n = in->args[NCHW_repeat_times].v,
                  .step = sat_mul(step, BLOCK_BYTES),
                  .len = half ? BLOCK_BYTES / 2 : BLOCK_BYTES};
}

static Runs
tiles_runs(const CheckInstr *in, int param)
{
    if (form_of(in) == FORM_TILE) {
        return (Runs){0, 1, 0, TILE_BYTES};
    }
    return (Runs){0, in->args[TILES_repeat_times].v,
                  sat_mul(in->args[TILES_dst_rep_stride + param].v, TILE_BYTES),
                  TILE_BYTES};
}

/* Returns the elements of one of the 8 groups from which vmrgch takes 4 elements. */
static int64_t
channels_run(const CheckInstr *in, int param)
{
    int64_t size = dtype_size(in->args[param].t.dtype);
    bool sixteen = size > 1 ||
                   chosen(in->choices, CHOICE_VMRGCH_8_BIT) == CHOSE_VMRGCH_8_BIT_SIXTEEN;
    return size * (param == 0 ? CHANNELS_OUT : sixteen ? 8 * 16 : 8 * 32);
}

static Runs
runs_of(const CheckInstr *in, int param)
{
    int64_t size = dtype_size(in->args[param].t.dtype);
    switch (form_of(in)) {
    case FORM_NCHW:
        return nchw_runs(in, param);
    case FORM_PLANES:
        return (Runs){0, 1, 0,
                      sat_mul(size, sat_mul(in->args[PLANES_m_len].v,
                                            in->args[PLANES_channels].v))};
    case FORM_CHANNELS:
        return (Runs){0, in->args[CHANNELS_repeat_times].v, channels_run(in, param),
                      channels_run(in, param)};
    default:
        return tiles_runs(in, param);
    }
}

/* vmrgch reads only a few of the elements that it passes over. */
static Footprint
layout_footprint(const CheckInstr *in, int param, bool *exact)
{
    Runs r = runs_of(in, param);
    Footprint f = {sat_add(in->args[param].t.offset, r.start), r.n, r.step, 1, 0, r.len};
    *exact = form_of(in) != FORM_CHANNELS || param == 0;
    if (r.n > 1 && r.step == r.len) {
        f.count0 = 1;
        f.len = sat_mul(r.len, r.n);
    }
    return f;
}

/* ---- overlap ------------------------------------------------------------- */

static bool
share_root(const CheckTensor *a, const CheckTensor *b)
{
    return a->buffer == b->buffer && a->offset >= 0 && a->offset < FAR_AWAY &&
           b->offset >= 0 && b->offset < FAR_AWAY;
}

/* Every destination block is the source block of its position. */
static bool
nchw_in_place(const CheckInstr *in)
{
    for (int i = 0; i < ENTRIES; i++) {
        const CheckTensor *d = &in->args[NCHW_dst_list + i].t,
                          *s = &in->args[NCHW_src_list + i].t;
        if (d->buffer != s->buffer || d->offset != s->offset) {
            return false;
        }
    }
    return nchw_runs(in, NCHW_dst_list).start == nchw_runs(in, NCHW_src_list).start;
}

static bool
nchw_overlap(const CheckInstr *in, int param, Fault *fault)
{
    Runs w = nchw_runs(in, NCHW_dst_list), r = nchw_runs(in, NCHW_src_list);
    const CheckTensor *s = &in->args[param].t;
    bool single = r.n == 1;
    for (int i = NCHW_dst_list; param >= NCHW_src_list && i < NCHW_src_list; i++) {
        const CheckTensor *d = &in->args[i].t;
        if (!share_root(d, s)) {
            continue;
        }
        int64_t apart = d->offset + w.start - s->offset - r.start;
        int64_t t = single ? check_first_overlap(apart, 0, w.len, r.len, 1)
                           : check_first_overlap(apart - r.step, w.step - r.step, w.len,
                                                 r.len, r.n - 1);
        if (t < 0 || (single && nchw_in_place(in))) {
            continue;
        }
        FaultAt at = {single ? RULE_OVERLAP_SINGLE : RULE_OVERLAP_MULTI, param, t, 0, 0};
        return check_fail(
            fault, &at,
            "%s of repeat %lld (byte %lld) shares bytes with %s of repeat %lld (byte "
            "%lld) of the same tensor",
            check_param_name(in, i), (long long)t,
            (long long)(d->offset + w.start + t * w.step), check_param_name(in, param),
            (long long)(t + !single),
            (long long)(s->offset + r.start + (t + !single) * r.step));
    }
    return true;
}

/* Returns whether a run of a overlaps one of b. */
static bool
runs_overlap(const Runs *a, int64_t at, const Runs *b, int64_t bt)
{
    int64_t na = a->step == 0 ? 1 : a->n, nb = b->step == 0 ? 1 : b->n;
    for (int64_t i = 0, j = 0; i < na && j < nb;) {
        int64_t x = at + i * a->step, y = bt + j * b->step;
        if (x + a->len <= y) {
            i++;
        } else if (y + b->len <= x) {
            j++;
        } else {
            return true;
        }
    }
    return false;
}

/* Operands must be in place tile by tile, or apart. */
static bool
tiles_overlap(const CheckInstr *in, Fault *fault)
{
    const CheckTensor *d = &in->args[TILES_dst].t, *s = &in->args[TILES_src].t;
    Runs w = tiles_runs(in, 0), r = tiles_runs(in, 1);
    bool in_place = d->offset == s->offset && (w.n == 1 || w.step == r.step);
    if (!share_root(d, s) || in_place || !runs_overlap(&w, d->offset, &r, s->offset)) {
        return true;
    }
    FaultAt at = {RULE_OVERLAP_SINGLE, 1, s->offset, 0, 0};
    return check_fail(
        fault, &at,
        "dst starts at byte %lld and src at byte %lld of the same tensor and "
        "they share bytes; every tile is transposed in place, or none is",
        (long long)d->offset, (long long)s->offset);
}

static bool
planes_overlap(const CheckInstr *in, Fault *fault)
{
    const CheckTensor *d = &in->args[PLANES_dst].t, *s = &in->args[PLANES_src].t;
    Runs r = runs_of(in, PLANES_dst);
    bool in_place = d->offset == s->offset && r.len <= IN_PLACE_BYTES;
    if (!share_root(d, s) || in_place ||
        !bytes_overlap(d->offset, r.len, s->offset, r.len)) {
        return true;
    }
    FaultAt at = {RULE_OVERLAP_FORBIDDEN, PLANES_src, s->offset, 0, 0};
    return check_fail(
        fault, &at,
        "dst starts at byte %lld and src at byte %lld of the same tensor and "
        "they share some of their %lld bytes; up to %d bytes may start together",
        (long long)d->offset, (long long)s->offset, (long long)r.len, IN_PLACE_BYTES);
}

static bool
layout_overlap(const CheckInstr *in, int param, Fault *fault)
{
    switch (form_of(in)) {
    case FORM_NCHW:
        return nchw_overlap(in, param, fault);
    case FORM_TILES:
    case FORM_TILE:
        return tiles_overlap(in, fault);
    default: /* planes; of the others layout_has_overlap says that there is none */
        return planes_overlap(in, fault);
    }
}

/* ---- values -------------------------------------------------------------- */

/* Destinations of one list may overlap; the repeats of vmrgch go one after another. */
static bool
layout_has_overlap(Op op, int param)
{
    Form f = op_form(op);
    return f != FORM_CHANNELS && (f != FORM_NCHW || param >= NCHW_src_list);
}

const FamilyRules rules_layout = {.has_overlap = layout_has_overlap,
                                  .footprint = layout_footprint,
                                  .overlap = layout_overlap,
                                  NOT_LEAN(.placeless = true)};
