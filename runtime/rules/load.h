/* load.h: what loads into the matrix unit and products have in common (families LOAD and
 * CUBE). */
#ifndef TIK_LOAD_H
#define TIK_LOAD_H

#include "isa/isa.h"
#include "isa/operand.h"

/* The forms with windows have the operands from stride_w to dilation_filter_h, the
 * kernel, one after the other: how much further on than those of load3dv1 they stand. */
static inline int
load_kernel_shift(Form f)
{
    return f == FORM_COL2IMG ? COL2IMG_stride_w - LOAD3D1_stride_w : 0;
}

#endif
