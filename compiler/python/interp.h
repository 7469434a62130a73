/* interp.h: compile-time evaluation. A source file is a program that runs once, inside
 * the compiler. What its kernels are made of are C objects (ObjectClass) that the
 * evaluator knows nothing of. Hermetic: no file (except package modules through the
 * loader), clock, network or process access; bounded steps, depth and memory
 * (meter.h). */
#ifndef TIKC_INTERP_H
#define TIKC_INTERP_H

#include "base/nearest.h"
#include "python/value.h"

/* What the C objects tell the evaluator. */
typedef struct Embedding {
    /* What to write instead of a name that is not defined; null: nothing is known. */
    const char *(*name_help)(Interp *in, Sym name);
    /* Whether all that the program was run for is there, so that it may end at a value
     * that only the host has. */
    bool (*complete)(Interp *in);
} Embedding;

/* Sets up an evaluator for the program of a file. False: an error. It is gone when its
 * caller returns; values live as long as the unit. */
bool MUST_USE py_begin(Interp *in, Unit *u, uint32_t file);
/* Runs the parsed file: sets the -D names, executes it as __main__, then evaluates --call
 * if given. False: errors, which are reported. */
bool MUST_USE py_program(Interp *in, uint32_t file, Ast *module);
/* What --call could be, for the message about a program that builds nothing:
 * Unit.entry. */
void entry_remember(Unit *u, uint32_t file, const Ast *module);

/* ---- the evaluator's state, for the TIK objects -------------------------- */

struct Interp {
    Unit *u;
    int64_t steps;   /* left */
    int64_t settled; /* bytes of the unit's arena that were charged */
    int64_t look;    /* so many bytes, and the next step charges them */
    int depth;
    uint32_t chain; /* present call chain, or CHAIN_UNKNOWN; read it by py_chain */
    Span here;      /* span of the statement being executed */
    struct Frame *frame;
    Value exception; /* pending Python exception (VAL_INSTANCE) or VAL_NONE */
    Span exception_span;
    uint32_t exception_chain;
    const char *exception_args[DIAG_ARGS]; /* as in Diag, for the chain that follows */
    uint32_t args_chain;
    bool fatal; /* a diagnostic ended the evaluation: except clauses do not catch it */
    const Embedding *embedding; /* null: there are no such objects */
    void *tik;                  /* their state */
    struct Core *core;          /* private to the evaluator */
};

enum {
    CHAIN_UNKNOWN = UINT32_MAX
};

/* The present call chain, for IR statements and diagnostics. It is made when it is first
 * asked for: most calls never need theirs, and a recursive search has more chains than
 * steps. */
uint32_t py_chain(Interp *in);

/* Adds a diagnostic with the present call chain and returns it for notes; evaluation goes
 * on if the caller returns normally, and ends if it returns failure. An error found by an
 * instruction call is reported this way and the call returns None, so that many errors
 * are found in one run. */
Diag *py_diag(Interp *in, DiagId id, Span span, const char *fmt, ...) PRINTF_LIKE(4, 5);
/* The same for an error that the user may allow (base/diag.h). True: he does, go on. */
bool py_allowable(Interp *in, DiagId id, Span span, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

/* Raises a Python exception that the program can catch ("RuntimeError", "TypeError",
 * ...); uncaught it becomes a diagnostic of that kind at the span. Always returns
 * VAL_FAIL. */
Value py_raise(Interp *in, const char *cls, Span span, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

/* Calls a value with arguments. */
Value py_call(Interp *in, Value callee, const CallArgs *args);

/* What a search for a near name found, or null: charges the search. */
const char *nearest_best(Interp *in, const Nearest *n);

/* Registers a provided module: its members by name. The module is then
 * importable under each of its dotted names. */
Value py_module(Interp *in, const char *dotted_name);
/* A list of what iteration over v gives; failed: an exception was raised. */
Value py_list(Interp *in, Value v, Span span);
/* An array of numpy becomes the list of its elements, other values stay. False: only the
 * host has them. */
bool py_plain(Interp *in, Value *v, Span span);
/* A value that only the host has (host.c); origin: the call that it comes from,
 * "numpy.random.rand(...)". */
Value host_value(Interp *in, const char *origin, Span span);
/* What a message says of a stand-in or of such a value; null: v is neither. */
const char *py_hidden_name(Interp *in, Value v);
/* Makes sure that so many bytes more fit the memory limit. False: they do not, evaluation
 * ends. */
bool py_reserve(Interp *in, int64_t bytes, Span span);
/* Reads a data file whose path is relative to the file in which span stands, and goes
 * only downwards. Bytes live as long as the unit. False with a diagnostic
 * (const-file). */
bool py_data_file(Interp *in, const char *name, Span span, const char **path,
                  const char **bytes, size_t *len);
void py_module_set(Interp *in, Value module, const char *name, Value v);
/* A class object for isinstance that matches objects of one ObjectClass (tik.Tensor) and
 * is called through construct (may be null: not callable). */
Value py_object_type(Interp *in, const char *name, const ObjectClass *cls,
                     BuiltinFn construct);

#endif
