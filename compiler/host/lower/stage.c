/* stage.c: stores of fused loops past the caches. What a kernel only writes, and what is
 * too large for the caches, is written in whole lines that need not be read first.
 *
 * Rows that follow each other in the output, but do not end where lines end, are put
 * together in a stage, a few lines that stay in the first cache: whole lines leave it
 * after each row, and the rest moves to its start. */
#include "host/lower/fusion.h"

/* ---- which operands ------------------------------------------------------ */

/* A row is whole lines, or the loop is one run of chunks. */
static bool
ends_at_lines(const Fusion *f, const FusedOperand *o)
{
    return f->flat || (o->pitch % CACHE_LINE == 0 && f->row_lanes % f->lanes == 0);
}

static bool
can_be_staged(const Fusion *f, const FusedOperand *o)
{
    return !f->flat && o->pitch == f->row_lanes * dtype_size(o->dtype) &&
           o->pitch >= CACHE_LINE && o->pitch <= MOST_STAGED;
}

/* Returns the bytes that a flat loop writes of an operand; many if that is not known. */
static int64_t
bytes_of(const Fusion *f, const FusedOperand *o)
{
    Count lanes = f->member[f->n - 1].lanes;
    return (count_known(lanes) ? lanes.times : INT32_MAX) * dtype_size(o->dtype);
}

bool
fusion_find_streams(const Lower *l, Fusion *f)
{
    bool any = false, staged = false;
    for (int i = 0; i < f->noperands; i++) {
        FusedOperand *o = &f->operand[i];
        bool lines = (int64_t)f->lanes * dtype_size(o->dtype) % CACHE_LINE == 0;
        Ref r = {o->buf, o->dtype, o->off};
        bool wanted = o->stored && l->streams[o->buf] &&
                      (!f->flat || lower_keeps_lines(l, &r, bytes_of(f, o)));
        o->streams = wanted && lines && ends_at_lines(f, o);
        o->staged = wanted && !o->streams && !staged && can_be_staged(f, o);
        bool far = l->has_streams && l->k->bufs.p[o->buf].scope == SC_GM && !o->stored;
        o->ahead = far ? fusion_distance(l, f, o) : 0;
        staged = staged || o->staged;
        any = any || o->streams || o->staged;
    }
    return any;
}

void
fusion_forget_streams(Fusion *f)
{
    f->streams = false;
    for (int i = 0; i < f->noperands; i++) {
        f->operand[i].streams = f->operand[i].staged = false;
    }
}

LLVMValueRef
fusion_before_line(Lower *l, const Fusion *f)
{
    const FusedOperand *first = NULL;
    bool inside = false, bits = false;
    for (int i = 0; i < f->noperands; i++) {
        const FusedOperand *o = &f->operand[i];
        Ref r = {o->buf, o->dtype, o->off};
        first = first == NULL && o->streams ? o : first;
        inside = inside || (o->streams && !lower_keeps_lines(l, &r, 0));
        bits = bits || o->bits;
    }
    if (!f->flat || bits || !inside || fusion_has_sink(f)) {
        return NULL;
    }
    LLVMValueRef at = LLVMBuildPtrToInt(l->b, first->at, l->i64, "");
    LLVMValueRef bytes = LLVMBuildAnd(l->b, LLVMBuildNeg(l->b, at, ""),
                                      lower_const(l, CACHE_LINE - 1), "");
    return LLVMBuildUDiv(l->b, bytes, lower_const(l, dtype_size(first->dtype)), "");
}

LLVMValueRef
fusion_begins_at_lines(Lower *l, const Fusion *f, LLVMValueRef head)
{
    LLVMValueRef all = lower_const(l, 0);
    for (int i = 0; i < f->noperands; i++) {
        const FusedOperand *o = &f->operand[i];
        if (o->streams || o->staged) {
            LLVMValueRef at = LLVMBuildPtrToInt(l->b, o->at, l->i64, "");
            if (head != NULL) {
                LLVMValueRef size = lower_const(l, dtype_size(o->dtype));
                at = LLVMBuildAdd(l->b, at, LLVMBuildMul(l->b, head, size, ""), "");
            }
            all = LLVMBuildOr(l->b, all, at, "");
        }
    }
    all = LLVMBuildAnd(l->b, all, lower_const(l, CACHE_LINE - 1), "");
    return LLVMBuildICmp(l->b, LLVMIntEQ, all, lower_const(l, 0), "");
}

