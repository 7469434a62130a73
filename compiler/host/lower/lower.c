/* lower.c: lowers a module and the kernels in it: one function per kernel that runs one
 * core's part, the layout of a core's scratch memory, addresses of operands, and the
 * frame of helper functions. It relies on a kernel that was checked and allocated, so
 * that buffers have addresses and every instruction is proved or marked for a run-time
 * check. Statements are in host/lower/control.c. */
#include "host/lower/guard.h"

#include "layout/lmem.h"

#include <stdio.h>
#include <string.h>

/* From this number of statements on a kernel's function is not optimised: it only calls
 * helpers, which are, and some of LLVM's analyses take time that grows with the square of
 * its length. */
enum {
    LARGE_KERNEL = 400
};

/* A masked instruction may read a whole repeat at the end of a buffer. */
enum {
    SCRATCH_ALIGN = 64,
    SCRATCH_SLACK = REPEAT_BYTES
};

static LLVMAttributeRef
string_attr(Lower *l, const char *key, const char *value)
{
    return LLVMCreateStringAttribute(l->ctx, key, (unsigned)strlen(key), value,
                                     (unsigned)strlen(value));
}

static LLVMAttributeRef
enum_attr(Lower *l, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    return LLVMCreateEnumAttribute(l->ctx, kind, 0);
}

/* All functions have the same ones: LLVM describes the machine anew for each set. */
static void
add_attributes(Lower *l, LLVMValueRef fn)
{
    for (int i = 0; i < l->nattrs; i++) {
        LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, l->attrs[i]);
    }
}

static LLVMModuleRef
new_module(Lower *l, const char *name)
{
    LLVMModuleRef mod = LLVMModuleCreateWithNameInContext(name, l->ctx);
    char *triple = LLVMGetTargetMachineTriple(l->target->machine);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(l->target->machine);
    LLVMSetTarget(mod, triple);
    LLVMSetModuleDataLayout(mod, layout);
    LLVMDisposeTargetData(layout);
    LLVMDisposeMessage(triple);
    return mod;
}

void
lower_split(Lower *l)
{
    l->helpers = new_module(l, "helpers");
}

void
lower_open(Lower *l, Unit *u, Arena *arena, const HostTarget *t, const char *module_name)
{
    memset(l, 0, sizeof *l);
    l->u = u;
    l->arena = arena;
    l->target = t;
    l->ctx = LLVMContextCreate();
    l->mod = l->helpers = new_module(l, module_name);
    l->b = LLVMCreateBuilderInContext(l->ctx);
    l->i1 = LLVMInt1TypeInContext(l->ctx);
    l->i8 = LLVMInt8TypeInContext(l->ctx);
    l->i16 = LLVMInt16TypeInContext(l->ctx);
    l->i32 = LLVMInt32TypeInContext(l->ctx);
    l->i64 = LLVMInt64TypeInContext(l->ctx);
    l->f16 = LLVMHalfTypeInContext(l->ctx);
    l->f32 = LLVMFloatTypeInContext(l->ctx);
    l->ptr = LLVMPointerTypeInContext(l->ctx, 0);
    l->none = LLVMVoidTypeInContext(l->ctx);
    LLVMMetadataRef one = LLVMValueAsMetadata(LLVMConstInt(l->i32, 1, false));
    l->nontemporal = LLVMMetadataAsValue(l->ctx, LLVMMDNodeInContext2(l->ctx, &one, 1));
    LLVMMetadataRef weights[3] = {
        LLVMMDStringInContext2(l->ctx, "branch_weights", strlen("branch_weights")), one,
        LLVMValueAsMetadata(LLVMConstInt(l->i32, 1u << 20, false))};
    l->unlikely = LLVMMetadataAsValue(l->ctx, LLVMMDNodeInContext2(l->ctx, weights, 3));
    LLVMMetadataRef opposite[3] = {weights[0], weights[2], weights[1]};
    l->likely = LLVMMetadataAsValue(l->ctx, LLVMMDNodeInContext2(l->ctx, opposite, 3));
    l->attrs[l->nattrs++] = enum_attr(l, "nounwind");
    if (t->masked_stores) {
        l->attrs[l->nattrs++] = string_attr(l, "prefer-vector-width", "512");
        l->attrs[l->nattrs++] = string_attr(l, "min-legal-vector-width", "512");
    }
    if (t->tune != NULL) {
        l->attrs[l->nattrs++] = string_attr(l, "tune-cpu", t->tune);
    }
}

