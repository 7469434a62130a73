/* print_note.h: statements that note values in the log of prints. It is private to the
 * pass print (print.c says what the log is). */
#ifndef TIKC_PRINT_NOTE_H
#define TIKC_PRINT_NOTE_H

#include "ir/ir.h"

enum {
    PRINT_WORD = 8,
    PRINT_MOST = 16384 /* elements of one record */
};

typedef struct Print {
    Kernel *k;
    Arena scratch;
    VEC(BufId) alive;  /* tensors of the core, in the order of their allocs */
    VEC(StmtId) loops; /* around the statement */
    VEC(RegId) set;    /* registers that have got a value, in that order */
    uint32_t staged;   /* statements from this number on are those of prints */
    BufId log;
    RegId pos;                  /* words of records so far */
    int64_t cores, words, part; /* words of records of a core; of its part of the log */
    /* where statements are added, and the place that they have */
    Cursor at;
    Span span;
    uint32_t chain;
    ExprId core; /* index of the core, and the word at which its part begins */
    ExprId base;
} Print;

/* What a wish is at a place of the program. */
typedef struct Subject {
    ExprId value; /* of a Scalar or a variable; 0: it is a tensor */
    BufId buf;
    Dtype dtype; /* of elements */
    ExprId off;  /* in bytes, before all others; 0: none */
    int ndim;    /* of the box of elements */
    int64_t from, count[PRINT_DIMS], step[PRINT_DIMS]; /* in elements */
} Subject;

ExprId note_number(Print *p, int64_t v);
void note_set(Print *p, RegId r, ExprId value);
/* Add a statement with a body, in which statements are added from then on; they return
 * where those after it go. */
Cursor note_enter(Print *p, Stmt s);
Cursor note_if(Print *p, ExprId cond);
/* Makes the log, unless it is there. */
void note_log(Print *p);
/* Finds the index of the core at the place p->at, and where its part of the log is. */
void note_core(Print *p);
/* Counts how often a core has been here, and goes on the n-th time only. first is the
 * beginning of the kernel. */
void note_wait(Print *p, int64_t time, Cursor *first);
/* Makes a site, with the variables whose values each record has; gives it the shape of
 * what is noted (w may be null); and adds it to the kernel. */
PrintSite note_site(const Print *p, const Subject *s);
void note_shape(PrintSite *site, const Subject *s, const PrintWish *w);
uint32_t note_add_site(Print *p, PrintSite site);
/* Adds the record of a site, if there is room for it. */
void note_record(Print *p, const Subject *s, uint32_t index);

#endif
