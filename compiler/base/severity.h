/* severity.h: which level a finding gets in the end: the table's, or what the user asks
 * for.
 *
 * The nearest word counts: an allowance for the place (a comment '# tikc: allow(NAME):
 * reason' or --allow NAME=FILE:LINE), then the last option that names the diagnostic or
 * its group, then --strict and -Werror, then the group legacy if the program is an
 * operator of a package (its file is below a folder impl), whose members are warnings
 * there, then the table. An allowance makes an error a warning, where what reported it
 * can go on, and silences a warning; --allow NAME without a place keeps warnings
 * warnings. Nothing silences an error. */
#ifndef TIKC_SEVERITY_H
#define TIKC_SEVERITY_H

#include "base/diag.h"

typedef enum DiagGroup {
#define GROUP(id, name, what) GROUP_##id,
#include "base/diag_group.def"
    GROUP_COUNT
} DiagGroup;

typedef struct DiagGroupInfo {
    const char *name;
    const char *what;
} DiagGroupInfo;

extern const DiagGroupInfo group_table[GROUP_COUNT];

bool group_has(DiagGroup g, DiagId id);
/* By name as diag_find; GROUP_COUNT: none. */
DiagGroup group_find(const char *name);

/* What happens when an error is allowed; null: it cannot be. Why it cannot be: a
 * clause. */
const char *severity_allowable(DiagId id);
const char *severity_refusal(DiagId id);

/* What an option or a comment names: a diagnostic, or all of a group (then diag is
 * DIAG_COUNT). */
typedef struct FindingName {
    DiagId diag;
    DiagGroup group;
} FindingName;

bool MUST_USE finding_name(const char *text, FindingName *out);
/* The nearest name of a diagnostic or group, or null. */
const char *finding_nearest(const char *text);

typedef enum Wish {
    WISH_NONE,
    WISH_SILENT,  /* -Wno-NAME */
    WISH_WARNING, /* --allow NAME, -Wno-error=NAME */
    WISH_ERROR    /* -Werror=NAME */
} Wish;

/* --allow NAME=FILE:LINE */
typedef struct PlaceOption {
    FindingName what;
    const char *text; /* as given */
    const char *path;
    uint32_t line;
} PlaceOption;

/* What the command line says. All zero: the levels of the tables. */
typedef struct Severity {
    uint8_t wishes[DIAG_COUNT]; /* Wish, of the last option that names it */
    bool werror;                /* -Werror */
    bool strict;         /* --strict: warnings of the group portability are errors */
    bool require_proofs; /* --require-proofs: see the check pass */
    /* other compilations may need what this one does not: places in files that
     * are not read here are not told */
    bool several;
    VEC(PlaceOption) places;
} Severity;

/* An allowance for the bytes of one logical line, which a statement's calls stand on. */
typedef struct Allowance {
    FindingName what;
    Span line;
    Span comment;    /* file 0: of an option */
    uint32_t option; /* index into Severity.places, if it is one's */
    bool used;
} Allowance;

/* By file and line: texts are read one after the other. */
typedef VEC(Allowance) Allowances;

/* Sets the wish for a name; of a group for its members that can have it: errors that can
 * be allowed no silence. */
void severity_wish(Severity *s, FindingName what, Wish wish);

/* Makes allowances of a comment and of the options for the logical line that the parser
 * has read. A comment that is none of ours is passed over, one that cannot be understood
 * gets a warning. */
void severity_comment(struct Unit *u, Span comment, Span line);
void severity_line(struct Unit *u, Span line);

/* Warns about allowances that nothing needed. For a compilation that came to its end. */
void severity_finish(struct Unit *u);

typedef struct Decision {
    Level level;
    bool silent;
    const Allowance *by; /* that says so, or null */
    const char *option;  /* the option that says so, or null */
} Decision;

/* goes_on: whoever reports it can go on when an error is allowed. Marks the allowance as
 * used if mark. */
Decision severity_decide(struct Unit *u, DiagId id, Span span, uint32_t chain,
                         bool goes_on, bool mark);

#endif
