/* struct.c: the structures and enumerations of the module tik (tik/struct.def): how they
 * are made, read, assigned and printed. A structure is an object whose fields a method
 * reads when it is called, so a Scalar in a field stands for its value at that call. Each
 * value of an enumeration is one object.
 *
 * Owns: argument-count and arg-type of the fields. */
#include "tik/struct.h"

#include "python/core.h"

#include <string.h>

enum {
    FIELDS = 20, /* most fields of a structure */
    SIDES = 4,   /* items of a field of kind LIST4 */
    KINDS = 6    /* kinds of fields before those that are enumerations */
};

typedef enum FieldKind {
    KIND_OF_INT,
    KIND_OF_BOOL,
    KIND_OF_NUMBER,
    KIND_OF_ADDRESS,
    KIND_OF_LIST,
    KIND_OF_LIST4,
#define ENUM(name) KIND_OF_##name,
#include "tik/struct.def"
} FieldKind;

_Static_assert((int)KIND_OF_LIST4 + 1 == KINDS, "FieldKind");

typedef struct FieldRow {
    TikStruct of;
    const char *name;
    int dflt;
    const char *shown;
    FieldKind kind;
} FieldRow;

static const FieldRow fields[TFIELD_COUNT] = {
#define FIELD(of, name, dflt, kind) {TSTRUCT_##of, #name, dflt, #dflt, KIND_OF_##kind},
#include "tik/struct.def"
};

/* Another name of a field or an enumerator, and the name that it stands for. */
typedef struct Spelling {
    int of;
    const char *other;
    const char *name;
} Spelling;

static const Spelling aliases[] = {
#define ALIAS(of, other, name) {TSTRUCT_##of, #other, #name},
#include "tik/struct.def"
};

static const struct {
    TikEnum of;
    const char *name;
    int number;
} enumerators[] = {
#define ENUMERATOR(of, name, number) {TENUM_##of, #name, number},
#include "tik/struct.def"
};

static const Spelling spellings[] = {
#define SPELLING(of, other, name) {TENUM_##of, #other, #name},
#include "tik/struct.def"
};

static const char *const enum_names[TENUM_COUNT] = {
#define ENUM(name) #name,
#include "tik/struct.def"
};

typedef struct StructObj {
    Object base;
    Value field[FIELDS];
    Span at[FIELDS]; /* where the program gave it; file 0: it has its default */
} StructObj;

typedef struct Enumerator {
    Object base;
    int row; /* index in enumerators */
} Enumerator;

/* The enumeration itself, such as tik.BlockMode. */
typedef struct EnumObj {
    Object base;
    TikEnum of;
} EnumObj;

static const ObjectClass struct_class[TSTRUCT_COUNT], value_class[TENUM_COUNT];

/* Returns the name that another name stands for, or the name itself. */
static const char *
spelled(const Spelling *list, size_t n, int of, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (list[i].of == of && strcmp(list[i].other, name) == 0) {
            return list[i].name;
        }
    }
    return name;
}

/* ---- enumerations -------------------------------------------------------- */

/* Returns the objects of all enumerators, which are made when the module is filled. */
static const Value *
values_of(Interp *in)
{
    TikState *st = tik_state(in);
    if (!st->enumerators) {
        Value *all = ARENA_ARRAY(&in->u->arena, Value, ARRAY_LEN(enumerators));
        for (size_t i = 0; i < ARRAY_LEN(enumerators); i++) {
            Enumerator *e = ARENA_NEW(&in->u->arena, Enumerator);
            e->base.cls = &value_class[enumerators[i].of];
            e->row = (int)i;
            all[i] = val_object(&e->base);
        }
        st->enumerators = all;
    }
    return st->enumerators;
}

static Value
enum_attr(Interp *in, Object *self, Sym name, Span span, bool *found)
{
    (void)span;
    TikEnum of = ((EnumObj *)self)->of;
    const char *text =
        spelled(spellings, ARRAY_LEN(spellings), (int)of, tik_sym(in, name));
    for (size_t i = 0; i < ARRAY_LEN(enumerators); i++) {
        if (enumerators[i].of == of && strcmp(enumerators[i].name, text) == 0) {
            *found = true;
            return values_of(in)[i];
        }
    }
    *found = false;
    return val_none();
}

static void
enum_repr(Interp *in, Object *self, Text *out)
{
    (void)in;
    text_printf(out, "<enum '%s'>", enum_names[((EnumObj *)self)->of]);
}

