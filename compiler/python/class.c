/* class.c: implements class statements, instances, super, properties, enumerations, named
 * tuples and isinstance. */
#include "python/resolve.h"

#include <string.h>

ClassVal *
class_new(Interp *in, const char *name, ClassVal *base)
{
    ClassVal *c = ARENA_NEW(core_arena(in), ClassVal);
    c->name = name;
    c->base = base;
    c->kind = VAL_INSTANCE;
    if (base) {
        c->kind = base->kind;
        c->diag = base->diag;
        c->exception = base->exception;
        c->is_enum = base->is_enum;
        c->hooks = base->hooks;
        c->fields = base->fields;
        c->depth = (uint16_t)(base->depth + 1);
    }
    return c;
}

Value
class_instance(Interp *in, ClassVal *c)
{
    InstanceVal *v = ARENA_NEW(core_arena(in), InstanceVal);
    v->cls = c;
    v->args = val_none();
    return (Value){.kind = VAL_INSTANCE, .inst = v};
}

/* ---- descriptors: property, staticmethod, classmethod -------------------- */

static Value
make_descr(Interp *in, DescrKind kind, Value get, Value set)
{
    Descr *d = ARENA_NEW(core_arena(in), Descr);
    d->base.cls = &descr_class;
    d->kind = kind;
    d->get = get;
    d->set = set;
    return val_object(&d->base);
}

static Value
descr_setter(Interp *in, Value self, const CallArgs *args)
{
    return make_descr(in, DESCR_PROPERTY, ((Descr *)self.obj)->get, args->pos[0]);
}

static Value
descr_attr(Interp *in, Object *self, Sym name, Span span, bool *found)
{
    const Descr *d = (const Descr *)self;
    (void)span;
    *found = d->kind == DESCR_PROPERTY && name == in->core->sym.setter;
    if (!*found) {
        return val_fail();
    }
    Value f = val_builtin(in, "setter", descr_setter, val_object(self));
    f.builtin->checked = true;
    f.builtin->min = 1;
    f.builtin->max = 1;
    return f;
}

const ObjectClass descr_class = {.name = "property", .get_attr = descr_attr};

static void
ellipsis_repr(Interp *in, Object *self, Text *out)
{
    (void)in;
    (void)self;
    text_put(out, "Ellipsis");
}

const ObjectClass ellipsis_class = {.name = "ellipsis", .repr = ellipsis_repr};

/* ---- super --------------------------------------------------------------- */

static Value
super_attr(Interp *in, Object *self, Sym name, Span span, bool *found)
{
    const SuperVal *s = (const SuperVal *)self;
    Value f = class_lookup(s->after->base, name);
    if (val_failed(f) && (name == in->core->sym.init || name == in->core->sym.setattr)) {
        f = class_lookup(in->core->object_type, name);
    }
    *found = !val_failed(f);
    if (!*found) {
        return f;
    }
    const Descr *d =
        f.kind == VAL_OBJECT && f.obj->cls == &descr_class ? (const Descr *)f.obj : NULL;
    if (d && d->kind == DESCR_STATIC) {
        return d->get;
    }
    if (d && d->kind == DESCR_PROPERTY) {
        return call_values(in, d->get, &s->self, 1, span);
    }
    Value func = d ? d->get : f;
    if (func.kind != VAL_FUNC && !(func.kind == VAL_BUILTIN && func.builtin->owner)) {
        return func;
    }
    BoundVal *b = ARENA_NEW(core_arena(in), BoundVal);
    b->func = func;
    b->self = s->self;
    if (d && d->kind == DESCR_CLASS && s->self.kind == VAL_INSTANCE) {
        b->self = (Value){.kind = VAL_CLASS, .klass = s->self.inst->cls};
    }
    return (Value){.kind = VAL_BOUND, .bound = b};
}

const ObjectClass super_class = {.name = "super", .get_attr = super_attr};

static Value
first_argument(const Frame *f)
{
    if (f->loc->nparams == 0) {
        return val_fail();
    }
    const ParamSlot *p = &f->loc->params[0];
    return p->in_cell ? f->cells[p->slot]->v : f->slots[p->slot];
}

