/* call.c: calls of the runtime library with an instruction: for those that are
 * implemented there, and for checks (host/lower/guard.c). The code passes the operands'
 * values and a constant TikCheck; on a fault the kernel ends. */
#include "host/lower/guard.h"
#include "isa/operand.h"

enum {
    LIST_LEAST = 4 /* addresses that are put into memory together */
};

LLVMValueRef
call_arg(Lower *l, const ParamInfo *p, const Arg *a)
{
    int64_t scope = 0, dtype = 0, buffer = 0, form = 0, literal = 0, list = 0, edge = 0;
    int64_t bytes = 0;
    if (p->role == ROLE_DST || p->role == ROLE_SRC || p->role == ROLE_ROOT) {
        const Buffer *b = &l->k->bufs.p[a->ref.buf];
        scope = b->scope;
        dtype = a->ref.dtype;
        buffer = a->ref.buf;
        bytes = lower_has_run_time_size(b) ? -1 : ir_bytes(b);
        list = b->role == BUF_LIST    ? lower_param(l->k, a->ref.buf) + 1
               : b->role == BUF_CONST ? -1
                                      : 0;
        edge = guard_has_edge(l, a->ref.buf) ? lower_param(l->k, a->ref.buf) + 1 : 0;
    } else if (p->role == ROLE_MASK) {
        form = a->mask_form;
    } else if (p->role != ROLE_MASKMODE) {
        literal = ir_is_const(l->k, a->expr);
    }
    LLVMValueRef fields[9] = {
        lower_const32(l, scope), lower_const32(l, dtype),   lower_const32(l, buffer),
        lower_const32(l, form),  lower_const32(l, literal), lower_const32(l, list),
        lower_const32(l, edge),  lower_const32(l, 0),       lower_const(l, bytes)};
    return LLVMConstStructInContext(l->ctx, fields, 9, false);
}

static LLVMValueRef
string_constant(Lower *l, const char *text)
{
    return LLVMBuildGlobalStringPtr(l->b, text, "");
}

LLVMValueRef
call_constant(Lower *l, int64_t op, StmtId s, LLVMValueRef *args, int n)
{
    LLVMTypeRef arg_type = LLVMTypeOf(args[0]);
    bool proved = l->k->stmts.p[s].proof == PROOF_PROVED;
    LLVMValueRef fields[5] = {lower_const32(l, op), lower_const32(l, lower_place(l, s)),
                              string_constant(l, l->k->soc->name), lower_const(l, proved),
                              LLVMConstArray2(arg_type, args, (uint64_t)n)};
    LLVMValueRef init = LLVMConstStructInContext(l->ctx, fields, 5, false);
    LLVMValueRef global = LLVMAddGlobal(l->mod, LLVMTypeOf(init), "tik_check");
    LLVMSetInitializer(global, init);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    return global;
}

void
call_put_value(Values *to, LLVMValueRef v)
{
    to->v[to->n++] = v;
}

void
call_put_arg(Lower *l, Values *to, const ParamInfo *p, const Arg *a, StmtId s)
{
    switch (p->role) {
    case ROLE_DST:
    case ROLE_SRC:
    case ROLE_ROOT:
        call_put_value(to, lower_number(l, a->ref.off, s));
        if (lower_has_run_time_size(&l->k->bufs.p[a->ref.buf])) {
            call_put_value(to, lower_bytes(l, a->ref.buf));
        }
        return;
    case ROLE_MASK:
        for (int i = 0; i < 4; i++) {
            bool have = i < mask_words(a->mask_form);
            call_put_value(to, have ? lower_number(l, a->mask[i], s) : lower_const(l, 0));
        }
        return;
    case ROLE_REPEAT:
    case ROLE_INT:
    case ROLE_SCALAR:
    case ROLE_ATTR:
    case ROLE_PIPE:
        call_put_value(to, lower_number(l, a->expr, s));
        return;
    case ROLE_MASKMODE:
        return;
    }
    UNREACHABLE();
}

LLVMValueRef
call_known_values(Lower *l, const Values *from)
{
    LLVMValueRef known[MAX_VALUES];
    for (int i = 0; i < from->n; i++) {
        known[i] = LLVMIsConstant(from->v[i]) ? from->v[i] : lower_const(l, 0);
    }
    LLVMValueRef init = LLVMConstArray2(l->i64, known, (uint64_t)from->n);
    LLVMValueRef global = LLVMAddGlobal(l->mod, LLVMTypeOf(init), "tik_values");
    LLVMSetInitializer(global, init);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    return global;
}

