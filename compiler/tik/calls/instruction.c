/* instruction.c: instruction calls, the same for every row of op.def.
 *
 * A call is bound to the parameters of its form, each value is converted by the role of
 * its parameter, and the statement is recorded. Kinds of operands are checked here:
 * arg-type, and what is known from the source alone (literals for scalars, lists for
 * masks, extended arguments). The check pass checks values. A new row of op.def needs no
 * change here.
 *
 * Owns: argument-count, arg-type, scalar-dtype, mask-list-length of lists that are
 * neither 2 nor 4 long, mask-mode of an unknown mode, extended-argument of the call's
 * form. */
#include "rules/reg.h"
#include "tik/addr_list.h"
#include "tik/calls/extended.h"
#include "tik/calls/instruction.h"
#include "tik/calls/sync.h"
#include "tik/expr.h"
#include "tik/literal.h"
#include "tik/tensor.h"
#include "tik/tik.h"
#include "rules/flag.h"

#include <stdlib.h>
#include <string.h>

/* One call while it is bound. The roles of form_params give the meaning of got[]. */
typedef struct InstrCall {
    Interp *in;
    Tik *c;
    Op op;
    const CallArgs *args;
    const ParamInfo *params;
    int n;
    const Signature *sig;
    int ncall; /* number of arguments that are operands */
    /* If some of them are lists, which take several slots: the slot of each argument, and
     * the argument of each slot that begins one. Else both are the same number. */
    bool lists;
    int slot[MAX_PARAMS];
    int call_index[MAX_PARAMS];
    Value got[MAX_PARAMS]; /* values by slot, a list in its first; VAL_FAIL: not given */
    Span span[MAX_PARAMS];
    bool words; /* a mask is a list of words */
    /* dtype of the form's main operand; DT_NONE before it is read, or if it was
     * refused */
    Dtype main;
    bool counter;
    /* An operand of a wrong kind was reported. A wrong order of arguments makes several,
     * of which one report is enough. */
    bool mistaken;
    Arg out[MAX_PARAMS];
} InstrCall;

static const char *
op_name(const InstrCall *x)
{
    return op_method(x->op);
}

/* ---- binding ------------------------------------------------------------- */

static const char *
param_name(const InstrCall *x, int slot)
{
    return x->sig->args[x->lists ? x->call_index[slot] : slot].name;
}

static const char *
prototype(const InstrCall *x)
{
    Text t;
    text_init(&t, &x->in->u->arena);
    call_prototype(x->sig, &t);
    return t.p;
}

static void
find_slots(InstrCall *x)
{
    int args = 0;
    for (int i = 0; i < x->n; i++) {
        if (x->params[i].item == 0) {
            x->call_index[i] = args;
            x->slot[args++] = i;
        }
    }
}

/* Returns how many arguments the operands of an instruction are; a list is one. */
static int
count_arguments(TikState *st, Op op, const ParamInfo *params, int n)
{
    if (st->nargs_of_op[op] == 0) {
        uint8_t count = 0;
        for (int i = 0; i < n; i++) {
            count += params[i].item == 0;
        }
        st->nargs_of_op[op] = (uint8_t)(count + 1);
    }
    return st->nargs_of_op[op] - 1;
}

/* Begins a call: finds the operands of the form and the slot of each argument. The room
 * for operands is large, so no more of it is cleared than the form has. */
static void
begin_call(InstrCall *x, Interp *in, Tik *c, Op op, const CallArgs *args)
{
    x->in = in;
    x->c = c;
    x->op = op;
    x->args = args;
    x->main = DT_NONE;
    x->counter = x->mistaken = x->words = false;
    x->params = form_params(op_table[x->op].form, &x->n);
    x->sig = tik_signature(x->in, x->op);
    memset(x->out, 0, (size_t)x->n * sizeof x->out[0]);
    x->ncall = count_arguments(tik_state(in), op, x->params, x->n);
    x->lists = x->ncall != x->n;
    if (x->lists) {
        find_slots(x);
    }
}

