/* format_spec.c: implements format specs of f-strings and format(), the % operator and
 * str.format. */
#include "python/core.h"
#include "python/float_text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- format specs -------------------------------------------------------- */

typedef struct Spec {
    const char *fill; /* one character, which may have several bytes */
    size_t nfill;
    char align; /* < > ^ = or 0 */
    char sign;  /* + - space */
    bool alt;
    bool zeros; /* the width begins with 0; a text is then filled after its end */
    char group; /* , _ or 0 */
    int width;
    int precision; /* -1 if there is none */
    char type;
} Spec;

enum {
    MAX_WIDTH = 1 << 20
};

static size_t
char_bytes(const char *p, const char *end)
{
    size_t n = 1;
    while (p + n < end && ((unsigned char)p[n] & 0xc0) == 0x80) {
        n++;
    }
    return n;
}

enum {
    FIELD_STEPS = 12 /* cost of a field of a format */
};

static bool
take_count(const char **p, const char *end, int *out)
{
    int n = 0;
    while (*p < end && isdigit((unsigned char)**p)) {
        n = n * 10 + (*(*p)++ - '0');
        if (n > MAX_WIDTH) {
            return false;
        }
    }
    *out = n;
    return true;
}

static bool
parse_spec(const char *p, size_t n, Spec *s)
{
    const char *end = p + n;
    *s = (Spec){.fill = " ", .nfill = 1, .sign = '-', .precision = -1};
    size_t first = p < end ? char_bytes(p, end) : 0;
    if (p + first < end && strchr("<>^=", p[first])) {
        s->fill = p;
        s->nfill = first;
        s->align = p[first];
        p += first + 1;
    } else if (p < end && strchr("<>^=", *p)) {
        s->align = *p++;
    }
    if (p < end && strchr("+- ", *p)) {
        s->sign = *p++;
    }
    if (p < end && *p == '#') {
        s->alt = true;
        p++;
    }
    if (p < end && *p == '0') {
        if (!s->align) {
            s->align = '=';
            s->fill = "0";
            s->zeros = true;
        }
        p++;
    }
    TRY(take_count(&p, end, &s->width));
    if (p < end && (*p == ',' || *p == '_')) {
        s->group = *p++;
    }
    if (p < end && *p == '.') {
        p++;
        if (p == end || !isdigit((unsigned char)*p)) {
            return false;
        }
        TRY(take_count(&p, end, &s->precision));
    }
    if (p < end) {
        s->type = *p++;
    }
    return p == end;
}

static size_t
text_chars(const char *p, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        count += ((unsigned char)p[i] & 0xc0) != 0x80;
    }
    return count;
}

static void
put_fill(const Spec *s, size_t n, Text *out)
{
    for (size_t i = 0; i < n; i++) {
        if (s->nfill == 1) {
            text_putc(out, *s->fill);
        } else {
            text_putn(out, s->fill, s->nfill);
        }
    }
}

/* Puts head (sign, prefix) and body, filled up to the width. */
static void
put_padded(const Spec *s, const char *head, const char *body, size_t n, char align,
           Text *out)
{
    if (s->width == 0) {
        text_put(out, head);
        text_putn(out, body, n);
        return;
    }
    size_t have = strlen(head) + text_chars(body, n);
    size_t pad = (size_t)s->width > have ? (size_t)s->width - have : 0;
    if (s->align) {
        align = s->align;
    }
    size_t left = align == '>' ? pad : align == '^' ? pad / 2 : 0;
    put_fill(s, left, out);
    text_put(out, head);
    if (align == '=') {
        put_fill(s, pad, out);
    }
    text_putn(out, body, n);
    if (align == '<' || align == '^') {
        put_fill(s, pad - left, out);
    }
}

/* Returns the digits with a separator every step places, counted from the right of the
 * integer part. */
static const char *
grouped(Interp *in, const char *digits, char sep, int step)
{
    size_t whole = strspn(digits, "0123456789abcdefABCDEF");
    const char *e = strpbrk(digits, ".e");
    if (e && step == 3) {
        whole = (size_t)(e - digits);
    }
    Text t;
    text_init(&t, core_arena(in));
    core_owe(in, (int64_t)whole); /* the caller's next step checks the limit */
    for (size_t i = 0; i < whole; i++) {
        if (i && (whole - i) % (size_t)step == 0) {
            text_putc(&t, sep);
        }
        text_putc(&t, digits[i]);
    }
    text_put(&t, digits + whole);
    return t.p;
}

