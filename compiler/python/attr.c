/* attr.c: implements attributes of all kinds of values, and method calls without bound
 * objects. */
#include "python/resolve.h"

#include <string.h>

/* ---- classes ------------------------------------------------------------- */

Value
class_lookup(const ClassVal *c, Sym name)
{
    for (; c; c = c->base) {
        const Attr *a = attrs_entry(&c->attrs, name);
        if (a && !val_failed(a->v)) {
            return a->v;
        }
    }
    return val_fail();
}

/* Does the same for code of the program: a search in the classes above is counted as
 * work. */
static Value
lookup(Interp *in, const ClassVal *c, Sym name)
{
    core_owe(in, c->depth);
    return class_lookup(c, name);
}

/* Does the same; *hint is where it was found in the class the last time. */
static Value
lookup_at(Interp *in, const ClassVal *c, Sym name, uint32_t *hint)
{
    core_owe(in, c->depth);
    const Attr *a = attrs_entry_at(&c->attrs, name, hint);
    return a && !val_failed(a->v) ? a->v : class_lookup(c->base, name);
}

bool
class_is(const ClassVal *c, const ClassVal *base)
{
    for (; c; c = c->base) {
        if (c == base) {
            return true;
        }
    }
    return false;
}

static const Descr *
as_descr(Value v)
{
    return v.kind == VAL_OBJECT && v.obj->cls == &descr_class ? (const Descr *)v.obj
                                                              : NULL;
}

static Value
bind(Interp *in, Value func, Value self)
{
    BoundVal *b = ARENA_NEW(core_arena(in), BoundVal);
    b->func = func;
    b->self = self;
    return (Value){.kind = VAL_BOUND, .bound = b};
}

/* Returns a class attribute as seen through an instance, or through the class if self is
 * the class. */
static Value
bind_attr(Interp *in, Value v, Value self, ClassVal *cls, Span span)
{
    const Descr *d = as_descr(v);
    bool through_class = self.kind == VAL_CLASS;
    if (d && d->kind == DESCR_STATIC) {
        return d->get;
    }
    if (d && d->kind == DESCR_CLASS) {
        return bind(in, d->get, (Value){.kind = VAL_CLASS, .klass = cls});
    }
    if (d && !through_class) {
        in->core->guards++; /* hasattr catches exceptions of the getter */
        Value r = call_values(in, d->get, &self, 1, span);
        in->core->guards--;
        return r;
    }
    bool method = v.kind == VAL_FUNC || (v.kind == VAL_BUILTIN && v.builtin->owner);
    return method && !through_class ? bind(in, v, self) : v;
}

/* Finds an attribute in the classes of class statements; those come before the built-in
 * one. */
static Value
user_lookup(const ClassVal *c, Sym name)
{
    Value v = val_fail();
    for (; c && c->user && val_failed(v); c = c->base) {
        v = attrs_get(&c->attrs, name);
    }
    return v;
}

bool
attr_special(Interp *in, Value self, Sym name, const CallArgs *args, Value *out)
{
    Value f = self.kind == VAL_INSTANCE ? lookup(in, self.inst->cls, name) : val_fail();
    if (self.kind == VAL_DICT) {
        f = user_lookup(self.dict->cls, name);
    }
    if (val_failed(f)) {
        return false;
    }
    in->core->guards++;
    *out = call_with_self(in, f, self, args);
    in->core->guards--;
    return true;
}

/* ---- reading ------------------------------------------------------------- */

static Value
dict_of(Interp *in, Attrs *a, Span span)
{
    Value d = dict_new(in, VAL_DICT);
    for (uint32_t i = 0; i < a->n; i++) {
        if (!val_failed(a->p[i].v) &&
            !dict_put(in, d.dict, val_str_sym(in, a->p[i].name), a->p[i].v, span)) {
            return val_fail();
        }
    }
    d.dict->mirror = a;
    return d;
}

static Value
instance_attr(Interp *in, Value v, Sym name, Span span, bool *found)
{
    InstanceVal *self = v.inst;
    const CoreSyms *sym = &in->core->sym;
    Value r = attrs_get(&self->attrs, name);
    if (!val_failed(r)) {
        return r;
    }
    r = lookup(in, self->cls, name);
    if (!val_failed(r)) {
        return bind_attr(in, r, v, self->cls, span);
    }
    if (name == sym->class_) {
        return (Value){.kind = VAL_CLASS, .klass = self->cls};
    }
    if (name == sym->dict) {
        return dict_of(in, &self->attrs, span);
    }
    if (name == sym->args && self->cls->exception) {
        return self->args;
    }
    if (name == sym->code && strcmp(self->cls->name, "SystemExit") == 0) {
        const List *args = self->args.list;
        return args->n == 1 ? args->p[0] : args->n ? self->args : val_none();
    }
    if (self->cls->hooks) {
        Value key = val_str_sym(in, name);
        if (attr_special(in, v, sym->getattr, CALL_ARGS(&key, 1, span), &r)) {
            return r;
        }
    }
    *found = false;
    return val_fail();
}

