/* tensor.c: creation of tensors.
 *
 * A tensor is a root (storage) and a view of all of it. On-core storage begins to live
 * with an ALLOC statement in the open scope; the allocator checks capacities. A tensor
 * whose shape is known only at run time gets its storage there by the instruction
 * reserve, after the previous such tensor in the same memory. A global tensor enters the
 * kernel when it is first used or listed by BuildCCE; one of a run-time or huge shape has
 * the size of the array that is given. A refused tensor is a poisoned view, so that its
 * uses add no further errors. */
#include "tik/lmem.h"
#include "tik/addr_list.h"
#include "tik/expr.h"
#include "tik/methods.h"
#include "tik/tensor.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* A call that creates a tensor, while its arguments are read. */
typedef struct Making {
    Interp *in;
    Tik *c;
    Value *got; /* by P_Tensor_..., as the span of each */
    Span *span;
    Span call;
    Root *root;
    Dim *dim;
    int ndim;
    const Lanes *lanes; /* for a tensor in LMEM, else null */
} Making;

static bool
is_identifier(const char *s)
{
    if (!isalpha((unsigned char)*s) && *s != '_') {
        return false;
    }
    for (; *s; s++) {
        if (!isalnum((unsigned char)*s) && *s != '_') {
            return false;
        }
    }
    return true;
}

/* No tensor has that many elements: larger lengths are replaced by this one. */
static const int64_t huge = IR_MAX_BYTES;

/* Reads one length of a shape. */
static bool
one_length(Interp *in, Tik *c, Value v, Span span, ExprId *out)
{
    int64_t n;
    double d;
    if (v.kind == VAL_BIG && val_as_double(v, &d) && d > 0) {
        *out = tik_i64(c, huge);
        return true;
    }
    if (tik_is_runtime(v)) {
        TRY(tik_read(in, c, v, span, out));
        if (dtype_is_float(ir_expr(c->k, *out)->dtype)) {
            py_diag(in, D_TENSOR_SHAPE, span,
                    "a length of the shape is %s of %s; it takes an integer, also a "
                    "Scalar or "
                    "an Expr of an integer dtype",
                    tik_a(in, v), dtype_name(ir_expr(c->k, *out)->dtype));
            return false;
        }
        *out = ir_cast(c->k, DT_S64, *out);
        return true;
    }
    if (!val_as_int64(v, &n)) {
        Diag *wrong = py_diag(in, D_TENSOR_SHAPE, span,
                              "a length of the shape is %s; it takes an integer",
                              v.kind == VAL_FLOAT ? val_repr(in, v) : tik_a(in, v));
        if (v.kind == VAL_FLOAT) {
            diag_help(in->u, wrong, "/ gives a float; // gives the int below it");
        }
        return false;
    }
    if (v.kind == VAL_FLOAT) {
        py_diag(in, D_SHAPE_FLOAT, span, "a length of the shape is the float %s",
                val_repr(in, v));
    }
    if (n <= 0) {
        py_diag(in, D_TENSOR_SHAPE, span,
                "a length of the shape is %lld; it is at least 1", (long long)n);
        return false;
    }
    *out = tik_i64(c, n);
    return true;
}

bool
tik_shape(Interp *in, Tik *c, Value v, Span span, Dim **dim, int *ndim)
{
    if ((v.kind != VAL_LIST && v.kind != VAL_TUPLE) || v.list->n == 0) {
        Diag *d = py_diag(
            in, D_TENSOR_SHAPE, span, "the shape is %s; it is a list or tuple of lengths",
            v.kind == VAL_LIST || v.kind == VAL_TUPLE ? "empty" : tik_a(in, v));
        if (v.kind == VAL_INT) {
            diag_help(in->u, d, "write (%s,)", val_repr(in, v));
        }
        return false;
    }
    if (v.list->n > 64) {
        py_diag(in, D_TENSOR_SHAPE, span, "the shape has %u dimensions; 64 at most",
                v.list->n);
        return false;
    }
    *ndim = (int)v.list->n;
    *dim = py_new(in, v.list->n * sizeof **dim);
    for (int i = 0; i < *ndim; i++) {
        (*dim)[i].len =
            tik_i64(c, 1); /* lengths of a refused tensor must be numbers, too */
    }
    for (int i = 0; i < *ndim; i++) {
        TRY(one_length(in, c, v.list->p[i], span, &(*dim)[i].len));
    }
    return true;
}

