/* lanes.c: lowers operands that are addressed by lanes. One repeat is one LLVM vector:
 * all sources are loaded, the result is computed, then stored. So the reads of a repeat
 * come before its writes whatever the operands overlap, and the repeats are a loop in
 * order. Long contiguous instructions need no other shape: an iteration is 256 bytes of
 * full-width vector code. Blocks that do not follow each other are loaded and stored one
 * by one and joined in registers.
 *
 * Masks. A full repeat has a helper without mask. A mask that covers w leading lanes, w a
 * power of two, is a narrower vector. Every other mask is a vector of bits made before
 * the loop: sources are loaded whole (scratch memory has slack for the last repeat), and
 * only active lanes are stored: with a masked store where the machine has one, else by
 * writing the old bytes back, which nobody can see since scratch memory belongs to one
 * core. */

/* ASSUMES mask-words: a mask has no bits of lanes that do not exist. */
#include "host/lower/lower.h"

#include <string.h>

enum {
    MAX_HELPER_PARAMS = 20,
    CMPMASK_BITS = 128
};

/* One instruction on lanes. */
typedef struct Call {
    LaneShape shape;
    LaneCompute *compute;
    LaneWhole *whole;
    LaneFewer *fewer;
    bool reads_dst;
    int repeat_lanes;
    const Arg *mask; /* null: all lanes are active */
    LLVMValueRef at[LANE_OPERANDS];
    LLVMValueRef rep[LANE_OPERANDS]; /* bytes from repeat to repeat */
    LLVMValueRef blk[LANE_OPERANDS]; /* bytes from block to block */
    LLVMValueRef scalar;
    LLVMValueRef repeats;
    LLVMValueRef words[4]; /* the mask: a count or bits */
    LLVMValueRef bits_at;  /* address of the row of bits, if there is one */
    LLVMValueRef results_at, results_step;
} Call;

/* ---- masks in helpers ---------------------------------------------------- */

static int
mask_params(const LaneShape *sh)
{
    if (sh->mask == LANES_BITS) {
        return sh->lanes == 256 ? 4 : sh->lanes == 128 ? 2 : 1;
    }
    return sh->mask == LANES_COUNT ? 1 : 0;
}

LLVMValueRef
lower_count_mask(Lower *l, int lanes, LLVMValueRef count)
{
    LLVMValueRef index[MAX_LANES];
    for (int i = 0; i < lanes; i++) {
        index[i] = LLVMConstInt(l->i16, (uint64_t)i, false);
    }
    LLVMValueRef limit = lower_splat(l, LLVMBuildTrunc(l->b, count, l->i16, ""), lanes);
    return LLVMBuildICmp(l->b, LLVMIntULT, LLVMConstVector(index, (unsigned)lanes), limit,
                         "");
}

/* Converts an integer with a bit for each lane to a vector of i1. Where the machine has
 * no registers for such vectors, a cast before a loop is split bit by bit; a comparison
 * of bytes with their bits is not. */
static LLVMValueRef
spread_bits(Lower *l, int lanes, LLVMValueRef v)
{
    if (l->target->masked_stores || lanes % 8 != 0) {
        return LLVMBuildBitCast(l->b, v, LLVMVectorType(l->i1, (unsigned)lanes), "");
    }
    LLVMValueRef byte_of[MAX_LANES], bit_of[MAX_LANES];
    for (int i = 0; i < lanes; i++) {
        byte_of[i] = lower_const32(l, i / 8);
        bit_of[i] = LLVMConstInt(l->i8, (uint64_t)1 << (i % 8), false);
    }
    v = LLVMBuildBitCast(l->b, v, LLVMVectorType(l->i8, (unsigned)lanes / 8), "");
    v = LLVMBuildShuffleVector(l->b, v, LLVMGetPoison(LLVMTypeOf(v)),
                               LLVMConstVector(byte_of, (unsigned)lanes), "");
    LLVMValueRef bits = LLVMConstVector(bit_of, (unsigned)lanes);
    return LLVMBuildICmp(l->b, LLVMIntEQ, LLVMBuildAnd(l->b, v, bits, ""), bits, "");
}