static const char *
enumerator_at(TikEnum of, int index)
{
    for (size_t i = 0; i < ARRAY_LEN(enumerators); i++) {
        if (enumerators[i].of == of && index-- == 0) {
            return enumerators[i].name;
        }
    }
    return NULL;
}

static Value
value_attr(Interp *in, Object *self, Sym name, Span span, bool *found)
{
    (void)span;
    int row = ((Enumerator *)self)->row;
    const char *text = tik_sym(in, name);
    *found = true;
    if (strcmp(text, "name") == 0) {
        return val_str(in, enumerators[row].name);
    }
    *found = strcmp(text, "value") == 0;
    return *found ? val_int(enumerators[row].number) : val_none();
}

static const char *
value_attr_name(int index)
{
    static const char *const names[] = {"name", "value"};
    return index < (int)ARRAY_LEN(names) ? names[index] : NULL;
}

static void
value_repr(Interp *in, Object *self, Text *out)
{
    (void)in;
    int row = ((Enumerator *)self)->row;
    text_printf(out, "%s.%s", enum_names[enumerators[row].of], enumerators[row].name);
}

/* Each enumeration has a class of its own: messages and attr_name need the names. */
#define ENUM(name)                                                                       \
    static const char *name##_at(int index)                                              \
    {                                                                                    \
        return enumerator_at(TENUM_##name, index);                                       \
    }
#include "tik/struct.def"

static const ObjectClass enum_class[TENUM_COUNT] = {
#define ENUM(title)                                                                      \
    {.name = #title, .get_attr = enum_attr, .repr = enum_repr, .attr_name = title##_at},
#include "tik/struct.def"
};

static const ObjectClass value_class[TENUM_COUNT] = {
#define ENUM(title)                                                                      \
    {.name = #title,                                                                     \
     .get_attr = value_attr,                                                             \
     .repr = value_repr,                                                                 \
     .attr_name = value_attr_name},
#include "tik/struct.def"
};

bool
tik_is_enum(Value v, TikEnum of)
{
    return tik_is(v, &value_class[of]);
}

int
tik_enum_number(Value v)
{
    return enumerators[((Enumerator *)v.obj)->row].number;
}

/* ---- fields -------------------------------------------------------------- */

static int
first_field(TikStruct s)
{
    int i = 0;
    while (fields[i].of != s) {
        i++;
    }
    return i;
}

static int
field_count(TikStruct s)
{
    int first = first_field(s), n = 0;
    while (first + n < TFIELD_COUNT && fields[first + n].of == s) {
        n++;
    }
    if (n > FIELDS) {
        ICE("FIELDS is too small for the rows of tik/struct.def");
    }
    return n;
}

static Value
default_of(Interp *in, const FieldRow *f)
{
    if (f->kind == KIND_OF_BOOL) {
        return val_bool(f->dflt != 0);
    }
    if (f->kind == KIND_OF_LIST) {
        return val_none();
    }
    if (f->kind == KIND_OF_LIST4) {
        Value sides[SIDES];
        for (int i = 0; i < SIDES; i++) {
            sides[i] = val_int(f->dflt);
        }
        return val_tuple(in, sides, SIDES);
    }
    for (size_t i = 0; (int)f->kind >= KINDS && i < ARRAY_LEN(enumerators); i++) {
        if ((int)enumerators[i].of == (int)f->kind - KINDS &&
            enumerators[i].number == f->dflt) {
            return values_of(in)[i];
        }
    }
    return val_int(f->dflt);
}

static const char *
default_text(const FieldRow *f)
{
    return f->kind == KIND_OF_BOOL   ? f->dflt ? "True" : "False"
           : f->kind == KIND_OF_LIST ? "None"
                                     : f->shown;
}

static bool
is_list4(Value v)
{
    bool list = v.kind == VAL_LIST || v.kind == VAL_TUPLE;
    for (uint32_t i = 0; list && i < v.list->n; i++) {
        ValueKind k = v.list->p[i].kind;
        list = k == VAL_INT || k == VAL_BOOL || tik_is_runtime(v.list->p[i]);
    }
    return list && v.list->n == SIDES;
}

static bool
kind_takes(FieldKind k, Value v)
{
    bool whole = v.kind == VAL_INT || v.kind == VAL_BOOL || v.kind == VAL_BIG;
    switch (k) {
    case KIND_OF_BOOL:
        return v.kind == VAL_BOOL || (v.kind == VAL_INT && (v.i == 0 || v.i == 1));
    case KIND_OF_NUMBER:
        return whole || v.kind == VAL_FLOAT || tik_is_runtime(v);
    case KIND_OF_ADDRESS:
        return whole || tik_is_runtime(v) || tik_is(v, &tik_tensor_class);
    case KIND_OF_LIST:
        return v.kind == VAL_LIST || v.kind == VAL_TUPLE || v.kind == VAL_NONE;
    case KIND_OF_INT:
        return whole || tik_is_runtime(v);
    case KIND_OF_LIST4:
        return is_list4(v);
#define ENUM(name) case KIND_OF_##name:
#include "tik/struct.def"
        return tik_is(v, &value_class[k - KINDS]);
    }
    UNREACHABLE();
}

static const char *
kind_text(Interp *in, FieldKind k)
{
    static const char *const texts[KINDS] = {"an int, a Scalar or an Expr",
                                             "True or False",
                                             "a number, a Scalar or an Expr",
                                             "an int, a Scalar, an Expr or a tensor",
                                             "a list",
                                             "a list of 4 numbers"};
    return (int)k < KINDS ? texts[k]
                          : arena_printf(&in->u->arena, "a value of tik.%s",
                                         enum_names[(int)k - KINDS]);
}

/* Puts a value into a field; false with arg-type when it is of another kind. */
static bool
put_field(Interp *in, StructObj *o, int field, Value v, Span span)
{
    const FieldRow *f = &fields[field];
    if (!kind_takes(f->kind, v)) {
        py_diag(in, D_ARG_TYPE, span, "%s of %s is %s; it takes %s", f->name,
                struct_class[f->of].name, tik_a(in, v), kind_text(in, f->kind));
        return false;
    }
    o->at[field - first_field(f->of)] = span;
    o->field[field - first_field(f->of)] =
        f->kind == KIND_OF_BOOL ? val_bool(v.kind == VAL_BOOL ? v.b : v.i != 0) : v;
    return true;
}

/* Returns the field with that name or other name; -1 if there is none. */
static int
field_named(TikStruct s, const char *name)
{
    const char *text = spelled(aliases, ARRAY_LEN(aliases), (int)s, name);
    int first = first_field(s);
    for (int i = 0; i < field_count(s); i++) {
        if (strcmp(fields[first + i].name, text) == 0) {
            return first + i;
        }
    }
    return -1;
}

/* ---- structures ---------------------------------------------------------- */

TikStruct
tik_struct_of(Value v)
{
    for (int s = 0; v.kind == VAL_OBJECT && s < TSTRUCT_COUNT; s++) {
        if (v.obj->cls == &struct_class[s]) {
            return (TikStruct)s;
        }
    }
    return TSTRUCT_COUNT;
}

Value
tik_field(Value v, TikField f)
{
    return ((StructObj *)v.obj)->field[(int)f - first_field(fields[f].of)];
}

Span
tik_field_span(Value v, TikField f, Span otherwise)
{
    const StructObj *o = (const StructObj *)v.obj;
    Span at = o->at[(int)f - first_field(fields[f].of)];
    return at.file ? at : otherwise;
}

const char *
tik_field_name(TikField f)
{
    return fields[f].name;
}

bool
tik_struct_changed(Interp *in, Value v)
{
    TikStruct s = tik_struct_of(v);
    const StructObj *o = (StructObj *)v.obj;
    for (int i = 0; i < field_count(s); i++) {
        Value is = o->field[i], was = default_of(in, &fields[first_field(s) + i]);
        bool same = is.kind == was.kind && (is.kind == VAL_OBJECT ? is.obj == was.obj
                                            : is.kind == VAL_BOOL ? is.b == was.b
                                                                  : is.i == was.i);
        if (!same) {
            return true;
        }
    }
    return false;
}

/* Returns the keywords with other names replaced by the names of the fields. */
static const Sym *
field_keywords(Interp *in, TikStruct s, const CallArgs *args)
{
    Sym *names = ARENA_ARRAY(&in->u->arena, Sym, args->nkw + 1);
    for (int i = 0; i < args->nkw; i++) {
        const char *text = tik_sym(in, args->kwname[i]);
        names[i] =
            intern(&in->u->names, spelled(aliases, ARRAY_LEN(aliases), (int)s, text));
    }
    return names;
}

static Value
construct(Interp *in, TikStruct s, const CallArgs *args)
{
    int first = first_field(s), n = field_count(s);
    CallArg params[FIELDS];
    Value got[FIELDS];
    Span span[FIELDS];
    for (int i = 0; i < n; i++) {
        params[i] = (CallArg){.name = fields[first + i].name,
                              .dflt = DFLT_OWN,
                              .text = default_text(&fields[first + i]),
                              .of = ""};
    }
    CallArgs renamed = *args;
    renamed.kwname = field_keywords(in, s, args);
    Signature as = {.name = struct_class[s].name, .args = params, .n = n};
    if (!call_bind(in, &as, &renamed, got, span)) {
        return val_fail();
    }
    for (int i = 0; i < n; i++) {
        got[i] = val_failed(got[i]) ? default_of(in, &fields[first + i]) : got[i];
    }
    StructObj *o = ARENA_NEW(&in->u->arena, StructObj);
    o->base.cls = &struct_class[s];
    for (int i = 0; i < n; i++) {
        if (!put_field(in, o, first + i, got[i], span[i])) {
            return val_fail();
        }
        bool given = span[i].begin != args->span.begin || span[i].end != args->span.end;
        o->at[i] = given ? span[i] : (Span){0};
    }
    return val_object(&o->base);
}

static Value
struct_attr(Interp *in, Object *self, Sym name, Span span, bool *found)
{
    (void)span;
    Value v = val_object(self);
    int field = field_named(tik_struct_of(v), tik_sym(in, name));
    *found = field >= 0;
    return *found ? tik_field(v, (TikField)field) : val_none();
}

static bool
struct_set_attr(Interp *in, Object *self, Sym name, Value v, Span span)
{
    TikStruct s = tik_struct_of(val_object(self));
    const char *text = tik_sym(in, name);
    int field = field_named(s, text);
    if (field >= 0) {
        return put_field(in, (StructObj *)self, field, v, span);
    }
    Text list;
    text_init(&list, &in->u->arena);
    for (int i = 0; i < field_count(s); i++) {
        text_printf(&list, "%s%s", i ? ", " : "", fields[first_field(s) + i].name);
    }
    Nearest near = {.wanted = text};
    for (int i = 0; i < field_count(s); i++) {
        nearest_try(&near, fields[first_field(s) + i].name);
    }
    ExcInfo *x =
        error_raise(in, "AttributeError", span, "%s has no field '%s'; its fields are %s",
                    struct_class[s].name, text, list.p);
    (void)nearest_suggest(in, &near, x);
    return false;
}

static void
struct_repr(Interp *in, Object *self, Text *out)
{
    TikStruct s = tik_struct_of(val_object(self));
    const StructObj *o = (StructObj *)self;
    text_printf(out, "%s(", struct_class[s].name);
    for (int i = 0; i < field_count(s); i++) {
        text_printf(out, "%s%s=%s", i ? ", " : "", fields[first_field(s) + i].name,
                    val_repr(in, o->field[i]));
    }
    text_putc(out, ')');
}

static const char *
field_at(TikStruct s, int index)
{
    return index < field_count(s) ? fields[first_field(s) + index].name : NULL;
}

#define STRUCT(title)                                                                    \
    static const char *title##_at(int index)                                             \
    {                                                                                    \
        return field_at(TSTRUCT_##title, index);                                         \
    }                                                                                    \
    static Value title##_new(Interp *in, Value self, const CallArgs *args)               \
    {                                                                                    \
        (void)self;                                                                      \
        return construct(in, TSTRUCT_##title, args);                                     \
    }
#include "tik/struct.def"

static const ObjectClass struct_class[TSTRUCT_COUNT] = {
#define STRUCT(title)                                                                    \
    {.name = #title,                                                                     \
     .get_attr = struct_attr,                                                            \
     .set_attr = struct_set_attr,                                                        \
     .repr = struct_repr,                                                                \
     .attr_name = title##_at},
#include "tik/struct.def"
};

void
tik_install_structs(Interp *in, Value module)
{
    static const BuiltinFn make[TSTRUCT_COUNT] = {
#define STRUCT(title) title##_new,
#include "tik/struct.def"
    };
    for (int s = 0; s < TSTRUCT_COUNT; s++) {
        py_module_set(
            in, module, struct_class[s].name,
            py_object_type(in, struct_class[s].name, &struct_class[s], make[s]));
    }
    for (int e = 0; e < TENUM_COUNT; e++) {
        EnumObj *o = ARENA_NEW(&in->u->arena, EnumObj);
        o->base.cls = &enum_class[e];
        o->of = (TikEnum)e;
        py_module_set(in, module, enum_names[e], val_object(&o->base));
    }
}
