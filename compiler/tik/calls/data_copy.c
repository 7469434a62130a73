/* data_copy.c: data_copy, the call for moves in the spelling of Ascend C (data-movement
 * 11). The kind of the third argument chooses what it does; each kind is a row of the
 * table of cases and one function.
 *
 * Moves of blocks are recorded as data_move. data_move refuses a count of 0; data_copy
 * then does nothing: a constant 0 gives a warning, and a branch guards a count that only
 * the run knows.
 *
 * Owns: nop, count-trunc, enhanced-ignored. */
#include "tik/calls/data_copy.h"

#include <string.h>

#include "rules/transfer.h"
#include "tik/calls/l0c_move.h"
#include "tik/calls/fixpipe.h"
#include "tik/calls/instruction.h"
#include "tik/expr.h"
#include "tik/methods.h"

bool
tik_copy_bind(Copy *x, Call call, Value *got, Span *span)
{
    TRY(tik_bind(x->in, call, x->args, got, span));
    x->dst = got[0];
    x->src = got[1];
    x->dst_span = span[0];
    x->src_span = span[1];
    return true;
}

Op
tik_move_op(Value dst)
{
    bool table = tik_is(dst, &tik_tensor_class) && ((View *)dst.obj)->root->mem == SC_BT;
    return table ? OP_DATA_MOVE_BIAS : OP_DATA_MOVE;
}

/* Returns the unit of a burst's length in bytes. */
static int64_t
unit_of(const Copy *x)
{
    return tik_move_op(x->dst) == OP_DATA_MOVE_BIAS ? transfer_bias_unit(x->c->k->soc)
                                                    : BLOCK_BYTES;
}

/* ---- moves of blocks ----------------------------------------------------- */

/* A number of the move, as an operand of data_move. */
typedef struct Count {
    const char *name;
    Value v;
    Span span;
} Count;

/* True if the count is the constant 0. */
static bool
is_zero(Value v)
{
    int64_t n;
    return !tik_is_runtime(v) && val_as_int64(v, &n) && n == 0;
}

static bool
nothing(Copy *x, const Count *n)
{
    py_diag(x->in, D_NOP, n->span, "%s is 0: data_copy copies nothing", n->name);
    return true;
}

/* Checks that both operands have one type, as this spelling requires; moves to the bias
 * table have pairs of types of their own. */
static bool
one_type(const Copy *x)
{
    if (!tik_is(x->dst, &tik_tensor_class) || !tik_is(x->src, &tik_tensor_class) ||
        tik_move_op(x->dst) != OP_DATA_MOVE) {
        return true;
    }
    return tik_copy_one_type(x, (View *)x->dst.obj, (View *)x->src.obj);
}

bool
tik_copy_one_type(const Copy *x, const View *dst, const View *src)
{
    if (dst->poisoned || src->poisoned || dst->dtype == src->dtype) {
        return true;
    }
    py_diag(x->in, D_DTYPE_MISMATCH, x->src_span,
            "dst is %s and src is %s; data_copy takes one dtype", dtype_name(dst->dtype),
            dtype_name(src->dtype));
    return false;
}

/* Records one data_move. */
static bool
record_move(Copy *x, const Count *nburst, const Count *burst, const Value stride[2],
            Span stride_span)
{
    Span all = x->args->span;
    Value v[] = {x->dst,   x->src,    val_int(0), nburst->v,
                 burst->v, stride[0], stride[1],  val_fail()};
    Span span[] = {x->dst_span, x->src_span, all,         nburst->span,
                   burst->span, stride_span, stride_span, all};
    (void)tik_record(x->in, x->c, tik_move_op(x->dst), x->args, v, span);
    return !x->in->fatal;
}

/* Adds the condition that a count which only the run knows is not 0. False with a
 * diagnostic. */
static bool
add_guard(Copy *x, const Count *n, ExprId *cond)
{
    ExprId e;
    if (!tik_is_runtime(n->v)) {
        return true;
    }
    TRY(tik_read(x->in, x->c, n->v, n->span, &e));
    Dtype t = ir_expr(x->c->k, e)->dtype;
    ExprId some = ir_op2(x->c->k, SOP_NE, e, ir_const(x->c->k, t, 0));
    *cond = *cond ? ir_op2(x->c->k, SOP_AND, *cond, some) : some;
    return true;
}

/* Records the move inside of a branch on the condition. */
static bool
guarded_move(Copy *x, ExprId cond, const Count *nburst, const Count *burst,
             const Value stride[2], Span stride_span)
{
    StmtId id;
    Stmt branch = {.kind = ST_IF, .cond = {cond, 0, 0}};
    TRY(tik_emit(x->in, x->c, branch, x->args->span, &id));
    Cursor after = x->c->top->at;
    x->c->top->at = ir_cursor_body(id, 0);
    bool ok = record_move(x, nburst, burst, stride, stride_span);
    x->c->top->at = after;
    return ok;
}

