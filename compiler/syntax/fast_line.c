/* fast_line.c: the fast path of the parser, for what nearly all lines of long programs
 * are: an expression, an assignment, or the head of 'with', 'for' or 'if', of names,
 * plain numbers and strings, calls, indexes and operators. Such a line is read from its
 * text in one go, by precedence climbing, and becomes one token of the grammar.
 *
 * It makes the tree that the grammar makes, with the same builders; a test compares the
 * two. Whatever it does not know, and whatever is wrong, it leaves to the scanner and the
 * grammar, as if it had not looked at the line: so it reports nothing. */
#include "syntax/bytes.h"
#include "syntax/parser.h"

#include <string.h>

#include "tik.tab.h"

enum {
    MARGIN = 16,       /* words are compared by that many bytes */
    MAX_INSIDE = 40,   /* brackets, signs and calls inside each other */
    MAX_TOKENS = 1000, /* less than MAX_DEPTH, so no tree becomes too high */
    MAX_KEYWORDS = 24  /* keyword arguments of a call */
};

/* What begins with a byte. */
enum {
    C_OTHER,
    C_WORD, /* letters and _ */
    C_DIGIT
};

static const uint8_t classes[256] = {
    ['0'] = C_DIGIT, ['1'] = C_DIGIT, ['2'] = C_DIGIT, ['3'] = C_DIGIT, ['4'] = C_DIGIT,
    ['5'] = C_DIGIT, ['6'] = C_DIGIT, ['7'] = C_DIGIT, ['8'] = C_DIGIT, ['9'] = C_DIGIT,
    ['A'] = C_WORD,  ['B'] = C_WORD,  ['C'] = C_WORD,  ['D'] = C_WORD,  ['E'] = C_WORD,
    ['F'] = C_WORD,  ['G'] = C_WORD,  ['H'] = C_WORD,  ['I'] = C_WORD,  ['J'] = C_WORD,
    ['K'] = C_WORD,  ['L'] = C_WORD,  ['M'] = C_WORD,  ['N'] = C_WORD,  ['O'] = C_WORD,
    ['P'] = C_WORD,  ['Q'] = C_WORD,  ['R'] = C_WORD,  ['S'] = C_WORD,  ['T'] = C_WORD,
    ['U'] = C_WORD,  ['V'] = C_WORD,  ['W'] = C_WORD,  ['X'] = C_WORD,  ['Y'] = C_WORD,
    ['Z'] = C_WORD,  ['_'] = C_WORD,  ['a'] = C_WORD,  ['b'] = C_WORD,  ['c'] = C_WORD,
    ['d'] = C_WORD,  ['e'] = C_WORD,  ['f'] = C_WORD,  ['g'] = C_WORD,  ['h'] = C_WORD,
    ['i'] = C_WORD,  ['j'] = C_WORD,  ['k'] = C_WORD,  ['l'] = C_WORD,  ['m'] = C_WORD,
    ['n'] = C_WORD,  ['o'] = C_WORD,  ['p'] = C_WORD,  ['q'] = C_WORD,  ['r'] = C_WORD,
    ['s'] = C_WORD,  ['t'] = C_WORD,  ['u'] = C_WORD,  ['v'] = C_WORD,  ['w'] = C_WORD,
    ['x'] = C_WORD,  ['y'] = C_WORD,  ['z'] = C_WORD,
};

/* The bytes after which no operand goes on: they are no operator, bracket or point. */
static const bool ends[256] = {
    [','] = true, [')'] = true, [']'] = true, [':'] = true, ['\n'] = true, ['#'] = true,
};

/* ---- words --------------------------------------------------------------- */

/* A word of at most 16 bytes that was read before: its first and its last 8 bytes, or all
 * of them and 0. */
typedef struct Known {
    uint64_t first;
    uint64_t last;
    uint32_t n;
    Sym sym;     /* of a name */
    int keyword; /* its token, or 0 */
} Known;

struct FastWords {
    Known at[256];
    Known longer; /* the last word of more than 16 bytes */
};

