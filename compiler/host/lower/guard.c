/* guard.c: run-time checks of what could not be proved, as compares with a rare call.
 *
 * The rules are in the runtime library. Each check of the program has a few words in the
 * kernel's frame, which remember the numbers of the instruction when its rules last held,
 * and for each tensor the offsets for which they hold with these numbers (TikSpan), or,
 * where rules do not tell more (shape_has_spans), its offset. Code compares with these
 * words; if anything is different, it calls the library, which decides, and remembers
 * anew.
 *
 * Edges. A kernel may access the bytes of a granule after the data of a global tensor,
 * which a caller's array does not have. Spans end with the data. An instruction that goes
 * further ends up in the library too, which gives it a copy to work on
 * (launch/edge.c). */

/* ASSUMES element-place: the access is at an offset in the tensor that is a multiple of
 * the element. */
/* ASSUMES numbers-decide: rules depend on nothing but numbers, masks, distances of
 * tensors of one root, for each tensor on its offset alone, and on where those of one
 * root lie whose elements are of unequal size; of the numbers, on a scalar only if a rule
 * says so of its values (check_value_rule). */
#include "host/lower/guard.h"
#include "rules/shape.h"

#include <string.h>

enum {
    MOST_MOVED = 64,
    MOST_GUARDS = 512 /* of a kernel that remember; others ask the library each time */
};

/* A tensor that the present checks may have moved. */
typedef struct Moved {
    BufId buf;
    ExprId off;
    LLVMValueRef from, at;
} Moved;

struct Guards {
    bool *edges;        /* by BufId: guard_has_edge */
    int made;           /* guards that remember */
    LLVMValueRef edged; /* (i1) some check moved a tensor; null: none does */
    bool inside;        /* between guard_enter and guard_leave */
    int n;
    Moved moved[MOST_MOVED];
};

/* ---- arrays without room ------------------------------------------------- */

/* Returns whether every access of a buffer is one that can be moved to a copy. */
static bool
can_move(const Kernel *k, const Stmt *s, BufId b)
{
    if (s->kind != ST_INSTR) {
        return true;
    }
    int n;
    const ParamInfo *p = form_params(op_table[s->instr.op].form, &n);
    for (int i = 0; i < n; i++) {
        const Arg *a = &k->args.p[s->instr.arg + (uint32_t)i];
        bool tensor = p[i].role == ROLE_DST || p[i].role == ROLE_SRC;
        if ((tensor || p[i].role == ROLE_ROOT) && a->ref.buf == b &&
            (!tensor || !shape_can_move(s->instr.op, p[i].role))) {
            return false;
        }
    }
    return true;
}

static bool
all_can_move(const Kernel *k, BufId b)
{
    for (uint32_t i = 1; i < k->stmts.n; i++) {
        if (!can_move(k, &k->stmts.p[i], b)) {
            return false;
        }
    }
    return true;
}

bool
lower_has_edges(const Kernel *k, BufId b)
{
    const Buffer *buf = &k->bufs.p[b];
    return buf->scope == SC_GM && !buf->inside && buf->role != BUF_LIST &&
           buf->role != BUF_CONST && all_can_move(k, b);
}

void
guard_begin(Lower *l)
{
    l->guards = ARENA_NEW(l->arena, struct Guards);
    l->guards->edges = ARENA_ARRAY(l->arena, bool, l->k->bufs.n);
    for (uint32_t i = 0; i < l->k->params.n; i++) {
        BufId b = l->k->params.p[i];
        l->guards->edges[b] = lower_has_edges(l->k, b);
    }
}

bool
guard_has_edge(const Lower *l, BufId b)
{
    return l->guards->edges[b];
}

/* ---- what is remembered -------------------------------------------------- */

typedef struct Tensor {
    const Ref *ref;
    LLVMValueRef off;
} Tensor;

typedef struct Guard {
    StmtId s;
    bool proved;
    bool spans;    /* the library tells for which offsets the rules hold */
    Values values; /* for the call */
    LLVMValueRef check;
    int ntensors, nkeys;
    Tensor tensor[MAX_PARAMS];
    LLVMValueRef keys[MAX_VALUES + MAX_PARAMS]; /* numbers that decide, and vary */
    LLVMValueRef memory; /* the spans, then the keys as they were */
} Guard;

static void
put_key(Guard *g, LLVMValueRef v)
{
    if (!LLVMIsConstant(v)) {
        g->keys[g->nkeys++] = v;
    }
}

/* The distance from the first tensor of the same root decides about overlap; where both
 * lie, too, if their elements are of unequal size. */
