/* control.c: writes the codes of branches and of whole functions. What phis get is pushed
 * and then popped into their slots where the block before goes to theirs; a block that
 * only returns is written where blocks go to it. */
#include "compact.h"

/* ---- branches ------------------------------------------------------------- */

static int
number_of(Function *f, LLVMBasicBlockRef b)
{
    return map_get(f->map, b);
}

static bool
is_copied(Function *f, LLVMValueRef phi, LLVMValueRef in)
{
    Node *n = node_of(f, phi), *i = node_of(f, in);
    if (n->value < 0) {
        return false;
    }
    int slot = f->values[n->value].slot;
    if (LLVMIsAUndefValue(in)) {
        return false;
    }
    return !(LLVMIsAArgument(in) && arg_slot(f, in, 0) == slot) &&
           !(i != NULL && i->value >= 0 && !is_nothing(i->v) &&
             f->values[i->value].slot == slot);
}

static bool
has_copies(Function *f, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    for (LLVMValueRef v = LLVMGetFirstInstruction(to); LLVMIsAPHINode(v);
         v = LLVMGetNextInstruction(v)) {
        if (is_copied(f, v, incoming(v, from))) {
            return true;
        }
    }
    return f->only_returns[number_of(f, to)];
}

static int
new_label(Function *f)
{
    return f->p->nblocks++;
}

static void
branch(Function *f, Code c, int label)
{
    code(f, c);
    token(f, TOKEN_DISTANCE, label);
}

/* Copies what phis of `to` get, in the order of their slots' stack, and goes there;
 * `next` is the block that follows. */
static void
go_to(Function *f, LLVMBasicBlockRef from, LLVMBasicBlockRef to, int next)
{
    int t = number_of(f, to);
    LLVMValueRef v = LLVMGetFirstInstruction(to);
    if (f->only_returns[t]) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(to);
        if (LLVMGetNumOperands(end) == 0) {
            code(f, C_LEAVE);
            return;
        }
        LLVMValueRef r = plain(LLVMGetOperand(end, 0));
        push_one(f, LLVMIsAPHINode(r) && LLVMGetInstructionParent(r) == to
                        ? incoming(r, from)
                        : r);
        code(f, C_RETURN);
        return;
    }
    LLVMValueRef phis[64];
    int n = 0;
    for (; LLVMIsAPHINode(v); v = LLVMGetNextInstruction(v)) {
        LLVMValueRef in = incoming(v, from);
        if (is_copied(f, v, in)) {
            push_one(f, in);
            phis[n++] = v;
        }
    }
    while (n > 0) {
        set(f, f->values[node_of(f, phis[--n])->value].slot);
    }
    if (t != next) {
        branch(f, C_JUMP, f->first_block + t);
    }
}

/* The constant that a block returns; -1: it does something else. */
static int
returned(Function *f, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    if (!f->only_returns[number_of(f, to)]) {
        return -1;
    }
    LLVMValueRef end = LLVMGetBasicBlockTerminator(to);
    if (LLVMGetNumOperands(end) == 0) {
        return 2;
    }
    LLVMValueRef r = plain(LLVMGetOperand(end, 0));
    r = LLVMIsAPHINode(r) && LLVMGetInstructionParent(r) == to ? incoming(r, from) : r;
    return !LLVMIsAConstantInt(r) || LLVMConstIntGetZExtValue(r) > 1
               ? -1
               : (int)LLVMConstIntGetZExtValue(r);
}

static bool
returns_if(Function *f, LLVMBasicBlockRef from, LLVMBasicBlockRef yes,
           LLVMBasicBlockRef no, bool sense, int next)
{
    static const Code codes[2][3] = {{C_ZERO_0, C_ZERO_1, C_ZERO_LEAVE},
                                     {C_NOT_0, C_NOT_1, C_NOT_LEAVE}};
    int r = returned(f, from, no);
    if (r >= 0) {
        code(f, codes[!sense][r]);
        go_to(f, from, yes, next);
        return true;
    }
    r = returned(f, from, yes);
    if (r >= 0) {
        code(f, codes[sense][r]);
        go_to(f, from, no, next);
        return true;
    }
    return false;
}

