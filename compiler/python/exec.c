/* exec.c: executes statements: assignment, control flow, with, try. A statement gives a
 * Flow; FLOW_FAIL means that an exception is pending or that a diagnostic ended the
 * evaluation. */
#include "python/resolve.h"
#include "python/watch.h"

#include <string.h>

static Flow exec_stmt(Interp *in, Ast *s);

/* ---- assignment ---------------------------------------------------------- */

static bool
assign_starred(Interp *in, Ast *target, uint32_t before, const List *l)
{
    uint32_t after = 0;
    for (Ast *t = target->list; t; t = t->next) {
        after++;
    }
    after -= before + 1;
    uint32_t i = 0;
    for (Ast *t = target->list; t; t = t->next) {
        if (t->kind != AST_STARRED) {
            TRY(exec_assign(in, t, l->p[i++]));
            continue;
        }
        uint32_t n = l->n - before - after;
        /* An empty list may have no storage, so no pointer is made. */
        TRY(exec_assign(in, t->a, val_list(in, n ? l->p + i : NULL, n)));
        i += n;
    }
    return true;
}

static bool
count_error(Interp *in, Ast *target, uint32_t wanted, bool or_more, Value v)
{
    const char *wants = wanted == 1 ? "" : "s";
    const char *more = or_more ? " or more" : "";
    const char *get = wanted == 1 && !or_more ? "s" : "";
    uint32_t given = v.list->n;
    const char *gives = given == 1 ? "" : "s";
    ExcInfo *x = given < wanted ? error_raise(in, "ValueError", target->span,
                                              "%u target%s%s get%s only %u value%s",
                                              wanted, wants, more, get, given, gives)
                                : error_raise(in, "ValueError", target->span,
                                              "%u target%s%s get%s %u value%s", wanted,
                                              wants, more, get, given, gives);
    x->values = explain_value(in, "the value", v);
    return false;
}

static bool
assign_items(Interp *in, Ast *target, Value v)
{
    uint32_t n = 0;
    uint32_t star = UINT32_MAX;
    bool names = true;
    for (Ast *t = target->list; t; t = t->next, n++) {
        star = t->kind == AST_STARRED ? n : star;
        names = names && t->kind == AST_NAME;
    }
    /* A list may be changed by targets that are no names: then its items are copied. */
    bool direct = v.kind == VAL_TUPLE || (v.kind == VAL_LIST && names);
    Value items = direct ? v : iter_collect(in, VAL_TUPLE, v, target->span);
    if (val_failed(items)) {
        return false;
    }
    Value shown = v.kind == VAL_LIST ? v : items;
    List l = *items.list;
    if (star != UINT32_MAX) {
        return l.n + 1 >= n ? assign_starred(in, target, star, &l)
                            : count_error(in, target, n - 1, true, shown);
    }
    if (l.n != n) {
        return count_error(in, target, n, false, shown);
    }
    uint32_t i = 0;
    for (Ast *t = target->list; t; t = t->next) {
        TRY(exec_assign(in, t, l.p[i++]));
    }
    return true;
}

static bool
assign_index(Interp *in, Ast *t, Value v)
{
    Value container = eval(in, t->a);
    Value key = val_failed(container) ? container : eval(in, t->b);
    return !val_failed(key) && index_set(in, container, key, v, t->span);
}

/* Binds the variable of a loop. */
static inline bool
bind_item(Interp *in, Ast *t, Value v)
{
    if (t->kind == AST_NAME && t->op == PLACE_LOCAL && !in->watch) {
        in->frame->slots[t->slot] = v;
        return true;
    }
    return exec_assign(in, t, v);
}

bool
exec_assign(Interp *in, Ast *t, Value v)
{
    Value object = val_none();
    switch (t->kind) {
    case AST_NAME:
        return eval_bind(in, t, t->name, v);
    case AST_ATTR:
        if (in->watch) {
            watch_note(in->watch, t->span, t->name, true, v);
        }
        object = eval(in, t->a);
        return !val_failed(object) &&
               attr_set_at(in, object, t->name, v, t->span, &t->slot);
    case AST_INDEX:
        return assign_index(in, t, v);
    case AST_TUPLE:
    case AST_LIST:
        return core_stack(in, t->span) && assign_items(in, t, v);
    default:
        error_not_supported(in, t->span, "this cannot be assigned to",
                            "assign to a name, an attribute, an item or a list of them");
        return false;
    }
}