static bool
bad_spec(Interp *in, Value v, const char *spec, size_t n, Span span)
{
    py_raise(in, "ValueError", span, "format '%.*s' does not apply to '%s'",
             (int)MIN(n, 40), spec, val_type_name(v));
    return false;
}

static const char *
sign_text(bool negative, char sign)
{
    return negative ? "-" : sign == '+' ? "+" : sign == ' ' ? " " : "";
}

static void
format_int(Interp *in, Value v, const Spec *s, Text *out)
{
    char room[TEXT_ROOM];
    Text t;
    text_init_in(&t, core_arena(in), room, sizeof room);
    int base = s->type == 'x' || s->type == 'X' ? 16
               : s->type == 'o'                 ? 8
               : s->type == 'b'                 ? 2
                                                : 10;
    big_text(in, v, base, &t);
    bool negative = t.p[0] == '-';
    char *digits = t.p + negative;
    for (char *c = digits; s->type == 'X' && *c; c++) {
        *c = (char)toupper((unsigned char)*c);
    }
    char head[4];
    const char *sign = sign_text(negative, s->sign);
    size_t n = *sign != 0;
    head[0] = *sign;
    if (s->alt && base != 10) {
        head[n++] = '0';
        head[n++] = s->type;
    }
    head[n] = 0;
    const char *body =
        s->group ? grouped(in, digits, s->group, base == 10 ? 3 : 4) : digits;
    put_padded(s, head, body, strlen(body), '>', out);
}

static void
float_digits(double f, const Spec *s, Text *t)
{
    char type = s->type == '%' ? 'f' : s->type;
    if (!type && s->precision < 0) {
        format_double(f, t);
        return;
    }
    int precision = s->precision < 0 ? 6 : s->precision;
    switch (type ? type : 'g') {
    case 'e':
        if (!float_scientific(f, precision, t)) {
            text_printf(t, "%.*e", precision, f);
        }
        break;
    case 'E':
        text_printf(t, "%.*E", precision, f);
        break;
    case 'g':
    case 'n':
        text_printf(t, s->alt ? "%#.*g" : "%.*g", precision, f);
        break;
    case 'G':
        text_printf(t, "%.*G", precision, f);
        break;
    case 'F':
        text_printf(t, "%.*F", precision, f);
        break;
    default:
        if (!float_fixed(f, precision, t)) {
            text_printf(t, "%.*f", precision, f);
        }
        break;
    }
    if (!type && !strpbrk(t->p, ".en")) {
        text_put(t, ".0");
    }
}

enum {
    DIGITS_STEPS = 128 /* cost of the digits of a float, apart from their number */
};

static void
format_float(Interp *in, double f, const Spec *s, Text *out)
{
    char room[TEXT_ROOM];
    Text t;
    text_init_in(&t, core_arena(in), room, sizeof room);
    bool negative = signbit(f) && !isnan(f);
    int exponent = 0;
    (void)frexp(isfinite(f) ? f : 0, &exponent);
    core_owe(in, DIGITS_STEPS + 4 * abs(exponent) + 3 * (int64_t)MAX(s->precision, 0));
    float_digits(s->type == '%' ? fabs(f) * 100 : isnan(f) ? f : fabs(f), s, &t);
    if (isnan(f)) {
        t.n = 0;
        text_put(&t, s->type == 'E' || s->type == 'F' || s->type == 'G' ? "NAN" : "nan");
    }
    if (s->type == '%') {
        text_putc(&t, '%');
    }
    const char *body = s->group ? grouped(in, t.p, s->group, 3) : t.p;
    put_padded(s, sign_text(negative, s->sign), body, strlen(body), '>', out);
}

static size_t
first_chars(const char *p, size_t n, size_t chars)
{
    size_t i = 0;
    while (i < n && chars--) {
        i += char_bytes(p + i, p + n);
    }
    return i;
}

