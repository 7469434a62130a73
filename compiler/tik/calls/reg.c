/* reg.c: vector registers: Vector, and the calls whose arguments are not just the
 * operands of their instruction (modes and parts by name, a number in the place of a
 * register). Other instructions on registers are called like any other
 * (tik/calls/instruction.c).
 *
 * A register is a tensor of 256 bytes in the memory VREG. Unlike other tensors it has no
 * copies in loops with thread_num: the iterations use it in turn.
 *
 * Owns: not-on-arch and tensor-dtype of Vector; reg-mode and reg-part of unknown words;
 * not-supported of parameters that no manual explains. */
#include "rules/reg.h"
#include "tik/calls/instruction.h"
#include "tik/expr.h"
#include "tik/methods.h"
#include "tik/tensor.h"
#include "tik/tik.h"

#include <string.h>

/* A call by its arguments. */
typedef struct RegCall {
    Interp *in;
    Tik *c;
    const char *name;
    const CallArgs *args;
    Value v[MOST_ARGS];
    Span span[MOST_ARGS];
} RegCall;

static const Value none = {.kind = VAL_NONE};

/* Binds a call; false if nothing is to be recorded. */
static bool
bind(RegCall *x, Call call)
{
    return !tik_dropped(x->c) &&
           tik_bind_like(x->in, x->name, call, x->args, x->v, x->span) &&
           tik_not_built(x->in, x->c, x->args->span);
}

static Value
done(const RegCall *x)
{
    return tik_none(x->in);
}

/* Checks that a parameter that no manual explains has its default. */
static bool
unused(const RegCall *x, int i, const char *param)
{
    if (!tik_is_set(x->v[i])) {
        return true;
    }
    py_diag(x->in, D_NOT_SUPPORTED, x->span[i],
            "%s of %s is %s; no manual says what that does", param, x->name,
            val_repr(x->in, x->v[i]));
    return false;
}

/* ---- Vector -------------------------------------------------------------- */

static Root *
new_root(const RegCall *x, Sym name, Dtype t)
{
    Root *r = ARENA_NEW(&x->in->u->arena, Root);
    r->c = x->c;
    r->scope = x->c->top;
    r->name = name;
    r->mem = SC_VREG;
    r->dtype = t;
    r->bits = 8 * dtype_size(t);
    r->elems = lanes_of(t);
    r->bytes = REPEAT_BYTES;
    r->role = BUF_LOCAL;
    r->span = x->args->span;
    r->chain = py_chain(x->in);
    VEC_PUSH(&x->in->u->arena, &r->shape, r->elems);
    return r;
}

static Value
register_view(const RegCall *x, Root *r, bool poisoned)
{
    View *v = tik_view(x->in, r, 1);
    v->dim[0] = (Dim){.len = tik_i64(x->c, r->elems), .stride = tik_i64(x->c, 1)};
    v->off = tik_i64(x->c, 0);
    v->flat_len = r->size = v->dim[0].len;
    v->poisoned = poisoned;
    return val_object(&v->base);
}

static bool
declare(const RegCall *x, Root *r)
{
    VEC_PUSH(&x->in->u->arena, &x->c->locals, r);
    if (tik_dropped(x->c)) {
        return true;
    }
    tik_declare(r);
    x->c->top->work->live[SC_VREG] += REPEAT_BYTES;
    Stmt s = {.kind = ST_ALLOC, .alloc = {r->buf}};
    return tik_emit(x->in, x->c, s, r->span, NULL);
}

/* Reads the dtype of a register. Predicates and accumulators are not compiled. */
static bool
register_type(const RegCall *x, Dtype *out)
{
    const char *text;
    TRY(tik_text(x->in, x->v[0], "dtype", x->span[0], &text));
    Dtype t = dtype_find(text);
    if (t != DT_NONE && op_has_dtype(OP_VECTOR_LOAD, t, x->c->k->soc)) {
        *out = t;
        return true;
    }
    py_diag(x->in, D_TENSOR_DTYPE, x->span[0],
            "'%s' is not a dtype of vector registers: uint8, int8, uint16, int16, "
            "float16, uint32, int32, float32",
            text);
    return false;
}

static bool
register_name(const RegCall *x, Sym *name)
{
    const char *text;
    TRY(tik_text(x->in, x->v[1], "name", x->span[1], &text));
    *name = intern(&x->in->u->names, text);
    return tik_identifier(x->in, *name, x->span[1]);
}

Value
tik_vector_new(Interp *in, Tik *c, const CallArgs *args)
{
    RegCall x = {.in = in, .c = c, .name = "Vector", .args = args};
    if (!tik_bind(in, CALL_Vector, args, x.v, x.span)) {
        return val_fail();
    }
    Dtype t = DT_F16;
    Sym name = intern(&in->u->names, "vector_buf_");
    bool ok = tik_not_built(in, c, args->span) &&
              tik_has_op(in, c, x.name, args->span, OP_VECTOR_LOAD) &&
              register_type(&x, &t) && register_name(&x, &name);
    Root *r = new_root(&x, name, t);
    if (ok && !declare(&x, r)) {
        return val_fail();
    }
    return register_view(&x, r, !ok);
}

