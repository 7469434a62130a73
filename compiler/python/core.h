/* core.h: declares what is private to the evaluator's core: the heap objects of a Value,
 * the frame of a running function, and what the core's files offer to each other. The TIK
 * objects include only value.h and python/interp.h. A function that returns bool or a
 * Value fails as described in value.h. */
#ifndef TIKC_PYTHON_CORE_H
#define TIKC_PYTHON_CORE_H

#include "python/meter.h"
#include <gmp.h>

/* ---- heap objects -------------------------------------------------------- */

/* A namespace: attributes in order of creation. A slot keeps its number for ever; a
 * deleted or not yet bound name holds VAL_FAIL. */
typedef struct Attr {
    Sym name;
    Value v;
} Attr;

typedef struct Attrs {
    Attr *p;
    uint32_t n;
    uint32_t cap;
    uint32_t *index; /* hash index for large namespaces, else null */
    uint32_t nindex;
} Attrs;

struct BigInt {
    int32_t size; /* number of limbs, negative for a negative number */
    mp_limb_t limb[];
};

typedef struct DictEntry {
    Value key; /* VAL_FAIL if deleted */
    Value v;
    uint64_t hash;
} DictEntry;

struct Dict {
    DictEntry *p;
    uint32_t n; /* number of entries, including deleted ones */
    uint32_t cap;
    uint32_t live;
    uint32_t *index; /* entry number + 1, open addressing */
    uint32_t nindex;
    uint32_t first; /* the entries before it are deleted */
    uint32_t tail;  /* number of entries at the end that are deleted */
    bool frozen;    /* true for a frozenset */
    /* class of an instance of a class derived from dict; else null */
    struct ClassVal *cls;
    Attrs *attrs; /* attributes of such an instance */
    /* what is left of a set that is being popped, last item first; or null */
    List *order;
    /* if this is the __dict__ of an instance: its attributes, to which writes go as
     * well */
    Attrs *mirror;
};

typedef struct RangeVal {
    int64_t start;
    int64_t stop;
    int64_t step;
    int64_t n;
} RangeVal;

typedef struct Cell {
    Value v;
} Cell;

typedef struct ClassVal ClassVal;
typedef struct ModuleVal ModuleVal;

/* Names the class for super() in its methods. It is filled when the class statement
 * ends. */
typedef struct ClassRef {
    ClassVal *cls;
} ClassRef;

typedef struct FuncVal {
    const char *name;
    const struct Locals *loc;
    Value *dflt; /* one per parameter; VAL_FAIL where there is none */
    Cell **closure;
    struct ModuleVal *module;
    ClassRef *owner; /* null outside of classes */
    Attrs attrs;
} FuncVal;

typedef struct BuiltinVal {
    const char *name;
    BuiltinFn fn;
    Value self; /* VAL_FAIL if not bound */
    /* class of a method, whose first argument is the receiver when self is not bound */
    ClassVal *owner;
    bool checked; /* min, max and keywords are checked before the call */
    const char *keywords;
    uint8_t min;
    uint8_t max;  /* 255 means any number */
    uint8_t cost; /* a Cost: how a call is charged */
} BuiltinVal;

typedef struct BoundVal {
    Value self;
    Value func;
} BoundVal;

struct ClassVal {
    const char *name;
    ClassVal *base;
    Attrs attrs;
    ValueKind kind;             /* kind of its instances; VAL_INSTANCE for user classes */
    const ObjectClass *objects; /* kind VAL_OBJECT: class of its objects */
    BuiltinFn construct;        /* constructor of a built-in type */
    DiagId diag;                /* diagnostic of an exception that is not caught */
    bool exception;
    bool is_enum;
    bool user;       /* made by a class statement */
    bool hooks;      /* defines __setattr__ or __getattr__ */
    bool properties; /* it or a base has properties */
    uint16_t depth;  /* number of bases above it */
    /* number of attributes for which an instance gets storage: as many as others have */
    uint16_t room;
    List *fields; /* names of a named tuple's fields */
    ModuleVal *module;
    Value absent; /* a base that is a stand-in (absent.c), else VAL_FAIL */
};

/* What a diagnostic of an uncaught exception shows besides the message. */
typedef struct ExcInfo {
    DiagId id;
    const char *help;
    const char *note;
    Span note_span;
    const char *text;   /* complete message, if the evaluator raised it */
    const char *values; /* values of the names in the expression, or null */
    Nearest near; /* the name that was not found, and the one that may have been meant */
    bool silent;  /* its message was reported before */
} ExcInfo;

typedef struct InstanceVal {
    ClassVal *cls;
    Attrs attrs;
    Value args; /* tuple of an exception's arguments */
    ExcInfo *exc;
} InstanceVal;

