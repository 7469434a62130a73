/* tree.c: joins lanes of a vector in registers (vector chapter 7). The order of a sum is
 * part of the result: a balanced tree, neighbours first, each node rounded to the type.
 * The lanes of a level may be in any order while each node joins the two that it should,
 * so levels are shuffled as machines do it best: within registers of 16 bytes, then
 * between these, and only the last level brings the results into order. */
#include "host/lower/lower.h"

enum {
    QUAD = 4, /* numbers of 16 bytes */
    REGISTER_LANES = 16,
    MOST_TOGETHER = 16,
    MAX_SUM_LANES = MOST_TOGETHER * MAX_LANES / 8, /* of half of the quarters */
    SHUFFLED = 16, /* the least number of lanes for which the order matters */
    RESTORED = 8   /* the levels that are out of order take that many lanes to one */
};

/* What is joined. */
typedef struct Tree {
    Sem sem;
    Dtype t;
    bool exact; /* extremes: the order of NaN is kept, see join_extreme */
} Tree;

static bool
is_sum(Sem sem)
{
    return sem == SEM_CADD || sem == SEM_CGADD || sem == SEM_CPADD;
}

static bool
is_largest(Sem sem)
{
    return sem == SEM_CMAX || sem == SEM_CGMAX || sem == SEM_ALL_MAX;
}

/* ---- numbers ------------------------------------------------------------- */

static bool
has_own_half(const Lower *l, Dtype t)
{
    return t == DT_F16 && l->target->half_arithmetic;
}

LLVMValueRef
lower_tree_numbers(Lower *l, Dtype t, int lanes, LLVMValueRef bits)
{
    if (!dtype_is_float(t)) {
        return bits;
    }
    if (has_own_half(l, t)) {
        return LLVMBuildBitCast(l->b, bits, LLVMVectorType(l->f16, (unsigned)lanes), "");
    }
    return lower_to_f32(l, bits, t, lanes);
}

LLVMValueRef
lower_tree_bits(Lower *l, Dtype t, int lanes, LLVMValueRef x)
{
    if (!dtype_is_float(t)) {
        return x;
    }
    if (!has_own_half(l, t)) {
        return lower_from_f32(l, x, t, lanes);
    }
    x = LLVMBuildBitCast(l->b, x, lower_bits_type(l, t, lanes), "");
    return lower_canonical(l, t, lanes, x);
}

LLVMValueRef
lower_tree_worst(Lower *l, Sem sem, Dtype t, int lanes)
{
    bool largest = is_largest(sem);
    uint64_t bits = t == DT_F16   ? (largest ? 0xfc00 : 0x7c00)
                    : t == DT_F32 ? (largest ? 0xff800000 : 0x7f800000)
                                  : (largest ? 0x8000 : 0x7fff);
    return lower_tree_numbers(l, t, lanes, lower_bits_const(l, t, lanes, bits));
}

/* ---- joins --------------------------------------------------------------- */

LLVMValueRef
lower_tree_better(Lower *l, Sem sem, Dtype t, LLVMValueRef a, LLVMValueRef b)
{
    bool largest = is_largest(sem);
    if (!dtype_is_float(t)) {
        return LLVMBuildICmp(l->b, largest ? LLVMIntSGT : LLVMIntSLT, a, b, "");
    }
    return LLVMBuildFCmp(l->b, largest ? LLVMRealOGT : LLVMRealOLT, a, b, "");
}

/* Float16 is added in float32, in which each sum of two is exact. */
static LLVMValueRef
join_sum(Lower *l, const Tree *tree, LLVMValueRef a, LLVMValueRef b, int n)
{
    LLVMValueRef sum = LLVMBuildFAdd(l->b, a, b, "");
    if (tree->t != DT_F16 || has_own_half(l, tree->t)) {
        return sum;
    }
    sum = LLVMBuildFPTrunc(l->b, sum, LLVMVectorType(l->f16, (unsigned)n), "");
    return LLVMBuildFPExt(l->b, sum, LLVMVectorType(l->f32, (unsigned)n), "");
}

LLVMValueRef
lower_tree_sum(Lower *l, Dtype t, int lanes, LLVMValueRef a, LLVMValueRef b)
{
    const Tree tree = {.sem = SEM_CADD, .t = t};
    return join_sum(l, &tree, a, b, lanes);
}