/* Names that element types have in other languages. */
static const char *const other_dtypes[][2] = {
    {"fp16", "float16"},  {"half", "float16"},  {"fp32", "float32"},
    {"float", "float32"}, {"bf16", "bfloat16"}, {"double", "float32"},
    {"int", "int32"},     {"uint", "uint32"},
};

static Nearest
nearest_dtype(const char *text)
{
    Nearest near = {.wanted = text};
    for (size_t i = 0; i < ARRAY_LEN(other_dtypes); i++) {
        if (strcmp(text, other_dtypes[i][0]) == 0) {
            near.best = other_dtypes[i][1];
            return near;
        }
    }
#define DTYPE(id, name, bytes, kind) nearest_try(&near, name);
#include "isa/dtype.def"
    return near;
}

void
tik_no_dtype(Interp *in, Span span, const char *text, const char *what)
{
    Diag *d = py_diag(in, D_TENSOR_DTYPE, span, "'%s' is not a dtype%s", text, what);
    Nearest near = nearest_dtype(text);
    diag_suggest(in->u, d, span, &near);
}

Dtype
tik_find_dtype(Root *r, const char *text)
{
    bool half = strcmp(text, "int4") == 0 || strcmp(text, "uint4") == 0;
    Dtype t = half                 ? DT_U8
              : r->c->k->soc->lmem ? dtype_find(text)
                                   : dtype_find_stored(text);
    r->bits = half ? 4 : 8 * dtype_size(t);
    r->sign4 = half && *text == 'i';
    return t;
}

const char *
tik_dtype_name(const View *v)
{
    bool half = v->dtype == DT_U8 && tik_view_is_halves(v);
    return !half ? dtype_name(v->dtype) : v->root->sign4 ? "int4" : "uint4";
}

bool
tik_view_is_halves(const View *v)
{
    return v->root->c->k->soc->lmem ? v->root->bits == 4 : dtype_is_half_byte(v->dtype);
}

static bool
read_dtype(Making *m)
{
    const char *text;
    TRY(tik_text(m->in, m->got[P_Tensor_dtype], "dtype", m->span[P_Tensor_dtype], &text));
    m->root->dtype = tik_find_dtype(m->root, text);
    if (m->root->dtype == DT_NONE) {
        tik_no_dtype(m->in, m->span[P_Tensor_dtype], text, " of tensors");
        return false;
    }
    return true;
}

static bool
read_scope(Making *m)
{
    const char *text;
    TRY(tik_text(m->in, m->got[P_Tensor_scope], "scope", m->span[P_Tensor_scope], &text));
    if (strcmp(text, TIK_SCOPE_STATIC) == 0) {
        py_diag(m->in, D_DMA_STATIC, m->span[P_Tensor_scope],
                "'%s' is in static memory, which no move reaches",
                tik_sym(m->in, m->root->name));
        return false;
    }
    if (!scope_find(text, &m->root->mem) || m->root->mem == SC_FB ||
        m->root->mem == SC_SREG) {
        Diag *d = py_diag(m->in, D_TENSOR_SCOPE, m->span[P_Tensor_scope],
                          "'%s' is not a scope of tensors", text);
        diag_help(m->in->u, d,
                  "give a constant of tik: tik.scope_ubuf for the Unified Buffer, "
                  "tik.scope_gm for global memory");
        return false;
    }
    Scope mem = m->root->mem;
    if (m->root->dtype == DT_F64 && mem != SC_GM && mem != SC_L1 && mem != SC_UB) {
        py_diag(m->in, D_DTYPE_UNSUPPORTED, m->span[P_Tensor_dtype],
                "'%s' has dtype float64 in %s; such tensors are in GM, L1 and UB",
                tik_sym(m->in, m->root->name), scope_name(mem));
        return false;
    }
    const Soc *soc = m->c->k->soc;
    bool lanes = m->root->mem == SC_LMEM || m->root->mem == SC_SMEM;
    bool some = lanes || m->root->mem ==
                             SC_BT; /* memories that only some of these processors have */
    bool lacks = lanes != (soc->lmem != NULL) || (some && soc->bytes[m->root->mem] == 0);
    if (m->root->mem != SC_GM && lacks) {
        py_diag(m->in, D_SCOPE_UNAVAILABLE, m->span[P_Tensor_scope],
                "'%s' is in %s, which %s does not have", tik_sym(m->in, m->root->name),
                scope_name(m->root->mem), soc->name);
        return false;
    }
    if (m->root->mem == SC_GM && m->c->top->kind != TS_TOP) {
        Diag *d = py_diag(m->in, D_TENSOR_PLACE, m->call,
                          "global tensor '%s' is created inside a scope",
                          tik_sym(m->in, m->root->name));
        diag_note(m->in->u, d, m->c->top->span, "the scope was opened here");
        return false;
    }
    return true;
}

