/* slice_reduce.c: reductions along axes of a slice (vector chapter 13) of which all
 * lengths are known. Either the elements of a result follow each other: then it is the
 * sum or extreme of a row (host/lower/tree.c, host/lower/extreme.c). Or results do, and
 * the elements of each are at a fixed step: then neighbouring results are the lanes of a
 * vector. The runtime library has the others.
 *
 * A sum is a balanced tree, neighbours first, as if +0 filled the elements up to a power
 * of two. A row's tree is that of sums of as many elements as a vector instruction has
 * lanes. Lanes of results are added in trees of a few elements; a tree of 2^k of these
 * waits in memory, at level k, for one of the same size that it is added to. */
#include "host/lower/lower.h"

enum {
    DIMS = 6,
    OUTER = 2,     /* dimensions of the results */
    TOGETHER = 64, /* results that are lanes of one vector */
    BRANCHES = 8   /* elements whose tree is made in registers */
};

/* n elements for each result, step bytes apart. */
typedef struct Fold {
    Sem sem;
    Dtype t, to;
    int64_t len[OUTER], src_step[OUTER], dst_step[OUTER];
    int64_t n, step;
    bool index; /* the result is the index of the extreme */
    bool far;   /* the elements are in memory that the caches do not hold */
} Fold;

static const Arg *
args_of(const Lower *l, StmtId s)
{
    return &l->k->args.p[l->k->stmts.p[s].instr.arg];
}

static int
size_of(const Fold *f)
{
    return dtype_size(f->t);
}

static LLVMValueRef
at(Lower *l, LLVMValueRef p, int64_t off)
{
    LLVMValueRef v = lower_const(l, off);
    return LLVMBuildGEP2(l->b, l->i8, p, &v, 1, "");
}

static int64_t
room_of(int64_t n)
{
    int64_t room = 1;
    while (room < n) {
        room *= 2;
    }
    return room;
}

static const LaneBlocks dense = {.stride = NULL};

/* Returns a vector of i1: which of the lanes are below n; null: all are. */
static LLVMValueRef
leading(Lower *l, int lanes, int64_t n)
{
    LLVMValueRef on[MAX_LANES];
    for (int i = 0; i < lanes; i++) {
        on[i] = LLVMConstInt(l->i1, i < n, false);
    }
    return n >= lanes ? NULL : LLVMConstVector(on, (unsigned)lanes);
}

/* ---- shapes -------------------------------------------------------------- */

static bool
read_extents(const Lower *l, const Arg *args, int first, int n, int64_t *v)
{
    bool known = true;
    for (int i = 0; i < n; i++) {
        known = known && ir_is_const(l->k, args[first + i].expr);
        v[i] = known ? ir_expr(l->k, args[first + i].expr)->imm : 0;
    }
    return known;
}

/* Joins the dimensions of the elements to one; false: they are not at one step. */
static bool
join_axes(Fold *f, const int64_t *len, const int64_t *step)
{
    f->n = 1;
    f->step = size_of(f);
    for (int d = DIMS - 1; d >= OUTER; d--) {
        if (len[d] == 1) {
            continue;
        }
        if (f->n > 1 && step[d] != f->n * f->step) {
            return false;
        }
        f->step = f->n == 1 ? step[d] : f->step;
        f->n *= len[d];
    }
    return true;
}

/* Makes the dimensions of the results one where it goes; the last one is the longer. */
static void
join_results(Fold *f)
{
    bool joint = f->src_step[0] == f->len[1] * f->src_step[1] &&
                 f->dst_step[0] == f->len[1] * f->dst_step[1];
    if (f->len[1] == 1) {
        f->src_step[1] = f->src_step[0];
        f->dst_step[1] = f->dst_step[0];
    }
    if (joint || f->len[1] == 1) {
        f->len[1] *= f->len[0];
        f->len[0] = 1;
    }
}

