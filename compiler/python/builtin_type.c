/* builtin_type.c: has the classes of the built-in types with their constructors, and the
 * exceptions. */
#include "python/core.h"

#include <math.h>
#include <string.h>

static bool
at_most(Interp *in, const CallArgs *args, int max, bool keywords, const char *name)
{
    if (args->npos <= max && (keywords || args->nkw == 0)) {
        return true;
    }
    ExcInfo *x =
        error_raise(in, "TypeError", args->span, "%s() takes at most %d argument%s", name,
                    max, max == 1 ? "" : "s");
    x->id = D_ARG_COUNT;
    x->help = "see the documentation of the type";
    return false;
}

static Value
make_int(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Sym base_name = in->core->sym.base;
    Value base = args->npos > 1 ? args->pos[1] : builtin_keyword(args, base_name);
    int64_t b = 10;
    if (!at_most(in, args, 2, args->nkw == 1 && args->kwname[0] == base_name, "int")) {
        return val_fail();
    }
    if (args->npos == 0) {
        return val_int(0);
    }
    Value v = args->pos[0];
    if (attr_special(in, v, in->core->sym.int_, CALL_ARGS(NULL, 0, args->span), &v)) {
        return v;
    }
    if (v.kind == VAL_STR) {
        if (!val_failed(base) &&
            (!val_is_int(base) || !val_as_int64(base, &b) || b == 1 || b < 0 || b > 36)) {
            return py_raise(in, "ValueError", args->span,
                            "the base of int is 0 or 2 to 36");
        }
        return number_parse_int(in, v.str->p, v.str->len, (int)b, args->span);
    }
    if (!val_failed(base)) {
        return py_raise(in, "TypeError", args->span, "int with a base takes a text");
    }
    switch (v.kind) {
    case VAL_BOOL:
        return val_int(v.b);
    case VAL_INT:
    case VAL_BIG:
        return v;
    case VAL_FLOAT:
        return val_double_int(in, trunc(v.f), args->span);
    default:
        break;
    }
    if (is_host(v)) {
        return host_derived(in, v, args->span);
    }
    if (hidden_used(in, v, "is made an integer", args->span)) {
        return val_fail();
    }
    ExcInfo *x = error_raise(in, "TypeError", args->span,
                             "a '%s' cannot be made an integer", val_type_name(v));
    if (v.kind == VAL_OBJECT) {
        x->help = "only the kernel knows its value while it runs; Scalars are counted, "
                  "compared "
                  "and given to calls as they are";
    }
    return val_fail();
}

static Value
make_float(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    double f = 0;
    if (!at_most(in, args, 1, false, "float")) {
        return val_fail();
    }
    if (args->npos == 0) {
        return val_float(0);
    }
    Value v = args->pos[0];
    if (attr_special(in, v, in->core->sym.float_, CALL_ARGS(NULL, 0, args->span), &v)) {
        return v;
    }
    if (v.kind == VAL_STR) {
        return number_parse_float(in, v.str->p, v.str->len, &f)
                   ? val_float(f)
                   : py_raise(in, "ValueError", args->span, "%s is not a number",
                              val_repr(in, v));
    }
    if (is_host(v)) {
        return host_derived(in, v, args->span);
    }
    if (hidden_used(in, v, "is made a float", args->span)) {
        return val_fail();
    }
    core_owe(in, 4 * meter_size(v));
    if (!val_is_number(v)) {
        return py_raise(in, "TypeError", args->span, "a '%s' cannot be made a float",
                        val_type_name(v));
    }
    return number_double(in, v, args->span, &f) ? val_float(f) : val_fail();
}

static Value
make_bool(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    bool yes = false;
    if (!at_most(in, args, 1, false, "bool")) {
        return val_fail();
    }
    return args->npos == 0 || op_truth(in, args->pos[0], args->span, &yes) ? val_bool(yes)
                                                                           : val_fail();
}

static Value
make_str(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    char room[TEXT_ROOM];
    Text t;
    text_init_in(&t, core_arena(in), room, sizeof room);
    if (!at_most(in, args, 1, false, "str")) {
        return val_fail();
    }
    if (args->npos == 1 && args->pos[0].kind == VAL_STR) {
        return args->pos[0];
    }
    return args->npos == 0 || format_str(in, args->pos[0], args->span, &t)
               ? val_text(in, &t)
               : val_fail();
}

