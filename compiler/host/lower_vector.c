/* lower_vector.c: the vector instructions. One repeat is one LLVM vector: all sources are loaded,
 * the result is computed, then stored, so reads of a repeat come before its writes whatever the
 * operands overlap, and the repeats are a loop in order. Long contiguous instructions need no other
 * shape: an iteration is 256 bytes of full-width vector code.
 *
 * Masks. A full repeat has a helper without mask. A mask that covers w leading lanes, w a power of
 * two, is a narrower vector. Every other mask is a vector of bits made before the loop: sources are
 * loaded whole (scratch memory has slack for the last repeat), and only active lanes are stored:
 * with a masked store where the machine has one, else by writing the old bytes back, which nobody
 * can see since scratch memory belongs to one core. */
#include "host/lower.h"

#include <string.h>

typedef enum MaskKind {
    FULL,
    COUNT,
    BITS
} MaskKind;

/* What a helper specialises on. */
typedef struct Shape {
    Sem sem;
    Dtype dtype;
    int lanes; /* of the vectors in the code; at most those of a repeat */
    MaskKind mask;
    int nsrc;
    bool scalar;
} Shape;

/* Operands of one instruction in the order of the form. */
typedef struct Vec {
    Shape shape;
    int repeat_lanes;
    const MaskArg *mask;
    LLVMValueRef at[3];     /* dst, src0, src1 */
    LLVMValueRef stride[3]; /* bytes from repeat to repeat */
    LLVMValueRef scalar;
    LLVMValueRef repeats;
    LLVMValueRef words[4]; /* count or bits */
} Vec;

/* ---- helper bodies --------------------------------------------------------------------------------- */

enum {
    MAX_HELPER_PARAMS = 12
};

static int
mask_params(const Shape *sh)
{
    if (sh->mask == BITS) {
        return sh->lanes == 256 ? 4 : sh->lanes == 128 ? 2 : 1;
    }
    return sh->mask == COUNT ? 1 : 0;
}

/* Vector of i1: lanes below the count. */
static LLVMValueRef
count_mask(Lower *l, int lanes, LLVMValueRef count)
{
    LLVMValueRef index[MAX_LANES];
    for (int i = 0; i < lanes; i++) {
        index[i] = LLVMConstInt(l->i16, (uint64_t)i, false);
    }
    LLVMValueRef limit = lower_splat(l, LLVMBuildTrunc(l->b, count, l->i16, ""), lanes);
    return LLVMBuildICmp(l->b, LLVMIntULT, LLVMConstVector(index, (unsigned)lanes), limit,
                         "");
}

static LLVMValueRef
bits_mask(Lower *l, int lanes, LLVMValueRef *words, int n)
{
    LLVMTypeRef type = LLVMVectorType(l->i1, (unsigned)lanes);
    if (n == 1) {
        LLVMTypeRef bits = LLVMIntTypeInContext(l->ctx, (unsigned)lanes);
        return LLVMBuildBitCast(l->b, LLVMBuildTrunc(l->b, words[0], bits, ""), type, "");
    }
    LLVMValueRef all = LLVMGetPoison(LLVMVectorType(l->i64, (unsigned)n));
    for (int i = 0; i < n; i++) {
        all = LLVMBuildInsertElement(l->b, all, words[i], lower_const32(l, i), "");
    }
    return LLVMBuildBitCast(l->b, all, type, "");
}

static LLVMValueRef
compute(Lower *l, const Shape *sh, LLVMValueRef a, LLVMValueRef b)
{
    switch (sh->sem) {
    case SEM_DUP:
        return b;
    case SEM_ADD:
    case SEM_SUB:
    case SEM_MUL:
    case SEM_MAX:
    case SEM_MIN:
    case SEM_AND:
    case SEM_OR:
        return lower_binary(l, sh->sem, sh->dtype, sh->lanes, a, b);
    case SEM_ABS:
    case SEM_RELU:
    case SEM_NOT:
        return lower_unary(l, sh->sem, sh->dtype, sh->lanes, a);
    case SEM_MOVE:
    case SEM_SET_PADDING:
    case SEM_RESERVE:
    case SEM_BLOCKS:
    case SEM_SET_FLAG:
    case SEM_WAIT_FLAG:
    case SEM_PIPE_BARRIER:
    case SEM_BLOCK_BARRIER:
        break;
    }
    UNREACHABLE();
}

static LLVMValueRef
load_lanes(Lower *l, const Shape *sh, LLVMValueRef at)
{
    LLVMTypeRef type = lower_bits_type(l, sh->dtype, sh->lanes);
    LLVMValueRef v = LLVMBuildLoad2(l->b, type, at, "");
    LLVMSetAlignment(v, 1);
    return v;
}

