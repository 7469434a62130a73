/* ast.c: holds the spelling of operators. See ast.h. */
#include "syntax/ast.h"

const char *
ast_op_text(AstOp op)
{
    static const char *const text[AOP_COUNT] = {
        [AOP_NONE] = "",         [AOP_ADD] = "+",         [AOP_SUB] = "-",
        [AOP_MUL] = "*",         [AOP_DIV] = "/",         [AOP_FLOORDIV] = "//",
        [AOP_MOD] = "%",         [AOP_POW] = "**",        [AOP_MATMUL] = "@",
        [AOP_SHL] = "<<",        [AOP_SHR] = ">>",        [AOP_AND] = "&",
        [AOP_OR] = "|",          [AOP_XOR] = "^",         [AOP_NEG] = "-",
        [AOP_POS] = "+",         [AOP_INVERT] = "~",      [AOP_NOT] = "not",
        [AOP_EQ] = "==",         [AOP_NE] = "!=",         [AOP_LT] = "<",
        [AOP_LE] = "<=",         [AOP_GT] = ">",          [AOP_GE] = ">=",
        [AOP_IN] = "in",         [AOP_NOT_IN] = "not in", [AOP_IS] = "is",
        [AOP_IS_NOT] = "is not",
    };
    return op < AOP_COUNT ? text[op] : "";
}