/* Takes the values of the arguments. */
static void
take_values(InstrCall *x, const Value *values, const Span *spans)
{
    for (int k = 0; k < x->ncall; k++) {
        int slot = x->lists ? x->slot[k] : k;
        x->got[slot] = values[k];
        x->span[slot] = spans[k];
    }
}

static bool
bind(InstrCall *x)
{
    Value got[MAX_PARAMS];
    Span span[MAX_PARAMS];
    if (!x->lists) {
        return call_bind(x->in, x->sig, x->args, x->got, x->span);
    }
    TRY(call_bind(x->in, x->sig, x->args, got, span));
    take_values(x, got, span);
    return true;
}

/* ---- operands by role ---------------------------------------------------- */

/* Returns the instruction that computes the same with the other kind of operand: vec_adds
 * of vec_add, vec_add of vec_adds; null if there is none. */
static const char *
other_kind(const InstrCall *x, bool scalar)
{
    const char *name = op_name(x);
    size_t n = strlen(name);
    const char *other = scalar ? arena_printf(&x->in->u->arena, "%ss", name)
                        : n && name[n - 1] == 's'
                            ? arena_printf(&x->in->u->arena, "%.*s", (int)n - 1, name)
                            : "";
    for (int op = 0; op < OP_COUNT; op++) {
        if (strcmp(op_table[op].name, other) == 0 && op_is_called((Op)op)) {
            return other;
        }
    }
    return NULL;
}

/* Returns whether the text is that of a number. */
static bool
is_number_text(const InstrCall *x, Value v)
{
    char *end = NULL;
    const char *text = v.kind == VAL_STR ? val_text_of(x->in, v) : "";
    (void)strtod(text, &end);
    return *text && end && *end == 0;
}

static void
help_kind(const InstrCall *x, Diag *d, int i)
{
    Unit *u = x->in->u;
    Value v = x->got[i];
    bool tensor = x->params[i].role == ROLE_DST || x->params[i].role == ROLE_SRC;
    bool is_tensor = tik_is(v, &tik_tensor_class);
    bool scalar = v.kind == VAL_INT || tik_is(v, &tik_scalar_class);
    const char *other = tensor && scalar ? other_kind(x, true)
                        : is_tensor && x->params[i].role == ROLE_SCALAR
                            ? other_kind(x, false)
                            : NULL;
    if (v.kind == VAL_FLOAT && !tensor) {
        diag_help(u, d, "divide with //, or convert with int()");
    } else if (!tensor && is_number_text(x, v)) {
        diag_help(u, d, "write %s, without quotes", val_text_of(x->in, v));
    } else if (other) {
        diag_help(u, d, "%s takes %s there; the order of %s is %s", other,
                  tik_a(x->in, v), op_name(x), prototype(x));
    } else {
        diag_help(u, d, "the order is %s", prototype(x));
    }
}

static bool
wrong_kind(InstrCall *x, int i, const char *takes)
{
    if (x->mistaken) {
        return false;
    }
    x->mistaken = true;
    Diag *d = py_diag(x->in, D_ARG_TYPE, x->span[i], "%s is %s; %s takes %s there",
                      x->params[i].name, tik_a(x->in, x->got[i]), op_name(x), takes);
    help_kind(x, d, i);
    return false;
}

/* Returns the dtype of the tensor in a call that also has an address; DT_NONE if there
 * is none. */
static Dtype
tensor_dtype(const InstrCall *x)
{
    for (int i = 0; i < x->n; i++) {
        bool tensor = x->params[i].role == ROLE_DST || x->params[i].role == ROLE_SRC;
        if (tensor && tik_is(x->got[i], &tik_tensor_class)) {
            return ((View *)x->got[i].obj)->dtype;
        }
    }
    return DT_NONE;
}

