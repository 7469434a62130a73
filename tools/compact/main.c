/* main.c: translates the functions of modules to byte code, one after the other.
 *
 *   compact ROOT OUT.c TRIPLE MODULE.bc..    OUT.c has what ROOT needs; TRIPLE is named
 * in it */
#include "compact.h"

#include <llvm-c/Target.h>
#include <stdlib.h>
#include <string.h>

void *
room(void *p, int n, int *have, size_t size)
{
    if (n >= *have) {
        *have = *have * 2 + 64;
        p = realloc(p, (size_t)*have * size);
    }
    return p;
}

void
fail(const Function *f, const char *what, LLVMValueRef v)
{
    char *text = v != NULL ? LLVMPrintValueToString(v) : NULL;
    fprintf(stderr, "compact: %s: %s: %s\n", LLVMGetValueName(f->f), what,
            text != NULL ? text : "");
    exit(1);
}

void
stop(const char *format, const char *what)
{
    fprintf(stderr, "compact: ");
    fprintf(stderr, format, what);
    fprintf(stderr, "\n");
    exit(1);
}

/* Instructions, blocks and arguments of a function. */
enum {
    MAP_ROOM = 1 << 14
};

typedef struct Map {
    const void *keys[MAP_ROOM];
    int values[MAP_ROOM];
    int n;
} Map;

struct Map *
map_new(void)
{
    return calloc(1, sizeof(Map));
}

static size_t
find(const Map *m, const void *key)
{
    size_t i = ((uintptr_t)key >> 4) * 2654435761u % MAP_ROOM;
    while (m->keys[i] != NULL && m->keys[i] != key) {
        i = (i + 1) % MAP_ROOM;
    }
    return i;
}

void
map_put(struct Map *m, const void *key, int value)
{
    size_t i = find(m, key);
    if (m->n++ > MAP_ROOM / 2) {
        stop("a function is too %s", "large");
    }
    m->keys[i] = key;
    m->values[i] = value;
}

int
map_get(const struct Map *m, const void *key)
{
    size_t i = find(m, key);
    return m->keys[i] == NULL ? -1 : m->values[i];
}

/* Copies v for one of its users, unless only one of the same block is left. */
static bool
copy_for_one(LLVMBuilderRef builder, LLVMValueRef v, LLVMBasicBlockRef b)
{
    LLVMUseRef u = LLVMGetFirstUse(v);
    if (u == NULL) {
        return false;
    }
    LLVMValueRef user = LLVMGetUser(u);
    unsigned i = 0;
    while (LLVMGetOperand(user, i) != v) {
        i++;
    }
    LLVMValueRef at = LLVMIsAPHINode(user)
                          ? LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(user, i))
                          : user;
    if (LLVMGetNextUse(u) == NULL && LLVMGetInstructionParent(at) == b) {
        return false;
    }
    LLVMValueRef copy = LLVMInstructionClone(v);
    LLVMPositionBuilderBefore(builder, at);
    LLVMInsertIntoBuilder(builder, copy);
    LLVMSetOperand(user, i, copy);
    return true;
}

/* A constant offset from a pointer costs less than a slot: each user gets its own. */
static void
copy_offsets(Function *f)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(f->p->context);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->f); b != NULL;
         b = LLVMGetNextBasicBlock(b)) {
        for (LLVMValueRef v = LLVMGetFirstInstruction(b); v != NULL;
             v = LLVMGetNextInstruction(v)) {
            bool copied =
                LLVMIsAGetElementPtrInst(v) && LLVMIsConstant(LLVMGetOperand(v, 1));
            for (unsigned i = 1; copied && i < (unsigned)LLVMGetNumOperands(v); i++) {
                copied = LLVMIsAConstantInt(LLVMGetOperand(v, i)) != NULL;
            }
            copied =
                copied || (LLVMIsAZExtInst(v) &&
                           LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(v, 0))) < 32);
            for (bool more = copied; more;) {
                more = copy_for_one(builder, v, b);
            }
        }
    }
    LLVMDisposeBuilder(builder);
}

/* An undefined value is zero here, everywhere the same. */
static void
drop_freezes(LLVMValueRef f)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL;
         b = LLVMGetNextBasicBlock(b)) {
        for (LLVMValueRef v = LLVMGetFirstInstruction(b), next; v != NULL; v = next) {
            next = LLVMGetNextInstruction(v);
            if (LLVMIsAFreezeInst(v)) {
                LLVMReplaceAllUsesWith(v, LLVMGetOperand(v, 0));
                LLVMInstructionEraseFromParent(v);
            }
        }
    }
}