static Value
class_attr(Interp *in, Value v, Sym name, Span span, bool *found)
{
    ClassVal *c = v.klass;
    const CoreSyms *sym = &in->core->sym;
    Value r = lookup(in, c, name);
    if (!val_failed(r)) {
        return bind_attr(in, r, v, c, span);
    }
    if (name == sym->name || name == sym->qualname) {
        return val_str(in, c->name);
    }
    if (name == sym->dict) {
        return dict_of(in, &c->attrs, span);
    }
    if (name == sym->bases) {
        Value base = {.kind = VAL_CLASS,
                      .klass = c->base ? c->base : in->core->object_type};
        return val_tuple(in, &base, 1);
    }
    if (name == sym->module || name == sym->doc) {
        return name == sym->doc ? val_none()
                                : val_str(in, c->user ? "__main__" : "builtins");
    }
    if (name == sym->init && c->kind == VAL_INSTANCE) {
        r = lookup(in, in->core->object_type, name);
        *found = !val_failed(r);
        return r;
    }
    *found = false;
    return val_fail();
}

/* Returns the text with which a body begins, or None. */
static Value
doc_text(const Ast *body)
{
    bool text = body && body->kind == AST_EXPR && body->a->kind == AST_STRING;
    return text ? (Value){.kind = VAL_STR, .str = body->a->cache} : val_none();
}

static Value
func_attr(Interp *in, Value v, Sym name, bool *found)
{
    const CoreSyms *sym = &in->core->sym;
    Value f = v.kind == VAL_BOUND ? v.bound->func : v;
    if (f.kind == VAL_FUNC) {
        Value r = attrs_get(&f.func->attrs, name);
        if (!val_failed(r)) {
            return r;
        }
    }
    if (name == sym->name || name == sym->qualname) {
        return val_str(in, f.kind == VAL_FUNC ? f.func->name : f.builtin->name);
    }
    if (name == sym->doc) {
        return f.kind == VAL_FUNC && !f.func->loc->expression
                   ? doc_text(f.func->loc->body)
                   : val_none();
    }
    if (v.kind == VAL_BOUND && name == sym->self) {
        return v.bound->self;
    }
    if (v.kind == VAL_BOUND && name == sym->func) {
        return v.bound->func;
    }
    *found = false;
    return val_fail();
}

static Value
module_attr(Interp *in, Value v, Sym name, Span span, bool *found)
{
    Value r = attrs_get(&v.module->attrs, name);
    if (!val_failed(r)) {
        return r;
    }
    if (name == in->core->sym.name) {
        return val_str(in, v.module->name);
    }
    if (name == in->core->sym.dict) {
        return dict_of(in, &v.module->attrs, span);
    }
    if (module_leaves_to_host(in, v.module, name)) {
        return host_value(in,
                          arena_printf(core_arena(in), "%s.%s", v.module->name,
                                       sym_text(&in->u->names, name)),
                          span);
    }
    return module_member(in, v.module, name, span, found);
}

/* Returns a field of a named tuple or a method of the built-in type. */
static Value
builtin_attr(Interp *in, Value v, Sym name, Span span, bool *found)
{
    ClassVal *c = val_class(in, v);
    if (v.kind == VAL_TUPLE && c->fields) {
        const char *text = sym_text(&in->u->names, name);
        for (uint32_t i = 0; i < c->fields->n; i++) {
            if (strcmp(c->fields->p[i].str->p, text) == 0) {
                return v.list->p[i];
            }
        }
    }
    Attrs *own = v.kind == VAL_DICT ? v.dict->attrs : NULL;
    Value r = own ? attrs_get(own, name) : val_fail();
    if (own && name == in->core->sym.dict) {
        return dict_of(in, own, span);
    }
    if (!val_failed(r)) {
        return r;
    }
    r = lookup(in, c, name);
    if (!val_failed(r)) {
        return bind_attr(in, r, v, c, span);
    }
    r = number_attr(in, v, name, span);
    if (!val_failed(r)) {
        return r;
    }
    *found = name == in->core->sym.class_;
    return *found ? (Value){.kind = VAL_CLASS, .klass = c} : val_fail();
}

