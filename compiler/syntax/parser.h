/* parser.h: declares what the scanner, the indentation filter, the grammar and the
 * builders share. It is private to compiler/syntax and grammar/. One Parser reads one
 * text; the fields of f-strings are read by parsers of their own on the same file, so
 * every position is a byte offset of the file. */
#ifndef TIKC_SYNTAX_PARSER_H
#define TIKC_SYNTAX_PARSER_H

#include "syntax/ast.h"

#include <string.h>

enum {
    MAX_BRACKETS = 200, /* limit of open brackets */
    MAX_BLOCKS = 200,   /* limit of open blocks */
    /* limit of the height of an expression's tree and of the elif parts of one if */
    MAX_DEPTH = 2000,
    TAB_WIDTH = 8,
    TOKEN_STEPS =
        6, /* cost of a token and its part of the tree, in steps of evaluation */
    MAX_EXPECTED = 160 /* larger than the number of tokens */
};

/* The bytes [begin, end) of the file. */
typedef struct Loc {
    uint32_t begin;
    uint32_t end;
} Loc;

/* A list under construction. */
typedef struct AstList {
    Ast *first;
    Ast *last;
} AstList;

typedef struct ParamList {
    AstParam *first;
    AstParam *last;
} ParamList;

/* A token that was read too early; word is its symbol or operator. */
typedef struct Token {
    int kind;
    uint32_t word;
    Loc at;
} Token;

typedef struct Bracket {
    char open;
    bool for_open; /* a 'for' of this level waits for its 'in' */
    Loc at;
} Bracket;

/* One open block. Columns are counted twice, with tabs of 8 columns and of 1: lines whose
 * order depends on the width of a tab are refused. */
typedef struct Block {
    uint32_t column;
    uint32_t narrow;
    bool silent; /* the grammar got no INDENT of this block */
    bool failed; /* the last statement of this level did not parse */
} Block;

/* The logical line that is being read. */
typedef struct Line {
    int head; /* first token; the second one after 'async' */
    Loc head_at;
    int last; /* token that was read last */
    Loc last_at;
    Loc before_at; /* the token before it */
    Loc odd;     /* 'if' or 'for' at the start of a line inside brackets; end = 0: none */
    int lambdas; /* number of 'lambda' outside brackets whose ':' has not come */
    bool colon;  /* a ':' outside brackets and lambdas was read */
    bool reported; /* a fault of this line was reported, so others are not */
    bool failed;   /* the grammar refused the line, so the rest of it is skipped */
} Line;

typedef struct Parser {
    Unit *u;
    Arena *scratch;
    uint32_t file;
    const char *text; /* text of the whole file */
    uint32_t begin;   /* what this parser reads: [begin, end) of text */
    uint32_t end;
    uint32_t scanned; /* the text was read up to here */
    uint32_t
        flexed;    /* what flex has read, who does not see lines that are read at once */
    uint32_t fed;  /* flex was given the text before it, */
    uint32_t feed; /* that many bytes at a time */
    void *scanner;
    int start;            /* START_FILE or START_EXPR, until it was handed out */
    int nesting;          /* number of f-string fields around this parser */
    struct Parser *inner; /* parser of the fields of f-strings, made for the first one */
    bool expression;      /* indentation does not count: line ends are spaces */
    bool failed;          /* an error was reported */
    int64_t errors;       /* number of errors that were reported */
    Ast *tree;            /* result */
    const AstSink *sink;  /* takes parts of the text, or null */
    ArenaMark part;       /* the tree of the present part is after it */
    int64_t part_begin;   /* what the tree had handed out then */
    int64_t evaluated;    /* bytes that the parts took when they were executed */

    /* fields of the indentation filter */
    bool at_line_start;
    bool ended; /* the text is used up */
    /* the text was not read to its end: too many errors, or a limit */
    bool stopped;
    bool bad_token;      /* the scanner reported the token that comes next */
    int token;           /* token that was handed out last */
    uint32_t line_begin; /* start of the physical line */
    uint32_t line_end;   /* end of the last token of the line before */
    Line line;
    /* comments to tikc whose logical line has not ended */
    VEC(Loc) comments;
    Bracket brackets[MAX_BRACKETS + 1]; /* [0] is the level outside */
    int depth;
    Bracket closed; /* the bracket that the last closing one ended; open = 0: none */
    VEC(Block) levels;
    int nblocks;    /* number of levels that are not silent */
    uint32_t strip; /* number of columns that are cut off every line */
    /* no_block, indent and dedents are handed out before the stashed token, in this
     * order */
    bool no_block;
    bool indent;
    int dedents;
    bool stashed;
    Token stash;
    bool missing_colon; /* the ':' that was handed out last is not in the text */

    /* fields of the fast path */
    struct FastWords
        *words; /* those that were read last, or null before the first line */
    struct LineShapes *shapes;
    uint32_t fast_limit; /* lines from here on are not read so */
    bool fast;           /* the line whose first token is at fast_at may be */
    Loc fast_at;
    int64_t fast_work; /* steps of the lines that were read at once */

    /* fields of the builders */
    Ast *loose_as;   /* the last 'a as b' in brackets; valid only in a with statement */
    int nloose;      /* number of those that have found no with statement yet */
    uint32_t *marks; /* by Sym: serial of the last list of names that it was seen in */
    uint32_t nmarks;
    uint32_t serial;
    uint32_t deep_line; /* one past the start of the line last reported as too nested */
    Ast *compare;       /* the comparison that was built last, and its last part */
    Ast *compare_part;
    bool join_fields; /* one of the adjacent string literals is an f-string */
    Text join;        /* text of the adjacent literals that is not in join_parts yet */
    AstList join_parts;
} Parser;

