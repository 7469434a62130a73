/* segment.c: data_copy with lists of SliceInfo (data-movement chapter 8): from the fields
 * of the lists to the counts and pitches of one data_copy.slice.
 *
 * All arithmetic is on IR expressions, which fold where the fields are constants. If the
 * fields of a dimension are constants, its rules are checked here; if some are not, a
 * data_copy.dim with them is recorded and checked at run time. Lists of constants are
 * flattened: dimensions of one segment vanish, those that follow each other in memory
 * become one, and segments that follow each other on both sides become longer ones.
 *
 * Owns: slice-dim, slice-count, slice-tail, slice-regroup; rules/segment.h owns the
 * others. */
#include "isa/integer.h"
#include "rules/segment.h"
#include "tik/calls/data_copy.h"
#include "tik/calls/instruction.h"
#include "tik/expr.h"

enum {
    FIELDS = 5, /* fields of a SliceInfo */
    ARGS = 5
};

/* Larger constant results are replaced by this one, which is as far outside of any
 * tensor. */
#define CLAMPED ((int64_t)1 << 50)

/* The fields in the order of SliceFields. */
enum {
    F_START,
    F_END,
    F_STRIDE,
    F_BURST,
    F_SHAPE
};

/* One list, and the operand that it describes. Expressions are int64. */
typedef struct Side {
    const char *name; /* name of the parameter */
    bool src;
    Value tensor;
    Span span; /* place of the list */
    ExprId field[SEGMENT_DIMS][FIELDS];
    ExprId count[SEGMENT_DIMS], pitch[SEGMENT_DIMS]; /* pitch in bytes */
    ExprId start; /* offset of the first segment in bytes */
    int dims;     /* dimensions with more than one segment; flattening reduces them */
    Scope scope;
} Side;

typedef struct Slices {
    Copy *x;
    Interp *in;
    Tik *c;
    Kernel *k;
    int dims;
    int size;   /* bytes of an element */
    ExprId len; /* bytes of a segment */
    Side dst, src;
} Slices;

static bool
known(const Slices *s, ExprId e, int64_t *v)
{
    return tik_const_of(s->c, e, v);
}

/* ---- arithmetic ---------------------------------------------------------- */

static ExprId
limited(const Slices *s, int64_t v)
{
    return tik_i64(s->c, v > CLAMPED ? CLAMPED : v < -CLAMPED ? -CLAMPED : v);
}

static ExprId
sum(const Slices *s, ExprId a, ExprId b)
{
    int64_t x, y, r;
    if (known(s, a, &x) && known(s, b, &y) && !__builtin_add_overflow(x, y, &r)) {
        return limited(s, r);
    }
    return ir_op2(s->k, SOP_ADD, a, b);
}

static ExprId
product(const Slices *s, ExprId a, ExprId b)
{
    int64_t x, y, r;
    if (known(s, a, &x) && known(s, b, &y)) {
        bool wraps = __builtin_mul_overflow(x, y, &r);
        return limited(s, wraps ? CLAMPED : r);
    }
    return ir_op2(s->k, SOP_MUL, a, b);
}

/* ---- arguments ----------------------------------------------------------- */

static bool
dimensions(Slices *s, Value v, Span span)
{
    int64_t n;
    if (v.kind != VAL_INT) {
        py_diag(s->in, D_ARG_TYPE, span, "dim_value is %s; data_copy takes an int there",
                tik_a(s->in, v));
        return false;
    }
    if (!val_as_int64(v, &n) || n < 1 || n > SEGMENT_DIMS) {
        py_diag(s->in, D_SLICE_DIM, span, "dim_value is %s; it is 1 to %d",
                val_repr(s->in, v), SEGMENT_DIMS);
        return false;
    }
    s->dims = (int)n;
    return true;
}

/* Reads a field as an int64. */
static bool
read_field(const Slices *s, const Side *side, Value v, ExprId *out)
{
    int64_t n;
    if (!tik_is_runtime(v)) {
        if (!val_as_int64(v, &n)) {
            py_diag(s->in, D_INT_TOO_LARGE, side->span,
                    "a field of %s does not fit 64 bits", side->name);
            return false;
        }
        *out = limited(s, n);
        return true;
    }
    TRY(tik_read(s->in, s->c, v, side->span, out));
    Dtype t = ir_expr(s->k, *out)->dtype;
    if (dtype_is_float(t) || t == DT_BOOL) {
        py_diag(s->in, D_ARG_TYPE, side->span,
                "a field of %s has dtype %s; data_copy takes integers there", side->name,
                dtype_name(t));
        return false;
    }
    *out = ir_cast(s->k, DT_S64, *out);
    return true;
}

