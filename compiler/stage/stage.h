/* stage.h: compile-time evaluation. A source file is a program that runs once, inside the compiler;
 * calls on a Tik container record kernel statements, and BuildCCE hands the kernel to the unit.
 * Hermetic: no file (except package modules through the loader), clock, network or process access;
 * bounded steps, depth and memory (meter.h). */
#ifndef TIKC_STAGE_H
#define TIKC_STAGE_H

#include "base/nearest.h"
#include "stage/value.h"

/* Runs a parsed module: sets the -D names, executes it as __main__, then evaluates --call if given.
 * Kernels built are in u->kernels; the trace of each is kept when u wants it. False: errors. */
bool MUST_USE stage_run(Unit *u, uint32_t file, Ast *module);

/* ---- the evaluator's state, for the TIK objects ---------------------------------------------------- */

struct Interp {
    Unit *u;
    int64_t steps;   /* left */
    int64_t settled; /* bytes of the unit's arena that were charged */
    int64_t look;    /* so many bytes, and the next step charges them */
    int depth;
    uint32_t chain; /* present call chain, or CHAIN_UNKNOWN; read it by stage_chain */
    Span here;      /* span of the statement being executed */
    struct Frame *frame;
    Value exception; /* pending Python exception (VAL_INSTANCE) or VAL_NONE */
    Span exception_span;
    uint32_t exception_chain;
    const char *exception_args[DIAG_ARGS]; /* as in Diag, for the chain that follows */
    uint32_t args_chain;
    bool fatal; /* a diagnostic ended the evaluation: except clauses do not catch it */
    void *tik;  /* state of the TIK objects, see tik.h */
    struct Core *core; /* private to the evaluator */
};

enum {
    CHAIN_UNKNOWN = UINT32_MAX
};

/* The present call chain, for IR statements and diagnostics. It is made when it is first asked for:
 * most calls never need theirs, and a recursive search has more chains than steps. */
uint32_t stage_chain(Interp *in);

/* Adds a diagnostic with the present call chain and returns it for notes; evaluation goes on if the
 * caller returns normally, and ends if it returns failure. An error found by an instruction call is
 * reported this way and the call returns None, so that many errors are found in one run. */
Diag *stage_diag(Interp *in, DiagId id, Span span, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
/* The same for an error that the user may allow (base/diag.h). True: he does, go on. */
bool stage_allowable(Interp *in, DiagId id, Span span, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

/* Raises a Python exception that the program can catch ("RuntimeError", "TypeError", ...); uncaught it
 * becomes a diagnostic of that kind at the span. Always returns VAL_FAIL. */
Value stage_raise(Interp *in, const char *cls, Span span, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

/* Calls a value with arguments. */
Value stage_call(Interp *in, Value callee, const CallArgs *args);

/* Binds a call's arguments to parameters, with defaults. names has n parameters; out[i] is VAL_FAIL
 * kind for a parameter that was not given when dflt[i].kind is VAL_FAIL and it is optional.
 * prototype is for the note of argument-count. spans may be null. */
typedef struct BindParam {
    const char *name;
    bool required;
    Value dflt;
} BindParam;
bool stage_bind(Interp *in, const char *callee, const CallArgs *args,
                const BindParam *params, int n, Value *out, Span *spans);

/* What a search for a near name found, or null: charges the search. */
const char *nearest_best(Interp *in, const Nearest *n);

/* Registers a provided module: its members by name. Called at start by tik_install. The module is then
 * importable under each of its dotted names. */
Value stage_module(Interp *in, const char *dotted_name);
/* A list of what iteration over v gives; failed: an exception was raised. */
Value stage_list(Interp *in, Value v, Span span);
/* An array of numpy becomes the list of its elements, other values stay. False: only the host has them. */
bool stage_plain(Interp *in, Value *v, Span span);
/* A value that only the host has (host.c); origin: the call that it comes from, "numpy.random.rand(...)". */
Value host_value(Interp *in, const char *origin, Span span);
/* What a message says of a stand-in or of such a value; null: v is neither. */
const char *stage_hidden_name(Interp *in, Value v);
/* Makes sure that so many bytes more fit the memory limit. False: they do not, evaluation ends. */
bool stage_reserve(Interp *in, int64_t bytes, Span span);
/* Reads a data file whose path is relative to the file in which span stands, and goes only downwards. Bytes
 * live as long as the unit. False with a diagnostic (const-file). */
bool stage_data_file(Interp *in, const char *name, Span span, const char **path,
                     const char **bytes, size_t *len);
void stage_module_set(Interp *in, Value module, const char *name, Value v);
/* A class object for isinstance that matches objects of one ObjectClass (tik.Tensor) and is called
 * through construct (may be null: not callable). */
Value stage_object_type(Interp *in, const char *name, const ObjectClass *cls,
                        BuiltinFn construct);

/* The TIK objects: adds the module tik under all its names (tik, tbe.tik, te.tik, tbe.common.tik ...). */
bool tik_install(Interp *in);
/* Whether there are kernels and every container has become one. */
bool tik_all_built(Interp *in);
/* After the program ended: warnings about containers that were not built. */
void tik_finish(Interp *in);

#endif