static Value
make_sequence(Interp *in, const CallArgs *args, ValueKind kind, const char *name)
{
    if (!at_most(in, args, 1, false, name)) {
        return val_fail();
    }
    return args->npos ? iter_collect(in, kind, args->pos[0], args->span)
                      : val_items(in, kind, 0);
}

static Value
make_list(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return make_sequence(in, args, VAL_LIST, "list");
}

static Value
make_tuple(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return make_sequence(in, args, VAL_TUPLE, "tuple");
}

static Value
make_set(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value s = dict_new(in, VAL_SET);
    bool ok = at_most(in, args, 1, false, "set") &&
              (args->npos == 0 || dict_add_items(in, s.dict, args->pos[0], args->span));
    return ok ? s : val_fail();
}

static Value
make_frozenset(Interp *in, Value self, const CallArgs *args)
{
    Value s = make_set(in, self, args);
    if (!val_failed(s)) {
        s.dict->frozen = true;
    }
    return s;
}

static Value
make_dict(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    Value d = val_dict(in);
    if (!at_most(in, args, 1, true, "dict") ||
        (args->npos && !dict_merge(in, d.dict, args->pos[0], args->span))) {
        return val_fail();
    }
    for (int i = 0; i < args->nkw; i++) {
        if (!dict_put(in, d.dict, val_str_sym(in, args->kwname[i]), args->kwval[i],
                      args->span)) {
            return val_fail();
        }
    }
    return d;
}

static bool
range_arg(Interp *in, const CallArgs *args, int i, int64_t *out)
{
    Span span = args->pos_span ? args->pos_span[i] : args->span;
    Value v = op_index(in, args->pos[i], span);
    if (v.kind == VAL_INT || v.kind == VAL_BOOL) {
        return val_as_int64(v, out);
    }
    if (val_failed(v) || hidden_used(in, v, "is a bound of range", span)) {
        return false;
    }
    if (v.kind == VAL_BIG) {
        py_raise(in, "OverflowError", span, "a bound of range needs more than 64 bits");
    } else {
        ExcInfo *x = error_raise(in, "TypeError", span, "range takes integers, not '%s'",
                                 val_type_name(v));
        x->help = v.kind == VAL_FLOAT    ? "make it an integer with int(...) or //"
                  : v.kind == VAL_OBJECT ? "a loop over a run-time value is for_range"
                                         : NULL;
    }
    return false;
}

static Value
make_range(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    RangeVal *r = ARENA_NEW(core_arena(in), RangeVal);
    int64_t distance = 0;
    r->step = 1;
    if (!at_most(in, args, 3, false, "range")) {
        return val_fail();
    }
    if (args->npos == 0) {
        return py_raise(in, "TypeError", args->span, "range needs an argument");
    }
    if (!range_arg(in, args, args->npos > 1, &r->stop) ||
        (args->npos > 1 && !range_arg(in, args, 0, &r->start)) ||
        (args->npos > 2 && !range_arg(in, args, 2, &r->step))) {
        return val_fail();
    }
    if (r->step == 0) {
        return py_raise(in, "ValueError", args->span, "the step of range is not zero");
    }
    bool ok =
        r->step != INT64_MIN && (r->step > 0 ? checked_sub(r->stop, r->start, &distance)
                                             : checked_sub(r->start, r->stop, &distance));
    if (!ok) {
        return py_raise(in, "OverflowError", args->span, "the range is too long");
    }
    r->n = distance > 0 ? (distance - 1) / (r->step > 0 ? r->step : -r->step) + 1 : 0;
    return (Value){.kind = VAL_RANGE, .range = r};
}

static Value
make_slice(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    SliceVal *s = ARENA_NEW(core_arena(in), SliceVal);
    if (!at_most(in, args, 3, false, "slice")) {
        return val_fail();
    }
    *s = (SliceVal){val_none(), val_none(), val_none()};
    if (args->npos > 1) {
        s->start = args->pos[0];
    }
    s->stop = args->npos ? args->pos[args->npos > 1] : val_none();
    if (args->npos > 2) {
        s->step = args->pos[2];
    }
    return (Value){.kind = VAL_SLICE, .slice = s};
}

static Value
make_type(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    if (args->npos != 1 || args->nkw) {
        return py_raise(in, "TypeError", args->span, "type takes one argument");
    }
    return (Value){.kind = VAL_CLASS, .klass = val_class(in, args->pos[0])};
}