/* Pushes what a branch depends on. Returns whether the condition holds where that is not
 * zero; else it holds where it is zero. */
static bool
push_condition(Function *f, LLVMValueRef cond)
{
    Node *n = node_of(f, cond);
    bool with_zero = n != NULL && n->folded && LLVMIsAICmpInst(cond) &&
                     LLVMIsNull(LLVMGetOperand(cond, 1)) &&
                     (LLVMGetICmpPredicate(cond) == LLVMIntEQ ||
                      LLVMGetICmpPredicate(cond) == LLVMIntNE);
    push_one(f, with_zero ? LLVMGetOperand(cond, 0) : cond);
    return !with_zero || LLVMGetICmpPredicate(cond) == LLVMIntNE;
}

static void
conditional(Function *f, LLVMValueRef v, int b, int next)
{
    LLVMBasicBlockRef from = f->blocks[b], yes = LLVMGetSuccessor(v, 0),
                      no = LLVMGetSuccessor(v, 1);
    bool sense = push_condition(f, plain(LLVMGetCondition(v)));
    Code if_yes = sense ? C_IFNOT : C_IFZERO, if_no = sense ? C_IFZERO : C_IFNOT;
    if (returns_if(f, from, yes, no, sense, next)) {
        return;
    }
    if (!has_copies(f, from, yes) &&
        (has_copies(f, from, no) || number_of(f, yes) != next)) {
        branch(f, if_yes, f->first_block + number_of(f, yes));
        go_to(f, from, no, next);
    } else if (!has_copies(f, from, no)) {
        branch(f, if_no, f->first_block + number_of(f, no));
        go_to(f, from, yes, next);
    } else {
        int label = new_label(f);
        branch(f, if_no, label);
        go_to(f, from, yes, -1);
        f->depth = 0;
        token(f, TOKEN_LABEL, label);
        go_to(f, from, no, next);
    }
}

/* Where case i of a switch goes: to its block, or to a label before copies, one for all
 * cases of a block. */
static int
case_label(Function *f, LLVMValueRef v, LLVMBasicBlockRef from, int i, const int *labels)
{
    LLVMBasicBlockRef to = LLVMGetSuccessor(v, (unsigned)i + 1);
    if (!has_copies(f, from, to)) {
        return f->first_block + number_of(f, to);
    }
    for (int k = 0; k < i; k++) {
        if (LLVMGetSuccessor(v, (unsigned)k + 1) == to) {
            return labels[k];
        }
    }
    return new_label(f);
}

static void
cases(Function *f, LLVMValueRef v, LLVMBasicBlockRef from, int n, int *labels)
{
    bool chain = needs_chain(v);
    if (!chain) {
        push_one(f, LLVMGetOperand(v, 0));
        code_n(f, C_SWITCH, n);
    }
    for (int i = 0; i < n; i++) {
        LLVMValueRef is = LLVMGetOperand(v, 2 * (unsigned)(i + 1));
        labels[i] = case_label(f, v, from, i, labels);
        if (chain) {
            push_one(f, LLVMGetOperand(v, 0));
            push_one(f, is);
            code(f, C_EQ);
            branch(f, C_IFNOT, labels[i]);
        } else {
            number(f, C_CASE, (int64_t)LLVMConstIntGetZExtValue(is));
            token(f, TOKEN_DISTANCE, labels[i]);
        }
    }
}

