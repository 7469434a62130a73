/* check_memo.c: makes the keys of sites and keeps them; see check_memo.h. */

/* ASSUMES proofs-alone: what is proved of a site without a search follows from its key.
 */
#include "passes/check_memo.h"

#include <string.h>

_Static_assert(MAX_PARAMS <= 64, "MemoEntry.outside has a bit for each operand");

void
memo_init(CheckMemo *m, Arena *arena)
{
    *m = (CheckMemo){.arena = arena};
    m->slots = ARENA_ARRAY(arena, MemoEntry *, MEMO_SLOTS);
}

static inline void
put(CheckMemo *m, uint64_t word)
{
    m->key[m->n++] = word;
}

/* Returns whether the key is too long. It is asked before each operand. */
static inline bool
is_full(const CheckMemo *m)
{
    return m->n > MEMO_MAX_WORDS;
}

/* What a word of a key says. */
enum {
    WORD_CONST, /* a constant: equal ones have one id */
    WORD_RANGE, /* the range of a number follows */
    WORD_TREE,  /* a tree of operations follows */
    WORD_NODE,  /* an operation, a register or a variable */
    WORD_AGAIN  /* a leaf that the tree has already */
};

static void
put_range(CheckMemo *m, Interval r)
{
    put(m, (uint64_t)r.lo);
    put(m, (uint64_t)r.hi);
    put(m, (uint64_t)r.mod);
    put(m, (uint64_t)r.rem);
}

static inline void
put_const(CheckMemo *m, ExprId id)
{
    put(m, (uint64_t)id << 8 | WORD_CONST);
}

/* The registers and variables of a tree, by the order in which they come. */
typedef struct Leaves {
    ExprId id[MEMO_TREE];
    uint32_t n;
} Leaves;

/* Adds the bounds of a variable's loop, on which its last value depends. */
static void
put_frame(CheckMemo *m, const CheckWalk *w, VarId var)
{
    uint32_t i = w->frames.n;
    while (i > 0 && w->frames.p[i - 1].var != var) {
        i--;
    }
    put(m, i > 0);
    if (i > 0) {
        put(m, (uint64_t)ir_expr(w->k, w->frames.p[i - 1].begin)->imm);
        put(m, (uint64_t)ir_expr(w->k, w->frames.p[i - 1].end)->imm);
    }
}

static void
put_leaf(CheckMemo *m, const CheckWalk *w, ExprId id, Leaves *leaves, bool frames)
{
    const Expr *e = ir_expr(w->k, id);
    for (uint32_t i = 0; i < leaves->n; i++) {
        if (leaves->id[i] == id) {
            put(m, (uint64_t)i << 8 | WORD_AGAIN);
            return;
        }
    }
    leaves->id[leaves->n++] = id;
    put(m, (uint64_t)e->dtype << 16 | (uint64_t)e->kind << 8 | WORD_NODE);
    put_range(m, env_expr(&w->env, id));
    if (frames && e->kind == EX_VAR) {
        put_frame(m, w, e->a);
    }
}

/* Adds an expression as it is written: the range of it, and the sum that it is, follow
 * from its operations, its numbers and the ranges of its leaves. */
static void
put_tree(CheckMemo *m, const CheckWalk *w, ExprId id, Leaves *leaves, bool frames)
{
    const Expr *e = ir_expr(w->k, id);
    if (e->kind == EX_CONST) {
        put_const(m, id);
        return;
    }
    if (e->kind != EX_OP) {
        put_leaf(m, w, id, leaves, frames);
        return;
    }
    put(m, (uint64_t)(e->b != 0) << 32 | (uint64_t)e->op << 24 |
               (uint64_t)e->dtype << 16 | (uint64_t)e->kind << 8 | WORD_NODE);
    put_tree(m, w, e->a, leaves, frames);
    if (e->b != 0) {
        put_tree(m, w, e->b, leaves, frames);
    }
}

/* Returns whether nothing is known of an expression but what its tree tells: conditions
 * have not narrowed some part of it. */
static bool
is_tree(const CheckWalk *w, const Expr *e)
{
    return e->size <= MEMO_TREE && w->env.facts.n == 0;
}

/* Adds what is known of a number that is no constant. */
static NOINLINE void
put_computed(CheckMemo *m, const CheckWalk *w, ExprId id)
{
    const Expr *e = ir_expr(w->k, id);
    if (is_tree(w, e)) {
        Leaves leaves;
        leaves.n = 0;
        put(m, WORD_TREE);
        put_tree(m, w, id, &leaves, false);
    } else {
        put(m, (uint64_t)e->dtype << 8 | WORD_RANGE);
        put_range(m, env_range(&w->env, id));
    }
}

/* Adds what is known of a number. */
static inline void
put_expr(CheckMemo *m, const CheckWalk *w, ExprId id)
{
    if (ir_is_const(w->k, id)) {
        put_const(m, id);
    } else {
        put_computed(m, w, id);
    }
}

/* Adds what is known of an offset that is no constant: as of a number, and the largest
 * that it certainly has. */