typedef enum ModuleKind {
    MODULE_PLAIN,
    MODULE_PROVIDED, /* after its attributes come the provided names, then placeholders */
    MODULE_LAZY,     /* after its attributes come placeholders */
    /* after its attributes come what its init file takes from files, then files */
    MODULE_PACKAGE
} ModuleKind;

struct ModuleVal {
    const char *name; /* dotted name */
    Attrs attrs;
    ModuleKind kind;
    bool loading;        /* its statements are being executed */
    const char *package; /* package at which relative imports start, or null */
    const char *path;    /* path of the file from which it was loaded, or null */
    Ast *init;           /* init file of a package, or null */
    Value unknown_names; /* a stand-in that `from x import *` named, else VAL_FAIL */
};

/* Kinds of objects of the core that are C objects. */
typedef enum DescrKind {
    DESCR_STATIC,
    DESCR_CLASS,
    DESCR_PROPERTY
} DescrKind;

typedef struct Descr {
    Object base;
    DescrKind kind;
    Value get;
    Value set;
} Descr;

typedef struct SuperVal {
    Object base;
    ClassVal *after; /* class after which the lookup begins, at its base */
    Value self;
} SuperVal;

typedef enum IterKind {
    ITER_LIST,
    ITER_STR,
    ITER_RANGE,
    ITER_DICT, /* gives the keys */
    ITER_SET,  /* fn holds the items in order */
    ITER_ITEMS,
    ITER_VALUES,
    ITER_OBJECT, /* calls get_item of an object with a length */
    ITER_USER,   /* calls __next__ of an instance */
    ITER_ENUMERATE,
    ITER_ZIP,
    ITER_MAP,
    ITER_FILTER,
    ITER_REVERSED,
    ITER_CALL, /* calls fn() until the result is src */
    ITER_GENERATOR,
    ITER_SHARED /* continues an iterator object, which has the state */
} IterKind;

/* A generator expression between two items. It has a frame of its own, like a
 * function. */
typedef struct Generator {
    struct Frame *frame;
    struct Ast *node;
    int depth;    /* for clause that gives the next item; -1 if there are no more */
    bool running; /* its own code is computing an item */
} Generator;

typedef struct Iter {
    IterKind kind;
    bool done;
    bool strict; /* strict=True of ITER_ZIP */
    Generator *gen;
    int64_t i;
    int64_t n;
    Value src;
    Value fn;
    struct Iter *sub;
    uint32_t nsub;
} Iter;

typedef struct IterVal {
    Object base;
    Iter it;
    const char *name; /* "zip" */
} IterVal;

extern const ObjectClass descr_class;
extern const ObjectClass super_class;
extern const ObjectClass iter_class;
extern const ObjectClass ellipsis_class;
extern const ObjectClass view_class;

static inline bool
is_property(Value v)
{
    return v.kind == VAL_OBJECT && v.obj->cls == &descr_class &&
           ((const Descr *)v.obj)->kind == DESCR_PROPERTY;
}

/* The views keys(), values() and items() of a dictionary. */
typedef struct DictView {
    Object base;
    IterKind kind;
    Value dict;
} DictView;

/* ---- running state ------------------------------------------------------- */

typedef struct Frame {
    struct Frame *caller;
    struct Frame *callee; /* scratch of py_chain */
    Span call;            /* functions: span of the call */
    uint32_t outer_chain; /* functions: the caller's call chain, or CHAIN_UNKNOWN */
    Value *slots;
    Cell **cells;
    ModuleVal *module;
    const struct Locals *loc;
    FuncVal *func;      /* null at module level */
    Attrs *class_names; /* names of the class body that is being executed, else null */
    ClassRef *class_ref;
    Value ret;
    Value handling; /* exception of the except clause that is running, for a bare raise */
    Span handling_span;
    uint32_t handling_chain;
    /* number of try statements around here that catch an import's error */
    int import_guards;
} Frame;

typedef struct StackChunk {
    struct StackChunk *next;
    Value *end;
    Value p[];
} StackChunk;

typedef struct StackMark {
    StackChunk *chunk;
    Value *top;
} StackMark;

/* Names that the core itself looks for. */
typedef struct CoreSyms {
#define SYM(id, text) Sym id;
#include "python/sym.def"
#undef SYM
} CoreSyms;

typedef struct ModuleName {
    const char *dotted;
    Value module;
} ModuleName;

/* A folder with modules of the program's package, see loader.c. */
typedef struct ModuleDir {
    const char *path; /* path with its slash; "" is the present folder */
    const char *name; /* the folder holds the modules below this name; "" means all */
} ModuleDir;

