/* interp.h: compile-time evaluation. A source file is a program that runs once, inside
 * the compiler. Its kernels are made of C objects (ObjectClass) of which the evaluator
 * knows nothing. The evaluation is hermetic: it accesses no file (except package modules
 * through the loader), clock, network or process; steps, depth and memory are bounded
 * (meter.h). */
#ifndef TIKC_INTERP_H
#define TIKC_INTERP_H

#include "base/nearest.h"
#include "python/value.h"

/* The functions that the C objects offer the evaluator. */
typedef struct Embedding {
    /* Returns what to write instead of a name that is not defined, or null if nothing is
     * known. */
    const char *(*name_help)(Interp *in, Sym name);
    /* Returns whether the program has made all that it runs for, so that it may end at a
     * value that only the host has. */
    bool (*complete)(Interp *in);
    /* Returns a help with names that there are, for a name that is like none, or null. */
    const char *(*name_list)(Interp *in);
} Embedding;

/* Sets up an evaluator for the program of a file. Returns false after an error. It is
 * valid until its caller returns; values live as long as the unit. */
bool MUST_USE py_begin(Interp *in, Unit *u, uint32_t file);
/* Sets the -D names. Returns false after errors, which are reported. */
bool MUST_USE py_start(Interp *in);

typedef enum PartEnd {
    PART_NEXT,    /* the next part goes on */
    PART_OVER,    /* the program has ended, without a fault */
    PART_FAILED,  /* it has ended, with errors, which are reported */
    PART_REFUSED, /* a name or a place is wrong, which is reported: nothing was executed
                   */
} PartEnd;

/* Executes the next statements of the program as __main__. If it is over, they are only
 * checked. */
PartEnd py_part(Interp *in, Ast *part, bool over);
/* Resolves a node of the program without those below it, as one that is in no function or
 * class. Returns false if that is not known yet. */
bool py_know(Interp *in, Ast *node);
/* Ends the program. If module, which has its functions, is not null, --call is evaluated
 * if given. Returns false if module is null or after errors. */
bool MUST_USE py_end(Interp *in, uint32_t file, const Ast *module);
/* Finds what --call could be, for the message about a program that builds nothing, and
 * stores it in Unit.entry. */
void entry_remember(Unit *u, uint32_t file, const Ast *module);

/* ---- the evaluator's state, for the TIK objects -------------------------- */

struct Interp {
    Unit *u;
    int64_t steps;   /* number of steps that are left */
    int64_t settled; /* bytes of the unit's arena that were charged */
    int64_t look;    /* when the arena has this many bytes, the next step charges them */
    /* while the program is read: steps of the parts that were executed, and what reading
     * had taken, and bytes that were in use when the last one began or ended */
    int64_t executed, read, in_use;
    int depth;
    uint32_t chain; /* present call chain, or CHAIN_UNKNOWN; read it by py_chain */
    Span here;      /* span of the statement being executed */
    struct Frame *frame;
    Value exception; /* pending Python exception (VAL_INSTANCE) or VAL_NONE */
    Span exception_span;
    uint32_t exception_chain;
    const char *exception_args[DIAG_ARGS]; /* as in Diag, for args_chain */
    uint32_t args_chain;
    /* objects are made in it while a call evaluates its arguments and keeps none of them;
     * null: what is made lasts */
    Arena *brief;
    bool fatal; /* a diagnostic ended the evaluation: except clauses do not catch it */
    const Embedding *embedding; /* null if there are no such objects */
    void *tik;                  /* state of the C objects */
    struct NameWatch *watch;    /* notes what names are bound to (watch.h), or null */
    struct Core *core;          /* private to the evaluator */
};

enum {
    CHAIN_UNKNOWN = UINT32_MAX
};

/* Returns the present call chain, for IR statements and diagnostics. It is made at the
 * first use: most calls never need theirs, and a recursive search has more chains than
 * steps. */
uint32_t py_chain(Interp *in);

/* Adds a diagnostic with the present call chain and returns it for notes; evaluation goes
 * on if the caller returns normally, and ends if it returns failure. An error found by an
 * instruction call is reported this way and the call returns None, so that many errors
 * are found in one run. */
Diag *py_diag(Interp *in, DiagId id, Span span, const char *fmt, ...) PRINTF_LIKE(4, 5);
/* Does the same for an error that the user may allow (base/diag.h). Returns true if the
 * user allows it, so the caller goes on. */
bool py_allowable(Interp *in, DiagId id, Span span, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

/* Raises a Python exception that the program can catch ("RuntimeError", "TypeError",
 * ...); uncaught it becomes a diagnostic of that kind at the span. Always returns
 * VAL_FAIL. */
Value py_raise(Interp *in, const char *cls, Span span, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

/* Returns zeroed memory of an object. It lives as long as the evaluation: nothing of a
 * kernel or a diagnostic may be in it. */
void *py_new(Interp *in, size_t bytes);
/* Returns that of an object that an operator or an index makes: it lives no longer than
 * the call whose argument it is, if that forgets its arguments. */
void *py_object(Interp *in, size_t bytes);

/* Calls a value with arguments. */
Value py_call(Interp *in, Value callee, const CallArgs *args);

/* Returns the name that a search found, or null; charges the search. */
const char *nearest_best(Interp *in, const Nearest *n);

/* Registers a provided module and returns it without members. It can be imported under
 * each of its dotted names. */
Value py_module(Interp *in, const char *dotted_name);
/* Returns a list of what iteration over v gives, or a failure after an exception. */
Value py_list(Interp *in, Value v, Span span);
/* Makes a list of the elements of a numpy array; other values stay. Returns false if only
 * the host has them. */
bool py_plain(Interp *in, Value *v, Span span);
/* Makes a value that only the host has (host.c); origin is the call that it comes from,
 * "numpy.random.rand(...)". */
Value host_value(Interp *in, const char *origin, Span span);
/* Returns how messages name a stand-in or such a value, or null if v is neither. */
const char *py_hidden_name(Interp *in, Value v);
/* Makes sure that this many more bytes fit the memory limit. Returns false if they do
 * not: evaluation ends. */
bool py_reserve(Interp *in, int64_t bytes, Span span);
/* Reads a data file whose path is relative to the file of span, and goes only downwards.
 * The bytes live as long as the unit. Returns false after a diagnostic (const-file). */
bool py_data_file(Interp *in, const char *name, Span span, const char **path,
                  const char **bytes, size_t *len);
void py_module_set(Interp *in, Value module, const char *name, Value v);
/* Makes a class object for isinstance that matches objects of one ObjectClass
 * (tik.Tensor) and is called through construct (may be null: not callable). */
Value py_object_type(Interp *in, const char *name, const ObjectClass *cls,
                     BuiltinFn construct);

#endif