bool
tik_identifier(Interp *in, Sym name, Span span)
{
    const char *text = tik_sym(in, name);
    if (!is_identifier(text)) {
        py_diag(in, D_TENSOR_NAME, span,
                "'%s' is not a name: letters, digits and underscores, not a digit first",
                text);
        return false;
    }
    return true;
}

static bool
read_name(Making *m)
{
    const char *text;
    TRY(tik_text(m->in, m->got[P_Tensor_name], "name", m->span[P_Tensor_name], &text));
    Sym name = intern(&m->in->u->names, text);
    TRY(tik_identifier(m->in, name, m->span[P_Tensor_name]));
    m->root->name = name;
    return true;
}

/* Computes the product of the lengths; false if a length is not constant. */
static bool
constant_size(Making *m, int64_t *elems, bool *overflow)
{
    *elems = 1;
    *overflow = false;
    for (int i = 0; i < m->ndim; i++) {
        int64_t n;
        if (!tik_const_of(m->c, m->dim[i].len, &n)) {
            return false;
        }
        *overflow = *overflow || !checked_mul(*elems, n, elems);
    }
    return true;
}

/* Prepares a tensor whose size is computed at run time. */
static bool
open_size(Making *m)
{
    Root *r = m->root;
    Buffer b = {.scope = r->mem, .dtype = r->dtype, .address = -1};
    r->dynamic = true;
    r->shape.n = 0;
    if (!ir_dynamic_room(m->c->k, &b)) {
        py_diag(m->in, D_CAPACITY, m->span[P_Tensor_shape],
                "'%s' is in %s, which %s does not have", tik_sym(m->in, r->name),
                scope_name(r->mem), m->c->k->soc->name);
        return false;
    }
    r->elems = b.elems;
    r->bytes = b.bytes;
    return true;
}

/* Prepares a tensor whose shape is known only at run time: max_mem_size, if it is given,
 * says how much is reserved. */
static bool
reserve(Making *m)
{
    int64_t bytes, size = dtype_size(m->root->dtype);
    if (m->got[P_Tensor_max_mem_size].kind == VAL_NONE) {
        return open_size(m);
    }
    if (!val_as_int64(m->got[P_Tensor_max_mem_size], &bytes) || bytes <= 0 ||
        bytes % size || bytes > IR_MAX_BYTES) {
        py_diag(m->in, D_TENSOR_SHAPE, m->span[P_Tensor_max_mem_size],
                "max_mem_size is %s; it is a positive multiple of %lld bytes",
                val_repr(m->in, m->got[P_Tensor_max_mem_size]), (long long)size);
        return false;
    }
    /* For bool, max_mem_size counts bits, while the storage has a byte for each. */
    bytes *= m->root->dtype == DT_BOOL ? 8 : 1;
    m->root->bytes = bytes;
    m->root->elems = bytes / size;
    VEC_PUSH(&m->in->u->arena, &m->root->shape, m->root->elems);
    return true;
}