static bool
read_info(const Slices *s, Side *side, int dim, Value v)
{
    static const TikField fields[FIELDS] = {
        TFIELD_SliceInfo_start_index, TFIELD_SliceInfo_end_index, TFIELD_SliceInfo_stride,
        TFIELD_SliceInfo_burst_len, TFIELD_SliceInfo_shape_value};
    if (tik_struct_of(v) != TSTRUCT_SliceInfo) {
        py_diag(s->in, D_ARG_TYPE, side->span,
                "%s[%d] is %s; data_copy takes a SliceInfo there", side->name, dim,
                tik_a(s->in, v));
        return false;
    }
    for (int i = 0; i < FIELDS; i++) {
        TRY(read_field(s, side, tik_field(v, fields[i]), &side->field[dim][i]));
    }
    return true;
}

static bool
read_list(const Slices *s, Side *side, Value v)
{
    if (v.kind != VAL_LIST && v.kind != VAL_TUPLE) {
        py_diag(s->in, D_ARG_TYPE, side->span,
                "%s is %s; data_copy takes a list of SliceInfo there", side->name,
                tik_a(s->in, v));
        return false;
    }
    if (v.list->n < (uint32_t)s->dims || v.list->n > SEGMENT_DIMS) {
        py_diag(s->in, D_SLICE_COUNT, side->span,
                "%s has %u SliceInfo and dim_value is %d; it has %d to %d", side->name,
                v.list->n, s->dims, s->dims, SEGMENT_DIMS);
        return false;
    }
    for (int d = 0; d < s->dims; d++) {
        TRY(read_info(s, side, d, v.list->p[d]));
    }
    return true;
}

/* Checks the lengths of the lists. They may be longer than dim_value: then the first
 * entries count, with a warning. */
static bool
lengths(const Slices *s, Value dst, Value src)
{
    if (dst.list->n != src.list->n) {
        py_diag(s->in, D_SLICE_COUNT, s->src.span,
                "%s has %u SliceInfo and %s has %u; they have equally many", s->src.name,
                src.list->n, s->dst.name, dst.list->n);
        return false;
    }
    if (dst.list->n > (uint32_t)s->dims) {
        py_diag(s->in, D_SLICE_EXTRA, s->dst.span,
                "%s and %s have %u SliceInfo and dim_value is %d; the first %d count",
                s->dst.name, s->src.name, dst.list->n, s->dims, s->dims);
    }
    return true;
}

/* ---- operands ------------------------------------------------------------ */

static const View *
view_of(const Side *side)
{
    return tik_is(side->tensor, &tik_tensor_class) ? (View *)side->tensor.obj : NULL;
}

static bool
operand(const Slices *s, Side *side, Span span)
{
    const View *v = view_of(side);
    side->scope = v ? v->root->mem : SC_GM;
    if (!v && !tik_is(side->tensor, &tik_address_class)) {
        py_diag(s->in, D_ARG_TYPE, span, "%s is %s; data_copy takes a tensor there",
                side->src ? "src" : "dst", tik_a(s->in, side->tensor));
        return false;
    }
    return tik_own(s->in, s->c, side->tensor, span) && (!v || !v->poisoned);
}

static bool
operands(Slices *s)
{
    TRY(operand(s, &s->src, s->x->src_span) && operand(s, &s->dst, s->x->dst_span));
    const View *v = view_of(&s->dst) ? view_of(&s->dst) : view_of(&s->src);
    if (!v) {
        py_diag(
            s->in, D_ARG_TYPE, s->x->src_span,
            "dst and src are addresses; data_copy takes a tensor on one side at least");
        return false;
    }
    s->size = dtype_size(v->dtype);
    const View *dst = view_of(&s->dst), *src = view_of(&s->src);
    return !dst || !src || tik_copy_one_type(s->x, dst, src);
}

/* Takes the lengths of a tensor's dimensions as shape_value. Both lists do so if the
 * first SliceInfo of src has no shape_value. */
static bool
shapes_of_tensors(const Slices *s, Side *side)
{
    const View *v = view_of(side);
    if (!v || v->ndim < s->dims) {
        py_diag(s->in, D_SLICE_COUNT, side->span,
                "shape_value of src_slice_info[0] is 0, %s has %d dimensions of its own "
                "and dim_value is %d",
                side->src ? "src" : "dst", v ? v->ndim : 0, s->dims);
        return false;
    }
    for (int d = 0; d < s->dims; d++) {
        side->field[d][F_SHAPE] = v->dim[v->ndim - 1 - d].len;
    }
    return true;
}

