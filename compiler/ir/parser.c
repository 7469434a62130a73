/* parser.c: reads the text form of a kernel (printer.c describes it, docs/ir.md is the reference).
 * A recursive descent over the characters, driven by op_table and form_params for instructions.
 *
 * What it accepts satisfies every invariant of verify.c; what does not is a `syntax` diagnostic at
 * its place in the text. The first fault ends the reading. Blocks and expressions nest at most
 * IR_MAX_NEST deep (`too-nested`). Statements get the span of their text. */
#include "ir/ir.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_NEST = IR_MAX_NEST,
    MAX_NUMBER = 64
};

/* The things of one kind that are visible, by the symbol of their full name (NAME or NAME.n). */
typedef struct NameTable {
    uint32_t *id;
    uint32_t cap;
    VEC(Sym) order; /* as they became visible; leaving a block takes the last ones off */
} NameTable;

typedef struct Parser {
    Unit *u;
    Kernel *k;
    Arena scratch;
    const char *text;
    uint32_t pos;
    uint32_t file;
    int depth;
    int loops; /* enclosing loops that a break could leave */
    bool in_multicore;
    NameTable bufs, regs, vars;
} Parser;

/* ---- tokens --------------------------------------------------------------------------------------- */

static bool
fail_at(const Parser *p, uint32_t begin, DiagId id, const char *text)
{
    uint32_t end = p->pos > begin ? p->pos : begin + (p->text[begin] != 0);
    diag_add(p->u, id, (Span){p->file, begin, end}, 0, "%s", text);
    return false;
}

static bool
fail(const Parser *p, uint32_t begin, const char *text)
{
    return fail_at(p, begin, D_SYNTAX, text);
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool
is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

/* The next character that is neither space nor comment; 0 at the end. */
static char
peek(Parser *p)
{
    for (;;) {
        char c = p->text[p->pos];
        if (c == '#') {
            while (p->text[p->pos] && p->text[p->pos] != '\n') {
                p->pos++;
            }
        } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            p->pos++;
        } else {
            return c;
        }
    }
}

static bool
accept(Parser *p, const char *token)
{
    peek(p);
    size_t n = strlen(token);
    if (strncmp(p->text + p->pos, token, n) != 0 ||
        (is_word(token[n - 1]) && is_word(p->text[p->pos + n]))) {
        return false;
    }
    p->pos += (uint32_t)n;
    return true;
}

static bool MUST_USE
expect(Parser *p, const char *token)
{
    if (accept(p, token)) {
        return true;
    }
    return fail(p, p->pos, arena_printf(&p->scratch, "expected '%s'", token));
}

/* A word of name characters, and of the others given. */
static bool MUST_USE
word(Parser *p, const char *others, const char *what, const char **out)
{
    peek(p);
    uint32_t begin = p->pos;
    while (is_word(p->text[p->pos]) ||
           (p->text[p->pos] && strchr(others, p->text[p->pos]))) {
        p->pos++;
    }
    *out = arena_strndup(&p->scratch, p->text + begin, p->pos - begin);
    if (p->pos == begin || is_digit((*out)[0])) {
        return fail(p, begin, arena_printf(&p->scratch, "expected %s", what));
    }
    return true;
}

static bool MUST_USE
dtype_word(Parser *p, Dtype *out)
{
    const char *w;
    peek(p);
    uint32_t begin = p->pos;
    TRY(word(p, "", "a dtype", &w));
    *out = dtype_find(w);
    if (*out == DT_NONE) {
        return fail(p, begin, arena_printf(&p->scratch, "'%s' is not a dtype", w));
    }
    return true;
}

