/* literal.h: numbers of the program as values of a type. */
#ifndef TIKC_TIK_LITERAL_H
#define TIKC_TIK_LITERAL_H

#include "tik/tik.h"

/* Returns whether the dtype represents the number; a float is an integer if it has no
 * fraction. */
bool tik_literal_fits(Value v, Dtype t);
/* The use of a literal (tik/literal.c). */
typedef struct Literal {
    const char *what; /* its description in messages */
    Span span;
    bool operand; /* of a vector instruction; else of a Scalar, element or h_* call */
} Literal;
/* Converts the number to the type, with a warning when the value changes. False without a
 * diagnostic: it is no number, or an integer of more than 64 bits. */
bool tik_literal_value(Interp *in, const Tik *c, Value v, Dtype t, const Literal *use,
                       int64_t *out);
bool tik_literal(Interp *in, Tik *c, Value v, Dtype t, const Literal *use, ExprId *out);
/* Limits a constant Expr that is given to a float16 Scalar or element, as a literal
 * is. */
void tik_limit_constant(Interp *in, Tik *c, Dtype t, const Literal *use, ExprId *e);

#endif
