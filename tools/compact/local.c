/* local.c: gives values that are in no tree a slot of the frame. Values that are never
 * live at the same time share one; a phi has that of what flows into it where it can, so
 * that nothing is copied. */
#include "compact.h"

#include <stdlib.h>
#include <string.h>

typedef uint64_t Word;

typedef struct Live {
    Function *f;
    int n, words;
    Word *in, *out, *clash; /* per block, per block, per value */
    Word *now;
    int *same; /* of values that share a slot, the one that stands for them */
} Live;

static bool
has(const Word *set, int i)
{
    return set[i / 64] >> i % 64 & 1;
}

static void
put(Word *set, int i, bool on)
{
    set[i / 64] =
        on ? set[i / 64] | (Word)1 << i % 64 : set[i / 64] & ~((Word)1 << i % 64);
}

int
arg_slot(Function *f, LLVMValueRef arg, int element)
{
    return map_get(f->map, arg) + element;
}

int
next_slot(Function *f, LLVMValueRef arg, int *element)
{
    bool many = LLVMGetTypeKind(LLVMTypeOf(arg)) == LLVMArrayTypeKind;
    int slot = many ? *element % (int)LLVMGetArrayLength2(LLVMTypeOf(arg)) : 0;
    *element += many;
    return arg_slot(f, arg, slot);
}

static int
new_value(Function *f, int node)
{
    static int have;
    if (f->nvalues == 0) {
        have = 0;
        f->values = NULL;
    }
    f->values = room(f->values, f->nvalues, &have, sizeof *f->values);
    f->values[f->nvalues] = (Value){node, -1, 0};
    return f->nvalues++;
}

static void
number_values(Function *f)
{
    f->nvalues = 0;
    for (int i = 0; i < f->nargs; i++) {
        new_value(f, -1);
    }
    for (int i = 0; i < f->nnodes; i++) {
        Node *n = &f->nodes[i];
        n->value = n->uses > 0 && !n->folded && !is_nothing(n->v) &&
                           LLVMGetTypeKind(LLVMTypeOf(n->v)) != LLVMVoidTypeKind &&
                           LLVMGetTypeKind(LLVMTypeOf(n->v)) != LLVMStructTypeKind
                       ? new_value(f, i)
                       : -1;
    }
}

/* ---- what is live -------------------------------------------------------- */

static void use(Live *l, LLVMValueRef v, int *element);

/* All operands are read. Elements of an argument are k, k + 1, .. in order. */
static void
use_all(Live *l, LLVMValueRef v)
{
    LLVMValueRef of[64];
    int k = operands(l->f, v, of, 64), e = 0;
    for (int i = 0; i < k; i++) {
        if (i > 0 && of[i] != of[i - 1]) {
            e = 0;
        }
        use(l, of[i], &e);
    }
}

static void
use_value(Live *l, int value)
{
    put(l->now, value, true);
    l->f->values[value].weight++;
}

/* An operand is read: what its tree reads becomes live. */
static void
use(Live *l, LLVMValueRef v, int *element)
{
    if (LLVMIsAArgument(v)) {
        use_value(l, next_slot(l->f, v, element));
        return;
    }
    if (LLVMIsAExtractValueInst(v) && LLVMIsAArgument(LLVMGetOperand(v, 0))) {
        use_value(l, arg_slot(l->f, LLVMGetOperand(v, 0), (int)LLVMGetIndices(v)[0]));
        return;
    }
    const Node *n = node_of(l->f, v);
    if (n == NULL || is_nothing(n->v)) {
        return;
    }
    if (n->value >= 0) {
        use_value(l, n->value);
    } else if (n->folded) {
        use_all(l, v);
    }
}

static void
define(Live *l, int value, bool note)
{
    put(l->now, value, false);
    if (note) {
        for (int i = 0; i < l->n; i++) {
            if (has(l->now, i)) {
                put(l->clash + (size_t)value * (size_t)l->words, i, true);
                put(l->clash + (size_t)i * (size_t)l->words, value, true);
            }
        }
    }
}

