/* nearest.h: the name that was meant: the nearest of several by edits. */
#ifndef TIKC_NEAREST_H
#define TIKC_NEAREST_H

#include <stdbool.h>
#include <stdint.h>

/* Begin with {wanted}; best stays null when no candidate is near. */
typedef struct Nearest {
    const char *wanted;
    const char *best;
    int distance;
    int64_t work; /* of the comparisons; a search ends when it becomes too much */
} Nearest;

/* One name in two manners: DataCopy, data_copy, dataCopy. Nothing is nearer. */
bool nearest_same(const char *a, const char *b);
void nearest_try(Nearest *n, const char *candidate);

#endif