static inline Span
span_of(const Parser *p, Loc at)
{
    return (Span){p->file, at.begin, at.end};
}

/* ---- parse.c ------------------------------------------------------------- */
/* Gives the statements read so far to the sink. */
void parse_part(Parser *p, Ast *part);
/* Parses the expression in [at.begin, at.end) of the parser's file; returns null after a
 * diagnostic. */
Ast *parse_piece(Parser *p, Loc at);

/* ---- foreign.c ----------------------------------------------------------- */
/* Finds the first line of a text that is C++; returns false if none looks like it. */
bool foreign_line(const char *text, uint32_t len, Loc *at);

/* ---- scan.c -------------------------------------------------------------- */
/* Reports bytes that are no token, and returns the token to go on with. */
int scan_bad_char(Parser *p, Loc at);
int scan_bad_name(Parser *p, Loc at);
int scan_bad_string(Parser *p, Loc at);
int scan_bad_number(Parser *p, Loc at);

/* Keeps a comment to tikc for the end of its line; ignores others. */
void scan_comment(Parser *p, Loc at);

union TIK_YYSTYPE;
/* Returns the next token of the text, from p->scanned on (grammar/tik.l). */
int scan_token(Parser *p, union TIK_YYSTYPE *value, Loc *at);

/* ---- fast_line.c --------------------------------------------------------- */
/* Goes on to the first token of a line and returns whether fast_line may read it; *at is
 * then the token, which is a word. */
bool fast_first(Parser *p, Loc *at);
/* Reads a line that begins with that token, and if it is a statement those after it on
 * the same level, too. Returns the token of the grammar that they are, and where it is;
 * or 0 when it did nothing, since the line is to be read token by token. */
int fast_line(Parser *p, Loc first, union TIK_YYSTYPE *value, Loc *at);

/* ---- line_shape.c -------------------------------------------------------- */
/* A line that was read at once. */
typedef struct FastLine {
    int token;    /* that it is for the grammar, or 0: it could not be read */
    uint32_t at;  /* what is next: a line end or a comment */
    uint32_t end; /* end of the last token */
    uint32_t tokens;
    /* the statement or condition; the item of 'with'; the name and what follows 'in' */
    AstList list;
} FastLine;

void shapes_begin(Parser *p);
/* Reads the line that begins there, if it has the shape of one before it. */
bool shape_read(Parser *p, uint32_t begin, FastLine *line);
/* Keeps the shape of the line for which shape_read was called last. Its tree is all that
 * was made since the mark. */
void shape_learn(Parser *p, uint32_t begin, const FastLine *line, ArenaMark mark);