static int
block_number(Function *f, LLVMBasicBlockRef b)
{
    return map_get(f->map, b);
}

/* What is live at the end: what successors read, and what their phis get from here. */
static void
at_end(Live *l, int b)
{
    Function *f = l->f;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(f->blocks[b]);
    memset(l->now, 0, sizeof(Word) * (size_t)l->words);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
        LLVMBasicBlockRef to = LLVMGetSuccessor(end, i);
        int t = block_number(f, to);
        for (int w = 0; w < l->words; w++) {
            l->now[w] |= l->in[t * l->words + w];
        }
    }
    for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
        LLVMBasicBlockRef to = LLVMGetSuccessor(end, i);
        for (LLVMValueRef v = LLVMGetFirstInstruction(to); LLVMIsAPHINode(v);
             v = LLVMGetNextInstruction(v)) {
            int e = 0;
            use(l, incoming(v, f->blocks[b]), &e);
        }
    }
}

static bool
go_over_block(Live *l, int b, bool note)
{
    Function *f = l->f;
    at_end(l, b);
    int last = f->nnodes;
    while (last > 0 && f->nodes[last - 1].block > b) {
        last--;
    }
    for (int i = last - 1; i >= 0 && f->nodes[i].block == b; i--) {
        Node *n = &f->nodes[i];
        if (n->folded || is_nothing(n->v)) {
            continue;
        }
        if (n->value >= 0) {
            define(l, n->value, note);
        }
        if (LLVMIsAPHINode(n->v)) {
            continue;
        }
        use_all(l, n->v);
    }
    bool changed =
        memcmp(l->now, l->in + b * l->words, sizeof(Word) * (size_t)l->words) != 0;
    memcpy(l->in + b * l->words, l->now, sizeof(Word) * (size_t)l->words);
    return changed;
}

/* All phis of a block get their values at once: they clash with each other. */
static void
phis_clash(Live *l, int b)
{
    Function *f = l->f;
    for (LLVMValueRef v = LLVMGetFirstInstruction(f->blocks[b]); LLVMIsAPHINode(v);
         v = LLVMGetNextInstruction(v)) {
        for (LLVMValueRef u = LLVMGetFirstInstruction(f->blocks[b]); LLVMIsAPHINode(u);
             u = LLVMGetNextInstruction(u)) {
            int x = node_of(f, v)->value, y = node_of(f, u)->value;
            if (x >= 0 && y >= 0 && x != y) {
                put(l->clash + (size_t)x * (size_t)l->words, y, true);
            }
        }
        int x = node_of(f, v)->value;
        for (int i = 0; x >= 0 && i < l->n; i++) {
            if (i != x && has(l->in + b * l->words, i)) {
                put(l->clash + (size_t)x * (size_t)l->words, i, true);
                put(l->clash + (size_t)i * (size_t)l->words, x, true);
            }
        }
    }
}

/* ---- slots --------------------------------------------------------------- */

static int
stands_for(const Live *l, int v)
{
    while (l->same[v] != v) {
        v = l->same[v];
    }
    return v;
}

static void
join(Live *l, int a, int b)
{
    a = stands_for(l, a);
    b = stands_for(l, b);
    if (a == b || has(l->clash + (size_t)a * (size_t)l->words, b) ||
        (a < l->f->nargs && b < l->f->nargs)) {
        return;
    }
    int keep = a < b ? a : b, gone = a < b ? b : a;
    l->same[gone] = keep;
    l->f->values[keep].weight += l->f->values[gone].weight;
    for (int i = 0; i < l->n; i++) {
        if (has(l->clash + (size_t)gone * (size_t)l->words, i)) {
            put(l->clash + (size_t)keep * (size_t)l->words, i, true);
            put(l->clash + (size_t)i * (size_t)l->words, keep, true);
        }
    }
}

