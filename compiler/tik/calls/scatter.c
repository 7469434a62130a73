/* scatter.c: scatter_vconv, a conversion with an address for each block: one instruction
 * of the form hscatter for each entry of its lists. No manual of the present versions has
 * the call; its meaning is that of vconv with addresses as in vnchwconv, and fits the one
 * published operator that uses it (docs/decisions.md).
 *
 * Mask, repeats and strides may be known only at run time: the lengths and strides of the
 * instructions are expressions of them, and each instruction also has the numbers
 * themselves, which are checked there.
 *
 * Owns: arg-type of lists that do not fit, mask-range, repeat-range and
 * repeat-stride-range of literals; deqscale-forbidden. */
#include "tik/calls/instruction.h"
#include "tik/expr.h"
#include "tik/methods.h"
#include "tik/tik.h"

enum {
    MAX_BLOCKS_LISTED = 8, /* most addresses of one list */
};

typedef struct Scatter {
    Interp *in;
    Tik *c;
    const CallArgs *args;
    Value *v; /* the arguments, by P_scatter_vconv_ */
    Span *span;
    int n;         /* entries of each list */
    int per_block; /* elements of a block of the wider type */
    /* The numbers as int64; mask counts elements of a repeat over all entries. */
    ExprId mask, repeat, dst_rep, src_rep;
} Scatter;

static const List *
list_at(const Scatter *x, int i)
{
    bool list = x->v[i].kind == VAL_LIST || x->v[i].kind == VAL_TUPLE;
    return list ? x->v[i].list : NULL;
}

static const View *
entry(const Scatter *x, int list, int i)
{
    return (const View *)x->v[list].list->p[i].obj;
}

/* Checks a list of 1 to 8 tensors of one type. */
static bool
is_list(const Scatter *x, int i, const char *name)
{
    const List *l = list_at(x, i);
    bool ok = l != NULL && l->n >= 1 && l->n <= MAX_BLOCKS_LISTED;
    for (uint32_t k = 0; ok && k < l->n; k++) {
        ok = tik_is(l->p[k], &tik_tensor_class) &&
             entry(x, i, (int)k)->dtype == entry(x, i, 0)->dtype;
    }
    if (!ok) {
        py_diag(x->in, D_ARG_TYPE, x->span[i],
                "%s is %s; scatter_vconv takes a list of 1 to %d tensors of one dtype",
                name, val_repr(x->in, x->v[i]), MAX_BLOCKS_LISTED);
    }
    return ok;
}

static bool
poisoned(const Scatter *x)
{
    for (int i = 0; i < x->n; i++) {
        if (entry(x, P_scatter_vconv_dst_list, i)->poisoned ||
            entry(x, P_scatter_vconv_src_list, i)->poisoned) {
            return true;
        }
    }
    return false;
}

static bool
read_lists(Scatter *x)
{
    TRY(is_list(x, P_scatter_vconv_dst_list, "dst_list") &&
        is_list(x, P_scatter_vconv_src_list, "src_list"));
    x->n = (int)list_at(x, P_scatter_vconv_dst_list)->n;
    if (list_at(x, P_scatter_vconv_src_list)->n !=
        list_at(x, P_scatter_vconv_dst_list)->n) {
        py_diag(x->in, D_ARG_TYPE, x->span[P_scatter_vconv_src_list],
                "src_list has %u tensors and dst_list has %d",
                list_at(x, P_scatter_vconv_src_list)->n, x->n);
        return false;
    }
    int dst = dtype_size(entry(x, P_scatter_vconv_dst_list, 0)->dtype);
    int src = dtype_size(entry(x, P_scatter_vconv_src_list, 0)->dtype);
    x->per_block = BLOCK_BYTES / MAX(dst, src);
    return !poisoned(x);
}

/* Reads a literal in its range, or a number that only the run knows. */
static bool
number(const Scatter *x, int i, const char *name, DiagId rule, int64_t lo, int64_t hi,
       ExprId *out)
{
    int64_t n;
    if (tik_is_runtime(x->v[i])) {
        ExprId e;
        TRY(tik_read(x->in, x->c, x->v[i], x->span[i], &e));
        *out = ir_cast(x->c->k, DT_S64, e);
        return true;
    }
    if (val_as_int64(x->v[i], &n) && n >= lo && n <= hi) {
        *out = tik_i64(x->c, n);
        return true;
    }
    py_diag(x->in, rule, x->span[i],
            "%s is %s; scatter_vconv takes an int from %lld to %lld, a Scalar or an "
            "Expr there",
            name, val_repr(x->in, x->v[i]), (long long)lo, (long long)hi);
    return false;
}

static bool
read_numbers(Scatter *x)
{
    if (x->v[P_scatter_vconv_deqscale].kind != VAL_NONE) {
        py_diag(x->in, D_DEQ_FORBIDDEN, x->span[P_scatter_vconv_deqscale],
                "deqscale is given; scatter_vconv is compiled without a scale");
        return false;
    }
    int64_t most = (int64_t)x->n * x->per_block;
    return number(x, P_scatter_vconv_mask, "mask", D_MASK_RANGE, 1, most, &x->mask) &&
           number(x, P_scatter_vconv_repeat_times, "repeat_times", D_REPEAT_RANGE, 1, 255,
                  &x->repeat) &&
           number(x, P_scatter_vconv_dst_rep_stride, "dst_rep_stride", D_REPEAT_STRIDE, 0,
                  255, &x->dst_rep) &&
           number(x, P_scatter_vconv_src_rep_stride, "src_rep_stride", D_REPEAT_STRIDE, 0,
                  255, &x->src_rep);
}