/* ---- loads and stores ---------------------------------------------------- */

/* Reads the mode of a load or a store by its name; None means NORM. */
static bool
read_mode(RegCall *x, int i, const char *param, Form form)
{
    char list[120];
    const char *text = "NORM";
    RegMode mode;
    if (x->v[i].kind != VAL_NONE) {
        TRY(tik_text(x->in, x->v[i], param, x->span[i], &text));
    }
    if (reg_mode_find(text, &mode)) {
        x->v[i] = val_int(mode);
        return true;
    }
    reg_mode_list(form, list, sizeof list);
    Diag *d = py_diag(x->in, D_REG_MODE, x->span[i], "%s is '%s'; %s takes %s", param,
                      text, x->name, list);
    if (strcmp(text, "SQZN") == 0) {
        diag_note(x->in->u, d, (Span){0},
                  "SQZN stores what vector_vsqz has counted, which is not compiled");
    }
    return false;
}

/* True for a list of two items. */
static bool
is_two(Value v)
{
    return (v.kind == VAL_LIST || v.kind == VAL_TUPLE) && v.list->n == 2;
}

Value
tik_vector_load(Interp *in, Tik *c, const CallArgs *args)
{
    RegCall x = {.in = in, .c = c, .name = "vector_load", .args = args};
    if (!bind(&x, CALL_vector_load)) {
        return done(&x);
    }
    bool two = is_two(x.v[P_vector_load_dst]);
    if (!read_mode(&x, RLOAD_ld_mode, "ld_mode", two ? FORM_RLOAD2 : FORM_RLOAD)) {
        return done(&x);
    }
    if (two) {
        const Value *dst = x.v[P_vector_load_dst].list->p;
        Value v[] = {dst[0], dst[1], x.v[RLOAD_src], x.v[RLOAD_ld_mode]};
        Span span[] = {x.span[P_vector_load_dst], x.span[P_vector_load_dst],
                       x.span[RLOAD_src], x.span[RLOAD_ld_mode]};
        (void)tik_record(in, c, OP_VECTOR_LOAD_TWO, args, v, span);
    } else {
        (void)tik_record(in, c, OP_VECTOR_LOAD, args, x.v, x.span);
    }
    return done(&x);
}

Value
tik_vector_store(Interp *in, Tik *c, const CallArgs *args)
{
    RegCall x = {.in = in, .c = c, .name = "vector_store", .args = args};
    if (!bind(&x, CALL_vector_store)) {
        return done(&x);
    }
    bool two = is_two(x.v[RSTORE_src]);
    if (!read_mode(&x, RSTORE_st_mode, "st_mode", two ? FORM_RSTORE2 : FORM_RSTORE)) {
        return done(&x);
    }
    if (two) {
        const Value *src = x.v[RSTORE_src].list->p;
        Span at = x.span[RSTORE_src];
        Value v[] = {x.v[P_vector_store_dst], src[0], src[1], x.v[RSTORE_st_mode],
                     x.v[RSTORE_mask]};
        Span span[] = {x.span[P_vector_store_dst], at, at, x.span[RSTORE_st_mode],
                       x.span[RSTORE_mask]};
        (void)tik_record(in, c, OP_VECTOR_STORE_TWO, args, v, span);
    } else {
        (void)tik_record(in, c, OP_VECTOR_STORE, args, x.v, x.span);
    }
    return done(&x);
}

/* ---- conversions --------------------------------------------------------- */

/* Returns the dtype of an argument; DT_NONE if it is no tensor, or one that was
 * refused. */
static Dtype
dtype_at(const RegCall *x, int i)
{
    bool known = tik_is(x->v[i], &tik_tensor_class) && !((View *)x->v[i].obj)->poisoned;
    return known ? ((View *)x->v[i].obj)->dtype : DT_NONE;
}

/* Returns the ratio of the widths of dst and src, at least 1; 0 if one of them is no
 * register. */
static int
parts_of(const RegCall *x)
{
    int dst = dtype_size(dtype_at(x, RCAST_dst)),
        src = dtype_size(dtype_at(x, RCAST_src));
    return dst == 0 || src == 0 ? 0 : dst > src ? dst / src : src / dst;
}

static bool
wrong_part(const RegCall *x, int parts)
{
    py_diag(x->in, D_REG_PART, x->span[RCAST_part_indicator],
            "part_indicator is %s; for %s to %s it is %s",
            val_repr(x->in, x->v[RCAST_part_indicator]),
            dtype_name(dtype_at(x, RCAST_src)), dtype_name(dtype_at(x, RCAST_dst)),
            parts == 1   ? "None"
            : parts == 2 ? "'PART_EVEN' or 'PART_ODD'"
                         : "'PART_P0' to 'PART_P3'");
    return false;
}