LLVMValueRef
lower_bits_to_lanes(Lower *l, int lanes, LLVMValueRef *words, int n)
{
    LLVMTypeRef bits = LLVMIntTypeInContext(l->ctx, (unsigned)lanes);
    if (n == 1) {
        LLVMValueRef v =
            lanes == 64 ? words[0] : LLVMBuildTrunc(l->b, words[0], bits, "");
        return spread_bits(l, lanes, v);
    }
    LLVMValueRef all = LLVMGetPoison(LLVMVectorType(l->i64, (unsigned)n));
    for (int i = 0; i < n; i++) {
        all = LLVMBuildInsertElement(l->b, all, words[i], lower_const32(l, i), "");
    }
    return spread_bits(l, lanes, LLVMBuildBitCast(l->b, all, bits, ""));
}

static LLVMValueRef
helper_mask(Lower *l, const LaneShape *sh, LLVMValueRef fn, unsigned first)
{
    if (sh->mask == LANES_FULL) {
        return NULL;
    }
    if (sh->mask == LANES_COUNT) {
        return lower_count_mask(l, sh->lanes, LLVMGetParam(fn, first));
    }
    LLVMValueRef words[4];
    int n = mask_params(sh);
    for (int i = 0; i < n; i++) {
        words[i] = LLVMGetParam(fn, first + (unsigned)i);
    }
    return lower_bits_to_lanes(l, sh->lanes, words, n);
}

/* ---- lanes in memory ----------------------------------------------------- */

static LLVMValueRef
load_run(Lower *l, LLVMTypeRef type, LLVMValueRef at)
{
    LLVMValueRef v = LLVMBuildLoad2(l->b, type, at, "");
    LLVMSetAlignment(v, 1);
    return v;
}

static LLVMValueRef
block_at(Lower *l, LLVMValueRef at, const LaneBlocks *blk, int block)
{
    LLVMValueRef off = blk->off[block];
    return LLVMBuildGEP2(l->b, l->i8, at, &off, 1, "");
}

LLVMValueRef
lower_lanes_load(Lower *l, Dtype t, int lanes, LLVMValueRef at, const LaneBlocks *blk)
{
    int per_block = BLOCK_BYTES / dtype_size(t);
    LLVMTypeRef type = lower_bits_type(l, t, lanes);
    if (blk->stride == NULL || lanes <= per_block) {
        return load_run(l, type, at);
    }
    LLVMValueRef all = LLVMGetPoison(type);
    LLVMTypeRef types[2] = {type, lower_bits_type(l, t, per_block)};
    for (int b = 0; b < lanes / per_block; b++) {
        LLVMValueRef part = load_run(l, types[1], block_at(l, at, blk, b));
        LLVMValueRef args[3] = {all, part, lower_const(l, b * per_block)};
        all = lower_intrinsic(l, "llvm.vector.insert", types, 2, args, 3);
    }
    return all;
}

static void
store_run(Lower *l, LLVMValueRef v, LLVMValueRef mask, LLVMValueRef at)
{
    if (mask != NULL && l->target->masked_stores) {
        LLVMTypeRef types[2] = {LLVMTypeOf(v), l->ptr};
        LLVMValueRef args[4] = {v, at, lower_const32(l, 1), mask};
        lower_intrinsic(l, "llvm.masked.store", types, 2, args, 4);
        return;
    }
    if (mask != NULL) {
        v = LLVMBuildSelect(l->b, mask, v, load_run(l, LLVMTypeOf(v), at), "");
    }
    LLVMSetAlignment(LLVMBuildStore(l->b, v, at), 1);
}

static LLVMValueRef
part_of(Lower *l, LLVMTypeRef type, LLVMValueRef all, int first)
{
    LLVMTypeRef types[2] = {type, LLVMTypeOf(all)};
    LLVMValueRef args[2] = {all, lower_const(l, first)};
    return lower_intrinsic(l, "llvm.vector.extract", types, 2, args, 2);
}