static bool
read_address(InstrCall *x, int i)
{
    Dtype t = tensor_dtype(x);
    if (t == DT_NONE) {
        return wrong_kind(x, i, "a tensor on one side at least");
    }
    if (i == form_main(op_table[x->op].form)) {
        x->main = t;
    }
    x->out[i].kind = ARG_REF;
    return tik_address_ref(x->in, x->c, x->got[i], t, x->span[i], &x->out[i].ref);
}

static bool
read_tensor(InstrCall *x, int i)
{
    if (tik_is(x->got[i], &tik_address_class)) {
        return read_address(x, i);
    }
    if (!tik_is(x->got[i], &tik_tensor_class)) {
        return wrong_kind(x, i, "a tensor");
    }
    View *v = (View *)x->got[i].obj;
    if (v->root->c != x->c) {
        py_diag(x->in, D_ARG_TYPE, x->span[i], "%s belongs to another container",
                x->params[i].name);
        return false;
    }
    if (i == form_main(op_table[x->op].form) && !v->poisoned) {
        x->main = v->dtype;
    }
    x->out[i].kind = ARG_REF;
    return tik_ref(x->in, v, x->span[i], &x->out[i].ref);
}

/* Reads an integer operand: an int, or a Scalar or Expr of integer type. */
static bool
read_integer(InstrCall *x, int i, Value v, const char *takes, ExprId *out)
{
    int64_t n;
    uint64_t bits;
    if (tik_is_runtime(v)) {
        TRY(tik_read(x->in, x->c, v, x->span[i], out));
        Dtype t = ir_expr(x->c->k, *out)->dtype;
        if (dtype_is_float(t) || t == DT_BOOL) {
            py_diag(x->in, D_ARG_TYPE, x->span[i],
                    "%s has dtype %s; %s takes an integer there", x->params[i].name,
                    dtype_name(t), op_name(x));
            return false;
        }
        return true;
    }
    if (v.kind == VAL_FLOAT || v.kind == VAL_FAIL) {
        return wrong_kind(x, i, takes);
    }
    if (val_as_int64(v, &n)) {
        *out = ir_const(x->c->k, DT_S64, n);
        return true;
    }
    if (val_as_uint64(v, &bits)) {
        *out = ir_const(x->c->k, DT_U64, (int64_t)bits);
        return true;
    }
    if (v.kind == VAL_BIG) {
        py_diag(x->in, D_INT_TOO_LARGE, x->span[i], "%s does not fit 64 bits",
                x->params[i].name);
        return false;
    }
    return wrong_kind(x, i, takes);
}

/* Checks that a Scalar has the dtype that the operand requires, if it requires one. */
static bool
scalar_is(InstrCall *x, int i)
{
    Dtype want = operand_type_dtype(x->params[i].of, DT_NONE);
    Dtype t = ir_expr(x->c->k, x->out[i].expr)->dtype;
    if (want == DT_NONE || t == want || !tik_is(x->got[i], &tik_scalar_class)) {
        return true;
    }
    py_diag(x->in, D_ARG_TYPE, x->span[i],
            "%s is a Scalar of dtype %s; %s takes %s there", x->params[i].name,
            dtype_name(t), op_name(x), dtype_name(want));
    return false;
}

/* Checks dtypes by the table of data_move: sid and nburst are int32, lengths and strides
 * integers of 16 bits or more. Published programs give nburst wider ones, which is a
 * warning. */
