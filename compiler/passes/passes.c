/* passes.c: runs passes over a kernel: all of pass.def in their order, or those of a
 * list.
 *
 * Before them come limits that walks over the IR rely on: an expression that was cut at
 * IR_MAX_EXPR (limit-ir), bodies nested deeper than IR_MAX_NEST (too-nested), buffers
 * beyond IR_MAX_BYTES (tensor-shape). A kernel that breaks one is not looked at further.
 * Of the copy for the host, --verify-each compares what it does with what the kernel does
 * (passes/replay.h). After a pass that failed, those run that still have the facts that
 * they need: so capacity errors show in the same run as broken rules. */
#include "passes/passes.h"

#include "base/severity.h"

#include "passes/replay.h"

#include <string.h>

const FactInfo fact_table[FACT_COUNT] = {
#define FACT(id, name, what) {name, what},
#include "passes/pass.def"
};

const PassInfo pass_table[] = {
#define PASS(id, name, needs, gives, what) {name, needs, gives, pass_##id, what},
#include "passes/pass.def"
};

const int pass_count = ARRAY_LEN(pass_table);

/* ---- limits -------------------------------------------------------------- */

/* Returns the first statement that is nested too deep, or 0. */
static StmtId
too_deep(const Kernel *k)
{
    StmtId id = 0;
    if (k->deepest > IR_MAX_NEST) {
        while (k->stmts.p[id].nest <= IR_MAX_NEST) {
            id++;
        }
    }
    return id;
}