/* What is known is data of the module, so that a call costs code only for the others. */
LLVMValueRef
call_values(Lower *l, const Values *from)
{
    int unknown = 0;
    for (int i = 0; i < from->n; i++) {
        unknown += !LLVMIsConstant(from->v[i]);
    }
    if (unknown == 0) {
        return call_known_values(l, from);
    }
    if (l->values == NULL) {
        l->values = lower_alloca(l, LLVMArrayType2(l->i64, MAX_VALUES), "values");
    }
    if (unknown < from->n) {
        LLVMBuildMemCpy(l->b, l->values, 8, call_known_values(l, from), 8,
                        lower_const(l, 8 * from->n));
    }
    for (int i = 0; i < from->n; i++) {
        if (!LLVMIsConstant(from->v[i])) {
            LLVMValueRef index = lower_const(l, i);
            LLVMBuildStore(l->b, from->v[i],
                           LLVMBuildInBoundsGEP2(l->b, l->i64, l->values, &index, 1, ""));
        }
    }
    return l->values;
}

void
call_leave_if(Lower *l, LLVMValueRef fault, StmtId s)
{
    LLVMValueRef bad = LLVMBuildICmp(l->b, LLVMIntNE, fault, lower_const32(l, 0), "");
    LLVMBasicBlockRef good = lower_block(l, "checked");
    LLVMBuildCondBr(l->b, bad, lower_failed(l, s), good);
    LLVMPositionBuilderAtEnd(l->b, good);
}

/* Returns where factor i of an instruction is, if it is a product and that is known; else
 * null. */
static const Origin *
origin_of(const Lower *l, const Stmt *s, int i)
{
    const Origin *o =
        &l->k->origins.p[s->instr.origin].of[i >= 0 && i < ORIGIN_FACTORS ? i : 0];
    return i >= 0 && i < ORIGIN_FACTORS && o->ref.buf != 0 ? o : NULL;
}

/* An offset is what an expression says, and a number of bytes. */
typedef struct Offset {
    ExprId of; /* 0: nothing */
    int64_t bytes;
} Offset;

static Offset
offset_of(const Kernel *k, ExprId id)
{
    const Expr *e = ir_expr(k, id);
    if (e->kind == EX_CONST) {
        return (Offset){0, e->imm};
    }
    bool sum = e->kind == EX_OP && e->op == SOP_ADD && dtype_size((Dtype)e->dtype) == 8 &&
               ir_is_const(k, e->b);
    return sum ? (Offset){e->a, ir_expr(k, e->b)->imm} : (Offset){id, 0};
}

/* Returns whether an operand's address is that of another one and some bytes. */
static bool
is_beside(const Lower *l, const Ref *first, const Ref *r, int64_t *bytes)
{
    Offset from = offset_of(l->k, first->off), to = offset_of(l->k, r->off);
    *bytes = to.bytes - from.bytes;
    return first->buf == r->buf && from.of == to.of && guard_ref(l, r) == NULL &&
           guard_ref(l, first) == NULL && l->k->bufs.p[r->buf].role != BUF_LIST;
}

static void
put_address(Lower *l, int i, LLVMValueRef address)
{
    LLVMValueRef index = lower_const(l, i);
    LLVMValueRef at = LLVMBuildInBoundsGEP2(l->b, l->ptr, l->addresses, &index, 1, "");
    LLVMSetAlignment(LLVMBuildStore(l->b, address, at), sizeof(void *));
}

/* Puts the addresses of tensors that begin at known distances from the first of them, as
 * those of a list mostly do; returns how many there are. Together they are one sum and
 * one store, which is little code. */
static int
put_list(Lower *l, const Arg *args, int first, int n)
{
    LLVMValueRef distance[MAX_PARAMS];
    int64_t bytes;
    int k = 0;
    while (k < n && is_beside(l, &args[first].ref, &args[first + k].ref, &bytes)) {
        distance[k++] = lower_const(l, bytes);
    }
    if (k < LIST_LEAST) {
        return 0;
    }
    LLVMValueRef at = LLVMConstVector(distance, (unsigned)k);
    LLVMValueRef base = lower_ref(l, &args[first].ref);
    put_address(l, first, LLVMBuildGEP2(l->b, l->i8, base, &at, 1, ""));
    return k;
}

