/* unit.h: one compilation. All state of the compiler lives here and is passed first;
 * there are no globals. A Unit is used by one thread at a time; different Units are
 * independent. */
#ifndef TIKC_UNIT_H
#define TIKC_UNIT_H

#include "base/diag.h"
#include "base/intern.h"
#include "base/severity.h"
#include "isa/choice.h"
#include "isa/isa.h"

struct Kernel;
struct Unit;

/* Limits of the compile-time evaluator and of the result; each has a diagnostic that
 * names the limit (limit-steps, limit-depth, limit-memory, limit-ir). */
typedef struct Limits {
    int64_t steps;      /* statements and expressions evaluated */
    int64_t depth;      /* nesting of calls */
    int64_t memory;     /* bytes of the unit's arena */
    int64_t statements; /* IR statements of one kernel */
    int64_t errors;     /* diagnostics kept; the rest are counted */
    int64_t file;       /* bytes of a file that is read */
} Limits;

typedef struct Define {
    const char *name;
    const char *value; /* text of an expression of the language */
} Define;

typedef struct Options {
    const char *soc;  /* --soc NAME or null (then Ascend310P or the program's Dprofile) */
    const char *call; /* --call EXPR or null */
    VEC(Define) defines; /* -D NAME=VALUE: set in the module's namespace before it runs */
    VEC(const char *) dirs; /* -I DIR, -I NAME=DIR: where modules are looked for */
    VEC(Define) env;        /* --env NAME=VALUE: os.environ; the value is the text */
    const char *cwd;        /* the present folder, where relative paths begin, or null */
    const char *lmem_alloc; /* "first-fit", "banked" or null: first-fit */
    bool lmem_banked;       /* what it says */
    /* operator mode: "static", "dynamic", or null: by the file's folder */
    const char *mode;
    Limits limits;
    Choices choices; /* --choice: readings of uncertain points */
    Severity severity;
    bool no_weight_reorder; /* packed constants keep the order of their sources */
    bool trace; /* keep the trace of each kernel as staged, before passes rewrite it */
} Options;

/* The function of an operator file that --call is meant for; texts are null when there is
 * none. */
typedef struct Entry {
    Span span;
    const char *signature; /* op(x, y, axis=0, kernel_name="op") */
    const char *call;      /* an example for --call */
} Entry;

/* Reads a file of the program's package, the only way to a file that evaluation has. Text
 * lives as long as the unit. False without a diagnostic: there is no such file. */
typedef bool (*UnitLoader)(struct Unit *u, const char *path, const char **text,
                           size_t *len);

/* Whether a file lies in a folder when all links are followed. */
typedef bool (*UnitInside)(const char *folder, const char *path);

typedef struct Unit {
    Arena arena;
    Interner names;
    Options opt;
    UnitLoader load;     /* null: a program is one file */
    UnitInside inside;   /* asked about data files; with load */
    VEC(Source) sources; /* [0] is "nowhere" */
    VEC(Diag *) diags;
    VEC(Diag *) silent;    /* what the user asked to be silent about */
    Allowances allowances; /* of the texts that were parsed */
    int64_t work; /* steps taken by reading sources, and by what was evaluated before */
    int64_t unproved; /* rules of instructions that are left to run time */
    int64_t errors;   /* all of them, also those not kept */
    int64_t warnings;
    int64_t remarks;      /* diagnostics of the level note */
    VEC(CallStep) chains; /* [0] unused: "no call" */
    const Soc *soc;       /* what is compiled for; never null after unit_init */
    bool soc_fixed;       /* --soc was given */
    /* the program is an operator of a package: its file is below impl */
    bool operator_package;
    VEC(struct Kernel *) kernels; /* in the order of their BuildCCE calls */
    VEC(struct Kernel *)
    partial;           /* kernels that an error kept from being built; only checked */
    bool want_partial; /* whoever sets it frees them */
    bool limit_hit; /* evaluation reached a limit: no kernel is worth checking any more */
    Text log;       /* what print() of the program wrote */
    Entry entry;    /* of the main file, after it ran without building a kernel */
    /* What operators reported with add_compile_info, and with add_build_res and
     * add_build_json_result: JSON objects; null before the program ended. */
    const char *compile_info;
    const char *build_results;
    uint32_t *seen_diags; /* hash set of (name, span), private to diag.c */
    uint32_t nseen;
    uint32_t capseen;
} Unit;

/* A unit with default limits and the default target. */
void unit_init(Unit *u);
void unit_free(Unit *u);

/* Adds a source text (copied) and gives its file id. CR LF and a byte order mark are kept
 * here; the scanner deals with them. */
uint32_t unit_add_source(Unit *u, const char *path, const char *text, size_t len);

/* One character at a line and column of a file whose text may not be at hand, as in a
 * blob; line 0: the whole file. */
Span unit_place(Unit *u, const char *path, LineCol at);

/* The steps of a call chain, from the outermost on, whose entry in done (by chain) is 0;
 * gives their number. *steps lies in the arena. */
uint32_t unit_new_calls(const Unit *u, uint32_t chain, const uint32_t *done, Arena *arena,
                        uint32_t **steps);

/* Selects the target by platform or family name; false without a diagnostic if
 * unknown. */
bool MUST_USE unit_set_soc(Unit *u, const char *name);

#endif
