/* extreme.c: the extreme of each repeat with its lane, and that of all repeats, with its
 * index or without (vector 7.1, 7.2).
 *
 * The greatest number is found first, in any order of lanes, without regard to NaN. It
 * says the result but for three things: which lane was first; of zeros, which of the two
 * it is; of the number that loses against all others, whether there was only NaN. Where
 * one of them matters, the first lane with that number is searched. If there is none, all
 * lanes that are on are NaN, and the result is the first of them. */
#include "host/lower/lower.h"

enum {
    SETS = 64 /* numbers that are compared at once while repeats are joined */
};

/* What is searched, in one repeat or in several. */
typedef struct Search {
    const LaneSource *src;
    Sem sem;
    Dtype t;
    int lanes, size;
    bool index; /* the index of the extreme is needed */
    bool far;   /* the source is in memory that the caches do not hold */
    /* The distance of the last repeat, which is less than a step from the one before;
     * null: all are a step apart. */
    LLVMValueRef last;
} Search;

static Search
search_of(const LaneShape *sh, const LaneSource *src)
{
    Dtype t = sh->dtype[0];
    return (Search){.src = src,
                    .sem = (Sem)sh->mode,
                    .t = t,
                    .lanes = sh->lanes,
                    .size = dtype_size(t),
                    .index = (sh->variant & 1) != 0,
                    .far = (sh->variant & REDUCE_FAR) != 0};
}

static LLVMValueRef
splat_of(Lower *l, LLVMValueRef one, int lanes)
{
    LLVMValueRef index = LLVMConstNull(LLVMVectorType(l->i32, (unsigned)lanes));
    return LLVMBuildShuffleVector(l->b, one, LLVMGetPoison(LLVMTypeOf(one)), index, "");
}

/* Asks for what comes later, in a loop that reads each repeat once. */
static void
look_ahead(Lower *l, const Search *x, LLVMValueRef at)
{
    if (x->far) {
        lower_prefetch(l, at, AHEAD, REPEAT_BYTES, false);
    }
}

static LLVMValueRef
load(Lower *l, const Search *x, LLVMValueRef at)
{
    LLVMValueRef bits = lower_lanes_load(l, x->t, x->lanes, at, &x->src->blk);
    return lower_tree_numbers(l, x->t, x->lanes, bits);
}

/* Returns the extremes of `left` sets of lanes together with those of before, which may
 * be null. */
static LLVMValueRef
best_of(Lower *l, const Search *x, LLVMValueRef numbers, LLVMValueRef before, int left)
{
    LLVMValueRef worst = lower_tree_worst(l, x->sem, x->t, x->lanes);
    if (x->src->mask != NULL) {
        numbers = LLVMBuildSelect(l->b, x->src->mask, numbers, worst, "");
    }
    if (before == NULL) {
        LLVMValueRef better = lower_tree_better(l, x->sem, x->t, numbers, worst);
        numbers = LLVMBuildSelect(l->b, better, numbers, worst, "");
        return lower_tree_extreme(l, x->sem, x->t, x->lanes, numbers, left);
    }
    for (int first = 0; first < x->lanes; first += left) {
        LLVMTypeRef types[2] = {LLVMTypeOf(before), LLVMTypeOf(numbers)};
        LLVMValueRef args[2] = {numbers, lower_const(l, first)};
        LLVMValueRef set = lower_intrinsic(l, "llvm.vector.extract", types, 2, args, 2);
        LLVMValueRef better = lower_tree_better(l, x->sem, x->t, set, before);
        before = LLVMBuildSelect(l->b, better, set, before, "");
    }
    return before;
}

/* Returns an integer with a bit for each lane that is on and has the number of the vector
 * `one`. */
static LLVMValueRef
lanes_with(Lower *l, const Search *x, LLVMValueRef numbers, LLVMValueRef one)
{
    LLVMValueRef all = splat_of(l, one, x->lanes);
    LLVMValueRef same = dtype_is_float(x->t)
                            ? LLVMBuildFCmp(l->b, LLVMRealOEQ, numbers, all, "")
                            : LLVMBuildICmp(l->b, LLVMIntEQ, numbers, all, "");
    if (x->src->mask != NULL) {
        same = LLVMBuildAnd(l->b, same, x->src->mask, "");
    }
    return LLVMBuildBitCast(l->b, same, LLVMIntTypeInContext(l->ctx, (unsigned)x->lanes),
                            "");
}