static bool MUST_USE
natural(Parser *p, int64_t lo, int64_t hi, int64_t *out)
{
    peek(p);
    uint32_t begin = p->pos;
    int64_t v = 0;
    bool fits = true;
    while (is_digit(p->text[p->pos])) {
        fits =
            fits && checked_mul(v, 10, &v) && checked_add(v, p->text[p->pos] - '0', &v);
        p->pos++;
    }
    if (p->pos == begin || !fits || v < lo || v > hi) {
        return fail(p, begin,
                    arena_printf(&p->scratch, "expected a number from %lld to %lld",
                                 (long long)lo, (long long)hi));
    }
    *out = v;
    return true;
}

/* ---- names ------------------------------------------------------------------------------------------ */

/* NAME or NAME.n behind its sigil; base gets NAME, full the symbol of all of it. */
static bool MUST_USE
sigil_name(Parser *p, const char *sigil, Sym *base, Sym *full)
{
    const char *w;
    TRY(expect(p, sigil));
    uint32_t begin = p->pos;
    if (!is_word(p->text[begin])) {
        return fail(p, begin, "expected a name");
    }
    TRY(word(p, "", "a name", &w));
    *base = intern(&p->u->names, w);
    if (p->text[p->pos] == '.' && is_digit(p->text[p->pos + 1])) {
        p->pos++;
        while (is_digit(p->text[p->pos])) {
            p->pos++;
        }
    }
    *full = intern_n(&p->u->names, p->text + begin, p->pos - begin);
    return true;
}

static uint32_t
find_name(const NameTable *t, Sym s)
{
    return s < t->cap ? t->id[s] : 0;
}

static bool MUST_USE
declare_name(Parser *p, NameTable *t, Sym s, uint32_t id)
{
    if (find_name(t, s)) {
        const char *text = sym_text(&p->u->names, s);
        return fail(p, p->pos - (uint32_t)strlen(text),
                    arena_printf(&p->scratch, "'%s' is declared already", text));
    }
    if (s >= t->cap) {
        uint32_t cap = MAX(s + 1, t->cap * 2);
        uint32_t *grown = ARENA_ARRAY(&p->scratch, uint32_t, cap);
        if (t->cap) {
            memcpy(grown, t->id, t->cap * sizeof *grown);
        }
        t->id = grown;
        t->cap = cap;
    }
    t->id[s] = id;
    VEC_PUSH(&p->scratch, &t->order, s);
    return true;
}

static void
forget_names(NameTable *t, uint32_t keep)
{
    while (t->order.n > keep) {
        t->id[t->order.p[--t->order.n]] = 0;
    }
}

static bool MUST_USE
use_name(Parser *p, const NameTable *t, const char *sigil, uint32_t *id)
{
    Sym base, full;
    peek(p);
    uint32_t begin = p->pos;
    TRY(sigil_name(p, sigil, &base, &full));
    *id = find_name(t, full);
    if (!*id) {
        return fail(p, begin,
                    arena_printf(&p->scratch, "'%s%s' is not declared here", sigil,
                                 sym_text(&p->u->names, full)));
    }
    return true;
}

/* ---- expressions --------------------------------------------------------------------------------------- */

static bool MUST_USE expr(Parser *p, Dtype expected, ExprId *out);

static bool
at_number(const Parser *p)
{
    const char *s = p->text + p->pos;
    s += *s == '-';
    return is_digit(*s) || (strncmp(s, "inf", 3) == 0 && !is_word(s[3])) ||
           strncmp(s, "nan(", 4) == 0;
}

/* The characters of a number; a sign inside only behind the e of a decimal exponent. */
static const char *
number_text(Parser *p)
{
    uint32_t begin = p->pos;
    const char *s = p->text;
    p->pos += s[p->pos] == '-';
    bool nan = strncmp(s + p->pos, "nan(", 4) == 0;
    bool hex = s[p->pos] == '0' && (s[p->pos + 1] == 'x' || s[p->pos + 1] == 'X');
    while (is_word(s[p->pos]) || s[p->pos] == '.' || (nan && s[p->pos] == '(') ||
           ((s[p->pos] == '+' || s[p->pos] == '-') && !hex && s[p->pos - 1] == 'e')) {
        p->pos++;
    }
    p->pos += nan && s[p->pos] == ')';
    return arena_strndup(&p->scratch, s + begin, p->pos - begin);
}

