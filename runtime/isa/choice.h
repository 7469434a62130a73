/* choice.h: the points on which the manuals are silent or disagree (choice.def). A kernel
 * is compiled with one reading of each. Compiled code, blobs and the emulator keep the
 * readings; rules and results follow them.
 *
 * Code that depends on a point calls chosen() where the result is computed, once in each
 * implementation (compiler/host or runtime/ops; runtime/emu; runtime/rules if extents
 * change), but never for each element of a common path. The usual reading is 0, so a
 * kernel without choices pays for none. */
#ifndef TIK_CHOICE_H
#define TIK_CHOICE_H

#include "isa/types.h"

/* Returns the reading of a point. With c null all readings are the usual ones. */
static inline int
chosen(const Choices *c, Choice point)
{
    return c == NULL ? 0 : c->v[point];
}

typedef struct ChoiceInfo {
    const char *number;   /* "U8", at most 4 letters */
    const char *name;     /* "away-zero" */
    const char *question; /* what is uncertain */
    const char *reason;   /* why the first reading is the usual one */
} ChoiceInfo;

typedef struct ReadingInfo {
    const char *name; /* "nearest" */
    const char *text; /* what the reading says */
} ReadingInfo;

/* Gives the letters of the point's number, followed by zero bytes. */
void choice_letters(Choice point, uint8_t out[4]);
/* Returns whether the point has a reading. */
bool choice_has_reading(Choice point, int n);

/* The following are not in a lean loader (isa/lean.h). */
const ChoiceInfo *choice_info(Choice point);
/* Returns why the point has one reading only; null when it can be chosen. */
const char *choice_fixed(Choice point);
/* Returns null when the point has no such reading. */
const ReadingInfo *choice_reading(Choice point, int n);
/* Finds a point by its number or name; false when there is none. */
bool choice_find(const char *text, Choice *point);
/* Finds a reading of a point by its name; false when there is none. */
bool choice_find_reading(Choice point, const char *text, uint8_t *n);
/* Returns null when all readings are the usual ones, else c. */
const Choices *choices_or_null(const Choices *c);

#endif
