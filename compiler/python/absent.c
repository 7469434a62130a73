/* absent.c: stand-ins for modules that do not exist. A program may import such a module,
 * read attributes of it, derive a class from one, write one before a function or into an
 * annotation: many files import more than they need. Any use of more than the name is the
 * error, which points back at the import, as in a language whose imports happen when they
 * are first used.
 *
 * A try statement that catches the ImportError of its imports gets that error: its
 * program has an alternative. */
#include "python/core.h"

#include <string.h>

typedef struct Absent {
    Object base;
    const char *name; /* dotted name: torch.nn.Module */
    const char *why;  /* why it does not exist: a sentence without its end */
    const char *help;
    Span imported; /* the statement that imported it first */
    /* an import names it, so it counts as existing: it is true and not None */
    bool module;
} Absent;

/* ---- making -------------------------------------------------------------- */

/* Returns the stand-in of a name. There is one per name, so a dictionary finds what was
 * put there under the same one. */
static Absent *
make(Interp *in, const char *name)
{
    Sym sym = intern(&in->u->names, name);
    Value known = attrs_get(&in->core->absent, sym);
    if (!val_failed(known)) {
        return (Absent *)known.obj;
    }
    Absent *a = ARENA_NEW(core_arena(in), Absent);
    a->base.cls = &absent_class;
    a->name = sym_text(&in->u->names, sym);
    attrs_set(core_arena(in), &in->core->absent, sym, val_object(&a->base));
    return a;
}

Value
absent_module(Interp *in, const char *dotted, const char *why, const char *help,
              Span span)
{
    Absent *a = make(in, dotted);
    if (!a->why || !a->module) {
        a->why = why;
        a->help = help;
        a->imported = span;
        a->module = true;
    }
    return val_object(&a->base);
}

Value
absent_member(Interp *in, Value of, const char *name, Span span)
{
    enum {
        LONGEST = 200 /* limit of the length of a dotted name */
    };
    const Absent *from = (const Absent *)of.obj;
    if (strlen(from->name) + strlen(name) >= LONGEST) {
        return py_raise(in, "AttributeError", span,
                        "the name of a placeholder has more than %d characters", LONGEST);
    }
    if (!core_charge(in, (int64_t)strlen(from->name) + 24, span)) {
        return val_fail();
    }
    Absent *a = make(in, arena_printf(core_arena(in), "%s.%s", from->name, name));
    if (!a->why) {
        a->why = from->why;
        a->help = from->help;
        a->imported = from->imported;
    }
    return val_object(&a->base);
}

Value
absent_parent(Interp *in, Value v, const char *dotted)
{
    const Absent *a = (const Absent *)v.obj;
    return absent_module(in, dotted, a->why, a->help, a->imported);
}

ClassVal *
absent_base(Interp *in, Value v)
{
    ClassVal *c = class_new(in, ((const Absent *)v.obj)->name, NULL);
    c->absent = v;
    return c;
}

/* ---- using --------------------------------------------------------------- */

/* what is the predicate of the message, after the quoted name: "is called". */
bool
absent_used(Interp *in, Value v, const char *what, Span span)
{
    const Absent *a = (const Absent *)v.obj;
    ExcInfo *x = error_raise(in, "ModuleNotFoundError", span, "'%s' %s, but %s", a->name,
                             what, a->why);
    x->help = a->help;
    x->note = "imported here; the import alone is no error";
    x->note_span = a->imported;
    return false;
}

static Value
fail(Interp *in, Object *self, const char *what, Span span)
{
    absent_used(in, val_object(self), what, span);
    return val_fail();
}

static Value
absent_attr(Interp *in, Object *self, Sym name, Span span, bool *found)
{
    *found = name != in->core->sym.class_;
    return *found
               ? absent_member(in, val_object(self), sym_text(&in->u->names, name), span)
               : val_fail();
}

static Value
absent_item(Interp *in, Object *self, Value key, Span span)
{
    (void)key;
    return fail(in, self, "is subscripted", span);
}