static bool
shapes(Slices *s)
{
    int64_t n;
    return !known(s, s->src.field[0][F_SHAPE], &n) || n != 0 ||
           (shapes_of_tensors(s, &s->src) && shapes_of_tensors(s, &s->dst));
}

/* ---- rules of a dimension ------------------------------------------------ */

static bool
report(const Slices *s, const Fault *f)
{
    py_diag(s->in, diag_of_rule(f->rule), f->param ? s->src.span : s->dst.span, "%s",
            f->text);
    return false;
}

/* Which fields of a dimension of one list are known. A shape that only the run knows
 * counts as the largest one. */
typedef struct Known {
    bool all, span, burst; /* span: start and end */
    bool stride;
} Known;

static Known
known_fields(const Slices *s, const ExprId *f, SliceFields *out)
{
    Known k;
    bool start = known(s, f[F_START], &out->start), end = known(s, f[F_END], &out->end);
    bool shape = known(s, f[F_SHAPE], &out->shape);
    k.span = start && end;
    k.stride = known(s, f[F_STRIDE], &out->stride);
    k.burst = known(s, f[F_BURST], &out->burst_len);
    k.all = k.span && k.stride && k.burst && shape;
    out->shape = shape ? out->shape : INT64_MAX;
    return k;
}

/* Checks the rules of a dimension as far as its constants suffice. */
static bool
rules_of_known(const Slices *s, const SliceDim *d, const Known *dst, const Known *src)
{
    Fault fault;
    bool bursts = dst->burst && src->burst;
    TRY(!bursts || check_slice_bursts(d, &fault) || report(s, &fault));
    TRY(!src->span || check_slice_indices(d, true, &fault) || report(s, &fault));
    TRY(!dst->span || check_slice_indices(d, false, &fault) || report(s, &fault));
    bool fits = src->burst && d->src.burst_len > 0 && src->span && src->stride;
    TRY(!fits || check_slice_fit(d, true, &fault) || report(s, &fault));
    fits = dst->burst && d->dst.burst_len > 0 && dst->span && dst->stride;
    return !fits || check_slice_fit(d, false, &fault) || report(s, &fault);
}

static Value
number(const Slices *s, ExprId e)
{
    int64_t v;
    return known(s, e, &v) ? val_int(v) : tik_expr(s->in, s->c, e);
}

/* Records the fields of a dimension whose rules only the run can check. */
static bool
carry_rules(const Slices *s, int dim)
{
    const Side *sides[] = {&s->dst, &s->src};
    Value v[SLICEDIM_src_shape_value + 1];
    Span span[SLICEDIM_src_shape_value + 1];
    v[SLICEDIM_dim] = val_int(dim);
    v[SLICEDIM_block_elements] = val_int(BLOCK_BYTES / s->size);
    for (int i = 0; i < SLICEDIM_src_shape_value + 1; i++) {
        span[i] = s->x->args->span;
    }
    for (int i = 0; i < 2 * FIELDS; i++) {
        v[SLICEDIM_dst_start_index + i] =
            number(s, sides[i / FIELDS]->field[dim][i % FIELDS]);
        span[SLICEDIM_dst_start_index + i] = sides[i / FIELDS]->span;
    }
    return tik_record(s->in, s->c, OP_DATA_COPY_DIM, s->x->args, v, span);
}

static void
warn_of_tail(const Slices *s, const SliceDim *d, const Side *side)
{
    if (slice_has_tail(d, side->src)) {
        py_diag(s->in, D_SLICE_TAIL, side->span,
                "%s[%d] drops the lines after its last segment", side->name, d->dim);
    }
}

static bool
rules_of_dims(const Slices *s)
{
    for (int dim = 0; dim < s->dims; dim++) {
        SliceDim d = {
            .dim = dim, .size = s->size, .tail = slice_drops_tail(s->k->choices)};
        Known dst = known_fields(s, s->dst.field[dim], &d.dst);
        Known src = known_fields(s, s->src.field[dim], &d.src);
        TRY(rules_of_known(s, &d, &dst, &src));
        if (!dst.all || !src.all) {
            TRY(carry_rules(s, dim));
            continue;
        }
        warn_of_tail(s, &d, &s->src);
        warn_of_tail(s, &d, &s->dst);
    }
    return true;
}