static const struct {
    const char *text;
    int token;
} keywords[] = {
    {"and", AND},
    {"as", AS},
    {"assert", ASSERT},
    {"async", ASYNC},
    {"await", AWAIT},
    {"break", BREAK},
    {"class", CLASS},
    {"continue", CONTINUE},
    {"def", DEF},
    {"del", DEL},
    {"elif", ELIF},
    {"else", ELSE},
    {"except", EXCEPT},
    {"False", FALSE},
    {"finally", FINALLY},
    {"for", FOR},
    {"from", FROM},
    {"global", GLOBAL},
    {"if", IF},
    {"import", IMPORT},
    {"in", IN},
    {"is", IS},
    {"lambda", LAMBDA},
    {"None", NONE},
    {"nonlocal", NONLOCAL},
    {"not", NOT},
    {"or", OR},
    {"pass", PASS},
    {"raise", RAISE},
    {"return", RETURN},
    {"True", TRUE},
    {"try", TRY},
    {"while", WHILE},
    {"with", WITH},
    {"yield", YIELD},
};

static int
keyword_of(const char *s, uint32_t n)
{
    for (size_t i = 0; i < ARRAY_LEN(keywords); i++) {
        if (strlen(keywords[i].text) == n && memcmp(keywords[i].text, s, n) == 0) {
            return keywords[i].token;
        }
    }
    return 0;
}

/* Puts a word in the place of another one. */
static NOINLINE const Known *
learn(Parser *p, const char *s, Known word, Known *to)
{
    word.keyword = word.n <= 8 ? keyword_of(s, word.n) : 0;
    word.sym = word.keyword ? SYM_NONE : intern_n(&p->u->names, s, word.n);
    *to = word;
    return to;
}

/* What is known of the word s[0..n), after which MARGIN bytes can be read; it is valid
 * until the next word. */
static inline const Known *
look_up(Parser *p, const char *s, uint32_t n)
{
    Known word = {.first = eight(s), .n = n};
    if (n < 8) {
        word.first &= first_bytes(n);
    } else if (n <= 16) {
        word.last = eight(s + n - 8);
    } else {
        return learn(p, s, word, &p->words->longer);
    }
    uint64_t mixed =
        (word.first ^ (word.last << 29 | word.last >> 35)) * 0x9e3779b97f4a7c15u;
    Known *k = &p->words->at[mixed >> 56];
    bool same = k->first == word.first && k->last == word.last && k->n == n;
    return same ? k : learn(p, s, word, k);
}

/* ---- tokens -------------------------------------------------------------- */

/* The state of reading a line. What could not be read is null or false. */
typedef struct Fast {
    Parser *p;
    const char *text;
    uint32_t at;     /* the next byte, which is no blank */
    uint32_t end;    /* end of the last token */
    uint32_t limit;  /* Parser.fast_limit: a line end, so no token goes on past it */
    uint32_t tokens; /* number of tokens that were read */
    uint32_t inside; /* how deep the present part is inside of others */
    uint32_t depth;  /* number of open brackets */
} Fast;

static inline char
peek(const Fast *f)
{
    return f->text[f->at];
}

/* Returns the next byte from 'at' on that is no blank; line ends in brackets are. */
static NOINLINE uint32_t
skip_blanks(const Fast *f, uint32_t at)
{
    const char *s = f->text;
    while (s[at] == ' ' || (f->depth && s[at] == '\n' && at < f->limit)) {
        at++;
    }
    return at;
}

/* Goes on after a token that ends at 'end'. Mostly there is one blank, or none. */
static inline void
pass_to(Fast *f, uint32_t end)
{
    f->end = end;
    f->tokens++;
    uint32_t at = end + (f->text[end] == ' ');
    char c = f->text[at];
    f->at = c == ' ' || c == '\n' ? skip_blanks(f, at) : at;
}

static inline bool
take(Fast *f, char c)
{
    if (peek(f) != c) {
        return false;
    }
    pass_to(f, f->at + 1);
    return true;
}

/* Takes a bracket that opens. */
static inline void
enter(Fast *f)
{
    f->inside++;
    f->depth++;
    pass_to(f, f->at + 1);
}

/* Takes the bracket that closes it. */
static inline bool
leave(Fast *f, char c)
{
    if (peek(f) != c) {
        return false;
    }
    f->inside--;
    f->depth--;
    pass_to(f, f->at + 1);
    return true;
}

static inline Loc
since(const Fast *f, uint32_t begin)
{
    return (Loc){begin, f->end};
}

/* Returns the end of a word, a byte of which is at i. */
static inline uint32_t
word_end(const char *s, uint32_t i)
{
    do {
        i++;
    } while (classes[(unsigned char)s[i]]);
    return i;
}