void
lower_lanes_store(Lower *l, Dtype t, int lanes, LLVMValueRef v, LLVMValueRef mask,
                  LLVMValueRef at, const LaneBlocks *blk)
{
    int per_block = BLOCK_BYTES / dtype_size(t);
    if (blk->stride == NULL || lanes <= per_block) {
        store_run(l, v, mask, at);
        return;
    }
    for (int b = 0; b < lanes / per_block; b++) {
        LLVMValueRef part =
            part_of(l, lower_bits_type(l, t, per_block), v, b * per_block);
        LLVMTypeRef bits = LLVMVectorType(l->i1, (unsigned)per_block);
        LLVMValueRef m = mask ? part_of(l, bits, mask, b * per_block) : NULL;
        store_run(l, part, m, block_at(l, at, blk, b));
    }
}

/* ---- rows of bits -------------------------------------------------------- */

static LLVMValueRef
load_bits(Lower *l, const LaneShape *sh, LLVMValueRef at)
{
    int have = sh->bits == BITS_READ_MASK ? MIN(sh->lanes, CMPMASK_BITS) : sh->lanes;
    LLVMTypeRef all = LLVMIntTypeInContext(l->ctx, (unsigned)sh->lanes);
    LLVMValueRef v =
        load_run(l, LLVMIntTypeInContext(l->ctx, (unsigned)MAX(have, 8)), at);
    v = LLVMBuildIntCast2(l->b, v, all, false, "");
    return spread_bits(l, sh->lanes, v);
}

/* CMPMASK keeps its present bits for lanes of a repeat that are off. v: the new bits, 0
 * for lanes that are off. */
static LLVMValueRef
with_kept_bits(Lower *l, const LaneShape *sh, LLVMValueRef v, LLVMValueRef mask,
               LLVMValueRef at)
{
    unsigned lanes = (unsigned)lanes_of(sh->dtype[0]);
    LLVMTypeRef all = LLVMIntTypeInContext(l->ctx, lanes);
    LLVMTypeRef some = LLVMIntTypeInContext(l->ctx, (unsigned)sh->lanes);
    LLVMValueRef on =
        mask != NULL ? LLVMBuildBitCast(l->b, mask, some, "") : LLVMConstAllOnes(some);
    on = LLVMBuildIntCast2(l->b, on, all, false, "");
    LLVMValueRef old =
        LLVMBuildAnd(l->b, load_run(l, all, at), LLVMBuildNot(l->b, on, ""), "");
    return LLVMBuildOr(l->b, LLVMBuildIntCast2(l->b, v, all, false, ""), old, "");
}

static void
store_bits(Lower *l, const LaneShape *sh, LLVMValueRef v, LLVMValueRef mask,
           LLVMValueRef at)
{
    int bits = sh->bits == BITS_WRITE_MASK ? CMPMASK_BITS : sh->lanes;
    v = mask != NULL ? LLVMBuildAnd(l->b, v, mask, "") : v;
    v = LLVMBuildBitCast(l->b, v, LLVMIntTypeInContext(l->ctx, (unsigned)sh->lanes), "");
    if (sh->bits == BITS_WRITE_MASK && lanes_of(sh->dtype[0]) <= bits &&
        lower_chosen(l, CHOICE_VCMP_MASKED_OFF) == CHOSE_VCMP_MASKED_OFF_KEPT) {
        v = with_kept_bits(l, sh, v, mask, at);
    }
    v = LLVMBuildIntCast2(l->b, v, LLVMIntTypeInContext(l->ctx, (unsigned)bits), false,
                          "");
    LLVMSetAlignment(LLVMBuildStore(l->b, v, at), 1);
}

/* ---- helpers ------------------------------------------------------------- */

/* Lists the parameters: repeats; address, repeat stride and, unless dense, block stride
 * of each operand; the bits; the results and their stride; the scalar; the mask. */