/* Replaces the name of the part by its number. */
static bool
read_part(RegCall *x)
{
    static const struct {
        const char *name;
        int parts, value;
    } names[] = {{"PART_EVEN", 2, 0}, {"PART_ODD", 2, 1}, {"PART_P0", 4, 0},
                 {"PART_P1", 4, 1},   {"PART_P2", 4, 2},  {"PART_P3", 4, 3}};
    int parts = parts_of(x);
    Value v = x->v[RCAST_part_indicator];
    if (v.kind == VAL_NONE && parts <= 1) {
        x->v[RCAST_part_indicator] = val_int(0);
        return true;
    }
    for (size_t i = 0; v.kind == VAL_STR && i < ARRAY_LEN(names); i++) {
        if (names[i].parts == parts &&
            strcmp(val_text_of(x->in, v), names[i].name) == 0) {
            x->v[RCAST_part_indicator] = val_int(names[i].value);
            return true;
        }
    }
    x->v[RCAST_part_indicator] = parts == 0 ? val_int(0) : v;
    return parts == 0 || wrong_part(x, parts);
}

Value
tik_vector_cast(Interp *in, Tik *c, const CallArgs *args)
{
    RegCall x = {.in = in, .c = c, .name = "vector_cast", .args = args};
    if (bind(&x, CALL_vector_cast) && read_part(&x)) {
        (void)tik_record(in, c, OP_VECTOR_CAST, args, x.v, x.span);
    }
    return done(&x);
}

/* ---- arithmetic and orders ----------------------------------------------- */

Value
tik_vector_vdup(Interp *in, Tik *c, const CallArgs *args)
{
    RegCall x = {.in = in, .c = c, .name = "vector_vdup", .args = args};
    if (bind(&x, CALL_vector_vdup) && unused(&x, 3, "mask_mode") &&
        unused(&x, 4, "dup_flag")) {
        (void)tik_record(in, c, OP_VECTOR_VDUP, args, x.v, x.span);
    }
    return done(&x);
}

/* Records arithmetic with modes of accumulation. With a number for src1 the instruction
 * is scalar, if there is one (OP_COUNT: there is none). */
static Value
arithmetic(RegCall *x, Call call, Op op, Op scalar)
{
    x->v[5] = none;
    if (bind(x, call) && unused(x, 4, "acc_mode") && unused(x, 5, "part_mode")) {
        bool number = scalar != OP_COUNT && !tik_is(x->v[3], &tik_tensor_class);
        (void)tik_record(x->in, x->c, number ? scalar : op, x->args, x->v, x->span);
    }
    return done(x);
}

Value
tik_vector_vadd(Interp *in, Tik *c, const CallArgs *args)
{
    RegCall x = {.in = in, .c = c, .name = "vector_vadd", .args = args};
    return arithmetic(&x, CALL_vector_vadd, OP_VECTOR_VADD, OP_VECTOR_VADDS);
}

Value
tik_vector_vsub(Interp *in, Tik *c, const CallArgs *args)
{
    RegCall x = {.in = in, .c = c, .name = "vector_vsub", .args = args};
    return arithmetic(&x, CALL_vector_vadd, OP_VECTOR_VSUB, OP_COUNT);
}

Value
tik_vector_vmul(Interp *in, Tik *c, const CallArgs *args)
{
    RegCall x = {.in = in, .c = c, .name = "vector_vmul", .args = args};
    return arithmetic(&x, CALL_vector_vmul, OP_VECTOR_VMUL, OP_VECTOR_VMULS);
}

/* Checks that dtype, if it is given, is that of the registers. */
static bool
names_dtype(const RegCall *x)
{
    const char *text;
    if (x->v[4].kind == VAL_NONE) {
        return true;
    }
    TRY(tik_text(x->in, x->v[4], "dtype", x->span[4], &text));
    Dtype t = dtype_at(x, RLACE_src0);
    if (t == DT_NONE || dtype_find(text) == t) {
        return true;
    }
    py_diag(x->in, D_DTYPE_MISMATCH, x->span[4],
            "dtype is '%s' and src0 is %s; %s needs one dtype", text, dtype_name(t),
            x->name);
    return false;
}

static Value
interleave(RegCall *x, Op op)
{
    if (bind(x, CALL_vector_vintlv) && names_dtype(x)) {
        (void)tik_record(x->in, x->c, op, x->args, x->v, x->span);
    }
    return done(x);
}

Value
tik_vector_vintlv(Interp *in, Tik *c, const CallArgs *args)
{
    RegCall x = {.in = in, .c = c, .name = "vector_vintlv", .args = args};
    return interleave(&x, OP_VECTOR_VINTLV);
}

Value
tik_vector_vdintlv(Interp *in, Tik *c, const CallArgs *args)
{
    RegCall x = {.in = in, .c = c, .name = "vector_vdintlv", .args = args};
    return interleave(&x, OP_VECTOR_VDINTLV);
}