Value
attr_try(Interp *in, Value v, Sym name, Span span, bool *found)
{
    *found = true;
    switch ((ValueKind)v.kind) {
    case VAL_OBJECT:
        if (v.obj->cls->get_attr) {
            Value r = v.obj->cls->get_attr(in, v.obj, name, span, found);
            if (*found || name != in->core->sym.class_) {
                return r;
            }
        }
        return builtin_attr(in, v, name, span, found);
    case VAL_INSTANCE:
        return instance_attr(in, v, name, span, found);
    case VAL_CLASS:
        return class_attr(in, v, name, span, found);
    case VAL_MODULE:
        return module_attr(in, v, name, span, found);
    case VAL_FUNC:
    case VAL_BUILTIN:
    case VAL_BOUND:
        return func_attr(in, v, name, found);
    case VAL_FAIL:
    case VAL_NONE:
    case VAL_BOOL:
    case VAL_INT:
    case VAL_BIG:
    case VAL_FLOAT:
    case VAL_STR:
    case VAL_TUPLE:
    case VAL_LIST:
    case VAL_DICT:
    case VAL_SET:
    case VAL_RANGE:
    case VAL_SLICE:
        return builtin_attr(in, v, name, span, found);
    }
    UNREACHABLE();
}

static void
nearest_of(Interp *in, Value v, Nearest *n)
{
    if (v.kind == VAL_OBJECT) {
        for (int i = 0; v.obj->cls->attr_name; i++) {
            const char *name = v.obj->cls->attr_name(i);
            if (!name) {
                return;
            }
            nearest_try(n, name);
        }
        return;
    }
    if (v.kind == VAL_INSTANCE) {
        nearest_attrs(in, n, &v.inst->attrs);
    }
    if (v.kind == VAL_MODULE) {
        nearest_attrs(in, n, &v.module->attrs);
        return;
    }
    for (const ClassVal *c = v.kind == VAL_CLASS ? v.klass : val_class(in, v); c;
         c = c->base) {
        nearest_attrs(in, n, &c->attrs);
    }
}

/* Returns the span of the name at the end of an attribute expression; only that is at
 * fault. */
static Span
name_in(Interp *in, Span span, const char *name)
{
    const Source *src = &in->u->sources.p[span.file];
    uint32_t n = (uint32_t)strlen(name);
    if (span.end <= src->len && span.end - span.begin > n &&
        memcmp(src->text + span.end - n, name, n) == 0) {
        span.begin = span.end - n;
    }
    return span;
}

static Value
no_attr(Interp *in, Value v, Sym name, Span span)
{
    const char *text = sym_text(&in->u->names, name);
    const char *what = v.kind == VAL_MODULE  ? "module"
                       : v.kind == VAL_CLASS ? "class"
                                             : "object of";
    const char *who = v.kind == VAL_MODULE  ? v.module->name
                      : v.kind == VAL_CLASS ? v.klass->name
                                            : val_type_name(v);
    ExcInfo *x = error_raise(in, "AttributeError", name_in(in, span, text),
                             "%s '%s' has no attribute '%s'", what, who, text);
    Nearest n = {.wanted = text};
    nearest_of(in, v, &n);
    (void)nearest_suggest(in, &n, x);
    return val_fail();
}

Value
attr_get(Interp *in, Value v, Sym name, Span span)
{
    bool found = false;
    Value r = attr_try(in, v, name, span, &found);
    return found ? r : no_attr(in, v, name, span);
}

/* ---- method calls -------------------------------------------------------- */

static Value
call_class_attr(Interp *in, Value f, Value self, const CallArgs *args)
{
    if (f.kind == VAL_FUNC) {
        return call_function(in, f.func, &self, args);
    }
    if (f.kind == VAL_BUILTIN && f.builtin->owner) {
        return call_with_self(in, f, self, args);
    }
    Value v = bind_attr(in, f, self, val_class(in, self), args->span);
    return val_failed(v) ? v : call_any(in, v, args);
}

Value
attr_call(Interp *in, Value receiver, Sym name, const CallArgs *args, Span span,
          uint32_t *hint)
{
    CallArgs room;
    bool found = false;
    Value f = val_fail();
    if (receiver.kind == VAL_OBJECT && receiver.obj->cls->call_method) {
        args = op_plain_args(in, args, &room);
        Value r = !args ? f
                        : receiver.obj->cls->call_method(in, receiver.obj, name, args,
                                                         span, &found);
        if (!args || found) {
            return r;
        }
    } else if (receiver.kind == VAL_INSTANCE && !receiver.inst->cls->hooks) {
        f = attrs_get(&receiver.inst->attrs, name);
        if (!val_failed(f)) {
            return call_any(in, f, args);
        }
        f = lookup_at(in, receiver.inst->cls, name, hint);
    } else if (receiver.kind <= VAL_SLICE &&
               !(receiver.kind == VAL_TUPLE && receiver.list->cls)) {
        f = lookup_at(in, val_class(in, receiver), name, hint);
    }
    if (!val_failed(f)) {
        return call_class_attr(in, f, receiver, args);
    }
    f = attr_get(in, receiver, name, span);
    return val_failed(f) ? f : call_any(in, f, args);
}