enum {
    MAX_SIDE_BY_SIDE = 4
};

/* Returns the number of targets if as many values are written, as in a, b = b, a; else
 * 0. */
static uint32_t
side_by_side(const Ast *s)
{
    const Ast *t = s->list;
    if (s->b->kind != AST_TUPLE || t->next || t->kind != AST_TUPLE) {
        return 0;
    }
    uint32_t n = 0;
    const Ast *v = s->b->list;
    for (t = t->list; t && v; t = t->next, v = v->next, n++) {
        if (t->kind == AST_STARRED || v->kind == AST_STARRED) {
            return 0;
        }
    }
    return t || v || n > MAX_SIDE_BY_SIDE ? 0 : n;
}

/* Does such an assignment without making the tuple. */
static bool
assign_side_by_side(Interp *in, Ast *s)
{
    Value v[MAX_SIDE_BY_SIDE];
    uint32_t n = 0;
    for (Ast *e = s->b->list; e; e = e->next) {
        v[n] = eval(in, e);
        if (val_failed(v[n++])) {
            return false;
        }
    }
    n = 0;
    for (Ast *t = s->list->list; t; t = t->next) {
        TRY(exec_assign(in, t, v[n++]));
    }
    return true;
}

/* Tells the object that a name has held that the name becomes a number. */
static void
tell_rebound(Interp *in, const Ast *target, const Ast *s, Value v)
{
    bool number = v.kind == VAL_INT || v.kind == VAL_FLOAT || v.kind == VAL_BOOL;
    Value old = number && target->kind == AST_NAME ? eval_held(in, target) : val_none();
    if (old.kind == VAL_OBJECT && old.obj->cls->rebound) {
        old.obj->cls->rebound(in, old.obj, target->name, v, s->span);
    }
}

static bool
exec_assignment(Interp *in, Ast *s)
{
    if (side_by_side(s)) {
        return assign_side_by_side(in, s);
    }
    Value v = eval(in, s->b);
    if (val_failed(v)) {
        return false;
    }
    for (Ast *t = s->list; t; t = t->next) {
        tell_rebound(in, t, s, v);
        TRY(exec_assign(in, t, v));
    }
    return true;
}

static Value
updated(Interp *in, Ast *s, Value old)
{
    if (val_failed(old)) {
        return old;
    }
    Value b = eval(in, s->b);
    return val_failed(b) ? b : eval_update(in, (AstOp)s->op, old, b, s->span);
}

static bool
exec_augmented(Interp *in, Ast *s)
{
    Ast *t = s->a;
    if (t->kind == AST_NAME) {
        Value v = updated(in, s, eval_name(in, t, t->name));
        return !val_failed(v) && eval_bind(in, t, t->name, v);
    }
    if (t->kind != AST_ATTR && t->kind != AST_INDEX) {
        error_not_supported(in, t->span, "this cannot be assigned to",
                            "assign to a name, an attribute, an item or a list of them");
        return false;
    }
    Value object = eval(in, t->a);
    if (val_failed(object)) {
        return false;
    }
    if (t->kind == AST_ATTR) {
        Value v = updated(in, s, attr_get_at(in, object, t->name, t->span, &t->slot));
        return !val_failed(v) && attr_set_at(in, object, t->name, v, t->span, &t->slot);
    }
    Value key = eval(in, t->b);
    Value v = val_failed(key) ? key : updated(in, s, index_get(in, object, key, t->span));
    return !val_failed(v) && index_set(in, object, key, v, t->span);
}

