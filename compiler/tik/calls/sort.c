/* sort.c: merging and suppression where the call differs from the instruction (vector 9.2
 * to 9.4): lists of lengths, texts as valid_bit, Scalars that get the counts of a merge,
 * and the registers of the core.
 *
 * vmrgsort4, rpn_cor and the setters return a handle that only names a register: there is
 * one of each, and a handle means what is in it when it is read.
 *
 * Owns: exhausted-mode; valid-bit of texts and of more lists than are given. */
#include "tik/calls/instruction.h"
#include "tik/expr.h"
#include "tik/literal.h"
#include "tik/methods.h"
#include "tik/scalar.h"
#include "tik/sreg.h"
#include "tik/tik.h"

#include <string.h>

/* ---- registers and their handles ----------------------------------------- */

/* The cores that have the setters and readers. */
enum {
    CORES_REGISTERS = ON_CMPMASK,
    CORES_OFFSET = (ON_V200 | ON_INT64) &
                   ~ON_A310_AIC, /* the 310 and the 310B class have a fixed offset */
    CORES_OFFSET32 =
        ON_V220 | ON_HI | ON_V200 /* offsets that are float32; the 910 has none */
};

typedef struct Handle {
    Object base;
    Tik *c;
} Handle;

static void
repr_counts(Interp *in, Object *self, Text *out)
{
    (void)in;
    (void)self;
    text_put(out, "<VMS4_SR>");
}

static void
repr_suppression(Interp *in, Object *self, Text *out)
{
    (void)in;
    (void)self;
    text_put(out, "<RPN_COR_IR>");
}

static void
repr_offset(Interp *in, Object *self, Text *out)
{
    (void)in;
    (void)self;
    text_put(out, "<RPN_OFFSET>");
}

static const ObjectClass counts_class = {.name = "VMS4_SR", .repr = repr_counts};
static const ObjectClass suppression_class = {.name = "RPN_COR_IR",
                                              .repr = repr_suppression};
static const ObjectClass offset_class = {.name = "RPN_OFFSET", .repr = repr_offset};

static Value
handle(Interp *in, Tik *c, const ObjectClass *cls)
{
    Handle *h = ARENA_NEW(&in->u->arena, Handle);
    h->base.cls = cls;
    h->c = c;
    return in->fatal ? val_fail() : val_object(&h->base);
}

/* Checks that v is a handle of the register. False with a diagnostic. */
static bool
read_handle(Interp *in, const Tik *c, const ObjectClass *cls, const char *callee, Value v,
            Span span)
{
    if (!tik_is(v, cls)) {
        Diag *d =
            py_diag(in, D_ARG_TYPE, span, "%s takes the handle of %s there, this is %s",
                    callee, cls->name, tik_a(in, v));
        diag_help(in->u, d, "%s",
                  cls == &counts_class ? "vmrgsort4 and vmrgsort give one"
                                       : "rpn_cor and set_rpn_cor_ir give one");
        return false;
    }
    if (((Handle *)v.obj)->c != c) {
        py_diag(in, D_ARG_TYPE, span, "the handle belongs to another container");
        return false;
    }
    return true;
}

static bool
exists(Interp *in, const Tik *c, CoreSet cores, const char *name, Span span)
{
    return tik_on_cores(in, c, name, span, cores);
}

/* ---- merging ------------------------------------------------------------- */

enum {
    LISTS = 4
};

typedef struct MergeCall {
    Op op;
    const CallArgs *args;
    Value got[MOST_ARGS];
    Span span[MOST_ARGS];
    ExprObj *counts[LISTS]; /* null: no Scalars are given */
} MergeCall;

static const char *
merge_name(const MergeCall *x)
{
    return op_method(x->op);
}

static bool
is_list(Value v)
{
    return v.kind == VAL_LIST || v.kind == VAL_TUPLE;
}

/* Returns the number that a text of binary digits means; -1 if it is not up to four
 * digits. */
static int64_t
binary_digits(const char *text)
{
    int64_t v = 0;
    size_t n = strlen(text);
    bool prefix = text[0] == '0' && (text[1] == 'b' || text[1] == 'B');
    size_t first = prefix ? 2 : 0;
    for (size_t i = first; i < n; i++) {
        if (n - first > LISTS || (text[i] != '0' && text[i] != '1')) {
            return -1;
        }
        v = 2 * v + (text[i] - '0');
    }
    return n == first ? -1 : v;
}