/* Formats the character with that code. */
static bool
char_spec(Interp *in, Value v, const Spec *s, Span span, Text *out)
{
    int64_t c = 0;
    if (s->precision >= 0 || s->sign != '-' || s->alt) {
        return false;
    }
    if (!val_as_int64(v, &c) || c < 0 || c > 0x10ffff) {
        py_raise(in, "OverflowError", span, "%%c arg not in range(0x110000)");
        return false;
    }
    char room[TEXT_ROOM];
    Text t;
    text_init_in(&t, core_arena(in), room, sizeof room);
    format_put_code(&t, (uint32_t)c);
    put_padded(s, "", t.p, t.n, '>', out);
    return true;
}

static bool
apply_spec(Interp *in, Value v, const Spec *s, Span span, Text *out)
{
    if (val_is_int(v) && s->type == 'c') {
        return char_spec(in, v, s, span, out);
    }
    if (val_is_int(v) && (!s->type || strchr("dxXobn", s->type)) &&
        !(v.kind == VAL_BOOL && !s->type)) {
        if (s->precision >= 0) {
            return false;
        }
        format_int(in, v, s, out);
        return true;
    }
    if (val_is_number(v) && (v.kind != VAL_BOOL || s->type) &&
        (!s->type || strchr("eEfFgGn%", s->type))) {
        double f = 0;
        TRY(number_double(in, v, span, &f));
        format_float(in, f, s, out);
        return true;
    }
    if (val_is_number(v) && v.kind != VAL_BOOL) {
        return false;
    }
    if ((s->type && s->type != 's') || (s->align == '=' && !s->zeros) || s->group) {
        return false;
    }
    char room[TEXT_ROOM];
    Text t;
    text_init_in(&t, core_arena(in), room, sizeof room);
    TRY(format_str(in, v, span, &t));
    size_t n = s->precision >= 0 ? first_chars(t.p, t.n, (size_t)s->precision) : t.n;
    Spec plain = *s;
    plain.align = s->zeros ? '<' : s->align;
    put_padded(&plain, "", t.p, n, '<', out);
    return true;
}

/* Charges the characters that fill a field, and the digits after a point. */
static bool
charge_fields(Interp *in, const Spec *s, Span span)
{
    double n = s->width + (double)MAX(s->precision, 0);
    return core_reserve(in, 2 * n * (double)MAX(s->nfill, 1), span) &&
           core_charge(in, 8 + (int64_t)n, span);
}

bool
format_spec(Interp *in, Value v, const char *spec, size_t n, Span span, Text *out)
{
    Spec s;
    Value text = v.kind == VAL_INSTANCE ? val_str_n(in, spec, n) : v;
    if (v.kind == VAL_INSTANCE &&
        attr_special(in, v, in->core->sym.format, CALL_ARGS(&text, 1, span), &text)) {
        return !val_failed(text) && format_str(in, text, span, out);
    }
    if (n == 0 || is_host(v)) {
        return format_str(in, v, span, out);
    }
    if (!parse_spec(spec, n, &s)) {
        return bad_spec(in, v, spec, n, span);
    }
    TRY(charge_fields(in, &s, span));
    if (apply_spec(in, v, &s, span, out)) {
        return true;
    }
    return in->exception.kind == VAL_NONE && !in->fatal ? bad_spec(in, v, spec, n, span)
                                                        : false;
}

/* ---- the % operator ------------------------------------------------------ */

typedef struct Percent {
    const char *p;
    const char *end;
    Value args;
    bool mapping;
    uint32_t next; /* index of the next argument */
    Span span;
} Percent;

static bool
percent_error(Interp *in, const Percent *c, const char *text)
{
    py_raise(in, "TypeError", c->span, "%s", text);
    return false;
}

static bool
percent_arg(Interp *in, Percent *c, Value *out)
{
    if (c->args.kind != VAL_TUPLE) {
        *out = c->args;
        return c->next++ == 0 ||
               percent_error(in, c, "not enough arguments for the format text");
    }
    if (c->next >= c->args.list->n) {
        return percent_error(in, c, "not enough arguments for the format text");
    }
    *out = c->args.list->p[c->next++];
    return true;
}

static bool
percent_key(Interp *in, Percent *c, Value *out)
{
    const char *close = memchr(c->p, ')', (size_t)(c->end - c->p));
    if (!close) {
        return percent_error(in, c, "a format key is not closed");
    }
    if (c->args.kind != VAL_DICT) {
        return percent_error(in, c, "a format with keys needs a dictionary");
    }
    Value key = val_str_n(in, c->p, (size_t)(close - c->p));
    c->p = close + 1;
    *out = index_get(in, c->args, key, c->span);
    return !val_failed(*out);
}