static NOINLINE void
put_offset(CheckMemo *m, const CheckWalk *w, ExprId id)
{
    Nest nest = check_walk_nest(w);
    int64_t last = 0;
    if (is_tree(w, ir_expr(w->k, id))) {
        Leaves leaves;
        leaves.n = 0;
        bool frames = witness_has_last(&w->env, &nest);
        put(m, (uint64_t)frames << 8 | WORD_TREE);
        put_tree(m, w, id, &leaves, frames);
    } else {
        put_computed(m, w, id);
        put(m, witness_largest(&w->env, &nest, id, &last));
        put(m, (uint64_t)last);
    }
}

/* The tensors of a site: two are the same one, or any two. */
typedef struct Tensors {
    BufId buf[MAX_PARAMS];
    int n;
    bool moving; /* an offset is no constant */
    bool shared; /* two operands are in one tensor */
} Tensors;

static int
number_of(Tensors *t, BufId buf)
{
    for (int i = 0; i < t->n; i++) {
        if (t->buf[i] == buf) {
            t->shared = true;
            return i;
        }
    }
    t->buf[t->n] = buf;
    return t->n++;
}

/* Adds a tensor without its identity; most have neither grown nor are they lists. */
static void
put_tensor(CheckMemo *m, const CheckWalk *w, const Ref *r, Tensors *t)
{
    const Buffer *b = &w->k->bufs.p[r->buf];
    bool more = b->grown != 0 || b->role == BUF_LIST;
    put(m, (uint64_t)number_of(t, r->buf) << 40 | (uint64_t)more << 32 |
               (uint64_t)b->role << 24 | (uint64_t)b->scope << 16 |
               (uint64_t)r->dtype << 8 | b->dynamic);
    put(m, (uint64_t)b->bytes);
    if (more) {
        put(m, (uint64_t)b->grown);
        put(m, (uint64_t)b->elems);
    }
    if (ir_is_const(w->k, r->off)) {
        put_const(m, r->off);
    } else {
        put_offset(m, w, r->off);
        t->moving = true;
    }
}

static void
put_mask(CheckMemo *m, const CheckWalk *w, const Arg *mask)
{
    put(m, (uint64_t)mask->mask_form);
    for (int i = 0; i < mask_words(mask->mask_form) && !is_full(m); i++) {
        put_expr(m, w, mask->mask[i]);
    }
}

static void
put_instr(CheckMemo *m, const CheckWalk *w, const Stmt *s, Tensors *t)
{
    int n;
    (void)form_params(op_table[s->instr.op].form, &n);
    const Arg *args = &w->k->args.p[s->instr.arg];
    put(m, (uint64_t)s->instr.op << 8 | s->kind);
    for (int i = 0; i < n && !is_full(m); i++) {
        const Arg *a = &args[i];
        switch ((ArgKind)a->kind) {
        case ARG_REF:
            put_tensor(m, w, &a->ref, t);
            break;
        case ARG_MASK:
            put_mask(m, w, a);
            break;
        case ARG_NONE:
            break;
        case ARG_EXPR:
            put_expr(m, w, a->expr);
            break;
        }
    }
}

static uint32_t
hash_words(const uint64_t *word, uint32_t n)
{
    uint64_t h = n;
    for (uint32_t i = 0; i < n; i++) {
        h = (h << 5 | h >> 59) ^ word[i] * UINT64_C(0x9e3779b97f4a7c15);
    }
    return (uint32_t)((h ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 32);
}

/* Makes the key of a statement. It is empty where an answer may depend on more: offsets
 * in one tensor may keep a distance that their values alone do not show. */
static void
make_key(CheckMemo *m, const CheckWalk *w, StmtId id)
{
    const Stmt *s = &w->k->stmts.p[id];
    Tensors t;
    t.n = 0;
    t.moving = t.shared = false;
    m->n = 0;
    if (s->kind == ST_INSTR) {
        put_instr(m, w, s, &t);
    } else {
        put(m, s->kind);
        put_tensor(m, w, s->kind == ST_LOAD ? &s->load.ref : &s->store.ref, &t);
    }
    if (w->env.dead || is_full(m) || (t.moving && t.shared)) {
        m->n = 0;
    }
    m->hash = hash_words(m->key, m->n) & (MEMO_SLOTS - MEMO_WAYS);
}

static bool
is_entry_of(const CheckMemo *m, const MemoEntry *e)
{
    return e && e->n == m->n && memcmp(e->key, m->key, m->n * sizeof *m->key) == 0;
}

const MemoEntry *
memo_find(CheckMemo *m, const CheckWalk *w, StmtId id)
{
    make_key(m, w, id);
    MemoEntry **slot = &m->slots[m->hash];
    if (m->n == 0) {
        return NULL;
    }
    return is_entry_of(m, slot[0]) ? slot[0] : is_entry_of(m, slot[1]) ? slot[1] : NULL;
}

void
memo_keep(CheckMemo *m, int steps, uint64_t outside)
{
    if (m->n == 0) {
        return;
    }
    MemoEntry **slot = &m->slots[m->hash];
    MemoEntry *e = slot[1];
    if (!e || e->cap < m->n) {
        e = arena_alloc(m->arena, sizeof *e + m->n * sizeof *m->key);
        e->cap = m->n;
    }
    slot[1] = slot[0]; /* the older one of two goes */
    slot[0] = e;
    e->n = m->n;
    e->steps = steps;
    e->outside = outside;
    memcpy(e->key, m->key, m->n * sizeof *m->key);
}
