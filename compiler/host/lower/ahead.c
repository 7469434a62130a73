/* ahead.c: asks for the lines of global memory that the next iteration of a loop needs.
 *
 * A loop body with several fused loops reads a tile in one of them and writes it in
 * another, so the memory is idle during the rest, and the reads of the next tile wait for
 * it. Each of the loops asks for a part of what all of them access in the next iteration:
 * a byte for each of its elements, or more, so that short loops leave operands to others.
 * After the last iteration of a loop the tiles that follow are what is expected. Lines
 * that nobody needs are only asked for in vain. */
#include "host/lower/fusion.h"

enum {
    MOST_AHEAD = 4 * MOST_HINTS,
    MOST_LINES = 16,           /* that a chunk asks for, of one operand */
    FUNCTION_AHEAD = 2 * AHEAD /* the distance of loops that compute longer */
};

typedef struct Ahead {
    Lower *l;
    Fusion *f;
    int64_t count;   /* of elements */
    int part, parts; /* of the fused loops of the body */
    int64_t taken;   /* parts of loops that the operands before have */
    int nseen;
    Ref seen[MOST_AHEAD]; /* operands that have their lines */
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

bool
fusion_looks_ahead(const Lower *l)
{
    int loops = 0;
    for (StmtId s = l->loop == NULL ? 0 : l->loop->body; s != 0;
         s = l->k->stmts.p[s].next) {
        const Stmt *st = &l->k->stmts.p[s];
        loops += st->kind == ST_SCOPE && st->scope.fused;
    }
    return loops > 1;
}

static bool
is_seen(Ahead *a, const Ref *r)
{
    for (int i = 0; i < a->nseen; i++) {
        if (a->seen[i].buf == r->buf && a->seen[i].off == r->off) {
            return true;
        }
    }
    if (a->nseen < MOST_AHEAD) {
        a->seen[a->nseen++] = *r;
    }
    return false;
}

/* Returns where the operand is in the next iteration of the loop around. */
static LLVMValueRef
next_place(Lower *l, const Ref *r, int64_t span)
{
    VarId var = l->loop->var;
    if (var == 0) {
        LLVMValueRef off = lower_const(l, span);
        return LLVMBuildGEP2(l->b, l->i8, lower_ref(l, r), &off, 1, "");
    }
    LLVMValueRef now = l->vars[var];
    l->vars[var] = LLVMBuildAdd(l->b, now, LLVMConstInt(LLVMTypeOf(now), 1, false), "");
    l->stamp++; /* expressions have other values there */
    LLVMValueRef at = lower_ref(l, r);
    l->vars[var] = now;
    l->stamp++;
    return at;
}

/* Returns whether the next iteration accesses other memory there. */
static bool
moves_on(const Lower *l, const Ref *r)
{
    return l->loop->var == 0 || ir_reads_var(l->k, r->off, l->loop->var);
}

/* The operands of the body take turns with the loops: of each, some loops in a row ask
 * for all lines, or for as many as there is time for. */
static void
add_operand(Ahead *a, const Iteration *it, const IterationOperand *o)
{
    Lower *l = a->l;
    const Buffer *b = &l->k->bufs.p[o->ref.buf];
    int64_t span = iteration_span(it, o);
    if (b->scope != SC_GM || b->bytes < AHEAD_LEAST || span < CACHE_LINE ||
        (o->writes && l->streams[o->ref.buf]) || !moves_on(l, &o->ref) ||
        is_seen(a, &o->ref)) {
        return;
    }
    int64_t row = iteration_bytes(o, it->lanes.times), bytes = it->rows.times * row;
    int64_t each = (bytes + a->parts * a->count - 1) / (a->parts * a->count);
    int64_t part = each * a->count;
    int64_t mine = (a->part + a->parts - a->taken % a->parts) % a->parts;
    a->taken += (bytes + part - 1) / part;
    if (mine * part >= bytes || a->f->nhints == MOST_HINTS) {
        return;
    }
    FusedHint *h = &a->f->hint[a->f->nhints++];
    *h = (FusedHint){.at = next_place(l, &o->ref, span),
                     .bytes = (int)MIN(each, MOST_LINES * CACHE_LINE / a->f->lanes),
                     .writes = o->writes};
    if (span == bytes) {
        LLVMValueRef off = lower_const(l, mine * part);
        h->at = LLVMBuildGEP2(l->b, l->i8, h->at, &off, 1, "");
    } else {
        h->from = mine * part, h->row = row, h->pitch = o->pitch;
    }
}

static void
add_scope(Ahead *a, StmtId scope)
{
    const Kernel *k = a->l->k;
    Iteration it;
    ScopeMember m[MOST_SCOPE_MEMBERS];
    int n = scope_members(k, k->stmts.p[scope].scope.body, m);
    for (int j = 0; j < n; j++) {
        if (member_iteration(k, &m[j], &it) ||
            iteration_sink(k, &k->stmts.p[m[j].stmt], &it)) {
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
        if (at != NULL) {
            o->ahead = 0;
            f->hint[f->nhints++] = (FusedHint){.at = at, .bytes = dtype_size(o->dtype)};
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
    a.count = LLVMConstIntGetSExtValue(count);
    find_part(&a);
    if (a.parts < 2 || a.count < f->lanes) {
        return;
    }
    for (StmtId s = l->loop->body; s != 0; s = l->k->stmts.p[s].next) {
        const Stmt *st = &l->k->stmts.p[s];
        if (st->kind == ST_SCOPE && st->scope.fused) {
            add_scope(&a, s);
        }
    }
    for (int i = 0; i < f->noperands && a.nseen > 0; i++) {
        f->operand[i].ahead = 0;
    }
}

/* ---- what follows in the same loop --------------------------------------- */

/* Takes the constant out of an offset. */
static ExprId
base_of(const Kernel *k, ExprId off, int64_t *constant)
{
    const Expr *x = ir_expr(k, off);
    bool sum = x->kind == EX_OP && x->op == SOP_ADD && ir_is_const(k, x->b);
    *constant = sum ? ir_expr(k, x->b)->imm : 0;
    return sum ? x->a : off;
}

/* Returns whether the loop reads, in the same row or the next one, what is that far after
 * the operand. */
static bool
reads_after(const Lower *l, const Fusion *f, const FusedOperand *o, int64_t bytes)
{
    int64_t from, at;
    ExprId base = base_of(l->k, o->off, &from);
    for (int i = 0; i < f->noperands; i++) {
        const FusedOperand *p = &f->operand[i];
        if (p->buf == o->buf && p->pitch == o->pitch &&
            base_of(l->k, p->off, &at) == base &&
            (at - from == bytes || at - from == bytes - o->pitch)) {
            return true;
        }
    }
    return false;
}

/* The lines further on, unless rows are far apart and no operand is what is between them:
 * then the same lines of a later row. */
int64_t
fusion_distance(const Lower *l, const Fusion *f, const FusedOperand *o)
{
    if (f->flat || o->pitch == f->row_lanes * dtype_size(o->dtype)) {
        return fusion_has_function(f) ? FUNCTION_AHEAD : AHEAD;
    }
    return reads_after(l, f, o, AHEAD) ? AHEAD : 2 * o->pitch;
}

/* Asks for that many bytes from a byte of the rows on, which do not follow each other. */
static void
ask_for_rows(Lower *l, const FusedHint *h, LLVMValueRef at, LLVMValueRef first,
             int64_t bytes)
{
    LLVMValueRef row = lower_const(l, h->row), pitch = lower_const(l, h->pitch);
    for (int64_t i = 0; i < bytes; i += CACHE_LINE) {
        LLVMValueRef byte = LLVMBuildAdd(l->b, first, lower_const(l, h->from + i), "");
        LLVMValueRef off =
            LLVMBuildMul(l->b, LLVMBuildUDiv(l->b, byte, row, ""), pitch, "");
        off = LLVMBuildAdd(l->b, off, LLVMBuildURem(l->b, byte, row, ""), "");
        LLVMValueRef line = LLVMBuildGEP2(l->b, l->i8, at, &off, 1, "");
        lower_prefetch(l, line, 0, 1, h->writes);
    }
}

void
fusion_build_hints(Lower *l, const Chunk *c)
{
    for (int i = 0; i < c->f->nhints && c->mask == NULL; i++) {
        const FusedHint *h = &c->f->hint[i];
        LLVMValueRef off = LLVMBuildMul(l->b, c->first, lower_const(l, h->bytes), "");
        int64_t bytes = (int64_t)h->bytes * c->f->lanes;
        if (h->row != 0) {
            ask_for_rows(l, h, c->hint[i], off, bytes);
            continue;
        }
        LLVMValueRef at = LLVMBuildGEP2(l->b, l->i8, c->hint[i], &off, 1, "");
        lower_prefetch(l, at, 0, bytes, h->writes);
    }
}
