/* compare.c: compare and select where the call differs from the instruction (vector
 * chapter 5): the handle of CMPMASK, and the modes of vsel and vec_sel, which are
 * instructions of their own.
 *
 * A handle only says that CMPMASK was written: there is one register, and every handle
 * means what is in it when it is read.
 *
 * Owns: sel-mode of a mode that does not exist, cmpmask-required; arg-type of
 * set_scalar_to_cmpmask; address-align of an immediate offset of
 * mov_tensor_to_cmpmask. */
#include "tik/calls/instruction.h"
#include "tik/expr.h"
#include "tik/methods.h"
#include "tik/sreg.h"
#include "tik/tik.h"

#include <string.h>

typedef struct Handle {
    Object base;
    Tik *c;
} Handle;

static void
handle_repr(Interp *in, Object *self, Text *out)
{
    (void)in;
    (void)self;
    text_put(out, "<CMPMASK>");
}

static const ObjectClass handle_class = {.name = "CMPMASK", .repr = handle_repr};

static Value
new_handle(Interp *in, Tik *c)
{
    Handle *h = ARENA_NEW(&in->u->arena, Handle);
    h->base.cls = &handle_class;
    h->c = c;
    return val_object(&h->base);
}

Value
tik_instruction_value(Interp *in, Tik *c, Op op)
{
    Form form = op_table[op].form;
    return form == FORM_VCMP ? new_handle(in, c) : val_none();
}

/* Reads a number of 64 bits as a word. False with a diagnostic. */
static bool
mask_word(Interp *in, Tik *c, Value v, Span span, ExprId *out)
{
    int64_t n;
    uint64_t bits;
    if (tik_is_runtime(v)) {
        TRY(tik_read(in, c, v, span, out));
        Dtype t = ir_expr(c->k, *out)->dtype;
        if (!dtype_is_float(t) && t != DT_BOOL) {
            *out = ir_cast(c->k, DT_U64, *out);
            return true;
        }
    } else if (v.kind == VAL_INT || v.kind == VAL_BIG) {
        bool fits = val_as_uint64(v, &bits) || val_as_int64(v, &n);
        if (fits) {
            *out = ir_const(c->k, DT_U64, val_as_uint64(v, &bits) ? (int64_t)bits : n);
            return true;
        }
    }
    py_diag(in, D_ARG_TYPE, span,
            "scalar is %s; set_scalar_to_cmpmask takes an integer of 64 bits there",
            v.kind == VAL_BIG ? val_repr(in, v) : tik_a(in, v));
    return false;
}

/* Writes CMPMASK, which is two words of the special registers. */
Value
tik_set_scalar_to_cmpmask(Interp *in, Tik *c, const CallArgs *args)
{
    Value v;
    Span span;
    ExprId word;
    if (tik_dropped(c)) {
        return val_none();
    }
    if (!tik_bind(in, CALL_set_scalar_to_cmpmask, args, &v, &span)) {
        return in->fatal ? val_fail() : new_handle(in, c);
    }
    if (tik_has_op(in, c, "set_scalar_to_cmpmask", args->span,
                   OP_MOV_TENSOR_TO_CMPMASK) &&
        tik_not_built(in, c, args->span) && mask_word(in, c, v, span, &word)) {
        (void)(tik_sreg_store(in, c, SREG_CMPMASK, DT_U64, word, args->span) &&
               tik_sreg_store(in, c, SREG_CMPMASK + 8, DT_U64, ir_const(c->k, DT_U64, 0),
                              args->span));
    }
    return in->fatal ? val_fail() : new_handle(in, c);
}

/* Checks that v is a handle of the container. False with a diagnostic. */
static bool
read_handle(Interp *in, const Tik *c, const char *callee, Value v, Span span)
{
    if (!tik_is(v, &handle_class)) {
        Diag *d = py_diag(in, D_CMPMASK_REQUIRED, span,
                          "%s takes the handle of CMPMASK there, this is %s", callee,
                          tik_a(in, v));
        diag_help(in->u, d, "mov_tensor_to_cmpmask(tensor) gives one");
        return false;
    }
    if (((Handle *)v.obj)->c != c) {
        py_diag(in, D_ARG_TYPE, span, "the handle belongs to another container");
        return false;
    }
    return true;
}

/* Checks that an immediate offset is a multiple of a block. One that only the run knows
 * is a multiple of the bits of 64 lanes (rules/compare.c). */
static bool
begins_at_block(Interp *in, const Tik *c, Value v, Span span)
{
    const View *view = tik_is(v, &tik_tensor_class) ? (const View *)v.obj : NULL;
    const Expr *off = view == NULL ? NULL : ir_expr(c->k, view->off);
    if (off == NULL || off->kind != EX_CONST || off->imm % BLOCK_BYTES == 0) {
        return true;
    }
    py_diag(in, D_ADDRESS_ALIGN, span,
            "src starts at byte %lld of its tensor; mov_tensor_to_cmpmask takes an "
            "immediate offset that is a multiple of 32 bytes",
            (long long)off->imm);
    return false;
}