void
lower_close(Lower *l)
{
    LLVMDisposeBuilder(l->b);
    if (l->helpers != l->mod) {
        LLVMDisposeModule(l->helpers);
    }
    LLVMDisposeModule(l->mod);
    LLVMContextDispose(l->ctx);
}

LLVMValueRef
lower_const(Lower *l, int64_t v)
{
    return LLVMConstInt(l->i64, (uint64_t)v, true);
}

LLVMValueRef
lower_const32(Lower *l, int64_t v)
{
    return LLVMConstInt(l->i32, (uint64_t)v, true);
}

LLVMBasicBlockRef
lower_block(Lower *l, const char *name)
{
    LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInsertBlock(l->b));
    return LLVMAppendBasicBlockInContext(l->ctx, fn, name);
}

/* All allocations are in the entry block, so that they become registers. */
static LLVMValueRef
alloca_in(Lower *l, LLVMBasicBlockRef entry, LLVMTypeRef t, const char *name)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(l->b);
    LLVMMetadataRef location = LLVMGetCurrentDebugLocation2(l->b);
    LLVMValueRef first = LLVMGetFirstInstruction(entry);
    if (first != NULL) {
        LLVMPositionBuilderBefore(l->b, first);
    } else {
        LLVMPositionBuilderAtEnd(l->b, entry);
    }
    LLVMValueRef v = LLVMBuildAlloca(l->b, t, name);
    LLVMPositionBuilderAtEnd(l->b, here);
    LLVMSetCurrentDebugLocation2(l->b, location);
    return v;
}

LLVMValueRef
lower_alloca(Lower *l, LLVMTypeRef t, const char *name)
{
    return alloca_in(l, l->entry, t, name);
}

LLVMValueRef
lower_helper_alloca(Lower *l, LLVMTypeRef t, const char *name)
{
    LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInsertBlock(l->b));
    return alloca_in(l, LLVMGetEntryBasicBlock(fn), t, name);
}

/* Returns the function of that name in the present module. */
static LLVMValueRef
declared(Lower *l, const char *name, LLVMTypeRef type)
{
    LLVMValueRef fn = LLVMGetNamedFunction(l->mod, name);
    return fn != NULL ? fn : LLVMAddFunction(l->mod, name, type);
}

LLVMValueRef
lower_runtime(Lower *l, const char *name, LLVMTypeRef type)
{
    return declared(l, name, type);
}

/* ---- scratch layout ------------------------------------------------------ */

int64_t
lower_lmem_pitch(const Kernel *k)
{
    return k->peak[SC_LMEM] ? lmem_pitch(k->peak[SC_LMEM]) : 0;
}

static int64_t
scope_bytes(const Kernel *k, int s)
{
    return s == SC_SREG   ? SREG_BYTES
           : s == SC_LMEM ? (k->soc->lmem ? k->soc->lmem->npu * lower_lmem_pitch(k) : 0)
                          : k->peak[s];
}

int64_t
lower_scope_base(const Kernel *k, Scope s)
{
    int64_t base = 0;
    for (int i = SC_UB; i < (int)s; i++) {
        base += round_up(scope_bytes(k, i), SCRATCH_ALIGN);
    }
    return base;
}

int64_t
lower_scratch_bytes(const Kernel *k)
{
    return lower_scope_base(k, SC_COUNT) + SCRATCH_SLACK;
}

/* ---- kernels ------------------------------------------------------------- */

static void
kernel_tables(Lower *l, const Kernel *k)
{
    l->k = k;
    l->regs = ARENA_ARRAY(l->arena, LLVMValueRef, k->regs.n + 1);
    l->vars = ARENA_ARRAY(l->arena, LLVMValueRef, k->vars.n + 1);
    l->bufs = ARENA_ARRAY(l->arena, LLVMValueRef, k->bufs.n + 1);
    l->dynamic = ARENA_ARRAY(l->arena, DynamicSlots, k->bufs.n + 1);
    l->memo = ARENA_ARRAY(l->arena, LLVMValueRef, k->exprs.n + 1);
    l->memo_stamp = ARENA_ARRAY(l->arena, uint32_t, k->exprs.n + 1);
    l->place_of = ARENA_ARRAY(l->arena, uint32_t, k->stmts.n + 1);
    l->streams = ARENA_ARRAY(l->arena, bool, k->bufs.n + 1);
    l->blind = ARENA_ARRAY(l->arena, bool, k->bufs.n + 1);
    l->has_streams = l->has_far = false;
    l->fusion = NULL;
    l->in_chunk = l->trusts_fit = false;
    l->stamp = 1;
    l->padding = NULL;
    l->values = NULL;
    l->addresses = NULL;
    l->where = NULL;
    l->loop = NULL;
}

