/* value.h: defines values of the compile-time evaluator, and the interface between its
 * core (language) and the TIK objects. A Value is 16 bytes, passed by value. Heap objects
 * live in the unit's arena and are never freed. Integers are int64_t while they fit, else
 * VAL_BIG (up to 65536 bits).
 *
 * Functions that can fail return false (or a Value of kind VAL_FAIL) after they have
 * either added a diagnostic or set a Python exception in the Interp; see
 * python/interp.h. */
#ifndef TIKC_VALUE_H
#define TIKC_VALUE_H

#include "base/unit.h"
#include "syntax/ast.h"

typedef enum ValueKind {
    VAL_FAIL, /* evaluation failed; not a value of the language */
    VAL_NONE,
    VAL_BOOL,
    VAL_INT,
    VAL_BIG,
    VAL_FLOAT,
    VAL_STR,
    VAL_TUPLE,
    VAL_LIST,
    VAL_DICT,
    VAL_SET,
    VAL_RANGE,
    VAL_SLICE,
    VAL_FUNC,     /* def or lambda */
    VAL_BUILTIN,  /* C function, maybe bound to a receiver */
    VAL_BOUND,    /* method bound to an instance */
    VAL_CLASS,    /* user class, or built-in type (int, str, RuntimeError, tik.Tensor) */
    VAL_INSTANCE, /* instance of a user class or an exception */
    VAL_MODULE,
    VAL_OBJECT /* C object with a class of its own: the TIK objects; see ObjectClass */
} ValueKind;

typedef struct Value Value;
typedef struct Str Str;
typedef struct BigInt BigInt;
typedef struct List List; /* list and tuple */
typedef struct Dict Dict; /* dict and set: insertion ordered */
typedef struct Object Object;
typedef struct Interp Interp;

struct Value {
    uint8_t kind;
    union {
        bool b;
        int64_t i;
        double f;
        Str *str;
        BigInt *big;
        List *list;
        Dict *dict;
        struct RangeVal *range;
        struct SliceVal *slice;
        struct FuncVal *func;
        struct BuiltinVal *builtin;
        struct BoundVal *bound;
        struct ClassVal *klass;
        struct InstanceVal *inst;
        struct ModuleVal *module;
        Object *obj;
    };
};

struct Str {
    uint32_t len;
    uint32_t hash;  /* 0 if it is not computed */
    const char *p;  /* may contain zero bytes; zero-ended while shorter than 256 bytes */
    uint32_t chars; /* number of characters + 1; 0 if they are not counted */
    uint32_t near_char; /* a character whose byte offset is known */
    uint32_t near_byte;
};

struct List {
    Value *p;
    uint32_t n;
    uint32_t cap;
    struct ClassVal *cls; /* class of a named tuple; null for plain lists and tuples */
};

typedef struct SliceVal {
    Value start, stop, step; /* VAL_NONE when missing */
} SliceVal;

/* The arguments of one call, as a C function receives them. Keywords come after the
 * positional ones. */
typedef struct CallArgs {
    const Value *pos;
    int npos;
    const Sym *kwname;
    const Value *kwval;
    int nkw;
    Span span;            /* span of the whole call */
    const Span *pos_span; /* spans of the positional arguments; may be null */
    /* spans of the values of the keyword arguments; may be null */
    const Span *kw_span;
    /* spans of the names of the keyword arguments; may be null */
    const Span *kwname_span;
    /* a bit for each kind that is among the values, perhaps for others as well; 0: it is
     * not known which */
    uint32_t kinds;
} CallArgs;

typedef Value (*BuiltinFn)(Interp *in, Value self, const CallArgs *args);

/* A class of C objects. Hooks that are null mean "not supported": the core raises the
 * error. The span that they get is that of the expression, for diagnostics. */
