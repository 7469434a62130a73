/* check.c: the check pass: answers every rule of every instruction, scalar load and
 * scalar store.
 *
 * Needs: a verified kernel; constants folded. Gives: an error for each rule that is
 * certainly broken, Stmt.proof for the rest (PROVED, or RUNTIME: both back ends run the
 * numeric checker there), Kernel.proofs. Breaks nothing: the body stays as it is. Owns
 * the rules of runtime/rules/check.c and reports them for the compiler; what is knowingly
 * not checked is written there.
 *
 * The walk is in check_walk.c; this file makes diagnostics of its answers: for one
 * instruction each rule is reported once, and each operand once. */
#include "passes/check.h"
#include "passes/check_help.h"
#include "analysis/prove.h"
#include "ir/wording.h"
#include "passes/check_memo.h"
#include "passes/check_walk.h"
#include "passes/passes.h"

#include <stdio.h>
#include <string.h>

enum {
    OVERLAP_BUDGET = 20000 /* work for a search for an overlap that is a warning only */
};

typedef struct Obligation {
    Rule rule;
    int param;
} Obligation;

typedef struct Checker {
    Kernel *k;
    int64_t proofs[3]; /* number of obligations by Answer */
    /* operands of the present site that have an error */
    bool operands[MAX_PARAMS + 1];
    bool rules[RULE_COUNT]; /* rules that the present site breaks */
    bool failed;            /* the present site has some error */
    bool allowed;           /* it breaks a rule, and the user allows that */
    /* obligations of the site that are left to run time */
    Obligation open[MAX_CHECK_STEPS];
    int nopen;
    /* number of sites with open obligations, when all are to be proved */
    int64_t unproved;
    CheckMemo memo;
    Arena scratch; /* for memo */
    bool remarked; /* the present site has a diagnostic, or nearly had one */
    /* operands of the present site that may reach beyond the data of their tensor */
    uint64_t outside;
} Checker;

/* ---- diagnostics --------------------------------------------------------- */

static void
note_tensor(const Checker *c, Diag *d, const Site *s, int param)
{
    bool tensor = s->element || (param >= 0 && (s->params[param].role == ROLE_DST ||
                                                s->params[param].role == ROLE_SRC));
    if (!tensor) {
        return;
    }
    const Buffer *b = &c->k->bufs.p[site_ref(s, s->element ? 0 : param)->buf];
    if (b->span.file != 0 && b->role == BUF_LIST) {
        diag_note(c->k->unit, d, b->span, "%s is in '%s', the addresses of %lld arrays",
                  site_param_name(s, s->element ? 0 : param),
                  sym_text(&c->k->unit->names, b->name), (long long)b->elems);
    } else if (b->span.file != 0 && b->dynamic) {
        diag_note(c->k->unit, d, b->span,
                  "%s is in '%s' in %s, whose size is known only at run time",
                  site_param_name(s, s->element ? 0 : param),
                  sym_text(&c->k->unit->names, b->name), scope_name(b->scope));
    } else if (b->span.file != 0) {
        diag_note(c->k->unit, d, b->span,
                  "%s is in '%s': %lld %s elements, %lld bytes, in %s",
                  site_param_name(s, s->element ? 0 : param),
                  sym_text(&c->k->unit->names, b->name), (long long)b->elems,
                  dtype_name(b->dtype), (long long)b->bytes, scope_name(b->scope));
    }
}

/* Returns text such as "i = 3, j = 0". */
static const char *
iteration_text(const CheckWalk *w, const Witness *wit, Arena *arena)
{
    Text t;
    text_init(&t, arena);
    text_put(&t, "");
    for (uint32_t i = 0; wit->values && i < w->frames.n; i++) {
        VarId v = w->frames.p[i].var;
        if (v != 0) {
            w->vars[v] = wit->values[i];
            ir_var_text(w->k, v, w->vars, &t);
        }
    }
    return t.n ? t.p : "";
}

