/* refused.c: container methods that TIK has and this version does not compile. Each gives
 * one error, at its first call, with the number of calls; the program goes on after it,
 * so that one run reports all of them and every other error. The kernel is marked
 * incomplete: what the missing statements would have written is not known, so the Scalars
 * that are their arguments hold any value from there on. */
#include "tik/refused.h"
#include "tik/tensor.h"
#include "tik/tik.h"

#include <string.h>

static void
unknown_scalar(Interp *in, Tik *c, ExprObj *o, Span span)
{
    if (!o->reg || !tik_alive(in, c, &o->e, span)) {
        return;
    }
    RegId any = tik_new_reg(in, c, o->name, c->k->regs.p[o->reg].dtype, span);
    Stmt s = {.kind = ST_SET, .set = {o->reg, ir_reg_value(c->k, any)}};
    (void)!tik_emit(in, c, s, span, NULL);
}

static void
unknown_value(Interp *in, Tik *c, Value v, Span span)
{
    Ref ref;
    if (tik_is(v, &tik_scalar_class) && tik_runtime(v)->c == c) {
        unknown_scalar(in, c, tik_runtime(v), span);
    } else if (tik_is(v, &tik_tensor_class) && ((View *)v.obj)->root->c == c) {
        (void)!tik_ref(in, (View *)v.obj, span,
                       &ref); /* reports a scope that has ended */
    }
}

/* An operand is a value or a list of values. */
static void
unknown_operand(Interp *in, Tik *c, Value v, Span span)
{
    bool many = v.kind == VAL_LIST || v.kind == VAL_TUPLE;
    for (uint32_t i = 0; many && i < v.list->n; i++) {
        unknown_value(in, c, v.list->p[i], span);
    }
    if (!many) {
        unknown_value(in, c, v, span);
    }
}

/* Reasons why methods are left out (tik/left.def). */
typedef struct Left {
    const char *names, *reason, *help;
} Left;

static const Left lefts[] = {
#define LEFT(names, reason, help) {names, reason, help},
#include "tik/left.def"
};

/* True if name is one of the names, which blanks separate; a * at the end of one stands
 * for every ending. */
static bool
names_it(const char *names, const char *name)
{
    while (*names) {
        size_t n = strcspn(names, " ");
        bool open = names[n - 1] == '*';
        if (strncmp(names, name, n - open) == 0 && (open || name[n] == 0)) {
            return true;
        }
        names += n + strspn(names + n, " ");
    }
    return false;
}

static const Left *
find_left(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(lefts); i++) {
        if (names_it(lefts[i].names, name)) {
            return &lefts[i];
        }
    }
    return NULL;
}

bool
call_is_refused(const char *name, const char **reason, const char **help)
{
    static const char *const known[] = {
#define KNOWN(name) #name,
#include "tik/known.def"
    };
    const Left *left = find_left(name);
    *reason = left ? left->reason : "";
    *help = left ? left->help : "";
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        if (strcmp(known[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static Diag *
first_call(Interp *in, const char *name, Span span)
{
    Diag *d = py_diag(in, D_NOT_SUPPORTED, span,
                      "'%s' is a TIK method that this version does not compile", name);
    const Left *left = find_left(name);
    if (left) {
        diag_note(in->u, d, (Span){0}, "%s", left->reason);
    }
    if (left && *left->help) {
        diag_help(in->u, d, "%s", left->help);
    }
    return d;
}

/* scope_attr(None, "pragma_...", n) is advice to the original's optimiser and has no
 * effect. */
static bool
is_advice(Interp *in, const char *method, const CallArgs *args)
{
    return strcmp(method, "scope_attr") == 0 && args->npos == 3 && args->nkw == 0 &&
           args->pos[0].kind == VAL_NONE && args->pos[1].kind == VAL_STR &&
           strncmp(val_text_of(in, args->pos[1]), "pragma_", 7) == 0;
}

Value
tik_refuse(Interp *in, Tik *c, int known, const CallArgs *args)
{
    TikState *st = tik_state(in);
    const char *name = tik_method_name(OP_COUNT + TM_COUNT + known);
    if (tik_dropped(c) || is_advice(in, name, args)) {
        return val_none();
    }
    Refused *r = &st->refused[known];
    r->diag = r->diag ? r->diag : first_call(in, name, args->span);
    r->calls++;
    c->k->incomplete = true;
    for (int i = 0; !c->built && i < args->npos; i++) {
        unknown_operand(in, c, args->pos[i], args->span);
    }
    for (int i = 0; !c->built && i < args->nkw; i++) {
        unknown_operand(in, c, args->kwval[i], args->span);
    }
    return val_none();
}

void
tik_refuse_finish(Interp *in)
{
    const TikState *st = tik_state(in);
    for (int i = 0; i < TK_COUNT; i++) {
        const Refused *r = &st->refused[i];
        if (r->calls > 1) {
            diag_note(in->u, r->diag, (Span){0},
                      "the first of %lld calls of '%s' in the program",
                      (long long)r->calls, tik_method_name(OP_COUNT + TM_COUNT + i));
        }
    }
}