/* Records a move of nburst bursts of burst blocks. may_be_none: an nburst of 0 moves
 * nothing. */
static bool
move_blocks(Copy *x, const Count *nburst, bool may_be_none, const Count *burst,
            const Value stride[2], Span stride_span)
{
    ExprId cond = 0;
    if (!one_type(x)) {
        return !x->in->fatal;
    }
    if (is_zero(burst->v)) {
        return nothing(x, burst);
    }
    if (may_be_none && is_zero(nburst->v)) {
        return nothing(x, nburst);
    }
    if ((may_be_none && !add_guard(x, nburst, &cond)) || !add_guard(x, burst, &cond)) {
        return !x->in->fatal;
    }
    return cond ? guarded_move(x, cond, nburst, burst, stride, stride_span)
                : record_move(x, nburst, burst, stride, stride_span);
}

/* True for processors on which a structure with a count of 0 is no error
 * (data-movement 11.2). */
static bool
zero_blocks_are_none(const Soc *soc)
{
    return soc_has(soc, FEATURE_EMPTY_COPIES);
}

/* Checks that constant fields are in the ranges of the operands of data_move that they
 * become. The diagnostics name the fields of the structure. */
static bool
fields_in_range(Copy *x, Value params, Span span, bool zero_blocks)
{
    static const struct {
        TikField field;
        const char *name, *operand;
        bool may_be_zero;
    } rows[] = {
        {TFIELD_DataCopyParams_block_count, "block_count", "nburst", false},
        {TFIELD_DataCopyParams_block_len, "block_len", "burst", true},
        {TFIELD_DataCopyParams_src_stride, "src_stride", "src_stride", true},
        {TFIELD_DataCopyParams_dst_stride, "dst_stride", "dst_stride", true},
    };
    int n;
    const ParamInfo *move = form_params(FORM_MOVE, &n);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        Value v = tik_field(params, rows[i].field);
        const ParamInfo *p = &move[form_slot(FORM_MOVE, ROLE_INT, rows[i].operand)];
        bool zero = rows[i].may_be_zero || (zero_blocks && i == 0);
        int64_t number, lo = zero ? 0 : p->lo;
        if (!tik_is_runtime(v) &&
            (!val_as_int64(v, &number) || number < lo || number > p->hi)) {
            py_diag(x->in, diag_of_rule(p->rule), span,
                    "%s is %s; data_copy takes %lld to %lld", rows[i].name,
                    val_repr(x->in, v), (long long)lo, (long long)p->hi);
            return false;
        }
    }
    return true;
}

static bool
copy_blocks(Copy *x, Value params, Span span)
{
    bool zero = zero_blocks_are_none(x->c->k->soc);
    Count blocks = {"block_count", tik_field(params, TFIELD_DataCopyParams_block_count),
                    span};
    Count len = {"block_len", tik_field(params, TFIELD_DataCopyParams_block_len), span};
    Value stride[] = {tik_field(params, TFIELD_DataCopyParams_src_stride),
                      tik_field(params, TFIELD_DataCopyParams_dst_stride)};
    return !fields_in_range(x, params, span, zero) ||
           move_blocks(x, &blocks, zero, &len, stride, span);
}

/* ---- cases --------------------------------------------------------------- */

/* Returns the dtype whose elements are counted: that of dst, or for moves to the bias
 * table that of src. DT_NONE if it is no tensor. */
static Dtype
counted(const Copy *x)
{
    bool dst = tik_is(x->dst, &tik_tensor_class) && tik_move_op(x->dst) == OP_DATA_MOVE;
    Value v = dst ? x->dst : x->src;
    return tik_is(v, &tik_tensor_class) ? ((View *)v.obj)->dtype : DT_NONE;
}

static bool
blocks_of_constant(Copy *x, Value count, int size, Count *out)
{
    int64_t n, bytes, unit = unit_of(x);
    if (!val_as_int64(count, &n) || __builtin_mul_overflow(n, (int64_t)size, &bytes)) {
        py_diag(x->in, D_INT_TOO_LARGE, out->span, "count does not fit 64 bits");
        return false;
    }
    out->v = val_int(bytes < 0 ? -((unit - 1 - bytes) / unit) : bytes / unit);
    if (bytes > 0 && bytes % unit != 0) {
        int64_t kept = bytes / unit * unit;
        py_diag(x->in, D_COUNT_TRUNC, out->span,
                "count is %lld elements of %d bytes, no multiple of %d bytes; "
                "data_copy copies %lld elements",
                (long long)n, size, (int)unit, (long long)(kept / size));
    }
    return true;
}