/* Reads the word that is next. What is not ASCII, or the quote of a string with a prefix,
 * ends none: then it returns null. */
static inline const Known *
read_word(Fast *f)
{
    uint32_t begin = f->at;
    uint32_t end = word_end(f->text, begin);
    unsigned char next = (unsigned char)f->text[end];
    if (next >= 0x80 || next == '"' || next == '\'') {
        return NULL;
    }
    pass_to(f, end);
    return look_up(f->p, f->text + begin, end - begin);
}

static inline bool
at_word(const Fast *f)
{
    return classes[(unsigned char)peek(f)] == C_WORD;
}

/* Reads a name, but no keyword. */
static inline const Known *
read_identifier(Fast *f)
{
    const Known *word = at_word(f) ? read_word(f) : NULL;
    return word && !word->keyword ? word : NULL;
}

/* ---- parts of expressions ------------------------------------------------ */

static Ast *read_expr(Fast *f, int least);

/* Reads a part of an expression from a fresh start: between brackets or commas. */
static inline Ast *
read_whole(Fast *f)
{
    return read_expr(f, 0);
}

/* Returns the end of the digits from i on. */
static inline uint32_t
digits_end(const char *s, uint32_t i)
{
    while (classes[(unsigned char)s[i]] == C_DIGIT) {
        i++;
    }
    return i;
}

/* Returns whether a number may end before a byte: it is not part of a name or another
 * number. */
static inline bool
ends_number(char c)
{
    return !classes[(unsigned char)c] && (unsigned char)c < 0x80 && c != '.';
}

/* Reads the number that is next: an integer of at most 18 digits, which fit in 63 bits,
 * or one with a point in the middle. */
static inline Ast *
read_number(Fast *f)
{
    enum {
        MAX_DIGITS = 18
    };
    const char *s = f->text;
    uint32_t begin = f->at;
    uint32_t i = begin;
    int64_t value = 0;
    for (unsigned digit; (digit = (unsigned char)s[i] - (unsigned)'0') < 10; i++) {
        value = (int64_t)((uint64_t)value * 10 + digit);
    }
    if ((s[begin] == '0' && i - begin > 1) || i - begin > MAX_DIGITS) {
        return NULL;
    }
    if (ends_number(s[i])) {
        pass_to(f, i);
        return ast_short_int(f->p, since(f, begin), value);
    }
    uint32_t end = digits_end(s, i + 1);
    if (s[i] != '.' || end == i + 1 || !ends_number(s[end])) {
        return NULL;
    }
    pass_to(f, end);
    return ast_float(f->p, since(f, begin));
}

/* Reads a string without prefix and escapes, of one line, next to no other. */
static Ast *
read_string(Fast *f)
{
    char quote = peek(f);
    const char *s = f->text;
    uint32_t begin = f->at;
    uint32_t i = begin + 1;
    while (s[i] != quote && s[i] != '\\' && s[i] != '\n' && s[i] != '\r') {
        i++;
    }
    if (s[i] != quote || s[i + 1] == quote) {
        return NULL; /* an empty one may be the start of a long one */
    }
    pass_to(f, i + 1);
    if (peek(f) == '"' || peek(f) == '\'' || classes[(unsigned char)peek(f)]) {
        return NULL;
    }
    return ast_text(f->p, since(f, begin), s + begin + 1, i - begin - 1);
}

/* Reads what is between round or square brackets, and the bracket that closes them;
 * *comma is whether a comma is last. */
static bool
read_elements(Fast *f, char closing, AstList *list, bool *comma)
{
    *list = list_one(NULL);
    *comma = false;
    while (peek(f) != closing) {
        Ast *e = read_whole(f);
        if (!e) {
            return false;
        }
        *list = list_add(*list, e);
        *comma = take(f, ',');
        if (!*comma) {
            break;
        }
    }
    return leave(f, closing);
}

static Ast *
read_brackets(Fast *f)
{
    uint32_t begin = f->at;
    bool round = peek(f) == '(';
    AstList list;
    bool comma;
    enter(f);
    if (!read_elements(f, round ? ')' : ']', &list, &comma)) {
        return NULL;
    }
    return round ? ast_paren(f->p, since(f, begin), list, comma || !list.first)
                 : ast_display(f->p, AST_LIST, since(f, begin), list);
}

/* ---- calls and items ----------------------------------------------------- */

/* The arguments of a call that were read until now. */
typedef struct Args {
    AstList list;
    CallFacts facts;
    Sym names[MAX_KEYWORDS];
} Args;

