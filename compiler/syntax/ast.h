/* ast.h: defines the syntax tree of a source file, as the grammar builds it and the
 * evaluator walks it. Nodes live in Unit.tree and never change after parsing,
 * except for the fields marked "resolve". Lists of nodes are linked by next. All of the
 * Python subset of docs/language.md has nodes; what the evaluator does not run is refused
 * there, at the node. */
#ifndef TIKC_AST_H
#define TIKC_AST_H

#include "base/unit.h"

#include <stddef.h>

typedef enum AstKind {
    /* Each kind says which fields of Ast hold its parts.
     *
     * Expressions: */
    AST_NAME,  /* name; up to AST_STRING nodes are leaves for eval */
    AST_INT,   /* integer: ast_int_value; str when op is INT_TEXT */
    AST_FLOAT, /* number */
    /* str (adjacent literals joined, escapes decoded); name = the symbol of a short text,
     * or 0 */
    AST_STRING,
    AST_FSTRING, /* list: AST_STRING and AST_FIELD parts in order */
    /* field of an f-string: a = expression; op = conversion 'r', 's', 'a' or 0; format
     * spec: str, or b = AST_FSTRING when it has fields itself, or both null */
    AST_FIELD,
    AST_NONE,     /* None */
    AST_BOOL,     /* value 0 or 1 */
    AST_ELLIPSIS, /* ... */
    AST_TUPLE,    /* list */
    AST_LIST,     /* list */
    AST_DICT,     /* list of AST_PAIR (a: key, null for **b; b: value) */
    AST_PAIR,
    AST_SET,     /* list */
    AST_STARRED, /* *a, in displays, calls and targets */
    AST_UNARY,   /* op a: AOP_NEG, AOP_POS, AOP_INVERT, AOP_NOT */
    AST_BINARY,  /* a op b */
    AST_COMPARE, /* a, then list of AST_COMPARE_PART (op, a) */
    AST_COMPARE_PART,
    AST_AND,     /* a and b */
    AST_OR,      /* a or b */
    AST_COND,    /* a if b else c */
    AST_LAMBDA,  /* func */
    AST_CALL,    /* a(list): arguments are expressions, AST_STARRED, AST_KEYWORD */
    AST_KEYWORD, /* name=a; name 0: **a */
    AST_ATTR,    /* a.name */
    AST_INDEX,   /* a[b]; b may be AST_TUPLE and AST_SLICE */
    AST_SLICE,   /* a:b:c, each may be null */
    /* comprehension: op = '[', '{', ':' (dict), '(' (generator); a = element (dict:
     * AST_PAIR); list of AST_COMP_FOR */
    AST_COMP,
    AST_COMP_FOR, /* for a in b, list of conditions */
    AST_YIELD,    /* yield a */
    AST_AWAIT,    /* await a */
    AST_WALRUS,   /* name := a */
    /* Statements: */
    AST_EXPR,      /* a */
    AST_ASSIGN,    /* list of targets (a = b = value): list, then value in b */
    AST_AUGASSIGN, /* a op= b */
    AST_ANNASSIGN, /* a: b = c; c may be null */
    AST_IF,        /* if a: body else: orelse (elif is an AST_IF alone in orelse) */
    AST_FOR,       /* for a in b: body else: orelse */
    AST_WHILE,     /* while a: body else: orelse */
    AST_WITH,      /* list of AST_WITH_ITEM; body */
    AST_WITH_ITEM, /* a as b; b may be null */
    AST_DEF,       /* func */
    AST_CLASS,     /* klass */
    AST_RETURN,    /* a or null */
    AST_RAISE,     /* a from b, each may be null */
    AST_TRY,       /* body; list of AST_EXCEPT; orelse; finally in c (first statement) */
    AST_EXCEPT,    /* except a as name: body; a may be null */
    AST_IMPORT,    /* list of AST_ALIAS */
    /* from str (dots counted in value) import list of AST_ALIAS; empty list: * */
    AST_FROM,
    AST_ALIAS,    /* str = dotted name, name = as-name or 0 */
    AST_DEL,      /* list */
    AST_ASSERT,   /* assert a, b; b may be null */
    AST_GLOBAL,   /* list of AST_NAME */
    AST_NONLOCAL, /* list of AST_NAME */
    AST_PASS,
    AST_BREAK,
    AST_CONTINUE,
    AST_MODULE, /* body */
    AST_KIND_COUNT
} AstKind;

typedef enum AstOp {
    AOP_NONE,
    AOP_ADD,
    AOP_SUB,
    AOP_MUL,
    AOP_DIV,
    AOP_FLOORDIV,
    AOP_MOD,
    AOP_POW,
    AOP_MATMUL,
    AOP_SHL,
    AOP_SHR,
    AOP_AND,
    AOP_OR,
    AOP_XOR,
    AOP_NEG,
    AOP_POS,
    AOP_INVERT,
    AOP_NOT,
    AOP_EQ,
    AOP_NE,
    AOP_LT,
    AOP_LE,
    AOP_GT,
    AOP_GE,
    AOP_IN,
    AOP_NOT_IN,
    AOP_IS,
    AOP_IS_NOT,
    AOP_COUNT
} AstOp;

/* Where an AST_INT has its number. */
enum {
    INT_SHORT, /* in slot: nearly all */
    INT_WIDE,  /* in value */
    INT_TEXT   /* in str, since it needs more than 63 bits */
};

