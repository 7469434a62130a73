/* literal.h: numbers of the program as values of a type. */
#ifndef TIKC_TIK_LITERAL_H
#define TIKC_TIK_LITERAL_H

#include "tik/tik.h"

/* The dtype represents the number; a float is no integer unless it has no fraction. */
bool tik_literal_fits(Value v, Dtype t);
/* What a literal is given to (tik/literal.c). */
typedef struct Literal {
    const char *what; /* for messages */
    Span span;
    bool operand; /* of a vector instruction; else a Scalar, an element or an h_* call */
} Literal;
/* The number in the type, with a warning when it becomes another one. False: no number,
 * or an integer of more than 64 bits; nothing is reported then. */
bool tik_literal_value(Interp *in, const Tik *c, Value v, Dtype t, const Literal *use,
                       int64_t *out);
bool tik_literal(Interp *in, Tik *c, Value v, Dtype t, const Literal *use, ExprId *out);
/* A constant Expr that is given to a float16 Scalar or element is limited as a literal
 * is. */
void tik_limit_constant(Interp *in, Tik *c, Dtype t, const Literal *use, ExprId *e);

#endif