/* The places are those of all versions of a kernel. */
static void
forget_places(Lower *l)
{
    memset(&l->places, 0, sizeof l->places);
    l->nplace_index = 0;
    memset(&l->frames, 0, sizeof l->frames);
    l->frame_of = ARENA_ARRAY(l->arena, uint32_t, l->u->chains.n);
}

/* Global tensors that are no arguments are never accessed and get no address. */
static void
argument_addresses(Lower *l, LLVMValueRef args)
{
    const Kernel *k = l->k;
    for (uint32_t i = 0; i < k->params.n; i++) {
        LLVMValueRef index = lower_const(l, i);
        LLVMValueRef slot = LLVMBuildInBoundsGEP2(l->b, l->ptr, args, &index, 1, "");
        const char *name = sym_text(&l->u->names, k->bufs.p[k->params.p[i]].name);
        l->bufs[k->params.p[i]] = LLVMBuildLoad2(l->b, l->ptr, slot, name);
    }
}

bool
lower_has_op(const Kernel *k, Op op)
{
    for (uint32_t i = 1; i < k->stmts.n; i++) {
        const Stmt *s = &k->stmts.p[i];
        if (s->kind == ST_INSTR && s->instr.op == op) {
            return true;
        }
    }
    return false;
}

/* Instructions that may be calls of the runtime library get the special registers. */
static bool
calls_library(Family f)
{
    return f > FAM_ARITH || f == FAM_TRANSFER;
}

/* True if a statement reads or sets special registers. */
static bool
uses_sreg(const Kernel *k)
{
    for (uint32_t i = 1; i < k->bufs.n; i++) {
        if (k->bufs.p[i].scope == SC_SREG) {
            return true;
        }
    }
    for (uint32_t i = 1; i < k->stmts.n; i++) {
        const Stmt *s = &k->stmts.p[i];
        if (s->kind == ST_INSTR &&
            calls_library(form_family(op_table[s->instr.op].form))) {
            return true;
        }
    }
    return false;
}

LLVMValueRef
lower_sreg(Lower *l)
{
    LLVMValueRef off = lower_const(l, lower_scope_base(l->k, SC_SREG));
    return LLVMBuildGEP2(l->b, l->i8, LLVMGetParam(l->fn, 2), &off, 1, "");
}

static void
register_slots(Lower *l)
{
    for (uint32_t i = 1; i < l->k->regs.n; i++) {
        const Reg *r = &l->k->regs.p[i];
        LLVMTypeRef t = lower_bits_type(l, r->dtype, 0);
        l->regs[i] = LLVMBuildAlloca(l->b, t, sym_text(&l->u->names, r->name));
        LLVMBuildStore(l->b, LLVMConstNull(t), l->regs[i]);
    }
    if (lower_has_op(l->k, OP_SET_PADDING)) {
        l->padding = LLVMBuildAlloca(l->b, l->i64, "padding");
        LLVMBuildStore(l->b, lower_const(l, 0), l->padding);
    }
    if (l->k->peak[SC_LMEM]) {
        LLVMTypeRef types[2] = {l->ptr, l->ptr};
        LLVMTypeRef type = LLVMFunctionType(l->none, types, 2, false);
        LLVMValueRef off = lower_const(l, lower_scope_base(l->k, SC_LMEM));
        LLVMValueRef args[2] = {
            l->state, LLVMBuildGEP2(l->b, l->i8, LLVMGetParam(l->fn, 2), &off, 1, "")};
        LLVMBuildCall2(l->b, type, lower_runtime(l, "tikrt_lmem_reset", type), args, 2,
                       "");
    }
    l->has_slots = l->has_slots || l->k->regs.n > 1 || l->padding != NULL;
    if (uses_sreg(l->k)) {
        LLVMTypeRef params[2] = {l->ptr, l->i32};
        LLVMTypeRef type = LLVMFunctionType(l->none, params, 2, false);
        LLVMValueRef args[2] = {lower_sreg(l), l->core};
        LLVMBuildCall2(l->b, type, lower_runtime(l, "tikrt_sreg_reset", type), args, 2,
                       "");
    }
}