Value
class_super(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    const Frame *f = in->frame;
    SuperVal *s = ARENA_NEW(core_arena(in), SuperVal);
    s->base.cls = &super_class;
    if (args->npos == 0) {
        s->after = f->func && f->func->owner ? f->func->owner->cls : NULL;
        s->self = s->after ? first_argument(f) : val_fail();
        if (val_failed(s->self)) {
            return py_raise(in, "RuntimeError", args->span,
                            "super() is outside of a method");
        }
    } else if (args->npos == 2 && args->pos[0].kind == VAL_CLASS) {
        s->after = args->pos[0].klass;
        s->self = args->pos[1];
    } else {
        return py_raise(in, "TypeError", args->span,
                        "super takes a class and an instance of it");
    }
    const ClassVal *c =
        s->self.kind == VAL_CLASS ? s->self.klass : val_class(in, s->self);
    if (!class_is(c, s->after)) {
        return py_raise(in, "TypeError", args->span, "'%s' is not an instance of '%s'",
                        val_type_name(s->self), s->after->name);
    }
    return val_object(&s->base);
}

/* ---- enumerations -------------------------------------------------------- */

static bool
enum_members(Interp *in, ClassVal *c)
{
    Value members = val_dict(in);
    uint32_t n = c->attrs.n;
    int64_t last = 0;
    for (uint32_t i = 0; i < n; i++) {
        Attr *a = &c->attrs.p[i];
        const char *name = sym_text(&in->u->names, a->name);
        if (val_failed(a->v) || name[0] == '_' || a->v.kind == VAL_FUNC ||
            a->v.kind == VAL_BUILTIN ||
            (a->v.kind == VAL_OBJECT && a->v.obj->cls == &descr_class)) {
            continue;
        }
        bool next = a->v.kind == VAL_INSTANCE && !c->fields &&
                    strcmp(a->v.inst->cls->name, "auto") == 0;
        a->v = next ? val_int(last + 1) : a->v;
        last = a->v.kind == VAL_INT ? a->v.i : last;
        Value m = val_fail();
        for (uint32_t k = 0; k < members.dict->n && val_failed(m); k++) {
            bool same = false;
            TRY(core_item(in, in->here));
            Value other = members.dict->p[k].v;
            TRY(op_equal(in, attrs_get(&other.inst->attrs, in->core->sym.value), a->v,
                         in->here, &same));
            m = same ? other : m;
        }
        if (val_failed(m)) {
            m = class_instance(in, c);
            attrs_set(core_arena(in), &m.inst->attrs, in->core->sym.ename,
                      val_str_sym(in, a->name));
            attrs_set(core_arena(in), &m.inst->attrs, in->core->sym.value, a->v);
            TRY(dict_put(in, members.dict, val_str_sym(in, a->name), m, in->here));
        }
        a->v = m;
    }
    attrs_set(core_arena(in), &c->attrs, in->core->sym.members, members);
    return true;
}

static Value
enum_lookup(Interp *in, ClassVal *c, const CallArgs *args)
{
    Value members = attrs_get(&c->attrs, in->core->sym.members);
    if (args->npos != 1 || args->nkw || members.kind != VAL_DICT) {
        return py_raise(in, "TypeError", args->span, "'%s' takes one value", c->name);
    }
    for (uint32_t k = 0; k < members.dict->n; k++) {
        bool same = false;
        if (!core_item(in, args->span)) {
            return val_fail();
        }
        Value m = members.dict->p[k].v;
        if (op_identical(m, args->pos[0])) {
            return m;
        }
        if (!op_equal(in, attrs_get(&m.inst->attrs, in->core->sym.value), args->pos[0],
                      args->span, &same)) {
            return val_fail();
        }
        if (same) {
            return m;
        }
    }
    return py_raise(in, "ValueError", args->span, "'%s' has no member with the value %s",
                    c->name, val_repr(in, args->pos[0]));
}

/* ---- class statements ---------------------------------------------------- */

/* Checks a keyword of a class statement. metaclass=ABCMeta changes nothing; another
 * metaclass would make the class. */
static bool
check_class_keyword(Interp *in, const Ast *b, Value v)
{
    const char *name = sym_text(&in->u->names, b->name);
    if (strcmp(name, "metaclass") != 0) {
        error_not_supported(in, b->span,
                            arena_printf(core_arena(in),
                                         "the class argument '%s' is not evaluated",
                                         name),
                            "write it as an attribute of the class");
        return false;
    }
    bool same =
        v.kind == VAL_CLASS && (v.klass == in->core->types[VAL_CLASS] || !v.klass->user);
    if (!same) {
        error_not_supported(in, b->span,
                            "a metaclass other than ABCMeta is not evaluated",
                            "change the class in a decorator, which gets it complete");
    }
    return same;
}