static bool MUST_USE
within_limits(Kernel *k)
{
    Unit *u = k->unit;
    bool ok = true;
    if (k->expr_too_large) {
        if (u->errors == 0) { /* the stage names the line */
            diag_add(u, D_LIMIT_IR, k->span, 0,
                     "an expression of the kernel has more than %d operations",
                     IR_MAX_EXPR);
        }
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

/* ---- lists of passes ----------------------------------------------------- */

const PassInfo *
pass_find(const char *name)
{
    for (int i = 0; i < pass_count; i++) {
        if (strcmp(pass_table[i].name, name) == 0) {
            return &pass_table[i];
        }
    }
    return NULL;
}

PassList
passes_all(Arena *arena)
{
    PassList all = {0};
    for (int i = 0; i < pass_count; i++) {
        VEC_PUSH(arena, &all, &pass_table[i]);
    }
    return all;
}

unsigned
passes_missing(const PassList *list, const PassInfo **which)
{
    unsigned facts = FACT_SOUND | FACT_HOST;
    for (uint32_t i = 0; i < list->n; i++) {
        unsigned missing = list->p[i]->needs & ~facts;
        if (missing != 0) {
            *which = list->p[i];
            return missing & (~missing + 1);
        }
        facts |= list->p[i]->gives;
    }
    return 0;
}

void
passes_put_closure(const PassInfo *last, Text *out)
{
    bool taken[ARRAY_LEN(pass_table)] = {false};
    unsigned wanted = last->needs & ~(unsigned)FACT_HOST;
    for (const PassInfo *p = last - 1; p >= pass_table; p--) {
        taken[p - pass_table] = (p->gives & wanted) != 0;
        wanted |= taken[p - pass_table] ? p->needs : 0;
    }
    for (int i = 0; i < pass_count; i++) {
        text_printf(out, taken[i] ? "%s," : "", pass_table[i].name);
    }
    text_put(out, last->name);
}

/* ---- the run ------------------------------------------------------------- */

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

/* Ends the process if a pass changed what a kernel does: that is our own fault. */
static void
check_copy(const Kernel *original, const Kernel *copy, const PassInfo *p)
{
    Arena scratch;
    Text why;
    arena_init(&scratch);
    text_init(&why, &scratch);
    for (int chunk = 1; chunk <= REPLAY_CHUNK; chunk += 31) {
        if (replay_compare(original, copy, chunk, &why) == REPLAY_DIFFERENT) {
            ICE("the pass '%s' changed kernel '%s': %s differs", p->name,
                sym_text(&copy->unit->names, copy->name), why.p);
        }
    }
    arena_free(&scratch);
}

static bool
is_in(const PassList *list, const PassInfo *p)
{
    for (uint32_t i = 0; list && i < list->n; i++) {
        if (list->p[i] == p) {
            return true;
        }
    }
    return false;
}

/* Returns whether one of the diagnostics from a number on is an error by itself: not one
 * that the user makes of a warning, nor one that could be allowed. */
static bool
has_error(const Unit *u, uint32_t from)
{
    for (uint32_t i = from; i < u->diags.n; i++) {
        const Diag *d = u->diags.p[i];
        bool error = d->level == LEVEL_ERROR && diag_table[d->id].level == LEVEL_ERROR;
        if (error && severity_allowable(d->id) == NULL) {
            return true;
        }
    }
    return false;
}

/* Runs the passes of a list and returns the facts that hold then. A pass that lacks facts
 * because another one failed is left out. */
static unsigned
run_list(Kernel *k, const Kernel *original, const PassList *list, const PassOptions *opt,
         unsigned facts)
{
    for (uint32_t i = 0; i < list->n; i++) {
        const PassInfo *p = list->p[i];
        if ((p->needs & ~facts) != 0 || (opt && is_in(opt->without, p))) {
            continue;
        }
        uint32_t before = k->unit->diags.n;
        bool ok = p->run(k);
        if (ok && has_error(k->unit, before)) {
            ICE("the pass '%s' found an error and did not say so", p->name);
        }
        facts = ok ? facts | p->gives : facts & ~(unsigned)FACT_SOUND;
        after_pass(k, p, opt);
        if (original != NULL && opt && opt->verify_each) {
            check_copy(original, k, p);
        }
    }
    return facts;
}

bool
passes_run(Kernel *k, const PassOptions *opt)
{
    if (!within_limits(k)) {
        return false;
    }
    if (opt && opt->verify_each) {
        ir_verify(k, "stage");
    }
    if (opt && opt->begin) {
        opt->begin(opt->to, k);
    }
    Arena scratch;
    arena_init(&scratch);
    PassList all = passes_all(&scratch);
    unsigned facts = run_list(k, NULL, opt && opt->only ? opt->only : &all, opt,
                              k->unit->errors == 0 ? FACT_SOUND : 0);
    arena_free(&scratch);
    return (facts & FACT_SOUND) != 0;
}

/* Returns the passes of a list that need a copy for the host. */
static PassList
host_only(const PassList *list, Arena *arena)
{
    PassList out = {0};
    for (uint32_t i = 0; i < list->n; i++) {
        if ((list->p[i]->needs & FACT_HOST) != 0) {
            VEC_PUSH(arena, &out, list->p[i]);
        }
    }
    return out;
}

/* Returns whether the statements of a copy are those of the original. */
static bool
is_same(const Kernel *copy, const Kernel *k)
{
    return copy->stmts.n == k->stmts.n && copy->args.n == k->args.n &&
           copy->body == k->body &&
           memcmp(copy->stmts.p, k->stmts.p, k->stmts.n * sizeof *k->stmts.p) == 0 &&
           memcmp(copy->args.p, k->args.p, k->args.n * sizeof *k->args.p) == 0;
}

Kernel *
passes_host(const Kernel *k, const PassOptions *opt)
{
    Arena scratch;
    arena_init(&scratch);
    PassList all = passes_all(&scratch);
    PassList list = host_only(opt && opt->only ? opt->only : &all, &scratch);
    Kernel *copy = NULL;
    if (list.n > 0) {
        copy = kernel_clone(k);
        (void)run_list(copy, k, &list, opt, FACT_LAST - 1);
    }
    arena_free(&scratch);
    if (copy != NULL && is_same(copy, k)) {
        kernel_free(copy);
        copy = NULL;
    }
    return copy;
}