static LLVMTypeRef
entry_type(Lower *l)
{
    LLVMTypeRef params[4] = {l->ptr, l->i32, l->ptr, l->ptr};
    return LLVMFunctionType(l->i32, params, 4, false);
}

static LLVMValueRef
add_entry(Lower *l, const Kernel *k, const char *prefix)
{
    const char *name = sym_text(&l->u->names, k->name);
    LLVMValueRef fn = LLVMAddFunction(
        l->mod, arena_printf(l->arena, "tik_%s_%s", prefix, name), entry_type(l));
    add_attributes(l, fn);
    return fn;
}

/* Code that is not worth the time to optimise it. */
static void
leave_as_is(Lower *l, LLVMValueRef fn)
{
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, enum_attr(l, "noinline"));
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, enum_attr(l, "optnone"));
}

/* Adds a function that runs one version of a kernel. */
static LLVMValueRef
lower_version(Lower *l, const Kernel *k, const char *prefix)
{
    kernel_tables(l, k);
    l->fn = add_entry(l, k, prefix);
    if (k->stmts.n > LARGE_KERNEL) {
        leave_as_is(l, l->fn);
    }
    l->core = LLVMGetParam(l->fn, 1);
    l->state = LLVMGetParam(l->fn, 3);
    l->entry = LLVMAppendBasicBlockInContext(l->ctx, l->fn, "entry");
    l->fail = LLVMAppendBasicBlockInContext(l->ctx, l->fn, "fail");
    debug_begin_kernel(l, k);
    lower_find_streams(l);
    lower_find_blind(l);
    lower_find_modes(l);
    guard_begin(l);
    LLVMPositionBuilderAtEnd(l->b, l->fail);
    lower_return(l, 1);
    LLVMPositionBuilderAtEnd(l->b, l->entry);
    register_slots(l);
    argument_addresses(l, LLVMGetParam(l->fn, 0));
    lower_dynamic_slots(l, LLVMGetParam(l->fn, 0));
    lower_body(l, k->body);
    if (LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(l->b)) == NULL) {
        debug_none(l);
        lower_return(l, 0);
    }
    if (LLVMGetFirstUse(LLVMBasicBlockAsValue(l->fail)) == NULL) {
        LLVMDeleteBasicBlock(l->fail); /* nothing can fail */
    }
    return l->fn;
}

/* ---- versions of a kernel ------------------------------------------------ */

/* An argument's first byte, and the byte after the last one that a kernel may access. */
typedef struct Range {
    LLVMValueRef first, end;
} Range;

static LLVMValueRef
entry_item(Lower *l, LLVMValueRef args, int64_t i)
{
    LLVMValueRef index = lower_const(l, i);
    LLVMValueRef at = LLVMBuildInBoundsGEP2(l->b, l->i64, args, &index, 1, "");
    return LLVMBuildLoad2(l->b, l->i64, at, "");
}

static Range
argument_range(Lower *l, const Kernel *k, LLVMValueRef args, uint32_t i)
{
    LLVMValueRef first = entry_item(l, args, i);
    LLVMValueRef bytes = entry_item(l, args, (int64_t)k->params.n + i);
    LLVMValueRef up = LLVMBuildAdd(l->b, bytes, lower_const(l, BLOCK_BYTES - 1), "");
    bytes = LLVMBuildAnd(l->b, up, lower_const(l, -BLOCK_BYTES), "");
    return (Range){first, LLVMBuildAdd(l->b, first, bytes, "")};
}

/* Returns whether an argument that the kernel may write shares bytes with another one.
 * Nothing is moved across accesses of address lists, so those do not matter. */