/* Returns the number of the lowest bit that is set, as i64; one is. */
static LLVMValueRef
lowest(Lower *l, LLVMValueRef bits)
{
    LLVMTypeRef type = LLVMTypeOf(bits);
    LLVMValueRef args[2] = {bits, LLVMConstInt(l->i1, 1, false)};
    LLVMValueRef at = lower_intrinsic(l, "llvm.cttz", &type, 1, args, 2);
    return LLVMBuildIntCast2(l->b, at, l->i64, false, "");
}

/* Returns the first lane that is on, which is the same in all repeats. */
static LLVMValueRef
first_lane(Lower *l, const Search *x)
{
    if (x->src->mask == NULL) {
        return lower_const(l, 0);
    }
    LLVMTypeRef type = LLVMIntTypeInContext(l->ctx, (unsigned)x->lanes);
    return lowest(l, LLVMBuildBitCast(l->b, x->src->mask, type, ""));
}

/* Loads the element of a lane of the repeat at an address. */
static LLVMValueRef
element(Lower *l, const Search *x, LLVMValueRef at, LLVMValueRef lane)
{
    LLVMValueRef off = LLVMBuildMul(l->b, lane, lower_const(l, x->size), "");
    if (x->src->blk.stride != NULL) {
        LLVMValueRef block = LLVMBuildLShr(l->b, off, lower_const(l, 5), "");
        off = LLVMBuildAnd(l->b, off, lower_const(l, BLOCK_BYTES - 1), "");
        block = LLVMBuildMul(l->b, block, x->src->blk.stride, "");
        off = LLVMBuildAdd(l->b, off, block, "");
    }
    at = LLVMBuildGEP2(l->b, l->i8, at, &off, 1, "");
    LLVMValueRef bits = LLVMBuildLoad2(l->b, lower_bits_type(l, x->t, 0), at, "");
    LLVMSetAlignment(bits, (unsigned)x->size);
    return bits;
}

static void
put(Lower *l, const Search *x, LLVMValueRef dst, int i, LLVMValueRef v)
{
    LLVMValueRef off = lower_const(l, (int64_t)i * x->size);
    v = LLVMBuildIntCast2(l->b, v, lower_bits_type(l, x->t, 0), false, "");
    dst = LLVMBuildGEP2(l->b, l->i8, dst, &off, 1, "");
    LLVMSetAlignment(LLVMBuildStore(l->b, v, dst), (unsigned)x->size);
}

static LLVMValueRef
canonical_nan(Lower *l, const Search *x)
{
    uint64_t nan = x->t == DT_F16 ? 0x7e00 : x->t == DT_F32 ? 0x7fc00000 : 0;
    return lower_bits_const(l, x->t, 0, nan);
}

static LLVMValueRef
is_not_zero(Lower *l, LLVMValueRef v)
{
    return LLVMBuildICmp(l->b, LLVMIntNE, v, LLVMConstNull(LLVMTypeOf(v)), "");
}

/* ---- each repeat --------------------------------------------------------- */

void
lower_extreme_each(Lower *l, const LaneShape *sh, const LaneSource *src)
{
    Search x = search_of(sh, src);
    Counted c = src->c;
    LLVMValueRef none = first_lane(l, &x);
    lower_counted_begin(l, &c);
    look_ahead(l, &x, c.at[0]);
    LLVMValueRef numbers = load(l, &x, c.at[0]);
    LLVMValueRef same = lanes_with(l, &x, numbers, best_of(l, &x, numbers, NULL, 1));
    LLVMValueRef found = is_not_zero(l, same);
    LLVMValueRef lane = LLVMBuildSelect(l->b, found, lowest(l, same), none, "");
    LLVMValueRef bits = element(l, &x, c.at[0], lane);
    bits = LLVMBuildSelect(l->b, found, bits, canonical_nan(l, &x), "");
    put(l, &x, c.at[1], x.index ? 0 : 1, lane);
    put(l, &x, c.at[1], x.index ? 1 : 0, bits);
    lower_counted_end(l, &c);
}