static bool
percent_number(Interp *in, Percent *c, int *out)
{
    Value v = val_none();
    if (c->p < c->end && *c->p == '*') {
        int64_t n = 0;
        c->p++;
        TRY(percent_arg(in, c, &v));
        if (!val_as_int64(v, &n) || n < -MAX_WIDTH || n > MAX_WIDTH) {
            return percent_error(in, c, "* takes an integer");
        }
        *out = (int)n;
        return true;
    }
    return take_count(&c->p, c->end, out) ||
           percent_error(in, c, "the width is too large");
}

static bool
percent_flags(Interp *in, Percent *c, Spec *s)
{
    bool zero = false;
    for (; c->p < c->end && strchr("-+ #0", *c->p); c->p++) {
        switch (*c->p) {
        case '-':
            s->align = '<';
            break;
        case '0':
            zero = true;
            break;
        case '#':
            s->alt = true;
            break;
        default:
            s->sign = s->sign == '+' ? '+' : *c->p;
            break;
        }
    }
    TRY(percent_number(in, c, &s->width));
    if (s->width < 0) {
        s->align = '<';
        s->width = -s->width;
    }
    if (c->p < c->end && *c->p == '.') {
        c->p++;
        TRY(percent_number(in, c, &s->precision));
        s->precision = MAX(s->precision, 0);
    }
    if (zero && !s->align) {
        s->align = '=';
        s->fill = "0";
    }
    return true;
}

static bool
percent_text(Interp *in, Percent *c, Spec *s, Value v, Text *out)
{
    if (s->type == 's' && v.kind == VAL_STR && s->width == 0 && s->precision < 0) {
        return core_put(in, out, v.str->p, v.str->len, c->span);
    }
    char room[TEXT_ROOM];
    Text t;
    text_init_in(&t, core_arena(in), room, sizeof room);
    if (s->type == 's') {
        TRY(format_str(in, v, c->span, &t));
    } else if (s->type == 'a') {
        TRY(format_ascii(in, v, c->span, &t));
    } else {
        TRY(format_repr(in, v, c->span, &t));
    }
    if (s->align == '=') {
        s->align = 0;
        s->fill = " ";
    }
    size_t n = s->precision >= 0 ? first_chars(t.p, t.n, (size_t)s->precision) : t.n;
    put_padded(s, "", t.p, n, '>', out);
    return true;
}

static bool
percent_char(Interp *in, Percent *c, Spec *s, Value v, Text *out)
{
    if (v.kind == VAL_STR && str_count(v) == 1) {
        put_padded(s, "", v.str->p, v.str->len, '>', out);
        return true;
    }
    if (v.kind == VAL_INT && v.i >= 0 && v.i <= 0x10ffff) {
        char room[TEXT_ROOM];
        Text t;
        text_init_in(&t, core_arena(in), room, sizeof room);
        format_put_code(&t, (uint32_t)v.i);
        put_padded(s, "", t.p, t.n, '>', out);
        return true;
    }
    return percent_error(in, c, "%c takes a character");
}

static bool
percent_convert(Interp *in, Percent *c, Spec *s, Value v, Text *out)
{
    double f = 0;
    if (is_host(v)) {
        return format_repr(in, v, c->span, out);
    }
    switch (s->type) {
    case 's':
    case 'r':
    case 'a':
        return percent_text(in, c, s, v, out);
    case 'd':
    case 'i':
    case 'u':
        s->type = 'd';
        if (v.kind == VAL_FLOAT) {
            v = val_double_int(in, v.f, c->span);
            if (val_failed(v)) {
                return false;
            }
        }
        /* fall through */
    case 'x':
    case 'X':
    case 'o':
        if (!val_is_int(v)) {
            py_raise(in, "TypeError", c->span, "%%%c takes a number, not '%s'", s->type,
                     val_type_name(v));
            return false;
        }
        s->precision = -1;
        format_int(in, v, s, out);
        return true;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        if (!val_is_number(v)) {
            py_raise(in, "TypeError", c->span, "%%%c takes a number, not '%s'", s->type,
                     val_type_name(v));
            return false;
        }
        TRY(number_double(in, v, c->span, &f));
        format_float(in, f, s, out);
        return true;
    case 'c':
        return percent_char(in, c, s, v, out);
    default:
        py_raise(in, "ValueError", c->span, "'%c' is not a format conversion", s->type);
        return false;
    }
}