/* Returns whether a base has no content, as object, ABC and the classes of typing. */
static bool
adds_nothing(const Interp *in, const ClassVal *c)
{
    bool plain = c->kind == VAL_INSTANCE && !c->user && !c->exception && !c->is_enum;
    return c == in->core->object_type || (plain && c->attrs.n == 0 && !c->base);
}

/* Checks a class derived from dict. Its instances are dictionaries with a class and
 * attributes; what the evaluator does with dictionaries calls no special methods other
 * than these. */
static bool
check_dict_class(Interp *in, const ClassVal *c, Span span)
{
    static const char known[] = " __init__ __missing__ __repr__ __str__ __doc__ __add__ "
                                "__sub__ __and__ __or__ __radd__ __rsub__ __format__ "
                                "__module__ ";
    for (uint32_t i = 0; i < c->attrs.n; i++) {
        const char *name = sym_text(&in->u->names, c->attrs.p[i].name);
        const char *hit = strstr(known, name);
        bool special = strncmp(name, "__", 2) == 0 && strlen(name) > 4;
        if (special && !(hit && hit[-1] == ' ' && hit[strlen(name)] == ' ')) {
            error_not_supported(
                in, span,
                arena_printf(core_arena(in),
                             "%s in a class derived from dict is not evaluated", name),
                "write a class that keeps a dict as an attribute");
            return false;
        }
    }
    return true;
}

static Value
construct_dict(Interp *in, ClassVal *c, const CallArgs *args)
{
    Value d = val_dict(in);
    d.dict->cls = c;
    d.dict->attrs = ARENA_NEW(core_arena(in), Attrs);
    Value r = call_with_self(in, class_lookup(c, in->core->sym.init), d, args);
    return val_failed(r) ? r : d;
}

/* Returns the class of stdlib/ whose members behave as their values, or null after a
 * failure. */
static ClassVal *
mixed_enum(Interp *in, Span span)
{
    Value m = module_find(in, "enum", span);
    Value c = m.kind == VAL_MODULE
                  ? attrs_get(&m.module->attrs, intern(&in->u->names, "IntEnum"))
                  : val_fail();
    return c.kind == VAL_CLASS ? c.klass : NULL;
}

static bool
find_base(Interp *in, Ast *s, ClassVal **base)
{
    int n = 0;
    *base = NULL;
    for (Ast *b = s->klass->bases; b; b = b->next) {
        Value v = eval(in, b->kind == AST_KEYWORD ? b->a : b);
        if (val_failed(v)) {
            return false;
        }
        if (b->kind == AST_KEYWORD) {
            TRY(check_class_keyword(in, b, v));
            continue;
        }
        if (is_absent(v)) {
            *base = absent_base(in, v);
            return true;
        }
        if (v.kind != VAL_CLASS) {
            py_raise(in, "TypeError", b->span, "a base is a class, not '%s'",
                     val_type_name(v));
            return false;
        }
        if (adds_nothing(in, v.klass)) {
            continue;
        }
        if (n == 1 && v.klass->is_enum &&
            (*base == in->core->types[VAL_STR] || *base == in->core->types[VAL_INT])) {
            *base = mixed_enum(in, b->span); /* for class Format(str, Enum) */
            n++;
            TRY(*base != NULL);
            continue;
        }
        if (n++) {
            error_not_supported(in, b->span,
                                "a class with several bases is not evaluated",
                                "derive from one class and keep an instance of the "
                                "other as an attribute");
            return false;
        }
        *base = v.klass;
        bool builtin = (*base)->kind != VAL_INSTANCE && (*base)->kind != VAL_DICT;
        bool mixes = b->next && b->next->kind != AST_KEYWORD &&
                     ((*base)->kind == VAL_STR || (*base)->kind == VAL_INT);
        if (builtin && !(*base)->fields && !mixes) {
            error_not_supported(
                in, b->span,
                arena_printf(core_arena(in),
                             "a class derived from the built-in type '%s' is not "
                             "evaluated",
                             (*base)->name),
                "keep the value as an attribute of a plain class");
            return false;
        }
    }
    return true;
}

