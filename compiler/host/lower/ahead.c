/* ahead.c: asks for the lines of global memory that the next iteration of a loop needs.
 *
 * A loop body with several fused loops reads a tile in one of them and writes it in
 * another, so the memory is idle during the rest, and the reads of the next tile wait for
 * it. Each of the loops asks for an equal part of what all of them access in the next
 * iteration; tiles that follow each other are what is expected there. Lines that nobody
 * needs are only asked for in vain. */
#include "host/lower/fusion.h"

typedef struct Ahead {
    Lower *l;
    Fusion *f;
    int64_t chunks;
    int part, parts; /* of the lines of each operand */
} Ahead;

/* Counts the fused loops of the body and finds the place of this one among them. */
static void
find_part(Ahead *a)
{
    const Kernel *k = a->l->k;
    bool found = false;
    for (StmtId s = a->l->loop->body; s != 0; s = k->stmts.p[s].next) {
        const Stmt *st = &k->stmts.p[s];
        if (st->kind != ST_SCOPE || !st->scope.fused) {
            continue;
        }
        if (s == a->f->scope) {
            a->part = a->parts;
            found = true;
        }
        a->parts++;
    }
    a->parts = found ? a->parts : 0;
}

static bool
has_hint(const Ahead *a, const Ref *r)
{
    for (int i = 0; i < a->f->nhints; i++) {
        if (a->f->hint[i].buf == r->buf && a->f->hint[i].off == r->off) {
            return true;
        }
    }
    return false;
}

static void
add_operand(Ahead *a, const Iteration *it, const IterationOperand *o)
{
    Lower *l = a->l;
    const Buffer *b = &l->k->bufs.p[o->ref.buf];
    int64_t span = iteration_span(it, o);
    if (b->scope != SC_GM || b->bytes < AHEAD_LEAST || span < CACHE_LINE ||
        a->f->nhints == MOST_HINTS || (o->writes && l->streams[o->ref.buf]) ||
        has_hint(a, &o->ref)) {
        return;
    }
    int64_t bytes = (span + a->parts - 1) / a->parts;
    LLVMValueRef off = lower_const(l, span + a->part * bytes);
    LLVMValueRef at = lower_ref(l, &o->ref);
    a->f->hint[a->f->nhints++] = (FusedHint){
        .buf = o->ref.buf,
        .off = o->ref.off,
        .at = LLVMBuildGEP2(l->b, l->i8, at, &off, 1, ""),
        .lines = (int)((bytes + a->chunks * CACHE_LINE - 1) / (a->chunks * CACHE_LINE)),
        .writes = o->writes};
}

static void
add_scope(Ahead *a, StmtId scope)
{
    const Kernel *k = a->l->k;
    Iteration it;
    for (StmtId s = k->stmts.p[scope].scope.body; s != 0; s = k->stmts.p[s].next) {
        if (iteration_of(k, &k->stmts.p[s], &it) ||
            iteration_sink(k, &k->stmts.p[s], &it)) {
            for (int i = 0; i < it.n; i++) {
                add_operand(a, &it, &it.op[i]);
            }
        }
    }
}

/* Asks for rows that are found by index: what follows the present one is not needed. */
static void
add_rows(Lower *l, Fusion *f, int64_t elems)
{
    for (int i = 0; i < f->noperands && f->nhints < MOST_HINTS; i++) {
        FusedOperand *o = &f->operand[i];
        Ref r = {o->buf, o->dtype, o->off};
        int64_t bytes = elems * dtype_size(o->dtype);
        LLVMValueRef at = o->bits || o->stored ? NULL : lower_row_ahead(l, &r, bytes);
        int64_t lines = (f->lanes * dtype_size(o->dtype) + CACHE_LINE - 1) / CACHE_LINE;
        if (at != NULL) {
            o->far = false;
            f->hint[f->nhints++] =
                (FusedHint){.buf = o->buf, .off = o->off, .at = at, .lines = (int)lines};
        }
    }
}

void
fusion_look_ahead(Lower *l, Fusion *f, LLVMValueRef count)
{
    Ahead a = {.l = l, .f = f};
    if (l->has_far && f->flat && LLVMIsAConstantInt(count) != NULL) {
        add_rows(l, f, LLVMConstIntGetSExtValue(count));
    }
    if (l->loop == NULL || l->loop->body == 0 || !l->has_far || !f->flat ||
        LLVMIsAConstantInt(count) == NULL) {
        return;
    }
    a.chunks = LLVMConstIntGetSExtValue(count) / f->lanes;
    find_part(&a);
    if (a.parts < 2 || a.chunks == 0) {
        return;
    }
    for (StmtId s = l->loop->body; s != 0; s = l->k->stmts.p[s].next) {
        const Stmt *st = &l->k->stmts.p[s];
        if (st->kind == ST_SCOPE && st->scope.fused) {
            add_scope(&a, s);
        }
    }
    for (int i = 0; i < f->noperands && f->nhints > 0; i++) {
        f->operand[i].far = false;
    }
}

void
fusion_build_hints(Lower *l, const Chunk *c)
{
    for (int i = 0; i < c->f->nhints && c->mask == NULL; i++) {
        const FusedHint *h = &c->f->hint[i];
        LLVMValueRef step = lower_const(l, h->lines * CACHE_LINE / c->f->lanes);
        LLVMValueRef off = LLVMBuildMul(l->b, c->first, step, "");
        LLVMValueRef at = LLVMBuildGEP2(l->b, l->i8, c->hint[i], &off, 1, "");
        lower_prefetch(l, at, 0, (int64_t)h->lines * CACHE_LINE, h->writes);
    }
}
