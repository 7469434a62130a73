/* reader_expr.c: reads expressions and operands of the IR's text form. See reader.h;
 * printer.c has the rules for the types of constants. */
#include "ir/reader.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- expressions --------------------------------------------------------- */

static bool MUST_USE expr(Reader *p, Dtype expected, ExprId *out);

static bool
at_number(const Reader *p)
{
    const char *s = p->text + p->pos;
    s += *s == '-';
    return is_digit(*s) || (strncmp(s, "inf", 3) == 0 && !is_word(s[3])) ||
           strncmp(s, "nan(", 4) == 0;
}

/* Reads the characters of a number; a sign inside it only follows the e of a decimal
 * exponent. */
static const char *
number_text(Reader *p)
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
constant(Reader *p, Dtype t, bool typed, ExprId *out)
{
    uint32_t begin = p->pos;
    const char *s = number_text(p);
    if (typed && p->text[p->pos] == ':') {
        p->pos++;
        TRY(reader_dtype_word(p, &t));
    }
    if (t == DT_NONE || t >= DT_PLAIN) {
        return reader_fail(p, begin, "a constant needs its dtype here, as in 5:int32");
    }
    int64_t v = 0;
    if (!(dtype_is_float(t) ? float_value(t, s, &v) : int_value(t, s, &v))) {
        return reader_fail(
            p, begin,
            arena_printf(&p->scratch, "'%s' is not a value of %s", s, dtype_name(t)));
    }
    *out = ir_const(p->k, t, v);
    return true;
}

static Dtype
type_of(const Reader *p, ExprId e)
{
    return (Dtype)ir_expr(p->k, e)->dtype;
}

static bool
is_bit_op(ScalarOp op)
{
    return op >= SOP_SHL && op <= SOP_NOT;
}

