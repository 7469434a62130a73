/* notice.c: finds what a kernel leaves undone with its arguments and Scalars.
 *
 * Needs: a kernel without errors, since a statement that is missing could have been the
 * one that writes. Guarantees: nothing. Never: changes anything. It runs before fold,
 * which replaces registers.
 *
 * Owns: output-unwritten, input-written, uninit of Scalars. */
#include "passes/passes.h"

#include <string.h>

typedef struct Notice {
    Kernel *k;
    bool *set;      /* by RegId: some statement assigns it */
    bool *reported; /* by RegId: it is reported */
    bool *visited;  /* by ExprId: all its registers are set */
    StmtId *write;  /* by BufId: a statement that writes it, or 0 */
} Notice;

static bool
is_written(const ParamInfo *p)
{
    return p->role == ROLE_DST;
}

static void
note_writes(Notice *n, StmtId id)
{
    const Kernel *k = n->k;
    const Stmt *s = &k->stmts.p[id];
    if (s->kind == ST_SET) {
        n->set[s->set.reg] = true;
    } else if (s->kind == ST_LOAD) {
        n->set[s->load.reg] = true;
    } else if (s->kind == ST_STORE) {
        n->write[s->store.ref.buf] = id;
    } else if (s->kind == ST_INSTR) {
        int count;
        const ParamInfo *p = form_params(op_table[s->instr.op].form, &count);
        for (int i = 0; i < count; i++) {
            const Arg *a = &k->args.p[s->instr.arg + (uint32_t)i];
            if (is_written(&p[i]) && a->kind == ARG_REF) {
                n->write[a->ref.buf] = id;
            }
        }
    }
}

/* Reports a register that the expression reads and no statement sets. */
static void
read_expr(Notice *n, const Stmt *s, ExprId id)
{
    const Expr *e = ir_expr(n->k, id);
    if (id == 0 || n->visited[id]) {
        return;
    }
    n->visited[id] = true;
    if (e->kind == EX_OP) {
        read_expr(n, s, e->a);
        read_expr(n, s, e->b);
    } else if (e->kind == EX_REG && !n->set[e->a] && !n->reported[e->a]) {
        const Reg *r = &n->k->regs.p[e->a];
        Unit *u = n->k->unit;
        n->reported[e->a] = true;
        Diag *d = diag_add(u, D_UNINIT, s->span, s->chain,
                           "the Scalar '%s' is read and never set; it is 0",
                           sym_text(&u->names, r->name));
        diag_note(u, d, r->span, "it is made here");
        diag_help(u, d, "give it init_value=, or a value with set_as");
    }
}

static void
read_args(Notice *n, const Stmt *s)
{
    int count;
    (void)form_params(op_table[s->instr.op].form, &count);
    for (int i = 0; i < count; i++) {
        const Arg *a = &n->k->args.p[s->instr.arg + (uint32_t)i];
        if (a->kind == ARG_REF) {
            read_expr(n, s, a->ref.off);
        } else if (a->kind == ARG_EXPR) {
            read_expr(n, s, a->expr);
        } else if (a->kind == ARG_MASK) {
            for (int w = 0; w < mask_words(a->mask_form); w++) {
                read_expr(n, s, a->mask[w]);
            }
        }
    }
}

static void
read_stmt(Notice *n, const Stmt *s)
{
    switch ((StmtKind)s->kind) {
    case ST_INSTR:
        read_args(n, s);
        break;
    case ST_SET:
        read_expr(n, s, s->set.value);
        break;
    case ST_LOAD:
        read_expr(n, s, s->load.ref.off);
        break;
    case ST_STORE:
        read_expr(n, s, s->store.ref.off);
        read_expr(n, s, s->store.value);
        break;
    case ST_FOR:
        read_expr(n, s, s->loop.begin);
        read_expr(n, s, s->loop.end);
        break;
    case ST_IF:
        read_expr(n, s, s->cond.cond);
        break;
    case ST_NONE:
    case ST_ALLOC:
    case ST_SCOPE:
    case ST_BREAK:
    case ST_CONTINUE:
    case ST_RETURN:
        break;
    }
}

/* Returns whether some statement assigns each register. */
static bool
all_are_set(const Notice *n)
{
    bool all = true;
    for (RegId r = 1; r < n->k->regs.n; r++) {
        all = all && n->set[r];
    }
    return all;
}

/* Returns whether an instruction moves from a buffer that nothing has written before into
 * an input: probably its tensors are swapped. */
static bool
is_load_backwards(const Kernel *k, const Stmt *s)
{
    return s->instr.op == OP_DATA_MOVE && k->args.p[s->instr.arg].kind == ARG_REF &&
           k->args.p[s->instr.arg + 1].kind == ARG_REF &&
           k->bufs.p[k->args.p[s->instr.arg + 1].ref.buf].scope != SC_GM;
}

static void
check_argument(const Notice *n, BufId id)
{
    const Kernel *k = n->k;
    Unit *u = k->unit;
    const Buffer *b = &k->bufs.p[id];
    const char *name = sym_text(&u->names, b->name);
    if (b->role == BUF_OUT && n->write[id] == 0) {
        diag_add(u, D_OUTPUT_UNWRITTEN, b->span, b->chain,
                 "nothing in the kernel writes the output '%s'", name);
    } else if (b->role == BUF_IN && b->use == USE_TENSOR && n->write[id] != 0) {
        const Stmt *s = &k->stmts.p[n->write[id]];
        bool backwards = s->kind == ST_INSTR && is_load_backwards(k, s);
        Diag *d = diag_add(u, D_INPUT_WRITTEN, backwards ? ir_arg_span(k, s, 0) : s->span,
                           s->chain, "the kernel writes its input '%s'", name);
        diag_note(u, d, b->span, "'%s' is declared here", name);
        if (backwards) {
            diag_help(u, d,
                      "data_move(dst, src, ...) writes its first tensor; swap the two if "
                      "'%s' is to be read",
                      name);
        }
    }
}

bool
pass_notice(Kernel *k)
{
    Arena scratch = {0};
    Notice n = {.k = k};
    n.set = ARENA_ARRAY(&scratch, bool, k->regs.n + 1);
    n.reported = ARENA_ARRAY(&scratch, bool, k->regs.n + 1);
    n.write = ARENA_ARRAY(&scratch, StmtId, k->bufs.n + 1);
    for (uint32_t i = 1; i < k->stmts.n; i++) {
        note_writes(&n, i);
    }
    bool all_set = all_are_set(&n);
    n.visited = ARENA_ARRAY(&scratch, bool, all_set ? 0 : k->exprs.n + 1);
    for (uint32_t i = 1; i < k->stmts.n && !all_set; i++) {
        read_stmt(&n, &k->stmts.p[i]);
    }
    for (uint32_t i = 0; i < k->params.n; i++) {
        check_argument(&n, k->params.p[i]);
    }
    arena_free(&scratch);
    return true;
}
