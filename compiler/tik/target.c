/* target.c: the module _target, which only stdlib/ imports: facts of the processor that
 * is compiled for, from the tables of runtime/isa, and the few functions that cannot be
 * written in the language. */
#include "python/resolve.h"
#include "tik/compile_info.h"
#include "tik/target.h"
#include "tik/tik.h"

#include "num/scalar.h"

#include <math.h>
#include <string.h>

static Value
put_fact(Interp *in, Value dict, const char *key, Value v, Span span)
{
    return dict_put(in, dict.dict, val_str(in, key), v, span) ? dict : val_fail();
}

/* facts() returns a dictionary; sizes are in bytes. */
static Value
fn_facts(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    const Soc *s = in->u->soc;
    const struct {
        const char *key;
        Value v;
    } rows[] = {
        {"name", val_str(in, s->name)},
        {"family", val_str(in, s->family)},
        {"core_type", val_str(in, core_kind_name(s->core))},
        {"cores", val_int(s->cores)},
        {"cube_cores", val_int(s->cube_cores)},
        {"vector_cores", val_int(s->vector_cores)},
        {"ub", val_int(s->bytes[SC_UB])},
        {"l1", val_int(s->bytes[SC_L1])},
        {"l0a", val_int(s->bytes[SC_L0A])},
        {"l0b", val_int(s->bytes[SC_L0B])},
        {"l0c", val_int(s->bytes[SC_L0C])},
        {"l2", val_int(s->l2)},
        {"dynamic", val_bool(in->core->loader.dynamic)},
    };
    Value d = val_dict(in);
    for (size_t i = 0; i < ARRAY_LEN(rows) && !val_failed(d); i++) {
        d = put_fact(in, d, rows[i].key, rows[i].v, args->span);
    }
    return d;
}

static bool
is_text(Interp *in, const CallArgs *args, int i)
{
    if (args->pos[i].kind != VAL_STR) {
        py_raise(in, "TypeError", args->span, "a text is needed, not '%s'",
                 val_type_name(args->pos[i]));
        return false;
    }
    return true;
}

/* Reads a type in its short name, such as s32, and returns the text after it; null if
 * there is none. */
static const char *
short_type(const char *text, Dtype *t)
{
    static const struct {
        const char *word;
        Dtype t;
    } types[] = {{"bf16", DT_BF16}, {"f16", DT_F16}, {"f32", DT_F32}, {"s16", DT_S16},
                 {"s32", DT_S32},   {"s64", DT_S64}, {"s8", DT_S8},   {"u16", DT_U16},
                 {"u32", DT_U32},   {"u64", DT_U64}, {"u8", DT_U8}};
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        size_t n = strlen(types[i].word);
        if (strncmp(text, types[i].word, n) == 0) {
            *t = types[i].t;
            return text + n;
        }
    }
    return NULL;
}

/* A conversion such as f322s32r: two types, and the letter of a rounding mode. */
typedef struct PairQuestion {
    Dtype src, dst;
    RoundMode round;
} PairQuestion;

static bool
read_pair(const char *text, PairQuestion *q)
{
    static const char letters[] = {
        [ROUND_NEAREST] = 'r', [ROUND_FLOOR] = 'f', [ROUND_CEIL] = 'c',
        [ROUND_AWAY] = 'a',    [ROUND_ZERO] = 'z',  [ROUND_ODD] = 'o'};
    text = short_type(text, &q->src);
    if (!text || *text != '2' || (text = short_type(text + 1, &q->dst)) == NULL) {
        return false;
    }
    q->round = ROUND_NONE;
    for (int m = ROUND_NEAREST; *text && m < ROUND_COUNT; m++) {
        if (letters[m] == *text) {
            q->round = (RoundMode)m;
            return text[1] == 0;
        }
    }
    return *text == 0;
}

/* Returns whether the processor has the conversion as scalar_conv. That is no row of the
 * table; the processors that have it have all of it (tik/calls/scalar_instr.c). */
static bool
scalar_converts(const PairQuestion *q, const Soc *soc)
{
    bool near = q->round == ROUND_NONE;
    bool pair =
        q->src == DT_F32 && q->dst == DT_S32 ? !near && q->round != ROUND_ODD
        : q->src == DT_F32 && q->dst == DT_F16
            ? near || q->round == ROUND_ODD
            : near && ((q->dst == DT_F32 && (q->src == DT_S32 || q->src == DT_F16)) ||
                       (q->dst == DT_F16 && q->src == DT_F16));
    return pair && soc_has(soc, FEATURE_SCALAR_CONV);
}