/* Returns how an operator is written: "+", "not in". */
const char *ast_op_text(AstOp op);

typedef struct Ast Ast;

typedef enum ParamKind {
    PARAM_PLAIN,
    PARAM_STAR,
    PARAM_STARSTAR,
    PARAM_KWONLY,
    PARAM_POSONLY
} ParamKind;

typedef struct AstParam {
    Sym name; /* 0 for a bare * or / */
    ParamKind kind;
    Ast *dflt;       /* or null */
    Ast *annotation; /* or null */
    Span span;
    struct AstParam *next;
} AstParam;

typedef struct AstFunc {
    Sym name; /* 0 for a lambda */
    AstParam *params;
    int nparams;
    Ast *body;       /* statements; for a lambda one expression */
    Ast *decorators; /* list of expressions */
    Ast *returns;    /* annotation or null */
    bool is_async;
    /* resolve: names bound in this function, see python/resolve.h */
    struct Locals *locals;
} AstFunc;

typedef struct AstClass {
    Sym name;
    Ast *bases; /* arguments of the class statement: expressions and AST_KEYWORD */
    Ast *decorators;
    Ast *body;
} AstClass;

/* What is known of a call before it is evaluated. */
typedef struct CallFacts {
    uint32_t npos; /* number of positional arguments */
    uint32_t nkw : 31;
    uint32_t dynamic : 1; /* has * or ** arguments, each of which counts as one */
} CallFacts;

/* Bits of Ast.flags; those above them belong to the builders (depth of the
 * expression). */
enum {
    AST_PAREN = 1,      /* the expression is in round brackets of its own */
    AST_ASYNC = 2,      /* AST_FOR, AST_WITH, AST_COMP_FOR */
    AST_YIELD_FROM = 4, /* AST_YIELD with 'from' */
    /* Any other kind: what is read of the node and those below holds if it is executed as
     * a part of the module, in no function or class (AstSink.know). */
    AST_KNOWN = 4,
    AST_PAREN_TWICE = 8, /* the expression is in two pairs of round brackets or more */
    /* resolve: the statement of a module defines functions, classes or generators, which
     * need its tree after it was executed */
    AST_LASTING = 16
};

/* A node has the fields before a, and of those from a on as many as its kind uses
 * (ast_bytes): fields of large kinds are at the end. */
struct Ast {
    uint8_t kind;
    uint8_t op; /* an AstOp, or what the kind says; AST_INT: where its number is */
    uint16_t flags;
    Sym name;
    Span span;
    /* resolve: index of the variable that the node reads or binds; its place is in op.
     * AST_INT: INT_SHORT */
    uint32_t slot;
    Ast *next; /* next node of the list that the node is in */
    union {
        Ast *a;
        int64_t value; /* AST_INT: INT_WIDE; AST_BOOL, AST_FROM */
        double number; /* AST_FLOAT */
        uint64_t len;  /* AST_STRING: bytes, which may include zero bytes */
        AstFunc *func;
        AstClass *klass;
    };
    union {
        Ast *b;
        CallFacts facts; /* AST_CALL */
        /* resolve: AST_STRING, AST_INT with text: the value; AST_COMP: facts */
        void *cache;
    };
    union {
        Ast *list;
        /* AST_STRING, AST_FROM (module), AST_ALIAS, AST_INT (text), AST_FIELD (spec) */
        const char *str;
    };
    Ast *body;
    Ast *c;
    /* AST_FROM, AST_IMPORT: the aliases are here, since str takes the place of list */
    Ast *orelse;
};

/* Returns the bytes of a node. That of an AST_INT is the shortest: with text it has those
 * of an AST_STRING. */
static inline size_t
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
#undef UP_TO
    return bytes[kind];
}

/* Returns the number of an AST_INT without text. */
static inline int64_t
ast_int_value(const Ast *n)
{
    return n->op == INT_SHORT ? (int64_t)n->slot : n->value;
}

/* Parses a file of the unit. Returns null after diagnostics (several syntax errors are
 * reported in one run: the parser recovers at ends of statements). */
Ast *parse_file(Unit *u, uint32_t file);

/* Takes the parts of a long program while it is read, so that its whole tree never exists
 * at once. */
typedef struct AstSink {
    void *to;
    /* Takes the statements up to here, as a module. Returns whether their tree is kept;
     * else it is gone afterwards. */
    bool (*take)(void *to, Ast *part);
    /* Learns, before the first error is reported, that the text is wrong: what the parts
     * taken until now have done does not count. No part follows. */
    void (*drop)(void *to);
    /* Resolves a node, without those below it, as a part of the module. Returns false if
     * that is not known before the program goes on. */
    bool (*know)(void *to, Ast *node);
} AstSink;

/* Parses a file like parse_file and returns the last part, which the sink does not
 * get. */
Ast *parse_program(Unit *u, uint32_t file, const AstSink *sink);

/* Parses one expression (--call, -D). Returns null after a diagnostic. */
Ast *parse_expression(Unit *u, uint32_t file);

/* Prints a tree as source text that parses to an equal tree (canonical spacing, full
 * brackets). */
void ast_print(const Unit *u, const Ast *tree, Text *out);
/* Prints the structure as nested lists, for tests. */
void ast_dump(const Unit *u, const Ast *tree, Text *out);

#endif
