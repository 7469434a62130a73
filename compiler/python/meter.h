/* meter.h: the work and the bytes of an evaluation, and the one place where both are
 * counted and limited. A step of work is a statement, an expression, or what takes as
 * long. Nothing that is evaluated frees memory, so the bytes are those of the unit's
 * arena, and each allocation is charged for its size, whoever made it. A loop over what
 * the program gave passes core_step for each item, or charges all of them before it
 * begins; what can become larger than it was given asks core_reserve first. Built-in
 * functions and methods are charged by the call, after the column cost of their rows. */
#ifndef TIKC_STAGE_METER_H
#define TIKC_STAGE_METER_H

#include "python/interp.h"

/* What a call of a built-in function is charged before it begins. The first one holds for
 * a row that says nothing, so that a new function is charged for all that it is given. */
typedef enum Cost {
    COST_SIZES, /* the sizes of the receiver and of all arguments */
    COST_ONE,   /* nothing: it takes the same time whatever it is given */
    COST_INSIDE /* nothing: it charges what it does, which depends on more than sizes */
} Cost;

enum {
    WORK_BYTES = 16, /* bytes taken, written or hashed that are one step */
    ITEM_STEPS = 3   /* what taking an item from an iterable costs */
};

/* Charges work. False: the steps are used up, with a diagnostic. */
bool MUST_USE core_charge(Interp *in, int64_t work, Span span);
/* Makes sure that bytes more fit the memory limit. False: they do not, with a
 * diagnostic. */
bool MUST_USE core_reserve(Interp *in, double bytes, Span span);
/* Puts n bytes behind a text that a program makes, within both limits. */
bool MUST_USE core_put(Interp *in, Text *t, const char *p, size_t n, Span span);
/* Slow path of core_step: charges the bytes that were taken since the last time. False: a
 * limit was hit. */
bool meter_settle(Interp *in, Span span);
/* The evaluation begins: what is in use was not taken by it, but for the steps that
 * reading the source took. */
void meter_begin(Interp *in);
/* Parses a source that was added, within what is left of the steps. Null: it is wrong, or
 * a limit was hit. */
Ast *meter_parse(Interp *in, uint32_t file, bool expression);
/* The steps that going through a value takes. */
int64_t meter_size(Value v);
/* Charges the sizes of what a call is given: COST_SIZES, and the methods of a Tik
 * container. */
bool MUST_USE meter_sizes(Interp *in, Value self, const CallArgs *args);
/* The steps that the evaluation took until now. */
int64_t meter_taken(const Interp *in);

/* Charges work that is done already, where there is no way to fail: the next step
 * looks. */
static inline void
core_owe(Interp *in, int64_t work)
{
    in->steps -= work;
}

static inline bool MUST_USE
core_step(Interp *in, Span span)
{
    core_owe(in, 1);
    if (in->steps < 0 || in->u->arena.used > in->look) {
        return meter_settle(in, span);
    }
    return true;
}

/* A step of a function that takes the items of whatever it is given one by one. */
static inline bool MUST_USE
core_item(Interp *in, Span span)
{
    core_owe(in, ITEM_STEPS - 1);
    return core_step(in, span);
}

#endif