/* Replaces valid_bit by an int; *v is -1 if it is none, which the instruction reports. */
static bool
read_valid(Interp *in, MergeCall *x, int64_t *v)
{
    Value *got = &x->got[P_vmrgsort4_valid_bit];
    *v = -1;
    if (got->kind == VAL_STR) {
        const char *text;
        TRY(tik_text(in, *got, "valid_bit", x->span[P_vmrgsort4_valid_bit], &text));
        *v = binary_digits(text);
        if (*v < 0) {
            py_diag(in, D_VALID_BIT, x->span[P_vmrgsort4_valid_bit],
                    "valid_bit is '%s'; as text it is '0001', '0011', '0111' or '1111'",
                    text);
            return false;
        }
        *got = val_int(*v);
    } else if (got->kind != VAL_FLOAT && !tik_is_runtime(*got)) {
        (void)val_as_int64(*got, v);
    }
    return true;
}

static int
bits_set(int64_t v)
{
    return v > 0 ? __builtin_popcountll((uint64_t)v) : 0;
}

/* Reads the lengths of the lists; one int is the length of all lists. */
static bool
read_lengths(Interp *in, MergeCall *x, int lists)
{
    Value *v = &x->got[P_vmrgsort4_element_lengths];
    if (!is_list(*v)) {
        Value all[LISTS] = {*v, *v, *v, *v};
        *v = val_list(in, all, x->op == OP_VMRGSORT ? (uint32_t)lists : LISTS);
        return true;
    }
    if ((int64_t)v->list->n < lists) {
        py_diag(in, D_ARG_TYPE, x->span[P_vmrgsort4_element_lengths],
                "%u lengths are given for %d lists; %s takes one for each, or one int "
                "for all",
                v->list->n, lists, merge_name(x));
        return false;
    }
    return true;
}

/* Checks a call whose valid_bit is known only at run time: all four lists may take
 * part. */
static bool
run_time_lists(Interp *in, MergeCall *x, int given)
{
    if (given < LISTS) {
        py_diag(
            in, D_VALID_BIT, x->span[P_vmrgsort4_valid_bit],
            "valid_bit is known only at run time; src_list then has 4 tensors, not %d",
            given);
        return false;
    }
    return read_lengths(in, x, LISTS);
}

/* Returns the number of tensors in src_list; more than four count as five. */
static int
lists_given(const MergeCall *x)
{
    const Value *v = &x->got[P_vmrgsort4_src_list];
    return is_list(*v) ? (int)MIN(v->list->n, LISTS + 1u) : LISTS;
}

/* Finds how many lists take part, by valid_bit, or for vmrgsort by src_list. */
static bool
read_lists(Interp *in, MergeCall *x)
{
    int64_t valid;
    bool listed = is_list(x->got[P_vmrgsort4_src_list]);
    int given = lists_given(x);
    if (x->op == OP_VMRGSORT) {
        x->got[P_vmrgsort4_valid_bit] = val_int((1 << given) - 1);
        x->span[P_vmrgsort4_valid_bit] = x->span[P_vmrgsort4_src_list];
        return read_lengths(in, x, given);
    }
    if (tik_is_runtime(x->got[P_vmrgsort4_valid_bit])) {
        return run_time_lists(in, x, given);
    }
    TRY(read_valid(in, x, &valid));
    if (listed && bits_set(valid) > given) {
        py_diag(in, D_VALID_BIT, x->span[P_vmrgsort4_valid_bit],
                "valid_bit is %lld, which is %d lists; src_list has %d", (long long)valid,
                bits_set(valid), given);
        return false;
    }
    return read_lengths(in, x, MIN(bits_set(valid), LISTS));
}

/* An argument that is a list of Scalars for counts, with at least that many items. */
typedef struct CountsArg {
    Value v;
    Span span;
    const char *what, *callee;
    int least;
    bool longer; /* more Scalars are legal */
} CountsArg;

static bool
counts_enough(Interp *in, const CountsArg *a, int64_t n)
{
    if (n == a->least || (n > a->least && a->longer)) {
        return true;
    }
    py_diag(in, D_ARG_TYPE, a->span,
            n < 0 ? "%s is %s; %s takes a list of %s%d Scalars or a ScalarArray there"
                  : "%s is %s of another length; %s takes %s%d Scalars there",
            a->what, tik_a(in, a->v), a->callee, a->longer ? "at least " : "", a->least);
    return false;
}

/* Reads up to four integer Scalars from a list or a ScalarArray; null follows the last
 * one. */
static bool
read_counts(Interp *in, Tik *c, const CountsArg *a, ExprObj *out[LISTS])
{
    Value v = a->v;
    Span span = a->span;
    const Value *items;
    int64_t n = tik_array_items(v, &items);
    if (n < 0 && is_list(v)) {
        n = v.list->n;
        items = v.list->p;
    }
    TRY(counts_enough(in, a, n));
    for (int i = 0; i < LISTS && i < n; i++) {
        TRY(tik_target(in, c, items[i], a->what, a->callee, span));
        out[i] = tik_runtime(items[i]);
        Dtype t = ir_expr(c->k, out[i]->e)->dtype;
        if (dtype_is_float(t)) {
            py_diag(in, D_ARG_TYPE, span,
                    "%s has a Scalar of dtype %s; %s takes integers there", a->what,
                    dtype_name(t), a->callee);
            return false;
        }
    }
    return true;
}