/* Of equal lanes the first one wins. Machines have instructions for that with which a NaN
 * in the first operand wins too; exact: it loses. */
static LLVMValueRef
join_extreme(Lower *l, const Tree *tree, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef second = lower_tree_better(l, tree->sem, tree->t, b, a);
    if (tree->exact) {
        LLVMValueRef nan = LLVMBuildFCmp(l->b, LLVMRealUNO, a, a, "");
        second = LLVMBuildOr(l->b, second, nan, "");
    }
    return LLVMBuildSelect(l->b, second, b, a, "");
}

static LLVMValueRef
pick(Lower *l, LLVMValueRef v, const int *from, int n)
{
    LLVMValueRef index[MAX_SUM_LANES];
    for (int i = 0; i < n; i++) {
        index[i] = lower_const32(l, from[i]);
    }
    return LLVMBuildShuffleVector(l->b, v, LLVMGetPoison(LLVMTypeOf(v)),
                                  LLVMConstVector(index, (unsigned)n), "");
}

/* Joins lane first[i] of x with lane second[i], for each i below n. */
static LLVMValueRef
level(Lower *l, const Tree *tree, LLVMValueRef x, const int *first, const int *second,
      int n)
{
    LLVMValueRef a = pick(l, x, first, n), b = pick(l, x, second, n);
    return is_sum(tree->sem) ? join_sum(l, tree, a, b, n) : join_extreme(l, tree, a, b);
}

/* ---- orders of lanes ----------------------------------------------------- */

/* Fills the pairs of a level that has n results. */
typedef void Order(int *first, int *second, int n);

/* Fills the n pairs of a level whose lanes are in order. */
static void
neighbours(int *first, int *second, int n)
{
    for (int i = 0; i < n; i++) {
        first[i] = 2 * i;
        second[i] = 2 * i + 1;
    }
}

/* Fills pairs of neighbours so that each 16 bytes of the n results come from 16 bytes of
 * the lower half of the lanes and from the same 16 bytes of the upper half. */
static void
within_quads(int *first, int *second, int n)
{
    for (int i = 0; i < n; i++) {
        int half = i % QUAD / 2;
        first[i] = half * n + i / QUAD * QUAD + i % 2 * 2;
        second[i] = first[i] + 1;
    }
}

/* Fills pairs that are in neighbouring 16 bytes. */
static void
between_quads(int *first, int *second, int n)
{
    for (int i = 0; i < n; i++) {
        first[i] = i / QUAD * 2 * QUAD + i % QUAD;
        second[i] = first[i] + QUAD;
    }
}

/* Returns the lane of node j after two levels within quads, and any number between quads,
 * that left this number of quads: each quad has nodes that are a quarter of all nodes
 * apart. */
static int
place(int j, int quads)
{
    static const int in_quad[QUAD] = {0, 2, 1, 3};
    return j % quads * QUAD + in_quad[j / quads];
}

static void
into_order(int *first, int *second, int n)
{
    for (int i = 0; i < n; i++) {
        first[i] = place(2 * i, 2 * n / QUAD);
        second[i] = place(2 * i + 1, 2 * n / QUAD);
    }
}

/* ---- trees --------------------------------------------------------------- */

static LLVMValueRef
joined(Lower *l, const Tree *tree, LLVMValueRef x, int n, int left)
{
    int first[MAX_LANES], second[MAX_LANES];
    if (n >= SHUFFLED && left <= n / RESTORED && !has_own_half(l, tree->t)) {
        for (int k = 0; k < 2; k++) {
            n /= 2;
            within_quads(first, second, n);
            x = level(l, tree, x, first, second, n);
        }
        while (n > QUAD && n / 2 > left) {
            n /= 2;
            between_quads(first, second, n);
            x = level(l, tree, x, first, second, n);
        }
        n /= 2;
        into_order(first, second, n);
        x = level(l, tree, x, first, second, n);
    }
    while (n > left) {
        n /= 2;
        neighbours(first, second, n);
        x = level(l, tree, x, first, second, n);
    }
    return x;
}

/* A NaN loses against the worst number, so the worst one may be a NaN: then the tree is
 * made again, exactly. */
