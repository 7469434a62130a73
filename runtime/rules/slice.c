/* slice.c: rules of the instructions on slices (vector chapter 13): types, elements that
 * are accessed, overlap.
 *
 * A slice has up to SLICE_DIMS lengths, and strides in elements (form.def). Instructions
 * access exactly its elements. It owns overlap-forbidden; path of h_data_move. */
#include "rules/internal.h"
#include "isa/operand.h"

typedef struct Slice {
    int dims;
    const CheckArg *len, *stride; /* operands of the instruction, one for a dimension */
    int64_t size;                 /* bytes of an element */
    bool empty;
} Slice;

static Slice
slice_of(const CheckInstr *in, int param)
{
    const SliceOperand *o = form_slice(op_form(in->op), param);
    Slice s = {.dims = o->dims,
               .len = &in->args[o->len],
               .stride = &in->args[o->stride],
               .size = dtype_size(in->args[param].t.dtype)};
    for (int i = 0; i < s.dims; i++) {
        s.empty = s.empty || s.len[i].v <= 0;
    }
    return s;
}

/* The parameter words of h_quant, which are all read unless the slice is empty. */
enum {
    PACKS_BYTES = 16 * 8
};

static bool
is_table(const CheckInstr *in, int param)
{
    return form_slice(op_form(in->op), param) == NULL;
}

static int64_t slice_extent(const CheckInstr *in, int param);

static int64_t
table_extent(const CheckInstr *in)
{
    return slice_extent(in, op_first(in->op, ROLE_DST)) > 0 ? PACKS_BYTES : 0;
}

static int64_t
extent_of(const Slice *s)
{
    int64_t last = 0;
    for (int i = 0; i < s->dims; i++) {
        last = sat_add(last, sat_mul(sat_add(s->len[i].v, -1), s->stride[i].v));
    }
    return s->empty ? 0 : sat_mul(sat_add(last, 1), s->size);
}

static int64_t
slice_extent(const CheckInstr *in, int param)
{
    if (is_table(in, param)) {
        return table_extent(in);
    }
    Slice s = slice_of(in, param);
    return extent_of(&s);
}

/* Returns the number of elements. */
static int64_t
slice_elements(const CheckInstr *in, int param)
{
    Slice s = slice_of(in, param);
    int64_t n = s.empty ? 0 : 1;
    for (int i = 0; i < s.dims; i++) {
        n = sat_mul(n, s.len[i].v);
    }
    return n;
}

/* 255 repeats of 128 elements may all write the same place, because dst_rep_stride may be
 * 0. */
enum {
    SCATTER_MOST = 255 * 128
};

/* Elements that are written, and those that are reduced, must be different; others may be
 * read several times. */
static bool
slice_bounds(const CheckInstr *in, int param, Fault *fault)
{
    Form form = op_form(in->op);
    bool walked = param == form_first(form, ROLE_DST) || form == FORM_HREDUCE ||
                  form == FORM_HINDEX;
    if (!walked || is_table(in, param)) {
        return true;
    }
    int64_t n = slice_elements(in, param);
    return (form == FORM_HSCATTER && n <= SCATTER_MOST) ||
           check_counted(in, param, n, dtype_size(in->args[param].t.dtype), fault);
}

/* Whether the elements have places of their own is monotone in the strides and affine in
 * each number, so the corners decide. */
static bool
slice_bounds_corners(Op op, int param)
{
    Form form = op_form(op);
    return param == form_first(form, ROLE_DST) || form == FORM_HREDUCE ||
           form == FORM_HINDEX;
}

/* Of nothing there is no sum, and no extreme: their destination keeps its bytes. */
static bool
reduces_nothing(const CheckInstr *in, int param)
{
    Form form = op_form(in->op);
    int src = op_first(in->op, ROLE_SRC);
    return (form == FORM_HREDUCE || form == FORM_HINDEX) && param != src &&
           slice_elements(in, src) == 0;
}

/* Contiguous dimensions become one run of bytes; the result is exact if at most two more
 * are left. */
