/* build_func.c: checks parameter lists of functions and lambdas: their kinds, their
 * order, and names that are given twice. It also finds repeated names in other lists. */
#include "syntax/parser.h"

#include <string.h>

/* ---- names that are given twice ------------------------------------------ */

void
names_begin(Parser *p)
{
    p->serial++;
}

bool
names_add(Parser *p, Sym name)
{
    if (name >= p->nmarks) {
        uint32_t n = MAX(p->u->names.n, name + 1) * 2;
        uint32_t *marks = ARENA_ARRAY(p->scratch, uint32_t, n);
        if (p->nmarks) {
            memcpy(marks, p->marks, sizeof(uint32_t) * p->nmarks);
        }
        p->marks = marks;
        p->nmarks = n;
    }
    bool fresh = p->marks[name] != p->serial;
    p->marks[name] = p->serial;
    return fresh;
}

/* ---- the order of parameters --------------------------------------------- */

typedef struct Order {
    Parser *p;
    const AstParam *star;     /* *args or * */
    const AstParam *starstar; /* **kwargs */
    const AstParam *slash;
    const AstParam *dflt; /* first parameter with a default before the star */
} Order;

static Diag *
fault(Order *o, const AstParam *param, const char *text)
{
    return complain(o->p, D_SYNTAX, (Loc){param->span.begin, param->span.end}, "%s",
                    text);
}

static void
check_plain(Order *o, AstParam *param)
{
    if (o->star) {
        param->kind = PARAM_KWONLY;
    } else if (param->dflt) {
        o->dflt = o->dflt ? o->dflt : param;
    } else if (o->dflt) {
        Diag *d = complain(o->p, D_SYNTAX, (Loc){param->span.begin, param->span.end},
                           "the parameter '%s' has no default but follows one that has",
                           sym_text(&o->p->u->names, param->name));
        complain_note(o->p, d, (Loc){o->dflt->span.begin, o->dflt->span.end},
                      "the parameter with a default");
    }
}

static void
check_star(Order *o, AstParam *param)
{
    if (o->star) {
        fault(o, param, "a second '*' in the parameters");
    }
    o->star = param;
    bool named = param->next && param->next->name && param->next->kind != PARAM_STARSTAR;
    if (!param->name && !named) {
        fault(o, param, "a parameter's name follows a bare '*'");
    }
}

static void
check_slash(Order *o, AstParam *param, AstParam *first)
{
    if (o->slash) {
        fault(o, param, "a second '/' in the parameters");
    } else if (o->star) {
        fault(o, param, "'/' must come before '*'");
    } else if (param == first) {
        fault(o, param, "a parameter must come before '/'");
    }
    o->slash = param;
    for (AstParam *x = first; x != param; x = x->next) {
        x->kind = x->kind == PARAM_PLAIN ? PARAM_POSONLY : x->kind;
    }
}

static void
check_param(Order *o, AstParam *param, AstParam *first)
{
    if (o->starstar) {
        fault(o, param, "a parameter follows '**'");
    }
    if (param->name && !names_add(o->p, param->name)) {
        complain(o->p, D_SYNTAX, (Loc){param->span.begin, param->span.end},
                 "the parameter '%s' is given twice",
                 sym_text(&o->p->u->names, param->name));
    }
    switch (param->kind) {
    case PARAM_PLAIN:
    case PARAM_KWONLY:
        check_plain(o, param);
        break;
    case PARAM_STAR:
        check_star(o, param);
        break;
    case PARAM_STARSTAR:
        o->starstar = param;
        break;
    case PARAM_POSONLY:
        check_slash(o, param, first);
        break;
    }
}

AstFunc *
ast_func(Parser *p, ParamList params)
{
    AstFunc *f = ast_alloc(p, sizeof *f);
    Order order = {.p = p};
    names_begin(p);
    f->params = params.first;
    for (AstParam *x = params.first; x; x = x->next) {
        check_param(&order, x, params.first);
        f->nparams++;
    }
    return f;
}
