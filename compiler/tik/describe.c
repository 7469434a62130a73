/* describe.c: see describe.h. */
#include "tik/describe.h"
#include "tik/expr.h"
#include "tik/tensor.h"

#include <string.h>

static void put_expr(const Kernel *k, ExprId id, Text *out);

/* Puts an operation; a conversion has the name of its type. */
static void
put_operation(const Kernel *k, const Expr *e, Text *out)
{
    const ScalarOpInfo *op = &scalar_op_table[e->op];
    if (e->op == SOP_CAST || e->op == SOP_BITS) {
        text_printf(out, "%s(", dtype_name((Dtype)e->dtype));
    } else {
        text_printf(out, "(%s", op->arity == 1 ? op->symbol : "");
    }
    put_expr(k, e->a, out);
    if (op->arity == 2) {
        text_printf(out, " %s ", op->symbol);
        put_expr(k, e->b, out);
    }
    text_putc(out, ')');
}

/* Puts an expression with the program's names. */
static void
put_expr(const Kernel *k, ExprId id, Text *out)
{
    const Expr *e = ir_expr(k, id);
    switch ((ExprKind)e->kind) {
    case EX_REG:
        text_put(out, sym_text(&k->unit->names, k->regs.p[e->a].name));
        break;
    case EX_VAR:
        text_put(out, ir_var_label(k, e->a));
        break;
    case EX_OP:
        put_operation(k, e, out);
        break;
    case EX_CONST:
        if (dtype_is_float((Dtype)e->dtype)) {
            ir_print_expr(k, id, out);
        } else {
            text_printf(out, "%lld", (long long)e->imm);
        }
        break;
    case EX_NONE:
        break;
    }
}

static void
put_tensor(Interp *in, const View *v, Text *out)
{
    const Root *r = v->root;
    const Kernel *k = r->c->k;
    text_printf(out, "%s %s (", tik_dtype_name(v), v->element ? "element" : "tensor");
    for (int i = 0; i < v->ndim; i++) {
        text_put(out, i ? ", " : "");
        put_expr(k, v->dim[i].len, out);
    }
    text_printf(out, "%s) in %s", v->ndim == 1 ? "," : "", scope_name(r->mem));
    bool whole = ir_is_const(k, v->off) && ir_expr(k, v->off)->imm == 0;
    if (!whole || v->sliced) {
        text_put(out, ", from byte ");
        put_expr(k, v->off, out);
        text_printf(out, " of '%s'", tik_sym(in, r->name));
    }
}

/* Describes an object of the module tik. */
static void
describe_object(Interp *in, Value v, NameFact *f, Text *out)
{
    if (tik_is(v, &tik_tensor_class)) {
        f->kind = FACT_TENSOR;
        f->root = ((View *)v.obj)->root;
        put_tensor(in, (View *)v.obj, out);
    } else if (tik_is_runtime(v)) {
        const ExprObj *o = tik_runtime(v);
        bool scalar = tik_is(v, &tik_scalar_class);
        f->kind = scalar ? FACT_SCALAR : FACT_EXPR;
        text_printf(out, "%s %s", dtype_name((Dtype)ir_expr(o->c->k, o->e)->dtype),
                    scalar ? "Scalar" : "Expr: ");
        if (!scalar) {
            put_expr(o->c->k, o->e, out);
        }
    } else if (tik_is(v, &tik_container_class)) {
        f->kind = FACT_CONTAINER;
        text_printf(out, "Tik container for %s", ((Tik *)v.obj)->k->soc->name);
    } else {
        f->kind = FACT_OTHER;
        text_put(out, val_type_name(v));
    }
}

enum {
    MOST_TEXT = 120 /* bytes of a value that are shown */
};

static void
describe_value(Interp *in, const NameWatch *w, Value v, NameFact *f, Text *out)
{
    f->kind = FACT_VALUE;
    f->made = watch_definition(w, in->u, v);
    const char *type = val_type_name(v);
    if (v.kind == VAL_FUNC || v.kind == VAL_BOUND || v.kind == VAL_CLASS ||
        v.kind == VAL_MODULE) {
        Value tik = py_module(in, "tik");
        f->kind = v.kind == VAL_MODULE && v.module == tik.module ? FACT_TIK : FACT_VALUE;
        text_put(out, type);
        return;
    }
    text_printf(out, "%s: ", type);
    const char *shown = val_repr(in, v);
    size_t n = strlen(shown);
    size_t most = n;
    if (n > MOST_TEXT) {
        most = MOST_TEXT;
        while (most > 0 && ((unsigned char)shown[most] & 0xc0) == 0x80) {
            most--; /* not inside a character */
        }
    }
    text_putn(out, shown, most);
    text_put(out, most < n ? "..." : "");
}

void
describe_names(Interp *in, const NameWatch *w, NameFacts *out)
{
    Unit *u = in->u;
    for (uint32_t i = 0; i < w->entries.n; i++) {
        const WatchEntry *e = &w->entries.p[i];
        Value v = e->v;
        NameFact f = {e->at, e->name, e->attribute, e->times, FACT_VALUE, "", {0}, NULL};
        Text t;
        if (val_failed(v)) {
            continue;
        }
        text_init(&t, &u->arena);
        if (v.kind == VAL_OBJECT) {
            describe_object(in, v, &f, &t);
        } else {
            describe_value(in, w, v, &f, &t);
        }
        f.text = t.n ? t.p : "";
        VEC_PUSH(&u->arena, &out->all, f);
    }
}

BufId
describe_buffer(const NameFact *f, const Kernel **k)
{
    *k = f->root ? f->root->c->k : NULL;
    return *k ? f->root->buf : 0;
}

Span
describe_made(const NameFact *f)
{
    return f->root ? f->root->span : f->made;
}