static bool
float_value(Dtype t, const char *s, int64_t *out)
{
    char *end;
    if (strncmp(s, "nan(", 4) == 0) {
        errno = 0;
        *out = (int64_t)strtoull(s + 4, &end, 16);
        return errno == 0 && strcmp(end, ")") == 0 && scalar_wrap(t, *out) == *out &&
               isnan(scalar_to_double(t, *out));
    }
    *out = scalar_from_double(t, strtod(s, &end));
    return *end == 0;
}

static bool
int_value(Dtype t, const char *s, int64_t *out)
{
    char *end;
    bool negative = *s == '-';
    errno = 0;
    int base = strncmp(s + negative, "0x", 2) == 0 ? 16 : 10;
    if (t == DT_U64) {
        *out = (int64_t)strtoull(s, &end, base);
        return !negative && errno == 0 && *end == 0;
    }
    *out = strtoll(s, &end, base);
    return errno == 0 && *end == 0 && scalar_wrap(t, *out) == *out;
}

static bool MUST_USE
constant(Parser *p, Dtype t, bool typed, ExprId *out)
{
    uint32_t begin = p->pos;
    const char *s = number_text(p);
    if (typed && p->text[p->pos] == ':') {
        p->pos++;
        TRY(dtype_word(p, &t));
    }
    if (t == DT_NONE) {
        return fail(p, begin, "a constant needs its dtype here, as in 5:int32");
    }
    int64_t v = 0;
    if (!(dtype_is_float(t) ? float_value(t, s, &v) : int_value(t, s, &v))) {
        return fail(
            p, begin,
            arena_printf(&p->scratch, "'%s' is not a value of %s", s, dtype_name(t)));
    }
    *out = ir_const(p->k, t, v);
    return true;
}

static Dtype
type_of(const Parser *p, ExprId e)
{
    return (Dtype)ir_expr(p->k, e)->dtype;
}

static bool
is_bit_op(ScalarOp op)
{
    return op >= SOP_SHL && op <= SOP_NOT;
}

/* The two-operand operation whose symbol comes next; the longest that fits. */
static bool
binary_symbol(Parser *p, ScalarOp *out)
{
    size_t best = 0;
    peek(p);
    for (int i = 0; i < SOP_COUNT; i++) {
        const ScalarOpInfo *op = &scalar_op_table[i];
        size_t n = strlen(op->symbol);
        if (op->arity == 2 && n > best && strncmp(p->text + p->pos, op->symbol, n) == 0) {
            best = n;
            *out = (ScalarOp)i;
        }
    }
    p->pos += (uint32_t)best;
    return best != 0;
}

static bool MUST_USE
unary(Parser *p, Dtype expected, ExprId *out)
{
    uint32_t begin = p->pos;
    ScalarOp op = p->text[p->pos++] == '~' ? SOP_NOT : SOP_NEG;
    ExprId a;
    TRY(expr(p, expected, &a));
    if (is_bit_op(op) && dtype_is_float(type_of(p, a))) {
        return fail(p, begin, "bit operations take integers");
    }
    *out = ir_op1(p->k, op, a);
    return expect(p, ")");
}

/* Behind an opening bracket: -a, ~a, a op b or a alone, and the closing bracket. */
static bool MUST_USE
group(Parser *p, Dtype expected, ExprId *out)
{
    ExprId a, b;
    ScalarOp op;
    char c = peek(p);
    if (c == '~' || (c == '-' && !at_number(p))) {
        return unary(p, expected, out);
    }
    TRY(expr(p, expected, &a));
    if (accept(p, ")")) {
        *out = a;
        return true;
    }
    uint32_t begin = p->pos;
    if (!binary_symbol(p, &op)) {
        return fail(p, begin, "expected an operator or ')'");
    }
    TRY(expr(p, type_of(p, a), &b));
    if (type_of(p, a) != type_of(p, b)) {
        return fail(p, begin,
                    arena_printf(&p->scratch, "operands of %s and %s; write a conversion",
                                 dtype_name(type_of(p, a)), dtype_name(type_of(p, b))));
    }
    if (is_bit_op(op) && dtype_is_float(type_of(p, a))) {
        return fail(p, begin, "bit operations take integers");
    }
    *out = ir_op2(p->k, op, a, b);
    return expect(p, ")");
}