static bool
read_lanes(Making *m)
{
    const LanesArgs a = {.layout = m->got[P_Tensor_layout],
                         .lane = m->got[P_Tensor_lane],
                         .stride = m->got[P_Tensor_stride],
                         .addr = m->got[P_Tensor_addr],
                         .layout_span = m->span[P_Tensor_layout],
                         .lane_span = m->span[P_Tensor_lane],
                         .stride_span = m->span[P_Tensor_stride],
                         .addr_span = m->span[P_Tensor_addr],
                         .shape_span = m->span[P_Tensor_shape]};
    if (m->root->mem != SC_LMEM) {
        return tik_lanes_unused(m->in, m->root, &a);
    }
    m->lanes = tik_lanes_new(m->in, m->root, &a, m->dim, m->ndim, m->root->bits);
    return m->lanes != NULL;
}

/* Computes the size of a linear tensor. */
static bool
linear_size(Making *m)
{
    Root *r = m->root;
    bool overflow;
    int64_t given;
    if (!constant_size(m, &r->elems, &overflow)) {
        return reserve(m);
    }
    r->elems = r->bits == 4 ? r->elems / 2 + r->elems % 2 : r->elems;
    overflow = overflow || !checked_mul(r->elems, dtype_size(r->dtype), &r->bytes) ||
               r->bytes > IR_MAX_BYTES;
    if (overflow && r->mem == SC_GM) {
        return open_size(m);
    }
    if (overflow) {
        py_diag(m->in, D_TENSOR_SHAPE, m->span[P_Tensor_shape],
                "the tensor has more than %lld bytes", (long long)IR_MAX_BYTES);
        return false;
    }
    r->shape.n = r->shape.cap = r->bits == 4 ? 1 : (uint32_t)m->ndim;
    r->shape.p = ARENA_ARRAY(&m->in->u->arena, int64_t, r->shape.n);
    for (uint32_t i = 0; i < r->shape.n; i++) {
        r->shape.p[i] = r->bits == 4 ? r->elems : ir_expr(m->c->k, m->dim[i].len)->imm;
    }
    r->dynamic = r->mem == SC_GM && r->elems >= INT32_MAX;
    if (m->got[P_Tensor_max_mem_size].kind != VAL_NONE &&
        (!val_as_int64(m->got[P_Tensor_max_mem_size], &given) ||
         (given != r->bytes && !(r->dtype == DT_BOOL && given == (r->elems + 7) / 8)))) {
        py_diag(m->in, D_TENSOR_SHAPE, m->span[P_Tensor_max_mem_size],
                "max_mem_size is %s; the shape is constant and takes %lld bytes",
                val_repr(m->in, m->got[P_Tensor_max_mem_size]), (long long)r->bytes);
        return false;
    }
    return true;
}

static bool
read_size(Making *m)
{
    TRY(tik_shape(m->in, m->c, m->got[P_Tensor_shape], m->span[P_Tensor_shape], &m->dim,
                  &m->ndim));
    return read_lanes(m) && (m->lanes != NULL || linear_size(m));
}

/* Checks options that only global tensors have. */
static bool
global_options(Making *m, bool given)
{
    if (m->root->mem == SC_GM || !given) {
        return true;
    }
    const char *what = tik_is_set(m->got[P_Tensor_is_workspace])    ? "is_workspace"
                       : tik_is_set(m->got[P_Tensor_is_atomic_add]) ? "is_atomic_add"
                       : tik_is_set(m->got[P_Tensor_is_global_tensor])
                           ? "is_global_tensor"
                           : "init_value";
    py_diag(m->in, D_TENSOR_INIT, m->call, "%s is given for '%s', which is in %s", what,
            tik_sym(m->in, m->root->name), scope_name(m->root->mem));
    return false;
}