bool
class_annotate(Interp *in, Attrs *body, Sym name, Span span)
{
    Value known = attrs_get(body, in->core->sym.annotations);
    if (known.kind != VAL_DICT) {
        known = val_dict(in);
        attrs_set(core_arena(in), body, in->core->sym.annotations, known);
    }
    return dict_put(in, known.dict, val_str_sym(in, name), val_none(), span);
}

static bool
run_class_body(Interp *in, ClassVal *c, ClassRef *ref, Ast *body)
{
    Frame *f = in->frame;
    Attrs *outer = f->class_names;
    ClassRef *outer_ref = f->class_ref;
    f->class_names = &c->attrs;
    f->class_ref = ref;
    Flow flow = exec_block(in, body);
    f->class_names = outer;
    f->class_ref = outer_ref;
    return flow == FLOW_NEXT;
}

static bool
decorate(Interp *in, Ast *decorator, Value *v)
{
    if (!decorator) {
        return true;
    }
    in->core->decorator = decorator->span;
    Value d = eval(in, decorator);
    if (val_failed(d) || !core_stack(in, decorator->span) ||
        !decorate(in, decorator->next, v)) {
        return false;
    }
    in->core->decorator = decorator->span;
    *v = call_values(in, d, v, 1, decorator->span);
    in->core->decorator = (Span){0};
    return !val_failed(*v);
}

bool
exec_class(Interp *in, Ast *s)
{
    ClassVal *base = NULL;
    enum {
        MAX_BASES = 200 /* a lookup of a name searches all of them */
    };
    TRY(core_stack(in, s->span) && find_base(in, s, &base));
    if (base && base->depth >= MAX_BASES) {
        py_diag(in, D_LIMIT_DEPTH, s->span, "classes derive more than %d deep",
                MAX_BASES);
        in->fatal = true;
        return false;
    }
    ClassVal *c = class_new(in, sym_text(&in->u->names, s->klass->name), base);
    ClassRef *ref = ARENA_NEW(core_arena(in), ClassRef);
    c->user = true;
    c->module = in->frame->module;
    ref->cls = c;
    TRY(run_class_body(in, c, ref, s->klass->body));
    const CoreSyms *sym = &in->core->sym;
    c->hooks = !val_failed(class_lookup(c, sym->setattr)) ||
               !val_failed(class_lookup(c, sym->getattr));
    c->properties = base && base->properties;
    for (uint32_t i = 0; i < c->attrs.n; i++) {
        c->properties = c->properties || is_property(c->attrs.p[i].v);
    }
    if (!val_failed(attrs_get(&c->attrs, sym->new_)) && !c->fields) {
        error_not_supported(in, s->span, "__new__ is not evaluated",
                            "set attributes in __init__; make choices in a function");
        return false;
    }
    if (c->is_enum) {
        TRY(enum_members(in, c));
    }
    TRY(c->kind != VAL_DICT || check_dict_class(in, c, s->span));
    Value v = {.kind = VAL_CLASS, .klass = c};
    return decorate(in, s->klass->decorators, &v) && eval_bind(in, s, s->name, v);
}

/* ---- making instances ---------------------------------------------------- */

static bool
named_error(Interp *in, const ClassVal *c, Span span, const char *text, const char *field)
{
    ExcInfo *x = error_raise(in, "TypeError", span, "%s() %s '%s'", c->name, text, field);
    x->id = D_ARG_COUNT;
    x->help = "give each field once";
    return false;
}

/* Fills fields given by position, by name, then from the defaults. */
static bool
fill_fields(Interp *in, const ClassVal *c, const CallArgs *args, Value *out)
{
    uint32_t n = c->fields->n;
    Value dflt = class_lookup(c, intern(&in->u->names, "_field_defaults"));
    if ((uint32_t)args->npos > n) {
        return named_error(in, c, args->span, "gets values after its last field",
                           n ? c->fields->p[n - 1].str->p : "");
    }
    for (int i = 0; i < args->npos; i++) {
        out[i] = args->pos[i];
    }
    for (int k = 0; k < args->nkw; k++) {
        const char *name = sym_text(&in->u->names, args->kwname[k]);
        uint32_t i = 0;
        while (i < n && !val_str_is(c->fields->p[i], name)) {
            i++;
        }
        if (i == n || !val_failed(out[i])) {
            return named_error(in, c, args->span,
                               i == n ? "has no field" : "gets twice the field", name);
        }
        out[i] = args->kwval[k];
    }
    for (uint32_t i = 0; i < n; i++) {
        bool missing = val_failed(out[i]);
        if (missing &&
            !(dflt.kind == VAL_DICT && dict_get(in, dflt, c->fields->p[i], &out[i]))) {
            return named_error(in, c, args->span, "needs the field",
                               c->fields->p[i].str->p);
        }
    }
    return true;
}