/* False: the library has the instruction. */
static bool
read_fold(const Lower *l, StmtId s, Fold *f)
{
    int64_t len[DIMS], src[DIMS];
    Form form = op_table[l->k->stmts.p[s].instr.op].form;
    const Arg *args = args_of(l, s);
    const SliceOperand *d = form_slice(form, 0), *o = form_slice(form, 1);
    if (!read_extents(l, args, o->len, DIMS, len) ||
        !read_extents(l, args, o->stride, DIMS, src) ||
        !read_extents(l, args, d->stride, OUTER, f->dst_step)) {
        return false;
    }
    bool some = true;
    for (int i = 0; i < DIMS; i++) {
        src[i] *= size_of(f);
        some = some && len[i] > 0;
    }
    for (int i = 0; i < OUTER; i++) {
        f->len[i] = len[i];
        f->src_step[i] = src[i];
        f->dst_step[i] *= dtype_size(f->to);
    }
    if (!some || !join_axes(f, len, src)) {
        return false;
    }
    join_results(f);
    return f->n > 1;
}

static bool
is_row(const Fold *f)
{
    return f->step == size_of(f);
}

/* True if neighbouring results are lanes. */
static bool
is_beside(const Fold *f)
{
    return !is_row(f) && f->src_step[1] == size_of(f) &&
           f->dst_step[1] == dtype_size(f->to);
}

static bool
set_meaning(const Lower *l, StmtId s, Fold *f)
{
    Sem sem = op_table[l->k->stmts.p[s].instr.op].sem;
    bool saturates =
        lower_chosen(l, CHOICE_FLOAT16_OVERFLOW) == CHOSE_FLOAT16_OVERFLOW_SATURATE;
    f->index = sem == SEM_SLICE_ARGMAX || sem == SEM_SLICE_ARGMIN;
    f->sem = sem == SEM_SLICE_SUM                               ? SEM_CADD
             : sem == SEM_SLICE_RMAX || sem == SEM_SLICE_ARGMAX ? SEM_CMAX
                                                                : SEM_CMIN;
    if (f->sem == SEM_CADD) {
        return f->t == DT_F32 || (f->t == DT_F16 && !saturates);
    }
    return f->t == DT_F32 || f->t == DT_F16 || f->t == DT_S16;
}

/* ---- sums of rows -------------------------------------------------------- */

/* Writes the sum of n elements, at most as many as the lanes. */
static void
sum_of_few(Lower *l, const Fold *f, LLVMValueRef dst, LLVMValueRef src, int64_t n,
           int lanes)
{
    LLVMValueRef x = lower_lanes_load(l, f->t, lanes, src, &dense);
    LLVMValueRef on = leading(l, lanes, n);
    if (on != NULL) {
        x = LLVMBuildSelect(l->b, on, x, LLVMConstNull(LLVMTypeOf(x)), "");
    }
    x = lower_reduce_tree(l, SEM_CADD, f->t, lanes, x);
    lower_lanes_store(l, f->t, 1, x, NULL, dst, &dense);
}

/* Replaces `groups` times `lanes` elements at src by their sums at dst, which may be the
 * same. */
static void
sum_groups(Lower *l, const Fold *f, LLVMValueRef dst, LLVMValueRef src, int64_t groups,
           int lanes)
{
    Counted c = {.count = lower_const(l, groups),
                 .at = {dst, src},
                 .step = {lower_const(l, size_of(f)), lower_const(l, lanes * size_of(f))},
                 .n = 2};
    lower_counted_begin(l, &c);
    if (f->far && dst != src) {
        lower_prefetch(l, c.at[1], AHEAD, REPEAT_BYTES, false);
    }
    sum_of_few(l, f, c.at[0], c.at[1], lanes, lanes);
    lower_counted_end(l, &c);
}

/* Writes the sum of a row whose groups do not fit a vector. sums: room for theirs, a
 * power of two; those after the last one are 0. */