/* ---- indent.c ------------------------------------------------------------ */
/* Returns the next token of the grammar; scans, joins lines and finds blocks. */
int tik_yylex(union TIK_YYSTYPE *value, Loc *at, Parser *p);
/* Returns whether the token, the first of its physical line, is not to the right of the
 * open block's column. */
bool indent_is_left(Parser *p, Loc at);
/* Reads the first token again of the lines that were read at once, where the grammar
 * accepts no statement; returns where that is. */
Loc indent_unread_line(Parser *p);
/* Makes the filter skip the line's rest and report no further faults of it. */
void indent_fail_line(Parser *p);
/* Ends a logical line: its comments, and those before it, allow findings on this line. */
void indent_leave_line(Parser *p);

/* ---- complain.c ---------------------------------------------------------- */
/* Adds an error and marks the line as reported. The result is never null. */
Diag *complain(Parser *p, DiagId id, Loc at, const char *fmt, ...) PRINTF_LIKE(4, 5);
void complain_help(Parser *p, Diag *d, const char *help);
void complain_note(Parser *p, Diag *d, Loc at, const char *text);
/* A token that the grammar refused, and what it expected there. */
typedef struct Refused {
    Loc at;
    const char *expected[MAX_EXPECTED]; /* names of tokens */
    int n;
} Refused;
void complain_refused(Parser *p, const Refused *r);
/* Returns "the condition of 'if'" for the head of a line, or null when no block follows
 * such a line. */
const char *complain_header(int head);

/* ---- literal.c ----------------------------------------------------------- */
Ast *ast_int(Parser *p, Loc at);
Ast *ast_float(Parser *p, Loc at);
/* String literals that are side by side are read by begin, add for each, end. */
void ast_strings_begin(Parser *p, Loc at);
void ast_strings_add(Parser *p, Loc at);
Ast *ast_strings_end(Parser *p, Loc at);
/* Makes an AST_STRING of a text. */
Ast *ast_text(Parser *p, Loc at, const char *text, size_t n);
/* Decodes [at.begin, at.end), a part of the inside of a literal, and appends it to
 * text. */
void literal_decode(Parser *p, Loc at, bool raw, Text *out);

/* ---- fstring.c ----------------------------------------------------------- */
/* Splits the inside of an f-string: texts go to p->join, fields to p->join_parts. */
void fstring_add(Parser *p, Loc inside, bool raw);
/* Moves the collected text to the parts. */
void fstring_flush(Parser *p, Loc at);

/* ---- build.c: expressions ------------------------------------------------ */
enum {
    DEPTH_SHIFT = 5 /* the height of an expression's tree is in the upper bits of flags */
};

/* Returns memory that lives as long as the tree; it is not zeroed. */
static inline void *
ast_room(Parser *p, size_t bytes)
{
    p->u->arena.used += (int64_t)bytes;
    return arena_alloc_word(&p->u->tree, bytes);
}

/* Returns zeroed memory that lives as long as the tree. */
static inline void *
ast_alloc(Parser *p, size_t bytes)
{
    return memset(ast_room(p, bytes), 0, bytes);
}

static inline Ast *
ast_sized(Parser *p, AstKind kind, Loc at, size_t bytes)
{
    Ast *node = ast_room(p, bytes);
    node->kind = (uint8_t)kind;
    node->op = 0;
    node->flags = 0;
    node->name = SYM_NONE;
    node->span = span_of(p, at);
    node->slot = 0;
    node->next = NULL;
    memset((char *)node + offsetof(Ast, a), 0, bytes - offsetof(Ast, a));
    return node;
}

static inline Ast *
ast_new(Parser *p, AstKind kind, Loc at)
{
    return ast_sized(p, kind, at, ast_bytes(kind));
}

static inline unsigned
ast_depth(const Ast *node)
{
    return node ? node->flags >> DEPTH_SHIFT : 0;
}

/* Reports too-nested, once for a line, for a node whose tree is past the limit. */
void ast_too_deep(Parser *p, Ast *node);