static Value
construct_named(Interp *in, ClassVal *c, const CallArgs *args)
{
    Value v = val_items(in, VAL_TUPLE, c->fields->n);
    v.list->cls = c;
    return fill_fields(in, c, args, v.list->p) ? v : val_fail();
}

Value
class_construct(Interp *in, ClassVal *c, const CallArgs *args)
{
    for (const ClassVal *b = c; b; b = b->base) {
        if (is_absent(b->absent)) {
            absent_used(in, b->absent, "is the base of a class that is called",
                        args->span);
            return val_fail();
        }
    }
    if (c->construct) {
        return c->construct(in, (Value){.kind = VAL_CLASS, .klass = c}, args);
    }
    if (c->is_enum) {
        return enum_lookup(in, c, args);
    }
    if (c->fields) {
        return construct_named(in, c, args);
    }
    if (c->kind == VAL_DICT && c->user) {
        return construct_dict(in, c, args);
    }
    if (c->kind != VAL_INSTANCE) {
        return py_raise(in, "TypeError", args->span, "'%s' cannot be called", c->name);
    }
    Value self = class_instance(in, c);
    if (c->exception) {
        self.inst->args = val_tuple(in, args->pos, (uint32_t)args->npos);
    }
    Value init = class_lookup(c, in->core->sym.init);
    if (!val_failed(init)) {
        Value r = call_with_self(in, init, self, args);
        return val_failed(r) ? r : self;
    }
    if (args->npos + args->nkw && !c->exception) {
        ExcInfo *x =
            error_raise(in, "TypeError", args->span, "%s() takes no arguments", c->name);
        x->id = D_ARG_COUNT;
        x->help = "the class has no __init__";
        return val_fail();
    }
    return self;
}

/* ---- namedtuple ---------------------------------------------------------- */

static Value
field_names(Interp *in, Value spec, Span span)
{
    if (spec.kind != VAL_STR) {
        return iter_collect(in, VAL_LIST, spec, span);
    }
    Value names = val_items(in, VAL_LIST, 0);
    const char *p = spec.str->p;
    const char *end = p + spec.str->len;
    while (p < end) {
        const char *q = p;
        while (q < end && !strchr(" ,\t\n", *q)) {
            q++;
        }
        if (q > p) {
            list_push(in, names, val_str_n(in, p, (size_t)(q - p)));
        }
        p = q + 1;
    }
    return names;
}

static Value
named_asdict(Interp *in, Value self, const CallArgs *args)
{
    Value d = val_dict(in);
    for (uint32_t i = 0; i < self.list->n; i++) {
        if (!dict_put(in, d.dict, self.list->cls->fields->p[i], self.list->p[i],
                      args->span)) {
            return val_fail();
        }
    }
    return d;
}

static Value
named_replace(Interp *in, Value self, const CallArgs *args)
{
    Value v = val_tuple(in, self.list->p, self.list->n);
    const List *fields = self.list->cls->fields;
    v.list->cls = self.list->cls;
    for (int k = 0; k < args->nkw; k++) {
        uint32_t i = 0;
        while (i < fields->n &&
               intern(&in->u->names, fields->p[i].str->p) != args->kwname[k]) {
            i++;
        }
        if (i == fields->n) {
            return py_raise(in, "ValueError", args->span, "'%s' has no field '%s'",
                            v.list->cls->name, sym_text(&in->u->names, args->kwname[k]));
        }
        v.list->p[i] = args->kwval[k];
    }
    return v;
}

/* Implements _make, a class method: its arguments are the class, then the values of the
 * fields. */