/* Makes a keyword argument of a name that was read and the value after its '='. The node
 * of the name is in no list then, but a shape has it, in which it is no variable. */
static Ast *
read_keyword(Fast *f, Args *args, Ast *name)
{
    if (name->kind != AST_NAME || name->flags || args->facts.nkw == MAX_KEYWORDS) {
        return NULL;
    }
    for (uint32_t i = 0; i < args->facts.nkw; i++) {
        if (args->names[i] == name->name) {
            return NULL;
        }
    }
    args->names[args->facts.nkw++] = name->name;
    name->kind = AST_NONE;
    pass_to(f, f->at + 1);
    Ast *value = read_whole(f);
    return value ? ast_keyword(f->p, since(f, name->span.begin), name->name, value)
                 : NULL;
}

static Ast *
read_argument(Fast *f, Args *args)
{
    Ast *e = read_whole(f);
    if (e && peek(f) == '=') {
        return read_keyword(f, args, e);
    }
    args->facts.npos++;
    return args->facts.nkw ? NULL : e; /* it follows a keyword argument */
}

static Ast *
read_call(Fast *f, Ast *callee, uint32_t begin)
{
    Args args;
    args.list = list_one(NULL);
    args.facts = (CallFacts){0};
    enter(f);
    while (peek(f) != ')') {
        Ast *e = read_argument(f, &args);
        if (!e) {
            return NULL;
        }
        args.list = list_add(args.list, e);
        if (!take(f, ',')) {
            break;
        }
    }
    if (!leave(f, ')')) {
        return NULL;
    }
    return ast_plain_call(f->p, since(f, begin), callee, args.list.first, args.facts);
}

/* Reads 'a', 'a:b' or 'a:b:c' of an index; each may be missing. What is missing is right
 * after the token before it. */
static Ast *
read_slice(Fast *f, uint32_t *begin)
{
    Ast *parts[3] = {NULL, NULL, NULL};
    *begin = peek(f) == ':' ? f->end : f->at;
    int n = 0;
    for (;; n++) {
        bool missing = peek(f) == ':' || peek(f) == ',' || peek(f) == ']';
        parts[n] = missing ? NULL : read_whole(f);
        if (!missing && !parts[n]) {
            return NULL;
        }
        if (n == 2 || !take(f, ':')) {
            break;
        }
    }
    return n == 0 ? parts[0]
                  : ast_slice(f->p, since(f, *begin), parts[0], parts[1], parts[2]);
}

static Ast *
read_index(Fast *f, Ast *a, uint32_t begin)
{
    enter(f);
    AstList list = list_one(NULL);
    uint32_t inside = 0;
    uint32_t at;
    bool comma = false;
    while (!comma || peek(f) != ']') {
        Ast *e = read_slice(f, &at);
        inside = list.first ? inside : at;
        if (!e) {
            return NULL;
        }
        list = list_add(list, e);
        comma = take(f, ',');
        if (!comma) {
            break;
        }
    }
    Ast *index = ast_tuple(f->p, since(f, inside), list, comma);
    return leave(f, ']') ? ast_index(f->p, since(f, begin), a, index) : NULL;
}

static inline Ast *
read_attr(Fast *f, Ast *a, uint32_t begin)
{
    pass_to(f, f->at + 1);
    const Known *word = read_identifier(f);
    return word ? ast_attr(f->p, since(f, begin), a, word->sym) : NULL;
}

/* Reads the calls, items and attributes that follow an operand. */
static Ast *
read_trailers(Fast *f, Ast *a, uint32_t begin)
{
    while (a) {
        switch (peek(f)) {
        case '(':
            a = read_call(f, a, begin);
            break;
        case '[':
            a = read_index(f, a, begin);
            break;
        case '.':
            a = read_attr(f, a, begin);
            break;
        default:
            return a;
        }
    }
    return NULL;
}

/* ---- operators ----------------------------------------------------------- */

/* How tight operators bind: the order of the grammar's list. */
enum {
    LOOSEST,
    BY_OR,
    BY_AND,
    BY_NOT,
    BY_COMPARE,
    BY_BITS_OR,
    BY_BITS_XOR,
    BY_BITS_AND,
    BY_SHIFT,
    BY_SUM,
    BY_PRODUCT,
    BY_SIGN,
    BY_POWER
};

