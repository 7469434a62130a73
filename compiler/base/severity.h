/* severity.h: decides which level a finding gets in the end: the table's, or what the
 * user asks for.
 *
 * What is most specific to the finding counts: an allowance for the place (a comment '#
 * tikc: allow(NAME): reason' or --allow NAME=FILE:LINE), then the last option that names
 * the diagnostic or its group, then --strict and -Werror, then the group legacy if the
 * program is an operator of a package (its file is below a folder impl), where the
 * members of the group are warnings, then the table. An allowance makes an error a
 * warning, where what reported it can go on, and silences a warning; --allow NAME without
 * a place keeps warnings warnings. Nothing silences an error. */
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
/* Finds a group by its name, as diag_find does; returns GROUP_COUNT if there is none. */
DiagGroup group_find(const char *name);

/* severity_allowable returns what happens when an error is allowed, or null if it cannot
 * be; severity_refusal returns why it cannot be, as a clause. */
const char *severity_allowable(DiagId id);
const char *severity_refusal(DiagId id);

/* An option or a comment names a diagnostic, or all of a group (then diag is
 * DIAG_COUNT). */
typedef struct FindingName {
    DiagId diag;
    DiagGroup group;
} FindingName;

bool MUST_USE finding_name(const char *text, FindingName *out);
/* Returns the nearest name of a diagnostic or group, or null. */
const char *finding_nearest(const char *text);

typedef enum Wish {
    WISH_NONE,
    WISH_SILENT,  /* -Wno-NAME */
    WISH_WARNING, /* --allow NAME, -Wno-error=NAME */
    WISH_ERROR    /* -Werror=NAME */
} Wish;

/* One option --allow NAME=FILE:LINE. */
typedef struct PlaceOption {
    FindingName what;
    const char *text; /* the path as the user wrote it */
    const char *path;
    uint32_t line;
} PlaceOption;

/* The options of the command line about levels. If it is all zero, the tables decide. */
typedef struct Severity {
    uint8_t wishes[DIAG_COUNT]; /* the Wish of the last option that names it */
    bool werror;                /* -Werror */
    bool strict;         /* --strict: warnings of the group portability are errors */
    bool require_proofs; /* --require-proofs: see the check pass */
    /* This is one of several compilations, and others may need the allowances that this
     * one does not, so unused places in files that it does not read are not reported. */
    bool several;
    VEC(PlaceOption) places;
} Severity;

/* An allowance for the bytes of one logical line, in which the calls of a statement
 * are. */
typedef struct Allowance {
    FindingName what;
    Span line;
    Span comment;    /* the comment; its file is 0 if the allowance is an option's */
    uint32_t option; /* index into Severity.places, if it is an option's */
    bool used;
} Allowance;

/* Allowances are in order of file and line, since texts are read one after the other. */
typedef VEC(Allowance) Allowances;

/* Sets the wish for a name. For a group it sets that of all members that can have it:
 * errors that can be allowed cannot be silenced. */
void severity_wish(Severity *s, FindingName what, Wish wish);

/* Makes allowances of a comment and of the options for the logical line that the parser
 * has read. A comment that is not for tikc is ignored, one that cannot be understood gets
 * a warning. */
void severity_comment(struct Unit *u, Span comment, Span line);
void severity_line(struct Unit *u, Span line);

/* Warns about allowances that nothing needed. The compilation must have come to its
 * end. */
void severity_finish(struct Unit *u);

typedef struct Decision {
    Level level;
    bool silent;
    const Allowance *by; /* the allowance that decided, or null */
    const char *option;  /* the option that decided, or null */
} Decision;

/* Decides the level of a finding. goes_on says that the caller can go on when an error is
 * allowed; mark, that the allowance counts as used. */
Decision severity_decide(struct Unit *u, DiagId id, Span span, uint32_t chain,
                         bool goes_on, bool mark);

#endif