static bool
delete_target(Interp *in, Ast *t)
{
    Value object = val_none();
    Value key = val_none();
    switch (t->kind) {
    case AST_NAME:
        return eval_unbind(in, t, t->name);
    case AST_ATTR:
        object = eval(in, t->a);
        return !val_failed(object) && attr_del(in, object, t->name, t->span);
    case AST_INDEX:
        object = eval(in, t->a);
        key = val_failed(object) ? object : eval(in, t->b);
        return !val_failed(key) && index_del(in, object, key, t->span);
    case AST_TUPLE:
    case AST_LIST:
        for (Ast *e = t->list; e; e = e->next) {
            TRY(delete_target(in, e));
        }
        return true;
    default:
        error_not_supported(in, t->span, "this cannot be deleted",
                            "delete a name, an attribute, an item or a slice");
        return false;
    }
}

static bool
exec_delete(Interp *in, Ast *s)
{
    for (Ast *t = s->list; t; t = t->next) {
        TRY(delete_target(in, t));
    }
    return true;
}

/* ---- control flow -------------------------------------------------------- */

static Flow
exec_if(Interp *in, Ast *s)
{
    bool yes = false;
    Value v = eval(in, s->a);
    if (is_host(v) && host_only_reports(in, s->body) &&
        host_only_reports(in, s->orelse)) {
        return FLOW_NEXT;
    }
    if (val_failed(v) || !op_truth(in, v, s->a->span, &yes)) {
        return FLOW_FAIL;
    }
    return exec_block(in, yes ? s->body : s->orelse);
}

static Flow
exec_for(Interp *in, Ast *s)
{
    Iter it;
    Value source = eval(in, s->b);
    if (val_failed(source) || !iter_begin(in, source, s->b->span, &it)) {
        return FLOW_FAIL;
    }
    for (;;) {
        Value item = val_none();
        int more = iter_step(in, &it, s->b->span, &item);
        if (more < 0) {
            return FLOW_FAIL;
        }
        if (more == 0) {
            return exec_block(in, s->orelse);
        }
        if (!core_step(in, s->span) || !bind_item(in, s->a, item)) {
            return FLOW_FAIL;
        }
        Flow f = exec_block(in, s->body);
        if (f == FLOW_BREAK) {
            return FLOW_NEXT;
        }
        if (f != FLOW_NEXT && f != FLOW_CONTINUE) {
            return f;
        }
    }
}

static Flow
exec_while(Interp *in, Ast *s)
{
    for (;;) {
        bool yes = false;
        in->here = s->span;
        if (!core_step(in, s->span) || !eval_truth(in, s->a, &yes)) {
            return FLOW_FAIL;
        }
        if (!yes) {
            return exec_block(in, s->orelse);
        }
        Flow f = exec_block(in, s->body);
        if (f == FLOW_BREAK) {
            return FLOW_NEXT;
        }
        if (f != FLOW_NEXT && f != FLOW_CONTINUE) {
            return f;
        }
    }
}

static Flow
exec_return(Interp *in, Ast *s)
{
    if (!in->frame->func || in->frame->class_names) {
        py_diag(in, D_SYNTAX, s->span, "return is outside of a function");
        in->fatal = true;
        return FLOW_FAIL;
    }
    Value v = s->a ? eval(in, s->a) : val_none();
    in->frame->ret = v;
    return val_failed(v) ? FLOW_FAIL : FLOW_RETURN;
}

static Flow
exec_assert(Interp *in, Ast *s)
{
    bool yes = false;
    Value v = eval(in, s->a);
    if (is_host(v)) {
        return FLOW_NEXT; /* the host checks it */
    }
    if (val_failed(v) || !op_truth(in, v, s->a->span, &yes)) {
        return FLOW_FAIL;
    }
    if (yes) {
        return FLOW_NEXT;
    }
    Value message = s->b ? eval(in, s->b) : val_none();
    Text t;
    text_init(&t, core_arena(in));
    if (val_failed(message) || (s->b && !format_str(in, message, s->span, &t))) {
        return FLOW_FAIL;
    }
    py_raise(in, "AssertionError", s->a->span, "%s",
             s->b ? t.p : "the assertion is false");
    if (s->b) {
        in->exception.inst->args = val_tuple(in, &message, 1);
    } else {
        in->exception.inst->args = val_items(in, VAL_TUPLE, 0);
    }
    return FLOW_FAIL;
}

/* ---- with ---------------------------------------------------------------- */