int
fusion_staged(const Fusion *f)
{
    for (int i = 0; f->streams && i < f->noperands; i++) {
        if (f->operand[i].staged) {
            return i;
        }
    }
    return -1;
}

/* ---- the stage ----------------------------------------------------------- */

static LLVMValueRef
advance(Lower *l, LLVMValueRef at, LLVMValueRef by)
{
    return LLVMBuildGEP2(l->b, l->i8, at, &by, 1, "");
}

/* Copies one line; stream: past the caches. */
static void
copy_line(Lower *l, LLVMValueRef to, LLVMValueRef from, bool stream)
{
    LLVMTypeRef type = LLVMVectorType(l->i64, CACHE_LINE / 8);
    LLVMValueRef v = LLVMBuildLoad2(l->b, type, from, "");
    LLVMSetAlignment(v, CACHE_LINE);
    LLVMValueRef st = LLVMBuildStore(l->b, v, to);
    LLVMSetAlignment(st, CACHE_LINE);
    if (stream) {
        LLVMSetMetadata(st, LLVMGetMDKindIDInContext(l->ctx, "nontemporal", 11),
                        l->nontemporal);
    }
}

/* Begins with an empty stage; the output begins at a line. */
void
stage_begin(Lower *l, Chunk *c, LLVMValueRef start)
{
    uint64_t bytes = MOST_STAGED + CACHE_LINE + CHUNK_BYTES;
    c->stage = lower_helper_alloca(l, LLVMArrayType2(l->i8, bytes), "stage");
    LLVMSetAlignment(c->stage, CACHE_LINE);
    c->line = lower_helper_alloca(l, l->ptr, "line");
    c->before = lower_helper_alloca(l, l->i64, "before");
    LLVMBuildStore(l->b, start, c->line);
    LLVMBuildStore(l->b, lower_const(l, 0), c->before);
    l->has_slots = true;
}

/* A chunk that is not full writes more than the row, and the next row writes there again;
 * the stage has room for that. */
void
stage_store(Lower *l, const Chunk *c, const FusedOperand *o, LLVMValueRef v)
{
    LLVMValueRef before = LLVMBuildLoad2(l->b, l->i64, c->before, "");
    LLVMValueRef off =
        LLVMBuildMul(l->b, c->first, lower_const(l, dtype_size(o->dtype)), "");
    LLVMValueRef at = advance(l, c->stage, LLVMBuildAdd(l->b, off, before, ""));
    LLVMSetAlignment(LLVMBuildStore(l->b, v, at), 1);
}

/* The line that is not full goes to the start of the stage. */
void
stage_end_row(Lower *l, const Chunk *c, int64_t bytes)
{
    LLVMValueRef before = LLVMBuildLoad2(l->b, l->i64, c->before, "");
    LLVMValueRef line = LLVMBuildLoad2(l->b, l->ptr, c->line, "");
    LLVMValueRef all = LLVMBuildAdd(l->b, before, lower_const(l, bytes), "");
    LLVMValueRef whole = LLVMBuildAnd(l->b, all, lower_const(l, -CACHE_LINE), "");
    LLVMValueRef step = lower_const(l, CACHE_LINE);
    Counted p = {.count = LLVMBuildLShr(l->b, whole, lower_const(l, 6), ""),
                 .n = 2,
                 .at = {line, c->stage},
                 .step = {step, step}};
    lower_counted_begin(l, &p);
    copy_line(l, p.at[0], p.at[1], true);
    lower_counted_end(l, &p);
    copy_line(l, c->stage, advance(l, c->stage, whole), false);
    LLVMBuildStore(l->b, LLVMBuildSub(l->b, all, whole, ""), c->before);
    LLVMBuildStore(l->b, advance(l, line, whole), c->line);
}

void
stage_end(Lower *l, const Chunk *c)
{
    LLVMValueRef before = LLVMBuildLoad2(l->b, l->i64, c->before, "");
    LLVMValueRef line = LLVMBuildLoad2(l->b, l->ptr, c->line, "");
    LLVMBuildMemCpy(l->b, line, 1, c->stage, 1, before);
}