static int
helper_params(Lower *l, const LaneShape *sh, LLVMTypeRef *types)
{
    int n = 0;
    types[n++] = l->i64;
    for (int i = 0; i < sh->n; i++) {
        types[n++] = l->ptr;
        types[n++] = l->i64;
        if (!sh->dense[i]) {
            types[n++] = l->i64;
        }
    }
    if (sh->bits != BITS_NONE) {
        types[n++] = l->ptr;
    }
    if (sh->results > 0) {
        types[n++] = l->ptr;
        types[n++] = l->i64;
    }
    if (sh->scalar != DT_NONE) {
        types[n++] = lower_bits_type(l, sh->scalar, 0);
    }
    for (int i = 0; i < mask_params(sh); i++) {
        types[n++] = l->i64;
    }
    return n;
}

static bool
is_whole(const LaneShape *sh)
{
    bool dense = sh->mask == LANES_FULL;
    for (int i = 0; i < sh->n; i++) {
        dense = dense && sh->dense[i];
    }
    return dense;
}

/* Sets the running addresses from the parameters of a helper; returns the index of the
 * next parameter. */
static unsigned
helper_operands(Lower *l, const Call *v, LLVMValueRef fn, Counted *c, LaneBlocks *blk)
{
    const LaneShape *sh = &v->shape;
    unsigned p = 1;
    for (int i = 0; i < sh->n; i++) {
        c->at[i] = LLVMGetParam(fn, p++);
        c->step[i] = LLVMGetParam(fn, p++);
        blk[i].stride = sh->dense[i] ? NULL : LLVMGetParam(fn, p++);
    }
    c->n = sh->n;
    if (sh->bits == BITS_READ || sh->bits == BITS_WRITE) {
        c->step[c->n] = lower_const(l, v->repeat_lanes / 8);
        c->at[c->n++] = LLVMGetParam(fn, p);
    }
    p += sh->bits != BITS_NONE;
    if (sh->results > 0) {
        c->at[c->n] = LLVMGetParam(fn, p++);
        c->step[c->n++] = LLVMGetParam(fn, p++);
    }
    return p;
}

/* Returns the number of the last lane that is on (i64). first: the parameters of the
 * mask. */
static LLVMValueRef
last_lane(Lower *l, const LaneShape *sh, LLVMValueRef fn, unsigned first)
{
    if (sh->mask == LANES_COUNT) {
        return LLVMBuildSub(l->b, LLVMGetParam(fn, first), lower_const(l, 1), "");
    }
    LLVMValueRef last = lower_const(l, 0);
    for (int i = 0; i < mask_params(sh); i++) {
        LLVMValueRef w = LLVMGetParam(fn, first + (unsigned)i);
        LLVMValueRef args[2] = {w, LLVMConstInt(l->i1, 0, false)};
        LLVMValueRef zeros = lower_intrinsic(l, "llvm.ctlz", &l->i64, 1, args, 2);
        LLVMValueRef here = LLVMBuildSub(l->b, lower_const(l, i * 64 + 63), zeros, "");
        LLVMValueRef any = LLVMBuildICmp(l->b, LLVMIntNE, w, lower_const(l, 0), "");
        last = LLVMBuildSelect(l->b, any, here, last, "");
    }
    return last;
}

/* Sets the offsets of the blocks. Nobody has checked those after the last lane that is
 * on: they have that of the first block instead. first: the parameters of the mask. */
static void
block_offsets(Lower *l, const LaneShape *sh, LLVMValueRef fn, unsigned first,
              LaneBlocks *blk)
{
    LLVMValueRef last = sh->mask == LANES_FULL ? NULL : last_lane(l, sh, fn, first);
    for (int i = 0; i < sh->n; i++) {
        int per_block = BLOCK_BYTES / dtype_size(sh->dtype[i]);
        for (int b = 0; blk[i].stride != NULL && b * per_block < sh->lanes; b++) {
            LLVMValueRef off = LLVMBuildMul(l->b, blk[i].stride, lower_const(l, b), "");
            if (last != NULL && b > 0) {
                LLVMValueRef on = LLVMBuildICmp(l->b, LLVMIntSGE, last,
                                                lower_const(l, b * per_block), "");
                off = LLVMBuildSelect(l->b, on, off, lower_const(l, 0), "");
            }
            blk[i].off[b] = off;
        }
    }
}