/* goes_on: the rule can be checked at run time instead. */
static void
report(Checker *c, const CheckWalk *w, const Site *s, const Witness *wit, bool goes_on)
{
    c->remarked = true;
    Unit *u = c->k->unit;
    const Stmt *st = &c->k->stmts.p[s->stmt];
    const Fault *f = &wit->fault;
    const char *at = iteration_text(w, wit, &u->arena);
    DiagId id = diag_of_rule(f->rule);
    Span span = f->rule == RULE_NOT_ON_ARCH ? check_name_span(u, st, s)
                                            : ir_arg_span(c->k, st, f->param);
    const char *text =
        arena_printf(&u->arena, "%s%s%s%s", at[0] ? "at " : "", at, at[0] ? ", " : "",
                     wording_of_call(c->k, st, f->text));
    Diag *d = goes_on ? diag_allowable(u, id, span, st->chain, "%s", text)
                      : diag_add(u, id, span, st->chain, "%s", text);
    if (!rule_table[f->rule].warning) {
        note_tensor(c, d, s, f->param);
    }
    check_help(u, d, s, w, wit);
}

typedef struct WarnCtx {
    Checker *c;
    const CheckWalk *w;
    const Site *s;
} WarnCtx;

/* A warning about a correct instruction is no reason to stop, even where its rule is an
 * error. */
static void
report_warning(void *ctx, const Fault *f)
{
    const WarnCtx *x = ctx;
    Witness wit = {.fault = *f};
    report(x->c, x->w, x->s, &wit, true);
}

static bool
is_tensor(const Site *s, int param)
{
    return s->element || s->params[param].role == ROLE_DST ||
           s->params[param].role == ROLE_SRC;
}

/* Returns the instruction as it certainly executes once, with tensors starting as late as
 * they ever do. */
static CheckInstr
latest(const CheckWalk *w, const Site *s)
{
    CheckInstr in = s->in;
    Nest nest = check_walk_nest(w);
    int64_t largest;
    for (int p = 0; !s->constant && p < s->nparams; p++) {
        if (is_tensor(s, p) && !ir_is_const(s->k, site_expr(s, p, 0)) &&
            witness_largest(&w->env, &nest, site_expr(s, p, 0), &largest)) {
            in.args[p].t.offset = largest;
        }
    }
    return in;
}

/* True for the move that an InputScalar brings with it: it reads a whole block, and the
 * program did not write it. */
static bool
is_fetch(const Kernel *k, const Stmt *s)
{
    if (s->kind != ST_INSTR || s->instr.op != OP_DATA_MOVE) {
        return false;
    }
    const Arg *src = &k->args.p[s->instr.arg + 1];
    Span declared = src->kind == ARG_REF ? k->bufs.p[src->ref.buf].span : (Span){0};
    return declared.file == s->span.file && declared.begin == s->span.begin &&
           declared.end == s->span.end;
}

/* An access of bytes beyond the data is allowed but deserves a remark: a warning if it
 * writes to global memory, where the bytes go nowhere. */
static void
warn_tail(Checker *c, const CheckWalk *w, const Site *s, const CheckInstr *last,
          CheckStep step)
{
    CheckInstr in = *last;
    const CheckTensor *t = &last->args[step.param].t;
    bool writes = s->element ? s->k->stmts.p[s->stmt].kind == ST_STORE
                             : s->params[step.param].role == ROLE_DST;
    Witness wit = {.values = NULL};
    const Buffer *b = &s->k->bufs.p[site_ref(s, s->element ? 0 : step.param)->buf];
    /* the size as declared; the buffer may have grown */
    in.args[step.param].t.bytes = b->bytes;
    if (b->grown > 0 && !check_step(&in, step, &wit.fault)) {
        report(c, w, s, &wit, true);
        return;
    }
    in.args[step.param].t.exact = true;
    if (t->open || t->items > 0 || check_step(&in, step, &wit.fault) ||
        !check_step(last, step, &(Fault){.rule = RULE_NONE})) {
        return;
    }
    c->remarked = true;
    if (writes && t->scope == SC_GM) {
        wit.fault.rule = RULE_GM_TAIL_WRITE;
        report(c, w, s, &wit, false);
        return;
    }
    const Stmt *stmt = &s->k->stmts.p[s->stmt];
    if (!is_fetch(s->k, stmt)) {
        diag_add(c->k->unit, D_BLOCK_TAIL, ir_arg_span(c->k, stmt, step.param),
                 stmt->chain, "%s", wit.fault.text);
    }
}