/* Notes the height of a node's tree. */
static inline void
ast_set_depth(Parser *p, Ast *node, unsigned depth)
{
    if (depth > MAX_DEPTH) {
        ast_too_deep(p, node);
        depth = 0;
    }
    unsigned low = node->flags & ((1u << DEPTH_SHIFT) - 1);
    node->flags = (uint16_t)(low | depth << DEPTH_SHIFT);
}

/* Makes the node's tree one higher than that of a child, which may be null. */
static inline void
ast_deepen_one(Parser *p, Ast *node, const Ast *child)
{
    unsigned depth = ast_depth(child) + 1;
    if (child && depth > ast_depth(node)) {
        ast_set_depth(p, node, depth);
    }
}

/* Make an AST_INT of more than 32 bits, and of more than 63. */
Ast *ast_wide_int(Parser *p, Loc at, int64_t value);
Ast *ast_long_int(Parser *p, Loc at, const char *digits);

/* Makes an AST_INT of at most 63 bits. */
static inline Ast *
ast_short_int(Parser *p, Loc at, int64_t value)
{
    if (value > UINT32_MAX) {
        return ast_wide_int(p, at, value);
    }
    Ast *node = ast_new(p, AST_INT, at);
    node->op = INT_SHORT;
    node->slot = (uint32_t)value;
    return node;
}

/* Makes the node's tree one higher than the trees of a list; reports too-nested past the
 * limit. */
void ast_deepen(Parser *p, Ast *node, const Ast *list);
Ast *ast_leaf(Parser *p, AstKind kind, Loc at, int64_t value);

static inline Ast *
ast_name(Parser *p, Loc at, Sym name)
{
    Ast *node = ast_new(p, AST_NAME, at);
    node->name = name;
    return node;
}

static inline Ast *
ast_with_a(Parser *p, AstKind kind, Loc at, Ast *a)
{
    Ast *node = ast_new(p, kind, at);
    node->a = a;
    ast_deepen_one(p, node, a);
    return node;
}

Ast *ast_unary(Parser *p, Loc at, AstOp op, Ast *a);
Ast *ast_binary(Parser *p, Loc at, AstOp op, Ast *a, Ast *b);
Ast *ast_logic(Parser *p, Loc at, AstKind kind, Ast *a, Ast *b);
Ast *ast_compare(Parser *p, Loc at, AstOp op, Ast *a, Ast *b);
Ast *ast_cond(Parser *p, Loc at, Ast *value, Ast *condition, Ast *other);
Ast *ast_await(Parser *p, Loc at, Ast *a);
Ast *ast_walrus(Parser *p, Loc at, Sym name, Ast *a);
Ast *ast_starred(Parser *p, Loc at, Ast *a);
Ast *ast_yield(Parser *p, Loc at, Ast *a, bool from);
Ast *ast_lambda(Parser *p, Loc at, ParamList params, Ast *body);
Ast *ast_call(Parser *p, Loc at, Ast *callee, AstList args, bool comma);
/* Makes a call whose arguments are known to be in order. */
Ast *ast_plain_call(Parser *p, Loc at, Ast *callee, Ast *args, CallFacts facts);
/* Checks the order of arguments. alone: a generator needs no brackets of its own. */
void ast_check_args(Parser *p, AstList args, bool alone);
Ast *ast_keyword(Parser *p, Loc at, Sym name, Ast *a);
Ast *ast_attr(Parser *p, Loc at, Ast *a, Sym name);
Ast *ast_index(Parser *p, Loc at, Ast *a, Ast *index);
Ast *ast_slice(Parser *p, Loc at, Ast *from, Ast *to, Ast *step);
/* Builds a tuple, unless the list has one element and no comma: then it returns the
 * element. */
Ast *ast_tuple(Parser *p, Loc at, AstList list, bool comma);
Ast *ast_paren(Parser *p, Loc at, AstList list, bool comma);
Ast *ast_display(Parser *p, AstKind kind, Loc at, AstList list);
Ast *ast_pair(Parser *p, Loc at, Ast *key, Ast *value);
Ast *ast_comp(Parser *p, Loc at, char form, Ast *element, AstList fors);
Ast *ast_comp_for(Parser *p, Loc at, Ast *target, Ast *source, AstList conditions);
Ast *ast_as(Parser *p, Loc at, Ast *a, Ast *target);
Ast *ast_loose_as(Parser *p, Loc at, Ast *a, Ast *target);
AstParam *ast_param(Parser *p, Loc at, ParamKind kind, Sym name);