static void
put_distance(Lower *l, Guard *g, const Tensor *t)
{
    for (int i = 0; i < g->ntensors; i++) {
        const Tensor *o = &g->tensor[i];
        if (o->ref->buf == t->ref->buf) {
            if (!shape_keeps_distance(o->ref->dtype, t->ref->dtype)) {
                put_key(g, t->off);
            }
            if (o->ref->off != t->ref->off) {
                put_key(g, LLVMBuildSub(l->b, t->off, o->off, ""));
            }
            return;
        }
    }
}

/* Adds a tensor, after its values, of which the first is its offset. */
static void
put_tensor(Lower *l, Guard *g, const Ref *r, int first)
{
    Tensor t = {r, g->values.v[first]};
    for (int i = first + 1; i < g->values.n && l->k->bufs.p[r->buf].scope != SC_GM; i++) {
        put_key(g, g->values.v[i]);
    }
    if (!g->spans) {
        put_key(g, t.off);
    } else if (!g->proved) {
        put_distance(l, g, &t);
    }
    g->tensor[g->ntensors++] = t;
}

/* Adds an operand's values to those of the call, and what of them decides to the keys. */
static void
put_operand(Lower *l, Guard *g, const ParamInfo *p, const Arg *a, bool decides)
{
    int first = g->values.n;
    call_put_arg(l, &g->values, p, a, g->s);
    if (p->role == ROLE_DST || p->role == ROLE_SRC) {
        put_tensor(l, g, &a->ref, first);
        return;
    }
    for (int i = first; decides && i < g->values.n; i++) {
        put_key(g, g->values.v[i]);
    }
}

/* Returns whether the rules on an operand may depend on its value. A scalar that has its
 * type is in the range of it, which is all that is asked of most of them. */
static bool
operand_decides(const Kernel *k, const Stmt *s, const ParamInfo *p, int i)
{
    Op op = s->instr.op;
    int main = form_main(op_table[op].form);
    if (p->role != ROLE_SCALAR || main < 0 || check_value_rule(op, i) != RULE_NONE) {
        return true;
    }
    const Arg *a = &k->args.p[s->instr.arg];
    Dtype type = operand_type_dtype(p->of, a[main].ref.dtype);
    return (Dtype)ir_expr(k, a[i].expr)->dtype != type;
}

static LLVMValueRef
word(Lower *l, const Guard *g, int i)
{
    LLVMValueRef index = lower_const(l, i);
    return LLVMBuildInBoundsGEP2(l->b, l->i64, g->memory, &index, 1, "");
}

/* Returns whether a word tells that something is remembered, where no span does. */
static bool
has_valid_word(const Guard *g)
{
    return g->ntensors == 0 || !g->spans;
}

/* That word, which is not 0 then. */
static int
valid_word(const Guard *g)
{
    return 2 * g->ntensors + g->nkeys;
}

/* Reserves the words in the frame; nothing is remembered at first. */
static void
reserve_words(Lower *l, Guard *g)
{
    int n = valid_word(g) + has_valid_word(g);
    LLVMTypeRef t = LLVMArrayType2(l->i64, (uint64_t)n);
    g->memory = lower_alloca(l, t, "guard");
    if (l->guards->made++ < MOST_GUARDS) {
        LLVMBasicBlockRef here = LLVMGetInsertBlock(l->b);
        LLVMMetadataRef location = LLVMGetCurrentDebugLocation2(l->b);
        LLVMSetCurrentDebugLocation2(l->b, NULL);
        LLVMPositionBuilderBefore(l->b, LLVMGetNextInstruction(g->memory));
        LLVMBuildStore(l->b, LLVMConstNull(t), g->memory);
        LLVMPositionBuilderAtEnd(l->b, here);
        LLVMSetCurrentDebugLocation2(l->b, location);
    }
}

static LLVMValueRef
load_word(Lower *l, const Guard *g, int i)
{
    return LLVMBuildLoad2(l->b, l->i64, word(l, g, i), "");
}

/* Returns (i1) whether an offset is one of those for which the rules held. */
static LLVMValueRef
in_span(Lower *l, const Guard *g, int i)
{
    LLVMValueRef off = g->tensor[i].off;
    LLVMValueRef good =
        LLVMBuildICmp(l->b, LLVMIntULT, off, load_word(l, g, 2 * i + 1), "");
    if (g->proved) {
        return good;
    }
    LLVMValueRef odd = LLVMBuildAnd(l->b, off, load_word(l, g, 2 * i), "");
    odd = LLVMBuildICmp(l->b, LLVMIntEQ, odd, lower_const(l, 0), "");
    return LLVMBuildAnd(l->b, good, odd, "");
}