static void
store_lanes(Lower *l, const Shape *sh, LLVMValueRef v, LLVMValueRef mask, LLVMValueRef at)
{
    if (mask != NULL && l->target->masked_stores) {
        LLVMTypeRef types[2] = {LLVMTypeOf(v), l->ptr};
        LLVMValueRef args[4] = {v, at, lower_const32(l, 1), mask};
        lower_intrinsic(l, "llvm.masked.store", types, 2, args, 4);
        return;
    }
    if (mask != NULL) {
        v = LLVMBuildSelect(l->b, mask, v, load_lanes(l, sh, at), "");
    }
    LLVMSetAlignment(LLVMBuildStore(l->b, v, at), 1);
}

/* Parameters: repeats, then address and stride of dst and the sources, the scalar, the mask. */
static int
helper_params(Lower *l, const Shape *sh, LLVMTypeRef *types)
{
    int n = 0;
    types[n++] = l->i64;
    for (int i = 0; i < sh->nsrc + 1; i++) {
        types[n++] = l->ptr;
        types[n++] = l->i64;
    }
    if (sh->scalar) {
        types[n++] = lower_bits_type(l, sh->dtype, 0);
    }
    for (int i = 0; i < mask_params(sh); i++) {
        types[n++] = l->i64;
    }
    return n;
}

static LLVMValueRef
helper_mask(Lower *l, const Shape *sh, LLVMValueRef fn, unsigned first)
{
    if (sh->mask == FULL) {
        return NULL;
    }
    if (sh->mask == COUNT) {
        return count_mask(l, sh->lanes, LLVMGetParam(fn, first));
    }
    LLVMValueRef words[4];
    int n = mask_params(sh);
    for (int i = 0; i < n; i++) {
        words[i] = LLVMGetParam(fn, first + (unsigned)i);
    }
    return bits_mask(l, sh->lanes, words, n);
}

static void
helper_body(Lower *l, const Shape *sh, Helper *h)
{
    Counted c = {.count = LLVMGetParam(h->fn, 0), .n = sh->nsrc + 1};
    unsigned p = 1;
    for (int i = 0; i < c.n; i++) {
        c.at[i] = LLVMGetParam(h->fn, p++);
        c.step[i] = LLVMGetParam(h->fn, p++);
    }
    LLVMValueRef scalar = NULL;
    if (sh->scalar) {
        scalar = lower_splat(l, LLVMGetParam(h->fn, p++), sh->lanes);
    }
    LLVMValueRef mask = helper_mask(l, sh, h->fn, p);
    lower_counted_begin(l, &c);
    LLVMValueRef a = sh->nsrc > 0 ? load_lanes(l, sh, c.at[1]) : NULL;
    LLVMValueRef b = sh->nsrc > 1 ? load_lanes(l, sh, c.at[2]) : scalar;
    store_lanes(l, sh, compute(l, sh, a, b), mask, c.at[0]);
    lower_counted_end(l, &c);
    lower_helper_end(l, h);
}

static void
call(Lower *l, const Vec *v)
{
    const Shape *sh = &v->shape;
    if (LLVMIsConstant(v->repeats) && LLVMIsNull(v->repeats)) {
        return;
    }
    LLVMTypeRef types[MAX_HELPER_PARAMS];
    LLVMValueRef args[MAX_HELPER_PARAMS];
    int nparams = helper_params(l, sh, types);
    static const char *const kinds[] = {"full", "count", "bits"};
    const char *name =
        arena_printf(l->arena, "tik.v%d%s.%s.%d.%s", (int)sh->sem, sh->scalar ? "s" : "",
                     dtype_name(sh->dtype), sh->lanes, kinds[sh->mask]);
    Helper h;
    if (lower_helper_begin(l, &h, name, types, nparams)) {
        helper_body(l, sh, &h);
    }
    int n = 0;
    args[n++] = v->repeats;
    for (int i = 0; i < sh->nsrc + 1; i++) {
        args[n++] = v->at[i];
        args[n++] = v->stride[i];
    }
    if (sh->scalar) {
        args[n++] = v->scalar;
    }
    for (int i = 0; i < mask_params(sh); i++) {
        args[n++] = v->words[i];
    }
    lower_helper_call(l, &h, args, n);
}

/* ---- masks of an instruction ----------------------------------------------------------------------------- */

static int
power_of_two_from(int64_t n, int least)
{
    int p = least;
    while (p < n) {
        p *= 2;
    }
    return p;
}

/* Vectors of less than a block are not worth a helper of their own. */
static void
narrow_to(Vec *v, int64_t active)
{
    int least = BLOCK_BYTES / dtype_size(v->shape.dtype);
    v->shape.lanes = power_of_two_from(active, least);
}

static void
constant_count(Lower *l, Vec *v, int64_t count)
{
    narrow_to(v, count);
    v->shape.mask = count == v->shape.lanes ? FULL : COUNT;
    v->words[0] = lower_const(l, count);
}

