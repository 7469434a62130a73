/* allocate_plan.h: places the buffers of one memory (pass allocate), and reports those
 * that have no place. */
#ifndef TIKC_ALLOCATE_PLAN_H
#define TIKC_ALLOCATE_PLAN_H

#include "ir/ir.h"

typedef struct Life {
    BufId buf;
    /* position of the alloc; positions of statements are in program order */
    uint32_t alloc;
    uint32_t body_end;    /* last position of the body */
    uint32_t first, last; /* positions of the first and last use */
    StmtId first_at, last_at;
    uint32_t depth; /* number of loops around the alloc */
    int64_t size;   /* rounded size, times the copies */
    int64_t align;
    int64_t address;
    bool fixed; /* the program gives its address */
} Life;

/* The buffers of one memory under one notion of lifetime. */
typedef struct Plan {
    Kernel *k;
    Arena *scratch;
    bool quiet;   /* a buffer that does not fit is no diagnostic yet */
    Life **lives; /* sorted by begin */
    uint32_t n;
    bool by_use; /* lifetimes are uses, not bodies */
    bool bound;  /* some buffer is fixed or apart from another */
    int64_t peak;
} Plan;

/* The buffers that are alive at the moment. They are sorted by address; with lifetimes of
 * bodies by their beginning, which is the reverse of the order in which they end. */
typedef struct Live {
    Life **p;
    uint32_t n;
    int64_t bytes;
} Live;

static inline uint32_t
plan_begin(const Plan *p, const Life *l)
{
    return p->by_use ? l->first : l->alloc;
}

static inline uint32_t
plan_end(const Plan *p, const Life *l)
{
    return p->by_use ? l->last : l->body_end;
}

/* Adds sizes; the sums stay far from overflow. */
static inline int64_t
plan_plus(int64_t a, int64_t b)
{
    const int64_t most = INT64_MAX / 4;
    return MIN(a, most) + MIN(b, most);
}

static inline int64_t
plan_end_address(const Life *l)
{
    return plan_plus(l->address, l->size);
}

void plan_drop_ended(const Plan *p, Live *live, uint32_t now);
/* Returns whether two buffers may share no bytes. */
bool plan_meet(const Plan *p, const Life *x, const Life *y);

/* Gives all buffers addresses, and the plan its peak. False: they do not fit; the plan
 * with the smallest need remains. */
bool plan_place(Plan *p, int64_t capacity);

/* Reports the buffer that does not fit, with those that are alive then. */
void plan_report(const Plan *p, Scope scope);
/* Returns whether fixed buffers are inside of their memory, and apart from the other
 * fixed buffers that live at the same time, else reports them. */
bool plan_check_fixed(const Plan *p, int64_t capacity);

#endif