static void
choose(Function *f, LLVMValueRef v, int b, int next)
{
    enum {
        MOST = 256
    };
    int labels[MOST], n = (int)LLVMGetNumSuccessors(v) - 1;
    LLVMBasicBlockRef from = f->blocks[b];
    if (n > MOST) {
        fail(f, "too many cases", v);
    }
    cases(f, v, from, n, labels);
    for (int i = 0; i < n; i++) {
        next = labels[i] < f->first_block + f->nblocks ? next : -1;
    }
    go_to(f, from, LLVMGetSuccessor(v, 0), next);
    for (int i = 0; i < n; i++) {
        bool again = labels[i] < f->first_block + f->nblocks;
        for (int k = 0; k < i; k++) {
            again = again || labels[k] == labels[i];
        }
        if (!again) {
            token(f, TOKEN_LABEL, labels[i]);
            f->depth = 0;
            go_to(f, from, LLVMGetSuccessor(v, (unsigned)i + 1), -1);
        }
    }
}

static void
terminator(Function *f, LLVMValueRef v, int b, int next)
{
    if (LLVMIsAReturnInst(v)) {
        push_operands(f, v);
        code(f, LLVMGetNumOperands(v) > 0 ? C_RETURN : C_LEAVE);
    } else if (LLVMIsASwitchInst(v)) {
        choose(f, v, b, next);
    } else if (LLVMIsAUnreachableInst(v)) {
        code(f, C_LEAVE);
    } else if (!LLVMIsABranchInst(v)) {
        fail(f, "terminator", v);
    } else if (LLVMIsConditional(v)) {
        conditional(f, v, b, next);
    } else {
        go_to(f, f->blocks[b], LLVMGetSuccessor(v, 0), next);
    }
}

/* ---- functions ----------------------------------------------------------- */

static void
place_allocas(Function *f)
{
    for (int i = 0; i < f->nnodes; i++) {
        LLVMValueRef v = f->nodes[i].v;
        if (LLVMIsAAllocaInst(v)) {
            LLVMTypeRef t = LLVMGetAllocatedType(v);
            LLVMValueRef n = LLVMGetOperand(v, 0);
            if (!LLVMIsAConstantInt(n) || LLVMABIAlignmentOfType(f->p->layout, t) > 8) {
                fail(f, "alloca", v);
            }
            f->nodes[i].value = f->nslots;
            f->nslots +=
                (int)((LLVMABISizeOfType(f->p->layout, t) * LLVMConstIntGetZExtValue(n) +
                       7) /
                      8);
        }
    }
}

/* Returns the block that comes after one: not those that are copied to their callers. */
static int
block_after(const Function *f, int b)
{
    do {
        b++;
    } while (b < f->nblocks && f->only_returns[b]);
    return b;
}

/* Writes the codes of an instruction, unless it is in the tree of another one. */
static void
select_node(Function *f, const Node *n)
{
    if (n->folded || is_nothing(n->v) || LLVMIsAPHINode(n->v)) {
        return;
    }
    if (LLVMIsATerminatorInst(n->v)) {
        terminator(f, n->v, n->block, block_after(f, n->block));
        return;
    }
    if (n->uses == 0 && !LLVMIsACallInst(n->v) && !LLVMIsAStoreInst(n->v)) {
        return;
    }
    emit(f, n->v);
    if (n->value >= 0) {
        set(f, f->values[n->value].slot);
    } else if (LLVMGetTypeKind(LLVMTypeOf(n->v)) != LLVMVoidTypeKind) {
        code(f, C_DROP);
    }
}

void
select_function(Function *f)
{
    place_allocas(f);
    number(f, C_HEAD, f->nargs);
    number(f, C_HEAD, f->nslots - f->nargs);
    for (int b = 0, i = 0; b < f->nblocks; b++) {
        bool here = !f->only_returns[b];
        if (here) {
            token(f, TOKEN_LABEL, f->first_block + b);
            f->depth = 0;
        }
        for (; i < f->nnodes && f->nodes[i].block == b; i++) {
            if (here) {
                select_node(f, &f->nodes[i]);
            }
        }
    }
}