static bool
read_contents(Making *m)
{
    bool workspace = tik_is_set(m->got[P_Tensor_is_workspace]);
    bool global = tik_is_set(m->got[P_Tensor_is_global_tensor]);
    bool atomic = tik_is_set(m->got[P_Tensor_is_atomic_add]);
    bool table = m->got[P_Tensor_init_value].kind != VAL_NONE && !atomic;
    TRY(py_plain(m->in, &m->got[P_Tensor_init_value], m->span[P_Tensor_init_value]));
    TRY(global_options(m, workspace || global || atomic || table));
    if (workspace + global + table > 1) {
        py_diag(m->in, D_TENSOR_INIT, m->call,
                "'%s' is more than one of a workspace, a global tensor and a constant "
                "table",
                tik_sym(m->in, m->root->name));
        return false;
    }
    m->root->role = workspace ? BUF_WORKSPACE : global ? BUF_GLOBAL : BUF_LOCAL;
    Value init = m->got[P_Tensor_init_value];
    return atomic  ? tik_preset(m->in, m->root, init, m->span[P_Tensor_init_value])
           : table ? tik_table(m->in, m->root, init, m->span[P_Tensor_init_value])
                   : true;
}

static bool
read_options(Making *m)
{
    Interp *in = m->in;
    return read_contents(m) &&
           tik_start_addr(in, m->root, m->got[P_Tensor_start_addr],
                          m->span[P_Tensor_start_addr]) &&
           tik_reuse_list(in, m->root, m->got[P_Tensor_reuse_list],
                          m->span[P_Tensor_reuse_list], false) &&
           tik_reuse_list(in, m->root, m->got[P_Tensor_no_reuse_list],
                          m->span[P_Tensor_no_reuse_list], true);
}

void
tik_declare(Root *root)
{
    if (root->buf != 0) {
        return;
    }
    Buffer b = {
        .name = root->name,
        .scope = root->mem,
        .dtype = root->dtype,
        .role = root->role,
        .elems = root->elems,
        .bytes = root->bytes,
        .address = -1,
        .copies = 1,
        .dynamic = root->dynamic,
        .span = root->span,
        .chain = root->chain,
    };
    /* An element of the buffer has two elements of 4 bits. */
    bool halves = root->bits == 4 && root->role == BUF_CONST;
    b.shape.n = b.shape.cap = halves ? 1 : root->shape.n;
    b.shape.p = arena_copy(&root->c->k->arena, halves ? &root->elems : root->shape.p,
                           b.shape.n * sizeof *b.shape.p);
    b.data = root->data;
    b.pack = root->pack;
    b.preset = root->preset;
    b.preset_value = root->preset_value;
    b.fixed = root->fixed;
    b.fixed_at = root->fixed_at;
    b.apart.p = root->apart.p;
    b.apart.n = root->apart.n;
    root->buf = ir_buffer(root->c->k, &b);
}

/* Returns the tensor of run-time size after which the next one in this memory lies; null
 * if none is alive. */
static Root *
newest_dynamic(const Tik *c, Scope mem)
{
    for (TScope *s = c->top; s; s = s->parent) {
        if (s->work->last_dynamic[mem]) {
            return s->work->last_dynamic[mem];
        }
    }
    return NULL;
}

/* Records how many bytes the tensor takes when the statement runs. */
static bool
reserve_bytes(Interp *in, const Making *m, int copies)
{
    Tik *c = m->c;
    Root *r = m->root;
    Root *before = newest_dynamic(c, r->mem);
    ExprId zero = tik_i64(c, 0);
    ExprId bytes = ir_op2(c->k, SOP_MUL, tik_product(c, m->dim, m->ndim),
                          tik_i64(c, dtype_size(r->dtype)));
    Arg args[4] = {
        {.kind = ARG_REF, .ref = {r->buf, r->dtype, zero}},
        {.kind = ARG_REF, .ref = {before ? before->buf : r->buf, r->dtype, zero}},
        {.kind = ARG_EXPR, .expr = bytes},
        {.kind = ARG_EXPR, .expr = tik_i64(c, copies)},
    };
    c->top->work->last_dynamic[r->mem] = r;
    Stmt s = {.kind = ST_INSTR,
              .instr = {.op = OP_RESERVE, .arg = ir_args(c->k, args, 4)}};
    return tik_emit(in, c, s, r->span, &r->reserve);
}

