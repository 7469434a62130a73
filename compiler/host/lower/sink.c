/* sink.c: sums of whole repeats that end a fused loop (iteration_sink). A chunk of such a
 * loop is a repeat. Of each the first levels of its tree are made in registers, and the
 * quarter of the lanes that is left waits in memory; after the loop the trees of several
 * repeats are ended together, as they are in host/lower/reduce.c. */
#include "host/lower/fusion.h"

enum {
    LANES = REPEAT_BYTES / 4,
    QUARTER = LANES / 4,
    QUARTER_BYTES = 4 * QUARTER
};

bool
fusion_has_sink(const Fusion *f)
{
    for (int i = 0; i < f->n; i++) {
        if (f->member[i].result != NULL) {
            return true;
        }
    }
    return false;
}

static int64_t
repeats_of(const Chunk *c, int member)
{
    return c->f->member[member].lanes.times / LANES;
}

static int64_t
groups_of(const Chunk *c, int member)
{
    return (repeats_of(c, member) + SUMS_TOGETHER - 1) / SUMS_TOGETHER;
}

void
sinks_begin(Lower *l, Chunk *c)
{
    LLVMTypeRef quarter = LLVMVectorType(l->f32, QUARTER);
    for (int i = 0; i < c->f->n; i++) {
        if (c->f->member[i].result == NULL) {
            continue;
        }
        int64_t n = SUMS_TOGETHER * groups_of(c, i);
        c->quarters[i] =
            lower_helper_alloca(l, LLVMArrayType2(quarter, (uint64_t)n), "quarters");
        for (int64_t j = repeats_of(c, i); j < n; j++) {
            LLVMValueRef off = lower_const(l, j * QUARTER_BYTES);
            LLVMBuildStore(l->b, LLVMConstNull(quarter),
                           LLVMBuildGEP2(l->b, l->i8, c->quarters[i], &off, 1, ""));
        }
    }
}

/* The index of the first of the repeat's elements is the distance of its quarter too. */
void
sink_take(Lower *l, const Chunk *c, int member, LLVMValueRef bits)
{
    _Static_assert(QUARTER_BYTES == LANES, "a byte of the quarters for each element");
    LLVMValueRef at = c->first;
    at = LLVMBuildGEP2(l->b, l->i8, c->quarters[member], &at, 1, "");
    LLVMValueRef x = lower_tree_numbers(l, DT_F32, LANES, lower_any_nan(l, bits));
    LLVMBuildStore(l->b, lower_sum_trees_begin(l, DT_F32, LANES, x), at);
}

static LLVMValueRef
load_quarter(Lower *l, LLVMValueRef at, int i)
{
    LLVMTypeRef quarter = LLVMVectorType(l->f32, QUARTER);
    LLVMValueRef off = lower_const(l, i * QUARTER_BYTES);
    return LLVMBuildLoad2(l->b, quarter, LLVMBuildGEP2(l->b, l->i8, at, &off, 1, ""), "");
}

static void
end_sink(Lower *l, const Chunk *c, int member)
{
    static const LaneBlocks dense = {.stride = NULL};
    int64_t n = repeats_of(c, member), room = lower_sums_room(DT_F32, n);
    int64_t written = SUMS_TOGETHER * groups_of(c, member);
    LLVMTypeRef type = LLVMArrayType2(l->i32, (uint64_t)MAX(room, written));
    LLVMValueRef sums = lower_helper_alloca(l, type, "sums");
    LLVMBuildStore(l->b, LLVMConstNull(type), sums);
    Counted t = {.count = lower_const(l, groups_of(c, member)),
                 .at = {c->quarters[member], sums},
                 .step = {lower_const(l, SUMS_TOGETHER * QUARTER_BYTES),
                          lower_const(l, SUMS_TOGETHER * 4)},
                 .n = 2};
    lower_counted_begin(l, &t);
    LLVMValueRef x[SUMS_TOGETHER];
    for (int i = 0; i < SUMS_TOGETHER; i++) {
        x[i] = load_quarter(l, t.at[0], i);
    }
    LLVMValueRef four = lower_sum_trees_end(l, DT_F32, LANES, x);
    lower_lanes_store(l, DT_F32, SUMS_TOGETHER, four, NULL, t.at[1], &dense);
    lower_counted_end(l, &t);
    lower_sum_of_sums(l, DT_F32, c->result[member], sums, n);
}

void
sinks_end(Lower *l, const Chunk *c)
{
    for (int i = 0; i < c->f->n; i++) {
        if (c->f->member[i].result != NULL) {
            end_sink(l, c, i);
        }
    }
}