static LLVMValueRef
extremes(Lower *l, Tree *tree, LLVMValueRef x, int lanes, int left)
{
    LLVMValueRef worst = lower_tree_worst(l, tree->sem, tree->t, lanes);
    LLVMValueRef better = lower_tree_better(l, tree->sem, tree->t, x, worst);
    LLVMValueRef clean = LLVMBuildSelect(l->b, better, x, worst, "");
    LLVMValueRef usual = joined(l, tree, clean, lanes, left);
    Rare rare;
    worst = lower_tree_worst(l, tree->sem, tree->t, left);
    lower_rare_begin(l, &rare, LLVMBuildFCmp(l->b, LLVMRealOEQ, usual, worst, ""), usual);
    tree->exact = true;
    return lower_rare_end(l, &rare, joined(l, tree, x, lanes, left));
}

LLVMValueRef
lower_reduce_tree(Lower *l, Sem sem, Dtype t, int lanes, LLVMValueRef v)
{
    Tree tree = {.sem = sem, .t = t};
    int left = sem == SEM_CADD    ? 1
               : sem == SEM_CPADD ? lanes / 2
                                  : lanes * dtype_size(t) / BLOCK_BYTES;
    LLVMValueRef x = lower_tree_numbers(l, t, lanes, v);
    x = is_sum(sem) ? joined(l, &tree, x, lanes, left)
                    : extremes(l, &tree, x, lanes, left);
    return lower_tree_bits(l, t, left, x);
}

/* ---- several trees at once ----------------------------------------------- */

static LLVMValueRef
beside(Lower *l, LLVMValueRef a, LLVMValueRef b, int each)
{
    LLVMValueRef index[MAX_SUM_LANES];
    for (int i = 0; i < 2 * each; i++) {
        index[i] = lower_const32(l, i);
    }
    return LLVMBuildShuffleVector(l->b, a, b, LLVMConstVector(index, 2u * (unsigned)each),
                                  "");
}

/* Joins two trees that are in neighbouring quads, in each of which the first and the
 * third node are neighbours. */
static void
within_quad(int *first, int *second, int n)
{
    for (int i = 0; i < n; i++) {
        first[i] = i / 2 * QUAD + i % 2;
        second[i] = first[i] + 2;
    }
}

bool
lower_has_trees(const Lower *l, Dtype t)
{
    return !has_own_half(l, t);
}

/* The same in an order in which what is joined next is half of the lanes apart, and again
 * after each such level: the bits of the numbers of the nodes are reversed. */
static void
neighbours_for_halves(int *first, int *second, int n)
{
    for (int i = 0; i < n; i++) {
        int node = 0;
        for (int from = 1, to = n / 2; to > 0; from *= 2, to /= 2) {
            node += (i & from) != 0 ? to : 0;
        }
        first[i] = 2 * node;
        second[i] = 2 * node + 1;
    }
}

static void
halves(int *first, int *second, int n)
{
    for (int i = 0; i < n; i++) {
        first[i] = i;
        second[i] = n + i;
    }
}

/* The levels within quads are of each vector, which leaves it a quarter of its lanes; the
 * others are of all vectors beside each other. The last level gives an order. */
static LLVMValueRef
end_trees(Lower *l, Dtype t, int lanes, LLVMValueRef *x, int trees, Order *order)
{
    const Tree tree = {.sem = SEM_CADD, .t = t};
    int first[MAX_SUM_LANES], second[MAX_SUM_LANES], n = lanes / 4;
    for (int have = trees; have > 1; have /= 2, n *= 2) {
        for (int i = 0; i < have / 2; i++) {
            x[i] = beside(l, x[2 * i], x[2 * i + 1], n);
        }
    }
    LLVMValueRef all = x[0];
    while (n > trees * QUAD) {
        n /= 2;
        between_quads(first, second, n);
        all = level(l, &tree, all, first, second, n);
    }
    n /= 2;
    within_quad(first, second, n);
    all = level(l, &tree, all, first, second, n);
    n /= 2;
    order(first, second, n);
    return level(l, &tree, all, first, second, n);
}

LLVMValueRef
lower_sum_trees(Lower *l, Dtype t, int lanes, LLVMValueRef *v)
{
    LLVMValueRef x[SUMS_TOGETHER];
    for (int i = 0; i < SUMS_TOGETHER; i++) {
        x[i] = lower_tree_numbers(l, t, lanes, v[i]);
        x[i] = lower_sum_quarter(l, t, lanes, x[i]);
    }
    LLVMValueRef sums = end_trees(l, t, lanes, x, SUMS_TOGETHER, neighbours);
    return lower_tree_bits(l, t, SUMS_TOGETHER, sums);
}

