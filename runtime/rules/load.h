/* load.h: slots of the forms of loads into the matrix unit and of products (form.def, families LOAD and CUBE). */
#ifndef TIK_LOAD_H
#define TIK_LOAD_H

#include "isa/operand.h"

enum {
    LOAD_DST,
    LOAD_SRC
};

/* load2dv1 and load2dv2; behind the stride they differ by the gap that only the latter has. */
enum {
    LOAD2D_INDEX = 2,
    LOAD2D_REPEAT,
    LOAD2D1_STRIDE,
    LOAD2D1_TRANSPOSE = 6,
    LOAD2D1_MODE,
    LOAD2D_GAP = 4,
    LOAD2D_STRIDE,
    LOAD2D_TRANSPOSE = 7,
    LOAD2D_MODE
};

/* load3dv1, load3dv2 and col2img: the image; then the numbers of each. */
enum {
    IMAGE_PAD = 2, /* left, right, top, bottom */
    IMAGE_H = 6,
    IMAGE_W
};

enum {
    L3D1_C1 = 8,
    L3D1_FETCH_W,
    L3D1_FETCH_H,
    L3D1_LEFT,
    L3D1_TOP,
    L3D1_KERNEL, /* see KERNEL_ */
    L3D1_JUMP = L3D1_KERNEL + 6,
    L3D1_MODE,
    L3D1_REPEAT,
    L3D1_CSIZE,
    L3D1_PAD_VALUE
};

enum {
    L3D2_CHANNELS = 8,
    L3D2_K_EXT,
    L3D2_M_EXT,
    L3D2_K,
    L3D2_M,
    L3D2_KERNEL,
    L3D2_TRANSPOSE = L3D2_KERNEL + 6,
    L3D2_PAD_VALUE
};

enum {
    C2I_FETCH_W = 8,
    C2I_FETCH_H,
    C2I_LEFT,
    C2I_TOP,
    C2I_KERNEL,
    C2I_REPEAT = C2I_KERNEL + 6
};

/* From the slot of the kernel on. */
enum {
    KERNEL_STRIDE_W,
    KERNEL_STRIDE_H,
    KERNEL_W,
    KERNEL_H,
    KERNEL_DILATION_W,
    KERNEL_DILATION_H
};

/* mmad and matmul: dst, the factors, the sizes, then is_bias or init_l1out, or the bias. */
enum {
    CUBE_DST,
    CUBE_A,
    CUBE_B,
    CUBE_M,
    CUBE_K,
    CUBE_N,
    CUBE_INIT
};

/* conv2d: dst, image and weights as above. */
enum {
    CONV_FM = 3,      /* C1, H, W, C0 */
    CONV_WEIGHT = 7,  /* C1, Kh, Kw, Cout, C0 */
    CONV_STRIDE = 12, /* height, width */
    CONV_PAD = 14,    /* left, right, top, bottom */
    CONV_DILATION = 18,
    CONV_PAD_VALUE = 20,
    CONV_INIT
};

#endif
