/* tik_scatter.c: scatter_vconv, a conversion whose blocks have an address each: one instruction of the form hcast
 * for each entry of its lists. No manual of the present versions has the call; its meaning is that of vconv with
 * addresses as vnchwconv has them, and fits the one published operator that uses it (docs/decisions.md).
 *
 * Owns: arg-type of lists that do not fit, mask-range, repeat-range and repeat-stride-range of literals;
 * deqscale-forbidden. */
#include "stage/tik.h"

enum {
    MAX_BLOCKS_LISTED = 8, /* addresses of one list */
    P_MASK = 0,
    P_ROUND,
    P_DST,
    P_SRC,
    P_REPEAT,
    P_DST_REP,
    P_SRC_REP,
    P_DEQ,
    P_HIGH,
    P_COUNT
};

typedef struct Scatter {
    Interp *in;
    Tik *c;
    const CallArgs *args;
    Value v[P_COUNT];
    Span span[P_COUNT];
    int n;          /* entries of a list */
    int64_t active; /* elements of a repeat, over all entries */
    int per_block;  /* elements of a block of the wider type */
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

/* A list of 1 to 8 tensors of one type. */
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
        stage_diag(x->in, D_ARG_TYPE, x->span[i],
                   "%s is %s; scatter_vconv takes a list of 1 to %d tensors of one dtype",
                   name, val_repr(x->in, x->v[i]), MAX_BLOCKS_LISTED);
    }
    return ok;
}

static bool
poisoned(const Scatter *x)
{
    for (int i = 0; i < x->n; i++) {
        if (entry(x, P_DST, i)->poisoned || entry(x, P_SRC, i)->poisoned) {
            return true;
        }
    }
    return false;
}

static bool
read_lists(Scatter *x)
{
    TRY(is_list(x, P_DST, "dst_list") && is_list(x, P_SRC, "src_list"));
    x->n = (int)list_at(x, P_DST)->n;
    if (list_at(x, P_SRC)->n != list_at(x, P_DST)->n) {
        stage_diag(x->in, D_ARG_TYPE, x->span[P_SRC],
                   "src_list has %u tensors and dst_list has %d", list_at(x, P_SRC)->n,
                   x->n);
        return false;
    }
    int dst = dtype_size(entry(x, P_DST, 0)->dtype);
    int src = dtype_size(entry(x, P_SRC, 0)->dtype);
    x->per_block = BLOCK_BYTES / MAX(dst, src);
    return !poisoned(x);
}

/* A literal in its range. */
static bool
literal(const Scatter *x, int i, const char *name, DiagId rule, int64_t lo, int64_t hi,
        int64_t *out)
{
    if (val_as_int64(x->v[i], out) && *out >= lo && *out <= hi) {
        return true;
    }
    stage_diag(x->in, rule, x->span[i],
               "%s is %s; scatter_vconv takes an int from %lld to %lld there", name,
               val_repr(x->in, x->v[i]), (long long)lo, (long long)hi);
    return false;
}

static bool
read_numbers(Scatter *x, int64_t *dst_rep, int64_t *src_rep)
{
    int64_t repeat;
    if (x->v[P_DEQ].kind != VAL_NONE) {
        stage_diag(x->in, D_DEQ_FORBIDDEN, x->span[P_DEQ],
                   "deqscale is given; scatter_vconv is compiled without a scale");
        return false;
    }
    return literal(x, P_MASK, "mask", D_MASK_RANGE, 1, (int64_t)x->n * x->per_block,
                   &x->active) &&
           (tik_is_runtime(x->v[P_REPEAT]) ||
            literal(x, P_REPEAT, "repeat_times", D_REPEAT_RANGE, 1, 255, &repeat)) &&
           literal(x, P_DST_REP, "dst_rep_stride", D_REPEAT_STRIDE, 0, 255, dst_rep) &&
           literal(x, P_SRC_REP, "src_rep_stride", D_REPEAT_STRIDE, 0, 255, src_rep);
}

/* The tensor from its block's chosen half on, where that is the narrower one. */
static Value
half_of(const Scatter *x, int list, int i)
{
    const View *v = entry(x, list, i);
    int size = dtype_size(v->dtype);
    View *half = ARENA_NEW(&x->in->u->arena, View);
    *half = *v;
    if (tik_is_set(x->v[P_HIGH]) && size * x->per_block < BLOCK_BYTES) {
        half->off = ir_op2(x->c->k, SOP_ADD, v->off, tik_i64(x->c, BLOCK_BYTES / 2));
    }
    return val_object(&half->base);
}

static int64_t
elements(const Scatter *x, int list, int64_t blocks)
{
    return blocks * BLOCK_BYTES / dtype_size(entry(x, list, 0)->dtype);
}

/* One entry: repeat_times times n elements. */
static bool
record_entry(const Scatter *x, int i, int64_t dst_rep, int64_t src_rep)
{
    enum {
        OPERANDS = 13
    };
    int64_t left = x->active - (int64_t)i * x->per_block;
    Span span[OPERANDS];
    Value v[OPERANDS] = {half_of(x, P_DST, i),
                         half_of(x, P_SRC, i),
                         x->v[P_ROUND],
                         val_int(0),
                         val_int(1),
                         x->v[P_REPEAT],
                         val_int(MIN(left, x->per_block)),
                         val_int(0),
                         val_int(elements(x, P_DST, dst_rep)),
                         val_int(1),
                         val_int(0),
                         val_int(elements(x, P_SRC, src_rep)),
                         val_int(1)};
    for (int k = 0; k < OPERANDS; k++) {
        span[k] = x->args->span;
    }
    span[0] = x->span[P_DST];
    span[1] = x->span[P_SRC];
    span[2] = x->span[P_ROUND];
    return left <= 0 || tik_record(x->in, x->c, OP_SCATTER_VCONV, x->args, v, span);
}

Value
tik_scatter_vconv(Interp *in, Tik *c, const CallArgs *args)
{
    static const BindParam params[P_COUNT] = {
        {"mask", true, {0}},
        {"round_mode", true, {0}},
        {"dst_list", true, {0}},
        {"src_list", true, {0}},
        {"repeat_times", true, {0}},
        {"dst_rep_stride", true, {0}},
        {"src_rep_stride", true, {0}},
        {"deqscale", false, {.kind = VAL_NONE}},
        {"ldst_high_half", false, {.kind = VAL_NONE}},
    };
    Scatter x = {.in = in, .c = c, .args = args};
    int64_t dst_rep, src_rep;
    if (tik_dropped(c)) {
        return val_none();
    }
    if (!stage_bind(in, "scatter_vconv", args, params, P_COUNT, x.v, x.span)) {
        return val_fail();
    }
    bool ok = tik_not_built(in, c, args->span) && read_lists(&x) &&
              read_numbers(&x, &dst_rep, &src_rep);
    for (int i = 0; ok && i < x.n; i++) {
        ok = record_entry(&x, i, dst_rep, src_rep);
    }
    return in->fatal ? val_fail() : val_none();
}