typedef struct LoaderState {
    VEC(ModuleDir) dirs;   /* in the order of search */
    const char *package;   /* package of the main file; "" outside of packages */
    const char *main_name; /* dotted name of the main file, or null */
    bool dynamic;          /* true for the dynamic operator mode */
    bool common_first;     /* the common helper module was loaded, or does not exist */
} LoaderState;

/* Storage of a long text that was put together, with room after its end: what is added to
 * the text goes there, so that a program that builds a text piece by piece takes linear
 * time. */
typedef struct GrowingText {
    char *p;
    size_t n; /* number of bytes in use */
    size_t cap;
} GrowingText;

enum {
    KNOWN_MESSAGES = 64,
    /* room for text_init_in, for texts that are read at once or become a value */
    TEXT_ROOM = 128
};

/* The place where the rows of message.def for a format begin. Formats are constants, so
 * an address identifies one. */
typedef struct KnownMessage {
    const char *fmt;
    size_t row;
} KnownMessage;

struct Core {
    CoreSyms sym;
    LoaderState loader;
    Value ellipsis; /* the value of ... */
    /* names of all provided modules; VAL_FAIL while they are not loaded */
    Value provided;
    StackChunk *chunk;
    Value *top;           /* top of the value stack, in chunk */
    uintptr_t stack_base; /* address on the C stack at the start of the program */
    uintptr_t stack_room;
    uintptr_t stack_end; /* where that room ends */
    ModuleVal *builtins;
    Value *builtin_of; /* by Sym, for syms below nbuiltin_of; VAL_FAIL if there is none */
    uint32_t nbuiltin_of;
    ClassVal *types[VAL_OBJECT + 1]; /* classes of the values by their kind */
    ClassVal *iter_type, *property_type, *static_type, *class_type, *object_type,
        *super_type;
    ClassVal *frozenset_type;
    VEC(ModuleName) modules;
    VEC(Value) object_types; /* classes made by py_object_type */
    uint32_t *chain_index;   /* hash index of u->chains */
    uint32_t nchain_index;
    struct GrowingText growing[4]; /* see concat in op.c */
    int next_growing;
    Str *ascii[128];     /* strings of one character */
    VEC(Str *) literals; /* strings of the short literals, by Sym; null: not made yet */
    Str *empty;
    struct ReprStep *repr; /* containers that are being printed, innermost first */
    bool late_properties;  /* a class was given a property after its statement */
    int recoveries;        /* number of errors after which the evaluation went on */
    bool explaining;       /* a diagnostic is being given its values */
    /* number of exceptions that were given values though they may be caught */
    int explained;
    Attrs absent;      /* stand-ins by dotted name, see absent.c */
    Span decorator;    /* the decorator that is being evaluated or applied */
    int import_guards; /* number of active try statements that name ImportError */
    bool ended;        /* a value of the host ended the evaluation (host-end) */
    /* number of active pieces of code that may catch an exception: try, special
     * methods */
    int guards;
    /* the program's own code ran for the arguments of the present call, and may have kept
     * what it saw of them */
    bool brief_seen;
    KnownMessage messages[KNOWN_MESSAGES]; /* by the address of the format */
};

/* ---- value.c: constructors and small helpers ----------------------------- */

static inline Arena *
core_arena(Interp *in)
{
    return &in->u->arena;
}

/* Returns an attribute, also an unbound one, or null. */
Attr *attrs_entry(const Attrs *a, Sym name);
/* Does the same; *hint is where it was found the last time. */
static inline Attr *
attrs_entry_at(const Attrs *a, Sym name, uint32_t *hint)
{
    if (*hint < a->n && a->p[*hint].name == name) {
        return &a->p[*hint];
    }
    Attr *e = attrs_entry(a, name);
    *hint = e ? (uint32_t)(e - a->p) : *hint;
    return e;
}
Value attrs_get(const Attrs *a, Sym name); /* VAL_FAIL if there is none */
uint32_t attrs_slot(Arena *arena, Attrs *a, Sym name);
void attrs_set(Arena *arena, Attrs *a, Sym name, Value v);

Value val_str_sym(Interp *in, Sym name);
Value val_str_ref(Interp *in, const char *p, size_t n); /* p is not copied */
Value val_text(Interp *in, const Text *t);
/* Returns the truncated integer; raises an exception for infinities and NaN. */
Value val_double_int(Interp *in, double f, Span span);
/* Returns a list or tuple with room for n items, all VAL_FAIL. */
Value val_items(Interp *in, ValueKind kind, uint32_t n);
Value val_of_list(ValueKind kind, List *l);
bool val_is_int(Value v); /* true for int, big and bool */
bool val_is_number(Value v);
bool val_str_is(Value v, const char *text);
ClassVal *val_class(Interp *in, Value v);
Sym val_sym(Interp *in, Value str); /* the interned text of a string */

