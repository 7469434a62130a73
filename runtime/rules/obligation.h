/* obligation.h: proves or refutes rules of an instruction whose numbers are known as
 * intervals. The compiler's check pass and the verifier of blobs both call it, with the
 * intervals that they know.
 *
 * No rule is written down a second time: the numeric checker is called at the ends of
 * intervals, which decide for all values between them where the direction of a rule
 * allows it. */
#ifndef TIK_OBLIGATION_H
#define TIK_OBLIGATION_H

#include "isa/interval.h"
#include "rules/check.h"
#include "rules/shape.h"

/* Where a tensor of an instruction lies. */
typedef struct Place {
    int64_t lo, end;
} Place;

/* An instruction, or with op OP_COUNT an element (check_element). */
typedef struct Known {
    const CheckInstr *in; /* types, scopes, attributes, mask forms, literals */
    /* Returns the values of a tensor's offset, of word i of a mask, or of a number. Null:
     * the arrays below have them. */
    Interval (*values)(const void *ctx, int param, int i);
    /* Gives the constant distance from tensor b to tensor a of one root; false when it
     * varies. */
    bool (*distance)(const void *ctx, int a, int b, int64_t *out);
    const void *ctx;
    /* the values of offsets and numbers by operand, and of the mask's words */
    const Interval *numbers, *words;
    CheckInstr *most, *least, *at; /* room for the instruction at certain values */
    uint64_t *work;                /* counts evaluations of rules; null: nobody asks */
    Shape *shapes; /* SHAPES of them that were kept; null: none are kept */
    Place *places; /* with shapes, room for MAX_PARAMS of them */
    /* set by obligation_seen: the shape's room, or null; whether it has a shape that
     * differs in numbers and places only, or in places only; whether such a shape
     * decides, as nothing but places varies */
    Shape *shape;
    bool like, seen, decides;
} Known;

typedef enum Standing {
    STANDS_OPEN,
    STANDS_PROVED,  /* it holds for all values, given that all steps before it hold */
    STANDS_BROKEN,  /* it fails when the step's operand is at an end of its values,
                       whatever else varies */
    STANDS_REFUTED, /* it holds for no value */
} Standing;

/* Decides a step. *fault, which may be null, is filled when it is broken or refuted. If
 * the size of a tensor is not known (check_is_open), proved means that bounds hold for
 * the maximum size. */
Standing obligation_stands(Known *k, CheckStep step, Fault *fault);

/* Returns whether an instruction is kept that differs in numbers and places only, so that
 * check_static holds. */
bool obligation_seen(Known *k);
/* Returns whether obligation_stands proves every step of an instruction whose numbers and
 * masks have one value each, at a fraction of the cost of asking for each step. False:
 * nothing is decided. It is called after obligation_seen, and check_static holds, so its
 * shape is kept. */
bool obligation_all_stand(Known *k);

/* Gives one past the furthest byte that a tensor operand accesses, with counts at their
 * largest legal values. Returns false when it accesses none. */
bool obligation_end(Known *k, int param, int64_t *end);

/* Returns whether the step depends on other numbers than its operand and attributes. */
bool obligation_relates(const CheckInstr *in, CheckStep step);

#endif
