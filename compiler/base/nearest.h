/* nearest.h: finds the name that was probably meant: the one of several that is the
 * fewest edits away. */
#ifndef TIKC_NEAREST_H
#define TIKC_NEAREST_H

#include <stdbool.h>
#include <stdint.h>

/* A search begins with {wanted}; best stays null when no candidate is near. */
typedef struct Nearest {
    const char *wanted;
    const char *best;
    int distance; /* of best; comparable only with others of this search */
    bool tied;    /* another candidate is as near as best */
    /* steps of the comparisons so far; the search ends when they are too many */
    int64_t work;
} Nearest;

/* Returns whether a and b are one name in two spellings, as DataCopy, data_copy and
 * dataCopy are. Nothing is nearer. */
bool nearest_same(const char *a, const char *b);
void nearest_try(Nearest *n, const char *candidate);

#endif