/* Reads the symbol of a two-operand operation; the longest one that fits. */
static bool
binary_symbol(Reader *p, ScalarOp *out)
{
    size_t best = 0;
    reader_peek(p);
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
unary(Reader *p, Dtype expected, ExprId *out)
{
    uint32_t begin = p->pos;
    ScalarOp op = p->text[p->pos] == '~' ? SOP_NOT : SOP_NEG;
    ExprId a;
    if (reader_accept(p, "sqrt")) {
        op = SOP_SQRT;
    } else if (p->text[p->pos] == 's') {
        return reader_fail(p, begin, "expected an operation");
    } else {
        p->pos++;
    }
    TRY(expr(p, expected, &a));
    if (is_bit_op(op) && dtype_is_float(type_of(p, a))) {
        return reader_fail(p, begin, "bit operations take integers");
    }
    *out = ir_op1(p->k, op, a);
    return reader_expect(p, ")");
}

/* Reads, after an opening bracket, -a, ~a, a op b or a alone, and the closing bracket. */
static bool MUST_USE
group(Reader *p, Dtype expected, ExprId *out)
{
    ExprId a, b;
    ScalarOp op;
    char c = reader_peek(p);
    if (c == '~' || (c == '-' && !at_number(p)) || c == 's') {
        return unary(p, expected, out);
    }
    TRY(expr(p, expected, &a));
    if (reader_accept(p, ")")) {
        *out = a;
        return true;
    }
    uint32_t begin = p->pos;
    if (!binary_symbol(p, &op)) {
        return reader_fail(p, begin, "expected an operator or ')'");
    }
    TRY(expr(p, type_of(p, a), &b));
    if (type_of(p, a) != type_of(p, b)) {
        return reader_fail(
            p, begin,
            arena_printf(&p->scratch, "operands of %s and %s; write a conversion",
                         dtype_name(type_of(p, a)), dtype_name(type_of(p, b))));
    }
    if (is_bit_op(op) && dtype_is_float(type_of(p, a))) {
        return reader_fail(p, begin, "bit operations take integers");
    }
    *out = ir_op2(p->k, op, a, b);
    return reader_expect(p, ")");
}

/* Reads int64(a) or int64.bits(a). */
static bool MUST_USE
conversion(Reader *p, ExprId *out)
{
    Dtype t;
    ExprId a;
    uint32_t begin = p->pos;
    TRY(reader_dtype_word(p, &t));
    bool bits = reader_accept(p, ".bits");
    TRY(reader_expect(p, "("));
    TRY(expr(p, DT_NONE, &a));
    if (bits && dtype_size(t) != dtype_size(type_of(p, a))) {
        return reader_fail(p, begin, "bits of another width");
    }
    *out = bits ? ir_bits(p->k, t, a) : ir_cast(p->k, t, a);
    return reader_expect(p, ")");
}

static bool MUST_USE
primary(Reader *p, Dtype expected, ExprId *out)
{
    uint32_t id;
    char c = reader_peek(p);
    if (c == '$') {
        TRY(reader_use_name(p, &p->regs, "$", &id));
        *out = ir_reg_value(p->k, id);
        return true;
    }
    if (c == '@') {
        TRY(reader_use_name(p, &p->vars, "@", &id));
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
    return reader_fail(p, p->pos, "expected an expression");
}

static bool MUST_USE
expr(Reader *p, Dtype expected, ExprId *out)
{
    if (p->depth >= IR_MAX_NEST) {
        return reader_fail_at(p, p->pos, D_TOO_NESTED, "the expression nests too deep");
    }
    p->depth++;
    bool ok = primary(p, expected, out);
    p->depth--;
    if (ok && p->k->expr_too_large) {
        return reader_fail(p, p->pos, "the expression is too large");
    }
    return ok;
}

/* Reads an expression that must have the type. */
bool MUST_USE
reader_typed_expr(Reader *p, Dtype t, ExprId *out)
{
    reader_peek(p);
    uint32_t begin = p->pos;
    TRY(expr(p, t, out));
    if (type_of(p, *out) != t) {
        return reader_fail(p, begin,
                           arena_printf(&p->scratch, "expected a value of %s, found %s",
                                        dtype_name(t), dtype_name(type_of(p, *out))));
    }
    return true;
}

/* Reads an integer of any type; a constant that names no type has the expected one. */
bool MUST_USE
reader_integer_expr(Reader *p, Dtype expected, ExprId *out)
{
    reader_peek(p);
    uint32_t begin = p->pos;
    TRY(expr(p, expected, out));
    if (dtype_is_float(type_of(p, *out)) || type_of(p, *out) == DT_BOOL) {
        return reader_fail(p, begin, "expected an integer");
    }
    return true;
}

/* ---- operands ------------------------------------------------------------ */

bool MUST_USE
reader_reference(Reader *p, Ref *out)
{
    TRY(reader_use_name(p, &p->bufs, "%", &out->buf));
    TRY(reader_expect(p, "+"));
    reader_peek(p);
    if (at_number(p)) { /* the dtype of the view follows the colon */
        TRY(constant(p, DT_S64, false, &out->off));
    } else {
        TRY(reader_typed_expr(p, DT_S64, &out->off));
    }
    TRY(reader_expect(p, ":"));
    return reader_operand_dtype(p, &out->dtype);
}

static bool MUST_USE
mask(Reader *p, Arg *out)
{
    out->mask_form = MASK_COUNT;
    if (reader_accept(p, "counter(")) {
        out->mask_form = MASK_COUNTER;
        TRY(reader_integer_expr(p, DT_S64, &out->mask[0]));
        return reader_expect(p, ")");
    }
    if (!reader_accept(p, "[")) {
        return reader_integer_expr(p, DT_S64, &out->mask[0]);
    }
    ExprId w[4];
    int n = 0;
    uint32_t begin = p->pos;
    do {
        TRY(reader_integer_expr(p, DT_U64, &w[n++]));
    } while (n < 4 && reader_accept(p, ","));
    if (n != 2 && n != 4) {
        return reader_fail(p, begin, "a bitwise mask has 2 or 4 words");
    }
    out->mask_form = n == 2 ? MASK_BITS : MASK_BITS4;
    for (int i = 0; i < n; i++) {
        out->mask[i] = w[n - 1 - i];
    }
    return reader_expect(p, "]");
}

bool MUST_USE
reader_operand(Reader *p, const ParamInfo *param, Dtype dst, Arg *out)
{
    uint32_t begin = p->pos;
    switch (param->role) {
    case ROLE_DST:
    case ROLE_SRC:
    case ROLE_ROOT:
        out->kind = ARG_REF;
        return reader_reference(p, &out->ref);
    case ROLE_MASK:
        out->kind = ARG_MASK;
        return mask(p, out);
    case ROLE_MASKMODE:
        return true;
    case ROLE_SCALAR:
        out->kind = ARG_EXPR;
        return expr(p, operand_type_dtype(param->of, dst), &out->expr);
    case ROLE_ATTR:
    case ROLE_PIPE:
        out->kind = ARG_EXPR;
        TRY(reader_integer_expr(p, DT_S64, &out->expr));
        return ir_is_const(p->k, out->expr) ||
               reader_fail(p, begin, "expected a constant");
    case ROLE_REPEAT:
    case ROLE_INT:
        out->kind = ARG_EXPR;
        return reader_integer_expr(p, DT_S64, &out->expr);
    }
    UNREACHABLE();
}