/* True if the access is known not to reach beyond the data of an argument. */
static bool
stays_inside(const CheckWalk *w, const Site *s, CheckStep step)
{
    Site exact = *s;
    exact.in.args[step.param].t.exact = true;
    return w->env.dead || (!check_is_open(&s->in.args[step.param].t) &&
                           prove_step(&w->env, &exact, step));
}

/* A number of repeats or bursts may be 0, and then nothing happens: the warning is given
 * where it is always 0. */
static void
warn_empty(WarnCtx *x)
{
    /* of repeats: the check at run time warns itself */
    bool run_warns = check_has_run_warnings(x->s->in.op);
    for (int i = 0; i < x->s->nparams; i++) {
        bool counts = x->s->params[i].role == ROLE_REPEAT
                          ? !run_warns
                          : check_least(&x->s->in, i) < x->s->params[i].lo;
        if (x->s->in.args[i].literal || !counts) {
            continue;
        }
        Interval r = env_range(&x->w->env, site_expr(x->s, i, 0));
        Fault f = {.rule = RULE_NOP, .param = i, .lo = 1, .hi = x->s->params[i].hi};
        if (r.lo == 0 && r.hi == 0) {
            snprintf(f.text, sizeof f.text, "%s is 0: %s does nothing",
                     x->s->params[i].name, op_method(x->s->in.op));
            report_warning(x, &f);
        }
    }
}