typedef struct Operator {
    uint8_t tight; /* LOOSEST: there is none */
    uint8_t op;    /* an AstOp; AOP_NONE of BY_AND and BY_OR */
    uint8_t n;     /* number of bytes */
} Operator;

static const Operator single[128] = {
    ['|'] = {BY_BITS_OR, AOP_OR, 1},     ['^'] = {BY_BITS_XOR, AOP_XOR, 1},
    ['&'] = {BY_BITS_AND, AOP_AND, 1},   ['+'] = {BY_SUM, AOP_ADD, 1},
    ['-'] = {BY_SUM, AOP_SUB, 1},        ['*'] = {BY_PRODUCT, AOP_MUL, 1},
    ['/'] = {BY_PRODUCT, AOP_DIV, 1},    ['%'] = {BY_PRODUCT, AOP_MOD, 1},
    ['@'] = {BY_PRODUCT, AOP_MATMUL, 1}, ['<'] = {BY_COMPARE, AOP_LT, 1},
    ['>'] = {BY_COMPARE, AOP_GT, 1},
};

/* Returns the operator of two equal characters. */
static Operator
doubled(char c)
{
    switch (c) {
    case '*':
        return (Operator){BY_POWER, AOP_POW, 2};
    case '/':
        return (Operator){BY_PRODUCT, AOP_FLOORDIV, 2};
    case '<':
        return (Operator){BY_SHIFT, AOP_SHL, 2};
    case '>':
        return (Operator){BY_SHIFT, AOP_SHR, 2};
    default:
        return (Operator){LOOSEST, AOP_NONE, 0}; /* '||' and '&&' are none, '--' two */
    }
}

/* Returns the comparison of a character and '='. */
static Operator
compared(char c)
{
    switch (c) {
    case '=':
        return (Operator){BY_COMPARE, AOP_EQ, 2};
    case '!':
        return (Operator){BY_COMPARE, AOP_NE, 2};
    case '<':
        return (Operator){BY_COMPARE, AOP_LE, 2};
    case '>':
        return (Operator){BY_COMPARE, AOP_GE, 2};
    default:
        return (Operator){LOOSEST, AOP_NONE, 0}; /* the statement may change a value */
    }
}

/* Returns the operator that is next, of LOOSEST if none is. */
static inline Operator
next_operator(const Fast *f)
{
    const char *s = f->text + f->at;
    unsigned char c = (unsigned char)s[0];
    if (c >= 128) {
        return (Operator){LOOSEST, AOP_NONE, 0};
    }
    Operator one = single[c];
    if (s[1] == '=' && (one.tight || c == '=' || c == '!')) {
        return compared((char)c);
    }
    if (one.tight && s[1] == (char)c && c != '+' && c != '-') {
        Operator two = doubled((char)c);
        return s[2] == '=' ? (Operator){LOOSEST, AOP_NONE, 0} : two;
    }
    if (c == 'a' && s[1] == 'n' && s[2] == 'd' && !classes[(unsigned char)s[3]]) {
        return (Operator){BY_AND, AOP_NONE, 3};
    }
    if (c == 'o' && s[1] == 'r' && !classes[(unsigned char)s[2]]) {
        return (Operator){BY_OR, AOP_NONE, 2};
    }
    return one;
}

static Ast *
build_operation(Fast *f, Operator o, Ast *a, Ast *b, uint32_t begin)
{
    Loc at = since(f, begin);
    switch (o.tight) {
    case BY_OR:
        return ast_logic(f->p, at, AST_OR, a, b);
    case BY_AND:
        return ast_logic(f->p, at, AST_AND, a, b);
    case BY_COMPARE:
        return ast_compare(f->p, at, (AstOp)o.op, a, b);
    default:
        return ast_binary(f->p, at, (AstOp)o.op, a, b);
    }
}

/* Reads the operand of a prefix that was read and begins at 'begin'. */
static Ast *
read_prefixed(Fast *f, AstOp op, int least, uint32_t begin)
{
    f->inside++;
    Ast *a = read_expr(f, least);
    f->inside--;
    return a ? ast_unary(f->p, since(f, begin), op, a) : NULL;
}