static bool
percent_one(Interp *in, Percent *c, Text *out)
{
    Spec s = {.fill = " ", .nfill = 1, .sign = '-', .precision = -1};
    Value v = val_fail();
    core_owe(in, FIELD_STEPS);
    if (c->p < c->end && *c->p == '(') {
        c->p++;
        c->mapping = true;
        TRY(percent_key(in, c, &v));
    }
    TRY(percent_flags(in, c, &s));
    if (c->p == c->end) {
        py_raise(in, "ValueError", c->span,
                 "the format text ends in the middle of a conversion");
        return false;
    }
    s.type = *c->p++;
    if (!strchr("diouxXeEfFgGcrsa%", s.type) || !s.type) {
        py_raise(in, "ValueError", c->span, "'%c' is not a format conversion",
                 s.type ? s.type : '0');
        return false;
    }
    if (s.type == '%') {
        text_putc(out, '%');
        return true;
    }
    if (val_failed(v)) {
        TRY(percent_arg(in, c, &v));
    }
    TRY(charge_fields(in, &s, c->span));
    return percent_convert(in, c, &s, v, out);
}

Value
format_percent(Interp *in, Value fmt, Value args, Span span)
{
    Percent c = {fmt.str->p, fmt.str->p + fmt.str->len, args, false, 0, span};
    char room[TEXT_ROOM];
    Text t;
    text_init_in(&t, core_arena(in), room, sizeof room);
    while (c.p < c.end) {
        const char *hit = memchr(c.p, '%', (size_t)(c.end - c.p));
        size_t n = (size_t)((hit ? hit : c.end) - c.p);
        if (!core_put(in, &t, c.p, n, span)) {
            return val_fail();
        }
        c.p += n;
        if (hit) {
            c.p++;
            if (!percent_one(in, &c, &t)) {
                return val_fail();
            }
        }
    }
    bool rest = args.kind == VAL_TUPLE
                    ? c.next < args.list->n
                    : c.next == 0 && !c.mapping && args.kind != VAL_DICT;
    if (rest) {
        return py_raise(in, "TypeError", span,
                        "not all arguments are used by the format text");
    }
    return val_text(in, &t);
}

/* ---- str.format ---------------------------------------------------------- */

typedef struct Braces {
    const char *p;
    const char *end;
    const CallArgs *args;
    int next; /* number of the next automatic field; -1 if the fields are numbered */
    int depth;
    Value map; /* format_map: the mapping in which names are found; else VAL_FAIL */
} Braces;

#define MIXED_FIELDS "fields with and without numbers cannot be mixed"

static Value
braces_error(Interp *in, const Braces *b, const char *text)
{
    return py_raise(in, "ValueError", b->args->span, "%s", text);
}

static Value
braces_root(Interp *in, Braces *b, const char *p, size_t n)
{
    int index = 0;
    if (n == 0) {
        if (b->next < 0) {
            return braces_error(in, b, MIXED_FIELDS);
        }
        index = b->next++;
    } else if (isdigit((unsigned char)*p)) {
        const char *q = p;
        if (!take_count(&q, p + n, &index) || q != p + n) {
            return braces_error(in, b, "a format field has a bad number");
        }
        if (b->next > 0) {
            return braces_error(in, b, MIXED_FIELDS);
        }
        b->next = -1;
    } else {
        if (!val_failed(b->map)) {
            return index_get(in, b->map, val_str_n(in, p, n), b->args->span);
        }
        Sym name = intern_n(&in->u->names, p, n);
        core_owe(in, b->args->nkw / 4);
        Value v = builtin_keyword(b->args, name);
        if (val_failed(v)) {
            return py_raise(in, "KeyError", b->args->span, "the format text names '%.*s'",
                            (int)MIN(n, 60), p);
        }
        return v;
    }
    if (index >= b->args->npos) {
        return py_raise(in, "IndexError", b->args->span,
                        "the format text uses argument %d, counted from 0; %d given",
                        index, b->args->npos);
    }
    return b->args->pos[index];
}