static void
sum_row(Lower *l, const Fold *f, LLVMValueRef dst, LLVMValueRef src, LLVMValueRef sums)
{
    int lanes = REPEAT_BYTES / size_of(f);
    int64_t whole = f->n / lanes, rest = f->n % lanes;
    sum_groups(l, f, sums, src, whole, lanes);
    if (rest > 0) {
        sum_of_few(l, f, at(l, sums, whole * size_of(f)),
                   at(l, src, whole * REPEAT_BYTES), rest, lanes);
    }
    int64_t left = room_of(whole + (rest > 0));
    for (; left > lanes; left /= lanes) {
        sum_groups(l, f, sums, sums, left / lanes, lanes);
    }
    sum_of_few(l, f, dst, sums, left, (int)left);
}

static LLVMValueRef
room_for_sums(Lower *l, const Fold *f)
{
    int lanes = REPEAT_BYTES / size_of(f);
    int64_t have = (f->n + lanes - 1) / lanes, room = room_of(have);
    LLVMTypeRef type = LLVMArrayType2(lower_bits_type(l, f->t, 0), (uint64_t)room);
    LLVMValueRef sums = lower_helper_alloca(l, type, "sums");
    LLVMBuildMemSet(l->b, at(l, sums, have * size_of(f)), LLVMConstInt(l->i8, 0, false),
                    lower_const(l, (room - have) * size_of(f)), 1);
    return sums;
}

/* ---- rows ---------------------------------------------------------------- */

static void
extreme_row(Lower *l, const Fold *f, LLVMValueRef dst, LLVMValueRef src)
{
    LLVMTypeRef type = lower_bits_type(l, f->to, 0);
    LLVMValueRef v =
        lower_extreme_row(l, &(RowSearch){f->sem, f->t, f->n, f->index, f->far}, src);
    v = LLVMBuildIntCast2(l->b, v, type, false, "");
    LLVMSetAlignment(LLVMBuildStore(l->b, v, dst), (unsigned)dtype_size(f->to));
}

/* Builds the helper (dst, src, results, steps of dst and src). */
static void
rows_helper(Lower *l, const Fold *f, const Helper *h)
{
    int lanes = REPEAT_BYTES / size_of(f);
    bool few = f->sem != SEM_CADD || f->n <= lanes;
    LLVMValueRef sums = few ? NULL : room_for_sums(l, f);
    Counted c = {.count = LLVMGetParam(h->fn, 2),
                 .at = {LLVMGetParam(h->fn, 0), LLVMGetParam(h->fn, 1)},
                 .step = {LLVMGetParam(h->fn, 3), LLVMGetParam(h->fn, 4)},
                 .n = 2};
    lower_counted_begin(l, &c);
    if (f->sem != SEM_CADD) {
        extreme_row(l, f, c.at[0], c.at[1]);
    } else if (few) {
        sum_of_few(l, f, c.at[0], c.at[1], f->n, (int)room_of(f->n));
    } else {
        sum_row(l, f, c.at[0], c.at[1], sums);
    }
    lower_counted_end(l, &c);
}

/* ---- lanes of results ---------------------------------------------------- */

/* The lanes that are computed together, and of them those that are results. */
typedef struct Lanes {
    int lanes;
    int64_t used;
    LLVMTypeRef type; /* of numbers */
} Lanes;

static LLVMValueRef
load_numbers(Lower *l, const Fold *f, const Lanes *w, LLVMValueRef src)
{
    LLVMValueRef bits = lower_lanes_load(l, f->t, w->lanes, src, &dense);
    return lower_tree_numbers(l, f->t, w->lanes, bits);
}

static void
store_lanes(Lower *l, const Lanes *w, Dtype t, LLVMValueRef bits, LLVMValueRef dst)
{
    lower_lanes_store(l, t, w->lanes, bits, leading(l, w->lanes, w->used), dst, &dense);
}

