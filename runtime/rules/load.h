/* load.h: functions that loads into the matrix unit and products share (families LOAD and
 * CUBE). */
#ifndef TIK_LOAD_H
#define TIK_LOAD_H

#include "isa/isa.h"
#include "isa/operand.h"

/* The forms with windows have the operands of the kernel, from stride_w to
 * dilation_filter_h, one after the other. Returns the distance of their slots from those
 * of load3dv1. */
static inline int
load_kernel_shift(Form f)
{
    return f == FORM_COL2IMG ? COL2IMG_stride_w - LOAD3D1_stride_w : 0;
}

#endif