static LLVMValueRef
shares_bytes(Lower *l, const Kernel *k, LLVMValueRef args)
{
    LLVMValueRef any = LLVMConstInt(l->i1, 0, false);
    for (uint32_t i = 0; i < k->params.n; i++) {
        Range a = argument_range(l, k, args, i);
        for (uint32_t j = 0; j < i; j++) {
            bool list = k->bufs.p[k->params.p[i]].role == BUF_LIST ||
                        k->bufs.p[k->params.p[j]].role == BUF_LIST;
            if (list ||
                (!ir_may_write(k, k->params.p[i]) && !ir_may_write(k, k->params.p[j]))) {
                continue;
            }
            Range b = argument_range(l, k, args, j);
            LLVMValueRef both =
                LLVMBuildAnd(l->b, LLVMBuildICmp(l->b, LLVMIntULT, a.first, b.end, ""),
                             LLVMBuildICmp(l->b, LLVMIntULT, b.first, a.end, ""), "");
            any = LLVMBuildOr(l->b, any, both, "");
        }
    }
    return any;
}

static void
return_call(Lower *l, LLVMValueRef entry, LLVMValueRef version)
{
    LLVMValueRef args[4];
    LLVMGetParams(entry, args);
    LLVMBuildRet(l->b, LLVMBuildCall2(l->b, entry_type(l), version, args, 4, ""));
}

/* Lets all cores but the first one return: the kernel as it was written has one. */
static void
run_first_only(Lower *l, LLVMValueRef entry)
{
    LLVMValueRef first =
        LLVMBuildICmp(l->b, LLVMIntEQ, LLVMGetParam(entry, 1), lower_const32(l, 0), "");
    LLVMBasicBlockRef run = lower_block(l, "first"), none = lower_block(l, "others");
    LLVMBuildCondBr(l->b, first, run, none);
    LLVMPositionBuilderAtEnd(l->b, none);
    LLVMBuildRet(l->b, lower_const32(l, 0));
    LLVMPositionBuilderAtEnd(l->b, run);
}

LLVMValueRef
lower_kernel(Lower *l, const Kernel *k, bool apart)
{
    forget_places(l);
    if (k->tiled == NULL || apart) {
        return lower_version(l, k->tiled != NULL ? k->tiled : k, "entry");
    }
    LLVMValueRef plain = lower_version(l, k, "plain");
    LLVMValueRef tiled = lower_version(l, k->tiled, "tiled");
    LLVMSetLinkage(plain, LLVMInternalLinkage);
    LLVMSetLinkage(tiled, LLVMInternalLinkage);
    LLVMValueRef entry = add_entry(l, k, "entry");
    debug_none(l);
    LLVMPositionBuilderAtEnd(l->b, LLVMAppendBasicBlockInContext(l->ctx, entry, ""));
    LLVMValueRef shares = shares_bytes(l, k, LLVMGetParam(entry, 0));
    LLVMBasicBlockRef as_written = lower_block(l, "shares");
    LLVMBasicBlockRef usual = lower_block(l, "apart");
    LLVMBuildCondBr(l->b, shares, as_written, usual);
    LLVMPositionBuilderAtEnd(l->b, as_written);
    if (ir_cores(k) < ir_cores(k->tiled)) {
        run_first_only(l, entry);
    }
    return_call(l, entry, plain);
    LLVMPositionBuilderAtEnd(l->b, usual);
    return_call(l, entry, tiled);
    return entry;
}

LLVMValueRef
lower_inspector(Lower *l, const Kernel *k)
{
    return k->inspector ? lower_version(l, k->inspector, "inspector") : NULL;
}

void
lower_return(Lower *l, int status)
{
    lower_fence_streams(l);
    LLVMBuildRet(l->b, lower_const32(l, status));
}

int32_t
lower_param(const Kernel *k, BufId b)
{
    for (uint32_t i = 0; i < k->params.n; i++) {
        if (k->params.p[i] == b) {
            return (int32_t)i;
        }
    }
    ICE("buffer %u is no argument", b);
}

/* Returns a constant table; it is private data of the module, made when it is first used,
 * and as large as its granules. */