/* ---- all repeats --------------------------------------------------------- */

/* Returns the distance of the present repeat from the first. */
static LLVMValueRef
distance(Lower *l, const Search *x, const Counted *c)
{
    LLVMValueRef off = LLVMBuildMul(l->b, c->index, x->src->c.step[0], "");
    if (x->last == NULL) {
        return off;
    }
    LLVMValueRef args[2] = {off, x->last};
    return lower_intrinsic(l, "llvm.umin", &l->i64, 1, args, 2);
}

static LLVMValueRef
repeat_at(Lower *l, const Search *x, const Counted *c)
{
    LLVMValueRef off = distance(l, x, c);
    return LLVMBuildGEP2(l->b, l->i8, x->src->c.at[0], &off, 1, "");
}

/* Returns the extreme of all repeats, a vector of one number. */
static LLVMValueRef
best_of_all(Lower *l, const Search *x)
{
    Counted c = {.count = x->src->c.count};
    int sets = MIN(SETS, x->lanes);
    LLVMValueRef worst = lower_tree_worst(l, x->sem, x->t, sets);
    lower_counted_begin(l, &c);
    LLVMValueRef best = lower_counted_value(l, &c, worst);
    LLVMValueRef at = repeat_at(l, x, &c);
    look_ahead(l, x, at);
    LLVMValueRef next = best_of(l, x, load(l, x, at), best, sets);
    lower_counted_next(l, best, next);
    lower_counted_end(l, &c);
    return lower_tree_extreme(l, x->sem, x->t, sets, best, 1);
}

/* Branches to `search` if the number does not say the result. */
static void
unless_clear(Lower *l, const Search *x, LLVMValueRef best, LLVMBasicBlockRef search,
             LLVMBasicBlockRef clear)
{
    LLVMValueRef doubt = LLVMConstInt(l->i1, x->index, false);
    if (dtype_is_float(x->t)) {
        LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(best));
        LLVMValueRef worst = lower_tree_worst(l, x->sem, x->t, 1);
        LLVMValueRef odd =
            LLVMBuildOr(l->b, LLVMBuildFCmp(l->b, LLVMRealOEQ, best, zero, ""),
                        LLVMBuildFCmp(l->b, LLVMRealOEQ, best, worst, ""), "");
        odd = LLVMBuildExtractElement(l->b, odd, lower_const32(l, 0), "");
        doubt = LLVMBuildOr(l->b, doubt, odd, "");
    }
    LLVMBuildCondBr(l->b, doubt, search, clear);
}

/* The result: the bits of the element, and its index from the start of the source. */
typedef struct Found {
    LLVMValueRef bits, index;
} Found;

/* Searches the number in all repeats in order. */
static Found
search_all(Lower *l, const Search *x, LLVMValueRef best)
{
    LLVMBasicBlockRef hit = lower_block(l, "hit"), miss = lower_block(l, "miss"),
                      done = lower_block(l, "found");
    Counted c = {.count = x->src->c.count};
    LLVMValueRef none = first_lane(l, x);
    lower_counted_begin(l, &c);
    LLVMValueRef here = repeat_at(l, x, &c);
    LLVMValueRef same = lanes_with(l, x, load(l, x, here), best);
    LLVMBuildCondBr(l->b, is_not_zero(l, same), hit, miss);
    LLVMPositionBuilderAtEnd(l->b, hit);
    LLVMValueRef lane = lowest(l, same);
    LLVMValueRef bits = element(l, x, here, lane);
    LLVMValueRef first =
        LLVMBuildSDiv(l->b, distance(l, x, &c), lower_const(l, x->size), "");
    LLVMValueRef index = LLVMBuildAdd(l->b, first, lane, "");
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, miss);
    lower_counted_end(l, &c);
    LLVMBasicBlockRef from[2] = {hit, LLVMGetInsertBlock(l->b)};
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, done);
    LLVMValueRef values[2] = {bits, canonical_nan(l, x)}, at[2] = {index, none};
    Found f = {LLVMBuildPhi(l->b, LLVMTypeOf(bits), ""), LLVMBuildPhi(l->b, l->i64, "")};
    LLVMAddIncoming(f.bits, values, from, 2);
    LLVMAddIncoming(f.index, at, from, 2);
    return f;
}

