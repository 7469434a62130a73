/* control.c: lowers bodies, loops and branches, and chooses the family of an instruction.
 *
 * A multi-core loop runs the iteration of the core's index, once; a core without an
 * iteration skips it. Bounds of a loop are evaluated once, on entry: no body changes them
 * (pass loops). Code after break, continue and return is not reached and not emitted. */
#include "host/lower/guard.h"

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
    LoopExit here = {l->loop, exit, exit, 0, st->loop.body, NULL};
    l->loop = &here;
    lower_body(l, st->loop.body);
    l->loop = here.outer;
    branch_unless_ended(l, exit);
    LLVMPositionBuilderAtEnd(l->b, exit);
}

typedef struct Bounds {
    LLVMValueRef begin, end; /* of the variable's type; begin < end */
    LLVMValueRef last;       /* end - 1 of the whole loop */
} Bounds;

/* Builds a loop that has an iteration, and goes to a block after it. */
static void
one_by_one(Lower *l, const Stmt *st, Bounds b, LLVMBasicBlockRef on_break,
           LLVMBasicBlockRef after)
{
    LLVMBasicBlockRef from = LLVMGetInsertBlock(l->b);
    LLVMBasicBlockRef body = lower_block(l, "loop");
    LLVMBasicBlockRef next = lower_block(l, "loop_next");
    LLVMBuildBr(l->b, body);
    LLVMPositionBuilderAtEnd(l->b, body);
    const char *name = sym_text(&l->u->names, l->k->vars.p[st->loop.var].name);
    LLVMValueRef i = LLVMBuildPhi(l->b, LLVMTypeOf(b.begin), name);
    LLVMAddIncoming(i, &b.begin, &from, 1);
    l->vars[st->loop.var] = i;
    LoopExit here = {l->loop, on_break, next, st->loop.var, st->loop.body, b.last};
    l->loop = &here;
    lower_body(l, st->loop.body);
    l->loop = here.outer;
    branch_unless_ended(l, next);
    LLVMPositionBuilderAtEnd(l->b, next);
    LLVMValueRef one = LLVMConstInt(LLVMTypeOf(i), 1, false);
    LLVMValueRef inc = LLVMBuildAdd(l->b, i, one, "");
    LLVMAddIncoming(i, &inc, &next, 1);
    LLVMValueRef more = LLVMBuildICmp(l->b, LLVMIntNE, inc, b.end, "");
    LLVMBuildCondBr(l->b, more, body, after);
}

/* Executes iterations side by side as long as there are enough and no rule is broken;
 * else as many, or those that are left, one by one. */
static void
side_by_side(Lower *l, const Stmt *st, Bounds b, LLVMBasicBlockRef exit)
{
    LLVMBasicBlockRef from = LLVMGetInsertBlock(l->b);
    LLVMBasicBlockRef head = lower_block(l, "some"), lanes = lower_block(l, "lanes");
    LLVMBasicBlockRef few = lower_block(l, "few"), on = lower_block(l, "some_end");
    LLVMBuildBr(l->b, head);
    LLVMPositionBuilderAtEnd(l->b, head);
    LLVMValueRef i = LLVMBuildPhi(l->b, LLVMTypeOf(b.begin), ""), stop;
    LLVMAddIncoming(i, &b.begin, &from, 1);
    LLVMValueRef enough = elements_enough(l, i, b.end, &stop);
    LLVMBuildCondBr(l->b, enough, lanes, few);
    LLVMPositionBuilderAtEnd(l->b, lanes);
    elements_take(l, st, i, few);
    LLVMBuildBr(l->b, on);
    LLVMPositionBuilderAtEnd(l->b, few);
    one_by_one(l, st, (Bounds){i, stop, b.last}, exit, on);
    LLVMPositionBuilderAtEnd(l->b, on);
    LLVMAddIncoming(i, &stop, &on, 1);
    LLVMValueRef more = LLVMBuildICmp(l->b, LLVMIntNE, stop, b.end, "");
    LLVMBuildCondBr(l->b, more, head, exit);
}

/* The variable has its own type. loop_bounds before the loop guarantees that begin to end
 * - 1 fits it; here bounds are compared in 64 bits, once, and then the variable with the
 * end's low bits. */
static void
serial_loop(Lower *l, const Stmt *st, StmtId s)
{
    LLVMTypeRef t = lower_bits_type(l, l->k->vars.p[st->loop.var].dtype, 0);
    LLVMValueRef begin = lower_number(l, st->loop.begin, s);
    LLVMValueRef end = lower_number(l, st->loop.end, s);
    LLVMValueRef any = LLVMBuildICmp(l->b, LLVMIntSLT, begin, end, "");
    begin = LLVMBuildIntCast2(l->b, begin, t, true, "");
    end = LLVMBuildIntCast2(l->b, end, t, true, "");
    LLVMBasicBlockRef iterations = lower_block(l, "loop_begin");
    LLVMBasicBlockRef exit = lower_block(l, "loop_end");
    LLVMBuildCondBr(l->b, any, iterations, exit);
    LLVMPositionBuilderAtEnd(l->b, iterations);
    LLVMValueRef last = LLVMBuildSub(l->b, end, LLVMConstInt(t, 1, false), "");
    if (elements_can(l, st)) {
        side_by_side(l, st, (Bounds){begin, end, last}, exit);
    } else {
        one_by_one(l, st, (Bounds){begin, end, last}, exit, exit);
    }
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

/* Instructions execute in program order: flags are only checked, barriers of queues do
 * nothing. */
void
lower_control(Lower *l, StmtId s)
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

static LowerInstr *const lower_families[FAM_COUNT] = {
#define FAMILY(id, rules, lower, bind, ops, emu) [FAM_##id] = lower_##lower,
#include "isa/family.def"
};

void
lower_member(Lower *l, StmtId s)
{
    lower_families[form_family(op_table[l->k->stmts.p[s].instr.op].form)](l, s);
}

static void
lower_instr(Lower *l, StmtId s)
{
    guard_instr(l, s);
    if (l->only_checks) {
        return;
    }
    if (l->k->stmts.p[s].proof != PROOF_ASKED) {
        guard_enter(l);
        lower_member(l, s);
    }
    guard_leave(l);
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
        if (st->scope.fused) {
            lower_fused_scope(l, s);
        } else if (st->scope.finish == 0 || !lower_finish(l, s)) {
            lower_body(l, st->scope.body);
        }
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
lower_checks(Lower *l, StmtId s)
{
    l->only_checks = true;
    lower_stmt(l, s);
    l->only_checks = false;
    l->stamp++; /* values that a branch or a loop computes are not known elsewhere */
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