LLVMValueRef
lower_sum_quarter(Lower *l, Dtype t, int lanes, LLVMValueRef numbers)
{
    const Tree tree = {.sem = SEM_CADD, .t = t};
    int first[MAX_LANES], second[MAX_LANES];
    for (int k = 0; k < 2; k++) {
        lanes /= 2;
        within_quads(first, second, lanes);
        numbers = level(l, &tree, numbers, first, second, lanes);
    }
    return numbers;
}

/* Returns x with each number added to its neighbour, at the place of the first one of the
 * two; upper: of the second one. What is at the other places is of no use. */
static LLVMValueRef
added_in_place(Lower *l, const Tree *tree, LLVMValueRef x, bool upper)
{
    LLVMTypeRef wide = LLVMVectorType(l->i64, REGISTER_LANES / 2);
    LLVMValueRef by = lower_splat(l, lower_const(l, 32), REGISTER_LANES / 2);
    LLVMValueRef other = LLVMBuildBitCast(l->b, x, wide, "");
    other =
        upper ? LLVMBuildShl(l->b, other, by, "") : LLVMBuildLShr(l->b, other, by, "");
    other = LLVMBuildBitCast(l->b, other, LLVMTypeOf(x), "");
    return join_sum(l, tree, x, other, REGISTER_LANES);
}

/* Of the first level two registers are joined by shifts: each has its sums at every
 * second place. The other two, and the second level, are shuffled as always. */
LLVMValueRef
lower_sum_quarter_shifted(Lower *l, LLVMValueRef numbers)
{
    const Tree tree = {.sem = SEM_CADD, .t = DT_F32};
    LLVMValueRef part[4], second[REGISTER_LANES], index[2][REGISTER_LANES];
    for (int i = 0; i < 4; i++) {
        part[i] = lower_part(l, numbers, i * REGISTER_LANES, REGISTER_LANES);
    }
    int first[REGISTER_LANES], next[REGISTER_LANES];
    within_quads(first, next, REGISTER_LANES);
    for (int i = 0; i < REGISTER_LANES; i++) {
        int quad = i / QUAD * QUAD, in = i % QUAD;
        second[i] = LLVMConstInt(l->i1, (unsigned)i % 2, false);
        for (int k = 0; k < 2; k++) {
            int at =
                in < 2 ? quad + in + 2 * k : REGISTER_LANES + quad + (in - 2) * 2 + k;
            index[k][i] = lower_const32(l, at);
        }
    }
    LLVMValueRef shifted = LLVMBuildSelect(l->b, LLVMConstVector(second, REGISTER_LANES),
                                           added_in_place(l, &tree, part[2], true),
                                           added_in_place(l, &tree, part[0], false), "");
    LLVMValueRef rest = level(l, &tree, beside(l, part[1], part[3], REGISTER_LANES),
                              first, next, REGISTER_LANES);
    LLVMValueRef sides[2];
    for (int k = 0; k < 2; k++) {
        sides[k] = LLVMBuildShuffleVector(l->b, shifted, rest,
                                          LLVMConstVector(index[k], REGISTER_LANES), "");
    }
    return join_sum(l, &tree, sides[0], sides[1], REGISTER_LANES);
}

/* ---- sums of sums -------------------------------------------------------- */

/* The sums of n repeats are summands again, in one tree: those that it lacks are 0. */
typedef struct Sums {
    Dtype t;
    int lanes;    /* of a repeat */
    int together; /* trees that are ended at once */
    int rounds;   /* of these */
} Sums;

static Sums
sums_of(Dtype t, int64_t n)
{
    int lanes = REPEAT_BYTES / dtype_size(t), together = SUMS_TOGETHER;
    while (together < n && together < MOST_TOGETHER) {
        together *= 2;
    }
    return (Sums){t, lanes, together, (int)((n + together - 1) / together)};
}

int
lower_sum_step(const Lower *l, Dtype t)
{
    int lanes = REPEAT_BYTES / dtype_size(t) / 4;
    return lanes * (has_own_half(l, t) ? 2 : 4);
}

static LLVMTypeRef
quarter_type(const Lower *l, Dtype t)
{
    LLVMTypeRef number = has_own_half(l, t) ? l->f16 : l->f32;
    return LLVMVectorType(number, (unsigned)(REPEAT_BYTES / dtype_size(t) / 4));
}

