/* diag.h: diagnostics as values. Every user-visible rule has one row in diag.def: a
 * stable kebab-case name, a level, the rule in one sentence and a default help. A
 * diagnostic is collected in the Unit; nothing below the driver prints. Text form:
 *
 *   file:line:column: error: text [name]
 *    12 |     source line
 *       |     ^~~~~
 *   file:line:column: note: ...
 *   help: ...
 *
 * Messages are lower case, without full stop, name the user's things in quotes, and carry
 * the values that were found and required, with their units. There is one diagnostic per
 * fault: the same name at the same span is reported once however often the line is
 * staged; after an error the poisoned value is silent. */
#ifndef TIKC_DIAG_H
#define TIKC_DIAG_H

#include "base/source.h"
#include "isa/isa.h"

struct Nearest;

typedef enum Level {
    LEVEL_ERROR,
    LEVEL_WARNING,
    LEVEL_NOTE /* worth knowing, but nothing is wrong */
} Level;

typedef enum DiagId {
#define DIAG(id, name, level, aliases, rule, help) D_##id,
#include "base/diag.def"
    DIAG_COUNT
} DiagId;

typedef struct DiagInfo {
    const char *name; /* "range-nburst" */
    Level level;
    const char *aliases; /* other manuals' spellings, separated by spaces; may be "" */
    const char *rule;    /* one sentence with the unit and the source of the rule */
    const char *help;    /* what to change; "" if only the report's place knows */
} DiagInfo;

extern const DiagInfo diag_table[DIAG_COUNT];

/* Returns the diagnostic that a rule of instructions or of run time is. */
DiagId diag_of_rule(Rule rule);

/* Looks a name or an alias up (case-insensitive, with or without the E-/W- of the
 * manuals); DIAG_COUNT when there is none. */
DiagId diag_find(const char *name);

typedef struct DiagNote {
    Span span;
    const char *text;
} DiagNote;

/* A replacement of source text, with which the fault is mended. */
typedef struct DiagFix {
    Span span; /* what is replaced; may be empty */
    const char *text;
} DiagFix;

enum {
    DIAG_ARGS = 6,        /* number of calls whose arguments a diagnostic shows */
    DIAG_OTHERS = 3,      /* number of further calls with the same fault that are shown */
    DIAG_OTHERS_MAX = 256 /* number of further calls that are counted */
};

typedef struct Diag {
    DiagId id;
    Level level;
    Span span;
    uint32_t chain;   /* staging call chain, see Unit.chains; 0 = none */
    const char *text; /* in the unit's arena */
    const char *help; /* null: the table's help */
    /* "Class: message" of an exception that the program did not catch; else null */
    const char *exception;
    /* values of the arguments of the innermost calls, or null */
    const char *args[DIAG_ARGS];
    VEC(DiagNote) notes;
    VEC(DiagFix) fixes;   /* replacements that belong together; they do not overlap */
    VEC(uint32_t) others; /* call chains that led to the same fault later */
} Diag;

/* One step of the chain of compile-time calls that led to a statement. */
typedef struct CallStep {
    uint32_t parent; /* 0 = the top level */
    Span call;       /* span of the call */
    const char *callee;
} CallStep;

struct Unit;

/* Adds a diagnostic. Its level is the table's, or for a warning what the user asks for
 * (severity.h): a warning that the user makes an error counts as one, and one that the
 * user silences is not kept; an error of the table stays one. The result is never null,
 * so notes can be added: for a duplicate, a silent one or one past the limit it is a
 * diagnostic that is not kept. */
Diag *diag_add(struct Unit *u, DiagId id, Span span, uint32_t chain, const char *fmt, ...)
    PRINTF_LIKE(5, 6);
/* Does the same for an error after which the caller can go on: it is a warning where the
 * user allows it. The caller goes on if the level of the result is not LEVEL_ERROR, and
 * stops otherwise:
 *
 *   return diag_allowable(u, D_DTYPE_MISMATCH, ...)->level != LEVEL_ERROR; // copies
 * bytes
 *
 * Only rows that severity.def lists as ALLOWABLE may be given. */
Diag *diag_allowable(struct Unit *u, DiagId id, Span span, uint32_t chain,
                     const char *fmt, ...) PRINTF_LIKE(5, 6);
/* Returns whether diag_allowable would give a warning there. This query does not count as
 * a use of the allowance: the finding must be reported as well. */
bool diag_allowed(struct Unit *u, DiagId id, Span span, uint32_t chain);
void diag_note(struct Unit *u, Diag *d, Span span, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
void diag_help(struct Unit *u, Diag *d, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Adds a replacement. Fixes are for faults with one mechanical answer, which a tool may
 * apply without asking ('tikc fix'). */
void diag_fix(struct Unit *u, Diag *d, Span span, const char *fmt, ...) PRINTF_LIKE(4, 5);
/* Asks in the help whether the nearest name was meant instead of the wanted one, which
 * stands in the span. Where it stands there once, as a word, and no other name is as
 * near, the fix replaces it. Does nothing if no name is near. */
void diag_suggest(struct Unit *u, Diag *d, Span span, const struct Nearest *near);

/* Drops all diagnostics, as if none had been reported. */
void diag_forget(struct Unit *u);

/* How much was reported; diag_rewind drops what was reported after diag_mark, which may
 * not be nested. Warnings about comments to tikc in that file stay (0: in no file): its
 * text was read, whatever else is dropped. */
typedef struct DiagMark {
    uint32_t diags, silent, nseen, capseen;
    uint32_t *seen;
    int64_t errors, warnings, remarks;
    bool limit_hit;
} DiagMark;
DiagMark diag_mark(struct Unit *u);
void diag_rewind(struct Unit *u, DiagMark mark, uint32_t file);

/* Returns the word of a level: "error", "warning" or "note". */
const char *diag_level_name(Level l);
/* Returns the help of a diagnostic, or that of its row; "" if there is none. */
const char *diag_help_of(const Diag *d);

typedef enum DiagFormat {
    DIAG_TEXT,
    DIAG_COLOUR, /* text with escape sequences for a terminal */
    DIAG_JSON
} DiagFormat;

/* Sorts what was collected by the position in the first file, and keeps the order of
 * equals. */
void diag_sort(struct Unit *u);
/* Renders one diagnostic. */
void diag_render(struct Unit *u, const Diag *d, DiagFormat format, Text *out);
/* Renders all that was collected into text, in order of position in the first file. JSON
 * has one object per line with name, level, default (the table's level), file, line,
 * column, end_line, end_column, message, rule, help, notes (array), calls (array) and
 * fixes (array of places with text, what to put there). */
void diag_render_all(struct Unit *u, DiagFormat format, Text *out);
/* Puts a text as a JSON string, in quotes; bytes that are no UTF-8 become '?'. */
void diag_put_json(Text *out, const char *s);

#endif