/* Returns whether the processor has the conversion as an instruction of vec_conv or as
 * vcbd, which the tables of the chips list as a conversion. */
static bool
converts(const char *name, const PairQuestion *q, const Soc *soc)
{
    static const Op ops[] = {OP_VCONV, OP_VCONV_DEQ, OP_VCONV_PACK, OP_VCBD};
    uint32_t modes;
    if (strcmp(name, "scalar_conv") == 0) {
        return scalar_converts(q, soc);
    }
    bool only_bits = strcmp(name, "vcbd") == 0;
    for (size_t i = only_bits ? ARRAY_LEN(ops) - 1 : 0; i < ARRAY_LEN(ops); i++) {
        if (op_has_pair(ops[i], q->dst, q->src, soc, &modes) &&
            (modes == 0 ? q->round == ROUND_NONE : modes >> q->round & 1)) {
            return true;
        }
    }
    return false;
}

static bool
is_conversion(const char *name)
{
    return strcmp(name, "vconv") == 0 || strcmp(name, "vec_conv") == 0 ||
           strcmp(name, "vcbd") == 0 || strcmp(name, "scalar_conv") == 0;
}

/* supports(instruction, dtype) returns a bool, or None if the tables have no such
 * instruction. The dtype "" means any. */
static Value
fn_supports(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Op op;
    if (!is_text(in, args, 0) || !is_text(in, args, 1)) {
        return val_fail();
    }
    const char *dtype = args->pos[1].str->p;
    PairQuestion q;
    if (is_conversion(args->pos[0].str->p) && read_pair(dtype, &q)) {
        return val_bool(converts(args->pos[0].str->p, &q, in->u->soc));
    }
    if (!op_find(args->pos[0].str->p, &op)) {
        return val_none();
    }
    if (!*dtype) {
        return val_bool(op_on_soc(op, in->u->soc));
    }
    Dtype t = dtype_find(dtype);
    return val_bool(t != DT_NONE && op_has_dtype(op, t, in->u->soc));
}

/* select(name) compiles for that processor unless the command line chose one. It returns
 * whether the processor is known. */
static Value
fn_select(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    if (!is_text(in, args, 0)) {
        return val_fail();
    }
    const char *name = args->pos[0].str->p;
    bool ok = in->u->soc_fixed ? soc_find(name) != NULL : unit_set_soc(in->u, name);
    return val_bool(ok);
}

/* parameters(f) returns the names of the parameters of a function that was defined by
 * def. */
static Value
fn_parameters(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value out = val_items(in, VAL_LIST, 0);
    if (args->pos[0].kind == VAL_FUNC) {
        const Locals *loc = args->pos[0].func->loc;
        for (int i = 0; i < loc->npos; i++) {
            list_push(in, out, val_str_sym(in, loc->params[i].name));
        }
    }
    return out;
}

/* check_info(key, value) raises an exception when JSON cannot hold the value. */
static Value
fn_check_info(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    const char *text;
    const char *bad;
    if (compile_info_text(in, args->pos[1], args->span, &text, &bad)) {
        return val_none();
    }
    return !bad
               ? val_fail()
               : py_raise(in, "TypeError", args->span,
                          "the compile info %s holds %s; it is written as JSON: numbers, "
                          "texts, lists and dicts",
                          val_repr(in, args->pos[0]), bad);
}

/* environment() returns the variables that --env gave, as a dictionary. */
static Value
fn_environment(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value d = val_dict(in);
    for (uint32_t i = 0; i < in->u->opt.env.n && !val_failed(d); i++) {
        const Define *e = &in->u->opt.env.p[i];
        d = put_fact(in, d, e->name, val_str(in, e->value), args->span);
    }
    return d;
}

/* host_value(origin) returns a value that only the host has; origin is the call that it
 * comes from. */
static Value
fn_host_value(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return is_text(in, args, 0)
               ? host_value(in, val_text_of(in, args->pos[0]), args->span)
               : val_fail();
}

static Value
fn_is_host(Interp *in, Value self, const CallArgs *args)
{
    (void)in;
    (void)self;
    return val_bool(is_host(args->pos[0]));
}