/* int64(a) or int64.bits(a) */
static bool MUST_USE
conversion(Parser *p, ExprId *out)
{
    Dtype t;
    ExprId a;
    uint32_t begin = p->pos;
    TRY(dtype_word(p, &t));
    bool bits = accept(p, ".bits");
    TRY(expect(p, "("));
    TRY(expr(p, DT_NONE, &a));
    if (bits && dtype_size(t) != dtype_size(type_of(p, a))) {
        return fail(p, begin, "bits of another width");
    }
    *out = bits ? ir_bits(p->k, t, a) : ir_cast(p->k, t, a);
    return expect(p, ")");
}

static bool MUST_USE
primary(Parser *p, Dtype expected, ExprId *out)
{
    uint32_t id;
    char c = peek(p);
    if (c == '$') {
        TRY(use_name(p, &p->regs, "$", &id));
        *out = ir_reg_value(p->k, id);
        return true;
    }
    if (c == '@') {
        TRY(use_name(p, &p->vars, "@", &id));
        *out = ir_var_value(p->k, id);
        return true;
    }
    if (at_number(p)) {
        return constant(p, expected, true, out);
    }
    if (c == '(') {
        p->pos++;
        return group(p, expected, out);
    }
    if (is_word(c)) {
        return conversion(p, out);
    }
    return fail(p, p->pos, "expected an expression");
}

static bool MUST_USE
expr(Parser *p, Dtype expected, ExprId *out)
{
    if (p->depth >= IR_MAX_NEST) {
        return fail_at(p, p->pos, D_TOO_NESTED, "the expression nests too deep");
    }
    p->depth++;
    bool ok = primary(p, expected, out);
    p->depth--;
    if (ok && p->k->expr_too_large) {
        return fail(p, p->pos, "the expression is too large");
    }
    return ok;
}

/* An expression that must have the type. */
static bool MUST_USE
typed_expr(Parser *p, Dtype t, ExprId *out)
{
    peek(p);
    uint32_t begin = p->pos;
    TRY(expr(p, t, out));
    if (type_of(p, *out) != t) {
        return fail(p, begin,
                    arena_printf(&p->scratch, "expected a value of %s, found %s",
                                 dtype_name(t), dtype_name(type_of(p, *out))));
    }
    return true;
}

static bool MUST_USE
integer_expr(Parser *p, Dtype expected, ExprId *out)
{
    peek(p);
    uint32_t begin = p->pos;
    TRY(expr(p, expected, out));
    if (dtype_is_float(type_of(p, *out)) || type_of(p, *out) == DT_BOOL) {
        return fail(p, begin, "expected an integer");
    }
    return true;
}

/* ---- operands -------------------------------------------------------------------------------------------- */

static bool MUST_USE
reference(Parser *p, Ref *out)
{
    TRY(use_name(p, &p->bufs, "%", &out->buf));
    TRY(expect(p, "+"));
    peek(p);
    if (at_number(p)) { /* what follows the colon is the dtype of the view */
        TRY(constant(p, DT_S64, false, &out->off));
    } else {
        TRY(typed_expr(p, DT_S64, &out->off));
    }
    TRY(expect(p, ":"));
    return dtype_word(p, &out->dtype);
}