/* Returns (i1) whether what is remembered tells that the rules hold. */
static LLVMValueRef
is_remembered(Lower *l, const Guard *g)
{
    LLVMValueRef good = LLVMConstInt(l->i1, l->guards->made <= MOST_GUARDS, false);
    for (int i = 0; i < g->nkeys; i++) {
        LLVMValueRef was = load_word(l, g, 2 * g->ntensors + i);
        LLVMValueRef same = LLVMBuildICmp(l->b, LLVMIntEQ, g->keys[i], was, "");
        good = LLVMBuildAnd(l->b, good, same, "");
    }
    for (int i = 0; i < g->ntensors; i++) {
        if (g->spans && (!g->proved || guard_has_edge(l, g->tensor[i].ref->buf))) {
            good = LLVMBuildAnd(l->b, good, in_span(l, g, i), "");
        }
    }
    if (has_valid_word(g)) {
        LLVMValueRef valid = load_word(l, g, valid_word(g));
        valid = LLVMBuildICmp(l->b, LLVMIntNE, valid, lower_const(l, 0), "");
        good = LLVMBuildAnd(l->b, good, valid, "");
    }
    return good;
}

/* ---- the check ----------------------------------------------------------- */

/* Calls the library, leaves the kernel after a fault, and remembers the keys. Returns
 * (i1) whether a tensor was moved. */
static LLVMValueRef
ask(Lower *l, const Guard *g)
{
    LLVMTypeRef types[4] = {l->ptr, l->ptr, l->ptr, l->ptr};
    LLVMTypeRef type = LLVMFunctionType(l->i32, types, 4, false);
    LLVMValueRef args[4] = {l->state, g->check, call_values(l, &g->values), g->memory};
    LLVMValueRef answer =
        LLVMBuildCall2(l->b, type, lower_runtime(l, "tikrt_check", type), args, 4, "");
    LLVMValueRef fault = LLVMBuildICmp(l->b, LLVMIntEQ, answer, lower_const32(l, 1), "");
    call_leave_if(l, LLVMBuildZExt(l->b, fault, l->i32, ""), g->s);
    for (int i = 0; i < g->nkeys; i++) {
        LLVMBuildStore(l->b, g->keys[i], word(l, g, 2 * g->ntensors + i));
    }
    if (has_valid_word(g)) {
        LLVMBuildStore(l->b, lower_const(l, 1), word(l, g, valid_word(g)));
    }
    return LLVMBuildICmp(l->b, LLVMIntEQ, answer, lower_const32(l, 2), "");
}

/* Notes that the tensors of this check may be moved, where `edged` is true. */
static void
note_edges(Lower *l, const Guard *g, LLVMValueRef edged)
{
    struct Guards *all = l->guards;
    bool any = false;
    for (int i = 0; i < g->ntensors; i++) {
        const Ref *r = g->tensor[i].ref;
        bool known = !guard_has_edge(l, r->buf);
        any = any || !known;
        for (int j = 0; !known && j < all->n; j++) {
            known = all->moved[j].buf == r->buf && all->moved[j].off == r->off;
        }
        if (!known) {
            if (all->n == MOST_MOVED) {
                ICE("statement %u has too many operands", (unsigned)g->s);
            }
            all->moved[all->n++] = (Moved){r->buf, r->off, g->tensor[i].off, NULL};
        }
    }
    if (any) {
        all->edged =
            all->edged == NULL ? edged : LLVMBuildOr(l->b, all->edged, edged, "");
    }
}

static void
emit(Lower *l, Guard *g)
{
    reserve_words(l, g);
    LLVMBasicBlockRef rare = lower_block(l, "check");
    LLVMBasicBlockRef good = lower_block(l, "good");
    LLVMValueRef branch = LLVMBuildCondBr(l->b, is_remembered(l, g), good, rare);
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(l->ctx, "prof", strlen("prof")),
                    l->likely);
    LLVMBasicBlockRef usual = LLVMGetInsertBlock(l->b);
    LLVMPositionBuilderAtEnd(l->b, rare);
    LLVMValueRef edged = ask(l, g);
    rare = LLVMGetInsertBlock(l->b);
    LLVMBuildBr(l->b, good);
    LLVMPositionBuilderAtEnd(l->b, good);
    LLVMValueRef phi = LLVMBuildPhi(l->b, l->i1, "edged");
    LLVMValueRef none = LLVMConstInt(l->i1, 0, false);
    LLVMAddIncoming(phi, &none, &usual, 1);
    LLVMAddIncoming(phi, &edged, &rare, 1);
    note_edges(l, g, phi);
}

bool
guard_instr_has_edge(const Lower *l, StmtId s)
{
    int n;
    const Stmt *st = &l->k->stmts.p[s];
    const ParamInfo *p = form_params(op_table[st->instr.op].form, &n);
    for (int i = 0; i < n; i++) {
        bool tensor = p[i].role == ROLE_DST || p[i].role == ROLE_SRC;
        if (tensor &&
            guard_has_edge(l, l->k->args.p[st->instr.arg + (uint32_t)i].ref.buf)) {
            return true;
        }
    }
    return false;
}

