/* nearest.h: the name that was meant: the nearest of several by edits. */
#ifndef TIKC_NEAREST_H
#define TIKC_NEAREST_H

/* Begin with {wanted}; best stays null when no candidate is near. */
typedef struct Nearest {
    const char *wanted;
    const char *best;
    int distance;
} Nearest;

void nearest_try(Nearest *n, const char *candidate);

#endif