static bool
read_array(Interp *in, Tik *c, MergeCall *x)
{
    Value v = x->got[P_vmrgsort4_vms4_sr_scalar_array],
          suspend = x->got[P_vmrgsort4_if_exhausted_suspension];
    if (v.kind == VAL_NONE) {
        return true;
    }
    if (suspend.kind == VAL_BOOL && !suspend.b) {
        py_diag(in, D_EXHAUSTED, x->span[P_vmrgsort4_vms4_sr_scalar_array],
                "vms4_sr_scalar_array is given and if_exhausted_suspension is False");
        return false;
    }
    bool pairs = x->op == OP_VMRGSORT;
    CountsArg a = {v,
                   x->span[P_vmrgsort4_vms4_sr_scalar_array],
                   "vms4_sr_scalar_array",
                   merge_name(x),
                   pairs ? lists_given(x) : LISTS,
                   pairs};
    return read_counts(in, c, &a, x->counts);
}

static bool
load_counts(Interp *in, ExprObj *const counts[LISTS], Span span)
{
    for (int i = 0; i < LISTS && counts[i] != NULL; i++) {
        TRY(tik_sreg_load(in, counts[i], SREG_VMS4 + 4 * i, DT_U32, span));
    }
    return true;
}

static Value
merge(Interp *in, Tik *c, MergeCall *x)
{
    if (tik_not_built(in, c, x->args->span) && read_array(in, c, x) &&
        read_lists(in, x) && tik_record(in, c, x->op, x->args, x->got, x->span) &&
        x->counts[0] != NULL) {
        (void)load_counts(in, x->counts, x->args->span);
    }
    return handle(in, c, &counts_class);
}

Value
tik_vmrgsort4(Interp *in, Tik *c, const CallArgs *args)
{
    MergeCall x = {.op = OP_VMRGSORT4, .args = args};
    if (tik_dropped(c)) {
        return handle(in, c, &counts_class);
    }
    if (!tik_bind(in, CALL_vmrgsort4, args, x.got, x.span)) {
        return handle(in, c, &counts_class);
    }
    return merge(in, c, &x);
}

Value
tik_vmrgsort(Interp *in, Tik *c, const CallArgs *args)
{
    MergeCall x = {.op = OP_VMRGSORT, .args = args};
    Value got[MOST_ARGS];
    Span spans[MOST_ARGS];
    if (tik_dropped(c)) {
        return handle(in, c, &counts_class);
    }
    if (!tik_bind(in, CALL_vmrgsort, args, got, spans)) {
        return handle(in, c, &counts_class);
    }
    for (int i = 0; i <= P_vmrgsort_vms4_sr_scalar_array;
         i++) { /* valid_bit is no argument */
        int to = i < P_vmrgsort4_valid_bit ? i : i + 1;
        x.got[to] = got[i];
        x.span[to] = spans[i];
    }
    return merge(in, c, &x);
}

void
tik_mov_vmrgsort4_sr(const Bound *b)
{
    static const char name[] = "mov_vmrgsort4_sr_to_scalar";
    const int list = P_mov_vmrgsort4_sr_to_scalar_scalar_list;
    const int sr = P_mov_vmrgsort4_sr_to_scalar_vms4_sr;
    ExprObj *counts[LISTS];
    CountsArg to = {b->got[list], b->span[list], "scalar_list", name, LISTS, false};
    if (exists(b->in, b->c, CORES_REGISTERS, name, b->args->span) &&
        read_handle(b->in, b->c, &counts_class, name, b->got[sr], b->span[sr]) &&
        read_counts(b->in, b->c, &to, counts)) {
        (void)load_counts(b->in, counts, b->args->span);
    }
}

/* ---- suppression --------------------------------------------------------- */

Value
tik_rpn_cor(Interp *in, Tik *c, const CallArgs *args)
{
    Value done = tik_instruction(in, c, OP_RPN_COR, args);
    return val_failed(done) ? done : handle(in, c, &suppression_class);
}

void
tik_rpn_cor_diag(const Bound *b)
{
    const int src = P_rpn_cor_diag_src_register;
    if (read_handle(b->in, b->c, &suppression_class, "rpn_cor_diag", b->got[src],
                    b->span[src])) {
        (void)tik_record(b->in, b->c, OP_RPN_COR_DIAG, b->args, b->got, b->span);
    }
}

/* Reads a number of dtype t: a literal that t represents, a Scalar of that dtype, or an
 * expression. */