/* Takes the caller's C stack, from here on, as that of the evaluation. */
void core_begin_stack(Interp *in);
/* Reports that the C stack is used up; returns false. */
bool MUST_USE core_deep(Interp *in, Span span);

static inline bool MUST_USE
core_stack(Interp *in, Span span)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (here < in->core->stack_end) {
        return core_deep(in, span);
    }
    return true;
}

/* Reserves n values on the value stack, all VAL_FAIL; stack_release releases them. */
static inline StackMark
stack_mark(const Interp *in)
{
    return (StackMark){in->core->chunk, in->core->top};
}

static inline void
stack_release(Interp *in, StackMark m)
{
    in->core->chunk = m.chunk;
    in->core->top = m.top;
}

Value *stack_grow(Interp *in, uint32_t n);

static inline Value *
stack_take(Interp *in, uint32_t n)
{
    struct Core *c = in->core;
    if ((size_t)(c->chunk->end - c->top) < n) {
        return stack_grow(in, n);
    }
    Value *p = c->top;
    c->top += n;
    return p;
}

/* Must come before code of the program runs: what was made for arguments lasts. */
static inline void
core_keep_brief(Interp *in)
{
    if (in->brief) {
        in->core->brief_seen = true;
        in->brief = NULL;
    }
}

/* ---- error.c ------------------------------------------------------------- */

/* Returns what str() of an exception raised by the evaluator gives (message.def), or null
 * if that is an empty text. */
const char *message_for_program(Interp *in, const char *cls, const char *fmt,
                                const char *text);
/* Raises like py_raise and returns the facts of the exception, to which help and notes
 * can be added. */
