/* check.c: calls of the runtime library: instructions that are implemented there, and
 * run-time checks before an instruction or an access to one element that could not be
 * proved. The code passes the operands' values and a constant TikCheck to the runtime
 * library, which contains the rules; on a fault the kernel ends. An access to one
 * element, being short, is tested in place first and only a suspicious one goes to the
 * library. */

/* ASSUMES element-place: the access is at an offset in the tensor that is a multiple of
 * the element. */
#include "host/lower/lower.h"

static LLVMValueRef
check_arg(Lower *l, const ParamInfo *p, const Arg *a)
{
    int64_t scope = 0, dtype = 0, buffer = 0, form = 0, literal = 0, list = 0, bytes = 0;
    if (p->role == ROLE_DST || p->role == ROLE_SRC || p->role == ROLE_ROOT) {
        const Buffer *b = &l->k->bufs.p[a->ref.buf];
        scope = b->scope;
        dtype = a->ref.dtype;
        buffer = a->ref.buf;
        bytes = lower_has_run_time_size(b) ? -1 : ir_bytes(b);
        list = b->role == BUF_LIST    ? lower_param(l->k, a->ref.buf) + 1
               : b->role == BUF_CONST ? -1
                                      : 0;
    } else if (p->role == ROLE_MASK) {
        form = a->mask.form;
    } else if (p->role != ROLE_MASKMODE) {
        literal = ir_is_const(l->k, a->expr);
    }
    LLVMValueRef fields[7] = {lower_const32(l, scope),   lower_const32(l, dtype),
                              lower_const32(l, buffer),  lower_const32(l, form),
                              lower_const32(l, literal), lower_const32(l, list),
                              lower_const(l, bytes)};
    return LLVMConstStructInContext(l->ctx, fields, 7, false);
}

static LLVMValueRef
string_constant(Lower *l, const char *text)
{
    return LLVMBuildGlobalStringPtr(l->b, text, "");
}

/* Returns the constant TikCheck. */
static LLVMValueRef
check_constant(Lower *l, int64_t op, StmtId s, LLVMValueRef *args, int n)
{
    LLVMTypeRef arg_type = LLVMTypeOf(args[0]);
    LLVMValueRef fields[4] = {lower_const32(l, op), lower_const32(l, lower_place(l, s)),
                              string_constant(l, l->k->soc->name),
                              LLVMConstArray2(arg_type, args, (uint64_t)n)};
    LLVMValueRef init = LLVMConstStructInContext(l->ctx, fields, 4, false);
    LLVMValueRef global = LLVMAddGlobal(l->mod, LLVMTypeOf(init), "tik_check");
    LLVMSetInitializer(global, init);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    return global;
}

/* The order of the values, as tikrt.h describes them. */
enum {
    MAX_VALUES = 2 * MAX_PARAMS + 4
};

typedef struct Values {
    int n;
    LLVMValueRef v[MAX_VALUES];
} Values;

static void
put_value(Values *to, LLVMValueRef v)
{
    to->v[to->n++] = v;
}

static void
put_arg(Lower *l, Values *to, const ParamInfo *p, const Arg *a, StmtId s)
{
    switch (p->role) {
    case ROLE_DST:
    case ROLE_SRC:
    case ROLE_ROOT:
        put_value(to, lower_number(l, a->ref.off, s));
        if (lower_has_run_time_size(&l->k->bufs.p[a->ref.buf])) {
            put_value(to, lower_bytes(l, a->ref.buf));
        }
        return;
    case ROLE_MASK:
        for (int i = 0; i < 4; i++) {
            bool have = i < mask_words(a->mask.form);
            put_value(to, have ? lower_number(l, a->mask.w[i], s) : lower_const(l, 0));
        }
        return;
    case ROLE_REPEAT:
    case ROLE_INT:
    case ROLE_SCALAR:
    case ROLE_ATTR:
    case ROLE_PIPE:
        put_value(to, lower_number(l, a->expr, s));
        return;
    case ROLE_MASKMODE:
        return;
    }
    UNREACHABLE();
}

/* Returns the values that are known as constant data, with 0 for the others. */
static LLVMValueRef
known_values(Lower *l, const Values *from)
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

/* Puts the values into memory: what is known is data of the module, so that a call costs
 * code only for the others. */