/* Records an ALLOC in the open scope for on-core storage. */
static bool
allocate(Interp *in, const Making *m)
{
    Root *root = m->root;
    Tik *c = root->c;
    VEC_PUSH(&in->u->arena, &c->locals, root);
    if (tik_dropped(c)) {
        return true;
    }
    TScope *loop = tik_innermost_loop(c);
    int copies = loop ? MAX(loop->thread_num, 1) : 1;
    tik_declare(root);
    c->k->bufs.p[root->buf].copies = copies;
    if (copies > 1) {
        VEC_PUSH(&in->u->arena, &loop->work->bufs, root);
    }
    int64_t unit =
        root->mem == SC_LMEM ? c->k->soc->lmem->eu_bytes : scope_alloc_unit(root->mem);
    int64_t bytes = root->dynamic ? 0 : round_up(root->bytes, unit);
    if (!checked_mul(bytes, copies, &bytes) ||
        !checked_add(c->top->work->live[root->mem], bytes,
                     &c->top->work->live[root->mem])) {
        c->top->work->live[root->mem] = INT64_MAX / 2;
    }
    Stmt s = {.kind = ST_ALLOC, .alloc = {root->buf}};
    return tik_emit(in, c, s, root->span, NULL) &&
           (!root->dynamic || reserve_bytes(in, m, copies));
}

View *
tik_view(Interp *in, Root *root, int ndim)
{
    View *v = py_object(in, sizeof *v);
    v->base.cls = &tik_tensor_class;
    v->root = root;
    bool half = root->bits == 4 && root->c->k->soc->lmem == NULL;
    v->dtype = !half ? root->dtype : root->sign4 ? DT_S4 : DT_U4;
    v->ndim = ndim;
    v->dim = py_object(in, (size_t)ndim * sizeof *v->dim);
    return v;
}

void
tik_strides(Tik *c, Dim *dim, int ndim)
{
    ExprId stride = tik_i64(c, 1);
    for (int i = ndim - 1; i >= 0; i--) {
        dim[i].stride = stride;
        stride = i > 0 ? ir_op2(c->k, SOP_MUL, stride, dim[i].len) : stride;
    }
}

static View *
whole_view(Making *m, bool ok)
{
    Tik *c = m->c;
    if (!ok && !m->dim) {
        m->ndim = 1;
        m->dim = py_new(m->in, sizeof *m->dim);
        m->dim[0].len = tik_i64(c, 1);
    }
    View *v = tik_view(m->in, m->root, m->ndim);
    v->dim = m->dim;
    v->poisoned = !ok;
    v->lanes = ok ? m->lanes : NULL;
    tik_strides(c, v->dim, v->ndim);
    for (int i = 0; v->lanes && i < LMEM_AXES; i++) {
        v->dim[i].stride = tik_i64(c, v->lanes->x.stride[i]);
    }
    v->flat_len = tik_product(c, v->dim, v->ndim);
    v->off = tik_i64(c, 0);
    m->root->size = v->flat_len;
    return v;
}

enum {
    TENSOR_STEPS = 72 /* cost of a tensor, without the call */
};

Value
tik_tensor_new(Interp *in, Tik *c, const CallArgs *args)
{
    core_owe(in, TENSOR_STEPS);
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    Making m = {.in = in, .c = c, .got = got, .span = span, .call = args->span};
    if (!tik_bind(in, CALL_Tensor, args, m.got, m.span)) {
        return val_fail();
    }
    m.root = py_new(in, sizeof *m.root);
    m.root->c = c;
    m.root->scope = c->top;
    m.root->span = args->span;
    m.root->chain = py_chain(in);
    m.root->dtype = DT_F16;
    bool ok = tik_not_built(in, c, args->span);
    ok = ok && read_name(&m) && read_dtype(&m) && read_scope(&m) && read_size(&m) &&
         read_options(&m);
    if (ok && m.root->mem == SC_GM) {
        VEC_PUSH(&in->u->arena, &c->globals, m.root);
        if (m.root->role == BUF_CONST) {
            tik_declare(m.root);
        }
    } else if (ok && !allocate(in, &m)) {
        return val_fail();
    }
    return val_object(&whole_view(&m, ok)->base);
}