static void
helper_repeat(Lower *l, const Call *v, const Counted *c, const LaneBlocks *blk,
              LLVMValueRef *value, LLVMValueRef scalar, LLVMValueRef mask)
{
    const LaneShape *sh = &v->shape;
    for (int i = v->reads_dst ? 0 : 1; i < sh->n; i++) {
        value[i] = lower_lanes_load(l, sh->dtype[i], sh->lanes, c->at[i], &blk[i]);
    }
    if (sh->bits == BITS_READ) {
        value[sh->n] = load_bits(l, sh, c->at[sh->n]);
    }
    LLVMValueRef result = v->compute(l, sh, value, scalar);
    if (sh->bits == BITS_WRITE) {
        store_bits(l, sh, result, NULL, c->at[sh->n]);
    } else if (sh->bits == BITS_WRITE_MASK) {
        store_bits(l, sh, result, mask, value[sh->n]);
    } else {
        lower_lanes_store(l, sh->dtype[0], sh->lanes, result, mask, c->at[0], &blk[0]);
    }
}

static void
helper_body(Lower *l, const Call *v, Helper *h)
{
    const LaneShape *sh = &v->shape;
    Counted c = {.count = LLVMGetParam(h->fn, 0)};
    LaneBlocks blk[LANE_OPERANDS] = {{.stride = NULL}};
    LLVMValueRef value[LANE_OPERANDS] = {NULL};
    unsigned p = helper_operands(l, v, h->fn, &c, blk);
    if (sh->bits == BITS_WRITE_MASK) {
        value[sh->n] = LLVMGetParam(h->fn, p - 1);
    } else if (sh->bits == BITS_READ_MASK) {
        value[sh->n] = load_bits(l, sh, LLVMGetParam(h->fn, p - 1));
    }
    LLVMValueRef scalar = sh->scalar == DT_NONE ? NULL : LLVMGetParam(h->fn, p++);
    if (v->whole != NULL && is_whole(sh)) {
        v->whole(l, sh, &c, scalar);
        lower_helper_end(l, h);
        return;
    }
    scalar = scalar == NULL ? NULL : lower_splat(l, scalar, sh->lanes);
    LLVMValueRef mask = helper_mask(l, sh, h->fn, p);
    block_offsets(l, sh, h->fn, p, blk);
    if (v->fewer != NULL) {
        v->fewer(l, sh, &(LaneSource){c, blk[0], mask});
        lower_helper_end(l, h);
        return;
    }
    lower_counted_begin(l, &c);
    helper_repeat(l, v, &c, blk, value, scalar, mask);
    lower_counted_end(l, &c);
    lower_helper_end(l, h);
}

static const char *
helper_name(Lower *l, const LaneShape *sh)
{
    static const char *const kinds[] = {"full", "count", "bits"};
    static const char *const rows[] = {"", ".read", ".readmask", ".write", ".writemask"};
    Text t;
    text_init(&t, l->arena);
    text_printf(&t, "tik.%s.%u.%u", sh->name, sh->mode, sh->variant);
    for (int i = 0; i < sh->n; i++) {
        text_printf(&t, ".%s%s", dtype_name(sh->dtype[i]), sh->dense[i] ? "" : "b");
    }
    if (sh->results > 0) {
        text_printf(&t, ".%d", sh->results);
    }
    text_printf(&t, "%s%s.%d.%s", sh->scalar != DT_NONE ? ".s" : "", rows[sh->bits],
                sh->lanes, kinds[sh->mask]);
    return t.p;
}

