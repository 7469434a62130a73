/* finish.c: lowers finishing scopes (passes/finish.c): one call of the runtime library
 * makes the sums of a product, converts them and writes the results. */
#include "host/lower/guard.h"
#include "isa/operand.h"

enum {
    MOST_MOVES = FINISH_GROUPS,
    MOST_WRITES = FINISH_GROUPS
};

/* The instructions that a scope's groups name, each once. */
typedef struct Parts {
    const Finish *f;
    int nmoves, nwrites;
    StmtId move[MOST_MOVES], write[MOST_WRITES];
} Parts;

static int
number_in(StmtId *list, int *n, StmtId s)
{
    for (int i = 0; i < *n; i++) {
        if (list[i] == s) {
            return i;
        }
    }
    list[*n] = s;
    return (*n)++;
}

/* Returns constant data. */
static LLVMValueRef
constant(Lower *l, LLVMValueRef init, const char *name)
{
    LLVMValueRef global = LLVMAddGlobal(l->mod, LLVMTypeOf(init), name);
    LLVMSetInitializer(global, init);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    return global;
}

static LLVMValueRef
structure(Lower *l, LLVMValueRef *fields, unsigned n)
{
    return LLVMConstStructInContext(l->ctx, fields, n, false);
}

/* Returns a TikFinishMove. Where its tensors are is not asked for. */
static LLVMValueRef
move_constant(Lower *l, StmtId s)
{
    const Stmt *st = &l->k->stmts.p[s];
    int n;
    const ParamInfo *params = form_params(op_table[st->instr.op].form, &n);
    LLVMValueRef info[MAX_PARAMS];
    Values values = {0};
    for (int i = 0; i < n; i++) {
        const Arg *a = &l->k->args.p[st->instr.arg + (uint32_t)i];
        info[i] = call_arg(l, &params[i], a);
        if (a->kind == ARG_REF) {
            call_put_value(&values, lower_const(l, 0));
        } else {
            call_put_arg(l, &values, &params[i], a, s);
        }
    }
    LLVMValueRef fields[] = {call_constant(l, st->instr.op, s, info, n),
                             call_known_values(l, &values)};
    return structure(l, fields, ARRAY_LEN(fields));
}

static LLVMValueRef
groups_constant(Lower *l, Parts *p)
{
    LLVMValueRef all[FINISH_GROUPS];
    for (int i = 0; i < p->f->groups; i++) {
        const FinishGroup *g = &p->f->group[i];
        LLVMValueRef fields[] = {
            lower_const32(l, number_in(p->move, &p->nmoves, g->move)),
            lower_const32(l, number_in(p->write, &p->nwrites, g->write)),
            lower_const(l, g->burst), lower_const(l, g->off)};
        all[i] = structure(l, fields, ARRAY_LEN(fields));
    }
    LLVMTypeRef type = LLVMTypeOf(all[0]);
    return constant(l, LLVMConstArray2(type, all, (uint64_t)p->f->groups), "tik_groups");
}

/* Returns a constant TikFinish. */
static LLVMValueRef
finish_constant(Lower *l, Parts *p)
{
    LLVMValueRef moves[MOST_MOVES], groups = groups_constant(l, p);
    for (int i = 0; i < p->nmoves; i++) {
        moves[i] = move_constant(l, p->move[i]);
    }
    LLVMTypeRef type = LLVMTypeOf(moves[0]);
    LLVMValueRef list =
        constant(l, LLVMConstArray2(type, moves, (uint64_t)p->nmoves), "tik_moves");
    LLVMValueRef fields[] = {lower_const(l, p->f->rows),
                             lower_const(l, p->f->pitch),
                             lower_const32(l, p->f->rectify),
                             lower_const32(l, p->nmoves),
                             lower_const32(l, p->f->groups),
                             lower_const32(l, 0),
                             list,
                             groups};
    return constant(l, structure(l, fields, ARRAY_LEN(fields)), "tik_finish");
}

static void
put_place(Lower *l, LLVMValueRef places, int i, LLVMValueRef at)
{
    LLVMValueRef index = lower_const(l, i);
    LLVMBuildStore(l->b, at, LLVMBuildInBoundsGEP2(l->b, l->ptr, places, &index, 1, ""));
}

/* Returns the places of the moves' parameters and of the writes. */
static LLVMValueRef
places(Lower *l, const Parts *p)
{
    const unsigned n = (unsigned)(p->nmoves + p->nwrites);
    LLVMValueRef all = lower_alloca(l, LLVMArrayType2(l->ptr, n), "places");
    for (int i = 0; i < p->nmoves; i++) {
        const Stmt *st = &l->k->stmts.p[p->move[i]];
        bool vector = op_table[st->instr.op].form == FORM_ACCV;
        const Ref *r = &l->k->args.p[st->instr.arg + ACCV_deqscale].ref;
        put_place(l, all, i, vector ? lower_ref(l, r) : LLVMConstNull(l->ptr));
    }
    for (int i = 0; i < p->nwrites; i++) {
        const Stmt *st = &l->k->stmts.p[p->write[i]];
        const Ref *r = &l->k->args.p[st->instr.arg + MOVE_dst].ref;
        put_place(l, all, p->nmoves + i, lower_ref(l, r));
    }
    return all;
}

/* Arrays that may end before the room after them are left to the instructions. */
static bool
has_edges(const Lower *l, StmtId first)
{
    for (StmtId s = first; s != 0; s = l->k->stmts.p[s].next) {
        if (guard_instr_has_edge(l, s)) {
            return true;
        }
    }
    return false;
}

bool
lower_finish(Lower *l, StmtId scope)
{
    const Stmt *sc = &l->k->stmts.p[scope];
    StmtId s = sc->scope.body;
    if (l->sets_atomic || has_edges(l, s)) {
        return false;
    }
    Parts p = {.f = &l->k->finishes.p[sc->scope.finish]};
    const Stmt *st = &l->k->stmts.p[s];
    LLVMValueRef finish = finish_constant(l, &p);
    LLVMTypeRef types[7] = {l->ptr, l->ptr, l->ptr, l->ptr, l->ptr, l->ptr, l->ptr};
    LLVMTypeRef type = LLVMFunctionType(l->i32, types, ARRAY_LEN(types), false);
    LLVMValueRef args[7] = {l->state};
    lower_call_operands(l, s, &args[1]);
    args[4] = st->instr.origin != 0 ? call_origins(l, st) : LLVMConstNull(l->ptr);
    args[5] = finish;
    args[6] = places(l, &p);
    call_leave_if(l,
                  LLVMBuildCall2(l->b, type, lower_runtime(l, "tikrt_finish", type), args,
                                 ARRAY_LEN(args), ""),
                  s);
    return true;
}