static LLVMValueRef
quarter_at(Lower *l, Dtype t, LLVMValueRef at, int64_t i)
{
    LLVMValueRef off = lower_const(l, i * lower_sum_step(l, t));
    return LLVMBuildGEP2(l->b, l->i8, at, &off, 1, "");
}

LLVMValueRef
lower_sum_room(Lower *l, Dtype t, int64_t n)
{
    Sums s = sums_of(t, n);
    int64_t all = (int64_t)s.rounds * s.together;
    LLVMTypeRef type = quarter_type(l, t);
    LLVMValueRef room =
        lower_helper_alloca(l, LLVMArrayType2(type, (uint64_t)all), "quarters");
    for (int64_t i = n; i < all && s.rounds > 1; i++) {
        LLVMBuildStore(l->b, LLVMConstNull(type), quarter_at(l, t, room, i));
    }
    return room;
}

/* Returns the sums of the trees whose quarters begin at that place; those from n on are
 * 0. */
static LLVMValueRef
end_round(Lower *l, const Sums *s, LLVMValueRef at, int64_t n, Order *order)
{
    LLVMValueRef x[MOST_TOGETHER];
    LLVMTypeRef type = quarter_type(l, s->t);
    for (int i = 0; i < s->together; i++) {
        x[i] = i < n ? LLVMBuildLoad2(l->b, type, quarter_at(l, s->t, at, i), "")
                     : LLVMConstNull(type);
    }
    return end_trees(l, s->t, s->lanes, x, s->together, order);
}

/* Does all rounds: their sums, beside each other, with zeros up to a power of two. */
static LLVMValueRef
end_rounds(Lower *l, const Sums *s, LLVMValueRef quarters, int lanes)
{
    LLVMTypeRef number = LLVMGetElementType(quarter_type(l, s->t));
    LLVMTypeRef all = LLVMVectorType(number, (unsigned)lanes);
    LLVMValueRef sums = lower_helper_alloca(l, all, "sums");
    int64_t bytes = (int64_t)s->together * (lower_sum_step(l, s->t) * 4 / s->lanes);
    LLVMBuildStore(l->b, LLVMConstNull(all), sums);
    Counted t = {.count = lower_const(l, s->rounds),
                 .at = {quarters, sums},
                 .step = {lower_const(l, (int64_t)s->together * lower_sum_step(l, s->t)),
                          lower_const(l, bytes)},
                 .n = 2};
    lower_counted_begin(l, &t);
    LLVMBuildStore(l->b, end_round(l, s, t.at[0], s->together, neighbours), t.at[1]);
    lower_counted_end(l, &t);
    return LLVMBuildLoad2(l->b, all, sums, "");
}

static LLVMValueRef
joined_halves(Lower *l, const Tree *tree, LLVMValueRef x, int n, int left)
{
    int first[MAX_LANES], second[MAX_LANES];
    while (n > left) {
        n /= 2;
        halves(first, second, n);
        x = level(l, tree, x, first, second, n);
    }
    return x;
}

/* A tree of all lanes of a group has one lane more than the sums, at least, unless these
 * are as many or one: that lane makes of a sum of -0 what it is in the whole group. */
LLVMValueRef
lower_sum_of_quarters(Lower *l, Dtype t, LLVMValueRef quarters, int64_t n)
{
    const Tree tree = {.sem = SEM_CADD, .t = t};
    Sums s = sums_of(t, n);
    int lanes = s.together;
    while (lanes < s.rounds * s.together) {
        lanes *= 2;
    }
    LLVMValueRef x = s.rounds > 1 ? end_rounds(l, &s, quarters, lanes)
                                  : end_round(l, &s, quarters, n, neighbours_for_halves);
    if (n == 1) {
        x = pick(l, x, (const int[]){0}, 1);
    } else {
        x = s.rounds > 1 ? joined(l, &tree, x, lanes, 1)
                         : joined_halves(l, &tree, x, lanes, 1);
        x = lanes < s.lanes ? join_sum(l, &tree, x, LLVMConstNull(LLVMTypeOf(x)), 1) : x;
    }
    return lower_tree_bits(l, t, 1, x);
}

LLVMValueRef
lower_tree_extreme(Lower *l, Sem sem, Dtype t, int lanes, LLVMValueRef x, int left)
{
    const Tree tree = {.sem = sem, .t = t};
    return joined_halves(l, &tree, x, lanes, left);
}
