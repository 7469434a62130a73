/* expr.h: Exprs: operators on run-time values, conditions, constants. */
#ifndef TIKC_TIK_EXPR_H
#define TIKC_TIK_EXPR_H

#include "tik/tik.h"

Value tik_expr(Interp *in, Tik *c, ExprId e);
/* Makes a constant of type t of a Python number, as by a C conversion. False without
 * diagnostic when v is not a number of at most 64 bits. */
bool tik_number(Tik *c, Value v, Dtype t, ExprId *out);
/* Computes the canonical value of the same constant without recording it. */
bool tik_number_value(Value v, Dtype t, int64_t *out);
/* Reads a Scalar or Expr of the container, which is alive. False with a diagnostic. */
bool tik_read(Interp *in, Tik *c, Value v, Span span, ExprId *out);
/* Reads a condition: 1 or 0 when it is known at compile time, else -1 and *out (DT_BOOL);
 * -2 with a diagnostic. c may be null: then the container of the value is used. */
int tik_condition(Interp *in, Value v, const char *what, Span span, ExprId *out);
Value tik_binary(Interp *in, AstOp op, Value left, Value right, Span span);
Value tik_unary(Interp *in, AstOp op, Object *self, Span span);
/* tik/condition.c: tik_condition_help says what to write instead of a decision that
 * Python cannot make; tik_container_name returns the program's name for its container. */
void tik_condition_help(Interp *in, Diag *d, Span span);
const char *tik_container_name(Interp *in);
bool tik_truth(Interp *in, Object *self, Span span, bool *out);
void tik_install_logic(Interp *in, Value module); /* all, any, negate */
/* Computes a formula whose run-time parts cancel (tik/fold.c); for conditions of the
 * program and lengths of slices only. */
bool tik_fold(const Tik *c, ExprId e, int64_t *out);
static inline ExprId
tik_i64(Tik *c, int64_t v)
{
    return ir_const(c->k, DT_S64, v);
}
static inline bool
tik_const_of(const Tik *c, ExprId e, int64_t *v)
{
    if (!ir_is_const(c->k, e)) {
        return false;
    }
    *v = ir_expr(c->k, e)->imm;
    return true;
}

#endif