/* look_into(value) raises the error of a program that needs the content of a value of
 * the host. */
static Value
fn_look_into(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    hidden_used(in, args->pos[0], "is looked into", args->span);
    return val_fail();
}

/* Returns an integer modulo 2 to the power of the type's width. */
static Value
as_integer(Interp *in, Value v, Dtype t, Span span)
{
    bool wide = t == DT_U64 && v.kind == VAL_INT && v.i < 0;
    if (v.kind == VAL_INT && !wide && scalar_wrap(t, v.i) == v.i) {
        return v;
    }
    int bits = 8 * dtype_size(t);
    Value all = number_binary(in, AOP_SHL, val_int(1), val_int(bits), span);
    Value half = number_binary(in, AOP_SHL, val_int(1), val_int(bits - 1), span);
    Value r = val_failed(all) || val_failed(half)
                  ? val_fail()
                  : number_binary(in, AOP_MOD, v, all, span);
    bool negative = !val_failed(r) && scalar_wrap(t, -1) == -1 && t != DT_U64 &&
                    number_compare(r, half) >= 0;
    return negative ? number_binary(in, AOP_SUB, r, all, span) : r;
}

/* Converts one number to an element of a numpy array. DT_NONE means bool, and a double
 * needs no rounding. */
static Value
as_element(Interp *in, Value v, Dtype t, bool is_double, Span span)
{
    double d = 0;
    bool yes = false;
    if (hidden_used(in, v, "is an element of a known array", span)) {
        return val_fail();
    }
    if (!val_is_number(v)) {
        return py_raise(in, "TypeError", span, "an array holds numbers, not '%s'",
                        val_type_name(v));
    }
    if (is_double || (t != DT_NONE && dtype_is_float(t))) {
        bool ok = number_double(in, v, span, &d);
        d = ok && !is_double ? scalar_to_double(t, scalar_from_double(t, d)) : d;
        return ok ? val_float(d) : val_fail();
    }
    if (t == DT_NONE) {
        return op_truth(in, v, span, &yes) ? val_bool(yes) : val_fail();
    }
    v = v.kind == VAL_FLOAT ? val_double_int(in, trunc(v.f), span) : v;
    return val_failed(v) ? v : as_integer(in, v, t, span);
}

/* convert(list, type) returns the numbers as an array of that element type holds them;
 * the list stays as it is. */
static Value
fn_convert(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    if (args->pos[0].kind != VAL_LIST || !is_text(in, args, 1)) {
        return py_raise(in, "TypeError", args->span, "convert takes a list");
    }
    const List *from = args->pos[0].list;
    const char *name = args->pos[1].str->p;
    bool is_double = strcmp(name, "float64") == 0;
    Dtype t = is_double || strcmp(name, "bool") == 0 ? DT_NONE : dtype_find(name);
    if (!core_charge(in, from->n, args->span) ||
        !py_reserve(in, (int64_t)from->n * (int64_t)sizeof(Value), args->span)) {
        return val_fail();
    }
    Value out = val_items(in, VAL_LIST, from->n);
    for (uint32_t i = 0; i < from->n; i++) {
        Value v = from->p[i];
        v = v.kind == VAL_BOOL && (t != DT_NONE || is_double) ? val_int(v.b) : v;
        out.list->p[i] = as_element(in, v, t, is_double, args->span);
        if (val_failed(out.list->p[i])) {
            return val_fail();
        }
    }
    return out;
}

static const BuiltinRow rows[] = {
    {"environment", fn_environment, 0, 0, NULL},
    {"host_value", fn_host_value, 1, 1, NULL},
    {"is_host", fn_is_host, 1, 1, NULL},
    {"look_into", fn_look_into, 1, 1, NULL},
    {"convert", fn_convert, 2, 2, NULL},
    {"facts", fn_facts, 0, 0, NULL},
    {"supports", fn_supports, 2, 2, NULL},
    {"select", fn_select, 1, 1, NULL},
    {"parameters", fn_parameters, 1, 1, NULL},
    {"check_info", fn_check_info, 2, 2, NULL},
};

void
target_install(Interp *in)
{
    Value m = py_module(in, "<stdlib>._target");
    builtin_add_rows(in, &m.module->attrs, rows, ARRAY_LEN(rows), NULL);
}