ExcInfo *error_raise(Interp *in, const char *cls, Span span, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
/* Sets a pending exception that the program made. */
Value error_set(Interp *in, Value exception, Span span);
/* Does the same for an exception that is raised here, and keeps the arguments of the
 * calls. */
Value error_new(Interp *in, Value exception, Span span);
/* Turns the pending exception into a diagnostic. */
void error_report(Interp *in);
/* The class of the value that a name gets whose assignment failed: reading it fails
 * without another diagnostic. */
extern const ObjectClass poison_class;
static inline bool
is_poison(Value v)
{
    return v.kind == VAL_OBJECT && v.obj->cls == &poison_class;
}
Value error_poison(Interp *in);
Value error_poisoned(Interp *in, Span span); /* the failure of reading it */
/* Returns the place outside of stdlib/ that is at fault for an error there; cuts the call
 * chain to it. */
Span error_outside_library(Interp *in, Span span);
void nearest_attrs(Interp *in, Nearest *n, const Attrs *a);
/* Makes an exception ask whether the nearest name was meant; returns false if there is
 * none. */
bool nearest_suggest(Interp *in, const Nearest *n, ExcInfo *x);
/* Puts str() of an exception. */
void error_message(Interp *in, Value exception, Text *out);
/* Ends the evaluation with an error that the program cannot catch. help says what to
 * write instead. */
Value error_not_supported(Interp *in, Span span, const char *what, const char *help);

/* ---- explain.c ----------------------------------------------------------- */

/* Writes "a = 6, b = 2" for each of the innermost calls; null where there is nothing to
 * show. */
void explain_calls(Interp *in, const char **out, int most);
const char *explain_value(Interp *in, const char *name, Value v); /* may return null */
/* Returns the same for the names in an expression, or null. */
const char *explain_names(Interp *in, Span span);

/* ---- bigint.c, number.c: numbers ----------------------------------------- */

Value big_from_mpz(Interp *in, mpz_srcptr z, Span span);
void big_load(mpz_ptr z, Value v); /* z must be initialised; v is int, big or bool */
Value big_binary(Interp *in, AstOp op, Value a, Value b, Span span);
int big_compare(Value a, Value b);
int big_compare_double(Value a, double f); /* f must be finite */
bool big_to_double(Value v, double *out);  /* correctly rounded; false if out of range */
bool big_true_divide(Value a, Value b, double *out); /* b must not be 0 */
uint64_t big_hash(Value v);
/* Puts digits with a sign, without a prefix. */
void big_text(Interp *in, Value v, int base, Text *out);
/* Needs valid digits that end in a zero. */
Value big_parse(Interp *in, const char *digits, int base, Span span);
Value big_of_double(Interp *in, double f, Span span); /* the integral part */
int64_t big_bits(Value v);

Value number_binary(Interp *in, AstOp op, Value a, Value b, Span span);
Value number_unary(Interp *in, AstOp op, Value a, Span span);
int number_compare(Value a, Value b); /* -1, 0, 1; 2 if unordered */
Value number_pow(Interp *in, Value a, Value b, Span span);
uint64_t number_hash(Value v);
bool number_double(Interp *in, Value v, Span span, double *out); /* raises on overflow */
Value number_parse_int(Interp *in, const char *p, size_t n, int base, Span span);
/* Parses the text of an AST_INT. */
Value number_parse_literal(Interp *in, const char *text, Span span);
bool number_parse_float(Interp *in, const char *p, size_t n, double *out);
/* Rounds half to even, to an int; with digits to a float or an int. */
Value number_round(Interp *in, Value v, Value digits, Span span);

/* ---- dict.c -------------------------------------------------------------- */

Value dict_new(Interp *in, ValueKind kind);
bool dict_hash(Interp *in, Value key, Span span, uint64_t *out);
/* Returns the entry's number, -1 if there is none, -2 after a failure. */
int dict_find(Interp *in, const Dict *d, Value key, Span span);
bool dict_put(Interp *in, Dict *d, Value key, Value v, Span span);
/* Adds all items of an iterable to a set. */
bool dict_add_items(Interp *in, Dict *set, Value v, Span span);
bool dict_remove(Interp *in, Dict *d, Value key, Span span, bool *found, Value *old);
void dict_clear(Dict *d);
bool dict_merge(Interp *in, Dict *into, Value from, Span span); /* from: dict or pairs */
Value dict_copy(Interp *in, Value v);
/* Returns the keys of a set as a tuple, in the order in which a program sees them. */
Value set_order(Interp *in, const Dict *d, Span span);

/* ---- format.c: text of values -------------------------------------------- */

void format_double(double f, Text *out); /* puts the repr of a float */
bool format_repr(Interp *in, Value v, Span span, Text *out);
bool format_str(Interp *in, Value v, Span span, Text *out);
/* Puts the repr with \\u escapes. */
bool format_ascii(Interp *in, Value v, Span span, Text *out);
/* Returns the code of the UTF-8 character at p and its length; the other one puts the
 * text of a code. */
uint32_t format_code(const char *p, int *bytes);
void format_put_code(Text *out, uint32_t code);
bool format_spec(Interp *in, Value v, const char *spec, size_t n, Span span, Text *out);
Value format_percent(Interp *in, Value fmt, Value args, Span span);
/* Implements str.format and, with a mapping, str.format_map; map is the mapping or
 * VAL_FAIL. */
Value format_braces(Interp *in, Value fmt, const CallArgs *args, Value map);

/* ---- op.c, plain.c, index.c, attr.c, iter.c ------------------------------ */

Value op_binary(Interp *in, AstOp op, Value a, Value b, Span span);
Value op_inplace(Interp *in, AstOp op, Value a, Value b, Span span);
Value op_unary(Interp *in, AstOp op, Value a, Span span);
Value op_compare(Interp *in, AstOp op, Value a, Value b, Span span);
bool op_equal(Interp *in, Value a, Value b, Span span, bool *out);
bool op_less(Interp *in, Value a, Value b, Span span, bool *out);
bool op_identical(Value a, Value b);
bool op_contains(Interp *in, Value container, Value item, Span span, bool *out);
bool op_truth(Interp *in, Value v, Span span, bool *out);
/* Returns what __index__ of an instance gives; other values are returned as they are. */
Value op_index(Interp *in, Value v, Span span);
/* Returns what a C object gets for a number of a class: the result of numpy's __plain__
 * (an int when the value is integral, else a float), or of __index__ when the class holds
 * no items; this applies inside a tuple, a list or a slice, too. Other values are
 * returned as they are. */
Value op_plain_inside(Interp *in, Value v, Span span);
enum {
    /* the kinds of values that may be a number of a class, or hold one */
    PLAIN_KINDS = 1 << VAL_TUPLE | 1 << VAL_LIST | 1 << VAL_SLICE | 1 << VAL_INSTANCE
};
static inline Value
op_plain(Interp *in, Value v, Span span)
{
    return PLAIN_KINDS >> v.kind & 1 ? op_plain_inside(in, v, span) : v;
}
/* Returns the arguments with each value as op_plain gives it: args itself when that
 * changes none, else *room. Returns null after an exception. */
const CallArgs *op_plain_args(Interp *in, const CallArgs *args, CallArgs *room);
bool op_length(Interp *in, Value v, Span span, int64_t *out);

Value index_get(Interp *in, Value container, Value key, Span span);
bool index_set(Interp *in, Value container, Value key, Value v, Span span);
bool index_del(Interp *in, Value container, Value key, Span span);
/* Computes the bounds of a slice over n items: out gets start, step, count and stop. */
bool index_slice(Interp *in, const SliceVal *s, int64_t n, Span span, int64_t out[4]);
int64_t str_count(Value str); /* number of characters */
Value str_char(Interp *in, Value str, int64_t i);
Value str_slice(Interp *in, Value str, int64_t start, int64_t step, int64_t count);

Value attr_get(Interp *in, Value v, Sym name, Span span);
/* Does what attr_get does, but sets *found to false, without an exception, when there is
 * none. */
Value attr_try(Interp *in, Value v, Sym name, Span span, bool *found);
bool attr_set(Interp *in, Value target, Sym name, Value v, Span span);
/* Do the same as attr_get and attr_set; *hint is where an instance had the attribute the
 * last time. */
static inline Value
attr_get_at(Interp *in, Value v, Sym name, Span span, uint32_t *hint)
{
    const Attr *a =
        v.kind == VAL_INSTANCE ? attrs_entry_at(&v.inst->attrs, name, hint) : NULL;
    return a && !val_failed(a->v) ? a->v : attr_get(in, v, name, span);
}
bool attr_set_at(Interp *in, Value target, Sym name, Value v, Span span, uint32_t *hint);
bool attr_del(Interp *in, Value target, Sym name, Span span);
/* Calls receiver.name(args) without making a bound method. */
/* *hint: where the method was found in its class the last time. */
Value attr_call(Interp *in, Value receiver, Sym name, const CallArgs *args, Span span,
                uint32_t *hint);
Value class_lookup(const ClassVal *c, Sym name); /* VAL_FAIL if there is none */
bool class_is(const ClassVal *c, const ClassVal *base);
/* Calls the special method of an instance; returns false if its class has none. */
bool attr_special(Interp *in, Value self, Sym name, const CallArgs *args, Value *out);
#define CALL_ARGS(values, count, where)                                                  \
    (&(CallArgs){.pos = (values), .npos = (count), .span = (where)})

bool iter_begin(Interp *in, Value v, Span span, Iter *it);
/* Returns 1 for an item, 0 at the end, -1 after a failure. */
int iter_next(Interp *in, Iter *it, Span span, Value *out);
/* Does the same, without a call for lists and ranges. */
static inline int
iter_step(Interp *in, Iter *it, Span span, Value *out)
{
    if (it->kind == ITER_RANGE && it->i < it->n) {
        *out = val_int(it->src.range->start + it->i++ * it->src.range->step);
        return 1;
    }
    if (it->kind == ITER_LIST && !it->done && it->i < it->src.list->n) {
        *out = it->src.list->p[it->i++];
        return 1;
    }
    return iter_next(in, it, span, out);
}
Value iter_object(Interp *in, const char *name, const Iter *it);
/* Returns a list or tuple of the items. */
Value iter_collect(Interp *in, ValueKind kind, Value v, Span span);

/* ---- call.c, eval.c, exec.c, class.c ------------------------------------- */

Value call_values(Interp *in, Value callee, const Value *args, int n, Span span);
/* self is null, or an argument before the positional ones. */
Value call_function(Interp *in, FuncVal *f, const Value *self, const CallArgs *args);
Value call_any(Interp *in, Value callee, const CallArgs *args);
/* Checks whether a call may nest deeper; returns false after a diagnostic. */
bool call_enter(Interp *in, Span span);
/* Returns the chain id of a call from the present chain. */
uint32_t call_chain(Interp *in, Span call, const char *callee);
/* Calls callee(self, *args). */
Value call_with_self(Interp *in, Value callee, Value self, const CallArgs *args);

typedef enum Flow {
    FLOW_NEXT,
    FLOW_BREAK,
    FLOW_CONTINUE,
    FLOW_RETURN,
    FLOW_FAIL
} Flow;

Value eval(Interp *in, Ast *e);
Value eval_name(Interp *in, Ast *e, Sym name);
/* Computes a op b if both are machine numbers and that is all there is to it; returns
 * false otherwise, and *out is any value. */
bool eval_fast(AstOp op, Value a, Value b, Value *out);
/* Computes a op= b. */
Value eval_update(Interp *in, AstOp op, Value a, Value b, Span span);
bool eval_bind(Interp *in, Ast *e, Sym name, Value v); /* the node has place and slot */
/* Returns what a name holds before it is bound, VAL_FAIL if that is nothing, or an
 * attribute of a class body. */
Value eval_held(Interp *in, const Ast *e);
bool eval_unbind(Interp *in, Ast *e, Sym name);
bool eval_truth(Interp *in, Ast *e, bool *out);
Value eval_function(Interp *in, AstFunc *fn);
Value eval_comp(Interp *in, Ast *e);
/* Does what iter_next does, for ITER_GENERATOR. */
int eval_generator(Interp *in, Iter *it, Span span, Value *out);
Value eval_call(Interp *in, Ast *e);
Flow exec_block(Interp *in, Ast *s);
bool exec_assign(Interp *in, Ast *target, Value v);
bool exec_class(Interp *in, Ast *s);
Value import_module(Interp *in, const char *dotted, Span span);
bool exec_import(Interp *in, Ast *s);
bool exec_from(Interp *in, Ast *s);
Flow exec_try(Interp *in, Ast *s);
bool exec_raise(Interp *in, Ast *s);

/* Notes a name that a class body annotates in __annotations__; the annotation itself is
 * not evaluated. */
bool class_annotate(Interp *in, Attrs *body, Sym name, Span span);
Value class_construct(Interp *in, ClassVal *c, const CallArgs *args);
Value class_instance(Interp *in, ClassVal *c);
Value class_super(Interp *in, Value self, const CallArgs *args);
Value class_named_tuple(Interp *in, Value self, const CallArgs *args);
bool class_isinstance(Interp *in, Value v, Value cls, Span span, bool *out);
ClassVal *class_new(Interp *in, const char *name, ClassVal *base);

/* ---- builtin.c and the methods of built-in types ------------------------- */

typedef struct BuiltinRow {
    const char *name;
    BuiltinFn fn;
    uint8_t min;
    uint8_t max;          /* 255 means any number */
    const char *keywords; /* names of keyword arguments, "*" for any, null for none */
    Cost cost;            /* the default is the cost of all that it gets, see meter.h */
} BuiltinRow;

bool builtin_install(Interp *in);
/* Adds rows. owner is null for functions; methods are for values of that class. */
void builtin_add_rows(Interp *in, Attrs *into, const BuiltinRow *rows, size_t n,
                      ClassVal *owner);
/* Returns the keyword argument of that name, or VAL_FAIL. */
Value builtin_keyword(const CallArgs *args, Sym name);
/* Computes start op item op item ... over the items of the first argument, for sum and
 * math.prod. */
Value builtin_fold(Interp *in, const CallArgs *args, Value start, AstOp op);
/* Adds functions that are attributes of a class and do not get the receiver, as
 * dict.fromkeys. */
void builtin_add_static(Interp *in, ClassVal *c, const BuiltinRow *rows, size_t n);
void builtin_functions(Interp *in, Attrs *into);
void numbermethod_install(Interp *in);
/* Returns those attributes of numbers, ranges and slices that are values, or VAL_FAIL. */
Value number_attr(Interp *in, Value v, Sym name, Span span);
void refuse_install(Interp *in);
/* Raises if the module is one of those that the language refuses by name; returns whether
 * it is. */
bool refuse_module(Interp *in, const char *dotted, Span span);
/* Returns why there is no such module, and what to do instead; null for those that are
 * just unknown. */
const char *refuse_reason(Interp *in, const char *dotted, const char **help);
/* Returns why what is below the placeholder module cannot be called, or null. */
const char *refuse_placeholder(Interp *in, const char *dotted);
void strmethod_install(Interp *in);
void listmethod_install(Interp *in);
void dictmethod_install(Interp *in);
bool list_sort(Interp *in, List *l, Value key, bool reverse, Span span);
void mathmodule_install(Interp *in);

/* ---- entry.c: the functions that --call can be meant for ----------------- */

/* Checks that the function exists that the text of --call names. Returns false after a
 * diagnostic that lists those that do. */
bool MUST_USE entry_check_call(Interp *in, uint32_t file, const Ast *module,
                               const ModuleVal *m, const Ast *call);

/* Returns the parameter that a dictionary was passed as, "'x' of op()", the outermost of
 * several; or null. */
const char *entry_operand(Interp *in, const Dict *d);

/* Makes math, functools, operator, copy, collections, enum ... */
void module_install(Interp *in);
/* Finds a module, and loads it if needed. Returns VAL_FAIL if there is none or after a
 * failure, which module_failed distinguishes. */
Value module_find(Interp *in, const char *dotted, Span span);
/* Returns a module that was made or loaded before, or VAL_FAIL. */
Value module_registered(Interp *in, const char *dotted);
/* True if an exception is pending or the evaluation is over. */
bool module_failed(const Interp *in);
/* Returns an attribute that comes from the module's kind; sets *found to false if there
 * is none. */
Value module_member(Interp *in, ModuleVal *m, Sym name, Span span, bool *found);
/* Returns whether the module of stdlib/ has the name in its _host_names: only the host
 * has its values. */
bool module_leaves_to_host(Interp *in, const ModuleVal *m, Sym name);
/* Raises and returns the failure. */
Value module_call(Interp *in, const ModuleVal *m, Span span);
/* Returns all public names of the provided modules, or VAL_FAIL after a failure. */
Value module_provided(Interp *in, Span span);
/* Parses and executes the file of a source in the module. */
bool MUST_USE module_run(Interp *in, ModuleVal *m, uint32_t source, Span span);
/* Removes a module whose execution failed from the registry. */
void module_forget(Interp *in, const ModuleVal *m);
/* Returns whether import finds a standard module of that name. */
bool module_is_known(Interp *in, const char *name);
/* Returns the module of ours whose name is nearly that one, or null. */
const char *module_nearest(Interp *in, const char *dotted);
/* Returns whether the module is one of the standard ones, of stdlib/ or written in C; the
 * container's is not. */
bool module_is_standard(const Interp *in, const ModuleVal *m);
bool module_is_library(const Interp *in, Span span); /* true for a place in stdlib/ */

/* ---- absent.c: stand-ins for modules that are not there ------------------ */

extern const ObjectClass absent_class;
static inline bool
is_absent(Value v)
{
    return v.kind == VAL_OBJECT && v.obj->cls == &absent_class;
}
/* Makes a stand-in. why is "there is no module 'torch'"; help is null or what to do; span
 * is the import. */
Value absent_module(Interp *in, const char *dotted, const char *why, const char *help,
                    Span span);
Value absent_member(Interp *in, Value of, const char *name, Span span);
/* Returns the stand-in for the module above the one that v stands for. */
Value absent_parent(Interp *in, Value v, const char *dotted);
/* Returns a class to derive from. */
ClassVal *absent_base(Interp *in, Value v);
/* Raises and returns false. what is the predicate: "is called". */
bool absent_used(Interp *in, Value v, const char *what, Span span);

typedef enum ImportHandler {
    HANDLER_NONE,
    HANDLER_WIDE, /* catches anything: imports in the statement itself get the error */
    /* names ImportError: imports in whatever the statement calls get it, too */
    HANDLER_EXACT
} ImportHandler;

/* Returns how a try statement catches the error of an import. */
ImportHandler absent_handler(Interp *in, const Ast *try_statement);
/* Returns whether a missing module is an error at its import, which the program
 * catches. */
bool absent_is_awaited(const Interp *in);

/* ---- host.c: values that only the host has ------------------------------- */

extern const ObjectClass host_class;
bool is_host(Value v);
/* Returns what a function or an operator makes of one. */
Value host_derived(Interp *in, Value v, Span span);
/* Ends the evaluation, with an error, or with a warning if the last kernel was built.
 * Returns false. */
bool host_used(Interp *in, Value v, const char *what, Span span);
/* Does the same for a value of either kind of which the program has only a name; returns
 * whether v is one. */
bool hidden_used(Interp *in, Value v, const char *what, Span span);
/* Hooks of both (ObjectClass): truth and length are not known; attributes can be set. */
bool hidden_set_attr(Interp *in, Object *self, Sym name, Value v, Span span);
bool hidden_truth(Interp *in, Object *self, Span span, bool *out);
bool hidden_length(Interp *in, Object *self, Span span, int64_t *out);
/* Returns whether the statements only print, check or raise. */
bool host_only_reports(Interp *in, const Ast *body);

void loader_init(Interp *in, uint32_t main_file);
/* Notes that a program that runs elsewhere has the file: one of a package of operators
 * makes the program such a package, in the mode of the file's folder. */
void loader_note_file(Interp *in, const char *path);
/* Finds a module of the program's package. Returns VAL_FAIL as module_find does. */
Value loader_find(Interp *in, const char *dotted, Span span);
/* Returns whether -I NAME=DIR is meant for the module or for one above it: then it is no
 * module of ours. */
bool loader_is_named(const Interp *in, const char *dotted);
Value loader_member(Interp *in, ModuleVal *package, const char *name, Span span);
/* Returns the names that a package's init file takes from modules, as a list of texts. */
Value loader_exports(Interp *in, ModuleVal *package, Span span);

/* Executes a module's tree, or evaluates an expression, in a frame of its own. */
bool MUST_USE py_execute(Interp *in, ModuleVal *module, Ast *tree, Value *out);

#endif
