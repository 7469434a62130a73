/* lower_control.c: bodies, loops, branches and the choice of a family for an instruction.
 *
 * A multi-core loop runs the iteration of the core's index, once; a core without an iteration skips
 * it. Bounds of a loop are evaluated once, on entry. Code behind break, continue and return is not
 * reached and not emitted. */
#include "host/lower.h"

static bool
ended(Lower *l)
{
    return LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(l->b)) != NULL;
}

static void
branch_unless_ended(Lower *l, LLVMBasicBlockRef to)
{
    if (!ended(l)) {
        LLVMBuildBr(l->b, to);
    }
}

static void
multi_core_loop(Lower *l, const Stmt *st)
{
    LLVMBasicBlockRef body = lower_block(l, "block");
    LLVMBasicBlockRef exit = lower_block(l, "blocks_end");
    LLVMValueRef core = LLVMBuildZExt(l->b, l->core, l->i64, "");
    LLVMValueRef blocks = lower_number(l, st->loop.end, 0);
    LLVMValueRef has = LLVMBuildICmp(l->b, LLVMIntSLT, core, blocks, "");
    LLVMBuildCondBr(l->b, has, body, exit);
    LLVMPositionBuilderAtEnd(l->b, body);
    LLVMTypeRef t = lower_bits_type(l, l->k->vars.p[st->loop.var].dtype, 0);
    l->vars[st->loop.var] = LLVMBuildIntCast2(l->b, l->core, t, true, "block");
    LoopExit here = {l->loop, exit, exit};
    l->loop = &here;
    lower_body(l, st->loop.body);
    l->loop = here.outer;
    branch_unless_ended(l, exit);
    LLVMPositionBuilderAtEnd(l->b, exit);
}

/* Bounds that are constants were checked when the loop was staged. */
static void
check_bounds(Lower *l, const Stmt *st, LLVMValueRef begin, LLVMValueRef end,
             bool is_signed, StmtId s)
{
    bool fixed = ir_is_const(l->k, st->loop.begin);
    if (fixed && ir_is_const(l->k, st->loop.end)) {
        return;
    }
    if (is_signed && !fixed) {
        LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(begin));
        lower_fault_if(l, LLVMBuildICmp(l->b, LLVMIntSLT, begin, zero, ""),
                       RULE_LOOP_BOUNDS, lower_number(l, st->loop.begin, s), s);
    }
    LLVMIntPredicate less = is_signed ? LLVMIntSLT : LLVMIntULT;
    lower_fault_if(l, LLVMBuildICmp(l->b, less, end, begin, ""), RULE_LOOP_BOUNDS,
                   lower_number(l, st->loop.end, s), s);
}

static void
serial_loop(Lower *l, const Stmt *st, StmtId s)
{
    Dtype t = l->k->vars.p[st->loop.var].dtype;
    bool is_signed = dtype_kind(t) == KIND_SINT;
    LLVMValueRef begin = lower_expr(l, st->loop.begin, s);
    LLVMValueRef end = lower_expr(l, st->loop.end, s);
    check_bounds(l, st, begin, end, is_signed, s);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(l->b);
    LLVMBasicBlockRef head = lower_block(l, "loop");
    LLVMBasicBlockRef body = lower_block(l, "loop_body");
    LLVMBasicBlockRef next = lower_block(l, "loop_next");
    LLVMBasicBlockRef exit = lower_block(l, "loop_end");
    LLVMBuildBr(l->b, head);
    LLVMPositionBuilderAtEnd(l->b, head);
    const char *name = sym_text(&l->u->names, l->k->vars.p[st->loop.var].name);
    LLVMValueRef i = LLVMBuildPhi(l->b, LLVMTypeOf(begin), name);
    LLVMAddIncoming(i, &begin, &from, 1);
    LLVMValueRef more = LLVMBuildICmp(l->b, LLVMIntNE, i, end, "");
    LLVMBuildCondBr(l->b, more, body, exit);
    l->vars[st->loop.var] = i;
    LoopExit here = {l->loop, exit, next};
    l->loop = &here;
    LLVMPositionBuilderAtEnd(l->b, body);
    lower_body(l, st->loop.body);
    l->loop = here.outer;
    branch_unless_ended(l, next);
    LLVMPositionBuilderAtEnd(l->b, next);
    LLVMValueRef one = LLVMConstInt(LLVMTypeOf(i), 1, false);
    LLVMValueRef inc = LLVMBuildAdd(l->b, i, one, "");
    LLVMAddIncoming(i, &inc, &next, 1);
    LLVMBuildBr(l->b, head);
    LLVMPositionBuilderAtEnd(l->b, exit);
}

