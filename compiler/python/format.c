/* format.c: makes texts of values: repr and str. Integers, strings and floats print
 * exactly as in Python; a float has the shortest digits that read back as the same
 * number. Format specs are in format_spec.c. */
#include "python/core.h"
#include "python/float_text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- floats -------------------------------------------------------------- */

static int
without_zeros(const char *digits, int n)
{
    while (n > 1 && digits[n - 1] == '0') {
        n--;
    }
    return n;
}

/* Finds the shortest digits d.ddd (as integer digits) and the decimal exponent; f must be
 * finite and positive. */
static int
shortest_digits(double f, char digits[20], int *exp10)
{
    char text[40];
    FloatDigits fast;
    if (float_shortest(f, &fast)) {
        memcpy(digits, fast.digit, (size_t)fast.n);
        *exp10 = fast.exp10;
        return without_zeros(digits, fast.n);
    }
    /* 15 digits that read back as f are the shortest, unless f is subnormal and has fewer
     * bits. */
    for (int p = f < DBL_MIN ? 1 : 15; p <= 17; p++) {
        snprintf(text, sizeof text, "%.*e", p - 1, f);
        if (p == 16 && strtod(text, NULL) != f) {
            /* The interval that rounds to f is lopsided at powers of two: the nearest 16
             * digits may miss it while their upper neighbour is inside. */
            char *last = strchr(text, 'e') - 1;
            if (*last != '9') {
                ++*last;
            }
        }
        if (p == 17 || strtod(text, NULL) == f) {
            break;
        }
    }
    int n = 0;
    const char *e = strchr(text, 'e');
    for (const char *c = text; c < e; c++) {
        if (*c != '.') {
            digits[n++] = *c;
        }
    }
    *exp10 = (int)strtol(e + 1, NULL, 10);
    return without_zeros(digits, n);
}

void
format_double(double f, Text *out)
{
    char d[20];
    int exp10 = 0;
    if (isnan(f)) {
        text_put(out, "nan");
        return;
    }
    if (signbit(f)) {
        text_putc(out, '-');
        f = -f;
    }
    if (isinf(f)) {
        text_put(out, "inf");
        return;
    }
    int n = f == 0 ? (d[0] = '0', 1) : shortest_digits(f, d, &exp10);
    if (exp10 < -4 || exp10 >= 16) {
        text_putc(out, d[0]);
        if (n > 1) {
            text_putc(out, '.');
            text_putn(out, d + 1, (size_t)n - 1);
        }
        text_printf(out, "e%c%02d", exp10 < 0 ? '-' : '+', abs(exp10));
        return;
    }
    if (exp10 < 0) {
        text_put(out, "0.");
        for (int i = -1; i > exp10; i--) {
            text_putc(out, '0');
        }
        text_putn(out, d, (size_t)n);
        return;
    }
    for (int i = 0; i <= exp10 || i < n; i++) {
        if (i == exp10 + 1) {
            text_putc(out, '.');
        }
        text_putc(out, i < n ? d[i] : '0');
    }
    if (n <= exp10 + 1) {
        text_put(out, ".0");
    }
}

/* ---- repr and str -------------------------------------------------------- */

/* Returns whether a character from U+0080 to U+00BF, whose second byte is given, is
 * invisible. */
static bool
hidden_latin(char second)
{
    unsigned char c = (unsigned char)second;
    return c <= 0xa0 || c == 0xad;
}

static void
put_hex(Text *out, unsigned char c)
{
    static const char digits[] = "0123456789abcdef";
    text_putn(out, (char[]){'\\', 'x', digits[c >> 4], digits[c & 15]}, 4);
}

