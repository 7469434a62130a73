/* vars.c: values of loop variables during a walk (see vars.h). */
#include "passes/vars.h"

void
vars_init(Vars *v, const Kernel *k, Arena *arena)
{
    *v = (Vars){.k = k, .arena = arena};
    v->value = ARENA_ARRAY(arena, int64_t, k->vars.n);
    v->known = ARENA_ARRAY(arena, bool, k->vars.n);
    v->read = ARENA_ARRAY(arena, bool, k->vars.n);
}

void
vars_set(Vars *v, VarId var, int64_t value)
{
    if (!v->known[var]) {
        VEC_PUSH(v->arena, &v->open, var);
    }
    v->known[var] = true;
    v->value[var] = value;
    v->read[var] = false;
}

void
vars_forget(Vars *v, VarId var)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < v->open.n; i++) {
        if (v->open.p[i] != var) {
            v->open.p[n++] = v->open.p[i];
        }
    }
    v->open.n = n;
    v->known[var] = false;
    v->read[var] = false;
}

/* True if all that the expression reads is known; it notes what it reads. */
static bool
is_known(const Vars *v, ExprId e)
{
    const Expr *x = ir_expr(v->k, e);
    if (x->kind == EX_VAR) {
        v->read[x->a] = true;
        return v->known[x->a];
    }
    if (x->kind != EX_OP) {
        return x->kind == EX_CONST;
    }
    bool a = is_known(v, x->a);
    return (x->b == 0 || is_known(v, x->b)) && a;
}

bool
vars_eval(const Vars *v, ExprId e, int64_t *out)
{
    const Expr *x = ir_expr(v->k, e);
    if (x->kind == EX_CONST) {
        *out = x->imm;
        return true;
    }
    return is_known(v, e) && ir_eval(v->k, e, v->value, out);
}

const VarsShot *
vars_shot(const Vars *v, Arena *arena)
{
    VarsShot *s = arena_alloc(arena, sizeof *s + v->open.n * sizeof s->p[0]);
    s->n = v->open.n;
    for (uint32_t i = 0; i < s->n; i++) {
        s->p[i].var = v->open.p[i];
        s->p[i].value = v->value[v->open.p[i]];
    }
    return s;
}

const char *
vars_text(const Kernel *k, const VarsShot *s, Arena *arena)
{
    Text t;
    text_init(&t, arena);
    text_put(&t, "");
    int64_t *values = ARENA_ARRAY(arena, int64_t, k->vars.n);
    for (uint32_t i = 0; i < s->n; i++) {
        values[s->p[i].var] = s->p[i].value;
        ir_var_text(k, s->p[i].var, values, &t);
    }
    return t.p;
}

const char *
vars_where(const Vars *v, Arena *arena)
{
    Text t;
    const char *text = vars_text(v->k, vars_shot(v, arena), arena);
    text_init(&t, arena);
    text_printf(&t, "%s%s%s", text[0] ? "at " : "", text, text[0] ? ", " : "");
    return t.p;
}