/* ---- segments ------------------------------------------------------------ */

/* Returns (end - start + 1 + stride) / (segment + stride). For a single line both are the
 * same expression, so that the quotient folds to 1. */
static ExprId
count_of(const Slices *s, const ExprId *f, ExprId segment)
{
    ExprId all = ir_op2(s->k, SOP_SUB, f[F_END], f[F_START]);
    all = sum(s, all, tik_i64(s->c, 1));
    return ir_op2(s->k, SOP_DIV, sum(s, all, f[F_STRIDE]), sum(s, segment, f[F_STRIDE]));
}

/* Computes counts, pitches and the start of a list whose dimensions keep the rules. */
static void
measure(const Slices *s, Side *side)
{
    ExprId one = tik_i64(s->c, 1), line = tik_i64(s->c, s->size);
    ExprId segment = ir_op2(s->k, SOP_DIV, s->len, tik_i64(s->c, s->size));
    side->start = tik_i64(s->c, 0);
    side->dims = s->dims;
    for (int d = 0; d < s->dims; d++) {
        const ExprId *f = side->field[d];
        ExprId piece = d == 0 ? segment : one;
        side->count[d] = count_of(s, f, piece);
        side->pitch[d] = product(s, sum(s, piece, f[F_STRIDE]), line);
        side->start = sum(s, side->start, product(s, f[F_START], line));
        line = product(s, line, f[F_SHAPE]);
    }
}

/* Computes the number of segments of a list of constant counts; false if a count is not
 * positive, which breaks a rule that is checked at run time. */
static bool
total_of(const Slices *s, const Side *side, int64_t *out)
{
    int64_t n;
    *out = 1;
    for (int d = 0; d < s->dims; d++) {
        TRY(known(s, side->count[d], &n) && n > 0);
        *out = *out > CLAMPED / n ? CLAMPED : *out * n;
    }
    return true;
}

static bool
totals(const Slices *s)
{
    int64_t dst, src;
    Fault fault;
    if (!total_of(s, &s->dst, &dst) || !total_of(s, &s->src, &src)) {
        return true;
    }
    TRY(check_slice_total(dst, src, &fault) || report(s, &fault));
    for (int d = 0; d < s->dims; d++) {
        if (s->dst.count[d] != s->src.count[d]) {
            (void)(known(s, s->dst.count[d], &dst) && known(s, s->src.count[d], &src));
            py_diag(s->in, D_SLICE_REGROUP, s->src.span,
                    "segments along src_slice_info[%d]: %lld, along "
                    "dst_slice_info[%d]: %lld; they go over in order",
                    d, (long long)src, d, (long long)dst);
            return true;
        }
    }
    return true;
}

/* Checks that segments in UB start at multiples of 32 bytes. */
static bool
pitches(const Slices *s, const Side *side)
{
    Fault fault;
    int64_t n, pitch;
    for (int d = 0; side->scope == SC_UB && d < s->dims; d++) {
        if (known(s, side->count[d], &n) && n > 1 && known(s, side->pitch[d], &pitch)) {
            TRY(check_slice_pitch(side->src, d, pitch, &fault) || report(s, &fault));
        }
    }
    return true;
}

/* ---- flattening ---------------------------------------------------------- */

static bool
is_constant(const Slices *s, const Side *side)
{
    int64_t v;
    bool all = known(s, s->len, &v);
    for (int d = 0; d < side->dims; d++) {
        all = all && known(s, side->count[d], &v) && known(s, side->pitch[d], &v);
    }
    return all;
}

static void
flatten_side(const Slices *s, Side *side)
{
    int n = 0;
    for (int d = 0; d < side->dims; d++) {
        ExprId count = side->count[d], pitch = side->pitch[d];
        if (count == tik_i64(s->c, 1)) {
            continue;
        }
        if (n > 0 && pitch == product(s, side->count[n - 1], side->pitch[n - 1])) {
            side->count[n - 1] = product(s, side->count[n - 1], count);
        } else {
            side->count[n] = count;
            side->pitch[n++] = pitch;
        }
    }
    side->dims = n;
}

/* Joins each k segments of the first dimension to one. */
static void
lengthen(const Slices *s, Side *side, int64_t k)
{
    ExprId by = tik_i64(s->c, k);
    side->count[0] = ir_op2(s->k, SOP_DIV, side->count[0], by);
    side->pitch[0] = product(s, side->pitch[0], by);
    flatten_side(s, side);
}

