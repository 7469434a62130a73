/* unit.h: one compilation. All state of the compiler lives here and is passed first;
 * there are no globals. A Unit is used by one thread at a time; different Units are
 * independent. */
#ifndef TIKC_UNIT_H
#define TIKC_UNIT_H

#include "base/diag.h"
#include "base/intern.h"
#include "base/print_wish.h"
#include "base/severity.h"
#include "isa/choice.h"
#include "isa/isa.h"

struct Kernel;
struct NameFacts;
struct Unit;

/* Limits of the compile-time evaluator and of the result; each has a diagnostic that
 * names the limit (limit-steps, limit-depth, limit-memory, limit-ir). */
typedef struct Limits {
    int64_t steps; /* statements and expressions evaluated */
    int64_t depth; /* nesting of calls */
    /* bytes that the unit's arena, and that of a kernel, handed out; also those that were
     * released since */
    int64_t memory;
    int64_t statements; /* IR statements of one kernel */
    int64_t errors; /* errors kept, and other diagnostics; 0: all; others are counted */
    int64_t file;   /* bytes of one file that is read */
} Limits;

typedef struct Define {
    const char *name;
    const char *value; /* text of an expression of the language */
} Define;

typedef struct Options {
    const char *soc;  /* --soc NAME or null (then Ascend310P or the program's Dprofile) */
    const char *call; /* --call EXPR or null */
    VEC(Define) defines; /* -D NAME=VALUE: set in the module's namespace before it runs */
    /* -I DIR, -I NAME=DIR: folders in which modules are searched */
    VEC(const char *) dirs;
    VEC(Define) env; /* --env NAME=VALUE: os.environ; the value is the text */
    /* the present folder, at which relative paths begin, or null */
    const char *cwd;
    const char *sync;       /* "auto", "none" or null: none */
    bool sync_auto;         /* sync is "auto" */
    const char *lmem_alloc; /* "first-fit", "banked" or null: first-fit */
    bool lmem_banked;       /* lmem_alloc is "banked" */
    /* operator mode: "static", "dynamic", or null if the file's folder decides */
    const char *mode;
    Limits limits;
    Choices choices; /* --choice: readings of uncertain points */
    Severity severity;
    bool no_weight_reorder;  /* packed constants keep the order of their sources */
    VEC(PrintWish *) prints; /* --print */
    /* what programs print while kernels run is shown (tik/print.h) */
    bool shows_prints;
    bool trace; /* keep the trace of each kernel as staged, before passes rewrite it */
    bool lives; /* fill Kernel.lives, for those who show it */
} Options;

/* The function of an operator file that --call is meant for; its texts are null when
 * there is none. */
typedef struct Entry {
    Span span;
    const char *signature; /* op(x, y, axis=0, kernel_name="op") */
    const char *call;      /* an example for --call */
} Entry;

/* Reads a file of the program's package. Evaluation reaches files in no other way. The
 * text lives as long as the unit. Returns false without a diagnostic if there is no such
 * file. */
typedef bool (*UnitLoader)(struct Unit *u, const char *path, const char **text,
                           size_t *len);

/* Returns whether a file is in a folder after all links are followed. */
typedef bool (*UnitInside)(const char *folder, const char *path);

typedef struct Unit {
    Arena arena;
    /* the trees of the sources (arena_alloc_word); it is freed when they were executed,
     * and counts in the use of arena, too */
    Arena tree;
    /* objects of the evaluation (py_new), and those that only the arguments of a call
     * need (py_object); their bytes count in the use of arena, too */
    Arena values, brief;
    Interner names;
    Options opt;
    UnitLoader load;          /* null if a program is one file */
    VEC(const char *) loaded; /* paths of files that load found, in order */
    UnitInside inside;        /* checks the paths of data files; null if load is */
    VEC(Source) sources;      /* [0] is "nowhere" */
    const char *lent;         /* a text that outlives the unit, or null */
    VEC(Diag *) diags;
    VEC(Diag *) silent;    /* diagnostics that the user silenced */
    Allowances allowances; /* allowances of the texts that were parsed */
    int64_t work; /* steps spent on reading sources, and on what was evaluated before */
    int64_t unproved; /* number of rules of instructions that are left to run time */
    int64_t errors;   /* all errors, also those that were not kept */
    int64_t warnings;
    int64_t remarks;      /* number of diagnostics of the level note */
    VEC(CallStep) chains; /* [0] unused: "no call" */
    /* the processor that is compiled for; never null after unit_init */
    const Soc *soc;
    bool soc_fixed; /* true if --soc was given */
    /* true if the program is an operator of a package: its file is below impl */
    bool operator_package;
    VEC(struct Kernel *) kernels; /* in the order of their BuildCCE calls */
    /* kernels that an error kept from being built; they are only checked */
    VEC(struct Kernel *) partial;
    bool want_partial; /* fill partial; the caller who sets this frees them */
    /* evaluation reached a limit, so no kernel is worth checking any more */
    bool limit_hit;
    Text log; /* what print() of the program wrote */
    /* where to put what names of the program were bound to (tik/describe.h); null: nobody
     * wants to know */
    struct NameFacts *facts;
    /* entry of the main file, set after it ran without building a kernel */
    Entry entry;
    /* JSON objects of what operators reported with add_compile_info, and with
     * add_build_res and add_build_json_result; null before the program has ended. */
    const char *compile_info;
    const char *build_results;
    uint32_t *seen_diags; /* hash set of (name, span), private to diag.c */
    uint32_t nseen;
    uint32_t capseen;
} Unit;

/* Makes a unit with default limits and the default target. */
void unit_init(Unit *u);
void unit_free(Unit *u);

/* Adds a source text, and returns its file id. It is copied, unless it is in the unit's
 * arena, or lent to the unit, and ends in a zero byte; in each case it counts as memory
 * of the unit. CR LF and a byte order mark are
 * kept here; the scanner deals with them. */
uint32_t unit_add_source(Unit *u, const char *path, const char *text, size_t len);

/* Returns the span of one character at a line and column of a file whose text may not be
 * available, as in a blob. Line 0 means the whole file. */
Span unit_place(Unit *u, const char *path, LineCol at);

/* Finds the steps of a call chain, from the outermost on, whose entry in done (by chain)
 * is 0, and returns their number. *steps is allocated in the arena. */
uint32_t unit_new_calls(const Unit *u, uint32_t chain, const uint32_t *done, Arena *arena,
                        uint32_t **steps);

/* Selects the target by platform or family name; returns false without a diagnostic if it
 * is unknown. */
bool MUST_USE unit_set_soc(Unit *u, const char *name);

#endif