static void
call(Lower *l, const Call *v)
{
    const LaneShape *sh = &v->shape;
    if (LLVMIsConstant(v->repeats) && LLVMIsNull(v->repeats)) {
        return;
    }
    LLVMTypeRef types[MAX_HELPER_PARAMS];
    LLVMValueRef args[MAX_HELPER_PARAMS];
    int nparams = helper_params(l, sh, types);
    Helper h;
    if (lower_helper_begin(l, &h, helper_name(l, sh), types, nparams)) {
        helper_body(l, v, &h);
    }
    int n = 0;
    args[n++] = v->repeats;
    for (int i = 0; i < sh->n; i++) {
        args[n++] = v->at[i];
        args[n++] = v->rep[i];
        if (!sh->dense[i]) {
            args[n++] = v->blk[i];
        }
    }
    if (sh->bits != BITS_NONE) {
        args[n++] = v->bits_at;
    }
    if (sh->results > 0) {
        args[n++] = v->results_at;
        args[n++] = v->results_step;
    }
    if (sh->scalar != DT_NONE) {
        args[n++] = v->scalar;
    }
    for (int i = 0; i < mask_params(sh); i++) {
        args[n++] = v->words[i];
    }
    lower_helper_call(l, &h, args, n);
}

/* ---- masks of an instruction --------------------------------------------- */

/* Vectors of less than a block of the narrowest operand do not deserve a helper of their
 * own. Results come from all lanes of a repeat. */
static void
narrow_to(Call *v, int64_t active)
{
    int p = v->shape.results > 0 ? v->repeat_lanes : 1;
    for (int i = 0; i < v->shape.n; i++) {
        p = MAX(p, BLOCK_BYTES / dtype_size(v->shape.dtype[i]));
    }
    while (p < active) {
        p *= 2;
    }
    v->shape.lanes = MIN(p, v->repeat_lanes);
}

static void
constant_count(Lower *l, Call *v, int64_t count)
{
    narrow_to(v, count);
    v->shape.mask = count == v->shape.lanes ? LANES_FULL : LANES_COUNT;
    v->words[0] = lower_const(l, count);
}

/* A mask with all bits set up to the highest one is a count. */
static void
constant_bits(Lower *l, Call *v, const uint64_t *w)
{
    int highest = 0;
    int set = 0;
    for (int i = 0; i < v->repeat_lanes; i++) {
        if (w[i / 64] >> (i % 64) & 1) {
            highest = i + 1;
            set++;
        }
    }
    if (set == highest) {
        constant_count(l, v, highest);
        return;
    }
    narrow_to(v, highest);
    v->shape.mask = LANES_BITS;
    for (int i = 0; i < 4; i++) {
        v->words[i] = lower_const(l, (int64_t)w[i]);
    }
}

static void
mask_bits(Lower *l, Call *v, StmtId s)
{
    int n = mask_words(v->mask->mask_form);
    uint64_t w[4] = {0};
    bool constant = true;
    for (int i = 0; i < n; i++) {
        const Expr *e = ir_expr(l->k, v->mask->mask[i]);
        constant = constant && e->kind == EX_CONST;
        w[i] = (uint64_t)e->imm;
    }
    if (constant) {
        constant_bits(l, v, w);
        return;
    }
    v->shape.mask = LANES_BITS;
    for (int i = 0; i < 4; i++) {
        v->words[i] = i < n ? lower_number(l, v->mask->mask[i], s) : lower_const(l, 0);
    }
}

static void
mask_count(Lower *l, Call *v, StmtId s)
{
    const Expr *e = ir_expr(l->k, v->mask->mask[0]);
    if (e->kind == EX_CONST) {
        constant_count(l, v, e->imm);
        return;
    }
    v->shape.mask = LANES_COUNT;
    v->words[0] = lower_number(l, v->mask->mask[0], s);
}

/* Counter mode has whole repeats first, then the lanes that remain; either part may be
 * empty. */