/* Returns the tree of `room` elements, a power of two, of which there are n. */
static LLVMValueRef
tree_of(Lower *l, const Fold *f, const Lanes *w, LLVMValueRef src, int64_t n, int room)
{
    if (n <= 0) {
        return LLVMConstNull(w->type);
    }
    if (room == 1) {
        return load_numbers(l, f, w, src);
    }
    int half = room / 2;
    LLVMValueRef a = tree_of(l, f, w, src, MIN(n, half), half);
    LLVMValueRef b = tree_of(l, f, w, at(l, src, half * f->step), n - half, half);
    return lower_tree_sum(l, f->t, w->lanes, a, b);
}

/* Adds the tree with this number to those that wait for it, and leaves the sum where it
 * waits itself. */
static void
put_tree(Lower *l, const Fold *f, const Lanes *w, LLVMValueRef waiting,
         LLVMValueRef number, LLVMValueRef tree)
{
    LLVMBasicBlockRef from = LLVMGetInsertBlock(l->b), head = lower_block(l, "level"),
                      add = lower_block(l, "add"), done = lower_block(l, "waits");
    LLVMBuildBr(l->b, head);
    LLVMPositionBuilderAtEnd(l->b, head);
    LLVMValueRef n = LLVMBuildPhi(l->b, l->i64, "");
    LLVMValueRef place = LLVMBuildPhi(l->b, l->ptr, "");
    LLVMValueRef sum = LLVMBuildPhi(l->b, w->type, "");
    LLVMValueRef odd = LLVMBuildTrunc(l->b, n, l->i1, "");
    LLVMBuildCondBr(l->b, odd, add, done);
    LLVMPositionBuilderAtEnd(l->b, add);
    LLVMValueRef other = LLVMBuildLoad2(l->b, w->type, place, "");
    LLVMValueRef next[3] = {
        LLVMBuildLShr(l->b, n, lower_const(l, 1), ""),
        LLVMBuildGEP2(l->b, w->type, place, (LLVMValueRef[]){lower_const(l, 1)}, 1, ""),
        lower_tree_sum(l, f->t, w->lanes, other, sum)};
    LLVMBuildBr(l->b, head);
    LLVMValueRef first[3] = {number, waiting, tree}, phi[3] = {n, place, sum};
    for (int i = 0; i < 3; i++) {
        LLVMAddIncoming(phi[i], &first[i], &from, 1);
        LLVMAddIncoming(phi[i], &next[i], &add, 1);
    }
    LLVMPositionBuilderAtEnd(l->b, done);
    LLVMBuildStore(l->b, sum, place);
}

/* Puts the trees from number `first` on, each of n elements of the next ones. */
static void
put_trees(Lower *l, const Fold *f, const Lanes *w, LLVMValueRef waiting, LLVMValueRef src,
          int64_t first, int64_t count, int64_t n)
{
    Counted c = {.count = lower_const(l, count),
                 .at = {src},
                 .step = {lower_const(l, BRANCHES * f->step)},
                 .n = 1};
    if (count <= 0) {
        return;
    }
    lower_counted_begin(l, &c);
    LLVMValueRef number = LLVMBuildAdd(l->b, c.index, lower_const(l, first), "");
    LLVMValueRef tree = tree_of(l, f, w, c.at[0], n, BRANCHES);
    put_tree(l, f, w, waiting, number, tree);
    lower_counted_end(l, &c);
}

