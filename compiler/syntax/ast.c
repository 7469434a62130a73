/* ast.c: holds the spelling of operators and the sizes of nodes. See ast.h. */
#include "syntax/ast.h"

#include <stddef.h>

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

size_t
ast_bytes(AstKind kind)
{
/* the number of bytes of a node whose last field is f */
#define UP_TO(f) (offsetof(Ast, f) + sizeof(Ast *))
    static const uint8_t bytes[AST_KIND_COUNT] = {
        [AST_NAME] = offsetof(Ast, a),
        [AST_INT] = offsetof(Ast, a),
        [AST_FLOAT] = UP_TO(a),
        [AST_STRING] = UP_TO(list),
        [AST_FSTRING] = UP_TO(list),
        [AST_FIELD] = UP_TO(list),
        [AST_NONE] = offsetof(Ast, a),
        [AST_BOOL] = UP_TO(a),
        [AST_ELLIPSIS] = offsetof(Ast, a),
        [AST_TUPLE] = UP_TO(list),
        [AST_LIST] = UP_TO(list),
        [AST_DICT] = UP_TO(list),
        [AST_PAIR] = UP_TO(b),
        [AST_SET] = UP_TO(list),
        [AST_STARRED] = UP_TO(a),
        [AST_UNARY] = UP_TO(a),
        [AST_BINARY] = UP_TO(b),
        [AST_COMPARE] = UP_TO(list),
        [AST_COMPARE_PART] = UP_TO(a),
        [AST_AND] = UP_TO(b),
        [AST_OR] = UP_TO(b),
        [AST_COND] = UP_TO(c),
        [AST_LAMBDA] = UP_TO(a),
        [AST_CALL] = UP_TO(list),
        [AST_KEYWORD] = UP_TO(a),
        [AST_ATTR] = UP_TO(a),
        [AST_INDEX] = UP_TO(b),
        [AST_SLICE] = UP_TO(c),
        [AST_COMP] = UP_TO(list),
        [AST_COMP_FOR] = UP_TO(list),
        [AST_YIELD] = UP_TO(a),
        [AST_AWAIT] = UP_TO(a),
        [AST_WALRUS] = UP_TO(a),
        [AST_EXPR] = UP_TO(a),
        [AST_ASSIGN] = UP_TO(list),
        [AST_AUGASSIGN] = UP_TO(b),
        [AST_ANNASSIGN] = UP_TO(c),
        [AST_IF] = UP_TO(orelse),
        [AST_FOR] = UP_TO(orelse),
        [AST_WHILE] = UP_TO(orelse),
        [AST_WITH] = UP_TO(body),
        [AST_WITH_ITEM] = UP_TO(b),
        [AST_DEF] = UP_TO(a),
        [AST_CLASS] = UP_TO(a),
        [AST_RETURN] = UP_TO(a),
        [AST_RAISE] = UP_TO(b),
        [AST_TRY] = UP_TO(orelse),
        [AST_EXCEPT] = UP_TO(body),
        [AST_IMPORT] = UP_TO(orelse),
        [AST_FROM] = UP_TO(orelse),
        [AST_ALIAS] = UP_TO(list),
        [AST_DEL] = UP_TO(list),
        [AST_ASSERT] = UP_TO(b),
        [AST_GLOBAL] = UP_TO(list),
        [AST_NONLOCAL] = UP_TO(list),
        [AST_PASS] = offsetof(Ast, a),
        [AST_BREAK] = offsetof(Ast, a),
        [AST_CONTINUE] = offsetof(Ast, a),
        [AST_MODULE] = UP_TO(body),
    };
    return bytes[kind];
}