static int
param_named(const Site *s, const char *name)
{
    for (int i = 0; i < s->nparams; i++) {
        if (strcmp(s->params[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static bool
is_number(const Site *s, int param, int64_t *v)
{
    if (param < 0 || site_exprs(s, param) != 1 ||
        !ir_is_const(s->k, site_expr(s, param, 0))) {
        return false;
    }
    *v = s->in.args[param].v;
    return true;
}

/* True if the destination is read as well, from the same place: the instruction
 * accumulates. */
static bool
accumulates(const Site *s, int dst)
{
    const Ref *d = site_ref(s, dst);
    bool same = false;
    for (int i = 0; i < s->nparams; i++) {
        same = same || (s->params[i].role == ROLE_SRC && site_ref(s, i)->buf == d->buf);
    }
    return same;
}

/* Warns where each repeat writes the bytes that the previous one wrote. Where strides are
 * gaps, 0 does not mean that. */
static void
warn_repeat_stride(Checker *c, const Site *s)
{
    int64_t repeats, stride, unit = 0;
    int dst = param_named(s, "dst"), at = param_named(s, "dst_rep_stride");
    const Stmt *st = &s->k->stmts.p[s->stmt];
    if (dst < 0 || !is_number(s, at, &stride) || stride != 0 ||
        !is_number(s, param_named(s, "repeat_times"), &repeats) || repeats < 2 ||
        s->params[dst].role != ROLE_DST || accumulates(s, dst) ||
        (is_number(s, param_named(s, "stride_unit"), &unit) && unit != 0)) {
        return;
    }
    c->remarked = true;
    diag_add(s->k->unit, D_REPEAT_STRIDE_0, ir_arg_span(s->k, st, at), st->chain,
             "dst_rep_stride is 0 with %lld repeats: each writes over the one before",
             (long long)repeats);
}

/* True if a search found an execution in which the move overlaps itself; for constants
 * the numbers alone decide. */
static bool
finds_overlap(const CheckWalk *w, const Site *s, int step, Witness *out)
{
    bool open[MAX_CHECK_STEPS] = {false};
    Witness wits[MAX_CHECK_STEPS];
    int64_t budget = MIN(w->budget, OVERLAP_BUDGET);
    Nest nest = check_walk_nest(w);
    open[step] = true;
    witness_find(&w->env, s, &nest, open, wits, &budget);
    *out = wits[step];
    return out->verdict == VERDICT_BROKEN;
}

/* Warns of a move whose source and destination overlap: the reading D12=error refuses
 * it. Under the others the result is defined, so only an overlap that is certain is
 * reported. */
static void
warn_overlap(WarnCtx *x)
{
    Choices strict = {.v[CHOICE_OVERLAPPING_MOVE] = CHOSE_OVERLAPPING_MOVE_ERROR};
    Site s = *x->s;
    int i = 0;
    while (i < s.nsteps && s.steps[i].kind != CHECK_OVERLAP) {
        i++;
    }
    if (op_table[s.in.op].form != FORM_MOVE || i == s.nsteps ||
        site_ref(&s, 0)->buf != site_ref(&s, s.steps[i].param)->buf) {
        return;
    }
    s.in.choices = &strict;
    Witness wit = {.values = NULL};
    bool overlaps = s.constant ? !check_step(&s.in, s.steps[i], &wit.fault)
                               : !prove_step(&x->w->env, &s, s.steps[i]) &&
                                     finds_overlap(x->w, &s, i, &wit);
    if (overlaps) {
        wit.fault.rule = RULE_OVERLAP;
        report(x->c, x->w, &s, &wit, true);
    }
}

/* Gives the warnings about constants, and about the last iteration that is certain. */
static void
warn(Checker *c, const CheckWalk *w, const Site *s)
{
    WarnCtx x = {c, w, s};
    if (w->env.dead) {
        return;
    }
    CheckInstr in = latest(w, s);
    for (int i = 0; i < s->nsteps; i++) {
        if (s->steps[i].kind == CHECK_BOUNDS) {
            warn_tail(c, w, s, &in, s->steps[i]);
        }
    }
    if (!s->element) {
        warn_empty(&x);
        warn_repeat_stride(c, s);
        warn_overlap(&x);
        check_warnings(&in, report_warning, &x);
    }
}

static void
note_inside(Checker *c, const CheckWalk *w, const Site *s)
{
    for (int i = 0; i < s->nsteps; i++) {
        if (s->steps[i].kind != CHECK_BOUNDS) {
            continue;
        }
        const CheckTensor *t = &s->in.args[s->steps[i].param].t;
        Buffer *b = &c->k->bufs.p[t->buffer];
        bool asked = b->inside || c->memo.n > 0; /* the memo wants to know, too */
        bool inside =
            t->scope != SC_GM || t->exact || (asked && stays_inside(w, s, s->steps[i]));
        b->inside = b->inside && inside;
        c->outside |= (uint64_t)!inside << s->steps[i].param;
    }
}

/* ---- events -------------------------------------------------------------- */

static bool
on_known(void *ctx, const CheckWalk *w, StmtId id)
{
    Checker *c = ctx;
    Stmt *s = &c->k->stmts.p[id];
    const MemoEntry *e = memo_find(&c->memo, w, id);
    c->remarked = false;
    if (!e) {
        return false;
    }
    for (int i = 0; e->outside >> i; i++) {
        const Ref *r = s->kind == ST_LOAD ? &s->load.ref
                       : s->kind == ST_STORE
                           ? &s->store.ref
                           : &c->k->args.p[s->instr.arg + (uint32_t)i].ref;
        if (e->outside >> i & 1) {
            c->k->bufs.p[r->buf].inside = false;
        }
    }
    c->proofs[ANSWER_PROVED] += e->steps;
    s->proof = PROOF_PROVED;
    return true;
}

static void
on_broken(void *ctx, const CheckWalk *w, const Site *s, const Fault *f)
{
    Checker *c = ctx;
    Witness wit = {.fault = *f};
    c->proofs[ANSWER_REFUTED]++;
    report(c, w, s, &wit, false);
}

/* True for a broken rule that the user allows to break: both back ends check it again. */
static bool
is_allowed(const Site *s, const Fault *f)
{
    const Stmt *st = &s->k->stmts.p[s->stmt];
    return diag_allowed(s->k->unit, diag_of_rule(f->rule),
                        ir_arg_span(s->k, st, f->param), st->chain);
}

/* Reports what is left to run time but is a fault there whenever it executes. */
static void
report_doomed(Checker *c, const Site *s, int step, const Witness *wit)
{
    const Stmt *st = &c->k->stmts.p[s->stmt];
    bool *operand = &c->operands[s->steps[step].param];
    if (!*operand) {
        Diag *d = diag_add(c->k->unit, D_FAULTS_IF_REACHED,
                           ir_arg_span(c->k, st, wit->fault.param), st->chain, "%s",
                           wit->fault.text);
        note_tensor(c, d, s, wit->fault.param);
    }
    *operand = c->failed = true;
}

/* True for memories whose tensors the allocate pass places one by one. */
static bool
can_grow(const Kernel *k, const Buffer *b)
{
    return !k->no_growth && b->scope != SC_GM && b->scope != SC_LMEM &&
           b->scope != SC_SREG && b->scope != SC_VREG && !b->dynamic;
}

/* An access is proved to leave an on-core tensor, and the user allows that: the
 * allocation is made larger, so that the access overlaps nothing else. It grows up to the
 * furthest byte that the access can reach, or as far as it is known to go where the
 * memory has no room for that. Returns whether the access is proved now. */
static bool
grow(Checker *c, const CheckWalk *w, const Site *s, CheckStep step, const Fault *f)
{
    if (f->rule != RULE_TENSOR_OVERFLOW || f->value < 0 || f->param != step.param) {
        return false;
    }
    Buffer *b = &c->k->bufs.p[site_ref(s, s->element ? 0 : step.param)->buf];
    int64_t end;
    b->beyond = true;
    if (!can_grow(c->k, b)) {
        return false;
    }
    if (!prove_end(&w->env, s, step.param, &end) || end > c->k->soc->bytes[b->scope]) {
        end = f->value;
    }
    b->grown = MAX(b->grown, end - b->bytes);
    Site larger = *s;
    larger.in.args[step.param].t.bytes = ir_bytes(b);
    return prove_step(&w->env, &larger, step);
}

static void
on_answered(void *ctx, const CheckWalk *w, const Site *s, int step, Answer a,
            const Witness *wit)
{
    Checker *c = ctx;
    if (a == ANSWER_RUNTIME && wit->doomed) {
        report_doomed(c, s, step, wit);
    }
    if (a == ANSWER_REFUTED && is_allowed(s, &wit->fault)) {
        report(c, w, s, wit, true);
        c->allowed = true;
        bool proved = grow(c, w, s, s->steps[step], &wit->fault);
        a = proved ? ANSWER_PROVED : ANSWER_RUNTIME;
    }
    c->proofs[a]++;
    if (a == ANSWER_RUNTIME) {
        c->open[c->nopen++] =
            (Obligation){site_rule(s, s->steps[step]), s->steps[step].param};
    }
    if (a != ANSWER_REFUTED) {
        return;
    }
    bool *operand = &c->operands[s->steps[step].param];
    bool *rule = &c->rules[wit->fault.rule];
    if (!*operand && !*rule) {
        report(c, w, s, wit, false);
    }
    *operand = *rule = c->failed = true;
}

/* With --require-proofs: one diagnostic for an instruction, with a note for each rule. */
static void
report_unproved(Checker *c, const Site *s)
{
    Unit *u = c->k->unit;
    const Stmt *st = &c->k->stmts.p[s->stmt];
    const char *name = s->element ? "the access of an element" : op_method(s->in.op);
    Diag *d = diag_allowable(u, D_UNPROVED, st->span, st->chain,
                             "%s leaves %d rule%s to run time", name, c->nopen,
                             c->nopen == 1 ? "" : "s");
    for (int i = 0; i < c->nopen; i++) {
        int param = c->open[i].param;
        diag_note(u, d, ir_arg_span(c->k, st, param), "not proved: %s%s%s: %s",
                  rule_table[c->open[i].rule].name, param >= 0 ? " of " : "",
                  param >= 0 ? site_param_name(s, param) : "",
                  rule_table[c->open[i].rule].rule);
    }
    c->unproved += d->level == LEVEL_ERROR;
}

static void
on_done(void *ctx, const CheckWalk *w, const Site *s, bool proved)
{
    Checker *c = ctx;
    c->k->stmts.p[s->stmt].proof = proved ? PROOF_PROVED : PROOF_RUNTIME;
    if (c->nopen > 0 && c->k->unit->opt.severity.require_proofs) {
        report_unproved(c, s);
    }
    c->nopen = 0;
    /* after this remark its numbers deserve no further warning */
    bool allowed = c->allowed;
    c->allowed = false;
    c->outside = 0;
    note_inside(c, w, s);
    if (!c->failed && !allowed) {
        warn(c, w, s);
    } else if (c->failed) {
        memset(c->operands, 0, sizeof c->operands);
        memset(c->rules, 0, sizeof c->rules);
        c->failed = false;
    }
    if (proved && !c->remarked && !w->searched) {
        memo_keep(&c->memo, s->nsteps, c->outside);
    }
}

bool
pass_check(Kernel *k)
{
    Checker c = {.k = k};
    for (BufId b = 1; b < k->bufs.n; b++) {
        k->bufs.p[b].inside = true;
        k->bufs.p[b].grown = 0;
        k->bufs.p[b].beyond = false;
    }
    for (StmtId s = 1; s < k->stmts.n; s++) {
        /* a proof that the text of a kernel claims is not trusted */
        k->stmts.p[s].proof = PROOF_NONE;
    }
    CheckEvents events = {&c, on_known, on_broken, on_answered, on_done};
    memo_init(&c.memo, &c.scratch);
    check_walk(k, &events);
    arena_free(&c.scratch);
    k->unit->unproved -= k->proofs[2]; /* the count of an earlier run is taken back */
    k->proofs[0] = c.proofs[ANSWER_PROVED];
    k->proofs[1] = c.proofs[ANSWER_REFUTED];
    k->proofs[2] = c.proofs[ANSWER_RUNTIME];
    k->unit->unproved += k->proofs[2];
    return k->proofs[1] == 0 && c.unproved == 0;
}

/* ---- lists of obligations ------------------------------------------------ */

typedef struct Visit {
    CheckVisit *visit;
    void *ctx;
} Visit;

static void
visit(const Visit *v, const Site *s, int param, Rule rule, Answer a)
{
    v->visit(v->ctx, s->stmt, param, param >= 0 ? site_param_name(s, param) : "", rule,
             a);
}

static void
visit_broken(void *ctx, const CheckWalk *w, const Site *s, const Fault *f)
{
    (void)w;
    visit(ctx, s, f->param, f->rule, ANSWER_REFUTED);
}

static void
visit_answered(void *ctx, const CheckWalk *w, const Site *s, int step, Answer a,
               const Witness *wit)
{
    (void)w;
    bool allowed = a == ANSWER_REFUTED && is_allowed(s, &wit->fault);
    visit(ctx, s, s->steps[step].param, site_rule(s, s->steps[step]),
          allowed ? ANSWER_RUNTIME : a);
}

static void
visit_done(void *ctx, const CheckWalk *w, const Site *s, bool proved)
{
    (void)ctx;
    (void)w;
    (void)s;
    (void)proved;
}

void
check_visit(const Kernel *k, CheckVisit *visitor, void *ctx)
{
    Visit v = {visitor, ctx};
    CheckEvents events = {&v, NULL, visit_broken, visit_answered, visit_done};
    check_walk(k, &events);
}

typedef struct Explain {
    const Kernel *k;
    Text *out;
} Explain;

static void
put_obligation(void *ctx, StmtId stmt, int param, const char *operand, Rule rule,
               Answer a)
{
    const Explain *x = ctx;
    Unit *u = x->k->unit;
    const Stmt *s = &x->k->stmts.p[stmt];
    if (a == ANSWER_PROVED) {
        return;
    }
    Span span = ir_arg_span(x->k, s, param);
    Source *src = &u->sources.p[span.file];
    LineCol at = source_line_col(&u->arena, src, span.begin);
    text_printf(x->out, "  %s:%u:%u: %s: %s%s%s: %s\n", src->path, at.line, at.column,
                s->kind == ST_INSTR ? op_method(s->instr.op) : "element access",
                rule_table[rule].name, *operand ? " of " : "", operand,
                a == ANSWER_REFUTED ? "refuted" : "checked at run time");
}

void
check_explain(const Kernel *k, Text *out)
{
    Explain x = {k, out};
    check_visit(k, put_obligation, &x);
}
