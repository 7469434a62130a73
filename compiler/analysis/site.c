/* site.c: converts instructions for the numeric checker (see site.h). */
#include "analysis/site.h"

static const Arg *
arg_of(const Site *s, int param)
{
    return &s->k->args.p[s->k->stmts.p[s->stmt].instr.arg + (uint32_t)param];
}

const Ref *
site_ref(const Site *s, int param)
{
    const Stmt *st = &s->k->stmts.p[s->stmt];
    return s->element ? (st->kind == ST_LOAD ? &st->load.ref : &st->store.ref)
                      : &arg_of(s, param)->ref;
}

static bool
is_tensor(const Site *s, int param)
{
    return s->element || s->params[param].role == ROLE_DST ||
           s->params[param].role == ROLE_SRC || s->params[param].role == ROLE_ROOT;
}

int
site_exprs(const Site *s, int param)
{
    if (is_tensor(s, param)) {
        return 1;
    }
    switch (s->params[param].role) {
    case ROLE_MASK:
        return mask_words(arg_of(s, param)->mask_form);
    case ROLE_MASKMODE:
        return 0;
    default:
        return 1;
    }
}

ExprId
site_expr(const Site *s, int param, int i)
{
    if (is_tensor(s, param)) {
        return site_ref(s, param)->off;
    }
    const Arg *a = arg_of(s, param);
    return s->params[param].role == ROLE_MASK ? a->mask[i] : a->expr;
}

void
site_put(const Site *s, CheckInstr *in, int param, int i, int64_t v)
{
    if (is_tensor(s, param)) {
        in->args[param].t.offset = v;
    } else if (s->params[param].role == ROLE_MASK) {
        in->args[param].m.w[i] = (uint64_t)v;
    } else {
        in->args[param].v = v;
    }
}

static void
fill_tensor(Site *s, int param)
{
    const Ref *r = site_ref(s, param);
    s->in.args[param].t = ir_check_tensor(s->k, r);
    s->constant = s->constant && !s->in.args[param].t.open;
}

static void
fill_param(Site *s, int param)
{
    if (is_tensor(s, param)) {
        fill_tensor(s, param);
    } else if (s->params[param].role == ROLE_MASK) {
        s->in.args[param].m.form = arg_of(s, param)->mask_form;
    }
    for (int i = 0; i < site_exprs(s, param); i++) {
        const Expr *e = ir_expr(s->k, site_expr(s, param, i));
        if (e->kind == EX_CONST) {
            site_put(s, &s->in, param, i, e->imm);
            s->in.args[param].literal = true;
        } else {
            s->constant = false;
        }
    }
}

bool
site_init(Site *s, const Kernel *k, StmtId stmt)
{
    const Stmt *st = &k->stmts.p[stmt];
    bool element = st->kind == ST_LOAD || st->kind == ST_STORE;
    if (!element && st->kind != ST_INSTR) {
        return false;
    }
    s->k = k;
    s->stmt = stmt;
    s->element = element;
    s->constant = true;
    s->in.soc = k->soc;
    s->in.choices = k->choices;
    if (element) {
        s->params = NULL;
        s->nparams = 1;
        check_begin(&s->in, OP_COUNT, 1);
        s->nsteps = 2;
        s->steps[0] = (CheckStep){CHECK_ALIGN, 0};
        s->steps[1] = (CheckStep){CHECK_BOUNDS, 0};
    } else {
        s->params = form_params(op_table[st->instr.op].form, &s->nparams);
        check_begin(&s->in, st->instr.op, s->nparams);
        s->nsteps = check_steps(s->in.op, s->steps);
    }
    for (int i = 0; i < s->nparams; i++) {
        fill_param(s, i);
    }
    return true;
}

bool
site_eval(const Site *s, const int64_t *vars, CheckInstr *in)
{
    for (int p = 0; p < s->nparams; p++) {
        for (int i = 0; i < site_exprs(s, p); i++) {
            ExprId e = site_expr(s, p, i);
            int64_t v;
            if (ir_is_const(s->k, e)) {
                continue;
            }
            if (!ir_eval(s->k, e, vars, &v)) {
                return false;
            }
            site_put(s, in, p, i, v);
        }
    }
    return true;
}

const char *
site_param_name(const Site *s, int param)
{
    return s->element ? "element" : s->params[param].name;
}

Rule
site_rule(const Site *s, CheckStep step)
{
    switch (step.kind) {
    case CHECK_ALIGN:
        return RULE_ADDRESS_ALIGN;
    case CHECK_MASK:
    case CHECK_RANGE:
        return s->params[step.param].rule;
    case CHECK_SCALAR:
        return RULE_SCALAR_RANGE;
    case CHECK_VALUE:
        return check_value_rule(s->in.op, step.param);
    case CHECK_BOUNDS:
        return s->element ? RULE_TENSOR_OVERFLOW
                          : check_bounds_rule(s->in.op, step.param);
    case CHECK_OVERLAP:
        return check_overlap_rule(s->in.op, step.param);
    }
    UNREACHABLE();
}