static Footprint
slice_footprint(const CheckInstr *in, int param, bool *exact)
{
    Footprint f = {in->args[param].t.offset, 1, 0, 1, 0, 0};
    if (reduces_nothing(in, param)) {
        return f;
    }
    if (is_table(in, param)) {
        *exact = true;
        f.len = table_extent(in);
        return f;
    }
    Slice s = slice_of(in, param);
    f.len = extent_of(&s);
    Footprint runs = {f.offset, 1, 0, 1, 0, s.size};
    for (int i = s.dims - 1; i >= 0 && !s.empty; i--) {
        int64_t step = sat_mul(s.stride[i].v, s.size);
        if (s.len[i].v == 1) {
            continue;
        }
        if (runs.count1 == 1 && step == runs.len) {
            runs.len = sat_mul(runs.len, s.len[i].v);
        } else if (runs.count1 == 1) {
            runs.count1 = s.len[i].v;
            runs.stride1 = step;
        } else if (runs.count0 == 1) {
            runs.count0 = s.len[i].v;
            runs.stride0 = step;
        } else {
            *exact = false;
            return f;
        }
    }
    return s.empty ? f : runs;
}

/* ---- overlap ------------------------------------------------------------- */

static bool
same_slice(const CheckInstr *in, int a, int b)
{
    Slice x = slice_of(in, a), y = slice_of(in, b);
    bool same = in->args[a].t.offset == in->args[b].t.offset && x.dims == y.dims &&
                x.size == y.size;
    for (int i = 0; same && i < x.dims; i++) {
        same = x.len[i].v <= 1 || x.stride[i].v == y.stride[i].v;
    }
    return same;
}

static bool
slice_overlap(const CheckInstr *in, int param, Fault *fault)
{
    int dst = op_first(in->op, ROLE_DST);
    const CheckTensor *d = &in->args[dst].t;
    const CheckTensor *s = &in->args[param].t;
    int64_t dlen = slice_extent(in, dst), slen = slice_extent(in, param);
    FaultAt at = {RULE_OVERLAP_FORBIDDEN, param, s->offset, d->offset, d->offset};
    if (d->buffer != s->buffer || !bytes_overlap(d->offset, dlen, s->offset, slen) ||
        (!is_table(in, param) && same_slice(in, dst, param))) {
        return true;
    }
    return check_fail(fault, &at,
                      "%s reaches from byte %lld to %lld and %s from %lld to %lld of the "
                      "same tensor; they must %slie apart",
                      check_param_name(in, dst), (long long)d->offset,
                      (long long)sat_add(d->offset, dlen - 1),
                      check_param_name(in, param), (long long)s->offset,
                      (long long)sat_add(s->offset, slen - 1),
                      is_table(in, param) ? "" : "be the same slice or ");
}

/* ---- types --------------------------------------------------------------- */

static bool
needs_dtype(const CheckInstr *in, int param, Dtype want, Fault *fault)
{
    Dtype t = in->args[param].t.dtype;
    FaultAt at = {RULE_DTYPE_UNSUPPORTED, param, (int64_t)t, 0, 0};
    return t == want || check_fail(fault, &at, "%s is %s; %s takes %s there",
                                   check_param_name(in, param), dtype_name(t),
                                   check_op_name(in), dtype_name(want));
}

/* Checks that the move is between global memory and UB. */
static bool
needs_path(const CheckInstr *in, Fault *fault)
{
    Scope dst = in->args[HMOVE_dst].t.scope, src = in->args[HMOVE_src].t.scope;
    FaultAt at = {RULE_PATH, 0, (int64_t)dst, 0, 0};
    return (dst == SC_GM && src == SC_UB) || (dst == SC_UB && src == SC_GM) ||
           check_fail(fault, &at,
                      "%s goes from %s to %s; it copies between global memory and UB",
                      check_op_name(in), scope_name(src), scope_name(dst));
}

static bool
slice_statics(const CheckInstr *in, Fault *fault)
{
    int mask = op_slot(in->op, ROLE_SRC, NAMED(mask_tensor));
    switch (op_form(in->op)) {
    case FORM_HCMP:
    case FORM_HCMPS:
        return needs_dtype(in, 0, DT_BOOL, fault);
    case FORM_HSEL:
    case FORM_HSELS:
        return needs_dtype(in, mask, DT_BOOL, fault);
    case FORM_HMOVE:
        return needs_path(in, fault);
    case FORM_HCAST:
    case FORM_HQUANT:
    case FORM_HPACK:
    case FORM_HPACKS:
    case FORM_HSCATTER:
        return check_conversion(in, fault);
    default:
        return true;
    }
}

static int
slice_align(const CheckInstr *in, int param)
{
    return dtype_size(in->args[param].t.dtype);
}

const FamilyRules rules_slice = {
    .statics = slice_statics,
    .bounds = slice_bounds,
    .bounds_corners = slice_bounds_corners,
    .footprint = slice_footprint,
    .overlap = slice_overlap,
    .align = slice_align,
};