static inline AstList
list_one(Ast *a)
{
    return (AstList){a, a};
}

static inline AstList
list_join(AstList a, AstList b)
{
    if (!a.first) {
        return b;
    }
    if (b.first) {
        a.last->next = b.first;
        a.last = b.last;
    }
    return a;
}

static inline AstList
list_add(AstList list, Ast *a)
{
    return list_join(list, list_one(a));
}

ParamList params_add(ParamList list, AstParam *param);

/* ---- build_func.c -------------------------------------------------------- */
/* Builds a function of these parameters; the caller sets the body. */
AstFunc *ast_func(Parser *p, ParamList params);
/* These find names that a list gives twice: names_add is true if the name is new since
 * names_begin. */
void names_begin(Parser *p);
bool names_add(Parser *p, Sym name);

/* ---- build_stmt.c: statements -------------------------------------------- */
typedef struct FuncHead {
    Sym name;
    ParamList params;
    Ast *returns;
} FuncHead;

Ast *ast_module(Parser *p, Loc at, AstList body);
/* Adds a statement to the program. When it is a part of some size, the sink takes it, and
 * an empty list is returned. ahead: the tree of a line after it was made, which the part
 * would take along. */
AstList ast_program(Parser *p, Loc at, AstList before, AstList statement, bool ahead);
/* Builds a statement that has one expression. */
Ast *ast_plain(Parser *p, AstKind kind, Loc at, Ast *a);
Ast *ast_assign(Parser *p, Loc at, AstList targets, Ast *value);
Ast *ast_augassign(Parser *p, Loc at, AstOp op, Ast *target, Ast *value);
Ast *ast_annassign(Parser *p, Loc at, Ast *target, Ast *annotation, Ast *value);
Ast *ast_if(Parser *p, Loc at, Ast *condition, AstList body);
/* Adds an elif part to the chain of the ifs of one statement. */
AstList ast_elif(Parser *p, AstList chain, Ast *part);
Ast *ast_else(Ast *first, AstList chain, AstList orelse);
Ast *ast_for(Parser *p, Loc at, Ast *target, Ast *source, AstList body);
Ast *ast_while(Parser *p, Loc at, Ast *condition, AstList body);
AstList ast_with_items(Parser *p, AstList items);
Ast *ast_with(Parser *p, Loc at, AstList items, AstList body);
Ast *ast_def(Parser *p, Loc at, FuncHead head, AstList body);
Ast *ast_class(Parser *p, Loc at, Sym name, AstList bases, AstList body);
Ast *ast_decorate(Ast *definition, AstList decorators);
Ast *ast_async(Parser *p, Loc at, Ast *statement);
Ast *ast_try(Parser *p, Loc at, AstList body, AstList handlers);
Ast *ast_finish_try(Parser *p, Ast *node, AstList orelse, AstList final);
Ast *ast_except(Parser *p, Loc at, Ast *type, Sym name, AstList body);
Ast *ast_import(Parser *p, Loc at, AstList aliases);
Ast *ast_from(Parser *p, Loc at, int dots, Loc module, AstList aliases);
Ast *ast_alias(Parser *p, Loc at, Loc dotted, Sym as);
Ast *ast_del(Parser *p, Loc at, Ast *targets);
Ast *ast_raise(Parser *p, Loc at, Ast *exception, Ast *cause);
Ast *ast_assert(Parser *p, Loc at, Ast *condition, Ast *message);
Ast *ast_names(Parser *p, AstKind kind, Loc at, AstList names);
/* Completes a statement: reports what is allowed only in special places and found
 * none. */
Ast *ast_statement(Parser *p, Ast *statement);
/* The grammar calls this after the ':' before a block, which may be missing in the text.
 */
void ast_colon(Parser *p, Loc at);

/* Reports a node that cannot be assigned to and returns false. what is "assign to" or
 * "delete". */
bool ast_check_target(Parser *p, const Ast *node, const char *what);
/* Returns how messages name a node's kind: "a call". */
const char *ast_describe(const Ast *node);

#endif