static Value
named_make(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value items = args->npos == 2 ? iter_collect(in, VAL_LIST, args->pos[1], args->span)
                                  : py_raise(in, "TypeError", args->span,
                                             "_make takes the values in one list");
    if (val_failed(items)) {
        return items;
    }
    CallArgs all = {.pos = items.list->p, .npos = (int)items.list->n, .span = args->span};
    return class_construct(in, args->pos[0].klass, &all);
}

static const BuiltinRow named_methods[] = {
    {"_asdict", named_asdict, 0, 0, NULL},
    {"_replace", named_replace, 0, 0, "*"},
};

static bool
named_defaults(Interp *in, ClassVal *c, Value dflts, Span span)
{
    Value list = iter_collect(in, VAL_LIST, dflts, span);
    Value d = val_dict(in);
    if (val_failed(list)) {
        return false;
    }
    if (list.list->n > c->fields->n) {
        py_raise(in, "TypeError", span, "there are more defaults than fields");
        return false;
    }
    uint32_t first = c->fields->n - list.list->n;
    for (uint32_t i = 0; i < list.list->n; i++) {
        TRY(dict_put(in, d.dict, c->fields->p[first + i], list.list->p[i], span));
    }
    attrs_set(core_arena(in), &c->attrs, intern(&in->u->names, "_field_defaults"), d);
    return true;
}

Value
class_named_tuple(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value name = args->pos[0];
    Value fields = field_names(in, args->pos[1], args->span);
    if (val_failed(fields)) {
        return fields;
    }
    if (name.kind != VAL_STR) {
        return py_raise(in, "TypeError", args->span,
                        "the name of a named tuple is a text");
    }
    for (uint32_t i = 0; i < fields.list->n; i++) {
        if (fields.list->p[i].kind != VAL_STR) {
            return py_raise(in, "TypeError", args->span, "the fields of '%s' are texts",
                            name.str->p);
        }
        if (!core_charge(in, i, args->span)) {
            return val_fail();
        }
        for (uint32_t k = 0; k < i; k++) {
            if (op_identical(fields.list->p[i], fields.list->p[k])) {
                return py_raise(in, "ValueError", args->span,
                                "the field '%s' is named twice",
                                fields.list->p[i].str->p);
            }
        }
    }
    ClassVal *c = class_new(in, val_text_of(in, name), in->core->types[VAL_TUPLE]);
    c->construct = NULL;
    c->fields = fields.list;
    builtin_add_rows(in, &c->attrs, named_methods, ARRAY_LEN(named_methods), c);
    attrs_set(core_arena(in), &c->attrs, in->core->sym.fields,
              val_tuple(in, fields.list->p, fields.list->n));
    Descr *make = ARENA_NEW(core_arena(in), Descr);
    make->base.cls = &descr_class;
    make->kind = DESCR_CLASS;
    make->get = val_builtin(in, "_make", named_make, val_fail());
    attrs_set(core_arena(in), &c->attrs, intern(&in->u->names, "_make"),
              val_object(&make->base));
    Value dflts = builtin_keyword(args, intern(&in->u->names, "defaults"));
    if (!val_failed(dflts) && dflts.kind != VAL_NONE &&
        !named_defaults(in, c, dflts, args->span)) {
        return val_fail();
    }
    return (Value){.kind = VAL_CLASS, .klass = c};
}

/* ---- isinstance ---------------------------------------------------------- */

bool
class_isinstance(Interp *in, Value v, Value cls, Span span, bool *out)
{
    *out = false;
    if (cls.kind == VAL_TUPLE) {
        for (uint32_t i = 0; i < cls.list->n && !*out; i++) {
            TRY(core_stack(in, span) && core_item(in, span) &&
                class_isinstance(in, v, cls.list->p[i], span, out));
        }
        return true;
    }
    if (is_absent(cls)) {
        return absent_used(in, cls, "is asked for as a class", span);
    }
    if (cls.kind != VAL_CLASS) {
        py_raise(in, "TypeError", span,
                 "isinstance takes a class or a tuple of classes, not '%s'",
                 val_type_name(cls));
        return false;
    }
    const ClassVal *c = cls.klass;
    if (c->kind == VAL_OBJECT && c->objects) {
        *out = v.kind == VAL_OBJECT && v.obj->cls == c->objects;
        return true;
    }
    *out = c == in->core->object_type || class_is(val_class(in, v), c);
    return true;
}