static void
counter_mode(Lower *l, Call *v, StmtId s)
{
    LLVMValueRef total = lower_number(l, v->mask->mask[0], s);
    LLVMValueRef lanes = lower_const(l, v->repeat_lanes);
    LLVMValueRef whole = LLVMBuildUDiv(l->b, total, lanes, "");
    LLVMValueRef rest = LLVMBuildURem(l->b, total, lanes, "");
    Call part = *v;
    part.repeats = whole;
    part.shape.mask = LANES_FULL;
    call(l, &part);
    for (int i = 0; i < v->shape.n; i++) {
        LLVMValueRef skip = LLVMBuildMul(l->b, whole, v->rep[i], "");
        part.at[i] = LLVMBuildGEP2(l->b, l->i8, v->at[i], &skip, 1, "");
    }
    LLVMValueRef any = LLVMBuildICmp(l->b, LLVMIntNE, rest, lower_const(l, 0), "");
    part.repeats = LLVMBuildZExt(l->b, any, l->i64, "");
    part.shape.mask = LANES_COUNT;
    part.words[0] = rest;
    call(l, &part);
}

/* ---- the instruction ----------------------------------------------------- */

static const Arg *
arg_at(const Lower *l, StmtId s, int slot)
{
    return &l->k->args.p[l->k->stmts.p[s].instr.arg + (uint32_t)slot];
}

/* Returns the number in a slot times a factor, plus an addend; without a slot, missing
 * times the factor. */
static LLVMValueRef
stride(Lower *l, StmtId s, int slot, int64_t missing, int64_t factor)
{
    LLVMValueRef v =
        slot < 0 ? lower_const(l, missing) : lower_number(l, arg_at(l, s, slot)->expr, s);
    return LLVMBuildMul(l->b, v, lower_const(l, factor), "");
}

static LLVMValueRef
block_stride(Lower *l, StmtId s, int slot, int64_t unit, int64_t size)
{
    Form form = op_table[l->k->stmts.p[s].instr.op].form;
    LaneOperand o = form_lanes(form, slot);
    LLVMValueRef v = stride(l, s, o.blk, 1, 1);
    LLVMValueRef zero = lower_const(l, 0);
    if (o.blk >= 0 && unit < 2 && form_blk0_is_1(form, slot, l->k->choices)) {
        LLVMValueRef is_zero = LLVMBuildICmp(l->b, LLVMIntEQ, v, zero, "");
        v = LLVMBuildSelect(l->b, is_zero, lower_const(l, 1), v, "");
    }
    v = LLVMBuildMul(l->b, v, lower_const(l, unit < 2 ? BLOCK_BYTES : size), "");
    return LLVMBuildAdd(l->b, v, lower_const(l, unit < 2 ? 0 : BLOCK_BYTES), "");
}

/* Sets address and strides of operand i from this slot (vector 1.2). */
static void
bind_operand(Lower *l, Call *v, StmtId s, int slot, int64_t unit)
{
    int i = v->shape.n++;
    const Ref *r = &arg_at(l, s, slot)->ref;
    LaneOperand o = form_lanes(op_table[l->k->stmts.p[s].instr.op].form, slot);
    int64_t size = dtype_size(r->dtype);
    int64_t blocks = (int64_t)v->repeat_lanes * size / BLOCK_BYTES;
    v->shape.dtype[i] = r->dtype;
    v->at[i] = lower_ref(l, r);
    v->blk[i] = block_stride(l, s, slot, unit, size);
    v->rep[i] = stride(l, s, o.rep, blocks, unit < 2 ? BLOCK_BYTES : size);
    if (unit & 1) {
        LLVMValueRef gaps = LLVMBuildMul(l->b, v->blk[i], lower_const(l, blocks - 1), "");
        gaps = LLVMBuildAdd(l->b, gaps, lower_const(l, BLOCK_BYTES), "");
        v->rep[i] = LLVMBuildAdd(l->b, v->rep[i], gaps, "");
    }
    v->shape.dense[i] = LLVMIsAConstantInt(v->blk[i]) != NULL &&
                        LLVMConstIntGetSExtValue(v->blk[i]) == BLOCK_BYTES;
}

static int
widest_operand(const Lower *l, StmtId s)
{
    int n, widest = 1;
    Form form = op_table[l->k->stmts.p[s].instr.op].form;
    (void)form_params(form, &n);
    for (int i = 0; i < n; i++) {
        if (form_is_vector(form, i)) {
            widest = MAX(widest, dtype_size(arg_at(l, s, i)->ref.dtype));
        }
    }
    return widest;
}

