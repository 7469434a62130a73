/* shape.h: instructions that differ only in the places of their tensors. What their rules
 * say is the same but for alignment, bounds and overlap, so those who prove many of them
 * keep what they know of the last ones. Others than runtime/rules ask only whether a
 * shape may be kept, and bring the room. */
#ifndef TIK_SHAPE_H
#define TIK_SHAPE_H

#include "rules/check.h"

enum {
    SHAPES = 8 /* kept at a time; a power of two */
};

/* What is known of an instruction for which check_static holds. */
typedef struct Shape {
    Op op; /* the instruction that is kept, if kept */
    bool kept;
    bool legal; /* check_numbers holds too, for the numbers and the mask that are kept */
    CheckMask mask;
    struct {
        int64_t number; /* of a tensor its bytes */
        uint32_t kind;  /* types, memories and flags, packed */
        uint32_t root;  /* where the family asks for roots, else 0 */
        int32_t align;  /* the following members are those of tensors */
        int64_t extent; /* bytes that bounds count; 0: bounds ask nothing */
        int64_t limit;  /* bytes that may be accessed */
        int64_t reach;  /* end of what overlap counts, from the start */
        bool compared;  /* overlap has a rule on it */
        bool regular;   /* which is check_overlap_is_regular */
    } args[MAX_PARAMS];
    int dst;      /* the first destination */
    bool crossed; /* overlap relates destinations with sources only */
} Shape;

/* Returns whether shapes of the instruction's family may be kept: nothing but alignment,
 * bounds and overlap asks for offsets and roots. */
bool shape_has(Op op);
/* Returns whether the rules that hold for an offset of a tensor hold, with the same
 * numbers, masks and distances of tensors of one root, for each one below the end of what
 * fits the tensor's own bytes (not their granule, where shape_has does not hold) that is
 * as well aligned. */
bool shape_has_spans(Op op);
/* Returns whether the instruction may be given, for an operand of that role, a copy of
 * the bytes that it accesses where these go beyond the tensor's own (launch/edge.c). */
bool shape_can_move(Op op, Role role);
/* Returns whether overlap asks for the distance of two tensors of one root alone. With
 * one repeat it asks whether both begin with the same element, counted in the type of
 * each, so for those of unequal size it matters where they lie. */
bool shape_keeps_distance(Dtype a, Dtype b);
/* Returns the room of an instruction's shape; whether it holds it is another question. */
Shape *shape_room(Shape shapes[SHAPES], const CheckInstr *in);
/* Returns whether the shape differs at most in numbers, words of masks and places, of
 * which check_static asks nothing. */
bool shape_is_like(const Shape *s, const CheckInstr *in);
/* Returns whether these do not differ either, where shape_is_like holds. */
bool shape_is(const Shape *s, const CheckInstr *in);
/* Keeps the shape of an instruction for which check_static holds, without numbers. */
void shape_keep(Shape *s, const CheckInstr *in);
/* Keeps the numbers of one like it for which check_numbers holds. work is room for a
 * copy. */
void shape_keep_numbers(Shape *s, const CheckInstr *in, CheckInstr *work);

#endif
