/* atomic.c: checks atomic writes where the mode is known.
 *
 * Needs: a kernel that passed check. Guarantees: an error atomic-soc or atomic-dtype for
 * each write to global memory that certainly happens in a mode that does not fit it (both
 * back ends check it again when it runs); the warning atomic-left-on where the kernel
 * certainly ends with the mode on. Never: changes statements. */
#include "analysis/atomic_mode.h"
#include "rules/atomic.h"
#include "passes/passes.h"

static bool
check_write(const Kernel *k, const Stmt *s, int64_t mode)
{
    Scope src;
    AtomicWrite w;
    Fault fault;
    if (mode <= 0 || !atomic_follows(k, s, &src)) {
        return true;
    }
    int dst = form_first(op_table[s->instr.op].form, ROLE_DST);
    AtomicSite site = {.op = s->instr.op,
                       .soc = k->soc,
                       .dst = dst,
                       .dtype = k->args.p[s->instr.arg + (uint32_t)dst].ref.dtype,
                       .from = src};
    if (check_atomic(&site, (uint32_t)mode, &w, &fault)) {
        return true;
    }
    diag_add(k->unit, diag_of_rule(fault.rule), ir_arg_span(k, s, dst), s->chain, "%s",
             fault.text);
    return false;
}

static void
warn_left_on(const Kernel *k, const AtomicModes *m)
{
    char text[64];
    const Stmt *s = &k->stmts.p[m->last_set];
    if (m->end > 0) {
        diag_add(k->unit, D_ATOMIC_LEFT_ON, s->span, s->chain,
                 "the kernel ends while %s is on",
                 atomic_text((uint32_t)m->end, text, sizeof text));
    }
}

bool
pass_atomic(Kernel *k)
{
    Arena scratch;
    AtomicModes m;
    bool ok = true;
    arena_init(&scratch);
    if (atomic_modes(k, &scratch, &m)) {
        for (StmtId id = 1; id < k->stmts.n; id++) {
            ok = check_write(k, &k->stmts.p[id], m.before[id]) && ok;
        }
        warn_left_on(k, &m);
    }
    arena_free(&scratch);
    return ok;
}