static bool
enter(Interp *in, Value manager, Span span, Value *result)
{
    *result = val_none();
    if (manager.kind == VAL_OBJECT && manager.obj->cls->enter) {
        return manager.obj->cls->enter(in, manager.obj, span, result);
    }
    if (attr_special(in, manager, in->core->sym.enter, CALL_ARGS(NULL, 0, span),
                     result)) {
        return !val_failed(*result);
    }
    py_raise(in, "TypeError", span, "a '%s' cannot be used in a with statement",
             val_type_name(manager));
    return false;
}

/* Leaves a manager of a user class; a true result of __exit__ ends the exception. */
static Flow
leave_instance(Interp *in, Value manager, Span span, Flow f)
{
    Value r = val_none();
    Value pending = in->exception;
    Span at = in->exception_span;
    uint32_t chain = in->exception_chain;
    bool raised = f == FLOW_FAIL && pending.kind == VAL_INSTANCE && !in->fatal;
    Value args[3] = {val_none(), val_none(), val_none()};
    if (f == FLOW_FAIL && !raised) {
        return f;
    }
    if (raised) {
        args[0] = (Value){.kind = VAL_CLASS, .klass = pending.inst->cls};
        args[1] = pending;
        in->exception = val_none();
    }
    bool yes = false;
    if (!attr_special(in, manager, in->core->sym.exit, CALL_ARGS(args, 3, span), &r)) {
        py_raise(in, "AttributeError", span, "'%s' has no __exit__",
                 val_type_name(manager));
        return FLOW_FAIL;
    }
    if (val_failed(r) || !op_truth(in, r, span, &yes)) {
        return FLOW_FAIL;
    }
    if (raised && !yes) {
        in->exception = pending;
        in->exception_span = at;
        in->exception_chain = chain;
        return FLOW_FAIL;
    }
    return raised ? FLOW_NEXT : f;
}

static Flow
leave(Interp *in, Value manager, Span span, Flow f)
{
    if (manager.kind != VAL_OBJECT) {
        return leave_instance(in, manager, span, f);
    }
    if (!manager.obj->cls->leave) {
        return f;
    }
    Value pending = in->exception;
    Span at = in->exception_span;
    uint32_t chain = in->exception_chain;
    bool ok = manager.obj->cls->leave(in, manager.obj, span, f != FLOW_NEXT);
    if (f == FLOW_FAIL) {
        in->exception = pending;
        in->exception_span = at;
        in->exception_chain = chain;
    }
    return ok ? f : FLOW_FAIL;
}

static void
forget_manager(Interp *in, Value manager, const Ast *item)
{
    const Ast *call = item->a;
    if (manager.kind == VAL_OBJECT && manager.obj->cls->over && !in->watch &&
        call->kind == AST_CALL && call->a->kind == AST_ATTR) {
        manager.obj->cls->over(manager.obj, call->span);
    }
}

static Flow
exec_with(Interp *in, Ast *item, Ast *body)
{
    if (!item) {
        return exec_block(in, body);
    }
    Value result = val_none();
    if (!core_stack(in, item->span)) {
        return FLOW_FAIL;
    }
    Value manager = eval(in, item->a);
    if (val_failed(manager) || !enter(in, manager, item->a->span, &result)) {
        return FLOW_FAIL;
    }
    if (item->b && item->b->kind == AST_NAME && manager.kind == VAL_OBJECT &&
        manager.obj->cls->named) {
        manager.obj->cls->named(manager.obj, item->b->name);
    }
    Flow f = FLOW_FAIL;
    if (!item->b || exec_assign(in, item->b, result)) {
        f = exec_with(in, item->next, body);
    }
    in->here = item->a->span;
    f = leave(in, manager, item->a->span, f);
    forget_manager(in, manager, item);
    return f;
}

/* ---- exceptions ---------------------------------------------------------- */