static bool
move_count_is(InstrCall *x, int i)
{
    const char *name = x->params[i].name;
    if (x->op != OP_DATA_MOVE || !tik_is_runtime(x->got[i])) {
        return true;
    }
    Dtype t = ir_expr(x->c->k, x->out[i].expr)->dtype;
    bool sid = strcmp(name, "sid") == 0, bursts = strcmp(name, "nburst") == 0;
    if (sid ? t == DT_S32 : dtype_size(t) >= 2) {
        if (bursts && t != DT_S32) {
            py_diag(x->in, D_COUNT_DTYPE, x->span[i],
                    "nburst has dtype %s; the table of data_move has int32",
                    dtype_name(t));
        }
        return true;
    }
    return py_allowable(x->in, D_SCALAR_DTYPE, x->span[i],
                        "%s has dtype %s; data_move takes %s there", name, dtype_name(t),
                        sid ? "int32" : "an integer of 16 bits or more");
}

static bool
read_int(InstrCall *x, int i)
{
    x->out[i].kind = ARG_EXPR;
    if (x->got[i].kind == VAL_INT || val_failed(x->got[i])) {
        int64_t n = x->got[i].kind == VAL_INT ? x->got[i].i : x->params[i].dflt;
        x->out[i].expr = ir_const(x->c->k, DT_S64, n);
        return true;
    }
    TRY(read_integer(x, i, x->got[i], "an int, a Scalar or an Expr", &x->out[i].expr));
    return scalar_is(x, i) && move_count_is(x, i);
}

/* The words that an ATTR takes in the source, and their values. */
static const struct {
    OperandType of;
    const char *word;
    int value;
} words[] = {
    {OF_ROUND, "", ROUND_NONE},
    {OF_ROUND, "none", ROUND_NONE},
    {OF_ROUND, "round", ROUND_NEAREST},
    {OF_ROUND, "floor", ROUND_FLOOR},
    {OF_ROUND, "ceil", ROUND_CEIL},
    {OF_ROUND, "ceiling", ROUND_CEIL},
    {OF_ROUND, "away-zero", ROUND_AWAY},
    {OF_ROUND, "to-zero", ROUND_ZERO},
    {OF_ROUND, "odd", ROUND_ODD},
    {OF_SIDE, "left", 0},
    {OF_SIDE, "right", 1},
};

/* Returns the diagnostic for a value of a wrong kind: the rule of the operand if it has
 * one of its own. */
static DiagId
rule_or_kind(const InstrCall *x, int i)
{
    Rule r = x->params[i].rule;
    return r == RULE_NONE ? D_ARG_TYPE : diag_of_rule(r);
}

static bool
unknown_word(InstrCall *x, int i, const char *text)
{
    Text t;
    text_init(&t, &x->in->u->arena);
    Nearest near = {.wanted = text};
    for (size_t k = 0; k < ARRAY_LEN(words); k++) {
        if (words[k].of == x->params[i].of) {
            text_printf(&t, "%s'%s'", t.n ? ", " : "", words[k].word);
            nearest_try(&near, words[k].word);
        }
    }
    Diag *d = py_diag(x->in, rule_or_kind(x, i), x->span[i],
                      "%s is '%s'; it is one of %s", x->params[i].name, text, t.p);
    diag_suggest(x->in->u, d, x->span[i], &near);
    return false;
}

static bool
read_word_attr(InstrCall *x, int i)
{
    const char *text;
    TRY(tik_text(x->in, x->got[i], x->params[i].name, x->span[i], &text));
    for (size_t k = 0; k < ARRAY_LEN(words); k++) {
        if (words[k].of == x->params[i].of && strcmp(words[k].word, text) == 0) {
            x->out[i].expr = ir_const(x->c->k, DT_S64, words[k].value);
            return true;
        }
    }
    return unknown_word(x, i, text);
}

static bool
read_bool(InstrCall *x, int i)
{
    if (x->got[i].kind != VAL_BOOL) {
        py_diag(x->in, rule_or_kind(x, i), x->span[i],
                "%s is %s; %s takes True or False there", x->params[i].name,
                tik_a(x->in, x->got[i]), op_name(x));
        return false;
    }
    x->out[i].expr = ir_const(x->c->k, DT_S64, x->got[i].i != 0);
    return true;
}

