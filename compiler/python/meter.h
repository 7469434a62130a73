/* meter.h: counts and limits the work and the bytes of an evaluation, in one place. A
 * step of work is a statement, an expression, or what takes as long. Nothing that is
 * evaluated frees memory, so the bytes are those of the unit's arena, and each allocation
 * is charged for its size, whoever made it. A loop over what the program gave calls
 * core_step for each item, or charges all of them before it begins; code whose result can
 * become larger than its input calls core_reserve first. Built-in functions and methods
 * are charged by the call, by the column cost of their rows. */
#ifndef TIKC_PYTHON_METER_H
#define TIKC_PYTHON_METER_H

#include "python/interp.h"

/* What a call of a built-in function is charged before it begins. A row without a cost
 * has the first one, so that a new function is charged for all its arguments. */
typedef enum Cost {
    COST_SIZES, /* the sizes of the receiver and of all arguments */
    COST_ONE,   /* nothing: it takes the same time for all arguments */
    COST_INSIDE /* nothing: it charges what it does, which depends on more than sizes */
} Cost;

enum {
    WORK_BYTES = 16, /* number of bytes that are taken, written or hashed in one step */
    ITEM_STEPS = 3   /* cost of taking an item from an iterable */
};

/* Charges work. Returns false, with a diagnostic, if the steps are used up. */
bool MUST_USE core_charge(Interp *in, int64_t work, Span span);
/* Makes sure that bytes more fit the memory limit. Returns false, with a diagnostic, if
 * they do not. */
bool MUST_USE core_reserve(Interp *in, double bytes, Span span);
/* Appends n bytes to a text that a program makes, within both limits. */
bool MUST_USE core_put(Interp *in, Text *t, const char *p, size_t n, Span span);
/* The slow path of core_step: it charges the bytes that were taken since the last time.
 * Returns false if a limit was hit. */
bool meter_settle(Interp *in, Span span);
/* Begins the evaluation: it is not charged for what is in use, except the steps that
 * reading the source took. */
void meter_begin(Interp *in);
/* The parts of a program are executed while it is read. Evaluation is charged for what it
 * takes between resume and pause; Unit.work counts reading only. */
void meter_resume(Interp *in);
void meter_pause(Interp *in);
/* Parses a source that was added, within the steps that are left. Returns null if it is
 * wrong, or a limit was hit. */
Ast *meter_parse(Interp *in, uint32_t file, bool expression);
/* Returns the number of steps that going through a value takes. */
int64_t meter_size(Value v);
/* Charges the sizes of the arguments of a call, as for COST_SIZES and the methods of a
 * Tik container. */
bool MUST_USE meter_sizes(Interp *in, Value self, const CallArgs *args);
/* Returns the number of steps that the evaluation took until now. */
int64_t meter_taken(const Interp *in);

/* Charges work that is done already, where there is no way to fail: the next step checks
 * the limit. */
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

/* Charges a step of a function that takes the items of any iterable one by one. */
static inline bool MUST_USE
core_item(Interp *in, Span span)
{
    core_owe(in, ITEM_STEPS - 1);
    return core_step(in, span);
}

#endif