/* Returns a tensor of a list. If it has the narrower type, it begins with the half of its
 * block that the call chooses. */
static Value
half_of(const Scatter *x, int list, int i)
{
    const View *v = entry(x, list, i);
    int size = dtype_size(v->dtype);
    View *half = ARENA_NEW(&x->in->u->arena, View);
    *half = *v;
    if (tik_is_set(x->v[P_scatter_vconv_ldst_high_half]) &&
        size * x->per_block < BLOCK_BYTES) {
        half->off = ir_op2(x->c->k, SOP_ADD, v->off, tik_i64(x->c, BLOCK_BYTES / 2));
    }
    return val_object(&half->base);
}

/* Converts a number of blocks to elements of a list's tensors. */
static Value
elements(const Scatter *x, int list, ExprId blocks)
{
    int64_t per = BLOCK_BYTES / dtype_size(entry(x, list, 0)->dtype);
    return tik_expr(x->in, x->c, ir_op2(x->c->k, SOP_MUL, blocks, tik_i64(x->c, per)));
}

/* Returns the number if the comparison with the limit holds, else 0. */
static ExprId
where(const Scatter *x, ExprId n, ScalarOp compare, ExprId e, int64_t limit)
{
    Kernel *k = x->c->k;
    ExprId holds = ir_op2(k, compare, e, tik_i64(x->c, limit));
    return ir_op2(k, SOP_MUL, ir_cast(k, DT_S64, holds), n);
}

/* Returns how many elements of the mask remain after elems; it may be negative. */
static ExprId
remaining(const Scatter *x, int64_t elems)
{
    return ir_op2(x->c->k, SOP_SUB, x->mask, tik_i64(x->c, elems));
}

/* Returns the number of active elements of entry i, 0 to those of a block. */
static ExprId
active(const Scatter *x, int i)
{
    int64_t per = x->per_block;
    ExprId left = remaining(x, i * per);
    ExprId some = where(x, where(x, left, SOP_GT, left, 0), SOP_LT, left, per);
    ExprId all = where(x, tik_i64(x->c, per), SOP_GE, left, per);
    return ir_op2(x->c->k, SOP_ADD, some, all);
}

/* Returns how many elements the mask has more than the entries. */
static ExprId
excess(const Scatter *x)
{
    ExprId over = remaining(x, (int64_t)x->n * x->per_block);
    return where(x, over, SOP_GT, over, 0);
}

/* Returns the place of the argument that a slot of the instruction has unchanged; that of
 * the call if the slot is computed. */
static Span
span_of(const Scatter *x, int slot)
{
    static const int8_t given[] = {
        P_scatter_vconv_dst_list,       P_scatter_vconv_src_list,
        P_scatter_vconv_round_mode,     P_scatter_vconv_mask,
        P_scatter_vconv_mask,           P_scatter_vconv_repeat_times,
        P_scatter_vconv_dst_rep_stride, P_scatter_vconv_src_rep_stride};
    return slot < (int)ARRAY_LEN(given) ? x->span[given[slot]] : x->args->span;
}

/* Records entry i: repeat_times repeats of its active elements. */
static bool
record_entry(const Scatter *x, int i)
{
    enum {
        OPERANDS = 17
    };
    Tik *c = x->c;
    ExprId len = active(x, i);
    int64_t known;
    Span span[OPERANDS];
    Value v[OPERANDS] = {half_of(x, P_scatter_vconv_dst_list, i),
                         half_of(x, P_scatter_vconv_src_list, i),
                         x->v[P_scatter_vconv_round_mode],
                         x->v[P_scatter_vconv_mask],
                         tik_expr(x->in, c, excess(x)),
                         x->v[P_scatter_vconv_repeat_times],
                         x->v[P_scatter_vconv_dst_rep_stride],
                         x->v[P_scatter_vconv_src_rep_stride],
                         val_int(1),
                         tik_expr(x->in, c, x->repeat),
                         tik_expr(x->in, c, len),
                         val_int(0),
                         elements(x, P_scatter_vconv_dst_list, x->dst_rep),
                         val_int(1),
                         val_int(0),
                         elements(x, P_scatter_vconv_src_list, x->src_rep),
                         val_int(1)};
    for (int k = 0; k < OPERANDS; k++) {
        span[k] = span_of(x, k);
    }
    bool none = tik_const_of(c, len, &known) && known == 0;
    return none || tik_record(x->in, c, OP_SCATTER_VCONV, x->args, v, span);
}

void
tik_scatter_vconv(const Bound *b)
{
    Scatter x = {.in = b->in, .c = b->c, .args = b->args, .v = b->got, .span = b->span};
    bool ok = read_lists(&x) && read_numbers(&x);
    for (int i = 0; ok && i < x.n; i++) {
        ok = record_entry(&x, i);
    }
}