/* ---- writing ------------------------------------------------------------- */

enum {
    MAX_ROOM = 16
};

static bool
set_instance(Interp *in, Value target, Sym name, Value v, Span span)
{
    ClassVal *c = target.inst->cls;
    Value r = val_none();
    if (c->hooks) {
        Value args[2] = {val_str_sym(in, name), v};
        if (attr_special(in, target, in->core->sym.setattr, CALL_ARGS(args, 2, span),
                         &r)) {
            return !val_failed(r);
        }
    }
    bool search = !c->user || c->properties || in->core->late_properties;
    const Descr *d = search ? as_descr(lookup(in, c, name)) : NULL;
    if (d && d->kind == DESCR_PROPERTY) {
        if (val_failed(d->set)) {
            py_raise(in, "AttributeError", span,
                     "the property '%s' of '%s' has no setter",
                     sym_text(&in->u->names, name), c->name);
            return false;
        }
        return !val_failed(call_values(in, d->set, (Value[]){target, v}, 2, span));
    }
    if (c->is_enum) {
        py_raise(in, "AttributeError", span, "members of '%s' cannot be changed",
                 c->name);
        return false;
    }
    Attrs *a = &target.inst->attrs;
    if (!a->cap && c->room) {
        a->p = ARENA_ARRAY(core_arena(in), Attr, c->room);
        a->cap = c->room;
    }
    attrs_set(core_arena(in), a, name, v);
    c->room = (uint16_t)MIN(MAX(a->n, c->room), MAX_ROOM);
    return true;
}

bool
attr_set(Interp *in, Value target, Sym name, Value v, Span span)
{
    switch (target.kind) {
    case VAL_OBJECT:
        if (target.obj->cls->set_attr) {
            v = op_plain(in, v, span);
            return !val_failed(v) &&
                   target.obj->cls->set_attr(in, target.obj, name, v, span);
        }
        break;
    case VAL_INSTANCE:
        return set_instance(in, target, name, v, span);
    case VAL_CLASS:
        if (target.klass->user) {
            in->core->late_properties = in->core->late_properties || is_property(v);
            target.klass->hooks = target.klass->hooks || name == in->core->sym.setattr ||
                                  name == in->core->sym.getattr;
            attrs_set(core_arena(in), &target.klass->attrs, name, v);
            return true;
        }
        break;
    case VAL_MODULE:
        attrs_set(core_arena(in), &target.module->attrs, name, v);
        return true;
    case VAL_FUNC:
        if (name == in->core->sym.name && v.kind == VAL_STR) {
            target.func->name = val_text_of(in, v);
        }
        attrs_set(core_arena(in), &target.func->attrs, name, v);
        return true;
    case VAL_DICT:
        if (target.dict->attrs) {
            attrs_set(core_arena(in), target.dict->attrs, name, v);
            return true;
        }
        break;
    default:
        break;
    }
    py_raise(in, "AttributeError", span, "attribute '%s' of a '%s' cannot be set",
             sym_text(&in->u->names, name), val_type_name(target));
    return false;
}

bool
attr_set_at(Interp *in, Value target, Sym name, Value v, Span span, uint32_t *hint)
{
    const ClassVal *c = target.kind == VAL_INSTANCE ? target.inst->cls : NULL;
    bool plain = c && c->user && !c->hooks && !c->properties && !c->is_enum &&
                 !in->core->late_properties;
    Attr *a = plain ? attrs_entry_at(&target.inst->attrs, name, hint) : NULL;
    if (a) {
        a->v = v;
        return true;
    }
    return attr_set(in, target, name, v, span);
}

bool
attr_del(Interp *in, Value target, Sym name, Span span)
{
    Attrs *a = target.kind == VAL_INSTANCE                      ? &target.inst->attrs
               : target.kind == VAL_CLASS && target.klass->user ? &target.klass->attrs
               : target.kind == VAL_MODULE                      ? &target.module->attrs
                                                                : NULL;
    Attr *e = a ? attrs_entry(a, name) : NULL;
    if (!e || val_failed(e->v)) {
        no_attr(in, target, name, span);
        return false;
    }
    e->v = val_fail();
    return true;
}