static LLVMValueRef
values_in_memory(Lower *l, const Values *from)
{
    int unknown = 0;
    for (int i = 0; i < from->n; i++) {
        unknown += !LLVMIsConstant(from->v[i]);
    }
    if (unknown == 0) {
        return known_values(l, from);
    }
    if (l->values == NULL) {
        l->values = lower_alloca(l, LLVMArrayType2(l->i64, MAX_VALUES), "values");
    }
    if (unknown < from->n) {
        LLVMBuildMemCpy(l->b, l->values, 8, known_values(l, from), 8,
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

/* Leaves the kernel when a call of the library reports a fault. */
static void
leave_if(Lower *l, LLVMValueRef fault, StmtId s)
{
    LLVMValueRef bad = LLVMBuildICmp(l->b, LLVMIntNE, fault, lower_const32(l, 0), "");
    LLVMBasicBlockRef good = lower_block(l, "checked");
    LLVMBuildCondBr(l->b, bad, lower_failed(l, s), good);
    LLVMPositionBuilderAtEnd(l->b, good);
}

/* Calls the check and leaves the kernel unless it passes. */
static void
call_check(Lower *l, LLVMValueRef check, const Values *values, StmtId s)
{
    LLVMTypeRef types[3] = {l->ptr, l->ptr, l->ptr};
    LLVMTypeRef type = LLVMFunctionType(l->i32, types, 3, false);
    LLVMValueRef args[3] = {l->state, check, values_in_memory(l, values)};
    leave_if(
        l, LLVMBuildCall2(l->b, type, lower_runtime(l, "tikrt_check", type), args, 3, ""),
        s);
}

void
lower_check(Lower *l, StmtId s)
{
    const Stmt *st = &l->k->stmts.p[s];
    int n;
    const ParamInfo *params = form_params(op_table[st->instr.op].form, &n);
    LLVMValueRef args[MAX_PARAMS];
    Values values = {0};
    for (int i = 0; i < n; i++) {
        const Arg *a = &l->k->args.p[st->instr.arg + (uint32_t)i];
        args[i] = check_arg(l, &params[i], a);
        put_arg(l, &values, &params[i], a, s);
    }
    call_check(l, check_constant(l, st->instr.op, s, args, n), &values, s);
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
    for (int i = 0; i <= n; i++) {
        bool tensor = i < n && (params[i].role == ROLE_DST || params[i].role == ROLE_SRC);
        if (i == n || tensor) {
            LLVMValueRef index = lower_const(l, i);
            LLVMValueRef at =
                LLVMBuildInBoundsGEP2(l->b, l->ptr, l->addresses, &index, 1, "");
            LLVMBuildStore(l->b, tensor ? lower_ref(l, &args[i].ref) : lower_sreg(l), at);
        }
    }
    return l->addresses;
}

void
lower_exec(Lower *l, StmtId s)
{
    const Stmt *st = &l->k->stmts.p[s];
    int n;
    const ParamInfo *params = form_params(op_table[st->instr.op].form, &n);
    const Arg *operands = &l->k->args.p[st->instr.arg];
    LLVMValueRef info[MAX_PARAMS];
    Values values = {0};
    for (int i = 0; i < n; i++) {
        info[i] = check_arg(l, &params[i], &operands[i]);
        put_arg(l, &values, &params[i], &operands[i], s);
    }
    LLVMTypeRef types[4] = {l->ptr, l->ptr, l->ptr, l->ptr};
    LLVMTypeRef type = LLVMFunctionType(l->i32, types, 4, false);
    LLVMValueRef args[4] = {l->state, check_constant(l, st->instr.op, s, info, n),
                            values_in_memory(l, &values), lower_operands(l, s)};
    leave_if(
        l, LLVMBuildCall2(l->b, type, lower_runtime(l, "tikrt_exec", type), args, 4, ""),
        s);
}

void
lower_check_element(Lower *l, const Ref *r, StmtId s)
{
    if (l->k->stmts.p[s].proof == PROOF_PROVED) {
        return;
    }
    const Buffer *b = &l->k->bufs.p[r->buf];
    int64_t size = dtype_size(r->dtype);
    LLVMValueRef off = lower_number(l, r->off, s);
    LLVMValueRef bytes = lower_bytes(l, r->buf);
    LLVMValueRef last = LLVMBuildSub(l->b, bytes, lower_const(l, size), "");
    LLVMValueRef odd = LLVMBuildAnd(l->b, off, lower_const(l, size - 1), "");
    odd = LLVMBuildICmp(l->b, LLVMIntNE, odd, lower_const(l, 0), "");
    /* The runtime library knows the bounds of an array of a list. */
    LLVMValueRef outside = LLVMConstInt(l->i1, 1, false);
    if (b->role != BUF_LIST) {
        LLVMValueRef small =
            LLVMBuildICmp(l->b, LLVMIntSLT, bytes, lower_const(l, size), "");
        outside = LLVMBuildICmp(l->b, LLVMIntUGT, off, last, "");
        outside = LLVMBuildOr(l->b, outside, small, "");
    }
    LLVMBasicBlockRef suspicious = lower_block(l, "suspicious");
    LLVMBasicBlockRef good = lower_block(l, "element");
    LLVMBuildCondBr(l->b, LLVMBuildOr(l->b, odd, outside, ""), suspicious, good);
    LLVMPositionBuilderAtEnd(l->b, suspicious);
    Values values = {0};
    put_value(&values, off);
    if (lower_has_run_time_size(b)) {
        put_value(&values, bytes);
    }
    const ParamInfo tensor = {.role = ROLE_DST};
    LLVMValueRef args[MAX_PARAMS] = {
        check_arg(l, &tensor, &(Arg){.kind = ARG_REF, .ref = *r})};
    call_check(l, check_constant(l, OP_COUNT, s, args, 1), &values, s);
    LLVMBuildBr(l->b, good);
    LLVMPositionBuilderAtEnd(l->b, good);
}