static Value
make_descr(Interp *in, const CallArgs *args, DescrKind kind)
{
    Descr *d = ARENA_NEW(core_arena(in), Descr);
    if (args->npos < 1 || args->npos > 2 || args->nkw) {
        return py_raise(in, "TypeError", args->span, "a function is needed");
    }
    d->base.cls = &descr_class;
    d->kind = kind;
    d->get = args->pos[0];
    d->set = args->npos > 1 ? args->pos[1] : val_fail();
    return val_object(&d->base);
}

static Value
make_property(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return make_descr(in, args, DESCR_PROPERTY);
}

static Value
make_static(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return make_descr(in, args, DESCR_STATIC);
}

static Value
make_classmethod(Interp *in, Value self, const CallArgs *args)
{
    (void)self;
    return make_descr(in, args, DESCR_CLASS);
}

/* ---- object and exceptions ----------------------------------------------- */

static Value
object_init(Interp *in, Value self, const CallArgs *args)
{
    if (self.kind == VAL_INSTANCE && self.inst->cls->exception) {
        self.inst->args = val_tuple(in, args->pos, (uint32_t)args->npos);
    }
    return val_none();
}

static Value
object_setattr(Interp *in, Value self, const CallArgs *args)
{
    if (self.kind != VAL_INSTANCE || args->pos[0].kind != VAL_STR) {
        return py_raise(in, "TypeError", args->span,
                        "__setattr__ takes a name and a value");
    }
    attrs_set(core_arena(in), &self.inst->attrs, val_sym(in, args->pos[0]), args->pos[1]);
    return val_none();
}

static const BuiltinRow object_methods[] = {
    {"__init__", object_init, 0, 255, "*"},
    {"__setattr__", object_setattr, 2, 2, NULL},
};

static const struct {
    const char *name;
    const char *base;
    DiagId diag;
} exceptions[] = {
    {"BaseException", NULL, D_RAISED},
    {"Exception", "BaseException", D_RAISED},
    {"SystemExit", "BaseException", D_RAISED},
    {"KeyboardInterrupt", "BaseException", D_RAISED},
    {"RuntimeError", "Exception", D_RAISED},
    {"NotImplementedError", "RuntimeError", D_RAISED},
    {"RecursionError", "RuntimeError", D_LIMIT_DEPTH},
    {"ArithmeticError", "Exception", D_RAISED},
    {"ZeroDivisionError", "ArithmeticError", D_ZERO_DIVISION},
    {"OverflowError", "ArithmeticError", D_INT_TOO_LARGE},
    {"FloatingPointError", "ArithmeticError", D_RAISED},
    {"LookupError", "Exception", D_RAISED},
    {"IndexError", "LookupError", D_INDEX_ERROR},
    {"KeyError", "LookupError", D_KEY_ERROR},
    {"NameError", "Exception", D_NAME},
    {"UnboundLocalError", "NameError", D_NAME},
    {"AttributeError", "Exception", D_ATTRIBUTE},
    {"TypeError", "Exception", D_TYPE_ERROR},
    {"ValueError", "Exception", D_VALUE_ERROR},
    {"UnicodeError", "ValueError", D_VALUE_ERROR},
    {"AssertionError", "Exception", D_ASSERTION},
    {"ImportError", "Exception", D_IMPORT},
    {"ModuleNotFoundError", "ImportError", D_IMPORT},
    {"OSError", "Exception", D_RAISED},
    {"FileNotFoundError", "OSError", D_RAISED},
    {"MemoryError", "Exception", D_LIMIT_MEMORY},
    {"StopIteration", "Exception", D_RAISED},
    {"SyntaxError", "Exception", D_RAISED},
    {"Warning", "Exception", D_RAISED},
    {"UserWarning", "Warning", D_RAISED},
    {"DeprecationWarning", "Warning", D_RAISED},
    {"RuntimeWarning", "Warning", D_RAISED},
    {"FutureWarning", "Warning", D_RAISED},
};

static void
add_class(Interp *in, ClassVal *c)
{
    attrs_set(core_arena(in), &in->core->builtins->attrs, intern(&in->u->names, c->name),
              (Value){.kind = VAL_CLASS, .klass = c});
}

static void
add_exceptions(Interp *in)
{
    for (size_t i = 0; i < ARRAY_LEN(exceptions); i++) {
        ClassVal *base = NULL;
        if (exceptions[i].base) {
            Sym name = intern(&in->u->names, exceptions[i].base);
            base = attrs_get(&in->core->builtins->attrs, name).klass;
        }
        ClassVal *c = class_new(in, exceptions[i].name, base);
        c->exception = true;
        c->diag = exceptions[i].diag;
        add_class(in, c);
    }
}