static LLVMValueRef
table(Lower *l, BufId id)
{
    const Buffer *b = &l->k->bufs.p[id];
    if (l->bufs[id] == NULL) {
        int64_t room = scope_granule(SC_GM, true, b->bytes);
        char *bytes = ARENA_ARRAY(l->arena, char, room);
        memcpy(bytes, b->data, (size_t)b->bytes);
        LLVMValueRef init = LLVMConstStringInContext(l->ctx, bytes, (unsigned)room, true);
        LLVMValueRef g = LLVMAddGlobal(l->mod, LLVMTypeOf(init), "tik.table");
        LLVMSetInitializer(g, init);
        LLVMSetGlobalConstant(g, true);
        LLVMSetLinkage(g, LLVMPrivateLinkage);
        LLVMSetAlignment(g, SCRATCH_ALIGN);
        l->bufs[id] = g;
    }
    return l->bufs[id];
}

/* Returns the array of an address list that an offset selects, and the rest of the
 * offset. Its check comes before: bounds in lists are never proved. */
static LLVMValueRef
list_array(Lower *l, LLVMValueRef items, LLVMValueRef *off)
{
    LLVMValueRef half = lower_const(l, LIST_WINDOW / 2);
    LLVMValueRef shift = lower_const(l, LIST_SHIFT);
    LLVMValueRef item =
        LLVMBuildAShr(l->b, LLVMBuildAdd(l->b, *off, half, ""), shift, "item");
    *off = LLVMBuildSub(l->b, *off, LLVMBuildShl(l->b, item, shift, ""), "");
    LLVMValueRef size = lower_const(l, sizeof(ListItem));
    LLVMValueRef at = LLVMBuildMul(l->b, item, size, "");
    at = LLVMBuildGEP2(l->b, l->i8, items, &at, 1, "");
    return LLVMBuildLoad2(l->b, l->ptr, at, "array");
}

static LLVMValueRef
start_in_scratch(Lower *l, BufId b)
{
    int64_t scope = lower_scope_base(l->k, l->k->bufs.p[b].scope);
    return LLVMBuildAdd(l->b, lower_address(l, b), lower_const(l, scope), "");
}

LLVMValueRef
lower_first_byte(Lower *l, BufId b)
{
    LLVMValueRef start = start_in_scratch(l, b);
    return LLVMBuildGEP2(l->b, l->i8, LLVMGetParam(l->fn, 2), &start, 1, "");
}

/* An on-core address is a constant distance from the start of the scratch memory,
 * computed where it is used: a kernel may have thousands of short-lived buffers. */
LLVMValueRef
lower_ref(Lower *l, const Ref *r)
{
    LLVMValueRef moved = guard_ref(l, r);
    if (moved != NULL) {
        return moved;
    }
    const Buffer *b = &l->k->bufs.p[r->buf];
    LLVMValueRef base = b->role == BUF_CONST ? table(l, r->buf) : l->bufs[r->buf];
    LLVMValueRef off = lower_number(l, r->off, 0);
    if (b->scope != SC_GM) {
        base = LLVMGetParam(l->fn, 2);
        off = LLVMBuildAdd(l->b, off, start_in_scratch(l, r->buf), "");
    }
    if (base == NULL || (b->scope != SC_GM && b->address < 0)) {
        ICE("buffer %u has no address", r->buf);
    }
    if (b->role == BUF_LIST) {
        base = list_array(l, base, &off);
    }
    return LLVMBuildGEP2(l->b, l->i8, base, &off, 1, "");
}

/* ---- helper functions ---------------------------------------------------- */

/* Adds the readings that are not the usual ones to the name of a helper. */
static const char *
with_readings(Lower *l, const char *name)
{
    if (choices_or_null(l->k->choices) == NULL) {
        return name;
    }
    Text t;
    text_init(&t, l->arena);
    text_put(&t, name);
    for (int i = 0; i < CHOICE_COUNT; i++) {
        if (lower_chosen(l, (Choice)i) != 0) {
            text_printf(&t, "/%d:%d", i, lower_chosen(l, (Choice)i));
        }
    }
    return t.p;
}

static bool
is_stored(const Lower *l, const char *name)
{
    return l->store.has != NULL && l->store.has(l->store.helpers, name);
}

/* Returns whether the helper is in the module of helpers already. */
static bool
is_made(const Lower *l, const char *name)
{
    LLVMValueRef fn = LLVMGetNamedFunction(l->helpers, name);
    return fn != NULL && !LLVMIsDeclaration(fn);
}