/* Reads a compile-time integer, a bool or a word. */
static bool
read_attr(InstrCall *x, int i)
{
    OperandType of = x->params[i].of;
    x->out[i].kind = ARG_EXPR;
    if (tik_is_runtime(x->got[i])) {
        return wrong_kind(x, i, "a compile-time int");
    }
    if (val_failed(x->got[i]) || of == OF_NONE) {
        return read_int(x, i);
    }
    return of == OF_BOOL ? read_bool(x, i) : read_word_attr(x, i);
}

/* Reads the name of a queue, such as "PIPE_MTE2"; a barrier also takes "PIPE_ALL". */
static bool
read_pipe(InstrCall *x, int i)
{
    const char *text;
    bool all = op_table[x->op].sem == SEM_PIPE_BARRIER;
    x->out[i].kind = ARG_EXPR;
    TRY(tik_text(x->in, x->got[i], x->params[i].name, x->span[i], &text));
    for (int p = 0; p < PIPE_COUNT; p++) {
        if (strncmp(text, "PIPE_", 5) == 0 && strcmp(text + 5, pipe_name((Pipe)p)) == 0 &&
            flag_has_pipe(x->c->k->soc, (Pipe)p)) {
            x->out[i].expr = ir_const(x->c->k, DT_S64, p);
            return true;
        }
    }
    if (all && strcmp(text, "PIPE_ALL") == 0) {
        x->out[i].expr = ir_const(x->c->k, DT_S64, PIPE_COUNT);
        return true;
    }
    py_diag(x->in, D_PIPE, x->span[i],
            "%s is '%s'; the queues of %s are PIPE_S, PIPE_V, "
            "PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3%s%s",
            x->params[i].name, text, x->c->k->soc->name,
            flag_has_pipe(x->c->k->soc, PIPE_FIX) ? ", PIPE_FIX" : "",
            all ? " and PIPE_ALL" : "");
    return false;
}

/* Reads one word of a bitwise mask. */
static bool
read_word(InstrCall *x, int i, Value v, ExprId *out)
{
    uint64_t bits;
    int64_t n;
    if (tik_is_runtime(v)) {
        return read_integer(x, i, v, "integers in the mask", out);
    }
    if (v.kind == VAL_FLOAT ||
        (v.kind != VAL_INT && v.kind != VAL_BOOL && v.kind != VAL_BIG)) {
        py_diag(x->in, D_ARG_TYPE, x->span[i],
                "a word of the mask is %s; %s takes ints, Scalars or Exprs there",
                tik_a(x->in, v), op_name(x));
        return false;
    }
    if (!val_as_uint64(v, &bits) || (val_as_int64(v, &n) && n < 0)) {
        py_diag(x->in, D_MASK_RANGE, x->span[i],
                "a word of the mask is %s; it is 0 to 2^64-1", val_repr(x->in, v));
        return false;
    }
    *out = ir_const(x->c->k, DT_U64, (int64_t)bits);
    return true;
}

/* Reads a list of words. The program gives the highest word first; word 0 of the IR has
 * lanes 0..63. */
static bool
read_mask_list(InstrCall *x, int i)
{
    List *list = x->got[i].list;
    Arg *m = &x->out[i];
    if (x->counter) {
        py_diag(x->in, D_MASK_MODE, x->span[i],
                "the mask is a list; in counter mode it is the number of elements");
        return false;
    }
    if (list->n != 2 && list->n != 4) {
        Diag *d = py_diag(x->in, D_MASK_LENGTH, x->span[i],
                          "the mask is a list of %u words; it is [high, low], for 8-bit "
                          "operands 4 words",
                          list->n);
        if (list->n == 1) {
            diag_help(x->in->u, d,
                      "write [0, %s]: the first word is that of lanes 64 to 127",
                      val_repr(x->in, list->p[0]));
        }
        return false;
    }
    x->words = true;
    m->mask_form = list->n == 2 ? MASK_BITS : MASK_BITS4;
    for (uint32_t w = 0; w < list->n; w++) {
        TRY(read_word(x, i, list->p[list->n - 1 - w], &m->mask[w]));
    }
    return true;
}