static LLVMValueRef
sum_beside(Lower *l, const Fold *f, const Lanes *w, LLVMValueRef src,
           LLVMValueRef waiting)
{
    if (f->n <= BRANCHES) {
        return tree_of(l, f, w, src, f->n, (int)room_of(f->n));
    }
    int64_t whole = f->n / BRANCHES, rest = f->n % BRANCHES;
    int64_t have = whole + (rest > 0), all = room_of(have), level = 0;
    put_trees(l, f, w, waiting, src, 0, whole, BRANCHES);
    put_trees(l, f, w, waiting, at(l, src, whole * BRANCHES * f->step), whole, rest > 0,
              rest);
    put_trees(l, f, w, waiting, src, have, all - have, 0);
    while (all > 1) {
        all /= 2;
        level++;
    }
    LLVMValueRef top = lower_const(l, level);
    waiting = LLVMBuildGEP2(l->b, w->type, waiting, &top, 1, "");
    return LLVMBuildLoad2(l->b, w->type, waiting, "");
}

/* Of equal numbers the first one wins. A number wins against a NaN, which is what there
 * is before the first one. */
static LLVMValueRef
wins(Lower *l, const Fold *f, LLVMValueRef x, LLVMValueRef best)
{
    LLVMValueRef better = lower_tree_better(l, f->sem, f->t, x, best);
    if (!dtype_is_float(f->t)) {
        return better;
    }
    LLVMValueRef number = LLVMBuildFCmp(l->b, LLVMRealORD, x, x, "");
    LLVMValueRef none = LLVMBuildFCmp(l->b, LLVMRealUNO, best, best, "");
    return LLVMBuildOr(l->b, better, LLVMBuildAnd(l->b, number, none, ""), "");
}

static LLVMValueRef
before_first(Lower *l, const Fold *f, int lanes)
{
    if (!dtype_is_float(f->t)) {
        return lower_tree_worst(l, f->sem, f->t, lanes);
    }
    uint64_t nan = f->t == DT_F16 ? 0x7e00 : 0x7fc00000;
    return lower_tree_numbers(l, f->t, lanes, lower_bits_const(l, f->t, lanes, nan));
}

/* Writes the extremes, or their indices. */
static void
extreme_beside(Lower *l, const Fold *f, const Lanes *w, LLVMValueRef dst,
               LLVMValueRef src)
{
    Counted c = {.count = lower_const(l, f->n),
                 .at = {src},
                 .step = {lower_const(l, f->step)},
                 .n = 1};
    lower_counted_begin(l, &c);
    LLVMValueRef best = lower_counted_value(l, &c, before_first(l, f, w->lanes));
    LLVMValueRef index =
        lower_counted_value(l, &c, lower_bits_const(l, DT_S32, w->lanes, 0));
    LLVMValueRef x = load_numbers(l, f, w, c.at[0]);
    LLVMValueRef here = LLVMBuildTrunc(l->b, c.index, l->i32, "");
    LLVMValueRef better = wins(l, f, x, best);
    here = LLVMBuildSelect(l->b, better, lower_splat(l, here, w->lanes), index, "");
    lower_counted_next(l, best, LLVMBuildSelect(l->b, better, x, best, ""));
    lower_counted_next(l, index, here);
    lower_counted_end(l, &c);
    LLVMTypeRef to = lower_bits_type(l, f->to, w->lanes);
    LLVMValueRef bits = f->index ? LLVMBuildIntCast2(l->b, index, to, false, "")
                                 : lower_tree_bits(l, f->t, w->lanes, best);
    store_lanes(l, w, f->to, bits, dst);
}

static void
results_beside(Lower *l, const Fold *f, const Lanes *w, LLVMValueRef dst,
               LLVMValueRef src, LLVMValueRef waiting)
{
    if (f->sem != SEM_CADD) {
        extreme_beside(l, f, w, dst, src);
        return;
    }
    LLVMValueRef sum = sum_beside(l, f, w, src, waiting);
    store_lanes(l, w, f->to, lower_tree_bits(l, f->t, w->lanes, sum), dst);
}