static bool
read_number(Interp *in, Tik *c, Value v, Dtype t, const char *what, Span span,
            ExprId *out)
{
    if (tik_is_runtime(v)) {
        TRY(tik_read(in, c, v, span, out));
        Dtype have = ir_expr(c->k, *out)->dtype;
        if (have != t && tik_is(v, &tik_scalar_class)) {
            py_diag(in, D_SCALAR_DTYPE, span,
                    "%s is a Scalar of dtype %s; a Scalar of dtype %s is taken there",
                    what, dtype_name(have), dtype_name(t));
            return false;
        }
        *out = ir_cast(c->k, t, *out);
        return true;
    }
    bool number = v.kind == VAL_INT || v.kind == VAL_BOOL || v.kind == VAL_BIG;
    if (!number && !(v.kind == VAL_FLOAT && dtype_is_float(t))) {
        py_diag(in, D_ARG_TYPE, span, "%s is %s; a number or a Scalar is taken there",
                what, tik_a(in, v));
        return false;
    }
    Literal use = {what, span, true};
    if (!tik_literal(in, c, v, t, &use, out)) {
        py_diag(in, D_INT_TOO_LARGE, span, "%s does not fit 64 bits", what);
        return false;
    }
    return true;
}

Value
tik_set_rpn_cor_ir(Interp *in, Tik *c, const CallArgs *args)
{
    static const char name[] = "set_rpn_cor_ir";
    Value v;
    Span span;
    ExprId e;
    if (tik_dropped(c)) {
        return handle(in, c, &suppression_class);
    }
    if (!tik_bind(in, CALL_set_rpn_cor_ir, args, &v, &span)) {
        return handle(in, c, &suppression_class);
    }
    if (tik_not_built(in, c, args->span) &&
        exists(in, c, CORES_REGISTERS, name, args->span) &&
        read_number(in, c, v, DT_U16, "number", span, &e)) {
        (void)tik_sreg_store(in, c, SREG_RPN_COR_IR, DT_U32, e, args->span);
    }
    return handle(in, c, &suppression_class);
}

void
tik_mov_rpn_cor_ir(const Bound *b)
{
    static const char name[] = "mov_rpn_cor_ir_to_scalar";
    const int ir = P_mov_rpn_cor_ir_to_scalar_rpn_cor_ir;
    const int dst = P_mov_rpn_cor_ir_to_scalar_scalar;
    if (exists(b->in, b->c, CORES_REGISTERS, name, b->args->span) &&
        read_handle(b->in, b->c, &suppression_class, name, b->got[ir], b->span[ir]) &&
        tik_target(b->in, b->c, b->got[dst], "scalar", name, b->span[dst])) {
        (void)tik_sreg_load(b->in, tik_runtime(b->got[dst]), SREG_RPN_COR_IR, DT_U32,
                            b->args->span);
    }
}

/* Reads the dtype of an offset; float16 unless given. */
static bool
offset_dtype(Interp *in, const Tik *c, Value v, Span span, Dtype *t)
{
    static const char name[] = "set_rpn_offset";
    *t = DT_F16;
    if (val_failed(v)) {
        return true;
    }
    const char *text;
    TRY(tik_text(in, v, "offset_dtype", span, &text));
    *t = dtype_find(text);
    if (*t == DT_F16 || (*t == DT_F32 && soc_on(c->k->soc, CORES_OFFSET32))) {
        return true;
    }
    py_diag(in, D_DTYPE_UNSUPPORTED, span, "offset_dtype is '%s'; %s on %s takes %s",
            text, name, c->k->soc->name,
            soc_on(c->k->soc, CORES_OFFSET32) ? "float16 or float32" : "float16");
    return false;
}

/* Stores the offset as one number, which instructions read in either type. */
Value
tik_set_rpn_offset(Interp *in, Tik *c, const CallArgs *args)
{
    static const char name[] = "set_rpn_offset";
    Value got[MOST_ARGS];
    Span spans[MOST_ARGS], span = args->span;
    ExprId e;
    Dtype t;
    if (tik_dropped(c)) {
        return handle(in, c, &offset_class);
    }
    if (!tik_bind(in, CALL_set_rpn_offset, args, got, spans)) {
        return handle(in, c, &offset_class);
    }
    if (tik_not_built(in, c, span) && exists(in, c, CORES_OFFSET, name, span) &&
        offset_dtype(in, c, got[P_set_rpn_offset_offset_dtype],
                     spans[P_set_rpn_offset_offset_dtype], &t) &&
        read_number(in, c, got[P_set_rpn_offset_offset], t, "offset",
                    spans[P_set_rpn_offset_offset], &e)) {
        (void)(tik_sreg_store(in, c, SREG_RPN_OFFSET16, DT_F16, e, span) &&
               tik_sreg_store(in, c, SREG_RPN_OFFSET32, DT_F32, e, span));
    }
    return handle(in, c, &offset_class);
}