static void
repr_str(const Str *s, Text *out)
{
    bool single = memchr(s->p, '\'', s->len) && !memchr(s->p, '"', s->len);
    char quote = single ? '"' : '\'';
    text_putc(out, quote);
    for (uint32_t i = 0; i < s->len; i++) {
        unsigned char c = (unsigned char)s->p[i];
        if (c == (unsigned char)quote || c == '\\') {
            text_putc(out, '\\');
            text_putc(out, (char)c);
        } else if (c == '\n' || c == '\t' || c == '\r') {
            text_put(out, c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r");
        } else if (c < 32 || c == 127) {
            put_hex(out, c);
        } else if (c == 0xc2 && i + 1 < s->len && hidden_latin(s->p[i + 1])) {
            put_hex(out, (unsigned char)s->p[++i]);
        } else {
            text_putc(out, (char)c);
        }
    }
    text_putc(out, quote);
}

/* A container that is being printed: inside, it prints as [...]. */
typedef struct ReprStep {
    struct ReprStep *outer;
    const void *container;
    int depth;
} ReprStep;

enum {
    REPR_DEPTH = 1000
};

static bool
is_inside(Interp *in, const void *container)
{
    for (const ReprStep *s = in->core->repr; s; s = s->outer) {
        if (s->container == container) {
            return true;
        }
    }
    return false;
}

static bool
repr_items(Interp *in, Value v, Span span, Text *out)
{
    const List *l = v.list;
    bool list = v.kind == VAL_LIST;
    if (l->cls) {
        text_put(out, l->cls->name);
    }
    text_putc(out, list ? '[' : '(');
    for (uint32_t i = 0; i < l->n; i++) {
        text_put(out, i ? ", " : "");
        if (l->cls && l->cls->fields && i < l->cls->fields->n) {
            core_owe(in, 4);
            text_put(out, l->cls->fields->p[i].str->p);
            text_putc(out, '=');
        }
        TRY(format_repr(in, l->p[i], span, out));
    }
    text_put(out, list ? "]" : l->n == 1 && !l->cls ? ",)" : ")");
    return true;
}

static bool
repr_set(Interp *in, Value v, Span span, Text *out)
{
    Value keys = set_order(in, v.dict, span);
    if (val_failed(keys)) {
        return false;
    }
    bool frozen = v.dict->frozen;
    text_put(out, frozen ? "frozenset(" : keys.list->n ? "" : "set(");
    text_put(out, keys.list->n ? "{" : "");
    for (uint32_t i = 0; i < keys.list->n; i++) {
        text_put(out, i ? ", " : "");
        TRY(format_repr(in, keys.list->p[i], span, out));
    }
    text_put(out, keys.list->n ? "}" : "");
    text_put(out, frozen || !keys.list->n ? ")" : "");
    return true;
}

static bool
repr_dict(Interp *in, Value v, Span span, Text *out)
{
    const Dict *d = v.dict;
    const char *sep = "";
    text_putc(out, '{');
    TRY(core_charge(in, d->n, span));
    for (uint32_t i = 0; i < d->n; i++) {
        if (val_failed(d->p[i].key)) {
            continue;
        }
        text_put(out, sep);
        sep = ", ";
        TRY(format_repr(in, d->p[i].key, span, out));
        text_put(out, ": ");
        TRY(format_repr(in, d->p[i].v, span, out));
    }
    text_putc(out, '}');
    return true;
}

static bool
repr_instance(Interp *in, Value v, Span span, Text *out)
{
    Value r = val_none();
    const ClassVal *c = v.inst->cls;
    if (c->user &&
        attr_special(in, v, in->core->sym.repr, CALL_ARGS(NULL, 0, span), &r)) {
        return !val_failed(r) && format_str(in, r, span, out);
    }
    if (c->is_enum) {
        text_printf(out, "<%s.%s: ", c->name,
                    attrs_get(&v.inst->attrs, in->core->sym.ename).str->p);
        TRY(format_repr(in, attrs_get(&v.inst->attrs, in->core->sym.value), span, out));
        text_putc(out, '>');
        return true;
    }
    if (c->exception) {
        text_put(out, c->name);
        Value args = v.inst->args;
        if (args.kind == VAL_TUPLE && args.list->n == 1) {
            text_putc(out, '(');
            TRY(format_repr(in, args.list->p[0], span, out));
            text_putc(out, ')');
            return true;
        }
        return format_repr(in, args, span, out);
    }
    text_printf(out, "<%s object>", c->name);
    return true;
}

static void
repr_callable(Value v, Text *out)
{
    switch (v.kind) {
    case VAL_FUNC:
        text_printf(out, "<function %s>", v.func->name);
        break;
    case VAL_BUILTIN:
        text_printf(out, "<built-in function %s>", v.builtin->name);
        break;
    case VAL_CLASS:
        text_printf(out, "<class '%s%s'>", v.klass->user ? "__main__." : "",
                    v.klass->name);
        break;
    case VAL_MODULE:
        text_printf(out, "<module '%s'>", v.module->name);
        break;
    default:
        text_printf(out, "<%s>", val_type_name(v));
        break;
    }
}

enum {
    FLOAT_STEPS = 192, /* cost of finding the shortest digits */
    INT_STEPS = 4,
    /* cost when there are fewer digits, since all numbers of them are tried */
    SUBNORMAL_STEPS = 1024
};

static void
repr_number(Interp *in, Value v, Text *out)
{
    switch (v.kind) {
    case VAL_BOOL:
        text_put(out, v.b ? "True" : "False");
        break;
    case VAL_INT:
    case VAL_BIG:
        core_owe(in, INT_STEPS);
        big_text(in, v, 10, out);
        break;
    default:
        core_owe(in, fabs(v.f) < DBL_MIN ? SUBNORMAL_STEPS : FLOAT_STEPS);
        format_double(v.f, out);
        break;
    }
}

static bool
repr_slice(Interp *in, Value v, Span span, Text *out)
{
    text_put(out, "slice(");
    TRY(format_repr(in, v.slice->start, span, out));
    text_put(out, ", ");
    TRY(format_repr(in, v.slice->stop, span, out));
    text_put(out, ", ");
    TRY(format_repr(in, v.slice->step, span, out));
    text_putc(out, ')');
    return true;
}

static bool
repr_object(Interp *in, Value v, Text *out)
{
    if (v.obj->cls->repr) {
        v.obj->cls->repr(in, v.obj, out);
    } else {
        text_printf(out, "<%s object>", val_type_name(v));
    }
    return true;
}

static bool
repr_container(Interp *in, Value v, Span span, Text *out)
{
    bool list = v.kind == VAL_LIST || v.kind == VAL_TUPLE;
    TRY(core_charge(in, 8 + (in->core->repr ? in->core->repr->depth : 0), span));
    if (is_inside(in, v.list)) {
        text_put(out, v.kind == VAL_LIST    ? "[...]"
                      : v.kind == VAL_TUPLE ? "(...)"
                                            : "{...}");
        return true;
    }
    int depth = in->core->repr ? in->core->repr->depth + 1 : 1;
    ReprStep step = {in->core->repr, v.list, depth};
    if (depth > REPR_DEPTH) {
        return core_deep(in, span);
    }
    in->core->repr = &step;
    bool ok = list                ? repr_items(in, v, span, out)
              : v.kind == VAL_SET ? repr_set(in, v, span, out)
                                  : repr_dict(in, v, span, out);
    in->core->repr = step.outer;
    return ok;
}

static void
repr_range(const RangeVal *r, Text *out)
{
    text_printf(out, "range(%lld, %lld", (long long)r->start, (long long)r->stop);
    if (r->step != 1) {
        text_printf(out, ", %lld", (long long)r->step);
    }
    text_putc(out, ')');
}

bool
format_repr(Interp *in, Value v, Span span, Text *out)
{
    Value r = val_none();
    if (!core_stack(in, span) || !core_step(in, span)) {
        return false;
    }
    switch ((ValueKind)v.kind) {
    case VAL_FAIL:
        return false;
    case VAL_NONE:
        text_put(out, "None");
        return true;
    case VAL_BOOL:
    case VAL_INT:
    case VAL_BIG:
    case VAL_FLOAT:
        repr_number(in, v, out);
        return true;
    case VAL_STR:
        TRY(core_charge(in, v.str->len, span) &&
            core_reserve(in, (double)v.str->len * 2, span));
        repr_str(v.str, out);
        return true;
    case VAL_TUPLE:
    case VAL_LIST:
    case VAL_DICT:
        if (attr_special(in, v, in->core->sym.repr, CALL_ARGS(NULL, 0, span), &r)) {
            return !val_failed(r) && format_str(in, r, span, out);
        }
        /* fall through */
    case VAL_SET:
        return repr_container(in, v, span, out);
    case VAL_RANGE:
        repr_range(v.range, out);
        return true;
    case VAL_SLICE:
        return repr_slice(in, v, span, out);
    case VAL_INSTANCE:
        return repr_instance(in, v, span, out);
    case VAL_OBJECT:
        return repr_object(in, v, out);
    case VAL_FUNC:
    case VAL_BUILTIN:
    case VAL_BOUND:
    case VAL_CLASS:
    case VAL_MODULE:
        repr_callable(v, out);
        return true;
    }
    return false;
}

bool
format_str(Interp *in, Value v, Span span, Text *out)
{
    Value r = val_none();
    if (v.kind == VAL_STR) {
        return core_put(in, out, v.str->p, v.str->len, span);
    }
    if (v.kind == VAL_DICT &&
        attr_special(in, v, in->core->sym.str, CALL_ARGS(NULL, 0, span), &r)) {
        return !val_failed(r) && core_stack(in, span) && format_str(in, r, span, out);
    }
    if (is_absent(v)) {
        return absent_used(in, v, "is made a text", span);
    }
    if (v.kind != VAL_INSTANCE) {
        return format_repr(in, v, span, out);
    }
    if (v.inst->cls->user &&
        attr_special(in, v, in->core->sym.str, CALL_ARGS(NULL, 0, span), &r)) {
        return !val_failed(r) && core_stack(in, span) && format_str(in, r, span, out);
    }
    if (v.inst->cls->is_enum) {
        text_printf(out, "%s.%s", v.inst->cls->name,
                    attrs_get(&v.inst->attrs, in->core->sym.ename).str->p);
        return true;
    }
    if (v.inst->cls->exception) {
        error_message(in, v, out);
        return in->exception.kind == VAL_NONE;
    }
    return format_repr(in, v, span, out);
}

const char *
val_repr(Interp *in, Value v)
{
    enum {
        LIMIT = 80
    };
    Text t;
    text_init(&t, core_arena(in));
    if (v.kind == VAL_STR && v.str->len > 2 * LIMIT) {
        v = val_str_n(in, v.str->p, 2 * LIMIT);
    }
    if (!format_repr(in, v, in->here, &t)) {
        return "?";
    }
    if (t.n > LIMIT) {
        memcpy(t.p + LIMIT - 3, "...", 4);
    }
    return t.p;
}

uint32_t
format_code(const char *p, int *bytes)
{
    static const unsigned char first[5] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    unsigned char c = (unsigned char)*p;
    *bytes = c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    uint32_t code = c & first[*bytes];
    for (int i = 1; i < *bytes; i++) {
        code = code << 6 | ((unsigned char)p[i] & 63);
    }
    return code;
}

void
format_put_code(Text *out, uint32_t c)
{
    static const unsigned char lead[5] = {0, 0, 0xc0, 0xe0, 0xf0};
    if (c < 0x80) {
        text_putc(out, (char)c);
        return;
    }
    int n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    text_putc(out, (char)(lead[n] | c >> (6 * (n - 1))));
    for (int i = n - 2; i >= 0; i--) {
        text_putc(out, (char)(0x80 | (c >> (6 * i) & 63)));
    }
}

bool
format_ascii(Interp *in, Value v, Span span, Text *out)
{
    char room[TEXT_ROOM];
    Text t;
    int n = 1;
    text_init_in(&t, core_arena(in), room, sizeof room);
    TRY(format_repr(in, v, span, &t) &&
        core_reserve(in, (double)t.n * 5, span)); /* two bytes become \\u1234 */
    for (size_t i = 0; i < t.n; i += (size_t)n) {
        uint32_t c = format_code(t.p + i, &n);
        if (c < 0x80) {
            text_putc(out, (char)c);
        } else {
            text_printf(out,
                        c < 0x100     ? "\\x%02x"
                        : c < 0x10000 ? "\\u%04x"
                                      : "\\U%08x",
                        c);
        }
    }
    return true;
}