/* Makes the tree of a keyword that was read, with what follows it. */
static NOINLINE Ast *
read_after_keyword(Fast *f, int keyword, int least, uint32_t begin)
{
    switch (keyword) {
    case TRUE:
    case FALSE:
        return ast_leaf(f->p, AST_BOOL, since(f, begin), keyword == TRUE);
    case NONE:
        return ast_new(f->p, AST_NONE, since(f, begin));
    case NOT:
        return least <= BY_NOT ? read_prefixed(f, AOP_NOT, BY_NOT, begin) : NULL;
    default:
        return NULL;
    }
}

static inline Ast *
read_named(Fast *f, int least)
{
    uint32_t begin = f->at;
    const Known *word = read_word(f);
    if (!word) {
        return NULL;
    }
    return word->keyword ? read_after_keyword(f, word->keyword, least, begin)
                         : ast_name(f->p, since(f, begin), word->sym);
}

/* Reads a sign and its operand. */
static Ast *
read_signed(Fast *f, AstOp op)
{
    uint32_t begin = f->at;
    pass_to(f, begin + 1);
    return read_prefixed(f, op, BY_POWER, begin);
}

/* Reads an operand that is neither a number nor a word. */
static NOINLINE Ast *
read_other(Fast *f)
{
    switch (peek(f)) {
    case '-':
        return read_signed(f, AOP_NEG);
    case '+':
        return read_signed(f, AOP_POS);
    case '~':
        return read_signed(f, AOP_INVERT);
    case '(':
    case '[':
        return read_brackets(f);
    case '"':
    case '\'':
        return read_string(f);
    default:
        return NULL;
    }
}

/* Reads an operand with the signs before it. */
static inline Ast *
read_operand(Fast *f, int least)
{
    switch (classes[(unsigned char)peek(f)]) {
    case C_DIGIT:
        return read_number(f);
    case C_WORD:
        return read_named(f, least);
    default:
        return read_other(f);
    }
}

/* Reads what follows the first operand of an expression that begins at 'begin'. */
static NOINLINE Ast *
read_rest(Fast *f, Ast *a, int least, uint32_t begin)
{
    /* what follows 'not' or a sign belongs to its operand, which was read with it */
    a = a->kind != AST_UNARY ? read_trailers(f, a, begin) : a;
    while (a) {
        Operator o = next_operator(f);
        if (o.tight < MAX(least, BY_OR)) {
            return a;
        }
        pass_to(f, f->at + o.n);
        f->inside++;
        Ast *b = read_expr(f, o.tight + (o.tight != BY_POWER));
        f->inside--;
        a = b ? build_operation(f, o, a, b, begin) : NULL;
    }
    return NULL;
}

/* Reads an expression whose operators bind at least that tight. */
static Ast *
read_expr(Fast *f, int least)
{
    uint32_t begin = f->at;
    if (f->inside > MAX_INSIDE || f->tokens > MAX_TOKENS) {
        return NULL;
    }
    Ast *a = read_operand(f, least);
    return !a || ends[(unsigned char)peek(f)] ? a : read_rest(f, a, least, begin);
}

/* ---- lines --------------------------------------------------------------- */

static inline bool
at_end(const Fast *f)
{
    return peek(f) == '\n' || peek(f) == '#';
}

/* Takes the keyword. */
static bool
take_keyword(Fast *f, int token)
{
    const Known *word = at_word(f) ? read_word(f) : NULL;
    return word && word->keyword == token;
}

static Ast *
read_name(Fast *f)
{
    uint32_t begin = f->at;
    const Known *word = read_identifier(f);
    return word ? ast_name(f->p, since(f, begin), word->sym) : NULL;
}

/* Returns the operator of '+=', '//=' and so on, and its number of bytes. */
static Operator
augmenting(const Fast *f)
{
    const char *s = f->text + f->at;
    unsigned char c = (unsigned char)s[0];
    bool twice = s[1] == s[0] && s[2] == '=';
    if (c >= 128 || !single[c].tight || !(twice || s[1] == '=')) {
        return (Operator){LOOSEST, AOP_NONE, 0};
    }
    Operator o = twice ? doubled((char)c) : single[c];
    bool compares = o.tight == BY_COMPARE;
    return (Operator){compares ? LOOSEST : o.tight, o.op, (uint8_t)(o.n + 1)};
}

static bool
is_target(const Ast *a)
{
    return a->kind == AST_NAME || a->kind == AST_ATTR || a->kind == AST_INDEX;
}