/* Bits that are all set up to the highest are a count. */
static void
constant_bits(Lower *l, Vec *v, const uint64_t *w)
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
    v->shape.mask = BITS;
    for (int i = 0; i < 4; i++) {
        v->words[i] = lower_const(l, (int64_t)w[i]);
    }
}

static void
mask_bits(Lower *l, Vec *v, StmtId s)
{
    int n = mask_words(v->mask->form);
    uint64_t w[4] = {0};
    bool constant = true;
    for (int i = 0; i < n; i++) {
        const Expr *e = ir_expr(l->k, v->mask->w[i]);
        constant = constant && e->kind == EX_CONST;
        w[i] = (uint64_t)e->imm;
    }
    if (constant) {
        constant_bits(l, v, w);
        return;
    }
    v->shape.mask = BITS;
    for (int i = 0; i < 4; i++) {
        v->words[i] = i < n ? lower_number(l, v->mask->w[i], s) : lower_const(l, 0);
    }
}

static void
mask_count(Lower *l, Vec *v, StmtId s)
{
    const Expr *e = ir_expr(l->k, v->mask->w[0]);
    if (e->kind == EX_CONST) {
        constant_count(l, v, e->imm);
        return;
    }
    v->shape.mask = COUNT;
    v->words[0] = lower_number(l, v->mask->w[0], s);
}

/* Counter mode: whole repeats first, then the lanes that remain; either may be empty. */
static void
counter_mode(Lower *l, Vec *v, StmtId s)
{
    LLVMValueRef total = lower_number(l, v->mask->w[0], s);
    LLVMValueRef lanes = lower_const(l, v->repeat_lanes);
    LLVMValueRef whole = LLVMBuildUDiv(l->b, total, lanes, "");
    LLVMValueRef rest = LLVMBuildURem(l->b, total, lanes, "");
    Vec part = *v;
    part.repeats = whole;
    part.shape.mask = FULL;
    call(l, &part);
    for (int i = 0; i < v->shape.nsrc + 1; i++) {
        LLVMValueRef skip = LLVMBuildMul(l->b, whole, v->stride[i], "");
        part.at[i] = LLVMBuildGEP2(l->b, l->i8, v->at[i], &skip, 1, "");
    }
    LLVMValueRef any = LLVMBuildICmp(l->b, LLVMIntNE, rest, lower_const(l, 0), "");
    part.repeats = LLVMBuildZExt(l->b, any, l->i64, "");
    part.shape.mask = COUNT;
    part.words[0] = rest;
    call(l, &part);
}

/* ---- the instruction ----------------------------------------------------------------------------------------- */

/* Sorts the operands by role: tensors in order, their strides in the same order. */
static void
bind(Lower *l, Vec *v, StmtId s)
{
    const Stmt *st = &l->k->stmts.p[s];
    int n;
    const ParamInfo *params = form_params(op_table[st->instr.op].form, &n);
    int tensors = 0;
    int strides = 0;
    for (int i = 0; i < n; i++) {
        const Arg *a = &l->k->args.p[st->instr.arg + (uint32_t)i];
        switch (params[i].role) {
        case ROLE_DST:
            v->shape.dtype = a->ref.dtype;
            v->at[tensors++] = lower_ref(l, &a->ref);
            break;
        case ROLE_SRC:
            v->at[tensors++] = lower_ref(l, &a->ref);
            break;
        case ROLE_MASK:
            v->mask = &a->mask;
            break;
        case ROLE_REPEAT:
            v->repeats = lower_number(l, a->expr, s);
            break;
        case ROLE_INT:
            v->stride[strides++] = LLVMBuildMul(l->b, lower_number(l, a->expr, s),
                                                lower_const(l, BLOCK_BYTES), "");
            break;
        case ROLE_SCALAR:
            v->scalar = lower_expr(l, a->expr, s);
            v->shape.scalar = true;
            break;
        case ROLE_MASKMODE:
        case ROLE_ATTR:
        case ROLE_PIPE:
        case ROLE_ROOT:
            break;
        }
    }
    v->shape.nsrc = tensors - 1;
}

void
lower_vector(Lower *l, StmtId s)
{
    Vec v = {.shape.sem = op_table[l->k->stmts.p[s].instr.op].sem};
    bind(l, &v, s);
    v.repeat_lanes = lanes_of(v.shape.dtype);
    v.shape.lanes = v.repeat_lanes;
    switch (v.mask->form) {
    case MASK_COUNT:
        mask_count(l, &v, s);
        break;
    case MASK_BITS:
    case MASK_BITS4:
        mask_bits(l, &v, s);
        break;
    case MASK_COUNTER:
        counter_mode(l, &v, s);
        return;
    }
    call(l, &v);
}
