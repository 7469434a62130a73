/* foreign.c: see foreign.h. */
#include "python/foreign.h"

#include "python/resolve.h"

typedef struct Foreign {
    Object base;
    const ForeignHost *host;
    int64_t number;
} Foreign;

/* The exception that the code in between sees; the program has its own. */
static Value
raised(Interp *in, Span span)
{
    return py_raise(in, "Exception", span, "the program raised an exception");
}

static Value
foreign_call(Interp *in, Object *self, const CallArgs *args)
{
    const Foreign *f = (const Foreign *)self;
    Value v =
        f->host->hook ? f->host->hook(f->host->ctx, f->number, 0, args) : val_fail();
    return val_failed(v) && !module_failed(in) ? raised(in, args->span) : v;
}

static Value
foreign_attr(Interp *in, Object *self, Sym name, Span span, bool *found)
{
    const Foreign *f = (const Foreign *)self;
    CallArgs none = {.span = span};
    (void)in;
    Value v =
        f->host->hook ? f->host->hook(f->host->ctx, f->number, name, &none) : val_fail();
    *found = !val_failed(v);
    return v;
}

static const ObjectClass foreign_class = {
    .name = "function",
    .get_attr = foreign_attr,
    .set_attr = hidden_set_attr,
    .call = foreign_call,
};

Value
foreign_value(Interp *in, const ForeignHost *host, int64_t number)
{
    Foreign *f = ARENA_NEW(core_arena(in), Foreign);
    f->base.cls = &foreign_class;
    f->host = host;
    f->number = number;
    return val_object(&f->base);
}

bool
foreign_number(Value v, int64_t *number)
{
    bool is = v.kind == VAL_OBJECT && v.obj->cls == &foreign_class;
    *number = is ? ((const Foreign *)v.obj)->number : 0;
    return is;
}

bool
foreign_begin(Interp *in, uint32_t main)
{
    ModuleVal *module = py_module(in, "__main__").module;
    Ast *tree = meter_parse(in, main, false);
    const Locals *loc = tree ? resolve_tree(in, module, tree) : NULL;
    if (!loc) {
        return false;
    }
    Frame *f = ARENA_NEW(core_arena(in), Frame);
    f->module = module;
    f->loc = loc;
    in->frame = f;
    in->core->guards = 1; /* whether the program catches an exception is not known */
    return true;
}

bool
foreign_enter(Interp *in, Value manager, Sym name, Span span, Value *result)
{
    uint32_t hint = 0;
    *result = val_none();
    if (manager.kind != VAL_OBJECT || !manager.obj->cls->enter) {
        *result = attr_call(in, manager, in->core->sym.enter, CALL_ARGS(NULL, 0, span),
                            span, &hint);
        return !val_failed(*result);
    }
    TRY(manager.obj->cls->enter(in, manager.obj, span, result));
    if (name && manager.obj->cls->named) {
        manager.obj->cls->named(manager.obj, name);
    }
    return true;
}

bool
foreign_leave(Interp *in, Value manager, Span span, bool failed)
{
    if (manager.kind == VAL_OBJECT && manager.obj->cls->enter) {
        return !manager.obj->cls->leave ||
               manager.obj->cls->leave(in, manager.obj, span, failed);
    }
    uint32_t hint = 0;
    Value args[3] = {val_none(), val_none(), val_none()};
    if (failed) { /* its class is the program's own */
        args[0] =
            attrs_get(&in->core->builtins->attrs, intern(&in->u->names, "Exception"));
    }
    return !val_failed(attr_call(in, manager, in->core->sym.exit,
                                 CALL_ARGS(args, 3, span), span, &hint));
}

bool
foreign_names(Interp *in, Value module, Span span, Value list)
{
    const ModuleVal *m = module.module;
    if (m->kind == MODULE_PROVIDED) {
        Value all = module_provided(in, span);
        if (val_failed(all)) {
            return false;
        }
        m = all.module;
    }
    for (uint32_t i = 0; i < m->attrs.n; i++) {
        const Attr *a = &m->attrs.p[i];
        if (!val_failed(a->v) && sym_text(&in->u->names, a->name)[0] != '_') {
            TRY(list_push(in, list, val_str_sym(in, a->name)));
        }
    }
    return true;
}