/* Reads a statement that begins with an expression. */
static Ast *
read_simple(Fast *f)
{
    uint32_t begin = f->at;
    Ast *a = read_whole(f);
    if (!a || at_end(f)) {
        return a ? ast_plain(f->p, AST_EXPR, since(f, begin), a) : NULL;
    }
    Operator o = augmenting(f);
    if (!is_target(a) || (peek(f) != '=' && !o.tight)) {
        return NULL;
    }
    pass_to(f, f->at + MAX(o.n, 1u));
    Ast *b = read_whole(f);
    Loc at = since(f, begin);
    return !b        ? NULL
           : o.tight ? ast_augassign(f->p, at, (AstOp)o.op, a, b)
                     : ast_assign(f->p, at, list_one(a), b);
}

/* Reads 'with' EXPRESSION 'as' NAME up to the ':'. */
static Ast *
read_with(Fast *f)
{
    uint32_t begin = f->at;
    Ast *a = peek(f) == '(' ? NULL : read_whole(f); /* brackets may be around all items */
    if (!a || peek(f) == ':') {
        return a ? ast_with_a(f->p, AST_WITH_ITEM, since(f, begin), a) : NULL;
    }
    Ast *target = take_keyword(f, AS) ? read_name(f) : NULL;
    return target ? ast_as(f->p, since(f, begin), a, target) : NULL;
}

/* Reads 'for' NAME 'in' EXPRESSION up to the ':': the list is both, which are not
 * linked. */
static AstList
read_for(Fast *f)
{
    Ast *name = read_name(f);
    return (AstList){name, name && take_keyword(f, IN) ? read_whole(f) : NULL};
}

static Ast *
read_return(Fast *f, uint32_t begin)
{
    Ast *a = at_end(f) ? NULL : read_whole(f);
    return a ? ast_plain(f->p, AST_RETURN, since(f, begin), a) : NULL;
}

/* Reads a statement, or the head of one with a block below it: all up to the end of the
 * line. Returns the token for the grammar, or 0. */
static int
read_statement(Fast *f, int keyword, AstList *list)
{
    uint32_t begin = f->at;
    if (keyword) {
        pass_to(f, word_end(f->text, begin));
    }
    int token = LINE;
    switch (keyword) {
    case 0:
        *list = list_one(read_simple(f));
        break;
    case RETURN:
        *list = list_one(read_return(f, begin));
        break;
    case IF:
        token = IF_LINE;
        *list = list_one(read_whole(f));
        break;
    case FOR:
        token = FOR_LINE;
        *list = read_for(f);
        break;
    case WITH:
        token = WITH_LINE;
        *list = list_one(read_with(f));
        break;
    default:
        return 0;
    }
    if (!list->last || (token != LINE && !take(f, ':')) || !at_end(f)) {
        return 0;
    }
    return token;
}

/* Returns the keyword that a line begins with, or 0; only of those that read_statement
 * knows. */
static inline int
statement_keyword(Parser *p, Loc first)
{
    switch (p->text[first.begin]) {
    case 'w':
    case 'f':
    case 'i':
    case 'r':
        return look_up(p, p->text + first.begin, first.end - first.begin)->keyword;
    default:
        return 0;
    }
}

/* Returns the line end at 'at' or after the comment there. */
static uint32_t
skip_comment(Parser *p, uint32_t at)
{
    if (p->text[at] == '\n') {
        return at;
    }
    const char *end = memchr(p->text + at, '\n', p->end - at);
    uint32_t to = (uint32_t)(end - p->text);
    scan_comment(p, (Loc){at, to});
    return to;
}

/* Returns the last line end that has MARGIN bytes after it, or where the text begins. */
static uint32_t
find_limit(const Parser *p)
{
    uint32_t at = p->end - p->begin > MARGIN ? p->end - MARGIN : p->begin;
    while (at > p->begin && p->text[at] != '\n') {
        at--;
    }
    return at;
}

bool
fast_first(Parser *p, Loc *at)
{
    if (!p->words) {
        p->words = ARENA_NEW(p->scratch, struct FastWords);
        p->fast_limit = find_limit(p);
        shapes_begin(p);
    }
    const char *s = p->text;
    while (p->scanned < p->fast_limit) {
        uint32_t i = p->scanned;
        while (s[i] == ' ') {
            i++;
        }
        p->scanned = i;
        if (s[i] == '\n' || s[i] == '#') {
            p->scanned = p->line_begin = skip_comment(p, i) + 1;
        } else {
            *at = (Loc){i, word_end(s, i)};
            return classes[(unsigned char)s[i]] == C_WORD;
        }
    }
    return false;
}