static int
width_of(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMArrayTypeKind ? (int)LLVMGetArrayLength2(t) : 1;
}

static bool
only_returns(LLVMBasicBlockRef b)
{
    LLVMValueRef v = LLVMGetFirstInstruction(b);
    int phis = 0;
    while (LLVMIsAPHINode(v)) {
        phis++;
        v = LLVMGetNextInstruction(v);
    }
    return LLVMIsAReturnInst(v) && phis <= 1 &&
           b != LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(b));
}

static void
read_arguments(Function *f)
{
    for (LLVMValueRef a = LLVMGetFirstParam(f->f); a != NULL; a = LLVMGetNextParam(a)) {
        map_put(f->map, a, f->nargs);
        f->nargs += width_of(LLVMTypeOf(a));
    }
}

static void
read_blocks(Function *f)
{
    f->nblocks = (int)LLVMCountBasicBlocks(f->f);
    f->blocks = calloc((size_t)f->nblocks, sizeof *f->blocks);
    f->only_returns = calloc((size_t)f->nblocks, sizeof *f->only_returns);
    LLVMGetBasicBlocks(f->f, f->blocks);
    f->first_block = f->p->nblocks;
    f->p->nblocks += f->nblocks;
    for (int b = 0; b < f->nblocks; b++) {
        map_put(f->map, f->blocks[b], b);
        f->only_returns[b] = only_returns(f->blocks[b]);
    }
}

static void
read_instructions(Function *f)
{
    int have = 0;
    for (int b = 0; b < f->nblocks; b++) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(f->blocks[b]); i != NULL;
             i = LLVMGetNextInstruction(i)) {
            f->nodes = room(f->nodes, f->nnodes, &have, sizeof *f->nodes);
            f->nodes[f->nnodes] = (Node){.v = i,
                                         .op = LLVMGetInstructionOpcode(i),
                                         .block = b,
                                         .pos = f->nnodes,
                                         .value = -1};
            map_put(f->map, i, f->nnodes++);
        }
    }
}

/* Translates a function from its trees to its codes. */
static void
translate(Program *p, LLVMValueRef v, int number)
{
    Function f = {.p = p, .f = v, .map = map_new()};
    drop_freezes(v);
    copy_offsets(&f);
    read_arguments(&f);
    read_blocks(&f);
    read_instructions(&f);
    make_trees(&f);
    give_slots(&f);
    select_function(&f);
    if (f.deepest > COMPACT_DEEPEST) {
        fail(&f, "too many operands", NULL);
    }
    p->frames[number] = f.nslots + 2 + f.deepest;
    free(f.map);
    free(f.blocks);
    free(f.nodes);
    free(f.values);
}

static int
uses_of(LLVMValueRef f)
{
    int n = 0;
    for (LLVMUseRef u = LLVMGetFirstUse(f); u != NULL; u = LLVMGetNextUse(u)) {
        n++;
    }
    return n;
}

/* The functions that are called most have the smallest numbers. */
static int
by_uses(const void *a, const void *b)
{
    int x = uses_of(*(const LLVMValueRef *)a), y = uses_of(*(const LLVMValueRef *)b);
    return x != y ? (y > x) - (y < x)
                  : strcmp(LLVMGetValueName(*(const LLVMValueRef *)a),
                           LLVMGetValueName(*(const LLVMValueRef *)b));
}

int
main(int argc, char **argv)
{
    static Program p;
    if (argc < 5) {
        fprintf(stderr, "usage: compact ROOT OUT.c TRIPLE MODULE.bc..\n");
        return 2;
    }
    p.context = LLVMContextCreate();
    p.m = read_modules(&p, argv + 4, argc - 4, argv[1]);
    p.layout = LLVMGetModuleDataLayout(p.m);
    p.pointer = (int)LLVMPointerSize(p.layout);
    for (LLVMValueRef f = LLVMGetFirstFunction(p.m); f != NULL;
         f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f)) {
            number_in(&p.functions, f);
        }
    }
    qsort(p.functions.at, (size_t)p.functions.n, sizeof *p.functions.at, by_uses);
    p.frames = calloc((size_t)p.functions.n, sizeof *p.frames);
    for (int i = 0; i < p.functions.n; i++) {
        token(&(Function){.p = &p}, TOKEN_FUNCTION, i);
        translate(&p, p.functions.at[i], i);
    }
    if (!write_file(&p, argv[2], argv[1], argv[3])) {
        stop("%s cannot be written", argv[2]);
    }
    return 0;
}