static bool
blocks_of_scalar(Copy *x, Value count, int size, Count *out)
{
    Kernel *k = x->c->k;
    ExprId e;
    TRY(tik_read(x->in, x->c, count, out->span, &e));
    Dtype t = ir_expr(k, e)->dtype;
    if (dtype_is_float(t) || t == DT_BOOL) {
        py_diag(x->in, D_ARG_TYPE, out->span,
                "count has dtype %s; data_copy takes an integer there", dtype_name(t));
        return false;
    }
    ExprId bytes = ir_op2(k, SOP_MUL, ir_cast(k, DT_S64, e), tik_i64(x->c, size));
    int64_t shift = unit_of(x) == BLOCK_BYTES ? 5 : 6;
    out->v = tik_expr(x->in, x->c, ir_op2(k, SOP_SHR, bytes, tik_i64(x->c, shift)));
    return true;
}

static bool
copy_count(Copy *x)
{
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    TRY(tik_copy_bind(x, CALL_data_copy_count, got, span));
    int size = counted(x) ? dtype_size(counted(x)) : BLOCK_BYTES;
    Count one = {"", val_int(1), x->args->span};
    Count blocks = {"count", val_none(), span[P_data_copy_count_count]};
    if (!(tik_is_runtime(got[P_data_copy_count_count])
              ? blocks_of_scalar
              : blocks_of_constant)(x, got[P_data_copy_count_count], size, &blocks)) {
        return !x->in->fatal;
    }
    int64_t n;
    if (is_zero(blocks.v) && val_as_int64(got[P_data_copy_count_count], &n) && n != 0) {
        return true; /* count-trunc has reported this */
    }
    Value stride[] = {val_int(0), val_int(0)};
    return move_blocks(x, &one, false, &blocks, stride, span[P_data_copy_count_count]);
}

/* Copies with DataCopyEnhancedParams. The structure describes copies from L0C to UB;
 * elsewhere it has no effect. */
static bool
copy_enhanced(Copy *x, const Value *got, const Span *span)
{
    bool tensors = tik_is(x->dst, &tik_tensor_class) && tik_is(x->src, &tik_tensor_class);
    if (tensors && ((View *)x->src.obj)->root->mem == SC_L0C &&
        ((View *)x->dst.obj)->root->mem == SC_UB) {
        return tik_acc_copy(x->in, x->c, x->args, got, span);
    }
    if (tik_struct_changed(x->in, got[P_data_copy_enhanced_params])) {
        py_diag(x->in, D_ENHANCED_IGNORED, span[P_data_copy_enhanced_params],
                "DataCopyEnhancedParams has no effect on a copy that is not from L0C "
                "to UB");
    }
    return copy_blocks(x, got[P_data_copy_params], span[P_data_copy_params]);
}

static bool
copy_params(Copy *x)
{
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    TRY(tik_copy_bind(x, CALL_data_copy, got, span));
    if (got[P_data_copy_enhanced_params].kind == VAL_NONE) {
        return copy_blocks(x, got[P_data_copy_params], span[P_data_copy_params]);
    }
    if (tik_struct_of(got[P_data_copy_enhanced_params]) !=
        TSTRUCT_DataCopyEnhancedParams) {
        py_diag(x->in, D_ARG_TYPE, span[P_data_copy_enhanced_params],
                "enhanced_params is %s; data_copy takes a DataCopyEnhancedParams there",
                tik_a(x->in, got[P_data_copy_enhanced_params]));
        return true;
    }
    return copy_enhanced(x, got, span);
}

/* Records an instruction whose operands after dst and src are the fields of the
 * structure, in their order. */
static bool
copy_fields(Copy *x, Call call, Op op, TikField first, TikField last)
{
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    Value v[MAX_PARAMS];
    Span at[MAX_PARAMS];
    TRY(tik_copy_bind(x, call, got, span));
    v[0] = x->dst;
    v[1] = x->src;
    at[0] = x->dst_span;
    at[1] = x->src_span;
    for (int f = (int)first; f <= (int)last; f++) {
        v[2 + f - (int)first] = tik_field(got[P_data_copy_nd2nz_params], (TikField)f);
        at[2 + f - (int)first] = span[P_data_copy_nd2nz_params];
    }
    (void)tik_record(x->in, x->c, op, x->args, v, at);
    return !x->in->fatal;
}

static bool
copy_nd2nz(Copy *x)
{
    return copy_fields(x, CALL_data_copy_nd2nz, OP_DATA_MOVE_MULTI_ND2NZ,
                       TFIELD_Nd2NzParams_nd_num,
                       TFIELD_Nd2NzParams_dst_nz_matrix_stride);
}