void
guard_instr(Lower *l, StmtId s)
{
    const Stmt *st = &l->k->stmts.p[s];
    Guard g = {.s = s,
               .proved = st->proof == PROOF_PROVED,
               .spans = shape_has_spans(st->instr.op)};
    if (g.proved && !guard_instr_has_edge(l, s)) {
        return;
    }
    int n;
    const ParamInfo *params = form_params(op_table[st->instr.op].form, &n);
    LLVMValueRef args[MAX_PARAMS];
    for (int i = 0; i < n; i++) {
        const Arg *a = &l->k->args.p[st->instr.arg + (uint32_t)i];
        args[i] = call_arg(l, &params[i], a);
        put_operand(l, &g, &params[i], a, operand_decides(l->k, st, &params[i], i));
    }
    g.check = call_constant(l, st->instr.op, s, args, n);
    emit(l, &g);
}

void
guard_element(Lower *l, const Ref *r, StmtId s)
{
    Guard g = {.s = s, .proved = l->k->stmts.p[s].proof == PROOF_PROVED, .spans = true};
    if (g.proved && !guard_has_edge(l, r->buf)) {
        return;
    }
    const ParamInfo tensor = {.role = ROLE_DST};
    const Arg a = {.kind = ARG_REF, .ref = *r};
    LLVMValueRef args[MAX_PARAMS] = {call_arg(l, &tensor, &a)};
    put_operand(l, &g, &tensor, &a, true);
    g.check = call_constant(l, OP_COUNT, s, args, 1);
    emit(l, &g);
}

/* ---- moved tensors ------------------------------------------------------- */

static LLVMValueRef
edge_address(Lower *l, const Moved *m)
{
    LLVMTypeRef types[3] = {l->ptr, l->i32, l->i64};
    LLVMTypeRef type = LLVMFunctionType(l->ptr, types, 3, false);
    LLVMValueRef args[3] = {l->state, lower_const32(l, lower_param(l->k, m->buf)),
                            m->from};
    return LLVMBuildCall2(l->b, type, lower_runtime(l, "tikrt_edge", type), args, 3, "");
}

void
guard_enter(Lower *l)
{
    struct Guards *g = l->guards;
    if (g->edged == NULL) {
        g->n = 0;
        return;
    }
    LLVMValueRef usual[MOST_MOVED], rare[MOST_MOVED];
    LLVMBasicBlockRef moves = lower_block(l, "edges");
    LLVMBasicBlockRef go = lower_block(l, "go");
    for (int i = 0; i < g->n; i++) {
        usual[i] = LLVMBuildGEP2(l->b, l->i8, l->bufs[g->moved[i].buf], &g->moved[i].from,
                                 1, "");
    }
    LLVMBasicBlockRef from = LLVMGetInsertBlock(l->b);
    LLVMBuildCondBr(l->b, g->edged, moves, go);
    LLVMPositionBuilderAtEnd(l->b, moves);
    for (int i = 0; i < g->n; i++) {
        rare[i] = edge_address(l, &g->moved[i]);
    }
    LLVMBuildBr(l->b, go);
    LLVMPositionBuilderAtEnd(l->b, go);
    for (int i = 0; i < g->n; i++) {
        LLVMValueRef at = LLVMBuildPhi(l->b, l->ptr, "");
        LLVMAddIncoming(at, &usual[i], &from, 1);
        LLVMAddIncoming(at, &rare[i], &moves, 1);
        g->moved[i].at = at;
    }
    g->inside = true;
}

LLVMValueRef
guard_ref(const Lower *l, const Ref *r)
{
    const struct Guards *g = l->guards;
    for (int i = 0; g->inside && i < g->n; i++) {
        if (g->moved[i].buf == r->buf && g->moved[i].off == r->off) {
            return g->moved[i].at;
        }
    }
    return NULL;
}

void
guard_leave(Lower *l)
{
    struct Guards *g = l->guards;
    LLVMValueRef edged = g->edged;
    g->edged = NULL;
    g->inside = false;
    g->n = 0;
    if (edged == NULL) {
        return;
    }
    LLVMBasicBlockRef ends = lower_block(l, "edges_end");
    LLVMBasicBlockRef go = lower_block(l, "go");
    LLVMBuildCondBr(l->b, edged, ends, go);
    LLVMPositionBuilderAtEnd(l->b, ends);
    LLVMTypeRef type = LLVMFunctionType(l->none, &l->ptr, 1, false);
    LLVMBuildCall2(l->b, type, lower_runtime(l, "tikrt_edges_end", type), &l->state, 1,
                   "");
    LLVMBuildBr(l->b, go);
    LLVMPositionBuilderAtEnd(l->b, go);
}