/* Returns the bits of a number that is not zero. */
static LLVMValueRef
bits_of(Lower *l, const Search *x, LLVMValueRef best)
{
    LLVMTypeRef half = LLVMVectorType(l->f16, 1);
    if (x->t == DT_F16 && !l->target->half_arithmetic) {
        best = LLVMBuildFPTrunc(l->b, best, half, "");
    }
    best = LLVMBuildBitCast(l->b, best, lower_bits_type(l, x->t, 1), "");
    return LLVMBuildExtractElement(l->b, best, lower_const32(l, 0), "");
}

/* There is at least one repeat. Where no index is needed it is any number. */
static Found
find_all(Lower *l, const Search *x)
{
    LLVMBasicBlockRef search = lower_block(l, "search"), clear = lower_block(l, "clear"),
                      done = lower_block(l, "done");
    LLVMValueRef best = best_of_all(l, x);
    unless_clear(l, x, best, search, clear);
    LLVMPositionBuilderAtEnd(l->b, clear);
    LLVMValueRef bits = bits_of(l, x, best);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, search);
    Found f = search_all(l, x, best);
    LLVMBasicBlockRef from[2] = {clear, LLVMGetInsertBlock(l->b)};
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, done);
    LLVMValueRef values[2] = {bits, f.bits}, index[2] = {lower_const(l, 0), f.index};
    f = (Found){LLVMBuildPhi(l->b, LLVMTypeOf(bits), ""), LLVMBuildPhi(l->b, l->i64, "")};
    LLVMAddIncoming(f.bits, values, from, 2);
    LLVMAddIncoming(f.index, index, from, 2);
    return f;
}

/* Without repeats nothing is written. */
void
lower_extreme_all(Lower *l, const LaneShape *sh, const LaneSource *src)
{
    Search x = search_of(sh, src);
    LLVMBasicBlockRef go = lower_block(l, "go"), end = lower_block(l, "end");
    LLVMBuildCondBr(l->b, is_not_zero(l, src->c.count), go, end);
    LLVMPositionBuilderAtEnd(l->b, go);
    Found f = find_all(l, &x);
    put(l, &x, src->c.at[1], 0, f.bits);
    if (x.index) {
        put(l, &x, src->c.at[1], 1, f.index);
    }
    LLVMBuildBr(l->b, end);
    LLVMPositionBuilderAtEnd(l->b, end);
}

/* Sets the lanes of a row: those of a vector instruction, of which the last ones overlap
 * the ones before, or fewer, of which the first ones are on. */
static void
set_lanes(Lower *l, Search *x, LaneSource *src, int64_t n)
{
    int most = REPEAT_BYTES / x->size;
    LLVMValueRef on[MAX_LANES];
    src->c.count = lower_const(l, (n + most - 1) / most);
    src->c.step[0] = lower_const(l, REPEAT_BYTES);
    x->last = lower_const(l, (n - most) * x->size);
    for (x->lanes = most; x->lanes / 2 >= n;) {
        x->lanes /= 2;
    }
    if (n < most) {
        x->last = NULL;
    }
    for (int i = 0; i < x->lanes; i++) {
        on[i] = LLVMConstInt(l->i1, i < n, false);
    }
    if (n < x->lanes) {
        src->mask = LLVMConstVector(on, (unsigned)x->lanes);
    }
}

LLVMValueRef
lower_extreme_row(Lower *l, const RowSearch *row, LLVMValueRef at)
{
    LaneSource src = {.c = {.at = {at}, .n = 1}};
    Search x = {.src = &src,
                .sem = row->sem,
                .t = row->t,
                .size = dtype_size(row->t),
                .index = row->index,
                .far = row->far};
    set_lanes(l, &x, &src, row->n);
    Found f = find_all(l, &x);
    return row->index ? f.index : f.bits;
}
