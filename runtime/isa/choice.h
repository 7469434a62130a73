/* choice.h: the points on which the manuals are silent or disagree (choice.def). A kernel
 * is compiled with one reading of each; compiled code, blobs and the emulator keep them,
 * rules and results follow them.
 *
 * How a point is honoured: ask chosen() where the result is computed, once in each
 * implementation (compiler/host or runtime/ops; runtime/emu; the rules in runtime/isa if
 * extents change), never per element of a common path. 0 is the usual reading, so that a
 * kernel without choices asks nothing else. */
#ifndef TIK_CHOICE_H
#define TIK_CHOICE_H

#include "isa/types.h"

/* The reading of a point; c may be null: the usual ones. */
static inline int
chosen(const Choices *c, Choice point)
{
    return c == NULL ? 0 : c->v[point];
}

typedef struct ChoiceInfo {
    const char *number;   /* "U8", at most 4 letters */
    const char *name;     /* "away-zero" */
    const char *question; /* what is uncertain */
    const char *reason;   /* for the usual reading */
} ChoiceInfo;

typedef struct ReadingInfo {
    const char *name; /* "nearest" */
    const char *text; /* what it means */
} ReadingInfo;

const ChoiceInfo *choice_info(Choice point);
/* Why there is one reading only; null: the point is a switch. */
const char *choice_fixed(Choice point);
/* Null: the point has no such reading. */
const ReadingInfo *choice_reading(Choice point, int n);
/* By number or name; false: there is none. */
bool choice_find(const char *text, Choice *point);
/* By name; false: there is none. */
bool choice_find_reading(Choice point, const char *text, uint8_t *n);
/* Null when all of them are the usual ones, else c. */
const Choices *choices_or_null(const Choices *c);

#endif