/* Builds the helper (dst, src). */
static void
beside_helper(Lower *l, const Fold *f, const Helper *h)
{
    int64_t results = f->len[1];
    int lanes = (int)MIN(room_of(results), TOGETHER);
    lanes = MAX(lanes, BLOCK_BYTES / size_of(f));
    LLVMTypeRef type = LLVMTypeOf(
        lower_tree_numbers(l, f->t, lanes, lower_bits_const(l, f->t, lanes, 0)));
    Lanes w = {lanes, lanes, type};
    LLVMValueRef waiting = NULL;
    if (f->sem == SEM_CADD && f->n > BRANCHES) {
        unsigned levels = 1;
        while ((int64_t)BRANCHES << (levels - 1) < f->n) {
            levels++;
        }
        waiting = lower_helper_alloca(l, LLVMArrayType2(type, levels), "waiting");
    }
    Counted c = {.count = lower_const(l, results / lanes),
                 .at = {LLVMGetParam(h->fn, 0), LLVMGetParam(h->fn, 1)},
                 .step = {lower_const(l, lanes * dtype_size(f->to)),
                          lower_const(l, lanes * size_of(f))},
                 .n = 2};
    lower_counted_begin(l, &c);
    results_beside(l, f, &w, c.at[0], c.at[1], waiting);
    lower_counted_end(l, &c);
    w.used = results % lanes;
    if (w.used > 0) {
        results_beside(l, f, &w, c.at[0], c.at[1], waiting);
    }
}

/* ---- the instruction ----------------------------------------------------- */

enum {
    MAX_FOLD_PARAMS = 5
};

static void
call_helper(Lower *l, const Fold *f, LLVMValueRef dst, LLVMValueRef src)
{
    Helper h;
    LLVMTypeRef types[MAX_FOLD_PARAMS] = {l->ptr, l->ptr, l->i64, l->i64, l->i64};
    LLVMValueRef args[MAX_FOLD_PARAMS] = {dst, src, lower_const(l, f->len[1]),
                                          lower_const(l, f->dst_step[1]),
                                          lower_const(l, f->src_step[1])};
    int n = is_row(f) ? MAX_FOLD_PARAMS : 2;
    const char *name =
        is_row(f) ? arena_printf(l->arena, "tik.rows.%s.%s.%s.%d.%lld", sem_name(f->sem),
                                 dtype_name(f->t), dtype_name(f->to),
                                 f->index + 2 * f->far, (long long)f->n)
                  : arena_printf(l->arena, "tik.beside.%s.%s.%s.%d.%lld.%lld.%lld",
                                 sem_name(f->sem), dtype_name(f->t), dtype_name(f->to),
                                 f->index, (long long)f->n, (long long)f->step,
                                 (long long)f->len[1]);
    if (lower_helper_begin(l, &h, name, types, n)) {
        (is_row(f) ? rows_helper : beside_helper)(l, f, &h);
        lower_helper_end(l, &h);
    }
    lower_helper_call(l, &h, args, n);
}

bool
lower_slice_reduce(Lower *l, StmtId s)
{
    const Arg *args = args_of(l, s);
    Fold f = {.t = args[1].ref.dtype, .to = args[0].ref.dtype};
    bool here = set_meaning(l, s, &f);
    bool global = l->k->bufs.p[args[1].ref.buf].scope == SC_GM;
    here = here && l->k->bufs.p[args[0].ref.buf].scope != SC_GM;
    here = here && args[0].ref.buf != args[1].ref.buf && read_fold(l, s, &f);
    if (!here || (!is_row(&f) && (global || !is_beside(&f)))) {
        return false;
    }
    f.far = global && l->has_far;
    Counted c = {.count = lower_const(l, f.len[0]),
                 .at = {lower_ref(l, &args[0].ref), lower_ref(l, &args[1].ref)},
                 .step = {lower_const(l, f.dst_step[0]), lower_const(l, f.src_step[0])},
                 .n = 2};
    if (f.len[0] > 1) {
        lower_counted_begin(l, &c);
    }
    call_helper(l, &f, c.at[0], c.at[1]);
    if (f.len[0] > 1) {
        lower_counted_end(l, &c);
    }
    return true;
}
