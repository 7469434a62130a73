/* watch.h: notes what the names of a program are bound to while it runs, for editors. A
 * name is noted by the place that binds it, with the last value that it got there. Most
 * evaluations have no watch, and then nothing is noted. */
#ifndef TIKC_PYTHON_WATCH_H
#define TIKC_PYTHON_WATCH_H

#include "python/interp.h"

typedef struct WatchEntry {
    /* the name as it stands in the source; of a function's name, or an imported one, the
     * statement; of a parameter the head of the function */
    Span at;
    Sym name;
    bool attribute; /* of an object: self.name = value */
    uint32_t times; /* how often it was bound there */
    Value v;        /* what it was bound to last */
} WatchEntry;

/* It is empty if it is all zero. Its memory is its own, so that it counts in no limit of
 * the evaluation. */
typedef struct NameWatch {
    Arena arena;
    VEC(WatchEntry) entries;
    uint32_t *index; /* hash index: 1 + number of an entry, 0: none */
    uint32_t nindex;
} NameWatch;

/* Notes that a name is bound. */
void watch_note(NameWatch *w, Span at, Sym name, bool attribute, Value v);
void watch_free(NameWatch *w);
/* Returns where a function or class that the program defines stands, or the file of a
 * module; the file is 0 for all other values. u has their sources. */
Span watch_definition(const NameWatch *w, const Unit *u, Value v);

#endif
