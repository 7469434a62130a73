/* type.h: the element types that the numeric library works on: those of isa/dtype.def in
 * that order (from 0: Dtype begins with DT_NONE). Bit patterns: float16 and bfloat16
 * elements are uint16_t, int4 elements two to a byte, the even element in the low
 * half. */
#ifndef TIK_NUM_TYPE_H
#define TIK_NUM_TYPE_H

typedef enum NumType {
#define DTYPE(id, name, bytes, kind) NUM_##id,
#include "isa/dtype.def"
    NUM_TYPES
} NumType;

/* Converts a Dtype. */
static inline NumType
num_type(int dtype)
{
    return (NumType)(dtype - 1);
}

#endif