static bool
handles(Interp *in, Value exception, Value filter, Span span, bool *out)
{
    *out = false;
    if (filter.kind == VAL_TUPLE) {
        for (uint32_t i = 0; i < filter.list->n && !*out; i++) {
            TRY(core_stack(in, span) && core_item(in, span) &&
                handles(in, exception, filter.list->p[i], span, out));
        }
        return true;
    }
    if (is_absent(filter)) {
        return absent_used(in, filter, "is asked for as an exception", span);
    }
    if (filter.kind != VAL_CLASS || !filter.klass->exception) {
        py_raise(in, "TypeError", span, "except takes exception classes, not '%s'",
                 val_type_name(filter));
        return false;
    }
    *out = class_is(exception.inst->cls, filter.klass);
    return true;
}

static Flow
run_handler(Interp *in, Ast *h, Value exception)
{
    Frame *f = in->frame;
    Value outer = f->handling;
    Span outer_span = f->handling_span;
    uint32_t outer_chain = f->handling_chain;
    f->handling = exception;
    f->handling_span = in->exception_span;
    f->handling_chain = in->exception_chain;
    if (h->name) {
        eval_bind(in, h, h->name, exception);
    }
    Flow flow = exec_block(in, h->body);
    if (h->name) {
        eval_bind(in, h, h->name, val_fail());
    }
    f->handling = outer;
    f->handling_span = outer_span;
    f->handling_chain = outer_chain;
    return flow;
}

static Flow
exec_handlers(Interp *in, Ast *s)
{
    Value exception = in->exception;
    for (Ast *h = s->list; h; h = h->next) {
        bool yes = !h->a;
        if (h->a) {
            Value pending = in->exception;
            Span at = in->exception_span;
            uint32_t chain = in->exception_chain;
            in->exception = val_none();
            Value filter = eval(in, h->a);
            if (val_failed(filter) || !handles(in, exception, filter, h->a->span, &yes)) {
                return FLOW_FAIL;
            }
            in->exception = pending;
            in->exception_span = at;
            in->exception_chain = chain;
        }
        if (yes) {
            in->exception = val_none();
            return run_handler(in, h, exception);
        }
    }
    return FLOW_FAIL;
}

static Flow
exec_finally(Interp *in, Ast *s, Flow f)
{
    Value pending = in->exception;
    Span at = in->exception_span;
    uint32_t chain = in->exception_chain;
    Value ret = in->frame->ret;
    if (in->fatal) {
        return FLOW_FAIL;
    }
    in->exception = val_none();
    Flow last = exec_block(in, s->c);
    if (last != FLOW_NEXT) {
        return last;
    }
    in->exception = pending;
    in->exception_span = at;
    in->exception_chain = chain;
    in->frame->ret = ret;
    return f;
}

Flow
exec_try(Interp *in, Ast *s)
{
    StackMark mark = stack_mark(in);
    ImportHandler handler = absent_handler(in, s);
    in->core->guards++;
    in->core->import_guards += handler == HANDLER_EXACT;
    in->frame->import_guards += handler != HANDLER_NONE;
    Flow f = exec_block(in, s->body);
    in->frame->import_guards -= handler != HANDLER_NONE;
    in->core->import_guards -= handler == HANDLER_EXACT;
    in->core->guards--;
    if (f == FLOW_FAIL && in->exception.kind != VAL_INSTANCE) {
        in->fatal = true;
    }
    if (f == FLOW_FAIL && !in->fatal) {
        stack_release(in, mark);
        f = exec_handlers(in, s);
    } else if (f == FLOW_NEXT) {
        f = exec_block(in, s->orelse);
    }
    if (f == FLOW_FAIL && in->exception.kind != VAL_INSTANCE) {
        in->fatal = true;
    }
    return s->c ? exec_finally(in, s, f) : f;
}