static bool MUST_USE
mask(Parser *p, MaskArg *out)
{
    out->form = MASK_COUNT;
    if (accept(p, "counter(")) {
        out->form = MASK_COUNTER;
        TRY(integer_expr(p, DT_S64, &out->w[0]));
        return expect(p, ")");
    }
    if (!accept(p, "[")) {
        return integer_expr(p, DT_S64, &out->w[0]);
    }
    ExprId w[4];
    int n = 0;
    uint32_t begin = p->pos;
    do {
        TRY(integer_expr(p, DT_U64, &w[n++]));
    } while (n < 4 && accept(p, ","));
    if (n != 2 && n != 4) {
        return fail(p, begin, "a bitwise mask has 2 or 4 words");
    }
    out->form = n == 2 ? MASK_BITS : MASK_BITS4;
    for (int i = 0; i < n; i++) {
        out->w[i] = w[n - 1 - i];
    }
    return expect(p, "]");
}

static bool MUST_USE
operand(Parser *p, const ParamInfo *param, Dtype dst, Arg *out)
{
    uint32_t begin = p->pos;
    switch (param->role) {
    case ROLE_DST:
    case ROLE_SRC:
        out->kind = ARG_REF;
        return reference(p, &out->ref);
    case ROLE_MASK:
        out->kind = ARG_MASK;
        return mask(p, &out->mask);
    case ROLE_MASKMODE:
        return true;
    case ROLE_SCALAR:
        out->kind = ARG_EXPR;
        return expr(p, dst, &out->expr);
    case ROLE_ATTR:
        out->kind = ARG_EXPR;
        TRY(integer_expr(p, DT_S64, &out->expr));
        return ir_is_const(p->k, out->expr) || fail(p, begin, "expected a constant");
    case ROLE_REPEAT:
    case ROLE_INT:
        out->kind = ARG_EXPR;
        return integer_expr(p, DT_S64, &out->expr);
    }
    UNREACHABLE();
}

static bool MUST_USE
instruction(Parser *p, Op op, Stmt *s)
{
    int n;
    const ParamInfo *params = form_params(op_table[op].form, &n);
    Arg args[MAX_PARAMS];
    memset(args, 0, sizeof args);
    Dtype dst = DT_NONE;
    for (int i = 0; i < n; i++) {
        if (params[i].role != ROLE_MASKMODE) {
            TRY(expect(p, params[i].name));
            TRY(expect(p, "="));
            TRY(operand(p, &params[i], dst, &args[i]));
            dst = params[i].role == ROLE_DST ? args[i].ref.dtype : dst;
        }
    }
    s->kind = ST_INSTR;
    s->instr.op = op;
    s->instr.arg = ir_args(p->k, args, n);
    return true;
}

/* ---- statements -------------------------------------------------------------------------------------------- */

static bool MUST_USE body(Parser *p, StmtId owner, int slot);

static bool MUST_USE
shape(Parser *p, Buffer *b)
{
    TRY(expect(p, ":"));
    TRY(dtype_word(p, &b->dtype));
    TRY(expect(p, "["));
    uint32_t begin = p->pos;
    b->elems = 1;
    do {
        int64_t dim;
        TRY(natural(p, 1, INT64_MAX, &dim));
        VEC_PUSH(&p->scratch, &b->shape, dim);
        if (!checked_mul(b->elems, dim, &b->elems)) {
            return fail(p, begin, "the tensor has too many elements");
        }
    } while (accept(p, ","));
    if (!checked_mul(b->elems, dtype_size(b->dtype), &b->bytes) ||
        b->bytes > IR_MAX_BYTES) {
        return fail(p, begin, "the tensor has too many elements");
    }
    return expect(p, "]");
}

static bool MUST_USE
core_scope(Parser *p, Scope *out)
{
    for (int s = SC_GM + 1; s < SC_COUNT; s++) {
        if (accept(p, scope_name((Scope)s))) {
            *out = (Scope)s;
            return true;
        }
    }
    return fail(p, p->pos, "expected a memory of a core, such as UB");
}

