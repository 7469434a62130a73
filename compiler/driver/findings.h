/* findings.h: what commands found in their files. It is kept as data, in memory of its
 * own, so that files can be compiled at the same time and that the findings of all of
 * them make one document. */
#ifndef TIKC_FINDINGS_H
#define TIKC_FINDINGS_H

#include "base/unit.h"

typedef enum FormatId {
#define FORMAT(id, word, one, document, what) FORMAT_##id,
#include "driver/format.def"
    FORMAT_COUNT
} FormatId;

typedef VEC(const char *) Names;

/* One diagnostic in the format that was asked for. */
typedef struct Finding {
    DiagId id;
    Level level;
    const char *message; /* its text alone */
    Text text;           /* all of it, in the format */
    Names socs;          /* processors for which it was found, if several were asked */
} Finding;

/* Why a file that a folder has was not checked. */
typedef enum Skip {
    SKIP_NOT,
    SKIP_MODULE, /* it builds no kernel: others import it */
    SKIP_CALL    /* it has an operator, and nothing says how to call it */
} Skip;

/* What was found in one file. */
typedef struct Report {
    Arena arena;
    const char *path;
    Skip skip;
    int code; /* exit code */
    int64_t errors, warnings, remarks;
    int64_t hidden;    /* diagnostics past --max-errors */
    int64_t proofs[3]; /* as Kernel.proofs, of all kernels */
    int64_t kernels;
    Text log;           /* what the program printed */
    bool log_to_stderr; /* standard output is for something else */
    Text out;           /* what the command has to print beside findings */
    VEC(Finding) list;
    Names socs;    /* those for which it was checked, if several were asked */
    Text figures;  /* entries of --report, with commas between them */
    Names refused; /* those of them for which it has errors */
} Report;

typedef struct Findings {
    FormatId format;
    bool colour;
    const char *command; /* word of the command */
    VEC(Report *) reports;
    Arena arena; /* of the list, not of the reports */
    /* sums over all reports */
    int64_t files, skipped[3], errors, warnings, remarks, kernels, proofs[3];
    int worst; /* exit code */
} Findings;

/* Finds the format of a word; returns false if there is none. */
bool format_find(const char *word, FormatId *out);
/* Puts the words of the first n forms: "text, json, ... or junit". */
void format_list(int n, Text *out);

/* Moves what a unit collected into an empty report. */
void report_take(Report *r, Unit *u, FormatId format, bool colour, const char *soc);
/* Adds the findings for another processor: equal ones get its name. */
void report_merge(Report *into, const Report *other);
void report_free(Report *r);

void findings_begin(Findings *f, FormatId format, bool colour, const char *command);
/* Counts a report, which lives until findings_end, and prints it unless the format is a
 * document. */
void findings_add(Findings *f, Report *r);
/* Prints the document, or a summary of a text with several files. Returns the exit
 * code. */
int findings_end(Findings *f, bool summary);

/* The sentence that sums up: "12 files checked, 1 skipped: ...". */
void findings_summary(const Findings *f, Text *out);

/* ---- forms --------------------------------------------------------------- */

void format_text_one(Unit *u, const Diag *d, bool colour, Text *out);
void format_json_one(Unit *u, const Diag *d, bool colour, Text *out);
void format_sarif_one(Unit *u, const Diag *d, bool colour, Text *out);
void format_github_one(Unit *u, const Diag *d, bool colour, Text *out);
void format_sarif_document(const Findings *f, Text *out);
void format_github_document(const Findings *f, Text *out);
void format_junit_document(const Findings *f, Text *out);

/* Returns the place of an offset with its column in characters, not bytes. */
/* Puts a text as XML, in an attribute or between tags. */
void format_put_xml(const char *s, Text *out);
LineCol format_place(Unit *u, Span span, uint32_t offset);

#endif