/* Returns the number of all lanes, of the widest operand that is addressed by lanes, or
 * else of the form's main operand. */
static int
all_lanes(const InstrCall *x)
{
    Form form = op_table[x->op].form;
    Dtype widest = DT_NONE;
    for (int i = 0; i < x->n; i++) {
        bool counts = form_is_vector(form, i) || i == form_main(form);
        if (counts && tik_is(x->got[i], &tik_tensor_class)) {
            Dtype t = ((View *)x->got[i].obj)->dtype;
            widest = dtype_size(t) > dtype_size(widest) ? t : widest;
        }
    }
    return widest == DT_NONE ? 1 : lanes_of(widest);
}

/* Clears bits of lanes that do not exist in words that only the run knows: programs give
 * the word of 64 comparisons in both places. In literals such bits are an error
 * (mask-high-nonzero). */
static void
limit_words(InstrCall *x, int i)
{
    Kernel *k = x->c->k;
    Arg *m = &x->out[i];
    int lanes = all_lanes(x);
    if (m->mask_form != MASK_BITS || lanes > 64) {
        return;
    }
    if (!ir_is_const(k, m->mask[1])) {
        m->mask[1] = ir_const(k, DT_U64, 0);
    }
    if (lanes < 64 && !ir_is_const(k, m->mask[0])) {
        ExprId low = ir_const(k, DT_U64, (int64_t)(((uint64_t)1 << lanes) - 1));
        m->mask[0] = ir_op2(k, SOP_AND, ir_cast(k, DT_U64, m->mask[0]), low);
    }
}

static bool
read_mask(InstrCall *x, int i)
{
    x->out[i].kind = ARG_MASK;
    bool all = x->got[i].kind == VAL_NONE && reg_form(op_table[x->op].form);
    Value v = all ? val_int(all_lanes(x)) : x->got[i];
    if (v.kind == VAL_LIST || v.kind == VAL_TUPLE) {
        return read_mask_list(x, i);
    }
    x->out[i].mask_form = x->counter ? MASK_COUNTER : MASK_COUNT;
    return read_integer(x, i, v, "an int, a Scalar, an Expr or a list",
                        &x->out[i].mask[0]);
}

/* True if a float is a mistake: a fill has the literal in every element, while other
 * instructions compute with it. No SOPHON manual says the latter, so there it always
 * is one. */
static bool
wants_int(const InstrCall *x)
{
    Sem sem = op_table[x->op].sem;
    return sem == SEM_DUP || sem == SEM_CI || x->c->k->soc->lmem;
}

static bool
read_literal(InstrCall *x, int i, Dtype t)
{
    Value v = x->got[i];
    if (v.kind != VAL_INT && v.kind != VAL_BOOL && v.kind != VAL_BIG &&
        v.kind != VAL_FLOAT) {
        return wrong_kind(x, i, "a number, a Scalar or an Expr");
    }
    if (v.kind == VAL_FLOAT && !dtype_is_float(t) && wants_int(x) &&
        !py_allowable(x->in, D_SCALAR_DTYPE, x->span[i],
                      "%s is the float %s; the tensor's dtype is %s, which takes an int",
                      x->params[i].name, val_repr(x->in, v), dtype_name(t))) {
        return false;
    }
    bool slices = strncmp(op_name(x), "h_", 2) == 0;
    Literal use = {x->params[i].name, x->span[i], !slices};
    if (!tik_literal(x->in, x->c, v, t, &use, &x->out[i].expr)) {
        py_diag(x->in, D_INT_TOO_LARGE, x->span[i], "%s does not fit 64 bits",
                x->params[i].name);
        return false;
    }
    return true;
}

