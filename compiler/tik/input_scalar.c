/* input_scalar.c: InputScalar, a kernel argument that is one value.
 *
 * It is passed as a global tensor of one element. Where the program creates it, the
 * kernel reads it into a register through the Unified Buffer; the program sees an Expr,
 * which nothing can assign. */
#include "tik/expr.h"
#include "tik/methods.h"
#include "tik/scalar.h"
#include "tik/tensor.h"
#include "tik/tik.h"

/* Makes the root of the argument, one element of global memory, or of its copy, one
 * block of UB. */
static Root *
storage(Interp *in, Tik *c, Sym name, Dtype t, Scope mem, Span span)
{
    int64_t elems = mem == SC_GM ? 1 : 32 / dtype_size(t);
    Root *r = ARENA_NEW(&in->u->arena, Root);
    r->c = c;
    r->scope = c->top;
    r->name = name;
    r->mem = mem;
    r->dtype = t;
    r->elems = elems;
    r->bytes = elems * dtype_size(t);
    r->span = span;
    r->chain = py_chain(in);
    VEC_PUSH(&in->u->arena, &r->shape, elems);
    tik_declare(r);
    return r;
}

/* Returns a move of one block as bytes, a type that moves have on every processor. */
static Stmt
move_block(Tik *c, BufId dst, BufId src)
{
    Arg args[MAX_PARAMS];
    int n;
    (void)form_params(op_table[OP_DATA_MOVE].form, &n);
    for (int i = 0; i < n; i++) {
        bool one = i == 3 || i == 4; /* nburst, burst */
        args[i] = (Arg){.kind = ARG_EXPR, .expr = tik_i64(c, one)};
    }
    ExprId zero = tik_i64(c, 0);
    args[0] = (Arg){.kind = ARG_REF, .ref = {dst, DT_U8, zero}};
    args[1] = (Arg){.kind = ARG_REF, .ref = {src, DT_U8, zero}};
    return (Stmt){.kind = ST_INSTR,
                  .instr = {.op = OP_DATA_MOVE, .arg = ir_args(c->k, args, n)}};
}

/* Records a scope with a block of UB, the move into it and the load of the register, so
 * that the block is free afterwards. */
static bool
read_argument(Interp *in, Tik *c, const Root *arg, RegId reg, Span span)
{
    Root *ub = storage(in, c, arg->name, arg->dtype, SC_UB, span);
    StmtId scope;
    TRY(tik_emit(in, c, (Stmt){.kind = ST_SCOPE}, span, &scope));
    Cursor at = ir_cursor_body(scope, 0);
    Stmt alloc = {.kind = ST_ALLOC, .alloc = {ub->buf}};
    Stmt load = {.kind = ST_LOAD, .load = {reg, {ub->buf, arg->dtype, tik_i64(c, 0)}}};
    return tik_emit_at(in, c, &at, alloc, span, NULL) &&
           tik_emit_at(in, c, &at, move_block(c, ub->buf, arg->buf), span, NULL) &&
           tik_emit_at(in, c, &at, load, span, NULL);
}

static bool
at_top_level(Interp *in, Tik *c, Sym name, Span span)
{
    if (c->top->kind == TS_TOP) {
        return true;
    }
    Diag *d = py_diag(in, D_TENSOR_PLACE, span,
                      "InputScalar '%s' is created inside a scope", tik_sym(in, name));
    diag_note(in->u, d, c->top->span, "the scope was opened here");
    return false;
}

static bool
is_taken(const Tik *c, Sym name)
{
    for (uint32_t i = 0; i < c->globals.n; i++) {
        if (c->globals.p[i]->name == name) {
            return true;
        }
    }
    return false;
}

/* Returns the name of the argument. Those without a name of their own get a number. */
static Sym
free_name(Interp *in, const Tik *c, Sym name)
{
    Sym out = name;
    for (int i = 1; is_taken(c, out); i++) {
        out = intern(&in->u->names,
                     arena_printf(&in->u->arena, "%s_%d", tik_sym(in, name), i));
    }
    return out;
}

Value
tik_input_scalar(Interp *in, Tik *c, const CallArgs *args)
{
    Value got[MOST_ARGS];
    Span spans[MOST_ARGS];
    Dtype t;
    Sym name;
    if (!tik_bind(in, CALL_InputScalar, args, got, spans) ||
        !tik_scalar_dtype(in, got[P_InputScalar_dtype], spans[P_InputScalar_dtype], &t) ||
        !tik_scalar_name(in, got[P_InputScalar_name], spans[P_InputScalar_name],
                         "input_scalar", &name) ||
        !tik_identifier(in, name, spans[P_InputScalar_name]) ||
        !tik_not_built(in, c, args->span) || !at_top_level(in, c, name, args->span)) {
        return val_fail();
    }
    bool named = got[P_InputScalar_name].kind == VAL_STR;
    name = named ? name : free_name(in, c, name);
    Root *arg = storage(in, c, name, t, SC_GM, args->span);
    arg->used = true;
    RegId reg = tik_new_reg(in, c, name, t, args->span);
    VEC_PUSH(&in->u->arena, &c->globals, arg);
    if (!tik_dropped(c) && !read_argument(in, c, arg, reg, args->span)) {
        return val_fail();
    }
    Value v = tik_expr(in, c, ir_reg_value(c->k, reg));
    if (!val_failed(v)) {
        tik_runtime(v)->input = arg;
        tik_runtime(v)->name = name;
    }
    return v;
}