bool
exec_raise(Interp *in, Ast *s)
{
    const Frame *f = in->frame;
    if (!s->a) {
        while (f && f->handling.kind != VAL_INSTANCE) {
            f = f->caller;
        }
        if (!f) {
            py_raise(in, "RuntimeError", s->span, "there is no exception to raise again");
            return false;
        }
        error_set(in, f->handling, f->handling_span);
        in->exception_chain = f->handling_chain;
        return false;
    }
    Value v = eval(in, s->a);
    if (v.kind == VAL_CLASS && v.klass->exception) {
        v = call_values(in, v, NULL, 0, s->a->span);
    }
    if (!val_failed(v) && s->b) {
        Value cause = eval(in, s->b);
        if (v.kind == VAL_INSTANCE && !val_failed(cause)) {
            attrs_set(core_arena(in), &v.inst->attrs, in->core->sym.cause, cause);
        }
        v = val_failed(cause) ? cause : v;
    }
    if (val_failed(v)) {
        return false;
    }
    if (v.kind != VAL_INSTANCE || !v.inst->cls->exception) {
        py_raise(in, "TypeError", s->a->span, "raise takes an exception, not '%s'",
                 val_type_name(v));
        return false;
    }
    error_new(in, v, s->span);
    return false;
}

/* ---- dispatch ------------------------------------------------------------ */

static bool
exec_def(Interp *in, Ast *s)
{
    AstFunc *fn = s->func;
    if (fn->is_async) {
        error_not_supported(in, s->span,
                            "async def: asynchronous functions are not evaluated",
                            "write def; a compilation is one thread");
        return false;
    }
    Ast *decorators[16];
    int n = 0;
    StackMark mark = stack_mark(in);
    for (Ast *d = fn->decorators; d; d = d->next) {
        if (n == (int)ARRAY_LEN(decorators)) {
            error_not_supported(in, d->span, "a function has at most 16 decorators",
                                "apply the others in a function that the last one calls");
            return false;
        }
        decorators[n++] = d;
    }
    Value *vals = stack_take(in, (uint32_t)n);
    bool ok = true;
    for (int i = 0; ok && i < n; i++) {
        in->core->decorator = decorators[i]->span;
        vals[i] = eval(in, decorators[i]);
        ok = !val_failed(vals[i]);
    }
    Value f = ok ? eval_function(in, fn) : val_fail();
    while (!val_failed(f) && n > 0) {
        n--;
        in->core->decorator = decorators[n]->span;
        f = call_values(in, vals[n], &f, 1, decorators[n]->span);
    }
    in->core->decorator = (Span){0};
    stack_release(in, mark);
    return !val_failed(f) && eval_bind(in, s, s->name, f);
}

static Flow
flow(bool ok)
{
    return ok ? FLOW_NEXT : FLOW_FAIL;
}

static Flow
exec_stmt(Interp *in, Ast *s)
{
    switch ((AstKind)s->kind) {
    case AST_EXPR:
        return flow(!val_failed(eval(in, s->a)));
    case AST_ASSIGN:
        return flow(exec_assignment(in, s));
    case AST_AUGASSIGN:
        return flow(exec_augmented(in, s));
    case AST_ANNASSIGN:
        if (in->frame->class_names && s->a->kind == AST_NAME &&
            !class_annotate(in, in->frame->class_names, s->a->name, s->span)) {
            return FLOW_FAIL;
        }
        if (s->c) {
            Value v = eval(in, s->c);
            return flow(!val_failed(v) && exec_assign(in, s->a, v));
        }
        return FLOW_NEXT;
    case AST_IF:
        return exec_if(in, s);
    case AST_FOR:
        return exec_for(in, s);
    case AST_WHILE:
        return exec_while(in, s);
    case AST_WITH:
        return exec_with(in, s->list, s->body);
    case AST_DEF:
        return flow(exec_def(in, s));
    case AST_CLASS:
        return flow(exec_class(in, s));
    case AST_RETURN:
        return exec_return(in, s);
    case AST_RAISE:
        return flow(exec_raise(in, s));
    case AST_TRY:
        return exec_try(in, s);
    case AST_IMPORT:
        return flow(exec_import(in, s));
    case AST_FROM:
        return flow(exec_from(in, s));
    case AST_DEL:
        return flow(exec_delete(in, s));
    case AST_ASSERT:
        return exec_assert(in, s);
    case AST_GLOBAL:
    case AST_NONLOCAL:
    case AST_PASS:
        return FLOW_NEXT;
    case AST_BREAK:
        return FLOW_BREAK;
    case AST_CONTINUE:
        return FLOW_CONTINUE;
    case AST_MODULE:
        return exec_block(in, s->body);
    default:
        ICE("statement of kind %d", s->kind);
    }
}