static bool
read_scalar(InstrCall *x, int i)
{
    Dtype want = operand_type_dtype(x->params[i].of, x->main);
    x->out[i].kind = ARG_EXPR;
    if (want == DT_NONE) {
        return false;
    }
    if (val_failed(x->got[i])) {
        x->got[i] = val_int(x->params[i].dflt);
    }
    if (!tik_is_runtime(x->got[i])) {
        return read_literal(x, i, want);
    }
    ExprId e;
    TRY(tik_read(x->in, x->c, x->got[i], x->span[i], &e));
    Dtype t = ir_expr(x->c->k, e)->dtype;
    if (tik_is(x->got[i], &tik_scalar_class) && t != want &&
        !py_allowable(x->in, D_SCALAR_DTYPE, x->span[i],
                      "%s is a Scalar of dtype %s; %s takes %s there", x->params[i].name,
                      dtype_name(t), op_name(x), dtype_name(want))) {
        return false;
    }
    x->out[i].expr = ir_cast(x->c->k, want, e);
    return true;
}

static bool
read_mask_mode(InstrCall *x, int i)
{
    const char *text;
    if (val_failed(x->got[i])) {
        return true;
    }
    TRY(tik_text(x->in, x->got[i], x->params[i].name, x->span[i], &text));
    x->counter = strcmp(text, "counter") == 0;
    if (!x->counter && strcmp(text, "normal") != 0) {
        py_diag(x->in, D_MASK_MODE, x->span[i],
                "mask_mode is '%s'; it is 'normal' or 'counter'", text);
        return false;
    }
    return true;
}

static bool
read_operand(InstrCall *x, int i)
{
    switch (x->params[i].role) {
    case ROLE_DST:
    case ROLE_SRC:
        return read_tensor(x, i);
    case ROLE_MASK:
        return read_mask(x, i);
    case ROLE_MASKMODE:
        return true; /* read before the mask */
    case ROLE_REPEAT:
    case ROLE_INT:
        return read_int(x, i);
    case ROLE_SCALAR:
        return read_scalar(x, i);
    case ROLE_ATTR:
        return read_attr(x, i);
    case ROLE_PIPE:
        return read_pipe(x, i);
    case ROLE_ROOT:
        return read_tensor(x, i);
    }
    UNREACHABLE();
}

/* Reads a number that the program spells out, as most operands are; false: the operand is
 * something else. */
static inline bool
read_plain(InstrCall *x, int i)
{
    const unsigned ints = 1u << ROLE_REPEAT | 1u << ROLE_INT;
    bool plain = (ints >> x->params[i].role & 1) && x->got[i].kind == VAL_INT;
    if (plain) {
        x->out[i].kind = ARG_EXPR;
        x->out[i].expr = ir_const(x->c->k, DT_S64, x->got[i].i);
    }
    return plain;
}

static Scope
operand_scope(const InstrCall *x, Role role)
{
    for (int i = 0; i < x->n; i++) {
        if (x->params[i].role == role) {
            return x->c->k->bufs.p[x->out[i].ref.buf].scope;
        }
    }
    UNREACHABLE();
}

/* Checks the name of the extended argument: ConvReluMode is for moves between UB and L0C,
 * PadMode for the others. */
static bool
check_extended_keyword(InstrCall *x, Scope from, Scope to)
{
    for (int k = 0; k < x->args->nkw; k++) {
        const char *name = tik_sym(x->in, x->args->kwname[k]);
        bool relu = strcmp(name, "ConvReluMode") == 0;
        if (!relu && strcmp(name, "PadMode") != 0) {
            continue;
        }
        bool l0c = to == SC_L0C || from == SC_L0C;
        if (l0c != relu) {
            py_diag(x->in, D_EXTARG,
                    x->args->kw_span ? x->args->kw_span[k] : x->args->span,
                    "%s is given for a move from %s to %s; it is for %s", name,
                    scope_name(from), scope_name(to),
                    l0c ? "moves from global memory to L1" : "moves between UB and L0C");
            return false;
        }
    }
    return true;
}

