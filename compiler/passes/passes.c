/* passes.c: runs the passes of pass.def over a kernel, in their order.
 *
 * First come limits that walks over the IR rely on: an expression that was cut at IR_MAX_EXPR
 * (limit-ir), bodies nested deeper than IR_MAX_NEST (too-nested), buffers beyond IR_MAX_BYTES
 * (tensor-shape). A kernel that breaks one is not looked at further. A failed check does not keep
 * allocate from running, so that capacity errors show in the same run; atomic, flags, race, blocks and init need a
 * kernel that obeys the rules and is complete. */
#include "passes/passes.h"

#include <string.h>

const PassInfo pass_table[] = {
#define PASS(id, name, what) {name, pass_##id, what},
#include "passes/pass.def"
};

const int pass_count = ARRAY_LEN(pass_table);

_Static_assert(ARRAY_LEN(pass_table) <= MAX_PASSES, "MAX_PASSES");

/* ---- limits ---------------------------------------------------------------------------------------- */

typedef struct Pending {
    StmtId first; /* of a body */
    int depth;
} Pending;

typedef struct Nesting {
    Arena scratch;
    VEC(Pending) todo;
} Nesting;

static void
push_body(Nesting *n, StmtId first, int depth)
{
    if (first) {
        VEC_PUSH(&n->scratch, &n->todo, (Pending){first, depth});
    }
}

static void
push_bodies(Nesting *n, const Stmt *s, int depth)
{
    if (s->kind == ST_FOR) {
        push_body(n, s->loop.body, depth);
    } else if (s->kind == ST_SCOPE) {
        push_body(n, s->scope.body, depth);
    } else if (s->kind == ST_IF) {
        push_body(n, s->cond.then_body, depth);
        push_body(n, s->cond.else_body, depth);
    }
}

/* The first statement found that is nested too deep, or 0. Without recursion. */
static StmtId
too_deep(const Kernel *k)
{
    Nesting n = {0};
    StmtId found = 0;
    push_body(&n, k->body, 0);
    while (n.todo.n && !found) {
        Pending p = n.todo.p[--n.todo.n];
        if (p.depth > IR_MAX_NEST) {
            found = p.first;
        }
        for (StmtId id = p.first; id; id = k->stmts.p[id].next) {
            push_bodies(&n, &k->stmts.p[id], p.depth + 1);
        }
    }
    arena_free(&n.scratch);
    return found;
}

static bool MUST_USE
within_limits(Kernel *k)
{
    Unit *u = k->unit;
    bool ok = true;
    if (k->expr_too_large) {
        diag_add(u, D_LIMIT_IR, k->span, 0,
                 "an expression of the kernel has more than %d operations", IR_MAX_EXPR);
        ok = false;
    }
    for (BufId id = 1; id < k->bufs.n; id++) {
        const Buffer *b = &k->bufs.p[id];
        if (b->bytes > IR_MAX_BYTES) {
            diag_add(u, D_TENSOR_SHAPE, b->span, b->chain,
                     "'%s' has %lld bytes; a tensor has at most %lld",
                     sym_text(&u->names, b->name), (long long)b->bytes,
                     (long long)IR_MAX_BYTES);
            ok = false;
        }
    }
    StmtId deep = too_deep(k);
    if (deep) {
        const Stmt *s = &k->stmts.p[deep];
        diag_add(u, D_TOO_NESTED, s->span, s->chain, "more than %d scopes are open here",
                 IR_MAX_NEST);
        ok = false;
    }
    return ok;
}

/* ---- the run ------------------------------------------------------------------------------------------ */

static bool
needs_checked(bool (*run)(Kernel *))
{
    return run == pass_atomic || run == pass_flags || run == pass_race ||
           run == pass_blocks || run == pass_init;
}

static void
after_pass(const Kernel *k, const PassInfo *p, const PassOptions *opt)
{
    if (opt && opt->verify_each) {
        ir_verify(k, p->name);
    }
    if (opt && opt->print_after && opt->out && strcmp(opt->print_after, p->name) == 0) {
        ir_print(k, opt->out);
    }
}

bool
passes_run(Kernel *k, const PassOptions *opt)
{
    bool ok = within_limits(k);
    if (!ok) {
        return false;
    }
    if (opt && opt->verify_each) {
        ir_verify(k, "stage");
    }
    /* After any error of the program a kernel may lack statements: what was never written, and which
     * cores meet, cannot be told. */
    ok = k->unit->errors == 0;
    if (ok) {
        passes_notice(k);
    }
    for (int i = 0; i < pass_count; i++) {
        const PassInfo *p = &pass_table[i];
        if (ok || !needs_checked(p->run)) {
            ok = p->run(k) && ok;
            after_pass(k, p, opt);
        }
    }
    return ok;
}