/* ---- going on after an error --------------------------------------------- */

enum {
    MAX_RECOVERIES = 200 /* a loop whose end depends on what failed would never end */
};

static bool
can_poison(const Ast *t)
{
    if (t->kind == AST_TUPLE) {
        for (const Ast *e = t->list; e; e = e->next) {
            if (e->kind != AST_NAME) {
                return false;
            }
        }
    }
    return t->kind == AST_NAME || t->kind == AST_TUPLE ||
           (t->kind == AST_ATTR && t->a->kind == AST_NAME);
}

static void
poison(Interp *in, Ast *t)
{
    for (Ast *e = t->kind == AST_TUPLE ? t->list : NULL; e; e = e->next) {
        poison(in, e);
    }
    if (t->kind != AST_TUPLE && !exec_assign(in, t, error_poison(in))) {
        in->exception = val_none();
    }
}

/* Returns whether a statement calls a method of an object that only records, or of one
 * that was not made. */
static bool
only_records(Interp *in, const Ast *s)
{
    const Ast *callee = s->a->kind == AST_CALL ? s->a->a : s->a;
    const Ast *base = callee->kind == AST_ATTR ? callee->a : callee;
    while (base->kind == AST_ATTR) {
        base = base->a;
    }
    if (callee->kind != AST_ATTR || base->kind != AST_NAME) {
        return false;
    }
    Value v = eval(in, callee->a);
    Value e = in->exception;
    return (v.kind == VAL_OBJECT && v.obj->cls->only_records) ||
           (e.kind == VAL_INSTANCE && e.inst->exc && e.inst->exc->silent);
}

/* Returns whether the failure of a statement has no consequence in which later ones would
 * fail. */
static bool
is_contained(Interp *in, const Ast *s)
{
    bool ok = s->kind == AST_ASSIGN || s->kind == AST_IMPORT ||
              (s->kind == AST_FROM && s->orelse) ||
              (s->kind == AST_EXPR && only_records(in, s));
    for (const Ast *t = s->kind == AST_ASSIGN ? s->list : NULL; t; t = t->next) {
        ok = ok && can_poison(t);
    }
    return ok;
}

/* Reports an exception that nothing can catch and goes on after its statement, so that
 * one run finds several errors. */
static bool
recover(Interp *in, Ast *s)
{
    Value pending = in->exception;
    if (in->fatal || in->core->guards > 0 || pending.kind != VAL_INSTANCE ||
        !pending.inst->exc || in->core->recoveries == MAX_RECOVERIES) {
        return false;
    }
    Span at = in->exception_span;
    uint32_t chain = in->exception_chain;
    in->exception = val_none();
    bool contained = is_contained(in, s) && !in->fatal;
    error_set(in, pending, at);
    in->exception_chain = chain;
    if (!contained) {
        return false;
    }
    in->core->recoveries++;
    chain = py_chain(in);
    error_report(in);
    in->chain = chain;
    for (Ast *t = s->kind == AST_ASSIGN ? s->list : NULL; t; t = t->next) {
        poison(in, t);
    }
    bool imports = s->kind == AST_IMPORT || s->kind == AST_FROM;
    for (Ast *a = imports ? s->orelse : NULL; a; a = a->next) {
        size_t n = s->kind == AST_IMPORT ? strcspn(a->str, ".") : strlen(a->str);
        Sym name = a->name ? a->name : intern_n(&in->u->names, a->str, n);
        eval_bind(in, a, name, error_poison(in));
    }
    return true;
}

Flow
exec_block(Interp *in, Ast *s)
{
    for (; s; s = s->next) {
        in->here = s->span;
        if (!core_step(in, s->span)) {
            return FLOW_FAIL;
        }
        StackMark mark = stack_mark(in);
        Flow f = exec_stmt(in, s);
        if (f == FLOW_FAIL && recover(in, s)) {
            stack_release(in, mark);
            f = FLOW_NEXT;
        }
        if (f != FLOW_NEXT) {
            return f;
        }
    }
    return FLOW_NEXT;
}