/* ---- types --------------------------------------------------------------- */

static const struct {
    ValueKind kind;
    const char *name;
    BuiltinFn construct;
    bool visible; /* it has a name in programs */
} types[] = {
    {VAL_NONE, "NoneType", NULL, false},
    {VAL_INT, "int", make_int, true},
    {VAL_BOOL, "bool", make_bool, true},
    {VAL_FLOAT, "float", make_float, true},
    {VAL_STR, "str", make_str, true},
    {VAL_TUPLE, "tuple", make_tuple, true},
    {VAL_LIST, "list", make_list, true},
    {VAL_DICT, "dict", make_dict, true},
    {VAL_SET, "set", make_set, true},
    {VAL_RANGE, "range", make_range, true},
    {VAL_SLICE, "slice", make_slice, true},
    {VAL_FUNC, "function", NULL, false},
    {VAL_BUILTIN, "builtin_function_or_method", NULL, false},
    {VAL_BOUND, "method", NULL, false},
    {VAL_CLASS, "type", make_type, true},
    {VAL_MODULE, "module", NULL, false},
};

static ClassVal *
named_type(Interp *in, const char *name, BuiltinFn construct)
{
    ClassVal *c = class_new(in, name, NULL);
    c->kind = VAL_OBJECT;
    c->construct = construct;
    add_class(in, c);
    return c;
}

static void
add_types(Interp *in)
{
    struct Core *core = in->core;
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        ClassVal *base = types[i].kind == VAL_BOOL ? core->types[VAL_INT] : NULL;
        ClassVal *c = class_new(in, types[i].name, base);
        c->kind = types[i].kind;
        c->construct = types[i].construct;
        core->types[types[i].kind] = c;
        if (types[i].visible) {
            add_class(in, c);
        }
    }
    core->frozenset_type = class_new(in, "frozenset", NULL);
    core->frozenset_type->kind = VAL_SET;
    core->frozenset_type->construct = make_frozenset;
    add_class(in, core->frozenset_type);
    core->object_type = class_new(in, "object", NULL);
    add_class(in, core->object_type);
    builtin_add_rows(in, &core->object_type->attrs, object_methods,
                     ARRAY_LEN(object_methods), core->object_type);
    core->property_type = named_type(in, "property", make_property);
    core->property_type->objects = &descr_class;
    core->static_type = named_type(in, "staticmethod", make_static);
    core->class_type = named_type(in, "classmethod", make_classmethod);
    core->super_type = named_type(in, "super", class_super);
    core->super_type->objects = &super_class;
}

/* ---- installation -------------------------------------------------------- */

bool
builtin_install(Interp *in)
{
    struct Core *core = in->core;
    Attrs *into = &core->builtins->attrs;
    Value self = {.kind = VAL_MODULE, .module = core->builtins};
    add_types(in);
    add_exceptions(in);
    builtin_functions(in, into);
    refuse_install(in);
    numbermethod_install(in);
    strmethod_install(in);
    listmethod_install(in);
    dictmethod_install(in);
    Object *dots = ARENA_NEW(core_arena(in), Object);
    dots->cls = &ellipsis_class;
    core->ellipsis = val_object(dots);
    attrs_set(core_arena(in), into, intern(&in->u->names, "Ellipsis"), core->ellipsis);
    attrs_set(core_arena(in), into, core->sym.builtins, self);
    attrs_set(core_arena(in), into, intern(&in->u->names, "__debug__"), val_bool(true));
    core->nbuiltin_of = 0;
    for (uint32_t i = 0; i < into->n; i++) {
        core->nbuiltin_of = MAX(core->nbuiltin_of, into->p[i].name + 1);
    }
    core->builtin_of = ARENA_ARRAY(core_arena(in), Value, core->nbuiltin_of);
    for (uint32_t i = 0; i < into->n; i++) {
        core->builtin_of[into->p[i].name] = into->p[i].v;
    }
    return true;
}

Value
py_object_type(Interp *in, const char *name, const ObjectClass *cls, BuiltinFn construct)
{
    ClassVal *c = class_new(in, name, NULL);
    c->kind = VAL_OBJECT;
    c->objects = cls;
    c->construct = construct;
    Value v = {.kind = VAL_CLASS, .klass = c};
    VEC_PUSH(core_arena(in), &in->core->object_types, v);
    return v;
}