static bool MUST_USE
alloc(Parser *p, Stmt *s)
{
    Buffer b = {.address = -1, .copies = 1};
    Sym full;
    int64_t v;
    peek(p);
    uint32_t begin = p->pos;
    TRY(sigil_name(p, "%", &b.name, &full));
    s->kind = ST_ALLOC;
    TRY(declare_name(p, &p->bufs, full, p->k->bufs.n));
    b.span = (Span){p->file, begin, p->pos};
    TRY(shape(p, &b));
    TRY(core_scope(p, &b.scope));
    if (accept(p, "copies=")) {
        TRY(natural(p, 1, IR_MAX_COPIES, &v));
        b.copies = (int)v;
    }
    if (accept(p, "at=")) {
        TRY(natural(p, 0, IR_MAX_BYTES, &b.address));
    }
    s->alloc.buf = ir_buffer(p->k, &b);
    return true;
}

static bool MUST_USE
set_or_load(Parser *p, Stmt *s)
{
    RegId reg;
    TRY(use_name(p, &p->regs, "$", &reg));
    TRY(expect(p, "="));
    Dtype t = p->k->regs.p[reg].dtype;
    if (!accept(p, "load")) {
        s->kind = ST_SET;
        s->set.reg = reg;
        return typed_expr(p, t, &s->set.value);
    }
    s->kind = ST_LOAD;
    s->load.reg = reg;
    peek(p);
    uint32_t begin = p->pos;
    TRY(reference(p, &s->load.ref));
    return s->load.ref.dtype == t || fail(p, begin, "the register has another dtype");
}

/* A multi-core loop: from 0 to block_num, not inside another. */
static bool MUST_USE
check_multicore(Parser *p, const Stmt *s, uint32_t begin)
{
    if (s->loop.block_num <= 1) {
        return true;
    }
    const Expr *first = ir_expr(p->k, s->loop.begin);
    const Expr *last = ir_expr(p->k, s->loop.end);
    if (first->kind != EX_CONST || first->imm != 0 || last->kind != EX_CONST ||
        last->imm != s->loop.block_num) {
        return fail(p, begin, "a loop with block_num runs from 0 to block_num");
    }
    if (p->in_multicore || s->loop.thread_num > 1) {
        return fail(p, begin,
                    "a loop with block_num has thread_num 1 and is in no other such");
    }
    return true;
}

static bool MUST_USE
for_head(Parser *p, Stmt *s, Sym *full)
{
    Sym base;
    Dtype t;
    int64_t v;
    peek(p);
    uint32_t begin = p->pos;
    TRY(sigil_name(p, "@", &base, full));
    TRY(expect(p, ":"));
    TRY(dtype_word(p, &t));
    if (dtype_is_float(t) || t == DT_BOOL) {
        return fail(p, begin, "a loop variable is an integer");
    }
    TRY(expect(p, "="));
    TRY(typed_expr(p, t, &s->loop.begin));
    TRY(expect(p, "to"));
    TRY(typed_expr(p, t, &s->loop.end));
    s->loop.var = ir_var(p->k, base, t);
    s->loop.block_num = 1;
    s->loop.thread_num = 1;
    if (accept(p, "block_num=")) {
        TRY(natural(p, 1, IR_MAX_BLOCKS, &v));
        s->loop.block_num = (int32_t)v;
    }
    if (accept(p, "thread_num=")) {
        TRY(natural(p, 1, IR_MAX_COPIES, &v));
        s->loop.thread_num = (int32_t)v;
    }
    return check_multicore(p, s, begin);
}

static bool MUST_USE
for_loop(Parser *p, Stmt *s, Cursor *at, uint32_t begin)
{
    Sym full;
    TRY(for_head(p, s, &full));
    s->kind = ST_FOR;
    s->span = (Span){p->file, begin, p->pos};
    bool multicore = s->loop.block_num > 1;
    uint32_t keep = p->vars.order.n;
    StmtId id = ir_append(p->k, at, s);
    TRY(declare_name(p, &p->vars, full, s->loop.var));
    int outer = p->loops;
    p->in_multicore = p->in_multicore || multicore;
    p->loops = multicore ? 0 : outer + 1;
    TRY(body(p, id, 0));
    p->loops = outer;
    p->in_multicore = p->in_multicore && !multicore;
    forget_names(&p->vars, keep);
    return true;
}