static bool
copy_nz2nd(Copy *x)
{
    return copy_fields(x, CALL_data_copy_nz2nd, OP_DATA_COPY_NZ2ND,
                       TFIELD_Nz2NdParamsFull_nd_num,
                       TFIELD_Nz2NdParamsFull_dst_nd_matrix_stride);
}

/* ---- the choice ---------------------------------------------------------- */

static bool
is_count(Value v)
{
    return v.kind == VAL_INT || v.kind == VAL_BOOL || v.kind == VAL_BIG ||
           tik_is_runtime(v);
}

static bool
is_list(Value v)
{
    return v.kind == VAL_LIST || v.kind == VAL_TUPLE;
}

static bool
is_params(Value v)
{
    return tik_struct_of(v) == TSTRUCT_DataCopyParams;
}

static bool
is_nd2nz(Value v)
{
    return tik_struct_of(v) == TSTRUCT_Nd2NzParams;
}

static bool
is_nz2nd(Value v)
{
    return tik_struct_of(v) == TSTRUCT_Nz2NdParamsFull;
}

static bool
is_co12(Value v)
{
    return tik_struct_of(v) == TSTRUCT_DataCopyCO12DstParams;
}

static bool
copy_co12(Copy *x)
{
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    return tik_copy_bind(x, CALL_data_copy_co12, got, span) &&
           tik_fix_copy(x->in, x->c, x->args, got, span);
}

static const struct {
    bool (*takes)(Value third);
    bool (*copy)(Copy *x);
} cases[] = {
    {is_count, copy_count}, {is_params, copy_params}, {is_list, tik_copy_slices},
    {is_nd2nz, copy_nd2nz}, {is_nz2nd, copy_nz2nd},   {is_co12, copy_co12},
};

/* Returns the argument after dst and src, by position or by any of its names. */
static bool
third_argument(const Copy *x, Value *out, Span *span)
{
    static const char *const names[] = {"count", "params", "dst_slice_info"};
    const CallArgs *a = x->args;
    *span = a->span;
    if (a->npos > 2) {
        *out = a->pos[2];
        *span = a->pos_span ? a->pos_span[2] : a->span;
        return true;
    }
    for (int k = 0; k < a->nkw; k++) {
        for (size_t i = 0; i < ARRAY_LEN(names); i++) {
            if (strcmp(tik_sym(x->in, a->kwname[k]), names[i]) == 0) {
                *out = a->kwval[k];
                *span = a->kw_span ? a->kw_span[k] : a->span;
                return true;
            }
        }
    }
    return false;
}

static void
note_prototypes(Copy *x, Diag *d)
{
    for (int call = 0; call < CALL_COUNT; call++) {
        Signature s = call_signature((Call)call);
        Text t;
        if (call_owner((Call)call) == OWNER_CONTAINER &&
            strcmp(s.name, "data_copy") == 0) {
            text_init(&t, &x->in->u->arena);
            call_prototype(&s, &t);
            diag_note(x->in->u, d, (Span){0}, "prototype: %s", t.p);
        }
    }
}

/* Helps with a keyword that is nearly one of the call's. */
static void
help_keyword(const Copy *x, Diag *d)
{
    static const char *const names[] = {"count", "params", "dst_slice_info",
                                        "src_slice_info", "dim_value"};
    for (int k = 0; k < x->args->nkw; k++) {
        Nearest near = {.wanted = tik_sym(x->in, x->args->kwname[k])};
        for (size_t i = 0; i < ARRAY_LEN(names); i++) {
            nearest_try(&near, names[i]);
        }
        diag_suggest(x->in->u, d, x->args->span, &near);
    }
}

static bool
no_case(Copy *x, bool given, Value third, Span span)
{
    Diag *d = given
                  ? py_diag(x->in, D_ARG_TYPE, span,
                            "the third argument of data_copy is %s; it tells how to copy",
                            tik_a(x->in, third))
                  : py_diag(x->in, D_ARG_COUNT, span,
                            "data_copy misses a third argument, which tells how to copy");
    note_prototypes(x, d);
    help_keyword(x, d);
    return given;
}

static bool
copy(Copy *x)
{
    Value third = val_none();
    Span span;
    bool given = third_argument(x, &third, &span);
    for (size_t i = 0; given && i < ARRAY_LEN(cases); i++) {
        if (cases[i].takes(third)) {
            return cases[i].copy(x);
        }
    }
    return no_case(x, given, third, span);
}

Value
tik_data_copy(Interp *in, Tik *c, const CallArgs *args)
{
    Copy x = {.in = in, .c = c, .args = args};
    if (tik_dropped(c) || !tik_not_built(in, c, args->span)) {
        return val_none();
    }
    return copy(&x) && !in->fatal ? val_none() : val_fail();
}