/* Counts the work of a line's tokens, and returns whether it is within the limits; where
 * it is not, reading token by token finds the one at which it ends. */
static bool
count_work(Parser *p, int64_t tokens)
{
    Unit *u = p->u;
    const Limits *l = &u->opt.limits;
    int64_t work = TOKEN_STEPS * tokens;
    if (u->work + work > l->steps || u->arena.used - p->evaluated > l->memory) {
        return false;
    }
    u->work += work;
    p->fast_work += work;
    return true;
}

/* Notes the line as if its tokens had been read one by one. */
static void
note_line(Parser *p, const FastLine *read, Loc first, int head)
{
    Line *line = &p->line;
    line->head = head ? head : NAME;
    line->head_at = first;
    line->colon = read->token != LINE;
    line->last = line->colon ? ':' : NAME;
    line->last_at = (Loc){read->end - 1, read->end};
}

/* Reads a line by its text. */
static FastLine
read_text(Parser *p, Loc first, int head)
{
    Fast f = {.p = p, .text = p->text, .at = first.begin, .limit = p->fast_limit};
    FastLine line = {0};
    line.token = read_statement(&f, head, &line.list);
    line.at = f.at;
    line.end = f.end;
    line.tokens = f.tokens;
    return line;
}

/* Reads the line that begins with the word 'first', and the keyword 'head' if that is not
 * 0, and passes over it; tokens is what it takes beside its own. Returns false when it
 * did nothing. */
static bool
read_line(Parser *p, Loc first, int head, int64_t tokens, FastLine *line)
{
    Unit *u = p->u;
    ArenaMark mark = arena_mark(&u->tree);
    int64_t tree = u->tree.used;
    int64_t used = u->arena.used;
    bool known = shape_read(p, first.begin, line);
    if (!known) {
        *line = read_text(p, first, head);
    }
    if (!line->token || !count_work(p, tokens + line->tokens)) {
        arena_rewind(&u->tree, mark);
        u->tree.used = tree;
        u->arena.used = used;
        return false;
    }
    if (!known) {
        shape_learn(p, first.begin, line, mark);
    }
    if (line->token == LINE) {
        ast_statement(p, line->list.first);
    }
    note_line(p, line, first, head);
    p->scanned = p->line_begin = skip_comment(p, line->at) + 1;
    return true;
}

/* Returns whether the next line is as far in as the present block, by blanks alone, and
 * begins with a word that begins no block; *at is the word, *head its keyword or 0.
 * Nothing is to be done between the lines then: no comment before it counts. */
static bool
goes_on(Parser *p, Loc *at, int *head)
{
    const Block *block = &p->levels.p[p->levels.n - 1];
    const char *s = p->text;
    uint32_t i = p->scanned;
    bool plain = block->column == block->narrow && p->comments.n == 0 &&
                 p->u->opt.severity.places.n == 0;
    if (!plain || i >= p->fast_limit) {
        return false;
    }
    while (s[i] == ' ') {
        i++;
    }
    if (i - p->scanned != block->column || classes[(unsigned char)s[i]] != C_WORD) {
        return false;
    }
    *at = (Loc){i, word_end(s, i)};
    *head = statement_keyword(p, *at);
    return *head == 0 || *head == RETURN;
}

/* Reads the statements on the lines after one, as many as can be read so, and adds them
 * to it. */
static void
read_more(Parser *p, FastLine *line)
{
    enum {
        MAX_LINES = 64 /* parts of a program end between tokens */
    };
    Loc first;
    int head;
    FastLine next;
    for (int i = 1; i < MAX_LINES && goes_on(p, &first, &head); i++) {
        /* the line is a token, too */
        if (!read_line(p, first, head, 1, &next)) {
            return;
        }
        line->list = list_join(line->list, next.list);
        line->end = next.end;
    }
}

int
fast_line(Parser *p, Loc first, TIK_YYSTYPE *value, Loc *at)
{
    FastLine line;
    p->fast_at = first;
    p->fast_work = 0;
    if (!read_line(p, first, statement_keyword(p, first), 0, &line)) {
        return 0;
    }
    p->at_line_start = true;
    if (line.token == LINE) {
        read_more(p, &line);
    }
    *at = (Loc){first.begin, line.end};
    if (line.token == IF_LINE) {
        value->node = line.list.first;
    } else {
        value->list = line.list;
    }
    return line.token;
}