static bool MUST_USE
branch(Parser *p, Stmt *s, Cursor *at, uint32_t begin)
{
    TRY(typed_expr(p, DT_BOOL, &s->cond.cond));
    s->kind = ST_IF;
    s->span = (Span){p->file, begin, p->pos};
    StmtId id = ir_append(p->k, at, s);
    TRY(body(p, id, 0));
    if (accept(p, "else")) {
        TRY(body(p, id, 1));
    }
    return true;
}

static bool MUST_USE
jump(Parser *p, Stmt *s, StmtKind kind, uint32_t begin)
{
    s->kind = (uint8_t)kind;
    if (kind != ST_RETURN && !p->loops) {
        return fail(p, begin, "a jump out of an iteration stands in a loop of one core");
    }
    return true;
}

static bool MUST_USE
instruction_word(Parser *p, Stmt *s)
{
    const char *w;
    Op op;
    uint32_t begin = p->pos;
    TRY(word(p, "", "a statement", &w));
    if (!op_find(w, &op)) {
        return fail(p, begin, arena_printf(&p->scratch, "'%s' is not a statement", w));
    }
    return instruction(p, op, s);
}

/* A statement without a body. */
static bool MUST_USE
simple(Parser *p, Stmt *s, uint32_t begin)
{
    if (accept(p, "alloc")) {
        return alloc(p, s);
    }
    if (p->text[begin] == '$') {
        return set_or_load(p, s);
    }
    if (accept(p, "store")) {
        s->kind = ST_STORE;
        TRY(reference(p, &s->store.ref));
        TRY(expect(p, "="));
        return typed_expr(p, s->store.ref.dtype, &s->store.value);
    }
    if (accept(p, "break")) {
        return jump(p, s, ST_BREAK, begin);
    }
    if (accept(p, "continue")) {
        return jump(p, s, ST_CONTINUE, begin);
    }
    if (accept(p, "return")) {
        return jump(p, s, ST_RETURN, begin);
    }
    return instruction_word(p, s);
}

static bool MUST_USE
statement(Parser *p, Cursor *at)
{
    Stmt s = {0};
    peek(p);
    uint32_t begin = p->pos;
    if (accept(p, "for")) {
        return for_loop(p, &s, at, begin);
    }
    if (accept(p, "if")) {
        return branch(p, &s, at, begin);
    }
    if (accept(p, "scope")) {
        s.kind = ST_SCOPE;
        s.span = (Span){p->file, begin, p->pos};
        return body(p, ir_append(p->k, at, &s), 0);
    }
    TRY(simple(p, &s, begin));
    s.span = (Span){p->file, begin, p->pos};
    if (s.kind == ST_INSTR || s.kind == ST_LOAD || s.kind == ST_STORE) {
        s.proof = accept(p, "[proved]")    ? PROOF_PROVED
                  : accept(p, "[checked]") ? PROOF_RUNTIME
                                           : PROOF_NONE;
    }
    ir_append(p->k, at, &s);
    return true;
}

/* Statements up to a closing brace, which is taken. */
static bool MUST_USE
statements(Parser *p, StmtId owner, int slot)
{
    Cursor at = ir_cursor_body(owner, slot);
    uint32_t keep = p->bufs.order.n;
    while (!accept(p, "}")) {
        TRY(statement(p, &at));
    }
    forget_names(&p->bufs, keep);
    return true;
}