static void
flatten(Slices *s)
{
    int64_t dst, src;
    if (!is_constant(s, &s->dst) || !is_constant(s, &s->src)) {
        return;
    }
    flatten_side(s, &s->dst);
    flatten_side(s, &s->src);
    while (s->dst.dims > 0 && s->src.dims > 0 && s->dst.pitch[0] == s->len &&
           s->src.pitch[0] == s->len && known(s, s->dst.count[0], &dst) &&
           known(s, s->src.count[0], &src) && gcd(dst, src) > 1) {
        int64_t k = gcd(dst, src);
        s->len = product(s, s->len, tik_i64(s->c, k));
        lengthen(s, &s->dst, k);
        lengthen(s, &s->src, k);
    }
}

/* ---- recording ----------------------------------------------------------- */

/* Returns a list operand of the instruction. It has room for more dimensions than there
 * are; the others are missing. */
static Value
numbers(const Slices *s, Op op, const ExprId *e, int n, int missing)
{
    Value v[SEGMENT_DIMS];
    int room = segment_slots(op).dims;
    for (int d = 0; d < room; d++) {
        v[d] = d < n ? number(s, e[d]) : val_int(missing);
    }
    return val_list(s->in, v, (uint32_t)room);
}

/* Returns the operand moved to its first segment. */
static Value
at_start(const Slices *s, const Side *side, Span span)
{
    const View *v = view_of(side);
    if (!v) {
        ExprId elems = ir_op2(s->k, SOP_DIV, side->start, tik_i64(s->c, s->size));
        return tik_address_class.binary(s->in, AOP_ADD, side->tensor, number(s, elems),
                                        span);
    }
    View *moved = ARENA_NEW(&s->in->u->arena, View);
    *moved = *v;
    moved->off = ir_op2(s->k, SOP_ADD, v->off, side->start);
    return val_object(&moved->base);
}

static bool
record(const Slices *s)
{
    const Copy *x = s->x;
    Span all = x->args->span;
    bool few = s->dst.dims <= SEGMENT_FEW && s->src.dims <= SEGMENT_FEW;
    Op op = few ? OP_DATA_COPY_SLICE : OP_DATA_COPY_SLICE8;
    Value dst = at_start(s, &s->dst, x->dst_span);
    Value src = at_start(s, &s->src, x->src_span);
    Value v[] = {dst,
                 src,
                 number(s, s->len),
                 numbers(s, op, s->dst.count, s->dst.dims, 1),
                 numbers(s, op, s->dst.pitch, s->dst.dims, 0),
                 numbers(s, op, s->src.count, s->src.dims, 1),
                 numbers(s, op, s->src.pitch, s->src.dims, 0)};
    Span span[] = {x->dst_span, x->src_span, all,        s->dst.span,
                   s->dst.span, s->src.span, s->src.span};
    return !val_failed(dst) && !val_failed(src) &&
           tik_record(s->in, s->c, op, x->args, v, span);
}

bool
tik_copy_slices(Copy *x)
{
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    TRY(tik_copy_bind(x, CALL_data_copy_slices, got, span));
    Slices s = {.x = x, .in = x->in, .c = x->c, .k = x->c->k};
    s.dst = (Side){.name = "dst_slice_info",
                   .tensor = x->dst,
                   .span = span[P_data_copy_slices_dst_slice_info]};
    s.src = (Side){.name = "src_slice_info",
                   .src = true,
                   .tensor = x->src,
                   .span = span[P_data_copy_slices_src_slice_info]};
    if (dimensions(&s, got[P_data_copy_slices_dim_value],
                   span[P_data_copy_slices_dim_value]) &&
        read_list(&s, &s.src, got[P_data_copy_slices_src_slice_info]) &&
        read_list(&s, &s.dst, got[P_data_copy_slices_dst_slice_info]) &&
        lengths(&s, got[P_data_copy_slices_dst_slice_info],
                got[P_data_copy_slices_src_slice_info]) &&
        operands(&s) && shapes(&s) && rules_of_dims(&s)) {
        s.len = product(&s, s.src.field[0][F_BURST], tik_i64(s.c, BLOCK_BYTES));
        measure(&s, &s.src);
        measure(&s, &s.dst);
        if (totals(&s) && pitches(&s, &s.dst) && pitches(&s, &s.src)) {
            flatten(&s);
            (void)record(&s);
        }
    }
    return !x->in->fatal;
}