static bool
check_extended(InstrCall *x)
{
    if (!x->sig->extended) {
        return true;
    }
    return check_extended_keyword(x, operand_scope(x, ROLE_SRC),
                                  operand_scope(x, ROLE_DST));
}

/* Spreads a list over its slots. A short list is filled up with its first tensor, or with
 * 0 for numbers. */
static bool
spread_list(InstrCall *x, int first)
{
    Value v = x->got[first];
    int items = x->params[first].items;
    bool tensors = x->params[first].role == ROLE_DST || x->params[first].role == ROLE_SRC;
    if (v.kind != VAL_LIST && v.kind != VAL_TUPLE) {
        return wrong_kind(x, first, "a list");
    }
    int n = (int)v.list->n;
    if (n > items || n == 0 || (items == 16 && n != items)) {
        py_diag(x->in, rule_or_kind(x, first), x->span[first],
                "%s has %d items; %s takes %s%d", param_name(x, first), n, op_name(x),
                items == 16 ? "" : "1 to ", items);
        return false;
    }
    for (int i = items - 1; i >= 0; i--) {
        x->got[first + i] = i < n ? v.list->p[i] : tensors ? v.list->p[0] : val_int(0);
        x->span[first + i] = x->span[first];
    }
    return true;
}

static bool
spread_lists(InstrCall *x)
{
    for (int k = 0; x->lists && k < x->ncall; k++) {
        if (x->params[x->slot[k]].items > 0) {
            TRY(spread_list(x, x->slot[k]));
        }
    }
    return true;
}

static bool
read_operands(InstrCall *x)
{
    bool ok = true;
    if (x->n > 0 && x->params[x->n - 1].role == ROLE_MASKMODE) {
        ok = read_mask_mode(x, x->n - 1);
    }
    TRY(spread_lists(x));
    for (int i = 0; i < x->n; i++) {
        ok = (read_plain(x, i) || read_operand(x, i)) && ok;
    }
    for (int i = 0; x->words && i < x->n && ok; i++) {
        if (x->params[i].role == ROLE_MASK) {
            limit_words(x, i);
        }
    }
    return ok && check_extended(x);
}

/* ---- recording ----------------------------------------------------------- */

static bool
record(InstrCall *x)
{
    uint32_t arg = ir_args_at(x->c->k, x->out, x->span, x->n);
    Stmt s = {.kind = ST_INSTR, .instr = {.op = x->op, .arg = arg}};
    return tik_emit(x->in, x->c, s, x->args->span, NULL);
}

Value
tik_instruction(Interp *in, Tik *c, Op op, const CallArgs *args)
{
    InstrCall x;
    if (tik_dropped(c)) {
        return tik_instruction_value(in, c, op);
    }
    begin_call(&x, in, c, op, args);
    CallArgs own;
    if (op == OP_DATA_MOVE) {
        own = tik_without_extended(in, args);
        x.args = &own;
    }
    bool flag = op_table[op].form == FORM_FLAG;
    if (tik_not_built(in, c, args->span) &&
        (!flag || tik_flag_place(in, c, op, args->span)) && bind(&x) &&
        read_operands(&x)) {
        if (op == OP_DATA_MOVE) {
            tik_check_move(in, c, x.out, x.span);
        }
        if (!record(&x)) {
            return val_fail();
        }
    }
    return in->fatal ? val_fail() : tik_instruction_value(in, c, op);
}

bool
tik_record(Interp *in, Tik *c, Op op, const CallArgs *args, const Value *values,
           const Span *spans)
{
    InstrCall x;
    begin_call(&x, in, c, op, args);
    take_values(&x, values, spans);
    return read_operands(&x) && record(&x);
}