static bool MUST_USE
body(Parser *p, StmtId owner, int slot)
{
    TRY(expect(p, "{"));
    if (p->depth >= IR_MAX_NEST) {
        return fail_at(p, p->pos - 1, D_TOO_NESTED, "the blocks nest too deep");
    }
    p->depth++;
    TRY(statements(p, owner, slot));
    p->depth--;
    return true;
}

/* ---- the kernel ----------------------------------------------------------------------------------------------- */

static bool MUST_USE
parameter(Parser *p, BufRole role)
{
    Buffer b = {.scope = SC_GM, .role = role, .address = -1, .copies = 1};
    Sym full;
    peek(p);
    uint32_t begin = p->pos;
    TRY(sigil_name(p, "%", &b.name, &full));
    TRY(declare_name(p, &p->bufs, full, p->k->bufs.n));
    b.span = (Span){p->file, begin, p->pos};
    if (b.name != full) {
        return fail(p, begin, "names of global tensors are unique");
    }
    TRY(shape(p, &b));
    VEC_PUSH(&p->k->arena, &p->k->params, ir_buffer(p->k, &b));
    return true;
}

static bool MUST_USE
register_line(Parser *p)
{
    Sym base, full;
    Dtype t;
    peek(p);
    uint32_t begin = p->pos;
    TRY(sigil_name(p, "$", &base, &full));
    TRY(declare_name(p, &p->regs, full, p->k->regs.n));
    TRY(expect(p, ":"));
    TRY(dtype_word(p, &t));
    if (t == DT_BOOL) {
        return fail(p, begin, "a register is not bool");
    }
    ir_reg(p->k, base, t, (Span){p->file, begin, p->pos});
    return true;
}

static bool MUST_USE
peaks(Parser *p)
{
    for (int s = SC_GM + 1; s < SC_COUNT; s++) {
        if (accept(p, scope_name((Scope)s))) {
            TRY(expect(p, "="));
            TRY(natural(p, 0, IR_MAX_BYTES, &p->k->peak[s]));
        }
    }
    return true;
}

static bool MUST_USE
declarations(Parser *p)
{
    for (;;) {
        if (accept(p, "in")) {
            TRY(parameter(p, BUF_IN));
        } else if (accept(p, "out")) {
            TRY(parameter(p, BUF_OUT));
        } else if (accept(p, "workspace")) {
            TRY(parameter(p, BUF_WORKSPACE));
        } else if (accept(p, "reg")) {
            TRY(register_line(p));
        } else if (accept(p, "peak")) {
            TRY(peaks(p));
        } else {
            return true;
        }
    }
}

static bool MUST_USE
kernel_head(Parser *p)
{
    const char *w;
    TRY(expect(p, "kernel"));
    peek(p);
    uint32_t begin = p->pos;
    TRY(word(p, "", "the kernel's name", &w));
    p->k->name = intern(&p->u->names, w);
    p->k->span = (Span){p->file, begin, p->pos};
    TRY(expect(p, "soc="));
    begin = p->pos;
    TRY(word(p, "-", "a processor", &w));
    p->k->soc = soc_find(w);
    if (!p->k->soc) {
        return fail_at(p, begin, D_SOC_UNKNOWN,
                       arena_printf(&p->scratch, "there is no processor '%s'", w));
    }
    p->k->may_read_uninit = accept(p, "fill_scratch");
    p->k->blocks_ordered = accept(p, "ordered");
    return expect(p, "{");
}

static bool MUST_USE
kernel(Parser *p)
{
    TRY(kernel_head(p));
    TRY(declarations(p));
    TRY(statements(p, 0, 0));
    peek(p);
    return p->pos == p->u->sources.p[p->file].len ||
           fail(p, p->pos, "expected the end of the text");
}

Kernel *
ir_parse(Unit *u, uint32_t file)
{
    Parser p = {.u = u, .text = u->sources.p[file].text, .file = file};
    p.k = kernel_new(u);
    bool ok = kernel(&p);
    arena_free(&p.scratch);
    if (!ok) {
        kernel_free(p.k);
        return NULL;
    }
    return p.k;
}
