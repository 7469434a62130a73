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

/* What is known of an instruction whose steps all hold. */
typedef struct Shape {
    Op op; /* the instruction that is kept, if kept */
    bool kept;
    CheckMask mask;
    struct {
        int64_t number;  /* of a tensor its bytes */
        uint32_t kind;   /* types, memories and flags, packed */
        int32_t align;   /* the following members are those of tensors */
        int64_t extent;  /* bytes that bounds count; 0: bounds ask nothing */
        int64_t limit;   /* bytes that may be accessed */
        int64_t reach;   /* end of what overlap counts, from the start */
        bool compared;   /* overlap has a rule on it */
        bool regular;    /* which is check_overlap_is_regular */
        int64_t lo, end; /* room: where it lies in the instruction at hand */
    } args[MAX_PARAMS];
    int dst;      /* the first destination */
    bool crossed; /* overlap relates destinations with sources only */
} Shape;

/* Returns whether shapes of the instruction's family may be kept: nothing but alignment,
 * bounds and overlap asks for offsets and roots. */
bool shape_has(Op op);
/* Returns the room of an instruction's shape; whether it holds it is another question. */
Shape *shape_room(Shape shapes[SHAPES], const CheckInstr *in);
bool shape_is(const Shape *s, const CheckInstr *in);
/* Keeps the shape of an instruction whose steps all hold. work is room for a copy. */
void shape_keep(Shape *s, const CheckInstr *in, CheckInstr *work);

#endif