static bool
absent_set_item(Interp *in, Object *self, Value key, Value v, Span span)
{
    (void)key;
    (void)v;
    return absent_used(in, val_object(self), "is subscripted", span);
}

/* Calls a stand-in. As a decorator it makes one of what it decorates, since its result is
 * unknown. */
static Value
absent_call(Interp *in, Object *self, const CallArgs *args)
{
    Span d = in->core->decorator;
    bool decorates = d.file == args->span.file && d.begin == args->span.begin &&
                     d.end == args->span.end && d.end > d.begin;
    return decorates ? val_object(self) : fail(in, self, "is called", args->span);
}

static bool
is_module(const Object *o)
{
    return o->cls == &absent_class && ((const Absent *)o)->module;
}

/* Compares a stand-in. A module is not equal to a value of another kind, so that `if
 * torch == None` is decided; the value of anything in it is not known. */
static Value
absent_binary(Interp *in, AstOp op, Value left, Value right, Span span)
{
    bool mine = left.kind == VAL_OBJECT && left.obj->cls == &absent_class;
    Object *self = mine ? left.obj : right.obj;
    if ((op == AOP_EQ || op == AOP_NE) && is_module(self)) {
        return val_bool(op_identical(left, right) == (op == AOP_EQ));
    }
    return fail(in, self, op >= AOP_EQ ? "is compared" : "is an operand", span);
}

static Value
absent_unary(Interp *in, AstOp op, Object *self, Span span)
{
    (void)op;
    return fail(in, self, "is an operand", span);
}

static bool
absent_truth(Interp *in, Object *self, Span span, bool *out)
{
    *out = true;
    return is_module(self) || hidden_truth(in, self, span, out);
}

static bool
absent_enter(Interp *in, Object *self, Span span, Value *result)
{
    *result = val_none();
    return absent_used(in, val_object(self), "is used in a with statement", span);
}

static bool
absent_leave(Interp *in, Object *self, Span span, bool failed)
{
    (void)in;
    (void)self;
    (void)span;
    return !failed;
}

static void
absent_repr(Interp *in, Object *self, Text *out)
{
    (void)in;
    text_printf(out, "<%s, which is not there>", ((const Absent *)self)->name);
}

const ObjectClass absent_class = {
    .name = "name of a module that is not there",
    .get_attr = absent_attr,
    .set_attr = hidden_set_attr,
    .get_item = absent_item,
    .set_item = absent_set_item,
    .call = absent_call,
    .binary = absent_binary,
    .unary = absent_unary,
    .truth = absent_truth,
    .enter = absent_enter,
    .leave = absent_leave,
    .repr = absent_repr,
    .length = hidden_length,
};

/* ---- try statements that have another way -------------------------------- */

static bool
names_one_of(Interp *in, const Ast *filter, const char *const *names)
{
    if (filter->kind == AST_TUPLE) {
        for (const Ast *a = filter->list; a; a = a->next) {
            if (names_one_of(in, a, names)) {
                return true;
            }
        }
        return false;
    }
    const char *text =
        filter->kind == AST_NAME ? sym_text(&in->u->names, filter->name) : "";
    for (; *names; names++) {
        if (strcmp(*names, text) == 0) {
            return true;
        }
    }
    return false;
}

ImportHandler
absent_handler(Interp *in, const Ast *try_statement)
{
    static const char *const exact[] = {"ImportError", "ModuleNotFoundError", NULL};
    static const char *const wide[] = {"Exception", "BaseException", NULL};
    ImportHandler best = HANDLER_NONE;
    for (const Ast *h = try_statement->list; h; h = h->next) {
        if (h->a && names_one_of(in, h->a, exact)) {
            return HANDLER_EXACT;
        }
        if (!h->a || names_one_of(in, h->a, wide)) {
            best = HANDLER_WIDE;
        }
    }
    return best;
}

bool
absent_is_awaited(const Interp *in)
{
    return in->core->import_guards > 0 || (in->frame && in->frame->import_guards > 0);
}