Value
tik_mov_tensor_to_cmpmask(Interp *in, Tik *c, const CallArgs *args)
{
    Value v;
    Span span;
    if (tik_dropped(c)) {
        return new_handle(in, c);
    }
    if (!tik_bind(in, CALL_mov_tensor_to_cmpmask, args, &v, &span)) {
        return in->fatal ? val_fail() : new_handle(in, c);
    }
    bool ok = tik_not_built(in, c, args->span) && begins_at_block(in, c, v, span) &&
              tik_record(in, c, OP_MOV_TENSOR_TO_CMPMASK, args, &v, &span);
    return in->fatal && !ok ? val_fail() : new_handle(in, c);
}

void
tik_mov_cmpmask_to_tensor(const Bound *b)
{
    const int mask = P_mov_cmpmask_to_tensor_src_cmpmask;
    if (read_handle(b->in, b->c, "mov_cmpmask_to_tensor", b->got[mask], b->span[mask])) {
        (void)tik_record(b->in, b->c, OP_MOV_CMPMASK_TO_TENSOR, b->args, b->got, b->span);
    }
}

/* ---- select -------------------------------------------------------------- */

enum {
    SEL_MODES = 3
};

/* A call of vsel or vec_sel while it becomes one of the instructions. */
typedef struct SelCall {
    const char *name;
    Value *got; /* mask, mode, dst, sel, and the rest */
    Span *span;
    int n;
} SelCall;

enum {
    SEL_MODE = 1,
    SEL_SEL = 3
};

static bool
sel_mode(Interp *in, const SelCall *x, int *mode)
{
    int64_t n;
    Value v = x->got[SEL_MODE];
    if (tik_is_runtime(v) || v.kind == VAL_FLOAT || !val_as_int64(v, &n)) {
        py_diag(in, D_ARG_TYPE, x->span[SEL_MODE],
                "mode is %s; %s takes a compile-time int there", tik_a(in, v), x->name);
        return false;
    }
    if (n < 0 || n >= SEL_MODES) {
        py_diag(in, D_SEL_MODE, x->span[SEL_MODE], "mode is %lld; %s takes 0, 1 or 2",
                (long long)n, x->name);
        return false;
    }
    *mode = (int)n;
    return true;
}

static void
remove_argument(SelCall *x, int i)
{
    x->n--;
    memmove(&x->got[i], &x->got[i + 1], (size_t)(x->n - i) * sizeof x->got[0]);
    memmove(&x->span[i], &x->span[i + 1], (size_t)(x->n - i) * sizeof x->span[0]);
}

/* Adds the block strides to vec_sel with a handle, which is a vsel of consecutive
 * blocks. */
static void
add_block_strides(SelCall *x)
{
    enum {
        FIRST = 5, /* after mask, dst, src0, src1, repeat_times */
        N = 3
    };
    memmove(&x->got[FIRST + N], &x->got[FIRST],
            (size_t)(x->n - FIRST) * sizeof x->got[0]);
    memmove(&x->span[FIRST + N], &x->span[FIRST],
            (size_t)(x->n - FIRST) * sizeof x->span[0]);
    for (int i = FIRST; i < FIRST + N; i++) {
        x->got[i] = val_int(1);
        x->span[i] = x->span[0];
    }
    x->n += N;
}

static bool
record_select(Interp *in, Tik *c, SelCall *x, const CallArgs *args, bool old)
{
    static const Op ops[2][SEL_MODES] = {{OP_VEC_SEL, OP_VEC_SEL_SCALAR, OP_VEC_SEL_BITS},
                                         {OP_VSEL, OP_VSEL_SCALAR, OP_VSEL_BITS}};
    int mode;
    if (!sel_mode(in, x, &mode)) {
        return false;
    }
    Op op = ops[old][mode];
    bool by_handle = mode == 0 && (old || tik_is(x->got[SEL_SEL], &handle_class));
    if (by_handle && !read_handle(in, c, x->name, x->got[SEL_SEL], x->span[SEL_SEL])) {
        return false;
    }
    if (by_handle) {
        remove_argument(x, SEL_SEL);
    }
    remove_argument(x, SEL_MODE);
    if (by_handle && !old) {
        op = OP_VSEL;
        add_block_strides(x);
    }
    return tik_record(in, c, op, args, x->got, x->span);
}

bool
tik_no_mask_o(Interp *in, const char *method, Value v, Span span)
{
    if (v.kind == VAL_NONE) {
        return true;
    }
    py_diag(in, D_ARG_TYPE, span, "mask_o is %s; %s takes None there", tik_a(in, v),
            method);
    return false;
}

void
tik_select(const Bound *b)
{
    bool old = b->call == CALL_vsel;
    Signature s = call_signature(b->call);
    SelCall x = {.name = s.name, .n = s.n, .got = b->got, .span = b->span};
    if (old && !tik_no_mask_o(b->in, x.name, x.got[x.n - 1], x.span[x.n - 1])) {
        return;
    }
    x.n -= old ? 2 : 0; /* name and mask_o are no operands */
    (void)record_select(b->in, b->c, &x, b->args, old);
}