static void
join_phis(Live *l)
{
    Function *f = l->f;
    for (int i = 0; i < f->nnodes; i++) {
        LLVMValueRef v = f->nodes[i].v;
        if (!LLVMIsAPHINode(v) || f->nodes[i].value < 0) {
            continue;
        }
        for (unsigned k = 0; k < LLVMCountIncoming(v); k++) {
            LLVMValueRef in = plain(LLVMGetIncomingValue(v, k));
            Node *n = node_of(f, in);
            if (n != NULL && n->value >= 0) {
                join(l, f->nodes[i].value, n->value);
            } else if (LLVMIsAArgument(in)) {
                join(l, f->nodes[i].value, arg_slot(f, in, 0));
            }
        }
    }
}

static Function *sorted;

static int
by_weight(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    int d = sorted->values[y].weight - sorted->values[x].weight;
    return d != 0 ? d : x - y;
}

static void
color(Live *l)
{
    Function *f = l->f;
    int *order = calloc((size_t)l->n + 1, sizeof *order), n = 0;
    for (int i = 0; i < l->n; i++) {
        if (i < f->nargs) {
            f->values[i].slot = i;
        } else if (l->same[i] == i) {
            order[n++] = i;
        }
    }
    sorted = f;
    qsort(order, (size_t)n, sizeof *order, by_weight);
    f->nslots = f->nargs;
    for (int i = 0; i < n; i++) {
        int slot = 0;
        for (int k = 0; k < l->n;) {
            bool taken = f->values[k].slot == slot && l->same[k] == k &&
                         has(l->clash + (size_t)order[i] * (size_t)l->words, k);
            slot += taken;
            k = taken ? 0 : k + 1;
        }
        f->values[order[i]].slot = slot;
        f->nslots = slot + 1 > f->nslots ? slot + 1 : f->nslots;
    }
    for (int i = 0; i < l->n; i++) {
        f->values[i].slot = f->values[stands_for(l, i)].slot;
    }
    free(order);
}

/* Goes over the blocks from the last to the first until nothing becomes live any more. */
static void
find_live(Live *l)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int b = l->f->nblocks - 1; b >= 0; b--) {
            changed = go_over_block(l, b, false) || changed;
        }
    }
}

/* Arguments have slots from the start: they clash with each other, and with what is live
 * then. */
static void
arguments_clash(Live *l)
{
    int nargs = l->f->nargs;
    for (int i = 0; i < nargs; i++) {
        for (int k = 0; k < l->n; k++) {
            if (i != k && (k < nargs || has(l->in, k))) {
                put(l->clash + (size_t)i * (size_t)l->words, k, true);
                put(l->clash + (size_t)k * (size_t)l->words, i, true);
            }
        }
    }
}

/* Notes which values are live at the same time, and counts how often each is read. */
static void
find_clashes(Live *l)
{
    for (int i = 0; i < l->n; i++) {
        l->f->values[i].weight = 0;
    }
    for (int b = 0; b < l->f->nblocks; b++) {
        go_over_block(l, b, true);
        phis_clash(l, b);
    }
    arguments_clash(l);
}

void
give_slots(Function *f)
{
    number_values(f);
    Live l = {.f = f, .n = f->nvalues, .words = f->nvalues / 64 + 1};
    size_t row = sizeof(Word) * (size_t)l.words;
    l.in = calloc((size_t)f->nblocks, row);
    l.clash = calloc((size_t)l.n + 1, row);
    l.now = calloc(1, row);
    l.same = calloc((size_t)l.n + 1, sizeof *l.same);
    for (int i = 0; i < l.n; i++) {
        l.same[i] = i;
    }
    find_live(&l);
    find_clashes(&l);
    join_phis(&l);
    color(&l);
    free(l.in);
    free(l.clash);
    free(l.now);
    free(l.same);
}