typedef struct ObjectClass {
    const char *name; /* "Tensor" */
    /* Returns an attribute; *found is false (and the result any value) when there is
     * none. */
    Value (*get_attr)(Interp *in, Object *self, Sym name, Span span, bool *found);
    bool (*set_attr)(Interp *in, Object *self, Sym name, Value v, Span span);
    /* Returns an item. key is an int, an object, a slice, or a tuple of them. */
    Value (*get_item)(Interp *in, Object *self, Value key, Span span);
    bool (*set_item)(Interp *in, Object *self, Value key, Value v, Span span);
    Value (*call)(Interp *in, Object *self, const CallArgs *args);
    /* Computes a binary operator or comparison with this object on at least one side.
     * AOP_FLOORDIV and AOP_DIV both come here unchanged. */
    Value (*binary)(Interp *in, AstOp op, Value left, Value right, Span span);
    Value (*unary)(Interp *in, AstOp op, Object *self, Span span);
    /* Finds the truth value; false means that a diagnostic was added
     * (runtime-condition). */
    bool (*truth)(Interp *in, Object *self, Span span, bool *out);
    /* Enter and leave a context manager: "as" binds *result. failed says that the body
     * ended with an error or a jump. */
    bool (*enter)(Interp *in, Object *self, Span span, Value *result);
    bool (*leave)(Interp *in, Object *self, Span span, bool failed);
    /* Optional: the core calls it when a with statement is over whose manager was the
     * result of this call of a method. If that made it, nothing refers to it. */
    void (*over)(Object *self, Span call);
    /* Optional: the core calls it when "as" bound the result of enter to a plain name. */
    void (*named)(Object *self, Sym name);
    /* Optional: the core calls it before an assignment gives a number to a name that has
     * held the object. */
    void (*rebound)(Interp *in, Object *self, Sym name, Value number, Span span);
    void (*repr)(Interp *in, Object *self, Text *out);
    /* Optional: calls a method without making a bound object first. *found is false when
     * there is no such method, and the core goes on with get_attr. Classes should offer
     * it: it is the fast path of instruction calls (obj.method(args) never reaches
     * get_attr then). args->span is the call. */
    Value (*call_method)(Interp *in, Object *self, Sym name, const CallArgs *args,
                         Span span, bool *found);
    /* Optional: returns whether call_method keeps none of its arguments and returns none,
     * nor anything that refers to them. Then what operators and indexes make for them is
     * gone after the call. */
    bool (*forgets)(Interp *in, Object *self, Sym name);
    /* Optional: returns the name of the index-th attribute, null after the last; it is
     * for helps that name the nearest attribute. */
    const char *(*attr_name)(int index);
    /* Optional: finds the number of items, for len(), and for iteration by get_item with
     * 0 .. len - 1. */
    bool (*length)(Interp *in, Object *self, Span span, int64_t *out);
    /* Methods have no effect on values of the program, so a failed call does not spoil
     * what follows. */
    bool only_records;
} ObjectClass;

struct Object {
    const ObjectClass *cls;
};

/* ---- constructors and helpers (value.c) ---------------------------------- */

static inline Value
val_fail(void)
{
    return (Value){.kind = VAL_FAIL};
}

static inline Value
val_none(void)
{
    return (Value){.kind = VAL_NONE};
}

static inline Value
val_bool(bool b)
{
    return (Value){.kind = VAL_BOOL, .b = b};
}

static inline Value
val_int(int64_t i)
{
    return (Value){.kind = VAL_INT, .i = i};
}

static inline Value
val_float(double f)
{
    return (Value){.kind = VAL_FLOAT, .f = f};
}

static inline Value
val_object(Object *o)
{
    return (Value){.kind = VAL_OBJECT, .obj = o};
}

static inline bool
val_failed(Value v)
{
    return v.kind == VAL_FAIL;
}

/* Returns which kinds are among n values: a bit for each. */
static inline uint32_t
val_kinds(const Value *p, int n)
{
    uint32_t kinds = 0;
    for (int i = 0; i < n; i++) {
        kinds |= 1u << p[i].kind;
    }
    return kinds;
}

/* Returns which kinds may be among the values of a call. */
static inline uint32_t
val_arg_kinds(const CallArgs *args)
{
    return args->kinds
               ? args->kinds
               : val_kinds(args->pos, args->npos) | val_kinds(args->kwval, args->nkw);
}

Value val_str(Interp *in, const char *zero_ended);
Value val_str_n(Interp *in, const char *p, size_t n);
Value val_list(Interp *in, const Value *items, uint32_t n);
Value val_tuple(Interp *in, const Value *items, uint32_t n);
Value val_builtin(Interp *in, const char *name, BuiltinFn fn, Value self);
Value val_dict(Interp *in);                     /* an empty one */
const char *val_text_of(Interp *in, Value str); /* zero-ended */
bool list_push(Interp *in, Value list, Value item);
bool dict_set(Interp *in, Value dict, Value key, Value v,
              Span span); /* false if key cannot be hashed */
/* Goes through the entries in their order; *at must be 0 at first. Returns false after
 * the last one. */
bool dict_next(Value dict, uint32_t *at, Value *key, Value *v);
bool dict_get(Interp *in, Value dict, Value key, Value *out); /* false if it is absent */

/* Returns the name of the type for messages: "int", "Tensor". */
const char *val_type_name(Value v);
/* Returns repr() of a value, with a sensible limit on length, for messages. */
const char *val_repr(Interp *in, Value v);

/* Reads an int, a bool or an integral float as int64. Returns false without a diagnostic
 * if it is neither or does not fit. val_as_uint64 also accepts 2^63 .. 2^64-1 and gives
 * the bit pattern. */
bool val_as_int64(Value v, int64_t *out);
bool val_as_uint64(Value v, uint64_t *out);
bool val_as_double(Value v, double *out); /* accepts int, big, bool and float */

#endif