static void
lower_if(Lower *l, const Stmt *st, StmtId s)
{
    LLVMValueRef cond = lower_expr(l, st->cond.cond, s);
    LLVMBasicBlockRef yes = lower_block(l, "then");
    LLVMBasicBlockRef no = lower_block(l, "else");
    LLVMBasicBlockRef exit = lower_block(l, "if_end");
    LLVMBuildCondBr(l->b, cond, yes, no);
    LLVMPositionBuilderAtEnd(l->b, yes);
    lower_body(l, st->cond.then_body);
    branch_unless_ended(l, exit);
    LLVMPositionBuilderAtEnd(l->b, no);
    lower_body(l, st->cond.else_body);
    branch_unless_ended(l, exit);
    LLVMPositionBuilderAtEnd(l->b, exit);
}

/* Instructions execute in program order: flags are only watched, barriers of queues do nothing. */
static void
lower_queues(Lower *l, StmtId s)
{
    switch (op_table[l->k->stmts.p[s].instr.op].sem) {
    case SEM_RESERVE:
        lower_reserve(l, s);
        return;
    case SEM_BLOCKS:
        lower_blocks(l, s);
        return;
    case SEM_BLOCK_BARRIER:
        lower_barrier(l, s);
        return;
    case SEM_SET_FLAG:
    case SEM_WAIT_FLAG:
        lower_exec(l, s);
        return;
    default:
        return;
    }
}

static void
lower_instr(Lower *l, StmtId s)
{
    const Stmt *st = &l->k->stmts.p[s];
    if (st->proof != PROOF_PROVED) {
        lower_check(l, s);
    }
    switch (form_family(op_table[st->instr.op].form)) {
    case FAM_MOVE:
        lower_move(l, s);
        return;
    case FAM_REGISTER:
        lower_set_padding(l, s);
        return;
    case FAM_CONTROL:
        lower_queues(l, s);
        return;
    case FAM_LANES:
    case FAM_ARITH:
        lower_vector(l, s);
        return;
    case FAM_COMPARE:
        lower_compare(l, s);
        return;
    case FAM_CONVERT:
        lower_convert(l, s);
        return;
    case FAM_REDUCE:
        lower_reduce(l, s);
        return;
    case FAM_SLICE:
        lower_slice(l, s);
        return;
    default:
        lower_exec(l, s);
        return;
    }
}

static void
lower_stmt(Lower *l, StmtId s)
{
    const Stmt *st = &l->k->stmts.p[s];
    switch ((StmtKind)st->kind) {
    case ST_INSTR:
        lower_instr(l, s);
        return;
    case ST_SET:
        lower_set(l, s);
        return;
    case ST_LOAD:
        lower_load(l, s);
        return;
    case ST_STORE:
        lower_store(l, s);
        return;
    case ST_FOR:
        if (ir_is_multicore(st)) {
            multi_core_loop(l, st);
        } else {
            serial_loop(l, st, s);
        }
        return;
    case ST_IF:
        lower_if(l, st, s);
        return;
    case ST_SCOPE:
        lower_body(l, st->scope.body);
        return;
    case ST_BREAK:
        LLVMBuildBr(l->b, l->loop->on_break);
        return;
    case ST_CONTINUE:
        LLVMBuildBr(l->b, l->loop->on_continue);
        return;
    case ST_RETURN:
        lower_return(l, 0);
        return;
    case ST_ALLOC:
    case ST_NONE:
        return;
    }
    UNREACHABLE();
}

void
lower_body(Lower *l, StmtId first)
{
    for (StmtId s = first; s != 0 && !ended(l); s = l->k->stmts.p[s].next) {
        l->stamp++;
        debug_statement(l, s);
        lower_stmt(l, s);
    }
}