static bool
is_tensor(const ParamInfo *p)
{
    return p->role == ROLE_DST || p->role == ROLE_SRC;
}

/* Returns how many tensor operands follow each other. */
static int
tensors_from(const ParamInfo *params, int i, int n)
{
    int k = 0;
    while (i + k < n && is_tensor(&params[i + k])) {
        k++;
    }
    return k;
}

LLVMValueRef
lower_operands(Lower *l, StmtId s)
{
    const Stmt *st = &l->k->stmts.p[s];
    int n;
    const ParamInfo *params = form_params(op_table[st->instr.op].form, &n);
    const Arg *args = &l->k->args.p[st->instr.arg];
    if (l->addresses == NULL) {
        l->addresses =
            lower_alloca(l, LLVMArrayType2(l->ptr, MAX_PARAMS + 1), "operands");
    }
    for (int i = 0; i < n; i++) {
        if (is_tensor(&params[i])) {
            const Origin *o = origin_of(l, st, i - MATMUL_a);
            int list = o == NULL ? put_list(l, args, i, tensors_from(params, i, n)) : 0;
            if (list == 0) {
                put_address(l, i, lower_ref(l, o != NULL ? &o->ref : &args[i].ref));
            }
            i += MAX(0, list - 1);
        }
    }
    put_address(l, n, lower_sreg(l));
    return l->addresses;
}

LLVMValueRef
call_origins(Lower *l, const Stmt *s)
{
    LLVMValueRef all[ORIGIN_FACTORS];
    const int64_t parts = l->k->origins.p[s->instr.origin].parts;
    for (int i = 0; i < ORIGIN_FACTORS; i++) {
        const Origin *o = &l->k->origins.p[s->instr.origin].of[i];
        LLVMValueRef fields[] = {lower_const(l, o->outer), lower_const(l, o->inner),
                                 lower_const32(l, o->ref.buf != 0),
                                 lower_const32(l, o->transposed),
                                 lower_const(l, MAX(1, parts))};
        all[i] = LLVMConstStructInContext(l->ctx, fields, ARRAY_LEN(fields), false);
    }
    LLVMValueRef init = LLVMConstArray2(LLVMTypeOf(all[0]), all, ORIGIN_FACTORS);
    LLVMValueRef global = LLVMAddGlobal(l->mod, LLVMTypeOf(init), "tik_origins");
    LLVMSetInitializer(global, init);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    return global;
}

void
lower_call_operands(Lower *l, StmtId s, LLVMValueRef out[3])
{
    const Stmt *st = &l->k->stmts.p[s];
    int n;
    const ParamInfo *params = form_params(op_table[st->instr.op].form, &n);
    const Arg *operands = &l->k->args.p[st->instr.arg];
    LLVMValueRef info[MAX_PARAMS];
    Values values = {0};
    for (int i = 0; i < n; i++) {
        info[i] = call_arg(l, &params[i], &operands[i]);
        call_put_arg(l, &values, &params[i], &operands[i], s);
    }
    out[0] = call_constant(l, st->instr.op, s, info, n);
    out[1] = call_values(l, &values);
    out[2] = lower_operands(l, s);
}

void
lower_exec(Lower *l, StmtId s)
{
    const Stmt *st = &l->k->stmts.p[s];
    unsigned nargs = st->instr.origin != 0 ? 5 : 4;
    const char *name = st->instr.origin != 0 ? "tikrt_product" : "tikrt_exec";
    LLVMTypeRef types[5] = {l->ptr, l->ptr, l->ptr, l->ptr, l->ptr};
    LLVMTypeRef type = LLVMFunctionType(l->i32, types, nargs, false);
    LLVMValueRef args[5] = {l->state};
    lower_call_operands(l, s, &args[1]);
    if (st->instr.origin != 0) {
        args[4] = call_origins(l, st);
    }
    call_leave_if(
        l, LLVMBuildCall2(l->b, type, lower_runtime(l, name, type), args, nargs, ""), s);
}