bool
lower_helper_begin(Lower *l, Helper *h, const char *name, const LLVMTypeRef *params,
                   int n)
{
    name = with_readings(l, name);
    LLVMTypeRef *types = arena_copy(l->arena, params, sizeof *params * (size_t)n);
    h->type = LLVMFunctionType(l->none, types, (unsigned)n, false);
    h->back = NULL;
    h->fn = LLVMGetNamedFunction(l->mod, name);
    if (h->fn != NULL) {
        return false;
    }
    h->fn = LLVMAddFunction(l->mod, name, h->type);
    if (is_made(l, name) || is_stored(l, name)) {
        return false;
    }
    h->back = LLVMGetInsertBlock(l->b);
    h->location = LLVMGetCurrentDebugLocation2(l->b);
    h->mod = l->mod;
    h->declared = h->fn;
    l->mod = l->helpers;
    h->fn = declared(l, name, h->type);
    LLVMSetLinkage(h->fn, h->mod == l->mod ? LLVMInternalLinkage : LLVMExternalLinkage);
    add_attributes(l, h->fn);
    LLVMAddAttributeAtIndex(h->fn, LLVMAttributeFunctionIndex, enum_attr(l, "noinline"));
    LLVMSetCurrentDebugLocation2(l->b, NULL);
    LLVMPositionBuilderAtEnd(l->b, LLVMAppendBasicBlockInContext(l->ctx, h->fn, "entry"));
    return true;
}

void
lower_helper_end(Lower *l, Helper *h)
{
    LLVMBuildRetVoid(l->b);
    LLVMPositionBuilderAtEnd(l->b, h->back);
    LLVMSetCurrentDebugLocation2(l->b, h->location);
    l->mod = h->mod;
    h->fn = h->declared;
}

void
lower_helper_call(Lower *l, const Helper *h, LLVMValueRef *args, int n)
{
    LLVMBuildCall2(l->b, h->type, h->fn, args, (unsigned)n, "");
}

void
lower_counted_begin(Lower *l, Counted *c)
{
    c->from = LLVMGetInsertBlock(l->b);
    c->head = lower_block(l, "head");
    c->body = lower_block(l, "body");
    c->exit = lower_block(l, "exit");
    LLVMBuildBr(l->b, c->head);
    LLVMPositionBuilderAtEnd(l->b, c->head);
    LLVMValueRef zero = lower_const(l, 0);
    c->index = LLVMBuildPhi(l->b, l->i64, "i");
    LLVMAddIncoming(c->index, &zero, &c->from, 1);
    for (int j = 0; j < c->n; j++) {
        LLVMValueRef phi = LLVMBuildPhi(l->b, l->ptr, "");
        LLVMAddIncoming(phi, &c->at[j], &c->from, 1);
        c->at[j] = phi;
    }
    LLVMValueRef more = LLVMBuildICmp(l->b, LLVMIntNE, c->index, c->count, "");
    LLVMBuildCondBr(l->b, more, c->body, c->exit);
    LLVMPositionBuilderAtEnd(l->b, c->body);
}

void
lower_counted_end(Lower *l, Counted *c)
{
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(l->b);
    LLVMValueRef next = LLVMBuildAdd(l->b, c->index, lower_const(l, 1), "");
    LLVMAddIncoming(c->index, &next, &latch, 1);
    for (int j = 0; j < c->n; j++) {
        LLVMValueRef at = LLVMBuildGEP2(l->b, l->i8, c->at[j], &c->step[j], 1, "");
        LLVMAddIncoming(c->at[j], &at, &latch, 1);
    }
    LLVMBuildBr(l->b, c->head);
    LLVMPositionBuilderAtEnd(l->b, c->exit);
}

LLVMValueRef
lower_counted_value(Lower *l, const Counted *c, LLVMValueRef first)
{
    LLVMBasicBlockRef from = c->from;
    LLVMPositionBuilderBefore(l->b, LLVMGetFirstInstruction(c->head));
    LLVMValueRef value = LLVMBuildPhi(l->b, LLVMTypeOf(first), "");
    LLVMAddIncoming(value, &first, &from, 1);
    LLVMPositionBuilderAtEnd(l->b, c->body);
    return value;
}

void
lower_counted_next(Lower *l, LLVMValueRef value, LLVMValueRef next)
{
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(l->b);
    LLVMAddIncoming(value, &next, &latch, 1);
}