static void
bind(Lower *l, Call *v, StmtId s)
{
    int n;
    Form form = op_table[l->k->stmts.p[s].instr.op].form;
    const ParamInfo *params = form_params(form, &n);
    int unit_slot = form_slot(form, ROLE_ATTR, "stride_unit");
    int64_t unit = unit_slot < 0 ? 0 : ir_expr(l->k, arg_at(l, s, unit_slot)->expr)->imm;
    v->repeat_lanes = REPEAT_BYTES / widest_operand(l, s);
    v->repeats = lower_const(l, 1);
    for (int i = 0; i < n; i++) {
        const Arg *a = arg_at(l, s, i);
        if (form_is_vector(form, i)) {
            bind_operand(l, v, s, i, unit);
        } else if (params[i].role == ROLE_MASK) {
            v->mask = a;
        } else if (params[i].role == ROLE_REPEAT) {
            v->repeats = lower_number(l, a->expr, s);
        } else if (params[i].role == ROLE_SCALAR) {
            v->scalar = lower_expr(l, a->expr, s);
            v->shape.scalar = (Dtype)ir_expr(l->k, a->expr)->dtype;
        }
    }
}

void
lower_lanes(Lower *l, StmtId s, const LaneJob *job)
{
    if (l->fusion != NULL) {
        lower_fused_lanes(l, s, job);
        return;
    }
    Call v = {.compute = job->compute,
              .whole = job->whole,
              .fewer = job->fewer,
              .reads_dst = job->reads_dst,
              .bits_at = job->bits_at,
              .results_at = job->results_at,
              .results_step = job->results_step,
              .shape = {.name = job->name,
                        .mode = job->mode,
                        .variant = job->variant,
                        .results = job->results,
                        .bits = job->bits}};
    bind(l, &v, s);
    if (job->scalar != NULL) {
        v.scalar = job->scalar;
        v.shape.scalar = job->scalar_type;
    }
    v.shape.lanes = v.repeat_lanes;
    MaskForm form = v.mask != NULL ? v.mask->mask_form : MASK_COUNT;
    if (v.mask == NULL) {
        constant_count(l, &v, v.repeat_lanes);
    } else if (form == MASK_COUNT) {
        mask_count(l, &v, s);
    } else if (form == MASK_COUNTER) {
        counter_mode(l, &v, s);
        return;
    } else {
        mask_bits(l, &v, s);
    }
    call(l, &v);
}

void
lower_run(Lower *l, const LaneRun *run, const LaneJob *job)
{
    Call v = {.compute = job->compute,
              .whole = job->whole,
              .reads_dst = job->reads_dst,
              .scalar = job->scalar,
              .shape = {.name = job->name,
                        .mode = job->mode,
                        .variant = job->variant,
                        .scalar = job->scalar_type,
                        .n = run->n}};
    int widest = 1;
    for (int i = 0; i < run->n; i++) {
        widest = MAX(widest, dtype_size(run->dtype[i]));
    }
    v.shape.lanes = v.repeat_lanes = REPEAT_BYTES / widest;
    int64_t whole = run->elems / v.repeat_lanes, rest = run->elems % v.repeat_lanes;
    for (int i = 0; i < run->n; i++) {
        v.shape.dtype[i] = run->dtype[i];
        v.shape.dense[i] = true;
        v.at[i] = run->at[i];
        v.rep[i] = lower_const(l, v.repeat_lanes * dtype_size(run->dtype[i]));
    }
    v.repeats = lower_const(l, whole);
    call(l, &v);
    for (int i = 0; i < run->n; i++) {
        LLVMValueRef skip = LLVMBuildMul(l->b, v.repeats, v.rep[i], "");
        v.at[i] = LLVMBuildGEP2(l->b, l->i8, v.at[i], &skip, 1, "");
    }
    if (rest > 0) {
        v.repeats = lower_const(l, 1);
        constant_count(l, &v, rest);
        call(l, &v);
    }
}