/* Reads name(.attr | [key])*. */
static Value
braces_field(Interp *in, Braces *b, const char *p, const char *end)
{
    const char *q = p;
    while (q < end && *q != '.' && *q != '[') {
        q++;
    }
    Value v = braces_root(in, b, p, (size_t)(q - p));
    while (!val_failed(v) && q < end) {
        const char *s = q + 1;
        if (*q == '.') {
            for (q = s; q < end && *q != '.' && *q != '['; q++) {
            }
            core_owe(in, FIELD_STEPS); /* the caller's next step checks the limit */
            v = attr_get(in, v, intern_n(&in->u->names, s, (size_t)(q - s)),
                         b->args->span);
            continue;
        }
        q = memchr(s, ']', (size_t)(end - s));
        if (*(s - 1) != '[' || !q) {
            return braces_error(in, b, "a format field is malformed");
        }
        int i = 0;
        const char *d = s;
        bool number = take_count(&d, q, &i) && d == q && q > s;
        Value key = number ? val_int(i) : val_str_n(in, s, (size_t)(q - s));
        v = index_get(in, v, key, b->args->span);
        q++;
    }
    return v;
}

static bool braces_run(Interp *in, Braces *b, Text *out);

static bool
braces_one(Interp *in, Braces *b, const char *end, Text *out)
{
    const char *q = b->p;
    int bracket = 0;
    core_owe(in, FIELD_STEPS);
    while (q < end && (bracket || (*q != ':' && *q != '!'))) {
        bracket += (*q == '[') - (*q == ']');
        q++;
    }
    Value v = braces_field(in, b, b->p, q);
    if (val_failed(v)) {
        return false;
    }
    if (q < end && *q == '!') {
        bool known = q + 1 < end && strchr("rsa", q[1]) && q[1];
        if (!known || (q + 2 < end && q[2] != ':')) {
            braces_error(in, b, "! is followed by r, s or a");
            return false;
        }
        char room[TEXT_ROOM];
        Text t;
        text_init_in(&t, core_arena(in), room, sizeof room);
        TRY(q[1] == 's'   ? format_str(in, v, b->args->span, &t)
            : q[1] == 'a' ? format_ascii(in, v, b->args->span, &t)
                          : format_repr(in, v, b->args->span, &t));
        v = val_text(in, &t);
        q += 2;
    }
    const char *spec = q < end && *q == ':' ? q + 1 : end;
    char room[TEXT_ROOM];
    Text t;
    text_init_in(&t, core_arena(in), room, sizeof room);
    Braces inner = {spec, end, b->args, b->next, b->depth + 1, b->map};
    if (b->depth == 0) {
        TRY(braces_run(in, &inner, &t));
        b->next = inner.next;
    }
    return format_spec(in, v, t.p, t.n, b->args->span, out);
}

static bool
braces_run(Interp *in, Braces *b, Text *out)
{
    while (b->p < b->end) {
        const char *plain = b->p;
        while (b->p < b->end && *b->p != '{' && *b->p != '}') {
            b->p++;
        }
        TRY(core_put(in, out, plain, (size_t)(b->p - plain), b->args->span));
        if (b->p == b->end) {
            return true;
        }
        char c = *b->p++;
        if (b->p < b->end && *b->p == c && b->depth == 0) {
            text_putc(out, c);
            b->p++;
            continue;
        }
        const char *close = b->p;
        for (int depth = 1; close < b->end; close++) {
            depth += (*close == '{') - (*close == '}');
            if (depth == 0) {
                break;
            }
        }
        if (c == '}' || close == b->end) {
            braces_error(in, b, "the format text has a single brace");
            return false;
        }
        TRY(braces_one(in, b, close, out));
        b->p = close + 1;
    }
    return true;
}

Value
format_braces(Interp *in, Value fmt, const CallArgs *args, Value map)
{
    Braces b = {fmt.str->p, fmt.str->p + fmt.str->len, args, 0, 0, map};
    char room[TEXT_ROOM];
    Text t;
    text_init_in(&t, core_arena(in), room, sizeof room);
    return braces_run(in, &b, &t) ? val_text(in, &t) : val_fail();
}
